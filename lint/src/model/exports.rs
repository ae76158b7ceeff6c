//! Which types other packages can name.

use super::{Model, TypeInfo};
use crate::ir::{AdtKind, ItemKind, Vis};
use crate::name::Name;
use crate::resolve::{Bound, CrateIx, Def, Entry, Ns, Seen};
use crate::usage::fields::is_published;
use std::rc::Rc;

/// What a `pub use` leads to.
pub(super) struct Reexport {
    /// The last name of its path.
    name: Name,
    /// What that is, if it is known.
    to: Option<Def>,
    /// All that is in it is meant.
    glob: bool,
}

impl Model<'static> {
    /// True if a change of a type, or of this field or variant of it, may break other packages: it
    /// is public in a library that may be published. Where it is not known what a `pub use` of its
    /// name leads to, it is taken to lead there.
    pub fn exports(&self, info: &TypeInfo, field: Option<&str>) -> bool {
        let db = self.db;
        let data = db.item(info.item);
        let published = is_published(db, info.krate);
        let hidden = || match &data.item.kind {
            ItemKind::Adt(adt) if adt.kind != AdtKind::Enum => {
                let mut fields = adt.variants.iter().flat_map(|v| &v.fields);
                fields.any(|f| field == Some(f.name.as_str()) && f.vis != Vis::Public)
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
                true => r.name == module.name && r.to.is_none_or(|to| to == Def::Mod(at)),
                false => r.name == name && r.to.is_none_or(|to| to == def),
            };
            if reexports.iter().any(leads) {
                return true;
            }
            let open = module.decl.is_some_and(|d| d.vis == Vis::Public);
            if module.block || !open {
                return false;
            }
            (def, at) = (Def::Mod(at), parent);
        }
    }

    fn reexports(&self, krate: CrateIx) -> Rc<[Reexport]> {
        if let Some(known) = self.reexports.borrow().get(&krate) {
            return known.clone();
        }
        let db = self.db;
        let reexport = |entry: &Entry, glob: bool| match (&entry.to, entry.seen) {
            (Bound::Import(import), Seen::Everywhere) => {
                let found = db.resolve(import.module, import.global, &import.path, Ns::Type);
                Some(Reexport {
                    name: *import.path.last()?,
                    to: found.ok().flatten().map(|f| f.def),
                    glob,
                })
            }
            _ => None,
        };
        let mut found = Vec::new();
        for module in db.all_modules(krate) {
            // Names are looked up in this scope, too: it must not stay borrowed.
            let scope = db.module(module).scope.borrow();
            let named: Vec<_> = scope.imports.values().flatten().cloned().collect();
            let globs = scope.globs.clone();
            drop(scope);
            found.extend(named.iter().filter_map(|e| reexport(e, false)));
            found.extend(globs.iter().filter_map(|e| reexport(e, true)));
        }
        let found: Rc<[_]> = found.into();
        self.reexports.borrow_mut().insert(krate, found.clone());
        found
    }
}
