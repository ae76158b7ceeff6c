//! Threads.

use crate::alloc::System;
use crate::any::Any;
use crate::boxed::Box;
use crate::cell::UnsafeCell;
use crate::ffi::CString;
use crate::marker::{PhantomData, Send};
use crate::num::NonZero;
use crate::option::Option;
use crate::pin::Pin;
use crate::string::String;
use crate::sync::Arc;
use crate::sync::atomic::{AtomicBool, AtomicUsize};

pub struct AccessError;
pub struct Builder { name: Option<String>, stack_size: Option<usize>, no_hooks: bool }
pub struct JoinHandle<T>(JoinInner<'static, T>);
struct JoinInner<'scope, T> { native: crate::sys::thread::Thread, thread: Thread, packet: Arc<Packet<'scope, T>> }
struct Packet<'scope, T> { result: UnsafeCell<Option<Result<T>>>, scope: Option<Arc<ScopeData>>, _marker: PhantomData<&'scope ()> }
pub struct LocalKey<T> { inner: fn(Option<&mut Option<T>>) -> *const T }
pub struct Scope<'scope, 'env> {
    data: Arc<ScopeData>,
    scope: PhantomData<&'scope mut &'scope ()>,
    env: PhantomData<&'env mut &'env ()>,
}
pub struct ScopedJoinHandle<'scope, T>(JoinInner<'scope, T>);
#[cfg(version("1.86"))]
pub struct Thread { inner: Pin<Arc<Inner, System>> }
#[cfg(not(version("1.86")))]
pub struct Thread(Handle);
#[cfg(not(version("1.86")))]
enum Handle { Main(&'static ThreadId), Other(Pin<Arc<Inner>>) }
// Behind a pointer; the platform's parker is left out.
struct Inner { name: Option<CString>, id: ThreadId }
struct ScopeData { num_running_threads: AtomicUsize, a_thread_panicked: AtomicBool, main_thread: Thread }
pub struct ThreadId(NonZero<u64>);
pub type Result<T> = crate::result::Result<T, Box<dyn Any + Send>>;
