//! Which fields remedies change, and with which words they are named.

use super::{from, key, split, stated};
use crate::finding::{Change, Finding};
use crate::infer::body::FieldId;
use crate::ir::{AdtKind, ItemKind, Style};
use crate::model::Model;
use crate::name::Name;
use crate::project::CrateId;
use crate::resolve::{Bound, Db, ItemId};
use crate::span::Span;
use crate::usage::Usage;
use rustc_hash::{FxHashMap, FxHashSet};

/// The fields that remedies change.
#[derive(Default)]
pub(super) struct Changed {
    /// The places of their types.
    places: FxHashSet<Span>,
    /// They by these places: the same file may be a part of several targets.
    pub(super) fields: FxHashMap<Span, Vec<FieldId>>,
    /// The names of their types, variants and themselves.
    names: FxHashSet<Name>,
    /// One of them is in a type that is shared: what is made into a pointer is asked for.
    is_split: bool,
    /// One of them is in a struct that is called like a function, as `Self` can be.
    by_self: bool,
    /// The selected crates, each with its unit tests: a word in one that is not understood is
    /// taken for one of theirs.
    pub(super) crates: Vec<CrateId>,
}

impl Changed {
    /// Those of some findings.
    pub(super) fn find<'f>(
        model: &Model<'static>,
        findings: impl Iterator<Item = &'f Finding>,
    ) -> Changed {
        let db = model.db;
        let changes = findings.flat_map(|f| &f.remedies).flat_map(|r| &r.change);
        let mut changed = Changed::default();
        for change in changes {
            let places = change.fields().into_iter().map(|span| key(model, span));
            changed.places.extend(places);
            changed.is_split |= matches!(change, Change::Split(_));
        }
        for info in model.types() {
            changed.add(model, info.item);
        }
        for &id in &db.project.selected {
            let tests = db.project.with_unit_tests(id);
            changed.crates.push(tests);
            if tests == id {
                continue;
            }
            for module in db.modules_and_bodies(tests.0) {
                let adts = db.module(module).scope.read().adts.clone();
                adts.into_iter().for_each(|item| changed.add(model, item));
            }
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

    /// Words of which one stands wherever one of them is named, `Self`, and those that ask for the
    /// type of a source or the size of a type.
    pub(super) fn wanted(&self) -> FxHashSet<Name> {
        let own = self.names.iter().copied();
        let more = from::ASKS.iter().chain(stated::ASKS).chain(&["Self"]);
        own.chain(more.map(|name| Name::new(name))).collect()
    }

    /// What is done where one of them can be named.
    pub(super) fn usage(&self, db: &'static Db<'static>) -> Usage {
        let words = self.words(db);
        let words = words.iter().map(|name| name.as_str()).collect();
        Usage::read_with_words(db, self.crates.iter().map(|id| id.0), &words)
    }

    /// Words of which one stands in every body that builds, takes apart or reads one of them: their
    /// names, and those that imports give to what has these names.
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
        if self.is_split {
            words.extend(split::SHARING.iter().map(|name| Name::new(name)));
        }
        let mut open: Vec<Name> = words.iter().copied().collect();
        while let Some(word) = open.pop() {
            let others = renamed.remove(&word).unwrap_or_default().into_iter();
            open.extend(others.filter(|&other| words.insert(other)));
        }
        words
    }
}
