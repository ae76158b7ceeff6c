//! Methods of maps and sets.

use super::Iter;
use crate::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use crate::collections::{btree_map, hash_map};

#[reads]
impl<K, V, S> HashMap<K, V, S> {
    fn get<Q>(&self, key: &Q) -> Option<&V>;
    fn get_mut<Q>(&mut self, key: &Q) -> Option<&mut V>;
    #[grows] #[stores] fn insert(&mut self, key: K, value: V) -> Option<V>;
    #[shrinks] fn remove<Q>(&mut self, key: &Q) -> Option<V>;
    #[slices] fn contains_key<Q>(&self, key: &Q) -> bool;
    #[lends] fn entry(&mut self, key: K) -> hash_map::Entry<K, V>;
    #[items] #[counts] fn iter(&self) -> Iter<(&K, &V)>;
    #[counts] fn iter_mut(&mut self) -> Iter<(&K, &mut V)>;
    #[consumes] #[items] #[counts] fn into_iter(self) -> Iter<(K, V)>;
    #[shrinks] #[counts] fn drain(&mut self) -> Iter<(K, V)>;
    fn keys(&self) -> Iter<&K>;
    fn values(&self) -> Iter<&V>;
    fn values_mut(&mut self) -> Iter<&mut V>;
    fn into_values(self) -> Iter<V>;
    fn into_keys(self) -> Iter<K>;
    #[looks] fn len(&self) -> usize;
    #[looks] fn is_empty(&self) -> bool;
    #[empties] fn clear(&mut self);
    #[each] #[grows] fn extend<I>(&mut self, items: I);
    #[shrinks] fn remove_entry<Q>(&mut self, key: &Q) -> Option<(K, V)>;
    #[each] #[shrinks] fn retain(&mut self, f: fn(&K, &mut V) -> bool);
}

#[consumes]
impl<'a, K, V, S> &'a HashMap<K, V, S> {
    #[items] #[counts] fn into_iter(self) -> Iter<(&K, &V)>;
}

#[consumes]
impl<'a, K, V, S> &'a mut HashMap<K, V, S> {
    #[items] #[counts] fn into_iter(self) -> Iter<(&K, &mut V)>;
}

#[reads]
impl<K, V> HashMap<K, V> {
    #[creates] fn new() -> HashMap<K, V>;
    fn with_capacity(n: usize) -> HashMap<K, V>;
}

#[grows]
impl<'a, K, V> hash_map::Entry<'a, K, V> {
    fn or_insert(self, value: V) -> &mut V;
    fn or_insert_with(self, f: fn() -> V) -> &mut V;
    fn or_default(self) -> &mut V;
    #[lends] fn and_modify(self, f: fn(&mut V)) -> hash_map::Entry<K, V>;
}

#[reads]
impl<'a, K, V> hash_map::VacantEntry<'a, K, V> {
    #[grows] fn insert(self, value: V) -> &mut V;
    fn key(&self) -> &K;
    fn into_key(self) -> K;
}

#[reads]
impl<'a, K, V> hash_map::OccupiedEntry<'a, K, V> {
    fn get(&self) -> &V;
    fn get_mut(&mut self) -> &mut V;
    fn into_mut(self) -> &mut V;
    fn key(&self) -> &K;
    #[grows] fn insert(&mut self, value: V) -> V;
    #[shrinks] fn remove(self) -> V;
}

#[reads]
impl<K, V> BTreeMap<K, V> {
    #[creates] fn new() -> BTreeMap<K, V>;
    fn get<Q>(&self, key: &Q) -> Option<&V>;
    fn get_mut<Q>(&mut self, key: &Q) -> Option<&mut V>;
    #[grows] #[stores] fn insert(&mut self, key: K, value: V) -> Option<V>;
    #[shrinks] fn remove<Q>(&mut self, key: &Q) -> Option<V>;
    #[slices] fn contains_key<Q>(&self, key: &Q) -> bool;
    #[lends] fn entry(&mut self, key: K) -> btree_map::Entry<K, V>;
    #[items] #[counts] fn iter(&self) -> Iter<(&K, &V)>;
    #[counts] fn iter_mut(&mut self) -> Iter<(&K, &mut V)>;
    #[consumes] #[items] #[counts] fn into_iter(self) -> Iter<(K, V)>;
    fn range<R>(&self, range: R) -> Iter<(&K, &V)>;
    fn keys(&self) -> Iter<&K>;
    fn values(&self) -> Iter<&V>;
    fn values_mut(&mut self) -> Iter<&mut V>;
    fn into_values(self) -> Iter<V>;
    fn into_keys(self) -> Iter<K>;
    #[looks] fn len(&self) -> usize;
    #[looks] fn is_empty(&self) -> bool;
    #[empties] fn clear(&mut self);
    #[each] #[grows] fn extend<I>(&mut self, items: I);
    #[shrinks] fn pop_first(&mut self) -> Option<(K, V)>;
    #[shrinks] fn pop_last(&mut self) -> Option<(K, V)>;
    #[each] #[shrinks] fn retain(&mut self, f: fn(&K, &mut V) -> bool);
    fn first_key_value(&self) -> Option<(&K, &V)>;
    fn last_key_value(&self) -> Option<(&K, &V)>;
}

#[consumes]
impl<'a, K, V> &'a BTreeMap<K, V> {
    #[items] #[counts] fn into_iter(self) -> Iter<(&K, &V)>;
}

#[grows]
impl<'a, K, V> btree_map::Entry<'a, K, V> {
    fn or_insert(self, value: V) -> &mut V;
    fn or_insert_with(self, f: fn() -> V) -> &mut V;
    fn or_default(self) -> &mut V;
}

#[reads]
impl<'a, K, V> btree_map::VacantEntry<'a, K, V> {
    #[grows] fn insert(self, value: V) -> &mut V;
    fn key(&self) -> &K;
    fn into_key(self) -> K;
}

#[reads]
impl<'a, K, V> btree_map::OccupiedEntry<'a, K, V> {
    fn get(&self) -> &V;
    fn get_mut(&mut self) -> &mut V;
    fn into_mut(self) -> &mut V;
    fn key(&self) -> &K;
    #[grows] fn insert(&mut self, value: V) -> V;
    #[shrinks] fn remove(self) -> V;
}

#[reads]
impl<T, S> HashSet<T, S> {
    #[grows] #[stores] fn insert(&mut self, value: T) -> bool;
    #[looks] fn contains<Q>(&self, value: &Q) -> bool;
    fn get<Q>(&self, value: &Q) -> Option<&T>;
    #[shrinks] fn remove<Q>(&mut self, value: &Q) -> bool;
    #[items] #[counts] fn iter(&self) -> Iter<&T>;
    #[consumes] #[items] #[counts] fn into_iter(self) -> Iter<T>;
    #[shrinks] #[counts] fn drain(&mut self) -> Iter<T>;
    #[empties] fn clear(&mut self);
    #[each] #[grows] fn extend<I>(&mut self, items: I);
    #[each] #[shrinks] fn retain(&mut self, f: fn(&T) -> bool);
    #[looks] fn is_empty(&self) -> bool;
    #[looks] fn len(&self) -> usize;
}

#[consumes]
impl<'a, T, S> &'a HashSet<T, S> {
    #[items] #[counts] fn into_iter(self) -> Iter<&T>;
}

#[reads]
impl<T> HashSet<T> {
    #[creates] fn new() -> HashSet<T>;
    fn with_capacity(n: usize) -> HashSet<T>;
}

#[reads]
impl<T> BTreeSet<T> {
    #[creates] fn new() -> BTreeSet<T>;
    #[grows] #[stores] fn insert(&mut self, value: T) -> bool;
    #[looks] fn contains<Q>(&self, value: &Q) -> bool;
    fn get<Q>(&self, value: &Q) -> Option<&T>;
    #[items] #[counts] fn iter(&self) -> Iter<&T>;
    #[consumes] #[items] #[counts] fn into_iter(self) -> Iter<T>;
    #[picks] fn first(&self) -> Option<&T>;
    #[picks] fn last(&self) -> Option<&T>;
    #[empties] fn clear(&mut self);
    #[each] #[grows] fn extend<I>(&mut self, items: I);
    #[each] #[shrinks] fn retain(&mut self, f: fn(&T) -> bool);
    #[looks] fn is_empty(&self) -> bool;
    #[looks] fn len(&self) -> usize;
    #[shrinks] fn remove<Q>(&mut self, value: &Q) -> bool;
}

#[consumes]
impl<'a, T> &'a BTreeSet<T> {
    #[items] #[counts] fn into_iter(self) -> Iter<&T>;
}
