//! A module that shadows the names of the prelude and of std.

#![allow(dead_code, non_camel_case_types, unused_macros)]

use weigh_derive::AssertSize;

mod core {}
mod std {}
mod alloc {}
mod mem {}
mod __weigh {}

struct Option;
struct Result;
struct Some;
struct None;
struct Ok;
struct Err;
struct Sized;
struct usize;
struct u8;
struct str;
struct bool;

const fn size_of() {}
const fn align_of() {}
const fn from_utf8() {}

macro_rules! panic {
    () => {};
}
macro_rules! assert {
    () => {};
}
macro_rules! compile_error {
    () => {};
}

trait Methods {
    fn len(&self) {}
    fn as_bytes(&self) {}
    fn abs_diff(&self) {}
    fn swap(&self) {}
    fn split_at(&self) {}
}

impl<T: ?::core::marker::Sized> Methods for T {}

impl PartialEq<Plain> for ::core::primitive::usize {
    fn eq(&self, _: &Plain) -> ::core::primitive::bool {
        false
    }
}

impl PartialOrd<Plain> for ::core::primitive::usize {
    fn partial_cmp(&self, _: &Plain) -> ::core::option::Option<::core::cmp::Ordering> {
        ::core::option::Option::None
    }
}

/// A struct.
#[derive(AssertSize)]
#[assert_size(exact = 4, align = 4, no_padding)]
pub struct Plain(pub u32);

/// A struct with a niche.
#[derive(AssertSize)]
#[assert_size(niche, max = 4, min = 4)]
pub struct Niche(pub char);

/// An enum.
#[derive(AssertSize)]
#[assert_size(max = 12, max_gap = 7, variant(Left, max = 1))]
pub enum Kinds {
    /// One.
    Left(i8),
    /// Two.
    Right(u32, u32),
}

/// An enum in the order of C.
#[derive(AssertSize)]
#[assert_size(max = 8, variant(Right, max = 8))]
#[repr(u16)]
pub enum Ordered {
    /// One.
    Left(i8),
    /// Two.
    Right(i8, u32),
}

/// A generic type.
#[derive(AssertSize)]
#[assert_size(for(T = i16), max = 2, no_padding)]
pub struct Generic<T: ?::core::marker::Sized>(pub T);
