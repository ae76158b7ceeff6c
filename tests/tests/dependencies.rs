//! Checks the licences of the published packages' dependencies, and their use of `unsafe`.

use cargo_metadata::{DependencyKind, Metadata, MetadataCommand, Package};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use weigh_tests::{cargo, repository, run};

/// Licences that require nothing but attribution.
const FREE: [&str; 10] = [
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "ISC",
    "MIT",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

/// Returns true if these licences satisfy an SPDX expression: `AND` binds tighter than `OR`. Older
/// manifests write `/` for `OR`.
fn is_free(expression: &str) -> bool {
    let whole = expression.replace('/', " OR ");
    let whole = whole.trim();
    for (word, all) in [(" OR ", false), (" AND ", true)] {
        let parts = split(whole, word);
        if parts.len() > 1 {
            let mut free = parts.iter().map(|part| is_free(part));
            return if all {
                free.all(|f| f)
            } else {
                free.any(|f| f)
            };
        }
    }
    match whole
        .strip_prefix('(')
        .and_then(|rest| rest.strip_suffix(')'))
    {
        Some(inner) => is_free(inner),
        None => FREE.contains(&whole),
    }
}

/// Splits an expression at a word outside parentheses.
fn split<'t>(text: &'t str, word: &str) -> Vec<&'t str> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0, 0);
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ if depth == 0 && at >= start && text[at..].starts_with(word) => {
                parts.push(&text[start..at]);
                start = at + word.len();
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

/// Returns all dependencies of the published packages on any system, except those only for tests.
fn built_of(metadata: &Metadata) -> Vec<&Package> {
    let nodes = &metadata.resolve.as_ref().expect("a resolved graph").nodes;
    let published =
        |p: &&Package| p.publish.is_none() && metadata.workspace_members.contains(&p.id);
    let mut queue: Vec<_> = metadata
        .packages
        .iter()
        .filter(published)
        .map(|p| &p.id)
        .collect();
    assert_eq!(queue.len(), 8, "{queue:?}");
    let mut seen: BTreeSet<_> = queue.iter().copied().collect();
    while let Some(id) = queue.pop() {
        let node = nodes.iter().find(|n| n.id == *id).expect("a node");
        let needed = node.deps.iter().filter(|dep| {
            dep.dep_kinds
                .iter()
                .any(|kind| kind.kind != DependencyKind::Development)
        });
        queue.extend(needed.map(|dep| &dep.pkg).filter(|pkg| seen.insert(pkg)));
    }
    metadata
        .packages
        .iter()
        .filter(|p| seen.contains(&p.id))
        .collect()
}

fn metadata() -> Metadata {
    let mut command = MetadataCommand::new();
    command.manifest_path(repository().join("Cargo.toml"));
    command.other_options(["--locked".to_owned()]);
    command.exec().expect("this repository has metadata")
}

#[test]
fn licences_ask_for_nothing() {
    assert!(is_free("(MIT OR GPL-3.0) AND Unicode-3.0") && is_free("Unlicense/MIT"));
    assert!(!is_free("MIT AND GPL-3.0") && !is_free("GPL-3.0") && !is_free(""));
    let metadata = metadata();
    let packages = built_of(&metadata);
    assert!(packages.len() > 40, "{}", packages.len());
    let bad = packages
        .iter()
        .filter(|p| !is_free(p.license.as_deref().unwrap_or_default()));
    let bad: Vec<_> = bad.map(|p| (&p.name, &p.license)).collect();
    assert!(bad.is_empty(), "{bad:?}");
}

/// Test dependencies enable no feature that the program is built without: otherwise cargo would
/// build everything twice, for the tests and for `cargo build -p cargo-weigh`.
#[test]
fn tests_build_the_program_as_it_is() {
    let tree = |select: &[&str]| {
        let mut command = cargo();
        command
            .current_dir(repository())
            .args(["tree", "--offline"]);
        command.args(["--prefix", "none", "--no-dedupe", "--format", "{p} {f}"]);
        let said = run(command.args(select)).expect(0).stdout;
        let lines = said.lines().map(|line| line.trim_end().to_owned());
        lines.collect::<BTreeSet<_>>()
    };
    let with_tests = tree(&["--workspace", "--edges", "normal,build,dev"]);
    let alone = tree(&["--package", "cargo-weigh", "--edges", "normal,build"]);
    assert!(alone.len() > 40, "{alone:?}");
    let other: Vec<_> = alone.difference(&with_tests).collect();
    assert!(other.is_empty(), "{other:#?}");
}

/// Counts the word in the code of a text, excluding `//` comments, line by line.
fn unsafe_in(text: &str) -> usize {
    let code = text
        .lines()
        .map(|line| line.split("//").next().unwrap_or_default());
    let words = code.flat_map(|line| line.split(|c: char| !c.is_alphanumeric() && c != '_'));
    words.filter(|word| *word == "unsafe").count()
}

fn count(folder: &Path) -> usize {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let counts = entries.map(|entry| {
        let path = entry.path();
        match path.is_dir() {
            true => count(&path),
            false if path.extension().is_some_and(|e| e == "rs") => {
                unsafe_in(&fs::read_to_string(&path).unwrap_or_default())
            }
            false => 0,
        }
    });
    counts.sum()
}

#[test]
fn none_of_it_is_ours() {
    for folder in [
        "lint/src",
        "lint/syntax/src",
        "lint/layout/src",
        "lint/census/src",
        "lint/lints/src",
        "derive/src",
        "derive/macros/src",
    ] {
        let mut list = vec![repository().join(folder)];
        while let Some(path) = list.pop() {
            if path.is_dir() {
                // Declarations of std, which are never compiled.
                if !path.ends_with("lint/layout/src/stdlib") {
                    list.extend(
                        fs::read_dir(&path)
                            .expect("ours")
                            .flatten()
                            .map(|e| e.path()),
                    );
                }
                continue;
            }
            let text = fs::read_to_string(&path).unwrap_or_default();
            assert!(!text.contains("allow(unsafe_code)"), "{}", path.display());
        }
    }
}

#[test]
#[ignore = "slow: .ci/slow dependencies"]
fn what_is_unsafe() {
    let metadata = metadata();
    let packages = built_of(&metadata);
    let mut counts: Vec<_> = packages
        .iter()
        .map(|p| {
            let folder = p
                .manifest_path
                .parent()
                .expect("a manifest lies in a folder");
            (
                count(folder.join("src").as_std_path()),
                p.name.as_str(),
                &p.version,
            )
        })
        .collect();
    counts.sort();
    let sum: usize = counts.iter().map(|(n, ..)| n).sum();
    for (n, name, version) in counts.iter().rev() {
        println!("{n:6}  {name} {version}");
    }
    println!("{sum:6}  in {} packages, on all systems", counts.len());
    assert!(sum > 0, "nothing was read");
}
