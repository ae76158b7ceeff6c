//! Compiles the selected targets, and finds what rustc wrote for each.

use super::wrapper;
use crate::interrupt;
use crate::project::{Project, Selection, cargo};
use crate::source::read;
use crate::store::{self, Folder};
use crate::verify;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// What cargo built for one target.
#[derive(Clone, Debug)]
pub struct Artifact {
    /// The id of its package, as cargo prints it.
    pub package_id: String,
    /// The name of its target, as cargo prints it.
    pub target: String,
    /// Its first source file.
    pub source: PathBuf,
    /// The library or program.
    pub file: PathBuf,
    /// The folder with the dumps of its coroutines, if there is one.
    pub dumps: Option<PathBuf>,
}

/// A build script that ran, in this build or in an earlier one.
#[derive(Clone, Debug)]
pub struct Script {
    /// The id of its package.
    pub package_id: String,
    /// The folder that it writes to.
    pub out_dir: PathBuf,
}

/// What a build has made.
#[derive(Debug)]
pub struct Built {
    /// Libraries and programs.
    pub artifacts: Vec<Artifact>,
    /// The build scripts that they depend on.
    pub scripts: Vec<Script>,
}

impl Artifact {
    /// The name of the crate in code.
    pub fn crate_name(&self) -> String {
        self.target.replace('-', "_")
    }
}

/// What a build has read.
#[derive(Debug, Default)]
pub struct Inputs {
    /// Files.
    pub files: BTreeSet<PathBuf>,
    /// Variables of the environment.
    pub variables: BTreeSet<String>,
}

impl Artifact {
    /// What it was made from, as far as that may change without another `Cargo.lock`; `None` if
    /// rustc has not said so.
    pub fn inputs(&self, root: &Path) -> Option<Inputs> {
        let written = read::text(&self.dumps.as_ref()?.join(wrapper::OUTPUT)).ok()?;
        let mut inputs = Inputs::default();
        let own = listed_beside(Path::new(&written))?;
        inputs.add(&read::text(&own).ok()?, root);
        // Cargo adds packages outside the workspace, if it copies the file from where rustc wrote it.
        if let Some(text) = listed_beside(&self.file).and_then(|list| read::text(&list).ok()) {
            inputs.add(&text, root);
        }
        Some(inputs)
    }
}

/// The file with the list of inputs of a library or program.
fn listed_beside(file: &Path) -> Option<PathBuf> {
    let name = file.file_name()?.to_str()?;
    let plain = match name.strip_suffix(".rlib") {
        Some(library) => library.strip_prefix("lib")?,
        None => name,
    };
    let names = [format!("{plain}.d"), format!("lib{plain}.d")];
    let mut all = names.iter().map(|name| file.with_file_name(name));
    all.find(|path| path.is_file())
}

impl Inputs {
    /// Adds those of a list as `make` reads it. rustc is run in the workspace's root.
    fn add(&mut self, text: &str, root: &Path) {
        for line in text.lines() {
            if let Some(variable) = line.strip_prefix("# env-dep:") {
                let name = variable.split('=').next().unwrap_or_default();
                self.variables.insert(name.to_owned());
            }
            let Some((_, files)) = line.split_once(": ").filter(|_| !line.starts_with('#')) else {
                continue;
            };
            let mut name = String::new();
            for part in files.split(' ') {
                match part.strip_suffix('\\') {
                    Some(part) => name += &format!("{part} "),
                    None => {
                        name += part;
                        self.files.insert(root.join(std::mem::take(&mut name)));
                    }
                }
            }
        }
    }
}

/// What is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Of {
    /// The project.
    Project,
    /// The project, with the debug information of its dependencies.
    Dependencies,
    /// Another revision of it. Cargo tells packages of a workspace apart by their paths in it: in a
    /// target folder that both share, it would take what it built of one for the other.
    Revision,
}

impl Of {
    /// The target folder, in ours.
    pub fn folder(self) -> &'static str {
        match self {
            Of::Project | Of::Dependencies => "build",
            Of::Revision => "revision",
        }
    }
}

/// The file that says by which version of the wrapper all was built: cargo would not build it again.
const VERSION: (&str, &str) = ("version", concat!(env!("CARGO_PKG_VERSION"), " 1"));

/// Removes what another version has built.
///
/// # Errors
/// The folder cannot be written.
pub fn renew(folder: &Folder) -> Result<(), String> {
    let (name, version) = VERSION;
    if folder.has(name, version.as_bytes()) {
        return Ok(());
    }
    for old in ["build", "revision", wrapper::DUMPS] {
        // It may not exist.
        let _ = folder.remove_tree(old);
    }
    let put = folder.put(name, version.as_bytes());
    put.map_err(|e| format!("cannot write below `{}`: {e}", folder.path().display()))
}

/// The file that names the revision whose build is in the folder for that.
const BUILT: &str = "built";

/// Compiles the selection with debug information, in a folder of ours.
///
/// # Errors
/// Cargo fails: what the compiler says.
pub fn build(
    project: &Project,
    selection: &Selection,
    of: Of,
    folder: &Folder,
) -> Result<Built, String> {
    let failed = |e: &dyn std::fmt::Display| format!("cannot build for `futures`: {e}");
    let own = std::env::current_exe().map_err(|e| failed(&e))?;
    let builds = folder.path().join(of.folder());
    if of == Of::Revision {
        forget_other(project, &builds, folder)?;
    }
    let mut command = cargo("build");
    let selection = Selection {
        target_dir: Some(builds),
        ..selection.clone()
    };
    selection.cargo_args(&mut command);
    command.args(["--color", "never"]);
    command.args(["--message-format", "json-render-diagnostics"]);
    command
        .env("RUSTC_WORKSPACE_WRAPPER", own)
        .env(wrapper::VARIABLE, &project.target_dir)
        // What was compiled incrementally is not dumped again.
        .env("CARGO_INCREMENTAL", "0");
    // What is not of the workspace is not compiled through the wrapper.
    let mut selected = project.selected.iter().map(|id| project.krate(*id));
    if of == Of::Dependencies || selected.any(|krate| !krate.member) {
        let profile = selection.profile_name().to_uppercase().replace('-', "_");
        command.env(format!("CARGO_PROFILE_{profile}_DEBUG"), "2");
    }
    let output = interrupt::output(&mut command).map_err(|e| format!("cannot run cargo: {e}"))?;
    if !output.status.success() {
        return Err(format!(
            "`cargo build` failed ({}), so there is nothing to measure\n{}",
            output.status,
            verify::from_first_error(&String::from_utf8_lossy(&output.stderr))
        ));
    }
    let dumps = folder.own(wrapper::DUMPS, true);
    let dumps = dumps.map_err(|closed| store::needed(&closed))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let lines = text.lines().filter_map(|l| serde_json::from_str(l).ok());
    let lines: Vec<Value> = lines.collect();
    Ok(Built {
        artifacts: lines.iter().filter_map(|l| artifact(l, &dumps)).collect(),
        scripts: lines.iter().filter_map(script).collect(),
    })
}

fn script(line: &Value) -> Option<Script> {
    let text = |key: &str| line[key].as_str();
    let ran = text("reason")? == "build-script-executed";
    ran.then_some(())?;
    Some(Script {
        package_id: text("package_id")?.to_owned(),
        out_dir: text("out_dir")?.into(),
    })
}

impl Script {
    /// What it depends on besides its package; `None` if that is not known. `manifest` is that of a
    /// package whose files may change: a script that names none depends on all of them.
    pub fn inputs(&self, manifest: Option<&Path>) -> Option<Inputs> {
        let beside = ["output", "run/stdout"].map(|name| self.out_dir.with_file_name(name));
        let said = beside.iter().find_map(|file| read::text(file).ok())?;
        let mut inputs = Inputs::default();
        let mut names_any = false;
        for line in said.lines() {
            let line = line
                .strip_prefix("cargo:")
                .map(|l| l.trim_start_matches(':'));
            let Some((key, value)) = line.and_then(|line| line.split_once('=')) else {
                continue;
            };
            match (key, manifest) {
                ("rerun-if-env-changed", _) => _ = inputs.variables.insert(value.to_owned()),
                ("rerun-if-changed", Some(manifest)) => {
                    let path = manifest.with_file_name(value);
                    // Cargo follows what is in a folder.
                    if path.is_dir() {
                        return None;
                    }
                    inputs.files.insert(path);
                }
                ("rerun-if-changed", None) => {}
                _ => continue,
            }
            names_any = true;
        }
        (names_any || manifest.is_none()).then_some(inputs)
    }
}

/// Removes what was built of the packages of another revision.
fn forget_other(project: &Project, builds: &Path, folder: &Folder) -> Result<(), String> {
    let root = project.workspace_root.as_os_str().as_encoded_bytes();
    if folder.has(BUILT, root) {
        return Ok(());
    }
    let mut command = cargo("clean");
    command.arg("--manifest-path");
    command.arg(project.workspace_root.join("Cargo.toml"));
    command.arg("--target-dir").arg(builds);
    for member in &project.members {
        command.arg("--package").arg(&member.package_id);
    }
    let output = interrupt::output(&mut command).map_err(|e| format!("cannot run cargo: {e}"))?;
    if !output.status.success() {
        return Err(format!(
            "`cargo clean` failed ({})\n{}",
            output.status,
            String::from_utf8_lossy(&output.stderr).trim_end()
        ));
    }
    let put = folder.put(BUILT, root);
    put.map_err(|e| format!("cannot write below `{}`: {e}", folder.path().display()))
}

fn artifact(line: &Value, dumps: &Folder) -> Option<Artifact> {
    if line["reason"] != "compiler-artifact" {
        return None;
    }
    let target = &line["target"];
    let kinds = target["kind"].as_array()?;
    if kinds
        .iter()
        .any(|kind| *kind == "proc-macro" || *kind == "custom-build")
    {
        return None;
    }
    let is_test = line["profile"]["test"] == true;
    let files = line["filenames"].as_array()?;
    let files = files.iter().filter_map(Value::as_str);
    // A library in several forms has the same debug information in each.
    let file = match line["executable"].as_str() {
        Some(file) => file,
        None => files
            .filter(|file| !file.ends_with(".rmeta"))
            .max_by_key(|file| file.ends_with(".rlib"))?,
    };
    let source = Path::new(target["src_path"].as_str()?);
    Some(Artifact {
        package_id: line["package_id"].as_str()?.to_owned(),
        target: target["name"].as_str()?.to_owned(),
        source: source.to_owned(),
        file: file.into(),
        dumps: dumps_of(dumps, &wrapper::unit(source, is_test), Path::new(file)),
    })
}

/// The folder with the dumps that came with a file, of those whose names start so. Cargo links or
/// copies the file from where rustc wrote it.
fn dumps_of(dumps: &Folder, start: &str, file: &Path) -> Option<PathBuf> {
    for name in dumps.names().ok()? {
        if !name.to_str().is_some_and(|name| name.starts_with(start)) {
            continue;
        }
        let own = dumps.folder(&name).ok()?;
        let output = own.read(wrapper::OUTPUT).unwrap_or_default();
        let output = PathBuf::from(String::from_utf8_lossy(&output).into_owned());
        if !output.is_file() {
            // It is of a build that cargo has removed.
            let _ = dumps.remove_tree(&name);
        } else if is_same(&output, file) {
            return Some(own.path().to_owned());
        }
    }
    None
}

/// Whether two paths are of one file, or of copies.
fn is_same(one: &Path, other: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let of = |path: &Path| std::fs::metadata(path).map(|m| (m.dev(), m.ino()));
        if of(one).is_ok_and(|one| of(other).is_ok_and(|other| one == other)) {
            return true;
        }
    }
    let size = |path: &Path| std::fs::metadata(path).map(|m| m.len()).ok();
    size(one) == size(other) && std::fs::read(one).ok() == std::fs::read(other).ok()
}
