//! Records which blocks are live, and the stack that allocated each. The header before a block has
//! the index of its entry in a table, so no search is needed.
//!
//! The tables are sharded by thread, each behind a lock that is held for a few instructions. They
//! are mapped from the kernel and never unmapped.

use super::processor;
use super::{before, dump, sys};
use crate::protocol::{DATA_AT, DONE, LABELS_AT, answer, failure, word};
use core::cell::UnsafeCell;
use core::hint::spin_loop;
use core::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use core::sync::atomic::{AtomicI64, AtomicU8};

/// Bytes before each block: its requested size, then a tag with the index of its entry.
pub(crate) const HEADER: usize = 16;

/// Part of the tag that identifies a header.
const MAGIC: u64 = 0x5ee1;

const SHARDS: usize = 16;
/// Entries per chunk, 16 bytes each, and chunks per shard: 64 million blocks.
const CHUNK: usize = 1 << 16;
const CHUNKS: usize = 1 << 10;

/// Maximum number of innermost frames per stack: enough to leave std in an unoptimized build.
const FRAMES: usize = 24;
/// Capacity of the table of distinct stacks, and of the pool of their frames.
const STACKS: usize = 1 << 20;
const POOL: usize = 1 << 24;

/// Maximum distance between two frames of a stack, in bytes.
const FARTHEST: usize = 1 << 20;

/// Maximum number of threads per shard whose stacks are searched.
const THREADS: usize = 64;

const UNKNOWN: u8 = 0;
const OFF: u8 = 1;
const ON: u8 = 2;

static STATE: AtomicU8 = AtomicU8::new(UNKNOWN);

/// The request in the environment variable.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Count only: the peak, and the live bytes at each label.
    Count,
    /// Take a census once this many bytes are live.
    Peak(u64),
    /// Copy the process at each new high; the last copy writes the census.
    Once,
    /// Take a census when the label is reached for the n-th time.
    Label(u64),
    /// Take a census when the program exits normally.
    Exit,
    /// Take one whenever `cargo weigh` asks for it.
    Now,
}

/// A file that is shared with `cargo weigh`.
pub(crate) struct Place {
    pub(crate) fd: usize,
    /// Its path, NUL-terminated, and its identity.
    path: [u8; 256],
    identity: [u64; 2],
    /// Address of its words.
    words: usize,
}

impl Place {
    const NONE: Place = Place {
        fd: 0,
        path: [0; 256],
        identity: [0; 2],
        words: 0,
    };

    fn open(&mut self, path: &[u8]) -> Option<()> {
        // One byte is left for the NUL.
        if path.len() >= self.path.len() {
            return None;
        }
        self.path[..path.len()].copy_from_slice(path);
        self.fd = sys::open(&self.path, true)?;
        self.identity = sys::identity(self.fd)?;
        self.words = sys::share(self.fd, DATA_AT);
        (self.words != 0).then_some(())
    }

    /// Returns the file, opened again where the program has closed it.
    pub(crate) fn file(&self) -> Option<usize> {
        let is_it = |fd: &usize| sys::identity(*fd) == Some(self.identity);
        Some(self.fd)
            .filter(is_it)
            .or_else(|| sys::open(&self.path, true).filter(is_it))
    }

    /// Returns a word that is shared. Only of a file that was opened.
    pub(crate) fn word(&self, index: usize) -> &'static AtomicU64 {
        // SAFETY: the first `DATA_AT` bytes of the file stay mapped, aligned to a page.
        unsafe { &*((self.words + index * 8) as *const AtomicU64) }
    }
}

/// Settings that are determined once, at the first allocation, while there is a single thread.
pub(crate) struct Plan {
    pub(crate) mode: Mode,
    pub(crate) label: [u8; 256],
    pub(crate) label_len: usize,
    main: Place,
    /// For censuses on request, if there are any.
    asked: Place,
    pub(crate) pid: usize,
    /// Bytes of a page of the kernel.
    pub(crate) page: usize,
    pub(crate) first_thread: usize,
    pub(crate) stack_end: usize,
    stack_start: usize,
    keys: usize,
    places: usize,
    pool: usize,
    /// Blocks and bytes that each stack has allocated.
    made: usize,
    /// What is read before a copy.
    pub(crate) before: usize,
}

struct Once(UnsafeCell<Plan>);
// SAFETY: written by a single thread before `STATE` becomes `ON`, and only read afterwards.
unsafe impl Sync for Once {}

static PLAN: Once = Once(UnsafeCell::new(Plan {
    mode: Mode::Count,
    label: [0; 256],
    label_len: 0,
    main: Place::NONE,
    asked: Place::NONE,
    pid: 0,
    page: 0,
    first_thread: 0,
    stack_end: 0,
    stack_start: 0,
    keys: 0,
    places: 0,
    pool: 0,
    made: 0,
    before: 0,
}));

/// Returns the settings. Valid only if [`is_on`].
pub(crate) fn plan() -> &'static Plan {
    // SAFETY: `STATE` is `ON`, so there are no further writes.
    unsafe { &*PLAN.0.get() }
}

/// Returns a word shared with `cargo weigh`.
pub(crate) fn shared(index: usize) -> &'static AtomicU64 {
    plan().main.word(index)
}

/// A live block, or a link of the free list.
#[repr(C)]
pub(crate) struct Entry {
    /// The block's address; 0 if free.
    pub(crate) address: usize,
    /// The index of the stack; in a free entry, the next free entry plus one.
    pub(crate) stack: u32,
    _unused: u32,
}

pub(crate) struct Table {
    chunks: [usize; CHUNKS],
    /// Number of entries ever used.
    pub(crate) used: u32,
    /// The first free entry plus one; 0 if there is none.
    free: u32,
    /// Change of live bytes since `LIVE` was last updated.
    pending: i64,
    events: u64,
    last_thread: usize,
    pub(crate) threads: [usize; THREADS],
}

impl Table {
    /// Returns the entry at an index below `used`.
    pub(crate) fn entry(&self, index: u32) -> *mut Entry {
        let chunk = self.chunks[index as usize / CHUNK] as *mut Entry;
        // SAFETY: `index < used`, so its chunk is mapped with `CHUNK` entries.
        unsafe { chunk.add(index as usize % CHUNK) }
    }

    /// Takes a free entry; `None` if the table is full.
    fn take(&mut self) -> Option<u32> {
        if self.free != 0 {
            let index = self.free - 1;
            // SAFETY: the entry exists, and the shard's lock is held.
            self.free = unsafe { (*self.entry(index)).stack };
            return Some(index);
        }
        let index = self.used;
        let chunk = index as usize / CHUNK;
        if chunk == CHUNKS {
            return None;
        }
        if self.chunks[chunk] == 0 {
            self.chunks[chunk] = sys::reserve(CHUNK * size_of::<Entry>());
            if self.chunks[chunk] == 0 {
                return None;
            }
        }
        self.used += 1;
        Some(index)
    }
}

pub(crate) struct Shard {
    locked: AtomicBool,
    table: UnsafeCell<Table>,
}

// SAFETY: `table` is accessed only with the lock held.
unsafe impl Sync for Shard {}

pub(crate) static SHARD: [Shard; SHARDS] = [const {
    Shard {
        locked: AtomicBool::new(false),
        table: UnsafeCell::new(Table {
            chunks: [0; CHUNKS],
            used: 0,
            free: 0,
            pending: 0,
            events: 0,
            last_thread: 0,
            threads: [0; THREADS],
        }),
    }
}; SHARDS];

impl Shard {
    /// Locks the shard. Returns `None` in a process created by `fork`: the thread that held the
    /// lock does not exist there, and nothing is recorded.
    #[allow(
        clippy::mut_from_ref,
        reason = "the lock makes it the only reference until `unlock`"
    )]
    fn lock(&self) -> Option<&mut Table> {
        let mut turns = 0u32;
        while self
            .locked
            .compare_exchange_weak(false, true, Ordering::Acquire, Ordering::Relaxed)
            .is_err()
        {
            turns += 1;
            if turns.is_multiple_of(1 << 10) {
                if sys::pid() != plan().pid {
                    return None;
                }
                sys::sleep(0);
            }
            spin_loop();
        }
        // SAFETY: the lock is held, so this is the only reference.
        Some(unsafe { &mut *self.table.get() })
    }

    fn unlock(&self) {
        self.locked.store(false, Ordering::Release);
    }

    /// Returns the table of a shard whose lock is held, which includes the copied process.
    pub(crate) fn held(&self) -> &Table {
        // SAFETY: the lock is held.
        unsafe { &*self.table.get() }
    }
}

static LIVE: AtomicI64 = AtomicI64::new(0);
static PEAK: AtomicU64 = AtomicU64::new(0);
/// The peak last written to the shared file.
static TOLD: AtomicU64 = AtomicU64::new(0);
static TAKEN: AtomicBool = AtomicBool::new(false);
static MET: AtomicU64 = AtomicU64::new(0);
static KEPT_COPY: AtomicUsize = AtomicUsize::new(0);
static KEPT_LIVE: AtomicU64 = AtomicU64::new(0);
static NEXT_FRAME: AtomicUsize = AtomicUsize::new(1);
/// A thread waits for an answer.
static ASKING: AtomicBool = AtomicBool::new(false);

/// Returns true if allocations are recorded. The first call with a readable environment decides.
#[inline(always)]
pub(crate) fn is_on() -> bool {
    match STATE.load(Ordering::Relaxed) {
        OFF => false,
        ON => true,
        _ => decide(),
    }
}

/// Returns the bytes of a NUL-terminated string.
///
/// # Safety
/// The string is NUL-terminated and does not change.
unsafe fn text<'t>(start: *const u8) -> &'t [u8] {
    let mut n = 0;
    // SAFETY: the caller guarantees a terminator.
    while unsafe { *start.add(n) } != 0 {
        n += 1;
    }
    // SAFETY: these bytes were read above.
    unsafe { core::slice::from_raw_parts(start, n) }
}

/// Returns the value of an environment variable.
fn variable(name: &[u8]) -> Option<&'static [u8]> {
    // SAFETY: libc keeps a null-terminated list of strings here; at the first allocation there is a
    // single thread, so nothing changes it.
    unsafe {
        let mut at = sys::environment();
        while !at.is_null() && !(*at).is_null() {
            let line = text(*at);
            if line.len() > name.len() && line.starts_with(name) && line[name.len()] == b'=' {
                return Some(&line[name.len() + 1..]);
            }
            at = at.add(1);
        }
    }
    None
}

#[cold]
#[inline(never)]
fn decide() -> bool {
    // The dynamic linker allocates before libc is initialized; those blocks have no header.
    if sys::environment().is_null() {
        return false;
    }
    let on = variable(b"WEIGH_CENSUS").is_some_and(|value| prepare(value).is_some());
    STATE.store(if on { ON } else { OFF }, Ordering::Release);
    on
}

fn number(text: &[u8]) -> u64 {
    text.iter().filter(|b| b.is_ascii_digit()).fold(0, |n, b| {
        n.wrapping_mul(10).wrapping_add(u64::from(b - b'0'))
    })
}

/// Parses the request: lines of `key=value`.
fn prepare(value: &[u8]) -> Option<()> {
    // SAFETY: there is a single thread, and nothing reads before `STATE` is `ON`.
    let plan = unsafe { &mut *PLAN.0.get() };
    let (mut file, mut asked): (&[u8], &[u8]) = (&[], &[]);
    let mut nth = 1;
    for line in value.split(|&b| b == b'\n') {
        let at = line.iter().position(|&b| b == b'=')?;
        let (key, value) = (&line[..at], &line[at + 1..]);
        match key {
            b"file" => file = value,
            b"asked" => asked = value,
            b"nth" => nth = number(value),
            b"count" => plan.mode = Mode::Count,
            b"peak" => plan.mode = Mode::Peak(number(value)),
            b"once" => plan.mode = Mode::Once,
            b"exit" => plan.mode = Mode::Exit,
            b"now" => plan.mode = Mode::Now,
            b"label" => {
                plan.label_len = value.len().min(plan.label.len());
                plan.label[..plan.label_len].copy_from_slice(&value[..plan.label_len]);
                plan.mode = Mode::Label(nth);
            }
            // Another program inherited the environment from this one or from a shell.
            b"exe" => {
                let mut buffer = [0u8; 4096];
                if sys::program(&mut buffer) != value {
                    return None;
                }
            }
            _ => {}
        }
    }
    if let Mode::Label(n) = &mut plan.mode {
        *n = nth;
    }
    plan.main.open(file)?;
    if !asked.is_empty() {
        plan.asked.open(asked)?;
    }
    plan.pid = sys::pid();
    plan.page = sys::page();
    plan.first_thread = sys::thread();
    plan.stack_end = sys::stack_end();
    plan.stack_start = plan.stack_end.saturating_sub(sys::stack_limit());
    plan.keys = sys::reserve(STACKS * 8);
    plan.places = sys::reserve(STACKS * 4);
    plan.pool = sys::reserve(POOL * 8);
    plan.made = sys::reserve(STACKS * 16);
    plan.before = sys::reserve(before::BYTES);
    if [plan.keys, plan.places, plan.pool, plan.made, plan.before].contains(&0) {
        return None;
    }
    sys::at_end(super::end);
    // Only the first process of this program records, not its children.
    plan.main
        .word(word::CLAIMED)
        .compare_exchange(0, plan.pid as u64, Ordering::AcqRel, Ordering::Relaxed)
        .ok()?;
    if plan.mode == Mode::Now && sys::start(serve) {
        plan.asked
            .word(word::CLAIMED)
            .store(plan.pid as u64, Ordering::Release);
    }
    Some(())
}

/// How often a request is looked for, in milliseconds.
const POLL: usize = 20;

/// Takes a census whenever `cargo weigh` asks for one, in a thread that only the kernel knows of: the
/// program's own signals never reach it.
extern "C" fn serve() -> ! {
    // The settings are complete once this is so.
    while STATE.load(Ordering::Acquire) != ON {
        sys::sleep(POLL);
    }
    let asked = &plan().asked;
    let mut last = 0;
    loop {
        sys::sleep(POLL);
        let wanted = asked.word(word::ASK).load(Ordering::Acquire);
        if wanted == last {
            continue;
        }
        last = wanted;
        // An earlier copy may have written since this was asked for.
        for word in [word::STATE, word::FAILED, word::COPY] {
            asked.word(word).store(0, Ordering::Relaxed);
        }
        if let Some(copy) = copied(b"now", [0; 3], asked, None) {
            sys::reap(copy);
        }
        asked.word(word::TURN).store(wanted, Ordering::Release);
    }
}

/// Returns the number of bytes before a block for its header.
pub(crate) fn header(align: usize) -> usize {
    align.max(HEADER)
}

/// Returns the two words before a block.
fn words(block: *mut u8) -> *mut u64 {
    block.wrapping_sub(HEADER).cast()
}

/// Returns the requested size of a block and the number of bytes before it, if it has a header.
///
/// # Safety
/// The 16 bytes before `block` are readable.
pub(crate) unsafe fn look(block: *mut u8) -> Option<(usize, usize)> {
    // SAFETY: the caller guarantees that they are readable; `malloc` aligns to 16.
    let (size, tag) = unsafe { (*words(block), *words(block).add(1)) };
    // The tag depends on the address, so that other data is not taken for a header.
    (tag >> 48 == MAGIC ^ (block as u64 >> 4 & 0xffff))
        .then(|| (size as usize, 1usize << (tag >> 40 & 63)))
}

/// Adds the header and the entry of a block.
///
/// # Safety
/// `block` is new, and the `header(align)` bytes before it belong to it.
#[inline(always)]
pub(crate) unsafe fn made(block: *mut u8, size: usize, align: usize, frame: usize) {
    let thread = sys::thread();
    let number = number_of(thread);
    let stack = stack_of(thread, frame);
    if stack != 0 {
        let [blocks, bytes] = made_by(stack);
        blocks.fetch_add(1, Ordering::Relaxed);
        bytes.fetch_add(size as u64, Ordering::Relaxed);
    }
    let shard = &SHARD[number];
    let Some(table) = shard.lock() else {
        // SAFETY: same contract as this function's.
        return unsafe { mark(block, size, align, number, u32::MAX) };
    };
    remember(table, thread);
    let index = match plan().mode {
        Mode::Count => None,
        _ => table.take(),
    };
    if let Some(index) = index {
        // SAFETY: the entry exists, and the lock is held.
        unsafe {
            let entry = table.entry(index);
            (*entry).address = block as usize;
            (*entry).stack = stack;
        }
    }
    // SAFETY: same contract as this function's.
    unsafe { mark(block, size, align, number, index.unwrap_or(u32::MAX)) };
    let live = account(table, size as i64);
    shard.unlock();
    if live > 0 {
        higher(live, block as usize);
    }
}

/// Writes the header of a block.
///
/// # Safety
/// The `header(align)` bytes before `block` belong to it.
unsafe fn mark(block: *mut u8, size: usize, align: usize, shard: usize, index: u32) {
    let shift = u64::from(header(align).trailing_zeros());
    let magic = MAGIC ^ (block as u64 >> 4 & 0xffff);
    let tag = magic << 48 | shift << 40 | (shard as u64) << 32 | u64::from(index);
    // SAFETY: the bytes belong to the block, which is aligned to 16.
    unsafe {
        *words(block) = size as u64;
        *words(block).add(1) = tag;
    }
}

/// Removes the entry of a block; returns the same as [`look`].
///
/// # Safety
/// The 16 bytes before `block` are readable.
#[inline(always)]
pub(crate) unsafe fn gone(block: *mut u8) -> Option<(usize, usize)> {
    // SAFETY: same contract as this function's.
    let (size, before) = unsafe { look(block) }?;
    // SAFETY: `look` has read it. Clearing the tag marks the block as freed.
    let tag = unsafe { *words(block).add(1) };
    // SAFETY: as above.
    unsafe { *words(block).add(1) = 0 };
    let shard = &SHARD[(tag >> 32 & 0xff) as usize % SHARDS];
    if let Some(table) = shard.lock() {
        let index = tag as u32;
        if index < table.used {
            // SAFETY: the entry exists, and the lock is held.
            unsafe {
                let entry = table.entry(index);
                (*entry).address = 0;
                (*entry).stack = table.free;
            }
            table.free = index + 1;
        }
        account(table, -(size as i64));
        shard.unlock();
    }
    Some((size, before))
}

/// Locks the shard of a block while `real` moves the block, so that no census sees it in between,
/// and updates its size and address.
///
/// # Safety
/// `block` has a header, and `real` returns the new start of its memory, or null if it was not
/// moved.
#[inline(always)]
pub(crate) unsafe fn moved(
    block: *mut u8,
    size: usize,
    frame: usize,
    real: impl FnOnce() -> *mut u8,
) -> *mut u8 {
    // SAFETY: same contract as this function's.
    let (old, tag) = unsafe { (*words(block), *words(block).add(1)) };
    let number = (tag >> 32 & 0xff) as usize % SHARDS;
    let stack = stack_of(sys::thread(), frame);
    let shard = &SHARD[number];
    let table = shard.lock();
    let start = real();
    if start.is_null() {
        if table.is_some() {
            shard.unlock();
        }
        return start;
    }
    let block = start.wrapping_add(HEADER);
    // SAFETY: `real` moved the header with the block.
    unsafe { mark(block, size, HEADER, number, tag as u32) };
    let mut live = 0;
    if let Some(table) = table {
        if (tag as u32) < table.used {
            // SAFETY: the entry exists, and the lock is held.
            unsafe {
                let entry = table.entry(tag as u32);
                (*entry).address = block as usize;
                let before = core::mem::replace(&mut (*entry).stack, stack);
                if before != stack && stack != 0 {
                    made_by(stack)[0].fetch_add(1, Ordering::Relaxed);
                }
            }
        }
        live = account(table, size as i64 - old as i64);
        shard.unlock();
    }
    if live > 0 {
        higher(live, 0);
    }
    block
}

fn number_of(thread: usize) -> usize {
    ((thread >> 6) as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) as usize >> 60
}

/// Records a thread, whose stack may contain owners of blocks.
#[inline(always)]
fn remember(table: &mut Table, thread: usize) {
    if table.last_thread == thread {
        return;
    }
    table.last_thread = thread;
    for place in &mut table.threads {
        if *place == thread {
            return;
        }
        if *place == 0 {
            *place = thread;
            return;
        }
    }
}

/// Adds a change to the live bytes; returns their sum if it is a new high, else 0.
///
/// A shard accumulates changes until they exceed 1/16,384 of the peak, so that threads do not
/// contend for one word. With a single thread, the peak is off by no more than that.
#[inline(always)]
fn account(table: &mut Table, change: i64) -> i64 {
    table.pending += change;
    table.events += u64::from(change > 0);
    let peak = PEAK.load(Ordering::Relaxed);
    if table.pending.unsigned_abs() <= peak >> 14 {
        return 0;
    }
    let live = LIVE.fetch_add(table.pending, Ordering::Relaxed) + table.pending;
    table.pending = 0;
    match live as u64 > peak && live > 0 {
        true => live,
        false => 0,
    }
}

#[cold]
#[inline(never)]
fn higher(live: i64, fresh: usize) {
    let live = live as u64;
    PEAK.fetch_max(live, Ordering::Relaxed);
    let told = TOLD.load(Ordering::Relaxed);
    if live < told + (told >> 8) {
        return;
    }
    if sys::pid() != plan().pid {
        shared(word::FORKED).fetch_max(live, Ordering::Relaxed);
        return;
    }
    TOLD.store(live, Ordering::Relaxed);
    shared(word::PEAK).fetch_max(live, Ordering::Relaxed);
    match plan().mode {
        Mode::Once => {
            let kept = KEPT_LIVE.load(Ordering::Relaxed);
            if live > kept + (kept >> 6).max(1 << 12) {
                KEPT_LIVE.store(live, Ordering::Relaxed);
                snapshot(b"peak", fresh, 0, 0);
            }
        }
        _ => reached(live, fresh),
    }
}

fn reached(live: u64, fresh: usize) {
    if let Mode::Peak(at) = plan().mode
        && live >= at
        && !TAKEN.swap(true, Ordering::AcqRel)
    {
        snapshot(b"peak", fresh, 0, 0);
    }
}

/// Returns the index of the current stack in the table of stacks; 0 if it could not be recorded.
#[inline(always)]
fn stack_of(thread: usize, frame: usize) -> u32 {
    let plan = plan();
    if plan.mode == Mode::Count {
        return 0;
    }
    let mut frames = [0usize; FRAMES];
    let mut n = 0;
    let mut hash = 0u64;
    let here = processor::stack();
    let (start, end) = match thread == plan.first_thread {
        true => (plan.stack_start, plan.stack_end),
        false => (thread.saturating_sub(1 << 30), thread),
    };
    // The program allocated this stack, so its end is unknown.
    let end = match (start..end).contains(&here) {
        true => end,
        false => (here | 4095) + 1,
    };
    let mut at = frame;
    let mut last = here;
    while n < FRAMES {
        // The outermost frame has no parent, and code without frame pointers leaves arbitrary
        // values.
        if at & 7 != 0 || at < last || at - last > FARTHEST || at + 16 > end {
            break;
        }
        // SAFETY: both words are between the stack pointer and the end of the stack.
        let (above, back) = unsafe { (*(at as *const usize), *((at + 8) as *const usize)) };
        if back == 0 {
            break;
        }
        frames[n] = back;
        hash = (hash.rotate_left(5) ^ back as u64).wrapping_mul(0x517c_c1b7_2722_0a95);
        n += 1;
        last = at + 16;
        at = above;
    }
    intern(&frames[..n], hash | 1)
}

fn key(place: usize) -> &'static AtomicU64 {
    // SAFETY: `place < STACKS`, and the table is mapped.
    unsafe { &*((plan().keys + place * 8) as *const AtomicU64) }
}

fn offset(place: usize) -> &'static AtomicU32 {
    // SAFETY: `place < STACKS`, and the table is mapped.
    unsafe { &*((plan().places + place * 4) as *const AtomicU32) }
}

/// Returns the numbers of blocks and bytes that a stack has allocated; among the blocks are those
/// that it has taken over from others by growing them.
fn made_by(stack: u32) -> &'static [AtomicU64; 2] {
    // SAFETY: `stack < STACKS`, and the table is mapped.
    unsafe { &*((plan().made + stack as usize * 16) as *const [AtomicU64; 2]) }
}

/// Returns the index of a stack, found by its hash or added. Stacks with equal hashes count as one:
/// among a million stacks, the chance of such a pair is one in thirty million.
fn intern(frames: &[usize], hash: u64) -> u32 {
    let mut place = (hash >> 40) as usize & (STACKS - 1);
    for _ in 0..64 {
        if place != 0 {
            match key(place).load(Ordering::Acquire) {
                found if found == hash => return place as u32,
                0 => {
                    let old =
                        key(place).compare_exchange(0, hash, Ordering::AcqRel, Ordering::Acquire);
                    match old {
                        Ok(_) => return add(place, frames),
                        Err(found) if found == hash => return place as u32,
                        Err(_) => {}
                    }
                }
                _ => {}
            }
        }
        place = (place + 1) & (STACKS - 1);
    }
    0
}

#[cold]
fn add(place: usize, frames: &[usize]) -> u32 {
    let at = NEXT_FRAME.fetch_add(frames.len() + 1, Ordering::Relaxed);
    if at + frames.len() + 1 > POOL {
        return 0;
    }
    let pool = plan().pool as *mut usize;
    // SAFETY: the range is within the pool, and reserved for this thread.
    unsafe {
        *pool.add(at) = frames.len();
        core::ptr::copy_nonoverlapping(frames.as_ptr(), pool.add(at + 1), frames.len());
    }
    offset(place).store(at as u32, Ordering::Release);
    place as u32
}

/// Iterates over the recorded stacks and their indices.
pub(crate) fn stacks() -> impl Iterator<Item = (u32, &'static [usize])> {
    (1..STACKS).filter_map(|place| {
        let at = offset(place).load(Ordering::Acquire) as usize;
        if at == 0 {
            return None;
        }
        let pool = plan().pool as *const usize;
        // SAFETY: `add` wrote the length and that many frames.
        let frames = unsafe { core::slice::from_raw_parts(pool.add(at + 1), *pool.add(at)) };
        Some((place as u32, frames))
    })
}

/// Returns the blocks and bytes that a stack has allocated so far.
pub(crate) fn made_in_total(stack: u32) -> [u64; 2] {
    made_by(stack).each_ref().map(|n| n.load(Ordering::Relaxed))
}

/// Iterates over the ranges of memory that the recorder alone uses: start and bytes.
pub(crate) fn own_memory() -> impl Iterator<Item = (usize, usize)> {
    let plan = plan();
    let tables = [
        (plan.keys, STACKS * 8),
        (plan.places, STACKS * 4),
        (plan.pool, POOL * 8),
        (plan.made, STACKS * 16),
        (plan.before, before::BYTES),
    ];
    let chunks = SHARD.iter().flat_map(|shard| shard.held().chunks);
    let chunks = chunks.filter(|chunk| *chunk != 0);
    tables
        .into_iter()
        .chain(chunks.map(|chunk| (chunk, CHUNK * size_of::<Entry>())))
}

/// Returns the live bytes, as requested. All locks must be held.
fn live() -> u64 {
    let pending: i64 = SHARD.iter().map(|s| s.held().pending).sum();
    (LIVE.load(Ordering::Relaxed) + pending).max(0) as u64
}

/// Locks every shard; returns false in a process created by `fork`.
fn lock_all() -> bool {
    for (n, shard) in SHARD.iter().enumerate() {
        if shard.lock().is_none() {
            SHARD[..n].iter().for_each(Shard::unlock);
            return false;
        }
    }
    true
}

fn unlock_all() {
    SHARD.iter().for_each(Shard::unlock);
}

/// Takes a census into the main file.
fn snapshot(label: &[u8], fresh: usize, root: usize, table: usize) {
    // Saved here, since the dump includes the stack from this frame outwards.
    let registers = processor::registers();
    core::hint::black_box(&registers);
    let here = (processor::stack(), sys::thread(), processor::frame());
    let earlier = KEPT_COPY.load(Ordering::Relaxed);
    let copy = copied(label, [fresh, root, table], &plan().main, Some(here));
    core::hint::black_box(&registers);
    let Some(copy) = copy else {
        return;
    };
    KEPT_COPY.store(copy, Ordering::Relaxed);
    if earlier != 0 {
        sys::kill(earlier);
        sys::reap(earlier);
    }
}

/// Copies this process, to write the census from the copy to a file, and continues at once; returns
/// the copy. `here` is where a thread of the program is: its stack pointer, its identity and its
/// frame pointer.
fn copied(
    label: &[u8],
    [fresh, root, table]: [usize; 3],
    place: &'static Place,
    here: Option<(usize, usize, usize)>,
) -> Option<usize> {
    if !lock_all() {
        return None;
    }
    let live = live();
    sys::note_mappings(threads());
    before::read(here.is_some());
    let copy = sys::copy();
    match copy {
        Some(0) => {
            let (stack, thread, frame) = here.unwrap_or_default();
            let what = dump::Moment {
                label,
                live,
                fresh,
                root,
                table,
                stack,
                thread,
                frame,
            };
            let waits = plan().mode == Mode::Once && core::ptr::eq(place, &raw const plan().main);
            dump::write(&what, place, waits);
            sys::exit();
        }
        Some(copy) => place.word(word::COPY).store(copy as u64, Ordering::Release),
        None => place
            .word(word::FAILED)
            .store(failure::COPY, Ordering::Release),
    }
    unlock_all();
    copy
}

/// Has `cargo weigh` count what a value owns, or with a null `root` the whole heap, and waits for its
/// answer, which is the difference to the one of number `since` if that is not 0. Returns the number
/// of this one, or 0 if nobody answers, and copies as much as fits of the answer.
pub(crate) fn ask(label: &[u8], root: usize, table: usize, since: u64, into: &mut [u64]) -> u64 {
    if !is_on() || sys::pid() != plan().pid {
        return 0;
    }
    let asked = &plan().asked;
    if asked.words == 0 || matches!(plan().mode, Mode::Count | Mode::Now) {
        return 0;
    }
    while ASKING.swap(true, Ordering::Acquire) {
        sys::sleep(1);
    }
    let registers = processor::registers();
    core::hint::black_box(&registers);
    let here = (processor::stack(), sys::thread(), processor::frame());
    let number = asked.word(word::TURN).load(Ordering::Relaxed);
    let number = number.wrapping_add(1);
    // A difference is only asked for to one of which the sums alone were taken.
    let is_last = u64::from(into.len() > answer::HEAD);
    let words = [word::STATE, word::FAILED, word::SINCE, word::LAST];
    for (word, value) in words.into_iter().zip([0, 0, since, is_last]) {
        asked.word(word).store(value, Ordering::Relaxed);
    }
    let copy = copied(label, [0, root, table], asked, Some(here));
    core::hint::black_box(&registers);
    if let Some(copy) = copy {
        sys::reap(copy);
    }
    asked.word(word::TURN).store(number, Ordering::Release);
    let mut is_answered = false;
    if asked.word(word::STATE).load(Ordering::Acquire) == DONE {
        // Whoever killed `cargo weigh` does not wait for an answer, nor for one that could not be
        // written.
        while !is_answered
            && asked.word(word::FAILED).load(Ordering::Acquire) == 0
            && sys::identity_of(&asked.path) == Some(asked.identity)
        {
            sys::sleep(1);
            is_answered = asked.word(word::ANSWERED).load(Ordering::Acquire) == number;
        }
    }
    for (n, word) in into.iter_mut().take(answer::MOST).enumerate() {
        *word = asked.word(LABELS_AT / 8 + n).load(Ordering::Relaxed);
    }
    let types = asked.word(LABELS_AT / 8 + answer::TYPES);
    is_answered &= types.load(Ordering::Relaxed) != answer::NONE;
    ASKING.store(false, Ordering::Release);
    if is_answered { number } else { 0 }
}

/// Records a named moment. `root` and `table` are the address and vtable of the only value to
/// count, or 0.
pub(crate) fn label(name: &[u8], root: usize, table: usize) {
    if !is_on() || sys::pid() != plan().pid || !lock_all() {
        return;
    }
    let live = live();
    unlock_all();
    // The format of a record: length of the name, live bytes, name.
    let bytes = 16 + name.len().next_multiple_of(8);
    let at = shared(word::LABELS).fetch_add(bytes as u64, Ordering::Relaxed) as usize + LABELS_AT;
    if at + bytes <= DATA_AT {
        shared(at / 8).store(name.len() as u64, Ordering::Relaxed);
        shared(at / 8 + 1).store(live, Ordering::Relaxed);
        // SAFETY: the record is in the shared bytes, and reserved for this thread.
        unsafe {
            let to = (plan().main.words + at + 16) as *mut u8;
            core::ptr::copy_nonoverlapping(name.as_ptr(), to, name.len());
        }
    }
    let plan = plan();
    if let Mode::Label(nth) = plan.mode
        && plan.label[..plan.label_len] == *name
        && MET.fetch_add(1, Ordering::Relaxed) + 1 == nth
    {
        snapshot(name, 0, root, table);
    }
}

/// Records the normal exit of the program.
pub(crate) fn end() {
    if STATE.load(Ordering::Acquire) != ON || sys::pid() != plan().pid {
        return;
    }
    if plan().mode == Mode::Exit {
        snapshot(b"exit", 0, 0, 0);
    }
    if lock_all() {
        let events = SHARD.iter().map(|s| s.held().events).sum();
        shared(word::EVENTS).store(events, Ordering::Relaxed);
        shared(word::AT_END).store(live(), Ordering::Relaxed);
        let peak = PEAK.load(Ordering::Relaxed);
        shared(word::PEAK).fetch_max(peak, Ordering::Relaxed);
        shared(word::ENDED).store(1, Ordering::Release);
        unlock_all();
    }
}

/// Iterates over the threads that have allocated.
pub(crate) fn threads() -> impl Iterator<Item = usize> {
    SHARD
        .iter()
        .flat_map(|s| s.held().threads)
        .filter(|&t| t != 0)
}
