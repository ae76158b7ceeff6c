//! The global allocator that puts a header before each block.

use super::processor;
use super::recorder::{self, HEADER};
use crate::heap::Heap;
use std::alloc::{GlobalAlloc, Layout};

/// Returns the layout with room for a header before the block; `None` on overflow.
fn outer(layout: Layout, size: usize) -> Option<Layout> {
    let before = recorder::header(layout.align());
    let size = size.checked_add(before)?;
    Layout::from_size_align(size, layout.align().max(HEADER)).ok()
}

// SAFETY: a block with a header is recognized by its tag. For such a block, the inner allocator
// allocates `header(align)` bytes more, a multiple of the alignment, and frees exactly what it
// allocated.
unsafe impl<A: GlobalAlloc> GlobalAlloc for Heap<A> {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if !recorder::is_on() {
            // SAFETY: same contract as the caller's.
            return unsafe { self.inner.alloc(layout) };
        }
        let frame = processor::frame();
        // SAFETY: the size is not 0, since it includes a header.
        unsafe { record(layout, frame, |outer| self.inner.alloc(outer)) }
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if !recorder::is_on() {
            // SAFETY: same contract as the caller's.
            return unsafe { self.inner.alloc_zeroed(layout) };
        }
        let frame = processor::frame();
        // SAFETY: the size is not 0, since it includes a header.
        unsafe { record(layout, frame, |outer| self.inner.alloc_zeroed(outer)) }
    }

    #[inline]
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        if !recorder::is_on() {
            // SAFETY: same contract as the caller's.
            return unsafe { self.inner.dealloc(block, layout) };
        }
        // SAFETY: the bytes before the block are readable: its header or, for a block from before
        // the environment was readable, bytes of the inner allocator or of the previous block.
        if unsafe { recorder::gone(block) }.is_none() {
            // SAFETY: same contract as the caller's.
            return unsafe { self.inner.dealloc(block, layout) };
        }
        if let Some(outer) = outer(layout, layout.size()) {
            let start = block.wrapping_sub(recorder::header(layout.align()));
            // SAFETY: `alloc` got this memory with this layout.
            unsafe { self.inner.dealloc(start, outer) }
        }
    }

    #[inline]
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if !recorder::is_on() {
            // SAFETY: same contract as the caller's.
            return unsafe { self.inner.realloc(block, layout, size) };
        }
        let frame = processor::frame();
        let (Some(old), Some(new)) = (outer(layout, layout.size()), outer(layout, size)) else {
            return std::ptr::null_mut();
        };
        // SAFETY: as in `dealloc`.
        let known = unsafe { recorder::look(block) }.is_some();
        if known && layout.align() <= HEADER {
            let start = block.wrapping_sub(HEADER);
            // SAFETY: `alloc` got this memory; the header moves with it.
            return unsafe {
                recorder::moved(block, size, frame, || {
                    self.inner.realloc(start, old, new.size())
                })
            };
        }
        // SAFETY: the caller guarantees that `size` is valid for the alignment and that the block
        // is live; the new block has room for the smaller of both sizes.
        unsafe {
            let inner = Layout::from_size_align_unchecked(size, layout.align());
            let to = record(inner, frame, |outer| self.inner.alloc(outer));
            if !to.is_null() {
                let n = size.min(layout.size());
                std::ptr::copy_nonoverlapping(block, to, n);
                self.dealloc(block, layout);
            }
            to
        }
    }
}

/// Allocates a block with a header.
///
/// # Safety
/// `make` returns memory for a layout, or null.
#[inline]
unsafe fn record(layout: Layout, frame: usize, make: impl FnOnce(Layout) -> *mut u8) -> *mut u8 {
    let Some(outer) = outer(layout, layout.size()) else {
        return std::ptr::null_mut();
    };
    let start = make(outer);
    if start.is_null() {
        return start;
    }
    let block = start.wrapping_add(recorder::header(layout.align()));
    // SAFETY: the allocation includes the bytes before the block.
    unsafe { recorder::made(block, layout.size(), layout.align(), frame) };
    block
}
