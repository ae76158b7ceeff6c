//! An index of where fields, variables and functions are named, built once: each pass folds over
//! these places.

use crate::infer::body::{FieldId, Function, Target, Typed};
use crate::infer::types::{adt_of, bare};
use crate::ir::body::{ExprId, ExprKind, PatId};
use crate::ir::{self, ItemKind};
use crate::lists::Lists;
use crate::name::Name;
use crate::resolve::{CrateIx, Db, ItemId};
use crate::spread::spread;
use rustc_hash::FxHashSet;

/// An expression of one of [`super::Usage::bodies`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct At {
    /// Index of the body.
    pub body: usize,
    /// The expression.
    pub expr: ExprId,
}

impl At {
    /// Returns another expression of the same body.
    pub fn with(self, expr: ExprId) -> At {
        At { expr, ..self }
    }
}

/// The places in all bodies, each list sorted by body and position.
#[derive(Debug, Default)]
pub struct Events {
    /// Literals and constructor calls that set each field, with the value.
    pub set: Lists<FieldId, (At, ExprId)>,
    /// Expressions that name each field.
    pub named: Lists<FieldId, At>,
    /// Expressions that name a field of an owner of unknown type.
    pub open: Lists<Name, At>,
    /// Patterns that match on each field.
    pub bound: Lists<FieldId, (usize, PatId)>,
    /// Constructors that are named but not called: their arguments are not seen.
    pub uncalled: Lists<(ItemId, u32), At>,
    /// Literals that take their other fields from a `..base`.
    pub based: Lists<(ItemId, u32), At>,
    /// Calls of `clone` by the type that is cloned, inside any wrapper.
    pub cloned: Lists<ItemId, At>,
    /// Calls of functions.
    pub calls: Lists<ItemId, At>,
    /// Method calls on receivers of unknown type, by name.
    open_calls: Lists<Name, At>,
    /// Names in macro calls that are not understood, by crate; without tests.
    opaque: FxHashSet<(CrateIx, Name)>,
    /// Words in macro calls outside of functions that are not understood, by crate.
    unread: Vec<(CrateIx, FxHashSet<Name>)>,
    /// Functions used as values: their callers are not known.
    passed: FxHashSet<ItemId>,
}

impl Events {
    pub(super) fn find(db: &Db<'static>, bodies: &[Typed]) -> Events {
        let threads = rayon::current_num_threads();
        let parts = bodies.len().div_ceil(threads).max(1);
        let parts: Vec<_> = bodies.chunks(parts).zip((0..).step_by(parts)).collect();
        let read = |(bodies, first): (&[Typed], usize)| {
            let mut events = Events::default();
            for (at, body) in (first..).zip(bodies) {
                events.read(db, at, body);
            }
            events
        };
        let parts = spread(parts, 1, read).into_iter();
        let mut events = parts.reduce(Events::and).unwrap_or_default();
        let crates = db.project.selected.iter().map(|id| id.0);
        let unread = crates.map(|krate| (krate, db.unread_words(krate)));
        events.unread = unread.filter(|(_, words)| !words.is_empty()).collect();
        events
    }

    /// Appends the events of later bodies.
    fn and(mut self, other: Events) -> Events {
        self.set.append(other.set);
        self.named.append(other.named);
        self.open.append(other.open);
        self.bound.append(other.bound);
        self.uncalled.append(other.uncalled);
        self.based.append(other.based);
        self.cloned.append(other.cloned);
        self.calls.append(other.calls);
        self.open_calls.append(other.open_calls);
        self.opaque.extend(other.opaque);
        self.passed.extend(other.passed);
        self
    }

    /// Returns method calls on unknown types with the name and the number of arguments of a method.
    pub fn alike_calls<'e>(
        &'e self,
        db: &'e Db<'static>,
        bodies: &'e [Typed],
        method: &'e Function,
    ) -> impl Iterator<Item = At> + 'e {
        let name = db.item(method.item).item.name;
        let named = self.open_calls.of(&name).iter();
        let given = method.body.signature.inputs.len();
        named.copied().filter(move |at| {
            let call = &bodies[at.body].node(at.expr).kind;
            matches!(call, ExprKind::Method(_, _, _, args) if args.len() + 1 == given)
        })
    }

    /// Returns those of them that may call the method: it is visible there.
    pub fn open_calls<'e>(
        &'e self,
        db: &'e Db<'static>,
        bodies: &'e [Typed],
        method: &'e Function,
    ) -> impl Iterator<Item = At> + 'e {
        let data = db.item(method.item);
        let seen = db.seen(data.module, &data.item.vis);
        let alike = self.alike_calls(db, bodies, method);
        alike.filter(move |at| db.visible(seen, bodies[at.body].function.module))
    }

    /// Returns true if a macro call of its crate that is not understood names a function.
    pub fn is_named_in_macro(&self, db: &Db<'static>, function: &Function) -> bool {
        let name = db.item(function.item).item.name;
        let mut unread = self.unread.iter();
        self.opaque.contains(&(function.krate, name))
            || unread.any(|(krate, words)| *krate == function.krate && words.contains(&name))
    }

    /// Returns true if a macro call that is not understood contains a name, in a crate or in one that
    /// depends on it.
    pub fn is_in_macro(&self, db: &Db<'static>, home: CrateIx, name: Name) -> bool {
        let mut inside = self.opaque.iter();
        inside.any(|(krate, named)| *named == name && sees(db, *krate, home))
            || self.is_outside(db, home, name)
    }

    /// Returns true if a macro call outside of functions that is not understood contains the name of
    /// the type that has a field, in its crate or in one that depends on it.
    pub fn may_name(&self, db: &Db<'static>, field: FieldId) -> bool {
        let data = db.item(field.adt);
        self.is_outside(db, db.krate_of(data.module), data.item.name)
    }

    fn is_outside(&self, db: &Db<'static>, home: CrateIx, name: Name) -> bool {
        let mut unread = self.unread.iter();
        unread.any(|(krate, words)| words.contains(&name) && sees(db, *krate, home))
    }

    /// Returns true if a function is used as a value: others may call it.
    pub fn is_passed(&self, function: ItemId) -> bool {
        self.passed.contains(&function)
    }

    fn read(&mut self, db: &Db<'static>, at: usize, body: &Typed) {
        for (id, node, fact) in body.exprs() {
            let place = At { body: at, expr: id };
            if let ExprKind::Method(receiver, name, ..) = &node.kind
                && name.name == "clone"
                && let Some(of) = adt_of(db, bare(db, body.fact(*receiver).ty))
            {
                self.cloned.add(of, place);
            }
            match (fact.target, &node.kind) {
                (Some(Target::Local(_)), _) => {}
                (Some(Target::Field(field)), _) => {
                    self.named.add(field, place);
                }
                (Some(Target::Open(name)), ExprKind::Field(..)) => {
                    self.open.add(name, place);
                }
                (Some(Target::Open(name)), ExprKind::Method(..)) => {
                    self.open_calls.add(name, place);
                }
                (Some(Target::Item(item)), ExprKind::Call(..) | ExprKind::Method(..)) => {
                    self.calls.add(item, place);
                }
                (Some(Target::Ctor(adt, variant)), ExprKind::Call(_, args)) => {
                    for (i, &value) in (0..).zip(args) {
                        self.put(adt, variant, i, place, value);
                    }
                }
                (Some(Target::Ctor(adt, variant)), ExprKind::Struct(_, fields, base)) => {
                    for (name, value) in fields {
                        if let Some(field) = db.field_named(adt, variant, *name) {
                            self.put(adt, variant, field, place, *value);
                        }
                    }
                    if base.is_some() {
                        self.based.add((adt, variant), place);
                    }
                }
                (Some(target), ExprKind::Path(_) | ExprKind::Qualified(..))
                    if !body.is_callee(id) =>
                {
                    match target {
                        Target::Ctor(adt, variant) => {
                            self.uncalled.add((adt, variant), place);
                        }
                        Target::Item(item) => {
                            self.passed.insert(item);
                        }
                        _ => {}
                    }
                }
                _ => {}
            }
        }
        if !body.function.aside {
            let names = body.opaque.iter();
            self.opaque
                .extend(names.map(|(name, _)| (body.function.krate, *name)));
        }
        for (id, _) in body.function.body.pats() {
            let fact = body.pat(id);
            if let (true, Some(field)) = (fact.live, fact.field) {
                self.bound.add(field, (at, id));
            }
        }
    }

    fn put(&mut self, adt: ItemId, variant: u32, field: u32, place: At, value: ExprId) {
        let field = FieldId {
            adt,
            variant,
            field,
        };
        self.set.add(field, (place, value));
    }
}

/// Returns the declaration of a variant.
pub fn variant_of<'d>(db: &Db<'d>, adt: ItemId, variant: u32) -> Option<&'d ir::Variant> {
    match &db.item(adt).item.kind {
        ItemKind::Adt(data) => data.variants.get(variant as usize),
        _ => None,
    }
}

/// Returns true if a crate is another one, or depends on it.
fn sees(db: &Db<'static>, krate: CrateIx, home: CrateIx) -> bool {
    let deps = db.krate(krate).id.map(|id| &db.project.krate(id).deps);
    krate == home || deps.is_some_and(|deps| deps.iter().any(|(_, dep)| dep.0 == home))
}
