//! What a lint can ask: each answer is computed on first use, and kept.

use super::words::{of_type, public_part};
use super::{Answer, Check, Counts, Group, Lint, Silence};
use crate::config::{Config, ERROR_SIZE, LARGE_ERR, Level, Limit, OVERSIZED_VARIANT, Package};
use crate::coroutines::{Coroutine, Coroutines, Missing, Stretch};
use crate::finding::{BlockChange, Finding, Label, Remedy, Ripple};
use crate::ir::ItemKind;
use crate::join::{Definition, Index};
use crate::layout::WhatIf;
use crate::model::boxing::Oversized;
use crate::model::budgets::Budget;
use crate::model::errors::{ErrorSettings, LargeErrors, Limits};
use crate::model::freezing::Together;
use crate::model::growth::Growth;
use crate::model::holders::Holders;
use crate::model::parts::Part;
use crate::model::pointers::Pointers;
use crate::model::population::{Counted, Populations};
use crate::model::{Model, TypeInfo};
use crate::name::Name;
use crate::resolve::ty::Ty;
use crate::resolve::{CrateIx, Db, ItemId};
use crate::shape::Shape;
use crate::span::Span;
use crate::spread::spread;
use crate::suppress::Suppressions;
use crate::usage::Usage;
use crate::usage::body::FieldId;
use crate::usage::boxes::Boxes;
use crate::usage::buffers::Buffers;
use crate::usage::clones::Clones;
use crate::usage::fields::is_numbered;
use crate::usage::fields::is_read;
use crate::usage::lifecycle::{self, Lifecycle};
use crate::usage::loops::Loops;
use crate::usage::moves::Moves;
use crate::usage::numbers::Numbers;
use crate::usage::stores::Stores;
use crate::usage::strings::Strings;
use crate::usage::types::{adt_of, fields_of};
use crate::usage::variants::Variants;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::{Arc, OnceLock};

/// Types with more fields are not drawn after each change.
const MOST_DRAWN: usize = 1_000;

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
    lifecycles: OnceLock<FxHashMap<ItemId, Lifecycle>>,
    populations: OnceLock<Populations>,
    boxes: OnceLock<Boxes>,
    clones: OnceLock<Clones>,
    loops: OnceLock<Loops>,
    pointers: OnceLock<Pointers>,
    coroutines: OnceLock<Result<Coroutines, Missing>>,
    limits_of_futures: OnceLock<FxHashMap<CrateIx, Vec<usize>>>,
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
        let named = fields.flat_map(|(field, _)| usage.events.named.of(&field));
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
    /// confirmed by a census, or are drawn.
    pub fn shows_all(&self, lint: &Lint, krate: CrateIx) -> bool {
        let always = matches!(lint.group, Group::Pedantic | Group::Nursery);
        always || self.config(krate).shows_unsure() || self.census.is_some() || self.drawn
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

    /// Returns a finding about a part of a type, with a remedy that changes these blocks. Without
    /// a size after it, the definition stays as it is.
    pub fn on_part(
        &self,
        (info, part): (&TypeInfo, &Part),
        (message, label): (String, String),
        remedy: Remedy,
        heap: BlockChange,
    ) -> Finding {
        let before = remedy.size_after.and_then(|_| self.model.size(info.ty));
        let heap = Some(vec![heap]);
        Finding {
            secondary: vec![of_type(info, before)],
            field: Some(part.path()),
            size_before: before,
            remedies: vec![Remedy { heap, ..remedy }],
            notes: public_part(part),
            ..Finding::new(message, Label::new(part.span, label))
        }
    }

    /// Returns a span of a type in an author's code; the type's name if a macro wrote it.
    pub fn written(&self, info: &TypeInfo, span: Span) -> Span {
        match self.model.db.sources.origin(span) {
            (span, true) => span,
            _ => info.span,
        }
    }

    /// The limits in a crate's manifest that are for futures, not for types.
    pub fn limits_of_futures(&self, krate: CrateIx) -> impl Iterator<Item = &'m Limit> {
        let all = self.answers.limits_of_futures.get_or_init(|| {
            let selected = self.model.selected();
            selected
                .map(|krate| (krate, self.find_limits_of_futures(krate)))
                .collect()
        });
        let budgets = &self.config(krate).budgets;
        let places = all.get(&krate).map_or(&[][..], Vec::as_slice);
        places.iter().map(|at| &budgets[*at])
    }

    /// Returns the places of such limits in the list of all.
    fn find_limits_of_futures(&self, krate: CrateIx) -> Vec<usize> {
        let limits = self.config(krate).budgets.iter().enumerate();
        let of_futures = limits.filter(|(_, limit)| {
            let path = limit.future();
            let types = self.model.types().iter().filter(|t| t.krate == krate);
            let mut types = types.filter_map(|t| self.model.limited(t, limit));
            let is_async = || {
                let mut bodies = self.usage().bodies.iter();
                bodies.any(|b| {
                    let of = &b.function;
                    of.krate == krate && of.body.signature.is_async && of.path == path
                })
            };
            types.next().is_none() && (path.starts_with(['{', '<']) || is_async())
        });
        of_futures.map(|(at, _)| at).collect()
    }

    /// Returns true if a lint of futures has something to ask about those of a crate.
    pub fn asks_for_futures(&self, lint: &Lint, krate: CrateIx) -> bool {
        matches!(lint.check, Check::Future(_)) || self.limits_of_futures(krate).next().is_some()
    }

    /// What is known of futures; read on first use.
    pub fn coroutines(&self) -> Result<&Coroutines, Missing> {
        let project = self.model.db.project;
        let read = || Coroutines::read(project);
        self.answers
            .coroutines
            .get_or_init(read)
            .as_ref()
            .map_err(|missing| *missing)
    }

    /// Why futures are not known, if something has asked for them.
    pub fn missing_futures(&self) -> Option<Missing> {
        self.answers.coroutines.get()?.as_ref().err().copied()
    }

    /// A range of bytes of a file, as a span.
    pub fn span_of(&self, stretch: &Stretch) -> Option<Span> {
        let db = self.model.db;
        let file = db
            .sources
            .load(&db.project.workspace_root.join(&stretch.file))
            .ok()?;
        let span = Span::new(file.id, stretch.start, stretch.end);
        file.text.get(span.range()).is_some().then_some(span)
    }

    /// The name of an `async` function, or the word `async` of a block, on a future's line.
    pub fn name_of(&self, future: &Coroutine) -> Option<Span> {
        let db = self.model.db;
        let (path, line) = &future.place;
        let file = db
            .sources
            .load(&db.project.workspace_root.join(path))
            .ok()?;
        let start = *file.line_starts().get((*line as usize).checked_sub(1)?)? as usize;
        let text = file.text.get(start..)?.lines().next()?;
        let name = future.path.rsplit("::").next().unwrap_or_default();
        let of = |word: &str, name: &str| {
            let at = text.find(&format!("{word}{name}"))? + word.len();
            Some((at, at + name.len()))
        };
        let indent = text.len() - text.trim_start().len();
        let whole = (indent, text.trim_end().len().max(indent));
        let (from, to) = of("fn ", name).or_else(|| of("", "async")).unwrap_or(whole);
        Some(Span::new(file.id, start + from, start + to))
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

    /// Returns an answer that follows from the bodies alone.
    fn of_bodies<'a, T>(
        &'a self,
        answer: &'a OnceLock<T>,
        find: impl FnOnce(&Db<'static>, &Usage) -> T,
    ) -> &'a T {
        answer.get_or_init(|| find(self.model.db, self.usage()))
    }

    /// Where variants are constructed and matched.
    pub fn variants(&self) -> &Variants {
        self.of_bodies(&self.answers.variants, Variants::find)
    }

    /// Returns true if some code reads a field, or may.
    pub fn is_read(&self, field: FieldId, name: Name) -> bool {
        is_read(self.usage(), field, name)
    }

    /// Where values are moved.
    pub fn moves(&self) -> &Moves {
        self.of_bodies(&self.answers.moves, Moves::find)
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
        self.of_bodies(&self.answers.clones, Clones::find)
    }

    /// What loops create, and what they call.
    pub fn loops(&self) -> &Loops {
        self.of_bodies(&self.answers.loops, Loops::find)
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
        self.of_bodies(&self.answers.stores, Stores::find)
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

    /// The types that grow only while they are made.
    pub fn lifecycles(&self) -> &FxHashMap<ItemId, Lifecycle> {
        let (db, buffers) = (self.model.db, self.buffers());
        let find = || lifecycle::find(db, self.usage(), buffers, &self.own());
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

    /// Enums that boxes make smaller; computed on first use.
    pub fn oversized(&self) -> &FxHashMap<ItemId, Box<Oversized>> {
        self.answers.oversized.get_or_init(|| {
            let thresholds = |krate| self.config(krate).thresholds(OVERSIZED_VARIANT);
            self.model
                .oversized(&thresholds, &self.populations().instances)
        })
    }

    /// The types that functions return as errors, and what these hold by value.
    pub fn errors(&self) -> &FxHashSet<ItemId> {
        self.answers
            .errors
            .get_or_init(|| self.model.errors(self.usage()))
    }

    /// The types that functions return as errors.
    pub fn returned_errors(&self) -> &FxHashSet<ItemId> {
        self.answers
            .returned
            .get_or_init(|| self.model.returned_errors(self.usage()))
    }

    /// The errors that `large_err` reports, and the enums inside that make them large.
    pub fn large_errors(&self) -> &LargeErrors {
        self.answers.large_errors.get_or_init(|| {
            let limits = |krate| {
                let package = self.config(krate);
                let thresholds = package.thresholds(LARGE_ERR);
                Limits {
                    size: package.setting(LARGE_ERR, &ERROR_SIZE),
                    same_as_enums: thresholds == package.thresholds(OVERSIZED_VARIANT),
                    thresholds,
                    spoken: package.level(LARGE_ERR, Group::Layout.as_str(), Level::Warn)
                        > Level::Allow,
                    kept: package.avoid_breaking_exported_api,
                }
            };
            let asked = ErrorSettings {
                limits: &limits,
                may_be_uneven: &|info| {
                    self.clippy_allows(info.krate, &["large_enum_variant"], info.span)
                },
            };
            let (model, holders) = (self.model, self.holders());
            let mut large = model.large_errors(self.usage(), holders, self.oversized(), &asked);
            large.excuse(|function| {
                let data = model.db.item(function);
                let place = model.db.sources.origin(data.item.name_span).0;
                let krate = model.db.krate_of(data.module);
                self.clippy_allows(krate, &["result_large_err"], place)
            });
            large
        })
    }
}
