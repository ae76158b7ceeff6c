//! What is really in a program's heap: counted on its memory, with the types of its own debug
//! information.
//!
//! # Map, in the order of a census
//!
//! | module | owns |
//! |---|---|
//! | [`build`], [`run`] | builds a program with the recorder, and runs it to its peak |
//! | [`image`] | the memory of the program at that moment |
//! | [`dwarf`] | debug information; the only module that uses gimli, object and addr2line |
//! | [`types`] | names of types as debug information writes them |
//! | [`rules`], [`plan`] | the table of containers; where a type holds which field |
//! | [`site`] | the type of a block, from the place of its allocation |
//! | [`walk`] | follows all owners from single values and statics |
//! | [`count`], `file` | the result; as JSON lines |

#![cfg_attr(not(test), warn(clippy::too_many_lines))]
#![cfg_attr(
    test,
    allow(clippy::disallowed_methods, reason = "tests write what they need")
)]

#[cfg(unix)]
pub mod build;
pub mod count;
pub mod dwarf;
pub mod file;
pub mod image;
pub mod plan;
pub mod rules;
#[cfg(unix)]
pub mod run;
pub mod site;
pub mod types;
pub mod walk;

use weigh_layout::{interrupt, malloc, project, store, text_types};

/// A census, and how the program ended.
#[derive(Debug)]
pub struct Taken {
    /// What was counted.
    pub census: count::Census,
    /// Why the program is to be looked at: it failed, or was ended.
    pub failure: Option<String>,
    /// What the user should know of the moment.
    pub notes: Vec<String>,
}
