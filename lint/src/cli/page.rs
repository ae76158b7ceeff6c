//! `cargo weigh report`: a run of the lints as an HTML page.

use super::{CLEAN, FAILED, FAULT, FOUND, Terminal, baseline, count_problems, diff, levels, lint};
use super::{print_each, read_each, unshown};
use crate::check::{self, Checked, Details};
use crate::config::Levels;
use crate::fault;
use crate::model::Bodies;
use crate::page;
use crate::project::Selection;
use crate::report::{Report, Unread};
use std::path::PathBuf;

/// The arguments of `report`.
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Also show what changed since a snapshot or a git revision
    #[arg(long, value_name = "BASE")]
    diff: Option<String>,
    /// Also show the counts of this census (`cargo weigh census --output FILE`), as the first section
    #[arg(long, value_name = "FILE")]
    census: Option<PathBuf>,
    /// Read from the matches, to keep the order of flags with different names.
    #[command(flatten)]
    _levels: levels::Flags,
}

pub(super) fn run(
    terminal: &Terminal,
    selection: &Selection,
    (levels, least_worth): (&Levels, Option<u8>),
    arguments: &Arguments,
) -> Result<u8, String> {
    if !terminal.has_output() {
        return Err("`report` needs a file to write to: `--output weigh.html`".to_owned());
    }
    let census = arguments.census.as_deref().map(super::census::read);
    let census = census.transpose()?;
    let models = read_each(terminal, selection, Bodies::Ahead)?;
    let model = &models[0];
    let mut asked = levels::environment(model.db.project.build_warnings.as_deref())?;
    asked.extend_from_slice(levels);
    terminal.progress("checking");
    let details = Details {
        drawings: true,
        edits: true,
        least_worth,
        ..Details::default()
    };
    let mut runs = lint::check_each(terminal, &models, &asked, census.as_ref(), details);
    check::join(&models, &mut runs);
    baseline::settle(terminal, &models, &mut runs, false)?;
    let problems: Vec<_> = runs.iter().flat_map(|r| r.problems.clone()).collect();
    print_each(terminal, model, &problems);
    let unread = Unread::of(&problems);
    let mut status = match unread.own {
        _ if fault::any() => FAULT,
        0 if runs.iter().any(Checked::denied) => FOUND,
        0 => CLEAN,
        _ => FAILED,
    };
    let report = Report::of_targets(&models, &runs);
    let spare = census.as_ref();
    let spare = spare.map_or_else(Vec::new, |census| lint::spare(model, census, &runs));
    let summary = lint::summary(&report, unread, !spare.is_empty());
    let mut more = page::More {
        census: census.as_ref(),
        spare: &spare,
        stored: Some(&runs[0].stored),
        ..page::More::default()
    };
    if let Some(base) = &arguments.diff {
        let (data, read) = diff::for_page(terminal, &models, selection, base)?;
        more.diff = Some(data);
        status = status.max(read);
    }
    let root = &model.db.project.workspace_root;
    let title = match report.packages.as_slice() {
        [one] => one.package.to_owned(),
        _ => root
            .file_name()
            .map_or_else(String::new, |n| n.to_string_lossy().into_owned()),
    };
    let unshown = unshown::lines(&runs);
    let words = [std::slice::from_ref(&summary), &unshown[..]]
        .concat()
        .join(". ");
    let text = page::page(
        model,
        &report,
        &format!("{title}: cargo weigh"),
        &words,
        &more,
    )?;
    terminal.write_document(text.as_bytes())?;
    count_problems(terminal, &problems);
    terminal.status("Weighed", &summary);
    for line in &unshown {
        terminal.note(line);
    }
    if let Some(path) = terminal.output() {
        terminal.status("Wrote", &path.display().to_string());
    }
    Ok(status)
}
