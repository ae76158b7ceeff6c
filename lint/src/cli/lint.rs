//! `cargo weigh`: lints the selected packages.

use super::{
    CLEAN, FAILED, FAULT, FOUND, Terminal, Wanted, count_problems, print_each, print_reasons,
    read_each,
};
use super::{baseline, levels, unshown};
use crate::census::count::Census;
use crate::check::{self, Checked, Details, Withdrawn};
use crate::config::Levels;
use crate::fault;
use crate::finding::amount::{bytes, percent};
use crate::join::Index;
use crate::model::{Bodies, Model};
use crate::project::Selection;
use crate::report::{self, Format, Report, Spare, Unread};
use crate::{visible, write};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::path::Path;

/// The flags of a lint run.
#[derive(Clone, Copy)]
pub(super) struct LintFlags<'a> {
    /// Levels in the order of the flags.
    pub levels: &'a Levels,
    /// `--write-baseline`.
    pub write_baseline: bool,
    /// `--top`.
    pub top: Option<usize>,
    /// `--least-worth`.
    pub least_worth: Option<u8>,
    /// `--also`.
    pub also: Option<usize>,
    /// `--all-details`.
    pub all_details: bool,
    /// `--show-suppressed`.
    pub show_suppressed: bool,
    /// `--census`.
    pub census: Option<&'a Path>,
}

/// Runs the lints on each model, with the census if it is of a program for the same target.
pub(super) fn check_each(
    terminal: &Terminal,
    models: &[Model<'static>],
    levels: &Levels,
    census: Option<&Census>,
    details: Details,
) -> Vec<Checked> {
    let index = census.map(Index::new);
    // A census is of one target.
    let is_of = |model: &Model<'static>, census: &Census| {
        census.head.triple == model.db.project.target.triple
    };
    if let Some(census) = census
        && !models.iter().any(|m| is_of(m, census))
    {
        let triple = &census.head.triple;
        terminal.warning(&format!(
            "the census is of a program for {triple}: it is not used for this target"
        ));
    }
    let runs = models.iter().map(|model| {
        let same = census.is_some_and(|c| is_of(model, c));
        let index = index.as_ref().filter(|_| same);
        check::check(model, levels, index, details)
    });
    runs.collect()
}

/// Lints the selected packages, writes the report, and returns the exit status.
pub(super) fn run(
    terminal: &Terminal,
    selection: &Selection,
    wanted: Wanted,
    flags: LintFlags,
) -> Result<u8, String> {
    let census = flags.census.map(super::census::read).transpose()?;
    let models = read_each(terminal, selection, Bodies::Ahead)?;
    let model = &models[0];
    let mut asked = levels::environment(model.db.project.build_warnings.as_deref())?;
    asked.extend_from_slice(flags.levels);
    terminal.progress("checking");
    let in_full = match flags.all_details {
        true => usize::MAX,
        false => report::IN_FULL,
    };
    // Texts show no edits.
    let is_text = matches!(wanted.format, Format::Human | Format::Brief | Format::Short);
    let details = Details {
        drawings: false,
        edits: wanted.aside || !is_text,
        least_worth: flags.least_worth,
        ..Details::default()
    };
    let mut runs = check_each(terminal, &models, &asked, census.as_ref(), details);
    check::join(&models, &mut runs);
    baseline::settle(terminal, &models, &mut runs, flags.write_baseline)?;
    let mut report = Report::of_targets(&models, &runs);
    report.top = flags.top;
    report.keep_also(match (wanted.is_json(), terminal.is_quiet()) {
        (true, _) => flags.also.unwrap_or(0),
        (false, true) => 0,
        (false, false) => flags.also.unwrap_or(report::ALSO),
    });
    report.columns = terminal.columns();
    report.in_full = in_full;
    print(
        terminal,
        selection,
        wanted,
        &models,
        &runs,
        report,
        (census.as_ref(), flags.show_suppressed),
    )
}

/// Prints the report, and around it what else is to be said; returns the exit status.
fn print(
    terminal: &Terminal,
    selection: &Selection,
    wanted: Wanted,
    models: &[Model<'static>],
    runs: &[Checked],
    mut report: Report,
    (census, show_suppressed): (Option<&Census>, bool),
) -> Result<u8, String> {
    let model = &models[0];
    let problems: Vec<_> = runs.iter().flat_map(|r| r.problems.clone()).collect();
    print_each(terminal, model, &problems);
    print_warnings(terminal, model, runs);
    let unread = Unread::of(&problems);
    let status = match unread.own {
        _ if fault::any() => FAULT,
        0 if runs.iter().any(Checked::denied) => FOUND,
        0 => CLEAN,
        _ => FAILED,
    };
    let spare = census.map_or_else(Vec::new, |census| spare(model, census, runs));
    let summary = summary(&report, unread, !spare.is_empty());
    if wanted.aside {
        let aside = text(&report, Format::Human)?;
        terminal.write_stderr(&String::from_utf8_lossy(&aside));
        report.items.clear();
    }
    let mut text = text(&report, wanted.format)?;
    if show_suppressed && matches!(wanted.format, Format::Human | Format::Brief | Format::Short) {
        text.extend(unshown::list(model, runs).bytes());
    }
    if wanted.ends {
        let written = report::end(wanted.format, status == CLEAN, &mut text);
        written.map_err(|e| format!("cannot write the report: {e}"))?;
    }
    let written = terminal.write(&text);
    print_reasons(terminal, &runs[0].census);
    if let Some(warning) = report.cut_off(wanted.format) {
        terminal.warning(&warning);
    }
    if wanted.format == Format::Github {
        write_job_summary(terminal, &report);
    }
    // The last lines must not suggest success.
    count_problems(terminal, &problems);
    if !wanted.is_json() {
        terminal.status("Weighed", &summary);
        if let Some(census) = census {
            print_census(terminal, census, &spare, runs);
        }
        let pairs = models.iter().zip(runs);
        let first = pairs.flat_map(|(model, run)| withdrawn(model, terminal, &run.withdrawn));
        for note in first.chain(notes(model, selection, &report)) {
            terminal.note(&note);
        }
        if let Some(missing) = runs.iter().find_map(|run| run.futures) {
            terminal.note(missing.words());
        }
    }
    unshown::note(terminal, runs, wanted.is_json());
    match written {
        Ok(()) => Ok(status),
        Err(message) => {
            terminal.error(&message);
            Ok(FAILED)
        }
    }
}

fn text(report: &Report, format: Format) -> Result<Vec<u8>, String> {
    let mut text = Vec::new();
    report::write(report, format, &mut text)
        .map_err(|e| format!("cannot write the report: {e}"))?;
    Ok(text)
}

/// Prints the warnings of all runs with their places.
fn print_warnings(terminal: &Terminal, model: &Model<'static>, runs: &[Checked]) {
    let places = report::Places::new(model);
    for warning in runs.iter().flat_map(|r| &r.warnings) {
        let place = warning.span.map_or_else(String::new, |span| {
            let place = places.of(span);
            let file = visible::line(&place.file);
            format!("{file}:{}:{}: ", place.start.0, place.start.1)
        });
        terminal.warning(&format!("{place}{}", warning.message));
    }
}

/// The spare capacity of a census that no finding of these runs would release.
pub(super) fn spare<'c>(
    model: &Model<'static>,
    census: &'c Census,
    runs: &[Checked],
) -> Vec<Spare<'c>> {
    let findings = runs
        .iter()
        .flat_map(|r| r.diagnostics.iter().chain(&r.unsure));
    report::spare(model, census, findings)
}

/// Prints which census the findings are ranked by, and what of it was not found.
fn print_census(terminal: &Terminal, census: &Census, spare: &[Spare], runs: &[Checked]) {
    let (head, live) = (&census.head, census.summary.live_bytes);
    terminal.note(&format!(
        "ranked by what `{}` had in its heap at `{}`: {}",
        head.program,
        head.label,
        bytes(live)
    ));
    if census.summary.is_partial() {
        let share = percent(census.summary.read_bytes(), live);
        terminal.note(&format!(
            "values of only {share} of these bytes were read: what a change would save of the others \
             is not counted, and no finding is withdrawn for it"
        ));
    }
    if let Some((findings, saved)) = together(runs) {
        terminal.note(&format!(
            "together {findings} findings would save at most {}, {} of the heap: where several are \
             about the same bytes, the best of them counts",
            bytes(saved),
            percent(saved, live + census.summary.malloc_bytes)
        ));
    }
    let words = |s: &Spare| {
        let place = s
            .place
            .map_or_else(String::new, |place| format!(", {place}"));
        format!("`{}` {}{place}", s.name, bytes(s.count.slack_bytes))
    };
    let best: Vec<_> = spare.iter().take(MOST_BEST).map(words).collect();
    if !best.is_empty() {
        let whole = bytes(live + census.summary.malloc_bytes);
        terminal.note(&format!(
            "spare capacity without a finding, of {whole}: {}",
            best.join("; ")
        ));
    }
    match runs.iter().map(|run| run.unlike).sum() {
        0 => {}
        n => terminal.note(&format!(
            "{} with findings not found in the census: it has a type of the same path with a \
             different size or different fields, or several",
            report::count(n, "type")
        )),
    }
}

/// How many findings would save something, and how much all of them: those of one field or type
/// take the same bytes.
fn together(runs: &[Checked]) -> Option<(usize, u64)> {
    let mut best: FxHashMap<_, u64> = FxHashMap::default();
    let mut findings = 0;
    for found in runs.iter().flat_map(|run| &run.diagnostics) {
        let saved = found.measured.as_ref().and_then(|m| m.net_saved_bytes);
        if let Some(saved) = saved.and_then(|n| u64::try_from(n).ok()).filter(|n| *n > 0) {
            let field = found.finding.field.clone();
            let most = best
                .entry((found.krate, found.ty.clone(), field))
                .or_default();
            *most = saved.max(*most);
            findings += 1;
        }
    }
    (findings > 1).then(|| (findings, best.values().sum()))
}

/// Adds the table to the summary page of the GitHub job, if there is one.
fn write_job_summary(terminal: &Terminal, report: &Report) {
    let path = std::env::var_os("GITHUB_STEP_SUMMARY").filter(|p| !p.is_empty());
    let Some(path) = path else { return };
    let table = report::job_summary(report);
    if let Err(e) = write::append(Path::new(&path), table.as_bytes()) {
        let path = path.to_string_lossy();
        terminal.warning(&format!("cannot add the summary to `{path}`: {e}"));
    }
}

/// Notes below the summary: the most valuable findings, how many pedantic ones there are, and which
/// packages were not selected.
fn notes(model: &Model<'static>, selection: &Selection, report: &Report) -> Vec<String> {
    let mut notes = Vec::new();
    let best = report.by_value().into_iter().take(MOST_BEST);
    let name = |d: &check::Diagnostic| format!("`{}`", d.ty.rsplit("::").next().unwrap_or(""));
    let mut best: Vec<_> = best.map(|i| name(i.diagnostic)).collect();
    best.dedup();
    if report.items.len() > MOST_BEST {
        notes.push(format!("the most valuable: {}", best.join(", ")));
    }
    let all = report.reserved;
    match report.items.is_empty() {
        _ if all == 0 => {}
        true => notes.push(format!(
            "{} with `-W weigh::pedantic`, rarely worth a change",
            report::count(all, "finding")
        )),
        false => notes.push(format!("{all} more with `-W weigh::pedantic`")),
    }
    let members = model.db.project.members.len();
    let asked = selection.workspace || !selection.packages.is_empty();
    if !asked && report.packages.len() < members {
        notes.push(format!(
            "{} of {members} workspace packages were checked; use `--workspace` for all of them",
            report.packages.len()
        ));
    }
    notes
}

/// Returns the findings that the census withdraws, in one line, or with `-v` on one line each.
fn withdrawn(model: &Model<'static>, terminal: &Terminal, list: &[Withdrawn]) -> Vec<String> {
    let name = |w: &Withdrawn| {
        let d = &w.diagnostic;
        let field = d
            .finding
            .field
            .iter()
            .map(|f| format!("::{}", f.replace('.', "::")));
        let name = d.ty.rsplit("::").next().unwrap_or_default();
        format!("`{name}{}`", field.collect::<String>())
    };
    if terminal.verbose {
        let line = |w: &Withdrawn| {
            let (lint, krate) = (w.diagnostic.lint.name, w.diagnostic.krate);
            let package = report::package_of(model, krate);
            format!("withdrawn: {lint} of {} ({package}): {}", name(w), w.why)
        };
        return list.iter().map(line).collect();
    }
    let mut names: Vec<_> = list.iter().take(MOST_BEST).map(name).collect();
    names.dedup();
    let more = match list.len().saturating_sub(MOST_BEST) {
        0 => String::new(),
        n => format!(" and {n} more"),
    };
    match list.len() {
        0 => Vec::new(),
        n => vec![format!(
            "{} withdrawn, which would not pay off in this run: {}{more} (-v says why)",
            report::count(n, "finding"),
            names.join(", ")
        )],
    }
}

/// Number of the most valuable findings that the summary names.
const MOST_BEST: usize = 3;

/// Returns the summary of the run on one line; with `spare`, a census has found something.
pub(super) fn summary(report: &Report, unread: Unread, spare: bool) -> String {
    let (errors, warnings) = report.totals();
    let mut by_lint: BTreeMap<&str, usize> = BTreeMap::new();
    for item in &report.items {
        *by_lint.entry(item.diagnostic.lint.name).or_default() += 1;
    }
    let lints = match by_lint.len() {
        0 | 1 => String::new(),
        _ => {
            let mut counts: Vec<_> = by_lint.into_iter().collect();
            counts.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
            let counts: Vec<_> = counts.iter().map(|(l, n)| format!("{n} {l}")).collect();
            format!(" ({})", counts.join(", "))
        }
    };
    let found = match spare && report.items.is_empty() {
        true => "no warnings".to_owned(),
        false => report::totals(errors, warnings),
    };
    let found = match (found, unread.own) {
        (found, 1..) if report.items.is_empty() => format!("{found} in what could be read"),
        (found, _) => found,
    };
    let unread = unread.words();
    format!(
        "{}: {found}{lints}{unread}; {}",
        report.types, report.exactness
    )
}
