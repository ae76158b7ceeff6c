//! A copy of the workspace's files, in which remedies are tried: brought up to date before each
//! run, so that cargo builds anew only what has changed.
//!
//! ```text
//! <target folder>/weigh/fix/<hash of the root>/
//!     target/                    cargo's target folder for the copy
//!     target/package/…/root      the copy, below the whole path of the root
//!     files                      what was copied, a line each
//!     journal/                   see `journal`
//! ```
//!
//! What lies beside the root, and beside the folders around it, is linked there: a relative path that
//! leads out of the workspace leads to the same file from the copy. Cargo looks for no workspace
//! beyond `target/package`.

use crate::folded::folded;
use crate::project::Project;
use crate::source::read;
use rustc_hash::{FxHashSet, FxHasher};
use std::fs;
use std::hash::{Hash, Hasher};
use std::io::{self, ErrorKind};
use std::path::{Component, Path, PathBuf};

/// Folders of version control. Builds do not need them: programs that search for one also search
/// the parent folders.
const VERSION_CONTROL: [&str; 5] = [".git", ".hg", ".jj", ".pijul", ".svn"];

/// Larger files, in bytes, are linked: they are data that no remedy edits.
const LARGEST: u64 = 16 << 20;

/// A folder with this name is linked as a whole: it has very many files, and no Rust code.
const LINKED: &str = "node_modules";

/// The folder in which `fix` works, for a workspace.
pub fn place(project: &Project) -> PathBuf {
    let mut hasher = FxHasher::default();
    project.workspace_root.hash(&mut hasher);
    let folder = project.target_dir.join("weigh").join("fix");
    folder.join(format!("{:016x}", hasher.finish()))
}

/// An up-to-date copy.
#[derive(Debug)]
pub struct Mirror {
    /// The folder that is copied: that of the workspace, or the common parent of all its packages.
    pub root: PathBuf,
    /// The copy.
    pub copy: PathBuf,
    /// Cargo's target folder for the copy.
    pub target: PathBuf,
    /// The files that a compiler may read, relative to the root, with a hash of the copied bytes.
    read: Vec<(PathBuf, u64)>,
}

impl Mirror {
    /// Copies the files that changed.
    ///
    /// # Errors
    ///
    /// A file cannot be read or written.
    pub fn make(project: &Project) -> Result<Mirror, String> {
        let place = place(project);
        let target = place.join("target");
        let root = root(project);
        let copy = mirrored(&target.join("package"), &root);
        let cannot = |e: io::Error| format!("cannot copy to `{}`: {e}", place.display());
        fs::create_dir_all(&place).map_err(cannot)?;
        link_around(&target.join("package"), &root).map_err(cannot)?;
        let mut walk = Walk {
            root: &root,
            copy: &copy,
            target_dir: &project.target_dir,
            files: Vec::new(),
            read: Vec::new(),
        };
        folder(&copy).map_err(cannot)?;
        walk.folder(Path::new(""))?;
        let Walk { files, read, .. } = walk;
        forget(&place.join("files"), &copy, &files).map_err(cannot)?;
        Ok(Mirror {
            root,
            copy,
            target,
            read,
        })
    }

    /// The path in the copy for a path in the workspace.
    pub fn of(&self, path: &Path) -> PathBuf {
        let path = folded(path);
        match path.strip_prefix(&self.root) {
            Ok(inside) => self.copy.join(inside),
            Err(_) => path,
        }
    }

    /// Writes a text to the copy, unless the file already has it: cargo rebuilds by modification
    /// time.
    ///
    /// # Errors
    ///
    /// The file cannot be written.
    pub fn put(&self, path: &Path, text: &str) -> Result<(), String> {
        let to = self.copy.join(path);
        put(&to, text.as_bytes()).map_err(|e| format!("cannot write `{}`: {e}", to.display()))
    }

    /// The first file a compiler may have read that changed since it was copied.
    pub fn changed(&self) -> Option<&Path> {
        let is_same = |(path, then): &&(PathBuf, u64)| {
            let now = read::bytes(&self.root.join(path));
            now.is_ok_and(|now| hash(&now) == *then)
        };
        let changed = self.read.iter().find(|file| !is_same(file));
        changed.map(|(path, _)| path.as_path())
    }
}

fn hash(of: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    of.hash(&mut hasher);
    hasher.finish()
}

/// Extensions of files that a compiler or cargo reads.
const READ: [&str; 3] = ["lock", "rs", "toml"];

/// The folder of the workspace, or the common parent of all its packages if that belongs to the
/// same repository.
pub fn root(project: &Project) -> PathBuf {
    let root = folded(&project.workspace_root);
    let manifests = project.members.iter().map(|m| folded(&m.manifest_path));
    let mut around = root.clone();
    for manifest in manifests {
        while !manifest.starts_with(&around) && around.pop() {}
    }
    let in_repository = around.ancestors().any(|f| f.join(".git").exists());
    match in_repository {
        true => around,
        false => root,
    }
}

/// A path below another folder.
fn mirrored(below: &Path, path: &Path) -> PathBuf {
    let names = path.components().filter_map(|part| match part {
        Component::Normal(name) => Some(name),
        _ => None,
    });
    names.fold(below.to_owned(), |folder, name| folder.join(name))
}

/// Creates a folder, replacing any other kind of file.
fn folder(path: &Path) -> io::Result<()> {
    match fs::symlink_metadata(path) {
        Ok(data) if data.is_dir() => Ok(()),
        Ok(_) => fs::remove_file(path).and_then(|()| fs::create_dir(path)),
        Err(_) => {
            if let Some(parent) = path.parent() {
                folder(parent)?;
            }
            match fs::create_dir(path) {
                Err(e) if e.kind() != ErrorKind::AlreadyExists => Err(e),
                _ => Ok(()),
            }
        }
    }
}

/// Creates a link to a path, replacing another link or file; an existing folder is kept.
fn link(path: &Path, to: &Path) -> io::Result<()> {
    match fs::symlink_metadata(path) {
        Ok(data) if data.is_symlink() => {
            if fs::read_link(path)? == to {
                return Ok(());
            }
            fs::remove_file(path)?;
        }
        Ok(data) if data.is_dir() => fs::remove_dir_all(path)?,
        Ok(_) => fs::remove_file(path)?,
        Err(_) => {}
    }
    symlink(path, to)
}

#[cfg(unix)]
fn symlink(path: &Path, to: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(to, path)
}

/// Creating links requires a privilege here that few users have; most builds work without the
/// links.
#[cfg(not(unix))]
fn symlink(_: &Path, _: &Path) -> io::Result<()> {
    Ok(())
}

/// Links everything beside a folder and beside its parents.
fn link_around(below: &Path, root: &Path) -> io::Result<()> {
    folder(below)?;
    for inside in root.ancestors() {
        let Some(around) = inside.parent() else { break };
        let copy = mirrored(below, around);
        folder(&copy)?;
        for entry in fs::read_dir(&copy)?.flatten() {
            let path = entry.path();
            if path.is_symlink() && !path.exists() {
                fs::remove_file(path)?;
            }
        }
        // A folder may be traversable without being readable.
        for entry in fs::read_dir(around).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let is_left = VERSION_CONTROL.iter().any(|v| name == *v);
            if !is_left && Some(name.as_os_str()) != inside.file_name() {
                link(&copy.join(&name), &entry.path())?;
            }
        }
    }
    Ok(())
}

/// Writes a file if its bytes differ.
fn put(path: &Path, bytes: &[u8]) -> io::Result<()> {
    match fs::symlink_metadata(path) {
        Ok(data)
            if data.is_file() && data.len() == bytes.len() as u64 && fs::read(path)? == bytes =>
        {
            return Ok(());
        }
        Ok(data) if data.is_dir() => fs::remove_dir_all(path)?,
        _ => {}
    }
    // Not through a link, nor to a read-only file: the old file is removed.
    match fs::remove_file(path) {
        Err(e) if e.kind() != ErrorKind::NotFound => Err(e),
        _ => fs::write(path, bytes),
    }
}

/// Walks through the workspace.
struct Walk<'w> {
    root: &'w Path,
    copy: &'w Path,
    target_dir: &'w Path,
    files: Vec<PathBuf>,
    read: Vec<(PathBuf, u64)>,
}

impl Walk<'_> {
    /// Copies the contents of a folder.
    fn folder(&mut self, inside: &Path) -> Result<(), String> {
        let from = self.root.join(inside);
        let cannot = |e: io::Error| format!("cannot copy `{}`: {e}", from.display());
        let mut entries: Vec<_> = fs::read_dir(&from)
            .and_then(Iterator::collect::<io::Result<_>>)
            .map_err(cannot)?;
        entries.sort_by_key(fs::DirEntry::file_name);
        for entry in entries {
            let path = inside.join(entry.file_name());
            match self.entry(&entry, &path) {
                Ok(true) => self.folder(&path)?,
                Ok(false) => {}
                // The file was removed meanwhile.
                Err(e) if e.kind() == ErrorKind::NotFound && !entry.path().exists() => {}
                Err(e) => return Err(format!("cannot copy `{}`: {e}", entry.path().display())),
            }
        }
        Ok(())
    }

    /// Copies a file or creates a folder; true for a folder whose contents are to be copied.
    fn entry(&mut self, entry: &fs::DirEntry, path: &Path) -> io::Result<bool> {
        let (from, to) = (entry.path(), self.copy.join(path));
        let data = fs::symlink_metadata(&from)?;
        let name = entry.file_name();
        if VERSION_CONTROL.iter().any(|v| name == *v) {
            return Ok(false);
        }
        if data.is_dir() {
            if from == self.target_dir || is_built(&from) {
                return Ok(false);
            }
            if name == LINKED {
                link(&to, &from)?;
                return Ok(false);
            }
            folder(&to)?;
            return Ok(true);
        }
        if data.is_symlink() {
            let leads = fs::read_link(&from)?;
            // A link into the workspace leads into the copy.
            let inside = leads
                .strip_prefix(self.root)
                .map(|rest| self.copy.join(rest));
            link(&to, &inside.unwrap_or(leads))?;
        } else if !data.is_file() || crate::write::is_part(&name) {
            return Ok(false);
        } else if data.len() > LARGEST && cfg!(unix) {
            link(&to, &from)?;
        } else {
            let bytes = read::bytes(&from)?;
            put(&to, &bytes)?;
            if path
                .extension()
                .is_some_and(|e| READ.iter().any(|r| e == *r))
            {
                self.read.push((path.to_owned(), hash(&bytes)));
            }
            #[cfg(unix)]
            {
                use std::os::unix::fs::PermissionsExt;
                let mode = data.permissions().mode() | 0o600;
                if fs::metadata(&to)?.permissions().mode() != mode {
                    fs::set_permissions(&to, fs::Permissions::from_mode(mode))?;
                }
            }
        }
        self.files.push(path.to_owned());
        Ok(false)
    }
}

/// True for a folder of build output, which a program can create again.
pub fn is_built(folder: &Path) -> bool {
    folder.join("CACHEDIR.TAG").exists() || folder.join(".rustc_info.json").exists()
}

/// Removes files from the copy that are no longer in the workspace; files that builds created are
/// kept.
fn forget(list: &Path, copy: &Path, files: &[PathBuf]) -> io::Result<()> {
    let known: FxHashSet<&Path> = files.iter().map(PathBuf::as_path).collect();
    let before = fs::read_to_string(list).unwrap_or_default();
    for path in before.lines().map(Path::new) {
        let is_inside = path.components().all(|c| matches!(c, Component::Normal(_)));
        // If a folder was replaced by a link, the file behind it belongs to the user.
        let mut folders = path.ancestors().skip(1);
        let is_copy = is_inside && !folders.any(|folder| copy.join(folder).is_symlink());
        if is_copy && !known.contains(path) {
            // It may be a link now, or a folder.
            let _ = fs::remove_file(copy.join(path));
        }
    }
    let lines: String = files
        .iter()
        .filter_map(|path| path.to_str())
        .filter(|path| !path.contains('\n'))
        .map(|path| format!("{path}\n"))
        .collect();
    crate::write::replace(list, lines.as_bytes())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_path_lies_below_another() {
        assert_eq!(
            mirrored(Path::new("/m"), Path::new("/a/b")),
            Path::new("/m/a/b")
        );
    }

    #[test]
    fn what_is_beside_is_linked_and_what_is_there_is_left() {
        let home = tempfile::tempdir().unwrap();
        let at = |path: &str| home.path().join(path);
        for path in ["ws/src", "ws/target/debug", "beside/src", ".git"] {
            fs::create_dir_all(at(path)).unwrap();
        }
        fs::write(at("ws/src/lib.rs"), "one").unwrap();
        fs::write(at("ws/target/CACHEDIR.TAG"), "").unwrap();
        fs::write(at("beside/data"), "data").unwrap();
        let root = at("ws");
        let below = at("ws/target/package");
        let copy = mirrored(&below, &root);
        let sync = || {
            link_around(&below, &root).unwrap();
            folder(&copy).unwrap();
            let mut walk = Walk {
                root: &root,
                copy: &copy,
                target_dir: &at("elsewhere"),
                files: Vec::new(),
                read: Vec::new(),
            };
            walk.folder(Path::new("")).unwrap();
            forget(&at("files"), &copy, &walk.files).unwrap();
            walk.files
        };
        assert_eq!(sync(), [Path::new("src/lib.rs")]);
        let time = || fs::metadata(copy.join("src/lib.rs")).unwrap().modified();
        let before = time().unwrap();
        assert_eq!(fs::read(copy.join("../beside/data")).unwrap(), b"data");
        assert!(!copy.join("../.git").exists() && !copy.join("target").exists());
        // A build creates a file, and a file of the workspace is renamed.
        fs::write(copy.join("src/made.rs"), "made").unwrap();
        sync();
        assert_eq!(time().unwrap(), before);
        fs::rename(at("ws/src/lib.rs"), at("ws/src/main.rs")).unwrap();
        sync();
        assert!(copy.join("src/main.rs").exists() && copy.join("src/made.rs").exists());
        assert!(!copy.join("src/lib.rs").exists());
        // A folder is moved, and a link leads to it.
        fs::rename(at("ws/src"), at("moved")).unwrap();
        std::os::unix::fs::symlink(at("moved"), at("ws/src")).unwrap();
        assert_eq!(sync(), [Path::new("src")]);
        assert!(copy.join("src").is_symlink() && at("moved/main.rs").exists());
    }
}
