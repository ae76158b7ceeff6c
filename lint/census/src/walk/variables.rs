//! Evidence of variables about buffers: pointers to them on stacks and in statics, and the numbers
//! beside these pointers. It may be stale: a moved value leaves its bytes behind, and optimized
//! code has variables in registers.

use super::contain::place;
use super::{State, Walk};
use crate::image::{Block, word};
use crate::rules::{self, Buffer, Container};
use crate::site::{Filled, Site};
use rustc_hash::FxHashMap;

/// The evidence about a buffer; places count values from its start.
#[derive(Clone, Debug, Default)]
pub(super) struct Evidence {
    /// Lengths of a `Vec` of its capacity, each once, in order.
    pub(super) lengths: Vec<u64>,
    /// The next value and the end of an iterator that has the buffer.
    pub(super) rests: Vec<(u64, u64)>,
    /// The places that pointers lead to, each once, in order.
    pub(super) inside: Vec<u64>,
}

/// Bytes around a pointer that are searched.
const AROUND: u64 = 64;

impl Walk<'_, '_> {
    /// The evidence about buffers without an owner, by their addresses; none about those that no
    /// pointer leads to.
    pub(super) fn evidence(&self) -> FxHashMap<u64, Evidence> {
        let rest = self.rest_places();
        let mut all: FxHashMap<u64, Evidence> = FxHashMap::default();
        for &(start, bytes, _) in &self.image.regions {
            // A value may begin in the page before and end in the next.
            let memory = (start.saturating_sub(AROUND), bytes + 2 * AROUND);
            let memory = self.image.gathered(memory.0, memory.1);
            for at in (AROUND as usize..(AROUND + bytes) as usize).step_by(8) {
                let address = word(&memory, at);
                let Some(index) = self.image.around(address) else {
                    continue;
                };
                let State::Made(Site {
                    ty,
                    filled: Filled::Slice,
                    ..
                }) = self.found.states.of(index)
                else {
                    continue;
                };
                let (
                    Block {
                        address: block,
                        size,
                        ..
                    },
                    value,
                ) = (self.image.blocks[index], self.size(ty));
                let inside = address - block;
                if !inside.is_multiple_of(value) {
                    continue;
                }
                let evidence = all.entry(block).or_default();
                evidence.inside.push(inside / value);
                if inside == 0 {
                    evidence.lengths.extend(lengths(&memory, at, size / value));
                    let rest = rest.as_ref().and_then(|r| rest_at(&memory, at, r));
                    let index = |address: u64| {
                        let inside = address.checked_sub(block).filter(|n| *n <= size)?;
                        inside.is_multiple_of(value).then_some(inside / value)
                    };
                    if let Some((capacity, first, end)) = rest
                        && capacity == size / value
                        && let (Some(first), Some(end)) = (index(first), index(end))
                        && first <= end
                    {
                        evidence.rests.push((first, end));
                    }
                }
            }
        }
        for evidence in all.values_mut() {
            for list in [&mut evidence.lengths, &mut evidence.inside] {
                list.sort_unstable();
                list.dedup();
            }
        }
        all
    }

    /// Places of the fields of a `vec::IntoIter`, the same for every type of its values.
    fn rest_places(&self) -> Option<(Buffer, u64)> {
        let types = &self.program.types;
        types
            .ids()
            .find_map(|ty| match rules::container(types, ty) {
                Some(Container::Rest(buffer, first)) => Some((buffer, first)),
                _ => None,
            })
    }
}

/// The lengths of a `Vec` of so many values, whose fields may lie in any order.
fn lengths(memory: &[u8], at: usize, capacity: u64) -> impl Iterator<Item = u64> {
    let near = |words: isize| word(memory, at.wrapping_add_signed(words * 8));
    let pairs = [(-1, 1), (1, 2), (1, -1), (-2, -1), (-1, -2), (2, 1)];
    let pairs = pairs.map(|(capacity, len)| (near(capacity), near(len)));
    pairs
        .into_iter()
        .filter(move |(found, len)| *found == capacity && *len <= capacity)
        .map(|(_, len)| len)
}

/// The capacity and both pointers of an iterator whose buffer's pointer is there.
fn rest_at(memory: &[u8], at: usize, places: &(Buffer, u64)) -> Option<(u64, u64, u64)> {
    let (buffer, first) = places;
    let start = (at as u64).checked_sub(buffer.pointer)?;
    Some((
        place(memory, start + buffer.capacity),
        place(memory, start + first),
        place(memory, start + buffer.length),
    ))
}
