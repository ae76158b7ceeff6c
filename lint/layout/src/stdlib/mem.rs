//! Wrappers that change how memory is treated, and queries on types.

use crate::marker::DiscriminantKind;
use crate::ops::Deref;

pub struct Discriminant<T>(<T as DiscriminantKind>::Discriminant);
pub struct DropGuard<T, F> { inner: ManuallyDrop<T>, f: ManuallyDrop<F> }
#[lang = "manually_drop"]
#[repr(transparent)]
#[weigh(inline)]
pub struct ManuallyDrop<T: ?Sized> { value: MaybeDangling<T> }
#[repr(transparent)]
pub struct MaybeDangling<P: ?Sized>(P);
#[lang = "maybe_uninit"]
#[repr(transparent)]
pub union MaybeUninit<T> { uninit: (), value: ManuallyDrop<T> }

impl<T: ?Sized> Deref for ManuallyDrop<T> { type Target = T; }
impl<T, F> Deref for DropGuard<T, F> { type Target = T; }

// Computed by the constant evaluator.
pub const fn align_of<T>() -> usize { intrinsic }
pub const fn align_of_val<T: ?Sized>(val: &T) -> usize { intrinsic }
pub const fn min_align_of<T>() -> usize { intrinsic }
pub const fn needs_drop<T: ?Sized>() -> bool { intrinsic }
pub const fn size_of<T>() -> usize { intrinsic }
pub const fn size_of_val<T: ?Sized>(val: &T) -> usize { intrinsic }
pub const fn variant_count<T>() -> usize { intrinsic }
pub fn drop<T>(_x: T) {}
