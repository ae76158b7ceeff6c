//! The report as a self-contained HTML page: the template in `page/`, filled with the data.
//!
//! The page's script draws everything from the data, so that no name is ever markup. The content
//! policy in its head allows only this script and this style, by their hashes.

mod counted;
mod stacks;
mod waste;

use crate::census::count::Census;
use crate::check::Diagnostic;
use crate::finding::{Finding, Label};
use crate::ir::AdtKind;
use crate::lints::LINTS;
use crate::model::{Model, TypeInfo};
use crate::report::{Item, Places, Report, Spare};
use crate::resolve::ItemId;
use crate::shape::Shape;
use crate::visible;
use crate::worth::score::Part;
use counted::Counts;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use waste::{Claims, Waste};

const PAGE: &str = include_str!("page/page.html");
const STYLE: &str = include_str!("page/style.css");
/// The scripts in one function, so that they share names with each other alone.
const SCRIPT: &str = concat!(
    "\"use strict\";\n(() => {\n",
    include_str!("page/base.js"),
    include_str!("page/layout.js"),
    include_str!("page/map.js"),
    include_str!("page/stacks.js"),
    include_str!("page/census.js"),
    include_str!("page/type.js"),
    include_str!("page/script.js"),
    "})();\n",
);

/// Hashes of the two texts above; `BLESS=1` updates them in a test.
const STYLE_HASH: &str = "sha256-CwdLXskHksIfEpQ4q8jHoo9dYBuQLtEd9PwGXXgSD0Q=";
const SCRIPT_HASH: &str = "sha256-OIwjhVmhvOjwYWmEtUn7J6smzmz0eBToLFAP+Yy9INs=";

/// Number of lines shown before and after a label.
const AROUND: usize = 1;
/// Maximum number of lines of a snippet, and of characters of a line.
const MOST_LINES: usize = 8;
const LONGEST_LINE: usize = 240;

/// Optional sections of the page.
#[derive(Default)]
pub struct More<'m> {
    /// The changes, from [`crate::snapshot::page`].
    pub diff: Option<Value>,
    /// The census of a run of the program.
    pub census: Option<&'m Census>,
    /// Its spare capacity that no finding would release.
    pub spare: &'m [Spare<'m>],
    /// Types that fields store many values of.
    pub stored: Option<&'m FxHashSet<ItemId>>,
}

#[derive(Serialize)]
struct Data<'m> {
    head: Head,
    crates: Vec<String>,
    lints: BTreeMap<&'static str, LintWords>,
    types: Vec<Type<'m>>,
    findings: Vec<JsonFinding<'m>>,
    diff: Option<&'m Value>,
    census: Option<Counts<'m>>,
}

#[derive(Serialize)]
struct Head {
    title: String,
    summary: String,
}

#[derive(Serialize)]
struct LintWords {
    summary: String,
    url: String,
}

#[derive(Serialize)]
struct Type<'m> {
    #[serde(rename = "crate")]
    krate: usize,
    path: &'m str,
    kind: &'static str,
    generics: &'m [String],
    file: String,
    line: usize,
    size: Option<u64>,
    /// The size, or its lower bound, in bytes.
    least: u64,
    align: Option<u64>,
    reason: Option<String>,
    shape: Option<Shape>,
    /// Fields store many values of it.
    stored: bool,
}

#[derive(Serialize)]
struct JsonFinding<'m> {
    #[serde(rename = "crate")]
    krate: usize,
    lint: &'static str,
    error: bool,
    /// It is no warning.
    below: bool,
    /// Its place in the page, where spare capacity has places too.
    rank: usize,
    worth: u8,
    signals: Vec<Signal>,
    message: &'m str,
    #[serde(rename = "type")]
    ty: &'m str,
    /// Index of the type in [`Data::types`].
    type_index: Option<usize>,
    field: Option<&'m str>,
    before: Option<u64>,
    after: Option<u64>,
    confidence: &'static str,
    triples: &'m [String],
    labels: Vec<Snippet<'m>>,
    remedies: Vec<String>,
    ripple: Vec<(&'m str, u64, u64)>,
    parts: Option<Parts<'m>>,
    evidence: Vec<(Option<String>, &'m str)>,
    notes: Vec<&'m str>,
    waste: Option<Waste>,
    /// What the best remedy would have saved in the counted run: bytes, less than 0 if it costs.
    net: Option<i64>,
    /// Values in it.
    values: Option<u64>,
    /// What was counted, in words.
    counted: Vec<String>,
    after_shape: Option<&'m Shape>,
}

/// What a signal adds to the worth, and why.
#[derive(Serialize)]
struct Signal {
    points: String,
    words: String,
}

#[derive(Serialize)]
struct Parts<'m> {
    title: &'m str,
    rows: &'m [(String, u64)],
}

/// A label with the lines that it marks.
#[derive(Serialize)]
struct Snippet<'m> {
    file: String,
    line: usize,
    text: &'m str,
    lines: Vec<(usize, Vec<(String, u8)>)>,
}

/// How a part of a line is marked.
const PLAIN: u8 = 0;
const MARKED: u8 = 1;
const MAIN: u8 = 2;

/// Returns the page of a run, with its title and its summary on one line.
///
/// # Errors
/// The data cannot be serialized.
pub fn page(
    model: &Model<'static>,
    report: &Report,
    title: &str,
    summary: &str,
    more: &More,
) -> Result<String, String> {
    let mut writer = Writer {
        model,
        places: Places::new(model),
        crates: Vec::new(),
        indices: FxHashMap::default(),
        claims: Claims::default(),
        more,
    };
    let types = writer.types();
    let mut items = report.items.clone();
    items.extend(&report.also);
    items.sort_by_key(|item| (item.is_note, item.diagnostic.rank));
    let findings = items.iter().map(|item| writer.found(item));
    let mut findings: Vec<JsonFinding> = findings.collect();
    let of_spare = number(&mut findings, more.spare);
    let spare = of_spare.into_iter().zip(more.spare);
    let census = more
        .census
        .map(|census| Counts::of(census, spare, &writer.crates, &types));
    let lints = LINTS.iter().map(|lint| {
        let words = LintWords {
            summary: lint.summary(),
            url: lint.url(),
        };
        (lint.name, words)
    });
    let data = Data {
        head: Head {
            title: title.to_owned(),
            summary: summary.to_owned(),
        },
        types,
        findings,
        lints: lints.collect(),
        crates: writer.crates,
        diff: more.diff.as_ref(),
        census,
    };
    let data = serde_json::to_value(data).map_err(|e| e.to_string())?;
    let pieces = [
        ("@script-hash@", SCRIPT_HASH.to_owned()),
        ("@style-hash@", STYLE_HASH.to_owned()),
        ("@title@", escaped(title)),
        ("@style@", STYLE.to_owned()),
        ("@data@", embedded(&shown(data))),
        ("@script@", SCRIPT.to_owned()),
    ];
    Ok(filled(PAGE, &pieces))
}

/// Gives findings their ranks, and returns those of spare capacity without one: before the minor
/// findings if there are others.
fn number(findings: &mut [JsonFinding<'_>], spare: &[Spare<'_>]) -> Vec<usize> {
    let minor = findings.iter().position(|f| f.below).filter(|at| *at > 0);
    let saved = findings[..minor.unwrap_or(findings.len())].iter();
    let saved = saved.map(|f| match f.error {
        true => u64::MAX,
        false => f.net.map_or(0, |net| net.max(0).unsigned_abs()),
    });
    let saved: Vec<u64> = saved.collect();
    let of_spare = between(&saved, spare.iter().map(|s| s.count.slack_bytes));
    let free = (1..).filter(|rank| of_spare.binary_search(rank).is_err());
    for (finding, rank) in findings.iter_mut().zip(free) {
        finding.rank = rank;
    }
    of_spare
}

/// Returns the ranks of amounts, the most first, behind all of `saved` that are as much.
fn between(saved: &[u64], amounts: impl Iterator<Item = u64>) -> Vec<usize> {
    let before = |amount| {
        saved
            .iter()
            .rposition(|s| *s >= amount)
            .map_or(0, |at| at + 1)
    };
    let places = amounts.enumerate();
    places.map(|(at, amount)| before(amount) + at + 1).collect()
}

/// Returns the template with its placeholders filled in one pass, so that nothing is replaced
/// inside an inserted text.
fn filled(frame: &str, pieces: &[(&str, String)]) -> String {
    let mut text = String::new();
    let mut rest = frame;
    while let Some((at, name, piece)) = pieces
        .iter()
        .filter_map(|(name, piece)| Some((rest.find(name)?, *name, piece)))
        .min_by_key(|(at, ..)| *at)
    {
        text.push_str(&rest[..at]);
        text.push_str(piece);
        rest = &rest[at + name.len()..];
    }
    text.push_str(rest);
    text
}

/// Escapes a text for HTML.
fn escaped(text: &str) -> String {
    let text = visible::line(text);
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    text.replace('>', "&gt;").replace('"', "&quot;")
}

/// Serializes JSON for a script element: it cannot end the element or begin a comment.
fn embedded(value: &Value) -> String {
    let text = value.to_string();
    let text = text.replace('<', "\\u003c").replace('>', "\\u003e");
    text.replace('&', "\\u0026")
}

/// Escapes invisible characters in names and sources, such as direction marks.
fn shown(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(visible::line(&text).into_owned()),
        Value::Array(list) => Value::Array(list.into_iter().map(shown).collect()),
        Value::Object(map) => {
            let entries = map.into_iter();
            let entries =
                entries.map(|(key, value)| (visible::line(&key).into_owned(), shown(value)));
            Value::Object(entries.collect::<Map<_, _>>())
        }
        other => other,
    }
}

struct Writer<'m> {
    model: &'m Model<'static>,
    places: Places,
    crates: Vec<String>,
    /// Types by crate and path.
    indices: FxHashMap<(usize, &'m str), (usize, AdtKind)>,
    claims: Claims<'m>,
    more: &'m More<'m>,
}

impl<'m> Writer<'m> {
    /// Returns the index of a crate, which is named by its package, and by its target if that
    /// differs.
    fn krate(&mut self, package: &str, target: &str) -> usize {
        let name = match package == target || package.replace('-', "_") == target {
            true => package.to_owned(),
            false => format!("{package}: {target}"),
        };
        let known = self.crates.iter().position(|c| *c == name);
        known.unwrap_or_else(|| {
            self.crates.push(name);
            self.crates.len() - 1
        })
    }

    fn types(&mut self) -> Vec<Type<'m>> {
        let model = self.model;
        let mut types = Vec::new();
        for info in model.types() {
            types.extend(self.ty(info, types.len()));
        }
        types
    }

    fn ty(&mut self, info: &'m TypeInfo, index: usize) -> Option<Type<'m>> {
        let model = self.model;
        let id = model.db.krate(info.krate).id?;
        let krate = model.db.project.krate(id);
        let krate = self.krate(&krate.package, &krate.target_name);
        let known = self.indices.entry((krate, &info.path));
        known.or_insert((index, info.kind));
        let place = self.places.of(info.span);
        let extent = model.extent(info.ty);
        let view = model.view(info.ty);
        let unknown = extent.as_ref().err().or(view.as_ref().err());
        Some(Type {
            krate,
            path: &info.path,
            kind: info.kind.as_str(),
            generics: &info.generics,
            file: place.file,
            line: place.start.0,
            size: extent.as_ref().ok().map(|e| e.size),
            least: match &extent {
                Ok(e) => e.size,
                Err(_) => model.min_size(info.ty),
            },
            align: extent.as_ref().ok().map(|e| e.align),
            reason: unknown.map(|why| model.reason(why)),
            shape: view.ok().map(|view| model.shape(&view)),
            stored: self.more.stored.is_some_and(|s| s.contains(&info.item)),
        })
    }

    fn found(&mut self, item: &Item<'m>) -> JsonFinding<'m> {
        let d: &'m Diagnostic = item.diagnostic;
        let finding: &'m Finding = &d.finding;
        let target = item.unit.target["name"].as_str().unwrap_or_default();
        let krate = self.krate(item.unit.package, target);
        let mut labels = vec![self.snippet(&finding.primary, MAIN)];
        let others = finding.secondary.iter();
        labels.extend(others.map(|label| self.snippet(label, MARKED)));
        let best = finding.remedies.first();
        let ripple = best.iter().flat_map(|r| &r.ripple);
        let evidence = finding.evidence.iter();
        let measured = d.measured.as_deref();
        let whole = self.more.census.map(|c| &c.summary);
        let live = whole.map_or(0, |s| s.live_bytes + s.malloc_bytes);
        let known = self.indices.get(&(krate, d.ty.as_str()));
        let (type_index, kind) = known.copied().unzip();
        let signals = d.worth.parts();
        let signal = |part: Part| Signal {
            points: part.points(),
            words: part.words,
        };
        let notes = finding.trade_off.iter().chain(&finding.notes);
        JsonFinding {
            krate,
            lint: d.lint.name,
            error: d.level.fails(),
            below: item.is_note,
            rank: d.rank,
            worth: d.worth.percent(),
            signals: signals.into_iter().map(signal).collect(),
            message: &finding.message,
            ty: &d.ty,
            type_index,
            field: finding.field.as_deref(),
            before: finding.size_before,
            after: finding.size_after(),
            confidence: finding.confidence.as_str(),
            triples: &d.triples,
            labels,
            remedies: finding
                .remedies
                .iter()
                .map(|r| r.words(finding.size_before))
                .collect(),
            ripple: ripple
                .map(|r| (r.path.as_str(), r.before, r.after))
                .collect(),
            parts: finding.parts.as_ref().map(|p| Parts {
                title: &p.title,
                rows: &p.rows,
            }),
            evidence: evidence
                .map(|e| (e.span.map(|s| self.places.line(s)), e.text.as_str()))
                .collect(),
            notes: notes.map(String::as_str).collect(),
            waste: measured.map(|_| self.claims.add(item, kind)),
            net: measured.and_then(|m| m.net_saved_bytes),
            values: measured.map(|m| m.values),
            counted: measured.map_or_else(Vec::new, |m| m.words(live)),
            after_shape: finding.after.as_deref(),
        }
    }

    /// Returns the lines of a label, if its file may be quoted.
    fn snippet(&self, label: &'m Label, kind: u8) -> Snippet<'m> {
        let place = self.places.of(label.span);
        let file = self.places.file(label.span.file);
        let mut lines = Vec::new();
        if !file.is_foreign() {
            let (first, last) = (place.start.0, place.end.0);
            let from = first.saturating_sub(AROUND).max(1);
            let to = (last + AROUND).min(from + MOST_LINES);
            let wanted = file.text.lines().skip(from - 1).zip(from..=to);
            for (line, number) in wanted {
                let start = match number {
                    n if n < first || n > last => usize::MAX,
                    n if n == first => place.start.1 - 1,
                    _ => 0,
                };
                let end = match number == last {
                    true => place.end.1 - 1,
                    false => usize::MAX,
                };
                lines.push((number, marked(line, start, end, kind)));
            }
        }
        Snippet {
            file: place.file,
            line: place.start.0,
            text: &label.text,
            lines,
        }
    }
}

/// Returns a line in parts, of which the one from character `start` to `end` is marked.
fn marked(line: &str, start: usize, end: usize, kind: u8) -> Vec<(String, u8)> {
    let line = line.strip_prefix('\u{feff}').unwrap_or(line);
    let mut parts: Vec<(String, u8)> = Vec::new();
    for (at, c) in line.chars().enumerate().take(LONGEST_LINE) {
        let mark = match at >= start && at < end {
            true => kind,
            false => PLAIN,
        };
        // A tab would be escaped as an invisible character.
        let c = if c == '\t' { ' ' } else { c };
        match parts.last_mut() {
            Some((text, last)) if *last == mark => text.push(c),
            _ => parts.push((c.to_string(), mark)),
        }
    }
    parts
}

#[cfg(test)]
mod tests;
