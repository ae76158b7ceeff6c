//! The end of a fix: files of the working tree are replaced, all of them or none, whatever happens.
//!
//! Old and new bytes of each file are synced in the target folder first, then a list of them, and
//! only then is the first file renamed. Where the list is found later, that was interrupted: what
//! was begun is finished, or undone where somebody has edited since.

use super::mirror;
use crate::folded::folded;
use crate::project::Project;
use crate::seen;
use crate::source::read;
use crate::write;
use serde::{Deserialize, Serialize};
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

/// The list, beside the bytes.
const LIST: &str = "journal.json";

/// Whoever copies, or works on the journal, holds a lock on it.
const LOCK: &str = "lock";

/// The version of the format.
const VERSION: u32 = 1;

#[derive(Serialize, Deserialize)]
struct Journal {
    version: u32,
    /// What the paths are relative to.
    root: PathBuf,
    /// In the order in which they are replaced; the bytes of the n-th are in `n.old` and `n.new`.
    files: Vec<PathBuf>,
}

/// A file that is to change.
#[derive(Debug)]
pub struct Change {
    /// Relative to the root.
    pub path: PathBuf,
    /// What it is.
    pub old: Vec<u8>,
    /// What it is to be.
    pub new: Vec<u8>,
}

/// Waits until no other run fixes this workspace, and lets none begin before it is dropped.
///
/// # Errors
/// The target folder cannot be written.
pub fn alone(project: &Project) -> Result<fs::File, String> {
    let place = mirror::place(project);
    let cannot = |e: io::Error| format!("cannot write below `{}`: {e}", place.display());
    fs::create_dir_all(&place).map_err(cannot)?;
    write::lock(&place.join(LOCK)).map_err(cannot)
}

/// Changes files: all, or none after an error.
///
/// # Errors
/// A file is no longer what it was, or cannot be written; it is named.
pub fn change(project: &Project, root: &Path, changes: &[Change]) -> Result<(), String> {
    let folder = mirror::place(project).join("journal");
    is_as_read(root, changes)?;
    let begun = begin(&folder, root, changes);
    begun.map_err(|e| format!("cannot write below `{}`: {e}", folder.display()))?;
    for (n, change) in changes.iter().enumerate() {
        let path = root.join(&change.path);
        let replaced = is_as_read(root, std::slice::from_ref(change)).and_then(|()| {
            write::replace(&path, &change.new)
                .map_err(|e| format!("cannot write `{}`: {e}", path.display()))
        });
        if let Err(why) = replaced {
            for change in &changes[..n] {
                put_back(root, change).map_err(|e| format!("{why}; {e}"))?;
            }
            end(&folder);
            return Err(format!("{why}; nothing was changed"));
        }
    }
    end(&folder);
    Ok(())
}

/// An error that names the first file that is no longer what was read.
fn is_as_read(root: &Path, changes: &[Change]) -> Result<(), String> {
    for change in changes {
        let path = root.join(&change.path);
        match read::bytes(&path) {
            Ok(now) if now == change.old => {}
            Ok(_) => {
                return Err(format!(
                    "`{}` was edited meanwhile: nothing was changed",
                    path.display()
                ));
            }
            Err(e) => return Err(format!("cannot read `{}`: {e}", path.display())),
        }
    }
    Ok(())
}

/// Syncs the bytes, then the list.
fn begin(folder: &Path, root: &Path, changes: &[Change]) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    end(folder);
    for (n, change) in changes.iter().enumerate() {
        write::replace(&folder.join(format!("{n}.old")), &change.old)?;
        write::replace(&folder.join(format!("{n}.new")), &change.new)?;
    }
    let journal = Journal {
        version: VERSION,
        root: root.to_owned(),
        files: changes.iter().map(|c| c.path.clone()).collect(),
    };
    let text = serde_json::to_string_pretty(&journal).map_err(io::Error::other)?;
    write::replace(&folder.join(LIST), text.as_bytes())
}

/// Removes the list, then the bytes. What stays behind means nothing without the list.
fn end(folder: &Path) {
    let removed = fs::remove_file(folder.join(LIST));
    let gone = removed.is_ok() || !folder.join(LIST).exists();
    if gone {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        for entry in entries {
            let _ = fs::remove_file(entry.path());
        }
    }
}

fn put_back(root: &Path, change: &Change) -> Result<(), String> {
    let path = root.join(&change.path);
    match read::bytes(&path) {
        // Somebody has edited it in this moment.
        Ok(now) if now != change.new => Ok(()),
        _ => write::replace(&path, &change.old)
            .map_err(|e| format!("cannot put `{}` back: {e}", path.display())),
    }
}

/// Finishes or undoes what an earlier run was interrupted at, and says what it did; `None` where
/// there is nothing, or a run is at it.
///
/// # Errors
/// A file cannot be written: which, and where its bytes are.
pub fn recover(project: &Project) -> Result<Option<String>, String> {
    let place = mirror::place(project);
    let folder = place.join("journal");
    // A run that is kept is none where there is a list.
    if !seen::exists(&folder.join(LIST)) {
        return Ok(None);
    }
    seen::spoil();
    let lock = fs::File::open(place.join(LOCK));
    if lock
        .as_ref()
        .is_ok_and(|lock| matches!(lock.try_lock(), Err(fs::TryLockError::WouldBlock)))
    {
        return Ok(None);
    }
    let (root, changes) = match read_journal(&folder) {
        Some(found) => found,
        // A run at the same time has ended it, or it is not ours.
        None if !folder.join(LIST).exists() => return Ok(None),
        None => {
            return Err(format!(
                "`{}` is no list of what `cargo weigh fix` was interrupted at: look at the files \
                 beside it, and remove it",
                folder.join(LIST).display()
            ));
        }
    };
    // A list that came with the project leads nowhere else than to its own files.
    if root != mirror::root(project) && root != folded(&project.workspace_root) {
        return Ok(None);
    }
    let said = settle(&root, &changes)?;
    for change in &changes {
        if let Some(folder) = root.join(&change.path).parent() {
            write::sweep(folder);
        }
    }
    end(&folder);
    Ok(Some(said))
}

/// The journal of a folder, if it is whole and its paths lie in the root.
fn read_journal(folder: &Path) -> Option<(PathBuf, Vec<Change>)> {
    let journal: Journal = serde_json::from_slice(&read::bytes(&folder.join(LIST)).ok()?).ok()?;
    let is_inside = |path: &Path| path.components().all(|c| matches!(c, Component::Normal(_)));
    let mut changes = Vec::new();
    for (n, path) in journal.files.into_iter().enumerate() {
        let bytes = |end: &str| read::bytes(&folder.join(format!("{n}.{end}"))).ok();
        changes.push(Change {
            old: bytes("old")?,
            new: bytes("new")?,
            path: Some(path).filter(|path| is_inside(path))?,
        });
    }
    (journal.version == VERSION).then_some((journal.root, changes))
}

/// What a file is now.
#[derive(Clone, Copy, PartialEq)]
enum State {
    Old,
    New,
    Edited,
}

/// Brings all files to one side; says what was done.
fn settle(root: &Path, changes: &[Change]) -> Result<String, String> {
    let state = |change: &Change| match read::bytes(&root.join(&change.path)) {
        Ok(now) if now == change.new => State::New,
        Ok(now) if now == change.old => State::Old,
        _ => State::Edited,
    };
    let states: Vec<State> = changes.iter().map(state).collect();
    let edited: Vec<String> = changes
        .iter()
        .zip(&states)
        .filter(|(_, state)| **state == State::Edited)
        .map(|(change, _)| format!("`{}`", change.path.display()))
        .collect();
    let last_new = states.iter().rposition(|s| *s == State::New);
    let Some(last_new) = last_new else {
        return Ok("`cargo weigh fix` was interrupted before it changed a file".to_owned());
    };
    // Files are replaced in this order: one that was edited since had been replaced if one behind
    // it is.
    let finish = states
        .iter()
        .enumerate()
        .all(|(n, s)| *s != State::Edited || n < last_new);
    let (from, wanted) = match finish {
        true => (State::Old, "finished"),
        false => (State::New, "undone"),
    };
    for (change, _) in changes.iter().zip(&states).filter(|(_, s)| **s == from) {
        let path = root.join(&change.path);
        let bytes = match finish {
            true => &change.new,
            false => &change.old,
        };
        let inside = path.canonicalize().ok().zip(root.canonicalize().ok());
        let cannot = |why: String| {
            format!(
                "`cargo weigh fix` was interrupted, and `{}` cannot be written: {why}",
                path.display()
            )
        };
        if !inside.is_some_and(|(path, root)| path.starts_with(root)) {
            return Err(cannot("it lies outside the workspace".to_owned()));
        }
        write::replace(&path, bytes).map_err(|e| cannot(e.to_string()))?;
    }
    let n = changes.len();
    let left = match edited[..] {
        [] => String::new(),
        _ => format!("; edited since, and left as it is: {}", edited.join(", ")),
    };
    Ok(format!(
        "`cargo weigh fix` was interrupted while it changed {n} {}; that is {wanted} now{left}",
        if n == 1 { "file" } else { "files" },
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changes(n: usize) -> Vec<Change> {
        let change = |i| Change {
            path: format!("{i}.rs").into(),
            old: format!("old {i}").into_bytes(),
            new: format!("new {i}").into_bytes(),
        };
        (0..n).map(change).collect()
    }

    fn text(root: &Path, n: usize) -> String {
        let read = |i| fs::read_to_string(root.join(format!("{i}.rs"))).unwrap();
        (0..n).map(read).collect::<Vec<_>>().join(", ")
    }

    /// Files as an interruption has left them: `o` old, `n` new, `e` edited since.
    fn left(root: &Path, states: &str) {
        for (i, state) in states.chars().enumerate() {
            let word = match state {
                'o' => "old",
                'n' => "new",
                _ => "edited",
            };
            fs::write(root.join(format!("{i}.rs")), format!("{word} {i}")).unwrap();
        }
    }

    #[test]
    fn wherever_it_stops_it_is_all_or_nothing() {
        let root = tempfile::tempdir().unwrap();
        for (states, after) in [
            ("ooo", "old 0, old 1, old 2"),
            ("noo", "new 0, new 1, new 2"),
            ("nno", "new 0, new 1, new 2"),
            ("nnn", "new 0, new 1, new 2"),
            // Edited behind the place where it stopped, before it, and where nobody can tell.
            ("noe", "old 0, old 1, edited 2"),
            ("eno", "edited 0, new 1, new 2"),
            ("neo", "old 0, edited 1, old 2"),
            ("eee", "edited 0, edited 1, edited 2"),
        ] {
            left(root.path(), states);
            let said = settle(root.path(), &changes(3)).unwrap();
            assert_eq!(text(root.path(), 3), after, "{states}");
            let names = states.contains('e') && states.contains('n');
            assert_eq!(said.contains("edited since"), names, "{said}");
        }
    }

    #[test]
    fn a_journal_is_whole_or_none() {
        let folder = tempfile::tempdir().unwrap();
        begin(folder.path(), Path::new("/root"), &changes(2)).unwrap();
        let (root, found) = read_journal(folder.path()).unwrap();
        assert_eq!(root, Path::new("/root"));
        assert_eq!(found[1].new, b"new 1");
        fs::remove_file(folder.path().join("1.new")).unwrap();
        assert!(read_journal(folder.path()).is_none());
        let mut outside = changes(1);
        outside[0].path = "../x.rs".into();
        begin(folder.path(), Path::new("/root"), &outside).unwrap();
        assert!(read_journal(folder.path()).is_none());
        end(folder.path());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
