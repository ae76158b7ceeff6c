//! What is under way in a [`Db`], put back as it was where a fault of ours is caught.

use super::assoc::Asked;
use super::lookup;
use super::ty::GArg;
use super::{AtomId, Db, ItemId};
use crate::fault;
use rustc_hash::FxHashSet;

/// Flags, counters and what cycles are found by.
struct UnderWay {
    early: u32,
    opening: u32,
    unguarded: bool,
    as_written: bool,
    evaluating: FxHashSet<(ItemId, Vec<GArg>)>,
    headers: FxHashSet<ItemId>,
    asking: FxHashSet<Asked>,
    looking: lookup::Stack,
    world: Vec<(AtomId, bool)>,
    reads: Vec<AtomId>,
}

impl Db<'_> {
    /// Does some work; `None` if it panics, which is kept. What was under way then goes on as if
    /// the work had not begun.
    pub fn guarded<T>(&self, work: impl Fn() -> String, does: impl FnOnce() -> T) -> Option<T> {
        let before = self.under_way();
        let result = fault::guard(work, does);
        if result.is_none() {
            self.put_back(before);
        }
        result
    }

    fn under_way(&self) -> UnderWay {
        let atoms = self.atoms.borrow();
        UnderWay {
            early: self.early.get(),
            opening: self.opening.get(),
            unguarded: self.unguarded.get(),
            as_written: self.as_written.get(),
            evaluating: self.evaluating.borrow().clone(),
            headers: self.headers.under_way(),
            asking: self.asking.borrow().clone(),
            looking: self.looking.stack(),
            world: atoms.world.clone(),
            reads: atoms.reads.clone(),
        }
    }

    fn put_back(&self, before: UnderWay) {
        self.early.set(before.early);
        self.opening.set(before.opening);
        self.unguarded.set(before.unguarded);
        self.as_written.set(before.as_written);
        *self.evaluating.borrow_mut() = before.evaluating;
        self.headers.put_back(before.headers);
        *self.asking.borrow_mut() = before.asking;
        self.looking.put_back(before.looking);
        let mut atoms = self.atoms.borrow_mut();
        (atoms.world, atoms.reads) = (before.world, before.reads);
    }
}
