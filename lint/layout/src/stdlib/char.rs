//! Iterators over escaped and mapped characters, and errors of parsing.

use crate::array::IntoIter;
use crate::convert::TryFrom;
use crate::iter::Iterator;
use crate::marker::PhantomData;
use crate::mem::ManuallyDrop;
use crate::ops::Range;
use crate::option::Option;
use crate::result::Result;
use crate::str::FromStr;

pub const MAX: char = '\u{10ffff}';
pub const REPLACEMENT_CHARACTER: char = '\u{fffd}';

pub struct CharTryFromError(());
pub struct DecodeUtf16<I: Iterator<Item = u16>> { iter: I, buf: Option<u16> }
pub struct DecodeUtf16Error { code: u16 }
#[cfg(version("1.89"))]
pub struct EscapeDebug(EscapeIterInner<10, MaybeEscaped>);
#[cfg(not(version("1.89")))]
pub struct EscapeDebug(EscapeDebugInner);
#[cfg(not(version("1.89")))]
enum EscapeDebugInner { Bytes(EscapeIterInner<10, AlwaysEscaped>), Char(char) }
pub struct EscapeDefault(EscapeIterInner<10, AlwaysEscaped>);
pub struct EscapeUnicode(EscapeIterInner<10, AlwaysEscaped>);
pub struct ParseCharError { kind: CharErrorKind }
enum CharErrorKind { EmptyString, TooManyChars }
pub struct ToLowercase(CaseMappingIter);
pub struct ToUppercase(CaseMappingIter);
pub struct TryFromCharError(());
struct CaseMappingIter(IntoIter<char, 3>);

pub(crate) struct EscapeIterInner<const N: usize, ESCAPING> {
    #[cfg(version("1.89"))]
    data: MaybeEscapedCharacter<N>,
    #[cfg(not(version("1.89")))]
    data: [crate::ascii::Char; N],
    alive: Range<u8>,
    escaping: PhantomData<ESCAPING>,
}
union MaybeEscapedCharacter<const N: usize> { escape_seq: ManuallyDrop<[crate::ascii::Char; N]>, literal: char }
pub(crate) struct AlwaysEscaped;
pub(crate) struct MaybeEscaped;

impl<I: Iterator<Item = u16>> Iterator for DecodeUtf16<I> { type Item = Result<char, DecodeUtf16Error>; }
impl Iterator for EscapeDebug { type Item = char; }
impl Iterator for EscapeDefault { type Item = char; }
impl Iterator for EscapeUnicode { type Item = char; }
impl Iterator for ToLowercase { type Item = char; }
impl Iterator for ToUppercase { type Item = char; }
impl FromStr for char { type Err = ParseCharError; }
impl TryFrom<u32> for char { type Error = CharTryFromError; }
impl TryFrom<char> for u8 { type Error = TryFromCharError; }
impl TryFrom<char> for u16 { type Error = TryFromCharError; }

impl char {
    pub const MIN: char = '\0';
    pub const MAX: char = '\u{10ffff}';
    pub const REPLACEMENT_CHARACTER: char = '\u{fffd}';
    pub const UNICODE_VERSION: (u8, u8, u8);
    #[cfg(version("1.93"))]
    pub const MAX_LEN_UTF8: usize = 4;
    #[cfg(version("1.93"))]
    pub const MAX_LEN_UTF16: usize = 2;
}
