//! Arguments that a reference to a box becomes by deref coercion, without an edit.

use super::Work;
use super::places::Place;
use crate::infer::types::without_refs;
use crate::ir::Type;
use crate::ir::body::ExprKind;
use crate::resolve::ty::TyKind;
use crate::usage::events::At;

impl Work<'_> {
    /// Returns true for a reference to a box that is passed where the function declares a reference
    /// to the type in it, by name.
    pub(super) fn is_coerced(&self, at: At, place: Place) -> bool {
        let typed = self.typed(at.body);
        let db = self.editor.model.db;
        let mutable = match place {
            Place::Shared => false,
            Place::Lent => true,
            Place::Owned | Place::Guessed => return false,
        };
        let Some(outer) = typed.fact(at.expr).parent else {
            return false;
        };
        let asked = match &typed.node(outer).kind {
            ExprKind::Call(callee, args) if *callee != at.expr => {
                let index = args.iter().position(|a| *a == at.expr);
                self.asked(typed, outer, index)
            }
            ExprKind::Method(on, _, _, args) if *on != at.expr => {
                let index = args.iter().position(|a| *a == at.expr);
                self.asked(typed, outer, index.map(|i| i + 1))
            }
            _ => None,
        };
        let Some(Type::Ref(inner, asks_mutable)) = asked else {
            return false;
        };
        let held = match db.types.kind(without_refs(db, typed.fact(at.expr).ty)) {
            TyKind::Adt(id, _) => db.item(*id).item.name,
            _ => return false,
        };
        let named = matches!(&**inner, Type::Path(path) if path.last_name() == held.as_str());
        // A variable that is `&mut` may be used again, and is not moved by a coercion.
        named && (mutable || !asks_mutable)
    }
}
