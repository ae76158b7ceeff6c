//! Token streams: a text lexed into the tokens that macros match, with paired delimiters.

use super::fragment::Fragment;
use ra_ap_rustc_lexer::{DocStyle, FrontmatterAllowed, LiteralKind, TokenKind, tokenize};

/// Maximum nesting of delimiters.
const MAX_DEPTH: usize = 256;

/// A fragment passed to another macro is one token tree there. Text has no such delimiter, so a
/// comment represents it, which every other reader skips.
const GROUP_OPEN: &str = "/*\u{2039}";
pub(super) const GROUP_CLOSE: &str = "/*\u{203a}*/";

/// The delimiter of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Delim {
    Paren,
    Bracket,
    Brace,
    /// Invisible: the match of this fragment in another macro.
    Group(Fragment),
}

/// The kind of a token. Operators are split into characters, since `>>` may close two lists;
/// [`Token::glue`] joins them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Identifiers and keywords, including raw ones and `_`.
    Ident,
    Lifetime,
    Literal,
    Punct(u8),
    Open(Delim),
    Close(Delim),
    /// Follows the last token.
    End,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    /// Byte offset in the text; in a doc comment, of the whole comment.
    pub start: u32,
    pub end: u32,
    /// For a delimiter, the index of its counterpart.
    pub mate: u32,
    pub kind: Kind,
    /// Length in characters of the operator that begins here, 1 to 3.
    pub glue: u8,
    /// True for a part of the `#[doc = "…"]` that a doc comment expands to.
    pub doc: bool,
}

/// A text and its tokens; the last is [`Kind::End`], so one token of lookahead is always possible.
pub(super) struct Stream<'a> {
    pub text: &'a str,
    pub tokens: &'a [Token],
}

/// Lexes a text by the rules of an edition.
///
/// # Errors
/// A delimiter has no counterpart, or nesting exceeds 256.
pub(super) fn lex(text: &str, edition: u16) -> Result<Vec<Token>, String> {
    let mut lexer = Lexer {
        tokens: Vec::with_capacity(text.len() / 4 + 1),
        open: Vec::new(),
    };
    let mut start = 0;
    // Lexes again after the first part of a token that older editions split.
    while start < text.len() {
        for raw in tokenize(&text[start..], FrontmatterAllowed::No) {
            let end = start + raw.len as usize;
            if let Some((len, kind)) = several(raw.kind, &text[start..end], edition) {
                lexer.push(kind, start as u32, (start + len) as u32, false);
                start += len;
                break;
            }
            lexer.token(raw.kind, &text[start..end], start as u32, end as u32)?;
            start = end;
        }
    }
    if !lexer.open.is_empty() {
        return Err("unclosed delimiter".to_owned());
    }
    let end = text.len() as u32;
    lexer.push(Kind::End, end, end, false);
    glue(&mut lexer.tokens);
    Ok(lexer.tokens)
}

/// Returns the length and kind of the first token where an older edition splits one of today's.
fn several(kind: TokenKind, text: &str, edition: u16) -> Option<(usize, Kind)> {
    use LiteralKind::{CStr, RawCStr};
    match kind {
        TokenKind::Literal {
            kind: CStr { .. } | RawCStr { .. },
            ..
        } if edition < 2021 => Some((text.find(['"', '#'])?, Kind::Ident)),
        // `'r` of `'r#name`.
        TokenKind::RawLifetime if edition < 2021 => Some((2, Kind::Lifetime)),
        TokenKind::GuardedStrPrefix if edition < 2024 => Some((1, Kind::Punct(b'#'))),
        _ => None,
    }
}

struct Lexer {
    tokens: Vec<Token>,
    open: Vec<u32>,
}

impl Lexer {
    fn push(&mut self, kind: Kind, start: u32, end: u32, doc: bool) {
        let mate = self.tokens.len() as u32;
        self.tokens.push(Token {
            start,
            end,
            mate,
            kind,
            glue: 1,
            doc,
        });
    }

    fn token(&mut self, kind: TokenKind, text: &str, start: u32, end: u32) -> Result<(), String> {
        use TokenKind as T;
        let kind = match kind {
            T::Whitespace | T::Frontmatter { .. } | T::Eof => return Ok(()),
            T::LineComment { doc_style: None } => return Ok(()),
            T::BlockComment {
                doc_style: None, ..
            } => return self.group_mark(text, start, end),
            T::LineComment {
                doc_style: Some(style),
            }
            | T::BlockComment {
                doc_style: Some(style),
                ..
            } => return self.doc(style, start, end),
            T::Ident | T::RawIdent | T::InvalidIdent | T::UnknownPrefix => Kind::Ident,
            T::Lifetime { .. } | T::RawLifetime | T::UnknownPrefixLifetime => Kind::Lifetime,
            T::Literal { .. } => Kind::Literal,
            T::OpenParen => return self.open(Delim::Paren, start, end),
            T::OpenBracket => return self.open(Delim::Bracket, start, end),
            T::OpenBrace => return self.open(Delim::Brace, start, end),
            T::CloseParen => return self.close(Delim::Paren, start, end),
            T::CloseBracket => return self.close(Delim::Bracket, start, end),
            T::CloseBrace => return self.close(Delim::Brace, start, end),
            T::GuardedStrPrefix => return Err("a guarded string literal".to_owned()),
            _ if text.len() == 1 => Kind::Punct(text.as_bytes()[0]),
            _ => return Err(format!("unknown token `{text}`")),
        };
        self.push(kind, start, end, false);
        Ok(())
    }

    fn open(&mut self, delim: Delim, start: u32, end: u32) -> Result<(), String> {
        if self.open.len() >= MAX_DEPTH {
            return Err(format!("delimiters nested deeper than {MAX_DEPTH}"));
        }
        self.open.push(self.tokens.len() as u32);
        self.push(Kind::Open(delim), start, end, false);
        Ok(())
    }

    fn close(&mut self, delim: Delim, start: u32, end: u32) -> Result<(), String> {
        let Some(open) = self.open.pop() else {
            return Err("unexpected closing delimiter".to_owned());
        };
        if self.tokens[open as usize].kind != Kind::Open(delim) {
            return Err("mismatched delimiters".to_owned());
        }
        self.tokens[open as usize].mate = self.tokens.len() as u32;
        self.push(Kind::Close(delim), start, end, false);
        if let Some(close) = self.tokens.last_mut() {
            close.mate = open;
        }
        Ok(())
    }

    fn group_mark(&mut self, text: &str, start: u32, end: u32) -> Result<(), String> {
        if text == GROUP_CLOSE {
            let fragment = self.open.last().map(|&i| self.tokens[i as usize].kind);
            return match fragment {
                Some(Kind::Open(delim @ Delim::Group(_))) => self.close(delim, start, end),
                _ => Err("mismatched delimiters".to_owned()),
            };
        }
        let mark = text
            .strip_prefix(GROUP_OPEN)
            .and_then(|t| t.strip_suffix("*/"));
        match mark.and_then(Fragment::from_mark) {
            Some(fragment) => self.open(Delim::Group(fragment), start, end),
            None => Ok(()),
        }
    }

    fn doc(&mut self, style: DocStyle, start: u32, end: u32) -> Result<(), String> {
        self.push(Kind::Punct(b'#'), start, end, true);
        if style == DocStyle::Inner {
            self.push(Kind::Punct(b'!'), start, end, true);
        }
        self.open(Delim::Bracket, start, end)?;
        self.push(Kind::Ident, start, end, true);
        self.push(Kind::Punct(b'='), start, end, true);
        self.push(Kind::Literal, start, end, true);
        let open = self.open.last().copied().unwrap_or_default() as usize;
        self.close(Delim::Bracket, start, end)?;
        self.tokens[open].doc = true;
        if let Some(close) = self.tokens.last_mut() {
            close.doc = true;
        }
        Ok(())
    }
}

/// Sets at each operator character the length of the operator that begins there.
fn glue(tokens: &mut [Token]) {
    for i in 0..tokens.len().saturating_sub(1) {
        let Kind::Punct(first) = tokens[i].kind else {
            continue;
        };
        let char_at = |tokens: &[Token], j: usize| match (tokens[j - 1], tokens.get(j)) {
            (before, Some(t)) if t.start == before.end && !t.doc => match t.kind {
                Kind::Punct(c) => c,
                _ => 0,
            },
            _ => 0,
        };
        let second = char_at(tokens, i + 1);
        if tokens[i].doc || second == 0 {
            continue;
        }
        let third = char_at(tokens, i + 2);
        tokens[i].glue = match (first, second, third) {
            (b'<', b'<', b'=') | (b'>', b'>', b'=') | (b'.', b'.', b'.' | b'=') => 3,
            (b':', b':', _)
            | (b'-' | b'=', b'>', _)
            | (b'&', b'&', _)
            | (b'|', b'|', _)
            | (b'<', b'<' | b'-', _)
            | (b'>', b'>', _)
            | (b'.', b'.', _)
            | (
                b'=' | b'!' | b'<' | b'>' | b'+' | b'-' | b'*' | b'/' | b'%' | b'^' | b'&' | b'|',
                b'=',
                _,
            ) => 2,
            _ => 1,
        };
    }
}

impl<'a> Stream<'a> {
    pub fn kind(&self, i: usize) -> Kind {
        self.tokens[i].kind
    }

    pub fn mate(&self, i: usize) -> usize {
        self.tokens[i].mate as usize
    }

    /// Returns a token's text; for an operator, all its characters. The literal of a doc comment
    /// returns the whole comment.
    pub fn text(&self, i: usize) -> &'a str {
        let t = &self.tokens[i];
        match t.kind {
            Kind::Punct(_) if !t.doc => {
                &self.text[t.start as usize..t.start as usize + t.glue as usize]
            }
            Kind::Punct(b'#') => "#",
            Kind::Punct(b'!') => "!",
            Kind::Punct(_) => "=",
            Kind::Ident if t.doc => "doc",
            Kind::Open(_) if t.doc => "[",
            Kind::Close(_) if t.doc => "]",
            _ => &self.text[t.start as usize..t.end as usize],
        }
    }

    /// Returns true for exactly the operator `op`.
    pub fn is(&self, i: usize, op: &str) -> bool {
        matches!(self.kind(i), Kind::Punct(_)) && self.text(i) == op
    }

    /// Returns true for an operator that begins with this character.
    pub fn starts(&self, i: usize, c: u8) -> bool {
        self.kind(i) == Kind::Punct(c)
    }

    /// Returns true for the identifier or keyword `word`.
    pub fn word(&self, i: usize, word: &str) -> bool {
        self.ident(i) == Some(word)
    }

    /// Returns the identifier or keyword at `i`.
    pub fn ident(&self, i: usize) -> Option<&'a str> {
        (self.kind(i) == Kind::Ident).then(|| self.text(i))
    }

    pub fn is_open(&self, i: usize, delim: Delim) -> bool {
        self.kind(i) == Kind::Open(delim)
    }

    /// Returns the index after this token; a delimiter is one token.
    pub fn after(&self, i: usize) -> usize {
        i + self.tokens[i].glue as usize
    }

    /// Returns the index after the token tree at `i`; `None` at the end of a group.
    pub fn tree(&self, i: usize) -> Option<usize> {
        match self.kind(i) {
            Kind::Open(_) => Some(self.mate(i) + 1),
            Kind::Close(_) | Kind::End => None,
            _ => Some(self.after(i)),
        }
    }

    /// Returns the text of a doc comment as a string literal.
    pub fn doc_literal(&self, i: usize) -> String {
        let t = &self.tokens[i];
        let comment = &self.text[t.start as usize..t.end as usize];
        let body = &comment[3..];
        let body = match comment.starts_with("/*") {
            true => body.strip_suffix("*/").unwrap_or(body),
            false => body,
        };
        format!("{body:?}")
    }
}

/// Returns the comments that represent a fragment's invisible delimiters.
pub(super) fn group_marks(fragment: Fragment) -> (String, &'static str) {
    (format!("{GROUP_OPEN}{}*/", fragment.mark()), GROUP_CLOSE)
}
