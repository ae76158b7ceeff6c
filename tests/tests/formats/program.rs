//! The built program with each format: where it writes, its other messages, its exit status.

use super::read::{self, Found, Reader};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use weigh_tests::project::Scratch;
use weigh_tests::{Run, fixture, run, run_in, weigh};

const LIB: &str = "//! é🦀\r\npub mod plain;\r\n\r\n\tpub enum Über { /* é🦀 */ Wide([u64; 32]), Tiny(u8), Small(u16) }\r\n";
const PLAIN: &str =
    "pub enum Other {\n    Title(String, [u8; 228]),\n    Number(u32),\n    Flag(bool),\n}\n";

/// Creates a package below a repository's root, in a directory with a space and non-ASCII name.
fn repository(name: &str) -> (Scratch, PathBuf) {
    let manifest =
        "[package]\nname = \"demo\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[workspace]\n";
    let scratch = Scratch::empty(name)
        .file(".git/HEAD", "")
        .file("crates/dé mo/Cargo.toml", manifest)
        .file("crates/dé mo/src/lib.rs", LIB)
        .file("crates/dé mo/src/plain.rs", PLAIN);
    let folder = scratch.folder().join("crates/dé mo");
    (scratch, folder)
}

/// A single lint, so that new lints do not change the findings.
const ONE: [&str; 5] = ["--offline", "-A", "all", "-W", "oversized_variant"];

fn in_format(folder: &Path, format: &str) -> Run {
    run(weigh(folder).args(ONE).args(["--message-format", format]))
}

#[test]
fn the_program_finds_the_same_in_every_format() {
    let (_scratch, folder) = repository("program-same");
    let root = "crates/dé mo/";
    let formats: [(&str, Reader, &str); 6] = [
        ("human", read::human, root),
        ("short", read::short, root),
        ("json", read::json, root),
        ("sarif", read::sarif, ""),
        ("github", read::github, ""),
        ("gitlab", read::gitlab, ""),
    ];
    let mut all = Vec::new();
    for (format, read, root) in formats {
        let said = in_format(&folder, format).expect(0);
        if format != "json" {
            assert!(said.stderr.contains("Weighed"), "{format}: {}", said.stderr);
        }
        let found = read(&said.stdout).into_iter().map(|f| Found {
            path: format!("{root}{}", f.path),
            ..f
        });
        all.push(found.collect::<BTreeSet<_>>());
        // The same bytes in a file, replaced as a whole.
        let file = folder.join(format!("report.{format}"));
        fs::write(&file, "old").expect("the folder is ours");
        let mut command = weigh(&folder);
        command.args(ONE);
        command.args(["--message-format", format, "--output"]);
        let silent = run(command.arg(&file)).expect(0);
        assert_eq!(silent.stdout, "");
        assert_eq!(fs::read_to_string(&file).expect("a report"), said.stdout);
    }
    assert_eq!(all[0].len(), 2, "{all:?}");
    assert!(all.iter().all(|found| *found == all[0]), "{all:#?}");
    let left = fs::read_dir(&folder).expect("the folder is ours");
    let names = left.map(|entry| entry.expect("it can be listed").file_name());
    let parts = names.filter(|n| n.to_string_lossy().starts_with(".weigh-"));
    assert_eq!(parts.count(), 0, "no part of a file stays behind");
}

#[test]
fn sarif_tells_of_what_could_not_be_read() {
    let (scratch, folder) = repository("program-broken");
    let _scratch = scratch.file("crates/dé mo/src/plain.rs", "pub struct Broken {{\n");
    let said = in_format(&folder, "sarif").expect(2);
    assert_eq!(super::faults_of_sarif(&said.stdout), Vec::<String>::new());
    let log: Value = serde_json::from_str(&said.stdout).expect("SARIF is JSON");
    let invocation = &log["runs"][0]["invocations"][0];
    assert_eq!(invocation["executionSuccessful"], false);
    let notes = invocation["toolExecutionNotifications"].to_string();
    assert!(
        notes.contains("crates/d%C3%A9%20mo/src/plain.rs"),
        "{notes}"
    );
    assert_eq!(read::sarif(&said.stdout).len(), 1, "the rest is analysed");
    let said = in_format(&folder, "github").expect(2);
    let commands = read::commands(&said.stdout);
    assert_eq!(commands[0].kind, "error");
    assert_eq!(commands[0].file, "crates/dé mo/src/plain.rs");
}

#[test]
fn a_job_gets_its_table() {
    let (scratch, folder) = repository("program-job");
    let page = scratch.folder().join("summary.md");
    fs::write(&page, "# Of another tool\n").expect("the folder is ours");
    let said = run(weigh(&folder)
        .args(ONE)
        .args(["--message-format", "github", "-D", "warnings"])
        .env("GITHUB_STEP_SUMMARY", &page))
    .expect(1);
    assert_eq!(read::commands(&said.stdout).len(), 2);
    let text = fs::read_to_string(&page).expect("a page");
    assert!(
        text.starts_with("# Of another tool\n### cargo weigh: 2 errors\n"),
        "{text}"
    );
    assert!(text.contains("`crates/dé mo/src/plain.rs:2:5`"), "{text}");
}

#[test]
fn only_findings_have_these_formats() {
    let (_scratch, folder) = repository("program-sizes");
    for format in ["sarif", "github", "gitlab"] {
        let said = run_in(&folder, &["sizes", "--message-format", format]).expect(2);
        assert!(
            said.stdout.is_empty() && said.stderr.contains("findings"),
            "{said:?}"
        );
        run_in(&folder, &["--message-format", &format!("json,{format}")]).expect(2);
    }
}

#[test]
fn an_empty_report_is_one() {
    let scratch = Scratch::library("program-empty", "pub struct Small(u8);\n");
    let said = in_format(scratch.folder(), "sarif").expect(0);
    assert_eq!(super::faults_of_sarif(&said.stdout), Vec::<String>::new());
    assert_eq!(
        in_format(scratch.folder(), "gitlab").expect(0).stdout,
        "[]\n"
    );
    assert_eq!(in_format(scratch.folder(), "github").expect(0).stdout, "");
}

/// GitHub shows ten of a kind: they are the most valuable, wherever they stand.
#[test]
fn annotations_are_the_most_valuable() {
    let folder = fixture("oversized_variant");
    let all = ["-W", "pedantic", "--message-format"];
    let mut findings = run_in(&folder, &[&all[..], &["json"]].concat())
        .expect(0)
        .findings();
    findings.sort_by_key(|f| f["weigh"]["rank"].as_u64());
    let name = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
    let place = |f: &Value| {
        let span = &f["message"]["spans"][0];
        let line = span["line_start"].as_u64().unwrap_or_default();
        (
            name(span["file_name"].as_str().unwrap_or_default()),
            line as usize,
        )
    };
    let best: Vec<_> = findings.iter().take(10).map(place).collect();
    assert!(
        !best.is_sorted(),
        "the most valuable are not the first by path"
    );
    let said = run_in(&folder, &[&all[..], &["github"]].concat()).expect(0);
    let shown = read::commands(&said.stdout).into_iter();
    let shown = shown.filter(|c| c.kind == "warning");
    let shown: Vec<_> = shown.map(|c| (name(&c.file), c.line)).collect();
    assert_eq!(shown, best);
}
