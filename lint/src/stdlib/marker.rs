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
