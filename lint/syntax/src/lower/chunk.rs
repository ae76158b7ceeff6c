//! A range of tokens to be parsed by syn, and the mapping from syn's spans back to the text.

use super::nest::{refusal, too_deep};
use super::tokens::{Kind, Tokens};
use crate::ir::SyntaxError;
use proc_macro2::Span;
use std::cell::{Cell, RefCell};
use std::ops::Range;
use syn::parse::Parse;

/// Longer texts (bytes) are not parsed: a syntax tree is up to sixty times as large.
pub(super) const LONGEST: usize = 8 << 20;

/// The text of some tokens as syn sees it: comments, macro arguments and skipped tokens are
/// replaced by one space.
pub(super) struct Chunk<'t> {
    /// All tokens of the source text.
    pub tokens: &'t Tokens<'t>,
    text: String,
    /// The tokens of the chunk, and the ranges to skip among them.
    range: Range<usize>,
    skip: &'t [Range<usize>],
    /// The offset of each token in `text`, and its index.
    places: Vec<(u32, u32)>,
    /// Whether the text is ASCII on one line, so that a column is an offset.
    plain: bool,
    /// An error found during lowering that makes the whole chunk fail.
    complaint: Cell<Option<(usize, &'static str)>>,
    /// Errors that do not make the chunk fail: attributes that are not understood.
    pub errors: RefCell<Vec<SyntaxError>>,
}

/// The grammar of a chunk's tokens outside of all delimiters.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Grammar {
    /// Types and bounds: `+` separates list elements and does not nest.
    Types,
    /// An expression or a function.
    Values,
}

impl<'t> Chunk<'t> {
    /// Creates a chunk of these tokens without those in `skip` (indices in ascending order).
    ///
    /// # Errors
    /// It nests too deep or is too long.
    pub(super) fn new(
        tokens: &'t Tokens<'t>,
        range: Range<usize>,
        skip: &'t [Range<usize>],
        grammar: Grammar,
    ) -> Result<Self, SyntaxError> {
        if let Some(found) = too_deep(tokens, range.clone(), skip, grammar) {
            return Err(refusal(tokens, found));
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

    /// Writes the text; with `old`, rewrites trait objects and names of edition 2015 in today's
    /// syntax.
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

    /// Returns the number of tokens of a `~const`, `[const]` or `const` before a bound at `i`: they
    /// do not affect layout, and syn does not parse them.
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

    /// Parses the text and calls `lower` with the tree, which is dropped on return.
    ///
    /// # Errors
    /// The text is not a `T`, or `lower` called [`Chunk::complain`].
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

    /// Retries with the syntax of edition 2015: trait objects `Fn(…)` without `dyn`, whose
    /// parentheses syn accepts only in bounds, and names that are keywords today. This comes second
    /// because only text that is invalid today can be told from a variant or a call of that name.
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

    /// Makes [`Chunk::parse`] fail with an error at this span.
    pub(super) fn complain(&self, span: Span, message: &'static str) {
        let (first, _) = self.tokens_of(span);
        self.complaint.set(Some((first, message)));
    }

    /// Returns the indices of the first and the last token of a span.
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
        // syn has no position for an unexpected end of the text.
        let (first, last) = if span.byte_range().is_empty() {
            (last_token, last_token)
        } else {
            self.tokens_of(span)
        };
        let message = error.to_string();
        let message = match message.lines().next() {
            // syn lists every possibility.
            Some(m) if m.contains("expected one of") => "something else is expected here",
            Some(m) => m,
            None => "this cannot be read",
        };
        self.tokens.error(first..last.max(first) + 1, message)
    }
}

/// Clears syn's table of spans, which grows with every parsed text. No span may be in use.
pub(super) fn forget_spans() {
    proc_macro2::extra::invalidate_current_thread_spans();
}
