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
    /// Place of the type in [`Model::types`], the type, and its buffers frozen.
    frozen: Vec<(usize, ItemId, WhatIf)>,
    /// By value: the least types that have to be frozen for all that can be won.
    found: RefCell<FxHashMap<Ty, Rc<[(ItemId, Share)]>>>,
}

/// What a value loses by several types, and by one among them.
#[derive(Clone, Copy, Debug)]
pub struct Share {
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
        let types = model.types().iter().enumerate();
        for (i, info) in types.filter(|(_, info)| is_free(model, info)) {
            let open = buffers.of(info.item).iter();
            let open = open.filter(|b| buffers.is_final(b.field) && may_change(model, b));
            let frozen = open.filter_map(|b| model.frozen(b));
            let fields: FxHashMap<_, _> = frozen.map(|f| (f.field, Some(f.ty))).collect();
            if !fields.is_empty() {
                all.push((i, info.item, WhatIf { fields }));
            }
        }
        Together {
            frozen: all,
            found: RefCell::default(),
        }
    }

    /// The types that have to be frozen for all that a value of `ty` can lose, each with its share;
    /// none if that is not known.
    pub fn shares(
        &self,
        model: &Model<'static>,
        holders: &Holders,
        ty: Ty,
    ) -> Rc<[(ItemId, Share)]> {
        let known = self.found.borrow().get(&ty).cloned();
        known.unwrap_or_else(|| {
            let found: Rc<[_]> = self.least(model, holders, ty).unwrap_or_default().into();
            self.found.borrow_mut().insert(ty, found.clone());
            found
        })
    }

    /// The types without which a value would lose less, each with its share.
    fn least(
        &self,
        model: &Model<'static>,
        holders: &Holders,
        ty: Ty,
    ) -> Option<Vec<(ItemId, Share)>> {
        let TyKind::Adt(of, _) = model.db.types.kind(ty) else {
            return None;
        };
        let held = |item: ItemId| {
            let mut by = holders.of(item).iter();
            item == *of || by.any(|&i| model.types()[i].item == *of)
        };
        let mut parts: Vec<_> = self.frozen.iter().filter(|(_, i, _)| held(*i)).collect();
        if parts.len() < 2 || parts.len() > MOST {
            return None;
        }
        parts.sort_by_key(|(place, ..)| *place);
        let size = |parts: &[&(usize, ItemId, WhatIf)]| {
            let fields = parts.iter().flat_map(|(_, _, change)| &change.fields);
            let change = WhatIf {
                fields: fields.map(|(place, ty)| (*place, *ty)).collect(),
            };
            model.what_if(change, || model.extent(ty).ok().map(|e| e.size))
        };
        let before = model.extent(ty).ok()?.size;
        let after = size(&parts)?;
        let mut shares = Vec::new();
        for i in (0..parts.len()).rev() {
            let part = parts.remove(i);
            let without = size(&parts)?;
            // The last variant that is as wide may stay: its free bits tell it from the others.
            if without == after {
                continue;
            }
            parts.insert(i, part);
            let share = Share {
                before,
                without,
                after,
            };
            shares.push((part.1, share));
        }
        Some(shares)
    }
}
