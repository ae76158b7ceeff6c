//! Tests `cargo weigh fix`: its changes compile and reach rustc's sizes; failed fixes and foreign
//! files are left unchanged.

use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Command;
use weigh_tests::project::Scratch;
use weigh_tests::{Run, cargo, few, run, weigh};

const MANIFEST: &str =
    "[package]\nname = \"demo\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[workspace]\n";

/// An enum that a box shrinks; rustc's own suggestions complete the change in `width`.
const LINE: &str = "pub enum Line {
    None,
    Thin(u8),
    Wide([u64; 30]),
}

pub fn width(line: &Line) -> usize {
    let size: [u64; 30] = match line {
        Line::Wide(x) => *x,
        _ => return 0,
    };
    size.len()
}

pub struct Lines {
    pub all: Vec<Vec<Line>>,
    pub more: Vec<Line>,
}
";

/// An enum whose examples can be edited in the comments, and one whose example is a constant.
const SHOWN: &str = "/// One of them.
///
/// ```
/// # use demo::shown::Shown;
/// let shown = Shown::Wide([1; 30]);
/// assert!(matches!(shown, Shown::Wide(_)));
/// ```
pub enum Shown {
    None,
    Thin(u8),
    Wide([u64; 30]),
}

/// ```
/// const FIRST: demo::shown::Kept = demo::shown::Kept::Wide([1; 30]);
/// ```
///
/// ```ignore
/// let kept = demo::shown::Kept::Wide(1, 2);
/// ```
pub enum Kept {
    None,
    Thin(u8),
    Wide([u64; 30]),
}

pub struct AllShown {
    pub all: Vec<Vec<Shown>>,
    pub kept: Vec<Vec<Kept>>,
}
";

/// An enum that cannot be boxed, since a constant cannot allocate.
const FIXED: &str = "pub enum Fixed {
    Wide([u64; 30]),
    Thin(u8),
    None,
}

pub const FIRST: Fixed = Fixed::Wide([1; 30]);

pub struct AllFixed {
    pub all: Vec<Vec<Fixed>>,
    pub more: Vec<Fixed>,
}
";

struct Project {
    scratch: Scratch,
}

impl Project {
    /// Creates a package whose library has these modules, all committed.
    fn new(name: &str, modules: &[(&str, &str)]) -> Project {
        let mut lib = String::new();
        let mut scratch = Scratch::outside(&format!("weigh-fix-{name}"))
            .file("Cargo.toml", MANIFEST)
            .file(".gitignore", "target\nCargo.lock\n");
        for (module, text) in modules {
            lib.push_str(&format!("pub mod {module};\n"));
            scratch = scratch.file(&format!("src/{module}.rs"), text);
        }
        Project::committed(scratch.file("src/lib.rs", lib))
    }

    fn committed(scratch: Scratch) -> Project {
        let project = Project { scratch };
        project.git(&["init", "--quiet"]);
        project.commit();
        project
    }

    fn folder(&self) -> &Path {
        self.scratch.folder()
    }

    fn git(&self, args: &[&str]) -> Run {
        let mut git = Command::new("git");
        git.current_dir(self.folder())
            .args(["-c", "user.name=t", "-c", "user.email=t@t.example"]);
        run(git.args(args)).expect(0)
    }

    fn commit(&self) {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--message", "x"]);
    }

    /// Lists the files that differ from the commit.
    fn changed(&self) -> Vec<String> {
        let said = self.git(&["status", "--porcelain"]);
        said.stdout.lines().map(|l| l[3..].to_owned()).collect()
    }

    fn text(&self, path: &str) -> String {
        let bytes = fs::read(self.folder().join(path)).expect("a file of this test");
        String::from_utf8(bytes).expect("text")
    }

    fn fix(&self, args: &[&str]) -> Run {
        let mut command = weigh(self.folder());
        run(command.args(["fix", "--offline"]).args(args))
    }

    /// Returns the rows of the table, and the summary.
    fn rows(&self, args: &[&str]) -> (Vec<Value>, Value) {
        let args = [&["--message-format", "json"], args].concat();
        let mut rows = self.fix(&args).expect(0).json();
        let end = rows.pop().expect("there is an end");
        assert_eq!(end["outcome"], "summary", "{end}");
        (rows, end)
    }

    fn compiles(&self) {
        let mut command = cargo();
        command
            .current_dir(self.folder())
            .args([
                "check",
                "--all-targets",
                "--workspace",
                "--offline",
                "--quiet",
            ])
            .env("CARGO_TARGET_DIR", self.folder().join("target"));
        run(&mut command).expect(0);
    }
}

/// A package with these other files, all committed.
fn package(name: &str, files: &[(&str, &str)]) -> Project {
    let scratch = Scratch::outside(&format!("weigh-fix-{name}"));
    let scratch = scratch.file(".gitignore", "target\nCargo.lock\n");
    let add = |scratch: Scratch, (path, text): &(&str, &str)| scratch.file(path, text);
    Project::committed(files.iter().fold(scratch, add))
}

fn row<'r>(rows: &'r [Value], ty: &str) -> &'r Value {
    let found = rows.iter().find(|row| row["type"] == ty);
    found.unwrap_or_else(|| panic!("no row about {ty}: {rows:?}"))
}

#[test]
fn what_compiles_is_kept_and_the_rest_is_dropped() {
    let project = Project::new("both", &[("line", LINE), ("fixed", FIXED)]);
    let (rows, end) = project.rows(&["--dry-run"]);
    assert_eq!(project.changed(), Vec::<String>::new());
    assert_eq!((&end["fixed"], &end["dry_run"]), (&1.into(), &true.into()));
    let line = row(&rows, "line::Line");
    assert_eq!(
        (&line["size_before"], &line["size_after"]),
        (&248.into(), &16.into())
    );

    let said = project
        .fix(&[])
        .expect(0)
        .says(&["Fixed 1 finding in 1 file"]);
    assert!(said.stdout.contains("248 → 16"), "{said:?}");
    assert_eq!(project.changed(), ["src/line.rs"]);
    assert!(project.text("src/line.rs").contains("Wide(Box<[u64; 30]>)"));
    project.compiles();
    project.commit();

    // A second run changes nothing.
    let (rows, end) = project.rows(&[]);
    assert_eq!(end["fixed"], 0, "{rows:?}");
    assert_eq!(project.changed(), Vec::<String>::new());
    for row in &rows {
        assert_eq!(
            (&row["type"], &row["outcome"]),
            (&"fixed::Fixed".into(), &"dropped".into())
        );
        let (error, file) = (&row["error"], "src/fixed.rs");
        assert_eq!(
            (&error["file"], &error["line"]),
            (&file.into(), &7.into()),
            "{row}"
        );
    }
}

/// rustc is asked for shorter forms of what the edits wrote: those that mean the same, and no others.
#[test]
fn shorter_forms_that_mean_the_same() {
    let text = "use std::error::Error;
use std::fmt;
use std::path::{Path, PathBuf};

pub struct Row {
    /// A `Vec` of numbers. See [`Vec`].
    pub cells: Vec<u64>,
    /// An absolute `PathBuf`.
    #[allow(unused)]
    pub from: PathBuf,
}

pub struct Rows {
    pub all: Vec<Vec<Row>>,
}

pub fn row(path: &dyn AsRef<Path>, cells: &[u64]) -> Row {
    let cells = cells.iter().map(|cell| cell + 1).collect();
    Row { cells, from: path.as_ref().into() }
}

macro_rules! needed {
    ($name:ident) => {
        $name.ok_or(\"none\")?
    };
}

/// The field says what is collected.
pub fn last(text: &str, from: Option<&Path>) -> Result<Row, &'static str> {
    let mut cells = None;
    for part in text.split(' ') {
        cells = Some(part.bytes().map(u64::from).collect());
    }
    let from = from.map(|from| from.to_owned());
    Ok(Row { cells: needed!(cells), from: needed!(from) })
}

/// What the author wrote so stays so.
pub fn one(cells: Vec<u64>, from: &Path) -> (Row, Box<[u64]>) {
    let copy = cells.clone(); let kept = Vec::into_boxed_slice(copy);
    (Row { cells, from: from.to_path_buf() }, kept)
}

#[derive(Debug)]
pub struct Deep(pub [u64; 9]);

impl fmt::Display for Deep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, \"{}\", self.0[0])
    }
}

impl Error for Deep {}

#[derive(Debug)]
pub enum Fault {
    Gone(u8),
    Deep(Deep),
}

pub struct Faults {
    pub all: Vec<Vec<Fault>>,
}

impl Fault {
    pub fn first(found: Option<u8>, all: &mut dyn Iterator<Item = u64>) -> Result<u8, Fault> {
        found.ok_or(Fault::Deep(Deep([all.next().unwrap_or(0); 9])))
    }

    pub fn of(found: Option<u8>, at: u64) -> Result<u8, Fault> {
        found.ok_or(Fault::Deep(Deep([at; 9])))
    }

    pub fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Fault::Gone(_) => None,
            Fault::Deep(deep) => Some(deep),
        }
    }
}
";
    let project = package("shorter", &[("Cargo.toml", MANIFEST), ("src/lib.rs", text)]);
    project.fix(&["-W", "weigh::pedantic"]).expect(0);
    let fixed = project.text("src/lib.rs");
    for line in [
        "use std::path::Path;",
        "    /// A `Box<[u64]>` of numbers. See [`Vec`].\n    pub cells: Box<[u64]>,",
        "    /// An absolute `Box<Path>`.\n    #[allow(unused)]\n    pub from: Box<Path>,",
        "    Row { cells, from: path.as_ref().into() }",
        "Ok(Row { cells: needed!(cells), from: needed!(from).into_boxed_path() })",
        "let kept = Vec::into_boxed_slice(copy);",
        // The iterator is asked once, whatever was found.
        "found.ok_or(Fault::Deep(Box::new(Deep([all.next().unwrap_or(0); 9]))))",
        "found.ok_or_else(|| Fault::Deep(Box::new(Deep([at; 9]))))",
        "Fault::Deep(deep) => Some(&**deep),",
    ] {
        assert!(fixed.contains(line), "no `{line}` in:\n{fixed}");
    }
    project.compiles();
}

/// An `impl` for the box is written where it changes fewer lines than a box at each value.
#[test]
fn many_values_that_into_gives() {
    let module = |count: usize| {
        let mut text = String::from(
            "pub enum Fault {
    Gone(u8),
    Deep(Deep),
}

pub struct Faults {
    pub all: Vec<Vec<Fault>>,
    pub some: Vec<Fault>,
}

pub struct Deep([u64; 9]);

pub struct Inner(u64);

impl From<Inner> for Deep {
    fn from(inner: Inner) -> Deep {
        Deep([inner.0; 9])
    }
}

pub fn own(deep: Deep) -> Fault {
    Fault::Deep(deep)
}
",
        );
        for n in 0..count {
            text +=
                &format!("\npub fn f{n}() -> Fault {{\n    Fault::Deep(Inner({n}).into())\n}}\n");
        }
        text
    };
    // One that is there, a bound that would be repeated, and a type that two enums have.
    let known = module(9)
        + "\nimpl From<Inner> for Box<Deep> {\n    fn from(inner: Inner) -> Self {\n        \
           Box::new(Deep([inner.0; 9]))\n    }\n}\n";
    let bound = module(9).replace("for Deep {", "for Deep\nwhere\n    Inner: Sized,\n{");
    let twice = module(9)
        + "\npub enum Other {\n    Gone(u8),\n    Deep(Deep),\n}\n\npub struct Others {\n    \
           pub all: Vec<Vec<Other>>,\n    pub some: Vec<Other>,\n}\n"
        + &module(9)
            .split("\npub fn f0")
            .nth(1)
            .map(|calls| format!("\npub fn f0{calls}"))
            .unwrap_or_default()
            .replace("fn f", "fn g")
            .replace("Fault", "Other");
    let others = [("known", &*known), ("bound", &bound), ("twice", &twice)];
    let modules = [("few", &*module(2)), ("many", &*module(9))];
    let project = Project::new("into", &[&modules[..], &others].concat());
    project.fix(&["-W", "weigh::pedantic"]).expect(0);
    for (of, _) in others {
        let text = project.text(&format!("src/{of}.rs"));
        assert!(text.contains("    Deep(Box<Deep>),"), "{text}");
        assert!(!text.contains("fn from(value: Inner)"), "{text}");
    }
    for (of, at_each, by_impl) in [("few", 3, 0), ("many", 1, 9)] {
        let text = project.text(&format!("src/{of}.rs"));
        let count = |part: &str| text.matches(part).count();
        assert_eq!(count("Fault::Deep(Box::new("), at_each, "{text}");
        assert_eq!(count("Fault::Deep(Inner("), by_impl, "{text}");
        let written = "impl From<Inner> for Box<Deep> {\n    fn from(value: Inner) -> Self {\n        \
                       Box::new(value.into())\n    }\n}\n";
        assert_eq!(count(written), usize::from(by_impl > 0), "{text}");
    }
    project.compiles();
}

/// Blocks and included files have examples too, and an edit may need a line of its own there.
#[test]
fn documentation_of_all_kinds() {
    let block = "/**\n * ```\n * use demo::shown::Shown;\n * match Shown::Wide([1; 30]) {\n *     \
                 Shown::Wide(all) => {\n *         let all: [u64; 30] = all;\n *     }\n *     _ => {}\n * }\n * ```\n */\npub fn f() {}\n";
    let shown = SHOWN.split("/// ```\n/// const").next().unwrap_or_default();
    let project = package(
        "kinds",
        &[
            // As cargo publishes it.
            (
                "Cargo.toml",
                &MANIFEST.replace("[workspace]", "autoexamples = false\n\n[workspace]"),
            ),
            (
                "README.md",
                "# A\n\n```\nlet one = demo::shown::Shown::Wide([1; 30]);\n```\n",
            ),
            (
                "src/lib.rs",
                "#![doc = include_str!(\"../README.md\")]\npub mod shown;\n",
            ),
            (
                "src/shown.rs",
                &format!(
                    "{shown}\n{block}\npub struct All {{\n    pub all: Vec<Vec<Shown>>,\n}}\n"
                ),
            ),
        ],
    );
    // A file that may not be replaced is left as it is, and what needs an edit there is left out.
    let readme = project.folder().join("README.md");
    let may = fs::metadata(&readme)
        .expect("a file of this test")
        .permissions();
    let mut not = may.clone();
    not.set_readonly(true);
    fs::set_permissions(&readme, not).expect("a file of this test");
    let (rows, _) = project.rows(&["--dry-run"]);
    assert_eq!(row(&rows, "shown::Shown")["outcome"], "dropped", "{rows:?}");
    fs::set_permissions(&readme, may).expect("a file of this test");
    let (rows, _) = project.rows(&[]);
    assert_eq!(row(&rows, "shown::Shown")["outcome"], "fixed", "{rows:?}");
    assert_eq!(project.changed(), ["README.md", "src/shown.rs"]);
    let readme = project.text("README.md");
    assert!(readme.contains("Wide(Box::new([1; 30]))"), "{readme}");
    let text = project.text("src/shown.rs");
    assert!(
        text.contains(" *     Shown::Wide(all) => {\n *         let all: [u64; 30] = *all;"),
        "{text}"
    );
    let mut command = cargo();
    command.current_dir(project.folder());
    command.args(["test", "--doc", "--offline", "--quiet"]);
    run(command.env("CARGO_TARGET_DIR", project.folder().join("target"))).expect(0);
}

/// What users of a library have to follow is said, left out or done, as asked; a binary has none.
#[test]
fn documentation_examples_compile_too() {
    let project = Project::new("shown", &[("shown", SHOWN)]);
    let (rows, _) = project.rows(&[]);
    let (shown, kept) = (row(&rows, "shown::Shown"), row(&rows, "shown::Kept"));
    assert_eq!(
        (&shown["outcome"], &kept["outcome"]),
        (&"fixed".into(), &"dropped".into())
    );
    assert_eq!(shown["not_edited"], Value::Null);
    // The error is where the reader can see it.
    assert_eq!(kept["error"]["file"], "src/shown.rs");
    assert_eq!(kept["error"]["line"], 15);
    let text = project.text("src/shown.rs");
    assert!(
        text.contains("/// let shown = Shown::Wide(Box::new([1; 30]));\n"),
        "{text}"
    );
    assert_eq!(project.changed(), ["src/shown.rs"]);
    let mut command = cargo();
    command.current_dir(project.folder());
    command.args(["test", "--doc", "--offline", "--quiet"]);
    run(command.env("CARGO_TARGET_DIR", project.folder().join("target"))).expect(0);
}

#[test]
fn what_changes_the_public_api() {
    let manifest =
        format!("{MANIFEST}[package.metadata.weigh]\navoid-breaking-exported-api = true\n");
    let project = Project::new("breaking", &[("line", LINE)]);
    let line = "changes the public API of `demo`: 1 type; `--no-breaking` leaves that out";
    let said = project.fix(&["--dry-run"]).expect(0).says(&[line]);
    assert!(
        said.stdout.contains("\n    changes the public API\n"),
        "{said:?}"
    );
    let (rows, end) = project.rows(&["--dry-run", "--no-breaking"]);
    assert_eq!((&end["fixed"], rows.len()), (&0.into(), 0), "{rows:?}");
    fs::write(project.folder().join("Cargo.toml"), manifest).expect("a file of this test");
    project.commit();
    let (_, end) = project.rows(&["--dry-run"]);
    assert_eq!(end["fixed"], 0, "the manifest leaves it out");
    let (rows, end) = project.rows(&["--dry-run", "--breaking"]);
    assert_eq!(
        (&end["fixed"], &rows[0]["breaking"]),
        (&1.into(), &true.into())
    );
    project.fix(&["--breaking", "--no-breaking"]).expect(2);
    // What is private concerns nobody else.
    let project = Project::committed(
        Scratch::outside("weigh-fix-private")
            .file("Cargo.toml", MANIFEST)
            .file("src/main.rs", format!("{LINE}\nfn main() {{}}\n"))
            .file(".gitignore", "target\nCargo.lock\n"),
    );
    let said = project.fix(&["--dry-run", "--no-breaking"]).expect(0);
    let said = said.says(&["Checked 1 finding"]);
    assert!(!format!("{said:?}").contains("public API"), "{said:?}");
}

/// In a file that rustfmt leaves as it is an edit may make a line too long; another keeps its form.
#[test]
fn what_was_formatted_stays_formatted() {
    let body = "pub enum Message {\n    Tick,\n    Payload([u64; 40]),\n}\n\n\
        pub fn several(first: [u64; 40]) -> Vec<Message> {\n    \
        vec![Message::Payload(first), Message::Tick, Message::Tick]\n}\n";
    let other = body.replace("Tick,\n    Payload", "Tick, Payload");
    let project = Project::new("formatted", &[("clean", body), ("other", &other)]);
    project
        .fix(&[])
        .expect(0)
        .says(&["Fixed 2 findings in 2 files"]);
    let is_clean = |path: &str| {
        let file = project.folder().join(path);
        let mut rustfmt = Command::new("rustfmt");
        rustfmt.args(["--edition", "2024", "--check"]).arg(file);
        rustfmt.output().expect("rustfmt runs").status.success()
    };
    let clean = project.text("src/clean.rs");
    assert!(
        clean.contains("Message::Payload(Box::new(first)),\n"),
        "{clean}"
    );
    assert!(is_clean("src/clean.rs"), "{clean}");
    let other = project.text("src/other.rs");
    assert!(other.contains("Tick, Payload(Box<[u64; 40]>)"), "{other}");
    assert!(!is_clean("src/other.rs"), "{other}");
    project.compiles();

    // Without rustfmt it is said, and the edits are done.
    project.git(&["checkout", "--quiet", "."]);
    let mut command = weigh(project.folder());
    command
        .args(["fix", "--offline"])
        .env("RUSTFMT", "no-such-rustfmt");
    run(&mut command).expect(0).says(&[
        "Fixed 2 findings in 2 files",
        "not formatted, as `rustfmt` cannot",
    ]);
    assert!(
        project
            .text("src/clean.rs")
            .contains("Payload(Box<[u64; 40]>)")
    );
}

#[test]
#[ignore = "slow: .ci/slow tests"]
fn what_another_build_has_is_left_out() {
    let other = "\n#[cfg(any())]\n#[must_use]\npub fn wide<A, B>(line: Line) -> [u64; 30] {\n    match line {\n        \
                 Line::Wide(all) => all,\n        _ => [0; 30],\n    }\n}\n";
    let text = format!("{LINE}{other}");
    let place = text.lines().position(|l| l.contains("=> all")).unwrap() + 1;
    let project = Project::new("another-build", &[("line", &text)]);
    let (rows, _) = project.rows(&["--dry-run"]);
    let line = row(&rows, "line::Line");
    assert_eq!(line["outcome"], "left-out", "{rows:?}");
    let why = line["reason"].as_str().unwrap();
    assert!(why.starts_with(&format!("src/line.rs:{place} ")), "{why}");
    // The whole file of a module that this build lacks.
    let other = format!("use crate::line::Line;\n{other}").replace("\n#[cfg(any())]", "");
    let scratch = Scratch::outside("weigh-fix-another-file")
        .file("Cargo.toml", MANIFEST)
        .file(".gitignore", "target\nCargo.lock\n")
        .file(
            "src/lib.rs",
            "#[cfg(any())]\npub mod gone;\npub mod line;\n",
        )
        .file("src/gone.rs", &other)
        .file("src/line.rs", LINE);
    let (rows, _) = Project::committed(scratch).rows(&["--dry-run"]);
    let line = row(&rows, "line::Line");
    assert_eq!(line["outcome"], "left-out", "{rows:?}");
    let why = line["reason"].as_str().unwrap();
    assert!(why.starts_with("src/gone.rs:6 "), "{why}");
    // Code that every build compiles is tried, wherever another attribute ends.
    let macros = "\n#[cfg(any())]\npub struct Gone;\nmacro_rules! wide {\n    ($line:expr) => {\n        \
                  matches!($line, Line::Wide(_))\n    };\n}\npub fn is_wide(line: &Line) -> bool {\n    wide!(line)\n}\n";
    let plain = Project::new("this-build", &[("line", &format!("{LINE}{macros}"))]);
    let (rows, _) = plain.rows(&["--dry-run"]);
    assert_eq!(row(&rows, "line::Line")["outcome"], "fixed", "{rows:?}");
}

/// Other packages name the struct that a fix makes as they name its enum.
#[test]
fn a_new_struct_is_exported_as_its_enum_is() {
    let inner = LINE.replace(
        "Wide([u64; 30])",
        "Wide { all: [u64; 30], more: [u64; 30] }",
    );
    let inner = inner.replace("Line::Wide(x) => *x", "Line::Wide { all, .. } => *all");
    let project = package(
        "exported",
        &[
            ("Cargo.toml", MANIFEST),
            (
                "src/lib.rs",
                "mod line;\npub use line::{Line, width};\npub mod more {\n    pub fn f() {}\n}\n",
            ),
            ("src/line.rs", &inner),
        ],
    );
    let (rows, _) = project.rows(&[]);
    assert_eq!(row(&rows, "line::Line")["outcome"], "fixed", "{rows:?}");
    let text = project.text("src/lib.rs");
    assert!(
        text.contains("pub use line::{Line, WideLine, width};"),
        "{text}"
    );
    project.compiles();
    // Where its name is taken, another remedy is.
    let taken = package(
        "taken",
        &[
            ("Cargo.toml", MANIFEST),
            (
                "src/lib.rs",
                "mod line;\npub use line::Line;\npub struct WideLine;\npub struct WideData;\npub struct LineWide;\n",
            ),
            ("src/line.rs", &inner),
        ],
    );
    let (rows, _) = taken.rows(&["--dry-run"]);
    let is_new = |row: &Value| row["title"].to_string().contains("in one box");
    assert!(!rows.iter().any(is_new), "{rows:?}");
    // So it is where one link of several cannot be edited, or has another name.
    for (name, lib, shapes) in [
        (
            "inline",
            "mod shapes {\n    mod line;\n    pub use self::line::{Line, width};\n}\npub use shapes::{Line, width};\n",
            "",
        ),
        (
            "renamed",
            "mod shapes;\npub use shapes::{Row, width};\n",
            "mod line;\npub use self::line::{Line as Row, width};\n",
        ),
    ] {
        let linked = package(
            name,
            &[
                ("Cargo.toml", MANIFEST),
                ("src/lib.rs", lib),
                ("src/shapes.rs", shapes),
                ("src/shapes/line.rs", &inner),
            ],
        );
        let (rows, _) = linked.rows(&["--dry-run"]);
        let line = row(&rows, "shapes::line::Line");
        assert!(!rows.iter().any(is_new), "{line}");
    }
}

/// A type that a build without a heap has gets no box, and `Box` is imported where `alloc` has it.
#[test]
fn a_build_without_a_heap() {
    let line = LINE.replace(
        "pub struct Lines",
        "#[cfg(feature = \"alloc\")]\npub struct Lines",
    );
    let line = line.replace("Vec<", "alloc::vec::Vec<");
    let kept = format!("use alloc::vec::Vec;\n\n{LINE}").replace("Line", "Kept");
    let manifest = MANIFEST.replace(
        "\n[workspace]",
        "\n[features]\ndefault = [\"std\"]\nstd = [\"alloc\"]\nalloc = []\n\n[workspace]",
    );
    let project = package(
        "heap",
        &[
            ("Cargo.toml", &manifest),
            (
                "src/lib.rs",
                "#![cfg_attr(not(feature = \"std\"), no_std)]\n#[cfg(feature = \"alloc\")]\nextern crate alloc;\n\
                 pub mod line;\n#[cfg(feature = \"alloc\")]\npub mod kept;\n",
            ),
            ("src/line.rs", &line),
            ("src/kept.rs", &kept),
        ],
    );
    let (rows, _) = project.rows(&[]);
    let (line, kept) = (row(&rows, "line::Line"), row(&rows, "kept::Kept"));
    assert_eq!(line["outcome"], "left-out", "{line}");
    let why = line["reason"].as_str().unwrap_or_default();
    assert!(why.contains("without `alloc`"), "{why}");
    assert_eq!(kept["outcome"], "fixed", "{kept}");
    let text = project.text("src/kept.rs");
    assert!(
        text.contains("use alloc::{boxed::Box, vec::Vec}")
            || text.contains("use alloc::boxed::Box;\n"),
        "{text}"
    );
    for features in ["", "alloc", "std"] {
        let mut command = cargo();
        command.current_dir(project.folder());
        command.args(["check", "--offline", "--quiet", "--no-default-features"]);
        command.args(["--features", features]);
        run(command.env("CARGO_TARGET_DIR", project.folder().join("target"))).expect(0);
    }
}

#[test]
#[ignore = "slow: .ci/slow tests"]
fn only_what_is_asked_for() {
    let other = LINE.replace("Line", "Other").replace("width", "broad");
    let project = Project::new("asked", &[("line", LINE), ("other", &other)]);
    project
        .fix(&["--lint", "oversized_varian"])
        .expect(2)
        .says(&["did you mean"]);
    project
        .fix(&["--type", "Linen"])
        .expect(2)
        .says(&["no type `Linen`"]);
    let (rows, _) = project.rows(&["--dry-run", "--lint", "small_vec"]);
    assert!(rows.is_empty());
    let (rows, _) = project.rows(&["--dry-run", "--top", "1"]);
    assert_eq!(rows.len(), 1);
    project.fix(&["--type", "Other"]).expect(0);
    assert_eq!(project.changed(), ["src/other.rs"]);
    project.compiles();
}

#[test]
#[ignore = "slow: .ci/slow tests"]
fn what_only_pedantic_shows_is_counted() {
    let text = "pub enum One {
    Wide([u64; 5]),
    Thin(u8),
    None,
}

pub fn wide() -> One {
    One::Wide([1; 5])
}

pub struct Ones {
    pub all: Vec<One>,
}
";
    let project = Project::new("pedantic", &[("one", text)]);
    let said = project
        .fix(&["--lint", "oversized_variant", "--least-worth", "99"])
        .expect(0);
    said.says(&["0 findings", "1 finding with `-W weigh::pedantic` only"]);
    // Levels may stand before the command's name, too.
    project
        .fix(&["-W", "weigh::pedantic", "--type", "One", "--dry-run"])
        .expect(0)
        .says(&["1 finding in 1 file"]);
    let mut command = weigh(project.folder());
    command.args(["-W", "weigh::pedantic", "fix", "--offline", "--type", "One"]);
    run(&mut command).expect(0).says(&["1 finding in 1 file"]);
}

#[test]
fn changes_that_are_not_committed_are_safe() {
    let project = Project::new("dirty", &[("line", LINE)]);
    let before = project.text("src/line.rs");
    let path = project.folder().join("src/new.rs");
    fs::write(&path, "// mine\n").expect("ours");
    let refused = project.fix(&[]).expect(2);
    refused.says(&["src/new.rs (dirty)", "--allow-dirty"]);
    project.fix(&["--allow-staged"]).expect(2);
    project.git(&["add", "--all"]);
    project
        .fix(&[])
        .expect(2)
        .says(&["src/new.rs (staged)", "--allow-staged"]);
    assert_eq!(project.text("src/line.rs"), before);
    project.fix(&["--allow-staged", "--dry-run"]).expect(0);
    project.git(&["reset", "--quiet"]);
    project
        .fix(&["--allow-dirty"])
        .expect(0)
        .says(&["Fixed 1 finding"]);

    let none = Scratch::outside("weigh-fix-none")
        .file("Cargo.toml", MANIFEST)
        .file("src/lib.rs", LINE);
    let fix = |args: &[&str]| run(weigh(none.folder()).args(["fix", "--offline"]).args(args));
    fix(&[]).expect(2).says(&["no VCS found", "--allow-no-vcs"]);
    fix(&["--allow-no-vcs"])
        .expect(0)
        .says(&["Fixed 1 finding"]);
    let text = fs::read_to_string(none.folder().join("src/lib.rs")).expect("ours");
    assert!(text.contains("Box<[u64; 30]>"));
}

#[test]
fn nothing_runs_for_code_that_is_not_trusted() {
    let project = Project::new("untrusted", &[("line", LINE)]);
    let refused = project.fix(&["--no-project-config"]).expect(2);
    refused.says(&["--no-project-config", "`fix`"]);
}

#[test]
fn marks_line_ends_and_signs_stay() {
    let text = format!("\u{feff}// é🦀 \r\n{}", LINE.replace('\n', "\r\n"));
    let project = Project::new("bytes", &[("line", &text)]);
    project.fix(&[]).expect(0).says(&["Fixed 1 finding"]);
    let now = project.text("src/line.rs");
    let wanted = text
        .replace("Wide([u64; 30])", "Wide(Box<[u64; 30]>)")
        .replace("=> *x,", "=> **x,");
    assert_eq!(now, wanted);
    project.compiles();
}

#[test]
fn files_that_are_not_to_be_edited() {
    let generated = format!("// @generated by hand\n{LINE}");
    let locked = LINE.replace("Line", "Locked").replace("width", "broad");
    let project = Project::new("left", &[("line", &generated), ("locked", &locked)]);
    let path = project.folder().join("src/locked.rs");
    let mut permissions = fs::metadata(&path).expect("ours").permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&path, permissions).expect("ours");
    let (rows, end) = project.rows(&["-W", "weigh::pedantic", "--lint", "oversized_variant"]);
    // There are no findings in generated files.
    assert_eq!((&end["fixed"], &end["left_out"]), (&0.into(), &1.into()));
    let reason = row(&rows, "locked::Locked")["reason"].as_str();
    assert!(reason.is_some_and(|r| r.contains("read-only")), "{rows:?}");
    assert_eq!(project.changed(), Vec::<String>::new());
}

/// A file with a second name is left out; where a link leads is edited, if that is in the workspace.
#[cfg(unix)]
#[test]
fn links_of_both_kinds() {
    use std::os::unix::fs::{MetadataExt, symlink};
    let [twice, led, outside] = ["Twice", "Led", "Outside"].map(|name| {
        format!(
            "pub enum {name} {{ Wide([u64; 30]), Thin(u8) }}\n\
             pub struct All{name} {{ pub all: Vec<Vec<{name}>>, pub more: Vec<{name}> }}\n"
        )
    });
    let project = Project::new("links", &[("twice", &twice), ("led", ""), ("outside", "")]);
    let other = Scratch::outside("weigh-fix-links-other")
        .file("outside.rs", &outside)
        .file("twice.rs", "");
    let at = |path: &str| project.folder().join(path);
    for path in ["src/led.rs", "src/outside.rs"] {
        fs::remove_file(at(path)).expect("ours");
    }
    fs::create_dir(at("shared")).expect("ours");
    fs::write(at("shared/led.rs"), &led).expect("ours");
    symlink("../shared/led.rs", at("src/led.rs")).expect("ours");
    symlink(other.folder().join("outside.rs"), at("src/outside.rs")).expect("ours");
    let second = other.folder().join("twice.rs");
    fs::remove_file(&second).expect("ours");
    fs::hard_link(at("src/twice.rs"), &second).expect("ours");
    project.commit();
    let (rows, end) = project.rows(&["--lint", "oversized_variant"]);
    assert_eq!(
        (&end["fixed"], &end["left_out"]),
        (&1.into(), &2.into()),
        "{rows:?}"
    );
    for (ty, why) in [
        (
            "twice::Twice",
            "src/twice.rs`: it has another name (a hard link)",
        ),
        ("outside::Outside", "it is outside the workspace"),
    ] {
        let reason = row(&rows, ty)["reason"].as_str();
        assert!(reason.is_some_and(|r| r.contains(why)), "{rows:?}");
    }
    assert_eq!(project.changed(), ["shared/led.rs"]);
    assert!(project.text("shared/led.rs").contains("Box<[u64; 30]>"));
    assert!(at("src/led.rs").is_symlink() && at("src/outside.rs").is_symlink());
    assert_eq!(fs::metadata(&second).expect("ours").nlink(), 2);
    for (name, text) in [("twice.rs", twice), ("outside.rs", outside)] {
        assert_eq!(
            fs::read_to_string(other.folder().join(name)).expect("ours"),
            text
        );
    }
    project.compiles();
}

#[test]
#[ignore = "slow: .ci/slow tests"]
fn a_module_of_two_targets_is_edited_once() {
    let lib = "#[path = \"shared/line.rs\"]\npub mod line;\n";
    let main = "#[path = \"../src/shared/line.rs\"]\nmod line;\n\nfn main() {\n    \
                println!(\"{}\", line::width(&line::Line::Thin(1)));\n    \
                let _: Option<line::Lines> = None;\n}\n";
    let scratch = Scratch::outside("weigh-fix-shared")
        .file("Cargo.toml", MANIFEST)
        .file(".gitignore", "target\nCargo.lock\n")
        .file("src/lib.rs", lib)
        .file("src/main.rs", main)
        .file("src/shared/line.rs", LINE);
    let project = Project::committed(scratch);
    project
        .fix(&[])
        .expect(0)
        .says(&["Fixed 1 finding in 1 file"]);
    let text = project.text("src/shared/line.rs");
    assert_eq!(text.matches("Box<").count(), 1, "{text}");
    project.compiles();
}

/// A build script that modifies a file of the working tree, as an editor would.
const EDITS: &str = "fn main() {
    println!(\"cargo::rerun-if-changed=build.rs\");
    if let Ok(path) = std::env::var(\"EDIT\") {
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, text + \"// edited\\n\").unwrap();
    }
}
";

#[test]
#[ignore = "slow: .ci/slow tests"]
fn what_was_edited_meanwhile_stops_it() {
    for &edited in few(&["src/beside.rs", "src/line.rs"], 1) {
        let scratch = Scratch::outside("weigh-fix-meanwhile")
            .file("Cargo.toml", MANIFEST)
            .file(".gitignore", "target\nCargo.lock\n")
            .file("build.rs", EDITS)
            .file("src/lib.rs", "pub mod beside;\npub mod line;\n")
            .file("src/beside.rs", "")
            .file("src/line.rs", LINE);
        let project = Project::committed(scratch);
        let mut command = weigh(project.folder());
        command.args(["fix", "--offline"]);
        let said = run(command.env("EDIT", project.folder().join(edited)));
        said.expect(2).says(&[edited, "edited while this ran"]);
        assert_eq!(project.changed(), [edited]);
        assert!(project.text(edited).ends_with("// edited\n"));
        assert!(project.text("src/line.rs").contains("Wide([u64; 30])"));
        // The next run uses the file's current text.
        project.commit();
        project.fix(&[]).expect(0).says(&["Fixed 1 finding"]);
        project.compiles();
    }
}

#[test]
#[ignore = "slow: .ci/slow tests"]
fn what_lies_outside_is_found_and_stays() {
    let manifest = format!("{MANIFEST}\n[dependencies]\nbeside = {{ path = \"../beside\" }}\n");
    let beside = "[package]\nname = \"beside\"\nversion = \"0.1.0\"\nedition = \"2024\"\n";
    let line = format!(
        "{LINE}\npub const TEXTS: [&str; 2] = [include_str!(\"../../text.txt\"), \
         include_str!(\"secret.txt\")];\npub type Beside = beside::Line;\n"
    );
    let scratch = Scratch::outside("weigh-fix-outside")
        .file("ws/Cargo.toml", manifest)
        .file("ws/src/lib.rs", "pub mod line;\n")
        .file("ws/src/line.rs", &line)
        .file("ws/src/secret.txt", "not in git")
        .file("beside/Cargo.toml", beside)
        .file("beside/src/lib.rs", LINE)
        .file("text.txt", "outside")
        .file(".gitignore", "target\nCargo.lock\nsecret.txt\n");
    let project = Project::committed(scratch);
    let said = run(weigh(&project.folder().join("ws")).args(["fix", "--offline"])).expect(0);
    said.says(&["Fixed 1 finding in 1 file"]);
    assert_eq!(project.changed(), ["ws/src/line.rs"]);
}

#[test]
#[ignore = "slow: .ci/slow tests"]
fn a_test_that_fails_drops_what_made_it_fail() {
    let asserts = format!(
        "{}\n#[test]\nfn is_wide() {{\n    assert_eq!(size_of::<Sized>(), 248);\n}}\n\n\
         #[test]\nfn fails_anyway() {{\n    panic!();\n}}\n",
        LINE.replace("Line", "Sized").replace("width", "broad")
    );
    let project = Project::new("tests", &[("line", LINE), ("sized", &asserts)]);
    let (rows, end) = project.rows(&["--test"]);
    assert_eq!(
        (&end["fixed"], &end["dropped"]),
        (&1.into(), &1.into()),
        "{rows:?}"
    );
    let reason = row(&rows, "sized::Sized")["reason"].as_str();
    assert!(
        reason.is_some_and(|r| r.contains("sized::is_wide")),
        "{rows:?}"
    );
    assert_eq!(project.changed(), ["src/line.rs"]);
}

#[test]
fn a_package_that_depends_on_it_is_checked_too() {
    let user = "pub fn wide() -> a::Line {\n    a::Line::Wide([1; 30])\n}\n";
    let package = |name: &str| {
        format!("[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n")
    };
    let scratch = Scratch::outside("weigh-fix-users")
        .file(
            "Cargo.toml",
            "[workspace]\nmembers = [\"a\", \"b\"]\nresolver = \"3\"\n",
        )
        .file(".gitignore", "target\nCargo.lock\n")
        .file("a/Cargo.toml", package("a"))
        .file("a/src/lib.rs", LINE)
        .file(
            "b/Cargo.toml",
            package("b") + "\n[dependencies]\na = { path = \"../a\" }\n",
        )
        .file("b/src/lib.rs", user);
    let project = Project::committed(scratch);
    // Whether its edits reach the other package or it is dropped, that package still compiles.
    project.rows(&["-p", "a"]);
    project.compiles();
}

#[test]
fn what_does_not_compile_is_not_touched() {
    let broken = format!("{LINE}\npub fn wrong() -> u8 {{\n    \"\"\n}}\n");
    let project = Project::new("broken", &[("line", &broken)]);
    project
        .fix(&[])
        .expect(2)
        .says(&["does not compile before any change", "mismatched types"]);
    assert_eq!(project.changed(), Vec::<String>::new());

    // Other targets may fail, as long as they fail as before.
    let project = Project::new("bench", &[("line", LINE)]);
    let path = project.folder().join("benches/old.rs");
    fs::create_dir_all(path.parent().expect("a folder")).expect("ours");
    fs::write(&path, "fn main() -> u8 {}\n").expect("ours");
    project.commit();
    let said = project.fix(&[]).expect(0);
    said.says(&["bench \"old\"", "is not checked", "Fixed 1 finding"]);
}

#[test]
#[ignore = "slow: .ci/slow tests"]
fn a_census_says_what_comes_first_and_what_is_not_done() {
    let module = |name: &str| LINE.replace("Line", name);
    // Values of each type, and how many of them are wide.
    let counted = [
        ("few", "Few", 100, 2),
        ("more", "More", 9000, 90),
        ("worse", "Worse", 100, 99),
    ];
    let modules = counted.map(|(path, name, ..)| (path, module(name)));
    let modules: Vec<_> = modules
        .iter()
        .map(|(path, text)| (*path, text.as_str()))
        .collect();
    let project = Project::new("census", &modules);
    let mut lines = vec![serde_json::json!({
        "census": "head", "format": 1, "rustc": "1.95.0", "triple": "x86_64-unknown-linux-gnu",
        "program": "demo", "build_id": "0", "label": "exit",
    })];
    for (path, name, values, wide) in counted {
        lines.push(serde_json::json!({
            "census": "type", "type": format!("demo::{path}::{name}"), "size": 248,
            "values": values, "slots": values, "bytes": 248 * values, "direct": values,
            "variants": { "None": 0, "Thin": values - wide, "Wide": wide },
        }));
    }
    lines.push(serde_json::json!({
        "census": "summary", "label": "exit", "live_bytes": 3_000_000, "blocks": 10_000,
        "typed_bytes": 3_000_000, "walked_bytes": 3_000_000, "contradicting_bytes": 0,
        "guessed_bytes": 0, "foreign_bytes": 0, "raw_bytes": 0, "malloc_bytes": 0, "torn": 0,
        "peak_bytes": 3_000_000,
    }));
    let text: Vec<String> = lines.iter().map(|line| format!("{line}\n")).collect();
    let file = project.folder().join("target");
    fs::create_dir_all(&file).expect("ours");
    let file = file.join("census.json");
    fs::write(&file, text.concat()).expect("ours");
    let file = file.to_str().expect("text");

    let (rows, end) = project.rows(&["--census", file, "--top", "1"]);
    let worse = row(&rows, "worse::Worse");
    assert_eq!(worse["outcome"], "left-out", "{worse}");
    let reason = worse["reason"].as_str().unwrap_or_default();
    assert!(reason.contains("cost more than it saves"), "{worse}");
    // The largest saving comes first, not the first name.
    assert_eq!(
        (&row(&rows, "more::More")["outcome"], &end["fixed"]),
        (&"fixed".into(), &1.into())
    );
    assert_eq!(project.changed(), ["src/more.rs"]);
    project.compiles();
}

/// A build script, started by cargo, of which the test knows the process.
#[cfg(unix)]
const SLEEPER: &str = "fn main() {
    let path = std::env::var_os(\"OWN_PROCESS\").unwrap();
    std::fs::write(path, format!(\"{}\\n\", std::process::id())).unwrap();
    std::thread::sleep(std::time::Duration::from_secs(300));
}
";

#[cfg(unix)]
#[test]
fn a_signal_ends_all_that_runs() {
    use std::os::unix::process::CommandExt;
    // A terminal sends to the whole group, `kill` to one process.
    for (signal, group, status) in [("TERM", "", 143), ("INT", "-", 130), ("HUP", "", 129)] {
        let project = Project::new(&format!("signal-{signal}"), &[("line", LINE)]);
        let folder = project.folder();
        fs::write(folder.join("build.rs"), SLEEPER).unwrap();
        project.commit();
        let path = folder.join("target/own");
        let mut command = weigh(folder);
        command
            .args(["fix", "--offline", "-q"])
            .env("OWN_PROCESS", &path);
        let mut child = command.process_group(0).spawn().unwrap();
        let own = || {
            fs::read_to_string(&path)
                .ok()
                .filter(|text| text.ends_with('\n'))
        };
        let pause = || std::thread::sleep(std::time::Duration::from_millis(50));
        while own().is_none() && child.try_wait().unwrap().is_none() {
            pause();
        }
        let sleeper = own().expect("the build script has started");
        let to = format!("{group}{}", child.id());
        let sent = Command::new("kill")
            .args(["-s", signal, "--", &to])
            .status();
        assert!(sent.unwrap().success());
        assert_eq!(child.wait().unwrap().code(), Some(status), "{signal}");
        let runs = || {
            let said = run(Command::new("ps").args(["-o", "stat=", "-p", sleeper.trim()]));
            // What nobody has waited for has ended too.
            !said.stdout.trim().is_empty() && !said.stdout.trim().starts_with('Z')
        };
        let mut waits = 0..100;
        while runs() {
            assert!(
                waits.next().is_some(),
                "{signal}: the build script still runs"
            );
            pause();
        }
        assert_eq!(project.changed(), Vec::<String>::new());
    }
}
