//! The notes below a snippet: numbers in columns, remedies, how to suppress the finding.

use super::{beside, wrapped};
use crate::finding::{Evidence, Finding, Parts, Remedy};
use crate::report::Places;
use crate::report::words::{
    self, MOST_EVIDENCE, MOST_RIPPLES, assuming, listed, ripple_head, standing,
};
use std::fmt::Write;

/// Width of the notes if there is no terminal: 80 columns without the gutter.
const WIDTH: usize = 73;

/// Columns of a terminal that the notes cannot use: codespan's gutter with line numbers of four
/// digits, and the indentation of the second lines of evidence.
const BESIDE: usize = 9;

/// Returns all notes of a finding; `first` is the lint, for the first finding of a lint in a run.
pub(super) fn notes(
    places: &Places,
    finding: &Finding,
    name: &str,
    first: Option<&str>,
    colour: bool,
    columns: Option<usize>,
) -> Vec<String> {
    let width = columns.map_or(WIDTH, |columns| columns.saturating_sub(BESIDE));
    let mut notes = Vec::new();
    notes.extend(finding.parts.as_ref().map(parts));
    if !finding.evidence.is_empty() {
        notes.push(evidence(places, &finding.evidence, width));
    }
    for (i, remedy) in finding.remedies.iter().enumerate() {
        let name = (i == 0).then_some(name);
        let help = help(remedy, finding.size_before, name, width);
        notes.push(marked("help", &help, colour));
    }
    let best = finding.remedies.first();
    notes.extend(best.and_then(|r| ripple(r, ripple_head(&finding.remedies), width)));
    let rest = finding.trade_off.iter().chain(&finding.notes).cloned();
    for note in rest.chain(standing(finding)).chain(assuming(finding)) {
        notes.push(marked("note", &beside("note:", &note, width, ""), colour));
    }
    notes.extend(first.map(|lint| {
        format!(
            "to suppress it: {}\nto read more:   cargo weigh explain {lint}",
            words::silence(lint)
        )
    }));
    notes
}

/// Returns a note with rustc's label before it.
fn marked(word: &str, text: &str, colour: bool) -> String {
    match colour {
        true => format!("\u{1b}[1m{word}\u{1b}[0m: {text}"),
        false => format!("{word}: {text}"),
    }
}

/// Returns the largest number of characters of a text.
fn widest<T>(list: &[T], text: impl Fn(&T) -> String) -> usize {
    let widths = list.iter().map(|t| text(t).chars().count());
    widths.max().unwrap_or(0)
}

fn parts(parts: &Parts) -> String {
    let mut text = format!("{}:", parts.title);
    let name = widest(&parts.rows, |(name, _)| name.clone());
    let number = widest(&parts.rows, |(_, n)| n.to_string());
    for (row, n) in &parts.rows {
        // Writing to a string cannot fail.
        let _ = write!(text, "\n  {row:name$}  {n:>number$}");
    }
    if parts.left_out > 0 {
        let _ = write!(text, "\n  and {} smaller", parts.left_out);
    }
    text
}

fn evidence(places: &Places, list: &[Evidence], width: usize) -> String {
    let mut text = "evidence:".to_owned();
    let named = listed(list.len(), MOST_EVIDENCE);
    for one in &list[..named] {
        let line = match one.span {
            Some(span) => format!("{}: {}", places.line(span), one.text),
            None => one.text.clone(),
        };
        let _ = write!(
            text,
            "\n  {}",
            wrapped(&line, width.saturating_sub(2), "    ")
        );
    }
    if named < list.len() {
        let _ = write!(text, "\n  and {} more", list.len() - named);
    }
    text
}

/// Returns a remedy with the size after it; `name` is the name of the type, for the first remedy.
fn help(remedy: &Remedy, before: Option<u64>, name: Option<&str>, width: usize) -> String {
    let head = match name {
        Some(_) => "",
        None => "or ",
    };
    let mut words = remedy.words(before);
    if let (Some(name), Some(_), Some(_)) = (name, before, remedy.size_after)
        && let Some(at) = words.rfind(" (")
    {
        words.insert_str(at + 2, &format!("`{name}`: "));
    }
    beside("help:", &format!("{head}{words}"), width, "")
}

fn ripple(best: &Remedy, head: &str, width: usize) -> Option<String> {
    if best.ripple.is_empty() {
        return None;
    }
    let named = listed(best.ripple.len(), MOST_RIPPLES);
    let rows = &best.ripple[..named];
    let before = widest(rows, |r| r.before.to_string());
    let after = widest(rows, |r| r.after.to_string());
    let room = width.saturating_sub(before + after + "    →  bytes".chars().count());
    let name = widest(rows, |r| shortened(&r.path, room));
    let mut text = format!("{head}:");
    for r in rows {
        let _ = write!(
            text,
            "\n  {:name$}  {:>before$} → {:>after$} bytes",
            shortened(&r.path, room),
            r.before,
            r.after
        );
    }
    if named < best.ripple.len() {
        let _ = write!(text, "\n  and {} more", best.ripple.len() - named);
    }
    Some(text)
}

/// Returns a path without its first modules, as many as necessary to fit into `most` characters.
fn shortened(path: &str, most: usize) -> String {
    let mut text = path.to_owned();
    let mut rest = path;
    while text.chars().count() > most
        && let Some((_, inner)) = rest.split_once("::")
    {
        rest = inner;
        text = format!("…::{rest}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Ripple;

    #[test]
    fn numbers_stand_in_columns() {
        let table = Parts {
            title: "bytes".into(),
            rows: vec![("Long".into(), 128), ("Sé".into(), 4)],
            left_out: 2,
        };
        assert_eq!(
            parts(&table),
            "bytes:\n  Long  128\n  Sé      4\n  and 2 smaller"
        );
        let ripples = [("a::Long", 1024, 64), ("B", 8, 0)];
        let ripples = ripples.map(|(path, before, after)| Ripple {
            path: path.into(),
            before,
            after,
        });
        let remedy = Remedy {
            title: "box it".into(),
            heap: None,
            net: None,
            size_after: None,
            ripple: ripples.to_vec(),
            change: Vec::new(),
            fix: None,
        };
        assert_eq!(
            ripple(&remedy, "then", WIDTH).unwrap(),
            "then:\n  a::Long  1024 → 64 bytes\n  B           8 →  0 bytes"
        );
        assert_eq!(shortened("abc::bc::D", 10), "abc::bc::D");
        assert_eq!(shortened("abc::bc::D", 9), "…::bc::D");
        assert_eq!(shortened("abc::bc::D", 1), "…::D");
        assert_eq!(help(&remedy, None, Some("B"), WIDTH), "box it");
        assert_eq!(help(&remedy, None, None, WIDTH), "or box it");
    }
}
