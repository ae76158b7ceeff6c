//! Nodes of the ordered map and handles into them.

use crate::collections::btree_set::{BTreeSet, Iter};
use crate::iter::{Iterator, Peekable};
use crate::marker::PhantomData;
use crate::mem::MaybeUninit;
use crate::option::Option;
use crate::ptr::NonNull;

// Type-level tags: how a node is borrowed, its kind, and what a handle points at.
pub struct Owned;
pub struct Dying;
pub struct Immut<'a>(PhantomData<&'a ()>);
pub struct Mut<'a>(PhantomData<&'a mut ()>);
pub struct ValMut<'a>(PhantomData<&'a mut ()>);
pub struct Leaf;
pub struct LeafOrInternal;
pub struct KV;
pub struct Edge;

pub struct NodeRef<BorrowType, K, V, Type> {
    height: usize,
    node: NonNull<LeafNode<K, V>>,
    _marker: PhantomData<(BorrowType, Type)>,
}
pub type Root<K, V> = NodeRef<Owned, K, V, LeafOrInternal>;
pub struct Handle<Node, Type> { node: Node, idx: usize, _marker: PhantomData<Type> }
pub struct DormantMutRef<'a, T> { ptr: NonNull<T>, _marker: PhantomData<&'a mut T> }

/// Up to eleven pairs.
pub struct LeafNode<K, V> {
    parent: Option<NonNull<InternalNode<K, V>>>,
    parent_idx: MaybeUninit<u16>,
    len: u16,
    keys: [MaybeUninit<K>; 11],
    vals: [MaybeUninit<V>; 11],
}
#[repr(C)]
pub struct InternalNode<K, V> { data: LeafNode<K, V>, edges: [MaybeUninit<NonNull<LeafNode<K, V>>>; 12] }

pub struct LeafRange<BorrowType, K, V> {
    front: Option<Handle<NodeRef<BorrowType, K, V, Leaf>, Edge>>,
    back: Option<Handle<NodeRef<BorrowType, K, V, Leaf>, Edge>>,
}
pub struct LazyLeafRange<BorrowType, K, V> {
    front: Option<LazyLeafHandle<BorrowType, K, V>>,
    back: Option<LazyLeafHandle<BorrowType, K, V>>,
}
pub enum LazyLeafHandle<BorrowType, K, V> {
    Root(NodeRef<BorrowType, K, V, LeafOrInternal>),
    Edge(Handle<NodeRef<BorrowType, K, V, Leaf>, Edge>),
}
pub struct ExtractIfInner<'a, K, V, R> {
    length: &'a mut usize,
    dormant_root: Option<DormantMutRef<'a, Root<K, V>>>,
    cur_leaf_edge: Option<Handle<NodeRef<Mut<'a>, K, V, Leaf>, Edge>>,
    range: R,
}

pub struct SetValZST;
pub struct MergeIterInner<I: Iterator> { a: I, b: I, peeked: Option<Peeked<I>> }
pub enum Peeked<I: Iterator> { A(<I as Iterator>::Item), B(<I as Iterator>::Item) }
pub enum DifferenceInner<'a, T, A> {
    Stitch { self_iter: Iter<'a, T>, other_iter: Peekable<Iter<'a, T>> },
    Search { self_iter: Iter<'a, T>, other_set: &'a BTreeSet<T, A> },
    Iterate(Iter<'a, T>),
}
pub enum IntersectionInner<'a, T, A> {
    Stitch { a: Iter<'a, T>, b: Iter<'a, T> },
    Search { small_iter: Iter<'a, T>, large_set: &'a BTreeSet<T, A> },
    Answer(Option<&'a T>),
}
