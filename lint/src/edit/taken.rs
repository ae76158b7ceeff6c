//! Calls that take a buffer out of a field and leave another one.

use super::{Buffer, Work};
use crate::infer::body::Typed;
use crate::ir::body::{ExprId, ExprKind};

impl Work<'_> {
    /// Returns true for `mem::take` of a buffer whose box implements `Default`.
    pub(super) fn is_taken(&self, typed: &Typed, lent: ExprId, buffer: Buffer) -> bool {
        let Some(outer) = typed.fact(lent).parent else {
            return false;
        };
        match &typed.node(outer).kind {
            ExprKind::Call(callee, args) if args[..] == [lent] && buffer != Buffer::PathBuf => {
                match &typed.node(*callee).kind {
                    ExprKind::Path(path) => {
                        let mut names = path.segments.iter().rev().map(|s| s.name);
                        let mut is = |name: &str| names.next().is_some_and(|n| n == name);
                        is("take") && is("mem")
                    }
                    _ => false,
                }
            }
            _ => false,
        }
    }

    /// Returns a call of `mem::replace` with this reference, and the new value.
    pub(super) fn replaced_by(&self, typed: &Typed, lent: ExprId) -> Option<(ExprId, ExprId)> {
        let call = typed.fact(lent).parent?;
        match &typed.node(call).kind {
            ExprKind::Call(callee, args) if typed.called_on(*callee) == ("mem", "replace") => {
                match args[..] {
                    [old, new] if old == lent => Some((call, new)),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}
