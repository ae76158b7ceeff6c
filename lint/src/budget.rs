//! The limits of a run: the depth of each recursion, and the work per query and in total. Every
//! limit on time or stack is defined here.

use crate::memo::Local;
use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};

/// Stack size of each analysis thread, in bytes. Types and modules are walked recursively;
/// untouched pages cost only address space.
pub const STACK: usize = 512 << 20;

/// Depth of mutually recursive queries for types, constants and `impl`s. Each level takes a few
/// kilobytes of stack.
pub const QUESTIONS: u32 = 2_000;
/// Depth of types nested by value: computing a layout recurses into the layouts of its fields.
pub const VALUES: u32 = 256;
/// Depth of a type as a tree of generic arguments. Walks over types recurse to this depth.
pub const TYPE_DEPTH: u32 = 256;
/// Nodes of a type as a tree. Walks over types may visit a shared node once per occurrence.
pub const TYPE_NODES: u32 = 1 << 16;
/// Depth of calls and nested expressions in the evaluation of one constant.
pub const EXPRESSIONS: u32 = 64;
/// Depth of mutually recursive bounds and `impl`s.
pub const IMPLS: u32 = 96;
/// Modules searched for one name through chains of imports.
pub const IMPORTS: u32 = 20_000;
/// Depth of nested macro expansion, unless the crate sets `#![recursion_limit]`.
pub const MACROS: u32 = 128;
/// The highest `#![recursion_limit]` that is honoured.
pub const MOST_MACROS: u32 = 2_048;

/// Maximum size in bytes of a source file, manifest or any other file that is read whole.
pub const FILE_BYTES: u64 = 1 << 30;

/// Base cost of a macro call in bytes of output: about the memory that its expansion retains.
pub const COST_OF_CALL: u64 = 512;

/// Cost of loading a file again as another module or by another `include!`, and of each item in
/// it.
pub const COST_OF_MODULE: u64 = 4_096;

/// Cost per byte of a function's text that is lexed again for the enclosing function: the size of
/// its tokens.
pub const COST_OF_INNER_TEXT: u64 = 4;

/// Maximum length in bytes of a string built by constant evaluation.
pub const STRING_BYTES: usize = 1 << 20;

/// Evaluation steps charged for a call, besides those of its body.
pub const COST_OF_FUNCTION: u32 = 4;

/// Bytes of output of one macro call, including nested calls.
const EXPANSION: Allowance = Allowance {
    free: 1 << 10,
    question: 32 << 20,
    run: 128 << 20,
};

/// Steps of resolving the names in one type and of matching `impl`s.
const TYPES: Allowance = Allowance {
    free: 256,
    question: 100_000,
    run: 4_000_000,
};

/// Steps of evaluating one constant.
const CONSTANTS: Allowance = Allowance {
    free: 1_000,
    question: 200_000,
    run: 10_000_000,
};

/// Instances of generic types reachable from one type.
pub const INSTANCES: Allowance = Allowance {
    free: 64,
    question: 20_000,
    run: 300_000,
};

/// Types that contain a type by value, or that it contains, at any depth.
pub const HOLDERS: Allowance = Allowance {
    free: 64,
    question: 20_000,
    run: 300_000,
};

/// Changes to contained types that are tried to shrink one type.
pub const CHANGES: Allowance = Allowance {
    free: 4,
    question: 256,
    run: 10_000,
};

/// The work allowed per query and per run.
#[derive(Clone, Copy, Debug)]
pub struct Allowance {
    /// Guaranteed to each query, whatever others have spent.
    pub free: u64,
    /// The maximum of one query.
    pub question: u64,
    /// The maximum of all queries, not counting the free part of each.
    pub run: u64,
}

/// A counter of work against an [`Allowance`].
#[derive(Debug)]
pub struct Purse {
    allowance: Allowance,
    /// Spent by the current query of each thread.
    question: Local<Cell<u64>>,
    run: AtomicU64,
}

impl Purse {
    /// Creates a counter with nothing spent.
    pub fn new(allowance: Allowance) -> Purse {
        Purse {
            allowance,
            question: Local::default(),
            run: AtomicU64::new(0),
        }
    }

    /// Starts a query that has already spent `spent`.
    pub fn begin(&self, spent: u64) {
        self.question.set(spent);
    }

    /// Spends from the run's allowance, for work that belongs to no query.
    #[must_use]
    pub fn spend_of_run(&self, amount: u64) -> bool {
        self.begin(self.allowance.free);
        self.spend(amount)
    }

    /// Returns the amount that the current query has spent.
    pub fn spent(&self) -> u64 {
        self.question.get()
    }

    /// Spends `amount`; returns false if the allowance is exceeded.
    #[must_use]
    pub fn spend(&self, amount: u64) -> bool {
        let Allowance {
            free,
            question,
            run,
        } = self.allowance;
        let own = &*self.question;
        let spent = own.get().saturating_add(amount);
        own.set(spent);
        let beyond = amount.min(spent.saturating_sub(free));
        if beyond == 0 {
            return true;
        }
        let all = self.run.load(Ordering::Relaxed).saturating_add(beyond);
        if spent > question || all > run {
            return false;
        }
        self.run.fetch_add(beyond, Ordering::Relaxed);
        true
    }
}

/// The current depth of a recursion, per thread.
#[derive(Debug)]
pub struct Depth {
    now: Local<Cell<u32>>,
    most: u32,
}

impl Depth {
    /// Creates a counter with a maximum depth.
    pub fn new(most: u32) -> Depth {
        Depth {
            now: Local::default(),
            most,
        }
    }

    /// Enters a level until the guard is dropped; `None` if that exceeds the maximum.
    #[must_use]
    pub fn enter(&self) -> Option<Level<'_>> {
        let now = &*self.now;
        let depth = now.get();
        if depth >= self.most {
            return None;
        }
        now.set(depth + 1);
        Some(Level { now, depth })
    }
}

/// The guard of a recursion level; dropping it leaves the level, also on unwinding.
#[derive(Debug)]
pub struct Level<'d> {
    now: &'d Cell<u32>,
    depth: u32,
}

impl Level<'_> {
    /// Returns true for the first level.
    pub fn is_outermost(&self) -> bool {
        self.depth == 0
    }
}

impl Drop for Level<'_> {
    fn drop(&mut self) {
        self.now.set(self.depth);
    }
}

/// The budgets for resolving names, types, constants and macros.
#[derive(Debug)]
pub struct Budget {
    /// Depth of mutually recursive queries for types, constants and `impl`s.
    pub questions: Depth,
    /// Depth of name lookups through modules that import from one another.
    pub imports: Depth,
    /// Steps of type resolution.
    pub types: Purse,
    /// Steps of constant evaluation.
    pub constants: Purse,
    /// Bytes of macro output, and of text lexed again for an enclosing item.
    pub expansion: Purse,
}

impl Default for Budget {
    fn default() -> Budget {
        Budget {
            questions: Depth::new(QUESTIONS),
            imports: Depth::new(IMPORTS),
            types: Purse::new(TYPES),
            constants: Purse::new(CONSTANTS),
            expansion: Purse::new(EXPANSION),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_ends_and_leaves_the_next_its_own() {
        let purse = Purse::new(Allowance {
            free: 10,
            question: 100,
            run: 150,
        });
        assert!(purse.spend(100));
        assert!(!purse.spend(1));
        purse.begin(0);
        assert!(purse.spend(70));
        assert!(!purse.spend(1), "the run has nothing left");
        purse.begin(0);
        assert!(purse.spend(10), "what is free is there always");
        assert!(!purse.spend(1));
    }

    #[test]
    fn a_level_ends_where_it_is_dropped() {
        let depth = Depth::new(2);
        let first = depth.enter();
        assert!(first.as_ref().is_some_and(Level::is_outermost));
        {
            let second = depth.enter();
            assert!(second.is_some() && depth.enter().is_none());
        }
        assert!(depth.enter().is_some_and(|l| !l.is_outermost()));
    }
}
