//! The program to count: built by cargo with the flags that a census needs.

use super::run::rustflags;
use crate::project::{self, Project, Selection};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Stdio;

/// Builds the selection; the file to run.
///
/// # Errors
/// Cargo fails; nothing that is selected can be run, or several can.
pub fn build(project: &Project, selection: &Selection, folder: &Path) -> Result<PathBuf, String> {
    let mut selection = selection.clone();
    if selection.profile.is_none() {
        selection.release = true;
    }
    selection.target_dir = Some(folder.to_owned());
    let mut command = project::cargo("build");
    selection.cargo_args(&mut command);
    command.args(["--message-format", "json-render-diagnostics"]);
    let flags: Vec<&str> = project.rustflags.iter().map(String::as_str).collect();
    let flags = [&flags[..], &rustflags(&project.target.triple)]
        .concat()
        .join("\x1f");
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
        return Err(format!("`cargo build` failed ({})", output.status));
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let programs: Vec<(String, String, PathBuf)> = text
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter(|line| line["reason"] == "compiler-artifact")
        .filter_map(|line| {
            let kind = line["target"]["kind"][0].as_str()?.to_owned();
            let name = line["target"]["name"].as_str()?.to_owned();
            Some((kind, name, line["executable"].as_str()?.into()))
        })
        .collect();
    match &programs[..] {
        [] => Err(
            "nothing that is selected can be run: name a binary, example, test or benchmark"
                .to_owned(),
        ),
        [(_, _, path)] => Ok(path.clone()),
        several => {
            let by_default = default_run(&selection);
            let found = several
                .iter()
                .find(|(kind, name, _)| kind == "bin" && Some(name) == by_default.as_ref());
            if let Some((_, _, path)) = found {
                return Ok(path.clone());
            }
            let names: Vec<String> = several
                .iter()
                .map(|(kind, name, _)| format!("--{kind} {name}"))
                .collect();
            Err(format!(
                "several programs can be run: choose `{}`",
                names.join("`, `")
            ))
        }
    }
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
