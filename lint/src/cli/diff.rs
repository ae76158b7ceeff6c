//! `cargo weigh diff`: types that grew, shrank, were added or removed since a snapshot or a git
//! revision.

use super::census::changes::limit;
use super::snapshot::whole;
use super::{CLEAN, FOUND, Terminal, exactness, futures, print_problems, read_each};
use crate::cache::Key;
use crate::check;
use crate::fault;
use crate::futures::build::Of;
use crate::model::{Bodies, Model, Texts};
use crate::project::{self, Project, Selection};
use crate::report::{self, Unread, count};
use crate::seen;
use crate::snapshot::compare::{Comparison, compare};
use crate::snapshot::text::{Ends, Totals};
use crate::snapshot::{Snapshot, file, json, markdown, page, revision, text};
use crate::source::read;
use rustc_hash::FxHashSet;
use serde_json::Value;
use std::ffi::OsStr;
use std::path::Path;

/// The arguments of `diff`.
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// A file written by `cargo weigh snapshot`, or a git revision
    #[arg(value_name = "BASE")]
    base: String,
    /// Exit status 1 if a type grew (by more than N bytes, if given)
    #[arg(long, value_name = "growth[=N]", value_parser = fail_on)]
    fail_on: Option<u64>,
    /// Print Markdown, for a pull request comment
    #[arg(long)]
    markdown: bool,
    /// Compare the sizes of `async` functions, blocks and closures (this compiles both)
    #[arg(long)]
    pub(super) futures: bool,
}

/// Parses `--fail-on`: the number of bytes that a type may grow by.
fn fail_on(text: &str) -> Result<u64, String> {
    let growth = limit(text).ok().and_then(|limit| limit.growth());
    growth.ok_or_else(|| "expected `growth`, or `growth=N` with a number of bytes".to_owned())
}

/// Help for a path that leads out of the revision.
const OUTSIDE: &str = "a path dependency in a submodule or outside the repository is not part of the \
                       revision; check the revision out, run `cargo weigh snapshot` there, and compare \
                       with that file";

/// The sizes to compare with.
struct Base {
    snapshot: Snapshot,
    commit: Option<String>,
    status: u8,
    unread: Unread,
}

pub(super) fn run(
    terminal: &Terminal,
    selection: &Selection,
    json: bool,
    arguments: &Arguments,
) -> Result<u8, String> {
    if json && arguments.markdown {
        return Err("`--markdown` cannot be used with `--message-format json`".to_owned());
    }
    if arguments.futures {
        return of_futures(terminal, selection, json, arguments);
    }
    let name = arguments.base.as_str();
    let from_file = from_file(name)?;
    let selection = whole(selection);
    let models = read_each(terminal, &selection, Bodies::Asked)?;
    let model = &models[0];
    let mut unread = Unread::default();
    let mut status = CLEAN;
    for model in &models {
        let problems = check::problems(model);
        unread += Unread::of(&problems);
        status = status.max(print_problems(terminal, model, &problems));
    }
    let mut now = Snapshot::of(&models);
    let base = base(terminal, model, &selection, &mut now, name, from_file)?;
    status = status.max(base.status);
    unread += base.unread;
    let comparison = compare(&base.snapshot, &now);
    let ends = Ends {
        name,
        commit: base.commit.as_deref(),
        base: &base.snapshot,
        now: &now,
        exactness: report::exactness_on(model.db.project, &now.triples.join(", ")),
    };
    let facts = exactness(&models, &check::census(model));
    let said = ComparisonText {
        comparison: &comparison,
        ends: &ends,
        unread,
        facts: &facts,
    };
    said.write(terminal, json, arguments, status)
}

/// Compares the futures of a build with those of a file or of a revision.
fn of_futures(
    terminal: &Terminal,
    selection: &Selection,
    json: bool,
    arguments: &Arguments,
) -> Result<u8, String> {
    let name = arguments.base.as_str();
    let from_file = from_file(name)?;
    let selection = whole(selection);
    let [selection] = &selection.each_target()[..] else {
        return Err("`--futures` compares one target: select it with `--target`".to_owned());
    };
    let (project, mut now) = futures::sizes(terminal, selection, Of::Project)?;
    let base = match from_file {
        Some(snapshot) => of_file(terminal, &project, &mut now, name, snapshot)?,
        None => {
            let revision = revision::open(name, &project.workspace_root, &project.target_dir)?;
            for note in &revision.notes {
                terminal.warning(note);
            }
            let selection = Selection {
                manifest_path: Some(revision.manifest_path.clone()),
                packages: names(&project, selection),
                target_dir: Some(project.target_dir.clone()),
                ..selection.clone()
            };
            terminal.status("Measuring", &format!("revision `{name}`"));
            let failed = |message| format!("revision `{name}`: {message}");
            let (_, snapshot) =
                futures::sizes(terminal, &selection, Of::Revision).map_err(failed)?;
            Base {
                snapshot,
                commit: Some(revision.commit),
                status: CLEAN,
                unread: Unread::default(),
            }
        }
    };
    let mut comparison = compare(&base.snapshot, &now);
    comparison.noun = crate::futures::sizes::NOUN;
    let facts = report::exactness(&project);
    let ends = Ends {
        name,
        commit: base.commit.as_deref(),
        base: &base.snapshot,
        now: &now,
        exactness: facts.clone(),
    };
    let said = ComparisonText {
        comparison: &comparison,
        ends: &ends,
        unread: Unread::default(),
        facts: &facts,
    };
    said.write(terminal, json, arguments, CLEAN)
}

/// What is said of a comparison.
struct ComparisonText<'s> {
    comparison: &'s Comparison<'s>,
    ends: &'s Ends<'s>,
    unread: Unread,
    facts: &'s str,
}

impl ComparisonText<'_> {
    fn write(
        &self,
        terminal: &Terminal,
        json: bool,
        arguments: &Arguments,
        status: u8,
    ) -> Result<u8, String> {
        let ComparisonText {
            comparison,
            ends,
            unread,
            facts,
        } = self;
        let written = match (json, arguments.markdown) {
            (true, _) => json::lines(comparison, ends),
            (_, true) => {
                let mut written = markdown::markdown(comparison, ends);
                if let Some(words) = unread.words().strip_prefix("; ") {
                    written.push_str(&format!("\nThe comparison is {words}.\n"));
                }
                written
            }
            _ => {
                let mut written = text::human(comparison);
                if !terminal.quiet {
                    if !written.is_empty() {
                        written.push('\n');
                    }
                    let totals = Totals::of(comparison).line(comparison.same);
                    let unread = unread.words();
                    written.push_str(&format!("{totals}{unread}; {facts}\n"));
                }
                written
            }
        };
        terminal.write(written.as_bytes())?;
        if let Some(limit) = arguments.fail_on
            && let Some(message) = too_much(comparison, limit)
        {
            terminal.error(&message);
            if status == CLEAN {
                return Ok(FOUND);
            }
        }
        Ok(status)
    }
}

/// Returns the snapshot, if the base is a file.
fn from_file(name: &str) -> Result<Option<Snapshot>, String> {
    match Path::new(name).is_file() {
        true => read_file(name).map(Some),
        false => Ok(None),
    }
}

fn base(
    terminal: &Terminal,
    model: &Model<'static>,
    selection: &Selection,
    now: &mut Snapshot,
    name: &str,
    from_file: Option<Snapshot>,
) -> Result<Base, String> {
    match from_file {
        Some(snapshot) => of_file(terminal, model.db.project, now, name, snapshot),
        None => of_revision(terminal, model, selection, name),
    }
}

/// Returns the changes since a base, for the HTML page, and the exit status of reading the base.
pub(super) fn for_page(
    terminal: &Terminal,
    models: &[Model<'static>],
    selection: &Selection,
    name: &str,
) -> Result<(Value, u8), String> {
    let mut now = Snapshot::of(models);
    let base = base(
        terminal,
        &models[0],
        selection,
        &mut now,
        name,
        from_file(name)?,
    )?;
    let comparison = compare(&base.snapshot, &now);
    let ends = Ends {
        name,
        commit: base.commit.as_deref(),
        base: &base.snapshot,
        now: &now,
        exactness: String::new(),
    };
    Ok((page::data(&comparison, &ends), base.status))
}

/// Returns the error of `--fail-on growth=LIMIT`, if a type grew by more.
fn too_much(comparison: &Comparison, limit: u64) -> Option<String> {
    let changes = comparison.changes.iter().filter(|c| c.twin.is_none());
    let n = changes.filter(|c| c.growth() > limit).count();
    let by = match limit {
        0 => String::new(),
        n => format!(" by more than {n} bytes"),
    };
    (n > 0).then(|| {
        format!(
            "{} grew{by} (`--fail-on growth`)",
            count(n, comparison.noun)
        )
    })
}

fn read_file(name: &str) -> Result<Snapshot, String> {
    let bytes = read::bytes(Path::new(name)).map_err(|e| format!("cannot read `{name}`: {e}"))?;
    file::read(&bytes).map_err(|why| {
        format!("`{name}` is not a snapshot: {why}\nhelp: `cargo weigh snapshot` writes a new one")
    })
}

/// Returns the part of a snapshot that is selected now, with warnings about differences.
fn of_file(
    terminal: &Terminal,
    project: &Project,
    now: &mut Snapshot,
    name: &str,
    mut snapshot: Snapshot,
) -> Result<Base, String> {
    if snapshot.rustc != now.rustc {
        terminal.warning(&format!(
            "the sizes in `{name}` are for rustc {}, the current ones for {}: this may cause \
             differences",
            snapshot.rustc, now.rustc
        ));
    }
    same_targets(terminal, now, name, &mut snapshot)?;
    if snapshot.without_config != now.without_config {
        let (then, now) = match snapshot.without_config {
            true => ("without", "with"),
            false => ("with", "without"),
        };
        terminal.warning(&format!(
            "the sizes in `{name}` are {then} the project's configuration, the current ones {now} it: \
             this may cause differences"
        ));
    }
    let crates = project.selected.iter().map(|&id| project.krate(id));
    let selected: FxHashSet<(&str, &str)> =
        (crates.map(|c| (&*c.package, &*c.target_name))).collect();
    // Packages that no longer exist count as removed; others were only not selected.
    let members: FxHashSet<&str> = project.members.iter().map(|m| &*m.package).collect();
    let mut left_out: Vec<String> = Vec::new();
    snapshot.types.retain(|t| {
        let keep = selected.contains(&(&*t.package, &*t.target)) || !members.contains(&*t.package);
        if !keep {
            left_out.push(format!("`{}` of package `{}`", t.target, t.package));
        }
        keep
    });
    left_out.dedup();
    if !left_out.is_empty() {
        terminal.warning(&format!(
            "ignored, because it is not selected now: {}",
            left_out.join(", ")
        ));
    }
    Ok(Base {
        snapshot,
        commit: None,
        status: CLEAN,
        unread: Unread::default(),
    })
}

/// Keeps the targets that both have. A single target is compared with a single one in any case.
fn same_targets(
    terminal: &Terminal,
    now: &mut Snapshot,
    name: &str,
    then: &mut Snapshot,
) -> Result<(), String> {
    let lists = |then: &Snapshot, now: &Snapshot| (then.triples.join(", "), now.triples.join(", "));
    let (then_for, now_for) = lists(then, now);
    if let ([before], [after]) = (&mut then.triples[..], &now.triples[..]) {
        if before != after {
            terminal.warning(&format!(
                "the sizes in `{name}` are for {then_for}, the current ones for {now_for}: this may \
                 cause differences"
            ));
            before.clone_from(after);
            then.types
                .iter_mut()
                .for_each(|t| t.triple.clone_from(after));
        }
        return Ok(());
    }
    let lacks = |one: &Snapshot, other: &Snapshot| {
        let others = other.triples.iter().filter(|t| !one.triples.contains(t));
        others.cloned().collect::<Vec<_>>().join(", ")
    };
    let (new, gone) = (lacks(then, now), lacks(now, then));
    then.only(&now.triples);
    now.only(&then.triples);
    if then.triples.is_empty() {
        return Err(format!(
            "the sizes in `{name}` are for {then_for}, the current ones for {now_for}\nhelp: select a \
             target with `--target`"
        ));
    }
    if !new.is_empty() {
        terminal.warning(&format!(
            "`{name}` has no sizes for {new}, which is ignored"
        ));
    }
    if !gone.is_empty() {
        terminal.note(&format!(
            "`{name}` also has sizes for {gone}, which `--target` does not select"
        ));
    }
    Ok(())
}

fn of_revision(
    terminal: &Terminal,
    present: &Model<'static>,
    selection: &Selection,
    name: &str,
) -> Result<Base, String> {
    let project = present.db.project;
    terminal.progress("reading the revision");
    let revision = revision::open(name, &project.workspace_root, &project.target_dir)?;
    for note in &revision.notes {
        terminal.warning(note);
    }
    let selection = Selection {
        manifest_path: Some(revision.manifest_path.clone()),
        packages: names(project, selection),
        // The output of the build scripts of dependencies is here.
        target_dir: Some(project.target_dir.clone()),
        locked: revision.locked,
        offline: selection.offline || selection.frozen,
        frozen: false,
        ..selection.clone()
    };
    // A revision does not change, but its environment may.
    let cache = project::cache(&selection);
    let asked = format!("{selection:?}");
    let key = Key::new("revision", [OsStr::new(&asked)]);
    if let Some((snapshot, _)) = cache.find::<Snapshot>(&key) {
        return Ok(Base {
            snapshot,
            commit: Some(revision.commit),
            status: CLEAN,
            unread: Unread::default(),
        });
    }
    let (base, facts) = seen::apart(|| read_revision(terminal, project, selection, name));
    let (base, has_said) = base?;
    if base.status == CLEAN && !has_said && !fault::any() {
        cache.keep(&project.target_dir, &key, &facts, &base.snapshot);
    }
    Ok(Base {
        commit: Some(revision.commit),
        ..base
    })
}

/// Reads the files of a revision and prints warnings; also returns whether there were any.
fn read_revision(
    terminal: &Terminal,
    project: &Project,
    mut selection: Selection,
    name: &str,
) -> Result<(Base, bool), String> {
    let mut has_said = false;
    terminal.progress("asking cargo about the revision");
    let first = |s: &Selection| project::load(&s.each_target()[0]);
    let mut loaded = first(&selection);
    let stale = |e: &project::ProjectError| {
        let detail = e.detail.as_deref().unwrap_or_default();
        detail.contains("--locked")
    };
    if selection.locked && loaded.as_ref().is_err_and(stale) {
        has_said = true;
        terminal.warning(&format!(
            "revision `{name}`: its `Cargo.lock` does not match its manifests and is updated in a \
             copy"
        ));
        selection.locked = false;
        loaded = first(&selection);
    }
    let failed = |mut e: project::ProjectError| {
        let detail = e.detail.as_deref().unwrap_or_default();
        if detail.contains("failed to read") && detail.contains("Cargo.toml`") {
            e.help.get_or_insert(OUTSIDE.to_owned());
        }
        format!("revision `{name}`: {e}")
    };
    let mut loaded = vec![loaded.map_err(failed)?];
    for other in selection.each_target().iter().skip(1) {
        loaded.push(project::load(other).map_err(failed)?);
    }
    terminal.progress("reading the revision");
    let (mut status, mut unread, mut models) = (CLEAN, Unread::default(), Vec::new());
    for (i, base) in loaded.into_iter().enumerate() {
        // Warnings that the current version has too were printed already.
        has_said |= !base.warnings.is_empty();
        for warning in base.warnings.iter().filter(|_| i == 0) {
            if !project.warnings.contains(warning) {
                terminal.warning(&format!("revision `{name}`: {warning}"));
            }
        }
        let model = Model::read(base, &Texts::new(Bodies::Asked))?;
        let problems = check::problems(&model);
        if problems.iter().any(|p| p.own) {
            terminal.warning(&format!("the following problems are in revision `{name}`"));
        }
        has_said |= !problems.is_empty();
        status = status.max(print_problems(terminal, &model, &problems));
        unread += Unread::of(&problems);
        models.push(model);
    }
    let base = Base {
        status,
        unread,
        snapshot: Snapshot::of(&models),
        commit: None,
    };
    Ok((base, has_said))
}

/// Returns the names of the packages to select in the revision, where their versions and paths may
/// differ.
fn names(project: &Project, selection: &Selection) -> Vec<String> {
    if !selection.packages.iter().any(|p| p.contains(['@', ':'])) {
        return selection.packages.clone();
    }
    let selected = project.selected.iter();
    let mut names: Vec<String> = selected
        .map(|&id| project.krate(id).package.clone())
        .collect();
    names.dedup();
    names
}

#[cfg(test)]
mod tests {
    use super::fail_on;

    #[test]
    fn what_may_grow() {
        assert_eq!(fail_on("growth"), Ok(0));
        assert_eq!(fail_on("growth=16"), Ok(16));
        for text in ["growth=x", "growth=5%", "a::B=5", "loss", ""] {
            assert!(fail_on(text).is_err(), "{text}");
        }
    }
}
