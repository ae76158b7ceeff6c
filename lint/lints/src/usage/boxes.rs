//! How boxes and shared pointers are used: what they are created from, where they go, which of
//! their methods are called, and which types depend on their address.

mod ends;

use super::Usage;
use crate::infer::body::{Site, Target, Typed};
use crate::infer::marks::Mark;
use crate::infer::types::{OWNING, inner, is_open, pointee, std_first, std_parts, without_refs};
use crate::ir::Path;
use crate::ir::body::{ExprId, ExprKind};
use crate::name::Name;
use crate::resolve::Db;
use crate::resolve::ty::{Ty, TyKind};
use ends::{by_value, destination, is_new, source};
use rustc_hash::{FxHashMap, FxHashSet};

/// The origin of a value that is put behind a pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum From {
    /// Created there: from a literal, a slice, an iterator, or as a copy.
    New,
    /// A local variable, created there and then modified.
    Grown,
    /// It existed before.
    Given,
}

/// Where a new pointer goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum To {
    /// Into a collection.
    Element,
    /// Into a field of a new value.
    Field,
    /// Elsewhere.
    Other,
}

/// A place that creates a pointer.
#[derive(Clone, Copy, Debug)]
pub struct Made {
    /// Where.
    pub site: Site,
    /// The pointee's origin.
    pub from: From,
    /// The destination.
    pub to: To,
}

/// What the code does with the values of one pointer type.
#[derive(Clone, Debug, Default)]
pub struct Uses {
    /// Where they are created, by file and position.
    pub made: Vec<Made>,
    /// Calls that take their address, or a raw pointer.
    pub by_address: Vec<Site>,
    /// Calls that depend on the number of owners.
    pub by_owner: Vec<Site>,
    /// Where they are cloned.
    pub cloned: Vec<Site>,
    /// Functions that take or return them by value.
    pub passed: Vec<Site>,
    /// Where an existing one is put into something.
    pub moved: Vec<(Site, To)>,
    /// Variables bound to an existing one.
    pub taken: Vec<Site>,
}

/// What the code does with pointers.
#[derive(Debug, Default)]
pub struct Boxes {
    uses: FxHashMap<Ty, Uses>,
    /// Types with raw pointers to them, or that are pinned or compared by address.
    pinned: FxHashSet<Ty>,
    seen: FxHashSet<Ty>,
    /// Pointers of an unknown type, by name, on which a method of `BY_OWNER` or `BY_ADDRESS` is
    /// called.
    open: FxHashSet<&'static str>,
    /// Fields that are cloned where their owner's type is unknown.
    copied: FxHashSet<Name>,
}

impl Boxes {
    /// Examines every body.
    pub fn find(db: &Db<'static>, usage: &Usage) -> Boxes {
        let mut boxes = Boxes::default();
        for body in &usage.bodies {
            boxes.signature(db, body);
            boxes.body(db, body);
        }
        boxes
    }

    /// Returns how the values of a pointer type are used.
    pub fn of(&self, pointer: Ty) -> Option<&Uses> {
        self.uses.get(&pointer)
    }

    /// Returns true if code depends on the address of values of a type.
    pub fn is_pinned(&self, ty: Ty) -> bool {
        self.pinned.contains(&ty)
    }

    /// Returns true if a method that depends on owners or address is called on a pointer of this
    /// name (`Rc`) of unknown type.
    pub fn asked_of_any(&self, pointer: &str) -> bool {
        self.open.contains(pointer)
    }

    /// Returns true if a field of this name is cloned where its owner's type is unknown.
    pub fn may_be_cloned(&self, field: Name) -> bool {
        self.copied.contains(&field)
    }

    /// Records the raw pointers and pins in a type.
    pub fn note(&mut self, db: &Db<'static>, ty: Ty) {
        if !self.seen.insert(ty) {
            return;
        }
        let pinned = match db.types.kind(ty) {
            TyKind::Ptr(inner, _) => Some(*inner),
            _ => std_first(db, ty, &["AtomicPtr", "NonNull"]).or_else(|| {
                let pinned = std_first(db, ty, &["Pin"])?;
                match db.types.kind(pinned) {
                    TyKind::Ref(inner, _) => Some(*inner),
                    _ => pointee(db, pinned),
                }
            }),
        };
        if let Some(inner) = pinned {
            self.pin(db, inner, 0);
        }
        for part in inner(db, ty) {
            self.note(db, part);
        }
    }

    /// Records a type that depends on its address, with the types that it holds.
    fn pin(&mut self, db: &Db<'static>, ty: Ty, depth: u32) {
        // The address of a number is no evidence for other numbers.
        if matches!(db.types.kind(ty), TyKind::Adt(..)) {
            self.pinned.insert(ty);
        }
        if depth < 8 {
            for part in inner(db, ty) {
                self.pin(db, part, depth + 1);
            }
        }
    }

    fn signature(&mut self, db: &Db<'static>, body: &Typed) {
        let mut site = Site {
            span: db.item(body.function.item).item.name_span,
            loops: 0,
            aside: body.function.aside,
            function: body.function.item,
        };
        self.note(db, body.output);
        for pointer in by_value(db, body.output) {
            self.uses.entry(pointer).or_default().passed.push(site);
        }
        for local in &body.locals {
            self.note(db, local.ty);
            site.span = body.function.body.pat(local.pat).span;
            for pointer in by_value(db, local.ty) {
                let uses = self.uses.entry(pointer).or_default();
                let made = local.init.is_some_and(|init| is_new(body, init).is_some());
                match (local.argument, made) {
                    (true, _) => uses.passed.push(site),
                    (false, false) => uses.taken.push(site),
                    (false, true) => {}
                }
            }
        }
    }

    fn body(&mut self, db: &Db<'static>, body: &Typed) {
        for (id, node, fact) in body.exprs() {
            self.note(db, fact.ty);
            if hands_over(body, id) {
                let to = destination(body, id);
                let pointers = by_value(db, fact.ty).into_iter();
                for pointer in pointers.filter(|_| to != To::Other) {
                    let uses = self.uses.entry(pointer).or_default();
                    uses.moved.push((body.site(id), to));
                }
            }
            match &node.kind {
                ExprKind::Cast(inner, _) => self.note(db, body.fact(*inner).ty),
                ExprKind::Call(callee, args) => self.call(db, body, id, *callee, args),
                ExprKind::Method(receiver, method, _, _) => {
                    self.method(db, body, id, *receiver, method.name);
                }
                ExprKind::Path(path) => {
                    // `map(Box::new)`.
                    if let Some((pointer, name)) = associated(path)
                        && name == "new"
                        && !body.is_callee(id)
                        && let Some((outer, _)) = body.around(id)
                    {
                        let item = inner(db, body.fact(outer).ty).into_iter();
                        let item = item.chain([body.fact(outer).ty]);
                        let found = item.filter(|ty| std_first(db, *ty, &[pointer]).is_some());
                        for ty in found.collect::<Vec<_>>() {
                            self.uses.entry(ty).or_default().made.push(Made {
                                site: body.site(id),
                                from: From::Given,
                                to: To::Element,
                            });
                        }
                    }
                }
                _ => {}
            }
        }
    }

    fn call(
        &mut self,
        db: &Db<'static>,
        body: &Typed,
        id: ExprId,
        callee: ExprId,
        args: &[ExprId],
    ) {
        let ExprKind::Path(path) = &body.node(callee).kind else {
            return;
        };
        let last = path.last_name();
        if last == "transmute" || last == "eq" && path.segments.iter().any(|s| s.name == "ptr") {
            for &arg in args {
                let ty = without_refs(db, body.fact(arg).ty);
                self.pin(db, ty, 0);
            }
        }
        let Some((pointer, name)) = associated(path) else {
            return;
        };
        let site = body.site(id);
        if matches!(name, "new" | "from" | "default") {
            let ty = body.fact(id).ty;
            if std_first(db, ty, &[pointer]).is_some() {
                let from = match args {
                    [value] => source(body, *value),
                    _ => From::New,
                };
                let to = destination(body, id);
                let uses = self.uses.entry(ty).or_default();
                uses.made.push(Made { site, from, to });
            }
            return;
        }
        let asked = args.first().map(|a| without_refs(db, body.fact(*a).ty));
        self.asked(db, body, id, pointer, asked);
    }

    fn method(&mut self, db: &Db<'static>, body: &Typed, id: ExprId, on: ExprId, name: Name) {
        let ty = without_refs(db, body.fact(on).ty);
        let site = body.site(id);
        if let Some((pointer, _)) = std_parts(db, ty)
            && OWNING.contains(&pointer)
        {
            self.asked(db, body, id, pointer, Some(ty));
        }
        if name == "clone"
            && is_open(db, ty)
            && let ExprKind::Field(_, field) = body.node(on).kind
        {
            self.copied.insert(field);
        }
        // `x.into()` that returns a pointer.
        if name == "into" {
            let ty = body.fact(id).ty;
            if pointee(db, ty).is_some() {
                let made = Made {
                    site,
                    from: From::Given,
                    to: destination(body, id),
                };
                self.uses.entry(ty).or_default().made.push(made);
            }
        }
    }

    /// Records a call of a function of a pointer, or of a method on one.
    fn asked(
        &mut self,
        db: &Db<'static>,
        body: &Typed,
        call: ExprId,
        pointer: &'static str,
        of: Option<Ty>,
    ) {
        let known = of.filter(|ty| !is_open(db, *ty) && pointee(db, *ty).is_some());
        let is = |mark| body.is_marked(call, mark);
        let by_owner = is(Mark::Owners) || is(Mark::Unshares);
        let Some(ty) = known else {
            if is(Mark::Address) || by_owner {
                self.open.insert(pointer);
            }
            return;
        };
        let uses = self.uses.entry(ty).or_default();
        let name = body.name_of(call).map_or("", Name::as_str);
        let list = match () {
            () if name == "clone" => &mut uses.cloned,
            () if name == "downgrade" => &mut uses.by_owner,
            () if is(Mark::Address) => &mut uses.by_address,
            () if by_owner => &mut uses.by_owner,
            () => return,
        };
        list.push(body.site(call));
    }
}

/// Returns true for an expression that names an existing value, or gets one from another.
fn hands_over(body: &Typed, id: ExprId) -> bool {
    match &body.node(id).kind {
        ExprKind::Path(_) => match body.fact(id).target {
            Some(Target::Local(local)) => {
                let init = body.locals[local as usize].init;
                init.is_none_or(|init| is_new(body, init).is_none())
            }
            _ => false,
        },
        ExprKind::Field(..) | ExprKind::Index(..) => true,
        ExprKind::Method(_, method, ..) => method.name != "clone" && method.name != "into",
        ExprKind::Call(..) => matches!(body.fact(id).target, Some(Target::Item(_))),
        _ => false,
    }
}

/// Returns the pointer and `name` of `Rc::name`, with std's own name for the pointer.
fn associated(path: &Path) -> Option<(&'static str, &str)> {
    let [.., of, name] = &path.segments[..] else {
        return None;
    };
    let pointer = OWNING.iter().find(|p| of.name == **p)?;
    Some((pointer, name.name.as_str()))
}
