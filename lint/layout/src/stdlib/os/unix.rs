//! Extensions of Unix.

pub mod io {
    pub use crate::os::fd::*;
}

pub mod ffi {
    pub trait OsStrExt {}
    pub trait OsStringExt {}
}

pub mod fs {
    pub trait DirBuilderExt {}
    pub trait DirEntryExt {}
    pub trait FileExt {}
    pub trait FileTypeExt {}
    pub trait MetadataExt {}
    pub trait OpenOptionsExt {}
    pub trait PermissionsExt {}
}

pub mod net {
    use crate::io::Error;
    use crate::iter::{IntoIterator, Iterator};
    use crate::result::Result;
    use crate::sys::net::Socket;

    pub struct UnixDatagram(Socket);
    #[weigh(slices(bind))]
    pub struct UnixListener(Socket);
    #[weigh(slices(connect))]
    pub struct UnixStream(Socket);
    pub struct Incoming<'a> { listener: &'a UnixListener }
    #[cfg(any(
        target_os = "linux",
        target_os = "android",
        target_vendor = "apple",
        target_os = "freebsd",
        target_os = "openbsd",
        target_os = "netbsd",
    ))]
    pub struct SocketAddr { addr: sockaddr_un, len: u32 }
    #[cfg(any(target_os = "linux", target_os = "android"))]
    #[repr(C)]
    struct sockaddr_un { sun_family: u16, sun_path: [i8; 108] }
    #[cfg(any(target_vendor = "apple", target_os = "freebsd", target_os = "openbsd", target_os = "netbsd"))]
    #[repr(C)]
    struct sockaddr_un { sun_len: u8, sun_family: u8, sun_path: [i8; 104] }
    pub struct UCred { pub uid: u32, pub gid: u32, pub pid: crate::option::Option<i32> }
    pub struct SocketAncillary<'a> { buffer: &'a mut [u8], length: usize, truncated: bool }

    impl<'a> Iterator for Incoming<'a> { type Item = Result<UnixStream, Error>; }
    impl<'a> IntoIterator for &'a UnixListener {
        type Item = Result<UnixStream, Error>;
        type IntoIter = Incoming<'a>;
    }
}

pub mod process {
    pub use crate::os::fd::*;

    pub trait CommandExt {}
    pub trait ExitStatusExt {}
}

pub mod thread {
    pub type RawPthread = crate::ffi::c_ulong;
    pub trait JoinHandleExt {}
}

pub mod raw {
    #[cfg(any(target_os = "linux", target_os = "android"))]
    pub use crate::os::linux::raw::{blkcnt_t, blksize_t, dev_t, ino_t, mode_t, nlink_t, off_t, pthread_t, time_t};

    pub type gid_t = u32;
    pub type pid_t = i32;
    pub type uid_t = u32;
}

pub mod prelude {
    pub use super::ffi::{OsStrExt, OsStringExt};
    pub use super::fs::{DirEntryExt, FileExt, FileTypeExt, MetadataExt, OpenOptionsExt, PermissionsExt};
    pub use super::process::{CommandExt, ExitStatusExt};
    pub use super::thread::JoinHandleExt;
    pub use crate::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, IntoRawFd, OwnedFd, RawFd};
}
