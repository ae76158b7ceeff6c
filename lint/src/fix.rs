//! Remedies done wholly, or not at all: tried on a copy of the workspace, where the compiler decides,
//! and brought to the working tree at the end.
//!
//! ```text
//! findings -> Candidates -> Mirror: edits, `cargo check`, rustc's own suggestions -> Journal
//! ```
//!
//! [`candidates`] takes from each finding its best remedy that has edits. [`search`] tries them all
//! together, with the documentation examples ([`examples`]) that name an edited type, and halves what
//! does not compile until it knows what does, and asks the compiler about shorter forms ([`polish`]).
//! [`journal`] changes the
//! files of the working tree, all or none; [`format`] has given them the form of rustfmt.
//!
//! Relies only on the compiler. `fix/mirror` copies the workspace to the same depth below a
//! separate target folder, with links next to it so that relative paths still work, and rewrites a
//! file only if its content differs. `fix/search` applies all edits, drops those that errors point
//! at, then bisects. If two findings edit the same place, the more valuable one is applied, and
//! the other is computed again on the copy. Incomplete edits are tried last. `fix/journal` records
//! the order of replacements with old and new content before the first rename, so that a later run
//! can complete or undo them.

pub mod build;
pub mod candidates;
pub mod edits;
pub mod examples;
pub mod format;
pub mod journal;
pub mod mirror;
pub mod polish;
pub mod search;
pub mod trouble;
