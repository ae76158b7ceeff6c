//! `#[from]` of thiserror on a field that goes into a box: `?` is to take what it took, so that the
//! conversion is written out, and the field stays the source.

use super::join::margin;
use super::{Work, text};
use crate::infer::body::FieldId;
use crate::ir::{self, AdtKind, ItemKind, Style};
use crate::resolve::{Def, Ns, ProcMacroKind};
use crate::span::Span;

/// Methods that ask what a source is: it is the box then.
pub(super) const ASKS: &[&str] = &["downcast", "downcast_mut", "downcast_ref"];

impl Work<'_> {
    /// The attribute of a field that thiserror converts from.
    fn converted_attribute(&self, id: FieldId) -> Option<&'static ir::Attr> {
        let db = self.editor.model.db;
        let data = db.item(id.adt);
        let (_, field) = self.editor.field(id)?;
        let mut attrs = field.attrs.list.iter();
        let attr = attrs.find(|a| a.meta.path == ["from"] && a.meta.list.is_empty())?;
        let derived = data.item.attrs.derived().any(|derive| {
            let found = db.resolve(data.module, derive.global, &derive.path, Ns::Macro);
            match found.ok().flatten().map(|f| f.def) {
                Some(Def::ProcMacro(of)) => {
                    of.kind == ProcMacroKind::Derive
                        && of.name == "Error"
                        && db.krate(of.krate).name == "thiserror_impl"
                }
                _ => false,
            }
        });
        (derived && attr.cfg.is_none()).then_some(attr)
    }

    /// Writes out the conversion to a field that goes into a box. False where it has none, or one
    /// that cannot be written out.
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
        // What a conversion from a part of a struct gives the other parts is not asked for here.
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
            // What stands for its source may not say so.
            true => {
                let rest = &source.text[attribute.end as usize..];
                let blank = rest.len() - rest.trim_start().len();
                let end = attribute.end + blank as u32;
                self.edits.replace(Span { end, ..attribute }, String::new());
            }
            false => {
                self.edits.replace(attribute, "#[source]".to_owned());
                self.asked_for_source();
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

    /// Leaves what may ask whether a source is of the type that goes into the box.
    fn asked_for_source(&mut self) {
        let editor = self.editor;
        for span in editor.words().named(editor, ASKS) {
            self.leave(span, "may downcast an error's source");
        }
    }
}
