//! Default values.

use crate::marker::Sized;

pub trait Default: Sized {}

macro_rules! defaults {
    ($($type:ty)*) => { $( impl Default for $type {} )* };
}
defaults! { bool char f32 f64 i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize () crate::string::String }
impl<T> Default for crate::option::Option<T> {}
impl<T> Default for crate::vec::Vec<T> {}
