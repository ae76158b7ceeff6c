//! Tests `cargo weigh futures` on the fixture: each size against the one that the program prints, each
//! await against the marker on its line, and each prediction against a copy with that box.
#![cfg(all(target_os = "linux", target_arch = "x86_64", target_env = "gnu"))]

mod findings;

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;
use weigh_tests::project::Scratch;
use weigh_tests::{Run, cargo, fixture, run, weigh, workbench};

/// The compiler that `WEIGH_RUSTC` names, or the default.
fn with_compiler(command: &mut Command) -> &mut Command {
    match std::env::var_os("WEIGH_RUSTC") {
        Some(rustc) => command.env("RUSTC", rustc),
        None => command,
    }
}

fn futures(arguments: &[&str]) -> Run {
    let mut command = weigh(&fixture("futures"));
    with_compiler(&mut command);
    command.args(["futures", "--offline", "--target-dir"]);
    command.arg(workbench("futures")).args(arguments);
    run(&mut command)
}

fn json(arguments: &[&str]) -> Vec<Value> {
    let json = ["--message-format", "json"];
    futures(&[arguments, &json].concat()).expect(0).json()
}

/// The name of a future as the fixture prints it.
fn shown(line: &Value) -> String {
    let path = line["path"].as_str().unwrap().replace("cases::", "");
    match line["kind"].as_str().unwrap() {
        "async fn" => path,
        kind => format!("{{{kind} in {path}}}"),
    }
}

/// The sizes that the built fixture prints.
fn printed(folder: &Path, target: &Path) -> Vec<(String, u64)> {
    let mut command = cargo();
    with_compiler(&mut command);
    command.current_dir(folder);
    command.args(["run", "--quiet", "--offline", "--target-dir"]);
    let said = run(command.arg(target)).expect(0);
    let lines = said.stdout.lines().map(|line| {
        let (size, name) = line.split_once('\t').unwrap();
        (name.to_owned(), size.parse().unwrap())
    });
    lines.collect()
}

fn truth() -> &'static [(String, u64)] {
    static TRUTH: OnceLock<Vec<(String, u64)>> = OnceLock::new();
    TRUTH.get_or_init(|| printed(&fixture("futures"), &workbench("futures-run")))
}

/// Each future with its steps, by the name that the fixture prints.
fn explained() -> &'static [Value] {
    static ALL: OnceLock<Vec<Value>> = OnceLock::new();
    ALL.get_or_init(|| {
        let lines = json(&[]);
        let paths = lines.iter().map(|line| line["path"].as_str().unwrap());
        json(&paths.collect::<Vec<_>>())
    })
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("{value}"))
}

fn first_step(line: &Value) -> &Value {
    &line["steps"][0]
}

fn awaits(line: &Value) -> &[Value] {
    first_step(line)["awaits"].as_array().unwrap()
}

#[test]
fn every_size_is_that_of_the_program() {
    let lines = json(&[]);
    let mut listed: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    for line in &lines {
        let sizes = line["instances"].as_array().unwrap();
        let sizes = sizes.iter().map(|i| number(&i["size"]));
        listed.entry(shown(line)).or_default().extend(sizes);
    }
    let mut expected: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    for (name, size) in truth() {
        expected.entry(name.clone()).or_default().push(*size);
    }
    assert!(expected.len() > 55, "{expected:?}");
    for (name, mut sizes) in expected {
        let mut found = listed.remove(&name).unwrap_or_default();
        found.sort_unstable();
        sizes.sort_unstable();
        assert_eq!(found, sizes, "{name}");
    }
    // Those that the program cannot name.
    let others = [
        "{async block in recursive}",
        "{async closure in closures}",
        "{async block in captured}",
        "{async block in of_waits}",
    ];
    assert_eq!(listed.keys().collect::<Vec<_>>(), {
        let mut others = others.to_vec();
        others.sort_unstable();
        others
    });
    let sizes: Vec<u64> = lines.iter().map(|line| number(&line["size"])).collect();
    assert!(sizes.is_sorted_by(|a, b| a >= b), "{sizes:?}");
}

#[test]
fn every_await_is_on_its_line() {
    let text = fs::read_to_string(fixture("futures").join("src/cases.rs")).unwrap();
    let mut marked: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    for (at, line) in text.lines().enumerate() {
        let Some((_, name)) = line
            .split_once(" //~ ")
            .filter(|_| !line.starts_with("//!"))
        else {
            continue;
        };
        let (name, times) = match name.rsplit_once(' ') {
            Some((name, times)) if times.parse::<usize>().is_ok() => (name, times),
            _ => (name, "1"),
        };
        let lines = marked.entry(name.to_owned()).or_default();
        lines.extend(vec![at as u64 + 1; times.parse().unwrap()]);
    }
    assert!(marked.len() > 50, "{}", marked.len());
    let mut compared = BTreeSet::new();
    for line in explained() {
        let Some(expected) = marked.get(&shown(line)) else {
            continue;
        };
        let mut found: Vec<u64> = awaits(line).iter().map(|a| number(&a["line"])).collect();
        found.sort_unstable();
        assert_eq!(found, *expected, "{}", shown(line));
        compared.insert(shown(line));
    }
    assert_eq!(compared, marked.into_keys().collect());
}

/// The fixture with `Box::pin(…)` around what one await awaits; `None` if that is not one place.
fn with_box(text: &str, at: &Value) -> Option<String> {
    let expression = at["expression"].as_str()?;
    let line = number(&at["line"]) as usize;
    let start: usize = text.lines().take(line - 1).map(|l| l.len() + 1).sum();
    let end = start + text[start..].find('\n')?;
    let awaits: Vec<usize> = text[start..end]
        .match_indices(".await")
        .map(|m| m.0)
        .collect();
    let mut found = awaits.iter().filter_map(|at| {
        let before = text[..start + at].trim_end();
        before.strip_suffix(expression)
    });
    let before = found.next()?;
    if found.next().is_some() {
        return None;
    }
    let after = &text[before.len() + expression.len()..];
    Some(format!("{before}Box::pin({expression}){after}"))
}

/// Writes one program with the fixture once for each of these texts; what each says of its futures.
fn in_copies(name: &str, copies: &[String]) -> Vec<Vec<(String, u64)>> {
    let manifest = fs::read_to_string(fixture("futures").join("Cargo.toml")).unwrap();
    let mut scratch = Scratch::empty(name)
        .file(
            "Cargo.toml",
            format!("{manifest}\n[profile.dev]\ndebug = 0\n"),
        )
        .file(
            "Cargo.lock",
            fs::read(fixture("futures").join("Cargo.lock")).unwrap(),
        );
    let mut main = String::new();
    for (at, text) in copies.iter().enumerate() {
        scratch = scratch.file(&format!("src/m{at}.rs"), text);
        main += &format!("#[allow(warnings)]\nmod m{at};\n");
    }
    main += "fn main() {\n";
    for at in 0..copies.len() {
        main += &format!(
            "for (name, size) in m{at}::sizes() {{ println!(\"{{size}}\\t{at}:{{name}}\"); }}\n"
        );
    }
    let scratch = scratch.file("src/main.rs", main + "}\n");
    let mut all = vec![Vec::new(); copies.len()];
    for (name, size) in printed(scratch.folder(), &scratch.folder().join("target")) {
        let (at, name) = name.split_once(':').unwrap();
        all[at.parse::<usize>().unwrap()].push((name.to_owned(), size));
    }
    all
}

/// What each future would be, by name: `None` where that is not calculated.
type Sizes = BTreeMap<String, Vec<Option<u64>>>;

/// A copy of the fixture with boxes that do not change the same futures, and what is expected of it.
struct Boxes {
    text: String,
    changed: BTreeSet<String>,
    sizes: Sizes,
}

/// The fixture with a box around what a `let` on this line declares.
fn with_boxed_local(text: &str, remedy: &Value) -> Option<String> {
    let (name, line) = (remedy["name"].as_str()?, number(&remedy["line"]) as usize);
    let lines: Vec<&str> = text.lines().collect();
    let (before, value) = lines[line - 1].split_once(" = ")?;
    let (start, ty) = match before.split_once(": ") {
        Some((start, ty)) => (start, format!(": Box<{ty}>")),
        None => (before, String::new()),
    };
    assert!(
        start.trim_start().starts_with("let ") && start.ends_with(name),
        "{before}"
    );
    let value = value.strip_suffix(';')?;
    // What is awaited has this name.
    let is_awaited = name == "later" && !value.starts_with("Some(");
    let make = if is_awaited { "pin" } else { "new" };
    let boxed = format!("{start}{ty} = Box::{make}({value});");
    let mut all = lines;
    all[line - 1] = &boxed;
    Some(all.join("\n") + "\n")
}

/// Writes a box into a text.
type Write = Box<dyn Fn(&str) -> Option<String>>;

/// A box: how it is written, and name, size and new size of what it changes.
struct Boxing {
    write: Write,
    changes: Vec<(String, u64, Option<u64>)>,
}

/// Writes the boxes into copies of the fixture so that those in one copy do not change the same
/// futures, and compares all sizes with what is calculated. Returns what was calculated.
fn compare(name: &str, boxes: Vec<Boxing>) -> BTreeSet<String> {
    let text = fs::read_to_string(fixture("futures").join("src/cases.rs")).unwrap();
    let mut copies: Vec<Boxes> = Vec::new();
    for boxing in boxes {
        let changes = boxing.changes;
        let is_free = |copy: &&mut Boxes| changes.iter().all(|c| !copy.changed.contains(&c.0));
        let copy = match copies.iter_mut().find(is_free) {
            Some(copy) => copy,
            None => {
                let mut sizes = Sizes::new();
                for (name, size) in truth() {
                    sizes.entry(name.clone()).or_default().push(Some(*size));
                }
                copies.push(Boxes {
                    text: text.clone(),
                    changed: BTreeSet::new(),
                    sizes,
                });
                copies.last_mut().unwrap()
            }
        };
        copy.text = (boxing.write)(&copy.text).unwrap();
        for (name, before, after) in changes {
            let list = copy.sizes.entry(name.clone()).or_default();
            if let Some(size) = list.iter_mut().find(|size| **size == Some(before)) {
                *size = after;
            }
            copy.changed.insert(name);
        }
    }
    let texts: Vec<String> = copies.iter().map(|copy| copy.text.clone()).collect();
    let mut calculated = BTreeSet::new();
    for (at, (found, mut copy)) in in_copies(name, &texts).into_iter().zip(copies).enumerate() {
        for (name, size) in found {
            // In the order in which the program says them.
            let expected = copy.sizes.get_mut(&name).unwrap().remove(0);
            assert!(
                expected.is_none_or(|expected| expected == size),
                "{name} is {size}, calculated {expected:?}"
            );
            if expected.is_some() && copy.changed.contains(&name) {
                calculated.insert(format!("{name} {at}"));
            }
        }
    }
    calculated
}

/// What a change makes of a future and of those that hold it.
fn changes(line: &Value, new: &Value, ripple: &Value) -> Vec<(String, u64, Option<u64>)> {
    let today = number(&first_step(line)["size"]);
    let mut changes = vec![(shown(line), today, new.as_u64())];
    changes.extend(ripple.as_array().unwrap().iter().map(|other| {
        let name = other["name"].as_str().unwrap().replace("cases::", "");
        (name, number(&other["size"]), other["size_after"].as_u64())
    }));
    changes
}

/// The futures of the fixture with one instance: what a generic one has in its others is not asked.
fn plain() -> impl Iterator<Item = &'static Value> {
    let all = explained().iter();
    all.filter(|line| line["instances"].as_array().unwrap().len() == 1)
}

#[test]
fn each_box_gives_what_is_calculated() {
    let text = fs::read_to_string(fixture("futures").join("src/cases.rs")).unwrap();
    let mut boxes = Vec::new();
    for line in plain() {
        for at in awaits(line) {
            if at["boxed"].is_null() || with_box(&text, at).is_none() {
                continue;
            }
            boxes.push(Boxing {
                write: Box::new(move |text| with_box(text, at)),
                changes: changes(line, &at["boxed"], &at["ripple"]),
            });
        }
    }
    assert!(boxes.len() >= 40, "only {}", boxes.len());
    let calculated = compare("futures-boxes", boxes);
    assert!(calculated.len() > 75, "{calculated:?}");
}

/// Also through types that hold a future: enums with and without a tag of their own, unions, arrays.
#[test]
fn each_boxed_variable_gives_what_is_calculated() {
    let text = fs::read_to_string(fixture("futures").join("src/cases.rs")).unwrap();
    let mut boxes = Vec::new();
    let mut named = BTreeSet::new();
    for line in plain() {
        for remedy in first_step(line)["remedies"].as_array().unwrap() {
            if remedy["kind"] != "box" || with_boxed_local(&text, remedy).is_none() {
                continue;
            }
            named.insert(format!(
                "{}: {}",
                shown(line),
                remedy["name"].as_str().unwrap()
            ));
            boxes.push(Boxing {
                write: Box::new(move |text| with_boxed_local(text, remedy)),
                changes: changes(line, &remedy["size_after"], &remedy["ripple"]),
            });
        }
    }
    for expected in [
        "nested: buf",
        "large_locals: page",
        "unborrowed: page",
        "held_since: later",
    ] {
        assert!(named.contains(expected), "{expected} in {named:?}");
    }
    // A closure and a call take these.
    for other in ["taken: numbers", "dropped: big"] {
        assert!(!named.contains(other), "{other}");
    }
    let calculated = compare("futures-locals", boxes);
    for name in [
        "in_option",
        "in_array",
        "in_enum",
        "in_map",
        "in_map_with_list",
        "in_map_with_number",
        "in_either",
        "in_union",
        "in_several",
        "in_pair",
    ] {
        let found = calculated
            .iter()
            .any(|found| found.starts_with(&format!("{name} ")));
        assert!(found, "{name} is not calculated: {calculated:?}");
    }
}

/// An argument that is only read has a twin that takes a reference.
#[test]
fn arguments_by_reference() {
    let mut expected: BTreeMap<String, u64> = BTreeMap::new();
    for (name, size) in truth() {
        if let Some(name) = name.strip_suffix("_by_reference") {
            expected.insert(name.to_owned(), *size);
        }
    }
    let found = remedies().filter(|(_, _, r)| r["kind"] == "reference");
    let found = found.map(|(name, _, r)| (name, number(&r["size_after"])));
    assert_eq!(found.collect::<BTreeMap<_, _>>(), expected);
}

/// The fixture with a function that returns `async move { … }` in place of an `async fn`.
fn with_async_move(text: &str, line: u64) -> Option<String> {
    let lines: Vec<&str> = text.lines().collect();
    let head = lines[line as usize - 1];
    let indent: String = head.chars().take_while(|c| *c == ' ').collect();
    let (start, result) = head.strip_suffix(" {")?.split_once(" -> ")?;
    let end = format!("{indent}}}");
    let length = lines[line as usize..]
        .iter()
        .position(|line| **line == end)?;
    let mut all: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
    let start = start.replacen("async fn", "fn", 1);
    all[line as usize - 1] = format!("{start} -> impl Future<Output = {result}> {{ async move {{");
    all[line as usize + length] = format!("{end}}}");
    Some(all.join("\n") + "\n")
}

/// The remedies of all futures: name, size, and the remedy.
fn remedies() -> impl Iterator<Item = (String, &'static Value, &'static Value)> {
    explained().iter().flat_map(|line| {
        let step = first_step(line);
        let remedies = step["remedies"].as_array().unwrap();
        remedies
            .iter()
            .map(move |remedy| (shown(line), step, remedy))
    })
}

#[test]
fn arguments_kept_once() {
    let text = fs::read_to_string(fixture("futures").join("src/cases.rs")).unwrap();
    let found: Vec<_> = remedies()
        .filter(|(_, _, r)| r["kind"] == "async_move")
        .collect();
    let with = |(_, step, _): &(_, &Value, _)| with_async_move(&text, number(&step["line"]));
    let copies: Vec<String> = found.iter().map(|f| with(f).unwrap()).collect();
    assert!(copies.len() > 8, "{found:?}");
    for (sizes, (name, step, remedy)) in in_copies("futures-once", &copies).iter().zip(found) {
        let in_block = format!("{{async block in {name}}}");
        let of = |name: &str| -> Vec<u64> {
            let own = sizes.iter().zip(truth()).filter(|(_, t)| t.0 == name);
            own.filter(|(_, t)| t.1 == number(&step["size"]))
                .map(|(s, _)| s.1)
                .collect()
        };
        // The program still names it as before.
        assert_eq!(of(&name), [number(&remedy["size_after"])], "{in_block}");
    }
}

/// A variable that no await needs has a twin in the fixture where it is in a block.
#[test]
fn variables_that_no_await_needs() {
    let mut expected: BTreeMap<String, u64> = BTreeMap::new();
    for (name, size) in truth() {
        if let Some(name) = name.strip_suffix("_scoped") {
            expected.insert(name.to_owned(), *size);
        }
    }
    let found = remedies().filter(|(_, _, r)| r["kind"] == "block");
    let found: Vec<_> = found
        .map(|(name, _, r)| (name, number(&r["size_after"])))
        .collect();
    assert_eq!(found.len(), expected.len(), "{found:?}");
    assert_eq!(found.into_iter().collect::<BTreeMap<_, _>>(), expected);
}

/// Runs the command in a project of a test.
fn scratch_futures(scratch: &Scratch, arguments: &[&str]) -> Run {
    let mut command = weigh(scratch.folder());
    with_compiler(&mut command);
    command.args(["futures", "--offline"]).args(arguments);
    command.args(["--target-dir"]);
    run(command.arg(scratch.folder().join("target")))
}

const ONE: &str = "pub async fn wait(n: [u8; 90]) -> usize {\n    \
    std::future::ready(()).await;\n    n.len()\n}\n";

#[test]
fn without_any() {
    let none = Scratch::library("none", "pub fn f() {}\n");
    let said = scratch_futures(&none, &[]).expect(0);
    let expected = "the selected targets have no `async` function, block or closure; ";
    assert!(said.stdout.starts_with(expected), "{}", said.stdout);
    let said = scratch_futures(&none, &["--message-format", "json"]).expect(0);
    assert_eq!(said.stdout, "");
    scratch_futures(&none, &["f"])
        .expect(2)
        .says(&["the selected targets have none"]);
    let empty = Scratch::library("empty", "").file(
        "src/main.rs",
        "async fn wait() {}\n\nfn main() {\n    drop(wait());\n}\n",
    );
    let said = scratch_futures(&empty, &[]).expect(0);
    assert!(said.stdout.contains("wait"), "{}", said.stdout);
}

#[test]
fn what_cannot_be_done() {
    let one = Scratch::library("one", ONE);
    scratch_futures(&one, &["-p", "two"])
        .expect(2)
        .says(&["package `two` is not in the workspace"]);
    scratch_futures(&one, &["--bin", "two"]).expect(2);
    let said = scratch_futures(&one, &["wai"]).expect(2);
    said.says(&["no future matches `wai`", "did you mean `wait`?"]);
    scratch_futures(&one, &["x*"])
        .expect(2)
        .says(&["no future matches `x*`"]);
    let windows = ["--target", "x86_64-pc-windows-msvc"];
    let said = scratch_futures(&one, &windows).expect(2);
    said.says(&["DWARF", "x86_64-pc-windows-msvc"]);
    let broken = one.file(
        "src/lib.rs",
        format!("{ONE}pub fn broken() -> u8 {{ \"\" }}\n"),
    );
    let said = scratch_futures(&broken, &[]).expect(2);
    let said = said.says(&[
        "so there is nothing to measure",
        "mismatched types",
        "src/lib.rs:5",
    ]);
    assert_eq!(said.stdout, "");
}

/// The files that rustc dumped in a project.
fn dumps(scratch: &Scratch) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    let folder = scratch.folder().join("target/weigh/futures/dumps");
    for unit in fs::read_dir(folder).unwrap() {
        let files = fs::read_dir(unit.unwrap().path()).unwrap();
        found.extend(files.map(|file| file.unwrap().path()));
    }
    found
}

#[test]
fn a_dump_that_cannot_be_read() {
    let one = Scratch::library("dumps", ONE);
    let asked = ["wait", "--message-format", "json"];
    let known = scratch_futures(&one, &asked).expect(0).json().remove(0);
    assert!(first_step(&known)["not_calculated"].is_null(), "{known}");
    let all = dumps(&one);
    assert!(!all.is_empty());
    let texts: Vec<String> = all
        .iter()
        .map(|file| fs::read_to_string(file).unwrap())
        .collect();
    for (change, why) in [
        ("CoroutineLayout", "no readable dump"),
        ("storage_conflicts", "no readable dump"),
        ("3): [", "other variables"),
        ("Suspend0", ""),
        (": BitMatrix(", "no readable dump"),
    ] {
        for (file, text) in all.iter().zip(&texts) {
            let text = match change {
                "3): [" => text
                    .replace("(3): [_s0, ", "(3): [")
                    .replace("(3): [_0, ", "(3): ["),
                "Suspend0" => text.replace("_s", "_"),
                _ => text.replace(change, "Changed"),
            };
            fs::write(file, text).unwrap();
        }
        let line = scratch_futures(&one, &asked).expect(0).json().remove(0);
        let said = first_step(&line)["not_calculated"]
            .as_str()
            .unwrap_or_default();
        assert!(said.contains(why), "{change}: {said}");
        assert_eq!(said.is_empty(), why.is_empty(), "{change}: {said}");
        let what = ["size", "align", "instances", "line"].map(|key| (&line[key], &known[key]));
        assert!(what.iter().all(|(a, b)| a == b), "{line}");
        let without = |line: &Value| {
            let awaits = awaits(line).iter();
            awaits
                .map(|a| (a["line"].clone(), a["end"].clone()))
                .collect::<Vec<_>>()
        };
        assert_eq!(without(&line), without(&known));
    }
}

/// What another version of this program built is built again: cargo takes it for fresh.
#[test]
fn after_an_update() {
    let one = Scratch::library("updated", ONE);
    let asked = ["wait", "--message-format", "json"];
    scratch_futures(&one, &asked).expect(0);
    let ours = one.folder().join("target/weigh/futures");
    fs::remove_dir_all(ours.join("dumps")).unwrap();
    let calculated = || {
        let line = scratch_futures(&one, &asked).expect(0).json().remove(0);
        first_step(&line)["not_calculated"].is_null()
    };
    assert!(!calculated());
    fs::write(ours.join("version"), "0.0.1 1").unwrap();
    assert!(calculated());
}

/// A build script that asks what the compiler is, as those of many crates do, and through which
/// wrapper: the crate has the fields that it has in any other build.
#[test]
fn build_scripts_see_the_compiler_as_it_is() {
    let script = r##"
use std::process::Command;
fn main() {
    println!("cargo::rustc-check-cfg=cfg(unstable)");
    println!("cargo::rerun-if-changed=build.rs");
    assert!(std::env::var_os("RUSTC_BOOTSTRAP").is_none());
    let rustc = std::env::var("RUSTC").unwrap();
    let out = std::env::var("OUT_DIR").unwrap();
    let file = format!("{out}/probing.rs");
    std::fs::write(&file, "#![feature(never_type)] pub fn f() {}").unwrap();
    let wrapper = std::env::var("RUSTC_WORKSPACE_WRAPPER").ok();
    let calls = [None, wrapper];
    for wrapper in calls.iter().filter(|w| w.is_some() || calls[1].is_none()) {
        let mut command = Command::new(wrapper.as_ref().unwrap_or(&rustc));
        if wrapper.is_some() {
            command.arg(&rustc);
        }
        command.args(["--crate-name", "probing", "--crate-type", "lib", "--emit=metadata"]);
        let status = command.args(["--out-dir", &out]).arg(&file).status().unwrap();
        if status.success() {
            println!("cargo::rustc-cfg=unstable");
        }
    }
}
"##;
    let text = "pub struct S {\n    #[cfg(unstable)]\n    pub more: [u8; 1000],\n    pub n: u32,\n}\n\n\
                pub async fn f(s: S) -> u32 {\n    std::future::ready(()).await;\n    s.n\n}\n";
    // A nightly allows everything.
    let version = run(Command::new("rustc").arg("-vV")).stdout;
    let is_stable = !version.contains("nightly") && std::env::var_os("WEIGH_RUSTC").is_none();
    let probing = Scratch::library("probing", text).file("build.rs", script);
    let mut plain = cargo();
    with_compiler(&mut plain)
        .current_dir(probing.folder())
        .args(["build", "--offline"]);
    run(&mut plain).expect(0);
    let said = scratch_futures(&probing, &["f", "--message-format", "json"]).expect(0);
    let line = said.json().remove(0);
    let mut sizes = weigh(probing.folder());
    with_compiler(&mut sizes).args(["sizes", "--offline", "--message-format", "json"]);
    let size = run(&mut sizes);
    let size = number(&size.expect(0).size_of("S")["size"]);
    assert!(!is_stable || size == 4, "{size}");
    let captured = &first_step(&line)["captured"][0];
    assert_eq!(number(&captured["size"]), size);
    assert!(first_step(&line)["not_calculated"].is_null(), "{line}");
}

/// A library, a program of its name, tests and examples, and a dependency of the workspace.
#[test]
fn several_targets() {
    let scratch = Scratch::empty("several")
        .file(
            "Cargo.toml",
            "[workspace]\nmembers = [\"app\", \"base\"]\nresolver = \"3\"\n",
        )
        .file(
            "base/Cargo.toml",
            "[package]\nname = \"base\"\nversion = \"0.1.0\"\nedition = \"2024\"\n",
        )
        .file(
            "base/src/lib.rs",
            format!(
                "{ONE}async fn private(n: [u8; 7]) {{ wait([n[0]; 90]).await; }}\n\
              pub async fn of<T>(t: T) -> T {{ std::future::ready(()).await; t }}\n"
            ),
        )
        .file(
            "app/Cargo.toml",
            "[package]\nname = \"app\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\
             [dependencies]\nbase = { path = \"../base\" }\n",
        )
        .file(
            "app/src/lib.rs",
            "pub async fn run() { base::wait([0; 90]).await; }\n",
        )
        .file(
            "app/src/main.rs",
            "async fn run() -> [u8; 3] { app::run().await; base::of([1; 3]).await }\n\
             fn main() { drop(run()); }\n",
        )
        .file(
            "app/tests/t.rs",
            "#[test]\nfn t() { drop(async { app::run().await }); }\n",
        )
        .file(
            "app/examples/e.rs",
            "async fn e() {}\nfn main() { drop(e()); }\n",
        );
    let list = |arguments: &[&str]| -> Vec<(String, String, u64, u64)> {
        let json = ["--message-format", "json"];
        let said = scratch_futures(&scratch, &[arguments, &json].concat()).expect(0);
        let text = |v: &Value| v.as_str().unwrap().to_owned();
        let lines = said.json().into_iter().map(|l| {
            let instances = l["instances"].as_array().unwrap().len() as u64;
            (
                text(&l["package"]),
                text(&l["file"]),
                number(&l["line"]),
                instances,
            )
        });
        let mut lines: Vec<_> = lines.collect();
        lines.sort();
        lines
    };
    let base = [
        ("base", "base/src/lib.rs", 1),
        ("base", "base/src/lib.rs", 5),
    ];
    let generic = [("base", "base/src/lib.rs", 6)];
    let app = [("app", "app/src/lib.rs", 1), ("app", "app/src/main.rs", 1)];
    let of = |parts: &[&[(&str, &str, u64)]]| {
        let all = parts.concat().into_iter();
        let mut all: Vec<_> = all
            .map(|(p, f, l)| (p.to_owned(), f.to_owned(), l, 1))
            .collect();
        all.sort();
        all
    };
    assert_eq!(list(&[]), of(&[&base, &generic, &app]));
    assert_eq!(list(&["-p", "base"]), of(&[&base]));
    assert_eq!(list(&["-p", "app"]), of(&[&app]));
    assert_eq!(list(&["-p", "app", "--lib"]), of(&[&app[..1]]));
    let test = [("app", "app/tests/t.rs", 2)];
    assert_eq!(list(&["-p", "app", "--test", "t"]), of(&[&test]));
    let example = [("app", "app/examples/e.rs", 1)];
    assert_eq!(list(&["-p", "app", "--example", "e"]), of(&[&example]));
    // Nothing is linked, and what is not rebuilt is known still.
    let wait = scratch_futures(&scratch, &["private", "--message-format", "json"]).expect(0);
    let line = wait.json().remove(0);
    assert!(awaits(&line)[0]["boxed"].is_u64(), "{line}");
}

/// Also one where assertions are on, or off, against the habit: what they add counts.
#[test]
fn assertions() {
    let text = "pub async fn f(n: usize) -> usize {\n    #[cfg(debug_assertions)]\n    \
                let more = [n; 40];\n    std::future::ready(()).await;\n    \
                #[cfg(debug_assertions)]\n    assert!(more[1] == n);\n    n\n}\n";
    let one = Scratch::library("assertions", text).file(
        "src/main.rs",
        "fn main() { println!(\"{}\\tf\", size_of_val(&assertions::f(1))); }\n",
    );
    let manifest = fs::read_to_string(one.folder().join("Cargo.toml")).unwrap();
    let profiles = "[profile.on]\ninherits = \"release\"\ndebug-assertions = true\n\
                    [profile.off]\ninherits = \"dev\"\ndebug-assertions = false\n";
    let one = one.file("Cargo.toml", format!("{manifest}{profiles}"));
    let mut sizes = BTreeSet::new();
    for profile in ["dev", "release", "on", "off"] {
        let json = ["--profile", profile, "--message-format", "json"];
        let line = scratch_futures(&one, &json).expect(0).json().remove(0);
        let mut command = cargo();
        with_compiler(&mut command).current_dir(one.folder());
        command.args(["run", "--quiet", "--offline", "--profile", profile]);
        let said = run(&mut command).expect(0).stdout;
        let (size, _) = said.split_once('\t').unwrap();
        assert_eq!(line["size"].to_string(), size, "{profile}");
        sizes.insert(number(&line["size"]));
    }
    assert_eq!(sizes.len(), 2, "{sizes:?}");
}

#[test]
fn profiles() {
    let dev = futures(&["--message-format", "json"]).expect(0).stdout;
    for profile in ["release", "fat"] {
        let json = ["--message-format", "json", "--profile", profile];
        assert_eq!(futures(&json).expect(0).stdout, dev, "{profile}");
    }
    // What was dumped of one profile is not taken for that of another.
    let name = ["cases::dropped_borrowed", "--message-format", "json"];
    let before = json(&name[..1]);
    futures(&[&name[..], &["--profile", "fat"]].concat()).expect(0);
    assert_eq!(json(&name[..1]), before);
    let remedies = first_step(&before[0])["remedies"].as_array();
    assert_eq!(remedies.map(Vec::len), Some(1), "{before:?}");
}

/// What is drawn, wholly.
#[test]
fn a_drawing() {
    let said = futures(&["cases::nested"]).expect(0).stdout;
    let (drawn, exactness) = said.trim_end().rsplit_once('\n').unwrap();
    assert!(exactness.contains("rustc 1."), "{said}");
    let line = |text: &str| {
        let source = fs::read_to_string(fixture("futures").join("src/cases.rs")).unwrap();
        1 + source.lines().position(|l| l.contains(text)).unwrap()
    };
    let (start, buf) = (line("async fn nested()"), line("[7u8; 512]"));
    let at = line("//~ nested");
    let [size, leaf] = ["nested", "leaf"].map(|name| {
        let found = truth().iter().find(|(known, _)| known == name);
        found.unwrap().1
    });
    let (end, all) = (512 + leaf, "#".repeat(16));
    let expected = format!(
        "cases::nested: {size} bytes, align 4, src/cases.rs:{start}\n\n\
         bytes  await            awaits    size  with a box\n \
         >{end}  src/cases.rs:{at}  `leaf()`     {leaf}\n\n\
         While it waits at src/cases.rs:{at}:\n \
         offset   size  0             {size}\n      \
         0    512  {all}.  buf: [u8; 512] (local)  src/cases.rs:{buf}\n    \
         512      {leaf}  {dots}#  (awaited) futures::cases::leaf::{{async_fn_env#0}}\n    \
         {end}      {rest}  {dots}#  (state, padding, or of other awaits)\n",
        dots = ".".repeat(16),
        rest = size - end
    );
    let (drawn, remedies) = drawn.split_once("\n\n`buf`").unwrap();
    assert_eq!(format!("{drawn}\n"), expected);
    let expected = format!(" (src/cases.rs:{buf}) made as a box: {size} -> ");
    assert!(remedies.starts_with(&expected), "{remedies}");
    assert!(
        remedies.contains("\n  then cases::in_option: "),
        "{remedies}"
    );
}

#[test]
fn columns_and_their_order() {
    let list = |arguments: &[&str]| futures(arguments).expect(0).stdout;
    let said = list(&["--top", "3"]);
    let lines: Vec<&str> = said.lines().collect();
    assert!(lines[0].starts_with("size  align  future "), "{said}");
    assert_eq!(
        lines[1..].iter().position(|line| line.is_empty()),
        Some(3),
        "{said}"
    );
    let all = futures(&["--message-format", "json"])
        .expect(0)
        .json()
        .len();
    let count = format!("\n3 of {all} futures");
    assert!(said.contains(&count), "no `{count}` in {said}");
    let some = list(&["--top", "1", "cases::*o*"]);
    assert!(some.contains(" matching, of "), "{some}");
    let names = list(&["--sort", "name", "--min", "1000", "cases::*o*"]);
    let names: Vec<&str> = names
        .lines()
        .filter(|l| l.contains("src/cases.rs"))
        .collect();
    let names: Vec<&str> = names
        .iter()
        .filter(|l| !l.starts_with(' ') || !l.contains("->"))
        .copied()
        .collect();
    assert!(names.len() > 5 && names.len() < 20, "{names:?}");
    let places = json(&["--sort", "place"]);
    let lines: Vec<u64> = places.iter().map(|line| number(&line["line"])).collect();
    assert!(lines.is_sorted(), "{lines:?}");
    let all = json(&["--dependencies", "--min", "1"]);
    assert!(all.len() >= places.len() - 1);
}

fn git(scratch: &Scratch, arguments: &[&str]) {
    let mut git = Command::new("git");
    git.current_dir(scratch.folder());
    git.args(["-c", "user.name=a", "-c", "user.email=a@example.com"]);
    run(git.args(arguments)).expect(0);
}

#[test]
fn since_a_revision_and_a_file() {
    let before = "pub async fn inner(n: [u8; 90]) -> usize {\n    std::future::ready(()).await;\n    \
                  n.len()\n}\npub async fn outer() -> usize { inner([0; 90]).await }\n\
                  pub async fn gone() {}\npub async fn same() {}\n";
    let after = before.replace("90", "300").replace("gone", "new");
    let scratch = Scratch::outside("weigh-futures-diff")
        .file(
            "Cargo.toml",
            "[package]\nname = \"grown\"\nversion = \"0.1.0\"\nedition = \"2024\"\n",
        )
        .file(".gitignore", "target\nCargo.lock\n")
        .file("src/lib.rs", before);
    git(&scratch, &["init", "--quiet"]);
    git(&scratch, &["add", "--all"]);
    git(&scratch, &["commit", "--quiet", "-m", "x"]);
    let command = |arguments: &[&str]| {
        let mut command = weigh(scratch.folder());
        run(with_compiler(&mut command).args(arguments))
    };
    let said = command(&["snapshot", "--futures"]).expect(0);
    said.says(&["Wrote 4 futures to", "weigh.futures.json"]);
    let size = |name: &str| {
        let json = ["futures", name, "--message-format", "json"];
        number(&command(&json).expect(0).json()[0]["size"])
    };
    let old = [size("inner"), size("outer")];
    fs::write(scratch.folder().join("src/lib.rs"), after).unwrap();
    let new = [size("inner"), size("outer")];
    for base in ["HEAD", "weigh.futures.json"] {
        let json = ["diff", base, "--futures", "--message-format", "json"];
        let lines = command(&json).expect(0).json();
        let of = |fate: &str| -> Vec<(&str, u64, u64)> {
            let lines = lines.iter().filter(|line| line["change"] == fate);
            let size = |value: &Value| value.as_u64().unwrap_or(0);
            let mut list: Vec<_> = lines
                .map(|l| {
                    (
                        l["path"].as_str().unwrap(),
                        size(&l["size_before"]),
                        size(&l["size_after"]),
                    )
                })
                .collect();
            list.sort_unstable();
            list
        };
        assert_eq!(
            of("grew"),
            [("inner", old[0], new[0]), ("outer", old[1], new[1])]
        );
        assert_eq!((of("came").len(), of("went").len()), (1, 1), "{lines:?}");
        let said = command(&["diff", base, "--futures", "--fail-on", "growth=9"]).expect(1);
        let text = &said.stdout;
        assert!(
            text.contains("with it") && text.contains("1 unchanged"),
            "{text}"
        );
        said.says(&["2 futures grew by more than 9 bytes"]);
        let said = command(&["diff", base, "--futures", "--markdown"])
            .expect(0)
            .stdout;
        assert!(
            said.contains("### Future sizes since") && said.contains("| future |"),
            "{said}"
        );
    }
    // Another revision, and the first one again: what was built of one is not taken for the other.
    git(&scratch, &["commit", "--quiet", "--all", "-m", "y"]);
    for (base, same) in [("HEAD", true), ("HEAD~1", false), ("HEAD", true)] {
        let said = command(&["diff", base, "--futures"]).expect(0).stdout;
        assert_eq!(said.starts_with("no size changed"), same, "{base}: {said}");
    }
    fs::write(scratch.folder().join("src/lib.rs"), before).unwrap();
    let said = command(&["diff", "HEAD~1", "--futures"]).expect(0).stdout;
    assert!(said.starts_with("no size changed; 4 futures"), "{said}");
    let broken = format!("{before}fn broken() -> u8 {{ \"\" }}\n");
    fs::write(scratch.folder().join("src/lib.rs"), broken).unwrap();
    command(&["diff", "HEAD", "--futures"])
        .expect(2)
        .says(&["mismatched types"]);
    command(&["diff", "nothing", "--futures"]).expect(2);
}

/// Macros of another crate, outside of the workspace: the line of an await in one is that of the
/// call, and nothing is said of a box there.
#[test]
fn macros_of_other_crates() {
    let join = "#[macro_export]\nmacro_rules! join {\n    ($a:expr, $b:expr) => {{\n        \
                let (mut a, mut b) = ($a, $b);\n        let _ = (&mut a, &mut b);\n        \
                $crate::both(a, b)\n            .await\n    }};\n}\n\
                #[macro_export]\nmacro_rules! wrap {\n    ($($t:tt)*) => { async move { $($t)* } };\n}\n\
                pub async fn both<A, B>(a: A, b: B)\nwhere A: Future, B: Future {\n    \
                a.await;\n    b.await;\n}\n";
    let text = "\
pub async fn leaf(n: [u8; 50]) -> usize {
    std::future::ready(()).await;
    n.len()
}

pub async fn joined() {
    leaf([0; 50]).await;
    ext::join!(leaf([1; 50]), leaf([2; 50]));
    leaf([3; 50]).await;
}

pub async fn joined_twice() {
    ext::join!(leaf([1; 50]), leaf([2; 50]));
    ext::join!(
        leaf([1; 50]),
        leaf([2; 50])
    );
}

pub fn wrapped() -> impl Future<Output = usize> {
    ext::wrap! {
        let text = [0u8; 9];
        leaf([4; 50]).await + text.len()
    }
}

pub async fn unused() {
    let closure = async || ext::join!(leaf([1; 50]), leaf([2; 50]));
    ext::join!(leaf([1; 50]), closure());
}
";
    let manifest = |name: &str| {
        format!("[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n")
    };
    let dependency = "[workspace]\n[package.metadata.weigh]\nlarge_future = { future-size = 40 }\n\
                      [dependencies]\next = { path = \"../ext\" }\n";
    let scratch = Scratch::empty("macros")
        .file("ext/Cargo.toml", manifest("ext"))
        .file("ext/src/lib.rs", "mod join;\npub use join::both;\n")
        .file("ext/src/join.rs", join)
        .file("app/Cargo.toml", manifest("app") + dependency)
        .file("app/src/lib.rs", text);
    let explained = |name: &str| {
        let mut command = weigh(&scratch.folder().join("app"));
        with_compiler(&mut command).args(["futures", name, "--message-format", "json"]);
        run(&mut command).expect(0).json().remove(0)
    };
    let of = |name: &str| -> Vec<(String, u64, bool)> {
        let line = explained(name);
        let awaits = awaits(&line).iter();
        let of = |a: &Value| {
            let file = a["file"]
                .as_str()
                .unwrap()
                .rsplit('/')
                .next()
                .unwrap()
                .to_owned();
            (file, number(&a["line"]), a["boxed"].is_u64())
        };
        awaits.map(of).collect()
    };
    let lib = |line: u64, boxed: bool| ("lib.rs".to_owned(), line, boxed);
    assert_eq!(of("joined"), [lib(7, true), lib(8, false), lib(9, true)]);
    assert_eq!(of("joined_twice"), [lib(13, false), lib(14, false)]);
    // Which of the calls it is cannot be told.
    assert_eq!(of("unused")[0], ("join.rs".to_owned(), 7, false));
    assert_eq!(of("wrapped"), [lib(23, true)]);
    assert_eq!(explained("joined")["package"], "app");
    // `wrapped` is a block in the other crate's text, which is no place for a finding.
    let app = scratch.folder().join("app");
    run(with_compiler(weigh(&app).arg("futures"))).expect(0);
    let mut lint = weigh(&app);
    lint.args(["-W", "weigh::large_future", "--message-format", "json"]);
    let found = run(with_compiler(&mut lint)).expect(0).findings();
    let files = found
        .iter()
        .map(|f| f["message"]["spans"][0]["file_name"].as_str());
    let files: BTreeSet<&str> = files.flatten().collect();
    assert_eq!(files, BTreeSet::from(["src/lib.rs"]));
}
