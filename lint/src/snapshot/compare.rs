//! Compares two snapshots: what grew, shrank, was added or removed, and why.

use super::cause::{self, Cause};
use super::{Entry, Field, Key, Snapshot};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;

/// How a type changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fate {
    /// A type that is larger, possibly at another path.
    Grew,
    /// A type that is smaller, possibly at another path.
    Shrank,
    /// An added type.
    Came,
    /// A removed type.
    Went,
    /// A type with another path and the same size.
    Moved,
    /// A type whose old or new size is unknown, so that they cannot be compared.
    Unknown,
}

/// A type that changed.
#[derive(Clone, Debug)]
pub struct Change<'s> {
    /// How it changed.
    pub fate: Fate,
    /// The new entry, or the last one.
    pub entry: &'s Entry,
    /// The old entry.
    pub before: Option<&'s Entry>,
    /// The new entry.
    pub after: Option<&'s Entry>,
    /// The parts that made it grow or shrink.
    pub causes: Vec<Cause<'s>>,
    /// Index of the change of an inner type that caused it; `None` for a root cause.
    pub root: Option<usize>,
    /// Index of the same change of the same type in another target of the package, earlier in the
    /// list: a file may be part of several.
    pub twin: Option<usize>,
    /// Types that hold it directly and by value; for a removed type, that held it.
    pub holders: Vec<&'s Entry>,
}

impl<'s> Change<'s> {
    /// Returns the bytes by which it grew.
    pub fn growth(&self) -> u64 {
        match self.fate {
            Fate::Grew => self.difference(),
            _ => 0,
        }
    }

    /// Returns the difference of the sizes, in bytes.
    pub fn difference(&self) -> u64 {
        let size = |entry: Option<&Entry>| entry.and_then(|e| e.size).unwrap_or(0);
        size(self.after).abs_diff(size(self.before))
    }

    /// Returns its old path, if that was another.
    pub fn moved_from(&self) -> Option<&'s Entry> {
        let (before, after) = (self.before?, self.after?);
        (before.key() != after.key()).then_some(before)
    }
}

/// The changes of the types of a workspace.
#[derive(Clone, Debug)]
pub struct Comparison<'s> {
    /// By fate; the largest difference first, then by name.
    pub changes: Vec<Change<'s>>,
    /// Number of types with the same size and path, counted for the first target.
    pub same: usize,
    /// The targets that were compared.
    pub triples: &'s [String],
    /// What is compared: types, or what the caller puts here.
    pub noun: &'static str,
}

impl<'s> Comparison<'s> {
    /// Iterates over the changes of a kind, without twins.
    pub fn of(&self, fate: Fate) -> impl Iterator<Item = (usize, &Change<'s>)> {
        let all = self.changes.iter().enumerate();
        all.filter(move |(_, c)| c.fate == fate && c.twin.is_none())
    }

    /// Returns the targets on which this change is the same, unless that is all of them.
    pub fn only_on(&self, at: usize) -> Vec<&str> {
        let same = |i: usize| i == at || self.changes[i].twin == Some(at);
        let of = (0..self.changes.len()).filter(|&i| same(i));
        let mut on: Vec<&str> = of.map(|i| self.changes[i].entry.triple.as_str()).collect();
        on.sort_unstable();
        on.dedup();
        match on.len() < self.triples.len() {
            true => on,
            false => Vec::new(),
        }
    }

    /// Iterates over the changes caused by this one.
    pub fn followers(&self, root: usize) -> impl Iterator<Item = &Change<'s>> {
        let is_root = move |at: usize| at == root || self.changes[at].twin == Some(root);
        let all = self.changes.iter();
        all.filter(move |c| c.twin.is_none() && c.root.is_some_and(is_root))
    }
}

/// Compares two snapshots.
pub fn compare<'s>(base: &'s Snapshot, now: &'s Snapshot) -> Comparison<'s> {
    let mut changes = Vec::new();
    let mut same = 0;
    for (before, after) in pairs(&base.types, &now.types) {
        let (Some(fate), Some(entry)) = (fate(before, after), after.or(before)) else {
            let first = now.triples.first().map(String::as_str);
            same += usize::from(after.is_none_or(|e| Some(e.triple.as_str()) == first));
            continue;
        };
        let causes = match (fate, before, after) {
            (Fate::Grew | Fate::Shrank, Some(before), Some(after)) => cause::find(before, after),
            _ => Vec::new(),
        };
        changes.push(Change {
            fate,
            entry,
            before,
            after,
            causes,
            root: None,
            twin: None,
            holders: Vec::new(),
        });
    }
    changes.sort_by(|a, b| {
        let key = |c: &Change<'s>| (c.fate, Reverse(c.difference()), c.entry.key());
        key(a).cmp(&key(b))
    });
    let roots = roots(&changes);
    let (held_before, held_now) = (holders(&base.types), holders(&now.types));
    let mut seen = FxHashMap::default();
    for (at, (change, root)) in changes.iter_mut().zip(roots).enumerate() {
        change.root = root;
        let of = match change.after {
            Some(_) => &held_now,
            None => &held_before,
        };
        change.holders = of.get(&change.entry.key()).cloned().unwrap_or_default();
        let size = |entry: Option<&Entry>| entry.map(|e| (e.size, e.min_size));
        let entry = change.entry;
        let what = (
            (change.fate, &entry.package, &entry.path),
            (size(change.before), size(change.after)),
        );
        let first = *seen.entry(what).or_insert(at);
        change.twin = (first != at).then_some(first);
    }
    Comparison {
        changes,
        same,
        triples: &now.triples,
        noun: "type",
    }
}

fn fate(before: Option<&Entry>, after: Option<&Entry>) -> Option<Fate> {
    let (before, after) = match (before, after) {
        (Some(before), Some(after)) => (before, after),
        (None, _) => return Some(Fate::Came),
        (_, None) => return Some(Fate::Went),
    };
    match (before.size, after.size) {
        (Some(b), Some(a)) if a > b => Some(Fate::Grew),
        (Some(b), Some(a)) if a < b => Some(Fate::Shrank),
        (Some(_), None) | (None, Some(_)) => Some(Fate::Unknown),
        (None, None) if before.min_size != after.min_size => Some(Fate::Unknown),
        _ if before.key() != after.key() => Some(Fate::Moved),
        _ => None,
    }
}

type Sides<'s> = (Option<&'s Entry>, Option<&'s Entry>);

/// Pairs each type with its old entry: by name, else by its shape under another path.
fn pairs<'s>(base: &'s [Entry], now: &'s [Entry]) -> Vec<Sides<'s>> {
    let mut left: FxHashMap<(Key, usize), &Entry> = numbered(base).collect();
    let mut pairs = Vec::new();
    let mut came = Vec::new();
    for (key, after) in numbered(now) {
        match left.remove(&key) {
            Some(before) => pairs.push((Some(before), Some(after))),
            None => came.push(after),
        }
    }
    let mut went: Vec<&Entry> = left.into_values().collect();
    went.sort_by(|a, b| a.key().cmp(&b.key()));
    let same = |a: &Entry, b: &Entry| same_shape(a, b);
    moves(&mut went, &mut came, &mut pairs, same, false);
    moves(&mut went, &mut came, &mut pairs, alike, true);
    pairs.extend(went.into_iter().map(|before| (Some(before), None)));
    pairs.extend(came.into_iter().map(|after| (None, Some(after))));
    pairs
}

/// Adds to each type its key and its number among the types with that key.
fn numbered(types: &[Entry]) -> impl Iterator<Item = ((Key<'_>, usize), &Entry)> {
    let mut last: Option<(Key, usize)> = None;
    types.iter().map(move |entry| {
        let number = match last {
            Some((key, n)) if key == entry.key() => n + 1,
            _ => 0,
        };
        last = Some((entry.key(), number));
        ((entry.key(), number), entry)
    })
}

/// Pairs moved types with the same last segment; those with the most of their paths in common
/// first. With `alone`, only if the name is unambiguous.
fn moves<'s>(
    went: &mut Vec<&'s Entry>,
    came: &mut Vec<&'s Entry>,
    pairs: &mut Vec<Sides<'s>>,
    same: impl Fn(&Entry, &Entry) -> bool,
    alone: bool,
) {
    let mut names: FxHashMap<&str, usize> = FxHashMap::default();
    for entry in went.iter() {
        *names.entry(entry.name()).or_default() += 1;
    }
    went.retain(|before| {
        let named = |e: &Entry| e.name() == before.name() && e.kind == before.kind;
        let choices = || came.iter().enumerate().filter(|(_, e)| named(e));
        if alone && (names[before.name()] > 1 || choices().count() > 1) {
            return true;
        }
        let best = choices()
            .filter(|(_, after)| same(before, after))
            .max_by_key(|(at, after)| (common(before, after), Reverse(*at)))
            .map(|(at, _)| at);
        match best {
            Some(at) => {
                pairs.push((Some(before), Some(came.remove(at))));
                false
            }
            None => true,
        }
    });
}

/// Returns how much of their paths two types share.
fn common(a: &Entry, b: &Entry) -> usize {
    let ends = a
        .path
        .rsplit("::")
        .zip(b.path.rsplit("::"))
        .take_while(|(a, b)| a == b);
    let starts = a
        .path
        .split("::")
        .zip(b.path.split("::"))
        .take_while(|(a, b)| a == b);
    let krate = usize::from(a.package == b.package) + usize::from(a.target == b.target);
    krate + ends.count() + starts.count()
}

fn same_shape(a: &Entry, b: &Entry) -> bool {
    let fields = |a: &[Field], b: &[Field]| {
        let same = |a: &Field, b: &Field| a.name == b.name && a.ty == b.ty && a.size == b.size;
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
    };
    let head = |e: &Entry| (e.size, e.align, e.min_size, e.variants.len());
    let variants = || a.variants.iter().zip(&b.variants);
    head(a) == head(b)
        && a.generics == b.generics
        && fields(&a.fields, &b.fields)
        && variants().all(|(a, b)| a.name == b.name && fields(&a.fields, &b.fields))
}

/// Returns true if half of the parts of the larger type are parts of the other too.
fn alike(a: &Entry, b: &Entry) -> bool {
    fn parts(entry: &Entry) -> FxHashSet<&str> {
        let of_field = |f: &'_ Field| f.name == "0";
        let is_tuple = entry.fields.first().is_some_and(of_field);
        let fields = entry.fields.iter().map(|f| match is_tuple {
            true => f.ty.as_str(),
            false => f.name.as_str(),
        });
        let variants = entry.variants.iter().map(|v| v.name.as_str());
        fields.chain(variants).collect()
    }
    let (a, b) = (parts(a), parts(b));
    let shared = a.intersection(&b).count();
    shared > 0 && 2 * shared >= a.len().max(b.len())
}

/// Returns for each change its root cause, if it has one.
fn roots(changes: &[Change]) -> Vec<Option<usize>> {
    let mut places: FxHashMap<Key, usize> = FxHashMap::default();
    for (i, change) in changes.iter().enumerate() {
        if matches!(change.fate, Fate::Grew | Fate::Shrank) {
            places.entry(change.entry.key()).or_insert(i);
        }
    }
    let parents: Vec<_> = changes
        .iter()
        .map(|c| parent(c, changes, &places))
        .collect();
    let top = |start: usize| {
        let mut at = parents[start]?;
        // A value never holds itself, but a corrupt file may say so: limit the chain to the list's
        // length.
        for _ in 0..changes.len() {
            match parents[at] {
                Some(above) => at = above,
                None => return Some(at),
            }
        }
        None
    };
    (0..changes.len()).map(top).collect()
}

/// Returns the change of an inner type that explains this one: each cause is a field that holds a
/// type with the same kind of change.
fn parent(change: &Change, changes: &[Change], places: &FxHashMap<Key, usize>) -> Option<usize> {
    let inside = |cause: &Cause| {
        let (before, after) = (cause.before?, cause.after?);
        if before.ty != after.ty {
            return None;
        }
        let entry = change.entry;
        let held = after.holds.iter().filter_map(|text| {
            let at = *places.get(&entry.held(text))?;
            (changes[at].fate == change.fate).then_some(at)
        });
        // The list is sorted: the first is the largest.
        held.min()
    };
    let found: Option<Vec<usize>> = change.causes.iter().map(inside).collect();
    found?.first().copied()
}

/// Returns the types that hold each type directly.
fn holders(types: &[Entry]) -> FxHashMap<Key<'_>, Vec<&Entry>> {
    let mut map: FxHashMap<Key, Vec<&Entry>> = FxHashMap::default();
    for entry in types {
        let fields = entry.all_fields();
        let mut held: Vec<Key> = fields
            .flat_map(|f| &f.holds)
            .map(|h| entry.held(h))
            .collect();
        held.sort_unstable();
        held.dedup();
        for key in held {
            map.entry(key).or_default().push(entry);
        }
    }
    map
}

#[cfg(test)]
mod tests;
