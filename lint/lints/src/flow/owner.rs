//! Who has the value that an expression names: the edges backwards to a variable or a field.

use super::{Origin, named, origins, values};
use crate::infer::body::{FieldId, Target, Typed};
use crate::infer::marks::Mark;
use crate::infer::types::{adt_of, without_refs};
use crate::ir::body::{ExprId, ExprKind};
use crate::resolve::ty::TyKind;
use crate::resolve::{Db, ItemId};
use rustc_hash::FxHashSet;

/// The owner of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// The function: it is made there.
    Made,
    /// The callers: it is an argument, or `self`.
    Argument,
    /// A field.
    Field(FieldId),
    /// Not known.
    Elsewhere,
}

/// Returns the owner of the value of this type that an expression names.
pub fn owner(db: &Db<'static>, body: &Typed, id: ExprId, of: ItemId) -> Owner {
    let is_it = |id: &ExprId| adt_of(db, without_refs(db, body.fact(*id).ty)) == Some(of);
    let (mut id, mut seen) = (id, FxHashSet::default());
    while seen.insert(id) {
        let fact = body.fact(id);
        let lent = matches!(db.types.kind(fact.ty), TyKind::Ref(_, true));
        let next = match (&body.node(id).kind, fact.target) {
            (_, Some(Target::Local(_))) => match named(body, id) {
                Some((_, local)) if local.argument => return Owner::Argument,
                named => named.and_then(|(_, local)| local.init),
            },
            // A field that only borrows it: the borrowed value is checked where it is owned.
            (ExprKind::Field(..), Some(Target::Field(_))) if lent => return Owner::Made,
            (ExprKind::Field(..), Some(Target::Field(field))) => return Owner::Field(field),
            (ExprKind::Struct(..) | ExprKind::Call(..), Some(Target::Ctor(..))) => {
                match values(body, id)[..] {
                    [one] if is_it(&one) => Some(one),
                    _ => return Owner::Made,
                }
            }
            // A workspace function returns a new value, or its argument.
            (ExprKind::Call(..) | ExprKind::Method(..), Some(Target::Item(_))) => {
                match values(body, id).into_iter().find(is_it) {
                    None if !lent => return Owner::Made,
                    argument => argument,
                }
            }
            (ExprKind::Call(..) | ExprKind::Method(..), _) if body.is_marked(id, Mark::Fresh) => {
                return Owner::Made;
            }
            _ => match origins(db, body, id, &[]).as_deref() {
                Some([Origin::Value(one, way)]) if way.is_empty() => Some(*one),
                _ => None,
            },
        };
        match next {
            Some(next) => id = next,
            None => return Owner::Elsewhere,
        }
    }
    Owner::Elsewhere
}
