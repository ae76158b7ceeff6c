//! Arguments, stored fields and returned values that a reference to a box becomes by deref coercion,
//! without an edit.

use super::Work;
use super::places::Place;
use crate::flow::{How, direct, returned_by, stored_in};
use crate::infer::body::Target;
use crate::infer::types::{std_first, std_name, without_refs};
use crate::ir::Type;
use crate::ir::body::{ExprId, ExprKind};
use crate::resolve::ty::TyKind;
use crate::usage::events::{At, variant_of};

impl Work<'_> {
    /// Returns true for a reference to a box that is passed, stored or returned, also from a branch,
    /// where a reference to the type in it is declared, by name.
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
        let edge = direct(typed, reference);
        if let (How::Stored, Some(Target::Ctor(adt, _))) = (edge.how, typed.fact(edge.by).target)
            && std_name(db, adt).is_some()
        {
            // The declared result reaches what is in `Some(…)`.
            let inside = std_first(db, typed.output, &["Option", "Result"]);
            let to = inside.map(|ty| db.types.kind(ty));
            return matches!(to, Some(TyKind::Ref(inner, _)) if *inner == held)
                && returned_by(typed, edge.by).is_some();
        }
        let asked = match edge.how {
            How::Argument(index) => self.asked(typed, edge.by, Some(index)),
            How::Stored => stored_in(db, typed, &edge)
                .and_then(|of| {
                    variant_of(db, of.adt, of.variant)?
                        .fields
                        .get(of.field as usize)
                })
                .map(|field| &field.ty),
            How::Same if typed.fact(edge.by).parent.is_some() => {
                return self.asks_contents(at, edge.by, mutable);
            }
            How::Same | How::Returned => {
                let to = match db.types.kind(typed.output) {
                    TyKind::Ref(inner, _) => *inner,
                    _ => return false,
                };
                return to == held && returned_by(typed, reference).is_some();
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
