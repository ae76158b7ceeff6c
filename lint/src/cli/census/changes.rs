//! What has changed between two censuses: as text, JSON or Markdown, and whether it is too much.

use crate::census::count::{Census, TypeCount};
use crate::finding::amount::{bytes, number, percent};
use crate::report::counted;
use crate::visible::{code, code_cell};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// A limit of `--fail-on`.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::cli) struct Limit {
    /// A type; none: the live heap.
    ty: Option<String>,
    by: By,
}

/// How much may be added.
#[derive(Clone, Copy, Debug, PartialEq)]
enum By {
    Bytes(u64),
    /// Hundredths of what there was.
    Percent(u64),
}

/// Parses `growth`, `growth=5%`, `growth=BYTES`, `TYPE=5%` or `TYPE=BYTES`.
pub(in crate::cli) fn limit(text: &str) -> Result<Limit, String> {
    let (what, by) = match text.rsplit_once('=') {
        None => (text, By::Bytes(0)),
        Some((what, by)) => {
            let by = match by.strip_suffix('%') {
                Some(n) => n.trim().parse().map(By::Percent),
                None => by.parse().map(By::Bytes),
            };
            let by =
                by.map_err(|_| "expected a number of bytes, or of percent: `5%`".to_owned())?;
            (what, by)
        }
    };
    let ty = match what {
        "" => return Err("expected `growth` or a type before `=`".to_owned()),
        "growth" => None,
        ty => Some(ty.to_owned()),
    };
    Ok(Limit { ty, by })
}

impl Limit {
    /// The bytes that everything may grow by, where it says nothing else.
    pub(in crate::cli) fn growth(&self) -> Option<u64> {
        match self {
            Limit {
                ty: None,
                by: By::Bytes(n),
            } => Some(*n),
            _ => None,
        }
    }

    /// Returns why it is exceeded, if it is.
    fn exceeded(&self, changes: &Changes<'_>) -> Option<String> {
        let (what, old, new) = match &self.ty {
            None => {
                let (old, new) = (&changes.old.summary, &changes.new.summary);
                ("the live heap".to_owned(), old.live_bytes, new.live_bytes)
            }
            Some(ty) => {
                let of = |census: &Census| -> u64 {
                    let all = census.types.iter().filter(|t| t.ty == *ty);
                    all.map(|t| t.bytes).sum()
                };
                (code(ty), of(changes.old), of(changes.new))
            }
        };
        let (most, words) = match self.by {
            By::Bytes(0) => (old, String::new()),
            By::Bytes(n) => (old.saturating_add(n), format!(" by more than {}", bytes(n))),
            By::Percent(n) => {
                let more = u128::from(old) * u128::from(n) / 100;
                let more = u64::try_from(more).unwrap_or(u64::MAX);
                (old.saturating_add(more), format!(" by more than {n} %"))
            }
        };
        (new > most).then(|| {
            format!(
                "{what} grew{words}: {} to {} (`--fail-on`)",
                bytes(old),
                bytes(new)
            )
        })
    }
}

/// The change of a type.
struct Change<'c> {
    what: &'c str,
    /// Bytes of one value.
    size: (Option<u64>, Option<u64>),
    old: u64,
    new: u64,
    values: (u64, u64),
    at_least: bool,
}

/// All changes.
pub(super) struct Changes<'c> {
    old: &'c Census,
    new: &'c Census,
    types: Vec<Change<'c>>,
}

impl<'c> Changes<'c> {
    /// Compares types by name. Of several of one name, those of one size are the same.
    pub(super) fn new(old: &'c Census, new: &'c Census) -> Changes<'c> {
        let named = |census: &'c Census| {
            let mut by_name: BTreeMap<&str, Vec<&TypeCount>> = BTreeMap::new();
            for ty in &census.types {
                by_name.entry(&ty.ty).or_default().push(ty);
            }
            by_name
        };
        let (before, after) = (named(old), named(new));
        let names: BTreeSet<&str> = before.keys().chain(after.keys()).copied().collect();
        let mut types = Vec::new();
        for name in names {
            let none = Vec::new();
            let (a, b) = (
                before.get(name).unwrap_or(&none),
                after.get(name).unwrap_or(&none),
            );
            if let ([a], [b]) = (&a[..], &b[..]) {
                types.push(Change::of(name, Some(a), Some(b)));
                continue;
            }
            let sizes: BTreeSet<(u64, u64)> = a
                .iter()
                .chain(b)
                .map(|ty| (ty.size, ty.definition))
                .collect();
            for key in sizes {
                let one = |list: &[&'c TypeCount]| {
                    let mut all = list.iter().filter(|ty| (ty.size, ty.definition) == key);
                    all.next().copied()
                };
                types.push(Change::of(name, one(a), one(b)));
            }
        }
        types.retain(|c| (c.old, c.values.0) != (c.new, c.values.1) || c.size.0 != c.size.1);
        types.sort_by_key(|c| (std::cmp::Reverse(c.new.abs_diff(c.old)), c.what));
        Changes { old, new, types }
    }

    /// Returns why limits are exceeded.
    pub(super) fn exceeded(&self, limits: &[Limit]) -> Vec<String> {
        let all = limits.iter();
        all.filter_map(|limit| limit.exceeded(self)).collect()
    }

    /// The totals, in a line.
    fn totals(&self) -> String {
        let (before, after) = (&self.old.summary, &self.new.summary);
        format!(
            "live {} to {} ({}), blocks {} to {}",
            bytes(before.live_bytes),
            bytes(after.live_bytes),
            signed(before.live_bytes, after.live_bytes),
            number(before.blocks),
            number(after.blocks)
        )
    }

    /// What makes the numbers hard to compare, if anything does.
    fn coverage(&self) -> Option<String> {
        let read = |census: &Census| {
            let summary = &census.summary;
            (summary.read_bytes(), summary.live_bytes)
        };
        let (old, new) = (read(self.old), read(self.new));
        let is_partial = self.old.summary.is_partial() || self.new.summary.is_partial();
        is_partial.then(|| {
            format!(
                "read {} before and {} after: a type that grew or shrank may only have been read more \
                 or less",
                percent(old.0, old.1),
                percent(new.0, new.1)
            )
        })
    }

    /// Returns the changes as text.
    pub(super) fn text(&self) -> String {
        let mut text = format!("{}\n", self.totals());
        if let Some(line) = self.coverage() {
            let _ = writeln!(text, "{line}");
        }
        for change in &self.types {
            let _ = writeln!(
                text,
                "{:>12}  {}: {}",
                signed(change.old, change.new),
                change.what,
                change.words()
            );
        }
        text
    }

    /// Returns the changes as JSON, one object a line.
    pub(super) fn json(&self) -> String {
        let mut text = String::new();
        for change in &self.types {
            let line = serde_json::json!({
                "census": "change",
                "type": change.what,
                "size_before": change.size.0,
                "size_after": change.size.1,
                "bytes_before": change.old,
                "bytes_after": change.new,
                "values_before": change.values.0,
                "values_after": change.values.1,
            });
            let _ = writeln!(text, "{line}");
        }
        let line = serde_json::json!({
            "census": "change",
            "type": null,
            "bytes_before": self.old.summary.live_bytes,
            "bytes_after": self.new.summary.live_bytes,
            "blocks_before": self.old.summary.blocks,
            "blocks_after": self.new.summary.blocks,
        });
        let _ = writeln!(text, "{line}");
        text
    }

    /// Returns the changes as Markdown, for a comment on a forge.
    pub(super) fn markdown(&self, exceeded: &[String]) -> String {
        /// Rows of the table.
        const MOST_ROWS: usize = 25;
        let program = code(&self.new.head.program);
        let label = code(&self.new.head.label);
        let mut text = format!("### Heap of {program} at {label}\n\n{}\n", self.totals());
        for line in exceeded {
            let _ = writeln!(text, "\n**{line}**");
        }
        if let Some(line) = self.coverage() {
            let _ = writeln!(text, "\n{line}");
        }
        if !self.types.is_empty() {
            let _ = writeln!(
                text,
                "\n| type | before | after | change | values |\n|---|--:|--:|--:|---|"
            );
        }
        for change in self.types.iter().take(MOST_ROWS) {
            let _ = writeln!(
                text,
                "| {} | {} | {} | **{}** | {} |",
                code_cell(&counted::name(change.what)),
                bytes(change.old),
                bytes(change.new),
                signed(change.old, change.new),
                change.words()
            );
        }
        match self.types.len().saturating_sub(MOST_ROWS) {
            0 => {}
            n => {
                let _ = writeln!(text, "\nand {n} more");
            }
        }
        text
    }
}

impl<'c> Change<'c> {
    fn of(what: &'c str, old: Option<&TypeCount>, new: Option<&TypeCount>) -> Change<'c> {
        let bytes = |ty: Option<&TypeCount>| ty.map_or(0, |ty| ty.bytes);
        let values = |ty: Option<&TypeCount>| ty.map_or(0, |ty| ty.values);
        let size = |ty: Option<&TypeCount>| ty.map(|ty| ty.size);
        let at_least = |ty: Option<&TypeCount>| ty.is_some_and(|ty| ty.at_least);
        Change {
            what,
            size: (size(old), size(new)),
            old: bytes(old),
            new: bytes(new),
            values: (values(old), values(new)),
            at_least: at_least(old) || at_least(new),
        }
    }

    fn words(&self) -> String {
        let at_least = if self.at_least { "at least " } else { "" };
        let values = format!(
            "{at_least}{} to {} values",
            number(self.values.0),
            number(self.values.1)
        );
        match self.size {
            (Some(old), Some(new)) if old != new => format!("{values} of {old} to {new} bytes"),
            _ => values,
        }
    }
}

fn signed(old: u64, new: u64) -> String {
    let sign = if new < old { "-" } else { "+" };
    format!("{sign}{}", bytes(new.abs_diff(old)))
}

#[cfg(test)]
mod tests {
    use super::{Changes, limit};
    use crate::census::count::{Census, TypeCount};

    fn census(types: &[(&str, u64, u64)]) -> Census {
        let mut census = Census::default();
        for (name, size, values) in types {
            census.types.push(TypeCount {
                ty: (*name).to_owned(),
                size: *size,
                values: *values,
                bytes: size * values,
                ..TypeCount::default()
            });
            census.summary.live_bytes += size * values;
        }
        census
    }

    #[test]
    fn a_type_whose_size_changed_is_one_row() {
        let (old, new) = (
            census(&[("a::B", 96, 80_000)]),
            census(&[("a::B", 72, 80_000)]),
        );
        let text = Changes::new(&old, &new).text();
        let wanted = "a::B: 80,000 to 80,000 values of 96 to 72 bytes";
        assert_eq!(text.matches("a::B").count(), 1, "{text}");
        assert!(text.contains(wanted), "{text}");
        // Two definitions of one name are told apart by their sizes.
        let twice = census(&[("a::B", 96, 3), ("a::B", 72, 5)]);
        let text = Changes::new(&old, &twice).text();
        assert!(
            text.contains("80,000 to 3 values") && text.contains("0 to 5 values"),
            "{text}"
        );
    }

    #[test]
    fn limits_are_of_the_heap_or_of_a_type() {
        let (old, new) = (census(&[("a::B", 10, 100)]), census(&[("a::B", 10, 106)]));
        let changes = Changes::new(&old, &new);
        let is_exceeded = |text: &str| changes.exceeded(&[limit(text).unwrap()]).len() == 1;
        for text in ["growth", "growth=5%", "growth=59", "a::B=5%", "a::B=0"] {
            assert!(is_exceeded(text), "{text}");
        }
        for text in ["growth=6%", "growth=60", "a::B=60", "a::C=0", "a::B=10%"] {
            assert!(!is_exceeded(text), "{text}");
        }
        // What was not there before grew from nothing.
        let none = census(&[]);
        let grown = Changes::new(&none, &new).exceeded(&[limit("a::B=5%").unwrap()]);
        assert_eq!(grown.len(), 1);
        for text in ["growth=x", "=5", "a::B=", "growth=-1"] {
            assert!(limit(text).is_err(), "{text}");
        }
    }
}
