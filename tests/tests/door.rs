//! Nothing outside is touched: links at every place where a command writes or removes, folders of
//! other users, a target folder that has a `weigh` of its own, and links put in while it runs.
#![cfg(unix)]

use cargo_weigh::store::Kind;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use weigh_tests::project::Scratch;
use weigh_tests::{Run, all, run, weigh};

const MANIFEST: &str =
    "[package]\nname = \"demo\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[workspace]\n";
const LIB: &str = "pub enum Line { Wide([u64; 30]), Thin(u8) }\n\
                   pub struct Lines { pub all: Vec<Vec<Line>>, pub more: Vec<Line> }\n";
const MAIN: &str =
    "fn main() { println!(\"{:?}\", std::hint::black_box(vec![1; 10_000]).len()) }\n";

/// A command that writes, and the kind of what it writes beside its results.
struct Asked {
    args: &'static [&'static str],
    kind: Kind,
    /// With a compiler that calls itself a nightly.
    nightly: bool,
}

const fn asked(kind: Kind, args: &'static [&'static str]) -> Asked {
    Asked {
        args,
        kind,
        nightly: false,
    }
}

static COMMANDS: [Asked; 13] = [
    asked(Kind::Cache, &[]),
    asked(Kind::Cache, &["sizes"]),
    asked(Kind::Cache, &["snapshot"]),
    asked(Kind::Cache, &["--write-baseline"]),
    asked(Kind::Cache, &["init"]),
    Asked {
        nightly: true,
        ..asked(Kind::Rustc, &["sizes"])
    },
    asked(Kind::Diff, &["diff", "HEAD~1"]),
    asked(Kind::Diff, &["diff", "HEAD~1", "--no-project-config"]),
    asked(Kind::Fix, &["fix", "--dry-run"]),
    asked(Kind::Fix, &["fix", "--allow-dirty"]),
    asked(Kind::Verify, &["verify", "--lib"]),
    asked(Kind::Futures, &["futures", "--lib"]),
    asked(Kind::Census, &["census"]),
];

/// The commands without that of an unknown compiler, which takes seconds, unless everything is
/// tested.
fn often() -> impl Iterator<Item = &'static Asked> {
    COMMANDS.iter().filter(|asked| all() || !asked.nightly)
}

/// The folder of a kind, relative to the scratch folder. A kind that is new needs a command above.
fn place(kind: Kind) -> &'static str {
    match kind {
        Kind::Cache => "p/target/weigh/cache",
        Kind::Census => "p/target/weigh/census",
        Kind::Diff => "p/target/weigh/diff",
        Kind::Fix => "p/target/weigh/fix",
        Kind::Futures => "p/target/weigh/futures",
        Kind::Rustc => "caches/cargo-weigh/rustc",
        Kind::Verify => "p/target/weigh/verify",
    }
}

/// Whether there is nothing to say without a folder to build in.
fn builds(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::Fix | Kind::Verify | Kind::Census | Kind::Futures
    )
}

/// What has our marker.
const TOPS: [&str; 2] = ["p/target/weigh", "caches/cargo-weigh"];

/// A project of two commits.
struct Bench {
    scratch: Scratch,
}

impl Bench {
    fn new(name: &str) -> Bench {
        let real = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
        let nightly = format!(
            "#!/bin/sh\ncase \"$*\" in\n\
             -vV) '{real}' -vV | sed 's/^release: .*/&-nightly/' ;;\n*) exec '{real}' \"$@\" ;;\nesac\n"
        );
        let scratch = Scratch::outside(&format!("weigh-door-{name}"))
            .file("p/Cargo.toml", MANIFEST)
            .file("p/.gitignore", "/target\n")
            .file("p/src/lib.rs", LIB)
            .file("p/src/main.rs", MAIN)
            .file("rustc.sh", nightly);
        let mode = fs::Permissions::from_mode(0o755);
        fs::set_permissions(scratch.folder().join("rustc.sh"), mode).expect("ours");
        fs::create_dir(scratch.folder().join("caches")).expect("ours");
        let bench = Bench { scratch };
        bench.run(&COMMANDS[1]).expect(0);
        bench.git(&["init", "--quiet"]);
        for text in ["// one\n", "// two\n"] {
            fs::write(bench.at("p/note.rs"), text).expect("ours");
            bench.git(&["add", "--all"]);
            bench.git(&["commit", "--quiet", "-m", "x"]);
        }
        bench
    }

    fn at(&self, path: &str) -> PathBuf {
        self.scratch.folder().join(path)
    }

    fn git(&self, args: &[&str]) {
        let mut git = Command::new("git");
        git.current_dir(self.at("p"));
        git.args(["-c", "user.name=t", "-c", "user.email=t@t.example"]);
        run(git.args(args)).expect(0);
    }

    fn run(&self, asked: &Asked) -> Run {
        let mut command = weigh(&self.at("p"));
        command
            .args(asked.args)
            .arg("--offline")
            .env_remove("CARGO_WEIGH_CACHE")
            .env("XDG_CACHE_HOME", self.at("caches"))
            .env("HOME", self.at("home"));
        // Cargo's home is not below that.
        for (name, folder) in [("CARGO_HOME", ".cargo"), ("RUSTUP_HOME", ".rustup")] {
            if let (None, Some(home)) = (std::env::var_os(name), std::env::var_os("HOME")) {
                command.env(name, Path::new(&home).join(folder));
            }
        }
        if asked.nightly {
            command.env("RUSTC", self.at("rustc.sh"));
        }
        run(&mut command)
    }

    /// Undoes what a command has done to the project.
    fn reset(&self) {
        self.git(&["checkout", "--quiet", "."]);
        self.git(&["clean", "--quiet", "--force", "-d"]);
    }

    /// Runs everything once; returns the exit statuses.
    fn grow(&self) -> Vec<i32> {
        let statuses = COMMANDS.iter().map(|asked| {
            let said = self.run(asked);
            assert!(
                said.code < 2 || asked.kind == Kind::Census,
                "{:?}: {said:?}",
                asked.args
            );
            self.reset();
            said.code
        });
        let statuses = statuses.collect();
        for &kind in Kind::ALL {
            let is_there = self.at(place(kind)).is_dir() || kind == Kind::Census;
            assert!(is_there, "no command writes to {}", place(kind));
        }
        copy(&self.at("p/target/weigh"), &self.at("grown/weigh"));
        copy(
            &self.at("caches/cargo-weigh"),
            &self.at("grown/cargo-weigh"),
        );
        statuses
    }

    /// Restores what was there after [`Bench::grow`].
    fn regrow(&self) {
        for top in TOPS {
            let path = self.at(top);
            remove(&path);
            let name = path.file_name().expect("it has one");
            copy(&self.at("grown").join(name), &path);
        }
    }

    /// Replaces these places by links to an equal file or folder outside, with bait in it.
    fn plant(&self, places: &BTreeSet<PathBuf>) {
        remove(&self.at("outside"));
        for (n, path) in places.iter().enumerate() {
            assert!(!path.is_symlink(), "{} is not ours", path.display());
            let outside = self.at("outside").join(n.to_string());
            copy(path, &outside);
            if path.is_dir() {
                bait(&outside);
            }
            remove(path);
            symlink(&outside, path).expect("ours");
        }
    }

    /// Runs the commands of these kinds with links at these places; nothing behind them changes.
    fn with_links(&self, places: &BTreeSet<PathBuf>, kinds: &[Kind], statuses: &[i32]) {
        for (asked, status) in COMMANDS.iter().zip(statuses) {
            if !kinds.contains(&asked.kind) {
                continue;
            }
            self.regrow();
            self.plant(places);
            // Older than what a run caches.
            std::thread::sleep(Duration::from_millis(100));
            let before = contents(&self.at("outside"));
            let case = |said: &Run| format!("{:?} with links at {places:#?}: {said:?}", asked.args);
            // The second run would take what the first one has cached.
            let rounds = if asked.kind == Kind::Cache { 2 } else { 1 };
            for _ in 0..rounds {
                let said = self.run(asked);
                let after = contents(&self.at("outside"));
                assert!(
                    before == after,
                    "{}",
                    changes(&before, &after) + &case(&said)
                );
                let words = [" is not used: ", " is a link"];
                let refused = said.code == 2 && words.iter().any(|w| said.stderr.contains(w));
                let may_refuse = !matches!(asked.kind, Kind::Cache | Kind::Rustc);
                assert!(
                    said.code == *status || refused && may_refuse,
                    "{}",
                    case(&said)
                );
                self.reset();
            }
        }
    }

    /// The files and folders in our folders, by level; without those that cargo alone knows.
    fn levels(&self) -> Vec<BTreeSet<PathBuf>> {
        let mut levels: Vec<BTreeSet<PathBuf>> = Vec::new();
        let mut level: BTreeSet<PathBuf> = TOPS.iter().map(|top| self.at(top)).collect();
        while !level.is_empty() {
            let folders = level.iter().filter(|path| path.is_dir());
            let entries = folders.flat_map(|path| fs::read_dir(path).expect("ours"));
            let below = entries.map(|entry| entry.expect("ours").path());
            // Where the links of the copy lead, in `fix`, is no place of a test.
            let below = below.filter(|path| !path.is_symlink() && !self.is_of_cargo(path));
            let below = below.collect();
            levels.push(std::mem::replace(&mut level, below));
        }
        levels
    }

    /// Returns true for a path that only cargo and rustc write, more than three levels below a
    /// target folder.
    fn is_of_cargo(&self, path: &Path) -> bool {
        let weigh = self.at("p/target/weigh");
        let Ok(inside) = path.strip_prefix(&weigh) else {
            return false;
        };
        let names: Vec<&str> = inside.iter().filter_map(|name| name.to_str()).collect();
        match names[..] {
            ["verify", ref rest @ ..] => rest.len() > 3,
            ["census" | "futures", "build", ref rest @ ..] => rest.len() > 3,
            ["futures", "revision", ref rest @ ..] => rest.len() > 3,
            ["fix", _, "target", "package", ..] => false,
            ["fix", _, "target", ref rest @ ..] => rest.len() > 3,
            _ => false,
        }
    }
}

/// Files and folders that a run would remove or replace if they were ours.
fn bait(folder: &Path) {
    assert!(!folder.is_symlink(), "{} is not ours", folder.display());
    let commit = |n: usize| format!("{n:040x}");
    let mut files = vec![
        "letter.txt".to_owned(),
        "part-abc123/letter.txt".to_owned(),
        ".weigh-abc123.part".to_owned(),
        "0.old".to_owned(),
        "0.new".to_owned(),
        "recorder-0123456789abcdef.so".to_owned(),
    ];
    files.extend((0..80).map(|n| format!("run-{n:032x}-0")));
    files.extend((0..40).map(|n| format!("{n:016x}.json")));
    files.extend((0..6).map(|n| format!("{}/in-use", commit(n))));
    for file in files {
        let path = folder.join(file);
        fs::create_dir_all(path.parent().expect("it has one")).expect("ours");
        if !path.exists() {
            fs::write(path, "mine").expect("ours");
        }
    }
}

/// Copies with modes and times.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to.parent().expect("it has one")).expect("ours");
    run(Command::new("cp").arg("-a").arg(from).arg(to)).expect(0);
}

fn remove(path: &Path) {
    match fs::symlink_metadata(path) {
        Ok(data) if data.is_dir() => fs::remove_dir_all(path).expect("ours"),
        Ok(_) => fs::remove_file(path).expect("ours"),
        Err(_) => {}
    }
}

/// All that is in a folder: bytes of files, targets of links.
fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut queue = vec![folder.to_owned()];
    while let Some(path) = queue.pop() {
        let data = fs::symlink_metadata(&path).expect("it was listed");
        let bytes = if data.is_dir() {
            let entries = fs::read_dir(&path).expect("ours");
            queue.extend(entries.map(|entry| entry.expect("ours").path()));
            format!("folder {:o} {}", data.mode(), data.uid()).into_bytes()
        } else if data.is_symlink() {
            let to = fs::read_link(&path).expect("ours");
            to.into_os_string().into_encoded_bytes()
        } else {
            fs::read(&path).expect("ours")
        };
        found.insert(path, bytes);
    }
    found
}

fn changes(before: &BTreeMap<PathBuf, Vec<u8>>, after: &BTreeMap<PathBuf, Vec<u8>>) -> String {
    let gone = before.keys().filter(|path| !after.contains_key(*path));
    let new = after.iter().filter(|(path, _)| !before.contains_key(*path));
    let other = after
        .iter()
        .filter(|(path, bytes)| before.get(*path).is_some_and(|b| b != *bytes));
    let (new, other) = (new.map(|(path, _)| path), other.map(|(path, _)| path));
    format!(
        "gone: {:#?}\nnew: {:#?}\nchanged: {:#?}\n",
        gone.collect::<Vec<_>>(),
        new.collect::<Vec<_>>(),
        other.collect::<Vec<_>>()
    )
}

#[test]
fn links_to_our_folders() {
    let bench = Bench::new("links");
    let levels = {
        // Without the slow ones: an empty folder is a place as well.
        for &kind in Kind::ALL {
            let made = match kind {
                Kind::Rustc => cargo_weigh::store::make(&bench.at("caches"), kind),
                _ => cargo_weigh::store::make(&bench.at("p/target"), kind),
            };
            assert_eq!(made.expect("ours").path(), bench.at(place(kind)));
        }
        copy(&bench.at("p/target/weigh"), &bench.at("grown/weigh"));
        copy(
            &bench.at("caches/cargo-weigh"),
            &bench.at("grown/cargo-weigh"),
        );
        bench.levels()
    };
    let statuses: Vec<i32> = COMMANDS.iter().map(|_| 0).collect();
    let kinds: Vec<Kind> = often().map(|asked| asked.kind).collect();
    for places in &levels[..2] {
        let folders = places
            .iter()
            .filter(|path| path.is_dir())
            .cloned()
            .collect();
        bench.with_links(&folders, &kinds, &statuses);
    }
    // What there is to say is said once.
    bench.regrow();
    bench.plant(&[bench.at(TOPS[0])].into());
    for args in [&["diff", "HEAD~1"][..], &[]] {
        let asked = Asked {
            args,
            ..asked(Kind::Diff, &[])
        };
        let said = bench.run(&asked).expect(0);
        let warned = said
            .stderr
            .matches("target/weigh` is not used: it is a link")
            .count();
        assert_eq!(warned, 1, "{said:?}");
    }
}

#[test]
#[ignore = "slow: .ci/slow faults"]
fn links_at_every_place() {
    let bench = Bench::new("places");
    let statuses = bench.grow();
    let levels = bench.levels();
    assert!(levels.len() > 6, "{levels:#?}");
    for places in levels {
        let is_in = |kind: &Kind| {
            let folder = bench.at(place(*kind));
            places
                .iter()
                .any(|path| path.starts_with(&folder) || folder.starts_with(path))
        };
        let kinds: Vec<Kind> = Kind::ALL.iter().copied().filter(is_in).collect();
        bench.with_links(&places, &kinds, &statuses);
    }
}

#[test]
fn a_target_folder_with_a_folder_of_that_name() {
    let bench = Bench::new("named");
    let other = bench.at("documents");
    let text = format!("build.target-dir = '{}'\n", other.display());
    fs::create_dir(bench.at("p/.cargo")).expect("ours");
    fs::write(bench.at("p/.cargo/config.toml"), text).expect("ours");
    bench.git(&["add", "--all"]);
    bench.git(&["commit", "--quiet", "-m", "x"]);
    for &kind in Kind::ALL {
        let (top, name) = kind.names();
        bait(&other.join(top).join(name));
    }
    let before = contents(&other.join("weigh"));
    for asked in often() {
        let said = bench.run(asked);
        let after = contents(&other.join("weigh"));
        assert!(before == after, "{}{said:?}", changes(&before, &after));
        let needs = builds(asked.kind);
        assert_eq!(
            said.code,
            if needs { 2 } else { 0 },
            "{:?}: {said:?}",
            asked.args
        );
        if needs {
            let said = said.says(&["documents/weigh` is not used: it has no `CACHEDIR.TAG`"]);
            said.says(&["CARGO_TARGET_DIR"]);
        }
        bench.reset();
    }
}

#[test]
fn folders_of_other_users() {
    let bench = Bench::new("others");
    if fs::metadata(bench.at("p")).expect("ours").uid() != 0 {
        println!("skipped: needs root");
        return;
    }
    let chown = |path: &Path| {
        run(Command::new("chown").args(["-R", "12345:12345"]).arg(path)).expect(0);
    };
    for &kind in Kind::ALL {
        let made = match kind {
            Kind::Rustc => cargo_weigh::store::make(&bench.at("caches"), kind),
            _ => cargo_weigh::store::make(&bench.at("p/target"), kind),
        };
        bait(made.expect("ours").path());
    }
    // First the folders of the kinds, then those around them.
    for places in [
        Kind::ALL.iter().map(|&kind| place(kind)).collect(),
        TOPS.to_vec(),
    ] {
        places.iter().for_each(|place| chown(&bench.at(place)));
        let ours = || TOPS.map(|top| contents(&bench.at(top)));
        for asked in often() {
            let before = ours();
            let said = bench.run(asked);
            for (before, after) in before.iter().zip(ours()) {
                assert!(*before == after, "{}{said:?}", changes(before, &after));
            }
            let needs = builds(asked.kind);
            assert_eq!(
                said.code,
                if needs { 2 } else { 0 },
                "{:?}: {said:?}",
                asked.args
            );
            let is_silent =
                asked.args[..] == ["init"] || asked.args.contains(&"--no-project-config");
            let number = said
                .stderr
                .matches("it belongs to another user (number 12345)")
                .count();
            assert!(number > 0 || is_silent, "{:?}: {said:?}", asked.args);
            bench.reset();
        }
    }
}

#[test]
fn a_link_that_is_put_in_while_it_runs() {
    let bench = Bench::new("race");
    let made = cargo_weigh::store::make(&bench.at("p/target"), Kind::Cache);
    let cache = made.expect("ours").path().to_owned();
    let outside = bench.at("outside");
    bait(&outside);
    fs::set_permissions(&outside, fs::Permissions::from_mode(0o700)).expect("ours");
    let (before, away) = (contents(&outside), bench.at("away"));
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                fs::rename(&cache, &away).expect("ours");
                // A run may make the folder anew in between: then that one goes.
                while symlink(&outside, &cache).is_err() {
                    let _ = fs::remove_dir_all(&cache);
                }
                std::thread::sleep(Duration::from_micros(200));
                fs::remove_file(&cache).expect("ours");
                while fs::rename(&away, &cache).is_err() {
                    let _ = fs::remove_dir_all(&cache);
                }
                std::thread::sleep(Duration::from_micros(200));
            }
        });
        for n in 0..20 {
            fs::write(bench.at("p/src/lib.rs"), format!("{LIB}// {n}\n")).expect("ours");
            std::thread::sleep(Duration::from_millis(100));
            bench.run(&COMMANDS[n % 2]).expect(0);
        }
        stop.store(true, Ordering::Relaxed);
    });
    let after = contents(&outside);
    assert!(before == after, "{}", changes(&before, &after));
}
