//! Which fields never hold zero, as far as what is written to them shows: ids counted from one.

use super::Usage;
use crate::infer::body::{FieldId, Target, Typed};
use crate::ir::Lit;
use crate::ir::body::{ExprId, ExprKind};
use crate::resolve::ty::{Ty, TyKind};
use crate::resolve::{Db, ItemId};
use crate::span::Span;
use rustc_hash::{FxHashMap, FxHashSet};

/// Steps from one value to what it is made of.
const DEEPEST: u32 = 6;

/// One thing that is written to a field.
#[derive(Clone, Copy, Debug)]
struct Write {
    /// Place in [`Usage::bodies`].
    body: usize,
    /// The value.
    value: ExprId,
    /// Added to what was there.
    added: bool,
}

/// What is written to every field.
#[derive(Debug, Default)]
pub struct Numbers {
    writes: FxHashMap<FieldId, Vec<Write>>,
    /// Fields that are lent mutably or changed in a way that is not followed.
    open: FxHashSet<FieldId>,
    /// Types that are built in a way that is not followed.
    unseen: FxHashSet<ItemId>,
}

impl Numbers {
    /// Looks through every body.
    pub fn find(db: &Db<'static>, usage: &Usage) -> Numbers {
        let mut numbers = Numbers::default();
        for (i, body) in usage.bodies.iter().enumerate() {
            numbers.read(db, i, body);
        }
        numbers
    }

    /// A place that shows it, if every value that is written to a field is known not to be zero;
    /// of an `Option` its `Some`s count.
    pub fn never_zero(&self, db: &Db<'static>, usage: &Usage, field: FieldId) -> Option<Span> {
        if self.open.contains(&field) || self.unseen.contains(&field.adt) {
            return None;
        }
        let writes = self.writes.get(&field)?;
        let mut shown = None;
        for write in writes {
            let body = &usage.bodies[write.body];
            match self.value(db, usage, body, write.value, 0) {
                Some(true) => {
                    shown.get_or_insert(body.node(write.value).span);
                }
                // `None`, or an addition to what is not zero.
                None => {}
                Some(false) if write.added => {}
                Some(false) => return None,
            }
        }
        shown
    }

    /// True if a value is not zero, `None` if it is no value at all.
    fn value(
        &self,
        db: &Db<'static>,
        usage: &Usage,
        body: &Typed,
        id: ExprId,
        depth: u32,
    ) -> Option<bool> {
        if depth > DEEPEST {
            return Some(false);
        }
        let next = |id| self.value(db, usage, body, id, depth + 1);
        let fact = body.fact(id);
        match &body.node(id).kind {
            ExprKind::Lit(Lit::Int(n, _)) => Some(*n != 0),
            ExprKind::Path(path) => match fact.target {
                Some(Target::Local(local)) => {
                    let local = &body.locals[local as usize];
                    match (local.init, local.mutable || local.argument) {
                        (Some(init), false) => next(init),
                        _ => Some(false),
                    }
                }
                _ if path.segments.last().is_some_and(|s| s.name == "None") => None,
                _ => Some(false),
            },
            ExprKind::Call(_, args) => match (fact.target, &args[..]) {
                (Some(Target::Ctor(_, _)), [inner]) => next(*inner),
                _ => Some(false),
            },
            ExprKind::Binary("+", a, b) => Some(next(*a) == Some(true) || next(*b) == Some(true)),
            ExprKind::Binary("|", a, b) => Some(next(*a) == Some(true) || next(*b) == Some(true)),
            ExprKind::Cast(inner, _) => next(*inner),
            ExprKind::Field(..) => match fact.target {
                Some(Target::Field(field)) => {
                    Some(self.never_zero_within(db, usage, field, depth + 1))
                }
                _ => Some(false),
            },
            ExprKind::Method(receiver, name, _, args) => match (name.name.as_str(), &args[..]) {
                ("get", []) => Some(is_nonzero(db, body.fact(*receiver).ty)),
                ("clone" | "copied", []) => next(*receiver),
                ("saturating_add", [by]) => {
                    Some(next(*receiver) == Some(true) || next(*by) == Some(true))
                }
                ("max", [least]) => Some(next(*least) == Some(true)),
                _ => Some(false),
            },
            _ => Some(false),
        }
    }

    fn never_zero_within(
        &self,
        db: &Db<'static>,
        usage: &Usage,
        field: FieldId,
        depth: u32,
    ) -> bool {
        if depth > DEEPEST || self.open.contains(&field) || self.unseen.contains(&field.adt) {
            return false;
        }
        let Some(writes) = self.writes.get(&field) else {
            return false;
        };
        writes.iter().all(|w| {
            let body = &usage.bodies[w.body];
            w.added || self.value(db, usage, body, w.value, depth + 1) == Some(true)
        })
    }

    fn read(&mut self, db: &Db<'static>, i: usize, body: &Typed) {
        for (id, node, fact) in body.exprs() {
            match &node.kind {
                ExprKind::Struct(_, fields, base) => {
                    let Some(Target::Ctor(adt, variant)) = fact.target else {
                        continue;
                    };
                    if base.is_some() {
                        self.unseen.insert(adt);
                    }
                    for (name, value) in fields {
                        if let Some(field) = field_named(db, adt, variant, name.as_str()) {
                            self.write(field, i, *value, false);
                        }
                    }
                }
                ExprKind::Call(callee, args) => {
                    if let Some(Target::Ctor(adt, variant)) = fact.target
                        && *callee != id
                    {
                        for (n, value) in args.iter().enumerate() {
                            let field = FieldId {
                                adt,
                                variant,
                                field: n as u32,
                            };
                            self.write(field, i, *value, false);
                        }
                    }
                }
                ExprKind::Path(_) => {
                    // A constructor as a function: nobody sees what it is called with.
                    let called = match fact.parent.map(|p| &body.node(p).kind) {
                        Some(ExprKind::Call(callee, _)) => *callee == id,
                        _ => false,
                    };
                    if let (Some(Target::Ctor(adt, _)), false) = (fact.target, called) {
                        self.unseen.insert(adt);
                    }
                }
                ExprKind::Assign(place, op, value) => {
                    if let Some(Target::Field(field)) = body.fact(*place).target {
                        match op {
                            None => self.write(field, i, *value, false),
                            Some("+") => self.write(field, i, *value, true),
                            Some(_) => {
                                self.open.insert(field);
                            }
                        }
                    }
                }
                ExprKind::Ref(true, inner) => {
                    if let Some(Target::Field(field)) = body.fact(*inner).target {
                        self.open.insert(field);
                    }
                }
                ExprKind::Method(receiver, name, ..) => {
                    let takes = ["insert", "replace", "get_or_insert", "get_or_insert_with"];
                    if let Some(Target::Field(field)) = body.fact(*receiver).target
                        && takes.contains(&name.name.as_str())
                    {
                        self.open.insert(field);
                    }
                }
                _ => {}
            }
        }
    }

    fn write(&mut self, field: FieldId, body: usize, value: ExprId, added: bool) {
        let write = Write { body, value, added };
        self.writes.entry(field).or_default().push(write);
    }
}

/// True for `NonZero` of std.
fn is_nonzero(db: &Db<'static>, ty: Ty) -> bool {
    match db.types.kind(ty) {
        TyKind::Adt(id, _) => db.item(*id).item.name == "NonZero",
        _ => false,
    }
}

fn field_named(db: &Db<'static>, adt: ItemId, variant: u32, name: &str) -> Option<FieldId> {
    let crate::ir::ItemKind::Adt(a) = &db.item(adt).item.kind else {
        return None;
    };
    let fields = &a.variants.get(variant as usize)?.fields;
    let field = fields.iter().position(|f| f.name == name)? as u32;
    Some(FieldId {
        adt,
        variant,
        field,
    })
}
