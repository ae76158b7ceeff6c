//! Hash tables, trees and lists.

use super::contain::{LIST, Met, TABLE, place};
use super::{State, Walk};
use crate::count::Blocks;
use crate::image::narrow;
use crate::malloc;
use crate::plan::{NO_OWNER, Owner};
use crate::rules::linked::Linked;
use crate::rules::{Content, Leaf, NODE};
use crate::site::Filled;
use crate::types::TypeId;

/// Bytes of the two links of a list's node.
const LINKS: u64 = 16;

/// Nodes of a tree at most this far from its leaves.
const HIGHEST: u64 = 32;

impl<'i> Walk<'i, '_> {
    pub(super) fn table(&mut self, ctrl: u64, mask: u64, items: u64, left: u64, content: Content) {
        let size = self.size(content.ty);
        if mask == 0 {
            self.met_values((content.owner, content.ty), TABLE, [0, 0], 0);
            return;
        }
        let buckets = mask.wrapping_add(1);
        let sizes = self.table_sizes(buckets, size);
        let Some((values, total)) = sizes.filter(|(values, _)| items <= buckets && *values <= ctrl)
        else {
            return self.torn();
        };
        let Some(index) = self.hold(
            ctrl - values,
            (content.ty, content.owner),
            Filled::Table,
            total,
        ) else {
            return;
        };
        let bytes = self.image.contents(index);
        let control = &bytes[values as usize..(values + buckets) as usize];
        let full = control.iter().filter(|c| **c < 0x80).count() as u64;
        if full != items {
            return self.torn();
        }
        let met = Met {
            kind: TABLE,
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
            self.push(plan, &bytes[value..end]);
        }
    }

    /// The bytes of a table's values, and of all of it; none of a number of buckets that no table has.
    pub(super) fn table_sizes(&self, buckets: u64, size: u64) -> Option<(u64, u64)> {
        let group = self.program.table_group();
        let values = buckets.checked_mul(size)?.checked_next_multiple_of(group)?;
        let total = values.checked_add(buckets)?.checked_add(group)?;
        buckets.is_power_of_two().then_some((values, total))
    }

    pub(super) fn tree(&mut self, root: u64, height: u64, length: u64, leaf: Leaf, owner: Owner) {
        let size = self.size(leaf.ty);
        // An inner node is a leaf followed by its edges.
        let edges = size.next_multiple_of(8);
        let mut met = Met {
            kind: "BTreeMap",
            len: length,
            capacity: 0,
            bytes: 0,
            slack: 0,
        };
        let mut blocks = Blocks::default();
        let entry = self.size(leaf.keys.1) + self.size(leaf.values.1);
        let (mut todo, mut alone) = (vec![(root, height)], 0);
        while let Some((address, height)) = todo.pop() {
            if address == 0 || height > HIGHEST {
                continue;
            }
            let total = match height {
                0 => size,
                _ => edges + (NODE + 1) * 8,
            };
            let was_read = self.owned(address).filter(|index| {
                matches!(self.found.states.of(*index), State::Held(_, Filled::One, _))
                    && self.image.blocks[*index].size == total
            });
            let ty = match height {
                0 => leaf.ty,
                _ => leaf.inner.unwrap_or(leaf.ty),
            };
            let held = was_read.or_else(|| self.node_block(address, (ty, owner), total));
            let Some(index) = held else {
                continue;
            };
            if was_read.is_some() {
                self.link(index, owner);
            }
            let bytes = self.image.contents(index);
            let len = narrow(bytes, leaf.length, 2);
            if len > NODE {
                self.found.torn += 1;
                continue;
            }
            if height > 0 {
                todo.extend((0..=len).map(|e| (place(bytes, edges + e * 8), height - 1)));
            }
            if was_read.is_some() {
                alone += 1;
                if alone > self.found.states.len() {
                    break;
                }
                continue;
            }
            met.capacity += NODE;
            met.bytes += total;
            blocks += Blocks::one(total);
            met.slack += (NODE - len) * entry;
            self.add_room(ty, owner, (NODE - len) * entry);
            self.count(ty, 1);
            self.node(bytes, leaf, owner);
        }
        // An iterator takes the root and leaves the length.
        if root == 0 {
            met.len = 0;
        }
        self.met_tree(owner, leaf, &met, blocks);
    }

    /// A node's block, which its site may have typed as a leaf or as an inner node.
    fn node_block(&mut self, address: u64, ty: (TypeId, Owner), total: u64) -> Option<usize> {
        if let Some(index) = self.image.block(address)
            && let State::Made(site) = self.found.states.of(index)
        {
            let name = &self.program.types[site.ty].name;
            if name.starts_with("alloc::collections::btree::node::") {
                self.found.states.set(index, State::Unknown);
            }
        }
        self.hold(address, ty, Filled::One, total)
    }

    /// Counts nodes of a container, whose values are read apart: their slots lie in these.
    fn count(&mut self, node: TypeId, number: u64) {
        let plan = self.plans.of(node, NO_OWNER);
        self.room(plan);
        self.found.counts[plan.0 as usize] += number;
    }

    fn met_tree(&mut self, owner: Owner, leaf: Leaf, met: &Met, blocks: Blocks) {
        let spare = met.capacity.saturating_sub(met.len);
        *self.found.spare.entry(leaf.keys.1).or_default() += spare;
        *self.found.spare.entry(leaf.values.1).or_default() += spare;
        let sizes = [leaf.keys, leaf.values].map(|(_, ty)| self.size(ty));
        let size = sizes.iter().sum();
        let count = self.found.owners.entry(owner).or_default();
        count.containers += 1;
        count.len += met.len;
        count.capacity += met.capacity;
        count.bytes += met.bytes;
        count.blocks += blocks;
        if met.len > 0 {
            count.frozen += malloc::block(met.len * pair(sizes));
        }
        count.slack_bytes += met.slack;
        count.empty += u64::from(met.len == 0);
        count.one += u64::from(met.len == 1);
        count.value_size = size;
        count.kind = met.kind;
    }

    pub(super) fn node(&mut self, bytes: &'i [u8], leaf: Leaf, owner: Owner) {
        let len = narrow(bytes, leaf.length, 2).min(NODE);
        for (at, ty) in [leaf.keys, leaf.values] {
            let size = self.size(ty);
            let plan = self.plans.element(ty, owner);
            if let Some(values) = bytes.get(at as usize..) {
                self.run(values, len, size, plan);
            }
        }
    }

    pub(super) fn list(&mut self, head: u64, next: u64, ty: TypeId, owner: Owner) {
        let size = self.size(ty);
        let plan = self.plans.element(ty, owner);
        let (mut at, mut len) = (head, 0);
        let mut alone = 0;
        while at != 0 {
            if let Some(index) = self.owned(at) {
                // It was read before, but the next one may not have been.
                if matches!(self.found.states.of(index), State::Held(held, Filled::One, _) if held == ty)
                    && alone < self.found.states.len()
                {
                    alone += 1;
                    self.link(index, owner);
                    at = place(self.image.contents(index), next);
                    continue;
                }
                if let State::Made(_) = self.found.states.of(index) {
                    self.found.states.set(index, State::Unknown);
                }
            }
            let Some(index) = self.hold(at, (ty, owner), Filled::One, size) else {
                break;
            };
            let bytes = self.image.contents(index);
            self.push(plan, bytes);
            len += 1;
            at = place(bytes, next);
        }
        self.met_values((owner, ty), LIST, [len, len], len * size);
        let element = self.program.types.argument(ty, "T");
        let element = element.map_or(size.saturating_sub(LINKS), |ty| self.size(ty));
        let count = self.found.owners.entry(owner).or_default();
        count.blocks += Blocks {
            number: len,
            bytes: len * malloc::block(size),
        };
        // In one block, without the two links.
        let elements = len * element;
        count.frozen += if len > 0 { malloc::block(elements) } else { 0 };
    }

    /// A map whose entries are nodes of a list. The nodes at the ends have no entry.
    pub(super) fn linked(&mut self, map: &Linked, bytes: &[u8]) {
        let size = self.size(map.node);
        let front = place(bytes, map.front);
        let back = map.back.map_or(front, |back| place(bytes, back));
        let (mut at, mut nodes, mut len) = (front, 0, 0);
        while at != 0 {
            let Some(index) = self.hold(at, (map.node, map.owner), Filled::One, size) else {
                break;
            };
            nodes += 1;
            let bytes = self.image.contents(index);
            if at != front && at != back {
                len += 1;
                for (offset, ty) in map.entry {
                    let plan = self.plans.element(ty, map.owner);
                    if let Some(bytes) = bytes.get(offset as usize..) {
                        self.push(plan, bytes);
                    }
                }
            }
            at = match place(bytes, map.next) {
                next if next == front => 0,
                next => next,
            };
        }
        // Of many blocks, which are added apart.
        self.met_values((map.owner, map.entry[1].1), "LinkedHashMap", [len, len], 0);
        for (_, ty) in map.entry {
            *self.found.spare.entry(ty).or_default() += nodes - len;
        }
        self.met_nodes(map.owner, map.node, nodes);
    }

    /// Adds the nodes of a container, which have a block each and stay as they are.
    pub(super) fn met_nodes(&mut self, owner: Owner, node: TypeId, number: u64) {
        self.count(node, number);
        let size = self.size(node);
        let blocks = Blocks {
            number,
            bytes: number * malloc::block(size),
        };
        let count = self.found.owners.entry(owner).or_default();
        count.bytes += number * size;
        count.blocks += blocks;
        count.frozen += blocks.bytes;
    }
}

/// Bytes of a tuple of two types of these sizes; debug information has no alignments.
fn pair(sizes: [u64; 2]) -> u64 {
    let align = sizes.map(|size| match size {
        0 => 1,
        size => 1 << size.trailing_zeros().min(3),
    });
    let [first, second] = sizes;
    (first + second).next_multiple_of(align[0].max(align[1]))
}

#[cfg(test)]
mod tests {
    use super::pair;
    use crate::dwarf::Program;
    use crate::image::Image;
    use crate::site::Sites;
    use crate::walk::Walk;

    /// A variable that is not initialized yet may have any bytes.
    #[test]
    fn a_table_of_garbage_has_no_size() {
        let (image, program) = (Image::default(), Program::default());
        let walk = Walk::new(&image, &program, &Sites::default(), 0);
        for (buckets, size) in [
            (0, 8),
            (3, 8),
            (1 << 63, 8),
            (1 << 63, 1),
            (1 << 40, 1 << 40),
        ] {
            assert_eq!(walk.table_sizes(buckets, size), None, "{buckets} {size}");
        }
        assert_eq!(walk.table_sizes(4, 24), Some((96, 116)));
    }

    #[test]
    fn entries_are_padded_as_tuples() {
        assert_eq!(
            pair([4, size_of::<u64>() as u64]),
            size_of::<(u32, u64)>() as u64
        );
        assert_eq!(pair([1, 24]), size_of::<(u8, String)>() as u64);
        assert_eq!(pair([2, 1]), size_of::<(u16, bool)>() as u64);
        assert_eq!(pair([12, 0]), size_of::<([u32; 3], ())>() as u64);
    }
}
