//! Shapes again, in a crate whose root calls other crates `core` and `std`.
#![no_std]
#![deny(warnings, clippy::all, clippy::pedantic, missing_docs, unsafe_code)]
// About the attributes as written, not what becomes of them: it does not look at their values.
#![allow(clippy::duplicated_attributes)]

extern crate alloc as core;
extern crate self as std;

pub mod macros;
pub mod structs;
