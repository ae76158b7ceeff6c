//! Rust sources as plain data: the bottom of `cargo weigh`.
//!
//! ```text
//! path -> seen (the file system) -> source (texts) -> lower (tokens, syn) -> ir
//! ```
//!
//! A package of its own for two reasons. It reads some hundred kilobytes of std's declarations in
//! each run, so it is optimized even in builds for tests, where the rest is not. And that it knows
//! nothing of names, types and lints is held by cargo.
//!
//! # Map, from the ground up
//!
//! | module | owns |
//! |---|---|
//! | [`place`] | indices into lists, in four bytes |
//! | [`name`], [`span`] | interned identifiers; positions in source files |
//! | [`memo`] | results that threads share, and state that each thread has for itself |
//! | [`budget`] | limits of a run: recursion depth, steps, bytes |
//! | [`seen`] | records what a run asked of the file system, so that a later run can check it |
//! | [`source`] | the source files of a run: lines, and the origin of macro expansions |
//! | [`ir`] | a source file as plain data, without syntax trees |
//! | [`lower`] | source text to `ir`; the only module that uses syn |

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
