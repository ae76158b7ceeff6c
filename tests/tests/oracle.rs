//! Checks `cargo weigh sizes` on the crates in `fixtures/oracle` against rustc.

use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use weigh_tests::rustc::{Truth, truth};
use weigh_tests::{fixture, run, weigh, workbench};

type Lines = BTreeMap<String, Vec<Value>>;

fn fixtures() -> Vec<PathBuf> {
    let entries = fs::read_dir(fixture("oracle")).expect("the fixtures are there");
    let folders = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let mut folders: Vec<_> = folders.filter(|f| f.join("Cargo.toml").is_file()).collect();
    folders.sort();
    folders
}

fn sizes(folder: &Path, target: &Path) -> Lines {
    let mut command = weigh(folder);
    command.args(["sizes", "--lib", "--message-format", "json", "--target-dir"]);
    let said = run(command.arg(target)).expect(0);
    let mut lines = Lines::new();
    for line in said.json() {
        let path = line["path"].as_str().expect("a line has a path");
        let path = path.replace("r#", "");
        lines.entry(path).or_default().push(line);
    }
    lines
}

/// Returns what is wrong with the result for one type.
fn judge(truth: &Truth, lines: &Lines, built: bool) -> Result<(), String> {
    let path = truth.path.replace("r#", "");
    let found = lines.get(&path).map(Vec::as_slice).unwrap_or_default();
    match (truth.expect.as_str(), found) {
        ("absent", []) => Ok(()),
        ("absent", _) => Err("is listed, and does not exist".to_owned()),
        // Output of the build script is missing before it runs.
        ("built", []) if !built => Ok(()),
        (_, []) => Err("is not listed".to_owned()),
        (_, [line]) => judge_line(truth, line, built),
        // Mutually exclusive definitions, until the build determines one: every statement must be
        // right.
        (_, lines) if !built => lines
            .iter()
            .try_for_each(|line| judge_line(truth, line, false)),
        (_, lines) => Err(format!("is listed {} times", lines.len())),
    }
}

fn judge_line(truth: &Truth, line: &Value, built: bool) -> Result<(), String> {
    let exact = line["exact"] == true;
    let least = line["min_size"].as_u64().ok_or("has no `min_size`")?;
    if least > truth.size {
        return Err(format!(
            "is {}, and said to be at least {least}",
            truth.size
        ));
    }
    if exact && (line["size"] != truth.size || line["align"] != truth.align) {
        let (size, align) = (truth.size, truth.align);
        return Err(format!("is {size} (align {align}), and said to be {line}"));
    }
    match truth.expect.as_str() {
        "unknown" | "assumed" if exact => Err("is known, against what the fixture says".to_owned()),
        "assumed" if line["assumed_size"] != truth.size => {
            Err(format!("is {}, and not assumed: {line}", truth.size))
        }
        "assumed" if line["assuming"].as_array().is_none_or(Vec::is_empty) => {
            Err("is assumed without a word of what".to_owned())
        }
        _ if exact && !line["assumed_size"].is_null() => Err("is exact and assumed".to_owned()),
        "known" if !exact => Err(format!("is unknown: {}", line["reason"])),
        "built" if built && !exact => Err(format!("is unknown: {}", line["reason"])),
        _ if !exact && line["reason"].as_str().is_none_or(str::is_empty) => {
            Err("is unknown without a reason".to_owned())
        }
        _ => Ok(()),
    }
}

#[test]
fn sizes_are_those_of_rustc() {
    let only = std::env::var("WEIGH_FIXTURE").ok();
    let mut wrong = Vec::new();
    for folder in fixtures() {
        let name = folder
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        if only.as_ref().is_some_and(|only| *only != name) {
            continue;
        }
        let bare = workbench("oracle-bare").join(&name);
        let target = workbench("oracle").join(&name);
        let truth = truth(&folder, &target);
        assert!(!truth.is_empty(), "{name} lists no types");
        // Without a build script, a build adds nothing.
        let differ = weigh_tests::all() || folder.join("build.rs").is_file();
        let states = [(&bare, false), (&target, true)];
        let states = states.iter().filter(|(_, built)| *built || differ);
        for (lines, built) in states.map(|&(target, built)| (sizes(&folder, target), built)) {
            for one in &truth {
                if let Err(why) = judge(one, &lines, built) {
                    let state = if built { "built" } else { "bare" };
                    wrong.push(format!("{name} ({state}): {} {why}", one.path));
                }
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{}\n{} wrong",
        wrong.join("\n"),
        wrong.len()
    );
}
