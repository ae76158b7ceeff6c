//! What a program uses: an allocator that records, and moments with names.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicU8, Ordering};

/// An allocator that passes on to another, and lets `cargo weigh census` see what is live.
///
/// To be a `#[global_allocator]`. As long as nobody takes a census it adds nothing to a block.
#[derive(Debug, Default)]
pub struct Heap<A = System> {
    inner: A,
}

impl Heap {
    /// Passes on to the system's allocator.
    pub const fn new() -> Heap {
        Heap { inner: System }
    }
}

impl<A> Heap<A> {
    /// Passes on to this allocator: `Heap::wrap(MiMalloc)`.
    pub const fn wrap(inner: A) -> Heap<A> {
        Heap { inner }
    }
}

#[cfg(not(all(
    target_os = "linux",
    target_env = "gnu",
    any(target_arch = "x86_64", target_arch = "aarch64")
)))]
// SAFETY: every call is passed on as it is.
unsafe impl<A: GlobalAlloc> GlobalAlloc for Heap<A> {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise is the same.
        unsafe { self.inner.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise is the same.
        unsafe { self.inner.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise is the same.
        unsafe { self.inner.dealloc(block, layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller's promise is the same.
        unsafe { self.inner.realloc(block, layout, size) }
    }
}

#[cfg(all(
    target_os = "linux",
    target_env = "gnu",
    any(target_arch = "x86_64", target_arch = "aarch64")
))]
mod recording {
    use super::{GlobalAlloc, Heap, Layout};
    use crate::recorder::{self, HEADER};
    use crate::sys;

    /// A layout with room for a header before it; none when that is too large.
    fn outer(layout: Layout, size: usize) -> Option<Layout> {
        let before = recorder::header(layout.align());
        let size = size.checked_add(before)?;
        Layout::from_size_align(size, layout.align().max(HEADER)).ok()
    }

    // SAFETY: a block that has a header says so by its tag. With one, the inner allocator gives `header(align)` bytes more, a multiple of the alignment,
    // and gets back exactly what it gave.
    unsafe impl<A: GlobalAlloc> GlobalAlloc for Heap<A> {
        #[inline]
        unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
            if !recorder::is_on() {
                // SAFETY: the caller's promise is the same.
                return unsafe { self.inner.alloc(layout) };
            }
            let frame = sys::frame();
            // SAFETY: the size is not 0, because a header belongs to it.
            unsafe { record(layout, frame, |outer| self.inner.alloc(outer)) }
        }

        #[inline]
        unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
            if !recorder::is_on() {
                // SAFETY: the caller's promise is the same.
                return unsafe { self.inner.alloc_zeroed(layout) };
            }
            let frame = sys::frame();
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
            let frame = sys::frame();
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
    unsafe fn record(
        layout: Layout,
        frame: usize,
        make: impl FnOnce(Layout) -> *mut u8,
    ) -> *mut u8 {
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

    /// The program ends: what was never freed is still there.
    #[used]
    #[unsafe(link_section = ".fini_array")]
    static END: extern "C" fn() = end;

    extern "C" fn end() {
        recorder::end();
    }
}

/// Names a moment: `cargo weigh census --at LABEL` counts what is live now.
pub fn census(label: &str) {
    if !is_asked() {
        return;
    }
    moment(label, std::ptr::null(), std::ptr::null());
}

/// Names a moment and a value: only what the value owns is counted.
pub fn census_of<T>(label: &str, value: &T) {
    if !is_asked() {
        return;
    }
    let root: &dyn Root = &Rooted(value);
    // The table of a type is found in debug info by its address, and with it the type.
    let table = table_of(root);
    moment(label, std::ptr::from_ref(value).cast(), table);
}

/// Whether `cargo weigh census` runs the program: the environment is asked once.
#[inline]
fn is_asked() -> bool {
    const NO: u8 = 1;
    const YES: u8 = 2;
    static ASKED: AtomicU8 = AtomicU8::new(0);
    match ASKED.load(Ordering::Relaxed) {
        NO => false,
        YES => true,
        _ => {
            let asked = std::env::var_os("WEIGH_CENSUS").is_some();
            ASKED.store(if asked { YES } else { NO }, Ordering::Relaxed);
            asked
        }
    }
}

/// What has a table of methods of its own for each type.
trait Root {
    /// The type's name: tables whose methods are the same code would be one.
    fn name(&self) -> &'static str;
}

/// A value that is counted.
struct Rooted<'v, T>(#[allow(dead_code, reason = "its type is read in debug info")] &'v T);

impl<T> Root for Rooted<'_, T> {
    #[inline(never)]
    fn name(&self) -> &'static str {
        std::any::type_name::<T>()
    }
}

fn table_of(root: &dyn Root) -> *const () {
    // Keeps the method alive, and the table distinct.
    std::hint::black_box(root.name());
    let parts: [*const (); 2] = {
        const _: () = assert!(size_of::<&dyn Root>() == size_of::<[*const (); 2]>());
        // SAFETY: a reference to a trait object is a pointer to the value and one to its table.
        unsafe { std::mem::transmute::<&dyn Root, [*const (); 2]>(root) }
    };
    parts[1]
}

#[cfg(all(
    target_os = "linux",
    target_env = "gnu",
    any(target_arch = "x86_64", target_arch = "aarch64")
))]
fn moment(label: &str, root: *const (), table: *const ()) {
    // SAFETY: the name is terminated; the function, where there is one, is `preload`'s.
    unsafe {
        unsafe extern "C" {
            fn dlsym(library: *mut u8, name: *const u8) -> *const ();
        }
        type Label = unsafe extern "C" fn(*const u8, usize, usize, usize);
        static LOADED: std::sync::OnceLock<Option<Label>> = std::sync::OnceLock::new();
        let loaded = LOADED.get_or_init(|| {
            let found = dlsym(std::ptr::null_mut(), c"weigh_heap_label".as_ptr().cast());
            (!found.is_null()).then(|| std::mem::transmute::<*const (), Label>(found))
        });
        match loaded {
            Some(function) => function(label.as_ptr(), label.len(), root as usize, table as usize),
            None => {
                crate::recorder::label(label.as_bytes(), root as usize, table as usize);
            }
        }
    }
}

#[cfg(not(all(
    target_os = "linux",
    target_env = "gnu",
    any(target_arch = "x86_64", target_arch = "aarch64")
)))]
fn moment(_: &str, _: *const (), _: *const ()) {}
