//! The interface for programs: an allocator that records, and named moments.

use crate::platform::moment;
use std::alloc::System;
use std::sync::atomic::{AtomicU8, Ordering};

/// An allocator that forwards to another one and records live blocks for `cargo weigh census`.
///
/// Use it as the `#[global_allocator]`. Without a census it adds no bytes to a block.
#[derive(Debug, Default)]
pub struct Heap<A = System> {
    pub(crate) inner: A,
}

impl Heap {
    /// Forwards to the system's allocator.
    pub const fn new() -> Heap {
        Heap { inner: System }
    }
}

impl<A> Heap<A> {
    /// Forwards to this allocator: `Heap::wrap(MiMalloc)`.
    pub const fn wrap(inner: A) -> Heap<A> {
        Heap { inner }
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
    // Debug info has the address of each vtable, and with it the type.
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

/// A trait whose vtable is distinct for each type.
trait Root {
    /// The type's name: without it vtables of equal methods could be folded.
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
    // Keeps the method, and with it a distinct vtable.
    std::hint::black_box(root.name());
    let parts: [*const (); 2] = {
        const _: () = assert!(size_of::<&dyn Root>() == size_of::<[*const (); 2]>());
        // SAFETY: a reference to a trait object is a pointer to the value and one to its table.
        unsafe { std::mem::transmute::<&dyn Root, [*const (); 2]>(root) }
    };
    parts[1]
}
