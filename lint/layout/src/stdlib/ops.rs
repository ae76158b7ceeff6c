//! Operators, ranges and control flow.

use crate::iter::Iterator;
use crate::slice::SliceIndex;
use crate::string::String;

pub enum Bound<T> { Included(T), Excluded(T), Unbounded }
pub enum ControlFlow<B, C = ()> { Continue(C), Break(B) }
pub enum CoroutineState<Y, R> { Yielded(Y), Complete(R) }
#[weigh(no_copy)]
pub struct Range<Idx> { pub start: Idx, pub end: Idx }
pub struct RangeFrom<Idx> { pub start: Idx }
pub struct RangeFull;
#[weigh(no_copy)]
pub struct RangeInclusive<Idx> { start: Idx, end: Idx, exhausted: bool }
pub struct RangeTo<Idx> { pub end: Idx }
pub struct RangeToInclusive<Idx> { pub end: Idx }
pub trait Add<Rhs = Self> { type Output; }
pub trait AddAssign<Rhs = Self> {}
pub trait BitAnd<Rhs = Self> { type Output; }
pub trait BitAndAssign<Rhs = Self> {}
pub trait BitOr<Rhs = Self> { type Output; }
pub trait BitOrAssign<Rhs = Self> {}
pub trait BitXor<Rhs = Self> { type Output; }
pub trait BitXorAssign<Rhs = Self> {}
#[lang = "deref"]
pub trait Deref { type Target: ?Sized; }
pub trait DerefMut: Deref {}
pub trait Div<Rhs = Self> { type Output; }
pub trait DivAssign<Rhs = Self> {}
#[lang = "drop"]
pub trait Drop {}
pub trait Index<Idx: ?Sized> { type Output: ?Sized; }
pub trait IndexMut<Idx: ?Sized>: Index<Idx> {}
pub trait Mul<Rhs = Self> { type Output; }
pub trait MulAssign<Rhs = Self> {}
pub trait Neg { type Output; }
pub trait Not { type Output; }
pub trait RangeBounds<T: ?Sized> {}
pub trait Rem<Rhs = Self> { type Output; }
pub trait RemAssign<Rhs = Self> {}
pub trait Shl<Rhs = Self> { type Output; }
pub trait ShlAssign<Rhs = Self> {}
pub trait Shr<Rhs = Self> { type Output; }
pub trait ShrAssign<Rhs = Self> {}
pub trait Sub<Rhs = Self> { type Output; }
pub trait SubAssign<Rhs = Self> {}

#[lang = "fn_once"]
pub trait FnOnce<Args> { type Output; }
#[lang = "fn_mut"]
pub trait FnMut<Args>: FnOnce<Args> {}
#[lang = "fn"]
pub trait Fn<Args>: FnMut<Args> {}
#[lang = "async_fn_once"]
pub trait AsyncFnOnce<Args> { type CallOnceFuture; type Output; }
#[lang = "async_fn_mut"]
pub trait AsyncFnMut<Args>: AsyncFnOnce<Args> {}
#[lang = "async_fn"]
pub trait AsyncFn<Args>: AsyncFnMut<Args> {}
pub trait Coroutine<R = ()> { type Yield; type Return; }
pub trait CoerceUnsized<T: ?Sized> {}
pub trait DispatchFromDyn<T> {}
pub trait Receiver { type Target: ?Sized; }
pub trait Residual<O> { type TryType; }
pub trait FromResidual<R> {}
pub trait Try { type Output; type Residual; }

impl<T> Try for crate::option::Option<T> { type Output = T; type Residual = crate::option::Option<crate::convert::Infallible>; }
impl<T, E> Try for crate::result::Result<T, E> { type Output = T; type Residual = crate::result::Result<crate::convert::Infallible, E>; }
impl<B, C> Try for ControlFlow<B, C> { type Output = C; type Residual = ControlFlow<B, crate::convert::Infallible>; }

impl<T: ?Sized> Deref for &T { type Target = T; }
impl<T: ?Sized> Deref for &mut T { type Target = T; }

impl<A, F: Fn<A> + ?Sized> Fn<A> for &F {}
impl<A, F: Fn<A> + ?Sized> FnMut<A> for &F {}
impl<A, F: Fn<A> + ?Sized> FnOnce<A> for &F { type Output = <F as FnOnce<A>>::Output; }
impl<A, F: FnMut<A> + ?Sized> FnMut<A> for &mut F {}
impl<A, F: FnMut<A> + ?Sized> FnOnce<A> for &mut F { type Output = <F as FnOnce<A>>::Output; }

macro_rules! fn_pointers {
    ($($arg:ident)*) => {
        impl<R, $($arg),*> FnOnce<($($arg,)*)> for fn($($arg),*) -> R { type Output = R; }
        impl<R, $($arg),*> FnMut<($($arg,)*)> for fn($($arg),*) -> R {}
        impl<R, $($arg),*> Fn<($($arg,)*)> for fn($($arg),*) -> R {}
    };
}
fn_pointers! {}
fn_pointers! { A }
fn_pointers! { A B }
fn_pointers! { A B C }
fn_pointers! { A B C D }
fn_pointers! { A B C D E }
fn_pointers! { A B C D E F }

impl<A> Iterator for Range<A> { type Item = A; }
impl<A> Iterator for RangeFrom<A> { type Item = A; }
impl<A> Iterator for RangeInclusive<A> { type Item = A; }

impl<T, I: SliceIndex<[T]>> Index<I> for [T] { type Output = <I as SliceIndex<[T]>>::Output; }
impl<I: SliceIndex<str>> Index<I> for str { type Output = <I as SliceIndex<str>>::Output; }
impl<I: SliceIndex<str>> Index<I> for String { type Output = <I as SliceIndex<str>>::Output; }
impl<T> SliceIndex<[T]> for usize { type Output = T; }

macro_rules! slice_indices {
    ($($range:ty)*) => { $(
        impl<T> SliceIndex<[T]> for $range { type Output = [T]; }
        impl SliceIndex<str> for $range { type Output = str; }
    )* };
}
slice_indices! {
    Range<usize> RangeFrom<usize> RangeFull RangeInclusive<usize> RangeTo<usize> RangeToInclusive<usize>
    (Bound<usize>, Bound<usize>)
}

// By value and by reference on either side, as for all numbers.
macro_rules! binary {
    ($trait:ident for $($type:ty)*) => { $(
        impl $trait for $type { type Output = $type; }
        impl<'a> $trait<&'a $type> for $type { type Output = $type; }
        impl<'a> $trait<$type> for &'a $type { type Output = $type; }
        impl<'a, 'b> $trait<&'b $type> for &'a $type { type Output = $type; }
    )* };
}
binary! { Add for i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize f32 f64 }
binary! { Sub for i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize f32 f64 }
binary! { Mul for i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize f32 f64 }
binary! { Div for i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize f32 f64 }
binary! { Rem for i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize f32 f64 }
binary! { BitAnd for bool i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize }
binary! { BitOr for bool i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize }
binary! { BitXor for bool i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize }

macro_rules! unary {
    ($trait:ident for $($type:ty)*) => { $(
        impl $trait for $type { type Output = $type; }
        impl<'a> $trait for &'a $type { type Output = $type; }
    )* };
}
unary! { Neg for i8 i16 i32 i64 i128 isize f32 f64 }
unary! { Not for bool i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize }

macro_rules! shifts {
    ($($type:ident)*) => { $(
        shift! { $type by i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize }
    )* };
}
macro_rules! shift {
    ($type:ident by $($by:ident)*) => { $(
        impl Shl<$by> for $type { type Output = $type; }
        impl Shr<$by> for $type { type Output = $type; }
    )* };
}
shifts! { i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize }
