//! File descriptors.

use crate::marker::PhantomData;
use crate::niche::I32NotAllOnes;

pub type RawFd = i32;
/// Never -1.
pub struct OwnedFd { fd: I32NotAllOnes }
pub struct BorrowedFd<'fd> { fd: I32NotAllOnes, _phantom: PhantomData<&'fd OwnedFd> }
pub trait AsFd {}
pub trait AsRawFd {}
pub trait FromRawFd {}
pub trait IntoRawFd {}

pub mod owned {
    pub use super::{AsFd, BorrowedFd, OwnedFd};
}
pub mod raw {
    pub use super::{AsRawFd, FromRawFd, IntoRawFd, RawFd};
}
