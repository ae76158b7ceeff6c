//! Locks that are never poisoned.

use crate::cell::UnsafeCell;
use crate::marker::{PhantomData, Sized};
use crate::ops::Deref;
use crate::ptr::NonNull;
use crate::result::Result;
use crate::sys::sync as sys;

pub struct Condvar { inner: sys::Condvar }
pub struct MappedMutexGuard<'a, T: ?Sized> {
    data: NonNull<T>,
    inner: &'a sys::Mutex,
    _variance: PhantomData<&'a mut T>,
}
pub struct MappedRwLockReadGuard<'rwlock, T: ?Sized> { data: NonNull<T>, inner_lock: &'rwlock sys::RwLock }
pub struct MappedRwLockWriteGuard<'rwlock, T: ?Sized> {
    data: NonNull<T>,
    _variance: PhantomData<&'rwlock mut T>,
    inner_lock: &'rwlock sys::RwLock,
}
#[weigh(no_copy)]
pub struct Mutex<T: ?Sized> { inner: sys::Mutex, data: UnsafeCell<T> }
pub struct MutexGuard<'a, T: ?Sized> { lock: &'a Mutex<T> }
#[weigh(no_copy)]
pub struct RwLock<T: ?Sized> { inner: sys::RwLock, data: UnsafeCell<T> }
pub struct RwLockReadGuard<'rwlock, T: ?Sized> { data: NonNull<T>, inner_lock: &'rwlock sys::RwLock }
pub struct RwLockWriteGuard<'rwlock, T: ?Sized> { lock: &'rwlock RwLock<T> }
pub struct WouldBlock;
pub type TryLockResult<Guard> = Result<Guard, WouldBlock>;

impl<T: ?Sized> Deref for MappedMutexGuard<'_, T> { type Target = T; }
impl<T: ?Sized> Deref for MappedRwLockReadGuard<'_, T> { type Target = T; }
impl<T: ?Sized> Deref for MappedRwLockWriteGuard<'_, T> { type Target = T; }
impl<T: ?Sized> Deref for MutexGuard<'_, T> { type Target = T; }
impl<T: ?Sized> Deref for RwLockReadGuard<'_, T> { type Target = T; }
impl<T: ?Sized> Deref for RwLockWriteGuard<'_, T> { type Target = T; }
