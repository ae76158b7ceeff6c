//! Files and directories.

use crate::io::Error;
use crate::iter::Iterator;
use crate::result::Result;
use crate::sys::fs;

pub enum TryLockError { Error(Error), WouldBlock }
pub struct DirBuilder { inner: fs::DirBuilder, recursive: bool }
pub struct DirEntry(fs::DirEntry);
#[weigh(no_copy)]
#[weigh(slices(open, create), paths(open, create))]
pub struct File { inner: fs::File }
pub struct FileTimes(fs::FileTimes);
pub struct FileType(fs::FileType);
pub struct Metadata(fs::FileAttr);
pub struct OpenOptions(fs::OpenOptions);
pub struct Permissions(fs::FilePermissions);
pub struct ReadDir(fs::ReadDir);

impl Iterator for ReadDir { type Item = Result<DirEntry, Error>; }
