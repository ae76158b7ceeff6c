//! Extensions of Windows.

pub mod raw {
    pub type HANDLE = *mut crate::ffi::c_void;
    #[cfg(target_pointer_width = "32")]
    pub type SOCKET = u32;
    #[cfg(target_pointer_width = "64")]
    pub type SOCKET = u64;
}

pub mod io {
    use crate::marker::PhantomData;

    pub type RawHandle = super::raw::HANDLE;
    pub type RawSocket = super::raw::SOCKET;
    pub struct OwnedHandle { handle: RawHandle }
    pub struct BorrowedHandle<'handle> { handle: RawHandle, _phantom: PhantomData<&'handle OwnedHandle> }
    pub struct HandleOrNull(RawHandle);
    pub struct HandleOrInvalid(RawHandle);
    pub struct NullHandleError(());
    pub struct InvalidHandleError(());
    pub struct OwnedSocket { socket: ValidRawSocket }
    pub struct BorrowedSocket<'socket> { socket: ValidRawSocket, _phantom: PhantomData<&'socket OwnedSocket> }
    // The value with all bits set is not a socket.
    #[cfg(target_pointer_width = "32")]
    type ValidRawSocket = crate::niche::U32NotAllOnes;
    #[cfg(target_pointer_width = "64")]
    type ValidRawSocket = crate::niche::U64NotAllOnes;
    pub trait AsHandle {}
    pub trait AsRawHandle {}
    pub trait FromRawHandle {}
    pub trait IntoRawHandle {}
    pub trait AsSocket {}
    pub trait AsRawSocket {}
    pub trait FromRawSocket {}
    pub trait IntoRawSocket {}
}

pub mod ffi {
    pub struct EncodeWide<'a> { code_points: crate::str::Chars<'a>, extra: u16 }
    pub trait OsStrExt {}
    pub trait OsStringExt {}

    impl<'a> crate::iter::Iterator for EncodeWide<'a> { type Item = u16; }
}

pub mod fs {
    pub trait FileExt {}
    pub trait FileTimesExt {}
    pub trait FileTypeExt {}
    pub trait MetadataExt {}
    pub trait OpenOptionsExt {}
}

pub mod process {
    pub trait ChildExt {}
    pub trait CommandExt {}
    pub trait ExitStatusExt {}
}

pub mod prelude {
    pub use super::ffi::{OsStrExt, OsStringExt};
    pub use super::fs::{FileExt, MetadataExt, OpenOptionsExt};
    pub use super::io::{AsHandle, AsSocket, BorrowedHandle, BorrowedSocket, OwnedHandle, OwnedSocket};
    pub use super::io::{AsRawHandle, FromRawHandle, IntoRawHandle, RawHandle};
    pub use super::io::{AsRawSocket, FromRawSocket, IntoRawSocket, RawSocket};
}
