//! `cargo weigh futures`: lists coroutines by size, or draws why one is so large.

mod why;

use super::census;
use super::sizes::Sort;
use super::{CLEAN, Terminal};
use crate::census::count::{Census, TypeCount};
use crate::config::type_pattern;
use crate::futures::answer;
use crate::futures::best::{self, Best};
use crate::futures::build::Of;
use crate::futures::catalog::{self, Catalog};
use crate::futures::list::{self, Future, Measured, Unit};
use crate::futures::sizes;
use crate::futures::source::Sources;
use crate::interrupt;
use crate::project::{self, ExactFor, Project, Selection};
use crate::report;
use crate::snapshot::Snapshot;
use crate::visible;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

/// Its arguments.
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Only futures whose path matches this pattern (`*` is any text); a plain name: why it is so
    /// large
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// Only the first N futures in the order of `--sort`
    #[arg(long, value_name = "N")]
    top: Option<usize>,
    /// Only futures of at least this size
    #[arg(
        long,
        value_name = "BYTES",
        default_value_t = 0,
        hide_default_value = true
    )]
    min: u64,
    /// Order of the futures
    #[arg(long, value_name = "KEY", value_enum, default_value_t = Sort::Size)]
    sort: Sort,
    /// Also list the futures of dependencies
    #[arg(long)]
    dependencies: bool,
    /// Say how many of each there were in this census, and what they waited for
    #[arg(long = "census", id = "futures-census", value_name = "FILE")]
    census: Option<PathBuf>,
}

/// More than a tick of a file system's clock.
const TICK: Duration = Duration::from_millis(60);

/// A future as a JSON line.
#[derive(Serialize)]
struct Line<'f> {
    package: &'f str,
    target: &'f str,
    path: &'f str,
    kind: &'static str,
    #[serde(flatten)]
    exact_for: ExactFor<'f>,
    file: Option<&'f str>,
    line: Option<u32>,
    size: u64,
    align: u64,
    /// How many there were in a census, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    counted: Option<Counted>,
    instances: Vec<Instance<'f>>,
}

/// How many of a future there were in a census.
#[derive(Clone, Default, Serialize)]
struct Counted {
    values: u64,
    /// How many waited where, by the census' words.
    states: BTreeMap<String, u64>,
    /// Whether there may have been more.
    at_least: bool,
}

impl Counted {
    /// The instances of a future in a census: types of the same names and sizes.
    fn of(census: &Census, units: &[Unit], future: &Future) -> Counted {
        let mut counted = Counted::default();
        for instance in &future.instances {
            let own = units[instance.at.0].coroutines.get(instance.at.1);
            let mut types = census.types.iter();
            let is_it = |ty: &&TypeCount| *ty.ty == *own.name && ty.size == own.size;
            if let Some(ty) = types.find(is_it) {
                counted.values += ty.values;
                counted.at_least |= ty.at_least;
                for (state, values) in &ty.variants {
                    *counted.states.entry(state.clone()).or_default() += values;
                }
            }
        }
        counted
    }

    fn words(&self) -> String {
        let least = if self.at_least { "at least " } else { "" };
        let states = self.states.iter();
        let states: Vec<String> = states.map(|(state, n)| format!("{n} {state}")).collect();
        match &states[..] {
            [] => format!("{least}{}", self.values),
            states => format!("{least}{}: {}", self.values, states.join(", ")),
        }
    }
}

#[derive(Serialize)]
struct Instance<'f> {
    arguments: &'f str,
    size: u64,
    align: u64,
}

pub(super) fn run(
    terminal: &Terminal,
    selection: &Selection,
    json: bool,
    arguments: &Arguments,
) -> Result<u8, String> {
    interrupt::end_all_and_this();
    let census = arguments.census.as_deref().map(census::read).transpose()?;
    let names = &arguments.names;
    let asks_why = !names.is_empty() && !names.iter().any(|name| is_pattern(name));
    if asks_why && census.is_some() {
        return Err("`--census` counts the futures of a list, not of one NAME".to_owned());
    }
    let selections = selection.each_target();
    let mut text = String::new();
    for selection in &selections {
        let project = project::load(selection).map_err(|e| e.to_string())?;
        project.warnings.iter().for_each(|w| terminal.warning(w));
        let of = match arguments.dependencies {
            true => Of::Dependencies,
            false => Of::Project,
        };
        // Cargo may just have written its lock file: what changed in this tick of the clock would
        // count as changed during the build.
        std::thread::sleep(TICK);
        let begun = SystemTime::now();
        let measured = measured(terminal, &project, selection, of)?;
        let units = &measured.units;
        let futures = list::futures(&project, units, arguments.dependencies);
        let catalog = Catalog::of(&project, units, &futures);
        if of == Of::Project {
            match answer::keep(&measured, &project, &catalog, begun) {
                Ok(true) => {}
                Ok(false) => terminal.note(
                    "not kept for the lints: rustc or a build script did not say what it reads, or \
                     a file changed during the build",
                ),
                Err(error) => terminal.warning(&format!(
                    "cannot keep what was found for the lints: {error}"
                )),
            }
        }
        if selections.len() > 1 && !json {
            let _ = writeln!(text, "{}:", project.target.triple);
        }
        if asks_why {
            let said = Output {
                terminal,
                project: &project,
                json,
            };
            why::run(&said, &catalog, &futures, names, &mut text)?;
            continue;
        }
        let selected = |id: &str| {
            let mut all = project.selected.iter().map(|id| project.krate(*id));
            all.any(|krate| krate.package_id == id)
        };
        let shown = Shown {
            project: &project,
            catalog: &catalog,
            futures: &futures,
            counted: match &census {
                Some(census) => {
                    let one = |f: &Future| Some(Counted::of(census, units, f));
                    futures.iter().map(one).collect()
                }
                None => vec![None; futures.len()],
            },
            generic: catalog::without_instance(units, selected),
        };
        shown.print(json, arguments, &mut text)?;
    }
    terminal.write(text.as_bytes())?;
    Ok(CLEAN)
}

/// The futures of a build, to be stored or compared, and the project.
pub(super) fn sizes(
    terminal: &Terminal,
    selection: &Selection,
    of: Of,
) -> Result<(Project, Snapshot), String> {
    interrupt::end_all_and_this();
    let project = project::load(selection).map_err(|e| e.to_string())?;
    project.warnings.iter().for_each(|w| terminal.warning(w));
    let measured = measured(terminal, &project, selection, of)?;
    let futures = list::futures(&project, &measured.units, false);
    let catalog = Catalog::of(&project, &measured.units, &futures);
    let snapshot = sizes::snapshot(&project, &catalog);
    Ok((project, snapshot))
}

/// What results are written for.
struct Output<'s> {
    terminal: &'s Terminal,
    project: &'s Project,
    json: bool,
}

/// Compiles and reads the selected targets.
fn measured(
    terminal: &Terminal,
    project: &Project,
    selection: &Selection,
    of: Of,
) -> Result<Measured, String> {
    terminal.status("Measuring", "with `cargo build`: this compiles");
    list::measured(project, selection, of)
}

/// The futures of one target.
struct Shown<'s> {
    project: &'s Project,
    catalog: &'s Catalog<'s>,
    futures: &'s [Future],
    /// How many of each a census has counted.
    counted: Vec<Option<Counted>>,
    /// How many generic ones have no instance.
    generic: usize,
}

impl Shown<'_> {
    /// Lists them.
    fn print(&self, json: bool, arguments: &Arguments, text: &mut String) -> Result<(), String> {
        let mut lines = wanted(self.futures, &arguments.names)?;
        lines.retain(|f| f.largest().size >= arguments.min);
        let found = lines.len();
        match arguments.sort {
            Sort::Size => {}
            Sort::Name => lines.sort_by(|a, b| (&a.path, &a.name).cmp(&(&b.path, &b.name))),
            Sort::Place => lines.sort_by(|a, b| a.place.cmp(&b.place)),
        }
        lines.truncate(arguments.top.unwrap_or(usize::MAX));
        if json {
            for future in lines {
                let mut line = line(self.project, future);
                line.counted = self.counted(future).cloned();
                text.push_str(&serde_json::to_string(&line).map_err(|e| e.to_string())?);
                text.push('\n');
            }
            return Ok(());
        }
        let exactness = report::exactness(self.project);
        let generic = match self.generic {
            0 => String::new(),
            n => format!(", {n} more generic without an instance here"),
        };
        if self.futures.is_empty() {
            let _ = writeln!(
                text,
                "the selected targets have no `async` function, block or closure{generic}; \
                 {exactness}"
            );
            return Ok(());
        }
        self.table(&lines, text);
        boxes(self.project, self.catalog, &lines, text);
        let all = report::count(self.futures.len(), "future");
        let count = match lines.len() {
            n if n == self.futures.len() => all,
            n if n == found || found == self.futures.len() => format!("{n} of {all}"),
            n => format!("{n} of {found} matching, of {all}"),
        };
        let entries = &self.catalog.entries;
        let calculated = match entries.iter().filter(|e| e.known.is_ok()).count() {
            n if n == entries.len() => String::new(),
            n => format!(
                ", {n} of {} calculated (a NAME says why)",
                report::count(entries.len(), "instance")
            ),
        };
        let _ = writeln!(text, "{count}{generic}{calculated}; {exactness}");
        Ok(())
    }

    /// How many of a future a census has counted.
    fn counted(&self, future: &Future) -> Option<&Counted> {
        let at = self.futures.iter().position(|f| std::ptr::eq(f, future))?;
        self.counted[at].as_ref()
    }

    /// Writes one line per future, in columns.
    fn table(&self, lines: &[&Future], text: &mut String) {
        let Some(first) = lines.first() else {
            return;
        };
        let several = lines.iter().any(|f| f.target != first.target);
        let row = |f: &&Future| {
            let largest = f.largest();
            let target = match several {
                true => format!("{}: ", f.target),
                false => String::new(),
            };
            let instances = match &f.instances[..] {
                [_] => String::new(),
                [.., least] => format!(
                    "  ({} instances, {} to {} bytes)",
                    f.instances.len(),
                    least.size,
                    largest.size
                ),
                [] => String::new(),
            };
            let place = f.place.as_ref().map_or(String::new(), |(file, line)| {
                format!("{}:{line}", visible::line(file))
            });
            let name = format!("{target}{}", shown(f));
            let counted = self.counted(f).map_or(String::new(), |counted| {
                format!("  [{}]", visible::line(&counted.words()))
            });
            let place = format!("{place}{instances}{counted}");
            [
                largest.size.to_string(),
                largest.align.to_string(),
                name,
                place,
            ]
        };
        let rows: Vec<[String; 4]> = lines.iter().map(row).collect();
        let titles = ["size", "align", "future", "place"].map(str::to_owned);
        let width = |i: usize| {
            let cells = rows.iter().map(|row| row[i].chars().count().min(WIDEST));
            cells.chain([titles[i].len()]).max().unwrap_or(0)
        };
        let widths = [width(0), width(1), width(2)];
        for [size, align, name, place] in std::iter::once(&titles).chain(&rows) {
            let _ = writeln!(
                text,
                "{size:>0$}  {align:>1$}  {name:<2$}  {place}",
                widths[0], widths[1], widths[2]
            );
        }
    }
}

/// How many boxes a list names.
const MOST_BOXES: usize = 5;

/// Names the boxes that give most to the listed futures.
fn boxes(project: &Project, catalog: &Catalog<'_>, lines: &[&Future], text: &mut String) {
    let sources = Sources::new(project);
    let is_listed = |best: &Best| {
        let future = catalog.entries[best.loses.0].future;
        lines.iter().any(|listed| std::ptr::eq(*listed, future))
    };
    let all = best::boxes(catalog, &sources);
    let all: Vec<Best> = all.into_iter().filter(is_listed).collect();
    if all.is_empty() {
        return;
    }
    text.push_str("\nWhat a box at an await (`Box::pin(…).await`) or of a variable gives:\n");
    for best in all.iter().take(MOST_BOXES) {
        let (loser, before, after) = best.loses;
        let place = best.place.as_ref();
        let place = place.map_or("?".to_owned(), |(file, line)| format!("{file}:{line}"));
        let kind = if best.is_variable { "variable " } else { "" };
        let line = format!(
            "{place} {kind}`{}`: {} {before} -> {after}",
            short(&best.expression),
            shown(catalog.entries[loser].future)
        );
        let _ = writeln!(text, "  {}", visible::line(&line));
    }
    if all.len() > MOST_BOXES {
        let _ = writeln!(text, "  and {} more", all.len() - MOST_BOXES);
    }
    text.push('\n');
}

/// Returns the futures that names or patterns select; all without any.
fn wanted<'f>(futures: &'f [Future], names: &[String]) -> Result<Vec<&'f Future>, String> {
    let mut fits = vec![names.is_empty(); futures.len()];
    for name in names {
        let text = name.strip_prefix("crate::").unwrap_or(name);
        let pattern = type_pattern(text)?;
        let mut any = futures.is_empty();
        for (future, fits) in futures.iter().zip(&mut fits) {
            let own = &future.path;
            let path = format!("{}::{own}", future.target.replace('-', "_"));
            let mut ends = path.match_indices("::").map(|(at, _)| &path[at + 2..]);
            let whole = [own, &path, &future.name];
            let fit = match is_pattern(text) {
                true => whole.iter().any(|name| pattern.matches(name)),
                false => whole.iter().any(|name| *name == text) || ends.any(|end| end == text),
            };
            any |= fit;
            *fits |= fit;
        }
        if !any {
            let paths = futures.iter().map(|f| &*f.path);
            return Err(format!(
                "no future matches `{}`{}",
                visible::line(text),
                project::did_you_mean(text, paths)
            ));
        }
    }
    let list = futures.iter().zip(fits);
    Ok(list.filter_map(|(f, fits)| fits.then_some(f)).collect())
}

fn is_pattern(name: &str) -> bool {
    name.contains(['*', '?', '['])
}

fn line<'f>(project: &'f Project, future: &'f Future) -> Line<'f> {
    let largest = future.largest();
    let instances = future.instances.iter().map(|i| Instance {
        arguments: &i.arguments,
        size: i.size,
        align: i.align,
    });
    Line {
        package: &future.package,
        target: &future.target,
        path: &future.path,
        kind: future.form.words(),
        exact_for: project.exact_for(),
        file: future.place.as_ref().map(|(file, _)| &**file),
        line: future.place.as_ref().map(|(_, line)| *line),
        size: largest.size,
        align: largest.align,
        counted: None,
        instances: instances.collect(),
    }
}

/// Maximum width of a column.
const WIDEST: usize = 72;

/// Maximum width of an awaited expression.
const LONGEST: usize = 48;

/// An expression, cut to that.
fn short(expression: &str) -> String {
    match expression.chars().count() > LONGEST {
        true => expression
            .chars()
            .take(LONGEST - 2)
            .chain("..".chars())
            .collect(),
        false => expression.to_owned(),
    }
}

/// The name of a future, with the arguments of its largest instance.
fn shown(future: &Future) -> String {
    let arguments = visible::line(&future.largest().arguments).into_owned();
    let short = match arguments.chars().count() {
        n if n > WIDEST / 2 => {
            let start: String = arguments.chars().take(WIDEST / 2 - 3).collect();
            format!("{start}..>")
        }
        _ => arguments,
    };
    match future.name.strip_suffix('}') {
        Some(name) => format!("{}{short}}}", visible::line(name)),
        None => format!("{}{short}", visible::line(&future.name)),
    }
}
