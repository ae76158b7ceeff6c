//! What values would be if several buffers that nothing grows could not grow: an enum is as large as
//! the widest of its variants, so freezing those of one type alone may make nothing smaller.

use crate::layout::WhatIf;
use crate::memo::Memo;
use crate::model::Model;
use crate::model::holders::Holders;
use crate::resolve::ItemId;
use crate::resolve::ty::Ty;
use crate::usage::types::adt_of;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// What a value holds of more types with such buffers than this is not looked into.
const MOST: usize = 64;

/// Every type of the workspace with buffers that could be frozen, and what comes of it.
pub struct Together {
    /// In the order of [`Model::types`], each with the change of its buffers.
    frozen: Vec<(ItemId, WhatIf)>,
    /// By type: its place there.
    places: FxHashMap<ItemId, usize>,
    found: Memo<Ty, Option<Arc<Joint>>>,
}

/// What a value loses by several types, none of which could be left out.
#[derive(Debug)]
pub struct Joint {
    /// Bytes of a value today.
    pub before: u64,
    /// Bytes if all are frozen.
    pub after: u64,
    /// Two at least, each with the bytes if it alone is not.
    pub parts: Vec<(ItemId, u64)>,
}

impl Together {
    /// Of these types, each with the change of all its buffers that could be frozen.
    pub fn new(frozen: Vec<(ItemId, WhatIf)>) -> Together {
        let places = frozen.iter().enumerate();
        Together {
            places: places.map(|(i, (item, _))| (*item, i)).collect(),
            frozen,
            found: Memo::default(),
        }
    }

    /// Types that have to be frozen for all that a value of `ty` can lose; none if one is enough or
    /// that is not known.
    pub fn joint(&self, model: &Model<'static>, holders: &Holders, ty: Ty) -> Option<Arc<Joint>> {
        let known = self.found.get(&ty);
        known.unwrap_or_else(|| {
            let found = self.least(model, holders, ty).map(Arc::new);
            self.found.keep(ty, found)
        })
    }

    fn least(&self, model: &Model<'static>, holders: &Holders, ty: Ty) -> Option<Joint> {
        let of = adt_of(model.db, ty)?;
        let held = holders.inside(of).iter().map(|&i| model.types()[i].item);
        let mut held: Vec<_> = held.chain([of]).collect();
        held.retain(|item| self.places.contains_key(item));
        held.sort_by_key(|item| self.places[item]);
        let mut parts: Vec<_> = held.iter().map(|i| &self.frozen[self.places[i]]).collect();
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
            model.size_if(ty, &change)
        };
        let before = model.size(ty)?;
        let after = size(&parts, None)?;
        // One that is as wide as the others may stay: its free bits tell the variants apart.
        for i in (0..parts.len()).rev() {
            if size(&parts, Some(parts[i].0))? == after {
                parts.remove(i);
            }
        }
        if parts.len() < 2 {
            return None;
        }
        let without = |(of, _): &&(ItemId, WhatIf)| Some((*of, size(&parts, Some(*of))?));
        Some(Joint {
            before,
            after,
            parts: parts.iter().map(without).collect::<Option<_>>()?,
        })
    }
}
