//! The text of an error that thiserror derives, where fields that it names go into a box: the text
//! keeps its names, and arguments say where the fields are.

use super::join::Joined;
use super::{Work, text};
use crate::ir::Style;
use crate::lower::Kind;
use crate::span::Span;

/// Fields that thiserror finds by their name, or by an attribute of that name.
const FOUND: &[&str] = &["backtrace", "from", "source"];

impl Joined<'_> {
    /// Returns true if thiserror needs none of the moved fields in the variant itself.
    pub(super) fn is_plain_error(&self) -> bool {
        let mut fields = self.fields.iter().map(|&f| &self.variant.fields[f]);
        fields.all(|field| {
            let mut attrs = field.attrs.list.iter().filter_map(|a| a.meta.path.last());
            !FOUND.contains(&field.name.as_str()) && !attrs.any(|a| FOUND.contains(&a.as_str()))
        })
    }
}

impl Work<'_> {
    /// Adds arguments for the moved fields that the text names; `part` is the field with the box.
    /// Returns none if the attribute has a form that is not supported.
    pub(super) fn retold(&mut self, joined: &Joined, part: &str) -> Option<()> {
        let mut attrs = joined.variant.attrs.list.iter();
        let Some(attr) = attrs.find(|a| a.meta.path == ["error"]) else {
            return Some(());
        };
        let real = self.real(attr.span).filter(|_| attr.cfg.is_none())?;
        let sources = &self.editor.model.db.sources;
        let tokens = self.editor.files.get(sources, real.file);
        // `#[error("…")]`
        let open = tokens.at(real.start) + 3;
        let literal = open + 1;
        let close = tokens.list.get(open).filter(|t| t.kind == Kind::Open)?.mate as usize;
        let ends = close == literal + 1 || close == literal + 2 && tokens.is(literal + 1, b',');
        if tokens.list.get(literal)?.kind != Kind::Quoted || !ends {
            return None;
        }
        let mut given = String::new();
        for name in named(tokens.str(literal))? {
            let mut moved = joined.fields.iter().map(|&f| &joined.variant.fields[f]);
            let is_moved = moved.any(|f| f.name == name);
            if is_moved && joined.variant.style != Style::Named {
                return None;
            }
            let argument = format!(", {name} = .{part}.{name}");
            if is_moved && !given.contains(&argument) {
                given.push_str(&argument);
            }
        }
        let end = Span {
            start: tokens.list[literal].end,
            end: tokens.list[literal].end,
            ..real
        };
        if !given.is_empty() {
            self.edits.around(end, text::OUTER, &given, "");
        }
        Some(())
    }
}

/// Returns the arguments that a format string names; none if it has more than plain ones.
fn named(literal: &str) -> Option<Vec<&str>> {
    let mut list = Vec::new();
    let mut rest = literal;
    while let Some(at) = rest.find('{') {
        if rest[..at].ends_with("\\u") {
            return None;
        }
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix('{') {
            rest = after;
            continue;
        }
        let (argument, after) = rest.split_once('}')?;
        let (name, format) = argument.split_once(':').unwrap_or((argument, ""));
        let name = name.trim();
        if name.is_empty() || format.contains(['$', '*']) {
            return None;
        }
        list.push(name);
        rest = after;
    }
    Some(list)
}

#[cfg(test)]
mod tests {
    use super::named;

    #[test]
    fn arguments_of_a_text() {
        let said = named("\"a {one} {{two}} {three:?} {0:>8}\"");
        assert_eq!(said, Some(vec!["one", "three", "0"]));
        assert_eq!(named("\"{}\""), None);
        assert_eq!(named("\"{a:b$}\""), None);
        assert_eq!(named("\"\\u{e9}\""), None);
    }
}
