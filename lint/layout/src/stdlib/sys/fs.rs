//! Files as the system describes them.

use crate::ffi::CString;
use crate::option::Option;
use crate::path::PathBuf;
use crate::sync::Arc;
use crate::sys::time::SystemTime;

#[cfg(any(unix, all(target_os = "wasi", version("1.94"))))]
pub struct File(crate::sys::io::FileDesc);
#[cfg(any(unix, all(target_os = "wasi", version("1.94"))))]
pub struct DirBuilder { mode: mode_t }
#[cfg(any(unix, all(target_os = "wasi", version("1.94"))))]
pub struct FilePermissions { mode: mode_t }
#[cfg(any(unix, all(target_os = "wasi", version("1.94"))))]
pub struct FileType { mode: mode_t }
#[cfg(any(unix, all(target_os = "wasi", version("1.94"))))]
pub struct FileTimes {
    accessed: Option<SystemTime>,
    modified: Option<SystemTime>,
    #[cfg(target_vendor = "apple")]
    created: Option<SystemTime>,
}
#[cfg(any(unix, all(target_os = "wasi", version("1.94"))))]
pub struct OpenOptions {
    read: bool,
    write: bool,
    append: bool,
    truncate: bool,
    create: bool,
    create_new: bool,
    custom_flags: i32,
    mode: mode_t,
}
#[cfg(any(target_os = "linux", all(target_os = "wasi", version("1.94")), target_os = "openbsd", target_os = "netbsd", target_os = "illumos"))]
type mode_t = u32;
#[cfg(any(target_vendor = "apple", target_os = "freebsd", target_os = "dragonfly"))]
type mode_t = u16;
#[cfg(all(target_os = "android", target_pointer_width = "64"))]
type mode_t = u32;
#[cfg(all(target_os = "android", target_pointer_width = "32"))]
type mode_t = u16;

#[cfg(any(unix, all(target_os = "wasi", version("1.94"))))]
pub struct ReadDir { inner: Arc<InnerReadDir>, end_of_stream: bool }
#[cfg(any(unix, all(target_os = "wasi", version("1.94"))))]
struct InnerReadDir { dirp: *mut (), root: PathBuf }
#[cfg(any(target_os = "linux", target_os = "android", target_os = "freebsd", all(target_os = "wasi", version("1.94"))))]
pub struct DirEntry { dir: Arc<InnerReadDir>, entry: dirent64_min, name: CString }
#[cfg(any(target_os = "linux", target_os = "android", target_os = "freebsd", all(target_os = "wasi", version("1.94"))))]
struct dirent64_min { d_ino: u64, d_type: u8 }
#[cfg(all(target_vendor = "apple", version("1.99")))]
pub struct DirEntry { dir: Arc<InnerReadDir>, entry: dirent64_min, name: CString }
#[cfg(all(target_vendor = "apple", version("1.99")))]
struct dirent64_min { d_ino: u64, d_type: u8 }
#[cfg(all(target_vendor = "apple", not(version("1.99"))))]
pub struct DirEntry { dir: Arc<InnerReadDir>, entry: dirent64 }
#[cfg(all(target_vendor = "apple", not(version("1.99"))))]
#[repr(C)]
struct dirent64 {
    d_ino: u64,
    d_seekoff: u64,
    d_reclen: u16,
    d_namlen: u16,
    d_type: u8,
    d_name: [i8; 1024],
}

// The system's structs hold numbers without niches: size and alignment suffice.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub struct FileAttr { stat: stat64, statx_extra_fields: Option<StatxExtraFields> }
#[cfg(all(target_os = "linux", target_env = "gnu"))]
struct StatxExtraFields {
    stx_mask: u32,
    stx_btime: statx_timestamp,
    #[cfg(target_pointer_width = "32")]
    stx_atime: statx_timestamp,
    #[cfg(target_pointer_width = "32")]
    stx_ctime: statx_timestamp,
    #[cfg(target_pointer_width = "32")]
    stx_mtime: statx_timestamp,
}
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[repr(C)]
struct statx_timestamp { tv_sec: i64, tv_nsec: u32, pad: i32 }
#[cfg(any(all(target_os = "linux", not(target_env = "gnu")), target_vendor = "apple", all(target_os = "wasi", version("1.94"))))]
pub struct FileAttr { stat: stat64 }
#[cfg(all(target_os = "linux", target_arch = "x86_64", target_pointer_width = "64"))]
struct stat64([u64; 18]);
#[cfg(all(target_os = "linux", target_env = "gnu", any(target_arch = "powerpc64", target_arch = "s390x")))]
struct stat64([u64; 18]);
#[cfg(all(target_os = "linux", any(target_arch = "aarch64", target_arch = "riscv64")))]
struct stat64([u64; 16]);
#[cfg(all(target_os = "linux", target_env = "gnu", any(target_arch = "arm", target_arch = "powerpc")))]
struct stat64([u64; 13]);
#[cfg(all(target_os = "linux", target_arch = "x86"))]
struct stat64([u32; 24]);
#[cfg(any(target_vendor = "apple", all(target_os = "wasi", version("1.94"))))]
struct stat64([u64; 18]);

#[cfg(windows)]
pub struct File { handle: crate::os::windows::io::OwnedHandle }
#[cfg(windows)]
pub struct DirBuilder;
#[cfg(windows)]
pub struct FilePermissions { attrs: u32 }
#[cfg(windows)]
pub struct FileType {
    #[cfg(version("1.87"))]
    is_directory: bool,
    #[cfg(version("1.87"))]
    is_symlink: bool,
    #[cfg(not(version("1.87")))]
    attributes: u32,
    #[cfg(not(version("1.87")))]
    reparse_tag: u32,
}
#[cfg(windows)]
pub struct FileTimes { accessed: Option<FILETIME>, modified: Option<FILETIME>, created: Option<FILETIME> }
#[cfg(windows)]
pub struct FileAttr {
    attributes: u32,
    creation_time: FILETIME,
    last_access_time: FILETIME,
    last_write_time: FILETIME,
    change_time: Option<FILETIME>,
    file_size: u64,
    reparse_tag: u32,
    volume_serial_number: Option<u32>,
    number_of_links: Option<u32>,
    file_index: Option<u64>,
}
#[cfg(windows)]
pub struct ReadDir {
    #[cfg(version("1.86"))]
    handle: Option<FindNextFileHandle>,
    #[cfg(not(version("1.86")))]
    handle: FindNextFileHandle,
    root: Arc<PathBuf>,
    first: Option<WIN32_FIND_DATAW>,
}
#[cfg(windows)]
struct FindNextFileHandle(*mut ());
#[cfg(windows)]
pub struct DirEntry { root: Arc<PathBuf>, data: WIN32_FIND_DATAW }
// 592 bytes of attributes, times and names.
#[cfg(windows)]
struct WIN32_FIND_DATAW([u32; 148]);
#[cfg(windows)]
pub struct OpenOptions {
    read: bool,
    write: bool,
    append: bool,
    truncate: bool,
    create: bool,
    create_new: bool,
    custom_flags: u32,
    access_mode: Option<u32>,
    attributes: u32,
    share_mode: u32,
    security_qos_flags: u32,
    #[cfg(version("1.91"))]
    inherit_handle: bool,
    #[cfg(version("1.94"))]
    freeze_last_access_time: bool,
    #[cfg(version("1.94"))]
    freeze_last_write_time: bool,
    #[cfg(not(version("1.91")))]
    security_attributes: *mut (),
}
#[cfg(windows)]
use crate::sys::time::FILETIME;

#[cfg(all(target_family = "wasm", target_os = "unknown"))]
pub struct File(!);
#[cfg(all(target_family = "wasm", target_os = "unknown"))]
pub struct DirBuilder {}
#[cfg(all(target_family = "wasm", target_os = "unknown"))]
pub struct FilePermissions(!);
#[cfg(all(target_family = "wasm", target_os = "unknown"))]
pub struct FileType(!);
#[cfg(all(target_family = "wasm", target_os = "unknown"))]
pub struct FileTimes {}
#[cfg(all(target_family = "wasm", target_os = "unknown"))]
pub struct FileAttr(!);
#[cfg(all(target_family = "wasm", target_os = "unknown"))]
pub struct ReadDir(!);
#[cfg(all(target_family = "wasm", target_os = "unknown"))]
pub struct DirEntry(!);
#[cfg(all(target_family = "wasm", target_os = "unknown"))]
pub struct OpenOptions {}
