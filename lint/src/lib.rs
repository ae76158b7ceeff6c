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
//! ([`resolve`]). rustc's own calculator lays out each type (`layout`). Lints query the [`model`]
//! and nothing else.
//!
//! # Map, from the ground up
//!
//! The modules that read sources are the package `weigh-syntax`; the rest of the code names them as
//! if they were here.
//!
//! | module | owns |
//! |---|---|
//! | `place` | indices into lists, in four bytes |
//! | `name`, [`span`] | interned identifiers; positions in source files |
//! | `wanted_words` | a set of words to search texts for |
//! | `lists` | lists by key |
//! | `memo` | results that threads share, and state that each thread has for itself |
//! | [`budget`] | limits of a run: recursion depth, steps, bytes |
//! | `spread` | distributes work over threads with large stacks |
//! | [`fault`] | catches our own panics and reports them at the end |
//! | [`store`] | the folders that cargo-weigh keeps: opened without following links, only if they are ours |
//! | `write`, `visible` | writes files of the user atomically; escapes foreign text for output |
//! | `folded` | paths without `.` and `..` |
//! | [`seen`] | records what a run asked of the file system, so that a later run can check it |
//! | `interrupt` | signals that end this process, and the programs that end with it |
//! | `git` | runs git |
//! | `target` | targets: data layouts and `cfg` facts |
//! | [`source`] | the source files of a run: lines, and the origin of macro expansions |
//! | `cache` | results stored between runs; any doubt is a miss |
//! | `shape` | a layout as plain data |
//! | [`finding`], [`config`] | findings; levels and thresholds |
//! | [`ir`] | a source file as plain data, without syntax trees |
//! | `stdlib` | declarations of the standard library, as Rust source for the same pipeline |
//! | [`project`] | runs cargo and rustc: crates, features, dependencies, `cfg` |
//! | `macro_server` | procedural macros, expanded in another process if the user asks for it |
//! | [`lower`] | source text to `ir`; the only module that uses syn |
//! | [`resolve`] | paths, types, constants, associated types, macros |
//! | `layout` | types to layouts; the only module that uses `rustc_abi` |
//! | `calibrate` | asks an unknown compiler for the layouts of std |
//! | `suppress` | comments and Clippy's attributes that suppress findings |
//! | `infer` | types of the expressions and patterns in function bodies, as far as they are plain |
//! | `usage` | what function bodies do: values constructed, matched, moved and stored |
//! | [`model`] | read-only queries, and "what would the size be if" |
//! | [`census`] | counts the heap of a running program; the only module that reads debug info |
//! | [`lint`], [`lints`] | the definition of a lint; one file per lint |
//! | `worth` | from the facts of a finding to one figure: how likely an author would act |
//! | `edit` | the edits of a remedy, at every place that uses the changed fields |
//! | [`check`] | runs the lints on the model; levels, order |
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
//! - A module uses only modules above it in this table.
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
mod cache;
mod calibrate;
#[cfg(test)]
mod carets;
pub mod census;
pub mod check;
pub mod cli;
pub mod config;
mod draw;
mod edit;
pub mod fault;
pub mod finding;
mod fix;
mod folded;
mod futures;
mod git;
mod infer;
mod interrupt;
mod layout;
pub mod lint;
pub mod lints;
mod lists;
mod macro_server;
pub mod model;
mod page;
pub mod project;
pub mod report;
pub mod resolve;
mod shape;
pub mod snapshot;
mod spread;
mod stdlib;
pub mod store;
mod suppress;
mod target;
mod usage;
mod verify;
mod visible;
mod wanted_words;
pub mod worth;
mod write;

pub use weigh_syntax::{budget, ir, lower, seen, source, span};
use weigh_syntax::{memo, name, place};
