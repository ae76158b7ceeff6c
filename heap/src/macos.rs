//! The system interface of the recorder on macOS, as `sys.rs` for Linux. Untested: it is compiled
//! and linked, but was never run.
//!
//! Uses raw system calls: libSystem's `fork` runs registered handlers, which may allocate.
//! Functions of libSystem are called only if they neither lock nor allocate, or before the program
//! begins.

use core::arch::asm;
use core::ptr::null;
use core::sync::atomic::{AtomicUsize, Ordering};

/// Numbers of system calls in the Unix class.
mod number {
    #[cfg(target_arch = "x86_64")]
    const CLASS: usize = 0x200_0000;
    #[cfg(target_arch = "aarch64")]
    const CLASS: usize = 0;
    pub(super) const EXIT: usize = CLASS + 1;
    pub(super) const FORK: usize = CLASS + 2;
    pub(super) const OPEN: usize = CLASS + 5;
    pub(super) const WAIT4: usize = CLASS + 7;
    pub(super) const GETPID: usize = CLASS + 20;
    pub(super) const KILL: usize = CLASS + 37;
    pub(super) const GETPPID: usize = CLASS + 39;
    pub(super) const SETPGID: usize = CLASS + 82;
    pub(super) const PWRITE: usize = CLASS + 154;
    pub(super) const GETRLIMIT: usize = CLASS + 194;
    pub(super) const MMAP: usize = CLASS + 197;
    pub(super) const POLL: usize = CLASS + 230;
}

use number::*;

unsafe extern "C" {
    static mach_task_self_: u32;
    fn mach_vm_region(
        task: u32,
        address: *mut u64,
        size: *mut u64,
        flavor: i32,
        info: *mut i32,
        count: *mut u32,
        object: *mut u32,
    ) -> i32;
    fn pthread_self() -> usize;
    fn pthread_get_stackaddr_np(thread: usize) -> usize;
    fn atexit(function: extern "C" fn()) -> i32;
    fn _NSGetEnviron() -> *const *const *const u8;
    fn _NSGetExecutablePath(buffer: *mut u8, size: *mut u32) -> i32;
    fn _dyld_image_count() -> u32;
    fn _dyld_get_image_header(index: u32) -> *const u32;
    fn _dyld_get_image_vmaddr_slide(index: u32) -> usize;
}

/// Makes a system call with up to six arguments; returns both results, the first negative on error.
///
/// # Safety
/// That of the call: pointers among the arguments must be valid for it.
#[cfg(target_arch = "x86_64")]
unsafe fn call(number: usize, a: [usize; 6]) -> (isize, usize) {
    let (answer, second, failed): (isize, usize, isize);
    // SAFETY: `syscall` clobbers rcx and r11, and returns in rax, rdx and the carry flag; the
    // caller guarantees valid arguments.
    unsafe {
        asm!(
            "syscall",
            "sbb {failed}, {failed}",
            failed = out(reg) failed,
            inlateout("rax") number as isize => answer,
            in("rdi") a[0], in("rsi") a[1], inlateout("rdx") a[2] => second,
            in("r10") a[3], in("r8") a[4], in("r9") a[5],
            lateout("rcx") _, lateout("r11") _,
            options(nostack)
        );
    }
    (if failed == 0 { answer } else { -answer }, second)
}

/// As on x86_64.
///
/// # Safety
/// The same.
#[cfg(target_arch = "aarch64")]
unsafe fn call(number: usize, a: [usize; 6]) -> (isize, usize) {
    let (answer, second, failed): (isize, usize, usize);
    // SAFETY: `svc` returns in x0, x1 and the carry flag; the caller guarantees valid arguments.
    unsafe {
        asm!(
            "svc 0x80",
            "cset {failed}, cs",
            failed = out(reg) failed,
            in("x16") number,
            inlateout("x0") a[0] as isize => answer,
            inlateout("x1") a[1] => second,
            in("x2") a[2], in("x3") a[3], in("x4") a[4], in("x5") a[5],
            lateout("x17") _,
            options(nostack)
        );
    }
    (if failed == 0 { answer } else { -answer }, second)
}

/// Returns the address of the last two words of the current thread's stack.
#[inline(always)]
pub(crate) fn thread() -> usize {
    // SAFETY: a thread may query itself at any time; the results are stored with it.
    unsafe { pthread_get_stackaddr_np(pthread_self()) - 16 }
}

/// Returns the end of the first thread's stack: that thread calls this.
pub(crate) fn stack_end() -> usize {
    thread()
}

/// Maps zeroed memory that takes space only once it is touched; returns 0 on failure.
pub(crate) fn reserve(bytes: usize) -> usize {
    // PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON | MAP_NORESERVE.
    // SAFETY: a new mapping at an address of the kernel's choice.
    address(unsafe { call(MMAP, [0, bytes, 3, 0x1042, usize::MAX, 0]) }.0)
}

/// Maps the first bytes of an open file, shared with other processes; returns 0 on failure.
pub(crate) fn share(fd: usize, bytes: usize) -> usize {
    // PROT_READ | PROT_WRITE, MAP_SHARED.
    // SAFETY: a new mapping at an address of the kernel's choice.
    address(unsafe { call(MMAP, [0, bytes, 3, 1, fd, 0]) }.0)
}

fn address(answer: isize) -> usize {
    usize::try_from(answer).unwrap_or(0)
}

/// Opens a file; `path` is NUL-terminated.
pub(crate) fn open(path: &[u8], write: bool) -> Option<usize> {
    debug_assert!(path.last() == Some(&0));
    let flags = 0x100_0000 | if write { 2 } else { 0 }; // O_CLOEXEC, O_RDWR or O_RDONLY
    // SAFETY: the path is NUL-terminated.
    let fd = unsafe { call(OPEN, [path.as_ptr() as usize, flags, 0, 0, 0, 0]) }.0;
    usize::try_from(fd).ok()
}

/// Writes memory at an offset of a file; returns false if the memory is unreadable or the disk is
/// full.
pub(crate) fn write_at(fd: usize, mut from: usize, mut bytes: usize, mut at: u64) -> bool {
    while bytes > 0 {
        // SAFETY: the kernel checks the range, and returns EFAULT if it is unreadable.
        let done = unsafe { call(PWRITE, [fd, from, bytes.min(1 << 30), at as usize, 0, 0]) }.0;
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

/// Returns the path of the running program, as it was started.
pub(crate) fn program(into: &mut [u8]) -> &[u8] {
    let mut size = into.len() as u32;
    // SAFETY: the buffer is valid for this size.
    if unsafe { _NSGetExecutablePath(into.as_mut_ptr(), &raw mut size) } != 0 {
        return &[];
    }
    let n = into.iter().position(|&b| b == 0).unwrap_or(0);
    &into[..n]
}

pub(crate) fn pid() -> usize {
    // SAFETY: it has no arguments.
    address(unsafe { call(GETPID, [0; 6]) }.0)
}

pub(crate) fn parent() -> usize {
    // SAFETY: it has no arguments.
    address(unsafe { call(GETPPID, [0; 6]) }.0)
}

/// Copies this process: returns `Some(0)` in the copy, and the id of the copy in the original. The
/// copy has a single thread and may call only this module. Signals from the terminal do not reach
/// it; the program gets a SIGCHLD when it ends, as for any child.
pub(crate) fn copy() -> Option<usize> {
    // SAFETY: it has no arguments.
    let (answer, is_copy) = unsafe { call(FORK, [0; 6]) };
    let copy = usize::try_from(answer).ok()?;
    let copy = if is_copy == 1 { 0 } else { copy };
    // The copy gets its own process group. Both processes set it, since either may run first; 0 is
    // the caller itself.
    // SAFETY: no pointer is passed.
    unsafe { call(SETPGID, [copy, copy, 0, 0, 0, 0]) };
    Some(copy)
}

/// Starts no thread: censuses on request are for Linux.
pub(crate) fn start(_: extern "C" fn() -> !) -> bool {
    false
}

/// Returns nothing: censuses on request are for Linux.
pub(crate) fn identity_of(_: &[u8]) -> Option<[u64; 2]> {
    None
}

/// Does not distinguish files: a program that closes the file of the census is not recognized here.
pub(crate) fn identity(_: usize) -> Option<[u64; 2]> {
    Some([0; 2])
}

/// Does nothing: signals and limits of the program hold for its copy here.
pub(crate) fn detach(_: usize) {}

/// Waits until a copied process has ended, and reaps it.
pub(crate) fn reap(pid: usize) {
    // EINTR: a signal of the program was handled meanwhile.
    const INTERRUPTED: isize = -4;
    // SAFETY: no pointer is passed.
    while unsafe { call(WAIT4, [pid, 0, 0, 0, 0, 0]) }.0 == INTERRUPTED {}
}

pub(crate) fn kill(pid: usize) {
    // SIGKILL, with the flag for POSIX semantics.
    // SAFETY: no pointer is passed.
    unsafe { call(KILL, [pid, 9, 1, 0, 0, 0]) };
}

/// Exits this process at once.
pub(crate) fn exit() -> ! {
    loop {
        // SAFETY: no pointer is passed.
        unsafe { call(EXIT, [0; 6]) };
    }
}

/// Sleeps for this many milliseconds.
pub(crate) fn sleep(milliseconds: usize) {
    // SAFETY: the list of files is empty.
    unsafe { call(POLL, [0, 0, milliseconds, 0, 0, 0]) };
}

/// Returns the maximum size of the first thread's stack, in bytes.
pub(crate) fn stack_limit() -> usize {
    let mut limit = [0usize; 2];
    // RLIMIT_STACK.
    // SAFETY: the two words are an `rlimit`.
    unsafe { call(GETRLIMIT, [3, limit.as_mut_ptr() as usize, 0, 0, 0, 0]) };
    limit[0].clamp(1 << 20, 1 << 30)
}

/// Returns the list of environment strings; null before it exists.
pub(crate) fn environment() -> *const *const u8 {
    // SAFETY: `_NSGetEnviron` returns the address of a word of libSystem.
    unsafe {
        let list = _NSGetEnviron();
        if list.is_null() { null() } else { *list }
    }
}

/// The address of the program's Mach-O header, and the program's load offset.
static HEADER: AtomicUsize = AtomicUsize::new(0);
static SLIDE: AtomicUsize = AtomicUsize::new(0);

/// Registers a function to run at exit, and finds the program's header while no thread waits for a
/// lock of the recorder.
pub(crate) fn at_end(function: extern "C" fn()) {
    const MH_EXECUTE: u32 = 2;
    // SAFETY: the dynamic linker keeps headers while their images are loaded, and the program
    // always is.
    unsafe {
        atexit(function);
        for index in 0.._dyld_image_count() {
            let header = _dyld_get_image_header(index);
            if !header.is_null() && *header.add(3) == MH_EXECUTE {
                HEADER.store(header as usize, Ordering::Relaxed);
                SLIDE.store(_dyld_get_image_vmaddr_slide(index), Ordering::Relaxed);
                return;
            }
        }
    }
}

/// Maximum size of the list of mappings, in bytes.
const ROOM: usize = 1 << 20;

static NOTED: AtomicUsize = AtomicUsize::new(0);
static NOTED_BYTES: AtomicUsize = AtomicUsize::new(0);

/// Stores what a copy needs but has no rights to query: the program's segments, and the stacks of
/// live threads. All locks of the recorder must be held.
pub(crate) fn note_mappings(threads: impl Iterator<Item = usize>) {
    let memory = match NOTED.load(Ordering::Relaxed) {
        0 => reserve(ROOM),
        memory => memory,
    };
    if memory == 0 {
        return;
    }
    NOTED.store(memory, Ordering::Relaxed);
    // SAFETY: this memory has no other use, and the locks make this the only reference.
    let text = unsafe { core::slice::from_raw_parts_mut(memory as *mut u8, ROOM) };
    let mut list = List { text, used: 0 };
    segments(&mut list);
    for thread in threads {
        if let Some((from, to)) = writable(thread) {
            list.line(from, to.min(thread + 16), true, 0, b"[stack]");
        }
    }
    NOTED_BYTES.store(list.used, Ordering::Relaxed);
}

/// Copies the stored list of mappings in Linux's format; returns its length.
pub(crate) fn mappings(into: &mut [u8]) -> Option<usize> {
    let (memory, n) = (
        NOTED.load(Ordering::Relaxed),
        NOTED_BYTES.load(Ordering::Relaxed),
    );
    let into = into.get_mut(..n).filter(|_| memory != 0)?;
    // SAFETY: `note_mappings` wrote this many bytes.
    into.copy_from_slice(unsafe { core::slice::from_raw_parts(memory as *const u8, n) });
    Some(n)
}

/// Lists the segments of the program from its header.
fn segments(list: &mut List<'_>) {
    const LC_SEGMENT_64: u32 = 0x19;
    const READ_WRITE: u32 = 3;
    /// Written before the program begins, and read-only afterwards.
    const SG_READ_ONLY: u32 = 0x10;
    let (header, slide) = (
        HEADER.load(Ordering::Relaxed),
        SLIDE.load(Ordering::Relaxed),
    );
    if header == 0 {
        return;
    }
    let mut buffer = [0; 1024];
    let path = program(&mut buffer);
    // SAFETY: the header has 32 bytes; its fifth word is the number of load commands after it.
    let commands = unsafe { *((header + 16) as *const u32) };
    let mut at = header + 32;
    for _ in 0..commands {
        // SAFETY: load commands are contiguous and aligned to 8; each begins with its kind and its
        // size, and a segment command has 72 bytes.
        unsafe {
            let (what, bytes) = (*(at as *const u32), *((at + 4) as *const u32));
            if what == LC_SEGMENT_64 {
                let [from, size, offset, _] = *((at + 24) as *const [usize; 4]);
                let [_, protection, _, flags] = *((at + 56) as *const [u32; 4]);
                let writable = protection & READ_WRITE == READ_WRITE && flags & SG_READ_ONLY == 0;
                // A segment without any access is reserved address space.
                if protection != 0 {
                    let from = from.wrapping_add(slide);
                    list.line(from, from + size, writable, offset, path);
                }
            }
            at += bytes as usize;
        }
    }
}

/// Returns the mapping of an address, if it is readable and writable.
fn writable(address: usize) -> Option<(usize, usize)> {
    const BASIC_INFO_64: i32 = 9;
    const READ_WRITE: i32 = 3;
    let (mut from, mut size, mut object) = (address as u64, 0, 0);
    let mut info = [0; 9];
    let mut count = info.len() as u32;
    // SAFETY: each pointer is to a local variable, and `count` is the length of `info`.
    let failed = unsafe {
        mach_vm_region(
            mach_task_self_,
            &raw mut from,
            &raw mut size,
            BASIC_INFO_64,
            info.as_mut_ptr(),
            &raw mut count,
            &raw mut object,
        )
    };
    let found = failed == 0 && from <= address as u64 && info[0] & READ_WRITE == READ_WRITE;
    found.then_some((from as usize, (from + size) as usize))
}

/// A list of mappings under construction.
struct List<'l> {
    text: &'l mut [u8],
    used: usize,
}

impl List<'_> {
    /// Appends a line as in `/proc/self/maps`; does nothing if it does not fit.
    fn line(&mut self, from: usize, to: usize, writable: bool, offset: usize, path: &[u8]) {
        let start = self.used;
        let rights: &[u8] = if writable { b" rw-p " } else { b" r--p " };
        let whole = self.hex(from)
            && self.put(b"-")
            && self.hex(to)
            && self.put(rights)
            && self.hex(offset)
            && self.put(b" 00:00 0 ")
            && self.put(path)
            && self.put(b"\n");
        if !whole {
            self.used = start;
        }
    }

    fn put(&mut self, text: &[u8]) -> bool {
        let Some(room) = self.text.get_mut(self.used..self.used + text.len()) else {
            return false;
        };
        room.copy_from_slice(text);
        self.used += text.len();
        true
    }

    fn hex(&mut self, number: usize) -> bool {
        let digits = (usize::BITS - number.leading_zeros()).div_ceil(4).max(1);
        (0..digits).rev().all(|digit| {
            let digit = number >> (digit * 4) & 0xf;
            self.put(&[b"0123456789abcdef"[digit]])
        })
    }
}

/// What malloc has got from the system: not known here.
#[derive(Clone, Copy, Default)]
pub(crate) struct Malloc {
    pub(crate) arenas: usize,
    pub(crate) mapped: usize,
    pub(crate) free: usize,
}

/// Returns zeros: only glibc says it.
pub(crate) fn malloc_state() -> Malloc {
    Malloc::default()
}

/// Returns zeros: it is not asked for here.
pub(crate) fn resident(_: &mut [u8]) -> [usize; 2] {
    [0; 2]
}

/// Returns 0: it is not asked for here.
pub(crate) fn resident_pages(_: usize, _: usize, _: usize) -> usize {
    0
}

/// Returns the bytes of a page of the smallest kind: no number is counted in pages here.
pub(crate) fn page() -> usize {
    4096
}

/// Returns none: zeros are part of the program's segments here.
pub(crate) fn object_end(_: &[u8], _: usize, _: usize, _: usize) -> Option<usize> {
    None
}

/// Returns 0: the stack pointers of other threads are not asked for here.
pub(crate) fn sleeping(_: &mut [usize], _: &mut [u8]) -> usize {
    0
}
