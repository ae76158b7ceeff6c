//! A census as lines of JSON, and back.

use super::count::{Census, FieldCount, Head, SiteCount, Summary, TypeCount};
use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// A line.
#[derive(Serialize, Deserialize)]
#[serde(tag = "census", rename_all = "lowercase")]
enum Line {
    Head(Head),
    Type(TypeCount),
    Field(Box<FieldCount>),
    Site(SiteCount),
    Summary(Summary),
}

/// The lines of a census, the summary last.
pub fn write(census: &Census) -> String {
    let mut text = String::new();
    let types = census.types.iter().cloned().map(Line::Type);
    let fields = census.fields.iter().cloned();
    let fields = fields.map(|field| Line::Field(Box::new(field)));
    let sites = census.sites.iter().cloned().map(Line::Site);
    let lines = std::iter::once(Line::Head(census.head.clone()))
        .chain(types)
        .chain(fields)
        .chain(sites)
        .chain([Line::Summary(census.summary.clone())]);
    for line in lines {
        // Numbers and texts can always be written, and writing to a string cannot fail.
        let line = serde_json::to_string(&line).unwrap_or_default();
        let _ = writeln!(text, "{line}");
    }
    text
}

/// Reads a census from its lines.
///
/// # Errors
/// A line is not one of a census, the format is another, or the end is missing.
pub fn read(text: &str) -> Result<Census, String> {
    let mut census = Census::default();
    let mut ended = false;
    for (n, line) in text.lines().enumerate() {
        if ended {
            return Err(format!("line {}: a line after the summary", n + 1));
        }
        let line: Line = serde_json::from_str(line)
            .map_err(|e| format!("line {}: not a line of a census: {e}", n + 1))?;
        match line {
            Line::Head(head) if head.format != 1 => {
                return Err(format!(
                    "line {}: format {} is of another version of cargo weigh",
                    n + 1,
                    head.format
                ));
            }
            Line::Head(head) => census.head = head,
            _ if census.head.format == 0 => {
                return Err("line 1: not the head of a census".to_owned());
            }
            Line::Type(ty) => census.types.push(ty),
            Line::Field(field) => census.fields.push(*field),
            Line::Site(site) => census.sites.push(site),
            Line::Summary(summary) => {
                census.summary = summary;
                ended = true;
            }
        }
    }
    match ended {
        true => Ok(census),
        false => Err("the summary line is missing: the file is cut off".to_owned()),
    }
}
