//! Tests `snapshot` and `diff` on a git repository with a workspace in a subdirectory, against the
//! compiler's sizes of the same files.

#[allow(dead_code)]
mod after;
#[allow(dead_code)]
mod before;

use serde_json::Value;
use std::fs;
use std::mem::size_of;
use std::path::{Path, PathBuf};
use std::process::Command;
use weigh_tests::project::Scratch;
use weigh_tests::{Run, run, run_in, weigh};

const BEFORE: &str = include_str!("diff/before.rs");
const AFTER: &str = include_str!("diff/after.rs");

const ROOT: &str = "[workspace]\nresolver = \"3\"\nmembers = [\"model\", \"app\"]\n";
const MODEL: &str = "[package]\nname = \"model\"\nversion = \"0.1.0\"\nedition = \"2024\"\n";
const APP: &str = "[package]\nname = \"app\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n\
                   [dependencies]\nmodel = { path = \"../model\" }\n";
const DOCUMENT: &str = "pub struct Document { pub line: model::Line, pub pages: u32 }\n";

/// Runs git without the user's settings; a failure fails the test.
fn git(folder: &Path, args: &[&str]) -> String {
    let mut command = Command::new("git");
    for name in ["GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE"] {
        command.env_remove(name);
    }
    let said = run(command
        .current_dir(folder)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", folder.join("no-such-file"))
        .args(["-c", "user.name=t", "-c", "user.email=t@t.example"])
        .args(["-c", "core.autocrlf=false", "-c", "init.defaultBranch=main"])
        .args(args));
    said.expect(0).stdout
}

fn commit(folder: &Path, message: &str) {
    git(folder, &["add", "--all"]);
    git(folder, &["commit", "--quiet", "--message", message]);
}

/// Creates a repository: tag `empty` without a workspace, `one` with the earlier files, and a
/// working tree with the later ones, some staged. The workspace is in `rust`.
fn repository(name: &str) -> (Scratch, PathBuf) {
    let scratch = Scratch::empty(name)
        .file("README", "nothing yet\n")
        .file(".gitignore", "target\n");
    let folder = scratch.folder().to_owned();
    git(&folder, &["init", "--quiet"]);
    commit(&folder, "empty");
    git(&folder, &["tag", "empty"]);
    let scratch = scratch
        .file("rust/Cargo.toml", ROOT)
        .file("rust/model/Cargo.toml", MODEL)
        .file("rust/model/src/lib.rs", BEFORE)
        .file("rust/app/Cargo.toml", APP)
        .file("rust/app/src/lib.rs", DOCUMENT);
    let workspace = folder.join("rust");
    run_in(&workspace, &["snapshot", "--output", "base.json"]).expect(0);
    commit(&folder, "one");
    git(&folder, &["tag", "one"]);
    let scratch = scratch
        .file("staged", "kept\n")
        .file("rust/untracked", "kept\n");
    git(&folder, &["add", "staged"]);
    let scratch = scratch.file("rust/model/src/lib.rs", AFTER);
    (scratch, workspace)
}

/// Returns git's state of the working tree and the index.
fn state(workspace: &Path) -> (String, String, Vec<u8>) {
    let status = git(workspace, &["status", "--porcelain"]);
    let index = fs::read(workspace.join("../.git/index")).expect("there is an index");
    (status, git(workspace, &["stash", "list"]), index)
}

fn diff(workspace: &Path, args: &[&str]) -> Run {
    run(weigh(workspace).arg("diff").args(args))
}

fn changes(workspace: &Path, base: &str) -> Vec<Value> {
    diff(workspace, &[base, "--message-format", "json"])
        .expect(0)
        .json()
}

#[track_caller]
fn change<'a>(lines: &'a [Value], path: &str) -> &'a Value {
    let mut found = lines.iter().filter(|line| line["path"] == path);
    let line = found.next().unwrap_or_else(|| panic!("no {path}"));
    assert!(found.next().is_none(), "{path} twice");
    line
}

fn sizes(line: &Value) -> (Option<u64>, Option<u64>) {
    let size = |name| line[name].as_u64();
    (size("size_before"), size("size_after"))
}

fn bytes<B, A>() -> (Option<u64>, Option<u64>) {
    (Some(size_of::<B>() as u64), Some(size_of::<A>() as u64))
}

#[test]
fn a_file_and_a_revision_say_the_same_and_the_truth() {
    let (_scratch, workspace) = repository("diff-truth");
    let was = state(&workspace);
    let lines = changes(&workspace, "base.json");
    let of_revision = changes(&workspace, "one");
    let without_summary = |lines: &[Value]| lines[..lines.len() - 1].to_vec();
    assert_eq!(without_summary(&lines), without_summary(&of_revision));
    assert_eq!(state(&workspace), was, "the working tree is not ours");

    let token = change(&lines, "Token");
    assert_eq!(token["change"], "grew");
    assert_eq!(sizes(token), bytes::<before::Token, after::Token>());
    assert_eq!(token["causes"][0]["variant"], "Word");
    assert_eq!(token["causes"][0]["field"], "1");
    assert_eq!(token["causes"][0]["before"], Value::Null);
    assert_eq!(token["causes"][0]["after"]["type"], "Option<Box<str>>");
    assert_eq!(token["because_of"], Value::Null);
    assert_eq!(token["held_by"][0]["path"], "Line");

    // Through `Option` and an array, then in another package.
    let line = change(&lines, "Line");
    assert_eq!(sizes(line), bytes::<before::Line, after::Line>());
    assert_eq!(line["because_of"]["path"], "Token");
    let document = change(&lines, "Document");
    assert_eq!(document["package"], "app");
    assert_eq!(document["because_of"]["path"], "Token");

    let lean = change(&lines, "Lean");
    assert_eq!(lean["change"], "shrank");
    assert_eq!(sizes(lean), bytes::<before::Lean, after::Lean>());
    assert_eq!(lean["causes"][0]["field"], "second");
    assert_eq!(change(&lines, "Gone")["change"], "went");
    assert_eq!(change(&lines, "Fresh")["change"], "came");
    let mover = change(&lines, "new::Mover");
    assert_eq!(mover["change"], "moved");
    assert_eq!(mover["moved_from"]["path"], "old::Mover");

    let (last, rest) = of_revision.split_last().expect("a summary");
    assert_eq!(rest.len(), 7, "nothing else has changed: {rest:#?}");
    assert_eq!(last["change"], "summary");
    let commit = git(&workspace, &["rev-parse", "one"]);
    assert_eq!(last["base"]["commit"], commit.trim());
    assert_eq!(last["types"]["grew"], 3);
    // `Span`, `Pair<T>` and `Kept`.
    assert_eq!(last["same"], 3);

    // The same between commits, from a subdirectory.
    commit_all_and_compare(&workspace, &lines);
}

fn commit_all_and_compare(workspace: &Path, lines: &[Value]) {
    commit(workspace, "two");
    let again = changes(&workspace.join("app"), "HEAD~1");
    assert_eq!(again[..again.len() - 1], lines[..lines.len() - 1]);
    let same = changes(workspace, "HEAD");
    assert_eq!(same.len(), 1, "only the summary: {same:?}");
}

#[test]
fn growth_fails_where_it_is_to_fail() {
    let (_scratch, workspace) = repository("diff-fail");
    let status = |limit: &str| diff(&workspace, &["base.json", "--fail-on", limit]).code;
    assert_eq!(diff(&workspace, &["base.json"]).code, 0);
    assert_eq!((status("growth"), status("growth=100000")), (1, 0));
    let said = diff(&workspace, &["base.json", "--fail-on", "growth"]);
    said.says(&["3 types grew"]);
    // A type that was only added, removed or moved did not grow.
    let lean = BEFORE.replace("pub second: u64,", "");
    fs::write(workspace.join("model/src/lib.rs"), lean).expect("ours");
    assert_eq!(status("growth"), 0);
}

#[test]
#[ignore = "slow: .ci/slow tests"]
fn people_and_comments() {
    let (_scratch, workspace) = repository("diff-text");
    let said = diff(&workspace, &["one"]).expect(0);
    let at = |text: &str| {
        said.stdout
            .find(text)
            .unwrap_or_else(|| panic!("{}", said.stdout))
    };
    assert!(at("grew:") < at("model: Token"));
    assert!(at("model: Token") < at("new field `1: Option<Box<str>>` of `Word`"));
    assert!(at("with it `model: Line`") < at("shrank:"));
    assert!(at("`model: old::Mover` to `model: new::Mover`") < at("3 grew"));
    let quiet = diff(&workspace, &["one", "-q"]).expect(0);
    assert!(said.stdout.starts_with(&quiet.stdout) && quiet.stderr.is_empty());

    let said = diff(&workspace, &["one", "--markdown"]).expect(0);
    let growth = size_of::<after::Token>() - size_of::<before::Token>();
    let row = said
        .stdout
        .lines()
        .find(|l| l.starts_with("| `model: Token`"));
    let row = row.unwrap_or_else(|| panic!("{}", said.stdout));
    assert_eq!(row.matches(" | ").count(), 4, "{row}");
    assert!(row.contains(&format!("| **+{growth}** |")), "{row}");
    assert!(row.contains("with it"), "{row}");
    assert!(said.stdout.starts_with("### Type sizes since `one`"));
}

#[test]
fn what_cannot_be_compared_with() {
    let (scratch, workspace) = repository("diff-errors");
    let fails = |base: &str, words: &[&str]| {
        let said = diff(&workspace, &[base]).expect(2).says(words);
        assert!(said.stdout.is_empty(), "{said:?}");
    };
    fails(
        "nowhere",
        &["`nowhere`", "neither a file nor a git revision"],
    );
    fails("one..HEAD", &["neither a file nor a git revision"]);
    fails("empty", &["`empty`", "no `rust/Cargo.toml`"]);
    let text = fs::read_to_string(workspace.join("base.json")).expect("it was written");
    let broken = text.replacen("\"size\"", "size", 1);
    let line = broken.lines().position(|l| l.contains(",size"));
    let line = format!("line {}", line.expect("it was changed") + 1);
    let scratch = scratch.file("rust/base.json", broken);
    fails("base.json", &["`base.json` is not a snapshot", &line]);
    let marks = text.replacen("\"types\"", "<<<<<<< ours\n\"types\"", 1);
    let scratch = scratch.file("rust/base.json", marks);
    fails(
        "base.json",
        &["merge conflict", "snapshot` writes a new one"],
    );
    let document: Value = serde_json::from_str(&text).expect("it is JSON");
    let rustc = document["rustc"].as_str().expect("it says the release");
    let other = text
        .replace(rustc, "1.0.0")
        .replace("\"target\": \"", "\"target\": \"else");
    let scratch = scratch.file("rust/base.json", other);
    let said = diff(&workspace, &["base.json"]).expect(0);
    said.says(&["are for rustc 1.0.0", "are for else"]);

    // A dependency outside the repository.
    let away = "\n[dependencies]\naway = { path = \"../../../away\" }\n";
    let scratch = scratch.file("rust/model/Cargo.toml", format!("{MODEL}{away}"));
    commit(&workspace, "away");
    let _scratch = scratch.file("rust/model/Cargo.toml", MODEL);
    fails("HEAD", &["away", "help: a path dependency"]);

    let mut outside = weigh(&workspace);
    outside.env("GIT_CEILING_DIRECTORIES", workspace.join(".."));
    fs::rename(workspace.join("../.git"), workspace.join("../not-git")).expect("ours");
    let said = run(outside.args(["diff", "one"])).expect(2);
    said.says(&["`one` is neither a file nor a git revision"]);
}

#[test]
fn a_snapshot_is_the_same_each_time_and_whole() {
    let (_scratch, workspace) = repository("diff-snapshot");
    let written = || fs::read(workspace.join("weigh.sizes.json")).expect("it was written");
    run_in(&workspace, &["snapshot"])
        .expect(0)
        .says(&["9 types"]);
    let first = written();
    run_in(&workspace.join("app"), &["snapshot"]).expect(0);
    assert_eq!(
        written(),
        first,
        "from a member it is the whole workspace all the same"
    );
    let text = String::from_utf8_lossy(&first).into_owned();
    let paths = text.lines().filter(|l| l.contains("\"path\""));
    let sorted: Vec<_> = paths.collect();
    assert_eq!(sorted.len(), 9, "one a line");
    assert!(!text.contains(&*workspace.to_string_lossy()), "{text}");
    let generic = sorted
        .iter()
        .find(|l| l.contains("\"path\":\"Pair\""))
        .expect("it is there");
    assert!(generic.contains("generic parameter") && generic.contains("\"size\":null"));

    // For one package, types of others do not count as removed.
    let said = diff(
        &workspace,
        &["weigh.sizes.json", "-p", "app", "--message-format", "json"],
    );
    let said = said.expect(0).says(&["package `model`"]);
    assert_eq!(said.json().len(), 1, "{said:?}");

    // An unreadable file would leave a gap.
    fs::write(workspace.join("app/src/lib.rs"), "struct Broken {").expect("ours");
    run_in(&workspace, &["snapshot"])
        .expect(2)
        .says(&["app/src/lib.rs", "no snapshot"]);
    assert_eq!(written(), first);
}

#[test]
fn repositories_with_links_submodules_and_large_files() {
    let scratch = Scratch::library(
        "diff-odd",
        "mod kept;\n#[path = \"../blob.rs\"]\nmod blob;\n",
    )
    .file(".gitignore", "target\nCargo.lock\n")
    .file("src/kept.rs", "pub struct Kept(u8);\n")
    .file(
        "blob.rs",
        "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n",
    );
    let folder = scratch.folder().to_owned();
    git(&folder, &["init", "--quiet"]);
    #[cfg(unix)]
    {
        fs::rename(folder.join("src/kept.rs"), folder.join("linked.rs")).expect("ours");
        std::os::unix::fs::symlink("../linked.rs", folder.join("src/kept.rs")).expect("ours");
    }
    commit(&folder, "one");
    let id = git(&folder, &["rev-parse", "HEAD"]);
    for path in ["vendored", "vendored-too", "vendored-3"] {
        let module = format!("160000,{},{path}", id.trim());
        git(&folder, &["update-index", "--add", "--cacheinfo", &module]);
    }
    git(&folder, &["commit", "--quiet", "--message", "two"]);
    let scratch = scratch.file("blob.rs", "pub struct Blob(u8);\n").file(
        "src/lib.rs",
        "mod kept;\n#[path = \"../blob.rs\"]\nmod blob;\nstruct Kept(u64);\n",
    );
    // Unreadable files are reported, and the rest is compared.
    let said = diff(scratch.folder(), &["HEAD"]).expect(2);
    let said = said.says(&[
        "3 paths are omitted, the first is `vendored`: a submodule",
        "`blob.rs` is omitted",
    ]);
    let said = said.says(&["has no `Cargo.lock`"]);
    assert!(said.stdout.contains("2 added; 1 unchanged"), "{said:?}");
}

#[test]
fn a_package_that_was_no_workspace_is_not_taken_for_a_member_of_this_one() {
    let scratch =
        Scratch::library("diff-alone", "pub struct A(u8);\n").file(".gitignore", "target\n");
    let folder = scratch.folder().to_owned();
    let manifest = fs::read_to_string(folder.join("Cargo.toml")).expect("it was written");
    let alone = manifest.replace("[workspace]\n", "");
    let scratch = scratch.file("Cargo.toml", alone);
    git(&folder, &["init", "--quiet"]);
    commit(&folder, "one");
    let scratch = scratch
        .file("Cargo.toml", manifest)
        .file("src/lib.rs", "pub struct A(u64);\n");
    let lines = changes(scratch.folder(), "HEAD");
    assert_eq!(sizes(change(&lines, "A")), (Some(1), Some(8)));
}
