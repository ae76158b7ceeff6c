//! Values that `into` gives to a field that goes into a box: one `impl From` for the box serves them
//! all, if that changes fewer lines than a box at each.

use super::join::margin;
use super::{Shape, Work, text};
use crate::infer::types::adt_of;
use crate::ir::body::ExprKind;
use crate::resolve::ItemId;
use crate::resolve::ty::{GArg, Ty, TyKind};
use crate::span::Span;
use crate::usage::events::At;

/// A value, and what makes a box of it.
pub(super) struct Converted {
    span: Span,
    open: String,
    close: String,
}

impl Work<'_> {
    /// Sets a value aside whose type is converted by an `impl` of the same crate; false for others.
    pub(super) fn is_converted(&mut self, at: At, shape: Shape, with: (Span, &str, &str)) -> bool {
        let found = (shape == Shape::Boxed).then(|| self.conversion_of(at));
        let Some(found) = found.flatten() else {
            return false;
        };
        let (span, open, close) = with;
        let value = Converted {
            span,
            open: open.to_owned(),
            close: close.to_owned(),
        };
        self.converted.entry(found).or_default().push(value);
        true
    }

    /// Whether the edits of no other finding would write the same `impl`.
    fn is_only_one(&self, of: Ty) -> bool {
        let db = self.editor.model.db;
        // A crate and its unit tests have a type each, of one definition.
        let definition = |ty| Some(db.item(adt_of(db, ty)?).item.span);
        let mut others = self.editor.fields.values().flatten();
        let of = definition(of);
        !others.any(|id| {
            let ty = self.editor.field_ty(*id);
            !self.changed.contains_key(id) && ty.and_then(definition) == of
        })
    }

    /// Returns the `impl From` that `x.into()` calls, between two types without parameters, if there
    /// is none for the box; and the type that it makes.
    fn conversion_of(&self, at: At) -> Option<(ItemId, Ty)> {
        let db = self.editor.model.db;
        let typed = self.typed(at.body);
        let ExprKind::Method(on, name, _, args) = &typed.node(at.expr).kind else {
            return None;
        };
        let types = [typed.fact(*on).ty, typed.fact(at.expr).ty];
        let plain = |ty| match db.types.kind(ty) {
            TyKind::Adt(item, args) if args.is_empty() => Some(*item),
            _ => None,
        };
        let [of, to] = types.map(plain);
        let is_into = name.name == "into" && args.is_empty() && of? != to?;
        let from = is_into.then(|| db.std_trait(["crate", "convert", "From"]))??;
        let (imp, _) = db.find_impl(types[1], from, &[GArg::Ty(types[0])]).ok()??;
        let home = |item: ItemId| db.krate_of(db.item(item).module);
        let is_own = home(imp) == home(to?) && self.real(db.item(imp).item.span).is_some();
        let boxed = self.editor.model.boxed(types[1]);
        let known = db.find_impl(boxed, from, &[GArg::Ty(types[0])]).ok()?;
        (is_own && known.is_none()).then_some((imp, types[1]))
    }

    /// Writes the values that were set aside.
    pub(super) fn write_converted(&mut self) {
        for ((imp, of), values) in std::mem::take(&mut self.converted) {
            let text = self.for_the_box(imp).filter(|_| self.is_only_one(of));
            match text.filter(|(_, text)| text.matches('\n').count() < values.len()) {
                Some((behind, text)) => self.edits.around(behind, text::OUTER, &text, ""),
                None => {
                    for Converted { span, open, close } in values {
                        self.edits.around(span, text::OUTER, &open, &close);
                    }
                }
            }
        }
    }

    /// Returns an `impl` for the box of the type that another is for, and its place behind that.
    fn for_the_box(&self, imp: ItemId) -> Option<(Span, String)> {
        let db = self.editor.model.db;
        let data = db.item(imp);
        let span = self.real(data.item.span)?;
        let tokens = self.editor.files.get(&db.sources, span.file);
        let first = tokens.at(span.start);
        let end = tokens.at(span.end);
        let open = (first..end).find(|&i| tokens.is(i, b'{'))?;
        let of = (first..open).find(|&i| tokens.str(i) == "for")?;
        // An attribute, a parameter or a bound would have to be repeated.
        let is_bound = (of..open).any(|i| tokens.str(i) == "where");
        if tokens.str(first) != "impl" || tokens.is(first + 1, b'<') || is_bound {
            return None;
        }
        let boxed = self.editor.std_path(data.module, "Box")?;
        let (head, to) = (tokens.text(&(first..of)), tokens.text(&(of + 1..open)));
        let angle = (first..of).find(|&i| tokens.is(i, b'<'))?;
        let from = tokens.text(&(angle + 1..of - 1));
        let margin = margin(&tokens.source.text, span.start);
        let lines = [
            String::new(),
            format!("{margin}{head} for {boxed}<{to}> {{"),
            format!("{margin}    fn from(value: {from}) -> Self {{"),
            format!("{margin}        {boxed}::new(value.into())"),
            format!("{margin}    }}"),
            format!("{margin}}}"),
        ];
        let behind = Span {
            start: span.end,
            ..span
        };
        Some((behind, lines.map(|line| format!("\n{line}")).concat()))
    }
}
