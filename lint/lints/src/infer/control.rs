//! Infers branches, loops, jumps, closures, `async` and `await`.

use super::Infer;
use crate::infer::types::may_be;
use crate::ir::body::{Arm, ExprId, ExprKind, PatId};
use crate::name::Name;
use crate::resolve::ty::{Prim, Ty, TyKind};

impl<'i> Infer<'i> {
    /// Infers branches, loops, jumps, closures, `async`, `await` and ranges.
    pub(super) fn control(&mut self, kind: &'i ExprKind, expected: Ty) -> Ty {
        let types = &self.db.types;
        match kind {
            ExprKind::Async(block) => {
                let ty = self.isolated(self.unknown(), |s| s.any(*block));
                self.future(ty)
            }
            ExprKind::If(cond, then, otherwise) => {
                let depth = self.scope.len();
                self.any(*cond);
                let ty = self.expr(*then, expected);
                self.scope.truncate(depth);
                let Some(otherwise) = otherwise else {
                    return types.unit();
                };
                let other = self.expr(*otherwise, expected);
                self.branches(&[ty, other])
            }
            ExprKind::Let(pat, value) => {
                let ty = self.any(*value);
                self.pat(*pat, ty, Some(*value));
                types.prim(Prim::Bool)
            }
            ExprKind::Match(on, arms) => {
                let on_ty = self.any(*on);
                self.arms(*on, on_ty, arms, expected)
            }
            ExprKind::Loop(block) => {
                let unknown = self.unknown();
                let outer = std::mem::replace(&mut self.breaks, unknown);
                self.repeated(None, None, *block);
                std::mem::replace(&mut self.breaks, outer)
            }
            ExprKind::While(cond, block) => {
                self.repeated(Some(*cond), None, *block);
                types.unit()
            }
            ExprKind::For(pat, on, block) => {
                let on_ty = self.any(*on);
                let item = self.members.item_of(on_ty).unwrap_or(self.unknown());
                self.repeated(None, Some((*pat, item)), *block);
                types.unit()
            }
            ExprKind::Closure(inputs, output, value, _) => {
                let output = output.as_ref().map(|ty| self.lower(ty));
                self.closure(inputs, output, *value, expected)
            }
            // The value of an expression that leaves a loop is evaluated once, however often the
            // loop repeats.
            ExprKind::Return(value) => {
                let loops = std::mem::replace(&mut self.loops, self.outside);
                self.option(*value, self.output);
                self.loops = loops;
                types.intern(TyKind::Never)
            }
            ExprKind::Break(value) => {
                self.breaks_with(*value);
                types.intern(TyKind::Never)
            }
            ExprKind::Continue => types.intern(TyKind::Never),
            ExprKind::Try(inner) => {
                let ty = self.any(*inner);
                let found = self.first_of(ty, &["Option", "Result"]);
                found.unwrap_or(self.unknown())
            }
            ExprKind::Await(inner) => {
                let ty = self.any(*inner);
                self.output_of(ty)
            }
            ExprKind::Range(a, b) => {
                let a = self.option(*a, self.unknown());
                let b = self.option(*b, a);
                let index = self.join(a, b);
                self.members.iter_of(index).unwrap_or(self.unknown())
            }
            _ => self.unknown(),
        }
    }

    /// Infers the value that a loop is left with; it is evaluated once per run of the loop.
    fn breaks_with(&mut self, value: Option<ExprId>) {
        let loops = self.loops;
        self.loops = loops.saturating_sub(1).max(self.outside);
        let ty = self.option(value, self.unknown());
        self.loops = loops;
        self.breaks = self.join(self.breaks, ty);
    }

    /// Infers what a loop repeats: its condition, the pattern for its item, and its block.
    fn repeated(&mut self, cond: Option<ExprId>, item: Option<(PatId, Ty)>, block: ExprId) {
        let depth = self.scope.len();
        self.loops += 1;
        if let Some(cond) = cond {
            self.any(cond);
        }
        if let Some((pat, ty)) = item {
            self.pat(pat, ty, None);
        }
        self.any(block);
        self.loops -= 1;
        self.scope.truncate(depth);
    }

    /// Returns the output of a future.
    fn output_of(&self, future: Ty) -> Ty {
        match self.db.types.kind(self.peeled(future)) {
            TyKind::Dyn(_, bindings, _) => {
                let mut bindings = bindings.iter();
                let output = bindings.find(|(name, _)| *name == "Output");
                output.map_or(self.unknown(), |(_, ty)| *ty)
            }
            _ => self.unknown(),
        }
    }

    fn arms(&mut self, on: ExprId, on_ty: Ty, arms: &'i [Arm], expected: Ty) -> Ty {
        let depth = self.scope.len();
        let mut values = Vec::with_capacity(arms.len());
        for arm in arms {
            if let Some(cfg) = &arm.cfg
                && self.db.cfg_holds(self.function.krate, cfg) == Ok(false)
            {
                continue;
            }
            self.pat(arm.pat, on_ty, Some(on));
            if let Some(guard) = arm.guard {
                self.any(guard);
            }
            values.push(self.expr(arm.value, expected));
            self.scope.truncate(depth);
        }
        self.branches(&values)
    }

    /// Returns the type of branches. Diverging ones are ignored; if the others differ, it is
    /// unknown, since some may be coerced.
    fn branches(&self, values: &[Ty]) -> Ty {
        let types = &self.db.types;
        let mut all = match values {
            [] => self.unknown(),
            _ => types.intern(TyKind::Never),
        };
        for &ty in values {
            all = match (types.kind(all), types.kind(ty)) {
                (_, TyKind::Never) => all,
                (TyKind::Never, _) => ty,
                _ if may_be(self.db, all, ty) => self.join(all, ty),
                _ => return self.unknown(),
            };
        }
        all
    }

    /// Infers an inner body, in which `return` and `break` do not leave the outer one.
    pub(super) fn isolated(&mut self, output: Ty, read: impl FnOnce(&mut Self) -> Ty) -> Ty {
        let outer = std::mem::replace(&mut self.output, output);
        let outside = std::mem::replace(&mut self.outside, self.loops);
        let breaks = self.breaks;
        let depth = self.scope.len();
        let ty = read(self);
        self.scope.truncate(depth);
        self.breaks = breaks;
        self.outside = outside;
        self.output = outer;
        ty
    }

    /// Returns the type of an `async` block or of a call of an `async fn`.
    pub(super) fn future(&self, output: Ty) -> Ty {
        let binding = (Name::new("Output"), output);
        let kind = TyKind::Dyn(Box::default(), [binding].into(), Box::default());
        self.db.types.intern(kind)
    }
}
