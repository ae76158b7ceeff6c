//! Iterators over strings and over the results of searches.

use crate::iter::{Chain, Copied, Filter, FlatMap, Flatten, Iterator, Map};
use crate::marker::Sized;
use crate::option::{IntoIter, Option};
use crate::slice::Iter;
use crate::str::pattern::Pattern;

pub mod pattern;

pub struct Bytes<'a>(Copied<Iter<'a, u8>>);
pub struct CharIndices<'a> { front_offset: usize, iter: Chars<'a> }
pub struct Chars<'a> { iter: Iter<'a, u8> }
pub struct EncodeUtf16<'a> { chars: Chars<'a>, extra: u16 }
#[cfg(version("1.100"))]
pub struct EscapeDebug<'a> { inner: FlatMap<Chars<'a>, crate::char::EscapeDebug, CharEscapeDebug> }
#[cfg(not(version("1.100")))]
pub struct EscapeDebug<'a> {
    inner: Chain<
        Flatten<IntoIter<crate::char::EscapeDebug>>,
        FlatMap<Chars<'a>, crate::char::EscapeDebug, CharEscapeDebugContinue>,
    >,
}
pub struct EscapeDefault<'a> { inner: FlatMap<Chars<'a>, crate::char::EscapeDefault, CharEscapeDefault> }
pub struct EscapeUnicode<'a> { inner: FlatMap<Chars<'a>, crate::char::EscapeUnicode, CharEscapeUnicode> }
pub struct Lines<'a>(Map<SplitInclusive<'a, char>, LinesMap>);
pub struct LinesAny<'a>(Lines<'a>);
pub struct MatchIndices<'a, P: Pattern>(MatchIndicesInternal<'a, P>);
pub struct Matches<'a, P: Pattern>(MatchesInternal<'a, P>);
pub struct ParseBoolError;
struct SplitInternal<'a, P: Pattern> {
    start: usize,
    end: usize,
    matcher: <P as Pattern>::Searcher<'a>,
    allow_trailing_empty: bool,
    finished: bool,
}
struct SplitNInternal<'a, P: Pattern> { iter: SplitInternal<'a, P>, count: usize }
struct MatchesInternal<'a, P: Pattern>(<P as Pattern>::Searcher<'a>);
struct MatchIndicesInternal<'a, P: Pattern>(<P as Pattern>::Searcher<'a>);
// Functions as types.
struct LinesMap;
struct CharEscapeDebug;
struct CharEscapeDebugContinue;
struct CharEscapeUnicode;
struct CharEscapeDefault;
struct IsNotEmpty;
struct BytesIsNotEmpty;
struct UnsafeBytesToStr;
struct IsAsciiWhitespace;
pub(crate) struct IsWhitespace;
pub struct RMatchIndices<'a, P: Pattern>(MatchIndicesInternal<'a, P>);
pub struct RMatches<'a, P: Pattern>(MatchesInternal<'a, P>);
pub struct RSplit<'a, P: Pattern>(SplitInternal<'a, P>);
pub struct RSplitN<'a, P: Pattern>(SplitNInternal<'a, P>);
pub struct RSplitTerminator<'a, P: Pattern>(SplitInternal<'a, P>);
pub struct Split<'a, P: Pattern>(SplitInternal<'a, P>);
pub struct SplitAsciiWhitespace<'a> {
    inner: Map<Filter<crate::slice::Split<'a, u8, IsAsciiWhitespace>, BytesIsNotEmpty>, UnsafeBytesToStr>,
}
pub struct SplitInclusive<'a, P: Pattern>(SplitInternal<'a, P>);
pub struct SplitN<'a, P: Pattern>(SplitNInternal<'a, P>);
pub struct SplitTerminator<'a, P: Pattern>(SplitInternal<'a, P>);
pub struct SplitWhitespace<'a> { inner: Filter<Split<'a, IsWhitespace>, IsNotEmpty> }
pub struct Utf8Chunk<'a> { valid: &'a str, invalid: &'a [u8] }
pub struct Utf8Chunks<'a> { source: &'a [u8] }
pub struct Utf8Error { valid_up_to: usize, error_len: Option<u8> }
pub trait FromStr: Sized { type Err; }

impl Iterator for Bytes<'_> { type Item = u8; }
impl<'a> Iterator for CharIndices<'a> { type Item = (usize, char); }
impl<'a> Iterator for Chars<'a> { type Item = char; }
impl<'a> Iterator for EncodeUtf16<'a> { type Item = u16; }
impl<'a> Iterator for EscapeDebug<'a> { type Item = char; }
impl<'a> Iterator for EscapeDefault<'a> { type Item = char; }
impl<'a> Iterator for EscapeUnicode<'a> { type Item = char; }
impl<'a> Iterator for Lines<'a> { type Item = &'a str; }
impl<'a> Iterator for LinesAny<'a> { type Item = &'a str; }
impl<'a, P: Pattern> Iterator for MatchIndices<'a, P> { type Item = (usize, &'a str); }
impl<'a, P: Pattern> Iterator for Matches<'a, P> { type Item = &'a str; }
impl<'a, P: Pattern> Iterator for RMatchIndices<'a, P> { type Item = (usize, &'a str); }
impl<'a, P: Pattern> Iterator for RMatches<'a, P> { type Item = &'a str; }
impl<'a, P: Pattern> Iterator for RSplit<'a, P> { type Item = &'a str; }
impl<'a, P: Pattern> Iterator for RSplitN<'a, P> { type Item = &'a str; }
impl<'a, P: Pattern> Iterator for RSplitTerminator<'a, P> { type Item = &'a str; }
impl<'a, P: Pattern> Iterator for Split<'a, P> { type Item = &'a str; }
impl<'a> Iterator for SplitAsciiWhitespace<'a> { type Item = &'a str; }
impl<'a, P: Pattern> Iterator for SplitInclusive<'a, P> { type Item = &'a str; }
impl<'a, P: Pattern> Iterator for SplitN<'a, P> { type Item = &'a str; }
impl<'a, P: Pattern> Iterator for SplitTerminator<'a, P> { type Item = &'a str; }
impl<'a> Iterator for SplitWhitespace<'a> { type Item = &'a str; }
impl<'a> Iterator for Utf8Chunks<'a> { type Item = Utf8Chunk<'a>; }
