//! Prints a census as text: the largest first, with bars.

use super::{asked, growth, narrow};
use crate::census::count::{Census, FieldCount, PartCount, TypeCount};
use crate::finding::amount::{bytes, count, number, percent};
use crate::report;
use crate::report::counted::{self, is_own, length, name, part, path};
use std::fmt::Write;

/// Lines of a list, without `-v`.
const SHOWN: usize = 20;

/// What takes less than this part of the heap is only counted: a thousandth.
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

/// How much is shown.
#[derive(Clone, Copy)]
struct Shown {
    /// Lines of a list.
    lines: usize,
    /// Bytes of a line.
    bytes: u64,
    /// Width in characters, to which names are shortened.
    width: Option<usize>,
}

impl Shown {
    /// How many of a list that is sorted by bytes are shown: none of nothing.
    fn of<T>(self, list: &[T], bytes: impl Fn(&T) -> u64) -> usize {
        let all = list.iter().take(self.lines);
        all.take_while(|one| bytes(one) >= self.bytes.max(1))
            .count()
    }

    /// A name behind columns that take so many characters. Of one that is too long its end says the
    /// most.
    fn name(self, name: String, columns: usize) -> String {
        let room = self
            .width
            .map(|width| width.saturating_sub(columns).max(LEAST_NAME));
        let length = name.chars().count();
        match room {
            Some(room) if length > room => {
                let end: String = name.chars().skip(length - room + 1).collect();
                format!("…{end}")
            }
            _ => name,
        }
    }

    /// Says how many lines of a list are left out.
    fn rest(self, text: &mut String, list: usize, shown: usize) -> std::fmt::Result {
        match list - shown {
            0 => Ok(()),
            n => writeln!(
                text,
                "and {n} more, each of less than what is above: `-v` shows all"
            ),
        }
    }
}

/// The least characters of a name.
const LEAST_NAME: usize = 20;

/// Returns the whole census, at most `width` characters wide.
pub(super) fn census(census: &Census, all: bool, width: Option<usize>) -> String {
    let mut text = String::new();
    let shown = match all {
        true => Shown {
            lines: usize::MAX,
            bytes: 0,
            width,
        },
        false => Shown {
            lines: SHOWN,
            bytes: census.summary.live_bytes / LEAST,
            width,
        },
    };
    // Writing to a string cannot fail.
    let _ = write_census(&mut text, census, shown);
    match width {
        Some(width) => narrow::lines(&text, width),
        None => text,
    }
}

fn write_census(text: &mut String, census: &Census, shown: Shown) -> std::fmt::Result {
    let lines = shown.lines;
    write_summary(text, census)?;
    growth::write(text, census, lines)?;
    write_parts(text, census, shown)?;
    write_types(text, census, shown)?;
    write_fields(text, census, shown)?;
    write_kept(text, census, lines)?;
    write_all_texts(text, census, lines == usize::MAX)?;
    write_options(text, census, lines)?;
    write_sizes(text, census)?;
    write_made(text, census, lines)
}

/// Values by type, in columns.
fn write_types(text: &mut String, census: &Census, shown: Shown) -> std::fmt::Result {
    let whole = census.summary.live_bytes;
    writeln!(
        text,
        "\nValues by type, those within others included: these do not add up (≥: at least)\n\
         {:>10} {:>7} {:>11} {:>10}  type (bytes of one)",
        "bytes", "%", "values", "spare"
    )?;
    let types: Vec<&TypeCount> = census.types.iter().filter(|t| is_own(&t.ty)).collect();
    let lines = shown.of(&types, |ty| ty.bytes);
    for ty in &types[..lines] {
        write_type(text, ty, whole, shown)?;
    }
    shown.rest(text, types.len(), lines)
}

/// Fields that own blocks, in columns.
fn write_fields(text: &mut String, census: &Census, shown: Shown) -> std::fmt::Result {
    let whole = census.summary.live_bytes;
    writeln!(
        text,
        "\nFields that own blocks\n{:>10} {:>7} {:>11} {:>10}  field (container)",
        "bytes", "%", "containers", "spare"
    )?;
    let owned = |f: &&FieldCount| f.containers > 0;
    let fields: Vec<&FieldCount> = census.fields.iter().filter(owned).collect();
    let lines = shown.of(&fields, |field| field.bytes);
    for field in &fields[..lines] {
        write_field(text, field, whole, shown)?;
    }
    shown.rest(text, fields.len(), lines)
}

/// What the heap consists of, to the byte.
fn write_parts(text: &mut String, census: &Census, shown: Shown) -> std::fmt::Result {
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
        let line = format!("{bar} {:>10} {share:>7}  ", bytes(n));
        let columns = line.chars().count() + blocks.chars().count();
        writeln!(
            text,
            "{line}{}{blocks}",
            shown.name(what.to_owned(), columns)
        )
    };
    let lines = shown.of(&census.parts, |part| part.bytes);
    let (first, rest) = census.parts.split_at(lines);
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
    write_memory(text, census)?;
    writeln!(text, "types are exact for rustc {}", census.head.rustc)?;
    Ok(())
}

/// What leads to the most of the heap, and what nothing leads to.
fn write_kept(text: &mut String, census: &Census, shown: usize) -> std::fmt::Result {
    let live = census.summary.live_bytes;
    if !census.paths.is_empty() {
        writeln!(
            text,
            "\nWhat would go without each: what it has, and what only that keeps"
        )?;
    }
    for one in census.paths.iter().take(shown) {
        let (bar, share) = (bar(one.kept_bytes, live), percent(one.kept_bytes, live));
        let (kept, path) = (bytes(one.kept_bytes), asked::path(&one.path));
        writeln!(text, "{bar} {kept:>10} {share:>7}  {path}")?;
    }
    if !census.leaks.is_empty() {
        writeln!(
            text,
            "\nLeaks: cycles of shared values that nothing else leads to"
        )?;
    }
    for leak in census.leaks.iter().take(shown) {
        let owners: Vec<String> = leak.owners.iter().map(|o| counted::owner(o)).collect();
        writeln!(
            text,
            "{:>10}  {} of {}, through {}: {}",
            bytes(leak.bytes),
            count(leak.cycles, "cycle"),
            counted::name(&leak.ty),
            owners.join(", "),
            count(leak.blocks, "block")
        )?;
    }
    Ok(())
}

/// What the process takes, and blocks by size.
fn write_memory(text: &mut String, census: &Census) -> std::fmt::Result {
    let summary = &census.summary;
    if let Some(memory) = &summary.memory {
        let own = memory.resident_bytes.saturating_sub(memory.recorder_bytes);
        write!(
            text,
            "of {} resident memory, {} are live, {} is code and other files",
            bytes(own),
            bytes(summary.live_bytes + summary.malloc_bytes),
            bytes(memory.file_bytes)
        )?;
        if memory.malloc_bytes > 0 {
            write!(
                text,
                ", up to {} malloc holds free",
                bytes(memory.free_bytes)
            )?;
        }
        writeln!(
            text,
            " ({} of the recorder left out)",
            bytes(memory.recorder_bytes)
        )?;
    }
    let tiny: Vec<_> = summary
        .sizes
        .iter()
        .filter(|s| (1..=16).contains(&s.up_to))
        .collect();
    let blocks: u64 = tiny.iter().map(|s| s.blocks).sum();
    let taken: u64 = tiny.iter().map(|s| s.malloc_bytes).sum();
    match blocks {
        0 => Ok(()),
        n => writeln!(
            text,
            "{} of up to 16 bytes, for which malloc takes {}",
            count(n, "block"),
            bytes(taken)
        ),
    }
}

/// Blocks by size.
fn write_sizes(text: &mut String, census: &Census) -> std::fmt::Result {
    let whole = census.summary.blocks;
    if !census.summary.sizes.is_empty() {
        writeln!(text, "\nBlocks by size: number, what malloc takes for them")?;
    }
    for size in &census.summary.sizes {
        let range = match size.up_to {
            0 => "larger".to_owned(),
            n => format!("up to {}", number(n)),
        };
        writeln!(
            text,
            "{} {:>10} {:>10}  {range}",
            bar(size.blocks, whole),
            number(size.blocks),
            bytes(size.malloc_bytes)
        )?;
    }
    Ok(())
}

/// Sites that made many blocks, most of which are gone.
fn write_made(text: &mut String, census: &Census, shown: usize) -> std::fmt::Result {
    let mut made: Vec<_> = census.made.iter().filter(|m| m.made_blocks > 0).collect();
    made.sort_by_key(|m| std::cmp::Reverse(m.made_blocks));
    if let Some(first) = made.first() {
        let at_least = if first.at_least { ", at least" } else { "" };
        writeln!(
            text,
            "\nBlocks made until then, and what is left of them{at_least}"
        )?;
    }
    for one in made.into_iter().take(shown / 2) {
        let ty = match &*one.ty {
            "" => "no type".to_owned(),
            ty => counted::name(ty),
        };
        let frame = one
            .frames
            .first()
            .map_or_else(String::new, |f| counted::owner(f));
        writeln!(
            text,
            "{:>12} {:>12}  {ty}, {frame}",
            number(one.made_blocks),
            number(one.blocks)
        )?;
    }
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

fn write_type(text: &mut String, ty: &TypeCount, whole: u64, shown: Shown) -> std::fmt::Result {
    let at_least = if ty.at_least { "≥" } else { "" };
    let spare = ty.slots.saturating_sub(ty.values.saturating_add(ty.unread));
    let spare = spare.saturating_mul(ty.size);
    let line = format!(
        "{:>10} {:>7} {:>11} {:>10}  ",
        bytes(ty.bytes),
        percent(ty.bytes, whole),
        format!("{at_least}{}", number(ty.values)),
        some(bytes(spare), spare),
    );
    let unread = match ty.unread {
        0 => String::new(),
        n => format!("; {} not read", number(n)),
    };
    let size = format!(" ({}{unread})", number(ty.size));
    let columns = line.chars().count() + size.chars().count();
    writeln!(text, "{line}{}{size}", shown.name(name(&ty.ty), columns))?;
    let mut variants: Vec<_> = ty.variants.iter().collect();
    variants.sort_by_key(|(name, n)| (std::cmp::Reverse(**n), *name));
    for (name, n) in variants.iter().take(6) {
        let (n, share) = (number(**n), percent(**n, ty.values));
        writeln!(text, "{:18} {n:>11} {share:>10}    {name}", "")?;
    }
    if let Some((name, unused)) = &ty.widest {
        let (unused, share) = (bytes(*unused), percent(*unused, ty.bytes));
        let what = format!("unused in others than `{name}`, the widest");
        writeln!(text, "{unused:>10} {share:>7} {:22}    {what}", "")?;
    }
    Ok(())
}

/// A number in a column, which is empty for none.
fn some(shown: String, n: u64) -> String {
    match n {
        0 => String::new(),
        _ => shown,
    }
}

fn write_field(
    text: &mut String,
    field: &FieldCount,
    whole: u64,
    shown: Shown,
) -> std::fmt::Result {
    let line = format!(
        "{:>10} {:>7} {:>11} {:>10}  ",
        bytes(field.bytes),
        percent(field.bytes, whole),
        number(field.containers),
        some(bytes(field.slack_bytes), field.slack_bytes),
    );
    let mut kind = format!(" ({}", field.kind);
    if field.kind != "Box" && field.kind != "Rc" {
        let used = (number(field.len), number(field.capacity));
        let share = |n| percent(n, field.containers);
        write!(kind, ", {} of {} used", used.0, used.1)?;
        for (n, what) in [(field.empty, "empty"), (field.one, "with one")] {
            if n > 0 {
                write!(kind, ", {} {what}", share(n))?;
            }
        }
    }
    if field.kind == "HashTable" {
        let load = percent(field.len, field.capacity);
        write!(kind, ", {load} of the maximum load")?;
    }
    if let Some((single, blocks)) = field.single_owner {
        write!(kind, ", {} have a single owner", percent(single, blocks))?;
    }
    let columns = line.chars().count();
    writeln!(text, "{line}{}{kind})", shown.name(path(field), columns))
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

#[cfg(test)]
mod tests {
    use super::*;

    fn one(name: &str, values: u64) -> TypeCount {
        TypeCount {
            ty: format!("shop::orders::{name}"),
            size: 40,
            values,
            slots: values,
            bytes: values * 40,
            ..TypeCount::default()
        }
    }

    #[test]
    fn columns_keep_the_width_and_leave_out_nothing_and_next_to_nothing() {
        let mut whole = Census::default();
        whole.summary.live_bytes = 4_000_000;
        let long = format!("{}Last", "VeryLongName::".repeat(12));
        for (name, values) in [("Order", 90_000), (&*long, 9000), ("Few", 99), ("None", 0)] {
            whole.types.push(one(name, values));
            whole.fields.push(FieldCount {
                ty: format!("shop::{name}"),
                field: "list".to_owned(),
                kind: "Vec".to_owned(),
                containers: 10,
                bytes: values * 40,
                ..FieldCount::default()
            });
        }
        for width in [80, 120] {
            let text = census(&whole, false, Some(width));
            let widest = text.lines().map(|line| line.chars().count()).max();
            assert!(
                widest.is_some_and(|n| n <= width),
                "{width}: {widest:?}\n{text}"
            );
            assert!(text.contains("VeryLongName::Last (40)"), "{text}");
            assert!(!text.contains("Few") && !text.contains("None"), "{text}");
            let cut = text.matches("and 2 more, each of less").count();
            assert_eq!(cut, 2, "{text}");
        }
        // With `-v` and in a file all of it is there, but for what has no bytes.
        let text = census(&whole, true, None);
        assert!(
            text.contains(&long) && text.contains("shop::orders::Few"),
            "{text}"
        );
        assert!(!text.contains("shop::orders::None"), "{text}");
    }
}
