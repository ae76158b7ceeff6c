//! The one door to the folders that cargo-weigh keeps, in the target folder and in the user's cache
//! folder: opened component by component without following links, and only if they are ours.
//!
//! A project may come with any files in its target folder, and its configuration may name any
//! folder as that. So nothing is written, read or removed through a link, in a folder without our
//! marker, or in one that another user could have written. The target folder itself, and whatever
//! leads to it, may be a link. What a user names is written by `write` instead.
//!
//! On Unix a folder is held by a descriptor: a link that takes its place later leads nowhere. Each
//! of our folders belongs to one module, which removes only names of its own shape there.

#![allow(clippy::disallowed_methods, reason = "this is the door")]

#[cfg_attr(unix, path = "store/unix.rs")]
#[cfg_attr(not(unix), path = "store/other.rs")]
mod sys;
#[cfg(test)]
mod tests;

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs::{File, Metadata, TryLockError};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};
use sys::Dir;

/// Declares the kinds, so that none is missing in the list of all.
macro_rules! kinds {
    ($($(#[doc = $doc:literal])* $kind:ident in $top:literal / $name:literal,)*) => {
        /// What is kept in a folder of its own.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Kind {
            $($(#[doc = $doc])* $kind,)*
        }

        impl Kind {
            /// All kinds.
            pub const ALL: &[Kind] = &[$(Kind::$kind),*];

            /// The names of the folder that has our marker, and of the one below for this kind.
            pub const fn names(self) -> (&'static str, &'static str) {
                match self {
                    $(Kind::$kind => ($top, $name),)*
                }
            }
        }
    };
}

kinds! {
    /// Answers of earlier runs: `cache`.
    Cache in "weigh" / "cache",
    /// The builds of `census`, and its recorder while it runs: `cli::census`.
    Census in "weigh" / "census",
    /// The files of git revisions: `snapshot::revision`.
    Diff in "weigh" / "diff",
    /// A copy of the workspace, and the journal of the changes: `fix`.
    Fix in "weigh" / "fix",
    /// The builds of `futures`, and what rustc dumps in them: `futures::build`.
    Futures in "weigh" / "futures",
    /// In the user's cache folder, the answers of toolchains: `calibrate::kept`.
    Rustc in "cargo-weigh" / "rustc",
    /// The builds of `verify`: `cli::verify`.
    Verify in "weigh" / "verify",
}

/// The file that tells a folder of ours from any other one of that name, and its bytes: also a tag
/// by which backups leave it out.
const MARKER: (&str, &[u8]) = (
    "CACHEDIR.TAG",
    b"Signature: 8a477f597d28d172789f06886806bc55\n# This folder belongs to cargo-weigh.\n",
);

/// Prefix and suffix of the names of incomplete files, around six letters and digits. A
/// killed run leaves one behind. The writer holds a lock on it, so that the next run can tell an
/// abandoned file from one in use.
pub const PART: (&str, &str) = (".weigh-", ".part");

/// Number of random characters in a name.
const RANDOM: usize = 6;

/// On file systems without locks, what is unchanged for this long is abandoned.
const FORGOTTEN: Duration = Duration::from_secs(24 * 60 * 60);

/// Why a link is not used.
const LINK: &str = "it is a link";

/// Levels of a target folder of cargo with known names, as in `<triple>/debug/deps`.
const TARGET_DEPTH: usize = 3;

/// Attempts to create a file: another run may have the name, or remove the file as abandoned before
/// it is locked.
const ATTEMPTS: usize = 8;

/// A folder of ours.
#[derive(Debug)]
pub struct Folder {
    dir: Dir,
    path: PathBuf,
}

/// Why there is no folder of ours.
#[derive(Debug)]
pub enum Closed {
    /// It does not exist yet.
    Missing,
    /// The folder is not ours: its path and why.
    Foreign(PathBuf, String),
    /// A step failed at this path.
    Failed(PathBuf, io::Error),
}

impl fmt::Display for Closed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Closed::Missing => write!(f, "there is no folder yet"),
            Closed::Foreign(path, why) => write!(f, "`{}` is not used: {why}", path.display()),
            Closed::Failed(path, e) => write!(f, "cannot write `{}`: {e}", path.display()),
        }
    }
}

/// What is behind a name, links not followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A symbolic link, or on Windows any reparse point.
    Link,
    /// A pipe, a device or a socket.
    Other,
}

/// Returns the folder for a kind below a target folder, or the user's cache folder.
///
/// # Errors
/// It does not exist, is not ours or cannot be opened.
pub fn find(base: &Path, kind: Kind) -> Result<Folder, Closed> {
    opened(base, kind, false)
}

/// As [`find`], but creates what is missing.
///
/// # Errors
/// It is not ours, or cannot be created.
pub fn make(base: &Path, kind: Kind) -> Result<Folder, Closed> {
    opened(base, kind, true)
}

/// As [`make`], for a command that cannot do without the folder: no other run has it until the file
/// is closed.
///
/// # Errors
/// It is not ours, or cannot be written.
pub fn alone(base: &Path, kind: Kind) -> Result<(Folder, File), String> {
    let folder = make(base, kind).map_err(|closed| needed(&closed))?;
    let file = folder.lock("weigh.lock");
    let file =
        file.map_err(|e| format!("cannot write below `{}`: {e}", folder.path().display()))?;
    Ok((folder, file))
}

/// The text of an error for a command that cannot do without the folder.
pub fn needed(closed: &Closed) -> String {
    let help = match closed {
        Closed::Foreign(..) => {
            "\nhelp: remove or rename it, or name another target folder in `CARGO_TARGET_DIR`"
        }
        _ => "",
    };
    format!("{closed}{help}")
}

/// Folders that were to be used and are not ours, each once.
static REFUSED: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Takes the reasons why folders were not used, for the user.
pub fn refused() -> Vec<String> {
    std::mem::take(&mut *REFUSED.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Returns the folder if it is ours; why it is not is kept for [`refused`].
pub fn if_ours(opened: Result<Folder, Closed>) -> Option<Folder> {
    if let Err(closed @ Closed::Foreign(..)) = &opened {
        let (why, mut all) = (
            closed.to_string(),
            REFUSED.lock().unwrap_or_else(PoisonError::into_inner),
        );
        if !all.contains(&why) {
            all.push(why);
        }
    }
    opened.ok()
}

fn opened(base: &Path, kind: Kind, create: bool) -> Result<Folder, Closed> {
    let (outer, inner) = around(base);
    if create {
        std::fs::create_dir_all(&outer).map_err(|e| Closed::Failed(outer.clone(), e))?;
    }
    let mut at = Folder::of_user(&outer).map_err(|e| match e.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => Closed::Missing,
        _ => Closed::Failed(outer, e),
    })?;
    for (i, name) in inner.iter().enumerate() {
        at = match i {
            0 => at.marked(name, false)?,
            _ => at.inner(name, false)?,
        };
    }
    let (top, name) = kind.names();
    at.marked(top, create)?.own(name, create)
}

/// Divides the path of a target folder that we gave to cargo: the target folder around it, and the
/// names below that, which are ours. All others are outside.
fn around(base: &Path) -> (PathBuf, Vec<OsString>) {
    let names: Vec<&OsStr> = base.iter().collect();
    let texts: Vec<&str> = names.iter().filter_map(|name| name.to_str()).collect();
    let inner = match texts[..] {
        [.., "weigh", "verify"] => 2,
        [.., "weigh", "census", "build"] => 3,
        [.., "weigh", "fix", _, "target"] => 4,
        _ => 0,
    };
    let (outer, inner) = names.split_at(names.len() - inner);
    let inner = inner.iter().map(|&name| name.to_owned()).collect();
    (outer.iter().collect(), inner)
}

impl Folder {
    /// Opens a folder that the user named; links are followed.
    ///
    /// # Errors
    /// It cannot be opened, or is none.
    pub fn of_user(path: &Path) -> io::Result<Folder> {
        let path = match path.as_os_str().is_empty() {
            true => Path::new("."),
            false => path,
        };
        let (dir, path) = (Dir::open(path)?, path.to_owned());
        Ok(Folder { dir, path })
    }

    /// Returns the path by which other programs find it.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Opens a folder with our marker, which only this user can write.
    fn marked(&self, name: impl AsRef<OsStr>, create: bool) -> Result<Folder, Closed> {
        let folder = self.own(name, create)?;
        let foreign = |why: &str| Closed::Foreign(folder.path.clone(), why.to_owned());
        let failed = |e| Closed::Failed(folder.path.clone(), e);
        let is_marked = || folder.read(MARKER.0).is_ok_and(|tag| tag == MARKER.1);
        if is_marked() {
            return Ok(folder);
        }
        let names = folder.names().map_err(failed)?;
        match names.iter().all(|name| is_part(name)) {
            // It is new, or a run was killed before it wrote the marker.
            true if create => {
                folder.replace(MARKER.0, MARKER.1).map_err(failed)?;
                folder.sweep();
            }
            true => return Err(Closed::Missing),
            // Another run may have written it just now, before anything else.
            false if is_marked() => {}
            false => {
                return Err(foreign(
                    "it has no `CACHEDIR.TAG` of cargo-weigh, so its files are not ours",
                ));
            }
        }
        Ok(folder)
    }

    /// Opens a folder that only this user can write.
    ///
    /// # Errors
    /// It does not exist, is not ours, or cannot be created.
    pub fn own(&self, name: impl AsRef<OsStr>, create: bool) -> Result<Folder, Closed> {
        let folder = self.inner(name, create)?;
        let data = folder.dir.metadata();
        let data = data.map_err(|e| Closed::Failed(folder.path.clone(), e))?;
        match sys::foreign(&data) {
            Some(why) => Err(Closed::Foreign(folder.path, why)),
            None => Ok(folder),
        }
    }

    /// Opens a folder inside one that only this user can write.
    fn inner(&self, name: impl AsRef<OsStr>, create: bool) -> Result<Folder, Closed> {
        let name = name.as_ref();
        let path = self.path.join(name);
        let mut opened = self.folder(name);
        if create && is_missing(&opened) {
            match self.dir.create(name) {
                Err(e) if e.kind() != ErrorKind::AlreadyExists => {
                    return Err(Closed::Failed(path, e));
                }
                _ => opened = self.folder(name),
            }
        }
        opened.map_err(|e| match self.type_of(name) {
            None => Closed::Missing,
            Some(Type::Link) => Closed::Foreign(path, LINK.to_owned()),
            Some(Type::File | Type::Other) => Closed::Foreign(path, "it is no folder".to_owned()),
            Some(Type::Folder) => Closed::Failed(path, e),
        })
    }

    /// Opens a folder in this one; a link is an error.
    ///
    /// # Errors
    /// It does not exist, or is no folder.
    pub fn folder(&self, name: impl AsRef<OsStr>) -> io::Result<Folder> {
        let name = single(name.as_ref())?;
        let path = self.path.join(name);
        let dir = self.dir.child(name).map_err(|e| self.why(name, e))?;
        Ok(Folder { dir, path })
    }

    /// Opens a folder at a relative path; a link on the way is an error.
    ///
    /// # Errors
    /// As [`Folder::folder`].
    pub fn at(&self, path: &Path) -> io::Result<Folder> {
        let mut at = self.again()?;
        for name in path {
            at = at.folder(name)?;
        }
        Ok(at)
    }

    /// As [`Folder::at`], but creates what is missing.
    ///
    /// # Errors
    /// A link or a file is in the way, or a folder cannot be created.
    pub fn make_at(&self, path: &Path) -> io::Result<Folder> {
        let mut at = self.again()?;
        for name in path {
            at = at.make(name)?;
        }
        Ok(at)
    }

    /// Opens or creates a folder in this one.
    ///
    /// # Errors
    /// A link or a file has the name, or it cannot be created.
    pub fn make(&self, name: impl AsRef<OsStr>) -> io::Result<Folder> {
        let name = single(name.as_ref())?;
        match self.folder(name) {
            Err(e) if e.kind() == ErrorKind::NotFound => {}
            opened => return opened,
        }
        match self.dir.create(name) {
            Err(e) if e.kind() != ErrorKind::AlreadyExists => Err(e),
            _ => self.folder(name),
        }
    }

    /// As [`Folder::make`], but replaces a link or a file of that name.
    ///
    /// # Errors
    /// It cannot be created.
    pub fn make_over(&self, name: impl AsRef<OsStr>) -> io::Result<Folder> {
        let name = name.as_ref();
        if self.type_of(name).is_some_and(|t| t != Type::Folder) {
            self.remove(name)?;
        }
        self.make(name)
    }

    /// Refuses links in a target folder of cargo that is ours, as far down as the names there are
    /// known: cargo and rustc would write through them.
    ///
    /// # Errors
    /// The first link.
    pub fn without_links(&self, except: &[&str]) -> Result<(), Closed> {
        self.without_links_to(except, TARGET_DEPTH)
    }

    fn without_links_to(&self, except: &[&str], depth: usize) -> Result<(), Closed> {
        let failed = |e| Closed::Failed(self.path.clone(), e);
        for name in self.names().map_err(failed)? {
            match self.type_of(&name) {
                // On macOS cargo links the folders of debug information.
                _ if except.iter().any(|e| name == *e)
                    || Path::new(&name).extension() == Some("dSYM".as_ref()) => {}
                Some(Type::Link) => {
                    return Err(Closed::Foreign(self.path.join(name), LINK.to_owned()));
                }
                Some(Type::Folder) if depth > 1 => {
                    self.inner(&name, false)?.without_links_to(&[], depth - 1)?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn again(&self) -> io::Result<Folder> {
        let (dir, path) = (self.dir.again()?, self.path.clone());
        Ok(Folder { dir, path })
    }

    /// Returns when the folder itself last changed.
    pub fn modified(&self) -> Option<SystemTime> {
        self.dir.metadata().ok()?.modified().ok()
    }

    /// Returns the names in it.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn names(&self) -> io::Result<Vec<OsString>> {
        self.dir.names()
    }

    /// Returns what is behind a name; `None` if nothing is.
    pub fn type_of(&self, name: impl AsRef<OsStr>) -> Option<Type> {
        self.dir.type_of(single(name.as_ref()).ok()?).ok()
    }

    /// Opens a regular file for reading.
    ///
    /// # Errors
    /// It does not exist, or is a link or another kind of file.
    pub fn open(&self, name: impl AsRef<OsStr>) -> io::Result<File> {
        self.opened(single(name.as_ref())?, sys::How::Read)
    }

    fn opened(&self, name: &OsStr, how: sys::How) -> io::Result<File> {
        let file = self.dir.open_file(name, how);
        file.and_then(regular).map_err(|e| self.why(name, e))
    }

    /// Returns the error, or a clearer one if a link is in the way.
    fn why(&self, name: &OsStr, e: io::Error) -> io::Error {
        match self.dir.type_of(name) {
            Ok(Type::Link) => io::Error::other(format!("`{}` is a link", name.display())),
            _ => e,
        }
    }

    /// Returns the bytes of a regular file that only this user can write.
    ///
    /// # Errors
    /// As [`Folder::open`], or another user may have written it.
    pub fn read(&self, name: impl AsRef<OsStr>) -> io::Result<Vec<u8>> {
        let mut file = self.open(name)?;
        if let Some(why) = sys::foreign(&file.metadata()?) {
            return Err(io::Error::new(ErrorKind::PermissionDenied, why));
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// Returns true for a regular file with these bytes.
    pub fn has(&self, name: impl AsRef<OsStr>, bytes: &[u8]) -> bool {
        let same = self.open(name).and_then(|mut file| {
            let mut found = Vec::new();
            let is_as_long = file.metadata()?.len() == bytes.len() as u64;
            Ok(is_as_long && file.read_to_end(&mut found).is_ok() && found == bytes)
        });
        same.unwrap_or(false)
    }

    /// Returns the metadata of a regular file.
    pub fn data(&self, name: impl AsRef<OsStr>) -> Option<Metadata> {
        self.open(name).ok()?.metadata().ok()
    }

    /// Returns where a link leads.
    ///
    /// # Errors
    /// It is no link.
    pub fn read_link(&self, name: impl AsRef<OsStr>) -> io::Result<PathBuf> {
        self.dir.read_link(single(name.as_ref())?)
    }

    /// Locks a file, which is created if necessary, until the returned handle is dropped; waits for
    /// other runs. On a file system without locks nothing is locked.
    ///
    /// # Errors
    /// The file cannot be created, or is a link.
    pub fn lock(&self, name: impl AsRef<OsStr>) -> io::Result<File> {
        let name = single(name.as_ref())?;
        let file = self.opened(name, sys::How::Append)?;
        let _ = file.lock();
        Ok(file)
    }

    /// Creates a file, which only its owner can read.
    ///
    /// # Errors
    /// There is something of that name, or it cannot be written.
    pub fn create(&self, name: impl AsRef<OsStr>, bytes: &[u8]) -> io::Result<()> {
        let name = single(name.as_ref())?;
        self.dir.open_file(name, sys::How::New)?.write_all(bytes)
    }

    /// Replaces a file atomically, without a sync: for dispensable data that carries its own
    /// checksum. A link of that name is replaced, not followed.
    ///
    /// # Errors
    /// A step fails; the old file is unchanged then.
    pub fn put(&self, name: impl AsRef<OsStr>, bytes: &[u8]) -> io::Result<()> {
        self.over(name.as_ref(), bytes, |_| Ok(()))
    }

    /// As [`Folder::put`], and synced: the bytes are there when it returns, whatever happens then.
    ///
    /// # Errors
    /// As [`Folder::put`].
    pub fn replace(&self, name: impl AsRef<OsStr>, bytes: &[u8]) -> io::Result<()> {
        self.over(name.as_ref(), bytes, File::sync_all)?;
        // Some file systems do not support it, which is no error: the file is complete either way.
        let _ = self.dir.sync();
        Ok(())
    }

    fn over(
        &self,
        name: &OsStr,
        bytes: &[u8],
        end: impl Fn(&File) -> io::Result<()>,
    ) -> io::Result<()> {
        let name = single(name)?;
        let mut attempts = 0;
        loop {
            attempts += 1;
            let part: OsString = format!("{}{}{}", PART.0, random(), PART.1).into();
            let written = self
                .dir
                .open_file(&part, sys::How::New)
                .and_then(|mut file| {
                    // Without locks, the age of the file decides (`FORGOTTEN`).
                    let _ = file.lock();
                    let written = file.write_all(bytes).and_then(|()| end(&file));
                    let renamed = written.and_then(|()| self.dir.rename(&part, name));
                    renamed.inspect_err(|_| {
                        let _ = self.dir.remove(&part);
                    })
                });
            match written {
                Err(e)
                    if attempts < ATTEMPTS
                        && matches!(e.kind(), ErrorKind::NotFound | ErrorKind::AlreadyExists) => {}
                written => return written,
            }
        }
    }

    /// Sets the permissions of a regular file.
    ///
    /// # Errors
    /// As [`Folder::open`], or they cannot be set.
    #[cfg(unix)]
    pub fn set_mode(&self, name: impl AsRef<OsStr>, mode: u32) -> io::Result<()> {
        use std::os::unix::fs::PermissionsExt;
        let file = self.open(name)?;
        if file.metadata()?.permissions().mode() == mode {
            return Ok(());
        }
        file.set_permissions(std::fs::Permissions::from_mode(mode))
    }

    /// Creates a symbolic link.
    ///
    /// # Errors
    /// There is something of that name, or it cannot be created.
    pub fn link(&self, name: impl AsRef<OsStr>, to: &Path) -> io::Result<()> {
        self.dir.link(single(name.as_ref())?, to)
    }

    /// Renames what is in this folder.
    ///
    /// # Errors
    /// It does not exist, or the new name is that of a folder with contents.
    pub fn rename(&self, from: impl AsRef<OsStr>, to: impl AsRef<OsStr>) -> io::Result<()> {
        self.dir
            .rename(single(from.as_ref())?, single(to.as_ref())?)
    }

    /// Removes a file or a link itself; not a folder.
    ///
    /// # Errors
    /// It does not exist, or cannot be removed.
    pub fn remove(&self, name: impl AsRef<OsStr>) -> io::Result<()> {
        self.dir.remove(single(name.as_ref())?)
    }

    /// Removes a regular file, if the name is that of one.
    pub fn remove_file(&self, name: impl AsRef<OsStr>) {
        if self.type_of(name.as_ref()) == Some(Type::File) {
            // Another run may have removed it.
            let _ = self.remove(name);
        }
    }

    /// Removes a folder with all that is in it; links in it are removed themselves.
    ///
    /// # Errors
    /// It does not exist, is no folder, or something cannot be removed.
    pub fn remove_tree(&self, name: impl AsRef<OsStr>) -> io::Result<()> {
        self.dir.remove_tree(single(name.as_ref())?)
    }

    /// Creates a file without a name, which is gone when it is closed.
    ///
    /// # Errors
    /// It cannot be created.
    #[cfg(unix)]
    pub fn nameless(&self) -> io::Result<File> {
        let name: OsString = format!("{}{}{}", PART.0, random(), PART.1).into();
        let file = self.dir.open_file(&name, sys::How::New)?;
        self.dir.remove(&name)?;
        Ok(file)
    }

    /// Creates a folder for the time until the result is dropped.
    ///
    /// # Errors
    /// It cannot be created.
    pub fn temporary(&self, prefix: &str) -> io::Result<Temporary> {
        let mut attempts = 0;
        loop {
            attempts += 1;
            let name = format!("{prefix}{}", random());
            match self.dir.create(name.as_ref()) {
                Err(e) if attempts < ATTEMPTS && e.kind() == ErrorKind::AlreadyExists => {}
                Err(e) => return Err(e),
                Ok(()) => {
                    let folder = self.folder(&name)?;
                    let (around, name) = (self.again()?, name.into());
                    return Ok(Temporary {
                        around,
                        name,
                        folder,
                        kept: false,
                    });
                }
            }
        }
    }

    /// Removes the temporary folders that killed runs have left long ago.
    #[cfg(unix)]
    pub fn sweep_temporary(&self, prefix: &str) {
        for name in self.names().unwrap_or_default() {
            let name = name.to_str().unwrap_or_default();
            let is_one = name.strip_prefix(prefix).is_some_and(is_random);
            let changed = self.folder(name).ok().and_then(|folder| folder.modified());
            if is_one && changed.is_some_and(is_forgotten) {
                // The next run tries it again.
                let _ = self.remove_tree(name);
            }
        }
    }

    /// Removes the incomplete files that killed runs have left.
    pub fn sweep(&self) {
        for name in self.names().unwrap_or_default() {
            if is_part(&name) && self.open(&name).is_ok_and(|file| is_left(&file)) {
                self.remove_file(&name);
            }
        }
    }
}

/// A folder that is removed when this is dropped.
#[derive(Debug)]
pub struct Temporary {
    around: Folder,
    name: OsString,
    folder: Folder,
    kept: bool,
}

impl Temporary {
    /// Creates a folder among the temporary files of the system.
    ///
    /// # Errors
    /// It cannot be created.
    pub fn anywhere() -> io::Result<Temporary> {
        Folder::of_user(&std::env::temp_dir())?.temporary("cargo-weigh-")
    }

    /// Returns the folder.
    pub fn folder(&self) -> &Folder {
        &self.folder
    }

    /// Returns another handle; the folder is removed when the first of them is dropped.
    ///
    /// # Errors
    /// There are too many open files.
    pub fn twin(&self) -> io::Result<Temporary> {
        Ok(Temporary {
            around: self.around.again()?,
            name: self.name.clone(),
            folder: self.folder.again()?,
            kept: false,
        })
    }

    /// Gives it a lasting name.
    ///
    /// # Errors
    /// The name is that of a folder with contents; it is removed then.
    pub fn keep(mut self, name: &str) -> io::Result<()> {
        self.around.rename(&self.name, name)?;
        self.kept = true;
        Ok(())
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if !self.kept {
            // Nothing more can be done.
            let _ = self.around.remove_tree(&self.name);
        }
    }
}

/// Returns true for the name of an incomplete file.
pub fn is_part(name: &OsStr) -> bool {
    let middle = name.to_str().and_then(|name| name.strip_prefix(PART.0));
    middle
        .and_then(|name| name.strip_suffix(PART.1))
        .is_some_and(is_random)
}

/// Returns true for the characters that make a temporary name unique.
pub fn is_random(text: &str) -> bool {
    text.len() == RANDOM && text.bytes().all(|b| b.is_ascii_alphanumeric())
}

/// Returns true for a file that no living run holds locked.
pub fn is_left(file: &File) -> bool {
    match file.try_lock() {
        Ok(()) => true,
        Err(TryLockError::WouldBlock) => false,
        Err(TryLockError::Error(_)) => {
            let changed = file.metadata().and_then(|data| data.modified());
            changed.is_ok_and(is_forgotten)
        }
    }
}

fn is_forgotten(changed: SystemTime) -> bool {
    let age = SystemTime::now().duration_since(changed);
    age.is_ok_and(|age| age > FORGOTTEN)
}

fn random() -> String {
    // A new state has new keys.
    let n = RandomState::new().build_hasher().finish();
    format!("{n:016x}")[..RANDOM].to_owned()
}

fn is_missing<T>(opened: &io::Result<T>) -> bool {
    matches!(opened, Err(e) if e.kind() == ErrorKind::NotFound)
}

/// An error unless the file is a regular one.
fn regular(file: File) -> io::Result<File> {
    match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(io::Error::other("it is not a regular file")),
    }
}

/// An error unless the name is a single one: a path could lead through links.
fn single(name: &OsStr) -> io::Result<&OsStr> {
    let mut parts = Path::new(name).components();
    match (parts.next(), parts.next()) {
        (Some(Component::Normal(one)), None) if one == name => Ok(name),
        _ => Err(io::Error::new(
            ErrorKind::InvalidInput,
            "it is not a plain name",
        )),
    }
}
