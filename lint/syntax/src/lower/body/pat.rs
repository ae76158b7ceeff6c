//! Parses patterns in bodies.

use super::{Builder, Mark};
use crate::ir::Lit;
use crate::ir::body::{ExprId, ExprKind, PatId, PatKind};
use crate::lower::keyword::Keyword;
use crate::lower::parse::{AnyPath, Style};
use crate::lower::tokens::Kind;
use crate::name::Name;
use crate::span::Span;

impl Builder<'_> {
    /// Parses patterns separated by `|`.
    pub(super) fn pats(&mut self) -> Option<PatId> {
        let leading = self.c.eat(b'|');
        let first = self.pat()?;
        if !leading && !self.is_bar() {
            return Some(first);
        }
        let mut cases = vec![first];
        while self.is_bar() {
            self.c.at += 1;
            cases.push(self.pat()?);
        }
        let last = cases[cases.len() - 1];
        let span = self.pat_span(first).to(self.pat_span(last));
        Some(self.body.add_pat(PatKind::Or(cases), span))
    }

    fn is_bar(&self) -> bool {
        self.c.sign() == b'|' && !self.c.is_pair(b"||") && !self.c.is_pair(b"|=")
    }

    /// Parses one pattern.
    pub(super) fn pat(&mut self) -> Option<PatId> {
        let (kind, span) = match self.c.kind()? {
            Kind::Number | Kind::Quoted => return self.bound_or_range(),
            Kind::Open if self.c.opens(b'(') => return self.tuple(),
            Kind::Open if self.c.opens(b'[') => {
                let first = self.c.at;
                let list = self.pat_list(b'[')?;
                (PatKind::Slice(list), self.c.since(first))
            }
            Kind::Open | Kind::Close | Kind::Lifetime => return None,
            Kind::Punct => match self.c.sign() {
                b'&' => {
                    let first = self.c.place(self.c.at);
                    self.c.at += 1;
                    self.c.eat_word(Keyword::Mut);
                    let inner = self.pat()?;
                    (PatKind::Ref(inner), first.to(self.pat_span(inner)))
                }
                b'.' if self.c.is_pair(b"..") => return self.dots(),
                b'-' => return self.bound_or_range(),
                b'<' | b':' => return self.path_pat(),
                _ => return None,
            },
            Kind::Raw => return self.named(),
            Kind::Word => match self.c.word() {
                Keyword::Underscore => {
                    self.c.at += 1;
                    (PatKind::Wild, self.c.last())
                }
                Keyword::Box => {
                    let first = self.c.at;
                    let mark = self.mark();
                    self.c.at += 1;
                    self.pat()?;
                    self.back_to(mark);
                    (PatKind::Other, self.c.since(first))
                }
                Keyword::True | Keyword::False | Keyword::Const => return self.bound_or_range(),
                Keyword::Ref | Keyword::Mut => return self.binding(),
                _ => return self.named(),
            },
        };
        Some(self.body.add_pat(kind, span))
    }

    /// Parses a pattern that begins with a name.
    fn named(&mut self) -> Option<PatId> {
        let next = self.c.at + 1;
        let goes_on = self.c.is_pair_at(next, b"::");
        let word = self.c.word();
        let path = match self.c.is_ident() {
            true => {
                goes_on
                    || self.c.sign_at(next) == b'!'
                    || self.c.opens_at(next, b'{')
                    || self.c.opens_at(next, b'(')
                    || self.c.is_pair_at(next, b"..")
            }
            false if word == Keyword::SelfValue => goes_on,
            false => word.in_path(),
        };
        match path {
            true => self.path_pat(),
            false => self.binding(),
        }
    }

    /// Parses `ref mut name @ pat`.
    fn binding(&mut self) -> Option<PatId> {
        let by_ref = self.c.eat_word(Keyword::Ref);
        let mutable = self.c.eat_word(Keyword::Mut);
        let name = match self.c.word() {
            Keyword::SelfValue => self.c.any_word(),
            _ => self.c.ident()?,
        };
        let span = self.c.last();
        let sub = match self.c.eat(b'@') {
            true => Some(self.pat()?),
            false => None,
        };
        Some(self.bind(name, by_ref, mutable, sub, span))
    }

    pub(super) fn bind(
        &mut self,
        name: Name,
        by_ref: bool,
        mutable: bool,
        sub: Option<PatId>,
        span: Span,
    ) -> PatId {
        let kind = PatKind::Bind {
            name,
            by_ref,
            mutable,
            sub,
        };
        self.body.add_pat(kind, span)
    }

    /// Parses a path or a pattern that begins with one, a macro call, or a range that begins with a
    /// path.
    fn path_pat(&mut self) -> Option<PatId> {
        let first = self.c.at;
        let mark = self.mark();
        let path = self.c.any_path(Style::Expr)?;
        if self.c.is_pair(b"..") {
            let start = self.lone_expr(path);
            return self.range_pat(Some(start));
        }
        if self.c.is_bang()
            && let AnyPath::Plain(path, false) = path
        {
            let call = self.c.macro_call(path)?;
            return Some(self.body.add_pat(PatKind::Other, call.span));
        }
        let (mut fields, mut list) = (None, None);
        if self.c.opens(b'{') {
            fields = Some(self.field_pats()?);
        } else if self.c.opens(b'(') {
            list = Some(self.pat_list(b'(')?);
        }
        let AnyPath::Plain(path, _) = path else {
            self.back_to(mark);
            return Some(self.body.add_pat(PatKind::Other, self.c.since(first)));
        };
        let span = self.c.since(first);
        let kind = match (fields, list) {
            (Some((fields, rest)), _) => PatKind::Struct(path.into(), fields, rest),
            (None, Some(list)) => PatKind::TupleStruct(path.into(), list),
            (None, None) => PatKind::Path(path),
        };
        Some(self.body.add_pat(kind, span))
    }

    /// Parses `..`, `..b` or `..=b`.
    fn dots(&mut self) -> Option<PatId> {
        let dots = self.c.place(self.c.at);
        match !self.c.is_triple(b"...") && !self.c.is_triple(b"..=") && self.ends_bound(2) {
            true => {
                self.c.at += 2;
                Some(self.body.add_pat(PatKind::Rest, dots))
            }
            false => self.range_pat(None),
        }
    }

    /// Returns true if no range bound begins this many tokens ahead.
    fn ends_bound(&self, after: usize) -> bool {
        let i = self.c.at + after;
        match self.c.sign_at(i) {
            b'|' | b'=' | b',' | b';' => true,
            b':' => !self.c.is_pair_at(i, b"::"),
            _ => i >= self.c.end || self.c.word_at(i) == Keyword::If,
        }
    }

    /// Parses a range from its dots on.
    fn range_pat(&mut self, start: Option<ExprId>) -> Option<PatId> {
        let dots = self.c.place(self.c.at);
        let old = start.is_some() && self.c.is_triple(b"...");
        let closed = old || self.c.is_triple(b"..=");
        self.c.at += 2 + usize::from(closed);
        match self.ends_bound(0) {
            true if closed => return None,
            true => {}
            false => _ = self.bound()?,
        }
        Some(self.body.add_pat(PatKind::Value, dots))
    }

    /// Parses the bound of a range.
    fn bound(&mut self) -> Option<ExprId> {
        if self.c.sign() == b'-' || self.c.is_literal() {
            let before = self.mark();
            let minus = self.c.eat(b'-');
            let literal = self.c.is_literal().then(|| self.literal().expr)?;
            return Some(match minus {
                true => self.negative(literal, before),
                false => literal,
            });
        }
        if self.c.eat_word(Keyword::Const) {
            return self.block();
        }
        let path = self.c.any_path(Style::Expr)?;
        Some(self.lone_expr(path))
    }

    /// Replaces a literal after a minus sign: a float becomes the negative literal, anything else
    /// `Other`.
    fn negative(&mut self, literal: ExprId, before: Mark) -> ExprId {
        let sign = self.c.place(self.c.at - 2);
        let node = self.body.expr(literal);
        let span = sign.to(node.span);
        let kind = match &node.kind {
            ExprKind::Lit(Lit::Float(text)) => {
                ExprKind::Lit(Lit::Float(Name::new(&format!("-{text}"))))
            }
            _ => ExprKind::Other,
        };
        self.back_to(before);
        self.plain(kind, span).expr
    }

    /// Parses a literal or a `const` block, or a range that begins with one.
    fn bound_or_range(&mut self) -> Option<PatId> {
        let first = self.c.at;
        let mark = self.mark();
        let is_const = self.c.word() == Keyword::Const;
        let start = self.bound()?;
        if self.c.is_pair(b"..") {
            return self.range_pat(Some(start));
        }
        self.back_to(mark);
        let kind = match is_const {
            true => PatKind::Other,
            false => PatKind::Value,
        };
        Some(self.body.add_pat(kind, self.c.since(first)))
    }

    /// Parses `(a)`, `(a, b)` or `(..)`.
    fn tuple(&mut self) -> Option<PatId> {
        let first = self.c.at;
        let group = self.c.enter(b'(')?;
        let mut list = Vec::new();
        let mut comma = false;
        while !self.c.done() {
            list.push(self.pats()?);
            comma = self.c.eat(b',');
            if !comma {
                break;
            }
        }
        self.c.leave(group)?;
        if let [only] = list[..]
            && !comma
            && !matches!(self.body.pat(only).kind, PatKind::Rest)
        {
            return Some(only);
        }
        let span = self.c.since(first);
        Some(self.body.add_pat(PatKind::Tuple(list), span))
    }

    /// Parses comma-separated patterns in a group.
    fn pat_list(&mut self, open: u8) -> Option<Vec<PatId>> {
        let group = self.c.enter(open)?;
        let mut list = Vec::new();
        while !self.c.done() {
            list.push(self.pats()?);
            if !self.c.eat(b',') {
                break;
            }
        }
        self.c.leave(group)?;
        Some(list)
    }

    /// Parses the fields of a struct pattern; returns whether it ends with `..`.
    fn field_pats(&mut self) -> Option<(Vec<(Name, PatId)>, bool)> {
        let group = self.c.enter(b'{')?;
        let (mut fields, mut rest) = (Vec::new(), false);
        while !self.c.done() {
            self.c.skip_attrs();
            if self.c.eat_pair(b"..") {
                rest = true;
                break;
            }
            fields.push(self.field_pat()?);
            if !self.c.eat(b',') {
                break;
            }
        }
        self.c.leave(group)?;
        Some((fields, rest))
    }

    /// Parses `name: pat` or `ref mut name`.
    fn field_pat(&mut self) -> Option<(Name, PatId)> {
        let first = self.c.at;
        let boxed = self.c.eat_word(Keyword::Box);
        let by_ref = self.c.eat_word(Keyword::Ref);
        let mutable = self.c.eat_word(Keyword::Mut);
        let plain = self.c.at == first;
        let named = self.c.is_ident();
        let name = match plain {
            true => self.field_name()?,
            false => self.c.ident()?,
        };
        let span = self.c.last();
        if plain && (!named || self.c.sign() == b':') {
            self.c.need(b':')?;
            return Some((name, self.pats()?));
        }
        let pat = match boxed {
            true => self.body.add_pat(PatKind::Other, self.c.since(first)),
            false => self.bind(name, by_ref, mutable, None, span),
        };
        Some((name, pat))
    }

    fn pat_span(&self, pat: PatId) -> Span {
        self.body.pat(pat).span
    }
}
