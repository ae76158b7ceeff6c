//! How many items the vectors in variables and fields get.

use super::Usage;
use super::loops;
use super::stores::{StoreKind, Stores};
use crate::flow::{Created, How, created, edge, named};
use crate::infer::body::{FieldId, Target, Typed};
use crate::infer::effects::Effect;
use crate::infer::marks::Mark;
use crate::infer::types::std_first;
use crate::ir::Lit;
use crate::ir::body::{ExprId, ExprKind};
use crate::resolve::Db;
use crate::resolve::ty::Ty;
use crate::span::Span;

/// Maximum depth at which a value is followed.
const DEEPEST: usize = 12;

/// How a vector is created.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// Empty, without capacity.
    Empty,
    /// Empty, with capacity for this many items.
    Room(u64),
    /// With this many items.
    Items(u64),
}

/// A variable that is a vector and never leaves its function.
#[derive(Debug)]
pub struct Local {
    /// Its index in [`Typed::locals`].
    pub local: u32,
    /// The type of its items.
    pub item: Ty,
    /// The expression that creates it, and the number of loops around it.
    pub made: (ExprId, u16),
    /// How it is created.
    pub start: Start,
    /// Where single items are added, each at most once per creation.
    pub pushes: Vec<Span>,
    /// Whether an unbounded number of items is added.
    pub grows: bool,
    /// Whether something is always added after its creation.
    pub always: bool,
}

/// The facts on a vector that is a field.
#[derive(Debug, Default)]
pub struct Field {
    /// Where it is set, and to what; `None` if that is not evident.
    pub set: Vec<(Span, Option<Start>)>,
    /// The number of calls of the function of each of these; 1 if unknown, 0 if the value has as
    /// many items as the old one.
    pub calls: Vec<usize>,
    /// Where items are added, or may be.
    pub grown: Vec<Span>,
    /// A value that exists gets another vector: the first one only fills the place.
    pub is_assigned: bool,
    /// The address of its items is taken: they must stay where they are.
    pub by_address: bool,
}

/// Returns the item type of a `Vec`.
pub fn items_of(db: &Db<'static>, ty: Ty) -> Option<Ty> {
    std_first(db, ty, &["Vec"])
}

/// Returns how a vector is created, where evident.
fn start(body: &Typed, id: ExprId) -> Option<Start> {
    let number = |id: ExprId| match &body.node(id).kind {
        ExprKind::Lit(Lit::Int(n, _)) => u64::try_from(n.get()).ok(),
        _ => None,
    };
    match created(body, id)? {
        Created::Empty => Some(Start::Empty),
        Created::Room(n) => number(n).map(Start::Room),
        Created::Items(n) => Some(Start::Items(n as u64)),
        Created::Repeated(n) => number(n).map(Start::Items),
        Created::Text => None,
    }
}

/// Returns the vectors that a body creates and that never leave it.
pub fn locals(db: &Db<'static>, body: &Typed) -> Vec<Local> {
    let mut list = Vec::new();
    for (i, data) in body.locals.iter().enumerate() {
        let (Some(item), Some(init)) = (items_of(db, data.ty), data.init) else {
            continue;
        };
        if data.argument || !body.fact(init).live {
            continue;
        }
        let Some(start) = start(body, init) else {
            continue;
        };
        let mut local = Local {
            local: i as u32,
            item,
            made: (init, body.fact(init).loops),
            start,
            pushes: Vec::new(),
            grows: false,
            always: false,
        };
        if used(body, &mut local) {
            list.push(local);
        }
    }
    list
}

/// Records every use of a variable; returns false if it may leave the function or a use is not
/// understood.
fn used(body: &Typed, local: &mut Local) -> bool {
    let name = body.locals[local.local as usize].name;
    !body.is_opaque(name)
        && body
            .uses(local.local)
            .iter()
            .all(|id| stays(body, local, *id))
}

/// Records one use, and returns true if the vector stays in its variable.
fn stays(body: &Typed, local: &mut Local, id: ExprId) -> bool {
    let edge = edge(body, id);
    let method = match &body.node(edge.by).kind {
        ExprKind::Method(_, method, ..) => method.name.as_str(),
        _ => "",
    };
    match (edge.how, method) {
        (How::Does(Effect::Grows), "push" | "insert") => {
            local.grows |= body.fact(id).loops > local.made.1;
            local.always |= loops::is_always(body, id);
            local.pushes.push(body.node(id).span);
            true
        }
        (How::Does(Effect::Grows | Effect::Reserves), _) if edge.is_method(body) => {
            local.grows = true;
            local.always |= loops::is_always(body, id);
            true
        }
        // An iterator that owns the items may be what is returned.
        (How::Does(_), "into_iter" | "drain") => is_consumed(body, edge.by),
        // The vector itself lives on.
        (How::Does(Effect::Consumes | Effect::Copies | Effect::Lends | Effect::Takes), _)
        | (How::Does(_), "as_mut" | "split_off") => false,
        (How::Does(Effect::Sets), _) => edge.is_method(body),
        (How::Does(_) | How::Borrowed | How::Part | How::Iterated(_) | How::Macro, _) => true,
        _ => false,
    }
}

/// Returns true if an iterator is consumed in the statement that creates it.
fn is_consumed(body: &Typed, iterator: ExprId) -> bool {
    let edge = edge(body, iterator);
    match edge.how {
        How::Iterated(_) => true,
        How::Does(_) if edge.is_method(body) => {
            body.is_marked(edge.by, Mark::Ends) || is_consumed(body, edge.by)
        }
        _ => false,
    }
}

/// Returns the facts on a field that is a vector.
pub fn field(usage: &Usage, stores: &Stores, field: FieldId) -> Field {
    let mut found = Field::default();
    for put in stores.of(field) {
        let body = &usage.bodies[put.place.body];
        if body.function.aside {
            continue;
        }
        match (put.how, put.value) {
            (StoreKind::Set, Some(value)) => {
                let is_place = matches!(body.node(put.place.expr).kind, ExprKind::Field(..));
                found.is_assigned |= is_place;
                let span = body.node(value).span;
                found.set.push((span, start(body, value)));
                found.calls.push(match is_of_itself(body, value, field) {
                    true => 0,
                    false => calls(usage, body),
                });
            }
            (StoreKind::Cut | StoreKind::Emptied, _) => {}
            _ => found.grown.push(body.node(put.place.expr).span),
        }
    }
    found.by_address = usage.events.named.of(&field).iter().any(|at| {
        let body = &usage.bodies[at.body];
        let edge = edge(body, at.expr);
        edge.is_method(body) && body.is_marked(edge.by, Mark::Address)
    });
    found
}

/// Returns the number of calls of a function outside of tests, at least one.
fn calls(usage: &Usage, body: &Typed) -> usize {
    let calls = usage.events.calls.of(&body.function.item).iter();
    let calls = calls.filter(|at| !usage.bodies[at.body].function.aside);
    calls.count().max(1)
}

/// Returns true if a value is derived from the same field, item by item.
fn is_of_itself(body: &Typed, value: ExprId, field: FieldId) -> bool {
    let from = |at: &ExprId| match &body.node(*at).kind {
        ExprKind::Method(inner, ..)
        | ExprKind::Try(inner)
        | ExprKind::Cfg(_, inner)
        | ExprKind::Ref(_, inner) => Some(*inner),
        _ => named(body, *at)?.1.init,
    };
    let mut origins = std::iter::successors(Some(value), from).take(DEEPEST);
    origins.any(|at| body.fact(at).target == Some(Target::Field(field)))
}
