//! Name lookup: what a path refers to from a module, through imports, globs and preludes.

mod globs;
mod looking;

use super::{Bound, Db, Def, Entry, Import, ItemId, ModId, Ns, Res, Seen, Unknown, ty::Prim};
use crate::ir::{AdtKind, ItemKind};
use crate::name::Name;
pub(super) use globs::Globs;
use looking::{Answer, Reach, Viewer};
pub(super) use looking::{FoundNames, Looking};
use std::sync::Arc;

/// Prefix of the identifier that replaces `$crate` in macro output; the crate's index follows.
pub const DOLLAR_CRATE: &str = "__weigh_crate_";

/// The definition of a path and how many segments it took; the rest are associated items.
#[derive(Clone, Copy, Debug)]
pub struct Found {
    /// The definition.
    pub def: Def,
    /// Number of segments resolved.
    pub used: usize,
}

impl<'a> Db<'a> {
    /// Resolves a path. Segments after a type or a trait are left over.
    ///
    /// # Errors
    /// [`super::Unknown::Atom`] if an open `cfg` decides.
    pub fn resolve(
        &self,
        module: ModId,
        global: bool,
        names: &[Name],
        ns: Ns,
    ) -> Res<Option<Found>> {
        match ns {
            // An unexpanded macro cannot hide what a macro path names.
            Ns::Macro => self.resolve_unguarded(module, global, names, ns),
            _ => self.resolve_path(module, global, names, ns),
        }
    }

    /// Resolves a path in a body as if no unexpanded macro shadowed it. For usage analysis, never
    /// for sizes.
    ///
    /// # Errors
    /// [`super::Unknown::Atom`] if an open `cfg` decides.
    pub fn resolve_as_read(
        &self,
        module: ModId,
        global: bool,
        names: &[Name],
        ns: Ns,
    ) -> Res<Option<Found>> {
        let found = self.resolve(module, global, names, ns);
        found.or_else(|_| self.resolve_unguarded(module, global, names, ns))
    }

    /// Resolves a path as if no unexpanded macro shadowed it.
    fn resolve_unguarded(
        &self,
        module: ModId,
        global: bool,
        names: &[Name],
        ns: Ns,
    ) -> Res<Option<Found>> {
        self.walk.early.set(self.walk.early.get() + 1);
        let found = self.resolve_path(module, global, names, ns);
        self.walk.early.set(self.walk.early.get() - 1);
        found
    }

    fn resolve_path(
        &self,
        module: ModId,
        global: bool,
        names: &[Name],
        ns: Ns,
    ) -> Res<Option<Found>> {
        // In a derive that does not parse, a non-path resolves to nothing.
        let Some(last) = names.len().checked_sub(1) else {
            return Ok(None);
        };
        let ns_of = |i: usize| if i == last { ns } else { Ns::Type };
        let krate = self.krate_of(module);
        let old = self.krate(krate).edition < 2018;
        let first = names[0];
        let (mut def, mut used) = match first.as_str() {
            _ if global && old => {
                let found = self.lookup(self.root(krate), first, ns_of(0), module)?;
                let found = found.or_else(|| self.extern_crate(krate, first));
                (found, 1)
            }
            _ if global => (self.extern_crate(krate, first), 1),
            "crate" => (Some(Def::Mod(self.root(krate))), 1),
            "self" => (Some(Def::Mod(self.normal(module))), 1),
            "super" => {
                let parent = self.module(self.normal(module)).parent;
                (parent.map(|p| Def::Mod(self.normal(p))), 1)
            }
            text => match text.strip_prefix(DOLLAR_CRATE) {
                Some(ix) => {
                    let ix = ix.parse().ok().filter(|ix| *ix < self.krate_count());
                    (ix.map(|ix| Def::Mod(self.root(ix))), 1)
                }
                None => (self.lexical(module, first, ns_of(0))?, 1),
            },
        };
        while used <= last {
            let name = names[used];
            match def {
                Some(Def::Mod(m)) if name == "super" => {
                    def = self.module(m).parent.map(|p| Def::Mod(self.normal(p)));
                }
                Some(Def::Mod(_)) if name == "self" => {}
                Some(Def::Mod(m)) => def = self.lookup(m, name, ns_of(used), module)?,
                Some(Def::Item(item)) => match self.variant(item, name)? {
                    Some(variant) => {
                        return Ok(Some(Found {
                            def: variant,
                            used: used + 1,
                        }));
                    }
                    None => break,
                },
                Some(Def::Prim(_)) => break,
                _ => return Ok(None),
            }
            used += 1;
        }
        Ok(def.map(|def| Found { def, used }))
    }

    /// Finds a variant of an enum by name, also through a type alias (`Alias::Variant`).
    fn variant(&self, item: ItemId, name: Name) -> Res<Option<Def>> {
        let data = self.item(item);
        let ItemKind::Adt(adt) = &data.item.kind else {
            return Ok(None);
        };
        if adt.kind != AdtKind::Enum {
            return Ok(None);
        }
        let krate = self.krate_of(data.module);
        for i in self.variants_named(item, adt, name) {
            if self.present(krate, &adt.variants[i as usize].attrs)? {
                return Ok(Some(Def::Variant(item, i)));
            }
        }
        Ok(None)
    }

    /// Finds a crate by its name in another crate.
    pub(crate) fn extern_crate(&self, krate: u32, name: Name) -> Option<Def> {
        // `extern crate` items of the root may add names.
        self.open(self.root(krate));
        self.extern_root(krate, name).map(Def::Mod)
    }

    /// Finds the root module of a crate by its name in another crate.
    pub(crate) fn extern_root(&self, krate: u32, name: Name) -> Option<ModId> {
        let ix = self.krate(krate).externs.read().get(&name).copied();
        if let Some(ix) = ix {
            return Some(self.root(ix));
        }
        // `proc_macro` is declared as a module of std.
        if name != "proc_macro" {
            return None;
        }
        let std = self.root(self.std());
        match self.lookup(std, name, Ns::Type, std) {
            Ok(Some(Def::Mod(module))) => Some(module),
            _ => None,
        }
    }

    /// Looks up a single name or the first segment of a path: in the module and the function bodies
    /// around it, other crates, the prelude, the primitives.
    fn lexical(&self, module: ModId, name: Name, ns: Ns) -> Res<Option<Def>> {
        let key = (module, name, ns);
        if let Some(def) = self.names.get(self, &key) {
            return Ok(def);
        }
        let look = || self.recording(|| self.lexical_uncached(module, name, ns));
        let ((found, rests), guarded) = self.guarding(look);
        let found = found?;
        let whole = self.walk.opening.get() == 0 && self.walk.looking.is_idle();
        if whole && guarded {
            self.names.keep(key, found, &rests);
        }
        Ok(found)
    }

    fn lexical_uncached(&self, module: ModId, name: Name, ns: Ns) -> Res<Option<Def>> {
        let mut at = module;
        let mut blocks = Vec::new();
        loop {
            if let Some(def) = self.lookup(at, name, ns, module)? {
                for block in blocks {
                    self.outside_decides(block, name, false)?;
                }
                return Ok(Some(def));
            }
            match self.module(at).parent {
                Some(parent) if self.module(at).block => {
                    blocks.push(at);
                    at = parent;
                }
                _ => break,
            }
        }
        blocks.push(at);
        let places = blocks;
        let krate = self.krate_of(module);
        match ns {
            Ns::Type => {
                if let Some(def) = self.extern_crate(krate, name) {
                    return self.unless_imported(&places, name, def);
                }
            }
            Ns::Macro => {
                let from = self.krate(krate).macro_use.read().clone();
                for ix in from {
                    let root = self.root(ix);
                    if let Some(def) = self.lookup(root, name, ns, root)? {
                        return Ok(Some(def));
                    }
                }
            }
            Ns::Value => {}
        }
        if let Some(def) = self.in_prelude(krate, name, ns)? {
            for place in places {
                self.outside_decides(place, name, true)?;
            }
            return Ok(Some(def));
        }
        match Prim::named(name.as_str()).filter(|_| ns == Ns::Type) {
            Some(prim) => self.unless_imported(&places, name, Def::Prim(prim)),
            None => Ok(None),
        }
    }

    fn unless_imported(&self, places: &[ModId], name: Name, def: Def) -> Res<Option<Def>> {
        for place in places {
            self.import_decides(*place, name)?;
        }
        Ok(Some(def))
    }

    fn in_prelude(&self, krate: u32, name: Name, ns: Ns) -> Res<Option<Def>> {
        let std = self.root(self.std());
        if ns == Ns::Macro {
            return self.lookup(std, name, ns, std);
        }
        let edition = match self.krate(krate).edition {
            2015 => "rust_2015",
            2018 => "rust_2018",
            2021 => "rust_2021",
            _ => "rust_2024",
        };
        let Some(Def::Mod(prelude)) = self.lookup(std, Name::new("prelude"), Ns::Type, std)? else {
            return Ok(None);
        };
        match self.lookup(prelude, Name::new(edition), Ns::Type, std)? {
            Some(Def::Mod(edition)) => self.lookup(edition, name, ns, std),
            _ => Ok(None),
        }
    }

    /// Looks up a name in a module, as visible from another: direct items and imports, then globs.
    pub fn lookup(&self, id: ModId, name: Name, ns: Ns, from: ModId) -> Res<Option<Def>> {
        self.lookup_from(id, name, ns, from).map(|(def, _)| def)
    }

    /// Looks up a name in a module as visible from another, and tells from where else it is the same.
    fn lookup_from(&self, id: ModId, name: Name, ns: Ns, from: ModId) -> Res<(Option<Def>, Reach)> {
        self.open(id);
        let key = (id, name, ns);
        let unguarded = self.walk.early.get() > 0 || self.walk.opening.get() > 0;
        let viewers = [Reach::Crate, Reach::Common, Reach::Module];
        for reach in viewers {
            let seen = (key, self.viewer(reach, id, from), unguarded);
            if let Some(def) = self.found.get(self, &seen) {
                return Ok((def, reach));
            }
        }
        let seen = (key, from, unguarded);
        if let Some(answer) = self.walk.looking.answered(seen) {
            self.walk
                .unguarded
                .set(self.walk.unguarded.get() || !answer.guarded);
            self.note_reads(&answer.rests);
            return Ok((answer.def, answer.reach));
        }
        let entries = self.entries(id, name, ns);
        if self.walk.looking.is_under_way(key) {
            // An import cycle: only a direct definition can end it.
            for entry in &entries {
                if let Bound::Def(def) = entry.to
                    && self.visible(entry.seen, from)
                    && self.holds(&entry.guard)?
                {
                    return Ok((Some(def), Reach::Module));
                }
            }
            return Ok((None, Reach::Module));
        }
        let Some(_level) = self.budget.imports.enter() else {
            let why = format!("the search for `{name}` stopped here: too many imports of imports");
            return Err(Unknown::because(why));
        };
        let begun = self.walk.looking.begin(key);
        let look = || self.recording(|| self.lookup_here(id, name, ns, from, &entries));
        let ((found, rests), guarded) = self.guarding(look);
        let keeps = self.assumed() == 0;
        let answer = found.as_ref().ok().filter(|_| keeps);
        let rests = Arc::new(rests);
        let answer = answer.map(|&(def, reach)| Answer {
            def,
            guarded,
            reach,
            rests: rests.clone(),
        });
        let lasts = guarded && self.walk.opening.get() == 0;
        let found_for_good = self.walk.looking.end(seen, begun, answer, lasts);
        if let (Some(def), Ok((_, reach))) = (found_for_good, &found)
            && (def.is_some() || ns != Ns::Macro)
        {
            let viewer = self.viewer(*reach, id, from);
            self.found.keep((key, viewer, unguarded), def, &rests);
        }
        found
    }

    /// Returns the modules that see a module as this one does, if so much was asked.
    fn viewer(&self, reach: Reach, id: ModId, from: ModId) -> Viewer {
        match reach {
            Reach::Crate => Viewer::Crate(self.krate_of(from)),
            Reach::Common => {
                let mut at = id;
                while !self.is_within(from, at) {
                    match self.module(at).parent {
                        Some(parent) => at = parent,
                        // They are of different crates, where nothing restricted is visible.
                        None => return Viewer::Crate(self.krate_of(from)),
                    }
                }
                Viewer::Common(at)
            }
            Reach::Module => Viewer::Module(from),
        }
    }

    /// Returns how far an answer holds that depends on this visibility.
    fn reach(&self, seen: Seen, from: ModId) -> Reach {
        match seen {
            Seen::Within(m)
                if self.krate_of(m) == self.krate_of(from) && self.module(m).parent.is_some() =>
            {
                Reach::Common
            }
            _ => Reach::Crate,
        }
    }

    fn lookup_here(
        &self,
        id: ModId,
        name: Name,
        ns: Ns,
        from: ModId,
        entries: &[Entry],
    ) -> Res<(Option<Def>, Reach)> {
        let mut reach = Reach::Crate;
        for entry in entries {
            reach = reach.max(self.reach(entry.seen, from));
            let visible = self.visible(entry.seen, from);
            if !visible && ns == Ns::Macro || !self.holds(&entry.guard)? {
                continue;
            }
            let def = match &entry.to {
                Bound::Def(def) => Some(*def),
                Bound::Import(import) => self.follow(import, ns)?,
            };
            // It shadows glob imports even where it is not visible.
            if def.is_some() {
                return Ok((def.filter(|_| visible), reach));
            }
        }
        if ns == Ns::Macro && self.module(id).parent.is_none() {
            let krate = self.krate_of(id);
            if let Some(def) = self.exported(krate, name)? {
                return Ok((Some(def), reach));
            }
        }
        let globs = self.globs_for(id, name);
        for (at, glob) in globs.iter().enumerate() {
            reach = reach.max(self.reach(glob.seen, from));
            if !self.visible(glob.seen, from) {
                continue;
            }
            let mut def = self.brought_by(glob, id, name, ns)?;
            // A glob does not widen the visibility of what it imports.
            if def.is_some()
                && let Bound::Import(import) = &glob.to
            {
                if !self.is_within(from, id) {
                    let elsewhere;
                    (def, elsewhere) = self.in_opened(self.opened_by(import)?, name, ns, from)?;
                    reach = match elsewhere {
                        Reach::Crate => reach,
                        _ => Reach::Module,
                    };
                } else if self.module(id).parent.is_some() {
                    reach = reach.max(Reach::Common);
                }
            }
            if def.is_some() {
                self.glob_decides(id, name)?;
                // Where globs differ, the first decides the visibility: it hides the others.
                let differs = |hidden: &Entry| {
                    !self.visible(hidden.seen, from)
                        && matches!(self.brought_by(hidden, id, name, ns), Ok(Some(other)) if Some(other) != def)
                };
                let hidden = globs[..at].iter().any(differs);
                return Ok((def.filter(|_| !hidden), reach));
            }
        }
        Ok((None, reach))
    }

    /// Looks up a name in the target of a module's glob, as visible from that module.
    fn brought_by(&self, glob: &Entry, id: ModId, name: Name, ns: Ns) -> Res<Option<Def>> {
        match &glob.to {
            Bound::Import(import) if self.holds(&glob.guard)? => {
                let (def, _) = self.in_opened(self.opened_by(import)?, name, ns, id)?;
                Ok(def)
            }
            _ => Ok(None),
        }
    }

    /// Looks up a name in the target of a glob, as visible from a module.
    fn in_opened(
        &self,
        opened: Option<Def>,
        name: Name,
        ns: Ns,
        from: ModId,
    ) -> Res<(Option<Def>, Reach)> {
        match opened {
            Some(Def::Mod(target)) => self.lookup_from(target, name, ns, from),
            Some(Def::Item(item)) => {
                let data = self.item(item);
                let seen = self.seen(data.module, &data.item.vis);
                let variant = match self.visible(seen, from) {
                    true => self.variant(item, name)?,
                    false => None,
                };
                Ok((variant, self.reach(seen, from)))
            }
            _ => Ok((None, Reach::Crate)),
        }
    }

    /// Resolves the target of a glob. Its path may lead through sibling globs, and theirs back
    /// through it: each is entered once.
    pub(in crate::resolve) fn opened_by(&self, glob: &Import) -> Res<Option<Def>> {
        if let Some(&def) = glob.target.get() {
            return Ok(Some(def));
        }
        // Imports never move, so the address identifies the glob.
        let asked = std::ptr::from_ref(glob).addr();
        if !self.walk.globs.borrow_mut().insert(asked) {
            self.walk.looking.rests_on_all();
            return Ok(None);
        }
        let (found, rests) = self.recording(|| self.follow(glob, Ns::Type));
        self.walk.globs.borrow_mut().remove(&asked);
        if let Ok(Some(def)) = found
            && rests.is_empty()
            && self.walk.opening.get() == 0
        {
            // Another thread that was faster found the same.
            let _ = glob.target.set(def);
        }
        found
    }

    /// Resolves an import in one namespace.
    pub(crate) fn follow(&self, import: &Import, ns: Ns) -> Res<Option<Def>> {
        let module = import.module;
        self.trust_import(import.item)?;
        if import.path.is_empty() {
            // `use ::*` and `use {self}` refer to the crate root.
            return Ok(Some(Def::Mod(self.root(self.krate_of(module)))));
        }
        if ns == Ns::Macro
            && let [name] = import.path[..]
            && let Some(item) = self.textual_at(module, Some(import.item), name)?
        {
            return Ok(Some(Def::Item(item)));
        }
        let krate = self.krate_of(module);
        let found = if self.krate(krate).edition < 2018 && !import.global {
            let first = import.path[0].as_str();
            let relative =
                matches!(first, "self" | "super" | "crate") || first.starts_with(DOLLAR_CRATE);
            match relative {
                true => self.resolve(module, false, &import.path, ns)?,
                false => self.resolve(module, true, &import.path, ns)?,
            }
        } else {
            self.resolve(module, import.global, &import.path, ns)?
        };
        Ok(found.filter(|f| f.used == import.path.len()).map(|f| f.def))
    }

    /// Returns true if something of this visibility is nameable from a module.
    pub fn visible(&self, seen: Seen, from: ModId) -> bool {
        match seen {
            Seen::Everywhere => true,
            Seen::Within(m) => self.is_within(from, m),
        }
    }

    /// Finds a `#[macro_export]` macro of a crate. Such macros live at the root wherever they are
    /// defined, so modules are opened breadth-first until it appears.
    pub(crate) fn exported(&self, krate: u32, name: Name) -> Res<Option<Def>> {
        let mut queue = vec![self.root(krate)];
        let mut next = 0;
        loop {
            let entries = self.krate(krate).exported.read().get(&name).cloned();
            for entry in entries.into_iter().flatten() {
                if let Bound::Def(def) = entry.to
                    && self.holds(&entry.guard)?
                {
                    return Ok(Some(def));
                }
            }
            let Some(&module) = queue.get(next) else {
                return Ok(None);
            };
            next += 1;
            // A module that this thread is opening may be waiting for this very answer and stays as
            // it is.
            self.open(module);
            queue.extend(self.module(module).scope.read().children.iter());
        }
    }
}
