//! Parses type definitions, and the headers of `impl` blocks and traits, straight from tokens. On
//! failure, syn parses them and reports the error.

use super::Cursor;
use crate::ir::{
    Attrs, Bound, Field, Generics, Impl, Style, SyntaxError, Trait, Type, TypeAlias, Variant, Vis,
};
use crate::lower::attr::AttrReader;
use crate::lower::keyword::Keyword;
use crate::lower::simple;
use crate::name::Name;

/// Errors in attributes.
type Errors = Vec<SyntaxError>;

impl Cursor<'_> {
    /// Parses an `impl` up to its braces.
    pub(in crate::lower) fn impl_header(&mut self) -> Option<Impl> {
        self.need_word(Keyword::Impl)?;
        let mut generics = match self.has_params() {
            true => self.params()?,
            false => Generics::default(),
        };
        let negative = self.eat(b'!');
        let first = self.ty(true)?;
        let (trait_, self_ty) = match (self.eat_word(Keyword::For), first) {
            (true, Type::Path(path)) => (Some(path), self.ty(true)?),
            (false, ty) if !negative => (None, ty),
            _ => return None,
        };
        generics.wheres = self.wheres()?;
        self.whole()?;
        Some(Impl {
            generics,
            trait_,
            negative,
            self_ty,
            items: Vec::new(),
        })
    }

    /// Returns true if the `<` after an `impl` opens its parameters, not a qualified self type.
    fn has_params(&self) -> bool {
        let next = self.at + 1;
        let named = self.kind_at(next).is_some() && self.sign_at(next) == 0;
        let listed = matches!(self.sign_at(next + 1), b':' | b',' | b'>' | b'=');
        let param = self.word_at(next) == Keyword::Const
            || named && listed && !self.is_pair_at(next + 1, b"::");
        self.sign() == b'<' && (self.sign_at(next) == b'>' || param)
    }

    /// Parses a trait up to its braces.
    pub(in crate::lower) fn trait_header(&mut self) -> Option<Trait> {
        self.need_word(Keyword::Trait)?;
        self.ident()?;
        let mut generics = self.params()?;
        let supers = self.bounds_before(b'{')?;
        generics.wheres = self.wheres()?;
        self.whole()?;
        Some(Trait {
            generics,
            supers,
            items: Vec::new(),
        })
    }

    /// Parses a type alias or associated type up to its semicolon.
    pub(in crate::lower) fn type_alias(&mut self) -> Option<TypeAlias> {
        self.need_word(Keyword::Type)?;
        self.ident()?;
        let mut generics = self.params()?;
        let bounds = self.bounds_before(b'=')?;
        generics.wheres = self.wheres()?;
        let ty = match self.eat(b'=') {
            true => Some(self.ty(true)?),
            false => None,
        };
        if generics.wheres.is_empty() {
            generics.wheres = self.wheres()?;
        }
        self.whole()?;
        Some(TypeAlias {
            generics,
            bounds,
            ty,
        })
    }

    /// Parses an optional `: A + B`, which ends before this character, a `where` or the end.
    fn bounds_before(&mut self, end: u8) -> Option<Vec<Bound>> {
        match self.eat(b':') {
            true => self.bounds_until(|c| c.sign() == end || c.word() == Keyword::Where),
            false => Some(Vec::new()),
        }
    }

    /// Parses parameters without attributes, which could have errors to report.
    fn params(&mut self) -> Option<Generics> {
        let first = self.at;
        let generics = self.generics()?;
        let plain = (first..self.at).all(|i| self.sign_at(i) != b'#');
        plain.then_some(generics)
    }

    /// Parses a struct or union up to its closing brace or its semicolon; returns its parameters
    /// and fields.
    pub(in crate::lower) fn fields_of(
        &mut self,
        word: Keyword,
        errors: &mut Errors,
    ) -> Option<(Generics, Vec<Field>, Style)> {
        self.need_word(word)?;
        self.ident()?;
        let mut generics = self.params()?;
        if word == Keyword::Struct && self.opens(b'(') {
            let fields = self.unnamed(errors)?;
            generics.wheres = self.wheres()?;
            self.whole()?;
            return Some((generics, fields, Style::Tuple));
        }
        generics.wheres = self.wheres()?;
        let (fields, style) = match self.opens(b'{') {
            true => (self.named(errors)?, Style::Named),
            false if word == Keyword::Struct => (Vec::new(), Style::Unit),
            false => return None,
        };
        self.whole()?;
        Some((generics, fields, style))
    }

    /// Parses an enum up to its closing brace.
    pub(in crate::lower) fn enum_(
        &mut self,
        errors: &mut Errors,
    ) -> Option<(Generics, Vec<Variant>)> {
        self.need_word(Keyword::Enum)?;
        self.ident()?;
        let mut generics = self.params()?;
        generics.wheres = self.wheres()?;
        let (variants, _) = self.listed(b'{', |c| c.variant(errors))?;
        self.whole()?;
        Some((generics, variants))
    }

    fn variant(&mut self, errors: &mut Errors) -> Option<Variant> {
        let start = self.at;
        let attrs = self.attrs_with(errors);
        let has_attrs = self.at > start;
        self.vis()?;
        let at = self.at;
        let name = self.ident()?;
        let (fields, style) = match self.kind() {
            _ if self.opens(b'{') => (self.named(errors)?, Style::Named),
            _ if self.opens(b'(') => (self.unnamed(errors)?, Style::Tuple),
            _ => (Vec::new(), Style::Unit),
        };
        let discriminant = match self.eat(b'=') {
            true => {
                let first = self.at;
                while !self.done() && self.sign() != b',' {
                    self.at += 1;
                }
                Some(simple::expr(self.tokens, first..self.at)?)
            }
            false => None,
        };
        Some(Variant {
            name,
            name_span: self.place(at),
            span: self.since(if has_attrs { start } else { at }),
            attrs,
            fields,
            style,
            discriminant,
        })
    }

    fn named(&mut self, errors: &mut Errors) -> Option<Vec<Field>> {
        let field = |c: &mut Self| {
            let attrs = c.attrs_with(errors);
            let vis = c.vis()?;
            let name = c.ident()?;
            let name_span = c.last();
            c.need(b':')?;
            let first = c.at;
            let ty = c.ty(true)?;
            Some(Field {
                name,
                name_span,
                ty_span: c.since(first),
                attrs,
                vis,
                ty,
            })
        };
        Some(self.listed(b'{', field)?.0)
    }

    fn unnamed(&mut self, errors: &mut Errors) -> Option<Vec<Field>> {
        let mut i = 0;
        let field = |c: &mut Self| {
            let attrs = c.attrs_with(errors);
            let vis = c.vis()?;
            let first = c.at;
            let ty = c.ty(true)?;
            let ty_span = c.since(first);
            let name = Name::new(&i.to_string());
            i += 1;
            Some(Field {
                name,
                name_span: ty_span,
                ty_span,
                attrs,
                vis,
                ty,
            })
        };
        Some(self.listed(b'(', field)?.0)
    }

    /// Parses the visibility that comes next.
    fn vis(&mut self) -> Option<Vis> {
        let first = self.at;
        let after = self.tokens.after_vis(first);
        // `pub (crate::A, B)` is a public tuple type.
        if after > first + 4 && !self.tokens.word(first + 2, "in") {
            return None;
        }
        self.at = after;
        Some(self.tokens.vis(first..after))
    }

    /// Parses the outer attributes that come next.
    fn attrs_with(&mut self, errors: &mut Errors) -> Attrs {
        let first = self.at;
        self.skip_attrs();
        if first == self.at {
            return Attrs::default();
        }
        let mut reader = AttrReader::new(self.tokens);
        reader.read(first..self.at);
        errors.append(&mut reader.errors);
        reader.attrs
    }
}
