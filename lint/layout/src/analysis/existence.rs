//! Types whose presence depends on an unresolved `cfg`, and what their path names otherwise.

use super::{Analysis, Disputed, TypeInfo};
use crate::ir::ItemKind;
use crate::layout::Extent;
use crate::name::Name;
use crate::resolve::cfg::MAX_ATOMS;
use crate::resolve::ty::Ty;
use crate::resolve::types::Env;
use crate::resolve::{Def, ItemId, ModId, Ns, Res, Unknown};
use rustc_hash::FxHashMap;

/// Finds the types whose path names a type of another size in another build.
pub(super) fn disputed(analysis: &Analysis) -> FxHashMap<Ty, Disputed> {
    let mut open: FxHashMap<(u32, &str), Vec<&TypeInfo>> = FxHashMap::default();
    for info in &analysis.types {
        let named = open.entry((info.krate, &info.path)).or_default();
        named.push(info);
    }
    let mut found = FxHashMap::default();
    for types in open.values().filter(|t| t.iter().any(|t| !t.certain)) {
        if coexist(analysis, types) {
            continue;
        }
        let mut seen = Seen {
            analysis,
            places: places(analysis, types),
            name: analysis.db.item(types[0].item).item.name,
            // The definitions themselves, whether or not their path resolves to them.
            extent: None,
            least: u64::MAX,
        };
        let listed = types.iter().try_for_each(|t| seen.takes(t.ty));
        let why = match listed.and_then(|()| seen.worlds()) {
            Ok(()) => continue,
            // The unresolved `cfg` is a better reason than what depends on it.
            Err(why) => match analysis.db.item_present(types[0].item) {
                Err(open) => open,
                Ok(_) => why,
            },
        };
        for info in types {
            let disputed = Disputed {
                why: why.clone(),
                min_size: if seen.least == u64::MAX {
                    0
                } else {
                    seen.least
                },
            };
            found.insert(info.ty, disputed);
        }
    }
    found
}

/// Returns true for types in anonymous constants under one condition: no path resolves to them, and
/// a build has all or none.
fn coexist(analysis: &Analysis, types: &[&TypeInfo]) -> bool {
    let db = analysis.db;
    let nameless = |t: &&TypeInfo| {
        let module = db.module(db.item(t.item).module);
        module.block && module.name == crate::ir::Item::UNNAMED
    };
    let first = db.whole_guard(types[0].item);
    let mut all = types.iter();
    all.all(|t| nameless(t) && db.whole_guard(t.item) == first)
}

/// Returns the modules with the same path in which these types may be defined.
fn places(analysis: &Analysis, types: &[&TypeInfo]) -> Vec<ModId> {
    let db = analysis.db;
    let mut list: Vec<ModId> = types.iter().map(|t| db.item(t.item).module).collect();
    let mut next = 0;
    while let Some(&module) = list.get(next) {
        next += 1;
        let this = db.module(module);
        let Some(parent) = this.parent else { continue };
        for &beside in &db.module(parent).scope.read().children {
            if db.module(beside).name == this.name && !list.contains(&beside) {
                list.push(beside);
            }
        }
    }
    list.sort();
    list.dedup();
    list
}

/// What a path resolves to, over all configurations.
struct Seen<'m, 'a> {
    analysis: &'m Analysis<'a>,
    places: Vec<ModId>,
    name: Name,
    extent: Option<Extent>,
    least: u64,
}

impl Seen<'_, '_> {
    /// Examines every configuration that unresolved `cfg`s leave possible.
    fn worlds(&mut self) -> Res<()> {
        let db = self.analysis.db;
        match self.look() {
            Err(Unknown::Atom(atom)) if !db.is_assumed(atom) && db.assumed() < MAX_ATOMS => {
                db.assume(atom, true, || self.worlds())?;
                db.assume(atom, false, || self.worlds())
            }
            other => other,
        }
    }

    fn look(&mut self) -> Res<()> {
        let db = self.analysis.db;
        for i in 0..self.places.len() {
            let module = self.places[i];
            if !db.module_present(module)? {
                continue;
            }
            match db.lookup(module, self.name, Ns::Type, module)? {
                Some(Def::Item(item)) => {
                    if let Some(ty) = self.type_of(item) {
                        self.takes(ty)?;
                    }
                }
                Some(_) => {}
                None => db.outside_decides(module, self.name, false)?,
            }
        }
        Ok(())
    }

    /// Returns the type that an item defines or is an alias of.
    fn type_of(&self, item: ItemId) -> Option<Ty> {
        let db = self.analysis.db;
        let data = db.item(item);
        match &data.item.kind {
            ItemKind::Adt(_) => Some(db.identity_ty(item)),
            ItemKind::TypeAlias(alias) if alias.generics.params.is_empty() => {
                Some(db.lower(alias.ty.as_ref()?, &Env::plain(data.module)))
            }
            _ => None,
        }
    }

    /// Fails if a type at the path differs from an earlier one, or is unknown.
    fn takes(&mut self, ty: Ty) -> Res<()> {
        let (db, layouts) = (self.analysis.db, self.analysis.layouts);
        self.least = self.least.min(layouts.min_size(db, ty));
        let extent = layouts.extent(db, ty)?;
        match self.extent.replace(extent) {
            Some(before) if before != extent => Err(Unknown::because(
                "another build has another type of this name",
            )),
            _ => Ok(()),
        }
    }
}
