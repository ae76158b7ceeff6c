//! The forms for people: codespan's snippets with the numbers below them, and single lines.

use super::{Places, place};
use crate::check::Diagnostic;
use crate::config::Level;
use crate::finding::{Finding, Parts, Remedy};
use crate::resolve::Problem;
use crate::source::SourceFile;
use crate::span::FileId;
use codespan_reporting::diagnostic::{Diagnostic as Shown, Label, Severity};
use codespan_reporting::files::{Error, Files};
use codespan_reporting::term::termcolor::{Ansi, NoColor};
use codespan_reporting::term::{self, Config};
use std::fmt::Write;
use std::ops::Range;
use std::sync::Arc;

/// Width of the text below a snippet: what is left of 80 columns beside the gutter.
const WIDTH: usize = 72;

/// A line longer than this is not shown.
const LONGEST_LINE: usize = 1000;

/// Types that shrink with a finding's: more are counted, not named.
const MOST_RIPPLES: usize = 4;

/// A finding with its source.
pub fn rich(places: &Places, d: &Diagnostic, colour: bool) -> String {
    let finding = &d.finding;
    let severity = match d.level.fails() {
        true => Severity::Error,
        false => Severity::Warning,
    };
    let mut labels = vec![
        Label::primary(finding.primary.span.file, finding.primary.span.range())
            .with_message(&finding.primary.text),
    ];
    for label in &finding.secondary {
        labels
            .push(Label::secondary(label.span.file, label.span.range()).with_message(&label.text));
    }
    let shown = Shown::new(severity)
        .with_code(format!("weigh::{}", d.lint.name))
        .with_message(&finding.message)
        .with_labels(labels)
        .with_notes(notes(places, finding));
    emit(places, &shown, colour).unwrap_or_else(|| format!("{}\n", short(places, d)))
}

/// A finding as one line.
pub fn short(places: &Places, d: &Diagnostic) -> String {
    let place = places.of(d.finding.primary.span);
    let (line, column) = place.start;
    format!(
        "{}:{line}:{column}: {}: {} [weigh::{}]",
        place.file,
        severity(d.level),
        d.finding.message,
        d.lint.name
    )
}

/// rustc's word for a level.
pub(super) fn severity(level: Level) -> &'static str {
    match level.fails() {
        true => "error",
        false => "warning",
    }
}

/// Something that could not be read, with its source where it has a place; with ANSI colours.
pub fn problem(places: &Places, problem: &Problem) -> String {
    let span = problem.span.map(|s| places.origin(s));
    let snippet = span.and_then(|span| {
        let label = Label::primary(span.file, span.range());
        let shown = Shown::error()
            .with_message(&problem.message)
            .with_label(label);
        emit(places, &shown, true)
    });
    if let Some(snippet) = snippet {
        return snippet;
    }
    let place = match (span, &problem.file) {
        (Some(span), _) => {
            let place = places.of(span);
            format!("{}:{}:{}: ", place.file, place.start.0, place.start.1)
        }
        (None, Some(file)) => format!("{}: ", places.path(file)),
        (None, None) => String::new(),
    };
    format!(
        "\u{1b}[1m\u{1b}[31merror\u{1b}[0m: {place}{}\n",
        problem.message
    )
}

/// The snippet; `None` where its lines are too long to be looked at.
fn emit(places: &Places, shown: &Shown<FileId>, colour: bool) -> Option<String> {
    let too_long = |label: &Label<FileId>| {
        let file = places.file(label.file_id);
        let lines = lines(&file, &label.range);
        lines.into_iter().any(|l| l.len() > LONGEST_LINE)
    };
    if shown.labels.iter().any(too_long) {
        return None;
    }
    let config = Config::default();
    let text = match colour {
        true => {
            let mut out = Ansi::new(Vec::new());
            term::emit_to_write_style(&mut out, &config, places, shown).ok()?;
            out.into_inner()
        }
        false => {
            let mut out = NoColor::new(Vec::new());
            term::emit_to_write_style(&mut out, &config, places, shown).ok()?;
            out.into_inner()
        }
    };
    String::from_utf8(text).ok()
}

/// The lines that a range of bytes touches first and last.
fn lines<'t>(file: &'t SourceFile, range: &Range<usize>) -> [&'t str; 2] {
    let line = |at: usize| {
        let at = at.min(file.text.len()) as u32;
        let starts = file.line_starts();
        let index = starts.partition_point(|&s| s <= at) - 1;
        let end = starts
            .get(index + 1)
            .map_or(file.text.len(), |&e| e as usize);
        &file.text[starts[index] as usize..end]
    };
    [line(range.start), line(range.end)]
}

fn notes(places: &Places, finding: &Finding) -> Vec<String> {
    let mut notes = Vec::new();
    notes.extend(finding.parts.as_ref().map(parts));
    if !finding.remedies.is_empty() {
        notes.push(remedies(&finding.remedies));
    }
    notes.extend(finding.remedies.first().and_then(ripple));
    for evidence in &finding.evidence {
        let place = evidence.span.map(|s| places.of(s));
        let place = place.map_or_else(String::new, |p| format!(" ({}:{})", p.file, p.start.0));
        notes.push(wrapped(&format!("{}{place}", evidence.text), WIDTH, ""));
    }
    let rest = finding.trade_off.iter().chain(&finding.notes);
    notes.extend(rest.map(|n| wrapped(n, WIDTH, "")));
    notes
}

fn parts(parts: &Parts) -> String {
    let mut text = format!("{}:", parts.title);
    let name = parts
        .rows
        .iter()
        .map(|(n, _)| n.chars().count())
        .max()
        .unwrap_or(0);
    let number = parts
        .rows
        .iter()
        .map(|(_, n)| n.to_string().len())
        .max()
        .unwrap_or(0);
    for (row, n) in &parts.rows {
        // Writing to a string cannot fail.
        let _ = write!(text, "\n  {row:name$}  {n:>number$}");
    }
    if parts.left_out > 0 {
        let _ = write!(text, "\n  and {} smaller", parts.left_out);
    }
    text
}

fn remedies(list: &[Remedy]) -> String {
    let mut text = "what would change it:".to_owned();
    let sizes = list.iter().filter_map(|r| r.size_after);
    let width = sizes.map(|n| n.to_string().len()).max().unwrap_or(0);
    for remedy in list {
        let head = match remedy.size_after {
            Some(n) => format!("  {n:>width$} bytes: "),
            None => "  ".to_owned(),
        };
        let title = wrapped(&remedy.title, WIDTH - head.len(), &" ".repeat(head.len()));
        let _ = write!(text, "\n{head}{title}");
    }
    text
}

fn ripple(best: &Remedy) -> Option<String> {
    let list = &best.ripple;
    if list.is_empty() {
        return None;
    }
    let mut text = "what changes with it:".to_owned();
    let named = if list.len() <= MOST_RIPPLES + 1 {
        list.len()
    } else {
        MOST_RIPPLES
    };
    let name = list[..named]
        .iter()
        .map(|r| r.path.chars().count())
        .max()
        .unwrap_or(0);
    for r in &list[..named] {
        let _ = write!(
            text,
            "\n  {:name$}  {} -> {} bytes",
            r.path, r.before, r.after
        );
    }
    if named < list.len() {
        let _ = write!(text, "\n  and {} more", list.len() - named);
    }
    Some(text)
}

/// Text in lines of at most `width` characters where words allow, all but the first indented.
pub fn wrapped(text: &str, width: usize, indent: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    let mut column = 0;
    for word in text.split(' ') {
        let len = word.chars().count();
        if column > 0 && column + 1 + len > width {
            out.push('\n');
            out.push_str(indent);
            column = 0;
        } else if column > 0 {
            out.push(' ');
            column += 1;
        }
        out.push_str(word);
        column += len;
    }
    out
}

/// A text, as codespan wants to own it.
pub struct Text(Arc<SourceFile>);

impl AsRef<str> for Text {
    fn as_ref(&self) -> &str {
        &self.0.text
    }
}

impl<'f> Files<'f> for Places {
    type FileId = FileId;
    type Name = String;
    type Source = Text;

    fn name(&'f self, id: FileId) -> Result<String, Error> {
        Ok(self.path(&self.file(id).path))
    }

    fn source(&'f self, id: FileId) -> Result<Text, Error> {
        Ok(Text(self.file(id)))
    }

    fn line_index(&'f self, id: FileId, at: usize) -> Result<usize, Error> {
        let file = self.file(id);
        let at = at.min(file.text.len()) as u32;
        Ok(file.line_starts().partition_point(|&s| s <= at) - 1)
    }

    fn column_number(&'f self, id: FileId, _: usize, at: usize) -> Result<usize, Error> {
        let file = self.file(id);
        Ok(place::line_col(&file, at.min(file.text.len()) as u32).1)
    }

    fn line_range(&'f self, id: FileId, line: usize) -> Result<Range<usize>, Error> {
        let file = self.file(id);
        let starts = file.line_starts();
        let Some(&start) = starts.get(line) else {
            return Err(Error::LineTooLarge {
                given: line,
                max: starts.len(),
            });
        };
        let end = starts
            .get(line + 1)
            .map_or(file.text.len(), |&e| e as usize);
        Ok(start as usize..end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_wrap() {
        assert_eq!(wrapped("aa bb cc", 5, " "), "aa bb\n cc");
        assert_eq!(wrapped("aaaaaaa b", 5, ""), "aaaaaaa\nb");
        assert_eq!(wrapped("", 5, ""), "");
    }

    #[test]
    fn numbers_stand_in_columns() {
        let table = Parts {
            title: "bytes".into(),
            rows: vec![("Long".into(), 128), ("S".into(), 4)],
            left_out: 2,
        };
        assert_eq!(
            parts(&table),
            "bytes:\n  Long  128\n  S       4\n  and 2 smaller"
        );
    }
}
