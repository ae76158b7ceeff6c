//! Types that nobody wrote: sizes, alignments and offsets of thousands of them, against rustc.
//!
//! `WEIGH_DIFFERENTIAL` says how many types (2,000 without it), `WEIGH_SEED` which; `.ci/slow` runs
//! many.

use std::collections::HashMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use weigh_tests::generate::{Definition, Generator, program};
use weigh_tests::{cargo, run, weigh, workbench};

/// Types in one crate.
const BATCH: usize = 2_000;

/// Size, alignment, and the offsets of all fields in the order of the text.
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

fn write_crate(folder: &Path, seed: u64, definitions: &[Definition]) {
    let edition = ["2018", "2021", "2024"][(seed % 3) as usize];
    let manifest = format!(
        "[package]\nname = \"differential\"\nversion = \"0.1.0\"\nedition = \"{edition}\"\n\n\
                    [profile.dev]\ndebug = false\nincremental = false\n\n[workspace]\n"
    );
    fs::create_dir_all(folder.join("src")).expect("the target folder is ours to write");
    fs::write(folder.join("Cargo.toml"), manifest).expect("likewise");
    fs::write(folder.join("src/main.rs"), program(definitions)).expect("likewise");
}

fn ask_rustc(folder: &Path) -> HashMap<String, Layout> {
    let mut command = cargo();
    command.current_dir(folder).env("RUSTC_BOOTSTRAP", "1");
    command
        .env_remove("RUSTFLAGS")
        .env_remove("CARGO_ENCODED_RUSTFLAGS");
    command
        .args(["run", "--quiet", "--target-dir"])
        .arg(folder.join("target"));
    let said = run(&mut command).expect(0);
    let line = |line: &str| {
        let words: Vec<&str> = line.split('\t').collect();
        let parse = |text: &str| text.parse().expect("rustc prints numbers");
        let offsets = words[3].split(',').filter(|text| !text.is_empty());
        let layout = Layout {
            size: parse(words[1]),
            align: parse(words[2]),
            offsets: offsets.map(parse).collect(),
        };
        (words[0].to_owned(), layout)
    };
    said.stdout.lines().map(line).collect()
}

/// What the program says, or why it does not know.
fn ask_weigh(folder: &Path, definitions: &[Definition]) -> HashMap<String, Result<Layout, String>> {
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
    let asked = definitions.iter().filter(|d| d.kind != "generic");
    let known: Vec<_> = asked
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
    let definitions = Generator::types(seed, count);
    let folder = workbench("differential").join(format!("seed-{seed}"));
    write_crate(&folder, seed, &definitions);
    let truth = ask_rustc(&folder);
    assert!(
        truth.len() >= count,
        "rustc knows {} types of {count}",
        truth.len()
    );
    let answers = ask_weigh(&folder, &definitions);
    let mut wrong = String::new();
    let mut unclear = 0;
    for definition in definitions.iter().filter(|d| d.kind != "generic") {
        let truth = &truth[&definition.path];
        let said = match answers.get(&definition.path) {
            Some(Ok(layout)) if layout == truth => continue,
            Some(Ok(layout)) => format!("{layout:?}"),
            // Its own lifetimes, or those of the struct: the one thing that is not told apart.
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
        // Nothing to look at, and large.
        let _ = fs::remove_dir_all(&folder);
    }
    wrong
}

#[test]
fn random_types_are_laid_out_as_rustc_does() {
    let count = number("WEIGH_DIFFERENTIAL", BATCH as u64) as usize;
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
