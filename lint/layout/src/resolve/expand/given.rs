//! Input of procedural macros: tokens with ids that map back to the text, and the `cfg`s of an item
//! evaluated as rustc does before expansion.

use super::token::{Delim, Kind, Stream, Token, lex};
use crate::macro_server::tokens::{self as server, Delimiter, Form, Literal};
use crate::source::{Piece, SourceFile};
use crate::span::Span;
use ra_ap_rustc_lexer::{FrontmatterAllowed, LiteralKind, TokenKind, tokenize};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// The input of a macro. A token's id is its index in `places`.
#[derive(Debug, Default)]
pub struct Given {
    /// The arguments, or the annotated item.
    pub body: Vec<server::Token>,
    /// The arguments of an attribute.
    pub attribute: Option<Vec<server::Token>>,
    /// The origin of each token.
    pub(super) places: Vec<TokenOrigin>,
    /// Invisible groups whose content we put into these brackets, by token id.
    pub(super) bracketed: FxHashMap<u32, (&'static str, &'static str)>,
    /// Order numbers assigned so far.
    orders: u32,
}

/// The origin of a token.
#[derive(Clone, Debug)]
pub(super) struct TokenOrigin {
    /// Its kind.
    pub kind: server::Kind,
    /// Its bytes; `None` in the expansion of a doc comment.
    pub span: Option<Span>,
    /// Consecutive tokens of a text have consecutive numbers.
    pub order: u32,
}

/// How an item's attributes are passed to a macro.
pub struct Attributes<'f> {
    /// Offsets in the text of attributes to leave out: those already expanded.
    pub without: &'f [u32],
    /// Evaluates the condition in these bytes of the text.
    pub holds: &'f dyn Fn(Range<usize>) -> Result<bool, String>,
    /// True to apply `cfg`s inside the item too, as for a derive.
    pub deep: bool,
}

impl Given {
    /// Sets a part of a text as the body; for an item, with the treatment of its attributes.
    ///
    /// # Errors
    /// It cannot be lexed, or a condition is unknown.
    pub fn body(
        &mut self,
        source: &SourceFile,
        span: Span,
        attributes: Option<&Attributes>,
    ) -> Result<(), String> {
        self.body = self.cut(source, span, attributes)?;
        Ok(())
    }

    /// Sets a part of a text as the arguments of an attribute.
    ///
    /// # Errors
    /// It cannot be lexed.
    pub fn attribute(&mut self, source: &SourceFile, span: Span) -> Result<(), String> {
        self.attribute = Some(self.cut(source, span, None)?);
        Ok(())
    }

    fn cut(
        &mut self,
        source: &SourceFile,
        span: Span,
        attributes: Option<&Attributes>,
    ) -> Result<Vec<server::Token>, String> {
        let text = &source.text[span.range()];
        let tokens = lex(text, 2024)?;
        let stream = Stream {
            text,
            tokens: &tokens,
        };
        let mut orders = Vec::with_capacity(tokens.len());
        for token in &tokens {
            orders.push(self.orders);
            self.orders += 1 + u32::from(token.kind == Kind::Lifetime);
        }
        let mut cutter = Cutter {
            stream: &stream,
            span,
            orders,
            places: &mut self.places,
            bracketed: &mut self.bracketed,
            pieces: source.expansion.as_ref().map(|e| &*e.pieces),
            left_out: Vec::new(),
            tokens: Vec::new(),
        };
        let end = tokens.len() - 1;
        match attributes {
            None => cutter.all(0..end),
            Some(attributes) => cutter.item(0..end, attributes)?,
        }
        Ok(cutter.tokens)
    }
}

struct Cutter<'a> {
    stream: &'a Stream<'a>,
    span: Span,
    orders: Vec<u32>,
    places: &'a mut Vec<TokenOrigin>,
    bracketed: &'a mut FxHashMap<u32, (&'static str, &'static str)>,
    /// For an expansion: the copied pieces.
    pieces: Option<&'a [Piece]>,
    /// Tokens that we inserted, which the macro does not receive.
    left_out: Vec<usize>,
    tokens: Vec<server::Token>,
}

/// An attribute: the indices of its `#` and its opening bracket.
#[derive(Clone, Copy)]
struct Attr {
    at: usize,
    open: usize,
}

impl Cutter<'_> {
    fn all(&mut self, range: Range<usize>) {
        range.for_each(|i| self.token(i));
    }

    fn item(&mut self, range: Range<usize>, attributes: &Attributes) -> Result<(), String> {
        let mut i = range.start;
        while let Some(attr) = self.attr(i) {
            i = self.stream.mate(attr.open) + 1;
            // The item is known to be present: the result is not needed.
            self.attribute(attr, attributes)?;
        }
        match attributes.deep {
            true => self.configured(i..range.end, attributes),
            false => {
                self.all(i..range.end);
                Ok(())
            }
        }
    }

    /// Returns the attribute at `i`, which may be an inner one.
    fn attr(&self, i: usize) -> Option<Attr> {
        let open = match self.stream.starts(i, b'#') {
            true if self.stream.starts(i + 1, b'!') => i + 2,
            true => i + 1,
            false => return None,
        };
        let bracket = self.stream.is_open(open, Delim::Bracket);
        bracket.then_some(Attr { at: i, open })
    }

    /// Writes what remains of an attribute; returns false if it removes its item.
    fn attribute(&mut self, attr: Attr, attributes: &Attributes) -> Result<bool, String> {
        let close = self.stream.mate(attr.open);
        let inside = attr.open + 1..close;
        self.meta(attr, inside, self.stream.tokens[attr.at].start, attributes)
    }

    /// Writes the content of an attribute, or of a part of a `cfg_attr` that begins at `start`.
    fn meta(
        &mut self,
        attr: Attr,
        inside: Range<usize>,
        start: u32,
        attributes: &Attributes,
    ) -> Result<bool, String> {
        let s = self.stream;
        let word = s.ident(inside.start).unwrap_or_default();
        let listed = s.is_open(inside.start + 1, Delim::Paren);
        if listed && word == "cfg" {
            let list = self.bytes(inside.start + 2..s.mate(inside.start + 1));
            return (attributes.holds)(list);
        }
        if listed && word == "cfg_attr" {
            let end = s.mate(inside.start + 1);
            let mut parts = self.parts(inside.start + 2..end).into_iter();
            let Some(condition) = parts.next() else {
                return Ok(true);
            };
            if !(attributes.holds)(self.bytes(condition))? {
                return Ok(true);
            }
            for part in parts.filter(|p| !p.is_empty()) {
                let start = s.tokens[part.start].start;
                if !self.meta(attr, part, start, attributes)? {
                    return Ok(false);
                }
            }
            return Ok(true);
        }
        if !attributes.without.contains(&start) {
            self.all(attr.at..attr.open + 1);
            self.all(inside);
            self.token(s.mate(attr.open));
        }
        Ok(true)
    }

    /// Splits a list at its commas.
    fn parts(&self, list: Range<usize>) -> Vec<Range<usize>> {
        let mut parts = Vec::new();
        let mut first = list.start;
        let mut i = list.start;
        while i < list.end {
            if self.stream.starts(i, b',') {
                parts.push(first..i);
                first = i + 1;
            }
            i = match self.stream.kind(i) {
                Kind::Open(_) => self.stream.mate(i) + 1,
                _ => i + 1,
            };
        }
        parts.push(first..list.end);
        parts
    }

    fn bytes(&self, range: Range<usize>) -> Range<usize> {
        let token = |i: usize| &self.stream.tokens[i];
        match range.is_empty() {
            true => 0..0,
            false => token(range.start).start as usize..token(range.end - 1).end as usize,
        }
    }

    /// Writes the parameters, fields and variants in these tokens that their `cfg`s keep.
    fn configured(&mut self, range: Range<usize>, attributes: &Attributes) -> Result<(), String> {
        let mut i = range.start;
        while i < range.end {
            let (written, placed) = (self.tokens.len(), self.places.len());
            let mut there = true;
            let begins = i;
            while i < range.end
                && let Some(attr) = self.attr(i)
            {
                there = there && self.attribute(attr, attributes)?;
                i = self.stream.mate(attr.open) + 1;
            }
            if !there {
                self.tokens.truncate(written);
                self.places.truncate(placed);
                i = self.behind(i, range.end);
                continue;
            }
            if i > begins {
                continue;
            }
            match self.stream.kind(i) {
                Kind::Open(_) => {
                    let close = self.stream.mate(i);
                    self.token(i);
                    self.configured(i + 1..close, attributes)?;
                    self.token(close);
                    i = close + 1;
                }
                _ => {
                    self.token(i);
                    i += 1;
                }
            }
        }
        Ok(())
    }

    /// Returns the index after the parameter, field or variant at `i` and its comma.
    fn behind(&self, mut i: usize, end: usize) -> usize {
        let s = self.stream;
        let mut angles = 0;
        // A discriminant is no type: `<` is an operator there.
        let mut value = false;
        while i < end {
            match s.kind(i) {
                Kind::Open(_) => i = s.mate(i),
                Kind::Punct(b',') if angles == 0 => return i + 1,
                Kind::Punct(b'=') => value = angles == 0,
                Kind::Punct(b'-') if s.is(i, "->") => i += 1,
                Kind::Punct(b'<') if !value => angles += 1,
                // The end of the enclosing parameter list.
                Kind::Punct(b'>') if !value && angles == 0 => return i,
                Kind::Punct(b'>') if !value => angles -= 1,
                _ => {}
            }
            i += 1;
        }
        end
    }

    /// Returns the brackets inside an invisible group if we inserted them: a macro receives the
    /// group without them.
    fn brackets(&self, open: usize) -> Option<(usize, usize, (&'static str, &'static str))> {
        let (first, last) = (open + 1, self.stream.mate(open) - 1);
        let brackets = match (self.stream.kind(first), self.stream.kind(last)) {
            (Kind::Open(Delim::Paren), Kind::Close(_)) => ("(", ")"),
            (Kind::Punct(b'<'), Kind::Punct(b'>')) => ("<", ">"),
            _ => return None,
        };
        (first < last && self.is_ours(first) && self.is_ours(last))
            .then_some((first, last, brackets))
    }

    /// Returns true for a token that is copied neither from the macro nor from its input.
    fn is_ours(&self, i: usize) -> bool {
        let at = self.span.start + self.stream.tokens[i].start;
        self.pieces.is_some_and(|pieces| {
            let before = pieces.partition_point(|p| p.at <= at);
            let piece = before.checked_sub(1).map(|i| pieces[i]);
            piece.is_none_or(|p| at >= p.at + (p.from.end - p.from.start))
        })
    }

    fn token(&mut self, i: usize) {
        if self.left_out.contains(&i) {
            return;
        }
        let token = &self.stream.tokens[i];
        let order = self.orders[i];
        let (start, end) = (token.start, token.end);
        match token.kind {
            Kind::End => {}
            Kind::Open(delim) => {
                let delimiter = match delim {
                    Delim::Paren => Delimiter::Paren,
                    Delim::Bracket => Delimiter::Bracket,
                    Delim::Brace => Delimiter::Brace,
                    Delim::Group(_) => {
                        if let Some((first, last, brackets)) = self.brackets(i) {
                            self.left_out.extend([first, last]);
                            self.bracketed.insert(self.places.len() as u32, brackets);
                        }
                        Delimiter::None
                    }
                };
                self.push(server::Kind::Open(delimiter), token, start..end, order);
            }
            Kind::Close(_) => self.push(server::Kind::Close, token, start..end, order),
            Kind::Ident => {
                let text = self.stream.text(i);
                let (raw, name) = match text.strip_prefix("r#") {
                    Some(name) => (true, name.to_owned()),
                    None => (false, text.to_owned()),
                };
                let kind = server::Kind::Ident { name, raw };
                self.push(kind, token, start..end, order);
            }
            Kind::Lifetime => {
                let name = self.stream.text(i)[1..].to_owned();
                let (char, joint, raw) = ('\'', true, false);
                let quote = server::Kind::Punct { char, joint };
                self.push(quote, token, start..start + 1, order);
                let name = server::Kind::Ident { name, raw };
                self.push(name, token, start + 1..end, order + 1);
            }
            Kind::Punct(char) => {
                let next = &self.stream.tokens[i + 1];
                let joint = matches!(next.kind, Kind::Punct(_))
                    && next.start == end
                    && !token.doc
                    && !next.doc;
                let char = char::from(char);
                let kind = server::Kind::Punct { char, joint };
                self.push(kind, token, start..end, order);
            }
            Kind::Literal => {
                let text = match token.doc {
                    true => self.stream.doc_literal(i),
                    false => self.stream.text(i).to_owned(),
                };
                let kind = server::Kind::Literal(Box::new(literal(&text)));
                self.push(kind, token, start..end, order);
            }
        }
    }

    fn push(&mut self, kind: server::Kind, token: &Token, bytes: Range<u32>, order: u32) {
        let id = self.places.len() as u32;
        let base = self.span.start;
        let span = (!token.doc).then(|| Span {
            file: self.span.file,
            start: base + bytes.start,
            end: base + bytes.end,
        });
        self.places.push(TokenOrigin {
            kind: kind.clone(),
            span,
            order,
        });
        self.tokens.push(server::Token { kind, id });
    }
}

/// Splits a literal into form, text and suffix.
fn literal(text: &str) -> Literal {
    let whole = |form, text: &str, suffix: &str| Literal {
        form,
        text: text.to_owned(),
        suffix: suffix.to_owned(),
    };
    let token = tokenize(text, FrontmatterAllowed::No).next();
    let Some(TokenKind::Literal { kind, suffix_start }) = token.map(|t| t.kind) else {
        return whole(Form::Error, text, "");
    };
    let (body, suffix) = text.split_at(suffix_start as usize);
    let quoted = |form, prefix: usize, hashes: u8| {
        let around = usize::from(hashes) + 1;
        let inner = body.get(prefix + around..body.len() - around);
        match inner {
            Some(inner) => whole(form, inner, suffix),
            None => whole(Form::Error, text, ""),
        }
    };
    match kind {
        LiteralKind::Int { .. } => whole(Form::Integer, body, suffix),
        LiteralKind::Float { .. } => whole(Form::Float, body, suffix),
        LiteralKind::Char { .. } => quoted(Form::Char, 0, 0),
        LiteralKind::Byte { .. } => quoted(Form::Byte, 1, 0),
        LiteralKind::Str { .. } => quoted(Form::Str, 0, 0),
        LiteralKind::ByteStr { .. } => quoted(Form::ByteStr, 1, 0),
        LiteralKind::CStr { .. } => quoted(Form::CStr, 1, 0),
        LiteralKind::RawStr { n_hashes } => {
            let hashes = n_hashes.unwrap_or(0);
            quoted(Form::StrRaw(hashes), 1, hashes)
        }
        LiteralKind::RawByteStr { n_hashes } => {
            let hashes = n_hashes.unwrap_or(0);
            quoted(Form::ByteStrRaw(hashes), 2, hashes)
        }
        LiteralKind::RawCStr { n_hashes } => {
            let hashes = n_hashes.unwrap_or(0);
            quoted(Form::CStrRaw(hashes), 2, hashes)
        }
    }
}
