//! Platform-specific items.

#[cfg(any(unix, target_os = "wasi"))]
pub mod fd;
#[cfg(any(target_os = "linux", target_os = "android"))]
pub mod linux;
#[cfg(unix)]
pub mod unix;
#[cfg(windows)]
pub mod windows;

pub mod raw {
    pub use crate::ffi::{c_char, c_double, c_float, c_int, c_long, c_longlong, c_schar, c_short};
    pub use crate::ffi::{c_uchar, c_uint, c_ulong, c_ulonglong, c_ushort, c_void};
}

#[cfg(target_os = "macos")]
pub mod macos {
    pub mod fs {
        pub trait MetadataExt {}
        pub trait FileTimesExt {}
    }
}

#[cfg(target_os = "wasi")]
pub mod wasi {
    pub mod io {
        pub use crate::os::fd::*;
    }
    pub mod ffi {
        pub trait OsStrExt {}
        pub trait OsStringExt {}
    }
}
