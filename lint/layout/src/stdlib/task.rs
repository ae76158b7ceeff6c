//! Wakers of asynchronous tasks.

use crate::any::Any;
use crate::marker::PhantomData;
use crate::panic::AssertUnwindSafe;

#[weigh(inline)]
pub enum Poll<T> { Ready(T), Pending }
pub struct Context<'a> {
    waker: &'a Waker,
    local_waker: &'a LocalWaker,
    ext: AssertUnwindSafe<ExtData<'a>>,
    _marker: PhantomData<fn(&'a ()) -> &'a ()>,
    _marker2: PhantomData<*mut ()>,
}
enum ExtData<'a> { Some(&'a mut dyn Any), None(()) }
pub struct ContextBuilder<'a> {
    waker: &'a Waker,
    local_waker: &'a LocalWaker,
    ext: ExtData<'a>,
    _marker: PhantomData<fn(&'a ()) -> &'a ()>,
    _marker2: PhantomData<*mut ()>,
}
#[repr(transparent)]
pub struct LocalWaker { waker: RawWaker }
pub struct RawWaker { data: *const (), vtable: &'static RawWakerVTable }
pub struct RawWakerVTable {
    clone: unsafe fn(*const ()) -> RawWaker,
    wake: unsafe fn(*const ()),
    wake_by_ref: unsafe fn(*const ()),
    drop: unsafe fn(*const ()),
}
#[repr(transparent)]
pub struct Waker { waker: RawWaker }
pub trait LocalWake {}
pub trait Wake {}
