//! Finds the ends of items, statements and their parts: the other half of [`super::grammar`].

use super::fragment::Fragment;
use super::grammar::{abi, angles, expr, pat, path, ty};
use super::token::{Delim, Kind, Stream};

/// Finds the end of a visibility, which may be empty.
pub(super) fn vis(s: &Stream, i: usize) -> usize {
    if s.is_open(i, Delim::Group(Fragment::Vis)) {
        return s.mate(i) + 1;
    }
    if !s.word(i, "pub") {
        return i;
    }
    if s.is_open(i + 1, Delim::Paren) {
        let alone = s.mate(i + 1) == i + 3;
        match s.ident(i + 2) {
            Some("crate" | "self" | "super") if alone => return i + 4,
            Some("in") => return s.mate(i + 1) + 1,
            _ => {}
        }
    }
    i + 1
}

/// Finds the end of an attribute's content.
pub(super) fn meta(s: &Stream, i: usize) -> Option<usize> {
    if s.word(i, "unsafe") && s.is_open(i + 1, Delim::Paren) {
        return s.tree(i + 1);
    }
    if let Kind::Open(Delim::Group(Fragment::Meta)) = s.kind(i) {
        return s.tree(i);
    }
    let i = path(s, i, false)?;
    match s.kind(i) {
        Kind::Open(Delim::Paren | Delim::Bracket | Delim::Brace) => s.tree(i),
        Kind::Punct(b'=') if s.is(i, "=") => expr(s, i + 1),
        _ => Some(i),
    }
}

/// Skips all attributes that begin here.
pub(super) fn attributes(s: &Stream, mut i: usize) -> usize {
    while s.starts(i, b'#') {
        let bracket = if s.starts(i + 1, b'!') { i + 2 } else { i + 1 };
        if !s.is_open(bracket, Delim::Bracket) {
            break;
        }
        i = s.mate(bracket) + 1;
    }
    i
}

/// Finds the end of a statement, before its semicolon.
pub(super) fn stmt(s: &Stream, start: usize) -> Option<usize> {
    let i = attributes(s, start);
    if s.word(i, "let") {
        let mut i = pat(s, i + 1, true)?;
        if s.is(i, ":") {
            i = ty(s, i + 1, false)?;
        }
        return match s.is(i, "=") {
            true => expr(s, i + 1),
            false => Some(i),
        };
    }
    match keyword_item(s, vis(s, i)) {
        Some(end) => Some(end),
        None => expr(s, i),
    }
}

/// Finds the end of an item with its attributes and visibility.
pub(super) fn item(s: &Stream, i: usize) -> Option<usize> {
    let i = attributes(s, i);
    if let Kind::Open(Delim::Group(Fragment::Item | Fragment::Stmt)) = s.kind(i) {
        return s.tree(i);
    }
    let i = vis(s, i);
    keyword_item(s, i).or_else(|| macro_call(s, i))
}

/// Finds the end of `path! name? { … }`, or of another group and a semicolon.
fn macro_call(s: &Stream, i: usize) -> Option<usize> {
    let mut i = path(s, i, false)?;
    if !s.is(i, "!") {
        return None;
    }
    i += 1;
    if s.kind(i) == Kind::Ident {
        i += 1;
    }
    let Kind::Open(delim) = s.kind(i) else {
        return None;
    };
    let end = s.mate(i) + 1;
    let semicolon = delim != Delim::Brace && s.starts(end, b';');
    Some(if semicolon { end + 1 } else { end })
}

/// Finds the end of an item from its first keyword.
fn keyword_item(s: &Stream, mut i: usize) -> Option<usize> {
    loop {
        let word = s.ident(i)?;
        let next = s.ident(i + 1);
        match word {
            "fn" | "struct" | "enum" | "trait" | "impl" | "mod" => return body(s, i + 1),
            "union" if next.is_some() => return body(s, i + 1),
            "const" => match next {
                Some("fn" | "unsafe" | "extern" | "async" | "trait" | "impl") => i += 1,
                Some("move") | None => return None,
                Some(_) => return semicolon(s, i + 1),
            },
            "static" if next.is_some_and(|w| w != "move") => return semicolon(s, i + 1),
            "type" | "use" => return semicolon(s, i + 1),
            "extern" if next == Some("crate") => return semicolon(s, i + 1),
            "extern" => {
                i = abi(s, i + 1);
                if s.is_open(i, Delim::Brace) {
                    return s.tree(i);
                }
            }
            "unsafe" | "async" | "default" | "safe" | "auto" | "gen" if next.is_some() => i += 1,
            "macro" if next.is_some() => return body(s, i + 1),
            _ => return None,
        }
    }
}

fn semicolon(s: &Stream, mut i: usize) -> Option<usize> {
    while !s.starts(i, b';') {
        i = s.tree(i)?;
    }
    Some(i + 1)
}

/// Finds the end of the first semicolon, or of the first braces outside generic arguments.
fn body(s: &Stream, mut i: usize) -> Option<usize> {
    loop {
        match s.kind(i) {
            Kind::Punct(b';') => return Some(i + 1),
            Kind::Punct(b'<') => i = angles(s, i)?,
            Kind::Open(Delim::Brace) => return s.tree(i),
            _ => i = s.tree(i)?,
        }
    }
}
