//! The state of each block. A heap has millions of blocks and few distinct states, so each block
//! has the index of its state in a list of the distinct ones: 4 bytes in place of 16.

use super::State;
use rustc_hash::FxHashMap;

/// The states of all blocks, in the order of [`Image::blocks`](crate::image::Image).
#[derive(Clone, Debug)]
pub struct States {
    /// Of each block, the index of its state in `distinct`.
    indices: Vec<u32>,
    distinct: Vec<State>,
    index_of: FxHashMap<State, u32>,
}

impl States {
    /// So many blocks of which nothing is known yet.
    pub(super) fn unknown(blocks: usize) -> States {
        States {
            indices: vec![0; blocks],
            distinct: vec![State::Unknown],
            index_of: FxHashMap::from_iter([(State::Unknown, 0)]),
        }
    }

    /// The state of a block.
    pub(super) fn of(&self, block: usize) -> State {
        self.distinct[self.indices[block] as usize]
    }

    /// Gives a block another state.
    pub(super) fn set(&mut self, block: usize, state: State) {
        let next = self.distinct.len() as u32;
        let index = *self.index_of.entry(state).or_insert(next);
        if index == next {
            self.distinct.push(state);
        }
        self.indices[block] = index;
    }

    /// The state of a block, if there is one of that number.
    pub fn get(&self, block: usize) -> Option<State> {
        let at = self.indices.get(block)?;
        Some(self.distinct[*at as usize])
    }

    /// The state of each block.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = State> {
        self.indices.iter().map(|at| self.distinct[*at as usize])
    }

    /// The number of blocks.
    pub(super) fn len(&self) -> usize {
        self.indices.len()
    }
}

impl Default for States {
    fn default() -> States {
        States::unknown(0)
    }
}
