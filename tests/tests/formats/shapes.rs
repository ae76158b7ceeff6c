//! A report with every shape that a finding can have, in files with unusual content.

use super::read::Found;
use cargo_weigh::check::Diagnostic;
use cargo_weigh::config::Level;
use cargo_weigh::finding::{
    Applicability, Confidence, Edit, Evidence, Finding, Fix, Label, Multiplicity, Parts, Remedy,
    Ripple,
};
use cargo_weigh::lints::LINTS;
use cargo_weigh::project::ExactFor;
use cargo_weigh::report::{self, Format, Item, Report, Unit};
use cargo_weigh::resolve::Problem;
use cargo_weigh::source::Sources;
use cargo_weigh::span::Span;
use cargo_weigh::worth::Worth;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use weigh_tests::project::Scratch;

/// A byte-order mark, CRLF line endings, tabs, and characters of two and four bytes.
const ODD: &str = "\u{feff}pub enum First { É(u8) } // é🦀\r\n\
    \tpub enum Über { /* é🦀 */ Wide([u64; 16]), Also([u64; 15]), Tiny(u8) }\r\n\
    \tpub struct 名前 { text: Vec<String>, flag: bool }\r\n";

/// Has no final newline.
const PLAIN: &str = "pub struct NoSize {\n    list: Vec<Box<u8>>,\n    items: Vec<u8>,\n}\n\
    pub struct Last(u8)";

/// The report, and its repository.
pub struct Shapes {
    pub diagnostics: Vec<Diagnostic>,
    problems: Vec<Problem>,
    sources: Arc<Sources>,
    repository: Scratch,
    outside: Scratch,
    target: Value,
}

impl Shapes {
    /// Creates a repository of this name, with the workspace in its directory `ws`.
    pub fn new(name: &str) -> Shapes {
        Shapes::moved(name, 0)
    }

    /// Creates the same with `lines` empty lines on top of each file but the first.
    pub fn moved(name: &str, lines: usize) -> Shapes {
        let down = "\n".repeat(lines);
        let long = format!(
            "{down}pub enum Long {{ {} Fat([u8; 99]) }}",
            " ".repeat(2000)
        );
        let repository = Scratch::empty(&format!("formats {name}"))
            .file(".git/HEAD", "")
            .file("ws/src/é🦀 [a], b.rs", ODD)
            .file("ws/src/plain.rs", format!("{down}{PLAIN}"))
            .file("ws/src/long.rs", long)
            .file(
                "elsewhere/shared.rs",
                format!("{down}pub enum Shared {{\n    A([u8; 64]),\n}}"),
            );
        let outside = Scratch::empty(&format!("formats-outside-{name}"))
            .file("generated.rs", format!("{down}\t\tpub enum Out {{ A }}\n"));
        let mut shapes = Shapes {
            diagnostics: Vec::new(),
            problems: Vec::new(),
            sources: Arc::new(Sources::default()),
            repository,
            outside,
            target: json!({
                "kind": ["lib"], "crate_types": ["lib"], "name": "demo", "edition": "2024",
                "src_path": "/w/src/lib.rs", "doc": true, "doctest": true, "test": true,
            }),
        };
        shapes.fill();
        shapes
    }

    fn path(&self, file: &str) -> PathBuf {
        match file {
            "generated.rs" => self.outside.folder().join(file),
            _ => self.repository.folder().join(file),
        }
    }

    /// Returns the span of the first occurrence of a text in a file.
    fn at(&self, file: &str, text: &str) -> Span {
        let file = self.sources.load(&self.path(file)).expect("it was written");
        let start = file.text.find(text).expect(text);
        Span::new(file.id, start, start + text.len())
    }

    fn fill(&mut self) {
        let odd = "ws/src/é🦀 [a], b.rs";
        let plain = "ws/src/plain.rs";
        let label = |span, text: &str| Label {
            span,
            text: text.to_owned(),
        };
        let edit = |span, text: &str| Edit {
            span,
            text: text.to_owned(),
        };
        let ripple = |n: usize| {
            let one = |i| Ripple {
                path: format!("module::Holder{i}"),
                before: 1000 - i as u64,
                after: 8,
            };
            (0..n).map(one).collect::<Vec<_>>()
        };

        // Several labels and remedies, a fix of two edits, numbers, types that change with it.
        let mut all = blank(
            "`Wide` and `Also` make every `Über` 136 bytes, 100%25 too many",
            label(self.at(odd, "Wide"), "128 bytes of fields"),
        );
        all.secondary = vec![
            label(self.at(odd, "Also"), "120 bytes of fields"),
            label(self.at(odd, "Über"), "136 bytes a value"),
            label(self.at("elsewhere/shared.rs", "Shared"), "held here"),
        ];
        all.field = Some("Wide".to_owned());
        all.size_before = Some(136);
        all.parts = Some(Parts {
            title: "bytes of each variant's fields".to_owned(),
            rows: vec![
                ("Wide".to_owned(), 128),
                ("Also".to_owned(), 120),
                ("Tiny".to_owned(), 1),
            ],
            left_out: 2,
        });
        let both = vec![
            edit(self.at(odd, "[u64; 16]"), "Box<[u64; 16]>"),
            edit(self.at(odd, "[u64; 15]"), "Box<[u64; 15]>"),
        ];
        all.remedies = vec![
            Remedy {
                title: "box the contents of `Wide`; box the contents of `Also`, as both are wide and one \
                        alone would change nothing"
                    .to_owned(),
                size_after: Some(16),
                ripple: ripple(7),
                change: Vec::new(),
                heap: None,
                net: None,
                fix: Some(Box::new(Fix {
                    edits: both,
                    applicability: Applicability::MaybeIncorrect,
                    left: None,
                    elsewhere: None,
                })),
            },
            Remedy {
                title: "take out `Wide` | `Also`".to_owned(),
                size_after: Some(1),
                ripple: Vec::new(),
                change: Vec::new(),
                heap: None,
                net: None,
                fix: None,
            },
        ];
        all.trade_off = Some("each then costs an allocation".to_owned());
        all.notes = vec![
            "`Über` is `pub`: a change of what everyone sees, so that it takes a \
                          new major version"
                .to_owned(),
        ];
        self.push(Level::Warn, "Über", all);

        // Not about a size, with a machine-applicable fix, and evidence in other files.
        let mut none = blank(
            "each element of `list` is an allocation of its own",
            label(self.at(plain, "list"), "a pointer, then the element"),
        );
        none.field = Some("list".to_owned());
        let grows = self.at(plain, "items");
        none.evidence = (0..9)
            .map(|i| Evidence {
                span: (i > 0).then_some(grows),
                text: match i {
                    0 => "nothing takes the address of an element".to_owned(),
                    _ => "it grows here".to_owned(),
                },
            })
            .collect();
        none.remedies = vec![Remedy {
            title: "hold the elements themselves".to_owned(),
            size_after: None,
            ripple: Vec::new(),
            change: Vec::new(),
            heap: None,
            net: None,
            fix: Some(Box::new(Fix {
                edits: vec![edit(self.at(plain, "Vec<Box<u8>>"), "Vec<u8>")],
                applicability: Applicability::MachineApplicable,
                left: None,
                elsewhere: None,
            })),
        }];
        none.multiplicity = Multiplicity::Stored {
            depth: 1,
            holders: 1,
        };
        none.confidence = Confidence::Possible;
        self.push(Level::Warn, "NoSize", none);

        // Only a message: at the end of a file, in its first line after a byte-order mark, over
        // several lines, in a line too long to show, outside the workspace and the repository.
        let end = self.at(plain, "pub struct Last(u8)").end;
        let end = Span {
            start: end,
            end,
            ..self.at(plain, "Last")
        };
        let several = self.at(odd, "Tiny(u8) }").to(self.at(odd, "名前"));
        for (level, ty, span) in [
            (Level::Deny, "Last", end),
            (Level::Warn, "First", self.at(odd, "First")),
            (Level::Deny, "Several", several),
            (Level::Forbid, "Long", self.at("ws/src/long.rs", "Fat")),
            (Level::Warn, "Shared", self.at("elsewhere/shared.rs", "A")),
            (Level::Deny, "Out", self.at("generated.rs", "Out")),
        ] {
            let message = format!("`{ty}` is said to be, well: 100%0A bad");
            self.push(level, ty, blank(&message, label(span, "this one")));
        }
        // Two findings of one kind on the same type.
        for name in ["text", "flag"] {
            let span = self.at(odd, name);
            let message = format!("`{name}` again");
            self.push(Level::Warn, "名前", blank(&message, label(span, "here")));
        }
        self.problems = vec![Problem {
            span: None,
            file: Some(self.path("ws/src/gone.rs")),
            message: "cannot read the file: 100% gone".to_owned(),
            own: true,
        }];
    }

    fn push(&mut self, level: Level, ty: &str, finding: Finding) {
        self.diagnostics.push(Diagnostic {
            lint: LINTS[self.diagnostics.len() % LINTS.len()],
            level,
            krate: 0,
            ty: ty.to_owned(),
            finding: Box::new(finding),
            worth: Worth::default(),
            below: false,
            rank: self.diagnostics.len() + 1,
            triples: Vec::new(),
            measured: None,
            counted: None,
        });
    }

    pub fn report(&self) -> Report<'_> {
        let unit = Unit {
            package: "demo",
            package_id: "path+file:///w#demo@0.1.0",
            manifest_path: Path::new("/w/Cargo.toml"),
            features: &[],
            target: &self.target,
            is_test: false,
        };
        let items = self.diagnostics.iter();
        let exact_for = ExactFor {
            rustc: "1.99.0",
            triple: "x86_64-unknown-linux-gnu",
            project_config: None,
        };
        Report {
            sources: self.sources.clone(),
            workspace_root: self.path("ws"),
            packages: vec![unit],
            items: items
                .map(|diagnostic| Item {
                    diagnostic,
                    unit,
                    exact_for,
                    is_note: false,
                    alike: 0,
                })
                .collect(),
            problems: self.problems.iter().collect(),
            exact_for,
            exactness: "exact for rustc 1.99.0 on x86_64-unknown-linux-gnu".to_owned(),
            types: "9 types".to_owned(),
            also: Vec::new(),
            reserved: 0,
            largest: &[],
            has_program: false,
            top: None,
            in_full: usize::MAX,
            columns: None,
            warning: Some("the project's rustc could not be asked".to_owned()),
        }
    }

    /// Repeats the findings to at least `least`.
    pub fn repeated(&self, least: usize) -> Report<'_> {
        let mut report = self.report();
        report.items = report.items.repeat(least.div_ceil(self.diagnostics.len()));
        report
    }

    pub fn write(&self, format: Format) -> String {
        text(&self.report(), format)
    }

    /// Returns what every format must contain, with paths relative to the repository.
    pub fn expected(&self) -> BTreeSet<Found> {
        let diagnostics = self.diagnostics.iter();
        diagnostics
            .map(|d| {
                let span = d.finding.primary.span;
                let file = self.sources.get(span.file);
                let before = &file.text[..span.start as usize];
                let line = before.rsplit('\n').next().unwrap_or_default();
                let found = Found {
                    lint: d.lint.name.to_owned(),
                    path: file.path.to_str().expect("UTF-8").to_owned(),
                    line: before.matches('\n').count() + 1,
                    column: line.trim_start_matches('\u{feff}').chars().count() + 1,
                };
                self.in_repository(found)
            })
            .collect()
    }

    /// Makes a path relative to the repository, whatever the format's base.
    pub fn in_repository(&self, found: Found) -> Found {
        let path = match found.path.strip_prefix("src/") {
            Some(_) => format!("ws/{}", found.path),
            None => found.path,
        };
        let folder = format!("{}/", self.repository.folder().to_str().expect("UTF-8"));
        let path = path.strip_prefix(&folder).unwrap_or(&path).to_owned();
        Found { path, ..found }
    }

    /// Returns the text of the file that a finding is about.
    pub fn text_of(&self, d: &Diagnostic) -> String {
        self.sources.get(d.finding.primary.span.file).text.clone()
    }
}

/// Renders a report in a format.
pub fn text(report: &Report, format: Format) -> String {
    let mut text = Vec::new();
    report::write(report, format, &mut text).expect("memory can be written");
    String::from_utf8(text).expect("reports are UTF-8")
}

fn blank(message: &str, primary: Label) -> Finding {
    Finding {
        after: None,
        message: message.to_owned(),
        primary,
        claims: Vec::new(),
        secondary: Vec::new(),
        field: None,
        size_before: None,
        parts: None,
        remedies: Vec::new(),
        evidence: Vec::new(),
        trade_off: None,
        notes: Vec::new(),
        multiplicity: Multiplicity::Unknown,
        confidence: Confidence::Proved,
        slot: None,
        built: None,
        against: Vec::new(),
        assuming: Vec::new(),
    }
}
