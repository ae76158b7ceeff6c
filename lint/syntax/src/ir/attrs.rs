//! Attributes of items, fields and variants, and their derives.

use super::{Cfg, Lit};
use crate::name::Name;
use crate::span::Span;

/// The attributes of an item, field or variant.
#[derive(Clone, Debug, Default)]
pub struct Attrs {
    /// The conjunction of all `#[cfg(…)]`; `None` if there are none.
    pub cfg: Option<Box<Cfg>>,
    /// The other attributes, without doc comments. Those in a `cfg_attr` carry its predicate.
    pub list: Box<[Attr]>,
}

/// An attribute; a `cfg_attr` is already split.
#[derive(Clone, Debug)]
pub struct Attr {
    /// The predicate of the enclosing `cfg_attr`.
    pub cfg: Option<Box<Cfg>>,
    /// Its path and arguments.
    pub meta: Meta,
    /// The span of the whole attribute with `#[` and `]`; of the `cfg_attr` if it is in one.
    pub span: Span,
}

/// `path`, `path = value`, `path(list)`, or a literal in a list (empty path).
#[derive(Clone, Debug)]
pub struct Meta {
    /// Whether the path starts with `::`.
    pub global: bool,
    /// The path's segments; empty for a literal.
    pub path: Vec<Name>,
    /// The value after `=`, or the literal itself.
    pub value: Option<Lit>,
    /// The parenthesised list, if it parses as metas.
    pub list: Vec<Meta>,
    /// The span between the parentheses; empty if there are none.
    pub tokens: Span,
}

impl Attrs {
    /// Returns the derives in order, including those in any `cfg_attr`, active or not.
    pub fn derived(&self) -> impl Iterator<Item = &Meta> {
        self.derives_where(|_| true)
    }

    fn derives_where(&self, holds: impl Fn(&Attr) -> bool) -> impl Iterator<Item = &Meta> {
        let derives = self.list.iter().filter(|a| a.meta.path == ["derive"]);
        derives.filter(move |a| holds(a)).flat_map(|a| &a.meta.list)
    }

    /// Returns true if a derive's path ends in this name.
    pub fn derives(&self, name: &str) -> bool {
        self.derives_any(&[name])
    }

    /// Returns true if a derive's path ends in one of these names.
    pub fn derives_any(&self, names: &[&str]) -> bool {
        is_any(self.derived(), names)
    }
}

/// Returns true if any path ends in one of these names.
fn is_any<'m>(mut metas: impl Iterator<Item = &'m Meta>, names: &[&str]) -> bool {
    metas.any(|m| m.path.last().is_some_and(|n| names.contains(&n.as_str())))
}
