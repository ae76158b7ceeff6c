//! Exact layouts of the types in a workspace, from its source alone.
//!
#![doc = include_str!("../README.md")]
//!
//! # Map, from the ground up
//!
//! | module | owns |
//! |---|---|
//! | `wanted_words` | a set of words to search texts for |
//! | `lists` | lists by key |
//! | `malloc`, `text_types` | what an allocation takes; the string types of other crates |
//! | `spread` | distributes work over threads with large stacks |
//! | `fault` | catches our own panics and reports them at the end |
//! | `store` | the folders that cargo-weigh keeps: opened without following links, only if they are ours |
//! | `folded` | paths without `.` and `..` |
//! | `interrupt` | signals that end this process, and the programs that end with it |
//! | `target` | targets: data layouts and `cfg` facts |
//! | `cache` | results stored between runs; any doubt is a miss |
//! | `stdlib` | declarations of the standard library, as Rust source for the same pipeline |
//! | `project` | runs cargo and rustc: crates, features, dependencies, `cfg` |
//! | `macro_server` | procedural macros, expanded in another process if the user asks for it |
//! | `resolve` | paths, types, constants, associated types, macros |
//! | `layout` | types to layouts; the only module that uses `rustc_abi` |
//! | `calibrate` | asks an unknown compiler for the layouts of std |
//! | `analysis` | the types of a workspace, their layouts, and hypothetical layouts |
//! | `workspace` | the library's door: all that is promised to others |

#![cfg_attr(not(test), warn(clippy::too_many_lines))]
#![cfg_attr(
    test,
    allow(clippy::disallowed_methods, reason = "tests write what they need")
)]

#[doc(hidden)]
pub mod analysis;
#[doc(hidden)]
pub mod cache;
#[doc(hidden)]
pub mod calibrate;
#[doc(hidden)]
pub mod fault;
#[doc(hidden)]
pub mod folded;
#[doc(hidden)]
pub mod interrupt;
#[doc(hidden)]
pub mod layout;
#[doc(hidden)]
pub mod lists;
#[doc(hidden)]
pub mod macro_server;
#[doc(hidden)]
pub mod malloc;
#[doc(hidden)]
pub mod project;
#[doc(hidden)]
pub mod resolve;
#[doc(hidden)]
pub mod spread;
#[doc(hidden)]
pub mod stdlib;
#[doc(hidden)]
pub mod store;
#[doc(hidden)]
pub mod target;
#[doc(hidden)]
pub mod text_types;
#[doc(hidden)]
pub mod wanted_words;
mod workspace;

pub use project::{ProjectError, Selection};
pub use workspace::{
    Change, Field, Layout, LayoutError, Niche, OpenError, Tag, Type, Variant, Workspace,
};

use weigh_syntax::{budget, ir, lower, memo, name, place, seen, source, span};
