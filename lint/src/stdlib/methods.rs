//! What methods of the standard library take and give, as far as bodies are read for their use.
//!
//! No module of `lib.rs`: constant evaluation must not find functions without a body. Iterators
//! are all one type here, closures are function pointers, and guards are references.

use crate::borrow::Cow;
use crate::cell::{Cell, OnceCell, RefCell};
use crate::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet, LinkedList, VecDeque};
use crate::collections::{btree_map, hash_map};
use crate::ffi::{CStr, CString, OsStr, OsString};
use crate::path::{Path, PathBuf};
use crate::pin::Pin;
use crate::rc::{Rc, Weak};
use crate::sync::{Arc, Mutex, OnceLock, RwLock};

pub struct Iter<T>(T);

impl<T> Iter<T> {
    fn next(&mut self) -> Option<T>;
    fn next_back(&mut self) -> Option<T>;
    fn nth(&mut self, n: usize) -> Option<T>;
    fn nth_back(&mut self, n: usize) -> Option<T>;
    fn rfind(&mut self, f: fn(&T) -> bool) -> Option<T>;
    fn peek_mut(&mut self) -> Option<&mut T>;
    fn last(self) -> Option<T>;
    fn peek(&mut self) -> Option<&T>;
    fn next_if(&mut self, f: fn(&T) -> bool) -> Option<T>;
    fn into_iter(self) -> Iter<T>;
    fn by_ref(&mut self) -> Iter<T>;
    fn rev(self) -> Iter<T>;
    fn skip(self, n: usize) -> Iter<T>;
    fn take(self, n: usize) -> Iter<T>;
    fn step_by(self, n: usize) -> Iter<T>;
    fn fuse(self) -> Iter<T>;
    fn cycle(self) -> Iter<T>;
    fn peekable(self) -> Iter<T>;
    fn filter(self, f: fn(&T) -> bool) -> Iter<T>;
    fn skip_while(self, f: fn(&T) -> bool) -> Iter<T>;
    fn take_while(self, f: fn(&T) -> bool) -> Iter<T>;
    fn inspect(self, f: fn(&T)) -> Iter<T>;
    fn map<B>(self, f: fn(T) -> B) -> Iter<B>;
    fn map_while<B>(self, f: fn(T) -> Option<B>) -> Iter<B>;
    fn filter_map<B>(self, f: fn(T) -> Option<B>) -> Iter<B>;
    fn flat_map<U>(self, f: fn(T) -> U) -> Iter<U>;
    fn flatten(self) -> Iter<T>;
    fn scan<S, B>(self, start: S, f: fn(&mut S, T) -> Option<B>) -> Iter<B>;
    fn enumerate(self) -> Iter<(usize, T)>;
    fn zip<U>(self, other: Iter<U>) -> Iter<(T, U)>;
    fn chain<U>(self, other: U) -> Iter<T>;
    fn for_each(self, f: fn(T));
    fn try_for_each<R>(&mut self, f: fn(T) -> R) -> R;
    fn fold<B>(self, start: B, f: fn(B, T) -> B) -> B;
    fn reduce(self, f: fn(T, T) -> T) -> Option<T>;
    fn any(&mut self, f: fn(T) -> bool) -> bool;
    fn all(&mut self, f: fn(T) -> bool) -> bool;
    fn find(&mut self, f: fn(&T) -> bool) -> Option<T>;
    fn find_map<B>(&mut self, f: fn(T) -> Option<B>) -> Option<B>;
    fn position(&mut self, f: fn(T) -> bool) -> Option<usize>;
    fn max(self) -> Option<T>;
    fn min(self) -> Option<T>;
    fn max_by_key<K>(self, f: fn(&T) -> K) -> Option<T>;
    fn min_by_key<K>(self, f: fn(&T) -> K) -> Option<T>;
    fn max_by<K>(self, f: fn(&T, &T) -> K) -> Option<T>;
    fn min_by<K>(self, f: fn(&T, &T) -> K) -> Option<T>;
    fn count(self) -> usize;
    fn len(&self) -> usize;
    fn collect<B>(self) -> B;
    fn sum<B>(self) -> B;
    fn product<B>(self) -> B;
    fn partition<B>(self, f: fn(&T) -> bool) -> (B, B);
}
impl<'a, T> Iter<&'a T> {
    fn cloned(self) -> Iter<T>;
    fn copied(self) -> Iter<T>;
}

impl<T> Option<T> {
    fn is_some(&self) -> bool;
    fn is_none(&self) -> bool;
    fn is_some_and(self, f: fn(T) -> bool) -> bool;
    fn is_none_or(self, f: fn(T) -> bool) -> bool;
    fn unwrap(self) -> T;
    fn expect(self, message: &str) -> T;
    fn unwrap_or(self, other: T) -> T;
    fn unwrap_or_else(self, f: fn() -> T) -> T;
    fn unwrap_or_default(self) -> T;
    fn unwrap_unchecked(self) -> T;
    fn map<U>(self, f: fn(T) -> U) -> Option<U>;
    fn map_or<U>(self, other: U, f: fn(T) -> U) -> U;
    fn map_or_else<U>(self, other: fn() -> U, f: fn(T) -> U) -> U;
    fn and_then<U>(self, f: fn(T) -> Option<U>) -> Option<U>;
    fn and<U>(self, other: Option<U>) -> Option<U>;
    fn or(self, other: Option<T>) -> Option<T>;
    fn or_else(self, f: fn() -> Option<T>) -> Option<T>;
    fn filter(self, f: fn(&T) -> bool) -> Option<T>;
    fn inspect(self, f: fn(&T)) -> Option<T>;
    fn ok_or<E>(self, error: E) -> Result<T, E>;
    fn ok_or_else<E>(self, f: fn() -> E) -> Result<T, E>;
    fn as_ref(&self) -> Option<&T>;
    fn as_mut(&mut self) -> Option<&mut T>;
    fn take(&mut self) -> Option<T>;
    fn replace(&mut self, value: T) -> Option<T>;
    fn insert(&mut self, value: T) -> &mut T;
    fn get_or_insert(&mut self, value: T) -> &mut T;
    fn get_or_insert_with(&mut self, f: fn() -> T) -> &mut T;
    fn iter(&self) -> Iter<&T>;
    fn iter_mut(&mut self) -> Iter<&mut T>;
    fn into_iter(self) -> Iter<T>;
    fn zip<U>(self, other: Option<U>) -> Option<(T, U)>;
}
impl<'a, T> Option<&'a T> {
    fn cloned(self) -> Option<T>;
    fn copied(self) -> Option<T>;
}
impl<'a, T> Option<&'a mut T> {
    fn cloned(self) -> Option<T>;
    fn copied(self) -> Option<T>;
}
impl<T> Option<Option<T>> { fn flatten(self) -> Option<T>; }
impl Option<String> { fn as_deref(&self) -> Option<&str>; }
impl<T> Option<Box<T>> { fn as_deref(&self) -> Option<&T>; fn as_deref_mut(&mut self) -> Option<&mut T>; }
impl<T> Option<Rc<T>> { fn as_deref(&self) -> Option<&T>; }
impl<T> Option<Arc<T>> { fn as_deref(&self) -> Option<&T>; }
impl<T> Option<Vec<T>> { fn as_deref(&self) -> Option<&[T]>; fn as_deref_mut(&mut self) -> Option<&mut [T]>; }

impl<T, E> Result<T, E> {
    fn is_ok(&self) -> bool;
    fn is_err(&self) -> bool;
    fn ok(self) -> Option<T>;
    fn err(self) -> Option<E>;
    fn unwrap(self) -> T;
    fn expect(self, message: &str) -> T;
    fn unwrap_err(self) -> E;
    fn unwrap_or(self, other: T) -> T;
    fn unwrap_or_else(self, f: fn(E) -> T) -> T;
    fn unwrap_or_default(self) -> T;
    fn map<U>(self, f: fn(T) -> U) -> Result<U, E>;
    fn map_err<F>(self, f: fn(E) -> F) -> Result<T, F>;
    fn map_or<U>(self, other: U, f: fn(T) -> U) -> U;
    fn and_then<U>(self, f: fn(T) -> Result<U, E>) -> Result<U, E>;
    fn or_else<F>(self, f: fn(E) -> Result<T, F>) -> Result<T, F>;
    fn as_ref(&self) -> Result<&T, &E>;
    fn as_mut(&mut self) -> Result<&mut T, &mut E>;
    fn iter(&self) -> Iter<&T>;
    fn into_iter(self) -> Iter<T>;
}

impl<T> [T] {
    fn len(&self) -> usize;
    fn is_empty(&self) -> bool;
    fn iter(&self) -> Iter<&T>;
    fn iter_mut(&mut self) -> Iter<&mut T>;
    fn first(&self) -> Option<&T>;
    fn last(&self) -> Option<&T>;
    fn first_mut(&mut self) -> Option<&mut T>;
    fn last_mut(&mut self) -> Option<&mut T>;
    fn split_first(&self) -> Option<(&T, &[T])>;
    fn split_last(&self) -> Option<(&T, &[T])>;
    fn get(&self, at: usize) -> Option<&T>;
    fn get_mut(&mut self, at: usize) -> Option<&mut T>;
    fn get_unchecked(&self, at: usize) -> &T;
    fn contains(&self, value: &T) -> bool;
    fn to_vec(&self) -> Vec<T>;
    fn to_owned(&self) -> Vec<T>;
    fn into_vec(self) -> Vec<T>;
    fn chunks(&self, n: usize) -> Iter<&[T]>;
    fn chunks_exact(&self, n: usize) -> Iter<&[T]>;
    fn windows(&self, n: usize) -> Iter<&[T]>;
    fn split(&self, f: fn(&T) -> bool) -> Iter<&[T]>;
    fn split_at(&self, at: usize) -> (&[T], &[T]);
    fn split_at_mut(&mut self, at: usize) -> (&mut [T], &mut [T]);
    fn concat<B>(&self) -> B;
    fn join<B, S>(&self, with: S) -> B;
    fn sort_by<K>(&mut self, f: fn(&T, &T) -> K);
    fn sort_by_key<K>(&mut self, f: fn(&T) -> K);
    fn sort_unstable_by<K>(&mut self, f: fn(&T, &T) -> K);
    fn sort_unstable_by_key<K>(&mut self, f: fn(&T) -> K);
    fn binary_search(&self, value: &T) -> Result<usize, usize>;
    fn binary_search_by<K>(&self, f: fn(&T) -> K) -> Result<usize, usize>;
    fn binary_search_by_key<K>(&self, key: &K, f: fn(&T) -> K) -> Result<usize, usize>;
    fn as_ptr(&self) -> *const T;
}
impl<'a, T> &'a [T] { fn into_iter(self) -> Iter<&T>; }
impl<'a, T> &'a mut [T] { fn into_iter(self) -> Iter<&mut T>; }
impl<'a, T> &'a Vec<T> { fn into_iter(self) -> Iter<&T>; }
impl<'a, T> &'a mut Vec<T> { fn into_iter(self) -> Iter<&mut T>; }
impl<'a, T> &'a Option<T> { fn into_iter(self) -> Iter<&T>; }
impl<T> Box<[T]> { fn into_iter(self) -> Iter<T>; }
impl<T, const N: usize> [T; N] {
    fn into_iter(self) -> Iter<T>;
    fn map<B>(self, f: fn(T) -> B) -> [B; N];
    fn as_slice(&self) -> &[T];
}
impl<'a, T, const N: usize> &'a [T; N] { fn into_iter(self) -> Iter<&T>; }

impl<T> Vec<T> {
    fn new() -> Vec<T>;
    fn with_capacity(n: usize) -> Vec<T>;
    fn push(&mut self, value: T);
    fn insert(&mut self, at: usize, value: T);
    fn pop(&mut self) -> Option<T>;
    fn remove(&mut self, at: usize) -> T;
    fn swap_remove(&mut self, at: usize) -> T;
    fn into_iter(self) -> Iter<T>;
    fn drain<R>(&mut self, range: R) -> Iter<T>;
    fn retain(&mut self, f: fn(&T) -> bool);
    fn retain_mut(&mut self, f: fn(&mut T) -> bool);
    fn as_slice(&self) -> &[T];
    fn as_mut_slice(&mut self) -> &mut [T];
    fn into_boxed_slice(self) -> Box<[T]>;
    fn split_off(&mut self, at: usize) -> Vec<T>;
    fn append(&mut self, other: &mut Vec<T>);
    fn clone(&self) -> Vec<T>;
    fn resize(&mut self, n: usize, value: T);
}
impl<T> VecDeque<T> {
    fn new() -> VecDeque<T>;
    fn with_capacity(n: usize) -> VecDeque<T>;
    fn push_back(&mut self, value: T);
    fn push_front(&mut self, value: T);
    fn pop_back(&mut self) -> Option<T>;
    fn pop_front(&mut self) -> Option<T>;
    fn front(&self) -> Option<&T>;
    fn back(&self) -> Option<&T>;
    fn front_mut(&mut self) -> Option<&mut T>;
    fn back_mut(&mut self) -> Option<&mut T>;
    fn get(&self, at: usize) -> Option<&T>;
    fn get_mut(&mut self, at: usize) -> Option<&mut T>;
    fn iter(&self) -> Iter<&T>;
    fn iter_mut(&mut self) -> Iter<&mut T>;
    fn into_iter(self) -> Iter<T>;
    fn drain<R>(&mut self, range: R) -> Iter<T>;
    fn len(&self) -> usize;
    fn is_empty(&self) -> bool;
}
impl<T> LinkedList<T> {
    fn new() -> LinkedList<T>;
    fn push_back(&mut self, value: T);
    fn push_front(&mut self, value: T);
    fn pop_back(&mut self) -> Option<T>;
    fn pop_front(&mut self) -> Option<T>;
    fn iter(&self) -> Iter<&T>;
    fn into_iter(self) -> Iter<T>;
}
impl<T> BinaryHeap<T> {
    fn new() -> BinaryHeap<T>;
    fn push(&mut self, value: T);
    fn pop(&mut self) -> Option<T>;
    fn peek(&self) -> Option<&T>;
    fn into_iter(self) -> Iter<T>;
}

impl<K, V, S> HashMap<K, V, S> {
    fn get<Q>(&self, key: &Q) -> Option<&V>;
    fn get_mut<Q>(&mut self, key: &Q) -> Option<&mut V>;
    fn insert(&mut self, key: K, value: V) -> Option<V>;
    fn remove<Q>(&mut self, key: &Q) -> Option<V>;
    fn contains_key<Q>(&self, key: &Q) -> bool;
    fn entry(&mut self, key: K) -> hash_map::Entry<K, V>;
    fn iter(&self) -> Iter<(&K, &V)>;
    fn iter_mut(&mut self) -> Iter<(&K, &mut V)>;
    fn into_iter(self) -> Iter<(K, V)>;
    fn drain(&mut self) -> Iter<(K, V)>;
    fn keys(&self) -> Iter<&K>;
    fn values(&self) -> Iter<&V>;
    fn values_mut(&mut self) -> Iter<&mut V>;
    fn into_values(self) -> Iter<V>;
    fn into_keys(self) -> Iter<K>;
    fn len(&self) -> usize;
    fn is_empty(&self) -> bool;
}
impl<'a, K, V, S> &'a HashMap<K, V, S> { fn into_iter(self) -> Iter<(&K, &V)>; }
impl<'a, K, V, S> &'a mut HashMap<K, V, S> { fn into_iter(self) -> Iter<(&K, &mut V)>; }
impl<K, V> HashMap<K, V> { fn new() -> HashMap<K, V>; fn with_capacity(n: usize) -> HashMap<K, V>; }
impl<'a, K, V> hash_map::Entry<'a, K, V> {
    fn or_insert(self, value: V) -> &mut V;
    fn or_insert_with(self, f: fn() -> V) -> &mut V;
    fn or_default(self) -> &mut V;
    fn and_modify(self, f: fn(&mut V)) -> hash_map::Entry<K, V>;
}
impl<K, V> BTreeMap<K, V> {
    fn new() -> BTreeMap<K, V>;
    fn get<Q>(&self, key: &Q) -> Option<&V>;
    fn get_mut<Q>(&mut self, key: &Q) -> Option<&mut V>;
    fn insert(&mut self, key: K, value: V) -> Option<V>;
    fn remove<Q>(&mut self, key: &Q) -> Option<V>;
    fn contains_key<Q>(&self, key: &Q) -> bool;
    fn entry(&mut self, key: K) -> btree_map::Entry<K, V>;
    fn iter(&self) -> Iter<(&K, &V)>;
    fn iter_mut(&mut self) -> Iter<(&K, &mut V)>;
    fn into_iter(self) -> Iter<(K, V)>;
    fn range<R>(&self, range: R) -> Iter<(&K, &V)>;
    fn keys(&self) -> Iter<&K>;
    fn values(&self) -> Iter<&V>;
    fn values_mut(&mut self) -> Iter<&mut V>;
    fn into_values(self) -> Iter<V>;
    fn into_keys(self) -> Iter<K>;
    fn len(&self) -> usize;
    fn is_empty(&self) -> bool;
}
impl<'a, K, V> &'a BTreeMap<K, V> { fn into_iter(self) -> Iter<(&K, &V)>; }
impl<'a, K, V> btree_map::Entry<'a, K, V> {
    fn or_insert(self, value: V) -> &mut V;
    fn or_insert_with(self, f: fn() -> V) -> &mut V;
    fn or_default(self) -> &mut V;
}
impl<T, S> HashSet<T, S> {
    fn insert(&mut self, value: T) -> bool;
    fn contains<Q>(&self, value: &Q) -> bool;
    fn remove<Q>(&mut self, value: &Q) -> bool;
    fn iter(&self) -> Iter<&T>;
    fn into_iter(self) -> Iter<T>;
    fn drain(&mut self) -> Iter<T>;
}
impl<'a, T, S> &'a HashSet<T, S> { fn into_iter(self) -> Iter<&T>; }
impl<T> HashSet<T> { fn new() -> HashSet<T>; fn with_capacity(n: usize) -> HashSet<T>; }
impl<T> BTreeSet<T> {
    fn new() -> BTreeSet<T>;
    fn insert(&mut self, value: T) -> bool;
    fn contains<Q>(&self, value: &Q) -> bool;
    fn iter(&self) -> Iter<&T>;
    fn into_iter(self) -> Iter<T>;
    fn first(&self) -> Option<&T>;
    fn last(&self) -> Option<&T>;
}
impl<'a, T> &'a BTreeSet<T> { fn into_iter(self) -> Iter<&T>; }

impl str {
    fn len(&self) -> usize;
    fn is_empty(&self) -> bool;
    fn as_bytes(&self) -> &[u8];
    fn as_str(&self) -> &str;
    fn to_string(&self) -> String;
    fn to_owned(&self) -> String;
    fn into_string(self) -> String;
    fn to_lowercase(&self) -> String;
    fn to_uppercase(&self) -> String;
    fn to_ascii_lowercase(&self) -> String;
    fn to_ascii_uppercase(&self) -> String;
    fn repeat(&self, n: usize) -> String;
    fn replace<P>(&self, from: P, to: &str) -> String;
    fn chars(&self) -> Iter<char>;
    fn char_indices(&self) -> Iter<(usize, char)>;
    fn bytes(&self) -> Iter<u8>;
    fn lines(&self) -> Iter<&str>;
    fn split<P>(&self, by: P) -> Iter<&str>;
    fn rsplit<P>(&self, by: P) -> Iter<&str>;
    fn splitn<P>(&self, n: usize, by: P) -> Iter<&str>;
    fn split_terminator<P>(&self, by: P) -> Iter<&str>;
    fn split_whitespace(&self) -> Iter<&str>;
    fn split_ascii_whitespace(&self) -> Iter<&str>;
    fn split_once<P>(&self, by: P) -> Option<(&str, &str)>;
    fn rsplit_once<P>(&self, by: P) -> Option<(&str, &str)>;
    fn split_at(&self, at: usize) -> (&str, &str);
    fn trim(&self) -> &str;
    fn trim_start(&self) -> &str;
    fn trim_end(&self) -> &str;
    fn trim_matches<P>(&self, of: P) -> &str;
    fn trim_start_matches<P>(&self, of: P) -> &str;
    fn trim_end_matches<P>(&self, of: P) -> &str;
    fn strip_prefix<P>(&self, of: P) -> Option<&str>;
    fn strip_suffix<P>(&self, of: P) -> Option<&str>;
    fn find<P>(&self, of: P) -> Option<usize>;
    fn rfind<P>(&self, of: P) -> Option<usize>;
    fn contains<P>(&self, of: P) -> bool;
    fn starts_with<P>(&self, of: P) -> bool;
    fn ends_with<P>(&self, of: P) -> bool;
    fn get<R>(&self, range: R) -> Option<&str>;
}
impl String {
    fn new() -> String;
    fn with_capacity(n: usize) -> String;
    fn from_utf8_lossy(bytes: &[u8]) -> Cow<str>;
    fn as_str(&self) -> &str;
    fn as_mut_str(&mut self) -> &mut str;
    fn push(&mut self, c: char);
    fn push_str(&mut self, text: &str);
    fn insert(&mut self, at: usize, c: char);
    fn pop(&mut self) -> Option<char>;
    fn remove(&mut self, at: usize) -> char;
    fn into_bytes(self) -> Vec<u8>;
    fn into_boxed_str(self) -> Box<str>;
    fn clone(&self) -> String;
}
impl char { fn to_string(&self) -> String; fn len_utf8(self) -> usize; }
impl PathBuf { fn new() -> PathBuf; fn as_path(&self) -> &Path; fn into_os_string(self) -> OsString; }
impl Path { fn to_path_buf(&self) -> PathBuf; fn join<P>(&self, p: P) -> PathBuf; fn to_owned(&self) -> PathBuf; fn parent(&self) -> Option<&Path>; }
impl OsStr { fn to_os_string(&self) -> OsString; fn to_owned(&self) -> OsString; fn to_str(&self) -> Option<&str>; }

impl<T> Box<T> { fn new(value: T) -> Box<T>; fn pin(value: T) -> Pin<Box<T>>; }
impl<T> Rc<T> { fn new(value: T) -> Rc<T>; fn clone(this: &Rc<T>) -> Rc<T>; fn make_mut(this: &mut Rc<T>) -> &mut T; fn get_mut(this: &mut Rc<T>) -> Option<&mut T>; fn downgrade(this: &Rc<T>) -> Weak<T>; fn try_unwrap(this: Rc<T>) -> Result<T, Rc<T>>; }
impl<T> Arc<T> { fn new(value: T) -> Arc<T>; fn clone(this: &Arc<T>) -> Arc<T>; fn make_mut(this: &mut Arc<T>) -> &mut T; fn get_mut(this: &mut Arc<T>) -> Option<&mut T>; fn try_unwrap(this: Arc<T>) -> Result<T, Arc<T>>; }
impl<T> Weak<T> { fn upgrade(&self) -> Option<Rc<T>>; }
impl<T> Cell<T> { fn new(value: T) -> Cell<T>; fn get(&self) -> T; fn set(&self, value: T); fn replace(&self, value: T) -> T; fn take(&self) -> T; }
impl<T> RefCell<T> { fn new(value: T) -> RefCell<T>; fn borrow(&self) -> &T; fn borrow_mut(&self) -> &mut T; fn get_mut(&mut self) -> &mut T; fn into_inner(self) -> T; fn replace(&self, value: T) -> T; fn take(&self) -> T; }
impl<T> OnceCell<T> { fn get(&self) -> Option<&T>; fn get_or_init(&self, f: fn() -> T) -> &T; fn set(&self, value: T) -> Result<(), T>; }
impl<T> OnceLock<T> { fn get(&self) -> Option<&T>; fn get_or_init(&self, f: fn() -> T) -> &T; fn set(&self, value: T) -> Result<(), T>; }
impl<T> Mutex<T> { fn new(value: T) -> Mutex<T>; fn lock(&self) -> Result<&mut T, ()>; fn get_mut(&mut self) -> Result<&mut T, ()>; fn into_inner(self) -> Result<T, ()>; }
impl<T> RwLock<T> { fn new(value: T) -> RwLock<T>; fn read(&self) -> Result<&T, ()>; fn write(&self) -> Result<&mut T, ()>; fn into_inner(self) -> Result<T, ()>; }
impl<'a> Cow<'a, str> { fn into_owned(self) -> String; fn to_mut(&mut self) -> &mut String; }
