//! What is known of each block. There are millions of these and few different states, so they are
//! kept as numbers.

use super::State;
use rustc_hash::FxHashMap;

/// The states of all blocks.
#[derive(Clone, Debug)]
pub struct States {
    /// Of each block, its place in `different`.
    numbers: Vec<u32>,
    different: Vec<State>,
    places: FxHashMap<State, u32>,
}

impl States {
    pub(super) fn unknown(blocks: usize) -> States {
        States {
            numbers: vec![0; blocks],
            different: vec![State::Unknown],
            places: FxHashMap::from_iter([(State::Unknown, 0)]),
        }
    }

    /// Of the block at this place.
    pub(super) fn of(&self, index: usize) -> State {
        self.different[self.numbers[index] as usize]
    }

    pub(super) fn set(&mut self, index: usize, state: State) {
        let next = self.different.len() as u32;
        let place = *self.places.entry(state).or_insert(next);
        if place == next {
            self.different.push(state);
        }
        self.numbers[index] = place;
    }

    /// Those of all blocks, in the order of these.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = State> {
        self.numbers.iter().map(|n| self.different[*n as usize])
    }

    pub(super) fn len(&self) -> usize {
        self.numbers.len()
    }
}

impl Default for States {
    fn default() -> States {
        States::unknown(0)
    }
}
