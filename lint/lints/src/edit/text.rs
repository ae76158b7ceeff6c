//! Tokens of files; insertions and replacements, their order at one place, and the resulting edits.

use crate::finding::Edit;
use crate::lower::{self, Kind, Token};
use crate::memo::Memo;
use crate::source::{SourceFile, Sources};
use crate::span::{FileId, Span};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// A file with its tokens.
pub(super) struct Tokens {
    pub(super) source: Arc<SourceFile>,
    pub(super) list: Vec<Token>,
}

impl Tokens {
    /// Tokenizes a text that is part of a file.
    pub(super) fn of_text(file: FileId, text: String) -> Tokens {
        let source = Arc::new(SourceFile::of_part(file, text));
        let list = lower::tokens(&source);
        Tokens { source, list }
    }

    pub(super) fn str(&self, i: usize) -> &str {
        match self.list.get(i) {
            Some(t) => &self.source.text[t.start as usize..t.end as usize],
            None => "",
        }
    }

    pub(super) fn is_ident(&self, i: usize) -> bool {
        let token = self.list.get(i);
        token.is_some_and(|t| matches!(t.kind, Kind::Word | Kind::Raw))
    }

    pub(super) fn is(&self, i: usize, byte: u8) -> bool {
        let token = self.list.get(i);
        token.is_some_and(|t| t.byte == byte && matches!(t.kind, Kind::Punct | Kind::Open))
    }

    /// Returns the first token that begins at an offset or after it.
    pub(super) fn at(&self, offset: u32) -> usize {
        self.list.partition_point(|t| t.start < offset)
    }

    /// Returns true for `::` whose second colon is token `i`.
    pub(super) fn ends_path_sep(&self, i: usize) -> bool {
        i > 0 && self.is(i, b':') && self.is(i - 1, b':') && {
            self.list[i - 1].end == self.list[i].start
        }
    }

    /// Returns the first name of the path whose last name is token `last`.
    pub(super) fn start_of_path(&self, last: usize) -> usize {
        let mut first = last;
        while first >= 3 && self.ends_path_sep(first - 1) && self.is_ident(first - 3) {
            first -= 3;
        }
        first
    }

    /// Extends a span to whole pairs of delimiters: `a) + b` grows to `(a) + b`.
    pub(super) fn balanced(&self, span: Span) -> Span {
        let mut span = span;
        let (mut i, mut end) = (self.at(span.start), self.at(span.end));
        while i < end {
            let token = self.list[i];
            let mate = &self.list[token.mate as usize];
            match token.kind {
                Kind::Close if mate.start < span.start => {
                    span.start = mate.start;
                    i = self.at(span.start);
                    continue;
                }
                Kind::Open if mate.start >= span.end => {
                    span.end = mate.end;
                    end = self.at(span.end);
                }
                _ => {}
            }
            i += 1;
        }
        span
    }

    /// Extends the span of an expression to the whole element between separators: with the
    /// parentheses, keywords and types that the expression's own span lacks.
    pub(super) fn element(&self, value: Span) -> Option<Span> {
        let value = self.balanced(value);
        let first = self.at(value.start);
        let mut start = first;
        // Back to the separator.
        while start > 0 {
            let before = &self.list[start - 1];
            match before.kind {
                Kind::Close => start = before.mate as usize,
                Kind::Open if (before.mate as usize) < self.at(value.end) => start -= 1,
                Kind::Open if before.byte == b'(' && self.is_paren(start - 1) => start -= 1,
                Kind::Open => break,
                Kind::Punct if before.byte == b',' || before.byte == b';' => break,
                // The arrow of a `match`.
                Kind::Punct
                    if before.byte == b'>'
                        && self.is_arrow(start - 1)
                        && self.is(start - 2, b'=') =>
                {
                    break;
                }
                Kind::Punct if before.byte == b':' && !self.ends_path_sep(start - 1) => {
                    // A label: `'a: loop`.
                    match start.checked_sub(2).map(|i| self.list[i].kind) {
                        Some(Kind::Lifetime) => start -= 1,
                        _ => break,
                    }
                }
                _ => start -= 1,
            }
        }
        // On to the separator; commas between angle brackets come before an open `>`.
        let mut end = self.at(value.end);
        let mut angles = 0i32;
        while let Some(token) = self.list.get(end) {
            match token.kind {
                Kind::Close if (token.mate as usize) >= start => end += 1,
                Kind::Close => break,
                Kind::Open => end = token.mate as usize + 1,
                Kind::Punct if token.byte == b'<' => {
                    angles += 1;
                    end += 1;
                }
                Kind::Punct if token.byte == b'>' && !self.is_arrow(end) => {
                    angles -= 1;
                    end += 1;
                }
                Kind::Punct if token.byte == b',' && angles <= 0 => break,
                Kind::Punct if token.byte == b';' => break,
                _ => end += 1,
            }
        }
        let last = self.list.get(end.checked_sub(1)?)?;
        let start = self.list.get(start)?.start;
        (last.end >= value.end && start <= value.start).then_some(Span {
            file: value.file,
            start,
            end: last.end,
        })
    }

    /// Returns the token ranges of the comma-separated elements of the group that opens at a token.
    pub(super) fn elements(&self, open: usize) -> Vec<Range<usize>> {
        let close = self.list[open].mate as usize;
        let mut list = Vec::new();
        let (mut start, mut i, mut angles) = (open + 1, open + 1, 0i32);
        while i < close {
            let token = self.list[i];
            match token.kind {
                Kind::Open => i = token.mate as usize,
                Kind::Punct if token.byte == b'<' => angles += 1,
                Kind::Punct if token.byte == b'>' && !self.is_arrow(i) => angles -= 1,
                Kind::Punct if token.byte == b',' && angles <= 0 => {
                    list.push(start..i);
                    start = i + 1;
                }
                _ => {}
            }
            i += 1;
        }
        if start < close {
            list.push(start..close);
        }
        list
    }

    /// Returns a statement with its semicolon, and with its whole line if nothing else is on it.
    pub(super) fn statement(&self, value: Span) -> Option<Span> {
        let end = self
            .list
            .get(self.at(value.end))
            .filter(|t| t.byte == b';')?
            .end as usize;
        let text = &self.source.text;
        let start = value.start as usize;
        let margin = start - text[..start].trim_end_matches([' ', '\t']).len();
        let rest = &text[end..];
        let behind = rest.len() - rest.trim_start_matches([' ', '\t', '\r']).len();
        let before = &text[..start - margin];
        let alone =
            (before.is_empty() || before.ends_with('\n')) && rest[behind..].starts_with('\n');
        Some(match alone {
            true => Span {
                start: (start - margin) as u32,
                end: (end + behind + 1) as u32,
                ..value
            },
            false => Span {
                end: end as u32,
                ..value
            },
        })
    }

    /// Returns the text of a range of tokens.
    pub(super) fn text(&self, tokens: &Range<usize>) -> &str {
        let (first, last) = (self.list[tokens.start], self.list[tokens.end - 1]);
        &self.source.text[first.start as usize..last.end as usize]
    }

    /// Returns the opening delimiter of the innermost group around a token.
    pub(super) fn outer(&self, at: usize) -> Option<usize> {
        let mut i = at;
        while i > 0 {
            i -= 1;
            match self.list[i].kind {
                Kind::Close => i = self.list[i].mate as usize,
                Kind::Open => return Some(i),
                _ => {}
            }
        }
        None
    }

    /// Returns true for `(` around an operand, not a call.
    fn is_paren(&self, i: usize) -> bool {
        let Some(before) = i.checked_sub(1).map(|b| self.list[b]) else {
            return true;
        };
        match before.kind {
            Kind::Word => matches!(self.str(i - 1), "return" | "break" | "in" | "match" | "if"),
            Kind::Raw | Kind::Close | Kind::Quoted | Kind::Number | Kind::Lifetime => false,
            // `!(`: macro arguments, or a negation.
            Kind::Punct if before.byte == b'!' => !(i >= 2 && self.is_ident(i - 2)),
            Kind::Punct => before.byte != b'>',
            Kind::Open => true,
        }
    }

    fn is_arrow(&self, i: usize) -> bool {
        i > 0
            && (self.is(i - 1, b'-') || self.is(i - 1, b'='))
            && self.list[i - 1].end == self.list[i].start
    }
}

/// The tokens of files, computed on demand.
#[derive(Default)]
pub(super) struct Files(Memo<FileId, Arc<OnceLock<Arc<Tokens>>>>);

impl Files {
    pub(super) fn get(&self, sources: &Sources, file: FileId) -> Arc<Tokens> {
        // One thread tokenizes a file and the others wait: duplicate token lists would multiply the
        // memory use.
        let known = self.0.get(&file);
        let tokens = known.unwrap_or_else(|| self.0.keep(file, Arc::default()));
        let read = || {
            let source = sources.get(file);
            let list = lower::tokens(&source);
            Arc::new(Tokens { source, list })
        };
        tokens.get_or_init(read).clone()
    }
}

/// A text that is inserted before or after a span.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Insertion {
    /// True if it is inserted before the span, false if after it; at one place, closing insertions
    /// come first.
    opens: bool,
    /// The longer the span, the further outside is the insertion.
    reach: i64,
    /// For one span, lower levels are further outside.
    level: i8,
    text: String,
}

/// Levels of insertions around one span.
pub(super) const OUTER: i8 = 0;
pub(super) const INNER: i8 = 1;

/// Insertions and replacements in real files.
#[derive(Default)]
pub(super) struct Edits {
    inserted: BTreeMap<(FileId, u32), Vec<Insertion>>,
    replaced: BTreeMap<(FileId, u32, u32), String>,
}

impl Edits {
    /// Inserts text before and after a span; repeating the same call has no effect.
    pub(super) fn around(&mut self, at: Span, level: i8, before: &str, after: &str) {
        let len = i64::from(at.end - at.start);
        if !before.is_empty() {
            self.insert(
                (at.file, at.start),
                Insertion {
                    opens: true,
                    reach: -len,
                    level,
                    text: before.to_owned(),
                },
            );
        }
        if !after.is_empty() {
            self.insert(
                (at.file, at.end),
                Insertion {
                    opens: false,
                    reach: len,
                    level: -level,
                    text: after.to_owned(),
                },
            );
        }
    }

    fn insert(&mut self, at: (FileId, u32), insertion: Insertion) {
        let list = self.inserted.entry(at).or_default();
        if !list.contains(&insertion) {
            list.push(insertion);
        }
    }

    /// Replaces a span by a text.
    pub(super) fn replace(&mut self, at: Span, text: String) {
        self.replaced.insert((at.file, at.start, at.end), text);
    }

    /// Returns the number of places.
    pub(super) fn len(&self) -> usize {
        self.inserted.len() + self.replaced.len()
    }

    /// Returns the edits by path and place; none if they overlap.
    pub(super) fn finish(self, sources: &Sources) -> Option<Vec<Edit>> {
        let mut list: Vec<Edit> = Vec::new();
        for ((file, at), mut insertions) in self.inserted {
            insertions.sort();
            let span = Span {
                file,
                start: at,
                end: at,
            };
            let text = insertions.into_iter().map(|i| i.text).collect();
            list.push(Edit { span, text });
        }
        for ((file, start, end), text) in self.replaced {
            let span = Span { file, start, end };
            list.push(Edit { span, text });
        }
        let path = |e: &Edit| sources.get(e.span.file).path.clone();
        list.sort_by_cached_key(|e| (path(e), e.span.start, e.span.end));
        let apart = |pair: &[Edit]| {
            let (a, b) = (pair[0].span, pair[1].span);
            a.file != b.file || a.end <= b.start && a != b
        };
        list.windows(2).all(apart).then_some(list)
    }
}
