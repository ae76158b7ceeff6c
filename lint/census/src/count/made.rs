//! What allocation sites have made, what the process takes, and how large blocks are.

use super::parts::{Named, STACKS, places};
use super::take::Source;
use super::{MadeCount, MemoryCount, SizeCount};
use crate::image::Image;
use crate::malloc;
use crate::site::Sites;
use crate::walk::{State, Walk};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use weigh_heap::protocol::memory;

/// How many sites are listed of the most bytes, and of the most blocks.
const SITES: usize = 60;

/// A header of the recorder.
const HEADER: u64 = 16;

/// Sites by type and frames.
pub(super) fn made(
    source: &Source<'_>,
    walk: &Walk<'_, '_>,
    sites: &Sites,
    bias: u64,
) -> Vec<MadeCount> {
    // Live blocks and bytes, and the type with most bytes.
    let mut live: FxHashMap<u32, (u64, u64)> = FxHashMap::default();
    let mut types: FxHashMap<u32, BTreeMap<_, u64>> = FxHashMap::default();
    for (block, state) in walk.image.blocks.iter().zip(walk.found.states.iter()) {
        let stack = block.stack();
        let amount = live.entry(stack).or_default();
        *amount = (amount.0 + 1, amount.1 + block.size);
        if let State::Held(ty, ..) = state {
            let bytes = types.entry(stack).or_default().entry(ty).or_default();
            *bytes += block.size + 1;
        }
    }
    let (mut by_stack, mut at_least) = (FxHashMap::default(), false);
    // No more than are resolved, so what they are sorted by does not matter.
    let mut first = |mut list: Vec<(u64, u32)>| {
        list.sort_unstable_by_key(|(n, stack)| (Reverse(*n), *stack));
        at_least |= list.len() > STACKS / 2;
        by_stack.extend(list.iter().take(STACKS / 2).map(|(n, stack)| (*stack, *n)));
    };
    first(live.iter().map(|(stack, n)| (n.1, *stack)).collect());
    let total = &walk.image.made;
    first(total.iter().map(|(stack, n)| (n.0, *stack)).collect());
    let named = places(source, by_stack, bias);
    let mut all: BTreeMap<(String, Vec<String>), MadeCount> = BTreeMap::new();
    for (stack, frames) in &named {
        let of_blocks = types.get(stack);
        let most = of_blocks.and_then(|all| all.iter().max_by_key(|(ty, n)| (**n, Reverse(**ty))));
        let said = sites.by_stack.get(stack).filter(|site| site.sure);
        let ty = most.map(|(ty, _)| *ty).or(said.map(|site| site.ty));
        let ty = ty.map_or_else(String::new, |ty| walk.plans.types[ty].name.to_string());
        let frames: Vec<String> = frames.iter().map(frame).collect();
        let key = (ty.clone(), frames.clone());
        let count = all.entry(key).or_insert_with(|| MadeCount {
            ty,
            frames,
            at_least,
            ..MadeCount::default()
        });
        let (blocks, bytes) = live.get(stack).copied().unwrap_or_default();
        let (made_blocks, made_bytes) = total.get(stack).copied().unwrap_or_default();
        count.blocks += blocks;
        count.bytes += bytes;
        count.made_blocks += made_blocks;
        count.made_bytes += made_bytes;
    }
    let mut list: Vec<MadeCount> = all.into_values().collect();
    list.sort_by_key(|made| Reverse(made.made_blocks));
    let frequent = list.split_off(SITES.min(list.len()));
    let mut large = frequent;
    large.sort_by_key(|made| Reverse(made.bytes));
    large.truncate(SITES);
    list.append(&mut large);
    list.sort_by(|a, b| {
        b.bytes
            .cmp(&a.bytes)
            .then(b.made_blocks.cmp(&a.made_blocks))
    });
    list
}

fn frame((function, place): &Named) -> String {
    match &**place {
        "" => function.clone(),
        place => format!("{function} at {place}"),
    }
}

/// What the process takes; none where the recorder could not know it.
pub(super) fn memory(image: &Image, has_own_allocator: bool) -> Option<MemoryCount> {
    let said = &image.memory_of_process;
    if said[memory::RESIDENT] == 0 {
        return None;
    }
    let blocks = image.blocks.iter();
    let headers = blocks.map(|b| malloc::block(b.size + HEADER) - malloc::block(b.size));
    let of_malloc = |bytes: u64| if has_own_allocator { 0 } else { bytes };
    Some(MemoryCount {
        resident_bytes: said[memory::RESIDENT],
        file_bytes: said[memory::FILES],
        recorder_bytes: said[memory::RECORDER] + headers.sum::<u64>(),
        malloc_bytes: of_malloc(said[memory::ARENAS] + said[memory::MAPPED]),
        free_bytes: of_malloc(said[memory::FREE]),
    })
}

/// The most bytes of the blocks of each line but the last. Up to the first of these malloc takes as
/// much for the block as for its own header and more.
const STEPS: [u64; 11] = [
    8,
    16,
    24,
    32,
    64,
    128,
    256,
    1 << 10,
    1 << 12,
    1 << 16,
    1 << 20,
];

/// Live blocks by size.
pub(super) fn sizes(image: &Image) -> Vec<SizeCount> {
    let mut list: Vec<SizeCount> = STEPS
        .iter()
        .chain(&[0])
        .map(|up_to| SizeCount {
            up_to: *up_to,
            ..SizeCount::default()
        })
        .collect();
    for block in &image.blocks {
        let step = STEPS.iter().position(|most| block.size <= *most);
        let count = &mut list[step.unwrap_or(STEPS.len())];
        count.blocks += 1;
        count.bytes += block.size;
        count.malloc_bytes += malloc::block(block.size);
    }
    list.retain(|count| count.blocks > 0);
    list
}
