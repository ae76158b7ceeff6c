//! The notes of a finding as lines of plain text, for formats without tables.

use crate::finding::{Confidence, Finding, Multiplicity, Remedy};
use crate::span::Span;

/// Number of types that are named as changing with a finding's type; further ones are counted.
pub(super) const MOST_RIPPLES: usize = 4;

/// Number of pieces of evidence that are named, in formats without room for all.
pub(super) const MOST_EVIDENCE: usize = 6;

/// One line of text.
pub(super) struct Line<'f> {
    pub(super) text: String,
    /// The place that it describes.
    pub(super) span: Option<Span>,
    /// The remedy that it describes.
    pub(super) remedy: Option<&'f Remedy>,
}

/// Returns everything but the message and the labels, with at most `most_evidence` pieces of
/// evidence.
pub(super) fn lines(finding: &Finding, most_evidence: usize) -> Vec<Line<'_>> {
    let plain = |text: String| Line {
        text,
        span: None,
        remedy: None,
    };
    let mut lines = Vec::new();
    if let Some(parts) = &finding.parts {
        let rows = parts.rows.iter().map(|(name, n)| format!("{name} {n}"));
        let mut rows: Vec<_> = rows.collect();
        if parts.left_out > 0 {
            rows.push(format!("and {} more", parts.left_out));
        }
        lines.push(plain(format!("{}: {}", parts.title, rows.join(", "))));
    }
    let named = listed(finding.evidence.len(), most_evidence);
    lines.extend(finding.evidence[..named].iter().map(|e| Line {
        text: e.text.clone(),
        span: e.span,
        remedy: None,
    }));
    if named < finding.evidence.len() {
        let more = finding.evidence.len() - named;
        lines.push(plain(format!("and {more} more places")));
    }
    lines.extend(finding.remedies.iter().map(|r| Line {
        text: r.words(finding.size_before),
        span: None,
        remedy: Some(r),
    }));
    if let Some(best) = finding.remedies.first().filter(|r| !r.ripple.is_empty()) {
        let named = listed(best.ripple.len(), MOST_RIPPLES);
        let rows = best.ripple[..named]
            .iter()
            .map(|r| format!("{} {} → {}", r.path, r.before, r.after));
        let mut rows: Vec<_> = rows.collect();
        if named < best.ripple.len() {
            rows.push(format!("and {} more", best.ripple.len() - named));
        }
        let head = ripple_head(&finding.remedies);
        lines.push(plain(format!("{head}: {}", rows.join(", "))));
    }
    let notes = finding.trade_off.iter().chain(&finding.notes).cloned();
    let notes = notes.chain(standing(finding)).chain(assuming(finding));
    lines.extend(notes.map(plain));
    lines
}

/// Returns how many of `all` are named if at most `most` are and the rest is counted.
pub(super) fn listed(all: usize, most: usize) -> usize {
    match all.saturating_sub(1) <= most {
        // The line that counts a single one would be as long as its name.
        true => all,
        false => most,
    }
}

/// Returns the heading of the types that change with the first remedy.
pub(super) fn ripple_head(remedies: &[Remedy]) -> &'static str {
    match remedies {
        [_, _, ..] => "types that change with the first remedy",
        _ => "types that change with it",
    }
}

/// Returns what the finding supposes of unread macros.
pub(super) fn assuming(finding: &Finding) -> Option<String> {
    let (first, others) = finding.assuming.split_first()?;
    let more = match others.len() {
        0 => String::new(),
        n => format!(" (and {n} more)"),
    };
    Some(format!(
        "assuming that {first}{more}: what no table knows was not read"
    ))
}

/// Returns confidence and number of values, if they differ from the usual ones; evidence that there
/// are many values is printed by itself.
pub(super) fn standing(finding: &Finding) -> Option<String> {
    let population = match finding.multiplicity {
        Multiplicity::Singleton => Some("few values exist at a time"),
        _ => None,
    };
    let confidence = match finding.confidence {
        Confidence::Proved => None,
        Confidence::Likely => Some("likely, but not proved"),
        Confidence::Possible => Some("possible, but not proved"),
    };
    let words: Vec<_> = population.into_iter().chain(confidence).collect();
    (!words.is_empty()).then(|| words.join("; "))
}

/// Returns the comment that suppresses a lint at one place.
pub(super) fn silence(lint: &str) -> String {
    format!("// weigh: allow({lint}, reason = \"…\")")
}

/// Returns at most `most` characters of a text, with an ellipsis if it was cut.
pub(super) fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some(_) => {
            let kept: String = text.chars().take(most - 1).collect();
            format!("{}…", kept.trim_end())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_cut_is_marked() {
        assert_eq!(cut("é🦀x", 3), "é🦀x");
        assert_eq!(cut("é🦀xy", 3), "é🦀…");
    }
}
