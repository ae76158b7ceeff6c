//! What the surrounding expression does to a field.

use super::StoreKind;
use crate::infer::body::Typed;
use crate::infer::effects::Effect;
use crate::ir::body::{ExprId, ExprKind, MacroArgs};
use crate::name::Name;

/// Returns how the surrounding expression changes a place, and the value written.
pub(super) fn changed(body: &Typed, id: ExprId) -> Option<(StoreKind, Option<ExprId>)> {
    let (outer, node) = body.around(id)?;
    match &node.kind {
        ExprKind::Assign(place, None, value) if *place == id => {
            Some((StoreKind::Set, Some(*value)))
        }
        ExprKind::Assign(place, Some(op), value) if *place == id => {
            Some((StoreKind::Added(Name::new(op)), Some(*value)))
        }
        ExprKind::Ref(true, _) => Some(lent(body, outer)),
        ExprKind::Method(receiver, name, _, args) if *receiver == id => {
            method(body.fact(outer).effect, name.name, args)
        }
        ExprKind::Macro(path, MacroArgs::Exprs(args)) if args.first() == Some(&id) => {
            let name = path.segments.last()?.name;
            let writes = name == "write" || name == "writeln";
            writes.then_some((StoreKind::Added(name), Some(outer)))
        }
        _ => None,
    }
}

/// Returns the same for a variable that is a reference to the place.
pub(super) fn changed_through(body: &Typed, id: ExprId) -> Option<(StoreKind, Option<ExprId>)> {
    let (outer, node) = body.around(id)?;
    match &node.kind {
        ExprKind::Deref(_) => changed(body, outer),
        // A callee may change the place behind a reference.
        ExprKind::Call(_, args) if args.contains(&id) => Some((StoreKind::Lent, None)),
        ExprKind::Method(receiver, _, _, args) if *receiver != id && args.contains(&id) => {
            Some((StoreKind::Lent, None))
        }
        ExprKind::Struct(..) | ExprKind::Return(_) | ExprKind::Tuple(_) | ExprKind::Closure(..) => {
            Some((StoreKind::Lent, None))
        }
        _ => changed(body, id),
    }
}

/// Returns what a method does to its receiver.
fn method(effect: Effect, name: Name, args: &[ExprId]) -> Option<(StoreKind, Option<ExprId>)> {
    let last = args.last().copied();
    match effect {
        Effect::Grows => Some((StoreKind::Added(name), last)),
        Effect::Sets => Some((StoreKind::Set, last)),
        Effect::Empties => Some((StoreKind::Emptied, None)),
        Effect::Shrinks => Some((StoreKind::Cut, None)),
        Effect::Lends => Some((StoreKind::Lent, None)),
        _ => None,
    }
}

/// Returns what is done with `&mut place`.
fn lent(body: &Typed, reference: ExprId) -> (StoreKind, Option<ExprId>) {
    let Some((_, node)) = body.around(reference) else {
        return (StoreKind::Lent, None);
    };
    match &node.kind {
        ExprKind::Call(callee, args) => match (body.called(*callee), &args[..]) {
            ("take", [_]) => (StoreKind::Emptied, None),
            ("replace", [place, value]) if *place == reference => (StoreKind::Set, Some(*value)),
            _ => (StoreKind::Lent, None),
        },
        _ => (StoreKind::Lent, None),
    }
}
