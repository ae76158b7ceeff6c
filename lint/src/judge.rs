//! From the facts of a finding to what is said of it: whether it is shown by default, by which rule
//! it is not, and how valuable it is.
//!
//! The rules are those of what authors act on, measured on published crates: a saving counts where
//! there are many of many, and where what is stored there shrinks.

use crate::finding::{Confidence, Finding, Multiplicity, Rule};
use std::cmp::Reverse;

/// What a finding is about, which decides how much must speak for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Concern {
    /// Bytes of each value of a type.
    Bytes,
    /// A heap block for each value of a type.
    Blocks,
    /// What functions and loops do: the lint itself weighs it.
    Code,
    /// A limit that an author has set, or a comment of his.
    Asked,
}

/// What is known of where a finding lies.
#[derive(Clone, Copy, Debug, Default)]
pub struct Place {
    /// A generator wrote the file.
    pub generated: bool,
    /// The package is a tool of its workspace.
    pub tool: bool,
    /// The package makes Rust code.
    pub makes_code: bool,
    /// By its name, a type of which few exist at a time.
    pub role_name: bool,
}

/// Fewer bytes of a slot than these are not worth a change of layout.
const LEAST_BYTES: u64 = 24;

/// The same where many fields store it.
const LEAST_OF_MANY: u64 = 16;

/// So many bytes of a slot, and two thirds of it, are enough where one field stores it.
const MUCH: u64 = 64;

/// From so many fields on that store it, a type is many whatever its name says.
const MANY_HOLDERS: u16 = 3;

/// The first rule by which a finding is only for `weigh::pedantic`; `None` if it is worth saying.
pub fn reserved(concern: Concern, finding: &Finding, place: Place) -> Option<Rule> {
    if concern == Concern::Asked {
        return None;
    }
    let rules = [
        (place.generated, Rule::Generated),
        (place.tool, Rule::Tool),
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

/// What the number of values says.
fn of_number(concern: Concern, finding: &Finding) -> Option<Rule> {
    match (concern, finding.multiplicity) {
        (Concern::Code | Concern::Asked, _) => None,
        (_, Multiplicity::Singleton) => Some(Rule::Singleton),
        (_, Multiplicity::Unknown | Multiplicity::Transient) if finding.bulk => None,
        (_, Multiplicity::Unknown) => Some(Rule::UnknownNumber),
        (_, Multiplicity::Transient) => Some(Rule::Transient),
        (Concern::Bytes, m) if !m.is_many() && !is_most_of(finding.slot) => {
            Some(Rule::OneCollection)
        }
        (_, Multiplicity::Stored { .. }) => None,
    }
}

/// True for a slot that loses so much that one collection of them is enough.
fn is_most_of(slot: Option<(u64, u64)>) -> bool {
    slot.is_some_and(|(before, after)| after + MUCH <= before && after * 3 <= before)
}

/// True for what so many fields store that little is enough.
fn is_held_by_many(multiplicity: Multiplicity) -> bool {
    matches!(multiplicity, Multiplicity::Stored { holders, .. } if holders >= MANY_HOLDERS)
}

fn of_name(concern: Concern, multiplicity: Multiplicity, place: Place) -> Option<Rule> {
    let named = concern == Concern::Bytes && place.role_name && !is_held_by_many(multiplicity);
    named.then_some(Rule::RoleName)
}

/// What the bytes of a slot say, where they are known.
fn of_slot(concern: Concern, finding: &Finding) -> Option<Rule> {
    let (before, after) = finding.slot.filter(|_| concern == Concern::Bytes)?;
    let least = match is_held_by_many(finding.multiplicity) {
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

/// What orders findings by their value, the most valuable first.
pub type Value = Reverse<(bool, u16, usize, u64)>;

/// The value of a finding: where it is stored, how much shrinks with it, then bytes.
pub fn value(concern: Concern, finding: &Finding) -> Value {
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
    Reverse((concern == Concern::Asked, stored, ripple, saved))
}

#[cfg(test)]
mod tests;
