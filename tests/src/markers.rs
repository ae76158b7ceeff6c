//! Markers in fixtures: they state which lint has a finding on a line.
//!
//! `//~` at the end of a line is a finding of the lint that the fixture's directory is named after,
//! `//~ NAME` of another lint or several, whatever its worth. With `also`, it is another field that a
//! finding refers to. These may be followed by `proved TITLE SIZE`: its confidence, a part of its
//! first remedy's title, and the size after that in bytes. A line may have several markers. Comment
//! lines have none.
//!
//! `BLESS=1` in the environment rewrites the markers to the actual findings.

use crate::{Run, pedantic, repository, run, run_in, weigh_as_is};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

/// What a finding is to a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Shown {
    /// It is about the line.
    Plain,
    /// It is about another line, and refers to this one.
    Also,
}

/// A finding: its file relative to the fixture, its line, its lint, and what it is to the line.
pub type Marker = (String, u64, String, Shown);

/// Markers with the confidence, the first remedy's title and the size after that, if stated.
pub type Marks = BTreeMap<Marker, Vec<String>>;

/// Returns the markers of a fixture, except those in its `after`.
pub fn markers(fixture: &Path) -> Marks {
    let own = fixture
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let mut found = Marks::new();
    for path in sources(fixture) {
        if path.starts_with("after/") {
            continue;
        }
        let text = fs::read_to_string(fixture.join(&path)).expect("a source that can be read");
        for (line, number) in text.lines().zip(1..) {
            for (lint, shown, said) in of_line(line, &own) {
                found.insert((path.clone(), number, lint, shown), said);
            }
        }
    }
    found
}

/// Parses the markers of a line.
fn of_line(line: &str, own: &str) -> Vec<(String, Shown, Vec<String>)> {
    let mut parts = line.split("//~");
    let code = parts.next().unwrap_or_default();
    if code.trim_start().starts_with("//") {
        return Vec::new();
    }
    let mut found = Vec::new();
    for marker in parts {
        let marker = marker.split("//").next().unwrap_or_default();
        let (mut names, words): (Vec<&str>, Vec<&str>) = marker
            .split_whitespace()
            .partition(|word| lints().contains(*word));
        if names.is_empty() {
            names.push(own);
        }
        let shown = match words.first() {
            Some(&"also") => Shown::Also,
            _ => Shown::Plain,
        };
        let said = &words[usize::from(shown != Shown::Plain)..];
        let said: Vec<String> = match said.len() {
            3 => said.iter().map(ToString::to_string).collect(),
            _ => Vec::new(),
        };
        found.extend(
            names
                .into_iter()
                .map(|n| (n.to_owned(), shown, said.clone())),
        );
    }
    found
}

/// Rewrites the markers of a fixture to the actual findings; confidence, title and size stay where
/// they still hold.
///
/// # Panics
/// A file cannot be read or written.
pub fn bless(fixture: &Path, found: &Marks) {
    let own = fixture.file_name().unwrap_or_default().to_string_lossy();
    for path in sources(fixture)
        .into_iter()
        .filter(|p| !p.starts_with("after/"))
    {
        let file = fixture.join(&path);
        let text = fs::read_to_string(&file).expect("a source that can be read");
        let mut lines: Vec<String> = Vec::new();
        for (line, number) in text.lines().zip(1..) {
            let here = found
                .iter()
                .filter(|((p, n, ..), _)| *p == path && *n == number);
            let marked = of_line(line, &own);
            let mut markers = String::new();
            for ((_, _, lint, shown), said) in here {
                let before = marked.iter().find(|m| m.0 == *lint && m.2.len() == 3);
                let words = match (before, &said[..]) {
                    (Some((_, _, words)), [confidence, title, size])
                        if title.contains(&words[1]) =>
                    {
                        format!(" {confidence} {} {size}", words[1])
                    }
                    _ => String::new(),
                };
                let name = if *lint == own {
                    String::new()
                } else {
                    format!(" {lint}")
                };
                let when = match shown {
                    Shown::Plain => "",
                    Shown::Also => " also",
                };
                markers.push_str(&format!(" //~{name}{when}{words}"));
            }
            let code = line.split("//~").next().unwrap_or_default().trim_end();
            let comment = line.trim_start().starts_with("//");
            lines.push(match comment || markers.is_empty() && marked.is_empty() {
                true => line.to_owned(),
                false => format!("{code}{markers}"),
            });
        }
        let blessed = lines.join("\n") + "\n";
        if blessed != text {
            fs::write(&file, blessed).expect("a source that can be written");
        }
    }
}

/// Returns the names of all lints.
fn lints() -> &'static BTreeSet<String> {
    static NAMES: LazyLock<BTreeSet<String>> = LazyLock::new(|| {
        let table = run_in(repository(), &["lints"]).expect(0).stdout;
        let first = |line: &str| line.split_whitespace().next().map(str::to_owned);
        table.lines().filter_map(first).collect()
    });
    &NAMES
}

/// Returns the findings in all packages of a fixture, whatever their worth. What is above the bar is
/// among them.
///
/// # Panics
/// The program fails.
pub fn findings(fixture: &Path) -> Marks {
    let args = [
        "--workspace",
        "--message-format",
        "json",
        "-W",
        "weigh::nursery",
    ];
    let plain = places(&run_in(fixture, &args).expect(0));
    let more = places(&pedantic(fixture));
    let lost = plain.keys().find(|place| !more.contains_key(place));
    assert_eq!(lost, None, "a level takes it away");
    more
}

/// Returns the findings in all packages of a fixture at default levels.
///
/// # Panics
/// The program fails.
pub fn warnings(fixture: &Path) -> Marks {
    let args = ["--workspace", "--message-format", "json"];
    places(&run(weigh_as_is(fixture).args(args)).expect(0))
}

fn places(run: &Run) -> Marks {
    let mut found = Marks::new();
    for finding in run.findings() {
        let weigh = &finding["weigh"];
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let spans = finding["message"]["spans"].as_array().into_iter().flatten();
        for span in spans {
            let shown = match span["is_primary"] == true {
                true => Shown::Plain,
                false if text(&span["label"]).contains("could be") => Shown::Also,
                false => continue,
            };
            // What a story shares with the tree after it is marked there.
            if Path::new(&text(&span["file_name"])).is_absolute() {
                continue;
            }
            let line = span["line_start"].as_u64().unwrap_or_default();
            let place = (text(&span["file_name"]), line, text(&weigh["lint"]), shown);
            let said = vec![
                text(&weigh["confidence"]),
                text(&weigh["remedies"][0]["title"]),
                weigh["size_after"].to_string(),
            ];
            let before = found.insert(place.clone(), said);
            assert!(before.is_none(), "said twice: {place:?}");
        }
    }
    found
}

/// Lists the differences between markers and findings.
pub fn differences(marked: &Marks, found: &Marks) -> Vec<String> {
    let mut wrong = Vec::new();
    for (place, mark) in marked {
        let Some(said) = found.get(place) else {
            wrong.push(format!("{place:?} is not found"));
            continue;
        };
        let (Ok([confidence, title, size]), Ok(said)) = (
            <&[String; 3]>::try_from(&mark[..]),
            <&[String; 3]>::try_from(&said[..]),
        ) else {
            continue;
        };
        if *confidence != said[0] || !said[1].contains(title) || *size != said[2] {
            wrong.push(format!("{place:?}: {mark:?} is marked, {said:?} found"));
        }
    }
    let more = found.keys().filter(|place| !marked.contains_key(place));
    wrong.extend(more.map(|place| format!("{place:?} is not marked")));
    wrong
}

/// Lists the Rust files below a directory except `target`, by relative path with `/`.
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
