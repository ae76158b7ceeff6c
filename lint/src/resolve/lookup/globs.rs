//! Of the many globs of a module those that may bring a name.

use crate::ir::ItemKind;
use crate::memo::Memo;
use crate::name::Name;
use crate::resolve::{Bound, Db, Def, Entry, ModId, State};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// So many are asked one after the other.
const FEW: usize = 16;

/// Places in the list of a module's globs.
#[derive(Default)]
struct Brought {
    /// What modules without globs of their own, and enums, have.
    by_name: FxHashMap<Name, Vec<u32>>,
    /// Those that may bring any name.
    any: Vec<u32>,
}

/// By module.
#[derive(Default)]
pub(in crate::resolve) struct Globs(Memo<ModId, Arc<Brought>>);

impl Db<'_> {
    /// The globs of a module that may bring a name, in order.
    pub(super) fn globs_for(&self, id: ModId, name: Name) -> Vec<Entry> {
        let scope = &self.module(id).scope;
        // Names may still be added to modules while one is being read, and what a glob opens may
        // rest on what is assumed of an open `cfg`.
        let unsettled = self.walk.opening.get() > 0 || self.assumed() > 0;
        if scope.read().globs.len() <= FEW || unsettled {
            return scope.read().globs.clone();
        }
        let brought = match self.globs.0.get(&id) {
            Some(brought) => brought,
            // The path of a glob asks what the others bring.
            None if !self.walk.bringing.borrow_mut().insert(id) => {
                return scope.read().globs.clone();
            }
            None => {
                let brought = Arc::new(self.brought(id));
                self.walk.bringing.borrow_mut().remove(&id);
                self.globs.0.keep(id, brought)
            }
        };
        let named = brought.by_name.get(&name).into_iter().flatten();
        let mut places: Vec<u32> = named.chain(&brought.any).copied().collect();
        places.sort_unstable();
        let globs = &scope.read().globs;
        places
            .into_iter()
            .map(|at| globs[at as usize].clone())
            .collect()
    }

    fn brought(&self, id: ModId) -> Brought {
        let globs = self.module(id).scope.read().globs.clone();
        let mut brought = Brought::default();
        for (at, glob) in (0u32..).zip(&globs) {
            let target = match &glob.to {
                Bound::Import(import) => self.opened_by(import),
                Bound::Def(_) => continue,
            };
            let names = match target {
                Ok(Some(Def::Mod(target))) => self.names_of(target),
                Ok(Some(Def::Item(item))) => match &self.item(item).item.kind {
                    ItemKind::Adt(adt) => Some(adt.variants.iter().map(|v| v.name).collect()),
                    _ => None,
                },
                _ => None,
            };
            let Some(names) = names else {
                brought.any.push(at);
                continue;
            };
            for name in names {
                brought.by_name.entry(name).or_default().push(at);
            }
        }
        brought
    }

    /// The names of a module that has them all by itself.
    fn names_of(&self, id: ModId) -> Option<FxHashSet<Name>> {
        self.open(id);
        let module = self.module(id);
        let scope = module.scope.read();
        // A root has the macros that its crate exports too.
        if !matches!(module.state.get(), State::Open | State::Settled)
            || module.parent.is_none()
            || !scope.globs.is_empty()
        {
            return None;
        }
        let maps = [&scope.types, &scope.values, &scope.macros, &scope.imports];
        Some(
            maps.into_iter()
                .flat_map(|map| map.keys().copied())
                .collect(),
        )
    }
}
