//! Parses `cfg_select!` into arms, each a condition and the tokens after its `=>`.

use super::attr::{AttrReader, DEEPEST};
use super::tokens::{Kind, Tokens};
use crate::ir::{Cfg, SyntaxError};
use crate::source::SourceFile;
use crate::span::Span;
use std::ops::Range;

/// One arm of a `cfg_select!`.
#[derive(Clone, Debug)]
pub struct Arm {
    /// The condition under which this arm is selected, unless an earlier one is; `_` is always
    /// true.
    pub cfg: Cfg,
    /// The span of the expansion: the inside of the braces, or the expression before the comma.
    pub body: Span,
    /// Whether the body is in braces.
    pub braced: bool,
}

/// Parses a part of a text as a `cfg` condition.
///
/// # Errors
/// It is not a condition.
pub fn cfg(source: &SourceFile, range: Range<usize>) -> Result<Cfg, SyntaxError> {
    let tokens = Tokens::of_part(source, range);
    let end = tokens.list.len();
    match AttrReader::new(&tokens).cfg(0, end, DEEPEST) {
        Ok((cfg, next)) if next + 1 >= end => Ok(cfg),
        Ok((_, at)) | Err(at) => {
            let at = at.min(end.saturating_sub(1));
            Err(tokens.error(at..at + 1, "this is no condition of a `cfg`"))
        }
    }
}

/// Parses the arguments of a `cfg_select!` into its arms, in order.
///
/// # Errors
/// rustc would not accept them.
pub fn select_arms(source: &SourceFile, range: Range<usize>) -> Result<Vec<Arm>, SyntaxError> {
    let tokens = Tokens::of_part(source, range);
    if let Some(fault) = tokens.faults.first() {
        return Err(fault.clone());
    }
    let reader = AttrReader::new(&tokens);
    let end = tokens.list.len();
    let mut arms = Vec::new();
    let mut i = 0;
    while i < end {
        let fault =
            |at: usize, what: &str| tokens.error(at.min(end - 1)..at.min(end - 1) + 1, what);
        let (cfg, next) = match tokens.word(i, "_") {
            true => (Cfg::Known(true), i + 1),
            false => reader
                .cfg(i, end, DEEPEST)
                .map_err(|at| fault(at, "this is no condition of a `cfg`"))?,
        };
        if !tokens.punct(next, b'=') || !tokens.arrow(next + 1) {
            return Err(fault(next, "expected `=>`"));
        }
        let start = next + 2;
        let (body, braced) = match tokens.group(start, b'{') {
            Some(close) => {
                i = close + 1;
                (tokens.inside(start), true)
            }
            None => {
                i = start;
                while i < end && !tokens.punct(i, b',') {
                    i = match tokens.list[i].kind {
                        Kind::Open => tokens.list[i].mate as usize + 1,
                        _ => i + 1,
                    };
                }
                if i == start {
                    return Err(fault(i, "expected an expression"));
                }
                (tokens.span(start..i), false)
            }
        };
        if tokens.punct(i, b',') {
            i += 1;
        }
        arms.push(Arm { cfg, body, braced });
    }
    Ok(arms)
}
