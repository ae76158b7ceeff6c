//! The worth of findings: the facts that it is made from, what is a warning, and what is listed below.

use serde_json::Value;
use std::fs;
use std::path::Path;
use weigh_tests::project::Scratch;
use weigh_tests::{Run, fixture, pedantic, run, weigh_as_is};

/// `//= name number …` at the end of a line states facts of the finding there.
#[test]
fn the_facts_are_counted() {
    let folder = fixture("worth");
    let text = fs::read_to_string(folder.join("src/signals.rs")).expect("a file of the fixture");
    let found = pedantic(&folder).findings();
    let mut stated = 0;
    for (line, number) in text.lines().zip(1..) {
        let Some((_, facts)) = line.split_once(" //= ") else {
            continue;
        };
        let is_here = |f: &&Value| {
            let span = &f["message"]["spans"][0];
            span["file_name"] == "src/signals.rs" && span["line_start"] == number
        };
        let one = found.iter().find(is_here).expect(line);
        let facts = facts.split("//~").next().unwrap_or_default();
        let words: Vec<&str> = facts.split_whitespace().collect();
        for pair in words.chunks(2) {
            assert_eq!(
                one["weigh"]["facts"][pair[0]].to_string(),
                pair[1],
                "{pair:?}: {line}"
            );
            stated += 1;
        }
    }
    assert!(stated > 20);
}

/// A tool of the workspace has the facts of its twin but one, and less worth.
#[test]
fn a_tool_has_less_worth() {
    let found = pedantic(&fixture("worth")).findings();
    let of = |package: &str, name: &str| {
        let is_of = |f: &&Value| {
            let ty = f["weigh"]["type"].as_str().unwrap_or_default();
            f["weigh"]["package"] == package && ty.ends_with(name)
        };
        found.iter().find(is_of).expect(package)["weigh"].clone()
    };
    let (tool, twin) = (of("xtask", "Shape"), of("worth", "shape::Shape"));
    assert_eq!(
        (&tool["facts"]["aside"], &twin["facts"]["aside"]),
        (&1.into(), &0.into())
    );
    assert!(tool["worth"].as_u64() < twin["worth"].as_u64());
}

/// The worth is the sum of its signals, and the rank its order.
#[test]
fn rank_and_signals_agree_with_the_worth() {
    let mut found = pedantic(&fixture("worth")).findings();
    found.sort_by_key(|f| f["weigh"]["rank"].as_u64());
    let worth: Vec<u64> = found
        .iter()
        .filter_map(|f| f["weigh"]["worth"].as_u64())
        .collect();
    assert!(
        worth.len() > 5 && worth.is_sorted_by(|a, b| a >= b),
        "{worth:?}"
    );
    // The base is the same for all.
    let base = |f: &Value| {
        let signals = f["weigh"]["signals"].as_object().expect("signals");
        let sum: f64 = signals.values().filter_map(Value::as_f64).sum();
        let chance = f["weigh"]["worth"].as_f64().unwrap_or_default() / 100.0;
        (chance / (1.0 - chance)).ln() - sum
    };
    let middle: Vec<f64> = found
        .iter()
        .filter(|f| (10..90).contains(&f["weigh"]["worth"].as_u64().unwrap_or(0)))
        .map(base)
        .collect();
    assert!(!middle.is_empty());
    let spread = middle.iter().copied().fold(f64::MIN, f64::max)
        - middle.iter().copied().fold(f64::MAX, f64::min);
    assert!(spread < 0.2, "{middle:?}");
}

fn levels(run: &Run) -> Vec<String> {
    let found = run.findings().into_iter();
    found
        .map(|f| {
            f["message"]["level"]
                .as_str()
                .unwrap_or_default()
                .to_owned()
        })
        .collect()
}

/// Runs with the bar that users have.
fn run_in(folder: &Path, args: &[&str]) -> Run {
    run(weigh_as_is(folder).args(args))
}

/// What is below the bar is no warning, and is listed in a few lines.
#[test]
fn what_is_below_the_bar_is_listed() {
    let folder = fixture("worth");
    let high = ["--least-worth", "100", "-D", "warnings"];
    let with = |more: &[&str]| run_in(&folder, &[&high[..], more].concat()).expect(0);
    let said = with(&[]).stdout;
    let list: Vec<&str> = said.lines().filter(|l| l.starts_with("  ")).collect();
    assert!(said.starts_with("Worth a look"), "{said}");
    assert!(!list.is_empty() && list.len() <= 5, "{said}");
    // What shrinks comes first.
    assert!(list.iter().any(|l| l.contains("→")), "{said}");
    assert_eq!(with(&["--also", "0"]).stdout, "");
    assert_eq!(with(&["-q"]).stdout, "");
    let two = with(&["--also", "2"]).stdout;
    assert_eq!(
        two.lines().filter(|l| l.starts_with("  ")).count(),
        2,
        "{two}"
    );
    let json = ["--message-format", "json"];
    assert!(levels(&with(&json)).is_empty());
    let notes = with(&[&json[..], &["--also", "2"]].concat());
    assert_eq!(levels(&notes), ["note", "note"]);
    let sarif = with(&["--message-format", "sarif", "--also", "2"]).stdout;
    assert!(!sarif.contains("\"ruleId\""), "{sarif}");
}

/// The flag overrides the manifest, which overrides the default.
#[test]
fn the_bar_can_be_set() {
    let text = "pub enum Wide { Small(u64), Other(u64), Large([u64; 16]) }\n\
                pub struct All { pub list: Vec<Wide> }\n";
    let scratch = Scratch::library("bar", text);
    let json = ["--message-format", "json"];
    let count = |more: &[&str]| {
        let args = [&json[..], more].concat();
        run_in(scratch.folder(), &args).expect(0).findings().len()
    };
    let all = count(&["--least-worth", "0"]);
    assert!(all > 0 && count(&["--least-worth", "100"]) == 0);
    let manifest = scratch.folder().join("Cargo.toml");
    let old = fs::read_to_string(&manifest).expect("a manifest");
    let set = |value: &str| {
        let text = format!("{old}\n[package.metadata.weigh]\nleast-worth = {value}\n");
        fs::write(&manifest, text).expect("a manifest");
    };
    set("0");
    assert_eq!((count(&[]), count(&["--least-worth", "100"])), (all, 0));
    set("100");
    assert_eq!((count(&[]), count(&["-W", "weigh::pedantic"])), (0, all));
    for wrong in ["101", "\"much\"", "-1"] {
        set(wrong);
        let said = run_in(scratch.folder(), &[]).expect(2).stderr;
        assert!(
            said.contains("`least-worth` wants a number from 0 to 100"),
            "{said}"
        );
    }
}

/// A project without anything worth a change is told so.
#[test]
fn nothing_worth_a_change_is_said() {
    let text = "pub enum Small { A(u8), B([u8; 30]) }\n\
                pub struct Used { pub n: u64 }\n\
                pub fn used(n: u64) -> [Used; 3] { [Used { n }, Used { n: 1 }, Used { n: 2 }] }\n";
    let scratch = Scratch::library("little", text);
    let said = run_in(scratch.folder(), &[]).expect(0).stdout;
    assert!(
        said.contains("Nothing here is likely worth a change"),
        "{said}"
    );
}

/// `why` gives the worth, what each signal gave, and the bar in force.
#[test]
fn why_gives_what_each_signal_gave() {
    let folder = fixture("worth");
    let said = run_in(&folder, &["why", "signals::Node", "--least-worth", "90"])
        .expect(0)
        .stdout;
    for words in [
        "a worth of 90 and more is a warning",
        "below: oversized_variant",
        "it saves 48 of 72 bytes",
    ] {
        assert!(said.contains(words), "no `{words}` in {said}");
    }
    let json = ["why", "signals::Node", "--message-format", "json"];
    let line = run_in(&folder, &json).expect(0).stdout;
    let line: Value = serde_json::from_str(&line).expect("JSON");
    let verdicts = line["verdicts"].as_array().expect("verdicts");
    let own = verdicts
        .iter()
        .find(|v| v["lint"] == "oversized_variant")
        .expect("its verdict");
    assert!(own["worth"].as_u64().is_some() && own["signals"]["saved_share"].as_f64() > Some(0.0));
}

/// As many findings as the summary names are more with the group that it names.
#[test]
fn as_many_more_as_the_summary_says() {
    /// Returns the numbers before these words in the lines of the summary.
    fn numbers(text: &str, after: &[&str]) -> usize {
        let words: Vec<&str> = text
            .split(|c: char| c.is_whitespace() || c == ';')
            .collect();
        let number = |pair: &[&str]| {
            let is_one = after.iter().any(|a| pair[1].starts_with(a));
            is_one.then(|| pair[0].parse::<usize>().ok()).flatten()
        };
        words.windows(2).filter_map(number).sum()
    }
    let mut more = 0;
    for name in ["oversized_variant", "unfrozen_vec", "small_vec", "worth"] {
        let folder = fixture(name);
        let said = |args: &[&str]| {
            let said = run(weigh_as_is(&folder)
                .args(["--workspace", "--also", "0"])
                .args(args));
            let line = said.stderr.lines().find(|l| l.contains("Weighed "));
            let shown = numbers(line.expect("a summary"), &["warning", "error"]);
            let rest = said
                .stderr
                .lines()
                .find(|l| l.contains("`-W weigh::pedantic`"));
            (shown, rest.map_or(0, |l| numbers(l, &["more", "finding"])))
        };
        for args in [
            &[][..],
            &["--least-worth", "5"],
            &["-A", "oversized_variant"],
        ] {
            let (shown, rest) = said(args);
            let all = said(&[args, &["-W", "pedantic"]].concat());
            assert_eq!((shown + rest, 0), all, "{name} {args:?}");
            more += rest;
        }
    }
    assert!(more > 100, "{more}");
}
