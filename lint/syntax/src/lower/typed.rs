//! Lowers items with types in them: ADTs, aliases, constants, and the headers of `impl` blocks and
//! traits.

use super::chunk::{Chunk, Grammar, LONGEST};
use super::item::{ItemContext, Lower};
use super::keyword::Keyword;
use super::nest::{DEEPEST, too_deep};
use super::parse::Cursor;
use super::simple;
use super::split::{Head, Word};
use super::tokens::Tokens;
use super::ty::name;
use crate::ir::{
    Adt, AdtKind, Const, Expr, Field, Impl, Item, ItemKind, Style, SyntaxError, Trait, TypeAlias,
    Variant, Vis,
};
use crate::name::Name;
use proc_macro2::Span as SynSpan;
use std::ops::Range;
use syn::parse::Parse;

/// Longer values (bytes) are tables, on which no size depends.
const LONGEST_VALUE: usize = 16 << 10;

/// The placeholder for such a value.
const LONG: Expr = Expr::Other("a long table");

impl<'t> Lower<'t> {
    /// Parses these tokens, without those in `skip`, with syn.
    fn parse_tokens<T: Parse, R>(
        &mut self,
        range: Range<usize>,
        skip: &[Range<usize>],
        grammar: Grammar,
        lower: impl FnOnce(&T, &Chunk) -> R,
    ) -> Result<R, SyntaxError> {
        let chunk = Chunk::new(self.tokens, range, skip, grammar)?;
        let parsed = chunk.parse(lower);
        self.errors.append(&mut chunk.errors.borrow_mut());
        parsed
    }

    /// Parses an item from its keyword on, without attributes and visibility, with syn.
    fn parse<T: Parse, R>(
        &mut self,
        head: &Head,
        lower: impl FnOnce(&T, &Chunk) -> R,
    ) -> Result<R, SyntaxError> {
        self.parse_tokens(head.at..head.end, &[], Grammar::Types, lower)
    }

    /// Parses the header of a block with syn; its items are lowered separately.
    fn parse_header<T: Parse, R>(
        &mut self,
        head: &Head,
        skip: Option<usize>,
        lower: impl FnOnce(&T, &Chunk) -> R,
    ) -> Result<R, SyntaxError> {
        let content = head.open.map(|o| o + 1..self.tokens.list[o].mate as usize);
        let skip: Vec<Range<usize>> = skip.map(|i| i..i + 1).into_iter().chain(content).collect();
        self.parse_tokens(head.at..head.end, &skip, Grammar::Types, lower)
    }

    pub(super) fn adt(&mut self, head: &Head) -> Result<ItemKind, SyntaxError> {
        if let Some(adt) = self.plain_adt(head) {
            return Ok(ItemKind::Adt(Box::new(adt)));
        }
        let adt = match head.word {
            Word::Enum => self.parse(head, |tree: &syn::ItemEnum, chunk| Adt {
                kind: AdtKind::Enum,
                generics: chunk.generics(&tree.generics),
                variants: chunk.variants(tree),
            }),
            Word::Union => self.parse(head, |tree: &syn::ItemUnion, chunk| {
                let fields = chunk.named(&tree.fields);
                chunk.single(head, AdtKind::Union, &tree.generics, fields, Style::Named)
            }),
            _ => self.parse(head, |tree: &syn::ItemStruct, chunk| {
                let (fields, style) = chunk.fields(&tree.fields);
                chunk.single(head, AdtKind::Struct, &tree.generics, fields, style)
            }),
        };
        Ok(ItemKind::Adt(Box::new(adt?)))
    }

    /// Parses an ADT without syn.
    fn plain_adt(&mut self, head: &Head) -> Option<Adt> {
        let last = head.end - 1;
        let ends = self.tokens.punct(last, b';');
        let kind = match head.word {
            Word::Enum => AdtKind::Enum,
            Word::Union => AdtKind::Union,
            _ => AdtKind::Struct,
        };
        let (generics, variants) = match kind {
            AdtKind::Enum => self.plain(head.at..head.end, |c, errors| c.enum_(errors))?,
            _ => {
                let word = match kind {
                    AdtKind::Union => Keyword::Union,
                    _ => Keyword::Struct,
                };
                let range = head.at..head.end - usize::from(ends);
                let (generics, fields, style) =
                    self.plain(range, |c, errors| c.fields_of(word, errors))?;
                // Only a definition with braces has no semicolon.
                if (style == Style::Named) == ends {
                    return None;
                }
                (
                    generics,
                    vec![only_variant(self.tokens, head, fields, style)],
                )
            }
        };
        Some(Adt {
            kind,
            generics,
            variants,
        })
    }

    /// Parses tokens without syn; returns `None`, without errors, for rare syntax, which is left to
    /// syn.
    fn plain<R>(
        &mut self,
        range: Range<usize>,
        read: impl FnOnce(&mut Cursor<'t>, &mut Vec<SyntaxError>) -> Option<R>,
    ) -> Option<R> {
        let tokens = self.tokens;
        #[cfg(test)]
        if super::tests::BY_TREES.get() {
            return None;
        }
        let fits = tokens.faults.is_empty()
            && tokens.span(range.clone()).len() <= LONGEST
            && (range.len() < DEEPEST
                || too_deep(tokens, range.clone(), &[], Grammar::Types).is_none());
        if !fits {
            return None;
        }
        let mut errors = Vec::new();
        let read = read(&mut Cursor::new(tokens, range), &mut errors)?;
        self.errors.append(&mut errors);
        Some(read)
    }

    pub(super) fn type_alias(
        &mut self,
        head: &Head,
        place: ItemContext,
    ) -> Result<ItemKind, SyntaxError> {
        if self.tokens.punct(head.end - 1, b';')
            && let Some(alias) = self.plain(head.at..head.end - 1, |c, _| c.type_alias())
            && (place != ItemContext::Module || alias.ty.is_some() && alias.bounds.is_empty())
        {
            return Ok(ItemKind::TypeAlias(Box::new(alias)));
        }
        let free = |s: &mut Self| {
            s.parse(head, |tree: &syn::ItemType, chunk| TypeAlias {
                generics: chunk.generics(&tree.generics),
                bounds: Vec::new(),
                ty: Some(chunk.ty(&tree.ty)),
            })
        };
        let associated = |s: &mut Self| {
            s.parse(head, |tree: &syn::TraitItemType, chunk| TypeAlias {
                generics: chunk.generics(&tree.generics),
                bounds: chunk.bounds(&tree.bounds),
                ty: tree.default.as_ref().map(|(_, t)| chunk.ty(t)),
            })
        };
        // Each of the two accepts a position of `where` that the other does not.
        let alias = if place == ItemContext::Module {
            free(self).or_else(|e| associated(self).map_err(|_| e))
        } else {
            associated(self).or_else(|e| free(self).map_err(|_| e))
        };
        alias.map(|alias| ItemKind::TypeAlias(Box::new(alias)))
    }

    pub(super) fn constant(
        &mut self,
        head: &Head,
        items: &mut Vec<Item>,
    ) -> Result<(), SyntaxError> {
        let Some((ty, value)) = self.tokens.typed_value(head) else {
            return Err(self.untyped(head));
        };
        let ty = self.ty(ty)?;
        // Of the value of an unnamed constant, only what it asserts and defines is of interest, and
        // items are read on their own.
        let unnamed = head.name.is_some_and(|name| self.tokens.str(name) == "_");
        let idle = |value: &Range<usize>| {
            let asserts = || value.clone().any(|i| self.tokens.word(i, "assert"));
            unnamed && self.tokens.defines(value.clone()) && !asserts()
        };
        let read = value.clone().filter(|value| !idle(value));
        let read = read.and_then(|value| self.value(value));
        let value_span = value.clone().map(|v| self.tokens.span(v));
        let constant = Const {
            ty,
            value: read.map(Box::new),
            value_span,
        };
        let item = self.frame(head, ItemKind::Const(Box::new(constant)));
        items.push(item);
        if let Some(value) = value {
            self.initializer(head, value, items);
        }
        Ok(())
    }

    pub(super) fn static_(
        &mut self,
        head: &Head,
        items: &mut Vec<Item>,
    ) -> Result<(), SyntaxError> {
        let Some((ty, value)) = self.tokens.typed_value(head) else {
            return Err(self.untyped(head));
        };
        let ty = self.ty(ty)?;
        let value_span = value.clone().map(|v| self.tokens.span(v));
        let item = self.frame(head, ItemKind::Static(Box::new(ty), value_span));
        items.push(item);
        if let Some(value) = value {
            self.initializer(head, value, items);
        }
        Ok(())
    }

    /// Returns the error for a constant or static without a type.
    fn untyped(&self, head: &Head) -> SyntaxError {
        match head.name {
            Some(name) if self.tokens.punct(head.end - 1, b';') => self
                .tokens
                .error(name..name + 1, "expected `:` and a type after this"),
            _ => self.endless(head),
        }
    }

    fn ty(&mut self, range: Range<usize>) -> Result<crate::ir::Type, SyntaxError> {
        if let Some(ty) = simple::ty(self.tokens, range.clone()) {
            return Ok(ty);
        }
        let lower = |tree: &syn::Type, chunk: &Chunk| chunk.ty(tree);
        self.parse_tokens(range, &[], Grammar::Types, lower)
    }

    /// Parses the value of a constant; a failure affects only the value. In dependencies, where few
    /// values are needed, all but simple ones are parsed on demand.
    fn value(&mut self, range: Range<usize>) -> Option<Expr> {
        if let Some(value) = simple::expr(self.tokens, range.clone()) {
            return Some(value);
        }
        if self.tokens.span(range.clone()).len() > LONGEST_VALUE {
            return Some(LONG);
        }
        if !self.own {
            return None;
        }
        let lower = |tree: &syn::Expr, chunk: &Chunk| chunk.expr(tree);
        let read = self.parse_tokens(range, &[], Grammar::Values, lower);
        Some(read.unwrap_or_else(|error| self.unread(error)))
    }

    pub(super) fn impl_(&mut self, head: &Head) -> Result<ItemKind, SyntaxError> {
        // `impl const Trait for …`: constness does not affect layout.
        let after = self.tokens.after_angles(head.at + 1, head.end);
        let skip = self.tokens.word(after, "const").then_some(after);
        let end = head.open.filter(|_| skip.is_none());
        let mut parsed = match end.and_then(|end| self.plain(head.at..end, |c, _| c.impl_header()))
        {
            Some(parsed) => parsed,
            None => self.parse_header(head, skip, |tree: &syn::ItemImpl, chunk| Impl {
                generics: chunk.generics(&tree.generics),
                trait_: tree.trait_.as_ref().map(|(path, _)| chunk.path(path)),
                negative: tree.modifiers.polarity.is_some(),
                self_ty: chunk.ty(&tree.self_ty),
                items: Vec::new(),
            })?,
        };
        parsed.items = self
            .nested(head, ItemContext::Associated)?
            .unwrap_or_default();
        Ok(ItemKind::Impl(Box::new(parsed)))
    }

    pub(super) fn trait_(&mut self, head: &Head) -> Result<ItemKind, SyntaxError> {
        let plain = |open| self.plain(head.at..open, |c, _| c.trait_header());
        if let Some(mut parsed) = head.open.and_then(plain) {
            parsed.items = self
                .nested(head, ItemContext::Associated)?
                .unwrap_or_default();
            return Ok(ItemKind::Trait(Box::new(parsed)));
        }
        let mut parsed = match head.open {
            Some(_) => self.parse_header(head, None, |tree: &syn::ItemTrait, chunk| Trait {
                generics: chunk.generics(&tree.generics),
                supers: chunk.bounds(&tree.supertraits),
                items: Vec::new(),
            }),
            None => self.parse(head, |tree: &syn::ItemTraitAlias, chunk| Trait {
                generics: chunk.generics(&tree.generics),
                supers: chunk.bounds(&tree.bounds),
                items: Vec::new(),
            }),
        }?;
        if head.open.is_some() {
            parsed.items = self
                .nested(head, ItemContext::Associated)?
                .unwrap_or_default();
        }
        Ok(ItemKind::Trait(Box::new(parsed)))
    }
}

impl Chunk<'_> {
    /// Lowers a struct or union to an ADT with one variant of the same name.
    fn single(
        &self,
        head: &Head,
        kind: AdtKind,
        generics: &syn::Generics,
        fields: Vec<Field>,
        style: Style,
    ) -> Adt {
        Adt {
            kind,
            generics: self.generics(generics),
            variants: vec![only_variant(self.tokens, head, fields, style)],
        }
    }

    fn variants(&self, tree: &syn::ItemEnum) -> Vec<Variant> {
        let mut last = self.tokens_of(tree.brace_token.span.close()).0;
        let mut variants: Vec<Variant> = Vec::with_capacity(tree.variants.len());
        // Backwards, since the end of a variant is found at the comma after it.
        for pair in tree.variants.pairs().rev() {
            if let Some(comma) = pair.punct() {
                last = self.tokens_of(comma.span).0;
            }
            let variant = pair.value();
            let at = self.tokens_of(variant.ident.span()).0;
            let first = self.first_of(&variant.attrs).unwrap_or(at);
            let (fields, style) = self.fields(&variant.fields);
            variants.push(Variant {
                name: name(&variant.ident),
                name_span: self.tokens.span(at..at + 1),
                span: self.tokens.span(first..last),
                attrs: self.attrs(&variant.attrs),
                fields,
                style,
                discriminant: variant.discriminant.as_ref().map(|(_, e)| self.expr(e)),
            });
        }
        variants.reverse();
        variants
    }

    fn fields(&self, fields: &syn::Fields) -> (Vec<Field>, Style) {
        match fields {
            syn::Fields::Named(f) => (self.named(f), Style::Named),
            syn::Fields::Unnamed(f) => (self.unnamed(f), Style::Tuple),
            syn::Fields::Unit => (Vec::new(), Style::Unit),
        }
    }

    fn named(&self, fields: &syn::FieldsNamed) -> Vec<Field> {
        let close = fields.brace_token.span.close();
        let field = |(field, end): (&syn::Field, SynSpan)| {
            let ident = field.ident.as_ref();
            let at = ident.map_or(0, |i| self.tokens_of(i.span()).0);
            Field {
                name: ident.map_or(Name::new(Item::UNNAMED), name),
                name_span: self.tokens.span(at..at + 1),
                ty_span: self.tokens.span(at + 2..self.tokens_of(end).0),
                attrs: self.attrs(&field.attrs),
                vis: self.vis(&field.vis),
                ty: self.ty(&field.ty),
            }
        };
        ends(&fields.named, close).map(field).collect()
    }

    fn unnamed(&self, fields: &syn::FieldsUnnamed) -> Vec<Field> {
        let close = fields.paren_token.span.close();
        let mut first = self.tokens_of(fields.paren_token.span.open()).0 + 1;
        let mut list = Vec::with_capacity(fields.unnamed.len());
        for (i, (field, end)) in ends(&fields.unnamed, close).enumerate() {
            let end = self.tokens_of(end).0;
            let start = self.tokens.after_vis(self.tokens.after_attrs(first));
            let ty_span = self.tokens.span(start..end);
            first = end + 1;
            list.push(Field {
                name: Name::new(&i.to_string()),
                name_span: ty_span,
                ty_span,
                attrs: self.attrs(&field.attrs),
                vis: self.vis(&field.vis),
                ty: self.ty(&field.ty),
            });
        }
        list
    }

    fn vis(&self, vis: &syn::Visibility) -> Vis {
        match vis {
            syn::Visibility::Public(_) => Vis::Public,
            syn::Visibility::Restricted(r) => {
                let names = r.path.segments.iter().map(|s| name(&s.ident));
                Vis::In(Box::new(names.collect()))
            }
            syn::Visibility::Inherited => Vis::Private,
        }
    }

    /// Returns the first token of the first attribute.
    fn first_of(&self, attrs: &[syn::Attribute]) -> Option<usize> {
        let first = attrs.first()?;
        Some(self.tokens_of(first.pound_token.span).0)
    }

    pub(super) fn attrs(&self, attrs: &[syn::Attribute]) -> crate::ir::Attrs {
        let Some(first) = self.first_of(attrs) else {
            return Default::default();
        };
        let mut reader = super::attr::AttrReader::new(self.tokens);
        reader.read(first..self.tokens.list.len());
        self.errors.borrow_mut().append(&mut reader.errors);
        reader.attrs
    }
}

/// Creates the single variant of a struct or union.
fn only_variant(tokens: &Tokens, head: &Head, fields: Vec<Field>, style: Style) -> Variant {
    let at = head.name.unwrap_or(head.at);
    Variant {
        name: tokens.name(at),
        name_span: tokens.span(at..at + 1),
        span: tokens.span(head.start..head.end),
        attrs: Default::default(),
        fields,
        style,
        discriminant: None,
    }
}

/// Pairs each field with the span of the comma after it, or of the closing delimiter.
fn ends(
    fields: &syn::punctuated::Punctuated<syn::Field, syn::Token![,]>,
    close: SynSpan,
) -> impl Iterator<Item = (&syn::Field, SynSpan)> {
    fields.pairs().map(move |pair| {
        let end = pair.punct().map_or(close, |comma| comma.span);
        (pair.into_value(), end)
    })
}
