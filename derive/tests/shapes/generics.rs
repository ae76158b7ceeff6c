//! Types with parameters.

use core::fmt::{Debug, Display};
use core::marker::PhantomData;

use weigh_derive::AssertSize;

/// One parameter, two instances.
#[derive(AssertSize)]
#[assert_size(for(T = u64), max = 16)]
#[assert_size(for(T = u8), max = 2, no_padding)]
pub struct Pair<T>(pub T, pub T);

/// Several instances at once.
#[derive(AssertSize)]
#[assert_size(for(T = u64), for(T = i64), for(T = [u8; 8]), max = 8)]
pub struct Same<T> {
    /// The value.
    pub value: T,
}

/// A lifetime alone needs no instance.
#[derive(AssertSize)]
#[assert_size(max = 8, niche, pointer_width = 64)]
pub struct Borrowed<'a>(pub &'a u8);

/// Lifetimes with and without arguments.
#[derive(AssertSize)]
#[assert_size(for('a = 'static, T = u8), max = 16, pointer_width = 64)]
#[assert_size(for(T = &'static str), max = 16, pointer_width = 64)]
pub struct Two<'a, 'b: 'a, T: ?Sized> {
    /// One.
    pub left: &'a T,
    /// Two.
    pub right: &'b u8,
}

/// Outlives bounds that rustc infers.
#[derive(AssertSize)]
#[assert_size(for(T = u64), max = 16, variant(Slice, max = 16), pointer_width = 64)]
pub enum Implied<'a, T> {
    /// One.
    Slice(&'a [T]),
    /// Two.
    None,
}

/// Constants.
#[derive(AssertSize)]
#[assert_size(for(N = 3), max = 3)]
#[assert_size(for(N = { 2 + 2 }), max = 4)]
#[assert_size(for(N = LENGTH), max = 5)]
#[assert_size(for(N = 2 * LENGTH), max = 10, no_padding)]
pub struct Array<const N: usize>(pub [u8; N]);

/// Public: for older compilers what only assertions use is unused.
pub const LENGTH: usize = 5;

/// Constants of other types.
#[derive(AssertSize)]
#[assert_size(for(FLAG = true, LETTER = 'x', LOW = -1), max = 1)]
pub struct Constants<const FLAG: bool, const LETTER: char, const LOW: i8>(pub u8);

/// Bounds.
#[derive(AssertSize)]
#[assert_size(for(T = u16), max = 2, no_padding)]
pub struct Bounded<T: Debug + Display + Copy>(pub T);

/// A `where` clause with a projection.
#[derive(AssertSize)]
#[assert_size(for(I = core::ops::Range<u16>), max = 6, no_padding)]
pub struct Clause<I>
where
    I: Iterator,
    I::Item: Debug,
    for<'a> &'a I: Send,
{
    /// One.
    pub iterator: I,
    /// Two.
    pub next: <I as Iterator>::Item,
}

/// A clause on `Self`.
#[derive(AssertSize)]
#[assert_size(for(T = u8), max = 1, no_padding)]
pub struct OnSelf<T>(pub T)
where
    Self: Sized;

/// A default that is used, and one that is not.
#[derive(AssertSize)]
#[assert_size(max = 4)]
#[assert_size(for(T = u64), max = 8)]
#[assert_size(for(), min = 4)]
pub struct Default<T = u32>(pub T);

/// A default that depends on another parameter.
#[derive(AssertSize)]
#[assert_size(for(T = u8), max = 5, no_padding)]
#[assert_size(for(T = u8, N = 2), max = 6)]
#[assert_size(for(T = u8, N = 2, U = u64), max = 16)]
pub struct Defaults<T, const N: usize = 1, U = [T; 4]>(pub [T; N], pub U);

/// A parameter that may be unsized, behind a reference.
#[derive(AssertSize)]
#[assert_size(for(T = str), max = 16, no_padding, pointer_width = 64)]
#[assert_size(for(T = dyn Debug + Send), max = 16, pointer_width = 64)]
pub struct Behind<'a, T: ?Sized>(pub &'a T);

/// A last field that may be unsized.
#[derive(AssertSize)]
#[assert_size(for(T = [u8; 3]), max = 4, no_padding)]
pub struct Tail<T>
where
    T: ?Sized,
{
    /// One.
    pub head: u8,
    /// Two.
    pub tail: T,
}

/// A last field that is sized, whatever the parameter that may be unsized.
#[derive(AssertSize)]
#[assert_size(for(T = str), max = 1, no_padding)]
pub struct Marked<T: ?Sized> {
    /// One.
    pub marker: PhantomData<T>,
    /// Two.
    pub byte: u8,
}

/// A limit that uses the parameter.
#[derive(AssertSize)]
#[assert_size(for(T = u64), for(T = u8), max = 2 * size_of::<T>(), min = size_of::<Self>())]
pub struct Limited<T>(pub T, pub T);

/// An enum.
#[derive(AssertSize)]
#[assert_size(for(T = u32, E = u8), max = 8, max_gap = 3, variant(Good, max = 4))]
#[assert_size(for(T = u8, E = [u8; 9]), max = 10, variant(Bad, max = 9))]
pub enum Outcome<T, E> {
    /// One.
    Good(T),
    /// Two.
    Bad(E),
}

/// A recursive enum, with a parameter that a variant does not use.
#[derive(AssertSize)]
#[assert_size(for(K = u8, V = u64), max = 16, variant(Leaf, max = 1), pointer_width = 64)]
pub enum Tree<'a, K, V> {
    /// One.
    Leaf(K),
    /// Two.
    Node(&'a Self, V),
}

/// Parameters named like items that the macro might define.
#[derive(AssertSize)]
#[assert_size(for(size = u8, VARIANTS = u16), max = 4, max_gap = 1)]
#[allow(non_camel_case_types, clippy::upper_case_acronyms)]
pub enum Names<size, VARIANTS> {
    /// One.
    Left(size),
    /// Two.
    Right(VARIANTS),
}

/// A trait with an associated type in a field.
pub trait Store {
    /// The associated type.
    type Kept;
}

impl Store for () {
    type Kept = [u8; 7];
}

/// A projection.
#[derive(AssertSize)]
#[assert_size(for(S = ()), max = 7, no_padding)]
pub struct Projected<S: Store>(pub S::Kept);
