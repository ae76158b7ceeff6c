//! Decides for each finding whether it is reported or suppressed.

use super::{By, Diagnostic, Hidden, Withdrawn};
use crate::config::{Config, Level};
use crate::finding::{Evidence, Finding, Label, Net};
use crate::join::{Definition, Index, Measured};
use crate::lint::{Check, Concern, Group, Lint, Silence};
use crate::lints::{INVALID_SUPPRESSION, LINTS, UNFULFILLED_EXPECTATION};
use crate::model::{Model, TypeInfo};
use crate::resolve::{CrateIx, ItemId};
use crate::span::{FileId, Span};
use crate::suppress::{Suppressed, Suppressions};
use crate::worth::{self, CensusVerdict, Counted, Signals, Worth, names};
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;

/// The result of a lint, with the facts of a finding.
pub(super) type Weighed = Result<(Finding, Signals), Silence>;

/// The subject of a finding.
#[derive(Clone, Copy)]
pub(super) enum Of<'m> {
    /// A type.
    Type(&'m TypeInfo),
    /// A function, by path.
    Function(&'m str),
}

/// Judges findings one by one.
pub(super) struct Judge<'c> {
    model: &'c Model<'static>,
    config: &'c Config,
    suppressions: &'c Suppressions,
    /// Findings that are not suppressed.
    pub(super) found: Vec<Diagnostic>,
    /// Findings that a census contradicts.
    pub(super) withdrawn: Vec<Withdrawn>,
    census: Option<&'c Index<'c>>,
    /// Findings that are suppressed.
    pub(super) hidden: Vec<Hidden>,
    /// Names in comments that suppressed a finding.
    used: FxHashSet<Suppressed>,
    /// Names in comments that do not suppress a finding because the lint is at `forbid`.
    powerless: FxHashSet<Suppressed>,
    /// Findings so far: a file may belong to several targets, and is reported once.
    seen: FxHashSet<(&'static str, Span)>,
    /// Whether a file is generated.
    generated: FxHashMap<FileId, bool>,
    /// Types with findings whose path has other types, or several, in the census.
    pub(super) unlike: FxHashSet<ItemId>,
    /// The type whose silences are recorded.
    pub(super) watched: Option<ItemId>,
    /// Why lints report nothing about it.
    pub(super) silences: Vec<(&'static str, Silence)>,
}

impl Diagnostic {
    /// Adds evidence from the census.
    fn tell(&mut self) {
        let words = self.measured.iter().zip(&self.counted);
        let words = words.flat_map(|(measured, counted)| measured.words(counted.live.0));
        let words = words.map(|text| Evidence { span: None, text });
        self.finding.evidence.splice(..0, words);
    }
}

impl<'c> Judge<'c> {
    pub(super) fn new(
        model: &'c Model<'static>,
        config: &'c Config,
        suppressions: &'c Suppressions,
        census: Option<&'c Index<'c>>,
    ) -> Judge<'c> {
        Judge {
            model,
            config,
            suppressions,
            found: Vec::new(),
            withdrawn: Vec::new(),
            census,
            hidden: Vec::new(),
            used: FxHashSet::default(),
            powerless: FxHashSet::default(),
            seen: FxHashSet::default(),
            generated: FxHashMap::default(),
            unlike: FxHashSet::default(),
            watched: None,
            silences: Vec::new(),
        }
    }

    /// Returns the level of a lint in a crate.
    pub(super) fn level(&self, lint: &Lint, krate: CrateIx) -> Level {
        // What no data supports yet, a census may.
        let default = match self.census.is_some() && lint.group == Group::Nursery {
            true => lint.level.max(Level::Warn),
            false => lint.level,
        };
        self.level_by_default(lint, krate, default)
    }

    fn level_by_default(&self, lint: &Lint, krate: CrateIx, default: Level) -> Level {
        let package = self.config.of(krate);
        package.level(lint.name, lint.group.as_str(), default)
    }

    /// Judges the findings of a lint in a crate.
    pub(super) fn take(
        &mut self,
        lint: &'static Lint,
        krate: CrateIx,
        of: Of,
        findings: Vec<(Finding, Signals)>,
    ) {
        for finding in findings {
            self.one(lint, krate, of, finding);
        }
    }

    /// Judges the results of a lint for a type.
    pub(super) fn answers(&mut self, lint: &'static Lint, info: &TypeInfo, list: Vec<Weighed>) {
        for answer in list {
            match answer {
                Ok(finding) => self.one(lint, info.krate, Of::Type(info), finding),
                Err(silence) if self.watched == Some(info.item) => {
                    self.silences.push((lint.name, silence));
                }
                Err(_) => {}
            }
        }
    }

    fn one(
        &mut self,
        lint: &'static Lint,
        krate: CrateIx,
        of: Of,
        (finding, signals): (Finding, Signals),
    ) {
        let (ty, info) = match of {
            Of::Type(info) => (info.path.as_str(), Some(info)),
            Of::Function(path) => (path, None),
        };
        let primary = finding.primary.span;
        if !self.seen.insert((lint.name, primary)) {
            return;
        }
        let level = self.level(lint, krate);
        if let Some((by, why)) = self.hides(lint, krate, (ty, info), level, &finding) {
            let worth = Worth::of(signals);
            self.hidden.push(Hidden {
                by,
                lint: lint.name,
                span: primary,
                message: finding.message,
                below: self.is_below(lint, krate, &worth, CensusVerdict::Uncounted),
            });
            self.silent(lint, info, why);
            return;
        }
        let mut finding = Box::new(finding);
        let (measured, counted) = self.measure(krate, info, &mut finding);
        let standing = worth::standing(lint.concern, counted.as_ref());
        let is_asked = || self.level_by_default(lint, krate, lint.level) > Level::Allow;
        if lint.group == Group::Nursery && standing != CensusVerdict::Confirmed && !is_asked() {
            self.silent(lint, info, "it is in `nursery`, and no census confirms it");
            return;
        }
        let worth = match lint.concern {
            Concern::Asked => Worth::asked(),
            _ => Worth::of(signals),
        };
        let mut diagnostic = Diagnostic {
            lint,
            level: match finding.assuming.is_empty() {
                true => level,
                false => level.min(Level::Warn),
            },
            krate,
            ty: ty.to_owned(),
            worth,
            below: self.is_below(lint, krate, &worth, standing),
            finding,
            rank: 0,
            triples: Vec::new(),
            measured: measured.map(Box::new),
            counted,
        };
        if standing == CensusVerdict::Withdrawn {
            let why = against(&diagnostic.finding);
            self.silent(lint, info, why.clone());
            self.withdrawn.push(Withdrawn { diagnostic, why });
            return;
        }
        if standing == CensusVerdict::Absent {
            let remedies = diagnostic.finding.remedies.iter_mut();
            remedies.for_each(|r| r.net = None);
        }
        if !is_unsure(self.config, &diagnostic) {
            diagnostic.tell();
        }
        self.found.push(diagnostic);
    }

    /// Returns what suppresses a finding, if anything does.
    fn hides(
        &mut self,
        lint: &'static Lint,
        krate: CrateIx,
        (ty, info): (&str, Option<&TypeInfo>),
        level: Level,
        finding: &Finding,
    ) -> Option<(By, &'static str)> {
        let primary = finding.primary.span;
        let mut places = vec![primary];
        places.extend(info.map(|i| i.span));
        let names = [lint.name, lint.group.as_str()];
        if let Some(asked) = self.suppressions.comment(krate, names, &places) {
            if level < Level::Forbid {
                self.used.insert(asked);
                return Some((By::Comment, "a comment allows it"));
            }
            self.powerless.insert(asked);
        }
        if level < Level::Forbid && self.suppressions.clippy(krate, lint.clippy, &places) {
            return Some((By::Clippy, "Clippy's lint that asks the same is allowed"));
        }
        let breaks = || {
            let package = self.config.of(krate);
            let changes = package.avoid_breaking_exported_api && lint.group != Group::Budget;
            let field = finding.field.as_deref();
            changes && info.is_some_and(|i| self.model.exports(i, field))
        };
        if places.iter().any(|p| self.excludes(krate, ty, *p)) || breaks() {
            return Some((By::Excluded, "the configuration excludes it"));
        }
        let generated = self.is_generated(primary.file);
        generated.then_some((By::Generated, "the file is generated"))
    }

    /// Looks up the subject of a finding in the census.
    fn measure(
        &mut self,
        krate: CrateIx,
        info: Option<&TypeInfo>,
        finding: &mut Finding,
    ) -> (Option<Measured>, Option<Counted>) {
        let name = || {
            let id = self.model.db.krate(krate).id?;
            let target = &self.model.db.project.krate(id).cargo_target;
            Some(target["name"].as_str()?.replace('-', "_"))
        };
        let (Some(census), Some(info), Some(name)) = (self.census, info, name()) else {
            return (None, None);
        };
        let definition = Definition::of(self.model, info);
        let measured = census.measure(&name, &info.path, &definition, finding);
        if measured.is_none() && census.has(&name, &info.path) {
            self.unlike.insert(info.item);
        }
        let counted = measured.as_ref().map(|measured| Counted {
            values: measured.values,
            net: finding.best_net(),
            live: census.live(),
            partly: census.is_partial(),
        });
        (measured, counted)
    }

    /// Records why nothing is reported about the watched type.
    fn silent(
        &mut self,
        lint: &'static Lint,
        info: Option<&TypeInfo>,
        why: impl Into<Cow<'static, str>>,
    ) {
        if info.is_some_and(|i| self.watched == Some(i.item)) {
            self.silences.push((lint.name, Silence::about(why)));
        }
    }

    /// Returns true for a file that says that it is generated.
    fn is_generated(&mut self, file: FileId) -> bool {
        let text = || names::is_generated(&self.model.db.sources.get(file).text);
        *self.generated.entry(file).or_insert_with(text)
    }

    /// Returns true for a finding that is not worth a warning in its package. What a lint finds in a
    /// census alone is one if the census confirms it; what is in `nursery` has no worth yet.
    fn is_below(
        &self,
        lint: &Lint,
        krate: CrateIx,
        worth: &Worth,
        standing: CensusVerdict,
    ) -> bool {
        if lint.concern == Concern::Asked || standing == CensusVerdict::Confirmed {
            return false;
        }
        let is_counted = matches!(lint.check, Check::Counted(_));
        is_counted || lint.group != Group::Nursery && worth.percent() < self.config.of(krate).bar()
    }

    fn excludes(&self, krate: CrateIx, ty: &str, place: Span) -> bool {
        let file = self.model.db.sources.get(place.file);
        self.config.of(krate).excludes(ty, &file.path)
    }

    /// Reports problems of the comments themselves, after all findings are judged; `without_futures`
    /// if these are not known.
    pub(super) fn comments(&mut self, without_futures: bool) {
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
            let is_unknown = |l: &Lint| without_futures && matches!(l.check, Check::Future(_));
            if lint.is_some_and(|l| self.level(l, krate) == Level::Allow || is_unknown(l)) {
                continue;
            }
            let message = format!("unfulfilled expectation: no finding of `{name}` here");
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
            finding: Box::new(finding),
            worth: Worth::asked(),
            below: false,
            rank: 0,
            triples: Vec::new(),
            measured: None,
            counted: None,
        });
    }
}

/// Explains why a census contradicts a finding.
fn against(finding: &Finding) -> String {
    let net = finding.best_net().unwrap_or_default();
    match net {
        Net { bytes: 0, .. } => "in this run it would save nothing".to_owned(),
        net => format!("in this run it would cost more than it saves: it {net}"),
    }
}

/// Returns true for a finding that is not shown because it is below the bar; with the pedantic group
/// everything is.
pub(super) fn is_unsure(config: &Config, d: &Diagnostic) -> bool {
    d.below && d.lint.group != Group::Pedantic && !config.of(d.krate).shows_unsure()
}

fn about(span: Span, message: String, label: &str) -> Finding {
    let text = label.to_owned();
    Finding::new(message, Label { span, text })
}
