//! What a procedural macro wrote, as text with a map to what it was given.

use super::given::Given;
use super::token::{GROUP_CLOSE, lex};
use super::{ExpandError, Limits, Output};
use crate::macro_server::tokens::{Delimiter, Kind, Token};
use crate::source::{Piece, SourceFile};
use crate::span::Span;

/// Writes what a macro made of what it was `given` out of a text.
///
/// # Errors
/// It is too much, or groups do not match.
pub fn written(
    tokens: &[Token],
    given: &Given,
    source: &SourceFile,
    limits: Limits,
) -> Result<Output, ExpandError> {
    let mut writer = Writer {
        given,
        source,
        text: String::new(),
        pieces: Vec::new(),
        last: None,
        joint: true,
        open: Vec::new(),
    };
    for (i, token) in tokens.iter().enumerate() {
        writer.token(tokens, i, token)?;
        if writer.text.len() > limits.output {
            return Err(ExpandError::Output);
        }
    }
    // Everything that reads it goes by the same tokens.
    lex(&writer.text, 2024).map_err(ExpandError::Bad)?;
    Ok(Output {
        text: writer.text,
        pieces: writer.pieces,
        steps: 0,
    })
}

struct Writer<'a> {
    given: &'a Given,
    source: &'a SourceFile,
    text: String,
    pieces: Vec<Piece>,
    /// The token of the input that was copied last: its number in its text, and where it ends.
    last: Option<(u32, Span)>,
    /// Nothing may come between the last token and the next.
    joint: bool,
    /// What closes the groups that are open, a bracket of ours before the last.
    open: Vec<(&'static str, &'static str)>,
}

impl Writer<'_> {
    fn token(&mut self, tokens: &[Token], i: usize, token: &Token) -> Result<(), ExpandError> {
        let copied = self.copies(token);
        let mut inside = "";
        let ends = match &token.kind {
            Kind::Open(delimiter) => {
                let sum = || is_sum(&tokens[i + 1..]);
                let ours = self.given.bracketed.get(&token.id).copied();
                let (open, close, ours) = match delimiter {
                    Delimiter::Paren => ("(", ")", ("", "")),
                    Delimiter::Brace => ("{", "}", ("", "")),
                    Delimiter::Bracket => ("[", "]", ("", "")),
                    Delimiter::None if copied.is_some() => {
                        ("", GROUP_CLOSE, ours.unwrap_or_default())
                    }
                    Delimiter::None if sum() => ("(", ")", ("", "")),
                    Delimiter::None => ("", "", ("", "")),
                };
                inside = ours.0;
                self.open.push((ours.1, close));
                Some(open)
            }
            Kind::Close => {
                let bad = || ExpandError::Bad("a group ends that was not begun".to_owned());
                let (ours, close) = self.open.pop().ok_or_else(bad)?;
                self.word(ours);
                Some(close)
            }
            _ => None,
        };
        if let Some((order, span)) = copied {
            self.copy(order, span);
        } else {
            match (&token.kind, ends) {
                (_, Some(text)) => self.word(text),
                (Kind::Ident { name, raw: true }, _) => self.word(&format!("r#{name}")),
                (Kind::Ident { name, .. }, _) => self.word(name),
                (Kind::Punct { char, .. }, _) => self.word(char.encode_utf8(&mut [0; 4])),
                (Kind::Literal(literal), _) => self.word(&literal.source()),
                _ => {}
            }
        }
        self.joint = match token.kind {
            Kind::Punct { char, joint } => joint || char == '\'',
            _ => false,
        };
        self.word(inside);
        Ok(())
    }

    /// Where a token was copied from, if it is one of the input.
    fn copies(&self, token: &Token) -> Option<(u32, Span)> {
        let place = self.given.places.get(token.id as usize)?;
        let same = match (&place.kind, &token.kind) {
            (Kind::Punct { char: a, .. }, Kind::Punct { char: b, .. }) => a == b,
            (a, b) => a == b,
        };
        // The other end of a group has to be of the same kind, which only the beginning tells.
        let same = same && (token.kind != Kind::Close || self.closes(place.span?));
        same.then_some((place.order, place.span?))
    }

    /// True if the text there closes the group that was opened last.
    fn closes(&self, span: Span) -> bool {
        self.open
            .last()
            .is_some_and(|(_, close)| *close == &self.source.text[span.range()])
    }

    fn copy(&mut self, order: u32, span: Span) {
        if let Some((last, before)) = self.last
            && last + 1 == order
            && before.end <= span.start
            && let Some(piece) = self.pieces.last_mut()
        {
            let more = before.end as usize..span.end as usize;
            piece.from.end = span.end;
            self.text.push_str(&self.source.text[more]);
        } else {
            self.separate();
            let at = self.text.len() as u32;
            let from_args = true;
            self.pieces.push(Piece {
                at,
                from: span,
                from_args,
            });
            self.text.push_str(&self.source.text[span.range()]);
        }
        self.last = Some((order, span));
    }

    fn word(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        self.separate();
        self.text.push_str(text);
    }

    fn separate(&mut self) {
        self.last = None;
        if !self.joint {
            self.text.push(' ');
        }
    }
}

/// True if a group that is not seen holds a type or value that parentheses keep together.
fn is_sum(tokens: &[Token]) -> bool {
    let mut depth = 0;
    for (i, token) in tokens.iter().enumerate() {
        match &token.kind {
            Kind::Open(_) => depth += 1,
            Kind::Close if depth == 0 => return false,
            Kind::Close => depth -= 1,
            _ if depth > 0 => {}
            Kind::Punct {
                char: ';' | ',' | '#',
                ..
            } => return false,
            Kind::Punct {
                char: '-',
                joint: true,
            } => {}
            Kind::Punct {
                char: '+' | '-' | '*' | '/' | '%' | '^' | '|',
                ..
            } => return i > 0,
            Kind::Ident { name, raw: false } if name == "as" => return i > 0,
            _ => {}
        }
    }
    false
}
