//! Buffers that no owner in the heap or in a static leads to: variables have them.

use super::contain::GROUP;
use super::{State, Walk, chosen, tag_of};
use crate::census::image::word;
use crate::census::plan::{NOBODY, Op, PlanId};
use crate::census::rules::Container;
use crate::census::site::Filled;
use rustc_hash::{FxHashMap, FxHashSet};

/// How often it is tried to find more.
const PASSES: usize = 16;

impl Walk<'_, '_> {
    /// Reads those that nothing in an unread block points to: what others have is theirs.
    pub(super) fn loose(&mut self, sure: bool) {
        // Each pass may free what is within what it has read.
        for _ in 0..PASSES {
            let loose = self.unread(sure);
            let lengths = self.lengths(&loose);
            let address = |index: usize| self.image.blocks[index].address;
            let addresses: FxHashSet<u64> = loose.iter().map(|&index| address(index)).collect();
            let mut pointed: FxHashSet<u64> = FxHashSet::default();
            for (index, state) in self.states.iter().enumerate() {
                if !matches!(state, State::Unknown | State::Made(_)) {
                    continue;
                }
                let own = address(index);
                let words = self.image.contents(index).chunks_exact(8);
                let words = words.map(|w| word(w, 0));
                pointed.extend(words.filter(|w| *w != own && addresses.contains(w)));
            }
            let outer = loose.iter().filter(|i| !pointed.contains(&address(**i)));
            let outer: Vec<usize> = outer.copied().collect();
            let mut any = false;
            for index in outer {
                any |= self.buffer_of_nobody(index, &lengths);
            }
            if !any {
                break;
            }
        }
    }

    /// Reads those that are left: they point to each other, or something does that is no owner.
    pub(super) fn loose_left(&mut self) {
        for sure in [true, false] {
            let loose = self.unread(sure);
            let lengths = self.lengths(&loose);
            for index in loose {
                self.buffer_of_nobody(index, &lengths);
            }
        }
        // What could not be read is room at least.
        for index in self.unread(true) {
            if let State::Made(site) = self.states[index] {
                let size = self.program.types[site.ty].size;
                let slots = self.image.blocks[index].size / size;
                *self.unknown_slots.entry(site.ty).or_default() += slots;
            }
        }
    }

    fn unread(&self, sure: bool) -> Vec<usize> {
        let all = self.states.iter().enumerate();
        all.filter(|(_, state)| match state {
            State::Made(site) => site.sure == sure && site.filled == Filled::Slice,
            _ => false,
        })
        .map(|(index, _)| index)
        .collect()
    }

    /// Reads a buffer, if it can be known how far.
    fn buffer_of_nobody(
        &mut self,
        index: usize,
        lengths: &FxHashMap<u64, Vec<(u64, u64)>>,
    ) -> bool {
        // Read meanwhile, for an owner in another.
        let State::Made(site) = self.states[index] else {
            return false;
        };
        let block = self.image.blocks[index];
        let size = self.program.types[site.ty].size;
        let capacity = block.size / size;
        let plan = self.plans.of(site.ty, NOBODY);
        let bytes = self.image.contents(index);
        let valid = |walk: &Self, len: u64| {
            (0..len).all(|n| {
                let start = (n * size) as usize;
                walk.is_valid(plan, &bytes[start..start + size as usize])
            })
        };
        let mut known: Vec<u64> = lengths
            .get(&block.address)
            .into_iter()
            .flatten()
            .filter(|(found, len)| *found == capacity && *len <= capacity)
            .map(|(_, len)| *len)
            .collect();
        known.sort_unstable();
        known.dedup();
        // Older copies of the variable may be there as well: the one with the most values.
        let len = known.into_iter().rev().find(|&len| valid(self, len));
        if !site.sure {
            // A guess is taken where a variable has the same size of buffer, and where values
            // themselves own blocks of just the sizes that they should have.
            let witnessed = len.is_some_and(|len| {
                (0..len).any(|n| {
                    let start = (n * size) as usize;
                    self.owns(plan, &bytes[start..start + size as usize])
                })
            });
            if !witnessed {
                return false;
            }
        }
        let len = len.or_else(|| {
            let checks = self.plans.list[plan.0 as usize].checks;
            checks.then(|| {
                (0..capacity)
                    .take_while(|&n| valid_at(self, plan, bytes, n, size))
                    .count() as u64
            })
        });
        let Some(len) = len else {
            return false;
        };
        self.states[index] = State::Held(site.ty, Filled::Slice);
        *self.spare.entry(site.ty).or_default() += capacity - len;
        for n in 0..len {
            let start = (n * size) as usize;
            self.todo.push((plan, &bytes[start..start + size as usize]));
        }
        self.drain();
        true
    }

    /// Whether a valid value has a block.
    fn owns(&self, plan: PlanId, bytes: &[u8]) -> bool {
        let ops = self.plans.list[plan.0 as usize].ops.iter();
        ops.into_iter().any(|op| match op {
            Op::Container(container) => match &**container {
                Container::Vec(buffer) => word(bytes, buffer.capacity as usize) > 0,
                Container::Slice(_, length, _) => word(bytes, *length as usize) > 0,
                Container::One(at, ..) => self.image.block(word(bytes, *at as usize)).is_some(),
                _ => false,
            },
            Op::Enum {
                tag,
                bytes: n,
                start,
                variants,
                other,
            } => chosen(variants, *other, tag_of(bytes, *tag, *n), *n).is_some_and(|plan| {
                let bytes = bytes.get(*start as usize..);
                bytes.is_some_and(|bytes| self.owns(plan, bytes))
            }),
            _ => false,
        })
    }

    /// Reads hash tables, whose control bytes alone say what is filled.
    pub(super) fn tables(&mut self) {
        for index in 0..self.states.len() {
            let State::Made(site) = self.states[index] else {
                continue;
            };
            let block = self.image.blocks[index];
            let fresh = block.address == self.image.fresh;
            if site.filled != Filled::Table || !site.sure || fresh {
                continue;
            }
            let size = self.program.types[site.ty].size;
            let values = |buckets: u64| buckets.saturating_mul(size).next_multiple_of(GROUP);
            let buckets = (0..40)
                .map(|bits| 1 << bits)
                .find(|&buckets| values(buckets) + buckets + GROUP == block.size);
            let Some(buckets) = buckets else { continue };
            let (start, bytes) = (values(buckets), self.image.contents(index));
            self.states[index] = State::Held(site.ty, Filled::Table);
            let plan = self.plans.of(site.ty, NOBODY);
            for bucket in 0..buckets {
                let end = (start - bucket * size) as usize;
                let is_full = bytes[(start + bucket) as usize] < 0x80;
                if is_full {
                    self.todo.push((plan, &bytes[end - size as usize..end]));
                } else {
                    *self.spare.entry(site.ty).or_default() += 1;
                }
            }
            self.drain();
        }
    }

    /// Capacity and length beside each pointer to one of these blocks, outside of the heap.
    fn lengths(&self, loose: &[usize]) -> FxHashMap<u64, Vec<(u64, u64)>> {
        let addresses = loose.iter().map(|&index| self.image.blocks[index].address);
        let addresses: FxHashSet<u64> = addresses.collect();
        let mut found: FxHashMap<u64, Vec<(u64, u64)>> = FxHashMap::default();
        for &region in &self.image.regions {
            let (start, bytes, _) = region;
            // A value may begin in the page before and end in the next.
            let around = self.image.gathered(start.saturating_sub(16), bytes + 32);
            for at in (16..16 + bytes as usize).step_by(8) {
                let address = word(&around, at);
                if !addresses.contains(&address) {
                    continue;
                }
                let near = |words: isize| word(&around, at.wrapping_add_signed(words * 8));
                let triples = [(-1, 1), (1, 2), (1, -1), (-2, -1), (-1, -2), (2, 1)];
                let list = found.entry(address).or_default();
                list.extend(triples.map(|(capacity, len)| (near(capacity), near(len))));
            }
        }
        found
    }
}

fn valid_at(walk: &Walk<'_, '_>, plan: PlanId, bytes: &[u8], n: u64, size: u64) -> bool {
    let start = (n * size) as usize;
    walk.is_valid(plan, &bytes[start..start + size as usize])
}
