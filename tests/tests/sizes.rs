//! Tests `cargo weigh sizes` as a table: its rows, their order, and their locations.

use serde_json::Value;
use weigh_tests::project::Scratch;
use weigh_tests::{Run, run, run_in, weigh};

const ROOT: &str = "\
pub mod ast {
    pub struct Big([u8; 300]);
    pub struct Marker;
    pub mod deep { pub struct Small(u16); }
}
pub struct Small(u32);
pub struct Open<T>([u8; 40], T);
pub struct Void<T>(T);
";

fn workspace(name: &str) -> Scratch {
    let member = |name: &str| {
        format!("[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n")
    };
    Scratch::empty(name)
        .file(
            "Cargo.toml",
            member("root") + "[workspace]\nmembers = [\"sub\"]\n",
        )
        .file("src/lib.rs", ROOT)
        .file("sub/Cargo.toml", member("sub"))
        .file("sub/src/lib.rs", "pub struct Sub([u8; 9]);\n")
}

/// Returns the columns of each type, and the last line.
fn table(said: &Run) -> (Vec<Vec<&str>>, &str) {
    let mut lines: Vec<&str> = said.stdout.lines().collect();
    let last = lines.pop().expect("there is a last line");
    assert!(lines[0].starts_with("size"), "{}", said.stdout);
    // A column starts at the same position in every line.
    let at = lines[0].find("place").expect("a title");
    for line in &lines[1..] {
        assert_eq!(line.as_bytes()[at - 1], b' ', "{}", said.stdout);
        assert_ne!(line.as_bytes()[at], b' ', "{}", said.stdout);
    }
    let rows = lines[1..].iter().map(|l| l.split_whitespace().collect());
    (rows.collect(), last)
}

fn names(said: &Run) -> Vec<&str> {
    let (rows, _) = table(said);
    rows.into_iter().map(|row| row[2]).collect()
}

#[test]
fn the_order() {
    let scratch = workspace("sizes-order");
    let said = run_in(scratch.folder(), &["sizes"]).expect(0);
    let (rows, last) = table(&said);
    let first: Vec<_> = rows.iter().map(|row| (row[0], row[1], row[2])).collect();
    assert_eq!(
        first,
        [
            ("300", "1", "ast::Big"),
            ("40+", "?", "Open<T>"),
            ("4", "4", "Small"),
            ("2", "2", "ast::deep::Small"),
            ("0+", "?", "Void<T>"),
            ("0", "1", "ast::Marker"),
        ]
    );
    assert!(said.stdout.contains("depends on the generic parameter `T`"));
    assert!(last.starts_with("6 types; exact for"), "{last}");
    let said = run_in(scratch.folder(), &["sizes", "--sort", "name"]).expect(0);
    assert_eq!(names(&said)[..2], ["Open<T>", "Small"]);
    let said = run_in(scratch.folder(), &["sizes", "--sort", "place"]).expect(0);
    assert_eq!(names(&said)[..2], ["ast::Big", "ast::Marker"]);
}

#[test]
fn what_is_listed() {
    let scratch = workspace("sizes-listed");
    let folder = scratch.folder();
    let listed = |args: &[&str]| {
        let mut all = vec!["sizes"];
        all.extend(args);
        let said = run_in(folder, &all).expect(0);
        let names: Vec<_> = names(&said).into_iter().map(str::to_owned).collect();
        let last = table(&said)
            .1
            .split(';')
            .next()
            .unwrap_or_default()
            .to_owned();
        (names, last)
    };
    assert_eq!(listed(&["--top", "2"]).0, ["ast::Big", "Open<T>"]);
    assert!(listed(&["--top", "2"]).1.starts_with("2 of 6 types"));
    assert_eq!(listed(&["--min", "5"]).0, ["ast::Big", "Open<T>"]);
    assert_eq!(
        listed(&["ast::*", "--min", "1"]).0,
        ["ast::Big", "ast::deep::Small"]
    );
    assert_eq!(listed(&["Small"]).0, ["Small", "ast::deep::Small"]);
    assert_eq!(listed(&["*Mark*", "Big"]).0, ["ast::Big", "ast::Marker"]);
    assert_eq!(listed(&["root::Small"]).0, ["Small"]);
    let (names, last) = listed(&["Small", "Big", "--top", "1"]);
    assert_eq!(names, ["ast::Big"]);
    assert!(last.starts_with("1 of 3 matching, of 6 types"), "{last}");
    run_in(folder, &["sizes", "Smal"])
        .expect(2)
        .says(&["`Smal`", "ast::deep::Small"]);
    run_in(folder, &["sizes", "a**b"])
        .expect(2)
        .says(&["`a**b` is no pattern"]);
    // In JSON as well; source order is the default.
    let json = |args: &[&str]| -> Vec<String> {
        let mut command = weigh(folder);
        command
            .args(["sizes", "--message-format", "json"])
            .args(args);
        let lines = run(&mut command).expect(0).json();
        let path = |line: &serde_json::Value| line["path"].as_str().unwrap_or("?").to_owned();
        lines.iter().map(path).collect()
    };
    assert_eq!(json(&["--min", "3"]), ["ast::Big", "Small", "Open"]);
    assert_eq!(
        json(&["--min", "3", "--sort", "size"]),
        ["ast::Big", "Open", "Small"]
    );
    assert_eq!(json(&["--top", "2"]), ["ast::Big", "Open"]);
}

#[test]
fn paths_lead_there() {
    let scratch = workspace("sizes-paths");
    for (folder, path) in [
        ("", "sub/src/lib.rs:1"),
        ("sub", "src/lib.rs:1"),
        ("sub/src", "lib.rs:1"),
        ("src", "../sub/src/lib.rs:1"),
    ] {
        // A single crate is not named.
        let here = scratch.folder().join(folder);
        let said = run_in(&here, &["sizes", "Sub", "-p", "sub"]).expect(0);
        assert_eq!(table(&said).0[0][3], path);
        let said = run(weigh(&here).args(["sizes", "--workspace", "--message-format", "json"]));
        let files: Vec<_> = said.json().iter().map(|l| l["file"].clone()).collect();
        assert!(files.contains(&"sub/src/lib.rs".into()), "{files:?}");
    }
}

/// The compiler enforces the written sizes, and the program reads them as limits.
#[test]
fn a_module_that_holds_sizes() {
    let hidden =
        "mod private { pub struct In(u8); struct Own(u8); }\nfn f() { struct Local(u8); }\n";
    let library = |grown: &str| ROOT.replace("[u8; 300]", grown) + hidden + "mod limits;\n";
    let scratch = Scratch::library("sizes-module", &(ROOT.to_owned() + hidden));
    let said = run_in(scratch.folder(), &["sizes", "--assert"]).expect(0);
    let said = said.says(&["4 types omitted"]);
    let held = said
        .stdout
        .lines()
        .filter(|line| line.starts_with("const _"));
    assert_eq!(held.count(), 5, "{}", said.stdout);
    assert!(said.stdout.contains("size_of::<crate::ast::Big>() <= 300"));
    let some = run_in(scratch.folder(), &["sizes", "Big", "--assert"]).expect(0);
    assert_eq!(some.stdout.matches("const _").count(), 1);
    let module = said.stdout;
    let check = |scratch: &Scratch| {
        let mut cargo = weigh_tests::cargo();
        let said = run(cargo
            .current_dir(scratch.folder())
            .args(["check", "--quiet"]));
        let ours = run_in(scratch.folder(), &[]);
        (said.code, ours.code, ours.stdout)
    };
    let scratch = scratch
        .file("src/limits.rs", module)
        .file("src/lib.rs", library("[u8; 300]"));
    assert_eq!(check(&scratch), (0, 0, String::new()));
    let scratch = scratch.file("src/lib.rs", library("[u8; 301]"));
    let (theirs, ours, said) = check(&scratch);
    assert_ne!(theirs, 0);
    assert_eq!(ours, 1);
    assert!(
        said.contains("`Big` is 301 bytes, 1 over its limit of 300"),
        "{said}"
    );
}

/// `impl`s in bodies of a package count whether or not it is selected.
#[test]
fn a_type_has_one_size_by_package_and_by_workspace() {
    let manifest = |name: &str, rest: &str| {
        format!("[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n{rest}")
    };
    let below = "pub trait Two { const I: usize = 2; const K: usize = 2; type T; }\n\
        macro_rules! types { ($($name:ident)*) => { $( pub struct $name; impl Two for $name { type T = u8; } )* } }\n\
        types! { A B C D E }\n\
        pub fn a() { impl A { pub const I: usize = 1; } }\n\
        pub struct S;\n\
        impl S { pub fn b(&self) -> u8 { if true { impl B { pub const I: usize = 1; } } 1 } }\n\
        pub trait P { fn c() { assert!({ impl C { pub const I: usize = 1; } true }) } }\n\
        pub fn d() { let _ = || { impl Two for Vec<D> { type T = u64; } 1 }; }\n";
    let above = "use below::*;\npub struct A1([u8; A::I]);\npub struct B1([u8; B::I]);\n\
        pub struct C1([u8; C::I]);\npub struct D1(<Vec<D> as Two>::T);\npub struct E1([u8; E::K]);\n";
    let scratch = Scratch::empty("one-size")
        .file(
            "Cargo.toml",
            "[workspace]\nresolver = \"3\"\nmembers = [\"below\", \"above\"]\n",
        )
        .file("below/Cargo.toml", manifest("below", ""))
        .file("below/src/lib.rs", below)
        .file(
            "above/Cargo.toml",
            manifest("above", "[dependencies]\nbelow = { path = \"../below\" }\n"),
        )
        .file("above/src/lib.rs", above);
    let sizes = |of: &[&str]| -> Vec<(String, String)> {
        let words = [&["sizes", "--message-format", "json"], of].concat();
        let lines = run_in(scratch.folder(), &words).expect(0).json();
        let lines = lines
            .iter()
            .filter(|line| line["package"] == "above" || of.len() > 1);
        let line = |line: &Value| (line["path"].to_string(), line["size"].to_string());
        let mut list: Vec<_> = lines
            .map(line)
            .filter(|(path, _)| path.ends_with("1\""))
            .collect();
        list.sort();
        list
    };
    let (one, all) = (sizes(&["-p", "above"]), sizes(&["--workspace"]));
    let expected = ["1", "1", "null", "8", "2"];
    assert_eq!(
        one.iter()
            .map(|(_, size)| size.as_str())
            .collect::<Vec<_>>(),
        expected
    );
    assert_eq!(one, all);
}

/// Reasons name what an author wrote, not what stands in our declarations; a type without a size of
/// its own is not of unknown size.
#[test]
fn reasons_are_those_of_the_author() {
    let source = "pub struct Tail { pub n: u8, pub rest: [u8] }\n\
        const fn listed() -> usize { let list: Vec<u8> = vec![]; list.capacity() }\n\
        pub struct Listed([u8; listed()]);\n\
        const fn count() -> usize { let v = (1u8, 2u32); std::mem::size_of_val(&v) }\n\
        pub struct Counted([u8; count()]);\n\
        pub const K: usize = 3;\n\
        pub fn f() -> usize { let _ = vec![1]; struct In([u8; K]); std::mem::size_of::<In>() }\n";
    let scratch = Scratch::library("reasons", source);
    let mut command = weigh(scratch.folder());
    let said = run(command.arg("sizes")).expect(0);
    let summary = "4 types, 2 of them of unknown size (-v says why)";
    assert!(said.stdout.contains(summary), "{}", said.stdout);
    for reason in [
        "(the type is unsized)",
        "(`vec!` is not understood in a constant)",
        "(the size of a value is not understood in a constant)",
    ] {
        assert!(said.stdout.contains(reason), "{reason}: {}", said.stdout);
    }
    assert!(!said.stdout.contains("intrinsic") && !said.stdout.contains("was not found"));
}
