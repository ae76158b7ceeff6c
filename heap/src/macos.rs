//! What the recorder asks of macOS, as `sys.rs` asks Linux. Untested: compiled and linked, never run.
//!
//! Raw system calls, as there: libSystem's `fork` calls what the program has registered, and that
//! may allocate. Of libSystem is asked what neither locks nor allocates; what may, before the
//! program begins.

use core::arch::asm;
use core::ptr::null;
use core::sync::atomic::{AtomicUsize, Ordering};

/// Numbers of system calls, of the class that Unix has.
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

/// A system call with up to six arguments; the kernel's two answers, the first negative for an
/// error.
///
/// # Safety
/// As the call itself: pointers among the arguments must be valid for what the kernel does.
#[cfg(target_arch = "x86_64")]
unsafe fn call(number: usize, a: [usize; 6]) -> (isize, usize) {
    let (answer, second, failed): (isize, usize, isize);
    // SAFETY: `syscall` clobbers rcx and r11, and answers in rax, rdx and the carry flag; the
    // caller vouches for the arguments.
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
/// Likewise.
#[cfg(target_arch = "aarch64")]
unsafe fn call(number: usize, a: [usize; 6]) -> (isize, usize) {
    let (answer, second, failed): (isize, usize, usize);
    // SAFETY: `svc` answers in x0, x1 and the carry flag; the caller vouches for the arguments.
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

/// The last words of this thread's stack.
#[inline(always)]
pub(crate) fn thread() -> usize {
    // SAFETY: a thread may ask both of itself at any time; the answers are kept with it.
    unsafe { pthread_get_stackaddr_np(pthread_self()) - 16 }
}

/// Where the first thread's stack ends: the one that decides.
pub(crate) fn stack_end() -> usize {
    thread()
}

/// Zeroed memory of so many bytes that only counts once it is touched; 0 when there is none.
pub(crate) fn reserve(bytes: usize) -> usize {
    // PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON | MAP_NORESERVE.
    // SAFETY: a new mapping at a place that the kernel chooses.
    address(unsafe { call(MMAP, [0, bytes, 3, 0x1042, usize::MAX, 0]) }.0)
}

/// The first bytes of an open file, shared with whoever else has it; 0 when that fails.
pub(crate) fn share(fd: usize, bytes: usize) -> usize {
    // PROT_READ | PROT_WRITE, MAP_SHARED.
    // SAFETY: a new mapping at a place that the kernel chooses.
    address(unsafe { call(MMAP, [0, bytes, 3, 1, fd, 0]) }.0)
}

fn address(answer: isize) -> usize {
    usize::try_from(answer).unwrap_or(0)
}

/// Opens a file; `path` ends with a NUL.
pub(crate) fn open(path: &[u8], write: bool) -> Option<usize> {
    debug_assert!(path.last() == Some(&0));
    let flags = 0x100_0000 | if write { 2 } else { 0 }; // O_CLOEXEC, O_RDWR or O_RDONLY
    // SAFETY: the path is terminated.
    let fd = unsafe { call(OPEN, [path.as_ptr() as usize, flags, 0, 0, 0, 0]) }.0;
    usize::try_from(fd).ok()
}

/// Writes memory to a place in a file. False when the memory cannot be read or the disk is full.
pub(crate) fn write_at(fd: usize, mut from: usize, mut bytes: usize, mut at: u64) -> bool {
    while bytes > 0 {
        // SAFETY: the kernel checks the range and answers EFAULT where it is not readable.
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

/// The file of the program that runs, as it was started.
pub(crate) fn program(into: &mut [u8]) -> &[u8] {
    let mut size = into.len() as u32;
    // SAFETY: the buffer is ours, and has that size.
    if unsafe { _NSGetExecutablePath(into.as_mut_ptr(), &raw mut size) } != 0 {
        return &[];
    }
    let n = into.iter().position(|&b| b == 0).unwrap_or(0);
    &into[..n]
}

pub(crate) fn pid() -> usize {
    // SAFETY: has no arguments.
    address(unsafe { call(GETPID, [0; 6]) }.0)
}

pub(crate) fn parent() -> usize {
    // SAFETY: has no arguments.
    address(unsafe { call(GETPPID, [0; 6]) }.0)
}

/// A copy of this process: `Some(0)` in the copy, its id in the original. The copy has one thread,
/// and must call nothing but this module. What a terminal sends to all that run in it does not reach
/// the copy; that it has ended the program is told, as of any process that it starts.
pub(crate) fn copy() -> Option<usize> {
    // SAFETY: has no arguments.
    let (answer, is_copy) = unsafe { call(FORK, [0; 6]) };
    let copy = usize::try_from(answer).ok()?;
    let copy = if is_copy == 1 { 0 } else { copy };
    // It gets a group of its own. Both ask for it, because either may go on first; 0 is itself.
    // SAFETY: no pointer is passed.
    unsafe { call(SETPGID, [copy, copy, 0, 0, 0, 0]) };
    Some(copy)
}

/// Takes away what is left of a copy that has ended, or waits until it has.
pub(crate) fn reap(pid: usize) {
    // SAFETY: no pointer is passed.
    unsafe { call(WAIT4, [pid, 0, 0, 0, 0, 0]) };
}

pub(crate) fn kill(pid: usize) {
    // SIGKILL, as POSIX has it.
    // SAFETY: no pointer is passed.
    unsafe { call(KILL, [pid, 9, 1, 0, 0, 0]) };
}

/// Ends this process at once.
pub(crate) fn exit() -> ! {
    loop {
        // SAFETY: no pointer is passed.
        unsafe { call(EXIT, [0; 6]) };
    }
}

/// Sleeps for some milliseconds.
pub(crate) fn sleep(milliseconds: usize) {
    // SAFETY: there are no files to wait for.
    unsafe { call(POLL, [0, 0, milliseconds, 0, 0, 0]) };
}

/// The most bytes that the first thread's stack may have.
pub(crate) fn stack_limit() -> usize {
    let mut limit = [0usize; 2];
    // RLIMIT_STACK.
    // SAFETY: the two words are an `rlimit`.
    unsafe { call(GETRLIMIT, [3, limit.as_mut_ptr() as usize, 0, 0, 0, 0]) };
    limit[0].clamp(1 << 20, 1 << 30)
}

/// The list of the environment's texts; null before there is one.
pub(crate) fn environment() -> *const *const u8 {
    // SAFETY: gives the address of a word of libSystem's.
    unsafe {
        let list = _NSGetEnviron();
        if list.is_null() { null() } else { *list }
    }
}

/// Where the program's own header is, and what was added to the addresses in its file.
static HEADER: AtomicUsize = AtomicUsize::new(0);
static SLIDE: AtomicUsize = AtomicUsize::new(0);

/// Has this called at the end; and finds the program, as long as nobody waits for a lock of the
/// recorder.
pub(crate) fn at_end(function: extern "C" fn()) {
    const MH_EXECUTE: u32 = 2;
    // SAFETY: the dynamic linker keeps headers for as long as their images are loaded, and the
    // program always is.
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

/// Room for the list of mappings.
const ROOM: usize = 1 << 20;

static NOTED: AtomicUsize = AtomicUsize::new(0);
static NOTED_BYTES: AtomicUsize = AtomicUsize::new(0);

/// Notes what a copy will ask for, which has no rights of its own to ask: the program's segments,
/// and the stacks of threads that still run. With all locks of the recorder held.
pub(crate) fn note_mappings(threads: impl Iterator<Item = usize>) {
    let memory = match NOTED.load(Ordering::Relaxed) {
        0 => reserve(ROOM),
        memory => memory,
    };
    if memory == 0 {
        return;
    }
    NOTED.store(memory, Ordering::Relaxed);
    // SAFETY: mapped for this alone, and whoever holds the locks is the only one here.
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

/// What was noted, as Linux writes such a list; its bytes.
pub(crate) fn mappings(into: &mut [u8]) -> Option<usize> {
    let (memory, n) = (
        NOTED.load(Ordering::Relaxed),
        NOTED_BYTES.load(Ordering::Relaxed),
    );
    let into = into.get_mut(..n).filter(|_| memory != 0)?;
    // SAFETY: `note_mappings` has written that much.
    into.copy_from_slice(unsafe { core::slice::from_raw_parts(memory as *const u8, n) });
    Some(n)
}

/// The segments of the program, by its header.
fn segments(list: &mut List<'_>) {
    const LC_SEGMENT_64: u32 = 0x19;
    const READ_WRITE: u32 = 3;
    /// Written to before the program begins, and not again.
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
    // SAFETY: a header of 32 bytes, the fifth word of which says how many commands follow.
    let commands = unsafe { *((header + 16) as *const u32) };
    let mut at = header + 32;
    for _ in 0..commands {
        // SAFETY: commands lie behind each other, aligned to 8; the first two words are what each
        // is and its bytes, and a segment has 72.
        unsafe {
            let (what, bytes) = (*(at as *const u32), *((at + 4) as *const u32));
            if what == LC_SEGMENT_64 {
                let [from, size, offset, _] = *((at + 24) as *const [usize; 4]);
                let [_, protection, _, flags] = *((at + 56) as *const [u32; 4]);
                let writable = protection & READ_WRITE == READ_WRITE && flags & SG_READ_ONLY == 0;
                // What may not even be read is there to be empty.
                if protection != 0 {
                    let from = from.wrapping_add(slide);
                    list.line(from, from + size, writable, offset, path);
                }
            }
            at += bytes as usize;
        }
    }
}

/// The mapping that an address is in, if it can be read and written.
fn writable(address: usize) -> Option<(usize, usize)> {
    const BASIC_INFO_64: i32 = 9;
    const READ_WRITE: i32 = 3;
    let (mut from, mut size, mut object) = (address as u64, 0, 0);
    let mut info = [0; 9];
    let mut count = info.len() as u32;
    // SAFETY: each pointer is to one of the variables, and `count` says how long the list is.
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

/// A list of mappings while it is written.
struct List<'l> {
    text: &'l mut [u8],
    used: usize,
}

impl List<'_> {
    /// A line as in `/proc/self/maps`, or nothing where there is no more room.
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
