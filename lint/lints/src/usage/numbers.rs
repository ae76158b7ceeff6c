//! Which fields never hold zero, or never their type's maximum, by the values assigned to them: ids
//! that count from one, and indices.

use super::Usage;
use super::events::At;
use crate::infer::body::{FieldId, Target, Typed};
use crate::infer::effects::Effect;
use crate::infer::types::{field_types, is_std};
use crate::ir::Lit;
use crate::ir::body::{ExprId, ExprKind, Node, PatId, PatKind, Stmt};
use crate::resolve::Db;
use crate::span::Span;

/// Maximum number of steps from a value to its origin.
const DEEPEST: u32 = 6;

/// One write to a field.
struct Write {
    /// Index into [`Usage::bodies`].
    body: usize,
    /// The value.
    value: ExprId,
    /// Whether the value is added to the old one.
    added: bool,
}

/// Returns all writes to a field; `None` if it is constructed, borrowed or modified in a way that
/// is not followed.
fn writes(usage: &Usage, field: FieldId) -> Option<Vec<Write>> {
    let events = &usage.events;
    let (adt, variant) = (field.adt, field.variant);
    if !events.based(adt, variant).is_empty() || !events.uncalled(adt, variant).is_empty() {
        return None;
    }
    let set = events.set(field).iter();
    let mut found: Vec<(At, ExprId, bool)> = set.map(|(at, v)| (*at, *v, false)).collect();
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

/// A value that a field never holds.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Never {
    /// Zero.
    Zero,
    /// The type's maximum, as no collection has so many items: all values are indices or lengths.
    Max,
}

/// Returns a place as evidence if no value written to a field is that one; of an `Option` only
/// `Some`s count.
pub fn never(db: &Db<'static>, usage: &Usage, field: FieldId, what: Never) -> Option<Span> {
    let mut shown = None;
    if what == Never::Zero && is_zero_by_default(db, field) {
        return None;
    }
    for write in writes(usage, field)? {
        let body = &usage.bodies[write.body];
        let known = match what {
            Never::Zero => value(db, usage, body, write.value, 0),
            Never::Max if write.added => Some(false),
            Never::Max => index(body, write.value, 0),
        };
        match known {
            Some(true) => {
                shown.get_or_insert(body.node(write.value).span);
            }
            // `None`, or an addition to a nonzero value.
            None => {}
            Some(false) if write.added => {}
            Some(false) => return None,
        }
    }
    shown
}

/// Returns whether a value is nonzero, `None` if there is no value.
fn value(db: &Db<'static>, usage: &Usage, body: &Typed, id: ExprId, depth: u32) -> Option<bool> {
    if depth > DEEPEST {
        return Some(false);
    }
    let next = |id| value(db, usage, body, id, depth + 1);
    let fact = body.fact(id);
    match &body.node(id).kind {
        ExprKind::Lit(Lit::Int(n, _)) => Some(n.get() != 0),
        ExprKind::Path(path) => match fact.target {
            Some(Target::Local(local)) => {
                let local = &body.locals[local as usize];
                match (local.init, local.mutable || local.argument) {
                    (Some(init), false) => next(init),
                    _ => Some(false),
                }
            }
            _ if path.last_name() == "None" => None,
            _ => Some(false),
        },
        ExprKind::Call(_, args) => match (fact.target, &args[..]) {
            (Some(Target::Ctor(_, _)), [inner]) => next(*inner),
            _ => returned(db, usage, fact.target, depth),
        },
        ExprKind::Block(_, Some(tail)) => next(*tail),
        ExprKind::If(_, then, Some(otherwise)) => both(next(*then), next(*otherwise)),
        ExprKind::Match(_, arms) => {
            let arms = arms.iter().map(|arm| next(arm.value));
            arms.reduce(both).unwrap_or(Some(false))
        }
        ExprKind::Method(..) if matches!(fact.target, Some(Target::Item(_))) => {
            returned(db, usage, fact.target, depth)
        }
        ExprKind::Binary("+" | "|", a, b) => Some(next(*a) == Some(true) || next(*b) == Some(true)),
        ExprKind::Cast(inner, _) => next(*inner),
        ExprKind::Field(..) if is_counted(db, body, id) => Some(true),
        ExprKind::Field(..) => match fact.target {
            Some(Target::Field(field)) => {
                let zero = |w: &Write| {
                    let body = &usage.bodies[w.body];
                    !w.added && value(db, usage, body, w.value, depth + 2) != Some(true)
                };
                let known = depth < DEEPEST && !is_zero_by_default(db, field);
                let writes = writes(usage, field).filter(|_| known);
                Some(writes.is_some_and(|w| w.iter().any(|w| !w.added) && !w.iter().any(zero)))
            }
            _ => Some(false),
        },
        ExprKind::Method(receiver, name, _, args) => match (name.name.as_str(), &args[..]) {
            ("get", []) => Some(is_std(db, body.fact(*receiver).ty, "NonZero")),
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

/// Returns whether a value is a length, or an index that `enumerate` gives; `None` if there is no
/// value.
fn index(body: &Typed, id: ExprId, depth: u32) -> Option<bool> {
    if depth > DEEPEST {
        return Some(false);
    }
    let next = |id| index(body, id, depth + 1);
    let fact = body.fact(id);
    match &body.node(id).kind {
        ExprKind::Path(path) => match fact.target {
            Some(Target::Local(local)) => {
                let local = &body.locals[local as usize];
                match (local.init, local.mutable) {
                    (Some(init), false) if !local.argument => next(init),
                    _ => Some(!local.mutable && is_enumerated(body, local.pat)),
                }
            }
            _ if path.last_name() == "None" => None,
            _ => Some(false),
        },
        ExprKind::Call(callee, args) => match (fact.target, &args[..]) {
            (Some(Target::Ctor(_, _)), [inner]) => next(*inner),
            (_, [inner]) if matches!(body.called(*callee), "from" | "try_from") => next(*inner),
            _ => Some(false),
        },
        ExprKind::Block(_, Some(tail)) => next(*tail),
        ExprKind::If(_, then, Some(otherwise)) => both(next(*then), next(*otherwise)),
        ExprKind::Cast(inner, _) => next(*inner),
        ExprKind::Method(receiver, name, _, args) => match (name.name.as_str(), &args[..]) {
            ("len", []) => Some(true),
            ("clone" | "into" | "try_into" | "unwrap", []) | ("expect", [_]) => next(*receiver),
            _ => Some(false),
        },
        _ => Some(false),
    }
}

/// Returns true for the first of the pair that `enumerate` gives to a loop or a closure.
fn is_enumerated(body: &Typed, pat: PatId) -> bool {
    let is_first = |whole: PatId| match &body.function.body.pat(whole).kind {
        PatKind::Tuple(parts) => parts.first() == Some(&pat),
        _ => false,
    };
    let counts = |id: ExprId| match &body.node(id).kind {
        ExprKind::Method(_, name, _, args) => name.name == "enumerate" && args.is_empty(),
        _ => false,
    };
    body.exprs().any(|(_, node, _)| match &node.kind {
        ExprKind::For(whole, iter, _) => is_first(*whole) && counts(*iter),
        ExprKind::Method(receiver, _, _, args) if counts(*receiver) => args.iter().any(|arg| {
            let ExprKind::Closure(params, ..) = &body.node(*arg).kind else {
                return false;
            };
            params.first().is_some_and(|(whole, _)| is_first(*whole))
        }),
        _ => false,
    })
}

/// Returns true for a number that a derive sets to zero.
fn is_zero_by_default(db: &Db<'static>, field: FieldId) -> bool {
    let types = field_types(db, db.identity_ty(field.adt));
    let ty = types
        .get(field.variant as usize)
        .and_then(|f| f.get(field.field as usize));
    let optional = ty.is_some_and(|ty| is_std(db, *ty, "Option"));
    !optional && db.item(field.adt).item.attrs.derives_any(&["Default"])
}

/// Combines two alternatives.
fn both(one: Option<bool>, other: Option<bool>) -> Option<bool> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one && other),
        _ => one.or(other),
    }
}

/// Returns whether a function of the workspace returns nonzero values.
fn returned(db: &Db<'static>, usage: &Usage, target: Option<Target>, depth: u32) -> Option<bool> {
    let Some(Target::Item(item)) = target else {
        return Some(false);
    };
    let body = usage.body(item);
    let Some((body, last)) = body.and_then(|b| Some((b, b.function.body.value?))) else {
        return Some(false);
    };
    let early = body.exprs().filter_map(|(_, node, _)| match node.kind {
        ExprKind::Return(early) => early,
        _ => None,
    });
    let given = std::iter::once(last).chain(early);
    let given = given.map(|id| value(db, usage, body, id, depth + 1));
    given.reduce(both).flatten()
}

/// Returns true for a field that an earlier statement incremented: an id that counts from one.
fn is_counted(db: &Db<'static>, body: &Typed, id: ExprId) -> bool {
    let text = |id: ExprId| db.sources.text(body.node(id).span);
    let counts = |stmt: &Stmt| match stmt {
        Stmt::Expr(e) => match &body.node(*e).kind {
            ExprKind::Assign(place, Some("+"), by) => {
                let by = &body.node(*by).kind;
                let adds = matches!(by, ExprKind::Lit(Lit::Int(n, _)) if n.get() > 0);
                adds && text(*place) == text(id)
            }
            _ => false,
        },
        Stmt::Let { .. } => false,
    };
    let put = |node: &Node| match node.kind {
        ExprKind::Assign(place, None, _) => text(place) == text(id),
        _ => false,
    };
    let before = body.node(id).span.start;
    let earlier = |s: &&Stmt| match s {
        Stmt::Expr(e) => body.node(*e).span.end <= before,
        Stmt::Let { .. } => false,
    };
    let mut outers = body.outers(id).map(|outer| &body.node(outer).kind);
    let counted = outers.any(|kind| match kind {
        ExprKind::Block(stmts, _) => stmts.iter().filter(earlier).any(counts),
        _ => false,
    });
    counted && !body.exprs().any(|(_, node, _)| put(node))
}
