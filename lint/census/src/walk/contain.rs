//! Containers: the block of each, how many values it has, and at which offsets.

use super::messages::CHANNEL;
use super::{Pending, Walk};
use crate::count::{Blocks, SHORT};
use crate::image::{narrow, word};
use crate::malloc;
use crate::plan::{Owner, PlanId};
use crate::rules::{Buffer, COUNTS, Container, Content};
use crate::site::Filled;
use crate::types::{Kind, TypeId};
use std::hash::BuildHasher;
use std::num::NonZeroU32;

/// The container that has a block for each value.
pub(super) const LIST: &str = "LinkedList";

/// What a hash table is called.
pub(super) const TABLE: &str = "HashTable";

/// A container that the walk has reached.
pub(super) struct Met {
    pub(super) kind: &'static str,
    pub(super) len: u64,
    pub(super) capacity: u64,
    /// Bytes of its block, and those that no value or count needs.
    pub(super) bytes: u64,
    pub(super) slack: u64,
}

pub(super) fn place(bytes: &[u8], at: u64) -> u64 {
    word(bytes, at as usize)
}

impl<'i> Walk<'i, '_> {
    pub(super) fn size(&self, ty: TypeId) -> u64 {
        self.program.types[ty].size
    }

    pub(super) fn container(&mut self, container: &Container, bytes: &'i [u8]) {
        match *container {
            Container::Vec(ref buffer) => self.vec(buffer, bytes),
            Container::Ring(ref buffer, head) => self.ring(buffer, place(bytes, head), bytes),
            Container::Rest(ref buffer, first) => self.rest(buffer, place(bytes, first), bytes),
            Container::One(at, ty, owner) => self.one(place(bytes, at), ty, owner),
            Container::Slice(at, length, content) => {
                let (address, len) = (place(bytes, at), place(bytes, length));
                self.slice(address, len, content);
            }
            Container::Dyn(at, table, counted, owner) => {
                let (address, table) = (place(bytes, at), place(bytes, table));
                let table = table.wrapping_sub(self.bias);
                if let Some(Some(ty)) = self.program.tables.get(&table) {
                    match counted {
                        false => self.one(address, *ty, owner),
                        true => self.shared_dyn(address, *ty, owner),
                    }
                }
            }
            Container::Shared(at, ty, owner) => self.shared(place(bytes, at), ty, owner),
            Container::SharedSlice(at, length, values, content) => {
                self.shared_slice(place(bytes, at), place(bytes, length), values, content);
            }
            Container::Table(ctrl, mask, items, left, content) => {
                let (ctrl, mask) = (place(bytes, ctrl), place(bytes, mask));
                let (items, left) = (place(bytes, items), place(bytes, left));
                self.table(ctrl, mask, items, left, content);
            }
            Container::Tree(root, height, length, leaf, owner) => {
                let (root, height) = (place(bytes, root), place(bytes, height));
                self.tree(root, height, place(bytes, length), leaf, owner);
            }
            Container::List(head, next, ty, owner) => {
                self.list(place(bytes, head), next, ty, owner);
            }
            Container::Linked(ref map) => self.linked(map, bytes),
            Container::Small(ref s) => {
                let capacity = place(bytes, s.capacity);
                if capacity <= s.fits {
                    self.inline(s.inline, capacity, s.fits, s.content, bytes, "SmallVec");
                } else {
                    let (pointer, len) = (place(bytes, s.pointer), place(bytes, s.length));
                    self.buffer(pointer, capacity, len, s.content, "SmallVec");
                }
            }
            Container::Inline(length, n, values, fits, content) => {
                let len = narrow(bytes, length, n);
                self.inline(values, len, fits, content, bytes, "ArrayVec");
            }
            Container::Range(left, right, values, fits, content) => {
                let (left, right) = (place(bytes, left), place(bytes, right));
                let len = right.wrapping_sub(left);
                let first = values + left.min(fits) * self.size(content.ty);
                self.inline(first, len, fits, content, bytes, "Chunk");
            }
            Container::Sparse(bits, n, values, fits, content) => {
                self.sparse((bits, n), values, fits, content, bytes);
            }
            Container::Bytes(ref handle) => self.handle(handle, bytes),
            Container::Queue(ref queue) => self.queue(queue, bytes),
            Container::Slots(ref slots) => self.slots(slots, bytes),
            Container::Lanes(ref lanes) => self.lanes(lanes, bytes),
            Container::Tendril(ref tendril) => self.tendril(tendril, bytes),
            Container::Arena(footer, ty, owner) => self.arena(place(bytes, footer), ty, owner),
            Container::InArena(ref buffer, owns) => self.in_arena(buffer, owns, bytes),
            Container::Pointed(at, ty, owner, owns) => {
                self.pointed(place(bytes, at), ty, owner, owns);
            }
            Container::Thin(at, content) => self.thin(place(bytes, at), content),
            Container::Node(at, leaf, owner) => {
                if let Some(bytes) = bytes.get(at as usize..) {
                    self.node(bytes, leaf, owner);
                }
            }
            Container::Whole(_) => {}
        }
    }

    pub(super) fn met(&mut self, owner: Owner, ty: TypeId, met: &Met) {
        let value_size = self.size(ty);
        let is_places = met.kind == TABLE
            && value_size == 8
            && matches!(self.program.types[ty].kind, Kind::Scalar(_));
        let count = self.found.owners.entry(owner).or_default();
        let count = match is_places {
            true => count.places.get_or_insert_default(),
            false => count,
        };
        count.containers += 1;
        count.len += met.len;
        count.capacity += met.capacity;
        count.bytes += met.bytes;
        count.slack_bytes += met.slack;
        count.empty += u64::from(met.len == 0);
        count.one += u64::from(met.len == 1);
        count.value_size = value_size;
        count.kind = met.kind;
        if met.bytes > 0 && met.kind != CHANNEL {
            *self.found.room.entry((ty, owner)).or_default() += met.slack;
        }
        if met.bytes > 0 && met.kind != LIST {
            let block = Blocks::one(met.bytes);
            count.blocks += block;
            if met.len > 0 {
                count.frozen += malloc::block(met.bytes - met.slack);
            }
            if met.len <= SHORT {
                *count.short.entry(met.len).or_default() += block;
            }
        }
        if met.capacity > met.len {
            *self.found.spare.entry(ty).or_default() += met.capacity - met.len;
        }
    }

    /// Counts a container of so many values, with room for so many, in a block of so many bytes.
    pub(super) fn met_values(
        &mut self,
        (owner, ty): (Owner, TypeId),
        kind: &'static str,
        [len, capacity]: [u64; 2],
        bytes: u64,
    ) {
        let met = Met {
            kind,
            len,
            capacity,
            bytes,
            slack: capacity.saturating_sub(len) * self.size(ty),
        };
        self.met(owner, ty, &met);
    }

    /// Counts what does not fit together.
    pub(super) fn torn(&mut self) {
        self.found.torn += 1;
    }

    /// Counts spare capacity in the blocks of an owner.
    pub(super) fn add_room(&mut self, ty: TypeId, owner: Owner, bytes: u64) {
        *self.found.room.entry((ty, owner)).or_default() += bytes;
    }

    pub(super) fn each(&mut self, values: &'i [u8], len: u64, content: Content) {
        let size = self.size(content.ty);
        let plan = self.plans.element(content.ty, content.owner);
        self.run(values, len, size, plan);
    }

    pub(super) fn run(&mut self, values: &'i [u8], len: u64, size: u64, plan: PlanId) {
        let compiled = &self.plans.list[plan.0 as usize];
        if compiled.ops.is_empty() {
            self.room(plan);
            let len = if self.is_counted(values) { len } else { 0 };
            self.found.counts[plan.0 as usize] += len;
            return;
        }
        let Some(one) = u32::try_from(size).ok().and_then(NonZeroU32::new) else {
            for index in 0..len {
                let start = (index * size) as usize;
                if let Some(bytes) = values.get(start..start + size as usize) {
                    self.push(plan, bytes);
                }
            }
            return;
        };
        let len = len.min(values.len() as u64 / size);
        if len > 0 {
            self.todo.push(Pending {
                plan,
                size: Some(one),
                bytes: &values[..(len * size) as usize],
            });
        }
    }

    pub(super) fn text(&mut self, bytes: &[u8], owner: Owner) {
        if self.is_trial {
            return;
        }
        let hash = self.text_hasher.hash_one(bytes);
        let count = self.found.owners.entry(owner).or_default();
        let len = bytes.len() as u64;
        *count.lengths.entry(len).or_default() += 1;
        if len > 0 {
            count.texts.entry(len).or_default().push(hash);
        }
    }

    fn vec(&mut self, buffer: &Buffer, bytes: &'i [u8]) {
        let pointer = place(bytes, buffer.pointer);
        let capacity = place(bytes, buffer.capacity);
        let len = place(bytes, buffer.length);
        let kind = match buffer.content.text {
            true => "String",
            false => "Vec",
        };
        self.buffer(pointer, capacity, len, buffer.content, kind);
    }

    fn buffer(
        &mut self,
        pointer: u64,
        capacity: u64,
        len: u64,
        content: Content,
        kind: &'static str,
    ) {
        let size = self.size(content.ty);
        if size == 0 {
            return;
        }
        if len > capacity {
            return self.torn();
        }
        let Some(total) = capacity.checked_mul(size) else {
            return self.torn();
        };
        let mut values: &[u8] = &[];
        if capacity > 0 {
            let filled = match content.text {
                true => Filled::Text,
                false => Filled::Slice,
            };
            let Some(index) = self.hold(pointer, (content.ty, content.owner), filled, total) else {
                return;
            };
            values = self.image.contents(index);
        }
        self.met_values((content.owner, content.ty), kind, [len, capacity], total);
        if content.text {
            self.text(&values[..len as usize], content.owner);
        } else {
            self.each(values, len, content);
        }
    }

    fn ring(&mut self, buffer: &Buffer, head: u64, bytes: &'i [u8]) {
        let content = buffer.content;
        let size = self.size(content.ty);
        let capacity = place(bytes, buffer.capacity);
        let len = place(bytes, buffer.length);
        if size == 0 {
            return;
        }
        if len > capacity || head > capacity {
            return self.torn();
        }
        let total = capacity.saturating_mul(size);
        let mut values: &[u8] = &[];
        if capacity > 0 {
            let pointer = place(bytes, buffer.pointer);
            let Some(index) = self.hold(pointer, (content.ty, content.owner), Filled::Slice, total)
            else {
                return;
            };
            values = self.image.contents(index);
        }
        self.met_values(
            (content.owner, content.ty),
            "VecDeque",
            [len, capacity],
            total,
        );
        let first = len.min(capacity - head);
        if let Some(values) = values.get((head * size) as usize..) {
            self.each(values, first, content);
        }
        self.each(values, len - first, content);
    }

    fn rest(&mut self, buffer: &Buffer, first: u64, bytes: &'i [u8]) {
        let content = buffer.content;
        let size = self.size(content.ty);
        let start = place(bytes, buffer.pointer);
        let capacity = place(bytes, buffer.capacity);
        let end = place(bytes, buffer.length);
        if size == 0 || capacity == 0 {
            return;
        }
        let total = capacity.saturating_mul(size);
        if first < start
            || end < first
            || end - start > total
            || !(end - first).is_multiple_of(size)
        {
            return self.torn();
        }
        let Some(index) = self.hold(start, (content.ty, content.owner), Filled::Slice, total)
        else {
            return;
        };
        let len = (end - first) / size;
        self.met_values(
            (content.owner, content.ty),
            "IntoIter",
            [len, capacity],
            total,
        );
        let values = &self.image.contents(index)[(first - start) as usize..];
        self.each(values, len, content);
    }

    fn inline(
        &mut self,
        at: u64,
        len: u64,
        fits: u64,
        content: Content,
        bytes: &'i [u8],
        kind: &'static str,
    ) {
        if len > fits {
            return self.torn();
        }
        self.met_values((content.owner, content.ty), kind, [len, fits], 0);
        if let Some(values) = bytes.get(at as usize..) {
            self.each(values, len, content);
        }
    }

    /// Values where bits are set.
    fn sparse(&mut self, bits: (u64, u64), at: u64, fits: u64, content: Content, bytes: &'i [u8]) {
        let set: Vec<u64> = (0..fits)
            .filter(|n| n / 8 < bits.1 && narrow(bytes, bits.0 + n / 8, 1) >> (n % 8) & 1 == 1)
            .collect();
        let size = self.size(content.ty);
        self.met_values(
            (content.owner, content.ty),
            "Chunk",
            [set.len() as u64, fits],
            0,
        );
        let plan = self.plans.element(content.ty, content.owner);
        for n in set {
            let start = (at + n * size) as usize;
            if let Some(value) = bytes.get(start..start + size as usize) {
                self.push(plan, value);
            }
        }
    }

    fn thin(&mut self, pointer: u64, content: Content) {
        let Some(index) = self.image.block(pointer) else {
            // All empty ones share a static header.
            self.met_values((content.owner, content.ty), "ThinVec", [0, 0], 0);
            return;
        };
        let bytes = self.image.contents(index);
        let (len, capacity) = (word(bytes, 0), word(bytes, 8));
        let size = self.size(content.ty);
        let values = bytes.len() as u64;
        let total = capacity.saturating_mul(size);
        // Values follow the header, which is padded to their alignment.
        if len > capacity || values < COUNTS.saturating_add(total) {
            return self.torn();
        }
        if self
            .hold(
                pointer,
                (content.ty, content.owner),
                Filled::counted_slice(values - total),
                values,
            )
            .is_none()
        {
            return;
        }
        self.met_values(
            (content.owner, content.ty),
            "ThinVec",
            [len, capacity],
            values,
        );
        self.each(&bytes[(values - total) as usize..], len, content);
    }

    fn slice(&mut self, address: u64, len: u64, content: Content) {
        let kind = match content.text {
            true => "Box<str>",
            false => "Box<[T]>",
        };
        self.buffer(address, len, len, content, kind);
    }

    /// Whether a container's parts fit each other and its block.
    pub(super) fn is_whole(&self, container: &Container, bytes: &[u8]) -> bool {
        let is_block = |address: u64, size: u64| {
            let block = self.image.block(address);
            block.is_some_and(|index| self.image.blocks[index].size == size)
        };
        match *container {
            Container::Vec(ref b) | Container::Ring(ref b, _) => {
                let (capacity, len) = (place(bytes, b.capacity), place(bytes, b.length));
                let size = self.size(b.content.ty);
                let pointer = place(bytes, b.pointer);
                pointer != 0
                    && (size == 0
                        || len <= capacity
                            && (capacity == 0 || is_block(pointer, capacity.saturating_mul(size))))
            }
            Container::One(at, ty, _) | Container::Shared(at, ty, _) => {
                let (address, size) = (place(bytes, at), self.size(ty));
                address == u64::MAX || address != 0 && (size == 0 || is_block(address, size))
            }
            Container::Slice(at, length, content) => {
                let (address, len) = (place(bytes, at), place(bytes, length));
                let size = len.saturating_mul(self.size(content.ty));
                address != 0 && (size == 0 || is_block(address, size))
            }
            Container::Table(ctrl, mask, items, _, content) => {
                let (ctrl, mask) = (place(bytes, ctrl), place(bytes, mask));
                let buckets = mask.wrapping_add(1);
                let sizes = self.table_sizes(buckets, self.size(content.ty));
                ctrl != 0
                    && place(bytes, items) <= buckets
                    && sizes.is_some_and(|(values, total)| {
                        mask == 0 || ctrl > values && is_block(ctrl - values, total)
                    })
            }
            Container::Dyn(at, table, ..) => {
                let table = place(bytes, table).wrapping_sub(self.bias);
                place(bytes, at) != 0 && self.program.tables.contains_key(&table)
            }
            _ => true,
        }
    }
}
