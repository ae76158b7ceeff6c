//! The recorder behind `cargo weigh census`: which blocks of a program's heap are live, and where
//! each was allocated.
//!
//! On Linux with glibc `cargo weigh census` loads this recorder beside a program, and nothing has
//! to be added to it. The crate is for naming moments, and for programs whose allocator cannot be
//! recorded from outside:
//!
//! ```no_run
//! #[global_allocator]
//! static HEAP: weigh_heap::Heap = weigh_heap::Heap::new();
//!
//! fn main() {
//!     let tree = vec![String::from("a"), String::from("b")];
//!     weigh_heap::census("after parse");
//!     weigh_heap::census_of("tree", &tree);
//! }
//! ```
//!
//! Without the environment variable that `cargo weigh census` sets, an allocation costs one
//! relaxed load more, and the functions do nothing. On other platforms than Linux with
//! glibc on x86_64 or aarch64 they never do anything.
//!
//! The same files are compiled by rustc alone, with `--cfg weigh_preload`, into the library that
//! is loaded: [`SOURCE`] is what `cargo weigh` writes out for that. So they use `core` alone,
//! apart from [`Heap`].
#![cfg_attr(weigh_preload, no_std)]

#[cfg(all(
    target_os = "linux",
    target_env = "gnu",
    any(target_arch = "x86_64", target_arch = "aarch64")
))]
mod dump;
#[cfg(all(
    target_os = "linux",
    target_env = "gnu",
    any(target_arch = "x86_64", target_arch = "aarch64"),
    weigh_preload
))]
mod preload;
#[cfg(all(
    target_os = "linux",
    target_env = "gnu",
    any(target_arch = "x86_64", target_arch = "aarch64")
))]
mod recorder;
#[cfg(all(
    target_os = "linux",
    target_env = "gnu",
    any(target_arch = "x86_64", target_arch = "aarch64")
))]
mod sys;

#[cfg(not(weigh_preload))]
mod heap;
#[cfg(not(weigh_preload))]
pub use heap::{Heap, census, census_of};

/// The files of this crate: name and text.
#[cfg(not(weigh_preload))]
pub const SOURCE: &[(&str, &str)] = &[
    ("lib.rs", include_str!("lib.rs")),
    ("dump.rs", include_str!("dump.rs")),
    ("preload.rs", include_str!("preload.rs")),
    ("recorder.rs", include_str!("recorder.rs")),
    ("sys.rs", include_str!("sys.rs")),
];

// Core as shipped names this function for unwinding, which never happens here. Hidden: a program
// that shares std with others has a real one.
#[cfg(all(weigh_preload, target_arch = "x86_64"))]
core::arch::global_asm!(
    ".globl rust_eh_personality",
    ".hidden rust_eh_personality",
    "rust_eh_personality: ud2",
);
#[cfg(all(weigh_preload, target_arch = "aarch64"))]
core::arch::global_asm!(
    ".globl rust_eh_personality",
    ".hidden rust_eh_personality",
    "rust_eh_personality: udf #0",
);

/// Nothing in the library unwinds: an overflow that no code here can reach would end up here.
#[cfg(weigh_preload)]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    sys::say("weigh-heap: a fault of the recorder\n");
    sys::exit()
}
