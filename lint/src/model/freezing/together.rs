//! What values would be if several buffers that nothing grows could not grow: an enum is as large as
//! the widest of its variants, so freezing those of one type alone may make nothing smaller.

use super::{is_free, may_change};
use crate::layout::WhatIf;
use crate::model::Model;
use crate::model::holders::Holders;
use crate::resolve::ItemId;
use crate::resolve::ty::{Ty, TyKind};
use crate::usage::buffers::Buffers;
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::rc::Rc;

/// What a value holds of more types with such buffers than this is not looked into.
const MOST: usize = 64;

/// Every type of the workspace with buffers that could be frozen, and what comes of it.
pub struct Together {
    /// In the order of [`Model::types`], each with the change of its buffers.
    frozen: Vec<(ItemId, WhatIf)>,
    /// By value: the least types that have to be frozen for all that can be won.
    found: RefCell<FxHashMap<Ty, Rc<[Share]>>>,
}

/// What a value loses by several types, and by one among them.
#[derive(Clone, Copy, Debug)]
pub struct Share {
    /// That one.
    pub of: ItemId,
    /// Bytes of a value today.
    pub before: u64,
    /// Bytes if all are frozen but that one.
    pub without: u64,
    /// Bytes if all are frozen.
    pub after: u64,
}

impl Together {
    /// Asks every type of the workspace.
    pub fn find(model: &Model<'static>, buffers: &Buffers) -> Together {
        let mut all = Vec::new();
        for info in model.types().iter().filter(|info| is_free(model, info)) {
            let open = buffers.of(info.item).iter();
            let open = open.filter(|b| buffers.is_final(b.field) && may_change(model, b));
            let frozen = open.filter_map(|b| model.frozen(b));
            let fields: FxHashMap<_, _> = frozen.map(|f| (f.field, Some(f.ty))).collect();
            if !fields.is_empty() {
                all.push((info.item, WhatIf { fields }));
            }
        }
        Together {
            frozen: all,
            found: RefCell::default(),
        }
    }

    /// The types that have to be frozen for all that a value of `ty` can lose, each with its share;
    /// none if that is not known.
    pub fn shares(&self, model: &Model<'static>, holders: &Holders, ty: Ty) -> Rc<[Share]> {
        let known = self.found.borrow().get(&ty).cloned();
        known.unwrap_or_else(|| {
            let found: Rc<[_]> = self.least(model, holders, ty).unwrap_or_default().into();
            self.found.borrow_mut().insert(ty, found.clone());
            found
        })
    }

    /// The types without which a value would lose less, each with its share.
    fn least(&self, model: &Model<'static>, holders: &Holders, ty: Ty) -> Option<Vec<Share>> {
        let TyKind::Adt(of, _) = model.db.types.kind(ty) else {
            return None;
        };
        let held = |item: ItemId| {
            let mut by = holders.of(item).iter();
            item == *of || by.any(|&i| model.types()[i].item == *of)
        };
        let mut parts: Vec<_> = self.frozen.iter().filter(|(of, _)| held(*of)).collect();
        if parts.len() < 2 || parts.len() > MOST {
            return None;
        }
        // With all parts but one.
        let size = |parts: &[&(ItemId, WhatIf)], but: Option<ItemId>| {
            let parts = parts.iter().filter(|(of, _)| Some(*of) != but);
            let fields = parts.flat_map(|(_, change)| &change.fields);
            let change = WhatIf {
                fields: fields.map(|(place, ty)| (*place, *ty)).collect(),
            };
            model.what_if(change, || model.extent(ty).ok().map(|e| e.size))
        };
        let before = model.extent(ty).ok()?.size;
        let after = size(&parts, None)?;
        // One that is as wide as the others may stay: its free bits tell the variants apart.
        for i in (0..parts.len()).rev() {
            if size(&parts, Some(parts[i].0))? == after {
                parts.remove(i);
            }
        }
        let share = |(of, _): &&(ItemId, WhatIf)| {
            Some(Share {
                of: *of,
                before,
                without: size(&parts, Some(*of))?,
                after,
            })
        };
        parts.iter().map(share).collect()
    }
}
