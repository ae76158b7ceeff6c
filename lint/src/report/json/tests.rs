//! Tests of JSON lines as readers of cargo's output see them.

use super::*;
use crate::config::Level;
use crate::finding::{Applicability, Confidence, Finding, Fix, Multiplicity};
use crate::lints::LINTS;
use crate::source::Sources;
use crate::worth::Worth;
use cargo_metadata::diagnostic::{Diagnostic as Read, DiagnosticLevel};
use std::sync::Arc;

const TEXT: &str = "\u{feff}enum E {\r\n    /*é🦀*/ A([u8; 64]),\r\n    B,\r\n}\r\n";

/// Returns a finding about `A` in [`TEXT`], with a fix of its field.
fn diagnostic(sources: &Sources) -> Diagnostic {
    let file = sources.add("/w/src/a.rs".into(), TEXT.to_owned(), None);
    let at = |part: &str| {
        let start = TEXT.find(part).unwrap();
        Span::new(file.id, start, start + part.len())
    };
    let label = |part| Label {
        span: at(part),
        text: format!("about {part}"),
    };
    Diagnostic {
        lint: LINTS[0],
        level: Level::Deny,
        krate: 0,
        ty: "E".to_owned(),
        worth: Worth::default(),
        below: false,
        rank: 1,
        triples: Vec::new(),
        measured: None,
        counted: None,
        finding: Box::new(Finding {
            after: None,
            message: "it is large".to_owned(),
            primary: Label {
                span: Span {
                    end: at("A(").start + 1,
                    ..at("A(")
                },
                text: "64 bytes".to_owned(),
            },
            claims: Vec::new(),
            secondary: vec![label("E")],
            field: Some("A".to_owned()),
            size_before: Some(65),
            parts: None,
            remedies: vec![Remedy {
                title: "box it".to_owned(),
                heap: None,
                net: None,
                size_after: Some(8),
                ripple: Vec::new(),
                change: Vec::new(),
                fix: Some(Box::new(Fix {
                    edits: vec![Edit {
                        span: at("[u8; 64]"),
                        text: "Box<[u8; 64]>".to_owned(),
                    }],
                    applicability: Applicability::MaybeIncorrect,
                    left: None,
                    elsewhere: None,
                })),
            }],
            evidence: Vec::new(),
            trade_off: None,
            notes: Vec::new(),
            multiplicity: Multiplicity::Unknown,
            slot: None,
            built: None,
            against: Vec::new(),
            assuming: Vec::new(),
            confidence: Confidence::Proved,
        }),
    }
}

fn read(rendered: Rendered) -> (Read, String) {
    let sources = Arc::new(Sources::default());
    let d = diagnostic(&sources);
    let places = Places::of_sources("/w".into(), sources);
    let text =
        serde_json::to_string(&rustc(&places, &d, &mut ToldOnce::default(), rendered)).unwrap();
    (serde_json::from_str(&text).unwrap(), text)
}

#[test]
fn cargo_metadata_reads_a_finding() {
    let (read, text) = read(Rendered::Plain);
    assert!(matches!(read.level, DiagnosticLevel::Error));
    assert!(read.code.unwrap().code.starts_with("weigh::"));
    assert!(text.contains(r#""$message_type":"diagnostic""#));
    let spans: Vec<_> = read
        .spans
        .iter()
        .map(|s| (s.is_primary, s.label.as_deref()))
        .collect();
    assert_eq!(spans, [(true, Some("64 bytes")), (false, Some("about E"))]);
    let help = read.children.last().unwrap();
    assert!(help.spans.is_empty() && help.message.starts_with("for further information visit"));
}

#[test]
fn columns_are_characters_and_bytes_those_of_the_file() {
    let (read, _) = read(Rendered::Plain);
    let [primary, name] = &read.spans[..] else {
        panic!("{:?}", read.spans)
    };
    assert_eq!(primary.file_name, "src/a.rs");
    assert_eq!(
        (primary.line_start, primary.column_start, primary.column_end),
        (2, 12, 13)
    );
    assert_eq!(
        &TEXT[primary.byte_start as usize..primary.byte_end as usize],
        "A"
    );
    assert_eq!(primary.text[0].text, "    /*é🦀*/ A([u8; 64]),");
    // The byte-order mark is not a character, but it has bytes.
    assert_eq!(
        (name.line_start, name.column_start, name.byte_start),
        (1, 6, 8)
    );
    assert_eq!(name.text[0].text, "enum E {");
}

#[test]
fn a_fix_is_offered_at_the_finding() {
    let (read, _) = read(Rendered::Plain);
    let [at, edit] = &read.children[0].spans[..] else {
        panic!("{:?}", read.children)
    };
    assert!(at.suggested_replacement.is_none() && at.byte_start == read.spans[0].byte_start);
    assert_eq!(edit.suggested_replacement.as_deref(), Some("Box<[u8; 64]>"));
    assert_eq!(
        &TEXT[edit.byte_start as usize..edit.byte_end as usize],
        "[u8; 64]"
    );
}

#[test]
fn three_kinds_of_text() {
    let rendered = |kind| read(kind).0.rendered.unwrap();
    assert!(rendered(Rendered::Plain).contains("^ 64 bytes"));
    assert!(rendered(Rendered::Ansi).contains("\u{1b}["));
    let short = rendered(Rendered::Short);
    assert!(short.starts_with("src/a.rs:2:12: error: it is large [weigh::"));
}

#[test]
fn lines_without_their_ends() {
    let text = "\u{feff}a\r\nbé\n";
    let starts = [0, 6, 10];
    assert_eq!(source_line(text, &starts, 1), "a");
    assert_eq!(source_line(text, &starts, 2), "bé");
    assert_eq!(source_line(text, &starts, 3), "");
}
