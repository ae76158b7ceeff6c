//! A comparison as Markdown, for a comment on a forge.

use super::compare::{Comparison, Fate};
use super::text::{Ends, Totals, Words, number, title};
use crate::report::count;
use crate::visible::{cell, code, code_cell, markdown as prose};
use std::fmt::Write;

/// Maximum number of rows of a table: forges limit the length of a comment.
const MOST_ROWS: usize = 100;

/// Formats the whole comparison.
pub fn markdown(comparison: &Comparison, ends: &Ends) -> String {
    let words = Words::new(comparison);
    let since = match ends.commit {
        Some(commit) if !commit.starts_with(ends.name) => {
            format!("{} ({})", code(ends.name), &commit[..commit.len().min(10)])
        }
        Some(commit) => format!("`{}`", &commit[..commit.len().min(10)]),
        None => code(ends.name),
    };
    let totals = Totals::of(comparison).line(comparison.same);
    let noun = comparison.noun;
    let (first, rest) = noun.split_at(1);
    let title_noun = first.to_uppercase() + rest;
    let mut text = format!("### {title_noun} sizes since {since}\n\n{totals}\n");
    // Writing to a string cannot fail.
    let roots: Vec<_> = [Fate::Grew, Fate::Shrank]
        .into_iter()
        .flat_map(|fate| comparison.of(fate))
        .filter(|(_, c)| c.root.is_none())
        .collect();
    if !roots.is_empty() {
        let _ = writeln!(
            text,
            "\n| {noun} | before | after | change | why |\n|---|--:|--:|--:|---|"
        );
    }
    for (i, change) in roots.iter().take(MOST_ROWS) {
        let sign = if change.fate == Fate::Grew { '+' } else { '-' };
        let mut why = words.causes(change);
        let with = words.followers(*i);
        if !with.is_empty() {
            why.push(format!("with it {}", with.join(", ")));
        }
        let others = words.other_holders(*i);
        if !others.is_empty() {
            why.push(format!("also held by {}", others.join(", ")));
        }
        let _ = writeln!(
            text,
            "| {} | {} | {} | **{sign}{}** | {} |",
            code_cell(&words.changed(*i)),
            number(change.before),
            number(change.after),
            change.difference(),
            why.iter()
                .map(|line| cell(line))
                .collect::<Vec<_>>()
                .join("<br>")
        );
    }
    more(&mut text, roots.len());
    for fate in [Fate::Came, Fate::Went, Fate::Moved, Fate::Unknown] {
        let n = comparison.of(fate).count();
        if n == 0 {
            continue;
        }
        let (types, what) = (count(n, noun), title(fate));
        let _ = writeln!(text, "\n<details><summary>{types} {what}</summary>\n");
        for (_, change) in comparison.of(fate).take(MOST_ROWS) {
            let line = match fate {
                Fate::Moved => prose(&words.moved(change)),
                Fate::Unknown => prose(&words.unknown(change)),
                _ => {
                    let size = number(Some(change.entry));
                    format!("{}, {size} bytes", code(&words.name(change.entry)))
                }
            };
            let _ = writeln!(text, "- {line}");
        }
        more(&mut text, n);
        text.push_str("\n</details>\n");
    }
    let (first, rest) = ends.exactness.split_at(1);
    let _ = writeln!(text, "\n{}{}.", first.to_uppercase(), prose(rest));
    text
}

fn more(text: &mut String, n: usize) {
    if n > MOST_ROWS {
        let _ = writeln!(text, "\nand {} more", n - MOST_ROWS);
    }
}
