//! The baseline in a run of the lints: reading, applying and writing it.

use super::{Terminal, refuse_place};
use crate::baseline::{Baseline, FILE};
use crate::check::Checked;
use crate::model::Model;
use crate::report;
use crate::write::replace;

/// Number of stale entries that are named.
const MOST_STALE: usize = 20;

/// Removes the findings of the baseline, and rewrites the file if `write`. A baseline that cannot be
/// read is reported as a problem.
pub(super) fn settle(
    terminal: &Terminal,
    models: &[Model<'static>],
    runs: &mut [Checked],
    write: bool,
) -> Result<(), String> {
    let model = &models[0];
    let project = model.db.project;
    let path = project.workspace_root.join(FILE);
    let old = match Baseline::read(model, &path) {
        Ok(None) if !write => return Ok(()),
        Ok(old) => old,
        Err(problem) => {
            runs[0].problems.push(problem);
            return Ok(());
        }
    };
    let old = old.unwrap_or_default();
    let settled = old.settle(models, runs, write);
    if write {
        let text = settled.now.text(project.exact_for());
        refuse_place(project, &path)?;
        replace(&path, text.as_bytes())
            .map_err(|e| format!("cannot write `{}`: {e}", path.display()))?;
        let findings = report::count(settled.now.len(), "finding");
        terminal.status("Wrote", &format!("{findings} to {}", path.display()));
        return Ok(());
    }
    let shown = match terminal.verbose {
        true => usize::MAX,
        false => MOST_STALE,
    };
    for entry in settled.stale.iter().take(shown) {
        let (name, entry) = (FILE, entry.shown());
        terminal.warning(&format!("{name}: stale entry: {entry}"));
    }
    match settled.stale.len().saturating_sub(shown) {
        0 => {}
        1 => terminal.warning(&format!("{FILE}: 1 more stale entry (-v names it)")),
        n => terminal.warning(&format!("{FILE}: {n} more stale entries (-v names them)")),
    }
    if !settled.stale.is_empty() {
        terminal.note("use `--write-baseline` to remove stale entries");
    }
    Ok(())
}
