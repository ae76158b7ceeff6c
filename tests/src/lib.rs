//! Runs the built program as a user does: finds it, starts it, and parses its output.

pub mod analyzer;
pub mod generate;
pub mod graphs;
pub mod markers;
pub mod project;
pub mod remedies;
pub mod rustc;
pub mod strip;

use serde_json::Value;
use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, LazyLock, Mutex, OnceLock, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Returns the root of this repository.
pub fn repository() -> &'static Path {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    tests.parent().expect("the tests lie in the repository")
}

/// Returns a directory of `fixtures/`.
pub fn fixture(name: &str) -> PathBuf {
    repository().join("fixtures").join(name)
}

/// Returns cargo as it runs these tests.
pub fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    // Results for a fixture must not depend on the package that runs the test.
    for (name, _) in std::env::vars_os() {
        let name = name.to_string_lossy();
        if name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_") {
            command.env_remove(&*name);
        }
    }
    command
}

/// Returns the target directory of this test binary, and the profile's directory in it.
fn build_folders() -> (PathBuf, PathBuf) {
    let exe = std::env::current_exe().expect("a running program has a path");
    let profile = exe
        .ancestors()
        .skip(1)
        .find(|folder| folder.file_name() != Some(OsStr::new("deps")));
    let profile = profile.expect("a test lies in a folder").to_owned();
    let target = profile
        .ancestors()
        .find(|folder| folder.join("CACHEDIR.TAG").is_file())
        .unwrap_or_else(|| profile.parent().expect("a profile's folder has a parent"));
    (target.to_owned(), profile)
}

/// Returns a directory for test output; it persists, so that builds in it are reused.
pub fn workbench(name: &str) -> PathBuf {
    build_folders().0.join("weigh-tests").join(name)
}

/// Returns the program that `WEIGH_PROGRAM` names, or builds it as these tests were built.
pub fn program() -> &'static Path {
    static PROGRAM: LazyLock<PathBuf> = LazyLock::new(|| match std::env::var_os("WEIGH_PROGRAM") {
        Some(path) => path.into(),
        None => build(),
    });
    &PROGRAM
}

/// Returns `PATH` with the program's directory first, so that cargo finds it as `cargo weigh`.
pub fn path_with_program(program: &Path) -> OsString {
    path_with(program.parent().expect("a program lies in a folder"))
}

fn path_with(folder: &Path) -> OsString {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::iter::once(folder.to_owned()).chain(std::env::split_paths(&path));
    std::env::join_paths(folders).expect("the folder is one that can be on the path")
}

fn build() -> PathBuf {
    let (target, profile) = build_folders();
    let profile = match profile.file_name().and_then(OsStr::to_str) {
        Some("debug") | None => "dev",
        Some(name) => name,
    };
    let output = cargo()
        .current_dir(repository())
        .args(["build", "--quiet", "--package", "cargo-weigh"])
        .args(["--bin", "cargo-weigh", "--message-format", "json"])
        .args(["--profile", profile, "--target-dir"])
        .arg(target)
        .output()
        .expect("cargo starts");
    let text = String::from_utf8_lossy(&output.stdout);
    let artifacts = text
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok());
    let path = artifacts
        .filter_map(|line: Value| Some(PathBuf::from(line["executable"].as_str()?)))
        .next();
    path.unwrap_or_else(|| panic!("no program: {}", String::from_utf8_lossy(&output.stderr)))
}

/// The result of a run.
#[derive(Debug)]
pub struct Run {
    /// The exit status; -1 after a signal.
    pub code: i32,
    /// Standard output; invalid UTF-8 is replaced.
    pub stdout: String,
    /// Standard error; likewise.
    pub stderr: String,
}

impl Run {
    /// Parses the JSON objects on stdout, one per line.
    ///
    /// # Panics
    /// A line is not JSON.
    pub fn json(&self) -> Vec<Value> {
        let parse = |line: &str| {
            serde_json::from_str(line).unwrap_or_else(|error| panic!("{error} in {line}\n{self:?}"))
        };
        self.stdout.lines().map(parse).collect()
    }

    /// Returns the findings: cargo-style messages with our data.
    pub fn findings(&self) -> Vec<Value> {
        let lines = self.json().into_iter();
        lines.filter(|line| line["weigh"].is_object()).collect()
    }

    /// Returns the only line of `sizes` for this path.
    ///
    /// # Panics
    /// There is none, or more than one.
    pub fn size_of(&self, path: &str) -> Value {
        let mut lines = self.json();
        lines.retain(|line| line["path"] == path);
        assert!(lines.len() == 1, "{path}: {lines:?}\n{}", self.stderr);
        lines.remove(0)
    }

    /// Asserts that these types have exact sizes, in bytes.
    #[track_caller]
    pub fn knows(&self, types: &[(&str, u64)]) {
        for (path, size) in types {
            let line = self.size_of(path);
            let found = (&line["exact"], &line["size"]);
            assert_eq!(found, (&true.into(), &(*size).into()), "{line}");
        }
    }

    /// Asserts that these types are listed as unknown, with a reason.
    #[track_caller]
    pub fn does_not_know(&self, types: &[&str]) {
        for path in types {
            let line = self.size_of(path);
            let found = (&line["exact"], line["size"].is_null());
            assert_eq!(found, (&false.into(), true), "{line}");
            let why = line["reason"].as_str();
            assert!(why.is_some_and(|why| !why.is_empty()), "{line}");
        }
    }

    /// Asserts the exit status.
    #[track_caller]
    pub fn expect(self, code: i32) -> Run {
        let Run { stdout, stderr, .. } = &self;
        assert_eq!(self.code, code, "exit status\n{stdout}\n{stderr}");
        self
    }

    /// Asserts that stderr contains each of these.
    #[track_caller]
    pub fn says(self, words: &[&str]) -> Run {
        for word in words {
            assert!(
                self.stderr.contains(word),
                "no `{word}` in:\n{}",
                self.stderr
            );
        }
        self
    }
}

/// Returns true if `WEIGH_ALL` is set, as by `.ci/slow tests`: nothing is sampled.
pub fn all() -> bool {
    std::env::var_os("WEIGH_ALL").is_some()
}

/// Returns the first elements of a list; the whole list if [`all`] is true.
pub fn few<T>(list: &[T], first: usize) -> &[T] {
    match all() {
        true => list,
        false => &list[..first.min(list.len())],
    }
}

/// Returns the program's command line in a directory; its target directory is `target` there. In
/// projects as small as those of tests little has much worth: the bar is lower.
pub fn weigh(folder: &Path) -> Command {
    let mut command = weigh_as_is(folder);
    command.args(["--least-worth", "10"]);
    command
}

/// Returns the program's command line in a directory, with the bar that users have.
pub fn weigh_as_is(folder: &Path) -> Command {
    rustc_is_known(folder);
    bare(folder)
}

/// Creates a target directory with cargo's cache of rustc's answers: without it, cargo runs rustc
/// eight times per run, which costs more than the rest of a run on a small package.
fn rustc_is_known(folder: &Path) {
    const NAME: &str = ".rustc_info.json";
    static KNOWN: LazyLock<Vec<u8>> = LazyLock::new(|| {
        let folder = workbench("rustc-info");
        let target = folder.join("target");
        let manifest = "[package]\nname = \"asks\"\nversion = \"0.1.0\"\n\n[workspace]\n";
        fs::create_dir_all(folder.join("src")).expect("the target folder is ours to write");
        fs::create_dir_all(&target).expect("likewise");
        fs::write(folder.join("Cargo.toml"), manifest).expect("likewise");
        fs::write(folder.join("src/lib.rs"), "").expect("likewise");
        // Parallel cargo processes may each miss the other's queries: the second run caches both.
        for _ in 0..2 {
            run(bare(&folder).args(["sizes", "--offline"])).expect(0);
        }
        fs::read(target.join(NAME)).unwrap_or_default()
    });
    let target = folder.join("target");
    if folder.join("Cargo.toml").is_file() && !target.exists() && fs::create_dir(&target).is_ok() {
        // Ignored by git, so that the project has no changes. A failed write only costs time.
        let _ = fs::write(target.join(".gitignore"), "*\n");
        let _ = fs::write(target.join(NAME), &*KNOWN);
    }
}

/// Returns `PATH` with the toolchain's own `rustc` first: rustup's takes 10 ms longer, twice a run.
fn path_with_toolchain() -> &'static OsStr {
    static PATH: LazyLock<OsString> = LazyLock::new(|| {
        let cargo = std::env::var_os("CARGO").map(PathBuf::from);
        match cargo.as_deref().and_then(Path::parent) {
            Some(folder) if folder.join("rustc").is_file() => path_with(folder),
            _ => std::env::var_os("PATH").unwrap_or_default(),
        }
    });
    &PATH
}

fn bare(folder: &Path) -> Command {
    let mut command = Command::new(program());
    command.current_dir(folder).arg("weigh");
    command.env("PATH", path_with_toolchain());
    // The cache is off: `tests/kept.rs` covers it.
    command.env("CARGO_WEIGH_CACHE", "0");
    for name in [
        "CARGO_TARGET_DIR",
        "CARGO_BUILD_TARGET_DIR",
        "CARGO_TERM_COLOR",
        "CARGO_TERM_QUIET",
        "CARGO_TERM_VERBOSE",
        "CLICOLOR_FORCE",
        "NO_COLOR",
        "GITHUB_STEP_SUMMARY",
    ] {
        command.env_remove(name);
    }
    command
}

/// Runs a command to completion.
pub fn run(command: &mut Command) -> Run {
    let output = command
        .output()
        .unwrap_or_else(|error| panic!("{command:?}: {error}"));
    Run {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// Runs a command that may hang; kills it after ten minutes.
///
/// # Panics
/// It had to be killed.
pub fn run_to_an_end(command: &mut Command) -> Run {
    fn drain(from: impl Read + Send + 'static) -> JoinHandle<String> {
        std::thread::spawn(move || {
            let (mut from, mut bytes) = (from, Vec::new());
            let _ = from.read_to_end(&mut bytes);
            String::from_utf8_lossy(&bytes).into_owned()
        })
    }
    let start = Instant::now();
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command
        .spawn()
        .unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let stdout = drain(child.stdout.take().expect("it is piped"));
    let stderr = drain(child.stderr.take().expect("it is piped"));
    let status = loop {
        match child.try_wait().expect("it is our child") {
            Some(status) => break status,
            None if start.elapsed() > Duration::from_secs(600) => {
                let _ = child.kill();
                panic!("{command:?} does not end");
            }
            None => std::thread::sleep(Duration::from_millis(20)),
        }
    };
    Run {
        code: status.code().unwrap_or(-1),
        stdout: stdout.join().unwrap_or_default(),
        stderr: stderr.join().unwrap_or_default(),
    }
}

/// Runs the program in a directory with these arguments.
pub fn run_in(folder: &Path, args: &[&str]) -> Run {
    run(weigh(folder).args(args))
}

/// Runs all lints on a workspace, with JSON output. The result for a fixture is cached.
///
/// # Panics
/// The exit status is not 0.
pub fn pedantic(folder: &Path) -> Arc<Run> {
    type Said = Arc<OnceLock<Arc<Run>>>;
    static SAID: LazyLock<Mutex<HashMap<PathBuf, Said>>> = LazyLock::new(Mutex::default);
    let args = [
        "--workspace",
        "--message-format",
        "json",
        "-W",
        "weigh::pedantic",
        "-W",
        "weigh::nursery",
    ];
    let run = || Arc::new(run_in(folder, &args).expect(0));
    // Other directories are created and modified by tests.
    if !folder.starts_with(fixture("")) {
        return run();
    }
    let mut all = SAID.lock().unwrap_or_else(PoisonError::into_inner);
    let said = all.entry(folder.to_owned()).or_default().clone();
    drop(all);
    said.get_or_init(run).clone()
}

/// Runs `sizes` with JSON output. Whatever the input, it must end soon and not panic.
///
/// # Panics
/// It does not.
pub fn sizes_in(folder: &Path) -> Run {
    let start = Instant::now();
    let said = run_in(folder, &["sizes", "--message-format", "json", "--offline"]);
    assert!(
        start.elapsed() < Duration::from_secs(120),
        "it takes too long"
    );
    assert!(!said.stderr.contains("panicked"), "{}", said.stderr);
    said
}
