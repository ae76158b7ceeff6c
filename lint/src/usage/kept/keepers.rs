//! Which fields keep which types, by value or through pointers that share them.

use super::Keeper;
use crate::infer::body::FieldId;
use crate::infer::types::{field_types, implements, std_name};
use crate::resolve::ty::{GArg, Ty, TyKind};
use crate::resolve::{Db, ItemId};
use rustc_hash::FxHashMap;

/// By type: the fields that keep it.
pub(super) fn find(
    db: &'static Db<'static>,
    types: &[(ItemId, Ty)],
) -> FxHashMap<ItemId, Vec<Keeper>> {
    let mut found: FxHashMap<ItemId, Vec<Keeper>> = FxHashMap::default();
    for (item, ty) in types {
        for (v, fields) in field_types(db, *ty).into_iter().enumerate() {
            for (f, ty) in fields.into_iter().enumerate() {
                let field = FieldId {
                    adt: *item,
                    variant: v as u32,
                    field: f as u32,
                };
                let mut list = Vec::new();
                inside(db, ty, None, &mut list, 0);
                for (part, shared) in list {
                    if part != *item {
                        let keeper = Keeper { field, ty, shared };
                        found.entry(part).or_default().push(keeper);
                    }
                }
            }
        }
    }
    for list in found.values_mut() {
        list.sort_by_key(|k| k.shared.is_none());
    }
    found
}

/// The own types that a field has, with the pointer that shares each.
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
        // What a cell has can be changed where it is.
        Some("Cell" | "RefCell" | "Mutex" | "RwLock" | "UnsafeCell") => {}
        Some(name) => {
            let shared = match name {
                "Rc" | "Arc" => Some(name),
                _ => shared,
            };
            for arg in args {
                if let GArg::Ty(ty) = arg {
                    inside(db, *ty, shared, found, depth + 1);
                }
            }
        }
        None => {
            found.push((*item, shared));
            // A pointer of another crate that lends what it points to only to be read.
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
