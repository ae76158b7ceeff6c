//! What becomes of boxes and shared pointers: what they are made from and where they go, what is
//! asked of them, and which types are held by their address.

use super::Usage;
use super::body::{Site, Target, Typed};
use super::types::{OWNING, inner, is_open, pointee, std_first, std_parts, without_refs};
use crate::ir::body::{ExprId, ExprKind};
use crate::ir::{Lit, Path};
use crate::name::Name;
use crate::resolve::Db;
use crate::resolve::ty::{Ty, TyKind};
use rustc_hash::{FxHashMap, FxHashSet};

/// Functions and methods that give a new text or list, or a copy of one.
const COPIES: &[&str] = &[
    "clone",
    "collect",
    "concat",
    "default",
    "join",
    "new",
    "repeat",
    "replace",
    "to_ascii_lowercase",
    "to_ascii_uppercase",
    "to_lowercase",
    "to_os_string",
    "to_owned",
    "to_path_buf",
    "to_string",
    "to_uppercase",
    "to_vec",
];

/// Methods that put a value into a collection.
const PUTS: &[&str] = &[
    "entry",
    "extend",
    "insert",
    "or_insert",
    "or_insert_with",
    "push",
    "push_back",
    "push_front",
];

/// Methods that hand on what is in them.
const HANDS_ON: &[&str] = &["chain", "collect", "map", "once", "resize_with", "then", "then_some"];

/// Questions that only a pointer to a block of its own can answer.
const BY_ADDRESS: &[&str] = &[
    "as_mut_ptr",
    "as_non_null",
    "as_ptr",
    "from_raw",
    "increment_strong_count",
    "into_non_null",
    "into_pin",
    "into_raw",
    "leak",
    "new_cyclic",
    "pin",
    "ptr_eq",
];

/// Questions of who is the only owner.
const BY_OWNER: &[&str] = &[
    "get_mut",
    "get_mut_unchecked",
    "into_inner",
    "make_mut",
    "strong_count",
    "try_unwrap",
    "unwrap_or_clone",
];

/// What a pointer's value was before it was put behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum From {
    /// Made there: from a literal, a slice, an iterator, or as a copy.
    New,
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

/// A place that makes a pointer.
#[derive(Clone, Copy, Debug)]
pub struct Made {
    /// Where.
    pub site: Site,
    /// Of what.
    pub from: From,
    /// For what.
    pub to: To,
}

/// What the code does with the values of one pointer type.
#[derive(Clone, Debug, Default)]
pub struct Uses {
    /// Where they are made, by file and place.
    pub made: Vec<Made>,
    /// Where their address, or a raw pointer, is asked for.
    pub by_address: Vec<Site>,
    /// Where it is asked whether there is one owner only.
    pub by_owner: Vec<Site>,
    /// Where they are cloned.
    pub cloned: Vec<Site>,
    /// Functions that take or give them by value.
    pub passed: Vec<Site>,
    /// Variables that hold one that was not made for them.
    pub taken: Vec<Site>,
}

/// What the code does with pointers.
#[derive(Debug, Default)]
pub struct Boxes {
    uses: FxHashMap<Ty, Uses>,
    /// Types that a raw pointer points to, or that are pinned or told apart by their address.
    pinned: FxHashSet<Ty>,
    seen: FxHashSet<Ty>,
    /// Questions of owner and address to pointers of an unknown type, by the pointer's name.
    open: FxHashSet<&'static str>,
}

impl Boxes {
    /// Looks through every body.
    pub fn find(db: &Db<'static>, usage: &Usage) -> Boxes {
        let mut boxes = Boxes::default();
        for body in &usage.bodies {
            boxes.signature(db, body);
            boxes.body(db, body);
        }
        boxes
    }

    /// What is done with the values of a pointer type.
    pub fn of(&self, pointer: Ty) -> Option<&Uses> {
        self.uses.get(&pointer)
    }

    /// True if something holds values of a type by their address.
    pub fn is_pinned(&self, ty: Ty) -> bool {
        self.pinned.contains(&ty)
    }

    /// True if a question of owner or address is asked of a pointer of this name (`Rc`) of which
    /// no more is known.
    pub fn asked_of_any(&self, pointer: &str) -> bool {
        self.open.contains(pointer)
    }

    /// Notes what a type says of addresses: raw pointers and pins.
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

    /// A type that is held by its address, with what it holds.
    fn pin(&mut self, db: &Db<'static>, ty: Ty, depth: u32) {
        self.pinned.insert(ty);
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
                        && !is_callee(body, id)
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

    fn call(&mut self, db: &Db<'static>, body: &Typed, id: ExprId, callee: ExprId, args: &[ExprId]) {
        let ExprKind::Path(path) = &body.node(callee).kind else {
            return;
        };
        let last = path.segments.last().map_or("", |s| s.name.as_str());
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
        self.asked(db, pointer, name, asked, site);
    }

    fn method(&mut self, db: &Db<'static>, body: &Typed, id: ExprId, on: ExprId, name: Name) {
        let ty = without_refs(db, body.fact(on).ty);
        let site = body.site(id);
        match std_parts(db, ty) {
            Some((pointer, _)) if OWNING.contains(&pointer) => {
                self.asked(db, pointer, name.as_str(), Some(ty), site);
            }
            Some(("Vec" | "String" | "Option" | "Weak" | "RefCell" | "Cell", _)) => {}
            _ => {}
        }
        // `x.into()` that gives a pointer.
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

    fn asked(
        &mut self,
        db: &Db<'static>,
        pointer: &'static str,
        name: &str,
        of: Option<Ty>,
        site: Site,
    ) {
        let known = of.filter(|ty| !is_open(db, *ty) && pointee(db, *ty).is_some());
        let special = BY_ADDRESS.contains(&name) || BY_OWNER.contains(&name);
        match known {
            Some(ty) => {
                let uses = self.uses.entry(ty).or_default();
                match name {
                    "clone" => uses.cloned.push(site),
                    "downgrade" => uses.by_owner.push(site),
                    _ if BY_ADDRESS.contains(&name) => uses.by_address.push(site),
                    _ if BY_OWNER.contains(&name) => uses.by_owner.push(site),
                    _ => {}
                }
            }
            None if special => {
                self.open.insert(pointer);
            }
            None => {}
        }
    }
}

/// `Rc::name`, with std's own name for the pointer.
fn associated(path: &Path) -> Option<(&'static str, &str)> {
    let [.., of, name] = &path.segments[..] else {
        return None;
    };
    let pointer = OWNING.iter().find(|p| of.name == **p)?;
    Some((pointer, name.name.as_str()))
}

/// `Box::new(x)`, with its argument.
fn is_new(body: &Typed, id: ExprId) -> Option<ExprId> {
    let ExprKind::Call(callee, args) = &body.node(id).kind else {
        return None;
    };
    match (&body.node(*callee).kind, &args[..]) {
        (ExprKind::Path(path), [value]) if associated(path).is_some_and(|(_, n)| n == "new") => {
            Some(*value)
        }
        _ => None,
    }
}

fn is_callee(body: &Typed, id: ExprId) -> bool {
    let outer = body.fact(id).parent.map(|p| &body.node(p).kind);
    matches!(outer, Some(ExprKind::Call(callee, _)) if *callee == id)
}

/// The pointers that a value of a type holds without another pointer before them.
fn by_value(db: &Db<'static>, ty: Ty) -> Vec<Ty> {
    let mut found = Vec::new();
    let mut queue = vec![ty];
    while let Some(ty) = queue.pop() {
        if pointee(db, ty).is_some() {
            found.push(ty);
            continue;
        }
        match (db.types.kind(ty), std_parts(db, ty)) {
            (TyKind::Tuple(list), _) => queue.extend(list),
            (_, Some(("Option" | "Result" | "Poll", _))) => queue.extend(inner(db, ty)),
            _ => {}
        }
    }
    found
}

/// Whether a value is made where it stands.
fn source(body: &Typed, id: ExprId) -> From {
    let node = body.node(id);
    let new = match &node.kind {
        ExprKind::Macro(path, _) => {
            let name = path.segments.last().map_or("", |s| s.name.as_str());
            matches!(name, "format" | "vec")
        }
        ExprKind::Method(on, method, ..) => {
            let name = method.name.as_str();
            let literal = || matches!(body.node(*on).kind, ExprKind::Lit(Lit::Str(_)));
            COPIES.contains(&name) || name == "into" && literal()
        }
        ExprKind::Call(callee, args) => match &body.node(*callee).kind {
            ExprKind::Path(path) => {
                let name = path.segments.last().map_or("", |s| s.name.as_str());
                let literal = match &args[..] {
                    [one] => matches!(body.node(*one).kind, ExprKind::Lit(_)),
                    _ => false,
                };
                matches!(name, "new" | "default" | "from_iter") && args.len() < 2
                    || name == "from" && literal
            }
            _ => false,
        },
        ExprKind::Path(_) => match body.fact(id).target {
            Some(Target::Local(local)) => {
                let local = &body.locals[local as usize];
                let once = !local.mutable && !local.argument;
                return match local.init {
                    Some(init) if once && init != id => source(body, init),
                    _ => From::Given,
                };
            }
            _ => false,
        },
        _ => false,
    };
    match new {
        true => From::New,
        false => From::Given,
    }
}

/// Where a new value goes.
fn destination(body: &Typed, id: ExprId) -> To {
    let mut inner = id;
    for _ in 0..16 {
        let Some((outer, node)) = body.around(inner) else {
            return To::Other;
        };
        match &node.kind {
            ExprKind::Method(on, method, _, args) => {
                let name = method.name.as_str();
                if args.contains(&inner) && PUTS.contains(&name) {
                    return To::Element;
                }
                if !HANDS_ON.contains(&name) {
                    return To::Other;
                }
                if name == "collect" && *on == inner {
                    return To::Element;
                }
            }
            ExprKind::Array(_) => return To::Element,
            ExprKind::Macro(path, _) => {
                let vec = path.segments.last().is_some_and(|s| s.name == "vec");
                return match vec {
                    true => To::Element,
                    false => To::Other,
                };
            }
            ExprKind::Struct(..) | ExprKind::Assign(..) => return To::Field,
            ExprKind::Call(..) => {
                return match body.fact(outer).target {
                    Some(Target::Ctor(..)) => To::Field,
                    _ => To::Other,
                };
            }
            ExprKind::Tuple(_) | ExprKind::Closure(..) => {}
            _ => return To::Other,
        }
        inner = outer;
    }
    To::Other
}
