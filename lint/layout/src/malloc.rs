//! What malloc needs for a block, beyond the requested size.
//!
//! The rules are those of glibc (`request2size`, `MINSIZE` and `MALLOC_ALIGNMENT` in its
//! `malloc/malloc.c`); tests of this repository compare them with its `malloc_usable_size`. Other
//! allocators differ by a few bytes.

/// Bytes of a word on 64-bit targets.
const WORD: u64 = 8;

/// Bytes of the header of every block on 64-bit targets.
pub const HEADER: u64 = WORD;

/// Returns the bytes that a block for `size` bytes occupies in total on 64-bit targets.
pub const fn block(size: u64) -> u64 {
    block_for(size, WORD)
}

/// Returns the same for words of this many bytes: a header of one word, rounding to two words, and
/// a minimum of four.
pub const fn block_for(size: u64, word: u64) -> u64 {
    let step = 2 * word;
    let rounded = size
        .saturating_add(word)
        .div_ceil(step)
        .saturating_mul(step);
    let least = 2 * step;
    if rounded < least { least } else { rounded }
}
