//! Measures the cost of an assertion in `cargo check`: 300 types with the derive, and with an
//! `assert!` each.
//!
//! `cargo bench -p weigh-derive` prints the time per type and the ratio to `assert!`. It asserts
//! nothing, because the numbers depend on the machine.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};
use std::{env, fs, io};

const TYPES: usize = 300;
const ROUNDS: usize = 7;

/// Used in place of the derive; `@` is the name of the type.
const ASSERT: &str = "const _: () = assert!(size_of::<@>() <= 32);";

/// The attributes of each type, and whether the types are enums.
const CASES: [(&str, &str, bool); 9] = [
    ("struct_plain", "", false),
    ("struct_assert", ASSERT, false),
    ("struct_debug", "#[derive(Debug)]", false),
    (
        "struct_max",
        "#[derive(weigh_derive::AssertSize)]\n#[assert_size(max = 32)]",
        false,
    ),
    (
        "struct_four",
        "#[derive(weigh_derive::AssertSize)]\n#[assert_size(max = 32, min = 8, align = 8, niche)]",
        false,
    ),
    ("enum_plain", "", true),
    ("enum_assert", ASSERT, true),
    ("enum_debug", "#[derive(Debug)]", true),
    (
        "enum_max",
        "#[derive(weigh_derive::AssertSize)]\n#[assert_size(max = 32)]",
        true,
    ),
];

fn main() -> io::Result<()> {
    // `cargo test --all-targets` also starts benchmarks, without this argument.
    if !env::args().any(|argument| argument == "--bench") {
        return Ok(());
    }
    let workspace = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("cost");
    write_workspace(&workspace)?;
    let mut times = Vec::new();
    for (name, _, _) in CASES {
        times.push(shortest_check(&workspace, name)?);
    }
    println!("{TYPES} types, cargo check, shortest of {ROUNDS} rounds");
    for first in [0, 5] {
        let base = times[first + 1].as_secs_f64();
        for (index, (name, _, is_enum)) in CASES.iter().enumerate().skip(first) {
            if *is_enum == CASES[first].2 {
                let whole = times[index].as_secs_f64();
                let added = times[index].saturating_sub(times[first]);
                let each = added.as_secs_f64() * 1000.0 / TYPES as f64;
                let ratio = whole / base;
                println!(
                    "{name:14} {:6.1} ms, {each:6.3} a type, {ratio:5.2} of `assert!`",
                    whole * 1000.0
                );
            }
        }
    }
    Ok(())
}

fn write_workspace(workspace: &Path) -> io::Result<()> {
    let derive = Path::new(env!("CARGO_MANIFEST_DIR"));
    let members: Vec<String> = CASES.iter().map(|(name, ..)| format!("{name:?}")).collect();
    fs::create_dir_all(workspace)?;
    let manifest = format!(
        "[workspace]\nresolver = \"3\"\nmembers = [{}]\n",
        members.join(", ")
    );
    fs::write(workspace.join("Cargo.toml"), manifest)?;
    for directory in derive.ancestors() {
        if directory.join("Cargo.lock").exists() {
            fs::copy(directory.join("Cargo.lock"), workspace.join("Cargo.lock"))?;
            break;
        }
    }
    for (name, attributes, is_enum) in CASES {
        let package = workspace.join(name);
        fs::create_dir_all(package.join("src"))?;
        let manifest = format!(
            "[package]\nname = {name:?}\nversion = \"0.0.0\"\nedition = \"2024\"\n\n\
             [dependencies]\nweigh-derive = {{ path = {derive:?} }}\n"
        );
        fs::write(package.join("Cargo.toml"), manifest)?;
        fs::write(package.join("src/lib.rs"), source(attributes, is_enum))?;
    }
    Ok(())
}

fn source(attributes: &str, is_enum: bool) -> String {
    let mut text = String::from("#![allow(dead_code)]\n");
    for number in 0..TYPES {
        let array = number % 7 + 1;
        let item = match is_enum {
            false => {
                format!("struct T{number} {{ a: u32, b: u64, c: [u8; {array}], d: Option<u16> }}")
            }
            true => format!(
                "enum T{number} {{ A, B(u64), C(u32, u8), D {{ a: [u8; {array}], b: u16 }}, E }}"
            ),
        };
        let attributes = attributes.replace('@', &format!("T{number}"));
        writeln!(text, "{attributes}\n{item}").expect("a String takes all that is written");
    }
    text
}

/// Returns the shortest wall time of `cargo check` when only the package itself is not fresh.
fn shortest_check(workspace: &Path, name: &str) -> io::Result<Duration> {
    let file = workspace.join(name).join("src/lib.rs");
    let mut shortest = Duration::MAX;
    for _ in 0..=ROUNDS {
        fs::write(&file, fs::read(&file)?)?;
        let start = Instant::now();
        let status = Command::new(env!("CARGO"))
            .args(["check", "--quiet", "--offline", "--package", name])
            .arg("--target-dir")
            .arg(workspace.join("target"))
            .env("CARGO_INCREMENTAL", "0")
            .current_dir(workspace)
            .status()?;
        assert!(status.success(), "`cargo check` of {name} failed");
        shortest = shortest.min(start.elapsed());
    }
    Ok(shortest)
}
