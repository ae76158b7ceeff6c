//! What the recorder asks of the kernel and the processor: raw system calls and three registers, on
//! x86_64 and aarch64.
//!
//! libc is not asked, because its functions may allocate or lock, and the recorder runs inside
//! `malloc`.

use core::arch::asm;

/// Numbers of system calls.
#[cfg(target_arch = "x86_64")]
mod number {
    #[cfg(weigh_preload)]
    pub(super) const WRITE: usize = 1;
    pub(super) const READ: usize = 0;
    pub(super) const CLOSE: usize = 3;
    pub(super) const MMAP: usize = 9;
    pub(super) const PWRITE: usize = 18;
    pub(super) const NANOSLEEP: usize = 35;
    pub(super) const GETPID: usize = 39;
    pub(super) const CLONE: usize = 56;
    pub(super) const WAIT4: usize = 61;
    pub(super) const KILL: usize = 62;
    pub(super) const SETPGID: usize = 109;
    pub(super) const GETPPID: usize = 110;
    pub(super) const EXIT_GROUP: usize = 231;
    pub(super) const OPENAT: usize = 257;
    pub(super) const READLINKAT: usize = 267;
    pub(super) const PRLIMIT: usize = 302;
}

/// Numbers of system calls: the kernel's for every newer machine.
#[cfg(target_arch = "aarch64")]
mod number {
    #[cfg(weigh_preload)]
    pub(super) const WRITE: usize = 64;
    pub(super) const OPENAT: usize = 56;
    pub(super) const CLOSE: usize = 57;
    pub(super) const READ: usize = 63;
    pub(super) const PWRITE: usize = 68;
    pub(super) const READLINKAT: usize = 78;
    pub(super) const EXIT_GROUP: usize = 94;
    pub(super) const NANOSLEEP: usize = 101;
    pub(super) const KILL: usize = 129;
    pub(super) const SETPGID: usize = 154;
    pub(super) const GETPID: usize = 172;
    pub(super) const GETPPID: usize = 173;
    pub(super) const CLONE: usize = 220;
    pub(super) const MMAP: usize = 222;
    pub(super) const WAIT4: usize = 260;
    pub(super) const PRLIMIT: usize = 261;
}

use number::*;

/// A folder's place that stands for the working one.
const HERE: usize = -100isize as usize;

/// The signal of a process whose child has ended.
const CHILD: usize = 17;

/// A system call with up to six arguments; the kernel's answer, negative for an error.
///
/// # Safety
/// As the call itself: pointers among the arguments must be valid for what the kernel does.
#[cfg(target_arch = "x86_64")]
unsafe fn call(number: usize, a: [usize; 6]) -> isize {
    let answer: isize;
    // SAFETY: `syscall` clobbers rcx and r11 alone; the caller vouches for the arguments.
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
/// Likewise.
#[cfg(target_arch = "aarch64")]
unsafe fn call(number: usize, a: [usize; 6]) -> isize {
    let answer: isize;
    // SAFETY: `svc` gives its answer in x0 and clobbers nothing else; the caller vouches for the
    // arguments.
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

/// The address of this thread's control block. glibc puts it at the top of the stack of every
/// thread but the first.
#[inline(always)]
pub(crate) fn thread() -> usize {
    let address: usize;
    #[cfg(target_arch = "x86_64")]
    // SAFETY: on x86_64 Linux with glibc `fs:0x10` holds the control block's own address.
    unsafe {
        asm!("mov {}, fs:[0x10]", out(reg) address, options(nostack, readonly, pure));
    };
    #[cfg(target_arch = "aarch64")]
    // SAFETY: reads the register that every thread has for this.
    unsafe {
        asm!("mrs {}, tpidr_el0", out(reg) address, options(nostack, nomem, pure));
    };
    address
}

/// The frame pointer of the function that this is inlined into.
#[inline(always)]
pub(crate) fn frame() -> usize {
    let address: usize;
    #[cfg(target_arch = "x86_64")]
    // SAFETY: reads a register.
    unsafe {
        asm!("mov {}, rbp", out(reg) address, options(nostack, nomem));
    };
    #[cfg(target_arch = "aarch64")]
    // SAFETY: reads a register.
    unsafe {
        asm!("mov {}, x29", out(reg) address, options(nostack, nomem));
    };
    address
}

/// The stack pointer.
#[inline(always)]
pub(crate) fn stack() -> usize {
    let address: usize;
    #[cfg(target_arch = "x86_64")]
    // SAFETY: reads a register.
    unsafe {
        asm!("mov {}, rsp", out(reg) address, options(nostack, nomem));
    };
    #[cfg(target_arch = "aarch64")]
    // SAFETY: reads a register.
    unsafe {
        asm!("mov {}, sp", out(reg) address, options(nostack, nomem));
    };
    address
}

/// The registers that a function leaves as its caller had them: owners of blocks may be in these
/// alone.
#[inline(always)]
pub(crate) fn registers() -> [usize; 10] {
    let mut all = [0; 10];
    #[cfg(target_arch = "x86_64")]
    // SAFETY: five words are written, to an array of ten.
    unsafe {
        asm!(
            "mov [{0}], rbx",
            "mov [{0} + 8], r12",
            "mov [{0} + 16], r13",
            "mov [{0} + 24], r14",
            "mov [{0} + 32], r15",
            in(reg) all.as_mut_ptr(),
            options(nostack, preserves_flags)
        );
    };
    #[cfg(target_arch = "aarch64")]
    // SAFETY: ten words are written, to an array of ten.
    unsafe {
        asm!(
            "stp x19, x20, [{0}]",
            "stp x21, x22, [{0}, #16]",
            "stp x23, x24, [{0}, #32]",
            "stp x25, x26, [{0}, #48]",
            "stp x27, x28, [{0}, #64]",
            in(reg) all.as_mut_ptr(),
            options(nostack, preserves_flags)
        );
    };
    all
}

/// Zeroed memory of so many bytes that only counts once it is touched; 0 when there is none.
pub(crate) fn reserve(bytes: usize) -> usize {
    // PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE.
    // SAFETY: a new mapping at a place that the kernel chooses.
    address(unsafe { call(MMAP, [0, bytes, 3, 0x4022, usize::MAX, 0]) })
}

/// The first bytes of an open file, shared with whoever else has it; 0 when that fails.
pub(crate) fn share(fd: usize, bytes: usize) -> usize {
    // PROT_READ | PROT_WRITE, MAP_SHARED.
    // SAFETY: a new mapping at a place that the kernel chooses.
    address(unsafe { call(MMAP, [0, bytes, 3, 1, fd, 0]) })
}

fn address(answer: isize) -> usize {
    usize::try_from(answer).unwrap_or(0)
}

/// Opens a file; `path` ends with a NUL.
pub(crate) fn open(path: &[u8], write: bool) -> Option<usize> {
    debug_assert!(path.last() == Some(&0));
    let flags = 0o2_000_000 | if write { 2 } else { 0 }; // O_CLOEXEC, O_RDWR or O_RDONLY
    // SAFETY: the path is terminated.
    let fd = unsafe { call(OPENAT, [HERE, path.as_ptr() as usize, flags, 0, 0, 0]) };
    usize::try_from(fd).ok()
}

pub(crate) fn close(fd: usize) {
    // SAFETY: only descriptors that `open` returned get here.
    unsafe { call(CLOSE, [fd, 0, 0, 0, 0, 0]) };
}

/// Reads into the buffer; bytes read, 0 at the end or for an error.
pub(crate) fn read(fd: usize, into: &mut [u8]) -> usize {
    // SAFETY: the buffer is ours to write.
    address(unsafe { call(READ, [fd, into.as_mut_ptr() as usize, into.len(), 0, 0, 0]) })
}

/// Writes memory to a place in a file. False when the memory cannot be read or the disk is full.
pub(crate) fn write_at(fd: usize, mut from: usize, mut bytes: usize, mut at: u64) -> bool {
    while bytes > 0 {
        // SAFETY: the kernel checks the range and answers EFAULT where it is not readable.
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

/// A line on stderr.
#[cfg(weigh_preload)]
pub(crate) fn say(text: &str) {
    // SAFETY: the text is readable.
    unsafe { call(WRITE, [2, text.as_ptr() as usize, text.len(), 0, 0, 0]) };
}

/// Copies a link's target; its bytes.
pub(crate) fn link<'b>(path: &[u8], into: &'b mut [u8]) -> &'b [u8] {
    let start = into.as_mut_ptr() as usize;
    // SAFETY: the path is terminated, the buffer is ours.
    let n = unsafe {
        call(
            READLINKAT,
            [HERE, path.as_ptr() as usize, start, into.len(), 0, 0],
        )
    };
    &into[..address(n)]
}

pub(crate) fn pid() -> usize {
    // SAFETY: has no arguments.
    address(unsafe { call(GETPID, [0; 6]) })
}

pub(crate) fn parent() -> usize {
    // SAFETY: has no arguments.
    address(unsafe { call(GETPPID, [0; 6]) })
}

/// A copy of this process that sends no signal when it ends: `Some(0)` in the copy, its id in the
/// original. The copy has one thread, and must call nothing but this module. What a terminal sends
/// to all that run in it does not reach the copy.
pub(crate) fn copy() -> Option<usize> {
    // SAFETY: no flag and no stack: as `fork`, without libc's part.
    let silent = usize::try_from(unsafe { call(CLONE, [0; 6]) });
    // An emulator may know only copies that send one.
    // SAFETY: likewise.
    let copy = silent.or_else(|_| usize::try_from(unsafe { call(CLONE, [CHILD, 0, 0, 0, 0, 0]) }));
    let copy = copy.ok()?;
    // It gets a group of its own. Both ask for it, because either may go on first; 0 is itself.
    // SAFETY: no pointer is passed.
    unsafe { call(SETPGID, [copy, copy, 0, 0, 0, 0]) };
    Some(copy)
}

/// Takes away what is left of a copy that has ended, or waits until it has.
pub(crate) fn reap(pid: usize) {
    // __WALL.
    // SAFETY: no pointer is passed.
    unsafe { call(WAIT4, [pid, 0, 0x4000_0000, 0, 0, 0]) };
}

pub(crate) fn kill(pid: usize) {
    // SIGKILL.
    // SAFETY: no pointer is passed.
    unsafe { call(KILL, [pid, 9, 0, 0, 0, 0]) };
}

/// Ends this process at once.
pub(crate) fn exit() -> ! {
    loop {
        // SAFETY: no pointer is passed.
        unsafe { call(EXIT_GROUP, [0; 6]) };
    }
}

/// Sleeps for some milliseconds.
pub(crate) fn sleep(milliseconds: usize) {
    let time = [milliseconds / 1000, milliseconds % 1000 * 1_000_000];
    // SAFETY: the two words are a `timespec`.
    unsafe { call(NANOSLEEP, [time.as_ptr() as usize, 0, 0, 0, 0, 0]) };
}

/// The most bytes that the first thread's stack may have.
pub(crate) fn stack_limit() -> usize {
    let mut limit = [0usize; 2];
    // RLIMIT_STACK.
    // SAFETY: the two words are an `rlimit64`.
    unsafe { call(PRLIMIT, [0, 3, 0, limit.as_mut_ptr() as usize, 0, 0]) };
    limit[0].clamp(1 << 20, 1 << 30)
}
