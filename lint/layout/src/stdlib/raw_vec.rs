//! The buffer of the growable collections.

use crate::alloc::Global;
use crate::marker::PhantomData;
use crate::niche::UsizeNoHighBit;
use crate::ptr::Unique;

pub struct RawVec<T, A = Global> { inner: RawVecInner<A>, _marker: PhantomData<T> }
pub struct RawVecInner<A = Global> { ptr: Unique<u8>, cap: UsizeNoHighBit, alloc: A }
