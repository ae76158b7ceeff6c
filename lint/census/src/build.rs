//! The program to count: built by cargo with the flags that a census needs.

use super::run::rustflags;
use crate::project::{self, CrateKind, Project, Selection};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A program to count.
#[derive(Clone, Debug)]
pub struct Built {
    /// Its file.
    pub path: PathBuf,
    /// Of a test or benchmark: the folder of its package, where cargo runs it.
    pub package: Option<PathBuf>,
    flag: String,
    name: String,
}

impl Built {
    /// From a line of cargo's.
    fn of(line: &Value) -> Option<Built> {
        let kind = line["target"]["kind"][0].as_str()?;
        let manifest = Path::new(line["manifest_path"].as_str()?);
        let is_test = line["profile"]["test"] == true;
        Some(Built {
            path: line["executable"].as_str()?.into(),
            package: manifest.parent().filter(|_| is_test).map(Path::to_owned),
            flag: match kind {
                "bin" | "example" | "test" | "bench" => format!("--{kind}"),
                _ => "--lib".to_owned(),
            },
            name: line["target"]["name"].as_str()?.to_owned(),
        })
    }

    fn named(&self) -> String {
        named(&self.flag, &self.name)
    }
}

fn named(flag: &str, name: &str) -> String {
    match flag {
        "--lib" => flag.to_owned(),
        _ => format!("{flag} {name}"),
    }
}

/// Builds the selection with these flags behind the user's; the program to run.
///
/// # Errors
/// Cargo fails; nothing that is selected can be run, or several can.
pub fn build(
    project: &Project,
    selection: &Selection,
    folder: &Path,
    flags: &[&str],
) -> Result<Built, String> {
    any_program(project, selection)?;
    let mut selection = selection.clone();
    if selection.profile.is_none() {
        selection.release = true;
    }
    selection.target_dir = Some(folder.to_owned());
    // `cargo build --lib` makes no program.
    let mut command = project::cargo(if selection.lib { "test" } else { "build" });
    if selection.lib {
        command.arg("--no-run");
    }
    selection.cargo_args(&mut command);
    command.args(["--message-format", "json-render-diagnostics"]);
    let own: Vec<&str> = project.rustflags.iter().map(String::as_str).collect();
    let flags = [&own[..], flags].concat().join("\x1f");
    command
        .env("CARGO_ENCODED_RUSTFLAGS", flags)
        .env_remove("RUSTFLAGS")
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit());
    let output = command
        .spawn()
        .and_then(std::process::Child::wait_with_output)
        .map_err(|e| format!("cannot run cargo: {e}"))?;
    if !output.status.success() {
        return Err(format!("cargo failed ({})", output.status));
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let mut programs: Vec<Built> = text
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter(|line| line["reason"] == "compiler-artifact")
        .filter_map(|line| Built::of(&line))
        .collect();
    // With a test or benchmark cargo builds the binaries that it may start.
    let is_named = |program: &Built| {
        program.package.is_some() || selection.bins || selection.bin.contains(&program.name)
    };
    if programs.iter().any(|program| program.package.is_some()) {
        programs.retain(is_named);
    }
    let by_default = match programs.len() {
        0 | 1 => None,
        _ => default_run(&selection),
    };
    let is_default = |p: &&Built| p.flag == "--bin" && Some(&p.name) == by_default.as_ref();
    match &programs[..] {
        [] => Err(
            "nothing that is selected can be run: name a binary, example, test or benchmark"
                .to_owned(),
        ),
        [only] => Ok(only.clone()),
        several => several.iter().find(is_default).cloned().ok_or_else(|| {
            let names: Vec<String> = several.iter().map(Built::named).collect();
            format!(
                "several programs can be run: choose `{}`",
                names.join("`, `")
            )
        }),
    }
}

/// The flag without which LLVM merges functions of equal code, so that names lie.
pub const UNMERGED: &str = "-Cllvm-args=-opt-disable=mergefunc";

/// The flags for rustc that a census of a project needs.
pub fn flags(project: &Project) -> Vec<&'static str> {
    let mut flags = rustflags(&project.target.triple).to_vec();
    if knows_unmerged(&project.compiler) {
        flags.push(UNMERGED);
        let folds = |flag: &String| flag.contains("--icf") && !flag.contains("--icf=none");
        if project.rustflags.iter().any(folds) {
            flags.push("-Clink-arg=-Wl,--icf=none");
        }
    }
    flags
}

/// Whether a compiler's LLVM has the option.
fn knows_unmerged(compiler: &str) -> bool {
    let mut command = Command::new(compiler);
    command.args([UNMERGED, "--print", "target-cpus"]);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// Refuses a selection of libraries before it is built, which may take long.
fn any_program(project: &Project, selection: &Selection) -> Result<(), String> {
    let selected = || project.selected.iter().map(|id| project.krate(*id));
    let is_library = |kind| matches!(kind, CrateKind::Lib | CrateKind::ProcMacro);
    if selection.lib || selection.tests || selected().any(|krate| !is_library(krate.kind)) {
        return Ok(());
    }
    let names: Vec<String> = selected().map(|c| format!("`{}`", c.target_name)).collect();
    let beside = project.beside.iter().map(|id| project.krate(*id));
    let beside = beside.filter_map(|krate| {
        let flag = match krate.kind {
            CrateKind::Bin => "--bin",
            CrateKind::Example => "--example",
            CrateKind::Test => "--test",
            CrateKind::Bench => "--bench",
            CrateKind::Lib | CrateKind::ProcMacro => return None,
        };
        Some(format!("`{}`", named(flag, &krate.target_name)))
    });
    let choices: Vec<String> = beside
        .chain(["`--lib` for its unit tests".to_owned()])
        .collect();
    let what = match names.len() {
        1 => "is a library: choose what runs it",
        _ => "are libraries: choose what runs one",
    };
    Err(format!(
        "{} {what}, {}",
        names.join(", "),
        choices.join(", ")
    ))
}

/// The target folder of the project in the current folder, if there is one.
pub fn target_folder(selection: &Selection) -> Option<PathBuf> {
    if let Some(folder) = &selection.target_dir {
        return Some(folder.clone());
    }
    Some(metadata(selection)?["target_directory"].as_str()?.into())
}

/// The metadata of the workspace.
fn metadata(selection: &Selection) -> Option<Value> {
    let mut command = project::cargo("metadata");
    command.args(["--no-deps", "--format-version", "1"]);
    if let Some(path) = &selection.manifest_path {
        command.arg("--manifest-path").arg(path);
    }
    let output = command.stderr(Stdio::null()).output().ok()?;
    serde_json::from_slice(&output.stdout).ok()
}

/// The binary that `cargo run` takes where there are several, if the manifest says so.
fn default_run(selection: &Selection) -> Option<String> {
    let metadata = metadata(selection)?;
    let mut named = metadata["packages"]
        .as_array()?
        .iter()
        .filter(|package| {
            let name = package["name"].as_str().unwrap_or_default();
            selection.packages.is_empty() || selection.packages.iter().any(|p| p == name)
        })
        .filter_map(|package| package["default_run"].as_str());
    let first = named.next()?;
    named.next().is_none().then(|| first.to_owned())
}
