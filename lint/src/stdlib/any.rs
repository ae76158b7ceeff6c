//! Type identity at run time.

// 128 bits, in words that may hold addresses.
#[cfg(target_pointer_width = "64")]
pub struct TypeId { data: [*const (); 2] }
#[cfg(target_pointer_width = "32")]
pub struct TypeId { data: [*const (); 4] }
#[cfg(target_pointer_width = "16")]
pub struct TypeId { data: [*const (); 8] }
pub trait Any {}
