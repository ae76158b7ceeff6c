//! The first story: two enums of a heap dump reader, before and after the remedy.

use serde_json::json;
use weigh_tests::{fixture, run, run_in, weigh_as_is};

const GC_RECORD: &str = "parser::gc_record::GcRecord";
const RECORD: &str = "parser::record::Record";

#[test]
fn both_enums_have_the_sizes_of_the_story() {
    let said = run_in(&fixture("hprof"), &["sizes", "--message-format", "json"]).expect(0);
    for path in [GC_RECORD, RECORD] {
        let line = said.size_of(path);
        assert_eq!(line["size"], 128, "{line}");
        assert_eq!(line["exact"], true, "{line}");
    }
    let gc_record = said.size_of(GC_RECORD);
    assert_eq!(gc_record["file"], "src/parser/gc_record.rs");
    assert_eq!(gc_record["line"], 60);
    let variants = gc_record["variants"]
        .as_array()
        .expect("an enum lists its variants");
    assert_eq!(variants.len(), 13);
    assert!(variants.contains(&json!({"name": "ClassDump", "size": 122})));
    assert!(variants.contains(&json!({"name": "InstanceDump", "size": 24})));
}

#[test]
fn the_root_is_named_and_the_outer_enum_shrinks_with_it() {
    let args = ["-A", "heap", "--message-format", "json"];
    let said = run_in(&fixture("hprof"), &args).expect(0);
    let findings = said.findings();
    assert_eq!(findings.len(), 1, "{}", said.stdout);
    let finding = &findings[0]["weigh"];
    assert_eq!(finding["lint"], "oversized_variant");
    assert_eq!(finding["package"], "hprof");
    assert_eq!(finding["type"], GC_RECORD);
    assert_eq!(finding["field"], "ClassDump");
    assert_eq!(finding["size_before"], 128);
    assert_eq!(finding["size_after"], 64);

    let remedies = finding["remedies"]
        .as_array()
        .expect("a finding lists its remedies");
    let first = &remedies[0];
    let title = first["title"].as_str().expect("a remedy has a title");
    for field in [
        "const_fields",
        "static_fields",
        "instance_fields",
        "one box",
    ] {
        assert!(title.contains(field), "{title}");
    }
    assert_eq!(first["size_after"], 64);
    assert_eq!(first["ripple"], json!([[RECORD, 128, 72]]));
    // The story first boxed each list, which Clippy has a lint against: that remedy is no fix.
    let each = remedies.iter().find(|r| r["size_after"] == 80);
    let title = each.expect("is listed")["title"].as_str();
    assert!(title.is_some_and(|t| t.contains("`box_collection`")));
    for remedy in remedies {
        assert!(remedy["size_after"].as_u64() < Some(128), "{remedy}");
    }
}

#[test]
fn the_message_is_one_that_cargo_could_have_written() {
    let args = ["-A", "heap", "--message-format", "json"];
    let said = run_in(&fixture("hprof"), &args).expect(0);
    let lines = said.json();
    let reasons: Vec<_> = lines.iter().map(|line| line["reason"].as_str()).collect();
    let expected = ["compiler-message", "compiler-artifact", "build-finished"];
    assert_eq!(reasons, expected.map(Some));
    assert_eq!(lines[1]["fresh"], false);
    assert_eq!(lines[2]["success"], true);

    let message = &lines[0]["message"];
    assert_eq!(message["code"]["code"], "weigh::oversized_variant");
    assert_eq!(message["level"], "warning");
    let spans = message["spans"].as_array().expect("a message has spans");
    let primary = spans
        .iter()
        .find(|s| s["is_primary"] == true)
        .expect("one is primary");
    assert_eq!(primary["file_name"], "src/parser/gc_record.rs");
    assert_eq!(primary["text"][0]["text"], "    ClassDump {");
    assert_eq!(
        (&primary["column_start"], &primary["column_end"]),
        (&json!(5), &json!(14))
    );
    let secondary = spans
        .iter()
        .find(|s| s["is_primary"] == false)
        .expect("one is not");
    assert_eq!(secondary["text"][0]["text"], "pub enum GcRecord {");
    let last = message["children"]
        .as_array()
        .and_then(|c| c.last())
        .expect("a last child");
    assert_eq!(last["level"], "help");
    assert!(
        last["message"]
            .as_str()
            .is_some_and(|m| m.contains("https://")),
        "{last}"
    );
}

#[test]
fn a_reader_sees_the_numbers() {
    let said = run_in(&fixture("hprof"), &["--color", "never"]).expect(0);
    for words in [
        "weigh::oversized_variant",
        "src/parser/gc_record.rs:117:5",
        "`GcRecord` 128 bytes",
        "ClassDump           122",
        "help: put `const_fields`, `static_fields` and `instance_fields`",
        "parser::record::Record  128 → 72 bytes",
    ] {
        assert!(
            said.stdout.contains(words),
            "no `{words}` in:\n{}",
            said.stdout
        );
    }
    assert!(!said.stdout.contains('\x1b'), "colours in plain text");
    assert!(
        said.stderr.contains("exact for rustc 1."),
        "for which rustc is not said: {}",
        said.stderr
    );
    let short = run_in(&fixture("hprof"), &["--message-format", "short"]).expect(0);
    let line = short.stdout.lines().next().unwrap_or_default();
    assert!(
        line.starts_with("src/parser/gc_record.rs:117:5: warning: "),
        "{line}"
    );
    assert!(line.ends_with("[weigh::oversized_variant]"), "{line}");
}

#[test]
fn levels_decide_the_exit_status() {
    let folder = fixture("hprof");
    run_in(&folder, &["-D", "oversized_variant"]).expect(1);
    run_in(&folder, &["-D", "warnings"]).expect(1);
    run_in(&folder, &["--", "-D", "warnings"]).expect(1);
    run_in(&folder, &["-D", "weigh::oversized_variant"]).expect(1);
    let allowed = ["-A", "layout", "-A", "heap", "--message-format", "json"];
    let allowed = run_in(&folder, &allowed).expect(0);
    assert!(allowed.findings().is_empty(), "{}", allowed.stdout);
    run_in(&folder, &["-D", "oversized_varaint"])
        .expect(2)
        .says(&["oversized_varaint", "oversized_variant"]);
}

#[test]
fn after_the_remedy_it_is_silent() {
    let folder = fixture("hprof/after");
    let sizes = run_in(&folder, &["sizes", "--message-format", "json"]).expect(0);
    assert_eq!(sizes.size_of(GC_RECORD)["size"], 64);
    assert_eq!(sizes.size_of(RECORD)["size"], 72);
    let said = run(weigh_as_is(&folder).args(["--message-format", "json"])).expect(0);
    assert!(said.findings().is_empty(), "{}", said.stdout);
}
