//! What is written to fields, and where.

use super::Usage;
use super::events::{At, variant_of};
use super::fields::may_name;
use crate::flow::{Edge, How, edge};
use crate::infer::body::{FieldId, Typed};
use crate::infer::effects::Effect;
use crate::infer::types::{adt_of, is_own, referent};
use crate::ir::body::{ExprId, ExprKind, PatId, PatKind};
use crate::ir::{ItemKind, Style};
use crate::lists::Lists;
use crate::name::Name;
use crate::resolve::ty::TyKind;
use crate::resolve::{Db, ItemId, ModId};
use crate::span::Span;
use rustc_hash::{FxHashMap, FxHashSet};

/// What happens to a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreKind {
    /// It is assigned a value.
    Set,
    /// Something is appended or added.
    Added,
    /// It is shortened.
    Cut,
    /// Its whole content is taken out.
    Emptied,
    /// It is borrowed mutably by code that may change it in any way.
    Lent,
}

/// One change of a field.
#[derive(Clone, Copy, Debug)]
pub struct Put {
    /// What happens.
    pub how: StoreKind,
    /// The expression that names the field; the whole literal or call if it constructs the value.
    pub place: At,
    /// The value that is assigned or added.
    pub value: Option<ExprId>,
}

/// A place that sets a field.
#[derive(Clone, Copy, Debug)]
pub struct Set {
    /// Whether the whole struct or variant is constructed; otherwise an existing one is assigned
    /// to.
    pub made: bool,
    /// The value.
    pub span: Span,
    /// Whether the value is `None`.
    pub is_none: bool,
    /// Whether the value is `Some`.
    pub is_some: bool,
    /// Whether it is in a loop.
    pub in_loop: bool,
}

/// The changes of all fields of the workspace's types.
#[derive(Debug, Default)]
pub struct Stores {
    puts: Lists<FieldId, Put>,
    /// Names of fields that may be changed on an unknown type, and where.
    open: FxHashMap<Name, FxHashSet<ModId>>,
    /// The body of each type's `Display::fmt`.
    displays: FxHashMap<ItemId, usize>,
}

impl Stores {
    /// Examines every place that names a field.
    pub fn find(db: &Db<'static>, usage: &Usage) -> Stores {
        let mut stores = Stores::default();
        let events = &usage.events;
        for (field, values) in events.set.iter() {
            for (place, value) in values {
                stores.put(*field, StoreKind::Set, *place, Some(*value));
            }
        }
        for ((adt, variant), places) in events.uncalled.iter() {
            stores.constructor(db, *adt, *variant, places);
        }
        for (field, places) in events.named.iter() {
            for place in places {
                let body = &usage.bodies[place.body];
                if let Some((how, value)) = changed(&edge(body, place.expr)) {
                    stores.put(*field, how, *place, value);
                }
            }
        }
        // Changes through a pattern's variable are sorted after the others of the same body.
        stores.puts.sort_by_key(|put| put.place);
        for (field, pats) in events.bound.iter() {
            for &(at, pat) in pats {
                stores.bound(db, usage, *field, at, pat);
            }
        }
        stores.puts.sort_by_key(|put| put.place.body);
        for (name, places) in events.open.iter() {
            for place in places {
                let body = &usage.bodies[place.body];
                if changed(&edge(body, place.expr)).is_some() {
                    stores.open(*name, body.function.module);
                }
            }
        }
        for (at, body) in usage.bodies.iter().enumerate() {
            stores.read(body);
            stores.display(db, at, body);
        }
        stores.puts.retain(|field| is_own(db, field.adt));
        stores
    }

    /// Returns the changes of a field, by file and position.
    pub fn of(&self, field: FieldId) -> &[Put] {
        self.puts.of(&field)
    }

    /// Returns the places outside of tests that set a field, with what is known of the value.
    pub fn sets(&self, db: &Db<'static>, usage: &Usage, field: FieldId) -> Vec<Set> {
        let puts = self.of(field).iter().filter(|p| p.how == StoreKind::Set);
        let puts = puts.filter(|p| !usage.bodies[p.place.body].function.aside);
        let sets = puts.filter_map(|p| {
            let body = &usage.bodies[p.place.body];
            let value = p.value?;
            Some(Set {
                made: !matches!(body.node(p.place.expr).kind, ExprKind::Field(..)),
                span: body.node(value).span,
                is_none: is_none(db, body, value),
                is_some: body.std_variant(db, value) == Some("Some"),
                in_loop: body.fact(value).loops > 0,
            })
        });
        sets.collect()
    }

    /// Returns true if a field is filled and emptied again in the same value, as the state of an
    /// iterator is: what it holds on the heap would be allocated each time.
    pub fn is_refilled(&self, db: &Db<'static>, usage: &Usage, field: FieldId) -> bool {
        let mut puts = self.of(field).iter();
        let taken = puts.any(|p| {
            matches!(p.how, StoreKind::Emptied | StoreKind::Cut)
                && !usage.bodies[p.place.body].function.aside
        });
        taken
            && self
                .sets(db, usage, field)
                .iter()
                .any(|s| !s.made && !s.is_none)
    }

    /// Returns true if a field of this name may be changed on an unknown type.
    pub fn is_open(&self, db: &Db<'static>, field: FieldId, name: Name) -> bool {
        let modules = self.open.get(&name);
        modules.is_some_and(|m| m.iter().any(|m| may_name(db, field, *m)))
    }

    /// Returns the index of the body of `Display::fmt` for a type.
    pub fn display_of(&self, adt: ItemId) -> Option<usize> {
        self.displays.get(&adt).copied()
    }

    fn open(&mut self, name: Name, from: ModId) {
        self.open.entry(name).or_default().insert(from);
    }

    fn put(&mut self, field: FieldId, how: StoreKind, place: At, value: Option<ExprId>) {
        self.puts.add(field, Put { how, place, value });
    }

    /// Records the fields that may be changed on an unknown type.
    fn read(&mut self, body: &Typed) {
        let module = body.function.module;
        for (name, _) in &body.opaque {
            self.open(*name, module);
        }
        for (_, node, fact) in body.exprs() {
            if let (ExprKind::Struct(_, fields, _), None) = (&node.kind, fact.target) {
                fields.iter().for_each(|(name, _)| self.open(*name, module));
            }
        }
    }

    /// Records a tuple constructor used as a function, whose arguments are not seen.
    fn constructor(&mut self, db: &Db<'static>, adt: ItemId, variant: u32, places: &[At]) {
        let Some(of) = variant_of(db, adt, variant).filter(|v| v.style == Style::Tuple) else {
            return;
        };
        for field in 0..of.fields.len() as u32 {
            for place in places {
                let field = FieldId {
                    adt,
                    variant,
                    field,
                };
                self.put(field, StoreKind::Set, *place, None);
            }
        }
    }

    /// Records a pattern that borrows a field mutably.
    fn bound(&mut self, db: &Db<'static>, usage: &Usage, field: FieldId, at: usize, pat: PatId) {
        let body = &usage.bodies[at];
        let Some(local) = body.pat(pat).local else {
            return;
        };
        let bind = &body.function.body.pat(pat).kind;
        let by_ref = matches!(
            bind,
            PatKind::Bind {
                by_ref: true,
                mutable: true,
                ..
            }
        );
        let ty = db.types.kind(body.locals[local as usize].ty);
        if !by_ref && !matches!(ty, TyKind::Ref(_, true)) {
            return;
        }
        for &expr in body.uses(local) {
            let place = At { body: at, expr };
            if let ExprKind::Path(_) = body.node(expr).kind
                && let Some((how, value)) = changed_through(body, expr)
            {
                self.put(field, how, place, value);
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
            && path.last_name() == "Display"
            && let Some(this) = body.locals.iter().find(|l| l.argument && l.name == "self")
            && let Some(adt) = adt_of(db, referent(db, this.ty))
        {
            self.displays.insert(adt, at);
        }
    }
}

/// Returns true for `None`, and for `Option::default()` in any of its spellings.
fn is_none(db: &Db<'static>, body: &Typed, value: ExprId) -> bool {
    match &body.node(value).kind {
        ExprKind::Call(callee, args) => args.is_empty() && body.called(*callee) == "default",
        _ => body.std_variant(db, value) == Some("None"),
    }
}

/// Returns how a place is changed, and the value written.
fn changed(edge: &Edge) -> Option<(StoreKind, Option<ExprId>)> {
    let how = match edge.how {
        How::Does(effect) => match effect {
            Effect::Grows => StoreKind::Added,
            Effect::Sets => StoreKind::Set,
            Effect::Empties => StoreKind::Emptied,
            Effect::Shrinks => StoreKind::Cut,
            Effect::Lends => StoreKind::Lent,
            _ => return None,
        },
        How::Taken if edge.value.is_some() => StoreKind::Set,
        How::Taken => StoreKind::Emptied,
        How::Lent | How::Swapped => StoreKind::Lent,
        _ => return None,
    };
    Some((how, edge.value))
}

/// Returns the same for a variable that is a reference to the place.
fn changed_through(body: &Typed, id: ExprId) -> Option<(StoreKind, Option<ExprId>)> {
    let through = edge(body, id);
    match through.how {
        How::Deref => changed(&edge(body, through.by)),
        // A callee may change the place behind a reference.
        How::Argument(_) | How::Stored | How::Returned | How::Element => {
            Some((StoreKind::Lent, None))
        }
        _ => changed(&through),
    }
}
