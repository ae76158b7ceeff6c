//! Prints a census as text: the largest first, with bars.

mod narrow;

use crate::census::count::{Census, FieldCount, PartCount, TypeCount};
use crate::finding::amount::{bytes, count, number, percent};
use crate::report;
use crate::report::counted::{is_own, length, name, part, path};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Lines of a list, without `-v`.
const SHOWN: usize = 20;

/// Texts of a field are shown if they take at least this part of the heap: a thousandth.
const LEAST: u64 = 1000;

/// Width of a bar in characters.
const BAR: usize = 20;

/// Returns a bar for a share of a whole.
fn bar(part: u64, whole: u64) -> String {
    let filled = match whole {
        0 => 0,
        _ => (part as f64 / whole as f64 * BAR as f64).round() as usize,
    };
    let filled = filled.min(BAR);
    format!("{}{}", "█".repeat(filled), "░".repeat(BAR - filled))
}

/// Returns the whole census, at most `width` characters wide.
pub(super) fn census(census: &Census, all: bool, width: Option<usize>) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = write_census(&mut text, census, all);
    match width {
        Some(width) => narrow::lines(&text, width),
        None => text,
    }
}

fn write_census(text: &mut String, census: &Census, all: bool) -> std::fmt::Result {
    let shown = if all { usize::MAX } else { SHOWN };
    write_summary(text, census)?;
    write_parts(text, census, shown)?;
    writeln!(
        text,
        "\nValues by type, those within others included: these do not add up"
    )?;
    for ty in census.types.iter().filter(|t| is_own(&t.ty)).take(shown) {
        write_type(text, ty)?;
    }
    let owned = |f: &&FieldCount| f.containers > 0;
    writeln!(text, "\nFields that own blocks: █ used, ░ spare")?;
    for field in census.fields.iter().filter(owned).take(shown) {
        write_field(text, field)?;
    }
    write_all_texts(text, census, all)?;
    write_options(text, census, shown)
}

/// What the heap consists of, to the byte.
fn write_parts(text: &mut String, census: &Census, shown: usize) -> std::fmt::Result {
    // Older files have none.
    if census.parts.is_empty() {
        return Ok(());
    }
    let all = |list: &[PartCount]| {
        let sum = |a: (u64, u64), p: &PartCount| (a.0 + p.blocks, a.1 + p.bytes);
        list.iter().fold((0, 0), sum)
    };
    let (_, whole) = all(&census.parts);
    writeln!(
        text,
        "\nAll of the heap: these parts add up to {} bytes",
        number(whole)
    )?;
    let mut line = |what: &str, (blocks, n): (u64, u64)| {
        let blocks = match blocks {
            0 => String::new(),
            n => format!(": {}", count(n, "block")),
        };
        let (bar, share) = (bar(n, whole), percent(n, whole));
        writeln!(text, "{bar} {:>10} {share:>7}  {what}{blocks}", bytes(n))
    };
    let (first, rest) = census.parts.split_at(shown.min(census.parts.len()));
    for one in first {
        line(&part(one), (one.blocks, one.bytes))?;
    }
    match rest.len() {
        0 => Ok(()),
        n => line(&format!("{n} more parts (`-v`)"), all(rest)),
    }
}

fn write_summary(text: &mut String, census: &Census) -> std::fmt::Result {
    let summary = &census.summary;
    let live = summary.live_bytes;
    writeln!(
        text,
        "{} at `{}`: {} live in {} blocks ({} bytes; peak {})",
        census.head.program,
        census.head.label,
        bytes(live),
        number(summary.blocks),
        number(live),
        bytes(summary.peak_bytes)
    )?;
    if summary.is_partial() {
        writeln!(
            text,
            "{} of it typed, {} read: counts are lower bounds; `--profile dev`, or one value alone \
             (`weigh_heap::census_of`), types more",
            percent(summary.typed_bytes, live),
            percent(summary.read_bytes(), live)
        )?;
    }
    let rest = live - summary.typed_bytes.min(live);
    let foreign = summary.foreign_bytes;
    let malloc = match census.head.triple.ends_with("-linux-gnu") {
        true => "added by malloc: block headers and rounding",
        false => "that glibc's malloc would add; this system's may add more or less",
    };
    let parts = [
        ("requested by Rust", live - foreign.min(live)),
        ("requested by other code, such as C", foreign),
        (malloc, summary.malloc_bytes),
    ];
    for (what, n) in parts {
        writeln!(text, "{:>10}  {what} ({} bytes)", bytes(n), number(n))?;
    }
    writeln!(
        text,
        "typed {}, values read {}; untyped {}, of these {} not allocated by Rust, {} with a guessed \
         type and {} contradictory; text and plain bytes {}",
        percent(summary.typed_bytes, live),
        percent(summary.read_bytes(), live),
        bytes(rest),
        bytes(foreign),
        bytes(summary.guessed_bytes),
        bytes(summary.contradicting_bytes),
        bytes(summary.raw_bytes)
    )?;
    if summary.torn > 0 {
        writeln!(
            text,
            "{} {} skipped: being modified at that moment, or inconsistent",
            number(summary.torn),
            report::count(summary.torn as usize, "container")
                .trim_start_matches(|c: char| c.is_ascii_digit() || c == ' ')
        )?;
    }
    writeln!(text, "types are exact for rustc {}", census.head.rustc)?;
    Ok(())
}

fn write_all_texts(text: &mut String, census: &Census, all: bool) -> std::fmt::Result {
    let mut texts: Vec<&FieldCount> = census.fields.iter().filter(|f| f.texts.is_some()).collect();
    texts.sort_by_key(|f| std::cmp::Reverse(f.containers));
    if !texts.is_empty() {
        writeln!(text, "\nStrings")?;
    }
    let live = census.summary.live_bytes;
    let is_shown = |(at, field): &(usize, &FieldCount)| {
        all || *at == 0 || *at < SHOWN && field.bytes >= live / LEAST
    };
    let number_of_texts = texts.len();
    let shown: Vec<_> = texts.into_iter().enumerate().filter(is_shown).collect();
    for (_, field) in &shown {
        write_texts(text, field)?;
    }
    match number_of_texts - shown.len() {
        0 => Ok(()),
        more => writeln!(text, "and {more} more: `-v` shows all"),
    }
}

fn write_options(text: &mut String, census: &Census, shown: usize) -> std::fmt::Result {
    let mut options: Vec<&FieldCount> = census.fields.iter().filter(|f| f.none.is_some()).collect();
    options.sort_by_key(|f| std::cmp::Reverse(f.none.map_or(0, |n| n.1)));
    if !options.is_empty() {
        writeln!(text, "\n`Option` fields: █ `None`")?;
    }
    for field in options.into_iter().take(shown) {
        let (none, values) = field.none.unwrap_or_default();
        writeln!(
            text,
            "{} {:>7} of {:>12}  {}",
            bar(none, values),
            percent(none, values),
            number(values),
            path(field)
        )?;
    }
    Ok(())
}

fn write_type(text: &mut String, ty: &TypeCount) -> std::fmt::Result {
    write!(
        text,
        "{} {:>10}  {} ({} bytes): {}{}, {} slots",
        bar(ty.values * ty.size, ty.bytes),
        bytes(ty.bytes),
        name(&ty.ty),
        ty.size,
        if ty.at_least { "at least " } else { "" },
        count(ty.values, "value"),
        number(ty.slots)
    )?;
    if ty.unread > 0 {
        write!(text, ", {} of them not read", number(ty.unread))?;
    }
    writeln!(text)?;
    let mut variants: Vec<_> = ty.variants.iter().collect();
    variants.sort_by_key(|(name, n)| (std::cmp::Reverse(**n), *name));
    for (name, n) in variants.iter().take(6) {
        writeln!(
            text,
            "{:BAR$} {:>10} {:>7}    {name}",
            "",
            number(**n),
            percent(**n, ty.values)
        )?;
    }
    if let Some((name, unused)) = &ty.widest {
        writeln!(
            text,
            "{:BAR$} {:>10} {:>7}    unused in other variants, `{name}` being the widest",
            "",
            bytes(*unused),
            percent(*unused, ty.bytes)
        )?;
    }
    Ok(())
}

fn write_field(text: &mut String, field: &FieldCount) -> std::fmt::Result {
    let filled = field.bytes.saturating_sub(field.slack_bytes);
    write!(
        text,
        "{} {:>10}  {} ({}): {}",
        bar(filled, field.bytes),
        bytes(field.bytes),
        path(field),
        field.kind,
        number(field.containers)
    )?;
    if field.kind != "Box" && field.kind != "Rc" {
        write!(
            text,
            ", {} of {} used, {} spare; {} empty, {} with one",
            number(field.len),
            number(field.capacity),
            bytes(field.slack_bytes),
            percent(field.empty, field.containers),
            percent(field.one, field.containers)
        )?;
    }
    if field.kind == "HashTable" {
        let load = percent(field.len, field.capacity);
        write!(text, ", {load} of the maximum load")?;
    }
    if let Some((single, blocks)) = field.single_owner {
        write!(
            text,
            ", {} of the blocks have a single owner",
            percent(single, blocks)
        )?;
    }
    writeln!(text)
}

fn write_texts(text: &mut String, field: &FieldCount) -> std::fmt::Result {
    let Some(texts) = &field.texts else {
        return Ok(());
    };
    let total: u64 = texts.lengths.iter().sum();
    writeln!(
        text,
        "{}: {} texts, median {} bytes, longest {}; {} duplicates: interning saves {}",
        path(field),
        number(total),
        texts.median,
        number(texts.max),
        percent(texts.repeated, total),
        bytes(texts.repeated_bytes)
    )?;
    for (at, n) in texts.lengths.iter().enumerate().filter(|(_, n)| **n > 0) {
        writeln!(
            text,
            "  {} {:>7}  {}",
            bar(*n, total),
            percent(*n, total),
            length(at)
        )?;
    }
    let inline = texts.inline.iter();
    let inline: Vec<_> = inline
        .map(|(ty, n)| format!("{} in `{ty}`", percent(*n, total)))
        .collect();
    writeln!(text, "  would fit inline: {}", inline.join(", "))
}

/// The change of a count.
struct Change<'c> {
    what: &'c str,
    old: u64,
    new: u64,
    values: (u64, u64),
}

fn compared<'c>(old: &'c Census, new: &'c Census) -> Vec<Change<'c>> {
    let mut all: BTreeMap<(&str, u64), Change<'c>> = BTreeMap::new();
    for (is_new, list) in [(false, &old.types), (true, &new.types)] {
        for ty in list {
            let change = all.entry((&ty.ty, ty.size)).or_insert(Change {
                what: &ty.ty,
                old: 0,
                new: 0,
                values: (0, 0),
            });
            match is_new {
                false => (change.old, change.values.0) = (ty.bytes, ty.values),
                true => (change.new, change.values.1) = (ty.bytes, ty.values),
            }
        }
    }
    let mut changes: Vec<Change<'c>> = all
        .into_values()
        .filter(|c| (c.old, c.values.0) != (c.new, c.values.1))
        .collect();
    changes.sort_by_key(|c| (std::cmp::Reverse(c.new.abs_diff(c.old)), c.what));
    changes
}

fn signed(old: u64, new: u64) -> String {
    let sign = if new < old { "-" } else { "+" };
    format!("{sign}{}", bytes(new.abs_diff(old)))
}

/// Returns the changes as text.
pub(super) fn changes(old: &Census, new: &Census) -> String {
    let mut text = String::new();
    let (before, after) = (&old.summary, &new.summary);
    let _ = writeln!(
        text,
        "live {} to {} ({}), blocks {} to {}",
        bytes(before.live_bytes),
        bytes(after.live_bytes),
        signed(before.live_bytes, after.live_bytes),
        number(before.blocks),
        number(after.blocks)
    );
    for change in compared(old, new) {
        let _ = writeln!(
            text,
            "{:>12}  {}: {} to {} values",
            signed(change.old, change.new),
            change.what,
            number(change.values.0),
            number(change.values.1)
        );
    }
    text
}

/// Returns the changes as JSON, one object a line.
pub(super) fn changes_json(old: &Census, new: &Census) -> String {
    let mut text = String::new();
    for change in compared(old, new) {
        let line = serde_json::json!({
            "census": "change",
            "type": change.what,
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
        "bytes_before": old.summary.live_bytes,
        "bytes_after": new.summary.live_bytes,
        "blocks_before": old.summary.blocks,
        "blocks_after": new.summary.blocks,
    });
    let _ = writeln!(text, "{line}");
    text
}
