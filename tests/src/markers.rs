//! Markers in fixtures: which lines are findings of which lints.
//!
//! `//~` at the end of a line is a finding of the lint that the fixture's folder is named after,
//! `//~ NAME` one of another lint; several may be named. With `pedantic` or `possible`, or as `//?`, it shows in
//! the pedantic group only. Other words are for the tests of that lint alone. Lines that are
//! comments themselves have no markers.

use crate::{Run, repository, run_in};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

/// A finding: its file below the fixture, its line, its lint, and whether only the pedantic group
/// shows it.
pub type Marker = (String, u64, String, bool);

/// The markers of a fixture.
pub fn markers(fixture: &Path) -> BTreeSet<Marker> {
    let own = fixture
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let mut found = BTreeSet::new();
    for path in sources(fixture) {
        let text = fs::read_to_string(fixture.join(&path)).expect("a source that can be read");
        for (line, number) in text.lines().zip(1..) {
            if line.trim_start().starts_with("//") {
                continue;
            }
            for (sign, pedantic) in [("//~", false), ("//?", true)] {
                let Some((_, marker)) = line.split_once(sign) else {
                    continue;
                };
                let marker = marker.split("//").next().unwrap_or_default();
                let words: Vec<&str> = marker.split_whitespace().collect();
                let pedantic =
                    pedantic || words.contains(&"pedantic") || words.contains(&"possible");
                let mut lints: Vec<_> =
                    words.into_iter().filter(|w| lints().contains(*w)).collect();
                if lints.is_empty() {
                    lints.push(&own);
                }
                let one = |lint: &str| (path.clone(), number, lint.to_owned(), pedantic);
                found.extend(lints.into_iter().map(one));
            }
        }
    }
    found
}

/// The names of all lints.
fn lints() -> &'static BTreeSet<String> {
    static NAMES: LazyLock<BTreeSet<String>> = LazyLock::new(|| {
        let table = run_in(repository(), &["lints"]).expect(0).stdout;
        let first = |line: &str| line.split_whitespace().next().map(str::to_owned);
        table.lines().filter_map(first).collect()
    });
    &NAMES
}

/// What the program finds in all packages of a fixture.
///
/// # Panics
/// It does not end well.
pub fn findings(fixture: &Path) -> BTreeSet<Marker> {
    let args = ["--workspace", "--message-format", "json"];
    let plain = places(&run_in(fixture, &args).expect(0));
    let more = run_in(fixture, &[&args[..], &["-W", "weigh::pedantic"]].concat()).expect(0);
    let more = places(&more);
    assert!(plain.is_subset(&more), "a level takes findings away");
    let pedantic = |place: (String, u64, String)| {
        let pedantic = !plain.contains(&place);
        (place.0, place.1, place.2, pedantic)
    };
    more.iter().cloned().map(pedantic).collect()
}

fn places(said: &Run) -> BTreeSet<(String, u64, String)> {
    let mut found = BTreeSet::new();
    for finding in said.findings() {
        let spans = finding["message"]["spans"].as_array().into_iter().flatten();
        for span in spans.filter(|s| s["is_primary"] == true) {
            let file = span["file_name"].as_str().unwrap_or_default();
            let lint = finding["weigh"]["lint"].as_str().unwrap_or_default();
            let line = span["line_start"].as_u64().unwrap_or_default();
            let new = found.insert((file.to_owned(), line, lint.to_owned()));
            assert!(new, "said twice: {file}:{line} {lint}");
        }
    }
    found
}

/// The Rust files below a folder, by their paths in it with `/`, but for what was built there.
pub fn sources(folder: &Path) -> Vec<String> {
    let mut list = Vec::new();
    let mut entries: Vec<_> = fs::read_dir(folder)
        .expect("a folder that can be read")
        .map(|entry| entry.expect("an entry of a folder").path())
        .collect();
    entries.sort();
    for path in entries {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if path.is_dir() && name != "target" {
            let below = sources(&path).into_iter();
            list.extend(below.map(|file| format!("{name}/{file}")));
        } else if path.extension().is_some_and(|e| e == "rs") {
            list.push(name.into_owned());
        }
    }
    list
}
