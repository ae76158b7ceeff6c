//! Tests of whole drawings.

use super::*;
use crate::layout::view::Gap;
use crate::layout::view::Tag;
use crate::resolve::ty::Interner;
use weigh_syntax::name::Name;

const ROOM: Room = Room {
    columns: None,
    most: 10,
};

fn field(name: &str, offset: u64, size: u64) -> FieldView {
    FieldView {
        name: Name::new(name),
        index: 0,
        ty: Interner::default().unit(),
        offset,
        size,
        align: 1,
    }
}

fn variant(name: &str, fields: Vec<FieldView>) -> VariantView {
    VariantView {
        name: Name::new(name),
        index: 0,
        size: fields.iter().map(|f| f.size).sum(),
        fields,
        absent: false,
    }
}

fn view(size: u64, kind: AdtKind, variants: Vec<VariantView>, tag: Option<Tag>) -> View {
    View {
        size,
        align: 8,
        kind: Some(kind),
        variants,
        tag,
        niche: None,
        uninhabited: false,
    }
}

#[test]
fn a_struct_with_padding() {
    let body = variant("S", vec![field("a", 8, 1), field("b", 0, 8)]);
    let view = view(16, AdtKind::Struct, vec![body], None);
    let drawing = draw("S", &view, Signs::ASCII, ROOM, |_| "T".into());
    let expected = "\
struct S: 16 bytes, align 8

 offset   size  0             16
      0      8  ########........                  b: T
      8      1  ........#.......                  a: T
      9      7  .........-------                  (padding)

# field  - padding  T tag  N niche  . elsewhere; one character per byte
";
    assert_eq!(drawing, expected);
}

#[test]
fn a_tag_in_a_niche_and_a_scale() {
    let tag = Tag {
        offset: 0,
        size: 8,
        niche_of: Some(Name::new("Big")),
    };
    let variants = vec![
        variant("Big", vec![field("0", 0, 64)]),
        variant("Small", vec![field("0", 8, 56)]),
        variant("None", vec![]),
    ];
    let view = view(64, AdtKind::Enum, variants, Some(tag));
    let drawing = draw("E", &view, Signs::ASCII, ROOM, |_| "T".into());
    let lines: Vec<_> = drawing.lines().collect();
    assert_eq!(lines[1], "tag: 8 bytes at 0, in the niche of `Big`");
    assert_eq!(
        lines[5],
        "      0     64  TTTT############################  0: T"
    );
    assert_eq!(
        lines[9],
        "      0      8  TTTT............................  (tag)"
    );
    assert!(drawing.contains("Variants without fields: None\n"));
    assert!(drawing.contains("one character per 2 bytes"));
    assert!(lines.iter().all(|l| l.chars().count() <= WIDTH));
}

#[test]
fn names_fit_into_the_columns() {
    let body = variant("S", vec![field("a", 0, 8)]);
    let view = view(8, AdtKind::Struct, vec![body], None);
    let long = "HashMap<String, Vec<Option<Box<[u8]>>>, RandomState>";
    let row = |columns| {
        let drawing = draw("S", &view, Signs::ASCII, Room { columns, ..ROOM }, |_| {
            long.into()
        });
        let row = drawing.lines().find(|line| line.contains("a: "));
        row.expect("a row").to_owned()
    };
    assert!(row(None).ends_with(long) && row(Some(120)).ends_with(long));
    assert_eq!(row(Some(90)).chars().count(), 90);
    assert!(row(Some(90)).ends_with(".."));
}

#[test]
fn gaps_ignore_what_takes_no_room() {
    let body = variant(
        "S",
        vec![field("a", 0, 2), field("z", 3, 0), field("b", 4, 2)],
    );
    let view = view(8, AdtKind::Struct, vec![body.clone()], None);
    let gaps = view.padding(&body);
    assert_eq!(
        gaps,
        [Gap { offset: 2, size: 2 }, Gap { offset: 6, size: 2 }]
    );
}

#[test]
fn cells_never_overflow() {
    assert_eq!(cell_size(32), 1);
    assert_eq!(cell_size(33), 2);
    assert_eq!(cell_size(u64::MAX), 1 << 59);
}

/// Of very many variants only the widest are drawn, and as many names are listed.
#[test]
fn the_widest_variants_come_first() {
    let wide = (1..=300).map(|n| variant(&format!("V{n}"), vec![field("0", 0, n)]));
    let unit = (0..300).map(|n| variant(&format!("U{n}"), Vec::new()));
    let view = view(304, AdtKind::Enum, wide.chain(unit).collect(), None);
    let drawn = |most| {
        draw("E", &view, Signs::ASCII, Room { most, ..ROOM }, |_| {
            "T".into()
        })
    };
    let few = drawn(10);
    let heads: Vec<&str> = few
        .lines()
        .filter(|l| l.starts_with('V') && l.contains(": "))
        .collect();
    let (first, last) = (heads.first(), heads.get(9));
    assert!(first.is_some_and(|l| l.starts_with("V300: ")), "{few}");
    assert!(last.is_some_and(|l| l.starts_with("V291: ")), "{few}");
    for words in [
        "290 more variants of at most 290 bytes of fields",
        "U9, and 290 more",
    ] {
        assert!(few.contains(words), "no `{words}` in {few}");
    }
    let all = drawn(usize::MAX);
    assert!(
        all.contains("V1: ") && all.contains("U299") && !all.contains(" more"),
        "{all}"
    );
}
