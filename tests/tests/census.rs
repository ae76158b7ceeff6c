//! Tests `cargo weigh census` on programs that report their own data, and on difficult programs.
#![cfg(all(target_os = "linux", target_arch = "x86_64", target_env = "gnu"))]

mod asked;

use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::ops::Range;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};

use std::process::{Command, Stdio};
use weigh_tests::project::Scratch;
use weigh_tests::{Run, fixture, repository, run, weigh, workbench};

fn census_of(package: &Path, arguments: &[&str]) -> Run {
    let mut command = weigh(package);
    // The compiler of the counted program, not of these tests.
    if let Some(rustc) = std::env::var_os("WEIGH_RUSTC") {
        command.env("RUSTC", rustc);
    }
    command.args(["census", "--target-dir"]);
    command.arg(workbench("census")).args(arguments);
    run(&mut command)
}

fn census(arguments: &[&str]) -> Run {
    census_of(&fixture("census"), &[&["--offline"], arguments].concat())
}

/// Counts a project's program, and returns where the census is kept with its text and its lines.
fn kept_census(project: &Scratch, profile: &str) -> (String, String, Vec<Value>) {
    let kept = project.folder().join(format!("{profile}.json"));
    let kept = kept.to_str().unwrap().to_owned();
    let mut command = weigh(project.folder());
    command.args(["census", "--offline", "--profile", profile]);
    run(command.args(["--output", &kept])).expect(0);
    let text = std::fs::read_to_string(&kept).unwrap();
    let lines = text.lines().map(|l| serde_json::from_str(l).unwrap());
    let lines = lines.collect();
    (kept, text, lines)
}

fn of_kind<'l>(lines: &'l [Value], kind: &'l str) -> impl Iterator<Item = &'l Value> {
    lines.iter().filter(move |line| line["census"] == kind)
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or(0)
}

/// Compares every number that the program reports with the census.
#[track_caller]
fn is_what_the_program_says(said: &Run) {
    let lines = said.json();
    let mut compared = 0;
    for line in said.stderr.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let (wanted, found) = match words[..] {
            ["values", ty, n] => {
                let line = of_kind(&lines, "type").find(|l| l["type"] == ty);
                (vec![n], vec![line.map_or(0, |l| number(&l["values"]))])
            }
            ["variant", ty, variant, n] => {
                let line = of_kind(&lines, "type").find(|l| l["type"] == ty);
                let found = line.map_or(0, |l| number(&l["variants"][variant]));
                (vec![n], vec![found])
            }
            ["field", ty, field, ref rest @ ..] => {
                let line =
                    of_kind(&lines, "field").find(|l| l["type"] == ty && l["field"] == field);
                let names = ["containers", "len", "capacity", "empty", "one"];
                let found = names.map(|name| line.map_or(0, |l| number(&l[name])));
                (rest.to_vec(), found.to_vec())
            }
            _ => continue,
        };
        let wanted: Vec<u64> = wanted.iter().map(|n| n.parse().unwrap()).collect();
        assert_eq!(found, wanted, "{line}");
        compared += 1;
    }
    assert!(compared > 10, "only {compared} numbers were said");
    adds_up(&lines);
    let summary = of_kind(&lines, "summary").last().unwrap();
    assert_eq!(summary["contradicting_bytes"], 0, "{summary}");
    assert_eq!(summary["torn"], 0, "{summary}");
}

/// Asserts that each byte of the heap, and what malloc adds, is in one of the parts.
#[track_caller]
fn adds_up(lines: &[Value]) {
    let summary = of_kind(lines, "summary").last().unwrap();
    let sum = |key: &str| of_kind(lines, "part").map(|l| number(&l[key])).sum::<u64>();
    let whole = number(&summary["live_bytes"]) + number(&summary["malloc_bytes"]);
    assert_eq!(sum("bytes"), whole, "{summary}");
    assert_eq!(sum("blocks"), number(&summary["blocks"]), "{summary}");
}

/// The profiles that the fixtures have.
const PROFILES: [&str; 4] = ["dev", "release", "thin", "fat"];

const BUILT: [&str; 4] = ["--at", "built#1", "--message-format", "json"];

fn exact_in(profile: &str) {
    let build = ["--bin", "census", "--profile", profile];
    let said = census(&[&build[..], &BUILT].concat()).expect(0);
    is_what_the_program_says(&said);
    let lines = said.json();
    let summary = of_kind(&lines, "summary").last().unwrap();
    assert_eq!(summary["typed_bytes"], summary["walked_bytes"], "{summary}");
}

/// Compares the census of containers with the program's own numbers; needs crates from a registry.
fn containers_are_exact_in(profile: &str) {
    let all = [&["--locked", "--profile", profile][..], &BUILT].concat();
    let said = census_of(&fixture("containers"), &all).expect(0);
    is_what_the_program_says(&said);
    // Of the map in insertion order, the table is spare besides the `Vec`.
    let lines = said.json();
    let has_table = |l: &&Value| !l["table_slack_bytes"].is_null();
    let tables: Vec<&Value> = of_kind(&lines, "field").filter(has_table).collect();
    let [indexed] = tables[..] else {
        panic!("{tables:?}")
    };
    let spare = of_kind(&lines, "part").filter(|l| l["kind"] == "spare");
    let spare = spare.filter(|l| l["owner"] == "containers::Others::indexed");
    let spare: u64 = spare.map(|l| number(&l["bytes"])).sum();
    let slack = ["slack_bytes", "table_slack_bytes"].map(|key| number(&indexed[key]));
    assert!(
        slack[1] > 0 && slack[0] + slack[1] == spare,
        "{spare}: {indexed}"
    );
}

/// Compares the censuses of random graphs in one program.
fn graphs_are_exact_in(profile: &str, seeds: Range<u64>) {
    let folder = workbench("graphs");
    let manifest = format!(
        "[package]\nname = \"graphs\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n\
         [dependencies]\ncensus = {{ path = {:?} }}\nweigh-heap = {{ path = {:?} }}\n\n\
         [profile.thin]\ninherits = \"release\"\nlto = \"thin\"\n\n\
         [profile.fat]\ninherits = \"release\"\nlto = \"fat\"\npanic = \"abort\"\n\n\
         [workspace]\n",
        fixture("census"),
        repository().join("heap")
    );
    std::fs::create_dir_all(folder.join("src")).unwrap();
    std::fs::write(folder.join("Cargo.toml"), manifest).unwrap();
    let text = weigh_tests::graphs::program(seeds.clone());
    std::fs::write(folder.join("src/main.rs"), text).unwrap();
    let all = [&["--offline", "--profile", profile][..], &BUILT].concat();
    println!("{profile}: graphs {seeds:?}");
    is_what_the_program_says(&census_of(&folder, &all).expect(0));
}

#[test]
fn random_graphs_are_counted() {
    graphs_are_exact_in("dev", 1..4);
}

/// `.ci/slow census` counts 200, one range and profile at a time.
#[test]
#[ignore = "builds for long"]
fn many_random_graphs_are_counted() {
    let number = |name: &str, other| std::env::var(name).map_or(other, |n| n.parse().unwrap());
    let (first, count) = (number("WEIGH_SEED", 1), number("WEIGH_GRAPHS", 25));
    let wanted = std::env::var("WEIGH_PROFILE");
    for profile in PROFILES {
        if wanted.as_ref().is_ok_and(|wanted| wanted != profile) {
            continue;
        }
        graphs_are_exact_in(profile, first..first + count);
    }
}

#[test]
#[ignore = "slow: .ci/slow tests"]
fn containers_of_other_crates_are_read() {
    containers_are_exact_in("release");
}

#[test]
fn every_number_is_exact_in_dev() {
    exact_in("dev");
}

#[test]
fn every_number_is_exact_in_release() {
    exact_in("release");
}

#[test]
#[ignore = "builds for long"]
fn every_number_is_exact_in_all_profiles() {
    for profile in PROFILES {
        exact_in(profile);
        containers_are_exact_in(profile);
    }
}

#[test]
fn only_what_a_named_value_owns() {
    let all = [
        "--bin",
        "census",
        "--at",
        "graph#1",
        "--message-format",
        "json",
    ];
    let lines = census(&all).expect(0).json();
    let owners: Vec<&Value> = of_kind(&lines, "type")
        .filter(|l| l["type"] == "tally::Tally" || l["type"] == "census::Graph")
        .collect();
    // The graph itself is in a box with another owner.
    assert!(owners.is_empty(), "{owners:?}");
    let shapes = of_kind(&lines, "field")
        .find(|l| l["field"] == "shapes")
        .unwrap();
    assert_eq!(shapes["len"], 2000);
    // Neither the static nor the variable of `main` belongs to the graph.
    let statics = of_kind(&lines, "field").filter(|l| l["type"] == "");
    assert_eq!(statics.count(), 0);
}

fn habit(arguments: &[&str]) -> Run {
    let mut all = vec!["--bin", "habits", "--message-format", "json"];
    all.extend(arguments);
    census(&all)
}

/// Asserts the values that `items(n)` creates.
#[track_caller]
fn has_items(said: &Run, n: u64) {
    let lines = said.json();
    let items = of_kind(&lines, "type").find(|l| l["type"] == "habits::Item");
    assert_eq!(
        items.map(|l| number(&l["values"])),
        Some(n),
        "{}",
        said.stderr
    );
    let parts = of_kind(&lines, "field")
        .find(|l| l["field"] == "parts")
        .unwrap();
    let found = ["containers", "len", "capacity", "slack_bytes"].map(|name| number(&parts[name]));
    assert_eq!(found, [n, n, n * 10, n * 36]);
}

#[test]
fn the_peak_is_found_in_two_runs_and_in_one() {
    let said = habit(&["--", "none"]).expect(0).says(&["of the peak"]);
    // 99 % of the peak: the last item or two are missing.
    let lines = said.json();
    let summary = of_kind(&lines, "summary").last().unwrap();
    let share = number(&summary["live_bytes"]) as f64 / number(&summary["peak_bytes"]) as f64;
    assert!((0.985..=1.0).contains(&share), "{summary}");
    let said = habit(&["--once", "--", "none"]).expect(0).says(&["slow"]);
    let lines = said.json();
    let summary = of_kind(&lines, "summary").last().unwrap();
    let share = number(&summary["live_bytes"]) as f64 / number(&summary["peak_bytes"]) as f64;
    assert!((0.95..=1.0).contains(&share), "{summary}");
}

#[test]
#[ignore = "slow: .ci/slow tests"]
fn a_program_that_crashes_is_counted_and_said_to_have_failed() {
    let said = habit(&["--at", "built", "--", "crash"]).expect(2);
    has_items(&said, 1000);
    said.says(&["the program failed (signal: 6"]);
    habit(&["--at", "exit", "--", "crash"])
        .expect(2)
        .says(&["ended before it came to its exit"]);
}

#[test]
fn a_program_that_starts_itself_is_counted_alone() {
    has_items(&habit(&["--at", "built#1", "--", "itself"]).expect(0), 1000);
}

#[test]
#[ignore = "slow: .ci/slow tests"]
fn a_program_that_never_ends_is_ended() {
    let said = habit(&["--at", "built#1", "--timeout", "2", "--", "endless"]).expect(2);
    has_items(&said, 1000);
    said.says(&["did not end in time"]);
    // Before the recorder is loaded, unless the machine is busy with other things.
    let wanted = "was ended by the timeout before it came to";
    let mut tries = (0..10).map(|_| habit(&["--timeout", "0", "--", "endless"]).expect(2));
    assert!(tries.any(|said| said.stderr.contains(wanted)));
}

#[test]
fn threads_are_counted_too() {
    let said = habit(&["--at", "built#1", "--", "threads"]).expect(0);
    has_items(&said, 1000 + 8 * 500);
    let busy = habit(&["--at", "built#10", "--", "busy"]).expect(0);
    let lines = busy.json();
    let items = of_kind(&lines, "type")
        .find(|l| l["type"] == "habits::Item")
        .unwrap();
    let n = number(&items["values"]);
    // Other threads may be in the middle of an item; none of this thread's is missing.
    assert!((1000..=1000 + 8 * 51).contains(&n), "{items}");
}

#[test]
#[ignore = "slow: .ci/slow tests"]
fn what_was_being_moved_has_one_owner_and_is_said_to_be_torn() {
    let said = habit(&["--at", "built#1", "--", "torn"]).expect(0);
    let lines = said.json();
    let summary = of_kind(&lines, "summary").last().unwrap();
    let torn = number(&summary["torn"]);
    // Nearly always, all eight threads are in the middle of a move.
    assert!((1..=8).contains(&torn), "{summary}");
    assert_eq!(summary["contradicting_bytes"], 0, "{summary}");
    let field = |ty: &str, name: &str| {
        let mut fields = of_kind(&lines, "field");
        let found = fields.find(|l| l["type"] == ty && l["field"] == name);
        found.map_or(0, |l| number(&l["containers"]))
    };
    // Each torn value is in two places or in none.
    let all = 8 * 20_000;
    let owned = field("habits::Line", "units[]");
    assert!((all - 8..=all - torn).contains(&owned), "{owned} {summary}");
    assert_eq!(field("habits::Line", "units"), 8);
    // This thread's values are exact.
    assert_eq!(field("habits::Item", "parts"), 1000);
    assert_eq!(field("habits::Item", "text"), 1000);
}

/// A second run reads what the first one read.
#[test]
fn each_run_reads_the_whole_input() {
    let folder = workbench("census-files");
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("input.txt");
    // More than a pipe holds.
    let input: String = (0..30_000).map(|n| format!("line {n}\n")).collect();
    std::fs::write(&path, input).unwrap();
    let piped = || {
        let mut cat = Command::new("cat");
        let cat = cat.arg(&path).stdout(Stdio::piped()).spawn();
        Stdio::from(cat.unwrap().stdout.take().unwrap())
    };
    let file = || {
        let mut file = std::fs::File::open(&path).unwrap();
        // Whoever opened it has read the first line.
        std::io::Seek::seek(&mut file, std::io::SeekFrom::Start(7)).unwrap();
        Stdio::from(file)
    };
    for (input, n) in [(piped(), 30_000), (file(), 29_999)] {
        let mut command = weigh(&fixture("census"));
        command.args(["census", "--offline", "--bin", "habits", "--target-dir"]);
        command.arg(workbench("census")).args(["--at", "built"]);
        command.args(["--message-format", "json", "--", "reads"]);
        let said = run(command.stdin(input)).expect(0);
        let read = format!("read {n}");
        assert_eq!(said.stderr.matches(&read).count(), 2, "{}", said.stderr);
        let lines = said.json();
        let mut types = of_kind(&lines, "type");
        let items = types.find(|l| l["type"] == "habits::Item").unwrap();
        assert_eq!(items["values"], 1000 + n);
    }
}

/// What cargo builds beside a test is not what is to be counted.
#[test]
fn tests_benchmarks_and_unit_tests_are_counted() {
    let kept = |name: &str| {
        format!(
            "struct {name}([u64; 4]);\n\
             fn {}() {{ let kept: Vec<Box<{name}>> = (0..5000).map(|n| Box::new({name}([n; 4]))).collect();\n\
             assert_eq!(std::hint::black_box(kept)[7].0[1], 7); }}\n",
            name.to_lowercase()
        )
    };
    let test = |name: &str| {
        let text = kept(name).replace("\nfn", "\n#[test]\nfn");
        format!(
            "{text}#[test]\nfn folder() {{ assert!(std::path::Path::new(\"Cargo.toml\").exists()); }}"
        )
    };
    let main = |name: &str| format!("{}fn main() {{ {}() }}", kept(name), name.to_lowercase());
    let manifest = "[package]\nname = \"kinds\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\
                    [[bench]]\nname = \"fast\"\nharness = false\n[workspace]\n";
    let library = format!("#[cfg(test)]\nmod tests {{\n{}\n}}\n", test("Unit"));
    let scratch = Scratch::library("kinds", &library)
        .file("Cargo.toml", manifest)
        .file("tests/whole.rs", test("Whole"))
        .file("benches/fast.rs", main("Fast"))
        .file("src/elsewhere/a.rs", "");
    let counted = |scratch: &Scratch, arguments: &[&str]| {
        let mut command = weigh(&scratch.folder().join("src/elsewhere"));
        command.args(["census", "--offline", "--message-format", "json"]);
        run(command.args(arguments))
    };
    counted(&scratch, &[]).expect(2).says(&[
        "`kinds` is a library",
        "`--lib`",
        "`--bench fast`",
        "`--test whole`",
    ]);
    let scratch = scratch.file("src/main.rs", main("Program"));
    for (arguments, ty) in [
        (&["--test", "whole"][..], "whole::Whole"),
        (&["--bench", "fast"], "fast::Fast"),
        (&["--lib"], "kinds::tests::Unit"),
        (&[], "kinds::Program"),
    ] {
        let said = counted(&scratch, arguments).expect(0);
        let lines = said.json();
        let found = of_kind(&lines, "type").find(|l| l["type"] == ty);
        // At 99 % of the peak a few may be missing.
        let values = found.map_or(0, |l| number(&l["values"]));
        assert!((4800..=5000).contains(&values), "{ty}: {values} {said:?}");
    }
}

/// Sends what Ctrl-C in a terminal sends to the foreground process group.
#[test]
fn a_program_that_is_interrupted_is_counted() {
    let kept = workbench("census").join("interrupted.json");
    let mut command = weigh(&fixture("census"));
    command.args(["census", "--offline", "--bin", "habits", "--at", "built#1"]);
    command.arg("--target-dir").arg(workbench("census"));
    command.arg("--output").arg(&kept).args(["--", "endless"]);
    command.process_group(0);
    command.stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let counted = lines.find(|line| line.as_ref().is_ok_and(|line| line == "counted"));
    assert!(counted.is_some());
    let group = format!("-{}", child.id());
    let sent = Command::new("kill").args(["-INT", "--", &group]).status();
    assert!(sent.unwrap().success());
    let rest: Vec<String> = lines.map_while(Result::ok).collect();
    assert_eq!(child.wait().unwrap().code(), Some(2), "{rest:?}");
    assert!(
        rest.iter().any(|line| line.contains("signal: 2")),
        "{rest:?}"
    );
    let text = std::fs::read_to_string(&kept).unwrap();
    let items = text
        .lines()
        .find(|l| l.contains("\"habits::Item\""))
        .unwrap();
    let items: Value = serde_json::from_str(items).unwrap();
    assert_eq!(items["values"], 1000);
}

#[test]
#[ignore = "slow: .ci/slow tests"]
fn a_program_that_forks_is_counted_alone() {
    has_items(&habit(&["--at", "built#2", "--", "fork"]).expect(0), 1000);
}

#[test]
fn what_is_not_counted_beside_a_program_is_named() {
    habit(&["--", "forks"])
        .expect(0)
        .says(&["a process that the program forked had"]);
    habit(&["--", "becomes"])
        .expect(0)
        .says(&["ended without its exit handlers"]);
    let said = habit(&["--", "none"]).expect(0);
    assert!(!said.stderr.contains("forked"), "{}", said.stderr);
}

#[test]
fn a_program_may_close_all_files_and_open_its_own() {
    let own = workbench("census").join("own.txt");
    let path = own.to_str().unwrap();
    let said = habit(&["--at", "built#1", "--", "closes", path]).expect(0);
    has_items(&said, 5000);
    assert_eq!(std::fs::metadata(&own).unwrap().len(), 0);
}

/// A process with privileges may raise the limit, and is counted then.
#[test]
fn a_program_that_limits_its_files_says_so() {
    let said = habit(&["--", "limited"]);
    if said.code != 0 {
        said.says(&["the size of files limited"]);
    }
}

/// Sends what `kill` sends to `cargo weigh` alone.
#[test]
fn a_program_that_ignores_an_interrupt_is_not_left_behind() {
    let mut command = weigh(&fixture("census"));
    command.args(["census", "--offline", "--bin", "habits", "--target-dir"]);
    command.arg(workbench("census")).args(["--", "stubborn"]);
    command.stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let process = lines.find_map(|line| Some(line.ok()?.strip_prefix("process ")?.to_owned()));
    let process = Path::new("/proc").join(process.unwrap());
    assert!(process.exists());
    let sent = Command::new("kill").arg(child.id().to_string()).status();
    assert!(sent.unwrap().success());
    // No second run.
    let rest: Vec<String> = lines.map_while(Result::ok).collect();
    assert_eq!(child.wait().unwrap().code(), Some(2), "{rest:?}");
    assert!(
        rest.iter().any(|l| l.contains("was interrupted")),
        "{rest:?}"
    );
    assert!(!process.exists());
}

/// An interrupt while the program's debug information is read, or the recorder compiled.
#[test]
fn an_interrupt_leaves_no_folder_behind() {
    let program = compiled("interrupted", &["-g", "-Cforce-frame-pointers=yes"]);
    // In a project its target folder is used.
    let outside = Scratch::outside("census-interrupted");
    let temporary = outside.folder();
    let mut command = weigh(temporary);
    command.env("TMPDIR", temporary);
    command.args(["census", "--exec"]).arg(program);
    command.process_group(0);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    // rustc, which compiles the recorder, has folders of its own there.
    let is_left = || {
        let mut all = std::fs::read_dir(temporary).unwrap();
        all.any(|entry| {
            let name = entry.unwrap().file_name();
            name.to_string_lossy().starts_with("cargo-weigh-")
        })
    };
    while !is_left() && child.try_wait().unwrap().is_none() {
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    let group = format!("-{}", child.id());
    let sent = Command::new("kill").args(["-INT", "--", &group]).status();
    assert!(sent.unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(!is_left());
}

#[test]
fn what_a_hundred_threads_have_is_counted() {
    let said = habit(&["--at", "built#1", "--", "hundred"]).expect(0);
    has_items(&said, 2000);
    let lines = said.json();
    let marks = of_kind(&lines, "type").find(|l| l["type"] == "habits::Mark");
    assert_eq!(marks.map(|l| number(&l["values"])), Some(1000));
}

#[test]
fn a_program_that_writes_where_it_must_not() {
    let said = habit(&["--at", "built#1", "--", "corrupt"]).expect(2);
    has_items(&said, 1000);
    said.says(&["the program failed (signal: 6"]);
}

#[test]
#[ignore = "slow: .ci/slow tests"]
fn another_build_than_the_one_that_ran() {
    // Its own target directory: other tests run the same program at the same time.
    let mut command = weigh(&fixture("census"));
    command.args(["census", "--offline", "--bin", "habits", "--target-dir"]);
    command.arg(workbench("census-replaced"));
    command.args(["--at", "built#1", "--", "replaced"]);
    run(&mut command)
        .expect(2)
        .says(&["was rebuilt while it ran"]);
}

#[test]
#[ignore = "slow: .ci/slow tests"]
fn a_moment_that_never_comes() {
    habit(&["--at", "nowhere", "--", "none"])
        .expect(2)
        .says(&["never came to `weigh_heap::census(\"nowhere\")`"]);
    habit(&["--at", "nowhere", "--", "itself"])
        .expect(2)
        .says(&["no label `nowhere`: there are `built`"]);
    habit(&["--at", "built#7", "--", "itself"])
        .expect(2)
        .says(&["#7"]);
    census(&[])
        .expect(2)
        .says(&["several programs can be run", "--bin habits"]);
}

/// Compiles a small program as a user would, without the flags that a census needs.
fn compiled(name: &str, flags: &[&str]) -> PathBuf {
    let text = "fn main() { println!(\"{:?}\", std::hint::black_box(vec![String::from(\"a\")])); \
                other(std::env::args().collect()); } \
                #[inline(never)] fn other(list: Vec<String>) { for text in list { \
                println!(\"{}\", text.len()); println!(\"{text}\"); } }";
    compiled_of(name, text, flags)
}

fn compiled_of(name: &str, text: &str, flags: &[&str]) -> PathBuf {
    let folder = workbench("census-programs");
    std::fs::create_dir_all(&folder).unwrap();
    let source = folder.join(format!("{name}.rs"));
    std::fs::write(&source, text).unwrap();
    let program = folder.join(name);
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let status = Command::new(rustc)
        .args(["--edition", "2024", "-o"])
        .arg(&program)
        .args(flags)
        .arg(&source)
        .status();
    assert!(status.unwrap().success());
    program
}

fn executed(program: &Path) -> Run {
    let mut command = weigh(&workbench("census-programs"));
    command.args(["census", "--message-format", "json", "--exec"]);
    run(command.arg(program))
}

/// What variables own is in the table too, and what lies in something else is in it once.
#[test]
fn every_byte_is_in_one_part() {
    let text = "struct Edge { to: u32, cost: [u64; 3] }\n\
                struct Road { edges: Vec<Edge>, name: String }\n\
                fn main() {\n\
                let raw = vec![1u8; 2_000_000];\n\
                let pairs: Vec<(u32, Box<u64>)> = (0..5000).map(|n| (n, Box::new(7))).collect();\n\
                let roads: Vec<Road> = (0..1000).map(|n| Road { name: format!(\"road {n}\"),\n\
                edges: (0..9).map(|to| Edge { to, cost: [1; 3] }).collect() }).collect();\n\
                let all = std::hint::black_box((raw, pairs, roads));\n\
                drop(std::hint::black_box(vec![1u64; 1_000_000]));\n\
                println!(\"{} {} {}\", all.0[7], all.1[7].0 + *all.1[8].1 as u32,\n\
                all.2.iter().map(|r| r.name.len() + r.edges.iter().map(|e| e.to as usize +\n\
                e.cost[1] as usize).sum::<usize>()).sum::<usize>());\n}\n";
    let program = compiled_of("parts", text, &["-g", "-Cforce-frame-pointers=yes"]);
    let said = executed(&program).expect(0);
    let lines = said.json();
    adds_up(&lines);
    let bytes = |kind: &str, ty: &str| -> u64 {
        let all = of_kind(&lines, "part").filter(|l| l["kind"] == kind);
        let own = all.filter(|l| l["type"].as_str().unwrap_or_default() == ty);
        own.map(|l| number(&l["bytes"])).sum()
    };
    assert_eq!(bytes("values", "parts::Edge"), 9000 * 32);
    assert_eq!(bytes("values", "parts::Road"), 1000 * 48);
    assert_eq!(bytes("values", "u64"), 5000 * 8);
    // Nothing says how much of the newest buffer is filled: it is not called spare.
    assert_eq!(bytes("unread", "u64"), 8_000_000);
    assert!(bytes("bytes", "") >= 2_000_000, "{}", said.stdout);
    let by_main = |l: &&Value| l["owner"].as_str().is_some_and(|by| by.contains("main"));
    let raw = of_kind(&lines, "part").find(|l| l["kind"] == "bytes" && by_main(l));
    assert_eq!(raw.unwrap()["bytes"], 2_000_000);
}

/// Each of these makes its block in a function of its own, which LLVM would merge with others.
const COLLECTIONS: &str = "use std::{collections::*, hint::black_box, rc::Rc, sync::Arc};\n\
    #[derive(PartialEq, Eq, PartialOrd, Ord, Hash)] struct User { name: String, id: u64 }\n\
    #[derive(PartialEq, Eq, PartialOrd, Ord, Hash)] struct Twin { text: String, n: u64 }\n\
    fn user(n: u64) -> User { User { name: format!(\"user {n}\"), id: n } }\n\
    fn twin(n: u64) -> Twin { Twin { text: format!(\"twin {n}\"), n } }\n\
    #[repr(align(128))] struct Cell { of: u64 }\n\
    fn main() {\n\
    let a: BTreeSet<User> = (0..2000).map(user).collect();\n\
    let b: HashSet<Twin> = (0..2000).map(twin).collect();\n\
    let c: HashSet<User> = (0..2000).map(user).collect();\n\
    let d: BTreeMap<u64, Twin> = (0..2000).map(|n| (n, twin(n))).collect();\n\
    let e: Rc<[User]> = (0..2000).map(user).collect();\n\
    let f: Arc<[Twin]> = (0..2000).map(twin).collect();\n\
    let g: Vec<Rc<User>> = (0..2000).map(|n| Rc::new(user(n))).collect();\n\
    let h: LinkedList<Twin> = (0..2000).map(twin).collect();\n\
    let i: Vec<Box<Cell>> = (0..2000).map(|of| Box::new(Cell { of })).collect();\n\
    // The buffer of one type is taken for the other.\n\
    let j: Vec<Twin> = (0..2000).map(user).collect::<Vec<User>>().into_iter()\n\
    .map(|u| Twin { text: u.name, n: u.id }).collect();\n\
    let j = black_box(Box::new((j, 7u8)));\n\
    drop(black_box(vec![1u8; 4_000_000]));\n\
    black_box((&a, &b, &c, &d, &e, &f, &g, &h, &i, &j));\n\
    println!(\"{}\", i[7].of + e[7].id + f[7].n + j.0[7].n + g[7].id + d[&7].n\n\
    + a.iter().map(|u| u.id).sum::<u64>() + b.iter().map(|t| t.n).sum::<u64>()\n\
    + c.iter().map(|u| u.id).sum::<u64>() + h.iter().map(|t| t.n).sum::<u64>());\n}\n";

#[test]
fn collections_of_std_are_counted_in_optimized_builds() {
    let scratch = Scratch::library("collected", "").file("src/main.rs", COLLECTIONS);
    for profile in ["dev", "release", "one", "small", "fat"] {
        let mut command = weigh(scratch.folder());
        let set = |name: &str, key: &str| format!("profile.{name}.{key}");
        command.args(["census", "--offline", "--profile", profile]);
        for one in [
            set("one", "inherits=\"release\""),
            set("one", "codegen-units=1"),
            set("small", "inherits=\"release\""),
            set("small", "opt-level=\"s\""),
            set("fat", "inherits=\"release\""),
            set("fat", "lto=\"fat\""),
        ] {
            command.args(["--config", &one]);
        }
        command.args(["--message-format", "json"]);
        let said = run(&mut command).expect(0);
        let lines = said.json();
        adds_up(&lines);
        let values = ["User", "Twin", "Cell"].map(|name| {
            let name = format!("collected::{name}");
            let found = of_kind(&lines, "type").find(|l| l["type"] == *name);
            found.map_or(0, |l| number(&l["values"]))
        });
        assert_eq!(values, [8000, 10_000, 2000], "{profile}");
        let summary = of_kind(&lines, "summary").last().unwrap();
        assert_eq!(summary["foreign_bytes"], 0, "{profile}: {summary}");
        let guessed = number(&summary["guessed_bytes"]) + number(&summary["contradicting_bytes"]);
        assert_eq!(guessed, 0, "{profile}: {summary}");
    }
}

/// Names are trusted only in a file that says that nothing was merged.
#[test]
fn a_program_says_by_a_symbol_that_its_functions_were_not_merged() {
    let flags = ["-g", "-O", "-Cforce-frame-pointers=yes"];
    let unmerged = [
        "-Cllvm-args=-opt-disable=mergefunc",
        "-Clink-arg=-Wl,--defsym=weigh_unmerged=0",
    ];
    let guessed = |said: &Run| {
        let lines = said.json();
        number(&of_kind(&lines, "summary").last().unwrap()["guessed_bytes"])
    };
    let said = executed(&compiled_of("merged", COLLECTIONS, &flags)).expect(0);
    assert!(guessed(&said) > 100_000, "{said:?}");
    let said = said.says(&[unmerged[0], unmerged[1]]);
    drop(said);
    let all = [&flags[..], &unmerged].concat();
    let said = executed(&compiled_of("unmerged", COLLECTIONS, &all)).expect(0);
    assert_eq!(guessed(&said), 0, "{said:?}");
}

/// An argument of an `async fn` is moved at the first poll, and stays where it was passed.
#[test]
fn what_futures_hold_is_counted_once() {
    let text = "use std::{future::Future, pin::Pin, task::{Context, Poll, Waker}};\n\
                struct Conn { id: u64, name: String }\n\
                struct Gate;\n\
                impl Future for Gate { type Output = ();\n\
                fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> { Poll::Pending } }\n\
                fn conn(id: u64) -> Conn { Conn { id, name: format!(\"connection {id}\") } }\n\
                async fn serve(conn: Conn) -> u64 {\n\
                let other = String::from(\"other\");\n\
                Gate.await;\n\
                conn.id + (conn.name.len() + other.len()) as u64 }\n\
                type Task = Pin<Box<dyn Future<Output = u64>>>;\n\
                fn main() {\n\
                let mut tasks: Vec<Task> = Vec::new();\n\
                for n in 0..1000 {\n\
                let one = conn(n);\n\
                tasks.push(Box::pin(serve(conn(n))));\n\
                tasks.push(Box::pin(async move { let moved = one; Gate.await; moved.id }));\n\
                // Was lent, so it keeps its place when it is dropped.\n\
                tasks.push(Box::pin(async move { let gone = conn(n); let k = std::hint::black_box(&gone).id;\n\
                drop(gone); Gate.await; k }));\n\
                }\n\
                let mut cx = Context::from_waker(Waker::noop());\n\
                for task in &mut tasks { assert!(task.as_mut().poll(&mut cx).is_pending()); }\n\
                for n in 0..1000 { tasks.push(Box::pin(serve(conn(n)))); }\n\
                drop(std::hint::black_box(vec![1u8; 2_000_000]));\n\
                println!(\"{}\", std::hint::black_box(tasks).len());\n}\n";
    for flags in [&["-g"][..], &["-g", "-O"]] {
        let flags = [flags, &["-Cforce-frame-pointers=yes"]].concat();
        let said = executed(&compiled_of("futures", text, &flags)).expect(0);
        let lines = said.json();
        let ty = |name: &str| of_kind(&lines, "type").find(|l| l["type"] == name).unwrap();
        assert_eq!(ty("futures::Conn")["values"], 3000, "{flags:?}");
        // By what it waits for, not by a number.
        let states = &ty("futures::serve::{async_fn_env#0}")["variants"];
        let wanted = serde_json::json!({"Unresumed": 1000, "line 9": 1000});
        assert_eq!(*states, wanted, "{flags:?}");
    }
}

/// What a variable owns belongs to the fields of its type, as what a value in the heap owns does.
#[test]
fn what_a_variable_owns_is_counted_for_its_fields() {
    let text = "pub struct Particle { at: [f64; 3] }\n\
                pub struct World { particles: Vec<Particle>, names: Vec<String> }\n\
                fn moved(list: Vec<u64>) -> u64 { std::hint::black_box(&list).len() as u64 }\n\
                fn main() {\n\
                let mut particles = Vec::with_capacity(5000);\n\
                particles.extend((0..2000).map(|n| Particle { at: [f64::from(n); 3] }));\n\
                let numbers: Vec<u64> = (0..1000).collect();\n\
                let sum = moved(numbers);\n\
                let names = (0..100).map(|n| format!(\"name {n}\")).collect();\n\
                let w = std::hint::black_box(World { particles, names });\n\
                let map: std::collections::HashMap<u32, u64> = (0..500).map(|n| (n, 1)).collect();\n\
                let map = std::hint::black_box(map);\n\
                // The peak.\n\
                drop(std::hint::black_box(vec![1u8; 2_000_000]));\n\
                let of = |w: &World| w.particles[7].at[1] as usize + w.names[7].len();\n\
                println!(\"{}\", of(&w) + sum as usize + map[&7] as usize);\n}\n";
    let scratch = Scratch::library("variables", "").file("src/main.rs", text);
    for profile in ["dev", "release"] {
        let (kept, text, lines) = kept_census(&scratch, profile);
        adds_up(&lines);
        let field = |name: &str| {
            let found = of_kind(&lines, "field").find(|l| l["field"] == name);
            let found = found.unwrap_or_else(|| panic!("{profile} {name}: {text}"));
            ["containers", "len", "capacity"].map(|key| number(&found[key]))
        };
        assert_eq!(field("particles"), [1, 2000, 5000], "{profile}");
        assert_eq!(field("names"), [1, 100, 100], "{profile}");
        assert_eq!(field("variable map of variables::main")[..2], [1, 500]);
        let mut command = weigh(scratch.folder());
        command.args(["--offline", "--census", &kept, "-W", "weigh::pedantic"]);
        let said = run(command.args(["--message-format", "json"])).expect(0);
        let findings = said.findings();
        let is_spare = |f: &Value| {
            let measured = &f["weigh"]["measured"];
            f["weigh"]["type"] == "World" && number(&measured["net_saved_bytes"]) >= 72_000
        };
        assert!(findings.iter().any(is_spare), "{profile}: {said:?}");
    }
}

/// Statics and variables are no part of the heap, with all that they have by value.
#[test]
fn variants_of_what_lies_outside_of_the_heap_are_not_counted() {
    let text = "use smallvec::SmallVec;\nuse std::{future::Future, hint::black_box, pin::Pin, sync::Mutex, task::{Context, Poll, Waker}};\n\
                pub enum Shape { Wide([u64; 16], Vec<u8>), Small(Inner, Vec<u8>) }\n\
                pub enum Inner { One, Two }\n\
                static HELD: Mutex<Option<Shape>> = Mutex::new(None);\n\
                static FEW: Mutex<Option<SmallVec<[Shape; 2]>>> = Mutex::new(None);\n\
                struct Gate;\n\
                impl Future for Gate { type Output = ();\n\
                fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> { Poll::Pending } }\n\
                fn wide(n: usize) -> Shape { Shape::Wide([1; 16], vec![2; n]) }\n\
                async fn waits() { let kept = wide(90); Gate.await; drop(black_box(kept)); }\n\
                #[inline(never)] fn peak() { drop(black_box(vec![1u8; 1_000_000])); }\n\
                fn main() {\n\
                *HELD.lock().unwrap() = Some(wide(50));\n\
                *FEW.lock().unwrap() = Some([wide(40), wide(41)].into());\n\
                let local = black_box([wide(60), Shape::Small(Inner::One, vec![5; 70])]);\n\
                let mut future = std::pin::pin!(waits());\n\
                assert!(future.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());\n\
                let list: Vec<Box<Shape>> = (0..7).map(|n| Box::new(Shape::Small(Inner::Two, vec![6; 80 + n]))).collect();\n\
                peak();\nblack_box((&local, &list, &future));\n}\n";
    let manifest = "[package]\nname = \"outside\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n\
                    [dependencies]\nsmallvec = \"1\"\n\n[workspace]\n";
    let scratch = Scratch::empty("outside").file("Cargo.toml", manifest);
    let scratch = scratch.file("src/main.rs", text);
    for profile in ["dev", "release"] {
        let (_, _, lines) = kept_census(&scratch, profile);
        adds_up(&lines);
        for (ty, variant) in [("outside::Shape", "Small"), ("outside::Inner", "Two")] {
            let found = of_kind(&lines, "type").find(|l| l["type"] == ty).unwrap();
            assert_eq!(found["values"], 7, "{profile}: {found}");
            let wanted = serde_json::json!({ variant: 7 });
            assert_eq!(found["variants"], wanted, "{profile}: {found}");
        }
    }
}

/// What variables of threads that wait own, whether they wait for a lock, a message or a time.
#[test]
fn what_variables_of_waiting_threads_own_is_counted() {
    let text = "use std::sync::{Mutex, mpsc};\nuse std::{hint::black_box, thread, time::Duration};\n\
                pub struct World { names: Vec<String> }\n\
                fn world(n: usize) -> World { World { names: (0..n).map(|n| format!(\"name {n}\")).collect() } }\n\
                fn locked(lock: &Mutex<u64>, ready: &mpsc::Sender<()>) {\n\
                let locked = black_box(world(100));\nready.send(()).unwrap();\n\
                *lock.lock().unwrap() += black_box(&locked).names.len() as u64;\n}\n\
                fn asked(asked: &mpsc::Receiver<u64>, ready: &mpsc::Sender<()>) {\n\
                let waiting = black_box(world(20));\nready.send(()).unwrap();\n\
                let n = asked.recv().unwrap();\nblack_box((&waiting, n));\n}\n\
                fn asleep(ready: &mpsc::Sender<()>) {\n\
                let sleeping = black_box(world(3));\nready.send(()).unwrap();\n\
                thread::sleep(Duration::from_millis(700));\nblack_box(&sleeping);\n}\n\
                fn main() {\n\
                let (lock, (ready, met), (ask, told)) = (Mutex::new(1), mpsc::channel(), mpsc::channel());\n\
                thread::scope(|scope| {\n\
                let held = lock.lock().unwrap();\n\
                let lock = &lock;\n\
                let [a, b, c] = [(); 3].map(|()| ready.clone());\n\
                scope.spawn(move || locked(lock, &a));\n\
                scope.spawn(move || asked(&told, &b));\n\
                scope.spawn(move || asleep(&c));\n\
                for _ in 0..800 { let a = ready.clone(); scope.spawn(move || locked(lock, &a)); }\n\
                for _ in 0..803 { met.recv().unwrap(); }\n\
                thread::sleep(Duration::from_millis(200));\n\
                // The peak.\n\
                drop(black_box(vec![1u8; 2_000_000]));\n\
                drop(held);\nask.send(7).unwrap();\n});\n}\n";
    let scratch = Scratch::library("waiting", "").file("src/main.rs", text);
    for profile in ["dev", "release"] {
        let mut command = weigh(scratch.folder());
        command.args(["census", "--offline", "--profile", profile]);
        let said = run(command.args(["--message-format", "json"])).expect(0);
        let lines = said.json();
        adds_up(&lines);
        let names = of_kind(&lines, "field").find(|l| l["field"] == "names");
        let counts = names.map(|l| ["containers", "len"].map(|key| number(&l[key])));
        assert_eq!(counts, Some([803, 80_123]), "{profile}: {}", said.stdout);
    }
}

/// Each bytes are requested by one line of the program, so what each owner keeps is known.
#[test]
fn what_would_go_without_an_owner_is_exact() {
    let text = "use std::{collections::HashMap, hint::black_box, sync::{Arc, Mutex}};\n\
                pub struct Order { note: String, shared: Arc<[u8; 1000]>, lines: Vec<[u64; 4]> }\n\
                pub struct Shop { open: HashMap<u32, Order>, seen: Vec<Arc<[u8; 500]>> }\n\
                static SHOP: Mutex<Option<Box<Shop>>> = Mutex::new(None);\n\
                static ALSO: Mutex<Vec<Arc<[u8; 500]>>> = Mutex::new(Vec::new());\n\
                fn main() {\n\
                let shared = Arc::new([7; 1000]);\n\
                let order = |n: usize| Order { note: \"n\".repeat(n), shared: shared.clone(), lines: vec![[1; 4]; 10] };\n\
                let open = (0..50).map(|n| (n, order(n as usize))).collect();\n\
                drop(order(3));\n\
                let seen: Vec<_> = (0..20).map(|_| Arc::new([1; 500])).collect();\n\
                ALSO.lock().unwrap().extend(seen[..5].iter().cloned());\n\
                drop(shared);\n\
                *SHOP.lock().unwrap() = Some(Box::new(Shop { open, seen }));\n\
                drop(black_box(vec![1u8; 2_000_000]));\n\
                let shop = SHOP.lock().unwrap();\n\
                let shop = shop.as_ref().unwrap();\n\
                let n = shop.open[&7].note.len() + shop.open[&8].shared[3] as usize + shop.open[&9].lines.len();\n\
                println!(\"{}\", n + shop.seen[1][3] as usize + ALSO.lock().unwrap().len());\n}\n";
    let scratch = Scratch::library("kept", "").file("src/main.rs", text);
    for profile in ["dev", "release"] {
        let (kept, text, lines) = kept_census(&scratch, profile);
        let field = |name: &str, key: &str| {
            let found = of_kind(&lines, "field").find(|l| l["field"] == name);
            number(&found.unwrap_or_else(|| panic!("{profile} {name}: {text}"))[key])
        };
        let notes: u64 = (0..50).sum();
        // Two counts are before what is shared, whose size is a multiple of theirs.
        let (one, small) = (1000 + 16, (500_u64 + 16).next_multiple_of(8));
        let (table, seen) = (field("open", "bytes"), field("seen", "bytes"));
        let wanted = [
            ("note", notes),
            ("lines", 50 * 10 * 32),
            ("shared", one),
            ("open", table + notes + 50 * 10 * 32 + one),
            // Five of them have another owner.
            ("seen", seen + 15 * small),
        ];
        for (name, bytes) in wanted {
            assert_eq!(field(name, "kept_bytes"), bytes, "{profile} {name}: {text}");
        }
        let path = |end: &[&str]| {
            let all = of_kind(&lines, "path");
            let found = all.filter(|l| {
                let path = l["path"].as_array().unwrap();
                let names = path.iter().filter_map(Value::as_str);
                names.eq(end.iter().copied())
            });
            found.last().map(|l| number(&l["kept_bytes"]))
        };
        let (shop, open) = (
            field("static kept::SHOP", "bytes"),
            field("open", "kept_bytes"),
        );
        let shops = shop + open + seen + 15 * small;
        assert_eq!(
            path(&["static kept::SHOP"]),
            Some(shops),
            "{profile}: {text}"
        );
        let orders = ["static kept::SHOP", "kept::Shop::open"];
        assert_eq!(path(&orders), Some(open), "{profile}: {text}");
        let both = ["several owners", "kept::Shop::seen[]"];
        assert_eq!(path(&both), Some(5 * small), "{profile}: {text}");
        // Sites know of blocks that are gone.
        let orders = of_kind(&lines, "made").filter(|l| l["type"] == "[u64; 4]");
        let made = orders.map(|l| [number(&l["blocks"]), number(&l["made_blocks"])]);
        let sum = made.reduce(|a, b| [a[0] + b[0], a[1] + b[1]]);
        assert_eq!(sum, Some([50, 51]), "{profile}: {text}");
        let orders = of_kind(&lines, "made").filter(|l| l["type"] == "[u64; 4]");
        let bytes: u64 = orders.map(|l| number(&l["made_bytes"])).sum();
        assert_eq!(bytes, 51 * 10 * 32, "{profile}: {text}");
        let asked = |arguments: &[&str]| {
            let mut command = weigh(scratch.folder());
            run(command.args(["census", &kept]).args(arguments))
        };
        let said = asked(&["Order"]).expect(0);
        for words in [
            "kept::Order (56 bytes): 50 values",
            "static kept::SHOP → kept::Shop::open",
            "kept::Order::lines (Vec): 50, 500 of 500 used",
            "main.rs:9",
        ] {
            assert!(said.stdout.contains(words), "{words}: {}", said.stdout);
        }
        let said = asked(&["kept::Shop.seen"]).expect(0);
        assert!(
            said.stdout.contains("would go without them"),
            "{}",
            said.stdout
        );
        let said = asked(&["Order", "--message-format", "json"]).expect(0);
        assert!(said.json().iter().any(|l| l["census"] == "path"));
        asked(&["Ordre"]).expect(2);
    }
}

/// Twelve shapes of cycles, each a thousand times, and the same with a weak link or an owner that is
/// known or not.
#[test]
fn cycles_that_nothing_leads_to_are_leaks() {
    // With the cycles, values and lists of each.
    let shapes = [
        (
            "Own",
            "let a = new(); *a.next.borrow_mut() = Some(a.clone());",
            [1, 1, 0],
        ),
        (
            "Pair",
            "let (a, b) = (new(), new()); *a.next.borrow_mut() = Some(b.clone()); *b.next.borrow_mut() = Some(a);",
            [1, 2, 0],
        ),
        (
            "Ring",
            "let all = [new(), new(), new()]; for n in 0..3 { *all[n].next.borrow_mut() = Some(all[(n + 1) % 3].clone()); }",
            [1, 3, 0],
        ),
        (
            "Tail",
            "let (a, b) = (new(), new()); *a.next.borrow_mut() = Some(a.clone()); a.more.borrow_mut().push(b);",
            [1, 2, 1],
        ),
        (
            "Children",
            "let a = new(); for _ in 0..3 { let b = new(); *b.next.borrow_mut() = Some(a.clone()); a.more.borrow_mut().push(b); }",
            [1, 4, 1],
        ),
        (
            "Both",
            "let [a, b, c] = [new(), new(), new()]; for one in [&a, &b] { *one.next.borrow_mut() = Some(one.clone()); one.more.borrow_mut().push(c.clone()); }",
            [2, 3, 2],
        ),
    ];
    let mut text = "use std::{cell::RefCell, hint::black_box, sync::{Arc, Mutex}};\n\
         type Alive = Arc<[u64; 100_000]>;\nstatic ALIVE: Mutex<Vec<Alive>> = Mutex::new(Vec::new());\n"
        .to_owned();
    let (mut leaks, mut sound) = (String::new(), String::new());
    for (name, code, _) in shapes {
        for kind in ["Rc", "Arc"] {
            let name = format!("{name}{kind}");
            let path = if kind == "Rc" { "std::rc" } else { "std::sync" };
            text.push_str(&format!(
                "pub mod {} {{ use {path}::{{{kind} as S, Weak}}; use super::*;\n\
                 pub struct {name} {{ next: RefCell<Option<S<{name}>>>, weak: RefCell<Weak<{name}>>,\n\
                 more: RefCell<Vec<S<{name}>>>, data: Vec<u64>, alive: Alive }}\n\
                 pub fn new() -> S<{name}> {{ S::new({name} {{ next: None.into(), weak: Weak::new().into(),\n\
                 more: Vec::new().into(), data: vec![1; 10], alive: ALIVE.lock().unwrap()[0].clone() }}) }}\n\
                 #[inline(never)] pub fn leak() {{ {code} }}\n\
                 #[inline(never)] pub fn weak() -> S<{name}> {{ let a = new(); let b = new();\n\
                 *b.weak.borrow_mut() = S::downgrade(&a); a.more.borrow_mut().push(b); a }}\n\
                 /// A cycle that is still held.\n\
                 #[inline(never)] pub fn held() -> S<{name}> {{ let a = new(); *a.next.borrow_mut() = Some(a.clone()); a }}\n\
                 pub fn read(all: &[S<{name}>]) -> usize {{ all.iter().map(|a| a.data.len() + a.alive.len() + a.more.borrow().len()\n\
                 + a.next.borrow().is_some() as usize + a.weak.borrow().strong_count()).sum() }} }}\n",
                name.to_lowercase()
            ));
            let module = name.to_lowercase();
            leaks.push_str(&format!("for _ in 0..1000 {{ {module}::leak(); }}\n"));
            sound.push_str(&format!(
                "let one = black_box({module}::held());\n\
                 let all: Vec<_> = (0..1000).map(|n| if n % 2 == 0 {{ {module}::weak() }} else {{ {module}::held() }}).collect();\n\
                 kept.push(Box::new(move || {module}::read(&all) + {module}::read(&[one.clone()])));\n"
            ));
        }
    }
    text.push_str(&format!(
        "fn main() {{\nALIVE.lock().unwrap().push(Arc::new([1; 100_000]));\nlet mut kept: Vec<Box<dyn Fn() -> usize>> = Vec::new();\n\
         if std::env::args().count() > 1 {{ {leaks} }} else {{ {sound} }}\n\
         drop(black_box(vec![1u8; 20_000_000]));\n\
         println!(\"{{}}\", kept.iter().map(|f| f()).sum::<usize>());\n}}\n"
    ));
    for flags in [&["-g"][..], &["-g", "-O"]] {
        let flags = [flags, &["-Cforce-frame-pointers=yes"]].concat();
        let program = compiled_of("leaks", &text, &flags);
        let leaks = |arguments: &[&str]| {
            let mut command = weigh(program.parent().unwrap());
            command.args(["census", "--message-format", "json", "--exec"]);
            command.arg(&program).arg("--").args(arguments);
            let said = run(&mut command).expect(0);
            let lines = said.json();
            let of = |kind| of_kind(&lines, kind).cloned().collect::<Vec<Value>>();
            (of("leak"), of("type"))
        };
        let (found, all) = leaks(&["leak"]);
        let types: std::collections::BTreeSet<&str> =
            found.iter().filter_map(|l| l["type"].as_str()).collect();
        assert_eq!(types.len(), 12, "{flags:?}: {found:?}");
        for leak in &found {
            let ty = leak["type"].as_str().unwrap();
            let of = |(name, _, n): &(&str, &str, [u64; 3])| {
                ty.contains(&format!("::{name}")).then_some(*n)
            };
            let [cycles, values, lists] = shapes.iter().find_map(of).unwrap();
            let size = all
                .iter()
                .find(|l| l["type"] == ty)
                .map(|l| number(&l["size"]));
            // Two counts, and ten numbers; a list has room for four.
            let bytes = values * (16 + size.unwrap() + 80) + lists * 32;
            for (key, wanted) in [
                ("cycles", cycles),
                ("blocks", 2 * values + lists),
                ("bytes", bytes),
            ] {
                assert_eq!(number(&leak[key]), 1000 * wanted, "{key}: {leak}");
            }
        }
        assert_eq!(leaks(&[]).0, Vec::<Value>::new(), "{flags:?}");
    }
}

/// Each stack that made a block, and each that has grown it, of no more stacks than are resolved.
#[test]
fn what_each_stack_made_is_counted() {
    let text = "use std::hint::black_box;\n\
                #[inline(never)] fn by_way(way: u32, left: u32) -> Box<[u8; 40]> {\n\
                if left == 0 { return Box::new([way as u8; 40]); }\n\
                if way & 1 == 1 { let made = by_way(way >> 1, left - 1); black_box(made) }\n\
                else { let made = by_way(way >> 1, left - 1); black_box(made) } }\n\
                #[inline(never)] fn grown(list: &mut Vec<u16>) { list.reserve_exact(1000); }\n\
                fn main() {\n\
                let left = std::env::args().nth(1).unwrap().parse().unwrap();\n\
                let ways: Vec<_> = (0..1u32 << left).map(|way| by_way(way, left)).collect();\n\
                let mut lists: Vec<Vec<u16>> = (0..1000).map(|_| Vec::with_capacity(1)).collect();\n\
                lists.iter_mut().for_each(grown);\n\
                drop(black_box(vec![1u8; 20_000_000]));\n\
                black_box((ways, lists));\n}\n";
    let program = compiled_of("sites", text, &["-g", "-Cforce-frame-pointers=yes"]);
    for (left, is_cut) in [("9", false), ("11", true)] {
        let mut command = weigh(program.parent().unwrap());
        command.args(["census", "--message-format", "json", "--exec"]);
        command.arg(&program).args(["--", left]);
        let said = run(&mut command).expect(0);
        let lines = said.json();
        let of = |function: &str| {
            let is_it = |l: &&Value| l["frames"][0].as_str().unwrap().contains(function);
            let own = of_kind(&lines, "made").filter(is_it);
            let counts = own.map(|l| ["blocks", "made_blocks"].map(|key| number(&l[key])));
            counts.fold([0, 0], |a, b| [a[0] + b[0], a[1] + b[1]])
        };
        let all = of("sites::by_way");
        assert_eq!(all == [512, 512], !is_cut, "{all:?}: {}", said.stdout);
        assert_eq!(of("sites::grown"), [1000, 1000], "{}", said.stdout);
        for made in of_kind(&lines, "made") {
            assert_eq!(made["at_least"] == true, is_cut, "{made}");
        }
    }
}

/// A page that follows the program's statics says what a `Vec` would of a buffer.
#[test]
fn memory_behind_statics_is_none_of_them() {
    let text = "use std::{fs, hint::black_box};\n\
                unsafe extern \"C\" { fn mmap(at: usize, n: usize, may: i32, how: i32, of: i32, from: i64) -> usize; }\n\
                #[inline(never)] fn hidden() -> usize {\n\
                let list = black_box(Vec::<u64>::with_capacity(1000));\n\
                !(std::mem::ManuallyDrop::new(list).as_ptr() as usize) }\n\
                #[inline(never)] fn statics_end() -> usize {\n\
                let own = std::env::current_exe().unwrap();\n\
                let mut end = 0;\n\
                for line in fs::read_to_string(\"/proc/self/maps\").unwrap().lines() {\n\
                let range = line.split(' ').next().unwrap().split_once('-').unwrap();\n\
                let [from, to] = [range.0, range.1].map(|n| usize::from_str_radix(n, 16).unwrap());\n\
                let is_zeros = from == end && !line.contains(['/', '[']);\n\
                if line.ends_with(own.to_str().unwrap()) || is_zeros { end = to; } }\n\
                end }\n\
                fn main() {\n\
                let end = statics_end();\n\
                // Private memory, at this address or nowhere.\n\
                let at = unsafe { mmap(end, 4096, 3, 0x100022, -1, 0) };\n\
                let hidden = hidden();\n\
                if at == end { unsafe { *(at as *mut [usize; 3]) = [1000, !hidden, 3] } }\n\
                drop(black_box(vec![1u8; 2_000_000]));\n\
                println!(\"{}\", black_box(hidden) != at);\n}\n";
    let program = compiled_of("behind", text, &["-g", "-O", "-Cforce-frame-pointers=yes"]);
    let said = executed(&program).expect(0);
    let lines = said.json();
    adds_up(&lines);
    let buffers = of_kind(&lines, "part").filter(|l| l["type"] == "u64");
    let kinds: Vec<_> = buffers
        .map(|l| (l["kind"].as_str(), number(&l["bytes"])))
        .collect();
    assert_eq!(kinds, [(Some("unread"), 8000)], "{}", said.stdout);
}

/// A heap that is smaller than the part of it that is worth a line.
#[test]
fn what_only_weak_owners_lead_to_is_said_to_be() {
    let text = "use std::{hint::black_box, sync::{Arc, Mutex, Weak}};\n\
                pub struct Seen { all: Vec<Weak<[u64; 4]>> }\n\
                static SEEN: Mutex<Seen> = Mutex::new(Seen { all: Vec::new() });\n\
                static NONE: Mutex<Vec<String>> = Mutex::new(Vec::new());\n\
                fn main() {\n\
                let mut seen = black_box(&SEEN).lock().unwrap();\nseen.all.reserve_exact(4);\n\
                for n in 0..4 { let one = Arc::new([n; 4]); seen.all.push(Arc::downgrade(&one)); }\n\
                drop(seen);\n\
                black_box(NONE.lock().unwrap().len());\n}\n";
    let program = compiled_of("weaks", text, &["-g", "-Cforce-frame-pointers=yes"]);
    let mut command = weigh(program.parent().unwrap());
    command.args(["census", "--message-format", "json", "--at", "exit"]);
    let said = run(command.arg("--exec").arg(&program)).expect(0);
    let lines = said.json();
    let summary = of_kind(&lines, "summary").last().unwrap();
    assert!(number(&summary["live_bytes"]) < 1000, "{summary}");
    let of = |first: &str| {
        let all = of_kind(&lines, "path").filter(|l| l["path"][0] == first);
        all.map(|l| number(&l["blocks"])).sum::<u64>()
    };
    assert_eq!(
        [of("weak owners alone"), of("static weaks::SEEN")],
        [4, 1],
        "{}",
        said.stdout
    );
    for path in of_kind(&lines, "path") {
        assert!(number(&path["kept_bytes"]) > 0, "{path}");
    }
}

/// What the kernel and malloc say at the same moment.
#[test]
fn resident_and_free_memory_are_what_the_system_says() {
    let text = "use std::{fs, hint::black_box};\n\
                unsafe extern \"C\" { fn malloc_info(options: i32, to: *mut u8) -> i32;\n\
                fn open_memstream(text: *mut *mut u8, len: *mut usize) -> *mut u8;\n\
                fn fflush(stream: *mut u8) -> i32; }\n\
                fn main() {\n\
                let mut all: Vec<Vec<u8>> = (0..60_000).map(|n| vec![1; 100 + n % 900]).collect();\n\
                // Free space that malloc cannot give back.\n\
                let mut n = 0;\nall.retain(|_| { n += 1; n % 3 == 0 });\n\
                let (mut text, mut len) = (std::ptr::null_mut(), 0);\n\
                let stream = unsafe { open_memstream(&mut text, &mut len) };\n\
                unsafe { malloc_info(0, stream); fflush(stream); }\n\
                let info = unsafe { std::slice::from_raw_parts(text, len) };\n\
                let info = String::from_utf8_lossy(info).into_owned();\n\
                eprintln!(\"info {}\", info.replace('\\n', \" \"));\n\
                eprintln!(\"statm {}\", fs::read_to_string(\"/proc/self/statm\").unwrap().trim());\n\
                weigh_heap::census(\"now\");\n\
                println!(\"{}\", black_box(all).len());\n}\n";
    let heap = repository().join("heap");
    let manifest = format!(
        "[package]\nname = \"resident\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\
         [dependencies]\nweigh-heap = {{ path = {heap:?} }}\n[workspace]\n"
    );
    let scratch = Scratch::library("resident", "")
        .file("Cargo.toml", &manifest)
        .file("src/main.rs", text);
    let mut command = weigh(scratch.folder());
    command.args(["census", "--offline", "--at", "now#1"]);
    let said = run(command.args(["--message-format", "json"])).expect(0);
    let lines = said.json();
    let summary = of_kind(&lines, "summary").last().unwrap();
    let found = |key: &str| number(&summary["memory"][key]) as f64;
    let line = |start: &str| {
        let mut all = said.stderr.lines().filter_map(|l| l.strip_prefix(start));
        all.next()
            .unwrap_or_else(|| panic!("{start}: {}", said.stderr))
    };
    let pages: Vec<f64> = line("statm ")
        .split(' ')
        .map(|n| n.parse().unwrap())
        .collect();
    // The totals are behind those of each heap.
    let totals = |start: &str| -> f64 {
        let after = line("info ").rsplit(start).next().unwrap();
        let size = after.split("size=\"").nth(1).unwrap();
        size.split('"').next().unwrap().parse().unwrap()
    };
    let free = totals("<total type=\"fast\"") + totals("<total type=\"rest\"");
    let wanted = [
        ("resident_bytes", pages[1] * 4096.0),
        ("file_bytes", pages[2] * 4096.0),
        (
            "malloc_bytes",
            totals("<system type=\"current\"") + totals("<total type=\"mmap\""),
        ),
        ("free_bytes", free),
    ];
    for (key, wanted) in wanted {
        let found = found(key);
        assert!(
            (found - wanted).abs() <= wanted / 100.0,
            "{key}: {found} of {wanted}"
        );
    }
    assert!(free > 10_000_000.0, "{free}");
    let own = found("recorder_bytes");
    let headers = number(&summary["blocks"]) * 16;
    assert!(
        own > headers as f64 && own < found("resident_bytes"),
        "{own}"
    );
    let sizes = summary["sizes"].as_array().unwrap();
    let sum = |key: &str| sizes.iter().map(|s| number(&s[key])).sum::<u64>();
    assert_eq!(sum("blocks"), number(&summary["blocks"]));
    assert_eq!(sum("bytes"), number(&summary["live_bytes"]));
    let taken = number(&summary["live_bytes"]) + number(&summary["malloc_bytes"]);
    assert_eq!(sum("malloc_bytes"), taken);
}

/// What a library that is loaded later has allocated, and what only it knows the type of.
#[test]
fn what_a_loaded_library_has_is_counted() {
    let library = "pub struct User { name: String, ids: Vec<u64> }\n\
                   pub trait Plugin { fn len(&self) -> usize; }\n\
                   struct Users { all: Vec<User> }\n\
                   impl Plugin for Users { fn len(&self) -> usize {\n\
                   self.all.iter().map(|u| u.name.len() + u.ids.len()).sum() } }\n\
                   static KEPT: std::sync::Mutex<Vec<User>> = std::sync::Mutex::new(Vec::new());\n\
                   fn user(n: u64) -> User { User { name: format!(\"user {n}\"), ids: vec![n; 5] } }\n\
                   #[unsafe(no_mangle)] pub fn plugin_open() -> Box<dyn Plugin> {\n\
                   KEPT.lock().unwrap().extend((0..200).map(user));\n\
                   Box::new(Users { all: (0..1000).map(user).collect() }) }\n";
    let program = "use std::ffi::{CString, c_char, c_int, c_void};\n\
                   unsafe extern \"C\" { fn dlopen(path: *const c_char, flags: c_int) -> *mut c_void;\n\
                   fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void; }\n\
                   pub trait Plugin { fn len(&self) -> usize; }\n\
                   struct Host { plugins: Vec<Box<dyn Plugin>>, names: Vec<String> }\n\
                   fn main() {\n\
                   let path = CString::new(std::env::args().nth(1).unwrap()).unwrap();\n\
                   let library = unsafe { dlopen(path.as_ptr(), 2) };\n\
                   assert!(!library.is_null());\n\
                   let open = unsafe { dlsym(library, c\"plugin_open\".as_ptr()) };\n\
                   let open: fn() -> Box<dyn Plugin> = unsafe { std::mem::transmute(open) };\n\
                   let names = (0..10).map(|n| format!(\"plugin {n}\")).collect();\n\
                   let host = std::hint::black_box(Box::new(Host { plugins: vec![open()], names }));\n\
                   drop(std::hint::black_box(vec![1u8; 2_000_000]));\n\
                   println!(\"{}\", host.plugins[0].len() + host.names.len());\n}\n";
    for flags in [&["-g"][..], &["-g", "-O"]] {
        let flags = [flags, &["-Cforce-frame-pointers=yes"]].concat();
        let kind = [&flags[..], &["--crate-type=cdylib"]].concat();
        let plugin = compiled_of("plugin", library, &kind);
        let program = compiled_of("host", program, &flags);
        let mut command = weigh(program.parent().unwrap());
        command.args(["census", "--message-format", "json", "--exec"]);
        command.arg(&program).arg("--").arg(&plugin);
        let said = run(&mut command).expect(0);
        let lines = said.json();
        adds_up(&lines);
        let users = of_kind(&lines, "type").find(|l| l["type"] == "plugin::User");
        let users = users.unwrap_or_else(|| panic!("{flags:?}: {}", said.stdout));
        assert_eq!(users["values"], 1200, "{flags:?}: {users}");
        let field = |name: &str| {
            let found = of_kind(&lines, "field").find(|l| l["field"] == name);
            found.map(|l| number(&l["len"]))
        };
        assert_eq!(field("all"), Some(1000), "{flags:?}: {}", said.stdout);
        assert_eq!(
            field("static plugin::KEPT"),
            Some(200),
            "{flags:?}: {}",
            said.stdout
        );
        assert_eq!(field("names"), Some(10), "{flags:?}");
        let made = of_kind(&lines, "made").any(|l| l["frames"].to_string().contains("plugin.rs:7"));
        assert!(made, "{flags:?}: {}", said.stdout);
        let other = of_kind(&lines, "summary").last().unwrap();
        assert!(
            number(&other["foreign_bytes"]) < 5_000,
            "{flags:?}: {other}"
        );
    }
}

/// A program that is not of Rust, such as Python, describes nothing; a library that it loads does.
#[test]
fn a_program_of_c_that_loads_a_library() {
    let library = "pub struct User { name: String, ids: Vec<u64> }\n\
                   fn user(n: u64) -> User { User { name: format!(\"user {n}\"), ids: vec![n; 5] } }\n\
                   #[unsafe(no_mangle)] pub extern \"C\" fn fill() -> *mut Vec<User> {\n\
                   Box::into_raw(Box::new((0..1000).map(user).collect())) }\n\
                   #[unsafe(no_mangle)] pub extern \"C\" fn count(all: *mut Vec<User>) -> usize {\n\
                   // SAFETY: it is what `fill` gave.\n\
                   unsafe { &*all }.iter().map(|u| u.name.len() + u.ids.len()).sum() }\n";
    let program = "#include <dlfcn.h>\n#include <stdio.h>\n#include <stdlib.h>\n\
                   int main(int argc, char **argv) {\n\
                   char *own = malloc(3000);\n\
                   if (argc < 2) return own == 0;\n\
                   void *library = dlopen(argv[1], RTLD_NOW);\n\
                   void *(*fill)(void) = dlsym(library, \"fill\");\n\
                   size_t (*count)(void *) = dlsym(library, \"count\");\n\
                   printf(\"%zu %d\\n\", count(fill()), own == 0);\n\
                   free(own); return 0; }\n";
    let frames = "-Cforce-frame-pointers=yes";
    let library = compiled_of("loaded", library, &["-g", frames, "--crate-type=cdylib"]);
    let folder = library.parent().unwrap();
    std::fs::write(folder.join("interpreter.c"), program).unwrap();
    let mut cc = Command::new("cc");
    cc.current_dir(folder)
        .args(["interpreter.c", "-o", "interpreter", "-ldl"]);
    assert!(cc.status().unwrap().success());
    // Looked up as a shell does.
    let census = |arguments: &[&Path]| {
        let elsewhere = Scratch::empty("census-interpreter");
        let mut command = weigh(elsewhere.folder());
        let path = std::env::var_os("PATH").unwrap_or_default();
        let folders = std::env::split_paths(&path).chain([folder.to_owned()]);
        command.env("PATH", std::env::join_paths(folders).unwrap());
        command.args([
            "census",
            "--message-format",
            "json",
            "--exec",
            "interpreter",
            "--",
        ]);
        run(command.args(arguments))
    };
    let lines = census(&[&library]).expect(0).json();
    adds_up(&lines);
    let users = of_kind(&lines, "type").find(|l| l["type"] == "loaded::User");
    assert_eq!(users.expect("a type")["values"], 1000);
    let summary = of_kind(&lines, "summary").last().unwrap();
    assert!(number(&summary["foreign_bytes"]) >= 3000, "{summary}");
    let head = of_kind(&lines, "head").next().unwrap();
    assert!(
        head["rustc"].as_str().is_some_and(|said| !said.is_empty()),
        "{head}"
    );
    census(&[])
        .expect(2)
        .says(&["debug = 2", "nor has any library"]);
}

/// What containers of no known crate own by a raw pointer.
#[test]
fn what_raw_pointers_own_is_counted() {
    let text = "use std::alloc::{Layout, alloc};\n\
                struct Node { next: *mut Node, name: String, n: u64 }\n\
                struct Chain { first: *mut Node, len: usize }\n\
                impl Chain { #[inline(never)] fn push(&mut self, n: u64) {\n\
                // SAFETY: it is written at once.\n\
                unsafe { let at = alloc(Layout::new::<Node>()).cast::<Node>();\n\
                at.write(Node { next: self.first, name: format!(\"node {n}\"), n });\n\
                self.first = at; self.len += 1; } } }\n\
                fn main() {\n\
                let mut all = Box::new(Chain { first: std::ptr::null_mut(), len: 0 });\n\
                for n in 0..1000 { all.push(n); }\n\
                drop(std::hint::black_box(vec![1u8; 2_000_000]));\n\
                let all = std::hint::black_box(all);\n\
                // SAFETY: there is one.\n\
                let first = unsafe { &*all.first };\n\
                println!(\"{} {} {}\", all.len, first.name.len(), first.n);\n}\n";
    let flags = ["-g", "-O", "-Cforce-frame-pointers=yes"];
    let said = executed(&compiled_of("raw", text, &flags)).expect(0);
    let lines = said.json();
    let nodes = of_kind(&lines, "type").find(|l| l["type"] == "raw::Node");
    assert_eq!(nodes.unwrap()["values"], 1000);
    let names = of_kind(&lines, "field").find(|l| l["field"] == "name");
    assert_eq!(names.unwrap()["containers"], 1000);
}

/// Whoever can put a file into the target folder would run code by it.
#[test]
fn a_recorder_that_lies_there_is_not_loaded() {
    let flags = ["--crate-type", "cdylib", "-Cpanic=abort"];
    let text = "#[used] #[unsafe(link_section = \".init_array\")] \
                static START: extern \"C\" fn() = start; \
                extern \"C\" fn start() { eprintln!(\"replaced\") }";
    let replaced = compiled_of("replaced", text, &flags);
    let program = compiled("recorded", &["-g", "-Cforce-frame-pointers=yes"]);
    let scratch = Scratch::outside("census-recorder");
    let executed = || {
        let mut command = weigh(scratch.folder());
        command.args(["census", "--exec"]).arg(&program);
        run(command.arg("--target-dir").arg(scratch.folder())).expect(0)
    };
    executed();
    let folder = scratch.folder().join("weigh/census");
    let entries = std::fs::read_dir(&folder).unwrap();
    let left: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    let planted = [folder.join("recorder-0123456789abcdef.so")];
    for path in left.iter().chain(&planted) {
        std::fs::copy(&replaced, path).unwrap();
    }
    let said = executed();
    assert!(!said.stderr.contains("replaced"), "{said:?}");
    assert!(left.is_empty(), "{left:?}");
}

#[test]
#[ignore = "slow: .ci/slow tests"]
fn programs_that_cannot_be_counted_say_why() {
    let frames = "-Cforce-frame-pointers=yes";
    let stripped = compiled("stripped", &["-g", frames, "-Cstrip=symbols"]);
    executed(&stripped)
        .expect(2)
        .says(&["no debug information", "debug = 2"]);
    // Without any, std still has line tables.
    for info in ["none", "line-tables-only"] {
        let without = compiled(info, &[&format!("-Cdebuginfo={info}"), frames]);
        executed(&without)
            .expect(2)
            .says(&["no debug information of its own code, or only line tables"]);
    }
    let frameless = compiled("frameless", &["-g", "-O", "-Cforce-frame-pointers=no"]);
    executed(&frameless)
        .expect(2)
        .says(&["without frame pointers", "-Cforce-frame-pointers=yes"]);
    let split = compiled("split", &["-g", frames, "-Csplit-debuginfo=unpacked"]);
    for part in std::fs::read_dir(split.parent().unwrap()).unwrap() {
        let part = part.unwrap().path();
        if part.extension().is_some_and(|e| e == "dwo") {
            std::fs::remove_file(part).unwrap();
        }
    }
    executed(&split)
        .expect(2)
        .says(&["split off", ".dwo", "-Csplit-debuginfo=off"]);
    let folder = workbench("census-programs");
    let script = folder.join("script.sh");
    std::fs::write(&script, "#!/bin/sh\n").unwrap();
    executed(&script).expect(2).says(&["is not a program"]);
    executed(&folder.join("nothing"))
        .expect(2)
        .says(&["cannot find"]);
    let whole = compiled("whole", &["-g", frames]);
    executed(&whole).expect(0);
    let bytes = std::fs::read(&whole).unwrap();
    let cut = folder.join("cut");
    for end in [0, 100, bytes.len() / 2, bytes.len() - 100] {
        std::fs::copy(&whole, &cut).unwrap();
        std::fs::write(&cut, &bytes[..end]).unwrap();
        executed(&cut).expect(2).says(&["is not a program"]);
    }
}

#[test]
fn a_program_with_an_allocator_of_its_own_is_told_of_the_crate() {
    // The linker keeps only functions that are called: mimalloc's crate does not call `mi_malloc`.
    for (function, allocator) in [("mi_free", "mimalloc"), ("_rjem_sdallocx", "jemalloc")] {
        let text = format!(
            "#[unsafe(no_mangle)] pub extern \"C\" fn {function}() {{}} \
             fn main() {{ {function}(); println!(\"{{}}\", String::from(\"a\")); }}"
        );
        let flags = ["-g", "-Cforce-frame-pointers=yes"];
        executed(&compiled_of(function, &text, &flags))
            .expect(2)
            .says(&[allocator, "`weigh_heap::Heap::wrap(…)`"]);
    }
}

/// Returns true if rustc has std for a target here.
fn has_std(triple: &str) -> bool {
    let mut rustc = Command::new(std::env::var_os("WEIGH_RUSTC").unwrap_or("rustc".into()));
    let library = rustc
        .args(["--print", "target-libdir", "--target", triple])
        .output();
    let library = String::from_utf8(library.unwrap().stdout).unwrap();
    let is_there = Path::new(library.trim()).is_dir();
    if !is_there {
        println!("left out: there is no std for {triple}");
    }
    is_there
}

#[test]
#[ignore = "slow: .ci/slow tests"]
fn programs_with_the_crate_compile_everywhere() {
    let elsewhere = [
        "x86_64-pc-windows-gnu",
        "x86_64-unknown-linux-musl",
        "wasm32-unknown-unknown",
        "i686-unknown-linux-gnu",
        // The recorder supports this target, untested.
        "aarch64-apple-darwin",
        "x86_64-apple-darwin",
    ];
    for triple in elsewhere.into_iter().filter(|triple| has_std(triple)) {
        let mut command = Command::new("cargo");
        command.args(["check", "--offline", "--quiet", "--bin", "allocator"]);
        command.args(["--target", triple, "--manifest-path"]);
        command.arg(fixture("census").join("Cargo.toml"));
        command
            .arg("--target-dir")
            .arg(workbench("census-elsewhere"));
        let output = command.output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{triple}: {said}");
        assert!(!said.contains("weigh-heap"), "{triple}: {said}");
    }
}

#[test]
fn targets_where_nothing_is_recorded_are_named() {
    for triple in ["x86_64-pc-windows-gnu", "x86_64-unknown-linux-musl"] {
        if has_std(triple) {
            census(&["--bin", "census", "--target", triple])
                .expect(2)
                .says(&[triple, "only be taken on Linux with glibc", "weigh-heap"]);
        }
    }
}

#[test]
#[ignore = "slow: .ci/slow tests"]
fn what_is_linked_statically_records_itself_or_says_why_not() {
    let built = |triple: &str, bin: &str, flags: &str| {
        let mut command = Command::new("cargo");
        command.args(["build", "--offline", "--quiet", "--bin", bin]);
        command.args(["--target", triple, "--manifest-path"]);
        command.arg(fixture("census").join("Cargo.toml"));
        let folder = workbench("census-static");
        command.arg("--target-dir").arg(&folder);
        command.env_remove("CARGO_ENCODED_RUSTFLAGS");
        command.env("RUSTFLAGS", flags);
        assert!(command.status().unwrap().success());
        executed(&folder.join(triple).join("debug").join(bin))
    };
    let (gnu, musl) = ("x86_64-unknown-linux-gnu", "x86_64-unknown-linux-musl");
    let fixed = "-Ctarget-feature=+crt-static -Cforce-frame-pointers=yes";
    built(gnu, "habits", fixed)
        .expect(2)
        .says(&["is linked statically", "`weigh_heap::Heap`"]);
    built(gnu, "allocator", fixed)
        .expect(0)
        .says(&["of the peak"]);
    if has_std(musl) {
        // The crate builds there, and forwards all calls.
        built(musl, "allocator", "-Cforce-frame-pointers=yes")
            .expect(2)
            .says(&["is linked statically", "`-linux-gnu`"]);
    }
}

#[test]
#[ignore = "slow: .ci/slow tests"]
fn debug_information_is_read_wherever_it_is() {
    let build = workbench("census-split");
    let built = |split: &str| {
        let mut command = Command::new("cargo");
        command.args([
            "build",
            "--offline",
            "--bin",
            "census",
            "--profile",
            "release",
        ]);
        command.args(["--config", "profile.release.debug=2", "--config"]);
        command.arg(format!("profile.release.split-debuginfo='{split}'"));
        command.arg("--manifest-path");
        command.arg(fixture("census").join("Cargo.toml"));
        command.arg("--target-dir").arg(&build);
        command.env_remove("CARGO_ENCODED_RUSTFLAGS");
        command.env("RUSTFLAGS", "-Cforce-frame-pointers=yes");
        assert!(command.output().unwrap().status.success());
        let mut command = weigh(&fixture("census"));
        command
            .arg("census")
            .args(BUILT)
            .arg("--target-dir")
            .arg(&build);
        command.arg("--exec").arg(build.join("release/census"));
        run(&mut command).expect(0)
    };
    for split in ["unpacked", "packed"] {
        is_what_the_program_says(&built(split));
    }
}

#[test]
#[ignore = "slow: .ci/slow tests"]
fn contents_of_a_heap_have_no_name() {
    let folder = std::env::temp_dir().join(format!("weigh-census-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let source = folder.join("says.rs");
    let text = "fn main() { let list = std::hint::black_box(vec![String::from(\"a\")]); \
                let said = std::env::var(\"WEIGH_CENSUS\").unwrap(); \
                let file = said.lines().next().unwrap().replace(\"file=\", \"\"); \
                eprintln!(\"contents in {:?}\", std::fs::read_link(file)); \
                std::hint::black_box(list); }";
    std::fs::write(&source, text).unwrap();
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let mut compile = Command::new(rustc);
    compile.args([
        "--edition",
        "2024",
        "-g",
        "-Cforce-frame-pointers=yes",
        "-o",
    ]);
    let program = folder.join("says");
    assert!(
        compile
            .arg(&program)
            .arg(&source)
            .status()
            .unwrap()
            .success()
    );
    let executed = |arguments: &[&str]| {
        let mut command = weigh(&folder);
        command.args(["census", "--exec"]).arg(&program);
        run(command.args(arguments)).expect(0)
    };
    executed(&[]).says(&["contents in Ok(\"/memfd:", "(deleted)"]);
    let beside = format!("contents in Ok(\"{}", folder.display());
    executed(&["--output", "kept.json"]).says(&[&beside, "(deleted)"]);
    let mut kept: Vec<_> = std::fs::read_dir(&folder).unwrap().collect();
    kept.sort_by_key(|entry| entry.as_ref().unwrap().file_name());
    let kept: Vec<_> = kept.into_iter().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(kept, ["kept.json", "says", "says.rs"]);
    std::fs::remove_dir_all(&folder).unwrap();
}

/// Needs `qemu-aarch64`, a C linker and std for that target; skipped otherwise.
#[test]
#[ignore = "builds for long"]
fn every_number_is_exact_in_all_profiles_on_aarch64() {
    const TRIPLE: &str = "aarch64-unknown-linux-gnu";
    let is_there = |program: &str| Command::new(program).arg("--version").output().is_ok();
    if !["qemu-aarch64", "aarch64-linux-gnu-gcc"]
        .into_iter()
        .all(is_there)
    {
        println!("left out: there is no emulator, or no linker");
        return;
    }
    if !has_std(TRIPLE) {
        return;
    }
    let set = [
        format!("target.{TRIPLE}.linker = 'aarch64-linux-gnu-gcc'"),
        format!("target.{TRIPLE}.runner = 'qemu-aarch64 -L /usr/aarch64-linux-gnu'"),
    ];
    for profile in PROFILES {
        let mut all = vec!["--offline", "--bin", "census", "--profile", profile];
        all.extend(["--target", TRIPLE]);
        all.extend(set.iter().flat_map(|set| ["--config", set]));
        all.extend(BUILT);
        let said = census_of(&fixture("census"), &all).expect(0);
        is_what_the_program_says(&said);
    }
}

#[test]
fn a_census_is_kept_and_read_again() {
    let folder = workbench("census-files");
    std::fs::create_dir_all(&folder).unwrap();
    let kept = folder.join("kept.json");
    let path = kept.to_str().unwrap();
    let shown = census(&[
        "--bin", "habits", "--at", "built#1", "--output", path, "--", "itself",
    ])
    .expect(0);
    for part in [
        "habits::Item",
        " requested by Rust (",
        " requested by other code, such as C (",
        " added by malloc: block headers and rounding (",
    ] {
        assert!(shown.stdout.contains(part), "{part}: {}", shown.stdout);
    }
    let again = census(&[path]).expect(0);
    assert_eq!(shown.stdout, again.stdout);
    let text = std::fs::read_to_string(&kept).unwrap();
    let json = census(&[path, "--message-format", "json"]).expect(0);
    assert_eq!(json.stdout, text);
    let same = census(&[path, "--diff", path]).expect(0);
    assert_eq!(same.stdout.lines().count(), 1, "{}", same.stdout);
    let both = ["--markdown", "--message-format", "json"];
    let said = census(&[&[path, "--diff", path], &both[..]].concat()).expect(2);
    assert!(said.stderr.contains("cannot be used"), "{}", said.stderr);
    // In the formats of other tools, whose files are no text.
    let exported = |format: &str| {
        let to = folder.join(format!("exported.{format}"));
        let all = [path, "--export", format, "--output", to.to_str().unwrap()];
        census(&all).expect(0);
        std::fs::read(to).unwrap()
    };
    let lines: Vec<Value> = json.json();
    let live = &lines.last().unwrap()["live_bytes"];
    let dhat: Value = serde_json::from_slice(&exported("dhat")).unwrap();
    let points = dhat["pps"].as_array().unwrap().iter();
    assert_eq!(points.map(|p| number(&p["eb"])).sum::<u64>(), number(live));
    let pprof = exported("pprof");
    assert_eq!(pprof[..2], [0o12, 4], "the first field is a kind of sample");
    let is_named = |name: &str| pprof.windows(name.len()).any(|w| w == name.as_bytes());
    assert!(is_named("inuse_space") && is_named("habits::items"));
    let said = census(&[path, "--export", "pprof"]).expect(2);
    assert!(said.stderr.contains("needs `--output FILE`"), "{said:?}");
    // A truncated file is reported as such; nothing panics.
    let cut = folder.join("cut.json");
    for end in [0, 10, text.len() / 2, text.len() - 10] {
        std::fs::write(&cut, &text[..end]).unwrap();
        let said = census(&[cut.to_str().unwrap()]).expect(2);
        assert!(said.stderr.contains("cut.json"), "{}", said.stderr);
    }
}

#[test]
fn lines_of_json_have_what_is_promised() {
    let said = census(&[&["--bin", "census"], &BUILT[..]].concat()).expect(0);
    let lines = said.json();
    assert_eq!(lines[0]["census"], "head");
    for key in ["rustc", "triple", "program", "build_id", "label"] {
        assert!(lines[0][key].is_string(), "{key}: {}", lines[0]);
    }
    assert_eq!(lines[0]["format"], 1);
    let of = |ty: &str| of_kind(&lines, "type").find(|l| l["type"] == ty).unwrap();
    let shape = of("census::Shape");
    assert_eq!(shape["package"], "census");
    assert_eq!(shape["path"], "Shape");
    // Types without a package, and types that are not definitions.
    for line in of_kind(&lines, "type") {
        let ty = line["type"].as_str().unwrap();
        let crates = ["census::", "tally::", "weigh_heap::"];
        let ours = crates.iter().any(|c| ty.starts_with(c)) && !ty.contains('{');
        assert_eq!(line["package"].is_string(), ours, "{line}");
        for key in ["size", "values", "slots", "bytes"] {
            assert!(line[key].is_u64(), "{key}: {line}");
        }
    }
    for line in of_kind(&lines, "field") {
        for key in [
            "containers",
            "len",
            "capacity",
            "slack_bytes",
            "empty",
            "one",
        ] {
            assert!(line[key].is_u64(), "{key}: {line}");
        }
        assert!(line["type"].is_string() && line["field"].is_string());
        if let Some(texts) = line.get("texts") {
            let counts = ["median", "max", "distinct"].map(|key| texts[key].is_u64());
            assert_eq!(counts, [true; 3], "{line}");
        }
    }
    let summary = lines.last().unwrap();
    assert_eq!(summary["census"], "summary");
    assert_eq!(summary["label"], "built");
    for key in [
        "live_bytes",
        "blocks",
        "typed_bytes",
        "walked_bytes",
        "contradicting_bytes",
        "peak_bytes",
    ] {
        assert!(summary[key].is_u64(), "{key}: {summary}");
    }
}

#[test]
#[ignore = "slow: .ci/slow tests"]
fn what_has_grown_between_two() {
    let folder = workbench("census-grown");
    std::fs::create_dir_all(&folder).unwrap();
    let files = ["1", "2"].map(|n| folder.join(format!("{n}.json")));
    let [old, new] = files.each_ref().map(|f| f.to_str().unwrap());
    for (file, habit) in [(old, "itself"), (new, "threads")] {
        let all = [
            "--bin", "habits", "--at", "built#1", "--output", file, "--", habit,
        ];
        census(&all).expect(0);
    }
    let said = census(&[new, "--diff", old]).expect(0);
    assert!(
        said.stdout.contains("habits::Item: 1,000 to 5,000 values"),
        "{}",
        said.stdout
    );
    let said = census(&[new, "--diff", old, "--message-format", "json"]).expect(0);
    let lines = said.json();
    let items = lines.iter().find(|l| l["type"] == "habits::Item").unwrap();
    assert_eq!(items["values_before"], 1000);
    assert_eq!(items["values_after"], 5000);
    // Each type once: what is a part of it is of another kind.
    let parts = ["change_field", "change_texts", "change_site"];
    assert!(lines.iter().any(|l| l["census"] == parts[0]));
    let mut types = std::collections::BTreeSet::new();
    for line in lines
        .iter()
        .filter(|l| parts.iter().all(|part| l["census"] != **part))
    {
        assert_eq!(line["census"], "change");
        assert!(types.insert(line["type"].as_str()), "{line}");
    }
    let gate = |limit: &str| census(&[new, "--diff", old, "--markdown", "--fail-on", limit]);
    for limit in [
        "growth",
        "growth=5%",
        "habits::Item=10%",
        "habits::Item=1000",
    ] {
        let said = gate(limit).expect(1);
        assert!(said.stderr.contains("grew"), "{limit}: {}", said.stderr);
        assert!(
            said.stdout.contains("| `habits::Item` |"),
            "{}",
            said.stdout
        );
    }
    for limit in ["growth=1000000000", "habits::Item=400%", "habits::Other=0"] {
        gate(limit).expect(0);
    }
    gate("growth=x").expect(2);
}

#[test]
fn findings_say_what_was_counted() {
    let folder = workbench("census-files");
    std::fs::create_dir_all(&folder).unwrap();
    let kept = folder.join("joined.json");
    let path = kept.to_str().unwrap();
    let said = census(&["--bin", "census", "--at", "built#1", "--output", path]).expect(0);
    let text = std::fs::read_to_string(&kept).unwrap();
    let lines: Vec<Value> = text
        .lines()
        .map(|l| serde_json::from_str(l).unwrap())
        .collect();
    let of = |kind, ty| {
        of_kind(&lines, kind)
            .find(move |l| l["type"] == ty)
            .unwrap()
    };
    let mut command = weigh(&fixture("census"));
    command.args([
        "--offline",
        "--message-format",
        "json",
        "-W",
        "weigh::pedantic",
    ]);
    let found = run(command.args(["--bin", "census", "--census", path])).expect(0);
    let findings = found.findings();
    let measured = |ty: &str, field: &str| {
        let mut all = findings.iter().map(|f| &f["weigh"]);
        let one = all.find(|w| w["type"] == ty && w["field"] == field);
        one.map(|w| w["measured"].clone())
            .unwrap_or_else(|| panic!("{ty}.{field}: {said:?}"))
    };
    let shape = measured("Shape", "Named");
    assert_eq!(shape["values"], of("type", "census::Shape")["values"]);
    assert_eq!(shape["variants"], of("type", "census::Shape")["variants"]);
    let name = measured("Name", "text");
    let fields = of_kind(&lines, "field").filter(|l| l["type"] == "census::Name");
    let text = fields.into_iter().find(|l| l["field"] == "text").unwrap();
    assert_eq!(name["slack_bytes"], text["slack_bytes"]);
    assert_eq!(name["texts"], text["texts"]);
}

/// Writes a library and a binary with the same crate name, as is common.
fn twins(folder: &Path, used: &str) {
    std::fs::create_dir_all(folder.join("src")).unwrap();
    let manifest = "[package]\nname = \"twins\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n\
                    [workspace]\n";
    let library = "pub enum Shape { Small(u8), Wide([u64; 8]) }\n\
                   pub fn shapes(n: usize) -> Vec<Shape> {\n\
                   (0..n).map(|i| match i % 10 { 0 => Shape::Wide([1; 8]), _ => Shape::Small(2) })\
                   .collect()\n}\n";
    let program = "pub enum Shape { Tiny(u16), Large([u64; 8]) }\n\
                   fn own(n: usize) -> Vec<Shape> {\n\
                   (0..n).map(|i| match i % 4 { 0 => Shape::Large([1; 8]), _ => Shape::Tiny(2) })\
                   .collect()\n}\n\
                   fn main() {\nlet (own, other) = (own(1000), OTHER);\n\
                   println!(\"{} {}\", std::hint::black_box(&own).len(), \
                   std::hint::black_box(&other).len());\n}\n";
    for (file, text) in [
        ("Cargo.toml", manifest),
        ("src/lib.rs", library),
        ("src/main.rs", &program.replace("OTHER", used)),
    ] {
        std::fs::write(folder.join(file), text).unwrap();
    }
}

#[test]
#[ignore = "slow: .ci/slow tests"]
fn definitions_of_one_name_are_told_apart_by_their_fields() {
    let folder = workbench("census-twins");
    // First with values of the library's type too, then only of the binary's.
    for (used, library) in [("twins::shapes(300)", Some(300)), ("\"\"", None)] {
        twins(&folder, used);
        let kept = folder.join("kept.json");
        let kept = kept.to_str().unwrap();
        census_of(&folder, &["--offline", "--output", kept]).expect(0);
        let mut command = weigh(&folder);
        command.args(["--offline", "--census", kept, "-W", "weigh::pedantic"]);
        let said = run(command.args(["--message-format", "json"])).expect(0);
        let findings = said.findings();
        let values = |field: &str| {
            let mut all = findings.iter().map(|f| &f["weigh"]);
            let one = all.find(|w| w["type"] == "Shape" && w["field"] == field);
            let one = one.unwrap_or_else(|| panic!("{field}: {said:?}"));
            one["measured"]["values"].as_u64()
        };
        assert_eq!(values("Large"), Some(1000), "{used}");
        assert_eq!(values("Wide"), library, "{used}");
        // Bytes unused in the other values because of the wide variant.
        let shown = census_of(&folder, &[kept]).expect(0).stdout;
        let cost = "unused in others than `Large`, the widest";
        let cost = shown.lines().find(|l| l.contains(cost)).unwrap();
        assert!(cost.contains(" 48.0 kB "), "{cost}");
    }
}

/// A type parameter is not declared as what the run puts there.
#[test]
fn parameters_are_not_told_to_be_another_type() {
    let folder = workbench("census-parameters");
    std::fs::create_dir_all(folder.join("src")).unwrap();
    let manifest = "[package]\nname = \"parameters\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n\
                    [workspace]\n";
    let program = "struct Slot<T> { value: T }\nstruct Tag<T> { value: T }\n\
                   struct All { texts: Vec<Tag<String>>, lists: Vec<Slot<Vec<u64>>> }\n\
                   fn main() {\n\
                   let texts = (0..1000).map(|n| Tag { value: format!(\"text {}\", n % 3) });\n\
                   let lists = (0..1000).map(|n| { let mut value = Vec::with_capacity(9);\n\
                   value.push(n); Slot { value } });\n\
                   let (texts, lists) = (texts.collect(), lists.collect());\n\
                   let all = std::hint::black_box(Box::new(All { texts, lists }));\n\
                   println!(\"{} {}\", all.texts[5].value.len(), all.lists[5].value.len());\n}\n";
    std::fs::write(folder.join("Cargo.toml"), manifest).unwrap();
    std::fs::write(folder.join("src/main.rs"), program).unwrap();
    let kept = folder.join("kept.json");
    let kept = kept.to_str().unwrap();
    census_of(&folder, &["--offline", "--output", kept]).expect(0);
    let mut command = weigh(&folder);
    command.args(["--offline", "--census", kept, "-W", "weigh::pedantic"]);
    let said = run(command.args(["--message-format", "json"])).expect(0);
    let findings = said.findings();
    let of = |lint: &str| {
        let mut all = findings.iter();
        all.find(|f| f["weigh"]["lint"] == lint && f["weigh"]["field"] == "value")
    };
    assert_eq!(of("repeated_text"), None);
    let spare = of("spare_capacity").unwrap().to_string();
    assert!(spare.contains("or create it by `with_capacity`"), "{spare}");
    assert!(!spare.contains("boxed slice"), "{spare}");
}

/// The remedy's effect is what a census of the changed program shows, whatever container has the values.
#[test]
#[ignore = "slow: .ci/slow tests"]
fn what_a_box_saves_in_each_container() {
    let program = |wide: &str, made: &str| {
        format!(
            "use std::collections::{{BTreeMap, HashMap, LinkedList}};\n\
             pub enum Shape {{ Small(u8), Wide({wide}) }}\n\
             #[derive(Default)]\npub struct Shapes {{\n\
             tree: BTreeMap<u32, Shape>, list: LinkedList<(u32, Shape)>,\n\
             hash: HashMap<u32, Shape>, shared: Vec<std::rc::Rc<Shape>> }}\n\
             fn shape(n: u32) -> Shape {{ match n % 20 {{ 0 => Shape::Wide({made}),\n\
             _ => Shape::Small(n as u8) }} }}\n\
             fn main() {{\n\
             let (mut all, one) = (Shapes::default(), std::env::args().nth(1).unwrap());\n\
             for n in 0..3000 {{ match &*one {{\n\
             \"tree\" => {{ all.tree.insert(n * 7919 % 3001, shape(n)); }}\n\
             \"list\" => all.list.push_back((n, shape(n))),\n\
             \"hash\" => {{ all.hash.insert(n, shape(n)); }}\n\
             _ => all.shared.push(std::rc::Rc::new(shape(n))) }} }}\n\
             let all = std::hint::black_box(Box::new(all));\n\
             // The peak, when no container is being changed.\n\
             drop(std::hint::black_box(vec![1u8; 5_000_000]));\n\
             let of = |s: &Shape| match s {{ Shape::Small(n) => u64::from(*n), \
             Shape::Wide(list) => list[7] }};\n\
             println!(\"{{}}\", all.tree.values().chain(all.hash.values())\n\
             .chain(all.list.iter().map(|(_, s)| s)).chain(all.shared.iter().map(|s| &**s))\n\
             .map(of).sum::<u64>());\n}}\n"
        )
    };
    let scratch = Scratch::library("boxed", "")
        .file("src/main.rs", program("[u64; 20]", "[u64::from(n); 20]"));
    let (folder, kept) = (
        scratch.folder().to_owned(),
        scratch.folder().join("kept.json"),
    );
    let kept = kept.to_str().unwrap();
    let taken = |one: &str| {
        census_of(&folder, &["--offline", "--output", kept, "--", one]).expect(0);
        let text = std::fs::read_to_string(kept).unwrap();
        let last: Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
        ["live_bytes", "malloc_bytes", "blocks"].map(|name| number(&last[name]) as i64)
    };
    let containers = ["tree", "list", "hash", "shared"];
    let before = containers.map(|one| {
        let taken = taken(one);
        let mut command = weigh(&folder);
        command.args(["--offline", "--census", kept, "-W", "weigh::pedantic"]);
        let said = run(command.args(["--message-format", "json"])).expect(0);
        let findings = said.findings();
        let mut all = findings.iter().map(|f| &f["weigh"]);
        let found = all.find(|w| w["lint"] == "oversized_variant");
        let remedy = &found.unwrap_or_else(|| panic!("{one}: {said:?}"))["remedies"][0];
        let net = ["net_saved_bytes", "net_blocks"].map(|name| {
            remedy[name]
                .as_i64()
                .unwrap_or_else(|| panic!("{one}: {remedy}"))
        });
        (taken, net)
    });
    let _scratch = scratch.file(
        "src/main.rs",
        program("Box<[u64; 20]>", "Box::new([u64::from(n); 20])"),
    );
    for (one, ([live, malloc, blocks], net)) in containers.iter().zip(before) {
        let [live_after, malloc_after, blocks_after] = taken(one);
        let saved = live + malloc - live_after - malloc_after;
        assert_eq!([saved, blocks - blocks_after], net, "{one}");
    }
}

/// Slots of a list of texts shrink with them, and the set of known texts has a table.
#[test]
fn what_sharing_texts_saves_in_a_list() {
    let program = |cell: &str, made: &str| {
        format!(
            "use std::{{collections::HashSet, hint::black_box, rc::Rc}};\n\
             pub struct Row {{ pub cells: Vec<{cell}> }}\n\
             fn main() {{\n\
             let mut known: HashSet<Rc<str>> = HashSet::new();\n\
             let mut cell = |n: u64| {{ let text = format!(\"the text of a cell {{}}\", n % 700); {made} }};\n\
             let mut rows = Vec::with_capacity(3000);\n\
             for n in 0..3000 {{\n\
             let mut cells = Vec::with_capacity(12);\n\
             for m in 0..9 {{ cells.push(cell(n * 9 + m)); }}\n\
             rows.push(Row {{ cells }}); }}\n\
             let rows = black_box(Box::new(rows));\n\
             // The peak, when no container is being changed.\n\
             drop(black_box(vec![1u8; 5_000_000]));\n\
             println!(\"{{}} {{}}\", rows[5].cells[7].len(), black_box(known).len());\n}}\n"
        )
    };
    let scratch = Scratch::library("shared", "")
        .file("src/main.rs", program("String", "let _ = &mut known; text"));
    let folder = scratch.folder().to_owned();
    let kept = folder.join("kept.json");
    let kept = kept.to_str().unwrap();
    let taken = || {
        let mut command = weigh(&folder);
        run(command.args(["census", "--offline", "--output", kept])).expect(0);
        let text = std::fs::read_to_string(kept).unwrap();
        let last: Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
        number(&last["live_bytes"]) + number(&last["malloc_bytes"])
    };
    let before = taken();
    let mut command = weigh(&folder);
    command.args(["--offline", "--census", kept, "-W", "weigh::pedantic"]);
    let said = run(command.args(["--message-format", "json"])).expect(0);
    let findings = said.findings();
    let mut all = findings.iter().map(|f| &f["weigh"]);
    let found = all.find(|w| w["lint"] == "repeated_text");
    let remedy = &found.unwrap_or_else(|| panic!("{said:?}"))["remedies"][0];
    let promised = remedy["net_saved_bytes"].as_i64().unwrap();
    let made = "match known.get(&*text) { Some(old) => old.clone(), \
                None => { let new: Rc<str> = text.into(); known.insert(new.clone()); new } }";
    let _scratch = scratch.file("src/main.rs", program("Rc<str>", made));
    let saved = before as i64 - taken() as i64;
    assert!(
        (promised - saved).abs() * 50 < saved,
        "{promised} promised, {saved} saved"
    );
}

#[test]
fn a_program_that_records_itself() {
    let said = census(&[
        "--bin",
        "allocator",
        "--at",
        "built#1",
        "--message-format",
        "json",
    ]);
    let said = said
        .expect(0)
        .says(&["what mimalloc adds to blocks is not known"]);
    let lines = said.json();
    let values = |ty: &str| {
        of_kind(&lines, "type")
            .find(|l| l["type"] == ty)
            .map(|l| number(&l["values"]))
    };
    assert_eq!(values("allocator::Item"), Some(900));
    assert_eq!(values("allocator::Wide"), Some(900));
    let parts = of_kind(&lines, "field")
        .find(|l| l["field"] == "parts")
        .unwrap();
    assert_eq!(parts["capacity"], 9000);
}

#[test]
fn a_census_that_read_little_of_the_heap_says_so() {
    for (walked, is_said) in [(53_000, true), (54_000, false)] {
        let lines = [
            serde_json::json!({
                "census": "head", "format": 1, "rustc": "1.95.0",
                "triple": "x86_64-unknown-linux-gnu", "program": "demo", "build_id": "0",
                "label": "exit",
            }),
            serde_json::json!({
                "census": "summary", "label": "exit", "live_bytes": 60_000, "blocks": 100,
                "typed_bytes": 60_000, "walked_bytes": walked, "contradicting_bytes": 0,
                "guessed_bytes": 0, "foreign_bytes": 0, "raw_bytes": 0, "malloc_bytes": 0,
                "torn": 0, "peak_bytes": 60_000,
            }),
        ];
        let census: Vec<String> = lines.iter().map(|line| format!("{line}\n")).collect();
        let scratch =
            Scratch::library("unread", "pub struct S(u8);\n").file("census.json", census.concat());
        let mut command = weigh(scratch.folder());
        let said = run(command.args(["--offline", "--census", "census.json"])).expect(0);
        let note = "values of only 88.3 % of these bytes were read";
        assert_eq!(said.stderr.contains(note), is_said, "{}", said.stderr);
    }
}

/// What the source leaves open, a run shows: which `Option`s are empty, and how long texts are.
#[test]
fn what_only_a_run_shows_of_options_and_texts() {
    let source = "pub struct Entry { meta: Option<[u64; 25]>, often: Option<[u64; 25]> }\n\
                  pub struct Token { text: String, long: String, line: u32 }\n\
                  pub enum Value { Text(String), Flag(bool) }\n\
                  pub struct Map { of: std::collections::BTreeMap<u32, u64>, n: u32 }\n\
                  pub struct All { entries: Vec<Entry>, tokens: Vec<Token>, maps: Vec<Map>, values: Vec<Value> }\n\
                  pub fn entry(meta: Option<[u64; 25]>, often: Option<[u64; 25]>) -> Entry {\n\
                  Entry { meta, often }\n}\n\
                  pub fn token(text: String, long: String) -> Token {\n\
                  Token { text, long, line: 1 }\n}\n";
    let ty = |name: &str, size: u64, fields: Value| {
        serde_json::json!({
            "census": "type", "type": format!("counted::{name}"), "size": size, "values": 1000,
            "slots": 1000, "bytes": size * 1000, "direct": 1000, "fields": fields,
        })
    };
    let field = |ty: &str, name: &str, more: Value| {
        let mut line = serde_json::json!({
            "census": "field", "type": format!("counted::{ty}"), "field": name, "kind": "",
            "containers": 0, "len": 0, "capacity": 0, "value_size": 1, "bytes": 0,
            "slack_bytes": 0, "empty": 0, "one": 0,
        });
        let all = line.as_object_mut().unwrap();
        all.extend(more.as_object().unwrap().clone());
        line
    };
    let texts = |ty: &str, name: &str, inline: u64, max: u64| {
        let lengths = [100, inline - 100, 0, 0, 0, 1000 - inline, 0, 0];
        field(
            ty,
            name,
            serde_json::json!({
                "kind": "String", "containers": 1000, "empty": 100,
                "blocks": {"number": 900, "bytes": 28_800}, "frozen_bytes": 28_800,
                "short": [[5, inline - 100, (inline - 100) * 32]],
                "texts": {
                    "median": 5, "max": max, "distinct": 900, "repeated": 0, "repeated_bytes": 0,
                    "lengths": lengths,
                    "inline": {
                        "compact_str::CompactString": inline, "ecow::EcoString": inline,
                        "smol_str::SmolStr": inline,
                    },
                },
            }),
        )
    };
    let lines = [
        serde_json::json!({
            "census": "head", "format": 1, "rustc": "1.95.0",
            "triple": "x86_64-unknown-linux-gnu", "program": "counted", "build_id": "0",
            "label": "exit",
        }),
        ty("Entry", 416, serde_json::json!({"meta": 0, "often": 208})),
        ty(
            "Token",
            56,
            serde_json::json!({"text": 0, "long": 24, "line": 48}),
        ),
        field("Entry", "meta", serde_json::json!({"none": [700, 1000]})),
        field("Entry", "often", serde_json::json!({"none": [600, 1000]})),
        texts("Token", "text", 960, 40),
        texts("Token", "long", 800, 60),
        ty("Value", 24, serde_json::json!({"Text.0": 0, "Flag.0": 8})),
        texts("Value", "Text.0", 1000, 9),
        ty("Map", 32, serde_json::json!({"of": 0, "n": 24})),
        field(
            "Map",
            "of",
            serde_json::json!({
                "kind": "BTreeMap", "containers": 1000, "len": 3000, "capacity": 11_000,
                "bytes": 144_000, "slack_bytes": 96_000,
                "blocks": {"number": 1000, "bytes": 160_000}, "frozen_bytes": 64_000,
            }),
        ),
        serde_json::json!({
            "census": "summary", "label": "exit", "live_bytes": 500_000, "blocks": 5000,
            "typed_bytes": 500_000, "walked_bytes": 500_000, "contradicting_bytes": 0,
            "guessed_bytes": 0, "foreign_bytes": 0, "raw_bytes": 0, "malloc_bytes": 0,
            "torn": 0, "peak_bytes": 500_000,
        }),
    ];
    let census: Vec<String> = lines.iter().map(|line| format!("{line}\n")).collect();
    let scratch = Scratch::library("counted", source).file("census.json", census.concat());
    let mut command = weigh(scratch.folder());
    command.args([
        "--offline",
        "--census",
        "census.json",
        "-W",
        "weigh::pedantic",
    ]);
    let said = run(command.args(["--message-format", "json"])).expect(0);
    let findings = said.findings();
    let about = |lint: &str| -> Vec<String> {
        let of = findings.iter().filter(|f| f["weigh"]["lint"] == lint);
        of.map(|f| f["message"]["message"].as_str().unwrap().to_owned())
            .collect()
    };
    let wide = "`Entry::meta` is mostly `None`, and 208 of the 416 bytes of every `Entry`";
    assert_eq!(about("wide_option"), [wide], "{said:?}");
    let spare = "`Map::of` is 66.7 % spare capacity: 1,000 `BTreeMap`s, \
                 on average 3.0 of 11.0 slots used";
    assert_eq!(about("spare_capacity"), [spare], "{said:?}");
    let tree = findings
        .iter()
        .find(|f| f["weigh"]["lint"] == "spare_capacity");
    let remedy = &tree.unwrap()["weigh"]["remedies"][0];
    assert_eq!(remedy["net_saved_bytes"], 96_000, "{remedy}");
    let short = [
        "of the 900 texts in `Token::text` in the run 95.6 % fit inline",
        "of the 900 texts in `Value::Text::0` in the run 100.0 % fit inline",
    ];
    assert_eq!(about("small_string"), short, "{said:?}");
}
