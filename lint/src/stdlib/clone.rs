//! Cloning.

use crate::marker::{PhantomData, Sized};

#[lang = "clone"]
pub trait Clone: Sized {}
pub trait CloneToUninit {}
pub struct AssertParamIsClone<T: ?Sized> { _field: PhantomData<T> }
pub struct AssertParamIsCopy<T: ?Sized> { _field: PhantomData<T> }
