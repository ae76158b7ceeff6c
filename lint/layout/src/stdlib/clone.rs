//! Cloning.

use crate::marker::{PhantomData, Sized};

#[lang = "clone"]
pub trait Clone: Sized {}
pub trait CloneToUninit {}
impl<T: Clone> CloneToUninit for T {}
pub struct AssertParamIsClone<T: ?Sized> { _field: PhantomData<T> }
pub struct AssertParamIsCopy<T: ?Sized> { _field: PhantomData<T> }

impl Clone for crate::string::String {}
impl Clone for crate::path::PathBuf {}
impl Clone for crate::ffi::OsString {}
impl<T: Clone, A: Clone> Clone for crate::vec::Vec<T, A> {}
impl<T: Clone, A: Clone> Clone for crate::boxed::Box<T, A> {}
impl<T: Clone> Clone for crate::boxed::Box<[T]> {}
impl Clone for crate::boxed::Box<str> {}
impl Clone for crate::boxed::Box<crate::ffi::CStr> {}
impl Clone for crate::boxed::Box<crate::ffi::OsStr> {}
impl Clone for crate::boxed::Box<crate::path::Path> {}
impl<T: Clone> Clone for crate::option::Option<T> {}
impl<T: Clone, E: Clone> Clone for crate::result::Result<T, E> {}
impl<T: ?Sized, A: Clone> Clone for crate::rc::Rc<T, A> {}
impl<T: ?Sized, A: Clone> Clone for crate::sync::Arc<T, A> {}
impl<T: ?Sized> Clone for PhantomData<T> {}
impl<T: ?Sized> crate::marker::Copy for PhantomData<T> {}
impl Clone for crate::time::Duration {}
impl crate::marker::Copy for crate::time::Duration {}
impl Clone for crate::alloc::Global {}
impl crate::marker::Copy for crate::alloc::Global {}
