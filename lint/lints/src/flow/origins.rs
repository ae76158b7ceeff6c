//! Where a part of a value comes from, one step back: through branches, wrappers, tuples,
//! iterators and closures, to values of the same body, functions and constants.

use super::sources::{Exprs, Whole, whole};
use super::{How, edge};
use crate::infer::body::{Target, Typed};
use crate::infer::marks::Mark;
use crate::infer::types::{is_own, is_std, std_first, std_name, std_variant};
use crate::ir::body::{ExprId, ExprKind, MacroArgs, PatId, PatKind};
use crate::place::Place;
use crate::resolve::{Db, ItemId};
use smallvec::{SmallVec, smallvec};

/// A step into a value. Wrappers such as `Some` and references are no steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// The part of a tuple with this index.
    Part(usize),
    /// Each item of a list or iterator.
    Item,
}

/// The way to a part of a value, the outermost step first; empty for the value itself.
pub type Way = SmallVec<[Step; 2]>;

/// What has a part of a value, and the way to the part in it.
#[derive(Clone, Debug)]
pub enum Origin {
    /// An expression of the same body.
    Value(ExprId, Way),
    /// What a function of the workspace returns.
    Returned(ItemId, Way),
    /// A constant or static.
    Constant(ItemId, Way),
}

/// Several origins.
pub type Origins = SmallVec<[Origin; 2]>;

/// Returns what has the part of an expression's value that lies on this way: one of several, or
/// none if there is no value. `None` if the expression makes the part itself, or names a variable,
/// or it is not known.
pub fn origins(db: &Db<'static>, body: &Typed, id: ExprId, way: &[Step]) -> Option<Origins> {
    let all = |list: &[ExprId], way: &[Step]| {
        let each = list.iter().map(|e| Origin::Value(*e, way.into()));
        Some(each.collect())
    };
    match (&body.node(id).kind, body.fact(id).target, way) {
        (ExprKind::If(_, then, Some(otherwise)), ..) => all(&[*then, *otherwise], way),
        (ExprKind::Match(_, arms), ..) => {
            let values: Exprs = arms.iter().map(|arm| arm.value).collect();
            all(&values, way)
        }
        (ExprKind::Return(_) | ExprKind::Break(_) | ExprKind::Continue, ..) => all(&[], way),
        (
            ExprKind::Ref(_, inner)
            | ExprKind::Deref(inner)
            | ExprKind::Try(inner)
            | ExprKind::Await(inner)
            | ExprKind::Cast(inner, _)
            | ExprKind::Block(_, Some(inner))
            | ExprKind::Cfg(_, inner),
            ..,
        ) => all(&[*inner], way),
        (ExprKind::Tuple(list), _, [Step::Part(at), rest @ ..]) => all(&[*list.get(*at)?], rest),
        (ExprKind::Macro(path, MacroArgs::Exprs(list)), ..)
            if list.len() == 1 && path.last_name() == "dbg" =>
        {
            all(list, way)
        }
        (
            ExprKind::Array(list) | ExprKind::Macro(_, MacroArgs::Exprs(list)),
            _,
            [Step::Item, rest @ ..],
        ) => all(list, rest),
        (kind, Some(Target::Ctor(adt, variant)), _) if std_name(db, adt).is_some() => {
            match (std_variant(db, (adt, variant)), kind) {
                (Some("Err"), _) | (_, ExprKind::Path(_) | ExprKind::Qualified(..)) => {
                    all(&[], way)
                }
                (_, ExprKind::Call(_, args)) if args.len() == 1 => all(args, way),
                _ => None,
            }
        }
        (ExprKind::Path(_) | ExprKind::Qualified(..), Some(Target::Item(item)), _) => {
            Some(smallvec![Origin::Constant(item, way.into())])
        }
        (ExprKind::Call(..) | ExprKind::Method(..), Some(Target::Item(item)), _) => {
            Some(smallvec![Origin::Returned(item, way.into())])
        }
        (ExprKind::Call(_, args), ..) => match body.node(*args.first()?).kind {
            ExprKind::Ref(true, place) if matches!(edge(body, place).how, How::Taken) => {
                all(&[place], way)
            }
            _ => None,
        },
        (ExprKind::Method(on, name, _, args), ..) => {
            method(db, body, id, (*on, name.name.as_str(), args), way)
        }
        _ => None,
    }
}

/// Returns what has a part of the result of a method of std.
fn method(
    db: &Db<'static>,
    body: &Typed,
    call: ExprId,
    (on, name, args): (ExprId, &str, &[ExprId]),
    way: &[Step],
) -> Option<Origins> {
    let value = |id: ExprId, way: &[Step]| Origin::Value(id, way.into());
    let item = |rest: &[Step]| [&[Step::Item], rest].concat();
    let is = |mark| body.is_marked(call, mark);
    let one = |origin| Some(smallvec![origin]);
    match (name, way, args) {
        ("enumerate", [Step::Item, Step::Part(1), rest @ ..], _)
        | ("zip", [Step::Item, Step::Part(0), rest @ ..], _) => one(value(on, &item(rest))),
        ("zip", [Step::Item, Step::Part(1), rest @ ..], [other]) => one(value(*other, &item(rest))),
        ("chain", [Step::Item, ..], [other]) | ("unwrap_or" | "or", _, [other]) => {
            Some(smallvec![value(on, way), value(*other, way)])
        }
        ("unwrap_or_else" | "or_else", _, [f]) => {
            Some(smallvec![value(on, way), result(body, *f, way)])
        }
        ("map_or", _, [other, f]) => Some(smallvec![value(*other, way), result(body, *f, way)]),
        ("then_some", _, [other]) => one(value(*other, way)),
        _ if is(Mark::Unwraps) => one(value(on, way)),
        _ if is(Mark::Items) && way.first() == Some(&Step::Item) => one(value(on, way)),
        _ if is(Mark::Picks) => one(value(on, &item(way))),
        ("map" | "and_then" | "then", _, [f]) if passes_on(db, body, *f) => one(value(on, way)),
        ("map", [Step::Item, rest @ ..], [f]) if !is_wrapper(db, body, on) => {
            one(result(body, *f, rest))
        }
        ("map" | "and_then" | "then", _, [f]) => one(result(body, *f, way)),
        _ => None,
    }
}

/// Returns true for an `Option` or `Result`.
fn is_wrapper(db: &Db<'static>, body: &Typed, id: ExprId) -> bool {
    std_first(db, body.fact(id).ty, &["Option", "Result"]).is_some()
}

/// Returns true for a path to a constructor or conversion of std, as a function.
fn passes_on(db: &Db<'static>, body: &Typed, function: ExprId) -> bool {
    let is = |mark| body.is_marked(function, mark);
    match body.fact(function).target {
        Some(Target::Item(item)) if is_own(db, item) => false,
        Some(Target::Ctor(..)) => true,
        _ => is(Mark::Converts) || is(Mark::Keeps),
    }
}

/// Returns what has a part of the result of a closure, or of a function by its path; the function
/// itself if it is another, or may return early.
fn result(body: &Typed, function: ExprId, way: &[Step]) -> Origin {
    match (&body.node(function).kind, body.fact(function).target) {
        (ExprKind::Closure(_, _, value, _), _) if !has_return(body, function, *value) => {
            Origin::Value(*value, way.into())
        }
        (ExprKind::Path(_), Some(Target::Item(item))) => Origin::Returned(item, way.into()),
        _ => Origin::Value(function, way.into()),
    }
}

/// Returns true if a closure with this value has a `return` of its own.
fn has_return(body: &Typed, closure: ExprId, value: ExprId) -> bool {
    // Parts of an expression are numbered before it.
    let before = (0..=value.index()).rev().map(|i| ExprId(Place::new(i)));
    let is_inside = |id: ExprId| body.outers(id).any(|outer| outer == closure);
    let mut inside = before.take_while(|id| !body.fact(*id).live || is_inside(*id));
    let leaves = |outer: &ExprId| {
        let kind = &body.node(*outer).kind;
        matches!(kind, ExprKind::Closure(..) | ExprKind::Async(_))
    };
    inside.any(|id| {
        let is_return = matches!(body.node(id).kind, ExprKind::Return(_));
        is_return && body.outers(id).find(leaves) == Some(closure)
    })
}

/// Returns the expression of which a pattern binds a part, with the way to it. `None` for a `let`
/// without a value and for the parameters of a function, and if it is not known.
pub fn bound(db: &Db<'static>, body: &Typed, pat: PatId) -> Option<(ExprId, Way)> {
    let whole = whole(body, pat)?;
    let (Whole::Value(outer, _) | Whole::Item(outer, _) | Whole::Argument(outer, _)) = whole;
    let mut way = way_to(db, body, outer, pat)?;
    let on = match whole {
        Whole::Value(_, on) => on,
        Whole::Item(_, on) => {
            way.insert(0, Step::Item);
            on
        }
        Whole::Argument(_, closure) => {
            let ExprKind::Closure(inputs, ..) = &body.node(closure).kind else {
                return None;
            };
            let ExprKind::Method(on, name, ..) = body.outer(closure)? else {
                return None;
            };
            let wraps = is_wrapper(db, body, *on);
            let hands = matches!(
                name.name.as_str(),
                "map" | "for_each" | "filter_map" | "flat_map" | "try_for_each" | "and_then"
            );
            let iterates = !wraps && is_std(db, body.fact(*on).ty, "Iter");
            if inputs.len() != 1 || !hands && !iterates {
                return None;
            }
            if !wraps {
                way.insert(0, Step::Item);
            }
            *on
        }
    };
    Some((on, way))
}

/// Returns the way from what one pattern matches to what a pattern in it matches.
fn way_to(db: &Db<'static>, body: &Typed, outer: PatId, inner: PatId) -> Option<Way> {
    if outer == inner {
        return Some(Way::new());
    }
    let kind = |pat: PatId| &body.function.body.pat(pat).kind;
    match kind(outer) {
        PatKind::Ref(within) => way_to(db, body, *within, inner),
        PatKind::TupleStruct(_, list) => {
            let ctor = body.pat(outer).ctor.and_then(|c| std_variant(db, c));
            match (ctor, &list[..]) {
                (Some("Some" | "Ok"), [within]) => way_to(db, body, *within, inner),
                _ => None,
            }
        }
        PatKind::Tuple(list) => {
            let before = list
                .iter()
                .take_while(|p| !matches!(kind(**p), PatKind::Rest));
            before.enumerate().find_map(|(i, pat)| {
                let mut way = way_to(db, body, *pat, inner)?;
                way.insert(0, Step::Part(i));
                Some(way)
            })
        }
        _ => None,
    }
}
