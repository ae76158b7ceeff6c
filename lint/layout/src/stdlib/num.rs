//! Integers: their limits, wrappers and errors. The operators are in `ops`.

use crate::convert::{From, TryFrom};
use crate::marker::Sized;
use crate::niche::*;
use crate::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Rem, Shl, Shr, Sub};
use crate::str::FromStr;

pub enum FpCategory { Nan, Infinite, Zero, Subnormal, Normal }
pub enum IntErrorKind {
    Empty,
    InvalidDigit,
    PosOverflow,
    NegOverflow,
    Zero,
    #[cfg(version("1.97"))]
    NotAPowerOfTwo,
}
pub struct ParseIntError { kind: IntErrorKind }
pub struct ParseFloatError { kind: FloatErrorKind }
enum FloatErrorKind { Empty, Invalid }
#[cfg(version("1.97"))]
pub struct TryFromIntError(IntErrorKind);
#[cfg(not(version("1.97")))]
pub struct TryFromIntError(());

#[repr(transparent)]
pub struct Saturating<T>(pub T);
#[repr(transparent)]
#[weigh(copy)]
pub struct Wrapping<T>(pub T);

#[repr(transparent)]
pub struct NonZero<T: ZeroablePrimitive>(<T as ZeroablePrimitive>::NonZeroInner);
pub trait ZeroablePrimitive: Sized { type NonZeroInner; }
pub type NonZeroI8 = NonZero<i8>;
pub type NonZeroI16 = NonZero<i16>;
pub type NonZeroI32 = NonZero<i32>;
pub type NonZeroI64 = NonZero<i64>;
pub type NonZeroI128 = NonZero<i128>;
pub type NonZeroIsize = NonZero<isize>;
pub type NonZeroU8 = NonZero<u8>;
pub type NonZeroU16 = NonZero<u16>;
pub type NonZeroU32 = NonZero<u32>;
pub type NonZeroU64 = NonZero<u64>;
pub type NonZeroU128 = NonZero<u128>;
pub type NonZeroUsize = NonZero<usize>;

impl ZeroablePrimitive for i8 { type NonZeroInner = NonZeroI8Inner; }
impl ZeroablePrimitive for i16 { type NonZeroInner = NonZeroI16Inner; }
impl ZeroablePrimitive for i32 { type NonZeroInner = NonZeroI32Inner; }
impl ZeroablePrimitive for i64 { type NonZeroInner = NonZeroI64Inner; }
impl ZeroablePrimitive for i128 { type NonZeroInner = NonZeroI128Inner; }
impl ZeroablePrimitive for isize { type NonZeroInner = NonZeroIsizeInner; }
impl ZeroablePrimitive for u8 { type NonZeroInner = NonZeroU8Inner; }
impl ZeroablePrimitive for u16 { type NonZeroInner = NonZeroU16Inner; }
impl ZeroablePrimitive for u32 { type NonZeroInner = NonZeroU32Inner; }
impl ZeroablePrimitive for u64 { type NonZeroInner = NonZeroU64Inner; }
impl ZeroablePrimitive for u128 { type NonZeroInner = NonZeroU128Inner; }
impl ZeroablePrimitive for usize { type NonZeroInner = NonZeroUsizeInner; }
impl ZeroablePrimitive for char { type NonZeroInner = NonZeroCharInner; }

impl i8 { pub const MIN: i8 = -0x80; pub const MAX: i8 = 0x7f; pub const BITS: u32 = 8; }
impl i16 { pub const MIN: i16 = -0x8000; pub const MAX: i16 = 0x7fff; pub const BITS: u32 = 16; }
impl i32 { pub const MIN: i32 = -0x8000_0000; pub const MAX: i32 = 0x7fff_ffff; pub const BITS: u32 = 32; }
impl i64 {
    pub const MIN: i64 = -0x8000_0000_0000_0000;
    pub const MAX: i64 = 0x7fff_ffff_ffff_ffff;
    pub const BITS: u32 = 64;
}
impl i128 {
    pub const MIN: i128 = -0x8000_0000_0000_0000_0000_0000_0000_0000;
    pub const MAX: i128 = 0x7fff_ffff_ffff_ffff_ffff_ffff_ffff_ffff;
    pub const BITS: u32 = 128;
}
impl u8 { pub const MIN: u8 = 0; pub const MAX: u8 = 0xff; pub const BITS: u32 = 8; }
impl u16 { pub const MIN: u16 = 0; pub const MAX: u16 = 0xffff; pub const BITS: u32 = 16; }
impl u32 { pub const MIN: u32 = 0; pub const MAX: u32 = 0xffff_ffff; pub const BITS: u32 = 32; }
impl u64 { pub const MIN: u64 = 0; pub const MAX: u64 = 0xffff_ffff_ffff_ffff; pub const BITS: u32 = 64; }
impl u128 {
    pub const MIN: u128 = 0;
    pub const MAX: u128 = 0xffff_ffff_ffff_ffff_ffff_ffff_ffff_ffff;
    pub const BITS: u32 = 128;
}
#[cfg(target_pointer_width = "64")]
impl isize {
    pub const MIN: isize = -0x8000_0000_0000_0000;
    pub const MAX: isize = 0x7fff_ffff_ffff_ffff;
    pub const BITS: u32 = 64;
}
#[cfg(target_pointer_width = "64")]
impl usize { pub const MIN: usize = 0; pub const MAX: usize = 0xffff_ffff_ffff_ffff; pub const BITS: u32 = 64; }
#[cfg(target_pointer_width = "32")]
impl isize { pub const MIN: isize = -0x8000_0000; pub const MAX: isize = 0x7fff_ffff; pub const BITS: u32 = 32; }
#[cfg(target_pointer_width = "32")]
impl usize { pub const MIN: usize = 0; pub const MAX: usize = 0xffff_ffff; pub const BITS: u32 = 32; }
#[cfg(target_pointer_width = "16")]
impl isize { pub const MIN: isize = -0x8000; pub const MAX: isize = 0x7fff; pub const BITS: u32 = 16; }
#[cfg(target_pointer_width = "16")]
impl usize { pub const MIN: usize = 0; pub const MAX: usize = 0xffff; pub const BITS: u32 = 16; }

impl char {
    pub const MIN: char = '\0';
    pub const MAX: char = '\u{10ffff}';
    pub const REPLACEMENT_CHARACTER: char = '\u{fffd}';
    pub const MAX_LEN_UTF8: usize = 4;
    pub const MAX_LEN_UTF16: usize = 2;
}

impl FromStr for bool { type Err = crate::str::ParseBoolError; }
impl FromStr for f32 { type Err = ParseFloatError; }
impl FromStr for f64 { type Err = ParseFloatError; }

macro_rules! integers {
    ($($int:ty)*) => { $(
        impl FromStr for $int { type Err = ParseIntError; }
        impl FromStr for NonZero<$int> { type Err = ParseIntError; }
        impl TryFrom<$int> for NonZero<$int> { type Error = TryFromIntError; }
        impl From<NonZero<$int>> for $int {}
    )* };
}
integers! { i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize }

// Fallible conversions; where `From` exists, the blanket impl of `convert` applies.
macro_rules! try_from {
    ($($from:ident => $($to:ident)*;)*) => { $( $(
        impl TryFrom<$from> for $to { type Error = TryFromIntError; }
        impl TryFrom<NonZero<$from>> for NonZero<$to> { type Error = TryFromIntError; }
    )* )* };
}
try_from! {
    i8 => u8 u16 u32 u64 u128 usize;
    i16 => i8 u8 u16 u32 u64 u128 usize;
    i32 => i8 i16 isize u8 u16 u32 u64 u128 usize;
    i64 => i8 i16 i32 isize u8 u16 u32 u64 u128 usize;
    i128 => i8 i16 i32 i64 isize u8 u16 u32 u64 u128 usize;
    isize => i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 usize;
    u8 => i8;
    u16 => i8 i16 isize u8;
    u32 => i8 i16 i32 isize u8 u16 usize;
    u64 => i8 i16 i32 i64 isize u8 u16 u32 usize;
    u128 => i8 i16 i32 i64 i128 isize u8 u16 u32 u64 usize;
    usize => i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128;
}

macro_rules! from {
    ($($from:ident => $($to:ident)*;)*) => { $( $( impl From<$from> for $to {} )* )* };
}
from! {
    bool => i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize f32 f64;
    i8 => i16 i32 i64 i128 isize f32 f64;
    i16 => i32 i64 i128 isize f32 f64;
    i32 => i64 i128 f64;
    i64 => i128;
    u8 => i16 i32 i64 i128 isize u16 u32 u64 u128 usize f32 f64 char;
    u16 => i32 i64 i128 u32 u64 u128 usize f32 f64;
    u32 => i64 i128 u64 u128 f64;
    u64 => i128 u128;
    f32 => f64;
    char => u32 u64 u128;
}

macro_rules! wrappers {
    ($($trait:ident)*) => { $(
        impl<T: $trait> $trait for Wrapping<T> { type Output = Wrapping<T>; }
        impl<T: $trait> $trait for Saturating<T> { type Output = Saturating<T>; }
    )* };
}
wrappers! { Add BitAnd BitOr BitXor Div Mul Neg Not Rem Sub }
impl<T: Shl<usize>> Shl<usize> for Wrapping<T> { type Output = Wrapping<T>; }
impl<T: Shr<usize>> Shr<usize> for Wrapping<T> { type Output = Wrapping<T>; }
impl<T: ZeroablePrimitive> BitOr for NonZero<T> { type Output = NonZero<T>; }
impl<T: ZeroablePrimitive> BitOr<T> for NonZero<T> { type Output = NonZero<T>; }
impl<T: ZeroablePrimitive> Neg for NonZero<T> { type Output = NonZero<T>; }

// Their values are not needed; they hide those of traits.
impl<T: ZeroablePrimitive> NonZero<T> { pub const MIN: NonZero<T>; pub const MAX: NonZero<T>; pub const BITS: u32; }
impl<T> Wrapping<T> { pub const MIN: Wrapping<T>; pub const MAX: Wrapping<T>; pub const BITS: u32; }
impl<T> Saturating<T> { pub const MIN: Saturating<T>; pub const MAX: Saturating<T>; pub const BITS: u32; }
