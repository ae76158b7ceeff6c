//! The comment of a field whose type changes, where it names the old type as code.

use super::{Buffer, Work};
use crate::lower::Kind;
use crate::span::Span;
use std::ops::Range;

impl Work<'_> {
    /// Names the new type of a field where its documentation names the old one. `ty` is the place of
    /// its type, `slice` what the buffer becomes behind its pointer.
    pub(super) fn document(&mut self, ty: Span, buffer: Buffer, slice: &str) {
        let sources = &self.editor.model.db.sources;
        let tokens = self.editor.files.get(sources, ty.file);
        let text = &tokens.source.text;
        // A comment is no token: it is between those of the field, or before the first one.
        let mut first = tokens.at(ty.start);
        while let Some(before) = first.checked_sub(1) {
            first = match tokens.list[before].kind {
                Kind::Close => tokens.list[before].mate as usize,
                Kind::Open if tokens.is(before, b'{') => break,
                Kind::Open => return,
                _ if tokens.is(before, b',') => break,
                _ => before,
            };
        }
        let start = first.checked_sub(1).map_or(0, |b| tokens.list[b].end);
        let of = &text[start as usize..ty.start as usize];
        // `::std::path::Path`.
        let short = slice.starts_with("::").then(|| slice.rsplit("::").next());
        let slice = short.flatten().unwrap_or(slice);
        for (range, new) in renamed(of, buffer, slice) {
            let place = Span {
                start: start + range.start as u32,
                end: start + range.end as u32,
                ..ty
            };
            self.edits.replace(place, new);
        }
    }
}

/// Returns the place where a field's documentation begins with a buffer as code, with its article, and
/// what to write there.
fn renamed(text: &str, buffer: Buffer, slice: &str) -> Vec<(Range<usize>, String)> {
    let mut found = Vec::new();
    let mut old = vec![format!("`{}`", buffer.name())];
    let element = slice.strip_prefix('[').and_then(|s| s.strip_suffix(']'));
    old.extend(element.map(|of| format!("`{}<{of}>`", buffer.name())));
    let new = format!("{}<{slice}>", buffer.pointer());
    let (mut at, mut is_begun) = (0, false);
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        if !line.trim_start().starts_with("///") {
            continue;
        }
        let is_begun = std::mem::replace(&mut is_begun, true);
        for old in &old {
            for (n, _) in line.match_indices(old.as_str()) {
                // What the field is stands first; what follows may be about other values.
                let before = &line[..n];
                let mut words = before
                    .trim_start()
                    .trim_start_matches('/')
                    .split_whitespace();
                let is_article = words.next().is_none_or(|w| matches!(w, "A" | "An" | "The"));
                // An adjective at most.
                let is_first = !is_begun && is_article && words.nth(1).is_none();
                if !is_first {
                    continue;
                }
                let articles = [(" a ", " an "), (" A ", " An ")];
                let is_vowel = new.starts_with('A');
                let wrong = articles.iter().find_map(|(a, an)| {
                    let (old, new) = if is_vowel { (a, an) } else { (an, a) };
                    before.ends_with(old).then_some((old.len(), *new))
                });
                let (len, article) = wrong.unwrap_or((0, ""));
                let range = start + n - len..start + n + old.len();
                found.push((range, format!("{article}`{new}`")));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_names_the_old_type() {
        let of = |text: &str, (buffer, slice): (Buffer, &str)| {
            let mut new = text.to_owned();
            let mut found = renamed(text, buffer, slice);
            found.sort_by_key(|(range, _)| range.start);
            for (range, put) in found.into_iter().rev() {
                new.replace_range(range, &put);
            }
            new
        };
        for (old, buffer, new) in [
            (
                "    /// A `Vec` of all, or a `Vec<u8>`.\n    pub a: ",
                (Buffer::Vec, "[u8]"),
                "    /// A `Box<[u8]>` of all, or a `Vec<u8>`.\n    pub a: ",
            ),
            (
                "/// An `OsString`.\n",
                (Buffer::OsString, "OsStr"),
                "/// A `Box<OsStr>`.\n",
            ),
            (
                "/// A `String`.\n/// A `String`.\n",
                (Buffer::Counted, "str"),
                "/// An `Arc<str>`.\n/// A `String`.\n",
            ),
            (
                "/// A `String`.\n",
                (Buffer::String, "str"),
                "/// A `Box<str>`.\n",
            ),
            (
                "/// A Vec, a [`Vec`], a `Vec<u16>`, `Vec::new`\n",
                (Buffer::Vec, "[u8]"),
                "",
            ),
            ("// A `Vec`\n", (Buffer::Vec, "[u8]"), ""),
            (
                "/// Made from a `Vec` by [`row`].\n",
                (Buffer::Vec, "[u8]"),
                "",
            ),
        ] {
            let new = if new.is_empty() { old } else { new };
            assert_eq!(of(old, buffer), new);
        }
    }
}
