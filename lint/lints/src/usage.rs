//! How the selected crates use their types: facts derived from function bodies.

pub mod boxes;
pub mod buffers;
pub mod clones;
pub mod events;
pub mod fields;
pub mod lifecycle;
pub mod linked_lists;
pub mod loops;
pub mod moves;
pub mod numbers;
pub mod stores;
pub mod strings;
pub mod value_use;
pub mod variants;
pub mod vectors;

#[cfg(test)]
mod tests;

pub use crate::infer::{body, types};

use crate::infer::{self, StdMethod, body::Typed, effects::Effect, marks::Mark};
use crate::ir::body::Signature;
use crate::name::Name;
use crate::resolve::ty::Ty;
use crate::resolve::{CrateIx, Db, ItemId};
use crate::wanted_words::WantedWords;
use events::{At, Events};
use rustc_hash::{FxHashMap, FxHashSet};

/// The bodies of the selected crates, analysed.
pub struct Usage {
    /// Every function, constant and static with its types, by file and position.
    pub bodies: Vec<Typed>,
    /// Where the bodies name fields, variables and functions.
    pub events: Events,
    /// Indices into `bodies`.
    by_item: FxHashMap<ItemId, usize>,
    /// Bodies outside of `bodies`, if not all were read.
    others: Option<infer::Others>,
}

impl Usage {
    /// Reads every body of the selected crates.
    pub fn read(db: &'static Db<'static>) -> Usage {
        Usage::of(db, infer::read(db))
    }

    /// Reads those bodies of some crates that contain one of these words; others are read one at a
    /// time, on demand ([`Usage::body`]).
    pub fn read_with_words(
        db: &'static Db<'static>,
        crates: impl Iterator<Item = CrateIx>,
        words: &WantedWords,
    ) -> Usage {
        let (bodies, others) = infer::read_with_words(db, crates, words);
        Usage {
            others: Some(others),
            ..Usage::of(db, bodies)
        }
    }

    fn of(db: &'static Db<'static>, bodies: Vec<Typed>) -> Usage {
        let by_item = bodies.iter().enumerate();
        let by_item = by_item.map(|(i, b)| (b.function.item, i)).collect();
        let events = Events::find(db, &bodies);
        Usage {
            bodies,
            events,
            by_item,
            others: None,
        }
    }

    /// Returns the body of a function, constant or static.
    pub fn body(&self, item: ItemId) -> Option<&Typed> {
        match self.position(item) {
            Some(i) => Some(&self.bodies[i]),
            None => self.others.as_ref()?.body(item),
        }
    }

    /// Returns the value of a function, constant or static.
    pub fn value_of(&self, item: ItemId) -> Option<At> {
        let body = self.position(item)?;
        let expr = self.bodies[body].function.body.value?;
        Some(At { body, expr })
    }

    /// Returns true for a function that calls itself, directly or through others.
    pub fn calls_itself(&self, item: ItemId) -> bool {
        let (mut seen, mut rest) = (FxHashSet::default(), vec![item]);
        while let Some(called) = rest.pop() {
            let calls = self.events.calls.of(&called).iter();
            let callers = calls.map(|at| self.bodies[at.body].function.item);
            rest.extend(callers.filter(|caller| seen.insert(*caller)));
        }
        seen.contains(&item)
    }

    /// Returns the effect of a method of this name on a receiver of unknown type; `None` if every
    /// body was read.
    pub fn effect_named(&self, name: Name) -> Option<Effect> {
        Some(self.others.as_ref()?.members.effect_named(name, 0))
    }

    /// Returns true if std declares this of a method or function of this name.
    pub fn is_marked(&self, name: Name, mark: Mark) -> bool {
        let others = self.others.as_ref();
        others.is_some_and(|o| o.members.marks.has(name, mark))
    }

    /// Returns true if std declares a method of this name, but not for collections, slices or
    /// strings.
    pub fn is_elsewhere(&self, name: Name) -> bool {
        let others = self.others.as_ref();
        others.is_some_and(|o| o.members.is_elsewhere(name))
    }

    /// Returns true if a method of std accepts anything that can be borrowed as a slice, string or
    /// path.
    pub fn takes_slices(&self, on: Ty, name: Name) -> bool {
        let others = self.others.as_ref();
        others.is_some_and(|o| o.members.takes_slices(on, name))
    }

    /// Returns the signature of a function of any crate; `None` if every body was read.
    pub fn signature(&self, item: ItemId) -> Option<&'static Signature> {
        self.others.as_ref()?.members.signature(item)
    }

    /// Returns the method of std of this name that is called on a type.
    pub fn std_method(&self, on: Ty, name: Name) -> Option<StdMethod> {
        self.others.as_ref()?.std_method(on, name)
    }

    /// Returns true if every method of std of this name has a reference to a slice or string as the
    /// argument at this index.
    pub fn std_takes_slice(&self, name: Name, index: Option<usize>) -> bool {
        let others = self.others.as_ref();
        others
            .zip(index)
            .is_some_and(|(o, i)| o.members.std_takes_slice(name, i))
    }

    /// Returns the index into `bodies` of a function, constant or static.
    pub fn position(&self, item: ItemId) -> Option<usize> {
        self.by_item.get(&item).copied()
    }
}
