//! Changes of one field that change every size equally, so that one of them is computed for all.
//!
//! rustc sorts the fields of a struct without `repr` by alignment or size, then by niche, and adds
//! no padding between them: whichever of several fields with equal layouts gets another type, the
//! struct has the same size, alignment and niche. Only of two niches with the same number of
//! values but not the same size, the order of the fields decides which one is offered.

use super::{Data, Hypothesis, Layout, Layouts, WhatIf, adt, repr, touches};
use crate::ir::{AdtKind, ItemKind};
use crate::resolve::ty::Ty;
use crate::resolve::{Db, ItemId};
use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use std::ops::Bound;
use std::sync::Arc;

/// Structs with fewer fields are laid out for each change.
const WIDE: usize = 64;

/// A struct of many fields, for which changes of equal fields are alike.
pub(super) struct Wide<'a> {
    /// The first field with the same layout, by index in the source.
    first: FxHashMap<usize, usize>,
    /// The largest niche of any field: the number of its values, and its size in bytes.
    niche: Option<(u128, u64)>,
    /// The first type that each layout was asked for with.
    types: Mutex<FxHashMap<&'a Data, Ty>>,
}

impl<'a> Layouts<'a> {
    /// Returns a change after which every type has the same size as after the given one, and which
    /// is the same for all changes that are alike; `None` if there is no other.
    pub fn representative(&self, db: &Db<'a>, change: &WhatIf) -> Option<WhatIf> {
        let mut of_wide = change.fields.iter().filter(|((item, ..), _)| {
            matches!(&db.item(*item).item.kind, ItemKind::Adt(adt)
                if adt.kind == AdtKind::Struct && adt.variants[0].fields.len() >= WIDE)
        });
        let (Some((&place, Some(new))), None) = (of_wide.next(), of_wide.next()) else {
            return None;
        };
        // Layouts under another change are none of the definitions'.
        if self.walk.what_if.borrow().is_some() {
            return None;
        }
        let (item, _, field) = place;
        let wide = self.wide(db, item)?;
        let layout = self.of(db, *new).ok()?;
        let offered = largest_niche(self, layout).zip(wide.niche);
        let order_decides = offered.is_some_and(|(a, b)| a.0 == b.0 && a.1 != b.1);
        if order_decides || self.is_changed_elsewhere(db, change, place, *new) {
            return None;
        }
        let first = *wide.first.get(&field)?;
        let new = match change.fields.len() {
            1 => *wide.types.lock().entry(layout.0).or_insert(*new),
            // Other parts of the change may affect another type with this layout.
            _ => *new,
        };
        let mut fields = change.fields.clone();
        fields.remove(&place);
        fields.insert((item, 0, first), Some(new));
        Some(WhatIf { fields })
    }

    /// Returns true if a change may affect the new type, or its other parts the rest of the fields.
    fn is_changed_elsewhere(
        &self,
        db: &Db<'a>,
        change: &WhatIf,
        place: (ItemId, usize, usize),
        new: Ty,
    ) -> bool {
        let known = self.known.read();
        if touches(db, &known, &mut Hypothesis::new(change.clone()), new) {
            return true;
        }
        let mut others = change.clone();
        others.fields.remove(&place);
        if others.fields.is_empty() {
            return false;
        }
        // An instance may hold what the definition does not.
        let generics = match &db.item(place.0).item.kind {
            ItemKind::Adt(adt) => !adt.generics.params.is_empty(),
            _ => true,
        };
        let identity = db.identity_ty(place.0);
        generics || touches(db, &known, &mut Hypothesis::new(others), identity)
    }

    /// Returns the fields of a struct by their layouts; `None` if their order matters.
    fn wide(&self, db: &Db<'a>, item: ItemId) -> Option<Arc<Wide<'a>>> {
        if db.assumed() > 0 {
            return None;
        }
        if let Some(known) = self.wide.get(&item) {
            return known;
        }
        let wide = self.sort_fields(db, item).map(Arc::new);
        self.wide.keep(item, wide)
    }

    fn sort_fields(&self, db: &Db<'a>, item: ItemId) -> Option<Wide<'a>> {
        let data = db.item(item);
        let repr = repr::of(db, db.krate_of(data.module), data.item).ok()?;
        let any = (Bound::Unbounded, Bound::Unbounded);
        let options = &repr.options;
        let is_plain = !options.inhibit_struct_field_reordering()
            && !options.transparent()
            && options.pack.is_none()
            && repr.valid_range == any
            && !(repr.hides_niche || repr.phantom);
        if !is_plain || db.may_be_unsized(item) != Ok(false) {
            return None;
        }
        let ty = db.identity_ty(item);
        // Also makes known what the struct holds.
        let _ = self.of(db, ty);
        let shape = adt::shape(db, ty, item).ok()?;
        let mut by_layout = FxHashMap::default();
        let mut first = FxHashMap::default();
        let mut niche: Option<(u128, u64)> = None;
        for field in &shape.variants.first()?.fields {
            // In an instance, a field of a parameter's type may have any niche.
            let layout = self.of(db, field.ty).ok()?;
            first.insert(
                field.index,
                *by_layout.entry(layout.0).or_insert(field.index),
            );
            niche = match (niche, largest_niche(self, layout)) {
                (Some(a), Some(b)) if a.0 == b.0 && a.1 != b.1 => return None,
                (a, b) => a.max(b),
            };
        }
        Some(Wide {
            first,
            niche,
            types: Mutex::default(),
        })
    }
}

/// Returns the number of values and the size in bytes of the niche that a layout offers.
fn largest_niche(layouts: &Layouts, layout: Layout) -> Option<(u128, u64)> {
    let dl = &layouts.calc.cx;
    let niche = layout.largest_niche?;
    Some((niche.available(dl), niche.value.size(dl).bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::carets::Cases;
    use crate::layout::LayoutArena;
    use std::fmt::Write;

    const TYPES: [&str; 16] = [
        "u8",
        "bool",
        "u16",
        "u32",
        "char",
        "u64",
        "()",
        "String",
        "Vec<u8>",
        "Box<u8>",
        "core::num::NonZeroU8",
        "core::num::NonZeroU64",
        "[u8; 3]",
        "[u16; 3]",
        "(u8, u32)",
        "Option<u16>",
    ];

    /// Enums whose other variants fit before, after or not beside the niche of a struct.
    fn holders(name: &str, text: &mut String) {
        for n in [0, 1, 8, 40, 200, 400] {
            writeln!(
                text,
                "enum {name}{n} {{ A({name}), B([u8; {n}]), C([u32; {n} / 4]) }}"
            )
            .unwrap();
        }
    }

    #[test]
    fn alike_changes_give_every_type_the_same_size() {
        let mut text = String::new();
        let mut seed = 7_u64;
        for (n, few) in [16, 8, 3, 16].into_iter().enumerate() {
            let from = n * 4 % 13;
            writeln!(text, "struct S{n} {{").unwrap();
            for i in 0..WIDE + n {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let ty = TYPES[(from + (seed >> 33) as usize % few) % TYPES.len()];
                writeln!(text, "f{i}: {ty},").unwrap();
            }
            writeln!(text, "}}").unwrap();
            holders(&format!("S{n}"), &mut text);
        }
        writeln!(text, "struct New({}, [u64; 9]);", TYPES.join(", ")).unwrap();
        let db = Cases::db_of(text);
        let arena = Box::leak(Box::<LayoutArena>::default());
        let layouts = Layouts::new(db, arena).unwrap();
        let modules = db.modules_and_bodies(0).into_iter();
        let adts: Vec<ItemId> = modules
            .flat_map(|m| db.module(m).scope.read().adts.clone())
            .collect();
        let types: Vec<Ty> = adts.iter().map(|id| db.identity_ty(*id)).collect();
        let new = db.field_types(*types.last().unwrap(), 0);
        let sizes = |change: WhatIf| {
            let size = |ty: &Ty| layouts.extent(db, *ty).unwrap();
            layouts.what_if(change, || types.iter().map(size).collect::<Vec<_>>())
        };
        let mut alike = 0;
        for &item in &adts {
            let ItemKind::Adt(adt) = &db.item(item).item.kind else {
                continue;
            };
            for field in 0..adt.variants[0].fields.len() {
                for new in &*new {
                    let fields = [((item, 0, field), Some(*new))].into_iter().collect();
                    let change = WhatIf { fields };
                    let Some(other) = layouts.representative(db, &change) else {
                        continue;
                    };
                    if other != change {
                        alike += 1;
                        assert_eq!(sizes(change.clone()), sizes(other), "{change:?}");
                    }
                }
            }
        }
        assert!(alike > 1000, "{alike}");
    }
}
