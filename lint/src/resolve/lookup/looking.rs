//! Lookups under way: where imports lead in a circle, and what was answered on the way.
//!
//! Modules that import everything from one another are many ways to one name: each module is asked
//! once. An answer that was found while a lookup above was under way, and left that one out as a
//! circle, holds as long as that one is under way (the strongly connected components of Tarjan).

use crate::memo::Memo;
use crate::name::Name;
use crate::resolve::{Def, ModId, Ns};
use rustc_hash::FxHashMap;
use std::cell::{Cell, RefCell};

/// A name in a module.
type Key = (ModId, Name, Ns);
/// A name in a module as seen from another, and whether macros count that are not expanded.
type Seen = (Key, ModId, bool);

/// What was answered.
#[derive(Clone, Copy)]
pub(super) struct Answer {
    pub(super) def: Option<Def>,
    /// Macros that are not expanded could have had no say in it.
    pub(super) guarded: bool,
}

/// Lookups under way, with the number of those above.
type Stack = FxHashMap<Key, usize>;

/// Rests on no lookup that is under way.
const NONE: usize = usize::MAX;

/// Names that were found and rest on nothing that may still change.
pub(in crate::resolve) type FoundNames = Memo<Seen, Def>;

/// Lookups under way and their answers, of one thread.
#[derive(Default)]
pub(in crate::resolve) struct Looking {
    stack: RefCell<Stack>,
    /// What was answered, and the outermost lookup under way that it rests on.
    answers: RefCell<FxHashMap<Seen, (Answer, usize)>>,
    /// Those of the answers that rest on lookups under way, each with the outermost that it and
    /// those before it rest on.
    open: RefCell<Vec<(Seen, usize)>>,
    /// The outermost lookup that the present one rests on so far.
    lowest: Cell<usize>,
    /// Counts what may change answers.
    changes: Cell<u64>,
    /// What `changes` was when the answers were kept.
    as_of: Cell<u64>,
}

/// A lookup that has begun.
pub(super) struct Begun {
    depth: usize,
    open: usize,
    outer: usize,
}

impl Looking {
    /// True if no lookup is under way.
    pub(in crate::resolve) fn is_idle(&self) -> bool {
        self.stack.borrow().is_empty()
    }

    /// The lookups under way, without answers.
    pub(in crate::resolve) fn copy(&self) -> Looking {
        Looking {
            stack: self.stack.clone(),
            ..Looking::default()
        }
    }

    /// Only these are under way, whatever has begun since.
    pub(in crate::resolve) fn put_back(&self, before: &Looking) {
        self.stack.swap(&before.stack);
        self.forget();
    }

    /// Names were added, or an open `cfg` is decided otherwise: answers so far are void.
    pub(in crate::resolve) fn changed(&self) {
        self.changes.set(self.changes.get() + 1);
    }

    /// What was answered already.
    pub(super) fn answered(&self, seen: Seen) -> Option<Answer> {
        if self.changes.get() != self.as_of.get() {
            self.forget();
            return None;
        }
        let (answer, lowest) = *self.answers.borrow().get(&seen)?;
        if lowest != NONE {
            let all = self.open.borrow().last().map_or(lowest, |(_, all)| *all);
            self.rest_on(all);
        }
        Some(answer)
    }

    /// True, and noted, if this is being looked for.
    pub(super) fn is_under_way(&self, key: Key) -> bool {
        match self.stack.borrow().get(&key) {
            Some(&depth) => {
                self.rest_on(depth);
                true
            }
            None => false,
        }
    }

    /// The present lookup rests on each that is under way.
    pub(super) fn rests_on_all(&self) {
        self.rest_on(0);
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

    /// A lookup has ended with this answer, if it is one to keep.
    /// What `lasts` is known whatever else is read, and given back to be kept for all: long chains
    /// of imports are followed once.
    pub(super) fn end(
        &self,
        seen: Seen,
        begun: Begun,
        answer: Option<Answer>,
        lasts: bool,
    ) -> Option<Def> {
        let Begun { depth, open, outer } = begun;
        self.stack.borrow_mut().remove(&seen.0);
        let lowest = self.lowest.get();
        let rests = lowest < depth;
        self.lowest
            .set(outer.min(if rests { lowest } else { NONE }));
        if self.changes.get() != self.as_of.get() {
            self.forget();
        }
        let found = answer.and_then(|a| a.def).filter(|_| lasts && !rests);
        if depth == 0 {
            self.forget();
            return found;
        }
        let mut list = self.open.borrow_mut();
        let mut answers = self.answers.borrow_mut();
        if !rests {
            // Answers below that left this one out as a circle.
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
