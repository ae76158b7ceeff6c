//! How a use holds the value of a changed field, and how a pattern binds it.

use super::Editor;
use crate::flow::subpatterns;
use crate::infer::body::Typed;
use crate::infer::types::is_open;
use crate::ir::body::{PatId, PatKind};
use crate::resolve::ty::TyKind;

/// The type of an expression, where `T` is the field's old type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// `T`: the field itself, or a variable that it was moved to.
    Owned,
    /// `&T`.
    Shared,
    /// `&mut T`.
    Lent,
    /// Unknown: one of these, or a field of another type.
    Guessed,
}

impl Place {
    /// Returns the dereferences that lead to the contents of a box.
    pub(super) fn stars(self) -> &'static str {
        match self {
            Place::Owned | Place::Guessed => "*",
            Place::Shared | Place::Lent => "**",
        }
    }
}

impl Editor<'_> {
    /// Returns the parent of a pattern.
    pub(super) fn outer(&self, body: usize, pat: PatId) -> Option<PatId> {
        let typed = &self.usage.bodies[body];
        let outer = self.outer[body].get_or_init(|| {
            let mut outer = vec![None; typed.function.body.pat_count()];
            for (id, node) in typed.function.body.pats() {
                for part in subpatterns(&node.kind) {
                    outer[part.index()] = Some(id);
                }
            }
            outer
        });
        outer[pat.index()]
    }

    /// Returns how an identifier pattern binds its value.
    pub(super) fn binds(&self, body: usize, pat: PatId) -> Place {
        let typed = &self.usage.bodies[body];
        let db = self.model.db;
        if let PatKind::Bind {
            by_ref: true,
            mutable,
            ..
        } = &typed.function.body.pat(pat).kind
        {
            return if *mutable { Place::Lent } else { Place::Shared };
        }
        let mut around = std::iter::successors(Some(pat), |p| self.outer(body, *p));
        if around.any(|p| is_open(db, typed.pat(p).ty)) {
            return Place::Guessed;
        }
        match db.types.kind(typed.pat(pat).ty) {
            TyKind::Ref(_, true) => Place::Lent,
            TyKind::Ref(_, false) => Place::Shared,
            _ => Place::Owned,
        }
    }

    /// Returns true for a part of an or-pattern.
    pub(super) fn is_alternative(&self, body: usize, pat: PatId) -> bool {
        let node = |p: PatId| &self.usage.bodies[body].function.body.pat(p).kind;
        let mut around = std::iter::successors(self.outer(body, pat), |p| self.outer(body, *p));
        around.any(|p| matches!(node(p), PatKind::Or(_)))
    }
}

/// Returns the variable that an identifier pattern binds.
pub(super) fn variable(typed: &Typed, pat: PatId) -> Option<u32> {
    match &typed.function.body.pat(pat).kind {
        PatKind::Bind { sub: None, .. } => typed.pat(pat).local,
        _ => None,
    }
}
