//! Buffers that no owner in the heap or in a static leads to: variables have them.

use super::{State, Walk};
use crate::census::image::word;
use crate::census::plan::NOBODY;
use crate::census::site::Filled;
use rustc_hash::{FxHashMap, FxHashSet};

impl Walk<'_, '_> {
    /// Reads them as far as a thread's stack says how much is filled; at first only those that
    /// nothing in an unread block points to: what others have is theirs.
    pub(super) fn loose(&mut self, sure: bool, all: bool) {
        let mut unread = Vec::new();
        let mut loose = Vec::new();
        for (index, state) in self.states.iter().enumerate() {
            if let State::Made(site) = state {
                unread.push(index);
                if site.sure == sure && site.filled == Filled::Slice {
                    loose.push(index);
                }
            }
        }
        let address = |index: usize| self.image.blocks[index].address;
        let addresses: FxHashSet<u64> = loose.iter().map(|&index| address(index)).collect();
        let lengths = self.lengths(&addresses);
        let mut pointed: FxHashSet<u64> = FxHashSet::default();
        for &index in &unread {
            let own = address(index);
            let words = self.image.contents(index).chunks_exact(8);
            let words = words.map(|w| word(w, 0));
            pointed.extend(words.filter(|w| *w != own && addresses.contains(w)));
        }
        let (inner, outer): (Vec<usize>, Vec<usize>) = loose
            .iter()
            .partition(|&&index| pointed.contains(&address(index)));
        let inner = inner.into_iter().filter(|_| all);
        for index in outer.into_iter().chain(inner) {
            self.buffer_of_nobody(index, &lengths);
        }
    }

    fn buffer_of_nobody(&mut self, index: usize, lengths: &FxHashMap<u64, Vec<(u64, u64)>>) {
        // Read meanwhile, for an owner in another.
        let State::Made(site) = self.states[index] else {
            return;
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
            *self.unknown_slots.entry(site.ty).or_default() += capacity;
            return;
        };
        self.states[index] = State::Held(site.ty, Filled::Slice);
        *self.spare.entry(site.ty).or_default() += capacity - len;
        for n in 0..len {
            let start = (n * size) as usize;
            self.todo.push((plan, &bytes[start..start + size as usize]));
        }
        self.drain();
    }

    /// Capacity and length beside each pointer to one of these blocks, outside of the heap.
    fn lengths(&self, addresses: &FxHashSet<u64>) -> FxHashMap<u64, Vec<(u64, u64)>> {
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
