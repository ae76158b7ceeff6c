//! A remedy for some of the fields of a finding: those that can be edited at every place, where
//! others cannot.

use super::{Editor, Work};
use crate::finding::{Applicability, BlockChange, Change, Finding, Fix, Remedy};
use crate::infer::body::FieldId;
use crate::infer::types::{std_first, std_parts};
use crate::layout::WhatIf;
use crate::lint::words::{quoted, retyped};
use crate::model::freezing::{self, Frozen};
use crate::model::holders::Holders;
use crate::span::Span;

/// Maximum number of fields that are named instead of counted.
const MOST_NAMED: usize = 3;

impl Editor<'_> {
    /// Returns the remedy, complete, for the fields of a finding's first remedy that can be frozen
    /// at every place; none if these are no field or all fields, or save nothing.
    pub(super) fn partly(&self, finding: &Finding) -> Option<Remedy> {
        let first = finding.remedies.first()?;
        let changes = &first.change;
        let is_frozen = |c: &Change| matches!(c, Change::Frozen(_) | Change::FrozenInside(_));
        if changes.len() < 2 || !changes.iter().all(is_frozen) {
            return None;
        }
        let alone = |&at: &usize| {
            self.is_complete(&self.work(&changes[at..=at])?)
                .then_some(())
        };
        let kept: Vec<usize> = (0..changes.len())
            .filter(|at| alone(at).is_some())
            .collect();
        if kept.is_empty() || kept.len() == changes.len() {
            return None;
        }
        let change: Vec<Change> = kept.iter().map(|&at| changes[at].clone()).collect();
        let frozen: Vec<Frozen> = change
            .iter()
            .map(|c| self.frozen_by(c))
            .collect::<Option<_>>()?;
        let info = self.infos.get(&frozen.first()?.field.adt)?;
        let fields = frozen.iter().map(|f| (f.field.place(), Some(f.ty)));
        let whatif = WhatIf {
            fields: fields.collect(),
        };
        let size_after = self.model.size_if(info.ty, &whatif);
        if size_after >= finding.size_before && finding.size_before.is_some() {
            return None;
        }
        let work = self.work(&change).filter(|work| self.is_complete(work))?;
        let edits = work.edits.finish(&self.model.db.sources)?;
        if edits.iter().any(|e| self.is_generated(e.span.file)) {
            return None;
        }
        let names = frozen
            .iter()
            .map(|f| freezing::field_path(self.model, f.field));
        let names = quoted(names);
        let title = match kept.len() {
            some if some > MOST_NAMED => {
                format!("make {some} of the {} buffers boxed slices", changes.len())
            }
            _ => retyped(&names, quoted(frozen.iter().map(|f| &f.text))),
        };
        let heap = first.heap.as_ref().filter(|all| all.len() == changes.len());
        let heap = heap.map(|all| {
            kept.iter()
                .map(|&at| all[at].clone())
                .collect::<Vec<BlockChange>>()
        });
        let holders = self.holders.get_or_init(|| Holders::find(self.model));
        Some(Remedy {
            size_after: size_after.filter(|_| first.size_after.is_some()),
            ripple: holders.ripple(self.model, info.item, &whatif),
            heap,
            change,
            fix: Some(Box::new(Fix {
                edits: self.with_imports(edits),
                applicability: Applicability::MachineApplicable,
                elsewhere: None,
                left: None,
            })),
            ..Remedy::new(title)
        })
    }

    /// Returns true if every place is edited, and the edits compile.
    fn is_complete(&self, work: &Work) -> bool {
        work.left.is_empty() && work.certain && work.edits.len() > 0
    }

    /// Returns the type that a change gives to a field.
    fn frozen_by(&self, change: &Change) -> Option<Frozen> {
        let (&Change::Frozen(span) | &Change::FrozenInside(span)) = change else {
            return None;
        };
        let span: Span = super::key(self.model, span);
        let mut ids = self.fields.get(&span)?.iter();
        let id = *ids.find(|id| self.infos.contains_key(&id.adt))?;
        self.frozen_as(id, matches!(change, Change::FrozenInside(_)))
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
