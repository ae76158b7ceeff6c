//! Tests the output for editors: cargo's messages, fixes that rustfix can apply, and both in
//! rust-analyzer and Neovim where installed.

use cargo_metadata::diagnostic::{Applicability, Diagnostic, DiagnosticSpan};
use cargo_metadata::{CompilerMessage, Message};
use serde_json::{Value, json};
use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use weigh_tests::analyzer::{self, Analyzer, Texts};
use weigh_tests::project::Scratch;
use weigh_tests::{
    Run, cargo, fixture, path_with_program, program, repository, run, run_in, weigh,
};

/// Its enum follows characters of two and four bytes on the same line; it also has a rustc warning.
const MAIN: &str = "\
fn main() {
    let unused = size_of::<Event>();
}

/* é🦀 */ pub enum Event { Tick, Frame([u8; 4096]), Key(u8) }
";

/// Creates a binary with one finding.
fn demo(scratch: Scratch) -> Scratch {
    let manifest =
        "[package]\nname = \"demo\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[workspace]\n";
    scratch
        .file("Cargo.toml", manifest)
        .file("src/main.rs", MAIN)
}

/// Creates a workspace: a member that depends on another, and an independent one.
fn three(scratch: Scratch) -> Scratch {
    let member = |name: &str, rest: &str| {
        format!("[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n{rest}")
    };
    let of_a = "pub enum A { Small, Large([u8; 512]) }\n";
    scratch
        .file(
            "Cargo.toml",
            "[workspace]\nmembers = [\"a\", \"b\", \"c\"]\nresolver = \"3\"\n",
        )
        .file("a/Cargo.toml", member("a", ""))
        .file("a/src/lib.rs", of_a)
        .file(
            "b/Cargo.toml",
            member("b", "\n[dependencies]\na = { path = \"../a\" }\n"),
        )
        .file("b/src/main.rs", "fn main() {}\npub struct B(pub a::A);\n")
        .file("c/Cargo.toml", member("c", ""))
        .file("c/src/lib.rs", "pub struct C(pub u8);\n")
}

/// Parses the lines of a run as cargo messages; each must be one.
fn messages(said: &Run) -> Vec<Message> {
    let parse = |line: &str| {
        serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}\n{}", said.stderr))
    };
    said.stdout.lines().map(parse).collect()
}

fn findings(messages: &[Message]) -> Vec<&CompilerMessage> {
    let mut list = Vec::new();
    for message in messages {
        if let Message::CompilerMessage(message) = message
            && let Some(code) = &message.message.code
            && code.code.starts_with("weigh::")
        {
            list.push(message);
        }
    }
    list
}

/// Returns the names of the analysed packages, in order.
fn analysed(messages: &[Message]) -> Vec<&str> {
    let mut names = Vec::new();
    for message in messages {
        if let Message::CompilerArtifact(artifact) = message {
            assert!(
                !artifact.fresh,
                "an editor clears nothing for what is fresh"
            );
            names.push(artifact.target.name.as_str());
        }
    }
    names
}

fn succeeded(messages: &[Message]) -> bool {
    let ends = |m: &&Message| matches!(m, Message::BuildFinished(_));
    assert_eq!(messages.iter().filter(ends).count(), 1, "one end");
    match messages.last() {
        Some(Message::BuildFinished(end)) => end.success,
        other => panic!("the last line is {other:?}"),
    }
}

/// Returns the children that an editor turns into fixes: those with replacements.
fn fixes(diagnostic: &Diagnostic) -> Vec<&Diagnostic> {
    let edits = |child: &&Diagnostic| child.spans.iter().any(is_edit);
    diagnostic.children.iter().filter(edits).collect()
}

fn is_edit(span: &DiagnosticSpan) -> bool {
    span.suggested_replacement.is_some()
}

/// Applies one fix to a file with rustfix.
fn applied(child: &Diagnostic, code: &str) -> String {
    let around = json!({
        "message": "", "code": null, "level": "warning", "spans": [], "rendered": null,
        "children": [child]
    });
    let only = HashSet::new();
    let suggestions =
        rustfix::get_suggestions_from_json(&around.to_string(), &only, rustfix::Filter::Everything);
    let suggestions = suggestions.expect("rustfix reads it");
    assert_eq!(suggestions.len(), 1, "one fix a child: {child:?}");
    rustfix::apply_suggestions(code, &suggestions).expect("rustfix applies it")
}

#[test]
fn every_line_is_cargos() {
    for folder in ["showcase", "budgets", "hprof"] {
        let said = run_in(&fixture(folder), &["--message-format", "json", "-W", "all"]).expect(0);
        let messages = messages(&said);
        assert!(succeeded(&messages));
        for finding in findings(&messages) {
            let message = &finding.message;
            assert!(message.spans.iter().any(|s| s.is_primary), "{message:?}");
            assert!(message.rendered.is_some(), "{message:?}");
            let spans = message.children.iter().flat_map(|c| &c.spans);
            for span in spans.chain(&message.spans) {
                assert!(!span.text.is_empty(), "columns need the line: {span:?}");
            }
            let last = message.children.last().expect("the address of the lint");
            assert!(last.message.contains("https://"), "{last:?}");
        }
    }
}

#[test]
fn columns_count_characters() {
    let demo = demo(Scratch::empty("editor-columns"));
    let said = run_in(demo.folder(), &["--message-format", "json"]).expect(0);
    let messages = messages(&said);
    let found = findings(&messages);
    let [finding] = found.as_slice() else {
        panic!("{}", said.stdout)
    };
    let spans = finding.message.children.iter().flat_map(|c| &c.spans);
    let mut words = HashSet::new();
    for span in spans.chain(&finding.message.spans) {
        let text = &MAIN[span.byte_start as usize..span.byte_end as usize];
        let line = MAIN.lines().nth(span.line_start - 1).expect("a line");
        assert_eq!(span.text[0].text, line);
        // The insertion point of a comment is empty.
        let above = MAIN[..span.byte_start as usize].rfind('\n');
        let before = &MAIN[above.map_or(0, |at| at + 1)..span.byte_start as usize];
        let column = before.chars().count() + 1;
        let end = column + text.chars().count();
        assert_eq!(
            (span.column_start, span.column_end),
            (column, end),
            "{text}"
        );
        words.insert(text);
    }
    assert!(
        words.is_superset(&HashSet::from(["Frame", "Event"])),
        "{words:?}"
    );
}

/// Returns the fixtures that are a single package and depend on nothing outside.
fn packages() -> Vec<PathBuf> {
    let all = fs::read_dir(fixture("")).expect("the fixtures");
    let folders = all.map(|entry| entry.expect("an entry").path());
    let mut list: Vec<_> = folders
        .filter(|f| f.join("src").is_dir() && stands_alone(f))
        .collect();
    list.sort();
    list
}

fn stands_alone(folder: &Path) -> bool {
    let manifest = fs::read_to_string(folder.join("Cargo.toml")).expect("a manifest");
    !manifest.contains("path = \"../..")
}

#[test]
#[ignore = "slow: .ci/slow editor"]
fn remedies_are_fixes_of_their_own_and_give_what_they_say() {
    let mut several = 0;
    let mut tried = 0;
    for folder in packages() {
        let said = run_in(&folder, &["--message-format", "json", "-W", "all"]);
        let lines = said.findings();
        let messages = messages(&said);
        for (line, finding) in lines.iter().zip(findings(&messages)) {
            let list = fixes(&finding.message);
            several += usize::from(list.len() > 1);
            assert!(
                list.iter().filter(|c| is_certain(c)).count() <= 1,
                "a fixer applies all that are certain, one after the other"
            );
            for child in list {
                tried += usize::from(try_fix(&folder, child, &line["weigh"]));
            }
        }
    }
    println!("{tried} fixes tried");
    assert!(tried > 8, "{tried} fixes tried");
    assert!(several > 0, "no finding has more than one fix");
}

fn is_certain(child: &Diagnostic) -> bool {
    let mut edits = child.spans.iter().filter(|span| is_edit(span));
    edits.all(|span| span.suggestion_applicability == Some(Applicability::MachineApplicable))
}

/// Applies a fix and asserts the promised size of the type (`edits` compiles them); returns false
/// if none was promised or the fix spans several files.
fn try_fix(folder: &Path, child: &Diagnostic, weigh: &Value) -> bool {
    let file = &child.spans[0].file_name;
    let promised = child.message.rsplit_once(" → ");
    let of = promised.and_then(|(before, _)| Some(before.rsplit_once('`')?.0.rsplit_once('`')?.1));
    let promised = promised.and_then(|(_, size)| size.strip_suffix(" bytes"));
    let promised = promised.and_then(|size| size.parse::<u64>().ok());
    let Some(size) = promised.filter(|_| child.spans.iter().all(|s| s.file_name == *file)) else {
        return false;
    };
    let code = fs::read_to_string(folder.join(file)).expect("a file of the fixture");
    // Some share a file outside the package.
    let shared = fs::read(fixture("counting.rs")).expect("a source");
    let copy = Scratch::empty("editor-fixes")
        .copy(folder, "package/")
        .file(&format!("package/{file}"), applied(child, &code))
        .file("counting.rs", shared);
    let package = copy.folder().join("package");
    let said = run_in(&package, &["sizes", "--message-format", "json"]).expect(0);
    // The type, or one that contains it and shrinks too.
    let ripple = weigh["remedies"].as_array().into_iter().flatten();
    let ripple = ripple.flat_map(|r| r["ripple"].as_array().into_iter().flatten());
    let mut paths = std::iter::once(&weigh["type"])
        .chain(ripple.map(|r| &r[0]))
        .filter_map(Value::as_str);
    let ends = |path: &&str| path.rsplit("::").next() == of;
    let line = said.size_of(paths.find(ends).expect("a type"));
    // Sizes of generic instances are not listed.
    let generic = line["generics"].as_array().is_some_and(|g| !g.is_empty());
    assert!(
        generic || line["size"] == size,
        "{size} was promised: {line}"
    );
    true
}

#[test]
fn what_rust_analyzer_passes() {
    let three = three(Scratch::empty("editor-arguments"));
    let manifest = three.folder().join("Cargo.toml");
    let manifest = manifest.to_str().expect("a plain path");
    let at_start = [
        "--workspace",
        "--message-format=json",
        "--manifest-path",
        manifest,
        "--keep-going",
        "--all-targets",
    ];
    let said = run_in(three.folder(), &at_start).expect(0);
    let all = messages(&said);
    assert_eq!(
        analysed(&all),
        ["a", "b", "c"],
        "also where nothing is found"
    );
    assert_eq!(findings(&all).len(), 1);

    let id = format!("path+file://{}/b#0.1.0", three.folder().display());
    let on_save = [
        "-p",
        &id,
        "--bin",
        "b",
        "--message-format=json-diagnostic-rendered-ansi",
        "--manifest-path",
        manifest,
        "--keep-going",
    ];
    let said = run_in(three.folder(), &on_save).expect(0);
    let one = messages(&said);
    assert_eq!(analysed(&one), ["b", "a"], "what it is built from as well");
    assert!(succeeded(&one));

    let gone = id.replace("/b#", "/d#");
    let said = run_in(three.folder(), &["-p", &gone]).expect(2);
    said.says(&["/d#0.1.0"]);
}

/// Returns the lines of several runs, sorted.
fn sorted<'r>(runs: &[&'r Run]) -> Vec<&'r str> {
    let mut lines: Vec<_> = runs.iter().flat_map(|run| run.stdout.lines()).collect();
    lines.sort_unstable();
    lines
}

/// Returns cargo's output for a project that has been checked before.
fn of_cargo(folder: &Path, command: &str) -> Run {
    let mut cargo = cargo();
    cargo.current_dir(folder).env_remove("CARGO_TARGET_DIR");
    run(cargo.args([command, "--message-format", "json"]))
}

#[test]
fn cargo_runs_beside() {
    let text = "pub enum E { A, B([u8; 999]) }\nfn unused() {}\n";
    let project = Scratch::library("editor-beside", text);
    of_cargo(project.folder(), "check").expect(0);
    let theirs = of_cargo(project.folder(), "check").expect(0);
    let ours = run_in(project.folder(), &["--message-format", "json"]).expect(0);
    let arguments = ["--with", "check", "--message-format", "json"];
    let both = run_in(project.folder(), &arguments).expect(0);
    let mut expected = sorted(&[&theirs, &ours]);
    expected.dedup(); // Only one `build-finished` line is left.
    assert_eq!(sorted(&[&both]), expected);
    let messages = messages(&both);
    assert!(succeeded(&messages));
    assert!(both.stdout.contains("dead_code"), "{}", both.stdout);
    assert!(both.stderr.contains("Finished"), "{}", both.stderr);

    // In a file they are joined as well.
    let said = run_in(
        project.folder(),
        &[&arguments[..], &["--output", "lines.json"]].concat(),
    );
    assert_eq!(said.expect(0).stdout, "");
    let file = fs::read_to_string(project.folder().join("lines.json")).expect("it was written");
    let mut lines: Vec<_> = file.lines().collect();
    assert!(lines.last().is_some_and(|l| l.contains("build-finished")));
    lines.sort_unstable();
    assert_eq!(lines, expected);

    // In human-readable output, cargo's comes first.
    let said = run_in(project.folder(), &["--with", "clippy", "-D", "warnings"]).expect(1);
    assert!(said.stdout.starts_with("error[weigh::"), "{}", said.stdout);
    let order = |word: &str| {
        said.stderr
            .find(word)
            .unwrap_or_else(|| panic!("no {word}"))
    };
    assert!(order("unused") < order("Finished") && order("Finished") < order("Weighed"));
}

#[test]
fn code_that_does_not_compile() {
    let text = "pub enum E { A, B([u8; 999]) }\npub const N: u8 = \"\";\n";
    let project = Scratch::library("editor-broken", text);
    let arguments = ["--with", "check", "--message-format", "json"];
    let said = run_in(project.folder(), &arguments).expect(2);
    let messages = messages(&said);
    assert!(!succeeded(&messages));
    assert_eq!(findings(&messages).len(), 1, "what we can say is said");
    assert!(said.stdout.contains("E0308"), "{}", said.stdout);
    let said = said.says(&["`cargo check` failed"]);
    assert!(!said.stderr.contains("panicked"));
    let said = run_in(project.folder(), &["--with", "check", "-q"]).expect(2);
    said.says(&["mismatched types"]);
    // Both reject a package that does not exist.
    run_in(project.folder(), &["--with", "check", "-p", "nothing"])
        .expect(2)
        .says(&["`nothing`"]);
}

/// Replaces cargo by a program that writes its process id and keeps running.
#[cfg(unix)]
#[test]
fn cargo_ends_when_we_are_ended() {
    use std::os::unix::fs::PermissionsExt;
    use std::time::{Duration, Instant};
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let script = format!(
        "#!/bin/sh\nif [ \"$1\" = check ]; then echo $$ > check.pid; exec sleep 600; fi\nexec '{cargo}' \"$@\"\n"
    );
    let project = Scratch::library("editor-ended", "").file("cargo.sh", script);
    let script = project.folder().join("cargo.sh");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).expect("it is ours");
    let mut ours = weigh(project.folder())
        .args(["--with", "check"])
        .env("CARGO", script)
        .spawn()
        .expect("it starts");
    let written = project.folder().join("check.pid");
    let end = Instant::now() + Duration::from_secs(60);
    let theirs = loop {
        let text = fs::read_to_string(&written).unwrap_or_default();
        if text.ends_with('\n') {
            break text.trim().to_owned();
        }
        assert!(Instant::now() < end, "cargo is not started");
        std::thread::sleep(Duration::from_millis(20));
    };
    let kill = |signal: &str, process: &str| {
        run(std::process::Command::new("kill").args([signal, process]))
    };
    assert_eq!(kill("-0", &theirs).code, 0, "it runs");
    kill("-TERM", &ours.id().to_string());
    let status = ours.wait().expect("it ends");
    assert!(!status.success());
    while kill("-0", &theirs).code == 0 {
        assert!(Instant::now() < end, "cargo runs on");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Returns the installed rust-analyzer; prints a note if there is none.
fn server() -> Option<PathBuf> {
    let found = analyzer::installed();
    if found.is_none() {
        println!("skipped: no rust-analyzer is installed, and RUST_ANALYZER names none");
    }
    found
}

/// End to end: a check at start, a fix applied, a check on save.
#[test]
#[ignore = "slow: .ci/slow editor"]
fn in_rust_analyzer() {
    let Some(server) = server() else { return };
    const FILE: &str = "src/main.rs";
    let demo = demo(Scratch::outside("weigh-editor"));
    let check = json!({"command": "weigh", "extraArgs": ["--with", "check"]});
    let mut editor = Analyzer::start(&server, demo.folder(), check);
    editor.open(FILE);
    editor.checked(1);
    let shown = editor.shown(FILE, "weigh");
    let is_finding = |d: &&Value| d["severity"] == 2;
    let finding = shown
        .iter()
        .find(is_finding)
        .unwrap_or_else(|| panic!("{shown:?}"));
    assert_eq!(finding["code"], "oversized_variant");
    // `Frame` in UTF-16 columns: the crab is two code units.
    let line = MAIN.lines().nth(4).expect("the line of the enum");
    let before = &line[..line.find("Frame").expect("it is there")];
    let column = before.encode_utf16().count();
    assert_eq!(
        finding["range"]["start"],
        json!({"line": 4, "character": column})
    );
    assert_eq!(finding["range"]["end"]["character"], column + "Frame".len());
    assert!(
        !editor.shown(FILE, "rustc").is_empty(),
        "what `cargo check` says is shown as well"
    );

    let fixes = editor.fixes(FILE, finding);
    let boxed = |(title, texts): &&(String, Texts)| {
        title.contains("box") && texts[FILE].contains("Frame(Box<[u8; 4096]>)")
    };
    let fix = fixes
        .iter()
        .find(boxed)
        .unwrap_or_else(|| panic!("{fixes:?}"));
    editor.save_all(&fix.1);
    assert_eq!(editor.shown(FILE, "weigh"), Vec::<Value>::new());
    assert!(!editor.shown(FILE, "rustc").is_empty());
    editor.save(FILE, MAIN);
    assert_eq!(editor.shown(FILE, "weigh"), shown);
}

/// Uses README's settings in a headless Neovim. They are sent once the server runs, as
/// nvim-lspconfig does in versions without `vim.lsp.config`.
#[test]
#[ignore = "slow: .ci/slow editor"]
fn in_neovim() {
    let Some(server) = server() else { return };
    let asked = Command::new("nvim").arg("--version").output();
    if !asked.is_ok_and(|o| o.status.success()) {
        println!("skipped: needs nvim");
        return;
    }
    let readme = fs::read_to_string(repository().join("README.md")).expect("there is one");
    let check = readme.lines().find(|l| l.starts_with("local check = "));
    let script = SCRIPT
        .replace("SERVER", server.to_str().expect("a plain path"))
        .replace("CHECK", check.expect("the settings in Lua"));
    let demo = demo(Scratch::outside("weigh-neovim")).file("settings.lua", script);
    let mut nvim = Command::new("nvim");
    nvim.current_dir(demo.folder())
        .args([
            "--headless",
            "-n",
            "-u",
            "NONE",
            "-c",
            "luafile settings.lua",
            // Also after an error in the script.
            "-c",
            "qall!",
        ])
        .env("PATH", path_with_program(program()))
        .env_remove("CARGO_TARGET_DIR");
    let said = run(&mut nvim);
    // A headless Neovim prints to stderr unless told to write to stdout.
    let expected = "weigh oversized_variant 5\n";
    assert!(said.stdout.contains(expected), "{said:?}");
    assert!(
        said.stdout.contains("rustc unused_variables 2\n"),
        "{said:?}"
    );
}

/// Prints source, code and line of each warning.
const SCRIPT: &str = r#"
CHECK
vim.cmd("edit src/main.rs")
local id = vim.lsp.start_client({
  name = "rust_analyzer",
  cmd = { "SERVER" },
  root_dir = vim.fn.getcwd(),
  settings = { ["rust-analyzer"] = { check = check } },
  on_init = function(client)
    client.notify("workspace/didChangeConfiguration", { settings = client.config.settings })
  end,
})
vim.lsp.buf_attach_client(0, id)
local function warnings(source)
  return vim.tbl_filter(function(d)
    return d.source == source and d.severity == vim.diagnostic.severity.WARN
  end, vim.diagnostic.get())
end
vim.wait(180000, function()
  return #warnings("weigh") > 0 and #warnings("rustc") > 0
end, 200)
for _, source in ipairs({ "weigh", "rustc" }) do
  for _, d in ipairs(warnings(source)) do
    io.stdout:write(source, " ", d.code, " ", d.lnum + 1, "\n")
  end
end
vim.lsp.stop_client(id, true)
vim.cmd("qall!")
"#;

/// Applies the preferred fix of each finding in the showcase to all its files: they compile, and
/// the next check no longer reports the finding.
#[test]
#[ignore = "slow: .ci/slow editor"]
fn fixes_in_rust_analyzer() {
    let Some(server) = server() else { return };
    let showcase = Scratch::outside("weigh-fixes").copy(&fixture("showcase"), "");
    let mut editor = Analyzer::start(&server, showcase.folder(), json!({"command": "weigh"}));
    let sources = fs::read_dir(showcase.folder().join("src")).expect("a folder");
    let names = sources.map(|entry| entry.expect("a file").file_name().into_string());
    let mut files: Vec<String> = names
        .map(|name| format!("src/{}", name.expect("text")))
        .collect();
    files.sort();
    for file in &files {
        editor.open(file);
    }
    editor.checked(1);
    let mut applied = 0;
    let mut most_files = 0;
    for file in &files {
        for finding in editor.shown(file, "weigh") {
            if finding["severity"] != 2 {
                continue;
            }
            // Earlier fixes moved or resolved it; its notes may name other lines now.
            let said = |d: &Value| {
                let text = d["message"].as_str().unwrap_or_default();
                text.lines().next().unwrap_or_default().to_owned()
            };
            let same = |d: &Value| d["severity"] == 2 && said(d) == said(&finding);
            let shown = editor.shown(file, "weigh");
            let Some(now) = shown.iter().find(|d| same(d)) else {
                println!("not there any more: {}", said(&finding));
                continue;
            };
            let fixes = editor.preferred(file, now);
            let Some((title, texts)) = fixes.first() else {
                println!("no fix: {}", said(now));
                continue;
            };
            println!("{file}: {title}: {} files", texts.len());
            editor.save_all(texts);
            let mut check = cargo();
            check.current_dir(showcase.folder());
            run(check.args(["check", "--all-targets", "--offline", "--quiet"])).expect(0);
            let shown = editor.shown(file, "weigh");
            assert!(!shown.iter().any(same), "{title}: {shown:?}");
            applied += 1;
            most_files = most_files.max(texts.len());
        }
    }
    assert!(
        applied >= 3 && most_files >= 2,
        "{applied} fixes, {most_files} files"
    );
}

/// Saving a binary's file checks that package alone: findings in the libraries that it depends on
/// stay.
#[test]
#[ignore = "slow: .ci/slow editor"]
fn in_a_workspace_in_rust_analyzer() {
    let Some(server) = server() else { return };
    let of_b = "pub enum B { Small, Large([u8; 600]) }\n";
    let three = three(Scratch::outside("weigh-workspace"))
        .file("b/src/lib.rs", of_b)
        .file("c/src/lib.rs", of_b);
    let mut editor = Analyzer::start(&server, three.folder(), json!({"command": "weigh"}));
    let files = [
        "a/src/lib.rs",
        "b/src/lib.rs",
        "b/src/main.rs",
        "c/src/lib.rs",
    ];
    for file in files {
        editor.open(file);
    }
    editor.checked(1);
    let shown = |editor: &Analyzer| files.map(|file| !editor.shown(file, "weigh").is_empty());
    assert_eq!(shown(&editor), [true, true, false, true]);
    let main = "fn main() {}\nenum Own { Small, Large([u8; 700]) }\n";
    editor.save("b/src/main.rs", main);
    assert_eq!(shown(&editor), [true, true, true, true]);
    editor.save("b/src/main.rs", "fn main() {}\n");
    assert_eq!(shown(&editor), [true, true, false, true]);
    editor.save("a/src/lib.rs", "pub struct A;\n");
    assert_eq!(shown(&editor), [false, true, false, true]);
}
