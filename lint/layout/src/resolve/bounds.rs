//! Finds the trait of `T::Name` from the bounds on `T` and the enclosing `impl` or trait.

use super::ty::{GArg, Ty};
use super::types::{Env, names_param};
use super::{Db, ItemId, Ns};
use crate::budget;
use crate::ir::{self, ItemKind, ParamKind};
use crate::name::Name;

impl<'a> Db<'a> {
    /// Returns the type that a bound `param: Trait<Name = Type>` gives `param::Name`.
    pub(super) fn bound_says(&self, param: Name, name: Name, env: &Env) -> Option<Ty> {
        let bounds = self.bounds_on(param, env);
        let assoc = bounds
            .iter()
            .filter_map(|b| b.path.segments.last()?.args.as_deref());
        let mut assoc = assoc.flat_map(|a| &a.assoc);
        let (_, ty) = assoc.find(|(n, _)| *n == name)?;
        // `I: Iterator<Item = I::Item>` states nothing.
        match ty {
            ir::Type::Path(p) if p.segments.last().is_some_and(|s| s.name == name) => None,
            ty => Some(self.lower(ty, env)),
        }
    }

    /// Lists the bounds on a parameter in the generics in scope.
    fn bounds_on(&self, param: Name, env: &Env) -> Vec<&'a ir::Bound> {
        let Some(item) = env.item else {
            return Vec::new();
        };
        let mut list = Vec::new();
        for id in [Some(item), self.item(item).owner].into_iter().flatten() {
            let Some(generics) = self.generics(id) else {
                continue;
            };
            let own = generics.params.iter().filter(|p| p.name == param);
            let own = own.filter_map(|p| match &p.kind {
                ParamKind::Type { bounds, .. } => Some(bounds),
                ParamKind::Const { .. } => None,
            });
            let wheres = generics.wheres.iter();
            let wheres = wheres.filter(|w| names_param(&w.ty, param));
            list.extend(own.chain(wheres.map(|w| &w.bounds)).flatten());
        }
        list
    }

    /// Finds a bound on `param`, in the generics in scope, whose trait has a type of this name.
    pub(super) fn bound_with(
        &self,
        param: Name,
        name: Name,
        ty: Ty,
        env: &Env,
    ) -> Option<(ItemId, Vec<GArg>)> {
        let bounds = self.bounds_on(param, env);
        let mut found = bounds.into_iter();
        found.find_map(|b| self.bound_has(b, (name, Ns::Type), ty, env, 0))
    }

    /// Finds the trait of `param::NAME` in an expression: a bound on `param` or its supertrait; for
    /// `Self`, the enclosing trait or its supertrait.
    pub(super) fn value_bound(
        &self,
        param: Name,
        name: Name,
        ty: Ty,
        env: &Env,
    ) -> Option<(ItemId, Vec<GArg>)> {
        let wanted = (name, Ns::Value);
        if param == "Self" {
            return self.around_with(wanted, ty, env);
        }
        let mut bounds = self.bounds_on(param, env).into_iter();
        bounds.find_map(|b| self.bound_has(b, wanted, ty, env, 0))
    }

    /// Finds the trait of `Self::Name`: the trait of the enclosing `impl`, or the enclosing trait.
    pub(super) fn around_with(
        &self,
        wanted: (Name, Ns),
        ty: Ty,
        env: &Env,
    ) -> Option<(ItemId, Vec<GArg>)> {
        let item = env.item?;
        let around = self.item(item).owner.unwrap_or(item);
        let data = self.item(around);
        match &data.item.kind {
            ItemKind::Impl(imp) => {
                let path = imp.trait_.clone()?;
                let bound = ir::Bound { path, maybe: false };
                self.bound_has(&bound, wanted, ty, env, 0)
            }
            ItemKind::Trait(tr) => {
                if self.has_assoc(around, wanted) {
                    let args = self.identity(around).into_iter().map(|(_, a)| a).collect();
                    return Some((around, args));
                }
                let supers = tr.supers.iter();
                supers
                    .filter_map(|b| self.bound_has(b, wanted, ty, env, 0))
                    .next()
            }
            _ => None,
        }
    }

    /// Finds the trait of `T::Item::Name` in the bounds on the associated type `Item`.
    pub(super) fn member_bound_with(
        &self,
        owner: ItemId,
        member: Name,
        name: Name,
        ty: Ty,
        env: &Env,
    ) -> Option<(ItemId, Vec<GArg>)> {
        let id = self.member(owner, member).ok()??;
        let ItemKind::TypeAlias(alias) = &self.item(id).item.kind else {
            return None;
        };
        let env = Env {
            module: self.item(owner).module,
            ..*env
        };
        let bounds = alias.bounds.iter();
        bounds
            .filter_map(|b| self.bound_has(b, (name, Ns::Type), ty, &env, 0))
            .next()
    }

    /// Finds the trait of a bound, or a supertrait, with an associated item of this name: a type,
    /// or in the value namespace a constant or function.
    pub(super) fn bound_has(
        &self,
        bound: &ir::Bound,
        wanted: (Name, Ns),
        ty: Ty,
        env: &Env,
        depth: u32,
    ) -> Option<(ItemId, Vec<GArg>)> {
        if bound.maybe || depth > budget::IMPLS {
            return None;
        }
        let id = self.trait_of(&bound.path, env)?;
        let args = || self.trait_args(id, &bound.path, ty, env);
        if self.has_assoc(id, wanted) {
            return Some((id, args()));
        }
        let ItemKind::Trait(tr) = &self.item(id).item.kind else {
            return None;
        };
        // Lowering the arguments may recurse into this search: skipped without supertraits.
        if tr.supers.is_empty() {
            return None;
        }
        let params = self.bind(id, &args());
        let env = Env {
            module: self.item(id).module,
            params: &params,
            self_ty: Some(ty),
            item: Some(id),
        };
        let mut supers = tr.supers.iter();
        supers.find_map(|b| self.bound_has(b, wanted, ty, &env, depth + 1))
    }

    /// Returns true if a trait declares an associated item of this name.
    fn has_assoc(&self, id: ItemId, (name, ns): (Name, Ns)) -> bool {
        let member = self.member(id, name).ok().flatten();
        member.is_some_and(|m| {
            let is_type = matches!(self.item(m).item.kind, ItemKind::TypeAlias(_));
            is_type == (ns == Ns::Type)
        })
    }
}
