//! Parallel work on threads with stacks as deep as that of the main thread.
//!
//! Rayon's pool is not used: while a worker waits for files, it starts another task in the middle
//! of the current one.
//!
//! # Threads
//!
//! All threads share the `Db`, the layouts and the facts that lints use, by these rules:
//!
//! - **Answers** are cached in a `Memo`, which holds no lock while an answer is computed (except
//!   `keep_made`, which computes small values under the lock of their shard). Two threads may
//!   compute the same answer; the first one stored is used.
//! - **The state of queries in progress** (cycles, assumptions about atoms, depths, steps spent,
//!   "what if") is per thread. An answer that depends on a cycle is not cached, because it depends
//!   on where the cycle was entered.
//! - **Modules, members, `impl`s and macro output** of a crate are computed by one thread at a
//!   time (`resolve/turns.rs`). A thread that waits for a crate's turn holds no other lock, and
//!   turns are nested only along dependency edges, which have no cycle. The outermost module of a
//!   crate is opened as if no query were in progress (`Walk::set_apart`): what it contains must
//!   not depend on the query that needs it first. Settled modules are read without a lock, and
//!   files are read and lowered before the turn is taken.
//! - **Facts shared by lints** (`Context`) are computed once: other threads wait for the thread
//!   that started. Lower layers never request them, so a deadlock is impossible. With all lints
//!   enabled, the slowest facts are computed in advance, in parallel.
//! - **While one thread lists the members' types**, another opens the other crates that paths in
//!   the members' bodies go through, with the modules of their globs (`resolve/lookup/globs.rs`),
//!   and stops when the list is complete. Inference would wait for each of them in turn: libc was
//!   a tenth of a run on tokio.
//! - **Lints** that do not depend on other lints run on a few types or bodies at a time, on all
//!   threads. Edits are computed per finding, except for findings of one package that name new
//!   structs: these names are assigned in order.
//! - **While cargo runs**, threads that do not wait for it parse std's declarations and the files,
//!   then the bodies, of the packages that the manifest names (`project/guess`,
//!   `resolve/load::Early`). A wrong guess, such as a module of a feature that is not enabled,
//!   costs time and memory but changes no result: only files that a module needs are opened. The
//!   files that they read count for the cached output of the run, but not for the cached answers
//!   of cargo: `seen::apart` records one thread.
//! - The ids of types, and of items, depend on scheduling, so no output may depend on them.
//! - The threads are not rayon's: rayon's workers start other work while they wait, and ours need
//!   large stacks.

use crate::budget;
use parking_lot::Mutex;
use std::thread::{Builder, scope};

/// Maps a list on as many threads as the run may use; results are in the order of the list. Each
/// thread takes `batch` elements at a time.
pub fn spread<T: Send, R: Send>(
    list: Vec<T>,
    batch: usize,
    work: impl Fn(T) -> R + Sync,
) -> Vec<R> {
    let threads = rayon::current_num_threads().min(list.len().div_ceil(batch));
    if threads < 2 {
        return list.into_iter().map(work).collect();
    }
    let queue = Mutex::new(list.into_iter().enumerate());
    let done = Mutex::new(Vec::new());
    let worker = || {
        loop {
            let taken: Vec<_> = queue.lock().by_ref().take(batch).collect();
            let Some(&(first, _)) = taken.first() else {
                break;
            };
            let results: Vec<R> = taken.into_iter().map(|(_, item)| work(item)).collect();
            done.lock().push((first, results));
        }
    };
    scope(|scope| {
        for _ in 1..threads {
            // Without memory for another stack, the threads that exist do the work.
            let _ = Builder::new()
                .stack_size(budget::STACK)
                .spawn_scoped(scope, worker);
        }
        worker();
    });
    let mut done = done.into_inner();
    done.sort_unstable_by_key(|(first, _)| *first);
    done.into_iter().flat_map(|(_, results)| results).collect()
}

/// Runs two closures in parallel, or one after the other if no thread can be started.
pub fn beside<T>(other: impl FnOnce() + Send, work: impl FnOnce() -> T) -> T {
    if rayon::current_num_threads() < 2 {
        other();
        return work();
    }
    // Taken by the thread that runs it: a closure given to a thread that does not start is lost.
    let other = Mutex::new(Some(other));
    let run = || {
        let taken = other.lock().take();
        if let Some(other) = taken {
            other();
        }
    };
    scope(|scope| {
        let thread = Builder::new()
            .stack_size(budget::STACK)
            .spawn_scoped(scope, run);
        if thread.is_err() {
            run();
        }
        work()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_closures_have_a_deep_stack() {
        // Far more than the 2 MiB of a thread of std.
        fn descend(n: u32) -> u64 {
            let block = std::hint::black_box([u64::from(n); 512]);
            if n == 0 {
                0
            } else {
                descend(n - 1) + block[511]
            }
        }
        let work = || descend(4_000);
        let mut other = 0;
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2);
        let pool = pool.stack_size(budget::STACK).build().unwrap();
        let own = pool.install(|| beside(|| other = work(), work));
        assert_eq!(own, other);
    }

    #[test]
    fn results_are_in_the_order_of_the_list() {
        let list: Vec<u32> = (0..1000).collect();
        let slow_first = |n: u32| {
            if n.is_multiple_of(64) {
                std::thread::sleep(std::time::Duration::from_millis(1));
            }
            n * 2
        };
        let doubled = spread(list.clone(), 7, slow_first);
        assert!(doubled.iter().copied().eq(list.iter().map(|n| n * 2)));
    }
}
