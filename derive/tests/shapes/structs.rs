//! Structs and unions.

use weigh_derive::AssertSize;

/// No fields.
#[derive(AssertSize)]
#[assert_size(exact = 0, align = 1, no_padding)]
pub struct Unit;

/// No fields, in parentheses.
#[derive(AssertSize)]
#[assert_size(max = 0)]
pub struct EmptyTuple();

/// No fields, in braces.
#[derive(AssertSize)]
#[assert_size(exact = 0)]
pub struct EmptyBraces {}

/// One field.
#[derive(AssertSize)]
#[assert_size(max = 8, min = 8, align = 8, no_padding)]
pub struct Newtype(pub u64);

/// Fields that rustc may reorder.
#[derive(AssertSize)]
#[assert_size(max = 16, align = 8)]
pub struct Ordered {
    /// One.
    pub first: u8,
    /// Two.
    pub second: u64,
    third: u16,
}

impl Ordered {
    /// Reads the private field.
    #[must_use]
    pub const fn third(&self) -> u16 {
        self.third
    }
}

/// Fields without padding.
#[derive(AssertSize)]
#[assert_size(exact = 8, no_padding)]
pub struct Full {
    /// One.
    pub first: u32,
    /// Two.
    pub second: [u8; 4],
}

struct Hidden(u32);

/// A field whose type is private.
#[derive(AssertSize)]
#[assert_size(max = 4, no_padding)]
pub struct HoldsHidden {
    hidden: Hidden,
}

impl HoldsHidden {
    /// Reads the private field.
    #[must_use]
    pub const fn hidden(&self) -> u32 {
        self.hidden.0
    }
}

/// A niche.
#[derive(AssertSize)]
#[assert_size(niche, max = 1, align = 1)]
pub struct Flag(pub bool);

/// Sizes that differ between targets.
#[derive(AssertSize)]
#[assert_size(exact = 16, align = 8, pointer_width = 64)]
#[assert_size(exact = 8, align = 4, pointer_width = 32)]
#[assert_size(niche)]
pub struct Text(pub &'static str);

/// A set of sizes, as of two compilers.
#[derive(AssertSize)]
#[assert_size(exact = [24, 16])]
pub struct Either(pub u64, pub u32);

/// A size relative to another type's.
#[derive(AssertSize)]
#[assert_size(max = size_of::<Ordered>(), min = size_of::<Newtype>() + size_of::<Newtype>())]
pub struct Relative(pub [u8; 16]);

/// A limit with a name, and one in a block.
#[derive(AssertSize)]
#[assert_size(max = Self::LIMIT, min = { let half = Self::LIMIT / 2; half + half })]
pub struct Named(pub [u8; 32]);

impl Named {
    const LIMIT: usize = 32;
}

/// A literal with a suffix and underscores.
#[derive(AssertSize)]
#[assert_size(max = 1_024usize)]
pub struct Suffixed(pub [u8; 1024]);

/// A field behind a `cfg` that does not hold.
#[derive(AssertSize)]
#[assert_size(max = 4)]
pub struct Configured {
    /// Present.
    pub kept: u32,
    /// Removed.
    #[cfg(any())]
    pub gone: [NoSuchType; 64],
}

/// Assertions behind `cfg`s.
#[derive(AssertSize)]
#[assert_size(max = 2, cfg(not(any())))]
#[assert_size(max = 1, cfg(any()))]
#[assert_size(min = 2, cfg(all(not(any()), not(any()))), pointer_width = 64)]
#[cfg_attr(any(), assert_size(max = 0))]
pub struct Conditions(pub u16);

/// A deprecated type.
#[deprecated = "to see that nobody is warned of it"]
#[derive(AssertSize)]
#[assert_size(max = 1, no_padding)]
pub struct Old(pub u8);

/// A deprecated field, allowed.
#[derive(AssertSize)]
#[assert_size(max = 2, no_padding)]
pub struct HoldsOld {
    /// The field.
    #[allow(deprecated)]
    pub old: Old,
    /// Another.
    #[expect(deprecated, reason = "as above")]
    pub other: Old,
}

/// Raw identifiers.
#[derive(AssertSize)]
#[assert_size(max = 2, no_padding)]
#[allow(non_camel_case_types)]
pub struct r#type {
    /// One.
    pub r#fn: u8,
    /// Two.
    pub r#mod: u8,
}

/// Function pointers, trait objects and raw pointers.
#[derive(AssertSize)]
#[assert_size(exact = 40, no_padding, niche, pointer_width = 64)]
pub struct Pointers<'a> {
    /// One.
    pub call: for<'b> fn(&'b u8) -> &'b u8,
    /// Two.
    pub object: &'a (dyn Fn(u8) -> u8 + Send + 'a),
    /// Three.
    pub raw: *const [u8],
}

/// A recursive type.
#[derive(AssertSize)]
#[assert_size(max = 16, no_padding, pointer_width = 64)]
pub struct Chain<'a> {
    /// The next.
    pub next: Option<&'a Self>,
    /// The number.
    pub number: u64,
}

/// A union.
#[derive(AssertSize)]
#[assert_size(max = 8, min = 8, align = 4)]
pub union Mixed {
    /// One.
    pub number: u32,
    /// Two.
    pub bytes: [u8; 6],
}

/// A union with a parameter.
#[derive(AssertSize)]
#[assert_size(for(T = u8), max = 4)]
#[assert_size(for(T = u64), max = 8, align = 8)]
pub union MixedWith<T: Copy> {
    /// One.
    pub number: u32,
    /// Two.
    pub other: T,
}

/// Many fields.
#[derive(AssertSize)]
#[assert_size(max = 120, no_padding)]
pub struct Many(
    pub u64,
    pub u64,
    pub u64,
    pub u64,
    pub u64,
    pub u64,
    pub u64,
    pub u64,
    pub u64,
    pub u64,
    pub u64,
    pub u64,
    pub u64,
    pub u64,
    pub u64,
);
