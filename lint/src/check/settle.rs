//! Two findings on one field ask for different things: which of them speaks.

use super::Diagnostic;
use crate::finding::{Confidence, Finding};
use crate::lint::Lint;
use crate::span::Span;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;

/// Lints whose remedies change what one field or variable is, by what they save: a block for each
/// element, the block of a value, the capacity in it. The others' remedies go together.
const STRONGEST_FIRST: &[&str] = &[
    "linked_list",
    "double_allocation",
    "tiny_allocation",
    "small_vec",
    "one_element_vec",
    "small_string",
    "repeated_text",
    "unfrozen_builder",
    "unfrozen_vec",
    "spare_capacity",
    "always_empty",
    "alloc_in_loop",
];

fn rank(lint: &Lint) -> Option<usize> {
    STRONGEST_FIRST.iter().position(|name| *name == lint.name)
}

fn claims(finding: &Finding) -> impl Iterator<Item = Span> + '_ {
    std::iter::once(finding.primary.span).chain(finding.claims.iter().copied())
}

/// What asks for boxes: another lint speaks of what those bring elsewhere.
const BOXES: &str = "oversized_variant";

/// What only a census finds: what it saves is known, and decides whether it speaks.
const COUNTED: &[&str] = &[
    "always_empty",
    "one_element_vec",
    "repeated_text",
    "spare_capacity",
];

/// The places that findings speak of which are sure enough to be shown.
pub(super) fn claimed(shown: &[Diagnostic]) -> FxHashSet<Span> {
    let sure = |d: &&Diagnostic| {
        let asks = rank(d.lint).is_some() || d.lint.name == BOXES;
        asks && d.reserved.is_none() && !COUNTED.contains(&d.lint.name)
    };
    let sure = shown.iter().filter(sure);
    sure.flat_map(|d| claims(&d.finding)).collect()
}

/// Leaves one finding a place: a sure one before one that is not, then what the user takes more
/// seriously, then what saves more. It states what the others would do.
pub(super) fn settle(diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let (mut rivals, mut settled): (Vec<_>, Vec<_>) = diagnostics
        .into_iter()
        .partition(|d| rank(d.lint).is_some());
    let net = |d: &Diagnostic| Reverse(d.counted.and_then(|c| c.net));
    rivals.sort_by_key(|d| {
        let sure = d.reserved.is_some();
        (sure, Reverse(d.level), net(d), rank(d.lint))
    });
    let mut taken: FxHashMap<Span, usize> = FxHashMap::default();
    for diagnostic in rivals {
        let winner = claims(&diagnostic.finding).find_map(|c| taken.get(&c).copied());
        let Some(winner) = winner else {
            let places = claims(&diagnostic.finding);
            taken.extend(places.map(|place| (place, settled.len())));
            settled.push(diagnostic);
            continue;
        };
        if diagnostic.finding.confidence > Confidence::Possible {
            mention(&mut settled[winner].finding, diagnostic);
        }
    }
    settled
}

fn mention(winner: &mut Finding, other: Diagnostic) {
    let Diagnostic { lint, finding, .. } = other;
    winner
        .notes
        .push(format!("{} ({})", finding.message, lint.name));
    let remedies = finding.remedies.into_iter().take(1);
    winner.remedies.extend(remedies.map(|mut remedy| {
        remedy.change.clear();
        remedy.fix = None;
        remedy
    }));
}

#[cfg(test)]
mod tests {
    use super::{COUNTED, STRONGEST_FIRST};
    use crate::lints::LINTS;

    #[test]
    fn they_are_lints() {
        for name in STRONGEST_FIRST.iter().chain(COUNTED) {
            assert!(LINTS.iter().any(|l| l.name == *name), "{name}");
        }
    }
}
