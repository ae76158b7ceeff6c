//! Lists the `impl`s in a part of a text, wherever they are in it.

use super::tokens::{Kind, Tokens};
use crate::name::Name;
use crate::source::SourceFile;
use crate::span::Span;

/// An `impl` in a text.
#[derive(Clone, Copy, Debug)]
pub struct Written {
    /// From its keyword to the end of its block.
    pub span: Span,
    /// Whether it is of a trait.
    pub of_trait: bool,
}

/// The `impl`s and macro calls in a part of a text.
#[derive(Debug, Default)]
pub struct Within {
    /// The `impl`s, also those in what macros are given.
    pub impls: Vec<Written>,
    /// The last names of macros that are called, and what they are given.
    pub calls: Vec<(Name, Span)>,
}

/// Lists the `impl`s and macro calls in a part of a text.
pub fn within(source: &SourceFile, part: Span) -> Within {
    let tokens = Tokens::of_part(source, part.range());
    let mut found = Within::default();
    for i in 0..tokens.list.len() {
        if tokens.word(i, "impl") && is_item(&tokens, i) {
            let open = (i + 1..tokens.list.len()).find(|&at| {
                tokens.group(at, b'{').is_some() && !is_argument(&tokens, at)
                    || tokens.punct(at, b';')
            });
            let open = open.unwrap_or(i);
            let end = tokens.group(open, b'{').unwrap_or(open);
            let of_trait =
                (i + 1..open).any(|at| tokens.word(at, "for") && !tokens.punct(at + 1, b'<'));
            found.impls.push(Written {
                span: tokens.span(i..end + 1),
                of_trait,
            });
        }
        if tokens.list[i].kind == Kind::Open && tokens.macro_args(i) {
            found.calls.push((tokens.name(i - 2), tokens.inside(i)));
        }
    }
    found
}

/// Returns true if the `impl` at `i` begins an item, not a type.
fn is_item(tokens: &Tokens, i: usize) -> bool {
    i > 0
        && (tokens.statement(i)
            || ["unsafe", "default", "const"]
                .iter()
                .any(|word| tokens.word(i - 1, word))
            || tokens.list[i - 1].kind == Kind::Open && tokens.macro_args(i - 1)
            || tokens.punct(i - 1, b'>') && tokens.arrow(i - 1) && tokens.punct(i - 2, b'='))
}

/// Returns true if the block at `at` is a constant argument.
fn is_argument(tokens: &Tokens, at: usize) -> bool {
    tokens.punct(at - 1, b'<') || tokens.punct(at - 1, b',') || tokens.punct(at - 1, b'=')
}
