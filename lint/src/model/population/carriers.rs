//! What collections in fields hold, and whether there are many of these collections.

use super::find::{DEEPEST, Finder, types_of};
use crate::layout::WhatIf;
use crate::model::Model;
use crate::resolve::ItemId;
use crate::resolve::ty::{Ty, TyKind};
use crate::usage::types::{OWNING, field_types};
use rustc_hash::{FxHashMap, FxHashSet};

/// What lends, passes on or only names values, and holds none of them.
const LENDERS: &[&str] = &[
    "Drain",
    "IntoIter",
    "Iter",
    "PhantomData",
    "Receiver",
    "Sender",
    "SyncSender",
    "UnboundedReceiver",
    "UnboundedSender",
    "Weak",
];

/// What is behind these is shared and changes: it leads back to anything.
const CELLS: &[&str] = &["Cell", "Mutex", "RefCell", "RwLock"];

/// More places than these are not kept for one type.
const MOST: usize = 16;

/// What a collection holds, or a pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Carrier {
    /// Its element, of which the type is all or a part.
    pub element: Ty,
    /// There are many such collections.
    pub nested: bool,
}

/// A collection that holds a type, or something of which it is a part.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Held {
    element: Ty,
    /// Whose field it is in.
    holder: ItemId,
    /// It is in another collection.
    inner: bool,
}

/// Collections in fields, and the types that own others of their kind.
#[derive(Default)]
pub(super) struct Carriers {
    held: FxHashMap<ItemId, Vec<Held>>,
    /// The same for what boxes and counted pointers own.
    pointed: FxHashMap<ItemId, Vec<Held>>,
    /// By type: those that its fields own.
    owned: FxHashMap<ItemId, FxHashSet<ItemId>>,
}

impl Carriers {
    /// What collections hold of a type, or many pointers own.
    pub fn of(&self, item: ItemId) -> Vec<Carrier> {
        let many = |h: ItemId| self.held.contains_key(&h) || self.is_recursive(h);
        let carrier = |held: &Held| Carrier {
            element: held.element,
            nested: held.inner || many(held.holder),
        };
        let list = |map: &FxHashMap<ItemId, Vec<Held>>| -> Vec<Carrier> {
            let found = map.get(&item).into_iter().flatten();
            found.map(carrier).collect()
        };
        let mut found = list(&self.held);
        found.extend(list(&self.pointed).into_iter().filter(|c| c.nested));
        found
    }

    /// True for a type that owns others of its kind.
    fn is_recursive(&self, item: ItemId) -> bool {
        let mut seen = FxHashSet::default();
        let mut queue = vec![item];
        while let Some(at) = queue.pop() {
            for &to in self.owned.get(&at).into_iter().flatten() {
                if to == item {
                    return true;
                }
                if seen.insert(to) {
                    queue.push(to);
                }
            }
        }
        false
    }
}

impl Finder {
    /// Notes the collections in the type of a field, or inside another, and what the field owns.
    pub(super) fn holds(&mut self, holder: ItemId, ty: Ty, depth: u32, owned: bool) {
        let db = self.db;
        if depth > 16 {
            return;
        }
        let mut owned = owned;
        let inner: Vec<Ty> = match db.types.kind(ty) {
            TyKind::Tuple(list) => list.to_vec(),
            TyKind::Array(element, _) | TyKind::Slice(element) => vec![*element],
            TyKind::Adt(id, args) => {
                let name = db.item(*id).item.name;
                if LENDERS.contains(&name.as_str()) {
                    return;
                }
                owned &= !CELLS.contains(&name.as_str());
                if owned && self.is_own(*id) {
                    self.carriers.owned.entry(holder).or_default().insert(*id);
                }
                types_of(args).collect()
            }
            _ => return,
        };
        // A collection of the workspace's own holds what the one inside it does.
        if let TyKind::Adt(id, args) = db.types.kind(ty)
            && types_of(args).next().is_some()
            && self.depth < DEEPEST
            && self.is_own(*id)
        {
            self.depth += 1;
            for field in field_types(db, ty).into_iter().flatten() {
                self.holds(holder, field, depth, owned);
            }
            self.depth -= 1;
        }
        let mut many = self.elements(ty);
        // What a map holds is a key and a value.
        if let (TyKind::Adt(id, _), [key, value, ..]) = (db.types.kind(ty), &many[..])
            && db.item(*id).item.name.as_str().contains("Map")
        {
            many = vec![db.types.intern(TyKind::Tuple([*key, *value].into()))];
        }
        for &element in &many {
            self.note(holder, element, depth > 0);
        }
        if let (TyKind::Adt(id, _), Some(&pointee)) = (db.types.kind(ty), inner.first())
            && OWNING.contains(&db.item(*id).item.name.as_str())
        {
            self.point(holder, pointee, depth > 0);
        }
        let depth = depth + u32::from(!many.is_empty());
        for ty in inner {
            self.holds(holder, ty, depth, owned);
        }
    }

    fn note(&mut self, holder: ItemId, element: Ty, inner: bool) {
        for &item in self.parts(element).iter() {
            let list = self.carriers.held.entry(item).or_default();
            add(list, holder, element, inner);
        }
    }

    fn point(&mut self, holder: ItemId, element: Ty, inner: bool) {
        for &item in self.parts(element).iter() {
            let list = self.carriers.pointed.entry(item).or_default();
            add(list, holder, element, inner);
        }
    }
}

fn add(list: &mut Vec<Held>, holder: ItemId, element: Ty, inner: bool) {
    let held = Held {
        element,
        holder,
        inner,
    };
    if list.len() < MOST && !list.contains(&held) {
        list.push(held);
    }
}

/// By how many percent a change makes those elements smaller of which a type is a part; the
/// greatest.
pub(super) fn share(
    model: &Model<'static>,
    elements: impl Iterator<Item = Ty>,
    change: &WhatIf,
) -> Option<u64> {
    let size = |ty| model.extent(ty).ok().map(|e| e.size);
    let each = elements.filter_map(|ty| {
        let before = size(ty)?;
        let after = model.what_if(change.clone(), || size(ty))?;
        Some(before.saturating_sub(after) * 100 / before.max(1))
    });
    each.max()
}
