//! What an allocation of a type's values really takes on the target; `tests/tests/pairs.rs` holds
//! it against the allocator itself.

use super::{Model, malloc};
use crate::resolve::ty::Ty;

impl Model<'static> {
    /// Bytes of the block that malloc takes for so many bytes: its header, rounding and least size
    /// with them.
    pub fn block(&self, bytes: u64) -> u64 {
        malloc::block_for(bytes, self.word())
    }

    /// Bytes that an owning pointer's block holds for a value of so many bytes: `Rc` and `Arc`
    /// count in it.
    pub fn held(&self, pointer: &str, bytes: u64, align: u64) -> u64 {
        let word = self.word();
        match pointer {
            "Rc" | "Arc" => ((2 * word).next_multiple_of(align) + bytes).next_multiple_of(word),
            _ => bytes,
        }
    }

    /// Bytes of the block of an owning pointer to a value of this type; `None` if its size is not
    /// known.
    pub fn block_of(&self, pointer: &str, ty: Ty) -> Option<u64> {
        let extent = self.extent(ty).ok()?;
        Some(self.block(self.held(pointer, extent.size, extent.align)))
    }

    /// Bytes of a word on the target.
    pub fn word(&self) -> u64 {
        u64::from(self.db.project.target.layout.pointer_bits) / 8
    }
}
