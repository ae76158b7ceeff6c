//! The loops around an expression in its function, and what else they do.

use crate::infer::body::{Target, Typed};
use crate::infer::marks::Mark;
use crate::ir::Lit;
use crate::ir::Path;
use crate::ir::body::{ExprId, ExprKind, MacroArgs, Stmt};
use crate::lower::{FORMATS, LOOKING};
use crate::resolve::ItemId;
use crate::usage::Usage;
use rustc_hash::FxHashSet;

/// The turn of a loop in which an expression is evaluated.
pub(super) struct Turn {
    /// The innermost loop.
    pub around: Option<ExprId>,
    /// Whether it is evaluated in every iteration, not only in some.
    pub always: bool,
}

impl Turn {
    fn inside(around: ExprId, always: bool) -> Turn {
        Turn {
            around: Some(around),
            always,
        }
    }
}

/// Returns the innermost loop around an expression; `None` if it is evaluated at most once, or
/// rarely, or in a closure.
pub(super) fn place(body: &Typed, id: ExprId) -> Option<Turn> {
    let mut always = true;
    let mut at = id;
    for outer in body.outers(id) {
        match &body.node(outer).kind {
            ExprKind::For(_, on, _) if *on != at && is_short(body, *on) => return None,
            ExprKind::Loop(_) | ExprKind::While(..) => return Some(Turn::inside(outer, always)),
            ExprKind::For(_, on, _) if *on != at => return Some(Turn::inside(outer, always)),
            ExprKind::If(on, ..) | ExprKind::Match(on, _) if *on != at => always = false,
            ExprKind::Binary("&&" | "||", left, _) if *left != at => always = false,
            ExprKind::Closure(..)
            | ExprKind::Async(_)
            | ExprKind::Return(_)
            | ExprKind::Break(_) => return None,
            ExprKind::Macro(path, _) => {
                let name = path.last_name();
                let asserts = name.contains("assert");
                if FORMATS.contains(&name) || asserts || !LOOKING.contains(&name) && name != "vec" {
                    return None;
                }
            }
            ExprKind::Call(callee, _) if body.called(*callee) == "Err" => return None,
            ExprKind::Method(on, method, ..)
                if *on != at && FORMATS.contains(&method.name.as_str()) =>
            {
                return None;
            }
            ExprKind::Block(stmts, tail) if leaves(body, stmts, *tail, outer) => return None,
            _ => {}
        }
        at = outer;
    }
    Some(Turn {
        around: None,
        always,
    })
}

/// Returns true if a block, other than a function body, ends by leaving the code around it.
fn leaves(body: &Typed, stmts: &[Stmt], tail: Option<ExprId>, block: ExprId) -> bool {
    if body.function.body.value == Some(block) {
        return false;
    }
    let last = tail.or(match stmts.last() {
        Some(Stmt::Expr(e)) => Some(*e),
        _ => None,
    });
    let Some(last) = last else { return false };
    match &body.node(last).kind {
        ExprKind::Return(_) | ExprKind::Break(_) => true,
        ExprKind::Macro(path, _) => matches!(
            path.last_name(),
            "bail" | "panic" | "todo" | "unimplemented" | "unreachable"
        ),
        ExprKind::Call(callee, _) => matches!(body.called(*callee), "Err" | "exit" | "abort"),
        _ => false,
    }
}

/// Returns true for an iterable with few items by its literal, or by a constant or static.
fn is_short(body: &Typed, on: ExprId) -> bool {
    match &body.node(on).kind {
        ExprKind::Path(_) => matches!(body.fact(on).target, Some(Target::Item(_))),
        ExprKind::Array(list) => list.len() < 16,
        ExprKind::Ref(_, inner) => is_short(body, *inner),
        ExprKind::Method(on, ..) => is_short(body, *on),
        ExprKind::Range(_, Some(end)) => {
            matches!(&body.node(*end).kind, ExprKind::Lit(Lit::Int(n, _)) if n.get() < 16)
        }
        ExprKind::Macro(path, MacroArgs::Exprs(list)) => {
            path.last_name() == "vec" && list.len() < 16
        }
        _ => false,
    }
}

/// Maximum depth of calls at which a slow operation is searched.
const FAR: usize = 3;

/// Finds the functions that do something slow, directly or through calls.
pub(super) fn slow(usage: &Usage) -> FxHashSet<ItemId> {
    let mut found = FxHashSet::default();
    for _ in 0..FAR {
        let more = usage.bodies.iter().filter(|b| {
            let item = b.function.item;
            !found.contains(&item) && b.exprs().any(|(id, ..)| takes_time(b, id, &found))
        });
        let more: Vec<ItemId> = more.map(|b| b.function.item).collect();
        found.extend(more);
    }
    found
}

/// Returns true if a loop does something that makes an allocation negligible.
pub(super) fn is_slow(body: &Typed, around: ExprId, slow: &FxHashSet<ItemId>) -> bool {
    body.exprs().any(|(id, _, fact)| {
        fact.loops > 0 && takes_time(body, id, slow) && body.outers(id).any(|outer| outer == around)
    })
}

fn takes_time(body: &Typed, id: ExprId, slow: &FxHashSet<ItemId>) -> bool {
    match (&body.node(id).kind, body.fact(id).target) {
        (ExprKind::Await(_), _) => true,
        // A workspace function of such a name may be fast.
        (_, Some(Target::Item(item))) => slow.contains(&item),
        (ExprKind::Method(..) | ExprKind::Call(..), _) if body.is_marked(id, Mark::Slow) => true,
        (ExprKind::Call(callee, _), _) => match &body.node(*callee).kind {
            ExprKind::Path(path) => path.segments.iter().any(|s| s.name == "fs"),
            _ => false,
        },
        (ExprKind::Macro(path, _), _) => matches!(
            path.last_name(),
            "print" | "println" | "eprint" | "eprintln"
        ),
        _ => false,
    }
}

/// Returns true if a variable is part of an error message.
pub(super) fn is_told(body: &Typed, local: u32) -> bool {
    let named = |path: &Path| {
        let last = path.last_name();
        FORMATS.contains(&last) || last.contains("Err")
    };
    let tells = |id: ExprId| match &body.node(id).kind {
        ExprKind::Macro(path, _) | ExprKind::Struct(path, ..) => named(path),
        ExprKind::Call(callee, _) => match &body.node(*callee).kind {
            ExprKind::Path(path) => {
                let owner = path.segments.iter().rev().nth(1);
                named(path) || owner.is_some_and(|s| s.name.as_str().contains("Err"))
            }
            _ => false,
        },
        ExprKind::Method(_, method, ..) => {
            let name = method.name.as_str();
            FORMATS.contains(&name) || name.contains("error") || name.contains("warning")
        }
        _ => false,
    };
    let is_block = |id: &ExprId| matches!(body.node(*id).kind, ExprKind::Block(..));
    body.uses(local).iter().any(|&id| {
        let mut statement = body.outers(id).take_while(|outer| !is_block(outer));
        statement.any(tells)
    })
}
