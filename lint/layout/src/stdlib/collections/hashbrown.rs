//! The table of the hash map and the hash set.

use crate::alloc::Global;
use crate::marker::PhantomData;
use crate::ptr::NonNull;

pub struct HashMap<K, V, S, A = Global> { hash_builder: S, table: RawTable<(K, V), A> }
pub struct HashSet<T, S, A = Global> { map: HashMap<T, (), S, A> }

pub struct RawTable<T, A = Global> { table: RawTableInner, alloc: A, marker: PhantomData<T> }
/// One block: the pairs downwards from `ctrl`, a byte for each upwards from it.
struct RawTableInner { bucket_mask: usize, ctrl: NonNull<u8>, growth_left: usize, items: usize }
pub struct Bucket<T> { ptr: NonNull<T> }

pub struct RawIter<T> { iter: RawIterRange<T>, items: usize }
struct RawIterRange<T> { current_group: BitMask, data: Bucket<T>, next_ctrl: *const u8, end: *const u8 }
// As wide as a group that is compared at once: a vector register, or a word on targets without one.
#[cfg(any(target_arch = "x86_64", target_arch = "x86"))]
struct BitMask(u16);
#[cfg(all(not(any(target_arch = "x86_64", target_arch = "x86")), any(target_pointer_width = "64", target_arch = "wasm32")))]
struct BitMask(u64);
#[cfg(all(target_pointer_width = "32", not(any(target_arch = "x86", target_arch = "wasm32"))))]
struct BitMask(u32);

pub struct RawIntoIter<T, A = Global> {
    iter: RawIter<T>,
    allocation: crate::option::Option<(NonNull<u8>, crate::alloc::Layout, A)>,
    marker: PhantomData<T>,
}
pub struct RawDrain<'a, T, A = Global> {
    iter: RawIter<T>,
    table: RawTableInner,
    orig_table: NonNull<RawTableInner>,
    marker: PhantomData<&'a RawTable<T, A>>,
}
pub struct RawExtractIf<'a, T, A = Global> { iter: RawIter<T>, table: &'a mut RawTable<T, A> }

pub struct Iter<'a, K, V> { inner: RawIter<(K, V)>, marker: PhantomData<(&'a K, &'a V)> }
pub struct IterMut<'a, K, V> { inner: RawIter<(K, V)>, marker: PhantomData<(&'a K, &'a mut V)> }
pub struct IntoIter<K, V, A = Global> { inner: RawIntoIter<(K, V), A> }
pub struct Drain<'a, K, V, A = Global> { inner: RawDrain<'a, (K, V), A> }
pub struct ExtractIf<'a, K, V, F, A = Global> { f: F, inner: RawExtractIf<'a, (K, V), A> }
pub struct OccupiedEntry<'a, K, V, A = Global> { elem: Bucket<(K, V)>, table: &'a mut RawTable<(K, V), A> }
pub struct VacantEntry<'a, K, V, A = Global> { hash: u64, key: K, table: &'a mut RawTable<(K, V), A> }
