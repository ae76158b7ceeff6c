//! Lower bounds of sizes that are unknown, from the parts of a type.

use super::{Layouts, adt};
use crate::resolve::Db;
use crate::resolve::ty::{Const, Ty, TyKind};
use rustc_hash::FxHashMap;

/// Computes the lower bound of one size.
pub(super) struct Bound<'l, 'a> {
    layouts: &'l Layouts<'a>,
    db: &'l Db<'a>,
    /// The bounds of the visited types of unknown size, in bytes; 0 during a visit, so that a type
    /// which contains itself ends.
    known: FxHashMap<Ty, u64>,
}

impl<'l, 'a> Bound<'l, 'a> {
    /// Starts without visited types.
    pub(super) fn new(layouts: &'l Layouts<'a>, db: &'l Db<'a>) -> Self {
        Bound {
            layouts,
            db,
            known: FxHashMap::default(),
        }
    }

    /// Returns the size of a type if it is known, otherwise a lower bound, in bytes.
    pub(super) fn of(&mut self, ty: Ty) -> u64 {
        if let Some(bound) = self.known.get(&ty) {
            return *bound;
        }
        if let Ok(layout) = self.layouts.of(self.db, ty) {
            return layout.size.bytes();
        }
        // Zero is a lower bound of every size.
        if !self.layouts.bounds.spend(1) {
            return 0;
        }
        self.known.insert(ty, 0);
        let bound = self.of_parts(ty);
        self.known.insert(ty, bound);
        bound
    }

    /// Adds the fields' bounds; of an enum, returns those of the largest variant.
    fn of_parts(&mut self, ty: Ty) -> u64 {
        match self.db.types.kind(ty) {
            TyKind::Tuple(list) => self.sum(list.iter().copied()),
            TyKind::Array(element, Const::Value(n)) => self
                .of(*element)
                .saturating_mul(u64::try_from(*n).unwrap_or(0)),
            TyKind::Adt(id, _) => {
                let Ok(shape) = adt::shape(self.db, ty, *id) else {
                    return 0;
                };
                // An uninhabited variant may take no space.
                if shape.variants.len() != 1 && self.layouts.may_be_uninhabited(self.db, &shape) {
                    return 0;
                }
                let variants = shape.variants.iter().map(|variant| {
                    let mut fields = variant.fields.iter().map(|f| f.ty);
                    match shape.is_union {
                        true => fields.map(|ty| self.of(ty)).max().unwrap_or(0),
                        false => self.sum(&mut fields),
                    }
                });
                variants.max().unwrap_or(0)
            }
            _ => 0,
        }
    }

    fn sum(&mut self, types: impl Iterator<Item = Ty>) -> u64 {
        types.fold(0, |sum, ty| sum.saturating_add(self.of(ty)))
    }
}
