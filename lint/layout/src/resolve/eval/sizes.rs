//! `size_of_val` and `align_of_val` in constants: the type of the value is found first.

use super::{Frame, Step, give_up};
use crate::ir::{Expr, ItemKind, Lit};
use crate::resolve::consts::{Callable, Value};
use crate::resolve::ty::{Const, Prim, Ty, TyKind};
use crate::resolve::types::Env;
use crate::resolve::{Db, ItemId};

const NOT_UNDERSTOOD: &str = "the size of a value is not understood in a constant";

impl Db<'_> {
    /// Evaluates `size_of_val(&value)` or `align_of_val`; `None` for any other function.
    pub(super) fn size_of_value(
        &self,
        id: ItemId,
        args: &[Expr],
        f: &mut Frame,
    ) -> Option<Step<Value>> {
        let data = self.item(id);
        let is_size = match data.item.name.as_str() {
            "size_of_val" => true,
            "align_of_val" => false,
            _ => return None,
        };
        let ([arg], true) = (args, self.is_of_std(id)) else {
            return None;
        };
        Some(self.extent_of_value(arg, is_size, f))
    }

    fn extent_of_value(&self, arg: &Expr, is_size: bool, f: &mut Frame) -> Step<Value> {
        let Some(ty) = self.type_behind(arg, f)? else {
            return give_up(NOT_UNDERSTOOD);
        };
        let element = match self.types.kind(ty) {
            TyKind::Slice(element) => Some(*element),
            TyKind::Prim(Prim::Str) => Some(self.types.prim(Prim::U8)),
            _ => None,
        };
        let Some(size_of) = self.size_of.get() else {
            return give_up(NOT_UNDERSTOOD);
        };
        let (size, align) = size_of(self, element.unwrap_or(ty))?;
        let length = match element {
            Some(_) if is_size => match self.step_expr(arg, f)? {
                Value::Array(list) => list.len() as u64,
                Value::Str(text) => text.len() as u64,
                _ => return give_up(NOT_UNDERSTOOD),
            },
            _ => 1,
        };
        let Some(size) = size.checked_mul(length) else {
            return give_up(NOT_UNDERSTOOD);
        };
        Ok(Value::int(if is_size { size } else { align }, Prim::Usize))
    }

    /// Returns the type that an argument refers to.
    fn type_behind(&self, arg: &Expr, f: &mut Frame) -> Step<Option<Ty>> {
        Ok(match arg {
            Expr::Lit(Lit::Str(_)) => Some(self.types.prim(Prim::Str)),
            Expr::Ref(of) if is_plain(of) => {
                let value = self.step_expr(of, f)?;
                self.type_of_whole(&value)
            }
            Expr::Ref(of) => self.declared(of, f)?,
            _ => self
                .declared(arg, f)?
                .and_then(|ty| match self.types.kind(ty) {
                    TyKind::Ref(to, _) => Some(*to),
                    _ => None,
                }),
        })
    }

    /// Returns the declared type of a constant or static.
    fn declared(&self, expr: &Expr, f: &Frame) -> Step<Option<Ty>> {
        let Expr::Path(path) = expr else {
            return Ok(None);
        };
        let is_local = |name| f.locals.iter().any(|(local, _)| *local == name);
        if path.segments.len() == 1 && is_local(path.segments[0].name) {
            return Ok(None);
        }
        let Callable::Item(id, around) = self.value_path(path, &f.env)? else {
            return Ok(None);
        };
        let data = self.item(id);
        let ty = match &data.item.kind {
            ItemKind::Const(constant) => &constant.ty,
            ItemKind::Static(ty, _) => &**ty,
            _ => return Ok(None),
        };
        let env = Env {
            module: data.module,
            params: &around.params,
            self_ty: around.self_ty,
            item: Some(id),
        };
        Ok(Some(self.lower(ty, &env)))
    }

    /// Returns the type of a value of a plain expression, if each part has one.
    fn type_of_whole(&self, value: &Value) -> Option<Ty> {
        match value {
            Value::Int(..) | Value::Float(_) => self.type_of(value),
            Value::Bool(_) => Some(self.types.prim(Prim::Bool)),
            Value::Char(_) => Some(self.types.prim(Prim::Char)),
            Value::Array(list) => {
                let element = self.type_of_whole(list.first()?)?;
                let length = Const::Value(list.len() as i128);
                Some(self.types.intern(TyKind::Array(element, length)))
            }
            _ => None,
        }
    }
}

/// Returns true for an expression of numbers and arrays of such: values do not show references.
fn is_plain(expr: &Expr) -> bool {
    match expr {
        Expr::Lit(lit) => !matches!(lit, Lit::Str(_) | Lit::Bytes(_)),
        Expr::Cast(..) => true,
        Expr::Unary('-', of) | Expr::Repeat(of, _) => is_plain(of),
        Expr::Array(list) => list.iter().all(is_plain),
        _ => false,
    }
}
