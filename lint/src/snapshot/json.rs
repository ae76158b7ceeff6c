//! A comparison as JSON lines: an object for each change, and a summary at the end.

use super::cause::{Cause, Part};
use super::compare::{Change, Comparison, Fate};
use super::text::{Ends, Totals, word};
use super::{Entry, Snapshot};
use serde_json::{Value, json};
use std::fmt::Write;

/// Formats all lines.
pub fn lines(comparison: &Comparison, ends: &Ends) -> String {
    let mut text = String::new();
    for change in &comparison.changes {
        // Writing to a string cannot fail.
        let mut object = marked(ends.now, object(change, comparison));
        object["triple"] = change.entry.triple.as_str().into();
        let _ = writeln!(text, "{object}");
    }
    let totals = Totals::of(comparison);
    let counts = totals.counts.iter();
    let counts: serde_json::Map<String, Value> = counts
        .map(|(fate, n)| (key(*fate).to_owned(), (*n).into()))
        .collect();
    let end = |name: Option<&str>, commit: Option<&str>, of: &Snapshot| {
        marked(of, json!({"name": name, "commit": commit}))
    };
    let summary = json!({
        "change": "summary",
        "base": end(Some(ends.name), ends.commit, ends.base),
        "now": end(None, None, ends.now),
        "types": counts,
        "same": comparison.same,
        "bytes_grown": totals.grown,
        "bytes_shrunk": totals.shrunk,
    });
    let _ = writeln!(text, "{}", marked(ends.now, summary));
    text
}

/// Adds to an object what its sizes are exact for.
fn marked(of: &Snapshot, mut object: Value) -> Value {
    let exact_for = serde_json::to_value(of.exact_for());
    if let (Value::Object(object), Ok(Value::Object(exact_for))) = (&mut object, exact_for) {
        object.extend(exact_for);
    }
    object
}

/// Returns the documented word for a fate.
fn key(fate: Fate) -> &'static str {
    match fate {
        Fate::Came => "came",
        Fate::Went => "went",
        fate => word(fate),
    }
}

fn object(change: &Change, comparison: &Comparison) -> Value {
    let entry = change.entry;
    let size = |entry: Option<&Entry>| entry.and_then(|e| e.size);
    let least = |entry: Option<&Entry>| entry.map(Entry::least);
    let reason = [change.after, change.before].into_iter().flatten();
    let reason = reason.filter_map(|e| e.reason.as_deref()).next();
    json!({
        "change": key(change.fate),
        "package": entry.package,
        "target": entry.target,
        "crate": entry.krate,
        "path": entry.path,
        "kind": entry.kind,
        "size_before": size(change.before),
        "size_after": size(change.after),
        "min_size_before": least(change.before),
        "min_size_after": least(change.after),
        "reason": reason,
        "moved_from": change.moved_from().map(place),
        "causes": change.causes.iter().map(cause).collect::<Vec<_>>(),
        "because_of": change.root.map(|root| place(comparison.changes[root].entry)),
        "held_by": change.holders.iter().map(|h| place(h)).collect::<Vec<_>>(),
    })
}

fn place(entry: &Entry) -> Value {
    json!({
        "package": entry.package,
        "target": entry.target,
        "crate": entry.krate,
        "path": entry.path,
    })
}

fn cause(cause: &Cause) -> Value {
    let part = |part: Option<Part>| match part {
        Some(part) => json!({"type": part.ty, "size": part.size}),
        None => Value::Null,
    };
    json!({
        "variant": cause.variant,
        "field": cause.field,
        "before": part(cause.before),
        "after": part(cause.after),
    })
}
