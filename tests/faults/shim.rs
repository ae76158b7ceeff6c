//! Injects faults between the program and libc (`LD_PRELOAD`): counts the steps that write files
//! below a directory, and makes one of them fail, or kills the program there.
//!
//! Compiled by `tests/faults.rs`; Linux with glibc. `WEIGH_FAULT` is `MODE:N:DIRECTORY`:
//!
//! | mode | at the N-th step |
//! |---|---|
//! | `fail` | it fails as on a full disk; half of a write is done |
//! | `full` | it and all later ones fail so |
//! | `kill` | the program is killed before it; half of a write is done |
//! | `after` | the program is killed after it |
//! | `readonly` | (N is ignored) all steps fail as on a read-only file system |
//! | `deny` | (N is ignored) the same, and files there cannot be opened for reading |
//!
//! `WEIGH_FAULT_HIT` is a file that is created when the fault happens.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

const ENOSPC: c_int = 28;
const EROFS: c_int = 30;
const EACCES: c_int = 13;
const AT_FDCWD: c_int = -100;
const O_WRITING: c_int = 0o3 | 0o100;

unsafe extern "C" {
    fn dlsym(handle: *mut c_void, name: *const c_char) -> *mut c_void;
    fn __errno_location() -> *mut c_int;
    fn getenv(name: *const c_char) -> *const c_char;
    fn readlink(path: *const c_char, to: *mut c_char, size: usize) -> isize;
    fn raise(signal: c_int) -> c_int;
    static program_invocation_short_name: *const c_char;
}

/// Returns the function of this name that is next in symbol lookup order.
macro_rules! real {
    ($name:literal as fn($($ty:ty),*) -> $result:ty) => {{
        static REAL: OnceLock<usize> = OnceLock::new();
        // SAFETY: `RTLD_NEXT` (-1) finds libc's function, which has the given type.
        unsafe {
            let at = *REAL.get_or_init(|| dlsym(-1_isize as *mut c_void, $name.as_ptr()) as usize);
            std::mem::transmute::<usize, unsafe extern "C" fn($($ty),*) -> $result>(at)
        }
    }};
}

struct Fault {
    mode: &'static str,
    n: usize,
    folder: &'static str,
}

fn variable(name: &CStr) -> Option<&'static str> {
    // SAFETY: `getenv` returns null or a string that lives until the environment changes, and the
    // program does not change it.
    unsafe {
        let value = getenv(name.as_ptr());
        (!value.is_null()).then(|| CStr::from_ptr(value).to_str().ok())?
    }
}

fn fault() -> Option<&'static Fault> {
    static FAULT: OnceLock<Option<Fault>> = OnceLock::new();
    let read = || {
        // SAFETY: glibc sets the name before any code of the program runs.
        let name = unsafe { CStr::from_ptr(program_invocation_short_name) };
        // Child processes inherit the environment.
        if name.to_bytes() != b"cargo-weigh" {
            return None;
        }
        let mut parts = variable(c"WEIGH_FAULT")?.splitn(3, ':');
        Some(Fault {
            mode: parts.next()?,
            n: parts.next()?.parse().ok()?,
            folder: parts.next()?,
        })
    };
    FAULT.get_or_init(read).as_ref()
}

/// The outcome of a step.
#[derive(PartialEq)]
enum Fate {
    Done,
    Fails(c_int),
    Kills,
    KillsAfter,
}

fn hit() {
    if let Some(path) = variable(c"WEIGH_FAULT_HIT") {
        let Ok(path) = std::ffi::CString::new(path) else {
            return;
        };
        let open = real!(c"open64" as fn(*const c_char, c_int, c_uint) -> c_int);
        // SAFETY: the path is a NUL-terminated string, and the flags create an empty file.
        unsafe { open(path.as_ptr(), 0o101, 0o600) };
    }
}

fn step(path: &str) -> Fate {
    static STEPS: AtomicUsize = AtomicUsize::new(0);
    let Some(fault) = fault().filter(|f| path.starts_with(f.folder)) else {
        return Fate::Done;
    };
    if matches!(fault.mode, "readonly" | "deny") {
        hit();
        return Fate::Fails(EROFS);
    }
    let step = STEPS.fetch_add(1, Ordering::SeqCst) + 1;
    if step < fault.n || step > fault.n && fault.mode != "full" {
        return Fate::Done;
    }
    hit();
    match fault.mode {
        "kill" => Fate::Kills,
        "after" => Fate::KillsAfter,
        _ => Fate::Fails(ENOSPC),
    }
}

/// Returns the path of a file descriptor.
fn path_of(fd: c_int) -> String {
    let link = format!("/proc/self/fd/{fd}\0");
    let mut to = [0_u8; 4096];
    // SAFETY: the link is NUL-terminated, and the buffer has the given size.
    let n = unsafe { readlink(link.as_ptr().cast(), to.as_mut_ptr().cast(), to.len()) };
    String::from_utf8_lossy(&to[..n.max(0) as usize]).into_owned()
}

fn text<'a>(path: *const c_char) -> &'a str {
    // SAFETY: callers of libc pass a NUL-terminated string, which outlives the call.
    unsafe { CStr::from_ptr(path) }.to_str().unwrap_or("")
}

fn die() -> ! {
    // SAFETY: `SIGKILL` ends the program.
    unsafe { raise(9) };
    unreachable!()
}

/// Executes a step with its outcome.
fn with(path: &str, half: impl FnOnce(), real: impl FnOnce() -> isize) -> isize {
    match step(path) {
        Fate::Done => real(),
        Fate::Fails(error) => {
            half();
            // SAFETY: glibc returns the address of this thread's errno.
            unsafe { *__errno_location() = error };
            -1
        }
        Fate::Kills => {
            half();
            die()
        }
        Fate::KillsAfter => {
            real();
            die()
        }
    }
}

#[unsafe(no_mangle)]
extern "C" fn write(fd: c_int, bytes: *const c_void, n: usize) -> isize {
    let real = real!(c"write" as fn(c_int, *const c_void, usize) -> isize);
    // SAFETY: the caller's own arguments, possibly with fewer bytes.
    let call = |n| unsafe { real(fd, bytes, n) };
    if fd < 3 || fault().is_none() {
        return call(n);
    }
    let half = || {
        call(n / 2);
    };
    with(&path_of(fd), half, || call(n))
}

#[unsafe(no_mangle)]
extern "C" fn fsync(fd: c_int) -> c_int {
    let real = real!(c"fsync" as fn(c_int) -> c_int);
    // SAFETY: the caller's own arguments.
    with(&path_of(fd), || {}, || unsafe { real(fd) } as isize) as c_int
}

#[unsafe(no_mangle)]
extern "C" fn fchmod(fd: c_int, mode: c_uint) -> c_int {
    let real = real!(c"fchmod" as fn(c_int, c_uint) -> c_int);
    // SAFETY: the caller's own arguments.
    with(&path_of(fd), || {}, || unsafe { real(fd, mode) } as isize) as c_int
}

#[unsafe(no_mangle)]
extern "C" fn rename(from: *const c_char, to: *const c_char) -> c_int {
    let real = real!(c"rename" as fn(*const c_char, *const c_char) -> c_int);
    // SAFETY: the caller's own arguments.
    with(text(to), || {}, || unsafe { real(from, to) } as isize) as c_int
}

#[unsafe(no_mangle)]
extern "C" fn unlink(path: *const c_char) -> c_int {
    let real = real!(c"unlink" as fn(*const c_char) -> c_int);
    // SAFETY: the caller's own arguments.
    with(text(path), || {}, || unsafe { real(path) } as isize) as c_int
}

#[unsafe(no_mangle)]
extern "C" fn mkdir(path: *const c_char, mode: c_uint) -> c_int {
    let real = real!(c"mkdir" as fn(*const c_char, c_uint) -> c_int);
    // SAFETY: the caller's own arguments.
    with(text(path), || {}, || unsafe { real(path, mode) } as isize) as c_int
}

/// Returns the path of a name in an open folder.
fn path_at(folder: c_int, name: *const c_char) -> String {
    let name = text(name);
    match name.starts_with('/') || folder == AT_FDCWD {
        true => name.to_owned(),
        false => format!("{}/{name}", path_of(folder)),
    }
}

#[unsafe(no_mangle)]
extern "C" fn renameat(
    of: c_int,
    from: *const c_char,
    folder: c_int,
    to: *const c_char,
) -> c_int {
    let real = real!(c"renameat" as fn(c_int, *const c_char, c_int, *const c_char) -> c_int);
    // SAFETY: the caller's own arguments.
    let call = || unsafe { real(of, from, folder, to) } as isize;
    with(&path_at(folder, to), || {}, call) as c_int
}

#[unsafe(no_mangle)]
extern "C" fn unlinkat(folder: c_int, path: *const c_char, flags: c_int) -> c_int {
    let real = real!(c"unlinkat" as fn(c_int, *const c_char, c_int) -> c_int);
    // SAFETY: the caller's own arguments.
    let call = || unsafe { real(folder, path, flags) } as isize;
    with(&path_at(folder, path), || {}, call) as c_int
}

#[unsafe(no_mangle)]
extern "C" fn mkdirat(folder: c_int, path: *const c_char, mode: c_uint) -> c_int {
    let real = real!(c"mkdirat" as fn(c_int, *const c_char, c_uint) -> c_int);
    // SAFETY: the caller's own arguments.
    let call = || unsafe { real(folder, path, mode) } as isize;
    with(&path_at(folder, path), || {}, call) as c_int
}

#[unsafe(no_mangle)]
extern "C" fn openat64(folder: c_int, path: *const c_char, flags: c_int, mode: c_uint) -> c_int {
    let real = real!(c"openat64" as fn(c_int, *const c_char, c_int, c_uint) -> c_int);
    // SAFETY: the caller's own arguments.
    let call = || unsafe { real(folder, path, flags, mode) };
    match flags & O_WRITING != 0 {
        true => with(&path_at(folder, path), || {}, || call() as isize) as c_int,
        false => call(),
    }
}

/// Opens a file. Variadic in C: the third argument is in the same register either way.
#[unsafe(no_mangle)]
extern "C" fn open64(path: *const c_char, flags: c_int, mode: c_uint) -> c_int {
    let real = real!(c"open64" as fn(*const c_char, c_int, c_uint) -> c_int);
    // SAFETY: the caller's own arguments.
    let call = || unsafe { real(path, flags, mode) };
    if flags & O_WRITING != 0 {
        return with(text(path), || {}, || call() as isize) as c_int;
    }
    if fault().is_some_and(|f| f.mode == "deny" && text(path).starts_with(f.folder)) {
        hit();
        // SAFETY: glibc returns the address of this thread's errno.
        unsafe { *__errno_location() = EACCES };
        return -1;
    }
    call()
}
