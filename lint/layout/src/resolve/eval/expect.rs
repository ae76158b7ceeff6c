//! Expected types: they determine the type of an unsuffixed literal.

use super::{Frame, Step};
use crate::ir::Expr;
use crate::name::Name;
use crate::resolve::consts::Value;
use crate::resolve::floats::Float;
use crate::resolve::ty::{GArg, Prim, Ty, TyKind};
use crate::resolve::types::Env;
use crate::resolve::{Db, ItemId};

impl<'a> Db<'a> {
    /// Evaluates an expression with an expected type, if known.
    pub(super) fn step_as(&self, expr: &Expr, want: Option<Ty>, f: &mut Frame) -> Step<Value> {
        f.want = want.map(|ty| self.behind_references(ty));
        self.step_expr(expr, f)
    }

    /// Gives an untyped integer the expected type; leaves any other value unchanged.
    pub(super) fn as_wanted(&self, value: Value, want: Option<Ty>) -> Value {
        let prim = want.and_then(|ty| self.as_prim(ty));
        match (value, prim) {
            (Value::Float(float), Some(prim)) => Value::Float(float.of_type(prim)),
            (value @ Value::Int(_, None), Some(prim)) if self.is_integer(prim) => {
                self.coerce(value, Some(prim))
            }
            (value, _) => value,
        }
    }

    fn is_integer(&self, prim: Prim) -> bool {
        prim.int(self.pointer_bits()).is_some()
    }

    /// Returns the type of a number, if known.
    pub(super) fn type_of(&self, value: &Value) -> Option<Ty> {
        match value {
            Value::Int(_, prim) => prim.map(|p| self.types.prim(p)),
            Value::Float(Float::Narrow(_)) => Some(self.types.prim(Prim::F32)),
            Value::Float(Float::Wide(_)) => Some(self.types.prim(Prim::F64)),
            _ => None,
        }
    }

    /// Strips references, which are transparent to values.
    pub(super) fn behind_references(&self, ty: Ty) -> Ty {
        match self.types.kind(ty) {
            TyKind::Ref(to, _) => self.behind_references(*to),
            _ => ty,
        }
    }

    /// Returns the expected type of an array or slice element.
    pub(super) fn wanted_element(&self, want: Option<Ty>) -> Option<Ty> {
        match self.types.kind(want?) {
            TyKind::Array(element, _) | TyKind::Slice(element) => Some(*element),
            _ => None,
        }
    }

    /// Returns the expected types of a tuple's fields.
    pub(super) fn wanted_fields(&self, want: Option<Ty>) -> &[Ty] {
        match want.map(|ty| self.types.kind(ty)) {
            Some(TyKind::Tuple(list)) => list,
            _ => &[],
        }
    }

    /// Returns the type of a struct's field by name, or of a tuple struct's by index.
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

/// Returns true if a cast's type is expected of the operand: for a literal, with its sign.
pub(super) fn takes_cast(expr: &Expr) -> bool {
    match expr {
        Expr::Lit(_) => true,
        Expr::Unary('-' | '!', inner) => takes_cast(inner),
        _ => false,
    }
}
