//! Which fields never hold zero, as far as what is written to them shows: ids counted from one.

use super::Usage;
use super::events::At;
use crate::infer::body::{FieldId, Target, Typed};
use crate::infer::effects::Effect;
use crate::infer::types::std_parts;
use crate::ir::Lit;
use crate::ir::body::{ExprId, ExprKind};
use crate::resolve::Db;
use crate::span::Span;

/// Steps from one value to what it is made of.
const DEEPEST: u32 = 6;

/// One thing that is written to a field.
struct Write {
    /// Place in [`Usage::bodies`].
    body: usize,
    /// The value.
    value: ExprId,
    /// Added to what was there.
    added: bool,
}

/// All that is written to a field; `None` where it is built, lent or changed in a way that is not
/// followed.
fn writes(usage: &Usage, field: FieldId) -> Option<Vec<Write>> {
    let events = &usage.events;
    let of = (field.adt, field.variant);
    if events.based.contains_key(&of) || events.uncalled.contains_key(&of) {
        return None;
    }
    let mut found: Vec<(At, ExprId, bool)> = Vec::new();
    found.extend(
        events
            .set(field)
            .iter()
            .map(|(at, value)| (*at, *value, false)),
    );
    for &at in events.named(field) {
        let body = &usage.bodies[at.body];
        let Some(parent) = body.fact(at.expr).parent else {
            continue;
        };
        match &body.node(parent).kind {
            ExprKind::Assign(place, op, value) if *place == at.expr => match op {
                None | Some("+") => found.push((at.with(parent), *value, op.is_some())),
                Some(_) => return None,
            },
            ExprKind::Ref(true, _) => return None,
            ExprKind::Method(receiver, ..) if *receiver == at.expr => {
                if let Effect::Sets | Effect::Grows | Effect::Lends = body.fact(parent).effect {
                    return None;
                }
            }
            _ => {}
        }
    }
    found.sort_by_key(|(at, ..)| *at);
    let write = |(at, value, added): (At, _, _)| Write {
        body: at.body,
        value,
        added,
    };
    Some(found.into_iter().map(write).collect())
}

/// A place that shows it, if every value that is written to a field is known not to be zero; of an
/// `Option` its `Some`s count.
pub fn never_zero(db: &Db<'static>, usage: &Usage, field: FieldId) -> Option<Span> {
    let mut shown = None;
    for write in writes(usage, field)? {
        let body = &usage.bodies[write.body];
        match value(db, usage, body, write.value, 0) {
            Some(true) => {
                shown.get_or_insert(body.node(write.value).span);
            }
            // `None`, or an addition to what is not zero.
            None => {}
            Some(false) if write.added => {}
            Some(false) => return None,
        }
    }
    shown
}

/// True if a value is not zero, `None` if it is no value at all.
fn value(db: &Db<'static>, usage: &Usage, body: &Typed, id: ExprId, depth: u32) -> Option<bool> {
    if depth > DEEPEST {
        return Some(false);
    }
    let next = |id| value(db, usage, body, id, depth + 1);
    let fact = body.fact(id);
    match &body.node(id).kind {
        ExprKind::Lit(Lit::Int(n, _)) => Some(*n != 0),
        ExprKind::Path(path) => match fact.target {
            Some(Target::Local(local)) => {
                let local = &body.locals[local as usize];
                match (local.init, local.mutable || local.argument) {
                    (Some(init), false) => next(init),
                    _ => Some(false),
                }
            }
            _ if path.segments.last().is_some_and(|s| s.name == "None") => None,
            _ => Some(false),
        },
        ExprKind::Call(_, args) => match (fact.target, &args[..]) {
            (Some(Target::Ctor(_, _)), [inner]) => next(*inner),
            _ => Some(false),
        },
        ExprKind::Binary("+", a, b) => Some(next(*a) == Some(true) || next(*b) == Some(true)),
        ExprKind::Binary("|", a, b) => Some(next(*a) == Some(true) || next(*b) == Some(true)),
        ExprKind::Cast(inner, _) => next(*inner),
        ExprKind::Field(..) => match fact.target {
            Some(Target::Field(field)) => {
                let zero = |w: &Write| {
                    let body = &usage.bodies[w.body];
                    !w.added && value(db, usage, body, w.value, depth + 2) != Some(true)
                };
                let writes = writes(usage, field).filter(|_| depth < DEEPEST);
                Some(writes.is_some_and(|w| !w.is_empty() && !w.iter().any(zero)))
            }
            _ => Some(false),
        },
        ExprKind::Method(receiver, name, _, args) => match (name.name.as_str(), &args[..]) {
            ("get", []) => {
                Some(std_parts(db, body.fact(*receiver).ty).is_some_and(|(n, _)| n == "NonZero"))
            }
            ("clone" | "copied", []) => next(*receiver),
            ("saturating_add", [by]) => {
                Some(next(*receiver) == Some(true) || next(*by) == Some(true))
            }
            ("max", [least]) => Some(next(*least) == Some(true)),
            _ => Some(false),
        },
        _ => Some(false),
    }
}
