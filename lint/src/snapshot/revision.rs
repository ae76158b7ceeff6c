//! Extracts a git revision's files into a separate folder; working tree and index stay untouched.

use crate::git::{File, LINK, SUBMODULE, ask, cat, git, missing, parse};
use crate::source::read;
use crate::write;
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;
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
}

/// Extracts a revision's files into `folder`, unless they are there already.
///
/// # Errors
///
/// The revision does not exist or cannot be read, or the workspace did not exist yet.
pub fn open(name: &str, workspace: &Path, folder: &Path) -> Result<Revision, String> {
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
    let place = folder.join(&commit);
    let cannot = |e: std::io::Error| format!("cannot write below `{}`: {e}", folder.display());
    std::fs::create_dir_all(folder).map_err(cannot)?;
    let lock = write::lock(&folder.join(LOCK)).map_err(cannot)?;
    remove_parts(folder);
    if !place.is_dir() {
        let there_not = missing(workspace, &commit);
        extract(workspace, &files, &there_not, &place)?;
    }
    prune(folder, &place);
    let in_use = std::fs::File::open(place.join(IN_USE)).ok();
    // Without support for locks, concurrent runs may collide.
    let _ = in_use.as_ref().map(std::fs::File::lock_shared);
    drop(lock);
    let tree = place.join(TREE);
    let mut revision = Revision {
        manifest_path: tree.join(&manifest),
        locked: false,
        notes: Vec::new(),
        commit,
        _in_use: in_use,
    };
    let left_out = read::text(&place.join(LEFT_OUT)).unwrap_or_default();
    let of_revision = |line: &str| format!("revision `{name}`: {line}");
    revision
        .notes
        .extend(by_reason(&left_out).iter().map(|line| of_revision(line)));
    match lock_file(&files, &prefix) {
        Some(file) => {
            // Cargo may have changed it in an earlier run.
            let text = git(workspace, &["cat-file", "blob", &file.id])?;
            if file.mode != LINK {
                replace(&tree.join(&file.path), &text)?;
            }
            revision.locked = true;
        }
        None => {
            let lock = tree.join(format!("{prefix}Cargo.lock"));
            let (text, how) = match read::bytes(&workspace.join("Cargo.lock")) {
                Ok(text) => (text, "with the current one where that fits"),
                Err(_) => (Vec::new(), "from scratch"),
            };
            replace(&lock, &text)?;
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

/// Removes what killed runs have left in the folder for revisions, unless a run is active there.
pub fn sweep(folder: &Path) {
    let Ok(lock) = std::fs::File::open(folder.join(LOCK)) else {
        return;
    };
    if lock.try_lock().is_ok() {
        remove_parts(folder);
    }
}

/// Removes what killed runs have left; the lock is held.
fn remove_parts(folder: &Path) {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    for entry in entries {
        // Earlier versions had `PART` after the commit.
        if entry.file_name().to_string_lossy().contains(PART) {
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

/// Writes all files to a temporary folder next to the destination, which is renamed when complete.
fn extract(
    workspace: &Path,
    files: &[File],
    missing: &FxHashSet<String>,
    place: &Path,
) -> Result<(), String> {
    let folder = place.parent().unwrap_or(place);
    let cannot = |e: std::io::Error| format!("cannot write below `{}`: {e}", folder.display());
    let part = tempfile::Builder::new().prefix(PART).tempdir_in(folder);
    let part = part.map_err(cannot)?;
    fill(workspace, files, missing, part.path())?;
    std::fs::rename(part.path(), place).map_err(cannot)?;
    // It has been renamed: there is nothing left to remove.
    let _ = part.keep();
    Ok(())
}

fn fill(
    workspace: &Path,
    files: &[File],
    missing: &FxHashSet<String>,
    part: &Path,
) -> Result<(), String> {
    let tree = part.join(TREE);
    let cannot = |path: &Path, e: std::io::Error| format!("cannot write `{}`: {e}", path.display());
    std::fs::create_dir_all(&tree).map_err(|e| cannot(&tree, e))?;
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
        let path = tree.join(&file.path);
        let Some(bytes) = bytes else {
            left_out.insert(&file.path, NOT_THERE);
            return Ok(());
        };
        if file.mode == LINK {
            links.push((path, bytes));
        } else if bytes.len() <= LFS.1 && bytes.starts_with(LFS.0) {
            left_out.insert(&file.path, "stored in Git LFS");
        } else {
            let folder = path.parent().unwrap_or(&tree);
            let made = std::fs::create_dir_all(folder);
            made.and_then(|()| std::fs::write(&path, bytes))
                .map_err(|e| cannot(&path, e))?;
        }
        Ok(())
    })?;
    // Last, so that nothing is written through a link.
    for (path, to) in links {
        let folder = path.parent().unwrap_or(&tree);
        let made = std::fs::create_dir_all(folder);
        made.and_then(|()| link(&to, &path))
            .map_err(|e| cannot(&path, e))?;
    }
    let lines = left_out
        .iter()
        .map(|(path, why)| format!("`{path}` is omitted: {why}\n"));
    for (name, text) in [(LEFT_OUT, lines.collect()), (IN_USE, String::new())] {
        let path = part.join(name);
        std::fs::write(&path, text).map_err(|e| cannot(&path, e))?;
    }
    Ok(())
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
fn link(to: &[u8], path: &Path) -> std::io::Result<()> {
    use std::os::unix::ffi::OsStrExt;
    std::os::unix::fs::symlink(std::ffi::OsStr::from_bytes(to), path)
}

/// Writes a file instead, as git does without support for links.
#[cfg(not(unix))]
fn link(to: &[u8], path: &Path) -> std::io::Result<()> {
    std::fs::write(path, to)
}

/// Replaces a file without following a link. An empty lock file would mean no dependencies: then
/// the file is removed.
fn replace(path: &Path, bytes: &[u8]) -> Result<(), String> {
    let cannot = |e: std::io::Error| format!("cannot replace `{}`: {e}", path.display());
    if std::fs::read(path).is_ok_and(|old| old == bytes) && !path.is_symlink() {
        return Ok(());
    }
    if path.is_symlink() || bytes.is_empty() && path.exists() {
        std::fs::remove_file(path).map_err(cannot)?;
    }
    match bytes {
        [] => Ok(()),
        _ => write::replace(path, bytes).map_err(cannot),
    }
}

/// Removes the commits that were extracted first, down to a few.
fn prune(folder: &Path, current: &Path) {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut others: Vec<_> = entries
        .filter(|e| e.path() != current && e.path().is_dir())
        .filter_map(|e| Some((e.metadata().ok()?.modified().ok()?, e.path())))
        .collect();
    others.sort();
    let surplus = (others.len() + 1).saturating_sub(KEPT);
    for (_, path) in others.iter().take(surplus) {
        let in_use = std::fs::File::open(path.join(IN_USE));
        let is_read = in_use
            .is_ok_and(|file| matches!(file.try_lock(), Err(std::fs::TryLockError::WouldBlock)));
        if !is_read {
            let _ = std::fs::remove_dir_all(path);
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
