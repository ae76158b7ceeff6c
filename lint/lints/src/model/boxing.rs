//! Which fields of the widest variants to box, and the size that the enum then has, by trial
//! layouts.

mod aligned;
mod change;
mod slices;

use super::{Model, TypeInfo};
use crate::config::Thresholds;
use crate::ir::{AdtKind, ItemKind, Style};
use crate::layout::WhatIf;
use crate::layout::view::{VariantView, View};
use crate::resolve::ty::{Ty, TyKind};
use crate::resolve::{CrateIx, ItemId};
use crate::spread::spread;
use crate::usage::types::field_types;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;

/// Types per batch of work for a thread.
pub(super) const BATCH: usize = 64;

/// Maximum number of instances of a generic type that are tried.
const MOST_INSTANCES: usize = 16;

/// Maximum number of fields in a box that does not hold the whole variant.
const MOST_FIELDS: usize = 4;
/// Maximum number of variants boxed together: each trial lays out the whole enum.
const MOST_VARIANTS: usize = 64;

/// Fields of one variant that move into one box.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoxOf {
    /// The variant, as an index into the view.
    pub variant: usize,
    /// The fields, as indices into the variant, in source order.
    pub fields: Vec<usize>,
}

/// A set of boxes that makes an enum smaller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Boxing {
    /// What to box.
    pub boxes: Vec<BoxOf>,
    /// Size of the enum afterwards, in bytes.
    pub size: u64,
    /// How many of the widest variants change.
    pub variants: usize,
}

impl Boxing {
    /// Returns a measure of the edit's size: the smaller the change, the smaller this.
    fn effort(&self) -> (usize, usize, usize) {
        let fields = self.boxes.iter().map(|b| b.fields.len()).sum();
        (self.variants, fields, self.boxes.len())
    }
}

/// A lookup of settings by crate.
pub type Ask<'a, T> = dyn Fn(CrateIx) -> T + Sync + 'a;

/// An enum, and changes of other definitions that are assumed.
struct Trial<'m> {
    model: &'m Model<'static>,
    of: &'m TypeInfo,
    /// The type, or the instance of it.
    ty: Ty,
    view: &'m View,
    given: &'m WhatIf,
    thresholds: &'m Thresholds,
}

/// An enum for which boxing saves enough to report.
#[derive(Clone, Debug)]
pub struct Oversized {
    /// The type; of a generic one the instance that loses most.
    pub ty: Ty,
    /// Its current layout.
    pub view: View,
    /// Boxings that make it smaller, the best first; never empty.
    pub boxings: Vec<Boxing>,
}

impl Model<'static> {
    /// Finds the enums of the workspace that boxing makes smaller, in crates that have a heap. Does
    /// not check whether the size comes from another enum inside.
    pub fn oversized(
        &self,
        thresholds: &Ask<Thresholds>,
        instances: &FxHashMap<ItemId, Vec<Ty>>,
    ) -> FxHashMap<ItemId, Box<Oversized>> {
        let enums = self.types().iter();
        let enums = enums.filter(|t| t.kind == AdtKind::Enum && self.is_authored(t));
        let enums: Vec<_> = enums.collect();
        let one = |info: &TypeInfo| {
            let ask = || self.oversized_one(info, thresholds, instances);
            let work = || format!("trying boxes for `{}`", info.path);
            Some((info.item, Box::new(self.db.guarded(work, ask)??)))
        };
        let found = spread(enums, BATCH, one);
        found.into_iter().flatten().collect()
    }

    fn oversized_one(
        &self,
        info: &TypeInfo,
        thresholds: &Ask<Thresholds>,
        instances: &FxHashMap<ItemId, Vec<Ty>>,
    ) -> Option<Oversized> {
        if self.is_copy(info) || !self.has_heap(info.krate) || self.is_repr_c(info) {
            return None;
        }
        let thresholds = thresholds(info.krate);
        let tys = match info.generics.is_empty() {
            true => &[info.ty][..],
            false => instances.get(&info.item).map_or(&[][..], Vec::as_slice),
        };
        let judged = tys.iter().take(MOST_INSTANCES).filter_map(|&ty| {
            let view = self.view(ty).ok()?;
            let none = WhatIf::default();
            let boxings = self.boxings(info, ty, &view, &none, &thresholds);
            let best = boxings.first()?;
            let saved = view.size - best.size;
            Some((saved, Oversized { ty, view, boxings }))
        });
        // Keep the first of equals: instances are sorted by name.
        let best = judged.reduce(|a, b| if b.0 > a.0 { b } else { a });
        best.map(|(_, oversized)| oversized)
    }

    /// Returns the boxings of one variant or a few that are worth it, if any: the best first, then
    /// others by saving. `view` is the enum's layout with the changes that are `given`.
    pub fn boxings(
        &self,
        of: &TypeInfo,
        ty: Ty,
        view: &View,
        given: &WhatIf,
        thresholds: &Thresholds,
    ) -> Vec<Boxing> {
        let trial = Trial {
            model: self,
            of,
            ty,
            view,
            given,
            thresholds,
        };
        let mut found = trial.search();
        found.shrink_to_fit();
        found
    }
}

impl Trial<'_> {
    /// Returns the boxings of the widest variants: of as many as save most for each of them.
    fn of_widest(&self) -> Vec<Boxing> {
        let variants = &self.view.variants;
        let mut order: Vec<usize> = (0..variants.len())
            .filter(|&v| !variants[v].absent)
            .collect();
        order.sort_by_key(|&v| Reverse(variants[v].size));
        let size = self.view.size;
        let limit = self.thresholds.largest_worth(size);
        let mut best: Vec<Boxing> = Vec::new();
        for count in 1..order.len().min(MOST_VARIANTS + 1) {
            let chosen = &order[..count];
            if !self.may_box(&variants[chosen[count - 1]]) {
                break;
            }
            // No boxing gets below the size of the next variant.
            let next = variants[order[count]].size;
            let most = size.saturating_sub(next);
            // Compares what each changed variant saves, as fractions.
            let is_less = |saved: u64| {
                let per = |saved: u64, of: usize| u128::from(saved) * of as u128;
                let best = best.first();
                best.is_some_and(|b| per(saved, b.variants) <= per(size - b.size, count))
            };
            if next > limit || most == 0 || is_less(most) {
                continue;
            }
            let found = self.box_variants(chosen, limit);
            let saved = found.first().map_or(0, |b| size - b.size);
            if saved > 0 && !is_less(saved) {
                best = found;
            }
        }
        best
    }

    /// Returns true if a box with all fields of a variant makes it smaller.
    fn may_box(&self, variant: &VariantView) -> bool {
        let fields = (0..variant.fields.len()).filter(|&f| variant.fields[f].size > 0);
        variant.size > self.model.word()
            && !self.is_lone_pointer(variant, &fields.collect::<Vec<_>>())
    }

    /// Returns the boxings of these variants if the enum gets down to the limit: the best, then
    /// others by saving.
    fn box_variants(&self, chosen: &[usize], limit: u64) -> Vec<Boxing> {
        let whole: Vec<BoxOf> = chosen.iter().map(|&v| self.whole(v)).collect();
        let Some(floor) = self.size(&whole) else {
            return Vec::new();
        };
        if floor > limit {
            return Vec::new();
        }
        let best = match *chosen {
            [v] => self.one_box(v, limit, floor),
            _ => self.fewest_fields(&whole, floor),
        };
        let mut found = Vec::new();
        self.add(best, chosen.len(), &mut found);
        self.add(whole, chosen.len(), &mut found);
        if let [v] = *chosen {
            self.lesser(v, &mut found);
        }
        if found.len() > 2 {
            found[1..].sort_by_key(|b| (b.size, b.effort()));
        }
        found
    }

    /// Boxes the widest field of a variant or all fields together: what saves more than a word for
    /// each field, which is what a reader of the change pays for; of equals what saves more. If
    /// neither does, the widest ones that have names: a part of a tuple in one box would be a shape
    /// that nobody writes. `floor` is the size with all of them in the box.
    fn one_box(&self, v: usize, limit: u64, floor: u64) -> Vec<BoxOf> {
        let all = self.whole(v);
        let gain = |size: u64, fields: usize| {
            let saved = self.view.size.saturating_sub(size);
            saved as i64 - (self.model.word() * fields as u64) as i64
        };
        let key = |(size, b): &(u64, BoxOf)| {
            let fields = b.fields.len();
            (gain(*size, fields), Reverse(*size), Reverse(fields))
        };
        let count = all.fields.len();
        let better = |best, one: BoxOf| {
            let size = self.size(std::slice::from_ref(&one));
            match size.filter(|size| *size <= limit) {
                Some(size) if key(&(size, one.clone())) > key(&best) => (size, one),
                _ => best,
            }
        };
        let widest = self.widest_field(v).filter(|_| count > 1);
        let mut best = widest.into_iter().fold((floor, all), better);
        if key(&best).0 <= 0 {
            best = self.some_fields(v, count).into_iter().fold(best, better);
        }
        vec![best.1]
    }

    /// Returns boxes around the widest few fields of a variant, fewer than `count`, if they have
    /// names.
    fn some_fields(&self, v: usize, count: usize) -> Vec<BoxOf> {
        let wide = self.wide_fields(v);
        let is_named = match &self.model.db.item(self.of.item).item.kind {
            ItemKind::Adt(adt) => adt.variants[self.view.variants[v].index].style == Style::Named,
            _ => false,
        };
        let some = (2..count.min(wide.len() + 1).min(MOST_FIELDS + 1)).map(|n| {
            let mut fields = wide[..n].to_vec();
            fields.sort_unstable();
            BoxOf { variant: v, fields }
        });
        some.filter(|_| is_named).collect()
    }

    /// Reduces each box to one field where that reaches `floor`, the size with whole variants boxed.
    fn fewest_fields(&self, whole: &[BoxOf], floor: u64) -> Vec<BoxOf> {
        let mut fewest = whole.to_vec();
        for (n, of_variant) in whole.iter().enumerate() {
            let Some(one) = self.widest_field(of_variant.variant) else {
                continue;
            };
            let mut boxes = whole.to_vec();
            boxes[n] = one;
            if self.size(&boxes) == Some(floor) {
                fewest[n] = boxes.swap_remove(n);
            }
        }
        fewest
    }

    /// Adds changes of one variant that save less than the best: its widest field in a box, or each
    /// of the wide ones in a box of its own.
    fn lesser(&self, v: usize, found: &mut Vec<Boxing>) {
        let Some(best) = found.first().cloned() else {
            return;
        };
        let all = &self.view.variants[v].fields;
        let boxable = |f: &usize| !self.model.is_pointer(all[*f].ty);
        let most = best.boxes.iter().map(|b| b.fields.len()).sum();
        let one = |f: usize| BoxOf {
            variant: v,
            fields: vec![f],
        };
        let wide: Vec<usize> = self.wide_fields(v).into_iter().take(most).collect();
        let first = wide.first().copied().filter(|f| boxable(f)).map(one);
        let mut each = wide;
        each.retain(|f| boxable(f));
        each.sort_unstable();
        let each: Vec<_> = each.into_iter().map(one).collect();
        for boxes in [each].into_iter().chain(first.map(|b| vec![b])) {
            let before = found.len();
            self.add(boxes, 1, found);
            // More boxes for the same saving are no alternative.
            if found.last().is_some_and(|b| b.size <= best.size) {
                found.truncate(before);
            }
        }
    }

    fn add(&self, boxes: Vec<BoxOf>, variants: usize, found: &mut Vec<Boxing>) {
        if found.iter().any(|b| b.boxes == boxes) {
            return;
        }
        if let Some(size) = self.size(&boxes)
            && size < self.view.size
        {
            found.push(Boxing {
                boxes,
                size,
                variants,
            });
        }
    }

    fn size(&self, boxes: &[BoxOf]) -> Option<u64> {
        let model = self.model;
        let change = model.boxed_definition(self.of, self.view, boxes, self.given);
        model.size_if(self.ty, &change)
    }

    fn whole(&self, variant: usize) -> BoxOf {
        BoxOf {
            variant,
            fields: (0..self.view.variants[variant].fields.len()).collect(),
        }
    }

    /// Returns the fields of a variant that are larger than a pointer, the widest first.
    fn wide_fields(&self, v: usize) -> Vec<usize> {
        let fields = &self.view.variants[v].fields;
        let wide = |f: &usize| fields[*f].size > self.model.word();
        let mut order: Vec<usize> = (0..fields.len()).filter(wide).collect();
        order.sort_by_key(|&f| Reverse(fields[f].size));
        order
    }

    /// Returns a box around the widest field of a variant, if that makes it smaller.
    fn widest_field(&self, v: usize) -> Option<BoxOf> {
        let fields = vec![*self.wide_fields(v).first()?];
        (!self.is_lone_pointer(&self.view.variants[v], &fields))
            .then_some(BoxOf { variant: v, fields })
    }

    /// Returns true for a single field that is a pointer, or no larger than a `Vec`, also as the only
    /// field of a struct: a box only adds an indirection.
    fn is_lone_pointer(&self, variant: &VariantView, fields: &[usize]) -> bool {
        let [one] = fields else { return false };
        let field = &variant.fields[*one];
        let model = self.model;
        let only = |ty: &Ty| {
            let TyKind::Adt(id, _) = model.db.types.kind(*ty) else {
                return None;
            };
            let is_struct = model.info(*id).is_some_and(|i| i.kind == AdtKind::Struct);
            let types = field_types(model.db, *ty);
            match &types[..] {
                [fields] if is_struct && fields.len() == 1 => fields.first().copied(),
                _ => None,
            }
        };
        let mut inside = std::iter::successors(Some(field.ty), only);
        field.size <= 3 * model.word() && inside.any(|ty| model.is_behind_pointer(ty))
    }
}
