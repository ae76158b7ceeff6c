//! What leads to which block: the edges of the graph of the heap.

use super::Walk;
use crate::image::Image;
use crate::plan::{NO_OWNER, Owner};

/// A block that something leads to.
#[derive(Clone, Copy, Debug)]
pub struct Link {
    /// A block, or [`ROOT`] and more: a root.
    pub from: u32,
    /// The block.
    pub to: u32,
    /// The field, or the root itself.
    pub owner: Owner,
}

/// The number of the first root: above those of all blocks.
pub const ROOT: u32 = 1 << 31;

/// The links of a walk.
#[derive(Debug, Default)]
pub struct Links<'i> {
    /// In the order of the walk.
    pub list: Vec<Link>,
    /// Statics and variables, by number.
    pub roots: Vec<Owner>,
    /// The root that is being read.
    root: Option<u32>,
    /// The value whose container is being read.
    pub(super) from: Option<&'i [u8]>,
    /// Offsets of contents, and their blocks.
    blocks: Vec<(u64, u32)>,
}

impl<'i> Links<'i> {
    pub(super) fn add_root(&mut self, owner: Owner) {
        if self.roots.last() != Some(&owner) {
            self.roots.push(owner);
        }
        self.root = u32::try_from(self.roots.len() - 1).ok();
    }

    /// The number of the root that is being read.
    pub(super) fn root(&self) -> u32 {
        ROOT + self.root.unwrap_or(0)
    }

    /// Goes on with a root; returns the one before.
    pub(super) fn set_root(&mut self, root: u32) -> u32 {
        let before = self.root();
        self.root = Some(root - ROOT);
        before
    }

    /// The block that bytes lie in, or the root that is being read.
    pub(super) fn place(&mut self, image: &Image, bytes: &[u8]) -> Option<u32> {
        if self.blocks.is_empty() {
            self.blocks = image.by_offset();
        }
        let offset = image.offset_of(bytes);
        let after = self.blocks.partition_point(|(at, _)| *at <= offset);
        let block = after.checked_sub(1).map(|at| self.blocks[at]);
        let block = block.filter(|(at, index)| offset - at < image.blocks[*index as usize].size);
        match block {
            Some((_, index)) => Some(index),
            None => self.root.map(|root| ROOT + root),
        }
    }

    pub(super) fn add(&mut self, from: Option<u32>, to: usize, owner: Owner) {
        if let (Some(from), Ok(to)) = (from, u32::try_from(to)) {
            self.list.push(Link { from, to, owner });
        }
    }
}

impl Walk<'_, '_> {
    /// Notes that the container that is being read leads to a block.
    pub(super) fn link(&mut self, block: usize, owner: Owner) {
        if let Some(bytes) = self.links.from
            && !self.is_trial
        {
            let from = self.links.place(self.image, bytes);
            // Of several roots each has its own name already.
            let owner = match from {
                Some(from) if from >= ROOT && self.plans.owners[owner.0 as usize].ty.is_none() => {
                    NO_OWNER
                }
                _ => owner,
            };
            self.links.add(from, block, owner);
        }
    }
}
