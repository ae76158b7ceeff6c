//! A comment expects a finding that is not there.
//!
//! # Why
//! `// weigh: expect(LINT)` leaves a finding out, and is to say when it is no longer needed: the
//! type was mended, or the lint sees it in another way.
//!
//! # Limits
//! Says nothing where the lint is at level `allow`, and where a `cfg` takes away what the comment
//! is about. The finding may be there for other features, targets or platforms: write `allow` then.
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
use crate::judge::Concern;
use crate::lint::{Check, Group, Lint};

/// The lint.
pub static LINT: Lint = Lint {
    name: "unfulfilled_expectation",
    group: Group::Comments,
    level: Level::Warn,
    source: include_str!("unfulfilled_expectation.rs"),
    settings: &[],
    clippy: &[],
    concern: Concern::Asked,
    check: Check::Comments,
};
