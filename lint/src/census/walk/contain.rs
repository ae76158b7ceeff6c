//! Containers: which block one has, how many values are in it, and where they lie.

use super::Walk;
use crate::census::image::{narrow, word};
use crate::census::plan::{Owner, PlanId};
use crate::census::rules::{Buffer, Container, Content, Leaf, NODE};
use crate::census::site::Filled;
use crate::census::types::TypeId;
use std::hash::BuildHasher;

/// Values of a hash table begin this far before its control bytes, and these are so many more than
/// buckets.
const GROUP: u64 = 16;

/// Nodes of a tree at most this far from its leaves.
const HIGHEST: u64 = 32;

/// Bytes of the two counts in front of a shared value.
const COUNTS: u64 = 16;

/// A container that was met.
struct Met {
    kind: &'static str,
    len: u64,
    capacity: u64,
    /// Bytes of its block, and those that no value or count needs.
    bytes: u64,
    slack: u64,
}

fn place(bytes: &[u8], at: u64) -> u64 {
    word(bytes, at as usize)
}

impl<'i> Walk<'i, '_> {
    fn size(&self, ty: TypeId) -> u64 {
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
            Container::SharedSlice(at, length, content) => {
                self.shared_slice(place(bytes, at), place(bytes, length), content);
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
            Container::Small(capacity, inline, fits, pointer, length, content) => {
                let capacity = place(bytes, capacity);
                if capacity <= fits {
                    self.inline(inline, capacity, fits, content, bytes, "SmallVec");
                } else {
                    let (pointer, len) = (place(bytes, pointer), place(bytes, length));
                    self.buffer(pointer, capacity, len, content, "SmallVec");
                }
            }
            Container::Inline(length, n, values, fits, content) => {
                let len = narrow(bytes, length, n);
                self.inline(values, len, fits, content, bytes, "ArrayVec");
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

    fn met(&mut self, owner: Owner, ty: TypeId, met: &Met) {
        let value_size = self.size(ty);
        let count = self.owners.entry(owner).or_default();
        count.containers += 1;
        count.len += met.len;
        count.capacity += met.capacity;
        count.bytes += met.bytes;
        count.slack_bytes += met.slack;
        count.empty += u64::from(met.len == 0);
        count.one += u64::from(met.len == 1);
        count.value_size = value_size;
        count.kind = met.kind;
        if met.capacity > met.len {
            *self.spare.entry(ty).or_default() += met.capacity - met.len;
        }
    }

    fn each(&mut self, values: &'i [u8], len: u64, content: Content) {
        let size = self.size(content.ty);
        let plan = self.plans.element(content.ty, content.owner);
        self.run(values, len, size, plan);
    }

    fn run(&mut self, values: &'i [u8], len: u64, size: u64, plan: PlanId) {
        let compiled = &self.plans.list[plan.0 as usize];
        if compiled.ops.is_empty() {
            self.room(plan);
            self.counts[plan.0 as usize] += len;
            return;
        }
        for index in 0..len {
            let start = (index * size) as usize;
            if let Some(bytes) = values.get(start..start + size as usize) {
                self.todo.push((plan, bytes));
            }
        }
    }

    fn text(&mut self, bytes: &[u8], owner: Owner) {
        let hash = self.text_hasher.hash_one(bytes);
        let count = self.owners.entry(owner).or_default();
        let len = bytes.len() as u64;
        *count.lengths.entry(len).or_default() += 1;
        if len > 0 {
            *count.texts.entry((hash, len)).or_default() += 1;
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
            self.torn += 1;
            return;
        }
        let Some(total) = capacity.checked_mul(size) else {
            self.torn += 1;
            return;
        };
        let mut values: &[u8] = &[];
        if capacity > 0 {
            let Some(index) = self.hold(pointer, content.ty, Filled::Slice, total) else {
                return;
            };
            values = self.image.contents(index);
        }
        let met = Met {
            kind,
            len,
            capacity,
            bytes: total,
            slack: (capacity - len) * size,
        };
        self.met(content.owner, content.ty, &met);
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
            self.torn += 1;
            return;
        }
        let total = capacity.saturating_mul(size);
        let mut values: &[u8] = &[];
        if capacity > 0 {
            let pointer = place(bytes, buffer.pointer);
            let Some(index) = self.hold(pointer, content.ty, Filled::Slice, total) else {
                return;
            };
            values = self.image.contents(index);
        }
        let met = Met {
            kind: "VecDeque",
            len,
            capacity,
            bytes: total,
            slack: (capacity - len) * size,
        };
        self.met(content.owner, content.ty, &met);
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
        if first < start || end < first || end - start > total || (end - first) % size != 0 {
            self.torn += 1;
            return;
        }
        let Some(index) = self.hold(start, content.ty, Filled::Slice, total) else {
            return;
        };
        let len = (end - first) / size;
        let met = Met {
            kind: "IntoIter",
            len,
            capacity,
            bytes: total,
            slack: (capacity - len) * size,
        };
        self.met(content.owner, content.ty, &met);
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
            self.torn += 1;
            return;
        }
        let size = self.size(content.ty);
        let met = Met {
            kind,
            len,
            capacity: fits,
            bytes: 0,
            slack: (fits - len) * size,
        };
        self.met(content.owner, content.ty, &met);
        if let Some(values) = bytes.get(at as usize..) {
            self.each(values, len, content);
        }
    }

    fn thin(&mut self, pointer: u64, content: Content) {
        let Some(index) = self.image.block(pointer) else {
            // The header of all that are empty is a static.
            let met = Met {
                kind: "ThinVec",
                len: 0,
                capacity: 0,
                bytes: 0,
                slack: 0,
            };
            self.met(content.owner, content.ty, &met);
            return;
        };
        let bytes = self.image.contents(index);
        let (len, capacity) = (word(bytes, 0), word(bytes, 8));
        let size = self.size(content.ty);
        let values = bytes.len() as u64;
        let total = capacity.saturating_mul(size);
        // Values lie at the end: the header is as large as their alignment.
        if len > capacity || values < COUNTS.saturating_add(total) {
            self.torn += 1;
            return;
        }
        if self
            .hold(pointer, content.ty, Filled::CountedSlice, values)
            .is_none()
        {
            return;
        }
        let met = Met {
            kind: "ThinVec",
            len,
            capacity,
            bytes: values,
            slack: (capacity - len) * size,
        };
        self.met(content.owner, content.ty, &met);
        self.each(&bytes[(values - total) as usize..], len, content);
    }

    fn one(&mut self, address: u64, ty: TypeId, owner: Owner) {
        let size = self.size(ty);
        if size == 0 || address == 0 {
            return;
        }
        let met = Met {
            kind: "Box",
            len: 1,
            capacity: 1,
            bytes: size,
            slack: 0,
        };
        // Its site may have said so already, and it was read then.
        if let Some(index) = self.image.block(address)
            && self.states[index] == super::State::Held(ty, Filled::One)
        {
            self.met(owner, ty, &met);
            return;
        }
        let Some(index) = self.hold(address, ty, Filled::One, size) else {
            return;
        };
        self.met(owner, ty, &met);
        let plan = self.plans.element(ty, owner);
        self.todo.push((plan, self.image.contents(index)));
    }

    fn slice(&mut self, address: u64, len: u64, content: Content) {
        let kind = match content.text {
            true => "Box<str>",
            false => "Box<[T]>",
        };
        self.buffer(address, len, len, content, kind);
    }

    /// Counts an owner of a shared block; whether it is the first.
    fn share(&mut self, index: usize, owner: Owner) -> bool {
        *self.shares.entry(index).or_default() += 1;
        if self.shared_by.contains_key(&index) {
            return false;
        }
        self.shared_by.insert(index, owner);
        true
    }

    fn shared(&mut self, address: u64, ty: TypeId, owner: Owner) {
        // A `Weak` of nothing points to the end of memory.
        if address == u64::MAX || address == 0 {
            return;
        }
        let size = self.size(ty);
        if let Some(index) = self.image.block(address)
            && let super::State::Held(held, Filled::One) = self.states[index]
            && held == ty
        {
            let first = self.share(index, owner);
            self.met(owner, ty, &shared_met(size, first));
            return;
        }
        let Some(index) = self.hold(address, ty, Filled::One, size) else {
            return;
        };
        self.share(index, owner);
        self.met(owner, ty, &shared_met(size, true));
        let plan = self.plans.element(ty, owner);
        self.todo.push((plan, self.image.contents(index)));
    }

    fn shared_dyn(&mut self, address: u64, ty: TypeId, owner: Owner) {
        if address == u64::MAX || address == 0 {
            return;
        }
        let Some(index) = self.image.block(address) else {
            self.torn += 1;
            return;
        };
        if let super::State::Held(..) = self.states[index] {
            let first = self.share(index, owner);
            let size = self.image.blocks[index].size;
            self.met(owner, ty, &shared_met(size, first));
            return;
        }
        let size = self.image.blocks[index].size;
        // The site says `RcInner<T>`, which is nameless here.
        if size < COUNTS + self.size(ty) {
            self.torn += 1;
            return;
        }
        self.states[index] = super::State::Held(ty, Filled::Counted);
        self.share(index, owner);
        self.met(owner, ty, &shared_met(size, true));
        let bytes = self.image.contents(index);
        if word(bytes, 0) != 0 {
            let plan = self.plans.element(ty, owner);
            self.todo.push((plan, &bytes[COUNTS as usize..]));
        }
    }

    fn shared_slice(&mut self, address: u64, len: u64, content: Content) {
        if address == u64::MAX || address == 0 {
            return;
        }
        let size = self.size(content.ty);
        let values = len.saturating_mul(size);
        let total = COUNTS.saturating_add(values).next_multiple_of(8);
        let Some(index) = self.image.block(address) else {
            self.torn += 1;
            return;
        };
        if self.states[index] == super::State::Held(content.ty, Filled::CountedSlice) {
            let first = self.share(index, content.owner);
            self.met(content.owner, content.ty, &shared_met(total, first));
            return;
        }
        if let super::State::Made(_) = self.states[index] {
            self.states[index] = super::State::Unknown;
        }
        if self
            .hold(address, content.ty, Filled::CountedSlice, total)
            .is_none()
        {
            return;
        }
        self.share(index, content.owner);
        self.met(content.owner, content.ty, &shared_met(total, true));
        let bytes = self.image.contents(index);
        if word(bytes, 0) == 0 {
            return;
        }
        let Some(values) = bytes.get(COUNTS as usize..(COUNTS + values) as usize) else {
            return;
        };
        match content.text {
            true => self.text(values, content.owner),
            false => self.each(values, len, content),
        }
    }

    fn table(&mut self, ctrl: u64, mask: u64, items: u64, left: u64, content: Content) {
        let size = self.size(content.ty);
        if mask == 0 {
            let met = Met {
                kind: "HashTable",
                len: 0,
                capacity: 0,
                bytes: 0,
                slack: 0,
            };
            self.met(content.owner, content.ty, &met);
            return;
        }
        let buckets = mask.wrapping_add(1);
        let values = buckets.saturating_mul(size).next_multiple_of(GROUP);
        let total = values.saturating_add(buckets).saturating_add(GROUP);
        if !buckets.is_power_of_two() || items > buckets || values > ctrl {
            self.torn += 1;
            return;
        }
        let Some(index) = self.hold(ctrl - values, content.ty, Filled::Table, total) else {
            return;
        };
        let bytes = self.image.contents(index);
        let control = &bytes[values as usize..(values + buckets) as usize];
        let full = control.iter().filter(|c| **c < 0x80).count() as u64;
        if full != items {
            self.torn += 1;
            return;
        }
        let met = Met {
            kind: "HashTable",
            len: items,
            capacity: items + left.min(buckets),
            bytes: total,
            slack: left.min(buckets) * size,
        };
        self.met(content.owner, content.ty, &met);
        let plan = self.plans.element(content.ty, content.owner);
        for (bucket, _) in control.iter().enumerate().filter(|(_, c)| **c < 0x80) {
            let end = (values - bucket as u64 * size) as usize;
            let value = end - size as usize;
            self.todo.push((plan, &bytes[value..end]));
        }
    }

    fn tree(&mut self, root: u64, height: u64, length: u64, leaf: Leaf, owner: Owner) {
        let size = self.size(leaf.ty);
        // Edges lie behind what is a leaf in a node.
        let edges = size.next_multiple_of(8);
        let mut met = Met {
            kind: "BTreeMap",
            len: length,
            capacity: 0,
            bytes: 0,
            slack: 0,
        };
        let entry = self.size(leaf.keys.1) + self.size(leaf.values.1);
        let mut todo = vec![(root, height)];
        while let Some((address, height)) = todo.pop() {
            if address == 0 || height > HIGHEST {
                continue;
            }
            let total = match height {
                0 => size,
                _ => edges + (NODE + 1) * 8,
            };
            let Some(index) = self.node_block(address, leaf.ty, total) else {
                continue;
            };
            let bytes = self.image.contents(index);
            let len = narrow(bytes, leaf.length, 2);
            if len > NODE {
                self.torn += 1;
                continue;
            }
            met.capacity += NODE;
            met.bytes += total;
            met.slack += (NODE - len) * entry;
            self.node(bytes, leaf, owner);
            if height > 0 {
                todo.extend((0..=len).map(|e| (place(bytes, edges + e * 8), height - 1)));
            }
        }
        // The length stays wherever the root went.
        if root == 0 {
            met.len = 0;
        }
        self.met_tree(owner, leaf, &met);
    }

    /// A node's block: its site may have named it, as a leaf or as an inner node.
    fn node_block(&mut self, address: u64, ty: TypeId, total: u64) -> Option<usize> {
        if let Some(index) = self.image.block(address)
            && let super::State::Made(site) = self.states[index]
        {
            let name = &self.program.types[site.ty].name;
            if name.starts_with("alloc::collections::btree::node::") {
                self.states[index] = super::State::Unknown;
            }
        }
        self.hold(address, ty, Filled::One, total)
    }

    fn met_tree(&mut self, owner: Owner, leaf: Leaf, met: &Met) {
        let spare = met.capacity.saturating_sub(met.len);
        *self.spare.entry(leaf.keys.1).or_default() += spare;
        *self.spare.entry(leaf.values.1).or_default() += spare;
        let size = self.size(leaf.keys.1) + self.size(leaf.values.1);
        let count = self.owners.entry(owner).or_default();
        count.containers += 1;
        count.len += met.len;
        count.capacity += met.capacity;
        count.bytes += met.bytes;
        count.slack_bytes += met.slack;
        count.empty += u64::from(met.len == 0);
        count.one += u64::from(met.len == 1);
        count.value_size = size;
        count.kind = met.kind;
    }

    fn node(&mut self, bytes: &'i [u8], leaf: Leaf, owner: Owner) {
        let len = narrow(bytes, leaf.length, 2).min(NODE);
        for (at, ty) in [leaf.keys, leaf.values] {
            let size = self.size(ty);
            let plan = self.plans.element(ty, owner);
            if let Some(values) = bytes.get(at as usize..) {
                self.run(values, len, size, plan);
            }
        }
    }

    fn list(&mut self, head: u64, next: u64, ty: TypeId, owner: Owner) {
        let size = self.size(ty);
        let plan = self.plans.element(ty, owner);
        let (mut at, mut len) = (head, 0);
        while at != 0 {
            if let Some(index) = self.image.block(at)
                && let super::State::Made(_) = self.states[index]
            {
                self.states[index] = super::State::Unknown;
            }
            let Some(index) = self.hold(at, ty, Filled::One, size) else {
                break;
            };
            let bytes = self.image.contents(index);
            self.todo.push((plan, bytes));
            len += 1;
            at = place(bytes, next);
        }
        let met = Met {
            kind: "LinkedList",
            len,
            capacity: len,
            bytes: len * size,
            slack: 0,
        };
        self.met(owner, ty, &met);
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
                let values = buckets
                    .saturating_mul(self.size(content.ty))
                    .next_multiple_of(GROUP);
                ctrl != 0
                    && buckets.is_power_of_two()
                    && place(bytes, items) <= buckets
                    && (mask == 0
                        || ctrl > values
                            && is_block(ctrl - values, values.saturating_add(buckets + GROUP)))
            }
            Container::Dyn(at, table, ..) => {
                let table = place(bytes, table).wrapping_sub(self.bias);
                place(bytes, at) != 0 && self.program.tables.contains_key(&table)
            }
            _ => true,
        }
    }
}

/// A shared block counts once.
fn shared_met(size: u64, first: bool) -> Met {
    Met {
        kind: "Rc",
        len: 1,
        capacity: 1,
        bytes: if first { size } else { 0 },
        slack: 0,
    }
}
