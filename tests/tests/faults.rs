//! Writes that fail or are killed at every step, concurrent runs, and files that disappear: each
//! file is the old or the new one, and the next run cleans up.

#![cfg(all(target_os = "linux", target_env = "gnu"))]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering};
use weigh_tests::project::Scratch;
use weigh_tests::{Run, repository, run, weigh, workbench};

const MANIFEST: &str =
    "[package]\nname = \"demo\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[workspace]\n";
const LIB: &str = "pub mod other;\npub enum Wide { Fat([u64; 40]), Thin(u8) }\n";

/// Builds the preloaded library between the program and libc, once.
fn shim() -> &'static Path {
    static SHIM: LazyLock<PathBuf> = LazyLock::new(|| {
        let folder = workbench("faults");
        fs::create_dir_all(&folder).expect("the target folder is ours to write");
        let library = folder.join(format!("shim-{}.so", std::process::id()));
        let mut rustc = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
        rustc.args([
            "--edition",
            "2024",
            "--crate-type",
            "cdylib",
            "-Cpanic=abort",
            "-O",
        ]);
        rustc.arg("-o").arg(&library);
        run(rustc.arg(repository().join("tests/faults/shim.rs"))).expect(0);
        library
    });
    &SHIM
}

/// A project in a git repository of one commit, with all files that the program may write.
struct Bench {
    scratch: Scratch,
}

/// The files that commands write.
const WRITTEN: [&str; 4] = ["weigh.sizes.json", "weigh.baseline.json", "out", "page.md"];

/// A baseline that a run can read.
const OLD_BASELINE: &str = "[{\"weigh\":\"baseline\",\"version\":1}\n]\n";

impl Bench {
    fn new(name: &str) -> Bench {
        let scratch = Scratch::outside(&format!("weigh-faults-{name}"))
            .file("Cargo.toml", MANIFEST)
            .file(".gitignore", "target\n")
            .file("src/lib.rs", LIB)
            .file("src/other.rs", "pub struct Other(u32);\n");
        let bench = Bench { scratch };
        for args in [
            &["init", "--quiet"][..],
            &["add", "--all"],
            &[
                "-c",
                "user.name=t",
                "-c",
                "user.email=t@t.example",
                "commit",
                "-qm",
                "x",
            ],
        ] {
            run(Command::new("git").current_dir(bench.folder()).args(args)).expect(0);
        }
        bench
    }

    fn folder(&self) -> &Path {
        self.scratch.folder()
    }

    /// Restores the initial state; with `old`, the files to write already exist.
    fn reset(&self, old: bool) {
        let _ = fs::remove_dir_all(self.folder().join("target/weigh"));
        for name in WRITTEN {
            let path = self.folder().join(name);
            let _ = fs::remove_file(&path);
            let text = if name == "weigh.baseline.json" {
                OLD_BASELINE
            } else {
                "old\n"
            };
            if old {
                fs::write(path, text).expect("ours");
            }
        }
    }

    fn written(&self) -> BTreeMap<&'static str, Option<String>> {
        let read = |name| (name, fs::read_to_string(self.folder().join(name)).ok());
        WRITTEN.into_iter().map(read).collect()
    }

    /// Lists leftover partial files.
    fn parts(&self) -> Vec<PathBuf> {
        let folders = [
            self.folder().to_owned(),
            self.folder().join("target/weigh/diff"),
        ];
        let entries = folders
            .iter()
            .filter_map(|folder| fs::read_dir(folder).ok())
            .flatten();
        let paths = entries.map(|entry| entry.expect("it can be listed").path());
        let is_part = |path: &PathBuf| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            name.starts_with(".weigh-") || name.contains("part-")
        };
        paths.filter(is_part).collect()
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = weigh(self.folder());
        command.args(args).arg("--offline");
        if args.contains(&"github") {
            command.env("GITHUB_STEP_SUMMARY", self.folder().join("page.md"));
        }
        command
    }

    /// Runs with a fault; returns false if the fault was not reached.
    fn with_fault(&self, args: &[&str], mode: &str, n: usize, below: &Path) -> (Run, bool) {
        let hit = self.folder().with_extension("hit");
        let _ = fs::remove_file(&hit);
        let fault = format!("{mode}:{n}:{}", below.display());
        let mut command = self.command(args);
        command.env("LD_PRELOAD", shim()).env("WEIGH_FAULT", fault);
        let said = run(command.env("WEIGH_FAULT_HIT", &hit));
        let was_hit = fs::remove_file(&hit).is_ok();
        (said, was_hit)
    }

    /// Makes every `step`th step of a command fail or kill it; returns the number of faults.
    fn every_step(&self, args: &[&str], modes: &[&str], old: bool, step: usize) -> usize {
        self.reset(old);
        let before = self.written();
        let done = run(&mut self.command(args));
        assert!(matches!(done.code, 0 | 1), "{done:?}");
        let whole = self.written();
        assert_ne!(before, whole, "{args:?} writes nothing");
        let mut faults = 0;
        for mode in modes {
            for n in (1..).step_by(step) {
                self.reset(old);
                let (said, was_hit) = self.with_fault(args, mode, n, self.folder());
                if !was_hit {
                    assert!(n > 4, "{args:?} has too few steps");
                    break;
                }
                faults += 1;
                let case = format!("{args:?} {mode} {n} {old}: {said:?}");
                let now = self.written();
                for (name, text) in &now {
                    let known = [&before[name], &whole[name]];
                    assert!(
                        known.contains(&text),
                        "{name} is cut to pieces: {text:?}\n{case}"
                    );
                }
                match said.code {
                    // The failed step did not matter, or is reported.
                    0 | 1 => assert!(now == whole || said.stderr.contains("cannot"), "{case}"),
                    2 => assert!(now == before && said.stderr.contains("cannot"), "{case}"),
                    -1 => assert!(mode.starts_with("kill") || *mode == "after", "{case}"),
                    _ => panic!("{case}"),
                }
                // Any run cleans up leftovers.
                run(&mut self.command(&["sizes"])).expect(0);
                assert_eq!(self.parts(), Vec::<PathBuf>::new(), "{case}");
                let again = run(&mut self.command(args));
                assert_eq!(again.code, done.code, "{case}\n{again:?}");
                if !args.contains(&"github") {
                    assert_eq!(self.written(), whole, "{case}");
                }
                assert_eq!(self.parts(), Vec::<PathBuf>::new(), "{case}");
                assert!(n < 200, "{args:?} never ends");
            }
        }
        faults
    }
}

/// The default run tests one of this many steps; `.ci/slow faults` tests all.
const SAMPLE: usize = 3;

const MODES: [&str; 4] = ["fail", "full", "kill", "after"];

/// Files with one enum each that a box shrinks.
const FIXABLE: [&str; 2] = ["src/one.rs", "src/two.rs"];

/// Stops `fix` at every `step`th step below a directory: after the next run all files are changed,
/// or none is. Returns the number of faults.
fn fix_at_steps(name: &str, modes: &[&str], below: fn(&Path) -> PathBuf) -> usize {
    let bench = Bench::new(name);
    let text = "pub enum Line { Wide([u64; 30]), Thin(u8) }\n\
                pub struct Lines { pub all: Vec<Vec<Line>>, pub more: Vec<Line> }\n";
    let path = |name: &str| bench.folder().join(name);
    let put = |texts: &[String]| {
        for (name, text) in FIXABLE.iter().zip(texts) {
            fs::write(path(name), text).expect("ours");
        }
    };
    let read = || FIXABLE.map(|name| fs::read_to_string(path(name)).expect("it is there"));
    let before = FIXABLE.map(|_| text.to_owned());
    put(&before);
    fs::write(path("src/lib.rs"), "pub mod one;\npub mod two;\n").expect("ours");
    let args = ["fix", "--allow-dirty"];
    run(&mut bench.command(&args)).expect(0);
    let after = read();
    assert!(
        after.iter().all(|t| t.contains("Box<[u64; 30]>")),
        "{after:?}"
    );
    let parts = || {
        let entries = fs::read_dir(path("src")).expect("a folder");
        let names = entries.map(|e| e.expect("an entry").file_name());
        let names = names.filter(|n| n.to_string_lossy().starts_with(".weigh-"));
        names.count()
    };
    let mut faults = 0;
    for mode in modes {
        for n in 1.. {
            put(&before);
            let (said, was_hit) = bench.with_fault(&args, mode, n, &below(bench.folder()));
            if !was_hit {
                assert!(n > 6, "too few steps");
                break;
            }
            faults += 1;
            let case = format!("{mode} {n}: {said:?}");
            let now = read();
            match said.code {
                0 => assert_eq!(now, after, "{case}"),
                2 if *mode == "full" => assert!(said.stderr.contains("cannot"), "{case}"),
                2 => assert!(now == before && said.stderr.contains("cannot"), "{case}"),
                -1 => assert!(mode.starts_with("kill") || *mode == "after", "{case}"),
                _ => panic!("{case}"),
            }
            let next = run(&mut bench.command(&["sizes"])).expect(0);
            let then = read();
            assert!(then == before || then == after, "{case}\n{next:?}");
            if then != now {
                assert!(next.stderr.contains("interrupted"), "{case}\n{next:?}");
            }
            // If nothing can be removed, the next run that writes there does it.
            if *mode == "full" && parts() > 0 {
                run(&mut bench.command(&args)).expect(0);
            }
            assert_eq!(parts(), 0, "{case}");
            // Reported once.
            let next = run(&mut bench.command(&["sizes"])).expect(0);
            assert!(!next.stderr.contains("interrupted"), "{case}\n{next:?}");
            assert!(n < 100, "it never ends");
        }
    }
    faults
}

#[test]
#[ignore = "slow: .ci/slow faults"]
fn a_fix_at_every_step() {
    let journal = |folder: &Path| {
        let fix = fs::read_dir(folder.join("target/weigh/fix")).expect("it has run");
        let mut entries = fix.map(|e| e.expect("an entry").path().join("journal"));
        entries.next().expect("of this workspace")
    };
    let faults = fix_at_steps("fix-all", &MODES, |folder| folder.join("src"))
        + fix_at_steps("fix-journal", &MODES, journal);
    eprintln!("{faults} faults");
}

#[test]
#[ignore = "slow: .ci/slow tests"]
fn a_snapshot_is_whole_or_old() {
    let bench = Bench::new("snapshot");
    assert!(bench.every_step(&["snapshot"], &["fail", "kill"], true, SAMPLE) > 2);
}

#[test]
#[ignore = "slow: .ci/slow faults"]
fn every_command_and_every_step() {
    let bench = Bench::new("all");
    bench.reset(false);
    run(&mut bench.command(&["snapshot", "--output", "base.json"])).expect(0);
    let one = ["--message-format", "json", "--output", "out"];
    let commands: [&[&str]; 9] = [
        &["snapshot"],
        &["--write-baseline"],
        &one,
        &["--message-format", "sarif", "--output", "out"],
        &["--message-format", "github"],
        &["sizes", "--output", "out"],
        &["layout", "Wide", "--output", "out"],
        &["diff", "base.json", "--output", "out"],
        &["diff", "HEAD", "--output", "out"],
    ];
    let mut faults = 0;
    for args in commands {
        for old in [true, false] {
            faults += bench.every_step(args, &MODES, old, 1);
        }
    }
    eprintln!("{faults} faults");
}

#[test]
#[ignore = "slow: .ci/slow tests"]
fn folders_and_files_that_are_closed() {
    let bench = Bench::new("closed");
    bench.reset(true);
    let before = bench.written();
    for args in [
        &["snapshot"][..],
        &["--write-baseline"],
        &["sizes", "--output", "out"],
        &["diff", "HEAD"],
    ] {
        let (said, was_hit) = bench.with_fault(args, "readonly", 0, bench.folder());
        assert!(was_hit, "{args:?}");
        said.expect(2)
            .says(&["cannot write", "Read-only file system"]);
        assert_eq!(bench.written(), before);
    }
    // Without write access, analysis still works.
    let (said, _) = bench.with_fault(&[], "readonly", 0, bench.folder());
    said.expect(0);
    let other = bench.folder().join("src/other.rs");
    let (said, was_hit) = bench.with_fault(&[], "deny", 0, &other);
    assert!(was_hit);
    let said = said
        .expect(2)
        .says(&["src/other.rs", "Permission denied", "incomplete: 1 problem"]);
    assert!(
        said.stdout.contains("Wide"),
        "the rest is analysed: {said:?}"
    );
    for name in ["weigh.baseline.json", "src/lib.rs"] {
        let (said, _) = bench.with_fault(&[], "deny", 0, &bench.folder().join(name));
        said.expect(2)
            .says(&[name, "Permission denied", "incomplete"]);
    }
}

#[test]
fn a_disk_that_is_full() {
    let bench = Bench::new("full");
    bench.reset(true);
    let before = bench.written();
    // `/dev/full` rejects writes; a limit on file size simulates a full disk.
    let said = run(&mut bench.command(&["sizes", "--output", "/dev/full"]));
    said.expect(2).says(&["/dev/full"]);
    let mut shell = Command::new("bash");
    let line = "trap '' XFSZ; ulimit -f 0; exec \"$@\"";
    let program = weigh_tests::program();
    let limited = shell
        .current_dir(bench.folder())
        .args(["-c", line, "-"])
        .arg(program);
    let said = run(limited.args(["weigh", "snapshot", "--offline", "--locked"]));
    said.expect(2).says(&["cannot write", "weigh.sizes.json"]);
    assert_eq!(bench.written(), before);
}

#[test]
fn runs_at_the_same_time() {
    let bench = Bench::new("together");
    bench.reset(false);
    run(&mut bench.command(&["--write-baseline"])).expect(0);
    run(&mut bench.command(&["snapshot"])).expect(0);
    let whole = bench.written();
    let _ = fs::remove_dir_all(bench.folder().join("target/weigh"));
    let commands: [&[&str]; 3] = [&["snapshot"], &["--write-baseline"], &["diff", "HEAD"]];
    let start = |args: &&[&str]| bench.command(args).output().expect("it starts");
    std::thread::scope(|scope| {
        let twice = commands.iter().chain(&commands);
        let runs: Vec<_> = twice.map(|args| scope.spawn(move || start(args))).collect();
        for one in runs {
            let said = one.join().expect("it ends");
            assert!(said.status.success(), "{said:?}");
        }
    });
    assert_eq!(bench.written(), whole);
    assert_eq!(bench.parts(), Vec::<PathBuf>::new());
}

#[test]
#[ignore = "slow: .ci/slow tests"]
fn files_that_change_while_they_are_read() {
    let bench = Bench::new("changing");
    let path = bench.folder().join("src/other.rs");
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let texts = [
                "pub struct Other(u32);\n",
                "pub struct Other(",
                "",
                "\u{feff}é // 🦀",
            ];
            for text in texts.iter().cycle() {
                if stop.load(Ordering::Relaxed) {
                    break;
                }
                let _ = fs::remove_file(&path);
                let _ = fs::create_dir(&path);
                let _ = fs::remove_dir(&path);
                let _ = fs::write(&path, text.repeat(2000));
                let _ = fs::write(&path, text);
            }
        });
        let mut statuses = Vec::new();
        for _ in 0..8 {
            let said = run(&mut bench.command(&[]));
            assert!(
                matches!(said.code, 0 | 2) && !said.stderr.contains("panicked"),
                "{said:?}"
            );
            statuses.push(said.code);
        }
        stop.store(true, Ordering::Relaxed);
    });
}
