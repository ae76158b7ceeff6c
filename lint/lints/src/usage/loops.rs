//! Texts and lists that a loop creates in every iteration, and which functions loops call.

mod place;

use super::Usage;
use super::value_use::{ValueUse, of_local, owns_all, value_use};
use crate::flow::{Created, How, created, edge, named};
use crate::infer::body::{Site, Target, Typed};
use crate::infer::effects::Effect;
use crate::infer::marks::Mark;
use crate::infer::types::{is_open, is_std, std_first, std_parts, without_refs};
use crate::ir::Lit;
use crate::ir::body::{ExprId, ExprKind};
use crate::lists::Lists;
use crate::name::Name;
use crate::resolve::ty::{Prim, TyKind};
use crate::resolve::{Db, ItemId};
use crate::span::Span;
use place::{is_slow, is_told, place};
use rustc_hash::{FxHashMap, FxHashSet};

/// What is created.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// An empty list or text that is then filled.
    Empty,
    /// `vec![…]`, with the number of elements, if written as a literal.
    List(Option<u128>),
    /// `format!(…)`.
    Format,
    /// A copy of a text or list.
    Copy,
    /// Another text, by the method of this name.
    Text(&'static str),
    /// `collect()`.
    Collected,
}

/// How it is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum For {
    /// A variable that is filled, or lent to be filled.
    Filled,
    /// A variable that is only read.
    Read,
    /// Lent to a call where it is created.
    Lent,
    /// Appended to another text.
    Appended,
    /// Written by another format.
    Formatted,
}

/// A value that every iteration creates and drops.
#[derive(Clone, Debug)]
pub struct Anew {
    /// Where.
    pub site: Site,
    /// The variable that is bound to it.
    pub local: Option<u32>,
    /// What it is.
    pub what: What,
    /// How it is used.
    pub used: For,
    /// The loop around it; `None` if loops call its function.
    pub around: Option<ExprId>,
    /// Whether it is created in every iteration, not only in some.
    pub always: bool,
    /// Whether the loop also does something slow.
    pub slow: bool,
    /// Whether it is part of an error report.
    pub told: bool,
    /// Whether it is the same in every iteration.
    pub same: bool,
    /// Whether an inner loop fills it.
    pub by_loop: bool,
    /// Whether an outer loop, of more than a few iterations, is around that loop.
    pub nested: bool,
}

/// What loops create and call.
#[derive(Debug, Default)]
pub struct Loops {
    anew: FxHashMap<ItemId, Vec<Anew>>,
    calls: Lists<ItemId, Site>,
}

impl Loops {
    /// Examines every body.
    pub fn find(db: &Db<'static>, usage: &Usage) -> Loops {
        let mut loops = Loops::default();
        let slow = place::slow(usage);
        for body in usage.bodies.iter().filter(|b| !b.function.aside) {
            let anew = anew(db, usage, body, &slow);
            if !anew.is_empty() {
                loops.anew.insert(body.function.item, anew);
            }
            for (id, node, fact) in body.exprs() {
                let call = matches!(node.kind, ExprKind::Call(..) | ExprKind::Method(..));
                if let (true, Some(Target::Item(item))) = (call, fact.target)
                    && fact.loops > 0
                    && let Some(place) = place(body, id)
                    && place.around.is_some()
                    && place.always
                {
                    loops.calls.add(item, body.site(id));
                }
            }
        }
        loops
    }

    /// Returns what a function creates in the iterations of its loops, or in every call.
    pub fn anew(&self, function: ItemId) -> &[Anew] {
        self.anew.get(&function).map_or(&[], Vec::as_slice)
    }

    /// Returns the loops that call a function in every iteration.
    pub fn calls(&self, function: ItemId) -> &[Site] {
        self.calls.of(&function)
    }
}

fn anew(db: &Db<'static>, usage: &Usage, body: &Typed, slow: &FxHashSet<ItemId>) -> Vec<Anew> {
    let mut found = Vec::new();
    for (id, _, _) in body.exprs() {
        let Some(what) = made(db, body, id) else {
            continue;
        };
        let Some((used, local)) = purpose(db, usage, body, id, what) else {
            continue;
        };
        let Some(place) = place(body, id) else {
            continue;
        };
        let local_only = matches!(used, For::Filled | For::Read);
        let kept = || local.is_some_and(|l| is_cleared(body, l));
        if place.around.is_none() && (!local_only || kept()) {
            continue;
        }
        found.push(Anew {
            site: body.site(id),
            local,
            what,
            used,
            around: place.around,
            always: place.always,
            slow: place.around.is_some_and(|l| is_slow(body, l, slow)),
            told: local
                .or_else(|| appended(body, id))
                .is_some_and(|l| is_told(body, l)),
            same: place.around.is_some_and(|around| is_same(body, id, around)),
            by_loop: local.is_some_and(|l| is_filled_by_loop(body, id, l)),
            nested: place.around.is_some_and(|around| is_in_loop(body, around)),
        });
    }
    found
}

/// Returns true if an empty variable is filled in every iteration, or by an inner loop: until then
/// it does not allocate.
fn is_filled(body: &Typed, made: ExprId, local: u32) -> bool {
    let always = |id| place(body, id).is_some_and(|p| p.always);
    is_filled_by_loop(body, made, local) || growths(body, local).any(always)
}

/// Returns true if a loop inside the one that creates a variable fills it.
fn is_filled_by_loop(body: &Typed, made: ExprId, local: u32) -> bool {
    let outer = body.fact(made).loops;
    growths(body, local).any(|id| body.fact(id).loops > outer)
}

/// Iterates over the places that put something into a variable.
fn growths(body: &Typed, local: u32) -> impl Iterator<Item = ExprId> + '_ {
    let is_read = |lent: ExprId| match body.outer(lent) {
        Some(ExprKind::Method(_, method, ..)) => method.name.as_str().starts_with("read"),
        _ => false,
    };
    let grows = move |id: &ExprId| {
        let edge = edge(body, *id);
        edge.grows() || matches!(edge.how, How::Lent) && is_read(edge.by)
    };
    body.uses(local).iter().copied().filter(grows)
}

/// Returns true for an expression in a loop of more than a few iterations.
fn is_in_loop(body: &Typed, id: ExprId) -> bool {
    place(body, id).is_some_and(|p| p.around.is_some())
}

/// Returns true for a text of only literals and immutable variables from before the loop.
fn is_same(body: &Typed, text: ExprId, around: ExprId) -> bool {
    let inside = |outer: Span, span: Span| outer.start <= span.start && span.end <= outer.end;
    let (whole, turns) = (body.node(text).span, body.node(around).span);
    let before = |local: u32| {
        let local = &body.locals[local as usize];
        !local.mutable && !inside(turns, body.function.body.pat(local.pat).span)
    };
    let parts = body.exprs().filter(|(_, node, _)| inside(whole, node.span));
    let mut parts = parts.map(|(id, node, fact)| match (&node.kind, fact.target) {
        (ExprKind::Path(_), Some(Target::Local(local))) => before(local),
        (ExprKind::Lit(_) | ExprKind::Ref(false, _), _) => true,
        (ExprKind::Macro(..), _) => id == text,
        _ => false,
    });
    let opaque = |(_, id): &(Name, ExprId)| inside(whole, body.node(*id).span);
    parts.all(|same| same) && !body.opaque.iter().any(opaque)
}

/// Returns true for an expression that is evaluated in every iteration of its loop, or in every
/// call.
pub(super) fn is_always(body: &Typed, id: ExprId) -> bool {
    place(body, id).is_some_and(|p| p.always)
}

/// Returns true if a variable is cleared to be filled again: its function reuses it already.
fn is_cleared(body: &Typed, local: u32) -> bool {
    let mut uses = body.uses(local).iter();
    uses.any(|id| edge(body, *id).effect() == Some(Effect::Empties))
}

/// Returns what an expression creates, if it is a text or list.
fn made(db: &Db<'static>, body: &Typed, id: ExprId) -> Option<What> {
    let ty = body.fact(id).ty;
    let (of, _) = std_parts(db, ty).filter(|(of, _)| matches!(*of, "String" | "Vec"))?;
    match created(body, id) {
        Some(Created::Empty | Created::Room(_)) => return Some(What::Empty),
        Some(Created::Items(n)) => return Some(What::List(Some(n as u128))),
        Some(Created::Repeated(n)) => match &body.node(n).kind {
            ExprKind::Lit(Lit::Int(n, _)) => return Some(What::List(Some(n.get()))),
            _ => return Some(What::List(None)),
        },
        Some(Created::Text) => return Some(What::Format),
        None => {}
    }
    match &body.node(id).kind {
        ExprKind::Method(on, method, _, args)
            if args.is_empty() && body.is_marked(id, Mark::Makes) =>
        {
            let on = without_refs(db, body.fact(*on).ty);
            let slice = matches!(
                db.types.kind(on),
                TyKind::Prim(Prim::Str) | TyKind::Slice(_) | TyKind::Array(..)
            );
            match method.name.as_str() {
                "collect" => Some(What::Collected),
                "to_string" | "to_owned" | "to_vec" if slice || is_std(db, on, of) => {
                    Some(What::Copy)
                }
                name => Some(What::Text(name)),
            }
        }
        _ => None,
    }
}

/// Returns how a new value is used, if it is not moved away.
fn purpose(
    db: &Db<'static>,
    usage: &Usage,
    body: &Typed,
    id: ExprId,
    what: What,
) -> Option<(For, Option<u32>)> {
    if let Some(local) = bound(body, id) {
        let element = std_first(db, body.locals[local as usize].ty, &["Vec"]);
        let keeps = element.is_none_or(|e| !is_open(db, e) && owns_all(db, e));
        return match of_local(db, usage, body, local)? {
            ValueUse::Grown if keeps => {
                let fills = what != What::Empty || is_filled(body, id, local);
                fills.then_some((For::Filled, Some(local)))
            }
            ValueUse::Looked if keeps && what != What::Empty => Some((For::Read, Some(local))),
            _ => None,
        };
    }
    // An empty one that is only lent does not allocate.
    if what == What::Empty {
        return None;
    }
    let with = edge(body, id);
    match (with.how, &body.node(with.by).kind) {
        (How::Borrowed, _) => lent(db, body, with.by, what),
        (_, ExprKind::Macro(path, _)) => {
            let writes = ["format", "print", "println", "write", "writeln"];
            let writes = writes.contains(&path.last_name());
            let text = matches!(what, What::Format | What::Copy | What::Text("to_string"));
            (writes && text).then_some((For::Formatted, None))
        }
        (How::Does(_), ExprKind::Method(..)) => {
            let looks = body.is_marked(with.by, Mark::Looks);
            let stays = value_use(db, usage, body, id) != ValueUse::Moved;
            (looks && stays).then_some((For::Lent, None))
        }
        (_, ExprKind::Binary("==" | "!=", ..)) => Some((For::Lent, None)),
        _ => None,
    }
}

/// Returns how a new value is used that is borrowed where it is created.
fn lent(
    db: &Db<'static>,
    body: &Typed,
    reference: ExprId,
    what: What,
) -> Option<(For, Option<u32>)> {
    let with = edge(body, reference);
    let used = match (with.how, &body.node(with.by).kind) {
        (How::Argument(_), ExprKind::Method(on, method, ..))
            if method.name == "push_str"
                && matches!(what, What::Format | What::Text("to_string")) =>
        {
            // Another type's `push_str` may do more with each piece.
            let on = without_refs(db, body.fact(*on).ty);
            is_std(db, on, "String").then_some(For::Appended)?
        }
        (How::Argument(_), _) | (How::Does(_), ExprKind::Index(..)) => For::Lent,
        _ => return None,
    };
    Some((used, None))
}

/// Returns the variable that a text is appended to.
fn appended(body: &Typed, id: ExprId) -> Option<u32> {
    let lent = edge(body, id);
    let to = edge(body, lent.by);
    match (lent.how, to.how, &body.node(to.by).kind) {
        (How::Borrowed, How::Argument(_), ExprKind::Method(on, ..)) => {
            named(body, *on).map(|(local, _)| local)
        }
        _ => None,
    }
}

/// Returns the variable that a `let` binds an expression to.
fn bound(body: &Typed, id: ExprId) -> Option<u32> {
    let is_let = matches!(body.outer(id), Some(ExprKind::Block(..)));
    body.bound_to(id).filter(|_| is_let)
}
