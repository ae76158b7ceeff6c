//! Output is identical for any number of threads, on every run, in any directory, for any order of
//! directory entries, and for sources with CRLF line endings.

use std::fs;
use std::path::{Path, PathBuf};
use weigh_tests::project::Scratch;
use weigh_tests::{few, fixture, run, weigh};

/// The commands whose output is compared.
const COMMANDS: [&[&str]; 6] = [
    &["-W", "all", "--message-format", "json"],
    &["-W", "all"],
    &["-W", "all", "--message-format", "sarif"],
    &["-W", "all", "--message-format", "gitlab"],
    &["sizes"],
    &["sizes", "--message-format", "json"],
];

/// Returns the output of a command, with its directory replaced.
fn said(folder: &Path, command: &[&str], threads: &str) -> (String, String) {
    let mut weigh = weigh(folder);
    weigh
        .args(command)
        .args(["--all-targets", "--offline", "-j", threads]);
    let said = run(&mut weigh);
    assert!((0..=2).contains(&said.code), "{said:?}");
    let folder = folder.to_str().expect("UTF-8");
    let neutral = |text: String| text.replace(folder, "HERE");
    (neutral(said.stdout), neutral(said.stderr))
}

/// Asserts that both are equal, and names the first line that differs.
#[track_caller]
fn alike(one: &(String, String), other: &(String, String), case: &str) {
    for (one, other) in [(&one.0, &other.0), (&one.1, &other.1)] {
        let lines = one.lines().zip(other.lines());
        for (one, other) in lines {
            assert_eq!(one, other, "{case}");
        }
        assert_eq!(one.len(), other.len(), "{case}");
    }
}

/// Lists the files of a directory, except `target`.
fn files(folder: &Path, below: &Path, list: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("it can be read") {
        let path = entry.expect("it can be listed").path();
        match path.is_dir() {
            true if path.file_name().is_some_and(|name| name == "target") => {}
            true => files(&path, below, list),
            false => list.push(path.strip_prefix(below).expect("below").to_owned()),
        }
    }
}

/// Creates a copy whose files are created in an order given by a seed, in which some file systems
/// list them.
fn copy(
    fixture: &Path,
    name: &str,
    seed: u64,
    change: impl Fn(&Path, Vec<u8>) -> Vec<u8>,
) -> Scratch {
    let mut list = Vec::new();
    files(fixture, fixture, &mut list);
    list.sort();
    let mut state = seed;
    for i in (1..list.len()).rev() {
        // A linear congruential generator suffices to shuffle a list.
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        list.swap(i, (state >> 33) as usize % (i + 1));
    }
    let mut scratch = Scratch::outside(name);
    for path in &list {
        let bytes = fs::read(fixture.join(path)).expect("it can be read");
        scratch = scratch.file(path.to_str().expect("UTF-8"), change(path, bytes));
    }
    scratch
}

fn same(name: &str, runs: usize) {
    let fixture = fixture(name);
    let first = copy(&fixture, &format!("weigh-same-{name}"), 1, |_, bytes| bytes);
    let others: Vec<Scratch> = (2..4)
        .map(|seed| {
            let name = format!("weigh-elsewhere/{seed}/{name}");
            copy(&fixture, &name, seed, |_, bytes| bytes)
        })
        .collect();
    let windows = copy(
        &fixture,
        &format!("weigh-same-crlf-{name}"),
        5,
        |path, bytes| match path.extension().is_some_and(|extension| extension == "rs") {
            true => {
                let text = String::from_utf8(bytes).expect("sources are UTF-8");
                text.replace("\r\n", "\n")
                    .replace('\n', "\r\n")
                    .into_bytes()
            }
            false => bytes,
        },
    );
    for command in few(&COMMANDS, 2) {
        let expected = said(first.folder(), command, "1");
        // The message contains a path that differs between copies.
        if expected.1.contains("cannot read the file") {
            eprintln!("SKIPPED: {name} shares a file with its neighbours");
            return;
        }
        for n in 0..runs {
            let threads = ["16", "2", "1"][n % 3];
            let again = said(first.folder(), command, threads);
            alike(
                &again,
                &expected,
                &format!("{name}: {command:?} on {threads} threads"),
            );
        }
        for other in &others {
            let there = said(other.folder(), command, "2");
            alike(&there, &expected, &format!("{name}: {command:?} elsewhere"));
        }
        // Byte offsets differ, and edits contain the file's line endings.
        if !command.contains(&"json") || command.contains(&"sizes") {
            let plain = |text: &str| text.replace("\\r\\n", "\\n").replace("\r\n", "\n");
            let (stdout, _) = said(windows.folder(), command, "2");
            let (there, here) = (plain(&stdout), plain(&expected.0));
            alike(
                &(there, String::new()),
                &(here, String::new()),
                &format!("{name}: {command:?} with CRLF"),
            );
        }
    }
}

#[test]
#[ignore = "slow: .ci/slow tests"]
fn the_showcase() {
    same("showcase", 2);
}

/// Has more types and bodies than one batch of a thread, so that work is split.
#[test]
fn a_fixture_with_many_types() {
    same("worth", 1);
}

#[test]
#[ignore = "slow: .ci/slow determinism"]
fn every_fixture_many_times() {
    let mut names = Vec::new();
    for entry in fs::read_dir(fixture("")).expect("it can be read") {
        let path = entry.expect("it can be listed").path();
        let manifest = fs::read_to_string(path.join("Cargo.toml")).unwrap_or_default();
        // A fixture with a dependency in this repository does not build on its own.
        if !manifest.is_empty() && !manifest.contains("\"../") {
            names.push(
                path.file_name()
                    .expect("a name")
                    .to_str()
                    .expect("UTF-8")
                    .to_owned(),
            );
        }
    }
    names.sort();
    assert!(names.len() > 5, "{names:?}");
    for name in names {
        eprintln!("{name}");
        same(&name, if name == "showcase" { 50 } else { 3 });
    }
}
