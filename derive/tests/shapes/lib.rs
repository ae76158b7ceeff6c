//! Every shape of type that the macro has to live with, in a crate that forgives nothing.
//!
//! The limits are the present sizes, so that a limit one byte lower has to fail: `tests/shapes.rs`
//! rewrites them and asks rustc.
#![no_std]
#![deny(warnings, clippy::all, clippy::pedantic, missing_docs, unsafe_code)]
// About the attributes as written, not what becomes of them: it does not look at their values.
#![allow(clippy::duplicated_attributes)]
#![deny(
    rust_2018_idioms,
    unused_qualifications,
    single_use_lifetimes,
    unreachable_pub
)]

pub mod enums;
pub mod generics;
pub mod macros;
pub mod places;
pub mod reprs;
pub mod shadows;
pub mod structs;
