//! Just enough of Rust's grammar to tell where a type, a path, an item and so on end.
//!
//! Every function takes the index of the first token and returns the one behind the last, `None`
//! if the tokens do not read so. None descends recursively: groups are stepped over whole.

use super::fragment::{Fragment, is_reserved};
use super::item;
use super::token::{Delim, Kind, Stream};

/// Behind the `>` that closes the `<` at `i`.
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
            // `->` and `=>` close nothing; all else is taken by characters, since `>` may be
            // glued behind it.
            Kind::Punct(b'-' | b'=') if s.starts(i + 1, b'>') => i = s.after(i),
            Kind::Punct(_) => i += 1,
            _ => i = s.tree(i)?,
        }
    }
}

/// A path; with `generic`, arguments may stand in `<…>` and `(…)`, without a return type.
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

/// A path with generic arguments and, behind those of an `Fn()`, the return type.
pub(super) fn whole_path(s: &Stream, i: usize) -> Option<usize> {
    match path_ty(s, i)? {
        (end, true) => ty(s, end, false),
        _ => path(s, i, true),
    }
}

/// A type; with `plus`, bounds may follow it without `dyn` or `impl`.
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

/// A path as a type, or a macro call; true if the return type of an `Fn()` is still to come.
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

/// Behind the string that may follow `extern`.
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

/// A pattern: up to a token that may follow one.
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

/// An expression: up to a token that cannot go on with one. What it is made of is not checked.
pub(super) fn expr(s: &Stream, start: usize) -> Option<usize> {
    let mut i = start;
    // Whether an operand is due: only then is `|` a closure and `<` a qualified path, and only
    // then may another name or literal stand here.
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

/// The parameters and the return type of a closure.
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
