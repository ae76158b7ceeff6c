//! Tests the sample crate of the README: what it is meant to show.

use serde_json::Value;
use weigh_tests::{cargo, fixture, repository, run, run_in, workbench};

fn finding<'a>(findings: &'a [Value], ty: &str) -> &'a Value {
    let found = findings.iter().map(|finding| &finding["weigh"]);
    let found: Vec<_> = found.filter(|weigh| weigh["type"] == ty).collect();
    assert_eq!(found.len(), 1, "findings on {ty}");
    found[0]
}

#[test]
fn it_is_good_rust_otherwise() {
    let target = workbench("showcase");
    let mut command = cargo();
    command
        .current_dir(fixture("showcase"))
        .env("RUSTFLAGS", "-D warnings");
    let said = run(command.args(["run", "--quiet", "--target-dir"]).arg(target)).expect(0);
    assert!(said.stdout.contains("Weighing"), "{}", said.stdout);
}

#[test]
fn each_kind_of_enum_is_found_once() {
    let said = run_in(&fixture("showcase"), &["--message-format", "json"]).expect(0);
    let mut findings = said.findings();
    // Findings on its buffers are not the subject here.
    findings.retain(|f| f["weigh"]["lint"] == "oversized_variant");

    let event = finding(&findings, "event::Event");
    assert_eq!(event["lint"], "oversized_variant");
    assert_eq!(event["field"], "Opened");
    assert_eq!(event["size_before"], 96);
    assert_eq!(event["size_after"], 16);

    // Two equally large variants: boxing only one of them would not help.
    let block = finding(&findings, "document::Block");
    assert_eq!(
        (&block["size_before"], &block["size_after"]),
        (&104.into(), &32.into())
    );
    let title = block["remedies"][0]["title"].to_string();
    assert!(
        title.contains("Figure") && title.contains("Table"),
        "{title}"
    );

    // The inner enum is the cause of the outer one's size.
    let inline = finding(&findings, "document::Inline");
    assert_eq!(inline["field"], "Link");
    assert_eq!(inline["size_before"], 72);
    let ripple = inline["remedies"][0]["ripple"].to_string();
    assert!(ripple.contains("document::Piece"), "{ripple}");
    let outer = |f: &&Value| f["weigh"]["type"] == "document::Piece";
    assert!(
        !findings.iter().any(|f| outer(&f)),
        "the outer enum is no fault of its own"
    );
}

#[test]
fn it_is_found_from_anywhere_by_its_manifest() {
    let folder = repository();
    let args = ["--manifest-path", "fixtures/showcase/Cargo.toml"];
    let said = run_in(folder, &args).expect(0);
    assert!(
        said.stdout.contains("weigh::oversized_variant"),
        "{}",
        said.stdout
    );
    assert!(
        said.stderr.contains("exact for rustc 1."),
        "{}",
        said.stderr
    );
}
