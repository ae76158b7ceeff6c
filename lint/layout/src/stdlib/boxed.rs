//! The owning pointer.

use crate::alloc::Global;
use crate::convert::TryFrom;
use crate::future::Future;
use crate::iter::{IntoIterator, Iterator};
use crate::marker::PhantomData;
use crate::ops::{Deref, Fn, FnMut, FnOnce};
use crate::ptr::{NonNull, Unique};
use crate::slice::{Iter, IterMut};
use crate::vec::{IntoIter, Vec};

#[lang = "owned_box"]
#[weigh(no_copy)]
pub struct Box<T: ?Sized, A = Global>(Unique<T>, A);
pub struct ThinBox<T: ?Sized> { ptr: WithOpaqueHeader, _marker: PhantomData<T> }
struct WithOpaqueHeader(NonNull<u8>);

impl<T: ?Sized, A> Deref for Box<T, A> { type Target = T; }
impl<Args, F: FnOnce<Args> + ?Sized, A> FnOnce<Args> for Box<F, A> { type Output = <F as FnOnce<Args>>::Output; }
impl<F: Future + ?Sized, A> Future for Box<F, A> { type Output = <F as Future>::Output; }
impl<I: Iterator + ?Sized, A> Iterator for Box<I, A> { type Item = <I as Iterator>::Item; }
impl<I, A> IntoIterator for Box<[I], A> { type IntoIter = IntoIter<I, A>; type Item = I; }
impl<'a, I, A> IntoIterator for &'a Box<[I], A> { type IntoIter = Iter<'a, I>; type Item = &'a I; }
impl<'a, I, A> IntoIterator for &'a mut Box<[I], A> { type IntoIter = IterMut<'a, I>; type Item = &'a mut I; }
impl<T, const N: usize> TryFrom<Box<[T]>> for Box<[T; N]> { type Error = Box<[T]>; }
impl<T, const N: usize> TryFrom<Vec<T>> for Box<[T; N]> { type Error = Vec<T>; }
impl<T: ?Sized> Deref for ThinBox<T> { type Target = T; }
impl<Args, F: FnMut<Args> + ?Sized, A> FnMut<Args> for Box<F, A> {}
impl<Args, F: Fn<Args> + ?Sized, A> Fn<Args> for Box<F, A> {}
