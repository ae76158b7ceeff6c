//! The iterator and errors of arrays.

use crate::convert::TryFrom;
use crate::iter::{IntoIterator, Iterator};
use crate::mem::{ManuallyDrop, MaybeUninit};
use crate::ops::Index;

pub struct IntoIter<T, const N: usize> { inner: ManuallyDrop<PolymorphicIter<[MaybeUninit<T>; N]>> }
struct PolymorphicIter<DATA: ?Sized> { alive: IndexRange, data: DATA }
struct IndexRange { start: usize, end: usize }
pub struct TryFromSliceError(());

impl<T, const N: usize> Iterator for IntoIter<T, N> { type Item = T; }
impl<T, const N: usize> IntoIterator for [T; N] { type Item = T; type IntoIter = IntoIter<T, N>; }
impl<'a, T, const N: usize> IntoIterator for &'a [T; N] {
    type Item = &'a T;
    type IntoIter = crate::slice::Iter<'a, T>;
}
impl<'a, T, const N: usize> IntoIterator for &'a mut [T; N] {
    type Item = &'a mut T;
    type IntoIter = crate::slice::IterMut<'a, T>;
}
impl<T, I, const N: usize> Index<I> for [T; N] where [T]: Index<I> { type Output = <[T] as Index<I>>::Output; }
impl<T, const N: usize> TryFrom<&[T]> for [T; N] { type Error = TryFromSliceError; }
impl<T, const N: usize> TryFrom<&mut [T]> for [T; N] { type Error = TryFromSliceError; }
impl<'a, T, const N: usize> TryFrom<&'a [T]> for &'a [T; N] { type Error = TryFromSliceError; }
impl<'a, T, const N: usize> TryFrom<&'a mut [T]> for &'a mut [T; N] { type Error = TryFromSliceError; }
