//! Work that must happen once, by one thread at a time per crate, and the unfinished part of it.
//!
//! A thread that holds the turn of one crate may request the turn of another. Crate dependencies
//! have no cycles, so these threads cannot deadlock. If a bug of ours creates a cycle, the thread
//! that would close it proceeds with the turn of the thread that it waits for, which is blocked
//! meanwhile.

use super::{CrateIx, ModId, Pending};
use parking_lot::{Condvar, Mutex, MutexGuard};
use std::thread::{self, ThreadId};

/// The turns of all crates.
pub(super) struct Turns<'a> {
    table: Mutex<Table>,
    /// Signalled when a turn ends.
    over: Condvar,
    /// The modules being opened, by crate.
    openings: Vec<Mutex<Opening<'a>>>,
}

#[derive(Default)]
struct Table {
    /// By crate: the thread that holds the turn, and how often it has acquired it.
    turns: Vec<Option<(ThreadId, u32)>>,
    /// Waiting threads, each with the crate whose turn it waits for.
    waiting: Vec<(ThreadId, CrateIx)>,
}

/// The modules of a crate that are being opened, nested in one another.
#[derive(Default)]
pub(super) struct Opening<'a> {
    /// How many are being opened.
    pub(super) depth: u32,
    /// Modules that are read and may still get more names.
    pub(super) read: Vec<ModId>,
    /// Macro calls whose macro was not found yet: its module may not be open yet.
    pub(super) pending: Vec<Pending<'a>>,
}

/// A thread's turn in a crate; dropping it ends the turn.
pub(super) struct Turn<'t, 'a> {
    turns: &'t Turns<'a>,
    krate: CrateIx,
}

impl<'a> Turns<'a> {
    /// Creates the turns of this many crates, held by no thread.
    pub(super) fn new(crates: usize) -> Turns<'a> {
        Turns {
            table: Mutex::new(Table {
                turns: vec![None; crates],
                waiting: Vec::new(),
            }),
            over: Condvar::new(),
            openings: (0..crates).map(|_| Mutex::default()).collect(),
        }
    }

    /// Waits for this thread's turn in a crate; returns at once if the thread already holds it.
    pub(super) fn wait(&self, krate: CrateIx) -> Turn<'_, 'a> {
        let me = thread::current().id();
        let mut table = self.table.lock();
        while !table.takes(me, krate) {
            table.waiting.push((me, krate));
            self.over.wait(&mut table);
            table.waiting.retain(|(thread, _)| *thread != me);
        }
        Turn { turns: self, krate }
    }

    /// Locks the modules being opened in a crate. Only the thread that holds the turn may call
    /// this.
    pub(super) fn opening(&self, krate: CrateIx) -> MutexGuard<'_, Opening<'a>> {
        self.openings[krate as usize].lock()
    }
}

impl Table {
    fn takes(&mut self, me: ThreadId, krate: CrateIx) -> bool {
        match self.turns[krate as usize] {
            Some((other, _)) if other != me && !self.waits_for(other, me) => false,
            Some((owner, times)) => {
                self.turns[krate as usize] = Some((owner, times + 1));
                true
            }
            None => {
                self.turns[krate as usize] = Some((me, 1));
                true
            }
        }
    }

    /// Returns true if a thread waits for the other, directly or through further threads.
    fn waits_for(&self, thread: ThreadId, other: ThreadId) -> bool {
        let mut at = thread;
        // A chain has at most one link per waiting thread.
        for _ in &self.waiting {
            let waits = self.waiting.iter().find(|(t, _)| *t == at);
            match waits.and_then(|(_, krate)| self.turns[*krate as usize]) {
                Some((owner, _)) if owner == other => return true,
                Some((owner, _)) => at = owner,
                None => return false,
            }
        }
        false
    }
}

impl Drop for Turn<'_, '_> {
    fn drop(&mut self) {
        let mut table = self.turns.table.lock();
        let turn = &mut table.turns[self.krate as usize];
        *turn =
            turn.and_then(|(owner, times)| (times > 1).then_some((owner, times.saturating_sub(1))));
        if turn.is_none() && !table.waiting.is_empty() {
            self.turns.over.notify_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicU32, Ordering};

    #[test]
    fn one_thread_at_a_time_as_often_as_it_asks() {
        let turns = Turns::new(2);
        let inside = AtomicU32::new(0);
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..1000 {
                        let _outer = turns.wait(1);
                        let _other = turns.wait(0);
                        let _again = turns.wait(1);
                        assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0);
                        inside.fetch_sub(1, Ordering::SeqCst);
                    }
                });
            }
        });
        assert!(turns.table.lock().turns.iter().all(Option::is_none));
    }

    #[test]
    fn a_circle_is_no_deadlock() {
        let turns = Turns::new(3);
        let all = Barrier::new(3);
        let inside: [AtomicU32; 3] = Default::default();
        thread::scope(|scope| {
            for first in 0..3 {
                let (turns, all, inside) = (&turns, &all, &inside);
                scope.spawn(move || {
                    let _own = turns.wait(first);
                    all.wait();
                    let next = (first + 1) % 3;
                    let _next = turns.wait(next);
                    inside[next as usize].fetch_add(1, Ordering::SeqCst);
                });
            }
        });
        assert!(inside.iter().all(|n| n.load(Ordering::SeqCst) == 1));
        assert!(turns.table.lock().turns.iter().all(Option::is_none));
    }
}
