//! Which pointers the fields of a workspace hold, and which types are held only behind one.

use super::Model;
use crate::resolve::ItemId;
use crate::resolve::ty::{Ty, TyKind};
use crate::usage::types::{INLINE, adt_of, fields_of, inner, is_marked, pointee};
use rustc_hash::{FxHashMap, FxHashSet};

/// What fields hold.
#[derive(Debug, Default)]
pub struct Pointers {
    /// Number of fields that hold each pointer type inline.
    fields: FxHashMap<Ty, usize>,
    /// Types that a field or an element holds by value.
    by_value: FxHashSet<ItemId>,
    /// Types that a field holds behind a `Box`, `Rc` or `Arc`.
    behind: FxHashSet<ItemId>,
}

impl Pointers {
    /// Examines the fields of every type of the selected crates.
    pub fn find(model: &Model<'static>) -> Pointers {
        let mut found = Pointers::default();
        let mut seen = FxHashSet::default();
        for info in model.types() {
            // The same file may be part of several targets.
            let again = !seen.insert((info.span, info.path.clone()));
            for (_, ty) in fields_of(model.db, info.item, info.ty) {
                found.field(model, ty, again);
            }
        }
        found
    }

    /// Returns the number of fields that hold a pointer of this type inline.
    pub fn fields_of(&self, pointer: Ty) -> usize {
        self.fields.get(&pointer).copied().unwrap_or(0)
    }

    /// Returns true if fields hold a type, and all of them through a pointer to it.
    pub fn is_always_behind(&self, item: ItemId) -> bool {
        self.behind.contains(&item) && !self.by_value.contains(&item)
    }

    fn field(&mut self, model: &Model<'static>, ty: Ty, again: bool) {
        let db = model.db;
        if pointee(db, ty).is_some() {
            if !again {
                *self.fields.entry(ty).or_default() += 1;
            }
            self.within(model, ty);
            return;
        }
        let by_value = match db.types.kind(ty) {
            TyKind::Tuple(_) | TyKind::Array(..) => true,
            _ => is_marked(db, ty, INLINE),
        };
        match by_value {
            true => {
                let parts = inner(db, ty).into_iter();
                parts.for_each(|part| self.field(model, part, again));
            }
            false => self.within(model, ty),
        }
    }

    /// Records which types inside a type are held by value, and which behind pointers.
    fn within(&mut self, model: &Model<'static>, ty: Ty) {
        let db = model.db;
        self.by_value.extend(adt_of(db, ty));
        let pointed = pointee(db, ty);
        for part in inner(db, ty) {
            match adt_of(db, part).filter(|_| pointed == Some(part)) {
                Some(item) => {
                    self.behind.insert(item);
                    let deeper = inner(db, part).into_iter();
                    deeper.for_each(|ty| self.within(model, ty));
                }
                None => self.within(model, part),
            }
        }
    }
}
