//! Size assertions that the compiler checks: the macros, and the functions that their expansions
//! call.
//!
#![doc = include_str!("../README.md")]
#![no_std]

#[doc(hidden)]
pub mod __private;

pub use weigh_derive_macros::{AssertSize, assert_future_size, assert_size};
