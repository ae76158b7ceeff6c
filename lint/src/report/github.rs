//! GitHub's workflow commands, one per finding, and the table for the summary page of a job.

use super::words::{MOST_EVIDENCE, cut, lines};
use super::{Item, Place, Places, Report, count, totals};
use crate::visible;
use std::fmt::Write as _;
use std::io::{self, Write};

/// Number of annotations of one kind that GitHub accepts from one step; it silently drops the rest.
const MOST_OF_A_KIND: usize = 10;

/// Maximum number of characters of an annotation, well below GitHub's 64 KB.
const LONGEST_MESSAGE: usize = 8000;

/// Maximum size of the table in bytes: GitHub accepts 1 MiB from one step, which may write more.
const LARGEST_TABLE: usize = 512 << 10;

/// Number of findings that the table shows at first: the most valuable.
const MOST_OPEN: usize = 10;

/// The head of the table.
const COLUMNS: &str = "| | lint | type | bytes | remedy | place |\n|---|---|---|--:|---|---|\n";

pub(super) fn write(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let places = report.in_repository();
    let mut shown = [0; 2];
    let mut left_out = [0; 2];
    let mut command = |kind: Kind, place: Option<&Place>, title: &str, text: &str| {
        let n = kind as usize;
        if shown[n] == MOST_OF_A_KIND {
            left_out[n] += 1;
            return Ok(());
        }
        shown[n] += 1;
        let at = place.map_or_else(String::new, at);
        let text = escaped(&visible::text(&cut(text, LONGEST_MESSAGE)));
        writeln!(
            out,
            "::{} {at}title={}::{text}",
            kind.word(),
            property(title)
        )
    };
    for problem in &report.problems {
        let place = places.of_problem(problem);
        command(Kind::Error, place.as_ref(), "cargo weigh", &problem.message)?;
    }
    for item in report.by_severity() {
        let d = item.diagnostic;
        let kind = match d.level.fails() {
            true => Kind::Error,
            false => Kind::Warning,
        };
        let place = places.of(d.finding.primary.span);
        let title = format!("weigh::{}", d.lint.name);
        command(kind, Some(&place), &title, &text(&places, &item))?;
    }
    let [errors, warnings] = left_out;
    if errors + warnings > 0 {
        let more = escaped(&format!(
            "{} more: GitHub shows {MOST_OF_A_KIND} errors and {MOST_OF_A_KIND} warnings per \
             step; the job summary lists all",
            totals(errors, warnings)
        ));
        writeln!(out, "::notice title=cargo weigh::{more}")?;
    }
    Ok(())
}

#[derive(Clone, Copy)]
enum Kind {
    Error,
    Warning,
}

impl Kind {
    fn word(self) -> &'static str {
        match self {
            Kind::Error => "error",
            Kind::Warning => "warning",
        }
    }
}

/// Returns the message with all labels and notes.
fn text(places: &Places, item: &Item) -> String {
    let finding = &item.diagnostic.finding;
    let mut text = finding.message.clone();
    let labels = finding
        .secondary
        .iter()
        .map(|l| (Some(l.span), l.text.clone()));
    let rest = lines(finding, MOST_EVIDENCE)
        .into_iter()
        .map(|l| (l.span, l.text));
    for (span, line) in labels.chain(rest) {
        text.push('\n');
        if let Some(span) = span {
            text.push_str(&format!("{}: ", places.line(span)));
        }
        text.push_str(&line);
    }
    text
}

/// Returns the properties with the place.
fn at(place: &Place) -> String {
    let file = property(&place.file);
    let ((line, column), (last, end)) = (place.start, place.end);
    // GitHub accepts an end column only within one line.
    match line == last {
        true => format!("file={file},line={line},endLine={last},col={column},endColumn={end},"),
        false => format!("file={file},line={line},endLine={line},col={column},"),
    }
}

/// Escapes the text of a command as the runner decodes it.
fn escaped(text: &str) -> String {
    let text = text.replace('%', "%25");
    text.replace('\r', "%0D").replace('\n', "%0A")
}

/// Escapes the value of a property as the runner decodes it.
fn property(text: &str) -> String {
    escaped(&visible::line(text))
        .replace(':', "%3A")
        .replace(',', "%2C")
}

/// Returns the findings as a Markdown table, for the summary page of a job.
pub fn job_summary(report: &Report) -> String {
    let places = report.in_repository();
    let (errors, warnings) = report.totals();
    let mut text = format!("### cargo weigh: {}\n\n", totals(errors, warnings));
    if !report.items.is_empty() {
        text.push_str(COLUMNS);
    }
    let items = report.by_severity();
    for (i, item) in items.iter().enumerate() {
        if i == MOST_OPEN {
            let rest = count(items.len() - i, "more finding");
            let _ = write!(text, "\n<details><summary>{rest}</summary>\n\n{COLUMNS}");
        }
        if text.len() > LARGEST_TABLE {
            let rest = count(items.len() - i, "more finding");
            // Writing to a string cannot fail.
            let _ = writeln!(
                text,
                "\n{rest} omitted: GitHub limits the size of a job summary."
            );
            break;
        }
        text.push_str(&row(&places, item));
    }
    if items.len() > MOST_OPEN {
        text.push_str("\n</details>\n");
    }
    if !report.problems.is_empty() {
        text.push_str("\nCould not be analysed:\n\n");
        for problem in &report.problems {
            let place = places
                .of_problem(problem)
                .map(|p| format!("{}:{}", p.file, p.start.0));
            let place = place.map_or_else(String::new, |p| format!("{}: ", visible::code(&p)));
            let _ = writeln!(text, "- {place}{}", visible::markdown(&problem.message));
        }
    }
    let _ = writeln!(
        text,
        "\n{}; {}.",
        report.types,
        visible::markdown(&report.exactness)
    );
    if let Some(warning) = &report.warning {
        let _ = writeln!(text, "\nWarning: {warning}.");
    }
    text.push('\n');
    text
}

fn row(places: &Places, item: &Item) -> String {
    let d = item.diagnostic;
    let finding = &d.finding;
    let place = places.of(finding.primary.span);
    let (line, column) = place.start;
    let field = finding.field.as_ref();
    let name = field.map_or_else(|| d.ty.clone(), |f| format!("{}: {f}", d.ty));
    let bytes = match (finding.size_before, finding.size_after()) {
        (Some(before), Some(after)) => format!("{before} → {after}"),
        (Some(before), None) => before.to_string(),
        (None, _) => String::new(),
    };
    let remedy = finding.remedies.first();
    format!(
        "| {} | [`{}`]({}) | {} | {bytes} | {} | {} |\n",
        super::human::severity(d.level),
        d.lint.name,
        d.lint.url(),
        visible::code_cell(&name),
        visible::cell(remedy.map_or(&finding.message, |r| &r.title)),
        visible::code_cell(&format!("{}:{line}:{column}", place.file)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_ends_a_command_early() {
        assert_eq!(escaped("a%\r\nb:c,d"), "a%25%0D%0Ab:c,d");
        assert_eq!(property("a%,b::c"), "a%25%2Cb%3A%3Ac");
    }
}
