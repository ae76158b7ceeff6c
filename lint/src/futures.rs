//! How large the coroutines of the workspace are, which await makes them so, and what a box there
//! would give: from debug information and the dumps of rustc's own transformation.
//!
//! It runs `cargo build` with this program as `RUSTC_WORKSPACE_WRAPPER` (`futures/wrapper`), which
//! adds debug information and `-Zdump-mir` to each call of rustc for a crate of the workspace,
//! allows unstable flags to that crate alone, optimizes nothing (futures that are inlined
//! everywhere are not described; `cfg(debug_assertions)` stays), and writes an object where cargo
//! expects a program, so that it is not linked. Dumps lie in a folder for each of cargo's builds
//! of a crate. `census/dwarf/coroutines` has the sizes, offsets, alignments and lines of all
//! instances; `futures/dump` has which saved variables conflict, their names and spans. Both list
//! the variables of a state in the same order. Debug information merges members of one name in a
//! state, so the type of a later one is taken from another state or from an equal type in the
//! dump. `layout/coroutine` calculates a size from both; `futures/predict` uses it only if it
//! reproduces today's. `futures/body` reads the code before the transformation, to find variables
//! that no await needs: what may keep a reference counts as a need.

pub mod answer;
pub mod best;
mod body;
pub mod build;
pub mod catalog;
pub mod dump;
pub mod list;
mod names;
pub mod predict;
pub mod resized;
pub mod sizes;
pub mod source;
pub mod why;
pub mod wrapper;
