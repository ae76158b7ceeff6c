//! What happens to a value where an expression names or creates it: read, grown or moved.

use super::Usage;
use crate::infer::body::{Target, Typed};
use crate::infer::effects::Effect;
use crate::infer::types::{field_types, inner, is_own, std_parts};
use crate::ir::Type;
use crate::ir::body::{ExprId, ExprKind, MacroArgs};
use crate::resolve::Db;
use crate::resolve::ty::{Ty, TyKind};

/// Macros that only look at their arguments.
pub const LOOKING: &[&str] = &[
    "assert",
    "assert_eq",
    "assert_ne",
    "debug_assert",
    "debug_assert_eq",
    "debug_assert_ne",
    "eprint",
    "eprintln",
    "format",
    "format_args",
    "print",
    "println",
    "write",
    "writeln",
];

/// What happens to a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// Read, or changed in its place.
    Looked,
    /// Grown, or lent to what may grow it.
    Grown,
    /// Moved, stored, or not understood.
    Moved,
}

/// What happens to the value of an expression where it stands.
pub fn fate(db: &Db<'static>, usage: &Usage, body: &Typed, id: ExprId) -> Fate {
    let Some(parent) = body.fact(id).parent else {
        return Fate::Moved;
    };
    match &body.node(parent).kind {
        ExprKind::Ref(true, _) => Fate::Grown,
        ExprKind::Binary("+", left, _) if *left == id => Fate::Moved,
        ExprKind::Ref(false, _)
        | ExprKind::Field(..)
        | ExprKind::Unary(_)
        | ExprKind::Deref(_)
        | ExprKind::Index(..)
        | ExprKind::Binary(..) => Fate::Looked,
        ExprKind::Assign(place, Some(_), _) if *place == id => Fate::Grown,
        ExprKind::Method(on, ..) if *on == id => {
            if let Some(Target::Item(item)) = body.fact(parent).target {
                let signature = usage.body(item).map(|b| &b.function.body.signature);
                return match signature.and_then(|s| s.inputs.first()) {
                    Some(Type::Ref(_, true)) => Fate::Grown,
                    Some(Type::Ref(_, false)) => Fate::Looked,
                    _ => Fate::Moved,
                };
            }
            match body.fact(parent).effect {
                Effect::Grows => Fate::Grown,
                Effect::Unknown | Effect::Consumes | Effect::Takes | Effect::Lends => Fate::Moved,
                _ => Fate::Looked,
            }
        }
        ExprKind::Macro(path, args) => {
            let name = path.last_name();
            let to = matches!(args, MacroArgs::Exprs(args) if args.first() == Some(&id));
            match name {
                "write" | "writeln" if to => Fate::Grown,
                _ if LOOKING.contains(&name) => Fate::Looked,
                _ => Fate::Moved,
            }
        }
        // A reference is handed on, not what it points to.
        _ => match db.types.kind(body.fact(id).ty) {
            TyKind::Ref(..) => Fate::Looked,
            _ => Fate::Moved,
        },
    }
}

/// What happens to a variable: the worst of all its uses; `None` if it has no use.
pub fn of_local(db: &Db<'static>, usage: &Usage, body: &Typed, local: u32) -> Option<Fate> {
    let name = body.locals[local as usize].name;
    if body.is_opaque(name) {
        return Some(Fate::Moved);
    }
    let mut worst = None;
    for &id in body.uses(local) {
        let fate = match captured(body, id) {
            true => Fate::Moved,
            false => fate(db, usage, body, id),
        };
        worst = match (worst, fate) {
            (_, Fate::Moved) => return Some(Fate::Moved),
            (Some(Fate::Grown), _) | (_, Fate::Grown) => Some(Fate::Grown),
            _ => Some(Fate::Looked),
        };
    }
    worst
}

/// True if an expression stands in a `move` closure or in an `async` block.
fn captured(body: &Typed, id: ExprId) -> bool {
    let mut outers = body.outers(id).map(|outer| &body.node(outer).kind);
    outers.any(|kind| matches!(kind, ExprKind::Closure(_, _, _, true) | ExprKind::Async(_)))
}

/// True if nothing in a value of a type is borrowed, so that it can outlive an iteration.
pub fn owns_all(db: &Db<'static>, ty: Ty) -> bool {
    owns(db, ty, 0)
}

fn owns(db: &Db<'static>, ty: Ty, depth: u32) -> bool {
    if depth > 6 {
        return false;
    }
    let all = |list: &[Ty]| list.iter().all(|ty| owns(db, *ty, depth + 1));
    match db.types.kind(ty) {
        TyKind::Prim(_) => true,
        TyKind::Tuple(list) => all(list),
        TyKind::Array(element, _) => all(&[*element]),
        TyKind::Adt(id, _) => match std_parts(db, ty) {
            Some((
                "Vec" | "String" | "Option" | "Box" | "VecDeque" | "HashMap" | "HashSet"
                | "BTreeMap" | "BTreeSet" | "PathBuf" | "OsString" | "Global" | "RandomState"
                | "Rc" | "Arc" | "Range",
                _,
            )) => all(&inner(db, ty)),
            Some(_) => false,
            None => {
                let fields = field_types(db, ty);
                is_own(db, *id) && !fields.is_empty() && fields.iter().all(|f| all(f))
            }
        },
        _ => false,
    }
}
