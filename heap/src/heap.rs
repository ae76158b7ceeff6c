//! The interface for programs: a recording allocator, and named moments.

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
    /// Creates an allocator that forwards to the system's.
    pub const fn new() -> Heap {
        Heap { inner: System }
    }
}

impl<A> Heap<A> {
    /// Creates an allocator that forwards to this one: `Heap::wrap(MiMalloc)`.
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

/// Returns true if `cargo weigh census` runs the program; reads the environment once.
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

/// A trait with a distinct vtable for each type.
trait Root {
    /// Returns the type's name: without it, vtables with equal methods could be merged.
    fn name(&self) -> &'static str;
}

/// The value to count.
struct Rooted<'v, T>(#[allow(dead_code, reason = "its type is read in debug info")] &'v T);

impl<T> Root for Rooted<'_, T> {
    #[inline(never)]
    fn name(&self) -> &'static str {
        std::any::type_name::<T>()
    }
}

fn table_of(root: &dyn Root) -> *const () {
    // Keeps the method, and with it the distinct vtable.
    std::hint::black_box(root.name());
    let parts: [*const (); 2] = {
        const _: () = assert!(size_of::<&dyn Root>() == size_of::<[*const (); 2]>());
        // SAFETY: a reference to a trait object is a pointer to the value and one to its vtable.
        unsafe { std::mem::transmute::<&dyn Root, [*const (); 2]>(root) }
    };
    parts[1]
}
