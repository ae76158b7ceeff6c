//! Runs every lint on every fixture: exactly the marked lines have findings.

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use weigh_tests::markers::{differences, findings, markers, warnings};
use weigh_tests::project::Scratch;
use weigh_tests::{Run, few, fixture, pedantic, repository, run, run_in, weigh_as_is};

/// Returns the directories of `fixtures/` with markers, and the repaired version of each story.
fn marked() -> Vec<PathBuf> {
    let entries = fs::read_dir(repository().join("fixtures")).expect("a folder that can be read");
    let folders = entries.map(|entry| entry.expect("an entry of a folder").path());
    let folders = folders.flat_map(|folder| [folder.join("after"), folder]);
    let mut folders: Vec<PathBuf> = folders
        .filter(|f| f.join("Cargo.toml").is_file())
        .filter(|f| f.ends_with("after") || !markers(f).is_empty())
        // The markers there are awaits.
        .filter(|f| !f.ends_with("futures"))
        .collect();
    folders.sort();
    folders
}

#[test]
fn what_is_marked_is_found_and_nothing_else() {
    let mut wrong = Vec::new();
    let mut count = 0;
    for folder in marked() {
        let marks = markers(&folder);
        count += marks.len();
        let name = folder.strip_prefix(repository()).unwrap_or(&folder);
        let found = findings(&folder);
        if folder.ends_with("after") {
            // After the change that its authors made a story has no warning, and the fixture of a
            // lint none of that lint.
            let of = folder.parent().and_then(Path::file_name);
            let lint = of.filter(|name| *name == "small_vec");
            let said = warnings(&folder);
            let said = said
                .keys()
                .filter(|w| lint.is_none_or(|lint| lint == w.2.as_str()));
            wrong.extend(said.map(|w| format!("{}: {w:?} is said", name.display())));
        }
        if std::env::var_os("BLESS").is_some() {
            weigh_tests::markers::bless(&folder, &found);
            continue;
        }
        let differ = differences(&marks, &found);
        wrong.extend(differ.iter().map(|d| format!("{}: {d}", name.display())));
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    let blessed = std::env::var_os("BLESS").is_some();
    assert!(blessed || count > 150, "only {count} markers were read");
}

/// Allowing a lint silences only that lint.
#[test]
fn a_lint_that_is_allowed_is_silent() {
    for &lint in few(&["large_err", "oversized_variant"], 1) {
        let folder = weigh_tests::fixture(lint);
        let args = ["--workspace", "-W", "pedantic", "--message-format", "json"];
        let spoken = |args: &[&str]| {
            let found = run_in(&folder, args).expect(0).findings();
            found.iter().filter(|f| f["weigh"]["lint"] == lint).count()
        };
        assert!(spoken(&args) > 0);
        assert_eq!(spoken(&[&args[..], &["-A", lint]].concat()), 0);
    }
}

/// Examples beside other members are aside; a workspace of examples alone is about them.
#[test]
fn examples_are_aside_of_what_they_show() {
    let shape = fs::read(fixture("worth").join("src/shape.rs")).expect("a file of the fixture");
    // With a version, it could be published.
    let package = |name: &str| {
        format!("[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n")
    };
    let workspace =
        |members: &str| format!("[workspace]\nresolver = \"3\"\nmembers = [{members}]\n");
    let found = |scratch: &Scratch| {
        let args = ["--workspace", "--message-format", "json"];
        run_in(scratch.folder(), &args).expect(0).findings().len()
    };
    let alone = Scratch::empty("examples")
        .file("examples/drawing/Cargo.toml", package("drawing"))
        .file("examples/drawing/src/lib.rs", &shape)
        .file("Cargo.toml", workspace("\"examples/drawing\""));
    assert_eq!(found(&alone), 1);
    let beside = alone
        .file("shown/Cargo.toml", package("shown"))
        .file("shown/src/lib.rs", "")
        .file("Cargo.toml", workspace("\"examples/drawing\", \"shown\""));
    assert_eq!(found(&beside), 0);
}

/// Nobody edits what prost writes: a line of the build script does it.
#[test]
fn of_a_generated_enum_the_generators_line_is_said() {
    let prost = "use proc_macro::TokenStream;\n\
        #[proc_macro_derive(Oneof, attributes(prost))]\n\
        pub fn oneof(_: TokenStream) -> TokenStream { TokenStream::new() }\n";
    let lib = "pub struct BigEvent { pub kind: Option<big_event::Kind> }\n\
        pub mod big_event {\n\
            #[derive(prost::Oneof)]\n\
            pub enum Kind { SmallOne(u64), VeryWide([u64; 20]) }\n\
        }\n\
        pub fn all(n: u64) -> Vec<BigEvent> {\n\
            let one = |i| BigEvent { kind: Some(big_event::Kind::SmallOne(i)) };\n\
            (0..n).map(one).collect()\n\
        }\n";
    let package = "version = \"0.1.0\"\nedition = \"2024\"\n";
    let project = Scratch::empty("generator")
        .file(
            "Cargo.toml",
            format!("[package]\nname = \"events\"\n{package}[dependencies]\nprost = {{ path = \"prost\" }}\n[workspace]\n"),
        )
        .file("src/lib.rs", lib)
        .file(
            "prost/Cargo.toml",
            format!("[package]\nname = \"prost\"\n{package}[lib]\nproc-macro = true\n"),
        )
        .file("prost/src/lib.rs", prost);
    let said = run_in(project.folder(), &["--color", "never"])
        .expect(0)
        .stdout;
    let line = "`prost_build::Config::boxed(\"BigEvent.very_wide\")`";
    assert!(said.contains(line), "{said}");
}

/// Beside boxes of variants: the field of a struct that several hold, and thin vectors.
#[test]
fn remedies_that_box_no_variant() {
    type Query = (Box<[u64; 24]>, u64);
    enum Expr {
        _Number(u64),
        _Exists(Query),
        _In(Vec<Expr>, Query),
    }
    // A `ThinVec` is a pointer that is never null.
    enum Predicate {
        _Lifetime(u64, u64),
        _Bound(u64, Box<()>, u64),
    }
    for (folder, ty, title, size) in [
        ("wide_field", "Expr", "box `Query::body`", size_of::<Expr>()),
        (
            "oversized_variant",
            "smallest::Predicate",
            "make `Bound::bounds` `ThinVec` (crate `thin-vec`)",
            size_of::<Predicate>(),
        ),
    ] {
        let found = pedantic(&fixture(folder)).findings();
        let mut about = found.iter().map(|f| &f["weigh"]);
        let is = |f: &&Value| f["type"] == ty && f["lint"] == "oversized_variant";
        let finding = about.find(is).expect("it is found");
        let remedies = finding["remedies"].as_array().expect("remedies");
        let remedy = remedies.iter().find(|r| r["title"] == title);
        let remedy = remedy.unwrap_or_else(|| panic!("no `{title}` in {remedies:?}"));
        assert_eq!(remedy["size_after"], size, "{title}");
    }
}

/// What leaves a loop is built once, and a parser's `map` is no loop.
#[test]
fn what_is_built_in_a_loop() {
    let lib = "pub enum State { Idle, Ready(u64), Closed([u64; 9]) }\n\
        pub struct Parser(u64);\n\
        impl Parser { pub fn map<T>(self, with: impl Fn(u64) -> T) -> T { with(self.0) } }\n\
        pub fn parsed(parser: Parser) -> State { parser.map(|n| State::Ready(n)) }\n\
        pub fn run(inputs: &[u64]) -> State {\n\
            let mut state = State::Idle;\n\
            for input in inputs {\n\
                if *input > 9 { return State::Closed([1; 9]); }\n\
                if *input == 9 { state = State::Closed([*input; 9]); break; }\n\
                LOOPED\n\
            }\n\
            state\n\
        }\n";
    let said = |looped: &str| {
        let project = Scratch::library("looped", &lib.replace("LOOPED", looped));
        let why = run_in(project.folder(), &["why", "State", "--least-worth", "100"]);
        why.expect(0).stdout
    };
    let once = said("");
    assert!(!once.contains("in a loop"), "{once}");
    let often = said("state = State::Ready(*input);");
    assert!(
        often.contains("`State` is constructed in a loop"),
        "{often}"
    );
}

/// Each claim was false of a published crate.
#[test]
fn what_readers_found_false() {
    let lib = "extern crate alloc as heap;\n\
        use std::fmt::Display;\n\
        pub struct Failed { text: String, code: u64 }\n\
        pub struct Log { pub all: Vec<Failed> }\n\
        pub fn failed(message: impl Display) -> Failed {\n\
            Failed { text: message.to_string(), code: 1 }\n\
        }\n\
        pub fn length(failed: &Failed) -> usize { failed.text.len() + failed.code as usize }\n\
        #[test]\n\
        fn text() { let f = failed(1); let s: String = f.text; assert_eq!(s, \"1\"); }\n";
    let project = Scratch::library("claims", lib);
    let said = run_in(
        project.folder(),
        &["--color", "never", "--least-worth", "0"],
    );
    let said = said.expect(0).stdout;
    assert!(said.contains("`Failed::text` never grows"), "{said}");
    // Any `Display` may write in pieces.
    assert!(!said.contains("exact capacity"), "{said}");
    assert!(
        !said.contains("src/lib.rs:10"),
        "a test is no place to change: {said}"
    );
    // The crate's own name of `alloc` is what an import has to name.
    let lib = lib.replace("extern crate alloc", "#![no_std]\nextern crate alloc");
    let lib = lib
        .replace("use std::fmt", "use core::fmt")
        .replace("String", "heap::string::String");
    let lib = lib
        .replace("Vec<", "heap::vec::Vec<")
        .replace("#[test]", "#[cfg(any())]");
    let lib = lib
        .replace("to_string()", "into()")
        .replace("impl Display", "&str");
    let enums = "pub enum Big { A, B(u64), C([u64; 20]) }\npub fn big() -> [Big; 2] { [Big::A, Big::B(1)] }\n";
    let project = Scratch::library("claims-of-alloc", &(lib + enums));
    let said = run_in(
        project.folder(),
        &["--color", "never", "--least-worth", "0"],
    );
    let said = said.expect(0).stdout;
    assert!(said.contains("`use heap::boxed::Box`"), "{said}");
}

#[test]
fn who_is_to_blame_is_said_in_order() {
    let folder = fixture("oversized_variant");
    let said = run_in(&folder, &["-W", "pedantic", "--color", "never"]).expect(0);
    // The first alone determines the size; the second is next.
    assert!(
        said.stdout
            .contains("`Page`, then `Sheet` make every `Binder` 4104 bytes"),
        "{}",
        said.stdout
    );
    let folder = fixture("unfrozen_builder");
    let said = run_in(&folder, &["-W", "pedantic", "--color", "never"]).expect(0);
    assert!(said.stdout.contains(": it grows here"), "{}", said.stdout);
}

/// An error that is not reported: which of the possible reasons it is.
#[test]
fn why_an_error_is_not_reported() {
    for (ty, why) in [
        (
            "OpenError",
            "it is large for the sake of `ParseError`, which is reported itself",
        ),
        (
            "AllowedError",
            "a suppression covers every function that returns it",
        ),
        (
            "BoxedError",
            "functions return it only in a box, or in another error",
        ),
        ("SmallError", "it is smaller than 128 bytes"),
        (
            "Refused",
            "no box would make a `Result` with it smaller by enough",
        ),
        ("Unasked", "no function returns it as an error"),
    ] {
        let said = run_in(&fixture("large_err"), &["why", "-v", ty])
            .expect(0)
            .stdout;
        let line = format!("  silent: large_err: {why}");
        assert!(said.lines().any(|l| l == line), "{ty}: {said}");
    }
}

/// What depends on a setting states the setting in force.
#[test]
fn settings_in_force_are_stated() {
    let package = "[package]\nname = \"set\"\nversion = \"0.1.0\"\nedition = \"2024\"\n";
    let set = "[package.metadata.weigh.large_move]\nmove-size = 96\n\
               [package.metadata.weigh.large_err]\nerror-size = 112\n";
    let manifest = format!("{package}{set}[workspace]\n");
    let text = "pub struct Plain(u8);\npub struct ParseError([u64; 9]);\n\
                pub fn parse() -> Result<u8, ParseError> { Err(ParseError([0; 9])) }\n";
    let scratch = Scratch::empty("in-force")
        .file("Cargo.toml", manifest)
        .file("src/lib.rs", text);
    for (ty, words) in [
        ("Plain", "large_move: none of over 96 bytes"),
        ("ParseError", "large_err: it is smaller than 112 bytes"),
    ] {
        let said = run_in(scratch.folder(), &["why", "-v", ty])
            .expect(0)
            .stdout;
        assert!(said.contains(words), "no `{words}` in {said}");
    }
}

/// The ends of a channel of another crate store nothing, whatever they are made of.
#[test]
fn how_many_a_channel_holds() {
    let why = ["why", "counted::Order"];
    let said = run_in(&fixture("oversized_variant"), &why).expect(0).stdout;
    let line = said.lines().find(|l| l.starts_with("values: "));
    let several = "values: several at a time, not stored in a field: ";
    assert!(line.is_some_and(|l| l.starts_with(several)), "{said}");
}

/// As many fields as are listed; neither a signature nor recursion is one.
#[test]
fn as_many_fields_as_are_listed_store_it() {
    let folder = fixture("oversized_variant");
    for (ty, values) in [
        ("counted::Errand", "many: stored by 1 field"),
        (
            "counted::Mark",
            "very many: stored by 1 field, in nested collections or as a node",
        ),
        (
            "counted::Branch",
            "very many: in nested collections or as a node",
        ),
    ] {
        let said = run_in(&folder, &["why", ty]).expect(0).stdout;
        let mut lines = said.lines().skip_while(|l| !l.starts_with("values: "));
        assert_eq!(lines.next(), Some(&*format!("values: {values}")), "{said}");
        let fields = lines
            .take_while(|l| !l.is_empty())
            .filter(|l| l.contains("` holds `"));
        let counted = usize::from(values.contains("by 1 field"));
        assert_eq!(fields.count(), counted, "{said}");
        let json = run_in(&folder, &["why", ty, "--message-format", "json"]).expect(0);
        let line: serde_json::Value = serde_json::from_str(&json.stdout).expect("JSON");
        assert_eq!(line["stored_by"], counted, "{line}");
    }
}

/// Where there is a finding, those that found nothing are one line.
#[test]
fn silent_lints_are_one_line() {
    let silent = |args: &[&str]| {
        let said = run_in(&fixture("oversized_variant"), args).expect(0).stdout;
        let lines = said.lines().filter(|l| l.contains("silent"));
        lines.count()
    };
    assert_eq!(silent(&["why", "counted::Errand"]), 1);
    assert!(silent(&["why", "-v", "counted::Errand"]) > 3);
    assert!(silent(&["why", "counted::Task"]) > 3);
}

/// Of two lints on one field, the stronger one reports and notes the other's remedy; the other
/// reports if the first is allowed or has a lower level.
#[test]
fn one_finding_a_field() {
    let folder = weigh_tests::fixture("sumatra");
    let said = |args: &[&str]| {
        let args = [&["-W", "pedantic", "--message-format", "json"], args].concat();
        run(weigh_as_is(&folder)
            .args(["--least-worth", "40"])
            .args(args))
        .findings()
    };
    for (args, lint) in [
        (&[][..], "small_string"),
        (&["-A", "small_string"], "unfrozen_vec"),
        // What is above the bar comes first, whatever its level.
        (&["-D", "unfrozen_vec"], "small_string"),
    ] {
        let [one] = &said(args)[..] else {
            panic!("{args:?}: not one finding")
        };
        assert_eq!(one["weigh"]["lint"], lint);
    }
    let text = said(&[])[0].to_string();
    for words in ["`Box<str>`", "(unfrozen_vec)"] {
        assert!(text.contains(words), "no `{words}` in {text}");
    }
    let why = run_in(&folder, &["why", "-v", "GooString"])
        .expect(0)
        .stdout;
    for words in [
        ", warning: small_string: ",
        "  silent: unfrozen_vec: another lint says more of the same field\n",
    ] {
        assert!(why.contains(words), "no `{words}` in {why}");
    }
}

/// Clippy's default set has `box_collection`, `vec_box` and `redundant_allocation`.
#[test]
fn no_remedy_asks_for_what_clippy_forbids() {
    let buffers = "String Vec VecDeque HashMap HashSet BTreeMap BTreeSet PathBuf OsString";
    let mut edits = 0;
    for folder in marked() {
        for finding in pedantic(&folder).findings() {
            let children = finding["message"]["children"].as_array();
            let spans = children.into_iter().flatten();
            let spans = spans.filter_map(|c| c["spans"].as_array()).flatten();
            for edit in spans.filter_map(|s| s["suggested_replacement"].as_str()) {
                let of = |name: &str| edit.starts_with(&format!("Box<{name}"));
                let inside = edit.trim_start_matches("Box<");
                let name = inside.split(['<', '>']).next().unwrap_or_default();
                let name = name.rsplit("::").next().unwrap_or_default();
                let twice = of("Box<") || of("Rc<") || of("Arc<") || of("&");
                let buffer = buffers.split(' ').any(|b| b == name);
                assert!(!twice && !buffer, "{}: {edit}", folder.display());
                edits += 1;
            }
        }
    }
    assert!(edits > 20, "only {edits} edits");
}

/// A lint that is off by default reports all its findings when named.
#[test]
fn a_lint_of_the_pedantic_group_is_asked_for_by_name() {
    let folder = fixture("missed_niche");
    let of = |said: &Run| {
        let found = said.findings().into_iter();
        let own = found.filter(|f| f["weigh"]["lint"] == "missed_niche");
        own.map(|f| f["weigh"]["type"].to_string())
            .collect::<Vec<_>>()
    };
    let args = ["--message-format", "json", "-W", "weigh::missed_niche"];
    let named = of(&run_in(&folder, &args).expect(0));
    assert!(!named.is_empty());
    assert_eq!(named, of(&pedantic(&folder)));
}

/// A macro's output cannot be edited any more than its rules; its input table can.
#[test]
fn a_table_of_variants_is_its_authors() {
    let scratch = Scratch::library("tabled", TABLE);
    let said = run_in(scratch.folder(), &["--message-format", "short"]).expect(0);
    let line = TABLE.lines().position(|l| l.contains("Block("));
    let place = format!("src/lib.rs:{}:9", line.map_or(0, |at| at + 1));
    let text = said.stdout + &said.stderr;
    assert!(text.contains(&place), "{text}");
    assert!(
        text.contains("`Block` makes every `Operation` 120 bytes"),
        "{text}"
    );
}

const TABLE: &str = r#"
macro_rules! opcodes {
    (pub enum Operation { $($name:ident $(($($of:tt)*))? : $code:literal,)* }) => {
        pub enum Operation {
            $($name $((opcodes!(@ty $($of)*)))?,)*
        }

        impl Operation {
            pub fn code(&self) -> u32 {
                match self {
                    $(Operation::$name { .. } => $code,)*
                }
            }
        }
    };
    (@ty index) => (u32);
    (@ty $other:ty) => ($other);
}

// The table is the author's, though what makes types of its words is the macro's.
opcodes! {
    pub enum Operation {
        Nop: 1,
        Br(index): 2,
        Block([u64; 14]): 3,
        Call(index): 4,
    }
}

pub struct Program {
    pub opcodes: Vec<Vec<Operation>>,
}
"#;

/// Sizes in messages are those of the analysed target.
#[test]
fn a_vec_is_three_words_of_the_target() {
    let folder = fixture("small_vec");
    for (target, words) in [
        ("i686-unknown-linux-gnu", 12),
        ("x86_64-unknown-linux-gnu", 24),
    ] {
        let args = [
            "--target",
            target,
            "-W",
            "pedantic",
            "--message-format",
            "json",
        ];
        let found = run_in(&folder, &args).expect(0).findings();
        let of = found.iter().find(|f| f["weigh"]["type"] == "fields::Line");
        let said = of.map(|f| f["message"]["spans"].to_string());
        let wanted = format!("\"{words} bytes, and a block for the items\"");
        assert!(said.is_some_and(|s| s.contains(&wanted)), "{target}");
    }
}

/// Collections of one instance of a generic type are no evidence for another.
#[test]
fn what_stores_another_instance_is_no_evidence() {
    let found = pedantic(&fixture("worth"));
    let of = |name: &str| {
        let found = found.findings().into_iter();
        let mut found = found.filter(|f| f["weigh"]["type"] == name);
        found.next().expect("a finding")["weigh"].clone()
    };
    let (reply, answer) = (of("kinds::Reply"), of("kinds::Answer"));
    assert_eq!(reply["population"], "unknown");
    assert!(
        !reply["evidence"].to_string().contains("Replies"),
        "{reply}"
    );
    assert_eq!(answer["population"], "many");
    assert!(
        answer["evidence"].to_string().contains("Answers"),
        "{answer}"
    );
}
