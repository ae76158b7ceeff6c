//! Paths of the file system.

use crate::borrow::ToOwned;
use crate::convert::Infallible;
use crate::ffi::{OsStr, OsString};
use crate::iter::{IntoIterator, Iterator};
use crate::ops::Deref;
use crate::option::Option;
use crate::str::FromStr;

#[cfg(windows)]
pub const MAIN_SEPARATOR: char = '\\';
#[cfg(not(windows))]
pub const MAIN_SEPARATOR: char = '/';

pub enum Component<'a> { Prefix(PrefixComponent<'a>), RootDir, CurDir, ParentDir, Normal(&'a OsStr) }
pub enum Prefix<'a> {
    Verbatim(&'a OsStr),
    VerbatimUNC(&'a OsStr, &'a OsStr),
    VerbatimDisk(u8),
    DeviceNS(&'a OsStr),
    UNC(&'a OsStr, &'a OsStr),
    Disk(u8),
}
pub struct Ancestors<'a> { next: Option<&'a Path> }
pub struct Components<'a> {
    path: &'a [u8],
    prefix: Option<Prefix<'a>>,
    has_physical_root: bool,
    front: State,
    back: State,
}
enum State { Prefix, StartDir, Body, Done }
pub struct Display<'a> { inner: crate::ffi::os_str::Display<'a> }
pub struct Iter<'a> { inner: Components<'a> }
pub struct NormalizeError;
#[repr(transparent)]
#[weigh(slices(new))]
pub struct Path { inner: OsStr }
#[weigh(no_copy)]
#[weigh(slices(from))]
#[weigh(text)]
pub struct PathBuf { inner: OsString }
pub struct PrefixComponent<'a> { raw: &'a OsStr, parsed: Prefix<'a> }
pub struct StripPrefixError(());

impl<'a> Iterator for Ancestors<'a> { type Item = &'a Path; }
impl<'a> Iterator for Components<'a> { type Item = Component<'a>; }
impl<'a> Iterator for Iter<'a> { type Item = &'a OsStr; }
impl<'a> IntoIterator for &'a Path { type Item = &'a OsStr; type IntoIter = Iter<'a>; }
impl ToOwned for Path { type Owned = PathBuf; }
impl Deref for PathBuf { type Target = Path; }
impl FromStr for PathBuf { type Err = Infallible; }
impl<'a> IntoIterator for &'a PathBuf { type Item = &'a OsStr; type IntoIter = Iter<'a>; }
