//! Cells: interior mutability in one thread.

use crate::marker::PhantomData;
use crate::ops::Deref;
use crate::option::Option;
use crate::ptr::NonNull;

#[lang = "unsafe_cell"]
#[repr(transparent)]
#[weigh(cell)]
pub struct UnsafeCell<T: ?Sized> { value: T }
#[repr(transparent)]
pub struct SyncUnsafeCell<T: ?Sized> { value: UnsafeCell<T> }
#[repr(transparent)]
#[weigh(no_copy)]
#[weigh(cell)]
pub struct Cell<T: ?Sized> { value: UnsafeCell<T> }
#[weigh(no_copy)]
#[weigh(cell)]
pub struct RefCell<T: ?Sized> { borrow: Cell<isize>, value: UnsafeCell<T> }
pub struct BorrowError {}
pub struct BorrowMutError {}
pub struct Ref<'b, T: ?Sized> { value: NonNull<T>, borrow: BorrowRef<'b> }
pub struct RefMut<'b, T: ?Sized> { value: NonNull<T>, borrow: BorrowRefMut<'b>, marker: PhantomData<&'b mut T> }
struct BorrowRef<'b> { borrow: &'b Cell<isize> }
struct BorrowRefMut<'b> { borrow: &'b Cell<isize> }
pub struct OnceCell<T> { inner: UnsafeCell<Option<T>> }
pub struct LazyCell<T, F = fn() -> T> { state: UnsafeCell<State<T, F>> }
enum State<T, F> { Uninit(F), Init(T), Poisoned }
pub trait CloneFromCell {}

impl<T, F> Deref for LazyCell<T, F> { type Target = T; }
impl<T: ?Sized> Deref for Ref<'_, T> { type Target = T; }
impl<T: ?Sized> Deref for RefMut<'_, T> { type Target = T; }
