//! The limits of a run: the depth of each recursion, and the work that one question and all
//! questions together may cost. No other module sets a limit on time or stack.

use crate::memo::Local;
use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};

/// Stack size of each thread that analyses code, in bytes. Types and modules are visited
/// recursively; untouched stack costs only address space.
pub const STACK: usize = 512 << 20;

/// Depth of queries for types, constants and `impl`s that depend on one another. Each level
/// takes a few kilobytes of stack.
pub const QUESTIONS: u32 = 2_000;
/// Depth of types that contain one another by value: the layout of a field is computed while the
/// layout of its owner is in progress.
pub const VALUES: u32 = 256;
/// Depth of a type as a tree of arguments. Recursive walks over types go this deep.
pub const TYPE_DEPTH: u32 = 256;
/// Nodes of a type as a tree. A walk may visit a node once for each of its occurrences.
pub const TYPE_NODES: u32 = 1 << 16;
/// Depth of calls and nested expressions in the evaluation of one constant.
pub const EXPRESSIONS: u32 = 64;
/// Depth of bounds and `impl`s that depend on one another.
pub const IMPLS: u32 = 96;
/// Modules that one name lookup may visit through imports of imports.
pub const IMPORTS: u32 = 20_000;
/// Depth of macro calls in the output of macro calls, unless the crate sets
/// `#![recursion_limit]`.
pub const MACROS: u32 = 128;
/// Depth of outputs of macros within one another, whatever the crate's limit: each takes stack.
pub const MACRO_LEVELS: u32 = 2_048;

/// Size limit of a source file, a manifest or any other file that is read whole, in bytes.
pub const FILE_BYTES: u64 = 1 << 30;

/// Size limit of a source file whose items are read, in bytes. The model of small types takes forty
/// times as much.
pub const SOURCE_BYTES: usize = 64 << 20;

/// Fixed cost of one macro call, in bytes of output: about the memory that its record takes.
pub const COST_OF_CALL: u64 = 512;

/// Cost of each further module or `include!` of a file that is already loaded, and of each item
/// in it, in bytes of output.
pub const COST_OF_MODULE: u64 = 4_096;

/// Cost of each byte of text that is parsed again for what is around it, as that of inner functions
/// and of `cfg_select!`: about the memory that its tokens take.
pub const COST_OF_INNER_TEXT: u64 = 4;

/// Size limit of a string that constant evaluation builds, in bytes.
pub const STRING_BYTES: usize = 1 << 20;

/// Steps of evaluation that a call costs in addition to the steps of its body.
pub const COST_OF_FUNCTION: u32 = 4;

/// Bytes of output that each byte of source adds to the limit of a run: a large workspace with
/// its dependencies has many macros, and which of them find the limit reached is chance.
pub const EXPANSION_OF_SOURCE: u64 = 64;

/// Bytes of output of one macro call, including the calls in its output.
const EXPANSION: Allowance = Allowance {
    free: 1 << 10,
    question: 32 << 20,
    run: 128 << 20,
};

/// Steps of name resolution and `impl` selection for one type.
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

/// Instances of generic types that the analysis of one type may create.
pub const INSTANCES: Allowance = Allowance {
    free: 64,
    question: 20_000,
    run: 300_000,
};

/// Types that contain a type by value at any depth, or that it contains.
pub const HOLDERS: Allowance = Allowance {
    free: 64,
    question: 20_000,
    run: 300_000,
};

/// Types of unknown size whose parts are visited for the lower bound of one size. Each may be an
/// instance of a type that grows, whose layout is given up after [`VALUES`] further instances.
pub const BOUNDS: Allowance = Allowance {
    free: 64,
    question: 256,
    run: 100_000,
};

/// Hypothetical changes of contained types that are evaluated for one type.
pub const CHANGES: Allowance = Allowance {
    free: 4,
    question: 256,
    run: 10_000,
};

/// Limits for one question and for all questions of a run.
#[derive(Clone, Copy, Debug)]
pub struct Allowance {
    /// Amount that each question may always spend, whatever other questions have spent.
    pub free: u64,
    /// Upper limit for one question.
    pub question: u64,
    /// Limit for all questions together, not counting the free amount of each; see also
    /// [`Purse::raise`].
    pub run: u64,
}

/// Counts work against an [`Allowance`].
#[derive(Debug)]
pub struct Purse {
    allowance: Allowance,
    /// Spent by the current question of each thread.
    question: Local<Cell<u64>>,
    run: AtomicU64,
    /// Added to the limit of the run.
    raised: AtomicU64,
}

impl Purse {
    /// A purse with this allowance and nothing spent.
    pub fn new(allowance: Allowance) -> Purse {
        Purse {
            allowance,
            question: Local::default(),
            run: AtomicU64::new(0),
            raised: AtomicU64::new(0),
        }
    }

    /// Adds an amount to the limit of the run.
    pub fn raise(&self, amount: u64) {
        self.raised.fetch_add(amount, Ordering::Relaxed);
    }

    /// Starts the next question, with `spent` counted as already spent.
    pub fn begin(&self, spent: u64) {
        self.question.set(spent);
    }

    /// Spends an amount that belongs to no question; false if the run has not enough left.
    #[must_use]
    pub fn spend_of_run(&self, amount: u64) -> bool {
        self.begin(self.allowance.free);
        self.spend(amount)
    }

    /// Amount that the current question has spent.
    pub fn spent(&self) -> u64 {
        self.question.get()
    }

    /// Spends an amount for the current question; false if there is not enough left.
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
        let run = run.saturating_add(self.raised.load(Ordering::Relaxed));
        // Compared and added in one step, so that threads together stay within the limit.
        let within = |all: u64| all.checked_add(beyond).filter(|all| *all <= run);
        spent <= question
            && self
                .run
                .try_update(Ordering::Relaxed, Ordering::Relaxed, within)
                .is_ok()
    }
}

/// Current depth of a recursion, per thread.
#[derive(Debug)]
pub struct Depth {
    now: Local<Cell<u32>>,
    most: u32,
}

impl Depth {
    /// A recursion with this limit.
    pub fn new(most: u32) -> Depth {
        Depth {
            now: Local::default(),
            most,
        }
    }

    /// Enters one level, which is left when the result is dropped; `None` at the limit.
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

/// One level of a recursion; dropping it leaves the level, also during a panic.
#[derive(Debug)]
pub struct Level<'d> {
    now: &'d Cell<u32>,
    depth: u32,
}

impl Level<'_> {
    /// True for the first level.
    pub fn is_outermost(&self) -> bool {
        self.depth == 0
    }
}

impl Drop for Level<'_> {
    fn drop(&mut self) {
        self.now.set(self.depth);
    }
}

/// Limits for the resolution of names, types, constants and macros.
#[derive(Debug)]
pub struct Budget {
    /// Depth of types, constants and `impl`s that depend on one another.
    pub questions: Depth,
    /// Depth of name lookups through modules that import from one another.
    pub imports: Depth,
    /// Steps of type resolution.
    pub types: Purse,
    /// Steps of constant evaluation.
    pub constants: Purse,
    /// Bytes of macro output, and of text that is parsed more than once.
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
    fn threads_together_stay_within_the_limit_of_a_run() {
        for _ in 0..20 {
            let purse = Purse::new(Allowance {
                free: 0,
                question: u64::MAX,
                run: 10_000,
            });
            let spend = || (0..10_000).filter(|_| purse.spend(1)).count();
            let spent: usize = std::thread::scope(|scope| {
                let threads: Vec<_> = (0..4).map(|_| scope.spawn(spend)).collect();
                threads.into_iter().map(|t| t.join().unwrap()).sum()
            });
            assert_eq!(spent, 10_000);
        }
    }

    #[test]
    fn a_raised_limit_is_that_of_the_run_alone() {
        let purse = Purse::new(Allowance {
            free: 0,
            question: 100,
            run: 100,
        });
        purse.begin(0);
        assert!(purse.spend(100));
        purse.begin(0);
        assert!(!purse.spend(1));
        purse.raise(50);
        purse.begin(0);
        assert!(purse.spend(50) && !purse.spend(1));
        purse.raise(1_000);
        purse.begin(0);
        assert!(!purse.spend(101));
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
