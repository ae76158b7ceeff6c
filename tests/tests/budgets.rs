//! Checks `over_budget` against the compiler: both read the same `#[assert_size]` attributes.

use std::collections::BTreeSet;
use weigh_tests::{cargo, fixture, run, weigh, workbench};

/// The text after ``size of `X` is`` in the compiler's errors and in our findings.
type Verdicts = BTreeSet<(String, String)>;

fn compiler(features: &[&str]) -> (i32, Verdicts) {
    let mut command = cargo();
    command
        .current_dir(fixture("budgets"))
        .args(["check", "--quiet", "--target-dir"])
        .arg(workbench("budgets"));
    let said = run(command.args(features));
    let sizes = said.stderr.match_indices("size of `").map(|(at, start)| {
        let rest = &said.stderr[at + start.len()..];
        let line = rest.lines().next().unwrap_or_default();
        let line = line.split(';').next().unwrap_or_default();
        let (name, verdict) = line.split_once("` is ").expect("a name and a size");
        (name.replace(' ', ""), verdict.trim().to_owned())
    });
    (said.code, sizes.collect())
}

fn linter(features: &[&str]) -> (i32, Verdicts) {
    let mut command = weigh(&fixture("budgets"));
    command
        .args(["--message-format", "json", "--target-dir"])
        .arg(workbench("budgets"));
    let said = run(command.args(features));
    let findings = said.findings().into_iter();
    let ours = findings.filter(|f| f["weigh"]["lint"] == "over_budget");
    let verdicts = ours.map(|finding| {
        let message = finding["message"]["message"].as_str().expect("a message");
        let (name, verdict) = message.split_once("` is ").expect("a name and a size");
        (
            name.trim_start_matches('`').replace(' ', ""),
            verdict.to_owned(),
        )
    });
    (said.code, verdicts.collect())
}

#[test]
fn limits_that_hold_are_silent() {
    assert_eq!(compiler(&[]), (0, Verdicts::new()));
    assert_eq!(linter(&[]), (0, Verdicts::new()));
}

#[test]
fn the_attribute_is_written_for_a_type() {
    let mut command = weigh(&fixture("budgets"));
    command.args(["sizes", "--assert", "inside::Entry", "--assert", "Line"]);
    command.arg("--target-dir").arg(workbench("budgets"));
    let said = run(&mut command).expect(0);
    assert_eq!(
        said.stdout,
        "#[assert_size(max = 32)]\n#[assert_size(max = 64)]\n"
    );
    let mut command = weigh(&fixture("budgets"));
    command.args(["sizes", "--assert", "Entri", "--target-dir"]);
    command.arg(workbench("budgets"));
    run(&mut command)
        .expect(2)
        .says(&["`Entri`", "inside::Entry"]);
}

#[test]
fn limits_that_fail_are_the_same_with_the_same_numbers() {
    let features = ["--features", "over"];
    let (code, theirs) = compiler(&features);
    assert_ne!(code, 0);
    let (code, ours) = linter(&features);
    assert_eq!(code, 1, "a type over its limit is denied");
    assert_eq!(theirs.len(), 7, "{theirs:?}");
    assert_eq!(ours, theirs);
}

/// Returns the types that the fixture marks as too large: type, size and limit in bytes.
fn marked(module: &str) -> BTreeSet<(String, u64, u64)> {
    let path = fixture("budgets").join("src/asserted.rs");
    let text = std::fs::read_to_string(path).expect("it is there");
    let (_, text) = text
        .split_once(&format!("pub mod {module} "))
        .expect("a module");
    let text = text.split("\n}").next().expect("its end");
    let marks = text.lines().filter_map(|line| line.split_once("//= "));
    let read = |(_, mark): (&str, &str)| {
        let words: Vec<&str> = mark.split(' ').collect();
        let number = |i: usize| words[i].parse().expect("a number");
        (words[0].to_owned(), number(1), number(2))
    };
    marks.map(read).collect()
}

/// Counts rustc's errors for a module in which everything else compiles.
fn refused(feature: &str) -> usize {
    let mut command = cargo();
    command
        .current_dir(fixture("budgets"))
        .args([
            "check",
            "--quiet",
            "--message-format",
            "json",
            "--target-dir",
        ])
        .arg(workbench("budgets"));
    let said = run(command.args(["--features", feature]));
    let errors = said.json().into_iter().filter(|line| {
        let message = &line["message"];
        message["level"] == "error" && message["spans"].as_array().is_some_and(|s| !s.is_empty())
    });
    errors.count()
}

#[test]
fn nameless_constants_are_limits_too() {
    for (feature, module) in [("asserted", "fails"), ("asserted-by-type", "types")] {
        let marked = marked(module);
        let (code, ours) = linter(&["--features", feature]);
        assert_eq!(code, 1);
        let expected: Verdicts = (marked.iter())
            .map(|(name, size, max)| {
                let over = size - max;
                (
                    name.clone(),
                    format!("{size} bytes, {over} over its limit of {max}"),
                )
            })
            .collect();
        assert_eq!(ours, expected);
        assert_eq!(refused(feature), marked.len(), "{feature}");
    }
}
