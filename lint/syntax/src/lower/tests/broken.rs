//! Tests of texts with syntax errors.

use super::*;

/// Returns the names that are found nevertheless, and the text and message of each error.
fn found(text: &str) -> (Vec<String>, Vec<String>) {
    let file = file(&source(text), true);
    let names = file.items.iter().map(|i| i.name.to_string()).collect();
    let errors = file.errors.iter();
    let errors = errors.map(|e| format!("{}: {}", &text[e.span.range()], e.message));
    (names, errors.collect())
}

fn check(text: &str, names: &[&str], errors: &[&str]) {
    let found = found(text);
    assert_eq!(found.0, names, "{text}");
    assert_eq!(found.1, errors, "{text}");
}

#[test]
fn one_faulty_item_costs_itself() {
    check(
        "struct A; struct B { x: , } struct C;",
        &["A", "C"],
        &[",: something else is expected here"],
    );
    check(
        "struct A; nonsense 1 2 3 struct B;",
        &["A", "B"],
        &["nonsense: expected an item, found `nonsense`"],
    );
    check(
        "const A: u8 = 1 2; const B: u8 = 3;",
        &["A", "B"],
        &["2: unexpected token"],
    );
    check(
        "const A = 1; static B: ; mod c; fn f()",
        &["c"],
        &[
            "A: expected `:` and a type after this",
            ":: something else is expected here",
            "): expected `;` or a block after this",
        ],
    );
}

#[test]
fn a_missing_semicolon_does_not_swallow_the_next_lines() {
    let text = "struct A;\nuse a::b\nuse c;\nstruct B(u8)\nstruct C;\nconst D: u8 = 1\nfn e() {}\n";
    let (names, errors) = found(text);
    assert_eq!(names, ["A", "_", "C", "e"]);
    assert_eq!(errors.len(), 3);
}

#[test]
fn an_unclosed_brace_ends_where_the_next_item_begins() {
    let text = "struct A;\nfn b() {\n    if x {\n}\nstruct C;\nmod m {\n    fn d() {\n    struct E { x: u8 }\n}\nstruct F;\n";
    let file = file(&source(text), true);
    assert_eq!(names(&file.items), ["A", "b", "C", "m", "F"]);
    let ItemKind::Mod(Some(inner)) = &file.items[3].kind else {
        panic!()
    };
    assert_eq!(names(inner), ["d", "E"]);
    let lines: Vec<usize> = file
        .errors
        .iter()
        .map(|e| source(text).line_col(e.span.start).0)
        .collect();
    assert_eq!(lines, [3, 7]);
    check(
        "struct A;\nfn b() { (x }\nfn c() {}\n",
        &["A", "b", "c"],
        &["(: this `(` is never closed"],
    );
}

#[test]
fn a_stray_brace_is_stepped_over() {
    check(
        "struct A;\n}\nstruct B;\n",
        &["A", "B"],
        &["}: this `}` closes nothing"],
    );
    check(
        "fn a() { x) }\nstruct B;\n",
        &["a", "B"],
        &["): this `)` closes nothing"],
    );
}

#[test]
fn literals_and_comments_without_an_end() {
    check(
        "struct A; /* x",
        &["A"],
        &["/*: this comment is never closed"],
    );
    let (names, errors) = found("struct A;\nfn b() { \"x }\nstruct C;");
    assert_eq!(names, ["A", "b"]);
    assert_eq!(errors.len(), 2);
}

#[test]
fn any_cut_and_any_hole_is_survived() {
    let text = "\u{feff}#![a]\n#[b(c = \"é\")] pub struct A<'a, T: X = { 1 }>(&'a [T; 3]);\nimpl<T> A<T> { fn f() { m!{}; } }
        use a::{b, c::*}; enum E { V { x: u8 } = 1, } macro_rules! m { () => () } const C: u8 = -1 as u8;";
    let ends: Vec<usize> = (0..=text.len())
        .filter(|&i| text.is_char_boundary(i))
        .collect();
    for (n, &i) in ends.iter().enumerate() {
        let cut = source(&text[..i]);
        let whole = file(&cut, true);
        for item in whole.items {
            assert!(item.span.end as usize <= i);
        }
        for skip in [1, 5] {
            let j = ends[(n + skip).min(ends.len() - 1)];
            let holed = source(&format!("{}{}", &text[..i], &text[j..]));
            file(&holed, true);
            impl_items(&holed, Span::new(holed.id, 0, holed.text.len()));
            body_items(&holed, Span::new(holed.id, 0, holed.text.len()), true);
        }
        let _ = ty(&cut, 0..i);
        let _ = expr(&cut, 0..i);
    }
}
