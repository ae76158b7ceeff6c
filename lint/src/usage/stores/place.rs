//! What the surroundings of a field do to it.

use super::How;
use crate::infer::body::Typed;
use crate::ir::body::{ExprId, ExprKind, MacroArgs};
use crate::name::Name;

/// Methods of std's collections and strings that add their last argument.
const ADDERS: &[&str] = &[
    "append",
    "extend",
    "extend_from_slice",
    "extend_from_within",
    "insert",
    "insert_str",
    "push",
    "push_back",
    "push_front",
    "push_str",
    "resize",
    "resize_with",
    "splice",
    "write_char",
    "write_fmt",
    "write_str",
];

/// Methods that make what they are called on shorter.
const CUTTERS: &[&str] = &[
    "clear",
    "dedup",
    "dedup_by",
    "dedup_by_key",
    "drain",
    "pop",
    "pop_back",
    "pop_front",
    "remove",
    "retain",
    "retain_mut",
    "split_off",
    "swap_remove",
    "take",
    "truncate",
];

/// Methods that set what they are called on to their argument.
const SETTERS: &[&str] = &["clone_from", "get_or_insert", "replace"];

/// Methods that hand out something through which the length can change.
const LENDERS: &[&str] = &[
    "as_mut",
    "as_mut_string",
    "as_mut_vec",
    "borrow_mut",
    "by_ref",
    "entry",
    "get_or_insert_with",
    "lock",
    "write",
];

/// How the place that an expression names is changed there, and what is put in.
pub(super) fn changed(body: &Typed, id: ExprId) -> Option<(How, Option<ExprId>)> {
    let (outer, node) = body.around(id)?;
    match &node.kind {
        ExprKind::Assign(place, None, value) if *place == id => Some((How::Set, Some(*value))),
        ExprKind::Assign(place, Some(op), value) if *place == id => {
            Some((How::Added(Name::new(op)), Some(*value)))
        }
        ExprKind::Ref(true, _) => Some(lent(body, outer)),
        ExprKind::Method(receiver, name, _, args) if *receiver == id => method(name.name, args),
        ExprKind::Macro(path, MacroArgs::Exprs(args)) if args.first() == Some(&id) => {
            let name = path.segments.last()?.name;
            let writes = name == "write" || name == "writeln";
            writes.then_some((How::Added(name), Some(outer)))
        }
        _ => None,
    }
}

/// The same for a variable that is a reference to the place.
pub(super) fn changed_through(body: &Typed, id: ExprId) -> Option<(How, Option<ExprId>)> {
    let (outer, node) = body.around(id)?;
    match &node.kind {
        ExprKind::Deref(_) => changed(body, outer),
        // Whoever gets the reference may change what it leads to.
        ExprKind::Call(_, args) if args.contains(&id) => Some((How::Lent, None)),
        ExprKind::Method(receiver, _, _, args) if *receiver != id && args.contains(&id) => {
            Some((How::Lent, None))
        }
        ExprKind::Struct(..) | ExprKind::Return(_) | ExprKind::Tuple(_) | ExprKind::Closure(..) => {
            Some((How::Lent, None))
        }
        _ => changed(body, id),
    }
}

fn method(name: Name, args: &[ExprId]) -> Option<(How, Option<ExprId>)> {
    let text = name.as_str();
    let last = args.last().copied();
    match () {
        () if text == "insert" && args.len() == 1 => Some((How::Set, last)),
        () if ADDERS.contains(&text) => Some((How::Added(name), last)),
        () if SETTERS.contains(&text) && args.len() == 1 => Some((How::Set, last)),
        () if CUTTERS.contains(&text) => Some((How::Cut, None)),
        () if LENDERS.contains(&text) => Some((How::Lent, None)),
        () => None,
    }
}

/// What is done with `&mut place`.
fn lent(body: &Typed, reference: ExprId) -> (How, Option<ExprId>) {
    let Some((_, node)) = body.around(reference) else {
        return (How::Lent, None);
    };
    let ExprKind::Call(callee, args) = &node.kind else {
        return (How::Lent, None);
    };
    let name = match &body.node(*callee).kind {
        ExprKind::Path(path) => path.segments.last().map_or("", |s| s.name.as_str()),
        _ => "",
    };
    match (name, &args[..]) {
        ("take", [_]) => (How::Cut, None),
        ("replace", [place, value]) if *place == reference => (How::Set, Some(*value)),
        _ => (How::Lent, None),
    }
}
