//! The ring buffer.

use crate::alloc::Global;
use crate::iter::{IntoIterator, Iterator};
use crate::marker::PhantomData;
use crate::ops::Index;
use crate::ptr::NonNull;
use crate::raw_vec::RawVec;

pub struct Drain<'a, T, A = Global> {
    deque: NonNull<VecDeque<T, A>>,
    drain_len: usize,
    idx: usize,
    tail_len: usize,
    remaining: usize,
    _marker: PhantomData<&'a T>,
}
pub struct ExtractIf<'a, T, F, A = Global> {
    vec: &'a mut VecDeque<T, A>,
    idx: usize,
    end: usize,
    del: usize,
    old_len: usize,
    pred: F,
}
pub struct IntoIter<T, A = Global> { inner: VecDeque<T, A> }
pub struct Iter<'a, T> { i1: crate::slice::Iter<'a, T>, i2: crate::slice::Iter<'a, T> }
pub struct IterMut<'a, T> { i1: crate::slice::IterMut<'a, T>, i2: crate::slice::IterMut<'a, T> }
pub struct Splice<'a, I: Iterator, A = Global> { drain: Drain<'a, <I as Iterator>::Item, A>, replace_with: I }
#[weigh(no_copy)]
#[weigh(list)]
pub struct VecDeque<T, A = Global> { head: usize, len: usize, buf: RawVec<T, A> }

impl<T, A> Iterator for Drain<'_, T, A> { type Item = T; }
impl<T, F, A> Iterator for ExtractIf<'_, T, F, A> { type Item = T; }
impl<T, A> Iterator for IntoIter<T, A> { type Item = T; }
impl<'a, T> Iterator for Iter<'a, T> { type Item = &'a T; }
impl<'a, T> Iterator for IterMut<'a, T> { type Item = &'a mut T; }
impl<I: Iterator, A> Iterator for Splice<'_, I, A> { type Item = <I as Iterator>::Item; }
impl<T, A> Index<usize> for VecDeque<T, A> { type Output = T; }
impl<'a, T, A> IntoIterator for &'a VecDeque<T, A> { type Item = &'a T; type IntoIter = Iter<'a, T>; }
impl<'a, T, A> IntoIterator for &'a mut VecDeque<T, A> { type Item = &'a mut T; type IntoIter = IterMut<'a, T>; }
impl<T, A> IntoIterator for VecDeque<T, A> { type Item = T; type IntoIter = IntoIter<T, A>; }
