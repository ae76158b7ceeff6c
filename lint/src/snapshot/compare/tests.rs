//! Tests with small pairs of snapshots, and of the text of their comparison.

use super::super::text;
use super::super::{Entry, Field, Snapshot, Variant};
use super::{Fate, compare};

/// Parses a field: `name: type size [held type, …]`.
fn field(text: &str) -> Field {
    let (name, rest) = text.split_once(": ").unwrap();
    let mut words = rest.split(' ');
    Field {
        name: name.into(),
        ty: words.next().unwrap().into(),
        size: words.next().unwrap().parse().unwrap(),
        holds: words.map(str::to_owned).collect(),
    }
}

fn record(path: &str, size: u64, fields: &[&str]) -> Entry {
    Entry {
        package: "p".into(),
        target: "p".into(),
        krate: "lib".into(),
        path: path.into(),
        kind: "struct".into(),
        size: Some(size),
        align: Some(1),
        fields: fields.iter().map(|f| field(f)).collect(),
        ..Entry::default()
    }
}

fn choice(path: &str, size: u64, variants: &[(&str, &[&str])]) -> Entry {
    let variants = variants.iter().map(|(name, fields)| {
        let fields: Vec<Field> = fields.iter().map(|f| field(f)).collect();
        Variant {
            name: (*name).into(),
            size: fields.iter().map(|f| f.size).sum(),
            fields,
        }
    });
    Entry {
        kind: "enum".into(),
        variants: variants.collect(),
        ..record(path, size, &[])
    }
}

fn unknown(path: &str, least: u64) -> Entry {
    Entry {
        size: None,
        align: None,
        min_size: Some(least),
        reason: Some("why".into()),
        ..record(path, 0, &[])
    }
}

fn snapshot(types: &[Entry]) -> Snapshot {
    let mut types = types.to_vec();
    super::super::sort(&mut types);
    Snapshot {
        rustc: "1".into(),
        triples: vec!["t".into()],
        without_config: false,
        types,
    }
}

/// Returns the text of a comparison, with collapsed whitespace.
fn said(before: &[Entry], after: &[Entry]) -> String {
    let (before, after) = (snapshot(before), snapshot(after));
    let text = text::human(&compare(&before, &after));
    let lines = text
        .lines()
        .map(|l| l.split_whitespace().collect::<Vec<_>>().join(" "));
    lines.collect::<Vec<_>>().join("\n")
}

fn fates(before: &[Entry], after: &[Entry]) -> Vec<(Fate, String)> {
    let (before, after) = (snapshot(before), snapshot(after));
    let comparison = compare(&before, &after);
    let changes = comparison.changes.iter();
    changes.map(|c| (c.fate, c.entry.path.clone())).collect()
}

#[test]
fn fields_that_did_it() {
    let cases = [
        // One field was added and another changed in the other direction.
        (
            record("A", 16, &["a: u64 8", "b: u64 8"]),
            record("A", 24, &["a: u64 8", "b: u8 1", "c: String 15"]),
            "16 → 24 +8 A\nnew field `c: String`, 15 bytes",
        ),
        // A rename is not a cause.
        (
            record("A", 8, &["a: u64 8"]),
            record("A", 16, &["b: u64 8", "c: u64 8"]),
            "8 → 16 +8 A\nnew field `c: u64`, 8 bytes",
        ),
        // An inserted field shifts all indices of a tuple.
        (
            record("A", 8, &["0: u32 4", "1: u16 2"]),
            record("A", 16, &["0: Big 8", "1: u32 4", "2: u16 2"]),
            "8 → 16 +8 A\nnew field `0: Big`, 8 bytes",
        ),
        (
            record("A", 8, &["0: u32 4", "1: u16 2"]),
            record("A", 4, &["0: u16 2", "1: u16 2"]),
            "8 → 4 -4 A\nfield `0: u32` removed, 4 bytes",
        ),
        (
            record("A", 8, &["0: u32 4"]),
            record("A", 16, &["0: u64 8"]),
            "8 → 16 +8 A\nfield `0: u32` is now `u64`, 4 → 8",
        ),
        // Same text, another size: a dependency changed.
        (
            record("A", 8, &["a: Bytes 8"]),
            record("A", 16, &["a: Bytes 16"]),
            "8 → 16 +8 A\nfield `a: Bytes` 8 → 16",
        ),
        (
            record("A", 8, &["a: u8 1"]),
            Entry {
                align: Some(16),
                ..record("A", 16, &["a: u8 1"])
            },
            "8 → 16 +8 A\nalignment 1 → 16",
        ),
    ];
    for (before, after, expected) in cases {
        let fate = if before.size < after.size {
            "grew"
        } else {
            "shrank"
        };
        assert_eq!(said(&[before], &[after]), format!("{fate}:\n{expected}"));
    }
}

#[test]
fn variants_that_did_it() {
    let small: (&str, &[&str]) = ("Small", &["0: u8 1"]);
    let wide: (&str, &[&str]) = ("Wide", &["a: u64 8"]);
    let cases = [
        // Only a variant wider than all others counts.
        (
            choice("E", 16, &[small, wide]),
            choice(
                "E",
                32,
                &[
                    ("Small", &["0: u32 4"]),
                    ("Wide", &["a: u64 8", "b: [u8;16] 16"]),
                ],
            ),
            "grew:\n16 → 32 +16 E\nnew field `b: [u8;16]` of `Wide`, 16 bytes",
        ),
        (
            choice("E", 2, &[small]),
            choice("E", 16, &[small, wide]),
            "grew:\n2 → 16 +14 E\nnew variant `Wide`, 8 bytes",
        ),
        (
            choice("E", 16, &[small, wide]),
            choice("E", 2, &[small]),
            "shrank:\n16 → 2 -14 E\nvariant `Wide` removed, 8 bytes",
        ),
        // An additional variant without fields needs a tag.
        (
            choice("E", 8, &[wide]),
            choice("E", 16, &[wide, ("None", &[])]),
            "grew:\n8 → 16 +8 E\nnew variant `None`, 0 bytes",
        ),
        // Niches or padding.
        (
            choice("E", 8, &[small, wide]),
            choice("E", 16, &[("Small", &["0: u16 2"]), wide]),
            "grew:\n8 → 16 +8 E\nfield `0: u8` of `Small` is now `u16`, 1 → 2",
        ),
        (
            choice("E", 1, &[("A", &[])]),
            Entry {
                align: Some(4),
                ..choice("E", 4, &[("A", &[]), ("B", &[])])
            },
            "grew:\n1 → 4 +3 E\nalignment 1 → 4",
        ),
        (
            choice("E", 8, &[small, wide]),
            choice("E", 16, &[small, wide]),
            "grew:\n8 → 16 +8 E\nnone of its parts did: padding, niches or `repr`",
        ),
    ];
    for (before, after, expected) in cases {
        assert_eq!(said(&[before], &[after]), expected);
    }
}

#[test]
fn what_follows_is_listed_under_its_root() {
    let of = |root: u64, fields: &[&str]| {
        let size = |extra: u64| root + extra;
        [
            record("Root", root, fields),
            record(
                "Mid",
                size(8),
                &[&format!("r: Option<Root> {root} Root"), "n: u64 8"],
            ),
            record(
                "Top",
                size(16),
                &[&format!("m: [Mid;1] {} Mid", size(8)), "n: u64 8"],
            ),
            record("Same", 64, &[&format!("r: Root {root} Root"), "pad: X 9"]),
        ]
    };
    let before = of(8, &["a: u64 8"]);
    let mut after = of(16, &["a: u64 8", "b: u64 8"]).to_vec();
    assert_eq!(
        said(&before, &after),
        "grew:\n8 → 16 +8 Root\nnew field `b: u64`, 8 bytes\nwith it `Mid` 16 → 24\n\
         with it `Top` 24 → 32\nalso held by `Same`"
    );
    // A type with a change of its own is another root.
    after[1].fields.push(field("own: u64 8"));
    after[1].size = Some(32);
    let text = said(&before, &after);
    assert!(
        text.contains("16 → 32 +16 Mid\nfield `r: Option<Root>` 8 → 16\nnew field"),
        "{text}"
    );
    assert!(text.contains("with it `Top`"), "{text}");
}

#[test]
fn other_paths() {
    let shape: &[&str] = &["a: u64 8", "b: u8 1"];
    let at = |path: &str| record(path, 16, shape);
    let found = fates(&[at("a::A"), at("b::A")], &[at("c::b::A"), at("c::a::A")]);
    assert_eq!(found.len(), 2);
    let text = said(&[at("a::A"), at("b::A")], &[at("c::b::A"), at("c::a::A")]);
    assert_eq!(
        text,
        "moved:\n16 `a::A` to `c::a::A`\n16 `b::A` to `c::b::A`"
    );
    // Another shape, but the only one of its name, and mostly the same: it moved and grew.
    let grown = record("c::A", 24, &["a: u64 8", "b: u8 1", "c: u64 8"]);
    let text = said(&[at("a::A")], std::slice::from_ref(&grown));
    assert_eq!(
        text,
        "grew:\n16 → 24 +8 c::A\nwas `a::A`\nnew field `c: u64`, 8 bytes"
    );
    let other = record("c::A", 24, &["x: u64 8", "y: u64 8", "z: u64 8"]);
    assert_eq!(fates(&[at("a::A")], &[other]).len(), 2);
    assert_eq!(fates(&[at("a::A"), at("b::A")], &[grown]).len(), 3);
}

#[test]
fn unknown_is_never_growth() {
    let known = |n| record("A", n, &[]);
    for (before, after) in [
        (unknown("A", 0), known(8)),
        (known(8), unknown("A", 16)),
        (unknown("A", 8), unknown("A", 16)),
    ] {
        assert_eq!(
            fates(&[before], &[after]),
            [(Fate::Unknown, "A".to_owned())]
        );
    }
    assert_eq!(fates(&[unknown("A", 8)], &[unknown("A", 8)]), []);
    let text = said(&[unknown("A", 8)], &[known(8)]);
    assert!(text.ends_with("`A` 8+ → 8 (before: why)"), "{text}");
}

#[test]
fn the_same_name_twice_and_the_same_file_twice() {
    // Two functions of one name may each have a type of one name.
    let before = [record("f::A", 1, &[]), record("f::A", 4, &[])];
    let after = [record("f::A", 1, &[]), record("f::A", 8, &[])];
    assert_eq!(fates(&before, &after), [(Fate::Grew, "f::A".to_owned())]);
    // A module of a library may also be part of a program; a type in only one of them is not lost.
    let bin = |entry: Entry| Entry {
        target: "q".into(),
        krate: "bin".into(),
        ..entry
    };
    let of = |n: u64| {
        let holds = format!("a: A {n} A");
        [
            record("A", n, &[&format!("x: X {n}")]),
            bin(record("A", n, &[&format!("x: X {n}")])),
            bin(record("B", n, &[&holds])),
        ]
    };
    let text = said(&of(1), &of(2));
    assert_eq!(
        text,
        "grew:\n1 → 2 +1 p: A\nfield `x: X` 1 → 2\nwith it `q: B` 1 → 2"
    );
}

#[test]
fn a_file_that_says_impossible_things_ends() {
    let of = |n: u64| {
        [
            record("A", n, &[&format!("b: B {n} B A")]),
            record("B", n, &[&format!("a: A {n} A x/y/z#q #")]),
        ]
    };
    assert_eq!(fates(&of(1), &of(2)).len(), 2);
}
