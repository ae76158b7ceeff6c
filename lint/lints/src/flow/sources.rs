//! Where the value of an expression comes from: the edges of the graph, backwards.

use crate::infer::body::{Local, Target, Typed};
use crate::ir::body::{ExprId, ExprKind};
use smallvec::{SmallVec, smallvec};

/// A few expressions.
pub type Exprs = SmallVec<[ExprId; 2]>;

/// Returns the expressions one of which an expression has its value from: the branches of an `if`
/// or `match`, the end of a block; `None` if it makes its value itself.
pub fn sources(body: &Typed, id: ExprId) -> Option<Exprs> {
    match &body.node(id).kind {
        ExprKind::Block(_, Some(tail)) => Some(smallvec![*tail]),
        ExprKind::Cfg(_, inner) => Some(smallvec![*inner]),
        ExprKind::If(_, then, Some(otherwise)) => Some(smallvec![*then, *otherwise]),
        ExprKind::Match(_, arms) => Some(arms.iter().map(|arm| arm.value).collect()),
        _ => None,
    }
}

/// Returns the variable that an expression names.
pub fn named(body: &Typed, id: ExprId) -> Option<(u32, &Local)> {
    match body.fact(id).target {
        Some(Target::Local(local)) => Some((local, &body.locals[local as usize])),
        _ => None,
    }
}

/// Returns the value of a variable that an expression names, if it has one value only: it is not
/// `mut`, and no argument.
pub fn value_of(body: &Typed, id: ExprId) -> Option<ExprId> {
    let (_, local) = named(body, id)?;
    local.init.filter(|_| !local.mutable && !local.argument)
}

/// Returns the values that a body returns: its own, and those of its `return`s.
pub fn returned(body: &Typed) -> impl Iterator<Item = ExprId> {
    let early = body.exprs().filter_map(|(_, node, _)| match node.kind {
        ExprKind::Return(early) => early,
        _ => None,
    });
    body.function.body.value.into_iter().chain(early)
}

/// Returns the receiver and the arguments of a call.
pub fn values(body: &Typed, call: ExprId) -> Exprs {
    match &body.node(call).kind {
        ExprKind::Method(on, _, _, args) => [*on].iter().chain(args).copied().collect(),
        ExprKind::Call(_, args) => args.iter().copied().collect(),
        _ => Exprs::new(),
    }
}
