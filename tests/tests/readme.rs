//! The commands, recipes and code in the README and in `--help` work as shown.

use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::Command;
use weigh_tests::project::Scratch;
use weigh_tests::{Run, cargo, few, fixture, path_with_program, program, repository, run, run_in};

fn readme() -> String {
    fs::read_to_string(repository().join("README.md")).expect("there is one")
}

/// Returns the fenced blocks of a text: language and content.
fn blocks(text: &str) -> Vec<(&str, &str)> {
    let mut parts = text.split("\n```");
    let mut list = Vec::new();
    parts.next();
    while let (Some(block), Some(_)) = (parts.next(), parts.next()) {
        list.push(block.split_once('\n').unwrap_or((block, "")));
    }
    list
}

fn of_language<'t>(text: &'t str, language: &str) -> Vec<&'t str> {
    let all = blocks(text).into_iter();
    all.filter(|(l, _)| *l == language)
        .map(|(_, content)| content)
        .collect()
}

/// Creates a checkout of the sample crate outside of this repository, with a git history.
fn sample(name: &str) -> Scratch {
    let scratch = Scratch::outside(name).copy(&fixture("showcase"), "fixtures/showcase/");
    git(&scratch, &["init", "--quiet", "--initial-branch=main"]);
    commit(&scratch);
    git(
        &scratch,
        &["update-ref", "refs/remotes/origin/main", "HEAD"],
    );
    scratch
}

fn git(sample: &Scratch, arguments: &[&str]) {
    let mut git = Command::new("git");
    git.current_dir(sample.folder());
    git.args(["-c", "user.name=a", "-c", "user.email=a@example.com"]);
    run(git.args(arguments)).expect(0);
}

fn commit(sample: &Scratch) {
    git(sample, &["add", "--all"]);
    git(
        sample,
        &["commit", "--quiet", "--allow-empty", "--message=sample"],
    );
}

/// Runs a line in a shell, with the tested program as `cargo weigh`. The sample has findings, so a
/// line that denies them ends with status 1, and all others with 0.
fn try_line(sample: &Scratch, line: &str) -> Run {
    let folder = match line.contains("fixtures/") {
        true => sample.folder().to_owned(),
        false => sample.folder().join("fixtures/showcase"),
    };
    if line.contains(" fix") {
        // `fix` refuses to run over uncommitted files of other lines.
        commit(sample);
    }
    let mut shell = Command::new("sh");
    let said = run(shell
        .current_dir(&folder)
        .args(["-c", line])
        .env("PATH", path_with_program(program()))
        .env_remove("CARGO_TARGET_DIR")
        .env_remove("GITHUB_STEP_SUMMARY"));
    let expected = i32::from(line.contains(" -D "));
    assert_eq!(
        said.code, expected,
        "{line}\n{}{}",
        said.stdout, said.stderr
    );
    match line.split("--output ").nth(1) {
        Some(file) => assert!(folder.join(file).is_file(), "{line}: writes nothing"),
        None => assert!(
            !(said.stdout.is_empty() && said.stderr.is_empty()),
            "{line}: says nothing"
        ),
    }
    assert!(!said.stderr.contains("error:"), "{line}\n{}", said.stderr);
    said
}

/// Returns the `cargo weigh` command in a line, without the comment after it.
fn command(line: &str) -> Option<&str> {
    let line = line.split(" #").next().unwrap_or(line).trim();
    line.starts_with("cargo weigh").then_some(line)
}

#[test]
fn each_line_of_the_console() {
    let text = readme();
    let sample = sample("weigh-readme");
    let (mut ours, mut others) = (Vec::new(), Vec::new());
    for block in of_language(&text, "console") {
        for line in block.lines().filter_map(|line| line.strip_prefix("$ ")) {
            match command(line) {
                Some(line) => ours.push(line),
                None => others.push(line.split(" #").next().unwrap_or(line).trim()),
            }
        }
    }
    let said: Vec<Run> = (few(&ours, 4).iter().map(|line| try_line(&sample, line))).collect();
    // These are not run: the first one is this test run.
    assert_eq!(
        others,
        [
            "cargo test --workspace",
            "cargo install --path lint --locked"
        ]
    );
    let shown = of_language(&text, "text");
    // The others are of projects that are not here.
    let of_sample = |text: &&&str| text.contains("src/document.rs");
    let mut shown = shown.iter().filter(of_sample);
    let shown = shown.next().expect("an example of what is printed");
    let mut tried = ours.iter().zip(&said);
    let of_sample = tried.find(|(line, _)| line.contains("showcase"));
    let said = &of_sample.expect("the sample is tried").1.stdout;
    assert!(
        said.contains(shown),
        "README shows\n{shown}\n\nbut this is said\n{said}"
    );
}

#[test]
#[ignore = "slow: .ci/slow tests"]
fn each_example_of_the_help() {
    let help = run_in(&fixture("showcase"), &["--help"]).expect(0).stdout;
    let examples = help.split("Examples:\n").nth(1).expect("examples");
    let sample = sample("weigh-help");
    let mut tried = 0;
    for line in examples.lines().take_while(|line| line.starts_with("  ")) {
        let words = line.trim().split("  ").next().unwrap_or_default();
        try_line(&sample, command(words).expect("a command of ours"));
        tried += 1;
    }
    assert!(tried > 3, "{examples}");
}

/// Lists all strings in a value, with their keys.
fn texts<'v>(value: &'v Value, key: &'v str, list: &mut Vec<(&'v str, &'v str)>) {
    match value {
        Value::String(text) => list.push((key, text)),
        Value::Array(items) => items.iter().for_each(|item| texts(item, key, list)),
        Value::Object(map) => map.iter().for_each(|(key, value)| texts(value, key, list)),
        _ => {}
    }
}

fn yaml(text: &str) -> Value {
    serde_yaml_ng::from_str(text).unwrap_or_else(|e| panic!("{e} in\n{text}"))
}

#[test]
fn recipes_for_ci() {
    let text = readme();
    let read = |file: &str| fs::read_to_string(repository().join(file)).expect("a file");
    let action = yaml(&read("action.yml"));
    let sample = sample("weigh-recipes");
    let ours = "cargo-weigh/cargo-weigh";
    let (mut tried, mut steps) = (Vec::new(), 0);
    for block in of_language(&text, "yaml") {
        let recipe = yaml(block);
        let mut all = Vec::new();
        texts(&recipe, "", &mut all);
        for (key, line) in &all {
            match command(line) {
                Some(line) if *key == "script" => {
                    try_line(&sample, line);
                    let file = line.split("--output ").nth(1).expect("a report");
                    let report = sample.folder().join("fixtures/showcase").join(file);
                    let report = fs::read_to_string(report).expect("it was written");
                    serde_json::from_str::<Value>(&report).expect("a document");
                    assert!(all.contains(&("codequality", file)), "{file} goes nowhere");
                    tried.push(file.to_owned());
                }
                _ if *key == "uses" && line.starts_with(ours) => steps += 1,
                _ if line.contains(".ci/") => {
                    let script = line.split_whitespace().find(|word| word.contains(".ci/"));
                    let (_, script) = script.and_then(|s| s.split_once("/.ci/")).expect("a path");
                    assert!(repository().join(".ci").join(script).is_file(), "{line}");
                }
                _ => assert!(
                    !["run", "script"].contains(key) || line.contains(ours),
                    "{line}"
                ),
            }
        }
        let inputs = recipe.pointer("/jobs/weigh/steps/1/with");
        for (name, _) in inputs.and_then(Value::as_object).into_iter().flatten() {
            assert!(action["inputs"][name].is_object(), "no input `{name}`");
        }
    }
    assert_eq!(
        (tried.as_slice(), steps),
        (&["weigh.json".to_owned()][..], 1)
    );
    for kind in ["inputs", "outputs"] {
        for (name, _) in action[kind].as_object().expect("a table") {
            assert!(text.contains(&format!("| `{name}` |")), "{kind}: `{name}`");
        }
    }
    let hooks = yaml(&read(".pre-commit-hooks.yaml"));
    assert!(text.contains(&format!(
        "- id: {}",
        hooks[0]["id"].as_str().expect("an id")
    )));
}

#[test]
fn releases_are_where_binstall_and_the_action_look() {
    let read = |file: &str| fs::read_to_string(repository().join(file)).expect("a file");
    let manifest: toml::Table = read("lint/Cargo.toml").parse().expect("a manifest");
    let binstall = &manifest["package"]["metadata"]["binstall"];
    let release = yaml(&read(".github/workflows/release.yml"));
    let job = &release["jobs"]["programs"];
    let mut steps = job["steps"].as_array().expect("steps").iter();
    let upload = &steps.find(|step| step["id"] == "upload").expect("a step")["with"];
    assert_eq!(upload["archive"], "$bin-$target");
    assert_eq!(upload["checksum"], "sha256");
    assert_eq!(upload["bin"].as_str(), manifest["package"]["name"].as_str());
    let url = binstall["pkg-url"].as_str().expect("an address");
    assert!(
        url.ends_with("/v{ version }/{ name }-{ target }{ archive-suffix }"),
        "{url}"
    );
    let built = job["strategy"]["matrix"]["include"].as_array();
    let built = built.expect("targets").iter();
    let built: Vec<&str> = built.filter_map(|b| b["target"].as_str()).collect();
    // The upload makes a zip for Windows alone.
    let zips = binstall["overrides"].as_table().expect("targets").keys();
    let mut windows: Vec<&str> = built.clone();
    windows.retain(|target| target.contains("windows"));
    windows.sort_unstable();
    assert_eq!(zips.map(String::as_str).collect::<Vec<_>>(), windows);
    let install = read(".ci/action/install.sh");
    for target in built {
        let (_, system) = target.split_once('-').expect("a target");
        assert!(install.contains(&format!("$arch-{system}")), "{target}");
    }
    yaml(&read(".github/workflows/ci.yml"));
    for template in ["size", "finding"] {
        yaml(&read(&format!(".github/ISSUE_TEMPLATE/{template}.yml")));
    }
}

/// Returns the packages of the workspace that are published, with the names of those they need.
fn published() -> Vec<(String, Vec<String>)> {
    let mut metadata = cargo_metadata::MetadataCommand::new();
    metadata
        .manifest_path(repository().join("Cargo.toml"))
        .no_deps();
    let metadata = metadata.exec().expect("cargo metadata");
    let packages = metadata.packages.iter().filter(|p| p.publish.is_none());
    let needs = |p: &cargo_metadata::Package| {
        let list = p.dependencies.iter().filter(|d| d.path.is_some());
        let list = list.filter(|d| d.kind != cargo_metadata::DependencyKind::Development);
        list.map(|d| d.name.clone()).collect()
    };
    packages.map(|p| (p.name.to_string(), needs(p))).collect()
}

#[test]
#[cfg(unix)]
fn packages_are_published_after_what_they_need() {
    let scratch = Scratch::empty("publish").file(
        "bin/cargo",
        "#!/bin/sh\n\
         [ \"$1\" = publish ] && { echo \"$3\" >>\"$LOG\"; exit; }\n\
         case \"$2\" in weigh-heap@*) ;; *) false ;; esac || exit 101\n",
    );
    let cargo = scratch.folder().join("bin/cargo");
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(&cargo, fs::Permissions::from_mode(0o755)).expect("it is ours");
    let log = scratch.folder().join("log");
    let mut publish = Command::new("bash");
    publish
        .arg(repository().join(".ci/publish"))
        .env("LOG", &log);
    publish.env("PATH", path_with_program(&cargo));
    run(&mut publish).expect(0);
    let order = fs::read_to_string(log).expect("packages");
    let order: Vec<&str> = order.lines().collect();
    let all = published();
    // That one is there already.
    assert_eq!(order.len() + 1, all.len(), "{order:?}");
    for (name, needs) in all {
        let at = |name: &str| order.iter().position(|p| *p == name);
        let late = needs.iter().find(|need| at(need) > at(&name));
        assert!(
            name == "weigh-heap" || at(&name).is_some() && late.is_none(),
            "{name}: {late:?}"
        );
    }
}

#[test]
fn settings_for_editors() {
    let text = readme();
    let check = json!({"command": "weigh", "extraArgs": ["--with", "check"]});
    let json: Vec<Value> = of_language(&text, "json")
        .into_iter()
        .map(|block| serde_json::from_str(block).expect("JSON"))
        .collect();
    let [code, zed] = json.as_slice() else {
        panic!("{json:?}")
    };
    let dotted = |key: &str| code[format!("rust-analyzer.check.{key}")].clone();
    let code = json!({"command": dotted("command"), "extraArgs": dotted("extraArgs")});
    let zed = &zed["lsp"]["rust-analyzer"]["initialization_options"]["check"];
    let helix = of_language(&text, "toml");
    let helix: Vec<Value> = helix
        .iter()
        .map(|t| toml::from_str(t).expect("TOML"))
        .collect();
    let path = "/language-server/rust-analyzer/config/check";
    let helix = helix.iter().find_map(|table| table.pointer(path));
    for settings in [&code, zed, helix.expect("settings for Helix")] {
        assert_eq!(*settings, check);
    }
    for language in ["lua", "elisp"] {
        let block = of_language(&text, language)[0];
        for word in ["\"weigh\"", "\"--with\"", "\"check\""] {
            assert!(block.contains(word), "{language}: {word}");
        }
        let count = |c: char| block.matches(c).count();
        assert_eq!(
            (count('('), count('{')),
            (count(')'), count('}')),
            "{language}"
        );
    }
}

#[test]
fn rust_that_is_shown_compiles() {
    let derive = repository().join("derive");
    let manifest = format!(
        "[package]\nname = \"shown\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[dependencies]\nweigh-derive = {{ path = {:?} }}\n\n[workspace]\n",
        derive.to_str().expect("a plain path")
    );
    let mut text = format!(
        "use weigh_derive::AssertSize;\n{}",
        of_language(&readme(), "rust").join("\n")
    );
    // Examples of the lints, each on its own; these are the headers of their files.
    let lints = fs::read_to_string(repository().join("lint/LINTS.md")).expect("there is one");
    let examples = of_language(&lints, "");
    assert!(examples.len() >= 20, "{examples:?}");
    for (i, example) in examples.iter().enumerate() {
        text += &format!("pub mod example_{i} {{\n{example}}}\n");
    }
    let scratch = Scratch::empty("readme-rust")
        .file("Cargo.toml", manifest)
        .file("Cargo.lock", lock())
        .file("src/lib.rs", text);
    let mut check = cargo();
    check
        .current_dir(scratch.folder())
        .args(["check", "--quiet", "--target-dir"]);
    run(check.arg(weigh_tests::workbench("readme"))).expect(0);
}

/// Returns the lock file of this workspace, for its versions.
fn lock() -> Vec<u8> {
    fs::read(Path::new(repository()).join("Cargo.lock")).expect("the workspace has one")
}

/// The first command builds the program, which takes a minute: cargo shows its progress.
#[test]
fn the_alias_shows_what_cargo_does() {
    let config = fs::read_to_string(repository().join(".cargo/config.toml")).expect("there is one");
    assert!(config.contains("weigh = \"run --package cargo-weigh"));
    assert!(!config.contains("quiet"), "{config}");
    assert!(readme().contains("cargo install --path lint --locked"));
}
