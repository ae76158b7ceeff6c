//! Parses expressions by operator precedence.

use super::{Builder, Operand, Shape};
use crate::ir::body::{ExprId, ExprKind};
use crate::ir::{Lit, Path, Segment};
use crate::lower::keyword::Keyword;
use crate::lower::lit;
use crate::lower::parse::{AnyPath, Style};
use crate::lower::tokens::Kind;
use crate::name::Name;
use crate::span::Span;

/// How tightly an operator binds.
type Precedence = u8;

const LOOSEST: Precedence = 0;
const ASSIGN: Precedence = 1;
const RANGE: Precedence = 2;
const OR: Precedence = 3;
const AND: Precedence = 4;
const COMPARE: Precedence = 5;
const BIT_OR: Precedence = 6;
const BIT_XOR: Precedence = 7;
const BIT_AND: Precedence = 8;
const SHIFT: Precedence = 9;
const SUM: Precedence = 10;
const PRODUCT: Precedence = 11;
const CAST: Precedence = 12;

/// A binary operator.
struct Operator {
    /// Its text, without the `=` of a compound assignment.
    text: &'static str,
    precedence: Precedence,
    /// Number of characters, including the `=` of a compound assignment.
    width: usize,
}

impl Builder<'_> {
    /// Parses an expression; `structs` allows a struct literal after a path.
    pub(super) fn expr(&mut self, structs: bool) -> Option<ExprId> {
        let left = self.unary(structs)?;
        Some(self.operators(left, structs)?.expr)
    }

    /// Parses the operators after a complete operand.
    pub(super) fn operators(&mut self, left: Operand, structs: bool) -> Option<Operand> {
        self.binary(left, structs, LOOSEST)
    }

    /// Parses the value of a `let` in a condition.
    pub(super) fn compared(&mut self, structs: bool) -> Option<ExprId> {
        let left = self.unary(structs)?;
        Some(self.binary(left, structs, COMPARE)?.expr)
    }

    /// Parses operators of at least this precedence, and their right operands.
    fn binary(&mut self, mut left: Operand, structs: bool, base: Precedence) -> Option<Operand> {
        // A range cannot be a left operand.
        while left.shape != Shape::Range {
            if let Some(operator) = self.operator() {
                if operator.precedence < base {
                    break;
                }
                let compares = operator.precedence == COMPARE;
                if compares && left.shape == Shape::Compare {
                    return None;
                }
                self.c.at += operator.width;
                let right = self.right(structs, operator.precedence)?;
                let kind = match operator.precedence {
                    ASSIGN => ExprKind::Assign(left.expr, Some(operator.text), right),
                    _ => ExprKind::Binary(operator.text, left.expr, right),
                };
                left = self.joined(kind, left.expr, right);
                if compares {
                    left.shape = Shape::Compare;
                }
            } else if base <= ASSIGN && self.assigns() {
                self.c.at += 1;
                let right = self.right(structs, ASSIGN)?;
                let kind = ExprKind::Assign(left.expr, None, right);
                left = self.joined(kind, left.expr, right);
            } else if base <= RANGE && self.c.is_pair(b"..") {
                left = self.range(Some(left.expr), structs)?;
            } else if self.c.word() == Keyword::As {
                left = self.cast(left.expr)?;
            } else {
                break;
            }
        }
        Some(left)
    }

    /// Parses the right operand: everything that binds more tightly.
    fn right(&mut self, structs: bool, precedence: Precedence) -> Option<ExprId> {
        let mut right = self.unary(structs)?;
        loop {
            let next = self.next_precedence();
            let tighter = next > precedence || next == precedence && precedence == ASSIGN;
            let before = self.c.at;
            if tighter {
                right = self.binary(right, structs, next)?;
            }
            if !tighter || self.c.at == before {
                return Some(right.expr);
            }
        }
    }

    fn next_precedence(&self) -> Precedence {
        match self.operator() {
            Some(operator) => operator.precedence,
            None if self.assigns() => ASSIGN,
            None if self.c.is_pair(b"..") => RANGE,
            None if self.c.word() == Keyword::As => CAST,
            None => LOOSEST,
        }
    }

    /// Returns true if a `=` comes next that is neither `==` nor `=>`.
    fn assigns(&self) -> bool {
        self.c.sign() == b'=' && !self.c.is_pair(b"=>") && !self.c.is_pair(b"==")
    }

    /// Returns the operator that comes next, other than `=`, `..` and `as`.
    fn operator(&self) -> Option<Operator> {
        let sign = self.c.sign();
        let with = |next: u8| self.c.is_pair(&[sign, next]);
        let (text, precedence) = match sign {
            b'+' => ("+", SUM),
            b'-' if with(b'>') => return None,
            b'-' => ("-", SUM),
            b'*' => ("*", PRODUCT),
            b'/' => ("/", PRODUCT),
            b'%' => ("%", PRODUCT),
            b'^' => ("^", BIT_XOR),
            b'&' if with(b'&') => ("&&", AND),
            b'&' => ("&", BIT_AND),
            b'|' if with(b'|') => ("||", OR),
            b'|' => ("|", BIT_OR),
            b'<' if with(b'<') => ("<<", SHIFT),
            b'>' if with(b'>') => (">>", SHIFT),
            b'=' if with(b'=') => ("==", COMPARE),
            b'<' if with(b'=') => ("<=", COMPARE),
            b'!' if with(b'=') => ("!=", COMPARE),
            b'>' if with(b'=') => (">=", COMPARE),
            b'<' if with(b'-') => return None,
            b'<' => ("<", COMPARE),
            b'>' => (">", COMPARE),
            _ => return None,
        };
        let width = text.len();
        let last = self.c.at + width - 1;
        let may_assign = !matches!(precedence, COMPARE | AND | OR);
        if may_assign && self.c.is_pair_at(last, &[sign, b'=']) {
            return Some(Operator {
                text,
                precedence: ASSIGN,
                width: width + 1,
            });
        }
        Some(Operator {
            text,
            precedence,
            width,
        })
    }

    /// Parses a range from its dots on.
    pub(super) fn range(&mut self, start: Option<ExprId>, structs: bool) -> Option<Operand> {
        let dots = self.c.place(self.c.at);
        if self.c.is_triple(b"...") {
            return None;
        }
        let closed = self.c.is_triple(b"..=");
        self.c.at += 2 + usize::from(closed);
        let end = match closed || self.range_goes_on(structs) {
            true => Some(self.right(structs, RANGE)?),
            false => None,
        };
        let first = start.map_or(dots, |e| self.span(e));
        let last = end.map_or(dots, |e| self.span(e));
        let range = self.plain(ExprKind::Range(start, end), first.to(last));
        Some(Operand {
            shape: Shape::Range,
            ..range
        })
    }

    /// Returns true if an operand begins after the dots of a range.
    fn range_goes_on(&self, structs: bool) -> bool {
        let c = &self.c;
        let ends = match c.sign() {
            b',' | b';' | b'?' | b'=' | b'+' | b'/' | b'%' | b'^' | b'>' => true,
            b'.' => !c.is_pair(b".."),
            b'<' => c.is_pair(b"<=") || c.is_triple(b"<<="),
            sign @ (b'!' | b'-' | b'*' | b'&' | b'|') => c.is_pair(&[sign, b'=']),
            _ => c.word() == Keyword::As || !structs && c.opens(b'{'),
        };
        !c.done() && !ends
    }

    fn cast(&mut self, value: ExprId) -> Option<Operand> {
        let span = self.span(value).to(self.c.place(self.c.at));
        self.c.at += 1;
        let ty = self.c.ty(false)?;
        let goes_on = match self.c.sign() {
            b'.' => !self.c.is_pair(b".."),
            sign => sign == b'?' || self.c.opens(b'[') || self.c.opens(b'('),
        };
        if goes_on {
            return None;
        }
        Some(self.plain(ExprKind::Cast(value, Box::new(ty)), span))
    }

    /// Parses an operand with its attributes, prefix and postfix operators.
    pub(super) fn unary(&mut self, structs: bool) -> Option<Operand> {
        let cfg = self.cfg();
        let operand = self.signed(structs)?;
        match cfg {
            Some(_) if operand.shape == Shape::Range => None,
            Some(cfg) => Some(self.restricted(cfg, operand)),
            None => Some(operand),
        }
    }

    fn signed(&mut self, structs: bool) -> Option<Operand> {
        let sign = self.c.sign();
        if !matches!(sign, b'&' | b'*' | b'!' | b'-') {
            let atom = self.atom(structs)?;
            return self.trailers(atom);
        }
        let first = self.c.place(self.c.at);
        self.c.at += 1;
        let mut mutable = false;
        if sign == b'&' {
            let next = self.c.word_at(self.c.at + 1);
            let is_raw =
                matches!(next, Keyword::Mut | Keyword::Const) && self.c.eat_word(Keyword::Raw);
            let is_const = is_raw && self.c.eat_word(Keyword::Const);
            mutable = self.c.eat_word(Keyword::Mut) || is_const;
        }
        let inner = self.unary(structs)?.expr;
        let kind = match sign {
            b'&' => ExprKind::Ref(mutable, inner),
            b'*' => ExprKind::Deref(inner),
            _ => ExprKind::Unary(inner),
        };
        let span = first.to(self.span(inner));
        Some(self.plain(kind, span))
    }

    /// Parses calls, fields, indices and `?` after an operand.
    pub(super) fn trailers(&mut self, mut operand: Operand) -> Option<Operand> {
        loop {
            let value = operand.expr;
            let range = operand.shape == Shape::Range;
            let kind = if self.c.opens(b'(') {
                let args = self.exprs(b'(')?;
                ExprKind::Call(value, args)
            } else if self.c.opens(b'[') {
                let group = self.c.enter(b'[')?;
                let index = self.expr(true)?;
                self.c.leave(group)?;
                ExprKind::Index(value, index)
            } else if self.c.sign() == b'.' && !self.c.is_pair(b"..") && !range {
                self.c.at += 1;
                operand = self.member(value)?;
                continue;
            } else if self.c.sign() == b'?' && !range {
                self.c.at += 1;
                ExprKind::Try(value)
            } else {
                return Some(operand);
            };
            operand = self.behind(kind, value);
        }
    }

    /// Parses what follows a dot.
    fn member(&mut self, mut value: ExprId) -> Option<Operand> {
        if self.c.kind() == Some(Kind::Number) {
            // In `x.0.1`, the lexer reads `0.1` as a float.
            let token = self.c.at;
            let text = self.c.tokens.str(token);
            self.c.at += 1;
            let (indices, dot) = match text.strip_suffix('.') {
                Some(indices) => (indices, true),
                None => (text, false),
            };
            for index in indices.split('.') {
                let name = Name::new(&index.parse::<u32>().ok()?.to_string());
                value = self.behind(ExprKind::Field(value, name), value).expr;
            }
            return match dot {
                true => self.member(value),
                false => Some(Operand::from(value)),
            };
        }
        if self.c.eat_word(Keyword::Await) {
            return Some(self.behind(ExprKind::Await(value), value));
        }
        let name = self.c.ident()?;
        let place = self.c.last();
        let turbofish = self.c.is_pair(b"::");
        if !turbofish && !self.c.opens(b'(') {
            return Some(self.behind(ExprKind::Field(value, name), value));
        }
        let args = match turbofish {
            true => self.c.args()?,
            false => None,
        };
        let method = Segment { name, args };
        let args = self.exprs(b'(')?;
        Some(self.behind(
            ExprKind::Method(value, method, (place.start, place.end), args.into()),
            value,
        ))
    }

    /// Parses comma-separated expressions in a group.
    fn exprs(&mut self, open: u8) -> Option<Vec<ExprId>> {
        let group = self.c.enter(open)?;
        let mut list = Vec::new();
        while !self.c.done() {
            list.push(self.expr(true)?);
            if !self.c.eat(b',') {
                break;
            }
        }
        self.c.leave(group)?;
        Some(list)
    }

    /// Parses `(a)` or `(a, b)`.
    pub(super) fn parens(&mut self) -> Option<Operand> {
        let first = self.c.at;
        let group = self.c.enter(b'(')?;
        let mut list = Vec::new();
        let mut comma = false;
        while !self.c.done() {
            list.push(self.expr(true)?);
            comma = self.c.eat(b',');
            if !comma {
                break;
            }
        }
        self.c.leave(group)?;
        match list[..] {
            [only] if !comma => Some(Operand::from(only)),
            _ => Some(self.plain(ExprKind::Tuple(list), self.c.since(first))),
        }
    }

    /// Parses `[a, b]` or `[a; n]`.
    pub(super) fn array(&mut self) -> Option<Operand> {
        let first = self.c.at;
        let group = self.c.enter(b'[')?;
        let mut list = Vec::new();
        while !self.c.done() {
            list.push(self.expr(true)?);
            if let [value] = list[..]
                && self.c.eat(b';')
            {
                let len = self.expr(true)?;
                self.c.leave(group)?;
                return Some(self.plain(ExprKind::Repeat(value, len), self.c.since(first)));
            }
            if !self.c.eat(b',') {
                break;
            }
        }
        self.c.leave(group)?;
        Some(self.plain(ExprKind::Array(list), self.c.since(first)))
    }

    /// Parses a literal without a sign.
    pub(super) fn literal(&mut self) -> Operand {
        let token = self.c.tokens.list[self.c.at];
        let text = self.c.tokens.str(self.c.at);
        self.c.at += 1;
        let kind = match lit::read(text) {
            // A `&CStr`: body expressions have no such literal.
            Some(Lit::Bytes(_)) if token.byte == b'c' => ExprKind::Other,
            Some(lit) => ExprKind::Lit(lit),
            None => ExprKind::Other,
        };
        self.plain(kind, self.c.last())
    }

    /// Parses a path, a macro call or a struct literal.
    pub(super) fn path(&mut self, structs: bool) -> Option<Operand> {
        let path = self.c.any_path(Style::Expr)?;
        if let AnyPath::Plain(path, false) = path {
            return match self.c.is_bang() {
                true => self.macro_call(path),
                false => self.path_or_struct(AnyPath::Plain(path, false), structs),
            };
        }
        self.path_or_struct(path, structs)
    }

    fn path_or_struct(&mut self, path: AnyPath, structs: bool) -> Option<Operand> {
        if structs && self.c.opens(b'{') {
            return self.struct_literal(path);
        }
        Some(Operand::from(self.lone_expr(path)))
    }

    /// Adds a path as an expression of its own.
    pub(super) fn lone_expr(&mut self, path: AnyPath) -> ExprId {
        let (kind, span) = match path {
            AnyPath::Plain(path, _) => {
                let span = path.span;
                (ExprKind::Path(path), span)
            }
            AnyPath::Qualified {
                ty,
                of_trait,
                rest,
                span,
            } => (ExprKind::Qualified(ty, of_trait, rest), span),
        };
        self.body.add_expr(kind, span)
    }

    fn struct_literal(&mut self, path: AnyPath) -> Option<Operand> {
        let braces = self.c.at;
        let group = self.c.enter(b'{')?;
        let (mut fields, mut base) = (Vec::new(), None);
        while !self.c.done() {
            if self.c.eat_pair(b"..") {
                if !self.c.done() {
                    base = Some(self.expr(true)?);
                }
                break;
            }
            fields.push(self.field()?);
            if !self.c.eat(b',') {
                break;
            }
        }
        let close = self.c.leave(group)?;
        Some(match path {
            AnyPath::Plain(path, _) => {
                let span = path.span.to(close);
                self.plain(ExprKind::Struct(path.into(), fields, base), span)
            }
            AnyPath::Qualified { .. } => self.plain(ExprKind::Other, self.c.since(braces)),
        })
    }

    /// Parses `name: value` or `name`.
    fn field(&mut self) -> Option<(Name, ExprId)> {
        let cfg = self.cfg();
        let at = self.c.at;
        let name = self.field_name()?;
        let value = match self.c.is_ident_at(at) && self.c.sign() != b':' {
            true => {
                let span = self.c.place(at);
                self.plain(ExprKind::Path(Path::of_name(name, span)), span)
            }
            false => {
                self.c.need(b':')?;
                Operand::from(self.expr(true)?)
            }
        };
        let value = match cfg {
            Some(cfg) => self.restricted(cfg, value),
            None => value,
        };
        Some((name, value.expr))
    }

    /// Parses the name or index of a field.
    pub(super) fn field_name(&mut self) -> Option<Name> {
        if self.c.kind() != Some(Kind::Number) {
            return self.c.ident();
        }
        let number: u32 = self.c.tokens.str(self.c.at).parse().ok()?;
        self.c.at += 1;
        Some(Name::new(&number.to_string()))
    }

    /// Adds a node whose span reaches from that of its first operand to the last consumed token.
    fn behind(&mut self, kind: ExprKind, first: ExprId) -> Operand {
        let span = self.span(first).to(self.c.last());
        self.plain(kind, span)
    }

    fn joined(&mut self, kind: ExprKind, first: ExprId, last: ExprId) -> Operand {
        let span = self.span(first).to(self.span(last));
        self.plain(kind, span)
    }

    pub(super) fn plain(&mut self, kind: ExprKind, span: Span) -> Operand {
        Operand::from(self.body.add_expr(kind, span))
    }

    pub(super) fn span(&self, id: ExprId) -> Span {
        self.body.expr(id).span
    }
}
