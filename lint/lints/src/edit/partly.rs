//! A remedy for some of the fields of a finding: those that can be edited at every place, where
//! others cannot.

use super::{Editor, Work};
use crate::finding::{Applicability, Change, Finding, Fix, Remedy};
use crate::infer::body::FieldId;
use crate::infer::types::{std_first, std_parts, types_of};
use crate::layout::WhatIf;
use crate::lint::words::{quoted, retyped, with_keys};
use crate::model::freezing::{self, Frozen};
use crate::model::holders::Holders;

/// Maximum number of fields that are named instead of counted.
const MOST_NAMED: usize = 3;

/// Maximum number of fields that are tried alone: each searches all uses of its type.
const MOST_TRIED: usize = 64;

impl Editor<'_> {
    /// Returns the remedy, complete, for the fields of a finding's remedy that can be frozen at every
    /// place; none if these are no field or all fields, or save nothing.
    pub(super) fn partly(&self, finding: &Finding) -> Option<Remedy> {
        let mut remedies = finding.remedies.iter().rev();
        // Of several, the last changes the fewest fields.
        let whole = remedies.find(|r| (2..=MOST_TRIED).contains(&r.change.len()))?;
        let changes = &whole.change;
        let frozen = |c: &Change| matches!(c, Change::Frozen(_) | Change::FrozenInside(_));
        let keys = |c: &Change| matches!(c, Change::FrozenKeys(_));
        if !changes.iter().all(frozen) && !changes.iter().all(keys) {
            return None;
        }
        let alone = |&at: &usize| {
            let work = self.work(&changes[at..=at]);
            work.is_some_and(|work| is_complete(&work))
        };
        let kept: Vec<usize> = (0..changes.len()).filter(alone).collect();
        if kept.is_empty() || kept.len() == changes.len() {
            return None;
        }
        let change: Vec<Change> = kept.iter().map(|&at| changes[at].clone()).collect();
        let work = self.work(&change).filter(is_complete)?;
        let edits = work.edits.finish(&self.model.db.sources)?;
        if edits.iter().any(|e| self.is_generated(e.span.file)) {
            return None;
        }
        let remedy = match keys(&change[0]) {
            true => Remedy::new(self.keyed(&change)?),
            false => self.narrowed(finding, whole, &kept)?,
        };
        Some(Remedy {
            change,
            fix: Some(Box::new(Fix {
                edits: self.by_hand(edits),
                applicability: Applicability::MachineApplicable,
                elsewhere: None,
                left: None,
            })),
            ..remedy
        })
    }

    /// Returns the remedy for some of the buffers, by their indices, without its edits.
    fn narrowed(&self, finding: &Finding, whole: &Remedy, kept: &[usize]) -> Option<Remedy> {
        let (model, all) = (self.model, whole.change.len());
        let frozen = kept.iter().map(|&at| self.frozen_by(&whole.change[at]));
        let frozen: Vec<Frozen> = frozen.collect::<Option<_>>()?;
        let info = self.infos.get(&frozen.first()?.field.adt)?;
        let fields = frozen.iter().map(|f| (f.field.place(), Some(f.ty)));
        let change = WhatIf {
            fields: fields.collect(),
        };
        let size_after = model.size_if(info.ty, &change);
        if size_after >= finding.size_before && finding.size_before.is_some() {
            return None;
        }
        let names = frozen.iter().map(|f| freezing::field_path(model, f.field));
        let names = quoted(names);
        let title = match kept.len() {
            some if some > MOST_NAMED => format!("make {some} of the {all} buffers boxed slices"),
            _ => retyped(&names, quoted(frozen.iter().map(|f| &f.text))),
        };
        let heap = whole.heap.as_ref().filter(|heap| heap.len() == all);
        let heap = heap.map(|heap| kept.iter().map(|&at| heap[at].clone()).collect());
        let holders = self.holders.get_or_init(|| Holders::find(model));
        Some(Remedy {
            size_after: size_after.filter(|_| whole.size_after.is_some()),
            ripple: holders.ripple(model, info.item, &change),
            heap,
            ..Remedy::new(title)
        })
    }

    /// Returns the title of a remedy that changes only keys.
    fn keyed(&self, changes: &[Change]) -> Option<String> {
        let model = self.model;
        let (mut names, mut types, mut sizes) = (Vec::new(), Vec::new(), None);
        for change in changes {
            let id = self.changed_by(change)?;
            let (_, args) = std_parts(model.db, self.field_ty(id)?)?;
            let key = types_of(args).next()?;
            let (name, _) = std_parts(model.db, key)?;
            let boxed = model.boxed_slice(key, name)?;
            names.push(freezing::field_path(model, id));
            types.push(model.db.display(boxed));
            sizes = sizes.or(model.size(key).zip(model.size(boxed)));
        }
        Some(with_keys(&quoted(names), &quoted(types), sizes?))
    }

    /// Returns the type that a change gives to a field.
    fn frozen_by(&self, change: &Change) -> Option<Frozen> {
        let optional = matches!(change, Change::FrozenInside(_));
        self.frozen_as(self.changed_by(change)?, optional)
    }

    /// Returns the only field that a change is about.
    fn changed_by(&self, change: &Change) -> Option<FieldId> {
        let span = super::key(self.model, *change.fields().first()?);
        let mut ids = self.fields.get(&span)?.iter();
        ids.find(|id| self.infos.contains_key(&id.adt)).copied()
    }

    /// Returns the frozen type of a field that is a buffer, or an `Option` of one.
    pub(super) fn frozen_as(&self, id: FieldId, optional: bool) -> Option<Frozen> {
        let db = self.model.db;
        let whole = self.field_ty(id)?;
        let inner = match optional {
            true => std_first(db, whole, &["Option"])?,
            false => whole,
        };
        let (kind, _) = std_parts(db, inner)?;
        self.model.frozen_field(id, (whole, inner), kind)
    }
}

/// Returns true if every place is edited, and the edits compile.
fn is_complete(work: &Work) -> bool {
    work.left.is_empty() && work.certain && work.edits.len() > 0
}
