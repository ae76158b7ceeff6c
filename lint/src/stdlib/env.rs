//! Arguments and variables of the process.

use crate::ffi::OsString;
use crate::iter::Iterator;
use crate::path::PathBuf;
use crate::slice::Split;
use crate::string::String;

pub enum VarError { NotPresent, NotUnicode(OsString) }
pub struct Args { inner: ArgsOs }
pub struct ArgsOs { inner: crate::sys::args::Args }
pub struct JoinPathsError;
#[cfg(unix)]
pub struct SplitPaths<'a> { inner: Split<'a, u8, ()> }
pub struct Vars { inner: VarsOs }
pub struct VarsOs { inner: crate::sys::env::Env }

impl Iterator for Args { type Item = String; }
impl Iterator for ArgsOs { type Item = OsString; }
#[cfg(unix)]
impl<'a> Iterator for SplitPaths<'a> { type Item = PathBuf; }
impl Iterator for Vars { type Item = (String, String); }
impl Iterator for VarsOs { type Item = (OsString, OsString); }
