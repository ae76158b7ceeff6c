//! The string types that can replace a `String`: their sizes, inline capacities, and the size of a
//! type that holds one.
//!
//! The numbers are for 64-bit targets; a test of this repository measures the crates themselves.

use super::Model;
use super::parts::with_field;
use crate::layout::WhatIf;
use crate::resolve::ty::{Const, Ty, TyKind};
use crate::usage::body::FieldId;
use crate::usage::types::is_std;

/// Minimum bytes of the inline storage of a `SmallVec` with its feature `union`: a pointer and a
/// length.
const LEAST_INLINE: u64 = 16;

/// Larger items (bytes) should not be moved with their holder.
const MOST_INLINE: u64 = 64;

impl Model<'static> {
    /// Parses a type of std.
    pub fn std_type(&self, text: &str) -> Option<Ty> {
        self.parse_type(text, self.db.std()).ok()
    }

    /// Returns an array of `len` uninitialized items.
    pub fn uninit_array(&self, item: Ty, len: u64) -> Option<Ty> {
        let unit = self.std_type("crate::mem::MaybeUninit<()>")?;
        let place = self.with_argument(unit, 0, item);
        let array = TyKind::Array(place, Const::Value(i128::from(len)));
        Some(self.db.types.intern(array))
    }

    /// Returns the equivalent of a `SmallVec` with room for one inline item and its feature
    /// `union`; `None` for an item that should not be moved with its holder.
    pub fn small_vec_of_one(&self, item: Ty) -> Option<Ty> {
        let items = match self.size(item)? {
            1..=LEAST_INLINE => self.std_type("[usize; 2]")?,
            size if (1..=MOST_INLINE).contains(&size) => self.uninit_array(item, 1)?,
            _ => return None,
        };
        let length = self.std_type("usize")?;
        Some(self.db.types.intern(TyKind::Tuple([length, items].into())))
    }

    /// Returns the change of one field's type, or of the content of its `Option`.
    pub fn retyped(&self, field: FieldId, is: Ty, to: Ty) -> WhatIf {
        let ty = match is_std(self.db, is, "Option") {
            true => self.with_argument(is, 0, to),
            false => to,
        };
        with_field(field, ty)
    }
}

#[cfg(test)]
mod tests {
    use crate::malloc;

    #[test]
    fn blocks_are_rounded() {
        let taken = [0, 1, 24, 25, 40, 41].map(malloc::block);
        assert_eq!(taken, [32, 32, 32, 48, 48, 64]);
    }
}
