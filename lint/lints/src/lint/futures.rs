//! Findings about futures, from what `cargo weigh futures` has found.

use super::words::bytes;
use super::{Context, Lint};
use crate::config::Setting;
use crate::coroutines::{Boxable, Coroutine};
use crate::finding::{Applicability, Edit, Finding, Fix, Label, Parts, Remedy, Ripple};
use crate::resolve::CrateIx;
use crate::span::Span;

/// Which boxes are offered.
pub const SAVED_PERCENT: Setting = Setting {
    key: "boxes-save-percent",
    default: 10,
    doc: "least share of a future that boxes around what it awaits must save to be offered, in percent",
};

/// A finding about the size of a future that should be no more than `limit`: what lives across the
/// await that sets it, and the boxes that make it smaller. `None` if its place cannot be read.
pub fn finding(
    cx: &Context,
    (lint, krate): (&Lint, CrateIx),
    future: &Coroutine,
    (limit, message): (u64, String),
) -> Option<Finding> {
    let name = cx.name_of(future)?;
    let primary = Label::new(name, format!("{} a future", bytes(future.size)));
    let percent = cx.config(krate).setting(lint.name, &SAVED_PERCENT);
    let remedy = boxes(future, limit, percent).and_then(|boxes| remedy(cx, krate, boxes));
    let parts = future.parts.iter().cloned();
    let parts = Parts::widest("bytes that live across the await that sets the size", parts);
    let decides = future.decides.as_ref().and_then(|at| cx.span_of(at));
    let decides = decides.map(|at| cx.model.evidence(at, "this await sets the size"));
    let several = future.why_several();
    let several = several.map(|why| cx.model.evidence(primary.span, why));
    Some(Finding {
        size_before: Some(future.size),
        parts: (!parts.rows.is_empty()).then_some(parts),
        evidence: decides.into_iter().chain(several).collect(),
        trade_off: remedy
            .is_some()
            .then(|| "each box is an allocation a call".to_owned()),
        remedies: remedy.into_iter().collect(),
        multiplicity: future.multiplicity(),
        ..Finding::new(message, primary)
    })
}

/// The fewest boxes with which a future is no larger than a limit, or as small as boxes make it.
fn boxes(future: &Coroutine, limit: u64, percent: u64) -> Option<&[Boxable]> {
    let all = &future.boxes;
    let enough = all.iter().position(|of| of.size_after <= limit);
    let best = || (0..all.len()).min_by_key(|at| all[*at].size_after);
    let last = enough.or_else(best)?;
    let saved = future.size.saturating_sub(all[last].size_after);
    let is_worth = u128::from(saved) * 100 >= u128::from(future.size) * u128::from(percent);
    (saved > 0 && is_worth).then(|| &all[..=last])
}

/// Boxes around awaited futures, with their edits where every build has the name `Box`.
fn remedy(cx: &Context, krate: CrateIx, boxes: &[Boxable]) -> Option<Remedy> {
    let (first, last) = (boxes.first()?, boxes.last()?);
    let mut edits = Vec::new();
    for of in boxes {
        let at = cx.span_of(&of.at)?;
        let put = |offset: usize, text: &str| Edit {
            span: Span::new(at.file, offset, offset),
            text: text.to_owned(),
        };
        edits.extend([put(of.at.start, "Box::pin("), put(of.at.end, ")")]);
    }
    let fix = Fix {
        edits,
        applicability: Applicability::MachineApplicable,
        left: None,
        elsewhere: None,
    };
    let title = match boxes {
        [only] => format!("box what is awaited: `Box::pin({}).await`", only.expression),
        _ => format!(
            "box what is awaited at {} places, first `Box::pin({}).await`",
            boxes.len(),
            first.expression
        ),
    };
    let has_box = cx.model.steady_heap(krate, &[]) == Some("std");
    Some(Remedy {
        size_after: Some(last.size_after),
        ripple: ripple(&last.ripple),
        fix: has_box.then(|| Box::new(fix)),
        ..Remedy::new(title)
    })
}

/// The futures that shrink with another one.
pub fn ripple(list: &[(String, u64, u64)]) -> Vec<Ripple> {
    let one = |(path, before, after): &(String, u64, u64)| Ripple {
        path: path.clone(),
        before: *before,
        after: *after,
    };
    list.iter().map(one).collect()
}
