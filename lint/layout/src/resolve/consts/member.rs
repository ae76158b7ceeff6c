//! Resolves an associated constant or function of a type in its `impl`s and traits.

use super::Callable;
use crate::ir::{self, ItemKind};
use crate::name::Name;
use crate::resolve::hidden::What;
use crate::resolve::holds::{Effort, Holds};
use crate::resolve::impls::Crates;
use crate::resolve::ty::{Ty, TyKind};
use crate::resolve::types::Env;
use crate::resolve::unify::Fit;
use crate::resolve::{Bound, CrateIx, Db, Def, Entry, ItemId, ModId, Ns, Res, Unknown};
use smallvec::smallvec;

/// Evaluation steps charged for matching an `impl` with a type.
const COST_OF_IMPL: u32 = 10;

/// The type of which an associated item is wanted.
#[derive(Clone, Copy)]
pub struct Of<'e> {
    /// The type.
    pub ty: Ty,
    /// How the path names it.
    pub by: By<'e>,
}

impl Of<'_> {
    /// A type that contains no parameters.
    pub fn itself(ty: Ty) -> Self {
        let by = By::Itself;
        Of { ty, by }
    }
}

/// How a path names the type of which it wants an associated item. rustc resolves the path once for
/// all generic parameters in scope, and not for their values.
#[derive(Clone, Copy)]
pub enum By<'e> {
    /// Without parameters.
    Itself,
    /// As this type, in a context with parameters.
    Written(&'e ir::Type, &'e Env<'e>),
    /// As an associated type, in a context with parameters.
    Projection,
}

/// An associated item that may be the one.
struct Candidate {
    item: Callable,
    imp: ItemId,
    sure: Holds,
}

impl<'a> Db<'a> {
    /// Finds an associated constant or function of a type as visible from a module: in its inherent
    /// `impl`s, then in trait `impl`s, then in the traits' defaults.
    pub fn assoc_item(&self, of: Of, name: Name, from: ModId) -> Res<Option<Callable>> {
        let inherent = &[AssocOwner::Inherent][..];
        let is_sure = |list: &[Candidate]| list.iter().any(|c| c.sure == Holds::Yes);
        let mut own = self.assoc_candidates(of.ty, name, from, inherent, Effort::LITTLE)?;
        let plain = matches!(of.by, By::Itself);
        // Inherent `impl`s with one name are for different types.
        let settle = |list: &mut Vec<Candidate>| {
            if is_sure(list) {
                list.retain(|c| c.sure == Holds::Yes);
            }
        };
        settle(&mut own);
        if is_sure(&own) && plain {
            return only(own, name);
        }
        if !own.is_empty() && !is_sure(&own) {
            own = self.assoc_candidates(of.ty, name, from, inherent, Effort::FULL)?;
            settle(&mut own);
            if is_sure(&own) && plain {
                return only(own, name);
            }
        }
        let mut of_traits = self.assoc_candidates(of.ty, name, from, OF_TRAITS, Effort::LITTLE)?;
        let left_out = self.retain_imported(&mut of_traits, from)?;
        // Inherent items take precedence, and what was not read may define one.
        let some = !own.is_empty() || !of_traits.is_empty();
        if some
            && !is_sure(&own)
            && let Some(krate) = self.crate_of_inherent(of.ty)
        {
            let another =
                |why: &str| Unknown::because(format!("`{name}` may be another one: {why}"));
            if self.is_hidden(krate, What::Item(name)) {
                return Err(another(super::super::unexpanded::HIDDEN));
            }
            if let Some(why) = self.unseen_in(krate) {
                let supposed =
                    || format!("`{name}` is not defined by what was not read: {why}").into();
                self.doubt(supposed, || another(&why))?;
            }
        }
        if own.is_empty() {
            return self.of_traits(of_traits, left_out, name, !plain);
        }
        // If nothing else is possible, it is this one: the code compiles.
        if of_traits.is_empty() {
            return only(own, name);
        }
        // The bounds must hold where the path is written, for all parameters.
        if let ([one], By::Written(ty, env)) = (&own[..], of.by)
            && one.sure == Holds::Yes
            && self.holds_for_all(one.imp, ty, env)?
        {
            return only(own, name);
        }
        Err(Unknown::because(format!(
            "`{name}` may be of another `impl`: whether the bounds of one hold is not known"
        )))
    }

    /// Returns the crate that contains the inherent `impl`s of a type, if they are not std's own.
    fn crate_of_inherent(&self, ty: Ty) -> Option<CrateIx> {
        let item = match self.types.kind(ty) {
            TyKind::Adt(id, _) | TyKind::Foreign(id) => *id,
            TyKind::Dyn(ids, ..) => *ids.first()?,
            _ => return None,
        };
        Some(self.krate_of(self.item(item).module))
    }

    /// Finds the unique associated item of this name in the traits of a type, imported or not.
    pub(super) fn assoc_of_traits(&self, ty: Ty, name: Name, from: ModId) -> Res<Option<Callable>> {
        let found = self.assoc_candidates(ty, name, from, OF_TRAITS, Effort::LITTLE)?;
        self.of_traits(found, false, name, true)
    }

    fn of_traits(
        &self,
        mut found: Vec<Candidate>,
        left_out: bool,
        name: Name,
        generic: bool,
    ) -> Res<Option<Callable>> {
        // Of several traits that apply, rustc would take none; for parameters, fewer may apply.
        if !generic && found.iter().any(|c| c.sure == Holds::Yes) {
            found.retain(|c| c.sure == Holds::Yes);
        }
        // The name must be of another trait, which was not found.
        if found.is_empty() && left_out {
            let why = format!("`{name}` is of a trait that is not imported");
            return Err(Unknown::because(why));
        }
        only(found, name)
    }

    /// Returns true if the bounds of an `impl` hold for a type as written, whatever its parameters
    /// are.
    fn holds_for_all(&self, imp: ItemId, ty: &ir::Type, env: &Env) -> Res<bool> {
        let Some(item) = env.item else {
            return Ok(false);
        };
        let owner = self.item(item).owner;
        let mut params = owner.map_or_else(Vec::new, |owner| self.identity(owner));
        params.extend(self.identity(item));
        let open = |self_ty| Env {
            params: &params,
            self_ty,
            ..*env
        };
        let self_ty = match owner.map(|owner| &self.item(owner).item.kind) {
            Some(ItemKind::Impl(block)) => Some(self.lower(&block.self_ty, &open(None))),
            _ => None,
        };
        let ty = self.lower(ty, &open(self_ty));
        let fit = self.impl_may_fit(imp, ty, Effort::FULL)?;
        Ok(fit.is_some_and(|fit| fit.sure == Holds::Yes))
    }

    fn assoc_candidates(
        &self,
        ty: Ty,
        name: Name,
        from: ModId,
        places: &[AssocOwner],
        effort: Effort,
    ) -> Res<Vec<Candidate>> {
        let mut crates: Crates = smallvec![self.krate_of(from)];
        self.crates_of(ty, &mut crates);
        if !crates.contains(&self.std()) {
            crates.push(self.std());
        }
        let mut list = Vec::new();
        let defaults = places.contains(&AssocOwner::Default);
        for &krate in &crates {
            for (imp, has) in self.impls_with(krate, name, ty, defaults) {
                // An `impl` that defines it overrides the trait's default.
                let mut here = places.iter();
                let find =
                    |p: &AssocOwner| self.assoc_in((imp, has), ty, name, *p, effort).transpose();
                let found = here.find_map(find).transpose()?;
                // One that is private is passed over.
                list.extend(found.filter(|c| self.is_visible_in(c, from)));
            }
        }
        Ok(list)
    }

    fn is_visible_in(&self, found: &Candidate, from: ModId) -> bool {
        let Callable::Item(id, _) = &found.item else {
            return true;
        };
        let data = self.item(*id);
        let inherent = data.owner.is_some_and(|owner| {
            matches!(&self.item(owner).item.kind, ItemKind::Impl(of) if of.trait_.is_none())
        });
        !inherent || self.visible(self.seen(data.module, &data.item.vis), from)
    }

    /// Removes items of traits that are not imported in a module; returns true if there were any.
    fn retain_imported(&self, list: &mut Vec<Candidate>, from: ModId) -> Res<bool> {
        let all = std::mem::take(list);
        let before = all.len();
        for candidate in all {
            if self.is_imported(candidate.imp, from)? {
                list.push(candidate);
            }
        }
        Ok(list.len() < before)
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
        place: AssocOwner,
        effort: Effort,
    ) -> Res<Option<Candidate>> {
        let data = self.item(imp);
        let ItemKind::Impl(block) = &data.item.kind else {
            return Ok(None);
        };
        let inherent = place == AssocOwner::Inherent;
        if block.trait_.is_none() != inherent || place != AssocOwner::Default && !has {
            return Ok(None);
        }
        // The trait's default is looked up before the `impl` is matched: its bounds may contain a
        // constant that runs this query again, in every `impl`.
        let default = match (place, &block.trait_) {
            (AssocOwner::Default, Some(path)) => match self.default_of(imp, path, ty, name) {
                Ok(Some(found)) => Some((path, found)),
                Ok(None) => return Ok(None),
                Err(why) => return self.unread_default(imp, ty, why, effort),
            },
            _ => None,
        };
        if !self.walk.evaluating.borrow().is_empty() {
            self.charge(COST_OF_IMPL)?;
        }
        let Some(Fit { params, sure }) = self.impl_may_fit(imp, ty, effort)? else {
            return Ok(None);
        };
        let found = |item| Candidate { item, imp, sure };
        if !self.item_present(imp)? {
            return Ok(None);
        }
        let Some((path, (trait_, member))) = default else {
            let member = self.member(imp, name)?;
            return Ok(member.map(|m| found(Callable::item(m, Some(ty), params))));
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
        Ok(Some(found(Callable::item(member, Some(ty), params))))
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
    fn unread_default(
        &self,
        imp: ItemId,
        ty: Ty,
        why: Unknown,
        effort: Effort,
    ) -> Res<Option<Candidate>> {
        match self.impl_may_fit(imp, ty, effort)? {
            Some(_) => Err(why),
            None => Ok(None),
        }
    }
}

/// Returns the only candidate, if there is one.
fn only(mut list: Vec<Candidate>, name: Name) -> Res<Option<Callable>> {
    match list.len() {
        0 | 1 => Ok(list.pop().map(|c| c.item)),
        _ => Err(Unknown::because(format!(
            "more than one `{name}` may be meant"
        ))),
    }
}

/// Trait `impl`s and trait defaults.
const OF_TRAITS: &[AssocOwner] = &[AssocOwner::Trait, AssocOwner::Default];

/// Where an associated item is looked up.
#[derive(Clone, Copy, PartialEq, Eq)]
enum AssocOwner {
    /// In `impl Type`.
    Inherent,
    /// In `impl Trait for Type`.
    Trait,
    /// In the trait, where the `impl` omits it.
    Default,
}
