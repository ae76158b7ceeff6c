//! Reads the most common types and values straight from tokens: generated bindings have hundreds of
//! thousands of them, and a parser call for each would cost more than all the rest.

use super::lit;
use super::tokens::{Kind, Tokens};
use crate::ir::{Expr, Path, Segment, Type};
use smallvec::SmallVec;
use std::ops::Range;

/// Reads the type in these tokens, if it is a path without arguments or a pointer to one.
pub(super) fn ty(tokens: &Tokens, range: Range<usize>) -> Option<Type> {
    if tokens.punct(range.start, b'*') {
        let mutable = tokens.word(range.start + 1, "mut");
        if !mutable && !tokens.word(range.start + 1, "const") {
            return None;
        }
        // One level only: nesting is bounded elsewhere (`nest`).
        let to = path(tokens, range.start + 2..range.end)?;
        return Some(Type::Ptr(Box::new(Type::Path(to)), mutable));
    }
    path(tokens, range).map(Type::Path)
}

/// Reads the value in these tokens, if it is a literal, a negative number or a path without
/// arguments.
pub(super) fn expr(tokens: &Tokens, range: Range<usize>) -> Option<Expr> {
    match range.len() {
        1 if literal(tokens, range.start) => lit::read(tokens.str(range.start)).map(Expr::Lit),
        2 if tokens.punct(range.start, b'-')
            && tokens.list[range.start + 1].kind == Kind::Number =>
        {
            let number = lit::read(tokens.str(range.start + 1))?;
            Some(Expr::Unary('-', Box::new(Expr::Lit(number))))
        }
        _ => path(tokens, range).map(Expr::Path),
    }
}

fn literal(tokens: &Tokens, i: usize) -> bool {
    matches!(tokens.list[i].kind, Kind::Number | Kind::Quoted)
        || tokens.word(i, "true")
        || tokens.word(i, "false")
}

fn path(tokens: &Tokens, range: Range<usize>) -> Option<Path> {
    let global = tokens.path_sep(range.start);
    let mut i = range.start + if global { 2 } else { 0 };
    let mut segments = SmallVec::new();
    loop {
        if i >= range.end || !tokens.ident(i) || reserved(tokens, i) {
            return None;
        }
        segments.push(Segment {
            name: tokens.name(i),
            args: None,
        });
        i += 1;
        if i == range.end {
            break;
        }
        if !tokens.path_sep(i) {
            return None;
        }
        i += 2;
    }
    Some(Path {
        global,
        segments,
        span: tokens.span(range),
    })
}

/// Returns true for a keyword that cannot be a path segment.
fn reserved(tokens: &Tokens, i: usize) -> bool {
    tokens.keyword(i)
        || tokens.list[i].kind == Kind::Word
            && matches!(
                tokens.str(i),
                "_" | "abstract"
                    | "continue"
                    | "enum"
                    | "extern"
                    | "false"
                    | "final"
                    | "fn"
                    | "macro"
                    | "mod"
                    | "override"
                    | "priv"
                    | "pub"
                    | "struct"
                    | "trait"
                    | "true"
                    | "try"
                    | "type"
                    | "typeof"
                    | "unsized"
                    | "use"
                    | "virtual"
            )
}
