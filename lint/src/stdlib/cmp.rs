//! Comparison.

use crate::marker::{PhantomData, Sized};

#[repr(i8)]
pub enum Ordering { Less = -1, Equal = 0, Greater = 1 }
pub struct AssertParamIsEq<T: ?Sized> { _field: PhantomData<T> }
#[repr(transparent)]
#[weigh(copy)]
pub struct Reverse<T>(pub T);
pub trait Eq: PartialEq {}
pub trait Ord: Eq + PartialOrd {}
pub trait PartialEq<Rhs: ?Sized = Self> {}
pub trait PartialOrd<Rhs: ?Sized = Self>: PartialEq<Rhs> {}
