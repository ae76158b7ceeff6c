//! Variables of unknown type that are passed to functions: the declared parameter type says whether
//! such a variable is the value or a reference to it.

use super::{Shape, Work};
use crate::flow::{How, direct};
use crate::infer::body::Typed;
use crate::ir::Type;
use crate::ir::body::{ExprId, ExprKind};
use crate::resolve::ty::TyKind;

impl Work<'_> {
    /// Returns the prefix that a variable, which holds a boxed field or a reference to one, needs as
    /// an argument: none is needed for a reference, which dereferences the box too.
    pub(super) fn passed_as(&self, typed: &Typed, expr: ExprId) -> Option<&'static str> {
        let ExprKind::Path(_) = &typed.node(expr).kind else {
            return None;
        };
        let edge = direct(typed, expr);
        let How::Argument(index) = edge.how else {
            return None;
        };
        let asked = self.signature(typed, edge.by)?.inputs.get(index)?;
        let (inner, prefix) = match asked {
            Type::Ref(inner, false) => (&**inner, ""),
            ty => (ty, "*"),
        };
        let Type::Path(path) = inner else {
            return None;
        };
        let db = self.editor.model.db;
        let boxed = self.changed.iter().filter(|(_, s)| **s == Shape::Boxed);
        let mut types = boxed.filter_map(|(id, _)| self.editor.field_ty(*id));
        let is = types.any(|ty| match db.types.kind(ty) {
            TyKind::Adt(id, _) => path.last_name() == db.item(*id).item.name.as_str(),
            _ => false,
        });
        is.then_some(prefix)
    }
}
