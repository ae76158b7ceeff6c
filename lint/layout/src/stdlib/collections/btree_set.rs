//! The ordered set.

use crate::alloc::Global;
use crate::collections::btree::{DifferenceInner, ExtractIfInner, IntersectionInner, MergeIterInner, SetValZST};
use crate::collections::btree_map::{self, BTreeMap, Keys};
use crate::iter::{IntoIterator, Iterator};
use crate::ops::{BitAnd, BitOr, BitXor, Sub};

pub use crate::collections::btree_map::UnorderedKeyError;

pub enum Entry<'a, T, A = Global> { Occupied(OccupiedEntry<'a, T, A>), Vacant(VacantEntry<'a, T, A>) }
#[weigh(no_copy)]
#[weigh(map)]
pub struct BTreeSet<T, A = Global> { map: BTreeMap<T, SetValZST, A> }
pub struct Cursor<'a, K> { inner: btree_map::Cursor<'a, K, SetValZST> }
pub struct CursorMut<'a, K, A = Global> {
    inner: btree_map::CursorMut<'a, K, SetValZST, A>,
}
pub struct CursorMutKey<'a, K, A = Global> {
    inner: btree_map::CursorMutKey<'a, K, SetValZST, A>,
}
pub struct Difference<'a, T, A = Global> { inner: DifferenceInner<'a, T, A> }
#[cfg(version("1.89"))]
pub struct ExtractIf<'a, T, R, F, A = Global> { pred: F, inner: ExtractIfInner<'a, T, SetValZST, R>, alloc: A }
#[cfg(not(version("1.89")))]
pub struct ExtractIf<'a, T, F, A = Global> { pred: F, inner: ExtractIfInner<'a, T, SetValZST, ()>, alloc: A }
pub struct Intersection<'a, T, A = Global> { inner: IntersectionInner<'a, T, A> }
pub struct IntoIter<T, A = Global> { iter: btree_map::IntoIter<T, SetValZST, A> }
pub struct Iter<'a, T> { iter: Keys<'a, T, SetValZST> }
pub struct OccupiedEntry<'a, T, A = Global> {
    inner: btree_map::OccupiedEntry<'a, T, SetValZST, A>,
}
pub struct Range<'a, T> { iter: btree_map::Range<'a, T, SetValZST> }
pub struct SymmetricDifference<'a, T: 'a>(MergeIterInner<Iter<'a, T>>);
pub struct Union<'a, T: 'a>(MergeIterInner<Iter<'a, T>>);
pub struct VacantEntry<'a, T, A = Global> {
    inner: btree_map::VacantEntry<'a, T, SetValZST, A>,
}

impl<T, A> BitAnd<&BTreeSet<T, A>> for &BTreeSet<T, A> { type Output = BTreeSet<T, A>; }
impl<T, A> BitOr<&BTreeSet<T, A>> for &BTreeSet<T, A> { type Output = BTreeSet<T, A>; }
impl<T, A> BitXor<&BTreeSet<T, A>> for &BTreeSet<T, A> { type Output = BTreeSet<T, A>; }
impl<'a, T, A> IntoIterator for &'a BTreeSet<T, A> { type Item = &'a T; type IntoIter = Iter<'a, T>; }
impl<T, A> IntoIterator for BTreeSet<T, A> { type Item = T; type IntoIter = IntoIter<T, A>; }
impl<T, A> Sub<&BTreeSet<T, A>> for &BTreeSet<T, A> { type Output = BTreeSet<T, A>; }
impl<'a, T, A> Iterator for Difference<'a, T, A> { type Item = &'a T; }
#[cfg(version("1.89"))]
impl<T, R, F, A> Iterator for ExtractIf<'_, T, R, F, A> { type Item = T; }
#[cfg(not(version("1.89")))]
impl<T, F, A> Iterator for ExtractIf<'_, T, F, A> { type Item = T; }
impl<'a, T, A> Iterator for Intersection<'a, T, A> { type Item = &'a T; }
impl<T, A> Iterator for IntoIter<T, A> { type Item = T; }
impl<'a, T> Iterator for Iter<'a, T> { type Item = &'a T; }
impl<'a, T> Iterator for Range<'a, T> { type Item = &'a T; }
impl<'a, T> Iterator for SymmetricDifference<'a, T> { type Item = &'a T; }
impl<'a, T> Iterator for Union<'a, T> { type Item = &'a T; }
