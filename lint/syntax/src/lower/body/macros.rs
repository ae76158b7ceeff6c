//! Parses the arguments of macro calls in bodies by their form: comma-separated expressions, a
//! repetition, or an expression and a pattern; otherwise keeps the names in them.

use super::{Builder, names};
use crate::ir::body::{Body, ExprId, ExprKind, MacroArgs};
use crate::ir::{Lit, MacroCall, Path};
use crate::lower::keyword::Keyword;
use crate::lower::parse::Cursor;
use crate::lower::tokens::{Kind, Tokens};
use crate::name::Name;
use std::ops::Range;

/// Macros of std that only read their arguments.
pub const LOOKING: &[&str] = &[
    "assert",
    "assert_eq",
    "assert_ne",
    "debug_assert",
    "debug_assert_eq",
    "debug_assert_ne",
    "eprint",
    "eprintln",
    "format",
    "format_args",
    "print",
    "println",
    "write",
    "writeln",
];

/// Other macros of std, log, tracing and anyhow whose first string literal is a format string.
pub const FORMATS: &[&str] = &[
    "panic",
    "unreachable",
    "todo",
    "unimplemented",
    "error",
    "warn",
    "info",
    "debug",
    "trace",
    "log",
    "bail",
    "anyhow",
    "ensure",
];

/// Returns true for a macro whose first string literal is a format string.
pub fn is_format(name: &str) -> bool {
    LOOKING.contains(&name) || FORMATS.contains(&name)
}

/// Macros whose arguments are code as data, except for interpolations after a `#`.
const QUOTES: &[&str] = &["parse_quote", "quote"];

/// Returns true for a macro that produces code, with interpolations after a `#`.
pub fn is_quote(name: &str) -> bool {
    QUOTES.contains(&name.strip_suffix("_spanned").unwrap_or(name))
}

/// Returns unparsed arguments: the names in them.
pub(in crate::lower) fn unread(tokens: &Tokens, call: &MacroCall) -> MacroArgs {
    let mut words = names(tokens, inside(tokens, call));
    let name = call.path.segments.last().map_or("", |s| s.name.as_str());
    words.retain(|w| w.put_in || !QUOTES.contains(&name));
    MacroArgs::Names(words)
}

/// Returns the tokens between the delimiters of a call.
pub(in crate::lower) fn inside(tokens: &Tokens, call: &MacroCall) -> Range<usize> {
    let first = tokens.list.partition_point(|t| t.start < call.args.start);
    let end = tokens.list.partition_point(|t| t.start < call.args.end);
    first..end.max(first)
}

impl Builder<'_> {
    /// Parses the arguments of a call.
    pub(super) fn macro_args(&mut self, call: &MacroCall) -> MacroArgs {
        let range = inside(self.c.tokens, call);
        let name = call.path.last_name();
        if range.is_empty() {
            return MacroArgs::Exprs(Vec::new());
        }
        let matching = matches!(name, "matches" | "assert_matches" | "debug_assert_matches");
        let read = match matching {
            true => self.whole(range, Self::matching),
            false => self
                .whole(range.clone(), |b| b.arguments(name))
                .or_else(|| self.whole(range, Self::repetition)),
        };
        read.unwrap_or_else(|| unread(self.c.tokens, call))
    }

    /// Parses `x, pat if guard`.
    fn matching(&mut self) -> Option<MacroArgs> {
        let value = self.expr(true)?;
        self.c.need(b',')?;
        let pat = self.pats()?;
        let guard = match self.c.eat_word(Keyword::If) {
            true => Some(self.expr(true)?),
            false => None,
        };
        // The rest is a message.
        self.c.at = self.c.end;
        Some(MacroArgs::Matches(value, pat, guard))
    }

    /// Parses `a; n`.
    fn repetition(&mut self) -> Option<MacroArgs> {
        let value = self.expr(true)?;
        self.c.need(b';')?;
        Some(MacroArgs::Repeat(value, self.expr(true)?))
    }

    /// Parses `a, name = b, target: c, %d, path.name = ?e`, a superset of tracing's syntax.
    fn arguments(&mut self, name: &str) -> Option<MacroArgs> {
        let mut list = Vec::new();
        while !self.c.done() {
            let value = self.argument_value()?;
            list.push(value);
            if !self.c.eat(b',') {
                break;
            }
        }
        if is_format(name) {
            captures(&mut self.body, name, &mut list);
        }
        Some(MacroArgs::Exprs(list))
    }

    /// Parses one argument, without its name and its sigil.
    fn argument_value(&mut self) -> Option<ExprId> {
        let mut ahead = self.c;
        if label(&mut ahead).is_some() {
            self.c = ahead;
        }
        if !matches!(self.c.sign(), b'?' | b'%') {
            return self.expr(true);
        }
        // Such a macro formats the value by reference.
        let sigil = self.c.place(self.c.at);
        self.c.at += 1;
        let value = self.expr(true)?;
        let span = sigil.to(self.span(value));
        Some(self.plain(ExprKind::Ref(false, value), span).expr)
    }
}

/// Adds the captures of a macro's format string: `{name}`, `{name:?}`.
pub(in crate::lower) fn captures(body: &mut Body, name: &str, list: &mut Vec<ExprId>) {
    // Before the format string; any of these may be a string itself.
    let operands = match name {
        "write" | "writeln" | "assert" | "debug_assert" | "ensure" => 1,
        "assert_eq" | "assert_ne" | "debug_assert_eq" | "debug_assert_ne" => 2,
        _ => 0,
    };
    let text = list.iter().skip(operands).find_map(|&e| {
        let node = body.expr(e);
        match &node.kind {
            ExprKind::Lit(Lit::Str(text)) => Some((text.clone(), node.span)),
            _ => None,
        }
    });
    let Some((text, span)) = text else { return };
    for name in captured(&text) {
        let path = Path::of_name(Name::new(name), span);
        list.push(body.add_expr(ExprKind::Path(path), span));
    }
}

/// Parses `name =`, `name:`, or `path.name =` before a sigil; without one, the last is an
/// assignment.
fn label(c: &mut Cursor) -> Option<()> {
    let mut dotted = false;
    loop {
        matches!(c.kind(), Some(Kind::Word | Kind::Raw)).then_some(())?;
        c.at += 1;
        if !c.eat(b'.') {
            break;
        }
        dotted = true;
    }
    if !dotted && c.sign() == b':' && !c.is_pair(b"::") {
        c.at += 1;
        return Some(());
    }
    if c.is_pair(b"==") || c.is_pair(b"=>") {
        return None;
    }
    c.need(b'=')?;
    (!dotted || matches!(c.sign(), b'?' | b'%')).then_some(())
}

/// Returns the names that a format string captures.
fn captured(text: &str) -> Vec<&str> {
    let mut list = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find('{') {
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix('{') {
            rest = after;
            continue;
        }
        let end = rest.find(['}', ':']).unwrap_or(rest.len());
        let name = rest[..end].trim();
        let begins = name.starts_with(|c: char| c.is_alphabetic() || c == '_');
        if begins && name.chars().all(|c| c.is_alphanumeric() || c == '_') {
            list.push(name);
        }
        rest = &rest[end..];
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_format_strings() {
        let found = captured("{a} {{b}} {c:?} {} {0} {d:>width$} {");
        assert_eq!(found, ["a", "c", "d"]);
    }
}
