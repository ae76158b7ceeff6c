//! Shared caches, and thread-local state.
//!
//! Except in [`Memo::keep_made`], no lock is held while a value is computed: a lookup misses, the
//! caller computes, and the first insertion wins. Two threads may compute the same value; neither
//! waits for the other.

use parking_lot::RwLock;
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::borrow::Borrow;
use std::hash::{BuildHasher, Hash};
use std::ops::Deref;
use thread_local::ThreadLocal;

/// Number of shards: threads with different keys rarely contend for the same lock.
const PARTS: usize = 16;

/// A sharded concurrent cache; the first value inserted for a key stays.
pub struct Memo<K, V> {
    parts: [RwLock<FxHashMap<K, V>>; PARTS],
}

impl<K, V> Default for Memo<K, V> {
    fn default() -> Memo<K, V> {
        Memo {
            parts: std::array::from_fn(|_| RwLock::default()),
        }
    }
}

impl<K: Hash + Eq, V: Clone> Memo<K, V> {
    /// Returns the cached value.
    pub fn get<Q: Hash + Eq + ?Sized>(&self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        self.part(key).read().get(key).cloned()
    }

    /// Inserts a value unless the key has one; returns the cached value.
    pub fn keep(&self, key: K, value: V) -> V {
        let mut part = self.part(&key).write();
        part.entry(key).or_insert(value).clone()
    }

    /// Returns the cached value or inserts the result of `make`, which runs under the shard's
    /// lock and must not access this cache.
    pub fn keep_made<Q: Hash + Eq + ?Sized + ToOwned<Owned = K>>(
        &self,
        key: &Q,
        make: impl FnOnce() -> V,
    ) -> V
    where
        K: Borrow<Q>,
    {
        let mut part = self.part(key).write();
        if let Some(value) = part.get(key) {
            return value.clone();
        }
        let value = make();
        part.insert(key.to_owned(), value.clone());
        value
    }

    fn part<Q: Hash + ?Sized>(&self, key: &Q) -> &RwLock<FxHashMap<K, V>> {
        // Other bits of the hash than those that the map uses.
        let hash = FxBuildHasher.hash_one(key);
        &self.parts[(hash >> 40) as usize % PARTS]
    }
}

/// Values per block.
const BLOCK: usize = 1 << 10;

/// A map from dense indices to values: no hashing, no copying of values on growth, and no memory
/// for unused blocks.
pub struct Numbered<T> {
    blocks: Vec<Box<[T]>>,
}

impl<T> Default for Numbered<T> {
    fn default() -> Numbered<T> {
        Numbered { blocks: Vec::new() }
    }
}

impl<T: Default> Numbered<T> {
    /// Returns the value at an index if its block is allocated.
    pub fn get(&self, number: usize) -> Option<&T> {
        self.blocks.get(number / BLOCK)?.get(number % BLOCK)
    }

    /// Returns the value at an index, initially `T::default()`.
    pub fn at(&mut self, number: usize) -> &mut T {
        let block = number / BLOCK;
        if self.blocks.len() <= block {
            self.blocks.resize_with(block + 1, Box::default);
        }
        let block = &mut self.blocks[block];
        if block.is_empty() {
            *block = std::iter::repeat_with(T::default).take(BLOCK).collect();
        }
        &mut block[number % BLOCK]
    }
}

/// A thread-local value, initially `T::default()`.
pub struct Local<T: Send>(ThreadLocal<T>);

impl<T: Send> Default for Local<T> {
    fn default() -> Local<T> {
        Local(ThreadLocal::new())
    }
}

impl<T: Default + Send> Deref for Local<T> {
    type Target = T;
    fn deref(&self) -> &T {
        self.0.get_or_default()
    }
}

impl<T: Send + std::fmt::Debug> std::fmt::Debug for Local<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_put_anywhere_is_not_there() {
        let mut list: Numbered<u8> = Numbered::default();
        assert_eq!(list.get(7), None);
        *list.at(3 * BLOCK + 1) = 5;
        assert_eq!(list.get(3 * BLOCK + 1), Some(&5));
        assert_eq!(
            list.get(3 * BLOCK),
            Some(&0),
            "beside it all is as at first"
        );
        assert_eq!(list.get(BLOCK), None);
        assert_eq!(list.get(4 * BLOCK), None);
    }
}
