//! Replaces thiserror's `#[from]` on a field that goes into a box by an `impl From` for the unboxed
//! type, so that `?` accepts the same errors; the field stays the source.

use super::join::margin;
use super::{Editor, Work, text};
use crate::infer::body::FieldId;
use crate::ir::{self, AdtKind, ItemKind, Style};
use crate::name::Name;
use crate::resolve::ty::{Ty, TyKind};
use crate::resolve::{Def, ItemId, ModId, Ns, ProcMacroKind};
use crate::span::Span;

/// Methods that test the type of an error's source, which is the box after the change.
pub(super) const ASKS: &[&str] = &["downcast", "downcast_mut", "downcast_ref"];

impl Editor<'_> {
    /// Returns true if thiserror derives the type's `Error`.
    pub(super) fn is_thiserror(&self, adt: ItemId) -> bool {
        let data = self.model.db.item(adt);
        let mut derives = data.item.attrs.derived();
        derives.any(|d| self.is_derive(data.module, d, "thiserror_impl", &["Error"]))
    }

    /// Returns true for a derive of a crate by one of these names.
    pub(super) fn is_derive(
        &self,
        module: ModId,
        derive: &ir::Meta,
        krate: &str,
        names: &[&str],
    ) -> bool {
        let db = self.model.db;
        let found = db.resolve(module, derive.global, &derive.path, Ns::Macro);
        match found.ok().flatten().map(|f| f.def) {
            Some(Def::ProcMacro(of)) => {
                of.kind == ProcMacroKind::Derive
                    && names.iter().any(|name| of.name == *name)
                    && db.krate(of.krate).name == krate
            }
            _ => false,
        }
    }

    /// Returns true if a call `downcast_ref::<T>`, whose name is at this place, certainly names
    /// another type.
    fn asks_for_another(&self, name: Span, boxed: Ty) -> bool {
        let db = self.model.db;
        let TyKind::Adt(item, _) = db.types.kind(boxed) else {
            return false;
        };
        let tokens = self.files.get(&db.sources, name.file);
        let at = tokens.at(name.start);
        if !tokens.ends_path_sep(at + 2) || !tokens.is(at + 3, b'<') {
            return false;
        }
        // A reference, a tuple or a slice is no struct.
        if matches!(tokens.str(at + 4), "&" | "(" | "[") {
            return true;
        }
        let mut path = Vec::new();
        let mut i = at + 4;
        while tokens.is_ident(i) {
            path.push(Name::new(tokens.str(i)));
            if !tokens.ends_path_sep(i + 2) {
                break;
            }
            i += 3;
        }
        let modules = self.words().modules_of(&tokens.source.path);
        // A name that another module of the file may give to the type.
        if path
            .last()
            .is_none_or(|last| *last == db.item(*item).item.name)
            || modules.is_empty()
        {
            return false;
        }
        modules.iter().all(|module| {
            let found = db.resolve(*module, false, &path, Ns::Type).ok().flatten();
            found.is_some_and(|f| match f.def {
                Def::Item(other) => {
                    let is_type = matches!(db.item(other).item.kind, ItemKind::Adt(_));
                    f.used == path.len() && is_type && other != *item
                }
                Def::Prim(_) => f.used == path.len(),
                _ => false,
            })
        })
    }
}

impl Work<'_> {
    /// Returns the attribute of a field that thiserror converts from.
    fn converted_attribute(&self, id: FieldId) -> Option<&'static ir::Attr> {
        let (_, field) = self.editor.field(id)?;
        let mut attrs = field.attrs.list.iter();
        let attr = attrs.find(|a| a.meta.path == ["from"] && a.meta.list.is_empty())?;
        let derived = self.editor.is_thiserror(id.adt);
        (derived && attr.cfg.is_none()).then_some(attr)
    }

    /// Writes the conversion to a field that goes into a box as an `impl`. Returns false if the
    /// field has no conversion, or one that cannot be written as an `impl`.
    pub(super) fn convert(&mut self, id: FieldId, boxed: &str) -> bool {
        let db = self.editor.model.db;
        let item = db.item(id.adt).item;
        let (Some(attr), Some((variant, field))) =
            (self.converted_attribute(id), self.editor.field(id))
        else {
            return false;
        };
        let ItemKind::Adt(adt) = &item.kind else {
            return false;
        };
        // A conversion to a struct would have to set its other fields: not supported.
        if adt.kind != AdtKind::Enum
            || variant.fields.len() != 1
            || !adt.generics.params.is_empty()
            || self.real(item.name_span).is_none()
        {
            return false;
        }
        let places = (
            self.real(attr.span),
            self.real(item.span),
            self.real(field.ty_span),
        );
        let (Some(attribute), Some(item_span), Some(ty)) = places else {
            return false;
        };
        let is_transparent = variant.attrs.list.iter().any(|a| {
            let mut list = a.meta.list.iter();
            a.meta.path == ["error"] && list.any(|m| m.path == ["transparent"])
        });
        let source = db.sources.get(item_span.file);
        match is_transparent {
            // A transparent variant delegates `source()` and accepts no `#[source]`.
            true => {
                let rest = &source.text[attribute.end as usize..];
                let blank = rest.len() - rest.trim_start().len();
                let end = attribute.end + blank as u32;
                self.edits.replace(Span { end, ..attribute }, String::new());
            }
            false => {
                self.edits.replace(attribute, "#[source]".to_owned());
                self.asked_for_source(id);
            }
        }
        let (of, value) = (db.sources.text(ty), format!("{boxed}::new(value)"));
        let built = match variant.style {
            Style::Named => format!("{} {{ {}: {value} }}", variant.name, field.name),
            _ => format!("{}({value})", variant.name),
        };
        let margin = margin(&source.text, item_span.start);
        let lines = [
            format!("impl From<{of}> for {} {{", item.name),
            format!("    fn from(value: {of}) -> Self {{"),
            format!("        Self::{built}"),
            "    }".to_owned(),
            "}".to_owned(),
        ];
        let lines = lines.map(|line| format!("\n{margin}{line}"));
        let end = Span {
            start: item_span.end,
            ..item_span
        };
        let text = format!("\n{}", lines.concat());
        self.edits.around(end, text::OUTER, &text, "");
        true
    }

    /// Reports every place that may test whether a source has the type that goes into the box.
    fn asked_for_source(&mut self, id: FieldId) {
        let editor = self.editor;
        let boxed = editor.field_ty(id);
        for span in editor.words().named(editor, ASKS) {
            if !boxed.is_some_and(|ty| editor.asks_for_another(span, ty)) {
                self.leave(span, "may downcast an error's source");
            }
        }
    }
}
