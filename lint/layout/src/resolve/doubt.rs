//! Doubts: what an unread macro may do and hardly ever does. An answer either fails at a doubt, or
//! supposes that the macro is as most are, and says so.
//!
//! A thread answers in one of two ways at a time. Answers that met no doubt are the same in both
//! ways and are shared; the others are kept apart, so that nothing supposed is ever taken for
//! certain.
//!
//! # Assumed sizes
//!
//! `resolve/doubt`: where only an unread macro or a build of uncertain age is in doubt, an answer
//! meets a *doubt*. A thread either fails there, or supposes the usual (a derive adds no name, an
//! attribute leaves its item, the last run still holds) and records it. Both ways share the
//! answers that met no doubt; the others are cached by the way in which they were given. A size is
//! exact only if it was found without supposing; one that is found by supposing alone is assumed.
//! Lints suppose; a finding that they would not have otherwise is marked. Modules, members and
//! indexes, which are the same for all queries, are made without supposing. Of macros in
//! `resolve/attrs/known.tsv` nothing is supposed: the table says what they leave and add, and
//! `.ci/slow macros` expands samples of its rows with rustc.

use super::{AtomId, Db, Res, Unknown};
use crate::memo::Memo;
use rustc_hash::FxHashMap;
use std::borrow::Borrow;
use std::cell::{Cell, RefCell};
use std::hash::Hash;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What is supposed of a macro, as an index into its words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DoubtId(u32);

/// A doubt at which an answer failed: its words are those of the failure.
const FAILED: DoubtId = DoubtId(u32::MAX);

/// What was supposed so far, and what threads do unless they are told otherwise.
#[derive(Default)]
pub(super) struct Doubts {
    words: parking_lot::RwLock<Words>,
    by_default: AtomicBool,
}

#[derive(Default)]
struct Words {
    ids: FxHashMap<Arc<str>, DoubtId>,
    list: Vec<Arc<str>>,
}

impl Doubts {
    fn id(&self, words: Arc<str>) -> DoubtId {
        if let Some(id) = self.words.read().ids.get(&words) {
            return *id;
        }
        let mut all = self.words.write();
        let next = DoubtId(all.list.len() as u32);
        let id = *all.ids.entry(words.clone()).or_insert(next);
        if id == next {
            all.list.push(words);
        }
        id
    }
}

/// The state of a thread: the way in which it answers, and the doubts that the current query met.
#[derive(Clone, Default)]
pub(super) struct Doubting {
    /// Whether it supposes; `None`: as the run does.
    way: Cell<Option<bool>>,
    met: RefCell<Vec<DoubtId>>,
}

impl Doubting {
    /// The state of work whose result is kept for all: it supposes nothing.
    pub fn strict() -> Doubting {
        Doubting {
            way: Cell::new(Some(false)),
            met: RefCell::default(),
        }
    }

    pub fn swap(&self, other: &Doubting) {
        self.way.swap(&other.way);
        self.met.swap(&other.met);
    }

    fn meet(&self, doubts: &[DoubtId]) {
        if doubts.is_empty() {
            return;
        }
        let mut met = self.met.borrow_mut();
        for doubt in doubts {
            if !met.contains(doubt) {
                met.push(*doubt);
            }
        }
    }
}

/// What an answer depends on besides the source: values of open `cfg`s, and doubts.
#[derive(Clone, Debug, Default)]
pub struct Rests {
    /// The values of open `cfg`s.
    pub cfgs: Vec<(AtomId, bool)>,
    doubts: Box<[DoubtId]>,
    supposed: bool,
}

impl Rests {
    /// Returns true if the answer is the same whatever is assumed.
    pub fn is_empty(&self) -> bool {
        self.cfgs.is_empty() && self.doubts.is_empty()
    }
}

impl<'a> Db<'a> {
    /// Meets a doubt: fails for this reason, or goes on if this thread supposes. `supposed` says of
    /// what, as a clause: "derive `X` adds no name".
    pub(super) fn doubt(
        &self,
        supposed: impl FnOnce() -> Arc<str>,
        why: impl FnOnce() -> Unknown,
    ) -> Res<()> {
        match self.is_supposing() {
            true => {
                self.walk.doubting.meet(&[self.doubts.id(supposed())]);
                Ok(())
            }
            false => {
                self.walk.doubting.meet(&[FAILED]);
                Err(why())
            }
        }
    }

    /// Returns true if this thread supposes; never while a module is opened, for all queries.
    fn is_supposing(&self) -> bool {
        let by_default = || self.doubts.by_default.load(Ordering::Relaxed);
        self.walk.opening.get() == 0 && self.walk.doubting.way.get().unwrap_or_else(by_default)
    }

    /// Sets what threads do unless they are told otherwise.
    pub fn suppose_by_default(&self, supposes: bool) {
        self.doubts.by_default.store(supposes, Ordering::Relaxed);
        self.walk.looking.changed();
    }

    /// Runs `f` supposing that unread macros are as most are; returns what that was needed for.
    pub fn supposing<T>(&self, f: impl FnOnce() -> T) -> (T, Vec<String>) {
        let (result, rests) = self.in_way(true, || self.recording(f));
        let words = self.doubts.words.read();
        let said = rests.doubts.iter();
        let mut list: Vec<String> = said
            .filter_map(|id| Some(words.list.get(id.0 as usize)?.to_string()))
            .collect();
        list.sort_unstable();
        (result, list)
    }

    /// Runs `f` supposing nothing. The doubts that it met are not those of the current query.
    pub fn strictly<T>(&self, f: impl FnOnce() -> T) -> T {
        let outer = self.walk.doubting.met.take();
        let result = self.in_way(false, f);
        self.walk.doubting.met.replace(outer);
        result
    }

    fn in_way<T>(&self, supposes: bool, f: impl FnOnce() -> T) -> T {
        let before = self.is_supposing();
        let outer = self.walk.doubting.way.replace(Some(supposes));
        if before != supposes {
            self.walk.looking.changed();
        }
        let result = f();
        self.walk.doubting.way.set(outer);
        if before != supposes {
            self.walk.looking.changed();
        }
        result
    }

    /// Runs `f` and returns what its answer depends on.
    pub fn recording<T>(&self, f: impl FnOnce() -> T) -> (T, Rests) {
        let walk = &*self.walk;
        let outer = (walk.reads.take(), walk.doubting.met.take());
        let result = f();
        let reads = walk.reads.replace(outer.0);
        let met = walk.doubting.met.replace(outer.1);
        let world = walk.world.borrow();
        let cfgs = world.iter().filter(|(a, _)| reads.contains(a));
        let rests = Rests {
            cfgs: cfgs.copied().collect(),
            doubts: met.into(),
            supposed: self.is_supposing(),
        };
        drop(world);
        self.note_reads(&rests);
        (result, rests)
    }

    /// Returns true if an answer that depends on these is one to give now.
    pub fn agrees(&self, rests: &Rests) -> bool {
        let world = self.walk.world.borrow();
        rests.cfgs.iter().all(|r| world.contains(r))
            && (rests.doubts.is_empty() || rests.supposed == self.is_supposing())
    }

    /// Records that a cached answer depends on these.
    pub fn note_reads(&self, rests: &Rests) {
        self.note_cfgs(&rests.cfgs);
        self.walk.doubting.meet(&rests.doubts);
    }
}

/// Memoized answers that depend on no open `cfg`; those that met a doubt, by the way in which they
/// were given.
pub(crate) struct Answers<K, V> {
    sure: Memo<K, V>,
    doubted: [Memo<K, (V, Rests)>; 2],
}

impl<K, V> Default for Answers<K, V> {
    fn default() -> Answers<K, V> {
        Answers {
            sure: Memo::default(),
            doubted: Default::default(),
        }
    }
}

impl<K: Hash + Eq, V: Clone> Answers<K, V> {
    /// Returns the stored answer, and records what it depends on.
    pub fn get<Q: Hash + Eq + ?Sized>(&self, db: &Db, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        if let Some(value) = self.sure.get(key) {
            return Some(value);
        }
        let (value, rests) = self.doubted[usize::from(db.is_supposing())].get(key)?;
        db.note_reads(&rests);
        Some(value)
    }

    /// Stores an answer unless there is one or an open `cfg` decides; returns the stored one.
    pub fn keep(&self, key: K, value: V, rests: &Rests) -> V {
        if rests.is_empty() {
            return self.sure.keep(key, value);
        }
        if !rests.cfgs.is_empty() {
            return value;
        }
        let way = usize::from(rests.supposed);
        self.doubted[way].keep(key, (value, rests.clone())).0
    }
}
