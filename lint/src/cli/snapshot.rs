//! `cargo weigh snapshot`: writes the sizes of the workspace to a file to commit.

use super::{CLEAN, Terminal, exactness, print_problems, print_reasons, read_each, refuse_place};
use crate::check;
use crate::futures::build::Of;
use crate::futures::sizes;
use crate::model::Bodies;
use crate::project::Selection;
use crate::report::{self, Unread, count};
use crate::snapshot::{Snapshot, file};

pub(super) fn run(terminal: &Terminal, selection: &Selection) -> Result<u8, String> {
    let models = read_each(terminal, &whole(selection), Bodies::Asked)?;
    let model = &models[0];
    let mut problems = Vec::new();
    let mut status = CLEAN;
    for model in &models {
        let own = check::problems(model);
        status = status.max(print_problems(terminal, model, &own));
        problems.extend(own);
    }
    if status != CLEAN {
        return Err("no snapshot was written, because types would be missing in it".to_owned());
    }
    let snapshot = Snapshot::of(&models);
    let project = model.db.project;
    let place = project.workspace_root.join(file::NAME);
    let text = file::write(&snapshot);
    if !terminal.has_output() {
        refuse_place(project, &place)?;
    }
    terminal.write_or_to(text.as_bytes(), &place)?;
    let census = check::census(model);
    print_reasons(terminal, &census);
    let types = count(snapshot.types.len(), "type");
    let name = match terminal.has_output() {
        true => String::new(),
        false => format!(" to `{}`", place.display()),
    };
    let exact = exactness(&models, &census);
    let unread = Unread::of(&problems).words();
    terminal.status("Wrote", &format!("{types}{name}{unread}; {exact}"));
    Ok(status)
}

/// Writes the sizes of futures.
pub(super) fn futures(terminal: &Terminal, selection: &Selection) -> Result<u8, String> {
    let [selection] = &whole(selection).each_target()[..] else {
        return Err("`--futures` writes one target: select it with `--target`".to_owned());
    };
    let (project, snapshot) = super::futures::sizes(terminal, selection, Of::Project)?;
    let place = project.workspace_root.join(sizes::NAME);
    if !terminal.has_output() {
        refuse_place(&project, &place)?;
    }
    terminal.write_or_to(file::write(&snapshot).as_bytes(), &place)?;
    let futures = count(snapshot.types.len(), sizes::NOUN);
    let name = match terminal.has_output() {
        true => String::new(),
        false => format!(" to `{}`", place.display()),
    };
    let exact = report::exactness(&project);
    terminal.status("Wrote", &format!("{futures}{name}; {exact}"));
    Ok(CLEAN)
}

/// Returns the whole workspace, unless packages are selected.
pub(super) fn whole(selection: &Selection) -> Selection {
    Selection {
        workspace: selection.workspace || selection.packages.is_empty(),
        ..selection.clone()
    }
}
