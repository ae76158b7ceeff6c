//! `small_vec` on fields that most calls make of one item: it could lie in the value itself.

use crate::finding::{BlockChange, Confidence, Evidence, Finding, Label, Remedy, Rule};
use crate::layout::WhatIf;
use crate::lint::Context;
use crate::lint::words::count;
use crate::model::population::field_types;
use crate::model::{TypeInfo, freezing, malloc};
use crate::resolve::ty::Ty;
use crate::span::Span;
use crate::usage::body::FieldId;
use crate::usage::vectors::{Field, Start, items_of};

/// Fewer calls that make it of one item tell nothing.
const LEAST_CALLS: usize = 6;

/// More places than these are not listed.
const MOST_PLACES: usize = 3;

/// A field that is a vector.
pub(super) struct Vector<'v> {
    /// The type that has it.
    pub(super) info: &'v TypeInfo,
    /// Which it is.
    pub(super) id: FieldId,
    /// As one writes it.
    pub(super) name: &'v str,
    /// Its name in the source.
    pub(super) span: Span,
    /// Other packages may set it.
    pub(super) exported: bool,
}

/// What one item more in the value gives.
struct Weighed {
    /// The type, or the instance of it that was looked at.
    ty: Ty,
    /// Bytes of one value today.
    before: u64,
    /// Bytes of one value that keeps an item in itself.
    after: u64,
    /// Bytes of the block of one item.
    block: u64,
}

/// What is to be said if at least half of the calls make a field of one item.
pub(super) fn check(cx: &Context, place: &Vector, field: &Field) -> Option<Finding> {
    let one: usize = ones(field).map(|(_, calls)| calls).sum();
    let all: usize = field.calls.iter().sum();
    if one < LEAST_CALLS || one * 2 < all {
        return None;
    }
    let counted = cx.population(place.info.item);
    if !counted.multiplicity.is_stored() {
        return None;
    }
    let weighed = weigh(cx, place)?;
    let db = cx.model.db;
    let mut evidence: Vec<Evidence> = counted.evidence.iter().take(1).cloned().collect();
    evidence.extend(ones(field).take(MOST_PLACES).map(|(span, calls)| Evidence {
        span: Some(db.sources.origin(span).0),
        text: format!("set to one item here, in {}", count(calls, "call")),
    }));
    let path = freezing::field_path(cx.model, place.id);
    let message = format!("`{path}` is a `Vec` of one item in {one} of {all} calls");
    let mut finding = finding(cx, place, &weighed, message, evidence);
    finding.multiplicity = counted.multiplicity;
    finding.doubts = Rule::holding([
        (place.exported, Rule::Exported),
        (!counted.multiplicity.is_many(), Rule::OneCollection),
        (weighed.after > weighed.before, Rule::NothingShrinks),
    ]);
    Some(finding)
}

/// The places that set a field to one item, and the calls of each.
fn ones(field: &Field) -> impl Iterator<Item = (Span, usize)> {
    let sets = field.set.iter().zip(&field.calls);
    let ones = sets.filter(|((_, start), _)| *start == Some(Start::Items(1)));
    ones.map(|((span, _), calls)| (*span, *calls))
}

fn finding(
    cx: &Context,
    place: &Vector,
    weighed: &Weighed,
    message: String,
    evidence: Vec<Evidence>,
) -> Finding {
    let (before, after) = (weighed.before, weighed.after);
    let generic = weighed.ty != place.info.ty;
    let (span, written) = cx.model.db.sources.origin(place.span);
    let primary = Label {
        span: if written { span } else { place.info.span },
        text: format!("a block of {} bytes for one item", weighed.block),
    };
    let note = format!(
        "`{}`: {before} → {after} bytes",
        cx.model.db.display(weighed.ty)
    );
    Finding {
        after: None,
        field: Some(place.name.to_owned()),
        size_before: (!generic).then_some(before),
        remedies: vec![Remedy {
            title: format!(
                "make `{}` a `smallvec::SmallVec<[_; 1]>` (feature `union`)",
                freezing::field_path(cx.model, place.id)
            ),
            heap: Some(vec![BlockChange::Inlined(place.name.to_owned(), 1, 0)]),
            net: None,
            size_after: (!generic).then_some(after),
            ripple: Vec::new(),
            change: Vec::new(),
            fix: None,
        }],
        evidence,
        trade_off: Some("every access checks whether the items are inline".to_owned()),
        notes: generic.then_some(note).into_iter().collect(),
        confidence: Confidence::Likely,
        ..Finding::new(message, primary)
    }
}

/// What the type becomes, or the widest of its instances that are known; nothing where that costs
/// more than the block that is saved.
fn weigh(cx: &Context, place: &Vector) -> Option<Weighed> {
    let model = cx.model;
    let (variant, field) = (place.id.variant as usize, place.id.field as usize);
    let known = |ty: Ty| {
        model.extent(ty).ok()?;
        let is = *field_types(model.db, ty).get(variant)?.get(field)?;
        let item = items_of(model.db, is)?;
        let to = model.small_vec_of_one(item)?;
        Some((model.extent(item).ok()?.size, ty, to))
    };
    let instances = cx.populations().instances.get(&place.info.item);
    let instances = instances.into_iter().flatten().copied();
    let widest = || instances.filter_map(known).max_by_key(|(size, ..)| *size);
    let (item_size, ty, to) = known(place.info.ty).or_else(widest)?;
    let mut change = WhatIf::default();
    let at = (place.info.item, variant, field);
    change.fields.insert(at, Some(to));
    let size = || model.extent(ty).ok().map(|e| e.size);
    let before = size()?;
    let after = model.what_if(change.clone(), size)?;
    let block = malloc::block(item_size);
    let enums = cx.growth(place.info, &change).map_or(0, |g| g.of_enums);
    (after.saturating_sub(before) <= block && enums == 0).then_some(Weighed {
        ty,
        before,
        after,
        block,
    })
}
