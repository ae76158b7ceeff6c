//! Keeps the match of a metavariable together where adjacent tokens would split it.

use super::fragment::{Fragment, is_reserved};
use super::grammar;
use super::token::{Delim, Kind, Stream};
use std::ops::Range;

/// The context of a metavariable in a body that could split a compound match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Around {
    /// True if an operator is on either side.
    pub operator: bool,
    /// True if `.`, `?` or a group follows.
    pub postfix: bool,
    /// True if `::` follows.
    pub path: bool,
    /// True if it is the type of a cast, and `<` follows: a comparison or a shift.
    pub cast: bool,
    /// True if it is an argument of another macro.
    pub call: bool,
    /// True if it may begin a statement.
    pub start: bool,
}

impl Around {
    /// Adds the tokens before `start` and at `end`, within `range`.
    pub fn look(
        &mut self,
        s: &Stream,
        start: usize,
        end: usize,
        range: &Range<usize>,
        what: Fragment,
    ) {
        let before = (start > range.start).then(|| start - 1);
        let after = (end < range.end).then_some(end);
        if what == Fragment::Ty {
            self.operator |= before.is_some_and(|i| match s.kind(i) {
                Kind::Ident => ["mut", "const", "dyn", "impl"].contains(&s.text(i)),
                Kind::Lifetime => true,
                Kind::Punct(b'>') => s.starts(i.saturating_sub(1), b'-'),
                Kind::Punct(c) => b"&*+".contains(&c),
                _ => false,
            }) || after.is_some_and(|i| s.is(i, "+"));
            self.cast |=
                before.is_some_and(|i| s.word(i, "as")) && after.is_some_and(|i| s.starts(i, b'<'));
        } else {
            // A generic argument cannot be parenthesised and need not be.
            let argument = before.is_some_and(|i| s.starts(i, b'<'))
                && after.is_some_and(|i| s.is(i, ",") || s.starts(i, b'>'));
            self.operator |= !argument
                && (before.is_some_and(|i| is_operator(s, i))
                    || after.is_some_and(|i| is_operator(s, i) || s.word(i, "as")));
        }
        self.start |= before.is_none_or(|i| {
            let brace = Delim::Brace;
            s.is(i, ";") || s.is_open(i, brace) || s.kind(i) == Kind::Close(brace)
        });
        if let Some(i) = after {
            self.postfix |= s.is(i, ".") || s.is(i, "?") || matches!(s.kind(i), Kind::Open(_));
            self.path |= s.is(i, "::");
        }
    }

    /// Returns the brackets that keep a match together here; `mark` if it is marked as a fragment.
    pub fn brackets(
        self,
        kind: Fragment,
        s: &Stream,
        start: usize,
        end: usize,
        mark: bool,
    ) -> Option<(&'static str, &'static str)> {
        match kind {
            Fragment::Expr if needs_parens(s, start, end, self) => Some(("(", ")")),
            // `-1.pow(2)` would negate the power.
            Fragment::Literal if self.postfix && s.is(start, "-") => Some(("(", ")")),
            Fragment::Ty if self.path && !is_plain_path(s, start, end) => Some(("<", ">")),
            Fragment::Ty if self.cast => Some(("(", ")")),
            Fragment::Ty if (self.operator || mark) && has_plus(s, start, end) => Some(("(", ")")),
            _ => None,
        }
    }
}

/// Returns true for an operator that may bind to an operand beside it. `i` may be its end.
pub(super) fn is_operator(s: &Stream, i: usize) -> bool {
    match s.kind(i) {
        Kind::Punct(b'>') => !matches!(s.kind(i.saturating_sub(1)), Kind::Punct(b'=' | b'-')),
        Kind::Punct(_) => !matches!(s.text(i), "," | ";" | "=" | "=>" | "->" | ":" | "#" | "@"),
        _ => false,
    }
}

/// Returns true if an expression would be split here.
fn needs_parens(s: &Stream, start: usize, end: usize, around: Around) -> bool {
    if around.start && block(s, start, end).is_some_and(|next| next < end) {
        return true;
    }
    if !(around.operator || around.postfix || around.path || around.call) {
        return false;
    }
    if s.is(start, "-") && s.kind(start + 1) == Kind::Literal && start + 2 == end {
        return around.postfix;
    }
    !is_operand(s, start, end)
}

/// Returns the index after a block-like expression at `start`: as a statement it would end there.
fn block(s: &Stream, start: usize, end: usize) -> Option<usize> {
    const WORDS: &[&str] = &[
        "if", "match", "loop", "while", "for", "unsafe", "const", "async",
    ];
    let label = s.kind(start) == Kind::Lifetime;
    let begins =
        s.is_open(start, Delim::Brace) || s.ident(start).is_some_and(|w| WORDS.contains(&w));
    if !begins && !label {
        return None;
    }
    let mut i = start;
    loop {
        while i < end && !s.is_open(i, Delim::Brace) {
            i = s.tree(i)?;
        }
        i = s.tree(i).filter(|next| *next <= end)?;
        // After the braces of a pattern.
        let goes_on = s.word(i, "else") || s.word(i, "in") || s.is(i, "=");
        if i >= end || !goes_on {
            return Some(i);
        }
    }
}

/// Returns true for a token tree, a path, a call and anything else that binds as tightly.
fn is_operand(s: &Stream, start: usize, end: usize) -> bool {
    let mut i = start;
    if s.tree(i) == Some(end) {
        return true;
    }
    while i < end {
        i = match s.kind(i) {
            Kind::Ident if is_reserved(s.text(i)) => return false,
            Kind::Open(Delim::Brace) if i > start && !s.is(i - 1, "!") => return false,
            Kind::Ident | Kind::Literal | Kind::Open(_) => s.tree(i).unwrap_or(end),
            Kind::Punct(b'<') if i == start || s.starts(i - 1, b':') => {
                match grammar::angles(s, i) {
                    Some(next) => next,
                    None => return false,
                }
            }
            Kind::Punct(_) if matches!(s.text(i), "." | "::" | "?") => s.after(i),
            Kind::Punct(b'!') if i > start && matches!(s.kind(i + 1), Kind::Open(_)) => i + 1,
            _ => return false,
        };
    }
    true
}

/// Returns true for a path without generic arguments.
fn is_plain_path(s: &Stream, start: usize, end: usize) -> bool {
    grammar::path(s, start, false) == Some(end) && !s.starts(start, b'<')
}

/// Returns true for a type with a `+` outside all brackets.
fn has_plus(s: &Stream, mut i: usize, end: usize) -> bool {
    while i < end {
        i = match s.kind(i) {
            Kind::Punct(b'+') => return true,
            Kind::Punct(b'<') => grammar::angles(s, i).unwrap_or(end),
            _ => s.tree(i).unwrap_or(end),
        };
    }
    false
}
