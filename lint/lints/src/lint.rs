//! The definition of a lint: a name, a group, a level, its documentation, and a query on the model.

pub mod boxes;
mod enums;
pub mod frequency;
pub mod header;
// The example of CONTRIBUTING.md, which a test compares.
#[cfg(test)]
mod padded_struct;
pub mod wide;
pub mod words;

pub(crate) use header::header;

use crate::census::count::FieldCount;
use crate::config::{Config, Level, Package, Setting};
use crate::finding::{Finding, Remedy, Ripple};
use crate::ir::ItemKind;
use crate::join::{Definition, Index};
use crate::layout::WhatIf;
use crate::model::boxing::Oversized;
use crate::model::budgets::Budget;
use crate::model::errors::LargeErrors;
use crate::model::freezing::Together;
use crate::model::growth::Growth;
use crate::model::holders::Holders;
use crate::model::parts::Part;
use crate::model::pointers::Pointers;
use crate::model::population::{Counted, Populations};
use crate::model::{Model, TypeInfo};
use crate::name::Name;
use crate::resolve::ty::Ty;
use crate::resolve::{CrateIx, ItemId};
use crate::shape::Shape;
use crate::span::Span;
use crate::spread::spread;
use crate::suppress::Suppressions;
use crate::usage::Usage;
use crate::usage::body::{FieldId, Typed};
use crate::usage::boxes::Boxes;
use crate::usage::buffers::Buffers;
use crate::usage::clones::Clones;
use crate::usage::fields::is_numbered;
use crate::usage::fields::is_read;
use crate::usage::lifecycle::Lifecycles;
use crate::usage::loops::Loops;
use crate::usage::moves::Moves;
use crate::usage::numbers::Numbers;
use crate::usage::stores::Stores;
use crate::usage::strings::Strings;
use crate::usage::types::{adt_of, fields_of};
use crate::usage::variants::Variants;
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

/// Types with more fields are not drawn after each change.
const MOST_DRAWN: usize = 1_000;

/// A lint.
pub struct Lint {
    /// Its name: the fault, in snake case, so that it reads well after "allow".
    pub name: &'static str,
    /// Its group.
    pub group: Group,
    /// The level of its findings unless the user sets another.
    pub level: Level,
    /// The comment at the head of its file: its documentation.
    pub header: &'static str,
    /// Its numeric settings.
    pub settings: &'static [Setting],
    /// Equivalent lints of Clippy: where one is allowed, so is this.
    pub clippy: &'static [&'static str],
    /// What its findings are about: which evidence one needs.
    pub concern: Concern,
    /// Decides between lints whose remedies change the type of the same field or variable: the
    /// lower number, which saves more, is reported. `None` if its remedies combine with others.
    pub precedence: Option<u8>,
    /// The query.
    pub check: Check,
}

/// Fewer values, containers or texts of a run are no evidence.
pub const LEAST_COUNTED: u64 = 100;

/// Census counts, by field name.
pub type Counts<'m> = BTreeMap<&'m str, FieldCount>;

/// Returns the counts of a field itself, without those of containers inside its containers.
pub fn own_count(counts: Counts) -> Option<FieldCount> {
    let mut own = counts.into_iter().filter(|(name, _)| !name.contains("[]"));
    own.next().map(|(_, count)| count)
}

/// The result of a lint for a type: a finding, or why there is none.
pub type Answer = Result<Finding, Silence>;

/// Why a lint has no finding: lower case, no full stop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Silence(pub Cow<'static, str>);

impl Silence {
    /// Makes the result without a finding.
    pub fn about(why: impl Into<Cow<'static, str>>) -> Silence {
        Silence(why.into())
    }
}

impl Lint {
    /// Returns its documentation in Markdown.
    pub fn docs(&self) -> String {
        let header = self.header.lines().filter_map(|l| l.strip_prefix("//!"));
        let lines = header.map(|l| l.strip_prefix(' ').unwrap_or(l));
        let mut docs = lines.collect::<Vec<_>>().join("\n");
        if !self.settings.is_empty() {
            docs.push_str(&format!(
                "\n\n# Configuration\nKeys of `[package.metadata.weigh.{}]`:\n\n| key | default | meaning |\n|---|---|---|",
                self.name
            ));
        }
        for Setting { key, default, doc } in self.settings {
            docs.push_str(&format!("\n| `{key}` | {default} | {doc} |"));
        }
        docs
    }

    /// Returns the first sentence of its documentation, without a full stop.
    pub fn summary(&self) -> String {
        let docs = self.docs();
        let paragraph = docs.split("\n\n").next().unwrap_or_default();
        let line = paragraph.split_whitespace().collect::<Vec<_>>().join(" ");
        line.trim_end_matches('.').to_owned()
    }

    /// Returns the URL of its documentation.
    pub fn url(&self) -> String {
        format!(
            "{}/blob/main/lint/LINTS.md#{}",
            env!("CARGO_PKG_REPOSITORY"),
            self.name
        )
    }
}

/// What a finding is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Concern {
    /// Bytes of each value of a type.
    Bytes,
    /// Bytes of a struct, as a whole or for what it rarely holds.
    Structs,
    /// A heap block for each value of a type.
    Blocks,
    /// The same, by what fields are seen to hold.
    Contents,
    /// What functions and loops do.
    Code,
    /// A limit or comment written by an author.
    Asked,
}

/// Lints that are enabled together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// Type layout.
    Layout,
    /// Heap allocations.
    Heap,
    /// Size limits set by authors.
    Budget,
    /// True, but rarely worth a change.
    Pedantic,
    /// True, but no data tells yet how often an author acts on it.
    Nursery,
    /// Comments that address this tool.
    Comments,
}

impl Group {
    /// Every group.
    pub const ALL: [Group; 6] = [
        Group::Layout,
        Group::Heap,
        Group::Budget,
        Group::Pedantic,
        Group::Nursery,
        Group::Comments,
    ];

    /// Returns the name used in flags.
    pub fn as_str(self) -> &'static str {
        match self {
            Group::Layout => "layout",
            Group::Heap => "heap",
            Group::Budget => "budget",
            Group::Pedantic => "pedantic",
            Group::Nursery => "nursery",
            Group::Comments => "comments",
        }
    }
}

/// What a lint examines.
pub enum Check {
    /// Each struct, enum and union written by an author.
    Type(fn(&Context, &TypeInfo) -> Vec<Answer>),
    /// The same, after it is known which fields the other lints report: [`Context::is_claimed`].
    Last(fn(&Context, &TypeInfo) -> Vec<Answer>),
    /// The same, for fields that a census counted: the measured saving decides whether they are
    /// reported.
    Counted(fn(&Context, &TypeInfo) -> Vec<Answer>),
    /// Each function, constant and static.
    Body(fn(&Context, &Typed) -> Vec<Finding>),
    /// Types and functions.
    Both(
        fn(&Context, &TypeInfo) -> Vec<Answer>,
        fn(&Context, &Typed) -> Vec<Finding>,
    ),
    /// Nothing: its findings are about comments that suppress others.
    Comments,
}

impl Check {
    /// Returns its check of types.
    pub fn of_types(&self) -> Option<fn(&Context, &TypeInfo) -> Vec<Answer>> {
        match self {
            Check::Type(check)
            | Check::Last(check)
            | Check::Counted(check)
            | Check::Both(check, _) => Some(*check),
            Check::Body(_) | Check::Comments => None,
        }
    }

    /// Returns its check of functions.
    pub fn of_bodies(&self) -> Option<fn(&Context, &Typed) -> Vec<Finding>> {
        match self {
            Check::Body(check) | Check::Both(_, check) => Some(*check),
            Check::Type(_) | Check::Last(_) | Check::Counted(_) | Check::Comments => None,
        }
    }
}

/// Returns the findings of a lint for a type; without one, why there is none.
pub fn found(
    findings: impl IntoIterator<Item = Finding>,
    none: impl Into<Cow<'static, str>>,
) -> Vec<Answer> {
    let answers: Vec<Answer> = findings.into_iter().map(Ok).collect();
    match answers.is_empty() {
        // Room for one: the first `push` makes room for four, and an answer is large.
        true => vec![Err(Silence::about(none))],
        false => answers,
    }
}

/// The queries available to a lint.
pub struct Context<'m> {
    /// The workspace.
    pub model: &'m Model<'static>,
    config: &'m Config,
    suppressions: &'m Suppressions,
    census: Option<&'m Index<'m>>,
    /// Layouts after a remedy are needed for drawings.
    drawn: bool,
    answers: Answers,
}

/// Results of earlier queries, computed on first use.
#[derive(Default)]
struct Answers {
    claimed: OnceLock<FxHashSet<Span>>,
    holders: OnceLock<Holders>,
    oversized: OnceLock<FxHashMap<ItemId, Box<Oversized>>>,
    large_errors: OnceLock<LargeErrors>,
    returned: OnceLock<FxHashSet<ItemId>>,
    errors: OnceLock<FxHashSet<ItemId>>,
    usage: OnceLock<Usage>,
    variants: OnceLock<Variants>,
    most_places: OnceLock<FxHashMap<CrateIx, usize>>,
    moves: OnceLock<Moves>,
    stores: OnceLock<Stores>,
    buffers: OnceLock<Buffers>,
    together: OnceLock<Together>,
    lifecycles: OnceLock<Lifecycles>,
    populations: OnceLock<Populations>,
    boxes: OnceLock<Boxes>,
    clones: OnceLock<Clones>,
    loops: OnceLock<Loops>,
    pointers: OnceLock<Pointers>,
}

impl<'m> Context<'m> {
    /// Makes the context of a workspace.
    pub fn new(
        model: &'m Model<'static>,
        config: &'m Config,
        suppressions: &'m Suppressions,
        census: Option<&'m Index<'m>>,
        drawn: bool,
    ) -> Context<'m> {
        Context {
            model,
            config,
            suppressions,
            census,
            drawn,
            answers: Answers::default(),
        }
    }

    /// Computes in parallel what most runs need, the slowest first.
    pub fn ask_ahead(&self) {
        type Question<'m> = (&'static str, fn(&Context<'m>));
        let questions: [Question<'m>; 12] = [
            ("populations", |cx| _ = cx.populations()),
            ("holders", |cx| _ = cx.holders()),
            ("boxes", |cx| _ = cx.boxes()),
            ("loops", |cx| _ = cx.loops()),
            ("buffers", |cx| _ = cx.lifecycles()),
            // Depends on populations and holders.
            ("large errors", |cx| _ = cx.large_errors()),
            ("stores", |cx| _ = cx.stores()),
            ("errors", |cx| _ = cx.errors()),
            ("moves", |cx| _ = cx.moves()),
            ("variants", |cx| _ = cx.variants()),
            ("clones", |cx| _ = cx.clones()),
            ("pointers", |cx| _ = cx.pointers()),
        ];
        // Everything else is computed from it, in parallel.
        let db = self.model.db;
        let usage = db.guarded(|| "reading bodies".to_owned(), || _ = self.usage());
        if usage.is_some() {
            spread(questions.to_vec(), 1, |(name, ask)| {
                db.guarded(|| format!("asking for {name}"), || ask(self))
            });
        }
    }

    /// Returns the number of places outside of tests that build a type, take it apart, or name a
    /// field of it.
    pub fn places(&self, info: &TypeInfo) -> usize {
        let variants = match &self.model.db.item(info.item).item.kind {
            ItemKind::Adt(adt) => adt.variants.len(),
            _ => 0,
        };
        let usage = self.usage();
        let fields = fields_of(self.model.db, info.item, info.ty);
        let named = fields.flat_map(|(field, _)| usage.events.named(field));
        let named = named.filter(|at| !usage.bodies[at.body].function.aside);
        self.variants().places(info.item, variants) + named.count()
    }

    /// Returns the number of such places of the type of a crate that has most.
    pub fn most_places(&self, krate: CrateIx) -> usize {
        let most = self.answers.most_places.get_or_init(|| {
            let mut most: FxHashMap<CrateIx, usize> = FxHashMap::default();
            for info in self.model.types() {
                let of_crate = most.entry(info.krate).or_default();
                *of_crate = (*of_crate).max(self.places(info));
            }
            most
        });
        most.get(&krate).copied().unwrap_or(0)
    }

    /// Returns the levels and settings that manifests and flags set for the package of a crate.
    pub fn config(&self, krate: CrateIx) -> &'m Package {
        self.config.of(krate)
    }

    /// Returns the layout of a type after a change, if drawings are needed. None of a type with
    /// very many fields: each of them may have a finding with a drawing of all.
    pub fn drawing(&self, change: &WhatIf, ty: Ty) -> Option<Box<Shape>> {
        let fields = |item: ItemId| match &self.model.db.item(item).item.kind {
            ItemKind::Adt(adt) => adt.variants.iter().map(|v| v.fields.len()).sum(),
            _ => 0,
        };
        if !self.drawn || adt_of(self.model.db, ty).map_or(0, fields) > MOST_DRAWN {
            return None;
        }
        self.model.shape_if(change, ty).map(Box::new)
    }

    /// Returns true if the findings of a lint in a crate are shown whatever their worth, or may be
    /// confirmed by a census.
    pub fn shows_all(&self, lint: &Lint, krate: CrateIx) -> bool {
        let pedantic = lint.group == Group::Pedantic || self.config(krate).shows_unsure();
        pedantic || self.census.is_some()
    }

    /// Returns true if one of these Clippy lints is allowed at a place. For the place of a finding
    /// and its type, the lints in `clippy` are already checked.
    pub fn clippy_allows(&self, krate: CrateIx, names: &[&str], place: Span) -> bool {
        self.suppressions.clippy(krate, names, &[place])
    }

    /// Returns the findings about each field of a type, from the census counts of the field and of
    /// containers in it, by their names there.
    pub fn of_counted(
        &self,
        info: &'m TypeInfo,
        says: impl Fn(&Part, Counts<'m>) -> Option<Finding>,
    ) -> Vec<Answer> {
        let Some(counts) = self.counts(info) else {
            return vec![Err(Silence("it needs `--census FILE`".into()))];
        };
        let parts = self.model.parts(info);
        let found = parts
            .iter()
            .filter_map(|part| says(part, counts(&part.path())));
        found.map(Ok).collect()
    }

    /// Returns the census counts of a type's fields, by path; `None` without a census.
    pub fn counts(&self, info: &'m TypeInfo) -> Option<impl Fn(&str) -> Counts<'m>> {
        let census = self.census?;
        let id = self.model.db.krate(info.krate).id;
        let target = id.map(|id| &self.model.db.project.krate(id).cargo_target["name"]);
        let krate = target.and_then(|t| t.as_str()).unwrap_or_default();
        let definition = Definition::of(self.model, info);
        Some(move |field: &str| census.fields_of(krate, &info.path, &definition, field))
    }

    /// Records the places reported by the lints that run before [`Check::Last`].
    pub fn claim(&self, places: impl FnOnce() -> FxHashSet<Span>) {
        self.answers.claimed.get_or_init(places);
    }

    /// Returns true if another lint is certain that the field with this name should have another
    /// type.
    pub fn is_claimed(&self, place: Span) -> bool {
        self.answers
            .claimed
            .get()
            .is_some_and(|c| c.contains(&place))
    }

    /// Returns the limits on a type: those of its attributes, then those of its manifest.
    pub fn budgets(&self, info: &TypeInfo) -> Vec<Budget> {
        let mut list = self.model.budgets(info);
        let limits = &self.config(info.krate).budgets;
        list.extend(limits.iter().filter_map(|l| self.model.limited(info, l)));
        list
    }

    /// Returns the other types whose size changes with a type.
    pub fn ripple(&self, info: &TypeInfo, change: &WhatIf) -> Vec<Ripple> {
        self.holders().ripple(self.model, info.item, change)
    }

    /// Returns a remedy that changes definitions, with the resulting sizes; `None` if these are
    /// unknown.
    pub fn remedy(
        &self,
        info: &TypeInfo,
        change: &WhatIf,
        title: impl Into<String>,
    ) -> Option<Remedy> {
        Some(Remedy {
            size_after: Some(self.model.size_if(info.ty, change)?),
            ripple: self.ripple(info, change),
            ..Remedy::new(title)
        })
    }

    /// Returns a span of a type in an author's code; the type's name if a macro wrote it.
    pub fn written(&self, info: &TypeInfo, span: Span) -> Span {
        match self.model.db.sources.origin(span) {
            (span, true) => span,
            _ => info.span,
        }
    }

    /// Which types hold which by value; computed on first use.
    pub fn holders(&self) -> &Holders {
        self.answers
            .holders
            .get_or_init(|| Holders::find(self.model))
    }

    /// The bodies of the selected crates; read on first use.
    pub fn usage(&self) -> &Usage {
        self.answers
            .usage
            .get_or_init(|| Usage::read(self.model.db))
    }

    /// Where variants are constructed and matched.
    pub fn variants(&self) -> &Variants {
        self.answers
            .variants
            .get_or_init(|| Variants::find(self.model.db, self.usage()))
    }

    /// Returns true if some code reads a field, or may.
    pub fn is_read(&self, field: FieldId, name: Name) -> bool {
        is_read(self.usage(), field, name)
    }

    /// Where values are moved.
    pub fn moves(&self) -> &Moves {
        self.answers
            .moves
            .get_or_init(|| Moves::find(self.model.db, self.usage()))
    }

    /// How boxes and shared pointers are used, and which types depend on their address.
    pub fn boxes(&self) -> &Boxes {
        self.answers.boxes.get_or_init(|| {
            let mut boxes = Boxes::find(self.model.db, self.usage());
            for info in self.model.types() {
                let fields = fields_of(self.model.db, info.item, info.ty);
                fields.for_each(|(_, ty)| boxes.note(self.model.db, ty));
            }
            boxes
        })
    }

    /// Where values are copied.
    pub fn clones(&self) -> &Clones {
        self.answers
            .clones
            .get_or_init(|| Clones::find(self.model.db, self.usage()))
    }

    /// What loops create, and what they call.
    pub fn loops(&self) -> &Loops {
        self.answers
            .loops
            .get_or_init(|| Loops::find(self.model.db, self.usage()))
    }

    /// Which pointers fields hold.
    pub fn pointers(&self) -> &Pointers {
        self.answers
            .pointers
            .get_or_init(|| Pointers::find(self.model))
    }

    /// Returns true for a recursive type.
    pub fn is_recursive(&self, ty: Ty) -> bool {
        let item = adt_of(self.model.db, ty);
        item.is_some_and(|item| self.populations().is_recursive(item))
    }

    /// Returns by how much a type and the enums that hold it grow with a change, if known.
    pub fn growth(&self, info: &TypeInfo, change: &WhatIf) -> Option<Growth> {
        self.model
            .growth(self.holders(), self.oversized(), info, change)
    }

    /// What is written to fields.
    pub fn stores(&self) -> &Stores {
        self.answers
            .stores
            .get_or_init(|| Stores::find(self.model.db, self.usage()))
    }

    /// Follows the numbers that fields are set to.
    pub fn numbers(&self) -> Numbers<'_> {
        Numbers {
            db: self.model.db,
            usage: self.usage(),
            stores: self.stores(),
        }
    }

    /// Returns true if a field may be set where its type is not known, or in a macro call that is
    /// not understood.
    pub fn may_be_set_unseen(&self, field: FieldId, name: Name) -> bool {
        let (db, events) = (self.model.db, &self.usage().events);
        events.may_name(db, field) || !is_numbered(name) && self.stores().is_open(db, field, name)
    }

    /// What string fields store.
    pub fn strings(&self) -> Strings<'_> {
        Strings::new(self.model.db, self.usage(), self.stores())
    }

    /// What happens to growable fields.
    pub fn buffers(&self) -> &Buffers {
        let find = || Buffers::find(self.model.db, self.usage(), &self.own());
        self.answers.buffers.get_or_init(find)
    }

    /// Every buffer that could be frozen, as found by `unfrozen_vec`.
    pub fn together(&self, find: impl FnOnce() -> Together) -> &Together {
        self.answers.together.get_or_init(find)
    }

    /// Which types others store after construction, and whether they grow there.
    pub fn lifecycles(&self) -> &Lifecycles {
        let (db, buffers) = (self.model.db, self.buffers());
        let find = || Lifecycles::find(db, self.usage(), buffers, &self.own());
        self.answers.lifecycles.get_or_init(find)
    }

    /// Returns the types of the selected crates.
    fn own(&self) -> Vec<(ItemId, Ty)> {
        let types = self.model.types().iter();
        types.map(|t| (t.item, t.ty)).collect()
    }

    /// Returns how many values of a type there are at once, with the evidence.
    pub fn population(&self, item: ItemId) -> Arc<Counted> {
        self.populations().of(self.model, self.variants(), item)
    }

    /// What multiplies types, and which instances of generic types occur.
    pub fn populations(&self) -> &Populations {
        self.answers
            .populations
            .get_or_init(|| Populations::find(self.model, self.usage()))
    }

    /// Returns true if a library exports a type and its manifest protects the public API.
    pub fn is_api_protected(&self, info: &TypeInfo) -> bool {
        self.config(info.krate).avoid_breaking_exported_api && self.model.exports(info, None)
    }
}

#[test]
fn the_example_is_a_lint() {
    let summary = padded_struct::LINT.summary();
    assert_eq!(summary, "More than a third of a struct is padding");
}
