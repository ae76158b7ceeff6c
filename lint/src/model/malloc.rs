//! What malloc takes for a block, beyond what was asked for.
//!
//! The numbers are those of glibc on 64-bit targets; a test of this repository asks its
//! `malloc_usable_size`. Others differ by a few bytes.

/// Bytes that every block has in front, in bytes.
pub const HEADER: u64 = 8;

/// What the size of a block with its header is a multiple of, in bytes.
pub const STEP: u64 = 16;

/// The least that a block takes with its header, in bytes.
pub const LEAST: u64 = 32;

/// Bytes that a block of `size` bytes takes with all that belongs to it.
pub const fn block(size: u64) -> u64 {
    let rounded = size
        .saturating_add(HEADER)
        .div_ceil(STEP)
        .saturating_mul(STEP);
    if rounded < LEAST { LEAST } else { rounded }
}
