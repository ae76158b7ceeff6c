//! What text output lists below the warnings: the best of the other findings, in one line each.

use super::{Item, Places, Report, count};
use crate::finding::{BlockChange, Remedy};
use crate::visible;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

/// A project whose best finding has less worth is told that nothing is likely worth a change.
const LITTLE: u8 = 10;

/// The lint of which every type of a file may have a finding: these are one line together.
const BY_FILE: &str = "unfrozen_vec";

/// Keeps the `most` best findings: one for each type, and of [`BY_FILE`] one for each file, which
/// counts the others.
pub(super) fn keep(also: &mut Vec<Item>, most: usize) {
    let mut types = BTreeSet::new();
    also.retain(|item| types.insert((item.diagnostic.krate, &*item.diagnostic.ty)));
    let file = |item: &Item| {
        let d = item.diagnostic;
        (d.lint.name == BY_FILE).then_some(d.finding.primary.span.file)
    };
    let mut files: BTreeMap<_, usize> = BTreeMap::new();
    for file in also.iter().filter_map(file) {
        *files.entry(file).or_default() += 1;
    }
    also.retain_mut(|item| match file(item) {
        Some(file) => {
            let all = files.remove(&file);
            item.alike = all.unwrap_or(1) - 1;
            all.is_some()
        }
        None => true,
    });
    also.truncate(most);
}

/// Writes the list, and a line on the project.
pub(super) fn write(report: &Report, places: &Places, out: &mut dyn Write) -> io::Result<()> {
    let Some(best) = report.also.first() else {
        return Ok(());
    };
    let worth = best.diagnostic.worth.percent();
    let head = match report.items.is_empty() {
        true if worth < LITTLE => {
            "Nothing here is likely worth a change; the best, with worth of 100:"
        }
        true => "Worth a look (worth of 100; `cargo weigh why TYPE` says more):",
        false => "Also worth a look (worth of 100; `cargo weigh why TYPE` says more):",
    };
    writeln!(out, "{head}")?;
    for item in &report.also {
        let line = line(places, item);
        writeln!(out, "  {}", visible::line(&line))?;
    }
    let last = |path: &'_ str| path.rsplit("::").next().unwrap_or(path).to_owned();
    let largest = report.largest.iter();
    let largest: Vec<_> = largest
        .map(|(path, size)| {
            // Types of one name are told apart by their modules.
            let same = report.largest.iter().filter(|(p, _)| last(p) == last(path));
            let name = match same.count() {
                1 => last(path),
                _ => path.clone(),
            };
            format!("`{}` {size}", visible::line(&name))
        })
        .collect();
    if !largest.is_empty() {
        writeln!(
            out,
            "Largest types that collections store, in bytes: {}",
            largest.join(", ")
        )?;
    }
    if report.has_program {
        writeln!(
            out,
            "`cargo weigh census` counts them in a run of the program."
        )?;
    }
    writeln!(out)
}

/// Returns the fields that a remedy does nothing to but freeze.
fn frozen(remedy: &Remedy) -> Vec<&str> {
    let changes = remedy.heap.iter().flatten();
    let fields = changes.map(|change| match change {
        BlockChange::Frozen(field) => Some(field.as_str()),
        _ => None,
    });
    fields.collect::<Option<_>>().unwrap_or_default()
}

/// Returns a finding in one line, first what shrinks.
fn line(places: &Places, item: &Item) -> String {
    let d = item.diagnostic;
    let finding = &d.finding;
    let place = places.line(finding.primary.span);
    let name = d.ty.rsplit("::").next().unwrap_or(&d.ty);
    let best = finding.remedies.first();
    let own = finding.size_before.zip(finding.size_after());
    let holder = best.and_then(|r| r.ripple.first());
    let shrinks = match (own, holder) {
        (Some((before, after)), _) if after < before => Some((name.to_owned(), before, after)),
        (_, Some(r)) if r.after < r.before => {
            let holder = r.path.rsplit("::").next().unwrap_or(&r.path);
            Some((holder.to_owned(), r.before, r.after))
        }
        _ => None,
    };
    let frozen = best.map_or_else(Vec::new, frozen);
    let what = match (&frozen[..], best) {
        ([a, b, rest @ ..], _) => match rest {
            [] => format!("freeze `{a}` and `{b}`"),
            [c] => format!("freeze `{a}`, `{b}` and `{c}`"),
            more => format!("freeze `{a}`, `{b}` and {} more buffers", more.len()),
        },
        (_, Some(best)) => best.title.clone(),
        (_, None) => finding.message.clone(),
    };
    let worth = d.worth.percent();
    let alike = match item.alike {
        0 => String::new(),
        n => format!(", and {} more in this file", count(n, "type")),
    };
    match shrinks {
        Some((name, before, after)) => {
            format!("{worth:2}  `{name}` {before} → {after} bytes: {what} ({place}){alike}")
        }
        None => format!("{worth:2}  {} ({place}){alike}", finding.message),
    }
}
