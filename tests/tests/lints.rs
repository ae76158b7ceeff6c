//! Every lint over every fixture: what is marked is found, and nothing else.

use std::fs;
use weigh_tests::markers::{findings, markers};
use weigh_tests::{repository, run_in};

/// In the fixtures of other lints only these are held against the markers.
const LAYOUT: &[&str] = &[
    "large_err",
    "large_move",
    "missed_niche",
    "oversized_variant",
];

#[test]
fn what_is_marked_is_found_and_nothing_else() {
    let mut wrong = Vec::new();
    let mut marked = 0;
    for entry in fs::read_dir(repository().join("fixtures")).expect("a folder that can be read") {
        let folder = entry.expect("an entry of a folder").path();
        let mut wanted = match folder.join("Cargo.toml").is_file() {
            true => markers(&folder),
            false => continue,
        };
        if wanted.is_empty() {
            continue;
        }
        let mut found = findings(&folder);
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        if !LAYOUT.contains(&&*name) {
            wanted.retain(|(.., lint, _)| LAYOUT.contains(&lint.as_str()));
            found.retain(|(.., lint, _)| LAYOUT.contains(&lint.as_str()));
        }
        marked += wanted.len();
        let say = |(file, line, lint, pedantic): &_, what: &str| {
            let group = if *pedantic { " (pedantic)" } else { "" };
            format!("fixtures/{name}/{file}:{line}: {lint}{group} {what}")
        };
        wrong.extend(wanted.difference(&found).map(|m| say(m, "is not found")));
        wrong.extend(found.difference(&wanted).map(|m| say(m, "is not marked")));
    }
    wrong.sort();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    assert!(marked > 30, "only {marked} markers were read");
}

/// A lint that has a fixture is silent about it when it is allowed, and only about that.
#[test]
fn a_lint_that_is_allowed_is_silent() {
    for lint in ["oversized_variant", "large_err"] {
        let folder = weigh_tests::fixture(lint);
        let args = ["--workspace", "--message-format", "json"];
        let spoken = |args: &[&str]| {
            let found = run_in(&folder, args).expect(0).findings();
            found.iter().filter(|f| f["weigh"]["lint"] == lint).count()
        };
        assert!(spoken(&args) > 0);
        assert_eq!(spoken(&[&args[..], &["-A", lint]].concat()), 0);
    }
}
