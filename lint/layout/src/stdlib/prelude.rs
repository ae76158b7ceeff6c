//! The names in scope in every module, by edition.

pub mod v1 {
    // Built-in attribute macros of the compiler; never expanded.
    pub macro bench($($anything:tt)*) {}
    pub macro cfg_accessible($($anything:tt)*) {}
    pub macro cfg_eval($($anything:tt)*) {}
    pub macro derive($($anything:tt)*) {}
    pub macro derive_const($($anything:tt)*) {}
    pub macro global_allocator($($anything:tt)*) {}
    pub macro test($($anything:tt)*) {}
    pub macro test_case($($anything:tt)*) {}

    pub use crate::borrow::ToOwned;
    pub use crate::boxed::Box;
    pub use crate::clone::Clone;
    pub use crate::cmp::{Eq, Ord, PartialEq, PartialOrd};
    pub use crate::convert::{AsMut, AsRef, From, Into};
    pub use crate::default::Default;
    pub use crate::iter::{DoubleEndedIterator, ExactSizeIterator, Extend, IntoIterator, Iterator};
    pub use crate::marker::{Copy, Send, Sized, Sync, Unpin};
    pub use crate::mem::{align_of, align_of_val, drop, size_of, size_of_val};
    pub use crate::ops::{AsyncFn, AsyncFnMut, AsyncFnOnce, Drop, Fn, FnMut, FnOnce};
    pub use crate::option::Option::{self, None, Some};
    pub use crate::result::Result::{self, Err, Ok};
    pub use crate::string::{String, ToString};
    pub use crate::vec::Vec;
}

pub mod rust_2015 {
    pub use super::v1::*;
}

pub mod rust_2018 {
    pub use super::v1::*;
}

pub mod rust_2021 {
    pub use super::v1::*;
    pub use crate::convert::{TryFrom, TryInto};
    pub use crate::iter::FromIterator;
}

pub mod rust_2024 {
    pub use super::v1::*;
    pub use crate::convert::{TryFrom, TryInto};
    pub use crate::future::{Future, IntoFuture};
    pub use crate::iter::FromIterator;
}

pub mod rust_future {
    pub use super::rust_2024::*;
}
