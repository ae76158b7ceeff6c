//! The output of `format!` and `write!`: the literal text and the formatted arguments.

use super::text::longest;
use super::{Strings, Text};
use crate::ir::Lit;
use crate::ir::body::{ExprId, ExprKind};
use crate::span::Span;
use crate::usage::events::At;

/// A piece of a format string.
enum Piece<'f> {
    Text(String),
    /// The parts before and after the colon.
    Hole(&'f str, &'f str),
}

fn pieces(format: &str) -> Vec<Piece<'_>> {
    let mut list = Vec::new();
    let mut text = String::new();
    let mut rest = format;
    while let Some(at) = rest.find(['{', '}']) {
        text.push_str(&rest[..at]);
        let brace = &rest[at..=at];
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix(brace) {
            text.push_str(brace);
            rest = after;
            continue;
        }
        if brace == "}" {
            continue;
        }
        let end = rest.find('}').unwrap_or(rest.len());
        let (name, spec) = rest[..end].split_once(':').unwrap_or((&rest[..end], ""));
        list.push(Piece::Text(std::mem::take(&mut text)));
        list.push(Piece::Hole(name.trim(), spec.trim()));
        rest = rest.get(end + 1..).unwrap_or_default();
    }
    text.push_str(rest);
    list.push(Piece::Text(text));
    list
}

/// Returns the minimum width of a format specification; `None` if the specification is not
/// supported.
fn width(spec: &str) -> Option<u64> {
    let spec = spec.trim_start_matches(['<', '>', '^', '#', '0', '+']);
    let end = spec
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(spec.len());
    match (&spec[..end], &spec[end..]) {
        ("", "" | "x" | "X") => Some(0),
        (n, "" | "x" | "X") => n.parse().ok(),
        _ => None,
    }
}

impl Strings<'_> {
    /// Returns the output of a format string with its arguments.
    pub(super) fn format(&self, at: At, args: &[ExprId], span: Span, depth: u32) -> Vec<Text> {
        let body = self.body(at);
        let unknown = vec![Text::unknown(span)];
        let Some((first, args)) = args.split_first() else {
            return vec![Text::empty(span)];
        };
        let ExprKind::Lit(Lit::Str(format)) = &body.node(*first).kind else {
            return unknown;
        };
        let named = |name: &str| {
            args.iter().copied().find(|&arg| {
                matches!(&body.node(arg).kind, ExprKind::Path(p) if p.segments.len() == 1 && p.segments[0].name == name)
            })
        };
        let mut next = 0;
        let mut parts = Vec::new();
        for piece in pieces(format) {
            let (name, spec) = match piece {
                Piece::Text(text) => {
                    parts.push(vec![Text::literal(&text, span)]);
                    continue;
                }
                Piece::Hole(name, spec) => (name, spec),
            };
            let Some(least) = width(spec) else {
                return unknown;
            };
            let arg = match name.parse::<usize>() {
                Ok(i) => args.get(i).copied(),
                Err(_) if name.is_empty() => {
                    next += 1;
                    args.get(next - 1).copied()
                }
                Err(_) => named(name),
            };
            let Some(arg) = arg else { return unknown };
            let texts = self.text(at.with(arg), depth);
            let Some(most) = longest(&texts) else {
                return unknown;
            };
            // Width counts characters, the result bytes; `#` adds `0x`.
            let more = least + if spec.contains('#') { 2 } else { 0 };
            match more {
                0 => parts.push(texts),
                more => parts.push(vec![Text::bounded(super::Made::Parts, most + more, span)]),
            }
        }
        self.joined(&parts, span)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_taken_apart() {
        let shown: Vec<String> = pieces("a{{{x:>8}}}b{}{1:?}")
            .iter()
            .map(|p| match p {
                Piece::Text(text) => text.clone(),
                Piece::Hole(name, spec) => format!("<{name}|{spec}>"),
            })
            .collect();
        assert_eq!(shown, ["a{", "<x|>8>", "}b", "<|>", "", "<1|?>", ""]);
    }

    #[test]
    fn widths_are_bounds_only_where_they_are_numbers() {
        assert_eq!(width(""), Some(0));
        assert_eq!(width(">8"), Some(8));
        assert_eq!(width("#010x"), Some(10));
        for other in ["?", "#?", ".2", ">width$", "e", ">w$x"] {
            assert_eq!(width(other), None, "{other}");
        }
    }
}
