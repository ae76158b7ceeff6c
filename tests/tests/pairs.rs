//! Allocations in pairs, tiny ones, linked lists and loops: what is found in the fixtures, what
//! malloc really takes, and what the remedies save.

use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use weigh_tests::project::Scratch;
use weigh_tests::{cargo, fixture, run, run_in, workbench};

const LINTS: [&str; 4] = [
    "alloc_in_loop",
    "double_allocation",
    "linked_list",
    "tiny_allocation",
];

/// File, line and lint.
type Place = (String, usize, String);

/// The sources of a fixture, by path relative to it.
fn sources(folder: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut open = vec![folder.join("src")];
    while let Some(at) = open.pop() {
        for entry in std::fs::read_dir(&at).expect("a fixture has sources") {
            let path = entry.expect("it can be read").path();
            if path.is_dir() {
                open.push(path);
                continue;
            }
            let text = std::fs::read_to_string(&path).expect("sources are text");
            let name = path.strip_prefix(folder).expect("it lies in the folder");
            found.push((name.to_string_lossy().replace('\\', "/"), text));
        }
    }
    found
}

/// The lines with a mark, each with the lints named after it, or with this one.
fn marked(folder: &Path, marks: &[&str], lint: &str) -> BTreeSet<Place> {
    let mut found = BTreeSet::new();
    for (name, text) in sources(folder) {
        let lines = text.lines().enumerate();
        for (i, line) in lines.filter(|(_, l)| !l.starts_with("//!")) {
            let after = marks.iter().find_map(|m| Some(line.split_once(m)?.1));
            let Some(after) = after else { continue };
            let mut names: Vec<&str> = after.split_whitespace().collect();
            if names.is_empty() {
                names.push(lint);
            }
            found.extend(names.iter().map(|n| (name.clone(), i + 1, (*n).to_owned())));
        }
    }
    found
}

/// Where the program finds something of ours.
fn found(folder: &Path, args: &[&str]) -> (BTreeSet<Place>, Vec<Value>) {
    let args = [&["--message-format", "json"], args].concat();
    let said = run_in(folder, &args).expect(0);
    let findings = said.findings();
    let place = |f: &Value| {
        let lint = f["weigh"]["lint"].as_str()?;
        let spans = f["message"]["spans"].as_array()?;
        let span = spans.iter().find(|s| s["is_primary"] == true)?;
        let line = usize::try_from(span["line_start"].as_u64()?).ok()?;
        let file = span["file_name"].as_str()?.to_owned();
        LINTS.contains(&lint).then(|| (file, line, lint.to_owned()))
    };
    (findings.iter().filter_map(place).collect(), findings)
}

#[test]
fn each_lint_finds_what_its_fixture_marks_and_nothing_else() {
    for lint in LINTS {
        let folder = fixture(lint);
        let (places, _) = found(&folder, &[]);
        assert_eq!(places, marked(&folder, &["//~"], lint), "{lint}");
        let (places, _) = found(&folder, &["-W", "pedantic"]);
        assert_eq!(places, marked(&folder, &["//~", "//?"], lint), "{lint}");
    }
}

#[test]
fn the_story_of_curl_is_found_and_mended() {
    let before = fixture("curl");
    let (places, findings) = found(&before, &[]);
    assert_eq!(places, marked(&before, &["//~"], ""));
    for finding in &findings {
        let weigh = &finding["weigh"];
        assert_eq!(weigh["population"], "many", "{weigh}");
        assert_ne!(weigh["confidence"], "possible", "{weigh}");
    }
    let after = fixture("curl/after");
    let (places, _) = found(&after, &["-W", "pedantic"]);
    assert_eq!(places, BTreeSet::new());

    let counted = |folder: &PathBuf, name: &str| {
        let target = workbench(name);
        let mut command = cargo();
        command.current_dir(folder);
        command.args(["run", "--quiet", "--offline", "--bin", "count"]);
        let said = run(command.arg("--target-dir").arg(target)).expect(0);
        let mut words = said.stdout.split_whitespace();
        let mut number = || words.next().and_then(|w| w.parse::<u64>().ok());
        (number(), number().expect("the program counts"))
    };
    let (sent_before, many) = counted(&before, "curl");
    let (sent_after, few) = counted(&after, "curl-after");
    assert_eq!(sent_before, sent_after, "the remedies change what it does");
    assert!(few * 50 < many, "{many} allocations before, {few} after");
}

#[test]
fn holders_have_the_sizes_that_remedies_state() {
    let (_, findings) = found(&fixture("curl"), &[]);
    let of = |path: &str| {
        let of_type = findings.iter().map(|f| &f["weigh"]);
        let mut of_type = of_type.filter(|w| w["type"] == path && w["lint"] == "tiny_allocation");
        let weigh = of_type.next().expect("it is found");
        (weigh["size_before"].clone(), weigh["size_after"].clone())
    };
    let sizes = |name: &str, path: &str| {
        let said = run_in(&fixture(name), &["sizes", "--message-format", "json"]).expect(0);
        said.size_of(path)["size"].clone()
    };
    let (before, after) = of("Progress");
    assert_eq!(before, sizes("curl", "Progress"));
    assert_eq!(after, sizes("curl/after", "Progress"));
}

/// What the allocator of this machine gives for so many bytes, its header with it; `None` where it
/// is not the one whose arithmetic is stated.
fn measured(sizes: &[usize]) -> Option<Vec<usize>> {
    if !cfg!(all(
        target_os = "linux",
        target_env = "gnu",
        target_arch = "x86_64"
    )) {
        return None;
    }
    let program = r#"
        unsafe extern "C" {
            fn malloc_usable_size(block: *mut u8) -> usize;
        }
        fn main() {
            for size in std::env::args().skip(1) {
                let size: usize = size.parse().expect("a number");
                let block = vec![1u8; size].leak();
                let usable = unsafe { malloc_usable_size(block.as_mut_ptr()) };
                println!("{}", usable + 8);
            }
            let pointers = std::rc::Rc::into_raw(std::rc::Rc::new(String::from("text")));
            let block = (pointers as *mut u8).wrapping_sub(16);
            println!("{}", unsafe { malloc_usable_size(block) } + 8);
        }
    "#;
    let scratch = Scratch::library("measured", "").file("src/main.rs", program);
    let mut command = cargo();
    command.current_dir(scratch.folder());
    command.args(["run", "--quiet", "--offline", "--"]);
    command.args(sizes.iter().map(ToString::to_string));
    let said = run(&mut command).expect(0);
    Some(
        said.stdout
            .lines()
            .map(|l| l.parse().expect("a number"))
            .collect(),
    )
}

#[test]
fn blocks_are_what_malloc_takes() {
    let sizes: Vec<usize> = (1..=16).map(|n| n * 8).collect();
    let Some(mut blocks) = measured(&sizes) else {
        return;
    };
    let of_rc = blocks.pop().expect("the last is that of an `Rc`");

    let mut text = String::new();
    let (mut fields, mut pushes) = (String::new(), String::new());
    for size in &sizes {
        text += &format!("pub struct Of{size} {{ pub words: [u64; {}] }}\n", size / 8);
        fields += &format!("of{size}: Vec<Box<Of{size}>>,\n");
        let words = format!("words: [0; {}]", size / 8);
        pushes += &format!("self.of{size}.push(Box::new(Of{size} {{ {words} }}));\n");
    }
    text += &format!(
        "pub struct All {{ {fields} }}\nimpl All {{ pub fn add(&mut self) {{ {pushes} }} }}\n"
    );
    let scratch = Scratch::library("blocks", &text);
    let (_, findings) = found(scratch.folder(), &[]);
    let stated = |size: usize| {
        let field = format!("of{size}");
        let of = findings
            .iter()
            .find(|f| f["weigh"]["field"] == field.as_str());
        let message = of.and_then(|f| f["message"]["message"].as_str());
        let message = message.unwrap_or_else(|| panic!("{field} is not found"));
        let rest = message
            .split("a block of ")
            .nth(1)
            .expect("it states a block");
        rest.split(' ').next().and_then(|n| n.parse::<usize>().ok())
    };
    for (size, block) in sizes.iter().zip(&blocks) {
        assert_eq!(stated(*size), Some(*block), "for {size} bytes");
    }

    let (_, findings) = found(&fixture("double_allocation"), &[]);
    let shared = findings.iter().find(|f| {
        let field = f["weigh"]["field"] == "text" && f["weigh"]["type"] == "pairs::Word";
        field && f["weigh"]["lint"] == "double_allocation"
    });
    let remedy = &shared.expect("a shared text is found")["weigh"]["remedies"][0]["title"];
    let words = format!("the one of {of_rc} bytes between");
    assert!(
        remedy.as_str().is_some_and(|r| r.contains(&words)),
        "{remedy}"
    );
}

/// Every finding of Clippy's lints that ask the same is one of ours, or the fixture says which rule
/// keeps us quiet.
#[test]
fn what_clippy_finds_is_found_or_has_a_reason() {
    for (name, lints) in [
        (
            "double_allocation",
            &[
                "box_collection",
                "rc_buffer",
                "redundant_allocation",
                "vec_box",
            ][..],
        ),
        ("linked_list", &["linkedlist"][..]),
    ] {
        let folder = fixture(name);
        let mut command = cargo();
        command.current_dir(&folder);
        command.args(["clippy", "--quiet", "--offline", "--message-format", "json"]);
        command.arg("--target-dir").arg(workbench("clippy"));
        command.args(["--", "-A", "warnings"]);
        for lint in lints {
            command.arg("--force-warn").arg(format!("clippy::{lint}"));
        }
        let said = run(&mut command);
        if said.stderr.contains("not installed") || said.stderr.contains("no such command") {
            return;
        }
        let said = said.expect(0);
        let texts = sources(&folder);
        let mut looked = 0;
        for line in said.json() {
            let spans = line["message"]["spans"].as_array().cloned();
            let Some(span) = spans.and_then(|s| s.into_iter().find(|s| s["is_primary"] == true))
            else {
                continue;
            };
            let file = span["file_name"].as_str().expect("a span has a file");
            let (_, text) = texts
                .iter()
                .find(|(name, _)| name == file)
                .expect("it is ours");
            let lines: Vec<&str> = text.lines().collect();
            let at = span["line_start"].as_u64().expect("a span has a line") as usize - 1;
            let reason = || {
                let above = lines[..=at].iter().rev().take_while(|l| **l != "}");
                above.into_iter().any(|l| l.contains("silent:"))
            };
            assert!(
                lines[at].contains("//~") || reason(),
                "{file}:{}: {}",
                at + 1,
                line["message"]["message"]
            );
            looked += 1;
        }
        assert!(looked > 1, "{name}: Clippy finds nothing");
    }
}
