//! Which types of the workspace hold which by value, and what changes with a part.

use super::Model;
use crate::finding::Ripple;
use crate::layout::WhatIf;
use crate::resolve::ItemId;
use crate::resolve::ty::{Const, Ty, TyKind};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// For each type of the workspace those that hold it by value, at any depth.
pub struct Holders {
    of: FxHashMap<ItemId, Vec<usize>>,
}

impl Holders {
    /// Looks into every type of the workspace whose size is known.
    pub fn find(model: &Model<'static>) -> Holders {
        let mut finder = Finder {
            model,
            own: model.types().iter().map(|t| t.item).collect(),
            parts: FxHashMap::default(),
        };
        let mut of: FxHashMap<ItemId, Vec<usize>> = FxHashMap::default();
        for (i, info) in model.types().iter().enumerate() {
            for &part in finder.parts(info.ty).iter() {
                if part != info.item {
                    of.entry(part).or_default().push(i);
                }
            }
        }
        Holders { of }
    }

    /// Indices into [`Model::types`] of the types that hold `item`.
    pub fn of(&self, item: ItemId) -> &[usize] {
        self.of.get(&item).map_or(&[], Vec::as_slice)
    }

    /// What else changes its size with `item`: the largest change first.
    pub fn ripple(&self, model: &Model<'static>, item: ItemId, change: &WhatIf) -> Vec<Ripple> {
        let holders = self.of(item);
        let size = |i: &usize| model.extent(model.types()[*i].ty).map(|e| e.size);
        let before: Vec<_> = holders.iter().map(size).collect();
        let after: Vec<_> = model.what_if(change.clone(), || holders.iter().map(size).collect());
        let sizes = before.into_iter().zip(after);
        let mut list: Vec<Ripple> = Vec::new();
        for (i, (before, after)) in holders.iter().zip(sizes) {
            let path = &model.types()[*i].path;
            if let (Ok(before), Ok(after)) = (before, after)
                && before != after
                // The same file may be part of several targets.
                && !list.iter().any(|r| r.path == *path)
            {
                list.push(Ripple {
                    path: path.clone(),
                    before,
                    after,
                });
            }
        }
        list.sort_by_key(|r| std::cmp::Reverse(r.before.abs_diff(r.after)));
        list
    }
}

struct Finder<'m> {
    model: &'m Model<'static>,
    own: FxHashSet<ItemId>,
    /// By type: the types of the workspace that it is or holds.
    parts: FxHashMap<Ty, Rc<[ItemId]>>,
}

impl Finder<'_> {
    fn parts(&mut self, ty: Ty) -> Rc<[ItemId]> {
        if let Some(parts) = self.parts.get(&ty) {
            return parts.clone();
        }
        let mut found = Vec::new();
        match self.model.db.types.kind(ty) {
            TyKind::Adt(item, _) => {
                if let Ok(view) = self.model.view(ty) {
                    let fields = view.variants.iter().flat_map(|v| &v.fields);
                    fields.for_each(|f| found.extend(self.parts(f.ty).iter()));
                }
                if self.own.contains(item) {
                    found.push(*item);
                }
            }
            TyKind::Tuple(list) => {
                list.iter()
                    .for_each(|t| found.extend(self.parts(*t).iter()));
            }
            TyKind::Array(element, Const::Value(1..)) => {
                found.extend(self.parts(*element).iter());
            }
            _ => {}
        }
        found.sort_unstable();
        found.dedup();
        let found: Rc<[ItemId]> = found.into();
        self.parts.insert(ty, found.clone());
        found
    }
}
