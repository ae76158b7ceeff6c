//! An allocator whose blocks have headers.

use super::processor;
use super::recorder::{self, HEADER};
use crate::heap::Heap;
use std::alloc::{GlobalAlloc, Layout};

/// A layout with room for a header before it; none when that is too large.
fn outer(layout: Layout, size: usize) -> Option<Layout> {
    let before = recorder::header(layout.align());
    let size = size.checked_add(before)?;
    Layout::from_size_align(size, layout.align().max(HEADER)).ok()
}

// SAFETY: a block that has a header says so by its tag. With one, the inner allocator gives
// `header(align)` bytes more, a multiple of the alignment, and gets back exactly what it gave.
unsafe impl<A: GlobalAlloc> GlobalAlloc for Heap<A> {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if !recorder::is_on() {
            // SAFETY: the caller's promise is the same.
            return unsafe { self.inner.alloc(layout) };
        }
        let frame = processor::frame();
        // SAFETY: the size is not 0, because a header belongs to it.
        unsafe { record(layout, frame, |outer| self.inner.alloc(outer)) }
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if !recorder::is_on() {
            // SAFETY: the caller's promise is the same.
            return unsafe { self.inner.alloc_zeroed(layout) };
        }
        let frame = processor::frame();
        // SAFETY: the size is not 0, because a header belongs to it.
        unsafe { record(layout, frame, |outer| self.inner.alloc_zeroed(outer)) }
    }

    #[inline]
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        if !recorder::is_on() {
            // SAFETY: the caller's promise is the same.
            return unsafe { self.inner.dealloc(block, layout) };
        }
        // SAFETY: the bytes before a block are its header; or, of a block from before the
        // environment could be read, the inner allocator's or the block's before.
        if unsafe { recorder::gone(block) }.is_none() {
            // SAFETY: the caller's promise is the same.
            return unsafe { self.inner.dealloc(block, layout) };
        }
        if let Some(outer) = outer(layout, layout.size()) {
            let start = block.wrapping_sub(recorder::header(layout.align()));
            // SAFETY: this is the memory that `alloc` got, by its layout.
            unsafe { self.inner.dealloc(start, outer) }
        }
    }

    #[inline]
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if !recorder::is_on() {
            // SAFETY: the caller's promise is the same.
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
            // SAFETY: the memory is what `alloc` got; its header moves with it.
            return unsafe {
                recorder::moved(block, size, frame, || {
                    self.inner.realloc(start, old, new.size())
                })
            };
        }
        // SAFETY: the caller says that `size` fits the alignment, and that the block is live;
        // the new block has room for the smaller of both.
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

/// Makes a block with a header.
///
/// # Safety
/// `make` gives memory for a layout, or null.
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
    // SAFETY: the memory before the block was asked for with it.
    unsafe { recorder::made(block, layout.size(), layout.align(), frame) };
    block
}
