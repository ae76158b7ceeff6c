//! Where the value of an expression comes from: the edges of the graph, backwards.

use crate::infer::body::{Local, Target, Typed};
use crate::ir::body::{ExprId, ExprKind, MacroArgs, PatId, PatKind, Stmt};
use smallvec::SmallVec;

/// A few expressions.
pub type Exprs = SmallVec<[ExprId; 2]>;

/// Returns the variable that an expression names.
pub fn named(body: &Typed, id: ExprId) -> Option<(u32, &Local)> {
    match body.fact(id).target {
        Some(Target::Local(local)) => Some((local, &body.locals[local as usize])),
        _ => None,
    }
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

/// A text or list that an expression creates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Created {
    /// An empty one without capacity.
    Empty,
    /// An empty one with this capacity.
    Room(ExprId),
    /// `vec!` of this many items.
    Items(usize),
    /// `vec!` of as many equal items.
    Repeated(ExprId),
    /// `format!`.
    Text,
}

/// Returns what an expression creates by a macro or an associated function of std.
pub fn created(body: &Typed, id: ExprId) -> Option<Created> {
    match &body.node(id).kind {
        ExprKind::Macro(path, args) => match (path.last_name(), args) {
            ("format", _) => Some(Created::Text),
            ("vec", MacroArgs::Exprs(list)) if list.is_empty() => Some(Created::Empty),
            ("vec", MacroArgs::Exprs(list)) => Some(Created::Items(list.len())),
            ("vec", MacroArgs::Repeat(_, n)) => Some(Created::Repeated(*n)),
            _ => None,
        },
        ExprKind::Call(callee, args) => match (body.called(*callee), &args[..]) {
            _ if matches!(body.fact(id).target, Some(Target::Item(_))) => None,
            ("new" | "default", []) => Some(Created::Empty),
            ("with_capacity", [n]) => Some(Created::Room(*n)),
            _ => None,
        },
        _ => None,
    }
}

/// The outermost pattern around one, and what it takes apart.
#[derive(Clone, Copy, Debug)]
pub enum Whole {
    /// The value of an expression.
    Value(PatId, ExprId),
    /// Each item of what an expression iterates over.
    Item(PatId, ExprId),
    /// The argument of a closure.
    Argument(PatId, ExprId),
}

/// Returns what a pattern is part of; `None` for a `let` without a value, and for the parameters of
/// a function.
pub fn whole(body: &Typed, pat: PatId) -> Option<Whole> {
    let holder = body.pat(pat).at?;
    let has = |outer: PatId| has(body, outer, pat);
    match &body.node(holder).kind {
        ExprKind::For(outer, on, _) => Some(Whole::Item(*outer, *on)),
        ExprKind::Let(outer, on) => Some(Whole::Value(*outer, *on)),
        ExprKind::Match(on, arms) => {
            let arm = arms.iter().find(|arm| has(arm.pat))?;
            Some(Whole::Value(arm.pat, *on))
        }
        ExprKind::Closure(inputs, ..) => {
            let (outer, _) = inputs.iter().find(|(outer, _)| has(*outer))?;
            Some(Whole::Argument(*outer, holder))
        }
        ExprKind::Block(stmts, _) => stmts.iter().find_map(|stmt| match stmt {
            Stmt::Let { pat, init, .. } if has(*pat) => Some(Whole::Value(*pat, (*init)?)),
            _ => None,
        }),
        _ => None,
    }
}

/// Returns true if a pattern is another or contains it.
fn has(body: &Typed, outer: PatId, pat: PatId) -> bool {
    let parts = subpatterns(&body.function.body.pat(outer).kind);
    outer == pat || parts.into_iter().any(|part| has(body, part, pat))
}

/// Returns the patterns that a pattern consists of.
pub fn subpatterns(kind: &PatKind) -> Vec<PatId> {
    match kind {
        PatKind::Bind { sub, .. } => sub.iter().copied().collect(),
        PatKind::TupleStruct(_, list)
        | PatKind::Tuple(list)
        | PatKind::Slice(list)
        | PatKind::Or(list) => list.clone(),
        PatKind::Struct(_, fields, _) => fields.iter().map(|(_, p)| *p).collect(),
        PatKind::Ref(inner) => vec![*inner],
        PatKind::Wild | PatKind::Rest | PatKind::Path(_) | PatKind::Value | PatKind::Other => {
            Vec::new()
        }
    }
}
