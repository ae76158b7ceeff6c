//! What is put into fields, where, and who calls whom: the ways that a value can have come.

mod place;

use super::Usage;
use super::fields::may_name;
use crate::infer::body::{FieldId, Target, Typed};
use crate::ir::body::{ExprId, ExprKind, PatKind};
use crate::ir::{self, ItemKind, Style};
use crate::name::Name;
use crate::resolve::ty::TyKind;
use crate::resolve::{Db, ItemId, ModId};
use rustc_hash::{FxHashMap, FxHashSet};

/// An expression of one of [`Usage::bodies`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct At {
    /// Place of the body.
    pub body: usize,
    /// The expression.
    pub expr: ExprId,
}

/// What happens to a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// It is set to a value.
    Set,
    /// Something is added to what it holds, by the method, operator or macro of this name.
    Added(Name),
    /// It is made shorter or empty.
    Cut,
    /// It is lent to something that may change it as it likes.
    Lent,
}

/// One change of a field.
#[derive(Clone, Copy, Debug)]
pub struct Put {
    /// What happens.
    pub how: How,
    /// The field as it is named there; the whole literal or call where the value is made.
    pub place: At,
    /// What is put in, or added.
    pub value: Option<ExprId>,
}

/// The changes of all fields of the workspace's types, and the calls of its functions.
#[derive(Debug, Default)]
pub struct Stores {
    puts: FxHashMap<FieldId, Vec<Put>>,
    callers: FxHashMap<ItemId, Vec<At>>,
    /// Functions that are passed around: their callers are not known.
    loose: FxHashSet<ItemId>,
    /// Names of fields that something may change of a type that is not known, and where.
    open: FxHashMap<Name, FxHashSet<ModId>>,
    /// By type: the body that writes it out.
    displays: FxHashMap<ItemId, usize>,
}

impl Stores {
    /// Looks through every body.
    pub fn find(db: &Db<'static>, usage: &Usage) -> Stores {
        let mut stores = Stores::default();
        for (at, body) in usage.bodies.iter().enumerate() {
            stores.read(db, at, body);
            stores.bound(db, at, body);
            stores.display(db, at, body);
        }
        let own = |adt| db.krate(db.krate_of(db.item(adt).module)).own;
        stores.puts.retain(|field, _| own(field.adt));
        stores
    }

    /// What happens to a field, by file and place.
    pub fn of(&self, field: FieldId) -> &[Put] {
        self.puts.get(&field).map_or(&[], Vec::as_slice)
    }

    /// The calls of a function.
    pub fn callers(&self, function: ItemId) -> &[At] {
        self.callers.get(&function).map_or(&[], Vec::as_slice)
    }

    /// True if a function is used as a value: others may call it.
    pub fn is_loose(&self, function: ItemId) -> bool {
        self.loose.contains(&function)
    }

    /// True if something may change a field of this name without our seeing whose it is.
    pub fn is_open(&self, db: &Db<'static>, field: FieldId, name: Name) -> bool {
        let modules = self.open.get(&name);
        modules.is_some_and(|m| m.iter().any(|m| may_name(db, field, *m)))
    }

    /// The place of the body of `Display::fmt` for a type.
    pub fn display_of(&self, adt: ItemId) -> Option<usize> {
        self.displays.get(&adt).copied()
    }

    fn open(&mut self, name: Name, from: ModId) {
        self.open.entry(name).or_default().insert(from);
    }

    fn put(&mut self, field: FieldId, how: How, place: At, value: Option<ExprId>) {
        let put = Put { how, place, value };
        self.puts.entry(field).or_default().push(put);
    }

    fn read(&mut self, db: &Db<'static>, at: usize, body: &Typed) {
        let module = body.function.module;
        for (name, _) in &body.opaque {
            self.open(*name, module);
        }
        for (id, node, fact) in body.exprs() {
            let place = At { body: at, expr: id };
            match (&node.kind, fact.target) {
                (ExprKind::Struct(_, fields, _), Some(Target::Ctor(adt, variant))) => {
                    for (name, value) in fields {
                        if let Some(field) = field_at(db, adt, variant, *name) {
                            self.put(field, How::Set, place, Some(*value));
                        }
                    }
                }
                (ExprKind::Struct(_, fields, _), _) => {
                    fields.iter().for_each(|(name, _)| self.open(*name, module));
                }
                (ExprKind::Call(_, args), Some(Target::Ctor(adt, variant))) => {
                    for (i, value) in args.iter().enumerate() {
                        let field = FieldId {
                            adt,
                            variant,
                            field: i as u32,
                        };
                        self.put(field, How::Set, place, Some(*value));
                    }
                }
                (ExprKind::Call(..) | ExprKind::Method(..), Some(Target::Item(function))) => {
                    self.callers.entry(function).or_default().push(place);
                }
                (ExprKind::Path(_) | ExprKind::Qualified(..), Some(target))
                    if !is_callee(body, id) =>
                {
                    match target {
                        Target::Item(item) => {
                            self.loose.insert(item);
                        }
                        Target::Ctor(adt, variant) => self.constructor(db, place, adt, variant),
                        _ => {}
                    }
                }
                (ExprKind::Field(..), Some(Target::Field(field))) => {
                    if let Some((how, value)) = place::changed(body, id) {
                        self.put(field, how, place, value);
                    }
                }
                (ExprKind::Field(_, name), Some(Target::Open(_)))
                    if place::changed(body, id).is_some() =>
                {
                    self.open(*name, module);
                }
                _ => {}
            }
        }
    }

    /// A tuple's constructor used as a function: what it is given is not seen.
    fn constructor(&mut self, db: &Db<'static>, place: At, adt: ItemId, variant: u32) {
        let Some(variant_data) = variant_of(db, adt, variant) else {
            return;
        };
        if variant_data.style != Style::Tuple {
            return;
        }
        for field in 0..variant_data.fields.len() as u32 {
            let field = FieldId {
                adt,
                variant,
                field,
            };
            self.put(field, How::Set, place, None);
        }
    }

    /// Patterns that lend a field to be changed.
    fn bound(&mut self, db: &Db<'static>, at: usize, body: &Typed) {
        for (id, node) in body.function.body.pats() {
            let fact = body.pat(id);
            let (true, Some(field), Some(local)) = (fact.live, fact.field, fact.local) else {
                continue;
            };
            let by_ref = matches!(
                node.kind,
                PatKind::Bind {
                    by_ref: true,
                    mutable: true,
                    ..
                }
            );
            let ty = body.locals[local as usize].ty;
            if !by_ref && !matches!(db.types.kind(ty), TyKind::Ref(_, true)) {
                continue;
            }
            for (expr, node, fact) in body.exprs() {
                if !matches!(node.kind, ExprKind::Path(_))
                    || fact.target != Some(Target::Local(local))
                {
                    continue;
                }
                let place = At { body: at, expr };
                if let Some((how, value)) = place::changed_through(body, expr) {
                    self.put(field, how, place, value);
                }
            }
        }
    }

    fn display(&mut self, db: &Db<'static>, at: usize, body: &Typed) {
        let function = &body.function;
        let Some(owner) = function.owner else { return };
        if db.item(function.item).item.name != "fmt" {
            return;
        }
        if let ItemKind::Impl(imp) = &db.item(owner).item.kind
            && let Some(path) = &imp.trait_
            && path.segments.last().is_some_and(|s| s.name == "Display")
            && let Some(this) = body.locals.iter().find(|l| l.argument && l.name == "self")
            && let TyKind::Ref(ty, _) = db.types.kind(this.ty)
            && let TyKind::Adt(adt, _) = db.types.kind(*ty)
        {
            self.displays.insert(*adt, at);
        }
    }
}

/// True for the path of a call, which names what the call does.
fn is_callee(body: &Typed, id: ExprId) -> bool {
    match body.fact(id).parent.map(|p| &body.node(p).kind) {
        Some(ExprKind::Call(callee, _)) => *callee == id,
        _ => false,
    }
}

/// A variant's definition.
pub fn variant_of<'d>(db: &Db<'d>, adt: ItemId, variant: u32) -> Option<&'d ir::Variant> {
    match &db.item(adt).item.kind {
        ItemKind::Adt(data) => data.variants.get(variant as usize),
        _ => None,
    }
}

fn field_at(db: &Db<'static>, adt: ItemId, variant: u32, name: Name) -> Option<FieldId> {
    let fields = &variant_of(db, adt, variant)?.fields;
    let field = fields.iter().position(|f| f.name == name)? as u32;
    Some(FieldId {
        adt,
        variant,
        field,
    })
}
