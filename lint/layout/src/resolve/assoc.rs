//! Associated types: finds the trait of `T::Name`, and the value in the `impl` that applies.

use super::collect::has_lang;
use super::impls::Applies;
use super::ty::{GArg, Prim, Ty, TyKind};
use super::types::{Env, names_param};
use super::{Db, ItemId, ModId, Ns, Res};
use crate::ir::{self, ItemKind, ParamKind, Segment};
use crate::name::Name;

/// `<Ty as Trait<Args>>::Name<Args>`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Question {
    /// The self type.
    pub self_ty: Ty,
    /// The trait.
    pub trait_: ItemId,
    /// Arguments of the trait.
    pub args: Vec<GArg>,
    /// Name of the associated type.
    pub name: Name,
    /// Arguments of a generic associated type.
    pub own: Vec<GArg>,
}

/// Key of a trait search: the item with the bounds, the prefix as written, the name, the type.
pub type SearchKey = (Option<ItemId>, Option<Name>, Name, Ty);

/// What bounds state about an associated type.
enum ByBounds {
    /// `T: Trait<Name = Type>`.
    Said(Ty),
    /// The trait that declares it, and the trait's arguments.
    Of(ItemId, Vec<GArg>),
}

impl<'a> Db<'a> {
    /// Lowers `<self_ty as trait_>::rest`, or `<self_ty>::rest` without a trait.
    pub(crate) fn lower_qualified(
        &self,
        self_ty: Ty,
        trait_: Option<&ir::Path>,
        rest: &[Segment],
        env: &Env,
    ) -> Ty {
        let Some(path) = trait_ else {
            return self.lower_assoc(self_ty, Some(Name::new("Self")), rest, env);
        };
        let id = match self.trait_at(path, env) {
            Ok(Some(id)) => id,
            Ok(None) => {
                let names: Vec<_> = path.segments.iter().map(|s| s.name).collect();
                return self.types.unknown(self.not_found(env.module, &names));
            }
            Err(why) => return self.types.unknown(why),
        };
        let args = self.trait_args(id, path, self_ty, env);
        self.step(self_ty, id, args, rest, env)
    }

    fn step(&self, ty: Ty, trait_: ItemId, args: Vec<GArg>, rest: &[Segment], env: &Env) -> Ty {
        let Some((first, more)) = rest.split_first() else {
            return ty;
        };
        let own = match self.member(trait_, first.name) {
            Ok(Some(member)) if first.args.is_some() => {
                self.lower_item_args(member, first.args.as_deref(), env)
            }
            _ => Vec::new(),
        };
        let ty = self.project(Question {
            self_ty: ty,
            trait_,
            args,
            name: first.name,
            own,
        });
        match more {
            [] => ty,
            more => self.lower_assoc(ty, None, more, env),
        }
    }

    /// Lowers the arguments of a trait in a path; a default may refer to `Self`.
    pub(crate) fn trait_args(
        &self,
        id: ItemId,
        path: &ir::Path,
        self_ty: Ty,
        env: &Env,
    ) -> Vec<GArg> {
        let Some(generics) = self.generics(id) else {
            return Vec::new();
        };
        let args = path.segments.last().and_then(|s| s.args.as_deref());
        // `Fn(A, B)`: the inputs form one tuple argument.
        if let Some(args) = args
            && args.output.is_some()
        {
            let inputs = args.args.iter().map(|a| match a {
                ir::Arg::Type(t) => self.lower(t, env),
                ir::Arg::Const(_) => self.unknown("a constant stands where a type is wanted"),
            });
            let tuple = TyKind::Tuple(inputs.collect());
            return vec![GArg::Ty(self.types.intern(tuple))];
        }
        let given = args.map_or(0, |a| a.args.len());
        let mut list = self.lower_args(id, generics, args, env);
        for (i, param) in generics.params.iter().enumerate().skip(given) {
            if let ParamKind::Type {
                default: Some(ty), ..
            } = &param.kind
                && names_param(ty, Name::new("Self"))
            {
                list[i] = GArg::Ty(self_ty);
            }
        }
        list
    }

    /// Lowers `ty::rest`, finding the trait in the bounds on the parameter as written, the
    /// enclosing `impl` or trait, or the bounds on an associated type.
    pub(crate) fn lower_assoc(
        &self,
        ty: Ty,
        written: Option<Name>,
        rest: &[Segment],
        env: &Env,
    ) -> Ty {
        let name = rest[0].name;
        if let TyKind::Unknown(_) = self.types.kind(ty) {
            return ty;
        }
        // A bound may depend on the very type that it defines.
        let asked = (env.item, written, name, ty);
        if !self.walk.asking.borrow_mut().insert(asked) {
            self.walk.circled.set(true);
            return self.unknown(format!("the value of `{name}` depends on itself"));
        }
        let found = self.assoc_by_bounds(ty, written, name, env);
        self.walk.asking.borrow_mut().remove(&asked);
        // The remaining segments and own arguments may legitimately search for the same key again.
        match (found, &rest[1..]) {
            (Some(ByBounds::Said(ty)), []) => ty,
            (Some(ByBounds::Said(ty)), more) => self.lower_assoc(ty, None, more, env),
            (Some(ByBounds::Of(id, args)), _) => self.step(ty, id, args, rest, env),
            (None, _) => self.unknown(format!("no bound says which trait `{name}` is of")),
        }
    }

    /// Finds what the bounds state about `ty::name`.
    fn assoc_by_bounds(
        &self,
        ty: Ty,
        written: Option<Name>,
        name: Name,
        env: &Env,
    ) -> Option<ByBounds> {
        if let Some(param) = written
            && !self.walk.as_written.get()
            && let Some(ty) = self.bound_says(param, name, env)
        {
            return Some(ByBounds::Said(ty));
        }
        let mut found = written.and_then(|param| self.bound_with(param, name, ty, env));
        if found.is_none() {
            found = self.around_with((name, Ns::Type), ty, env);
        }
        if found.is_none()
            && let TyKind::Proj(_, owner, member, _) = self.types.kind(ty)
        {
            found = self.member_bound_with(*owner, *member, name, ty, env);
        }
        found.map(|(id, args)| ByBounds::Of(id, args))
    }

    /// Normalizes a projection.
    pub fn project(&self, key: Question) -> Ty {
        if self.walk.as_written.get() {
            return self.types.intern(TyKind::Written(Box::new(key)));
        }
        let name = key.name;
        if let Some(ty) = self.projections.get(self, &key) {
            return ty;
        }
        // The same projection inside its own normalization is a cycle.
        if !self.walk.projecting.borrow_mut().insert(key.clone()) {
            self.walk.circled.set(true);
            return self.unknown(format!("the value of `{name}` depends on itself"));
        }
        let outer = self.walk.circled.replace(false);
        let (ty, rests) = self.recording(|| self.project_uncached(&key));
        self.walk.projecting.borrow_mut().remove(&key);
        let circled = self.walk.circled.get();
        self.walk.circled.set(outer || circled);
        // Where a cycle is cut depends on which query came first: not cached.
        if !circled && self.walk.opening.get() == 0 {
            return self.projections.keep(key, ty, &rests);
        }
        ty
    }

    fn project_uncached(&self, key: &Question) -> Ty {
        let Question {
            self_ty,
            trait_,
            args,
            name,
            own: _,
        } = key;
        match self.types.kind(*self_ty) {
            TyKind::Unknown(_) => return *self_ty,
            TyKind::Param(param, _, owner) => {
                let identity = self.identity(*owner);
                let env = Env {
                    module: self.item(*owner).module,
                    params: &identity,
                    self_ty: None,
                    item: Some(*owner),
                };
                if let Some(ty) = self.bound_says(*param, *name, &env) {
                    return ty;
                }
                // A blanket `impl` decides whether it is `Sized`, unless a bound takes precedence.
                if !self.assoc_is_sized(*trait_, *name)
                    && !self.is_bounded(*self_ty, *trait_, args, *owner)
                    && let Ok(Some(found)) = self.find_impl(*self_ty, *trait_, args)
                {
                    return self.assoc_value(&found, key);
                }
                return self.left_open(key);
            }
            TyKind::Proj(..) => return self.left_open(key),
            // The bindings of `dyn Iterator<Item = u8>` apply to its own traits only.
            TyKind::Dyn(ids, bindings, _)
                if ids.iter().any(|id| self.is_above(*trait_, *id, 0)) =>
            {
                if let Some((_, ty)) = bindings.iter().find(|(n, _)| n == name) {
                    return *ty;
                }
            }
            TyKind::FnPtr(_, output, _) if *name == "Output" && self.is_fn_trait(*trait_) => {
                return *output;
            }
            _ => {}
        }
        if has_lang(&self.item(*trait_).item.attrs, "discriminant_kind") {
            return self.discriminant_ty(*self_ty);
        }
        match self.find_impl(*self_ty, *trait_, args) {
            Ok(Some(found)) => self.assoc_value(&found, key),
            Ok(None) => {
                let item = self.item(*trait_).item.name;
                self.unknown(format!(
                    "no `impl` of `{item}` was found that gives `{name}`"
                ))
            }
            Err(why) => self.types.unknown(why),
        }
    }

    /// Returns an unnormalized projection of a parameter.
    pub(super) fn left_open(&self, key: &Question) -> Ty {
        let sized = self.assoc_is_sized(key.trait_, key.name);
        let kind = TyKind::Proj(key.self_ty, key.trait_, key.name, sized);
        self.types.intern(kind)
    }

    /// Returns the type of an enum's discriminants: its `repr`, otherwise `isize`; `u8` for other
    /// types.
    pub(crate) fn discriminant_ty(&self, ty: Ty) -> Ty {
        let TyKind::Adt(id, _) = self.types.kind(ty) else {
            return self.types.prim(Prim::U8);
        };
        let item = self.item(*id).item;
        match &item.kind {
            ItemKind::Adt(adt) if adt.kind == ir::AdtKind::Enum => {
                let reprs = item
                    .attrs
                    .list
                    .iter()
                    .filter(|a| a.meta.path == [Name::new("repr")]);
                let mut metas = reprs.flat_map(|a| &a.meta.list);
                let int = metas.find_map(|m| Prim::named(m.path.first()?.as_str()));
                self.types.prim(int.unwrap_or(Prim::Isize))
            }
            _ => self.types.prim(Prim::U8),
        }
    }

    fn assoc_is_sized(&self, trait_: ItemId, name: Name) -> bool {
        let Ok(Some(id)) = self.member(trait_, name) else {
            return true;
        };
        match &self.item(id).item.kind {
            ItemKind::TypeAlias(alias) => !alias.bounds.iter().any(|b| b.maybe),
            _ => true,
        }
    }

    /// Returns the value of an associated type in an `impl`, or the trait's default.
    fn assoc_value(&self, (imp, params): &Applies, key: &Question) -> Ty {
        let name = key.name;
        let (member, module) = match self.assoc_member(*imp, key) {
            Ok((Some(member), module)) => (member, module),
            Ok((None, _)) => {
                return self.unknown(format!("associated type `{name}` has no value"));
            }
            Err(why) => return self.types.unknown(why),
        };
        let ItemKind::TypeAlias(alias) = &self.item(member).item.kind else {
            return self.unknown(format!("`{name}` is no type"));
        };
        let Some(ty) = &alias.ty else {
            return self.unknown(format!("associated type `{name}` has no value"));
        };
        let mut all = params.clone();
        match key.own.is_empty() {
            true => all.extend(self.identity(member)),
            false => all.extend(self.bind(member, &key.own)),
        }
        let env = Env {
            module,
            params: &all,
            self_ty: Some(key.self_ty),
            item: Some(member),
        };
        self.lower(ty, &env)
    }

    /// Finds the definition of an associated type's value and the module that its names resolve in.
    fn assoc_member(&self, imp: ItemId, key: &Question) -> Res<(Option<ItemId>, ModId)> {
        let (member, module) = match self.member(imp, key.name)? {
            Some(member) => (Some(member), self.item(imp).module),
            None => {
                let module = self.item(key.trait_).module;
                (self.default_member(imp, key.trait_, key.name)?, module)
            }
        };
        self.trust(key.trait_)?;
        if let Some(member) = member {
            self.trust(member)?;
        }
        Ok((member, module))
    }
}
