//! Parallel iteration on threads with stacks as deep as the main thread's.
//!
//! Not rayon's pool: a worker that blocks on reading files would steal another task in the middle
//! of its own.

use crate::budget;
use parking_lot::Mutex;
use std::thread::{Builder, scope};

/// Maps a list on all threads of the run, each taking `batch` items at a time. Returns the results
/// in the order of the list.
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
            // If a thread cannot be spawned, the others do its work.
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

/// Runs `work` while another thread runs `other`; in a single-threaded run, `other` runs first.
pub fn beside<T>(other: impl FnOnce() + Send, work: impl FnOnce() -> T) -> T {
    if rayon::current_num_threads() < 2 {
        other();
        return work();
    }
    scope(|scope| {
        scope.spawn(other);
        work()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

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
