//! Types that are there or not as an open `cfg` decides: what stands at their path otherwise.

use super::{Disputed, Model, TypeInfo};
use crate::ir::ItemKind;
use crate::layout::Extent;
use crate::name::Name;
use crate::resolve::cfg::MAX_ATOMS;
use crate::resolve::ty::Ty;
use crate::resolve::types::Env;
use crate::resolve::{Def, ItemId, ModId, Ns, Res, Unknown};
use rustc_hash::FxHashMap;

/// The types that another build has in another size at the same path.
pub(super) fn disputed(model: &Model) -> FxHashMap<Ty, Disputed> {
    let mut open: FxHashMap<(u32, &str), Vec<&TypeInfo>> = FxHashMap::default();
    for info in &model.types {
        let named = open.entry((info.krate, &info.path)).or_default();
        named.push(info);
    }
    let mut found = FxHashMap::default();
    for types in open.values().filter(|t| t.iter().any(|t| !t.certain)) {
        if coexist(model, types) {
            continue;
        }
        let mut seen = Seen {
            model,
            places: places(model, types),
            name: model.db.item(types[0].item).item.name,
            // The definitions themselves, whether or not their path leads to them.
            extent: None,
            least: u64::MAX,
        };
        let listed = types.iter().try_for_each(|t| seen.takes(t.ty));
        let why = match listed.and_then(|()| seen.worlds()) {
            Ok(()) => continue,
            // What decides says more than what it decides on.
            Err(why) => match model.db.item_present(types[0].item) {
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

/// True for types in nameless constants that one condition brings: the path leads to none of them,
/// and a build has all or none.
fn coexist(model: &Model, types: &[&TypeInfo]) -> bool {
    let db = model.db;
    let nameless = |t: &&TypeInfo| {
        let module = db.module(db.item(t.item).module);
        module.block && module.name == crate::ir::Item::UNNAMED
    };
    let first = db.whole_guard(types[0].item);
    let mut all = types.iter();
    all.all(|t| nameless(t) && db.whole_guard(t.item) == first)
}

/// The modules, of all that have the same path, where these types may stand.
fn places(model: &Model, types: &[&TypeInfo]) -> Vec<ModId> {
    let db = model.db;
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

/// What stands at one path, from world to world.
struct Seen<'m, 'a> {
    model: &'m Model<'a>,
    places: Vec<ModId>,
    name: Name,
    extent: Option<Extent>,
    least: u64,
}

impl Seen<'_, '_> {
    /// Looks in every world that open `cfg`s leave possible.
    fn worlds(&mut self) -> Res<()> {
        let db = self.model.db;
        match self.look() {
            Err(Unknown::Atom(atom)) if !db.is_assumed(atom) && db.assumed() < MAX_ATOMS => {
                db.assume(atom, true, || self.worlds())?;
                db.assume(atom, false, || self.worlds())
            }
            other => other,
        }
    }

    fn look(&mut self) -> Res<()> {
        let db = self.model.db;
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

    /// The type that an item is or stands for.
    fn type_of(&self, item: ItemId) -> Option<Ty> {
        let db = self.model.db;
        let data = db.item(item);
        match &data.item.kind {
            ItemKind::Adt(_) => Some(db.identity_ty(item)),
            ItemKind::TypeAlias(alias) if alias.generics.params.is_empty() => {
                Some(db.lower(alias.ty.as_ref()?, &Env::plain(data.module)))
            }
            _ => None,
        }
    }

    /// Fails if a type at the path differs from one seen before, or is not known.
    fn takes(&mut self, ty: Ty) -> Res<()> {
        let (db, layouts) = (self.model.db, self.model.layouts);
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
