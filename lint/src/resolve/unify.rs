//! Matches an `impl` with a type: unifies its header and checks its bounds.

use super::assoc::Question;
use super::collect::has_lang;
use super::impls::DEPTH;
use super::tail::Tail;
use super::ty::{Const, GArg, Ty, TyKind};
use super::types::{Env, param_is_sized};
use super::{Db, ItemId, Ns, Unknown};
use crate::ir::{self, ItemKind, ParamKind};
use crate::memo::Memo;
use crate::name::Name;
use std::sync::Arc;

/// The lowered header of an `impl`.
pub(super) struct Header {
    /// Its parameters, as inference variables.
    pub(super) holes: Vec<(Name, GArg)>,
    /// Its self type over these variables.
    pub(super) self_ty: Ty,
    /// True if no open `cfg` affects it.
    pub(super) certain: bool,
}

/// The headers lowered so far.
pub(super) type Headers = Memo<ItemId, Arc<Header>>;

impl<'a> Db<'a> {
    /// Returns the parameters for which a trait's `impl` matches a type and the trait's arguments.
    pub(super) fn impl_matches(
        &self,
        imp: ItemId,
        self_ty: Ty,
        trait_: ItemId,
        args: &[GArg],
        depth: u32,
    ) -> Result<Option<Vec<(Name, GArg)>>, Unknown> {
        let data = self.item(imp);
        let ItemKind::Impl(block) = &data.item.kind else {
            return Ok(None);
        };
        let Some(path) = &block.trait_ else {
            return Ok(None);
        };
        let Some(header) = self.header(imp) else {
            return Ok(None);
        };
        let Some(mut bound) = self.unify_self(&header, self_ty) else {
            return Ok(None);
        };
        let env = Env {
            module: data.module,
            params: &header.holes,
            self_ty: Some(self_ty),
            item: Some(imp),
        };
        if self.trait_at(path, &env)? != Some(trait_) {
            return Ok(None);
        }
        let pattern_args = self.trait_args(trait_, path, self_ty, &env);
        for (p, a) in pattern_args.iter().zip(args) {
            if !self.unify_arg(p, a, &mut bound) {
                return Ok(None);
            }
        }
        self.solve(imp, &header.holes, &mut bound);
        let params = self.filled(imp, bound);
        let fits = depth < DEPTH && self.bounds_hold(imp, &params, depth)?;
        Ok(fits.then_some(params))
    }

    /// Returns the parameters for which any `impl` matches a type; its trait is not checked.
    pub(crate) fn impl_fits(
        &self,
        imp: ItemId,
        self_ty: Ty,
    ) -> Result<Option<Vec<(Name, GArg)>>, Unknown> {
        let Some(header) = self.header(imp) else {
            return Ok(None);
        };
        let Some(mut bound) = self.unify_self(&header, self_ty) else {
            return Ok(None);
        };
        self.solve(imp, &header.holes, &mut bound);
        let params = self.filled(imp, bound);
        let fits = self.bounds_hold(imp, &params, 0)?;
        Ok(fits.then_some(params))
    }

    /// Creates an inference variable per parameter of an `impl`.
    fn holes(&self, imp: ItemId) -> Vec<(Name, GArg)> {
        let params = self.generics(imp).map_or(&[][..], |g| &g.params);
        let params = params.iter().enumerate();
        let hole = |(i, p): (usize, &ir::Param)| match p.kind {
            ParamKind::Type { .. } => {
                (p.name, GArg::Ty(self.types.intern(TyKind::Infer(i as u32))))
            }
            ParamKind::Const { .. } => (p.name, GArg::Const(Box::new(Const::Infer(i as u32)))),
        };
        params.map(hole).collect()
    }

    /// Returns the header of an `impl`; `None` while it is being lowered, since a constant in it
    /// may need trait selection.
    pub(super) fn header(&self, imp: ItemId) -> Option<Arc<Header>> {
        // Unnormalized headers are not cached.
        let keeps = !self.walk.as_written.get();
        if keeps && let Some(known) = self.headers.get(&imp) {
            // A cached header costs a step too.
            return self.ask().is_ok().then_some(known);
        }
        let data = self.item(imp);
        let ItemKind::Impl(block) = &data.item.kind else {
            return None;
        };
        let holes = self.holes(imp);
        let env = Env {
            module: data.module,
            params: &holes,
            self_ty: None,
            item: Some(imp),
        };
        if !self.walk.headers.borrow_mut().insert(imp) {
            self.walk.circled.set(true);
            return None;
        }
        let read = || self.recording(|| self.lower(&block.self_ty, &env));
        let ((self_ty, rests), guarded) = self.guarding(read);
        self.walk.headers.borrow_mut().remove(&imp);
        let certain = rests.is_empty();
        let header = Arc::new(Header {
            holes,
            self_ty,
            certain,
        });
        let known = !matches!(self.types.kind(self_ty), TyKind::Unknown(_));
        if known && keeps && certain && guarded && self.walk.opening.get() == 0 {
            return Some(self.headers.keep(imp, header));
        }
        Some(header)
    }

    fn unify_self(&self, header: &Header, self_ty: Ty) -> Option<Vec<Option<GArg>>> {
        let mut bound = vec![None; header.holes.len()];
        let fits = self.unify(header.self_ty, self_ty, &mut bound);
        fits.then_some(bound)
    }

    /// Infers parameters that the header does not contain from bounds on the others, like `T` in
    /// `impl<T, F: FnOnce() -> T> Trait for Wrapper<F>`.
    fn solve(&self, imp: ItemId, holes: &[(Name, GArg)], bound: &mut Vec<Option<GArg>>) {
        let Some(generics) = self.generics(imp) else {
            return;
        };
        let open = |bound: &[Option<GArg>]| bound.iter().filter(|b| b.is_none()).count();
        let mut left = open(bound) + 1;
        while open(bound) > 0 && open(bound) < left {
            left = open(bound);
            let known = self.filled(imp, bound.clone());
            let env = |params| Env {
                module: self.item(imp).module,
                params,
                self_ty: None,
                item: Some(imp),
            };
            let mixed = holes.iter().zip(bound.iter());
            let mixed: Vec<_> = mixed
                .map(|((name, hole), b)| (*name, b.clone().unwrap_or_else(|| hole.clone())))
                .collect();
            let (known, mixed) = (env(&known[..]), env(&mixed[..]));
            let params = generics.params.iter().filter_map(|p| match &p.kind {
                ParamKind::Type { bounds, .. } => {
                    let own = known.params.iter().find(|(name, _)| *name == p.name);
                    let Some((_, GArg::Ty(ty))) = own else {
                        return None;
                    };
                    Some((*ty, bounds))
                }
                ParamKind::Const { .. } => None,
            });
            let wheres = generics.wheres.iter();
            let wheres = wheres.map(|w| (self.lower(&w.ty, &known), &w.bounds));
            for (ty, bounds) in params.chain(wheres).collect::<Vec<_>>() {
                if let TyKind::Unknown(_) = self.types.kind(ty) {
                    continue;
                }
                for b in bounds {
                    self.solve_by(ty, b, (&known, &mixed), bound);
                }
            }
        }
    }

    fn solve_by(
        &self,
        ty: Ty,
        by: &ir::Bound,
        (known, mixed): (&Env, &Env),
        bound: &mut Vec<Option<GArg>>,
    ) {
        let args = by.path.segments.last().and_then(|s| s.args.as_deref());
        let Some(args) = args else { return };
        let output = args.output.as_ref().map(|ty| (Name::new("Output"), ty));
        let said = args.assoc.iter().map(|(name, ty)| (*name, ty));
        for (name, said) in said.chain(output) {
            let wanted = (name, Ns::Type);
            let Some((trait_, args)) = self.bound_has(by, wanted, ty, known, 0) else {
                continue;
            };
            let own = Vec::new();
            let is = self.project(Question {
                self_ty: ty,
                trait_,
                args,
                name,
                own,
            });
            if !matches!(self.types.kind(is), TyKind::Unknown(_) | TyKind::Proj(..)) {
                let pattern = self.lower(said, mixed);
                let mut tried = bound.clone();
                if self.unify(pattern, is, &mut tried) {
                    *bound = tried;
                }
            }
        }
    }

    fn filled(&self, imp: ItemId, bound: Vec<Option<GArg>>) -> Vec<(Name, GArg)> {
        let free = |p: &ir::Param| match p.kind {
            ParamKind::Type { .. } => {
                GArg::Ty(self.unknown(format!("`{}` is bound by nothing", p.name)))
            }
            ParamKind::Const { .. } => {
                let why = Unknown::because("a constant bound by nothing");
                GArg::Const(Box::new(Const::Unknown(why)))
            }
        };
        let params = self.generics(imp).map_or(&[][..], |g| &g.params);
        let params = params.iter().zip(bound);
        params
            .map(|(p, b)| (p.name, b.unwrap_or_else(|| free(p))))
            .collect()
    }

    /// Returns false only if a bound of an `impl` is known not to hold.
    fn bounds_hold(
        &self,
        imp: ItemId,
        params: &[(Name, GArg)],
        depth: u32,
    ) -> Result<bool, Unknown> {
        let Some(generics) = self.generics(imp) else {
            return Ok(true);
        };
        let env = Env {
            module: self.item(imp).module,
            params,
            self_ty: None,
            item: Some(imp),
        };
        for (param, (_, arg)) in generics.params.iter().zip(params) {
            let (ParamKind::Type { bounds, .. }, GArg::Ty(ty)) = (&param.kind, arg) else {
                continue;
            };
            let sized = param_is_sized(generics, param.name);
            if sized && self.tail(*ty).is_ok_and(|tail| tail != Tail::Sized) {
                return Ok(false);
            }
            for bound in bounds {
                if !self.bound_holds(*ty, bound, &env, depth)? {
                    return Ok(false);
                }
            }
        }
        for clause in &generics.wheres {
            let ty = self.lower(&clause.ty, &env);
            for bound in &clause.bounds {
                if !self.bound_holds(ty, bound, &env, depth)? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    fn bound_holds(
        &self,
        ty: Ty,
        bound: &ir::Bound,
        env: &Env,
        depth: u32,
    ) -> Result<bool, Unknown> {
        if bound.maybe {
            return Ok(true);
        }
        // An unresolved trait is assumed to hold: a second matching `impl` is then an error.
        let Some(id) = self.trait_of(&bound.path, env) else {
            return Ok(true);
        };
        match self.types.kind(ty) {
            TyKind::Unknown(_) | TyKind::Param(..) | TyKind::Proj(..) | TyKind::Infer(_) => {
                return Ok(true);
            }
            TyKind::Dyn(ids, _) if ids.contains(&id) => return Ok(true),
            TyKind::FnPtr(..) if self.is_fn_trait(id) => return Ok(true),
            _ => {}
        }
        let args = self.trait_args(id, &bound.path, ty, env);
        match self.find_impl(ty, id, &args, depth + 1) {
            Ok(Some(_)) => Ok(true),
            Ok(None) => Ok(self.may_hold_unseen(ty, id)),
            Err(Unknown::Atom(a)) => Err(Unknown::Atom(a)),
            Err(_) => Ok(true),
        }
    }

    /// Returns true if a type may implement a trait although no `impl` was found: an auto trait, a
    /// derive, or a trait of std without associated types on a type of std, whose `impl`s are not
    /// all declared.
    fn may_hold_unseen(&self, ty: Ty, id: ItemId) -> bool {
        let data = self.item(id);
        let name = data.item.name.as_str();
        let of = match self.types.kind(ty) {
            TyKind::Adt(of, _) => Some(self.item(*of)),
            _ => None,
        };
        if of.is_some_and(|of| of.item.attrs.derives(name)) {
            return true;
        }
        let std = self.std();
        if self.krate_of(data.module) != std {
            return false;
        }
        if [
            "Sized",
            "Send",
            "Sync",
            "Unpin",
            "UnwindSafe",
            "RefUnwindSafe",
            "Any",
        ]
        .contains(&name)
        {
            return true;
        }
        // Every `impl` of these is declared; assuming more would cause overlaps.
        let whole = ["Fn", "FnMut", "FnOnce", "From", "Into", "TryInto"].contains(&name);
        of.is_none_or(|of| self.krate_of(of.module) == std) && !whole && !self.has_types(id)
    }

    /// Returns true for `FnOnce`, `FnMut` and `Fn`.
    pub(super) fn is_fn_trait(&self, id: ItemId) -> bool {
        let attrs = &self.item(id).item.attrs;
        ["fn_once", "fn_mut", "fn"]
            .iter()
            .any(|lang| has_lang(attrs, lang))
    }

    /// Returns true if `above` is the trait itself or a supertrait of it.
    pub(crate) fn is_above(&self, above: ItemId, id: ItemId, depth: u32) -> bool {
        if above == id {
            return true;
        }
        let data = self.item(id);
        let ItemKind::Trait(tr) = &data.item.kind else {
            return false;
        };
        let env = Env::plain(data.module);
        let mut supers = tr.supers.iter().filter(|_| depth < DEPTH);
        supers.any(|b| {
            let next = self.trait_of(&b.path, &env);
            next.is_some_and(|next| self.is_above(above, next, depth + 1))
        })
    }

    /// Returns true if a trait declares associated types.
    fn has_types(&self, id: ItemId) -> bool {
        let mut members = self.members(id).iter();
        members.any(|m| matches!(self.item(*m).item.kind, ItemKind::TypeAlias(_)))
    }

    /// Unifies a pattern with a type; the values of inference variables are stored in `bound`.
    pub(crate) fn unify(&self, pattern: Ty, ty: Ty, bound: &mut Vec<Option<GArg>>) -> bool {
        if pattern == ty {
            return true;
        }
        match (self.types.kind(pattern), self.types.kind(ty)) {
            (TyKind::Infer(i), _) => {
                // A variable of another query stays unbound.
                let Some(slot) = bound.get_mut(*i as usize) else {
                    return false;
                };
                match slot {
                    Some(GArg::Ty(old)) => *old == ty,
                    Some(_) => false,
                    None => {
                        *slot = Some(GArg::Ty(ty));
                        true
                    }
                }
            }
            (TyKind::Adt(a, xs), TyKind::Adt(b, ys)) => {
                a == b && xs.iter().zip(ys).all(|(x, y)| self.unify_arg(x, y, bound))
            }
            (TyKind::Ref(a, m), TyKind::Ref(b, n)) | (TyKind::Ptr(a, m), TyKind::Ptr(b, n)) => {
                m == n && self.unify(*a, *b, bound)
            }
            (TyKind::Slice(a), TyKind::Slice(b)) => self.unify(*a, *b, bound),
            (TyKind::Array(a, n), TyKind::Array(b, m)) => {
                let boxed = |c: &Const| GArg::Const(Box::new(c.clone()));
                let (n, m) = (boxed(n), boxed(m));
                self.unify_arg(&n, &m, bound) && self.unify(*a, *b, bound)
            }
            (TyKind::Tuple(xs), TyKind::Tuple(ys)) => {
                xs.len() == ys.len() && xs.iter().zip(ys).all(|(x, y)| self.unify(*x, *y, bound))
            }
            (TyKind::FnPtr(xs, x), TyKind::FnPtr(ys, y)) => {
                xs.len() == ys.len()
                    && self.unify(*x, *y, bound)
                    && xs.iter().zip(ys).all(|(x, y)| self.unify(*x, *y, bound))
            }
            // A projection in a header depends on parameters: it may be any type.
            (TyKind::Proj(..), _) => true,
            _ => false,
        }
    }

    fn unify_arg(&self, pattern: &GArg, arg: &GArg, bound: &mut Vec<Option<GArg>>) -> bool {
        match (pattern, arg) {
            (GArg::Ty(p), GArg::Ty(t)) => self.unify(*p, *t, bound),
            (GArg::Const(p), GArg::Const(c)) => {
                let Const::Infer(i) = **p else {
                    return p == c;
                };
                let Some(slot) = bound.get_mut(i as usize) else {
                    return false;
                };
                match slot {
                    Some(GArg::Const(old)) => old == c,
                    Some(_) => false,
                    None => {
                        *slot = Some(GArg::Const(c.clone()));
                        true
                    }
                }
            }
            _ => false,
        }
    }
}
