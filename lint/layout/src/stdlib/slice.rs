//! Iterators over slices.

use crate::ascii::EscapeDefault;
use crate::borrow::Borrow;
use crate::iter::{FlatMap, IntoIterator, Iterator};
use crate::marker::{PhantomData, Sized};
use crate::num::NonZero;
use crate::ptr::NonNull;
use crate::string::String;
use crate::vec::Vec;

pub enum GetDisjointMutError { IndexOutOfBounds, OverlappingIndices }
#[cfg(version("1.92"))]
pub struct ArrayWindows<'a, T, const N: usize> { v: &'a [T] }
#[cfg(not(version("1.92")))]
pub struct ArrayWindows<'a, T, const N: usize> { slice_head: *const T, num: usize, marker: PhantomData<&'a [T; N]> }
pub struct ChunkBy<'a, T, P> { slice: &'a [T], predicate: P }
pub struct ChunkByMut<'a, T, P> { slice: &'a mut [T], predicate: P }
pub struct Chunks<'a, T> { v: &'a [T], chunk_size: usize }
pub struct ChunksExact<'a, T> { v: &'a [T], rem: &'a [T], chunk_size: usize }
pub struct ChunksExactMut<'a, T> {
    v: *mut [T],
    rem: &'a mut [T],
    chunk_size: usize,
    _marker: PhantomData<&'a mut T>,
}
pub struct ChunksMut<'a, T> { v: *mut [T], chunk_size: usize, _marker: PhantomData<&'a mut T> }
struct EscapeByte;
pub struct EscapeAscii<'a> { inner: FlatMap<Iter<'a, u8>, EscapeDefault, EscapeByte> }
pub struct Iter<'a, T> { ptr: NonNull<T>, end_or_len: *const T, _marker: PhantomData<&'a T> }
pub struct IterMut<'a, T> { ptr: NonNull<T>, end_or_len: *mut T, _marker: PhantomData<&'a mut T> }
pub struct RChunks<'a, T> { v: &'a [T], chunk_size: usize }
pub struct RChunksExact<'a, T> { v: &'a [T], rem: &'a [T], chunk_size: usize }
pub struct RChunksExactMut<'a, T> { v: *mut [T], rem: &'a mut [T], chunk_size: usize }
pub struct RChunksMut<'a, T> { v: *mut [T], chunk_size: usize, _marker: PhantomData<&'a mut T> }
pub struct RSplit<'a, T, P> { inner: Split<'a, T, P> }
pub struct RSplitMut<'a, T, P> { inner: SplitMut<'a, T, P> }
struct GenericSplitN<I> { iter: I, count: usize }
pub struct RSplitN<'a, T, P> { inner: GenericSplitN<RSplit<'a, T, P>> }
pub struct RSplitNMut<'a, T, P> { inner: GenericSplitN<RSplitMut<'a, T, P>> }
pub struct Split<'a, T, P> { v: &'a [T], pred: P, finished: bool }
pub struct SplitInclusive<'a, T, P> { v: &'a [T], pred: P, finished: bool }
pub struct SplitInclusiveMut<'a, T, P> { v: &'a mut [T], pred: P, finished: bool }
pub struct SplitMut<'a, T, P> { v: &'a mut [T], pred: P, finished: bool }
pub struct SplitN<'a, T, P> { inner: GenericSplitN<Split<'a, T, P>> }
pub struct SplitNMut<'a, T, P> { inner: GenericSplitN<SplitMut<'a, T, P>> }
pub struct Windows<'a, T> { v: &'a [T], size: NonZero<usize> }
pub trait Concat<Item: ?Sized> { type Output; }
pub trait Join<Separator> { type Output; }
pub trait SliceIndex<T: ?Sized> { type Output: ?Sized; }

impl<'a, T, const N: usize> Iterator for ArrayWindows<'a, T, N> { type Item = &'a [T; N]; }
impl<'a, T, P> Iterator for ChunkBy<'a, T, P> { type Item = &'a [T]; }
impl<'a, T, P> Iterator for ChunkByMut<'a, T, P> { type Item = &'a mut [T]; }
impl<'a, T> Iterator for Chunks<'a, T> { type Item = &'a [T]; }
impl<'a, T> Iterator for ChunksExact<'a, T> { type Item = &'a [T]; }
impl<'a, T> Iterator for ChunksExactMut<'a, T> { type Item = &'a mut [T]; }
impl<'a, T> Iterator for ChunksMut<'a, T> { type Item = &'a mut [T]; }
impl<'a> Iterator for EscapeAscii<'a> { type Item = u8; }
impl<'a, T> Iterator for Iter<'a, T> { type Item = &'a T; }
impl<'a, T> Iterator for IterMut<'a, T> { type Item = &'a mut T; }
impl<'a, T> Iterator for RChunks<'a, T> { type Item = &'a [T]; }
impl<'a, T> Iterator for RChunksExact<'a, T> { type Item = &'a [T]; }
impl<'a, T> Iterator for RChunksExactMut<'a, T> { type Item = &'a mut [T]; }
impl<'a, T> Iterator for RChunksMut<'a, T> { type Item = &'a mut [T]; }
impl<'a, T, P> Iterator for RSplit<'a, T, P> { type Item = &'a [T]; }
impl<'a, T, P> Iterator for RSplitMut<'a, T, P> { type Item = &'a mut [T]; }
impl<'a, T, P> Iterator for RSplitN<'a, T, P> { type Item = &'a [T]; }
impl<'a, T, P> Iterator for RSplitNMut<'a, T, P> { type Item = &'a mut [T]; }
impl<'a, T, P> Iterator for Split<'a, T, P> { type Item = &'a [T]; }
impl<'a, T, P> Iterator for SplitInclusive<'a, T, P> { type Item = &'a [T]; }
impl<'a, T, P> Iterator for SplitInclusiveMut<'a, T, P> { type Item = &'a mut [T]; }
impl<'a, T, P> Iterator for SplitMut<'a, T, P> { type Item = &'a mut [T]; }
impl<'a, T, P> Iterator for SplitN<'a, T, P> { type Item = &'a [T]; }
impl<'a, T, P> Iterator for SplitNMut<'a, T, P> { type Item = &'a mut [T]; }
impl<'a, T> Iterator for Windows<'a, T> { type Item = &'a [T]; }
impl<'a, T> IntoIterator for &'a [T] { type Item = &'a T; type IntoIter = Iter<'a, T>; }
impl<'a, T> IntoIterator for &'a mut [T] { type Item = &'a mut T; type IntoIter = IterMut<'a, T>; }
impl<T, V: Borrow<[T]>> Concat<T> for [V] { type Output = Vec<T>; }
impl<S: Borrow<str>> Concat<str> for [S] { type Output = String; }
impl<S: Borrow<str>> Join<&str> for [S] { type Output = String; }
impl<T, V: Borrow<[T]>> Join<&T> for [V] { type Output = Vec<T>; }
impl<T, V: Borrow<[T]>> Join<&[T]> for [V] { type Output = Vec<T>; }
