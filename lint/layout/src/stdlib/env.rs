//! Arguments and variables of the process.

use crate::ffi::OsString;
use crate::iter::{Iterator, Map};
use crate::path::PathBuf;
use crate::slice::Split;
use crate::string::String;

pub enum VarError { NotPresent, NotUnicode(OsString) }
pub struct Args { inner: ArgsOs }
pub struct ArgsOs { inner: crate::sys::args::Args }
pub struct JoinPathsError;
#[cfg(unix)]
pub struct SplitPaths<'a> {
    #[cfg(version("1.91"))]
    inner: Split<'a, u8, ()>,
    #[cfg(not(version("1.91")))]
    inner: Map<Split<'a, u8, fn(&u8) -> bool>, fn(&'a [u8]) -> PathBuf>,
}
#[cfg(windows)]
pub struct SplitPaths<'a> { data: crate::os::windows::ffi::EncodeWide<'a>, must_yield: bool }
#[cfg(all(target_family = "wasm", not(unix)))]
pub struct SplitPaths<'a>(!, crate::marker::PhantomData<&'a ()>);
pub struct Vars { inner: VarsOs }
pub struct VarsOs { inner: crate::sys::env::Env }

impl Iterator for Args { type Item = String; }
impl Iterator for ArgsOs { type Item = OsString; }
impl<'a> Iterator for SplitPaths<'a> { type Item = PathBuf; }
impl Iterator for Vars { type Item = (String, String); }
impl Iterator for VarsOs { type Item = (OsString, OsString); }
