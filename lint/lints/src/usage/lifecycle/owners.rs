//! Which fields store which types, by value or through shared pointers.

use super::Owner;
use crate::infer::types::{fields_of, implements, std_name, types_of};
use crate::lists::Lists;
use crate::resolve::ty::{GArg, Ty, TyKind};
use crate::resolve::{Db, ItemId};

/// Finds the fields that store each type.
pub(super) fn find(db: &'static Db<'static>, types: &[(ItemId, Ty)]) -> Lists<ItemId, Owner> {
    let mut found = Lists::default();
    for (item, ty) in types {
        for (field, ty) in fields_of(db, *item, *ty) {
            let mut list = Vec::new();
            inside(db, ty, None, &mut list, 0);
            for (part, shared) in list.into_iter().filter(|(part, _)| part != item) {
                found.add(part, Owner { field, ty, shared });
            }
        }
    }
    found.sort_by_key(|k| k.shared.is_none());
    found
}

/// Collects the workspace types in a field, with the pointer that shares each.
fn inside(
    db: &Db<'static>,
    ty: Ty,
    shared: Option<&'static str>,
    found: &mut Vec<(ItemId, Option<&'static str>)>,
    depth: u32,
) {
    let TyKind::Adt(item, args) = db.types.kind(ty) else {
        return;
    };
    if depth > 6 {
        return;
    }
    match std_name(db, *item) {
        // The content of a cell can be modified in place.
        Some("Cell" | "RefCell" | "Mutex" | "RwLock" | "UnsafeCell") => {}
        Some(name) => {
            let shared = match name {
                "Rc" | "Arc" => Some(name),
                _ => shared,
            };
            types_of(args).for_each(|ty| inside(db, ty, shared, found, depth + 1));
        }
        None => {
            found.push((*item, shared));
            // A pointer of another crate that gives only shared access.
            let of = |name| implements(db, ty, ["crate", "ops", name]);
            if let [GArg::Ty(pointee), ..] = &args[..]
                && of("Deref")
                && !of("DerefMut")
            {
                let name = db.item(*item).item.name.as_str();
                inside(db, *pointee, Some(name), found, depth + 1);
            }
        }
    }
}
