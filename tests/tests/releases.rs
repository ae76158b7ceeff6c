//! Unknown compilers: a wrapper claims to be a nightly, and answers like the real compiler,
//! differently, or not at all.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use weigh_tests::project::Scratch;
use weigh_tests::{Run, run, weigh};

const TYPES: &str = "
pub struct Plain(u8, u32);
pub struct Reads(Option<std::io::BufReader<std::fs::File>>);
pub struct Writes(Option<std::io::BufWriter<std::fs::File>>);
";

/// A project with its own compiler and cache.
struct Bench {
    scratch: Scratch,
    rustc: PathBuf,
}

impl Bench {
    /// Creates a compiler that reads the probe through `filter`, a shell command.
    fn new(name: &str, filter: &str) -> Bench {
        let real = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
        let scratch = Scratch::library(name, TYPES);
        let rustc = scratch.folder().join("rustc.sh");
        let asked = scratch.folder().join("asked");
        let script = format!(
            "#!/bin/sh\ncase \"$*\" in\n\
             -vV) '{real}' -vV | sed 's/^release: .*/&-nightly/' ;;\n\
             *' -') pwd >> '{}'; {filter} | '{real}' \"$@\" ;;\n\
             *) exec '{real}' \"$@\" ;;\nesac\n",
            asked.display()
        );
        let scratch = scratch.file("rustc.sh", script);
        let mode = fs::Permissions::from_mode(0o755);
        fs::set_permissions(&rustc, mode).expect("it was just written");
        Bench { scratch, rustc }
    }

    fn sizes(&self, json: bool) -> Run {
        let args = ["-q", "--message-format", "json"];
        self.run(if json { &args } else { &[] })
    }

    fn run(&self, args: &[&str]) -> Run {
        let mut command = weigh(self.scratch.folder());
        command
            .arg("sizes")
            .env("RUSTC", &self.rustc)
            .env("XDG_CACHE_HOME", self.cache())
            .env("HOME", self.cache())
            .args(args);
        run(&mut command).expect(0)
    }

    fn cache(&self) -> PathBuf {
        self.scratch.folder().join("cache")
    }

    /// Returns how often the compiler received a probe.
    fn asked(&self) -> usize {
        let log = fs::read_to_string(self.scratch.folder().join("asked"));
        log.unwrap_or_default().lines().count()
    }

    fn answers(&self) -> Vec<PathBuf> {
        fn files(folder: PathBuf, found: &mut Vec<PathBuf>) {
            for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                match entry.path() {
                    path if path.is_dir() => files(path, found),
                    path if path.ends_with("CACHEDIR.TAG") => {}
                    path => found.push(path),
                }
            }
        }
        let mut found = Vec::new();
        files(self.cache(), &mut found);
        found
    }
}

#[test]
#[ignore = "slow: .ci/slow tests"]
fn an_unknown_compiler_is_asked_once() {
    let bench = Bench::new("release-asked", "cat");
    let said = bench.sizes(false);
    let asked = bench.asked();
    assert!(asked > 0, "{said:?}");
    let words = ["-nightly on ", "calibrated against rustc ", ": 0 of "];
    assert!(words.iter().all(|w| said.stdout.contains(w)), "{said:?}");
    assert!(!said.stderr.contains("warning"), "{said:?}");
    for line in bench.sizes(true).json() {
        let rustc = line["rustc"].as_str().expect("each line says it");
        assert!(
            rustc.ends_with("-nightly") && line["triple"].is_string(),
            "{line}"
        );
        assert_eq!(line["exact"], true, "{line}");
    }
    assert_eq!(bench.asked(), asked, "the answer was not kept");

    // A truncated answer is discarded.
    let answers = bench.answers();
    let [answer] = &answers[..] else {
        panic!("{answers:?}")
    };
    let text = fs::read(answer).expect("it can be read");
    fs::write(answer, &text[..text.len() / 2]).expect("it can be written");
    bench.sizes(true);
    assert!(bench.asked() > asked, "a broken answer was taken");
    assert_eq!(fs::read(answer).expect("it can be read"), text);
}

#[test]
#[ignore = "slow: .ci/slow tests"]
fn what_differs_is_unknown_and_nothing_else() {
    // Replaces readers by writers in the probe, which have another layout.
    let filter = "sed -E 's/io::BufReader</io::BufWriter</g'";
    let bench = Bench::new("release-differs", filter);
    let said = bench.sizes(false);
    assert!(said.stdout.contains(": 1 of "), "{said:?}");
    let said = bench.sizes(true);
    let reads = said.size_of("Reads");
    let reason = reads["reason"].as_str().unwrap_or_default();
    assert!(
        reason.contains("`std::io::BufReader`") && reason.contains("nightly"),
        "{reads}"
    );
    for path in ["Plain", "Writes"] {
        assert_eq!(said.size_of(path)["exact"], true);
    }
}

#[test]
#[ignore = "slow: .ci/slow tests"]
fn another_algorithm_leaves_nothing_exact() {
    let filter = "sed 's/^pub struct Tail<T: ?Sized>(u8,/pub struct Tail<T: ?Sized>(u64,/'";
    let bench = Bench::new("release-foreign", filter);
    let said = bench.sizes(false);
    assert!(said.stdout.contains("nothing is exact"), "{said:?}");
    assert!(
        said.stderr.contains("lays out types in another way"),
        "{said:?}"
    );
    for line in bench.sizes(true).json() {
        assert_eq!(
            (&line["exact"], &line["size"]),
            (&false.into(), &().into()),
            "{line}"
        );
    }
}

#[test]
fn sizes_are_as_of_a_known_release_where_the_compiler_does_not_answer() {
    let bench = Bench::new("release-mute", "exit 1; cat");
    let said = bench.sizes(false);
    assert!(said.stdout.contains("as of rustc 1."), "{said:?}");
    assert!(said.stderr.contains("could not be asked"), "{said:?}");
    for line in bench.sizes(true).json() {
        let rustc = line["rustc"].as_str().expect("each line says it");
        assert!(!rustc.contains("nightly"), "{line}");
    }
    assert_eq!(bench.answers(), Vec::<PathBuf>::new());
}

#[test]
#[ignore = "slow: .ci/slow tests"]
fn a_compiler_is_asked_where_no_toolchain_file_counts() {
    let bench = Bench::new("release-neutral", "cat");
    let said = bench.run(&["--no-project-config", "--message-format", "json"]);
    let folders = fs::read_to_string(bench.scratch.folder().join("asked")).expect("it was asked");
    assert!(folders.lines().all(|folder| folder == "/"), "{folders}");
    for line in said.json() {
        assert_eq!(line["project_config"], false, "{line}");
        assert_eq!(line["exact"], true, "{line}");
    }
}
