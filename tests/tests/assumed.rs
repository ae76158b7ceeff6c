//! Checks what assumed sizes do: lints work on them and say so, and nothing fails for their sake.

use serde_json::Value;
use weigh_tests::project::Scratch;
use weigh_tests::{fixture, run, weigh, workbench};

/// A crate whose central type has an attribute that no table knows, beside one without.
fn project(name: &str, attribute: &str) -> Scratch {
    let manifest = format!(
        "[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n\
         [dependencies]\nplugin = {{ path = \"plugin\" }}\n\n\
         [package.metadata.weigh]\nbudgets = {{ \"Event\" = 64, \"Log\" = 16 }}\n\n[workspace]\n"
    );
    let source = format!(
        "use plugin::keep;\n\n\
         {attribute}\n\
         pub enum Event {{\n    Quiet(u8),\n    Loud([u64; 40]),\n}}\n\n\
         pub struct Log {{\n    pub events: Vec<Event>,\n    pub last: Event,\n}}\n\n\
         pub fn fill(log: &mut Log, n: u8) {{\n    for i in 0..n {{\n        \
         log.events.push(Event::Quiet(i));\n    }}\n}}\n\n\
         pub fn loud(log: &mut Log) {{\n    log.events.push(Event::Loud([0; 40]));\n}}\n\n\
         #[keep]\npub struct Held(bool, u32);\n\n\
         pub struct Plain(u8, u32);\n"
    );
    Scratch::empty(name)
        .file("Cargo.toml", manifest)
        .file("src/lib.rs", source)
        .file(
            "plugin/Cargo.toml",
            "[package]\nname = \"plugin\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n\
             [lib]\nproc-macro = true\n",
        )
        .file(
            "plugin/src/lib.rs",
            "use proc_macro::TokenStream;\n\n\
             #[proc_macro_attribute]\n\
             pub fn keep(_: TokenStream, item: TokenStream) -> TokenStream {\n    item\n}\n",
        )
}

fn sizes(scratch: &Scratch) -> Vec<Value> {
    let mut command = weigh(scratch.folder());
    let said = run(command.args(["sizes", "--message-format", "json"])).expect(0);
    said.json()
}

#[test]
fn sizes_tell_assumed_ones_from_exact_ones() {
    let scratch = project("assumed_sizes", "#[keep]");
    for line in sizes(&scratch) {
        let (path, size) = (
            line["path"].as_str().unwrap(),
            line["assumed_size"].as_u64(),
        );
        let expected = match path {
            "Event" => Some(328),
            "Log" => Some(352),
            "Held" => Some(8),
            "Plain" => None,
            other => panic!("{other} is not of this crate"),
        };
        assert_eq!(size, expected, "{line}");
        assert_eq!(line["exact"] == true, expected.is_none(), "{line}");
        assert_eq!(line["size"].is_null(), expected.is_some(), "{line}");
        let assuming = line["assuming"].as_array().expect("a list");
        match expected {
            Some(_) => assert_eq!(
                assuming,
                &[
                    "attribute macro `keep` leaves its item as written and adds no name that is used here"
                ]
            ),
            None => assert!(assuming.is_empty(), "{line}"),
        }
    }
    let mut command = weigh(scratch.folder());
    let said = run(command.args(["sizes"])).expect(0);
    for part in [
        "\n328? ",
        "(if attribute macro `keep` leaves its item as written and adds no name that is used here)",
        "4 types, 3 of them of assumed size (-v says why)",
    ] {
        assert!(said.stdout.contains(part), "{part} in {}", said.stdout);
    }
}

#[test]
fn nothing_fails_for_an_assumed_size() {
    let find = |scratch: &Scratch, arguments: &[&str]| {
        let mut command = weigh(scratch.folder());
        command.args(["--message-format", "json", "-D", "warnings"]);
        run(command.args(arguments))
    };
    let lint = |finding: &Value| {
        finding["weigh"]["lint"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    };

    let exact = project("exact_lints", "");
    let said = find(&exact, &[]).expect(1);
    let names: Vec<String> = said.findings().iter().map(lint).collect();
    assert!(names.iter().any(|n| n == "oversized_variant"), "{names:?}");
    assert!(names.iter().any(|n| n == "over_budget"), "{names:?}");
    assert!(
        said.findings()
            .iter()
            .all(|f| f["weigh"]["assuming"].is_null())
    );

    let assumed = project("assumed_lints", "#[keep]");
    let said = find(&assumed, &[]).expect(0);
    let findings = said.findings();
    let names: Vec<String> = findings.iter().map(lint).collect();
    assert!(names.iter().any(|n| n == "oversized_variant"), "{names:?}");
    assert!(!names.iter().any(|n| n == "over_budget"), "{names:?}");
    for finding in &findings {
        let assuming = finding["weigh"]["assuming"].as_array().expect("a list");
        assert!(!assuming.is_empty(), "{finding}");
        let children = finding["message"]["children"].as_array().expect("a list");
        let says = |c: &&Value| {
            c["message"]
                .as_str()
                .is_some_and(|m| m.starts_with("assuming that"))
        };
        assert_eq!(children.iter().filter(says).count(), 1, "{finding}");
    }
    // No baseline has it.
    let said = find(&assumed, &["--write-baseline"]).expect(0);
    assert!(said.stderr.contains("0 findings"), "{}", said.stderr);
    // The strict counts after a run of the lints are those of a run without.
    let mut command = weigh(assumed.folder());
    let said = run(command.args(["-v"])).expect(0);
    let counted = "3 types of assumed size, if attribute macro `keep` leaves its item as written and adds no name that is used here";
    assert!(said.stderr.contains(counted), "{}", said.stderr);
}

#[test]
fn an_assumed_size_does_not_grow() {
    let before = project("assumed_diff", "");
    let mut command = weigh(before.folder());
    run(command.arg("snapshot")).expect(0);
    let source = std::fs::read_to_string(before.folder().join("src/lib.rs")).unwrap();
    let grown = source.replace("pub enum Event", "#[keep]\npub enum Event");
    let grown = grown
        .replace("[u64; 40]", "[u64; 80]")
        .replace("[0; 40]", "[0; 80]");
    let after = before.file("src/lib.rs", grown);
    let snapshot = std::fs::read_dir(after.folder()).unwrap();
    let mut names = snapshot.map(|e| e.unwrap().file_name().into_string().unwrap());
    let name = names.find(|n| n.ends_with(".json")).expect("a snapshot");
    let mut command = weigh(after.folder());
    run(command.args(["diff", &name, "--fail-on", "growth"])).expect(0);
}

#[test]
fn what_is_drawn_says_what_it_assumes() {
    let scratch = project("assumed_drawn", "#[keep]");
    let clause = "assuming that attribute macro `keep` leaves its item as written and adds no name that is used here";
    let mut command = weigh(scratch.folder());
    let said = run(command.args(["layout", "Event"])).expect(0);
    assert!(said.stdout.contains("328"), "{}", said.stdout);
    assert!(said.stdout.contains(clause), "{}", said.stdout);
    // A document has exact layouts alone.
    let mut command = weigh(scratch.folder());
    let said = run(command.args(["layout", "Event", "--message-format", "json"])).expect(2);
    assert!(said.stdout.is_empty(), "{}", said.stdout);
    let mut command = weigh(scratch.folder());
    let said = run(command.args(["why", "Event"])).expect(0);
    let size = format!("328 bytes, {clause}");
    assert!(said.stdout.contains(&size), "{}", said.stdout);
}

#[test]
fn verify_counts_them_apart() {
    let scratch = project("assumed_verify", "#[keep]");
    let mut command = weigh(scratch.folder());
    let said = run(command.arg("verify")).expect(0);
    let counts = "1 exact, 0 wrong, 3 assumed (3 of them right), 0 unknown";
    assert!(said.stdout.contains(counts), "{}", said.stdout);
}

#[test]
fn what_is_known_to_change_its_item_is_not_assumed() {
    let mut command = weigh(&fixture("oracle/attributes"));
    command.args(["sizes", "--lib", "--message-format", "json", "--target-dir"]);
    let said = run(command.arg(workbench("oracle-bare").join("attributes"))).expect(0);
    let lines = said.json();
    let assumed = |path: &str| {
        let line = lines.iter().find(|line| line["path"] == path);
        line.expect("the type is listed")["assumed_size"].as_u64()
    };
    for path in ["Extends", "Texts", "Unread"] {
        assert_eq!(assumed(&format!("known::exported::{path}")), None);
    }
    assert_eq!(assumed("known::LikeIt"), None);
    assert_eq!(assumed("Kept"), Some(1));
}

/// The name of a macro that was not found does not say what it leaves.
#[test]
fn a_macro_that_was_not_found_is_none_of_the_table() {
    let scratch = Scratch::empty("not_found")
        .file(
            "Cargo.toml",
            "[package]\nname = \"not_found\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n\
             [dependencies]\nsalsa = { path = \"salsa\" }\n\n[workspace]\n",
        )
        .file(
            "src/lib.rs",
            "#[other::input]\npub struct Kept {\n    text: String,\n}\n",
        )
        .file(
            "salsa/Cargo.toml",
            "[package]\nname = \"salsa\"\nversion = \"0.1.0\"\nedition = \"2024\"\n",
        )
        .file("salsa/src/lib.rs", "pub struct Id(u32);\n");
    let lines = sizes(&scratch);
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(lines[0]["exact"] == false, "{lines:?}");
    assert!(lines[0]["assumed_size"].is_null(), "{lines:?}");
}

/// What a known macro leaves has a size, and no fields that are written.
#[test]
fn one_field_in_place_of_all() {
    let mut command = weigh(&fixture("oracle/one_field"));
    let said = run(command.args(["layout", "Word", "--lib"])).expect(2);
    said.says(&[
        "`Word` has a size of 8 bytes and an alignment of 4, but its fields are unknown: \
         attribute macro `salsa::interned` may change its fields",
    ]);
}
