//! How many values of a type there are at once: what multiplies it, and what shows it.

use super::Model;
use crate::finding::{Evidence, Population};
use crate::ir::{self, ItemKind};
use crate::name::Name;
use crate::resolve::ty::{Const, GArg, Ty, TyKind};
use crate::resolve::types::Env;
use crate::resolve::{Db, ItemId};
use crate::span::Span;
use crate::usage::Usage;
use crate::usage::body::Typed;
use crate::usage::variants::Variants;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;
use std::rc::Rc;

/// Types of std whose arguments are held many times.
const STD_MANY: &[&str] = &[
    "BTreeMap",
    "BTreeSet",
    "BinaryHeap",
    "HashMap",
    "HashSet",
    "IntoIter",
    "Iter",
    "LinkedList",
    "Receiver",
    "Sender",
    "SyncSender",
    "Vec",
    "VecDeque",
];

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
    "VecDeque",
    "VecMap",
];

/// From this many elements on an array multiplies what it holds.
const LONG_ARRAY: i128 = 16;

/// Derives of types that exist once a run.
const ARGUMENTS: &[&str] = &["Args", "Parser", "StructOpt", "Subcommand"];

/// Endings of the names that people give to what exists once a run.
const SINGLE: &[&str] = &[
    "App",
    "Application",
    "Args",
    "Arguments",
    "Cli",
    "Cmd",
    "Config",
    "Configuration",
    "Opt",
    "Options",
    "Opts",
    "Settings",
    "Subcommand",
];

/// More evidence than this is not kept for one type.
const MOST: usize = 3;

/// How many values there are, and why.
#[derive(Clone, Debug)]
pub struct Counted {
    /// How many.
    pub population: Population,
    /// What shows it, the plainest first.
    pub evidence: Vec<Evidence>,
}

/// The populations of all types of the workspace.
pub struct Populations {
    /// What multiplies each type.
    many: FxHashMap<ItemId, Vec<Evidence>>,
    /// By type: those that its fields name, however far behind pointers, with the field.
    names: FxHashMap<ItemId, Vec<(ItemId, Span)>>,
    found: RefCell<FxHashMap<ItemId, Rc<Counted>>>,
}

impl Populations {
    /// Looks through every field, signature and body of the selected crates.
    pub fn find(model: &Model<'static>, usage: &Usage) -> Populations {
        let mut finder = Finder {
            db: model.db,
            parts: FxHashMap::default(),
            seen: FxHashSet::default(),
            many: FxHashMap::default(),
            names: FxHashMap::default(),
        };
        for info in model.types() {
            finder.fields(info.item, info.ty);
        }
        for body in &usage.bodies {
            finder.signature(body);
        }
        for body in &usage.bodies {
            finder.body(body);
        }
        Populations {
            many: finder.many,
            names: finder.names,
            found: RefCell::default(),
        }
    }

    /// How many values of a type there are.
    pub fn of(&self, model: &Model<'static>, variants: &Variants, item: ItemId) -> Rc<Counted> {
        if let Some(found) = self.found.borrow().get(&item) {
            return found.clone();
        }
        let counted = Rc::new(self.count(model, variants, item));
        self.found.borrow_mut().insert(item, counted.clone());
        counted
    }

    fn count(&self, model: &Model<'static>, variants: &Variants, item: ItemId) -> Counted {
        let mut evidence = self.many.get(&item).cloned().unwrap_or_default();
        let db = model.db;
        let name = db.item(item).item.name;
        if evidence.is_empty()
            && let Some((through, span)) = self.recursion(item)
        {
            let text = match through == item {
                true => format!("`{name}` holds others of its kind"),
                false => format!(
                    "`{name}` holds others of its kind, through `{}`",
                    db.item(through).item.name
                ),
            };
            evidence.push(place(db, span, text));
        }
        if evidence.is_empty()
            && let Some(site) = made_in_loop(db, variants, item)
        {
            evidence.push(place(db, site, format!("a loop makes values of `{name}`")));
        }
        if !evidence.is_empty() {
            return Counted {
                population: Population::Many,
                evidence,
            };
        }
        match self.single(model, item) {
            Some(evidence) => Counted {
                population: Population::Few,
                evidence: vec![evidence],
            },
            None => Counted {
                population: Population::Unknown,
                evidence: Vec::new(),
            },
        }
    }

    /// The field through which a type leads back to itself, and the type that has it.
    fn recursion(&self, item: ItemId) -> Option<(ItemId, Span)> {
        let mut seen = FxHashSet::default();
        let mut queue = vec![item];
        while let Some(at) = queue.pop() {
            for &(to, span) in self.names.get(&at).into_iter().flatten() {
                if to == item {
                    return Some((at, span));
                }
                if seen.insert(to) {
                    queue.push(to);
                }
            }
        }
        None
    }

    /// Why there is one value a run: the type, or all that hold it, are of that kind.
    fn single(&self, model: &Model<'static>, item: ItemId) -> Option<Evidence> {
        let db = model.db;
        if let Some(why) = said_single(db, item) {
            return Some(why);
        }
        let holders = self.names.iter();
        let mut holders = holders
            .filter(|(h, to)| **h != item && to.iter().any(|(t, _)| *t == item))
            .map(|(h, _)| *h)
            .peekable();
        holders.peek()?;
        let mut first: Option<Evidence> = None;
        let mut list: Vec<ItemId> = holders.collect();
        list.sort_by_cached_key(|id| db.item_path(*id));
        for holder in list {
            let why = said_single(db, holder)?;
            first.get_or_insert(why);
        }
        first
    }
}

fn place(db: &Db<'static>, span: Span, text: String) -> Evidence {
    Evidence {
        span: Some(db.sources.origin(span).0),
        text,
    }
}

/// A type that says of itself that it exists once.
fn said_single(db: &Db<'static>, item: ItemId) -> Option<Evidence> {
    let data = db.item(item).item;
    let derives = data.attrs.list.iter();
    let derives = derives.filter(|a| a.meta.path == [Name::new("derive")]);
    let mut derived = derives.flat_map(|a| &a.meta.list);
    let arguments = derived.any(|m| {
        m.path
            .last()
            .is_some_and(|n| ARGUMENTS.contains(&n.as_str()))
    });
    let name = data.name.as_str();
    let text = match () {
        () if arguments => format!("`{name}` is read from the command line, once"),
        () if SINGLE.iter().any(|s| name.ends_with(s)) => {
            format!("by its name, `{name}` exists once")
        }
        () => return None,
    };
    Some(place(db, data.name_span, text))
}

/// A loop outside of tests in which a value is built, unless it is part of an error.
fn made_in_loop(db: &Db<'static>, variants: &Variants, item: ItemId) -> Option<Span> {
    let ItemKind::Adt(adt) = &db.item(item).item.kind else {
        return None;
    };
    let all = (0..adt.variants.len()).filter_map(|v| variants.of(item, v as u32));
    let mut built = all.flat_map(|u| &u.built);
    let found = built.find(|b| b.site.loops > 0 && !b.site.aside && !b.error);
    found.map(|b| b.site.span)
}

struct Finder {
    db: &'static Db<'static>,
    /// By type: the types of the workspace that it is or holds by value.
    parts: FxHashMap<Ty, Rc<[ItemId]>>,
    /// Types that were taken apart already.
    seen: FxHashSet<Ty>,
    many: FxHashMap<ItemId, Vec<Evidence>>,
    names: FxHashMap<ItemId, Vec<(ItemId, Span)>>,
}

impl Finder {
    fn fields(&mut self, item: ItemId, ty: Ty) {
        let db = self.db;
        let data = db.item(item).item;
        let ItemKind::Adt(adt) = &data.kind else {
            return;
        };
        let types = field_types(db, ty);
        for (variant, types) in adt.variants.iter().zip(types) {
            for (field, ty) in variant.fields.iter().zip(types) {
                let mut named = Vec::new();
                self.named(ty, &mut named, 0);
                let links = self.names.entry(item).or_default();
                links.extend(named.into_iter().map(|to| (to, field.ty_span)));
                let of = match (adt.kind, field.name.as_str()) {
                    (ir::AdtKind::Enum, _) => format!("`{}::{}`", data.name, variant.name),
                    (_, name) => format!("`{name}` of `{}`", data.name),
                };
                let what = |db: &Db<'static>, ty| format!("{of} holds `{}`", db.display(ty));
                self.multiplied(ty, field.ty_span, &what);
            }
        }
    }

    fn signature(&mut self, body: &Typed) {
        if body.function.aside {
            return;
        }
        let db = self.db;
        let function = db.item(body.function.item).item;
        let name = &body.function.path;
        let what = |db: &Db<'static>, ty| format!("`{name}` gives `{}`", db.display(ty));
        self.multiplied(body.output, function.name_span, &what);
        for local in body.locals.iter().filter(|l| l.argument) {
            let what = |db: &Db<'static>, ty| format!("`{name}` takes `{}`", db.display(ty));
            let span = body.function.body.pat(local.pat).span;
            self.multiplied(local.ty, span, &what);
        }
    }

    fn body(&mut self, body: &Typed) {
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

    /// Notes what a type holds many of.
    fn multiplied(&mut self, ty: Ty, span: Span, what: &dyn Fn(&Db<'static>, Ty) -> String) {
        if !self.seen.insert(ty) {
            return;
        }
        let db = self.db;
        let many: Vec<Ty> = match db.types.kind(ty) {
            TyKind::Slice(element) => vec![*element],
            TyKind::Array(element, Const::Value(LONG_ARRAY..)) => vec![*element],
            TyKind::Adt(id, args) if self.is_many(*id) => types_of(args).collect(),
            TyKind::Dyn(_, bindings) => {
                let items = bindings.iter().filter(|(name, _)| *name == "Item");
                items.map(|(_, ty)| *ty).collect()
            }
            _ => Vec::new(),
        };
        for element in many {
            for &item in self.parts(element).iter() {
                let evidence = self.many.entry(item).or_default();
                if evidence.len() < MOST {
                    evidence.push(place(db, span, shown(what(db, ty))));
                }
            }
        }
        let inner: Vec<Ty> = match db.types.kind(ty) {
            TyKind::Ref(ty, _) | TyKind::Ptr(ty, _) | TyKind::Slice(ty) | TyKind::Array(ty, _) => {
                vec![*ty]
            }
            TyKind::Tuple(list) => list.to_vec(),
            TyKind::Adt(_, args) => types_of(args).collect(),
            TyKind::Dyn(_, bindings) => bindings.iter().map(|(_, ty)| *ty).collect(),
            _ => Vec::new(),
        };
        for ty in inner {
            self.multiplied(ty, span, what);
        }
    }

    fn is_many(&self, id: ItemId) -> bool {
        let data = self.db.item(id);
        let krate = self.db.krate_of(data.module);
        let name = data.item.name.as_str();
        match krate == self.db.std() {
            true => STD_MANY.contains(&name),
            false => MANY.contains(&name),
        }
    }

    /// The types of the workspace that a type is or holds by value.
    fn parts(&mut self, ty: Ty) -> Rc<[ItemId]> {
        if let Some(parts) = self.parts.get(&ty) {
            return parts.clone();
        }
        // A type that holds itself by value has no more parts.
        self.parts.insert(ty, Rc::default());
        let db = self.db;
        let mut found = Vec::new();
        match db.types.kind(ty) {
            TyKind::Adt(id, _) => {
                let fields = field_types(db, ty);
                for ty in fields.into_iter().flatten() {
                    found.extend(self.parts(ty).iter());
                }
                if db.krate(db.krate_of(db.item(*id).module)).own {
                    found.push(*id);
                }
            }
            TyKind::Tuple(list) => {
                for ty in list {
                    found.extend(self.parts(*ty).iter());
                }
            }
            TyKind::Array(element, _) => found.extend(self.parts(*element).iter()),
            _ => {}
        }
        found.sort_unstable();
        found.dedup();
        let found: Rc<[ItemId]> = found.into();
        self.parts.insert(ty, found.clone());
        found
    }

    /// The types of the workspace that a type names, however far inside.
    fn named(&self, ty: Ty, found: &mut Vec<ItemId>, depth: u32) {
        let db = self.db;
        if depth > 16 {
            return;
        }
        match db.types.kind(ty) {
            TyKind::Adt(id, args) => {
                if db.krate(db.krate_of(db.item(*id).module)).own {
                    found.push(*id);
                }
                types_of(args).for_each(|ty| self.named(ty, found, depth + 1));
            }
            TyKind::Ref(ty, _) | TyKind::Ptr(ty, _) | TyKind::Slice(ty) | TyKind::Array(ty, _) => {
                self.named(*ty, found, depth + 1);
            }
            TyKind::Tuple(list) => list.iter().for_each(|ty| self.named(*ty, found, depth + 1)),
            _ => {}
        }
    }
}

fn types_of(args: &[GArg]) -> impl Iterator<Item = Ty> {
    args.iter().filter_map(|a| match a {
        GArg::Ty(ty) => Some(*ty),
        GArg::Const(_) => None,
    })
}

/// The one type of all iterators is called what people call it.
fn shown(text: String) -> String {
    text.replace("methods::Iter<", "Iterator<")
}

/// The types of the fields of each variant of a type.
pub fn field_types(db: &Db<'static>, ty: Ty) -> Vec<Vec<Ty>> {
    let TyKind::Adt(id, args) = db.types.kind(ty) else {
        return Vec::new();
    };
    let data = db.item(*id);
    let ItemKind::Adt(adt) = &data.item.kind else {
        return Vec::new();
    };
    let params = db.bind(*id, args);
    let env = Env {
        module: data.module,
        params: &params,
        self_ty: Some(ty),
        item: Some(*id),
    };
    let fields = |v: &ir::Variant| v.fields.iter().map(|f| db.lower(&f.ty, &env)).collect();
    adt.variants.iter().map(fields).collect()
}
