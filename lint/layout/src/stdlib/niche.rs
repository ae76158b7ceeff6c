//! Integers with invalid values.

#[rustc_layout_scalar_valid_range_end(999_999_999)]
pub struct Nanoseconds(u32);

#[rustc_layout_scalar_valid_range_start(1)]
pub struct NonZeroU8Inner(u8);
#[rustc_layout_scalar_valid_range_start(1)]
pub struct NonZeroU16Inner(u16);
#[rustc_layout_scalar_valid_range_start(1)]
pub struct NonZeroU32Inner(u32);
#[rustc_layout_scalar_valid_range_start(1)]
pub struct NonZeroU64Inner(u64);
#[rustc_layout_scalar_valid_range_start(1)]
pub struct NonZeroU128Inner(u128);
#[rustc_layout_scalar_valid_range_start(1)]
pub struct NonZeroUsizeInner(usize);
#[rustc_layout_scalar_valid_range_start(1)]
pub struct NonZeroI8Inner(i8);
#[rustc_layout_scalar_valid_range_start(1)]
pub struct NonZeroI16Inner(i16);
#[rustc_layout_scalar_valid_range_start(1)]
pub struct NonZeroI32Inner(i32);
#[rustc_layout_scalar_valid_range_start(1)]
pub struct NonZeroI64Inner(i64);
#[rustc_layout_scalar_valid_range_start(1)]
pub struct NonZeroI128Inner(i128);
#[rustc_layout_scalar_valid_range_start(1)]
pub struct NonZeroIsizeInner(isize);
#[rustc_layout_scalar_valid_range_start(1)]
#[rustc_layout_scalar_valid_range_end(0x10_ffff)]
pub struct NonZeroCharInner(char);

#[cfg(target_pointer_width = "64")]
#[rustc_layout_scalar_valid_range_end(0x7fff_ffff_ffff_ffff)]
pub struct UsizeNoHighBit(usize);
#[cfg(target_pointer_width = "32")]
#[rustc_layout_scalar_valid_range_end(0x7fff_ffff)]
pub struct UsizeNoHighBit(usize);
#[cfg(target_pointer_width = "16")]
#[rustc_layout_scalar_valid_range_end(0x7fff)]
pub struct UsizeNoHighBit(usize);

#[rustc_layout_scalar_valid_range_end(0xffff_fffe)]
pub struct U32NotAllOnes(u32);
#[rustc_layout_scalar_valid_range_end(0xffff_ffff_ffff_fffe)]
pub struct U64NotAllOnes(u64);
// -1 as an unsigned number.
#[rustc_layout_scalar_valid_range_end(0xffff_fffe)]
pub struct I32NotAllOnes(i32);
