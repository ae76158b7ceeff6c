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
    makes_code: false,
    role_name: false,
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
            reserved(concern, &finding(number), ANYWHERE),
            rule,
            "{concern:?} {number:?}"
        );
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
    let bytes = |f: &Finding, place| reserved(Concern::Bytes, f, place);
    assert_eq!(
        bytes(&many(), place(|p| p.generated = true)),
        Some(Rule::Generated)
    );
    assert_eq!(bytes(&many(), place(|p| p.tool = true)), Some(Rule::Tool));
    assert_eq!(
        bytes(&many(), place(|p| p.makes_code = true)),
        Some(Rule::MakesCode)
    );
    let named = place(|p| p.role_name = true);
    assert_eq!(bytes(&many(), named), Some(Rule::RoleName));
    // Three fields that store it say more than its name.
    assert_eq!(bytes(&finding(stored(1, 3)), named), None);
    let mut doubted = many();
    doubted.doubts = vec![Rule::SmallSaving, Rule::CommonVariant];
    assert_eq!(bytes(&doubted, ANYWHERE), Some(Rule::CommonVariant));
    // A limit that an author has set holds anywhere.
    assert_eq!(
        reserved(Concern::Asked, &doubted, place(|p| p.generated = true)),
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
        reserved(Concern::Bytes, &most, ANYWHERE),
        None,
        "three fields store it"
    );
    for (slot, rule) in table {
        let mut finding = finding(stored(2, 2));
        finding.slot = slot;
        assert_eq!(
            reserved(Concern::Bytes, &finding, ANYWHERE),
            rule,
            "{slot:?}"
        );
        assert_eq!(reserved(Concern::Blocks, &finding, ANYWHERE), None);
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
            reserved(Concern::Bytes, &finding, ANYWHERE),
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
            reserved(concern, &finding, ANYWHERE),
            rule,
            "{concern:?} {confidence:?}"
        );
    }
}

#[test]
fn the_most_stored_is_the_most_valuable_then_what_shrinks_then_bytes() {
    let remedy = |size_after, ripples: usize| Remedy {
        title: String::new(),
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
        value(Concern::Bytes, &finding)
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
