//! Joins a census to findings: the counts of the type or field that a finding is about, and what
//! its remedies would save.
//!
//! Debug info and findings both name types by crate and path. Where sizes or fields differ it is
//! another type of that name, another target or another state of the code: nothing is joined.

mod definition;
mod net;

pub use definition::Definition;

use crate::census::count::{Census, FieldCount, STEPS, TextCount, TypeCount};
use crate::census::types::base;
use crate::finding::amount::{bytes, count, number, percent};
use crate::finding::{Finding, Net};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;
use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// What was counted.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Measured {
    /// Values of the type.
    pub values: u64,
    /// Values and spare capacity, in slots.
    pub slots: u64,
    /// Bytes of all slots.
    pub bytes_at_census: u64,
    /// Of an enum: values of each variant.
    pub variants: BTreeMap<String, u64>,
    /// Of a field: bytes of spare capacity.
    pub slack_bytes: Option<u64>,
    /// Of a field: its texts.
    pub texts: Option<TextCount>,
    /// Slots in blocks that were not read.
    #[serde(skip_serializing_if = "is_none")]
    pub unread: u64,
    /// Whether there may be more values.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub at_least: bool,
    /// Bytes that the best remedy would save, with what malloc adds to each block.
    pub net_saved_bytes: Option<i64>,
    /// Blocks that it would save.
    pub net_blocks: Option<i64>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for it")]
fn is_none(n: &u64) -> bool {
    *n == 0
}

/// Variants that are named.
const MOST_VARIANTS: usize = 4;

impl Measured {
    /// The counts in words, the most important first; `live` is the whole heap in bytes.
    pub fn words(&self, live: u64) -> Vec<String> {
        let at_least = if self.at_least { "at least " } else { "" };
        if self.values == 0 {
            return vec![match self.at_least {
                true => "none was found in what was read of this run".to_owned(),
                false => "0 values in this run".to_owned(),
            }];
        }
        let mut lines = Vec::new();
        if let (Some(saved), Some(blocks)) = (self.net_saved_bytes, self.net_blocks) {
            let net = Net {
                bytes: saved,
                blocks,
            };
            let share = percent(saved.max(0) as u64, live);
            lines.push(format!("in this run it {net}, {share} of the heap"));
        }
        let spare = self.slots.saturating_sub(self.values + self.unread);
        let slots = match spare {
            0 => String::new(),
            spare => format!(", and room for {} more", number(spare)),
        };
        let values = count(self.values, "value");
        lines.push(match self.bytes_at_census {
            0 => format!("in this run {values} outside of the heap, in variables or statics"),
            n => format!("in this run {at_least}{values}{slots}: {}", bytes(n)),
        });
        let mut variants: Vec<_> = self.variants.iter().filter(|v| *v.1 > 0).collect();
        variants.sort_by_key(|(name, n)| (Reverse(**n), *name));
        let shown = variants.iter().take(MOST_VARIANTS);
        let shown = shown.map(|(name, n)| format!("`{name}` {}", percent(**n, self.values)));
        let shown: Vec<_> = shown.collect();
        let more = match variants.len().saturating_sub(MOST_VARIANTS) {
            0 => String::new(),
            n => format!(" and {n} more"),
        };
        if !shown.is_empty() {
            lines.push(format!("of these {}{more}", shown.join(", ")));
        }
        if let Some(spare) = self.slack_bytes.filter(|n| *n > 0) {
            lines.push(format!("{} of spare capacity", bytes(spare)));
        }
        if let Some(texts) = &self.texts {
            let all: u64 = texts.lengths.iter().sum();
            let short: u64 = texts.lengths[..4].iter().sum();
            lines.push(format!(
                "{}, median {} bytes, {} of at most {} bytes, {} repeat an earlier one",
                count(all, "text"),
                texts.median,
                percent(short, all),
                STEPS[3],
                percent(texts.repeated, all)
            ));
        }
        lines
    }
}

/// Adds to each type the package that defines it. `crates` are names in code, packages and their
/// ids; where several packages have a crate of one name, the package stays unknown.
pub fn packages<'c>(
    census: &mut Census,
    crates: impl Iterator<Item = (&'c str, &'c str, &'c str)>,
) {
    let mut known: FxHashMap<&str, Option<(&str, &str)>> = FxHashMap::default();
    for (name, package, id) in crates {
        let one = known.entry(name).or_insert(Some((package, id)));
        *one = one.filter(|(_, other)| *other == id);
    }
    for ty in &mut census.types {
        // Not a type that the compiler adds: `app::main::{closure_env#0}`.
        let base = base(&ty.ty);
        if let Some((krate, path)) = base.split_once("::")
            && let Some(Some((package, _))) = known.get(krate)
            && !base.contains('{')
        {
            ty.package = Some((*package).to_owned());
            ty.path = Some(path.to_owned());
        }
    }
}

/// What a finding is about.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'s> {
    /// The crate, as code names it.
    pub krate: &'s str,
    /// The type's path in it.
    pub path: &'s str,
    /// `field`, `Variant` or `Variant.field`.
    pub field: Option<&'s str>,
    /// Bytes of one value of the type.
    pub size: Option<u64>,
    /// Its fields.
    pub definition: &'s Definition,
}

/// A census by the paths of types.
#[derive(Debug)]
pub struct Index<'c> {
    types: FxHashMap<&'c str, Vec<usize>>,
    fields: FxHashMap<(&'c str, &'c str), Vec<usize>>,
    by_name: FxHashMap<Cow<'c, str>, usize>,
    by_type: FxHashMap<&'c str, Vec<&'c str>>,
    /// Names with several definitions, such as those of two versions of a crate.
    shared_names: FxHashSet<&'c str>,
    crates: FxHashSet<String>,
    census: &'c Census,
}

/// The lines of a definition: of a generic one, those of each instance.
#[derive(Debug)]
struct Joined<'c> {
    path: String,
    types: Vec<&'c TypeCount>,
    /// Whether its lines of fields may belong to another definition.
    fields_are_shared: bool,
}

impl Joined<'_> {
    fn has(&self, ty: &TypeCount) -> bool {
        self.types.iter().any(|own| std::ptr::eq(*own, ty))
    }

    fn declares(&self, field: &FieldCount) -> bool {
        let mut types = self.types.iter();
        !self.fields_are_shared
            && (self.types.is_empty()
                || types.any(|ty| ty.ty == field.ty && ty.definition == field.definition))
    }
}

impl<'c> Index<'c> {
    /// Of a census.
    pub fn new(census: &'c Census) -> Index<'c> {
        let mut types: FxHashMap<&str, Vec<usize>> = FxHashMap::default();
        let mut by_name: FxHashMap<Cow<str>, usize> = FxHashMap::default();
        let mut names = FxHashSet::default();
        let mut shared_names = FxHashSet::default();
        let mut crates = FxHashSet::from_iter([census.head.program.replace('-', "_")]);
        for (at, ty) in census.types.iter().enumerate() {
            let base = base(&ty.ty);
            types.entry(base).or_default().push(at);
            by_name.entry(ty.part_name()).or_insert(at);
            if !names.insert(&*ty.ty) {
                shared_names.insert(&*ty.ty);
            }
            crates.extend(base.split_once("::").map(|(krate, _)| krate.to_owned()));
        }
        let mut fields: FxHashMap<(&str, &str), Vec<usize>> = FxHashMap::default();
        let mut by_type: FxHashMap<&str, Vec<&str>> = FxHashMap::default();
        for (at, field) in census.fields.iter().enumerate() {
            let key = (base(&field.ty), &*field.field);
            fields.entry(key).or_default().push(at);
            by_type.entry(key.0).or_default().push(key.1);
        }
        Index {
            types,
            fields,
            by_name,
            by_type,
            shared_names,
            crates,
            census,
        }
    }

    /// Bytes and blocks that were live, as malloc counts them.
    pub fn live(&self) -> (u64, u64) {
        let summary = &self.census.summary;
        (summary.live_bytes + summary.malloc_bytes, summary.blocks)
    }

    /// Whether so little of the heap was read that the rest may say otherwise.
    pub fn is_partial(&self) -> bool {
        self.census.summary.is_partial()
    }

    /// The lines of a type, `krate::path`: one an instance.
    fn types_of(&self, path: &str) -> impl Iterator<Item = &'c TypeCount> {
        let list = self.types.get(path).into_iter().flatten();
        list.map(|&at| &self.census.types[at])
    }

    /// The lines of a definition, none if the program has the crate and no value of the type. None
    /// where it does not have the crate, or types of that path alone that are others: of another
    /// size or with other fields; or several that may be meant.
    fn join(&self, subject: &Subject<'_>) -> Option<Joined<'c>> {
        let path = format!("{}::{}", subject.krate, subject.path);
        if !self.crates.contains(subject.krate) {
            return None;
        }
        let mut types: Vec<&TypeCount> = Vec::new();
        let (mut others, mut fields_are_shared) = (false, false);
        for ty in self.types_of(&path) {
            let is_shared = self.shared_names.contains(&*ty.ty);
            // A line without a number may belong to either.
            fields_are_shared |= is_shared && ty.definition == 0;
            let size = subject.size.is_none_or(|size| size == ty.size);
            if !size || !subject.definition.is(ty) {
                if is_shared {
                    others = true;
                    continue;
                }
                return None;
            }
            // The lines without a number may belong to it or not.
            if types.iter().any(|other| other.ty == ty.ty) || ty.values == 0 && ty.guessed > 0 {
                return None;
            }
            types.push(ty);
        }
        if others && types.is_empty() {
            return None;
        }
        Some(Joined {
            path,
            types,
            fields_are_shared,
        })
    }

    /// Whether the program has any type of that path.
    pub fn has(&self, krate: &str, path: &str) -> bool {
        self.types_of(&format!("{krate}::{path}")).next().is_some()
    }

    /// The lines of a field: one an instance of the type.
    fn lines(&self, joined: &Joined<'_>, field: &str) -> Vec<&'c FieldCount> {
        // The only field of a variant has the name of the variant.
        let (name, nested) = match field.find("[]") {
            Some(at) => field.split_at(at),
            None => (field, ""),
        };
        let only = format!("{name}.0{nested}");
        let of = |field| {
            let lines = self.fields.get(&(&*joined.path, field)).into_iter();
            let lines = lines.flatten().map(|&at| &self.census.fields[at]);
            lines.filter(|line| joined.declares(line)).collect()
        };
        let found: [Vec<&FieldCount>; 2] = [field, &*only].map(of);
        let mut found = found.into_iter().filter(|lines| !lines.is_empty());
        found.next().unwrap_or_default()
    }

    /// The counts of a field, summed over all instances of the type.
    fn field(&self, joined: &Joined<'_>, field: &str) -> Option<FieldCount> {
        let mut lines = self.lines(joined, field).into_iter();
        let mut whole = lines.next()?.clone();
        lines.for_each(|line| whole.add(line));
        Some(whole)
    }

    /// The counts of a field and of containers in it, each with its name in the census; `krate` is
    /// the name of the package or of the crate.
    pub fn fields_of(
        &self,
        krate: &str,
        path: &str,
        definition: &Definition,
        field: &str,
    ) -> BTreeMap<&'c str, FieldCount> {
        let mut found: BTreeMap<&str, FieldCount> = BTreeMap::new();
        let joined = self.join(&Subject {
            krate: &krate.replace('-', "_"),
            path,
            field: None,
            size: None,
            definition,
        });
        let Some(joined) = joined else {
            return found;
        };
        let only = format!("{field}.0");
        let within = |name: &str| {
            [field, &only].iter().any(|field| {
                let rest = name.strip_prefix(*field);
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['[', '.']))
            })
        };
        let names = self.by_type.get(&*joined.path).into_iter().flatten();
        for name in names.filter(|name| within(name)) {
            if let Some(whole) = self.field(&joined, name) {
                found.insert(name, whole);
            }
        }
        found
    }

    /// What was counted of a subject.
    pub fn of(&self, subject: &Subject<'_>) -> Option<Measured> {
        Some(self.measured(&self.join(subject)?, subject.field))
    }

    fn measured(&self, joined: &Joined<'_>, field: Option<&str>) -> Measured {
        let mut measured = Measured {
            at_least: self.is_partial() && joined.types.is_empty(),
            ..Measured::default()
        };
        for ty in &joined.types {
            measured.values += ty.values;
            measured.slots += ty.slots;
            measured.bytes_at_census += ty.bytes;
            measured.unread += ty.unread;
            measured.at_least |= ty.at_least;
            for (variant, n) in &ty.variants {
                *measured.variants.entry(variant.clone()).or_default() += n;
            }
        }
        let field = field.unwrap_or_default();
        let owned = self.field(joined, field);
        measured.slack_bytes = owned.as_ref().map(|f| f.slack_bytes);
        // A variable or a static is no value in the heap, and what it owns is.
        if let Some(owned) = owned.filter(|_| measured.values == 0) {
            measured.values = owned.containers;
        }
        // Medians of several instances cannot be added.
        if let [only] = self.lines(joined, field)[..] {
            measured.texts.clone_from(&only.texts);
        }
        measured
    }

    /// What was counted of what a finding is about; each remedy gets what it would save.
    pub fn measure(
        &self,
        krate: &str,
        path: &str,
        definition: &Definition,
        finding: &mut Finding,
    ) -> Option<Measured> {
        let joined = self.join(&Subject {
            krate,
            path,
            field: None,
            size: finding.size_before,
            definition,
        })?;
        let mut measured = self.measured(&joined, finding.field.as_deref());
        let before = finding.size_before;
        for remedy in &mut finding.remedies {
            remedy.net = self.net(&joined, before, remedy);
        }
        // What saves most comes first.
        finding.remedies.sort_by_key(|r| Reverse(r.net));
        let best = finding.best_net();
        measured.net_saved_bytes = best.map(|net| net.bytes);
        measured.net_blocks = best.map(|net| net.blocks);
        Some(measured)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::census::count::{FieldCount, TypeCount};

    fn census() -> Census {
        let ty = |name: &str, size, values| TypeCount {
            ty: name.to_owned(),
            size,
            values,
            slots: values + 1,
            bytes: (values + 1) * size,
            ..TypeCount::default()
        };
        Census {
            types: vec![
                ty("a::b::List<u8>", 24, 3),
                ty("a::b::List<alloc::string::String>", 24, 4),
                ty("a::Other", 8, 1),
            ],
            fields: vec![FieldCount {
                ty: "a::b::List<u8>".to_owned(),
                field: "items".to_owned(),
                slack_bytes: 77,
                ..FieldCount::default()
            }],
            ..Census::default()
        }
    }

    #[test]
    fn instances_are_counted_together() {
        let census = census();
        let mut subject = Subject {
            krate: "a",
            path: "b::List",
            field: Some("items"),
            size: Some(24),
            definition: &Definition::default(),
        };
        let index = Index::new(&census);
        let found = index.of(&subject).unwrap();
        assert_eq!(
            (found.values, found.slots, found.bytes_at_census),
            (7, 9, 216)
        );
        assert_eq!(found.slack_bytes, Some(77));
        subject.field = None;
        assert_eq!(index.of(&subject).unwrap().slack_bytes, None);
        subject.size = Some(32);
        assert_eq!(index.of(&subject), None);
        subject.path = "List";
        assert_eq!(index.of(&subject).map(|m| m.values), Some(0));
        subject.krate = "c";
        assert_eq!(index.of(&subject), None);
    }

    #[test]
    fn definitions_of_one_name_are_told_apart_by_size() {
        let mut census = census();
        let field = |ty: &str| FieldCount {
            ty: ty.to_owned(),
            field: "items".to_owned(),
            slack_bytes: 5,
            ..FieldCount::default()
        };
        let other = |size| TypeCount {
            size,
            values: 10,
            ..census.types[2].clone()
        };
        let (wide, same) = (other(16), other(16));
        census.types.push(wide);
        census.fields.push(field("a::Other"));
        let values = |census: &Census, size| {
            let subject = Subject {
                krate: "a",
                path: "Other",
                field: Some("items"),
                size: Some(size),
                definition: &Definition::default(),
            };
            let found = Index::new(census).of(&subject);
            found.map(|m| (m.values, m.slack_bytes))
        };
        // It is not known which definition the field belongs to.
        assert_eq!(values(&census, 8), Some((1, None)));
        assert_eq!(values(&census, 16), Some((10, None)));
        assert_eq!(values(&census, 24), None);
        census.types.push(same);
        assert_eq!(values(&census, 8), Some((1, None)));
        assert_eq!(values(&census, 16), None);
    }

    #[test]
    fn definitions_of_one_name_and_size_are_told_apart_by_fields() {
        let mut census = census();
        census.types.truncate(2);
        let mut add = |definition, values, names: [(&str, u64); 2]| {
            let fields = names.map(|(name, at)| (name.to_owned(), Some(at)));
            census.types.push(TypeCount {
                ty: "a::Item".to_owned(),
                size: 16,
                values,
                fields: fields.into(),
                definition,
                ..TypeCount::default()
            });
            census.fields.push(FieldCount {
                ty: "a::Item".to_owned(),
                field: "list".to_owned(),
                slack_bytes: values * 10,
                definition,
                ..FieldCount::default()
            });
        };
        add(1, 5, [("list", 0), ("n", 8)]);
        add(2, 7, [("list", 8), ("n", 0)]);
        let of = |census: &Census, fields: &[(&str, Option<u64>)]| {
            let fields = fields.iter().map(|(name, at)| ((*name).to_owned(), *at));
            let subject = Subject {
                krate: "a",
                path: "Item",
                field: Some("list"),
                size: Some(16),
                definition: &Definition {
                    is_enum: false,
                    fields: fields.collect(),
                },
            };
            let found = Index::new(census).of(&subject);
            found.map(|m| (m.values, m.slack_bytes))
        };
        let (first, second) = (
            [("list", Some(0)), ("n", Some(8))],
            [("list", Some(8)), ("n", Some(0))],
        );
        assert_eq!(of(&census, &first), Some((5, Some(50))));
        assert_eq!(of(&census, &second), Some((7, Some(70))));
        // The name alone is ambiguous.
        assert_eq!(of(&census, &[("list", None), ("n", None)]), None);
        assert_eq!(of(&census, &[("list", Some(0)), ("other", Some(8))]), None);
        // Values of one definition do not belong to the other.
        census.types.pop();
        assert_eq!(of(&census, &second), None);
        assert_eq!(of(&census, &first), Some((5, Some(50))));
        // The offset of a field without a size says nothing.
        let marked = [("list", Some(0)), ("n", Some(8)), ("mark", None)];
        assert_eq!(of(&census, &marked), None);
        let fields = &mut census.types.last_mut().unwrap().fields;
        fields.insert("mark".to_owned(), Some(3));
        assert_eq!(of(&census, &marked), Some((5, Some(50))));
    }
}
