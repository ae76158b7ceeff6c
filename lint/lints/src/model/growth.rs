//! By how many bytes a type, and the enums that hold it, grow with a change.

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
    /// To the changed type; 0 if it shrinks.
    pub of_type: u64,
    /// To the enum that grows most: the type itself, or one that holds it.
    pub of_enums: u64,
}

impl Model<'static> {
    /// Returns what a change adds to a type and its holders; `None` if a size becomes unknown or
    /// there are too many holders. Also measured with the boxings of `boxed` applied: no other
    /// change may cancel their saving.
    pub fn growth(
        &self,
        holders: &Holders,
        boxed: &FxHashMap<ItemId, Box<Oversized>>,
        info: &TypeInfo,
        change: &WhatIf,
    ) -> Option<Growth> {
        let after = self.size_if(info.ty, change)?;
        let of_type = after.saturating_sub(self.size(info.ty)?);
        if !holders.are_all(info.item) {
            return None;
        }
        let inside = holders.of(info.item).iter().map(|&h| &self.types()[h]);
        let mut of_enums = 0;
        for of in std::iter::once(info).chain(inside) {
            let Some(before) = self.size(of.ty).filter(|_| of.kind == AdtKind::Enum) else {
                continue;
            };
            of_enums = of_enums.max(self.size_if(of.ty, change)?.saturating_sub(before));
            let boxes = boxed.get(&of.item).and_then(|o| o.change(self, of));
            if let Some(boxes) = boxes {
                let mut both = change.clone();
                both.fields.extend(boxes.fields.clone());
                let with = self.size_if(of.ty, &both)?;
                of_enums = of_enums.max(with.saturating_sub(self.size_if(of.ty, &boxes)?));
            }
        }
        Some(Growth { of_type, of_enums })
    }
}
