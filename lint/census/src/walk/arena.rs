//! Arenas for values of any type (bumpalo): the pointers that lead to a chunk say which values it
//! holds.

use super::contain::place;
use super::{State, Walk};
use crate::count::Blocks;
use crate::plan::{NO_OWNER, Owner};
use crate::rules::{Buffer, Content, FOOTER};
use crate::site::Filled;
use crate::types::TypeId;
use std::collections::BTreeMap;

/// Chunks, and what of them has been read.
#[derive(Clone, Debug, Default)]
pub struct Arenas {
    /// By the start of the block.
    chunks: BTreeMap<u64, Chunk>,
    /// Of what has been read: start and end, the type and the owner.
    read: BTreeMap<u64, (u64, Content)>,
    /// What references lead to, when all that is owned has been read.
    borrowed: Vec<(u64, u64, Content)>,
}

/// A chunk.
#[derive(Clone, Copy, Debug)]
struct Chunk {
    /// The block.
    index: usize,
    /// Start and end of the allocated part.
    used: (u64, u64),
    /// The footer's type.
    footer: TypeId,
}

impl Arenas {
    fn chunk(&self, address: u64) -> Option<&Chunk> {
        let (_, chunk) = self.chunks.range(..=address).next_back()?;
        (chunk.used.0..chunk.used.1)
            .contains(&address)
            .then_some(chunk)
    }

    /// Bytes of a chunk that are allocated and were not read.
    pub fn unread(&self, start: u64) -> u64 {
        let Some(chunk) = self.chunks.get(&start) else {
            return 0;
        };
        let (from, to) = chunk.used;
        let read: u64 = self.read.range(from..to).map(|(s, (e, _))| e - s).sum();
        (to - from).saturating_sub(read)
    }

    /// Of a chunk: the bytes that are not allocated, and what has been read.
    pub fn parts(&self, start: u64) -> (u64, impl Iterator<Item = (u64, Content)>) {
        let used = self.chunks.get(&start).map(|chunk| chunk.used);
        let (from, to) = used.unwrap_or((start, start));
        let read = self.read.range(from..to);
        (
            from - start,
            read.map(|(s, (e, content))| (e - s, *content)),
        )
    }
}

impl<'i> Walk<'i, '_> {
    /// The footer of a chunk says where it begins, and how far it is used.
    pub(super) fn find_chunks(&mut self) {
        let types = &self.program.types;
        let Some(footer) = types.ids().find(|t| &*types[*t].name == FOOTER) else {
            return;
        };
        let (Some((data, _)), Some((used, _))) =
            (types.path(footer, "data"), types.path(footer, "ptr"))
        else {
            return;
        };
        let size = types[footer].size;
        for (index, block) in self.image.blocks.iter().enumerate() {
            let Some(before) = block.size.checked_sub(size) else {
                continue;
            };
            let bytes = &self.image.contents(index)[before as usize..];
            let (from, to) = (place(bytes, used), block.address + before);
            if place(bytes, data) == block.address && (block.address..=to).contains(&from) {
                let used = (from, to);
                let chunk = Chunk {
                    index,
                    used,
                    footer,
                };
                self.found.arenas.chunks.insert(block.address, chunk);
            }
        }
    }

    /// Chunks whose arena was not found are live, too.
    pub(super) fn hold_chunks(&mut self) {
        let chunks: Vec<Chunk> = self.found.arenas.chunks.values().copied().collect();
        for chunk in chunks {
            self.hold_chunk(chunk, NO_OWNER);
        }
    }

    fn hold_chunk(&mut self, chunk: Chunk, owner: Owner) {
        if matches!(
            self.found.states.of(chunk.index),
            State::Unknown | State::Made(_) | State::Held(_, Filled::Arena, NO_OWNER)
        ) {
            self.found
                .states
                .set(chunk.index, State::Held(chunk.footer, Filled::Arena, owner));
        }
    }

    pub(super) fn arena(&mut self, newest: u64, footer: TypeId, owner: Owner) {
        let Some((previous, _)) = self.program.types.path(footer, "prev") else {
            return;
        };
        let (mut at, mut blocks) = (newest, Blocks::default());
        let (mut used, mut whole) = (0, 0);
        let all = self.found.arenas.chunks.len() as u64;
        // The last one is a static that points to itself. Corrupt ones may form a cycle.
        while blocks.number < all
            && let Some((_, &chunk)) = self.found.arenas.chunks.range(..=at).next_back()
            && chunk.used.1 == at
        {
            self.hold_chunk(chunk, owner);
            self.link(chunk.index, owner);
            let block = self.image.blocks[chunk.index];
            let bytes = self.image.contents(chunk.index);
            used += chunk.used.1 - chunk.used.0;
            whole += block.size;
            blocks += Blocks::one(block.size);
            let next = place(bytes, at - block.address + previous);
            if next == at {
                break;
            }
            at = next;
        }
        let count = self.found.owners.entry(owner).or_default();
        count.containers += 1;
        count.len += used;
        count.capacity += whole;
        count.bytes += whole;
        count.slack_bytes += whole - used;
        count.empty += u64::from(used == 0);
        count.blocks += blocks;
        count.frozen += blocks.bytes;
        count.value_size = 1;
        count.kind = "Bump";
    }

    /// Memory of an arena that no other owner was found for.
    fn given(&mut self, address: u64, bytes: u64, content: Content) -> Option<&'i [u8]> {
        let chunk = *self.found.arenas.chunk(address)?;
        let end = address.checked_add(bytes)?;
        let before = self.found.arenas.read.range(..end).next_back();
        if bytes == 0 || end > chunk.used.1 || before.is_some_and(|(_, (e, _))| *e > address) {
            return None;
        }
        self.found.arenas.read.insert(address, (end, content));
        self.hold_chunk(chunk, NO_OWNER);
        self.image.memory(address, bytes)
    }

    pub(super) fn in_arena(&mut self, buffer: &Buffer, owns: bool, bytes: &[u8]) {
        let content = buffer.content;
        let (address, len) = (place(bytes, buffer.pointer), place(bytes, buffer.length));
        let capacity = place(bytes, buffer.capacity);
        let size = self.size(content.ty);
        if !owns {
            if self.found.arenas.chunk(address).is_some() {
                self.found.arenas.borrowed.push((address, len, content));
            }
            return;
        }
        let mut values: &[u8] = &[];
        if size > 0 {
            let total = capacity.saturating_mul(size);
            let given = match total {
                0 => Some(values),
                _ => self.given(address, total, content),
            };
            let Some(given) = given.filter(|_| len <= capacity) else {
                return self.torn();
            };
            values = given;
        }
        self.met_values(
            (content.owner, content.ty),
            if content.text { "String" } else { "Vec" },
            [len, capacity],
            0,
        );
        match content.text {
            true => self.text(&values[..len as usize], content.owner),
            false => self.each(values, len, content),
        }
    }

    pub(super) fn pointed(&mut self, address: u64, ty: TypeId, owner: Owner, owns: bool) {
        if self.found.arenas.chunk(address).is_none() {
            return;
        }
        let content = Content {
            ty,
            owner,
            text: false,
        };
        if !owns {
            self.found.arenas.borrowed.push((address, 1, content));
            return;
        }
        let size = self.size(ty);
        if let Some(bytes) = self.given(address, size, content) {
            self.met_values((owner, ty), "Box", [1, 1], 0);
            self.each(bytes, 1, content);
        }
    }

    /// Reads what references lead to, the largest first: others may lead into it.
    pub(super) fn borrowed(&mut self) -> bool {
        let mut list = std::mem::take(&mut self.found.arenas.borrowed);
        let size = |walk: &Self, (_, len, content): &(u64, u64, Content)| {
            len.saturating_mul(walk.size(content.ty))
        };
        list.sort_by_key(|b| (std::cmp::Reverse(size(self, b)), b.0));
        for borrowed in &list {
            let (address, len, content) = *borrowed;
            let Some(bytes) = self.given(address, size(self, borrowed), content) else {
                continue;
            };
            match content.text {
                true => self.text(bytes, content.owner),
                false => self.each(bytes, len, content),
            }
        }
        !list.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::{Buffer, Chunk, Content, NO_OWNER, Walk};
    use crate::dwarf::Program;
    use crate::image::Image;
    use crate::site::Sites;
    use crate::types::{Field, Kind, Scalar, Type, TypeId, Types};

    const NUMBER: TypeId = TypeId(0);
    const FOOTER: TypeId = TypeId(1);

    fn program() -> Program {
        let ty = |name: &str, size, kind| Type {
            name: name.into(),
            size,
            kind,
            arguments: Vec::new(),
        };
        let previous = Field {
            name: "prev".into(),
            offset: 0,
            ty: NUMBER,
        };
        Program {
            types: Types {
                list: vec![
                    ty("u8", 1, Kind::Scalar(Scalar::Number)),
                    ty("bumpalo::ChunkFooter", 8, Kind::Struct(vec![previous])),
                ],
            },
            ..Program::default()
        }
    }

    #[test]
    fn a_text_that_is_longer_than_its_room_is_torn() {
        let (program, image) = (program(), Image::default());
        let mut walk = Walk::new(&image, &program, &Sites::default(), 0);
        let buffer = Buffer {
            pointer: 0,
            capacity: 8,
            length: 16,
            content: Content {
                ty: NUMBER,
                owner: NO_OWNER,
                text: true,
            },
        };
        let bytes: Vec<u8> = [4096_u64, 0, 5]
            .iter()
            .flat_map(|w| w.to_le_bytes())
            .collect();
        walk.in_arena(&buffer, true, &bytes);
        assert_eq!(walk.found.torn, 1);
    }

    #[test]
    fn chunks_that_lead_in_a_circle_are_counted_once() {
        // Two blocks, each a footer that points to the other.
        let blocks = [(4096, 8192_u64), (8192, 4096)];
        let image = Image::of(&blocks.map(|(address, to)| (address, to.to_le_bytes().to_vec())));
        let program = program();
        let mut walk = Walk::new(&image, &program, &Sites::default(), 0);
        for (index, (address, _)) in blocks.into_iter().enumerate() {
            let chunk = Chunk {
                index,
                used: (address, address),
                footer: FOOTER,
            };
            walk.found.arenas.chunks.insert(address, chunk);
        }
        walk.arena(4096, FOOTER, NO_OWNER);
        assert_eq!(walk.found.owners[&NO_OWNER].blocks.number, 2);
    }
}
