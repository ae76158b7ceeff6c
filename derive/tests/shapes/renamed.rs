//! The shapes again, in a crate whose root names other crates `core` and `std`.
#![no_std]
#![deny(warnings, clippy::all, clippy::pedantic, missing_docs, unsafe_code)]
// The lint compares attributes without their arguments.
#![allow(clippy::duplicated_attributes)]

extern crate alloc as core;
extern crate self as std;

pub mod macros;
pub mod structs;
