//! The cache never changes a result: whatever happens to a workspace, the environment or the cache,
//! output is byte for byte the same as without it.

use cargo_weigh::seen::print;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant, SystemTime};
use weigh_tests::project::Scratch;
use weigh_tests::{Run, run, weigh};

/// Longer than a tick of the file system's clock: older files count as settled.
const SETTLED: Duration = Duration::from_millis(120);

/// A linear congruential generator suffices to choose events.
struct Chance(u64);

impl Chance {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }

    fn one<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }
}

const MANIFEST: &str = "[workspace]\nresolver = \"3\"\nmembers = [\"crates/*\"]\n";

fn manifest(name: &str, rest: &str) -> String {
    format!("[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n{rest}")
}

/// Lists the possible contents of each file, the initial one first; some have equal length, and
/// `None` is a missing file.
fn texts() -> Vec<(&'static str, Vec<Option<String>>)> {
    let own = |texts: &[&str]| {
        texts
            .iter()
            .map(|t| Some((*t).to_owned()))
            .collect::<Vec<_>>()
    };
    let or_none = |texts: &[&str]| {
        let mut all = vec![None];
        all.extend(own(texts));
        all
    };
    let leaf =
        "pub mod deep;\ninclude!(\"part.in\");\npub enum Wide { Fat([u64; 40]), Thin(u8) }\n";
    vec![
        (
            "crates/leaf/src/lib.rs",
            own(&[
                leaf,
                &leaf.replace("40", "60"),
                "pub mod deep;\n#[cfg(extra)] pub struct Extra { pub a: u8, pub b: u64 }\n",
                "pub struct Broken {",
            ]),
        ),
        (
            "crates/leaf/src/deep.rs",
            vec![
                Some("pub struct Deep(pub u32);\n".to_owned()),
                Some("pub struct Deep(pub u64);\n".to_owned()),
                None,
            ],
        ),
        (
            "crates/leaf/src/deep/mod.rs",
            or_none(&["pub struct Deep(pub [u8; 9]);\n"]),
        ),
        (
            "crates/leaf/src/part.in",
            own(&["pub struct Part(u8);\n", "pub struct Part(u64);\n"]),
        ),
        (
            "crates/leaf/Cargo.toml",
            vec![
                Some(manifest("leaf", "[features]\nwide = []\n")),
                Some(manifest(
                    "leaf",
                    "[features]\nwide = []\ndefault = [\"wide\"]\n",
                )),
                Some(manifest(
                    "leaf",
                    "[dependencies]\nno = { path = \"../no\" }\n",
                )),
            ],
        ),
        (
            "crates/leaf/build.rs",
            or_none(&["fn main() { println!(\"cargo::rustc-cfg=extra\"); }\n"]),
        ),
        (
            "crates/top/src/lib.rs",
            own(&[
                "pub struct Top { pub a: Vec<leaf::Wide>, pub b: Option<Box<String>> }\npub fn f(t: &mut Top) { t.a.push(leaf::Wide::Thin(1)); }\n",
                "pub struct Top { pub a: Vec<leaf::Wide>, pub b: Option<Box<String>> }\npub fn f(t: &mut Top) { t.a.push(leaf::Wide::Fat([0; 40])); }\n",
                "#[cfg(feature = \"wide\")] pub struct Top(pub Box<Vec<u8>>);\n#[cfg(test)] mod tests { struct InTest(u8); }\n",
            ]),
        ),
        (
            "crates/top/Cargo.toml",
            vec![
                Some(manifest(
                    "top",
                    "[features]\nwide = [\"leaf/wide\"]\n[dependencies]\nleaf = { path = \"../leaf\" }\n",
                )),
                Some(manifest(
                    "top",
                    "[features]\nwide = []\n[dependencies]\nleaf = { path = \"../leaf\" }\n[package.metadata.weigh]\nlints = { oversized_variant = \"deny\" }\n",
                )),
                Some(manifest(
                    "top",
                    "[features]\nwide = []\n[target.'cfg(windows)'.dependencies]\nleaf = { path = \"../leaf\" }\n",
                )),
            ],
        ),
        (
            "crates/top/src/bin/tool.rs",
            or_none(&["struct Tool(Box<String>);\nfn main() {}\n"]),
        ),
        (
            "crates/top/tests/t/main.rs",
            or_none(&["struct InTest([u8; 3]);\n"]),
        ),
        (
            "crates/top/examples/e.rs",
            or_none(&["struct Shown(u16);\nfn main() {}\n"]),
        ),
        (
            "crates/new/Cargo.toml",
            vec![Some(manifest("new", "")), None],
        ),
        (
            "crates/new/src/lib.rs",
            own(&["pub struct New(pub u8, pub u32);\n"]),
        ),
        (
            "Cargo.toml",
            own(&[
                MANIFEST,
                &format!("{MANIFEST}[profile.dev]\ndebug-assertions = false\n"),
                &format!("{MANIFEST}[workspace.metadata.weigh]\nexclude-types = [\"Wide\"]\n"),
                &format!("{MANIFEST}exclude = [\"crates/new\"]\n"),
            ]),
        ),
        (
            ".cargo/config.toml",
            or_none(&[
                "[build]\nrustflags = [\"--cfg\", \"extra\"]\n",
                "[build]\nrustflags = [\"--cfg\", \"other\"]\n",
                "[build]\ntarget = \"i686-unknown-linux-gnu\"\n",
                "[build]\ntarget-dir = \"elsewhere\"\n",
                "include = [\"more.toml\"]\n",
            ]),
        ),
        (
            ".cargo/more.toml",
            own(&["[build]\nrustflags = [\"--cfg\", \"extra\"]\n", "\n"]),
        ),
        (
            ".cargo/config",
            or_none(&["[build]\nrustflags = [\"--cfg\", \"extra\"]\n"]),
        ),
        (
            "home/config.toml",
            or_none(&["[build]\nrustflags = \"--cfg extra\"\n"]),
        ),
        (
            "weigh.baseline.json",
            or_none(&["[{\"weigh\":\"baseline\",\"version\":1}\n]\n"]),
        ),
    ]
}

/// Arguments of a run.
const COMMANDS: [&[&str]; 12] = [
    &["--workspace"],
    &["--workspace", "-W", "all", "-v"],
    &["--workspace", "-W", "all", "--message-format", "json"],
    &["--workspace", "-W", "all", "--message-format", "sarif"],
    &["-p", "top", "-D", "warnings"],
    &["-p", "top", "--all-targets", "-W", "all"],
    &["--workspace", "--features", "top/wide", "-W", "all"],
    &["--workspace", "--release", "-W", "all"],
    &[
        "--workspace",
        "--target",
        "wasm32-unknown-unknown",
        "-W",
        "all",
    ],
    &["sizes", "--workspace"],
    &["sizes", "--workspace", "--message-format", "json"],
    &[
        "sizes",
        "-p",
        "leaf",
        "--config",
        "build.rustflags=['--cfg','extra']",
    ],
];

/// Environment variables of a run.
const ENVIRONMENTS: [&[(&str, &str)]; 6] = [
    &[],
    &[],
    &[("RUSTFLAGS", "--cfg extra")],
    &[("CARGO_BUILD_TARGET", "aarch64-unknown-linux-gnu")],
    &[("CARGO_WEIGH_LEVELS", "-D oversized_variant")],
    &[("CARGO_TARGET_DIR", "other-target")],
];

struct Bench {
    scratch: Scratch,
    chance: Chance,
    /// Toolchains to switch between.
    toolchains: Vec<String>,
    command: &'static [&'static str],
    environment: &'static [(&'static str, &'static str)],
    toolchain: Option<String>,
    /// Number of runs fast enough to have been answered from the cache.
    hits: usize,
    /// The events of this step, for failure messages.
    done: Vec<String>,
}

impl Bench {
    fn new(name: &str, seed: u64) -> Bench {
        let mut scratch = Scratch::outside(&format!("weigh-kept-{name}"));
        for (path, texts) in texts() {
            if let Some(text) = &texts[0] {
                scratch = scratch.file(path, text);
            }
        }
        let bench = Bench {
            scratch: scratch.file(".gitignore", "target\nelsewhere\nother-target\nhome\n"),
            chance: Chance(seed),
            toolchains: toolchains(),
            command: COMMANDS[0],
            environment: ENVIRONMENTS[0],
            toolchain: None,
            hits: 0,
            done: Vec::new(),
        };
        bench.git(&["init", "--quiet", "-b", "one"]);
        bench.commit();
        bench.git(&["checkout", "--quiet", "-b", "two"]);
        fs::write(
            bench.path("crates/leaf/src/part.in"),
            "pub struct Part(u16);\n",
        )
        .expect("ours");
        fs::write(
            bench.path("crates/leaf/src/deep.rs"),
            "pub struct Deep(pub u16);\n",
        )
        .expect("ours");
        bench.commit();
        bench
    }

    fn path(&self, path: &str) -> PathBuf {
        self.scratch.folder().join(path)
    }

    fn git(&self, args: &[&str]) {
        let mut git = Command::new("git");
        let said = run(git.current_dir(self.scratch.folder()).args(args));
        assert_eq!(said.code, 0, "{args:?}: {said:?}");
    }

    fn commit(&self) {
        self.git(&["add", "--all"]);
        let who = ["-c", "user.name=t", "-c", "user.email=t@t.example"];
        self.git(&[&who[..], &["commit", "--quiet", "--allow-empty", "-m", "x"]].concat());
    }

    /// Lists cache entries in any of the target directories.
    fn entries(&self) -> Vec<PathBuf> {
        let folders = ["target", "elsewhere", "other-target"];
        let folders = folders.map(|name| self.path(name).join("weigh/cache"));
        let entries = folders
            .iter()
            .filter_map(|folder| fs::read_dir(folder).ok());
        let mut paths: Vec<_> = entries.flatten().flatten().map(|e| e.path()).collect();
        paths.sort();
        paths
    }

    /// Makes a random change.
    fn change(&mut self) {
        let texts = texts();
        let (path, states) = self.chance.one(&texts);
        let at = self.path(path);
        let what = match self.chance.below(23) {
            0..=8 => {
                // The initial state can be cached.
                let most = if self.chance.below(2) == 0 {
                    1
                } else {
                    states.len()
                };
                let state = &states[self.chance.below(most)];
                match state {
                    Some(text) => {
                        fs::create_dir_all(at.parent().expect("a folder")).expect("ours");
                        fs::write(&at, text).expect("ours");
                    }
                    None => drop(fs::remove_file(&at)),
                }
                format!("{path}: {state:?}")
            }
            // Another text of the same length with the old modification time, as some tools write.
            9 => {
                let old = fs::metadata(&at).and_then(|data| data.modified());
                let text = fs::read_to_string(&at).unwrap_or_default();
                if let Ok(old) = old {
                    let text = text
                        .replace("u32", "i16")
                        .replace("u64", "u32")
                        .replace("i16", "u64");
                    fs::write(&at, text).expect("ours");
                    let file = fs::File::options().append(true).open(&at).expect("ours");
                    file.set_modified(old).expect("ours");
                }
                format!("{path}: changed behind its time")
            }
            10 => {
                if let Ok(file) = fs::File::options().append(true).open(&at) {
                    file.set_modified(SystemTime::now()).expect("ours");
                }
                format!("{path}: touched")
            }
            // Present, absent, or behind a symlink.
            11 => {
                let away = at.with_extension("away");
                let moved = fs::rename(&at, &away).or_else(|_| fs::rename(&away, &at));
                format!("{path}: moved, {moved:?}")
            }
            12 => {
                #[cfg(unix)]
                if at.is_file() && !at.is_symlink() {
                    let behind = at.with_extension("behind");
                    fs::rename(&at, &behind).expect("ours");
                    std::os::unix::fs::symlink(&behind, &at).expect("ours");
                }
                format!("{path}: a link")
            }
            13 => {
                let branch = *self.chance.one(&["one", "two"]);
                self.git(&["checkout", "--quiet", "--force", branch]);
                format!("branch {branch}")
            }
            14 | 15 => {
                let environment = self.chance.one(&ENVIRONMENTS);
                self.environment = environment;
                format!("environment {:?}", self.environment)
            }
            16 => {
                let toolchains = self.toolchains.clone();
                self.toolchain = match toolchains.is_empty() || self.chance.below(2) == 0 {
                    true => None,
                    false => Some(self.chance.one(&toolchains).clone()),
                };
                format!("toolchain {:?}", self.toolchain)
            }
            17 => {
                let at = self.path("rust-toolchain.toml");
                let named = self.toolchains.clone();
                match named.is_empty() || self.chance.below(2) == 0 {
                    true => drop(fs::remove_file(at)),
                    false => {
                        let channel = self.chance.one(&named);
                        let text = format!("[toolchain]\nchannel = \"{channel}\"\n");
                        fs::write(at, text).expect("ours");
                    }
                }
                "rust-toolchain.toml".to_owned()
            }
            18 => {
                let mut cargo = weigh_tests::cargo();
                cargo.args(["build", "--workspace", "--offline", "--quiet"]);
                self.around(&mut cargo);
                format!("built: {}", run(&mut cargo).code)
            }
            19 | 20 => self.damage(),
            _ => {
                self.mend();
                "mended".to_owned()
            }
        };
        self.done.push(what);
    }

    /// Restores the initial state.
    fn mend(&mut self) {
        for (path, states) in texts() {
            let at = self.path(path);
            for left in [at.with_extension("away"), at.with_extension("behind")] {
                let _ = fs::remove_file(left);
            }
            let _ = fs::remove_file(&at);
            if let Some(text) = &states[0] {
                fs::create_dir_all(at.parent().expect("a folder")).expect("ours");
                fs::write(&at, text).expect("ours");
            }
        }
        let _ = fs::remove_file(self.path("rust-toolchain.toml"));
        (self.environment, self.toolchain) = (ENVIRONMENTS[0], None);
    }

    /// Truncates a cache entry, or flips a bit in it.
    fn damage(&mut self) -> String {
        let entries = self.entries();
        if entries.is_empty() {
            return "nothing to damage".to_owned();
        }
        let path = self.chance.one(&entries);
        let mut bytes = fs::read(path).unwrap_or_default();
        let at = self.chance.below(bytes.len().max(1));
        match (self.chance.below(3), bytes.get_mut(at)) {
            (0, _) => bytes.truncate(at),
            (_, Some(byte)) => *byte ^= 1 << (self.chance.0 % 8),
            _ => {}
        }
        // Keeps its permissions.
        let _ = fs::write(path, bytes);
        format!("byte {at} of {}", path.display())
    }

    /// Sets a command's environment to the current state.
    fn around(&self, command: &mut Command) {
        command.current_dir(self.scratch.folder());
        command.env("CARGO_HOME", self.path("home"));
        command.envs(self.environment.iter().copied());
        if let Some(toolchain) = &self.toolchain {
            command.env("RUSTUP_TOOLCHAIN", toolchain);
            command.env_remove("CARGO").env_remove("RUSTC");
        }
    }

    fn weigh(&self, kept: bool) -> Command {
        let mut command = weigh(self.scratch.folder());
        self.around(&mut command);
        command.args(self.command).arg("--offline");
        if kept {
            command.env_remove("CARGO_WEIGH_CACHE");
        }
        command
    }

    /// Compares runs with and without the cache; with `twice`, two runs write it concurrently.
    #[track_caller]
    fn compare(&mut self, twice: bool, step: usize) {
        let beside = twice.then(|| {
            let mut command = self.weigh(true);
            command.stdout(Stdio::piped()).stderr(Stdio::piped());
            command.spawn().expect("it starts")
        });
        let began = Instant::now();
        let mut with = vec![run(&mut self.weigh(true))];
        let took = began.elapsed();
        if let Some(beside) = beside {
            let output = beside.wait_with_output().expect("it ends");
            with.push(Run {
                code: output.status.code().unwrap_or(-1),
                stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
                stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
            });
        }
        let began = Instant::now();
        let without = run(&mut self.weigh(false));
        self.hits += usize::from(without.code < 2 && took * 3 < began.elapsed());
        if std::env::var_os("WEIGH_SHOW").is_some() {
            let first = without.stderr.lines().next().unwrap_or_default();
            println!(
                "{step}: {} {took:?} {:?} {:?} {first}",
                without.code,
                began.elapsed(),
                self.done
            );
        }
        for with in with {
            let said = |run: &Run| (run.code, run.stdout.clone(), unblocked(&run.stderr));
            let (with, without) = (said(&with), said(&without));
            if with != without {
                fs::write(self.path("with.txt"), format!("{}\n{}", with.1, with.2)).expect("ours");
                fs::write(
                    self.path("without.txt"),
                    format!("{}\n{}", without.1, without.2),
                )
                .expect("ours");
                panic!(
                    "step {step} in {}: {:?} says another thing with what was kept\n{}\nwith ({}):\n{}\nwithout ({}):\n{}",
                    self.scratch.folder().display(),
                    self.command,
                    self.done.join("\n"),
                    with.0,
                    with.2,
                    without.0,
                    without.2,
                );
            }
        }
    }
}

/// Removes cargo's message about a concurrent cargo.
fn unblocked(text: &str) -> String {
    let lines = text
        .lines()
        .filter(|line| !line.contains("Blocking waiting"));
    lines.collect::<Vec<_>>().join("\n")
}

/// Returns the toolchains that rustup has, if it is installed.
fn toolchains() -> Vec<String> {
    let mut rustup = Command::new("rustup");
    let listed = rustup.args(["toolchain", "list"]).output();
    let text = listed.map(|output| output.stdout).unwrap_or_default();
    let names = String::from_utf8_lossy(&text);
    let names = names
        .lines()
        .filter_map(|line| line.split_whitespace().next());
    // Known releases only, so that std's layouts are not queried.
    let known = names.filter(|name| name.starts_with("1.9") || name.starts_with("stable"));
    known.take(3).map(str::to_owned).collect()
}

fn at_random(steps: usize, seed: u64) {
    let mut bench = Bench::new(&format!("{seed}"), seed);
    bench.compare(false, 0);
    for step in 1..=steps {
        bench.done.clear();
        for _ in 0..bench.chance.below(3) {
            bench.change();
        }
        if bench.chance.below(5) == 0 {
            let command = bench.chance.one(&COMMANDS);
            bench.command = command;
        }
        // Otherwise recently changed files are read again regardless.
        if bench.chance.below(2) == 0 {
            std::thread::sleep(SETTLED);
        }
        let twice = bench.chance.below(8) == 0;
        bench.compare(twice, step);
    }
    // Otherwise nothing was tested.
    println!("{} of {steps} answers were kept ones", bench.hits);
    assert!(bench.hits > steps / 10, "{}", bench.hits);
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

#[test]
fn at_random_for_a_few_steps() {
    at_random(12, number("WEIGH_SEED").unwrap_or(1));
}

#[test]
#[ignore = "slow: .ci/slow cache"]
fn at_random_for_two_thousand_steps() {
    let steps = number("WEIGH_STEPS").unwrap_or(2_000);
    let seed = number("WEIGH_SEED").unwrap_or(2);
    at_random(steps.try_into().expect("a number of steps"), seed);
}

/// Creates a small project with something in the cache.
fn project(name: &str) -> Scratch {
    let scratch = Scratch::outside(&format!("weigh-kept-{name}"))
        .file("Cargo.toml", manifest("demo", "[workspace]\n"))
        .file("src/lib.rs", "pub enum Wide { Fat([u64; 40]), Thin(u8) }\n");
    let folder = scratch.folder();
    let mut lock = weigh_tests::cargo();
    run(lock
        .current_dir(folder)
        .args(["generate-lockfile", "--offline"]))
    .expect(0);
    std::thread::sleep(SETTLED);
    keep(folder);
    scratch
}

fn keeping(folder: &Path) -> Command {
    let mut command = weigh(folder);
    command.env_remove("CARGO_WEIGH_CACHE").arg("--offline");
    command
}

#[track_caller]
fn keep(folder: &Path) {
    run(&mut keeping(folder)).expect(0);
    assert_eq!(entries(folder).len(), 2, "the answers of cargo, and ours");
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder.join("target/weigh/cache"));
    let entries = entries.into_iter().flatten().flatten();
    let mut paths: Vec<_> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

/// Changes the cached result of a run, to detect that it is used.
fn forge(folder: &Path) {
    let entries = entries(folder);
    let run = entries
        .iter()
        .find(|path| path.to_string_lossy().contains("/run-"));
    let path = run.expect("an answer is kept");
    let text = fs::read_to_string(path).expect("UTF-8");
    let (_, rest) = text.split_once('\n').expect("a fingerprint and the rest");
    let rest = rest.replace("Thin", "Forged");
    fs::write(path, format!("{}\n{rest}", print(rest.as_bytes()).hex())).expect("ours");
}

#[test]
fn what_is_kept_is_said_again_until_something_changes() {
    let scratch = project("again");
    let folder = scratch.folder();
    let says_forged = || run(&mut keeping(folder)).stdout.contains("Forged");
    assert!(!says_forged());
    forge(folder);
    assert!(says_forged(), "nothing changed");
    let without = run(weigh(folder).arg("--offline"));
    assert!(!without.stdout.contains("Forged"), "it is turned off");
    let path = folder.join("src/lib.rs");
    let text = fs::read_to_string(&path).expect("UTF-8");
    fs::write(&path, &text).expect("ours");
    assert!(says_forged(), "the same text was written again");
    fs::write(&path, format!("{text}pub struct More;\n")).expect("ours");
    assert!(!says_forged(), "a text changed");
    fs::write(&path, &text).expect("ours");
    assert!(says_forged(), "the change was taken back");
}

/// A member that depends on its workspace's root package.
#[test]
fn manifests_that_lead_to_each_other_are_read_once() {
    let root = "[workspace]\nmembers = [\"one\", \"two\"]\n";
    let one = "[dependencies]\ndemo = { path = \"../\" }\ntwo = { path = \"../two\" }\n";
    let two = "[dependencies]\ndemo = { path = \"../one/..\" }\n";
    let scratch = Scratch::outside("weigh-kept-circle")
        .file("Cargo.toml", manifest("demo", root))
        .file("one/Cargo.toml", manifest("one", one))
        .file("two/Cargo.toml", manifest("two", two));
    let scratch = ["src/lib.rs", "one/src/lib.rs", "two/src/lib.rs"]
        .iter()
        .fold(scratch, |scratch, path| scratch.file(path, ""));
    let folder = scratch.folder();
    let mut lock = weigh_tests::cargo();
    let lock = lock.current_dir(folder);
    run(lock.args(["generate-lockfile", "--offline"])).expect(0);
    std::thread::sleep(SETTLED);
    keep(folder);
    for entry in entries(folder) {
        let text = fs::read_to_string(entry).expect("UTF-8");
        assert!(!text.contains("/../"), "{text}");
    }
}

#[cfg(unix)]
#[test]
fn what_others_may_write_is_not_trusted() {
    use std::os::unix::fs::PermissionsExt;
    let scratch = project("trust");
    let folder = scratch.folder();
    forge(folder);
    let says_forged = || run(&mut keeping(folder)).stdout.contains("Forged");
    let cache = folder.join("target/weigh/cache");
    let mode = |mode| fs::set_permissions(&cache, fs::Permissions::from_mode(mode)).expect("ours");
    mode(0o777);
    assert!(!says_forged());
    mode(0o700);
    forge(folder);
    assert!(says_forged());
    for path in entries(folder) {
        fs::set_permissions(&path, fs::Permissions::from_mode(0o666)).expect("ours");
    }
    assert!(!says_forged());
}

#[test]
#[ignore = "slow: .ci/slow tests"]
fn the_sizes_of_a_revision_are_kept() {
    let scratch = project("revision");
    let folder = scratch.folder();
    for args in [
        &["init", "--quiet"][..],
        &["add", "Cargo.toml", "Cargo.lock", "src"],
    ] {
        run(Command::new("git").current_dir(folder).args(args)).expect(0);
    }
    let who = ["-c", "user.name=t", "-c", "user.email=t@t.example"];
    let commit = [&who[..], &["commit", "--quiet", "-m", "x"]].concat();
    run(Command::new("git").current_dir(folder).args(commit)).expect(0);
    let path = folder.join("src/lib.rs");
    let mut is_kept = false;
    for size in [40, 60, 40, 80] {
        let text = format!("pub enum Wide {{ Fat([u64; {size}]), Thin(u8) }}\n");
        fs::write(&path, text).expect("ours");
        std::thread::sleep(SETTLED);
        let with = run(keeping(folder).args(["diff", "HEAD"]));
        let without = run(weigh(folder).args(["--offline", "diff", "HEAD"]));
        assert_eq!((with.stdout, with.stderr), (without.stdout, without.stderr));
        let entries = entries(folder);
        is_kept = entries
            .iter()
            .any(|path| path.to_string_lossy().contains("/revision-"));
    }
    assert!(is_kept);
}
