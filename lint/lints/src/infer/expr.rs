//! Infers expressions and statements.

use super::Infer;
use crate::infer::body::Target;
use crate::infer::types::std_parts;
use crate::ir::Lit;
use crate::ir::body::{ExprId, ExprKind, Stmt};
use crate::resolve::Unknown;
use crate::resolve::consts::Value;
use crate::resolve::ty::{Const, GArg, Prim, Ty, TyKind};

impl<'i> Infer<'i> {
    /// Infers an expression, given the expected type.
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

    /// Infers an expression without an expected type.
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

    /// Returns the length of `[value; len]`: of a literal, constant or const parameter, or as
    /// expected.
    fn length(&self, len: ExprId, expected: Ty) -> Const {
        let env = self.env();
        let len = match &self.function.body.expr(len).kind {
            ExprKind::Lit(Lit::Int(n, _)) => i128::try_from(n.get()).ok().map(Const::Value),
            ExprKind::Path(path) => {
                let param = match &path.segments[..] {
                    [one] if !path.global => env.param(one.name),
                    _ => None,
                };
                match param {
                    Some(GArg::Const(param)) => Some(Const::clone(param)),
                    _ => match self.db.eval_path(path, &env) {
                        Ok(Value::Int(n, _)) => Some(Const::Value(n)),
                        _ => None,
                    },
                }
            }
            _ => None,
        };
        len.unwrap_or_else(|| match self.db.types.kind(expected) {
            TyKind::Array(_, len) => len.clone(),
            _ => Const::Unknown(Unknown::because("not inferred")),
        })
    }

    /// Infers an expression by its kind.
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
            ExprKind::Unary(inner) => self.unary(*inner, expected),
            ExprKind::Binary(op, l, r) => {
                let (left, right) = (self.any(*l), self.any(*r));
                self.operation(op, (*l, left), (*r, right))
            }
            ExprKind::Assign(place, _, value) => {
                let ty = self.any(*place);
                let value = self.expr(*value, ty);
                self.learn(*place, value);
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
            ExprKind::Tuple(list) => self.tuple(list, expected),
            ExprKind::Array(list) => {
                let element = self.elements(list, expected);
                types.intern(TyKind::Array(element, Const::Value(list.len() as i128)))
            }
            ExprKind::Repeat(value, len) => {
                let element = self.elements(&[*value], expected);
                self.any(*len);
                let len = self.length(*len, expected);
                types.intern(TyKind::Array(element, len))
            }
            ExprKind::Struct(path, fields, base) => {
                self.struct_literal(id, path, fields, *base, expected)
            }
            ExprKind::Block(stmts, tail) => self.block(stmts, *tail, expected),
            ExprKind::Macro(path, args) => self.macro_call(id, path, args, expected),
            ExprKind::Cfg(cfg, inner) => {
                // Code under an undecided condition is visited, since it may exist.
                if self.db.cfg_holds(function.krate, cfg) == Ok(false) {
                    return self.unknown();
                }
                self.expr(*inner, expected)
            }
            ExprKind::Other => self.unknown(),
            kind => self.control(kind, expected),
        }
    }

    fn unary(&mut self, inner: ExprId, expected: Ty) -> Ty {
        // The operator on a user-defined type may return another type.
        let ty = match self.is_number(inner) {
            true => self.expr(inner, expected),
            false => self.any(inner),
        };
        let prim = self.db.as_prim(self.peeled(ty));
        prim.map_or(self.unknown(), |p| self.db.types.prim(p))
    }

    fn tuple(&mut self, list: &'i [ExprId], expected: Ty) -> Ty {
        let types = &self.db.types;
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

    fn block(&mut self, stmts: &'i [Stmt], tail: Option<ExprId>, expected: Ty) -> Ty {
        let (depth, loops) = (self.scope.len(), self.loops);
        self.loops = self.loops_of(stmts, tail);
        for stmt in stmts {
            self.stmt(stmt);
        }
        let ty = match tail {
            Some(tail) => self.expr(tail, expected),
            None => self.db.types.unit(),
        };
        self.scope.truncate(depth);
        self.loops = loops;
        ty
    }

    /// Returns the number of loops that repeat a block: what ends by leaving a loop does so once.
    fn loops_of(&self, stmts: &[Stmt], tail: Option<ExprId>) -> u16 {
        let last = tail.or_else(|| match stmts.last() {
            Some(Stmt::Expr(id)) => Some(*id),
            _ => None,
        });
        match last.map(|id| &self.function.body.expr(id).kind) {
            Some(ExprKind::Return(_)) => self.outside,
            Some(ExprKind::Break(_)) => self.loops.saturating_sub(1).max(self.outside),
            _ => self.loops,
        }
    }

    /// Returns the type of a binary operation; a literal without a suffix has the type of the other
    /// operand.
    fn operation(&self, op: &str, (l, left): (ExprId, Ty), (r, right): (ExprId, Ty)) -> Ty {
        let types = &self.db.types;
        let shift = matches!(op, "<<" | ">>");
        let prim = |ty| self.db.as_prim(self.peeled(ty));
        match (prim(left), prim(right)) {
            _ if matches!(op, "==" | "!=" | "<" | "<=" | ">" | ">=" | "&&" | "||") => {
                types.prim(Prim::Bool)
            }
            _ if self.std_is(left, "String") => left,
            (Some(p), Some(_)) => types.prim(p),
            (Some(p), None) if self.is_number(r) => types.prim(p),
            (None, Some(p)) if self.is_number(l) && !shift => types.prim(p),
            _ if self.is_unknown(left) || self.is_unknown(right) => self.unknown(),
            _ => {
                let found = self.members.operation(op, left, right);
                found.unwrap_or(self.unknown())
            }
        }
    }

    /// Returns true for a numeric expression whose type depends on its context alone.
    fn is_number(&self, id: ExprId) -> bool {
        match &self.function.body.expr(id).kind {
            ExprKind::Lit(lit) => matches!(lit, Lit::Int(..) | Lit::Float(_)),
            ExprKind::Unary(inner) => self.is_number(*inner),
            ExprKind::Binary(_, l, r) => self.is_number(*l) && self.is_number(*r),
            _ => false,
        }
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
        match lit {
            Lit::Int(_, suffix) => {
                let suffix = suffix.and_then(|s| Prim::named(s.as_str()));
                match suffix.or(self.db.as_prim(expected)) {
                    Some(prim) => types.prim(prim),
                    // Later uses determine which integer it is.
                    None => self.unknown(),
                }
            }
            Lit::Float(text) => {
                let mut floats = [Prim::F16, Prim::F32, Prim::F128].into_iter();
                let expected = self.db.as_prim(expected);
                let is = |p: &Prim| text.as_str().ends_with(p.name()) || expected == Some(*p);
                types.prim(floats.find(is).unwrap_or(Prim::F64))
            }
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
            _ => self.first_of(expected, &["Vec"]).unwrap_or(self.unknown()),
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
                _ => match std_parts(db, ty) {
                    Some(("HashMap" | "BTreeMap", [_, GArg::Ty(value), ..]))
                    | Some(("VecDeque", [GArg::Ty(value), ..])) => return *value,
                    _ => {}
                },
            }
            match self.members.deref(ty) {
                Some(inner) => ty = inner,
                None => break,
            }
        }
        self.unknown()
    }

    /// Refines the type of a variable from a value in it.
    pub(super) fn learn(&mut self, place: ExprId, ty: Ty) {
        if let Some(Target::Local(local)) = self.fact_mut(place).target {
            let known = self.locals[local as usize].ty;
            self.locals[local as usize].ty = self.join(known, ty);
        }
    }
}
