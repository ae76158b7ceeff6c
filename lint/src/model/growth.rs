//! By how much a type, and the enums that hold it, grow with a change.

use super::boxing::Oversized;
use super::{Model, TypeInfo};
use crate::ir::AdtKind;
use crate::layout::WhatIf;
use crate::model::holders::Holders;
use crate::resolve::ItemId;
use rustc_hash::FxHashMap;

/// Bytes that a change adds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Growth {
    /// To the type that is changed; 0 if it shrinks.
    pub of_type: u64,
    /// To the enum that grows most: it, or one that holds it.
    pub of_enums: u64,
}

impl Model<'static> {
    /// What a change adds to a type and its holders; `None` if a size is not known
    /// then, or there are too many to ask. Boxes that make an enum smaller are taken for made: no
    /// other change is to take back what these bring.
    pub fn growth(
        &self,
        holders: &Holders,
        boxed: &FxHashMap<ItemId, Box<Oversized>>,
        info: &TypeInfo,
        change: &WhatIf,
    ) -> Option<Growth> {
        let before = self.extent(info.ty).ok()?.size;
        let after = self.size_with(info, change)?;
        let of_type = after.saturating_sub(before);
        if !holders.are_all(info.item) {
            return None;
        }
        let inside = holders.of(info.item).iter().map(|&h| &self.types()[h]);
        let mut of_enums = 0;
        for of in std::iter::once(info).chain(inside) {
            let Ok(before) = self.extent(of.ty).map(|e| e.size) else {
                continue;
            };
            if of.kind != AdtKind::Enum {
                continue;
            }
            of_enums = of_enums.max(self.size_with(of, change)?.saturating_sub(before));
            let boxes = boxed.get(&of.item).and_then(|o| o.change(self, of));
            if let Some(boxes) = boxes {
                let mut both = change.clone();
                both.fields.extend(boxes.fields.clone());
                let (least, with) = (self.size_with(of, &boxes)?, self.size_with(of, &both)?);
                of_enums = of_enums.max(with.saturating_sub(least));
            }
        }
        Some(Growth { of_type, of_enums })
    }

    fn size_with(&self, of: &TypeInfo, change: &WhatIf) -> Option<u64> {
        self.what_if(change.clone(), || self.extent(of.ty).ok().map(|e| e.size))
    }
}
