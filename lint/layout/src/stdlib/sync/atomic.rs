//! Atomics.

use crate::cell::UnsafeCell;

pub enum Ordering { Relaxed, Release, Acquire, AcqRel, SeqCst }

#[cfg(target_has_atomic = "8")]
#[repr(C, align(1))]
pub struct AtomicBool { v: UnsafeCell<u8> }
#[cfg(target_has_atomic = "8")]
#[repr(C, align(1))]
pub struct AtomicI8 { v: UnsafeCell<i8> }
#[cfg(target_has_atomic = "8")]
#[repr(C, align(1))]
pub struct AtomicU8 { v: UnsafeCell<u8> }
#[cfg(target_has_atomic = "16")]
#[repr(C, align(2))]
pub struct AtomicI16 { v: UnsafeCell<i16> }
#[cfg(target_has_atomic = "16")]
#[repr(C, align(2))]
pub struct AtomicU16 { v: UnsafeCell<u16> }
#[cfg(target_has_atomic = "32")]
#[repr(C, align(4))]
pub struct AtomicI32 { v: UnsafeCell<i32> }
#[cfg(target_has_atomic = "32")]
#[repr(C, align(4))]
pub struct AtomicU32 { v: UnsafeCell<u32> }
#[cfg(target_has_atomic = "64")]
#[repr(C, align(8))]
pub struct AtomicI64 { v: UnsafeCell<i64> }
#[cfg(target_has_atomic = "64")]
#[repr(C, align(8))]
pub struct AtomicU64 { v: UnsafeCell<u64> }

#[cfg_attr(target_pointer_width = "16", repr(C, align(2)))]
#[cfg_attr(target_pointer_width = "32", repr(C, align(4)))]
#[cfg_attr(target_pointer_width = "64", repr(C, align(8)))]
pub struct AtomicIsize { v: UnsafeCell<isize> }
#[cfg_attr(target_pointer_width = "16", repr(C, align(2)))]
#[cfg_attr(target_pointer_width = "32", repr(C, align(4)))]
#[cfg_attr(target_pointer_width = "64", repr(C, align(8)))]
pub struct AtomicUsize { v: UnsafeCell<usize> }
#[cfg_attr(target_pointer_width = "16", repr(C, align(2)))]
#[cfg_attr(target_pointer_width = "32", repr(C, align(4)))]
#[cfg_attr(target_pointer_width = "64", repr(C, align(8)))]
pub struct AtomicPtr<T> { p: UnsafeCell<*mut T> }

pub type Atomic<T> = <T as AtomicPrimitive>::AtomicInner;
pub trait AtomicPrimitive { type AtomicInner; }
impl AtomicPrimitive for bool { type AtomicInner = AtomicBool; }
impl AtomicPrimitive for i8 { type AtomicInner = AtomicI8; }
impl AtomicPrimitive for u8 { type AtomicInner = AtomicU8; }
impl AtomicPrimitive for i16 { type AtomicInner = AtomicI16; }
impl AtomicPrimitive for u16 { type AtomicInner = AtomicU16; }
impl AtomicPrimitive for i32 { type AtomicInner = AtomicI32; }
impl AtomicPrimitive for u32 { type AtomicInner = AtomicU32; }
#[cfg(target_has_atomic = "64")]
impl AtomicPrimitive for i64 { type AtomicInner = AtomicI64; }
#[cfg(target_has_atomic = "64")]
impl AtomicPrimitive for u64 { type AtomicInner = AtomicU64; }
impl AtomicPrimitive for isize { type AtomicInner = AtomicIsize; }
impl AtomicPrimitive for usize { type AtomicInner = AtomicUsize; }
impl<T> AtomicPrimitive for *mut T { type AtomicInner = AtomicPtr<T>; }
