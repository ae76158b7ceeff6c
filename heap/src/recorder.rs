//! Which blocks are live, and the stack that allocated each: a header before every block has the
//! index of its entry in a table, so no search is needed.
//!
//! The tables are sharded by thread, each behind a lock that is held for a few instructions. The
//! tables are mapped from the kernel and never unmapped.

use super::processor;
use super::{dump, sys};
use core::cell::UnsafeCell;
use core::hint::spin_loop;
use core::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use core::sync::atomic::{AtomicI64, AtomicU8};

/// Bytes before each block: its requested size, then the place of its entry.
pub(crate) const HEADER: usize = 16;

/// Marks the second word of a header.
const MAGIC: u64 = 0x5ee1;

const SHARDS: usize = 16;
/// Entries of a chunk, 16 bytes each, and chunks of a shard: 64 million blocks.
const CHUNK: usize = 1 << 16;
const CHUNKS: usize = 1 << 10;

/// The innermost frames that are kept: enough to leave std in a build without optimization.
const FRAMES: usize = 24;
/// Places for different stacks, and for their frames.
const STACKS: usize = 1 << 20;
const POOL: usize = 1 << 24;

/// The largest distance in bytes between two frames of a stack.
const FARTHEST: usize = 1 << 20;

/// Threads of a shard whose stacks are remembered.
const THREADS: usize = 64;

const UNKNOWN: u8 = 0;
const OFF: u8 = 1;
const ON: u8 = 2;

static STATE: AtomicU8 = AtomicU8::new(UNKNOWN);

/// What the environment variable requests.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Only the peak, and the live bytes at each label.
    Count,
    /// A census when so many bytes are live for the first time.
    Peak(u64),
    /// A copy of the process at each new high; the last one becomes the census.
    Once,
    /// When a label is reached for the n-th time.
    Label(u64),
    /// When the program ends by itself.
    Exit,
}

/// What is decided once, at the first allocation, while there is one thread.
pub(crate) struct Plan {
    pub(crate) mode: Mode,
    pub(crate) label: [u8; 256],
    pub(crate) label_len: usize,
    pub(crate) fd: usize,
    pub(crate) pid: usize,
    /// The words that are shared with `cargo weigh`.
    pub(crate) shared: usize,
    pub(crate) first_thread: usize,
    pub(crate) stack_end: usize,
    stack_start: usize,
    keys: usize,
    places: usize,
    pool: usize,
}

struct Once(UnsafeCell<Plan>);
// SAFETY: written before `STATE` becomes `ON`, by one thread; only read afterwards.
unsafe impl Sync for Once {}

static PLAN: Once = Once(UnsafeCell::new(Plan {
    mode: Mode::Count,
    label: [0; 256],
    label_len: 0,
    fd: 0,
    pid: 0,
    shared: 0,
    first_thread: 0,
    stack_end: 0,
    stack_start: 0,
    keys: 0,
    places: 0,
    pool: 0,
}));

/// The plan. Only where [`is_on`] holds.
pub(crate) fn plan() -> &'static Plan {
    // SAFETY: `STATE` is `ON`, so there are no more writes.
    unsafe { &*PLAN.0.get() }
}

/// Words at the start of the shared file.
pub(crate) mod word {
    pub(crate) const CLAIMED: usize = 1;
    pub(crate) const STATE: usize = 2;
    pub(crate) const PEAK: usize = 3;
    pub(crate) const AT_END: usize = 4;
    pub(crate) const EVENTS: usize = 5;
    pub(crate) const ENDED: usize = 6;
    pub(crate) const DATA_END: usize = 7;
    pub(crate) const LIVE: usize = 8;
    pub(crate) const COPY: usize = 10;
    pub(crate) const GO: usize = 11;
    pub(crate) const LABELS: usize = 12;
    pub(crate) const FAILED: usize = 13;
}

/// Where labels are written in the shared file, where they end, and where a census begins.
pub(crate) const LABELS_AT: usize = 4096;
pub(crate) const DATA_AT: usize = 1 << 17;

/// A word shared with `cargo weigh`.
pub(crate) fn shared(index: usize) -> &'static AtomicU64 {
    // SAFETY: the first `DATA_AT` bytes of the file are mapped, aligned to a page, and stay so.
    unsafe { &*((plan().shared + index * 8) as *const AtomicU64) }
}

/// One live block, or a link in the list of free entries.
#[repr(C)]
pub(crate) struct Entry {
    /// The block's address; 0 when free.
    pub(crate) address: usize,
    /// The stack's place, or the next free entry.
    pub(crate) stack: u32,
    _unused: u32,
}

pub(crate) struct Table {
    chunks: [usize; CHUNKS],
    /// Entries ever used.
    pub(crate) used: u32,
    /// The first free entry, plus one.
    free: u32,
    /// Bytes since `LIVE` was last updated.
    pending: i64,
    events: u64,
    last_thread: usize,
    pub(crate) threads: [usize; THREADS],
}

impl Table {
    /// An entry below `used`.
    pub(crate) fn entry(&self, index: u32) -> *mut Entry {
        let chunk = self.chunks[index as usize / CHUNK] as *mut Entry;
        // SAFETY: `index < used`, so its chunk is mapped and has `CHUNK` entries.
        unsafe { chunk.add(index as usize % CHUNK) }
    }

    /// A free entry, or none when there is no more room.
    fn take(&mut self) -> Option<u32> {
        if self.free != 0 {
            let index = self.free - 1;
            // SAFETY: a free entry exists, and the shard's lock is held.
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

// SAFETY: `table` is accessed only while the lock is held.
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
    /// Waits for the shard. `None` in a process that `fork` created: the thread that held the lock
    /// does not exist there, and nothing is recorded.
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

    /// The table of a shard that the caller has locked, or in a copied process, which has one
    /// thread.
    pub(crate) fn held(&self) -> &Table {
        // SAFETY: the lock is held.
        unsafe { &*self.table.get() }
    }
}

static LIVE: AtomicI64 = AtomicI64::new(0);
static PEAK: AtomicU64 = AtomicU64::new(0);
/// The peak that was last written to the shared file.
static TOLD: AtomicU64 = AtomicU64::new(0);
static TAKEN: AtomicBool = AtomicBool::new(false);
static MET: AtomicU64 = AtomicU64::new(0);
static KEPT_COPY: AtomicUsize = AtomicUsize::new(0);
static KEPT_LIVE: AtomicU64 = AtomicU64::new(0);
static NEXT_FRAME: AtomicUsize = AtomicUsize::new(1);

/// Whether allocations are recorded. The first call that can read the environment decides.
#[inline(always)]
pub(crate) fn is_on() -> bool {
    match STATE.load(Ordering::Relaxed) {
        OFF => false,
        ON => true,
        _ => decide(),
    }
}

/// The bytes of a text that ends with a NUL.
///
/// # Safety
/// The text ends with a NUL and does not change.
unsafe fn text<'t>(start: *const u8) -> &'t [u8] {
    let mut n = 0;
    // SAFETY: the caller says that there is an end.
    while unsafe { *start.add(n) } != 0 {
        n += 1;
    }
    // SAFETY: these bytes were just read.
    unsafe { core::slice::from_raw_parts(start, n) }
}

/// The value of a variable of the environment.
fn variable(name: &[u8]) -> Option<&'static [u8]> {
    // SAFETY: libc keeps a list of texts here that ends with a null; at the first allocation one
    // thread runs, and nobody changes it.
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
    // The dynamic linker allocates before libc is set up; those blocks have no header.
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

/// Reads the request: lines of `key=value`.
fn prepare(value: &[u8]) -> Option<()> {
    // SAFETY: one thread runs, and there are no reads before `STATE` is `ON`.
    let plan = unsafe { &mut *PLAN.0.get() };
    let mut file: &[u8] = &[];
    let mut nth = 1;
    for line in value.split(|&b| b == b'\n') {
        let at = line.iter().position(|&b| b == b'=')?;
        let (key, value) = (&line[..at], &line[at + 1..]);
        match key {
            b"file" => file = value,
            b"nth" => nth = number(value),
            b"count" => plan.mode = Mode::Count,
            b"peak" => plan.mode = Mode::Peak(number(value)),
            b"once" => plan.mode = Mode::Once,
            b"exit" => plan.mode = Mode::Exit,
            b"label" => {
                plan.label_len = value.len().min(plan.label.len());
                plan.label[..plan.label_len].copy_from_slice(&value[..plan.label_len]);
                plan.mode = Mode::Label(nth);
            }
            // Another program, which this one or a shell has started.
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
    let mut path = [0u8; 256];
    path.get_mut(..file.len())?.copy_from_slice(file);
    plan.fd = sys::open(&path[..=file.len()], true)?;
    plan.shared = sys::share(plan.fd, DATA_AT);
    if plan.shared == 0 {
        return None;
    }
    plan.pid = sys::pid();
    plan.first_thread = sys::thread();
    plan.stack_end = sys::stack_end();
    plan.stack_start = plan.stack_end.saturating_sub(sys::stack_limit());
    plan.keys = sys::reserve(STACKS * 8);
    plan.places = sys::reserve(STACKS * 4);
    plan.pool = sys::reserve(POOL * 8);
    if plan.keys == 0 || plan.places == 0 || plan.pool == 0 {
        return None;
    }
    sys::at_end(super::end);
    // Only the first process of this program, not one that it starts.
    shared(word::CLAIMED)
        .compare_exchange(0, plan.pid as u64, Ordering::AcqRel, Ordering::Relaxed)
        .ok()
        .map(|_| ())
}

/// The memory of a block of `size` bytes that is to have a header.
pub(crate) fn header(align: usize) -> usize {
    align.max(HEADER)
}

/// The two words before a block.
fn words(block: *mut u8) -> *mut u64 {
    block.wrapping_sub(HEADER).cast()
}

/// The requested size of a block and the memory before it, if it has a header.
///
/// # Safety
/// The 16 bytes before `block` can be read.
pub(crate) unsafe fn look(block: *mut u8) -> Option<(usize, usize)> {
    // SAFETY: the caller says that they can be read; `malloc` aligns to 16.
    let (size, tag) = unsafe { (*words(block), *words(block).add(1)) };
    // Depends on the address, so that other bytes are not taken for a header.
    (tag >> 48 == MAGIC ^ (block as u64 >> 4 & 0xffff))
        .then(|| (size as usize, 1usize << (tag >> 40 & 63)))
}

/// Gives a block its header and its entry.
///
/// # Safety
/// `block` is new, with `header(align)` bytes of its memory before it.
#[inline(always)]
pub(crate) unsafe fn made(block: *mut u8, size: usize, align: usize, frame: usize) {
    let thread = sys::thread();
    let number = number_of(thread);
    let stack = stack_of(thread, frame);
    let shard = &SHARD[number];
    let Some(table) = shard.lock() else {
        // SAFETY: as for this function.
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
    // SAFETY: as for this function.
    unsafe { mark(block, size, align, number, index.unwrap_or(u32::MAX)) };
    let live = account(table, size as i64);
    shard.unlock();
    if live > 0 {
        higher(live, block as usize);
    }
}

/// Writes a header.
///
/// # Safety
/// `header(align)` bytes before `block` are its own.
unsafe fn mark(block: *mut u8, size: usize, align: usize, shard: usize, index: u32) {
    let shift = u64::from(header(align).trailing_zeros());
    let magic = MAGIC ^ (block as u64 >> 4 & 0xffff);
    let tag = magic << 48 | shift << 40 | (shard as u64) << 32 | u64::from(index);
    // SAFETY: the bytes are the caller's; blocks are aligned to 16.
    unsafe {
        *words(block) = size as u64;
        *words(block).add(1) = tag;
    }
}

/// Removes a block's entry; the same result as [`look`].
///
/// # Safety
/// The 16 bytes before `block` can be read.
#[inline(always)]
pub(crate) unsafe fn gone(block: *mut u8) -> Option<(usize, usize)> {
    // SAFETY: as for this function.
    let (size, before) = unsafe { look(block) }?;
    // SAFETY: `look` has read it. The block is no longer one when its tag is gone.
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

/// Locks the shard of a block while `real` moves it, so that no census is taken in between; updates
/// its size and address.
///
/// # Safety
/// `block` has a header, and `real` returns its memory's new start (null when it stays).
#[inline(always)]
pub(crate) unsafe fn moved(
    block: *mut u8,
    size: usize,
    frame: usize,
    real: impl FnOnce() -> *mut u8,
) -> *mut u8 {
    // SAFETY: as for this function.
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
    // SAFETY: `real` has moved the header with the rest.
    unsafe { mark(block, size, HEADER, number, tag as u32) };
    let mut live = 0;
    if let Some(table) = table {
        if (tag as u32) < table.used {
            // SAFETY: the entry exists, and the lock is held.
            unsafe {
                let entry = table.entry(tag as u32);
                (*entry).address = block as usize;
                (*entry).stack = stack;
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

/// Notes the thread, whose stack may hold the owners of blocks.
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

/// Adds to the live bytes; their sum when it has reached a new high, else 0.
///
/// A shard adds its changes to the sum only when they exceed a 16,384th of the peak, so that
/// threads do not contend for one word. With one thread the error of the peak is no larger.
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

/// The stack's place in the table of stacks; 0 when it could not be kept.
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
    // A stack that the program has allocated: its end is not known.
    let end = match (start..end).contains(&here) {
        true => end,
        false => (here | 4095) + 1,
    };
    let mut at = frame;
    let mut last = here;
    while n < FRAMES {
        // The outermost frame has none above it; code without frame pointers leaves any number
        // there.
        if at & 7 != 0 || at < last || at - last > FARTHEST || at + 16 > end {
            break;
        }
        // SAFETY: the two words lie between the stack pointer and the stack's end.
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

/// Finds a stack by its hash, or adds it. Two stacks with equal hashes count as one: among a
/// million stacks the chance of such a pair is one in thirty million.
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
    // SAFETY: the range is within the pool, and no other thread was given it.
    unsafe {
        *pool.add(at) = frames.len();
        core::ptr::copy_nonoverlapping(frames.as_ptr(), pool.add(at + 1), frames.len());
    }
    offset(place).store(at as u32, Ordering::Release);
    place as u32
}

/// The stacks that are kept, with their places.
pub(crate) fn stacks() -> impl Iterator<Item = (u32, &'static [usize])> {
    (1..STACKS).filter_map(|place| {
        let at = offset(place).load(Ordering::Acquire) as usize;
        if at == 0 {
            return None;
        }
        let pool = plan().pool as *const usize;
        // SAFETY: `add` has written the number and that many frames.
        let frames = unsafe { core::slice::from_raw_parts(pool.add(at + 1), *pool.add(at)) };
        Some((place as u32, frames))
    })
}

/// The live bytes, as requested. Only with all locks held.
fn live() -> u64 {
    let pending: i64 = SHARD.iter().map(|s| s.held().pending).sum();
    (LIVE.load(Ordering::Relaxed) + pending).max(0) as u64
}

/// Locks every shard. False in a process that `fork` created.
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

/// Makes a copy of this process, which writes the census; this one goes on at once.
fn snapshot(label: &[u8], fresh: usize, root: usize, table: usize) {
    if !lock_all() {
        return;
    }
    let live = live();
    // Saved here, as the stack is recorded only from this frame outwards.
    let registers = processor::registers();
    core::hint::black_box(&registers);
    let (here, thread) = (processor::stack(), sys::thread());
    sys::note_mappings(threads());
    let earlier = KEPT_COPY.load(Ordering::Relaxed);
    match sys::copy() {
        Some(0) => {
            let what = dump::Moment {
                label,
                live,
                fresh,
                root,
                table,
                stack: here,
                thread,
            };
            dump::write(&what, plan().mode == Mode::Once);
            core::hint::black_box(&registers);
            sys::exit();
        }
        Some(copy) => {
            shared(word::COPY).store(copy as u64, Ordering::Release);
            KEPT_COPY.store(copy, Ordering::Relaxed);
        }
        None => shared(word::FAILED).store(1, Ordering::Release),
    }
    unlock_all();
    if earlier != 0 {
        sys::kill(earlier);
        sys::reap(earlier);
    }
}

/// The program has reached a named moment. `root` and `table` are the address and vtable of a value
/// that alone is to be counted, or 0.
pub(crate) fn label(name: &[u8], root: usize, table: usize) {
    if !is_on() || sys::pid() != plan().pid || !lock_all() {
        return;
    }
    let live = live();
    unlock_all();
    // A record: bytes of the name, live bytes, the name.
    let bytes = 16 + name.len().next_multiple_of(8);
    let at = shared(word::LABELS).fetch_add(bytes as u64, Ordering::Relaxed) as usize + LABELS_AT;
    if at + bytes <= DATA_AT {
        shared(at / 8).store(name.len() as u64, Ordering::Relaxed);
        shared(at / 8 + 1).store(live, Ordering::Relaxed);
        // SAFETY: the record lies in the shared bytes, and no other thread was given it.
        unsafe {
            let to = (plan().shared + at + 16) as *mut u8;
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

/// The program ends by itself.
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

/// The threads that have allocated.
pub(crate) fn threads() -> impl Iterator<Item = usize> {
    SHARD
        .iter()
        .flat_map(|s| s.held().threads)
        .filter(|&t| t != 0)
}
