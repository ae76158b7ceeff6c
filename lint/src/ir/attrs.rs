//! The attributes of items, fields and variants, and what they derive.

use super::{Cfg, Lit};
use crate::name::Name;
use crate::span::Span;

/// The attributes of an item, field or variant.
#[derive(Clone, Debug, Default)]
pub struct Attrs {
    /// All `#[cfg(…)]` of it, joined; `None` when there is none.
    pub cfg: Option<Box<Cfg>>,
    /// The others, doc comments left out. What a `cfg_attr` adds carries its condition.
    pub list: Vec<Attr>,
}

/// One attribute, a `cfg_attr` already taken apart.
#[derive(Clone, Debug)]
pub struct Attr {
    /// The condition of the `cfg_attr` that it comes from.
    pub cfg: Option<Box<Cfg>>,
    /// Path and arguments.
    pub meta: Meta,
    /// The whole attribute with `#[` and `]`; for one out of a `cfg_attr`, that one.
    pub span: Span,
}

/// `path`, `path = value`, `path(list)`, or a literal standing alone in a list (empty path).
#[derive(Clone, Debug)]
pub struct Meta {
    /// The path starts with `::`.
    pub global: bool,
    /// The path's names; empty for a literal.
    pub path: Vec<Name>,
    /// What stands after `=`, or the literal itself.
    pub value: Option<Lit>,
    /// What stands between the parentheses, when it reads as metas.
    pub list: Vec<Meta>,
    /// The bytes between the parentheses; empty without any.
    pub tokens: Span,
}

impl Attrs {
    /// What is derived, in order; those of a `cfg_attr` too, whether or not it holds.
    pub fn derived(&self) -> impl Iterator<Item = &Meta> {
        self.derives_where(|_| true)
    }

    fn derives_where(&self, holds: impl Fn(&Attr) -> bool) -> impl Iterator<Item = &Meta> {
        let derives = self.list.iter().filter(|a| a.meta.path == ["derive"]);
        derives.filter(move |a| holds(a)).flat_map(|a| &a.meta.list)
    }

    /// True if something of this name is derived, however its path begins.
    pub fn derives(&self, name: &str) -> bool {
        self.derives_any(&[name])
    }

    /// The same of one of several names.
    pub fn derives_any(&self, names: &[&str]) -> bool {
        is_any(self.derived(), names)
    }

    /// The same of what no `cfg` can take away.
    pub fn always_derives_any(&self, names: &[&str]) -> bool {
        is_any(self.derives_where(|a| a.cfg.is_none()), names)
    }
}

/// True for a path that ends in one of several names.
fn is_any<'m>(mut metas: impl Iterator<Item = &'m Meta>, names: &[&str]) -> bool {
    metas.any(|m| m.path.last().is_some_and(|n| names.contains(&n.as_str())))
}
