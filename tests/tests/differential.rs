//! Differential test: sizes, alignments and offsets of thousands of generated types against rustc.
//!
//! `WEIGH_DIFFERENTIAL` sets the number of types (default 300), `WEIGH_SEED` the seed; `.ci/slow`
//! runs many.

use std::collections::HashMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;
use weigh_tests::generate::{DIGITS, Definition, Generator, library};
use weigh_tests::{run, weigh, workbench};

/// Types per crate.
const BATCH: usize = 2_000;

/// Types per module: the cost of globs is quadratic in it.
const GROUP: usize = 200;

/// Size, alignment and the offsets of all fields in source order, in bytes.
#[derive(Debug, Default, PartialEq)]
struct Layout {
    size: u64,
    align: u64,
    offsets: Vec<u64>,
}

fn number(name: &str, otherwise: u64) -> u64 {
    let Ok(text) = std::env::var(name) else {
        return otherwise;
    };
    text.parse()
        .unwrap_or_else(|_| panic!("{name} is no number: {text}"))
}

fn edition(seed: u64) -> &'static str {
    ["2018", "2021", "2024"][(seed % 3) as usize]
}

/// Generates the types of a crate, by module.
fn groups(seed: u64, count: usize) -> Vec<Vec<Definition>> {
    let group = |i: usize| {
        let mut types = Generator::types((seed << 16) + i as u64, GROUP.min(count - i * GROUP));
        for definition in &mut types {
            definition.path = format!("b{i}::{}", definition.path);
        }
        types
    };
    (0..count.div_ceil(GROUP)).map(group).collect()
}

fn write_crate(folder: &Path, seed: u64, groups: &[Vec<Definition>]) {
    let edition = edition(seed);
    let manifest = format!(
        "[package]\nname = \"differential\"\nversion = \"0.1.0\"\nedition = \"{edition}\"\n\n\
                    [workspace]\n"
    );
    fs::create_dir_all(folder.join("src")).expect("the target folder is ours to write");
    fs::write(folder.join("Cargo.toml"), manifest).expect("likewise");
    fs::write(folder.join("src/lib.rs"), library(groups)).expect("likewise");
}

/// Runs rustc, which checks the crate until a constant panics with the layouts.
fn ask_rustc(folder: &Path, seed: u64, asked: &[&Definition]) -> HashMap<String, Layout> {
    let mut command = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    command.current_dir(folder).env("RUSTC_BOOTSTRAP", "1");
    command.args(["--edition", edition(seed), "--crate-type", "lib"]);
    command.args(["--emit", "metadata", "--out-dir", ".", "src/lib.rs"]);
    let said = run(&mut command).expect(1);
    let (_, answer) = said
        .stderr
        .split_once("evaluation panicked: ")
        .unwrap_or_else(|| panic!("rustc does not say the layouts:\n{}", said.stderr));
    let mut digits = answer.lines().next().unwrap_or_default();
    let mut number = || {
        let (number, rest) = digits.split_at(DIGITS);
        digits = rest;
        u64::from_str_radix(number, 16).expect("these are digits")
    };
    let mut layouts = HashMap::new();
    for definition in asked {
        let layout = Layout {
            size: number(),
            align: number(),
            offsets: (2..definition.numbers()).map(|_| number()).collect(),
        };
        layouts.insert(definition.path.clone(), layout);
    }
    assert_eq!(digits, "", "more numbers than there were questions");
    layouts
}

/// Returns the program's layouts, or why they are unknown.
fn ask_weigh(folder: &Path, asked: &[&Definition]) -> HashMap<String, Result<Layout, String>> {
    let mut command = weigh(folder);
    let said = run(command.args(["sizes", "--message-format", "json"])).expect(0);
    let mut answers = HashMap::new();
    for line in said.json() {
        let path = line["path"].as_str().expect("a line has a path").to_owned();
        let answer = match (line["size"].as_u64(), line["align"].as_u64()) {
            (Some(size), Some(align)) => Ok(Layout {
                size,
                align,
                offsets: Vec::new(),
            }),
            _ => Err(line["reason"].to_string()),
        };
        answers.insert(path, answer);
    }
    let known: Vec<_> = asked
        .iter()
        .filter(|d| matches!(answers.get(&d.path), Some(Ok(_))))
        .map(|d| &d.path)
        .collect();
    let mut command = weigh(folder);
    command.args(["layout", "--message-format", "json"]);
    let said = run(command.args(&known)).expect(0);
    let drawings: Vec<_> = said.json().into_iter().collect();
    assert_eq!(drawings.len(), known.len(), "a drawing for each type");
    for (line, path) in drawings.iter().zip(known) {
        let variants = line["variants"].as_array().expect("a drawing has variants");
        let fields = variants
            .iter()
            .filter_map(|v| v["fields"].as_array())
            .flatten();
        let offsets: Option<Vec<u64>> = fields.map(|f| f["offset"].as_u64()).collect();
        let same = |l: &Layout| line["size"] == l.size && line["align"] == l.align;
        match answers.get_mut(path) {
            Some(Ok(layout)) if same(layout) => layout.offsets = offsets.unwrap_or_default(),
            other => panic!("`layout` says {line}, `sizes` says {other:?}"),
        }
    }
    answers
}

fn compare(seed: u64, count: usize) -> String {
    let groups = groups(seed, count);
    let asked = groups.iter().flatten().filter(|d| d.kind != "generic");
    let asked: Vec<&Definition> = asked.collect();
    let folder = workbench("differential").join(format!("seed-{seed}"));
    write_crate(&folder, seed, &groups);
    let truth = ask_rustc(&folder, seed, &asked);
    assert!(
        truth.len() >= count,
        "rustc knows {} types of {count}",
        truth.len()
    );
    let answers = ask_weigh(&folder, &asked);
    let mut wrong = String::new();
    let mut unclear = 0;
    for definition in asked {
        let truth = &truth[&definition.path];
        let said = match answers.get(&definition.path) {
            Some(Ok(layout)) if layout == truth => continue,
            Some(Ok(layout)) => format!("{layout:?}"),
            // The only known gap: lifetimes of the pointer and of the struct are not distinguished.
            Some(Err(reason)) if reason.contains("lifetimes of a function pointer") => {
                unclear += 1;
                continue;
            }
            Some(Err(reason)) => format!("unknown: {reason}"),
            None => "not listed".to_owned(),
        };
        let _ = writeln!(
            wrong,
            "{}\n  rustc: {truth:?}\n  said:  {said}\n",
            definition.text
        );
    }
    assert!(unclear * 4 < count, "{unclear} of {count} are unclear");
    if wrong.is_empty() {
        // Large, and no longer needed.
        let _ = fs::remove_dir_all(&folder);
    }
    wrong
}

#[test]
fn random_types_are_laid_out_as_rustc_does() {
    let count = number("WEIGH_DIFFERENTIAL", 300) as usize;
    let seed = number("WEIGH_SEED", 1);
    let mut done = 0;
    while done < count {
        let batch = BATCH.min(count - done);
        let seed = seed + (done / BATCH) as u64;
        let wrong = compare(seed, batch);
        assert!(wrong.is_empty(), "seed {seed}, {batch} types:\n{wrong}");
        done += batch;
        println!("{done} types agree");
    }
}
