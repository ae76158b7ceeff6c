//! Findings about futures, from what `cargo weigh futures` has found.

use super::words::bytes;
use super::{Context, Lint};
use crate::config::Setting;
use crate::coroutines::{Boxable, Coroutine};
use crate::finding::{Applicability, Edit, Finding, Fix, Label, Parts, Remedy, Ripple};
use crate::flow::{How, edge};
use crate::infer::body::Local;
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
    let boxes = boxes(future, limit, percent).and_then(|boxes| remedy(cx, krate, boxes));
    let variable = variable(cx, krate, future, percent);
    let mut remedies: Vec<Remedy> = boxes.into_iter().chain(variable).collect();
    // A box of a variable needs a change wherever it is used as what it is.
    let is_enough = |r: &Remedy| r.size_after.is_some_and(|after| after <= limit);
    if !remedies.first().is_some_and(is_enough) {
        remedies.sort_by_key(|r| r.size_after);
    }
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
        trade_off: (!remedies.is_empty()).then(|| "each box is an allocation a call".to_owned()),
        remedies,
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
    saves(future, all[last].size_after, percent).then(|| &all[..=last])
}

/// Whether a future becomes so much smaller.
fn saves(future: &Coroutine, after: u64, percent: u64) -> bool {
    let saved = future.size.saturating_sub(after);
    let is_worth = u128::from(saved) * 100 >= u128::from(future.size) * u128::from(percent);
    saved > 0 && is_worth
}

/// The variable of which a box gives most, with its edit where the value is all that changes.
fn variable(cx: &Context, krate: CrateIx, future: &Coroutine, percent: u64) -> Option<Remedy> {
    let of = future.variables.first()?;
    if !saves(future, of.size_after, percent) {
        return None;
    }
    let edits = cx.span_of(&of.at).and_then(|at| made_as_box(cx, at));
    let has_box = cx.model.steady_heap(krate, &[]) == Some("std");
    let fix = |edits| Fix {
        edits,
        // What uses the variable may need another change.
        applicability: Applicability::MaybeIncorrect,
        left: None,
        elsewhere: None,
    };
    Some(Remedy {
        size_after: Some(of.size_after),
        ripple: ripple(&of.ripple),
        fix: edits.filter(|_| has_box).map(|edits| Box::new(fix(edits))),
        ..Remedy::new(format!(
            "make `{}` a box: it is {}",
            of.name,
            bytes(of.size)
        ))
    })
}

/// The edits that make a variable a box: of its value, and of what borrows it. `None` where its type is
/// written, or what uses it is not plain.
fn made_as_box(cx: &Context, name: Span) -> Option<Vec<Edit>> {
    let mut bodies = cx.usage().bodies.iter();
    let (body, number) = bodies.find_map(|body| {
        let span = |local: &Local| body.function.body.pat(local.pat).span;
        let is_it = |local: &Local| (span(local).file, span(local).end) == (name.file, name.end);
        Some((body, body.locals.iter().position(is_it)?))
    })?;
    let local = &body.locals[number];
    let value = body.node(local.init?).span;
    let source = cx.model.db.sources.get(name.file);
    let between = source.text.get(name.range().end..value.range().start)?;
    if between.trim() != "=" || body.is_opaque(local.name) {
        return None;
    }
    let mut edits = boxed("Box::new(", value).to_vec();
    for &used in body.uses(number as u32) {
        let edge = edge(body, used);
        match edge.how {
            How::Borrowed | How::Lent => edits.push(put(body.node(used).span, |s| s.start, "*")),
            How::Part => {}
            _ if edge.is_method(body) => {}
            _ => return None,
        }
    }
    Some(edits)
}

/// The edits that put an expression into a box.
fn boxed(call: &str, of: Span) -> [Edit; 2] {
    [put(of, |s| s.start, call), put(of, |s| s.end, ")")]
}

/// Puts a text before or behind an expression.
fn put(of: Span, side: fn(&Span) -> u32, text: &str) -> Edit {
    let at = side(&of);
    Edit {
        span: Span {
            start: at,
            end: at,
            ..of
        },
        text: text.to_owned(),
    }
}

/// Boxes around awaited futures, with their edits where every build has the name `Box`.
fn remedy(cx: &Context, krate: CrateIx, boxes: &[Boxable]) -> Option<Remedy> {
    let (first, last) = (boxes.first()?, boxes.last()?);
    let mut edits = Vec::new();
    for of in boxes {
        edits.extend(boxed("Box::pin(", cx.span_of(&of.at)?));
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
