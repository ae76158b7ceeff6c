//! How likely an author would act on a finding: its facts as numbers, and one sum of them.

mod measured;
pub mod names;
pub mod score;
pub mod signals;

pub use measured::{CensusVerdict, Counted, standing};
pub use score::Worth;
pub use signals::Signals;

use crate::finding::{Finding, Net};
use crate::lint::Concern;
use std::cmp::Reverse;

/// The sort key of findings, the most valuable first.
pub type Value = (Reverse<bool>, u8, Reverse<Net>, Reverse<u32>, Reverse<u64>);

/// Returns the value of a finding: what it would have saved in a counted heap, otherwise its worth.
pub fn value(
    concern: Concern,
    finding: &Finding,
    worth: &Worth,
    counted: Option<&Counted>,
) -> Value {
    let standing = match standing(concern, counted) {
        CensusVerdict::Confirmed | CensusVerdict::Saving => 0,
        CensusVerdict::Uncounted => 1,
        CensusVerdict::Absent | CensusVerdict::Withdrawn => 2,
    };
    let net = counted.and_then(|c| c.net).unwrap_or_default();
    let before = finding.size_before.unwrap_or(0);
    let saved = finding.size_after().map_or(0, |a| before.saturating_sub(a));
    (
        Reverse(concern == Concern::Asked),
        standing,
        Reverse(net),
        Reverse(worth.fine()),
        Reverse(saved),
    )
}
