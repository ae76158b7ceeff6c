//! What a buffer is constructed from, and whether it may have spare capacity.

use super::run::Run;
use super::{BufferUse, Edit};
use crate::flow::{Created, How, Origin, created, edge, origins};
use crate::infer::body::{FieldId, Target, Typed};
use crate::infer::effects::Effect;
use crate::infer::marks::Mark;
use crate::infer::types::{is_open, std_name};
use crate::ir::body::{ExprId, ExprKind, MacroArgs, Stmt};
use crate::ir::{Lit, body::PatKind};
use crate::resolve::Db;
use crate::resolve::ty::{Ty, TyKind};

/// What a buffer is constructed from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Maker {
    /// Nothing: `Vec::new()`.
    Empty,
    /// With exact capacity: `vec![…]`, a copy.
    Exact,
    /// A variable that was grown: its capacity may be up to twice its length.
    Grown,
    /// An iterator of unknown length, or concatenated text.
    Collected,
    /// A source that does not tell: an argument, a call.
    Given,
}

impl Maker {
    /// Returns true if it may have spare capacity.
    pub fn spare(self) -> bool {
        matches!(self, Maker::Grown | Maker::Collected)
    }
}

/// Maximum depth at which a value is followed.
const DEEPEST: u32 = 16;

/// Depth that a call counts for, and a variable.
const CALL: u32 = 6;
const VARIABLE: u32 = 4;

/// Returns what a value is constructed from, one entry for each branch, each with whether the code
/// must change.
pub(super) fn makers(run: &Run, b: usize, value: ExprId) -> Vec<(Maker, Edit)> {
    let mut found = Vec::new();
    walk(run, b, value, &mut found, 0);
    found
}

fn walk(run: &Run, b: usize, value: ExprId, found: &mut Vec<(Maker, Edit)>, depth: u32) {
    let body = run.body(b);
    let fact = body.fact(value);
    if depth > DEEPEST {
        return found.push((Maker::Given, Edit::Yes));
    }
    let mut inner = |id: ExprId| walk(run, b, id, found, depth + 1);
    if let Some(created) = created(body, value) {
        let maker = match created {
            Created::Empty | Created::Room(_) => Maker::Empty,
            Created::Items(_) | Created::Repeated(_) => Maker::Exact,
            Created::Text => Maker::Collected,
        };
        return found.push((maker, Edit::Yes));
    }
    match &body.node(value).kind {
        ExprKind::Path(_) => match fact.target {
            Some(Target::Local(local)) => found.push((variable(run, b, local, depth), Edit::Yes)),
            // `None` and other values without a buffer.
            Some(Target::Ctor(..)) => found.push((Maker::Empty, Edit::No)),
            _ => found.push((Maker::Given, Edit::Yes)),
        },
        ExprKind::Call(callee, args) if !matches!(fact.target, Some(Target::Ctor(..))) => {
            // A cell has what it is constructed from.
            if let ([one], Some(Target::Library)) = (&args[..], fact.target)
                && !run.is_buffer(fact.ty)
                && run.holds(fact.ty)
            {
                return inner(*one);
            }
            match given(run, b, value, depth) {
                Some(list) => found.extend(list),
                None => found.push(call(body, *callee, args)),
            }
        }
        ExprKind::Method(receiver, name, _, args) => match given(run, b, value, depth) {
            Some(list) => found.extend(list),
            None => match (name.name.as_str(), &args[..]) {
                ("ok", _) => inner(*receiver),
                // The content of an `Option`, or the value that replaces `None`.
                ("and_then" | "map" | "or_else" | "then" | "unwrap_or_else", [with]) => {
                    mapped(run, b, *receiver, *with, found, depth + 1);
                }
                (name, _) => match passed_on(run, body, value) {
                    Some(list) => list.into_iter().for_each(inner),
                    None => found.push(method(run, b, *receiver, name, fact.ty)),
                },
            },
        },
        ExprKind::Macro(path, _) => {
            let maker = match path.last_name() {
                "vec" => Maker::Exact,
                _ => Maker::Given,
            };
            found.push((maker, Edit::Yes));
        }
        // A concatenation of texts.
        ExprKind::Binary(..) => found.push((Maker::Collected, Edit::Yes)),
        // The same field of another value, moved.
        ExprKind::Field(..) => found.push((Maker::Given, Edit::unless(field(body, value)))),
        ExprKind::Ref(..) | ExprKind::Deref(_) | ExprKind::Cast(..) => {
            found.push((Maker::Given, Edit::Yes));
        }
        _ => match passed_on(run, body, value) {
            Some(list) => list.into_iter().for_each(inner),
            None => found.push((Maker::Given, Edit::Yes)),
        },
    }
}

/// Returns the values one of which an expression has as a whole.
fn passed_on(run: &Run, body: &Typed, id: ExprId) -> Option<Vec<ExprId>> {
    let whole = |origin| match origin {
        Origin::Value(id, way) if way.is_empty() => Some(id),
        _ => None,
    };
    origins(run.db, body, id, &[])?
        .into_iter()
        .map(whole)
        .collect()
}

/// Finds what a closure, or a function named in its place, constructs a buffer from.
fn mapped(
    run: &Run,
    b: usize,
    receiver: ExprId,
    with: ExprId,
    found: &mut Vec<(Maker, Edit)>,
    depth: u32,
) {
    let body = run.body(b);
    let name = match &body.node(with).kind {
        ExprKind::Closure(_, _, value, _) => return walk(run, b, *value, found, depth),
        _ => body.called(with),
    };
    let lent = run.lends(body.fact(receiver).ty);
    let maker = match (name, lent) {
        ("to_owned" | "to_vec" | "to_path_buf" | "to_os_string", _) => Maker::Exact,
        ("from" | "into" | "to_string", true) => Maker::Exact,
        _ => Maker::Given,
    };
    found.push((maker, Edit::Yes));
}

/// Finds what a called function of the workspace constructs its result from.
fn given(run: &Run, b: usize, call: ExprId, depth: u32) -> Option<Vec<(Maker, Edit)>> {
    let Some(Target::Item(function)) = run.body(b).fact(call).target else {
        return None;
    };
    let at = run.usage.position(function)?;
    let value = run.body(at).function.body.value?;
    let mut found = Vec::new();
    walk(run, at, value, &mut found, depth + CALL);
    let makers = found.into_iter().map(|(maker, _)| (maker, Edit::Yes));
    Some(makers.collect()).filter(|f: &Vec<_>| !f.is_empty())
}

/// Finds what a stored variable is constructed from.
fn variable(run: &Run, b: usize, local: u32, depth: u32) -> Maker {
    let body = run.body(b);
    let data = &body.locals[local as usize];
    let init = data.init.map(|init| &body.node(init).kind);
    // `vec![0; n]` is overwritten by the code it is lent to.
    let filled = matches!(init, Some(ExprKind::Macro(_, MacroArgs::Repeat(..))));
    let grown = |id: &ExprId| match edge(body, *id).how {
        How::Does(effect) => matches!(effect, Effect::Grows | Effect::Reserves),
        How::Lent | How::Taken | How::Swapped => !filled,
        _ => false,
    };
    if body.uses(local).iter().any(grown) {
        // Code that reserves capacity usually knows how much it needs.
        return match init {
            Some(ExprKind::Call(callee, _)) if body.called(*callee) == "with_capacity" => {
                Maker::Given
            }
            _ => Maker::Grown,
        };
    }
    let pattern = &body.function.body.pat(data.pat).kind;
    let whole = matches!(pattern, PatKind::Bind { sub: None, .. });
    let Some(init) = data.init.filter(|init| whole && is_let(body, *init)) else {
        return Maker::Given;
    };
    let mut found = Vec::new();
    walk(run, b, init, &mut found, depth + VARIABLE);
    let spare = found.iter().find(|(m, _)| m.spare());
    let given = found.iter().find(|(m, _)| *m == Maker::Given);
    let first = spare.or(given).or(found.first());
    first.map_or(Maker::Given, |(m, _)| *m)
}

/// Returns true for the initializer of a `let` statement.
fn is_let(body: &Typed, init: ExprId) -> bool {
    let is = |s: &Stmt| matches!(s, Stmt::Let { init: Some(i), .. } if *i == init);
    matches!(body.outer(init), Some(ExprKind::Block(stmts, _)) if stmts.iter().any(is))
}

fn call(body: &Typed, callee: ExprId, args: &[ExprId]) -> (Maker, Edit) {
    let library = !matches!(body.fact(callee).target, Some(Target::Item(_)));
    match (body.called(callee), args) {
        ("from", [one]) if library && is_literal(body, *one) => (Maker::Exact, Edit::Yes),
        _ => (Maker::Given, Edit::Yes),
    }
}

fn is_literal(body: &Typed, id: ExprId) -> bool {
    match &body.node(id).kind {
        ExprKind::Lit(Lit::Str(_) | Lit::Bytes(_)) | ExprKind::Array(_) => true,
        ExprKind::Ref(_, inner) => is_literal(body, *inner),
        _ => false,
    }
}

fn method(run: &Run, b: usize, receiver: ExprId, name: &str, gives: Ty) -> (Maker, Edit) {
    let body = run.body(b);
    let maker = match name {
        "clone" => return (Maker::Exact, Edit::unless(field(body, receiver))),
        "to_owned" | "to_vec" | "to_path_buf" | "to_os_string" | "cloned" => Maker::Exact,
        "to_string" | "into" if is_literal(body, receiver) => Maker::Exact,
        // A text or list by reference is copied with its exact length.
        "into" | "to_string" if run.lends(body.fact(receiver).ty) => Maker::Exact,
        // A `collect` that stops at an error has no exact size hint.
        "collect"
            if (run.is_buffer(gives) || is_open(run.db, gives))
                && knows_length(run.db, body, receiver) =>
        {
            Maker::Exact
        }
        "collect" | "concat" | "join" | "repeat" | "replace" | "to_lowercase" | "to_uppercase" => {
            Maker::Collected
        }
        "into_boxed_slice" | "into_boxed_str" => Maker::Exact,
        _ => Maker::Given,
    };
    (maker, Edit::Yes)
}

/// Returns the field that an expression names.
pub(super) fn field(body: &Typed, id: ExprId) -> Option<FieldId> {
    match body.fact(id).target {
        Some(Target::Field(field)) => Some(field),
        _ => None,
    }
}

/// Returns true for an iterator with an exact size hint.
fn knows_length(db: &Db<'static>, body: &Typed, id: ExprId) -> bool {
    match &body.node(id).kind {
        ExprKind::Method(inner, name, ..) if body.is_marked(id, Mark::Counts) => {
            match name.name.as_str() {
                // A parameter may be any iterator.
                "into_iter" => match db.types.kind(body.fact(*inner).ty) {
                    TyKind::Adt(id, _) if std_name(db, *id) == Some("Iter") => {
                        knows_length(db, body, *inner)
                    }
                    _ => is_list(db, body.fact(*inner).ty),
                },
                "iter" | "iter_mut" | "drain" => is_list(db, body.fact(*inner).ty),
                _ => knows_length(db, body, *inner),
            }
        }
        ExprKind::Range(Some(_), Some(_)) => true,
        ExprKind::Block(_, Some(inner)) => knows_length(db, body, *inner),
        _ => false,
    }
}

/// Returns true for an array, a slice or a collection of std, all of which know their length.
fn is_list(db: &Db<'static>, ty: Ty) -> bool {
    match db.types.kind(ty) {
        TyKind::Ref(inner, _) => is_list(db, *inner),
        TyKind::Array(..) | TyKind::Slice(_) => true,
        TyKind::Adt(id, _) => std_name(db, *id).is_some(),
        _ => false,
    }
}

impl BufferUse {
    /// Returns true if the use changes the buffer's length, or may.
    pub fn changes(self) -> bool {
        matches!(
            self,
            BufferUse::Grown
                | BufferUse::Shrunk
                | BufferUse::Emptied
                | BufferUse::Lent
                | BufferUse::Taken
                | BufferUse::Unclear
        )
    }
}
