//! An index of a module's glob imports by the names that each may bring.

use crate::ir::ItemKind;
use crate::memo::Memo;
use crate::name::Name;
use crate::resolve::{Bound, CrateIx, Db, Def, Entry, ModId, State};
use crate::wanted_words::WantedWords;
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
    /// Opens what names of other crates in the files of the selected ones lead through: the roots
    /// of these crates, and the modules that globs there name, as long as a condition holds. This
    /// only takes time from whoever asks for them: a crate opens its modules on one thread, for
    /// which all others wait.
    pub fn open_named_crates(&self, goes_on: impl Fn() -> bool) {
        let mut crates = FxHashMap::default();
        for id in &self.project.selected {
            let externs = self.krate(id.0).externs.read();
            let foreign = externs.iter().filter(|(_, krate)| !self.krate(**krate).own);
            crates.extend(foreign.map(|(name, krate)| (name.as_str(), *krate)));
        }
        let names = WantedWords::new(crates.keys().copied());
        let named = self.ahead.names_in_paths(&names);
        let mut crates: Vec<CrateIx> = named.iter().map(|name| crates[name]).collect();
        crates.sort_unstable();
        crates.dedup();
        crates.retain(|krate| *krate != self.std());
        for krate in crates.into_iter().take_while(|_| goes_on()) {
            let work = || format!("opening `{}`", self.krate(krate).name);
            self.guarded(work, || self.open_globs(krate, &goes_on));
        }
    }

    fn open_globs(&self, krate: CrateIx, goes_on: impl Fn() -> bool) {
        let mut list = vec![self.root(krate)];
        let mut next = 0;
        while let Some(&module) = list.get(next)
            && goes_on()
        {
            next += 1;
            self.open(module);
            let globs = self.module(module).scope.read().globs.clone();
            for glob in globs {
                if let Bound::Import(import) = &glob.to
                    && self.holds(&glob.guard) == Ok(true)
                    && let Ok(Some(Def::Mod(target))) = self.opened_by(import)
                    && !self.krate(self.krate_of(target)).own
                    && !list.contains(&target)
                {
                    list.push(target);
                }
            }
        }
    }

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
                let brought = Arc::new(self.strictly(|| self.brought(id)));
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
