//! Tests expanded procedural macros: results with `--proc-macros` against rustc, and macros that
//! misbehave.

use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;
use weigh_tests::project::Scratch;
use weigh_tests::rustc::{Truth, truth};
use weigh_tests::{fixture, run, run_to_an_end, weigh, workbench};

type Lines = BTreeMap<String, Vec<Value>>;

fn sizes(folder: &Path, target: &Path) -> Command {
    let mut command = weigh(folder);
    command.args(["sizes", "--lib", "--message-format", "json", "--target-dir"]);
    command.arg(target);
    command
}

fn lines(list: Vec<Value>) -> Lines {
    let mut lines = Lines::new();
    for line in list {
        let path = line["path"].as_str().expect("a line has a path").to_owned();
        lines.entry(path).or_default().push(line);
    }
    lines
}

/// Compares results with rustc: returns those that are wrong, and those unknown.
fn judge<'t>(truth: &'t [Truth], lines: &'t Lines) -> (Vec<String>, Vec<(&'t str, String)>) {
    let (mut wrong, mut unknown) = (Vec::new(), Vec::new());
    for one in truth.iter().filter(|t| t.expect != "absent") {
        match lines.get(&one.path).map(Vec::as_slice) {
            Some([line]) if line["exact"] == true => {
                if line["size"] != one.size || line["align"] != one.align {
                    wrong.push(format!("{} is {}: {line}", one.path, one.size));
                }
            }
            Some([line]) => {
                let least = line["min_size"].as_u64();
                if least.is_none_or(|least| least > one.size) {
                    wrong.push(format!("{} is {}: {line}", one.path, one.size));
                }
                unknown.push((one.path.as_str(), line["reason"].to_string()));
            }
            Some(_) => wrong.push(format!("{} is listed twice", one.path)),
            None => unknown.push((one.path.as_str(), "is not listed".to_owned())),
        }
    }
    (wrong, unknown)
}

fn paths<'t>(unknown: &[(&'t str, String)]) -> Vec<&'t str> {
    unknown.iter().map(|(path, _)| *path).collect()
}

#[test]
fn all_that_macros_write_is_known() {
    let folder = fixture("expanded");
    let target = workbench("expanded");
    let truth = truth(&folder, &target);
    let said = run_to_an_end(sizes(&folder, &target).arg("--proc-macros"))
        .expect(0)
        .says(&["procedural macros are run (`--proc-macros`)"]);
    let said = lines(said.json());
    let (wrong, unknown) = judge(&truth, &said);
    assert!(
        wrong.is_empty() && unknown.is_empty(),
        "{wrong:#?}\n{unknown:#?}"
    );
    let verbose = run_to_an_end(sizes(&folder, &target).args(["--proc-macros", "-v"])).expect(0);
    verbose.says(&[
        "derive `Hidden` of `macros`: as is supposed of it in ",
        "derive `Twin` of `macros`: not as is supposed of it in ",
        ": adds `InnerTwin`",
        "attribute macro `wider` of `macros`: not as is supposed of it in ",
        ": changes `Behind`",
    ]);
    // The output of a derive has the span of its call, that of an attribute the span of the item.
    let text = fs::read_to_string(folder.join("src/lib.rs")).expect("it is there");
    let line_of = |words: &str| text.lines().position(|l| l == words).map(|i| i + 1);
    for (path, at) in [
        ("OneTwin", "#[derive(Clone, Twin)]"),
        ("Wide", "pub struct Wide {"),
        ("Made", "macros::make! { u32, bool }"),
    ] {
        let line = &said[path][0];
        assert_eq!(
            line["line"].as_u64(),
            line_of(at).map(|l| l as u64),
            "{line}"
        );
        assert_eq!(line["file"], "src/lib.rs");
    }
    // Without the flag nothing is run, and nothing is stated about macro output.
    let said = run(&mut sizes(&folder, &target)).expect(0);
    assert!(!said.stderr.contains("procedural"), "{}", said.stderr);
    let without = lines(said.json());
    let (wrong, unknown) = judge(&truth, &without);
    assert!(wrong.is_empty(), "{wrong:#?}");
    let unknown = paths(&unknown);
    for path in [
        "Wide",
        "OneTwin",
        "Made",
        "OfHidden",
        "OfMembers",
        "late::Late",
    ] {
        assert!(unknown.contains(&path), "{path}");
    }
}

#[test]
#[ignore = "slow: .ci/slow tests"]
fn a_macro_that_misbehaves_costs_itself_alone() {
    let folder = fixture("expanded");
    let target = workbench("expanded-bad");
    let truth = truth(&folder, &target);
    let mut command = sizes(&folder, &target);
    let said = run_to_an_end(command.arg("--proc-macros").env("MISBEHAVE", "1"));
    // Infinite recursion is an error of the source.
    let said = said.expect(2).says(&["128 calls inside one another"]);
    let said = lines(said.json());
    let (wrong, unknown) = judge(&truth, &said);
    assert!(wrong.is_empty(), "{wrong:#?}");
    let bad = [
        "bad::Again",
        "bad::OfPanics",
        "bad::OfEndless",
        "bad::OfExits",
        "bad::OfAllocates",
    ];
    assert_eq!(paths(&unknown), bad, "{unknown:#?}");
    for (words, (path, why)) in [
        "was not expanded: macro expansion stopped here",
        "it panicked: nobody expects this",
        "it did not end within 10 s",
        "it ended the process that it was run in",
        // Elsewhere it has the memory.
        "it ended the process that it was run in, which may use 512 MiB of memory",
    ]
    .iter()
    .zip(&unknown)
    {
        assert!(why.contains(words), "{path}: {why}");
    }
}

#[test]
fn what_the_oracle_does_not_know_is_known_or_says_why() {
    let folder = fixture("oracle").join("attributes");
    let target = workbench("expanded-oracle");
    let truth = truth(&folder, &target);
    let said = run_to_an_end(sizes(&folder, &target).arg("--proc-macros")).expect(0);
    let said = lines(said.json());
    let (wrong, unknown) = judge(&truth, &said);
    assert!(wrong.is_empty(), "{wrong:#?}");
    // Attributes on macros, calls and `extern` blocks are not expanded.
    let left = [
        "HoldsDeclared",
        "changed::OfRules",
        "changed::OfCall",
        "shadowed::counts::Added",
    ];
    assert_eq!(paths(&unknown), left, "{unknown:#?}");
    for path in [
        "Widened",
        "OfTypeMacro",
        "shadowed::derived::ByGlob",
        "changed::OfTrait",
    ] {
        assert!(!paths(&unknown).contains(&path), "{unknown:#?}");
    }
}

/// Creates a project with a macro that defines a type of this size in bytes.
fn made(name: &str, bytes: u32) -> Scratch {
    let package = |name: &str, more: &str| {
        format!("[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2021\"\n{more}")
    };
    let dependency =
        "[dependencies]\nmakes = { path = \"makes\" }\n[workspace]\nmembers = [\"makes\"]\n";
    Scratch::empty(name)
        .file("Cargo.toml", package("user", dependency))
        .file("src/lib.rs", "makes::make!();\n")
        .file(
            "makes/Cargo.toml",
            package("makes", "[lib]\nproc-macro = true\n"),
        )
        .file("makes/src/lib.rs", makes(bytes))
}

fn makes(bytes: u32) -> String {
    format!(
        "#[proc_macro]\npub fn make(_: proc_macro::TokenStream) -> proc_macro::TokenStream {{\n    \
         \"pub struct Made([u8; {bytes}]); pub struct Holds(Gone);\".parse().unwrap()\n}}\n"
    )
}

fn build(folder: &Path) {
    let mut cargo = weigh_tests::cargo();
    cargo
        .current_dir(folder)
        .args(["rustc", "-q", "--lib", "--target-dir", "target"]);
    // `Holds` does not compile, but the macro crate does.
    let said = run(cargo.env_remove("CARGO_TARGET_DIR"));
    assert!(said.stderr.contains("Gone"), "{}", said.stderr);
}

fn reason(folder: &Path, more: &[&str]) -> (Vec<String>, String) {
    let mut command = sizes(folder, Path::new("target"));
    let said = run(command.args(more).arg("-v"));
    let paths = said
        .json()
        .iter()
        .map(|l| format!("{} {}", l["path"], l["size"]))
        .collect();
    (paths, said.stderr)
}

#[test]
#[ignore = "slow: .ci/slow tests"]
fn the_library_is_that_of_the_last_build() {
    let scratch = made("expanded-stale", 3);
    let folder = scratch.folder().to_owned();
    let none: Vec<String> = Vec::new();
    let asked = |folder: &Path| reason(folder, &["--proc-macros"]);
    // The macro is not built yet.
    assert_eq!(asked(&folder).0, none);
    build(&folder);
    let (types, said) = asked(&folder);
    assert_eq!(types, ["\"Holds\" null", "\"Made\" 3"], "{said}");
    // The build is older than the source.
    std::thread::sleep(std::time::Duration::from_millis(20));
    let scratch = scratch.file("makes/src/lib.rs", makes(5));
    assert_eq!(asked(&folder).0, none);
    build(&folder);
    assert_eq!(asked(&folder).0, ["\"Holds\" null", "\"Made\" 5"]);
    // The build has other features.
    let manifest = folder.join("makes/Cargo.toml");
    let text = fs::read_to_string(&manifest).expect("it is there");
    let scratch = scratch.file(
        "makes/Cargo.toml",
        format!("{text}[features]\ndefault = [\"x\"]\nx = []\n"),
    );
    assert_eq!(asked(&folder).0, none);
    build(&folder);
    assert_eq!(asked(&folder).0, ["\"Holds\" null", "\"Made\" 5"]);
    drop(scratch);
}

#[test]
fn a_manifest_may_ask_for_it_and_a_stranger_not() {
    let scratch = made("expanded-asked", 3);
    let folder = scratch.folder().to_owned();
    build(&folder);
    let manifest = folder.join("Cargo.toml");
    let text = fs::read_to_string(&manifest).expect("it is there");
    let table = "[workspace.metadata.weigh]\nproc-macros = true\n";
    let scratch = scratch.file("Cargo.toml", format!("{text}{table}"));
    let (types, said) = reason(&folder, &[]);
    assert_eq!(types.len(), 2, "{said}");
    assert!(said.contains("procedural macros are run"), "{said}");
    // Untrusted code cannot enable macros itself.
    let (types, said) = reason(&folder, &["--no-project-config"]);
    assert_eq!(types.len(), 0, "{said}");
    let (_, said) = reason(&folder, &["--no-project-config", "--proc-macros"]);
    assert!(
        said.contains("cannot be used with `--proc-macros`"),
        "{said}"
    );
    let wrong = table.replace("true", "1");
    let _scratch = scratch.file("Cargo.toml", format!("{text}{wrong}"));
    let said = run(weigh(&folder).args(["--target-dir", "target"])).expect(2);
    said.says(&["`proc-macros` wants true or false"]);
}

#[test]
fn rustc_agrees_with_what_macros_wrote() {
    let folder = fixture("expanded");
    let target = workbench("expanded-verify");
    truth(&folder, &target);
    let mut command = weigh(&folder);
    command.args(["verify", "--proc-macros", "--lib", "--target-dir"]);
    let said = run_to_an_end(command.arg(target)).expect(0);
    assert!(
        said.stdout.contains("0 wrong") || !said.stdout.contains("wrong"),
        "{said:?}"
    );
}

#[test]
fn macros_that_macros_declare_are_seen() {
    let package = |name: &str, more: &str| {
        format!("[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2021\"\n{more}")
    };
    let on = |name: &str| format!("[dependencies]\n{name} = {{ path = \"../{name}\" }}\n");
    // Crates with known names: the effect of `Dupe` is known though another's macro declares it.
    let scratch = Scratch::empty("expanded-declared")
        .file("Cargo.toml", "[workspace]\nmembers = [\"*\"]\nexclude = [\"target\"]\n")
        .file("user/Cargo.toml", package("user", &on("dupe_derive")))
        .file(
            "user/src/lib.rs",
            "mod glob { pub struct Field(u16); }\nuse glob::*;\nuse dupe_derive::Dupe;\n\
             #[derive(Dupe)] pub struct Held(Field);\n",
        )
        .file(
            "dupe_derive/Cargo.toml",
            package("dupe_derive", &format!("[lib]\nproc-macro = true\n{}", on("synstructure"))),
        )
        .file("dupe_derive/src/lib.rs", "synstructure::decl_derive!([Dupe] => dupe);\n")
        .file("synstructure/Cargo.toml", package("synstructure", ""))
        .file(
            "synstructure/src/lib.rs",
            "#[macro_export] macro_rules! decl_derive { ([$name:ident] => $inner:path) => {\n\
             #[proc_macro_derive($name)] pub fn $name(i: TokenStream) -> TokenStream { $inner(i) }\n\
             } }\n",
        );
    let mut command = sizes(&scratch.folder().join("user"), Path::new("target"));
    let said = lines(run(&mut command).expect(0).json());
    assert_eq!(said["Held"][0]["size"], 2, "{:?}", said["Held"]);
}
