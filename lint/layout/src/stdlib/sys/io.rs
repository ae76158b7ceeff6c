//! Handles, buffers for vectored calls, and the raw standard streams.

use crate::marker::PhantomData;

#[cfg(any(unix, target_os = "wasi"))]
pub struct FileDesc(crate::os::fd::OwnedFd);
#[cfg(unix)]
pub struct Pipe(FileDesc);
#[cfg(windows)]
pub struct Pipe(crate::os::windows::io::OwnedHandle);
#[cfg(target_family = "wasm")]
pub struct Pipe(!);

#[cfg(any(unix, target_os = "wasi"))]
pub struct IoSlice<'a> { vec: iovec, _p: PhantomData<&'a [u8]> }
#[cfg(any(unix, target_os = "wasi"))]
pub struct IoSliceMut<'a> { vec: iovec, _p: PhantomData<&'a mut [u8]> }
#[cfg(any(unix, target_os = "wasi"))]
#[repr(C)]
struct iovec { iov_base: *mut u8, iov_len: usize }
#[cfg(windows)]
pub struct IoSlice<'a> { vec: WSABUF, _p: PhantomData<&'a [u8]> }
#[cfg(windows)]
pub struct IoSliceMut<'a> { vec: WSABUF, _p: PhantomData<&'a mut [u8]> }
#[cfg(windows)]
#[repr(C)]
struct WSABUF { len: u32, buf: *mut u8 }
#[cfg(all(target_family = "wasm", target_os = "unknown"))]
pub struct IoSlice<'a>(&'a [u8]);
#[cfg(all(target_family = "wasm", target_os = "unknown"))]
pub struct IoSliceMut<'a>(&'a mut [u8]);

// Windows consoles buffer an incomplete character.
#[cfg(not(windows))]
pub struct StdinRaw;
#[cfg(not(windows))]
pub struct StdoutRaw;
#[cfg(not(windows))]
pub struct StderrRaw;
#[cfg(windows)]
pub struct StdinRaw { surrogate: u16, incomplete_utf8: IncompleteUtf8 }
#[cfg(windows)]
pub struct StdoutRaw { incomplete_utf8: IncompleteUtf8 }
#[cfg(windows)]
pub struct StderrRaw { incomplete_utf8: IncompleteUtf8 }
#[cfg(windows)]
struct IncompleteUtf8 { bytes: [u8; 4], len: u8 }
