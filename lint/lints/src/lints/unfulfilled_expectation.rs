//! A comment expects a finding that is not there.
//!
//! # Why
//! `// weigh: expect(LINT)` leaves a finding out, and should say when it is no longer needed.
//!
//! # What it finds
//! - An `expect` comment without a finding of its lint: the type was changed, or the lint judges it
//!   in another way.
//!
//! # What it leaves out
//! - Lints at level `allow`.
//! - Comments on code that a `cfg` leaves out.
//!
//! # Limits
//! The finding may exist for other features, targets or platforms: write `allow` then.
//!
//! # Example
//! ```
//! // weigh: expect(oversized_variant, reason = "most events are frames")
//! enum Event {
//!     Tick,
//!     Frame(Box<[u8; 4096]>),
//! }
//! ```
//! is no finding of `oversized_variant`: remove the comment.

use crate::config::Level;
use crate::lint::{Check, Claim, Concern, Group, Lint, header};

/// The lint.
pub static LINT: Lint = Lint {
    name: "unfulfilled_expectation",
    group: Group::Comments,
    level: Level::Warn,
    header: header!("unfulfilled_expectation.rs"),
    settings: &[],
    clippy: &[],
    concern: Concern::Asked,
    claim: Claim::None,
    check: Check::Comments,
};
