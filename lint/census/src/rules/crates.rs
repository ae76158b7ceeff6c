//! Containers of other crates: bumpalo, bytes, sized-chunks (which im uses), slotmap, tendril,
//! triomphe.

use super::{Buffer, Container, Content, Handle, NO_OWNER, Tendril, shared, vec};
use crate::types::{TypeId, Types};

pub(super) fn container(types: &Types, ty: TypeId) -> Option<Container> {
    match types.base(ty) {
        "triomphe::arc::Arc" => shared(types, ty, "p"),
        "sized_chunks::sized_chunk::Chunk" => {
            let (values, fits, content) = inline(types, ty, 0)?;
            let (left, right) = (types.path(ty, "left")?.0, types.path(ty, "right")?.0);
            Some(Container::Range(left, right, values, fits, content))
        }
        "sized_chunks::sparse_chunk::SparseChunk" => {
            let (values, fits, content) = inline(types, ty, 0)?;
            let (bits, map) = types.path(ty, "map.data")?;
            let bytes = types[map].size;
            Some(Container::Sparse(bits, bytes, values, fits, content))
        }
        "sized_chunks::inline_array::InlineArray" => {
            // The length is in front of values that are aligned as it is, or less.
            let (values, fits, content) = inline(types, ty, LENGTH)?;
            let length = types.path(ty, "data")?.0;
            Some(Container::Inline(length, LENGTH, values, fits, content))
        }
        "bytes::bytes::Bytes" => handle(types, ty).map(Container::Bytes),
        "bytes::bytes_mut::BytesMut" => {
            let capacity = Some(types.path(ty, "cap")?.0);
            handle(types, ty).map(|h| Container::Bytes(Handle { capacity, ..h }))
        }
        BYTES_SHARED => {
            let (pointer, byte) = types.path(ty, "buf")?;
            let length = types.path(ty, "cap")?.0;
            let content = values(types.pointee(byte)?, false);
            Some(Container::Slice(pointer, length, content))
        }
        "tendril::tendril::Tendril" => tendril(types, ty).map(Container::Tendril),
        "bumpalo::Bump" => {
            let (at, footer) = types.path(ty, "current_chunk_footer")?;
            let (further, footer) = types.innermost(footer);
            Some(Container::Arena(
                at + further,
                types.pointee(footer)?,
                NO_OWNER,
            ))
        }
        "bumpalo::collections::vec::Vec" => {
            let buffer = vec(types, ty, false)?;
            Some(Container::InArena(buffer, true))
        }
        "bumpalo::collections::string::String" => {
            let (at, inner) = types.path(ty, "vec")?;
            let buffer = vec(types, inner, true)?;
            let buffer = Buffer {
                pointer: buffer.pointer + at,
                capacity: buffer.capacity + at,
                length: buffer.length + at,
                ..buffer
            };
            Some(Container::InArena(buffer, true))
        }
        "bumpalo::boxed::Box" => {
            let (at, pointer) = types.path(ty, "__0")?;
            let (further, pointer) = types.innermost(pointer);
            pointed(types, pointer, at + further, true)
        }
        _ => None,
    }
}

/// A slot of slotmap, whose value is in a union and there while its version is odd: the place and
/// the bit, and place and type of the value.
pub fn slot(types: &Types, ty: TypeId) -> Option<(u64, u64, (u64, TypeId))> {
    let is_slot = ["slotmap::basic::Slot", "slotmap::hop::Slot"].contains(&types.base(ty));
    let value = types.argument(ty, "T").filter(|_| is_slot)?;
    Some((
        types.path(ty, "version")?.0,
        1,
        (types.path(ty, "u")?.0, value),
    ))
}

/// Bytes of a length.
const LENGTH: u64 = 8;

const BYTES_SHARED: &str = "bytes::bytes::Shared";

fn values(ty: TypeId, text: bool) -> Content {
    Content {
        ty,
        owner: NO_OWNER,
        text,
    }
}

/// Values in the field `data`, behind what else is there: place, how many fit, and what they are.
fn inline(types: &Types, ty: TypeId, skipped: u64) -> Option<(u64, u64, Content)> {
    let (at, data) = types.path(ty, "data")?;
    let content = values(types.argument(ty, "A")?, false);
    let room = types[data].size.saturating_sub(skipped);
    let fits = room.checked_div(types[content.ty].size)?;
    Some((at + skipped, fits, content))
}

fn handle(types: &Types, ty: TypeId) -> Option<Handle> {
    let (pointer, byte) = types.path(ty, "ptr")?;
    let (further, byte) = types.innermost(byte);
    let (data, shared) = types.path(ty, "data")?;
    let (to_data, shared) = types.innermost(shared);
    // `Bytes` has only the address of what its handles share.
    let by_name = types.ids().find(|t| &*types[*t].name == BYTES_SHARED);
    let named = |t: &TypeId| types.base(*t) == "bytes::bytes_mut::Shared";
    let grows = types.pointee(shared).filter(named);
    Some(Handle {
        pointer: pointer + further,
        length: types.path(ty, "len")?.0,
        capacity: None,
        data: data + to_data,
        byte: types.pointee(byte)?,
        shared: [by_name, grows.or_else(|| types.ids().find(named))],
        owner: NO_OWNER,
    })
}

fn tendril(types: &Types, ty: TypeId) -> Option<Tendril> {
    let header = &types[types.argument(ty, "A")?].name;
    let header = format!("tendril::tendril::Header<{header}>");
    let header = types.ids().find(|t| *types[*t].name == *header)?;
    let byte = types.ids().find(|t| &*types[*t].name == "u8")?;
    Some(Tendril {
        pointer: types.path(ty, "ptr")?.0,
        inline: types.path(ty, "buf.value.inline")?.0,
        length: types.path(ty, "buf.value.heap.len")?.0,
        rest: types.path(ty, "buf.value.heap.aux")?.0,
        header: types[header].size,
        content: values(byte, true),
    })
}

/// Whether values may lie in chunks that have no type of their own.
pub fn has_arenas(types: &Types) -> bool {
    types.list.iter().any(|t| &*t.name == super::FOOTER)
}

/// A reference: in an arena values have no other owner.
pub fn borrowed(types: &Types, ty: TypeId) -> Option<Container> {
    pointed(types, ty, 0, false)
}

/// A pointer that may lead into an arena: to one value, or to a slice.
fn pointed(types: &Types, pointer: TypeId, at: u64, owns: bool) -> Option<Container> {
    if let Some(to) = types.pointee(pointer) {
        return Some(Container::Pointed(at, to, NO_OWNER, owns));
    }
    let (data, to) = types
        .path(pointer, "data_ptr")
        .or_else(|| types.path(pointer, "pointer"))?;
    let length = at + types.path(pointer, "length")?.0;
    let text = types[pointer].name.ends_with("str");
    let buffer = Buffer {
        pointer: at + data,
        capacity: length,
        length,
        content: values(types.pointee(to)?, text),
    };
    Some(Container::InArena(buffer, owns))
}
