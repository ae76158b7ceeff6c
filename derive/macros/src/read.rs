//! Reads tokens in order, and finds the end of a type or an expression among them.
//!
//! Only the grammar that the macros need is implemented. rustc reports invalid types and expressions
//! in the expansion.

use std::fmt::Display;

use proc_macro2::{Delimiter, Group, Ident, Literal, Punct, Spacing, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote_spanned};

pub type Result<T> = std::result::Result<T, Error>;

/// A misuse, with the spans of its first and last token.
#[derive(Debug)]
pub struct Error {
    span: (Span, Span),
    text: String,
}

impl Error {
    pub fn new(span: Span, text: impl Display) -> Error {
        Error::between((span, span), text)
    }

    pub fn between(span: (Span, Span), text: impl Display) -> Error {
        let text = text.to_string();
        Error { span, text }
    }

    /// Creates an error at all of these tokens.
    pub fn at(tokens: &TokenStream, text: impl Display) -> Error {
        Error::between(ends(tokens, Span::call_site()), text)
    }

    /// Returns tokens that make rustc report the error.
    pub fn to_compile_error(&self) -> TokenStream {
        let (first, last) = self.span;
        let mut text = Literal::string(&self.text);
        text.set_span(last);
        let mut text = Group::new(Delimiter::Brace, text.into_token_stream());
        text.set_span(last);
        quote_spanned!(first=> ::core::compile_error! #text)
    }
}

/// Returns the spans of the first and the last token, which stable Rust cannot join.
pub fn ends(tokens: &TokenStream, otherwise: Span) -> (Span, Span) {
    let mut spans = tokens.clone().into_iter().map(|token| token.span());
    let first = spans.next().unwrap_or(otherwise);
    (first, spans.last().unwrap_or(first))
}

/// Removes the invisible group around a `macro_rules` fragment.
pub fn bare(tokens: TokenStream) -> TokenStream {
    let mut all = tokens.clone().into_iter();
    match (all.next(), all.next()) {
        (Some(TokenTree::Group(group)), None) if group.delimiter() == Delimiter::None => {
            bare(group.stream())
        }
        _ => tokens,
    }
}

/// Returns the only token of a stream.
pub fn single(tokens: &TokenStream) -> Option<TokenTree> {
    let mut all = tokens.clone().into_iter();
    all.next().filter(|_| all.next().is_none())
}

/// Returns the content of brackets that are the whole stream, if it has no semicolon with a length.
pub fn brackets(tokens: &TokenStream) -> Option<Group> {
    let is_semicolon =
        |token: TokenTree| matches!(token, TokenTree::Punct(punct) if punct.as_char() == ';');
    match single(tokens)? {
        TokenTree::Group(group) if group.delimiter() == Delimiter::Bracket => {
            Some(group).filter(|group| !group.stream().into_iter().any(is_semicolon))
        }
        _ => None,
    }
}

/// Returns the name without `r#`.
pub fn unraw(name: &Ident) -> String {
    let text = name.to_string();
    text.strip_prefix("r#").unwrap_or(&text).to_owned()
}

/// The kind of the tokens between two commas.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// A type: `<` always opens a bracket.
    Type,
    /// An expression: `<` may also compare or shift.
    Expression,
}

/// Tokens that are read from first to last.
#[derive(Clone)]
pub struct Tokens {
    list: Vec<TokenTree>,
    at: usize,
    /// Span of errors about missing tokens.
    end: Span,
}

impl Tokens {
    pub fn new(tokens: TokenStream, end: Span) -> Tokens {
        Tokens {
            list: tokens.into_iter().collect(),
            at: 0,
            end,
        }
    }

    /// Returns a reader of a group's content.
    pub fn within(group: &Group) -> Tokens {
        Tokens::new(group.stream(), group.span_close())
    }

    pub fn is_empty(&self) -> bool {
        self.at == self.list.len()
    }

    pub fn peek(&self) -> Option<&TokenTree> {
        self.list.get(self.at)
    }

    /// Returns the span of the next token, or of the place where it is missing.
    pub fn span(&self) -> Span {
        self.peek().map_or(self.end, TokenTree::span)
    }

    pub fn error(&self, text: impl Display) -> Error {
        Error::new(self.span(), text)
    }

    /// Returns the remaining tokens.
    pub fn rest(&mut self) -> TokenStream {
        let rest = self.list.split_off(self.at);
        rest.into_iter().collect()
    }

    /// Returns true if this punctuation is next and not part of `==`, `=>` or `::`.
    pub fn sees(&self, sign: char) -> bool {
        let is_longer = |punct: &Punct| {
            let next = self.list.get(self.at + 1);
            punct.spacing() == Spacing::Joint
                && matches!(next, Some(TokenTree::Punct(next))
                    if matches!((sign, next.as_char()), ('=', '=' | '>') | (':', ':')))
        };
        matches!(self.peek(), Some(TokenTree::Punct(punct))
            if punct.as_char() == sign && !is_longer(punct))
    }

    /// Returns true if this word is next.
    pub fn sees_word(&self, word: &str) -> bool {
        matches!(self.peek(), Some(TokenTree::Ident(ident)) if ident == word)
    }

    /// Skips this punctuation.
    pub fn eat(&mut self, sign: char) -> bool {
        let found = self.sees(sign);
        self.at += usize::from(found);
        found
    }

    /// Skips this punctuation, unless at the end.
    pub fn separator(&mut self) -> Result<()> {
        match self.is_empty() || self.eat(',') {
            true => Ok(()),
            false => Err(self.error("expected `,`")),
        }
    }

    /// Parses a name, or a keyword in its place.
    pub fn ident(&mut self) -> Result<Ident> {
        match self.next() {
            Some(TokenTree::Ident(ident)) => Ok(ident),
            found => {
                let span = found.map_or(self.end, |token| token.span());
                Err(Error::new(span, "expected identifier"))
            }
        }
    }

    /// Parses a group with these delimiters.
    pub fn group(&mut self, delimiter: Delimiter) -> Option<Group> {
        match self.peek() {
            Some(TokenTree::Group(group)) if group.delimiter() == delimiter => {
                let group = group.clone();
                self.at += 1;
                Some(group)
            }
            _ => None,
        }
    }

    /// Returns the content of the parentheses that come next.
    pub fn parentheses(&mut self) -> Result<Tokens> {
        match self.group(Delimiter::Parenthesis) {
            Some(group) => Ok(Tokens::within(&group)),
            None => Err(self.error("expected parentheses")),
        }
    }

    /// Parses a lifetime, with its apostrophe.
    pub fn lifetime(&mut self) -> Option<TokenStream> {
        // A fragment of `macro_rules`.
        if let Some(TokenTree::Group(group)) = self.peek() {
            let content = bare(group.stream());
            let mut inner = Tokens::new(content, group.span());
            let found = match group.delimiter() {
                Delimiter::None => inner.lifetime().filter(|_| inner.is_empty()),
                _ => None,
            };
            self.at += usize::from(found.is_some());
            return found;
        }
        match (self.peek(), self.list.get(self.at + 1)) {
            (Some(TokenTree::Punct(punct)), Some(TokenTree::Ident(name)))
                if punct.as_char() == '\'' =>
            {
                let both = [
                    TokenTree::from(punct.clone()),
                    TokenTree::from(name.clone()),
                ];
                self.at += 2;
                Some(both.into_iter().collect())
            }
            _ => None,
        }
    }

    /// Parses a type or an expression: the tokens before the next comma that is not inside it.
    ///
    /// # Errors
    /// Another name or number follows the end of an expression.
    pub fn part(&mut self, part: Part) -> Result<TokenStream> {
        self.until(part, ',')
    }

    /// Parses like [`Tokens::part`], up to other punctuation.
    pub fn until(&mut self, part: Part, sign: char) -> Result<TokenStream> {
        let (start, mut angles) = (self.at, 0_usize);
        while let Some(token) = self.peek() {
            let before = self.list[start..self.at].last();
            match token {
                TokenTree::Punct(punct) if punct.as_char() == '>' && is_arrow(before) => {}
                TokenTree::Punct(_) if angles == 0 && self.sees(sign) => break,
                TokenTree::Punct(punct) if punct.as_char() == '<' => {
                    let opens = part == Part::Type || angles > 0 || self.opens(start);
                    angles += usize::from(opens);
                }
                TokenTree::Punct(punct) if punct.as_char() == '>' => {
                    angles = angles.saturating_sub(1);
                }
                TokenTree::Ident(_) | TokenTree::Literal(_)
                    if part == Part::Expression && angles == 0 && follows(before, token) =>
                {
                    return Err(self.error("expected `,`"));
                }
                _ => {}
            }
            self.at += 1;
        }
        Ok(self.list[start..self.at].iter().cloned().collect())
    }

    /// Returns true if `<` in an expression is a bracket: after `::`, after `as` and a path, and at
    /// the start of an operand.
    fn opens(&self, start: usize) -> bool {
        let mut before = self.list[start..self.at].iter().rev();
        match before.next() {
            None => true,
            Some(TokenTree::Punct(punct)) => !matches!(punct.as_char(), '<' | '>' | '?'),
            Some(TokenTree::Ident(_)) => {
                let in_path = |token: &&TokenTree| match token {
                    TokenTree::Ident(word) => word != "as",
                    TokenTree::Punct(punct) => punct.as_char() == ':',
                    _ => false,
                };
                let first = before.find(|token| !in_path(token));
                matches!(first, Some(TokenTree::Ident(_)))
            }
            Some(_) => false,
        }
    }
}

impl Iterator for Tokens {
    type Item = TokenTree;

    fn next(&mut self) -> Option<TokenTree> {
        let token = self.peek()?.clone();
        self.at += 1;
        Some(token)
    }
}

/// Returns true if `>` ends `->` or `=>`.
fn is_arrow(before: Option<&TokenTree>) -> bool {
    matches!(before, Some(TokenTree::Punct(punct))
        if punct.spacing() == Spacing::Joint && matches!(punct.as_char(), '-' | '='))
}

/// Returns true if a word or a number directly follows a complete operand.
fn follows(before: Option<&TokenTree>, token: &TokenTree) -> bool {
    const BEFORE_OPERANDS: [&str; 10] = [
        "as", "async", "const", "else", "if", "match", "move", "mut", "return", "unsafe",
    ];
    let operator = |word: &Ident| word == "as" || word == "else";
    if matches!(token, TokenTree::Ident(word) if operator(word)) {
        return false;
    }
    match before {
        Some(TokenTree::Literal(_)) => true,
        Some(TokenTree::Ident(word)) => !BEFORE_OPERANDS.iter().any(|other| word == other),
        Some(TokenTree::Group(group)) => group.delimiter() != Delimiter::Brace,
        _ => false,
    }
}

/// Returns the suffix of an integer, which may be empty; `None` for other literals.
pub fn suffix_of_integer(text: &str) -> Option<&str> {
    let (digits, radix) = match text.get(..2) {
        Some("0x") => (&text[2..], 16),
        Some("0o") => (&text[2..], 8),
        Some("0b") => (&text[2..], 2),
        _ => (text, 10),
    };
    let end = digits.find(|letter: char| !letter.is_digit(radix) && letter != '_');
    let suffix = end.map_or("", |end| &digits[end..]);
    let fraction = suffix.starts_with(['.', 'e', 'E']) || matches!(suffix, "f32" | "f64");
    (text.starts_with(|first: char| first.is_ascii_digit()) && !fraction).then_some(suffix)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &str, part: Part) -> Vec<String> {
        let mut tokens = Tokens::new(text.parse().unwrap(), Span::call_site());
        let mut all = Vec::new();
        while !tokens.is_empty() {
            let part = tokens.part(part).unwrap();
            all.push(part.to_string().replace(' ', ""));
            tokens.separator().unwrap();
        }
        all
    }

    #[track_caller]
    fn splits(list: &[&str], part: Part) {
        let expected: Vec<String> = list.iter().map(|one| one.replace(' ', "")).collect();
        assert_eq!(parts(&list.join(","), part), expected);
    }

    #[test]
    fn types_end_at_their_comma() {
        let types = [
            "HashMap<u8, Vec<(A, B)>>",
            "fn(A, B) -> C<D, E>",
            "Box<dyn Fn(A) -> B<C, D>>",
            "<T as I<A, B>>::O<C, D>",
            "[[A; 2]; 3]",
            "A<{ N > 1 }, -1>",
        ];
        splits(&types, Part::Type);
    }

    #[test]
    fn expressions_end_at_their_comma() {
        let expressions = [
            "1 << 4",
            "N << 2",
            "N < 2",
            "size_of::<A<B, C>>() * 2",
            "<A as B<C, D>>::N + 1",
            "1 + <A as B<C, D>>::N",
            "x as a::T<A, B> >> 2",
            "N >> 1",
            "f(a, b)[0]",
            "{ a; b }",
            "if A > B { 1 } else { 2 }",
            "-1",
        ];
        splits(&expressions, Part::Expression);
        for text in ["8 align", "LIMIT align", "f() align", "8 8"] {
            let mut tokens = Tokens::new(text.parse().unwrap(), Span::call_site());
            let error = tokens.part(Part::Expression).unwrap_err();
            assert_eq!(error.text, "expected `,`", "{text}");
        }
    }

    #[test]
    fn numbers_are_told_from_other_literals() {
        for (text, suffix) in [
            ("8", ""),
            ("1_000usize", "usize"),
            ("0xfe", ""),
            ("0b1u8", "u8"),
        ] {
            assert_eq!(suffix_of_integer(text), Some(suffix), "{text}");
        }
        for text in ["1.5", "1e3", "1f32", "2.", "\"8\"", "'8'", "b'8'"] {
            assert_eq!(suffix_of_integer(text), None, "{text}");
        }
    }
}
