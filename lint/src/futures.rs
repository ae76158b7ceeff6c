//! How large the coroutines of the workspace are, which await makes them so, and what a box there
//! would give: from debug information and the dumps of rustc's own transformation.

pub mod best;
mod body;
pub mod build;
pub mod catalog;
pub mod dump;
pub mod list;
mod names;
pub mod predict;
pub mod sizes;
pub mod source;
pub mod why;
pub mod wrapper;
