//! A comment for this tool is not understood, or has no effect.
//!
//! # Why
//! A comment that is meant to suppress a finding, and does not, should say so at once, where it
//! stands.
//!
//! # What it finds
//! - A comment that begins with `weigh:` and is no suppression.
//! - A lint that does not exist.
//! - A suppression of a lint at level `forbid`.
//!
//! A suppression is a comment of one line, above an item, field, variant or statement or at the end
//! of its line:
//!
//! ```text
//! // weigh: allow(LINT, reason = "…")     leaves findings out
//! // weigh: expect(LINT, reason = "…")    the same, and warns where there are none
//! // weigh: allow-file(LINT)              for the whole file
//! ```
//!
//! - Several lints are separated by commas; a group stands for its lints.
//! - Attributes and documentation may stand between the comment and the item.
//! - On a type it covers its variants and fields; on a module, an `impl` or a function everything
//!   inside.
//!
//! # Limits
//! Comments inside macro definitions are not read.
//!
//! # Example
//! ```
//! // weigh: alow(oversized_variant)
//! enum Event {
//!     Tick,
//!     Frame([u8; 4096]),
//! }
//! ```
//! suppresses nothing: it is `allow`.

use crate::config::Level;
use crate::lint::{Check, Claim, Concern, Group, Lint, header};

/// The lint.
pub static LINT: Lint = Lint {
    name: "invalid_suppression",
    group: Group::Comments,
    level: Level::Warn,
    header: header!("invalid_suppression.rs"),
    settings: &[],
    clippy: &[],
    concern: Concern::Asked,
    claim: Claim::None,
    check: Check::Comments,
};
