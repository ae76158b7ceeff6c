//! Which fields of the widest variants to box, and the size that the enum then has, by trial
//! layouts.

mod aligned;
mod change;
mod slices;

use super::{Model, TypeInfo};
use crate::config::Thresholds;
use crate::ir::AdtKind;
use crate::layout::WhatIf;
use crate::layout::view::{VariantView, View};
use crate::resolve::ty::Ty;
use crate::resolve::{CrateIx, ItemId};
use crate::spread::spread;
use crate::usage::types::{adt_of, std_first};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;

/// A block with a payload of at most this many bytes is mostly allocator overhead: rounding and
/// header.
const SMALLEST_BLOCK: u64 = 24;

/// Types per batch of work for a thread.
pub(super) const BATCH: usize = 64;

/// Maximum number of instances of a generic type that are tried.
const MOST_INSTANCES: usize = 16;

/// Maximum number of fields in a box that does not hold the whole variant.
const MOST_FIELDS: usize = 4;
/// From this many variants on, trials that cannot succeed are skipped.
const MANY_VARIANTS: usize = 256;
/// Maximum number of variants boxed together: each trial lays out the whole enum.
const MOST_VARIANTS: usize = 64;

/// Further saving required for each additional variant, in percent of the size.
const MORE_PERCENT: u64 = 5;

/// Upper bound of that further saving.
const MOST_PERCENT: u64 = 30;

/// And its bound in percent, times the share of the variants that change.
const MORE_OF_ALL: u64 = 100;

/// Fields narrower than this (bytes) are boxed only with the whole variant.
const NARROWEST: u64 = 16;

/// Further saving required if one of the variants wraps another enum or already holds a box.
const WARY_PERCENT: u64 = 25;

/// From this saving on (bytes), the share of variants that are boxed does not matter.
const MUCH: u64 = 192;

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
    errors: &'m FxHashSet<ItemId>,
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
    /// not check whether the size comes from another enum inside. With `already` found enums, finds
    /// the others for which the saving is half of what the thresholds require.
    pub fn oversized(
        &self,
        thresholds: &Ask<Thresholds>,
        instances: &FxHashMap<ItemId, Vec<Ty>>,
        errors: &FxHashSet<ItemId>,
        already: Option<&FxHashMap<ItemId, Box<Oversized>>>,
    ) -> FxHashMap<ItemId, Box<Oversized>> {
        let enums = self.types().iter();
        let enums = enums.filter(|t| t.kind == AdtKind::Enum && self.is_authored(t));
        let enums = enums.filter(|t| already.is_none_or(|a| !a.contains_key(&t.item)));
        let enums: Vec<_> = enums.collect();
        let one = |info: &TypeInfo| {
            let already = already.is_some();
            let ask = || self.oversized_one(info, thresholds, instances, errors, already);
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
        errors: &FxHashSet<ItemId>,
        already: bool,
    ) -> Option<Oversized> {
        if self.is_copy(info) || !self.has_heap(info.krate) || self.is_repr_c(info) {
            return None;
        }
        let mut thresholds = thresholds(info.krate);
        if already {
            thresholds.saved_percent /= 2;
        }
        let tys = match info.generics.is_empty() {
            true => &[info.ty][..],
            false => instances.get(&info.item).map_or(&[][..], Vec::as_slice),
        };
        let judged = tys.iter().take(MOST_INSTANCES).filter_map(|&ty| {
            let view = self.view(ty).ok()?;
            let none = WhatIf::default();
            let boxings = self.boxings(info, ty, &view, &none, &thresholds, errors);
            let best = boxings.first().filter(|b| is_exception(&view, b))?;
            let saved = view.size - best.size;
            Some((saved, Oversized { ty, view, boxings }))
        });
        // Keep the first of equals: instances are sorted by name.
        let best = judged.reduce(|a, b| if b.0 > a.0 { b } else { a });
        best.map(|(_, oversized)| oversized)
    }

    /// Returns the boxings of one variant or a few that are worth it, if any: the best first, then
    /// others by saving. `view` is the enum's layout with the changes that are `given`; `errors`
    /// are the types that functions return as errors.
    pub fn boxings(
        &self,
        of: &TypeInfo,
        ty: Ty,
        view: &View,
        given: &WhatIf,
        thresholds: &Thresholds,
        errors: &FxHashSet<ItemId>,
    ) -> Vec<Boxing> {
        let trial = Trial {
            model: self,
            of,
            ty,
            view,
            given,
            thresholds,
            errors,
        };
        let mut found = trial.search();
        found.shrink_to_fit();
        found
    }
}

impl Trial<'_> {
    /// Returns the boxings of as few of the widest variants as is worth it.
    fn of_widest(&self) -> Vec<Boxing> {
        let variants = &self.view.variants;
        let mut order: Vec<usize> = (0..variants.len())
            .filter(|&v| !variants[v].absent)
            .collect();
        order.sort_by_key(|&v| Reverse(variants[v].size));
        // More than a third of all variants are not exceptions: one of them is likely common.
        let few = match order.len() {
            0 | 1 => 0,
            2 => 1,
            // The author has already balanced the variants.
            _ if self.holds_box(order[0]) => 1,
            n => (n / 3).clamp(2, MOST_VARIANTS),
        };
        for count in 1..=few {
            let chosen = &order[..count];
            if !self.may_box(&variants[chosen[count - 1]]) {
                break;
            }
            // In large enums, skip a prefix that leaves an equally wide variant unboxed: it saves
            // nothing.
            let (widest, next) = (&variants[order[0]], &variants[order[count]]);
            if order.len() > MANY_VARIANTS && next.size == widest.size {
                continue;
            }
            let limit = self.limit(chosen);
            // No boxing gets below the size of the next variant.
            if variants[order[count]].size > limit {
                continue;
            }
            let found = self.box_variants(chosen, limit);
            if !found.is_empty() {
                return found;
            }
        }
        Vec::new()
    }

    /// Returns the largest size, in bytes, that justifies a change of these variants.
    fn limit(&self, chosen: &[usize]) -> u64 {
        let wary = chosen
            .iter()
            .any(|&v| self.wraps_enum(v) || self.holds_box(v));
        let holding = self.view.variants.iter().filter(|v| v.size > 0).count() as u64;
        let further = chosen.len() as u64 - 1;
        // In an enum of hundreds of variants a few more are still exceptions.
        let more = (MORE_PERCENT * further)
            .min(MOST_PERCENT - MORE_PERCENT)
            .min(MORE_OF_ALL * further / holding.max(1));
        let thresholds = Thresholds {
            saved_percent: self.thresholds.saved_percent
                + more
                + if wary { WARY_PERCENT } else { 0 },
            ..*self.thresholds
        };
        thresholds.largest_worth(self.view.size)
    }

    /// Returns true for a variant that only wraps another enum of the workspace: it is usually the
    /// most frequent one, unless it is an error.
    fn wraps_enum(&self, v: usize) -> bool {
        let [field] = &self.view.variants[v].fields[..] else {
            return false;
        };
        let db = self.model.db;
        let held = adt_of(db, field.ty).filter(|item| {
            let name = db.item(*item).item.name.as_str();
            !self.errors.contains(item) && !name.ends_with("Error")
        });
        let info = held.and_then(|item| self.model.info(item));
        info.is_some_and(|t| t.kind == AdtKind::Enum)
    }

    /// Returns true for a variant with a field that its author boxed already: the rest is small.
    /// Boxes that recursion requires do not count.
    fn holds_box(&self, v: usize) -> bool {
        let fields = &self.view.variants[v].fields;
        let boxed = |ty: Ty| {
            let inside = std_first(self.model.db, ty, &["Box"]);
            inside.is_some_and(|inside| !self.model.holds(inside, self.ty))
        };
        fields.len() > 1 && fields.iter().any(|f| boxed(f.ty))
    }

    /// Returns true if a box with all fields of a variant justifies its allocation.
    fn may_box(&self, variant: &VariantView) -> bool {
        let fields = (0..variant.fields.len()).filter(|&f| variant.fields[f].size > 0);
        variant.size > SMALLEST_BLOCK && !self.is_lone_pointer(variant, &fields.collect::<Vec<_>>())
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
            [v] => self.one_box(v, limit).unwrap_or_else(|| whole.clone()),
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

    /// Boxes the widest fields of a variant together: as many as each add enough to the saving.
    fn one_box(&self, v: usize, limit: u64) -> Option<Vec<BoxOf>> {
        let mut best: Option<(u64, BoxOf)> = None;
        for fields in self.prefixes(v) {
            if fields.len() > MOST_FIELDS {
                break;
            }
            if !self.fills_a_box(v, &fields) {
                continue;
            }
            let one = BoxOf { variant: v, fields };
            let Some(size) = self.size(std::slice::from_ref(&one)) else {
                continue;
            };
            let enough = best
                .as_ref()
                .is_none_or(|(b, _)| self.thresholds.worth(*b, size));
            if size <= limit && enough {
                best = Some((size, one));
            }
        }
        // Boxing the whole variant may be worth it where that many fields are not.
        let (size, one) = best?;
        let whole = self.size(&[self.whole(v)]);
        let more = whole.is_some_and(|w| self.thresholds.worth(size, w));
        (!more).then(|| vec![one])
    }

    /// Reduces each box to the fewest fields that reach `floor`, the size with whole variants
    /// boxed.
    fn fewest_fields(&self, whole: &[BoxOf], floor: u64) -> Vec<BoxOf> {
        let mut fewest = whole.to_vec();
        for (n, of_variant) in whole.iter().enumerate() {
            let v = of_variant.variant;
            let few = self
                .prefixes(v)
                .into_iter()
                .take_while(|f| f.len() <= MOST_FIELDS);
            for fields in few.filter(|f| self.fills_a_box(v, f)) {
                let mut boxes = whole.to_vec();
                boxes[n] = BoxOf { variant: v, fields };
                if self.size(&boxes) == Some(floor) {
                    fewest[n] = boxes.swap_remove(n);
                    break;
                }
            }
        }
        fewest
    }

    /// Adds changes of one variant that save less than the best: some of its fields in one box, or
    /// each in a box of its own.
    fn lesser(&self, v: usize, found: &mut Vec<Boxing>) {
        let Some(best) = found.first().cloned() else {
            return;
        };
        let all = &self.view.variants[v].fields;
        let boxable = |f: &usize| !self.model.is_pointer(all[*f].ty);
        let most = best.boxes.iter().map(|b| b.fields.len()).sum();
        let prefixes: Vec<_> = self.prefixes(v).into_iter().take(most).collect();
        let each = prefixes.last().into_iter().flatten().filter(|f| boxable(f));
        let each = each.map(|&f| BoxOf {
            variant: v,
            fields: vec![f],
        });
        let mut tries = vec![each.collect::<Vec<_>>()];
        for fields in prefixes {
            if fields.len() > 1 || fields.iter().all(boxable) {
                tries.push(vec![BoxOf { variant: v, fields }]);
            }
        }
        for boxes in tries {
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

    /// Returns the one, two, three … widest fields of a variant, each set in source order.
    fn prefixes(&self, v: usize) -> Vec<Vec<usize>> {
        let fields = &self.view.variants[v].fields;
        let wide = |f: &usize| fields[*f].size >= NARROWEST;
        let mut order: Vec<usize> = (0..fields.len()).filter(wide).collect();
        order.sort_by_key(|&f| Reverse(fields[f].size));
        let prefix = |n: usize| {
            let mut fields = order[..n].to_vec();
            fields.sort_unstable();
            fields
        };
        (1..=order.len()).map(prefix).collect()
    }

    /// Returns true if these fields justify an allocation of their own.
    fn fills_a_box(&self, v: usize, fields: &[usize]) -> bool {
        let variant = &self.view.variants[v];
        let bytes: u64 = fields.iter().map(|&f| variant.fields[f].size).sum();
        bytes >= SMALLEST_BLOCK && !self.is_lone_pointer(variant, fields)
    }

    /// Returns true for a single field that is a pointer already: a box only adds an indirection.
    fn is_lone_pointer(&self, variant: &VariantView, fields: &[usize]) -> bool {
        matches!(fields, [one] if self.model.is_behind_pointer(variant.fields[*one].ty))
    }
}

/// Returns true if the saving is at least the share of the variants that are boxed: boxes in most
/// of the variants with data are likely boxes in most values.
fn is_exception(view: &View, boxing: &Boxing) -> bool {
    let holding = view.variants.iter().filter(|v| v.size > 0).count().max(2) as u64;
    let saved = view.size - boxing.size;
    saved >= MUCH || saved * holding >= view.size * boxing.variants as u64
}
