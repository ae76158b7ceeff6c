//! Types whose values grow only during construction: which fields store them then, and whether
//! anything grows one there.

mod builder_fields;
mod lent;
mod owners;

use super::Usage;
use super::buffers::{BufferUse, Buffers};
use super::events::At;
use crate::flow::{Origin, named, origins, values};
use crate::infer::body::{FieldId, Function, Target, Typed};
use crate::infer::types::{adt_of, std_name, types_of, without_refs};
use crate::ir::Vis;
use crate::ir::body::{ExprId, ExprKind};
use crate::lists::Lists;
use crate::resolve::ty::{Ty, TyKind};
use crate::resolve::{Db, ItemId};
use crate::span::Span;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;

/// A field that stores a type.
#[derive(Clone, Copy, Debug)]
pub struct Owner {
    /// The field.
    pub field: FieldId,
    /// Its type.
    pub ty: Ty,
    /// The pointer that shares it: `Rc`, `Arc` or one of another crate with shared access only.
    pub shared: Option<&'static str>,
}

/// A field of a builder that holds the value until it is finished.
#[derive(Clone, Copy, Debug)]
pub struct BuilderField {
    /// The field.
    pub field: FieldId,
    /// Where its value is returned.
    pub given: Span,
    /// Whether some code of the workspace calls the function that returns it.
    pub asked: bool,
}

/// How a type grows and where it is stored.
#[derive(Clone, Debug, Default)]
pub struct Lifecycle {
    /// Where its buffers grow.
    pub grown: Vec<Span>,
    /// Where one of its buffers is lent by `&mut` to code that is not followed.
    pub lent: Vec<Span>,
    /// Fields that store it, those with shared ownership first.
    pub owners: Vec<Owner>,
    /// Fields of builders that hold it until it is finished.
    pub builder_fields: Vec<BuilderField>,
    /// Whether it grows only while a local variable or a builder owns it.
    pub only_by_maker: bool,
    /// Whether it grows in local variables too, not only in builders.
    pub in_variables: bool,
    /// Whether a public function grows its argument.
    pub by_others: bool,
}

/// The lifecycles of all types with buffers that grow.
#[derive(Debug, Default)]
pub struct Lifecycles {
    of: FxHashMap<ItemId, Lifecycle>,
}

impl Lifecycles {
    /// Examines the types that grow.
    pub fn find(
        db: &'static Db<'static>,
        usage: &Usage,
        buffers: &Buffers,
        types: &[(ItemId, Ty)],
    ) -> Lifecycles {
        let owners = owners::find(db, types);
        let builder_fields = builder_fields::find(db, usage, &owners);
        let search = Search {
            db,
            usage,
            buffers,
            owners,
            builder_fields,
            lending: lent::Lent::find(db, usage),
        };
        let found = types
            .iter()
            .filter_map(|&(item, _)| Some((item, search.lifecycle(item)?)));
        Lifecycles {
            of: found.collect(),
        }
    }

    /// Returns the lifecycle of a type with buffers that grow, if something stores it.
    pub fn of(&self, item: ItemId) -> Option<&Lifecycle> {
        self.of.get(&item)
    }
}

/// What the lifecycle of each type is found from.
struct Search<'a> {
    db: &'static Db<'static>,
    usage: &'a Usage,
    buffers: &'a Buffers,
    owners: Lists<ItemId, Owner>,
    builder_fields: FxHashMap<FieldId, (Span, usize)>,
    lending: lent::Lent,
}

impl Search<'_> {
    /// Returns the lifecycle of a type; `None` if its buffers do not grow or nothing stores it.
    fn lifecycle(&self, item: ItemId) -> Option<Lifecycle> {
        let (db, usage, buffers) = (self.db, self.usage, self.buffers);
        let (builder_fields, lending) = (&self.builder_fields, &self.lending);
        let holders = self.owners.of(&item);
        // Other packages may store a public type that nothing here does.
        if holders.is_empty() && db.item(item).item.vis != Vis::Public {
            return None;
        }
        let made_in = |k: &Owner| builder_fields.get(&k.field).copied();
        let owners: Vec<Owner> = holders
            .iter()
            .filter(|k| made_in(k).is_none())
            .copied()
            .collect();
        let made_in = holders.iter().filter_map(|k| {
            let (given, body) = made_in(k)?;
            let giver = &usage.bodies[body].function;
            Some(BuilderField {
                field: k.field,
                given,
                asked: !usage.events.calls.of(&giver.item).is_empty()
                    || may_be_called(db, usage, giver),
            })
        });
        let uses = buffers.of(item).iter().flat_map(|f| buffers.uses(f.field));
        let growing: Vec<_> = uses.filter(|u| u.how.changes()).collect();
        let grows = |how| matches!(how, BufferUse::Grown | BufferUse::Lent);
        if !growing.iter().any(|u| u.grows()) {
            return None;
        }
        let plain = growing.iter().all(|u| grows(u.how) && u.origin.is_some());
        let tracker = Tracker {
            db,
            usage,
            lent: lending,
            builder_fields,
            used: RefCell::default(),
            item,
        };
        let origins = growing.iter().filter_map(|u| u.origin);
        let places = |how: BufferUse| {
            let uses = growing
                .iter()
                .filter(|u| !u.aside && !u.guessed && u.how == how);
            let mut places: Vec<Span> = uses.map(|u| u.span).collect();
            places.dedup();
            places
        };
        let (grown, lent) = (places(BufferUse::Grown), places(BufferUse::Lent));
        // A shared value changes only through the pointer's own methods.
        let all_shared = !owners.is_empty() && owners.iter().all(|k| k.shared.is_some());
        let followed = tracker.follow(origins.collect());
        let only_by_maker = match all_shared {
            true => plain && !lending.unshared().any(|ty| tracker.may_hold(ty)),
            false => plain && followed.only_by_maker,
        };
        let used = tracker.used.into_inner();
        Some(Lifecycle {
            grown,
            lent,
            owners,
            builder_fields: made_in.filter(|w| used.contains(&w.field)).collect(),
            only_by_maker,
            in_variables: followed.in_variables,
            by_others: followed.by_others,
        })
    }
}

/// The owner of a value that grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Root {
    /// A local variable.
    Made,
    /// A field of a builder, which returns it.
    BuilderField,
    /// An argument by `&mut`, or `self`: the callers own it.
    Argument,
    /// Where it is stored, or unknown.
    Elsewhere,
}

/// The result for the values of a type that grow.
#[derive(Default)]
struct Followed {
    only_by_maker: bool,
    in_variables: bool,
    by_others: bool,
}

struct Tracker<'t> {
    db: &'static Db<'static>,
    usage: &'t Usage,
    lent: &'t lent::Lent,
    builder_fields: &'t FxHashMap<FieldId, (Span, usize)>,
    /// Those in which one grows.
    used: RefCell<FxHashSet<FieldId>>,
    item: ItemId,
}

impl Tracker<'_> {
    /// Determines for each value that grows, starting at these field expressions, whether a local
    /// variable or a builder still owns it.
    fn follow(&self, fields: Vec<(usize, ExprId)>) -> Followed {
        let mut growers: FxHashSet<usize> = FxHashSet::default();
        // Some code must be seen to construct one.
        let (mut made, mut in_variables, mut elsewhere) = (false, false, false);
        let mut queue: Vec<usize> = Vec::new();
        let mut follow = |b: usize, id: ExprId, queue: &mut Vec<usize>| {
            let body = &self.usage.bodies[b];
            match self.root(body, id, 0) {
                Root::Made => in_variables |= !body.function.aside,
                Root::BuilderField => made |= !body.function.aside,
                Root::Argument if growers.insert(b) => queue.push(b),
                Root::Argument => {}
                Root::Elsewhere => elsewhere = true,
            }
        };
        for (b, id) in fields {
            match self.usage.bodies[b].node(id).kind {
                ExprKind::Field(base, _) => follow(b, base, &mut queue),
                _ => return Followed::default(),
            }
        }
        while let Some(grower) = queue.pop() {
            let function = &self.usage.bodies[grower].function;
            if may_be_called(self.db, self.usage, function) {
                return Followed::default();
            }
            for call in self.usage.events.calls.of(&function.item) {
                let body = &self.usage.bodies[call.body];
                for arg in values(body, call.expr) {
                    if self.is_it(body.fact(arg).ty) {
                        follow(call.body, arg, &mut queue);
                    }
                }
            }
        }
        let grows = (made || in_variables) && !elsewhere;
        let lent = || {
            let mut by_ref = self.lent.by_ref(self.item).iter();
            let found = |at: &At| {
                let body = &self.usage.bodies[at.body];
                self.root(body, at.expr, 0) == Root::Elsewhere
            };
            self.lent.by_others(self.item) || by_ref.any(found)
        };
        Followed {
            only_by_maker: grows && !lent(),
            in_variables,
            by_others: growers.iter().any(|b| self.is_open_to_others(*b)),
        }
    }

    /// Returns true for a function that others may call, or of a trait.
    fn is_open_to_others(&self, b: usize) -> bool {
        let function = &self.usage.bodies[b].function;
        function.is_of_trait(self.db) || self.db.item(function.item).item.vis == Vis::Public
    }

    /// Returns true if the type is this one, behind references at most.
    fn is_it(&self, ty: Ty) -> bool {
        adt_of(self.db, without_refs(self.db, ty)) == Some(self.item)
    }

    /// Returns true if a type contains this one, or is unknown.
    fn may_hold(&self, ty: Ty) -> bool {
        match self.db.types.kind(ty) {
            TyKind::Unknown(_) | TyKind::Infer(_) => true,
            TyKind::Ref(inner, _) => self.may_hold(*inner),
            TyKind::Adt(item, _) if *item == self.item => true,
            TyKind::Adt(item, args) if std_name(self.db, *item).is_some() => {
                types_of(args).any(|ty| self.may_hold(ty))
            }
            _ => false,
        }
    }

    /// Returns the owner of the value that an expression names.
    fn root(&self, body: &Typed, id: ExprId, depth: u32) -> Root {
        if depth > 16 {
            return Root::Elsewhere;
        }
        let fact = body.fact(id);
        let lent = matches!(self.db.types.kind(fact.ty), TyKind::Ref(_, true));
        if let Some((_, local)) = named(body, id) {
            return match (local.argument, local.init) {
                (true, _) => Root::Argument,
                (false, Some(init)) => self.root(body, init, depth + 1),
                (false, None) => Root::Elsewhere,
            };
        }
        match (&body.node(id).kind, fact.target) {
            // A field that only borrows it: the borrowed value is checked where it is owned.
            (ExprKind::Field(..), Some(Target::Field(_))) if lent => Root::Made,
            (ExprKind::Field(..), Some(Target::Field(field)))
                if self.builder_fields.contains_key(&field) && self.is_it(fact.ty) =>
            {
                self.used.borrow_mut().insert(field);
                Root::BuilderField
            }
            (ExprKind::Struct(..), Some(Target::Ctor(..))) => Root::Made,
            (ExprKind::Call(_, args), Some(Target::Ctor(..))) => match &args[..] {
                [one] if self.is_it(body.fact(*one).ty) => self.root(body, *one, depth + 1),
                _ => Root::Made,
            },
            // A workspace function returns a new value, or its argument.
            (ExprKind::Call(..) | ExprKind::Method(..), Some(Target::Item(_))) => {
                let mut values = values(body, id).into_iter();
                match values.find(|v| self.is_it(body.fact(*v).ty)) {
                    None if lent => Root::Elsewhere,
                    None => Root::Made,
                    Some(one) => self.root(body, one, depth + 1),
                }
            }
            (ExprKind::Call(callee, _), _)
                if matches!(body.called(*callee), "default" | "from") =>
            {
                Root::Made
            }
            (ExprKind::Method(_, name, ..), _)
                if name.name == "clone" || name.name == "to_owned" =>
            {
                Root::Made
            }
            _ => match origins(self.db, body, id, &[]).as_deref() {
                Some([Origin::Value(one, way)]) if way.is_empty() => {
                    self.root(body, *one, depth + 1)
                }
                _ => Root::Elsewhere,
            },
        }
    }
}

/// Returns true if a method call on an unknown type has the name and the number of arguments of a
/// function.
fn may_be_called(db: &Db<'static>, usage: &Usage, function: &Function) -> bool {
    let mut calls = usage.events.alike_calls(db, &usage.bodies, function);
    calls.next().is_some()
}
