//! How many values of a type exist at once: what multiplies it, and the evidence.

mod find;
mod namers;
mod shown;

use super::{Model, freezing};
use crate::finding::{Evidence, Multiplicity};
use crate::ir::ItemKind;
use crate::layout::WhatIf;
use crate::lists::Lists;
use crate::memo::Memo;
use crate::resolve::ty::{Ty, TyKind};
use crate::resolve::{Db, ItemId};
use crate::span::Span;
use crate::usage::Usage;
use crate::usage::types::{adt_of, field_types, fields_of, may_be};
use crate::usage::variants::Variants;
use find::{Finder, Named};
use namers::Namers;
use rustc_hash::{FxHashMap, FxHashSet};
use shown::Shown;
use std::sync::Arc;

/// Derives of types that exist once per run.
const ARGUMENTS: &[&str] = &["Args", "Parser", "StructOpt", "Subcommand"];

/// Common suffixes of the names of types that exist once per run.
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

/// The multiplicity of a type, and why.
#[derive(Clone, Debug)]
pub struct Counted {
    /// How many values there are.
    pub multiplicity: Multiplicity,
    /// The evidence, the clearest first.
    pub evidence: Vec<Evidence>,
    /// Elements of collections in fields that are of this type or hold it by value; for a recursive
    /// type, the pointees that hold it.
    pub kept: Vec<Ty>,
    /// Whether a channel passes it on, and few fields also store it.
    pub channel: bool,
    /// Whether a collection, channel or iterator of it occurs in a signature, body or field.
    pub passed: bool,
}

/// From this many variants on, a value is rarely of a given one.
const VERY_MANY: usize = 128;

/// Maximum number of parts of an element that are examined.
const MOST_PARTS: usize = 1024;

/// Nesting depth of collections beyond which no difference is made.
const NESTED: u8 = 2;

impl Counted {
    /// Returns the clearest evidence.
    pub fn plainest(&self) -> Option<Evidence> {
        self.evidence.first().cloned()
    }

    /// Narrows this to one instance of a generic type: collections that do not store that instance
    /// are no evidence for it.
    pub fn of_instance(&self, model: &Model<'static>, ty: Ty) -> Counted {
        let mut counted = self.clone();
        counted.kept.retain(|element| holds(model.db, *element, ty));
        if counted.kept.is_empty() && !self.kept.is_empty() {
            counted.multiplicity = Multiplicity::Unknown;
            counted.evidence.clear();
            (counted.channel, counted.passed) = (false, false);
        }
        counted
    }

    /// Returns the bytes of the stored element before and after a change. `own` are the bytes of
    /// the type itself before and after.
    pub fn slot(
        &self,
        model: &Model<'static>,
        change: &WhatIf,
        item: ItemId,
        own: (u64, u64),
    ) -> Option<(u64, u64)> {
        if self.kept.is_empty() {
            return Some(own);
        }
        let same = (own.0, own.0);
        Some(self.loss(model, change, item, own).unwrap_or(same))
    }

    /// Returns the bytes before and after a change, for the stored element that shrinks by the
    /// largest share. `own` are the bytes of the type itself, used where the element's size is
    /// unknown.
    pub fn loss(
        &self,
        model: &Model<'static>,
        change: &WhatIf,
        item: ItemId,
        own: (u64, u64),
    ) -> Option<(u64, u64)> {
        let sizes = self.kept.iter().filter_map(|&ty| {
            let both = model.size(ty).zip(model.size_if(ty, change));
            both.or((adt_of(model.db, ty) == Some(item)).then_some(own))
        });
        let less = sizes.filter(|(before, after)| after < before);
        less.min_by(|a, b| (a.1 * b.0).cmp(&(b.1 * a.0)))
    }
}

/// The multiplicities of all types of the workspace.
pub struct Populations {
    /// Evidence of what multiplies each type.
    many: Shown,
    /// Fields, except of singletons, that store each type in a collection.
    stored: FxHashMap<ItemId, FxHashSet<Span>>,
    /// The same for collections with shared ownership.
    lent: FxHashMap<ItemId, FxHashSet<Span>>,
    /// Types that channels pass on.
    passing: FxHashSet<ItemId>,
    /// Elements of collections in fields, by type.
    kept: Lists<ItemId, Ty>,
    /// Pointees that fields own, by type.
    owned: Lists<ItemId, Ty>,
    /// The instances of generic types that occur, sorted by name.
    pub instances: FxHashMap<ItemId, Vec<Ty>>,
    /// Which types name which, and their cycles.
    namers: Namers,
    /// Number of collections on the path from a field to each type.
    nested: FxHashMap<ItemId, u8>,
    found: Memo<ItemId, Arc<Counted>>,
}

impl Populations {
    /// Examines every field, signature and body of the selected crates.
    pub fn find(model: &Model<'static>, usage: &Usage) -> Populations {
        let mut finder = Finder::new(model.db);
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
            instances: finder.instances(),
            many: finder.many,
            stored: finder.stored,
            lent: finder.lent,
            passing: finder.passing,
            kept: finder.kept,
            owned: finder.owned,
            nested: nested(&finder.names),
            namers: Namers::find(model.db, &mut finder.names),
            found: Memo::default(),
        }
    }

    /// Returns how many values of a type there are.
    pub fn of(&self, model: &Model<'static>, variants: &Variants, item: ItemId) -> Arc<Counted> {
        if let Some(found) = self.found.get(&item) {
            return found;
        }
        let counted = Arc::new(self.count(model, variants, item));
        self.found.keep(item, counted)
    }

    fn count(&self, model: &Model<'static>, variants: &Variants, item: ItemId) -> Counted {
        let db = model.db;
        let one_of_many = self.is_one_of_many(db, item);
        let mut evidence = match one_of_many {
            true => Vec::new(),
            false => self.many.of(item).to_vec(),
        };
        let name = db.item(item).item.name;
        let held = !evidence.is_empty();
        let mut kept = self.kept.of(&item).to_vec();
        if kept.is_empty() && self.recursion(item).is_some() {
            kept = self.owned.of(&item).to_vec();
        }
        if !held && let Some((through, span)) = self.recursion(item) {
            let text = match through == item {
                true => format!("`{name}` is recursive"),
                false => format!(
                    "`{name}` is recursive through `{}`",
                    db.item(through).item.name
                ),
            };
            evidence.push(model.evidence(span, text));
        }
        let recursive = self.is_recursive(item);
        // Collections that several owners share may be the same one: they count as one.
        let lent = self.lent.get(&item).map(|fields| fields.len().min(1));
        let stored = self.stored.get(&item).map(FxHashSet::len).max(lent);
        let stored = stored.filter(|_| !one_of_many);
        let multiplicity = match (stored, evidence.is_empty()) {
            (Some(fields), _) => Multiplicity::Stored {
                depth: match recursive || self.is_nested(item) {
                    true => NESTED,
                    false => 1,
                },
                holders: fields as u16 + 2 * u16::from(recursive),
            },
            (None, false) if recursive => Multiplicity::Stored {
                depth: NESTED,
                holders: 2,
            },
            (None, false) => Multiplicity::Transient,
            (None, true) => match self.single(model, item) {
                Some(why) => {
                    evidence.push(why);
                    Multiplicity::Singleton
                }
                // Checked last: a loop that reads arguments builds one configuration, again and
                // again.
                None => match made_in_loop(db, variants, item) {
                    Some(site) => {
                        let text = format!("`{name}` is constructed in a loop");
                        evidence.push(model.evidence(site, text));
                        Multiplicity::Transient
                    }
                    None => Multiplicity::Unknown,
                },
            },
        };
        let passing = self.passing.contains(&item);
        Counted {
            multiplicity,
            evidence,
            kept,
            channel: passing && !multiplicity.is_held_by_many(),
            passed: held,
        }
    }

    /// Returns every field that stores a type in a collection, except of types that exist once.
    pub fn stored_by(&self, model: &Model<'static>, item: ItemId) -> Vec<Evidence> {
        if self.is_one_of_many(model.db, item) {
            return Vec::new();
        }
        let spans = [self.stored.get(&item), self.lent.get(&item)];
        let spans: FxHashSet<Span> = spans.into_iter().flatten().flatten().copied().collect();
        let db = model.db;
        let mut found = Vec::new();
        for info in model.types() {
            for (id, ty) in fields_of(db, info.item, info.ty) {
                if freezing::ty_span(model, id).is_some_and(|span| spans.contains(&span)) {
                    let (path, held) = (freezing::field_path(model, id), db.display(ty));
                    let span = freezing::field_span(model, info, id);
                    found.push(place(db, span, format!("`{path}` holds `{held}`")));
                }
            }
        }
        found
    }

    /// Returns true if only fields of these types name a type.
    pub fn is_named_only_in(&self, item: ItemId, types: &FxHashSet<ItemId>) -> bool {
        self.others(item).all(|other| types.contains(&other))
    }

    fn others(&self, item: ItemId) -> impl Iterator<Item = ItemId> {
        let others = self.namers.of(item).iter().copied();
        others.filter(move |other| *other != item)
    }

    /// Returns true for a type that only enums with very many variants hold: a collection of those
    /// is no evidence for it.
    fn is_one_of_many(&self, db: &Db<'static>, item: ItemId) -> bool {
        let varied = |other| match &db.item(other).item.kind {
            ItemKind::Adt(adt) => adt.variants.len() >= VERY_MANY,
            _ => false,
        };
        let mut others = self.others(item).peekable();
        others.peek().is_some() && others.all(varied) && !self.is_recursive(item)
    }

    /// Returns true for a recursive type.
    pub fn is_recursive(&self, item: ItemId) -> bool {
        self.recursion(item).is_some()
    }

    /// Returns true for a type that is reached through a collection inside another, by pointers or
    /// not.
    pub fn is_nested(&self, item: ItemId) -> bool {
        self.nested.get(&item) == Some(&NESTED)
    }

    /// Returns the field through which a type is recursive, and the type that has it.
    fn recursion(&self, item: ItemId) -> Option<(ItemId, Span)> {
        self.namers.recursion(item)
    }

    /// Returns why there is one value per run: the type, or all types that hold it, are singletons.
    fn single(&self, model: &Model<'static>, item: ItemId) -> Option<Evidence> {
        let db = model.db;
        if let Some(why) = said_single(db, item) {
            return Some(why);
        }
        let mut holders = self.others(item).peekable();
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

/// Returns true if a `whole` is or may be a `part`, or holds one by value.
fn holds(db: &Db<'static>, whole: Ty, part: Ty) -> bool {
    let mut seen = FxHashSet::from_iter([whole]);
    let mut queue = vec![whole];
    while let Some(ty) = queue.pop() {
        if may_be(db, ty, part) || seen.len() > MOST_PARTS {
            return true;
        }
        let inside = match db.types.kind(ty) {
            TyKind::Tuple(list) => list.to_vec(),
            TyKind::Array(element, _) => vec![*element],
            TyKind::Adt(..) => field_types(db, ty).into_iter().flatten().collect(),
            _ => Vec::new(),
        };
        queue.extend(inside.into_iter().filter(|ty| seen.insert(*ty)));
    }
    false
}

/// Finds the maximum number of collections on a path to each type, up to [`NESTED`].
fn nested(names: &FxHashMap<ItemId, Vec<Named>>) -> FxHashMap<ItemId, u8> {
    let mut found: FxHashMap<ItemId, u8> = FxHashMap::default();
    let mut queue: Vec<ItemId> = names.keys().copied().collect();
    while let Some(at) = queue.pop() {
        let before = found.get(&at).copied().unwrap_or(0);
        for named in names.get(&at).into_iter().flatten() {
            let times = (before + named.times).min(NESTED);
            let known = found.entry(named.to).or_default();
            if times > *known {
                *known = times;
                queue.push(named.to);
            }
        }
    }
    found
}

pub(super) fn place(db: &Db, span: Span, text: impl Into<String>) -> Evidence {
    Evidence {
        span: Some(db.sources.origin(span).0),
        text: text.into(),
    }
}

/// Returns evidence from a type's own definition that it exists once.
fn said_single(db: &Db<'static>, item: ItemId) -> Option<Evidence> {
    let data = db.item(item).item;
    let arguments = data.attrs.derives_any(ARGUMENTS);
    let name = data.name.as_str();
    let text = match () {
        () if arguments => format!("`{name}` is parsed from the command line once"),
        () if SINGLE.iter().any(|s| name.ends_with(s)) => {
            format!("by its name, `{name}` exists once")
        }
        () => return None,
    };
    Some(place(db, data.name_span, text))
}

/// Finds a loop outside of tests in which a value is built, unless it is part of an error.
fn made_in_loop(db: &Db<'static>, variants: &Variants, item: ItemId) -> Option<Span> {
    let ItemKind::Adt(adt) = &db.item(item).item.kind else {
        return None;
    };
    let all = (0..adt.variants.len()).filter_map(|v| variants.of(item, v as u32));
    let mut built = all.flat_map(|u| &u.built);
    let found = built.find(|b| b.site.loops > 0 && !b.site.aside && !b.error);
    found.map(|b| b.site.span)
}
