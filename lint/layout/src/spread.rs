//! Parallel work on threads with stacks as deep as that of the main thread.
//!
//! Rayon's pool is not used: while a worker waits for files, it starts another task in the middle
//! of the current one.

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
