//! Pointer types other than raw pointers.

use crate::convert::TryFrom;
use crate::marker::PhantomData;
use crate::num::{NonZero, TryFromIntError};

#[repr(transparent)]
#[rustc_layout_scalar_valid_range_start(1)]
pub struct NonNull<T: ?Sized> { pointer: *const T }
#[repr(transparent)]
pub struct Unique<T: ?Sized> { pointer: NonNull<T>, _marker: PhantomData<T> }
pub struct DynMetadata<Dyn: ?Sized> { _vtable_ptr: NonNull<VTable>, _phantom: PhantomData<Dyn> }
struct VTable;

/// A power of two that fits an address.
#[cfg(target_pointer_width = "64")]
#[rustc_layout_scalar_valid_range_start(1)]
#[rustc_layout_scalar_valid_range_end(0x8000_0000_0000_0000)]
pub struct Alignment(usize);
#[cfg(target_pointer_width = "32")]
#[rustc_layout_scalar_valid_range_start(1)]
#[rustc_layout_scalar_valid_range_end(0x8000_0000)]
pub struct Alignment(usize);
#[cfg(target_pointer_width = "16")]
#[rustc_layout_scalar_valid_range_start(1)]
#[rustc_layout_scalar_valid_range_end(0x8000)]
pub struct Alignment(usize);

// Computed by the compiler: `()`, `usize` or `DynMetadata`.
#[lang = "pointee_trait"]
pub trait Pointee {
    #[lang = "metadata_type"]
    type Metadata;
}

impl TryFrom<usize> for Alignment { type Error = TryFromIntError; }
impl TryFrom<NonZero<usize>> for Alignment { type Error = TryFromIntError; }
