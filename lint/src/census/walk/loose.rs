//! Buffers that no owner in the heap or in a static leads to: variables have them.

use super::{State, Walk};
use crate::census::image::word;
use crate::census::plan::NOBODY;
use crate::census::site::Filled;
use rustc_hash::{FxHashMap, FxHashSet};

/// How often it is tried to find more.
const PASSES: usize = 16;

impl Walk<'_, '_> {
    /// Reads those that nothing in an unread block points to: what others have is theirs.
    pub(super) fn loose(&mut self) {
        // Each pass may free what is within what it has read.
        for _ in 0..PASSES {
            let loose = self.unread();
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
        let loose = self.unread();
        let lengths = self.lengths(&loose);
        for index in loose {
            self.buffer_of_nobody(index, &lengths);
        }
        // What could not be read is room at least.
        for index in self.unread() {
            if let State::Made(site) = self.states[index] {
                let size = self.program.types[site.ty].size;
                let slots = self.image.blocks[index].size / size;
                *self.unknown_slots.entry(site.ty).or_default() += slots;
            }
        }
    }

    fn unread(&self) -> Vec<usize> {
        let all = self.states.iter().enumerate();
        all.filter(|(_, state)| match state {
            State::Made(site) => site.sure && site.filled == Filled::Slice,
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

fn valid_at(
    walk: &Walk<'_, '_>,
    plan: crate::census::plan::PlanId,
    bytes: &[u8],
    n: u64,
    size: u64,
) -> bool {
    let start = (n * size) as usize;
    walk.is_valid(plan, &bytes[start..start + size as usize])
}
