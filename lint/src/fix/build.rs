//! Runs cargo in the copy: which targets compile, the errors of those that do not, and which tests
//! pass.

use super::mirror::Mirror;
use super::trouble::{self, Trouble, Unused};
use crate::folded::folded;
use crate::interrupt::{self, Started};
use crate::project::{self, Crate, CrateKind, Project, Selection};
use crate::verify::Names;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::LazyLock;

/// The output of a cargo process.
struct Said {
    success: bool,
    stdout: Vec<String>,
    stderr: String,
}

/// Runs cargo to its end and passes each line of its stdout on.
fn run(mut command: Command, mut line: impl FnMut(&str)) -> Result<Said, String> {
    let failed = |e: std::io::Error| format!("cannot run cargo: {e}");
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut cargo = Started::new(&mut command).map_err(failed)?;
    let stderr = cargo.stderr.take();
    let errors =
        std::thread::spawn(move || String::from_utf8_lossy(&interrupt::whole(stderr)).into_owned());
    let mut lines = Vec::new();
    let mut bytes = Vec::new();
    let mut stdout = cargo.stdout.take().map(BufReader::new);
    while let Some(stdout) = &mut stdout {
        bytes.clear();
        match stdout.read_until(b'\n', &mut bytes) {
            Ok(0) | Err(_) => break,
            Ok(_) => {
                let text = String::from_utf8_lossy(&bytes).trim_end().to_owned();
                line(&text);
                lines.push(text);
            }
        }
    }
    let stderr = errors.join().unwrap_or_default();
    let status = cargo.wait().map_err(failed)?;
    Ok(Said {
        success: status.success(),
        stdout: lines,
        stderr,
    })
}

/// The result of a check.
#[derive(Clone, Debug, Default)]
pub struct Checked {
    /// Targets that compiled.
    pub artifacts: BTreeSet<Artifact>,
    /// Errors, in cargo's order.
    pub troubles: Vec<Trouble>,
    /// True if everything compiled.
    pub success: bool,
    /// Cargo's stderr.
    pub stderr: String,
    /// The warnings about unused imports.
    pub unused: Vec<Unused>,
}

/// A target that compiled.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Artifact {
    /// The id of its package.
    pub package_id: String,
    /// Its name.
    pub target: String,
    /// `lib`, `bin`, … as cargo names it.
    pub kind: String,
    /// Compiled with `cfg(test)`.
    pub test: bool,
}

impl Artifact {
    fn read(line: &Value) -> Artifact {
        let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        Artifact {
            package_id: word(&line["package_id"]),
            target: word(&line["target"]["name"]),
            kind: word(&line["target"]["kind"][0]),
            test: line["profile"]["test"] == true,
        }
    }

    /// True if it is this crate, compiled in the copy.
    pub fn is(&self, krate: &Crate) -> bool {
        let kind = match krate.kind {
            CrateKind::Bin => "bin",
            CrateKind::Example => "example",
            CrateKind::Test => "test",
            CrateKind::Bench => "bench",
            CrateKind::Lib | CrateKind::ProcMacro => "",
        };
        let is_other = ["bin", "example", "test", "bench", "custom-build"];
        let same_kind = match kind {
            "" => !is_other.contains(&&*self.kind),
            kind => self.kind == kind,
        };
        let same_version = is_version_of(&self.package_id, &krate.version);
        same_kind && self.target == krate.target_name && same_version
    }
}

/// The passed and failed tests, by program.
#[derive(Clone, Debug, Default)]
pub struct Tested {
    /// Program and test.
    pub passed: BTreeSet<(String, String)>,
    /// Program and test.
    pub failed: BTreeSet<(String, String)>,
    /// True if everything compiled and all tests passed.
    pub success: bool,
    /// The end of cargo's stderr.
    pub stderr: String,
}

/// Runs cargo in the copy.
pub struct Build<'b> {
    mirror: &'b Mirror,
    /// The user's selection, with the paths of the copy.
    pub selection: Selection,
    /// For each package of the workspace, the packages that depend on it, directly or not, and
    /// itself.
    dependents: BTreeMap<String, BTreeSet<String>>,
    /// The folder that rustc's paths are relative to: the workspace in the copy.
    workspace: PathBuf,
    /// The crates that may use unstable flags: the same as when rustdoc is asked for sizes, or the
    /// build scripts that read this run again between the two, with all that depends on them.
    bootstrap: OsString,
    /// Packages that are checked because they depend on an edited one.
    others: BTreeSet<String>,
    say: &'b dyn Fn(&str),
}

/// `name@version`, as cargo accepts it.
fn spec(krate: &Crate) -> String {
    format!("{}@{}", krate.package, krate.version)
}

impl<'b> Build<'b> {
    /// Prepares for the user's selection in the copy. Progress is passed to `say`.
    ///
    /// # Errors
    ///
    /// Cargo does not know the packages of the copy.
    pub fn new(
        mirror: &'b Mirror,
        project: &Project,
        selection: &Selection,
        say: &'b dyn Fn(&str),
    ) -> Result<Build<'b>, String> {
        let here = std::env::current_dir().map_err(|e| format!("no current directory: {e}"))?;
        let manifest = match &selection.manifest_path {
            Some(path) => here.join(path),
            // As cargo does; the manifest exists, because it was read before.
            None => {
                let mut folders = here.ancestors().map(|f| f.join("Cargo.toml"));
                let found = folders.find(|path| path.is_file());
                found.ok_or_else(|| format!("no `Cargo.toml` around `{}`", here.display()))?
            }
        };
        // A package id contains a path, which differs in the copy.
        let packages = selection.packages.iter().map(|asked| {
            let mut crates = project.crates.iter();
            let found =
                crates.find(|c| c.member && asked.contains("://") && c.package_id == *asked);
            found.map_or_else(|| asked.clone(), spec)
        });
        let mut build = Build {
            mirror,
            selection: Selection {
                manifest_path: Some(mirror.of(&manifest)),
                packages: packages.collect(),
                target_dir: Some(mirror.target.path().to_owned()),
                with_members: false,
                documented: false,
                ..selection.clone()
            },
            dependents: BTreeMap::new(),
            workspace: mirror.of(&project.workspace_root),
            bootstrap: Names::of(project.crates.iter().filter(|c| c.member)).bootstrap(),
            others: BTreeSet::new(),
            say,
        };
        build.dependents = build.ask_dependents()?;
        Ok(build)
    }

    /// For each package of the workspace, its direct and indirect dependents.
    fn ask_dependents(&self) -> Result<BTreeMap<String, BTreeSet<String>>, String> {
        let mut command = project::cargo("metadata");
        command.args(["--no-deps", "--format-version", "1", "--quiet"]);
        if let Some(path) = &self.selection.manifest_path {
            command.arg("--manifest-path").arg(path);
        }
        let said = run(command, |_| ())?;
        let text = said.stdout.join("\n");
        let metadata: Value = serde_json::from_str(&text).map_err(|_| {
            format!(
                "`cargo metadata` failed in the copy\n{}",
                said.stderr.trim()
            )
        })?;
        let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
        let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let mut direct: Vec<(String, String)> = Vec::new();
        for package in list(&metadata["packages"]) {
            for dependency in list(&package["dependencies"]) {
                if dependency["path"].is_string() {
                    direct.push((word(&dependency["name"]), word(&package["name"])));
                }
            }
        }
        let mut all: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for package in list(&metadata["packages"]) {
            let name = word(&package["name"]);
            let mut found = BTreeSet::from([name.clone()]);
            let mut next = vec![name.clone()];
            while let Some(at) = next.pop() {
                for (_, by) in direct.iter().filter(|(of, _)| *of == at) {
                    if found.insert(by.clone()) {
                        next.push(by.clone());
                    }
                }
            }
            all.insert(name, found);
        }
        Ok(all)
    }

    /// Also checks these packages, and all that depend on them or on the selected ones.
    pub fn include<'p>(&mut self, selected: &Project, edited: impl Iterator<Item = &'p str>) {
        let chosen: BTreeSet<&str> = selected
            .selected
            .iter()
            .map(|&id| selected.krate(id))
            .map(|krate| krate.package.as_str())
            .collect();
        let edited: Vec<&str> = edited.collect();
        let touched = chosen.iter().copied().chain(edited);
        let by = touched
            .filter_map(|name| self.dependents.get(name))
            .flatten();
        let by: BTreeSet<String> = by
            .filter(|n| !chosen.contains(n.as_str()))
            .cloned()
            .collect();
        self.others = by;
    }

    /// A cargo command for the selected packages, or for their dependents.
    fn command(&self, subcommand: &str, others: bool) -> Command {
        let mut command = project::cargo(subcommand);
        let mut selection = Selection {
            lib: false,
            bins: false,
            examples: false,
            tests: false,
            benches: false,
            all_targets: subcommand == "check",
            bin: Vec::new(),
            example: Vec::new(),
            test: Vec::new(),
            bench: Vec::new(),
            ..self.selection.clone()
        };
        if others {
            selection.workspace = false;
            selection.exclude.clear();
            selection.features.clear();
            selection.all_features = false;
            selection.no_default_features = false;
            selection.packages = self.others.iter().cloned().collect();
        }
        selection.cargo_args(&mut command);
        command.env("RUSTC_BOOTSTRAP", &self.bootstrap);
        command
    }

    /// Checks all targets with the selected features; then the dependents.
    ///
    /// # Errors
    ///
    /// Cargo cannot be run.
    pub fn check(&self) -> Result<Checked, String> {
        let mut checked = self.check_some(false)?;
        if checked.success && !self.others.is_empty() {
            let others = self.check_some(true)?;
            checked.success = others.success;
            checked.artifacts.extend(others.artifacts);
            checked.troubles.extend(others.troubles);
            checked.unused.extend(others.unused);
            checked.stderr.push_str(&others.stderr);
        }
        Ok(checked)
    }

    fn check_some(&self, others: bool) -> Result<Checked, String> {
        let mut command = self.command("check", others);
        if keeps_going() {
            command.arg("--keep-going");
        }
        command.args(["--quiet", "--color", "never", "--message-format", "json"]);
        let mut checked = Checked::default();
        let said = run(command, |line| {
            let Ok(line) = serde_json::from_str::<Value>(line) else {
                return;
            };
            match line["reason"].as_str() {
                Some("compiler-artifact") => {
                    let name = line["target"]["name"].as_str().unwrap_or_default();
                    (self.say)(&format!("checking the copy: {name}"));
                    checked.artifacts.insert(Artifact::read(&line));
                }
                Some("compiler-message") => {
                    let inside = |name: &str| self.inside(name);
                    let message = &line["message"];
                    checked.troubles.extend(Trouble::read(message, &inside));
                    checked.unused.extend(trouble::unused(message, &inside));
                }
                _ => {}
            }
        })?;
        checked.success = said.success;
        checked.stderr = said.stderr;
        Ok(checked)
    }

    /// The path, relative to the copied folder, of a file that rustc names; none for other files.
    fn inside(&self, name: &str) -> Option<PathBuf> {
        let path = folded(&self.workspace.join(name));
        path.strip_prefix(&self.mirror.copy)
            .ok()
            .map(std::path::Path::to_owned)
    }

    /// Runs the tests, with `--no-fail-fast`.
    ///
    /// # Errors
    ///
    /// Cargo cannot be run.
    pub fn test(&self) -> Result<Tested, String> {
        let mut tested = Tested::default();
        for others in [false, true] {
            if others && self.others.is_empty() {
                continue;
            }
            let mut command = self.command("test", others);
            command.args(["--no-fail-fast", "--color", "never"]);
            (self.say)("running the tests of the copy");
            let said = run(command, |_| ())?;
            let mut programs = said.stderr.lines().filter_map(program);
            let mut program = String::new();
            for line in &said.stdout {
                if line.starts_with("running ") {
                    // Each test program prints this line once, in the order in which cargo starts
                    // them.
                    program = programs.next().unwrap_or_default();
                }
                let Some((name, outcome)) = outcome(line) else {
                    continue;
                };
                let of = (program.clone(), name.to_owned());
                match outcome {
                    true => tested.passed.insert(of),
                    false => tested.failed.insert(of),
                };
            }
            tested.success = said.success && (tested.success || !others);
            tested.stderr.push_str(&said.stderr);
        }
        Ok(tested)
    }
}

/// Whether a package's id has this version: at its end, which before Rust 1.77 the path of the
/// package followed.
fn is_version_of(id: &str, version: &str) -> bool {
    let id = id.split(" (").next().unwrap_or_default();
    id.ends_with(version)
}

/// Whether the project's cargo has `--keep-going`, which is stable from 1.74 on. Without it a check
/// ends at the first target that does not compile, and the search takes more of them.
fn keeps_going() -> bool {
    static KEEPS: LazyLock<bool> = LazyLock::new(|| {
        let said = project::cargo("--version").output();
        let text = said.map_or(String::new(), |o| String::from_utf8_lossy(&o.stdout).into());
        is_from(74, &text)
    });
    *KEEPS
}

/// Whether cargo is of Rust 1.`minor` or later, by what it says: `cargo 1.70.0 (ec8a8a0ca
/// 2023-04-25)`. What is not understood is taken for new.
fn is_from(minor: u32, said: &str) -> bool {
    let said = said.split('.').nth(1).and_then(|m| m.parse::<u32>().ok());
    said.is_none_or(|own| own >= minor)
}

/// The program that cargo announces, without the hash in its name.
fn program(line: &str) -> Option<String> {
    let line = line.trim_start();
    let rest = line.strip_prefix("Running ");
    let rest = rest.or_else(|| line.strip_prefix("Doc-tests ").map(|_| line))?;
    Some(rest.split(" (").next().unwrap_or(rest).to_owned())
}

/// A line of the test harness: the test, and whether it passed; none for ignored tests.
fn outcome(line: &str) -> Option<(&str, bool)> {
    let rest = line.strip_prefix("test ")?;
    let (name, said) = rest.rsplit_once(" ... ")?;
    // The line number of a documentation test changes with the code above it.
    let name = name.split(" (line ").next().unwrap_or(name);
    match said {
        "ok" => Some((name, true)),
        "FAILED" => Some((name, false)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_tests() {
        assert_eq!(outcome("test a::b ... ok"), Some(("a::b", true)));
        assert_eq!(outcome("test a ... FAILED"), Some(("a", false)));
        assert_eq!(outcome("test a ... ignored"), None);
        assert_eq!(
            outcome("test src/lib.rs - f (line 3) ... ok"),
            Some(("src/lib.rs - f", true))
        );
        assert_eq!(outcome("test result: ok. 3 passed"), None);
        let named = "     Running unittests src/lib.rs (target/debug/deps/a-12ab)";
        assert_eq!(program(named).as_deref(), Some("unittests src/lib.rs"));
        assert_eq!(program("   Doc-tests a").as_deref(), Some("Doc-tests a"));
        assert_eq!(program("   Compiling a v0.1.0"), None);
    }

    #[test]
    fn cargos_of_before_and_after() {
        assert!(!is_from(74, "cargo 1.70.0 (ec8a8a0ca 2023-04-25)\n"));
        assert!(is_from(74, "cargo 1.74.1 (ecb9851af 2023-10-18)\n"));
        assert!(is_from(74, "cargo 1.100.0-nightly (0123456 2026-11-20)\n"));
        assert!(is_from(74, ""));
        let old = "a 0.1.0 (path+file:///tmp/copy-0.2.0)";
        for id in [
            old,
            "path+file:///tmp/a#0.1.0",
            "path+file:///tmp/b#a@0.1.0",
        ] {
            assert!(is_version_of(id, "0.1.0"), "{id}");
            assert!(!is_version_of(id, "0.2.0"), "{id}");
        }
    }
}
