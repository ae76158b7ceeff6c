//! The ordered map.

use crate::alloc::Global;
use crate::borrow::Borrow;
use crate::boxed::Box;
use crate::collections::btree::{DormantMutRef, Dying, Edge, ExtractIfInner, Handle, Immut, KV, LazyLeafRange};
use crate::collections::btree::{Leaf, LeafOrInternal, LeafRange, Mut, NodeRef, Owned, ValMut};
use crate::iter::{IntoIterator, Iterator};
use crate::marker::{PhantomData, Sized};
use crate::mem::ManuallyDrop;
use crate::ops::Index;
use crate::option::Option;

pub enum Entry<'a, K, V, A = Global> {
    Vacant(VacantEntry<'a, K, V, A>),
    Occupied(OccupiedEntry<'a, K, V, A>),
}
#[weigh(no_copy)]
#[weigh(map)]
pub struct BTreeMap<K, V, A = Global> {
    root: Option<NodeRef<Owned, K, V, LeafOrInternal>>,
    length: usize,
    alloc: ManuallyDrop<A>,
    _marker: PhantomData<Box<(K, V), A>>,
}
pub struct Cursor<'a, K, V> {
    current: Option<Handle<NodeRef<Immut<'a>, K, V, Leaf>, Edge>>,
    root: Option<&'a NodeRef<Owned, K, V, LeafOrInternal>>,
}
pub struct CursorMut<'a, K, V, A = Global> { inner: CursorMutKey<'a, K, V, A> }
pub struct CursorMutKey<'a, K, V, A = Global> {
    current: Option<Handle<NodeRef<Mut<'a>, K, V, Leaf>, Edge>>,
    root: DormantMutRef<'a, Option<NodeRef<Owned, K, V, LeafOrInternal>>>,
    length: &'a mut usize,
    alloc: &'a mut A,
}
#[cfg(version("1.89"))]
pub struct ExtractIf<'a, K, V, R, F, A = Global> { pred: F, inner: ExtractIfInner<'a, K, V, R>, alloc: A }
#[cfg(not(version("1.89")))]
pub struct ExtractIf<'a, K, V, F, A = Global> { pred: F, inner: ExtractIfInner<'a, K, V, ()>, alloc: A }
pub struct IntoIter<K, V, A = Global> { range: LazyLeafRange<Dying, K, V>, length: usize, alloc: A }
pub struct IntoKeys<K, V, A = Global> { inner: IntoIter<K, V, A> }
pub struct IntoValues<K, V, A = Global> { inner: IntoIter<K, V, A> }
pub struct Iter<'a, K, V> { range: LazyLeafRange<Immut<'a>, K, V>, length: usize }
pub struct IterMut<'a, K, V> {
    range: LazyLeafRange<ValMut<'a>, K, V>,
    length: usize,
    _marker: PhantomData<&'a mut (K, V)>,
}
pub struct Keys<'a, K, V> { inner: Iter<'a, K, V> }
pub struct OccupiedEntry<'a, K, V, A = Global> {
    handle: Handle<NodeRef<Mut<'a>, K, V, LeafOrInternal>, KV>,
    dormant_map: DormantMutRef<'a, BTreeMap<K, V, A>>,
    alloc: A,
    _marker: PhantomData<&'a mut (K, V)>,
}
pub struct OccupiedError<'a, K, V, A = Global> {
    pub entry: OccupiedEntry<'a, K, V, A>,
    #[cfg(version("1.97"))]
    pub key: K,
    pub value: V,
}
pub struct Range<'a, K, V> { inner: LeafRange<Immut<'a>, K, V> }
pub struct RangeMut<'a, K, V> { inner: LeafRange<ValMut<'a>, K, V>, _marker: PhantomData<&'a mut (K, V)> }
pub struct UnorderedKeyError {}
pub struct VacantEntry<'a, K, V, A = Global> {
    key: K,
    handle: Option<Handle<NodeRef<Mut<'a>, K, V, Leaf>, Edge>>,
    dormant_map: DormantMutRef<'a, BTreeMap<K, V, A>>,
    alloc: A,
    _marker: PhantomData<&'a mut (K, V)>,
}
pub struct Values<'a, K, V> { inner: Iter<'a, K, V> }
pub struct ValuesMut<'a, K, V> { inner: IterMut<'a, K, V> }

impl<K: Borrow<Q>, Q: ?Sized, V, A> Index<&Q> for BTreeMap<K, V, A> { type Output = V; }
impl<'a, K, V, A> IntoIterator for &'a BTreeMap<K, V, A> {
    type Item = (&'a K, &'a V);
    type IntoIter = Iter<'a, K, V>;
}
impl<'a, K, V, A> IntoIterator for &'a mut BTreeMap<K, V, A> {
    type Item = (&'a K, &'a mut V);
    type IntoIter = IterMut<'a, K, V>;
}
impl<K, V, A> IntoIterator for BTreeMap<K, V, A> { type Item = (K, V); type IntoIter = IntoIter<K, V, A>; }
#[cfg(version("1.89"))]
impl<K, V, R, F, A> Iterator for ExtractIf<'_, K, V, R, F, A> { type Item = (K, V); }
#[cfg(not(version("1.89")))]
impl<K, V, F, A> Iterator for ExtractIf<'_, K, V, F, A> { type Item = (K, V); }
impl<K, V, A> Iterator for IntoIter<K, V, A> { type Item = (K, V); }
impl<K, V, A> Iterator for IntoKeys<K, V, A> { type Item = K; }
impl<K, V, A> Iterator for IntoValues<K, V, A> { type Item = V; }
impl<'a, K, V> Iterator for Iter<'a, K, V> { type Item = (&'a K, &'a V); }
impl<'a, K, V> Iterator for IterMut<'a, K, V> { type Item = (&'a K, &'a mut V); }
impl<'a, K, V> Iterator for Keys<'a, K, V> { type Item = &'a K; }
impl<'a, K, V> Iterator for Range<'a, K, V> { type Item = (&'a K, &'a V); }
impl<'a, K, V> Iterator for RangeMut<'a, K, V> { type Item = (&'a K, &'a mut V); }
impl<'a, K, V> Iterator for Values<'a, K, V> { type Item = &'a V; }
impl<'a, K, V> Iterator for ValuesMut<'a, K, V> { type Item = &'a mut V; }
