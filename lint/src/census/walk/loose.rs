//! Blocks that no owner in the heap or in a static leads to: variables have them.

use super::arena::Arenas;
use super::contain::GROUP;
use super::{Count, State, Walk, chosen, tag_of};
use crate::census::image::word;
use crate::census::plan::{self, NOBODY, Op, Owner, PlanId};
use crate::census::rules::Container;
use crate::census::site::{Filled, Site};
use crate::census::types::TypeId;
use rustc_hash::{FxHashMap, FxHashSet};

/// How often it is tried to find more.
const PASSES: usize = 4;

/// What a walk has found so far.
struct Found {
    states: Vec<State>,
    counts: Vec<u64>,
    owners: FxHashMap<Owner, Count>,
    spare: FxHashMap<TypeId, u64>,
    torn: u64,
    shares: FxHashMap<usize, u64>,
    shared_by: FxHashMap<usize, Owner>,
    arenas: Arenas,
}

impl Walk<'_, '_> {
    /// Reads blocks of one value of a type of the program: what is in it belongs to its fields,
    /// whoever has it.
    pub(super) fn single(&mut self) {
        for index in self.unread(|walk, site| {
            site.sure
                && site.filled == Filled::One
                && !plan::is_transparent(&walk.program.types[site.ty].name)
        }) {
            self.read_single(index);
        }
    }

    /// Reads what variables have. What is in one block may belong to a field of a value in another,
    /// so all are read on trial first: those that no owner was met of go before the others.
    pub(super) fn loose(&mut self) {
        for _ in 0..PASSES {
            let unread = self.unread_loose();
            if unread.is_empty() {
                break;
            }
            let found = self.found();
            self.owned.clear();
            self.read_loose(&unread);
            let owned = std::mem::take(&mut self.owned);
            self.restore(found);
            let (inner, outer): (Vec<usize>, Vec<usize>) =
                unread.into_iter().partition(|index| owned.contains(index));
            self.read_loose(&outer);
            if outer.is_empty() {
                // They have each other.
                self.read_loose(&inner);
            }
        }
        // What could not be read is room at least.
        for index in self.unread(|_, site| site.sure && site.filled == Filled::Slice) {
            if let State::Made(site) = self.states[index] {
                let size = self.program.types[site.ty].size;
                let slots = self.image.blocks[index].size / size;
                *self.unknown_slots.entry(site.ty).or_default() += slots;
            }
        }
    }

    fn found(&self) -> Found {
        Found {
            states: self.states.clone(),
            counts: self.counts.clone(),
            owners: self.owners.clone(),
            spare: self.spare.clone(),
            torn: self.torn,
            shares: self.shares.clone(),
            shared_by: self.shared_by.clone(),
            arenas: self.arenas.clone(),
        }
    }

    fn restore(&mut self, found: Found) {
        self.states = found.states;
        self.counts = found.counts;
        self.owners = found.owners;
        self.spare = found.spare;
        self.torn = found.torn;
        self.shares = found.shares;
        self.shared_by = found.shared_by;
        self.arenas = found.arenas;
    }

    /// Those whose type is known, the sure ones first, and of these what is known whole.
    fn unread_loose(&self) -> Vec<usize> {
        let mut all = self.unread(|_, site| {
            matches!(site.filled, Filled::Slice)
                || site.sure && matches!(site.filled, Filled::One | Filled::Table)
        });
        all.sort_by_key(|index| match self.states[*index] {
            State::Made(site) if site.sure => u8::from(site.filled == Filled::Slice),
            _ => 2,
        });
        all
    }

    fn unread(&self, is_wanted: impl Fn(&Self, Site) -> bool) -> Vec<usize> {
        let all = self.states.iter().enumerate();
        all.filter(|(index, state)| match state {
            State::Made(site) => {
                let fresh = self.image.blocks[*index].address == self.image.fresh;
                is_wanted(self, *site) && (site.filled == Filled::Slice || !fresh)
            }
            _ => false,
        })
        .map(|(index, _)| index)
        .collect()
    }

    fn read_loose(&mut self, unread: &[usize]) {
        let is_slice = |index: &&usize| matches!(self.states[**index], State::Made(site) if site.filled == Filled::Slice);
        let slices: Vec<usize> = unread.iter().filter(is_slice).copied().collect();
        let lengths = self.lengths(&slices);
        for &index in unread {
            // Some are read meanwhile, for an owner in another.
            let State::Made(site) = self.states[index] else {
                continue;
            };
            match site.filled {
                Filled::One => self.read_single(index),
                Filled::Table => self.read_table(index, site),
                _ => self.buffer_of_nobody(index, &lengths),
            }
        }
    }

    fn read_single(&mut self, index: usize) {
        let State::Made(site) = self.states[index] else {
            return;
        };
        let plan = self.plans.of(site.ty, NOBODY);
        self.states[index] = State::Held(site.ty, Filled::One);
        self.todo.push((plan, self.image.contents(index)));
        self.drain();
    }

    /// Reads a buffer, if it can be known how far.
    fn buffer_of_nobody(&mut self, index: usize, lengths: &FxHashMap<u64, Vec<(u64, u64)>>) {
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
                return;
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

    /// Reads a hash table, whose control bytes alone say what is filled.
    fn read_table(&mut self, index: usize, site: Site) {
        let block = self.image.blocks[index];
        let size = self.size(site.ty);
        let values = |buckets: u64| buckets.saturating_mul(size).next_multiple_of(GROUP);
        let buckets = (0..40)
            .map(|bits| 1 << bits)
            .find(|&buckets| values(buckets) + buckets + GROUP == block.size);
        let Some(buckets) = buckets else {
            return;
        };
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
