//! Fields, texts and allocation sites that differ between two censuses.

use super::signed;
use crate::census::count::{Census, FieldCount, MadeCount};
use crate::finding::amount::{bytes, number};
use crate::report::counted;
use std::collections::BTreeMap;

/// What a row is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Field,
    Texts,
    Site,
}

impl Kind {
    pub(super) const ALL: [Kind; 3] = [Kind::Field, Kind::Texts, Kind::Site];

    /// The heading of its rows.
    pub(super) fn heading(self) -> &'static str {
        match self {
            Kind::Field => "Fields that own blocks",
            Kind::Texts => "Repeated texts, by field",
            Kind::Site => "Allocation sites",
        }
    }
}

/// A change of bytes: of a field's blocks, of repeated texts, of the live blocks of a site.
pub(super) struct Row {
    pub(super) kind: Kind,
    /// In full, for JSON.
    pub(super) ty: String,
    pub(super) name: String,
    pub(super) old: u64,
    pub(super) new: u64,
    /// Containers, texts or blocks.
    pub(super) counts: (u64, u64),
    /// What else is to be said.
    pub(super) words: String,
}

impl Row {
    /// What it is about, as a user reads it.
    pub(super) fn what(&self) -> String {
        match (self.kind, &*self.ty) {
            (Kind::Site, "") => self.name.clone(),
            (Kind::Site, ty) => format!("{}, {}", counted::name(ty), self.name),
            (_, "") => self.name.clone(),
            (_, ty) => format!("{}::{}", counted::name(ty), self.name.replace('.', "::")),
        }
    }

    pub(super) fn line(&self) -> String {
        let change = signed(self.old, self.new);
        format!("{change:>12}  {}: {}", self.what(), self.words)
    }
}

/// All rows, those of each kind together, the largest change first.
pub(super) fn rows(old: &Census, new: &Census) -> Vec<Row> {
    let mut rows = fields(old, new);
    rows.append(&mut sites(old, new));
    rows.sort_by_key(|row| {
        let kind = Kind::ALL.iter().position(|kind| *kind == row.kind);
        (kind, std::cmp::Reverse(row.old.abs_diff(row.new)))
    });
    rows
}

/// What two censuses have of one key.
struct Pairs<'c, T> {
    before: Vec<&'c T>,
    after: Vec<&'c T>,
}

impl<T> Pairs<'_, T> {
    /// The sums before and after.
    fn sums(&self, of: fn(&T) -> u64) -> (u64, u64) {
        let sum = |list: &[&T]| list.iter().map(|one| of(one)).sum();
        (sum(&self.before), sum(&self.after))
    }
}

/// Pairs what both have of one key.
fn both<'c, K: Ord, T>(
    old: impl Iterator<Item = (K, &'c T)>,
    new: impl Iterator<Item = (K, &'c T)>,
) -> BTreeMap<K, Pairs<'c, T>> {
    let mut all = BTreeMap::new();
    let none = || Pairs {
        before: Vec::new(),
        after: Vec::new(),
    };
    for (key, one) in old {
        all.entry(key).or_insert_with(none).before.push(one);
    }
    for (key, one) in new {
        all.entry(key).or_insert_with(none).after.push(one);
    }
    all
}

/// Fields by name. Several definitions of a type's name are not told apart.
fn fields(old: &Census, new: &Census) -> Vec<Row> {
    let key = |field: &FieldCount| (field.ty.clone(), field.field.clone());
    let all = both(
        old.fields.iter().map(|f| (key(f), f)),
        new.fields.iter().map(|f| (key(f), f)),
    );
    let mut rows = Vec::new();
    for ((ty, name), pairs) in all {
        let (size, spare) = (pairs.sums(|f| f.bytes), pairs.sums(|f| f.slack_bytes));
        let counts = pairs.sums(|f| f.containers);
        let mut kinds: Vec<&str> = pairs
            .before
            .iter()
            .chain(&pairs.after)
            .map(|f| &*f.kind)
            .collect();
        kinds.dedup();
        if size.0 != size.1 || spare.0 != spare.1 || counts.0 != counts.1 {
            rows.push(Row {
                kind: Kind::Field,
                ty: ty.clone(),
                name: name.clone(),
                old: size.0,
                new: size.1,
                counts,
                words: format!(
                    "{}, {} to {} of them, {} to {} spare",
                    kinds.join(" to "),
                    number(counts.0),
                    number(counts.1),
                    bytes(spare.0),
                    bytes(spare.1)
                ),
            });
        }
        let repeated = pairs.sums(|f| f.texts.as_ref().map_or(0, |t| t.repeated_bytes));
        let times = pairs.sums(|f| f.texts.as_ref().map_or(0, |t| t.repeated));
        if repeated.0 != repeated.1 || times.0 != times.1 {
            rows.push(Row {
                kind: Kind::Texts,
                ty,
                name,
                old: repeated.0,
                new: repeated.1,
                counts: times,
                words: format!(
                    "{} to {} texts are equal to an earlier one",
                    number(times.0),
                    number(times.1)
                ),
            });
        }
    }
    rows
}

/// A site without the lines, which an edit moves.
fn functions(made: &MadeCount) -> Vec<&str> {
    let frames = made.frames.iter();
    let names = frames.map(|frame| frame.rsplit_once(" at ").map_or(&**frame, |f| f.0));
    names.collect()
}

/// Allocation sites by type and functions. Censuses list those of the most bytes and of the most
/// blocks: what only one of them lists may be below the list of the other.
fn sites(old: &Census, new: &Census) -> Vec<Row> {
    let key = |made: &MadeCount| {
        let functions: Vec<String> = functions(made).into_iter().map(str::to_owned).collect();
        (made.ty.clone(), functions)
    };
    let all = both(
        old.made.iter().map(|made| (key(made), made)),
        new.made.iter().map(|made| (key(made), made)),
    );
    let mut rows = Vec::new();
    for ((ty, _), pairs) in all {
        let (size, blocks) = (pairs.sums(|m| m.bytes), pairs.sums(|m| m.blocks));
        let made = pairs.sums(|m| m.made_blocks);
        if size.0 == size.1 && blocks.0 == blocks.1 {
            continue;
        }
        let Some(shown) = pairs.after.first().or(pairs.before.first()) else {
            continue;
        };
        let place = shown.frames.first().map(|frame| counted::owner(frame));
        let listed = match (pairs.before.is_empty(), pairs.after.is_empty()) {
            (true, _) => "; not among those listed before",
            (_, true) => "; not among those listed now",
            _ => "",
        };
        rows.push(Row {
            kind: Kind::Site,
            ty,
            name: place.unwrap_or_default(),
            old: size.0,
            new: size.1,
            counts: blocks,
            words: format!(
                "{} to {} live blocks, {} to {} made{listed}",
                number(blocks.0),
                number(blocks.1),
                number(made.0),
                number(made.1)
            ),
        });
    }
    rows
}
