//! Borrowed and owned forms of the same data.

use crate::clone::Clone;
use crate::ops::{Add, Deref};
use crate::string::String;
use crate::vec::Vec;

#[weigh(inline)]
pub enum Cow<'a, B: ToOwned + ?Sized> { Borrowed(&'a B), Owned(<B as ToOwned>::Owned) }
pub trait Borrow<Borrowed: ?Sized> {}
pub trait BorrowMut<Borrowed: ?Sized>: Borrow<Borrowed> {}
pub trait ToOwned { type Owned; }

impl<T: Clone> ToOwned for T { type Owned = T; }
impl<T: Clone> ToOwned for [T] { type Owned = Vec<T>; }
impl ToOwned for str { type Owned = String; }
impl<T: ?Sized> Borrow<T> for T {}
impl<T: ?Sized> BorrowMut<T> for T {}
impl<T: ?Sized> Borrow<T> for &T {}
impl<T: ?Sized> Borrow<T> for &mut T {}
impl<B: ToOwned + ?Sized> Deref for Cow<'_, B> { type Target = B; }
impl<'a> Add<&'a str> for Cow<'a, str> { type Output = Cow<'a, str>; }
impl<'a> Add for Cow<'a, str> { type Output = Cow<'a, str>; }
