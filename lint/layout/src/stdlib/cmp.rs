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

macro_rules! compared {
    ($($type:ty)*) => { $(
        impl PartialEq for $type {}
        impl PartialOrd for $type {}
        impl Eq for $type {}
        impl Ord for $type {}
    )* };
}
compared! { bool char i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize () str crate::string::String }
