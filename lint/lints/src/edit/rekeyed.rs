//! Maps and sets of growable keys that a field with frozen keys is set to: each key is converted.

use super::{Buffer, Shape, Work};
use crate::infer::body::{Target, Typed};
use crate::infer::types::{std_parts, types_of};
use crate::ir::body::{ExprId, ExprKind};
use crate::usage::events::At;

impl Work<'_> {
    /// Converts the keys of a map or set; false if its type may depend on the field's type, or
    /// cannot be collected again.
    pub(super) fn rekey(&mut self, at: At, buffer: Buffer) -> bool {
        let typed = self.typed(at.body);
        let db = self.editor.model.db;
        let Some((name, args)) = std_parts(db, typed.fact(at.expr).ty) else {
            return false;
        };
        let is_key = |ty| std_parts(db, ty).is_some_and(|(name, _)| name == buffer.name());
        if !types_of(args).next().is_some_and(is_key) {
            return false;
        }
        let Some(owner) = self.editor.std_path(typed.function.module, buffer.name()) else {
            return false;
        };
        let freeze = buffer.freeze();
        let of_values = match name {
            "HashMap" | "BTreeMap" => true,
            "HashSet" | "BTreeSet" => false,
            _ => return false,
        };
        let convert = |key: &str| match of_values {
            true => format!(".map(|(key, value)| ({key}, value))"),
            false => format!(".map({owner}::{freeze})"),
        };
        if let Some(keys) = listed(typed, at.expr, of_values) {
            for key in keys {
                self.value(at.with(key), Shape::Frozen(buffer));
            }
            return true;
        }
        if let Some(on) = collected(typed, at.expr) {
            // The type of the items may be inferred from the field's.
            self.behind(at.with(on), &convert(&format!("{owner}::{freeze}(key)")));
            return true;
        }
        // A map with another hasher may not be made by `collect`.
        let hasher = types_of(args).nth(if name == "HashMap" { 2 } else { 1 });
        let plain = |ty| std_parts(db, ty).is_some_and(|(name, _)| name == "RandomState");
        let collects = name.starts_with("BTree") || hasher.is_none_or(plain);
        if !collects || !self.is_declared(typed, at.expr) {
            return false;
        }
        let convert = convert(&format!("key.{freeze}()"));
        self.behind(at, &format!(".into_iter(){convert}.collect()"));
        true
    }

    /// Returns true for an expression whose type is declared: a parameter, a field, or the result of
    /// a function without generic parameters, or a variable set to one of these.
    fn is_declared(&self, typed: &Typed, expr: ExprId) -> bool {
        let made = |expr: ExprId| match (&typed.node(expr).kind, typed.fact(expr).target) {
            (ExprKind::Field(..), Some(Target::Field(_))) => true,
            (ExprKind::Call(..) | ExprKind::Method(..), Some(Target::Item(item))) => {
                let body = self.editor.usage.body(item);
                body.is_some_and(|b| b.function.body.signature.generics.params.is_empty())
            }
            _ => false,
        };
        let made = |expr: ExprId| match &typed.node(expr).kind {
            ExprKind::Try(inner) => made(*inner),
            _ => made(expr),
        };
        match (&typed.node(expr).kind, typed.fact(expr).target) {
            (ExprKind::Path(_), Some(Target::Local(local))) => {
                let local = &typed.locals[local as usize];
                local.argument || local.init.is_some_and(made)
            }
            _ => made(expr),
        }
    }
}

/// Returns the keys of a map or set that is made from an array: `HashMap::from([(a, b)])`.
fn listed(typed: &Typed, expr: ExprId, of_values: bool) -> Option<Vec<ExprId>> {
    let ExprKind::Call(callee, args) = &typed.node(expr).kind else {
        return None;
    };
    let ([one], "from") = (&args[..], typed.called(*callee)) else {
        return None;
    };
    let ExprKind::Array(list) = &typed.node(*one).kind else {
        return None;
    };
    let key = |element: &ExprId| match (&typed.node(*element).kind, of_values) {
        (ExprKind::Tuple(parts), true) => parts.first().copied(),
        (_, true) => None,
        (_, false) => Some(*element),
    };
    list.iter().map(key).collect()
}

/// Returns the iterator that `collect()` without a stated type consumes.
fn collected(typed: &Typed, expr: ExprId) -> Option<ExprId> {
    match &typed.node(expr).kind {
        ExprKind::Method(on, name, _, args) => {
            let plain = name.name == "collect" && name.args.is_none() && args.is_empty();
            plain.then_some(*on)
        }
        _ => None,
    }
}
