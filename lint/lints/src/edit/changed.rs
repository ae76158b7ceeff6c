//! The fields that remedies change, and the words to search for to find their uses.

use super::{from, key, stated};
use crate::finding::Remedy;
use crate::infer::body::FieldId;
use crate::ir::{AdtKind, ItemKind, Style};
use crate::model::Model;
use crate::name::Name;
use crate::project::CrateId;
use crate::resolve::{Bound, Db, ItemId};
use crate::span::Span;
use crate::spread::spread;
use crate::usage::Usage;
use crate::wanted_words::WantedWords;
use rustc_hash::{FxHashMap, FxHashSet};

/// The fields that remedies change.
#[derive(Default)]
pub(super) struct Changed {
    /// The places of their types.
    places: FxHashSet<Span>,
    /// The fields by the place of their type. One file can belong to several targets.
    pub(super) fields: FxHashMap<Span, Vec<FieldId>>,
    /// The names of the fields, their variants and their types.
    names: FxHashSet<Name>,
    /// True if a changed field belongs to a tuple struct, which can be constructed as `Self(…)`.
    by_self: bool,
    /// The crates that are searched: the selected ones, each with its unit tests, and the other
    /// targets of their packages. Words in them that are not resolved are assumed to mean a changed
    /// field.
    pub(super) crates: Vec<CrateId>,
}

impl Changed {
    /// Collects the fields that some remedies change.
    pub(super) fn find<'f>(
        model: &Model<'static>,
        remedies: impl Iterator<Item = &'f Remedy>,
    ) -> Changed {
        let db = model.db;
        let changes = remedies.flat_map(|r| &r.change);
        let mut changed = Changed::default();
        for change in changes {
            let places = change.fields().into_iter().map(|span| key(model, span));
            changed.places.extend(places);
        }
        for info in model.types() {
            changed.add(model, info.item);
        }
        let selected = db.project.selected.iter();
        let tests = selected.map(|&id| db.project.with_unit_tests(id));
        changed.crates = tests.chain(db.project.beside.iter().copied()).collect();
        let is_more = |id: &CrateId| !db.project.is_selected(*id);
        let more: Vec<_> = changed.crates.iter().copied().filter(is_more).collect();
        let modules = spread(more, 1, |id| {
            let work = || format!("reading `{}` for edits", db.krate(id.0).name);
            db.guarded(work, || db.modules_and_bodies(id.0))
        });
        for module in modules.into_iter().flatten().flatten() {
            let adts = db.module(module).scope.read().adts.clone();
            adts.into_iter().for_each(|item| changed.add(model, item));
        }
        changed
    }

    fn add(&mut self, model: &Model<'static>, id: ItemId) {
        let db = model.db;
        let data = db.item(id);
        let ItemKind::Adt(adt) = &data.item.kind else {
            return;
        };
        for (v, variant) in (0..).zip(&adt.variants) {
            for (f, field) in (0..).zip(&variant.fields) {
                let place = key(model, field.ty_span);
                if !self.places.contains(&place) {
                    continue;
                }
                self.fields.entry(place).or_default().push(FieldId {
                    adt: id,
                    variant: v,
                    field: f,
                });
                self.names
                    .extend([data.item.name, variant.name, field.name]);
                self.by_self |= adt.kind == AdtKind::Struct && variant.style == Style::Tuple;
            }
        }
    }

    /// Returns the words to search for in all files: every mention of a changed field contains one
    /// of them. Includes `Self`, and the functions that ask for an error source's type or a type's
    /// size.
    pub(super) fn wanted(&self) -> FxHashSet<Name> {
        let own = self.names.iter().copied();
        let more = from::ASKS.iter().chain(stated::ASKS).chain(&["Self"]);
        own.chain(more.map(|name| Name::new(name))).collect()
    }

    /// Returns the uses of the changed fields in function bodies.
    pub(super) fn usage(&self, db: &'static Db<'static>) -> Usage {
        let words = self.words(db);
        let words = WantedWords::new(words.iter().map(|name| name.as_str()));
        Usage::read_with_words(db, self.crates.iter().map(|id| id.0), &words)
    }

    /// Returns the words of which every body that builds, matches or reads a changed field contains
    /// one: the field, variant and type names, and the names under which these are imported.
    fn words(&self, db: &Db<'static>) -> FxHashSet<Name> {
        let mut renamed: FxHashMap<Name, Vec<Name>> = FxHashMap::default();
        for id in &self.crates {
            for module in db.modules_and_bodies(id.0) {
                let scope = db.module(module).scope.read();
                for (name, entries) in &scope.imports {
                    for entry in entries {
                        if let Bound::Import(import) = &entry.to
                            && let Some(last) = import.path.last()
                            && last != name
                        {
                            renamed.entry(*last).or_default().push(*name);
                        }
                    }
                }
            }
        }
        let mut words = self.names.clone();
        if self.by_self {
            words.insert(Name::new("Self"));
        }
        let mut open: Vec<Name> = words.iter().copied().collect();
        while let Some(word) = open.pop() {
            let others = renamed.remove(&word).unwrap_or_default().into_iter();
            open.extend(others.filter(|&other| words.insert(other)));
        }
        words
    }
}
