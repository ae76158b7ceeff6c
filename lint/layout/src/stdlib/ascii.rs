//! ASCII characters and their escapes.

use crate::char::{AlwaysEscaped, EscapeIterInner};
use crate::iter::Iterator;

/// 128 variants without fields.
#[rustc_layout_scalar_valid_range_end(127)]
pub struct Char(u8);
pub struct EscapeDefault(EscapeIterInner<4, AlwaysEscaped>);
pub trait AsciiExt { type Owned; }

impl Iterator for EscapeDefault { type Item = u8; }
