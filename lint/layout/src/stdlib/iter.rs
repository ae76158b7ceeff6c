//! Iterators: the traits, the adapters and the sources.

use crate::array::IntoIter;
use crate::clone::Clone;
use crate::cmp::PartialOrd;
use crate::marker::{PhantomData, Sized};
use crate::mem::MaybeUninit;
use crate::num::NonZero;
use crate::ops::FnOnce;
use crate::option::Option;

pub struct ArrayChunks<I: Iterator, const N: usize> {
    iter: I,
    remainder: Option<IntoIter<<I as Iterator>::Item, N>>,
}
pub struct ByRefSized<'a, I>(pub &'a mut I);
pub struct Chain<A, B> { a: Option<A>, b: Option<B> }
pub struct Cloned<I> { it: I }
pub struct Copied<I> { it: I }
pub struct Cycle<I> { orig: I, iter: I }
pub struct Empty<T>(PhantomData<fn() -> T>);
pub struct Enumerate<I> { iter: I, count: usize }
pub struct Filter<I, P> { iter: I, predicate: P }
pub struct FilterMap<I, F> { iter: I, f: F }
pub struct FlatMap<I, U: IntoIterator, F> { inner: FlattenCompat<Map<I, F>, <U as IntoIterator>::IntoIter> }
pub struct Flatten<I: Iterator> where <I as Iterator>::Item: IntoIterator {
    inner: FlattenCompat<I, <<I as Iterator>::Item as IntoIterator>::IntoIter>,
}
pub struct FromFn<F>(F);
pub struct Fuse<I> { iter: Option<I> }
pub struct Inspect<I, F> { iter: I, f: F }
pub struct Intersperse<I: Iterator> {
    started: bool,
    separator: <I as Iterator>::Item,
    next_item: Option<<I as Iterator>::Item>,
    iter: Fuse<I>,
}
pub struct IntersperseWith<I: Iterator, G> {
    started: bool,
    separator: G,
    next_item: Option<<I as Iterator>::Item>,
    iter: Fuse<I>,
}
pub struct Map<I, F> { iter: I, f: F }
pub struct MapWhile<I, P> { iter: I, predicate: P }
pub struct MapWindows<I: Iterator, F, const N: usize> { f: F, inner: MapWindowsInner<I, N> }
pub struct Once<T> { inner: crate::option::IntoIter<T> }
pub struct OnceWith<F> { make: Option<F> }
pub struct Peekable<I: Iterator> { iter: I, peeked: Option<Option<<I as Iterator>::Item>> }
pub struct Repeat<A> { element: A }
#[cfg(version("1.89"))]
pub struct RepeatN<A> { inner: Option<RepeatNInner<A>> }
#[cfg(not(version("1.89")))]
pub struct RepeatN<A> { count: usize, element: MaybeUninit<A> }
pub struct RepeatWith<F> { repeater: F }
pub struct Rev<T> { iter: T }
pub struct Scan<I, St, F> { iter: I, f: F, state: St }
pub struct Skip<I> { iter: I, n: usize }
pub struct SkipWhile<I, P> { iter: I, flag: bool, predicate: P }
pub struct StepBy<I> { iter: I, step_minus_one: usize, first_take: bool }
pub struct Successors<T, F> { next: Option<T>, succ: F }
pub struct Take<I> { iter: I, n: usize }
pub struct TakeWhile<I, P> { iter: I, flag: bool, predicate: P }
pub struct Zip<A, B> {
    a: A,
    b: B,
    index: usize,
    len: usize,
    #[cfg(not(version("1.90")))]
    a_len: usize,
}
pub trait DoubleEndedIterator: Iterator {}
pub trait ExactSizeIterator: Iterator {}
pub trait Extend<A> {}
pub trait FromIterator<A>: Sized {}
pub trait FusedIterator: Iterator {}
pub trait IntoIterator { type Item; type IntoIter; }
#[lang = "iterator"]
pub trait Iterator { type Item; }
pub trait Product<A = Self>: Sized {}
pub trait Step: Sized + Clone + PartialOrd {}
pub trait Sum<A = Self>: Sized {}

struct FlattenCompat<I, U> { iter: Fuse<I>, frontiter: Option<U>, backiter: Option<U> }
struct MapWindowsInner<I: Iterator, const N: usize> {
    iter: Option<I>,
    buffer: Option<Buffer<<I as Iterator>::Item, N>>,
}
struct Buffer<T, const N: usize> { buffer: [[MaybeUninit<T>; N]; 2], start: usize }
struct RepeatNInner<A> { count: NonZero<usize>, element: A }

impl<I: Iterator> IntoIterator for I { type Item = <I as Iterator>::Item; type IntoIter = I; }
impl<I: Iterator + ?Sized> Iterator for &mut I { type Item = <I as Iterator>::Item; }

// Adapters that dereference items.
impl<'a, I: Iterator<Item = &'a T>, T: 'a> Iterator for Cloned<I> { type Item = T; }
impl<'a, I: Iterator<Item = &'a T>, T: 'a> Iterator for Copied<I> { type Item = T; }

// Adapters that take their items out of an `Option`.
impl<B, I: Iterator, F: FnOnce<(<I as Iterator>::Item,), Output = Option<B>>> Iterator for FilterMap<I, F> { type Item = B; }
impl<B, I: Iterator, P: FnOnce<(<I as Iterator>::Item,), Output = Option<B>>> Iterator for MapWhile<I, P> { type Item = B; }
impl<T, F: FnOnce<(), Output = Option<T>>> Iterator for FromFn<F> { type Item = T; }
impl<B, I: Iterator, St: 'static, F: FnOnce<(&'static mut St, <I as Iterator>::Item), Output = Option<B>>> Iterator for Scan<I, St, F> {
    type Item = B;
}

impl<I: Iterator, const N: usize> Iterator for ArrayChunks<I, N> { type Item = [<I as Iterator>::Item; N]; }
impl<I: Iterator> Iterator for ByRefSized<'_, I> { type Item = <I as Iterator>::Item; }
impl<A: Iterator, B: Iterator<Item = <A as Iterator>::Item>> Iterator for Chain<A, B> { type Item = <A as Iterator>::Item; }
impl<I: Iterator> Iterator for Cycle<I> { type Item = <I as Iterator>::Item; }
impl<T> Iterator for Empty<T> { type Item = T; }
impl<I: Iterator> Iterator for Enumerate<I> { type Item = (usize, <I as Iterator>::Item); }
impl<I: Iterator, P> Iterator for Filter<I, P> { type Item = <I as Iterator>::Item; }
impl<I: Iterator, U: IntoIterator, F> Iterator for FlatMap<I, U, F> { type Item = <U as IntoIterator>::Item; }
impl<I: Iterator> Iterator for Flatten<I> where <I as Iterator>::Item: IntoIterator {
    type Item = <<I as Iterator>::Item as IntoIterator>::Item;
}
impl<I: Iterator> Iterator for Fuse<I> { type Item = <I as Iterator>::Item; }
impl<I: Iterator, F> Iterator for Inspect<I, F> { type Item = <I as Iterator>::Item; }
impl<I: Iterator> Iterator for Intersperse<I> { type Item = <I as Iterator>::Item; }
impl<I: Iterator, G> Iterator for IntersperseWith<I, G> { type Item = <I as Iterator>::Item; }
impl<I: Iterator, F: FnOnce<(<I as Iterator>::Item,)>> Iterator for Map<I, F> {
    type Item = <F as FnOnce<(<I as Iterator>::Item,)>>::Output;
}
impl<T> Iterator for Once<T> { type Item = T; }
impl<F: FnOnce<()>> Iterator for OnceWith<F> { type Item = <F as FnOnce<()>>::Output; }
impl<I: Iterator> Iterator for Peekable<I> { type Item = <I as Iterator>::Item; }
impl<A> Iterator for Repeat<A> { type Item = A; }
impl<A> Iterator for RepeatN<A> { type Item = A; }
impl<F: FnOnce<()>> Iterator for RepeatWith<F> { type Item = <F as FnOnce<()>>::Output; }
impl<I: Iterator> Iterator for Rev<I> { type Item = <I as Iterator>::Item; }
impl<I: Iterator> Iterator for Skip<I> { type Item = <I as Iterator>::Item; }
impl<I: Iterator, P> Iterator for SkipWhile<I, P> { type Item = <I as Iterator>::Item; }
impl<I: Iterator> Iterator for StepBy<I> { type Item = <I as Iterator>::Item; }
impl<T, F> Iterator for Successors<T, F> { type Item = T; }
impl<I: Iterator> Iterator for Take<I> { type Item = <I as Iterator>::Item; }
impl<I: Iterator, P> Iterator for TakeWhile<I, P> { type Item = <I as Iterator>::Item; }
impl<A: Iterator, B: Iterator> Iterator for Zip<A, B> { type Item = (<A as Iterator>::Item, <B as Iterator>::Item); }
