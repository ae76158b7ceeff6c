//! An index of a module's glob imports by the names that each may bring.

use crate::ir::ItemKind;
use crate::memo::Memo;
use crate::name::Name;
use crate::resolve::{Bound, Db, Def, Entry, ModId, State};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// Up to this many globs are searched linearly.
const FEW: usize = 16;

/// Indices into a module's list of globs.
#[derive(Default)]
struct Brought {
    /// Globs of enums and of modules without globs, by the names they bring.
    by_name: FxHashMap<Name, Vec<u32>>,
    /// Globs that may bring any name.
    any: Vec<u32>,
}

/// The index of each module.
#[derive(Default)]
pub(in crate::resolve) struct Globs(Memo<ModId, Arc<Brought>>);

impl Db<'_> {
    /// Returns the globs of a module that may bring a name, in order.
    pub(super) fn globs_for(&self, id: ModId, name: Name) -> Vec<Entry> {
        let scope = &self.module(id).scope;
        // While a module is being read, names may still be added; under an assumed `cfg` the target
        // of a glob may differ.
        let unsettled = self.walk.opening.get() > 0 || self.assumed() > 0;
        if scope.read().globs.len() <= FEW || unsettled {
            return scope.read().globs.clone();
        }
        let brought = match self.globs.0.get(&id) {
            Some(brought) => brought,
            // The path of a glob may lead through the other globs.
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

    /// Returns the names of a module that has no globs of its own.
    fn names_of(&self, id: ModId) -> Option<FxHashSet<Name>> {
        self.open(id);
        let module = self.module(id);
        let scope = module.scope.read();
        // A root also has the macros that its crate exports.
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
