//! The text of the lints' messages: each kind once, in one file per lint, and all in rustc's style.
//! `BLESS=1` writes the files.

use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use weigh_tests::markers::markers;
use weigh_tests::{pedantic, repository, run_in};

/// Maximum length in characters of a message's first line.
const LONGEST: usize = 100;

/// Maximum width in columns of notes below a snippet.
const COLUMNS: usize = 80;

/// Returns the fixtures that have findings.
fn fixtures() -> Vec<PathBuf> {
    let entries = fs::read_dir(repository().join("fixtures")).expect("a folder that can be read");
    let folders = entries.map(|entry| entry.expect("an entry of a folder").path());
    let marked = |f: &PathBuf| {
        ["budgets", "config", "counted"]
            .iter()
            .any(|n| f.ends_with(n))
            || !markers(f).is_empty()
    };
    let mut folders: Vec<PathBuf> = folders
        .filter(|f| f.join("Cargo.toml").is_file() && marked(f))
        .collect();
    folders.sort();
    folders
}

/// A rendered finding.
struct Shown {
    lint: String,
    message: String,
    /// Directory, file and line, as sort key.
    at: (String, String, u64),
    text: String,
}

fn shown(folder: &Path) -> Vec<Shown> {
    let findings = found(folder);
    let texts = findings
        .iter()
        .filter_map(|finding| finding["message"]["rendered"].as_str());
    texts
        .map(|text| one(folder, &text.lines().collect::<Vec<_>>()))
        .collect()
}

fn one(folder: &Path, block: &[&str]) -> Shown {
    let (head, message) = block[0].split_once("]: ").expect("a message");
    let place = block[1].split_once("─ ").expect("a place").1;
    let mut parts = place.rsplitn(3, ':').skip(1);
    let line = parts.next().and_then(|n| n.parse().ok());
    // A run's first finding ends with a hint on suppression.
    let until = |line: &&&str| !line.contains("= to suppress it: ");
    let lines = block.iter().take_while(until);
    let lines: Vec<_> = lines.map(|l| l.split(" //~").next().unwrap_or(l)).collect();
    let folder = folder.file_name().unwrap_or_default().to_string_lossy();
    Shown {
        lint: head.split_once("::").expect("a lint").1.to_owned(),
        message: message.to_owned(),
        at: (
            folder.into_owned(),
            parts.next().unwrap_or_default().to_owned(),
            line.expect("a line"),
        ),
        text: lines.join("\n").trim_end().to_owned(),
    }
}

/// Strips the parts of a message that vary between findings.
fn shape(message: &str) -> String {
    let code = |(i, part): (usize, &str)| if i % 2 == 1 { "_" } else { part }.to_owned();
    let words: String = message.split('`').enumerate().map(code).collect();
    words.chars().filter(|c| !c.is_ascii_digit()).collect()
}

#[test]
fn every_message_is_shown_once() {
    let mut all: Vec<Shown> = fixtures().iter().flat_map(|f| shown(f)).collect();
    // Messages with census data come last.
    all.sort_by_key(|one| (one.at.0 == "counted", one.at.clone()));
    let mut files: BTreeMap<String, BTreeMap<String, &Shown>> = BTreeMap::new();
    for one in &all {
        let shapes = files.entry(one.lint.clone()).or_default();
        shapes.entry(shape(&one.message)).or_insert(one);
    }
    let folder = repository().join("tests/tests/messages");
    let bless = std::env::var_os("BLESS").is_some();
    for (lint, shapes) in &files {
        let texts: Vec<_> = shapes.values().map(|s| format!("{}\n", s.text)).collect();
        let text = texts.join("\n");
        let file = folder.join(format!("{lint}.txt"));
        if bless {
            fs::create_dir_all(&folder).expect("a folder that can be made");
            fs::write(&file, &text).expect("a file that can be written");
        }
        let before = fs::read_to_string(&file).unwrap_or_default();
        let how = "BLESS=1 cargo test -p weigh-tests messages::";
        assert_eq!(before, text, "{}: run {how}", file.display());
    }
    let mut wide = Vec::new();
    for one in &all {
        let notes = one
            .text
            .lines()
            .skip_while(|l| !l.trim_start().starts_with("= "));
        // A path cannot be wrapped.
        let long = notes.filter(|l| l.chars().count() > COLUMNS && !l.contains(".rs:"));
        wide.extend(long.map(|l| format!("{}: {l}", one.lint)));
    }
    assert!(wide.is_empty(), "\n{}", wide.join("\n"));
    assert!(files.len() > 12, "only {:?}", files.keys());
}

/// Returns the findings of a fixture; most are shared with other tests.
fn found(folder: &Path) -> Vec<Value> {
    let census = folder.join("census.json").is_file();
    if !census && !markers(folder).is_empty() {
        return pedantic(folder).findings();
    }
    let mut args = vec!["--workspace", "-W", "pedantic", "--message-format", "json"];
    if census {
        args.extend(["--census", "census.json"]);
    }
    run_in(folder, &args).findings()
}

#[test]
fn messages_are_in_the_style_of_rustc() {
    let mut wrong = Vec::new();
    let mut count = 0;
    for folder in fixtures() {
        for finding in found(&folder) {
            let message = &finding["message"];
            let text = |value: &Value| value.as_str().map(str::to_owned);
            let first = text(&message["message"]).unwrap_or_default();
            if first.chars().count() > LONGEST {
                wrong.push(format!("{} characters: {first}", first.chars().count()));
            }
            let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
            let labels = list(&message["spans"]);
            let children = list(&message["children"]);
            let remedies = list(&finding["weigh"]["remedies"]);
            let said = labels.iter().filter_map(|s| text(&s["label"]));
            let said = said.chain(children.iter().filter_map(|c| text(&c["message"])));
            let said = said.chain(remedies.iter().filter_map(|r| text(&r["title"])));
            for line in said.chain([first]) {
                count += 1;
                let upper = line.starts_with(|c: char| c.is_uppercase());
                if upper || line.ends_with('.') || line.is_empty() {
                    wrong.push(format!("style: {line:?}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    assert!(count > 1000, "only {count} texts");
}
