//! Optional values.

use crate::iter::{IntoIterator, Iterator};

#[weigh(copy)]
#[weigh(inline)]
pub enum Option<T> { None, Some(T) }
pub struct IntoIter<A> { inner: Item<A> }
struct Item<A> { opt: Option<A> }
pub struct Iter<'a, A> { inner: Item<&'a A> }
pub struct IterMut<'a, A> { inner: Item<&'a mut A> }
pub struct OptionFlatten<A> { iter: Option<A> }

impl<'a, T> IntoIterator for &'a Option<T> { type Item = &'a T; type IntoIter = Iter<'a, T>; }
impl<'a, T> IntoIterator for &'a mut Option<T> { type Item = &'a mut T; type IntoIter = IterMut<'a, T>; }
impl<T> IntoIterator for Option<T> { type Item = T; type IntoIter = IntoIter<T>; }
impl<A> Iterator for IntoIter<A> { type Item = A; }
impl<'a, A> Iterator for Iter<'a, A> { type Item = &'a A; }
impl<'a, A> Iterator for IterMut<'a, A> { type Item = &'a mut A; }
impl<A: Iterator> Iterator for OptionFlatten<A> { type Item = <A as Iterator>::Item; }
