//! Nets of small heaps, worked out by hand: malloc takes 32 bytes for up to 24, then 16 more for
//! each 16.

use super::*;
use crate::census::count::{Census, TextCount};
use crate::finding::{Finding, Label, Ripple};
use crate::join::{Definition, Subject};
use crate::span::{FileId, Span};
use std::collections::BTreeMap;

fn ty(name: &str, size: u64, values: u64, direct: (u64, u64), parts: &[(&str, u64)]) -> TypeCount {
    TypeCount {
        ty: name.to_owned(),
        size,
        values,
        slots: values,
        bytes: values * size,
        variants: BTreeMap::new(),
        direct: direct.0,
        few: vec![(1, direct.1)],
        guessed: 0,
        parts: parts.iter().map(|(n, k)| ((*n).to_owned(), *k)).collect(),
        ..TypeCount::default()
    }
}

fn field(name: &str, containers: u64, short: &[(u64, u64)], rest: Blocks) -> FieldCount {
    let short = short.iter().map(|(len, n)| {
        let bytes = n * malloc::block(*len);
        (*len, Blocks { number: *n, bytes })
    });
    let short: BTreeMap<_, _> = short.collect();
    let mut blocks = rest;
    short.values().for_each(|b| blocks += *b);
    FieldCount {
        ty: "a::Item".to_owned(),
        field: name.to_owned(),
        containers,
        blocks,
        short,
        ..FieldCount::default()
    }
}

/// The net of a remedy that shrinks `Item` from 40 bytes to 24.
fn net(census: &Census, after: u64, ripple: &[(&str, u64, u64)], heap: &[BlockChange]) -> Net {
    let label = Label {
        span: Span::new(FileId(0), 0, 1),
        text: String::new(),
    };
    let mut finding = Finding::new(String::new(), label);
    finding.size_before = Some(40);
    finding.remedies = vec![Remedy {
        title: String::new(),
        heap: Some(heap.to_vec()),
        net: None,
        size_after: Some(after),
        ripple: ripple
            .iter()
            .map(|(path, before, after)| Ripple {
                path: (*path).to_owned(),
                before: *before,
                after: *after,
            })
            .collect(),
        change: Vec::new(),
        fix: None,
    }];
    let measured = Index::new(census).measure("a", "Item", &Definition::default(), &mut finding);
    assert!(measured.is_some());
    finding.best_net().unwrap()
}

fn of_types(types: Vec<TypeCount>) -> Census {
    Census {
        types,
        ..Census::default()
    }
}

#[test]
fn slots_lose_the_difference_and_boxes_a_block() {
    // 100 in vectors, 10 in boxes: 48 and then 32 bytes each.
    let mut census = of_types(vec![ty("a::Item", 40, 90, (110, 10), &[])]);
    assert_eq!(net(&census, 24, &[], &[]).bytes, 100 * 16 + 10 * 16);
    census.types[0].variants = BTreeMap::from([("Wide".to_owned(), 30), ("Thin".to_owned(), 60)]);
    let boxed = BlockChange::Boxed {
        variant: Some("Wide".to_owned()),
        field: None,
        bytes: 40,
    };
    let found = net(&census, 24, &[], &[boxed]);
    assert_eq!(found.bytes, 110 * 16 - 30 * 48);
    assert_eq!(found.blocks, -30);
}

#[test]
fn what_holds_it_counts_once() {
    let option = "core::option::Option<a::Item>";
    let types = vec![
        ty("a::Item", 40, 50, (0, 0), &[]),
        // Slots that are `None` shrink too.
        ty(option, 40, 70, (70, 0), &[("a::Item", 1)]),
        ty("b::Pair", 88, 5, (5, 5), &[("a::Item", 2)]),
        ty("b::Other", 40, 5, (5, 0), &[]),
        ty("(a::Item, a::Item, u8)", 88, 3, (3, 0), &[("a::Item", 2)]),
    ];
    let census = of_types(types);
    let pair = [("Pair", 88, 48)];
    let blocks = 5 * (96 - 64);
    assert_eq!(
        net(&census, 24, &pair, &[]).bytes,
        70 * 16 + blocks + 3 * 32
    );
}

#[test]
fn blocks_of_a_few_are_rounded_as_malloc_does() {
    let mut census = of_types(vec![ty("a::Item", 40, 90, (90, 0), &[])]);
    // 40 and 24, 80 and 48, 120 and 72 bytes: blocks of 48, 96, 128 and of 32, 64, 80.
    census.types[0].few = vec![(1, 5), (2, 7), (3, 9)];
    let others = 90 - 5 - 2 * 7 - 3 * 9;
    let saved = 5 * (48 - 32) + 7 * (96 - 64) + 9 * (128 - 80) + others * 16;
    assert_eq!(net(&census, 24, &[], &[]).bytes, saved);
}

#[test]
fn another_variant_of_an_enum_of_std_keeps_its_bytes() {
    let part = || BTreeMap::from([("a::Item".to_owned(), 1)]);
    let mut result = ty(
        "core::result::Result<a::Item, b::Error>",
        40,
        9,
        (9, 0),
        &[],
    );
    result.parts = part();
    let mut census = of_types(vec![ty("a::Item", 40, 9, (0, 0), &[]), result]);
    for (error, each) in [(8, 16), (32, 8), (40, 0)] {
        census.types[1].arms = vec![(40, part()), (error, BTreeMap::new())];
        assert_eq!(net(&census, 24, &[], &[]).bytes, 9 * each, "{error}");
    }
}

#[test]
fn what_something_else_is_as_wide_as_does_not_shrink() {
    let types = || {
        vec![
            ty("a::Item", 40, 50, (0, 0), &[]),
            ty("a::Record", 40, 50, (50, 0), &[("a::Item", 1)]),
        ]
    };
    assert_eq!(net(&of_types(types()), 24, &[], &[]).bytes, 0);
    let ripple = [("Record", 40, 32)];
    assert_eq!(net(&of_types(types()), 24, &ripple, &[]).bytes, 50 * 8);
    // Types that have it by value shrink too.
    let mut with_option = types();
    let option = "core::option::Option<a::Record>";
    with_option.push(ty(option, 40, 5, (5, 0), &[("a::Record", 1)]));
    assert_eq!(net(&of_types(with_option), 24, &[], &[]).bytes, 0);
}

#[test]
fn blocks_of_fields() {
    let rest = Blocks {
        number: 2,
        bytes: 2 * 48,
    };
    // Three empty ones without a block.
    let mut texts = field("text", 15, &[(0, 1), (8, 4), (16, 3), (24, 2)], rest);
    texts.frozen_bytes = 11 * 32;
    texts.capacity = 300;
    texts.empty = 4;
    texts.texts = Some(TextCount {
        repeated: 3,
        repeated_bytes: 96,
        distinct: 8,
        ..TextCount::default()
    });
    let mut census = of_types(vec![ty("a::Item", 40, 15, (15, 0), &[])]);
    census.fields = vec![texts];
    let name = || "text".to_owned();
    let all = 10 * 32 + 2 * 48;
    let table = [
        (BlockChange::Freed(name()), all, 12),
        (BlockChange::Frozen(name()), all - 11 * 32, 1),
        (BlockChange::Grown(name(), 16), -12 * 16, 0),
        (BlockChange::Resized(name(), 8, 24), -300 * 16, 0),
        (BlockChange::Inlined(name(), 16, 0), 8 * 32, 8),
        (BlockChange::Inlined(name(), 15, 16), 5 * 32 - 7 * 16, 5),
        (BlockChange::Inlined(name(), u64::MAX, 16), all, 12),
        // The table of the set has 16 buckets.
        (
            BlockChange::Shared(name()),
            96 + all - 11 * 32 - 8 * 16 - 304,
            3,
        ),
        (BlockChange::Joined(name()), all - 11 * 32, 1),
    ];
    for (change, bytes, blocks) in table {
        let found = net(&census, 40, &[], std::slice::from_ref(&change));
        assert_eq!(found, Net { bytes, blocks }, "{change:?}");
    }
}

#[test]
fn what_was_not_read_has_no_net() {
    let census = of_types(vec![ty("a::Item", 40, 15, (15, 0), &[])]);
    let index = Index::new(&census);
    let freed = BlockChange::Freed("other".to_owned());
    let blocks = |path| {
        let joined = index.join(&Subject {
            krate: "a",
            path,
            field: None,
            size: None,
            definition: &Definition::default(),
        });
        index.blocks(&joined.unwrap(), &freed)
    };
    assert_eq!(blocks("Item"), None);
    // A type without values has no fields that were read.
    assert_eq!(blocks("Absent"), Some(Net::default()));
}
