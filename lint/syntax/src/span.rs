//! Spans of source text: a file and a range of byte offsets.

/// The id of a text in [`crate::source::Sources`]: a source file or a macro expansion.
///
/// Ids depend on the load order, so output must never be sorted by them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(pub u32);

/// A half-open range of byte offsets in one text as stored, including a byte-order mark and a
/// shebang.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Span {
    /// The file or expansion.
    pub file: FileId,
    /// The start, inclusive.
    pub start: u32,
    /// The end, exclusive.
    pub end: u32,
}

impl Span {
    /// Creates a span from byte offsets.
    pub fn new(file: FileId, start: usize, end: usize) -> Self {
        Span {
            file,
            start: start as u32,
            end: end as u32,
        }
    }

    /// Returns the offsets as a range that can index the text.
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }

    /// Returns the length in bytes.
    pub fn len(self) -> usize {
        (self.end - self.start) as usize
    }

    /// Returns true if the span is empty.
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// Returns the smallest span of the same file that covers both.
    pub fn to(self, other: Span) -> Span {
        debug_assert_eq!(self.file, other.file);
        Span {
            file: self.file,
            start: self.start.min(other.start),
            end: self.end.max(other.end),
        }
    }
}

impl std::fmt::Debug for Span {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "#{}:{}..{}", self.file.0, self.start, self.end)
    }
}
