//! `impl`s where items are not read: in array lengths, default arguments, discriminants, and in what
//! macros in bodies are given or write. rustc sees them wherever they are.

use super::{CrateIx, Db, ItemId};
use crate::ir::{Item, ItemKind};
use crate::lower::{self, Within};
use crate::name::Name;
use crate::span::{FileId, Span};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// An `impl` that was not read.
pub struct Hidden {
    /// Its text, and those of the macros that write it.
    texts: Vec<Span>,
    /// Whether it is of a trait; `None` if that is not known.
    of_trait: Option<bool>,
}

/// What may have a hidden `impl`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum What {
    /// An inherent item of this name.
    Item(Name),
    /// An `impl` of a trait of this name.
    Trait(Name),
}

/// The parts of a crate's files that contain expressions, and its macros by name.
#[derive(Default)]
struct Parts {
    regions: Vec<Span>,
    macros: FxHashMap<Name, Vec<Span>>,
}

impl<'a> Db<'a> {
    /// Returns true if an `impl` in a crate that was not read may be the one.
    pub(super) fn is_hidden(&self, krate: CrateIx, what: What) -> bool {
        let (name, kind) = match what {
            What::Item(name) => (name, false),
            What::Trait(name) => (name, true),
        };
        let names = |span: &Span| {
            let source = self.sources.get(span.file);
            super::unexpanded::has_word(&source.text[span.range()], name)
        };
        let hidden = self.hidden_in(krate);
        let mut of_kind = hidden
            .iter()
            .filter(|h| h.of_trait.is_none_or(|of| of == kind));
        of_kind.any(|h| h.texts.iter().any(names))
    }

    fn hidden_in(&self, krate: CrateIx) -> Arc<[Hidden]> {
        let data = self.krate(krate);
        if data.id.is_none() {
            return Arc::default();
        }
        if let Some(known) = data.hidden.get() {
            return known.clone();
        }
        let found = self.find_hidden(krate).into();
        if self.walk.opening.get() > 0 {
            return found;
        }
        data.hidden.get_or_init(|| found).clone()
    }

    fn find_hidden(&self, krate: CrateIx) -> Vec<Hidden> {
        let mut parts = Parts::default();
        for id in self.all_modules(krate) {
            let module = self.module(id);
            let items = match (&module.inline, &module.file) {
                (Some(items), _) => items,
                (None, Some(path)) => self.file(krate, path).map_or(&[][..], |file| &file.items),
                (None, None) => &[],
            };
            for item in items {
                self.add_parts(krate, item, &mut parts);
            }
        }
        let writes = |span: &Span| {
            let source = self.sources.get(span.file);
            super::unexpanded::has_word(&source.text[span.range()], Name::new("impl"))
        };
        let macros: Vec<Span> = parts.macros.values().flatten().copied().collect();
        let any_writes = macros.iter().any(writes);
        // What most crates contain no trace of is not tokenized.
        parts.regions.retain(|region| any_writes || writes(region));
        let seen = self.places_of_impls(krate);
        let mut hidden = Vec::new();
        for region in parts.regions {
            let source = self.sources.get(region.file);
            let Within { impls, calls } = lower::within(&source, region);
            for written in impls {
                let at = (written.span.file, written.span.start);
                if !seen.contains(&at) {
                    hidden.push(Hidden {
                        texts: vec![written.span],
                        of_trait: Some(written.of_trait),
                    });
                }
            }
            for (name, args) in calls {
                let mut texts = self.written_by(name, &parts.macros);
                if texts.iter().any(writes) {
                    texts.push(args);
                    let of_trait = None;
                    hidden.push(Hidden { texts, of_trait });
                }
            }
        }
        hidden
    }

    /// Returns the definitions of a macro, and of those that they name.
    fn written_by(&self, name: Name, macros: &FxHashMap<Name, Vec<Span>>) -> Vec<Span> {
        let mut names = vec![name];
        let mut texts = Vec::new();
        let mut next = 0;
        while let Some(name) = names.get(next) {
            next += 1;
            for &text in macros.get(name).into_iter().flatten() {
                texts.push(text);
                let source = self.sources.get(text.file);
                let calls = source.text[text.range()].split('!').map(str::trim_end);
                for before in calls {
                    let start = before.rfind(|c: char| !c.is_alphanumeric() && c != '_');
                    let called = Name::new(&before[start.map_or(0, |at| at + 1)..]);
                    if macros.contains_key(&called) && !names.contains(&called) {
                        names.push(called);
                    }
                }
            }
        }
        texts
    }

    fn add_parts(&self, krate: CrateIx, item: &Item, parts: &mut Parts) {
        if matches!(self.present(krate, &item.attrs), Ok(false)) {
            return;
        }
        match &item.kind {
            // Modules are visited by themselves; calls among items are expanded.
            ItemKind::Mod(_) | ItemKind::MacroCall(_) | ItemKind::Use(_) => {}
            ItemKind::ExternCrate(_) => {}
            ItemKind::MacroDef(def) => parts.macros.entry(item.name).or_default().push(def.body),
            ItemKind::Impl(imp) => self.add_parts_of(krate, item, &imp.items, parts),
            ItemKind::Trait(of) => self.add_parts_of(krate, item, &of.items, parts),
            _ => parts.regions.push(item.span),
        }
    }

    /// Adds the parts of the members of an `impl` or trait, and its header.
    fn add_parts_of(&self, krate: CrateIx, item: &Item, members: &[Item], parts: &mut Parts) {
        let end = members
            .first()
            .map_or(item.span.end, |first| first.span.start);
        let header = Span { end, ..item.span };
        let text = &self.sources.get(header.file).text;
        // The first is its own.
        let text = text.get(header.range()).unwrap_or_default();
        if text.matches("impl").count() > 1 {
            parts.regions.push(header);
        }
        for member in members {
            self.add_parts(krate, member, parts);
        }
    }

    /// Returns where the `impl`s of a crate that were read begin: at their keyword.
    fn places_of_impls(&self, krate: CrateIx) -> FxHashSet<(FileId, u32)> {
        let modules = self.modules_with_impls(krate);
        let keyword = |id: &ItemId| {
            let item = self.item(*id).item;
            let source = self.sources.get(item.span.file);
            let text = &source.text[item.span.range()];
            let start = item.attrs.list.iter().map(|a| a.span.end).max();
            let from = start.unwrap_or(item.span.start).max(item.span.start) - item.span.start;
            let at = text.get(from as usize..)?.find("impl")?;
            Some((item.span.file, item.span.start + from + at as u32))
        };
        let impls = modules
            .iter()
            .flat_map(|m| self.module(*m).scope.read().impls.clone());
        impls.filter_map(|id| keyword(&id)).collect()
    }
}
