//! The string types of other crates that can replace a `String`: their sizes and inline capacities.
//!
//! The numbers are for 64-bit targets; a test of this repository measures the crates themselves.

/// Bytes of the longest text that a type for short strings stores inline.
pub const LONGEST_INLINE: u64 = 24;

/// A string type of another crate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextType {
    /// Its path: crate and type.
    pub path: &'static str,
    /// A type of std with the same layout, for layout computation.
    pub shape: &'static str,
    /// Size of a value, in bytes.
    pub size: u64,
    /// Maximum length of a text stored inline, in bytes.
    pub inline: u64,
    /// Whether an `Option` of it is as large as the type itself.
    pub niche: bool,
    /// Whether it can be modified in place.
    pub mutable: bool,
    /// Whether cloning a long text increments a count instead of allocating.
    pub shared: bool,
}

/// 24 bytes, all of them usable for text.
pub const COMPACT: TextType = TextType {
    path: "compact_str::CompactString",
    shape: "crate::string::String",
    size: 24,
    inline: LONGEST_INLINE,
    niche: true,
    mutable: true,
    shared: false,
};

/// Immutable, with shared long texts.
pub const SMOL: TextType = TextType {
    path: "smol_str::SmolStr",
    shape: "(bool, u8, u16, u32, usize, usize)",
    size: 24,
    inline: 23,
    niche: true,
    mutable: false,
    shared: true,
};

/// The smallest.
pub const ECO: TextType = TextType {
    path: "ecow::EcoString",
    shape: "[usize; 2]",
    size: 16,
    inline: 15,
    niche: false,
    mutable: true,
    shared: true,
};

/// All of them.
pub const ALL: [TextType; 3] = [COMPACT, SMOL, ECO];
