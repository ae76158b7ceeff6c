//! The tokens of one text, and queries on them.

use super::keyword::Keyword;
use crate::ir::SyntaxError;
use crate::name::Name;
use crate::span::{FileId, Span};
use std::cell::Cell;
use std::ops::Range;

/// The kind of a token, as far as finding items needs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An identifier or keyword.
    Word,
    /// A raw identifier (`r#type`), never a keyword.
    Raw,
    /// A lifetime or label.
    Lifetime,
    /// A numeric literal.
    Number,
    /// A string, byte string, character or byte literal.
    Quoted,
    /// `(`, `[` or `{`.
    Open,
    /// `)`, `]` or `}`; an inserted one is zero bytes long.
    Close,
    /// One punctuation character, or an unknown character.
    Punct,
}

/// A token other than whitespace and comments.
#[derive(Clone, Copy, Debug)]
pub struct Token {
    /// The offset of the first byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
    /// The index of the matching delimiter; 0 for other tokens.
    pub mate: u32,
    /// The kind of token.
    pub kind: Kind,
    /// The first byte.
    pub byte: u8,
    /// The keyword, if it is one.
    pub(super) keyword: Keyword,
}

/// Lists with a larger capacity (tokens) are not reused for the next text.
const LONGEST_KEPT: usize = 1 << 18;

thread_local! {
    /// The token list of the last text on this thread, for reuse: a new one per text would be
    /// zeroed memory from the system, over three times the size of the text.
    static SPARE: Cell<Vec<Token>> = const { Cell::new(Vec::new()) };
}

/// Returns an empty list with room for this many tokens.
pub(super) fn list_for(most: usize) -> Vec<Token> {
    let mut list = SPARE.take();
    list.reserve(most);
    list
}

impl Drop for Tokens<'_> {
    fn drop(&mut self) {
        let mut list = std::mem::take(&mut self.list);
        if list.capacity() <= LONGEST_KEPT {
            list.clear();
            SPARE.set(list);
        }
    }
}

/// All tokens of a text, or of a part of it. Every delimiter has a match.
pub(super) struct Tokens<'a> {
    /// The source file.
    pub file: FileId,
    /// The whole text, to which offsets refer.
    pub text: &'a str,
    /// The tokens in order.
    pub list: Vec<Token>,
    /// Indices of keywords that may begin a definition inside a function body.
    pub words: Vec<u32>,
    /// Indices of inserted closing delimiters.
    pub added: Vec<u32>,
    /// Errors: unmatched delimiters and unterminated literals.
    pub faults: Vec<SyntaxError>,
}

impl<'a> Tokens<'a> {
    /// Returns the list of tokens.
    pub(super) fn into_list(mut self) -> Vec<Token> {
        if self.list.capacity() <= LONGEST_KEPT {
            return self.list.clone();
        }
        let mut list = std::mem::take(&mut self.list);
        list.shrink_to_fit();
        list
    }

    /// Returns the text of a token; empty past the end.
    pub(super) fn str(&self, i: usize) -> &'a str {
        match self.list.get(i) {
            Some(t) => &self.text[t.start as usize..t.end as usize],
            None => "",
        }
    }

    /// Returns true if token `i` is this keyword or non-raw identifier.
    pub(super) fn word(&self, i: usize, word: &str) -> bool {
        self.list.get(i).is_some_and(|t| t.kind == Kind::Word) && self.str(i) == word
    }

    /// Returns true if token `i` is an identifier or keyword.
    pub(super) fn ident(&self, i: usize) -> bool {
        self.list
            .get(i)
            .is_some_and(|t| matches!(t.kind, Kind::Word | Kind::Raw))
    }

    /// Returns true if token `i` is this punctuation character.
    pub(super) fn punct(&self, i: usize, byte: u8) -> bool {
        self.list
            .get(i)
            .is_some_and(|t| t.kind == Kind::Punct && t.byte == byte)
    }

    /// Returns the index of the closing delimiter if token `i` is the opening one `open`.
    pub(super) fn group(&self, i: usize, open: u8) -> Option<usize> {
        self.list
            .get(i)
            .filter(|t| t.kind == Kind::Open && t.byte == open)
            .map(|t| t.mate as usize)
    }

    /// Returns true if a `::` begins at token `i`.
    pub(super) fn path_sep(&self, i: usize) -> bool {
        self.punct(i, b':') && self.punct(i + 1, b':') && self.joint(i)
    }

    /// Returns true if token `i` is directly followed by the next.
    pub(super) fn joint(&self, i: usize) -> bool {
        match (self.list.get(i), self.list.get(i + 1)) {
            (Some(a), Some(b)) => a.end == b.start,
            _ => false,
        }
    }

    /// Returns true if token `i` directly follows this punctuation.
    pub(super) fn joined(&self, i: usize, byte: u8) -> bool {
        i > 0 && self.punct(i - 1, byte) && self.joint(i - 1)
    }

    /// Returns true if token `i` is the `>` of `->` or `=>`.
    pub(super) fn arrow(&self, i: usize) -> bool {
        i > 0 && (self.punct(i - 1, b'-') || self.punct(i - 1, b'=')) && self.joint(i - 1)
    }

    /// Returns true if the group that opens at `i` contains the arguments of a macro call.
    pub(super) fn macro_args(&self, i: usize) -> bool {
        i >= 2 && self.punct(i - 1, b'!') && self.ident(i - 2) && !self.keyword(i - 2)
    }

    /// Returns true if token `i` is a keyword that an operand, not an operator, follows.
    pub(super) fn keyword(&self, i: usize) -> bool {
        use Keyword::*;
        matches!(
            self.list[i].keyword,
            As | Async
                | Become
                | Box
                | Break
                | Const
                | Do
                | Dyn
                | Else
                | For
                | If
                | Impl
                | In
                | Let
                | Loop
                | Match
                | Move
                | Mut
                | Ref
                | Return
                | Static
                | Unsafe
                | Where
                | While
                | Yield
        )
    }

    /// Returns true if an attribute among these tokens is a `cfg` or `cfg_attr`.
    pub(super) fn configured(&self, range: Range<usize>) -> bool {
        range
            .filter(|&i| self.word(i, "cfg") || self.word(i, "cfg_attr"))
            .any(|i| {
                let hash = i.wrapping_sub(2);
                let first = self.list[i - 1].byte == b'['
                    && (self.punct(hash, b'#') || self.punct(hash, b'!'));
                first && !self.path_sep(i + 1)
            })
    }

    /// Returns the span from the first to the last token of a range of indices.
    pub(super) fn span(&self, range: Range<usize>) -> Span {
        let bytes = match (
            self.list.get(range.start),
            range.end.checked_sub(1).and_then(|i| self.list.get(i)),
        ) {
            (Some(a), Some(b)) if range.start < range.end => a.start as usize..b.end as usize,
            (Some(a), _) => a.start as usize..a.start as usize,
            (None, _) => {
                let end = self.list.last().map_or(0, |t| t.end as usize);
                end..end
            }
        };
        Span::new(self.file, bytes.start, bytes.end)
    }

    /// Returns the span between the delimiters of the group that opens at `open`.
    pub(super) fn inside(&self, open: usize) -> Span {
        let close = self.list[open].mate as usize;
        let (start, end) = (self.list[open].end, self.list[close].start);
        Span::new(self.file, start as usize, end.max(start) as usize)
    }

    /// Creates an error at these tokens.
    pub(super) fn error(&self, range: Range<usize>, message: impl Into<String>) -> SyntaxError {
        SyntaxError {
            span: self.span(range),
            message: message.into(),
        }
    }

    /// Returns the name that token `i` is.
    pub(super) fn name(&self, i: usize) -> Name {
        Name::new(self.str(i))
    }

    /// Returns true if a statement or an item can begin at token `i` > 0.
    pub(super) fn statement(&self, i: usize) -> bool {
        let before = self.list[i - 1];
        before.kind == Kind::Close && before.byte != b')'
            || before.kind == Kind::Open && before.byte == b'{'
            || self.punct(i - 1, b';')
    }

    /// Returns true if these tokens may contain a definition: a type, an alias, an `impl`, a macro,
    /// a function, or an import, which changes how names resolve.
    pub(super) fn defines(&self, range: Range<usize>) -> bool {
        let first = self.words.partition_point(|&w| (w as usize) < range.start);
        self.words[first..]
            .iter()
            .map(|&w| w as usize)
            .take_while(|&w| w < range.end)
            .any(|w| match self.str(w) {
                "macro_rules" => self.punct(w + 1, b'!'),
                "union" => self.ident(w + 1) && !self.keyword(w + 1),
                // Otherwise a function pointer type.
                "fn" => self.ident(w + 1),
                // Otherwise an associated type.
                "type" => self.statement(w),
                // Otherwise a bound, `use<…>`.
                "use" => self.statement(w),
                // Otherwise a type.
                "impl" => w == range.start || self.statement(w) || self.word(w - 1, "unsafe"),
                _ => true,
            })
    }

    /// Returns true if the word `impl` is among these tokens, or in a group that was skipped.
    pub(super) fn implements(&self, range: Range<usize>) -> bool {
        let first = self.words.partition_point(|&w| (w as usize) < range.start);
        let words = self.words[first..].iter().map(|&w| w as usize);
        let mut words = words.take_while(|&w| w < range.end);
        words.any(|w| self.list[w].kind == Kind::Open || self.str(w) == "impl")
    }

    /// Returns true if these tokens contain an inserted closing delimiter.
    pub(super) fn broken(&self, range: Range<usize>) -> bool {
        let first = self.added.partition_point(|&w| (w as usize) < range.start);
        self.added
            .get(first)
            .is_some_and(|&w| (w as usize) < range.end)
    }
}
