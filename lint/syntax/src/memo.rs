//! Memoized answers, shared by all threads, and the per-thread state of walks.
//!
//! No lock is held while other code is called: a thread looks an answer up, computes it if it is
//! missing, and stores it unless another thread was faster. Two threads may compute the same
//! answer; no thread waits for another.

use parking_lot::RwLock;
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::borrow::Borrow;
use std::hash::{BuildHasher, Hash};
use std::ops::Deref;
use thread_local::ThreadLocal;

/// Shards of a table, so that threads rarely contend for the same lock.
const PARTS: usize = 16;

/// Answers by question; the first answer that is stored stays.
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
    /// Returns the stored answer.
    pub fn get<Q: Hash + Eq + ?Sized>(&self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        self.part(key).read().get(key).cloned()
    }

    /// Stores an answer unless there is one; returns the stored one.
    pub fn keep(&self, key: K, value: V) -> V {
        let mut part = self.part(&key).write();
        part.entry(key).or_insert(value).clone()
    }

    /// Returns the stored answer, or the result of `make`, which runs while a shard of the table is
    /// locked: it must not use this table.
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
        // Other bits than those that the map itself uses.
        let hash = FxBuildHasher.hash_one(key);
        &self.parts[(hash >> 40) as usize % PARTS]
    }
}

/// Numbers per block.
const BLOCK: usize = 1 << 10;

/// Values by consecutive numbers: no hashing, no reallocation as the count grows, and no memory
/// for blocks that are never used.
pub struct Numbered<T> {
    blocks: Vec<Box<[T]>>,
}

impl<T> Default for Numbered<T> {
    fn default() -> Numbered<T> {
        Numbered { blocks: Vec::new() }
    }
}

impl<T: Default> Numbered<T> {
    /// Returns the value of a number, if its block exists.
    pub fn get(&self, number: usize) -> Option<&T> {
        self.blocks.get(number / BLOCK)?.get(number % BLOCK)
    }

    /// Returns the value of a number; the default value at first.
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

/// A thread-local value.
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
