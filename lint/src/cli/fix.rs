//! `cargo weigh fix`: applies remedies completely, each checked by the compiler, or not at all.

mod guard;
mod sizes;
mod table;

use super::levels::{self, Flags};
use super::{Terminal, print_problems, read};
use crate::census::count::Census;
use crate::check::{self, Checked, Details, Diagnostic};
use crate::config::{Level, Levels};
use crate::fix::build::Build;
use crate::fix::candidates::{self, Candidate, Key, Without};
use crate::fix::examples::Examples;
use crate::fix::format::{self, Formatted};
use crate::fix::journal::{self, Change};
use crate::fix::mirror::Mirror;
use crate::fix::search::{Before, Dropped, Search, Texts};
use crate::interrupt;
use crate::join::Index;
use crate::lints::LINTS;
use crate::model::{self, Bodies, Model};
use crate::project::{self, Project, Selection, did_you_mean};
use crate::report::Places;
use clap::ArgAction;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use table::{Outcome, Row};

/// The arguments.
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Only findings of this lint
    #[arg(long, value_name = "LINT")]
    lint: Vec<String>,
    /// Only findings about this type: a path, or the end of one
    #[arg(long = "type", value_name = "PATH")]
    types: Vec<String>,
    /// Only the N most valuable findings
    #[arg(long, value_name = "N")]
    top: Option<usize>,
    /// Try the remedies, but do not change the files
    #[arg(long)]
    dry_run: bool,
    /// Fix code even if there are uncommitted changes, staged or not
    #[arg(long)]
    allow_dirty: bool,
    /// Fix code even if there are staged changes
    #[arg(long)]
    allow_staged: bool,
    /// Fix code even if there is no version control
    #[arg(long)]
    allow_no_vcs: bool,
    /// Leave out what changes the public API, as `avoid-breaking-exported-api` in the manifest does
    #[arg(long, conflicts_with = "breaking")]
    no_breaking: bool,
    /// Also do what changes the public API, whatever the manifest says
    #[arg(long)]
    breaking: bool,
    /// Run the tests before and after; with NAME, only analyse this integration test
    ///
    /// What makes a test fail that passed before is dropped.
    // The name is the one of cargo's flag that selects a target, which requires a value.
    #[arg(id = "test", long = "test", value_name = "NAME", num_args = 0..=1,
          default_missing_value = "", action = ArgAction::Append)]
    test: Vec<String>,
    /// Order remedies by the savings in this census, and omit those that would cost more
    #[arg(long = "census", id = "fix-census", value_name = "FILE")]
    census: Option<PathBuf>,
    #[command(flatten)]
    levels: Flags,
}

/// After changes, remedies that conflicted with them are computed again at most this many times.
const PASSES: usize = 3;

/// True while files of the working tree are replaced: this takes a moment and must not be
/// interrupted.
static WRITING: AtomicBool = AtomicBool::new(false);

pub(super) fn run(
    terminal: &Terminal,
    selection: &Selection,
    json: bool,
    (arguments, least_worth): (&Arguments, Option<u8>),
    flags: Levels,
) -> Result<u8, String> {
    let mut selection = selection.clone();
    selection.test.retain(|name| !name.is_empty());
    let with_tests = arguments.test.iter().any(String::is_empty);
    if !arguments.dry_run {
        // Before cargo runs, which may write its lock file.
        guard::check(&selection, arguments)?;
    }
    let model = read(terminal, &selection)?;
    let project = model.db.project;
    let mut levels = levels::environment(project.build_warnings.as_deref())?;
    levels.extend(flags);
    let mut wanted = Wanted::read(&model, arguments, &levels)?;
    wanted.least_worth = least_worth;
    terminal.progress("checking");
    let checked = wanted.check(&model);
    // Files that cannot be read are reported; findings in the others are fixed.
    let status = print_problems(terminal, &model, &checked.problems);
    let chosen = wanted.choose(&checked);
    let _alone = journal::alone(project)?;
    terminal.progress("copying");
    let mirror = Mirror::make(project)?;
    let found = collect(
        &model,
        &chosen,
        &mirror,
        (arguments.top, arguments.no_breaking),
    )?;
    let mut outcome = Outcome {
        rows: found.left_out,
        without: found.without,
        pedantic: checked
            .unsure
            .iter()
            .filter(|d| wanted.is_wanted(d))
            .count(),
        dry_run: arguments.dry_run,
        tested: with_tests,
        ..Outcome::default()
    };
    if found.candidates.is_empty() {
        outcome.print(terminal, json, project)?;
        return Ok(status);
    }
    // Without this, a signal leaves cargo and rustc running.
    interrupt::heed(|status| {
        if !WRITING.load(Ordering::SeqCst) {
            interrupt::end_all();
            std::process::exit(status);
        }
    });
    let run = Run {
        terminal,
        project,
        mirror: &mirror,
        with_tests,
    };
    let fixed = run.fix(&selection, &wanted, &mut outcome, found.candidates)?;
    if !arguments.dry_run {
        run.bring_home(&fixed)?;
    }
    outcome.files = fixed.changes.len();
    outcome.print(terminal, json, project)?;
    Ok(status)
}

/// The findings that the user asked to fix.
struct Wanted {
    levels: Levels,
    lints: Vec<&'static str>,
    types: Vec<String>,
    census: Option<Census>,
    least_worth: Option<u8>,
    avoid_breaking: Option<bool>,
}

impl Wanted {
    fn check(&self, model: &Model<'static>) -> Checked {
        let index = self.census.as_ref().map(Index::new);
        let details = Details {
            edits: true,
            drawings: false,
            least_worth: self.least_worth,
            avoid_breaking: self.avoid_breaking,
        };
        check::check(model, &self.levels, index.as_ref(), details)
    }

    fn read(
        model: &Model<'static>,
        arguments: &Arguments,
        levels: &Levels,
    ) -> Result<Wanted, String> {
        let census = arguments.census.as_deref().map(super::census::read);
        let mut wanted = Wanted {
            census: census.transpose()?,
            levels: levels.clone(),
            lints: Vec::new(),
            types: arguments.types.clone(),
            least_worth: None,
            avoid_breaking: match (arguments.no_breaking, arguments.breaking) {
                (true, _) => Some(true),
                (_, true) => Some(false),
                _ => None,
            },
        };
        for name in &arguments.lint {
            let plain = name.strip_prefix("weigh::").unwrap_or(name);
            let Some(lint) = LINTS.iter().find(|lint| lint.name == plain) else {
                let near = did_you_mean(plain, LINTS.iter().map(|lint| lint.name));
                return Err(format!("no lint named `{name}`{near}"));
            };
            wanted.lints.push(lint.name);
            // A lint that is named is enabled.
            wanted.levels.push((lint.name.to_owned(), Level::Warn));
        }
        for asked in &arguments.types {
            let mut paths = model.types().iter().map(|t| t.path.as_str());
            if !paths.any(|path| is_named(path, asked)) {
                let near = did_you_mean(asked, model.types().iter().map(|t| t.path.as_str()));
                return Err(format!("no type `{asked}` in the selected packages{near}"));
            }
        }
        Ok(wanted)
    }

    fn is_wanted(&self, d: &Diagnostic) -> bool {
        (self.lints.is_empty() || self.lints.contains(&d.lint.name))
            && (self.types.is_empty() || self.types.iter().any(|asked| is_named(&d.ty, asked)))
    }

    /// Returns the findings by value, then those that a census speaks against.
    fn choose<'c>(&self, checked: &'c Checked) -> Vec<Finding<'c>> {
        let against = checked.withdrawn.iter();
        let against = against.map(|w| (&w.diagnostic, Some(&*w.why)));
        let found = checked.diagnostics.iter().map(|d| (d, None));
        let mut chosen: Vec<Finding> = found
            .chain(against)
            .filter(|(diagnostic, _)| self.is_wanted(diagnostic))
            .map(|(diagnostic, against)| Finding {
                diagnostic,
                against,
            })
            .collect();
        chosen.sort_by_key(|f| (f.against.is_some(), f.diagnostic.rank));
        chosen
    }
}

/// Returns true if a path is the wanted one, or ends with it.
fn is_named(path: &str, asked: &str) -> bool {
    path.strip_suffix(asked)
        .is_some_and(|before| before.is_empty() || before.ends_with("::"))
}

struct Finding<'c> {
    diagnostic: &'c Diagnostic,
    /// Why the census contradicts it.
    against: Option<&'c str>,
}

/// The findings that can be tried, and the others.
#[derive(Default)]
struct Found {
    candidates: Vec<Candidate>,
    left_out: Vec<Row>,
    /// The number of findings whose remedies have no edits.
    without: usize,
}

fn collect(
    model: &Model<'static>,
    chosen: &[Finding],
    mirror: &Mirror,
    (top, is_kept): (Option<usize>, bool),
) -> Result<Found, String> {
    let places = Places::new(model);
    let mut found = Found::default();
    for Finding {
        diagnostic,
        against,
    } in chosen
    {
        match candidates::of(model, &places, diagnostic, &mirror.root, &mirror.copy) {
            _ if against.is_some() => {
                let why = against.unwrap_or_default();
                let row = Row::left_out(model, &places, diagnostic, why.to_owned());
                found.left_out.push(row);
            }
            Ok(candidate) if candidate.breaking && is_kept => {
                let why = "it changes the public API".to_owned();
                let row = Row::left_out(model, &places, diagnostic, why);
                found.left_out.push(row);
            }
            Ok(candidate) => found.candidates.push(candidate),
            Err(Without::Edits) => found.without += 1,
            Err(Without::Changed(path)) => return Err(edited_meanwhile(&path)),
            Err(Without::File(path, why)) => {
                let why = format!("`{}`: {why}", places.path(&path));
                let row = Row::left_out(model, &places, diagnostic, why);
                found.left_out.push(row);
            }
            Err(Without::Elsewhere(why)) => {
                let row = Row::left_out(model, &places, diagnostic, why);
                found.left_out.push(row);
            }
        }
    }
    found.candidates = candidates::unite(found.candidates);
    found.candidates.truncate(top.unwrap_or(usize::MAX));
    Ok(found)
}

fn edited_meanwhile(path: &Path) -> String {
    format!(
        "`{}` was edited while this ran; nothing was changed",
        path.display()
    )
}

/// The result.
struct Fixed {
    changes: Vec<Change>,
}

/// Returns true if all places that a note names are in documentation examples.
fn is_of_documentation(left: &str) -> bool {
    let places = left.trim_start_matches("not edited: ").split(", ");
    places
        .into_iter()
        .all(|place| place.ends_with(" is in a documentation example"))
}

/// Returns the candidates whose edits in examples can be made in the documentation.
fn in_documentation(candidates: Vec<Candidate>, examples: &Examples) -> Vec<Candidate> {
    let mapped = candidates.into_iter().filter_map(|candidate| {
        let patch = examples.back(candidate.patch.clone())?;
        Some(Candidate { patch, ..candidate })
    });
    mapped.collect()
}

struct Run<'r> {
    terminal: &'r Terminal,
    project: &'r Project,
    mirror: &'r Mirror,
    with_tests: bool,
}

impl Run<'_> {
    /// Returns the names of the packages that these files are in.
    fn packages_of(&self, files: &BTreeSet<&PathBuf>) -> Vec<&str> {
        let members = self.project.members.iter();
        let edited = members
            .filter(|member| {
                let folder = member.manifest_path.parent().unwrap_or(Path::new(""));
                let folder = folder.strip_prefix(&self.mirror.root).unwrap_or(folder);
                files.iter().any(|file| file.starts_with(folder))
            })
            .map(|member| member.package.as_str());
        edited.collect()
    }

    /// Finds the remedies that compile; the rows of the table are added to `outcome`.
    fn fix(
        &self,
        selection: &Selection,
        wanted: &Wanted,
        outcome: &mut Outcome,
        candidates: Vec<Candidate>,
    ) -> Result<Fixed, String> {
        let say = |what: &str| self.terminal.progress(what);
        let mut build = Build::new(self.mirror, self.project, selection, &say)?;
        let files: BTreeSet<&PathBuf> = candidates.iter().flat_map(|c| c.patch.keys()).collect();
        let edited = self.packages_of(&files);
        build.include(self.project, edited.into_iter());
        let mut originals = self.texts(files.into_iter())?;
        self.terminal
            .status("Checking", "a copy of the workspace, with `cargo check`");
        let mut examples = match self.with_tests {
            // They run with the tests.
            true => Examples::default(),
            false => Examples::find(self.project, self.mirror, &candidates)?,
        };
        originals.extend(self.texts(examples.files())?);
        let before = self.before(&build, &mut examples, &originals)?;
        let mut now = originals.clone();
        let mut pending =
            self.with_examples(candidates, &build.selection, (wanted, &now), &examples)?;
        let mut fixed: Vec<Candidate> = Vec::new();
        for pass in 0..PASSES {
            let mut base = self.base(&pending, &now, &mut originals)?;
            base.extend(examples.of_texts(&now));
            let state = (&before, &examples);
            let tell = |what: &str| {
                self.terminal.status("Trying", what);
                self.terminal.progress(what);
            };
            let mut search = Search::new(self.mirror, &build, state, &tell, base);
            let overlapping = search.run(&pending)?;
            search.run_tests(&pending)?;
            let sizes = sizes::Sizes::new(self, &build, selection);
            let sizes = sizes.settle(&pending, &mut search)?;
            now.extend(search.texts.clone());
            for (index, why) in &search.dropped {
                outcome
                    .rows
                    .push(Row::dropped(&pending[*index], why, &sizes));
            }
            for &index in &search.kept {
                outcome.rows.push(Row::fixed(&pending[index], &sizes));
                fixed.push(pending[index].clone());
            }
            let left: Vec<Candidate> = overlapping.iter().map(|&i| pending[i].clone()).collect();
            let keys: BTreeSet<Key> = left.iter().map(Candidate::key).collect();
            if keys.is_empty() {
                break;
            }
            let again = match pass + 1 < PASSES && !search.kept.is_empty() {
                true => {
                    examples.write(self.mirror, |path| now.get(path).map(String::as_str))?;
                    let again = self.read_again(&build.selection, &now, wanted, &keys)?;
                    in_documentation(again, &examples)
                }
                false => Vec::new(),
            };
            let found: BTreeSet<Key> = again.iter().map(Candidate::key).collect();
            for candidate in left.iter().filter(|c| !found.contains(&c.key())) {
                let row = Row::dropped(candidate, &Dropped::Overlap, &sizes);
                outcome.rows.push(row);
            }
            if again.is_empty() {
                break;
            }
            pending = again;
        }
        examples.remove(self.mirror)?;
        let now = self.formatted(now, &originals, outcome);
        for (path, new) in &now {
            // The last attempt may have written other texts.
            self.mirror.put(path, new)?;
        }
        let changed = now
            .into_iter()
            .filter(|(path, new)| originals[path] != *new);
        let changes = changed.map(|(path, new)| Change {
            old: originals[&path].clone().into_bytes(),
            new: new.into_bytes(),
            path,
        });
        Ok(Fixed {
            changes: changes.collect(),
        })
    }

    /// Formats the changed files that were formatted before.
    fn formatted(&self, now: Texts, originals: &Texts, outcome: &mut Outcome) -> Texts {
        let mut failed = None;
        let formatted = now.into_iter().map(|(path, new)| {
            let old = &originals[&path];
            if *old == new || path.extension().is_none_or(|e| e != "rs") {
                return (path, new);
            }
            let place = self.mirror.root.join(&path);
            let text = match format::format(self.project, &place, old, &new) {
                Formatted::Text(text) => text,
                Formatted::AsBefore => new,
                Formatted::Failed(why) => {
                    failed.get_or_insert(format!("`{}`: {why}", path.display()));
                    new
                }
            };
            (path, text)
        });
        let texts = formatted.collect();
        outcome.unformatted = failed;
        texts
    }

    /// Returns the texts of files as they were read.
    fn texts<'p>(&self, paths: impl Iterator<Item = &'p PathBuf>) -> Result<Texts, String> {
        let text = |path: &PathBuf| {
            let bytes = std::fs::read(self.mirror.copy.join(path));
            let text = bytes.ok().and_then(|bytes| String::from_utf8(bytes).ok());
            let text = text.ok_or_else(|| format!("cannot read `{}`", path.display()))?;
            Ok((path.clone(), text))
        };
        paths.map(text).collect()
    }

    /// Returns the current texts of the files that candidates edit; new files are added to the
    /// originals.
    fn base(
        &self,
        candidates: &[Candidate],
        now: &Texts,
        originals: &mut Texts,
    ) -> Result<Texts, String> {
        let mut base = Texts::new();
        for path in candidates.iter().flat_map(|c| c.patch.keys()) {
            if !now.contains_key(path) {
                let text = self.texts(std::iter::once(path))?;
                originals.extend(text.clone());
                base.extend(text);
            } else {
                base.insert(path.clone(), now[path].clone());
            }
        }
        Ok(base)
    }

    /// Returns the candidates, those whose type an example names with the edits there.
    fn with_examples(
        &self,
        mut candidates: Vec<Candidate>,
        selection: &Selection,
        (wanted, now): (&Wanted, &Texts),
        examples: &Examples,
    ) -> Result<Vec<Candidate>, String> {
        let named = candidates.iter().filter(|c| examples.names(&c.ty));
        let keys: BTreeSet<Key> = named.map(Candidate::key).collect();
        if keys.is_empty() || examples.is_empty() {
            return Ok(candidates);
        }
        self.terminal.progress("reading the documentation examples");
        let again = self.read_again(selection, now, wanted, &keys)?;
        for new in in_documentation(again, examples) {
            let is = |c: &&mut Candidate| c.key() == new.key() && c.title == new.title;
            if let Some(old) = candidates.iter_mut().find(is) {
                old.patch = new.patch;
                // The compiler sees these places.
                old.left = old.left.take().filter(|left| !is_of_documentation(left));
            }
        }
        Ok(candidates)
    }

    /// Returns what compiles, and which tests pass, before anything changes.
    fn before(
        &self,
        build: &Build,
        examples: &mut Examples,
        originals: &Texts,
    ) -> Result<Before, String> {
        examples.write(self.mirror, |path| originals.get(path).map(String::as_str))?;
        let mut checked = build.check()?;
        let compiled = checked.artifacts.iter().map(|a| a.target.as_str());
        if examples.keep(self.mirror, compiled)? {
            checked = build.check()?;
        }
        let selected = self.project.selected.iter();
        let selected = selected.map(|&id| self.project.krate(id));
        for krate in selected {
            if !checked.artifacts.iter().any(|artifact| artifact.is(krate)) {
                let why = match checked.troubles.first() {
                    Some(trouble) => trouble.message.clone(),
                    None => checked.stderr.trim().to_owned(),
                };
                return Err(format!(
                    "{} does not compile before any change: {why}",
                    crate::verify::described(krate)
                ));
            }
        }
        let fails = checked.stderr.lines().filter_map(|line| {
            let of = line.strip_prefix("error: could not compile ")?;
            Some(of.split(" due to").next().unwrap_or(of))
        });
        for what in fails.collect::<BTreeSet<_>>() {
            let line = format!("{what} does not compile before any change and is not checked");
            self.terminal.warning(&line);
        }
        let tests = match self.with_tests {
            true => Some(build.test()?),
            false => None,
        };
        if let Some(tests) = tests.as_ref().filter(|tests| !tests.success) {
            let n = crate::report::count(tests.failed.len(), "test");
            self.terminal
                .warning(&format!("{n} fail before any change"));
        }
        Ok(Before {
            success: checked.success,
            artifacts: checked.artifacts,
            tests,
            unused: checked
                .unused
                .into_iter()
                .map(|(warning, _)| warning)
                .collect(),
        })
    }

    /// Returns the candidates with these keys, computed from the current state of the copy.
    fn read_again(
        &self,
        selection: &Selection,
        now: &Texts,
        wanted: &Wanted,
        keys: &BTreeSet<Key>,
    ) -> Result<Vec<Candidate>, String> {
        for (path, text) in now {
            self.mirror.put(path, text)?;
        }
        self.terminal.progress("reading the copy");
        let project = project::load(selection).map_err(|e| e.to_string())?;
        let model = Model::read(project, &model::Texts::new(Bodies::Ahead))?;
        let checked = wanted.check(&model);
        let places = Places::new(&model);
        let mut again: Vec<(usize, Candidate)> = Vec::new();
        for diagnostic in &checked.diagnostics {
            let copy = &self.mirror.copy;
            let candidate = candidates::of(&model, &places, diagnostic, copy, copy);
            if let Ok(candidate) = candidate
                && keys.contains(&candidate.key())
            {
                again.push((diagnostic.rank, candidate));
            }
        }
        again.sort_by_key(|(rank, _)| *rank);
        let again = again.into_iter().map(|(_, candidate)| candidate);
        Ok(candidates::unite(again.collect()))
    }

    /// Writes the result to the working tree.
    fn bring_home(&self, fixed: &Fixed) -> Result<(), String> {
        if fixed.changes.is_empty() {
            return Ok(());
        }
        if let Some(path) = self.mirror.changed() {
            return Err(edited_meanwhile(&self.mirror.root.join(path)));
        }
        WRITING.store(true, Ordering::SeqCst);
        let changed = journal::change(self.project, &self.mirror.root, &fixed.changes);
        WRITING.store(false, Ordering::SeqCst);
        changed
    }
}
