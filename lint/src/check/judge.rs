//! What becomes of each finding: shown, or left out because the user has said so.

use super::{Diagnostic, Suppressed};
use crate::config::{Config, Level};
use crate::finding::{Confidence, Finding, Label};
use crate::lint::{Group, Lint};
use crate::lints::{INVALID_SUPPRESSION, LINTS, UNFULFILLED_EXPECTATION};
use crate::model::{Model, TypeInfo};
use crate::resolve::CrateIx;
use crate::span::Span;
use crate::suppress::{Asked, Suppressions};
use rustc_hash::FxHashSet;

/// What a finding is about.
#[derive(Clone, Copy)]
pub(super) enum Of<'m> {
    /// A type.
    Type(&'m TypeInfo),
    /// A function, by its path.
    Function(&'m str),
}

/// Judges findings one by one.
pub(super) struct Judge<'c> {
    model: &'c Model<'static>,
    config: &'c Config,
    suppressions: &'c Suppressions,
    /// What is not left out.
    pub(super) found: Vec<Diagnostic>,
    /// How many are left out.
    pub(super) suppressed: Suppressed,
    /// Names in comments that have left something out.
    used: FxHashSet<Asked>,
    /// Those that would have, were the lint not forbidden.
    powerless: FxHashSet<Asked>,
    /// A file may be part of several targets; what is wrong in it is said once.
    seen: FxHashSet<(&'static str, Span)>,
}

impl<'c> Judge<'c> {
    pub(super) fn new(
        model: &'c Model<'static>,
        config: &'c Config,
        suppressions: &'c Suppressions,
    ) -> Judge<'c> {
        Judge {
            model,
            config,
            suppressions,
            found: Vec::new(),
            suppressed: Suppressed::default(),
            used: FxHashSet::default(),
            powerless: FxHashSet::default(),
            seen: FxHashSet::default(),
        }
    }

    /// The level of a lint in a crate.
    pub(super) fn level(&self, lint: &Lint, krate: CrateIx) -> Level {
        let package = self.config.of(krate);
        package.level(lint.name, lint.group.as_str(), lint.level)
    }

    /// Takes what a lint has found in a crate.
    pub(super) fn take(
        &mut self,
        lint: &'static Lint,
        krate: CrateIx,
        of: Of,
        findings: Vec<Finding>,
    ) {
        for finding in findings {
            self.one(lint, krate, of, finding);
        }
    }

    fn one(&mut self, lint: &'static Lint, krate: CrateIx, of: Of, finding: Finding) {
        let (ty, info) = match of {
            Of::Type(info) => (info.path.as_str(), Some(info)),
            Of::Function(path) => (path, None),
        };
        let primary = finding.primary.span;
        if !self.seen.insert((lint.name, primary)) {
            return;
        }
        let level = self.level(lint, krate);
        let mut places = vec![primary];
        places.extend(info.map(|i| i.span));
        let names = [lint.name, lint.group.as_str()];
        if let Some(asked) = self.suppressions.comment(krate, names, &places) {
            if level < Level::Forbid {
                self.used.insert(asked);
                self.suppressed.comments += 1;
                return;
            }
            self.powerless.insert(asked);
        }
        if level < Level::Forbid && self.suppressions.clippy(krate, lint.clippy, &places) {
            self.suppressed.clippy += 1;
            return;
        }
        let breaks = || {
            let package = self.config.of(krate);
            let changes = package.avoid_breaking_exported_api && lint.group != Group::Budget;
            let field = finding.field.as_deref();
            changes && info.is_some_and(|i| self.model.exports(i, field))
        };
        if places.iter().any(|p| self.excludes(krate, ty, *p)) || breaks() {
            self.suppressed.excluded += 1;
            return;
        }
        let mut finding = finding;
        let db = self.model.db;
        let makes_code = |k: CrateIx| {
            db.krate(k)
                .id
                .is_some_and(|id| db.project.krate(id).makes_code())
        };
        // What makes code is gone once that is made.
        if lint.group == Group::Heap && makes_code(krate) {
            finding.confidence = Confidence::Possible;
        }
        self.found.push(Diagnostic {
            lint,
            level,
            krate,
            ty: ty.to_owned(),
            finding,
        });
    }

    fn excludes(&self, krate: CrateIx, ty: &str, place: Span) -> bool {
        let file = self.model.db.sources.get(place.file);
        self.config.of(krate).excludes(ty, &file.path)
    }

    /// What is to be said about the comments themselves, once every finding was taken.
    pub(super) fn comments(&mut self) {
        for (krate, fault) in self.suppressions.faults() {
            let label = "suppresses nothing";
            let finding = about(fault.span, fault.message.clone(), label);
            self.say(INVALID_SUPPRESSION, krate, finding);
        }
        let powerless: Vec<_> = self.powerless.drain().collect();
        for (krate, asked) in self.suppressions.expectations() {
            if self.used.contains(&asked) || powerless.contains(&asked) {
                continue;
            }
            let (name, span) = self.suppressions.name(asked);
            let lint = LINTS.iter().find(|l| l.name == name);
            if lint.is_some_and(|l| self.level(l, krate) == Level::Allow) {
                continue;
            }
            let message = format!("`{name}` is expected here, and there is no such finding");
            let mut finding = about(span, message, "not needed");
            let reason = &self.suppressions.directive(asked).reason;
            finding.notes.extend(reason.clone());
            self.say(UNFULFILLED_EXPECTATION, krate, finding);
        }
        for asked in powerless {
            let (name, span) = self.suppressions.name(asked);
            let message = format!("`{name}` is at level `forbid`, which no comment lowers");
            let finding = about(span, message, "suppresses nothing");
            self.say(INVALID_SUPPRESSION, self.suppressions.krate(asked), finding);
        }
    }

    fn say(&mut self, lint: &'static Lint, krate: CrateIx, finding: Finding) {
        let level = self.level(lint, krate);
        if level == Level::Allow || self.excludes(krate, "", finding.primary.span) {
            return;
        }
        self.found.push(Diagnostic {
            lint,
            level,
            krate,
            ty: String::new(),
            finding,
        });
    }
}

/// True for what is only for those who ask for everything.
pub(super) fn is_unsure(config: &Config, diagnostic: &Diagnostic) -> bool {
    let sure = diagnostic.finding.confidence > Confidence::Possible;
    !sure && !config.of(diagnostic.krate).shows_unsure()
}

fn about(span: Span, message: String, label: &str) -> Finding {
    let text = label.to_owned();
    Finding::new(message, Label { span, text })
}
