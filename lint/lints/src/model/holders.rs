//! Which types of the workspace hold which by value, and which change size with a part.

use super::Model;
use crate::budget::{self, Purse};
use crate::finding::Ripple;
use crate::layout::WhatIf;
use crate::resolve::ItemId;
use crate::resolve::ty::{Const, Ty, TyKind};
use crate::usage::types::adt_of;
use elsa::sync::FrozenMap;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;

/// Which types of the workspace hold which others by value, at any depth. Stores only direct edges:
/// for a chain of types the transitive closure would be too large.
pub struct Holders {
    /// Index into [`Analysis::types`](crate::analysis::Analysis::types) and the type, by definition.
    own: FxHashMap<ItemId, (usize, Ty)>,
    /// What each type holds directly.
    parts: FxHashMap<Ty, Vec<Ty>>,
    /// What holds each type directly.
    wholes: FxHashMap<Ty, Vec<Ty>>,
    /// Every instance of each definition of the workspace.
    instances: FxHashMap<ItemId, Vec<Ty>>,
    /// The definition of each instance.
    item_of: FxHashMap<Ty, ItemId>,
    purse: Purse,
    of: FrozenMap<ItemId, Box<HolderList>>,
    inside: FrozenMap<ItemId, Box<HolderList>>,
}

/// Indices into [`Analysis::types`](crate::analysis::Analysis::types), in order.
#[derive(Default)]
struct HolderList {
    list: Vec<usize>,
    /// Whether the search was cut short, so that there are more.
    cut: bool,
}

impl Holders {
    /// Examines every type of the workspace whose size is known.
    pub fn find(model: &Model<'static>) -> Holders {
        let own = model.types().iter().enumerate();
        let mut holders = Holders {
            own: own.map(|(i, t)| (t.item, (i, t.ty))).collect(),
            parts: FxHashMap::default(),
            wholes: FxHashMap::default(),
            instances: FxHashMap::default(),
            item_of: FxHashMap::default(),
            purse: Purse::new(budget::HOLDERS),
            of: FrozenMap::new(),
            inside: FrozenMap::new(),
        };
        let mut queue: Vec<Ty> = model.types().iter().map(|t| t.ty).collect();
        while let Some(ty) = queue.pop() {
            if holders.parts.contains_key(&ty) {
                continue;
            }
            let mut parts = direct(model, ty);
            // In field order: of very many only the first are followed.
            let mut seen = FxHashSet::default();
            parts.retain(|part| !model.db.holds_nothing_own(*part) && seen.insert(*part));
            parts.shrink_to_fit();
            for &part in &parts {
                holders.wholes.entry(part).or_default().push(ty);
            }
            if let Some(item) = adt_of(model.db, ty)
                && holders.own.contains_key(&item)
            {
                holders.instances.entry(item).or_default().push(ty);
                holders.item_of.insert(ty, item);
            }
            queue.extend(&parts);
            holders.parts.insert(ty, parts);
        }
        holders
    }

    /// Returns the indices into [`Analysis::types`](crate::analysis::Analysis::types) of the types that hold `item`.
    pub fn of(&self, item: ItemId) -> &[usize] {
        &self.holders(item).list
    }

    /// Returns true if [`Holders::of`] is complete, which a limit may prevent.
    pub fn are_all(&self, item: ItemId) -> bool {
        !self.holders(item).cut
    }

    fn holders(&self, item: ItemId) -> &HolderList {
        if let Some(found) = self.of.get(&item) {
            return found;
        }
        let from = self.instances.get(&item).map_or(&[][..], Vec::as_slice);
        let (types, cut) = self.walk(from, &self.wholes);
        let places = types.iter().filter_map(|ty| {
            let (place, plain) = self.own[self.item_of.get(ty)?];
            (plain == *ty).then_some(place)
        });
        self.of
            .insert(item, Box::new(self.found(item, places, cut)))
    }

    /// Returns the indices into [`Analysis::types`](crate::analysis::Analysis::types) of the types that `item` holds.
    pub fn inside(&self, item: ItemId) -> &[usize] {
        if let Some(found) = self.inside.get(&item) {
            return &found.list;
        }
        let from = self.own.get(&item).map(|(_, ty)| *ty);
        let (types, cut) = self.walk(from.as_slice(), &self.parts);
        let places = types.iter().filter_map(|ty| {
            let item = self.item_of.get(ty)?;
            Some(self.own[item].0)
        });
        let found = self.found(item, places, cut);
        &self.inside.insert(item, Box::new(found)).list
    }

    /// Walks breadth-first from some types. Returns what it reaches, and whether the budget cut it
    /// short, in which case the nearest are included.
    fn walk(&self, from: &[Ty], ways: &FxHashMap<Ty, Vec<Ty>>) -> (FxHashSet<Ty>, bool) {
        self.purse.begin(0);
        let mut queue: VecDeque<Ty> = from.iter().copied().collect();
        let mut seen = FxHashSet::default();
        while let Some(ty) = queue.pop_front() {
            for &next in ways.get(&ty).into_iter().flatten() {
                if seen.insert(next) {
                    if !self.purse.spend(1) {
                        return (seen, true);
                    }
                    queue.push_back(next);
                }
            }
        }
        (seen, false)
    }

    fn found(&self, item: ItemId, places: impl Iterator<Item = usize>, cut: bool) -> HolderList {
        let itself = self.own.get(&item).map(|(place, _)| *place);
        let mut list: Vec<usize> = places.filter(|place| Some(*place) != itself).collect();
        list.sort_unstable();
        list.dedup();
        HolderList { list, cut }
    }

    /// Returns the other types whose size changes with `item`, the largest change first. If too
    /// many, only the nearest.
    pub fn ripple(&self, model: &Model<'static>, item: ItemId, change: &WhatIf) -> Vec<Ripple> {
        let holders = self.of(item);
        let size = |i: &usize| model.size(model.types()[*i].ty);
        let before: Vec<_> = holders.iter().map(size).collect();
        let after: Vec<_> = model.what_if(change.clone(), || holders.iter().map(size).collect());
        let sizes = before.into_iter().zip(after);
        let mut list: Vec<Ripple> = Vec::new();
        let mut paths = FxHashSet::default();
        for (i, (before, after)) in holders.iter().zip(sizes) {
            let path = &model.types()[*i].path;
            if let (Some(before), Some(after)) = (before, after)
                && before != after
                // The same file may be part of several targets.
                && paths.insert(path)
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

/// Returns the types of a type's fields, elements and so on, where its layout is known.
fn direct(model: &Model<'static>, ty: Ty) -> Vec<Ty> {
    match model.db.types.kind(ty) {
        // Avoids computing the layout of most types.
        _ if model.db.has_nothing_own(ty) => Vec::new(),
        TyKind::Adt(..) => match model.view(ty) {
            Ok(view) => {
                let fields = view.variants.iter().flat_map(|v| &v.fields);
                fields.map(|f| f.ty).collect()
            }
            Err(_) => Vec::new(),
        },
        TyKind::Tuple(list) => list.to_vec(),
        TyKind::Array(element, Const::Value(1..)) => vec![*element],
        _ => Vec::new(),
    }
}
