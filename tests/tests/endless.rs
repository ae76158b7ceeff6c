//! Input that recurses without end or grows exponentially: every run terminates, such types are
//! unknown with a reason, and all others are known.

use std::fmt::Write;
use weigh_tests::project::Scratch;
use weigh_tests::{Run, run_to_an_end, weigh};

/// Added to every case: its size must be known.
const ROOT: &str = "\npub struct Root(pub u32, pub u8);\n";

/// Runs the lints, then `sizes`, on a library with this text.
#[track_caller]
fn ends(name: &str, text: &str) -> Run {
    ends_in(&Scratch::library(name, &format!("{text}{ROOT}")))
}

#[track_caller]
fn ends_in(scratch: &Scratch) -> Run {
    let mut lint = weigh(scratch.folder());
    let lint = run_to_an_end(lint.args(["--offline", "-W", "weigh::pedantic"]));
    assert!(
        (0..=2).contains(&lint.code),
        "{}: {}",
        lint.code,
        lint.stderr
    );
    let mut sizes = weigh(scratch.folder());
    let said = run_to_an_end(sizes.args(["sizes", "--message-format", "json", "--offline"]));
    assert!(
        (0..=2).contains(&said.code),
        "{}: {}",
        said.code,
        said.stderr
    );
    said.knows(&[("Root", 8)]);
    said
}

/// Returns `n` lines of a pattern, with `@` for the line number and `#` for the previous one.
fn chain(n: usize, pattern: &str) -> String {
    let line = |i: usize| {
        pattern
            .replace('@', &i.to_string())
            .replace('#', &(i - 1).to_string())
    };
    (1..=n).map(line).collect::<Vec<_>>().join("\n")
}

#[test]
#[ignore = "slow: .ci/slow tests"]
fn types_that_grow() {
    ends(
        "grow-through-projection",
        "pub trait Sc: Sized { type Sub: Sc; }
         pub struct Sub<T: Sc>(Box<Tree<T::Sub>>);
         pub enum Tree<T: Sc> { G(Vec<Tree<T>>), S(Sub<T>), L(T) }
         pub struct A<T>(T);
         impl<T> Sc for A<T> { type Sub = A<A<T>>; }
         pub struct Held(pub Tree<A<u8>>);",
    );
    let said = ends(
        "grow-projections",
        "pub trait T { type A; }
         impl<X> T for X { type A = <(X, X) as T>::A; }
         pub struct Twice(pub <u8 as T>::A);
         pub trait U { type B; }
         pub trait V { type B; }
         impl<X> U for X { type B = <[X; 2] as V>::B; }
         impl<X> V for X { type B = <(X, u8) as U>::B; }
         pub struct InTurn(pub <u8 as U>::B);
         pub trait W {}
         impl<X> W for X where (X, X): W, (X, u8): W {}
         pub trait Y { type C; }
         impl<X: W> Y for X { type C = u8; }
         pub struct Bounds(pub <u8 as Y>::C);",
    );
    said.does_not_know(&["Twice", "InTurn"]);
    let said = ends(
        "grow-aliases",
        "type C<T> = C<(T, T)>;
         pub struct Alias(pub C<u8>);
         type D<T> = E<(T, T)>;
         type E<T> = D<Option<T>>;
         pub struct InTurn(pub D<u8>);
         type N<const N: usize> = N<{ N + 1 }>;
         pub struct Number(pub N<0>);
         pub struct S<T = S<S>>(T);
         pub struct Default(pub S);",
    );
    said.does_not_know(&["Alias", "InTurn", "Number", "Default"]);
    // Queried from both ends of the chain.
    let names = format!(
        "pub struct Last(pub A5000); pub type A0 = u64; {}
         pub struct Round(pub B500); pub type B0 = B500; {}",
        chain(5_000, "pub type A@ = A#;"),
        chain(500, "pub type B@ = B#;")
    );
    let said = ends("long-aliases", &names).expect(2);
    said.knows(&[("Last", 8)]);
    said.does_not_know(&["Round"]);
    let said = ends(
        "grow-recursion",
        "pub enum Poly<T> { Nil, Cons(T, Box<Poly<(T, T)>>) }
         pub struct Behind(pub Poly<u8>);
         pub struct P<T>(T, Option<Q<(T, T)>>);
         pub struct Q<T>(P<Option<T>>);
         pub struct Inside(pub P<u8>);",
    );
    said.knows(&[("Behind", 16)]);
    said.does_not_know(&["Inside"]);
    let lists = format!(
        "pub struct T0<X>(X, X);\n{}\npub struct Last(pub T40<u8>);",
        chain(40, "pub struct T@<X>(Box<T#<T#<X>>>, T#<X>);")
    );
    ends("grow-instances", &lists).knows(&[("Last", 328)]);
    ends(
        "grow-in-bodies",
        "pub struct W<T>(T);
         impl<T> std::ops::Deref for W<T> { type Target = W<(T, T)>; fn deref(&self) -> &W<(T, T)> { todo!() } }
         impl<T> Iterator for W<T> { type Item = W<(T, T)>; fn next(&mut self) -> Option<W<(T, T)>> { None } }
         impl<T> IntoIterator for &W<T> { type Item = u8; type IntoIter = <&'static W<(T, T)> as IntoIterator>::IntoIter; fn into_iter(self) -> Self::IntoIter { todo!() } }
         pub fn f(w: W<u8>) { w.nothing(); for x in &w {} for x in w { for y in x { for z in y {} } } }",
    );
}

#[test]
fn macros_that_call_themselves() {
    let said = ends(
        "macro-itself",
        "macro_rules! r { () => { r! {} } }
         r! {}
         pub struct Typed(pub r!());
         pub struct Long(pub [u8; r!()]);
         pub enum Numbered { A = r!(), B }
         impl Root { r! {} }
         pub fn f(x: Option<u8>) { let a = r!(); match x { r!() => {}, Some(r!()) => {} } r! {} }
         macro_rules! s { () => { t! {} } }
         macro_rules! t { () => { s! {} } }
         s! {}
         pub struct InTurn(pub s!());",
    );
    let said = said
        .expect(2)
        .says(&["src/lib.rs:2:10", "macro expansion stopped here: 128 calls"]);
    said.does_not_know(&["Typed", "Long", "InTurn"]);
    let said = ends(
        "macro-grows",
        "macro_rules! one { ($($t:tt)*) => { one! { $($t)* a } } }
         one! { x }
         pub struct One(pub one!(x), pub [u8; one!(x)]);
         pub struct After(pub u16);",
    );
    let said = said.expect(2).says(&["macro expansion stopped here: "]);
    said.knows(&[("After", 2)]);
    said.does_not_know(&["One"]);
}

#[test]
#[ignore = "slow: .ci/slow endless"]
fn macros_that_write_twice_as_much_for_themselves() {
    let said = ends(
        "macro-grows-twofold",
        "macro_rules! two { ($($t:tt)*) => { two! { $($t)* $($t)* } } }
         two! { x }
         pub struct Two(pub two!(x));
         pub struct After(pub u16);",
    );
    let said = said.expect(2).says(&["macro expansion stopped here: "]);
    said.knows(&[("After", 2)]);
    said.does_not_know(&["Two"]);
}

#[test]
#[ignore = "slow: .ci/slow tests"]
fn macros_that_double() {
    macros_that_double_as(&["types", "bodies"]);
}

#[test]
#[ignore = "slow: .ci/slow endless"]
fn macros_that_double_everywhere() {
    macros_that_double_as(&["items", "types", "lengths", "members", "bodies"]);
}

fn macros_that_double_as(kinds: &[&str]) {
    // A chain of sixty macros, each of which calls the next twice.
    let doubling = |both: &str, last: &str| {
        let mut text = String::new();
        for i in 0..60 {
            let both = both.replace('@', &(i + 1).to_string());
            let _ = writeln!(text, "macro_rules! d{i} {{ () => {{ {both} }} }}");
        }
        text + &format!("macro_rules! d60 {{ () => {{ {last} }} }}\n")
    };
    let cases = [
        ("items", "d@! {} d@! {}", "pub struct X;", "d0! {}"),
        (
            "types",
            "(d@!(), d@!())",
            "u8",
            "pub struct Other(pub d0!());",
        ),
        (
            "lengths",
            "d@!() + d@!()",
            "1",
            "pub struct Other(pub [u8; d0!()]); pub enum E { A = d0!(), B }",
        ),
        (
            "members",
            "d@! {} d@! {}",
            "const X: usize = 1;",
            "pub struct S; impl S { d0! {} } pub struct Other(pub [u8; S::X]);",
        ),
        (
            "bodies",
            "{ d@!(); d@!() }",
            "struct X;",
            "pub fn f() { d0!(); } pub fn g() { let x = d0!(); }",
        ),
    ];
    let mut ran = 0;
    for (name, both, last, call) in cases {
        if !kinds.contains(&name) {
            continue;
        }
        ran += 1;
        let text = format!("{}{call}\npub struct After(pub u16);", doubling(both, last));
        let said = ends(&format!("macro-doubles-{name}"), &text);
        said.knows(&[("After", 2)]);
        if name != "bodies" && name != "lengths" && name != "members" {
            said.expect(2).says(&["macro expansion stopped here: "]);
        }
    }
    assert_eq!(ran, kinds.len(), "a kind that there is not");
}

#[test]
fn a_recursion_limit_of_the_crate() {
    let count = |n: usize| {
        format!(
            "macro_rules! count {{ () => {{ pub struct Counted(pub u16); }}; ($t:tt $($r:tt)*) => {{ count! {{ $($r)* }} }} }}
             count! {{ {} }}",
            "x ".repeat(n)
        )
    };
    let limited = format!("#![recursion_limit = \"400\"]\n{}", count(300));
    ends("recursion-limit", &limited)
        .expect(0)
        .knows(&[("Counted", 2)]);
    ends("recursion-default", &count(300))
        .expect(2)
        .says(&["128 calls inside one another"]);
    // Calls that are all that the one before writes take no stack.
    let limited = format!("#![recursion_limit = \"4000\"]\n{}", count(3_000));
    ends("recursion-deep", &limited)
        .expect(0)
        .knows(&[("Counted", 2)]);
    let endless = "#![recursion_limit = \"4000000000\"]
         macro_rules! again { ($t:tt) => { again! { $t } } }
         again! { x }
         pub struct After(pub u16);";
    ends("recursion-endless", endless)
        .expect(2)
        .says(&["macro expansion stopped here"])
        .knows(&[("After", 2)]);
}

#[test]
fn files_in_a_circle() {
    let root = |text: &str| format!("{text}{ROOT}");
    ends("include-itself", "include!(\"lib.rs\");")
        .expect(2)
        .says(&["src/lib.rs:1:1", "includes itself"]);
    let scratch = Scratch::library(
        "include-in-turn",
        &root("include!(\"a.rs\");\nmod m { include!(\"c.rs\"); }"),
    )
    .file("src/a.rs", "include!(\"b.rs\");\npub struct A(u8);")
    .file("src/b.rs", "include!(\"a.rs\");\npub struct B(u16);")
    .file(
        "src/c.rs",
        "pub mod n { include!(\"c.rs\"); }\npub struct C(u32);",
    );
    let said =
        ends_in(&scratch)
            .expect(2)
            .says(&["src/b.rs:1:1", "src/c.rs:1:13", "includes itself"]);
    said.knows(&[("A", 1), ("B", 2), ("m::C", 4)]);
    // Two inclusions are no cycle.
    let scratch = Scratch::library(
        "include-twice",
        &root("mod a { include!(\"s.rs\"); }\nmod b { include!(\"s.rs\"); }"),
    )
    .file("src/s.rs", "pub struct S(u16);");
    ends_in(&scratch)
        .expect(0)
        .knows(&[("a::S", 2), ("b::S", 2)]);
}

#[test]
#[ignore = "slow: .ci/slow endless"]
fn files_that_are_many_modules_each() {
    let root = |text: &str| format!("{text}{ROOT}");
    // Two modules per file: 2^24 modules.
    let mut scratch = Scratch::library(
        "path-twice",
        &root("#[path = \"f0.rs\"] mod a;\n#[path = \"f0.rs\"] mod b;"),
    );
    for i in 0..24 {
        let text = format!(
            "#[path = \"f{0}.rs\"] mod x;\n#[path = \"f{0}.rs\"] mod y;",
            i + 1
        );
        scratch = scratch.file(&format!("src/f{i}.rs"), text);
    }
    let scratch = scratch.file("src/f24.rs", "pub struct S(u8);");
    ends_in(&scratch).expect(2).says(&["modules stopped here"]);
    // Four million types from two files.
    let each = chain(2_000, "pub mod m@ { include!(\"s.rs\"); }");
    let scratch = Scratch::library("include-often", &root(&each))
        .file("src/s.rs", chain(2_000, "pub struct S@(u8);"));
    let said = ends_in(&scratch).expect(2);
    said.says(&["too much is made of the same files"])
        .knows(&[("m1::S7", 1)]);
}

#[test]
fn functions_inside_functions() {
    let text = format!(
        "{}pub struct X(u8);{}",
        "pub fn f() { ".repeat(50),
        "}".repeat(50)
    );
    let inner = format!("{}X", "f::".repeat(50));
    ends("functions-fifty", &text)
        .expect(0)
        .knows(&[(&inner, 1)]);
}

#[test]
#[ignore = "slow: .ci/slow endless"]
fn twenty_thousand_functions_inside_functions() {
    // The text of each contains all nested ones.
    let n = 20_000;
    let text = format!(
        "{}{}",
        "pub fn f() { let x = { ".repeat(n),
        "}; }".repeat(n)
    );
    let said = ends("functions-deep", &text).expect(2);
    said.says(&["functions inside functions stopped here"]);
}

fn selects(n: usize) -> String {
    let (open, close) = ("cfg_select! { _ => { ".repeat(n), "} }".repeat(n));
    format!("{open}pub struct Inner(pub u16);{close}")
}

#[test]
fn fifty_selects_inside_selects() {
    ends("selects-fifty", &selects(50))
        .expect(0)
        .knows(&[("Inner", 2)]);
}

#[test]
#[ignore = "slow: .ci/slow endless"]
fn thousands_of_selects_inside_selects() {
    // The text of each contains all that are inside it.
    let said = ends("selects-deep", &selects(4_000)).expect(2);
    said.says(&["macro expansion stopped here: `cfg_select!` nests too deep"]);
}

#[cfg(unix)]
#[test]
fn what_is_no_regular_file() {
    let pipe = |scratch: &Scratch, path: &str| {
        let path = scratch.folder().join(path);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("it is ours to write");
        let made = std::process::Command::new("mkfifo").arg(path).status();
        assert!(made.expect("mkfifo is there").success());
    };
    let said = ends(
        "devices",
        "#[path = \"/dev/zero\"] mod zero;
         #[path = \"/dev/stdin\"] mod stdin;
         #[path = \"/dev/tty\"] mod tty;
         #[path = \"/proc/kmsg\"] mod kernel;
         #[path = \".\"] mod folder;
         include!(\"/dev/zero\");
         pub struct Long(pub [u8; include_str!(\"/dev/zero\").len()]);
         pub const BYTES: &[u8] = include_bytes!(\"/dev/zero\");
         pub struct Longer(pub [u8; BYTES.len()]);",
    );
    let said = said
        .expect(2)
        .says(&["/dev/zero: cannot read the file: it is not a regular file"]);
    said.does_not_know(&["Long", "Longer"]);
    let scratch = Scratch::library("pipes", &format!("mod z;\n#[path = \"y\"] mod y;{ROOT}"));
    pipe(&scratch, "src/z.rs");
    pipe(&scratch, "src/y");
    ends_in(&scratch)
        .expect(2)
        .says(&["src/lib.rs:1:5", "it is not a regular file"]);
    let scratch = Scratch::library("pipe-include", &format!("include!(\"y\");{ROOT}"));
    pipe(&scratch, "src/y");
    ends_in(&scratch)
        .expect(2)
        .says(&["src/y: cannot read the file: it is not a regular file"]);
    let mut census = weigh(scratch.folder());
    let said = run_to_an_end(census.args(["census", "--exec", "src/y"]));
    // Elsewhere a census cannot be taken at all.
    said.expect(2).says(match cfg!(target_os = "linux") {
        true => &["src/y is not a regular file"],
        false => &[],
    });
    let scratch = Scratch::library("pipe-baseline", ROOT);
    pipe(&scratch, "weigh.baseline.json");
    let said = run_to_an_end(weigh(scratch.folder()).arg("--offline"));
    said.expect(2)
        .says(&["weigh.baseline.json", "it is not a regular file"]);
    let scratch = Scratch::library("pipe-snapshot", ROOT);
    pipe(&scratch, "weigh.sizes.json");
    let said =
        run_to_an_end(weigh(scratch.folder()).args(["diff", "weigh.sizes.json", "--offline"]));
    said.expect(2).says(&["weigh.sizes.json"]);
    let said = run_to_an_end(weigh(scratch.folder()).args(["snapshot", "--offline"]));
    said.expect(2)
        .says(&["weigh.sizes.json", "it is not a regular file"]);
    for (added, name) in [
        ("members = [\"crates/*\"]\n", "crates/member/Cargo.toml"),
        (
            "\n[dependencies]\nnear = { path = \"near\" }\n",
            "near/Cargo.toml",
        ),
    ] {
        let scratch = Scratch::library("pipe-manifest", ROOT);
        let manifest = scratch.folder().join("Cargo.toml");
        let text = std::fs::read_to_string(&manifest).expect("it is there");
        std::fs::write(&manifest, text + added).expect("it is ours to write");
        pipe(&scratch, name);
        let said = run_to_an_end(weigh(scratch.folder()).arg("--offline"));
        said.expect(2).says(&[name, "it is not a regular file"]);
    }
    let scratch = Scratch::library("pipe-git", ROOT);
    pipe(&scratch, ".git/HEAD");
    for command in [&["fix"][..], &["diff", "HEAD"]] {
        let said = run_to_an_end(weigh(scratch.folder()).args(command).arg("--offline"));
        said.expect(2)
            .says(&[".git/HEAD", "it is not a regular file"]);
    }
    for name in [".gitignore", "src/.gitattributes", ".gitmodules"] {
        let scratch = Scratch::library("pipe-of-status", ROOT);
        let git = |args: &[&str]| {
            let done = std::process::Command::new("git")
                .arg("-C")
                .arg(scratch.folder())
                .args(args)
                .status();
            assert!(done.expect("git is there").success());
        };
        git(&["init", "-q"]);
        git(&["add", "."]);
        pipe(&scratch, name);
        let said = run_to_an_end(weigh(scratch.folder()).args(["fix", "--offline"]));
        said.expect(2).says(&[name, "it is not a regular file"]);
    }
    for name in [
        ".git/info/exclude",
        ".git/config",
        ".git/index",
        ".git/objects/00/1",
    ] {
        let scratch = Scratch::library("pipe-in-git", ROOT);
        pipe(&scratch, name);
        let said = run_to_an_end(weigh(scratch.folder()).args(["fix", "--offline"]));
        said.expect(2).says(&[name, "it is not a regular file"]);
    }
    let scratch = Scratch::library("library-of-proc", ROOT);
    let root = scratch.folder().join("src/lib.rs");
    std::fs::remove_file(&root).expect("it is ours to remove");
    std::os::unix::fs::symlink("/proc/self/mem", &root).expect("it is ours to write");
    let said = run_to_an_end(weigh(scratch.folder()).arg("--offline"));
    said.expect(2)
        .says(&["src/lib.rs", "it is not a regular file"]);
    for name in [
        "Cargo.lock",
        ".cargo/config.toml",
        "rust-toolchain.toml",
        "target/.rustc_info.json",
    ] {
        let scratch = Scratch::library("pipe-of-cargo", ROOT);
        pipe(&scratch, name);
        let said = run_to_an_end(weigh(scratch.folder()).arg("--offline"));
        said.expect(2).says(&[name, "it is not a regular file"]);
    }
}

/// `min_size` of a type of unknown size visits the types it contains.
#[test]
fn lower_bounds_of_sizes() {
    let fourfold = chain(40, "pub struct C@(pub C#, pub C#, pub C#, pub C#, pub u8);");
    let text = format!(
        "pub struct A(pub A, pub B, pub A, pub B); pub struct B(pub B, pub A, pub B, pub A);
         pub struct C0(pub Missing, pub u8);\n{fourfold}"
    );
    let said = ends("lower-bounds", &text).expect(2);
    said.does_not_know(&["A", "B", "C0", "C40"]);
    let least = |path: &str| {
        said.stdout
            .lines()
            .find(|l| l.contains(&format!("\"path\":\"{path}\"")))
            .unwrap()
    };
    // Four of `C0` and a byte.
    assert!(least("C1").contains("\"min_size\":5"), "{}", least("C1"));
}

#[test]
#[ignore = "slow: .ci/slow tests"]
fn constants_that_lead_on() {
    let said = ends(
        "discriminants",
        "#[repr(u8)] pub enum A { X = B::Y as u8, Z }
         #[repr(u8)] pub enum B { Y = A::X as u8, W }
         pub enum C { X = C::Y as isize, Y = C::X as isize }
         const fn f() -> isize { D::X as isize }
         pub enum D { X = f(), Y }
         pub enum E { X = std::mem::size_of::<E>() as isize, Y }",
    );
    said.does_not_know(&["A", "B", "C", "D", "E"]);
    let each = format!(
        "#[repr(u32)] pub enum T {{ V0 = 0,\n{} }}\npub struct Long(pub [u8; T::V2000 as usize]);",
        chain(2_000, "V@ = T::V# as u32 + 1,")
    );
    ends("discriminants-each", &each).knows(&[("T", 4), ("Long", 2_000)]);
    ends(
        "impl-headers",
        "pub trait X { const DIM: usize; type A; }
         pub struct L<T, const N: usize>(T);
         impl<T: X> X for L<T, { T::DIM }> { const DIM: usize = T::DIM + 1; type A = u8; }
         impl<T: X> X for [T; { <T as X>::DIM }] { const DIM: usize = 1; type A = <[T; { <Self as X>::DIM }] as X>::A; }
         impl X for u8 { const DIM: usize = 1; type A = u8; }
         pub struct Ms<const N: usize>;
         impl Ms<{ Self::D }> { const D: usize = 1; }
         impl Ms<{ Ms::<1>::E }> { const E: usize = 1; }
         pub struct R(pub [u8; <L<u8, 1> as X>::DIM], pub [u8; L::<u8, 1>::DIM], pub <[u8; 1] as X>::A);
         pub struct S(pub [u8; Ms::<1>::D], pub [u8; Ms::<1>::E]);",
    );
    let doubling = format!(
        "const N0: usize = 1; const T0: (u8, u8) = (1, 2); const S0: &str = \"xxxx\";
         {}
         pub struct Large(pub [u8; N20]);
         pub struct Wide(pub [u8; T60.0]);
         pub struct Text(pub [u8; S60.len()]);",
        chain(
            60,
            "const N@: usize = N# + N#; const T@: (T, T) = (T#, T#); const S@: &str = concat!(S#, S#);"
        )
    );
    let said = ends("constants-double", &doubling);
    said.knows(&[("Large", 1 << 20)]);
    said.does_not_know(&["Text"]);
    let deep = format!(
        "pub const C0: usize = 1;\n{}\npub struct Deep(pub [u8; C5000]);\npub struct Near(pub [u8; C100]);",
        chain(5_000, "pub const C@: usize = C# ^ 0;")
    );
    ends("constants-deep", &deep).knows(&[("Near", 1)]);
}

#[test]
#[ignore = "slow: .ci/slow tests"]
fn a_constant_that_takes_long() {
    constants_that_take_long(1);
}

#[test]
#[ignore = "slow: .ci/slow endless"]
fn a_hundred_constants_that_take_long() {
    constants_that_take_long(100);
}

fn constants_that_take_long(n: usize) {
    let long = format!(
        "const fn fib(n: u64) -> u64 {{ if n < 2 {{ n }} else {{ fib(n - 1) + fib(n - 2) }} }}
         const fn turn() -> usize {{ let mut i = 0; while i < 1000000000 {{ i += 1; }} i }}
         {}
         pub struct After(pub [u8; fib(7) as usize]);",
        chain(
            n,
            "pub struct F@([u8; fib(40) as usize]); pub struct G@([u8; turn()]);"
        )
    );
    let said = ends("constants-long", &long);
    said.knows(&[("After", 13)]);
    said.does_not_know(&["F1", &format!("G{n}")]);
}

#[test]
fn numbers_of_many_digits() {
    let digits = "7".repeat(200_000);
    let text = format!(
        "pub const WHOLE: u64 = {digits};
         pub const PART: f64 = 0.{digits};
         pub enum E {{ A = {digits} }}
         pub struct S(pub [u8; {digits}]);
         pub fn f() -> u64 {{ {digits} }}
         macro_rules! m {{ () => {{ pub const OTHER: u64 = {digits}; }} }}
         m!();"
    );
    ends("digits", &text).says(&["too many digits"]);
}

#[test]
fn a_capacity_of_all_memory() {
    ends(
        "capacity",
        "pub fn f() -> usize {
             let mut n = 0;
             for i in 0..9u64 {
                 let written: Vec<u64> = vec![i; 18446744073709551615];
                 n += written.len();
             }
             n
         }",
    );
}

#[test]
fn a_field_of_all_memory() {
    ends(
        "field",
        "pub struct Table<const N: usize> {
             rows: [u64; 1 << 60],
             tail: [u8; N],
             names: Vec<&'static str>,
         }
         impl<const N: usize> Table<N> {
             pub fn new(rows: [u64; 1 << 60], tail: [u8; N], names: &[&'static str]) -> Self {
                 Table { rows, tail, names: names.to_vec() }
             }
             pub fn names(&self) -> usize {
                 self.names.len()
             }
         }",
    );
}

#[test]
fn names_by_many_ways() {
    let mut ring = String::new();
    for i in 0..40 {
        let _ = writeln!(
            ring,
            "pub mod m{i} {{ pub use super::m{}::*; pub use super::m{}::*; pub struct L{i}(pub u8); }}",
            (i + 1) % 40,
            (i + 2) % 40
        );
    }
    let said = ends(
        "globs-ring",
        &format!("{ring}\npub struct Found(pub m0::L39);\npub struct Lost(pub m0::Nope);"),
    );
    said.knows(&[("Found", 1)]);
    said.does_not_know(&["Lost"]);
    let row = chain(
        60,
        "pub mod m# { pub use super::m@::*; pub use super::n@::*; } pub mod n# { pub use super::m@::*; pub use super::n@::*; }",
    );
    let text = format!(
        "{row}\npub mod m60 {{ pub struct E(pub u8); }}\npub mod n60 {{ pub struct F(pub u16); }}
         pub struct Found(pub m0::F);\npub struct Lost(pub m0::Nope);"
    );
    let said = ends("globs-row", &text);
    said.knows(&[("Found", 2)]);
    said.does_not_know(&["Lost"]);
    let mut named = String::new();
    for i in 0..40 {
        let (a, b, c) = ((i + 1) % 40, (i + 2) % 40, (i + 3) % 40);
        let _ = writeln!(
            named,
            "pub mod m{i} {{ pub use super::m{a}::a; pub use super::m{b}::a as b; pub use super::m{c}::b as a; }}"
        );
    }
    ends(
        "imports-ring",
        &format!("{named}\npub struct Lost(pub m0::a, pub m0::b);"),
    )
    .does_not_know(&["Lost"]);
}

#[test]
#[ignore = "slow: .ci/slow tests"]
fn doublings() {
    let aliases = format!(
        "type T0 = (u8, u8);\n{}\npub struct Wide(pub T60);\npub struct Held(pub Vec<T60>);\npub struct Some10(pub T10);
         pub fn f(x: &T60) {{ let y: T60 = todo!(); }}
         type A0<T> = [T; 2];\n{}\npub struct Arrays(pub A3<u8>);\npub struct MoreArrays(pub A40<u8>);",
        chain(60, "type T@ = (T#, T#);"),
        chain(40, "type A@<T> = A#<A#<T>>;")
    );
    let said = ends("double-aliases", &aliases);
    said.knows(&[("Some10", 2048), ("Arrays", 256)]);
    said.does_not_know(&["Wide"]);
    let projections = format!(
        "pub trait T {{ type A; }} pub struct Z; impl T for Z {{ type A = u8; }} pub struct S<X>(X);
         impl<X: T> T for S<X> {{ type A = (<X as T>::A, <X as T>::A); }}
         pub type T0 = Z;\n{}\npub struct Few(pub <T8 as T>::A);\npub struct Many(pub <T60 as T>::A);
         pub fn f(x: <T60 as T>::A) {{ let y = x; let z = y.clone(); }}",
        chain(60, "pub type T@ = S<T#>;")
    );
    ends("double-projections", &projections).knows(&[("Few", 256)]);
    let lets = format!(
        "pub fn f() {{ let x0 = (1u8, String::new());\n{} g(x60); }}
         pub fn h() {{ let x0 = |a: u8| (a, a);\n{} x60(1); }}",
        chain(60, "let x@ = (x#.clone(), x#.clone(), vec![x#.clone()]);"),
        chain(60, "let x@ = |a| (x#(a), x#(a));")
    );
    ends("double-lets", &lets);
    let mut maps = "1u8".to_owned();
    let mut nested = "x".to_owned();
    let mut matches = "x".to_owned();
    for i in 0..40 {
        maps = format!("Some({maps}).map(|x{i}| (x{i}, x{i})).unwrap()");
        nested = format!("v.iter().map(|x{i}| {nested}).collect::<Vec<_>>()");
        if i < 10 {
            matches = format!("match {matches} {{ Some(a) => Some(a), None => {matches} }}");
        }
    }
    let closures = format!(
        "pub fn f() {{ let v = {maps}; }}\npub fn g(v: Vec<u8>) {{ let v = {nested}; }}
         pub fn h(x: Option<u8>) {{ let v = {matches}; }}"
    );
    ends("double-closures", &closures);
}

#[test]
fn a_hundred_of_each() {
    many_of_each(100);
}

#[test]
#[ignore = "slow: .ci/slow endless"]
fn thousands_of_each() {
    many_of_each(3_000);
}

fn many_of_each(n: usize) {
    let text = format!(
        "pub struct Fields {{ f0: u8,\n{}\n}}
         impl Fields {{ pub fn sum(&self) -> usize {{ let mut n = 0;\n{}\nn }} }}
         pub enum Variants {{ V0(u8),\n{}\n}}
         pub fn f(e: &Variants) -> u32 {{ match e {{ {} _ => 0 }} }}",
        chain(n, "f@: Vec<u8>,"),
        chain(n, "n += self.f@.len();"),
        chain(n, "V@([u64; 4]),"),
        chain(n, "Variants::V@(_) => @,")
    );
    ends("many-fields", &text).knows(&[("Fields", 24 * n as u64 + 8), ("Variants", 40)]);
    let text = format!(
        "pub trait T {{ type A; }}\npub mod all {{ {} }}\n{}\npub struct Last(pub <S{n} as T>::A);",
        chain(n, "pub use crate::S@ as R@;"),
        chain(
            n,
            "pub struct S@(pub u8); impl T for S@ { type A = u16; } pub struct Q@(pub <S@ as T>::A);"
        )
    );
    ends("many-impls", &text).knows(&[("Last", 2), ("Q77", 2)]);
    let chains = format!(
        "pub struct A0(u8);\n{}\npub struct B0(u8);\n{}\npub type C0 = u8;\n{}\npub struct Boxes(pub C{n});",
        chain(n, "pub struct A@(A#);"),
        chain(n, "pub struct B@(Box<B#>);"),
        chain(n, "pub type C@ = Box<C#>;")
    );
    let said = ends("long-chains", &chains);
    said.knows(&[(&format!("A{n}"), 1), (&format!("B{n}"), 8)]);
    let bodies = format!(
        "{} pub struct X; {}\npub fn g() {{ let x0 = 1u8;\n{}\n}}",
        "pub fn f() { ".repeat(n),
        "}".repeat(n),
        chain(n, "let x@ = Box::new(x#);")
    );
    ends("nested-bodies", &bodies);
}

#[test]
#[ignore = "slow: .ci/slow tests"]
fn dozens_of_what_leads_to_others() {
    many_that_lead_to_others(24);
}

/// Takes minutes or gigabytes if each lookup searches all of them.
#[test]
#[ignore = "slow: .ci/slow endless"]
fn thousands_of_what_leads_to_others() {
    many_that_lead_to_others(2_000);
}

fn many_that_lead_to_others(n: usize) {
    let text = format!(
        "pub trait T {{ const N: usize; }}\n{}",
        chain(
            n,
            "pub struct S@; impl S@ { pub const M: usize = 3; } impl T for S@ { const N: usize = 2; }
             pub struct U@(pub [u8; S@::M], pub [u8; <S@ as T>::N], pub [u8; S@::N]);"
        )
    );
    ends("many-associated", &text).knows(&[(&format!("U{n}"), 7)]);
    let text = format!(
        "pub mod m0 {{ pub struct S(pub u32); }}\n{}\n{}",
        chain(n, "pub mod m@ { pub use crate::m#::S; }"),
        chain(n, "pub struct U@(pub m@::S);")
    );
    ends("many-reexports", &text).knows(&[(&format!("U{n}"), 4)]);
    let text = format!(
        "{}\npub mod all {{ {} {} }}",
        chain(n, "pub mod m@ { pub struct S@(pub u32); }"),
        chain(n, "pub use crate::m@::*;"),
        chain(n, "pub struct U@(pub S@);")
    );
    ends("many-globs", &text).knows(&[(&format!("all::U{n}"), 4)]);
    let text = format!(
        "pub enum A0 {{ X(u64), Y(u8) }}\n{}\n{}\n{}",
        chain(n / 4, "pub enum A@ { X(A#, u64, u8), Y(u8), Z(u16) }"),
        chain(n / 4, "pub struct V@(pub Vec<A@>);"),
        chain(
            n,
            "pub enum E@ { A(String), B([u8; 200]) } pub fn f@() -> Result<u8, E@> { Err(E@::A(String::new())) }"
        )
    );
    ends("many-enums", &text).knows(&[(&format!("E{n}"), 208)]);
    // Each finding looks for the comment and the attribute that cover it.
    let text = chain(
        20 * n,
        "// weigh: allow(oversized_variant)
         pub enum E@ { Fat([u64; 32]), Thin(u8), Other(u16) }
         #[allow(clippy::large_enum_variant)] #[cfg(unix)]
         pub enum F@ { Fat([u64; 32]), Thin(u8), Other(u16) }",
    );
    ends("many-comments", &text).knows(&[("F7", 264)]);
    // Every type with a finding is searched for by the same words.
    let text = chain(
        20 * n,
        "pub enum E@ { Fat([u64; 32]), Thin(u8), Other(u16) }",
    );
    ends("many-findings", &text).knows(&[("E7", 264)]);
}

/// An attribute may resolve through globs, and what those bring may depend on attributes.
#[test]
fn attributes_that_ask_for_themselves() {
    let said = ends(
        "attributes-through-globs",
        "pub mod paths { pub use std::marker; pub use std::fmt; pub mod deep { pub use super::*; } }
         pub mod user {
             use super::paths::*;
             pub use super::other::*;
             #[derive(marker::Copy, deep::marker::Clone, fmt::Debug, gone::Derive)]
             pub struct S(pub u8);
             #[deep::attribute] #[marker::attribute] #[gone::attribute]
             pub struct Q(pub T);
             impl Q { #[deep::attribute] pub fn f(&self) { #[marker::attribute] struct Inner(T); } }
             gone::make!(T);
         }
         pub mod inside {
             use super::marks::Trace;
             pub fn f() -> u8 {
                 #[derive(Trace)] struct S(u8);
                 impl S { pub fn g() -> u8 { #[derive(Trace)] struct T(S); 1 } }
                 S::g()
             }
         }
         pub mod marks { pub trait Trace {} }
         pub mod other {
             pub use super::user::*;
             #[user_attribute::of] #[derive(S::Derive)]
             pub struct T(pub u16);
         }",
    );
    said.does_not_know(&["user::Q"]);
}

#[test]
fn odd_derives_and_attributes() {
    let derives = [
        "PartialEq, 1Debug",
        "1",
        "\"x\"",
        "::",
        "a::",
        "A(b)",
        "Debug, Debug,, Debug",
        "'a",
        "Debug 1",
        "r#\"x\"#",
    ];
    let attributes = [
        "derive",
        "derive = \"x\"",
        "repr",
        "repr()",
        "repr(1)",
        "repr(\"C\")",
        "repr(C = 1)",
        "repr(align)",
        "repr(align(0))",
        "repr(align(3))",
        "repr(align(99999999999999999999))",
        "repr(packed(0))",
        "repr(packed(3))",
        "repr(packed(8), align(8))",
        "repr(simd)",
        "repr(transparent)",
        "repr(i128)",
        "rustc_layout_scalar_valid_range_start(1)",
        "rustc_layout_scalar_valid_range_end(1)",
        "rustc_layout_scalar_valid_range_start(0x1_0000_0000_0000_0000_0000_0000_0000_0000)",
        "lang = \"owned_box\"",
        "lang = \"phantom_data\"",
        "lang = \"unsafe_cell\"",
        "cfg()",
        "cfg(1)",
        "cfg(not())",
        "cfg_attr",
        "cfg_attr()",
        "cfg_attr(x)",
    ];
    let shapes = [
        "pub struct S@(pub u8);",
        "pub struct S@;",
        "pub enum S@ { A, B }",
        "pub enum S@ {}",
        "pub enum S@ { A(u64), B }",
        "pub union S@ { a: u8, b: u64 }",
        "pub struct S@<T>(T);",
        "pub struct S@([u8; 3]);",
        "pub struct S@(f32);",
        "pub struct S@(str);",
        "pub trait S@ {}",
        "pub struct S@(u128, ());",
        "pub struct S@(Box<u8>, u8);",
    ];
    let derives = derives.map(|d| format!("derive({d})"));
    let attributes = attributes.map(str::to_owned);
    let mut text = String::new();
    for (i, attribute) in derives.iter().chain(&attributes).enumerate() {
        for (j, shape) in shapes.iter().enumerate() {
            let shape = shape.replace('@', &format!("{i}x{j}"));
            let _ = writeln!(text, "#[{attribute}] {shape}");
        }
    }
    ends("odd-attributes", &text);
}

/// A provoked internal panic is reported as such; the rest is analysed.
#[test]
fn a_fault_of_ours() {
    let lib = "pub mod other;\npub enum Fat { A([u64; 32]), B(u8), C(u16) }\npub struct Root(pub u32, pub u8);\n\
               pub fn f(v: &Fat) -> usize { match v { Fat::A(a) => a.len(), _ => 0 } }\n";
    let scratch =
        Scratch::library("faults", lib).file("src/other.rs", "pub struct Other(pub u16);\n");
    let works = [
        ("reading `", None),
        ("laying out `Fat`", Some(("Root", 8))),
        ("collecting the names of module `other", Some(("Root", 8))),
        ("running the command", None),
    ];
    for (work, known) in works {
        let mut sizes = weigh(scratch.folder());
        sizes.args(["sizes", "--message-format", "json", "--offline"]);
        let said = run_to_an_end(sizes.env("WEIGH_PROVOKE_FAULT", work));
        let said =
            said.expect(101)
                .says(&["this is a bug in cargo-weigh", "provoked", work, "/issues"]);
        assert!(!said.stderr.contains("panicked"), "{}", said.stderr);
        if let Some(known) = known {
            said.knows(&[known]);
        }
    }
    for work in [
        "asking missed_niche about",
        "reading the body of `f`",
        "reading what `f` does",
        "reading bodies for",
    ] {
        let mut lint = weigh(scratch.folder());
        lint.args([
            "--message-format",
            "json",
            "--offline",
            "-W",
            "weigh::pedantic",
            "-W",
            "weigh::nursery",
        ]);
        let said = run_to_an_end(lint.env("WEIGH_PROVOKE_FAULT", work));
        let said = said
            .expect(101)
            .says(&["this is a bug in cargo-weigh", "provoked", work]);
        let last = said.json().pop().expect("a last line");
        assert_eq!(last["success"], false, "{work}");
        let lints: Vec<_> = said
            .findings()
            .iter()
            .map(|f| f["weigh"]["lint"].clone())
            .collect();
        assert!(
            lints.contains(&"oversized_variant".into()),
            "{work}: {lints:?}"
        );
    }
}

/// Nothing is done for each member that takes time for all of them. An optimized program, on a quiet
/// machine: the best of three runs counts.
#[test]
#[ignore = "slow: .ci/slow endless"]
fn ten_thousand_members() {
    const MEMBERS: usize = 10_000;
    let mut scratch = Scratch::empty("members");
    let manifest = "[workspace]\nmembers = [\"members/*\"]\nresolver = \"2\"\n";
    scratch = scratch.file("Cargo.toml", manifest);
    for n in 0..MEMBERS {
        let manifest =
            format!("[package]\nname = \"m{n}\"\nversion = \"0.1.0\"\nedition = \"2021\"\n");
        let text = format!("pub struct S{n}(pub u32);\n");
        scratch = scratch.file(&format!("members/m{n}/Cargo.toml"), manifest);
        scratch = scratch.file(&format!("members/m{n}/src/lib.rs"), text);
    }
    let best = |command: &dyn Fn() -> std::process::Command| {
        let time = |_| {
            let began = std::time::Instant::now();
            weigh_tests::run(&mut command()).expect(0);
            began.elapsed()
        };
        (0..3).map(time).min().unwrap()
    };
    let cargo = best(&|| {
        let mut command = weigh_tests::cargo();
        command.args(["metadata", "--format-version", "1", "--offline"]);
        command.current_dir(scratch.folder());
        command
    });
    for selected in [&[][..], &["-p", "m77"]] {
        let ours = best(&|| {
            let mut command = weigh(scratch.folder());
            command.args(["--offline", "-q"]).args(selected);
            command.env("CARGO_WEIGH_CACHE", "0");
            command
        });
        let most = 2 * cargo + std::time::Duration::from_secs(1);
        assert!(
            ours <= most,
            "{selected:?}: {ours:?}; cargo metadata: {cargo:?}"
        );
    }
}
