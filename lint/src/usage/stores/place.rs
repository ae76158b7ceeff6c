//! What the surroundings of a field do to it.

use super::How;
use crate::infer::body::Typed;
use crate::infer::effects::Effect;
use crate::ir::body::{ExprId, ExprKind, MacroArgs};
use crate::name::Name;

/// How the place that an expression names is changed there, and what is put in.
pub(super) fn changed(body: &Typed, id: ExprId) -> Option<(How, Option<ExprId>)> {
    let (outer, node) = body.around(id)?;
    match &node.kind {
        ExprKind::Assign(place, None, value) if *place == id => Some((How::Set, Some(*value))),
        ExprKind::Assign(place, Some(op), value) if *place == id => {
            Some((How::Added(Name::new(op)), Some(*value)))
        }
        ExprKind::Ref(true, _) => Some(lent(body, outer)),
        ExprKind::Method(receiver, name, _, args) if *receiver == id => {
            method(body.fact(outer).effect, name.name, args)
        }
        ExprKind::Macro(path, MacroArgs::Exprs(args)) if args.first() == Some(&id) => {
            let name = path.segments.last()?.name;
            let writes = name == "write" || name == "writeln";
            writes.then_some((How::Added(name), Some(outer)))
        }
        _ => None,
    }
}

/// The same for a variable that is a reference to the place.
pub(super) fn changed_through(body: &Typed, id: ExprId) -> Option<(How, Option<ExprId>)> {
    let (outer, node) = body.around(id)?;
    match &node.kind {
        ExprKind::Deref(_) => changed(body, outer),
        // What gets the reference may change the place behind it.
        ExprKind::Call(_, args) if args.contains(&id) => Some((How::Lent, None)),
        ExprKind::Method(receiver, _, _, args) if *receiver != id && args.contains(&id) => {
            Some((How::Lent, None))
        }
        ExprKind::Struct(..) | ExprKind::Return(_) | ExprKind::Tuple(_) | ExprKind::Closure(..) => {
            Some((How::Lent, None))
        }
        _ => changed(body, id),
    }
}

/// What a method does to the place that it is called on.
fn method(effect: Effect, name: Name, args: &[ExprId]) -> Option<(How, Option<ExprId>)> {
    let last = args.last().copied();
    match effect {
        Effect::Grows => Some((How::Added(name), last)),
        Effect::Sets => Some((How::Set, last)),
        Effect::Empties => Some((How::Emptied, None)),
        Effect::Shrinks => Some((How::Cut, None)),
        Effect::Lends => Some((How::Lent, None)),
        _ => None,
    }
}

/// What is done with `&mut place`.
fn lent(body: &Typed, reference: ExprId) -> (How, Option<ExprId>) {
    let Some((_, node)) = body.around(reference) else {
        return (How::Lent, None);
    };
    match &node.kind {
        ExprKind::Call(callee, args) => match (body.called(*callee), &args[..]) {
            ("take", [_]) => (How::Emptied, None),
            ("replace", [place, value]) if *place == reference => (How::Set, Some(*value)),
            _ => (How::Lent, None),
        },
        _ => (How::Lent, None),
    }
}
