//! Joins the findings of runs for several targets into one per location.

use super::{Checked, Diagnostic, rank};
use crate::lint::Group;
use crate::lint::words::listed;
use crate::model::Model;
use rustc_hash::FxHashMap;

/// A finding without its compilation target: package, Cargo target, lint, span, field.
type Key = (
    String,
    String,
    &'static str,
    (u32, u32, u32),
    Option<String>,
);

/// Keeps each finding in the first run that has it, with the targets that it applies to.
///
/// The runs are of the same selection and sources, each for another target. The message of a
/// finding that applies to some targets only says so; differing sizes are in its notes.
pub fn join(models: &[Model<'static>], runs: &mut [Checked]) {
    if runs.len() < 2 {
        return;
    }
    let triples: Vec<&str> = models
        .iter()
        .map(|m| m.db.project.target.triple.as_str())
        .collect();
    let mut lists: Vec<Vec<Diagnostic>> = Vec::new();
    let mut unsure: Vec<Vec<Diagnostic>> = Vec::new();
    for run in runs.iter_mut() {
        lists.push(std::mem::take(&mut run.diagnostics));
        unsure.push(std::mem::take(&mut run.unsure));
    }
    let mut seen = FxHashMap::default();
    let mut lists = once(models, lists, &triples, &mut seen);
    // A finding that is reported for one target is not listed as unsure for another.
    let unsure = once(models, unsure, &triples, &mut seen);
    for list in &mut lists {
        // A comment without effect for one target may be needed for another.
        let idle =
            |d: &Diagnostic| d.lint.group == Group::Comments && d.triples.len() < triples.len();
        list.retain(|d| !idle(d));
        for d in list.iter_mut().filter(|d| d.triples.len() < triples.len()) {
            d.finding.message.push_str(&match d.triples.as_slice() {
                [only] => format!(" (only on `{only}`)"),
                some => {
                    let some: Vec<_> = some.iter().map(|t| format!("`{t}`")).collect();
                    format!(" (on {})", listed(&some))
                }
            });
        }
    }
    rank(lists.iter_mut().flatten(), 0);
    let before = lists.iter().map(Vec::len).sum();
    let mut unsure = unsure;
    rank(unsure.iter_mut().flatten(), before);
    let mut said = Vec::new();
    for ((run, list), unsure) in runs.iter_mut().zip(lists).zip(unsure) {
        run.diagnostics = list;
        run.unsure = unsure;
        for problems in [&mut run.problems, &mut run.warnings] {
            problems.retain(|p| {
                let what = (p.span, p.message.clone());
                let new = !said.contains(&what);
                said.push(what);
                new
            });
        }
    }
}

/// Keeps each finding once, in the first list that has it.
fn once(
    models: &[Model<'static>],
    lists: Vec<Vec<Diagnostic>>,
    triples: &[&str],
    seen: &mut FxHashMap<(Key, usize), Option<(usize, usize)>>,
) -> Vec<Vec<Diagnostic>> {
    // Findings of earlier lists are not repeated.
    seen.values_mut().for_each(|at| *at = None);
    let mut kept: Vec<Vec<Diagnostic>> = Vec::new();
    for (run, list) in lists.into_iter().enumerate() {
        kept.push(Vec::new());
        let mut times: FxHashMap<Key, usize> = FxHashMap::default();
        for mut d in list {
            let key = key(&models[run], &d);
            let nth = times.entry(key.clone()).or_default();
            *nth += 1;
            match seen.get(&(key.clone(), *nth)) {
                Some(&Some((list, at))) => add(&mut kept[list][at], &d, triples[run]),
                Some(None) => {}
                None => {
                    seen.insert((key, *nth), Some((run, kept[run].len())));
                    d.triples = vec![triples[run].to_owned()];
                    kept[run].push(d);
                }
            }
        }
    }
    kept
}

fn key(model: &Model<'static>, d: &Diagnostic) -> Key {
    let id = model.db.krate(d.krate).id;
    let krate = id.map(|id| model.db.project.krate(id));
    let (package, target) = krate.map_or_else(Default::default, |k| {
        (k.package_id.clone(), k.cargo_target.to_string())
    });
    let span = d.finding.primary.span;
    let place = (span.file.0, span.start, span.end);
    (package, target, d.lint.name, place, d.finding.field.clone())
}

/// Adds a target to a finding.
fn add(known: &mut Diagnostic, other: &Diagnostic, triple: &str) {
    known.triples.push(triple.to_owned());
    known.level = known.level.max(other.level);
    let sizes = |d: &Diagnostic| (d.finding.size_before, d.finding.size_after());
    if sizes(known) == sizes(other) {
        return;
    }
    let note = match sizes(other) {
        (Some(before), Some(after)) => format!("on `{triple}`: {before} → {after} bytes"),
        (Some(before), None) => format!("on `{triple}`: {before} bytes"),
        (None, _) => return,
    };
    known.finding.notes.push(note);
}
