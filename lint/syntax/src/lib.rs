//! Rust sources as plain data: the bottom of `cargo weigh`.
//!
//! ```text
//! path -> seen (the file system) -> source (texts) -> lower (tokens, syn) -> ir
//! ```
//!
//! A package of its own for two reasons. It reads some hundred kilobytes of std's declarations in
//! each run, so it is optimized even in builds for tests, where the rest is not. And that it knows
//! nothing of names, types and lints is held by cargo.

#![cfg_attr(
    test,
    allow(clippy::disallowed_methods, reason = "tests write what they need")
)]
#![cfg_attr(not(test), warn(clippy::too_many_lines))]

pub mod budget;
pub mod ir;
pub mod lower;
pub mod memo;
pub mod name;
pub mod place;
pub mod seen;
pub mod source;
pub mod span;
