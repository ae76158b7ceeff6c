//! The growable array.

use crate::alloc::Global;
use crate::convert::TryFrom;
use crate::iter::{IntoIterator, Iterator};
use crate::marker::PhantomData;
use crate::mem::ManuallyDrop;
use crate::ops::{Deref, Index};
use crate::ptr::NonNull;
use crate::raw_vec::RawVec;
use crate::slice::{Iter, IterMut, SliceIndex};

pub struct Drain<'a, T, A = Global> {
    tail_start: usize,
    tail_len: usize,
    iter: Iter<'a, T>,
    vec: NonNull<Vec<T, A>>,
}
pub struct ExtractIf<'a, T, F, A = Global> {
    vec: &'a mut Vec<T, A>,
    idx: usize,
    end: usize,
    del: usize,
    old_len: usize,
    pred: F,
}
pub struct IntoIter<T, A = Global> {
    buf: NonNull<T>,
    phantom: PhantomData<T>,
    cap: usize,
    alloc: ManuallyDrop<A>,
    ptr: NonNull<T>,
    end: *const T,
}
pub struct PeekMut<'a, T, A = Global> { vec: &'a mut Vec<T, A> }
pub struct Splice<'a, I: Iterator, A = Global> { drain: Drain<'a, <I as Iterator>::Item, A>, replace_with: I }
#[weigh(no_copy)]
#[weigh(list)]
pub struct Vec<T, A = Global> { buf: RawVec<T, A>, len: usize }

impl<T, A> Iterator for Drain<'_, T, A> { type Item = T; }
impl<T, F, A> Iterator for ExtractIf<'_, T, F, A> { type Item = T; }
impl<T, A> Iterator for IntoIter<T, A> { type Item = T; }
impl<'a, T, A> Deref for PeekMut<'a, T, A> { type Target = T; }
impl<I: Iterator, A> Iterator for Splice<'_, I, A> { type Item = <I as Iterator>::Item; }
impl<T, A> Deref for Vec<T, A> { type Target = [T]; }
impl<T, I: SliceIndex<[T]>, A> Index<I> for Vec<T, A> { type Output = <I as SliceIndex<[T]>>::Output; }
impl<'a, T, A> IntoIterator for &'a Vec<T, A> { type Item = &'a T; type IntoIter = Iter<'a, T>; }
impl<'a, T, A> IntoIterator for &'a mut Vec<T, A> { type Item = &'a mut T; type IntoIter = IterMut<'a, T>; }
impl<T, A> IntoIterator for Vec<T, A> { type Item = T; type IntoIter = IntoIter<T, A>; }
impl<T, A, const N: usize> TryFrom<Vec<T, A>> for [T; N] { type Error = Vec<T, A>; }
