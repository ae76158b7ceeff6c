//! The recorder behind `cargo weigh census`: which blocks of a program's heap are live, and where
//! each was allocated.
//!
//! On Linux with glibc, `cargo weigh census` preloads this recorder into a program, which needs no
//! change. The crate is for naming moments, and for programs whose allocator cannot be recorded
//! from outside:
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
//! In a test that `cargo weigh census --test NAME` runs, [`census_of`] and [`measure`] return what was
//! counted.
//!
//! Without the environment variable that `cargo weigh census` sets, an allocation costs one relaxed
//! load more, and the functions count nothing. Programs are recorded on Linux with glibc and, only
//! through this crate and so far untested, on macOS, both on x86_64 and aarch64. On other systems
//! the crate does nothing.
//!
//! `cargo weigh` writes out the same files ([`SOURCE`]) and compiles them with rustc and
//! `--cfg weigh_preload` to the preloaded library. So they use only `core`, except for [`Heap`].
#![cfg_attr(weigh_preload, no_std)]

// The only list of systems where programs are recorded; on others, `platform.rs` forwards all
// calls.
#[cfg_attr(
    all(
        any(target_arch = "x86_64", target_arch = "aarch64"),
        any(all(target_os = "linux", target_env = "gnu"), target_os = "macos")
    ),
    path = "recording.rs"
)]
mod platform;

#[doc(hidden)]
pub mod protocol;

#[cfg(not(weigh_preload))]
mod heap;
#[cfg(not(weigh_preload))]
pub use heap::{Counted, Heap, Uncertain, census, census_of, measure};

/// The source files of the preloaded library: names and contents.
#[cfg(not(weigh_preload))]
pub const SOURCE: &[(&str, &str)] = &[
    ("lib.rs", include_str!("lib.rs")),
    ("before.rs", include_str!("before.rs")),
    ("dump.rs", include_str!("dump.rs")),
    ("preload.rs", include_str!("preload.rs")),
    ("processor.rs", include_str!("processor.rs")),
    ("protocol.rs", include_str!("protocol.rs")),
    ("recorder.rs", include_str!("recorder.rs")),
    ("recording.rs", include_str!("recording.rs")),
    ("sys.rs", include_str!("sys.rs")),
];
