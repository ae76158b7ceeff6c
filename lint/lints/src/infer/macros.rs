//! Infers macro calls: the types of those of std, and the arguments of any other.

use super::Infer;
use crate::ir::body::{ExprId, MacroArgs, Word};
use crate::name::Name;
use crate::resolve::ty::{Prim, Ty, TyKind};
use crate::resolve::{Def, Ns};

impl<'i> Infer<'i> {
    pub(super) fn macro_call(
        &mut self,
        id: ExprId,
        path: &crate::ir::Path,
        args: &'i MacroArgs,
        expected: Ty,
    ) -> Ty {
        let types = &self.db.types;
        let name = path.last_name();
        let name = match self.is_std_macro(path) {
            true => name,
            false => "",
        };
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
                    "dbg" if list.len() == 1 => self.fact_mut(list[0]).ty,
                    "ready" if list.len() == 1 => {
                        let polled = self.first_of(self.facts[list[0].index()].ty, &["Poll"]);
                        polled.unwrap_or(self.unknown())
                    }
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
                match name {
                    "vec" => self.vec_of(element),
                    _ => self.unknown(),
                }
            }
            MacroArgs::Matches(value, pat, guard) => {
                let ty = self.any(*value);
                let depth = self.scope.len();
                self.pat(*pat, ty, Some(*value));
                self.option(*guard, self.unknown());
                self.scope.truncate(depth);
                match name {
                    "matches" => types.prim(Prim::Bool),
                    _ => self.unknown(),
                }
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

    /// Returns true for a macro of std; a macro of another crate with the same name may expand to
    /// anything.
    fn is_std_macro(&self, path: &crate::ir::Path) -> bool {
        let names: Vec<Name> = path.segments.iter().map(|s| s.name).collect();
        let module = self.function.module;
        let textual = self.db.module(module).textual.read().clone();
        if names.len() == 1 && self.db.textual(&textual, names[0]).is_some() {
            return false;
        }
        match self.db.resolve(module, path.global, &names, Ns::Macro) {
            Ok(Some(found)) => match found.def {
                Def::Item(item) => self.db.krate_of(self.db.item(item).module) == self.db.std(),
                _ => false,
            },
            _ => names.len() == 1 || ["alloc", "core", "std"].contains(&names[0].as_str()),
        }
    }

    /// Returns true for a word that may be a field modified in the call: not for a variable, nor
    /// for a field behind `&`.
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
