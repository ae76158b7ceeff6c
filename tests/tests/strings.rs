//! Short strings and small vectors: the stories' findings, and whether the remedies save what they
//! promise.

use std::path::Path;
use weigh_tests::{cargo, few, fixture, run, run_in, workbench};

const LINTS: [&str; 2] = ["small_string", "small_vec"];

#[test]
fn the_holder_is_sized_with_each_type() {
    let said = run_in(&fixture("ratatui"), &["--color", "never"]).expect(0);
    for words in [
        "bytes of `Cell` with each type",
        "String         40",
        "CompactString  40",
        "EcoString      32",
        "src/buffer.rs:12:9",
        "`Cell::symbol` is set to a grapheme",
    ] {
        assert!(
            said.stdout.contains(words),
            "no `{words}`:\n{}",
            said.stdout
        );
    }
}

#[test]
fn headline_and_label_speak_of_the_same_block() {
    let said = run_in(
        &fixture("small_string"),
        &["-W", "pedantic", "--message-format", "json"],
    );
    let block = |text: &str| {
        let (_, after) = text.split_once("a block of ")?;
        after.split(' ').next().map(str::to_owned)
    };
    let mut blocks = Vec::new();
    for finding in said.expect(0).findings() {
        let message = &finding["message"];
        let label = message["spans"][0]["label"].as_str().and_then(block);
        let headline = message["message"].as_str().and_then(block);
        if finding["weigh"]["lint"] == "small_string" && headline.is_some() && label.is_some() {
            assert_eq!(headline, label, "{finding}");
            blocks.extend(label);
        }
    }
    // Not every block has the smallest size.
    blocks.sort_unstable();
    blocks.dedup();
    assert!(blocks.len() > 1, "{blocks:?}");
}

/// Returns the size of a value in bytes and the allocations that the fixture measures.
fn measured(folder: &Path) -> (u64, u64) {
    let mut command = cargo();
    command
        .current_dir(folder)
        .args(["run", "--quiet", "--target-dir"])
        .arg(workbench("measured"));
    let said = run(&mut command).expect(0);
    let mut numbers = said
        .stdout
        .split_whitespace()
        .map(|n| n.parse().expect("a number"));
    (
        numbers.next().expect("a size"),
        numbers.next().expect("a count"),
    )
}

#[test]
fn the_remedies_save_what_they_promise() {
    for &name in few(&["sumatra", "ratatui", "small_vec"], 1) {
        let folder = fixture(name);
        let said = run_in(&folder, &["-W", "pedantic", "--message-format", "json"]).expect(0);
        let findings = said.findings();
        let finding = findings.iter().map(|f| &f["weigh"]);
        let mut finding = finding.filter(|w| LINTS.contains(&w["lint"].as_str().unwrap_or("")));
        let finding = finding.next().expect("something is found");
        let (before, many) = measured(&folder);
        let (after, rest) = measured(&folder.join("after"));
        if !finding["size_before"].is_null() {
            assert_eq!(finding["size_before"], before, "{name}");
            assert_eq!(finding["size_after"], after, "{name}");
        }
        assert!(rest * 10 < many, "{name}: {many} allocations, then {rest}");
    }
}
