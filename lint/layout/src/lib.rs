//! Exact layouts of the types in a workspace, from its source alone.
//!
//! # Map, from the ground up
//!
//! | module | owns |
//! |---|---|
//! | [`wanted_words`] | a set of words to search texts for |
//! | [`lists`] | lists by key |
//! | [`malloc`], [`text_types`] | what an allocation takes; the string types of other crates |
//! | [`spread`] | distributes work over threads with large stacks |
//! | [`fault`] | catches our own panics and reports them at the end |
//! | [`store`] | the folders that cargo-weigh keeps: opened without following links, only if they are ours |
//! | [`folded`] | paths without `.` and `..` |
//! | [`interrupt`] | signals that end this process, and the programs that end with it |
//! | [`target`] | targets: data layouts and `cfg` facts |
//! | [`cache`] | results stored between runs; any doubt is a miss |
//! | [`shape`] | a layout as plain data |
//! | [`stdlib`] | declarations of the standard library, as Rust source for the same pipeline |
//! | [`project`] | runs cargo and rustc: crates, features, dependencies, `cfg` |
//! | [`macro_server`] | procedural macros, expanded in another process if the user asks for it |
//! | [`resolve`] | paths, types, constants, associated types, macros |
//! | [`layout`] | types to layouts; the only module that uses `rustc_abi` |
//! | [`calibrate`] | asks an unknown compiler for the layouts of std |

#![cfg_attr(not(test), warn(clippy::too_many_lines))]
#![cfg_attr(
    test,
    allow(clippy::disallowed_methods, reason = "tests write what they need")
)]

pub mod cache;
pub mod calibrate;
pub mod fault;
pub mod folded;
pub mod interrupt;
pub mod layout;
pub mod lists;
pub mod macro_server;
pub mod malloc;
pub mod project;
pub mod resolve;
pub mod shape;
pub mod spread;
pub mod stdlib;
pub mod store;
pub mod target;
pub mod text_types;
pub mod wanted_words;

use weigh_syntax::{budget, ir, lower, memo, name, place, seen, source, span};
