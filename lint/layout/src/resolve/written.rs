//! Whether rustc considers a struct possibly unsized and so does not move its last field.
//!
//! rustc checks that the last field's type is `Sized` as written in the definition, under the
//! bounds of the definition and before projections are normalized by `impl`s. The bound of a trait
//! on its associated type (`Sized` by default) counts only for a projection that cannot be
//! normalized. One that an `impl` or a bound (`Iterator<Item = u8>`) resolves is another type than
//! the one checked, and counts as unsized. Without parameters and lifetimes rustc normalizes it.

use super::assoc::Question;
use super::impls::DEPTH;
use super::tail::Tail;
use super::ty::{Const, GArg, Ty, TyKind};
use super::types::{Env, names_param};
use super::{Db, ItemId, Res, Unknown};
use crate::ir::{self, AdtKind, ItemKind, ParamKind, Type};
use crate::name::Name;

/// Whether a type contains a parameter or a lifetime.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Local {
    No,
    /// Lifetimes in a function pointer may be its own.
    Unclear,
    Yes,
}

/// What the bounds in scope state about a projection's trait.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Assumed {
    Nothing,
    /// The type implements the trait.
    Trait,
    /// They also name the associated type's value.
    Value,
}

/// A trait bound to look for, and the associated type it is needed for.
struct Wanted<'q> {
    ty: Ty,
    trait_: ItemId,
    args: &'q [GArg],
    name: Option<Name>,
}

impl<'a> Db<'a> {
    /// Returns true if a struct's declared last field is unsized for some arguments, or rustc
    /// cannot prove it sized: rustc then keeps that field last.
    ///
    /// # Errors
    /// Lifetimes that are not read decide.
    pub fn may_be_unsized(&self, id: ItemId) -> Res<bool> {
        let ItemKind::Adt(adt) = &self.item(id).item.kind else {
            return Ok(false);
        };
        if adt.kind != AdtKind::Struct {
            return Ok(false);
        }
        let ty = self.identity_ty(id);
        let TyKind::Adt(_, args) = self.types.kind(ty) else {
            return Ok(false);
        };
        let as_written = || {
            let before = self.walk.as_written.replace(true);
            let written = self.last_field(ty, id, args);
            self.walk.as_written.set(before);
            written.ok().flatten()
        };
        if !self.is_no_projection(id)
            && let Some(written) = as_written()
            && let TyKind::Written(_) = self.types.kind(written)
        {
            match self.local(written, false) {
                Local::No => {}
                Local::Yes => {
                    let stays = self.stays(written, id);
                    return Ok(stays.is_none_or(|ty| !self.is_sized_here(ty, id)));
                }
                Local::Unclear => {
                    let why = "lifetimes of a function pointer in a projection decide";
                    return Err(Unknown::because(why));
                }
            }
        }
        // Without parameters, a bound rarely makes a type sized.
        if args.is_empty()
            && let Ok(tail) = self.tail(ty)
        {
            return Ok(tail != Tail::Sized);
        }
        Ok(match self.tail_of(ty, |ty| self.bound_is_sized(ty, id)) {
            Ok(tail) => tail != Tail::Sized,
            Err(why) => matches!(why, Unknown::Generic(_)),
        })
    }

    /// Returns true if a struct's last field is a struct, enum or union, or evidently no
    /// projection: this holds for nearly all, which then need not be lowered again unnormalized.
    fn is_no_projection(&self, id: ItemId) -> bool {
        let Ok(Some((_, last))) = self.last_written(id) else {
            return false;
        };
        match &last.ty {
            Type::Path(path) if path.segments[0].name != "Self" => {
                let names: Vec<Name> = path.segments.iter().map(|s| s.name).collect();
                let generics = self.generics(id).map_or(&[][..], |g| &g.params);
                if !path.global && generics.iter().any(|p| p.name == names[0]) {
                    return names.len() == 1;
                }
                let module = self.item(id).module;
                match self.resolve(module, path.global, &names, super::Ns::Type) {
                    Ok(Some(found)) if found.used == names.len() => match found.def {
                        super::Def::Item(of) => {
                            matches!(self.item(of).item.kind, ItemKind::Adt(_))
                        }
                        def => matches!(def, super::Def::Prim(_)),
                    },
                    _ => false,
                }
            }
            Type::Ref(..) | Type::Ptr(..) | Type::Slice(_) | Type::Array(..) | Type::Tuple(_) => {
                true
            }
            _ => false,
        }
    }

    fn is_sized_here(&self, ty: Ty, id: ItemId) -> bool {
        let tail = self.tail_of(ty, |ty| self.bound_is_sized(ty, id));
        tail == Ok(Tail::Sized)
    }

    /// Returns true if a type is `Sized` by a bound on `Sized` or a subtrait: `T: ?Sized + Clone`.
    fn bound_is_sized(&self, ty: Ty, id: ItemId) -> bool {
        let sized = self.sized_trait();
        sized.is_some_and(|trait_| self.is_bounded(ty, trait_, &[], id))
    }

    /// Returns true if the bounds of an item state that a type implements a trait.
    pub(super) fn is_bounded(&self, ty: Ty, trait_: ItemId, args: &[GArg], id: ItemId) -> bool {
        let wanted = Wanted {
            ty,
            trait_,
            args,
            name: None,
        };
        self.what_bounds_say(&wanted, id) != Assumed::Nothing
    }

    fn sized_trait(&self) -> Option<ItemId> {
        self.std_trait(["std", "marker", "Sized"])
    }

    /// Finds the trait of std at a path from its root.
    pub fn std_trait(&self, path: [&'static str; 3]) -> Option<ItemId> {
        if let Some(found) = self.std_traits.get(&path) {
            return found;
        }
        let names = path.map(Name::new);
        let found = self.resolve(self.root(self.std()), false, &names, super::Ns::Type);
        let found = match found.ok().flatten()?.def {
            super::Def::Item(id) => Some(id),
            _ => None,
        };
        if self.walk.opening.get() == 0 && self.assumed() == 0 {
            self.std_traits.keep(path, found);
        }
        found
    }

    /// Returns whether a type contains parameters or lifetimes; `inside` a function pointer,
    /// lifetimes may be its own.
    fn local(&self, ty: Ty, inside: bool) -> Local {
        let lifetime = match inside {
            true => Local::Unclear,
            false => Local::Yes,
        };
        let all = |list: &[Ty], inside| {
            let parts = list.iter().map(|ty| self.local(*ty, inside));
            parts.max().unwrap_or(Local::No)
        };
        let args = |list: &[GArg]| {
            let parts = list.iter().map(|arg| match arg {
                GArg::Ty(ty) => self.local(*ty, inside),
                GArg::Const(c) => local_const(c),
            });
            parts.max().unwrap_or(Local::No)
        };
        let has_lifetimes = |id: ItemId| match self.generics(id) {
            Some(generics) if generics.lifetimes => lifetime,
            _ => Local::No,
        };
        match self.types.kind(ty) {
            TyKind::Param(..) | TyKind::Proj(..) => Local::Yes,
            TyKind::Ref(to, _) => lifetime.max(self.local(*to, inside)),
            TyKind::Dyn(_, bindings, _) => {
                let parts = bindings.iter().map(|(_, ty)| self.local(*ty, true));
                parts.max().unwrap_or(Local::No).max(lifetime)
            }
            TyKind::Adt(id, list) => has_lifetimes(*id).max(args(list)),
            TyKind::Ptr(to, _) | TyKind::Slice(to) => self.local(*to, inside),
            TyKind::Array(of, len) => local_const(len).max(self.local(*of, inside)),
            TyKind::Tuple(list) => all(list, inside),
            TyKind::FnPtr(inputs, output, _) => all(inputs, true).max(self.local(*output, true)),
            TyKind::Written(q) => {
                let member = self.member(q.trait_, q.name).ok().flatten();
                let member = member.map_or(Local::No, has_lifetimes);
                let of = self.local(q.self_ty, inside).max(has_lifetimes(q.trait_));
                of.max(member).max(args(&q.args)).max(args(&q.own))
            }
            TyKind::Prim(_)
            | TyKind::Never
            | TyKind::Foreign(_)
            | TyKind::Infer(_)
            | TyKind::Unknown(_) => Local::No,
        }
    }

    fn has_param(&self, ty: Ty) -> bool {
        self.local(ty, true) == Local::Yes
    }

    /// Returns the type if none of its projections can be normalized under the bounds of an item,
    /// `None` otherwise.
    fn stays(&self, ty: Ty, id: ItemId) -> Option<Ty> {
        let all = |list: &[Ty]| -> Option<Box<[Ty]>> {
            list.iter().map(|ty| self.stays(*ty, id)).collect()
        };
        let args = |list: &[GArg]| -> Option<Vec<GArg>> {
            let arg = |arg: &GArg| match arg {
                GArg::Ty(ty) => Some(GArg::Ty(self.stays(*ty, id)?)),
                GArg::Const(_) => Some(arg.clone()),
            };
            list.iter().map(arg).collect()
        };
        let kind = match self.types.kind(ty) {
            TyKind::Written(q) => {
                let (self_ty, list) = (self.stays(q.self_ty, id)?, args(&q.args)?);
                args(&q.own)?;
                let wanted = Wanted {
                    ty: self_ty,
                    trait_: q.trait_,
                    args: &list,
                    name: Some(q.name),
                };
                if self.what_bounds_say(&wanted, id) != Assumed::Trait {
                    return None;
                }
                let question = Question {
                    self_ty,
                    args: list,
                    ..(**q).clone()
                };
                return Some(self.left_open(&question));
            }
            TyKind::Adt(of, list) => TyKind::Adt(*of, args(list)?.into()),
            TyKind::Ref(to, m) => TyKind::Ref(self.stays(*to, id)?, *m),
            TyKind::Ptr(to, m) => TyKind::Ptr(self.stays(*to, id)?, *m),
            TyKind::Slice(of) => TyKind::Slice(self.stays(*of, id)?),
            TyKind::Array(of, len) => TyKind::Array(self.stays(*of, id)?, len.clone()),
            TyKind::Tuple(list) => TyKind::Tuple(all(list)?),
            TyKind::FnPtr(inputs, output, with) => {
                TyKind::FnPtr(all(inputs)?, self.stays(*output, id)?, *with)
            }
            _ => return Some(ty),
        };
        Some(self.types.intern(kind))
    }

    /// Collects what the bounds of an item, and those of traits on their associated types, state.
    fn what_bounds_say(&self, wanted: &Wanted, id: ItemId) -> Assumed {
        let mut best = Assumed::Nothing;
        let mut note = |found: Assumed| {
            if best != Assumed::Value && found != Assumed::Nothing {
                best = found;
            }
        };
        if let Some(generics) = self.generics(id) {
            let identity = self.identity(id);
            let env = Env {
                module: self.item(id).module,
                params: &identity,
                self_ty: Some(self.identity_ty(id)),
                item: Some(id),
            };
            for (param, (_, arg)) in generics.params.iter().zip(&identity) {
                if let (ParamKind::Type { bounds, .. }, GArg::Ty(ty)) = (&param.kind, arg)
                    && *ty == wanted.ty
                {
                    bounds
                        .iter()
                        .for_each(|b| note(self.says(b, wanted, &env, false, 0)));
                }
            }
            for clause in &generics.wheres {
                let ty = self.lower(&clause.ty, &env);
                // A bound without parameters or lifetimes of the item adds nothing to the `impl`s.
                let own = generics.lifetimes || self.has_param(ty);
                if own && ty == wanted.ty {
                    let bounds = clause.bounds.iter();
                    bounds.for_each(|b| note(self.says(b, wanted, &env, false, 0)));
                }
            }
        }
        if let TyKind::Proj(of, trait_, member, _) = self.types.kind(wanted.ty)
            && let Ok(Some(alias)) = self.member(*trait_, *member)
            && let ItemKind::TypeAlias(alias) = &self.item(alias).item.kind
        {
            let env = Env {
                module: self.item(*trait_).module,
                params: &[],
                self_ty: Some(*of),
                item: Some(*trait_),
            };
            let wheres = self.generics(*trait_).map_or(&[][..], |g| &g.wheres);
            let wheres = wheres.iter().filter(|w| names_member(&w.ty, *member));
            let bounds = alias.bounds.iter().chain(wheres.flat_map(|w| &w.bounds));
            bounds.for_each(|b| note(self.says(b, wanted, &env, false, 0)));
        }
        best
    }

    /// Returns what a bound or a supertrait of its trait states; `value` if a bound on the way
    /// names the associated type's value.
    fn says(
        &self,
        bound: &ir::Bound,
        wanted: &Wanted,
        env: &Env,
        value: bool,
        depth: u32,
    ) -> Assumed {
        if bound.maybe || depth > DEPTH {
            return Assumed::Nothing;
        }
        let Some(id) = self.trait_of(&bound.path, env) else {
            return Assumed::Nothing;
        };
        let written = bound.path.segments.last().and_then(|s| s.args.as_deref());
        let value = value
            || written.is_some_and(|args| {
                args.assoc.iter().any(|(n, _)| Some(*n) == wanted.name)
                    || args.output.is_some() && wanted.name.is_some_and(|n| n == "Output")
            });
        let args = self.trait_args(id, &bound.path, wanted.ty, env);
        if id == wanted.trait_ {
            return match args == wanted.args {
                true if value => Assumed::Value,
                true => Assumed::Trait,
                false => Assumed::Nothing,
            };
        }
        let ItemKind::Trait(tr) = &self.item(id).item.kind else {
            return Assumed::Nothing;
        };
        let params = self.bind(id, &args);
        let env = Env {
            module: self.item(id).module,
            params: &params,
            self_ty: Some(wanted.ty),
            item: Some(id),
        };
        let own = tr.generics.wheres.iter();
        let own = own.filter(|w| names_param(&w.ty, Name::new("Self")));
        let supers = tr.supers.iter().chain(own.flat_map(|w| &w.bounds));
        let mut found = Assumed::Nothing;
        for bound in supers {
            match self.says(bound, wanted, &env, value, depth + 1) {
                Assumed::Nothing => {}
                Assumed::Value => return Assumed::Value,
                Assumed::Trait => found = Assumed::Trait,
            }
        }
        found
    }
}

fn local_const(value: &Const) -> Local {
    match value {
        Const::Param(_) => Local::Yes,
        _ => Local::No,
    }
}

/// Returns true for `Self::name`.
fn names_member(ty: &Type, name: Name) -> bool {
    matches!(ty, Type::Path(p) if p.segments.len() == 2
        && p.segments[0].name == "Self" && p.segments[1].name == name)
}
