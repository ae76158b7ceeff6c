//! Calls that take a buffer out of a field and leave another one.

use super::{Buffer, Work};
use crate::infer::body::Typed;
use crate::ir::body::{ExprId, ExprKind};

impl Work<'_> {
    /// Returns true for `mem::take` of a buffer whose box implements `Default`.
    pub(super) fn is_taken(&self, typed: &Typed, lent: ExprId, buffer: Buffer) -> bool {
        let call = self.lent_to_mem(typed, lent, "take");
        buffer != Buffer::PathBuf && call.is_some_and(|(_, rest)| rest.is_empty())
    }

    /// Returns a call of `mem::replace` with this reference, and the new value.
    pub(super) fn replaced_by(&self, typed: &Typed, lent: ExprId) -> Option<(ExprId, ExprId)> {
        match self.lent_to_mem(typed, lent, "replace")? {
            (call, [new]) => Some((call, *new)),
            _ => None,
        }
    }

    /// Returns a call of a function of `mem` with this reference first, and its other arguments.
    fn lent_to_mem<'t>(
        &self,
        typed: &'t Typed,
        lent: ExprId,
        name: &str,
    ) -> Option<(ExprId, &'t [ExprId])> {
        let call = typed.fact(lent).parent?;
        match &typed.node(call).kind {
            ExprKind::Call(callee, args) if typed.called_on(*callee) == ("mem", name) => {
                let (first, rest) = args.split_first()?;
                (*first == lent).then_some((call, rest))
            }
            _ => None,
        }
    }
}
