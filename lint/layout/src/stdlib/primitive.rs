//! The primitive types under a path of their own, for macros whose callers shadow the names.

mod prim {
    pub type Bool = bool;
    pub type Char = char;
    pub type F32 = f32;
    pub type F64 = f64;
    pub type I8 = i8;
    pub type I16 = i16;
    pub type I32 = i32;
    pub type I64 = i64;
    pub type I128 = i128;
    pub type Isize = isize;
    pub type Str = str;
    pub type U8 = u8;
    pub type U16 = u16;
    pub type U32 = u32;
    pub type U64 = u64;
    pub type U128 = u128;
    pub type Usize = usize;
}

pub use prim::{Bool as bool, Char as char, F32 as f32, F64 as f64, Str as str};
pub use prim::{I128 as i128, I16 as i16, I32 as i32, I64 as i64, I8 as i8, Isize as isize};
pub use prim::{U128 as u128, U16 as u16, U32 as u32, U64 as u64, U8 as u8, Usize as usize};
