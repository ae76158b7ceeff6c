//! Where a piece of source text lies: a file and a range of byte offsets in it.

/// Names one text known to [`crate::source::Sources`]: a file as stored, or the text a macro wrote.
///
/// The number depends on the order of loading, so nothing that is printed may be sorted by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(pub u32);

/// A half-open range of byte offsets in one text, counted in the text as stored: a byte-order
/// mark and a shebang count.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Span {
    /// The text.
    pub file: FileId,
    /// First byte, inclusive.
    pub start: u32,
    /// Last byte, exclusive.
    pub end: u32,
}

impl Span {
    /// A span from its parts; offsets in bytes.
    pub fn new(file: FileId, start: usize, end: usize) -> Self {
        Span {
            file,
            start: start as u32,
            end: end as u32,
        }
    }

    /// The offsets as a range that slices the text.
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }

    /// Length in bytes.
    pub fn len(self) -> usize {
        (self.end - self.start) as usize
    }

    /// True for a span that covers no byte.
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// The smallest span of the same file that covers both.
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
