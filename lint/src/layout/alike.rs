//! Changes of one field that change every size equally, so that one of them is computed for all.
//!
//! rustc sorts the fields of a struct without `repr` by alignment or size, then by niche, and adds
//! no padding between them: whichever of several fields with equal layouts gets another type, the
//! struct has the same size, alignment and niche. Only of two niches with the same number of
//! values, but of another size or at another place in their fields, the order of the fields decides
//! which one is offered.
//!
//! Of the variants of an enum, rustc lays out each for itself. Their order counts in relation to
//! the first, the last and the largest one alone: variants with equal fields that are none of these
//! and are on the same side of the largest are alike.

use super::{Data, Hypothesis, Layout, Layouts, WhatIf, adt, repr, touches};
use crate::ir::{Adt, AdtKind, ItemKind};
use crate::resolve::ty::Ty;
use crate::resolve::{Db, ItemId};
use parking_lot::Mutex;
use ra_ap_rustc_abi::{FieldIdx, ReprOptions, StructKind};
use ra_ap_rustc_index::IndexVec;
use rustc_hash::FxHashMap;
use std::cmp::Ordering;
use std::ops::Bound;
use std::sync::Arc;

/// Structs with fewer fields, and enums with fewer variants, are laid out for each change.
const WIDE: usize = 64;

/// A variant and a field of it, by index in the source.
type Place = (usize, usize);

/// A niche: the number of its values, and its size and its offset in its field, in bytes.
type NicheOf = (u128, (u64, u64));

/// A struct of many fields or an enum of many variants, for which changes of equal fields are alike.
pub(super) struct Wide<'a> {
    /// The first field that is like each.
    first: FxHashMap<Place, Place>,
    /// The largest niche of any field of a struct.
    niche: Option<NicheOf>,
    /// The first type that each layout was asked for with.
    types: Mutex<FxHashMap<&'a Data, Ty>>,
}

impl<'a> Layouts<'a> {
    /// Returns a change after which every type has the same size as after the given one, and which
    /// is the same for all changes that are alike; `None` if there is no other.
    pub fn representative(&self, db: &Db<'a>, change: &WhatIf) -> Option<WhatIf> {
        let mut of_wide = change.fields.iter().filter(
            |((item, ..), _)| matches!(&db.item(*item).item.kind, ItemKind::Adt(adt) if is_wide(adt)),
        );
        let (Some((&place, Some(new))), None) = (of_wide.next(), of_wide.next()) else {
            return None;
        };
        // Layouts under another change are none of the definitions'.
        if self.walk.what_if.borrow().is_some() {
            return None;
        }
        let (item, variant, field) = place;
        let wide = self.wide(db, item)?;
        let layout = self.of(db, *new).ok()?;
        let offered = largest_niche(self, layout).zip(wide.niche);
        let order_decides = offered.is_some_and(|(a, b)| a.0 == b.0 && a.1 != b.1);
        if order_decides
            || layout.is_uninhabited()
            || self.is_changed_elsewhere(db, change, place, *new)
        {
            return None;
        }
        let first = *wide.first.get(&(variant, field))?;
        let new = match change.fields.len() {
            1 => *wide.types.lock().entry(layout.0).or_insert(*new),
            // Other parts of the change may affect another type with this layout.
            _ => *new,
        };
        let mut fields = change.fields.clone();
        fields.remove(&place);
        fields.insert((item, first.0, first.1), Some(new));
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

    /// Returns which fields of a type are alike; `None` if the order of all matters.
    fn wide(&self, db: &Db<'a>, item: ItemId) -> Option<Arc<Wide<'a>>> {
        if db.assumed() > 0 {
            return None;
        }
        if let Some(known) = self.wide.get(&item) {
            return known;
        }
        let wide = self.find_alike(db, item).map(Arc::new);
        self.wide.keep(item, wide)
    }

    fn find_alike(&self, db: &Db<'a>, item: ItemId) -> Option<Wide<'a>> {
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
        // Also makes known what the type holds.
        let _ = self.of(db, ty);
        let shape = adt::shape(db, ty, item).ok()?;
        let of = |field: &adt::ShapeField| {
            // In an instance, a field of a parameter's type may have any layout.
            let layout = self.of(db, field.ty).ok();
            layout.filter(|l| !l.is_uninhabited())
        };
        let variants = shape.variants.iter();
        let layouts: Vec<Vec<Layout<'a>>> = variants
            .map(|v| v.fields.iter().map(of).collect())
            .collect::<Option<_>>()?;
        match &layouts[..] {
            [fields] => self.alike_fields(&shape.variants[0], fields),
            _ => self.alike_variants(&shape.variants, &layouts, options),
        }
    }

    fn alike_fields(&self, only: &adt::ShapeVariant, layouts: &[Layout<'a>]) -> Option<Wide<'a>> {
        let mut by_layout = FxHashMap::default();
        let mut first = FxHashMap::default();
        let mut niche: Option<NicheOf> = None;
        for (field, layout) in only.fields.iter().zip(layouts) {
            let at = (only.index, field.index);
            first.insert(at, *by_layout.entry(layout.0).or_insert(at));
            niche = match (niche, largest_niche(self, *layout)) {
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

    fn alike_variants(
        &self,
        variants: &[adt::ShapeVariant],
        layouts: &[Vec<Layout<'a>>],
        options: &ReprOptions,
    ) -> Option<Wide<'a>> {
        let size = |fields: &Vec<Layout<'a>>| {
            let fields: IndexVec<FieldIdx, Layout<'a>> = fields.iter().copied().collect();
            let layout = self
                .calc
                .univariant(&fields, options, StructKind::AlwaysSized);
            layout.ok().map(|layout: Data| layout.size)
        };
        let sizes: Vec<_> = layouts.iter().map(size).collect::<Option<_>>()?;
        // As rustc does: the last one of those that are equally large.
        let largest = (0..sizes.len()).max_by_key(|i| sizes[*i])?;
        let mut known: FxHashMap<(Ordering, Vec<&Data>), usize> = FxHashMap::default();
        let mut first = FxHashMap::default();
        for (i, variant) in variants.iter().enumerate() {
            let is_inside = i > 0 && i + 1 < variants.len() && i != largest;
            let like = match is_inside {
                true => {
                    let fields = layouts[i].iter().map(|l| l.0).collect();
                    *known.entry((i.cmp(&largest), fields)).or_insert(i)
                }
                false => i,
            };
            for (at, field) in variant.fields.iter().enumerate() {
                let place = (variants[like].index, variants[like].fields[at].index);
                first.insert((variant.index, field.index), place);
            }
        }
        Some(Wide {
            first,
            niche: None,
            types: Mutex::default(),
        })
    }
}

fn is_wide(adt: &Adt) -> bool {
    match adt.kind {
        AdtKind::Struct => adt.variants.iter().any(|v| v.fields.len() >= WIDE),
        AdtKind::Enum => adt.variants.len() >= WIDE,
        AdtKind::Union => false,
    }
}

/// Returns the niche that a layout offers.
fn largest_niche(layouts: &Layouts, layout: Layout) -> Option<NicheOf> {
    let dl = &layouts.calc.cx;
    let niche = layout.largest_niche?;
    let place = (niche.value.size(dl).bytes(), niche.offset.bytes());
    Some((niche.available(dl), place))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::carets::Cases;
    use crate::layout::LayoutArena;
    use std::fmt::Write;

    const TYPES: [&str; 18] = [
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
        // Equal but for the place of the niche.
        "First",
        "Last",
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
        let mut text = String::from(
            "#[repr(C)] struct First(bool, u32); #[repr(C)] struct Last(u32, bool);\n",
        );
        let mut seed = 7_u64;
        let kinds = [(0, 16), (4, 8), (8, 3), (12, 16), (16, 3)];
        for (n, (from, few)) in kinds.into_iter().enumerate() {
            writeln!(text, "struct S{n} {{").unwrap();
            for i in 0..WIDE + n {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let ty = TYPES[(from + (seed >> 33) as usize % few) % TYPES.len()];
                writeln!(text, "f{i}: {ty},").unwrap();
            }
            writeln!(text, "}}").unwrap();
            holders(&format!("S{n}"), &mut text);
            // The largest variant is first, inside or last, or there are two.
            writeln!(text, "enum E{n} {{").unwrap();
            for i in 0..WIDE + n {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let ty = TYPES[(from + (seed >> 33) as usize % few.min(4)) % TYPES.len()];
                writeln!(text, "V{i}({ty}, u8),").unwrap();
                if i == n * 21 || n == 1 && i == 40 {
                    writeln!(text, "L{i}(bool, u64, Vec<u16>),").unwrap();
                }
            }
            writeln!(text, "}}").unwrap();
            holders(&format!("E{n}"), &mut text);
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
            let variants = adt.variants.iter().enumerate();
            let places = variants.flat_map(|(v, of)| (0..of.fields.len()).map(move |f| (v, f)));
            for (variant, field) in places {
                for new in new.iter().skip(field % 9).step_by(9) {
                    let fields = [((item, variant, field), Some(*new))].into_iter().collect();
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
        assert!(alike > 500, "{alike}");
    }
}
