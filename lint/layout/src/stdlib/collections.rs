//! The collections: their modules and shared types.

use crate::alloc::Layout;

pub mod binary_heap;
pub mod btree_map;
pub mod btree_set;
pub mod hash_map;
pub mod hash_set;
pub mod linked_list;
pub mod vec_deque;

mod btree;
mod hashbrown;

pub use crate::collections::binary_heap::BinaryHeap;
pub use crate::collections::btree_map::BTreeMap;
pub use crate::collections::btree_set::BTreeSet;
pub use crate::collections::hash_map::HashMap;
pub use crate::collections::hash_set::HashSet;
pub use crate::collections::linked_list::LinkedList;
pub use crate::collections::vec_deque::VecDeque;
pub use crate::ops::Bound;

pub struct TryReserveError { kind: TryReserveErrorKind }
pub enum TryReserveErrorKind { CapacityOverflow, AllocError { layout: Layout, non_exhaustive: () } }
