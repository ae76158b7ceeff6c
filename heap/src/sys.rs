//! Raw Linux system calls, and the identity of the current thread, on x86_64 and aarch64.
//! `macos.rs` has the same functions for macOS.
//!
//! Functions of libc may allocate or lock, and the recorder runs inside `malloc`, so it calls none.

use core::arch::asm;

/// Numbers of system calls.
#[cfg(target_arch = "x86_64")]
mod number {
    #[cfg(weigh_preload)]
    pub(super) const WRITE: usize = 1;
    pub(super) const READ: usize = 0;
    pub(super) const CLOSE: usize = 3;
    pub(super) const FSTAT: usize = 5;
    pub(super) const MMAP: usize = 9;
    pub(super) const SIGPROCMASK: usize = 14;
    pub(super) const PWRITE: usize = 18;
    pub(super) const MINCORE: usize = 27;
    pub(super) const NANOSLEEP: usize = 35;
    pub(super) const GETPID: usize = 39;
    pub(super) const CLONE: usize = 56;
    pub(super) const WAIT4: usize = 61;
    pub(super) const KILL: usize = 62;
    pub(super) const SETPGID: usize = 109;
    pub(super) const GETPPID: usize = 110;
    pub(super) const GETDENTS: usize = 217;
    pub(super) const EXIT_GROUP: usize = 231;
    pub(super) const OPENAT: usize = 257;
    pub(super) const FSTATAT: usize = 262;
    pub(super) const READLINKAT: usize = 267;
    pub(super) const PRLIMIT: usize = 302;
}

/// Numbers of system calls: the kernel's generic ones for newer architectures.
#[cfg(target_arch = "aarch64")]
mod number {
    #[cfg(weigh_preload)]
    pub(super) const WRITE: usize = 64;
    pub(super) const OPENAT: usize = 56;
    pub(super) const CLOSE: usize = 57;
    pub(super) const READ: usize = 63;
    pub(super) const PWRITE: usize = 68;
    pub(super) const GETDENTS: usize = 61;
    pub(super) const READLINKAT: usize = 78;
    pub(super) const FSTATAT: usize = 79;
    pub(super) const FSTAT: usize = 80;
    pub(super) const EXIT_GROUP: usize = 94;
    pub(super) const NANOSLEEP: usize = 101;
    pub(super) const KILL: usize = 129;
    pub(super) const SIGPROCMASK: usize = 135;
    pub(super) const SETPGID: usize = 154;
    pub(super) const GETPID: usize = 172;
    pub(super) const GETPPID: usize = 173;
    pub(super) const CLONE: usize = 220;
    pub(super) const MMAP: usize = 222;
    pub(super) const MINCORE: usize = 232;
    pub(super) const WAIT4: usize = 260;
    pub(super) const PRLIMIT: usize = 261;
}

use number::*;

/// `AT_FDCWD`: the current directory.
const HERE: usize = -100isize as usize;

/// SIGCHLD.
const CHILD: usize = 17;

/// Makes a system call with up to six arguments; returns the result, negative on error.
///
/// # Safety
/// That of the call: pointers among the arguments must be valid for it.
#[cfg(target_arch = "x86_64")]
unsafe fn call(number: usize, a: [usize; 6]) -> isize {
    let answer: isize;
    // SAFETY: `syscall` clobbers only rcx and r11; the caller guarantees valid arguments.
    unsafe {
        asm!(
            "syscall",
            inlateout("rax") number as isize => answer,
            in("rdi") a[0], in("rsi") a[1], in("rdx") a[2],
            in("r10") a[3], in("r8") a[4], in("r9") a[5],
            lateout("rcx") _, lateout("r11") _,
            options(nostack)
        );
    }
    answer
}

/// As on x86_64.
///
/// # Safety
/// The same.
#[cfg(target_arch = "aarch64")]
unsafe fn call(number: usize, a: [usize; 6]) -> isize {
    let answer: isize;
    // SAFETY: `svc` returns in x0 and clobbers nothing else; the caller guarantees valid arguments.
    unsafe {
        asm!(
            "svc 0",
            in("x8") number,
            inlateout("x0") a[0] as isize => answer,
            in("x1") a[1], in("x2") a[2],
            in("x3") a[3], in("x4") a[4], in("x5") a[5],
            options(nostack)
        );
    }
    answer
}

/// Returns the address of this thread's control block, which glibc puts at the top of the stack of
/// every thread but the first.
#[inline(always)]
pub(crate) fn thread() -> usize {
    let address: usize;
    #[cfg(target_arch = "x86_64")]
    // SAFETY: on x86_64 Linux with glibc, `fs:0x10` contains the control block's own address.
    unsafe {
        asm!("mov {}, fs:[0x10]", out(reg) address, options(nostack, readonly, pure));
    };
    #[cfg(target_arch = "aarch64")]
    // SAFETY: it reads the thread pointer register.
    unsafe {
        asm!("mrs {}, tpidr_el0", out(reg) address, options(nostack, nomem, pure));
    };
    address
}

/// Maps zeroed memory that takes space only once it is touched; returns 0 on failure.
pub(crate) fn reserve(bytes: usize) -> usize {
    // PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE.
    // SAFETY: a new mapping at an address of the kernel's choice.
    address(unsafe { call(MMAP, [0, bytes, 3, 0x4022, usize::MAX, 0]) })
}

/// Maps the first bytes of an open file, shared with other processes; returns 0 on failure.
pub(crate) fn share(fd: usize, bytes: usize) -> usize {
    // PROT_READ | PROT_WRITE, MAP_SHARED.
    // SAFETY: a new mapping at an address of the kernel's choice.
    address(unsafe { call(MMAP, [0, bytes, 3, 1, fd, 0]) })
}

fn address(answer: isize) -> usize {
    usize::try_from(answer).unwrap_or(0)
}

/// Opens a file; `path` is NUL-terminated.
pub(crate) fn open(path: &[u8], write: bool) -> Option<usize> {
    debug_assert!(path.last() == Some(&0));
    let flags = 0o2_000_000 | if write { 2 } else { 0 }; // O_CLOEXEC, O_RDWR or O_RDONLY
    // SAFETY: the path is NUL-terminated.
    let fd = unsafe { call(OPENAT, [HERE, path.as_ptr() as usize, flags, 0, 0, 0]) };
    usize::try_from(fd).ok()
}

/// Returns the device and the inode of an open file.
pub(crate) fn identity(fd: usize) -> Option<[u64; 2]> {
    stated(|stat| (FSTAT, [fd, stat, 0, 0, 0, 0]))
}

/// Returns the device and the inode of a file; `path` is NUL-terminated. It needs no descriptor: the
/// program may have none left.
pub(crate) fn identity_of(path: &[u8]) -> Option<[u64; 2]> {
    debug_assert!(path.last() == Some(&0));
    stated(|stat| (FSTATAT, [HERE, path.as_ptr() as usize, stat, 0, 0, 0]))
}

/// Makes the call for a `stat` at an address; returns the device and the inode.
fn stated(of: impl FnOnce(usize) -> (usize, [usize; 6])) -> Option<[u64; 2]> {
    // `stat` is 144 bytes on x86_64 and 128 on aarch64; device and inode are its first words.
    let mut stat = [0u64; 18];
    let (number, arguments) = of(stat.as_mut_ptr() as usize);
    // SAFETY: the buffer is valid for writes of a `stat`, and a path is NUL-terminated.
    let done = unsafe { call(number, arguments) };
    (done == 0).then_some([stat[0], stat[1]])
}

/// Reads the kernel's list of mappings into the buffer; returns its length.
pub(crate) fn mappings(into: &mut [u8]) -> Option<usize> {
    read(b"/proc/self/maps\0", into)
}

/// Reads a file up to its end or that of the buffer; returns the length.
fn read(path: &[u8], into: &mut [u8]) -> Option<usize> {
    fill(path, READ, into)
}

/// Calls `number` on an opened file until it gives nothing more; returns the bytes it gave.
fn fill(path: &[u8], number: usize, into: &mut [u8]) -> Option<usize> {
    let fd = open(path, false)?;
    let mut n = 0;
    loop {
        let rest = &mut into[n..];
        // SAFETY: the buffer is valid for writes of this length.
        let more = unsafe {
            call(
                number,
                [fd, rest.as_mut_ptr() as usize, rest.len(), 0, 0, 0],
            )
        };
        match address(more) {
            0 => break,
            more => n += more,
        }
    }
    // SAFETY: the descriptor was just opened.
    unsafe { call(CLOSE, [fd, 0, 0, 0, 0, 0]) };
    Some(n)
}

/// Returns the resident pages of this process, and those of them that belong to files; 0 where the
/// kernel does not say.
pub(crate) fn resident(scratch: &mut [u8]) -> [usize; 2] {
    let n = read(b"/proc/self/statm\0", scratch).unwrap_or(0);
    let mut numbers = scratch[..n].split(|&b| b == b' ').skip(1).map(decimal);
    let resident = numbers.next().unwrap_or(0);
    [resident, numbers.next().unwrap_or(0)]
}

fn decimal(text: &[u8]) -> usize {
    let digits = text.iter().filter(|b| b.is_ascii_digit());
    digits.fold(0, |n, b| n * 10 + usize::from(b - b'0'))
}

/// Writes the stack pointers of the threads that wait in the kernel; returns their number. Those of
/// threads that run are not known.
pub(crate) fn sleeping(into: &mut [usize], scratch: &mut [u8]) -> usize {
    let (names, text) = scratch.split_at_mut(scratch.len() / 2);
    let Some(n) = fill(b"/proc/self/task\0", GETDENTS, names) else {
        return 0;
    };
    let (mut at, mut found) = (0, 0);
    // `linux_dirent64`: the length of an entry at 16, the name from 19.
    while at + 19 < n && found < into.len() {
        let length = usize::from(u16::from_le_bytes([names[at + 16], names[at + 17]]));
        let Some(name) = names.get(at + 19..at + length) else {
            break;
        };
        at += length.max(19);
        let name = &name[..name.iter().position(|&b| b == 0).unwrap_or(name.len())];
        if !name.first().is_some_and(u8::is_ascii_digit) {
            continue;
        }
        let mut path = [0; 64];
        let mut end = 0;
        for part in [b"/proc/self/task/", name, b"/syscall"] {
            path[end..end + part.len()].copy_from_slice(part);
            end += part.len();
        }
        let Some(n) = read(&path[..=end], text) else {
            continue;
        };
        if let Some(stack) = stack_pointer(&text[..n]) {
            into[found] = stack;
            found += 1;
        }
    }
    found
}

/// Returns the stack pointer in `/proc/self/task/N/syscall`: the last number but one.
fn stack_pointer(text: &[u8]) -> Option<usize> {
    let mut words = text.trim_ascii_end().rsplit(|&b| b == b' ');
    let _program_counter = words.next()?;
    let digits = words.next()?.strip_prefix(b"0x")?;
    core::str::from_utf8(digits)
        .ok()
        .and_then(|digits| usize::from_str_radix(digits, 16).ok())
}

/// Returns how many pages of a range of memory are resident.
pub(crate) fn resident_pages(start: usize, bytes: usize, page: usize) -> usize {
    const STEP: usize = 1 << 22;
    // No kernel has smaller pages.
    let mut pages = [0u8; STEP / 4096];
    let mut found = 0;
    for from in (start..start + bytes).step_by(STEP) {
        let length = (start + bytes - from).min(STEP);
        // SAFETY: the kernel writes a byte for each page, of which the buffer has enough.
        let done = unsafe {
            call(
                MINCORE,
                [from, length, pages.as_mut_ptr() as usize, 0, 0, 0],
            )
        };
        if done == 0 {
            let here = &pages[..length.div_ceil(page)];
            found += here.iter().filter(|page| **page & 1 == 1).count();
        }
    }
    found
}

/// Returns the bytes of a page.
pub(crate) fn page() -> usize {
    const AT_PAGESZ: usize = 6;
    let mut words = [[0u8; 16]; 64];
    let n = read(b"/proc/self/auxv\0", words.as_flattened_mut()).unwrap_or(0);
    let word = |pair: &[u8; 16], at: usize| {
        let bytes: [u8; 8] = core::array::from_fn(|n| pair[at + n]);
        u64::from_le_bytes(bytes) as usize
    };
    let known = words[..n / 16].iter();
    let mut known = known.filter(|pair| word(pair, 0) == AT_PAGESZ);
    known.next().map_or(4096, |pair| word(pair, 8).max(4096))
}

/// Returns where the memory of an object ends, its zeros included: of an ELF file that begins like
/// this, whose code at this offset is mapped here.
pub(crate) fn object_end(file: &[u8], code: usize, offset: usize, page: usize) -> Option<usize> {
    const LOAD: usize = 1;
    const EXECUTABLE: usize = 1;
    let number = |at: usize, bytes: usize| {
        let found = file.get(at..at.checked_add(bytes)?)?;
        Some(found.iter().rev().fold(0, |n, b| n << 8 | usize::from(*b)))
    };
    // 64 bits.
    if !file.starts_with(b"\x7fELF\x02") {
        return None;
    }
    let (first, size, headers) = (number(32, 8)?, number(54, 2)?, number(56, 2)?);
    let (mut moved, mut last) = (None, 0);
    for header in 0..headers {
        let at = first.checked_add(header * size)?;
        if number(at, 4)? != LOAD {
            continue;
        }
        let (from, address) = (number(at + 8, 8)?, number(at + 16, 8)?);
        if number(at + 4, 4)? & EXECUTABLE != 0 && from & !(page - 1) == offset {
            moved = Some(code.wrapping_sub(address & !(page - 1)));
        }
        last = last.max(address.checked_add(number(at + 40, 8)?)?);
    }
    moved?.wrapping_add(last).checked_next_multiple_of(page)
}

/// What malloc has got from the system, in bytes.
#[derive(Clone, Copy, Default)]
pub(crate) struct Malloc {
    /// In its arenas.
    pub(crate) arenas: usize,
    /// Mapped for single blocks.
    pub(crate) mapped: usize,
    /// What of the arenas is free.
    pub(crate) free: usize,
}

/// `struct mallinfo2`.
#[repr(C)]
struct Info([usize; 10]);

// glibc has the function since 2.33. Only a word refers to it, and weakly: the preloaded recorder is
// linked without libc and so asks for no version of it. A program with the crate that is linked with
// a glibc that has the function does not start with an older one.
core::arch::global_asm!(
    ".pushsection .data.rel.ro.weigh_heap, \"aw\", %progbits",
    ".balign 8",
    ".weak mallinfo2",
    ".globl weigh_heap_mallinfo2",
    ".hidden weigh_heap_mallinfo2",
    "weigh_heap_mallinfo2: .quad mallinfo2",
    ".popsection",
);

unsafe extern "C" {
    static weigh_heap_mallinfo2: Option<unsafe extern "C" fn() -> Info>;
}

/// Returns what malloc says; zeros where it has no function that says it. It takes malloc's locks,
/// so it is not for the copied process.
pub(crate) fn malloc_state() -> Malloc {
    // SAFETY: the word holds the function's address or 0.
    match unsafe { weigh_heap_mallinfo2 } {
        Some(ask) => {
            // SAFETY: glibc's function has no arguments.
            let Info(words) = unsafe { ask() };
            Malloc {
                arenas: words[0],
                mapped: words[4],
                free: words[8],
            }
        }
        None => Malloc::default(),
    }
}

/// Does nothing: on Linux the copied process can read its own mappings.
pub(crate) fn note_mappings(_: impl Iterator<Item = usize>) {}

/// Writes memory at an offset of a file; returns false if the memory is unreadable or the disk is
/// full.
pub(crate) fn write_at(fd: usize, mut from: usize, mut bytes: usize, mut at: u64) -> bool {
    while bytes > 0 {
        // SAFETY: the kernel checks the range, and returns EFAULT if it is unreadable.
        let done = unsafe { call(PWRITE, [fd, from, bytes.min(1 << 30), at as usize, 0, 0]) };
        match usize::try_from(done) {
            Ok(done) if done > 0 => {
                from += done;
                bytes -= done;
                at += done as u64;
            }
            _ => return false,
        }
    }
    true
}

/// Writes to stderr.
#[cfg(weigh_preload)]
pub(crate) fn say(text: &str) {
    // SAFETY: the text is readable.
    unsafe { call(WRITE, [2, text.as_ptr() as usize, text.len(), 0, 0, 0]) };
}

/// Returns the path of the running program.
pub(crate) fn program(into: &mut [u8]) -> &[u8] {
    let (path, start) = (b"/proc/self/exe\0", into.as_mut_ptr() as usize);
    // SAFETY: the path is NUL-terminated, and the buffer is valid for writes.
    let n = unsafe {
        call(
            READLINKAT,
            [HERE, path.as_ptr() as usize, start, into.len(), 0, 0],
        )
    };
    &into[..address(n)]
}

pub(crate) fn pid() -> usize {
    // SAFETY: it has no arguments.
    address(unsafe { call(GETPID, [0; 6]) })
}

pub(crate) fn parent() -> usize {
    // SAFETY: it has no arguments.
    address(unsafe { call(GETPPID, [0; 6]) })
}

/// Copies this process, without a signal when the copy ends: returns `Some(0)` in the copy, and the
/// id of the copy in the original. The copy has a single thread and may call only this module.
/// Signals from the terminal do not reach it.
pub(crate) fn copy() -> Option<usize> {
    // SAFETY: without flags and stack, `clone` is `fork` without libc's handlers.
    let silent = usize::try_from(unsafe { call(CLONE, [0; 6]) });
    // Some emulators support only copies that send a signal.
    // SAFETY: the same.
    let copy = silent.or_else(|_| usize::try_from(unsafe { call(CLONE, [CHILD, 0, 0, 0, 0, 0]) }));
    let copy = copy.ok()?;
    // The copy gets its own process group. Both processes set it, since either may run first; 0 is
    // the caller itself.
    // SAFETY: no pointer is passed.
    unsafe { call(SETPGID, [copy, copy, 0, 0, 0, 0]) };
    Some(copy)
}

/// Starts a thread that no library knows of, with all signals blocked; returns whether it runs. It
/// has the first thread's control block, so it may call only this module, and lock nothing else.
pub(crate) fn start(body: extern "C" fn() -> !) -> bool {
    const STACK: usize = 1 << 18;
    // CLONE_VM, FS, FILES, SIGHAND, THREAD and SYSVSEM.
    const FLAGS: usize = 0x50f00;
    let stack = reserve(STACK);
    if stack == 0 {
        return false;
    }
    let (all, mut before) = (u64::MAX, 0u64);
    let (all, before) = ((&raw const all) as usize, (&raw mut before) as usize);
    // SIG_SETMASK; a new thread has the mask of the one that started it.
    // SAFETY: sets of signals are one word.
    unsafe { call(SIGPROCMASK, [2, all, before, 8, 0, 0]) };
    // SAFETY: the stack is new, aligned, and used by nobody else.
    let started = unsafe { spawn(FLAGS, stack + STACK, body) };
    // SAFETY: as above.
    unsafe { call(SIGPROCMASK, [2, before, 0, 8, 0, 0]) };
    started > 0
}

/// Makes the system call `clone` with a stack that begins at `top`, on which the new thread runs
/// `body`.
///
/// # Safety
/// The stack is for that thread alone, and the flags make it a thread.
#[cfg(target_arch = "x86_64")]
unsafe fn spawn(flags: usize, top: usize, body: extern "C" fn() -> !) -> isize {
    let answer: isize;
    // SAFETY: only the new thread, which gets 0, runs the code between the jump and the label.
    unsafe {
        asm!(
            "syscall",
            "test rax, rax",
            "jnz 2f",
            "xor ebp, ebp",
            "call r9",
            "ud2",
            "2:",
            inlateout("rax") CLONE as isize => answer,
            in("rdi") flags, in("rsi") top, in("rdx") 0, in("r10") 0, in("r8") 0,
            in("r9") body,
            lateout("rcx") _, lateout("r11") _,
            options(nostack)
        );
    }
    answer
}

/// As on x86_64.
///
/// # Safety
/// The same.
#[cfg(target_arch = "aarch64")]
unsafe fn spawn(flags: usize, top: usize, body: extern "C" fn() -> !) -> isize {
    let answer: isize;
    // SAFETY: as on x86_64.
    unsafe {
        asm!(
            "svc 0",
            "cbnz x0, 2f",
            "mov x29, xzr",
            "blr x9",
            "brk #1",
            "2:",
            in("x8") CLONE,
            inlateout("x0") flags as isize => answer,
            in("x1") top, in("x2") 0, in("x3") 0, in("x4") 0,
            in("x9") body,
            options(nostack)
        );
    }
    answer
}

/// Prepares a copied process for writing: signals and limits that are the program's do not stop it,
/// and standard streams are closed, all but `file`.
pub(crate) fn detach(file: usize) {
    let all = u64::MAX;
    // SIG_SETMASK. A fault that is blocked ends the copy without a handler of the program.
    // SAFETY: the set of signals is one word.
    unsafe { call(SIGPROCMASK, [2, (&raw const all) as usize, 0, 8, 0, 0]) };
    for stream in (0..3).filter(|&stream| stream != file) {
        // SAFETY: the copy does not use its standard streams.
        unsafe { call(CLOSE, [stream, 0, 0, 0, 0, 0]) };
    }
    // RLIMIT_FSIZE, RLIMIT_NOFILE, RLIMIT_AS: without limit where that is permitted, else as much as
    // is.
    for limit in [1, 7, 9] {
        let mut allowed = [0usize; 2];
        let read = allowed.as_mut_ptr() as usize;
        // SAFETY: the two words are an `rlimit64`.
        unsafe { call(PRLIMIT, [0, limit, 0, read, 0, 0]) };
        for maximum in [usize::MAX, allowed[1]] {
            let set = [maximum, maximum];
            // SAFETY: the two words are an `rlimit64`.
            if unsafe { call(PRLIMIT, [0, limit, set.as_ptr() as usize, 0, 0, 0]) } == 0 {
                break;
            }
        }
    }
}

/// Waits until a copied process has ended, and reaps it.
pub(crate) fn reap(pid: usize) {
    // EINTR: a signal of the program was handled meanwhile.
    const INTERRUPTED: isize = -4;
    // __WALL.
    // SAFETY: no pointer is passed.
    while unsafe { call(WAIT4, [pid, 0, 0x4000_0000, 0, 0, 0]) } == INTERRUPTED {}
}

pub(crate) fn kill(pid: usize) {
    // SIGKILL.
    // SAFETY: no pointer is passed.
    unsafe { call(KILL, [pid, 9, 0, 0, 0, 0]) };
}

/// Exits this process at once.
pub(crate) fn exit() -> ! {
    loop {
        // SAFETY: no pointer is passed.
        unsafe { call(EXIT_GROUP, [0; 6]) };
    }
}

/// Sleeps for this many milliseconds.
pub(crate) fn sleep(milliseconds: usize) {
    let time = [milliseconds / 1000, milliseconds % 1000 * 1_000_000];
    // SAFETY: the two words are a `timespec`.
    unsafe { call(NANOSLEEP, [time.as_ptr() as usize, 0, 0, 0, 0, 0]) };
}

/// Returns the maximum size of the first thread's stack, in bytes.
pub(crate) fn stack_limit() -> usize {
    let mut limit = [0usize; 2];
    // RLIMIT_STACK.
    // SAFETY: the two words are an `rlimit64`.
    unsafe { call(PRLIMIT, [0, 3, 0, limit.as_mut_ptr() as usize, 0, 0]) };
    limit[0].clamp(1 << 20, 1 << 30)
}

unsafe extern "C" {
    static environ: *const *const u8;
    static __libc_stack_end: usize;
}

/// Returns the list of environment strings; null before libc is initialized.
pub(crate) fn environment() -> *const *const u8 {
    // SAFETY: `environ` is a word of libc.
    unsafe { environ }
}

/// Returns the end of the first thread's stack.
pub(crate) fn stack_end() -> usize {
    // SAFETY: the dynamic linker sets it before any code of the program runs.
    unsafe { __libc_stack_end }
}

/// Does nothing: the dynamic linker runs `.fini_array` at exit.
pub(crate) fn at_end(_: extern "C" fn()) {}

#[cfg(test)]
mod tests {
    use super::{object_end, page};

    unsafe extern "C" {
        /// The linker's symbol at the end of the program's zeros.
        static _end: u8;
    }

    #[test]
    fn the_end_of_an_object_is_that_of_its_zeros() {
        let program = std::env::current_exe().unwrap();
        let file = std::fs::read(&program).unwrap();
        let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
        let is_code =
            |line: &&str| line.contains("r-xp") && line.ends_with(program.to_str().unwrap());
        let words: Vec<&str> = maps.lines().find(is_code).unwrap().split(' ').collect();
        let hex = |text: &str| usize::from_str_radix(text, 16).unwrap();
        let (code, offset) = (hex(words[0].split('-').next().unwrap()), hex(words[2]));
        let wanted = (&raw const _end as usize).next_multiple_of(page());
        assert_eq!(object_end(&file, code, offset, page()), Some(wanted));
        // Of another part of the file, and of what is no such file or ends before.
        assert_eq!(object_end(&file, code, offset + page(), page()), None);
        for n in 0..64 + 56 {
            assert_eq!(object_end(&file[..n], code, offset, page()), None, "{n}");
        }
    }
}
