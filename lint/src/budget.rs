//! What a run may spend: how deep each recursion goes, and how much work one question, and all of
//! them together, may cost. No other limit on time or stack stands anywhere else.

use crate::memo::Local;
use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};

/// Stack of each thread that understands code, in bytes. Types and modules are descended
/// recursively; what is not touched costs address space alone.
pub const STACK: usize = 512 << 20;

/// Levels of types, constants and `impl`s that ask for one another. Each takes some kilobytes of
/// the stack.
pub const QUESTIONS: u32 = 2_000;
/// Levels of types by value: a layout below is asked for in the middle of the one above.
pub const VALUES: u32 = 256;
/// Levels of a type as a tree: arguments inside arguments. Walks over types recurse so far.
pub const TYPE_DEPTH: u32 = 256;
/// Nodes of a type as a tree. Walks over types may take each as often as it occurs.
pub const TYPE_NODES: u32 = 1 << 16;
/// Calls and nested expressions inside the evaluation of one constant.
pub const EXPRESSIONS: u32 = 64;
/// Bounds and `impl`s that ask for one another.
pub const IMPLS: u32 = 96;
/// Modules that one name is looked for in, through imports of imports.
pub const IMPORTS: u32 = 20_000;
/// Macro calls in the output of macro calls, unless the crate says `#![recursion_limit]`.
pub const MACROS: u32 = 128;
/// What a crate's own `#![recursion_limit]` may raise that to.
pub const MOST_MACROS: u32 = 2_048;

/// Bytes of a source file, manifest or any other file that is read whole.
pub const FILE_BYTES: u64 = 1 << 30;

/// What one macro call costs whatever it writes, in bytes of output: about what is kept for it.
pub const COST_OF_CALL: u64 = 512;

/// What another module of a file that is one already costs, or another `include!` of it, and each
/// item in it.
pub const COST_OF_MODULE: u64 = 4_096;

/// What a byte costs of a function's text that is read once more for the function around it: so
/// much its tokens take.
pub const COST_OF_INNER_TEXT: u64 = 4;

/// Bytes of a string that constants put together.
pub const STRING_BYTES: usize = 1 << 20;

/// Steps of evaluation that a call costs beside those of what it does.
pub const COST_OF_FUNCTION: u32 = 4;

/// Bytes that one macro call may lead to, the calls in its output included.
const EXPANSION: Allowance = Allowance {
    free: 1 << 10,
    question: 32 << 20,
    run: 128 << 20,
};

/// Steps in which names in one type are followed, and `impl`s tried.
const TYPES: Allowance = Allowance {
    free: 256,
    question: 100_000,
    run: 4_000_000,
};

/// Steps of the evaluation of one constant.
const CONSTANTS: Allowance = Allowance {
    free: 1_000,
    question: 200_000,
    run: 10_000_000,
};

/// Instances of generic types that one type is taken apart to.
pub const INSTANCES: Allowance = Allowance {
    free: 64,
    question: 20_000,
    run: 300_000,
};

/// Types that hold a type by value, at any depth, or that it holds.
pub const HOLDERS: Allowance = Allowance {
    free: 64,
    question: 20_000,
    run: 300_000,
};

/// Changes of types inside a type that are tried for its sake.
pub const CHANGES: Allowance = Allowance {
    free: 4,
    question: 256,
    run: 10_000,
};

/// How much one question may spend, and all of them together.
#[derive(Clone, Copy, Debug)]
pub struct Allowance {
    /// What each question has for itself, however much others have spent.
    pub free: u64,
    /// What one question may spend at the most.
    pub question: u64,
    /// What all questions may spend beyond what is free for each.
    pub run: u64,
}

/// A counter of work against an [`Allowance`].
#[derive(Debug)]
pub struct Purse {
    allowance: Allowance,
    /// Of what each thread asks.
    question: Local<Cell<u64>>,
    run: AtomicU64,
}

impl Purse {
    /// A purse with this in it.
    pub fn new(allowance: Allowance) -> Purse {
        Purse {
            allowance,
            question: Local::default(),
            run: AtomicU64::new(0),
        }
    }

    /// Another question begins, of which so much is spent already.
    pub fn begin(&self, spent: u64) {
        self.question.set(spent);
    }

    /// Spends what belongs to no question.
    #[must_use]
    pub fn spend_of_run(&self, amount: u64) -> bool {
        self.begin(self.allowance.free);
        self.spend(amount)
    }

    /// What the present question has spent.
    pub fn spent(&self) -> u64 {
        self.question.get()
    }

    /// Spends; false if there is not enough left.
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

/// How deep a recursion is at the moment, on each thread.
#[derive(Debug)]
pub struct Depth {
    now: Local<Cell<u32>>,
    most: u32,
}

impl Depth {
    /// A recursion that may go so deep.
    pub fn new(most: u32) -> Depth {
        Depth {
            now: Local::default(),
            most,
        }
    }

    /// One level deeper, for as long as the result lives; `None` if that is too deep.
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

/// A level of a recursion; it ends where this is dropped, in a panic too.
#[derive(Debug)]
pub struct Level<'d> {
    now: &'d Cell<u32>,
    depth: u32,
}

impl Level<'_> {
    /// True if there is none above it.
    pub fn is_outermost(&self) -> bool {
        self.depth == 0
    }
}

impl Drop for Level<'_> {
    fn drop(&mut self) {
        self.now.set(self.depth);
    }
}

/// What the resolution of names, types, constants and macros spends.
#[derive(Debug)]
pub struct Budget {
    /// Types, constants and `impl`s that ask for one another.
    pub questions: Depth,
    /// Names that are looked for in modules that import from one another.
    pub imports: Depth,
    /// Steps for types.
    pub types: Purse,
    /// Steps of constant evaluation.
    pub constants: Purse,
    /// Bytes that macros write, and that are read again for what is inside of something else.
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
