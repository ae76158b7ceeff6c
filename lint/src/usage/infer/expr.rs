//! Expressions and statements.

use super::Infer;
use crate::ir::Lit;
use crate::ir::body::{Arm, ExprId, ExprKind, Stmt};
use crate::name::Name;
use crate::resolve::ty::{Const, Prim, Ty, TyKind};
use crate::usage::body::Target;

impl<'i> Infer<'i> {
    /// The type of an expression, with what its surroundings expect.
    pub(super) fn expr(&mut self, id: ExprId, expected: Ty) -> Ty {
        let (parent, loops) = (self.at, self.loops);
        let fact = self.fact_mut(id);
        fact.live = true;
        fact.parent = parent;
        fact.loops = loops;
        self.at = Some(id);
        let ty = self.kind(id, expected);
        self.at = parent;
        let ty = self.join(ty, expected);
        self.fact_mut(id).ty = ty;
        ty
    }

    /// The type of an expression of which nothing is expected.
    pub(super) fn any(&mut self, id: ExprId) -> Ty {
        self.expr(id, self.unknown())
    }

    pub(super) fn each(&mut self, list: &[ExprId]) {
        for &id in list {
            self.any(id);
        }
    }

    pub(super) fn option(&mut self, id: Option<ExprId>, expected: Ty) -> Ty {
        id.map_or(self.unknown(), |id| self.expr(id, expected))
    }

    fn kind(&mut self, id: ExprId, expected: Ty) -> Ty {
        let function = self.function;
        let types = &self.db.types;
        match &function.body.expr(id).kind {
            ExprKind::Lit(lit) => self.literal(lit, expected),
            ExprKind::Path(path) => self.path_expr(id, path, expected),
            ExprKind::Qualified(ty, _, rest) => self.qualified(id, ty, rest),
            ExprKind::Call(callee, args) => self.call(id, *callee, args, expected),
            ExprKind::Method(receiver, method, _, args) => {
                self.method_call(id, *receiver, method, args, expected)
            }
            ExprKind::Field(base, name) => self.field(id, *base, *name),
            ExprKind::Index(base, index) => {
                let base = self.any(*base);
                let index = self.any(*index);
                self.index(base, index)
            }
            ExprKind::Deref(inner) => {
                let inner = self.any(*inner);
                self.members.deref(inner).unwrap_or(self.unknown())
            }
            ExprKind::Unary(inner) => self.expr(*inner, expected),
            ExprKind::Binary(op, l, r) => {
                let l = self.any(*l);
                let r = self.any(*r);
                match *op {
                    "==" | "!=" | "<" | "<=" | ">" | ">=" | "&&" | "||" => types.prim(Prim::Bool),
                    _ if self.std_is(l, "String") => l,
                    _ if self.db.as_prim(l).is_some() => l,
                    _ if self.db.as_prim(r).is_some() => r,
                    _ => self.unknown(),
                }
            }
            ExprKind::Assign(place, _, value) => {
                let place = *place;
                let ty = self.any(place);
                let value = self.expr(*value, ty);
                self.learn(place, value);
                types.unit()
            }
            ExprKind::Ref(mutable, inner) => {
                let expected = match types.kind(expected) {
                    TyKind::Ref(ty, _) => *ty,
                    _ => self.unknown(),
                };
                let inner = self.expr(*inner, expected);
                types.intern(TyKind::Ref(inner, *mutable))
            }
            ExprKind::Cast(inner, ty) => {
                self.any(*inner);
                self.lower(ty)
            }
            ExprKind::Tuple(list) => {
                let expected = match types.kind(expected) {
                    TyKind::Tuple(expected) => expected.to_vec(),
                    _ => Vec::new(),
                };
                let list = list.iter().enumerate().map(|(i, &e)| {
                    let expected = expected.get(i).copied();
                    self.expr(e, expected.unwrap_or(self.unknown()))
                });
                let list: Vec<Ty> = list.collect();
                types.intern(TyKind::Tuple(list.into()))
            }
            ExprKind::Array(list) => {
                let element = self.elements(list, expected);
                types.intern(TyKind::Array(element, Const::Value(list.len() as i128)))
            }
            ExprKind::Repeat(value, len) => {
                let element = self.elements(&[*value], expected);
                self.any(*len);
                let len = match &function.body.expr(*len).kind {
                    ExprKind::Lit(Lit::Int(n, _)) => i128::try_from(*n).unwrap_or(0),
                    _ => 0,
                };
                types.intern(TyKind::Array(element, Const::Value(len)))
            }
            ExprKind::Struct(path, fields, base) => {
                self.struct_literal(id, path, fields, *base, expected)
            }
            ExprKind::Block(stmts, tail) => {
                let depth = self.scope.len();
                for stmt in stmts {
                    self.stmt(stmt);
                }
                let ty = match tail {
                    Some(tail) => self.expr(*tail, expected),
                    None => types.unit(),
                };
                self.scope.truncate(depth);
                ty
            }
            ExprKind::Macro(path, args) => self.macro_call(id, path, args, expected),
            ExprKind::Cfg(cfg, inner) => {
                // What an open condition guards is read: it may be there.
                if self.db.cfg_holds(function.krate, cfg) == Ok(false) {
                    return self.unknown();
                }
                self.expr(*inner, expected)
            }
            ExprKind::Other => self.unknown(),
            kind => self.control(kind, expected),
        }
    }

    /// What branches, loops, jumps or waits.
    fn control(&mut self, kind: &'i ExprKind, expected: Ty) -> Ty {
        let types = &self.db.types;
        let depth = self.scope.len();
        match kind {
            ExprKind::Async(block) => {
                let ty = self.isolated(self.unknown(), |s| s.any(*block));
                self.future(ty)
            }
            ExprKind::If(cond, then, otherwise) => {
                self.any(*cond);
                let ty = self.expr(*then, expected);
                self.scope.truncate(depth);
                match otherwise {
                    Some(otherwise) => {
                        let other = self.expr(*otherwise, expected);
                        self.branches(ty, other)
                    }
                    None => types.unit(),
                }
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
                self.loops += 1;
                self.any(*block);
                self.loops -= 1;
                std::mem::replace(&mut self.breaks, outer)
            }
            ExprKind::While(cond, block) => {
                self.loops += 1;
                self.any(*cond);
                self.any(*block);
                self.loops -= 1;
                self.scope.truncate(depth);
                types.unit()
            }
            ExprKind::For(pat, on, block) => {
                let on_ty = self.any(*on);
                let item = self.members.item_of(on_ty).unwrap_or(self.unknown());
                self.loops += 1;
                self.pat(*pat, item, None);
                self.any(*block);
                self.loops -= 1;
                self.scope.truncate(depth);
                types.unit()
            }
            ExprKind::Closure(inputs, output, value, _) => {
                let output = output.as_ref().map(|ty| self.lower(ty));
                self.closure(inputs, output, *value, expected)
            }
            // What leaves a loop is made once, however often it turned.
            ExprKind::Return(value) => {
                let loops = std::mem::replace(&mut self.loops, self.outside);
                self.option(*value, self.output);
                self.loops = loops;
                types.intern(TyKind::Never)
            }
            ExprKind::Break(value) => {
                let loops = self.loops;
                self.loops = loops.saturating_sub(1).max(self.outside);
                let ty = self.option(*value, self.unknown());
                self.loops = loops;
                self.breaks = self.join(self.breaks, ty);
                types.intern(TyKind::Never)
            }
            ExprKind::Continue => types.intern(TyKind::Never),
            ExprKind::Try(inner) => {
                let ty = self.any(*inner);
                let found = self.first_of(ty, "Option");
                found
                    .or_else(|| self.first_of(ty, "Result"))
                    .unwrap_or(self.unknown())
            }
            ExprKind::Await(inner) => {
                let ty = self.any(*inner);
                match types.kind(self.peeled(ty)) {
                    TyKind::Dyn(_, bindings) => {
                        let mut bindings = bindings.iter();
                        let output = bindings.find(|(name, _)| *name == "Output");
                        output.map_or(self.unknown(), |(_, ty)| *ty)
                    }
                    _ => self.unknown(),
                }
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

    fn arms(&mut self, on: ExprId, on_ty: Ty, arms: &'i [Arm], expected: Ty) -> Ty {
        let depth = self.scope.len();
        let mut ty = self.unknown();
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
            let value = self.expr(arm.value, expected);
            ty = self.branches(ty, value);
            self.scope.truncate(depth);
        }
        ty
    }

    /// The type of two branches: one that jumps away has none.
    fn branches(&self, a: Ty, b: Ty) -> Ty {
        match self.db.types.kind(a) {
            TyKind::Never => b,
            _ => self.join(a, b),
        }
    }

    /// Reads what has a `return` and loops of its own.
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

    /// What an `async` block or function gives: something to wait for.
    pub(super) fn future(&self, output: Ty) -> Ty {
        let binding = (Name::new("Output"), output);
        let kind = TyKind::Dyn(Box::default(), [binding].into());
        self.db.types.intern(kind)
    }

    fn stmt(&mut self, stmt: &'i Stmt) {
        match stmt {
            Stmt::Expr(e) => {
                self.any(*e);
            }
            Stmt::Let {
                cfg,
                pat,
                ty,
                init,
                otherwise,
            } => {
                if let Some(cfg) = cfg
                    && self.db.cfg_holds(self.function.krate, cfg) == Ok(false)
                {
                    return;
                }
                let declared = ty.as_ref().map_or(self.unknown(), |ty| self.lower(ty));
                let found = self.option(*init, declared);
                let ty = self.join(declared, found);
                if let Some(otherwise) = otherwise {
                    self.any(*otherwise);
                }
                self.pat(*pat, ty, *init);
            }
        }
    }

    fn literal(&self, lit: &Lit, expected: Ty) -> Ty {
        let types = &self.db.types;
        let number = |suffix: Option<Prim>, default| {
            let known = self.db.as_prim(expected);
            types.prim(suffix.or(known).unwrap_or(default))
        };
        match lit {
            Lit::Int(_, suffix) => {
                let suffix = suffix.and_then(|s| Prim::named(s.as_str()));
                match suffix.or(self.db.as_prim(expected)) {
                    Some(prim) => types.prim(prim),
                    // Which integer it is depends on what comes later.
                    None => self.unknown(),
                }
            }
            Lit::Float(_) => number(None, Prim::F64),
            Lit::Bool(_) => types.prim(Prim::Bool),
            Lit::Char(_) => types.prim(Prim::Char),
            Lit::Str(_) => types.intern(TyKind::Ref(types.prim(Prim::Str), false)),
            Lit::Bytes(bytes) => {
                let len = Const::Value(bytes.len() as i128);
                let array = types.intern(TyKind::Array(types.prim(Prim::U8), len));
                types.intern(TyKind::Ref(array, false))
            }
        }
    }

    pub(super) fn elements(&mut self, list: &[ExprId], expected: Ty) -> Ty {
        let mut element = match self.db.types.kind(expected) {
            TyKind::Array(ty, _) | TyKind::Slice(ty) => *ty,
            _ => self.first_of(expected, "Vec").unwrap_or(self.unknown()),
        };
        for &e in list {
            let found = self.expr(e, element);
            element = self.join(element, found);
        }
        element
    }

    fn index(&self, base: Ty, index: Ty) -> Ty {
        let db = self.db;
        let range = match db.types.kind(index) {
            TyKind::Adt(..) => self.members.item_of(index).is_some(),
            _ => false,
        };
        let mut ty = base;
        for _ in 0..8 {
            match db.types.kind(ty) {
                TyKind::Array(element, _) | TyKind::Slice(element) if range => {
                    return db.types.intern(TyKind::Slice(*element));
                }
                TyKind::Array(element, _) | TyKind::Slice(element) => return *element,
                TyKind::Prim(Prim::Str) => return ty,
                TyKind::Adt(id, args) => {
                    let value = match self.members.std_name(*id) {
                        Some("HashMap" | "BTreeMap") => args.get(1),
                        Some("VecDeque") => args.first(),
                        _ => None,
                    };
                    if let Some(crate::resolve::ty::GArg::Ty(value)) = value {
                        return *value;
                    }
                }
                _ => {}
            }
            match self.members.deref(ty) {
                Some(inner) => ty = inner,
                None => break,
            }
        }
        self.unknown()
    }

    /// What a place turns out to hold teaches the type of the variable that it is.
    pub(super) fn learn(&mut self, place: ExprId, ty: Ty) {
        if let Some(Target::Local(local)) = self.fact_mut(place).target {
            let known = self.locals[local as usize].ty;
            self.locals[local as usize].ty = self.join(known, ty);
        }
    }
}
