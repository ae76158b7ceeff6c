//! Layouts as plain data that outlives the model, for findings and HTML pages.

use serde::Serialize;

/// The layout of a type. All sizes and offsets are bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Shape {
    /// The size of one value.
    pub size: u64,
    /// `struct`, `enum` or `union`.
    pub kind: &'static str,
    /// The variants of an enum; exactly one for any other type.
    pub variants: Vec<Variant>,
    /// The location of an enum's tag.
    pub tag: Option<Tag>,
    /// The largest niche available to a containing type.
    pub niche: Option<Niche>,
}

/// A variant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Variant {
    /// Its name.
    pub name: String,
    /// The sum of its fields' sizes, without padding or tag.
    pub size: u64,
    /// Whether it takes no space because it is uninhabited.
    pub absent: bool,
    /// Name, type, offset and size of each field, in source order.
    pub fields: Vec<(String, String, u64, u64)>,
}

/// The location of an enum's tag.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Tag {
    /// Its offset.
    pub offset: u64,
    /// Its size.
    pub size: u64,
    /// For a tag encoded in a niche: the variant whose field has the niche.
    pub niche_of: Option<String>,
}

/// A niche: the invalid values of a scalar.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Niche {
    /// Its offset.
    pub offset: u64,
    /// Its size.
    pub size: u64,
    /// The number of available values, as display text.
    pub values: String,
}
