//! The text of an error that thiserror derives, where fields that it names go into a box: the text
//! keeps its names, and arguments say where the fields are.

use super::join::Joined;
use super::text::Tokens;
use super::{Work, text};
use crate::ir::Style;
use crate::lower::Kind;
use crate::source::Sources;
use crate::span::Span;
use std::ops::Range;

/// Fields that thiserror finds by their name, or by an attribute of that name.
const FOUND: &[&str] = &["backtrace", "from", "source"];

/// Names of arguments for the fields of a tuple variant, by their index.
const ORDINALS: &[&str] = &["first", "second", "third", "fourth", "fifth", "sixth"];

impl Joined<'_> {
    /// Returns true if thiserror needs none of the moved fields in the variant itself.
    pub(super) fn is_plain_error(&self) -> bool {
        self.variant.fields.iter().all(|field| {
            let mut attrs = field.attrs.list.iter().filter_map(|a| a.meta.path.last());
            !FOUND.contains(&field.name.as_str()) && !attrs.any(|a| FOUND.contains(&a.as_str()))
        })
    }
}

impl Work<'_> {
    /// Adds arguments for the moved fields that the text names. Returns none if the attribute has a
    /// form that is not supported.
    pub(super) fn retold(&mut self, joined: &Joined) -> Option<()> {
        let mut attrs = joined.variant.attrs.list.iter();
        let Some(attr) = attrs.find(|a| a.meta.path == ["error"]) else {
            return Some(());
        };
        let real = self.real(attr.span).filter(|_| attr.cfg.is_none())?;
        let sources = &self.editor.model.db.sources;
        let tokens = self.editor.files.get(sources, real.file);
        // `#[error("…", …)]`
        let open = tokens.at(real.start) + 3;
        let literal = open + 1;
        let close = tokens.list.get(open).filter(|t| t.kind == Kind::Open)?.mate as usize;
        let ends = close == literal + 1 || tokens.is(literal + 1, b',');
        if tokens.list.get(literal)?.kind != Kind::Quoted || !ends {
            return None;
        }
        let is_moved = |name: &str| {
            let mut moved = joined.variant.fields.iter();
            moved.any(|f| f.name == name)
        };
        let mut given = String::new();
        let arguments = literal + 1..close;
        let names = named(tokens.str(literal), arguments.len() > 1)?;
        if arguments.len() > 1 && joined.variant.style != Style::Named {
            return None;
        }
        let in_arguments = fields_in(&tokens, arguments, is_moved)?;
        if joined.variant.style == Style::Named {
            for (_, name) in names.into_iter().filter(|(_, name)| is_moved(name)) {
                let argument = format!(", {name} = .0.{name}");
                if !given.contains(&argument) {
                    given.push_str(&argument);
                }
            }
        } else if names.iter().any(|(_, name)| name.parse::<usize>().is_ok()) {
            let start = tokens.list[literal].start;
            for (at, number, new) in renumbered(joined, sources, &names, &mut given)? {
                let start = start + at as u32;
                let end = start + number.len() as u32;
                let number = Span { start, end, ..real };
                self.edits.replace(number, new.to_owned());
            }
        }
        for used in in_arguments {
            let name = tokens.str(used.end - 1);
            let whole = Span {
                start: tokens.list[used.start].start,
                end: tokens.list[used.end - 1].end,
                ..real
            };
            self.edits.replace(whole, format!("(&0.{name})"));
        }
        // Named arguments come last, before a trailing comma.
        let last = close - 1 - usize::from(tokens.is(close - 1, b','));
        let end = Span {
            start: tokens.list[last].end,
            end: tokens.list[last].end,
            ..real
        };
        if !given.is_empty() {
            self.edits.around(end, text::OUTER, &given, "");
        }
        Some(())
    }
}

/// Gives each number in the text of a tuple variant, whose fields move into the box, a name instead;
/// returns the offsets, the numbers and the names. The arguments that say what the names are go into
/// `given`. None if the text names something else too.
fn renumbered<'t>(
    joined: &Joined,
    sources: &Sources,
    names: &[(usize, &'t str)],
    given: &mut String,
) -> Option<Vec<(usize, &'t str, &'static str)>> {
    let mut list = Vec::new();
    for &(at, number) in names {
        let index: usize = number.parse().ok()?;
        let name = *ORDINALS.get(index)?;
        let place = match joined.is_array(sources) {
            true => format!(".0[{index}]"),
            false => format!("(.0).{index}"),
        };
        let argument = format!(", {name} = {place}");
        if !given.contains(&argument) {
            given.push_str(&argument);
        }
        list.push((at, number, name));
    }
    Some(list)
}

/// Returns the places where the arguments of a text name a moved field, `x` or `.x`: to them, both
/// are a reference to it. None if they name one in another way.
fn fields_in(
    tokens: &Tokens,
    arguments: Range<usize>,
    is_moved: impl Fn(&str) -> bool,
) -> Option<Vec<Range<usize>>> {
    let mut found = Vec::new();
    for i in arguments.clone() {
        // A closure, a block or another macro may give the name to something else.
        if tokens.is(i, b'|') || tokens.is(i, b';') || tokens.is(i, b'!') {
            return None;
        }
        if !tokens.is_ident(i) || !is_moved(tokens.str(i)) {
            continue;
        }
        let dot = tokens.is(i - 1, b'.');
        let start = if dot { i - 1 } else { i };
        // `x.f`, `f().x` and `a::x` are something else than the field.
        let begins = |at: usize| {
            let open = tokens.list[at].kind == Kind::Open && !tokens.is(at, b'{');
            open || tokens.is(at, b',') || tokens.is(at, b'*') || tokens.is(at, b'&')
        };
        let after_name = tokens.is(start - 1, b':') && !tokens.ends_path_sep(start - 1);
        let other = tokens.is(i + 1, b':') || tokens.is(i + 1, b'=') || tokens.is(i + 1, b'(');
        if other || !(begins(start - 1) || after_name) {
            return None;
        }
        // `S { x, y }` names the field of another type too.
        let short = tokens.outer(i).is_some_and(|open| tokens.is(open, b'{'));
        if short && !after_name {
            return None;
        }
        found.push(start..i + 1);
    }
    Some(found)
}

/// Returns the arguments that a format string names, with their offsets; none if it has more than
/// plain ones. Only beside arguments that are `given` may some have no name.
fn named(literal: &str, given: bool) -> Option<Vec<(usize, &str)>> {
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
        if name.is_empty() && !given || format.contains(['$', '*']) {
            return None;
        }
        if !name.is_empty() {
            list.push((name.as_ptr() as usize - literal.as_ptr() as usize, name));
        }
        rest = after;
    }
    Some(list)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_of_a_text() {
        let said = named("\"a {one} {{two}} {three:?} {0:>8}\"", false);
        assert_eq!(said, Some(vec![(4, "one"), (18, "three"), (28, "0")]));
        assert_eq!(named("\"{}\"", false), None);
        assert_eq!(named("\"{} {a} {:?}\"", true), Some(vec![(5, "a")]));
        assert_eq!(named("\"{a:b$}\"", false), None);
        assert_eq!(named("\"\\u{e9}\"", false), None);
    }

    #[test]
    fn fields_in_arguments() {
        let said = |text: &str| {
            let sources = Sources::default();
            let source = sources.add("lib.rs".into(), text.to_owned(), None);
            let tokens = Tokens::of_text(source.id, text.to_owned());
            let all = 1..tokens.list.len() - 1;
            let found = fields_in(&tokens, all, |name| name == "x")?;
            Some(found.into_iter().map(|r| r.len()).collect::<Vec<_>>())
        };
        assert_eq!(said("(, x, .x, f(x), *x, y.len(), S { x: 1 })"), None);
        assert_eq!(
            said("(, x, .x, f(x), f(.x), *x, y, S { a: x, b: f(x) })"),
            Some(vec![1, 2, 1, 2, 1, 1, 1])
        );
        assert_eq!(said("(, x.len())"), Some(vec![1]));
        assert_eq!(said("(, y.x)"), None);
        assert_eq!(said("(, a::x)"), None);
        assert_eq!(said("(, S { x })"), None);
        assert_eq!(said("(, y.map(|x| x))"), None);
        assert_eq!(said("(, x = 1)"), None);
    }
}
