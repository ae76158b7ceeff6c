//! A comparison as text and as a table.

use super::cause::Cause;
use super::compare::{Change, Comparison, Fate};
use super::{Entry, Key, Snapshot};
use crate::report::count;
use crate::visible;
use rustc_hash::FxHashSet;
use std::fmt::Write;

/// Maximum number of causes, holders and followers that are named; the rest is counted.
const MOST_NAMED: usize = 6;

/// The two snapshots of a comparison.
pub struct Ends<'s> {
    /// The user's name for the base.
    pub name: &'s str,
    /// Its commit, if it is one.
    pub commit: Option<&'s str>,
    /// The old snapshot.
    pub base: &'s Snapshot,
    /// The new snapshot.
    pub now: &'s Snapshot,
    /// How exact the sizes are, as a sentence without a full stop.
    pub exactness: String,
}

/// Returns the word for a fate.
pub fn word(fate: Fate) -> &'static str {
    match fate {
        Fate::Grew => "grew",
        Fate::Shrank => "shrank",
        Fate::Came => "added",
        Fate::Went => "removed",
        Fate::Moved => "moved",
        Fate::Unknown => "unknown",
    }
}

const FATES: [Fate; 6] = [
    Fate::Grew,
    Fate::Shrank,
    Fate::Came,
    Fate::Went,
    Fate::Moved,
    Fate::Unknown,
];

/// Totals of a comparison.
pub struct Totals {
    /// What is counted.
    pub noun: &'static str,
    /// Number of types by fate, each counted once however many targets share it.
    pub counts: Vec<(Fate, usize)>,
    /// Bytes by which types grew.
    pub grown: u64,
    /// Bytes by which types shrank.
    pub shrunk: u64,
}

impl Totals {
    /// Computes the totals.
    pub fn of(comparison: &Comparison) -> Totals {
        let counts = FATES.map(|fate| (fate, comparison.of(fate).count()));
        let bytes = |fate| comparison.of(fate).map(|(_, c)| c.difference()).sum();
        Totals {
            noun: comparison.noun,
            counts: counts.to_vec(),
            grown: bytes(Fate::Grew),
            shrunk: bytes(Fate::Shrank),
        }
    }

    /// Formats them in one line.
    pub fn line(&self, same: usize) -> String {
        let mut parts = Vec::new();
        for (fate, n) in self.counts.iter().filter(|(_, n)| *n > 0) {
            let bytes = match fate {
                Fate::Grew => format!(" (+{})", count_bytes(self.grown)),
                Fate::Shrank => format!(" (-{})", count_bytes(self.shrunk)),
                _ => String::new(),
            };
            let what = match fate {
                Fate::Unknown => "not comparable",
                fate => word(*fate),
            };
            parts.push(format!("{n} {what}{bytes}"));
        }
        match parts.is_empty() {
            true => format!("no size changed; {}", count(same, self.noun)),
            false => format!("{}; {same} unchanged", parts.join(", ")),
        }
    }
}

fn count_bytes(n: u64) -> String {
    match n {
        1 => "1 byte".to_owned(),
        n => format!("{n} bytes"),
    }
}

/// Formats names and sizes of one comparison.
pub(super) struct Words<'c, 's> {
    comparison: &'c Comparison<'s>,
    /// True if the types are in several crates: each is named with its crate.
    several: bool,
    /// Types that changed with another.
    followers: FxHashSet<Key<'s>>,
}

impl<'c, 's> Words<'c, 's> {
    pub(super) fn new(comparison: &'c Comparison<'s>) -> Words<'c, 's> {
        let krate = |c: &Change<'s>| (&c.entry.package, &c.entry.target, &c.entry.krate);
        let first = comparison.changes.first().map(krate);
        let several = comparison.changes.iter().any(|c| Some(krate(c)) != first);
        let with_root = comparison.changes.iter().filter(|c| c.root.is_some());
        Words {
            comparison,
            several,
            followers: with_root.map(|c| c.entry.key()).collect(),
        }
    }

    pub(super) fn name(&self, entry: &Entry) -> String {
        let params = match &entry.generics[..] {
            [] => String::new(),
            list => format!("<{}>", list.join(", ")),
        };
        let name = match self.several {
            true => format!("{}: {}{params}", entry.target, entry.path),
            false => format!("{}{params}", entry.path),
        };
        // A snapshot file may come from others.
        visible::line(&name).into_owned()
    }

    /// Returns the name of a changed type, with its targets if those are not all.
    pub(super) fn changed(&self, at: usize) -> String {
        let name = self.name(self.comparison.changes[at].entry);
        match self.comparison.only_on(at).as_slice() {
            [] => name,
            on => format!("{name} (on {})", visible::line(&on.join(", "))),
        }
    }

    /// Describes why it changed, one line each.
    pub(super) fn causes(&self, change: &Change<'s>) -> Vec<String> {
        let (Some(before), Some(after)) = (change.before, change.after) else {
            return Vec::new();
        };
        let mut lines = Vec::new();
        if let Some(from) = change.moved_from() {
            lines.push(format!("was `{}`", self.name(from)));
        }
        if before.kind != after.kind {
            let kind = visible::line(&before.kind);
            lines.push(format!("was a {kind}"));
        } else if change.causes.is_empty() {
            lines.push(match (before.align, after.align) {
                (Some(b), Some(a)) if a != b => format!("alignment {b} → {a}"),
                _ => "none of its parts did: padding, niches or `repr`".to_owned(),
            });
        }
        lines.extend(shortened(change.causes.iter().map(cause)));
        lines
    }

    /// Lists the sizes and names of the types that changed with it.
    pub(super) fn followers(&self, root: usize) -> Vec<String> {
        let list = self.comparison.followers(root).map(|c| {
            let (before, after) = (number(c.before), number(c.after));
            format!("`{}` {before} → {after}", self.name(c.entry))
        });
        shortened(list)
    }

    /// Lists the types that hold it and did not change with it.
    pub(super) fn other_holders(&self, root: usize) -> Vec<String> {
        let change = &self.comparison.changes[root];
        let same = |holder: &&&Entry| !self.followers.contains(&holder.key());
        let holders = change.holders.iter().filter(same);
        let mut names: Vec<String> = holders.map(|h| format!("`{}`", self.name(h))).collect();
        names.dedup();
        shortened(names.into_iter())
    }

    pub(super) fn moved(&self, change: &Change<'s>) -> String {
        let (Some(from), to) = (change.before, change.entry) else {
            return String::new();
        };
        let kinds = match (self.name(from) == self.name(to), &from.krate, &to.krate) {
            (true, from, to) if from != to => format!(" ({from} to {to})"),
            _ => String::new(),
        };
        format!("`{}` to `{}`{kinds}", self.name(from), self.name(to))
    }

    pub(super) fn unknown(&self, change: &Change<'s>) -> String {
        let reason = |e: Option<&Entry>| e.and_then(|e| e.reason.clone());
        let why = match (reason(change.before), reason(change.after)) {
            (_, Some(now)) => now,
            (Some(before), None) => format!("before: {before}"),
            (None, None) => String::new(),
        };
        format!(
            "`{}` {} → {} ({})",
            self.name(change.entry),
            number(change.before),
            number(change.after),
            visible::line(&why)
        )
    }
}

/// Formats a size; a lower bound with `+`.
pub(super) fn number(entry: Option<&Entry>) -> String {
    match entry {
        Some(entry) => match entry.size {
            Some(size) => size.to_string(),
            None => format!("{}+", entry.least()),
        },
        None => String::new(),
    }
}

fn cause(of: &Cause) -> String {
    visible::line(&cause_in_words(of)).into_owned()
}

fn cause_in_words(cause: &Cause) -> String {
    let inside = match (cause.variant, cause.field) {
        (Some(variant), Some(_)) => format!(" of `{variant}`"),
        _ => String::new(),
    };
    let typed = |ty: Option<&str>| ty.map_or(String::new(), |ty| format!(": {ty}"));
    let (what, name) = match (cause.field, cause.variant) {
        (Some(field), _) => ("field", field),
        (None, variant) => ("variant", variant.unwrap_or_default()),
    };
    match (cause.before, cause.after) {
        (None, Some(new)) => {
            let ty = typed(new.ty);
            format!("new {what} `{name}{ty}`{inside}, {}", count_bytes(new.size))
        }
        (Some(old), None) => {
            let ty = typed(old.ty);
            format!(
                "{what} `{name}{ty}`{inside} removed, {}",
                count_bytes(old.size)
            )
        }
        (Some(old), Some(new)) => {
            let now = match new.ty {
                Some(ty) if old.ty != new.ty => format!(" is now `{ty}`,"),
                _ => String::new(),
            };
            let ty = typed(old.ty);
            format!(
                "{what} `{name}{ty}`{inside}{now} {} → {}",
                old.size, new.size
            )
        }
        (None, None) => String::new(),
    }
}

fn shortened(list: impl Iterator<Item = String>) -> Vec<String> {
    let mut list: Vec<String> = list.collect();
    if list.len() > MOST_NAMED + 1 {
        let rest = list.len() - MOST_NAMED;
        list.truncate(MOST_NAMED);
        list.push(format!("{rest} more"));
    }
    list
}

/// Formats a comparison for a terminal.
pub fn human(comparison: &Comparison) -> String {
    let words = Words::new(comparison);
    let mut text = String::new();
    // Writing to a string cannot fail.
    for fate in [Fate::Grew, Fate::Shrank] {
        let roots: Vec<_> = comparison
            .of(fate)
            .filter(|(_, c)| c.root.is_none())
            .collect();
        heading(&mut text, fate, roots.len());
        for (i, change) in roots {
            let sign = if fate == Fate::Grew { '+' } else { '-' };
            let by = format!("{sign}{}", change.difference());
            let (before, after) = (number(change.before), number(change.after));
            let name = words.changed(i);
            let _ = writeln!(text, "{before:>8} → {after:<6} {by:>7}  {name}");
            let mut line = |line: String| {
                let _ = writeln!(text, "{:27}{line}", "");
            };
            words.causes(change).into_iter().for_each(&mut line);
            for follower in words.followers(i) {
                line(format!("with it {follower}"));
            }
            let others = words.other_holders(i);
            if !others.is_empty() {
                line(format!("also held by {}", others.join(", ")));
            }
        }
    }
    for fate in [Fate::Came, Fate::Went] {
        heading(&mut text, fate, comparison.of(fate).count());
        for (i, change) in comparison.of(fate) {
            let size = number(Some(change.entry));
            let name = words.changed(i);
            let names = change.holders.iter();
            let names = shortened(names.map(|h| format!("`{}`", words.name(h))));
            let held = match names.is_empty() {
                true => String::new(),
                false => format!(", held by {}", names.join(", ")),
            };
            let _ = writeln!(text, "{size:>8}  {name}{held}");
        }
    }
    heading(&mut text, Fate::Moved, comparison.of(Fate::Moved).count());
    for (_, change) in comparison.of(Fate::Moved) {
        let size = number(Some(change.entry));
        let _ = writeln!(text, "{size:>8}  {}", words.moved(change));
    }
    let unknown = comparison.of(Fate::Unknown);
    heading(&mut text, Fate::Unknown, unknown.count());
    for (_, change) in comparison.of(Fate::Unknown) {
        let _ = writeln!(text, "  {}", words.unknown(change));
    }
    text
}

/// Returns the heading for types of one fate.
pub(super) fn title(fate: Fate) -> &'static str {
    match fate {
        Fate::Unknown => "not comparable, because a size is unknown",
        fate => word(fate),
    }
}

fn heading(text: &mut String, fate: Fate, n: usize) {
    if n > 0 {
        if !text.is_empty() {
            text.push('\n');
        }
        let _ = writeln!(text, "{}:", title(fate));
    }
}
