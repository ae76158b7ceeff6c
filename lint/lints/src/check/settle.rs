//! Resolves conflicts between findings on the same field.

use super::Diagnostic;
use crate::finding::{Confidence, Finding};
use crate::lint::{Check, Claim};
use crate::span::Span;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;

fn claims(finding: &Finding) -> impl Iterator<Item = Span> + '_ {
    std::iter::once(finding.primary.span).chain(finding.claims.iter().copied())
}

/// Returns the spans that findings certain enough to be reported refer to.
pub(super) fn claimed(shown: &[Diagnostic]) -> FxHashSet<Span> {
    let sure = |d: &&Diagnostic| {
        d.lint.claim != Claim::None && !d.below && !matches!(d.lint.check, Check::Counted(_))
    };
    let sure = shown.iter().filter(sure);
    sure.flat_map(|d| claims(&d.finding)).collect()
}

/// Keeps one finding per span: reportable ones first, then by level, then by saving. The others
/// become notes of it, unless they are only possible.
pub(super) fn settle(diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut settled = diagnostics;
    let rivals = settled.extract_if(.., |d| d.lint.claim.rival().is_some());
    let mut rivals: Vec<_> = rivals.collect();
    let net = |d: &Diagnostic| Reverse(d.counted.and_then(|c| c.net));
    rivals.sort_by_key(|d| (d.below, Reverse(d.level), net(d), d.lint.claim.rival()));
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
    use crate::lints::LINTS;

    #[test]
    fn no_two_rivals_have_one_number() {
        let mut all: Vec<_> = LINTS.iter().filter_map(|l| l.claim.rival()).collect();
        all.sort_unstable();
        assert!(all.is_sorted_by(|a, b| a < b), "{all:?}");
    }
}
