//! A folder as a descriptor: no step follows a link.

use super::Type;
use rustix::fs::{AtFlags, FileType, Mode, OFlags, fsync, mkdirat, openat, renameat, symlinkat};
use rustix::fs::{readlinkat, statat, unlinkat};
use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata};
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// How a file is opened.
#[derive(Clone, Copy)]
pub(super) enum How {
    Read,
    /// Created if necessary, and written at its end.
    Append,
    /// Created, and written.
    New,
}

#[derive(Debug)]
pub(super) struct Dir(File);

const FOLDER: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::CLOEXEC);

impl Dir {
    pub(super) fn open(path: &Path) -> io::Result<Dir> {
        let dir = rustix::fs::open(path, FOLDER, Mode::empty())?;
        Ok(Dir(dir.into()))
    }

    pub(super) fn again(&self) -> io::Result<Dir> {
        self.0.try_clone().map(Dir)
    }

    pub(super) fn child(&self, name: &OsStr) -> io::Result<Dir> {
        let dir = openat(&self.0, name, FOLDER | OFlags::NOFOLLOW, Mode::empty())?;
        Ok(Dir(dir.into()))
    }

    pub(super) fn create(&self, name: &OsStr) -> io::Result<()> {
        Ok(mkdirat(&self.0, name, Mode::RWXU)?)
    }

    pub(super) fn metadata(&self) -> io::Result<Metadata> {
        self.0.metadata()
    }

    pub(super) fn sync(&self) -> io::Result<()> {
        Ok(fsync(&self.0)?)
    }

    pub(super) fn names(&self) -> io::Result<Vec<OsString>> {
        let mut names = Vec::new();
        for entry in rustix::fs::Dir::read_from(&self.0)? {
            let name = entry?.file_name().to_bytes().to_owned();
            if !matches!(&name[..], b"." | b"..") {
                names.push(OsString::from_vec(name));
            }
        }
        Ok(names)
    }

    pub(super) fn type_of(&self, name: &OsStr) -> io::Result<Type> {
        let data = statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW)?;
        Ok(match FileType::from_raw_mode(data.st_mode) {
            FileType::RegularFile => Type::File,
            FileType::Directory => Type::Folder,
            FileType::Symlink => Type::Link,
            _ => Type::Other,
        })
    }

    pub(super) fn open_file(&self, name: &OsStr, how: How) -> io::Result<File> {
        let how = match how {
            // Opening a pipe would wait for its other end.
            How::Read => OFlags::RDONLY | OFlags::NONBLOCK,
            How::Append => OFlags::WRONLY | OFlags::CREATE | OFlags::APPEND | OFlags::NONBLOCK,
            How::New => OFlags::RDWR | OFlags::CREATE | OFlags::EXCL,
        };
        let flags = how | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NOCTTY;
        Ok(openat(&self.0, name, flags, Mode::RUSR | Mode::WUSR)?.into())
    }

    pub(super) fn read_link(&self, name: &OsStr) -> io::Result<PathBuf> {
        let to = readlinkat(&self.0, name, Vec::new())?;
        Ok(OsStr::from_bytes(to.to_bytes()).into())
    }

    pub(super) fn link(&self, name: &OsStr, to: &Path) -> io::Result<()> {
        Ok(symlinkat(to, &self.0, name)?)
    }

    pub(super) fn rename(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        Ok(renameat(&self.0, from, &self.0, to)?)
    }

    pub(super) fn remove(&self, name: &OsStr) -> io::Result<()> {
        Ok(unlinkat(&self.0, name, AtFlags::empty())?)
    }

    pub(super) fn remove_tree(&self, name: &OsStr) -> io::Result<()> {
        let folder = self.child(name)?;
        for name in folder.names()? {
            match folder.type_of(&name)? {
                Type::Folder => folder.remove_tree(&name)?,
                _ => folder.remove(&name)?,
            }
        }
        Ok(unlinkat(&self.0, name, AtFlags::REMOVEDIR)?)
    }
}

/// Why another user could have written a file or folder; `None` if none could.
pub(super) fn foreign(data: &Metadata) -> Option<String> {
    let (owner, mode) = (data.uid(), data.mode());
    if owner != rustix::process::geteuid().as_raw() {
        return Some(format!("it belongs to another user (number {owner})"));
    }
    (mode & 0o022 != 0).then(|| {
        format!(
            "other users may write to it (its mode is {:o})",
            mode & 0o777
        )
    })
}
