//! Checks that all changes are committed before files are edited, as `cargo fix` does.

use super::Arguments;
use crate::fix::mirror;
use crate::git;
use crate::project::Selection;
use crate::visible;
use std::path::Path;

/// At most this many files are named.
const MOST: usize = 10;

/// Folders of other version control systems, which are not asked for uncommitted changes.
const OTHERS: [&str; 5] = [".hg", ".jj", ".pijul", ".fslckout", ".svn"];

/// Returns an error if there are uncommitted changes.
pub(super) fn check(selection: &Selection, arguments: &Arguments) -> Result<(), String> {
    if !selection.has_manifest() {
        // There is nothing to fix, and cargo says so.
        return Ok(());
    }
    let here = std::env::current_dir().map_err(|e| format!("no current directory: {e}"))?;
    let manifest = selection.manifest_path.as_deref();
    let folder = &here.join(manifest.and_then(Path::parent).unwrap_or(Path::new("")));
    let changes = match git::changes(folder) {
        Ok(changes) => changes,
        Err(_) if arguments.allow_no_vcs || arguments.allow_dirty => return Ok(()),
        Err(why) => return Err(format!("{why}\nhelp: `--allow-dirty` skips this check")),
    };
    let Some(changes) = changes else {
        let is_known = |at: &Path| OTHERS.iter().any(|name| at.join(name).exists());
        if arguments.allow_no_vcs || folder.ancestors().any(is_known) {
            return Ok(());
        }
        return Err(
            "no VCS found for this workspace, and `cargo weigh fix` changes its files\n\
             help: to fix it anyway, pass `--allow-no-vcs`"
                .to_owned(),
        );
    };
    if arguments.allow_dirty {
        return Ok(());
    }
    let top = git::ask(folder, &["rev-parse", "--show-toplevel"]).unwrap_or_default();
    // A target folder that git does not ignore.
    let is_built = |path: &str| mirror::is_built(&Path::new(&top).join(path));
    let left = changes
        .iter()
        .filter(|change| !(is_built(&change.path) || change.staged && arguments.allow_staged));
    let left: Vec<String> = left
        .map(|change| {
            let mark = if change.staged { "staged" } else { "dirty" };
            format!("  {} ({mark})", visible::line(&change.path))
        })
        .collect();
    if left.is_empty() {
        return Ok(());
    }
    let more = match left.len().checked_sub(MOST) {
        Some(n) if n > 0 => format!("\n  and {n} more"),
        _ => String::new(),
    };
    Err(format!(
        "these files have uncommitted changes and `cargo weigh fix` changes files:\n\
         {}{more}\nhelp: commit them, or pass `--allow-dirty`, or `--allow-staged` if all are \
         staged",
        left[..left.len().min(MOST)].join("\n")
    ))
}
