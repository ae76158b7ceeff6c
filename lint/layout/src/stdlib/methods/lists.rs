//! Methods of slices, arrays and lists.

use super::Iter;
use crate::collections::{BinaryHeap, LinkedList, VecDeque};

#[reads]
impl<T> [T] {
    #[looks] fn len(&self) -> usize;
    #[looks] fn is_empty(&self) -> bool;
    #[items] #[counts] fn iter(&self) -> Iter<&T>;
    #[counts] #[tells] fn iter_mut(&mut self) -> Iter<&mut T>;
    #[picks] fn first(&self) -> Option<&T>;
    #[picks] fn last(&self) -> Option<&T>;
    fn first_mut(&mut self) -> Option<&mut T>;
    fn last_mut(&mut self) -> Option<&mut T>;
    fn split_first(&self) -> Option<(&T, &[T])>;
    fn split_last(&self) -> Option<(&T, &[T])>;
    fn get(&self, at: usize) -> Option<&T>;
    fn get_mut(&mut self, at: usize) -> Option<&mut T>;
    fn get_unchecked(&self, at: usize) -> &T;
    #[looks] fn contains(&self, value: &T) -> bool;
    #[creates] #[makes] fn to_vec(&self) -> Vec<T>;
    #[copies] #[creates] #[makes] fn to_owned(&self) -> Vec<T>;
    #[takes] fn into_vec(self) -> Vec<T>;
    fn chunks(&self, n: usize) -> Iter<&[T]>;
    fn chunks_exact(&self, n: usize) -> Iter<&[T]>;
    fn windows(&self, n: usize) -> Iter<&[T]>;
    fn split(&self, f: fn(&T) -> bool) -> Iter<&[T]>;
    fn split_at(&self, at: usize) -> (&[T], &[T]);
    fn split_at_mut(&mut self, at: usize) -> (&mut [T], &mut [T]);
    #[creates] fn concat<B>(&self) -> B;
    #[slices] #[creates] fn join<B, S>(&self, with: S) -> B;
    #[each] fn sort_by<K>(&mut self, f: fn(&T, &T) -> K);
    #[each] fn sort_by_key<K>(&mut self, f: fn(&T) -> K);
    fn sort_unstable_by<K>(&mut self, f: fn(&T, &T) -> K);
    fn sort_unstable_by_key<K>(&mut self, f: fn(&T) -> K);
    fn binary_search(&self, value: &T) -> Result<usize, usize>;
    fn binary_search_by<K>(&self, f: fn(&T) -> K) -> Result<usize, usize>;
    fn binary_search_by_key<K>(&self, key: &K, f: fn(&T) -> K) -> Result<usize, usize>;
    #[address] fn as_ptr(&self) -> *const T;
    fn array_chunks(&self) -> _;
    fn array_windows(&self) -> _;
    fn as_chunks(&self) -> _;
    #[address] fn as_mut_ptr(&mut self) -> *mut T;
    fn as_mut_ptr_range(&mut self) -> _;
    fn as_ptr_range(&self) -> _;
    #[each] fn chunk_by(&self, f: fn(&T, &T) -> bool) -> Iter<&[T]>;
    fn chunks_exact_mut(&mut self, n: usize) -> Iter<&mut [T]>;
    fn chunks_mut(&mut self, n: usize) -> Iter<&mut [T]>;
    #[as_slice] fn clone_from_slice(&mut self, from: &[T]);
    #[as_slice] fn copy_from_slice(&mut self, from: &[T]);
    fn copy_within<R>(&mut self, range: R, to: usize);
    #[slices] #[looks] fn ends_with(&self, end: &[T]) -> bool;
    fn eq_ignore_ascii_case(&self, other: &[T]) -> bool;
    fn escape_ascii(&self) -> _;
    fn fill(&mut self, value: T);
    fn fill_with(&mut self, f: fn() -> T);
    fn first_chunk(&self) -> _;
    fn get_unchecked_mut(&mut self, at: usize) -> &mut T;
    fn is_ascii(&self) -> bool;
    fn is_sorted(&self) -> bool;
    fn is_sorted_by<K>(&self, f: fn(&T, &T) -> K) -> bool;
    fn is_sorted_by_key<K>(&self, f: fn(&T) -> K) -> bool;
    fn last_chunk(&self) -> _;
    fn make_ascii_lowercase(&mut self);
    fn make_ascii_uppercase(&mut self);
    fn partition_point(&self, f: fn(&T) -> bool) -> usize;
    fn rchunks(&self, n: usize) -> Iter<&[T]>;
    #[creates] fn repeat(&self, n: usize) -> Vec<T>;
    fn reverse(&mut self);
    fn rotate_left(&mut self, n: usize);
    fn rotate_right(&mut self, n: usize);
    fn select_nth_unstable(&mut self, at: usize) -> _;
    fn select_nth_unstable_by<K>(&mut self, at: usize, f: fn(&T, &T) -> K) -> _;
    fn select_nth_unstable_by_key<K>(&mut self, at: usize, f: fn(&T) -> K) -> _;
    fn sort(&mut self);
    fn sort_by_cached_key<K>(&mut self, f: fn(&T) -> K);
    fn sort_unstable(&mut self);
    fn split_at_checked(&self, at: usize) -> Option<(&[T], &[T])>;
    fn split_first_mut(&mut self) -> Option<(&mut T, &mut [T])>;
    fn split_inclusive(&self, f: fn(&T) -> bool) -> Iter<&[T]>;
    fn split_last_mut(&mut self) -> Option<(&mut T, &mut [T])>;
    #[slices] #[looks] fn starts_with(&self, start: &[T]) -> bool;
    #[slices] fn strip_prefix<P>(&self, of: P) -> Option<&[T]>;
    #[slices] fn strip_suffix<P>(&self, of: P) -> Option<&[T]>;
    fn swap(&mut self, a: usize, b: usize);
    fn swap_with_slice(&mut self, other: &mut [T]);
    #[creates] fn to_ascii_lowercase(&self) -> Vec<T>;
    #[creates] fn to_ascii_uppercase(&self) -> Vec<T>;
    fn utf8_chunks(&self) -> _;
}

#[consumes]
impl<'a, T> &'a [T] {
    #[items] #[counts] fn into_iter(self) -> Iter<&T>;
}

#[consumes]
impl<'a, T> &'a mut [T] {
    #[items] #[counts] fn into_iter(self) -> Iter<&mut T>;
}

#[consumes]
impl<'a, T> &'a Vec<T> {
    #[items] #[counts] fn into_iter(self) -> Iter<&T>;
}

#[consumes]
impl<'a, T> &'a mut Vec<T> {
    #[items] #[counts] fn into_iter(self) -> Iter<&mut T>;
}

#[consumes]
impl<T> Box<[T]> {
    #[items] #[counts] fn into_iter(self) -> Iter<T>;
}

#[consumes]
impl<T, const N: usize> [T; N] {
    #[items] #[counts] fn into_iter(self) -> Iter<T>;
    #[each] #[counts] #[hands_on] fn map<B>(self, f: fn(T) -> B) -> [B; N];
    #[reads_as_owner] #[looks] fn as_slice(&self) -> &[T];
}

#[consumes]
impl<'a, T, const N: usize> &'a [T; N] {
    #[items] #[counts] fn into_iter(self) -> Iter<&T>;
}

#[reads]
impl<T> Vec<T> {
    #[creates] fn new() -> Vec<T>;
    fn with_capacity(n: usize) -> Vec<T>;
    #[grows] #[stores] fn push(&mut self, value: T);
    #[grows] #[stores] fn insert(&mut self, at: usize, value: T);
    #[shrinks] #[picks] fn pop(&mut self) -> Option<T>;
    #[shrinks] fn remove(&mut self, at: usize) -> T;
    #[shrinks] fn swap_remove(&mut self, at: usize) -> T;
    #[consumes] #[items] #[counts] fn into_iter(self) -> Iter<T>;
    #[shrinks] #[counts] fn drain<R>(&mut self, range: R) -> Iter<T>;
    #[each] #[shrinks] fn retain(&mut self, f: fn(&T) -> bool);
    #[each] #[shrinks] fn retain_mut(&mut self, f: fn(&mut T) -> bool);
    #[reads_as_owner] #[looks] fn as_slice(&self) -> &[T];
    #[reads_as_owner] fn as_mut_slice(&mut self) -> &mut [T];
    #[consumes] fn into_boxed_slice(self) -> Box<[T]>;
    #[shrinks] fn split_off(&mut self, at: usize) -> Vec<T>;
    #[grows] #[stores] fn append(&mut self, other: &mut Vec<T>);
    #[copies] #[creates] fn clone(&self) -> Vec<T>;
    #[grows] fn resize(&mut self, n: usize, value: T);
    #[reads_as_owner] fn capacity(&self) -> usize;
    #[reserves] fn reserve(&mut self, n: usize);
    #[reserves] fn reserve_exact(&mut self, n: usize);
    #[reserves] fn try_reserve(&mut self, n: usize) -> Result<(), _>;
    #[reserves] fn try_reserve_exact(&mut self, n: usize) -> Result<(), _>;
    #[fits] fn shrink_to(&mut self, n: usize);
    #[fits] fn shrink_to_fit(&mut self);
    #[empties] fn clear(&mut self);
    #[shrinks] fn truncate(&mut self, n: usize);
    #[shrinks] fn dedup(&mut self);
    #[shrinks] fn dedup_by(&mut self, f: fn(&mut T, &mut T) -> bool);
    #[each] #[shrinks] fn dedup_by_key<K>(&mut self, f: fn(&mut T) -> K);
    #[shrinks] fn extract_if<R>(&mut self, range: R, f: fn(&mut T) -> bool) -> Iter<T>;
    #[shrinks] fn pop_if(&mut self, f: fn(&mut T) -> bool) -> Option<T>;
    #[each] #[grows] fn extend<I>(&mut self, items: I);
    #[grows] #[as_slice] fn extend_from_slice(&mut self, items: &[T]);
    #[grows] fn extend_from_within<R>(&mut self, range: R);
    #[grows] fn push_within_capacity(&mut self, value: T) -> Result<(), T>;
    #[grows] #[hands_on] fn resize_with(&mut self, n: usize, f: fn() -> T);
    #[grows] fn set_len(&mut self, n: usize);
    #[grows] fn splice<R, I>(&mut self, range: R, items: I) -> Iter<T>;
    #[lends] fn spare_capacity_mut(&mut self) -> _;
    #[takes] fn into_raw_parts(self) -> _;
    #[takes] fn leak(self) -> &mut [T];
}

#[reads]
impl<T> VecDeque<T> {
    #[creates] fn new() -> VecDeque<T>;
    fn with_capacity(n: usize) -> VecDeque<T>;
    #[grows] #[stores] fn push_back(&mut self, value: T);
    #[grows] #[stores] fn push_front(&mut self, value: T);
    #[shrinks] fn pop_back(&mut self) -> Option<T>;
    #[shrinks] fn pop_front(&mut self) -> Option<T>;
    fn front(&self) -> Option<&T>;
    fn back(&self) -> Option<&T>;
    fn front_mut(&mut self) -> Option<&mut T>;
    fn back_mut(&mut self) -> Option<&mut T>;
    fn get(&self, at: usize) -> Option<&T>;
    fn get_mut(&mut self, at: usize) -> Option<&mut T>;
    #[items] #[counts] fn iter(&self) -> Iter<&T>;
    #[counts] fn iter_mut(&mut self) -> Iter<&mut T>;
    #[consumes] #[items] #[counts] fn into_iter(self) -> Iter<T>;
    #[shrinks] #[counts] fn drain<R>(&mut self, range: R) -> Iter<T>;
    #[looks] fn len(&self) -> usize;
    #[looks] fn is_empty(&self) -> bool;
    #[empties] fn clear(&mut self);
    #[grows] #[stores] fn append(&mut self, other: &mut VecDeque<T>);
    #[each] #[grows] fn extend<I>(&mut self, items: I);
    #[grows] #[stores] fn insert(&mut self, at: usize, value: T);
    #[shrinks] fn remove(&mut self, at: usize) -> Option<T>;
    #[each] #[shrinks] fn retain(&mut self, f: fn(&T) -> bool);
    #[shrinks] fn truncate(&mut self, n: usize);
    #[looks] fn contains(&self, value: &T) -> bool;
    fn make_contiguous(&mut self) -> &mut [T];
}

#[reads]
impl<T> LinkedList<T> {
    #[creates] fn new() -> LinkedList<T>;
    #[grows] #[stores] fn push_back(&mut self, value: T);
    #[grows] #[stores] fn push_front(&mut self, value: T);
    #[shrinks] fn pop_back(&mut self) -> Option<T>;
    #[shrinks] fn pop_front(&mut self) -> Option<T>;
    #[items] #[counts] fn iter(&self) -> Iter<&T>;
    #[consumes] #[items] #[counts] fn into_iter(self) -> Iter<T>;
    #[grows] #[splices] fn append(&mut self, other: &mut LinkedList<T>);
    #[shrinks] #[splices] fn split_off(&mut self, at: usize) -> LinkedList<T>;
    #[shrinks] #[splices] fn extract_if(&mut self, f: fn(&mut T) -> bool) -> Iter<T>;
    #[splices] fn cursor_back(&self) -> _;
    #[splices] fn cursor_front(&self) -> _;
    #[lends] #[splices] fn cursor_back_mut(&mut self) -> _;
    #[lends] #[splices] fn cursor_front_mut(&mut self) -> _;
}

#[reads]
impl<T> BinaryHeap<T> {
    #[creates] fn new() -> BinaryHeap<T>;
    #[grows] #[stores] fn push(&mut self, value: T);
    #[shrinks] #[picks] fn pop(&mut self) -> Option<T>;
    #[picks] fn peek(&self) -> Option<&T>;
    #[consumes] #[items] #[counts] fn into_iter(self) -> Iter<T>;
}
