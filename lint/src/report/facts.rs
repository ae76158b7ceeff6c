//! The machine-readable facts of a finding, in every format that has room for them.

use super::{Item, Places};
use crate::join::Measured;
use crate::worth::Signals;
use serde::Serialize;
use std::collections::BTreeMap;

/// The contract's object `weigh`.
#[derive(Serialize)]
pub(super) struct Facts<'r> {
    lint: &'static str,
    package: &'r str,
    #[serde(rename = "type")]
    ty: &'r str,
    field: Option<&'r str>,
    size_before: Option<u64>,
    size_after: Option<u64>,
    population: &'static str,
    confidence: &'static str,
    remedies: Vec<RemedyFacts<'r>>,
    evidence: Vec<String>,
    rank: usize,
    worth: u8,
    /// What each signal adds to the worth.
    signals: BTreeMap<&'static str, f64>,
    /// The facts that the signals are made from.
    facts: &'r Signals,
    /// What else speaks against it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    against: Vec<&'static str>,
    /// What it supposes of unread macros.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    assuming: &'r [String],
    measured: Option<&'r Measured>,
    /// The targets that the finding applies to, if the run has several.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    triples: &'r [String],
}

#[derive(Serialize)]
struct RemedyFacts<'r> {
    title: &'r str,
    size_after: Option<u64>,
    ripple: Vec<(&'r str, u64, u64)>,
    #[serde(skip_serializing_if = "Option::is_none")]
    net_saved_bytes: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    net_blocks: Option<i64>,
}

impl<'r> Facts<'r> {
    /// Facts of a finding.
    pub(super) fn of(places: &Places, item: &Item<'r>) -> Facts<'r> {
        let d = item.diagnostic;
        let finding = &d.finding;
        let remedies = finding.remedies.iter().map(|r| {
            let ripple = r.ripple.iter();
            RemedyFacts {
                title: &r.title,
                net_saved_bytes: r.net.map(|n| n.bytes),
                net_blocks: r.net.map(|n| n.blocks),
                size_after: r.size_after,
                ripple: ripple
                    .map(|r| (r.path.as_str(), r.before, r.after))
                    .collect(),
            }
        });
        let evidence = finding.evidence.iter().map(|e| match e.span {
            Some(span) => format!("{}: {}", places.line(span), e.text),
            None => e.text.clone(),
        });
        Facts {
            lint: d.lint.name,
            package: item.unit.package,
            ty: &d.ty,
            field: finding.field.as_deref(),
            size_before: finding.size_before,
            size_after: finding.size_after(),
            population: finding.multiplicity.as_str(),
            confidence: finding.confidence.as_str(),
            remedies: remedies.collect(),
            evidence: evidence.collect(),
            rank: d.rank,
            worth: d.worth.percent(),
            signals: d
                .worth
                .parts()
                .iter()
                .map(|p| (p.name, p.rounded()))
                .collect(),
            facts: d.worth.signals(),
            against: finding.against.iter().map(|r| r.text()).collect(),
            assuming: &finding.assuming,
            measured: d.measured.as_deref(),
            triples: &d.triples,
        }
    }
}
