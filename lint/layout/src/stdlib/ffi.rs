//! Strings and integers of C and of the platform.

use crate::borrow::{Borrow, ToOwned};
use crate::boxed::Box;
use crate::convert::{Infallible, TryFrom};
use crate::ops::{Deref, Index, RangeFrom, RangeFull};
use crate::slice::Join;
use crate::str::{FromStr, Utf8Error};
use crate::string::String;
use crate::sys::os_str::{Buf, Slice};
use crate::vec::Vec;

pub struct CStr { inner: [c_char] }
#[weigh(text)]
pub struct CString { inner: Box<[u8]> }
pub enum FromBytesWithNulError { InteriorNul { position: usize }, NotNulTerminated }
pub struct FromBytesUntilNulError(());
pub struct FromVecWithNulError { error_kind: FromBytesWithNulErrorKind, bytes: Vec<u8> }
enum FromBytesWithNulErrorKind { InteriorNul(usize), NotNulTerminated }
pub struct IntoStringError { inner: CString, error: Utf8Error }
pub struct NulError(usize, Vec<u8>);

#[weigh(slices(new))]
pub struct OsStr { inner: Slice }
#[weigh(no_copy)]
#[weigh(slices(from))]
#[weigh(text)]
pub struct OsString { inner: Buf }

#[repr(u8)]
pub enum c_void { __variant1, __variant2 }
pub trait VaArgSafe {}

#[cfg(all(
    not(windows),
    not(target_vendor = "apple"),
    not(target_os = "vita"),
    any(
        target_arch = "aarch64",
        target_arch = "arm",
        target_arch = "csky",
        target_arch = "hexagon",
        target_arch = "msp430",
        target_arch = "powerpc",
        target_arch = "powerpc64",
        target_arch = "riscv32",
        target_arch = "riscv64",
        target_arch = "s390x",
        target_arch = "xtensa",
    ),
))]
pub type c_char = u8;
#[cfg(any(
    windows,
    target_vendor = "apple",
    target_os = "vita",
    not(any(
        target_arch = "aarch64",
        target_arch = "arm",
        target_arch = "csky",
        target_arch = "hexagon",
        target_arch = "msp430",
        target_arch = "powerpc",
        target_arch = "powerpc64",
        target_arch = "riscv32",
        target_arch = "riscv64",
        target_arch = "s390x",
        target_arch = "xtensa",
    )),
))]
pub type c_char = i8;
pub type c_schar = i8;
pub type c_uchar = u8;
pub type c_short = i16;
pub type c_ushort = u16;
#[cfg(not(any(target_arch = "avr", target_arch = "msp430")))]
pub type c_int = i32;
#[cfg(not(any(target_arch = "avr", target_arch = "msp430")))]
pub type c_uint = u32;
#[cfg(any(target_arch = "avr", target_arch = "msp430"))]
pub type c_int = i16;
#[cfg(any(target_arch = "avr", target_arch = "msp430"))]
pub type c_uint = u16;
#[cfg(all(target_pointer_width = "64", not(windows)))]
pub type c_long = i64;
#[cfg(all(target_pointer_width = "64", not(windows)))]
pub type c_ulong = u64;
#[cfg(any(not(target_pointer_width = "64"), windows))]
pub type c_long = i32;
#[cfg(any(not(target_pointer_width = "64"), windows))]
pub type c_ulong = u32;
pub type c_longlong = i64;
pub type c_ulonglong = u64;
pub type c_float = f32;
pub type c_double = f64;
pub type c_size_t = usize;
pub type c_ssize_t = isize;
pub type c_ptrdiff_t = isize;

impl ToOwned for CStr { type Owned = CString; }
impl Deref for CString { type Target = CStr; }
impl FromStr for CString { type Err = NulError; }
impl Index<RangeFrom<usize>> for CStr { type Output = CStr; }
impl Index<RangeFull> for CString { type Output = CStr; }
impl TryFrom<CString> for String { type Error = IntoStringError; }
impl ToOwned for OsStr { type Owned = OsString; }
impl Deref for OsString { type Target = OsStr; }
impl FromStr for OsString { type Err = Infallible; }
impl Index<RangeFull> for OsString { type Output = OsStr; }
impl<S: Borrow<OsStr>> Join<&OsStr> for [S] { type Output = OsString; }
impl<'a> TryFrom<&'a OsStr> for &'a str { type Error = Utf8Error; }

pub mod c_str {
    pub use super::{CStr, CString, FromBytesUntilNulError, FromBytesWithNulError};
    pub use super::{FromVecWithNulError, IntoStringError, NulError};
}

pub mod os_str {
    pub struct Display<'a> { os_str: &'a OsStr }

    pub use super::{OsStr, OsString};
}
