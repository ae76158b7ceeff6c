//! Bad input: each case gives a message with its location and the documented exit status, and the
//! rest is analysed.

use std::fs;
use weigh_tests::project::Scratch;
use weigh_tests::{Run, fixture, run, run_in, sizes_in, weigh};

fn hostile(name: &str) -> Run {
    sizes_in(&fixture("hostile").join(name))
}

#[test]
fn no_manifest() {
    let folder = std::env::temp_dir().join(format!("weigh-no-manifest-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("temporary folders can be made");
    let said = run_in(&folder, &[]);
    fs::remove_dir(&folder).expect("nothing was written there");
    let said = said.expect(2).says(&["could not find `Cargo.toml`"]);
    assert!(said.stdout.is_empty());
    let said = run_in(&fixture("hostile"), &["--manifest-path", "gone/Cargo.toml"]);
    said.expect(2).says(&["gone/Cargo.toml"]);
}

#[test]
fn a_manifest_that_cargo_rejects() {
    hostile("bad-manifest")
        .expect(2)
        .says(&["Cargo.toml:2", "invalid character"]);
}

#[test]
fn a_dependency_that_is_not_downloaded() {
    let said = hostile("missing-dependency").expect(2);
    said.says(&["not fetched", "no-such-crate-as-this-one"]);
    // What cargo refuses for another reason stays refused.
    let project = Scratch::library("hostile_frozen", "pub struct Point(u8);\n");
    run_in(project.folder(), &["--frozen"])
        .expect(2)
        .says(&["--frozen"]);
}

#[test]
fn a_selection_that_matches_nothing() {
    let folder = fixture("showcase");
    run_in(&folder, &["-p", "shwocase"])
        .expect(2)
        .says(&["shwocase", "showcase"]);
    run_in(&folder, &["--bin", "nothing"])
        .expect(2)
        .says(&["nothing"]);
    run_in(&folder, &["--no-such-flag"])
        .expect(2)
        .says(&["--no-such-flag"]);
}

#[test]
fn a_syntax_error() {
    let said = hostile("syntax-error")
        .expect(2)
        .says(&["src/broken.rs:5:8"]);
    said.knows(&[
        ("Root", 8),
        ("fine::Fine", 4),
        ("broken::Before", 2),
        ("broken::After", 8),
    ]);
    for (command, has) in [
        ("", "Weighed"),
        ("sizes", "types"),
        ("layout Root", "exact"),
    ] {
        let args: Vec<_> = command.split_whitespace().collect();
        let said = run_in(&fixture("hostile/syntax-error"), &args).expect(2);
        let of_results = said.stdout.lines().last().unwrap_or_default();
        let of_run = said.stderr.lines().last().unwrap_or_default();
        let last = if args.is_empty() { of_run } else { of_results };
        assert!(
            last.contains(has) && last.contains("incomplete: 1 problem"),
            "{said:?}"
        );
        assert!(!last.contains("nothing found;"), "{last}");
    }
    let said = run_in(&fixture("hostile/syntax-error"), &["-q"]).expect(2);
    let last = said.stderr.lines().last().unwrap_or_default();
    assert!(
        last.contains("1 problem in the selected packages"),
        "{last}"
    );
    let said = run_in(
        &fixture("hostile/syntax-error"),
        &["--message-format", "json"],
    )
    .expect(2);
    let last = said.json().pop().expect("a last line");
    assert_eq!(
        (&last["reason"], &last["success"]),
        (&"build-finished".into(), &false.into())
    );
}

#[test]
fn not_utf8() {
    let scratch = Scratch::library("not-utf8", "pub mod latin;\npub struct Root(pub u32);\n")
        .file("src/latin.rs", b"// caf\xe9\npub struct Latin(pub u8);\n");
    let said = sizes_in(scratch.folder())
        .expect(2)
        .says(&["src/latin.rs", "UTF-8"]);
    said.knows(&[("Root", 4)]);
}

#[test]
fn a_missing_module() {
    let said = hostile("missing-module")
        .expect(2)
        .says(&["src/lib.rs:6:9", "gone"]);
    said.knows(&[("Root", 8), ("here::Here", 1), ("Points", 8)]);
    said.does_not_know(&["UsesGone"]);
}

#[test]
fn a_module_in_two_files() {
    let said = hostile("module-twice")
        .expect(2)
        .says(&["src/lib.rs:5:5", "`twice.rs` and `twice/mod.rs`"]);
    said.knows(&[("Root", 4)]);
}

#[test]
fn a_cycle_of_modules() {
    let said = hostile("module-cycle")
        .expect(2)
        .says(&["src/right.rs:1", "cycle"]);
    said.knows(&[("Root", 8), ("left::Left", 1), ("left::right::Right", 2)]);
}

#[test]
fn syntax_of_a_newer_rust() {
    let said = hostile("newer-syntax")
        .expect(2)
        .says(&["src/lib.rs:6:9", "src/lib.rs:10:"]);
    said.knows(&[("Before", 2), ("After", 16), ("Last", 24)]);
}

#[test]
fn types_without_end() {
    let said = hostile("recursive").expect(2);
    let said = said.says(&["src/lib.rs:3:12", "`Direct` holds itself by value"]);
    said.knows(&[("Fine", 16), ("UsesGrowing", 16)]);
    said.does_not_know(&[
        "Direct",
        "Left",
        "Right",
        "ThroughGeneric",
        "UsesGrowingByValue",
        "UsesAlias",
        "UsesLoop",
        "UsesTurn",
        "UsesEndless",
        "UsesForever",
    ]);
}

#[test]
fn constants_that_ask_in_every_impl() {
    let said = hostile("constants").expect(0);
    said.knows(&[("a1::Lanes", 8), ("b5::Lanes", 128)]);
    run_in(&fixture("hostile/constants"), &[]).expect(0);
}

#[test]
fn globs_that_open_one_another() {
    let said = hostile("globs").expect(0);
    said.knows(&[("a::Ant", 32), ("h::Hen", 32), ("Last", 32)]);
}

#[test]
fn types_that_are_too_large() {
    let said = hostile("too-large")
        .expect(2)
        .says(&["src/lib.rs:3:12", "too large"]);
    said.knows(&[("Fine", 1), ("Empty", 0), ("Boxed", 8), ("Large", 1 << 46)]);
    let bad = [
        "Huge", "Overflow", "Sum", "Nested", "Negative", "Divided", "Shifted", "Aligned",
    ];
    said.does_not_know(&bad);
}

#[test]
fn a_mark_and_a_shebang_before_a_finding() {
    let text = "\u{feff}#!/usr/bin/env run-cargo-script\n//! é🦀\n\
                pub enum Über { /* 🦀 */ Fat([u64; 32]), Thin(u8), Other(u16) }\n";
    let scratch = Scratch::library("marked", text);
    let said = run_in(scratch.folder(), &["--message-format", "json", "--offline"]).expect(0);
    let findings = said.findings();
    assert_eq!(findings.len(), 1, "{}", said.stdout);
    let spans = findings[0]["message"]["spans"].as_array().expect("spans");
    let primary = spans
        .iter()
        .find(|s| s["is_primary"] == true)
        .expect("a primary span");
    let start = text.find("Fat").expect("it is there");
    assert_eq!(primary["byte_start"], start);
    assert_eq!(primary["byte_end"], start + 3);
    assert_eq!(
        (&primary["line_start"], &primary["column_start"]),
        (&3.into(), &25.into())
    );
    let line = text.lines().nth(2).expect("a third line");
    assert_eq!(primary["text"][0]["text"], line);
    let short = run_in(
        scratch.folder(),
        &["--message-format", "short", "--offline"],
    )
    .expect(0);
    assert!(
        short.stdout.starts_with("src/lib.rs:3:25: "),
        "{}",
        short.stdout
    );
}

#[test]
fn odd_files() {
    let scratch = Scratch::library("odd", "pub mod empty;\npub mod crlf;\npub mod comment;\n")
        .file("src/empty.rs", "")
        .file(
            "src/crlf.rs",
            "pub struct A(\r\n    pub u8,\r\n);\r\n\r\npub struct B(pub u16);\r\n",
        )
        .file(
            "src/comment.rs",
            "/* /* nested */ pub struct No(u8); */ pub struct Yes(pub u64);",
        );
    let said = sizes_in(scratch.folder()).expect(0);
    said.knows(&[("crlf::A", 1), ("crlf::B", 2), ("comment::Yes", 8)]);
    assert_eq!(said.size_of("crlf::B")["line"], 5);
    assert_eq!(said.json().len(), 3);

    let scratch = Scratch::library("odd-end", "pub struct A(pub u8);\n/* never closed");
    let said = sizes_in(scratch.folder()).expect(2).says(&["src/lib.rs:2"]);
    said.knows(&[("A", 1)]);
    let scratch = Scratch::library(
        "odd-string",
        "pub struct A(pub u8);\npub const S: &str = \"x;\n",
    );
    sizes_in(scratch.folder()).expect(2).says(&["src/lib.rs:2"]);
}

#[test]
fn an_unknown_type_to_draw() {
    let folder = fixture("showcase");
    let said = run_in(&folder, &["layout", "Inlin"]).expect(2);
    said.says(&["Inlin", "document::Inline"]);
    run_in(&folder, &["layout", "Option<"])
        .expect(2)
        .says(&["Option<"]);
    let said = run_in(&folder, &["layout", "Nowhere", "Target"]).expect(2);
    assert!(
        said.stdout.contains("Target"),
        "the other one is still drawn: {said:?}"
    );
    run_in(&folder, &["layout"]).expect(2);
}

#[test]
fn a_reader_that_goes_away() {
    let mut command = weigh(&fixture("hprof"));
    command.args(["sizes", "--message-format", "json"]);
    command
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("it ends");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!said.contains("panicked"), "{said}");
    assert!(output.status.code().is_some(), "{:?}", output.status);
}

#[test]
fn an_output_file_that_cannot_be_written() {
    let mut command = weigh(&fixture("hprof"));
    let said = run(command.args(["--output", "no/such/folder/report.txt"])).expect(2);
    let said = said.says(&["no/such/folder/report.txt"]);
    assert!(!said.stderr.contains(".part"), "a name of ours: {said:?}");
}

/// `-` is stdout, for every command with results.
#[test]
fn an_output_file_that_is_stdout() {
    let scratch = Scratch::library("stdout", "pub struct Plain(u8, u32);\n");
    let manifest = scratch.folder().join("Cargo.toml");
    let before = std::fs::read(&manifest).expect("ours");
    for (args, start) in [
        (&["sizes"][..], "  size"),
        (&["layout", "Plain"], "struct Plain"),
        (&["report"], "<!DOCTYPE html>"),
        (&["snapshot"], "{"),
        (&["init"], "[package]"),
        (&["--message-format", "sarif"], "{"),
    ] {
        let mut command = weigh(scratch.folder());
        let said = run(command.args(args).args(["--offline", "--output", "-"])).expect(0);
        assert!(
            said.stdout.trim_start().starts_with(start.trim_start()),
            "{args:?}: {said:?}"
        );
    }
    for name in ["-", "weigh.sizes.json"] {
        assert!(!scratch.folder().join(name).exists(), "{name}");
    }
    assert_eq!(std::fs::read(manifest).expect("ours"), before);
}
