//! The per-thread state of queries in progress on a [`Db`], restored after a caught panic.

use super::assoc::{Question, SearchKey};
use super::doubt::Doubting;
use super::heads::Which;
use super::lookup::Looking;
use super::ty::GArg;
use super::ty::Ty;
use super::{AtomId, Db, ItemId, ModId};
use crate::fault;
use rustc_hash::FxHashSet;
use std::cell::{Cell, RefCell};

/// Flags, counters and sets for cycle detection. Per thread: a query of another thread is no cycle.
#[derive(Default)]
pub(super) struct Walk {
    /// Depth of macro path resolution, in which unexpanded macros cannot shadow names.
    pub early: Cell<u32>,
    /// Number of modules being opened: while nonzero, a missing name proves nothing.
    pub opening: Cell<u32>,
    /// True if a lookup in progress skipped the check for unexpanded macros.
    pub unguarded: Cell<bool>,
    /// True if variables of a build script have the values of a run that may not hold any more.
    pub as_last_written: Cell<bool>,
    /// True if projections are not normalized.
    pub as_written: Cell<bool>,
    /// Constants and aliases being evaluated, for cycle detection.
    pub evaluating: RefCell<FxHashSet<(ItemId, Vec<GArg>)>>,
    /// True if a chain of aliases is being resolved.
    pub chained: Cell<bool>,
    /// Headers of `impl`s, for cycle detection.
    pub headers: RefCell<FxHashSet<ItemId>>,
    /// Associated types whose trait is being searched, for cycle detection.
    pub asking: RefCell<FxHashSet<SearchKey>>,
    /// Projections being normalized, for cycle detection.
    pub projecting: RefCell<FxHashSet<Question>>,
    /// Auto traits being decided by fields, for cycle detection.
    pub autos: RefCell<FxHashSet<(Ty, ItemId)>>,
    /// True if a cycle was cut: what follows is valid for the current query only and is not cached.
    pub circled: Cell<bool>,
    /// Globs, and named imports that are asked where they lead, whose path is being resolved, by
    /// address.
    pub globs: RefCell<FxHashSet<usize>>,
    /// Modules whose globs are being indexed.
    pub bringing: RefCell<FxHashSet<ModId>>,
    /// Lists of `impl`s being sorted by head, with the address of the index.
    pub heads: RefCell<FxHashSet<(usize, Which)>>,
    /// Traits and `impl`s whose members are being collected.
    pub members: RefCell<FxHashSet<ItemId>>,
    /// Lookups in progress, for import cycles.
    pub looking: Looking,
    /// Values assumed for open `cfg` atoms.
    pub world: RefCell<Vec<(AtomId, bool)>>,
    /// Assumed atoms that the current query has read.
    pub reads: RefCell<Vec<AtomId>>,
    /// Whether doubts are passed over, and those met.
    pub doubting: Doubting,
}

impl Walk {
    /// Returns true if no query is in progress.
    fn is_at_rest(&self) -> bool {
        let flags = [
            &self.unguarded,
            &self.as_last_written,
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
            && self.autos.borrow().is_empty()
            && self.globs.borrow().is_empty()
            && self.bringing.borrow().is_empty()
            && self.heads.borrow().is_empty()
            && self.looking.is_idle()
            && self.world.borrow().is_empty()
            && self.reads.borrow().is_empty()
    }

    /// Runs `does` as if no query were in progress, but for the modules being opened. Work whose
    /// result is kept for all queries must not depend on the one that happens to need it first.
    pub(super) fn set_apart<T>(&self, does: impl FnOnce() -> T) -> T {
        if self.is_at_rest() {
            return does();
        }
        let aside = Walk {
            doubting: Doubting::strict(),
            ..Walk::default()
        };
        self.put_back(&aside);
        self.opening.set(aside.opening.get());
        let result = does();
        self.put_back(&aside);
        result
    }

    /// Copies the state without cached lookup answers.
    fn copy(&self) -> Walk {
        Walk {
            early: self.early.clone(),
            opening: self.opening.clone(),
            unguarded: self.unguarded.clone(),
            as_last_written: self.as_last_written.clone(),
            as_written: self.as_written.clone(),
            evaluating: self.evaluating.clone(),
            chained: self.chained.clone(),
            headers: self.headers.clone(),
            asking: self.asking.clone(),
            projecting: self.projecting.clone(),
            autos: self.autos.clone(),
            circled: self.circled.clone(),
            globs: self.globs.clone(),
            bringing: self.bringing.clone(),
            heads: self.heads.clone(),
            members: self.members.clone(),
            looking: self.looking.copy(),
            world: self.world.clone(),
            reads: self.reads.clone(),
            doubting: self.doubting.clone(),
        }
    }

    fn put_back(&self, before: &Walk) {
        self.early.swap(&before.early);
        self.opening.swap(&before.opening);
        self.unguarded.swap(&before.unguarded);
        self.as_last_written.swap(&before.as_last_written);
        self.as_written.swap(&before.as_written);
        self.evaluating.swap(&before.evaluating);
        self.chained.swap(&before.chained);
        self.headers.swap(&before.headers);
        self.asking.swap(&before.asking);
        self.projecting.swap(&before.projecting);
        self.autos.swap(&before.autos);
        self.circled.swap(&before.circled);
        self.globs.swap(&before.globs);
        self.bringing.swap(&before.bringing);
        self.heads.swap(&before.heads);
        self.members.swap(&before.members);
        self.looking.put_back(&before.looking);
        self.world.swap(&before.world);
        self.reads.swap(&before.reads);
        self.doubting.swap(&before.doubting);
    }
}

impl Db<'_> {
    /// Runs `does`. Returns `None` if it panics: the panic is recorded and the state of queries in
    /// progress restored.
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
