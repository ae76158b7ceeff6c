//! One stretch of tokens handed to syn, and the way back from syn's spans to the text.

use super::nest::{DEEPEST, too_deep};
use super::tokens::{Kind, Tokens};
use crate::ir::SyntaxError;
use proc_macro2::Span;
use std::cell::{Cell, RefCell};
use std::ops::Range;
use syn::parse::Parse;

/// Texts longer than this (bytes) are not parsed: a tree takes up to sixty times as much.
pub(super) const LONGEST: usize = 8 << 20;

/// The text of some tokens as syn reads it: comments, the arguments of macros and whatever was
/// left out are gone, one space stands in their place.
pub(super) struct Chunk<'t> {
    /// The tokens of the whole text.
    pub tokens: &'t Tokens<'t>,
    text: String,
    /// Its tokens, and which of them are left out.
    range: Range<usize>,
    skip: &'t [Range<usize>],
    /// Where each token begins in `text`, and its index.
    places: Vec<(u32, u32)>,
    /// The text is ASCII on one line, so a column is an offset.
    plain: bool,
    /// What lowering found that must not be passed over in silence.
    complaint: Cell<Option<(usize, &'static str)>>,
    /// Faults that cost less than the whole: attributes that are not understood.
    pub errors: RefCell<Vec<SyntaxError>>,
}

/// What the tokens of a chunk are outside of all delimiters.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Grammar {
    /// Types and bounds: `+` lists, it does not nest.
    Types,
    /// An expression or a function.
    Values,
}

impl<'t> Chunk<'t> {
    /// The chunk of these tokens, all but those in `skip` (indices in ascending order).
    ///
    /// # Errors
    /// It nests too deep or is too long.
    pub(super) fn new(
        tokens: &'t Tokens<'t>,
        range: Range<usize>,
        skip: &'t [Range<usize>],
        grammar: Grammar,
    ) -> Result<Self, SyntaxError> {
        if let Some(i) = too_deep(tokens, range.clone(), skip, grammar) {
            let message = format!("this nests more than {DEEPEST} levels deep");
            return Err(tokens.error(i..i + 1, message));
        }
        let chunk = Self::of(tokens, range.clone(), skip, false);
        if chunk.text.len() > LONGEST {
            let message = format!("this item is longer than {} MiB", LONGEST >> 20);
            return Err(tokens.error(range, message));
        }
        Ok(chunk)
    }

    fn of(
        tokens: &'t Tokens<'t>,
        range: Range<usize>,
        skip: &'t [Range<usize>],
        old: bool,
    ) -> Self {
        let bytes = tokens.span(range.clone());
        let mut chunk = Chunk {
            tokens,
            range,
            skip,
            text: String::with_capacity(bytes.len().min(LONGEST)),
            places: Vec::new(),
            plain: true,
            complaint: Cell::new(None),
            errors: RefCell::default(),
        };
        chunk.fill(old);
        chunk.plain = chunk.text.is_ascii() && !chunk.text.contains('\n');
        chunk
    }

    /// Writes the text; `old` is the one with the trait objects of 2015 made like today's.
    fn fill(&mut self, old: bool) {
        let range = self.range.clone();
        self.places.reserve(range.len());
        let mut skip = self.skip.iter().peekable();
        let mut end = None;
        let mut i = range.start;
        while i < range.end && self.text.len() <= LONGEST {
            if let Some(s) = skip.next_if(|s| s.start <= i) {
                i = i.max(s.end);
                continue;
            }
            if let Some(n) = self.constness(i) {
                i += n;
                continue;
            }
            let token = self.tokens.list[i];
            if end.is_some_and(|end| end != token.start) {
                self.text.push(' ');
            }
            end = Some(token.end);
            if old && self.tokens.bare_closure(i) {
                self.text.push_str(" dyn ");
            }
            self.places.push((self.text.len() as u32, i as u32));
            if old && self.tokens.name_of_old(i) {
                self.text.push_str("r#");
            }
            self.text.push_str(self.tokens.str(i));
            if token.kind == Kind::Open && self.tokens.macro_args(i) {
                i = token.mate as usize;
            } else {
                i += 1;
            }
        }
    }

    /// The number of tokens of a `~const`, `[const]` or `const` before a bound at `i`: they say
    /// nothing about layout and syn does not know them.
    fn constness(&self, i: usize) -> Option<usize> {
        let tokens = self.tokens;
        if tokens.punct(i, b'~') && tokens.word(i + 1, "const") {
            return Some(2);
        }
        let bound = i > 0
            && (tokens.punct(i - 1, b'+') || tokens.punct(i - 1, b':'))
            && !(i > 1 && tokens.path_sep(i - 2));
        if bound && tokens.group(i, b'[') == Some(i + 2) && tokens.word(i + 1, "const") {
            return Some(3);
        }
        (bound && tokens.word(i, "const") && tokens.ident(i + 1)).then_some(1)
    }

    /// Parses the text and hands the tree to `lower`; the tree is gone when this returns.
    ///
    /// # Errors
    /// The text is no `T`, or `lower` has complained.
    pub(super) fn parse<T: Parse, R>(
        &self,
        lower: impl FnOnce(&T, &Self) -> R,
    ) -> Result<R, SyntaxError> {
        let result = match syn::parse_str::<T>(&self.text) {
            Ok(tree) => Ok(lower(&tree, self)),
            Err(error) => {
                let fault = self.fault(&error);
                self.parse_old(lower).ok_or(fault)
            }
        };
        forget_spans();
        match self.complaint.take() {
            Some((i, message)) => Err(self.tokens.error(i..i + 1, message)),
            None => result,
        }
    }

    /// A second attempt, for the edition of 2015: trait objects `Fn(…)` without `dyn`, of which syn
    /// reads the parentheses in bounds alone, and names that are keywords today. Only what is no
    /// Rust of today can be told from a variant or a call of that name.
    fn parse_old<T: Parse, R>(&self, lower: impl FnOnce(&T, &Self) -> R) -> Option<R> {
        let old = |i| self.tokens.bare_closure(i) || self.tokens.name_of_old(i);
        if !self.range.clone().any(old) {
            return None;
        }
        let chunk = Self::of(self.tokens, self.range.clone(), self.skip, true);
        let tree = syn::parse_str::<T>(&chunk.text).ok()?;
        let read = lower(&tree, &chunk);
        self.complaint.set(chunk.complaint.take());
        self.errors.replace(chunk.errors.take());
        Some(read)
    }

    /// Makes [`Chunk::parse`] fail, at this place.
    pub(super) fn complain(&self, span: Span, message: &'static str) {
        let (first, _) = self.tokens_of(span);
        self.complaint.set(Some((first, message)));
    }

    /// The indices of the first and the last token under a span.
    pub(super) fn tokens_of(&self, span: Span) -> (usize, usize) {
        let (start, end) = if self.plain {
            (span.start().column, span.end().column)
        } else {
            let range = span.byte_range();
            (range.start, range.end)
        };
        (self.token_at(start), self.token_at(end.max(start + 1) - 1))
    }

    fn token_at(&self, offset: usize) -> usize {
        let after = self.places.partition_point(|p| p.0 as usize <= offset);
        self.places
            .get(after.saturating_sub(1))
            .map_or(0, |p| p.1 as usize)
    }

    fn fault(&self, error: &syn::Error) -> SyntaxError {
        let span = error.span();
        let last_token = self
            .places
            .last()
            .map_or(self.range.start.saturating_sub(1), |p| p.1 as usize);
        // Where the text ended too early syn has no place to give.
        let (first, last) = if span.byte_range().is_empty() {
            (last_token, last_token)
        } else {
            self.tokens_of(span)
        };
        let message = error.to_string();
        let message = match message.lines().next() {
            // Syn lists all that it can think of.
            Some(m) if m.contains("expected one of") => "something else is expected here",
            Some(m) => m,
            None => "this cannot be read",
        };
        self.tokens.error(first..last.max(first) + 1, message)
    }
}

/// Empties the table behind syn's spans, which grows with every text that is parsed. No span may
/// be alive.
pub(super) fn forget_spans() {
    proc_macro2::extra::invalidate_current_thread_spans();
}
