//! The text formats: codespan's snippets with notes below them, and single lines.

mod files;
mod notes;

use super::{Places, Report, also};
use crate::check::Diagnostic;
use crate::config::Level;
use crate::resolve::Problem;
use crate::source::SourceFile;
use crate::span::FileId;
use crate::visible;
use codespan_reporting::diagnostic::{Diagnostic as Shown, Label, Severity};
use codespan_reporting::term::termcolor::{Ansi, NoColor};
use codespan_reporting::term::{self, Config};
use std::collections::BTreeSet;
use std::io::{self, Write};
use std::ops::Range;

/// Maximum number of secondary places in the brief format.
const BRIEF_PLACES: usize = 2;

/// Indentation of the second line of a headline.
const HEADLINE_INDENT: &str = "    ";

/// Longer source lines, in bytes, are not shown.
const LONGEST_LINE: usize = 1000;

/// Lints reported so far in this run: how to suppress one is printed once.
#[derive(Default)]
pub(super) struct ToldOnce(BTreeSet<&'static str>);

/// Writes all findings, in colour.
pub(super) fn write(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let places = report.in_workspace();
    let mut said = ToldOnce::default();
    let items = report.by_value();
    let (full, rest) = items.split_at(items.len().min(report.in_full));
    for item in full {
        let text = rich(&places, item.diagnostic, &mut said, true, report.columns);
        out.write_all(text.as_bytes())?;
    }
    for item in rest {
        writeln!(out, "{}", short(&places, item.diagnostic))?;
    }
    if !rest.is_empty() {
        writeln!(
            out,
            "\n{} more findings on one line each; use `--all-details` to show them in full\n",
            rest.len()
        )?;
    }
    also::write(report, &places, out)
}

/// Writes the headline, the places and the best remedy of each finding, in colour.
pub(super) fn write_brief(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let places = report.in_workspace();
    for item in report.by_value() {
        let (d, finding) = (item.diagnostic, &item.diagnostic.finding);
        let severity = match d.level.fails() {
            true => "\u{1b}[1m\u{1b}[31merror\u{1b}[0m",
            false => "\u{1b}[1m\u{1b}[33mwarning\u{1b}[0m",
        };
        let message = visible::line(&finding.message);
        writeln!(out, "{severity}[weigh::{}]: {message}", d.lint.name)?;
        writeln!(out, "  --> {}", places.line(finding.primary.span))?;
        for label in finding.secondary.iter().take(BRIEF_PLACES) {
            let text = visible::line(&label.text);
            writeln!(out, "      {}: {text}", places.line(label.span))?;
        }
        if let Some(evidence) = finding.evidence.first() {
            let at = evidence
                .span
                .map_or_else(String::new, |s| format!("{}: ", places.line(s)));
            writeln!(out, "  = {at}{}", visible::line(&evidence.text))?;
        }
        if let Some(best) = finding.remedies.first() {
            writeln!(
                out,
                "  = help: {}",
                visible::line(&best.words(finding.size_before))
            )?;
        }
        writeln!(out)?;
    }
    also::write(report, &places, out)
}

/// Returns a finding with its source, wrapped at `columns`; without `columns`, the headline is one
/// line.
pub(super) fn rich(
    places: &Places,
    d: &Diagnostic,
    said: &mut ToldOnce,
    colour: bool,
    columns: Option<usize>,
) -> String {
    let finding = &d.finding;
    let first = said.0.insert(d.lint.name).then_some(d.lint.name);
    let severity = match d.level.fails() {
        true => Severity::Error,
        false => Severity::Warning,
    };
    let mut labels = vec![
        Label::primary(finding.primary.span.file, finding.primary.span.range())
            .with_message(visible::line(&finding.primary.text)),
    ];
    for label in &finding.secondary {
        let text = visible::line(&label.text);
        labels.push(Label::secondary(label.span.file, label.span.range()).with_message(text));
    }
    let name = d.ty.rsplit("::").next().unwrap_or(&d.ty);
    let notes = notes::notes(places, finding, name, first, colour, columns).into_iter();
    let notes = notes.map(|note| match colour {
        true => visible::styled(&note).into_owned(),
        false => visible::text(&note).into_owned(),
    });
    let notes = notes.collect();
    let message = visible::line(&finding.message);
    let message = match columns {
        Some(columns) => {
            let mark = format!("{}[weigh::{}]:", self::severity(d.level), d.lint.name);
            let width = columns.saturating_sub(HEADLINE_INDENT.len());
            beside(&mark, &message, width, HEADLINE_INDENT)
        }
        None => message.into_owned(),
    };
    let shown = Shown::new(severity)
        .with_code(format!("weigh::{}", d.lint.name))
        .with_message(message)
        .with_labels(labels)
        .with_notes(notes);
    emit(places, shown, colour).unwrap_or_else(|| format!("{}\n", short(places, d)))
}

/// Returns a finding on one line.
pub(super) fn short(places: &Places, d: &Diagnostic) -> String {
    let place = places.of(d.finding.primary.span);
    let (line, column) = place.start;
    let text = format!(
        "{}:{line}:{column}: {}: {} [weigh::{}]",
        place.file,
        severity(d.level),
        d.finding.message,
        d.lint.name
    );
    visible::line(&text).into_owned()
}

/// Returns rustc's word for a level.
pub(super) fn severity(level: Level) -> &'static str {
    match level.fails() {
        true => "error",
        false => "warning",
    }
}

/// Returns a problem with its source if it has a place, with ANSI colours.
pub fn problem(places: &Places, problem: &Problem) -> String {
    let span = problem.span.map(|s| places.origin(s));
    let snippet = span.and_then(|span| {
        let label = Label::primary(span.file, span.range());
        let shown = Shown::error()
            .with_message(visible::text(&problem.message))
            .with_label(label);
        emit(places, shown, true)
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
    let (place, message) = (visible::line(&place), visible::text(&problem.message));
    format!("\u{1b}[1m\u{1b}[31merror\u{1b}[0m: {place}{message}\n")
}

/// Returns the text; for source lines that are too long or in foreign files, only the place is
/// shown.
fn emit(places: &Places, mut shown: Shown<FileId>, colour: bool) -> Option<String> {
    let too_long = |label: &Label<FileId>| {
        let file = places.file(label.file_id);
        let lines = lines(&file, &label.range);
        file.is_foreign() || lines.into_iter().any(|l| l.len() > LONGEST_LINE)
    };
    if shown.labels.iter().any(too_long) {
        let at = shown.labels.drain(..).map(|label| {
            let file = places.file(label.file_id);
            let (line, column) = super::place::line_col(&file, label.range.start as u32);
            let path = places.path(&file.path);
            let path = visible::line(&path);
            match label.message.is_empty() {
                true => format!("{path}:{line}:{column}"),
                false => format!("{path}:{line}:{column}: {}", label.message),
            }
        });
        let at: Vec<_> = at.collect();
        shown.notes.splice(0..0, at);
    }
    for label in &mut shown.labels {
        if let Some(text) = places.shown(label.file_id) {
            label.range = text.shown(label.range.start)..text.shown(label.range.end);
        }
    }
    let config = Config::default();
    let text = match colour {
        true => {
            let mut out = Ansi::new(Vec::new());
            term::emit_to_write_style(&mut out, &config, places, &shown).ok()?;
            out.into_inner()
        }
        false => {
            let mut out = NoColor::new(Vec::new());
            term::emit_to_write_style(&mut out, &config, places, &shown).ok()?;
            out.into_inner()
        }
    };
    String::from_utf8(text).ok()
}

/// Returns the first and the last line of a range of bytes.
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

/// Wraps a text in lines of at most `width` characters if words allow, with `indent` before all but
/// the first.
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

/// Wraps a text after a mark, which takes room in the first line only.
fn beside(mark: &str, text: &str, width: usize, indent: &str) -> String {
    let text = wrapped(&format!("{mark} {text}"), width, indent);
    let text = text.strip_prefix(mark).unwrap_or(&text);
    text.strip_prefix(' ').unwrap_or(text).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_wrap() {
        assert_eq!(wrapped("aa bb cc", 5, " "), "aa bb\n cc");
        assert_eq!(wrapped("aaaaaaa b", 5, ""), "aaaaaaa\nb");
        assert_eq!(wrapped("", 5, ""), "");
        assert_eq!(beside("m:", "aa bb cc", 8, " "), "aa bb\n cc");
        assert_eq!(beside("mark:", "aa bb", 6, " "), "\n aa bb");
    }
}
