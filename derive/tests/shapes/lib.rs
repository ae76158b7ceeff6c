//! Every shape of type that the macro must support, in a crate with strict lints.
//!
//! The limits are the actual sizes, so that a limit one byte lower must fail: `tests/shapes.rs`
//! lowers them and compiles the result.
#![no_std]
#![deny(warnings, clippy::all, clippy::pedantic, missing_docs, unsafe_code)]
// The lint compares attributes without their arguments.
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
