//! A comparison as data for the HTML page.

use super::compare::{Comparison, Fate};
use super::text::{Ends, Totals, Words, number, word};
use serde_json::{Value, json};

/// Returns the changes as text: the root causes, each with the changes that follow from it.
pub fn data(comparison: &Comparison, ends: &Ends) -> Value {
    let words = Words::new(comparison);
    let base = match ends.commit {
        Some(commit) => format!("{} ({})", ends.name, &commit[..commit.len().min(10)]),
        None => ends.name.to_owned(),
    };
    let changes = comparison.changes.iter().enumerate();
    let changes = changes.filter(|(_, c)| c.twin.is_none() && c.root.is_none());
    let changes = changes.map(|(i, change)| {
        let mut lines = Vec::new();
        match change.fate {
            Fate::Grew | Fate::Shrank => {
                lines.extend(words.causes(change));
                let with = words.followers(i).into_iter();
                lines.extend(with.map(|follower| format!("with it {follower}")));
                let others = words.other_holders(i);
                if !others.is_empty() {
                    lines.push(format!("also held by {}", others.join(", ")));
                }
            }
            Fate::Moved => lines.push(words.moved(change)),
            Fate::Unknown => lines.push(words.unknown(change)),
            Fate::Came | Fate::Went => {}
        }
        json!({
            "fate": word(change.fate),
            "name": words.changed(i),
            "before": number(change.before),
            "after": number(change.after),
            "lines": lines,
        })
    });
    json!({
        "base": base,
        "totals": Totals::of(comparison).line(comparison.same),
        "changes": changes.collect::<Vec<_>>(),
    })
}
