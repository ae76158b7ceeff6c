//! Type identity at run time.

// 128 bits, in words that may hold addresses.
#[cfg(all(version("1.90"), target_pointer_width = "64"))]
pub struct TypeId { data: [*const (); 2] }
#[cfg(all(version("1.90"), target_pointer_width = "32"))]
pub struct TypeId { data: [*const (); 4] }
#[cfg(all(version("1.90"), target_pointer_width = "16"))]
pub struct TypeId { data: [*const (); 8] }
#[cfg(not(version("1.90")))]
pub struct TypeId { t: (u64, u64) }
pub trait Any {}

impl<T: ?Sized> Any for T {}
