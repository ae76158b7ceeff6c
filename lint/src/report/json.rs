//! Cargo's JSON lines, as editors read them, with the additional key `weigh`.

use super::facts::Facts;
use super::human::{self, ToldOnce, severity};
use super::words::{self, MOST_EVIDENCE};
use super::{Item, Places, Rendered, Report, Unit};
use crate::check::Diagnostic;
use crate::finding::{Applicability, Edit, Label, Remedy};
use crate::lint::Check;
use crate::project::ExactFor;
use crate::span::Span;
use serde::Serialize;
use serde_json::Value;
use std::io::{self, Write};

#[derive(Serialize)]
struct Message<'r> {
    reason: &'static str,
    package_id: &'r str,
    manifest_path: String,
    target: &'r Value,
    message: Rustc<'r>,
    weigh: Weigh<'r>,
}

/// The value of the key `weigh`: the facts of a finding, and the compiler and target of the sizes.
#[derive(Serialize)]
struct Weigh<'r> {
    #[serde(flatten)]
    facts: Facts<'r>,
    #[serde(flatten)]
    exact_for: ExactFor<'r>,
}

/// A diagnostic as rustc prints it.
#[derive(Serialize)]
struct Rustc<'r> {
    #[serde(rename = "$message_type")]
    message_type: &'static str,
    message: &'r str,
    code: Code,
    level: &'static str,
    spans: Vec<JsonSpan>,
    children: Vec<Child>,
    rendered: String,
}

#[derive(Serialize)]
struct Code {
    code: String,
    explanation: Option<String>,
}

#[derive(Serialize)]
struct Child {
    message: String,
    code: Option<Code>,
    level: &'static str,
    spans: Vec<JsonSpan>,
    children: [(); 0],
    rendered: Option<String>,
}

#[derive(Serialize)]
struct JsonSpan {
    file_name: String,
    byte_start: u32,
    byte_end: u32,
    line_start: usize,
    line_end: usize,
    column_start: usize,
    column_end: usize,
    is_primary: bool,
    text: Vec<Line>,
    label: Option<String>,
    suggested_replacement: Option<String>,
    suggestion_applicability: Option<&'static str>,
    expansion: Option<()>,
}

/// A source line with the 1-based columns of the highlighted part.
#[derive(Serialize)]
struct Line {
    text: String,
    highlight_start: usize,
    highlight_end: usize,
}

#[derive(Serialize)]
struct Artifact<'r> {
    reason: &'static str,
    package_id: &'r str,
    manifest_path: String,
    target: &'r Value,
    profile: Profile,
    features: &'r [String],
    filenames: [String; 0],
    executable: Option<String>,
    fresh: bool,
    /// An extension: the compiler and target of the sizes.
    #[serde(flatten)]
    exact_for: ExactFor<'r>,
}

#[derive(Serialize)]
struct Profile {
    opt_level: &'static str,
    debuginfo: u32,
    debug_assertions: bool,
    overflow_checks: bool,
    test: bool,
}

#[derive(Serialize)]
struct Finished {
    reason: &'static str,
    success: bool,
}

/// Writes the lines of a report: for each package its findings, then the package.
pub(super) fn write(report: &Report, rendered: Rendered, out: &mut dyn Write) -> io::Result<()> {
    let places = report.in_workspace();
    let mut said = ToldOnce::default();
    for package in &report.packages {
        for item in report.items.iter().chain(&report.also) {
            if item.unit.package_id == package.package_id {
                let message = message(&places, item, &mut said, rendered);
                line(out, &message)?;
            }
        }
        line(out, &artifact(report, package))?;
    }
    Ok(())
}

/// Writes the last line.
pub(super) fn end(success: bool, out: &mut dyn Write) -> io::Result<()> {
    let finished = Finished {
        reason: "build-finished",
        success,
    };
    line(out, &finished)
}

fn line(out: &mut dyn Write, value: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut *out, value)?;
    out.write_all(b"\n")
}

fn message<'r>(
    places: &Places,
    item: &Item<'r>,
    said: &mut ToldOnce,
    rendered: Rendered,
) -> Message<'r> {
    Message {
        reason: "compiler-message",
        package_id: item.unit.package_id,
        manifest_path: item.unit.manifest_path.to_string_lossy().into_owned(),
        target: item.unit.target,
        message: Rustc {
            level: match item.is_note {
                true => "note",
                false => severity(item.diagnostic.level),
            },
            ..rustc(places, item.diagnostic, said, rendered)
        },
        weigh: Weigh {
            facts: Facts::of(places, item),
            exact_for: item.exact_for,
        },
    }
}

fn rustc<'r>(
    places: &Places,
    d: &'r Diagnostic,
    said: &mut ToldOnce,
    rendered: Rendered,
) -> Rustc<'r> {
    let finding = &d.finding;
    let mut spans = vec![labelled(places, &finding.primary, true)];
    spans.extend(finding.secondary.iter().map(|l| labelled(places, l, false)));
    Rustc {
        message_type: "diagnostic",
        message: &finding.message,
        code: Code {
            code: format!("weigh::{}", d.lint.name),
            explanation: None,
        },
        level: severity(d.level),
        spans,
        children: children(places, d),
        rendered: match rendered {
            Rendered::Plain => human::rich(places, d, said, false, None),
            Rendered::Ansi => human::rich(places, d, said, true, None),
            Rendered::Short => format!("{}\n", human::short(places, d)),
        },
    }
}

/// Editors show these as further lines of the message, those with a place as related places, and
/// those with edits as quick fixes.
fn children(places: &Places, d: &Diagnostic) -> Vec<Child> {
    let finding = &d.finding;
    let lines = words::lines(finding, MOST_EVIDENCE).into_iter();
    let mut offered = finding.offered().into_iter();
    // An editor marks each place with a span. Only the first gets one; the others are named in text.
    let mut marked = false;
    let mut list: Vec<_> = lines
        .map(|line| {
            let next = line.remedy.and_then(|_| offered.next());
            match (next, line.span) {
                (Some(next), _) => remedy(places, d, next),
                (None, Some(at)) if !std::mem::replace(&mut marked, true) => Child {
                    spans: vec![span(places, at, true)],
                    ..child("note", line.text)
                },
                (None, Some(at)) => {
                    let text = format!("{}: {}", places.line(at), line.text);
                    child("note", text)
                }
                (None, None) => child("note", line.text),
            }
        })
        .collect();
    list.extend(allow(places, d));
    let url = format!("for further information visit {}", d.lint.url());
    list.push(child("help", url));
    list
}

fn child(level: &'static str, message: String) -> Child {
    Child {
        message,
        code: None,
        level,
        spans: Vec::new(),
        children: [],
        rendered: None,
    }
}

/// Offers the comment that suppresses the finding, on a line of its own.
fn allow(places: &Places, d: &Diagnostic) -> Option<Child> {
    let primary = d.finding.primary.span;
    let file = places.file(primary.file);
    let (line, _) = file.line_col(primary.start);
    let start = *file.line_starts().get(line - 1)?;
    let before = &file.text[start as usize..primary.start as usize];
    let margin: String = before
        .chars()
        .take_while(|c| *c == ' ' || *c == '\t')
        .collect();
    let end = if file.text[..start as usize].ends_with("\r\n") {
        "\r\n"
    } else {
        "\n"
    };
    let at = start + margin.len() as u32;
    // Nothing is edited in foreign files, and lints about comments cannot be suppressed this way.
    if file.is_foreign() || matches!(d.lint.check, Check::Comments) {
        return None;
    }
    let at = Span {
        file: primary.file,
        start: at,
        end: at,
    };
    let comment = words::silence(d.lint.name);
    let mut child = child("help", "suppress this finding with a comment".to_owned());
    child.spans.push(span(places, primary, true));
    child.spans.push(JsonSpan {
        suggested_replacement: Some(format!("{comment}{end}{margin}")),
        suggestion_applicability: Some(Applicability::MaybeIncorrect.as_str()),
        ..span(places, at, true)
    });
    Some(child)
}

fn remedy(places: &Places, d: &Diagnostic, remedy: &Remedy) -> Child {
    let finding = &d.finding;
    let Some(fix) = &remedy.fix else {
        return child("help", remedy.words(finding.size_before));
    };
    let mut child = child("help", remedy.effect(&d.ty, finding.size_before));
    // An editor offers the fix at the first span, so that must be the finding, although the edit
    // may be elsewhere.
    let primary = finding.primary.span;
    if fix.edits.iter().all(|e| e.span != primary) {
        child.spans.push(span(places, primary, true));
    }
    for Edit { span: at, text } in &fix.edits {
        child.spans.push(JsonSpan {
            suggested_replacement: Some(text.clone()),
            suggestion_applicability: Some(fix.applicability.as_str()),
            ..span(places, *at, true)
        });
    }
    child
}

fn labelled(places: &Places, label: &Label, primary: bool) -> JsonSpan {
    JsonSpan {
        label: Some(label.text.clone()),
        ..span(places, label.span, primary)
    }
}

fn span(places: &Places, at: Span, is_primary: bool) -> JsonSpan {
    let place = places.of(at);
    let file = places.file(at.file);
    let (first, last) = (place.start.0, place.end.0);
    let quoted = if file.is_foreign() {
        first..first
    } else {
        first..last + 1
    };
    let text = quoted.map(|n| {
        let text = source_line(&file.text, file.line_starts(), n);
        let columns = text.chars().count() + 1;
        Line {
            highlight_start: if n == first { place.start.1 } else { 1 },
            highlight_end: if n == last { place.end.1 } else { columns },
            text: text.to_owned(),
        }
    });
    JsonSpan {
        text: text.collect(),
        file_name: place.file,
        byte_start: at.start,
        byte_end: at.end,
        line_start: first,
        line_end: last,
        column_start: place.start.1,
        column_end: place.end.1,
        is_primary,
        label: None,
        suggested_replacement: None,
        suggestion_applicability: None,
        expansion: None,
    }
}

/// Returns a line by its 1-based number, without line end and byte-order mark.
fn source_line<'t>(text: &'t str, starts: &[u32], number: usize) -> &'t str {
    let start = starts[number - 1] as usize;
    let end = starts.get(number).map_or(text.len(), |&e| e as usize);
    let line = text[start..end].trim_end_matches(['\n', '\r']);
    match number {
        1 => line.strip_prefix('\u{feff}').unwrap_or(line),
        _ => line,
    }
}

fn artifact<'r>(report: &Report<'r>, unit: &Unit<'r>) -> Artifact<'r> {
    Artifact {
        reason: "compiler-artifact",
        package_id: unit.package_id,
        manifest_path: unit.manifest_path.to_string_lossy().into_owned(),
        target: unit.target,
        // Nothing was compiled: these are cargo's values for `cargo check`.
        profile: Profile {
            opt_level: "0",
            debuginfo: 0,
            debug_assertions: true,
            overflow_checks: true,
            test: unit.is_test,
        },
        features: unit.features,
        filenames: [],
        executable: None,
        // An editor clears old diagnostics only for artifacts that are not fresh.
        fresh: false,
        exact_for: report.exact_for,
    }
}

#[cfg(test)]
mod tests;
