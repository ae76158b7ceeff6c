//! Starts cargo and rustc: in the current folder, or in a neutral one so that no program that the
//! project names is run.

use super::answers::Answers;
use super::{ProjectError, Selection};
use crate::seen;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The folder that programs are run in, with the selection.
#[derive(Debug)]
pub(super) struct Calls {
    /// The folder that programs are run in; its configuration and that of its ancestors apply.
    pub(super) folder: PathBuf,
    /// The selection, with paths that are valid in `folder`.
    pub(super) selection: Selection,
    neutral: bool,
    /// Cached output of the programs.
    pub(super) answers: Answers,
}

/// Variables with paths relative to the folder that a program is started in.
const PATHS: [&str; 5] = [
    "CARGO_HOME",
    "CARGO_TARGET_DIR",
    "CARGO_BUILD_TARGET_DIR",
    "CARGO_BUILD_BUILD_DIR",
    "RUSTUP_HOME",
];

/// Files that make cargo or rustup run other programs.
const NAMING: [&str; 4] = [
    ".cargo/config",
    ".cargo/config.toml",
    "rust-toolchain",
    "rust-toolchain.toml",
];

impl Calls {
    /// Creates the calls for a selection.
    ///
    /// # Errors
    /// There is no current folder, none that is neutral, or no manifest.
    pub(super) fn new(selection: &Selection) -> Result<Calls, ProjectError> {
        let here = std::env::current_dir()
            .map_err(|error| ProjectError::new(format!("no current directory: {error}")))?;
        if !selection.no_project_config {
            return Ok(Calls {
                folder: here,
                selection: selection.clone(),
                neutral: false,
                answers: Answers::default(),
            });
        }
        // The root of the file system has no ancestors, so only its own files must be checked.
        let folder = here.ancestors().last().unwrap_or(&here).to_owned();
        let home = cargo_home(&here);
        let naming = NAMING.iter().map(|name| folder.join(name));
        let mut naming =
            naming.filter(|path| seen::exists(path) && path.parent() != home.as_deref());
        if let Some(path) = naming.next() {
            let why = format!(
                "`--no-project-config` runs cargo in `{}`, and `{}` would count there",
                folder.display(),
                path.display()
            );
            return Err(ProjectError::new(why));
        }
        Ok(Calls {
            selection: absolute(selection, &here)?,
            folder,
            neutral: true,
            answers: Answers::default(),
        })
    }

    /// Creates a command for the cargo that started us, or for the one on `PATH`.
    pub(super) fn cargo(&self, subcommand: &str) -> Command {
        let caller = std::env::var_os("CARGO").filter(|_| !self.neutral || !is_by_path());
        let mut command = self.program(caller.unwrap_or_else(|| "cargo".into()));
        command.arg(subcommand);
        command
    }

    /// Runs a program to its end, or takes its output from the cache.
    ///
    /// # Errors
    /// It cannot be run, or fails; `help` says what may be wrong.
    pub(super) fn run(&self, command: Command, help: Option<&str>) -> Result<String, ProjectError> {
        self.answers.ask(command, help)
    }

    /// Creates a command for a program.
    pub(super) fn program(&self, program: impl Into<OsString>) -> Command {
        command(program, self.neutral())
    }

    /// Returns the toolchain that rustup has chosen, unless the project may have named its folder.
    pub(super) fn toolchain(&self) -> Option<OsString> {
        std::env::var_os(TOOLCHAIN).filter(|_| !self.neutral)
    }

    /// Returns the neutral folder, for `--no-project-config`.
    pub(super) fn neutral(&self) -> Option<&Path> {
        self.neutral.then_some(&*self.folder)
    }
}

/// Creates a command for a program, in the current or in the neutral folder.
pub(super) fn command(program: impl Into<OsString>, neutral: Option<&Path>) -> Command {
    let mut command = Command::new(program.into());
    command.stdin(Stdio::null());
    let Some(folder) = neutral else {
        return command;
    };
    command.current_dir(folder);
    if is_by_path() {
        command.env_remove(TOOLCHAIN);
    }
    for name in PATHS {
        let set = std::env::var_os(name).filter(|path| !path.is_empty());
        if let Some(path) = set.and_then(|path| std::path::absolute(path).ok()) {
            command.env(name, path);
        }
    }
    command
}

/// The variable by which rustup passes on the toolchain that it has chosen.
const TOOLCHAIN: &str = "RUSTUP_TOOLCHAIN";

/// Returns true for a toolchain that a `rust-toolchain.toml` names by its path; others have names.
fn is_by_path() -> bool {
    std::env::var(TOOLCHAIN).is_ok_and(|name| name.contains(['/', '\\']))
}

/// Returns cargo's home, which may be relative to a folder.
pub(super) fn cargo_home(folder: &Path) -> Option<PathBuf> {
    match std::env::var_os("CARGO_HOME").filter(|home| !home.is_empty()) {
        Some(home) => Some(folder.join(home)),
        None => std::env::home_dir().map(|home| home.join(".cargo")),
    }
}

/// Returns the same selection for a cargo in another folder.
fn absolute(selection: &Selection, here: &Path) -> Result<Selection, ProjectError> {
    let mut selection = selection.clone();
    let manifest = match &selection.manifest_path {
        Some(path) => here.join(path),
        None => {
            let mut folders = here.ancestors().map(|folder| folder.join("Cargo.toml"));
            folders.find(|path| seen::is_file(path)).ok_or_else(|| {
                let here = here.display();
                ProjectError::new(format!(
                    "could not find `Cargo.toml` in `{here}` or any parent directory"
                ))
            })?
        }
    };
    selection.manifest_path = Some(manifest);
    selection.target_dir = selection.target_dir.map(|folder| here.join(folder));
    for config in &mut selection.config {
        let path = here.join(&*config);
        if seen::is_file(&path) {
            *config = path.to_string_lossy().into_owned();
        }
    }
    let targets = selection.target.iter_mut();
    for target in targets.chain(&mut selection.other_targets) {
        if target.ends_with(".json") {
            *target = here.join(&*target).to_string_lossy().into_owned();
        }
    }
    Ok(selection)
}
