//! Types whose values grow only while they are made: what grows them, and which fields store them
//! then.

use super::Usage;
use super::buffers::{BufferUse, Buffers};
use super::events::At;
use super::value_use::{ValueUse, value_use};
use crate::flow::{How, Owner, edge, named, owner, values};
use crate::infer::body::{FieldId, Function, Target, Typed};
use crate::infer::marks::Mark;
use crate::infer::types::{
    adt_of, any_part, fields_of, implements, is_marked, is_open, std_first, std_name, types_of,
    without_refs,
};
use crate::ir::Vis;
use crate::ir::body::{ExprId, ExprKind};
use crate::lists::Lists;
use crate::resolve::ty::{GArg, Ty, TyKind};
use crate::resolve::{Db, ItemId};
use crate::span::Span;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;

/// A field that stores a type.
#[derive(Clone, Copy, Debug)]
pub struct Keeper {
    /// The field.
    pub field: FieldId,
    /// Its type.
    pub ty: Ty,
    /// The pointer that shares it: `Rc`, `Arc` or one of another crate with shared access only.
    pub shared: Option<&'static str>,
}

/// A field of a builder that holds a value until it is finished: `path` of a `Builder` whose
/// `build` ends in `self.path`.
#[derive(Clone, Copy, Debug)]
pub struct BuilderField {
    /// The field.
    pub field: FieldId,
    /// Where its value is returned.
    pub given: Span,
    /// Whether some code of the workspace calls the function that returns it.
    pub asked: bool,
}

/// How a type grows that does so only while a local variable or a builder owns it.
#[derive(Debug, Default)]
pub struct Lifecycle {
    /// Where its buffers grow.
    pub grown: Vec<Span>,
    /// Where one of its buffers is lent by `&mut` to code that is not followed.
    pub lent: Vec<Span>,
    /// Fields that store it, those with shared ownership first.
    pub keepers: Vec<Keeper>,
    /// Fields of builders in which it grows.
    pub builder_fields: Vec<BuilderField>,
    /// Whether it grows in local variables too.
    pub in_variables: bool,
    /// Whether a function that others may call grows its argument.
    pub by_others: bool,
}

/// Finds the types that grow only while they are made.
pub fn find(
    db: &'static Db<'static>,
    usage: &Usage,
    buffers: &Buffers,
    types: &[(ItemId, Ty)],
) -> FxHashMap<ItemId, Lifecycle> {
    let mut search = Search {
        db,
        usage,
        buffers,
        keepers: Lists::default(),
        builder_fields: FxHashMap::default(),
        lent: Lent::find(db, usage),
    };
    for (item, ty) in types {
        for (field, ty) in fields_of(db, *item, *ty) {
            search.keepers(*item, field, ty);
        }
    }
    search.keepers.sort_by_key(|k| k.shared.is_none());
    search.builder_fields = search.builder_fields();
    let found = types.iter().map(|(item, _)| *item);
    found
        .filter_map(|item| Some((item, search.lifecycle(item)?)))
        .collect()
}

/// Where bodies lend values by `&mut`, and take them out of shared pointers.
#[derive(Default)]
struct Lent {
    /// Places that are borrowed by `&mut`, by type, behind references at most.
    places: Lists<ItemId, At>,
    /// Types to which functions of other crates, or patterns, yield a `&mut`.
    by_others: FxHashSet<ItemId>,
    /// Argument types of functions of `Rc` and `Arc` that give mutable access, or move out.
    unshared: FxHashSet<Ty>,
}

impl Lent {
    fn find(db: &Db<'static>, usage: &Usage) -> Lent {
        let mut lent = Lent::default();
        for (at, body) in usage.bodies.iter().enumerate() {
            for (id, node, fact) in body.exprs() {
                match (&node.kind, fact.target) {
                    (ExprKind::Ref(true, expr), _) => {
                        if let Some(item) = adt_of(db, without_refs(db, body.fact(*expr).ty)) {
                            lent.places.add(
                                item,
                                At {
                                    body: at,
                                    expr: *expr,
                                },
                            );
                        }
                    }
                    (
                        ExprKind::Call(..) | ExprKind::Method(..),
                        Some(Target::Item(_) | Target::Ctor(..)),
                    ) => {}
                    (ExprKind::Call(_, args), _) => {
                        lent.note(db, fact.ty);
                        if body.is_marked(id, Mark::Unshares) {
                            lent.unshared.extend(args.iter().map(|a| body.fact(*a).ty));
                        }
                    }
                    (ExprKind::Method(..), _) => lent.note(db, fact.ty),
                    _ => {}
                }
            }
            let bound = body
                .locals
                .iter()
                .filter(|l| l.init.is_none() && !l.argument);
            bound.for_each(|l| lent.note(db, l.ty));
        }
        lent
    }

    /// Records what a value of this type lends by `&mut`.
    fn note(&mut self, db: &Db<'static>, ty: Ty) {
        match db.types.kind(ty) {
            TyKind::Ref(inner, true) => self.by_others.extend(adt_of(db, without_refs(db, *inner))),
            TyKind::Adt(item, args) if std_name(db, *item).is_some() => {
                types_of(args).for_each(|ty| self.note(db, ty));
            }
            _ => {}
        }
    }
}

/// What lifecycles are found from.
struct Search<'a> {
    db: &'static Db<'static>,
    usage: &'a Usage,
    buffers: &'a Buffers,
    keepers: Lists<ItemId, Keeper>,
    builder_fields: FxHashMap<FieldId, BuilderField>,
    lent: Lent,
}

/// What grows the values of a type.
#[derive(Default)]
struct Growers {
    builder_fields: FxHashSet<FieldId>,
    in_variables: bool,
    /// Functions that grow an argument, as indices into [`Usage::bodies`].
    functions: FxHashSet<usize>,
    /// Whether it grows elsewhere, or may.
    elsewhere: bool,
}

impl Search<'_> {
    /// Records the workspace types in a field, with the pointer that shares each.
    fn keepers(&mut self, of: ItemId, field: FieldId, ty: Ty) {
        let db = self.db;
        let (mut seen, mut queue) = (FxHashSet::default(), VecDeque::from([(ty, None)]));
        while let Some((part, shared)) = queue.pop_front() {
            let TyKind::Adt(item, args) = db.types.kind(part) else {
                continue;
            };
            let mut add = |part, shared| {
                if seen.insert((part, shared)) {
                    queue.push_back((part, shared));
                }
            };
            match std_name(db, *item) {
                // The content of a cell can be modified in place.
                Some(_) if is_marked(db, part, &["cell"]) => {}
                Some(name) => {
                    let shared = matches!(name, "Rc" | "Arc").then_some(name).or(shared);
                    types_of(args).for_each(|ty| add(ty, shared));
                }
                None => {
                    if *item != of {
                        self.keepers.add(*item, Keeper { field, ty, shared });
                    }
                    // A pointer of another crate that gives only shared access.
                    let has = |name| implements(db, part, ["crate", "ops", name]);
                    if let [GArg::Ty(pointee), ..] = &args[..]
                        && has("Deref")
                        && !has("DerefMut")
                    {
                        add(*pointee, Some(db.item(*item).item.name.as_str()));
                    }
                }
            }
        }
    }

    /// Returns the fields whose value is moved out where it is finished. A builder itself is not in
    /// a collection, and not shared.
    fn builder_fields(&self) -> FxHashMap<FieldId, BuilderField> {
        let db = self.db;
        let is = |ty, item| adt_of(db, ty) == Some(item);
        let is_alone = |builder: ItemId| {
            let mut around = self.keepers.of(&builder).iter().map(|k| k.ty);
            around.all(|ty| is(std_first(db, ty, &["Option"]).unwrap_or(ty), builder))
        };
        let all = self.keepers.iter().flat_map(|(item, list)| {
            let whole = list.iter().filter(|k| is(k.ty, *item));
            whole.filter(|k| is_alone(k.field.adt)).map(|k| k.field)
        });
        let found = all.filter_map(|field| {
            let (given, at) = self.given(field)?;
            let giver = &self.usage.bodies[at].function;
            let asked =
                !self.usage.events.calls.of(&giver.item).is_empty() || self.may_be_called(giver);
            Some((
                field,
                BuilderField {
                    field,
                    given,
                    asked,
                },
            ))
        });
        found.collect()
    }

    /// Returns the first place outside of tests that moves the value out of a field, with its body.
    fn given(&self, field: FieldId) -> Option<(Span, usize)> {
        let (usage, events) = (self.usage, &self.usage.events);
        let moved = events.named.of(&field).iter().filter_map(|at| {
            let body = &usage.bodies[at.body];
            let taken = self.is_taken(body, at.expr) && !is_put_back(body, at.expr, field.adt);
            taken.then(|| (body.node(at.expr).span, at.body))
        });
        let bound = events.bound.of(&field).iter().filter_map(|&(at, pat)| {
            let body = &usage.bodies[at];
            let ty = body.locals[body.pat(pat).local? as usize].ty;
            let by_value = !matches!(self.db.types.kind(ty), TyKind::Ref(..));
            by_value.then(|| (body.function.body.pat(pat).span, at))
        });
        let all = moved.chain(bound);
        let all = all.filter(|(_, at)| !usage.bodies[*at].function.aside);
        all.min_by_key(|(_, at)| *at)
    }

    /// Returns true if a value is moved out of the field that an expression names.
    fn is_taken(&self, body: &Typed, id: ExprId) -> bool {
        let (db, edge) = (self.db, edge(body, id));
        let is_moved = || value_use(db, self.usage, body, id) == ValueUse::Moved;
        match edge.how {
            How::Taken => true,
            // A swap with a variable moves it there.
            How::Swapped => values(body, edge.by).iter().any(|arg| {
                matches!(body.node(*arg).kind, ExprKind::Ref(true, p) if named(body, p).is_some())
            }),
            // A method that consumes it may return something else: `self.page.finish()`, a `String`.
            How::Does(_) if edge.is_method(body) => {
                let (gives, ty) = (body.fact(edge.by).ty, body.fact(id).ty);
                is_moved() && (is_open(db, gives) || any_part(db, gives, &|part| part == ty))
            }
            How::Does(_) => false,
            _ => is_moved(),
        }
    }

    /// Returns the lifecycle of a type; `None` if its buffers do not grow, or elsewhere too, or
    /// nothing stores it.
    fn lifecycle(&self, item: ItemId) -> Option<Lifecycle> {
        let builder = |k: &Keeper| self.builder_fields.get(&k.field).copied();
        let all = self.keepers.of(&item);
        // Other packages may store a public type that nothing here does.
        if all.is_empty() && self.db.item(item).item.vis != Vis::Public {
            return None;
        }
        let uses = self.buffers.of(item).iter();
        let uses = uses.flat_map(|f| self.buffers.uses(f.field));
        let growing: Vec<_> = uses.filter(|u| u.how.changes()).collect();
        let grows = |how| matches!(how, BufferUse::Grown | BufferUse::Lent);
        let plain = growing.iter().all(|u| grows(u.how) && u.origin.is_some());
        if !plain || !growing.iter().any(|u| u.grows()) {
            return None;
        }
        let keepers = all.iter().filter(|k| builder(k).is_none()).copied();
        let keepers: Vec<Keeper> = keepers.collect();
        let growers = self.growers(item, growing.iter().filter_map(|u| u.origin).collect());
        // A shared value changes only through the pointer's own methods.
        let shared = !keepers.is_empty() && keepers.iter().all(|k| k.shared.is_some());
        let is_it = |part| adt_of(self.db, part) == Some(item) || is_open(self.db, part);
        let elsewhere = match shared {
            true => self
                .lent
                .unshared
                .iter()
                .any(|ty| any_part(self.db, *ty, &is_it)),
            false => growers.elsewhere || self.is_lent(item),
        };
        let made = growers.in_variables || !growers.builder_fields.is_empty();
        if elsewhere || !shared && !made {
            return None;
        }
        let places = |how: BufferUse| {
            let sure = growing.iter().filter(|u| !u.aside && !u.guessed);
            let mut places: Vec<Span> = sure.filter(|u| u.how == how).map(|u| u.span).collect();
            places.dedup();
            places
        };
        let used = |b: &BuilderField| growers.builder_fields.contains(&b.field);
        let others = |at: &usize| {
            let function = &self.usage.bodies[*at].function;
            function.is_of_trait(self.db) || self.db.item(function.item).item.vis == Vis::Public
        };
        Some(Lifecycle {
            grown: places(BufferUse::Grown),
            lent: places(BufferUse::Lent),
            keepers,
            builder_fields: all.iter().filter_map(builder).filter(used).collect(),
            in_variables: growers.in_variables,
            by_others: growers.functions.iter().any(others),
        })
    }

    /// Returns what grows the values of a type, from the expressions that name a buffer there: a
    /// function that grows its argument grows what its callers pass.
    fn growers(&self, item: ItemId, fields: Vec<(usize, ExprId)>) -> Growers {
        let mut growers = Growers::default();
        let mut queue: Vec<(usize, ExprId)> = Vec::new();
        for (at, id) in fields {
            match self.usage.bodies[at].node(id).kind {
                ExprKind::Field(base, _) => queue.push((at, base)),
                _ => growers.elsewhere = true,
            }
        }
        while let Some((at, id)) = queue.pop() {
            let body = &self.usage.bodies[at];
            match owner(self.db, body, id, item) {
                Owner::Made => growers.in_variables |= !body.function.aside,
                Owner::Field(field) if self.builder_fields.contains_key(&field) => {
                    growers.builder_fields.insert(field);
                }
                Owner::Argument if growers.functions.insert(at) => {
                    growers.elsewhere |= self.may_be_called(&body.function);
                    for call in self.usage.events.calls.of(&body.function.item) {
                        let caller = &self.usage.bodies[call.body];
                        let passed = values(caller, call.expr).into_iter();
                        let ty = |id: &ExprId| without_refs(self.db, caller.fact(*id).ty);
                        let passed = passed.filter(|id| adt_of(self.db, ty(id)) == Some(item));
                        queue.extend(passed.map(|id| (call.body, id)));
                    }
                }
                Owner::Argument => {}
                _ => growers.elsewhere = true,
            }
        }
        growers
    }

    /// Returns true if values of a type are lent by `&mut` where they are stored, or may be.
    fn is_lent(&self, item: ItemId) -> bool {
        let stored = |at: &At| {
            let body = &self.usage.bodies[at.body];
            match owner(self.db, body, at.expr, item) {
                Owner::Field(field) => !self.builder_fields.contains_key(&field),
                owner => owner == Owner::Elsewhere,
            }
        };
        self.lent.by_others.contains(&item) || self.lent.places.of(&item).iter().any(stored)
    }

    /// Returns true if a method call on an unknown type has the name and the number of arguments of
    /// a function.
    fn may_be_called(&self, function: &Function) -> bool {
        let (usage, events) = (self.usage, &self.usage.events);
        let mut calls = events.alike_calls(self.db, &usage.bodies, function);
        calls.next().is_some()
    }
}

/// Returns true for `Self(self.0.size(1))`: the result goes into a value of the same type again.
fn is_put_back(body: &Typed, id: ExprId, maker: ItemId) -> bool {
    let edge = edge(body, id);
    match edge.how {
        How::Does(_) => edge.is_method(body) && is_put_back(body, edge.by, maker),
        How::Stored => {
            matches!(body.fact(edge.by).target, Some(Target::Ctor(adt, _)) if adt == maker)
        }
        _ => false,
    }
}
