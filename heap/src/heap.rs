//! What a program uses: an allocator that records, and moments with names.

use crate::platform::moment;
use std::alloc::System;
use std::sync::atomic::{AtomicU8, Ordering};

/// An allocator that passes on to another, and lets `cargo weigh census` see what is live.
///
/// To be a `#[global_allocator]`. As long as nobody takes a census it adds nothing to a block.
#[derive(Debug, Default)]
pub struct Heap<A = System> {
    pub(crate) inner: A,
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
