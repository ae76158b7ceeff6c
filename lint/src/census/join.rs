//! A census beside findings: what was counted of a type or field that a finding is about, and what
//! its remedies would save there.
//!
//! Debug info names types by crate and path, findings by crate and path too. Where sizes differ it
//! was another type of that name, another target or another state of the code: nothing is joined.

mod net;

use super::count::{Census, FieldCount, STEPS, TextCount, TypeCount};
use super::types::base;
use crate::finding::amount::{bytes, count, number, percent};
use crate::finding::{Finding, Net};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// What was counted.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Measured {
    /// Values of the type.
    pub values: u64,
    /// With those that there is room for.
    pub slots: u64,
    /// Bytes of all slots.
    pub bytes_at_census: u64,
    /// Of an enum: values of each variant.
    pub variants: BTreeMap<String, u64>,
    /// Of a field: bytes of room that holds nothing.
    pub slack_bytes: Option<u64>,
    /// Of a field: its texts.
    pub texts: Option<TextCount>,
    /// Bytes that the best remedy would save, with what malloc adds to each block.
    pub net_saved_bytes: Option<i64>,
    /// Blocks that it would save.
    pub net_blocks: Option<i64>,
}

/// Variants that are named.
const MOST_VARIANTS: usize = 4;

impl Measured {
    /// It in words, the most telling first; of `live` bytes in all.
    pub fn words(&self, live: u64) -> Vec<String> {
        if self.values == 0 {
            return vec!["0 values in this run".to_owned()];
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
        let slots = match self.slots.saturating_sub(self.values) {
            0 => String::new(),
            spare => format!(", and room for {} more", number(spare)),
        };
        lines.push(format!(
            "in this run {}{slots}: {}",
            count(self.values, "value"),
            bytes(self.bytes_at_census)
        ));
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
                "{}, median {} bytes, {} of at most {} bytes, {} equal to another",
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

/// Says of each type which package defines it. `crates` are names in code, packages and their ids:
/// where several packages have a crate of one name, nothing is said.
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
        // Not what the compiler makes: `app::main::{closure_env#0}`.
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
}

/// A census by the paths of types.
#[derive(Debug)]
pub struct Index<'c> {
    types: FxHashMap<&'c str, Vec<usize>>,
    fields: FxHashMap<(&'c str, &'c str), Vec<usize>>,
    by_name: FxHashMap<&'c str, usize>,
    by_type: FxHashMap<&'c str, Vec<&'c str>>,
    /// Names that several definitions have, as of two versions of a crate.
    shared_names: FxHashSet<&'c str>,
    crates: FxHashSet<String>,
    census: &'c Census,
}

impl<'c> Index<'c> {
    /// Of a census.
    pub fn new(census: &'c Census) -> Index<'c> {
        let mut types: FxHashMap<&str, Vec<usize>> = FxHashMap::default();
        let mut by_name: FxHashMap<&str, usize> = FxHashMap::default();
        let mut shared_names = FxHashSet::default();
        let mut crates = FxHashSet::from_iter([census.head.program.replace('-', "_")]);
        for (at, ty) in census.types.iter().enumerate() {
            let base = base(&ty.ty);
            types.entry(base).or_default().push(at);
            if *by_name.entry(&ty.ty).or_insert(at) != at {
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

    /// The lines of a type, `krate::path`: one an instance.
    fn types_of(&self, path: &str) -> impl Iterator<Item = &'c TypeCount> {
        let list = self.types.get(path).into_iter().flatten();
        list.map(|&at| &self.census.types[at])
    }

    /// Whether several definitions have that path: their sizes tell them apart, of their fields
    /// nothing does.
    fn is_shared(&self, path: &str) -> bool {
        let mut instances = self.types_of(path);
        instances.any(|ty| self.shared_names.contains(&*ty.ty))
    }

    /// The lines of a field of a type, `krate::path`: one an instance of the type.
    fn lines(&self, path: &str, field: &str) -> Vec<usize> {
        if self.is_shared(path) {
            return Vec::new();
        }
        // The one field of a variant is named by its variant.
        let (name, nested) = match field.find("[]") {
            Some(at) => field.split_at(at),
            None => (field, ""),
        };
        let only = format!("{name}.0{nested}");
        let found = [field, &only].map(|field| self.fields.get(&(path, field)));
        found
            .into_iter()
            .flatten()
            .next()
            .cloned()
            .unwrap_or_default()
    }

    /// What was counted of a field: all instances of the type together.
    fn field(&self, path: &str, field: &str) -> Option<FieldCount> {
        let mut whole: Option<FieldCount> = None;
        for at in self.lines(path, field) {
            let line = &self.census.fields[at];
            match &mut whole {
                Some(whole) => whole.add(line),
                None => whole = Some(line.clone()),
            }
        }
        whole
    }

    /// What was counted of a field and of what is in containers in it, each by the name it has in
    /// a census; `krate` as cargo or code names it.
    pub fn fields_of(&self, krate: &str, path: &str, field: &str) -> BTreeMap<&'c str, FieldCount> {
        let path = format!("{}::{path}", krate.replace('-', "_"));
        let only = format!("{field}.0");
        let within = |name: &str| {
            [field, &only].iter().any(|field| {
                let rest = name.strip_prefix(*field);
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['[', '.']))
            })
        };
        let mut found: BTreeMap<&str, FieldCount> = BTreeMap::new();
        let names = self.by_type.get(&*path).into_iter().flatten();
        for name in names.filter(|name| within(name)) {
            if let Some(whole) = self.field(&path, name) {
                found.insert(name, whole);
            }
        }
        found
    }

    /// What was counted of a subject: all instances of a generic type together; no values where
    /// the program has the crate and none of the type. None where it does not have the crate, or a
    /// type of another size, or several of that name and size.
    pub fn of(&self, subject: &Subject<'_>) -> Option<Measured> {
        let path = format!("{}::{}", subject.krate, subject.path);
        let mut measured = Measured::default();
        if !self.crates.contains(subject.krate) {
            return None;
        }
        let mut same = FxHashSet::default();
        for ty in self.types_of(&path) {
            let is_shared = self.shared_names.contains(&*ty.ty);
            if subject.size.is_some_and(|size| size != ty.size) {
                if is_shared {
                    continue;
                }
                return None;
            }
            if is_shared && !same.insert(&*ty.ty) {
                return None;
            }
            // There may be more of it, or none.
            if ty.values == 0 && ty.guessed > 0 {
                return None;
            }
            measured.values += ty.values;
            measured.slots += ty.slots;
            measured.bytes_at_census += ty.bytes;
            for (variant, n) in &ty.variants {
                *measured.variants.entry(variant.clone()).or_default() += n;
            }
        }
        if same.is_empty() && self.is_shared(&path) {
            return None;
        }
        let field = subject.field.unwrap_or_default();
        measured.slack_bytes = self.field(&path, field).map(|f| f.slack_bytes);
        // Medians of several instances have no sum.
        if let [only] = self.lines(&path, field)[..] {
            measured.texts.clone_from(&self.census.fields[only].texts);
        }
        Some(measured)
    }

    /// What was counted of what a finding is about; each remedy gets what it would save.
    pub fn measure(&self, krate: &str, path: &str, finding: &mut Finding) -> Option<Measured> {
        let subject = Subject {
            krate,
            path,
            field: finding.field.as_deref(),
            size: finding.size_before,
        };
        let mut measured = self.of(&subject)?;
        let before = finding.size_before;
        let path = format!("{krate}::{path}");
        for remedy in &mut finding.remedies {
            remedy.net = self.net(&path, before, remedy);
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
            };
            let found = Index::new(census).of(&subject);
            found.map(|m| (m.values, m.slack_bytes))
        };
        // Nobody knows whose the field is.
        assert_eq!(values(&census, 8), Some((1, None)));
        assert_eq!(values(&census, 16), Some((10, None)));
        assert_eq!(values(&census, 24), None);
        census.types.push(same);
        assert_eq!(values(&census, 8), Some((1, None)));
        assert_eq!(values(&census, 16), None);
    }
}
