//! A folder as a path, where there are no descriptors of folders: each step looks for links first.

use super::Type;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File, Metadata, OpenOptions};
use std::io;
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
pub(super) struct Dir(PathBuf);

/// Returns the kind of a file itself.
fn type_of(data: &Metadata) -> Type {
    #[cfg(windows)]
    {
        use std::os::windows::fs::MetadataExt;
        /// `FILE_ATTRIBUTE_REPARSE_POINT`: links, junctions and the like.
        const REPARSE_POINT: u32 = 0x400;
        if data.file_attributes() & REPARSE_POINT != 0 {
            return Type::Link;
        }
    }
    match data.file_type() {
        found if found.is_symlink() => Type::Link,
        found if found.is_dir() => Type::Folder,
        found if found.is_file() => Type::File,
        _ => Type::Other,
    }
}

impl Dir {
    pub(super) fn open(path: &Path) -> io::Result<Dir> {
        match fs::metadata(path)?.is_dir() {
            true => Ok(Dir(path.to_owned())),
            false => Err(io::ErrorKind::NotADirectory.into()),
        }
    }

    pub(super) fn again(&self) -> io::Result<Dir> {
        Ok(Dir(self.0.clone()))
    }

    pub(super) fn child(&self, name: &OsStr) -> io::Result<Dir> {
        match self.type_of(name)? {
            Type::Folder => Ok(Dir(self.0.join(name))),
            _ => Err(io::ErrorKind::NotADirectory.into()),
        }
    }

    pub(super) fn create(&self, name: &OsStr) -> io::Result<()> {
        fs::create_dir(self.0.join(name))
    }

    pub(super) fn metadata(&self) -> io::Result<Metadata> {
        fs::symlink_metadata(&self.0)
    }

    /// Folders cannot be synced here.
    #[allow(clippy::unnecessary_wraps, clippy::unused_self, reason = "as on Unix")]
    pub(super) fn sync(&self) -> io::Result<()> {
        Ok(())
    }

    pub(super) fn names(&self) -> io::Result<Vec<OsString>> {
        let entries = fs::read_dir(&self.0)?;
        entries.map(|entry| Ok(entry?.file_name())).collect()
    }

    pub(super) fn type_of(&self, name: &OsStr) -> io::Result<Type> {
        fs::symlink_metadata(self.0.join(name)).map(|data| type_of(&data))
    }

    pub(super) fn open_file(&self, name: &OsStr, how: How) -> io::Result<File> {
        let mut options = OpenOptions::new();
        match how {
            How::Read => options.read(true),
            How::Append => options.append(true).create(true),
            How::New => options.read(true).write(true).create_new(true),
        };
        #[cfg(windows)]
        {
            use std::os::windows::fs::OpenOptionsExt;
            /// `FILE_FLAG_OPEN_REPARSE_POINT`: a link is opened itself.
            const NOT_THROUGH: u32 = 0x0020_0000;
            options.custom_flags(NOT_THROUGH);
        }
        let file = options.open(self.0.join(name))?;
        match type_of(&file.metadata()?) {
            Type::File => Ok(file),
            _ => Err(io::Error::other("it is not a regular file")),
        }
    }

    pub(super) fn read_link(&self, name: &OsStr) -> io::Result<PathBuf> {
        fs::read_link(self.0.join(name))
    }

    /// Creating links requires a privilege here that few users have; most builds work without the
    /// links.
    #[allow(clippy::unnecessary_wraps, clippy::unused_self, reason = "as on Unix")]
    pub(super) fn link(&self, _: &OsStr, _: &Path) -> io::Result<()> {
        Ok(())
    }

    pub(super) fn rename(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        fs::rename(self.0.join(from), self.0.join(to))
    }

    /// A link to a folder is removed like a folder here.
    pub(super) fn remove(&self, name: &OsStr) -> io::Result<()> {
        let path = self.0.join(name);
        let data = fs::symlink_metadata(&path)?;
        match type_of(&data) {
            Type::Folder => Err(io::ErrorKind::IsADirectory.into()),
            Type::Link if fs::remove_file(&path).is_err() => fs::remove_dir(&path),
            Type::Link => Ok(()),
            Type::File | Type::Other => fs::remove_file(&path),
        }
    }

    pub(super) fn remove_tree(&self, name: &OsStr) -> io::Result<()> {
        let folder = self.child(name)?;
        for name in folder.names()? {
            match folder.type_of(&name)? {
                Type::Folder => folder.remove_tree(&name)?,
                _ => folder.remove(&name)?,
            }
        }
        fs::remove_dir(&folder.0)
    }
}

/// Why another user could have written a file or folder: it is not asked here.
pub(super) fn foreign(_: &Metadata) -> Option<String> {
    None
}
