//! The type that a place wants of a value: what a literal without a suffix is there.

use super::{Frame, Step};
use crate::ir::Expr;
use crate::name::Name;
use crate::resolve::consts::Value;
use crate::resolve::ty::{GArg, Prim, Ty, TyKind};
use crate::resolve::types::Env;
use crate::resolve::{Db, ItemId};

impl<'a> Db<'a> {
    /// The value of an expression where this type is wanted, if one is known.
    pub(super) fn step_as(&self, expr: &Expr, want: Option<Ty>, f: &mut Frame) -> Step<Value> {
        f.want = want.map(|ty| self.behind_references(ty));
        self.step_expr(expr, f)
    }

    /// An untyped integer takes the type that is wanted; any other value is what it is.
    pub(super) fn as_wanted(&self, value: Value, want: Option<Ty>) -> Value {
        match (&value, want.and_then(|ty| self.as_integer(ty))) {
            (Value::Int(_, None), Some(prim)) => self.coerce(value, Some(prim)),
            _ => value,
        }
    }

    fn as_integer(&self, ty: Ty) -> Option<Prim> {
        self.as_prim(ty)
            .filter(|p| p.int(self.pointer_bits()).is_some())
    }

    /// The type of an integer whose type is known.
    pub(super) fn type_of(&self, value: &Value) -> Option<Ty> {
        match value {
            Value::Int(_, prim) => prim.map(|p| self.types.prim(p)),
            _ => None,
        }
    }

    /// References are transparent to values, hence to their types.
    fn behind_references(&self, ty: Ty) -> Ty {
        match self.types.kind(ty) {
            TyKind::Ref(to, _) => self.behind_references(*to),
            _ => ty,
        }
    }

    /// What is wanted of an element of an array or slice.
    pub(super) fn wanted_element(&self, want: Option<Ty>) -> Option<Ty> {
        match self.types.kind(want?) {
            TyKind::Array(element, _) | TyKind::Slice(element) => Some(*element),
            _ => None,
        }
    }

    /// What is wanted of a tuple's fields.
    pub(super) fn wanted_fields(&self, want: Option<Ty>) -> &[Ty] {
        match want.map(|ty| self.types.kind(ty)) {
            Some(TyKind::Tuple(list)) => list,
            _ => &[],
        }
    }

    /// The type of a struct's field, of a tuple struct's by its number.
    pub(super) fn field_type(&self, id: ItemId, args: &[GArg], name: Name) -> Option<Ty> {
        let data = self.item(id);
        let crate::ir::ItemKind::Adt(adt) = &data.item.kind else {
            return None;
        };
        let fields = &adt.variants.first()?.fields;
        let field = fields.iter().find(|f| f.name == name)?;
        let params = self.bind(id, args);
        let env = Env {
            module: data.module,
            params: &params,
            self_ty: None,
            item: Some(id),
        };
        Some(self.lower(&field.ty, &env))
    }
}

/// True for an expression to which `as` hands its type down: a literal, with its sign.
pub(super) fn takes_cast(expr: &Expr) -> bool {
    match expr {
        Expr::Lit(_) => true,
        Expr::Unary('-' | '!', inner) => takes_cast(inner),
        _ => false,
    }
}
