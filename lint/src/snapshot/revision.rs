//! Extracts a git revision's files into a separate folder; working tree and index stay untouched.

use crate::git::{File, LINK, SUBMODULE, ask, cat, git, missing, parse};
use crate::source::read;
use crate::store::{self, Closed, Folder, Kind, Temporary};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

/// The files, in a commit's folder. Cargo searches all parent folders for the workspace manifest,
/// but not beyond `target/package`, where `cargo package` unpacks: so it never finds the current
/// one.
const TREE: &str = "target/package/tree";

/// In a commit's folder: the files that were left out, one per line.
const LEFT_OUT: &str = "left-out";

/// Next to the commits' folders: locked while one is added or removed.
const LOCK: &str = "lock";

/// In a commit's folder: locked (shared) while its files are read.
const IN_USE: &str = "in-use";

/// Prefix of folders that are not complete yet.
const PART: &str = "part-";

/// The reason for leaving out a file that only a server has.
const NOT_THERE: &str = "git does not have it";

/// Number of extracted commits that are left for later runs.
const KEPT: usize = 3;

/// The first line of a Git LFS pointer, and its maximum size in bytes.
const LFS: (&[u8], usize) = (b"version https://git-lfs.github.com/spec/v1\n", 1024);

/// A revision whose files were extracted.
#[derive(Debug)]
pub struct Revision {
    /// The commit's full hash.
    pub commit: String,
    /// The workspace's manifest in it.
    pub manifest_path: PathBuf,
    /// True if it has its own lock file.
    pub locked: bool,
    /// Notes for the user, one line each.
    pub notes: Vec<String>,
    /// While it is open, no other run removes the files.
    _in_use: Option<std::fs::File>,
    /// The folder of the files, if the one in the target folder is not ours.
    _temporary: Option<Temporary>,
}

/// Extracts a revision's files below a target folder, unless they are there already.
///
/// # Errors
///
/// The revision does not exist or cannot be read, or the workspace did not exist yet.
pub fn open(name: &str, workspace: &Path, target_dir: &Path) -> Result<Revision, String> {
    let commit = find(name, workspace)?;
    let short = &commit[..commit.len().min(10)];
    // The workspace's path in the repository, with a trailing `/` unless it is the root.
    let prefix = ask(workspace, &["rev-parse", "--show-prefix"])?;
    let listed = git(workspace, &["ls-tree", "-r", "-z", "--full-tree", &commit])?;
    let files = parse(&listed);
    let manifest = format!("{prefix}Cargo.toml");
    if !files.iter().any(|f| f.path == manifest) {
        return Err(format!(
            "revision `{name}` ({short}) has no `{manifest}`: the workspace did not exist yet"
        ));
    }
    let mut temporary = None;
    let folder = match store::make(target_dir, Kind::Diff) {
        Err(closed @ Closed::Foreign(..)) => {
            store::if_ours(Err(closed));
            let made = Temporary::anywhere();
            let made = made.map_err(|e| format!("cannot create a temporary folder: {e}"))?;
            temporary.insert(made).folder()
        }
        made => &made.map_err(|closed| closed.to_string())?,
    };
    let cannot = |e: io::Error| format!("cannot write below `{}`: {e}", folder.path().display());
    let lock = folder.lock(LOCK).map_err(cannot)?;
    remove_parts(folder);
    if folder.type_of(&commit).is_none() {
        let there_not = missing(workspace, &commit);
        extract(workspace, &files, &there_not, folder, &commit)?;
    }
    prune(folder, &commit);
    let place = folder.folder(&commit).map_err(cannot)?;
    let in_use = place.open(IN_USE).ok();
    // Without support for locks, concurrent runs may collide.
    let _ = in_use.as_ref().map(std::fs::File::lock_shared);
    drop(lock);
    let tree = place.at(Path::new(TREE)).map_err(cannot)?;
    let mut revision = Revision {
        manifest_path: tree.path().join(&manifest),
        locked: false,
        notes: Vec::new(),
        commit,
        _in_use: in_use,
        _temporary: temporary,
    };
    let left_out = place.read(LEFT_OUT).unwrap_or_default();
    let left_out = String::from_utf8_lossy(&left_out);
    let of_revision = |line: &str| format!("revision `{name}`: {line}");
    revision
        .notes
        .extend(by_reason(&left_out).iter().map(|line| of_revision(line)));
    match lock_file(&files, &prefix) {
        Some(file) => {
            // Cargo may have changed it in an earlier run.
            let text = git(workspace, &["cat-file", "blob", &file.id])?;
            if file.mode != LINK {
                replace(&tree, &file.path, &text)?;
            }
            revision.locked = true;
        }
        None => {
            let lock = format!("{prefix}Cargo.lock");
            let (text, how) = match read::bytes(&workspace.join("Cargo.lock")) {
                Ok(text) => (text, "with the current one where that fits"),
                Err(_) => (Vec::new(), "from scratch"),
            };
            replace(&tree, &lock, &text)?;
            let line = format!("it has no `Cargo.lock`: dependencies are resolved {how}");
            revision.notes.push(of_revision(&line));
        }
    }
    Ok(revision)
}

/// Formats one line for each reason: repositories may have hundreds of submodules.
fn by_reason(left_out: &str) -> Vec<String> {
    let mut reasons: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for line in left_out.lines() {
        let reason = line.rsplit(": ").next().unwrap_or_default();
        reasons.entry(reason).or_default().push(line);
    }
    let said = |(reason, lines): (&str, Vec<&str>)| match lines[..] {
        [only] => only.to_owned(),
        _ => {
            let first = lines[0].split('`').nth(1).unwrap_or_default();
            let n = lines.len();
            format!("{n} paths are omitted, the first is `{first}`: {reason}")
        }
    };
    reasons.into_iter().map(said).collect()
}

/// Resolves a name to a commit.
fn find(name: &str, workspace: &Path) -> Result<String, String> {
    let inside = ask(workspace, &["rev-parse", "--is-inside-work-tree"]);
    if let Err(why) = inside {
        return Err(format!(
            "`{name}` is neither a file nor a git revision: {why}"
        ));
    }
    let wanted = format!("{name}^{{commit}}");
    let found = match name.starts_with('-') {
        true => Err(String::new()),
        false => ask(workspace, &["rev-parse", "--verify", "--quiet", &wanted]),
    };
    found.map_err(|_| {
        let shallow = ask(workspace, &["rev-parse", "--is-shallow-repository"]);
        let help = match shallow.is_ok_and(|answer| answer == "true") {
            true => {
                "\nhelp: the clone is shallow; `git fetch --unshallow` fetches the history \
                     (in GitHub's checkout action, `fetch-depth: 0`)"
            }
            false => "",
        };
        format!("`{name}` is neither a file nor a git revision{help}")
    })
}

/// Returns the lock file of the workspace, or of one around it.
fn lock_file<'f>(files: &'f [File], prefix: &str) -> Option<&'f File> {
    let mut folder = Some(Path::new(prefix));
    while let Some(at) = folder {
        let found = files
            .iter()
            .find(|f| Path::new(&f.path) == at.join("Cargo.lock"));
        if found.is_some() {
            return found;
        }
        folder = at.parent();
    }
    None
}

/// Removes what killed runs have left of revisions below a target folder, unless a run is active
/// there.
pub fn sweep(target_dir: &Path) {
    let Ok(folder) = store::find(target_dir, Kind::Diff) else {
        return;
    };
    if let Ok(lock) = folder.open(LOCK)
        && lock.try_lock().is_ok()
    {
        remove_parts(&folder);
    }
}

/// Removes what killed runs have left; the lock is held.
fn remove_parts(folder: &Folder) {
    for name in folder.names().unwrap_or_default() {
        let name = name.to_str().unwrap_or_default();
        if name.strip_prefix(PART).is_some_and(store::is_random) {
            // The next run tries it again.
            let _ = folder.remove_tree(name);
        }
    }
}

/// Writes all files to a temporary folder, which is renamed when complete.
fn extract(
    workspace: &Path,
    files: &[File],
    missing: &FxHashSet<String>,
    folder: &Folder,
    commit: &str,
) -> Result<(), String> {
    let shown = folder.path().display();
    let cannot = |e: io::Error| format!("cannot write below `{shown}`: {e}");
    let part = folder.temporary(PART).map_err(cannot)?;
    fill(workspace, files, missing, part.folder())?;
    part.keep(commit).map_err(cannot)
}

/// A folder of the tree, opened for files that follow each other.
struct At<'t> {
    tree: &'t Folder,
    last: Option<(PathBuf, Folder)>,
}

impl At<'_> {
    /// Writes to the folder of a path and the path's last name.
    fn with(
        &mut self,
        path: &str,
        write: impl FnOnce(&Folder, &OsStr) -> io::Result<()>,
    ) -> Result<(), String> {
        let path = Path::new(path);
        let (around, name) = (path.parent(), path.file_name());
        let (around, name) = (around.unwrap_or(Path::new("")), name.unwrap_or_default());
        let written = match &self.last {
            Some((last, folder)) if last == around => write(folder, name),
            _ => self.tree.make_at(around).and_then(|folder| {
                let (_, folder) = self.last.insert((around.to_owned(), folder));
                write(folder, name)
            }),
        };
        let shown = self.tree.path().join(path);
        written.map_err(|e| format!("cannot write `{}`: {e}", shown.display()))
    }
}

fn fill(
    workspace: &Path,
    files: &[File],
    missing: &FxHashSet<String>,
    part: &Folder,
) -> Result<(), String> {
    let cannot = |e: io::Error| format!("cannot write below `{}`: {e}", part.path().display());
    let tree = part.make_at(Path::new(TREE)).map_err(cannot)?;
    let mut at = At {
        tree: &tree,
        last: None,
    };
    let mut left_out = BTreeMap::new();
    let mut links = Vec::new();
    let mut blobs = Vec::new();
    for file in files {
        match file.mode {
            _ if !is_plain(&file.path) => {
                left_out.insert(&file.path, "its name is not a plain path");
            }
            SUBMODULE => {
                left_out.insert(&file.path, "a submodule");
            }
            _ if missing.contains(&file.id) => {
                left_out.insert(&file.path, NOT_THERE);
            }
            _ => blobs.push(file),
        }
    }
    cat(workspace, &blobs, |file, bytes| {
        let Some(bytes) = bytes else {
            left_out.insert(&file.path, NOT_THERE);
            return Ok(());
        };
        if file.mode == LINK {
            links.push((&file.path, bytes));
        } else if bytes.len() <= LFS.1 && bytes.starts_with(LFS.0) {
            left_out.insert(&file.path, "stored in Git LFS");
        } else {
            // Names that differ in case only may be one file.
            at.with(&file.path, |folder, name| match folder.type_of(name) {
                None => folder.create(name, &bytes),
                Some(_) => folder.put(name, &bytes),
            })?;
        }
        Ok(())
    })?;
    // Last, so that a link is in the way of no file.
    for (path, to) in links {
        at.with(path, |folder, name| link(folder, name, &to))?;
    }
    let lines: String = left_out
        .iter()
        .map(|(path, why)| format!("`{path}` is omitted: {why}\n"))
        .collect();
    let left_out = part.create(LEFT_OUT, lines.as_bytes());
    left_out
        .and_then(|()| part.create(IN_USE, b""))
        .map_err(cannot)
}

/// Returns true for a relative path that stays below its base, on this system too.
fn is_plain(path: &str) -> bool {
    let names = path.split('/');
    let wrong = |name: &str| {
        matches!(name, "" | "." | "..")
            || name.eq_ignore_ascii_case(".git")
            || cfg!(windows) && name.contains(['\\', ':'])
    };
    !names.into_iter().any(wrong)
}

#[cfg(unix)]
fn link(folder: &Folder, name: &OsStr, to: &[u8]) -> io::Result<()> {
    use std::os::unix::ffi::OsStrExt;
    folder.link(name, Path::new(OsStr::from_bytes(to)))
}

/// Writes a file instead, as git does without support for links.
#[cfg(not(unix))]
fn link(folder: &Folder, name: &OsStr, to: &[u8]) -> io::Result<()> {
    folder.create(name, to)
}

/// Replaces a file, or a link itself. An empty lock file would mean no dependencies: then the file
/// is removed.
fn replace(tree: &Folder, path: &str, bytes: &[u8]) -> Result<(), String> {
    let mut at = At { tree, last: None };
    at.with(path, |folder, name| match bytes {
        [] if folder.type_of(name).is_none() => Ok(()),
        [] => folder.remove(name),
        _ if folder.has(name, bytes) => Ok(()),
        _ => folder.replace(name, bytes),
    })
}

/// Returns true for the full hash of a commit, SHA-1 or SHA-256.
fn is_commit(name: &OsStr) -> bool {
    let name = name.as_encoded_bytes();
    matches!(name.len(), 40 | 64) && name.iter().all(u8::is_ascii_hexdigit)
}

/// Removes the commits that were extracted first, down to a few.
fn prune(folder: &Folder, current: &str) {
    let names = folder.names().unwrap_or_default().into_iter();
    let mut others: Vec<_> = names
        .filter(|name| name != current && is_commit(name))
        .filter_map(|name| {
            let place = folder.folder(&name).ok()?;
            Some((place.modified()?, name, place.open(IN_USE).ok()?))
        })
        .collect();
    others.sort_by(|a, b| (a.0, &a.1).cmp(&(b.0, &b.1)));
    let surplus = (others.len() + 1).saturating_sub(KEPT);
    for (_, name, in_use) in others.iter().take(surplus) {
        let is_read = matches!(in_use.try_lock(), Err(std::fs::TryLockError::WouldBlock));
        if !is_read {
            // A later run tries it again.
            let _ = folder.remove_tree(name);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_that_lead_elsewhere() {
        for path in [
            "../a",
            "a/../../b",
            "/etc/x",
            "a//b",
            ".git/config",
            "a/.GIT/x",
            ".",
        ] {
            assert!(!is_plain(path), "{path}");
        }
        for path in ["a", "a/b.rs", ".github/x", "..a", "a b"] {
            assert!(is_plain(path), "{path}");
        }
    }

    #[test]
    fn the_nearest_lock_file_counts() {
        let file = |path: &str| File {
            mode: 0o100_644,
            id: String::new(),
            path: path.into(),
        };
        let files = [
            file("Cargo.lock"),
            file("a/b/Cargo.lock"),
            file("x/Cargo.lock"),
        ];
        let found = |prefix| lock_file(&files, prefix).map(|f| f.path.as_str());
        assert_eq!(found("a/b/c/"), Some("a/b/Cargo.lock"));
        assert_eq!(found("a/"), Some("Cargo.lock"));
        assert_eq!(found(""), Some("Cargo.lock"));
        assert_eq!(lock_file(&files[1..], ""), None);
    }
}
