//! What threads share and what each has for itself: answers that are kept, and the state of a walk.
//!
//! No lock is held here while anything else is called: an answer is looked up, worked out by
//! whoever wants it, and kept if nobody was faster. Two threads may work out the same; none waits
//! for another.

use parking_lot::RwLock;
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::borrow::Borrow;
use std::hash::{BuildHasher, Hash};
use std::ops::Deref;
use thread_local::ThreadLocal;

/// Parts of a table: threads that ask for different things rarely touch the same one.
const PARTS: usize = 16;

/// Answers by question; the first one stays.
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
    /// The answer that is kept.
    pub fn get<Q: Hash + Eq + ?Sized>(&self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        self.part(key).read().get(key).cloned()
    }

    /// Keeps an answer, unless there is one; the one that is kept.
    pub fn keep(&self, key: K, value: V) -> V {
        let mut part = self.part(&key).write();
        part.entry(key).or_insert(value).clone()
    }

    /// The answer that is kept, or the one that is `made` while the part of the table that it
    /// belongs to is locked: it must ask for nothing that is kept here.
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
        // Not the bits that the map itself goes by.
        let hash = FxBuildHasher.hash_one(key);
        &self.parts[(hash >> 40) as usize % PARTS]
    }
}

/// A value that each thread has one of.
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
