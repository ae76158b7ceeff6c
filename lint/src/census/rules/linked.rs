//! Maps in the order of a linked list, beside a hash table of pointers to its nodes: hashlink,
//! linked-hash-map, lru.

use super::{Container, NO_OWNER, some_pointee};
use crate::census::plan::Owner;
use crate::census::types::{TypeId, Types};

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
    let linked = match types.base(ty) {
        "hashlink::linked_hash_map::LinkedHashMap" => {
            let (front, pointer) = types.path(ty, "values")?;
            let node = some_pointee(types, pointer)?;
            let (at, entry) = types.path(node, "entry")?;
            let pair = types.argument(entry, "T")?;
            let part = |name| types.path(pair, name).map(|(offset, ty)| (at + offset, ty));
            Linked {
                front,
                back: None,
                node,
                next: types.path(node, "links.value.next")?.0,
                entry: [part("__0")?, part("__1")?],
                table: types.path(ty, "table").or_else(|| types.path(ty, "map"))?,
                owner: NO_OWNER,
            }
        }
        "linked_hash_map::LinkedHashMap" => {
            let (front, pointer) = types.path(ty, "head")?;
            let node = types.pointee(pointer)?;
            Linked {
                front,
                back: None,
                node,
                next: types.path(node, "next")?.0,
                entry: [types.path(node, "key")?, types.path(node, "value")?],
                table: types.path(ty, "map")?,
                owner: NO_OWNER,
            }
        }
        "lru::LruCache" => {
            let (front, pointer) = types.path(ty, "head")?;
            let node = types.pointee(pointer)?;
            let part = |name| {
                let (at, part) = types.path(node, name)?;
                Some((at, types.argument(part, "T")?))
            };
            Linked {
                front,
                back: Some(types.path(ty, "tail")?.0),
                node,
                next: types.path(node, "next")?.0,
                entry: [part("key")?, part("val")?],
                table: types.path(ty, "map")?,
                owner: NO_OWNER,
            }
        }
        // A node that is no longer in the list keeps what was moved out of it.
        "linked_hash_map::Node" => return Some(Container::Whole(Vec::new())),
        _ => return None,
    };
    Some(Container::Linked(linked))
}
