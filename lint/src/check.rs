//! Runs every lint over a workspace: findings get their lint's name and level here, and an order.

mod judge;
mod manifest;
mod place;
mod settle;
mod targets;
mod why;

pub use place::is_generated;
pub use targets::join;
pub use why::{Known, Says, Verdict};

use crate::census::join::{Index, Measured};
use crate::config::{Config, Level, Levels};
use crate::edit::Editor;
use crate::finding::{Change, Finding, Rule};
use crate::judge::{self as value, Counted};
use crate::lint::{Answer, Check, Context, Group, Lint};
use crate::lints::{self, LINTS};
use crate::model::{Model, TypeInfo};
use crate::resolve::{CrateIx, ItemId, Problem, Unknown};
use crate::spread::{beside, spread};
use crate::suppress::Suppressions;
use crate::usage::body::Typed;
use judge::{Judge, Of};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// A finding that is to be shown.
pub struct Diagnostic {
    /// The lint.
    pub lint: &'static Lint,
    /// Warn or more.
    pub level: Level,
    /// The crate it is about.
    pub krate: CrateIx,
    /// Path of the type it is about, relative to the crate's root.
    pub ty: String,
    /// What was found: by itself, as lists of these are sorted and divided.
    pub finding: Box<Finding>,
    /// By which rule it is only for `weigh::pedantic`; `None` if it is worth saying.
    pub reserved: Option<Rule>,
    /// Its place among the findings of the run, by value; the most valuable is 1.
    pub rank: usize,
    /// The targets for which it holds, the one of its numbers first; empty where the run has one.
    pub triples: Vec<String>,
    /// What a census counted of it.
    pub measured: Option<Box<Measured>>,
    /// What that says of its worth.
    pub counted: Option<Counted>,
}

/// A finding that costs more than it saves, by a census.
pub struct Withdrawn {
    /// The finding.
    pub diagnostic: Diagnostic,
    /// Why: one line, lower case, no full stop.
    pub why: String,
}

/// What a run found.
pub struct Checked {
    /// Findings by package, file and place.
    pub diagnostics: Vec<Diagnostic>,
    /// Findings that are not sure enough to be shown, in the same order.
    pub unsure: Vec<Diagnostic>,
    /// Findings that a census speaks against, in the order of their places.
    pub withdrawn: Vec<Withdrawn>,
    /// Types with findings of which a census has only others of that path, or several.
    pub unlike: usize,
    /// How many more there were.
    pub suppressed: Suppressed,
    /// What was read.
    pub census: Census,
    /// What could not be read, in a stable order.
    pub problems: Vec<Problem>,
    /// What is asked for in vain, each with its place.
    pub warnings: Vec<Problem>,
    /// What was asked for.
    pub config: Config,
}

impl Checked {
    /// True if a finding makes the run fail.
    pub fn denied(&self) -> bool {
        self.diagnostics.iter().any(|d| d.level.fails())
    }
}

/// How many types there are, and of how many the size is known.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Census {
    /// Types that the selected crates define.
    pub types: usize,
    /// Of these, those whose size depends on their parameters.
    pub generic: usize,
    /// Why others could not be sized, and how many.
    pub unknown: BTreeMap<String, usize>,
}

impl Census {
    /// Types that could not be sized.
    pub fn unsized_types(&self) -> usize {
        self.unknown.values().sum()
    }
}

/// How many findings the user does not want to see, by why.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Suppressed {
    /// Comments in the source.
    pub comments: usize,
    /// Clippy's attributes, or its table in the manifest.
    pub clippy: usize,
    /// Types, paths and changes of public items that the configuration excludes.
    pub excluded: usize,
    /// They were there when the baseline was written.
    pub baseline: usize,
}

/// What is worked out of findings beside what they say.
#[derive(Clone, Copy, Debug, Default)]
pub struct Details {
    /// The layouts that remedies lead to.
    pub drawings: bool,
    /// The edits of all remedies; else those of some may be asked for later ([`edit`]).
    pub edits: bool,
}

/// Asks every lint about every type. `asked` is what the environment and then the flags say.
pub fn check(
    model: &Model<'static>,
    asked: &Levels,
    census: Option<&Index>,
    details: Details,
) -> Checked {
    watched(model, asked, census, details, None).0
}

/// Gives so many of the findings that are shown, the most valuable ones, the edits of their
/// remedies.
pub fn edit(model: &Model<'static>, checked: &mut Checked, most: usize) {
    let mut list: Vec<_> = checked.diagnostics.iter_mut().collect();
    list.sort_by_key(|d| d.rank);
    list.truncate(most);
    // Names are given in the order of places.
    let chosen: FxHashSet<usize> = list.iter().map(|d| d.rank).collect();
    let list = checked.diagnostics.iter_mut();
    edited(model, list.filter(|d| chosen.contains(&d.rank)));
}

/// Types or bodies that a thread asks a lint about at a time.
const BATCH: usize = 16;

/// What is known of a type, and what each lint says of it, by the rule that decides.
pub fn why(model: &Model<'static>, asked: &Levels, census: Option<&Index>, item: ItemId) -> Known {
    let mut asked = asked.clone();
    asked.push((Group::Pedantic.as_str().to_owned(), Level::Warn));
    let (checked, known) = watched(model, &asked, census, Details::default(), Some(item));
    let mut known = known.unwrap_or_default();
    known.judged(&checked);
    known
}

/// Asks every lint, and keeps what they say of one type.
fn watched(
    model: &Model<'static>,
    asked: &Levels,
    census: Option<&Index>,
    details: Details,
    of: Option<ItemId>,
) -> (Checked, Option<Known>) {
    let (config, mut problems) = manifest::read(model, asked);
    let files = model.types().iter().map(|t| (t.krate, t.span.file));
    let suppressions = Suppressions::read(model.db, files, &lints::known);
    let cx = Context::new(model, &config, &suppressions, census, details.drawings);
    let mut judge = Judge::new(model, &config, &suppressions, census);
    judge.watched = of;
    let is_on = |lint: &&Lint| {
        model
            .selected()
            .any(|k| judge.level(lint, k) > Level::Allow)
    };
    if LINTS.iter().filter(|l| l.level > Level::Allow).all(is_on) {
        cx.ask_ahead();
    }
    let is_last = |lint: &&&'static Lint| matches!(lint.check, Check::Last(_));
    let (last, first): (Vec<_>, Vec<_>) = LINTS.iter().partition(is_last);
    ask(&cx, &mut judge, &first);
    cx.claim(|| settle::claimed(&judge.found));
    ask(&cx, &mut judge, &last);
    judge.comments();
    let silences = std::mem::take(&mut judge.silences);
    let mut known = of.map(|item| Known::of(&cx, item, silences, &judge.found));
    let mut diagnostics = settle::settle(judge.found);
    if let Some(known) = &mut known {
        known.settled(&diagnostics);
    }
    sort(model, &mut diagnostics);
    let unsure = |d: &mut Diagnostic| judge::is_unsure(&config, d);
    let mut unsure: Vec<_> = diagnostics.extract_if(.., unsure).collect();
    // Unit tests are read for edits alone: what cannot be read there is nobody's concern.
    problems.extend(self::problems(model));
    // What bodies say takes most of the memory, and is understood anew there where it is wanted.
    let rest = || {
        if details.edits {
            edited(model, &mut diagnostics);
        }
        rank(&mut diagnostics, 0);
        rank(&mut unsure, diagnostics.len());
        self::census(model)
    };
    let census = beside(|| drop(cx), rest);
    let checked = Checked {
        diagnostics,
        unsure,
        withdrawn: judge.withdrawn,
        unlike: judge.unlike.len(),
        suppressed: judge.suppressed,
        census,
        problems,
        warnings: manifest::idle_budgets(model, &config),
        config,
    };
    (checked, known)
}

/// What a lint is asked about at a time.
enum Asked<'m> {
    Types(fn(&Context, &TypeInfo) -> Vec<Answer>, Vec<&'m TypeInfo>),
    Bodies(fn(&Context, &Typed) -> Vec<Finding>, Vec<&'m Typed>),
}

/// What it says of them.
enum Said<'m> {
    Types(Vec<(&'m TypeInfo, Vec<Answer>)>),
    Bodies(Vec<(&'m Typed, Vec<Finding>)>),
}

/// Asks lints that do not wait for one another, and judges what they say in their order.
fn ask(cx: &Context, judge: &mut Judge, lints: &[&&'static Lint]) {
    let model = cx.model;
    let mut list = Vec::new();
    for &&lint in lints {
        let on = |krate| judge.level(lint, krate) > Level::Allow;
        if let Some(check) = lint.check.of_types() {
            let types = model.types().iter();
            let types: Vec<_> = types.filter(|t| t.written && on(t.krate)).collect();
            let types = types.chunks(BATCH);
            list.extend(types.map(|types| (lint, Asked::Types(check, types.to_vec()))));
        }
        if let Some(check) = lint.check.of_bodies()
            && model.selected().any(on)
        {
            let work = || format!("reading bodies for {}", lint.name);
            let bodies = model.db.guarded(work, || &cx.usage().bodies);
            let bodies = bodies.into_iter().flatten();
            let bodies: Vec<_> = bodies.filter(|b| on(b.function.krate)).collect();
            let bodies = bodies.chunks(BATCH);
            list.extend(bodies.map(|bodies| (lint, Asked::Bodies(check, bodies.to_vec()))));
        }
    }
    let watched = judge.watched;
    let said = spread(list, 1, |(lint, asked)| {
        (lint, asked.ask(cx, lint, watched))
    });
    for (lint, said) in said {
        match said {
            Said::Types(said) => {
                for (info, answers) in said {
                    judge.answers(lint, info, answers);
                }
            }
            Said::Bodies(said) => {
                for (body, found) in said {
                    let of = Of::Function(&body.function.path);
                    judge.take(lint, body.function.krate, of, found);
                }
            }
        }
    }
}

impl<'m> Asked<'m> {
    fn ask(self, cx: &Context, lint: &Lint, watched: Option<ItemId>) -> Said<'m> {
        let work = |path: &str| format!("asking {} about `{path}`", lint.name);
        let db = cx.model.db;
        match self {
            Asked::Types(check, types) => {
                let ask = |info: &'m TypeInfo| {
                    let answers = db.guarded(|| work(&info.path), || check(cx, info));
                    let mut answers = answers.unwrap_or_default();
                    // Why nothing is said is asked about one type alone.
                    if watched != Some(info.item) {
                        answers.retain(Result::is_ok);
                    }
                    answers.shrink_to_fit();
                    for finding in answers.iter_mut().flatten() {
                        cx.pack(lint, info.krate, finding);
                    }
                    (!answers.is_empty()).then_some((info, answers))
                };
                Said::Types(types.into_iter().filter_map(ask).collect())
            }
            Asked::Bodies(check, bodies) => {
                let ask = |body: &'m Typed| {
                    let path = &body.function.path;
                    let mut found = db.guarded(|| work(path), || check(cx, body))?;
                    for finding in &mut found {
                        cx.pack(lint, body.function.krate, finding);
                    }
                    (!found.is_empty()).then_some((body, found))
                };
                Said::Bodies(bodies.into_iter().filter_map(ask).collect())
            }
        }
    }
}

/// Gives findings the edits of their remedies.
fn edited<'d>(model: &Model<'static>, diagnostics: impl IntoIterator<Item = &'d mut Diagnostic>) {
    let changes = |d: &&mut Diagnostic| d.finding.remedies.iter().any(|r| !r.change.is_empty());
    let list: Vec<_> = diagnostics.into_iter().filter(changes).collect();
    if list.is_empty() {
        return;
    }
    let work = || "finding the edits of remedies".to_owned();
    let findings = list.iter().map(|d| &*d.finding);
    let edit = || Editor::new(model, findings);
    let Some(editor) = model.db.guarded(work, edit) else {
        return;
    };
    spread(in_turn(model, list), 1, |group| {
        for diagnostic in group {
            let work = || format!("editing for `{}`", diagnostic.ty);
            let mut finding = diagnostic.finding.clone();
            let edit = || editor.complete(&mut finding);
            if let Some(()) = model.db.guarded(work, edit) {
                diagnostic.finding = finding;
            }
        }
    });
}

/// Groups of findings of which each can be edited without looking at the others. Those of a package
/// that give names to new structs are one, in their order: a name is given once.
fn in_turn<'d>(
    model: &Model<'static>,
    list: Vec<&'d mut Diagnostic>,
) -> Vec<Vec<&'d mut Diagnostic>> {
    let mut naming: BTreeMap<Option<&str>, Vec<&mut Diagnostic>> = BTreeMap::new();
    let mut groups = Vec::new();
    for diagnostic in list {
        let remedies = &diagnostic.finding.remedies;
        let mut changes = remedies.iter().flat_map(|r| &r.change);
        match changes.any(|c| matches!(c, Change::Joined(_))) {
            true => {
                let krate = model.db.krate(diagnostic.krate).id;
                let package = krate.map(|id| &*model.db.project.krate(id).package);
                naming.entry(package).or_default().push(diagnostic);
            }
            false => groups.push(vec![diagnostic]),
        }
    }
    // What takes longest is begun first.
    naming.into_values().chain(groups).collect()
}

/// Numbers findings by their value, what is worth saying first.
fn rank<'d>(diagnostics: impl IntoIterator<Item = &'d mut Diagnostic>, before: usize) {
    let mut order: Vec<&mut Diagnostic> = diagnostics.into_iter().collect();
    order.sort_by_key(|d| {
        (
            d.reserved.is_some(),
            value::value(d.lint.concern, &d.finding, d.counted.as_ref()),
        )
    });
    for (rank, d) in order.into_iter().enumerate() {
        d.rank = before + rank + 1;
    }
}

fn sort(model: &Model<'static>, diagnostics: &mut [Diagnostic]) {
    let db = model.db;
    diagnostics.sort_by_cached_key(|d| {
        let package = db.krate(d.krate).id.map(|id| &db.project.krate(id).package);
        let span = d.finding.primary.span;
        let file = db.sources.get(span.file).path.clone();
        (package, file, span.start, d.lint.name)
    });
}

/// Counts the types by what is known of them.
pub fn census(model: &Model<'static>) -> Census {
    let mut census = Census::default();
    // The same file may be of several targets; in one, types of the same call may have one path.
    let mut seen: FxHashMap<(crate::span::Span, &str), u32> = FxHashMap::default();
    for info in model.types() {
        let first = *seen.entry((info.span, &info.path)).or_insert(info.krate);
        if first != info.krate {
            continue;
        }
        census.types += 1;
        match model.extent(info.ty) {
            Ok(_) => {}
            Err(Unknown::Generic(_)) => census.generic += 1,
            Err(why) => *census.unknown.entry(model.reason(&why)).or_default() += 1,
        }
    }
    census
}

/// What could not be read, and definitions that can be no types, each once.
pub fn problems(model: &Model<'static>) -> Vec<Problem> {
    let mut said: FxHashSet<std::sync::Arc<str>> = FxHashSet::default();
    let mut invalid: Vec<(&TypeInfo, std::sync::Arc<str>)> = Vec::new();
    for info in model.types() {
        if let Err(Unknown::Invalid(why)) = model.extent(info.ty) {
            invalid.push((info, why));
        }
    }
    // Some are met while layouts are worked out.
    let mut list = model.problems();
    // First where the message names the type itself, then what holds it.
    let names = |(info, why): &(&TypeInfo, std::sync::Arc<str>)| {
        let name = info.path.rsplit("::").next().unwrap_or_default();
        !(why.contains(&format!("`{name}`")) || why.contains(&format!("`{name}<")))
    };
    invalid.sort_by_key(names);
    for (info, why) in invalid {
        if said.insert(why.clone()) {
            list.push(Problem {
                span: Some(info.span),
                file: None,
                message: why.to_string(),
                own: true,
            });
        }
    }
    list
}
