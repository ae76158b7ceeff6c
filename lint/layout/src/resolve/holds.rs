//! Whether the bounds of an `impl` hold.

mod built_in;

use super::assoc::Question;
use super::attrs::AttributeMacro;
use super::hidden::What;
use super::impls::{Crates, DEPTH};
use super::tail::Tail;
use super::ty::{GArg, Ty, TyKind};
use super::types::{Env, param_is_sized};
use super::{Db, ItemId, Ns, Res, Unknown};
use crate::ir::{self, ItemKind, ParamKind, Type};
use crate::name::Name;
use smallvec::smallvec;

/// The derives of std, which add an `impl` of the trait of their name and nothing else.
const DERIVES: [&str; 9] = [
    "Clone",
    "Copy",
    "Debug",
    "Default",
    "Eq",
    "Hash",
    "Ord",
    "PartialEq",
    "PartialOrd",
];

/// Whether a bound holds or a type matches, from the least certain to the most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Holds {
    /// It does not hold.
    No,
    /// Nothing that was read makes it hold; something that was not read may.
    Unseen,
    /// Not decided: an `impl` of std that is not declared, or a part that is not known.
    Maybe,
    /// It holds.
    Yes,
}

impl Holds {
    /// Returns true unless it would take something that was not read.
    pub fn likely(self) -> bool {
        self >= Holds::Maybe
    }
}

impl From<bool> for Holds {
    fn from(holds: bool) -> Holds {
        match holds {
            true => Holds::Yes,
            false => Holds::No,
        }
    }
}

/// How far to look for an answer.
#[derive(Clone, Copy)]
pub(crate) struct Effort {
    /// The depth of bounds that depend on one another.
    pub(super) depth: u32,
    /// Whether to decide auto traits by fields, and whether something unread matters. Costly, and
    /// needed only if several `impl`s may apply.
    pub(super) full: bool,
}

impl Effort {
    pub(crate) const LITTLE: Effort = Effort {
        depth: 0,
        full: false,
    };
    pub(crate) const FULL: Effort = Effort {
        depth: 0,
        full: true,
    };

    fn deeper(self) -> Effort {
        Effort {
            depth: self.depth + 1,
            ..self
        }
    }
}

/// Evaluates conditions until one does not hold.
fn all(list: impl Iterator<Item = Res<Holds>>) -> Res<Holds> {
    let mut so_far = Holds::Yes;
    for holds in list {
        so_far = so_far.min(holds?);
        if so_far == Holds::No {
            break;
        }
    }
    Ok(so_far)
}

/// Returns the answer; an error other than an open `cfg` leaves it undecided.
fn settled(holds: Res<Holds>) -> Res<Holds> {
    match holds {
        Err(Unknown::Atom(atom)) => Err(Unknown::Atom(atom)),
        other => Ok(other.unwrap_or(Holds::Maybe)),
    }
}

impl<'a> Db<'a> {
    /// Returns whether the bounds of an `impl` hold for its parameters.
    pub(super) fn bounds_hold(
        &self,
        imp: ItemId,
        params: &[(Name, GArg)],
        effort: Effort,
    ) -> Res<Holds> {
        let Some(generics) = self.generics(imp) else {
            return Ok(Holds::Yes);
        };
        if effort.depth >= DEPTH {
            return Ok(Holds::Maybe);
        }
        let env = Env {
            module: self.item(imp).module,
            params,
            self_ty: None,
            item: Some(imp),
        };
        let of_param = |(param, (_, arg)): (&ir::Param, &(Name, GArg))| {
            let (ParamKind::Type { bounds, .. }, GArg::Ty(ty)) = (&param.kind, arg) else {
                return Ok(Holds::Yes);
            };
            let sized = match param_is_sized(generics, param.name) {
                true => self.is_sized(*ty),
                false => Holds::Yes,
            };
            if sized == Holds::No {
                return Ok(sized);
            }
            let rest = all(bounds
                .iter()
                .map(|b| self.bound_holds(*ty, b, &env, effort)))?;
            Ok(sized.min(rest))
        };
        let own = all(generics.params.iter().zip(params).map(of_param))?;
        if own == Holds::No {
            return Ok(own);
        }
        let wheres = generics.wheres.iter().map(|clause| {
            let ty = self.lower(&clause.ty, &env);
            let bounds = clause.bounds.iter();
            all(bounds.map(|b| self.bound_holds(ty, b, &env, effort)))
        });
        Ok(own.min(all(wheres)?))
    }

    fn is_sized(&self, ty: Ty) -> Holds {
        match self.tail(ty) {
            Ok(tail) => (tail == Tail::Sized).into(),
            Err(_) => Holds::Maybe,
        }
    }

    fn bound_holds(&self, ty: Ty, bound: &ir::Bound, env: &Env, effort: Effort) -> Res<Holds> {
        if bound.maybe {
            return Ok(Holds::Yes);
        }
        // An unresolved trait is assumed to hold: a second matching `impl` is then an error.
        let Some(id) = self.trait_of(&bound.path, env) else {
            return Ok(Holds::Maybe);
        };
        let args = self.trait_args(id, &bound.path, ty, env);
        let holds = settled(self.implements_trait(ty, id, &args, effort))?;
        if holds == Holds::No {
            return Ok(holds);
        }
        Ok(holds.min(self.assoc_types_hold(ty, bound, env)))
    }

    /// Returns whether the associated types that a bound states are those of the type.
    fn assoc_types_hold(&self, ty: Ty, bound: &ir::Bound, env: &Env) -> Holds {
        let last = bound.path.segments.last();
        let Some(args) = last.and_then(|s| s.args.as_deref()) else {
            return Holds::Yes;
        };
        let output = args.output.as_ref().map(|ty| (Name::new("Output"), ty));
        let said = args.assoc.iter().map(|(name, ty)| (*name, ty));
        let is = |(name, said): (Name, &Type)| {
            let found = self.bound_has(bound, (name, Ns::Type), ty, env, 0);
            let Some((trait_, args)) = found else {
                return Holds::Maybe;
            };
            let own = Vec::new();
            let is = self.project(Question {
                self_ty: ty,
                trait_,
                args,
                name,
                own,
            });
            let is_known = self.types.is_whole(is);
            match self.unify(self.lower(said, env), is, &mut Vec::new()) {
                Holds::No if is_known => Holds::No,
                Holds::Yes => Holds::Yes,
                _ => Holds::Maybe,
            }
        };
        said.chain(output).map(is).min().unwrap_or(Holds::Yes)
    }

    /// Returns whether a type implements a trait.
    ///
    /// # Errors
    /// An open `cfg` decides, or the search stopped at a limit.
    pub(crate) fn implements_trait(
        &self,
        ty: Ty,
        id: ItemId,
        args: &[GArg],
        effort: Effort,
    ) -> Res<Holds> {
        match self.types.kind(ty) {
            TyKind::Unknown(_) | TyKind::Infer(_) | TyKind::Written(_) => return Ok(Holds::Maybe),
            TyKind::Param(_, _, owner) if self.is_bounded(ty, id, args, *owner) => {
                return Ok(Holds::Yes);
            }
            TyKind::Dyn(ids, ..) if ids.iter().any(|above| self.is_above(id, *above, 0)) => {
                return Ok(match args.is_empty() {
                    true => Holds::Yes,
                    false => Holds::Maybe,
                });
            }
            _ => {}
        }
        if let Some(holds) = self.built_in(ty, id, args, effort)? {
            return Ok(holds);
        }
        let found = self.find_impl_with(ty, id, args, effort.deeper())?;
        let seen = found.map_or(Holds::No, |found| found.sure);
        if seen.likely() {
            return Ok(seen);
        }
        if let TyKind::Param(..) | TyKind::Proj(..) = self.types.kind(ty) {
            return Ok(Holds::Maybe);
        }
        if let Some(derived) = self.derived(ty, id, args, effort)? {
            return Ok(derived);
        }
        let declared = self.all_are_declared(id) || self.clones_are_declared(id, ty);
        if self.is_of_std(id) && self.of_std(ty) && !declared {
            return Ok(Holds::Maybe);
        }
        let known = match effort.full {
            true => self.nothing_unseen(ty, id, args),
            false => self.crates_with(ty, id, args)[..] == [self.std()],
        };
        Ok(if known { seen } else { Holds::Unseen })
    }

    /// Returns true unless the outermost part of a type is defined by the project.
    fn of_std(&self, ty: Ty) -> bool {
        match self.types.kind(ty) {
            TyKind::Adt(of, _) | TyKind::Foreign(of) => self.is_of_std(*of),
            TyKind::Dyn(ids, ..) => ids.iter().all(|of| self.is_of_std(*of)),
            _ => true,
        }
    }

    /// Returns true if every `impl` of this trait of std for a type of std is declared.
    fn all_are_declared(&self, id: ItemId) -> bool {
        self.is_fn_trait(id) || self.has_types(id)
    }

    /// Returns true if the trait is `Clone` and its `impl`s for this kind of type are declared: then
    /// all of them are.
    fn clones_are_declared(&self, id: ItemId, ty: Ty) -> bool {
        let name = self.item(id).item.name;
        let Some(of) = self.adt_of(ty).filter(|_| name == "Clone") else {
            return false;
        };
        let mut impls = self
            .impls_for(self.impl_index(self.std()), name, ty)
            .into_iter();
        impls.any(|imp| {
            let header = self.header(imp);
            header.is_some_and(|header| self.adt_of(header.self_ty) == Some(of))
        })
    }

    /// Returns true if a trait declares associated types.
    fn has_types(&self, id: ItemId) -> bool {
        let mut members = self.members(id).iter();
        members.any(|m| matches!(self.item(*m).item.kind, ItemKind::TypeAlias(_)))
    }

    /// Returns whether a derive implements a trait for a type, if there is one that may.
    fn derived(&self, ty: Ty, id: ItemId, args: &[GArg], effort: Effort) -> Res<Option<Holds>> {
        let TyKind::Adt(of, params) = self.types.kind(ty) else {
            return Ok(None);
        };
        let data = self.item(*of);
        let name = self.item(id).item.name;
        if self.is_of_std(*of) || !data.item.attrs.derives(name.as_str()) {
            return Ok(None);
        }
        // `derive(Clone)` is no `impl` of another `Clone`; one of another crate may have any bounds.
        let on = self.standing(data.module, data.item, false, true)?;
        let derives = on
            .iter()
            .filter(|s| s.derive && last_segment(&s.name) == name.as_str());
        let (of_std, others): (Vec<_>, Vec<_>) = derives.partition(|s| s.built_in);
        match self.is_of_std(id) && !of_std.is_empty() {
            true => {}
            false if others.is_empty() => return Ok(None),
            false => return Ok(Some(Holds::Maybe)),
        }
        if args.iter().any(|arg| *arg != GArg::Ty(ty)) {
            return Ok(None);
        }
        let ItemKind::Adt(adt) = &data.item.kind else {
            return Ok(None);
        };
        let of_params = params.iter().filter_map(|arg| match arg {
            GArg::Ty(ty) => Some(*ty),
            GArg::Const(_) => None,
        });
        let own = |ty: &Ty| -> Vec<GArg> { args.iter().map(|_| GArg::Ty(*ty)).collect() };
        let of_params =
            of_params.map(|ty| settled(self.implements_trait(ty, id, &own(&ty), effort.deeper())));
        let holds = all(of_params)?;
        // A field `T::Item` adds a bound on it; a default variant needs none.
        let fields = adt.variants.iter().flat_map(|v| &v.fields);
        let plain = fields.into_iter().all(|f| !mentions_assoc(&f.ty));
        let is_default = adt.kind == ir::AdtKind::Enum && name == "Default";
        Ok(Some(match holds {
            Holds::Yes if plain => Holds::Yes,
            Holds::No if !is_default => Holds::No,
            _ => Holds::Maybe,
        }))
    }

    /// Lists the crates that may contain an `impl` of a trait for a type.
    fn crates_with(&self, ty: Ty, id: ItemId, args: &[GArg]) -> Crates {
        let mut crates: Crates = smallvec![self.krate_of(self.item(id).module)];
        self.crates_of(ty, &mut crates);
        for arg in args {
            if let GArg::Ty(ty) = arg {
                self.crates_of(*ty, &mut crates);
            }
        }
        crates
    }

    /// Returns true if every `impl` of a trait for a type was seen.
    fn nothing_unseen(&self, ty: Ty, id: ItemId, args: &[GArg]) -> bool {
        let crates = self.crates_with(ty, id, args);
        let types = args.iter().filter_map(|arg| match arg {
            GArg::Ty(ty) => Some(*ty),
            GArg::Const(_) => None,
        });
        let types = types.chain([ty]).filter_map(|ty| self.adt_of(ty));
        let items: Vec<ItemId> = types.chain([id]).collect();
        let of = What::Trait(self.item(id).item.name);
        let complete = |krate: &u32| *krate == self.std() || self.may_hide(*krate, of).is_none();
        crates.iter().all(complete) && items.iter().all(|id| !self.may_gain_impls(*id))
    }

    fn adt_of(&self, ty: Ty) -> Option<ItemId> {
        match self.types.kind(ty) {
            TyKind::Adt(of, _) => Some(*of),
            _ => None,
        }
    }

    /// Returns true if an item has a macro other than std's derives, which may add `impl`s of any
    /// trait.
    fn may_gain_impls(&self, id: ItemId) -> bool {
        let data = self.item(id);
        if self.is_of_std(id) || super::attrs::all_plain(&data.item.attrs) {
            return false;
        }
        let on = self.may_stand(data.module, data.item);
        let is_plain = |s: &AttributeMacro| s.built_in && DERIVES.contains(&last_segment(&s.name));
        on.map_or(true, |on| !on.iter().all(is_plain))
    }
}

fn last_segment(path: &str) -> &str {
    path.rsplit("::").next().unwrap_or(path)
}

/// Returns true if a type may name an associated type of a parameter.
fn mentions_assoc(ty: &Type) -> bool {
    match ty {
        Type::Path(path) => {
            let args = path.segments.iter().filter_map(|s| s.args.as_deref());
            let mut args = args.flat_map(|args| &args.args);
            path.segments.len() > 1
                || args.any(|arg| matches!(arg, ir::Arg::Type(ty) if mentions_assoc(ty)))
        }
        Type::Ref(inner, _) | Type::Ptr(inner, _) | Type::Slice(inner) | Type::Array(inner, _) => {
            mentions_assoc(inner)
        }
        Type::Tuple(list) => list.iter().any(mentions_assoc),
        Type::Never => false,
        _ => true,
    }
}
