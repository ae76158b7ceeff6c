//! The data of a panic.

use crate::any::Any;
use crate::future::Future;
use crate::marker::{PhantomData, Send};
use crate::ops::{Deref, FnOnce};
use crate::ptr::NonNull;

pub enum BacktraceStyle { Short, Full, Off }
pub struct AssertUnwindSafe<T>(pub T);
pub struct Location<'a> { filename: NonNull<str>, line: u32, col: u32, _filename: PhantomData<&'a str> }
pub struct PanicMessage<'a> { message: &'a crate::fmt::Arguments<'a> }
pub struct PanicHookInfo<'a> {
    payload: &'a (dyn Any + Send + 'static),
    location: &'a Location<'a>,
    can_unwind: bool,
    force_no_backtrace: bool,
}
pub auto trait RefUnwindSafe {}
pub auto trait UnwindSafe {}
pub type PanicInfo<'a> = PanicHookInfo<'a>;

impl<T> Deref for AssertUnwindSafe<T> { type Target = T; }
impl<F: FnOnce<()>> FnOnce<()> for AssertUnwindSafe<F> { type Output = <F as FnOnce<()>>::Output; }
impl<F: Future> Future for AssertUnwindSafe<F> { type Output = <F as Future>::Output; }

impl<T: ?Sized> !RefUnwindSafe for crate::cell::UnsafeCell<T> {}
impl<T: RefUnwindSafe + ?Sized> UnwindSafe for crate::ptr::NonNull<T> {}
impl<T: UnwindSafe + ?Sized> UnwindSafe for crate::ptr::Unique<T> {}
impl<T> UnwindSafe for AssertUnwindSafe<T> {}
impl<T> RefUnwindSafe for AssertUnwindSafe<T> {}
impl<T: ?Sized> UnwindSafe for crate::sync::Mutex<T> {}
impl<T: ?Sized> RefUnwindSafe for crate::sync::Mutex<T> {}
impl<T: ?Sized> UnwindSafe for crate::sync::RwLock<T> {}
impl<T: ?Sized> RefUnwindSafe for crate::sync::RwLock<T> {}
impl<T: RefUnwindSafe + ?Sized, A: UnwindSafe> UnwindSafe for crate::rc::Rc<T, A> {}
impl<T: RefUnwindSafe + ?Sized> RefUnwindSafe for crate::rc::Rc<T> {}
impl<T: RefUnwindSafe + ?Sized, A: UnwindSafe> UnwindSafe for crate::sync::Arc<T, A> {}
impl !UnwindSafe for crate::io::Error {}
impl !RefUnwindSafe for crate::io::Error {}
