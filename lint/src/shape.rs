//! A layout as plain data that outlives the model: what a finding and a page can hold.

use serde::Serialize;

/// The layout of a type. All sizes and offsets are bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Shape {
    /// Bytes of one value.
    pub size: u64,
    /// `struct`, `enum` or `union`.
    pub kind: &'static str,
    /// An enum's variants, or the one body of anything else.
    pub variants: Vec<Variant>,
    /// Where an enum keeps which variant it is.
    pub tag: Option<Tag>,
    /// The largest niche that is left for a type around it.
    pub niche: Option<Niche>,
}

/// One variant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Variant {
    /// Its name.
    pub name: String,
    /// Sum of its fields' sizes, without padding or tag.
    pub size: u64,
    /// It takes no room, as it can never be made.
    pub absent: bool,
    /// Name, type, offset and size of each field, in the order of the source.
    pub fields: Vec<(String, String, u64, u64)>,
}

/// Where an enum keeps which variant it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Tag {
    /// Where it begins.
    pub offset: u64,
    /// Bytes it takes.
    pub size: u64,
    /// For a tag hidden in a niche: the variant whose field holds it.
    pub niche_of: Option<String>,
}

/// Values that a type leaves unused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Niche {
    /// Where it begins.
    pub offset: u64,
    /// Bytes it takes.
    pub size: u64,
    /// How many values are free, in words.
    pub values: String,
}
