//! Findings in the formats that people, editors and CI read: one report, one file per format.

mod also;
pub mod counted;
mod facts;
mod github;
mod gitlab;
mod human;
mod json;
mod place;
mod sarif;
mod spare;
mod words;

pub use github::job_summary;
pub use human::{problem, wrapped};
pub use place::{Place, Places, relative};
pub use spare::{Spare, spare};

use crate::check::{Census, Checked, Diagnostic};
use crate::model::{Model, TypeInfo};
use crate::project::{Crate, CrateKind, ExactFor, Project};
use crate::resolve::{CrateIx, Problem};
use crate::source::Sources;
use rustc_hash::FxHashSet;
use serde_json::Value;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Number of findings, the most valuable ones, that are shown in full.
pub const IN_FULL: usize = 10;

/// Number of findings below the bar that are listed, unless the user asks for more.
pub const ALSO: usize = 5;

/// The output formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Source snippets with labels and numbers.
    Human,
    /// Headline, places and best remedy.
    Brief,
    /// One line per finding.
    Short,
    /// Cargo's JSON lines.
    Json(Rendered),
    /// SARIF 2.1.0, as GitHub's code scanning reads it.
    Sarif,
    /// GitHub's workflow commands: annotations of the lines of a change.
    Github,
    /// GitLab code quality report.
    Gitlab,
}

/// The text in `rendered` of a JSON line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rendered {
    /// The human format.
    Plain,
    /// The human format with colours.
    Ansi,
    /// The short format.
    Short,
}

/// The results of a run.
pub struct Report<'r> {
    /// The source files of the findings.
    pub sources: Arc<Sources>,
    /// The folder of the workspace.
    pub workspace_root: PathBuf,
    /// The first target of each selected package.
    pub packages: Vec<Unit<'r>>,
    /// The findings, in order.
    pub items: Vec<Item<'r>>,
    /// The best findings below the bar, the best first.
    pub also: Vec<Item<'r>>,
    /// Number of findings below the bar.
    pub reserved: usize,
    /// The largest types that fields store many values of, with their sizes in bytes.
    pub largest: &'r [(String, u64)],
    /// True if a program can be run for a census.
    pub has_program: bool,
    /// Maximum number of findings in text output.
    pub top: Option<usize>,
    /// Number of the most valuable findings that text output shows in full.
    pub in_full: usize,
    /// Width of the terminal in columns; `None` for a file or a pipe.
    pub columns: Option<usize>,
    /// What could not be read.
    pub problems: Vec<&'r Problem>,
    /// The compiler and target of the sizes.
    pub exact_for: ExactFor<'r>,
    /// The same as the end of a sentence.
    pub exactness: String,
    /// How many types were read, and how many of them are of unknown size.
    pub types: String,
    /// A warning if the sizes may differ from those of the project's compiler.
    pub warning: Option<String>,
}

/// A finding and its package.
#[derive(Clone, Copy)]
pub struct Item<'r> {
    /// The finding.
    pub diagnostic: &'r Diagnostic,
    /// The target of a package that it is in.
    pub unit: Unit<'r>,
    /// The compiler and target of its sizes.
    pub exact_for: ExactFor<'r>,
    /// It is below the bar: no warning.
    pub is_note: bool,
    /// Findings of the same kind in the same file that it stands for.
    pub alike: usize,
}

/// A target of a package, in cargo's terms.
#[derive(Clone, Copy)]
pub struct Unit<'r> {
    /// Name of the package.
    pub package: &'r str,
    /// Its id.
    pub package_id: &'r str,
    /// Its `Cargo.toml`.
    pub manifest_path: &'r Path,
    /// Its features as the build resolves them.
    pub features: &'r [String],
    /// The target as `cargo metadata` describes it.
    pub target: &'r Value,
    /// True if it is compiled with `cfg(test)`.
    pub is_test: bool,
}

impl<'r> Report<'r> {
    /// Creates the report of a run.
    pub fn new(model: &'r Model<'static>, checked: &'r Checked) -> Report<'r> {
        Report::of_targets(std::slice::from_ref(model), std::slice::from_ref(checked))
    }

    /// Creates the report of runs of the same code for several targets: see [`crate::check::join`].
    pub fn of_targets(models: &'r [Model<'static>], runs: &'r [Checked]) -> Report<'r> {
        let (model, checked) = (&models[0], &runs[0]);
        let project = model.db.project;
        let mut known = FxHashSet::default();
        let units = project
            .selected
            .iter()
            .map(|&id| Unit::of(project.krate(id)));
        let packages: Vec<Unit> = units.filter(|u| known.insert(u.package_id)).collect();
        let mut items: Vec<Item> = Vec::new();
        let mut also: Vec<Item> = Vec::new();
        for (model, run) in models.iter().zip(runs) {
            let item = |diagnostic: &'r Diagnostic| {
                let project = model.db.project;
                let id = model.db.krate(diagnostic.krate).id?;
                Some(Item {
                    diagnostic,
                    unit: Unit::of(project.krate(id)),
                    exact_for: project.exact_for(),
                    is_note: false,
                    alike: 0,
                })
            };
            items.extend(run.diagnostics.iter().filter_map(item));
            let below = run.unsure.iter().filter_map(item);
            also.extend(below.map(|item| Item {
                is_note: true,
                ..item
            }));
        }
        also.sort_by_key(|item| item.diagnostic.rank);
        let mut selected = project.selected.iter().map(|id| project.krate(*id));
        let has_program = selected.any(|k| k.kind == CrateKind::Bin);
        if models.len() > 1 {
            items.sort_by_cached_key(|i| {
                let span = i.diagnostic.finding.primary.span;
                let file = model.db.sources.get(span.file).path.clone();
                (i.unit.package, file, span.start, i.diagnostic.lint.name)
            });
        }
        Report {
            sources: model.db.sources.clone(),
            workspace_root: project.workspace_root.clone(),
            packages,
            items,
            also,
            reserved: runs.iter().map(|r| r.unsure.len()).sum(),
            largest: &checked.largest,
            has_program,
            top: None,
            in_full: IN_FULL,
            columns: None,
            problems: runs
                .iter()
                .flat_map(|r| &r.problems)
                .filter(|p| p.own)
                .collect(),
            exact_for: project.exact_for(),
            exactness: exactness_on(project, &triples(models)),
            types: types(&checked.census),
            warning: project.release.warning(),
        }
    }

    /// Paths relative to the workspace, as in cargo's messages.
    fn in_workspace(&self) -> Places {
        Places::of_sources(self.workspace_root.clone(), self.sources.clone())
    }

    /// Paths relative to the repository, for services that show its files.
    fn in_repository(&self) -> Places {
        Places::of_repository(&self.workspace_root, self.sources.clone())
    }

    /// Returns the findings of text output, the most valuable first.
    pub fn by_value(&self) -> Vec<Item<'r>> {
        let mut items = self.items.clone();
        items.sort_by_key(|i| i.diagnostic.rank);
        items.truncate(self.top.unwrap_or(usize::MAX));
        items
    }

    /// Returns the findings, errors first, the most valuable of each first.
    fn by_severity(&self) -> Vec<Item<'r>> {
        let mut items = self.items.clone();
        items.sort_by_key(|i| (!i.diagnostic.level.fails(), i.diagnostic.rank));
        items
    }

    /// Keeps the `most` best findings below the bar.
    pub fn keep_also(&mut self, most: usize) {
        also::keep(&mut self.also, most);
    }

    /// Returns the number of errors and of warnings among the findings.
    pub fn totals(&self) -> (usize, usize) {
        let failing = |i: &&Item| i.diagnostic.level.fails();
        let errors = self.items.iter().filter(failing).count();
        (errors, self.items.len() - errors)
    }

    /// Returns a line that says what a format omits because its consumer has a limit.
    pub fn cut_off(&self, format: Format) -> Option<String> {
        match format {
            Format::Sarif => sarif::cut_off(self.items.len()),
            _ => None,
        }
    }
}

impl<'r> Unit<'r> {
    fn of(krate: &'r Crate) -> Unit<'r> {
        Unit {
            package: &krate.package,
            package_id: &krate.package_id,
            manifest_path: &krate.manifest_path,
            features: &krate.features,
            target: &krate.cargo_target,
            is_test: krate.kind.is_test(),
        }
    }
}

/// Writes a report, with colours as ANSI sequences that the stream may strip.
///
/// # Errors
/// Those of `out`.
pub fn write(report: &Report, format: Format, out: &mut dyn Write) -> io::Result<()> {
    match format {
        Format::Human => human::write(report, out),
        Format::Brief => human::write_brief(report, out),
        Format::Short => {
            let places = report.in_workspace();
            for item in report.by_value() {
                writeln!(out, "{}", human::short(&places, item.diagnostic))?;
            }
            Ok(())
        }
        Format::Json(rendered) => json::write(report, rendered, out),
        Format::Sarif => sarif::write(report, out),
        Format::Github => github::write(report, out),
        Format::Gitlab => gitlab::write(report, out),
    }
}

/// Writes the end of a report, after the messages that `--with` adds.
///
/// # Errors
/// Those of `out`.
pub fn end(format: Format, success: bool, out: &mut dyn Write) -> io::Result<()> {
    match format {
        Format::Json(_) => json::end(success, out),
        _ => Ok(()),
    }
}

/// Returns the name of the package of a crate; empty for the standard library.
pub fn package_of<'m>(model: &'m Model<'static>, krate: CrateIx) -> &'m str {
    let id = model.db.krate(krate).id;
    id.map_or("", |id| &model.db.project.krate(id).package)
}

/// Returns the name of the package that defines a type; empty for the standard library.
pub fn package<'m>(model: &'m Model<'static>, info: &TypeInfo) -> &'m str {
    package_of(model, info.krate)
}

/// Returns the compiler and target for which sizes are exact, as the end of a sentence.
pub fn exactness(project: &Project) -> String {
    exactness_on(project, &project.target.triple)
}

/// Returns the triples of models, separated by commas.
pub fn triples(models: &[Model<'static>]) -> String {
    let triples = models.iter().map(|m| m.db.project.target.triple.as_str());
    triples.collect::<Vec<_>>().join(", ")
}

/// Returns the text of [`exactness`] for these targets.
pub fn exactness_on(project: &Project, triples: &str) -> String {
    let exactness = project.release.exactness(triples);
    match project.without_config {
        true => format!("{exactness}, without the project's configuration"),
        false => exactness,
    }
}

/// Returns how many types were read, and how many of them are of unknown size.
pub fn types(census: &Census) -> String {
    let types = count(census.types, "type");
    match &parts_without_size(census)[..] {
        [] => types,
        parts => format!("{types}, {} (-v says why)", parts.join(", ")),
    }
}

/// Returns how many types are of assumed and of unknown size, if there are any.
pub fn parts_without_size(census: &Census) -> Vec<String> {
    let counts = [
        (census.assumed.values().sum(), "assumed"),
        (census.unsized_types(), "unknown"),
    ];
    let some = counts.into_iter().filter(|(n, _)| *n > 0);
    let mut parts: Vec<String> = some
        .map(|(n, kind): (usize, _)| format!("{n} of {kind} size"))
        .collect();
    if let Some(first) = parts.first_mut() {
        *first = first.replacen(" of ", " of them of ", 1);
    }
    parts
}

/// How much could not be read.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unread {
    /// Problems in the selected packages.
    pub own: usize,
    /// Problems in their dependencies.
    pub of_dependencies: usize,
}

impl Unread {
    /// Counts the problems.
    pub fn of(problems: &[Problem]) -> Unread {
        let own = problems.iter().filter(|p| p.own).count();
        Unread {
            own,
            of_dependencies: problems.len() - own,
        }
    }

    /// Returns the end of the summary; empty if everything could be read.
    pub fn words(self) -> String {
        let own = (self.own > 0).then(|| count(self.own, "problem"));
        let others = (self.of_dependencies > 0).then(|| {
            let n = count(self.of_dependencies, "problem");
            format!("{n} in dependencies (-v shows them)")
        });
        let words: Vec<_> = own.into_iter().chain(others).collect();
        match words.is_empty() {
            true => String::new(),
            false => format!("; incomplete: {}", words.join(", ")),
        }
    }
}

impl std::ops::AddAssign for Unread {
    fn add_assign(&mut self, other: Unread) {
        self.own += other.own;
        self.of_dependencies += other.of_dependencies;
    }
}

/// Returns a number with its noun.
pub fn count(n: usize, noun: &str) -> String {
    match n {
        1 => format!("1 {noun}"),
        n => format!("{n} {noun}s"),
    }
}

/// Returns the number of errors and warnings in words.
pub fn totals(errors: usize, warnings: usize) -> String {
    match (errors, warnings) {
        (0, 0) => "nothing found".to_owned(),
        (0, n) => count(n, "warning"),
        (n, 0) => count(n, "error"),
        (e, w) => format!("{}, {}", count(e, "error"), count(w, "warning")),
    }
}
