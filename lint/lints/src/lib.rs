//! What `cargo weigh` finds: what function bodies do with values, and the lints that ask.
//!
//! # Map, from the ground up
//!
//! | module | owns |
//! |---|---|
//! | [`shape`] | a layout as plain data |
//! | [`finding`], [`config`] | findings; levels and thresholds |
//! | [`suppress`] | comments and Clippy's attributes that suppress findings |
//! | [`infer`] | types of the expressions and patterns in function bodies, as far as they are plain |
//! | [`flow`] | the edges from and to each value of a body: moved, borrowed, stored, grown |
//! | [`usage`] | what function bodies do: values constructed, matched, moved and stored |
//! | [`model`] | read-only queries, and "what would the size be if" |
//! | [`join`] | the counts of a census for a finding |
//! | [`coroutines`] | what the last run of `cargo weigh futures` has found, if it still holds |
//! | [`lint`], [`lints`] | the definition of a lint; one file per lint |
//! | [`worth`] | from the facts of a finding to one figure: how likely an author would act |
//! | [`edit`] | the edits of a remedy, at every place that uses the changed fields |
//! | [`check`] | runs the lints on the model; levels, order |

#![cfg_attr(not(test), warn(clippy::too_many_lines))]
#![cfg_attr(
    test,
    allow(clippy::disallowed_methods, reason = "tests write what they need")
)]

#[cfg(test)]
mod carets;
pub mod check;
pub mod config;
pub mod coroutines;
pub mod edit;
pub mod finding;
pub mod flow;
pub mod infer;
pub mod join;
pub mod lint;
pub mod lints;
pub mod model;
pub mod shape;
pub mod suppress;
pub mod usage;
pub mod worth;

use weigh_census as census;
use weigh_layout::{
    analysis, layout, lists, malloc, project, resolve, spread, store, text_types, wanted_words,
};
use weigh_syntax::{budget, ir, lower, memo, name, place, seen, source, span};
