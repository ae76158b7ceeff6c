//! Signatures of methods of the standard library, and their effects on the receiver.
//!
//! Not a module of `lib.rs`: constant evaluation must not find functions without a body. Iterators
//! are all one type here, closures are function pointers, and guards are references; `_` is
//! unknown. An attribute of a method, or of a whole `impl`, states the effect on a list or text
//! that is the receiver (`infer/effects.rs` lists them); `#[each]` calls its closure for each item,
//! and `#[slices]` takes whatever can be borrowed as a slice, text or path. The other attributes
//! hold for all methods of the name: `infer/marks.rs` lists them.

use crate::cell::{Cell, OnceCell, RefCell};
use crate::fmt::{Debug, DebugList, DebugMap, DebugSet, DebugStruct, DebugTuple, Formatter};
use crate::pin::Pin;
use crate::rc::{Rc, Weak};
use crate::sync::{Arc, Mutex, OnceLock, RwLock};

mod lists;
mod maps;
mod named;
mod texts;
mod traits;

pub struct Iter<T>(T);

impl<T> Iter<T> {
    #[picks] fn next(&mut self) -> Option<T>;
    #[picks] fn next_back(&mut self) -> Option<T>;
    #[picks] fn nth(&mut self, n: usize) -> Option<T>;
    fn nth_back(&mut self, n: usize) -> Option<T>;
    fn rfind(&mut self, f: fn(&T) -> bool) -> Option<T>;
    fn peek_mut(&mut self) -> Option<&mut T>;
    #[picks] #[ends] fn last(self) -> Option<T>;
    #[picks] fn peek(&mut self) -> Option<&T>;
    fn next_if(&mut self, f: fn(&T) -> bool) -> Option<T>;
    #[items] #[counts] fn into_iter(self) -> Iter<T>;
    #[lends] #[items] fn by_ref(&mut self) -> Iter<T>;
    #[items] #[counts] fn rev(self) -> Iter<T>;
    #[items] #[counts] fn skip(self, n: usize) -> Iter<T>;
    #[items] #[counts] fn take(self, n: usize) -> Iter<T>;
    #[items] fn step_by(self, n: usize) -> Iter<T>;
    #[items] fn fuse(self) -> Iter<T>;
    fn cycle(self) -> Iter<T>;
    #[items] fn peekable(self) -> Iter<T>;
    #[each] #[items] fn filter(self, f: fn(&T) -> bool) -> Iter<T>;
    #[each] #[items] fn skip_while(self, f: fn(&T) -> bool) -> Iter<T>;
    #[each] #[items] fn take_while(self, f: fn(&T) -> bool) -> Iter<T>;
    #[each] #[items] #[counts] fn inspect(self, f: fn(&T)) -> Iter<T>;
    #[each] #[counts] #[hands_on] fn map<B>(self, f: fn(T) -> B) -> Iter<B>;
    #[each] fn map_while<B>(self, f: fn(T) -> Option<B>) -> Iter<B>;
    #[each] fn filter_map<B>(self, f: fn(T) -> Option<B>) -> Iter<B>;
    #[each] fn flat_map<U>(self, f: fn(T) -> U) -> Iter<U>;
    fn flatten(self) -> Iter<T>;
    #[each] fn scan<S, B>(self, start: S, f: fn(&mut S, T) -> Option<B>) -> Iter<B>;
    #[counts] fn enumerate(self) -> Iter<(usize, T)>;
    #[slices] #[counts] fn zip<U>(self, other: Iter<U>) -> Iter<(T, U)>;
    #[slices] #[items] #[counts] #[hands_on] fn chain<U>(self, other: U) -> Iter<T>;
    #[each] fn try_fold<B, R>(&mut self, start: B, f: fn(B, T) -> R) -> R;
    #[each] #[ends] fn for_each(self, f: fn(T));
    #[each] fn try_for_each<R>(&mut self, f: fn(T) -> R) -> R;
    #[each] #[ends] fn fold<B>(self, start: B, f: fn(B, T) -> B) -> B;
    #[each] fn reduce(self, f: fn(T, T) -> T) -> Option<T>;
    #[each] #[ends] fn any(&mut self, f: fn(T) -> bool) -> bool;
    #[each] #[ends] fn all(&mut self, f: fn(T) -> bool) -> bool;
    #[each] #[ends] fn find(&mut self, f: fn(&T) -> bool) -> Option<T>;
    #[each] fn find_map<B>(&mut self, f: fn(T) -> Option<B>) -> Option<B>;
    #[each] fn position(&mut self, f: fn(T) -> bool) -> Option<usize>;
    #[ends] fn max(self) -> Option<T>;
    #[ends] fn min(self) -> Option<T>;
    #[each] fn max_by_key<K>(self, f: fn(&T) -> K) -> Option<T>;
    #[each] fn min_by_key<K>(self, f: fn(&T) -> K) -> Option<T>;
    fn max_by<K>(self, f: fn(&T, &T) -> K) -> Option<T>;
    fn min_by<K>(self, f: fn(&T, &T) -> K) -> Option<T>;
    #[ends] fn count(self) -> usize;
    #[looks] fn len(&self) -> usize;
    #[items] #[ends] #[creates] #[makes] #[hands_on] fn collect<B>(self) -> B;
    #[ends] fn sum<B>(self) -> B;
    #[ends] fn product<B>(self) -> B;
    #[each] #[ends] fn partition<B>(self, f: fn(&T) -> bool) -> (B, B);
}

impl<'a, T> Iter<&'a T> {
    #[items] #[counts] fn cloned(self) -> Iter<T>;
    #[items] #[counts] fn copied(self) -> Iter<T>;
}

impl<T> Option<T> {
    #[tells] fn is_some(&self) -> bool;
    #[tells] fn is_none(&self) -> bool;
    #[tells] fn is_some_and(self, f: fn(T) -> bool) -> bool;
    #[tells] fn is_none_or(self, f: fn(T) -> bool) -> bool;
    #[keeps] #[unwraps] fn unwrap(self) -> T;
    #[keeps] #[unwraps] fn expect(self, message: &str) -> T;
    fn unwrap_or(self, other: T) -> T;
    fn unwrap_or_else(self, f: fn() -> T) -> T;
    #[keeps] #[unwraps] fn unwrap_or_default(self) -> T;
    fn unwrap_unchecked(self) -> T;
    #[counts] #[hands_on] fn map<U>(self, f: fn(T) -> U) -> Option<U>;
    fn map_or<U>(self, other: U, f: fn(T) -> U) -> U;
    fn map_or_else<U>(self, other: fn() -> U, f: fn(T) -> U) -> U;
    fn and_then<U>(self, f: fn(T) -> Option<U>) -> Option<U>;
    fn and<U>(self, other: Option<U>) -> Option<U>;
    fn or(self, other: Option<T>) -> Option<T>;
    fn or_else(self, f: fn() -> Option<T>) -> Option<T>;
    #[items] fn filter(self, f: fn(&T) -> bool) -> Option<T>;
    #[items] #[counts] fn inspect(self, f: fn(&T)) -> Option<T>;
    #[keeps] fn ok_or<E>(self, error: E) -> Result<T, E>;
    #[keeps] fn ok_or_else<E>(self, f: fn() -> E) -> Result<T, E>;
    #[keeps] #[looks] fn as_ref(&self) -> Option<&T>;
    #[lends] #[keeps] fn as_mut(&mut self) -> Option<&mut T>;
    #[shrinks] #[keeps] #[items] #[counts] fn take(&mut self) -> Option<T>;
    #[sets] #[creates] #[stores] #[puts] fn replace(&mut self, value: T) -> Option<T>;
    #[sets] #[stores] #[puts] fn insert(&mut self, value: T) -> &mut T;
    #[sets] #[puts] fn get_or_insert(&mut self, value: T) -> &mut T;
    #[lends] fn get_or_insert_default(&mut self) -> &mut T;
    #[lends] fn get_or_insert_with(&mut self, f: fn() -> T) -> &mut T;
    #[items] #[counts] fn iter(&self) -> Iter<&T>;
    #[counts] #[tells] fn iter_mut(&mut self) -> Iter<&mut T>;
    #[items] #[counts] fn into_iter(self) -> Iter<T>;
    #[counts] fn zip<U>(self, other: Option<U>) -> Option<(T, U)>;
}

impl<'a, T> Option<&'a T> {
    #[keeps] fn cloned(self) -> Option<T>;
    #[keeps] fn copied(self) -> Option<T>;
}

impl<'a, T> Option<&'a mut T> {
    #[keeps] fn cloned(self) -> Option<T>;
    #[keeps] fn copied(self) -> Option<T>;
}

impl<T> Option<Option<T>> {
    fn flatten(self) -> Option<T>;
}

impl Option<String> {
    #[keeps] fn as_deref(&self) -> Option<&str>;
}

impl<T> Option<Box<T>> {
    #[keeps] fn as_deref(&self) -> Option<&T>;
    fn as_deref_mut(&mut self) -> Option<&mut T>;
}

impl<T> Option<Rc<T>> {
    #[keeps] fn as_deref(&self) -> Option<&T>;
}

impl<T> Option<Arc<T>> {
    #[keeps] fn as_deref(&self) -> Option<&T>;
}

impl<T> Option<Vec<T>> {
    #[keeps] fn as_deref(&self) -> Option<&[T]>;
    fn as_deref_mut(&mut self) -> Option<&mut [T]>;
}

impl<T, E> Result<T, E> {
    #[tells] fn is_ok(&self) -> bool;
    #[tells] fn is_err(&self) -> bool;
    #[keeps] fn ok(self) -> Option<T>;
    #[keeps] fn err(self) -> Option<E>;
    #[keeps] #[unwraps] fn unwrap(self) -> T;
    #[keeps] #[unwraps] fn expect(self, message: &str) -> T;
    fn unwrap_err(self) -> E;
    fn unwrap_or(self, other: T) -> T;
    fn unwrap_or_else(self, f: fn(E) -> T) -> T;
    #[keeps] #[unwraps] fn unwrap_or_default(self) -> T;
    fn map<U>(self, f: fn(T) -> U) -> Result<U, E>;
    #[keeps] fn map_err<F>(self, f: fn(E) -> F) -> Result<T, F>;
    fn map_or<U>(self, other: U, f: fn(T) -> U) -> U;
    fn and_then<U>(self, f: fn(T) -> Result<U, E>) -> Result<U, E>;
    fn or_else<F>(self, f: fn(E) -> Result<T, F>) -> Result<T, F>;
    #[keeps] #[looks] fn as_ref(&self) -> Result<&T, &E>;
    #[lends] #[keeps] fn as_mut(&mut self) -> Result<&mut T, &mut E>;
    fn iter(&self) -> Iter<&T>;
    fn into_iter(self) -> Iter<T>;
}

impl<'a, T> &'a Option<T> {
    #[items] #[counts] fn into_iter(self) -> Iter<&T>;
}

impl<T> Box<T> {
    fn new(value: T) -> Box<T>;
    #[address] fn pin(value: T) -> Pin<Box<T>>;
}

impl<T> Rc<T> {
    fn new(value: T) -> Rc<T>;
    fn clone(this: &Rc<T>) -> Rc<T>;
    #[unshares] fn make_mut(this: &mut Rc<T>) -> &mut T;
    #[unshares] fn get_mut(this: &mut Rc<T>) -> Option<&mut T>;
    fn downgrade(this: &Rc<T>) -> Weak<T>;
    #[unshares] fn try_unwrap(this: Rc<T>) -> Result<T, Rc<T>>;
}

impl<T> Arc<T> {
    fn new(value: T) -> Arc<T>;
    fn clone(this: &Arc<T>) -> Arc<T>;
    #[unshares] fn make_mut(this: &mut Arc<T>) -> &mut T;
    #[unshares] fn get_mut(this: &mut Arc<T>) -> Option<&mut T>;
    #[unshares] fn try_unwrap(this: Arc<T>) -> Result<T, Arc<T>>;
}

impl<T> Weak<T> {
    fn upgrade(&self) -> Option<Rc<T>>;
}

impl<T> Cell<T> {
    fn new(value: T) -> Cell<T>;
    fn get(&self) -> T;
    #[stores] #[puts] fn set(&self, value: T);
    #[sets] #[stores] #[puts] fn replace(&self, value: T) -> T;
    #[shrinks] fn take(&self) -> T;
}

impl<T> RefCell<T> {
    fn new(value: T) -> RefCell<T>;
    fn borrow(&self) -> &T;
    #[lends] fn borrow_mut(&self) -> &mut T;
    fn get_mut(&mut self) -> &mut T;
    fn into_inner(self) -> T;
    #[sets] #[stores] #[puts] fn replace(&self, value: T) -> T;
    #[shrinks] fn take(&self) -> T;
}

impl<T> OnceCell<T> {
    fn get(&self) -> Option<&T>;
    fn get_or_init(&self, f: fn() -> T) -> &T;
    #[stores] #[puts] fn set(&self, value: T) -> Result<(), T>;
}

impl<T> OnceLock<T> {
    fn get(&self) -> Option<&T>;
    fn get_or_init(&self, f: fn() -> T) -> &T;
    #[stores] #[puts] fn set(&self, value: T) -> Result<(), T>;
}

impl<T> Mutex<T> {
    fn new(value: T) -> Mutex<T>;
    #[lends] fn lock(&self) -> Result<&mut T, ()>;
    fn get_mut(&mut self) -> Result<&mut T, ()>;
    fn into_inner(self) -> Result<T, ()>;
}

impl<T> RwLock<T> {
    fn new(value: T) -> RwLock<T>;
    fn read(&self) -> Result<&T, ()>;
    #[lends] fn write(&self) -> Result<&mut T, ()>;
    fn into_inner(self) -> Result<T, ()>;
}

impl<'a> Formatter<'a> {
    fn debug_list(&mut self) -> DebugList<'_, 'a>;
    fn debug_map(&mut self) -> DebugMap<'_, 'a>;
    fn debug_set(&mut self) -> DebugSet<'_, 'a>;
    fn debug_struct<N>(&mut self, name: N) -> DebugStruct<'_, 'a>;
    fn debug_tuple<N>(&mut self, name: N) -> DebugTuple<'_, 'a>;
}

impl<'a, 'b> DebugList<'a, 'b> {
    fn entry(&mut self, value: &dyn Debug) -> &mut DebugList<'a, 'b>;
}

impl<'a, 'b> DebugMap<'a, 'b> {
    fn entry(&mut self, key: &dyn Debug, value: &dyn Debug) -> &mut DebugMap<'a, 'b>;
}

impl<'a, 'b> DebugSet<'a, 'b> {
    fn entry(&mut self, value: &dyn Debug) -> &mut DebugSet<'a, 'b>;
}

impl<'a, 'b> DebugStruct<'a, 'b> {
    fn field<N>(&mut self, name: N, value: &dyn Debug) -> &mut DebugStruct<'a, 'b>;
}

impl<'a, 'b> DebugTuple<'a, 'b> {
    fn field(&mut self, value: &dyn Debug) -> &mut DebugTuple<'a, 'b>;
}

macro_rules! integers {
    ($($of:ident)*) => { $(
        impl $of {
            fn from_str_radix(text: &str, radix: u32) -> Result<$of, _>;
            fn checked_add(self, other: $of) -> Option<$of>;
            fn checked_div(self, other: $of) -> Option<$of>;
            fn checked_mul(self, other: $of) -> Option<$of>;
            fn checked_rem(self, other: $of) -> Option<$of>;
            fn checked_sub(self, other: $of) -> Option<$of>;
            fn count_ones(self) -> u32;
            fn div_euclid(self, other: $of) -> $of;
            fn is_positive(self) -> bool;
            fn leading_zeros(self) -> u32;
            fn pow(self, by: u32) -> $of;
            fn rem_euclid(self, other: $of) -> $of;
            fn saturating_add(self, other: $of) -> $of;
            fn saturating_mul(self, other: $of) -> $of;
            fn saturating_sub(self, other: $of) -> $of;
            fn swap_bytes(self) -> $of;
            fn to_be(self) -> $of;
            fn to_le(self) -> $of;
            fn trailing_zeros(self) -> u32;
            fn wrapping_add(self, other: $of) -> $of;
            fn wrapping_mul(self, other: $of) -> $of;
            fn wrapping_neg(self) -> $of;
            fn wrapping_sub(self, other: $of) -> $of;
        }
    )* };
}
integers! { u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize }

macro_rules! numbers {
    ($($of:ident)*) => { $(
        impl $of {
            fn abs(self) -> $of;
            fn clamp(self, least: $of, most: $of) -> $of;
            fn max(self, other: $of) -> $of;
            fn min(self, other: $of) -> $of;
            fn signum(self) -> $of;
        }
    )* };
}
numbers! { u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64 }

macro_rules! floats {
    ($($of:ident)*) => { $(
        impl $of {
            fn ceil(self) -> $of;
            fn cos(self) -> $of;
            fn exp(self) -> $of;
            fn floor(self) -> $of;
            fn hypot(self, other: $of) -> $of;
            fn is_nan(self) -> bool;
            fn ln(self) -> $of;
            fn powf(self, by: $of) -> $of;
            fn powi(self, by: i32) -> $of;
            fn round(self) -> $of;
            fn sin(self) -> $of;
            fn sqrt(self) -> $of;
            fn to_degrees(self) -> $of;
            fn to_radians(self) -> $of;
            fn trunc(self) -> $of;
        }
    )* };
}
floats! { f32 f64 }

impl u8 {
    fn is_ascii(&self) -> bool;
    fn to_ascii_lowercase(&self) -> u8;
    fn to_ascii_uppercase(&self) -> u8;
}
