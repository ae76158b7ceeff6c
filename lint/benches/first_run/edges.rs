//! Measures the commands that compile, against what compiling and running costs without them.

use crate::made::{bench, fetched, lock};
use crate::{Result, Subject, cargo, compared, median, run, weigh};
use std::fmt::Write;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

/// A package that has some twenty findings to fix.
const FIXED: (&str, &str) = ("askama_parser", "0.16.1");

/// A program that keeps all that it parses, and counts it.
const PROGRAM: &str = r#"
fn read(folder: &std::path::Path, kept: &mut Vec<syn::File>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            read(&path, kept);
        } else if path.extension().is_some_and(|e| e == "rs") {
            kept.extend(syn::parse_file(&std::fs::read_to_string(path).unwrap()));
        }
    }
}
fn main() {
    let mut kept = Vec::new();
    for folder in std::env::args().skip(1) {
        read(folder.as_ref(), &mut kept);
    }
    println!("{}", kept.len());
}
"#;

/// Compares `fix --dry-run` with `cargo check --all-targets`, both from an empty target folder.
pub fn fix(rounds: usize) -> Result<String> {
    let subject = Subject::published(FIXED)?;
    let target = subject.folder.join("target");
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        let _ = fs::remove_dir_all(&target);
        let mut check = cargo(&subject.folder, &["check", "--all-targets", "--offline"]);
        check.env("CARGO_TARGET_DIR", &target);
        theirs.push(run(&mut check)?);
        let _ = fs::remove_dir_all(&target);
        let mut fix = weigh(&subject, None);
        fix.args(["-W", "weigh::pedantic", "fix", "--dry-run"]);
        ours.push(run(&mut fix)?);
    }
    let (ours, theirs) = (median(ours), median(theirs));
    Ok(format!(
        "\n## `fix --dry-run` of all lints, from an empty target folder\n\n\
         | | fix | check --all-targets | ratio | cpu | cpu | ratio |\n\
         |---|---|---|---|---|---|---|\n\
         | {} | {} |\n",
        subject.name,
        compared(ours, theirs),
    ))
}

/// Compares a census of a program with its release build; both are built before.
pub fn census(rounds: usize) -> Result<String> {
    let subject = Subject::plain("syn 3.0.2 over tokio".to_owned(), program()?);
    let read = fetched("tokio", "1.54.1")?;
    let counted = |at: &str| {
        let mut census = weigh(&subject, None);
        census.args(["census", "--at", at, "--"]).arg(&read);
        census
    };
    // Both are built before.
    run(&mut counted("exit"))?;
    let mut build = cargo(&subject.folder, &["build", "--release", "--offline"]);
    run(build.env("CARGO_TARGET_DIR", subject.folder.join("target")))?;
    let program = subject.folder.join("target/release/measured");
    let mut text = String::from(
        "\n## Census: a program that is built\n\n\
         | | program | one run | ratio | two runs | ratio | cpu | one run | ratio | two runs | ratio |\n\
         |---|---|---|---|---|---|---|---|---|---|---|\n",
    );
    let [mut alone, mut once, mut twice] = [Vec::new(), Vec::new(), Vec::new()];
    for _ in 0..rounds {
        alone.push(run(Command::new(&program).arg(&read))?);
        once.push(run(&mut counted("exit"))?);
        twice.push(run(&mut counted("peak"))?);
    }
    let (alone, once, twice) = (median(alone), median(once), median(twice));
    let times = |own: f64, one: f64, two: f64| {
        format!(
            " {own:.0} | {one:.0} | {:.1} | {two:.0} | {:.1} |",
            one / own,
            two / own
        )
    };
    writeln!(
        text,
        "| {} |{}{}",
        subject.name,
        times(alone.0, once.0, twice.0),
        times(alone.1, once.1, twice.1)
    )?;
    Ok(text)
}

/// Makes the package of the program.
fn program() -> Result<PathBuf> {
    let folder = bench().join("measured");
    if !folder.join("Cargo.lock").is_file() {
        fs::create_dir_all(folder.join("src"))?;
        fs::write(folder.join("src/main.rs"), PROGRAM)?;
        fs::write(
            folder.join("Cargo.toml"),
            "[package]\nname = \"measured\"\nedition = \"2024\"\n[workspace]\n\
             [dependencies]\nsyn = { version = \"=3.0.2\", features = [\"full\"] }\n",
        )?;
        lock(&folder)?;
    }
    Ok(folder)
}
