//! Double allocations, tiny ones, linked lists and loops: what malloc uses, what the remedies save,
//! and what Clippy reports.

use serde_json::Value;
use std::path::{Path, PathBuf};
use weigh_tests::markers::sources;
use weigh_tests::project::Scratch;
use weigh_tests::{cargo, fixture, run, run_in, workbench};

const LINTS: [&str; 4] = [
    "alloc_in_loop",
    "double_allocation",
    "linked_list",
    "tiny_allocation",
];

fn found(folder: &Path) -> Vec<Value> {
    let said = run_in(folder, &["-W", "nursery", "--message-format", "json"]).expect(0);
    let mut findings = said.findings();
    findings.retain(|f| LINTS.iter().any(|lint| f["weigh"]["lint"] == *lint));
    findings
}

#[test]
fn the_story_of_curl_is_found_and_mended() {
    let before = fixture("curl");
    for finding in found(&before) {
        let weigh = &finding["weigh"];
        assert_eq!(weigh["population"], "many", "{weigh}");
        assert_ne!(weigh["confidence"], "possible", "{weigh}");
    }
    let after = fixture("curl/after");
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
    let findings = found(&fixture("curl"));
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

/// Returns this machine's malloc block sizes for these sizes, in bytes with header; `None` if the
/// allocator is not the documented one.
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
    let findings = found(scratch.folder());
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

    let all = [
        "-W",
        "pedantic",
        "-W",
        "nursery",
        "--message-format",
        "json",
    ];
    let findings = run_in(&fixture("double_allocation"), &all)
        .expect(0)
        .findings();
    let shared = findings.iter().find(|f| {
        let field = f["weigh"]["field"] == "text" && f["weigh"]["type"] == "pairs::Word";
        field && f["weigh"]["lint"] == "double_allocation"
    });
    let remedy = &shared.expect("a shared text is found")["weigh"]["remedies"][0]["title"];
    // The counts move into the other block.
    let words = format!("one block less, about {} bytes", of_rc - 16);
    assert!(
        remedy.as_str().is_some_and(|r| r.contains(&words)),
        "{remedy}"
    );
}

/// Every finding of Clippy's equivalent lints is one of ours, or the fixture names the rule that
/// suppresses it.
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
        let read = |name: &str| std::fs::read_to_string(folder.join(name)).expect("it is text");
        let mut looked = 0;
        for line in said.json() {
            let spans = line["message"]["spans"].as_array().cloned();
            let Some(span) = spans.and_then(|s| s.into_iter().find(|s| s["is_primary"] == true))
            else {
                continue;
            };
            let file = span["file_name"].as_str().expect("a span has a file");
            assert!(texts.iter().any(|t| t == file), "{file} is ours");
            let text = read(file);
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
