//! SARIF 2.1.0 as GitHub code scanning requires it, with paths relative to the repository.

mod shape;

use super::facts::Facts;
use super::words::{cut, lines, silence};
use super::{Item, Place, Places, Report, count};
use crate::check::Diagnostic;
use crate::config::Level;
use crate::finding::{Fix as Edits, Remedy};
use crate::lint::{Group, Lint};
use crate::lints::LINTS;
use crate::span::Span;
use crate::visible;
use heck::ToUpperCamelCase;
use shape::*;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;

/// URL of the schema.
const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// Identifier of the folder that relative paths start from.
const ROOT: &str = "%SRCROOT%";

/// Number of results that GitHub keeps of one run; it rejects runs with more than 25,000.
const MOST_RESULTS: usize = 5000;

/// Maximum number of related places of one result, which is GitHub's limit.
const MOST_RELATED: usize = 100;

/// Maximum number of characters of a rule's descriptions.
const LONGEST_DESCRIPTION: usize = 1024;

pub(super) fn write(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let places = report.in_repository();
    let mut items = report.by_severity();
    items.truncate(MOST_RESULTS);
    let log = Log {
        schema: SCHEMA,
        version: "2.1.0",
        runs: [Run {
            tool: Tool {
                driver: Driver {
                    name: env!("CARGO_PKG_NAME"),
                    semantic_version: env!("CARGO_PKG_VERSION"),
                    information_uri: env!("CARGO_PKG_REPOSITORY"),
                    rules: LINTS.iter().map(|l| rule(l)).collect(),
                },
            },
            invocations: [Invocation {
                execution_successful: report.problems.is_empty(),
                tool_execution_notifications: notifications(report, &places),
            }],
            original_uri_base_ids: BTreeMap::from([(
                ROOT,
                Base {
                    description: Text::new("the root of the repository"),
                },
            )]),
            column_kind: "unicodeCodePoints",
            results: items.iter().map(|item| result(&places, item)).collect(),
            properties: report.exact_for,
        }],
    };
    serde_json::to_writer(&mut *out, &log)?;
    out.write_all(b"\n")
}

/// Returns the warning if not all results can be listed.
pub(super) fn cut_off(results: usize) -> Option<String> {
    (results > MOST_RESULTS).then(|| {
        format!(
            "{} of {results} findings are listed, errors first: code scanning accepts no more",
            MOST_RESULTS
        )
    })
}

fn level(level: Level) -> &'static str {
    match level {
        Level::Allow => "note",
        Level::Warn => "warning",
        Level::Deny | Level::Forbid => "error",
    }
}

fn rule(lint: &Lint) -> Rule {
    let docs = lint.docs();
    let why = docs.split("# Why\n").nth(1).unwrap_or_default();
    let why = why.split("\n# ").next().unwrap_or_default();
    let why = why.split_whitespace().collect::<Vec<_>>().join(" ");
    let full = format!("{}. {why}", lint.summary());
    let remark = format!(
        "Suppress a finding with `{}` above it. `cargo weigh explain {}` prints this page.",
        silence(lint.name),
        lint.name
    );
    let body = docs.trim_end();
    Rule {
        id: id(lint),
        name: lint.name.to_upper_camel_case(),
        short_description: Text::new(cut(&lint.summary(), LONGEST_DESCRIPTION)),
        full_description: Text::new(cut(full.trim_end(), LONGEST_DESCRIPTION)),
        help: Help {
            text: format!("{body}\n\n{remark}\n\n{}\n", lint.url()),
            markdown: format!(
                "{}\n\n{remark}\n\n[Documentation]({})\n",
                body.replace("\n# ", "\n## "),
                lint.url()
            ),
        },
        help_uri: lint.url(),
        default_configuration: Configuration {
            enabled: lint.level > Level::Allow,
            level: level(lint.level),
        },
        properties: RuleProperties {
            tags: ["memory", "performance", lint.group.as_str()],
            precision: match lint.group {
                Group::Pedantic => "medium",
                _ => "high",
            },
            severity: match lint.level {
                Level::Allow => "recommendation",
                Level::Warn => "warning",
                Level::Deny | Level::Forbid => "error",
            },
        },
    }
}

fn id(lint: &Lint) -> String {
    format!("weigh::{}", lint.name)
}

fn notifications(report: &Report, places: &Places) -> Vec<Notification> {
    let plain = |level, text: String| Notification {
        level,
        message: Text::new(text),
        locations: Vec::new(),
    };
    let mut list = vec![plain(
        "note",
        format!("{}; {}", report.types, report.exactness),
    )];
    list.extend(report.warning.clone().map(|w| plain("warning", w)));
    list.extend(cut_off(report.items.len()).map(|w| plain("warning", w)));
    list.extend(report.problems.iter().map(|problem| {
        let place = places.of_problem(problem);
        Notification {
            locations: place.iter().map(|p| Location::of(physical(p))).collect(),
            ..plain("error", visible::text(&problem.message).into_owned())
        }
    }));
    list
}

fn result<'r>(places: &Places, item: &Item<'r>) -> Outcome<'r> {
    let d = item.diagnostic;
    let finding = &d.finding;
    let mut text = finding.message.clone();
    let mut related = Vec::new();
    let mut left_out = 0;
    // Code scanning shows a related place only if the message links to it.
    let mut point = |text: &mut String, span: Span, words: &str| {
        if related.len() == MOST_RELATED {
            left_out += 1;
            return;
        }
        let place = places.of(span);
        let number = related.len() + 1;
        let name = format!("{}:{}", visible::line(&place.file), place.start.0);
        let name = name.replace('[', "\\[").replace(']', "\\]");
        text.push_str(&format!("\n[{name}]({number}): {words}"));
        related.push(Location {
            id: Some(number),
            message: Some(Text::new(words)),
            ..Location::of(physical(&place))
        });
    };
    for label in &finding.secondary {
        point(&mut text, label.span, &label.text);
    }
    for line in lines(finding, MOST_RELATED) {
        match line.span {
            Some(span) => point(&mut text, span, &line.text),
            None => text.push_str(&format!("\n{}", line.text)),
        }
    }
    if left_out > 0 {
        text.push_str(&format!("\nand {}", count(left_out, "more place")));
    }
    let primary = places.of(finding.primary.span);
    Outcome {
        rule_id: id(d.lint),
        rule_index: LINTS.iter().position(|l| l.name == d.lint.name),
        level: level(d.level),
        message: Text::new(visible::text(&text)),
        locations: [Location {
            message: Some(Text::new(visible::line(&finding.primary.text))),
            logical_locations: vec![Logical {
                fully_qualified_name: format!("{}::{}", item.unit.package, d.ty),
                kind: "type",
            }],
            ..Location::of(physical(&primary))
        }],
        related_locations: related,
        fixes: finding
            .offered()
            .into_iter()
            .filter_map(|r| fix(places, r, d))
            .collect(),
        properties: ResultProperties {
            weigh: Facts::of(places, item),
        },
    }
}

fn fix(places: &Places, remedy: &Remedy, d: &Diagnostic) -> Option<Fix> {
    let Edits { edits, .. } = remedy.fix.as_deref()?;
    let mut changes: Vec<ArtifactChange> = Vec::new();
    for edit in edits {
        let place = places.of(edit.span);
        let artifact = artifact(&place.file);
        let replacement = Replacement {
            deleted_region: region(&place),
            inserted_content: Text::new(&edit.text),
        };
        match changes.iter_mut().find(|c| c.artifact_location == artifact) {
            Some(change) => change.replacements.push(replacement),
            None => changes.push(ArtifactChange {
                artifact_location: artifact,
                replacements: vec![replacement],
            }),
        }
    }
    // GitHub rejects a fix without changes.
    (!changes.is_empty()).then(|| Fix {
        description: Text::new(remedy.effect(&d.ty, d.finding.size_before)),
        artifact_changes: changes,
    })
}

fn physical(place: &Place) -> Physical {
    Physical {
        artifact_location: artifact(&place.file),
        region: region(place),
    }
}

fn region(place: &Place) -> Region {
    Region {
        start_line: place.start.0,
        start_column: place.start.1,
        end_line: place.end.0,
        end_column: place.end.1,
    }
}

fn artifact(file: &str) -> Artifact {
    match Path::new(file).is_absolute() {
        true => Artifact {
            uri: format!("file:///{}", encoded(file.trim_start_matches('/'))),
            uri_base_id: None,
        },
        false => Artifact {
            uri: encoded(file),
            uri_base_id: Some(ROOT),
        },
    }
}

/// Returns a path as part of a URI (RFC 3986): bytes that are not unreserved as `%XX`.
fn encoded(path: &str) -> String {
    let mut text = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                text.push(char::from(byte));
            }
            _ => text.push_str(&format!("%{byte:02X}")),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_uris() {
        assert_eq!(
            encoded("src/a b/é:[%].rs"),
            "src/a%20b/%C3%A9%3A%5B%25%5D.rs"
        );
        let outside = artifact("/a b/c.rs");
        assert!(outside.uri == "file:///a%20b/c.rs" && outside.uri_base_id.is_none());
        assert!(artifact("src/c.rs").uri_base_id.is_some());
    }

    #[test]
    fn rules_keep_the_limits_of_code_scanning() {
        for lint in LINTS {
            let rule = rule(lint);
            let whole = |text: &str| !text.is_empty() && !text.ends_with('…');
            assert!(whole(&rule.short_description.text), "{}", rule.id);
            assert!(whole(&rule.full_description.text), "{}", rule.id);
            assert!(rule.help.markdown.contains("\n## Why\n"), "{}", rule.id);
        }
    }

    #[test]
    fn what_is_cut_off_is_said() {
        assert_eq!(cut_off(MOST_RESULTS), None);
        assert!(cut_off(MOST_RESULTS + 1).unwrap().contains("5000 of 5001"));
    }
}
