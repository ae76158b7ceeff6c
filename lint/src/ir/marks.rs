//! What stands in a text about lints: comments and attributes, each with what it covers.

use super::{Attr, Cfg};
use crate::span::Span;
use std::ops::Range;

/// The marks of one text, in its order.
#[derive(Debug, Default)]
pub struct Marks {
    /// Comments that begin with `weigh:`.
    pub comments: Vec<Comment>,
    /// Attributes that set levels of lints.
    pub levels: Vec<LevelAttr>,
    /// Stretches that are there only if a condition holds, in bytes.
    pub cfgs: Vec<(Range<u32>, Box<Cfg>)>,
}

/// A comment that begins with `weigh:`.
#[derive(Debug)]
pub struct Comment {
    /// All of it.
    pub span: Span,
    /// What follows `weigh:`.
    pub text: Span,
    /// It begins with two slashes, and is no documentation.
    pub plain: bool,
    /// The colon is there; without it, only that is to be said.
    pub colon: bool,
    /// The item, field, variant or statement that it stands above or beside, with its attributes,
    /// in bytes; none where there is none.
    pub covers: Option<Range<u32>>,
}

/// An attribute `allow`, `expect`, `warn`, `deny` or `forbid`.
#[derive(Debug)]
pub struct LevelAttr {
    /// The attribute.
    pub attr: Attr,
    /// What it holds for, in bytes.
    pub covers: Range<u32>,
}
