//! Converts the output of a procedural macro to text, with a source map to its input.

use super::given::Given;
use super::token::{GROUP_CLOSE, lex};
use super::{ExpandError, Limits, Output};
use crate::macro_server::tokens::{Delimiter, Kind, Token};
use crate::source::{Piece, SourceFile};
use crate::span::Span;

/// Writes the output that a macro produced from the input `given`, taken from `source`.
///
/// # Errors
/// It is too long, or its groups do not match.
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
    // Every reader of the text uses the same lexer.
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
    /// The input token copied last: its order number and span.
    last: Option<(u32, Span)>,
    /// True if the next token follows without a space.
    joint: bool,
    /// Closing texts of the open groups: our inserted bracket, then the delimiter.
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

    /// Returns the origin of a token that is unchanged from the input.
    fn copies(&self, token: &Token) -> Option<(u32, Span)> {
        let place = self.given.places.get(token.id as usize)?;
        let same = match (&place.kind, &token.kind) {
            (Kind::Punct { char: a, .. }, Kind::Punct { char: b, .. }) => a == b,
            (a, b) => a == b,
        };
        // A closing delimiter has to match its opening one, which alone tells its kind.
        let same = same && (token.kind != Kind::Close || self.closes(place.span?));
        same.then_some((place.order, place.span?))
    }

    /// Returns true if the text there closes the innermost open group.
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

/// Returns true if an invisible group holds a type or value that needs parentheses.
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
