//! What was found before a trial, to go back to. There is a state for each of millions of blocks,
//! and few different ones: they are kept as numbers.

use super::{Found, State};
use rustc_hash::FxHashMap;

pub(super) struct Before {
    /// Without states.
    found: Found,
    states: Vec<State>,
    /// Of each block, its place in `states`.
    numbers: Vec<u32>,
}

impl Before {
    pub(super) fn of(found: &mut Found) -> Before {
        let all = std::mem::take(&mut found.states);
        let mut states = Vec::new();
        let mut known: FxHashMap<State, u32> = FxHashMap::default();
        let mut number = |state: &State| {
            *known.entry(*state).or_insert_with(|| {
                states.push(*state);
                states.len() as u32 - 1
            })
        };
        let numbers = all.iter().map(&mut number).collect();
        let before = Before {
            found: found.clone(),
            states,
            numbers,
        };
        found.states = all;
        before
    }

    /// What it was, without the memory of both at once.
    pub(super) fn restore(self, found: &mut Found) {
        let mut states = std::mem::take(&mut found.states);
        for (state, number) in states.iter_mut().zip(self.numbers) {
            *state = self.states[number as usize];
        }
        *found = self.found;
        found.states = states;
    }
}
