//! Macro calls: what those of std give, and what is in any other.

use super::Infer;
use crate::ir::body::{ExprId, MacroArgs, Word};
use crate::resolve::ty::{Prim, Ty, TyKind};

impl<'i> Infer<'i> {
    pub(super) fn macro_call(
        &mut self,
        id: ExprId,
        path: &crate::ir::Path,
        args: &'i MacroArgs,
        expected: Ty,
    ) -> Ty {
        let types = &self.db.types;
        let name = path.segments.last().map_or("", |s| s.name.as_str());
        match args {
            MacroArgs::Exprs(list) if name == "vec" => {
                let element = self.elements(list, expected);
                self.vec_of(element)
            }
            MacroArgs::Exprs(list) => {
                self.each(list);
                match name {
                    "format" => self.members.string().unwrap_or(self.unknown()),
                    "panic" | "unreachable" | "todo" | "unimplemented" => {
                        types.intern(TyKind::Never)
                    }
                    "dbg" | "ready" if list.len() == 1 => self.fact_mut(list[0]).ty,
                    "println" | "print" | "eprintln" | "eprint" | "assert" | "assert_eq"
                    | "assert_ne" | "debug_assert" | "debug_assert_eq" | "debug_assert_ne" => {
                        types.unit()
                    }
                    _ => self.unknown(),
                }
            }
            MacroArgs::Repeat(value, len) => {
                let element = self.elements(&[*value], expected);
                self.any(*len);
                self.vec_of(element)
            }
            MacroArgs::Matches(value, pat, guard) => {
                let ty = self.any(*value);
                let depth = self.scope.len();
                self.pat(*pat, ty, Some(*value));
                self.option(*guard, self.unknown());
                self.scope.truncate(depth);
                types.prim(Prim::Bool)
            }
            MacroArgs::Names(names) => {
                self.opaque.extend(names.iter().map(|w| (w.name, id)));
                let fields = names.iter().filter(|w| self.may_change(w));
                let fields: Vec<_> = fields.map(|w| (*w, id)).collect();
                self.hidden.extend(fields);
                self.unknown()
            }
        }
    }

    /// True for a word that may be a field to which something happens: not for what is only named
    /// as a variable is, nor for what is behind `&`.
    fn may_change(&self, word: &Word) -> bool {
        let owner = word.owner.and_then(|o| self.local(o));
        let shared = owner.is_some_and(|o| {
            let ty = self.locals[o as usize].ty;
            matches!(self.db.types.kind(ty), TyKind::Ref(_, false))
        });
        word.field && !shared && (word.dotted || self.local(word.name).is_none())
    }

    fn vec_of(&self, element: Ty) -> Ty {
        self.members.vec_of(element).unwrap_or(self.unknown())
    }
}
