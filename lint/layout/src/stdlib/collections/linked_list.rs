//! The doubly linked list.

use crate::alloc::Global;
use crate::boxed::Box;
use crate::iter::{IntoIterator, Iterator};
use crate::marker::PhantomData;
use crate::option::Option;
use crate::ptr::NonNull;

pub struct Cursor<'a, T, A = Global> {
    index: usize,
    current: Option<NonNull<Node<T>>>,
    list: &'a LinkedList<T, A>,
}
pub struct CursorMut<'a, T, A = Global> {
    index: usize,
    current: Option<NonNull<Node<T>>>,
    list: &'a mut LinkedList<T, A>,
}
pub struct ExtractIf<'a, T, F, A = Global> {
    list: &'a mut LinkedList<T, A>,
    it: Option<NonNull<Node<T>>>,
    pred: F,
    idx: usize,
    old_len: usize,
}
pub struct IntoIter<T, A = Global> { list: LinkedList<T, A> }
pub struct Iter<'a, T> {
    head: Option<NonNull<Node<T>>>,
    tail: Option<NonNull<Node<T>>>,
    len: usize,
    marker: PhantomData<&'a Node<T>>,
}
pub struct IterMut<'a, T> {
    head: Option<NonNull<Node<T>>>,
    tail: Option<NonNull<Node<T>>>,
    len: usize,
    marker: PhantomData<&'a mut Node<T>>,
}
#[weigh(no_copy)]
#[weigh(nodes)]
pub struct LinkedList<T, A = Global> {
    head: Option<NonNull<Node<T>>>,
    tail: Option<NonNull<Node<T>>>,
    len: usize,
    alloc: A,
    marker: PhantomData<Box<Node<T>, A>>,
}

struct Node<T> { next: Option<NonNull<Node<T>>>, prev: Option<NonNull<Node<T>>>, element: T }

impl<T, F, A> Iterator for ExtractIf<'_, T, F, A> { type Item = T; }
impl<T, A> Iterator for IntoIter<T, A> { type Item = T; }
impl<'a, T> Iterator for Iter<'a, T> { type Item = &'a T; }
impl<'a, T> Iterator for IterMut<'a, T> { type Item = &'a mut T; }
impl<'a, T, A> IntoIterator for &'a LinkedList<T, A> { type Item = &'a T; type IntoIter = Iter<'a, T>; }
impl<'a, T, A> IntoIterator for &'a mut LinkedList<T, A> { type Item = &'a mut T; type IntoIter = IterMut<'a, T>; }
impl<T, A> IntoIterator for LinkedList<T, A> { type Item = T; type IntoIter = IntoIter<T, A>; }
