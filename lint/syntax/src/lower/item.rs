//! Lowers items whose tokens alone determine them.

use super::attr::AttrReader;
use super::split::{Head, Word};
use super::tokens::Tokens;
use super::uses;
use crate::ir::{
    Attrs, Expr, File, Function, Item, ItemKind, MacroCall, MacroDef, Path, Segment, SyntaxError,
    Vis,
};
use crate::name::Name;
use std::ops::Range;

/// Limit on nested modules, `impl` blocks, traits and blocks.
const DEEPEST: usize = 100;

/// A value that could not be parsed; the error is reported elsewhere.
pub const UNREAD: Expr = Expr::Other("a value that could not be read");

/// The context of an item.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ItemContext {
    /// In a file, a module or a block.
    Module,
    /// In an `impl` or a trait.
    Associated,
    /// In an `extern` block.
    Foreign,
}

/// State of lowering the items of one text.
pub(super) struct Lower<'t> {
    pub tokens: &'t Tokens<'t>,
    /// Whether the text belongs to a selected crate.
    pub own: bool,
    pub errors: Vec<SyntaxError>,
    depth: usize,
}

impl<'t> Lower<'t> {
    pub(super) fn new(tokens: &'t Tokens<'t>, own: bool) -> Self {
        Lower {
            tokens,
            own,
            errors: tokens.faults.clone(),
            depth: 0,
        }
    }

    /// Returns the file with these items and all errors in source order.
    pub(super) fn finish(mut self, attrs: Attrs, items: Vec<Item>) -> File {
        self.errors.sort_by_key(|e| e.span.start);
        super::chunk::forget_spans();
        File {
            attrs,
            items,
            errors: self.errors,
        }
    }

    pub(super) fn attrs(&mut self, range: Range<usize>) -> Attrs {
        if range.is_empty() {
            return Attrs::default();
        }
        let mut reader = AttrReader::new(self.tokens);
        reader.all = self.own;
        reader.read(range);
        self.errors.append(&mut reader.errors);
        reader.attrs
    }

    /// Lowers the part that all kinds of item share: name, spans, visibility and attributes,
    /// including the inner ones of a module, `impl` or trait.
    pub(super) fn frame(&mut self, head: &Head, kind: ItemKind) -> Item {
        let tokens = self.tokens;
        let mut attrs = self.attrs(head.start..head.vis);
        if matches!(head.word, Word::Mod | Word::Impl | Word::Trait)
            && let Some(open) = head.open
        {
            let mut inner = self.attrs(open + 1..tokens.after_inner_attrs(open + 1));
            if let Some(cfg) = inner.cfg.take() {
                attrs.restrict(&cfg);
            }
            attrs.list = attrs.list.into_iter().chain(inner.list).collect();
        }
        let span = tokens.span(head.start..head.end);
        let (name, name_span) = match head.name {
            Some(i) => (tokens.name(i), tokens.span(i..i + 1)),
            None => (Name::new(Item::UNNAMED), span),
        };
        Item {
            name,
            name_span,
            span,
            vis: tokens.vis(head.vis..head.first),
            attrs,
            kind,
        }
    }

    pub(super) fn lower(
        &mut self,
        head: &Head,
        place: ItemContext,
        items: &mut Vec<Item>,
    ) -> Result<(), SyntaxError> {
        let kind = match head.word {
            Word::Fn => ItemKind::Fn(self.function(head)?),
            Word::Use => ItemKind::Use(self.uses(head)?),
            Word::ExternCrate => return self.extern_crate(head, items),
            Word::MacroRules | Word::Macro => ItemKind::MacroDef(self.macro_def(head)?),
            Word::Call => ItemKind::MacroCall(Box::new(self.macro_call(head)?)),
            Word::Mod => ItemKind::Mod(self.nested(head, ItemContext::Module)?),
            Word::ExternBlock => return self.extern_block(head, items),
            Word::Const => return self.constant(head, items),
            Word::Static => return self.static_(head, items),
            Word::Impl => self.impl_(head)?,
            Word::Trait => self.trait_(head)?,
            Word::Type => self.type_alias(head, place)?,
            Word::Struct | Word::Enum | Word::Union => self.adt(head)?,
        };
        let item = self.frame(head, kind);
        items.push(item);
        Ok(())
    }

    /// Lowers the items between the braces; `None` without braces.
    pub(super) fn nested(
        &mut self,
        head: &Head,
        place: ItemContext,
    ) -> Result<Option<Vec<Item>>, SyntaxError> {
        let Some(open) = head.open else {
            let ends = self.tokens.punct(head.end - 1, b';');
            return if ends {
                Ok(None)
            } else {
                Err(self.endless(head))
            };
        };
        if !self.deeper() {
            let message = format!("this nests more than {DEEPEST} levels deep");
            return Err(self.tokens.error(open..open + 1, message));
        }
        let inner = self.tokens.after_inner_attrs(open + 1);
        let items = self.items(inner..self.tokens.list[open].mate as usize, place);
        self.shallower();
        Ok(Some(items))
    }

    /// Enters a level of nesting; returns false if that is too deep.
    pub(super) fn deeper(&mut self) -> bool {
        let may = self.depth < DEEPEST;
        self.depth += usize::from(may);
        may
    }

    pub(super) fn shallower(&mut self) {
        self.depth -= 1;
    }

    /// Returns the error for an item without its `;` or block.
    pub(super) fn endless(&self, head: &Head) -> SyntaxError {
        let last = head.end - 1;
        self.tokens
            .error(last..head.end, "expected `;` or a block after this")
    }

    fn function(&self, head: &Head) -> Result<Function, SyntaxError> {
        let tokens = self.tokens;
        if head.open.is_none() && !tokens.punct(head.end - 1, b';') {
            return Err(self.endless(head));
        }
        let mut first = head.first;
        while tokens.word(first, "default") || tokens.word(first, "final") {
            first += 1;
        }
        let sign = first..head.open.unwrap_or(head.end - 1);
        let body = head.open.map(|open| open..head.end);
        Ok(Function {
            is_const: (first..head.at).any(|i| tokens.word(i, "const")),
            has_items: body.clone().is_some_and(|b| match self.own {
                true => tokens.defines(b),
                false => tokens.implements(b),
            }),
            signature: tokens.span(sign),
            body: body.map(|b| tokens.span(b)),
        })
    }

    /// Adds a nameless function with the value as its body if the value may define types, so that
    /// items in bodies are found in functions only.
    pub(super) fn initializer(&mut self, head: &Head, value: Range<usize>, items: &mut Vec<Item>) {
        if !self.tokens.defines(value.clone()) {
            return;
        }
        let function = Function {
            signature: self.tokens.span(head.first..value.start),
            body: Some(self.tokens.span(value)),
            is_const: false,
            has_items: true,
        };
        let nameless = Head {
            name: None,
            ..*head
        };
        let mut item = self.frame(&nameless, ItemKind::Fn(function));
        item.vis = Vis::Private;
        items.push(item);
    }

    fn uses(&self, head: &Head) -> Result<Vec<crate::ir::UseLeaf>, SyntaxError> {
        let tokens = self.tokens;
        let end = head.end - 1;
        if !tokens.punct(end, b';') {
            return Err(self.endless(head));
        }
        uses::leaves(tokens, head.at + 1..end)
            .map_err(|i| tokens.error(i..i + 1, "this is no `use` tree"))
    }

    fn extern_crate(&mut self, head: &Head, items: &mut Vec<Item>) -> Result<(), SyntaxError> {
        let tokens = self.tokens;
        let name = head.at + 2;
        if !tokens.ident(name) {
            return Err(tokens.error(head.at..name, "expected the name of a crate"));
        }
        let alias = if tokens.word(name + 1, "as") {
            name + 2
        } else {
            name
        };
        if !tokens.ident(alias) || alias + 2 != head.end {
            return Err(self.endless(head));
        }
        let bound = Head {
            name: Some(alias),
            ..*head
        };
        let item = self.frame(&bound, ItemKind::ExternCrate(tokens.name(name)));
        items.push(item);
        Ok(())
    }

    fn macro_def(&self, head: &Head) -> Result<MacroDef, SyntaxError> {
        let tokens = self.tokens;
        let (Some(name), Some(open)) = (head.name, head.open) else {
            return Err(self.endless(head));
        };
        let decl2 = head.word == Word::Macro;
        let body = if decl2 {
            tokens.span(name + 1..head.end)
        } else {
            tokens.inside(open)
        };
        Ok(MacroDef { body, decl2 })
    }

    fn macro_call(&self, head: &Head) -> Result<MacroCall, SyntaxError> {
        let tokens = self.tokens;
        let Some(open) = head.open else {
            return Err(self.endless(head));
        };
        let names = (head.at..open).filter(|&i| tokens.ident(i));
        let segments = names.map(|i| Segment {
            name: tokens.name(i),
            args: None,
        });
        Ok(MacroCall {
            path: Path {
                global: tokens.path_sep(head.at),
                segments: segments.collect(),
                span: tokens.span(head.at..open - 1),
            },
            args: tokens.inside(open),
            span: tokens.span(head.at..tokens.list[open].mate as usize + 1),
            quiet: false,
        })
    }

    /// Adds the items of an `extern` block to the module, with the block's conditions and
    /// attributes: an attribute macro on it may rewrite them.
    fn extern_block(&mut self, head: &Head, items: &mut Vec<Item>) -> Result<(), SyntaxError> {
        let first = items.len();
        let mut inside = self.nested(head, ItemContext::Foreign)?.unwrap_or_default();
        // No ABI of Rust: only the macro of a module around it reads this block, and what is
        // included there is a header of C++.
        let of_bridge = |open: usize| self.tokens.str(open - 1) == "\"C++\"";
        if head.open.is_some_and(of_bridge) {
            inside.retain(|item| !matches!(item.kind, ItemKind::MacroCall(_)));
        }
        items.append(&mut inside);
        let mut attrs = self.attrs(head.start..head.vis);
        if let Some(open) = head.open {
            let inner = self.attrs(open + 1..self.tokens.after_inner_attrs(open + 1));
            if let Some(cfg) = inner.cfg {
                attrs.restrict(&cfg);
            }
        }
        if items.len() == first && !attrs.list.is_empty() {
            // No items to rewrite, but an attribute macro may still expand to some.
            let item = self.frame(head, ItemKind::Use(Vec::new()));
            items.push(item);
            return Ok(());
        }
        for item in &mut items[first..] {
            let own = std::mem::take(&mut item.attrs.list).into_iter();
            item.attrs.list = own.chain(attrs.list.iter().cloned()).collect();
            if let Some(cfg) = &attrs.cfg {
                item.attrs.restrict(cfg);
            }
        }
        Ok(())
    }

    /// Records the error and returns a placeholder for an expression that could not be parsed.
    pub(super) fn unread(&mut self, error: SyntaxError) -> Expr {
        self.fail(error);
        UNREAD
    }
}
