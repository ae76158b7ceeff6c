//! A variable lives across an await that does not need it.
//!
//! # Why
//! What lives across an await is part of the future, and of each future that awaits it. A variable
//! whose last use is before the await is kept all the same: it is dropped at the end of its block.
//!
//! # What it finds
//! - Variables of `held-size` bytes or more that no await needs, where the future is smaller without
//!   them, with its size then. A block around their use ends them: `{ let buf = …; … }`. `drop(buf)`
//!   helps only where the variable is not `Copy` and was never borrowed.
//! - The sizes are those that `cargo weigh futures` has found by compiling, as for `large_future`.
//!
//! # What it leaves out
//! - Variables that a reference which lives on may point to, and those whose place another variable
//!   takes anyway.
//! - The one future that `main` runs.
//!
//! # Example
//! ```
//! async fn send(bytes: usize) -> usize {
//!     bytes
//! }
//!
//! fn encode(text: &[u8], line: &mut [u8]) -> usize {
//!     line[..text.len()].copy_from_slice(text);
//!     text.len()
//! }
//!
//! async fn report(text: &[u8]) -> usize {
//!     let mut line = [0; 4096];
//!     let length = encode(text, &mut line);
//!     send(length).await
//! }
//! ```
//! keeps `line` while it waits. With a block, `let length = { let mut line = [0; 4096]; … };`, the
//! future has 4,096 bytes less.

use crate::config::{Level, Setting};
use crate::coroutines::{Coroutine, Number, Variable};
use crate::finding::{Finding, Label, Remedy};
use crate::lint::words::bytes;
use crate::lint::{Check, Claim, Concern, Context, Group, Lint, futures, header};
use crate::resolve::CrateIx;

/// The lint.
pub static LINT: Lint = Lint {
    name: "held_across_await",
    group: Group::Nursery,
    level: Level::Allow,
    header: header!("held_across_await.rs"),
    settings: &[HELD_SIZE],
    clippy: &[],
    concern: Concern::Code,
    claim: Claim::None,
    check: Check::Future(check),
};

/// From which size on a variable is reported.
const HELD_SIZE: Setting = Setting {
    key: "held-size",
    default: 1024,
    doc: "least number of bytes of a variable that is held in vain",
};

fn check(cx: &Context, krate: CrateIx, future: &Coroutine) -> Vec<Finding> {
    let least = cx.config(krate).setting(LINT.name, &HELD_SIZE);
    let idle = future
        .idle
        .iter()
        .filter(|idle| idle.size >= least && future.number != Number::Main);
    idle.filter_map(|idle| held(cx, future, idle)).collect()
}

fn held(cx: &Context, future: &Coroutine, idle: &Variable) -> Option<Finding> {
    let Variable {
        name,
        size,
        size_after,
        ..
    } = idle;
    let at = Label::new(cx.span_of(&idle.at)?, format!("{} in vain", bytes(*size)));
    let message = format!(
        "`{name}` lives across an await of `{}` that does not need it",
        future.name
    );
    let remedy = Remedy {
        size_after: Some(*size_after),
        ripple: futures::ripple(&idle.ripple),
        ..Remedy::new(format!("end `{name}` in a block before the await"))
    };
    Some(Finding {
        field: Some(name.clone()),
        size_before: Some(future.size),
        remedies: vec![remedy],
        multiplicity: future.multiplicity(),
        ..Finding::new(message, at)
    })
}
