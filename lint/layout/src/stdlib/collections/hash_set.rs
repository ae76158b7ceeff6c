//! The hash set.

use crate::alloc::Global;
use crate::collections::hashbrown;
use crate::hash::RandomState;
use crate::iter::{Chain, IntoIterator, Iterator};
use crate::ops::{BitAnd, BitOr, BitXor, Sub};

pub struct Difference<'a, T, S, A = Global> { iter: Iter<'a, T>, other: &'a HashSet<T, S, A> }
pub struct Drain<'a, K, A = Global> { base: hashbrown::Drain<'a, K, (), A> }
pub struct ExtractIf<'a, K, F, A = Global> { base: hashbrown::ExtractIf<'a, K, (), F, A> }
#[weigh(no_copy)]
#[weigh(map)]
pub struct HashSet<T, S = RandomState, A = Global> { base: hashbrown::HashSet<T, S, A> }
pub struct Intersection<'a, T, S, A = Global> { iter: Iter<'a, T>, other: &'a HashSet<T, S, A> }
pub struct IntoIter<K, A = Global> { base: hashbrown::IntoIter<K, (), A> }
pub struct Iter<'a, K> { base: hashbrown::Iter<'a, K, ()> }
pub struct SymmetricDifference<'a, T, S, A = Global> {
    iter: Chain<Difference<'a, T, S, A>, Difference<'a, T, S, A>>,
}
pub struct Union<'a, T, S, A = Global> { iter: Chain<Iter<'a, T>, Difference<'a, T, S, A>> }

impl<'a, T, S, A> Iterator for Difference<'a, T, S, A> { type Item = &'a T; }
impl<'a, K, A> Iterator for Drain<'a, K, A> { type Item = K; }
impl<K, F, A> Iterator for ExtractIf<'_, K, F, A> { type Item = K; }
impl<T, S> BitAnd<&HashSet<T, S>> for &HashSet<T, S> {
    type Output = HashSet<T, S>;
}
impl<T, S> BitOr<&HashSet<T, S>> for &HashSet<T, S> {
    type Output = HashSet<T, S>;
}
impl<T, S> BitXor<&HashSet<T, S>> for &HashSet<T, S> {
    type Output = HashSet<T, S>;
}
impl<'a, T, S, A> IntoIterator for &'a HashSet<T, S, A> { type Item = &'a T; type IntoIter = Iter<'a, T>; }
impl<T, S, A> IntoIterator for HashSet<T, S, A> { type Item = T; type IntoIter = IntoIter<T, A>; }
impl<T, S> Sub<&HashSet<T, S>> for &HashSet<T, S> {
    type Output = HashSet<T, S>;
}
impl<'a, T, S, A> Iterator for Intersection<'a, T, S, A> { type Item = &'a T; }
impl<K, A> Iterator for IntoIter<K, A> { type Item = K; }
impl<'a, K> Iterator for Iter<'a, K> { type Item = &'a K; }
impl<'a, T, S, A> Iterator for SymmetricDifference<'a, T, S, A> { type Item = &'a T; }
impl<'a, T, S, A> Iterator for Union<'a, T, S, A> { type Item = &'a T; }
