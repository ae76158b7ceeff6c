//! Locks: a futex word, a boxed lock of the system, or a flag on targets without threads.

#[cfg(any(
    all(windows, not(target_vendor = "win7")),
    target_os = "linux",
    target_os = "android",
    target_os = "freebsd",
    target_os = "openbsd",
    target_os = "dragonfly",
    all(target_family = "wasm", target_feature = "atomics"),
))]
mod imp {
    use crate::cell::Cell;
    use crate::sync::atomic::{AtomicU32, AtomicU8};

    #[cfg(not(windows))]
    pub struct Mutex { futex: AtomicU32 }
    #[cfg(windows)]
    pub struct Mutex { futex: AtomicU8 }
    pub struct RwLock { state: AtomicU32, writer_notify: AtomicU32 }
    pub struct Condvar { futex: AtomicU32 }
    pub struct Once { state_and_queued: AtomicU32 }
    pub struct OnceState { poisoned: bool, set_state_to: Cell<u32> }
}

#[cfg(any(target_vendor = "apple", target_os = "netbsd", target_os = "illumos", target_os = "solaris"))]
mod imp {
    use crate::cell::Cell;
    use crate::sync::atomic::{AtomicPtr, AtomicUsize};

    pub struct Mutex { pal: AtomicPtr<()> }
    pub struct RwLock { state: AtomicPtr<()> }
    pub struct Condvar { cvar: AtomicPtr<()>, mutex: AtomicUsize }
    pub struct Once { state_and_queue: AtomicPtr<()> }
    pub struct OnceState { poisoned: bool, set_state_on_drop_to: Cell<*mut ()> }
}

#[cfg(all(target_family = "wasm", not(target_feature = "atomics")))]
mod imp {
    use crate::cell::Cell;

    pub struct Mutex { locked: Cell<bool> }
    pub struct RwLock { mode: Cell<isize> }
    pub struct Condvar {}
    pub struct Once { state: Cell<State> }
    pub struct OnceState { poisoned: bool, set_state_to: Cell<State> }
    enum State { Incomplete, Poisoned, Running, Complete }
}

pub use imp::{Condvar, Mutex, Once, OnceState, RwLock};
