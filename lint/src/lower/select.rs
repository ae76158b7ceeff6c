//! `cfg_select!`: its arms, each a condition and what stands behind `=>`.

use super::attr::{AttrReader, DEEPEST};
use super::tokens::{Kind, Tokens};
use crate::ir::{Cfg, SyntaxError};
use crate::source::SourceFile;
use crate::span::Span;
use std::ops::Range;

/// One arm of a `cfg_select!`.
#[derive(Clone, Debug)]
pub struct Arm {
    /// When it is the one, unless an arm before it is; `_` always is.
    pub cfg: Cfg,
    /// What it stands for: the inside of its braces, or the expression in front of the comma.
    pub body: Span,
    /// The body stood in braces.
    pub braced: bool,
}

/// The condition that a part of a text is.
///
/// # Errors
/// It is none.
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

/// The arms of a `cfg_select!` whose arguments stand here, in order.
///
/// # Errors
/// They are none that rustc would take.
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
