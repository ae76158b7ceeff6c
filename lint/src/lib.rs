//! `cargo weigh`: the exact size of every type in a workspace, from its source alone, and lints
//! that use it.
//!
//! # Bird's-eye view
//!
//! ```text
//! Sources -> ir::File -> Db (names) -> Layouts -> Model -> Finding -> bytes on stdout
//! ```
//!
//! A project is what cargo says it is ([`project`]). Its files become plain data ([`lower`],
//! [`ir`]); names are found across crates, macros expanded by example, constants worked out
//! ([`resolve`]); rustc's own calculator gives each type its layout (`layout`). A lint asks the
//! [`model`] and nothing else.
//!
//! # Map, from the ground up
//!
//! | module | owns |
//! |---|---|
//! | `place` | places in lists, as numbers of four bytes |
//! | `name`, [`span`] | interned identifiers; places in texts |
//! | `wanted_words` | a set of words that texts are searched for |
//! | `lists` | lists by key |
//! | `memo` | answers that threads share, and what each has for itself |
//! | [`budget`] | what a run may spend: depth of recursions, steps, bytes |
//! | `spread` | work spread over threads with deep stacks |
//! | [`fault`] | panics of ours: caught, kept, said at the end |
//! | `write`, `visible` | files put in place whole; foreign text that is printed |
//! | `folded` | paths without `.` and `..` |
//! | [`seen`] | what was asked of the file system, so that a later run can ask it again |
//! | `git` | the git program, asked |
//! | `target` | the machine: data layouts and `cfg` facts |
//! | [`source`] | the texts of a run, with lines and the origin of what macros wrote |
//! | `cache` | what is kept between runs; a miss at any doubt |
//! | `shape` | a layout as plain data |
//! | [`finding`], [`config`] | what a lint says; levels and thresholds |
//! | `judge` | from the facts of a finding to whether it is worth saying, and its rank |
//! | [`ir`] | what a file says, free of syntax trees |
//! | `stdlib` | the standard library, declared in Rust and read by the same pipeline |
//! | [`project`] | cargo and rustc asked: crates, features, edges, `cfg` |
//! | `macro_server` | procedural macros, run in another process where the user asks for it |
//! | [`lower`] | text to `ir`; syn is named only there |
//! | [`resolve`] | paths to definitions, types, constants, associated types, macros |
//! | `layout` | types to layouts; `rustc_abi` is named only there |
//! | `calibrate` | a compiler nobody has looked at, asked for the layouts of std |
//! | `suppress` | what comments and Clippy's attributes ask to leave out |
//! | `infer` | function bodies: what their expressions and patterns are, as far as that is plain |
//! | `usage` | what the bodies do: what is built, matched, moved and held |
//! | [`model`] | read-only questions, and "what would the size be if" |
//! | [`census`] | what is in a running program's heap; debug info is read only there |
//! | [`lint`], [`lints`] | what a lint is; one file for each |
//! | `edit` | a remedy's edits, at every place that follows from the fields it changes |
//! | [`check`] | the model times the lints, sorted; levels |
//! | [`baseline`] | findings that were there before |
//! | [`report`] | findings in each format |
//! | `draw`, `page`, `verify` | a layout as a drawing; a report as HTML; sizes held against rustc |
//! | [`snapshot`] | sizes kept in a file, or of a git revision, and what changed since |
//! | `fix` | remedies done to a copy, checked by the compiler, brought to the working tree |
//! | [`cli`] | the command line |
//!
//! # Invariants
//!
//! - A module uses only modules above it in this table.
//! - A size is exact or it is [`resolve::Unknown`] with a reason: nothing approximates.
//! - Nothing of the analysed project is executed, except by [`census`], which runs the program that it
//!   is asked to, by `macro_server`, with `--proc-macros`, and by the cargo that `verify` and
//!   `fix` call.
//! - A syntax tree dies in the function that parsed it; only [`ir`] crosses threads.
//! - All threads ask one [`resolve::Db`]; what one is in the middle of is its own, and what rests on
//!   that is not kept. No lock is held while anything else is asked, but a thread's turn to open
//!   modules of a crate.
//! - What is printed never depends on the order in which files were read: sort by path and
//!   place, never by [`span::FileId`] or `name::Name`, nor, as threads number them, by
//!   [`resolve::ty::Ty`] or the [`resolve::ItemId`] of a dependency's item.
//! - The standard library has no special case in code, only marks in its declarations.

pub mod baseline;
pub mod budget;
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
mod git;
mod infer;
pub mod ir;
mod judge;
mod layout;
pub mod lint;
pub mod lints;
mod lists;
pub mod lower;
mod macro_server;
mod memo;
pub mod model;
mod name;
mod page;
mod place;
pub mod project;
pub mod report;
pub mod resolve;
pub mod seen;
mod shape;
pub mod snapshot;
pub mod source;
pub mod span;
mod spread;
mod stdlib;
mod suppress;
mod target;
mod usage;
mod verify;
mod visible;
mod wanted_words;
mod write;
