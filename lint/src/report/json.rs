//! Cargo's lines of JSON, as editors read them; `weigh` is the one key of our own.

use super::human::{self, severity};
use super::{Places, Rendered, Report};
use crate::check::Diagnostic;
use crate::finding::{Edit, Finding, Label, Remedy};
use crate::project::Crate;
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

/// A line of source with the 1-based columns of what is meant in it.
#[derive(Serialize)]
struct Line {
    text: String,
    highlight_start: usize,
    highlight_end: usize,
}

#[derive(Serialize)]
struct Weigh<'r> {
    lint: &'static str,
    package: &'r str,
    #[serde(rename = "type")]
    ty: &'r str,
    field: Option<&'r str>,
    size_before: Option<u64>,
    size_after: Option<u64>,
    population: &'static str,
    confidence: &'static str,
    remedies: Vec<JsonRemedy<'r>>,
    evidence: Vec<String>,
    measured: Option<()>,
}

#[derive(Serialize)]
struct JsonRemedy<'r> {
    title: &'r str,
    size_after: Option<u64>,
    ripple: Vec<(&'r str, u64, u64)>,
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

/// Writes the lines of a report: each package's findings, then the package.
pub(super) fn write(
    report: &Report,
    places: &Places,
    rendered: Rendered,
    out: &mut dyn Write,
) -> io::Result<()> {
    let project = report.model.db.project;
    let of = |d: &Diagnostic| {
        report
            .model
            .db
            .krate(d.krate)
            .id
            .map(|id| project.krate(id))
    };
    let mut packages: Vec<&Crate> = Vec::new();
    for &id in &project.selected {
        let krate = project.krate(id);
        if !packages.iter().any(|p| p.package_id == krate.package_id) {
            packages.push(krate);
        }
    }
    for package in packages {
        for d in &report.checked.diagnostics {
            if let Some(krate) = of(d).filter(|k| k.package_id == package.package_id) {
                line(out, &message(places, krate, d, rendered))?;
            }
        }
        line(out, &artifact(package))?;
    }
    Ok(())
}

/// Writes the last line of all.
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
    krate: &'r Crate,
    d: &'r Diagnostic,
    rendered: Rendered,
) -> Message<'r> {
    Message {
        reason: "compiler-message",
        package_id: &krate.package_id,
        manifest_path: krate.manifest_path.to_string_lossy().into_owned(),
        target: &krate.cargo_target,
        message: rustc(places, d, rendered),
        weigh: weigh(places, krate, d),
    }
}

fn rustc<'r>(places: &Places, d: &'r Diagnostic, rendered: Rendered) -> Rustc<'r> {
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
            Rendered::Plain => human::rich(places, d, false),
            Rendered::Ansi => human::rich(places, d, true),
            Rendered::Short => format!("{}\n", human::short(places, d)),
        },
    }
}

fn weigh<'r>(places: &Places, krate: &'r Crate, d: &'r Diagnostic) -> Weigh<'r> {
    let finding = &d.finding;
    let remedies = finding.remedies.iter().map(|r| JsonRemedy {
        title: &r.title,
        size_after: r.size_after,
        ripple: r
            .ripple
            .iter()
            .map(|r| (r.path.as_str(), r.before, r.after))
            .collect(),
    });
    let evidence = finding.evidence.iter().map(|e| match e.span {
        Some(span) => {
            let place = places.of(span);
            format!("{}:{}: {}", place.file, place.start.0, e.text)
        }
        None => e.text.clone(),
    });
    Weigh {
        lint: d.lint.name,
        package: &krate.package,
        ty: &d.ty,
        field: finding.field.as_deref(),
        size_before: finding.size_before,
        size_after: finding.size_after(),
        population: finding.population.as_str(),
        confidence: finding.confidence.as_str(),
        remedies: remedies.collect(),
        evidence: evidence.collect(),
        measured: None,
    }
}

/// Editors show these as further lines of the message; those with edits as quick fixes.
fn children(places: &Places, d: &Diagnostic) -> Vec<Child> {
    let finding = &d.finding;
    let mut list = Vec::new();
    if let Some(parts) = &finding.parts {
        let rows: Vec<_> = parts
            .rows
            .iter()
            .map(|(name, n)| format!("{name} {n}"))
            .collect();
        list.push(child(
            "note",
            format!("{}: {}", parts.title, rows.join(", ")),
        ));
    }
    list.extend(finding.remedies.iter().map(|r| remedy(places, finding, r)));
    let notes = finding.trade_off.iter().chain(&finding.notes);
    list.extend(notes.map(|n| child("note", n.clone())));
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

fn remedy(places: &Places, finding: &Finding, remedy: &Remedy) -> Child {
    let mut child = child("help", remedy.words());
    let Some(fix) = &remedy.fix else {
        return child;
    };
    // An editor offers the fix where the first span lies: at the finding, though the edit may be
    // elsewhere.
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
    let text = (first..=last).map(|n| {
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

/// A line, by its 1-based number, without its end and without a byte-order mark.
fn source_line<'t>(text: &'t str, starts: &[u32], number: usize) -> &'t str {
    let start = starts[number - 1] as usize;
    let end = starts.get(number).map_or(text.len(), |&e| e as usize);
    let line = text[start..end].trim_end_matches(['\n', '\r']);
    match number {
        1 => line.strip_prefix('\u{feff}').unwrap_or(line),
        _ => line,
    }
}

fn artifact(krate: &Crate) -> Artifact<'_> {
    Artifact {
        reason: "compiler-artifact",
        package_id: &krate.package_id,
        manifest_path: krate.manifest_path.to_string_lossy().into_owned(),
        target: &krate.cargo_target,
        // Nothing was compiled: these are cargo's values for a check.
        profile: Profile {
            opt_level: "0",
            debuginfo: 0,
            debug_assertions: true,
            overflow_checks: true,
            test: krate.kind.is_test(),
        },
        features: &krate.features,
        filenames: [],
        executable: None,
        // An editor drops what it showed before only for what is not fresh.
        fresh: false,
    }
}

#[cfg(test)]
mod tests;
