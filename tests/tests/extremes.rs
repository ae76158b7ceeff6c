//! Input that is nested too deep or too long: read if possible, otherwise rejected with its
//! location.

use std::fmt::Write;
use weigh_tests::project::Scratch;
use weigh_tests::sizes_in;

const DEEP: usize = 10_000;

/// Shapes that need not be read: values and bodies that no type depends on, and flat ones.
const HARMLESS: [&str; 7] = [
    "parens",
    "braces",
    "modules",
    "operators",
    "else-if",
    "paths",
    "tokens",
];

#[test]
fn nesting_that_is_ten_thousand_deep() {
    let nest = |open: &str, inner: &str, close: &str| {
        format!("{}{inner}{}", open.repeat(DEEP), close.repeat(DEEP))
    };
    let shapes = [
        (
            "parens",
            format!("pub const N: usize = {};", nest("(", "1", ")")),
        ),
        (
            "brackets",
            format!("pub struct A(pub {});", nest("[", "u8", "; 1]")),
        ),
        ("braces", format!("pub fn f() {}", nest("{", "", "}"))),
        (
            "generics",
            format!("pub struct A(pub {});", nest("Option<", "u8", ">")),
        ),
        (
            "references",
            format!("pub struct A(pub {}u8);", "&'static ".repeat(DEEP)),
        ),
        (
            "pointers",
            format!("pub struct A(pub {}u8);", "*const ".repeat(DEEP)),
        ),
        (
            "functions",
            format!("pub struct A(pub {}u8);", "fn() -> ".repeat(DEEP)),
        ),
        (
            "negations",
            format!("pub const N: bool = {}true;", "!".repeat(DEEP)),
        ),
        (
            "operators",
            format!("pub const N: usize = 1{};", " + 1".repeat(DEEP)),
        ),
        ("modules", nest("mod m {", "", "}")),
        ("uses", format!("use {};", nest("a::{", "b", "}"))),
        ("tokens", format!("m! {{ {} }}", nest("(", "", ")"))),
        (
            "paths",
            format!("pub struct A(pub a{});", "::a".repeat(DEEP)),
        ),
        (
            "else-if",
            format!("pub fn f() {{ {}{{}} }}", "if true {} else ".repeat(DEEP)),
        ),
        ("unclosed", "(".repeat(DEEP)),
        ("angles", format!("pub struct A(pub {}", "A<".repeat(DEEP))),
    ];
    for (name, text) in shapes {
        let root = "pub mod deep;\npub struct Root(pub u32, pub u8);\n";
        let scratch = Scratch::library(&format!("deep-{name}"), root).file("src/deep.rs", text);
        let said = sizes_in(scratch.folder());
        said.knows(&[("Root", 8)]);
        match said.code {
            0 => {}
            2 => assert!(
                said.stderr.contains("src/deep.rs"),
                "{name}: {}",
                said.stderr
            ),
            code => panic!("{name}: exit status {code}: {}", said.stderr),
        }
        // Unreadable input must be reported; input that no query needs may be skipped silently.
        assert!(
            said.code == 2 || HARMLESS.contains(&name),
            "{name} was passed over in silence"
        );
    }
}

#[test]
#[ignore = "slow: .ci/slow tests"]
fn a_file_of_twenty_megabytes() {
    let mut text = String::with_capacity(20 << 20);
    let mut n = 0;
    while text.len() < 20 << 20 {
        let _ = write!(
            text,
            "/// The type with the number {n}.\npub struct Type{n} {{ pub a: u8, pub b: u32 }}\n\
             pub const TABLE{n}: &[u32] = &[{}];\n",
            "0x1234_5678, ".repeat(300)
        );
        n += 1;
    }
    let root = "pub mod large;\npub struct Root(pub large::Type7, pub u8);\n";
    let scratch = Scratch::library("large-file", root).file("src/large.rs", text);
    let said = sizes_in(scratch.folder()).expect(0);
    assert_eq!(said.json().len(), n + 1);
    said.knows(&[
        ("Root", 12),
        ("large::Type0", 8),
        (&format!("large::Type{}", n - 1), 8),
    ]);
}

/// Chains of operators have no depth: rustc says what they are worth.
#[test]
fn chains_of_six_hundred_operators() {
    let many = |link: &str| link.repeat(600);
    let constants = [
        ("N", "7".to_owned()),
        ("SUM", format!("1{}", many(" + 1"))),
        ("MIXED", format!("1{} + 2000", many(" + 2 * 3 - 5"))),
        ("SHIFTS", format!("1{}", many(" | 2 << 3 & 31"))),
        ("AND", format!("(true{}) as usize", many(" && 1 < 2"))),
        ("OR", format!("(false{}) as usize", many(" || 2 < 1"))),
        ("METHODS", format!("1_usize{}", many(".wrapping_add(1)"))),
        ("CASTS", format!("30{}", many(" as u8 as usize"))),
        (
            "BRANCHES",
            format!("{}{{ 9 }}", many("if SUM == 7 { 3 } else ")),
        ),
        ("LESS", format!("{}{{ 5 }}", many("if SUM < N { 3 } else "))),
        ("MACRO", format!("sum!({})", many("1,"))),
        ("CALLED", "called(3)".to_owned()),
        ("TEXT", format!("concat!({}).len()", many("\"ab\","))),
    ];
    let mut text = String::from(
        "macro_rules! sum { ($($x:expr),* $(,)?) => { 0 $(+ $x)* } }\npub struct Root(pub u32, pub u8);\n",
    );
    let mut main = String::from("fn main() {\n");
    for (name, value) in &constants {
        writeln!(text, "pub const {name}: usize = {value};").unwrap();
        writeln!(text, "pub struct Of{name}(pub [u8; {name}]);").unwrap();
        writeln!(
            main,
            "println!(\"Of{name} {{}}\", size_of::<chains::Of{name}>());"
        )
        .unwrap();
    }
    writeln!(
        text,
        "const fn called(x: usize) -> usize {{ x{} }}",
        many(" + x")
    )
    .unwrap();
    let scratch = Scratch::library("chains", &text).file("src/main.rs", main + "}\n");
    let mut rustc = weigh_tests::cargo();
    rustc
        .current_dir(scratch.folder())
        .args(["run", "--quiet", "--offline"]);
    let truth = weigh_tests::run(&mut rustc).expect(0);
    let said = sizes_in(scratch.folder()).expect(0);
    for line in truth.stdout.lines() {
        let (name, size) = line.split_once(' ').unwrap();
        said.knows(&[(name, size.parse().unwrap())]);
    }
    assert_eq!(truth.stdout.lines().count(), constants.len());
}

#[test]
fn a_source_file_that_is_too_large() {
    let root = "pub mod large;\npub struct Root(pub u32, pub u8);\n";
    let text = "pub struct S(pub u8);\n".repeat((64 << 20) / 22 + 1);
    let scratch = Scratch::library("large-file", root).file("src/large.rs", text);
    let said = sizes_in(scratch.folder()).expect(2);
    said.knows(&[("Root", 8)]);
    said.says(&["src/large.rs", "this file is larger than 64 MiB"]);
}
