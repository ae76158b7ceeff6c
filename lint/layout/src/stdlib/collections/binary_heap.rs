//! The binary heap.

use crate::alloc::Global;
use crate::iter::{IntoIterator, Iterator};
use crate::num::NonZero;
use crate::ops::Deref;
use crate::option::Option;
use crate::vec::Vec;

#[weigh(no_copy)]
#[weigh(list)]
pub struct BinaryHeap<T, A = Global> { data: Vec<T, A> }
pub struct Drain<'a, T, A = Global> { iter: crate::vec::Drain<'a, T, A> }
pub struct DrainSorted<'a, T, A = Global> { inner: &'a mut BinaryHeap<T, A> }
pub struct IntoIter<T, A = Global> { iter: crate::vec::IntoIter<T, A> }
pub struct IntoIterSorted<T, A = Global> { inner: BinaryHeap<T, A> }
pub struct Iter<'a, T> { iter: crate::slice::Iter<'a, T> }
pub struct PeekMut<'a, T, A = Global> {
    heap: &'a mut BinaryHeap<T, A>,
    original_len: Option<NonZero<usize>>,
}

impl<'a, T, A> IntoIterator for &'a BinaryHeap<T, A> { type Item = &'a T; type IntoIter = Iter<'a, T>; }
impl<T, A> IntoIterator for BinaryHeap<T, A> { type Item = T; type IntoIter = IntoIter<T, A>; }
impl<T, A> Iterator for Drain<'_, T, A> { type Item = T; }
impl<T, A> Iterator for DrainSorted<'_, T, A> { type Item = T; }
impl<T, A> Iterator for IntoIter<T, A> { type Item = T; }
impl<T, A> Iterator for IntoIterSorted<T, A> { type Item = T; }
impl<'a, T> Iterator for Iter<'a, T> { type Item = &'a T; }
impl<T, A> Deref for PeekMut<'_, T, A> { type Target = T; }
