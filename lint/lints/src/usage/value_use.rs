//! What happens to a value where an expression names or creates it: read, grown or moved.

use super::Usage;
use crate::flow::{How, edge};
use crate::infer::body::{Target, Typed};
use crate::infer::effects::Effect;
use crate::infer::types::{field_types, inner, is_own, std_parts};
use crate::ir::Type;
use crate::ir::body::{ExprId, ExprKind};
use crate::resolve::Db;
use crate::resolve::ty::{Ty, TyKind};

/// What happens to a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ValueUse {
    /// Read, or modified in place.
    Looked,
    /// Grown, or lent to code that may grow it.
    Grown,
    /// Moved, stored, or not understood.
    Moved,
}

/// Returns what the surrounding code does with an expression's value.
pub fn value_use(db: &Db<'static>, usage: &Usage, body: &Typed, id: ExprId) -> ValueUse {
    let edge = edge(body, id);
    match edge.how {
        How::Lent | How::Taken | How::Swapped => ValueUse::Grown,
        How::Borrowed | How::Part | How::Deref => ValueUse::Looked,
        How::Macro => ValueUse::Moved,
        // What it was is dropped.
        How::Does(Effect::Sets) if edge.assigns(body) => ValueUse::Moved,
        How::Does(effect) => match body.fact(edge.by).target {
            Some(Target::Item(item)) if edge.is_method(body) => {
                let signature = usage.body(item).map(|b| &b.function.body.signature);
                match signature.and_then(|s| s.inputs.first()) {
                    Some(Type::Ref(_, true)) => ValueUse::Grown,
                    Some(Type::Ref(_, false)) => ValueUse::Looked,
                    _ => ValueUse::Moved,
                }
            }
            _ => match effect {
                Effect::Grows => ValueUse::Grown,
                Effect::Unknown | Effect::Consumes | Effect::Takes | Effect::Lends => {
                    ValueUse::Moved
                }
                _ => ValueUse::Looked,
            },
        },
        // The reference is passed on, not its referent.
        _ => match db.types.kind(body.fact(id).ty) {
            TyKind::Ref(..) => ValueUse::Looked,
            _ => ValueUse::Moved,
        },
    }
}

/// Returns what happens to a variable: the strongest of all its uses; `None` if it is unused.
pub fn of_local(db: &Db<'static>, usage: &Usage, body: &Typed, local: u32) -> Option<ValueUse> {
    if body.is_opaque(body.locals[local as usize].name) {
        return Some(ValueUse::Moved);
    }
    let uses = body.uses(local).iter().map(|&id| match captured(body, id) {
        true => ValueUse::Moved,
        false => value_use(db, usage, body, id),
    });
    uses.max()
}

/// Returns true for an expression in a `move` closure or an `async` block.
fn captured(body: &Typed, id: ExprId) -> bool {
    let mut outers = body.outers(id).map(|outer| &body.node(outer).kind);
    outers.any(|kind| matches!(kind, ExprKind::Closure(_, _, _, true) | ExprKind::Async(_)))
}

/// Returns true if a value of a type borrows nothing, so that it can outlive an iteration.
pub fn owns_all(db: &Db<'static>, ty: Ty) -> bool {
    owns(db, ty, 0)
}

fn owns(db: &Db<'static>, ty: Ty, depth: u32) -> bool {
    if depth > 6 {
        return false;
    }
    let all = |list: &[Ty]| list.iter().all(|ty| owns(db, *ty, depth + 1));
    match db.types.kind(ty) {
        TyKind::Prim(_) => true,
        TyKind::Tuple(list) => all(list),
        TyKind::Array(element, _) => all(&[*element]),
        TyKind::Adt(id, _) => match std_parts(db, ty) {
            Some((
                "Vec" | "String" | "Option" | "Box" | "VecDeque" | "HashMap" | "HashSet"
                | "BTreeMap" | "BTreeSet" | "PathBuf" | "OsString" | "Global" | "RandomState"
                | "Rc" | "Arc" | "Range",
                _,
            )) => all(&inner(db, ty)),
            Some(_) => false,
            None => {
                let fields = field_types(db, ty);
                is_own(db, *id) && !fields.is_empty() && fields.iter().all(|f| all(f))
            }
        },
        _ => false,
    }
}
