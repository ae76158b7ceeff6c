//! Decides from the facts of a finding whether it is shown by default, by which rule it is not, and
//! how valuable it is.
//!
//! The rules are derived from what authors act on, measured on published crates: a saving counts if
//! the type is stored in many places and the stored element shrinks.

use crate::finding::{Confidence, Finding, Multiplicity, Net, Rule};
use std::cmp::Reverse;

/// What a finding is about, which decides the evidence it needs to be shown by default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Concern {
    /// Bytes of each value of a type.
    Bytes,
    /// A heap block for each value of a type.
    Blocks,
    /// What functions and loops do: the lint itself weighs it.
    Code,
    /// A limit or comment written by an author.
    Asked,
}

/// The result of a census for a finding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counted {
    /// Number of values of the type.
    pub values: u64,
    /// What the best remedy would save; `None` if unknown.
    pub net: Option<Net>,
    /// Live bytes and blocks.
    pub live: (u64, u64),
}

/// The verdict of a census, the most valuable first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Standing {
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
pub fn standing(concern: Concern, counted: Option<&Counted>) -> Standing {
    let Some(Counted { values, net, live }) = counted.filter(|_| concern != Concern::Asked) else {
        return Standing::Uncounted;
    };
    let Some(net) = net else {
        return Standing::Uncounted;
    };
    let share = |n: i64, all: u64| n > 0 && n.saturating_mul(100) >= all as i64 * CONFIRMED_PERCENT;
    match net.bytes {
        _ if *values == 0 => Standing::Absent,
        ..0 => Standing::Withdrawn,
        0 if net.blocks <= 0 => Standing::Withdrawn,
        bytes if share(bytes, live.0) || share(net.blocks, live.1) => Standing::Confirmed,
        _ => Standing::Saving,
    }
}

/// Facts about the location of a finding.
#[derive(Clone, Copy, Debug, Default)]
pub struct Place {
    /// The file is generated.
    pub generated: bool,
    /// In a tool of the workspace, or of its tests.
    pub tool: bool,
    /// It looks like configuration.
    pub configuration: bool,
    /// The package generates Rust code.
    pub makes_code: bool,
    /// The type's name denotes a role of which few exist at a time.
    pub role_name: bool,
    /// The type's name denotes an agent, of which there is one per job.
    pub machine: bool,
}

/// Slots smaller than this (bytes) do not justify a change of layout.
const LEAST_BYTES: u64 = 24;

/// The same if many fields store it.
const LEAST_OF_MANY: u64 = 16;

/// A saving of this many bytes and two thirds of a slot suffices if one field stores it.
const MUCH: u64 = 64;

/// Returns the first rule that restricts a finding to `weigh::pedantic`; `None` if it is shown by
/// default.
pub fn reserved(
    concern: Concern,
    finding: &Finding,
    place: Place,
    standing: Standing,
) -> Option<Rule> {
    if concern == Concern::Asked || standing == Standing::Confirmed {
        return None;
    }
    let rules = [
        (place.generated, Rule::Generated),
        (place.tool, Rule::Tool),
        (place.configuration, Rule::Configuration),
        (place.makes_code, Rule::MakesCode),
    ];
    let of_place = rules
        .into_iter()
        .find_map(|(holds, rule)| holds.then_some(rule));
    of_place
        .or_else(|| of_number(concern, finding))
        .or_else(|| finding.doubts.iter().min().copied())
        .or_else(|| of_name(concern, finding.multiplicity, place))
        .or_else(|| of_slot(concern, finding))
        .or_else(|| of_confidence(concern, finding.confidence))
}

/// Applies the rules on the number of values.
fn of_number(concern: Concern, finding: &Finding) -> Option<Rule> {
    match (concern, finding.multiplicity) {
        (Concern::Code | Concern::Asked, _) => None,
        (_, Multiplicity::Singleton) => Some(Rule::Singleton),
        (_, Multiplicity::Unknown | Multiplicity::Transient) if finding.bulk => None,
        (Concern::Bytes, Multiplicity::Stored { .. }) if finding.bulk => None,
        (_, Multiplicity::Unknown) => Some(Rule::UnknownNumber),
        (_, Multiplicity::Transient) => Some(Rule::Transient),
        (Concern::Bytes, m) if !m.is_many() && !is_most_of(finding.slot) => {
            Some(Rule::OneCollection)
        }
        (_, Multiplicity::Stored { .. }) => None,
    }
}

/// Returns true for a slot that shrinks so much that one collection of them suffices.
fn is_most_of(slot: Option<(u64, u64)>) -> bool {
    slot.is_some_and(|(before, after)| after + MUCH <= before && after * 3 <= before)
}

fn of_name(concern: Concern, multiplicity: Multiplicity, place: Place) -> Option<Rule> {
    let by_role = place.role_name && !multiplicity.is_held_by_many();
    let few = match concern {
        Concern::Bytes => by_role || place.machine,
        Concern::Blocks => by_role,
        Concern::Code | Concern::Asked => false,
    };
    few.then_some(Rule::RoleName)
}

/// Applies the rules on the bytes of a slot, where known.
fn of_slot(concern: Concern, finding: &Finding) -> Option<Rule> {
    let (before, after) = finding.slot.filter(|_| concern == Concern::Bytes)?;
    let least = match finding.multiplicity.is_held_by_many() {
        true => LEAST_OF_MANY,
        false => LEAST_BYTES,
    };
    match before.saturating_sub(after) {
        0 => Some(Rule::NothingShrinks),
        saved if saved < least => Some(Rule::SmallSaving),
        _ => None,
    }
}

fn of_confidence(concern: Concern, confidence: Confidence) -> Option<Rule> {
    let enough = match concern {
        Concern::Bytes => Confidence::Proved,
        _ => Confidence::Likely,
    };
    (confidence < enough).then_some(Rule::NotProved)
}

/// The sort key of findings by value, the most valuable first.
pub type Value = (Reverse<bool>, u8, Reverse<Net>, Reverse<(u16, usize, u64)>);

/// Returns the value of a finding: its saving in a counted heap; otherwise where it is stored, how
/// much else shrinks, then bytes.
pub fn value(concern: Concern, finding: &Finding, counted: Option<&Counted>) -> Value {
    let standing = match standing(concern, counted) {
        Standing::Confirmed | Standing::Saving => 0,
        Standing::Uncounted => 1,
        Standing::Absent | Standing::Withdrawn => 2,
    };
    let net = counted.and_then(|c| c.net).unwrap_or_default();
    let stored = match finding.multiplicity {
        Multiplicity::Stored { depth, holders } => u16::from(depth) + holders,
        _ => 0,
    };
    let best = finding.remedies.first();
    let ripple = best.map_or(0, |r| {
        r.ripple.iter().filter(|r| r.after < r.before).count()
    });
    let before = finding.size_before.unwrap_or(0);
    let saved = finding.size_after().map_or(0, |a| before.saturating_sub(a));
    (
        Reverse(concern == Concern::Asked),
        standing,
        Reverse(net),
        Reverse((stored, ripple, saved)),
    )
}

#[cfg(test)]
mod tests;
