//! Comparisons of changed fields.

use super::places::Place;
use super::{Shape, Work};
use crate::flow::compares;
use crate::infer::body::{Target, Typed};
use crate::infer::types::std_name;
use crate::ir::Lit;
use crate::ir::body::{ExprId, ExprKind, MacroArgs};
use crate::lower::is_format;
use crate::resolve::ty::{Prim, TyKind};
use crate::usage::events::At;

impl Work<'_> {
    /// Returns true if a method's argument is a reference to another field with the same change.
    pub(super) fn is_paired(&self, typed: &Typed, on: ExprId, call: ExprId) -> bool {
        let ExprKind::Method(_, _, _, args) = &typed.node(call).kind else {
            return false;
        };
        let [other] = args[..] else { return false };
        match typed.node(other).kind {
            ExprKind::Ref(false, other) => self.are_alike(typed, on, other),
            _ => false,
        }
    }

    /// Returns true if both expressions are fields with the same change.
    pub(super) fn are_alike(&self, typed: &Typed, a: ExprId, b: ExprId) -> bool {
        let shape = |e: ExprId| match typed.fact(e).target {
            Some(Target::Field(field)) => self.changed.get(&field),
            _ => None,
        };
        shape(a).is_some() && shape(a) == shape(b)
    }

    /// Edits a comparison of an `Option` with a field with the same change, or with a newly built
    /// value.
    pub(super) fn compared_option(&mut self, at: At, other: ExprId, place: Place, shape: Shape) {
        let typed = self.typed(at.body);
        if self.are_alike(typed, at.expr, other) {
            return;
        }
        let ctor = typed.std_variant(self.editor.model.db, other);
        match (ctor, place) {
            (Some(_), Place::Owned) => self.value(at.with(other), shape),
            _ => self.leave(typed.node(at.expr).span, "compares it"),
        }
    }

    /// Edits a comparison of a buffer that became a boxed slice.
    pub(super) fn compared(&mut self, at: At, other: ExprId, place: Place) {
        let typed = self.typed(at.body);
        if self.are_alike(typed, at.expr, other) {
            return;
        }
        let db = self.editor.model.db;
        let span = typed.node(at.expr).span;
        let (mut of, mut refs) = (typed.fact(other).ty, 0);
        while let TyKind::Ref(inner, _) = db.types.kind(of) {
            (of, refs) = (*inner, refs + 1);
        }
        let refs = match (&typed.node(other).kind, db.types.kind(of)) {
            (ExprKind::Lit(Lit::Str(_)), _) => Some(1),
            _ if refs > 0 => Some(refs),
            (_, TyKind::Array(..) | TyKind::Slice(_) | TyKind::Prim(Prim::Str)) => Some(0),
            (_, TyKind::Adt(id, _)) => {
                let name = std_name(db, *id);
                matches!(name, Some("Vec" | "String" | "PathBuf" | "OsString")).then_some(0)
            }
            _ => None,
        };
        let stars = match place {
            Place::Owned => Some("*"),
            Place::Shared => Some("**"),
            Place::Lent | Place::Guessed => None,
        };
        match (refs, stars) {
            // Both sides are compared behind as many references.
            (Some(refs), Some(stars)) if refs > 0 || place == Place::Owned => {
                self.before(at, &format!("{}{stars}", "&".repeat(refs)));
            }
            _ => self.leave(span, "compares it"),
        }
    }
}

/// Returns true for a macro of std that compares two values, or one that looks like it.
pub(super) fn is_assertion(name: &str) -> bool {
    is_format(name) && compares(name)
}

/// Returns the other operand of a comparison, by operator or macro, that contains an expression.
pub(super) fn compared_with(typed: &Typed, outer: ExprId, expr: ExprId) -> Option<ExprId> {
    let (l, r) = match &typed.node(outer).kind {
        ExprKind::Binary("==" | "!=", l, r) => (*l, *r),
        ExprKind::Macro(path, MacroArgs::Exprs(args)) if is_assertion(path.last_name()) => {
            match args[..] {
                [l, r, ..] => (l, r),
                _ => return None,
            }
        }
        _ => return None,
    };
    match (l == expr, r == expr) {
        (true, _) => Some(r),
        (_, true) => Some(l),
        _ => None,
    }
}
