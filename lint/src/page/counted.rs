//! A census as the page shows it: the lines of the terminal, as data.

use super::Type;
use super::stacks::{self, Stack};
use crate::census::count::{Census, FieldCount, Head, PartCount, PartKind, Summary, TypeCount};
use crate::census::types::base;
use crate::report::Spare;
use crate::report::counted::{is_own, length, name, owner, part, path};
use rustc_hash::FxHashMap;
use serde::Serialize;
use std::cmp::Reverse;

/// What a census has counted; lists have the most bytes first.
#[derive(Serialize)]
pub(super) struct Counts<'c> {
    head: &'c Head,
    summary: &'c Summary,
    parts: Vec<Part<'c>>,
    types: Vec<OfType<'c>>,
    fields: Vec<OfField<'c>>,
    spare: Vec<OfSpare<'c>>,
    stacks: Stack,
    /// The lengths that texts are counted by, in words.
    lengths: [String; 8],
}

/// A part of the heap: all of them add up to it.
#[derive(Serialize)]
struct Part<'c> {
    kind: PartKind,
    what: String,
    /// In few words: the type without its path, or the last two names of what owns it.
    short: String,
    /// The crate of what owns it.
    #[serde(rename = "crate")]
    krate: Option<String>,
    /// The type as debug info writes it.
    #[serde(rename = "type")]
    ty: &'c str,
    blocks: u64,
    bytes: u64,
}

#[derive(Serialize)]
struct OfType<'c> {
    name: String,
    /// As debug info writes it, to find its fields by.
    #[serde(rename = "type")]
    ty: &'c str,
    /// Index of the type in [`super::Data::types`].
    index: Option<usize>,
    size: u64,
    values: u64,
    slots: u64,
    bytes: u64,
    unread: u64,
    at_least: bool,
    /// Values of each variant, the most first.
    variants: Vec<(&'c str, u64)>,
    widest: &'c Option<(String, u64)>,
}

/// The containers of a field.
#[derive(Serialize)]
struct Room<'c> {
    kind: &'c str,
    containers: u64,
    len: u64,
    capacity: u64,
    bytes: u64,
    spare: u64,
}

impl<'c> From<&'c FieldCount> for Room<'c> {
    fn from(count: &'c FieldCount) -> Room<'c> {
        Room {
            kind: &count.kind,
            containers: count.containers,
            len: count.len,
            capacity: count.capacity,
            bytes: count.bytes,
            spare: count.slack_bytes,
        }
    }
}

#[derive(Serialize)]
struct OfField<'c> {
    name: String,
    #[serde(rename = "type")]
    ty: &'c str,
    #[serde(flatten)]
    room: Room<'c>,
    empty: u64,
    one: u64,
    none: Option<(u64, u64)>,
    single: Option<(u64, u64)>,
    texts: Option<Texts<'c>>,
}

/// Spare capacity that no finding would release.
#[derive(Serialize)]
struct OfSpare<'c> {
    /// Its place among the findings.
    rank: usize,
    name: &'c str,
    #[serde(rename = "crate")]
    krate: &'c str,
    place: Option<&'c str>,
    #[serde(flatten)]
    room: Room<'c>,
}

#[derive(Serialize)]
struct Texts<'c> {
    median: u64,
    max: u64,
    repeated: u64,
    repeated_bytes: u64,
    lengths: &'c [u64; 8],
    inline: Vec<(&'c str, u64)>,
}

impl<'c> Counts<'c> {
    /// Of a census, with the page's types where they are the same, and with ranked spare capacity;
    /// `crates` are those of the page.
    pub(super) fn of(
        census: &'c Census,
        spare: impl Iterator<Item = (usize, &'c Spare<'c>)>,
        crates: &[String],
        types: &[Type<'_>],
    ) -> Counts<'c> {
        let known = types.iter().enumerate();
        let known = known.map(|(at, t)| ((crates[t.krate].as_str(), t.path), at));
        let known: FxHashMap<(&str, &str), usize> = known.collect();
        let index = |t: &TypeCount| {
            let key = (t.package.as_deref()?, t.path.as_deref()?);
            known.get(&key).copied()
        };
        let own = census.types.iter().filter(|t| is_own(&t.ty));
        let fields = census.fields.iter();
        let told = fields.filter(|f| f.containers > 0 || f.none.is_some() || f.texts.is_some());
        Counts {
            head: &census.head,
            summary: &census.summary,
            parts: parts(census),
            types: own.map(|t| of_type(t, index(t))).collect(),
            fields: told.map(of_field).collect(),
            spare: spare.map(of_spare).collect(),
            stacks: stacks::of(census),
            lengths: std::array::from_fn(length),
        }
    }
}

/// The parts of the heap. What is spare in a field is one of them; of a map in insertion order, the
/// free slots of its hash table are another.
fn parts(census: &Census) -> Vec<Part<'_>> {
    let mut tables: FxHashMap<String, u64> = FxHashMap::default();
    for field in census.fields.iter().filter(|f| f.table_slack_bytes > 0) {
        *tables.entry(path(field)).or_default() += field.table_slack_bytes;
    }
    let is_of_field = |p: &&PartCount| p.kind == PartKind::Spare && !p.owner.is_empty();
    let rest = census.parts.iter().filter(|p| !is_of_field(p));
    let mut list: Vec<Part> = rest.map(of_part).collect();
    let mut spare: FxHashMap<String, Part> = FxHashMap::default();
    for count in census.parts.iter().filter(is_of_field) {
        spare
            .entry(owner(&count.owner))
            .and_modify(|part| part.bytes += count.bytes)
            .or_insert_with(|| of_part(count));
    }
    for (owner, mut part) in spare {
        let bytes = tables.get(&owner).map_or(0, |table| part.bytes.min(*table));
        part.bytes -= bytes;
        list.push(Part {
            kind: part.kind,
            what: format!("free slots of a hash table, {owner}"),
            short: format!("hash table of {}", part.short),
            krate: part.krate.clone(),
            ty: "",
            blocks: 0,
            bytes,
        });
        list.push(part);
    }
    list.retain(|p| p.bytes > 0);
    list.sort_by(|a, b| b.bytes.cmp(&a.bytes).then_with(|| a.what.cmp(&b.what)));
    list
}

fn of_part(count: &PartCount) -> Part<'_> {
    let what = part(count);
    let owner = owner(&count.owner);
    let named = if owner.is_empty() { &what } else { &owner };
    let paths = named.split(' ').filter_map(|word| word.split_once("::"));
    let is_name = |word: &str| word.chars().all(|c| c.is_alphanumeric() || c == '_');
    let krate = paths.map(|(first, _)| first).find(|first| is_name(first));
    Part {
        kind: count.kind,
        short: match count.kind == PartKind::Values && !count.ty.is_empty() {
            true => without_path(&name(&count.ty)),
            false => last_two(named),
        },
        krate: krate.map(str::to_owned),
        what,
        ty: &count.ty,
        blocks: count.blocks,
        bytes: count.bytes,
    }
}

/// A type without its path: `a::List<Item>` as `List<Item>`.
pub(super) fn without_path(ty: &str) -> String {
    let (path, arguments) = ty.split_at(base(ty).len());
    let last = path.rsplit("::").next().unwrap_or(path);
    format!("{last}{arguments}")
}

/// The last two names of a path, without arguments: `a::List<Item>::items` as `List::items`, and
/// `<a::List<Item> as b::Trait>::get::<Item>` as `List::get`.
pub(super) fn last_two(path: &str) -> String {
    let (of, rest) = path.strip_prefix('<').map_or(("", path), closed);
    let (of, rest) = (without_arguments(of), without_arguments(rest));
    let of = of.split(" as ").next().unwrap_or_default();
    let names = of.split("::").chain(rest.split("::"));
    let names: Vec<&str> = names.filter(|name| !name.is_empty()).collect();
    names[names.len().saturating_sub(2)..].join("::")
}

/// Splits at the `>` of a `<` that stands before the text.
fn closed(text: &str) -> (&str, &str) {
    let mut depth = 1u32;
    let end = text.char_indices().find(|&(at, c)| {
        depth += u32::from(c == '<');
        depth -= u32::from(c == '>' && !text[..at].ends_with('-'));
        depth == 0
    });
    end.map_or(("", text), |(at, _)| (&text[..at], &text[at + 1..]))
}

fn without_arguments(path: &str) -> String {
    let (mut depth, mut before) = (0u32, ' ');
    let mut plain = path.to_owned();
    plain.retain(|c| {
        depth += u32::from(c == '<');
        let is_outside = depth == 0;
        // `->` closes nothing.
        depth = depth.saturating_sub(u32::from(c == '>' && before != '-'));
        before = c;
        is_outside
    });
    plain
}

fn of_type(count: &TypeCount, index: Option<usize>) -> OfType<'_> {
    let variants = count.variants.iter().map(|(name, n)| (name.as_str(), *n));
    let mut variants: Vec<_> = variants.collect();
    variants.sort_by_key(|(name, n)| (Reverse(*n), *name));
    OfType {
        name: name(&count.ty),
        ty: &count.ty,
        index,
        size: count.size,
        values: count.values,
        slots: count.slots,
        bytes: count.bytes,
        unread: count.unread,
        at_least: count.at_least,
        variants,
        widest: &count.widest,
    }
}

fn of_spare<'c>((rank, spare): (usize, &'c Spare<'c>)) -> OfSpare<'c> {
    OfSpare {
        rank,
        name: &spare.name,
        krate: &spare.krate,
        place: spare.place,
        room: spare.count.into(),
    }
}

fn of_field(count: &FieldCount) -> OfField<'_> {
    OfField {
        name: path(count),
        ty: &count.ty,
        room: count.into(),
        empty: count.empty,
        one: count.one,
        none: count.none,
        single: count.single_owner,
        texts: count.texts.as_ref().map(|t| Texts {
            median: t.median,
            max: t.max,
            repeated: t.repeated,
            repeated_bytes: t.repeated_bytes,
            lengths: &t.lengths,
            inline: t.inline.iter().map(|(ty, n)| (ty.as_str(), *n)).collect(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_functions_and_fields_in_few_words() {
        for (path, short) in [
            ("a::List<Item>::items", "List::items"),
            (
                "<a::List<b::Item> as c::Trait<d::E>>::get::<Item>",
                "List::get",
            ),
            ("<a::Info>::from_name", "Info::from_name"),
            ("a::run::{closure#0}", "run::{closure#0}"),
            ("main", "main"),
            ("<a::b", "a::b"),
            ("<a::F<fn(u8) -> u8> as c::Trait>::get", "F::get"),
        ] {
            assert_eq!(last_two(path), short);
        }
    }
}
