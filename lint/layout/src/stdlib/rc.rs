//! Shared ownership in one thread.

use crate::alloc::Global;
use crate::cell::Cell;
use crate::convert::TryFrom;
use crate::marker::{PhantomData, Sized};
use crate::ops::Deref;
use crate::ptr::NonNull;

#[weigh(no_copy)]
pub struct Rc<T: ?Sized, A = Global> { ptr: NonNull<RcInner<T>>, phantom: PhantomData<RcInner<T>>, alloc: A }
#[repr(C)]
struct RcInner<T: ?Sized> { strong: Cell<usize>, weak: Cell<usize>, value: T }
pub struct UniqueRc<T: ?Sized, A = Global> {
    ptr: NonNull<RcInner<T>>,
    _marker: PhantomData<RcInner<T>>,
    _marker2: PhantomData<*mut T>,
    alloc: A,
}
pub struct Weak<T: ?Sized, A = Global> { ptr: NonNull<RcInner<T>>, alloc: A }

impl<T: ?Sized, A> Deref for Rc<T, A> { type Target = T; }
impl<T, A, const N: usize> TryFrom<Rc<[T], A>> for Rc<[T; N], A> { type Error = Rc<[T], A>; }
impl<T: ?Sized, A> Deref for UniqueRc<T, A> { type Target = T; }
