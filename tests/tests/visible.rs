//! Foreign text in the output: no hidden characters, no commands, no markup, and no quotes of files
//! outside the repository.

use std::fs;
use std::path::Path;
use weigh_tests::project::Scratch;
use weigh_tests::{Run, run, weigh};

const MANIFEST: &str =
    "[package]\nname = \"demo\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[workspace]\n";

/// An escape sequence that hides text, a bidi control, a C1 control, and a look-alike command.
const ODD: &str = "/*\u{1b}[8m\u{202e}\u{9b}2J\u{7f}##[error]x*/";

/// A file name in Rust source syntax: with such characters and a line break.
const NAME: &str = "odd\\u{1b}[8m\\u{202e}\\n::error::x.rs";

const FORMATS: [&str; 9] = [
    "human",
    "short",
    "json",
    "json-diagnostic-short",
    "json-diagnostic-rendered-ansi",
    "json-render-diagnostics",
    "sarif",
    "github",
    "gitlab",
];

fn project(name: &str) -> Scratch {
    let file = NAME
        .replace("\\u{1b}", "\u{1b}")
        .replace("\\u{202e}", "\u{202e}")
        .replace("\\n", "\n");
    let lib = format!(
        "#[path = \"{NAME}\"]\npub mod odd;\npub enum Wide {{ {ODD} Fat([u64; 40]), Thin(u8) }}\n"
    );
    let odd =
        format!("pub enum Odd {{ Fat([u64; 50]), {ODD} Thin(u8) }}\nstruct Broken {{ {ODD}\n");
    Scratch::outside(&format!("weigh-visible-{name}"))
        .file("Cargo.toml", MANIFEST)
        .file("src/lib.rs", lib)
        .file(&format!("src/{file}"), odd)
}

/// Runs the program in a directory; asserts that no output is hidden or a foreign command.
#[track_caller]
fn seen(folder: &Path, args: &[&str]) -> Run {
    let said = run(weigh(folder).arg("--offline").args(args));
    let own_commands = args.contains(&"github");
    for text in [&said.stdout, &said.stderr] {
        for line in text.lines() {
            let hidden = |c: char| {
                c.is_control() && c != '\t'
                    || ('\u{200e}'..='\u{2069}').contains(&c)
                        && !c.is_alphanumeric()
                        && !"…—–‘’“”•".contains(c)
            };
            assert!(!line.chars().any(hidden), "{args:?}: {line:?}");
            let command = line.trim_start().starts_with("::");
            let ours = line.starts_with("::error file=") || line.starts_with("::warning file=");
            assert!(!command || own_commands && ours, "{args:?}: {line}");
            assert!(!line.contains("##["), "{args:?}: {line}");
        }
    }
    said
}

#[test]
fn every_format_of_findings() {
    let scratch = project("findings");
    for format in FORMATS {
        let said = seen(scratch.folder(), &["--message-format", format]).expect(2);
        match format {
            "sarif" | "gitlab" => drop(said.stdout.parse::<serde_json::Value>().expect("JSON")),
            "human" => {
                let quoted =
                    "/*\\u{1b}[8m\\u{202e}\\u{9b}2J\\u{7f}#\\u{23}[error]x*/ Fat([u64; 40])";
                assert!(said.stdout.contains(quoted), "{}", said.stdout);
                assert!(
                    said.stdout
                        .contains("odd\\u{1b}[8m\\u{202e}\\n::error::x.rs")
                );
                // The markers are below their subject.
                let mut lines = said.stdout.lines();
                let line = lines.find(|l| l.contains(quoted)).expect("it is quoted");
                let marks = lines.next().expect("marks");
                let column = |text: &str, part: &str| {
                    text[..text.find(part).expect("it is there")]
                        .chars()
                        .count()
                };
                let at = [line.find("Fat"), line.find("Wide")];
                let at = at.map(|at| line[..at.expect("a name")].chars().count());
                assert!(at.contains(&column(marks, "^")), "{line}\n{marks}");
            }
            _ if format.starts_with("json") => {
                let lines = said.json();
                let found = lines.iter().filter(|l| l["weigh"].is_object());
                for line in found {
                    let spans = line["message"]["spans"].as_array().expect("spans");
                    let texts = spans
                        .iter()
                        .flat_map(|s| s["text"].as_array().expect("lines"));
                    let mut texts = texts.map(|t| t["text"].as_str().expect("a line"));
                    assert!(
                        texts.any(|t| t.contains(ODD)),
                        "data stays as it is: {line}"
                    );
                }
            }
            _ => {}
        }
    }
    let page = scratch.folder().join("page.md");
    let mut command = weigh(scratch.folder());
    run(command
        .args(["--message-format", "github"])
        .env("GITHUB_STEP_SUMMARY", &page))
    .expect(2);
    let page = fs::read_to_string(page).expect("a page");
    assert!(
        !page.contains('\u{202e}') && !page.contains('\u{1b}') && !page.contains("\n::"),
        "{page}"
    );
}

#[test]
fn other_commands() {
    let scratch = project("commands");
    for args in [
        &["sizes"][..],
        &["sizes", "--message-format", "json"],
        &["layout", "Wide", "Nowhere\u{1b}[2J"],
        &["snapshot"],
        &["diff", "no\u{202e}thing"],
        &["-v"],
        &["-p", "x\n::error::y"],
    ] {
        seen(scratch.folder(), args).expect(2);
    }
    seen(scratch.folder(), &["lints"]).expect(0);
}

#[test]
#[ignore = "slow: .ci/slow tests"]
fn manifests_and_baselines() {
    let scratch = project("tables");
    let key = "\"a\\u001b[8m\\u202e\\n::error::x\"";
    let with = |table: &str| format!("{MANIFEST}\n[package.metadata.weigh]\n{table}\n");
    for table in [
        format!("{key} = 1"),
        format!("lints = {{ {key} = 'warn' }}"),
        format!("lints = {{ large_err = {key} }}"),
        format!("budgets = {{ {key} = 8 }}"),
        format!("exclude = [{key}]"),
    ] {
        fs::write(scratch.folder().join("Cargo.toml"), with(&table)).expect("ours");
        for format in ["human", "github"] {
            seen(scratch.folder(), &["--message-format", format]);
        }
    }
    let text = |lint: &str| {
        format!(
            "[{{\"weigh\":\"baseline\",\"version\":1}}\n,{{\"package\":\"demo\",\"lint\":\"{lint}\",\
             \"type\":\"a\\u001b[8m\\u202e\\n::error::x\",\"field\":null,\"size_before\":1,\
             \"target\":\"lib\"}}\n]\n"
        )
    };
    let scratch = Scratch::outside("weigh-visible-baseline")
        .file("Cargo.toml", MANIFEST)
        .file("src/lib.rs", "pub struct A(u8);\n")
        .file("weigh.baseline.json", text("oversized_variant"));
    seen(scratch.folder(), &[])
        .expect(0)
        .says(&["stale", "\\u{202e}"]);
    let scratch = scratch.file("weigh.baseline.json", format!("[\u{1b}[8m{}", text("x")));
    for format in FORMATS {
        seen(scratch.folder(), &["--message-format", format]).expect(2);
    }
}

#[test]
fn snapshots() {
    let evil = "`<img src=x>`|[a](b)\\u001b[8m\\u202e\\n::error::x";
    let field = |name: &str, size: u64| {
        format!(
            "{{\"name\":\"{name}\",\"type\":\"{evil}\",\"size\":{size},\"holds\":[\"{evil}\"]}}"
        )
    };
    let entry = |path: &str, rest: &str| {
        format!(
            "{{\"package\":\"demo\",\"target\":\"demo\",\"crate\":\"lib\",\"path\":\"{path}\",\
             \"kind\":\"struct\",{rest}}}"
        )
    };
    let types = [
        entry(
            "Grown",
            &format!("\"size\":1,\"align\":1,\"fields\":[{}]", field(evil, 1)),
        ),
        entry(evil, "\"size\":8,\"align\":8"),
        entry("Unknown", &format!("\"size\":null,\"reason\":\"{evil}\"")),
        entry("Other", "\"size\":3,\"align\":1").replace("\"struct\"", &format!("\"{evil}\"")),
    ];
    let base = format!(
        "{{\n\"format\": 1,\n\"rustc\": \"{evil}\",\n\"target\": \"{evil}\",\n\"types\": [\n{}\n]\n}}\n",
        types.join(",\n")
    );
    let scratch = Scratch::outside("weigh-visible-snapshots")
        .file("Cargo.toml", MANIFEST)
        .file(
            "src/lib.rs",
            "pub struct Grown(u64);\npub struct Unknown(u8);\npub struct Other(u16);\n",
        )
        .file("base`<b>.json", base);
    let base = "base`<b>.json";
    seen(scratch.folder(), &["diff", base]).expect(0);
    let json = seen(
        scratch.folder(),
        &["diff", base, "--message-format", "json"],
    )
    .expect(0);
    assert!(json.json().len() > 2);
    let said = seen(scratch.folder(), &["diff", base, "--markdown"]).expect(0);
    // Outside code, all markup is escaped.
    for line in said
        .stdout
        .lines()
        .filter(|l| l.contains("img") || l.contains("base"))
    {
        let (mut outside, mut rest) = (String::new(), line);
        let opens = |rest: &str| {
            let mut fences = rest.match_indices('`').map(|(at, _)| at);
            fences.find(|at| !rest[..*at].ends_with('\\'))
        };
        while let Some(at) = opens(rest) {
            outside.push_str(&rest[..at]);
            let run = rest[at..].len() - rest[at..].trim_start_matches('`').len();
            let fence = &rest[at..at + run];
            let behind = &rest[at + run..];
            let end = behind.find(fence).unwrap_or_else(|| panic!("{line}"));
            rest = &behind[end + run..];
        }
        outside.push_str(rest);
        let outside = outside.replace("<br>", "");
        for sign in ['<', '['] {
            let raw = outside
                .match_indices(sign)
                .any(|(at, _)| !outside[..at].ends_with('\\'));
            assert!(!raw, "{line}\n{outside}");
        }
    }
}

#[test]
fn what_lies_elsewhere_is_not_quoted() {
    let secret = "root:x:0:0:geheim:/root:/bin/sh\npub enum Inner { Fat([u64; 99]), geheim(u8) }\n";
    let lib = "#[path = \"../../elsewhere/secret\"]\nmod a;\nmod linked;\n\
               include!(\"../../elsewhere/secret\");\npub struct Own(u8);\n";
    let scratch = Scratch::outside("weigh-visible-secret")
        .file("elsewhere/secret", secret)
        .file("p/.git/HEAD", "")
        .file("p/crate/Cargo.toml", MANIFEST)
        .file("p/crate/src/lib.rs", lib)
        .file("p/crate/src/none.txt", "");
    let folder = scratch.folder().join("p/crate");
    let lib = fs::read_to_string(folder.join("src/lib.rs")).expect("ours");
    fs::write(
        folder.join("src/lib.rs"),
        lib.replace("../../elsewhere", "../../../elsewhere"),
    )
    .expect("ours");
    #[cfg(unix)]
    std::os::unix::fs::symlink(
        scratch.folder().join("elsewhere/secret"),
        folder.join("src/linked.rs"),
    )
    .expect("links can be made");
    #[cfg(unix)]
    std::os::unix::fs::symlink(
        scratch.folder().join("elsewhere/secret"),
        folder.join("weigh.baseline.json"),
    )
    .expect("links can be made");
    for format in FORMATS {
        let said = seen(&folder, &["-W", "all", "--message-format", format]).expect(2);
        for text in [&said.stdout, &said.stderr] {
            assert!(
                !text.contains("root:x") && !text.contains("/bin/sh"),
                "{format}: {text}"
            );
            assert!(!text.contains("geheim:"), "{format}: {text}");
        }
        assert!(
            said.stderr.contains("secret"),
            "the place is named: {said:?}"
        );
    }
    // Files of the repository are quoted, even outside the package.
    let scratch = scratch
        .file(
            "p/shared.rs",
            "pub enum Shared { Fat([u64; 99]), Thin(u8) }\n",
        )
        .file(
            "p/crate/src/lib.rs",
            "#[path = \"../../shared.rs\"]\npub mod shared;\n",
        );
    let folder = scratch.folder().join("p/crate");
    let _ = fs::remove_file(folder.join("weigh.baseline.json"));
    let said = seen(&folder, &[]).expect(0);
    assert!(
        said.stdout.contains("Fat([u64; 99]), Thin(u8)"),
        "{}",
        said.stdout
    );
}
