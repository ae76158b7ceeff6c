//! How the code of the selected crates uses its types: facts that follow from its bodies.

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

use crate::infer::{self, StdMethod, body::Typed, effects::Effect};
use crate::ir::body::Signature;
use crate::name::Name;
use crate::resolve::ty::Ty;
use crate::resolve::{CrateIx, Db, ItemId};
use events::{At, Events};
use rustc_hash::{FxHashMap, FxHashSet};

/// What the bodies of the selected crates say.
pub struct Usage {
    /// Every function, constant and static with its types, by file and place.
    pub bodies: Vec<Typed>,
    /// Where what they name stands in them.
    pub events: Events,
    /// Places in `bodies`.
    by_item: FxHashMap<ItemId, usize>,
    /// Bodies that are none of these, where not all were asked for.
    others: Option<infer::Others>,
}

impl Usage {
    /// Reads every body of the selected crates.
    pub fn read(db: &'static Db<'static>) -> Usage {
        Usage::of(db, infer::read(db))
    }

    /// Reads those bodies of some crates that have one of these words; others are found by what
    /// they are of alone ([`Usage::body`]).
    pub fn read_with_words(
        db: &'static Db<'static>,
        crates: impl Iterator<Item = CrateIx>,
        words: &FxHashSet<&str>,
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

    /// The body of a function, constant or static.
    pub fn body(&self, item: ItemId) -> Option<&Typed> {
        match self.position(item) {
            Some(i) => Some(&self.bodies[i]),
            None => self.others.as_ref()?.body(item),
        }
    }

    /// The value of a function, constant or static.
    pub fn value_of(&self, item: ItemId) -> Option<At> {
        let body = self.position(item)?;
        let expr = self.bodies[body].function.body.value?;
        Some(At { body, expr })
    }

    /// What a method of this name does where it is not known of which type it is; none where every
    /// body was asked for.
    pub fn effect_named(&self, name: Name) -> Option<Effect> {
        Some(self.others.as_ref()?.effect_named(name))
    }

    /// True if neither a list nor a text of std has a method of this name, but another type has.
    pub fn is_elsewhere(&self, name: Name) -> bool {
        let others = self.others.as_ref();
        others.is_some_and(|o| o.is_elsewhere(name))
    }

    /// True if a method of std takes whatever can be lent as a slice, text or path.
    pub fn takes_slices(&self, on: Ty, name: Name) -> bool {
        let others = self.others.as_ref();
        others.is_some_and(|o| o.takes_slices(on, name))
    }

    /// What a function takes and gives, of whatever crate it is; none where every body was asked
    /// for.
    pub fn signature(&self, item: ItemId) -> Option<&'static Signature> {
        self.others.as_ref()?.signature(item)
    }

    /// The method of std of this name that is called on a type.
    pub fn std_method(&self, on: Ty, name: Name) -> Option<StdMethod> {
        self.others.as_ref()?.std_method(on, name)
    }

    /// True if every method of std of this name takes a reference to a slice or text at a place.
    pub fn std_takes_slice(&self, name: Name, index: Option<usize>) -> bool {
        let others = self.others.as_ref();
        others
            .zip(index)
            .is_some_and(|(o, i)| o.std_takes_slice(name, i))
    }

    /// The place in `bodies` of that of a function, constant or static.
    pub fn position(&self, item: ItemId) -> Option<usize> {
        self.by_item.get(&item).copied()
    }
}
