//! `cargo weigh`: lints what is selected.

use super::{
    CLEAN, FAILED, FOUND, Terminal, Wanted, exactness, print_problems, print_reasons, read,
};
use crate::check;
use crate::config::Levels;
use crate::project::Selection;
use crate::report::{self, Format, Rendered, Report};

pub(super) fn run(
    terminal: &Terminal,
    selection: &Selection,
    wanted: Wanted,
    levels: &Levels,
) -> Result<u8, String> {
    let model = read(terminal, selection)?;
    terminal.progress("checking");
    let mut checked = check::check(&model, levels);
    let read_all = print_problems(terminal, &model, &checked.problems);
    let status = match read_all {
        CLEAN if checked.denied() => FOUND,
        status => status,
    };
    let temporary = model.db.project.target_dir.join("weigh");
    let mut text = Vec::new();
    let write = |checked: &check::Checked, format, text: &mut Vec<u8>| {
        let report = Report {
            model: &model,
            checked,
            success: status == CLEAN,
        };
        report::write(&report, format, text).map_err(|e| format!("cannot write the report: {e}"))
    };
    let summary = summary(&checked, &model);
    if wanted.aside {
        let mut aside = Vec::new();
        write(&checked, Format::Human, &mut aside)?;
        terminal.write_stderr(&String::from_utf8_lossy(&aside));
        checked.diagnostics.clear();
        write(&checked, Format::Json(Rendered::Plain), &mut text)?;
    } else {
        write(&checked, wanted.format, &mut text)?;
    }
    if wanted.ends {
        let written = report::end(wanted.format, status == CLEAN, &mut text);
        written.map_err(|e| format!("cannot write the report: {e}"))?;
    }
    let written = terminal.write(&text, &temporary);
    print_reasons(terminal, &checked.census);
    if !wanted.is_json() {
        terminal.status("Weighed", &summary);
    }
    match written {
        Ok(()) => Ok(status),
        Err(message) => {
            terminal.error(&message);
            Ok(FAILED)
        }
    }
}

fn summary(checked: &check::Checked, model: &crate::model::Model<'static>) -> String {
    let errors = checked
        .diagnostics
        .iter()
        .filter(|d| d.level.fails())
        .count();
    let warnings = checked.diagnostics.len() - errors;
    let found = match (errors, warnings) {
        (0, 0) => "nothing found".to_owned(),
        (0, n) => report::count(n, "warning"),
        (n, 0) => report::count(n, "error"),
        (e, w) => format!(
            "{}, {}",
            report::count(e, "error"),
            report::count(w, "warning")
        ),
    };
    let types = report::count(checked.census.types, "type");
    format!("{types}: {found}; {}", exactness(model, &checked.census))
}
