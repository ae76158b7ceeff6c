//! The standard library as declarations: one crate that replaces `core`, `alloc` and `std`.
//!
//! Nothing here is compiled. Fields are those of the real types as far as they affect a layout;
//! functions are missing, and so are traits and bounds that affect nothing. A type whose layout
//! differs on an unverified platform is not declared there, hence unknown.
//!
//! Attributes state what no field shows: `#[weigh(copy)]` is `Copy` where its parameters are,
//! `#[weigh(no_copy)]` never; the functions in `#[weigh(slices(…))]`, of a type, trait or module
//! (all functions without a list), and methods of that type, take whatever can be borrowed as a
//! slice, text or path (`paths`: as a path). `list`, `map`, `nodes` and `text` store their contents in blocks of their own,
//! side by side, in slots, one by one or as a text; `inline` stores them in itself, and `cell` too,
//! where a shared reference may modify them.

pub mod alloc;
pub mod any;
pub mod arch;
pub mod array;
pub mod ascii;
pub mod backtrace;
pub mod borrow;
pub mod boxed;
pub mod cell;
pub mod char;
pub mod clone;
pub mod cmp;
pub mod collections;
pub mod convert;
pub mod default;
#[weigh(slices(remove_var, set_current_dir, set_var, split_paths, var, var_os))]
pub mod env;
pub mod error;
pub mod f32;
pub mod f64;
pub mod ffi;
pub mod fmt;
#[weigh(slices, paths)]
pub mod fs;
pub mod future;
pub mod hash;
pub mod io;
#[weigh(slices(zip))]
pub mod iter;
pub mod marker;
pub mod mem;
pub mod net;
pub mod num;
pub mod ops;
pub mod option;
pub mod os;
pub mod panic;
pub mod path;
pub mod pin;
pub mod prelude;
pub mod primitive;
pub mod proc_macro;
pub mod process;
pub mod ptr;
pub mod range;
pub mod rc;
pub mod result;
pub mod slice;
#[weigh(slices(from_utf8))]
pub mod str;
pub mod string;
pub mod sync;
pub mod task;
pub mod thread;
pub mod time;
pub mod vec;

mod niche;
mod raw_vec;
mod sys;

pub mod hint {
    pub enum Locality { L3, L2, L1 }
}

pub mod i8 { pub const MIN: i8 = -0x80; pub const MAX: i8 = 0x7f; }
pub mod i16 { pub const MIN: i16 = -0x8000; pub const MAX: i16 = 0x7fff; }
pub mod i32 { pub const MIN: i32 = -0x8000_0000; pub const MAX: i32 = 0x7fff_ffff; }
pub mod i64 { pub const MIN: i64 = i64::MIN; pub const MAX: i64 = i64::MAX; }
pub mod i128 { pub const MIN: i128 = i128::MIN; pub const MAX: i128 = i128::MAX; }
pub mod isize { pub const MIN: isize = isize::MIN; pub const MAX: isize = isize::MAX; }
pub mod u8 { pub const MIN: u8 = 0; pub const MAX: u8 = 0xff; }
pub mod u16 { pub const MIN: u16 = 0; pub const MAX: u16 = 0xffff; }
pub mod u32 { pub const MIN: u32 = 0; pub const MAX: u32 = 0xffff_ffff; }
pub mod u64 { pub const MIN: u64 = 0; pub const MAX: u64 = u64::MAX; }
pub mod u128 { pub const MIN: u128 = 0; pub const MAX: u128 = u128::MAX; }
pub mod usize { pub const MIN: usize = 0; pub const MAX: usize = usize::MAX; }

// Declares only statics behind a function; none of their types has a name.
#[macro_export]
macro_rules! thread_local {
    ($($anything:tt)*) => {};
}

#[macro_export]
macro_rules! matches {
    ($value:expr, $pattern:pat $(if $guard:expr)? $(,)?) => {
        match $value { $pattern $(if $guard)? => true, _ => false }
    };
}

#[macro_export]
macro_rules! compile_error {
    ($($anything:tt)*) => {};
}
