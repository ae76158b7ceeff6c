//! Results.

use crate::iter::{IntoIterator, Iterator};
use crate::option::Option;

#[weigh(copy)]
#[weigh(inline)]
pub enum Result<T, E> { Ok(T), Err(E) }
pub struct IntoIter<T> { inner: Option<T> }
pub struct Iter<'a, T> { inner: Option<&'a T> }
pub struct IterMut<'a, T> { inner: Option<&'a mut T> }

impl<'a, T, E> IntoIterator for &'a Result<T, E> { type Item = &'a T; type IntoIter = Iter<'a, T>; }
impl<'a, T, E> IntoIterator for &'a mut Result<T, E> { type Item = &'a mut T; type IntoIter = IterMut<'a, T>; }
impl<T, E> IntoIterator for Result<T, E> { type Item = T; type IntoIter = IntoIter<T>; }
impl<T> Iterator for IntoIter<T> { type Item = T; }
impl<'a, T> Iterator for Iter<'a, T> { type Item = &'a T; }
impl<'a, T> Iterator for IterMut<'a, T> { type Item = &'a mut T; }
