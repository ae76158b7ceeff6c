//! What has changed between two censuses: as text, JSON or Markdown, and whether it is too much.

mod rows;

use crate::census::count::{Census, TypeCount};
use crate::finding::amount::{bytes, number, percent};
use crate::report::counted;
use crate::visible::{code, code_cell};
use rows::{Kind, Row};
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
            let read = match &self.ty {
                Some(_) => changes.read_words(new - old),
                None => String::new(),
            };
            format!(
                "{what} grew{words}: {} to {}{read} (`--fail-on`)",
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
    rows: Vec<Row>,
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
        let rows = rows::rows(old, new);
        Changes {
            old,
            new,
            types,
            rows,
        }
    }

    /// Bytes that were not read before and are now, or the other way round if they are negative: by so
    /// much a type may seem to have grown.
    fn read_more(&self) -> i64 {
        let unread = |census: &Census| {
            let summary = &census.summary;
            let own = summary.live_bytes.saturating_sub(summary.foreign_bytes);
            own.saturating_sub(summary.read_bytes()) as i64
        };
        unread(self.old) - unread(self.new)
    }

    /// How much of a growth may be none.
    fn read_words(&self, grown: u64) -> String {
        match u64::try_from(self.read_more()) {
            Ok(more) if more > 0 => {
                let most = bytes(more.min(grown));
                format!(", of which up to {most} may have been there and not read")
            }
            _ => String::new(),
        }
    }

    /// How much of a change may be none, as what was not read may have held it.
    fn doubt(&self, old: u64, new: u64, at_least: bool) -> String {
        let more = self.read_more();
        match (at_least, new > old) {
            (true, true) => self.read_words(new - old),
            (true, false) if more < 0 => {
                let most = bytes(more.unsigned_abs().min(old - new));
                format!(", of which up to {most} may be there and not read")
            }
            _ => String::new(),
        }
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
                "{:>12}  {}: {}{}",
                signed(change.old, change.new),
                change.what,
                change.words(),
                self.doubt(change.old, change.new, change.at_least)
            );
        }
        for kind in Kind::ALL {
            let rows = self.rows.iter().filter(|row| row.kind == kind);
            let lines: Vec<String> = rows.map(Row::line).collect();
            if !lines.is_empty() {
                let _ = writeln!(text, "\n{}\n{}", kind.heading(), lines.join("\n"));
            }
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
        for row in &self.rows {
            let (kind, count) = match row.kind {
                Kind::Field => ("field", "containers"),
                Kind::Texts => ("texts", "repeated"),
                Kind::Site => ("site", "blocks"),
            };
            // Their bytes are in those of types: who adds up changes is not to count them again.
            let mut line = serde_json::json!({
                "census": format!("change_{kind}"),
                "type": row.ty,
                kind: row.name,
                "bytes_before": row.old,
                "bytes_after": row.new,
            });
            line[format!("{count}_before")] = row.counts.0.into();
            line[format!("{count}_after")] = row.counts.1.into();
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
        let more = |text: &mut String, all: usize| match all.saturating_sub(MOST_ROWS) {
            0 => {}
            n => {
                let _ = writeln!(text, "\nand {n} more");
            }
        };
        more(&mut text, self.types.len());
        for kind in Kind::ALL {
            let rows: Vec<&Row> = self.rows.iter().filter(|row| row.kind == kind).collect();
            if rows.is_empty() {
                continue;
            }
            let heading = kind.heading();
            let _ = writeln!(
                text,
                "\n<details><summary>{heading}</summary>\n\n| | before | after | change | |\n|---|--:|--:|--:|---|"
            );
            for row in rows.iter().take(MOST_ROWS) {
                let _ = writeln!(
                    text,
                    "| {} | {} | {} | **{}** | {} |",
                    code_cell(&row.what()),
                    bytes(row.old),
                    bytes(row.new),
                    signed(row.old, row.new),
                    row.words
                );
            }
            more(&mut text, rows.len());
            let _ = writeln!(text, "\n</details>");
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
    use crate::census::count::{Census, FieldCount, MadeCount, TextCount, TypeCount};

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

    /// What was not read before may have held what seems to have grown.
    #[test]
    fn a_type_that_was_only_read_more_is_said_to_be() {
        let (mut old, mut new) = (census(&[("a::B", 10, 10)]), census(&[("a::B", 10, 100)]));
        for census in [&mut old, &mut new] {
            census.types[0].at_least = true;
            census.summary.live_bytes = 1000;
        }
        for (before, after, wanted) in [
            (100, 1000, Some("of which up to 900 B may have been there")),
            (100, 400, Some("of which up to 300 B may have been there")),
            (1000, 1000, None),
            (1000, 100, None),
        ] {
            (old.summary.walked_bytes, new.summary.walked_bytes) = (before, after);
            let changes = Changes::new(&old, &new);
            let gate = changes.exceeded(&[limit("a::B=5%").unwrap()]).join("");
            for text in [changes.text(), gate] {
                assert!(wanted.is_none_or(|w| text.contains(w)), "{text}");
                assert_eq!(text.contains("of which"), wanted.is_some(), "{text}");
            }
            // The other way round.
            let (less, wanted) = (Changes::new(&new, &old).text(), after > before);
            assert_eq!(less.contains("may be there and not read"), wanted, "{less}");
        }
    }

    #[test]
    fn fields_texts_and_sites_are_compared() {
        let of = |bytes: u64, repeated: u64, line: u64| {
            let mut census = census(&[]);
            census.fields.push(FieldCount {
                ty: "a::B".to_owned(),
                field: "name".to_owned(),
                kind: "String".to_owned(),
                containers: 10,
                bytes,
                slack_bytes: bytes / 2,
                texts: Some(TextCount {
                    repeated,
                    repeated_bytes: repeated * 32,
                    ..TextCount::default()
                }),
                ..FieldCount::default()
            });
            census.made.push(MadeCount {
                ty: "u8".to_owned(),
                frames: vec![format!("a::read at src/a.rs:{line}")],
                blocks: bytes / 10,
                bytes,
                made_blocks: bytes,
                ..MadeCount::default()
            });
            census
        };
        let (old, new) = (of(400, 7, 3), of(100, 2, 9));
        let changes = Changes::new(&old, &new);
        let text = changes.text();
        for wanted in [
            "-300 B  a::B::name: String, 10 to 10 of them, 200 B to 50 B spare",
            "-160 B  a::B::name: 7 to 2 texts are equal to an earlier one",
            "-300 B  u8, a::read at src/a.rs:9: 40 to 10 live blocks, 400 to 100 made\n",
        ] {
            assert!(text.contains(wanted), "{wanted}: {text}");
        }
        let json = changes.json();
        let keys = [
            "\"field\":\"name\"",
            "\"texts\":\"name\"",
            "\"site\":\"a::read",
        ];
        assert!(keys.iter().all(|key| json.contains(key)), "{json}");
        let markdown = changes.markdown(&[]);
        assert_eq!(markdown.matches("<details>").count(), 3, "{markdown}");
        assert_eq!(Changes::new(&old, &old).text().lines().count(), 1);
        // A list is cut: what is below it is not nothing.
        let mut without = new.clone();
        without.made.clear();
        let text = Changes::new(&old, &without).text();
        assert!(text.contains("; not among those listed now"), "{text}");
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
