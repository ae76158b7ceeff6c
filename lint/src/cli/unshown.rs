//! What a run does not show: findings that are suppressed, and types of unknown size, with what to
//! do about them.

use super::Terminal;
use crate::check::{Census, Checked, Hidden};
use crate::model::Model;
use crate::report::{self, Places};
use crate::visible;
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Returns the suppressed findings of all targets, each once.
fn hidden(runs: &[Checked]) -> Vec<&Hidden> {
    let mut seen = FxHashSet::default();
    let all = runs.iter().flat_map(|run| &run.hidden);
    all.filter(|h| seen.insert((h.lint, h.span, h.by)))
        .collect()
}

/// Returns at most two lines: what is suppressed, and which sizes are unknown.
pub(super) fn lines(runs: &[Checked]) -> Vec<String> {
    let suppressed = suppressed(&hidden(runs));
    let unknown = unknown(&runs[0].census);
    suppressed.into_iter().chain(unknown).collect()
}

/// Prints these lines as notes. With `-v` all reasons for unknown sizes are printed elsewhere, and
/// formats that programs read have them too.
pub(super) fn note(terminal: &Terminal, runs: &[Checked], json: bool) {
    if json && !terminal.verbose {
        return;
    }
    let suppressed = suppressed(&hidden(runs));
    let unknown = unknown(&runs[0].census).filter(|_| !terminal.verbose);
    for line in suppressed.into_iter().chain(unknown) {
        terminal.note(&line);
    }
}

fn suppressed(hidden: &[&Hidden]) -> Option<String> {
    let mut kinds: BTreeMap<_, usize> = BTreeMap::new();
    for h in hidden {
        *kinds.entry(h.by).or_default() += 1;
    }
    let kinds: Vec<_> = kinds
        .iter()
        .map(|(by, n)| format!("{n} {}", by.text()))
        .collect();
    let worth = hidden.iter().filter(|h| !h.below).count();
    let findings = report::count(hidden.len(), "finding");
    let shown = "(`--show-suppressed` lists them)";
    (!hidden.is_empty()).then(|| {
        format!(
            "{findings} suppressed, {worth} of them worth a warning: {} {shown}",
            kinds.join(", ")
        )
    })
}

/// What would make the sizes of some types known.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Action {
    /// Promise that a macro leaves fields as they are, by its setting.
    Vouch(String),
    /// Run the build scripts.
    Build,
    /// What the reason says.
    Reason(String),
}

impl Action {
    fn of(reason: &str) -> Action {
        let setting = reason
            .split_once("(if not: `")
            .and_then(|(_, rest)| rest.split_once('`'));
        let unbuilt = reason.contains("build script") && reason.contains("has not run");
        match setting {
            Some((setting, _)) => Action::Vouch(setting.to_owned()),
            None if unbuilt => Action::Build,
            None => Action::Reason(reason.to_owned()),
        }
    }
}

/// Returns how many sizes are unknown, and the one action that may make most of them known.
fn unknown(census: &Census) -> Option<String> {
    let mut actions: BTreeMap<Action, (usize, &str)> = BTreeMap::new();
    for (reason, n) in &census.unknown {
        let entry = actions.entry(Action::of(reason)).or_insert((0, reason));
        entry.0 += n;
    }
    // Of equal ones, that which can be taken.
    let most = actions.into_iter().rev();
    let can = |action: &Action| !matches!(action, Action::Reason(_));
    let (action, (n, example)) = most.max_by_key(|(action, (n, _))| (*n, can(action)))?;
    let all = census.unsized_types();
    let what = match action {
        Action::Vouch(setting) => format!(
            "{n} of them by a macro; if it leaves fields as they are, set `{setting}` in \
             `[package.metadata.weigh]`"
        ),
        Action::Build => format!("`cargo build` may make {n} of them known: {example}"),
        // What nobody can mend is said if it is true of most.
        Action::Reason(_) if all * 2 < census.types => return None,
        Action::Reason(reason) => format!("{n} of them because: {reason}"),
    };
    let types = report::count(census.types, "type");
    Some(format!("unknown sizes: {all} of {types}, {what}"))
}

/// Lists the suppressed findings, one on a line.
pub(super) fn list(model: &Model<'static>, runs: &[Checked]) -> String {
    let places = Places::from_here(model);
    let mut text = String::new();
    for h in hidden(runs) {
        let (place, by) = (places.line(h.span), h.by.text());
        let line = format!(
            "{place}: suppressed {by}: {} [weigh::{}]",
            h.message, h.lint
        );
        let _ = writeln!(text, "{}", visible::line(&line));
    }
    text
}
