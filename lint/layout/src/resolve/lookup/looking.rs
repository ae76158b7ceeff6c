//! Lookups in progress on one thread: detects import cycles and caches answers within a lookup.
//!
//! Modules that glob-import one another give many paths to one name; each module is searched once.
//! An answer found inside an outer lookup, which it skipped as a cycle, is valid only while that
//! lookup is in progress (Tarjan's strongly connected components).

use crate::name::Name;
use crate::resolve::doubt::{Answers, Rests};
use crate::resolve::{CrateIx, Def, ModId, Ns};
use rustc_hash::FxHashMap;
use std::cell::{Cell, RefCell};
use std::sync::Arc;

/// A name in a module.
type Key = (ModId, Name, Ns);
/// A name in a module as visible from another, and whether unexpanded macros are ignored.
type Seen = (Key, ModId, bool);
/// The same for all modules that see it alike.
type SeenFrom = (Key, Viewer, bool);

/// From which modules a lookup has the same answer: as narrow as the visibilities that it asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Reach {
    /// From all modules of the crate.
    Crate,
    /// From all that have the same innermost module in common with the one that is searched: what
    /// is restricted there is restricted to a module around it.
    Common,
    /// From this module, for all that is known: something elsewhere is restricted.
    Module,
}

/// Modules from which a lookup has the same answer, by [`Reach`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::resolve) enum Viewer {
    Crate(CrateIx),
    Common(ModId),
    Module(ModId),
}

/// The answer of a lookup.
#[derive(Clone)]
pub(super) struct Answer {
    pub(super) def: Option<Def>,
    /// True if no check for unexpanded macros was skipped on the way.
    pub(super) guarded: bool,
    /// From where else it holds.
    pub(super) reach: Reach,
    /// What it depends on.
    pub(super) rests: Arc<Rests>,
}

/// Lookups in progress, with their depth.
type Stack = FxHashMap<Key, usize>;

/// Depends on no lookup in progress.
const NONE: usize = usize::MAX;

/// Answers of lookups that depend on nothing that may still change.
pub(in crate::resolve) type FoundNames = Answers<SeenFrom, Option<Def>>;

/// Lookups in progress and their answers, of one thread.
#[derive(Default)]
pub(in crate::resolve) struct Looking {
    stack: RefCell<Stack>,
    /// Answers, each with the outermost lookup in progress that it depends on.
    answers: RefCell<FxHashMap<Seen, (Answer, usize)>>,
    /// The answers that depend on lookups in progress, each with the outermost one that it or any
    /// before it depends on.
    open: RefCell<Vec<(Seen, usize)>>,
    /// The outermost lookup that the current one depends on so far.
    lowest: Cell<usize>,
    /// Counts changes that may invalidate answers.
    changes: Cell<u64>,
    /// Value of `changes` that the answers are valid for.
    as_of: Cell<u64>,
}

/// A lookup in progress.
pub(super) struct Begun {
    depth: usize,
    open: usize,
    outer: usize,
}

impl Looking {
    /// Returns true if no lookup is in progress.
    pub(in crate::resolve) fn is_idle(&self) -> bool {
        self.stack.borrow().is_empty()
    }

    /// Copies the lookups in progress, without answers.
    pub(in crate::resolve) fn copy(&self) -> Looking {
        Looking {
            stack: self.stack.clone(),
            lowest: self.lowest.clone(),
            ..Looking::default()
        }
    }

    /// Exchanges the lookups in progress with those of `before`, and forgets all answers.
    pub(in crate::resolve) fn put_back(&self, before: &Looking) {
        self.stack.swap(&before.stack);
        self.lowest.swap(&before.lowest);
        self.forget();
    }

    /// Invalidates all answers: names were added, or another value is assumed for an open `cfg`.
    pub(in crate::resolve) fn changed(&self) {
        self.changes.set(self.changes.get() + 1);
    }

    /// Returns a cached answer.
    pub(super) fn answered(&self, seen: Seen) -> Option<Answer> {
        if self.changes.get() != self.as_of.get() {
            self.forget();
            return None;
        }
        let (answer, lowest) = self.answers.borrow().get(&seen)?.clone();
        if lowest != NONE {
            let all = self.open.borrow().last().map_or(lowest, |(_, all)| *all);
            self.rest_on(all);
        }
        Some(answer)
    }

    /// Returns true, and records the dependency, if this lookup is in progress.
    pub(super) fn is_under_way(&self, key: Key) -> bool {
        match self.stack.borrow().get(&key) {
            Some(&depth) => {
                self.rest_on(depth);
                true
            }
            None => false,
        }
    }

    /// Marks the current lookup as dependent on every one in progress.
    pub(in crate::resolve) fn rests_on_all(&self) {
        self.rest_on(0);
    }

    /// Runs `work`; returns its result, and true if that depends on a lookup in progress.
    pub(in crate::resolve) fn resting<T>(&self, work: impl FnOnce() -> T) -> (T, bool) {
        let outer = self.lowest.replace(NONE);
        let result = work();
        let lowest = self.lowest.get();
        self.lowest.set(lowest.min(outer));
        (result, lowest != NONE)
    }

    fn rest_on(&self, depth: usize) {
        self.lowest.set(self.lowest.get().min(depth));
    }

    pub(super) fn begin(&self, key: Key) -> Begun {
        let mut stack = self.stack.borrow_mut();
        let depth = stack.len();
        if depth == 0 {
            self.lowest.set(NONE);
        }
        stack.insert(key, depth);
        Begun {
            depth,
            open: self.open.borrow().len(),
            outer: self.lowest.replace(NONE),
        }
    }

    /// Ends a lookup and caches its answer, if given. Returns the answer if it is final (`lasts`, and
    /// no dependency on a lookup in progress) and worth a place in the shared cache: long import
    /// chains are followed once. That a name is absent is kept for what another module's glob leads
    /// to, such as a prelude: below that there are too many places, and above it once for each.
    pub(super) fn end(
        &self,
        seen: Seen,
        begun: Begun,
        answer: Option<Answer>,
        lasts: bool,
    ) -> Option<Option<Def>> {
        let Begun { depth, open, outer } = begun;
        self.stack.borrow_mut().remove(&seen.0);
        let lowest = self.lowest.get();
        let rests = lowest < depth;
        self.lowest
            .set(outer.min(if rests { lowest } else { NONE }));
        if self.changes.get() != self.as_of.get() {
            self.forget();
        }
        let found = answer
            .as_ref()
            .map(|a| a.def)
            .filter(|def| lasts && !rests && (def.is_some() || depth == 1));
        if depth == 0 {
            self.forget();
            return found;
        }
        let mut list = self.open.borrow_mut();
        let mut answers = self.answers.borrow_mut();
        if !rests {
            // Answers below that skipped this lookup as a cycle.
            let open = open.min(list.len());
            for (inner, _) in list.drain(open..) {
                answers.remove(&inner);
            }
        }
        if let Some(answer) = answer {
            answers.insert(seen, (answer, if rests { lowest } else { NONE }));
            if rests {
                let all = list.last().map_or(lowest, |(_, all)| lowest.min(*all));
                list.push((seen, all));
            }
        }
        found
    }

    fn forget(&self) {
        self.answers.borrow_mut().clear();
        self.open.borrow_mut().clear();
        self.as_of.set(self.changes.get());
    }
}
