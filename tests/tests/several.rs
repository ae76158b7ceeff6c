//! Several targets in one run: sizes per target, findings once.

use serde_json::Value;
use std::fs;
use weigh_tests::project::Scratch;
use weigh_tests::{Run, run_in};

const LINUX: &str = "x86_64-unknown-linux-gnu";
const SMALL: &str = "i686-unknown-linux-gnu";
const WINDOWS: &str = "x86_64-pc-windows-msvc";
const TWO: [&str; 4] = ["--target", LINUX, "--target", SMALL];
const THREE: [&str; 6] = ["--target", LINUX, "--target", SMALL, "--target", WINDOWS];

/// Creates a package where `Wide` is larger on Windows only, `Pair` on 64-bit targets.
fn package(name: &str) -> Scratch {
    Scratch::empty(name)
        .file(
            "Cargo.toml",
            "[package]\nname = \"several\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n\
             [package.metadata.weigh]\nbudgets = { \"Wide\" = 16, \"Pair\" = 8, \"Bytes\" = 3 }\n\n\
             [workspace]\n",
        )
        .file(
            "src/lib.rs",
            "pub struct Wide { pub at: usize, #[cfg(windows)] pub handle: [u64; 4] }\n\
             pub struct Pair(pub usize, pub usize);\n\
             pub struct Bytes(pub [u8; 4]);\n\
             #[cfg(windows)]\npub struct Alone(pub u8);\n",
        )
}

fn call(scratch: &Scratch, words: &[&str], targets: &[&str]) -> Run {
    run_in(scratch.folder(), &[words, targets].concat())
}

fn json(text: &str) -> Vec<Value> {
    text.lines()
        .map(|line| serde_json::from_str(line).expect("a line of JSON"))
        .collect()
}

#[test]
fn each_size_has_its_target() {
    let scratch = package("several-sizes");
    let said = call(&scratch, &["sizes", "--message-format", "json"], &THREE).expect(0);
    let lines = json(&said.stdout);
    let size = |path: &str, triple: &str| {
        let mut of = lines
            .iter()
            .filter(|l| l["path"] == path && l["triple"] == triple);
        let found = of.next().map(|l| l["size"].as_u64().expect("a size"));
        assert!(of.next().is_none(), "{path} twice on {triple}");
        found
    };
    let sizes = |path: &str| [LINUX, SMALL, WINDOWS].map(|triple| size(path, triple));
    assert_eq!(sizes("Wide"), [Some(8), Some(4), Some(40)]);
    assert_eq!(sizes("Pair"), [Some(16), Some(8), Some(16)]);
    assert_eq!(sizes("Alone"), [None, None, Some(1)]);
    let text = call(&scratch, &["sizes"], &THREE).expect(0).stdout;
    for triple in [LINUX, SMALL, WINDOWS] {
        assert!(text.contains(&format!("{triple}:\n")), "{text}");
    }
}

#[test]
fn a_finding_is_said_once_with_its_targets() {
    let scratch = package("several-findings");
    let said = call(&scratch, &["--message-format", "json"], &THREE).expect(1);
    let lines = json(&said.stdout);
    let findings: Vec<&Value> = lines.iter().filter(|l| l["weigh"].is_object()).collect();
    let of = |ty: &str| {
        let mut of = findings.iter().filter(|f| f["weigh"]["type"] == ty);
        let found = of.next().unwrap_or_else(|| panic!("no finding of {ty}"));
        assert!(of.next().is_none(), "{ty} twice");
        let message = found["message"]["message"].as_str().expect("a message");
        (&found["weigh"], message)
    };
    let (wide, message) = of("Wide");
    assert_eq!(wide["triples"], serde_json::json!([WINDOWS]));
    assert_eq!(wide["triple"], WINDOWS);
    assert_eq!(wide["size_before"], 40);
    assert!(
        message.ends_with(&format!("(only on `{WINDOWS}`)")),
        "{message}"
    );
    let (pair, message) = of("Pair");
    assert_eq!(pair["triples"], serde_json::json!([LINUX, WINDOWS]));
    assert!(
        message.ends_with(&format!("(on `{LINUX}` and `{WINDOWS}`)")),
        "{message}"
    );
    let (bytes, message) = of("Bytes");
    assert_eq!(bytes["triples"], serde_json::json!([LINUX, SMALL, WINDOWS]));
    assert!(!message.contains("on `"), "{message}");
    let mut ranks: Vec<u64> = findings
        .iter()
        .map(|f| f["weigh"]["rank"].as_u64().expect("a rank"))
        .collect();
    ranks.sort_unstable();
    assert_eq!(ranks, [1, 2, 3]);
    // With one target, findings do not name it.
    let one = call(
        &scratch,
        &["--message-format", "json"],
        &["--target", LINUX],
    )
    .expect(1);
    assert!(!one.stdout.contains("\"triples\"") && !one.stdout.contains("only on"));
}

#[test]
fn a_baseline_knows_for_which_targets() {
    let scratch = package("several-baseline");
    call(&scratch, &["--write-baseline"], &THREE).expect(0);
    let text = fs::read_to_string(scratch.folder().join("weigh.baseline.json")).expect("a file");
    assert!(
        text.contains(&format!("\"triples\":[\"{WINDOWS}\"]")),
        "{text}"
    );
    let again = call(&scratch, &["-D", "warnings"], &THREE).expect(0);
    assert!(!again.stderr.contains("stale"), "{}", again.stderr);
    // A Windows-only entry is not stale in a run without Windows.
    let linux = call(&scratch, &["-D", "warnings"], &["--target", LINUX]).expect(0);
    assert!(!linux.stderr.contains("stale"), "{}", linux.stderr);
    // An old file has no targets, and applies to all; rewriting adds them.
    let old = text
        .replace(&format!(",\"triples\":[\"{WINDOWS}\"]"), "")
        .replace(&format!(",\"triples\":[\"{LINUX}\",\"{WINDOWS}\"]"), "");
    let scratch = scratch.file("weigh.baseline.json", &old);
    call(&scratch, &["-D", "warnings"], &THREE).expect(0);
    call(&scratch, &["--write-baseline"], &THREE).expect(0);
    let new = fs::read_to_string(scratch.folder().join("weigh.baseline.json")).expect("a file");
    assert_eq!(new, text);
}

#[test]
fn snapshots_are_kept_by_target() {
    let scratch = package("several-snapshot");
    let file = scratch.folder().join("weigh.sizes.json");
    // The file format for one target is unchanged.
    call(&scratch, &["snapshot"], &["--target", LINUX]).expect(0);
    let one = fs::read_to_string(&file).expect("a snapshot");
    assert!(one.contains(&format!("\"target\": \"{LINUX}\"")) && !one.contains("\"triple\""));
    let said = call(&scratch, &["diff", "weigh.sizes.json"], &TWO).expect(0);
    assert!(said.stderr.contains(&format!("has no sizes for {SMALL}")));
    assert!(said.stdout.contains("no size changed"), "{}", said.stdout);

    call(&scratch, &["snapshot"], &TWO).expect(0);
    let two = fs::read_to_string(&file).expect("a snapshot");
    assert!(two.contains(&format!("\"targets\": [\"{LINUX}\", \"{SMALL}\"]")));
    let grown = fs::read_to_string(scratch.folder().join("src/lib.rs"))
        .expect("a source")
        .replace(
            "pub at: usize,",
            "pub at: usize, #[cfg(target_pointer_width = \"32\")] pub more: u64,",
        )
        .replace("[u8; 4]", "[u8; 6]");
    let scratch = scratch.file("src/lib.rs", &grown);
    let said = call(&scratch, &["diff", "weigh.sizes.json"], &TWO).expect(0);
    let wide = said.stdout.lines().find(|l| l.contains(" Wide"));
    let wide = wide.unwrap_or_else(|| panic!("{}", said.stdout));
    assert!(wide.ends_with(&format!("(on {SMALL})")), "{wide}");
    let bytes: Vec<&str> = said
        .stdout
        .lines()
        .filter(|l| l.ends_with(" Bytes"))
        .collect();
    assert_eq!(bytes.len(), 1, "{}", said.stdout);
    let words = ["diff", "weigh.sizes.json", "--message-format", "json"];
    let lines = json(&call(&scratch, &words, &TWO).expect(0).stdout);
    let changed = |path: &str| {
        let of = lines.iter().filter(|l| l["path"] == path);
        of.map(|l| l["triple"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(changed("Wide"), [SMALL]);
    assert_eq!(changed("Bytes").len(), 2);
    call(
        &scratch,
        &["diff", "weigh.sizes.json"],
        &["--target", WINDOWS],
    )
    .expect(2);
}
