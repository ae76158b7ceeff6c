//! The rules as a table: facts on the left, the rule that decides on the right.

use super::*;
use crate::finding::{Label, Remedy, Ripple};
use crate::span::{FileId, Span};

fn finding(multiplicity: Multiplicity) -> Finding {
    let label = Label {
        span: Span::new(FileId(0), 0, 1),
        text: String::new(),
    };
    let mut finding = Finding::new(String::new(), label);
    finding.multiplicity = multiplicity;
    finding.slot = Some((64, 32));
    finding
}

const fn stored(depth: u8, holders: u16) -> Multiplicity {
    Multiplicity::Stored { depth, holders }
}

const ANYWHERE: Place = Place {
    generated: false,
    tool: false,
    configuration: false,
    makes_code: false,
    role_name: false,
    machine: false,
};

#[test]
fn the_number_decides_first() {
    use Concern::{Asked, Blocks, Bytes, Code};
    use Multiplicity::{Singleton, Transient, Unknown};
    let table = [
        (Bytes, stored(2, 1), None),
        (Bytes, stored(1, 2), None),
        (Bytes, stored(1, 1), Some(Rule::OneCollection)),
        (Bytes, Singleton, Some(Rule::Singleton)),
        (Bytes, Transient, Some(Rule::Transient)),
        (Bytes, Unknown, Some(Rule::UnknownNumber)),
        (Blocks, stored(1, 1), None),
        (Blocks, stored(2, 2), None),
        (Blocks, Transient, Some(Rule::Transient)),
        (Blocks, Unknown, Some(Rule::UnknownNumber)),
        (Code, Unknown, None),
        (Asked, Singleton, None),
    ];
    for (concern, number, rule) in table {
        assert_eq!(
            reserved(concern, &finding(number), ANYWHERE, Standing::Uncounted),
            rule,
            "{concern:?} {number:?}"
        );
    }
}

/// What is moved in bulk needs no second collection, and no collection at all.
#[test]
fn bytes_that_are_moved_speak_for_themselves() {
    for number in [stored(1, 1), Multiplicity::Transient, Multiplicity::Unknown] {
        let mut moved = finding(number);
        moved.bulk = true;
        let rule = reserved(Concern::Bytes, &moved, ANYWHERE, Standing::Uncounted);
        assert_eq!(rule, None, "{number:?}");
    }
}

#[test]
fn then_what_the_lint_saw_and_where() {
    let many = || finding(stored(2, 2));
    let place = |change: fn(&mut Place)| {
        let mut place = ANYWHERE;
        change(&mut place);
        place
    };
    let bytes = |f: &Finding, place| reserved(Concern::Bytes, f, place, Standing::Uncounted);
    assert_eq!(
        bytes(&many(), place(|p| p.generated = true)),
        Some(Rule::Generated)
    );
    assert_eq!(bytes(&many(), place(|p| p.tool = true)), Some(Rule::Tool));
    assert_eq!(
        bytes(&many(), place(|p| p.configuration = true)),
        Some(Rule::Configuration)
    );
    assert_eq!(
        bytes(&many(), place(|p| p.makes_code = true)),
        Some(Rule::MakesCode)
    );
    let named = place(|p| p.role_name = true);
    assert_eq!(bytes(&many(), named), Some(Rule::RoleName));
    let held = || finding(stored(2, 9));
    assert_eq!(bytes(&held(), named), None);
    let machine = place(|p| p.machine = true);
    assert_eq!(bytes(&held(), machine), Some(Rule::RoleName));
    // Three fields that store it say more than its name.
    assert_eq!(bytes(&finding(stored(1, 3)), named), None);
    let mut doubted = many();
    doubted.doubts = vec![Rule::SmallSaving, Rule::CommonVariant];
    assert_eq!(bytes(&doubted, ANYWHERE), Some(Rule::CommonVariant));
    // A limit that an author has set holds anywhere.
    assert_eq!(
        reserved(
            Concern::Asked,
            &doubted,
            place(|p| p.generated = true),
            Standing::Uncounted
        ),
        None
    );
}

#[test]
fn then_what_a_slot_loses() {
    let table = [
        (Some((64, 64)), Some(Rule::NothingShrinks)),
        (Some((64, 41)), Some(Rule::SmallSaving)),
        (Some((64, 40)), None),
        (None, None),
    ];
    let mut most = finding(stored(2, 3));
    most.slot = Some((64, 48));
    assert_eq!(
        reserved(Concern::Bytes, &most, ANYWHERE, Standing::Uncounted),
        None,
        "three fields store it"
    );
    for (slot, rule) in table {
        let mut finding = finding(stored(2, 2));
        finding.slot = slot;
        assert_eq!(
            reserved(Concern::Bytes, &finding, ANYWHERE, Standing::Uncounted),
            rule,
            "{slot:?}"
        );
        assert_eq!(
            reserved(Concern::Blocks, &finding, ANYWHERE, Standing::Uncounted),
            None
        );
    }
}

#[test]
fn one_collection_is_enough_for_most_of_a_slot() {
    for (slot, rule) in [
        ((96, 32), None),
        ((96, 33), Some(Rule::OneCollection)),
        ((90, 30), Some(Rule::OneCollection)),
    ] {
        let mut finding = finding(stored(1, 1));
        finding.slot = Some(slot);
        assert_eq!(
            reserved(Concern::Bytes, &finding, ANYWHERE, Standing::Uncounted),
            rule,
            "{slot:?}"
        );
    }
}

#[test]
fn then_how_sure_it_is() {
    let table = [
        (Concern::Bytes, Confidence::Proved, None),
        (Concern::Bytes, Confidence::Likely, Some(Rule::NotProved)),
        (Concern::Blocks, Confidence::Likely, None),
        (Concern::Blocks, Confidence::Possible, Some(Rule::NotProved)),
        (Concern::Code, Confidence::Possible, Some(Rule::NotProved)),
    ];
    for (concern, confidence, rule) in table {
        let mut finding = finding(stored(2, 2));
        finding.confidence = confidence;
        assert_eq!(
            reserved(concern, &finding, ANYWHERE, Standing::Uncounted),
            rule,
            "{concern:?} {confidence:?}"
        );
    }
}

#[test]
fn the_most_stored_is_the_most_valuable_then_what_shrinks_then_bytes() {
    let remedy = |size_after, ripples: usize| Remedy {
        title: String::new(),
        heap: None,
        net: None,
        size_after: Some(size_after),
        ripple: (0..ripples)
            .map(|n| Ripple {
                path: n.to_string(),
                before: 64,
                after: 32,
            })
            .collect(),
        change: Vec::new(),
        fix: None,
    };
    let one = |multiplicity, size_after, ripples| {
        let mut finding = finding(multiplicity);
        finding.size_before = Some(64);
        finding.remedies = vec![remedy(size_after, ripples)];
        value(Concern::Bytes, &finding, None)
    };
    let order = [
        one(stored(2, 3), 56, 0),
        one(stored(2, 2), 56, 2),
        one(stored(2, 2), 16, 1),
        one(stored(2, 2), 32, 1),
        one(stored(1, 1), 8, 9),
        one(Multiplicity::Unknown, 8, 9),
    ];
    assert!(order.is_sorted(), "{order:?}");
}

fn counted(values: u64, net: Option<(i64, i64)>) -> Counted {
    Counted {
        values,
        net: net.map(|(bytes, blocks)| Net { bytes, blocks }),
        live: (100_000, 1000),
    }
}

#[test]
fn what_a_census_makes_of_a_finding() {
    use Standing::{Absent, Confirmed, Saving, Uncounted, Withdrawn};
    let table = [
        // A hundredth of the bytes, or of the blocks.
        (5, Some((1000, 0)), Confirmed),
        (5, Some((999, 9)), Saving),
        (5, Some((1, 10)), Confirmed),
        (5, Some((0, 1)), Saving),
        (5, Some((0, 0)), Withdrawn),
        (5, Some((-1, 900)), Withdrawn),
        (0, Some((0, 0)), Absent),
        (5, None, Uncounted),
        (0, None, Uncounted),
    ];
    for (values, net, wanted) in table {
        let counted = counted(values, net);
        let found = standing(Concern::Bytes, Some(&counted));
        assert_eq!(found, wanted, "{values} {net:?}");
        assert_eq!(standing(Concern::Asked, Some(&counted)), Uncounted);
    }
    assert_eq!(standing(Concern::Bytes, None), Uncounted);
}

#[test]
fn what_is_confirmed_is_said_whatever_the_code_shows() {
    let unknown = finding(Multiplicity::Unknown);
    let rule = |standing| reserved(Concern::Bytes, &unknown, ANYWHERE, standing);
    assert_eq!(rule(Standing::Confirmed), None);
    for standing in [Standing::Saving, Standing::Uncounted, Standing::Absent] {
        assert_eq!(rule(standing), Some(Rule::UnknownNumber), "{standing:?}");
    }
}

#[test]
fn what_is_counted_comes_in_the_order_of_its_saving_and_what_never_occurred_last() {
    let many = finding(stored(2, 9));
    let one = |concern, counted: Option<Counted>| {
        let finding = match counted {
            Some(_) => finding(Multiplicity::Unknown),
            None => many.clone(),
        };
        value(concern, &finding, counted.as_ref())
    };
    let order = [
        one(Concern::Asked, None),
        one(Concern::Bytes, Some(counted(1, Some((5000, 0))))),
        one(Concern::Blocks, Some(counted(9, Some((400, 9))))),
        one(Concern::Bytes, None),
        one(Concern::Bytes, Some(counted(0, Some((0, 0))))),
    ];
    assert!(order.is_sorted_by(|a, b| a < b), "{order:?}");
}
