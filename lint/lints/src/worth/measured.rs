//! What a census of a running program says of a finding.

use crate::finding::Net;
use crate::lint::Concern;

/// The result of a census for a finding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counted {
    /// Number of values of the type.
    pub values: u64,
    /// What the best remedy would save; `None` if unknown.
    pub net: Option<Net>,
    /// Live bytes and blocks.
    pub live: (u64, u64),
    /// Whether so little of the heap was read that the rest may say otherwise.
    pub partly: bool,
}

/// The verdict of a census, the most valuable first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CensusVerdict {
    /// It saves a significant share of the heap, whatever the code shows.
    Confirmed,
    /// It saves something.
    Saving,
    /// The census counted nothing that it is about.
    Uncounted,
    /// Its type never occurred.
    Absent,
    /// It would cost more than it saves, or saves nothing.
    Withdrawn,
}

/// From this share of the live bytes or blocks on, a saving is significant, in percent.
const CONFIRMED_PERCENT: i64 = 1;

/// Returns the verdict of a census on a finding.
pub fn standing(concern: Concern, counted: Option<&Counted>) -> CensusVerdict {
    let Some(Counted {
        values,
        net,
        live,
        partly,
    }) = counted.filter(|_| concern != Concern::Asked)
    else {
        return CensusVerdict::Uncounted;
    };
    let Some(net) = net else {
        return CensusVerdict::Uncounted;
    };
    let share = |n: i64, all: u64| n > 0 && n.saturating_mul(100) >= all as i64 * CONFIRMED_PERCENT;
    match net.bytes {
        _ if *values == 0 && !partly => CensusVerdict::Absent,
        bytes if bytes < 0 || bytes == 0 && net.blocks <= 0 => match partly {
            // What was not read may speak for it.
            true => CensusVerdict::Uncounted,
            false => CensusVerdict::Withdrawn,
        },
        bytes if share(bytes, live.0) || share(net.blocks, live.1) => CensusVerdict::Confirmed,
        _ => CensusVerdict::Saving,
    }
}
