//! Synchronization between threads.

pub mod atomic;
pub mod mpmc;
pub mod mpsc;
pub mod nonpoison;

use crate::alloc::Global;
use crate::cell::UnsafeCell;
use crate::convert::TryFrom;
use crate::future::Future;
use crate::marker::{PhantomData, Sized};
use crate::mem::{ManuallyDrop, MaybeUninit};
use crate::ops::{Deref, FnOnce};
use crate::ptr::NonNull;
use crate::result::Result;
use crate::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize};
use crate::sys::sync as sys;

pub mod poison {
    pub use super::{Condvar, LockResult, Mutex, MutexGuard, PoisonError, RwLock, TryLockError, TryLockResult};
    pub use super::{MappedMutexGuard, MappedRwLockReadGuard, MappedRwLockWriteGuard};
    pub use super::{Once, OnceState, RwLockReadGuard, RwLockWriteGuard};
}

// Without unwinding nothing is ever poisoned.
struct Flag {
    #[cfg(not(target_family = "wasm"))]
    failed: AtomicBool,
}
struct Guard {
    #[cfg(not(target_family = "wasm"))]
    panicking: bool,
}

pub enum TryLockError<T> { Poisoned(PoisonError<T>), WouldBlock }
#[weigh(no_copy)]
pub struct Arc<T: ?Sized, A = Global> {
    ptr: NonNull<ArcInner<T>>,
    phantom: PhantomData<ArcInner<T>>,
    alloc: A,
}
pub struct Barrier {
    #[cfg(version("1.91"))]
    lock: nonpoison::Mutex<BarrierState>,
    #[cfg(version("1.91"))]
    cvar: nonpoison::Condvar,
    #[cfg(not(version("1.91")))]
    lock: Mutex<BarrierState>,
    #[cfg(not(version("1.91")))]
    cvar: Condvar,
    num_threads: usize,
}
struct BarrierState { count: usize, generation_id: usize }
pub struct BarrierWaitResult(bool);
pub struct Condvar { inner: sys::Condvar }
#[repr(transparent)]
pub struct Exclusive<T: ?Sized> { inner: T }
pub struct LazyLock<T, F = fn() -> T> { once: Once, data: UnsafeCell<Data<T, F>> }
union Data<T, F> { value: ManuallyDrop<T>, f: ManuallyDrop<F> }
pub struct MappedMutexGuard<'a, T: ?Sized> {
    data: NonNull<T>,
    inner: &'a sys::Mutex,
    poison_flag: &'a Flag,
    poison: Guard,
    _variance: PhantomData<&'a mut T>,
}
pub struct MappedRwLockReadGuard<'rwlock, T: ?Sized> { data: NonNull<T>, inner_lock: &'rwlock sys::RwLock }
pub struct MappedRwLockWriteGuard<'rwlock, T: ?Sized> {
    data: NonNull<T>,
    _variance: PhantomData<&'rwlock mut T>,
    inner_lock: &'rwlock sys::RwLock,
    poison_flag: &'rwlock Flag,
    poison_guard: Guard,
}
#[weigh(no_copy)]
#[weigh(cell)]
pub struct Mutex<T: ?Sized> { inner: sys::Mutex, poison: Flag, data: UnsafeCell<T> }
pub struct MutexGuard<'a, T: ?Sized> { lock: &'a Mutex<T>, poison: Guard }
pub struct Once { inner: sys::Once }
pub struct OnceLock<T> { once: Once, value: UnsafeCell<MaybeUninit<T>>, _marker: PhantomData<T> }
pub struct OnceState { inner: sys::OnceState }
pub struct PoisonError<T> {
    data: T,
    // Where std itself is built with `panic = "abort"`.
    #[cfg(all(target_family = "wasm", not(target_os = "emscripten")))]
    _never: !,
}
#[cfg(target_has_atomic = "64")]
struct Tid(AtomicU64);
#[cfg(not(target_has_atomic = "64"))]
struct Tid { tls_addr: AtomicUsize, tid: UnsafeCell<u64> }
pub struct ReentrantLock<T: ?Sized> { mutex: sys::Mutex, owner: Tid, lock_count: UnsafeCell<u32>, data: T }
pub struct ReentrantLockGuard<'a, T: ?Sized> { lock: &'a ReentrantLock<T> }
#[weigh(no_copy)]
#[weigh(cell)]
pub struct RwLock<T: ?Sized> { inner: sys::RwLock, poison: Flag, data: UnsafeCell<T> }
pub struct RwLockReadGuard<'rwlock, T: ?Sized> { data: NonNull<T>, inner_lock: &'rwlock sys::RwLock }
pub struct RwLockWriteGuard<'rwlock, T: ?Sized> { lock: &'rwlock RwLock<T>, poison: Guard }
#[repr(C)]
struct ArcInner<T: ?Sized> { strong: AtomicUsize, weak: AtomicUsize, data: T }
pub struct UniqueArc<T: ?Sized, A = Global> {
    ptr: NonNull<ArcInner<T>>,
    _marker: PhantomData<ArcInner<T>>,
    _marker2: PhantomData<*mut T>,
    alloc: A,
}
pub struct WaitTimeoutResult(bool);
pub struct Weak<T: ?Sized, A = Global> { ptr: NonNull<ArcInner<T>>, alloc: A }
pub type LockResult<T> = Result<T, PoisonError<T>>;
pub type TryLockResult<Guard> = Result<Guard, TryLockError<Guard>>;

impl<T: ?Sized, A> Deref for Arc<T, A> { type Target = T; }
impl<T, A, const N: usize> TryFrom<Arc<[T], A>> for Arc<[T; N], A> { type Error = Arc<[T], A>; }
impl<F: FnOnce<Args>, Args> FnOnce<Args> for Exclusive<F> { type Output = <F as FnOnce<Args>>::Output; }
impl<T: Future + ?Sized> Future for Exclusive<T> { type Output = <T as Future>::Output; }
impl<T, F> Deref for LazyLock<T, F> { type Target = T; }
impl<T: ?Sized> Deref for MappedMutexGuard<'_, T> { type Target = T; }
impl<T: ?Sized> Deref for MappedRwLockReadGuard<'_, T> { type Target = T; }
impl<T: ?Sized> Deref for MappedRwLockWriteGuard<'_, T> { type Target = T; }
impl<T: ?Sized> Deref for MutexGuard<'_, T> { type Target = T; }
impl<T: ?Sized> Deref for ReentrantLockGuard<'_, T> { type Target = T; }
impl<T: ?Sized> Deref for RwLockReadGuard<'_, T> { type Target = T; }
impl<T: ?Sized> Deref for RwLockWriteGuard<'_, T> { type Target = T; }
impl<T: ?Sized, A> Deref for UniqueArc<T, A> { type Target = T; }
