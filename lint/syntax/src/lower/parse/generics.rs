//! Parses generic parameters and where clauses straight from tokens.

use super::Cursor;
use super::path::Style;
use crate::ir::{Attrs, Expr, Generics, Param, ParamKind, Type, Where};
use crate::lower::attr::AttrReader;
use crate::lower::keyword::Keyword;

impl Cursor<'_> {
    /// Parses an optional `<…>`.
    pub(in crate::lower) fn generics(&mut self) -> Option<Generics> {
        let mut generics = Generics::default();
        if !self.eat(b'<') {
            return Some(generics);
        }
        while self.sign() != b'>' {
            let attrs = self.attrs();
            if self.eat_lifetime() {
                generics.lifetimes = true;
                if self.eat(b':') {
                    while self.eat_lifetime() || self.eat(b'+') {}
                }
            } else {
                generics.params.push(self.param(attrs)?);
            }
            if self.sign() != b'>' {
                self.need(b',')?;
            }
        }
        self.need(b'>')?;
        generics.params.shrink_to_fit();
        Some(generics)
    }

    fn param(&mut self, attrs: Attrs) -> Option<Param> {
        let is_const = self.eat_word(Keyword::Const);
        let name = match self.word() {
            Keyword::Underscore if !is_const => self.any_word(),
            _ => self.ident()?,
        };
        let kind = match is_const {
            true => {
                self.need(b':')?;
                let ty = self.ty(true)?;
                let default = match self.eat(b'=') {
                    true => Some(Box::new(self.const_default()?)),
                    false => None,
                };
                ParamKind::Const { ty, default }
            }
            false => {
                let bounds = match self.eat(b':') {
                    true => self.bounds_until(|c| matches!(c.sign(), b',' | b'>' | b'='))?,
                    false => Vec::new(),
                };
                let default = match self.eat(b'=') {
                    true => Some(self.ty(true)?),
                    false => None,
                };
                ParamKind::Type { bounds, default }
            }
        };
        Some(Param { name, attrs, kind })
    }

    fn const_default(&mut self) -> Option<Expr> {
        match self.is_ident() {
            true => Some(Expr::Path(self.path(Style::Expr)?.0)),
            false => self.const_arg(),
        }
    }

    /// Parses an optional `where …`; returns its bounds on types.
    pub(in crate::lower) fn wheres(&mut self) -> Option<Vec<Where>> {
        let mut wheres = Vec::new();
        if !self.eat_word(Keyword::Where) {
            return Some(wheres);
        }
        while !self.done() && !self.opens(b'{') {
            self.skip_attrs();
            if self.is_lifetime() && self.sign_at(self.at + 1) == b':' {
                self.at += 2;
                while self.eat_lifetime() || self.eat(b'+') {}
            } else {
                wheres.push(self.predicate()?);
            }
            if !self.eat(b',') {
                break;
            }
        }
        wheres.shrink_to_fit();
        Some(wheres)
    }

    fn predicate(&mut self) -> Option<Where> {
        self.skip_binder()?;
        let ty: Type = self.ty(true)?;
        self.need(b':')?;
        let bounds = self.bounds_until(|c| c.sign() == b',' || c.opens(b'{'))?;
        Some(Where { ty, bounds })
    }

    /// Parses the attributes that come next.
    pub(in crate::lower) fn attrs(&mut self) -> Attrs {
        let first = self.at;
        self.skip_attrs();
        self.attrs_in(first)
    }

    /// Parses the attributes, inner or outer, from this token to the cursor.
    pub(in crate::lower) fn attrs_in(&self, first: usize) -> Attrs {
        let mut reader = AttrReader::new(self.tokens);
        reader.read(first..self.at);
        reader.attrs
    }
}
