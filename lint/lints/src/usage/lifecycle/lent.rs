//! Where bodies lend values by `&mut`, and take them out of shared pointers, by type.

use crate::infer::body::{Target, Typed};
use crate::infer::marks::Mark;
use crate::infer::types::{adt_of, std_name, types_of, without_refs};
use crate::ir::body::ExprKind;
use crate::lists::Lists;
use crate::resolve::ty::{Ty, TyKind};
use crate::resolve::{Db, ItemId};
use crate::usage::Usage;
use crate::usage::events::At;
use rustc_hash::FxHashSet;

/// Places and types of all bodies, collected once.
#[derive(Default)]
pub(super) struct Lent {
    /// Places that are borrowed by `&mut`, by type.
    by_ref: Lists<ItemId, At>,
    /// Types to which functions of other crates, or patterns, yield a `&mut`.
    by_others: FxHashSet<ItemId>,
    /// Argument types of functions of `Rc` and `Arc` that give mutable access, or move out.
    unshared: FxHashSet<Ty>,
}

impl Lent {
    pub(super) fn find(db: &'static Db<'static>, usage: &Usage) -> Lent {
        let mut lent = Lent::default();
        for (at, body) in usage.bodies.iter().enumerate() {
            lent.read(db, at, body);
        }
        lent
    }

    fn read(&mut self, db: &'static Db<'static>, at: usize, body: &Typed) {
        for (id, node, fact) in body.exprs() {
            match &node.kind {
                ExprKind::Ref(true, place) => {
                    if let Some(item) = adt_of(db, without_refs(db, body.fact(*place).ty)) {
                        let place = At {
                            body: at,
                            expr: *place,
                        };
                        self.by_ref.add(item, place);
                    }
                }
                ExprKind::Method(..) | ExprKind::Call(..) => {
                    if !matches!(fact.target, Some(Target::Item(_) | Target::Ctor(..))) {
                        self.note(db, fact.ty);
                    }
                    if let ExprKind::Call(_, args) = &node.kind
                        && body.is_marked(id, Mark::Unshares)
                    {
                        let types = args.iter().map(|a| body.fact(*a).ty);
                        self.unshared.extend(types);
                    }
                }
                _ => {}
            }
        }
        let bound = body.locals.iter();
        let bound = bound.filter(|l| l.init.is_none() && !l.argument);
        bound.for_each(|l| self.note(db, l.ty));
    }

    /// Records which types a type lends by `&mut`, also inside an `Option` or the like.
    fn note(&mut self, db: &'static Db<'static>, ty: Ty) {
        match db.types.kind(ty) {
            TyKind::Ref(inner, true) => self.by_others.extend(adt_of(db, without_refs(db, *inner))),
            TyKind::Adt(item, args) if std_name(db, *item).is_some() => {
                types_of(args).for_each(|ty| self.note(db, ty));
            }
            _ => {}
        }
    }

    /// Returns the places of a type, behind references at most, that are borrowed by `&mut`, by
    /// body.
    pub(super) fn by_ref(&self, item: ItemId) -> &[At] {
        self.by_ref.of(&item)
    }

    /// Returns true if code that is not followed yields a `&mut` to such a type.
    pub(super) fn by_others(&self, item: ItemId) -> bool {
        self.by_others.contains(&item)
    }

    /// Returns the types that may be moved out of an `Rc` or `Arc`, or modified in one.
    pub(super) fn unshared(&self) -> impl Iterator<Item = Ty> {
        self.unshared.iter().copied()
    }
}
