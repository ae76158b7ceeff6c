//! Types as users write them in `layout` and `sizes --assert`, against the compiler's sizes.

#[allow(dead_code, reason = "only its sizes are asked for")]
mod sample;

use sample::parts::Foo;
use sample::parts::deep::{Grid, Handle, Pair, SearchWorker, Worker};
use std::fs;
use weigh_tests::project::Scratch;
use weigh_tests::{repository, run, run_in, weigh};

fn project(name: &str) -> Scratch {
    let sample = repository().join("tests/tests/layout/sample.rs");
    let text = fs::read_to_string(sample).expect("it lies beside this file");
    let text = text.lines().filter(|line| !line.starts_with("//!"));
    Scratch::library(name, &text.collect::<Vec<_>>().join("\n"))
}

/// A text, with the size and alignment in bytes of the type that it denotes.
macro_rules! known {
    ($($text:literal: $ty:ty),* $(,)?) => {
        [$(($text, size_of::<$ty>() as u64, align_of::<$ty>() as u64)),*]
    };
}

#[test]
fn everyday_types() {
    let known = known! {
        "HashMap<String, Foo>": std::collections::HashMap<String, Foo>,
        "BTreeMap<Foo, [Foo; 3]>": std::collections::BTreeMap<Foo, [Foo; 3]>,
        "VecDeque": std::collections::VecDeque<u8>,
        "Rc<str>": std::rc::Rc<str>,
        "Arc<Mutex<u32>>": std::sync::Arc<std::sync::Mutex<u32>>,
        "Mutex<u64>": std::sync::Mutex<u64>,
        "Cell<u8>": std::cell::Cell<u8>,
        "RefCell<Foo>": std::cell::RefCell<Foo>,
        "NonZeroU32": std::num::NonZeroU32,
        "Option<NonZero<u16>>": Option<std::num::NonZero<u16>>,
        "Duration": std::time::Duration,
        "PathBuf": std::path::PathBuf,
        "Cow<'static, str>": std::borrow::Cow<'static, str>,
        "AtomicU16": std::sync::atomic::AtomicU16,
        "cmp::Ordering": std::cmp::Ordering,
        "io::Result<u16>": std::io::Result<u16>,
        "&mut dyn Write": &mut dyn std::io::Write,
        "Box<dyn Fn(u32) -> Foo + Send>": Box<dyn Fn(u32) -> Foo + Send>,
        "Option<fn(Foo)>": Option<fn(Foo)>,
        "Foo": Foo,
        "parts::Foo": Foo,
        "crate::parts::Foo": Foo,
        "(Foo, u8)": (Foo, u8),
        "SearchWorker<Foo>": SearchWorker<Foo>,
        "Option<SearchWorker<Cell<u8>>>": Option<SearchWorker<std::cell::Cell<u8>>>,
        "Handle": Handle<u8>,
        "Handle<W>": Handle<u8>,
        "Rc<dyn Worker>": std::rc::Rc<dyn Worker>,
        "Pair<u64>": Pair<u64>,
        "Grid<5>": Grid<5>,
        "Twin": u8,
    };
    let (twin, known) = known.split_last().expect("there are some");
    let project = project("layout-everyday");
    let mut command = weigh(project.folder());
    command.args(["layout", "--message-format", "json"]);
    let said = run(command.args(known.iter().map(|(text, ..)| text))).expect(0);
    let lines = said.json();
    assert_eq!(lines.len(), known.len(), "{}", said.stderr);
    for (line, (text, size, align)) in lines.iter().zip(known) {
        let told = (line["size"].as_u64(), line["align"].as_u64());
        assert_eq!(told, (Some(*size), Some(*align)), "{text}: {line}");
    }
    let said = run_in(project.folder(), &["layout", twin.0]).expect(2);
    said.says(&["parts::left::Twin", "parts::right::Twin"]);
}

#[test]
fn what_is_missing_is_named() {
    let project = project("layout-missing");
    for (text, words) in [
        ("SearchWorker", &["`SearchWorker<W>` depends on `W`"][..]),
        ("SearchWorker<W>", &["`SearchWorker<W>` depends on `W`"]),
        ("Grid<const N>", &["`Grid<N>` depends on `N`"]),
        ("Option", &["`Option<T>` depends on `T`"]),
        ("Option<Fooo>", &["no type `Fooo`", "parts::Foo"]),
        ("Worker", &["`Worker` is a trait", "dyn Worker"]),
        ("Box<dyn Foo>", &["no trait `Foo`"]),
        ("Vec<u8, u8, u8>", &["`Vec` takes 2 arguments, not 3"]),
        (
            "Ordering",
            &["std::cmp::Ordering", "std::sync::atomic::Ordering"],
        ),
        ("[u8; NOWHERE]", &["`NOWHERE` was not found"]),
        ("str", &["unsized"]),
    ] {
        let said = run_in(project.folder(), &["layout", text]).expect(2);
        said.says(words);
    }
}

#[test]
fn sizes_assert_takes_the_same() {
    let project = project("layout-assert");
    let said = run_in(
        project.folder(),
        &["sizes", "--assert", "Foo", "--assert", "parts::Foo"],
    );
    let line = format!("#[assert_size(max = {})]\n", size_of::<Foo>());
    assert_eq!(said.expect(0).stdout, line.repeat(2));
    let both = ["sizes", "--assert", "Foo", "parts::Foo"];
    let said = run_in(project.folder(), &both).expect(0);
    assert_eq!(said.stdout, line.repeat(2));
    let text = "HashMap<u8, SearchWorker<Foo>>";
    let size = size_of::<std::collections::HashMap<u8, SearchWorker<Foo>>>();
    let said = run_in(project.folder(), &["sizes", "--assert", text]).expect(0);
    assert_eq!(
        said.stdout,
        format!("weigh_derive::assert_size!({text}, max = {size});\n")
    );
    let said = run_in(project.folder(), &["sizes", "--assert", "SearchWorker"]).expect(2);
    said.says(&["`SearchWorker<W>` depends on `W`"]);
}

#[test]
fn a_type_of_another_package() {
    let member = |name: &str| {
        format!("[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n")
    };
    let root = member("facade")
        + "[dependencies]\ninner = { path = \"inner\" }\n"
        + "[workspace]\nmembers = [\"inner\", \"other\"]\n";
    let project = Scratch::empty("layout-members")
        .file("Cargo.toml", root)
        .file("src/lib.rs", "pub use inner::Near;\npub struct Own(u8);\n")
        .file("inner/Cargo.toml", member("inner"))
        .file(
            "inner/src/lib.rs",
            "pub struct Far([u8; 7]);\npub struct Near([u8; 3]);\npub struct Twin(u8);\n",
        )
        .file("other/Cargo.toml", member("other"))
        .file("other/src/lib.rs", "pub struct Twin(u16);\n");
    let folder = project.folder();
    let said = run_in(folder, &["layout", "Far", "Own"]).expect(0);
    let said = said.says(&["`Far`", "--workspace"]);
    assert!(
        said.stdout.contains("struct Far: 7 bytes"),
        "{}",
        said.stdout
    );
    // A dependency defines it: only types of selected packages are linted.
    for (name, size) in [("Near", "3 bytes"), ("Far", "7 bytes"), ("Own", "1 bytes")] {
        let said = run_in(folder, &["why", name]).expect(0);
        assert!(said.stdout.contains(size), "{}", said.stdout);
    }
    run_in(folder, &["why", "Near", "-p", "facade"]).expect(2);
    // A name that several types have is not resolved by a guess.
    let said = run_in(folder, &["layout", "Twin"]).expect(2);
    said.says(&["inner::Twin", "other::Twin"]);
    run_in(folder, &["layout", "other::Twin"]).expect(0);
    // With a package, only its types are considered.
    run_in(folder, &["layout", "Far", "-p", "other"]).expect(2);
}

/// Types of std need no package; what needs one says how to name it.
#[test]
fn outside_of_a_package() {
    let folder = std::env::temp_dir().join(format!("weigh-outside-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    let said = run_in(&folder, &["layout", "Vec<u8>"]).expect(0);
    assert!(said.stdout.starts_with("struct Vec<u8"), "{}", said.stdout);
    said.says(&["only types of std are known"]);
    run_in(&folder, &["layout", "Nothing"]).expect(2);
    for args in [&["fix"][..], &["report", "--output", "weigh.html"], &[]] {
        let said = run_in(&folder, args).expect(2);
        said.says(&[
            "could not find `Cargo.toml`",
            "`--manifest-path FOLDER/Cargo.toml`",
        ]);
    }
    // It is empty: nothing is written.
    fs::remove_dir(&folder).expect("an empty folder");
}

/// The widest ten of an enum, or as many as are asked for.
#[test]
fn enums_of_very_many_variants() {
    let variants: String = (1..40).map(|n| format!("V{n}([u8; {n}]), ")).collect();
    let scratch = Scratch::library("wide", &format!("pub enum Wide {{ {variants} }}\n"));
    let drawn = |args: &[&str]| {
        let args = [&["layout", "Wide"], args].concat();
        let said = run_in(scratch.folder(), &args).expect(0).stdout;
        said.lines()
            .filter(|l| l.contains(" of fields") && l.starts_with('V'))
            .count()
    };
    assert_eq!(
        [
            drawn(&[]),
            drawn(&["--top", "3"]),
            drawn(&["--all-variants"])
        ],
        [10, 3, 39]
    );
}
