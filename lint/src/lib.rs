//! `cargo weigh`: the exact size of every type in a workspace, from its source alone, and lints
//! that use it.
//!
//! # Bird's-eye view
//!
//! ```text
//! Sources -> ir::File -> Db (names) -> Layouts -> Model -> Finding -> bytes on stdout
//! ```
//!
//! cargo describes the project ([`project`]). Its files are lowered to plain data ([`lower`],
//! [`ir`]). Names are resolved across crates, macros by example expanded, and constants evaluated
//! ([`resolve`]). rustc's own calculator lays out each type (`layout`). Lints query the [`model`].
//!
//! # Packages, from the ground up
//!
//! Each names the modules of those below as if they were its own, so that a path says the same
//! everywhere; what it may use is held by cargo. The `lib.rs` of each has the map of its modules.
//!
//! | package | owns |
//! |---|---|
//! | `weigh-syntax` | files and texts; source files as plain data ([`ir`]), without names and types |
//! | `weigh-layout` | crates, names, macros, constants, layouts: exact or unknown with a reason |
//! | `weigh-census` | what is in the heap of a running program, with the types of its debug information |
//! | `weigh-lints` | what function bodies do with values, the lints, their edits and their score |
//! | `cargo-weigh` | this one: what a user meets |
//!
//! # Map of this package
//!
//! | module | owns |
//! |---|---|
//! | `write`, `visible` | writes files of the user atomically; escapes foreign text for output |
//! | `git` | runs git |
//! | [`baseline`] | findings that existed before |
//! | [`report`] | findings in each output format |
//! | `draw`, `page`, `verify` | draws a layout; the HTML report; compares sizes with rustc |
//! | [`snapshot`] | sizes stored in a file, or of a git revision, and their changes |
//! | `futures` | compiles, and reads how large each `async fn` is and which await makes it so |
//! | `fix` | applies remedies to a copy, checks them with the compiler, and updates the sources |
//! | [`cli`] | the command line |
//!
//! # Invariants
//!
//! - A module uses only modules above it in the map of its package, and those of lower packages.
//! - A size is exact or it is [`resolve::Unknown`] with a reason: nothing approximates. A size that
//!   only an unread macro or an old build could change is assumed, and says so ([`resolve::doubt`]).
//! - No code of the analysed project is executed, except by [`census`], which runs the program,
//!   by `macro_server` with `--proc-macros`, and by the builds of `verify`, `futures` and `fix`.
//! - A syntax tree is dropped by the function that parsed it; only [`ir`] crosses threads.
//! - All threads share one [`resolve::Db`]. A thread keeps the queries that it is evaluating to
//!   itself and does not cache results that depend on one of them. It holds no lock during another
//!   query, except its turn to open modules of a crate.
//! - Output does not depend on the order in which files are read: sort by path and position, never
//!   by [`span::FileId`] or `name::Name`, nor by [`resolve::ty::Ty`] or the [`resolve::ItemId`] of
//!   a dependency's item, which threads number as they come.
//! - The standard library has no special case in code, only marks in its declarations.

#![cfg_attr(not(test), warn(clippy::too_many_lines))]
#![cfg_attr(
    test,
    allow(clippy::disallowed_methods, reason = "tests write what they need")
)]

pub mod baseline;
pub mod cli;
mod draw;
mod fix;
mod futures;
mod git;
mod page;
pub mod report;
pub mod snapshot;
mod verify;
mod visible;
mod write;

pub use weigh_census as census;
pub use weigh_layout::{analysis, fault, malloc, project, resolve, store, text_types};
use weigh_layout::{cache, folded, interrupt, layout};
pub use weigh_lints::{
    check, config, coroutines, edit, finding, join, lint, lints, model, shape, suppress, usage,
    worth,
};
pub use weigh_syntax::{budget, ir, lower, seen, source, span};
