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
use crate::store::{self, Closed, Folder, Kind, Type};
use rustc_hash::{FxHashSet, FxHasher};
use std::ffi::OsStr;
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
pub const LINKED: &str = "node_modules";

/// The name of the folder of a workspace.
fn name(project: &Project) -> String {
    let mut hasher = FxHasher::default();
    project.workspace_root.hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

/// The path of the folder in which `fix` works, for a workspace.
pub fn path(project: &Project) -> PathBuf {
    let (top, kind) = Kind::Fix.names();
    project.target_dir.join(top).join(kind).join(name(project))
}

/// The folder in which `fix` works, for a workspace; it is created.
///
/// # Errors
///
/// It cannot be created, or is not ours.
pub fn make(project: &Project) -> Result<Folder, String> {
    let place = store::make(&project.target_dir, Kind::Fix);
    let place = place.and_then(|folder| folder.own(name(project), true));
    place.map_err(|closed| store::needed(&closed))
}

/// As [`make`], if it exists.
///
/// # Errors
///
/// It does not exist, or is not ours.
pub fn find(project: &Project) -> Result<Folder, Closed> {
    store::find(&project.target_dir, Kind::Fix)?.own(name(project), false)
}

/// An up-to-date copy.
#[derive(Debug)]
pub struct Mirror {
    /// The folder that is copied: that of the workspace, or the common parent of all its packages.
    pub root: PathBuf,
    /// The copy.
    pub copy: PathBuf,
    /// Cargo's target folder for the copy.
    pub target: Folder,
    /// [`Mirror::copy`].
    folder: Folder,
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
        let place = make(project)?;
        let root = root(project);
        let cannot = |e: io::Error| format!("cannot copy to `{}`: {e}", place.path().display());
        let target = place.make_over("target").map_err(cannot)?;
        let links = target.without_links(&[COPIES]);
        links.map_err(|closed| store::needed(&closed))?;
        let below = target.make_over(COPIES).map_err(cannot)?;
        link_around(&below, &root).map_err(cannot)?;
        let folder = mirrored(&below, &root).map_err(cannot)?;
        let mut walk = Walk {
            root: &root,
            copy: folder.path(),
            target_dir: &project.target_dir,
            files: Vec::new(),
            read: Vec::new(),
        };
        walk.folder(Path::new(""), &folder)?;
        let Walk { files, read, .. } = walk;
        forget(&place, &folder, &files).map_err(cannot)?;
        Ok(Mirror {
            root,
            copy: folder.path().to_owned(),
            target,
            folder,
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
        let (around, name) = (path.parent(), path.file_name());
        let folder = self.folder.make_at(around.unwrap_or(Path::new("")));
        let put = folder.and_then(|folder| {
            let name = name.unwrap_or_default();
            put(&folder, name, text.as_bytes())
        });
        put.map_err(|e| format!("cannot write `{}`: {e}", self.copy.join(path).display()))
    }

    /// Removes a file that `fix` made in the copy, if it is there.
    ///
    /// # Errors
    ///
    /// The file cannot be removed.
    pub fn remove(&self, path: &Path) -> Result<(), String> {
        let folder = self.folder.at(path.parent().unwrap_or(Path::new("")));
        let removed = folder.and_then(|folder| folder.remove(path.file_name().unwrap_or_default()));
        match removed {
            Err(e) if e.kind() != io::ErrorKind::NotFound => {
                let path = self.copy.join(path);
                Err(format!("cannot remove `{}`: {e}", path.display()))
            }
            _ => Ok(()),
        }
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

/// In the target folder, the copy with all that is around it.
const COPIES: &str = "package";

/// The list of what was copied.
const LIST: &str = "files";

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

/// The folder for a path below another one; what is in the way is replaced.
fn mirrored(below: &Folder, path: &Path) -> io::Result<Folder> {
    let names = path.components().filter_map(|part| match part {
        Component::Normal(name) => Some(name),
        _ => None,
    });
    let mut at = below.at(Path::new(""))?;
    for name in names {
        at = at.make_over(name)?;
    }
    Ok(at)
}

/// Creates a link to a path, replacing what has its name. On systems that do not create links, most
/// builds work without them.
fn link(folder: &Folder, name: &OsStr, to: &Path) -> io::Result<()> {
    match folder.type_of(name) {
        Some(Type::Link) if folder.read_link(name)? == to => return Ok(()),
        Some(Type::Folder) => folder.remove_tree(name)?,
        Some(_) => folder.remove(name)?,
        None => {}
    }
    folder.link(name, to)
}

/// Links everything beside a folder and beside its parents.
fn link_around(below: &Folder, root: &Path) -> io::Result<()> {
    for inside in root.ancestors() {
        let Some(around) = inside.parent() else { break };
        let copy = mirrored(below, around)?;
        for name in copy.names()? {
            if copy.type_of(&name) == Some(Type::Link) && !copy.path().join(&name).exists() {
                copy.remove(&name)?;
            }
        }
        // A folder may be traversable without being readable.
        for entry in fs::read_dir(around).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let is_left = VERSION_CONTROL.iter().any(|v| name == *v);
            if !is_left && Some(name.as_os_str()) != inside.file_name() {
                link(&copy, &name, &entry.path())?;
            }
        }
    }
    Ok(())
}

/// Writes a file if its bytes differ: not through a link, nor to a read-only file.
fn put(folder: &Folder, name: &OsStr, bytes: &[u8]) -> io::Result<()> {
    match folder.type_of(name) {
        Some(Type::File) if folder.has(name, bytes) => return Ok(()),
        Some(Type::Folder) => folder.remove_tree(name)?,
        Some(_) => folder.remove(name)?,
        None => {}
    }
    folder.create(name, bytes)
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
    fn folder(&mut self, inside: &Path, to: &Folder) -> Result<(), String> {
        let from = self.root.join(inside);
        let cannot = |e: io::Error| format!("cannot copy `{}`: {e}", from.display());
        let mut entries: Vec<_> = fs::read_dir(&from)
            .and_then(Iterator::collect::<io::Result<_>>)
            .map_err(cannot)?;
        entries.sort_by_key(fs::DirEntry::file_name);
        for entry in entries {
            let path = inside.join(entry.file_name());
            match self.entry(&entry, &path, to) {
                Ok(Some(folder)) => self.folder(&path, &folder)?,
                Ok(None) => {}
                // The file was removed meanwhile.
                Err(e) if e.kind() == ErrorKind::NotFound && !entry.path().exists() => {}
                Err(e) => return Err(format!("cannot copy `{}`: {e}", entry.path().display())),
            }
        }
        Ok(())
    }

    /// Copies a file or creates a folder; returns one whose contents are to be copied.
    fn entry(
        &mut self,
        entry: &fs::DirEntry,
        path: &Path,
        to: &Folder,
    ) -> io::Result<Option<Folder>> {
        let from = entry.path();
        let data = fs::symlink_metadata(&from)?;
        let name = entry.file_name();
        if VERSION_CONTROL.iter().any(|v| name == *v) {
            return Ok(None);
        }
        if data.is_dir() {
            if from == self.target_dir || is_built(&from) {
                return Ok(None);
            }
            if name == LINKED {
                link(to, &name, &from)?;
                return Ok(None);
            }
            return to.make_over(&name).map(Some);
        }
        if data.is_symlink() {
            let leads = fs::read_link(&from)?;
            // A link into the workspace leads into the copy.
            let inside = leads
                .strip_prefix(self.root)
                .map(|rest| self.copy.join(rest));
            link(to, &name, &inside.unwrap_or(leads))?;
        } else if !data.is_file() || store::is_part(&name) {
            return Ok(None);
        } else if data.len() > LARGEST && cfg!(unix) {
            link(to, &name, &from)?;
        } else {
            let bytes = read::bytes(&from)?;
            put(to, &name, &bytes)?;
            if path
                .extension()
                .is_some_and(|e| READ.iter().any(|r| e == *r))
            {
                self.read.push((path.to_owned(), hash(&bytes)));
            }
            #[cfg(unix)]
            {
                use std::os::unix::fs::PermissionsExt;
                to.set_mode(&name, data.permissions().mode() | 0o600)?;
            }
        }
        self.files.push(path.to_owned());
        Ok(None)
    }
}

/// True for a folder of build output, which a program can create again.
pub fn is_built(folder: &Path) -> bool {
    folder.join("CACHEDIR.TAG").exists() || folder.join(".rustc_info.json").exists()
}

/// Removes files from the copy that are no longer in the workspace; files that builds created are
/// kept.
fn forget(place: &Folder, copy: &Folder, files: &[PathBuf]) -> io::Result<()> {
    let known: FxHashSet<&Path> = files.iter().map(PathBuf::as_path).collect();
    let before = place.read(LIST).unwrap_or_default();
    let before = String::from_utf8_lossy(&before);
    let gone = before.lines().map(Path::new).filter(|p| !known.contains(p));
    for path in gone {
        // If a folder was replaced by a link, the file behind it belongs to the user: then this is
        // an error.
        let folder = copy.at(path.parent().unwrap_or(Path::new("")));
        if let (Ok(folder), Some(name)) = (folder, path.file_name()) {
            // It may be a folder now.
            let _ = folder.remove(name);
        }
    }
    let lines: String = files
        .iter()
        .filter_map(|path| path.to_str())
        .filter(|path| !path.contains('\n'))
        .map(|path| format!("{path}\n"))
        .collect();
    place.replace(LIST, lines.as_bytes())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

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
        let place = Folder::of_user(&at("ws/target")).unwrap();
        let below = place.make("package").unwrap();
        let copy = &below.path().join(root.strip_prefix("/").unwrap());
        let sync = || {
            link_around(&below, &root).unwrap();
            let folder = mirrored(&below, &root).unwrap();
            assert_eq!(folder.path(), copy);
            let mut walk = Walk {
                root: &root,
                copy,
                target_dir: &at("elsewhere"),
                files: Vec::new(),
                read: Vec::new(),
            };
            walk.folder(Path::new(""), &folder).unwrap();
            forget(&place, &folder, &walk.files).unwrap();
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
