//! Tests of the ranges that control comments and lint attributes apply to.

use super::*;

/// Returns for each comment its text and the range that it applies to, abbreviated to both ends.
fn covered(text: &str) -> Vec<(String, String)> {
    let source = source(text);
    let marks = marks(&source);
    let comments = marks.comments.iter().map(|c| {
        let covers = c.covers.clone().map_or("-".to_owned(), |r| {
            text[r.start as usize..r.end as usize].to_owned()
        });
        (text[c.text.range()].to_owned(), covers)
    });
    comments.collect()
}

#[track_caller]
fn covers(text: &str, expected: &str) {
    let found = covered(text);
    assert_eq!(found, [("x".to_owned(), expected.to_owned())], "{text}");
}

#[test]
fn above_what_it_is_about() {
    covers(
        "// weigh: x\npub struct A<T>(T, u8); struct B;",
        "pub struct A<T>(T, u8);",
    );
    covers(
        "// weigh: x\n\n/// Doc\n#[derive(Debug)]\nenum E { A }\nstruct B;",
        "#[derive(Debug)]\nenum E { A }",
    );
    covers(
        "/// Doc\n#[a]\n// weigh: x\nenum E<const N: usize = { 3 }> { A } fn f() {}",
        "enum E<const N: usize = { 3 }> { A }",
    );
    covers(
        "// weigh: x\npub(crate) async unsafe extern \"C\" fn f() -> [u8; { 3 }] { g() }\nfn h() {}",
        "pub(crate) async unsafe extern \"C\" fn f() -> [u8; { 3 }] { g() }",
    );
    covers(
        "// weigh: x\nimpl<T> A<T> where T: B, { fn f() {} } struct C;",
        "impl<T> A<T> where T: B, { fn f() {} }",
    );
    covers("// weigh: x\nmod a; mod b;", "mod a;");
    covers(
        "m! {\n// weigh: x\nstruct A { a: u8 }\nstruct B; }",
        "struct A { a: u8 }",
    );
    covers(
        "struct A {\n// weigh: x\n#[b] pub a: M<K, V>, b: u8 }",
        "#[b] pub a: M<K, V>,",
    );
    covers(
        "struct A {\n// weigh: x\na: fn(u8) -> M<K, V> }",
        "a: fn(u8) -> M<K, V>",
    );
    covers("struct A(\n// weigh: x\nM<K, V>, u8);", "M<K, V>,");
    covers(
        "enum E<T> where T: B {\n// weigh: x\nA = 1 << 3, B(u8), }",
        "A = 1 << 3,",
    );
    covers("enum E {\n// weigh: x\nA { a: u8 }, B }", "A { a: u8 },");
}

#[test]
fn above_statements() {
    let inside = |text: &str, expected: &str| covers(&format!("fn f() {{\n{text} }}"), expected);
    inside("// weigh: x\nlet a = { b; c }; d();", "let a = { b; c };");
    inside("// weigh: x\nfor a in b { c; } d();", "for a in b { c; }");
    inside(
        "// weigh: x\nif let A { b } = c { d } else if e { f } else { g } h",
        "if let A { b } = c { d } else if e { f } else { g }",
    );
    inside("// weigh: x\n'a: loop { b } c", "'a: loop { b }");
    inside(
        "// weigh: x\nmatch a { B => c }.d(); e();",
        "match a { B => c }.d();",
    );
    inside("// weigh: x\na::b!(c); d", "a::b!(c);");
    inside("// weigh: x\na(b)", "a(b)");
    inside(
        "match a {\n// weigh: x\nB { c } => { d }\nE => f, }",
        "B { c } => { d }",
    );
    inside(
        "match a {\n// weigh: x\nB => c(d, e), E => f }",
        "B => c(d, e),",
    );
    inside("a(\n// weigh: x\n|b| c, d)", "|b| c,");
}

#[test]
fn beside_what_begins_on_its_line() {
    covers(
        "enum E { // weigh: x\n A }\nstruct B;",
        "enum E { // weigh: x\n A }",
    );
    covers("enum E {\n A(u8), // weigh: x\n B }", "A(u8),");
    covers(
        "enum E {\n A {\n a: u8\n }, B { // weigh: x\n b: u8 }, C }",
        "B { // weigh: x\n b: u8 },",
    );
    covers("struct A {\n a: u8 } struct B; // weigh: x", "a: u8");
    covers("fn f() {\n a();\n b(); // weigh: x\n c(); }", "b();");
    covers("#[a] // weigh: x\nstruct A;", "#[a] // weigh: x\nstruct A;");
    covers("struct A { a: u8\n} // weigh: x\nstruct B;", "-");
}

#[test]
fn only_comments_count() {
    let text = "const A: &str = \"// weigh: a\"; const B: &str = r#\"\n// weigh: b\"#;\n\
                /* // weigh: c */ //// weigh: d\n// about weigh: e\n'\"' // weigh: f\n";
    let found: Vec<_> = covered(text).into_iter().map(|(words, _)| words).collect();
    assert_eq!(found, ["f"]);
    let others = marks(&source(
        "/// weigh: a\n//! weigh: b\n/* weigh: c */ /** weigh: d */\n",
    ));
    assert!(others.comments.len() == 4 && others.comments.iter().all(|c| !c.plain));
    covers("// weigh: x", "-");
    covers("fn f() {\n// weigh: x\n}", "-");
    covers("\u{feff}// weigh: x\r\nstruct A;\r\n", "struct A;");
}

#[test]
fn attributes_cover_items_and_what_is_around() {
    let text = "#![allow(a)] mod b { #![warn(c)] #[cfg(d)] #[cfg_attr(e, expect(f))] struct G; }";
    let marks = marks(&source(text));
    let part = |r: &std::ops::Range<u32>| &text[r.start as usize..r.end as usize];
    let found: Vec<_> = marks.levels.iter().map(|l| part(&l.covers)).collect();
    let last = "#[cfg_attr(e, expect(f))] struct G;";
    assert_eq!(found, [text, &text[text.find("{ #!").unwrap()..], last]);
    assert!(marks.levels[2].attr.cfg.is_some());
    assert_eq!(part(&marks.cfgs[0].0), format!("#[cfg(d)] {last}"));
}
