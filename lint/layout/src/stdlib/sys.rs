//! Platform-dependent types; nothing is declared for the platforms left out.

pub mod fs;
pub mod io;
pub mod process;
pub mod sync;

pub mod args {
    use crate::ffi::OsString;
    use crate::vec::IntoIter;

    #[cfg(any(unix, windows, target_os = "wasi"))]
    pub struct Args { iter: IntoIter<OsString> }
    #[cfg(all(target_family = "wasm", target_os = "unknown"))]
    pub struct Args {}
}

pub mod env {
    use crate::ffi::OsString;
    use crate::vec::IntoIter;

    #[cfg(any(unix, target_os = "wasi"))]
    pub struct Env { iter: IntoIter<(OsString, OsString)> }
    #[cfg(windows)]
    pub struct Env { base: *mut u16, iter: EnvIterator }
    #[cfg(windows)]
    struct EnvIterator(*mut u16);
    #[cfg(all(target_family = "wasm", target_os = "unknown"))]
    pub struct Env(!);
}

pub mod net {
    #[cfg(any(unix, target_os = "wasi"))]
    pub struct Socket(crate::os::fd::OwnedFd);
    #[cfg(windows)]
    pub struct Socket(crate::os::windows::io::OwnedSocket);
    #[cfg(all(target_family = "wasm", target_os = "unknown"))]
    pub struct Socket(!);
}

pub mod os_str {
    use crate::vec::Vec;

    #[cfg(not(any(windows, target_os = "uefi")))]
    pub struct Buf { inner: Vec<u8> }
    #[cfg(not(any(windows, target_os = "uefi")))]
    pub struct Slice { inner: [u8] }
    #[cfg(any(windows, target_os = "uefi"))]
    pub struct Buf { inner: Wtf8Buf }
    #[cfg(any(windows, target_os = "uefi"))]
    struct Wtf8Buf { bytes: Vec<u8>, is_known_utf8: bool }
    #[cfg(any(windows, target_os = "uefi"))]
    pub struct Slice { inner: Wtf8 }
    #[cfg(any(windows, target_os = "uefi"))]
    struct Wtf8 { bytes: [u8] }
}

pub mod thread {
    // A number or a pointer of the system's library: a word without niche either way.
    #[cfg(any(unix, all(target_os = "wasi", version("1.94"))))]
    pub struct Thread { id: usize }
    #[cfg(windows)]
    pub struct Thread { handle: crate::os::windows::io::OwnedHandle }
    #[cfg(all(target_family = "wasm", target_os = "unknown"))]
    pub struct Thread(!);
}

pub mod time {
    use crate::niche::Nanoseconds;
    use crate::time::Duration;

    #[cfg(any(unix, target_os = "wasi"))]
    struct Timespec { tv_sec: i64, tv_nsec: Nanoseconds }
    #[cfg(any(unix, target_os = "wasi"))]
    pub struct Instant { t: Timespec }
    #[cfg(any(unix, target_os = "wasi"))]
    pub struct SystemTime { t: Timespec }
    #[cfg(windows)]
    pub struct Instant { t: Duration }
    #[cfg(windows)]
    pub struct SystemTime { t: FILETIME }
    #[cfg(windows)]
    pub struct FILETIME { dwLowDateTime: u32, dwHighDateTime: u32 }
    #[cfg(all(target_family = "wasm", target_os = "unknown"))]
    pub struct Instant(Duration);
    #[cfg(all(target_family = "wasm", target_os = "unknown"))]
    pub struct SystemTime(Duration);
}
