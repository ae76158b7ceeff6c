//! Variants, fields and associated items by name: a linear search for few, an index for many, which
//! a crate may look up one by one.

use super::{Db, ItemId};
use crate::ir::{self, ItemKind};
use crate::memo::Memo;
use crate::name::Name;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Up to this many are searched linearly.
const FEW: usize = 16;

/// Indices by item and, for fields, variant.
#[derive(Default)]
pub(super) struct Named {
    variants: Memo<ItemId, Arc<FxHashMap<Name, Vec<u32>>>>,
    members: Memo<ItemId, Arc<FxHashMap<Name, Vec<ItemId>>>>,
    fields: Memo<(ItemId, u32), Arc<FxHashMap<Name, u32>>>,
}

impl Db<'_> {
    /// Returns the variants of this name, in order: `cfg`s leave at most one of several.
    pub(super) fn variants_named(&self, id: ItemId, adt: &ir::Adt, name: Name) -> Vec<u32> {
        let places = || (0u32..).zip(&adt.variants);
        if adt.variants.len() <= FEW {
            let fit = places().filter(|(_, v)| v.name == name);
            return fit.map(|(i, _)| i).collect();
        }
        let index = self.named.variants.keep_made(&id, || {
            let mut index: FxHashMap<Name, Vec<u32>> = FxHashMap::default();
            for (i, variant) in places() {
                index.entry(variant.name).or_default().push(i);
            }
            Arc::new(index)
        });
        index.get(&name).cloned().unwrap_or_default()
    }

    /// Returns the associated items of this name in a trait or `impl`, in order.
    pub(super) fn members_named(&self, owner: ItemId, name: Name) -> Vec<ItemId> {
        let members = self.members(owner).iter().copied();
        if members.len() <= FEW {
            return members
                .filter(|m| self.item(*m).item.name == name)
                .collect();
        }
        let index = self.named.members.keep_made(&owner, || {
            let mut index: FxHashMap<Name, Vec<ItemId>> = FxHashMap::default();
            for member in members {
                index
                    .entry(self.item(member).item.name)
                    .or_default()
                    .push(member);
            }
            Arc::new(index)
        });
        index.get(&name).cloned().unwrap_or_default()
    }

    /// Returns the first field of this name in a variant, or in a struct or union (variant 0).
    pub fn field_named(&self, id: ItemId, variant: u32, name: Name) -> Option<u32> {
        let ItemKind::Adt(adt) = &self.item(id).item.kind else {
            return None;
        };
        let fields = &adt.variants.get(variant as usize)?.fields;
        if fields.len() <= FEW {
            let at = fields.iter().position(|f| f.name == name)?;
            return Some(at as u32);
        }
        let index = self.named.fields.keep_made(&(id, variant), || {
            // The first of several with the same name wins.
            let mut index = FxHashMap::default();
            for (i, field) in (0u32..).zip(fields) {
                index.entry(field.name).or_insert(i);
            }
            Arc::new(index)
        });
        index.get(&name).copied()
    }
}
