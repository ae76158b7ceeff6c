//! Conversions.

use crate::marker::Sized;

pub enum Infallible {}
pub trait AsMut<T: ?Sized> {}
pub trait AsRef<T: ?Sized> {}
pub trait FloatToInt<Int>: Sized {}
pub trait From<T>: Sized {}
pub trait Into<T>: Sized {}
pub trait TryFrom<T>: Sized { type Error; }
pub trait TryInto<T>: Sized { type Error; }

impl<T> From<T> for T {}
impl<T, U: From<T>> Into<U> for T {}
impl<T, U: Into<T>> TryFrom<U> for T { type Error = Infallible; }
impl<T, U: TryFrom<T>> TryInto<U> for T { type Error = <U as TryFrom<T>>::Error; }
