//! rustc's errors: message, places and suggestion.

use serde::Deserialize;
use serde_json::Value;
use std::ops::Range;
use std::path::PathBuf;

/// A place of an error.
#[derive(Clone, Debug)]
pub struct Place {
    /// The path, relative to the copied folder.
    pub path: PathBuf,
    /// A byte offset in the compiled text.
    pub offset: usize,
    /// The end of it there.
    pub end: usize,
    /// The line there, from 1.
    pub line: usize,
    /// The column there, from 1.
    pub column: usize,
}

/// An error of rustc.
#[derive(Clone, Debug)]
pub struct Trouble {
    /// The message, with the error code.
    pub message: String,
    /// The labels at its places.
    pub words: Vec<String>,
    /// The places, the primary one first.
    pub places: Vec<Place>,
    /// rustc's suggestion: the replacements of one fix, by file and byte range.
    pub suggestion: Vec<(PathBuf, Range<usize>, String)>,
}

/// The parts of rustc's JSON that are used.
#[derive(Deserialize)]
struct Message {
    message: String,
    code: Option<Code>,
    level: String,
    spans: Vec<Span>,
    children: Vec<Note>,
}

#[derive(Deserialize)]
struct Code {
    code: String,
}

#[derive(Deserialize)]
struct Note {
    spans: Vec<Span>,
}

#[derive(Deserialize)]
struct Span {
    file_name: Box<str>,
    byte_start: usize,
    byte_end: usize,
    line_start: usize,
    column_start: usize,
    is_primary: bool,
    label: Option<Box<str>>,
    suggested_replacement: Option<Box<str>>,
    suggestion_applicability: Option<Box<str>>,
    expansion: Option<Box<Expansion>>,
}

#[derive(Deserialize)]
struct Expansion {
    span: Span,
}

/// What a warning about an import that nothing uses wants to change: the warning, and the
/// replacements by file and byte range.
pub type Unused = (String, Vec<(PathBuf, Range<usize>, String)>);

/// The warning in a message about an unused import, if it is one.
pub fn unused(message: &Value, inside: &dyn Fn(&str) -> Option<PathBuf>) -> Option<Unused> {
    let message: Message = serde_json::from_value(message.clone()).ok()?;
    let is_unused = message.code.as_ref()?.code == "unused_imports" && message.level == "warning";
    let spans = message.children.iter().flat_map(|child| &child.spans);
    let sure = |s: &&Span| s.suggestion_applicability.as_deref() == Some("MachineApplicable");
    let edits: Option<Vec<_>> = spans
        .filter(|s| is_unused && sure(s))
        .map(|span| {
            let text = span.suggested_replacement.as_deref()?.to_owned();
            let path = inside(&span.file_name)?;
            Some((path, span.byte_start..span.byte_end, text))
        })
        .collect();
    let edits = edits.filter(|edits| !edits.is_empty())?;
    Some((message.message, edits))
}

impl Trouble {
    /// The error in a message, if it is one; `inside` maps a file name of rustc to a copied file.
    pub fn read(message: &Value, inside: &dyn Fn(&str) -> Option<PathBuf>) -> Option<Trouble> {
        let message: Message = serde_json::from_value(message.clone()).ok()?;
        // "aborting due to 3 previous errors" and similar have no place.
        if !message.level.starts_with("error") || message.spans.is_empty() {
            return None;
        }
        let mut trouble = Trouble {
            message: match &message.code {
                Some(code) => format!("{} ({})", message.message, code.code),
                None => message.message.clone(),
            },
            words: Vec::new(),
            places: Vec::new(),
            suggestion: Vec::new(),
        };
        let around = message.children.iter().flat_map(|child| &child.spans);
        let mut spans: Vec<_> = message.spans.iter().chain(around).collect();
        spans.sort_by_key(|span| !span.is_primary);
        for span in spans {
            // An error in macro output is also at the call.
            let mut at = Some(span);
            while let Some(span) = at {
                trouble
                    .places
                    .extend(inside(&span.file_name).map(|path| Place {
                        path,
                        offset: span.byte_start,
                        end: span.byte_end,
                        line: span.line_start,
                        column: span.column_start,
                    }));
                trouble
                    .words
                    .extend(span.label.as_deref().map(str::to_owned));
                at = span.expansion.as_ref().map(|expansion| &expansion.span);
            }
        }
        // Of several suggestions the first is taken: the compiler decides whether it works.
        let mut ways = message.children.iter().map(|child| {
            let is_sure =
                |s: &&Span| s.suggestion_applicability.as_deref() == Some("MachineApplicable");
            child.spans.iter().filter(is_sure).collect::<Vec<_>>()
        });
        let way = ways.find(|way| !way.is_empty()).unwrap_or_default();
        let edits = way.into_iter().map(|span| {
            let text = span.suggested_replacement.as_deref()?.to_owned();
            Some((
                inside(&span.file_name)?,
                span.byte_start..span.byte_end,
                text,
            ))
        });
        // A suggestion is applied as a whole.
        let edits: Option<Vec<_>> = edits.collect();
        let edits = edits.unwrap_or_default();
        if !edits.iter().any(|(.., text)| copies(text)) {
            trouble.suggestion = edits;
        }
        Some(trouble)
    }
}

/// True for a suggestion that clones a value or allocates one: it compiles, but costs memory.
fn copies(text: &str) -> bool {
    let calls = [
        "clone()",
        "cloned()",
        "to_owned()",
        "to_string()",
        "to_vec()",
    ];
    calls.iter().any(|call| text.contains(call))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn errors_with_their_places_and_what_mends_them() {
        let span = |file: &str, at: usize, new: Option<&str>, sure: &str| {
            json!({"file_name": file, "byte_start": at, "byte_end": at + 1, "line_start": 3,
                "column_start": 5, "is_primary": true, "label": "expected `Box<Wide>`",
                "suggested_replacement": new, "suggestion_applicability": sure, "expansion": null})
        };
        let message = |level: &str, spans: Vec<Value>, children: Vec<Value>| {
            json!({"message": "mismatched types", "code": {"code": "E0308"}, "level": level,
                "spans": spans, "children": children})
        };
        let ours = |name: &str| name.strip_prefix("src/").map(PathBuf::from);
        let read = |message: &Value| Trouble::read(message, &ours);
        let child = |spans: Vec<Value>| json!({"spans": spans});
        let unsure = child(vec![span("src/a.rs", 7, Some("x"), "MaybeIncorrect")]);
        let both = child(vec![
            span("src/a.rs", 7, Some("Box::new("), "MachineApplicable"),
            span("src/a.rs", 9, Some(")"), "MachineApplicable"),
        ]);
        let elsewhere = child(vec![
            span("src/a.rs", 7, Some("("), "MachineApplicable"),
            span("/std/b.rs", 9, Some(")"), "MachineApplicable"),
        ]);
        let at = || vec![span("src/a.rs", 7, None, "")];
        let found = read(&message("error", at(), vec![unsure.clone(), both])).unwrap();
        assert_eq!(found.message, "mismatched types (E0308)");
        assert_eq!(found.places[0].path, PathBuf::from("a.rs"));
        assert_eq!(found.suggestion.len(), 2);
        let found = read(&message("error", at(), vec![unsure, elsewhere])).unwrap();
        assert!(found.suggestion.is_empty());
        let cloned = child(vec![span(
            "src/a.rs",
            7,
            Some(".clone()"),
            "MachineApplicable",
        )]);
        let found = read(&message("error", at(), vec![cloned])).unwrap();
        assert!(found.suggestion.is_empty());
        assert!(read(&message("warning", at(), Vec::new())).is_none());
        assert!(read(&message("error", Vec::new(), Vec::new())).is_none());
    }
}
