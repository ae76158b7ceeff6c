//! The five stories as programs: with a census, the story's finding comes first, and its predicted
//! saving is what the program then saves. Likewise for lints that need a census.
#![cfg(all(target_os = "linux", target_arch = "x86_64", target_env = "gnu"))]

use serde_json::Value;
use std::path::PathBuf;
use std::process::Command;
use weigh_tests::{Run, few, fixture, run, weigh, workbench};

fn cargo_weigh(fixture_name: &str) -> Command {
    let mut command = weigh(&fixture(fixture_name));
    command.args(["--offline", "--target-dir"]);
    command.arg(workbench("stories"));
    command
}

/// Takes a census of a program at its marked moment.
fn counted(fixture_name: &str, name: &str, select: &[&str]) -> (PathBuf, Vec<Value>) {
    let folder = workbench("stories-files");
    std::fs::create_dir_all(&folder).unwrap();
    let kept = folder.join(format!("{name}.json"));
    let mut command = cargo_weigh(fixture_name);
    command.args(["census", "--at", "built#1", "--output"]);
    run(command.arg(&kept).args(select)).expect(0);
    let text = std::fs::read_to_string(&kept).unwrap();
    let lines = text.lines().map(|l| serde_json::from_str(l).unwrap());
    (kept, lines.collect())
}

/// Returns bytes as malloc counts them, and blocks.
fn live(lines: &[Value]) -> (i64, i64) {
    let number = |name: &str| lines.last().unwrap()[name].as_i64().unwrap();
    (
        number("live_bytes") + number("malloc_bytes"),
        number("blocks"),
    )
}

/// Returns the findings with a census, most valuable first.
fn findings(fixture_name: &str, kept: &PathBuf, select: &[&str]) -> (Run, Vec<Value>) {
    let mut command = cargo_weigh(fixture_name);
    command.args(["--message-format", "json", "--census"]);
    let said = run(command.arg(kept).args(select)).expect(0);
    let mut list: Vec<Value> = said.findings();
    list.sort_by_key(|f| f["weigh"]["rank"].as_u64());
    let list = list.into_iter().map(|f| f["weigh"].clone()).collect();
    (said, list)
}

/// Compares the predicted saving of a remedy with the measured one, within 2 %.
#[track_caller]
fn saves(said: &Value, title: &str, before: (i64, i64), after: (i64, i64)) {
    let remedies = said["remedies"].as_array().unwrap();
    let named = |r: &&Value| r["title"].as_str().unwrap().contains(title);
    let remedy = remedies
        .iter()
        .find(named)
        .unwrap_or_else(|| panic!("{said}"));
    let predicted = (
        remedy["net_saved_bytes"].as_i64().unwrap(),
        remedy["net_blocks"].as_i64().unwrap(),
    );
    let saved = (before.0 - after.0, before.1 - after.1);
    let near = |a: i64, b: i64| (a - b).abs() * 50 <= a.abs().max(b.abs());
    assert!(
        near(predicted.0, saved.0) && near(predicted.1, saved.1),
        "{title}: {predicted:?} predicted, {saved:?} saved"
    );
    assert!(predicted.0 > 0, "{predicted:?}");
}

#[test]
fn the_storys_finding_comes_first_and_saves_what_it_says() {
    let stories = [
        ("hprof", "oversized_variant", "GcRecord", "box the contents"),
        ("ratatui", "small_string", "Cell", "a `char`"),
        ("librsvg", "unfrozen_builder", "PathBuilder", "frozen type"),
        ("curl", "tiny_allocation", "Transfer", "inline"),
        ("sumatra", "double_allocation", "Token", "inline"),
    ];
    for &(name, lint, ty, title) in few(&stories, 1) {
        let (kept, before) = counted("stories", name, &["--bin", name]);
        let (_, found) = findings("stories", &kept, &["--bin", name]);
        // The texts of SumatraPDF are short too: without blocks of their own they save more.
        let first = &found[usize::from(name == "sumatra")];
        assert_eq!(
            (first["lint"].as_str(), first["type"].as_str()),
            (Some(lint), Some(ty)),
            "{name}: {found:#?}"
        );
        let after = format!("{name}_after");
        let (kept, mended) = counted("stories", &after, &["--bin", &after]);
        saves(first, title, live(&before), live(&mended));
        let (_, left) = findings("stories", &kept, &["--bin", &after]);
        let still = |f: &Value| f["lint"] == lint && f["type"] == ty;
        assert!(!left.iter().any(still), "{name}: {left:#?}");
    }
}

#[test]
#[ignore = "slow: .ci/slow tests"]
fn what_only_a_census_tells_saves_what_it_says() {
    let (kept, before) = counted("counted", "counted", &[]);
    let (_, found) = findings("counted", &kept, &[]);
    let cases = [
        ("blocks", "spare_capacity", "blocks::Block", "shrink_to_fit"),
        ("links", "always_empty", "links::Link", "Option<Box"),
        ("pairs", "repeated_text", "pairs::Pair", "share"),
        ("paths", "one_element_vec", "paths::Path", "SmallVec"),
    ];
    for &(feature, lint, ty, title) in few(&cases, 1) {
        let one = found.iter().find(|f| f["lint"] == lint && f["type"] == ty);
        let one = one.unwrap_or_else(|| panic!("{lint}: {found:#?}"));
        let (_, after) = counted("counted", feature, &["--features", feature]);
        saves(one, title, live(&before), live(&after));
    }
    // The stored census matches the program.
    let folder = fixture("counted").join("census.json");
    if std::env::var_os("BLESS").is_some() {
        let text = std::fs::read_to_string(&kept).unwrap();
        // Allocation sites contain local paths.
        let lines = text.lines().filter(|l| {
            !["site", "part"]
                .iter()
                .any(|k| l.starts_with(&format!("{{\"census\":\"{k}\"")))
        });
        let lines: String = lines.map(|l| format!("{l}\n")).collect();
        std::fs::write(&folder, lines).unwrap();
    }
    let text = std::fs::read_to_string(folder).unwrap();
    let counts = |line: &&Value| {
        let own = line["type"]
            .as_str()
            .is_some_and(|t| t.starts_with("counted::"));
        own && ["type", "field"].contains(&line["census"].as_str().unwrap())
    };
    let lines: Vec<Value> = text
        .lines()
        .map(|l| serde_json::from_str(l).unwrap())
        .collect();
    let (kept, taken): (Vec<_>, Vec<_>) = (
        lines.iter().filter(counts).collect(),
        before.iter().filter(counts).collect(),
    );
    assert!(
        kept == taken && kept.len() > 12,
        "BLESS=1 cargo test -p weigh-tests stories::"
    );
}

#[test]
fn what_costs_more_than_it_saves_is_withdrawn_and_what_never_occurred_is_last() {
    let kept = fixture("counted").join("census.json");
    let (_, found) = findings("counted", &kept, &[]);
    let absent = |f: &Value| f["measured"]["values"] == 0;
    let first = found.iter().position(absent).unwrap();
    assert!(found[first..].iter().all(absent), "{found:#?}");
    let event = found.iter().find(|f| f["type"] == "events::Event").unwrap();
    assert!(absent(event));
    let evidence = event["evidence"].as_array().unwrap();
    assert_eq!(evidence[0], "0 values in this run");
    let is_token = |f: &Value| f["type"] == "tokens::Token";
    assert!(!found.iter().any(is_token), "{found:#?}");
    let nets = found[..first]
        .iter()
        .filter_map(|f| f["measured"]["net_saved_bytes"].as_i64());
    let nets: Vec<_> = nets.collect();
    assert!(nets.is_sorted_by(|a, b| a >= b), "{nets:?}");
    // Without the census the order is reversed.
    let bare = run(cargo_weigh("counted").args(["--message-format", "json"])).expect(0);
    let bare: Vec<Value> = bare.findings().iter().map(|f| f["weigh"].clone()).collect();
    assert!(bare.iter().any(is_token), "{bare:#?}");
    let measured = [
        "spare_capacity",
        "always_empty",
        "repeated_text",
        "one_element_vec",
    ];
    assert!(
        !bare
            .iter()
            .any(|f| measured.contains(&f["lint"].as_str().unwrap()))
    );
    assert!(bare.iter().all(|f| f["measured"].is_null()));

    let census = ["--census", kept.to_str().unwrap()];
    run(cargo_weigh("counted").args(census)).expect(0).says(&[
        "ranked by what `counted` had in its heap at `built`",
        "2 findings withdrawn, which would not pay off in this run: `Token::Text`, `Program::functions` \
         (-v says why)",
    ]);
    run(cargo_weigh("counted").args(census).arg("-v"))
        .expect(0)
        .says(&["in this run it would cost more than it saves: it costs"]);
    let why = run(cargo_weigh("counted")
        .args(["why", "-v", "tokens::Token"])
        .args(census))
    .expect(0);
    let line = why.stdout.lines().find(|l| l.contains("oversized_variant"));
    assert!(
        line.unwrap().contains("cost more than it saves"),
        "{}",
        why.stdout
    );
    // Where little was read, what was not counted may speak for it.
    let text = std::fs::read_to_string(&kept).unwrap();
    let lines = text.lines().map(|line| {
        let mut line: Value = serde_json::from_str(line).unwrap();
        if line["census"] == "summary" {
            line["walked_bytes"] = (line["live_bytes"].as_u64().unwrap() / 2).into();
        }
        format!("{line}\n")
    });
    let partial = weigh_tests::workbench("stories-partial.json");
    std::fs::write(&partial, lines.collect::<String>()).unwrap();
    let (_, found) = findings("counted", &partial, &[]);
    assert!(found.iter().any(is_token), "{found:#?}");
    let said = run(cargo_weigh("counted").args(["--census", partial.to_str().unwrap()]));
    said.expect(0).says(&["no finding is withdrawn for it"]);

    // The option belongs to the lints, and `sizes` rejects it.
    run(cargo_weigh("counted").args(census).arg("sizes"))
        .expect(2)
        .says(&["after the name of the command"]);
}
