//! `small_vec` for fields that most calls set to one item: it could be stored inline.

use super::ListField;
use crate::finding::{BlockChange, Confidence, Finding, Label, Reason, Remedy};
use crate::lint::words::count;
use crate::malloc;
use crate::model::parts::with_field;
use crate::resolve::ty::Ty;
use crate::span::Span;
use crate::usage::types::field_types;
use crate::usage::vectors::{Field, Start, items_of};

/// Maximum number of places listed.
const MOST_PLACES: usize = 3;

/// The effect of one inline item in the value.
struct Weighed {
    /// The type, or the measured instance.
    ty: Ty,
    /// Current size of a value, in bytes.
    before: u64,
    /// Size of a value with one item inline, in bytes.
    after: u64,
    /// Size of the block of one item, in bytes.
    block: u64,
}

impl ListField<'_> {
    /// Returns the finding if most calls set the field to one item.
    pub(super) fn one_item(&self, field: &Field) -> Option<Finding> {
        let (cx, model) = (self.cx, self.cx.model);
        let one: usize = ones(field).map(|(_, calls)| calls).sum();
        let all: usize = field.calls.iter().sum();
        if one * 2 <= all || field.by_address {
            return None;
        }
        let counted = cx.population(self.info.item);
        if !counted.multiplicity.is_stored() {
            return None;
        }
        let Weighed {
            ty,
            before,
            after,
            block,
        } = self.weigh()?;
        let generic = ty != self.info.ty;
        let mut evidence = Vec::from_iter(counted.plainest());
        evidence.extend(ones(field).take(MOST_PLACES).map(|(span, calls)| {
            let text = format!("set to one item here, in {}", count(calls, "call"));
            model.evidence(span, text)
        }));
        let grown = field.grown.first();
        evidence.extend(grown.map(|span| model.evidence(*span, "it grows here")));
        let path = &self.path;
        let title = format!("make `{path}` a `smallvec::SmallVec<[_; 1]>` (feature `union`)");
        let note = || format!("`{}`: {before} → {after} bytes", model.db.display(ty));
        Some(Finding {
            field: Some(self.name.clone()),
            size_before: (!generic).then_some(before),
            remedies: vec![Remedy {
                heap: Some(vec![BlockChange::Inlined(self.name.clone(), 1, 0)]),
                size_after: (!generic).then_some(after),
                ..Remedy::new(title)
            }],
            evidence,
            trade_off: Some("every access checks whether the items are inline".to_owned()),
            notes: Vec::from_iter(generic.then(note)),
            confidence: Confidence::Likely,
            multiplicity: counted.multiplicity,
            built: Some((all - one, all)),
            against: Reason::holding([(self.exported, Reason::Unseen)]),
            ..Finding::new(
                format!(
                    "`{path}` {} a `Vec` of one item in {one} of the {all} calls that set it",
                    if grown.is_some() { "starts as" } else { "is" }
                ),
                Label::new(self.span, format!("a block of {block} bytes for one item")),
            )
        })
    }

    /// Measures the type, or the widest of its known instances; `None` if it grows by more than the
    /// saved block, or an enum grows.
    fn weigh(&self) -> Option<Weighed> {
        let (cx, model) = (self.cx, self.cx.model);
        let (item, variant, field) = self.id.place();
        let known = |ty: Ty| {
            model.size(ty)?;
            let is = *field_types(model.db, ty).get(variant)?.get(field)?;
            let item = items_of(model.db, is)?;
            Some((model.size(item)?, ty, model.small_vec_of_one(item)?))
        };
        let instances = cx.populations().instances.get(&item);
        let instances = instances.into_iter().flatten().copied();
        let widest = || instances.filter_map(known).max_by_key(|(size, ..)| *size);
        let (item_size, ty, to) = known(self.info.ty).or_else(widest)?;
        let change = with_field(self.id, to);
        if !self.may_measure() {
            return None;
        }
        let (before, after) = (model.size(ty)?, model.size_if(ty, &change)?);
        let block = malloc::block(item_size);
        let enums = cx.growth(self.info, &change).map_or(0, |g| g.of_enums);
        (after.saturating_sub(before) <= block && enums == 0).then_some(Weighed {
            ty,
            before,
            after,
            block,
        })
    }
}

/// Returns the places that set a field to one item, and the calls of each.
fn ones(field: &Field) -> impl Iterator<Item = (Span, usize)> {
    let sets = field.set.iter().zip(&field.calls);
    let ones = sets.filter(|((_, start), _)| *start == Some(Start::Items(1)));
    ones.map(|((span, _), calls)| (*span, *calls))
}
