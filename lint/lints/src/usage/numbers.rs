//! Which fields never hold zero, or never their type's maximum, by the values assigned to them: ids
//! that count from one, and indices.

use super::Usage;
use super::stores::{Put, StoreKind, Stores};
use crate::flow::{Origin, Step, bound, edge, named, origins, returned};
use crate::infer::body::{FieldId, Target, Typed};
use crate::infer::types::{field_types, is_std};
use crate::ir::Lit;
use crate::ir::body::{ExprId, ExprKind, Stmt};
use crate::name::Name;
use crate::resolve::Db;
use crate::span::Span;

/// Maximum number of steps from a value to its origin.
const DEEPEST: u32 = 6;

/// Follows the numbers that fields are set to.
#[derive(Clone, Copy)]
pub struct Numbers<'u> {
    /// The database.
    pub db: &'u Db<'static>,
    /// The bodies.
    pub usage: &'u Usage,
    /// What is written to fields.
    pub stores: &'u Stores,
}

/// A value that a field never holds.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Never {
    /// Zero.
    Zero,
    /// The type's maximum, as no collection has so many items: all values are indices or lengths.
    Max,
}

/// Returns true for a write that adds to the old value.
fn adds(body: &Typed, put: &Put) -> bool {
    let outer = put.value.and_then(|value| body.outer(value));
    put.how == StoreKind::Added && matches!(outer, Some(ExprKind::Assign(_, Some("+"), _)))
}

impl<'u> Numbers<'u> {
    /// Returns all writes to a field, each with the value and whether it is added to the old one;
    /// `None` if the field is constructed, borrowed or modified in a way that is not followed.
    fn writes(self, field: FieldId) -> Option<Vec<(&'u Typed, ExprId, bool)>> {
        if !(self.usage.events.based.of(&(field.adt, field.variant))).is_empty() {
            return None;
        }
        // What is taken out of an `Option` leaves no number.
        let puts = self
            .stores
            .of(field)
            .iter()
            .filter(|p| p.how != StoreKind::Cut);
        let writes = puts.map(|put| {
            let body = &self.usage.bodies[put.place.body];
            let added = adds(body, put);
            let known = added || put.how == StoreKind::Set;
            Some((body, put.value.filter(|_| known)?, added))
        });
        writes.collect()
    }

    /// Returns a place as evidence if no value written to a field is that one; of an `Option` only
    /// `Some`s count.
    pub fn never(self, field: FieldId, what: Never) -> Option<Span> {
        let mut shown = None;
        if what == Never::Zero && is_zero_by_default(self.db, field) {
            return None;
        }
        for (body, value, added) in self.writes(field)? {
            let known = match what {
                Never::Max if added => Some(false),
                _ => self.known(body, value, &[], what, 0),
            };
            match known {
                Some(true) => {
                    shown.get_or_insert(body.node(value).span);
                }
                // `None`, or an addition to a nonzero value.
                None => {}
                Some(false) if added => {}
                Some(false) => return None,
            }
        }
        shown
    }

    /// Returns whether a value, or the part of it on this way, is certainly another one; `None` if
    /// there is no value.
    fn known(
        self,
        body: &Typed,
        id: ExprId,
        way: &[Step],
        what: Never,
        depth: u32,
    ) -> Option<bool> {
        if depth > DEEPEST {
            return Some(false);
        }
        let next = |id: ExprId, way: &[Step]| self.known(body, id, way, what, depth + 1);
        if let Some((_, local)) = named(body, id) {
            return match local.init {
                _ if local.mutable || local.argument => Some(false),
                Some(value) => next(value, way),
                None => match bound(self.db, body, local.pat) {
                    Some((on, to)) => next(on, &[&to[..], way].concat()),
                    None => Some(false),
                },
            };
        }
        match (body.name_of(id).map_or("", Name::as_str), way) {
            // A method of this name gives a length, whoever declares it.
            ("len", []) | ("enumerate", [Step::Item, Step::Part(0)]) if what == Never::Max => {
                return Some(true);
            }
            // The default is zero.
            ("unwrap_or_default", _) if what == Never::Zero => return Some(false),
            _ => {}
        }
        if let Some(origins) = origins(self.db, body, id, way) {
            let known = origins.into_iter().map(|origin| match origin {
                Origin::Value(id, way) => next(id, &way),
                Origin::Constant(item, way) => match self.usage.value_of(item) {
                    Some(at) => {
                        let body = &self.usage.bodies[at.body];
                        self.known(body, at.expr, &way, what, depth + 1)
                    }
                    None => Some(false),
                },
                Origin::Returned(item, way) => match self.usage.body(item) {
                    Some(body) => {
                        let values = returned(body);
                        let known = values.map(|id| self.known(body, id, &way, what, depth + 1));
                        known.reduce(both).unwrap_or(Some(false))
                    }
                    None => Some(false),
                },
            });
            return known.reduce(both).flatten();
        }
        match &body.node(id).kind {
            ExprKind::Call(callee, args)
                if args.len() == 1 && matches!(body.called(*callee), "from" | "try_from") =>
            {
                next(args[0], way)
            }
            ExprKind::Method(on, name, ..)
                if matches!(name.name.as_str(), "clone" | "copied" | "into" | "try_into") =>
            {
                next(*on, way)
            }
            _ => Some(what == Never::Zero && way.is_empty() && self.is_nonzero(body, id, depth)),
        }
    }

    /// Returns true for a value that is made nonzero.
    fn is_nonzero(self, body: &Typed, id: ExprId, depth: u32) -> bool {
        let next = |id| self.known(body, id, &[], Never::Zero, depth + 1) == Some(true);
        match (&body.node(id).kind, body.fact(id).target) {
            (ExprKind::Lit(Lit::Int(n, _)), _) => n.get() != 0,
            (ExprKind::Binary("+" | "|", a, b), _) => next(*a) || next(*b),
            (ExprKind::Field(..), _) if is_counted(self.db, body, id) => true,
            (ExprKind::Field(..), Some(Target::Field(field))) => {
                let writes = self.writes(field).unwrap_or_default();
                let nonzero = |(body, value, added): &(&Typed, ExprId, bool)| {
                    *added || self.known(body, *value, &[], Never::Zero, depth + 2) == Some(true)
                };
                let known = depth < DEEPEST && !is_zero_by_default(self.db, field);
                known && writes.iter().any(|(.., added)| !added) && writes.iter().all(nonzero)
            }
            (ExprKind::Method(on, name, _, args), _) => match (name.name.as_str(), &args[..]) {
                ("get", []) => is_std(self.db, body.fact(*on).ty, "NonZero"),
                ("saturating_add", [by]) => next(*on) || next(*by),
                ("max", [least]) => next(*least),
                _ => false,
            },
            _ => false,
        }
    }
}

/// Returns true for a number that a derive sets to zero.
fn is_zero_by_default(db: &Db<'static>, field: FieldId) -> bool {
    let types = field_types(db, db.identity_ty(field.adt));
    let ty = types
        .get(field.variant as usize)
        .and_then(|f| f.get(field.field as usize));
    let optional = ty.is_some_and(|ty| is_std(db, *ty, "Option"));
    !optional && db.item(field.adt).item.attrs.derives_any(&["Default"])
}

/// Combines two alternatives.
fn both(one: Option<bool>, other: Option<bool>) -> Option<bool> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one && other),
        _ => one.or(other),
    }
}

/// Returns true for a field that an earlier statement incremented: an id that counts from one.
fn is_counted(db: &Db<'static>, body: &Typed, id: ExprId) -> bool {
    let text = |id: ExprId| db.sources.text(body.node(id).span);
    let counts = |stmt: &Stmt| match stmt {
        Stmt::Expr(e) => match &body.node(*e).kind {
            ExprKind::Assign(place, Some("+"), by) => {
                let by = &body.node(*by).kind;
                let adds = matches!(by, ExprKind::Lit(Lit::Int(n, _)) if n.get() > 0);
                adds && text(*place) == text(id)
            }
            _ => false,
        },
        Stmt::Let { .. } => false,
    };
    let put = |other: ExprId| edge(body, other).assigns(body) && text(other) == text(id);
    let before = body.node(id).span.start;
    let earlier = |s: &&Stmt| match s {
        Stmt::Expr(e) => body.node(*e).span.end <= before,
        Stmt::Let { .. } => false,
    };
    let mut outers = body.outers(id).map(|outer| &body.node(outer).kind);
    let counted = outers.any(|kind| match kind {
        ExprKind::Block(stmts, _) => stmts.iter().filter(earlier).any(counts),
        _ => false,
    });
    counted && !body.exprs().any(|(other, ..)| put(other))
}
