//! What malloc takes for a block, beyond what was asked for.
//!
//! The rules are those of glibc (`request2size`, `MINSIZE` and `MALLOC_ALIGNMENT` in its
//! `malloc/malloc.c`); tests of this repository ask its `malloc_usable_size`. Others differ by a
//! few bytes.

/// Bytes of a word on 64-bit targets.
const WORD: u64 = 8;

/// Bytes that every block has in front on 64-bit targets.
pub const HEADER: u64 = WORD;

/// Bytes that a block of `size` bytes takes with all that belongs to it, on 64-bit targets.
pub const fn block(size: u64) -> u64 {
    block_for(size, WORD)
}

/// The same where a word has so many bytes: its header, rounding to two words and least size of
/// four.
pub const fn block_for(size: u64, word: u64) -> u64 {
    let step = 2 * word;
    let rounded = size
        .saturating_add(word)
        .div_ceil(step)
        .saturating_mul(step);
    let least = 2 * step;
    if rounded < least { least } else { rounded }
}
