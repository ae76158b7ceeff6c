//! The step for GitHub's workflows, `action.yml`: its scripts in a clean folder, with stand-ins for
//! `curl`, `gh` and `cargo install`.
#![cfg(unix)]

use serde_json::Value;
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use weigh_tests::project::Scratch;
use weigh_tests::{Run, fixture, program, repository, run};

/// Copies what the release has, for any target. `NAME.sha256` names the archive, as `sha256sum` does.
const CURL: &str = r#"
for word; do
    [ "$before" = --output ] && to=$word
    before=$word
done
name=${word##*/}
case "$name" in
*.sha256) [ -f "$STAND_IN/sum" ] && echo "$(cat "$STAND_IN/sum")  ${name%.sha256}.tar.gz" >"$to" ;;
*) cp "$STAND_IN/archive" "$to" 2>/dev/null ;;
esac || { echo "curl: (22) The requested URL returned error: 404" >&2; exit 22; }
"#;

/// Keeps one comment. The list has its number only if it starts as the filter demands.
const GH: &str = r#"
[ -z "$REFUSED" ] || { echo "gh: Resource not accessible by integration (HTTP 403)" >&2; exit 1; }
for word; do
    case "$word" in
    body=@*) cp "${word#body=@}" "$STAND_IN/comment" ;;
    *startswith*)
        start=$(printf '%s' "$word" | sed 's/.*startswith("\(.*\)").*/\1/')
        [ "$(head -n 1 "$STAND_IN/comment" 2>/dev/null)" = "$start" ] && echo 7
        ;;
    esac
done
true
"#;

/// Installs a program that says that it was built; anything else is cargo's.
const CARGO: &str = r#"
[ "$1" = install ] || exec "$REAL_CARGO" "$@"
for word; do
    [ "$before" = --root ] && to=$word
    before=$word
done
mkdir -p "$to/bin"
printf '#!/bin/sh\necho built\n' >"$to/bin/cargo-weigh"
chmod +x "$to/bin/cargo-weigh"
"#;

/// A checkout of the action, a project, and the folder of the stand-ins.
struct Host {
    scratch: Scratch,
    action: Value,
    variables: Vec<(String, OsString)>,
}

impl Host {
    fn new(name: &str) -> Host {
        let manifest = fs::read(repository().join("Cargo.toml")).expect("there is one");
        let action = fs::read_to_string(repository().join("action.yml")).expect("there is one");
        let scratch = Scratch::outside(name)
            .copy(&repository().join(".ci/action"), "action/.ci/action/")
            .file("action/Cargo.toml", manifest)
            .copy(&fixture("showcase"), "project/")
            .file("project/.gitignore", "target\n")
            .file("temp/kept", "")
            .file("path", "")
            .file("output", "");
        let host = Host {
            scratch,
            action: serde_yaml_ng::from_str(&action).expect("YAML"),
            variables: Vec::new(),
        };
        for (name, text) in [("curl", CURL), ("gh", GH), ("cargo", CARGO)] {
            let log = format!("#!/bin/sh\necho {name} \"$*\" >>\"$STAND_IN/log\"\n{text}");
            host.program(&format!("bin/{name}"), &log);
        }
        let program = format!("#!/bin/sh\nexec '{}' \"$@\"\n", program().display());
        host.program("bin/cargo-weigh", &program);
        for arguments in [
            &["init", "--quiet", "--initial-branch=main"][..],
            &["add", "--all"],
            &["commit", "--quiet", "--message=a"],
        ] {
            let mut git = Command::new("git");
            git.current_dir(host.at("project"));
            git.args(["-c", "user.name=a", "-c", "user.email=a@example.com"]);
            run(git.args(arguments)).expect(0);
        }
        host
    }

    fn at(&self, path: &str) -> PathBuf {
        self.scratch.folder().join(path)
    }

    fn read(&self, path: &str) -> String {
        fs::read_to_string(self.at(path)).unwrap_or_default()
    }

    fn program(&self, path: &str, text: &str) {
        let path = self.at(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("it is ours to write");
        fs::write(&path, text).expect("likewise");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("likewise");
    }

    fn with(&mut self, name: &str, value: impl Into<OsString>) {
        self.variables.push((name.to_owned(), value.into()));
    }

    /// Runs a step of `action.yml`, with its variables and no others of ours.
    fn step(&self, id: &str) -> Run {
        let steps = self.action["runs"]["steps"].as_array().expect("steps");
        let step = steps.iter().find(|step| step["id"] == id).expect("a step");
        let none = serde_json::Map::new();
        let expected = step["env"].as_object().unwrap_or(&none);
        let line = step["run"].as_str().expect("a command");
        let mut command = self.shell(line);
        for (name, value) in &self.variables {
            let is_ours = name.starts_with("WEIGH_") || name == "GH_TOKEN";
            if !is_ours || expected.contains_key(name) {
                command.env(name, value);
            }
        }
        run(command.current_dir(self.at("project")))
    }

    fn shell(&self, line: &str) -> Command {
        let mut shell = Command::new("bash");
        shell.args(["-c", line]);
        let path = std::env::var_os("PATH").unwrap_or_default();
        let folders = [self.at("bin")].into_iter();
        let folders = folders.chain(std::env::split_paths(&path));
        shell
            .env("PATH", std::env::join_paths(folders).expect("plain names"))
            .env("REAL_CARGO", weigh_tests::cargo().get_program())
            .env("STAND_IN", self.scratch.folder())
            .env("GITHUB_ACTIONS", "true")
            .env("GITHUB_ACTION_PATH", self.at("action"))
            .env("GITHUB_OUTPUT", self.at("output"))
            .env("GITHUB_PATH", self.at("path"))
            .env("GITHUB_REPOSITORY", "a/b")
            .env("GITHUB_STEP_SUMMARY", self.at("summary"))
            .env("RUNNER_TEMP", self.at("temp"))
            .env_remove("CARGO")
            .env_remove("CARGO_TARGET_DIR")
            .env_remove("RUNNER_ARCH");
        shell
    }

    /// Puts a program into the release, with a checksum.
    fn release(&self, text: &str) {
        self.program("packed/cargo-weigh", text);
        let mut tar = Command::new("tar");
        tar.arg("-czf").arg(self.at("archive"));
        run(tar.arg("-C").arg(self.at("packed")).arg("cargo-weigh")).expect(0);
        let line =
            "{ sha256sum archive || shasum -a 256 archive; } 2>/dev/null | cut -d' ' -f1 >sum";
        run(self.shell(line).current_dir(self.scratch.folder())).expect(0);
    }

    fn installed(&self) -> String {
        self.read("temp/cargo-weigh/bin/cargo-weigh")
    }
}

const RELEASED: &str = "#!/bin/sh\necho released\n";

#[test]
fn the_release_is_installed_if_its_checksum_is_right() {
    let host = Host::new("weigh-action-install");
    host.release(RELEASED);
    host.step("install").expect(0);
    assert_eq!(host.installed(), RELEASED);
    let folder = host.at("temp/cargo-weigh/bin");
    assert_eq!(Path::new(host.read("path").trim_end()), folder);
    let log = host.read("log");
    assert!(!log.contains("cargo install"), "{log}");
    let version = env!("CARGO_PKG_VERSION");
    let address = format!(
        "https://github.com/cargo-weigh/cargo-weigh/releases/download/v{version}/cargo-weigh-"
    );
    assert!(log.contains(&address), "{log}");
}

#[test]
fn a_wrong_checksum_is_refused() {
    for sum in ["0".repeat(64), String::new()] {
        let host = Host::new("weigh-action-sum");
        host.release(RELEASED);
        fs::write(host.at("sum"), sum).expect("it is ours to write");
        let said = host.step("install").expect(1);
        assert!(said.stdout.contains("::error"), "{said:?}");
        assert!(said.stdout.contains(" is refused: "), "{said:?}");
        assert_eq!(host.installed(), "");
        assert!(!host.read("log").contains("cargo install"));
    }
}

#[test]
fn without_a_release_the_program_is_built() {
    // Nothing is published; there is no checksum; what is published does not run here.
    for missing in ["archive", "sum", "neither"] {
        let host = Host::new("weigh-action-build");
        host.release("#!/bin/sh\nexit 1\n");
        let _ = fs::remove_file(host.at(missing));
        let said = host.step("install").expect(0);
        assert!(said.stdout.contains("::notice"), "{missing}: {said:?}");
        assert!(host.installed().contains("built"), "{missing}: {said:?}");
        let log = host.read("log");
        assert!(log.contains("cargo install --path lint --locked"), "{log}");
    }
}

#[test]
fn findings_are_annotations_and_a_file() {
    let mut host = Host::new("weigh-action-lint");
    host.with("WEIGH_ARGS", "--workspace\n--offline");
    host.with("WEIGH_LEVELS", "");
    host.with("WEIGH_SARIF", host.at("temp/weigh.sarif"));
    let said = host.step("lint").expect(0);
    assert!(said.stdout.contains("::warning file="), "{said:?}");
    let sarif: Value = serde_json::from_str(&host.read("temp/weigh.sarif")).expect("a document");
    assert_eq!(sarif["version"], "2.1.0");
    let line = format!("sarif={}\n", host.at("temp/weigh.sarif").display());
    assert_eq!(host.read("output"), line);
    let summary = host.read("summary");
    assert_eq!(summary.matches("### cargo weigh").count(), 1, "{summary}");

    host.with("WEIGH_LEVELS", "-D warnings");
    let said = host.step("lint").expect(1);
    assert!(said.stdout.contains("::error file="), "{said:?}");
}

/// A project with an enum that grew, in pull request 5.
fn grown(name: &str) -> Host {
    let mut host = Host::new(name);
    for (name, value) in [
        ("GH_TOKEN", "a token"),
        ("WEIGH_ARGS", "--offline"),
        ("WEIGH_BASE", "HEAD"),
        ("WEIGH_FAIL_ON", ""),
        ("WEIGH_FORK", "false"),
        ("WEIGH_PULL", "5"),
    ] {
        host.with(name, value);
    }
    host.with("WEIGH_DIFF", host.at("temp/weigh.md"));
    host.grow(100);
    host
}

impl Host {
    fn grow(&self, bytes: usize) {
        let file = fs::read_to_string(fixture("showcase").join("src/document.rs"));
        let from = "pub enum Inline {";
        let to = format!("{from} Pad([u8; {bytes}]),");
        let text = file.expect("a file of the fixture").replace(from, &to);
        fs::write(self.at("project/src/document.rs"), text).expect("it is ours to write");
    }

    fn writes(&self) -> Vec<String> {
        let log = self.read("log");
        let lines = log.lines().filter(|line| line.contains("--method"));
        let words = lines.map(|line| {
            line.split(' ')
                .skip(3)
                .take(2)
                .collect::<Vec<_>>()
                .join(" ")
        });
        words.collect()
    }
}

#[test]
fn one_comment_is_made_and_then_updated() {
    let mut host = grown("weigh-action-diff");
    host.step("diff").expect(0);
    let comment = host.read("comment");
    assert!(comment.contains("| 72 | 104 | **+32** |"), "{comment}");
    assert_eq!(host.writes(), ["POST repos/a/b/issues/5/comments"]);
    assert!(host.read("summary").contains("**+32**"));

    host.grow(200);
    host.with("WEIGH_FAIL_ON", "growth");
    host.step("diff").expect(1);
    let comment = host.read("comment");
    assert!(comment.contains("| 72 | 208 | **+136** |"), "{comment}");
    assert_eq!(host.writes()[1..], ["PATCH repos/a/b/issues/comments/7"]);

    // What was said is taken back.
    host.grow(1);
    host.step("diff").expect(0);
    assert!(host.read("comment").contains("no size changed"));
    assert_eq!(host.writes().len(), 3);
}

#[test]
fn where_nothing_changed_there_is_no_comment() {
    let host = grown("weigh-action-same");
    host.grow(1);
    host.step("diff").expect(0);
    assert_eq!(host.writes(), [""; 0]);
    assert!(host.read("log").contains("gh api"));
}

#[test]
fn without_a_token_that_may_write_a_notice_says_so() {
    for (name, value) in [("WEIGH_FORK", "true"), ("GH_TOKEN", ""), ("REFUSED", "yes")] {
        let mut host = grown("weigh-action-fork");
        host.with(name, value);
        let said = host.step("diff").expect(0);
        assert!(
            said.stdout
                .contains("::notice title=cargo weigh::no comment: "),
            "{said:?}"
        );
        assert_eq!(host.writes(), [""; 0]);
        assert!(host.read("summary").contains("**+32**"));
    }
}

#[test]
fn what_cannot_be_compared_is_said() {
    let mut host = grown("weigh-action-base");
    host.with("WEIGH_BASE", "0123456789012345678901234567890123456789");
    let said = host.step("diff");
    assert_ne!(said.code, 0, "{said:?}");
    assert!(!said.stderr.is_empty());
    assert_eq!(host.writes(), [""; 0]);
}

#[test]
fn the_hook_installs_itself_once() {
    let host = Host::new("weigh-action-hook");
    let program = format!("#!/bin/sh\nexec '{}' \"$@\"\n", program().display());
    host.release(&program);
    let hooks = fs::read_to_string(repository().join(".pre-commit-hooks.yaml")).expect("a file");
    let hooks: Value = serde_yaml_ng::from_str(&hooks).expect("YAML");
    let hook = &hooks[0];
    assert_eq!(hook["language"], "script");
    let entry = hook["entry"].as_str().expect("a file");
    // Copies have no mode.
    let mode = fs::metadata(repository().join(entry))
        .expect("a file")
        .permissions();
    assert_eq!(mode.mode() & 0o111, 0o111, "pre-commit runs {entry} itself");
    fs::set_permissions(host.at("action").join(entry), mode).expect("it is ours");
    let arguments = hook["args"].as_array().expect("arguments").iter();
    let mut words = vec![format!("../action/{entry}")];
    words.extend(arguments.filter_map(|word| Some(word.as_str()?.to_owned())));
    for _ in 0..2 {
        let mut command = host.shell(&words.join(" "));
        command.env_remove("GITHUB_PATH");
        let said = run(command.current_dir(host.at("project"))).expect(1);
        assert!(said.stdout.contains("error[weigh::"), "{said:?}");
    }
    // The archive and its checksum.
    let downloads = host.read("log").matches("curl ").count();
    assert_eq!(downloads, 2);
}
