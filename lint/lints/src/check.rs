//! Runs every lint over a workspace, and gives findings their lint, level and order.

mod judge;
mod manifest;
mod settle;
mod targets;
mod why;

pub use targets::join;
pub use why::{Known, NOTHING, Says, Verdict};

use crate::config::{Config, Level, Levels};
use crate::coroutines::{Coroutine, Missing};
use crate::edit::Editor;
use crate::finding::{Change, Finding};
use crate::join::{Index, Measured};
use crate::lint::{Answer, Check, Context, Group, Lint, OfFuture, Silence};
use crate::lints::{self, LINTS};
use crate::model::{Model, TypeInfo};
use crate::resolve::supposed::Supposition;
use crate::resolve::{CrateIx, ItemId, Problem, Unknown};
use crate::span::Span;
use crate::spread::{beside, spread};
use crate::suppress::Suppressions;
use crate::usage::body::Typed;
use crate::worth::{self, Counted, Signals, Worth, signals};
use judge::{Judge, Of, Weighed};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// A finding to report.
pub struct Diagnostic {
    /// The lint.
    pub lint: &'static Lint,
    /// `Warn` or higher.
    pub level: Level,
    /// The crate it is about.
    pub krate: CrateIx,
    /// The path of the type it is about, relative to the crate root.
    pub ty: String,
    /// The finding; boxed, since lists of diagnostics are sorted and partitioned.
    pub finding: Box<Finding>,
    /// How likely an author would act on it.
    pub worth: Worth,
    /// Its worth is below the bar of its package, and no census confirms it.
    pub below: bool,
    /// Its rank by value among the findings of the run; 1 is the most valuable.
    pub rank: usize,
    /// The targets that it applies to, first the one of its numbers; empty if the run has only one.
    pub triples: Vec<String>,
    /// What a heap census counted for it.
    pub measured: Option<Box<Measured>>,
    /// What that means for its value.
    pub counted: Option<Counted>,
}

/// A finding that, by a census, costs more than it saves.
pub struct Withdrawn {
    /// The finding.
    pub diagnostic: Diagnostic,
    /// The reason: one line, lower case, no full stop.
    pub why: String,
}

impl Diagnostic {
    /// Returns it as a finding that something suppresses.
    pub fn hidden(&self, by: By) -> Hidden {
        Hidden {
            by,
            lint: self.lint.name,
            span: self.finding.primary.span,
            message: self.finding.message.clone(),
            below: self.below,
        }
    }
}

/// The result of a run.
pub struct Checked {
    /// Findings, sorted by package, file and span.
    pub diagnostics: Vec<Diagnostic>,
    /// Findings too uncertain to report, in the same order.
    pub unsure: Vec<Diagnostic>,
    /// Findings that a census contradicts, in the order found.
    pub withdrawn: Vec<Withdrawn>,
    /// Number of types with findings whose path has other types, or several, in a census.
    pub unlike: usize,
    /// Findings that are suppressed, in the order found.
    pub hidden: Vec<Hidden>,
    /// Counts of types.
    pub census: Census,
    /// The largest types that fields store many values of, with their sizes in bytes.
    pub largest: Vec<(String, u64)>,
    /// Types that fields store many values of, if drawings are asked for.
    pub stored: FxHashSet<ItemId>,
    /// What could not be read, in a stable order.
    pub problems: Vec<Problem>,
    /// Why futures are not known, if lints ask for them.
    pub futures: Option<Missing>,
    /// Settings without effect, with their locations.
    pub warnings: Vec<Problem>,
    /// The configuration of the run.
    pub config: Config,
}

impl Checked {
    /// Returns true if a finding makes the run fail.
    pub fn denied(&self) -> bool {
        self.diagnostics.iter().any(|d| d.level.fails())
    }
}

/// What is added to the reason of a type where a name is missing that may be generated.
pub const PERHAPS_GENERATED: &str = ", and a build script that has not run may define it";

/// Maximum number of packages that are named if they cannot be fetched.
const MOST_MISSING: usize = 5;

/// Counts of types, and of those whose size is known.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Census {
    /// Types that the selected crates define.
    pub types: usize,
    /// Of these, those whose size depends on their parameters.
    pub generic: usize,
    /// What the sizes of others suppose, with counts.
    pub assumed: BTreeMap<String, usize>,
    /// Why others have no known size, with counts.
    pub unknown: BTreeMap<String, usize>,
    /// Why each `include!` is not read that may define types.
    pub unread_includes: Vec<std::sync::Arc<str>>,
    /// What expansions have shown of the macros that no table knows.
    pub suppositions: Vec<Supposition>,
}

impl Census {
    /// Returns the number of types without a known size.
    pub fn unsized_types(&self) -> usize {
        self.unknown.values().sum()
    }
}

/// A finding that is suppressed.
#[derive(Clone, Debug)]
pub struct Hidden {
    /// What suppresses it.
    pub by: By,
    /// The lint's name.
    pub lint: &'static str,
    /// Where it is.
    pub span: Span,
    /// What is wrong, in one line.
    pub message: String,
    /// True if it is not worth a warning.
    pub below: bool,
}

/// What suppresses a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum By {
    /// A comment in the source.
    Comment,
    /// Clippy's attributes, or its table in the manifest.
    Clippy,
    /// The configuration: types, paths and changes of public items.
    Excluded,
    /// The head of the file.
    Generated,
    /// The baseline.
    Baseline,
}

impl By {
    /// It in words, after "suppressed".
    pub fn text(self) -> &'static str {
        match self {
            By::Comment => "by comments",
            By::Clippy => "by levels of Clippy's lints",
            By::Excluded => "by exclusions in the manifest",
            By::Generated => "in generated files",
            By::Baseline => "by the baseline",
        }
    }
}

/// Optional details to compute for findings.
#[derive(Clone, Copy, Debug, Default)]
pub struct Details {
    /// The layouts that result from remedies.
    pub drawings: bool,
    /// The edits of all remedies.
    pub edits: bool,
    /// From which worth on a finding is a warning, in place of what manifests say.
    pub least_worth: Option<u8>,
    /// Whether to leave out what changes the public API, in place of what manifests say.
    pub avoid_breaking: Option<bool>,
}

/// Runs every lint on every type. `asked` holds the levels from the environment, then the flags.
pub fn check(
    model: &Model<'static>,
    asked: &Levels,
    census: Option<&Index>,
    details: Details,
) -> Checked {
    watched(model, asked, census, details, None).0
}

/// Number of types or bodies that one task passes to a lint.
const BATCH: usize = 16;

/// Explains what is known about a type and, for each lint, its result and the rule that decides it.
pub fn why(
    model: &Model<'static>,
    asked: &Levels,
    least_worth: Option<u8>,
    census: Option<&Index>,
    item: ItemId,
) -> Known {
    let mut asked = asked.clone();
    for group in [Group::Nursery, Group::Pedantic] {
        asked.push((group.as_str().to_owned(), Level::Warn));
    }
    let details = Details {
        least_worth,
        ..Details::default()
    };
    let (checked, known) = watched(model, &asked, census, details, Some(item));
    let mut known = known.unwrap_or_default();
    known.judged(&checked);
    known
}

/// Runs every lint and records their results for one type.
fn watched(
    model: &Model<'static>,
    asked: &Levels,
    census: Option<&Index>,
    details: Details,
    of: Option<ItemId>,
) -> (Checked, Option<Known>) {
    let (config, mut problems) = manifest::read(model, asked, details);
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
    // Facts that lints share suppose too; what a finding itself supposes is marked.
    model.db.suppose_by_default(true);
    if LINTS.iter().filter(|l| l.level > Level::Allow).all(is_on) {
        cx.ask_ahead();
    }
    let is_last = |lint: &&&'static Lint| matches!(lint.check, Check::Last(_));
    let (last, first): (Vec<_>, Vec<_>) = LINTS.iter().partition(is_last);
    ask(&cx, &mut judge, &first);
    cx.claim(|| settle::claimed(&judge.found));
    ask(&cx, &mut judge, &last);
    judge.comments(cx.missing_futures().is_some());
    let silences = std::mem::take(&mut judge.silences);
    let mut known = of.map(|item| Known::of(&cx, item, silences, &judge.found));
    let mut diagnostics = settle::settle(judge.found);
    if let Some(known) = &mut known {
        known.settled(&diagnostics);
    }
    sort(model, &mut diagnostics);
    let unsure = |d: &mut Diagnostic| judge::is_unsure(&config, d);
    let mut unsure: Vec<_> = diagnostics.extract_if(.., unsure).collect();
    model.db.suppose_by_default(false);
    // Unit tests are read only for edits: problems in them are not reported.
    problems.extend(self::problems(model));
    // Facts about bodies take most of the memory, and are recomputed where needed.
    let rest = || {
        if details.edits {
            edited(model, &mut diagnostics);
        }
        rank(&mut diagnostics, 0);
        rank(&mut unsure, diagnostics.len());
        self::census(model)
    };
    let largest = largest(&cx);
    let warnings = manifest::idle_budgets(&cx, &config);
    let futures = cx.missing_futures();
    let types = model.types().iter().filter(|_| details.drawings);
    let stored = types.map(|t| t.item).filter(|item| is_stored(&cx, *item));
    let stored = stored.collect();
    let census = beside(|| drop(cx), rest);
    let checked = Checked {
        diagnostics,
        unsure,
        withdrawn: judge.withdrawn,
        unlike: judge.unlike.len(),
        hidden: judge.hidden,
        census,
        largest,
        stored,
        problems,
        warnings,
        futures,
        config,
    };
    (checked, known)
}

/// How many of the largest types are named, and among how many they are looked for.
const LARGEST: (usize, usize) = (3, 64);

/// Returns the largest types that fields store many values of.
fn largest(cx: &Context) -> Vec<(String, u64)> {
    let types = cx.model.types().iter();
    let known = types.filter_map(|t| Some((t, cx.model.size(t.ty)?)));
    let mut known: Vec<(&TypeInfo, u64)> = known.filter(|(t, _)| t.written).collect();
    known.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.path.cmp(&b.0.path)));
    let many = known.into_iter().take(LARGEST.1);
    let many = many.filter(|(t, _)| is_stored(cx, t.item));
    let many = many.take(LARGEST.0);
    many.map(|(t, size)| (t.path.clone(), size)).collect()
}

fn is_stored(cx: &Context, item: ItemId) -> bool {
    cx.population(item).multiplicity.is_stored()
}

/// A future with its crate.
type Subject<'m> = (CrateIx, &'m Coroutine);

/// A batch of subjects for a lint.
enum Batch<'m> {
    Types(fn(&Context, &TypeInfo) -> Vec<Answer>, Vec<&'m TypeInfo>),
    Bodies(fn(&Context, &Typed) -> Vec<Finding>, Vec<&'m Typed>),
    Futures(OfFuture, Vec<Subject<'m>>),
}

/// The results for a batch.
enum Results<'m> {
    Types(Vec<(&'m TypeInfo, Vec<Weighed>)>),
    Bodies(Vec<(&'m Typed, Vec<(Finding, Signals)>)>),
    Futures(Vec<(Subject<'m>, Vec<(Finding, Signals)>)>),
}

/// Runs lints that do not depend on one another, and judges their results in order.
fn ask<'m>(cx: &'m Context<'m>, judge: &mut Judge, lints: &[&&'static Lint]) {
    let model = cx.model;
    let mut list = Vec::new();
    for &&lint in lints {
        let on = |krate| judge.level(lint, krate) > Level::Allow;
        if let Some(check) = lint.check.of_types() {
            let types = model.types().iter();
            let types: Vec<_> = types.filter(|t| t.written && on(t.krate)).collect();
            let types = types.chunks(BATCH);
            list.extend(types.map(|types| (lint, Batch::Types(check, types.to_vec()))));
        }
        if let Some(check) = lint.check.of_bodies()
            && model.selected().any(on)
        {
            let work = || format!("reading bodies for {}", lint.name);
            let bodies = model.db.guarded(work, || &cx.usage().bodies);
            let bodies = bodies.into_iter().flatten();
            let bodies: Vec<_> = bodies.filter(|b| on(b.function.krate)).collect();
            let bodies = bodies.chunks(BATCH);
            list.extend(bodies.map(|bodies| (lint, Batch::Bodies(check, bodies.to_vec()))));
        }
        if let Some(check) = lint.check.of_futures()
            && model
                .selected()
                .any(|krate| on(krate) && cx.asks_for_futures(lint, krate))
            && let Ok(futures) = cx.coroutines()
        {
            let futures = futures.selected().filter(|(krate, _)| on(*krate));
            list.push((lint, Batch::Futures(check, futures.collect())));
        }
    }
    let watched = judge.watched;
    let said = spread(list, 1, |(lint, asked)| {
        (lint, asked.ask(cx, lint, watched))
    });
    for (lint, said) in said {
        match said {
            Results::Types(said) => {
                for (info, answers) in said {
                    judge.answers(lint, info, answers);
                }
            }
            Results::Bodies(said) => {
                for (body, found) in said {
                    let of = Of::Function(&body.function.path);
                    judge.take(lint, body.function.krate, of, found);
                }
            }
            Results::Futures(said) => {
                for ((krate, future), found) in said {
                    judge.take(lint, krate, Of::Function(&future.path), found);
                }
            }
        }
    }
}

impl<'m> Batch<'m> {
    fn ask(self, cx: &Context, lint: &Lint, watched: Option<ItemId>) -> Results<'m> {
        let work = |path: &str| format!("asking {} about `{path}`", lint.name);
        let db = cx.model.db;
        match self {
            Batch::Types(check, types) => {
                let ask = |info: &'m TypeInfo| {
                    let ask = || {
                        let answers = db.guarded(|| work(&info.path), || check(cx, info));
                        answers.unwrap_or_default()
                    };
                    let mut answers = supposing(cx, ask, |a| a.as_mut().ok());
                    // Silences are recorded for the watched type only.
                    if watched != Some(info.item) {
                        answers.retain(Result::is_ok);
                    }
                    let of = (Some(info), info.path.as_str());
                    let weigh = |a: Answer| match a? {
                        f if lint.group == Group::Budget && !f.assuming.is_empty() => {
                            Err(Silence::about("its size is assumed, and no reason to fail"))
                        }
                        f => Ok(weighed(cx, lint, info.krate, of, f)),
                    };
                    let answers: Vec<Weighed> = answers.into_iter().map(weigh).collect();
                    (!answers.is_empty()).then_some((info, answers))
                };
                Results::Types(types.into_iter().filter_map(ask).collect())
            }
            Batch::Bodies(check, bodies) => {
                let ask = |body: &'m Typed| {
                    let path = &body.function.path;
                    let ask = || {
                        let found = db.guarded(|| work(path), || check(cx, body));
                        found.unwrap_or_default()
                    };
                    let found = supposing(cx, ask, |f| Some(f));
                    let krate = body.function.krate;
                    let weigh = |f: Finding| weighed(cx, lint, krate, (None, path), f);
                    let found: Vec<_> = found.into_iter().map(weigh).collect();
                    (!found.is_empty()).then_some((body, found))
                };
                Results::Bodies(bodies.into_iter().filter_map(ask).collect())
            }
            Batch::Futures(check, futures) => {
                let ask = |(krate, future): (CrateIx, &'m Coroutine)| {
                    let found = db.guarded(|| work(&future.path), || check(cx, krate, future));
                    let of = (None, &*future.path);
                    let weigh = |f: Finding| weighed(cx, lint, krate, of, f);
                    let found: Vec<_> = found.into_iter().flatten().map(weigh).collect();
                    (!found.is_empty()).then_some(((krate, future), found))
                };
                Results::Futures(futures.into_iter().filter_map(ask).collect())
            }
        }
    }
}

/// Asks a lint supposing that unread macros are as most are; a finding that it would not have
/// otherwise says so.
fn supposing<R>(
    cx: &Context,
    ask: impl Fn() -> Vec<R>,
    found: fn(&mut R) -> Option<&mut Finding>,
) -> Vec<R> {
    let db = cx.model.db;
    let (mut answers, assuming) = db.supposing(&ask);
    let mut doubtful: Vec<&mut Finding> = answers.iter_mut().filter_map(found).collect();
    if assuming.is_empty() || doubtful.is_empty() {
        return answers;
    }
    let mut certain = db.strictly(&ask);
    let certain: Vec<&mut Finding> = certain.iter_mut().filter_map(found).collect();
    doubtful.retain(|f| !certain.iter().any(|c| c.says_as(f)));
    if !doubtful.is_empty() {
        // By now facts that lints share are known: what they suppose is not counted.
        let (_, assuming) = db.supposing(&ask);
        for finding in doubtful {
            finding.assuming = assuming.clone();
        }
    }
    answers
}

/// Computes the facts of a finding, and drops the details of one that is counted but not shown.
fn weighed(
    cx: &Context,
    lint: &Lint,
    krate: CrateIx,
    of: (Option<&TypeInfo>, &str),
    mut finding: Finding,
) -> (Finding, Signals) {
    let signals = signals::of(cx, lint, krate, of, &finding);
    let least = cx.config(krate).bar();
    if !cx.shows_all(lint, krate) && Worth::of(signals).percent() < least {
        finding.forget_details();
    }
    finding.shrink();
    (finding, signals)
}

/// Adds the edits of their remedies to findings.
fn edited(model: &Model<'static>, diagnostics: &mut [Diagnostic]) {
    let changes = |d: &&mut Diagnostic| d.finding.remedies.iter().any(|r| !r.change.is_empty());
    let list: Vec<_> = diagnostics.iter_mut().filter(changes).collect();
    if list.is_empty() {
        return;
    }
    model.db.suppose_by_default(true);
    let work = || "finding the edits of remedies".to_owned();
    let findings = list.iter().map(|d| &*d.finding);
    let edit = || Editor::new(model, findings);
    if let Some(editor) = model.db.guarded(work, edit) {
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
    model.db.suppose_by_default(false);
}

/// Groups findings that can be edited independently. Findings that name new structs form one group
/// per package, in order, so that each name is used once.
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
    // The longest tasks start first.
    naming.into_values().chain(groups).collect()
}

/// Ranks findings by value.
fn rank<'d>(diagnostics: impl IntoIterator<Item = &'d mut Diagnostic>, before: usize) {
    let mut order: Vec<&mut Diagnostic> = diagnostics.into_iter().collect();
    order.sort_by_key(|d| worth::value(d.lint.concern, &d.finding, &d.worth, d.counted.as_ref()));
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

/// Counts types by what is known of their size.
pub fn census(model: &Model<'static>) -> Census {
    let mut census = Census {
        suppositions: model.db.suppositions(),
        ..Census::default()
    };
    let mut unbuilt = FxHashSet::default();
    for krate in model.selected() {
        let includes = model.db.unread_includes(krate);
        if includes.iter().any(|why| why.contains("build script")) {
            unbuilt.insert(krate);
        }
        census.unread_includes.extend(includes);
    }
    census.unread_includes.sort_unstable();
    census.unread_includes.dedup();
    // A file may belong to several targets; types of one macro call may share a path.
    let mut seen: FxHashMap<(Span, &str), u32> = FxHashMap::default();
    for info in model.types() {
        let first = *seen.entry((info.span, &info.path)).or_insert(info.krate);
        if first != info.krate {
            continue;
        }
        census.types += 1;
        match model.extent(info.ty) {
            Ok(_) => {}
            Err(_) => match model.assumed(info.ty) {
                Ok(assumed) => *census.assumed.entry(assumed.words()).or_default() += 1,
                Err(Unknown::Generic(_)) => census.generic += 1,
                Err(Unknown::Unsized) => {}
                Err(why) => {
                    let mut reason = model.reason(&why);
                    if unbuilt.contains(&info.krate) && reason.ends_with("` was not found") {
                        reason.push_str(PERHAPS_GENERATED);
                    }
                    *census.unknown.entry(reason).or_default() += 1;
                }
            },
        }
    }
    census
}

/// Returns the packages that cargo cannot fetch, as one problem.
fn missing(model: &Model<'static>) -> Option<Problem> {
    let all = &model.db.project.missing;
    let named = all.iter().take(MOST_MISSING);
    let mut named: Vec<_> = named
        .map(|m| format!("`{}` ({})", m.name, m.source))
        .collect();
    if all.len() > named.len() {
        named.push(format!("{} more", all.len() - named.len()));
    }
    let message = format!(
        "not fetched, so that types are unknown which need it, or depend on features that it may \
         enable in other packages: {}",
        named.join(", ")
    );
    (!all.is_empty()).then_some(Problem {
        span: None,
        file: None,
        message,
        own: true,
    })
}

/// Returns what could not be read, and invalid type definitions, each once.
pub fn problems(model: &Model<'static>) -> Vec<Problem> {
    let mut said: FxHashSet<std::sync::Arc<str>> = FxHashSet::default();
    let mut invalid: Vec<(&TypeInfo, std::sync::Arc<str>)> = Vec::new();
    for info in model.types() {
        if let Err(Unknown::Invalid(why)) = model.extent(info.ty) {
            invalid.push((info, why));
        }
    }
    // Computing layouts adds some.
    let mut list = model.problems();
    list.extend(missing(model));
    // The type that the message names comes first, then those that contain it.
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
