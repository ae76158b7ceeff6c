//! Enums.

use weigh_derive::AssertSize;

/// No variants.
#[derive(AssertSize)]
#[assert_size(exact = 0, max_gap = 0, align = 1)]
pub enum Never {}

/// One variant without fields.
#[derive(AssertSize)]
#[assert_size(max = 0, max_gap = 0)]
pub enum Single {
    /// The one.
    One,
}

/// One variant with fields.
#[derive(AssertSize)]
#[assert_size(max = 8, max_gap = 0, variant(One, exact = 8))]
pub enum SingleFull {
    /// The one.
    One(u64),
}

/// No fields anywhere.
#[derive(AssertSize)]
#[assert_size(max = 1, niche, max_gap = 0, variant(Blue, max = 0))]
pub enum Colour {
    /// One.
    Red,
    /// Two.
    Green,
    /// Three.
    Blue,
}

/// All kinds of variants.
#[derive(AssertSize)]
#[assert_size(max = 16, align = 8, niche)]
#[assert_size(
    max_gap = 8,
    variant(Tuple, max = 16, min = 16),
    variant(Unit, max = 0)
)]
#[assert_size(variant(Braces, exact = 8), variant(EmptyTuple, exact = 0))]
pub enum Kinds {
    /// One.
    Unit,
    /// Two.
    Tuple(u64, u32),
    /// Three.
    Braces {
        /// A field.
        left: u32,
        /// A field.
        right: u16,
    },
    /// Four.
    EmptyTuple(),
    /// Five.
    EmptyBraces {},
}

/// Two variants of the same size.
#[derive(AssertSize)]
#[assert_size(max = 16, max_gap = 0)]
pub enum Even {
    /// One.
    Left(u64),
    /// Two.
    Right(i64),
}

/// A variant without fields is the second largest.
#[derive(AssertSize)]
#[assert_size(max_gap = 100, max = 101)]
pub enum Steep {
    /// One.
    Flat,
    /// Two.
    High([u8; 100]),
}

/// Variants with zero-sized fields.
#[derive(AssertSize)]
#[assert_size(max = 1, max_gap = 0, variant(Left, max = 0))]
pub enum Weightless {
    /// One.
    Left(()),
    /// Two.
    Right([u8; 0]),
}

/// Discriminants.
#[derive(AssertSize)]
#[assert_size(max = 2, niche)]
pub enum Numbers {
    /// One.
    Low = -1,
    /// Two.
    High = 300,
}

/// Variants behind `cfg`s.
#[derive(AssertSize)]
#[assert_size(max = 8, variant(Kept, max = 4))]
#[assert_size(variant(Gone, max = 1), cfg(any()))]
pub enum Configured {
    /// Present.
    Kept(u32),
    /// Removed.
    #[cfg(any())]
    Gone(NoSuchType),
    /// A variant with a removed field.
    Half {
        /// Present.
        kept: u8,
        /// Removed.
        #[cfg(any())]
        gone: NoSuchType,
    },
}

/// Raw identifiers.
#[derive(AssertSize)]
#[assert_size(max = 2, variant(r#struct, max = 1))]
#[allow(non_camel_case_types)]
pub enum Raw {
    /// One.
    r#struct(u8),
    /// Two.
    r#enum {
        /// A field.
        r#in: u8,
    },
}

/// A recursive enum.
#[derive(AssertSize)]
#[assert_size(max = 16, variant(Cons, max = 16), pointer_width = 64)]
pub enum List<'a> {
    /// The end.
    Nil,
    /// More.
    Cons(u64, &'a Self),
}

/// An enum inside an `Option` inside an enum.
#[derive(AssertSize)]
#[assert_size(max = 16, niche, variant(Some, max = 8), pointer_width = 64)]
pub enum Option {
    /// Not the prelude's.
    None,
    /// Not the prelude's.
    Some(::core::option::Option<&'static u8>),
}

/// Lints that the user allows.
#[derive(AssertSize)]
#[assert_size(max = 2048)]
#[allow(clippy::large_enum_variant)]
pub enum Large {
    /// One.
    Small(u8),
    /// Two.
    Big([u64; 255]),
}

/// More variants than a message shows.
#[derive(AssertSize)]
#[assert_size(max = 12, max_gap = 1, variant(Ten, max = 10))]
pub enum Steps {
    /// 1 byte.
    One([u8; 1]),
    /// 2 bytes.
    Two([u8; 2]),
    /// 4 bytes.
    Four([u8; 4]),
    /// 9 bytes.
    Nine([u8; 9]),
    /// 10 bytes.
    Ten([u8; 10]),
    /// 11 bytes.
    Eleven([u8; 11]),
}
