//! Writes the census from the copied process: blocks, stacks, contents, roots.
//!
//! The format is a sequence of sections, each a tag, a length and bytes. The copied process has a
//! single thread, holds every lock of the recorder, and calls only `sys`.

use super::recorder::{self, HEADER, Place, SHARD, plan, shared};
use super::{before, sys};
use crate::protocol::section::{
    BLOCKS, CONTENTS, END, MADE, MAPS, MEMORY, MOMENT, REGION, SLEEPING, STACKS,
};
use crate::protocol::{DATA_AT, DONE, WRITING, failure, memory, word};
use core::sync::atomic::Ordering;

/// The state at the moment of a census.
pub(crate) struct Moment<'m> {
    pub(crate) label: &'m [u8],
    /// Live bytes, as requested.
    pub(crate) live: u64,
    /// A block that was just allocated and is not initialized yet, or 0.
    pub(crate) fresh: usize,
    /// The address and vtable of the only value to count, or 0.
    pub(crate) root: usize,
    pub(crate) table: usize,
    /// The stack pointer and the thread identity.
    pub(crate) stack: usize,
    pub(crate) thread: usize,
    /// The frame pointer.
    pub(crate) frame: usize,
}

/// Number of 5 ms waits for a request, once the program has ended.
const PATIENCE: u32 = 4000;

const BUFFER: usize = 1 << 18;

/// Bytes that are written or left out together. The kernel's pages may be larger.
const PAGE: usize = 4096;

/// A buffered writer.
struct Out {
    fd: usize,
    buffer: usize,
    held: usize,
    at: u64,
    /// Why it is incomplete; 0 while it is not.
    failed: u64,
}

impl Out {
    fn bytes(&mut self, from: usize, n: usize) {
        if n > BUFFER {
            self.flush();
            self.write(from, n, self.at);
            self.at += n as u64;
            return;
        }
        if self.held + n > BUFFER {
            self.flush();
        }
        // SAFETY: the buffer has room; `from` is mapped memory of this process: a live block, a
        // mapping that the kernel lists, or the recorder's own.
        unsafe {
            let to = (self.buffer + self.held) as *mut u8;
            core::ptr::copy_nonoverlapping(from as *const u8, to, n);
        }
        self.held += n;
    }

    fn write(&mut self, from: usize, n: usize, at: u64) {
        if !sys::write_at(self.fd, from, n, at) {
            self.fail(failure::WRITE);
        }
    }

    fn fail(&mut self, why: u64) {
        if self.failed == 0 {
            self.failed = why;
        }
    }

    fn word(&mut self, word: u64) {
        self.bytes((&raw const word) as usize, 8);
    }

    fn flush(&mut self) {
        self.write(self.buffer, self.held, self.at);
        self.at += self.held as u64;
        self.held = 0;
    }

    /// Begins a section; [`Out::close`] fills in its length.
    fn open(&mut self, tag: u64) -> u64 {
        self.word(tag);
        self.word(0);
        self.at + self.held as u64
    }

    fn close(&mut self, start: u64) {
        let n = self.at + self.held as u64 - start;
        while !(self.at + self.held as u64).is_multiple_of(8) {
            self.bytes((&raw const ZERO) as usize, 1);
        }
        self.flush();
        self.write((&raw const n) as usize, 8, start - 8);
    }
}

static ZERO: u8 = 0;

/// Writes the census to a file, in the copied process; with `wait`, only once `cargo weigh` requests
/// it.
pub(crate) fn write(moment: &Moment, place: &Place, wait: bool) {
    if wait {
        let parent = sys::parent();
        let mine = sys::pid() as u64;
        let mut alone = 0;
        while shared(word::GO).load(Ordering::Acquire) != mine {
            // The program has ended: `cargo weigh`, if it still runs, requests the census at once.
            if sys::parent() != parent {
                alone += 1;
                if alone > PATIENCE {
                    return;
                }
            }
            sys::sleep(5);
        }
    }
    sys::detach(place.fd);
    let failed = |why| place.word(word::FAILED).store(why, Ordering::Release);
    let Some(fd) = place.file() else {
        return failed(failure::CLOSED);
    };
    let buffer = sys::reserve(BUFFER);
    if buffer == 0 {
        return failed(failure::MEMORY);
    }
    let mut out = Out {
        fd,
        buffer,
        held: 0,
        at: DATA_AT as u64,
        failed: 0,
    };
    place.word(word::STATE).store(WRITING, Ordering::Release);
    place.word(word::LIVE).store(moment.live, Ordering::Release);
    moment_section(&mut out, moment);
    memory(&mut out);
    sleeping(&mut out);
    blocks(&mut out);
    stacks(&mut out);
    made(&mut out);
    maps(&mut out, moment);
    contents(&mut out);
    out.word(END);
    out.word(0);
    out.flush();
    place.word(word::DATA_END).store(out.at, Ordering::Release);
    match out.failed {
        0 => place.word(word::STATE).store(DONE, Ordering::Release),
        why => failed(why),
    }
}

fn moment_section(out: &mut Out, moment: &Moment) {
    let start = out.open(MOMENT);
    let words = [
        moment.root,
        moment.table,
        moment.fresh,
        moment.thread,
        moment.frame,
    ];
    for word in words {
        out.word(word as u64);
    }
    out.bytes(moment.label.as_ptr() as usize, moment.label.len());
    out.close(start);
}

/// Calls `each` with the address, size and stack of each live block with a valid header.
fn live_blocks(mut each: impl FnMut(usize, usize, u32)) {
    for shard in &SHARD {
        let table = shard.held();
        for index in 0..table.used {
            // SAFETY: `index < used`, so the entry exists.
            let entry = unsafe { &*table.entry(index) };
            if entry.address == 0 {
                continue;
            }
            // SAFETY: the block is live, so its header is readable.
            if let Some((size, _)) = unsafe { recorder::look(entry.address as *mut u8) } {
                each(entry.address, size, entry.stack);
            }
        }
    }
}

fn blocks(out: &mut Out) {
    let start = out.open(BLOCKS);
    live_blocks(|address, size, stack| {
        out.word(address as u64);
        out.word(size as u64);
        out.word(u64::from(stack));
    });
    out.close(start);
}

fn contents(out: &mut Out) {
    let start = out.open(CONTENTS);
    // In the same order as `blocks`.
    live_blocks(|address, size, _| out.bytes(address, size));
    out.close(start);
}

/// Writes what the process, malloc and the recorder take.
fn memory(out: &mut Out) {
    let before = before::get();
    let page = plan().page;
    let own: usize = recorder::own_memory()
        .map(|(start, bytes)| sys::resident_pages(start, bytes, page))
        .sum();
    let mut words = [0; memory::WORDS];
    words[memory::RESIDENT] = before.resident[0] * page;
    words[memory::FILES] = before.resident[1] * page;
    words[memory::RECORDER] = own * page;
    words[memory::ARENAS] = before.malloc.arenas;
    words[memory::MAPPED] = before.malloc.mapped;
    words[memory::FREE] = before.malloc.free;
    let start = out.open(MEMORY);
    for word in words {
        out.word(word as u64);
    }
    out.close(start);
}

/// Writes where the stacks of other threads begin.
fn sleeping(out: &mut Out) {
    let stacks = before::get().stacks();
    let start = out.open(SLEEPING);
    out.bytes(stacks.as_ptr() as usize, size_of_val(stacks));
    out.close(start);
}

/// Writes how many blocks each stack has allocated.
fn made(out: &mut Out) {
    let start = out.open(MADE);
    for (place, _) in recorder::stacks() {
        let [blocks, bytes] = recorder::made_in_total(place);
        out.word(u64::from(place));
        out.word(blocks);
        out.word(bytes);
    }
    out.close(start);
}

fn stacks(out: &mut Out) {
    let start = out.open(STACKS);
    for (place, frames) in recorder::stacks() {
        out.word(u64::from(place));
        out.word(frames.len() as u64);
        out.bytes(frames.as_ptr() as usize, frames.len() * 8);
    }
    out.close(start);
}

/// Writes the kernel's list of mappings, and the contents of the writable ones that may hold
/// owners: statics of the program and of what it has loaded, and stacks.
fn maps(out: &mut Out, moment: &Moment) {
    let size = 1 << 22;
    let memory = sys::reserve(size);
    if memory == 0 {
        out.fail(failure::MEMORY);
        return;
    }
    // SAFETY: freshly mapped, with no other reference.
    let text = unsafe { core::slice::from_raw_parts_mut(memory as *mut u8, size) };
    let Some(n) = sys::mappings(text) else {
        out.fail(failure::MAPPINGS);
        return;
    };
    let text = &text[..n];
    let start = out.open(MAPS);
    out.bytes(text.as_ptr() as usize, n);
    out.close(start);
    let mut buffer = [0u8; PAGE];
    let program = sys::program(&mut buffer);
    // The file whose start was met last, and where that is.
    let (mut file, mut start): (&[u8], _) = (&[], 0..0);
    // The file whose code was met last, and where its object ends.
    let (mut code, mut object_end): (&[u8], usize) = (&[], 0);
    for line in text.split(|&b| b == b'\n') {
        let Some((from, to, writable, path)) = mapping(line) else {
            continue;
        };
        let is_file = path.first() == Some(&b'/');
        let offset = offset(line);
        if is_file && offset == Some(0) && readable(line) {
            (file, start) = (path, from..to);
        }
        // The data of an object is behind its code.
        if executable(line) {
            if path != code {
                object_end = 0;
            }
            code = path;
            let head = match file == code {
                // SAFETY: the kernel lists it as readable, and the file is one whose code is loaded.
                true => unsafe {
                    core::slice::from_raw_parts(start.start as *const u8, start.len())
                },
                false => &[],
            };
            let end = offset.and_then(|offset| sys::object_end(head, from, offset, plan().page));
            object_end = end.unwrap_or(object_end);
        }
        if !writable {
            continue;
        }
        if is_file && (path == program || path == code) {
            region(out, from, to);
            continue;
        }
        // Zero-initialized statics are in no file. The mapping may go on with other memory.
        if !is_file && from < object_end {
            region(out, from, to.min(object_end));
            continue;
        }
        let end = plan().stack_end;
        if (from..to).contains(&end) {
            let first = match moment.thread == plan().first_thread {
                true => moment.stack,
                false => from,
            };
            region(out, first, end.next_multiple_of(PAGE).min(to));
        }
        for thread in recorder::threads().filter(|&t| t != end) {
            if (from..to).contains(&thread) {
                let first = match moment.thread == thread && (from..to).contains(&moment.stack) {
                    true => moment.stack,
                    false => from.max(thread.saturating_sub(1 << 30)),
                };
                region(out, first, (thread + PAGE).min(to));
            }
        }
    }
}

/// Writes a range of memory, except pages of zeros and of the recorder.
fn region(out: &mut Out, from: usize, to: usize) {
    let is_own = |from: usize, to: usize| {
        recorder::own_memory().any(|(start, bytes)| start < to && from < start + bytes)
    };
    let has_own = is_own(from, to);
    let mut at = from & !7;
    while at < to {
        let end = ((at | (PAGE - 1)) + 1).min(to);
        // SAFETY: the range is in a mapping that the kernel lists as readable and writable.
        let words = unsafe { core::slice::from_raw_parts(at as *const u64, (end - at) / 8) };
        if words.iter().any(|&w| w != 0) && !(has_own && is_own(at, end)) {
            let start = out.open(REGION);
            out.word(at as u64);
            out.bytes(at, end - at);
            out.close(start);
        }
        at = end;
    }
}

/// Returns whether a line of `/proc/self/maps` is about readable memory.
fn readable(line: &[u8]) -> bool {
    let space = line.iter().position(|&b| b == b' ');
    space.and_then(|at| line.get(at + 1)) == Some(&b'r')
}

/// Returns the offset in the file, the third word of a line of `/proc/self/maps`.
fn offset(line: &[u8]) -> Option<usize> {
    line.split(|&b| b == b' ').nth(2).map(hex)
}

/// Returns whether a line of `/proc/self/maps` is about code of a file.
fn executable(line: &[u8]) -> bool {
    let space = line.iter().position(|&b| b == b' ');
    let flags = space.and_then(|at| line.get(at + 1..at + 4));
    flags.is_some_and(|flags| flags[2] == b'x') && line.contains(&b'/')
}

/// Parses a line of `/proc/self/maps`: start, end, whether it is readable and writable, path.
fn mapping(line: &[u8]) -> Option<(usize, usize, bool, &[u8])> {
    let dash = line.iter().position(|&b| b == b'-')?;
    let space = line.iter().position(|&b| b == b' ')?;
    let from = hex(line.get(..dash)?);
    let to = hex(line.get(dash + 1..space)?);
    let writable = line.get(space + 1..space + 3)? == b"rw";
    let path = match line.iter().position(|&b| b == b'/') {
        Some(at) => &line[at..],
        None if line.ends_with(b"]") => b"[",
        None => &[],
    };
    Some((from, to, writable, path))
}

fn hex(text: &[u8]) -> usize {
    text.iter().fold(0, |n, b| {
        let digit = match b {
            b'0'..=b'9' => b - b'0',
            b'a'..=b'f' => b - b'a' + 10,
            _ => 0,
        };
        n << 4 | usize::from(digit)
    })
}

const _: () = assert!(HEADER == 16);
