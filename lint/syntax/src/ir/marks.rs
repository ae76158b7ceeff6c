//! Lint comments and lint level attributes of a source text, with the range that each covers.

use super::{Attr, Cfg};
use crate::span::Span;
use std::ops::Range;

/// The marks of one source text, in source order.
#[derive(Debug, Default)]
pub struct Marks {
    /// The `weigh:` comments.
    pub comments: Vec<Comment>,
    /// The lint level attributes.
    pub levels: Vec<LevelAttr>,
    /// Byte ranges under a `cfg` predicate.
    pub cfgs: Vec<(Range<u32>, Box<Cfg>)>,
}

/// A `weigh:` comment.
#[derive(Debug)]
pub struct Comment {
    /// The span of the whole comment.
    pub span: Span,
    /// The span after `weigh:`.
    pub text: Span,
    /// Whether it is a `//` comment and not a doc comment.
    pub plain: bool,
    /// Whether the colon is present; if not, the only diagnostic is that it is missing.
    pub colon: bool,
    /// The byte range of the item, field, variant or statement below or beside it, with
    /// attributes; `None` if there is none.
    pub covers: Option<Range<u32>>,
}

/// An `allow`, `expect`, `warn`, `deny` or `forbid` attribute.
#[derive(Debug)]
pub struct LevelAttr {
    /// The attribute.
    pub attr: Attr,
    /// The byte range that it applies to.
    pub covers: Range<u32>,
}
