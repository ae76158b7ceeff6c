//! What one thread is doing in a [`Db`], put back as it was where a fault of ours is caught.

use super::assoc::{Asked, Question};
use super::heads::Which;
use super::lookup::Looking;
use super::ty::GArg;
use super::{AtomId, Db, ItemId, ModId};
use crate::fault;
use rustc_hash::FxHashSet;
use std::cell::{Cell, RefCell};

/// Flags, counters and what cycles are found by. Each thread has its own: a question that another
/// is asking is no cycle.
#[derive(Default)]
pub(super) struct Walk {
    /// Paths of macros being resolved: no macro that is not expanded can hide what they name.
    pub early: Cell<u32>,
    /// Modules being opened: while there are any, a name not found proves nothing.
    pub opening: Cell<u32>,
    /// A lookup under way was answered without looking at macros that are not expanded.
    pub unguarded: Cell<bool>,
    /// Projections are left as written.
    pub as_written: Cell<bool>,
    /// Constants and aliases, to end cycles.
    pub evaluating: RefCell<FxHashSet<(ItemId, Vec<GArg>)>>,
    /// Aliases that are but names of others are being followed.
    pub chained: Cell<bool>,
    /// Headers of `impl`s, to end cycles.
    pub headers: RefCell<FxHashSet<ItemId>>,
    /// Associated types whose trait is being looked for, to end cycles.
    pub asking: RefCell<FxHashSet<Asked>>,
    /// Associated types that are asked of `impl`s, to end cycles.
    pub projecting: RefCell<FxHashSet<Question>>,
    /// Something was answered as a cycle: what follows from it holds for whoever asks now, and for
    /// nobody else.
    pub circled: Cell<bool>,
    /// Globs whose path is followed, by their address.
    pub globs: RefCell<FxHashSet<usize>>,
    /// Modules whose globs are sorted by what they bring.
    pub bringing: RefCell<FxHashSet<ModId>>,
    /// Lists of `impl`s that are sorted by head, with the address of the index.
    pub heads: RefCell<FxHashSet<(usize, Which)>>,
    /// Traits and `impl`s whose members are collected.
    pub members: RefCell<FxHashSet<ItemId>>,
    /// Lookups, to end cycles of imports.
    pub looking: Looking,
    /// What is assumed of open `cfg`s.
    pub world: RefCell<Vec<(AtomId, bool)>>,
    /// Assumed atoms that the question under way has looked at.
    pub reads: RefCell<Vec<AtomId>>,
}

impl Walk {
    /// True if nothing is under way.
    fn is_at_rest(&self) -> bool {
        let flags = [
            &self.unguarded,
            &self.as_written,
            &self.chained,
            &self.circled,
        ];
        let items = [&self.headers, &self.members];
        self.early.get() == 0
            && self.opening.get() == 0
            && flags.iter().all(|flag| !flag.get())
            && items.iter().all(|set| set.borrow().is_empty())
            && self.evaluating.borrow().is_empty()
            && self.asking.borrow().is_empty()
            && self.projecting.borrow().is_empty()
            && self.globs.borrow().is_empty()
            && self.bringing.borrow().is_empty()
            && self.heads.borrow().is_empty()
            && self.looking.is_idle()
            && self.world.borrow().is_empty()
            && self.reads.borrow().is_empty()
    }

    /// As it is now; what was answered on the way is left out.
    fn copy(&self) -> Walk {
        Walk {
            early: self.early.clone(),
            opening: self.opening.clone(),
            unguarded: self.unguarded.clone(),
            as_written: self.as_written.clone(),
            evaluating: self.evaluating.clone(),
            chained: self.chained.clone(),
            headers: self.headers.clone(),
            asking: self.asking.clone(),
            projecting: self.projecting.clone(),
            circled: self.circled.clone(),
            globs: self.globs.clone(),
            bringing: self.bringing.clone(),
            heads: self.heads.clone(),
            members: self.members.clone(),
            looking: self.looking.copy(),
            world: self.world.clone(),
            reads: self.reads.clone(),
        }
    }

    fn put_back(&self, before: &Walk) {
        self.early.swap(&before.early);
        self.opening.swap(&before.opening);
        self.unguarded.swap(&before.unguarded);
        self.as_written.swap(&before.as_written);
        self.evaluating.swap(&before.evaluating);
        self.chained.swap(&before.chained);
        self.headers.swap(&before.headers);
        self.asking.swap(&before.asking);
        self.projecting.swap(&before.projecting);
        self.circled.swap(&before.circled);
        self.globs.swap(&before.globs);
        self.bringing.swap(&before.bringing);
        self.heads.swap(&before.heads);
        self.members.swap(&before.members);
        self.looking.put_back(&before.looking);
        self.world.swap(&before.world);
        self.reads.swap(&before.reads);
    }
}

impl Db<'_> {
    /// Does some work; `None` if it panics, which is kept. What was under way then goes on as if
    /// the work had not begun.
    pub fn guarded<T>(&self, work: impl Fn() -> String, does: impl FnOnce() -> T) -> Option<T> {
        let walk = &*self.walk;
        let before = (!walk.is_at_rest()).then(|| walk.copy());
        let result = fault::guard(work, does);
        if result.is_none() {
            walk.put_back(&before.unwrap_or_default());
        }
        result
    }
}
