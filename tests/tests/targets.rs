//! Checks layouts for foreign targets against rustc, which needs no standard library for a crate
//! without `core`.

use std::collections::BTreeMap;
use std::process::Command;
use weigh_tests::{fixture, run, weigh, workbench};

/// One target per data layout in tier 1, and a few of tier 2 that differ more.
const TARGETS: &[&str] = &[
    "aarch64-apple-darwin",
    "aarch64-pc-windows-msvc",
    "aarch64-unknown-linux-gnu",
    "armv7-unknown-linux-gnueabihf",
    "i686-pc-windows-msvc",
    "i686-unknown-linux-gnu",
    "powerpc-unknown-linux-gnu",
    "riscv32imac-unknown-none-elf",
    "riscv64gc-unknown-linux-gnu",
    "s390x-unknown-linux-gnu",
    "thumbv7em-none-eabi",
    "wasm32-unknown-unknown",
    "x86_64-apple-darwin",
    "x86_64-pc-windows-gnu",
    "x86_64-unknown-linux-gnu",
];

/// Returns rustc's size and alignment of each type, in bytes.
fn truth(target: &str) -> BTreeMap<String, (u64, u64)> {
    let out = workbench("targets").join(target);
    std::fs::create_dir_all(&out).expect("the target folder is ours to write");
    let mut command = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    command
        .env("RUSTC_BOOTSTRAP", "1")
        .args(["--edition", "2021", "--crate-type", "lib", "--emit", "mir"])
        .args(["-Zprint-type-sizes", "--target", target, "--out-dir"])
        .arg(out)
        .arg(fixture("targets").join("src/lib.rs"));
    let said = run(&mut command).expect(0);
    let mut sizes = BTreeMap::new();
    for line in said.stdout.lines() {
        let Some(rest) = line.strip_prefix("print-type-size type: `") else {
            continue;
        };
        let (name, rest) = rest.split_once("`: ").expect("a name and its numbers");
        let number = |word: &str| word.parse::<u64>().expect("a number of bytes");
        let words: Vec<&str> = rest.split(' ').collect();
        let &[size, "bytes,", "alignment:", align, "bytes"] = words.as_slice() else {
            panic!("not a line of rustc's: {line}");
        };
        let name = name.replace("<'_>", "");
        sizes.insert(name, (number(size), number(align)));
    }
    sizes
}

#[test]
fn layouts_for_other_targets_are_those_of_rustc() {
    let mut wrong = Vec::new();
    for target in TARGETS {
        let truth = truth(target);
        let mut command = weigh(&fixture("targets"));
        command.args(["sizes", "--message-format", "json", "--target", target]);
        command.arg("--target-dir").arg(workbench("targets"));
        let mut compared = 0;
        for line in run(&mut command).expect(0).json() {
            let path = line["path"].as_str().expect("a line has a path");
            let Some(&(size, align)) = truth.get(path) else {
                continue;
            };
            compared += 1;
            if line["size"] != size || line["align"] != align {
                wrong.push(format!(
                    "{target}: {path} is {size} (align {align}): {line}"
                ));
            }
        }
        // `All` contains every other type by value: its layout comes last and must be there.
        assert!(truth.contains_key("All"), "{target}: {truth:?}");
        assert!(
            compared >= 12,
            "{target}: only {compared} types were compared"
        );
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
