//! Resolves an associated constant or function of a type in its `impl`s and traits.

use super::Callable;
use crate::ir::{self, ItemKind};
use crate::name::Name;
use crate::resolve::impls::Crates;
use crate::resolve::ty::{Ty, TyKind};
use crate::resolve::types::Env;
use crate::resolve::{Bound, Db, Def, Entry, ItemId, ModId, Ns, Res, Unknown};
use smallvec::smallvec;

/// Evaluation steps charged for matching an `impl` with a type.
const COST_OF_IMPL: u32 = 10;

impl<'a> Db<'a> {
    /// Finds an associated constant or function of a type as visible from a module: in its inherent
    /// `impl`s, then in trait `impl`s, then in the traits' defaults.
    pub(crate) fn assoc_item(&self, ty: Ty, name: Name, from: ModId) -> Res<Option<Callable>> {
        if let Some(found) = self.assoc_in_crates(ty, name, from, &[Place::Inherent], false)? {
            return Ok(Some(found));
        }
        let found = self.assoc_in_crates(ty, name, from, OF_TRAITS, true)?;
        // Inherent items take precedence, and an unexpanded macro may have defined one.
        if let TyKind::Adt(id, _) = self.types.kind(ty)
            && found.is_some()
            && let Some(why) = self.unseen_in(self.krate_of(self.item(*id).module))
        {
            let why = format!("`{name}` may be another one: {why}");
            return Err(Unknown::because(why));
        }
        Ok(found)
    }

    /// Finds the unique associated item of a type with this name; only in imported traits if
    /// `imported`.
    pub(super) fn assoc_in_crates(
        &self,
        ty: Ty,
        name: Name,
        from: ModId,
        places: &[Place],
        imported: bool,
    ) -> Res<Option<Callable>> {
        let mut crates: Crates = smallvec![self.krate_of(from)];
        self.crates_of(ty, &mut crates);
        if !crates.contains(&self.std()) {
            crates.push(self.std());
        }
        let mut only = None;
        let mut left_out = None;
        let defaults = places.contains(&Place::Default);
        for &krate in &crates {
            for (imp, has) in self.impls_with(krate, name, ty, defaults) {
                // An `impl` that defines it overrides the trait's default.
                let mut here = places.iter();
                let found = here.find_map(|p| self.assoc_in((imp, has), ty, name, *p).transpose());
                let Some(found) = found.transpose()? else {
                    continue;
                };
                if imported && !self.is_imported(imp, from)? {
                    left_out = Some(imp);
                    continue;
                }
                if only.is_some() {
                    let why = format!("more than one `{name}` may be meant");
                    return Err(Unknown::because(why));
                }
                only = Some(found);
            }
        }
        // The name must be of another trait, which was not found.
        if only.is_none() && left_out.is_some() {
            let why = format!("`{name}` is of a trait that is not imported");
            return Err(Unknown::because(why));
        }
        Ok(only)
    }

    /// Returns true if the trait of an `impl` is in scope in a module, under any name.
    fn is_imported(&self, imp: ItemId, from: ModId) -> Res<bool> {
        let ItemKind::Impl(block) = &self.item(imp).item.kind else {
            return Ok(false);
        };
        let Some(path) = &block.trait_ else {
            return Ok(true);
        };
        let Some(trait_) = self.trait_at(path, &Env::at(self, imp))? else {
            return Ok(false);
        };
        let name = self.item(trait_).item.name;
        let wanted = Some(Def::Item(trait_));
        let found = self.resolve_as_read(from, false, &[name], Ns::Type)?;
        if found.map(|f| f.def) == wanted {
            return Ok(true);
        }
        let mut modules = vec![from];
        let mut next = 0;
        while let Some(&module) = modules.get(next) {
            next += 1;
            self.open(module);
            let scope = self.module(module).scope.read();
            let renamed = scope.imports.values().flatten();
            let imports: Vec<Entry> = renamed.chain(&scope.unnamed).cloned().collect();
            let globs = scope.globs.clone();
            drop(scope);
            for entry in &imports {
                if let Bound::Import(import) = &entry.to
                    && import.path.last() == Some(&name)
                    && self.visible(entry.seen, from)
                    && self.holds(&entry.guard)?
                    && self.follow(import, Ns::Type)? == wanted
                {
                    return Ok(true);
                }
            }
            for entry in &globs {
                if let Bound::Import(import) = &entry.to
                    && self.visible(entry.seen, from)
                    && self.holds(&entry.guard)?
                    && let Some(Def::Mod(target)) = self.opened_by(import)?
                    && !modules.contains(&target)
                {
                    modules.push(target);
                }
            }
            let data = self.module(module);
            if let (Some(around), true) = (data.parent, data.block)
                && !modules.contains(&around)
            {
                modules.push(around);
            }
        }
        Ok(false)
    }

    fn assoc_in(
        &self,
        (imp, has): (ItemId, bool),
        ty: Ty,
        name: Name,
        place: Place,
    ) -> Res<Option<Callable>> {
        let data = self.item(imp);
        let ItemKind::Impl(block) = &data.item.kind else {
            return Ok(None);
        };
        let inherent = place == Place::Inherent;
        if block.trait_.is_none() != inherent || place != Place::Default && !has {
            return Ok(None);
        }
        // The trait's default is looked up before the `impl` is matched: its bounds may contain a
        // constant that runs this query again, in every `impl`.
        let default = match (place, &block.trait_) {
            (Place::Default, Some(path)) => match self.default_of(imp, path, ty, name) {
                Ok(Some(found)) => Some((path, found)),
                Ok(None) => return Ok(None),
                Err(why) => return self.unread_default(imp, ty, why),
            },
            _ => None,
        };
        if !self.walk.evaluating.borrow().is_empty() {
            self.charge(COST_OF_IMPL)?;
        }
        let Some(params) = self.impl_fits(imp, ty)? else {
            return Ok(None);
        };
        if !self.item_present(imp)? {
            return Ok(None);
        }
        let Some((path, (trait_, member))) = default else {
            let member = self.member(imp, name)?;
            return Ok(member.map(|m| Callable::item(m, Some(ty), params)));
        };
        self.whole(imp)?;
        self.trust(trait_)?;
        let env = Env {
            module: data.module,
            params: &params,
            self_ty: Some(ty),
            item: Some(imp),
        };
        let params = self.bind(trait_, &self.trait_args(trait_, path, ty, &env));
        Ok(Some(Callable::item(member, Some(ty), params)))
    }

    /// Returns the trait of an `impl` and its default for a name.
    fn default_of(
        &self,
        imp: ItemId,
        path: &ir::Path,
        ty: Ty,
        name: Name,
    ) -> Res<Option<(ItemId, ItemId)>> {
        let env = Env {
            module: self.item(imp).module,
            params: &[],
            self_ty: Some(ty),
            item: Some(imp),
        };
        let Some(trait_) = self.trait_at(path, &env)? else {
            return Ok(None);
        };
        let member = self.member(trait_, name)?;
        Ok(member.map(|m| (trait_, m)))
    }

    /// Fails if an `impl` of an unknown trait matches: the trait may define the name.
    fn unread_default(&self, imp: ItemId, ty: Ty, why: Unknown) -> Res<Option<Callable>> {
        match self.impl_fits(imp, ty)? {
            Some(_) => Err(why),
            None => Ok(None),
        }
    }
}

/// Trait `impl`s and trait defaults.
pub(super) const OF_TRAITS: &[Place] = &[Place::Trait, Place::Default];

/// Where an associated item is looked up.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// In `impl Type`.
    Inherent,
    /// In `impl Trait for Type`.
    Trait,
    /// In the trait, where the `impl` omits it.
    Default,
}
