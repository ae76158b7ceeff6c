//! Extensions of Linux.

pub mod fs {
    pub trait MetadataExt {}
}

pub mod net {
    pub trait SocketAddrExt {}
    pub trait TcpStreamExt {}
    pub trait UnixSocketExt {}
}

pub mod process {
    pub struct PidFd { inner: crate::os::fd::OwnedFd }
    pub trait ChildExt {}
    pub trait CommandExt {}
}

pub mod raw {
    pub type time_t = i64;
    pub type mode_t = u32;
    pub type dev_t = u64;
    pub type ino_t = u64;
    pub type off_t = u64;
    pub type blkcnt_t = u64;
    #[cfg(any(target_arch = "aarch64", target_arch = "riscv64"))]
    pub type nlink_t = u32;
    #[cfg(not(any(target_arch = "aarch64", target_arch = "riscv64")))]
    pub type nlink_t = u64;
    #[cfg(any(target_arch = "aarch64", target_arch = "riscv64"))]
    pub type blksize_t = i32;
    #[cfg(not(any(target_arch = "aarch64", target_arch = "riscv64")))]
    pub type blksize_t = u64;
    pub type pthread_t = crate::ffi::c_ulong;
    // Numbers without niches: size and alignment suffice.
    #[cfg(any(all(target_arch = "x86_64", target_pointer_width = "64"), target_arch = "powerpc64"))]
    pub struct stat([u64; 18]);
    #[cfg(any(target_arch = "aarch64", target_arch = "riscv64"))]
    pub struct stat([u64; 16]);
    #[cfg(any(target_arch = "arm", target_arch = "powerpc"))]
    pub struct stat([u64; 13]);
    #[cfg(target_arch = "x86")]
    pub struct stat([u32; 24]);
}
