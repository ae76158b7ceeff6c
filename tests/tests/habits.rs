//! Behaviour that users of cargo expect: selections, places, streams, colours.

use serde_json::Value;
use std::collections::BTreeSet;
use std::io::Read;
use std::path::Path;
use std::process::Stdio;
use weigh_tests::project::Scratch;
use weigh_tests::{Run, cargo, few, fixture, run, run_in, weigh};

/// A finding in one line.
const LARGE: &str = "pub enum Large { Small(u8), Rare([u8; 500]) }\n";

fn manifest(name: &str, rest: &str) -> String {
    format!("[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n{rest}")
}

/// Returns package and type of each finding.
fn found(said: &Run) -> Vec<(String, String)> {
    let word =
        |finding: &Value, key: &str| finding["weigh"][key].as_str().unwrap_or("?").to_owned();
    let findings = said.findings();
    let names = findings
        .iter()
        .map(|f| (word(f, "package"), word(f, "type")));
    names.collect()
}

/// Returns the names of the analysed packages.
fn packages(said: &Run) -> Vec<String> {
    let lines = said.json().into_iter();
    let artifacts = lines.filter(|line| line["reason"] == "compiler-artifact");
    artifacts
        .map(|line| line["target"]["name"].as_str().unwrap_or("?").to_owned())
        .collect()
}

/// Lints with `--message-format json` and these arguments.
fn lint(folder: &Path, arguments: &[&str]) -> Run {
    run(weigh(folder)
        .args(["--message-format", "json"])
        .args(arguments))
}

#[test]
fn an_empty_crate() {
    let scratch = Scratch::library("habits-empty", "");
    let said = run_in(scratch.folder(), &[]).expect(0);
    assert_eq!(said.stdout, "");
    let said = said.says(&["0 types: nothing found"]);
    assert_eq!(said.stderr.lines().count(), 1, "{}", said.stderr);
    let said = lint(scratch.folder(), &["-D", "warnings"]).expect(0);
    assert_eq!(packages(&said), ["habits-empty".replace('-', "_")]);
    run_in(scratch.folder(), &["sizes"]).expect(0);
    run_in(scratch.folder(), &["verify"]).expect(0);
}

/// Build scripts that depend on `RUSTC_BOOTSTRAP`, such as that of `proc-macro2`, run once for all
/// verified packages: after each run everything that needs them is built again.
#[test]
#[ignore = "slow: .ci/slow tests"]
fn verify_builds_what_packages_share_once() {
    let script = "fn main() {
        println!(\"cargo::rerun-if-env-changed=RUSTC_BOOTSTRAP\");
        let list = concat!(env!(\"CARGO_MANIFEST_DIR\"), \"/runs\");
        let runs = std::fs::read_to_string(list).unwrap_or_default();
        std::fs::write(list, runs + \"run\\n\").unwrap();
    }";
    let shared = "\n[dependencies]\nshared = { path = \"../shared\" }\n";
    let scratch = Scratch::empty("habits-verify")
        .file(
            "Cargo.toml",
            "[workspace]\nmembers = [\"a\", \"b\"]\nexclude = [\"shared\"]\nresolver = \"3\"\n",
        )
        .file("a/Cargo.toml", manifest("a", shared))
        .file("a/src/lib.rs", "pub struct A(pub shared::S);")
        .file("b/Cargo.toml", manifest("b", shared))
        .file("b/src/lib.rs", "pub struct B(pub shared::S);")
        .file("shared/Cargo.toml", manifest("shared", ""))
        .file("shared/src/lib.rs", "pub struct S(pub u16);")
        .file("shared/build.rs", script);
    let said = run_in(scratch.folder(), &["verify", "--workspace"]).expect(0);
    assert!(said.stdout.contains("2 exact, 0 wrong"), "{}", said.stdout);
    let runs = std::fs::read_to_string(scratch.folder().join("shared/runs"));
    assert_eq!(runs.expect("it has run"), "run\n");
}

/// The output of build scripts is known after rustdoc has run; a library and a binary of one name are
/// two crates.
#[test]
fn verify_reads_what_was_built() {
    let script = "fn main() {
        let wide = std::env::var(\"OUT_DIR\").is_ok_and(|dir| !dir.is_empty());
        if wide { println!(\"cargo::rustc-cfg=wide\"); }
        println!(\"cargo::rustc-check-cfg=cfg(wide)\");
    }";
    let scratch = Scratch::library(
        "habits-built",
        "pub struct L(pub u8, #[cfg(wide)] pub u64);",
    )
    .file("build.rs", script)
    .file(
        "src/main.rs",
        "struct B(#[cfg(wide)] habits_built::L, u64);\nfn main() {}",
    );
    let said = run_in(scratch.folder(), &["verify"]).expect(0);
    let said = said.stdout;
    assert!(said.contains("2 exact, 0 wrong, 0 unknown"), "{said}");
}

/// rustdoc sets `cfg(doc)` for the crate that it documents, not for the library of the same package,
/// and ignores the flags for rustc.
#[test]
#[ignore = "slow: .ci/slow tests"]
fn verify_knows_the_flags_of_rustdoc() {
    let fields = "pub struct S {
        pub a: u8,
        #[cfg(doc)] pub b: u64,
        #[cfg(wide)] pub c: [u64; 2],
        #[cfg(width = \"full\")] pub d: [u64; 4],
        pub of: shared::T,
    }";
    let shared = "pub struct T(pub u8, #[cfg(doc)] pub u64);";
    let scratch = Scratch::library("habits-documented", fields)
        .file(
            "Cargo.toml",
            manifest(
                "documented",
                "\n[workspace]\n[dependencies]\nshared = { path = \"shared\" }\n",
            ),
        )
        .file("src/main.rs", "struct B(documented::S);\nfn main() {}")
        .file("shared/Cargo.toml", manifest("shared", ""))
        .file("shared/src/lib.rs", shared)
        .file(
            ".cargo/config.toml",
            "[build]\nrustflags = [\"--cfg\", \"wide\", '--cfg=width=\"full\"']\n",
        );
    let said = run_in(scratch.folder(), &["verify"]).expect(0);
    assert!(said.stdout.contains("2 exact, 0 wrong"), "{}", said.stdout);
    let said = run_in(scratch.folder(), &["sizes"]).expect(0);
    assert!(said.stdout.contains("56"), "{}", said.stdout);
}

/// Runs the program in a terminal with so many columns, with `script` of util-linux; returns stdout.
#[cfg(target_os = "linux")]
fn in_terminal(folder: &Path, columns: usize, arguments: &str) -> Option<String> {
    let program = weigh_tests::program().display();
    let line = format!("stty cols {columns} rows 40; '{program}' weigh --color never {arguments}");
    let mut command = std::process::Command::new("script");
    command.current_dir(folder).env("CARGO_WEIGH_CACHE", "0");
    command.args(["--quiet", "--command", &line, "/dev/null"]);
    let output = command.stdin(Stdio::null()).output().ok()?;
    Some(String::from_utf8_lossy(&output.stdout).replace("\r\n", "\n"))
}

#[cfg(target_os = "linux")]
#[test]
fn text_is_as_wide_as_the_terminal() {
    let folder = fixture("showcase");
    let widest = |text: &str| {
        // Source lines are not wrapped, and a comment to copy is one line.
        let own = |line: &&str| {
            let source = line.contains(['│', '┌']);
            !source && !line.contains("to suppress it: ")
        };
        let widths = text.lines().filter(own).map(|line| line.chars().count());
        widths.max().unwrap_or(0)
    };
    let arguments = "--offline --quiet --all-details -W weigh::pedantic";
    let Some(narrow) = in_terminal(&folder, 60, arguments) else {
        eprintln!("skipped: needs `script`");
        return;
    };
    assert!((50..=60).contains(&widest(&narrow)), "{narrow}");
    let text = in_terminal(&folder, 100, arguments).expect("it was there");
    assert!((90..=100).contains(&widest(&text)), "{text}");
    let wide = in_terminal(&folder, 300, arguments).expect("it was there");
    assert!((110..=120).contains(&widest(&wide)), "{wide}");
    // A pipe has no width: headlines are not wrapped.
    let list: Vec<&str> = arguments.split(' ').collect();
    let piped = run_in(&folder, &list).expect(0).stdout;
    let headlines = |text: &str| {
        let lines = text.lines().filter(|line| line.starts_with("warning["));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_ne!(headlines(&piped), headlines(&narrow));
    let words = |text: &str| {
        text.split_whitespace()
            .filter(|word| word.starts_with("warning["))
            .count()
    };
    assert_eq!(words(&piped), words(&narrow));
}

#[test]
fn a_single_crate() {
    let scratch = Scratch::library("habits_single", LARGE);
    let said = run_in(scratch.folder(), &[]).expect(0);
    assert!(said.stdout.contains("src/lib.rs:1:"), "{}", said.stdout);
    said.says(&["1 type: 1 warning"]);
    run_in(scratch.folder(), &["-D", "warnings"]).expect(1);
    run_in(scratch.folder(), &["--", "-D", "oversized_variant"]).expect(1);
    // From a folder inside the package.
    let inside = run_in(&scratch.folder().join("src"), &[]).expect(0);
    assert!(inside.stdout.contains("src/lib.rs:1:"), "{}", inside.stdout);
}

/// Creates thirty members, each with a finding and a dependency on the previous one.
fn thirty(name: &str) -> Scratch {
    let mut scratch = Scratch::empty(name).file(
        "Cargo.toml",
        "[workspace]\nmembers = [\"crates/*\"]\nresolver = \"3\"\n",
    );
    for n in 0..30 {
        let (uses, before) = match n {
            0 => (String::new(), String::new()),
            _ => {
                let before = format!("m{:02}", n - 1);
                let uses = format!("\n[dependencies]\n{before} = {{ path = \"../{before}\" }}\n");
                (uses, format!("pub struct Next(pub {before}::Large);\n"))
            }
        };
        scratch = scratch
            .file(
                &format!("crates/m{n:02}/Cargo.toml"),
                manifest(&format!("m{n:02}"), &uses),
            )
            .file(
                &format!("crates/m{n:02}/src/lib.rs"),
                format!("{LARGE}{before}"),
            );
    }
    scratch
}

#[test]
fn a_virtual_workspace_of_thirty_members() {
    let scratch = thirty("habits-thirty");
    let names = |list: &mut dyn Iterator<Item = usize>| -> Vec<String> {
        list.map(|n| format!("m{n:02}")).collect()
    };
    let all = lint(scratch.folder(), &[]).expect(0);
    assert_eq!(packages(&all), names(&mut (0..30)));
    let findings: Vec<_> = found(&all)
        .into_iter()
        .map(|(package, _)| package)
        .collect();
    assert_eq!(findings, names(&mut (0..30)), "each once");
    let again = lint(scratch.folder(), &["--workspace", "--all-targets"]).expect(0);
    assert_eq!(found(&again), found(&all));

    let some = lint(scratch.folder(), &["-p", "m1*"]).expect(0);
    assert_eq!(packages(&some), names(&mut (10..20)));
    let rest = lint(
        scratch.folder(),
        &["--workspace", "--exclude", "m[1-2]*", "--exclude", "m0?"],
    );
    rest.expect(2).says(&["no package"]);
    let rest = lint(scratch.folder(), &["--workspace", "--exclude", "m[02]*"]);
    assert_eq!(packages(&rest.expect(0)), names(&mut (10..20)));

    let inside = scratch.folder().join("crates/m07");
    assert_eq!(packages(&lint(&inside, &[]).expect(0)), ["m07"]);
    assert_eq!(packages(&lint(&inside, &["--all"]).expect(0)).len(), 30);
    let said = run_in(&inside, &[]).expect(0);
    assert!(
        said.stdout.contains("crates/m07/src/lib.rs:1:"),
        "{}",
        said.stdout
    );
}

#[test]
fn a_manifest_outside_the_current_folder() {
    let there = Scratch::library("habits-outside", LARGE);
    let here = Scratch::empty("habits-inside");
    let path = format!(
        "../{}/Cargo.toml",
        there.folder().file_name().unwrap().display()
    );
    let said = run_in(here.folder(), &["--manifest-path", &path]).expect(0);
    assert!(said.stdout.contains("src/lib.rs:1:"), "{}", said.stdout);
    assert!(!here.folder().join("target").exists());
    let said = run_in(
        here.folder(),
        &["--manifest-path", &path, "--with", "check"],
    )
    .expect(0);
    said.says(&["Finished", "1 warning"]);
    assert!(there.folder().join("target/debug").is_dir());
    assert!(!here.folder().join("target").exists());
}

#[test]
fn spaces_and_letters_of_all_kinds() {
    let scratch = Scratch::empty("habits-names")
        .file(
            "größer als 🦀/Cargo.toml",
            manifest("names", "\n[workspace]\n"),
        )
        .file(
            "größer als 🦀/src/lib.rs",
            "#[path = \"é ü.rs\"]\npub mod odd;\n",
        )
        .file("größer als 🦀/src/é ü.rs", LARGE);
    let folder = scratch.folder().join("größer als 🦀");
    let said = run_in(&folder, &[]).expect(0);
    assert!(said.stdout.contains("src/é ü.rs:1:"), "{}", said.stdout);
    let said = lint(&folder, &["--with", "check", "--target-dir", "ein Ordner"]).expect(0);
    assert_eq!(
        said.findings()[0]["message"]["spans"][0]["file_name"],
        "src/é ü.rs"
    );
    assert!(folder.join("ein Ordner/debug").is_dir());
    // The package id, as an editor passes it.
    let id = said.findings()[0]["package_id"]
        .as_str()
        .expect("an id")
        .to_owned();
    assert_eq!(found(&lint(&folder, &["-p", &id]).expect(0)).len(), 1);
}

#[test]
fn what_several_targets_share_is_reported_once() {
    let scratch = Scratch::library("habits_shared", "pub mod shared;\n")
        .file("src/main.rs", "mod shared;\nfn main() {}\n")
        .file(
            "src/bin/other.rs",
            "#[path = \"../shared.rs\"]\nmod shared;\nfn main() {}\n",
        )
        .file(
            "tests/it.rs",
            "#[path = \"../src/shared.rs\"]\nmod shared;\n",
        )
        .file("src/shared.rs", LARGE);
    for arguments in [&[][..], &["--all-targets"], &["--bins"]] {
        let said = lint(scratch.folder(), arguments).expect(0);
        assert_eq!(found(&said).len(), 1, "{arguments:?}");
        assert_eq!(packages(&said).len(), 1, "{arguments:?}");
        let said = run_in(scratch.folder(), arguments).expect(0);
        said.says(&["1 type: 1 warning"]);
    }
}

#[test]
fn nobody_reads_on() {
    for arguments in [
        &["sizes"][..],
        &[],
        &["--with", "check", "--message-format", "json"],
    ] {
        let scratch = Scratch::library("habits_unread", LARGE);
        let mut child = weigh(scratch.folder())
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it starts");
        drop(child.stdout.take());
        let mut stderr = String::new();
        let mut pipe = child.stderr.take().expect("it has one");
        pipe.read_to_string(&mut stderr).expect("it is text");
        let status = child.wait().expect("it ends");
        assert_eq!(status.code(), Some(0), "{arguments:?}\n{stderr}");
        assert!(!stderr.contains("error"), "{stderr}");
    }
}

#[test]
fn quiet_and_verbose() {
    let text = format!("{LARGE}pub struct Known;\npub struct Unknown(pub gone::Gone);\n");
    let scratch = Scratch::library("habits_quiet", &text);
    let with = |arguments: &[&str], variables: &[(&str, &str)]| {
        let mut command = weigh(scratch.folder());
        run(command.args(arguments).envs(variables.iter().copied()))
    };
    let quiet = with(&["-q"], &[]);
    assert!(
        !quiet.stdout.is_empty() && quiet.stderr.is_empty(),
        "{}",
        quiet.stderr
    );
    assert_eq!(with(&[], &[("CARGO_TERM_QUIET", "true")]).stderr, "");
    let plain = with(&[], &[]);
    assert!(plain.stderr.contains("-v says why"), "{}", plain.stderr);
    let reason = "1 type of unknown size";
    assert!(!plain.stderr.contains(reason), "{}", plain.stderr);
    // Unless that is true of most, or there is something to do about it.
    assert!(!plain.stderr.contains("`gone::Gone`"), "{}", plain.stderr);
    let macros = format!("{LARGE}pub struct Known;\n#[hides]\npub struct Unknown(u8);\n");
    let macros = Scratch::library("habits_hidden", &macros);
    let macros = run_in(macros.folder(), &[]).expect(0);
    macros.says(&["1 of them of assumed size"]);
    let most = Scratch::library("habits_unknown", "pub struct Unknown(pub gone::Gone);\n");
    let most = run_in(most.folder(), &[]).expect(0);
    most.says(&["unknown sizes: 1 of 1 type", "`gone::Gone` was not found"]);
    let verbose = [
        with(&["-v"], &[]),
        with(&[], &[("CARGO_TERM_VERBOSE", "true")]),
        with(&["-v"], &[("CARGO_TERM_QUIET", "true")]),
    ];
    for said in verbose {
        assert!(said.stderr.contains(reason), "{}", said.stderr);
        assert_eq!(said.stdout, plain.stdout);
    }
    run_in(scratch.folder(), &["-q", "-v"]).expect(2);
}

#[test]
fn colours() {
    let scratch = Scratch::library("habits_colours", LARGE);
    // Arguments, variables, whether the output is coloured.
    type Case = (
        &'static [&'static str],
        &'static [(&'static str, &'static str)],
        bool,
    );
    let cases: [Case; 9] = [
        (&[], &[], false),
        (&["--color", "always"], &[], true),
        (&[], &[("CARGO_TERM_COLOR", "always")], true),
        (&[], &[("CLICOLOR_FORCE", "1")], true),
        (&["--color", "always"], &[("NO_COLOR", "1")], true),
        (
            &["--color", "never"],
            &[("CARGO_TERM_COLOR", "always")],
            false,
        ),
        (
            &[],
            &[("CARGO_TERM_COLOR", "never"), ("CLICOLOR_FORCE", "1")],
            false,
        ),
        (
            &["--color", "auto"],
            &[("CARGO_TERM_COLOR", "always")],
            false,
        ),
        (&["--color", "never"], &[("CLICOLOR_FORCE", "1")], false),
    ];
    for (arguments, variables, coloured) in cases {
        for rest in [
            &[][..],
            &["--help"],
            &["--no-such-flag"],
            &["explain", "nothing"],
        ] {
            let mut command = weigh(scratch.folder());
            command.args(arguments).args(rest);
            let said = run(command.envs(variables.iter().copied()));
            for text in [&said.stdout, &said.stderr] {
                let found = text.contains('\u{1b}');
                assert_eq!(
                    found,
                    coloured && !text.is_empty(),
                    "{arguments:?} {variables:?} {rest:?}\n{text}"
                );
            }
        }
    }
    let plain = lint(scratch.folder(), &["--color", "always"]).expect(0);
    assert!(!plain.stdout.contains('\u{1b}'), "JSON has no colours");
}

/// Creates packages with targets of every kind, each of which defines one type.
fn targets(name: &str) -> Scratch {
    let of = |package: &str, rest: &str| {
        manifest(
            package,
            &format!("\n[features]\ndefault = []\nextra = []\n{rest}"),
        )
    };
    let gated = "\n[[bin]]\nname = \"gated\"\nrequired-features = [\"extra\"]\n";
    let mut scratch = Scratch::empty(name)
        .file(
            "Cargo.toml",
            "[workspace]\nmembers = [\"one\", \"two\", \"tree\"]\ndefault-members = [\"one\", \"two\"]\nresolver = \"3\"\n\n[profile.mine]\ninherits = \"release\"\n",
        )
        .file("one/Cargo.toml", of("one", gated))
        .file("two/Cargo.toml", of("two", ""))
        .file("tree/Cargo.toml", of("tree", ""))
        .file("tree/src/main.rs", "pub struct T;\nfn main() {}\n");
    let main = "pub struct T;\nfn main() {}\n";
    for package in ["one", "two"] {
        let paths = [
            "src/lib.rs".to_owned(),
            format!("src/bin/{package}-x.rs"),
            format!("examples/{package}-example.rs"),
            format!("tests/{package}-test.rs"),
            format!("benches/{package}-bench.rs"),
        ];
        for path in paths {
            scratch = scratch.file(&format!("{package}/{path}"), main);
        }
    }
    scratch
        .file("one/src/main.rs", main)
        .file("one/src/bin/gated.rs", main)
}

/// Returns what cargo would build for a selection: package and source of each root of its unit
/// graph.
fn asked_of_cargo(folder: &Path, arguments: &[&str]) -> BTreeSet<(String, String)> {
    let mut command = cargo();
    command
        .current_dir(folder)
        .env("RUSTC_BOOTSTRAP", "1")
        .args(["check", "--unit-graph", "-Zunstable-options"]);
    let said = run(command.args(arguments)).expect(0);
    let graph: Value = serde_json::from_str(&said.stdout).expect("a graph");
    let roots = graph["roots"].as_array().expect("roots");
    let unit = |root: &Value| {
        let unit = &graph["units"][root.as_u64().expect("an index") as usize];
        let id = unit["pkg_id"].as_str().expect("an id");
        let package = ["one", "two", "tree"]
            .into_iter()
            .find(|p| id.contains(&format!("/{p}#")));
        let source = unit["target"]["src_path"].as_str().expect("a path");
        let source = source
            .rsplit_once(&format!("/{}/", package.unwrap()))
            .expect("it lies there");
        (package.unwrap().to_owned(), source.1.to_owned())
    };
    roots.iter().map(unit).collect()
}

fn asked_of_us(folder: &Path, arguments: &[&str]) -> BTreeSet<(String, String)> {
    let said = run(weigh(folder)
        .args(["sizes", "--message-format", "json"])
        .args(arguments));
    let word = |line: &Value, key: &str| line[key].as_str().expect("a word").to_owned();
    let lines = said.expect(0).json().into_iter();
    lines
        .map(|line| {
            let (package, file) = (word(&line, "package"), word(&line, "file"));
            let inside = file.strip_prefix(&format!("{package}/"));
            (
                package,
                inside
                    .expect("paths begin at the workspace's root")
                    .to_owned(),
            )
        })
        .collect()
}

#[test]
fn cargos_selections_mean_what_they_mean_to_cargo() {
    let scratch = targets("habits-targets");
    let folder = scratch.folder();
    let id = format!("path+file://{}/two#0.1.0", folder.display());
    let url = format!("file://{}/two", folder.display());
    let cases: &[&[&str]] = &[
        &[],
        &["--workspace"],
        &["--all"],
        &["-p", "one"],
        &["--package=tree"],
        &["-p", "one@0.1.0", "-p", "tree"],
        &["-p", "two@0.1"],
        &["-p", "t*"],
        &["-p", "?ne"],
        &["-p", "[no]*", "--bin", "*-[xy]"],
        &["-p", &id],
        &["-p", &url],
        &["--workspace", "--exclude", "one"],
        &["--workspace", "--exclude", "t*"],
        &["--lib"],
        &["--bins"],
        &["--bin", "one"],
        &["--bin", "two-x", "--lib"],
        &["--bin", "*-x"],
        &["--examples"],
        &["--example", "one-example"],
        &["--tests"],
        &["--test", "two-test", "--bins"],
        &["--benches"],
        &["--bench", "one-bench"],
        &["--all-targets"],
        &["--all-targets", "--workspace", "--all-features"],
        &["--features", "extra", "-p", "one"],
        &["-F", "one/extra two/extra"],
        &["-F", "one/extra,two/extra", "--bin", "gated"],
        &["--all-features", "--no-default-features"],
        &["--release", "--lib"],
        &["-r", "--keep-going", "-j", "1"],
        &["--profile", "mine", "-j", "default"],
        &["--profile=release", "--bins"],
        &["--manifest-path", "tree/Cargo.toml"],
        &["--manifest-path", "one/Cargo.toml", "--workspace", "--lib"],
        &["--config", "profile.dev.debug-assertions=false", "-j-1"],
        &["--offline", "--target-dir", "elsewhere", "--bins"],
        &["--frozen", "-p", "one", "-p", "two", "--lib"],
        &["--locked", "--target", "i686-unknown-linux-gnu", "--lib"],
    ];
    // Some of the cases may not write a lock file.
    run(cargo().current_dir(folder).arg("generate-lockfile")).expect(0);
    // A sample; `.ci/slow tests` runs all of them.
    for arguments in few(cases, 16) {
        let theirs = asked_of_cargo(folder, arguments);
        assert!(!theirs.is_empty(), "{arguments:?}");
        assert_eq!(asked_of_us(folder, arguments), theirs, "{arguments:?}");
    }
    let inside = folder.join("one");
    for arguments in [&[][..], &["--workspace", "--lib"], &["-p", "two"]] {
        let theirs = asked_of_cargo(&inside, arguments);
        assert_eq!(asked_of_us(&inside, arguments), theirs, "{arguments:?}");
    }
}

#[test]
#[ignore = "slow: .ci/slow tests"]
fn a_selection_that_matches_nothing() {
    let scratch = targets("habits-nothing");
    let cases: &[(&[&str], &str)] = &[
        // First, because the others write a lock file.
        (&["--frozen"], "lock"),
        (&["-p", "on"], "`one`"),
        (&["-p", "x*"], "`x*`"),
        (&["-p", "one@0.2.0"], "`one@0.2.0`"),
        (&["-p", "path+file:///nowhere#one@0.1.0"], "nowhere"),
        (&["--workspace", "--exclude", "*"], "no package"),
        (&["--exclude", "one"], "--workspace"),
        (&["--bin", "one-y"], "`one-x`"),
        (&["--bin", "y*"], "`y*`"),
        (&["--bin", "gated"], "`extra`"),
        (&["-p", "tree", "--lib"], "no target"),
        (&["-p", "tree", "--test", "one-test"], "`one-test`"),
        (&["--profile", "your"], "`your`"),
        (&["--features", "none"], "none"),
        (&["--manifest-path", "three/Cargo.toml"], "three/Cargo.toml"),
        (&["--config", "nowhere.toml"], "nowhere.toml"),
        (&["--target", "no-such-triple"], "no-such-triple"),
        (&["-j", "0"], "jobs"),
        (&["--release", "--profile", "mine"], "--profile"),
    ];
    for (arguments, word) in cases {
        for before in [&[][..], &["sizes"]] {
            let said = run(weigh(scratch.folder()).args(before).args(*arguments));
            assert_eq!(said.code, 2, "{arguments:?}\n{}", said.stderr);
            assert_eq!(said.stdout, "", "{arguments:?}");
            assert!(
                said.stderr.contains(word),
                "{arguments:?} {word}\n{}",
                said.stderr
            );
        }
    }
}

#[test]
fn build_flags_change_sizes_as_they_change_builds() {
    let text = "#[cfg(debug_assertions)]\npub struct S(pub [usize; 2]);\n\
                #[cfg(not(debug_assertions))]\npub struct S(pub usize);\n";
    let scratch = Scratch::library("habits_flags", text)
        .file("mine.toml", "[profile.dev]\ndebug-assertions = false\n");
    let cases: &[(&[&str], u64)] = &[
        (&[], 16),
        (&["--release"], 8),
        (&["--profile", "release"], 8),
        (&["--profile", "test"], 16),
        (
            &["--config", "profile.release.debug-assertions=true", "-r"],
            16,
        ),
        (&["--config", "mine.toml"], 8),
        (&["--target", "i686-unknown-linux-gnu"], 8),
    ];
    let default = ["--target", "x86_64-unknown-linux-gnu"];
    for (arguments, size) in cases {
        let mut command = weigh(scratch.folder());
        command.args(["sizes", "--message-format", "json"]);
        if !arguments.contains(&"--target") {
            command.args(default);
        }
        let said = run(command.args(*arguments)).expect(0);
        said.knows(&[("S", *size)]);
    }
    // rust-analyzer passes its `check.targets` in this form.
    let two = ["sizes", "--target", "i686-unknown-linux-gnu"];
    let said = run_in(scratch.folder(), &[&two[..], &default].concat()).expect(0);
    for triple in ["i686-unknown-linux-gnu:\n", "x86_64-unknown-linux-gnu:\n"] {
        assert!(said.stdout.contains(triple), "{}", said.stdout);
    }
    // `layout` draws for one target.
    let two = ["layout", "S", "--target", "i686-unknown-linux-gnu"];
    let said = run_in(scratch.folder(), &[&two[..], &default].concat()).expect(0);
    said.says(&["several targets", "the first, i686-unknown-linux-gnu"]);
}

#[test]
fn completions() {
    let help = run_in(&fixture("showcase"), &["--help"]).expect(0).stdout;
    let listed = help
        .split("Commands:\n")
        .nth(1)
        .expect("a list of commands");
    let commands: Vec<&str> = listed
        .lines()
        .take_while(|line| !line.is_empty())
        .filter_map(|line| {
            line.strip_prefix("  ")?
                .split(' ')
                .next()
                .filter(|w| !w.is_empty())
        })
        .collect();
    assert!(
        commands.len() > 5 && commands.contains(&"completions"),
        "{commands:?}"
    );
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let said = run_in(&fixture("showcase"), &["completions", shell]).expect(0);
        assert_eq!(said.stderr, "");
        for word in commands
            .iter()
            .chain(&["manifest-path", "message-format", "with"])
        {
            assert!(said.stdout.contains(word), "{shell}: {word}");
        }
    }
    run_in(&fixture("showcase"), &["completions", "tcsh"])
        .expect(2)
        .says(&["tcsh", "zsh"]);
}

#[test]
fn names_that_are_nearly_right() {
    let folder = fixture("showcase");
    for (arguments, words) in [
        (&["size"][..], &["'sizes'"][..]),
        (&["explian", "large_err"], &["'explain'"]),
        (
            &["explain", "nothing"],
            &["no lint `nothing`", "cargo weigh lints"],
        ),
        (
            &["-D", "large_enum_variant"],
            &["the equivalent lint is `oversized_variant`"],
        ),
        (
            &["sizes", "--target", "x86_64-unknown-linux-gni"],
            &["no target", "`x86_64-unknown-linux-gnu`"],
        ),
        (
            &["--target", "foo"],
            &["no target `foo`", "--print target-list"],
        ),
    ] {
        let said = run_in(&folder, arguments).expect(2).says(words);
        assert!(said.stderr.lines().count() < 9, "{}", said.stderr);
    }
    let lints = run_in(&folder, &["lints"]).expect(0).stdout;
    assert_eq!(run_in(&folder, &["explain"]).expect(0).stdout, lints);
    for name in [
        "large_enum_variant",
        "clippy::large_enum_variant",
        "oversized",
    ] {
        let said = run_in(&folder, &["explain", name]).expect(0);
        assert!(
            said.stdout.starts_with("# weigh::oversized_variant"),
            "{}",
            said.stdout
        );
        assert_eq!(
            said.stderr.contains("a Clippy lint"),
            name.contains("large"),
            "{}",
            said.stderr
        );
    }
}

/// In bash, which most systems have.
#[cfg(unix)]
#[test]
fn completions_in_bash() {
    const ASK: &str = r#"
        _cargo() { COMPREPLY=(build); }
        source completions
        for line in 'cargo weigh si' 'cargo weigh --with ' 'cargo weigh sizes --asse' 'cargo bu' 'cargo-weigh ver'; do
            IFS=' ' read -ra COMP_WORDS <<<"$line"
            [[ $line == *' ' ]] && COMP_WORDS+=('')
            COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
            complete=$(complete -p "${COMP_WORDS[0]}")
            function=${complete#*-F }
            ${function%% *} "${COMP_WORDS[0]}" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
            echo "${COMPREPLY[*]}"
        done
    "#;
    let script = run_in(&fixture("showcase"), &["completions", "bash"])
        .expect(0)
        .stdout;
    let scratch = Scratch::empty("habits-bash").file("completions", script);
    let mut bash = std::process::Command::new("bash");
    bash.current_dir(scratch.folder())
        .args(["--norc", "-c", ASK]);
    if bash.output().is_err() {
        println!("skipped: there is no bash");
        return;
    }
    let said = run(&mut bash).expect(0);
    assert_eq!(
        said.stdout, "sizes\ncheck clippy\n--assert\nbuild\nverify\n",
        "{}",
        said.stderr
    );
}

/// In other shells, if they are installed.
#[cfg(unix)]
#[test]
fn completions_in_fish_and_zsh() {
    const FISH: &str = "
        source completions
        for line in 'cargo-weigh si' 'cargo-weigh sizes --asse' 'cargo weigh ver' 'cargo-weigh --with ch'
            complete -C $line | string split -f 1 \\t
        end";
    // zsh completes only on a terminal: each line is typed with a tab, and the completed one awaited.
    const ZSH: &str = r#"
        zmodload zsh/zpty
        zpty -b shell 'PS1= zsh -f -i'
        zpty -w shell "stty cols 200; fpath=($PWD \$fpath); autoload -Uz compinit; compinit -u -d $PWD/dump; echo is''ready"
        await() {
            local all= chunk
            for _ in {1..300}; do
                while zpty -r -t shell chunk; do all+=$chunk; done
                [[ $all == *$1* ]] && { echo $1; return; }
                sleep 0.1
            done
            echo "no $1 in $all"
        }
        await isready
        for line in si:sizes 'sizes --asse:sizes --assert' 'fix --allow-n:fix --allow-no-vcs' '--wi:--with'; do
            zpty -n -w shell $'\x15'"cargo-weigh ${line%%:*}"$'\t'
            await "cargo-weigh ${line#*:}"
        done
        zpty -d shell"#;
    for (shell, script, file, answer) in [
        (
            "fish",
            FISH,
            "completions",
            "sizes\n--assert\nverify\ncheck\n",
        ),
        (
            "zsh",
            ZSH,
            "_cargo-weigh",
            "isready\ncargo-weigh sizes\ncargo-weigh sizes --assert\n\
             cargo-weigh fix --allow-no-vcs\ncargo-weigh --with\n",
        ),
    ] {
        let completions = run_in(&fixture("showcase"), &["completions", shell]).expect(0);
        let scratch = Scratch::empty(&format!("habits-{shell}")).file(file, completions.stdout);
        let mut command = std::process::Command::new(shell);
        command
            .current_dir(scratch.folder())
            .env("HOME", scratch.folder());
        command.args(["-c", script]);
        if command.output().is_err() {
            println!("skipped: needs {shell}");
            continue;
        }
        let said = run(&mut command);
        assert_eq!(said.stdout, answer, "{shell}: {}", said.stderr);
    }
}

#[test]
fn manual_pages() {
    let folder = fixture("showcase");
    let page = run_in(&folder, &["man"]).expect(0).stdout;
    let help = run_in(&folder, &["--help"]).expect(0).stdout;
    let head = ".TH cargo-weigh 1 \"\" \"cargo-weigh 0.1.0\" \"Cargo Manual\"\n";
    assert!(page.contains(head), "{page}");
    for line in help.lines().filter_map(|l| l.trim().strip_prefix("--")) {
        let is_part = |c: &char| c.is_alphanumeric() || *c == '-';
        let name: String = line.chars().take_while(is_part).collect();
        let name = format!("\\-\\-{}", name.replace('-', "\\-"));
        assert!(page.contains(&name), "{name}");
    }
    let page = run_in(&folder, &["man", "sizes"]).expect(0).stdout;
    assert!(page.contains("cargo\\-weigh\\-sizes") && page.contains("\\-\\-assert"));
    run_in(&folder, &["man", "size"])
        .expect(2)
        .says(&["`size`"]);
    // `man` formats it without a warning.
    let scratch = Scratch::empty("habits-man").file("page.1", page);
    let mut man = std::process::Command::new("man");
    man.current_dir(scratch.folder())
        .args(["--warnings", "-l", "page.1"]);
    match man.output() {
        Ok(output) => assert_eq!(String::from_utf8_lossy(&output.stderr), ""),
        Err(_) => println!("skipped: needs man"),
    }
}

/// If rustup has chosen the compiler already, it is not run through rustup again.
#[cfg(unix)]
#[test]
fn rustup_has_chosen() {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};
    let said = run(std::process::Command::new("rustc").args(["--print", "sysroot"])).expect(0);
    let real = Path::new(said.stdout.trim()).join("bin/rustc");
    let scratch = Scratch::library("habits_rustup", "pub struct One(u32, u8);")
        .file(
            "bin/rustup",
            format!("#!/bin/sh\n> asked\nexec '{}' \"$@\"\n", real.display()),
        )
        .file("home/toolchains/chosen/bin/empty", "");
    let folder = scratch.folder();
    let mode = fs::Permissions::from_mode(0o755);
    fs::set_permissions(folder.join("bin/rustup"), mode).expect("it is ours");
    symlink("rustup", folder.join("bin/rustc")).expect("it is ours");
    symlink(real, folder.join("home/toolchains/chosen/bin/rustc")).expect("it is ours");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::iter::once(folder.join("bin")).chain(std::env::split_paths(&path));
    let path = std::env::join_paths(path).expect("folders that can be on it");
    for (chosen, asked) in [("chosen", false), ("gone", true)] {
        let mut sizes = weigh(folder);
        sizes.args(["sizes", "--message-format", "json"]);
        sizes.env("PATH", &path).env("RUSTUP_TOOLCHAIN", chosen);
        sizes.env("RUSTUP_HOME", folder.join("home"));
        // Cargo's own rustup proxy would fail for these toolchains.
        let cargo = std::env::var_os("CARGO").expect("cargo runs the tests");
        let said = run(sizes.env("CARGO", cargo)).expect(0);
        said.knows(&[("One", 8)]);
        assert_eq!(folder.join("asked").exists(), asked, "{chosen}");
    }
}

/// A terminal shows progress while cargo is slow.
#[cfg(target_os = "linux")]
#[test]
fn progress() {
    use std::os::unix::fs::PermissionsExt;
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let slow = format!("#!/bin/sh\n[ \"$1\" = metadata ] && sleep 0.5\nexec '{cargo}' \"$@\"\n");
    let scratch = Scratch::library("habits_progress", "").file("slow.sh", slow);
    let slow = scratch.folder().join("slow.sh");
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(&slow, mode).expect("it is ours");
    let shown = |arguments: &str, variables: &[(&str, &str)]| {
        let program = weigh_tests::program().display();
        let mut terminal = std::process::Command::new("script");
        terminal
            .current_dir(scratch.folder())
            .args([
                "-qec",
                &format!("'{program}' weigh {arguments}"),
                "/dev/null",
            ])
            .env_remove("CI")
            .env("TERM", "xterm")
            .envs(variables.iter().copied())
            .stdin(Stdio::null());
        terminal.output().is_ok().then(|| run(&mut terminal).stdout)
    };
    let is_shown = |text: &str| text.contains("asking cargo");
    let slow = ("CARGO", slow.to_str().expect("a plain path"));
    let Some(long) = shown("", &[slow]) else {
        println!("skipped: no `script` makes a terminal here");
        return;
    };
    assert!(is_shown(&long), "{long:?}");
    let last = long.rfind("asking cargo").expect("it is there");
    let after = &long[last..];
    let gone = after.find("\u{1b}[2K").expect("it is taken away");
    assert!(after[gone..].contains("Weighed"), "{after:?}");
    let never = ("CARGO_TERM_PROGRESS_WHEN", "never");
    let silent: [(&str, &[(&str, &str)]); 4] = [
        ("-q", &[slow]),
        ("--message-format short >/dev/null", &[slow, ("CI", "1")]),
        ("", &[slow, never]),
        ("--message-format json", &[slow]),
    ];
    std::thread::scope(|scope| {
        for (arguments, variables) in silent {
            let shown = &shown;
            scope.spawn(move || {
                let said = shown(arguments, variables).unwrap_or_default();
                assert!(!is_shown(&said), "{arguments} {variables:?}: {said:?}");
            });
        }
    });
}
