//! The string types that a `String` can become: their sizes, what they hold without a block of
//! their own, and the size of a type that holds one.
//!
//! The numbers are for 64-bit targets; a test of this repository measures the crates themselves.

use super::Model;
use super::parts::with_field;
use crate::layout::WhatIf;
use crate::resolve::ty::{Const, Ty, TyKind};
use crate::usage::body::FieldId;
use crate::usage::types::is_std;

/// A string type of another crate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextType {
    /// As one writes it: crate and type.
    pub path: &'static str,
    /// The same layout in types of std, for the calculator.
    pub shape: &'static str,
    /// Bytes of one value.
    pub size: u64,
    /// Bytes of text that it holds without a block of its own.
    pub inline: u64,
    /// An `Option` of it is no larger.
    pub niche: bool,
    /// Can be changed where it stands.
    pub mutable: bool,
    /// A copy of a long text is a count, not a block.
    pub shared: bool,
}

/// 24 bytes, all of them for text.
pub const COMPACT: TextType = TextType {
    path: "compact_str::CompactString",
    shape: "crate::string::String",
    size: 24,
    inline: 24,
    niche: true,
    mutable: true,
    shared: false,
};

/// Is not changed, and shares what is long.
pub const SMOL: TextType = TextType {
    path: "smol_str::SmolStr",
    shape: "(bool, u8, u16, u32, usize, usize)",
    size: 24,
    inline: 23,
    niche: true,
    mutable: false,
    shared: true,
};

/// The smallest.
pub const ECO: TextType = TextType {
    path: "ecow::EcoString",
    shape: "[usize; 2]",
    size: 16,
    inline: 15,
    niche: false,
    mutable: true,
    shared: true,
};

/// All of them.
pub const ALL: [TextType; 3] = [COMPACT, SMOL, ECO];

/// The least bytes that the items of a `SmallVec` have, with its feature `union`: those of a pointer
/// and a length.
const LEAST_INLINE: u64 = 16;

/// An item of more bytes is better not moved with what holds it.
const MOST_INLINE: u64 = 64;

impl Model<'static> {
    /// A type of std written in Rust.
    pub fn std_type(&self, text: &str) -> Option<Ty> {
        self.parse_type(text, self.db.std()).ok()
    }

    /// An array of so many places that may hold an item.
    pub fn uninit_array(&self, item: Ty, len: u64) -> Option<Ty> {
        let unit = self.std_type("crate::mem::MaybeUninit<()>")?;
        let place = self.with_argument(unit, 0, item);
        let array = TyKind::Array(place, Const::Value(i128::from(len)));
        Some(self.db.types.intern(array))
    }

    /// What a `SmallVec` that keeps one item in itself is, with its feature `union`; `None` for an
    /// item that is better not moved with what holds it.
    pub fn small_vec_of_one(&self, item: Ty) -> Option<Ty> {
        let items = match self.size(item)? {
            1..=LEAST_INLINE => self.std_type("[usize; 2]")?,
            size if (1..=MOST_INLINE).contains(&size) => self.uninit_array(item, 1)?,
            _ => return None,
        };
        let length = self.std_type("usize")?;
        Some(self.db.types.intern(TyKind::Tuple([length, items].into())))
    }

    /// A change of one field: its type by another, or what its `Option` holds.
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
    use super::super::malloc;

    #[test]
    fn blocks_are_rounded() {
        let taken = [0, 1, 24, 25, 40, 41].map(malloc::block);
        assert_eq!(taken, [32, 32, 32, 48, 48, 64]);
    }
}
