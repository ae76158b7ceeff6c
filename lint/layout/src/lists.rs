//! Lists by key.

use rustc_hash::FxHashMap;
use std::collections::hash_map::Entry;
use std::hash::Hash;

/// Several values for each key, in the order in which they were added.
#[derive(Clone, Debug)]
pub struct Lists<K, T>(FxHashMap<K, Vec<T>>);

impl<K, T> Default for Lists<K, T> {
    fn default() -> Self {
        Lists(FxHashMap::default())
    }
}

impl<K: Hash + Eq, T> Lists<K, T> {
    /// Adds a value.
    pub fn add(&mut self, key: K, value: T) {
        // Most keys have one value.
        let list = self.0.entry(key).or_insert_with(|| Vec::with_capacity(1));
        list.push(value);
    }

    /// The values of a key.
    pub fn of(&self, key: &K) -> &[T] {
        self.0.get(key).map_or(&[], Vec::as_slice)
    }

    /// Every key with its values, in no order.
    pub fn iter(&self) -> impl Iterator<Item = (&K, &[T])> {
        self.0.iter().map(|(key, list)| (key, &list[..]))
    }

    /// Adds the values of others behind those that are there.
    pub fn append(&mut self, other: Lists<K, T>) {
        for (key, list) in other.0 {
            match self.0.entry(key) {
                Entry::Vacant(entry) => _ = entry.insert(list),
                Entry::Occupied(entry) => entry.into_mut().extend(list),
            }
        }
    }

    /// Sorts the values of each key; equal ones stay in order.
    pub fn sort_by_key<O: Ord>(&mut self, order: impl Fn(&T) -> O) {
        self.0
            .values_mut()
            .for_each(|list| list.sort_by_key(&order));
    }

    /// Leaves out the keys that do not fit.
    pub fn retain(&mut self, fits: impl Fn(&K) -> bool) {
        self.0.retain(|key, _| fits(key));
    }
}
