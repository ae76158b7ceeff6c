//! Which types other packages can name.

use super::{Model, TypeInfo};
use crate::ir::{AdtKind, ItemKind, Vis};
use crate::name::Name;
use crate::resolve::{Bound, CrateIx, Def, Entry, Ns, Seen};
use crate::usage::fields::is_published;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The target of a `pub use`.
pub(super) struct Reexport {
    /// Its definition, if known.
    to: Option<Def>,
    /// Whether it is a glob import.
    glob: bool,
}

/// The re-exports of a crate, by the last segment of their paths.
pub(super) type Reexports = FxHashMap<Name, Vec<Reexport>>;

impl Model<'static> {
    /// Returns true if a change of a type, or of this field or variant of it, may break other
    /// packages: it is public in a library that may be published. A `pub use` of its name with an
    /// unknown target is assumed to export it.
    pub fn exports(&self, info: &TypeInfo, field: Option<&str>) -> bool {
        let db = self.db;
        let data = db.item(info.item);
        let published = is_published(db, info.krate);
        let hidden = || match &data.item.kind {
            ItemKind::Adt(adt) if adt.kind != AdtKind::Enum => {
                let at = field.and_then(|f| db.field_named(info.item, 0, Name::new(f)));
                at.is_some_and(|f| adt.variants[0].fields[f as usize].vis != Vis::Public)
            }
            _ => false,
        };
        if !published || data.item.vis != Vis::Public || hidden() {
            return false;
        }
        let (mut def, mut at) = (Def::Item(info.item), data.module);
        let reexports = self.reexports(info.krate);
        loop {
            let module = db.module(at);
            let Some(parent) = module.parent else {
                return true;
            };
            let name = match def {
                Def::Mod(module) => db.module(module).name,
                _ => data.item.name,
            };
            let leads = |r: &Reexport| match r.glob {
                true => r.to.is_none_or(|to| to == Def::Mod(at)),
                false => r.to.is_none_or(|to| to == def),
            };
            let named = |name: Name, glob: bool| {
                let all = reexports.get(&name).into_iter().flatten();
                all.filter(move |r| r.glob == glob)
            };
            if named(name, false)
                .chain(named(module.name, true))
                .any(leads)
            {
                return true;
            }
            let open = module.decl.is_some_and(|d| d.vis == Vis::Public);
            if module.block || !open {
                return false;
            }
            (def, at) = (Def::Mod(at), parent);
        }
    }

    fn reexports(&self, krate: CrateIx) -> Arc<Reexports> {
        if let Some(known) = self.reexports.get(&krate) {
            return known;
        }
        let db = self.db;
        let reexport = |entry: &Entry, glob: bool| match (&entry.to, entry.seen) {
            (Bound::Import(import), Seen::Everywhere) => {
                let found = db.resolve(import.module, import.global, &import.path, Ns::Type);
                let to = found.ok().flatten().map(|f| f.def);
                Some((*import.path.last()?, Reexport { to, glob }))
            }
            _ => None,
        };
        let mut found = Reexports::default();
        for module in db.all_modules(krate) {
            // Name resolution below reads this scope, too: the guard must be dropped first.
            let scope = db.module(module).scope.read();
            let named: Vec<_> = scope.imports.values().flatten().cloned().collect();
            let globs = scope.globs.clone();
            drop(scope);
            let named = named.iter().filter_map(|e| reexport(e, false));
            for (name, one) in named.chain(globs.iter().filter_map(|e| reexport(e, true))) {
                found.entry(name).or_default().push(one);
            }
        }
        self.reexports.keep(krate, Arc::new(found))
    }
}
