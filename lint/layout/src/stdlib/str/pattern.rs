//! String patterns and their searchers.

use crate::ops::FnOnce;
use crate::str::{CharIndices, IsWhitespace};
use crate::string::String;

pub trait Pattern { type Searcher<'a>; }
pub trait Searcher<'a> {}
pub trait ReverseSearcher<'a>: Searcher<'a> {}
pub trait DoubleEndedSearcher<'a>: ReverseSearcher<'a> {}
pub enum SearchStep { Match(usize, usize), Reject(usize, usize), Done }
pub enum Utf8Pattern<'a> { StringPattern(&'a [u8]), CharPattern(char) }

pub struct CharSearcher<'a> {
    haystack: &'a str,
    finger: usize,
    finger_back: usize,
    needle: char,
    utf8_size: u8,
    utf8_encoded: [u8; 4],
}
struct MultiCharEqSearcher<'a, C> { char_eq: C, haystack: &'a str, char_indices: CharIndices<'a> }
pub struct CharArraySearcher<'a, const N: usize>(MultiCharEqSearcher<'a, [char; N]>);
pub struct CharArrayRefSearcher<'a, 'b, const N: usize>(MultiCharEqSearcher<'a, &'b [char; N]>);
pub struct CharSliceSearcher<'a, 'b>(MultiCharEqSearcher<'a, &'b [char]>);
pub struct CharPredicateSearcher<'a, F>(MultiCharEqSearcher<'a, F>);

pub struct StrSearcher<'a, 'b> { haystack: &'a str, needle: &'b str, searcher: StrSearcherImpl }
enum StrSearcherImpl { Empty(EmptyNeedle), TwoWay(TwoWaySearcher) }
struct EmptyNeedle { position: usize, end: usize, is_match_fw: bool, is_match_bw: bool, is_finished: bool }
struct TwoWaySearcher {
    crit_pos: usize,
    crit_pos_back: usize,
    period: usize,
    byteset: u64,
    position: usize,
    end: usize,
    memory: usize,
    memory_back: usize,
}

impl Pattern for char { type Searcher<'a> = CharSearcher<'a>; }
impl<const N: usize> Pattern for [char; N] { type Searcher<'a> = CharArraySearcher<'a, N>; }
impl<'b, const N: usize> Pattern for &'b [char; N] { type Searcher<'a> = CharArrayRefSearcher<'a, 'b, N>; }
impl<'b> Pattern for &'b [char] { type Searcher<'a> = CharSliceSearcher<'a, 'b>; }
impl<'b> Pattern for &'b str { type Searcher<'a> = StrSearcher<'a, 'b>; }
impl<'b, 'c> Pattern for &'c &'b str { type Searcher<'a> = StrSearcher<'a, 'b>; }
impl<'b> Pattern for &'b String { type Searcher<'a> = StrSearcher<'a, 'b>; }
impl Pattern for IsWhitespace { type Searcher<'a> = CharPredicateSearcher<'a, IsWhitespace>; }
impl<F: FnOnce<(char,), Output = bool>> Pattern for F { type Searcher<'a> = CharPredicateSearcher<'a, F>; }
