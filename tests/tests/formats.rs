//! The same findings in every format, each parsed as its consumers do.

mod program;
mod read;
mod shapes;

use cargo_weigh::config::Level;
use cargo_weigh::report::{Format, Rendered};
use read::{Command, Found, Reader};
use serde_json::{Value, json};
use shapes::Shapes;
use std::collections::{BTreeSet, HashSet};

/// Plain JSON, as editors request it.
const JSON: Format = Format::Json(Rendered::Plain);

#[test]
fn every_format_holds_the_same_findings() {
    let shapes = Shapes::new("same");
    let expected = shapes.expected();
    assert_eq!(expected.len(), shapes.diagnostics.len(), "no two are alike");
    let read: [(Format, Reader); 6] = [
        (Format::Human, read::human),
        (Format::Short, read::short),
        (JSON, read::json),
        (Format::Sarif, read::sarif),
        (Format::Github, read::github),
        (Format::Gitlab, read::gitlab),
    ];
    for (format, read) in read {
        let found: BTreeSet<Found> = read(&shapes.write(format))
            .into_iter()
            .map(|f| shapes.in_repository(f))
            .collect();
        assert_eq!(found, expected, "{format:?}");
    }
}

/// Lists syntax errors only; `.ci/slow schema` validates against the official schema.
#[cfg(not(feature = "schema"))]
pub(crate) fn faults_of_sarif(text: &str) -> Vec<String> {
    let log: Result<Value, _> = serde_json::from_str(text);
    log.err().iter().map(ToString::to_string).collect()
}

/// Lists violations of the official schema.
#[cfg(feature = "schema")]
pub(crate) fn faults_of_sarif(text: &str) -> Vec<String> {
    let schema = include_str!("../schemas/sarif-2.1.0.json");
    // A stray bracket makes the pattern of `language`, which we do not write, invalid.
    let schema = schema.replace("[a-zA-Z]{2}]?$", "[a-zA-Z]{2}$");
    let schema: Value = serde_json::from_str(&schema).expect("the schema is JSON");
    let validator = jsonschema::options()
        .should_validate_formats(true)
        .build(&schema)
        .expect("the schema is one");
    let log: Value = serde_json::from_str(text).expect("SARIF is JSON");
    let faults = validator.iter_errors(&log);
    faults
        .map(|f| format!("{}: {f}", f.instance_path()))
        .collect()
}

#[cfg(feature = "schema")]
#[test]
fn sarif_keeps_to_the_official_schema() {
    let shapes = Shapes::new("schema");
    let text = shapes.write(Format::Sarif);
    assert_eq!(faults_of_sarif(&text), Vec::<String>::new());
    // The schema does find violations.
    let broken = text.replacen("\"message\":{", "\"massage\":{", 1);
    assert!(!faults_of_sarif(&broken).is_empty());
}

#[test]
fn sarif_has_what_code_scanning_asks_for() {
    let shapes = Shapes::new("sarif");
    let log: Value = serde_json::from_str(&shapes.write(Format::Sarif)).expect("JSON");
    let run = &log["runs"][0];
    assert_eq!(run["columnKind"], "unicodeCodePoints");
    let rules = read::list(&run["tool"]["driver"]["rules"]);
    assert_eq!(rules.len(), cargo_weigh::lints::LINTS.len());
    let results = read::list(&run["results"]);
    for result in &results {
        let index = result["ruleIndex"].as_u64().expect("a rule") as usize;
        assert_eq!(rules[index]["id"], result["ruleId"]);
        let location = &result["locations"][0]["physicalLocation"];
        let uri = location["artifactLocation"]["uri"].as_str().expect("a URI");
        assert!(uri.is_ascii() && !uri.contains([' ', '[', '\\']), "{uri}");
        // A related location is shown only where the message links to it.
        let text = result["message"]["text"].as_str().expect("a message");
        for related in read::list(&result["relatedLocations"]) {
            assert!(text.contains(&format!("]({}): ", related["id"])), "{text}");
        }
    }
    let levels: Vec<_> = results.iter().map(|r| r["level"].as_str()).collect();
    let mut sorted = levels.clone();
    sorted.sort_unstable();
    assert_eq!(levels, sorted, "errors come first");

    let invocation = &run["invocations"][0];
    assert_eq!(invocation["executionSuccessful"], false);
    let said = invocation["toolExecutionNotifications"].to_string();
    for words in [
        "exact for rustc",
        "the project's rustc",
        "cannot read the file",
    ] {
        assert!(said.contains(words), "{said}");
    }
    assert!(said.contains("ws/src/gone.rs"), "{said}");
    let rustc = json!({"rustc": "1.99.0", "triple": "x86_64-unknown-linux-gnu"});
    assert_eq!(run["properties"], rustc);
}

#[test]
fn sarif_says_what_it_cuts_off() {
    let shapes = Shapes::new("many-results");
    let report = shapes.repeated(5100);
    let text = shapes::text(&report, Format::Sarif);
    let log: Value = serde_json::from_str(&text).expect("JSON");
    let run = &log["runs"][0];
    let results = read::list(&run["results"]);
    assert_eq!(results.len(), 5000);
    let errors = report.totals().0;
    assert!(errors > 0 && results[..errors].iter().all(|r| r["level"] == "error"));
    let words = format!("5000 of {}", report.items.len());
    assert!(run["invocations"].to_string().contains(&words));
    assert!(
        report
            .cut_off(Format::Sarif)
            .is_some_and(|w| w.contains(&words))
    );
}

#[test]
fn github_reads_back_what_was_said() {
    let shapes = Shapes::new("github");
    let commands = read::commands(&shapes.write(Format::Github));
    let findings = commands.iter().filter(|c| c.title.starts_with("weigh::"));
    let said: BTreeSet<_> = findings
        .map(|c| c.text.lines().next().unwrap_or_default().to_owned())
        .collect();
    let messages = shapes.diagnostics.iter().map(|d| d.finding.message.clone());
    assert_eq!(said, messages.collect());
    let problem = commands.iter().find(|c| c.title == "cargo weigh");
    let problem = problem.expect("what cannot be read is said too");
    assert!(problem.kind == "error" && problem.file == "ws/src/gone.rs");
    // Columns are allowed only for spans within a line.
    for c in &commands {
        assert!(c.column > 0 && c.line == c.end_line, "{c:?}");
    }
}

#[test]
fn github_takes_ten_of_a_kind() {
    let shapes = Shapes::new("ten");
    let report = shapes.repeated(60);
    let (errors, warnings) = report.totals();
    let commands = read::commands(&shapes::text(&report, Format::Github));
    let of = |kind: &str| commands.iter().filter(|c| c.kind == kind).count();
    assert_eq!((of("error"), of("warning"), of("notice")), (10, 10, 1));
    let order = ["error", "warning", "notice"];
    let place = |c: &Command| order.iter().position(|kind| *kind == c.kind);
    assert!(commands.is_sorted_by_key(place), "errors come first");
    // An unreadable file is an error too.
    let left = format!("{} errors, {} warnings", errors + 1 - 10, warnings - 10);
    let notice = commands.last().expect("a notice");
    assert!(notice.text.contains(&left), "{left}: {}", notice.text);
}

#[test]
fn the_page_of_a_job_lists_all() {
    let shapes = Shapes::new("page");
    let table = cargo_weigh::report::job_summary(&shapes.report());
    let rows = table
        .lines()
        .filter(|l| l.starts_with("| error ") || l.starts_with("| warning "));
    let rows: Vec<_> = rows.collect();
    assert_eq!(rows.len(), shapes.diagnostics.len());
    for row in rows {
        let bars = row.replace("\\|", "").matches('|').count();
        assert_eq!(bars, 7, "{row}");
    }
    for words in ["exact for rustc", "Could not be analysed", "ws/src/gone.rs"] {
        assert!(table.contains(words), "{table}");
    }
}

#[test]
fn gitlab_has_its_fields_and_fingerprints_that_stay() {
    let shapes = Shapes::new("gitlab");
    let issues = |text: &str| -> Vec<Value> { serde_json::from_str(text).expect("an array") };
    let text = shapes.write(Format::Gitlab);
    let mut prints = HashSet::new();
    for issue in issues(&text) {
        for key in ["description", "check_name", "fingerprint"] {
            assert!(
                issue[key].as_str().is_some_and(|s| !s.is_empty()),
                "{issue}"
            );
        }
        assert!(["major", "minor"].contains(&issue["severity"].as_str().unwrap_or_default()));
        let path = issue["location"]["path"].as_str().expect("a path");
        assert!(!path.starts_with("./"), "{path}");
        assert!(issue["location"]["positions"]["begin"]["line"].is_u64());
        assert!(prints.insert(issue["fingerprint"].to_string()), "{issue}");
    }
    // The same findings, a few lines further down.
    let moved = Shapes::moved("gitlab-moved", 3);
    let again = issues(&moved.write(Format::Gitlab)).into_iter();
    let again: HashSet<_> = again.map(|i| i["fingerprint"].to_string()).collect();
    assert_eq!(again, prints);
    assert_ne!(moved.write(Format::Gitlab), text);
}

#[test]
fn fixes_are_the_same_for_cargo_and_for_sarif() {
    let shapes = Shapes::new("fixes");
    let log: Value = serde_json::from_str(&shapes.write(Format::Sarif)).expect("JSON");
    let results = read::list(&log["runs"][0]["results"]);
    let mut applied = 0;
    for line in shapes.write(JSON).lines() {
        let line: Value = serde_json::from_str(line).expect("JSON");
        let message = line["message"].to_string();
        let text = line["message"]["message"].as_str().unwrap_or_default();
        let Some(d) = shapes
            .diagnostics
            .iter()
            .find(|d| d.finding.message == text)
        else {
            continue;
        };
        let of = |filter| {
            rustfix::get_suggestions_from_json(&message, &HashSet::new(), filter)
                .expect("rustfix reads it")
        };
        let fixes: Vec<_> = d
            .finding
            .remedies
            .iter()
            .filter_map(|r| r.fix.as_ref())
            .collect();
        let sure = fixes
            .iter()
            .filter(|f| f.applicability.as_str() == "MachineApplicable");
        let solutions = of(rustfix::Filter::MachineApplicableOnly);
        let solutions: usize = solutions.iter().map(|s| s.solutions.len()).sum();
        assert_eq!(solutions, sure.count(), "{text}");

        let result = results.iter().find(|r| {
            let said = r["message"]["text"].as_str().unwrap_or_default();
            said.lines().next() == Some(text)
        });
        let result = result.expect("it is in SARIF too");
        let in_sarif = read::list(&result["fixes"]);
        assert_eq!(in_sarif.len(), fixes.len(), "{text}");
        let [fix] = &in_sarif[..] else { continue };
        let source = shapes.text_of(d);
        // The suppression comment is offered to editors only.
        let mut suggested = of(rustfix::Filter::Everything);
        for suggestion in &mut suggested {
            let is_comment = |s: &rustfix::Solution| s.message.starts_with("suppress this finding");
            suggestion.solutions.retain(|s| !is_comment(s));
        }
        let by_rustfix = rustfix::apply_suggestions(&source, &suggested);
        let by_rustfix = by_rustfix.expect("edits do not overlap");
        assert_eq!(read::fixed(&source, fix), by_rustfix);
        assert_ne!(source, by_rustfix);
        applied += 1;
    }
    assert!(applied >= 2, "both files have a fix");
}

#[test]
fn people_read_it_on_eighty_columns() {
    let shapes = Shapes::new("human");
    let text = shapes.write(Format::Human);
    assert!(text.contains("\x1b["), "colour is for the stream to drop");
    let plain = read::plain(&text);
    for (i, d) in shapes.diagnostics.iter().enumerate() {
        let silence = format!("// weigh: allow({}, reason = \"…\")", d.lint.name);
        assert_eq!(plain.matches(&silence).count(), 1, "{i}\n{plain}");
        assert!(plain.contains(&d.finding.message));
    }
    for words in [
        "ws/src/plain.rs:3: it grows here",
        "possible, but not proved",
        "and 3 more",
    ] {
        let words = words.trim_start_matches("ws/");
        assert!(plain.contains(words), "no `{words}` in\n{plain}");
    }
    let mut notes = false;
    for line in plain.lines() {
        notes = !line.is_empty() && (notes || line.trim_start().starts_with("= "));
        // Paths and names are not wrapped.
        let breaks = line.trim_start().contains(' ') && !line.contains(" elsewhere/");
        if notes && breaks {
            assert!(line.chars().count() <= 80, "{line}");
        }
    }
    let lines = shapes.write(JSON);
    assert!(
        !lines.contains("\\u001b"),
        "no colour where none was asked for"
    );
    assert!(
        shapes
            .write(Format::Json(Rendered::Ansi))
            .contains("\\u001b[")
    );
}

#[test]
fn what_is_not_about_a_size_has_none() {
    let shapes = Shapes::new("no-sizes");
    let lines = shapes.write(JSON);
    let lines = lines
        .lines()
        .filter_map(|l| serde_json::from_str::<Value>(l).ok());
    let lines: Vec<Value> = lines.collect();
    let line = lines.iter().find(|l| l["weigh"]["type"] == "NoSize");
    let line = line.expect("it is there");
    let one = &line["weigh"];
    // An editor marks each child with a span: only the first has one, the others are listed.
    let children = read::list(&line["message"]["children"]);
    let placed = children
        .iter()
        .filter(|c| c["level"] == "note" && !read::list(&c["spans"]).is_empty());
    assert_eq!((placed.count(), read::list(&one["evidence"]).len()), (1, 9));
    assert!(one["size_before"].is_null() && one["size_after"].is_null());
    assert!(one["remedies"][0]["size_after"].is_null());
    assert_eq!(
        (&one["population"], &one["confidence"]),
        (&"many".into(), &"possible".into())
    );
    assert!(shapes.diagnostics.iter().any(|d| d.level == Level::Deny));
}
