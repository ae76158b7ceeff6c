//! Maps in the order of a linked list, beside a hash table of pointers to its nodes: hashlink,
//! linked-hash-map, lru.

use super::{Container, NO_OWNER, some_pointee};
use crate::plan::Owner;
use crate::types::{TypeId, Types};

/// Such a map. Places are bytes from its start, those of a node from the node's.
#[derive(Clone, Copy, Debug)]
pub struct Linked {
    /// Place of the pointer to the node in front of the first one, which has no entry.
    pub front: u64,
    /// Place of the pointer to the node behind the last one, where that is another.
    pub back: Option<u64>,
    /// A node.
    pub node: TypeId,
    /// Place of the next node's pointer in a node.
    pub next: u64,
    /// Places and types of key and value in a node.
    pub entry: [(u64, TypeId); 2],
    /// Place and type of the hash table.
    pub table: (u64, TypeId),
    /// The field.
    pub owner: Owner,
}

pub(super) fn container(types: &Types, ty: TypeId) -> Option<Container> {
    let (front, back, next) = match types.base(ty) {
        "hashlink::linked_hash_map::LinkedHashMap" => ("values", None, "links.value.next"),
        "linked_hash_map::LinkedHashMap" => ("head", None, "next"),
        "lru::LruCache" => ("head", Some("tail"), "next"),
        // A node that is no longer in the list keeps what was moved out of it.
        "linked_hash_map::Node" => return Some(Container::Whole(None)),
        _ => return None,
    };
    let (front, pointer) = types.path(ty, front)?;
    let pointee = types.pointee(pointer);
    let node = pointee.or_else(|| some_pointee(types, pointer))?;
    // hashlink has both parts in one tuple.
    let (start, entry, names): (_, _, [&[&str]; 2]) = match part(types, node, "entry") {
        Some((start, entry)) => (start, entry, [&["__0"], &["__1"]]),
        None => (0, node, [&["key"], &["value", "val"]]),
    };
    let of = |names: &[&str]| {
        let (at, ty) = names.iter().find_map(|name| part(types, entry, name))?;
        Some((start + at, ty))
    };
    let back = match back {
        Some(back) => Some(types.path(ty, back)?.0),
        None => None,
    };
    Some(Container::Linked(Linked {
        front,
        back,
        node,
        next: types.path(node, next)?.0,
        entry: [of(names[0])?, of(names[1])?],
        table: types.path(ty, "table").or_else(|| types.path(ty, "map"))?,
        owner: NO_OWNER,
    }))
}

/// A field that may be uninitialized: its place, and its type once it is not.
fn part(types: &Types, ty: TypeId, name: &str) -> Option<(u64, TypeId)> {
    let (at, part) = types.path(ty, name)?;
    match types.base(part) {
        "core::mem::maybe_uninit::MaybeUninit" => Some((at, types.argument(part, "T")?)),
        _ => Some((at, part)),
    }
}
