//! Marker traits and types.

use crate::clone::Clone;

#[lang = "phantom_data"]
pub struct PhantomData<T: ?Sized>;
pub struct PhantomPinned;
pub struct PhantomContravariant<T: ?Sized>(PhantomData<fn(T)>);
pub struct PhantomContravariantLifetime<'a>(PhantomContravariant<&'a ()>);
pub struct PhantomCovariant<T: ?Sized>(PhantomData<fn() -> T>);
pub struct PhantomCovariantLifetime<'a>(PhantomCovariant<&'a ()>);
pub struct PhantomInvariant<T: ?Sized>(PhantomData<fn(T) -> T>);
pub struct PhantomInvariantLifetime<'a>(PhantomInvariant<&'a ()>);

#[lang = "sized"]
pub trait Sized {}
#[lang = "copy"]
pub trait Copy: Clone {}
pub auto trait Send {}
pub auto trait Sync {}
pub auto trait Unpin {}
pub auto trait Freeze {}
pub trait Destruct {}
pub trait FnPtr: Copy + Clone {}
pub trait MetaSized {}
pub trait PointeeSized {}
pub trait StructuralPartialEq {}
pub trait Tuple {}
pub trait Unsize<T: ?Sized> {}
pub trait Variance {}

// Computed by the compiler: `isize` for an enum without integer `repr`, else that integer.
#[lang = "discriminant_kind"]
pub trait DiscriminantKind { type Discriminant; }

// What the fields above and elsewhere do not say of auto traits.
impl<T: ?Sized> !Send for crate::ptr::NonNull<T> {}
impl<T: ?Sized> !Sync for crate::ptr::NonNull<T> {}
unsafe impl<T: Send + ?Sized> Send for crate::ptr::Unique<T> {}
unsafe impl<T: Sync + ?Sized> Sync for crate::ptr::Unique<T> {}
impl<T: ?Sized> !Sync for crate::cell::UnsafeCell<T> {}
impl<T: ?Sized> !Sync for crate::cell::Cell<T> {}
impl<T: ?Sized> !Sync for crate::cell::RefCell<T> {}
impl<T> !Sync for crate::cell::OnceCell<T> {}
unsafe impl<T: Sync + ?Sized> Sync for crate::cell::SyncUnsafeCell<T> {}
impl<T: ?Sized, A> !Send for crate::rc::Rc<T, A> {}
impl<T: ?Sized, A> !Sync for crate::rc::Rc<T, A> {}
impl<T: ?Sized, A> !Send for crate::rc::Weak<T, A> {}
impl<T: ?Sized, A> !Sync for crate::rc::Weak<T, A> {}
unsafe impl<T: Sync + Send + ?Sized, A: Send> Send for crate::sync::Arc<T, A> {}
unsafe impl<T: Sync + Send + ?Sized, A: Sync> Sync for crate::sync::Arc<T, A> {}
unsafe impl<T: Sync + Send + ?Sized, A: Send> Send for crate::sync::Weak<T, A> {}
unsafe impl<T: Sync + Send + ?Sized, A: Sync> Sync for crate::sync::Weak<T, A> {}
unsafe impl<T: Send + ?Sized> Send for crate::sync::Mutex<T> {}
unsafe impl<T: Send + ?Sized> Sync for crate::sync::Mutex<T> {}
impl<T: ?Sized> !Send for crate::sync::MutexGuard<'_, T> {}
unsafe impl<T: Sync + ?Sized> Sync for crate::sync::MutexGuard<'_, T> {}
unsafe impl<T: Send + ?Sized> Send for crate::sync::RwLock<T> {}
unsafe impl<T: Send + Sync + ?Sized> Sync for crate::sync::RwLock<T> {}
impl<T: ?Sized> !Send for crate::sync::RwLockReadGuard<'_, T> {}
impl<T: ?Sized> !Send for crate::sync::RwLockWriteGuard<'_, T> {}
unsafe impl<T: Sync> Send for crate::slice::Iter<'_, T> {}
unsafe impl<T: Sync> Sync for crate::slice::Iter<'_, T> {}
unsafe impl<T: Send> Send for crate::slice::IterMut<'_, T> {}
unsafe impl<T: Sync> Sync for crate::slice::IterMut<'_, T> {}
unsafe impl<T: Send, A: Send> Send for crate::vec::IntoIter<T, A> {}
unsafe impl<T: Sync, A: Sync> Sync for crate::vec::IntoIter<T, A> {}
impl !Unpin for PhantomPinned {}
impl<T: ?Sized, A> Unpin for crate::boxed::Box<T, A> {}
impl<T: ?Sized, A> Unpin for crate::rc::Rc<T, A> {}
impl<T: ?Sized, A> Unpin for crate::sync::Arc<T, A> {}
macro_rules! atomics {
    ($($name:ident)*) => { $(
        unsafe impl Sync for crate::sync::atomic::$name {}
        impl crate::panic::RefUnwindSafe for crate::sync::atomic::$name {}
    )* };
}
atomics! {
    AtomicBool AtomicI8 AtomicU8 AtomicI16 AtomicU16 AtomicI32 AtomicU32 AtomicI64 AtomicU64 AtomicIsize AtomicUsize
}
unsafe impl<T> Send for crate::sync::atomic::AtomicPtr<T> {}
unsafe impl<T> Sync for crate::sync::atomic::AtomicPtr<T> {}

macro_rules! stays_in_its_thread {
    ($($type:ty)*) => { $(
        impl !Send for $type {}
        impl !Sync for $type {}
    )* };
}
stays_in_its_thread! { crate::env::Args crate::env::ArgsOs crate::env::Vars crate::env::VarsOs }
stays_in_its_thread! {
    crate::proc_macro::Diagnostic crate::proc_macro::Group crate::proc_macro::Ident crate::proc_macro::LexError
    crate::proc_macro::Literal crate::proc_macro::Punct crate::proc_macro::Span crate::proc_macro::TokenStream
    crate::proc_macro::token_stream::IntoIter
}
