//! Channels of std and of crossbeam, whose structure is the same, and of tokio.

use super::{Container, Content, Lanes, NO_OWNER, Queue, Slot, Slots};
use crate::types::{Kind, TypeId, Types};

/// A channel, or one end of it.
pub(super) fn container(types: &Types, ty: TypeId) -> Option<Container> {
    let base = types.base(ty);
    if base == "tokio::sync::mpsc::list::Rx" {
        return lanes(types, ty).map(Container::Lanes);
    }
    let inner = base
        .strip_prefix("std::sync::mpmc::")
        .or_else(|| base.strip_prefix("crossbeam_channel::"))?;
    match inner.trim_start_matches("flavors::") {
        "counter::Sender" | "counter::Receiver" => {
            let (at, pointer) = types.path(ty, "counter")?;
            Some(Container::Shared(at, types.pointee(pointer)?, NO_OWNER))
        }
        "list::Channel" => queue(types, ty).map(Container::Queue),
        "array::Channel" => slots(types, ty).map(Container::Slots),
        _ => None,
    }
}

fn messages(types: &Types, ty: TypeId) -> Option<Content> {
    Some(Content {
        ty: types.argument(ty, "T")?,
        owner: NO_OWNER,
        text: false,
    })
}

fn queue(types: &Types, ty: TypeId) -> Option<Queue> {
    let (head, pointer) = types.path(ty, "head.value.block")?;
    let (further, pointer) = types.innermost(pointer);
    let block = types.pointee(pointer)?;
    let (start, list) = types.path(block, "slots")?;
    let Kind::Array(slot, _) = types[list].kind else {
        return None;
    };
    Some(Queue {
        first: types.path(ty, "head.value.index")?.0,
        end: types.path(ty, "tail.value.index")?.0,
        head: head + further,
        block,
        next: types.path(block, "next")?.0,
        slots: Slot {
            start,
            ty: slot,
            message: types.path(slot, "msg")?.0,
            state: types.path(slot, "state")?.0,
        },
        content: messages(types, ty)?,
    })
}

fn lanes(types: &Types, ty: TypeId) -> Option<Lanes> {
    let (head, pointer) = types.path(ty, "head")?;
    let (further, pointer) = types.innermost(pointer);
    let block = types.pointee(pointer)?;
    // Versions before 1.21 have no header around the same fields.
    let place = |name: &str| {
        let within = types.path(block, &format!("header.{name}"));
        Some(within.or_else(|| types.path(block, name))?.0)
    };
    Some(Lanes {
        head: head + further,
        index: types.path(ty, "index")?.0,
        block,
        next: place("next")?,
        start: place("start_index")?,
        ready: place("ready_slots")?,
        values: types.path(block, "values")?.0,
        content: messages(types, ty)?,
    })
}

fn slots(types: &Types, ty: TypeId) -> Option<Slots> {
    let (buffer, slice) = types.path(ty, "buffer")?;
    let (pointer, slot) = types.path(slice, "data_ptr")?;
    let slot = types.pointee(slot)?;
    Some(Slots {
        first: types.path(ty, "head.value")?.0,
        end: types.path(ty, "tail.value")?.0,
        mark: types.path(ty, "mark_bit")?.0,
        pointer: buffer + pointer,
        number: buffer + types.path(slice, "length")?.0,
        slots: Slot {
            start: 0,
            ty: slot,
            message: types.path(slot, "msg")?.0,
            state: types.path(slot, "stamp")?.0,
        },
        content: messages(types, ty)?,
    })
}
