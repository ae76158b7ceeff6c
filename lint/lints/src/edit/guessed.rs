//! Accesses to a field on a receiver of unknown type, where the code around shows that the field
//! belongs to another type, or accepts both types.

use super::uses::Around;
use super::{Buffer, Shape, Work};
use crate::infer::body::Typed;
use crate::ir::Lit;
use crate::ir::body::{ExprId, ExprKind, MacroArgs};

/// Boxed slices can be iterated over since this minor release.
const BOXES_ITERATE: u32 = 80;

impl Work<'_> {
    /// Returns true if the code around requires a number or a truth value.
    pub(super) fn is_of_another_type(&self, typed: &Typed, expr: ExprId, shape: Shape) -> bool {
        // The others may be numbers, or are not known here.
        let is_collection = matches!(
            shape,
            Shape::Frozen(_) | Shape::FrozenInside(_) | Shape::BoxedInside | Shape::Keys(_)
        );
        let Some(outer) = typed.fact(expr).parent.filter(|_| is_collection) else {
            return false;
        };
        let plain = |other: ExprId| {
            let kind = &typed.node(other).kind;
            matches!(
                kind,
                ExprKind::Lit(Lit::Int(..) | Lit::Float(_) | Lit::Bool(_))
            )
        };
        match &typed.node(outer).kind {
            ExprKind::Unary(_) | ExprKind::Cast(..) | ExprKind::Binary("&&" | "||", ..) => true,
            ExprKind::If(cond, ..) | ExprKind::While(cond, _) => *cond == expr,
            ExprKind::Match(_, arms) => arms.iter().any(|arm| arm.guard == Some(expr)),
            ExprKind::Binary(_, l, r) => plain(if *l == expr { *r } else { *l }),
            ExprKind::Assign(to, _, value) => *to == expr && plain(*value),
            ExprKind::Macro(path, MacroArgs::Exprs(list)) => match (path.last_name(), &list[..]) {
                ("assert" | "debug_assert", [first, ..]) => *first == expr,
                ("assert_eq" | "assert_ne" | "debug_assert_eq" | "debug_assert_ne", [l, r, ..]) => {
                    *l == expr && plain(*r) || *r == expr && plain(*l)
                }
                _ => false,
            },
            _ => false,
        }
    }

    /// Returns true for a list that is iterated over, itself or by a shared reference, in a package
    /// whose oldest compiler iterates over boxed slices.
    pub(super) fn is_iterated(&self, typed: &Typed, expr: ExprId, buffer: Buffer) -> bool {
        let whole = match self.around(typed, expr) {
            Around::Other(outer, ExprKind::Ref(false, _)) => outer,
            _ => expr,
        };
        match self.around(typed, whole) {
            Around::Other(_, ExprKind::For(_, on, _)) => {
                *on == whole && buffer == Buffer::Vec && self.boxes_iterate(typed.function.krate)
            }
            _ => false,
        }
    }

    /// Returns true if `into_iter` of a boxed slice gives its elements: from edition 2024 on.
    pub(super) fn boxes_are_iterators(&self, krate: crate::resolve::CrateIx) -> bool {
        let db = self.editor.model.db;
        let id = db.krate(krate).id;
        id.is_some_and(|k| db.project.krate(k).edition >= 2024)
    }

    /// Returns true if every supported compiler of a crate iterates over boxed slices.
    pub(super) fn boxes_iterate(&self, krate: crate::resolve::CrateIx) -> bool {
        let db = self.editor.model.db;
        let id = db.krate(krate).id;
        let supported = id.is_some_and(|k| !db.project.krate(k).supports_before(BOXES_ITERATE));
        supported && db.project.target.minor >= BOXES_ITERATE
    }
}
