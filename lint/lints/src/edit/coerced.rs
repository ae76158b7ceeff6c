//! Arguments that a reference to a box becomes by deref coercion, without an edit.

use super::Work;
use super::places::Place;
use crate::flow::returned_by;
use crate::infer::types::without_refs;
use crate::ir::Type;
use crate::ir::body::{ExprId, ExprKind};
use crate::resolve::ty::TyKind;
use crate::usage::events::At;

impl Work<'_> {
    /// Returns true for a reference to a box that is passed, or returned, where the function declares
    /// a reference to the type in it, by name.
    pub(super) fn is_coerced(&self, at: At, place: Place) -> bool {
        let typed = self.typed(at.body);
        match place {
            Place::Shared => self.asks_contents(at, at.expr, false),
            Place::Lent => self.asks_contents(at, at.expr, true),
            Place::Owned => match typed.fact(at.expr).parent.map(|p| (p, &typed.node(p).kind)) {
                Some((reference, ExprKind::Ref(mutable, _))) => {
                    self.asks_contents(at, reference, *mutable)
                }
                _ => false,
            },
            Place::Guessed => false,
        }
    }

    /// Returns true if a reference to what is in the box is asked for where a reference to the box
    /// is.
    fn asks_contents(&self, at: At, reference: ExprId, mutable: bool) -> bool {
        let typed = self.typed(at.body);
        let db = self.editor.model.db;
        let held = without_refs(db, typed.fact(at.expr).ty);
        let Some(outer) = typed.fact(reference).parent else {
            return false;
        };
        let asked = match &typed.node(outer).kind {
            ExprKind::Call(callee, args) if *callee != reference => {
                let index = args.iter().position(|a| *a == reference);
                self.asked(typed, outer, index)
            }
            ExprKind::Method(on, _, _, args) if *on != reference => {
                let index = args.iter().position(|a| *a == reference);
                self.asked(typed, outer, index.map(|i| i + 1))
            }
            ExprKind::Block(_, Some(tail)) if *tail == reference => {
                let to = match db.types.kind(typed.output) {
                    TyKind::Ref(inner, _) => *inner,
                    _ => return false,
                };
                let is_last = typed.function.body.value == Some(outer);
                return to == held && is_last && returned_by(typed, reference).is_some();
            }
            _ => None,
        };
        let Some(Type::Ref(inner, asks_mutable)) = asked else {
            return false;
        };
        let TyKind::Adt(id, _) = db.types.kind(held) else {
            return false;
        };
        let name = db.item(*id).item.name;
        let named = matches!(&**inner, Type::Path(path) if path.last_name() == name.as_str());
        // A variable that is `&mut` may be used again, and is not moved by a coercion.
        named && (mutable || !asks_mutable)
    }
}
