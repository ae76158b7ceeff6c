//! The associated constants and functions of a type: which of its `impl`s and traits a name means.

use super::Callable;
use crate::ir::{self, ItemKind};
use crate::name::Name;
use crate::resolve::ty::{Ty, TyKind};
use crate::resolve::types::Env;
use crate::resolve::{Db, ItemId, ModId, Res, Unknown};

/// Steps of evaluation that it counts for to match an `impl` with a type.
const COST_OF_IMPL: u32 = 10;

impl<'a> Db<'a> {
    /// An associated constant or function of a type as seen from a module: its own `impl`s first,
    /// then traits', then what traits say of themselves.
    pub(crate) fn assoc_item(&self, ty: Ty, name: Name, from: ModId) -> Res<Option<Callable>> {
        if let Some(found) = self.assoc_in_crates(ty, name, from, &[Place::Inherent])? {
            return Ok(Some(found));
        }
        let found = self.assoc_in_crates(ty, name, from, &[Place::Trait, Place::Default])?;
        // What the type says itself goes first, and a macro may have said it.
        if let TyKind::Adt(id, _) = self.types.kind(ty)
            && found.is_some()
            && let Some(why) = self.unseen_in(self.krate_of(self.item(*id).module))
        {
            let why = format!("`{name}` may be another one: {why}");
            return Err(Unknown::because(why));
        }
        Ok(found)
    }

    /// The one associated item of a type with this name. Of several, the traits that are imported
    /// decide, which is not looked at: not known.
    pub(super) fn assoc_in_crates(
        &self,
        ty: Ty,
        name: Name,
        from: ModId,
        places: &[Place],
    ) -> Res<Option<Callable>> {
        let mut crates = vec![self.krate_of(from)];
        self.crates_of(ty, &mut crates);
        if !crates.contains(&self.std()) {
            crates.push(self.std());
        }
        let mut only = None;
        let defaults = places.contains(&Place::Default);
        for &krate in &crates {
            for (imp, has) in self.impls_with(krate, name, ty, defaults) {
                // An `impl` that says it hides what its trait says.
                let mut here = places.iter();
                let found = here.find_map(|p| self.assoc_in((imp, has), ty, name, *p).transpose());
                let Some(found) = found.transpose()? else {
                    continue;
                };
                if only.is_some() {
                    let why = format!("more than one `{name}` may be meant");
                    return Err(Unknown::because(why));
                }
                only = Some(found);
            }
        }
        Ok(only)
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
        // What the trait says, before it is asked whether the `impl` fits: its bounds may name a
        // constant that asks for what is asked here, in every `impl` again.
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

    /// The trait of an `impl`, and what it says itself of a name.
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

    /// A trait that is not known may say what is asked for, if its `impl` fits.
    fn unread_default(&self, imp: ItemId, ty: Ty, why: Unknown) -> Res<Option<Callable>> {
        match self.impl_fits(imp, ty)? {
            Some(_) => Err(why),
            None => Ok(None),
        }
    }
}

/// Where an associated item is looked for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// In `impl Type`.
    Inherent,
    /// In `impl Trait for Type`.
    Trait,
    /// In the trait of an `impl` that leaves it out.
    Default,
}
