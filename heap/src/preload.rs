//! The allocator functions of libc in the preloaded library: each records, and calls glibc's own.
//!
//! glibc exports its functions under second names too, so no lookup is needed.

use super::processor;
use super::recorder::{self, HEADER};
use super::sys;
use core::ptr::null_mut;

unsafe extern "C" {
    fn __libc_malloc(size: usize) -> *mut u8;
    fn __libc_calloc(n: usize, size: usize) -> *mut u8;
    fn __libc_realloc(block: *mut u8, size: usize) -> *mut u8;
    fn __libc_free(block: *mut u8);
    fn __libc_memalign(align: usize, size: usize) -> *mut u8;
    fn __errno_location() -> *mut i32;
}

const NOT_ENOUGH_MEMORY: i32 = 12;
const INVALID: i32 = 22;

/// Returns null, and sets errno as libc does.
fn fail(error: i32) -> *mut u8 {
    // SAFETY: libc returns the address of this thread's errno.
    unsafe { *__errno_location() = error };
    null_mut()
}

/// Adds the header of a block to memory from glibc.
///
/// # Safety
/// `start` is new memory of `header(align) + size` bytes, or null.
#[inline(always)]
unsafe fn record(start: *mut u8, size: usize, align: usize, frame: usize) -> *mut u8 {
    if start.is_null() {
        return start;
    }
    let block = start.wrapping_add(recorder::header(align));
    // SAFETY: same contract as this function's.
    unsafe { recorder::made(block, size, align, frame) };
    block
}

/// # Safety
/// As in C.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn malloc(size: usize) -> *mut u8 {
    // SAFETY: glibc's `malloc` takes any size.
    unsafe {
        if !recorder::is_on() {
            return __libc_malloc(size);
        }
        let frame = processor::frame();
        let Some(all) = size.checked_add(HEADER) else {
            return fail(NOT_ENOUGH_MEMORY);
        };
        record(__libc_malloc(all), size, HEADER, frame)
    }
}

/// # Safety
/// As in C.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn calloc(n: usize, size: usize) -> *mut u8 {
    // SAFETY: glibc's `calloc` takes any size.
    unsafe {
        if !recorder::is_on() {
            return __libc_calloc(n, size);
        }
        let frame = processor::frame();
        let Some(size) = n.checked_mul(size) else {
            return fail(NOT_ENOUGH_MEMORY);
        };
        let Some(all) = size.checked_add(HEADER) else {
            return fail(NOT_ENOUGH_MEMORY);
        };
        record(__libc_calloc(1, all), size, HEADER, frame)
    }
}

/// # Safety
/// As in C.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn realloc(block: *mut u8, size: usize) -> *mut u8 {
    // SAFETY: `block` is null, glibc's own from before recording, or has a header; then its memory
    // begins `before` bytes earlier.
    unsafe {
        if !recorder::is_on() {
            return __libc_realloc(block, size);
        }
        let frame = processor::frame();
        if block.is_null() {
            let Some(all) = size.checked_add(HEADER) else {
                return fail(NOT_ENOUGH_MEMORY);
            };
            return record(__libc_malloc(all), size, HEADER, frame);
        }
        let Some((old, before)) = recorder::look(block) else {
            return __libc_realloc(block, size);
        };
        let Some(all) = size.checked_add(HEADER) else {
            return fail(NOT_ENOUGH_MEMORY);
        };
        if size == 0 {
            // As glibc does.
            free(block);
            return null_mut();
        }
        if before == HEADER {
            let start = block.wrapping_sub(HEADER);
            return recorder::moved(block, size, frame, || __libc_realloc(start, all));
        }
        let to = record(__libc_malloc(all), size, HEADER, frame);
        if !to.is_null() {
            core::ptr::copy_nonoverlapping(block, to, old.min(size));
            free(block);
        }
        to
    }
}

/// # Safety
/// As in C.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn free(block: *mut u8) {
    // SAFETY: same contract as `realloc`'s.
    unsafe {
        if block.is_null() {
            return;
        }
        if !recorder::is_on() {
            return __libc_free(block);
        }
        match recorder::gone(block) {
            Some((_, before)) => __libc_free(block.wrapping_sub(before)),
            None => __libc_free(block),
        }
    }
}

/// The body of all functions for aligned blocks, each of which passes its caller's frame: a frame of
/// this library says nothing about the block.
///
/// # Safety
/// As in C.
#[inline(always)]
unsafe fn aligned(align: usize, size: usize) -> *mut u8 {
    // SAFETY: glibc's `memalign` takes any size and power of two.
    unsafe {
        if !recorder::is_on() {
            return __libc_memalign(align, size);
        }
        let frame = processor::frame();
        // glibc also rounds up to a power of two.
        let Some(align) = align.max(HEADER).checked_next_power_of_two() else {
            return fail(INVALID);
        };
        let Some(all) = size.checked_add(align) else {
            return fail(NOT_ENOUGH_MEMORY);
        };
        record(__libc_memalign(align, all), size, align, frame)
    }
}

/// # Safety
/// As in C.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn memalign(align: usize, size: usize) -> *mut u8 {
    // SAFETY: same contract as this function's.
    unsafe { aligned(align, size) }
}

/// # Safety
/// As in C.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aligned_alloc(align: usize, size: usize) -> *mut u8 {
    // SAFETY: glibc implements both with the same function.
    unsafe { aligned(align, size) }
}

/// # Safety
/// As in C.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn posix_memalign(to: *mut *mut u8, align: usize, size: usize) -> i32 {
    if !align.is_power_of_two() || align % size_of::<usize>() != 0 {
        return INVALID;
    }
    // SAFETY: the caller passes a valid pointer for the result.
    unsafe {
        let block = aligned(align, size);
        if block.is_null() {
            return NOT_ENOUGH_MEMORY;
        }
        *to = block;
    }
    0
}

/// # Safety
/// As in C.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn valloc(size: usize) -> *mut u8 {
    // SAFETY: same contract as `aligned`'s.
    unsafe { aligned(4096, size) }
}

/// # Safety
/// As in C.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pvalloc(size: usize) -> *mut u8 {
    // SAFETY: same contract as `aligned`'s.
    unsafe { aligned(4096, size.next_multiple_of(4096)) }
}

/// # Safety
/// As in C.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn malloc_usable_size(block: *mut u8) -> usize {
    if block.is_null() {
        return 0;
    }
    // The requested size is usable for certain. glibc's own function has no second name, and blocks
    // without a header are from before any code of the program.
    // SAFETY: the 16 bytes before a block of glibc are its own or those of the previous block.
    let known = recorder::is_on().then(|| unsafe { recorder::look(block) });
    match known.flatten() {
        Some((size, _)) => size,
        // SAFETY: glibc stores the size of a block, with three flags, in the word before it.
        None => unsafe { (*block.cast::<usize>().wrapping_sub(1) & !7).saturating_sub(16) },
    }
}

/// Records a moment that the program names through the crate.
///
/// # Safety
/// `name` has `len` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn weigh_heap_label(name: *const u8, len: usize, root: usize, table: usize) {
    // SAFETY: the caller guarantees it.
    let name = unsafe { core::slice::from_raw_parts(name, len) };
    recorder::label(name, root, table);
}

/// Has `cargo weigh` count for the program, through the crate; see [`recorder::ask`].
///
/// # Safety
/// `name` has `len` bytes, and `into` is for `words` words.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn weigh_heap_ask(
    name: *const u8,
    len: usize,
    root: usize,
    table: usize,
    since: u64,
    into: *mut u64,
    words: usize,
) -> u64 {
    // SAFETY: the caller guarantees it.
    let (name, into) = unsafe {
        (
            core::slice::from_raw_parts(name, len),
            core::slice::from_raw_parts_mut(into, words),
        )
    };
    recorder::ask(name, root, table, since, into)
}

// The prebuilt core refers to this function for unwinding, which never happens here. It is hidden,
// since a program that links std dynamically has a real one.
#[cfg(target_arch = "x86_64")]
core::arch::global_asm!(
    ".globl rust_eh_personality",
    ".hidden rust_eh_personality",
    "rust_eh_personality: ud2",
);
#[cfg(target_arch = "aarch64")]
core::arch::global_asm!(
    ".globl rust_eh_personality",
    ".hidden rust_eh_personality",
    "rust_eh_personality: udf #0",
);

/// Nothing here unwinds; only an overflow that no code here can reach would call this.
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    sys::say("weigh-heap: a fault of the recorder\n");
    sys::exit()
}
