//! Pinning.

use crate::cell::UnsafeCell;
use crate::future::Future;
use crate::marker::Sized;
use crate::ops::Deref;

#[repr(transparent)]
pub struct Pin<Ptr> { pointer: Ptr }
#[repr(transparent)]
pub struct UnsafePinned<T: ?Sized> { value: UnsafeCell<T> }
pub trait PinCoerceUnsized {}

impl<Ptr: Deref> Deref for Pin<Ptr> { type Target = <Ptr as Deref>::Target; }
impl<P: Deref> Future for Pin<P> where <P as Deref>::Target: Future {
    type Output = <<P as Deref>::Target as Future>::Output;
}
