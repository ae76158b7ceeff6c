//! Which types other packages can name.

use super::{Model, TypeInfo};
use crate::ir::{AdtKind, ItemKind, Vis};
use crate::name::Name;
use crate::resolve::{Bound, Entry, Seen};
use crate::usage::fields::is_published;
use rustc_hash::FxHashSet;

impl Model<'static> {
    /// True if a change of a type, or of this field or variant of it, may break other packages: it
    /// is public in a library that may be published. Where a `pub use` might lead to it by its
    /// last name, it is taken to do so.
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
        let (names, globs) = self.reexports(info.krate);
        let (mut name, mut at) = (data.item.name, data.module);
        loop {
            let module = db.module(at);
            let Some(parent) = module.parent else {
                return true;
            };
            if names.contains(&name) || globs.contains(&module.name) {
                return true;
            }
            let open = module.decl.is_some_and(|d| d.vis == Vis::Public);
            if module.block || !open {
                return false;
            }
            (name, at) = (module.name, parent);
        }
    }

    /// The last names of what a crate's `pub use` lead to, then those of the modules that it
    /// brings in whole.
    fn reexports(&self, krate: u32) -> (FxHashSet<Name>, FxHashSet<Name>) {
        let (mut names, mut globs) = (FxHashSet::default(), FxHashSet::default());
        let last = |entry: &Entry| match (&entry.to, entry.seen) {
            (Bound::Import(import), Seen::Everywhere) => import.path.last().copied(),
            _ => None,
        };
        for module in self.db.all_modules(krate) {
            let scope = self.db.module(module).scope.borrow();
            names.extend(scope.imports.values().flatten().filter_map(last));
            globs.extend(scope.globs.iter().filter_map(last));
        }
        (names, globs)
    }
}
