//! The origins and destinations of pointers, from the surrounding expressions.

use super::{From, To, associated};
use crate::flow::{How, edge, named};
use crate::infer::body::Typed;
use crate::infer::effects::Effect;
use crate::infer::marks::Mark;
use crate::infer::types::{inner, pointee, std_parts};
use crate::ir::Lit;
use crate::ir::body::{ExprId, ExprKind};
use crate::resolve::Db;
use crate::resolve::ty::{Ty, TyKind};

/// Returns the argument of `Box::new(x)`.
pub(super) fn is_new(body: &Typed, id: ExprId) -> Option<ExprId> {
    let ExprKind::Call(callee, args) = &body.node(id).kind else {
        return None;
    };
    match (&body.node(*callee).kind, &args[..]) {
        (ExprKind::Path(path), [value]) if associated(path).is_some_and(|(_, n)| n == "new") => {
            Some(*value)
        }
        _ => None,
    }
}

/// Returns the pointers that a value of a type holds, not those behind another pointer.
pub(super) fn by_value(db: &Db<'static>, ty: Ty) -> Vec<Ty> {
    let mut found = Vec::new();
    let mut queue = vec![ty];
    while let Some(ty) = queue.pop() {
        if pointee(db, ty).is_some() {
            found.push(ty);
            continue;
        }
        match (db.types.kind(ty), std_parts(db, ty)) {
            (TyKind::Tuple(list), _) => queue.extend(list),
            (_, Some(("Option" | "Result" | "Poll", _))) => queue.extend(inner(db, ty)),
            _ => {}
        }
    }
    found
}

/// Returns the origin of a value.
pub(super) fn source(body: &Typed, id: ExprId) -> From {
    let node = body.node(id);
    let new = match &node.kind {
        ExprKind::Macro(path, _) => matches!(path.last_name(), "format" | "vec"),
        ExprKind::Method(on, method, ..) => {
            let literal = || matches!(body.node(*on).kind, ExprKind::Lit(Lit::Str(_)));
            body.is_marked(id, Mark::Creates) || method.name == "into" && literal()
        }
        ExprKind::Call(callee, args) => match (body.called(*callee), &args[..]) {
            ("new" | "with_capacity" | "default" | "from_iter", [] | [_]) => true,
            ("from", [one]) => matches!(body.node(*one).kind, ExprKind::Lit(_)),
            _ => false,
        },
        ExprKind::Path(_) if let Some((local, data)) = named(body, id) => {
            let init = data.init.filter(|i| !data.argument && *i != id);
            return match init.map(|init| source(body, init)) {
                Some(From::New) if data.mutable && !is_put(body, local) => From::Grown,
                Some(from) if !data.mutable => from,
                _ => From::Given,
            };
        }
        _ => false,
    };
    match new {
        true => From::New,
        false => From::Given,
    }
}

/// Returns true if a variable is assigned again somewhere.
fn is_put(body: &Typed, local: u32) -> bool {
    body.uses(local)
        .iter()
        .any(|id| edge(body, *id).assigns(body))
}

/// Returns the destination of a new value.
pub(super) fn destination(body: &Typed, id: ExprId) -> To {
    let mut inner = id;
    for _ in 0..16 {
        inner = moved_on(body, inner).unwrap_or(inner);
        let edge = edge(body, inner);
        match (edge.how, &body.node(edge.by).kind) {
            (how, ExprKind::Method(_, method, ..)) => {
                let puts = matches!(body.fact(edge.by).effect, Effect::Grows | Effect::Lends);
                let given = matches!(how, How::Argument(_));
                match method.name.as_str() {
                    _ if given && puts => return To::Element,
                    "collect" if !given => return To::Element,
                    _ if !body.is_marked(edge.by, Mark::HandsOn) => return To::Other,
                    _ => {}
                }
            }
            (How::Element, ExprKind::Tuple(_)) | (How::Returned, ExprKind::Closure(..)) => {}
            (How::Element, _) => return To::Element,
            (How::Stored | How::Assigned(_), _) => return To::Field,
            _ => return To::Other,
        }
        inner = edge.by;
    }
    To::Other
}

/// Returns where the variable that a new value is bound to is moved, if to one place.
fn moved_on(body: &Typed, id: ExprId) -> Option<ExprId> {
    let local = body.bound_to(id)?;
    let is_moved = |used: &ExprId| {
        use How::{Borrowed, Deref, Does, Lent, Part};
        !matches!(
            edge(body, *used).how,
            Does(_) | Part | Deref | Borrowed | Lent
        )
    };
    let mut moved = body.uses(local).iter().copied().filter(is_moved);
    let first = moved.next()?;
    moved.next().is_none().then_some(first)
}
