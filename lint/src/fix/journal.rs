//! Replaces files of the working tree: all or none, even if the process is interrupted.
//!
//! The old and new bytes of each file are synced to the target folder first, then a list of the
//! files; only then is the first file renamed. A list found at a later start means that the change
//! was interrupted. It is finished, or undone if a file was edited since.

use super::mirror;
use crate::folded::folded;
use crate::project::Project;
use crate::seen;
use crate::source::read;
use crate::store::{self, Folder};
use crate::write;
use serde::{Deserialize, Serialize};
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

/// The folder of the list and the bytes.
const FOLDER: &str = "journal";

/// The list, beside the bytes.
const LIST: &str = "journal.json";

/// Locked by a run that copies files or uses the journal.
const LOCK: &str = "lock";

/// The version of the format.
const VERSION: u32 = 1;

#[derive(Serialize, Deserialize)]
struct Journal {
    version: u32,
    /// The folder that the paths are relative to.
    root: PathBuf,
    /// In the order of replacement; the bytes of file n are in `n.old` and `n.new`.
    files: Vec<PathBuf>,
}

/// A file that is to change.
#[derive(Debug)]
pub struct Change {
    /// The path, relative to the root.
    pub path: PathBuf,
    /// The current bytes.
    pub old: Vec<u8>,
    /// The new bytes.
    pub new: Vec<u8>,
}

/// Waits until no other run works on this workspace, and keeps others waiting until the result is
/// dropped.
///
/// # Errors
///
/// The target folder cannot be written.
pub fn alone(project: &Project) -> Result<fs::File, String> {
    let place = mirror::make(project)?;
    let cannot = |e: io::Error| format!("cannot write below `{}`: {e}", place.path().display());
    place.lock(LOCK).map_err(cannot)
}

/// Changes files: all of them, or none if there is an error.
///
/// # Errors
///
/// A file changed since it was read, or cannot be written; the message names it.
pub fn change(project: &Project, root: &Path, changes: &[Change]) -> Result<(), String> {
    is_as_read(root, changes)?;
    let folder = mirror::make(project)?.own(FOLDER, true);
    let folder = folder.map_err(|closed| store::needed(&closed))?;
    let begun = begin(&folder, root, changes);
    begun.map_err(|e| format!("cannot write below `{}`: {e}", folder.path().display()))?;
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

/// An error that names the first file that changed since it was read.
fn is_as_read(root: &Path, changes: &[Change]) -> Result<(), String> {
    for change in changes {
        let path = root.join(&change.path);
        match read::bytes(&path) {
            Ok(now) if now == change.old => {}
            Ok(_) => {
                return Err(format!(
                    "`{}` was edited while this ran; nothing was changed",
                    path.display()
                ));
            }
            Err(e) => return Err(format!("cannot read `{}`: {e}", path.display())),
        }
    }
    Ok(())
}

/// Syncs the bytes, then the list.
fn begin(folder: &Folder, root: &Path, changes: &[Change]) -> io::Result<()> {
    end(folder);
    for (n, change) in changes.iter().enumerate() {
        folder.replace(format!("{n}.old"), &change.old)?;
        folder.replace(format!("{n}.new"), &change.new)?;
    }
    let journal = Journal {
        version: VERSION,
        root: root.to_owned(),
        files: changes.iter().map(|c| c.path.clone()).collect(),
    };
    let text = serde_json::to_string_pretty(&journal).map_err(io::Error::other)?;
    folder.replace(LIST, text.as_bytes())
}

/// Removes the list, then the bytes. Bytes without a list are ignored.
fn end(folder: &Folder) {
    folder.remove_file(LIST);
    if folder.type_of(LIST).is_none() {
        folder.sweep();
        let names = folder.names().unwrap_or_default().into_iter();
        names
            .filter(|name| is_bytes(name))
            .for_each(|name| folder.remove_file(name));
    }
}

/// Returns true for the name of a file with bytes.
fn is_bytes(name: &OsStr) -> bool {
    let name = name.to_str().unwrap_or_default();
    let number = name.strip_suffix(".old").or(name.strip_suffix(".new"));
    number.is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
}

fn put_back(root: &Path, change: &Change) -> Result<(), String> {
    let path = root.join(&change.path);
    match read::bytes(&path) {
        // The file was edited at this moment.
        Ok(now) if now != change.new => Ok(()),
        _ => write::replace(&path, &change.old)
            .map_err(|e| format!("cannot put `{}` back: {e}", path.display())),
    }
}

/// Finishes or undoes an interrupted change, and returns a message; `None` if there is none, or if
/// another run is active.
///
/// # Errors
///
/// A file cannot be written: the message names it and the place of its bytes.
pub fn recover(project: &Project) -> Result<Option<String>, String> {
    // A cached run must not be repeated while there is a list.
    if !seen::exists(&mirror::path(project).join(FOLDER).join(LIST)) {
        return Ok(None);
    }
    seen::spoil();
    // One in a folder that is not ours is not from this program.
    let Ok(place) = mirror::find(project) else {
        return Ok(None);
    };
    let Ok(folder) = place.own(FOLDER, false) else {
        return Ok(None);
    };
    let lock = place.open(LOCK);
    if lock
        .as_ref()
        .is_ok_and(|lock| matches!(lock.try_lock(), Err(fs::TryLockError::WouldBlock)))
    {
        return Ok(None);
    }
    let (root, changes) = match read_journal(&folder) {
        Some(found) => found,
        // Another run finished meanwhile, or the list is not valid.
        None if folder.type_of(LIST).is_none() => return Ok(None),
        None => {
            return Err(format!(
                "`{}`, the list of files of an interrupted `cargo weigh fix`, cannot be read: look at \
                 the files beside it, and remove it",
                folder.path().join(LIST).display()
            ));
        }
    };
    // A list that is part of a downloaded project can only change that project's files.
    if root != mirror::root(project) && root != folded(&project.workspace_root) {
        return Ok(None);
    }
    let said = settle(&root, &changes)?;
    for change in &changes {
        let path = root.join(&change.path);
        if let Some(folder) = path.parent().filter(|folder| is_below(folder, &root)) {
            write::sweep(folder);
        }
    }
    end(&folder);
    Ok(Some(said))
}

/// The journal in a folder, if it is complete and its paths are below the root.
fn read_journal(folder: &Folder) -> Option<(PathBuf, Vec<Change>)> {
    let journal: Journal = serde_json::from_slice(&folder.read(LIST).ok()?).ok()?;
    let is_inside = |path: &Path| path.components().all(|c| matches!(c, Component::Normal(_)));
    let mut changes = Vec::new();
    for (n, path) in journal.files.into_iter().enumerate() {
        let bytes = |end: &str| folder.read(format!("{n}.{end}")).ok();
        changes.push(Change {
            old: bytes("old")?,
            new: bytes("new")?,
            path: Some(path).filter(|path| is_inside(path))?,
        });
    }
    (journal.version == VERSION).then_some((journal.root, changes))
}

/// The state of a file.
#[derive(Clone, Copy, PartialEq)]
enum State {
    Old,
    New,
    Edited,
}

/// Returns true if a path leads into a folder, or to itself.
fn is_below(path: &Path, root: &Path) -> bool {
    let both = path.canonicalize().ok().zip(root.canonicalize().ok());
    both.is_some_and(|(path, root)| path.starts_with(root))
}

/// Brings all files to the old or the new state; returns a message.
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
    // Files are replaced in order, so a file that was edited since had been replaced if a later one
    // was.
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
        let cannot = |why: String| {
            format!(
                "`cargo weigh fix` was interrupted, and `{}` cannot be written: {why}",
                path.display()
            )
        };
        if !is_below(&path, root) {
            return Err(cannot("it is outside the workspace".to_owned()));
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

    /// Checks the result of an interruption: `o` is old, `n` is new, `e` is edited since.
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
            // The edited file is after the interruption, before it, or at an unknown side of it.
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
        let temporary = tempfile::tempdir().unwrap();
        let folder = Folder::of_user(temporary.path()).unwrap();
        begin(&folder, Path::new("/root"), &changes(2)).unwrap();
        let (root, found) = read_journal(&folder).unwrap();
        assert_eq!(root, Path::new("/root"));
        assert_eq!(found[1].new, b"new 1");
        folder.remove("1.new").unwrap();
        assert!(read_journal(&folder).is_none());
        let mut outside = changes(1);
        outside[0].path = "../x.rs".into();
        begin(&folder, Path::new("/root"), &outside).unwrap();
        assert!(read_journal(&folder).is_none());
        // What has another name is not ours.
        fs::write(temporary.path().join("notes.old"), "mine").unwrap();
        end(&folder);
        assert_eq!(folder.names().unwrap(), ["notes.old"]);
    }
}
