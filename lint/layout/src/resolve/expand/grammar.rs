//! Just enough of Rust's grammar to find the end of a type, path, expression or pattern.
//!
//! Every function takes the index of the first token and returns the index after the last, `None`
//! if the tokens do not parse. Groups are skipped as a whole; nothing recurses into them.

use super::fragment::{Fragment, is_reserved};
use super::item;
use super::token::{Delim, Kind, Stream};

/// Finds the end of the angle brackets at `i`.
pub(super) fn angles(s: &Stream, mut i: usize) -> Option<usize> {
    let mut depth = 0usize;
    loop {
        match s.kind(i) {
            Kind::Punct(b'<') => {
                depth += 1;
                i += 1;
            }
            Kind::Punct(b'>') => {
                depth -= 1;
                i += 1;
                if depth == 0 {
                    return Some(i);
                }
            }
            Kind::Punct(b';') => return None,
            // `->` and `=>` close nothing; all else is taken by character, since `>` may be joined
            // to a following one.
            Kind::Punct(b'-' | b'=') if s.starts(i + 1, b'>') => i = s.after(i),
            Kind::Punct(_) => i += 1,
            _ => i = s.tree(i)?,
        }
    }
}

/// Finds the end of a path; `generic` allows `<…>` and `(…)` arguments, without a return type.
pub(super) fn path(s: &Stream, mut i: usize, generic: bool) -> Option<usize> {
    if let Kind::Open(Delim::Group(_)) = s.kind(i) {
        i = s.mate(i) + 1;
        if !(s.is(i, "::") && s.kind(i + 2) == Kind::Ident) {
            return Some(i);
        }
    } else if s.starts(i, b'<') {
        i = angles(s, i)?;
        if !s.is(i, "::") {
            return None;
        }
    }
    if s.is(i, "::") {
        i += 2;
    }
    loop {
        if s.ident(i).is_none_or(is_reserved) {
            return None;
        }
        i += 1;
        if generic {
            if s.is(i, "::") && (s.starts(i + 2, b'<') || s.is_open(i + 2, Delim::Paren)) {
                i += 2;
            }
            if s.starts(i, b'<') {
                i = angles(s, i)?;
            } else if s.is_open(i, Delim::Paren) {
                i = s.mate(i) + 1;
            }
        }
        if !(s.is(i, "::") && s.kind(i + 2) == Kind::Ident) {
            return Some(i);
        }
        i += 2;
    }
}

/// Finds the end of a path with generic arguments and the return type of `Fn()`.
pub(super) fn whole_path(s: &Stream, i: usize) -> Option<usize> {
    match path_ty(s, i)? {
        (end, true) => ty(s, end, false),
        _ => path(s, i, true),
    }
}

/// Finds the end of a type; `plus` allows bounds without `dyn` or `impl`.
#[expect(
    clippy::too_many_lines,
    reason = "one loop over the prefixes of a type"
)]
pub(super) fn ty(s: &Stream, mut i: usize, mut plus: bool) -> Option<usize> {
    loop {
        match s.kind(i) {
            Kind::Open(Delim::Paren | Delim::Bracket) => i = s.mate(i) + 1,
            Kind::Lifetime => i += 1,
            Kind::Punct(b'!') => i += 1,
            Kind::Punct(b'&') => {
                i += 1;
                if s.kind(i) == Kind::Lifetime {
                    i += 1;
                }
                if s.word(i, "mut") {
                    i += 1;
                }
                continue;
            }
            Kind::Punct(b'*') if matches!(s.ident(i + 1), Some("const" | "mut")) => {
                i += 2;
                continue;
            }
            Kind::Punct(b'?' | b'~') => {
                i += 1;
                continue;
            }
            Kind::Ident => match s.text(i) {
                "_" => i += 1,
                "impl" => {
                    plus = true;
                    i += 1;
                    continue;
                }
                "dyn" if begins_bound(s, i + 1) => {
                    plus = true;
                    i += 1;
                    continue;
                }
                "for" => {
                    if !s.starts(i + 1, b'<') {
                        return None;
                    }
                    i = angles(s, i + 1)?;
                    continue;
                }
                "unsafe" | "const" | "async" => {
                    i += 1;
                    continue;
                }
                "extern" => {
                    i = abi(s, i + 1);
                    continue;
                }
                "use" if s.starts(i + 1, b'<') => i = angles(s, i + 1)?,
                "fn" => {
                    if !s.is_open(i + 1, Delim::Paren) {
                        return None;
                    }
                    i = s.mate(i + 1) + 1;
                    if s.is(i, "->") {
                        i += 2;
                        continue;
                    }
                }
                "dyn" => i += 1,
                _ => match path_ty(s, i)? {
                    (next, true) => {
                        i = next;
                        continue;
                    }
                    (next, false) => i = next,
                },
            },
            _ => match path_ty(s, i)? {
                (next, true) => {
                    i = next;
                    continue;
                }
                (next, false) => i = next,
            },
        }
        if plus && s.is(i, "+") && begins_bound(s, i + 1) {
            i += 1;
            continue;
        }
        return Some(i);
    }
}

/// Finds the end of a path type or a macro call; true if the return type of `Fn()` follows.
fn path_ty(s: &Stream, i: usize) -> Option<(usize, bool)> {
    let end = path(s, i, true)?;
    if s.is(end, "!") && matches!(s.kind(end + 1), Kind::Open(_)) {
        return Some((s.mate(end + 1) + 1, false));
    }
    let called = s.kind(end - 1) == Kind::Close(Delim::Paren);
    match called && s.is(end, "->") {
        true => Some((end + 2, true)),
        false => Some((end, false)),
    }
}

/// Skips the string that may follow `extern`.
pub(super) fn abi(s: &Stream, i: usize) -> usize {
    match s.kind(i) {
        Kind::Literal | Kind::Open(Delim::Group(Fragment::Literal)) => s.tree(i).unwrap_or(i),
        _ => i,
    }
}

fn begins_bound(s: &Stream, i: usize) -> bool {
    match s.kind(i) {
        Kind::Ident => {
            !is_reserved(s.text(i)) || ["for", "async", "const", "use"].contains(&s.text(i))
        }
        Kind::Lifetime | Kind::Open(Delim::Paren | Delim::Group(_)) => true,
        Kind::Punct(_) => ["?", "~", "<", "::"].contains(&s.text(i)),
        _ => false,
    }
}

/// Finds the end of a pattern: a token that may follow one.
pub(super) fn pat(s: &Stream, start: usize, alternatives: bool) -> Option<usize> {
    let mut i = start;
    loop {
        match s.kind(i) {
            Kind::Close(_) | Kind::End => break,
            Kind::Ident if matches!(s.text(i), "if" | "in") => break,
            Kind::Punct(b'|') if !alternatives => break,
            Kind::Punct(b'<') => i = angles(s, i)?,
            Kind::Punct(_) if matches!(s.text(i), "=>" | "," | "=" | ";" | ":") => break,
            _ => i = s.tree(i)?,
        }
    }
    (i > start).then_some(i)
}

/// Finds the end of an expression: a token that cannot continue one. Does not check its structure.
pub(super) fn expr(s: &Stream, start: usize) -> Option<usize> {
    let mut i = start;
    // True if an operand is expected: only then is `|` a closure and `<` a qualified path, and only
    // then may an identifier or literal follow.
    let mut due = true;
    loop {
        match s.kind(i) {
            Kind::Close(_) | Kind::End => break,
            // What another macro matched is no list of arguments: `div $n` is not a call.
            Kind::Open(Delim::Group(_)) if !due => break,
            Kind::Open(_) => {
                i = s.mate(i) + 1;
                due = false;
            }
            Kind::Literal if due => {
                i += 1;
                due = false;
            }
            Kind::Lifetime if due => i += 1,
            Kind::Ident => match s.text(i) {
                "as" => {
                    i = ty(s, i + 1, false)?;
                    due = false;
                }
                "in" | "else" => {
                    i += 1;
                    due = true;
                }
                _ if !due => break,
                "for" if s.starts(i + 1, b'<') => i = angles(s, i + 1)?,
                "raw" if i > start && s.is(i - 1, "&") => {
                    let operand = matches!(s.ident(i + 1), Some("const" | "mut"));
                    i += if operand { 2 } else { 1 };
                    due = operand;
                }
                "return" | "break" | "if" | "match" | "while" | "move" | "async" | "static"
                | "yield" | "unsafe" | "let" | "mut" | "ref" | "for" | "const" | "loop" | "box"
                | "do" | "become" => i += 1,
                _ => {
                    i += 1;
                    due = false;
                }
            },
            Kind::Punct(_) => match s.text(i) {
                "=>" | "," | ";" => break,
                "::" if s.starts(i + 2, b'<') => {
                    i = angles(s, i + 2)?;
                    due = false;
                }
                "::" => {
                    i += 2;
                    due = true;
                }
                "|" | "||" if due => i = closure_head(s, i)?,
                "<" | "<<" if due => {
                    i = angles(s, i)?;
                    due = false;
                }
                "#" if due && item::attributes(s, i) > i => i = item::attributes(s, i),
                ":" | "#" | "$" | "->" | "~" if !due => break,
                "?" => {
                    i += 1;
                    due = false;
                }
                _ => {
                    i = s.after(i);
                    due = true;
                }
            },
            _ => break,
        }
    }
    (i > start).then_some(i)
}

/// Finds the end of a closure's parameters and return type.
fn closure_head(s: &Stream, mut i: usize) -> Option<usize> {
    i += 1;
    while !s.starts(i, b'|') {
        i = s.tree(i)?;
    }
    i += 1;
    match s.is(i, "->") {
        true => ty(s, i + 2, false),
        false => Some(i),
    }
}
