//! Flattens `use` trees to the names that they import.

use super::tokens::Tokens;
use crate::ir::{UseBind, UseLeaf};
use crate::name::Name;

/// Maximum depth of nested braces.
const DEEPEST: usize = 64;

/// Parses one `use` tree.
struct UseReader<'t> {
    tokens: &'t Tokens<'t>,
    /// The path prefix at the current token.
    path: Vec<Name>,
    /// Whether that path begins with `::`.
    global: bool,
    leaves: Vec<UseLeaf>,
}

impl UseReader<'_> {
    /// Parses the tree that begins at `i`; returns one past it.
    ///
    /// # Errors
    /// The token at which it is not a `use` tree.
    fn tree(&mut self, mut i: usize, end: usize, depth: usize) -> Result<usize, usize> {
        let tokens = self.tokens;
        let (start, kept, global) = (i, self.path.len(), self.global);
        if tokens.path_sep(i) {
            self.global |= self.path.is_empty();
            i += 2;
        }
        loop {
            if i >= end {
                return Err(i);
            }
            if tokens.punct(i, b'*') {
                i += 1;
                self.leaf(start, i, UseBind::Glob);
                break;
            }
            if let Some(close) = tokens.group(i, b'{') {
                self.list(i + 1, close, depth)?;
                i = close + 1;
                break;
            }
            if !tokens.ident(i) {
                return Err(i);
            }
            // A `self` after a path denotes that path.
            if !tokens.word(i, "self") || self.path.is_empty() {
                self.path.push(tokens.name(i));
            }
            i += 1;
            if i < end && tokens.path_sep(i) {
                i += 2;
                continue;
            }
            let mut bind = UseBind::Name(self.path.last().copied().ok_or(i)?);
            if i < end && tokens.word(i, "as") {
                if i + 1 >= end || !tokens.ident(i + 1) {
                    return Err(i + 1);
                }
                bind = match tokens.str(i + 1) {
                    "_" => UseBind::Unnamed,
                    _ => UseBind::Name(tokens.name(i + 1)),
                };
                i += 2;
            }
            self.leaf(start, i, bind);
            break;
        }
        self.path.truncate(kept);
        self.global = global;
        Ok(i)
    }

    fn list(&mut self, mut i: usize, end: usize, depth: usize) -> Result<(), usize> {
        let depth = depth.checked_sub(1).ok_or(i)?;
        while i < end {
            i = self.tree(i, end, depth)?;
            if i < end && !self.tokens.punct(i, b',') {
                return Err(i);
            }
            i += 1;
        }
        Ok(())
    }

    fn leaf(&mut self, start: usize, end: usize, bind: UseBind) {
        self.leaves.push(UseLeaf {
            global: self.global,
            path: self.path.clone(),
            bind,
            span: self.tokens.span(start..end),
        });
    }
}

/// Returns the leaves of the tree in these tokens.
///
/// # Errors
/// The token at which it is not a `use` tree.
pub(super) fn leaves(
    tokens: &Tokens,
    range: std::ops::Range<usize>,
) -> Result<Vec<UseLeaf>, usize> {
    let mut reader = UseReader {
        tokens,
        path: Vec::new(),
        global: false,
        leaves: Vec::new(),
    };
    match reader.tree(range.start, range.end, DEEPEST)? {
        i if i == range.end => {
            reader.leaves.shrink_to_fit();
            Ok(reader.leaves)
        }
        i => Err(i),
    }
}
