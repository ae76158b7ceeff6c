//! The tokens of one text and the questions asked of them.

use super::keyword::Keyword;
use crate::ir::SyntaxError;
use crate::name::Name;
use crate::span::{FileId, Span};
use std::cell::Cell;
use std::ops::Range;

/// What a token is, as far as finding items needs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A word, keywords included.
    Word,
    /// A raw identifier (`r#type`): never a keyword.
    Raw,
    /// A lifetime or label.
    Lifetime,
    /// A number.
    Number,
    /// A string, byte string, character or byte.
    Quoted,
    /// `(`, `[` or `{`.
    Open,
    /// `)`, `]` or `}`; one that the text lacks covers no byte.
    Close,
    /// One character of punctuation, or a character that Rust does not know.
    Punct,
}

/// One token that is neither space nor comment.
#[derive(Clone, Copy, Debug)]
pub struct Token {
    /// First byte in the text.
    pub start: u32,
    /// One past its last byte.
    pub end: u32,
    /// The index of the other delimiter of a pair; 0 for other tokens.
    pub mate: u32,
    /// What it is.
    pub kind: Kind,
    /// Its first byte.
    pub byte: u8,
    /// The keyword that it is.
    pub(super) keyword: Keyword,
}

/// Lists longer than this (tokens) are not kept for the next text.
const LONGEST_KEPT: usize = 1 << 18;

thread_local! {
    /// The list of the last text that this thread read: a new one for each text would be memory
    /// that the system has to clear first, four times as long as the text.
    static SPARE: Cell<Vec<Token>> = const { Cell::new(Vec::new()) };
}

/// An empty list with room for so many tokens.
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

/// All tokens of a text, or of a part of it. Delimiters are always in pairs.
pub(super) struct Tokens<'a> {
    /// The text's number.
    pub file: FileId,
    /// The whole text that offsets count in.
    pub text: &'a str,
    /// The tokens in order.
    pub list: Vec<Token>,
    /// Indices of words that may begin a definition inside a function body.
    pub words: Vec<u32>,
    /// Indices of closing delimiters that the text lacks.
    pub added: Vec<u32>,
    /// Delimiters without a partner and literals without an end.
    pub faults: Vec<SyntaxError>,
}

impl<'a> Tokens<'a> {
    /// Its tokens alone.
    pub(super) fn into_list(mut self) -> Vec<Token> {
        if self.list.capacity() <= LONGEST_KEPT {
            return self.list.clone();
        }
        let mut list = std::mem::take(&mut self.list);
        list.shrink_to_fit();
        list
    }

    /// The text of a token; empty past the end.
    pub(super) fn str(&self, i: usize) -> &'a str {
        match self.list.get(i) {
            Some(t) => &self.text[t.start as usize..t.end as usize],
            None => "",
        }
    }

    /// True if token `i` is this keyword or plain identifier.
    pub(super) fn word(&self, i: usize, word: &str) -> bool {
        self.list.get(i).is_some_and(|t| t.kind == Kind::Word) && self.str(i) == word
    }

    /// True if token `i` is a word or a raw identifier.
    pub(super) fn ident(&self, i: usize) -> bool {
        self.list
            .get(i)
            .is_some_and(|t| matches!(t.kind, Kind::Word | Kind::Raw))
    }

    /// True if token `i` is this character of punctuation.
    pub(super) fn punct(&self, i: usize, byte: u8) -> bool {
        self.list
            .get(i)
            .is_some_and(|t| t.kind == Kind::Punct && t.byte == byte)
    }

    /// The index of the partner of token `i` if that opens this kind of group.
    pub(super) fn group(&self, i: usize, open: u8) -> Option<usize> {
        self.list
            .get(i)
            .filter(|t| t.kind == Kind::Open && t.byte == open)
            .map(|t| t.mate as usize)
    }

    /// True if token `i` is `:` and the next one too, side by side.
    pub(super) fn path_sep(&self, i: usize) -> bool {
        self.punct(i, b':') && self.punct(i + 1, b':') && self.joint(i)
    }

    /// True if no space stands between token `i` and the next.
    pub(super) fn joint(&self, i: usize) -> bool {
        match (self.list.get(i), self.list.get(i + 1)) {
            (Some(a), Some(b)) => a.end == b.start,
            _ => false,
        }
    }

    /// True if token `i` is the `>` of `->` or `=>`.
    pub(super) fn arrow(&self, i: usize) -> bool {
        i > 0 && (self.punct(i - 1, b'-') || self.punct(i - 1, b'=')) && self.joint(i - 1)
    }

    /// True if the group that opens at `i` holds the arguments of a macro call.
    pub(super) fn macro_args(&self, i: usize) -> bool {
        i >= 2 && self.punct(i - 1, b'!') && self.ident(i - 2) && !self.keyword(i - 2)
    }

    /// True if token `i` is a keyword after which an operand, not an operator, follows.
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

    /// True if one of the attributes that begin in these tokens makes what it stands on depend on
    /// the build configuration.
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

    /// From the first to the last token of a range of indices.
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

    /// What lies between the delimiters of the group that opens at `open`.
    pub(super) fn inside(&self, open: usize) -> Span {
        let close = self.list[open].mate as usize;
        let (start, end) = (self.list[open].end, self.list[close].start);
        Span::new(self.file, start as usize, end.max(start) as usize)
    }

    /// An error at these tokens.
    pub(super) fn error(&self, range: Range<usize>, message: impl Into<String>) -> SyntaxError {
        SyntaxError {
            span: self.span(range),
            message: message.into(),
        }
    }

    /// The name that token `i` is.
    pub(super) fn name(&self, i: usize) -> Name {
        Name::new(self.str(i))
    }

    /// True if a statement or an item can begin at token `i`, which is not the first one.
    pub(super) fn statement(&self, i: usize) -> bool {
        let before = self.list[i - 1];
        before.kind == Kind::Close && before.byte != b')'
            || before.kind == Kind::Open && before.byte == b'{'
            || self.punct(i - 1, b';')
    }

    /// True if a definition may stand among these tokens: a type or another name of one, an
    /// `impl`, a macro, a function, or an import, which decides what names mean.
    pub(super) fn defines(&self, range: Range<usize>) -> bool {
        let first = self.words.partition_point(|&w| (w as usize) < range.start);
        self.words[first..]
            .iter()
            .map(|&w| w as usize)
            .take_while(|&w| w < range.end)
            .any(|w| match self.str(w) {
                "macro_rules" => self.punct(w + 1, b'!'),
                "union" => self.ident(w + 1) && !self.keyword(w + 1),
                // Elsewhere it is a type.
                "fn" => self.ident(w + 1),
                // Elsewhere it is that of a trait.
                "type" => self.statement(w),
                // Elsewhere it is a bound.
                "use" => self.statement(w),
                // Elsewhere it is a type.
                "impl" => w == range.start || self.statement(w) || self.word(w - 1, "unsafe"),
                _ => true,
            })
    }

    /// True if a closing delimiter that the text lacks stands among these tokens.
    pub(super) fn broken(&self, range: Range<usize>) -> bool {
        let first = self.added.partition_point(|&w| (w as usize) < range.start);
        self.added
            .get(first)
            .is_some_and(|&w| (w as usize) < range.end)
    }
}
