//! The hash map.

use crate::alloc::Global;
use crate::borrow::Borrow;
use crate::collections::hashbrown;
use crate::iter::{IntoIterator, Iterator};
use crate::marker::Sized;
use crate::ops::Index;

pub use crate::hash::{DefaultHasher, RandomState};

pub enum Entry<'a, K, V, A = Global> {
    Occupied(OccupiedEntry<'a, K, V, A>),
    Vacant(VacantEntry<'a, K, V, A>),
}
pub struct Drain<'a, K, V, A = Global> { base: hashbrown::Drain<'a, K, V, A> }
pub struct ExtractIf<'a, K, V, F, A = Global> { base: hashbrown::ExtractIf<'a, K, V, F, A> }
#[weigh(no_copy)]
#[weigh(map)]
pub struct HashMap<K, V, S = RandomState, A = Global> { base: hashbrown::HashMap<K, V, S, A> }
pub struct IntoIter<K, V, A = Global> { base: hashbrown::IntoIter<K, V, A> }
pub struct IntoKeys<K, V, A = Global> { inner: IntoIter<K, V, A> }
pub struct IntoValues<K, V, A = Global> { inner: IntoIter<K, V, A> }
pub struct Iter<'a, K, V> { base: hashbrown::Iter<'a, K, V> }
pub struct IterMut<'a, K, V> { base: hashbrown::IterMut<'a, K, V> }
pub struct Keys<'a, K, V> { inner: Iter<'a, K, V> }
pub struct OccupiedEntry<'a, K, V, A = Global> { base: hashbrown::OccupiedEntry<'a, K, V, A> }
pub struct OccupiedError<'a, K, V, A = Global> {
    pub entry: OccupiedEntry<'a, K, V, A>,
    #[cfg(version("1.97"))]
    pub key: K,
    pub value: V,
}
pub struct VacantEntry<'a, K, V, A = Global> { base: hashbrown::VacantEntry<'a, K, V, A> }
pub struct Values<'a, K, V> { inner: Iter<'a, K, V> }
pub struct ValuesMut<'a, K, V> { inner: IterMut<'a, K, V> }

impl<'a, K, V, A> Iterator for Drain<'a, K, V, A> { type Item = (K, V); }
impl<K, V, F, A> Iterator for ExtractIf<'_, K, V, F, A> { type Item = (K, V); }
impl<K: Borrow<Q>, Q: ?Sized, V, S, A> Index<&Q> for HashMap<K, V, S, A> {
    type Output = V;
}
impl<'a, K, V, S, A> IntoIterator for &'a HashMap<K, V, S, A> {
    type Item = (&'a K, &'a V);
    type IntoIter = Iter<'a, K, V>;
}
impl<'a, K, V, S, A> IntoIterator for &'a mut HashMap<K, V, S, A> {
    type Item = (&'a K, &'a mut V);
    type IntoIter = IterMut<'a, K, V>;
}
impl<K, V, S, A> IntoIterator for HashMap<K, V, S, A> { type Item = (K, V); type IntoIter = IntoIter<K, V, A>; }
impl<K, V, A> Iterator for IntoIter<K, V, A> { type Item = (K, V); }
impl<K, V, A> Iterator for IntoKeys<K, V, A> { type Item = K; }
impl<K, V, A> Iterator for IntoValues<K, V, A> { type Item = V; }
impl<'a, K, V> Iterator for Iter<'a, K, V> { type Item = (&'a K, &'a V); }
impl<'a, K, V> Iterator for IterMut<'a, K, V> { type Item = (&'a K, &'a mut V); }
impl<'a, K, V> Iterator for Keys<'a, K, V> { type Item = &'a K; }
impl<'a, K, V> Iterator for Values<'a, K, V> { type Item = &'a V; }
impl<'a, K, V> Iterator for ValuesMut<'a, K, V> { type Item = &'a mut V; }
