//! Values that `into` gives to a field that goes into a box: one `impl From` for the box serves them
//! all, if that changes fewer lines than a box at each.

use super::join::margin;
use super::{Shape, Work, text};
use crate::ir::body::ExprKind;
use crate::resolve::ItemId;
use crate::resolve::ty::{GArg, TyKind};
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
        let Some(imp) = found.flatten() else {
            return false;
        };
        let (span, open, close) = with;
        let value = Converted {
            span,
            open: open.to_owned(),
            close: close.to_owned(),
        };
        self.converted.entry(imp).or_default().push(value);
        true
    }

    /// Returns the `impl From` that `x.into()` calls, between two types without parameters.
    fn conversion_of(&self, at: At) -> Option<ItemId> {
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
        is_own.then_some(imp)
    }

    /// Writes the values that were set aside.
    pub(super) fn write_converted(&mut self) {
        for (imp, values) in std::mem::take(&mut self.converted) {
            let text = self.for_the_box(imp);
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
        // An attribute or a parameter would have to be repeated.
        if tokens.str(first) != "impl" || tokens.is(first + 1, b'<') {
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
