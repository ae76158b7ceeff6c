//! Explains what is known about one type, and each lint's verdict with the worth that decides it.

use super::{Checked, Diagnostic};
use crate::finding::{Evidence, Multiplicity, Reason};
use crate::lint::{Context, Silence};
use crate::lints::LINTS;
use crate::resolve::ItemId;
use crate::worth::Worth;

/// The reason of a lint that finds nothing of its kind in a type.
pub const NOTHING: &str = "it finds nothing of its kind in it";

/// A finding, and how likely an author would act on it.
#[derive(Clone, Debug)]
pub struct Weighed {
    /// What is wrong, in one line.
    pub message: String,
    /// Its worth, 0 to 100, with what each signal gave.
    pub worth: Worth,
    /// Facts of the code that speak against it.
    pub against: Vec<Reason>,
}

/// The result of a lint for a type.
#[derive(Clone, Debug)]
pub enum Says {
    /// A finding that is a warning.
    Reported(Weighed),
    /// A finding of less worth than warnings have.
    Below(Weighed),
    /// No finding, and the reason.
    Silent(String),
}

/// The verdict of one lint.
#[derive(Clone, Debug)]
pub struct Verdict {
    /// The lint's name.
    pub lint: &'static str,
    /// Its result.
    pub says: Says,
}

/// What is known about a type.
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// How many values of it exist.
    pub multiplicity: Option<Multiplicity>,
    /// The fields that store many values of it.
    pub stored_by: Vec<Evidence>,
    /// What else shows how many there are.
    pub evidence: Vec<Evidence>,
    /// By variant: number of expressions outside tests that construct it.
    pub built: Vec<usize>,
    /// From which worth on a finding is a warning.
    pub bar: u8,
    /// The lints' verdicts: reported, below the bar, silent; each by name.
    pub verdicts: Vec<Verdict>,
    path: String,
    krate: Option<u32>,
    silences: Vec<(&'static str, Silence)>,
    /// The lints with a finding about it.
    found: Vec<&'static str>,
}

impl Known {
    pub(super) fn of(
        cx: &Context,
        item: ItemId,
        silences: Vec<(&'static str, Silence)>,
        found: &[Diagnostic],
    ) -> Known {
        let counted = cx.population(item);
        let info = cx.model.info(item);
        let view = info.and_then(|i| cx.model.view(i.ty).ok());
        let variants = view.map_or(0, |v| v.variants.len());
        let stored_by = match counted.multiplicity.is_stored() {
            true => cx.populations().stored_by(cx.model, item),
            false => Vec::new(),
        };
        // A collection inside one is held by the same field.
        let field = |e: &Evidence| {
            e.text
                .split_once(" holds `")
                .map(|(field, _)| field.to_owned())
        };
        let listed: Vec<_> = stored_by.iter().map(field).collect();
        let is_listed = |e: &Evidence| field(e).is_some() && listed.contains(&field(e));
        let evidence = counted.evidence.iter().filter(|e| !is_listed(e));
        let built = |v| cx.variants().of(item, v).map_or(0, |u| u.made());
        let mut known = Known {
            multiplicity: Some(counted.multiplicity),
            evidence: evidence.cloned().collect(),
            stored_by,
            built: (0..variants as u32).map(built).collect(),
            bar: info.map_or(0, |i| cx.config(i.krate).bar()),
            verdicts: Vec::new(),
            path: info.map_or_else(String::new, |i| i.path.clone()),
            krate: info.map(|i| i.krate),
            silences,
            found: Vec::new(),
        };
        known.found = known.about(found).map(|d| d.lint.name).collect();
        known
    }

    fn about<'d>(&self, list: &'d [Diagnostic]) -> impl Iterator<Item = &'d Diagnostic> {
        list.iter()
            .filter(|d| Some(d.krate) == self.krate && d.ty == self.path)
    }

    /// Records which findings gave way to those of other lints.
    pub(super) fn settled(&mut self, settled: &[Diagnostic]) {
        let still: Vec<_> = self.about(settled).map(|d| d.lint.name).collect();
        let left = self.found.iter().filter(|lint| !still.contains(lint));
        let left = left.map(|&lint| {
            (
                lint,
                Silence::about("another lint says more of the same field"),
            )
        });
        let left: Vec<_> = left.collect();
        self.silences.extend(left);
    }

    /// Derives a verdict from each lint's result.
    pub(super) fn judged(&mut self, checked: &Checked) {
        let weighed = |d: &Diagnostic| Weighed {
            message: d.finding.message.clone(),
            worth: d.worth,
            against: d.finding.against.clone(),
        };
        let found = self.about(&checked.diagnostics).map(|d| Verdict {
            lint: d.lint.name,
            says: match d.below {
                true => Says::Below(weighed(d)),
                false => Says::Reported(weighed(d)),
            },
        });
        let found: Vec<_> = found.collect();
        self.verdicts.extend(found);
        for (lint, silence) in std::mem::take(&mut self.silences) {
            let says = Says::Silent(silence.0.into_owned());
            self.verdicts.push(Verdict { lint, says });
        }
        for lint in LINTS.iter().filter(|l| l.check.of_types().is_some()) {
            if !self.verdicts.iter().any(|v| v.lint == lint.name) {
                let says = Says::Silent(NOTHING.to_owned());
                let lint = lint.name;
                self.verdicts.push(Verdict { lint, says });
            }
        }
        let order = |v: &Verdict| match v.says {
            Says::Reported(_) => 0,
            Says::Below(_) => 1,
            Says::Silent(_) => 2,
        };
        self.verdicts.sort_by_key(|v| (order(v), v.lint));
    }
}
