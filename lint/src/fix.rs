//! Remedies done wholly, or not at all: tried on a copy of the workspace, where the compiler decides,
//! and brought to the working tree at the end.
//!
//! ```text
//! findings -> Candidates -> Mirror: edits, `cargo check`, rustc's own suggestions -> Journal
//! ```
//!
//! [`candidates`] takes from each finding its best remedy that has edits. [`search`] tries them all
//! together, and halves what does not compile until it knows what does. [`journal`] changes the
//! files of the working tree, all or none; [`format`] has given them the form of rustfmt.

pub mod build;
pub mod candidates;
pub mod edits;
pub mod format;
pub mod journal;
pub mod mirror;
pub mod search;
pub mod trouble;
