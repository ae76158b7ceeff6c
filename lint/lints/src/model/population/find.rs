//! Finds what multiplies types: collections, channels, arenas and iterators, wherever they occur.

use super::said_single;
use super::shown::Shown;
use crate::budget::{self, Purse};
use crate::ir::{AdtKind, ItemKind};
use crate::lists::Lists;
use crate::resolve::ty::{Const, Prim, Ty, TyKind};
use crate::resolve::{Db, ItemId};
use crate::span::Span;
use crate::usage::body::Typed;
use crate::usage::types::{
    COLLECTIONS, adt_of, as_lent, field_types, inner, is_marked_item, is_own, is_std, pointee,
    std_first, std_name, types_of,
};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::{SmallVec, smallvec};
use std::collections::VecDeque;
use std::rc::Rc;

/// Types of other crates that are collections, channels or arenas, by name.
const MANY: &[&str] = &[
    "Arena",
    "ArrayQueue",
    "ArrayVec",
    "BoundedReceiver",
    "BoundedSender",
    "DashMap",
    "DenseMap",
    "EntityVec",
    "FxHashMap",
    "FxHashSet",
    "FxIndexMap",
    "FxIndexSet",
    "HashMap",
    "HashSet",
    "IdVec",
    "IndexMap",
    "IndexSet",
    "IndexVec",
    "LinkedHashMap",
    "NonEmpty",
    "PrimaryMap",
    "Punctuated",
    "Receiver",
    "SecondaryMap",
    "SegQueue",
    "Sender",
    "Slab",
    "SlotMap",
    "SmallVec",
    "ThinVec",
    "TiVec",
    "TinyVec",
    "TypedArena",
    "UnboundedReceiver",
    "UnboundedSender",
    "UniqueArena",
    "Vec",
    "VecDeque",
    "VecMap",
];

/// The ends of channels in the lists above.
const ENDS: &[&str] = &[
    "BoundedReceiver",
    "BoundedSender",
    "Receiver",
    "Sender",
    "SyncSender",
    "UnboundedReceiver",
    "UnboundedSender",
];

/// Iterators: their elements are soon taken out, as with channels.
const PASSING: &str = "Iter";

/// Types that lead to data with another or a shared owner: tree nodes are not kept behind a lock,
/// nor behind the end of a channel.
const SHARING: &[&str] = &["Mutex", "RwLock", "Weak"];

/// From this many elements on, an array multiplies its element type.
const LONG_ARRAY: i128 = 16;

/// Maximum nesting of generic types of the workspace that are taken apart.
const DEEPEST: usize = 4;

/// With more parts, a foreign type is not examined.
const MOST_PARTS: usize = 64;

/// A type that a field names.
#[derive(Clone, Copy)]
pub(super) struct Named {
    /// The type.
    pub to: ItemId,
    /// The field's type.
    pub span: Span,
    /// Whether it is reached through a lock or a non-owning pointer.
    pub shared: bool,
    /// Number of collections around it, without channels and maps with string keys.
    pub times: u8,
    /// The type of another crate than std of which it is an argument, or part of one, and that
    /// argument.
    pub given: Option<(Ty, Ty)>,
}

/// Takes types apart, each once.
pub(super) struct Finder {
    db: &'static Db<'static>,
    /// Types of the workspace that each type is or holds by value.
    parts: FxHashMap<Ty, Rc<[ItemId]>>,
    no_parts: Rc<[ItemId]>,
    /// Types that each type holds by value, one level down.
    direct: FxHashMap<Ty, Rc<[Ty]>>,
    /// Budget for instances of generic types, which may generate ever more.
    purse: Purse,
    /// Types already taken apart.
    seen: FxHashSet<Ty>,
    /// Those of `seen` that were examined only inside a type that they hold.
    inner: FxHashSet<Ty>,
    /// Generic types around the current one, the outermost first.
    around: Vec<(ItemId, Ty)>,
    /// Evidence of what multiplies each type.
    pub many: Shown,
    /// Fields that store each type in a collection. A map with string keys counts only if nothing
    /// else does.
    pub stored: FxHashMap<ItemId, FxHashSet<Span>>,
    /// The same for collections behind a sharing pointer: another field may lead to the same one.
    pub lent: FxHashMap<ItemId, FxHashSet<Span>>,
    /// Types that channels pass on.
    pub passing: FxHashSet<ItemId>,
    /// Elements of collections in fields, by the types that they are or hold by value. Maps with
    /// string keys do not count: names are few.
    pub kept: Lists<ItemId, Ty>,
    /// Pointees that fields own, by the types that they are or hold by value.
    pub owned: Lists<ItemId, Ty>,
    /// Whether the current type is that of a field.
    in_field: bool,
    /// Types of the workspace that collections inside each type store.
    inside: FxHashMap<Ty, Rc<[ItemId]>>,
    /// Types that the fields of each type name, at any depth of pointers, with the field.
    pub names: FxHashMap<ItemId, Vec<Named>>,
}

impl Finder {
    pub(super) fn new(db: &'static Db<'static>) -> Finder {
        Finder {
            db,
            parts: FxHashMap::default(),
            no_parts: Rc::default(),
            direct: FxHashMap::default(),
            purse: Purse::new(budget::INSTANCES),
            seen: FxHashSet::default(),
            inner: FxHashSet::default(),
            around: Vec::new(),
            many: Shown::default(),
            stored: FxHashMap::default(),
            lent: FxHashMap::default(),
            passing: FxHashSet::default(),
            kept: Lists::default(),
            owned: Lists::default(),
            in_field: false,
            inside: FxHashMap::default(),
            names: FxHashMap::default(),
        }
    }

    /// Returns every instance of a generic type of the workspace, sorted by name.
    pub(super) fn instances(&self) -> FxHashMap<ItemId, Vec<Ty>> {
        let db = self.db;
        let mut found: FxHashMap<ItemId, Vec<Ty>> = FxHashMap::default();
        for &ty in &self.seen {
            if let TyKind::Adt(id, args) = db.types.kind(ty)
                && !args.is_empty()
                && is_own(db, *id)
            {
                found.entry(*id).or_default().push(ty);
            }
        }
        for list in found.values_mut() {
            list.sort_by_cached_key(|ty| db.display(*ty));
        }
        found
    }

    pub(super) fn fields(&mut self, item: ItemId, ty: Ty) {
        let db = self.db;
        let data = db.item(item).item;
        let ItemKind::Adt(adt) = &data.kind else {
            return;
        };
        let types = field_types(db, ty);
        self.in_field = true;
        let single = said_single(db, item).is_some();
        let mut names = Vec::new();
        for (variant, types) in adt.variants.iter().zip(types) {
            for (field, ty) in variant.fields.iter().zip(types) {
                self.named(ty, field.ty_span, Way::default(), &mut names);
                let what = |db: &Db<'static>, ty| {
                    let (whole, name) = (data.name, field.name);
                    let held = db.display(ty);
                    match adt.kind {
                        AdtKind::Enum => {
                            format!("`{whole}::{}::{name}` holds `{held}`", variant.name)
                        }
                        _ => format!("`{whole}::{name}` holds `{held}`"),
                    }
                };
                self.multiplied(ty, field.ty_span, &what);
                let inside = self.inside(ty, 0);
                let by_field = match is_sharing(db, ty) {
                    true => &mut self.lent,
                    false => &mut self.stored,
                };
                for &stored in inside.iter().filter(|_| !single) {
                    let fields = by_field.entry(stored).or_default();
                    fields.insert(field.ty_span);
                }
            }
        }
        self.in_field = false;
        if !names.is_empty() {
            names.shrink_to_fit();
            self.names.insert(item, names);
        }
    }

    pub(super) fn signature(&mut self, body: &Typed) {
        if body.function.aside {
            return;
        }
        let db = self.db;
        let function = db.item(body.function.item).item;
        let name = &body.function.path;
        let gives =
            |db: &Db<'static>, ty| format!("`{name}` returns `{}`", as_lent(db, body.output, ty));
        self.multiplied(body.output, function.name_span, &gives);
        for local in body.locals.iter().filter(|l| l.argument) {
            let what =
                |db: &Db<'static>, ty| format!("`{name}` takes `{}`", as_lent(db, local.ty, ty));
            let span = body.function.body.pat(local.pat).span;
            self.multiplied(local.ty, span, &what);
        }
    }

    pub(super) fn body(&mut self, body: &Typed) {
        if body.function.aside {
            return;
        }
        for local in body.locals.iter().filter(|l| !l.argument) {
            let span = body.function.body.pat(local.pat).span;
            let name = local.name;
            let what = |db: &Db<'static>, ty| format!("`{name}` is `{}`", db.display(ty));
            self.multiplied(local.ty, span, &what);
        }
        for (_, node, fact) in body.exprs() {
            let what = |db: &Db<'static>, ty| format!("here is `{}`", db.display(ty));
            self.multiplied(fact.ty, node.span, &what);
        }
    }

    /// Records the types that `ty` holds many values of.
    fn multiplied(&mut self, ty: Ty, span: Span, what: &dyn Fn(&Db<'static>, Ty) -> String) {
        self.purse.begin(0);
        let again = self.around.is_empty() && self.inner.remove(&ty);
        if !self.seen.insert(ty) && !again {
            return;
        }
        let db = self.db;
        let passing = self.is_passing(ty);
        let by_name = self.is_by_name(ty);
        if let Some(owned) = pointee(db, ty).filter(|_| self.in_field) {
            for &item in self.parts(owned).iter() {
                self.owned.add(item, owned);
            }
        }
        for element in self.elements(ty) {
            for &item in self.parts(element).iter() {
                if passing && self.name_of(ty).is_some_and(|name| name != PASSING) {
                    self.passing.insert(item);
                }
                if self.in_field && !passing {
                    self.stored.entry(item).or_default();
                    if !by_name {
                        self.kept.add(item, element);
                    }
                }
                // Recursion alone does not show where all the values are.
                if self.around.iter().any(|(id, _)| *id == item) {
                    self.inner.insert(ty);
                    continue;
                }
                let is_element = adt_of(db, element) == Some(item);
                let text = || {
                    let text = match self.around.first() {
                        Some((_, whole)) => {
                            format!("{}, with `{}` inside", what(db, *whole), db.display(ty))
                        }
                        None => {
                            let text = what(db, ty).replace("`Iter<", "`Iterator<Item = ");
                            // What a signature gives by value is no trait object.
                            text.replace("`dyn ", "`impl ")
                        }
                    };
                    match is_element {
                        true => text,
                        // Otherwise the text may not name it.
                        false => format!("{text}; `{}` is a part of that", db.item(item).item.name),
                    }
                };
                let place = Some(db.sources.origin(span).0);
                self.many.add(item, is_element, place, text);
            }
        }
        let inside: SmallVec<[Ty; 2]> = match db.types.kind(ty) {
            TyKind::Dyn(_, bindings, _) => bindings.iter().map(|(_, ty)| *ty).collect(),
            _ => inner(db, ty),
        };
        for ty in inside {
            self.multiplied(ty, span, what);
        }
        // A collection of another package holds as many elements as the std collection inside it; the
        // buffer inside a channel does not.
        if let TyKind::Adt(id, args) = db.types.kind(ty)
            && !passing
            && types_of(args).next().is_some()
            && self.around.len() < DEEPEST
            && db.krate_of(db.item(*id).module) != db.std()
        {
            self.around.push((*id, ty));
            for ty in field_types(db, ty).into_iter().flatten() {
                self.multiplied(ty, span, what);
            }
            self.around.pop();
        }
    }

    /// Returns the types of the workspace that collections in a type store, without channels and
    /// without maps with string keys.
    fn inside(&mut self, ty: Ty, depth: usize) -> Rc<[ItemId]> {
        if let Some(found) = self.inside.get(&ty) {
            return found.clone();
        }
        if self.elements(ty).is_empty() && inner(self.db, ty).is_empty() {
            return self.no_parts.clone();
        }
        self.inside.insert(ty, Rc::default());
        let db = self.db;
        let mut found = Vec::new();
        let passing = self.is_passing(ty);
        if !passing && !self.is_by_name(ty) {
            for element in self.elements(ty) {
                found.extend(self.parts(element).iter());
            }
        }
        let mut types = inner(db, ty);
        if let TyKind::Adt(id, args) = db.types.kind(ty)
            && !passing
            && types_of(args).next().is_some()
            && depth < DEEPEST
            && db.krate_of(db.item(*id).module) != db.std()
        {
            types.extend(field_types(db, ty).into_iter().flatten());
        }
        for ty in types {
            found.extend(self.inside(ty, depth + 1).iter());
        }
        found.sort_unstable();
        found.dedup();
        let found: Rc<[ItemId]> = found.into();
        self.inside.insert(ty, found.clone());
        found
    }

    /// Returns the types that a type holds or yields many values of.
    fn elements(&self, ty: Ty) -> SmallVec<[Ty; 2]> {
        match self.db.types.kind(ty) {
            TyKind::Slice(element) => smallvec![*element],
            TyKind::Array(element, Const::Value(LONG_ARRAY..)) => smallvec![*element],
            TyKind::Adt(id, args) if self.is_many(*id) => types_of(args).collect(),
            TyKind::Dyn(_, bindings, _) => {
                let items = bindings.iter().filter(|(name, _)| *name == "Item");
                items.map(|(_, ty)| *ty).collect()
            }
            _ => SmallVec::new(),
        }
    }

    /// Returns true for a channel end or iterator, whose elements are soon taken out.
    fn is_passing(&self, ty: Ty) -> bool {
        let name = self.name_of(ty);
        name.is_some_and(|name| name == PASSING || ENDS.contains(&name))
            || matches!(self.db.types.kind(ty), TyKind::Dyn(..))
    }

    /// Returns the name of a struct, enum or union.
    fn name_of(&self, ty: Ty) -> Option<&'static str> {
        adt_of(self.db, ty).map(|id| self.db.item(id).item.name.as_str())
    }

    /// Returns true for a map with string keys.
    fn is_by_name(&self, ty: Ty) -> bool {
        let TyKind::Adt(_, args) = self.db.types.kind(ty) else {
            return false;
        };
        let mut types = types_of(args);
        let (key, value) = (types.next(), types.next());
        value.is_some() && key.is_some_and(|key| self.is_text(key))
    }

    fn is_text(&self, ty: Ty) -> bool {
        let db = self.db;
        match db.types.kind(ty) {
            TyKind::Prim(Prim::Str) => true,
            TyKind::Ref(inner, _) => self.is_text(*inner),
            _ => match std_first(db, ty, &["Arc", "Box", "Cow", "Rc"]) {
                Some(inner) => self.is_text(inner),
                None => is_std(db, ty, "String"),
            },
        }
    }

    fn is_many(&self, id: ItemId) -> bool {
        match std_name(self.db, id) {
            Some("IntoIter" | PASSING) => true,
            Some(name) if ENDS.contains(&name) => true,
            Some(_) => is_marked_item(self.db, id, COLLECTIONS),
            None => MANY.contains(&self.db.item(id).item.name.as_str()),
        }
    }

    /// Returns the types of the workspace that a type is or holds by value; if too many, the
    /// nearest.
    fn parts(&mut self, ty: Ty) -> Rc<[ItemId]> {
        if let Some(parts) = self.parts.get(&ty) {
            return parts.clone();
        }
        if self.db.holds_nothing_own(ty) {
            return self.no_parts.clone();
        }
        let mut found = Vec::new();
        let mut seen = FxHashSet::from_iter([ty]);
        let mut queue = VecDeque::from([ty]);
        while let Some(ty) = queue.pop_front() {
            if !self.purse.spend(1) {
                break;
            }
            found.extend(adt_of(self.db, ty).filter(|id| is_own(self.db, *id)));
            let direct = self.direct(ty);
            let parts = direct.iter().copied();
            let parts = parts.filter(|part| !self.db.holds_nothing_own(*part));
            queue.extend(parts.filter(|part| seen.insert(*part)));
        }
        found.sort_unstable();
        found.dedup();
        let found: Rc<[ItemId]> = found.into();
        self.parts.insert(ty, found.clone());
        found
    }

    /// Returns the types that a type holds by value, one level down.
    fn direct(&mut self, ty: Ty) -> Rc<[Ty]> {
        if let Some(direct) = self.direct.get(&ty) {
            return direct.clone();
        }
        let db = self.db;
        let mut found: Vec<Ty> = Vec::new();
        match db.types.kind(ty) {
            TyKind::Adt(id, args) => {
                let mut fields = field_types(db, ty);
                // Few of many results are errors.
                if is_std(db, ty, "Result") {
                    fields = smallvec![types_of(args).take(1).collect()];
                }
                let is_struct = matches!(
                    &db.item(*id).item.kind,
                    ItemKind::Adt(adt) if adt.kind == AdtKind::Struct
                );
                // Each value of a struct owns the pointees of its boxes.
                let owned = |ty| std_first(db, ty, &["Box"]).filter(|_| is_struct);
                let fields = fields.into_iter().flatten();
                found.extend(fields.map(|ty| owned(ty).unwrap_or(ty)));
            }
            TyKind::Tuple(list) => found.extend(list),
            TyKind::Array(element, _) => found.push(*element),
            _ => {}
        }
        // In source order, since the budget may end at any of them.
        let mut seen = FxHashSet::default();
        found.retain(|ty| seen.insert(*ty));
        let found: Rc<[Ty]> = found.into();
        self.direct.insert(ty, found.clone());
        found
    }

    /// Collects the types of the workspace that a type names, at any depth.
    fn named(&self, ty: Ty, span: Span, way: Way, found: &mut Vec<Named>) {
        let db = self.db;
        let Way {
            depth,
            mut shared,
            mut times,
            given,
        } = way;
        // A marker holds nothing.
        if depth > 16 || is_std(db, ty, "PhantomData") {
            return;
        }
        let keeps = !self.is_by_name(ty) && !self.is_passing(ty);
        if keeps && !self.elements(ty).is_empty() {
            times += 1;
        }
        if let TyKind::Adt(id, _) = db.types.kind(ty) {
            if is_own(db, *id) {
                let to = *id;
                found.push(Named {
                    to,
                    span,
                    shared,
                    times,
                    given,
                });
            }
            let name = db.item(*id).item.name.as_str();
            shared |= SHARING.contains(&name) || ENDS.contains(&name);
        }
        for inside in inner(db, ty) {
            let way = Way {
                depth: depth + 1,
                shared,
                times,
                given: given.or_else(|| is_foreign(db, ty).then_some((ty, inside))),
            };
            self.named(inside, span, way, found);
        }
    }
}

/// Returns true for a type that another crate than std defines.
fn is_foreign(db: &Db<'static>, ty: Ty) -> bool {
    adt_of(db, ty).is_some_and(|id| !is_own(db, id) && std_name(db, id).is_none())
}

/// Returns true if a type of another crate than std has a part of this type by its fields, or may
/// have one: an argument may occur in signatures only. This reads the modules of that crate.
pub(super) fn leads_to(db: &Db<'static>, whole: Ty, part: Ty) -> bool {
    let mut seen = FxHashSet::from_iter([whole]);
    let mut open = vec![whole];
    while let Some(ty) = open.pop() {
        if ty == part || seen.len() > MOST_PARTS || matches!(db.types.kind(ty), TyKind::Unknown(_))
        {
            return true;
        }
        let parts: SmallVec<[Ty; 2]> = match is_foreign(db, ty) {
            true => field_types(db, ty).into_iter().flatten().collect(),
            false => inner(db, ty),
        };
        open.extend(parts.into_iter().filter(|part| seen.insert(*part)));
    }
    false
}

/// Returns true for a pointer with shared ownership, or an `Option` of one.
fn is_sharing(db: &Db<'static>, ty: Ty) -> bool {
    match std_first(db, ty, &["Option"]) {
        Some(inside) => is_sharing(db, inside),
        None => std_first(db, ty, &["Arc", "Rc"]).is_some(),
    }
}

/// What lies between a field and a type that it names.
#[derive(Clone, Copy, Default)]
struct Way {
    /// Number of types of any kind.
    depth: u32,
    /// Whether a lock or a non-owning pointer is among them.
    shared: bool,
    /// Number of collections.
    times: u8,
    /// The outermost type of another crate than std, and its argument.
    given: Option<(Ty, Ty)>,
}
