//! Matches an `impl` with a type: unifies its header.

use super::assoc::Question;
use super::collect::has_lang;
use super::doubt::Answers;
use super::holds::{Effort, Holds};
use super::impls::DEPTH;
use super::ty::{Const, GArg, Ty, TyKind};
use super::types::Env;
use super::{Db, ItemId, Ns, Unknown};
use crate::ir::{self, ItemKind, ParamKind};
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

/// How an `impl` matches a type.
pub(crate) struct Fit {
    /// Its parameters.
    pub params: Vec<(Name, GArg)>,
    /// Whether its header matches and its bounds hold.
    pub sure: Holds,
}

/// The headers lowered so far.
pub(super) type Headers = Answers<ItemId, Arc<Header>>;

impl<'a> Db<'a> {
    /// Returns how a trait's `impl` matches a type and the trait's arguments; `None` if it is of
    /// another trait or for other types.
    pub(super) fn impl_matches(
        &self,
        imp: ItemId,
        self_ty: Ty,
        trait_: ItemId,
        args: &[GArg],
        effort: Effort,
    ) -> Result<Option<Fit>, Unknown> {
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
        let (mut fits, mut bound) = self.unify_self(&header, self_ty);
        if fits == Holds::No {
            return Ok(None);
        }
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
            fits = fits.min(self.unify_arg(p, a, &mut bound));
            if fits == Holds::No {
                return Ok(None);
            }
        }
        self.fit(imp, &header, (fits, bound), effort).map(Some)
    }

    /// Returns how any `impl` matches a type, if it may; its trait is not checked.
    pub(super) fn impl_may_fit(
        &self,
        imp: ItemId,
        self_ty: Ty,
        effort: Effort,
    ) -> Result<Option<Fit>, Unknown> {
        let Some(header) = self.header(imp) else {
            return Ok(None);
        };
        let (fits, bound) = self.unify_self(&header, self_ty);
        if fits == Holds::No {
            return Ok(None);
        }
        let fit = self.fit(imp, &header, (fits, bound), effort)?;
        Ok(Some(fit).filter(|fit| fit.sure != Holds::No))
    }

    /// Returns the parameters for which any `impl` probably matches a type; its trait is not
    /// checked.
    pub fn impl_fits(
        &self,
        imp: ItemId,
        self_ty: Ty,
    ) -> Result<Option<Vec<(Name, GArg)>>, Unknown> {
        let fit = self.impl_may_fit(imp, self_ty, Effort::LITTLE)?;
        Ok(fit.filter(|fit| fit.sure.likely()).map(|fit| fit.params))
    }

    fn fit(
        &self,
        imp: ItemId,
        header: &Header,
        (fits, mut bound): (Holds, Vec<Option<GArg>>),
        effort: Effort,
    ) -> Result<Fit, Unknown> {
        self.solve(imp, &header.holes, &mut bound);
        let params = self.filled(imp, bound);
        let sure = fits.min(self.bounds_hold(imp, &params, effort)?);
        Ok(Fit { params, sure })
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
        if keeps && let Some(known) = self.headers.get(self, &imp) {
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
        if known && keeps && guarded && self.walk.opening.get() == 0 {
            return Some(self.headers.keep(imp, header, &rests));
        }
        Some(header)
    }

    fn unify_self(&self, header: &Header, self_ty: Ty) -> (Holds, Vec<Option<GArg>>) {
        let mut bound = vec![None; header.holes.len()];
        let fits = match self.types.kind(header.self_ty) {
            // A type that was not found is hardly one that was.
            TyKind::Unknown(_) => Holds::No,
            _ => self.unify(header.self_ty, self_ty, &mut bound),
        };
        (fits, bound)
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
                if self.unify(pattern, is, &mut tried).likely() {
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

    /// Returns true for `FnOnce`, `FnMut` and `Fn`.
    pub(super) fn is_fn_trait(&self, id: ItemId) -> bool {
        let attrs = &self.item(id).item.attrs;
        ["fn_once", "fn_mut", "fn"]
            .iter()
            .any(|lang| has_lang(attrs, lang))
    }

    /// Returns true if `above` is the trait itself or a supertrait of it.
    pub fn is_above(&self, above: ItemId, id: ItemId, depth: u32) -> bool {
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

    /// Unifies a pattern with a type; the values of inference variables are stored in `bound`.
    pub fn unify(&self, pattern: Ty, ty: Ty, bound: &mut Vec<Option<GArg>>) -> Holds {
        if pattern == ty {
            return match self.types.is_whole(ty) {
                true => Holds::Yes,
                false => Holds::Maybe,
            };
        }
        match (self.types.kind(pattern), self.types.kind(ty)) {
            (TyKind::Infer(i), _) => {
                // A variable of another query stays unbound.
                let Some(slot) = bound.get_mut(*i as usize) else {
                    return Holds::No;
                };
                match slot {
                    Some(GArg::Ty(old)) => {
                        let old = *old;
                        self.unify(old, ty, &mut Vec::new())
                    }
                    Some(_) => Holds::No,
                    None => {
                        *slot = Some(GArg::Ty(ty));
                        Holds::Yes
                    }
                }
            }
            // A projection in a header depends on parameters: it may be any type.
            (TyKind::Proj(..), _) => Holds::Maybe,
            // They may stand for any type.
            (TyKind::Unknown(_) | TyKind::Param(..), _)
            | (_, TyKind::Unknown(_) | TyKind::Param(..) | TyKind::Proj(..) | TyKind::Infer(_)) => {
                Holds::Unseen
            }
            (TyKind::Adt(a, xs), TyKind::Adt(b, ys)) if a == b => self.unify_args(xs, ys, bound),
            (TyKind::Ref(a, m), TyKind::Ref(b, n)) | (TyKind::Ptr(a, m), TyKind::Ptr(b, n))
                if m == n =>
            {
                self.unify(*a, *b, bound)
            }
            (TyKind::Slice(a), TyKind::Slice(b)) => self.unify(*a, *b, bound),
            (TyKind::Array(a, n), TyKind::Array(b, m)) => {
                let boxed = |c: &Const| GArg::Const(Box::new(c.clone()));
                let len = self.unify_arg(&boxed(n), &boxed(m), bound);
                match len {
                    Holds::No => len,
                    _ => len.min(self.unify(*a, *b, bound)),
                }
            }
            (TyKind::Tuple(xs), TyKind::Tuple(ys)) if xs.len() == ys.len() => {
                self.unify_all(xs, ys, bound)
            }
            (TyKind::Dyn(a, xs, v), TyKind::Dyn(b, ys, w)) => {
                let names = |list: &[(Name, Ty)]| list.iter().map(|(n, _)| *n).collect::<Vec<_>>();
                let types = |list: &[(Name, Ty)]| list.iter().map(|(_, t)| *t).collect::<Vec<_>>();
                if a != b || names(xs) != names(ys) || v.len() != w.len() {
                    return Holds::No;
                }
                let bindings = self.unify_all(&types(xs), &types(ys), bound);
                bindings.min(self.unify_args(v, w, bound))
            }
            (TyKind::FnPtr(xs, x, a), TyKind::FnPtr(ys, y, b))
                if xs.len() == ys.len() && a == b =>
            {
                let output = self.unify(*x, *y, bound);
                output.min(self.unify_all(xs, ys, bound))
            }
            _ => Holds::No,
        }
    }

    fn unify_all(&self, xs: &[Ty], ys: &[Ty], bound: &mut Vec<Option<GArg>>) -> Holds {
        let pairs = xs.iter().zip(ys);
        every(pairs.map(|(x, y)| self.unify(*x, *y, bound)))
    }

    fn unify_args(&self, xs: &[GArg], ys: &[GArg], bound: &mut Vec<Option<GArg>>) -> Holds {
        let pairs = xs.iter().zip(ys);
        every(pairs.map(|(x, y)| self.unify_arg(x, y, bound)))
    }

    fn unify_arg(&self, pattern: &GArg, arg: &GArg, bound: &mut Vec<Option<GArg>>) -> Holds {
        match (pattern, arg) {
            (GArg::Ty(p), GArg::Ty(t)) => self.unify(*p, *t, bound),
            (GArg::Const(p), GArg::Const(c)) => {
                let Const::Infer(i) = **p else {
                    return same_const(p, c);
                };
                let Some(slot) = bound.get_mut(i as usize) else {
                    return Holds::No;
                };
                match slot {
                    Some(GArg::Const(old)) => same_const(old, c),
                    Some(_) => Holds::No,
                    None => {
                        *slot = Some(GArg::Const(c.clone()));
                        Holds::Yes
                    }
                }
            }
            _ => Holds::No,
        }
    }
}

/// Returns the least certain, up to the first that does not hold.
fn every(list: impl Iterator<Item = Holds>) -> Holds {
    let mut so_far = Holds::Yes;
    for holds in list {
        so_far = so_far.min(holds);
        if so_far == Holds::No {
            break;
        }
    }
    so_far
}

fn same_const(a: &Const, b: &Const) -> Holds {
    match (a, b) {
        (Const::Value(a), Const::Value(b)) => (a == b).into(),
        (Const::Param(a), Const::Param(b)) if a == b => Holds::Yes,
        _ => Holds::Unseen,
    }
}
