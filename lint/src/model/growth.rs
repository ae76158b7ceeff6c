//! By how much a type, and the enums that hold it, grow with a change.

use super::{Model, TypeInfo};
use crate::ir::AdtKind;
use crate::layout::WhatIf;
use crate::model::holders::Holders;

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
    /// then, or there are too many to ask.
    pub fn growth(&self, holders: &Holders, info: &TypeInfo, change: &WhatIf) -> Option<Growth> {
        let size = |ty| self.extent(ty).ok().map(|e| e.size);
        let before = size(info.ty)?;
        let after = self.what_if(change.clone(), || size(info.ty))?;
        let of_type = after.saturating_sub(before);
        let mut of_enums = match info.kind {
            AdtKind::Enum => of_type,
            _ => 0,
        };
        if !holders.are_all(info.item) {
            return None;
        }
        for &holder in holders.of(info.item) {
            let holder = &self.types()[holder];
            if holder.kind == AdtKind::Enum
                && let Some(before) = size(holder.ty)
            {
                let after = self.what_if(change.clone(), || size(holder.ty))?;
                of_enums = of_enums.max(after.saturating_sub(before));
            }
        }
        Some(Growth { of_type, of_enums })
    }
}
