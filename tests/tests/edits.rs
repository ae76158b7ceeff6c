//! Fixes are complete: after a machine-applicable fix, every target compiles.

use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::Path;
use weigh_tests::project::Scratch;
use weigh_tests::strip::{Edit, edited};
use weigh_tests::{cargo, few, fixture, pedantic, run, run_in, workbench};

/// Fixtures that compile, the one about fixes first, with the minimum number of complete fixes.
const FIXTURES: &[(&str, usize)] = &[
    // The first is the sample that every change is tested with.
    ("wide_option", 3),
    ("edits", 56),
    ("hprof", 2),
    ("librsvg", 0),
    ("oversized_variant", 40),
    ("ratatui", 0),
    ("showcase", 5),
];

/// The edits of a finding's fix, by file.
type Fix = BTreeMap<String, Vec<Edit>>;

#[test]
fn what_is_machine_applicable_compiles() {
    for (name, least) in few(FIXTURES, 1) {
        // Some share a file outside the package.
        let shared = fixture("counting.rs");
        let scratch = Scratch::empty(&format!("edits-{name}"))
            .copy(&fixture(name), &format!("{name}/"))
            .file("counting.rs", std::fs::read(shared).expect("a source"));
        let folder = scratch.folder().join(name);
        let fixes = fixes(&folder);
        assert!(fixes.len() >= *least, "{name}: only {}", fixes.len());
        // Fixes of overlapping places go into another round, on the original fixture.
        let mut rest = fixes;
        while !rest.is_empty() {
            let mut round: Vec<(String, Fix)> = Vec::new();
            let (now, later): (Vec<_>, Vec<_>) = rest.into_iter().partition(|(title, fix)| {
                let free = round.iter().all(|(_, other)| !touch(fix, other));
                if free {
                    round.push((title.clone(), fix.clone()));
                }
                free
            });
            rest = later;
            check(name, &folder, &now);
        }
    }
}

/// Fixtures whose fixes are made one by one, and all lints run on the result.
const ALONE: &[&str] = &[
    "wide_option",
    "edits",
    "hprof",
    "oversized_variant",
    "showcase",
    "unfrozen_vec",
    "wide_field",
];

/// A type that a fix makes holds fields that were judged in another type, and is left out.
#[test]
fn no_fix_makes_another_lint_speak() {
    for name in few(ALONE, 1) {
        let scratch = Scratch::empty(&format!("edits-alone-{name}"))
            .copy(&fixture(name), &format!("{name}/"))
            .file(
                "counting.rs",
                std::fs::read(fixture("counting.rs")).expect("a source"),
            );
        let folder = scratch.folder().join(name);
        let args = [
            "--workspace",
            "--message-format",
            "json",
            "-W",
            "pedantic",
            "-W",
            "nursery",
        ];
        let found_with = |without: &BTreeSet<&str>| {
            let without = without.iter().flat_map(|lint| ["-A", lint]);
            let args: Vec<&str> = args.iter().copied().chain(without).collect();
            let said = run_in(&folder, &args).expect(0);
            let of = |f: &Value| {
                let word = |key: &str| word(&f["weigh"][key]).to_owned();
                (word("lint"), word("type"))
            };
            said.findings().iter().map(of).collect::<BTreeSet<_>>()
        };
        let found = || found_with(&BTreeSet::new());
        let types = || {
            let args = ["sizes", "--workspace", "--message-format", "json"];
            let said = run_in(&folder, &args).expect(0).json();
            said.iter()
                .map(|l| l["path"].to_string())
                .collect::<BTreeSet<_>>()
        };
        let (before, known) = (found(), types());
        let fixes = fixes(&folder);
        assert!(!fixes.is_empty());
        for (title, fix) in fixes {
            let mut kept = Vec::new();
            for (file, edits) in fix {
                let path = folder.join(file);
                let text = std::fs::read_to_string(&path).expect("a source");
                std::fs::write(&path, edited(&text, edits)).expect("it is ours to write");
                kept.push((path, text));
            }
            let now = found();
            for (path, text) in kept {
                std::fs::write(path, text).expect("it is ours to write");
            }
            for (lint, ty) in now.difference(&before).filter(|(_, ty)| known.contains(ty)) {
                // A stronger finding about the same field may have spoken for it.
                let lints = before.iter().map(|(other, _)| other.as_str());
                let others = found_with(&lints.filter(|other| other != lint).collect());
                let spoke = others.contains(&(lint.clone(), ty.clone()));
                assert!(spoke, "{name}: {title}: {lint} of {ty}");
            }
        }
    }
}

fn word(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// Editors and code scanning offer the fixes of a finding in this order.
#[test]
fn complete_fixes_come_first() {
    let folder = fixture("edits");
    let all = ["--workspace", "-W", "pedantic", "-W", "nursery"];
    let args = [&all[..], &["--message-format", "sarif"]].concat();
    let sarif: Value = serde_json::from_str(&run_in(&folder, &args).expect(0).stdout)
        .expect("SARIF is one object");
    let results = sarif["runs"][0]["results"].as_array().expect("results");
    let mut findings = pedantic(&folder).findings();
    // Code scanning gets the most valuable first.
    findings.sort_by_key(|f| f["weigh"]["rank"].as_u64());
    assert_eq!(results.len(), findings.len());
    let mut both = 0;
    for (finding, result) in findings.iter().zip(results) {
        let children = finding["message"]["children"].as_array();
        let fixes: Vec<(&Value, bool)> = (children.into_iter().flatten())
            .filter(|child| {
                !child["message"]
                    .to_string()
                    .contains("suppress this finding")
            })
            .filter_map(|child| {
                let mut spans = child["spans"].as_array()?.iter();
                let applicability = spans.find_map(|s| s["suggestion_applicability"].as_str())?;
                Some((&child["message"], applicability == "MachineApplicable"))
            })
            .collect();
        assert!(fixes.is_sorted_by(|(_, a), (_, b)| a >= b), "{finding}");
        both += usize::from(fixes.iter().any(|f| f.1) && fixes.iter().any(|f| !f.1));
        let ours: Vec<_> = fixes.iter().map(|(message, _)| *message).collect();
        let theirs = result["fixes"].as_array().into_iter().flatten();
        let theirs: Vec<_> = theirs.map(|fix| &fix["description"]["text"]).collect();
        assert_eq!(ours, theirs);
    }
    assert!(both > 0, "no finding has both kinds");
}

/// Applies fixes to a project, compiles it, and restores it.
fn check(name: &str, folder: &Path, fixes: &[(String, Fix)]) {
    let mut all: Fix = BTreeMap::new();
    for (file, edits) in fixes.iter().flat_map(|(_, fix)| fix) {
        all.entry(file.clone()).or_default().extend(edits.clone());
    }
    let mut before = Vec::new();
    for (file, edits) in all {
        let path = folder.join(file);
        let text = std::fs::read_to_string(&path).expect("a source");
        std::fs::write(&path, edited(&text, edits)).expect("it is ours to write");
        before.push((path, text));
    }
    let target = workbench("edits").join(name);
    let mut command = cargo();
    command.current_dir(folder);
    command.args([
        "test",
        "--quiet",
        "--offline",
        "--workspace",
        "--target-dir",
    ]);
    let titles: Vec<&str> = fixes.iter().map(|(title, _)| title.as_str()).collect();
    println!("{name}: {}", titles.join("; "));
    run(command.arg(target)).expect(0);
    for (path, text) in before {
        std::fs::write(path, text).expect("it is ours to write");
    }
}

/// Returns true if edits of two fixes overlap or touch.
fn touch(a: &Fix, b: &Fix) -> bool {
    a.iter().any(|(file, edits)| {
        let others = b.get(file).into_iter().flatten();
        let mut others = others.map(|(range, _)| range);
        others.any(|o| {
            edits
                .iter()
                .any(|(r, _)| r.start <= o.end && o.start <= r.end)
        })
    })
}

/// Returns the fix that rustfix would apply, per finding.
fn fixes(folder: &Path) -> Vec<(String, Fix)> {
    let said = pedantic(folder);
    let mut list = Vec::new();
    for finding in said.findings() {
        let message = finding["message"].to_string();
        let filter = rustfix::Filter::MachineApplicableOnly;
        let found = rustfix::get_suggestions_from_json(&message, &HashSet::new(), filter);
        for suggestion in found.expect("rustfix reads it") {
            let [solution] = &suggestion.solutions[..] else {
                panic!("more than one is machine-applicable: {message}");
            };
            let mut fix = Fix::new();
            for part in &solution.replacements {
                let of_file = fix.entry(part.snippet.file_name.clone()).or_default();
                of_file.push((part.snippet.range.clone(), part.replacement.clone()));
            }
            list.push((title(&finding), fix));
        }
    }
    list
}

fn title(finding: &Value) -> String {
    let weigh = &finding["weigh"];
    let title = &weigh["remedies"][0]["title"];
    format!("{}: {}", weigh["type"], title.as_str().unwrap_or_default())
}

#[test]
fn what_is_left_is_named() {
    let args = ["--message-format", "json", "-W", "weigh::pedantic"];
    let said = run_in(&fixture("edits"), &args).expect(0);
    let findings = said.findings();
    let note_of = |lint: &str, ty: &str| {
        let of = |f: &&Value| f["weigh"]["type"] == ty && f["weigh"]["lint"] == lint;
        let finding = findings.iter().find(of).expect("it is found");
        let children = finding["message"]["children"].as_array().expect("a list");
        let notes = children.iter().filter_map(|c| c["message"].as_str());
        let mut left = notes.filter(|n| n.starts_with("not edited: "));
        left.next().unwrap_or_default().to_owned()
    };
    let note = |ty: &str| note_of("oversized_variant", ty);
    assert_eq!(
        note("left::Deep"),
        "not edited: src/left.rs:29 destructures it"
    );
    assert!(note("left::Made").starts_with("not edited: src/left.rs:48 is not analysed"));
    assert_eq!(
        note("left::Twice"),
        "not edited: src/left.rs:109 writes the type in an unsupported form"
    );
    assert_eq!(
        note("stated::Measured"),
        "not edited: src/stated.rs:20 asserts its size"
    );
    assert_eq!(note("copied::Step"), "");
    assert_eq!(note("around::Number"), "");
    assert_eq!(note("commands::Command"), "");
    // The texts of errors name the moved fields by arguments; no other text is edited.
    assert_eq!(note("errors::ToolError"), "");
    // The source of an error stays in the variant itself.
    assert!(note("errors::SetError").starts_with("not edited: src/errors.rs:27 has a derive"));
    assert_eq!(note("errors::RunError"), "");
    assert_eq!(note("errors::IndexError"), "");
    assert_eq!(note("boxed::Message"), "");
    // What a guard names is immutable, although the arm changes it.
    let guarded = findings
        .iter()
        .find(|f| f["weigh"]["type"] == "boxed::Guarded");
    let guarded = guarded.expect("it is found").to_string();
    assert!(guarded.contains(r#""suggested_replacement":"&**""#));
    // Both sides of a comparison lie behind as many references.
    let wanted = findings
        .iter()
        .find(|f| f["weigh"]["type"] == "compared::Wanted");
    let wanted = wanted.expect("it is found").to_string();
    assert!(wanted.contains(r#""suggested_replacement":"&&**""#));
    assert!(note("errors::PlainError").starts_with("not edited: src/errors.rs:107 has a derive"));
    // What is asked of sources is another type.
    assert_eq!(note("from::TextError"), "");
    assert!(note("commands::Outer").starts_with("not edited: src/commands.rs:53 has a derive"));
    // Its places in an example and a test are edited too.
    assert_eq!(note("beside::Notice"), "");
    let note = |ty: &str| note_of("unfrozen_vec", ty);
    for (ty, place) in [
        (
            "left::Stated",
            "left.rs:62 constructs it in an unsupported way",
        ),
        ("left::Told", "left.rs:123 is in a documentation example"),
        (
            "left::Slot",
            "left.rs:173 leaves it to macros, which other packages may have",
        ),
        (
            "left::Parsed",
            "left.rs:216 names a field of an unknown type",
        ),
        (
            "around::Kept",
            "around.rs:303 names a function that returns it or takes it",
        ),
        (
            "within::Guessed",
            "within.rs:182 constructs it in an unsupported way",
        ),
        (
            "given::Wanted",
            "given.rs:134 passes it to a function that may require the old type",
        ),
        (
            "given::Defaults",
            "given.rs:141 names a function that returns it or takes it",
        ),
    ] {
        assert_eq!(note(ty), format!("not edited: src/{place}"));
    }
    for ty in ["compared::Release", "compared::Call", "compared::Wanted"] {
        assert_eq!(note(ty), "");
    }
    for ty in [
        "given::Given",
        "given::Maybe",
        "given::Whole",
        "within::Index",
        "within::Words",
        "lent::Row",
        "left::Filled",
        "left::Shown",
        "around::Part",
        "around::Held",
        "around::Line",
        "around::Written",
        "around::Skipped",
        "around::Token",
    ] {
        assert_eq!(note(ty), "");
    }
    assert_eq!(note_of("oversized_variant", "by_ref::Piece"), "");
    // An iterator is collected directly into the box.
    let call = findings
        .iter()
        .find(|f| f["weigh"]["type"] == "compared::Call");
    let call = call.expect("it is found").to_string();
    assert!(call.contains(".into()") && !call.contains("Vec::into_boxed_slice("));
}

/// Where not all fields of a finding can be edited at every place, those that can be have a fix.
#[test]
fn some_of_the_fields() {
    let args = ["--message-format", "json", "-W", "weigh::pedantic"];
    let said = run_in(&fixture("edits"), &args).expect(0);
    let findings = said.findings();
    for (ty, title) in [
        (
            "given::Wanted",
            "make `Wanted::more` `Box<[u16]>`: `Wanted` 48 → 40 bytes",
        ),
        (
            "given::Defaults",
            "make `Defaults::path` `Box<str>`: `Defaults` 48 → 40 bytes",
        ),
        (
            "around::Keyed",
            "make the keys of `Keyed::first` `Box<str>` (24 → 16 bytes)",
        ),
    ] {
        let mut of = findings.iter().filter(|f| f["weigh"]["type"] == ty);
        let finding = of.next().expect("it is found");
        let children = finding["message"]["children"].as_array().expect("a list");
        let applied = |c: &&Value| c.to_string().contains("MachineApplicable");
        let titles: Vec<_> = children.iter().filter(applied).collect();
        let [.., fix] = &titles[..] else {
            panic!("{ty} has no complete fix");
        };
        let titles: Vec<_> = titles.iter().map(|c| &c["message"]).collect();
        assert!(titles.iter().any(|t| **t == title), "{titles:?}, {fix}");
        let remedies = finding["weigh"]["remedies"].as_array().expect("a list");
        let sizes: Vec<_> = remedies.iter().map(|r| &r["size_after"]).collect();
        let sized = [&json!(32), &json!(40)];
        assert!(
            sizes == sized || sizes.iter().all(|s| s.is_null()),
            "{sizes:?}"
        );
    }
}

/// A conversion is a method where the type is certain, and a box is used as what it holds.
#[test]
fn edits_read_as_a_person_writes_them() {
    let folder = fixture("edits");
    let fixes = fixes(&folder);
    let file = "src/by_hand.rs";
    let text = std::fs::read_to_string(folder.join(file)).expect("a source");
    // Each step would allocate, and a box of a pointer is none.
    for ty in ["Scratch", "Steps", "Password"] {
        let of = format!("\"by_hand::{ty}\":");
        assert!(
            !fixes.iter().any(|(title, _)| title.starts_with(&of)),
            "{ty}"
        );
    }
    for (ty, lines) in [
        (
            "Named",
            &[
                "title: title.into().into_boxed_str(),",
                "author: Box::default(),",
                "data: data.as_ref().into(),",
                "self.author = author.into().into_boxed_str();",
                "self.data = Box::new(*b\"mark\");",
            ][..],
        ),
        (
            "Named",
            &["ids: ids.into_iter().map(|(key, value)| (key.into_boxed_str(), value)).collect(),"],
        ),
        (
            "Cell",
            &[
                "    Wide(Box<Wide>),",
                "Cell::Wide(wide) => wide,",
                "Cell::Wide(wide) => Seen::Wide(wide),",
                "Cell::Wide(wide) => wide.next(),",
                "Cell::Wide(ref wide) => wide.fmt(f),",
            ],
        ),
        (
            "Found",
            &[
                "Found::Spot(ref spot) => Some(**spot),",
                "Found::Spot(ref spot) => spot.rows[0],",
            ],
        ),
        (
            "Reel",
            &[
                "Reel::Tape(tape) => (**tape).hash(),",
                "Reel::Tape(tape) => (&mut **tape).next(),",
            ],
        ),
        (
            "Corner",
            &[
                "    Quad(Box<[u64; 4]>),",
                "Corner::Quad(Box::new([at, at + 1, at + 2, at + 3]))",
                "Corner::Quad(ref quad) => { let [a, b, c, d] = &**quad; a + b + c + d },",
            ],
        ),
        (
            "Symbol",
            &[
                "    Frame(Box<FrameSymbol>),",
                "/// Details of [`Symbol::Frame`].\n#[derive(Debug)]\npub struct FrameSymbol {",
                "Symbol::Frame(Box::new(FrameSymbol { at, file: None, name: [at; 4] }))",
                "Symbol::Frame(frame) => frame.at,",
                "Symbol::Frame(frame) => frame.file.as_deref(),",
                "Symbol::Frame(ref frame) => Some(&frame.name),",
                "Symbol::Frame(frame) => frame.file,",
                "let FrameSymbol { at, name, .. } = &**frame; at + at + name[0]",
                "Symbol::Frame(frame) => write!(f, \"at {at}\", at = frame.at),",
            ],
        ),
        (
            "Call",
            &[
                "    Path { name: u8, args: Option<Box<[u64; 8]>> },",
                "Call::Path { name: 1, args: args.map(Box::new) }",
                "Call::Path { args: Some(args), .. } => args[0],",
            ],
        ),
        (
            "Way",
            &[
                "Way::Place(place) => Some(*place),",
                "Way::Place(place) => Some(place),",
            ],
        ),
        (
            "Folder",
            &[
                "path: path.into(),",
                "path.starts_with(&self.path) && std::fs::metadata(&self.path).is_ok()",
            ],
        ),
        ("Folder", &["HashMap::from([(name.into_boxed_str(), 1)])"]),
        ("Fault", &["Fault::Deep(deep) => Some(&**deep),"]),
    ] {
        let of = format!("\"by_hand::{ty}\":");
        let of = fixes.iter().filter(|(title, _)| title.starts_with(&of));
        let texts: Vec<String> = of
            .map(|(_, fix)| edited(&text, fix[file].clone()))
            .collect();
        let has_all = |text: &String| lines.iter().all(|line| text.contains(line));
        assert!(texts.iter().any(has_all), "{lines:?}\n{texts:?}");
    }
}

/// A build script writes its files again: nothing is edited there.
#[test]
fn what_a_build_script_generates_is_left() {
    let script = "fn main() {
        let folder = std::env::var(\"OUT_DIR\").unwrap();
        let text = \"pub enum Made { None, Thin(u8), Wide([u64; 30]) }\";
        std::fs::write(format!(\"{folder}/made.rs\"), text).unwrap();
    }";
    let library = "include!(concat!(env!(\"OUT_DIR\"), \"/made.rs\"));
        pub fn wide() -> Made { Made::Wide([1; 30]) }
        pub struct All { pub all: Vec<Vec<Made>> }";
    let scratch = Scratch::empty("edits-generated")
        .file("Cargo.toml", MANIFEST)
        .file("build.rs", script)
        .file("src/lib.rs", library);
    let mut command = cargo();
    command.current_dir(scratch.folder());
    command.args(["check", "--quiet", "--offline", "--target-dir", "target"]);
    run(&mut command).expect(0);
    let args = ["--message-format", "json", "-W", "weigh::pedantic"];
    let said = run_in(scratch.folder(), &args).expect(0);
    let findings = said.findings();
    let made = findings.iter().find(|f| f["weigh"]["type"] == "Made");
    let made = made.expect("it is found").to_string();
    assert!(made.contains("is generated by a build script"), "{made}");
    assert!(!made.contains("MachineApplicable"), "{made}");
}

const MANIFEST: &str =
    "[package]\nname = \"demo\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[workspace]\n";

/// If half of the values are wide, boxing all fields saves memory, and boxing one costs some.
const CELL: &str = "pub enum Cell {
    Empty,
    Number(u64),
    Formula { text: String, cache: String, marks: [u64; 4] },
}

pub struct Sheet {
    pub rows: Vec<Vec<Cell>>,
}

pub fn formula(text: &str) -> Cell {
    Cell::Formula { text: text.to_owned(), cache: String::new(), marks: [1; 4] }
}
";

#[test]
fn what_costs_memory_by_a_census_has_no_edits() {
    let lines = [
        serde_json::json!({
            "census": "head", "format": 1, "rustc": "1.95.0", "triple": "x86_64-unknown-linux-gnu",
            "program": "demo", "build_id": "0", "label": "exit",
        }),
        serde_json::json!({
            "census": "type", "type": "demo::Cell", "size": 80, "values": 1000, "slots": 1000,
            "bytes": 80_000, "direct": 1000,
            "variants": { "Empty": 80, "Number": 400, "Formula": 520 },
        }),
        serde_json::json!({
            "census": "summary", "label": "exit", "live_bytes": 90_000, "blocks": 100,
            "typed_bytes": 90_000, "walked_bytes": 90_000, "contradicting_bytes": 0,
            "guessed_bytes": 0, "foreign_bytes": 0, "raw_bytes": 0, "malloc_bytes": 0, "torn": 0,
            "peak_bytes": 90_000,
        }),
    ];
    let census: Vec<String> = lines.iter().map(|line| format!("{line}\n")).collect();
    let scratch = Scratch::empty("edits-census")
        .file("Cargo.toml", MANIFEST)
        .file("src/lib.rs", CELL)
        .file("census.json", census.concat());
    let edited = |more: &[&str]| {
        let args = [&["--message-format", "json", "-W", "weigh::pedantic"], more].concat();
        let said = run_in(scratch.folder(), &args).expect(0);
        let of = said
            .findings()
            .into_iter()
            .find(|f| f["weigh"]["type"] == "Cell" && f["weigh"]["lint"] == "oversized_variant");
        let finding = of.expect("it is found");
        let children = finding["message"]["children"].as_array().expect("a list");
        let edits = |title: &str| {
            let mut of = children.iter().filter(|c| {
                let message = c["message"].as_str().unwrap_or_default();
                message.starts_with(title)
            });
            of.any(|c| c.to_string().contains("suggestion_applicability\":\"M"))
        };
        (edits("put all 3 fields"), edits("box `Formula::marks`"))
    };
    assert_eq!(edited(&[]), (true, true));
    assert_eq!(edited(&["--census", "census.json"]), (true, false));
}

/// A tuple type takes no documentation.
#[test]
fn comments_of_fields_without_names_become_plain_ones() {
    let said = pedantic(&fixture("edits")).findings();
    let mut said = said
        .iter()
        .filter(|f| f["weigh"]["type"] == "joined::Directive");
    let finding = said.find(|f| f["weigh"]["lint"] == "oversized_variant");
    let remedies = finding.unwrap()["message"]["children"].as_array().unwrap();
    let spans = remedies.iter().flat_map(|r| r["spans"].as_array().unwrap());
    let mut texts = spans.filter_map(|span| span["suggested_replacement"].as_str());
    let boxed = texts.find(|text| text.starts_with("(Box<(")).unwrap();
    assert!(boxed.contains("// The handle.") && boxed.contains("/* The prefix. */"));
    assert!(!boxed.contains("///") && !boxed.contains("/**"), "{boxed}");
}
