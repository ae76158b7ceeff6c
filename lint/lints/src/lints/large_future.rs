//! A future is so large that it is costly to move, and may overflow the stack.
//!
//! # Why
//! A future has room for all that lives across its awaits, and for each future that it awaits. It is
//! built and moved as one value: to `spawn`, into a box, from one function to another. In a debug
//! build each of these takes its size of the stack again.
//!
//! # What it finds
//! - Futures of more than `future-size` bytes, with what lives across the await that sets the size
//!   and what makes it small: the fewest boxes at awaits, or the variable of which a box gives most
//!   (`cargo weigh fix` makes those at awaits, and that of a variable whose type is not written and
//!   that is only borrowed, indexed or has its methods called). Of futures that hold each other the innermost that is so large
//!   is reported; the sizes of the others are listed with it.
//! - The sizes are those that `cargo weigh futures` has found by compiling, for the same selection
//!   and build. When a source, a manifest, the toolchain or the flags have changed since, nothing
//!   is said but how to ask again.
//! - There are many of a future that a collection or an executor's task stores on the heap, and one
//!   of a future that only what `main` runs holds: its worth says so.
//!
//! # What it leaves out
//! - The one future that `main` runs.
//! - Futures with a budget in the manifest: these are `over_budget`'s.
//!
//! # Example
//! ```
//! async fn receive(buffer: &mut [u8]) {
//!     buffer[0] = 1;
//! }
//!
//! async fn serve() -> u8 {
//!     let mut buffer = [0; 65536];
//!     receive(&mut buffer).await;
//!     buffer[0]
//! }
//! ```
//! makes each future of `serve` 64 KiB. With `Box::new([0; 65536])`, and `&mut *buffer` where it is lent,
//! it is less than 100 bytes.

use crate::config::{Level, Setting};
use crate::coroutines::{Coroutine, Number};
use crate::finding::Finding;
use crate::lint::futures::SAVED_PERCENT;
use crate::lint::{Check, Claim, Concern, Context, Group, Lint, futures, header};
use crate::resolve::CrateIx;

/// The lint.
pub static LINT: Lint = Lint {
    name: "large_future",
    group: Group::Nursery,
    level: Level::Allow,
    header: header!("large_future.rs"),
    settings: &[FUTURE_SIZE, SAVED_PERCENT],
    clippy: &["large_futures"],
    concern: Concern::Code,
    claim: Claim::None,
    check: Check::Future(check),
};

/// From which size on a future is large: the limit of Clippy's lint.
const FUTURE_SIZE: Setting = Setting {
    key: "future-size",
    default: 16_384,
    doc: "most bytes of a future that is not large",
};

fn check(cx: &Context, krate: CrateIx, future: &Coroutine) -> Vec<Finding> {
    let limit = cx.config(krate).setting(LINT.name, &FUTURE_SIZE);
    let mut budgets = cx.limits_of_futures(krate);
    let has_budget = budgets.any(|budget| future.is_named(budget.future()));
    // Most of it is of a future that is reported.
    let inner = cx
        .coroutines()
        .ok()
        .and_then(|all| all.largest_held(future, limit));
    let own = future.size - inner.map_or(0, |inner| inner.size.min(future.size));
    if future.size <= limit
        || future.number == Number::Main
        || has_budget
        || inner.is_some() && own <= limit
    {
        return Vec::new();
    }
    let message = format!(
        "the future `{}` is {} bytes, more than {limit}",
        future.name, future.size
    );
    futures::finding(cx, (&LINT, krate), future, (limit, message))
        .into_iter()
        .collect()
}
