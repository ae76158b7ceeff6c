//! What a lint is: a name, a group, a level, its documentation, and a question to the model.

pub mod boxes;
mod enums;
pub mod frequency;
pub mod words;

use crate::census::count::FieldCount;
use crate::census::join::{Definition, Index};
use crate::config::{Config, Level, Package, Setting};
use crate::finding::{Finding, Remedy, Ripple};
use crate::judge::{self, Concern, Place, Standing};
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
use crate::usage::fields::is_read;
use crate::usage::lifecycle::Lifecycles;
use crate::usage::linked_lists::LinkedLists;
use crate::usage::loops::Loops;
use crate::usage::moves::Moves;
use crate::usage::stores::Stores;
use crate::usage::strings::Strings;
use crate::usage::types::{adt_of, fields_of};
use crate::usage::variants::Variants;
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

/// A lint.
pub struct Lint {
    /// Its name: a fault, in snake case, that reads well after "allow".
    pub name: &'static str,
    /// Its group.
    pub group: Group,
    /// What happens to its findings unless the user says otherwise.
    pub level: Level,
    /// The text of its file: the header is its documentation.
    pub source: &'static str,
    /// The numbers that tune it.
    pub settings: &'static [Setting],
    /// Clippy's lints that ask the same: where they are allowed, so is this one.
    pub clippy: &'static [&'static str],
    /// What its findings are about: how much must speak for one.
    pub concern: Concern,
    /// Which of two lints is reported whose remedies change the type of one field or variable: the
    /// lower number, which saves more. `None` if its remedies go together with those of others.
    pub precedence: Option<u8>,
    /// The question.
    pub check: Check,
}

/// What was counted, by the names of fields.
pub type Counts<'m> = BTreeMap<&'m str, FieldCount>;

/// The answer of a lint about a type: a finding, or why there is none.
pub type Answer = Result<Finding, Silence>;

/// Why a lint has no finding: lower case, no full stop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Silence(pub Cow<'static, str>);

impl Silence {
    /// No finding, for this reason.
    pub fn about(why: impl Into<Cow<'static, str>>) -> Silence {
        Silence(why.into())
    }
}

impl Lint {
    /// Its documentation, in Markdown.
    pub fn docs(&self) -> String {
        let header = self.source.lines().map_while(|l| l.strip_prefix("//!"));
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

    /// The first sentence of its documentation, without a full stop.
    pub fn summary(&self) -> String {
        let docs = self.docs();
        let paragraph = docs.split("\n\n").next().unwrap_or_default();
        let line = paragraph.split_whitespace().collect::<Vec<_>>().join(" ");
        line.trim_end_matches('.').to_owned()
    }

    /// Where its documentation can be read.
    pub fn url(&self) -> String {
        format!(
            "{}/blob/main/lint/LINTS.md#{}",
            env!("CARGO_PKG_REPOSITORY"),
            self.name
        )
    }
}

/// Lints that are switched together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// How a type is laid out.
    Layout,
    /// What is allocated.
    Heap,
    /// Limits that were set.
    Budget,
    /// True, and rarely worth a change.
    Pedantic,
    /// What comments ask of this tool.
    Comments,
}

impl Group {
    /// Every group.
    pub const ALL: [Group; 5] = [
        Group::Layout,
        Group::Heap,
        Group::Budget,
        Group::Pedantic,
        Group::Comments,
    ];

    /// As flags spell it.
    pub fn as_str(self) -> &'static str {
        match self {
            Group::Layout => "layout",
            Group::Heap => "heap",
            Group::Budget => "budget",
            Group::Pedantic => "pedantic",
            Group::Comments => "comments",
        }
    }
}

/// What a lint asks about.
pub enum Check {
    /// Each struct, enum and union that an author has written out.
    Type(fn(&Context, &TypeInfo) -> Vec<Answer>),
    /// The same, once it is known which fields the others report: [`Context::is_claimed`].
    Last(fn(&Context, &TypeInfo) -> Vec<Answer>),
    /// The same, of fields that a census of a run counted: what they save decides whether they are
    /// reported.
    Counted(fn(&Context, &TypeInfo) -> Vec<Answer>),
    /// Each function, constant and static.
    Body(fn(&Context, &Typed) -> Vec<Finding>),
    /// Both.
    Both(
        fn(&Context, &TypeInfo) -> Vec<Answer>,
        fn(&Context, &Typed) -> Vec<Finding>,
    ),
    /// Nothing: its findings are about comments that suppress others.
    Comments,
}

impl Check {
    /// What it asks about types.
    pub fn of_types(&self) -> Option<fn(&Context, &TypeInfo) -> Vec<Answer>> {
        match self {
            Check::Type(check)
            | Check::Last(check)
            | Check::Counted(check)
            | Check::Both(check, _) => Some(*check),
            Check::Body(_) | Check::Comments => None,
        }
    }

    /// What it asks about functions.
    pub fn of_bodies(&self) -> Option<fn(&Context, &Typed) -> Vec<Finding>> {
        match self {
            Check::Body(check) | Check::Both(_, check) => Some(*check),
            Check::Type(_) | Check::Last(_) | Check::Counted(_) | Check::Comments => None,
        }
    }
}

/// The findings of a lint about a type; without one, why there is none.
pub fn found(findings: impl IntoIterator<Item = Finding>, none: &'static str) -> Vec<Answer> {
    let mut answers: Vec<Answer> = findings.into_iter().map(Ok).collect();
    if answers.is_empty() {
        answers.push(Err(Silence::about(none)));
    }
    answers
}

/// What a lint may ask.
pub struct Context<'m> {
    /// The workspace.
    pub model: &'m Model<'static>,
    config: &'m Config,
    suppressions: &'m Suppressions,
    census: Option<&'m Index<'m>>,
    /// Layouts after a remedy are drawn.
    drawn: bool,
    answers: Answers,
}

/// What lints asked already, found out when it is first asked.
#[derive(Default)]
struct Answers {
    claimed: OnceLock<FxHashSet<Span>>,
    holders: OnceLock<Holders>,
    oversized: OnceLock<FxHashMap<ItemId, Box<Oversized>>>,
    slightly_oversized: OnceLock<FxHashMap<ItemId, Box<Oversized>>>,
    large_errors: OnceLock<LargeErrors>,
    returned: OnceLock<FxHashSet<ItemId>>,
    errors: OnceLock<FxHashSet<ItemId>>,
    usage: OnceLock<Usage>,
    variants: OnceLock<Variants>,
    moves: OnceLock<Moves>,
    stores: OnceLock<Stores>,
    buffers: OnceLock<Buffers>,
    together: OnceLock<Together>,
    lifecycles: OnceLock<Lifecycles>,
    populations: OnceLock<Populations>,
    boxes: OnceLock<Boxes>,
    linked_lists: OnceLock<LinkedLists>,
    clones: OnceLock<Clones>,
    loops: OnceLock<Loops>,
    pointers: OnceLock<Pointers>,
}

impl<'m> Context<'m> {
    /// What lints ask of this workspace.
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

    /// Works out on all threads what most runs ask, what takes longest first.
    pub fn ask_ahead(&self) {
        type Question<'m> = (&'static str, fn(&Context<'m>));
        let questions: [Question<'m>; 12] = [
            ("populations", |cx| _ = cx.populations()),
            ("holders", |cx| _ = cx.holders()),
            ("boxes", |cx| _ = cx.boxes()),
            ("loops", |cx| _ = cx.loops()),
            ("buffers", |cx| _ = cx.lifecycles()),
            // Rests on populations and holders.
            ("large errors", |cx| _ = cx.large_errors()),
            ("stores", |cx| _ = cx.stores()),
            ("errors", |cx| _ = cx.errors()),
            ("moves", |cx| _ = cx.moves()),
            ("variants", |cx| _ = cx.variants()),
            ("clones", |cx| _ = cx.clones()),
            ("pointers", |cx| _ = cx.pointers()),
        ];
        // Everything else is worked out from it, on all threads.
        let db = self.model.db;
        let usage = db.guarded(|| "reading bodies".to_owned(), || _ = self.usage());
        if usage.is_some() {
            spread(questions.to_vec(), 1, |(name, ask)| {
                db.guarded(|| format!("asking for {name}"), || ask(self))
            });
        }
    }

    /// What manifests and flags say for the package of a crate: levels, settings.
    pub fn config(&self, krate: CrateIx) -> &'m Package {
        self.config.of(krate)
    }

    /// The layout that a type would have, where that is to be drawn.
    pub fn drawing(&self, change: &WhatIf, ty: Ty) -> Option<Box<Shape>> {
        let draw = || self.model.shape_if(change, ty);
        self.drawn.then(draw).flatten().map(Box::new)
    }

    /// Makes a finding as small as possible: without its details where it is certain that it is not
    /// shown, but counted.
    pub fn pack(&self, lint: &Lint, krate: CrateIx, finding: &mut Finding) {
        let told = self.config(krate).shows_unsure() || lint.group == Group::Pedantic;
        let uncounted = Standing::Uncounted;
        // A census may confirm it.
        if !told && self.census.is_none()
            // Facts about the place only add rules.
            && judge::reserved(lint.concern, finding, Place::default(), uncounted).is_some()
        {
            finding.forget_details();
        }
        finding.shrink();
    }

    /// True if Clippy's lints of these names are allowed at a place. For the place of a finding and
    /// its type this is checked already, with the lints that `clippy` lists.
    pub fn clippy_allows(&self, krate: CrateIx, names: &[&str], place: Span) -> bool {
        self.suppressions.clippy(krate, names, &[place])
    }

    /// The findings about each field of a type by what a census of a run counted of it, and of what
    /// is in containers in it, by the names that they have there.
    pub fn of_counted(
        &self,
        info: &TypeInfo,
        says: impl Fn(&Part, Counts<'m>) -> Option<Finding>,
    ) -> Vec<Answer> {
        let Some(census) = self.census else {
            return vec![Err(Silence("it needs `--census FILE`".into()))];
        };
        let id = self.model.db.krate(info.krate).id;
        let target = id.map(|id| &self.model.db.project.krate(id).cargo_target["name"]);
        let krate = target.and_then(|t| t.as_str()).unwrap_or_default();
        let parts = self.model.parts(info);
        let definition = Definition::of(self.model, info);
        let of = |part: &Part| census.fields_of(krate, &info.path, &definition, &part.path);
        let found = parts.iter().filter_map(|part| says(part, of(part)));
        found.map(Ok).collect()
    }

    /// Notes which places the lints report that are asked before the last ones.
    pub fn claim(&self, places: impl FnOnce() -> FxHashSet<Span>) {
        self.answers.claimed.get_or_init(places);
    }

    /// True if another lint is sure that the field with this name should have another type.
    pub fn is_claimed(&self, place: Span) -> bool {
        self.answers
            .claimed
            .get()
            .is_some_and(|c| c.contains(&place))
    }

    /// The limits on a type: those of its attributes, then those of its manifest.
    pub fn budgets(&self, info: &TypeInfo) -> Vec<Budget> {
        let mut list = self.model.budgets(info);
        let limits = &self.config(info.krate).budgets;
        list.extend(limits.iter().filter_map(|l| self.model.limited(info, l)));
        list
    }

    /// What else changes its size with a type.
    pub fn ripple(&self, info: &TypeInfo, change: &WhatIf) -> Vec<Ripple> {
        self.holders().ripple(self.model, info.item, change)
    }

    /// A remedy that changes definitions, with the sizes that it gives; `None` if these are not
    /// known.
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

    /// Where an author wrote something of a type; the type's name where a macro wrote it.
    pub fn written(&self, info: &TypeInfo, span: Span) -> Span {
        match self.model.db.sources.origin(span) {
            (span, true) => span,
            _ => info.span,
        }
    }

    /// Which types hold which by value; found out when it is first asked.
    pub fn holders(&self) -> &Holders {
        self.answers
            .holders
            .get_or_init(|| Holders::find(self.model))
    }

    /// What the bodies of the selected crates say; read when it is first asked.
    pub fn usage(&self) -> &Usage {
        self.answers
            .usage
            .get_or_init(|| Usage::read(self.model.db))
    }

    /// Where variants are built and matched.
    pub fn variants(&self) -> &Variants {
        self.answers
            .variants
            .get_or_init(|| Variants::find(self.model.db, self.usage()))
    }

    /// True if some code reads a field, or may.
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

    /// How linked lists are used.
    pub fn linked_lists(&self) -> &LinkedLists {
        self.answers
            .linked_lists
            .get_or_init(|| LinkedLists::find(self.model.db, self.usage()))
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

    /// True for a type through whose fields one comes back to it.
    pub fn is_recursive(&self, ty: Ty) -> bool {
        let item = adt_of(self.model.db, ty);
        item.is_some_and(|item| self.populations().is_recursive(item))
    }

    /// By how much a type and the enums that hold it grow with a change, if that is known.
    pub fn growth(&self, info: &TypeInfo, change: &WhatIf) -> Option<Growth> {
        self.model
            .growth(self.holders(), self.oversized(), info, change)
    }

    /// What is put into fields.
    pub fn stores(&self) -> &Stores {
        self.answers
            .stores
            .get_or_init(|| Stores::find(self.model.db, self.usage()))
    }

    /// What is stored in the strings of fields.
    pub fn strings(&self) -> Strings<'_> {
        Strings::new(self.model.db, self.usage(), self.stores())
    }

    /// What happens to the fields that can grow.
    pub fn buffers(&self) -> &Buffers {
        let find = || Buffers::find(self.model.db, self.usage(), &self.own());
        self.answers.buffers.get_or_init(find)
    }

    /// Every buffer that could be frozen, as the lint finds them.
    pub fn together(&self, find: impl FnOnce() -> Together) -> &Together {
        self.answers.together.get_or_init(find)
    }

    /// Which types others store once they are constructed, and whether they grow there.
    pub fn lifecycles(&self) -> &Lifecycles {
        let (db, buffers) = (self.model.db, self.buffers());
        let find = || Lifecycles::find(db, self.usage(), buffers, &self.own());
        self.answers.lifecycles.get_or_init(find)
    }

    /// The types of the selected crates.
    fn own(&self) -> Vec<(ItemId, Ty)> {
        let types = self.model.types().iter();
        types.map(|t| (t.item, t.ty)).collect()
    }

    /// How many values of a type there are at once, and what shows it.
    pub fn population(&self, item: ItemId) -> Arc<Counted> {
        self.populations().of(self.model, self.variants(), item)
    }

    /// What multiplies types, and which instances of generic ones occur.
    pub fn populations(&self) -> &Populations {
        self.answers
            .populations
            .get_or_init(|| Populations::find(self.model, self.usage()))
    }

    /// True if a library exports a type and its manifest asks to leave that alone.
    pub fn is_api_protected(&self, info: &TypeInfo) -> bool {
        self.config(info.krate).avoid_breaking_exported_api && self.model.exports(info, None)
    }
}
