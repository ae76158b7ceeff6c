//! What an allocation really occupies on the target; `tests/tests/pairs.rs` compares it with the
//! allocator itself.

use super::Model;
use crate::malloc;
use crate::resolve::ty::Ty;

impl Model<'static> {
    /// Returns the bytes of the malloc block for a request, with header, rounding and minimum size.
    pub fn block(&self, bytes: u64) -> u64 {
        malloc::block_for(bytes, self.word())
    }

    /// Returns the payload bytes of an owning pointer's block for a value: `Rc` and `Arc` store
    /// counts in it.
    pub fn held(&self, pointer: &str, bytes: u64, align: u64) -> u64 {
        let word = self.word();
        match pointer {
            "Rc" | "Arc" => ((2 * word).next_multiple_of(align) + bytes).next_multiple_of(word),
            _ => bytes,
        }
    }

    /// Returns the bytes of the block of an owning pointer to this type; `None` if its size is
    /// unknown.
    pub fn block_of(&self, pointer: &str, ty: Ty) -> Option<u64> {
        let extent = self.extent(ty).ok()?;
        Some(self.block(self.held(pointer, extent.size, extent.align)))
    }

    /// Returns the bytes of a word on the target.
    pub fn word(&self) -> u64 {
        u64::from(self.db.project.target.layout.pointer_bits) / 8
    }
}
