//! A cursor over the tokens and its primitives: a recursive descent parser without a syntax tree.
//!
//! A parser function returns `None` for syntax that it does not expect or know. The depth is
//! bounded before parsing (`nest`), so they may recurse.

mod generics;
mod item;
mod path;
mod ty;

pub(super) use path::{AnyPath, Style};

use super::keyword::Keyword;
use super::tokens::{Kind, Tokens};
use crate::name::Name;
use crate::span::Span;

/// A position among the tokens.
#[derive(Clone, Copy)]
pub(super) struct Cursor<'t> {
    pub tokens: &'t Tokens<'t>,
    /// The next token.
    pub at: usize,
    /// One past the last token of the enclosing group.
    pub end: usize,
    /// Whether to parse edition 2015, where some keywords were names and `dyn` was optional.
    pub old: bool,
}

/// A group that the cursor has entered.
pub(super) struct Group {
    close: usize,
    outer: usize,
}

impl<'t> Cursor<'t> {
    pub(super) fn new(tokens: &'t Tokens<'t>, range: std::ops::Range<usize>) -> Self {
        Cursor {
            tokens,
            at: range.start,
            end: range.end,
            old: false,
        }
    }

    /// Returns true at the end of the group.
    pub(super) fn done(&self) -> bool {
        self.at >= self.end
    }

    /// Returns `Some` at the end of the group.
    pub(super) fn whole(&self) -> Option<()> {
        self.done().then_some(())
    }

    pub(super) fn kind(&self) -> Option<Kind> {
        self.kind_at(self.at)
    }

    pub(super) fn kind_at(&self, i: usize) -> Option<Kind> {
        (i < self.end).then(|| self.tokens.list[i].kind)
    }

    /// Returns the next token as a keyword.
    pub(super) fn word(&self) -> Keyword {
        self.word_at(self.at)
    }

    pub(super) fn word_at(&self, i: usize) -> Keyword {
        match i < self.end && !(self.old && self.tokens.name_of_old(i)) {
            true => self.tokens.list[i].keyword,
            false => Keyword::No,
        }
    }

    pub(super) fn eat_word(&mut self, word: Keyword) -> bool {
        let found = self.word() == word;
        self.at += usize::from(found);
        found
    }

    /// Consumes this keyword, or fails.
    pub(super) fn need_word(&mut self, word: Keyword) -> Option<()> {
        self.eat_word(word).then_some(())
    }

    /// Returns the next token as a punctuation character; 0 if it is none.
    pub(super) fn sign(&self) -> u8 {
        self.sign_at(self.at)
    }

    pub(super) fn sign_at(&self, i: usize) -> u8 {
        match self.kind_at(i) {
            Some(Kind::Punct) => self.tokens.list[i].byte,
            _ => 0,
        }
    }

    /// Returns true if this two-character operator comes next, without a gap.
    pub(super) fn is_pair(&self, pair: &[u8; 2]) -> bool {
        self.is_pair_at(self.at, pair)
    }

    pub(super) fn is_pair_at(&self, i: usize, pair: &[u8; 2]) -> bool {
        self.sign_at(i) == pair[0] && self.sign_at(i + 1) == pair[1] && self.tokens.joint(i)
    }

    /// Returns true if this three-character operator comes next, without gaps.
    pub(super) fn is_triple(&self, triple: &[u8; 3]) -> bool {
        self.is_pair(&[triple[0], triple[1]])
            && self.is_pair_at(self.at + 1, &[triple[1], triple[2]])
    }

    pub(super) fn eat(&mut self, sign: u8) -> bool {
        let found = self.sign() == sign;
        self.at += usize::from(found);
        found
    }

    /// Consumes this punctuation character, or fails.
    pub(super) fn need(&mut self, sign: u8) -> Option<()> {
        self.eat(sign).then_some(())
    }

    pub(super) fn eat_pair(&mut self, pair: &[u8; 2]) -> bool {
        let found = self.is_pair(pair);
        self.at += 2 * usize::from(found);
        found
    }

    pub(super) fn need_pair(&mut self, pair: &[u8; 2]) -> Option<()> {
        self.eat_pair(pair).then_some(())
    }

    /// Returns true if a name comes next.
    pub(super) fn is_ident(&self) -> bool {
        self.is_ident_at(self.at)
    }

    pub(super) fn is_ident_at(&self, i: usize) -> bool {
        match self.kind_at(i) {
            Some(Kind::Raw) => true,
            Some(Kind::Word) => !self.word_at(i).is_reserved(),
            _ => false,
        }
    }

    /// Consumes a name, or fails.
    pub(super) fn ident(&mut self) -> Option<Name> {
        self.is_ident().then(|| self.any_word())
    }

    /// Consumes the next token as a name, keyword or not.
    pub(super) fn any_word(&mut self) -> Name {
        self.at += 1;
        self.tokens.name(self.at - 1)
    }

    pub(super) fn is_lifetime(&self) -> bool {
        self.kind() == Some(Kind::Lifetime)
    }

    pub(super) fn eat_lifetime(&mut self) -> bool {
        let found = self.is_lifetime();
        self.at += usize::from(found);
        found
    }

    /// Returns true if a literal without a sign comes next.
    pub(super) fn is_literal(&self) -> bool {
        match self.kind() {
            Some(Kind::Number | Kind::Quoted) => true,
            Some(Kind::Word) => matches!(self.word(), Keyword::True | Keyword::False),
            _ => false,
        }
    }

    /// Returns true if a group of this kind opens here.
    pub(super) fn opens(&self, open: u8) -> bool {
        self.opens_at(self.at, open)
    }

    pub(super) fn opens_at(&self, i: usize, open: u8) -> bool {
        self.kind_at(i) == Some(Kind::Open) && self.tokens.list[i].byte == open
    }

    /// Enters the group of this kind that opens here.
    pub(super) fn enter(&mut self, open: u8) -> Option<Group> {
        self.opens(open).then_some(())?;
        let close = self.tokens.list[self.at].mate as usize;
        let group = Group {
            close,
            outer: self.end,
        };
        self.at += 1;
        self.end = close;
        Some(group)
    }

    /// Leaves a fully parsed group; returns the span of its closing delimiter.
    pub(super) fn leave(&mut self, group: Group) -> Option<Span> {
        self.whole()?;
        Some(self.skip(group))
    }

    /// Skips the rest of a group; returns the span of its closing delimiter.
    pub(super) fn skip(&mut self, group: Group) -> Span {
        self.at = group.close + 1;
        self.end = group.outer;
        self.place(group.close)
    }

    /// Parses a comma-separated list in a group; returns it with the span of the closing delimiter.
    pub(super) fn listed<T>(
        &mut self,
        open: u8,
        mut part: impl FnMut(&mut Self) -> Option<T>,
    ) -> Option<(Vec<T>, Span)> {
        let group = self.enter(open)?;
        let mut list = Vec::new();
        while !self.done() {
            list.push(part(self)?);
            if !self.eat(b',') {
                break;
            }
        }
        list.shrink_to_fit();
        Some((list, self.leave(group)?))
    }

    /// Skips the outer attributes that come next.
    pub(super) fn skip_attrs(&mut self) {
        self.at = self.tokens.after_attrs(self.at).min(self.end);
    }

    /// Returns the span of a token.
    pub(super) fn place(&self, i: usize) -> Span {
        self.tokens.span(i..i + 1)
    }

    /// Returns the span of the last consumed token.
    pub(super) fn last(&self) -> Span {
        self.place(self.at - 1)
    }

    /// Returns the span from a token to the last consumed one.
    pub(super) fn since(&self, first: usize) -> Span {
        self.tokens.span(first..self.at)
    }
}
