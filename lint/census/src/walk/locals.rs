//! Variables on the stacks of threads: they own what no block and no static does. Of the thread that
//! came to the moment every frame is known, of another where it waits in the kernel.
//!
//! Debug information says where a variable lies while the code is at an address, and not whether it
//! has been moved or dropped. So it is read only if it is valid, owns a block, and nothing else owns
//! its blocks; inner functions are first, as what they have was moved to them.

use super::Walk;
use crate::dwarf::{Base, Local};
use rustc_hash::{FxHashMap, FxHashSet};

impl Walk<'_, '_> {
    pub(super) fn locals(&mut self) {
        let program = self.program;
        // The call is before the address where it returns to.
        let call = |returns_to: u64| returns_to.wrapping_sub(self.bias).wrapping_sub(1);
        let is_code = |at: u64| program.functions.is_in_one(call(at));
        let stacks = [self.image.frames()].into_iter();
        let stacks = stacks.chain(self.image.waiting_frames(is_code));
        let frames: Vec<_> = stacks.flatten().map(|f| (call(f.returns_to), f)).collect();
        let mut known: FxHashMap<u64, Vec<&Local>> = FxHashMap::default();
        let mut iterated = FxHashSet::default();
        for (at, frame) in frames {
            let here = known.entry(at).or_insert_with(|| {
                let mut here: Vec<&Local> = program.locals_at(at).collect();
                // What is declared later may have been made of what is declared earlier.
                here.reverse();
                here
            });
            for local in here {
                let base = match local.base {
                    Base::Frame => frame.frame,
                    Base::Stack => frame.stack,
                };
                self.local(local, base.wrapping_add_signed(local.offset), &mut iterated);
            }
        }
    }

    fn local(&mut self, local: &Local, address: u64, iterated: &mut FxHashSet<usize>) {
        let size = self.size(local.ty);
        let Some(bytes) = self.image.memory(address, size) else {
            return;
        };
        let owner = self.plans.owner(None, &local.name);
        self.links.add_root(owner);
        let plan = self.plans.of(local.ty, owner);
        self.add_iterated(plan, bytes, iterated);
        let is_taken = |index| self.found.owned[index] || iterated.contains(&index);
        let is_free = !self.any_block(plan, bytes, &is_taken);
        let owns = self.any_block(plan, bytes, &|_| true);
        // Optimized code may have the length of a buffer in a register.
        if is_free && owns && self.is_valid(plan, bytes) && !self.is_stale(plan, bytes) {
            self.todo_uncounted(plan, bytes);
            self.drain();
        }
    }
}
