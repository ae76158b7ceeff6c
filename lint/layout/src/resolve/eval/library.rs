//! What constants use of the standard library beyond integers: `Option`, `NonZero`, characters, C
//! strings.

use super::number;
use crate::name::Name;
use crate::resolve::Db;
use crate::resolve::consts::{Callable, Value};
use crate::resolve::ty::{Const, GArg, Prim, Ty, TyKind};

impl Db<'_> {
    /// Returns `Some(value)` or `None` as a value of a constant.
    pub(in crate::resolve) fn option(&self, value: Option<Value>) -> Option<Value> {
        // As declared.
        let id = self.std_trait(["crate", "option", "Option"])?;
        Some(match value {
            Some(value) => Value::Variant(id, 1, [value].into()),
            None => Value::Variant(id, 0, Box::default()),
        })
    }

    /// Returns the integer that a `NonZero` holds.
    fn non_zero(&self, ty: Ty) -> Option<Prim> {
        let TyKind::Adt(id, args) = self.types.kind(ty) else {
            return None;
        };
        match &args[..] {
            [GArg::Ty(of)] if self.is_of_std(*id) && self.item(*id).item.name == "NonZero" => {
                self.as_prim(*of)
            }
            _ => None,
        }
    }

    /// Returns `NonZero::MIN` and `NonZero::MAX`, as an integer.
    pub(in crate::resolve) fn limit_of_non_zero(&self, ty: Ty, name: Name) -> Option<Callable> {
        let prim = self.non_zero(ty)?;
        let (bits, signed) = prim.int(self.pointer_bits())?;
        let most = match (signed, bits) {
            (_, 128) => return None,
            (true, _) => (1i128 << (bits - 1)) - 1,
            (false, _) => (1i128 << bits) - 1,
        };
        let n = match (name.as_str(), signed) {
            ("MIN", false) => 1,
            ("MIN", true) => -most - 1,
            ("MAX", _) => most,
            _ => return None,
        };
        Some(Callable::Param(Box::new(Const::Value(n)), Some(prim)))
    }

    /// Evaluates `NonZero::new(n)`.
    pub(super) fn new_non_zero(&self, ty: Ty, name: Name, value: &Value) -> Option<Value> {
        let prim = self.non_zero(ty)?;
        let value = self.coerce(value.clone(), Some(prim));
        let n = number(&value)?;
        match name.as_str() {
            "new" => self.option((n != 0).then_some(value)),
            "new_unchecked" => Some(value),
            _ => None,
        }
    }

    /// Returns true for a type whose functions are evaluated here.
    pub(super) fn is_non_zero(&self, ty: Ty) -> bool {
        self.non_zero(ty).is_some()
    }

    /// Evaluates a method of an `Option` or `Result` of std.
    pub(in crate::resolve) fn option_method(&self, name: &str, receiver: &Value) -> Option<Value> {
        let Value::Variant(id, i, fields) = receiver else {
            return None;
        };
        let item = self.item(*id).item;
        if !self.is_of_std(*id) {
            return None;
        }
        let crate::ir::ItemKind::Adt(adt) = &item.kind else {
            return None;
        };
        let variant = adt.variants.get(*i as usize)?.name;
        let full = variant == "Some" || variant == "Ok";
        let option = item.name == "Option";
        let result = item.name == "Result";
        match (name, &fields[..]) {
            ("unwrap" | "expect", [value]) if full && (option || result) => Some(value.clone()),
            ("is_some", _) if option => Some(Value::Bool(full)),
            ("is_none", _) if option => Some(Value::Bool(!full)),
            ("is_ok", _) if result => Some(Value::Bool(full)),
            ("is_err", _) if result => Some(Value::Bool(!full)),
            _ => None,
        }
    }

    /// Evaluates a method of a character, or one that only C strings have.
    pub(in crate::resolve) fn text_method(&self, name: &str, receiver: &Value) -> Option<Value> {
        let size = |n: usize| Some(Value::int(n as u64, Prim::Usize));
        match (name, receiver) {
            ("len_utf8", Value::Char(c)) => size(c.len_utf8()),
            ("len_utf16", Value::Char(c)) => size(c.len_utf16()),
            ("is_ascii", Value::Char(c)) => Some(Value::Bool(c.is_ascii())),
            ("count_bytes", Value::Array(list)) => size(list.len().checked_sub(1)?),
            ("to_bytes", Value::Array(list)) => {
                let (_, bytes) = list.split_last()?;
                Some(Value::Array(bytes.to_vec().into()))
            }
            ("to_bytes_with_nul", Value::Array(_)) => Some(receiver.clone()),
            _ => None,
        }
    }
}
