//! Levels, configuration, suppressions and the baseline, on a workspace of two members.

use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use weigh_tests::project::Scratch;
use weigh_tests::{Run, fixture, run, weigh, workbench};

const VARIABLES: [&str; 2] = ["CARGO_WEIGH_LEVELS", "CARGO_BUILD_WARNINGS"];

fn lint(folder: &std::path::Path, environment: &[(&str, &str)], args: &[&str]) -> Run {
    let mut command = weigh(folder);
    for variable in VARIABLES {
        command.env_remove(variable);
    }
    command.envs(environment.iter().copied());
    command.args(["--message-format", "json", "--offline"]);
    run(command.args(args))
}

fn fixture_with(args: &[&str]) -> Run {
    let target = workbench("config");
    let mut all = vec!["--target-dir", target.to_str().unwrap()];
    all.extend(args);
    lint(&fixture("config"), &[], &all)
}

/// Returns a copy of the fixture to modify.
fn copy(name: &str) -> Scratch {
    Scratch::empty(name).copy(&fixture("config"), "")
}

/// The table that `init` adds changes nothing, neither commented out nor in effect.
#[test]
fn the_table_of_init_holds_the_defaults() {
    let members = "[workspace]\nmembers = [\"one\"]\nresolver = \"3\"\n";
    let package = "[package]\nname = \"one\"\nversion = \"0.1.0\"\nedition = \"2024\"";
    let text = "pub enum Large { Small(u8), Rare([u8; 500]) }\npub struct Few(pub Vec<Large>);\n";
    for (name, root, place, key) in [
        ("init-package", package, "", "package"),
        ("init-workspace", members, "one/", "workspace"),
    ] {
        let outside = Scratch::outside(name)
            .file(&format!("{place}Cargo.toml"), package)
            .file("Cargo.toml", root)
            .file(&format!("{place}src/lib.rs"), text);
        let folder = outside.folder();
        let found = || {
            let said = lint(folder, &[], &["--workspace"]).expect(0);
            assert!(!said.stderr.contains("warning"), "{}", said.stderr);
            said.findings()
        };
        let manifest = || fs::read_to_string(folder.join("Cargo.toml")).expect("it is there");
        let before = found();
        assert!(!before.is_empty());
        let init = || run(weigh(&folder.join(place)).args(["init", "--offline"]));
        init().expect(0).says(&[&format!("[{key}.metadata.weigh]")]);
        assert!(manifest().starts_with(root));
        assert_eq!(found(), before);
        init().expect(2).says(&["already"]);
        // Uncomments all keys except the example of a budget.
        let is_key = |line: &&str| line.contains(" = ") && !line.contains("ast::Expr");
        let told: Vec<_> = (manifest().lines())
            .map(|line| match line.strip_prefix("# ").filter(is_key) {
                Some(key) => key.to_owned(),
                None => line.to_owned(),
            })
            .collect();
        assert!(told.iter().any(|line| line.starts_with("saved-percent = ")));
        fs::write(folder.join("Cargo.toml"), told.join("\n")).expect("ours to write");
        assert_eq!(found(), before);
    }
}

fn edit(scratch: &Scratch, path: &str, from: &str, to: &str) {
    let path = scratch.folder().join(path);
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains(from), "{from}");
    fs::write(path, text.replacen(from, to, 1)).unwrap();
}

/// Returns the unqualified names of the types that a lint reports.
fn types(said: &Run, lint: &str) -> BTreeSet<String> {
    let findings = said.findings().into_iter();
    let ours = findings.filter(|f| f["weigh"]["lint"] == lint);
    let name = |f: Value| {
        let path = f["weigh"]["type"].as_str().unwrap().to_owned();
        path.rsplit("::").next().unwrap().to_owned()
    };
    ours.map(name).collect()
}

/// Returns rustc's names of the levels of a lint's findings in a package.
fn levels(said: &Run, package: &str, lint: &str) -> BTreeSet<String> {
    let findings = said.findings().into_iter();
    let ours = findings.filter(|f| f["weigh"]["package"] == package && f["weigh"]["lint"] == lint);
    ours.map(|f| f["message"]["level"].as_str().unwrap().to_owned())
        .collect()
}

/// Returns the names in the fixture's sources that start with a prefix.
fn named(word: &str) -> BTreeSet<String> {
    let files = [
        "first/src/lib.rs",
        "first/src/made.rs",
        "second/src/lib.rs",
        "second/src/private.rs",
    ];
    let texts = files.map(|f| fs::read_to_string(fixture("config").join(f)).unwrap());
    let words = texts.iter().flat_map(|t| t.split_whitespace());
    let words = words.filter(|w| w.starts_with(word) && w.chars().all(char::is_alphanumeric));
    words.map(str::to_owned).collect()
}

#[test]
fn what_is_suppressed_is_not_said() {
    let said = fixture_with(&["--workspace", "-v"]).expect(1).says(&[
        "18 findings suppressed, 18 of them worth a warning: 11 by comments, 4 by levels of \
         Clippy's lints, 3 by exclusions in the manifest",
    ]);
    // As many as the list has that the summary names, with `-v` or without.
    let listed =
        run(weigh(&fixture("config")).args(["--workspace", "--show-suppressed"])).expect(1);
    let listed = listed.says(&["18 findings suppressed", "`--show-suppressed` lists them"]);
    let lines = listed
        .stdout
        .lines()
        .filter(|l| l.contains(": suppressed "));
    assert_eq!(lines.count(), 18, "{}", listed.stdout);
    fs::create_dir_all(workbench("suppressed")).expect("a folder");
    let page = workbench("suppressed").join("weigh.html");
    let path = page.to_str().expect("a path in UTF-8");
    run(weigh(&fixture("config")).args(["report", "--workspace", "--output", path]))
        .expect(1)
        .says(&[&format!("Wrote {path}")]);
    let page = fs::read_to_string(page).expect("the page");
    assert!(page.contains("18 findings suppressed"));
    let shown = named("Shown");
    assert!(shown.len() > 10, "{shown:?}");
    assert_eq!(types(&said, "oversized_variant"), shown);
    let budgets = ["Pair", "Small"].map(str::to_owned);
    assert_eq!(types(&said, "over_budget"), BTreeSet::from(budgets));
}

#[test]
fn comments_without_effect_say_so_where_they_stand() {
    let said = fixture_with(&["--workspace"]);
    let text = fs::read_to_string(fixture("config").join("second/src/faults.rs")).unwrap();
    let mut expected: Vec<(u64, &str)> = Vec::new();
    for (n, line) in text.lines().enumerate() {
        let words = line.trim().strip_prefix("// || ");
        expected.extend(words.map(|words| (n as u64 + 2, words)));
    }
    let findings = said.findings().into_iter();
    let ours: Vec<_> = findings
        .filter(|f| {
            let lint = f["weigh"]["lint"].as_str().unwrap();
            lint == "invalid_suppression" || lint == "unfulfilled_expectation"
        })
        .map(|f| f["message"].clone())
        .collect();
    assert_eq!(ours.len(), expected.len(), "{ours:#?}");
    for (message, (line, words)) in ours.iter().zip(expected) {
        let said = message["message"].as_str().unwrap();
        assert!(said.contains(words), "{said}");
        assert_eq!(message["spans"][0]["line_start"], line, "{said}");
        assert_eq!(message["level"], "warning");
    }
    let denied = fixture_with(&["-p", "second", "-A", "layout", "-D", "comments"]).expect(1);
    assert!(levels(&denied, "second", "invalid_suppression").contains("error"));
    fixture_with(&["-p", "second", "-A", "layout", "-A", "comments"]).expect(0);
}

#[test]
fn the_nearer_source_of_a_level_wins() {
    let oversized = |environment: &[(&str, &str)], args: &[&str]| {
        let target = workbench("config");
        let mut all = vec!["--workspace", "--target-dir", target.to_str().unwrap()];
        all.extend(args);
        let said = lint(&fixture("config"), environment, &all);
        ["first", "second"].map(|p| {
            let levels = levels(&said, p, "oversized_variant");
            levels.into_iter().collect::<Vec<_>>().join(" ")
        })
    };
    // The package's level overrides the workspace's; each package has its own.
    assert_eq!(oversized(&[], &[]), ["warning", "error"]);
    let environment = [("CARGO_WEIGH_LEVELS", "-A oversized_variant")];
    assert_eq!(oversized(&environment, &[]), ["", ""]);
    assert_eq!(
        oversized(&environment, &["-D", "layout"]),
        ["error", "error"]
    );
    let environment = [("CARGO_WEIGH_LEVELS", "-W layout")];
    assert_eq!(oversized(&environment, &[]), ["warning", "warning"]);
    let both = [environment[0], ("CARGO_BUILD_WARNINGS", "deny")];
    assert_eq!(oversized(&both, &[]), ["error", "error"]);
    assert_eq!(
        oversized(&both, &["-W", "warnings"]),
        ["warning", "warning"]
    );
    let hidden = [("CARGO_BUILD_WARNINGS", "allow")];
    assert_eq!(oversized(&hidden, &[]), ["", "error"]);
    assert_eq!(
        oversized(&[], &["--", "-D", "warnings"]),
        ["error", "error"]
    );
    assert_eq!(oversized(&[], &["-A", "all"]), ["", ""]);
}

#[test]
fn nothing_lowers_forbid() {
    let said = fixture_with(&["--workspace", "--forbid", "layout", "-A", "all"]).expect(1);
    let found = types(&said, "oversized_variant");
    let hidden = ["HiddenAbove", "HiddenByClippy", "HiddenInFile"];
    assert!(hidden.iter().all(|h| found.contains(*h)), "{found:?}");
    let said = fixture_with(&["-p", "first", "--forbid", "layout"]).expect(1);
    let messages: Vec<_> = said.findings().into_iter().collect();
    let told = |f: &Value| {
        let text = f["message"]["message"].as_str().unwrap();
        text == "`layout` is at level `forbid`, which no comment lowers"
    };
    assert!(messages.iter().any(told));
}

#[test]
fn mistakes_in_the_environment_are_errors() {
    for (variable, value, words) in [
        ("CARGO_WEIGH_LEVELS", "-D layuot", "did you mean `layout`"),
        ("CARGO_WEIGH_LEVELS", "deny", "`deny` is not a lint level"),
        ("CARGO_BUILD_WARNINGS", "denied", "`denied`"),
    ] {
        let target = workbench("config");
        let args = ["--target-dir", target.to_str().unwrap()];
        let said = lint(&fixture("config"), &[(variable, value)], &args);
        said.expect(2).says(&[variable, words]);
    }
}

#[test]
fn mistakes_in_a_manifest_are_errors_at_their_line() {
    let table = "[package.metadata.weigh]\n";
    for (own, column, words) in [
        (
            "lint = {}",
            1,
            "no key `lint` in `[package.metadata.weigh]`; did you mean `lints`?",
        ),
        ("colour = 1", 1, "the keys are `lints`"),
        (
            "lints = { layuot = \"deny\" }",
            11,
            "no lint `layuot`; did you mean `layout`?",
        ),
        ("lints = { layout = \"denny\" }", 20, "did you mean `deny`?"),
        ("lints = { layout = true }", 20, "not a boolean"),
        (
            "exclude-types = \"a\"",
            17,
            "`exclude-types` wants a list of strings, not a string",
        ),
        ("exclude-paths = [\"a***\"]", 18, "`a***` is no pattern"),
        (
            "transparent-attributes = [1]",
            27,
            "a list of strings, not an integer",
        ),
        ("avoid-breaking-exported-api = 1", 31, "true or false"),
        ("budgets = { A = -1 }", 17, "`A` wants a number from 0 on"),
        ("budgets = { A = \"8\" }", 17, "`A` wants a whole number"),
        ("oversized_variant = \"deny\"", 21, "a table of settings"),
        (
            "repeated_text = { max = 1 }",
            19,
            "`repeated_text` has no settings",
        ),
        (
            "oversized_variant.saved-byte = 1",
            19,
            "did you mean `saved-bytes`?",
        ),
    ] {
        let scratch = Scratch::library("mistakes", "pub struct A(u8);");
        let manifest = scratch.folder().join("Cargo.toml");
        let text = fs::read_to_string(&manifest).unwrap();
        let line = text.lines().count() + 2;
        let scratch = scratch.file("Cargo.toml", format!("{text}{table}{own}\n"));
        let said = lint(scratch.folder(), &[], &[]).expect(2);
        said.says(&[words, &format!("Cargo.toml:{line}:{column}"), own]);
    }
}

#[test]
fn what_a_manifest_asks_in_vain_is_a_warning() {
    let scratch = copy("in-vain");
    let budget = "budgets = { \"Smal\" = 8, \"Pair\" = 3, \"crate::Small\" = 16 }";
    edit(
        &scratch,
        "first/Cargo.toml",
        "budgets = { \"Small\" = 8, \"Pair<u64>\" = 12 }",
        budget,
    );
    let said = lint(scratch.folder(), &[], &["-p", "first"]).expect(0).says(&[
        "first/Cargo.toml:13:22: no type `Smal` is defined in what was analysed; did you mean `Small`?",
        "`Pair` cannot be held against its budget: ",
    ]);
    assert!(types(&said, "over_budget").is_empty());
}

#[test]
fn clippys_table_counts() {
    let scratch = copy("clippy");
    let plain = |table: &str| {
        let text = fs::read_to_string(fixture("config").join("first/Cargo.toml")).unwrap();
        let manifest = scratch.folder().join("first/Cargo.toml");
        fs::write(manifest, format!("{text}\n{table}")).unwrap();
        let said = lint(scratch.folder(), &[], &["-p", "first"]);
        types(&said, "oversized_variant")
    };
    let hidden = plain("[lints.clippy]\nlarge_enum_variant = \"allow\"");
    // An attribute overrides the manifest.
    assert_eq!(hidden, BTreeSet::from(["ShownAgainByClippy".to_owned()]));
    let group = "[lints.clippy]\nperf = { level = \"allow\", priority = -1 }\n";
    assert_eq!(plain(group).len(), 1);
    assert!(plain(&format!("{group}large_enum_variant = \"warn\"")).len() > 5);
    assert!(plain("[lints.clippy]\nvec_box = \"allow\"").len() > 5);
}

#[test]
fn a_published_api_can_be_left_alone() {
    let scratch = copy("exported");
    let said = lint(scratch.folder(), &[], &["-p", "second"]);
    assert_eq!(types(&said, "oversized_variant").len(), 3);
    edit(
        &scratch,
        "Cargo.toml",
        "exclude-types",
        "avoid-breaking-exported-api = true\nexclude-types",
    );
    let said = lint(scratch.folder(), &[], &["-p", "second"]);
    let found = types(&said, "oversized_variant");
    assert_eq!(found, BTreeSet::from(["ShownNotExported".to_owned()]));
}

#[test]
fn a_baseline_keeps_what_is_old_and_lets_through_what_is_new() {
    let scratch = copy("baseline");
    let folder = scratch.folder();
    let path = folder.join("weigh.baseline.json");
    let weighed = |args: &[&str]| lint(folder, &[], args);
    let all = ["--workspace", "-A", "comments"];
    weighed(&all).expect(1);
    let written = weighed(&[&all[..], &["--write-baseline"]].concat()).expect(0);
    assert!(written.findings().is_empty());
    let baseline = fs::read_to_string(&path).unwrap();
    let lines: Vec<Value> = serde_json::from_str(&baseline).unwrap();
    assert_eq!(lines.len(), named("Shown").len() + 2 + 1);
    assert_eq!(baseline.lines().count(), lines.len() + 1);
    let sorted: Vec<_> = baseline.lines().filter(|l| l.starts_with(',')).collect();
    assert!(sorted.is_sorted(), "{baseline}");
    let quiet = weighed(&[&all[..], &["-v"]].concat()).expect(0);
    assert!(quiet.findings().is_empty());
    quiet.says(&[" by the baseline"]);
    // A run without findings says why there are none.
    run(weigh(folder).args(all))
        .expect(0)
        .says(&[" by the baseline (`--show-suppressed`"]);

    // Lines move, one type disappears, another appears.
    edit(
        &scratch,
        "second/src/private.rs",
        "ShownNotExported",
        "NotSeenBefore",
    );
    edit(&scratch, "first/src/lib.rs", "mod made;", "\n\n\nmod made;");
    let said = weighed(&all).expect(1).says(&[
        "stale entry: oversized_variant in `private::ShownNotExported` (`Frame`) of second",
        "use `--write-baseline` to remove stale entries",
    ]);
    let line = "{\"package\":\"second\",\"lint\":\"oversized_variant\",\"type\":\"Gone\"}";
    let many = baseline.replace("]\n", &format!(",{line}\n").repeat(10_000)) + "]\n";
    fs::write(&path, many).unwrap();
    let much = run(weigh(folder).args(all)).says(&["9981 more stale entries (-v names them)"]);
    assert_eq!(much.stderr.matches("stale entry:").count(), 20);
    fs::write(&path, &baseline).unwrap();
    let new = BTreeSet::from(["NotSeenBefore".to_owned()]);
    assert_eq!(types(&said, "oversized_variant"), new);
    assert_eq!(
        fs::read_to_string(&path).unwrap(),
        baseline,
        "only a flag writes it"
    );

    // Entries of packages that are not analysed are not stale, and stay.
    let other = weighed(&["-p", "first", "-A", "all"]).expect(0);
    assert!(!other.stderr.contains("stale"), "{}", other.stderr);
    weighed(&["-p", "first", "-A", "all", "--write-baseline"]).expect(0);
    assert_eq!(fs::read_to_string(&path).unwrap(), baseline);
    weighed(&["-p", "second", "--write-baseline"]).expect(0);
    let updated = fs::read_to_string(&path).unwrap();
    assert_eq!(
        updated,
        baseline.replace("ShownNotExported", "NotSeenBefore")
    );
    weighed(&all).expect(0);

    // A file in the middle of a merge.
    let broken = baseline.replacen("\n,", "\n<<<<<<< ours\n,", 3);
    fs::write(&path, &broken).unwrap();
    for flag in ["--write-baseline", "--keep-going"] {
        weighed(&[&all[..], &[flag]].concat())
            .expect(2)
            .says(&["weigh.baseline.json:2:1", "<<<<<<< ours"]);
    }
    assert_eq!(fs::read_to_string(&path).unwrap(), broken);
    let names = fs::read_dir(folder)
        .unwrap()
        .map(|e| e.unwrap().file_name());
    let parts = names.filter(|n| n.to_string_lossy().starts_with(".weigh-"));
    assert_eq!(parts.count(), 0, "nothing is left behind");
}
