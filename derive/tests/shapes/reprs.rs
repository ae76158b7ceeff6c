//! Representations.

use weigh_derive::AssertSize;

/// In source order.
#[derive(AssertSize)]
#[assert_size(max = 12, align = 4)]
#[repr(C)]
pub struct InOrder(pub u8, pub u32, pub u8);

/// Without padding.
#[derive(AssertSize)]
#[assert_size(max = 6, align = 1, no_padding)]
#[repr(C, packed)]
pub struct Packed(pub u8, pub u32, pub u8);

/// Packed to 2.
#[derive(AssertSize)]
#[assert_size(max = 8, align = 2)]
#[repr(C, packed(2))]
pub struct PackedTwo(pub u8, pub u32, pub u8);

/// Aligned.
#[derive(AssertSize)]
#[assert_size(max = 64, align = 64)]
#[repr(align(64))]
pub struct Aligned(pub u8);

/// Transparent.
#[derive(AssertSize)]
#[assert_size(max = 8, niche, no_padding)]
#[repr(transparent)]
pub struct Transparent(pub core::num::NonZeroU64);

/// A tag of C's `int`.
#[derive(AssertSize)]
#[assert_size(max = 4, align = 4)]
#[repr(C)]
pub enum CLike {
    /// One.
    Left,
    /// Two.
    Right,
}

/// A union of structs behind C's `int`.
#[derive(AssertSize)]
#[assert_size(
    max = 16,
    variant(Left, max = 12),
    variant(Right, exact = 4),
    max_gap = 8
)]
#[repr(C)]
pub enum CData {
    /// One.
    Left(u8, u32, u8),
    /// Two.
    Right(u32),
}

/// A union of structs that begin with a byte.
#[derive(AssertSize)]
#[assert_size(max = 12, variant(Left, max = 12))]
#[repr(u8)]
pub enum ByteData {
    /// One.
    Left(u8, u32, u8),
    /// Two.
    Right(u32),
}

/// A tag of its own size.
#[derive(AssertSize)]
#[assert_size(max = 2, niche)]
#[repr(i16)]
pub enum Short {
    /// One.
    Left = -300,
    /// Two.
    Right,
}

/// Two representations at once.
#[derive(AssertSize)]
#[assert_size(max = 16, align = 16)]
#[repr(u8, align(16))]
pub enum AlignedEnum {
    /// One.
    Left(u8),
    /// Two.
    Right,
}

/// A union in the order of C.
#[derive(AssertSize)]
#[assert_size(max = 8)]
#[repr(C)]
pub union CUnion {
    /// One.
    pub number: u64,
    /// Two.
    pub byte: u8,
}

/// A packed type with a parameter.
#[derive(AssertSize)]
#[assert_size(for(T = u32), max = 5, no_padding)]
#[repr(Rust, packed)]
pub struct PackedWith<T: Copy>(pub u8, pub T);
