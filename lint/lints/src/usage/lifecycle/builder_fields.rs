//! Fields of builders that hold a value until it is returned: `path` of a `Builder` whose `build`
//! ends in `self.path`.

use super::Owner;
use crate::flow::{How, edge, named, values};
use crate::infer::body::{FieldId, Target, Typed};
use crate::infer::types::{adt_of, inner, is_open, std_first};
use crate::ir::body::{ExprId, ExprKind};
use crate::lists::Lists;
use crate::resolve::ty::{Ty, TyKind};
use crate::resolve::{Db, ItemId};
use crate::span::Span;
use crate::usage::Usage;
use crate::usage::value_use::{ValueUse, value_use};
use rustc_hash::FxHashMap;

/// Finds where the value of each such field is returned, and the index of that body in
/// [`Usage::bodies`].
pub(super) fn find(
    db: &'static Db<'static>,
    usage: &Usage,
    owners: &Lists<ItemId, Owner>,
) -> FxHashMap<FieldId, (Span, usize)> {
    // A builder itself is not in a collection, and not shared.
    let is_alone = |maker: ItemId| {
        let mut around = owners.of(&maker).iter().map(|k| k.ty);
        around.all(|ty| is_plainly(db, ty, maker) || is_optional(db, ty, maker))
    };
    let mut found = FxHashMap::default();
    for (item, list) in owners.iter() {
        for owner in list {
            if is_plainly(db, owner.ty, *item)
                && is_alone(owner.field.adt)
                && let Some(given) = given(db, usage, owner.field)
            {
                found.insert(owner.field, given);
            }
        }
    }
    found
}

/// Returns the first place that moves the value out of a field, with its body.
fn given(db: &Db<'static>, usage: &Usage, field: FieldId) -> Option<(Span, usize)> {
    let moved = usage.events.named.of(&field).iter().filter(|at| {
        let body = &usage.bodies[at.body];
        !body.function.aside
            && !is_put_back(body, at.expr, field.adt)
            && is_taken(db, usage, body, at.expr)
    });
    let moved = moved.map(|at| (usage.bodies[at.body].node(at.expr).span, at.body));
    let bound = usage
        .events
        .bound
        .of(&field)
        .iter()
        .filter_map(|&(b, pat)| {
            let body = &usage.bodies[b];
            let local = &body.locals[body.pat(pat).local? as usize];
            let by_value = !matches!(db.types.kind(local.ty), TyKind::Ref(..));
            let span = body.function.body.pat(pat).span;
            (by_value && !body.function.aside).then_some((span, b))
        });
    moved.chain(bound).min_by_key(|(_, body)| *body)
}

/// Returns true for `Self(self.0.size(1))`: the result goes into a value of the same type again.
fn is_put_back(body: &Typed, id: ExprId, maker: ItemId) -> bool {
    let edge = edge(body, id);
    match edge.how {
        How::Does(_) => edge.is_method(body) && is_put_back(body, edge.by, maker),
        How::Stored => {
            matches!(body.fact(edge.by).target, Some(Target::Ctor(adt, _)) if adt == maker)
        }
        _ => false,
    }
}

/// Returns true if a value is moved out of the field that an expression names.
fn is_taken(db: &Db<'static>, usage: &Usage, body: &Typed, id: ExprId) -> bool {
    let edge = edge(body, id);
    let is_moved = || value_use(db, usage, body, id) == ValueUse::Moved;
    match edge.how {
        How::Taken => true,
        // A swap with a variable moves it there.
        How::Swapped => values(body, edge.by)
            .iter()
            .any(|arg| match body.node(*arg).kind {
                ExprKind::Ref(true, place) => named(body, place).is_some(),
                _ => false,
            }),
        // A method that consumes it may return something else: `self.page.finish()`, a `String`.
        How::Does(_) if edge.is_method(body) => {
            let gives = body.fact(edge.by).ty;
            let same = is_open(db, gives) || names(db, gives, body.fact(id).ty, 0);
            same && is_moved()
        }
        How::Does(_) => false,
        _ => is_moved(),
    }
}

/// Returns true if a type is another or names it in its arguments.
fn names(db: &Db<'static>, ty: Ty, other: Ty, depth: u32) -> bool {
    let mut parts = inner(db, ty).into_iter();
    ty == other || depth < 4 && parts.any(|ty| names(db, ty, other, depth + 1))
}

fn is_plainly(db: &Db<'static>, ty: Ty, item: ItemId) -> bool {
    adt_of(db, ty) == Some(item)
}

fn is_optional(db: &Db<'static>, ty: Ty, item: ItemId) -> bool {
    std_first(db, ty, &["Option"]).is_some_and(|ty| is_plainly(db, ty, item))
}
