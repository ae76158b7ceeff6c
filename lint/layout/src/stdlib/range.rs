//! The ranges that replace those of `ops`.

use crate::iter::{IntoIterator, Iterator};
use crate::slice::SliceIndex;

pub struct Range<Idx> { pub start: Idx, pub end: Idx }
pub struct RangeFrom<Idx> { pub start: Idx }
pub struct RangeFromIter<A> { start: A, first: bool }
pub struct RangeInclusive<Idx> { pub start: Idx, pub last: Idx }
pub struct RangeInclusiveIter<A>(crate::ops::RangeInclusive<A>);
pub struct RangeIter<A>(crate::ops::Range<A>);
pub struct RangeToInclusive<Idx> { pub last: Idx }

impl<A> IntoIterator for Range<A> { type Item = A; type IntoIter = RangeIter<A>; }
impl<T> SliceIndex<[T]> for Range<usize> { type Output = [T]; }
impl SliceIndex<str> for Range<usize> { type Output = str; }
impl<A> IntoIterator for RangeFrom<A> { type Item = A; type IntoIter = RangeFromIter<A>; }
impl<T> SliceIndex<[T]> for RangeFrom<usize> { type Output = [T]; }
impl SliceIndex<str> for RangeFrom<usize> { type Output = str; }
impl<A> Iterator for RangeFromIter<A> { type Item = A; }
impl<A> IntoIterator for RangeInclusive<A> { type Item = A; type IntoIter = RangeInclusiveIter<A>; }
impl<T> SliceIndex<[T]> for RangeInclusive<usize> { type Output = [T]; }
impl SliceIndex<str> for RangeInclusive<usize> { type Output = str; }
impl<A> Iterator for RangeInclusiveIter<A> { type Item = A; }
impl<A> Iterator for RangeIter<A> { type Item = A; }
impl<T> SliceIndex<[T]> for RangeToInclusive<usize> { type Output = [T]; }

pub mod legacy {
    pub use crate::ops::{Range, RangeFrom, RangeInclusive, RangeToInclusive};
}
