//! Discriminants of enums: explicit ones, and those counted from the nearest explicit one.

use super::consts::Value;
use super::ty::{Const, GArg, Prim};
use super::types::Env;
use super::{Db, ItemId, Res, Unknown};
use crate::ir::{self, ItemKind};

fn not_understood<T>(what: &str) -> Res<T> {
    Err(Unknown::because(format!(
        "{what} is not understood in a constant"
    )))
}

impl Db<'_> {
    /// Returns the discriminant of a variant.
    pub fn discriminant(&self, id: ItemId, index: u32) -> Res<i128> {
        let (value, rests) = self.recording(|| self.count_discriminant(id, index));
        // Later variants count on from it.
        if self.walk.opening.get() == 0
            && let Ok(value) = value
        {
            self.discriminants.keep((id, index), value, &rests);
        }
        value
    }

    fn count_discriminant(&self, id: ItemId, index: u32) -> Res<i128> {
        let data = self.item(id);
        let ItemKind::Adt(adt) = &data.item.kind else {
            return not_understood("a discriminant");
        };
        let krate = self.krate_of(data.module);
        if adt.variants.len() <= index as usize {
            return not_understood("a discriminant");
        }
        // Walks back to the nearest variant whose discriminant is explicit or cached.
        let mut after = 0i128;
        for i in (0..=index).rev() {
            let variant = &adt.variants[i as usize];
            if !self.present(krate, &variant.attrs)? {
                match i == index {
                    true => return not_understood("a discriminant"),
                    false => continue,
                }
            }
            let known = self.discriminants.get(self, &(id, i));
            let value = match (known, &variant.discriminant) {
                (Some(value), _) => value,
                (None, None) => {
                    after += 1;
                    continue;
                }
                (None, Some(expr)) => self.written_discriminant(id, i, expr)?,
            };
            return Ok(value.wrapping_add(after));
        }
        Ok(after - 1)
    }

    /// Evaluates the explicit discriminant of a variant by index.
    fn written_discriminant(&self, id: ItemId, index: u32, expr: &ir::Expr) -> Res<i128> {
        let number = Const::Value(i128::from(index));
        let key = (id, vec![GArg::Const(Box::new(number))]);
        if !self.walk.evaluating.borrow_mut().insert(key.clone()) {
            self.walk.circled.set(true);
            let name = self.item(id).item.name;
            let why = format!("a discriminant of `{name}` depends on itself");
            return Err(Unknown::Invalid(why.into()));
        }
        let value = self.discriminant_value(id, expr);
        self.walk.evaluating.borrow_mut().remove(&key);
        value
    }

    /// Evaluates an explicit discriminant.
    fn discriminant_value(&self, id: ItemId, expr: &ir::Expr) -> Res<i128> {
        let env = Env {
            self_ty: Some(self.identity_ty(id)),
            ..Env::at(self, id)
        };
        let want = self.discriminant_ty(env.self_ty.unwrap_or(self.types.unit()));
        // Like rustc, by its bits.
        if let ir::Expr::Lit(ir::Lit::Int(n, _)) = expr
            && self.as_prim(want) == Some(Prim::U128)
        {
            return Ok(n.get() as i128);
        }
        match self.eval_as(expr, &env, Some(want))? {
            Value::Int(n, _) => Ok(n),
            _ => not_understood("a discriminant that is no integer"),
        }
    }
}
