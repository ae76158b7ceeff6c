//! The growable string.

use crate::convert::{Infallible, TryFrom};
use crate::fmt::Display;
use crate::iter::Iterator;
use crate::ops::{Add, Deref};
use crate::str::{Chars, FromStr, Utf8Error};
use crate::vec::{IntoIter, Vec};

pub struct Drain<'a> { string: *mut String, start: usize, end: usize, iter: Chars<'a> }
#[cfg(version("1.97"))]
pub struct FromUtf16Error { kind: FromUtf16ErrorKind }
#[cfg(not(version("1.97")))]
pub struct FromUtf16Error(());
enum FromUtf16ErrorKind { LoneSurrogate, OddBytes }
pub struct FromUtf8Error { bytes: Vec<u8>, error: Utf8Error }
pub struct IntoChars { bytes: IntoIter<u8> }
#[weigh(no_copy)]
#[weigh(slices(from, from_utf16, from_utf16_lossy, from_utf8_lossy))]
#[weigh(text)]
pub struct String { vec: Vec<u8> }
pub trait ToString {}
pub type ParseError = Infallible;

impl<T: Display + ?Sized> ToString for T {}
impl Iterator for Drain<'_> { type Item = char; }
impl Iterator for IntoChars { type Item = char; }
impl Add<&str> for String { type Output = String; }
impl Deref for String { type Target = str; }
impl FromStr for String { type Err = Infallible; }
impl TryFrom<Vec<u8>> for String { type Error = FromUtf8Error; }
