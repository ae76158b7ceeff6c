//! Values with several buffers that never grow, all of them frozen at once: an enum is as large as
//! its widest variant, so that freezing the buffers of one type alone may save nothing.

use crate::layout::WhatIf;
use crate::memo::Memo;
use crate::model::Model;
use crate::model::holders::Holders;
use crate::resolve::ItemId;
use crate::resolve::ty::Ty;
use crate::usage::types::adt_of;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Maximum number of types with such buffers in one value.
const MOST: usize = 64;

/// Every type of the workspace with buffers that could be frozen, and their joint effect.
pub struct Together {
    /// In the order of [`Model::types`], each with the change of its buffers.
    frozen: Vec<(ItemId, WhatIf)>,
    /// Index into `frozen`, by type.
    places: FxHashMap<ItemId, usize>,
    found: Memo<Ty, Option<Arc<Joint>>>,
}

/// What a value saves by freezing several types, all of which are needed.
#[derive(Debug)]
pub struct Joint {
    /// Current size of a value, in bytes.
    pub before: u64,
    /// Size if all are frozen, in bytes.
    pub after: u64,
    /// At least two.
    pub parts: Vec<ItemId>,
}

impl Together {
    /// Takes the types, each with the change of all its buffers that could be frozen.
    pub fn new(frozen: Vec<(ItemId, WhatIf)>) -> Together {
        let places = frozen.iter().enumerate();
        Together {
            places: places.map(|(i, (item, _))| (*item, i)).collect(),
            frozen,
            found: Memo::default(),
        }
    }

    /// Returns the smallest set of types to freeze for the maximum saving of `ty`; `None` if one
    /// type suffices or a size is unknown.
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
        // Size with all parts but one.
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
        // A variant as wide as the others may stay unfrozen: its niche encodes the discriminant.
        for i in (0..parts.len()).rev() {
            if size(&parts, Some(parts[i].0))? == after {
                parts.remove(i);
            }
        }
        if parts.len() < 2 {
            return None;
        }
        Some(Joint {
            before,
            after,
            parts: parts.iter().map(|(of, _)| *of).collect(),
        })
    }
}
