//! What a test of the program is told of its own heap: numbers by type, and differences of these.

use super::take::{Counted, Source, summary};
use crate::dwarf::Program;
use crate::site::Sites;
use crate::types::{Kind, TypeId};
use crate::walk::{State, Walk};
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use std::hash::BuildHasher;
use weigh_heap::protocol::answer;

/// The type by which the crate asks for values of its argument.
const ASKED: &str = "weigh_heap::heap::Of<";

/// Whether a test of the program may ask.
pub fn is_asking(program: &Program) -> bool {
    // Without the type there may still be a question for bytes.
    let mut all = program.functions.all();
    all.any(|function| function.name.starts_with("weigh_heap::heap::"))
}

/// A block of no certain type, or whose contents were not read: address, bytes, stack, and the
/// hash of what is in it.
type Unread = (u64, u64, u32, u64);

/// The numbers of one moment.
#[derive(Debug)]
pub struct Reading {
    bytes: u64,
    blocks: u64,
    values: FxHashMap<TypeId, u64>,
    /// Slots whose contents were not read, or whose type is a guess.
    doubtful: FxHashMap<TypeId, u64>,
    unread: FxHashSet<Unread>,
    /// The address of each vtable by which is asked, and for which type.
    asked: Vec<(u64, TypeId)>,
}

impl Reading {
    /// Counts.
    ///
    /// # Errors
    /// The program is not in the memory's list of files; or what alone is to be counted has no type.
    pub fn of(source: &Source<'_>) -> Result<Reading, String> {
        let (program, image) = (source.program, source.image);
        let bias = source.bias()?;
        let sites = crate::site::read(image, program, bias);
        let walk = Walk::new(image, program, &sites, bias);
        source.check(&walk)?;
        let counted = Counted::new(&walk);
        let summary = summary(&walk, &sites, 0);
        let mut doubtful = counted.unread;
        for (ty, n) in counted.guessed {
            *doubtful.entry(ty).or_default() += n;
        }
        let types = &program.types;
        let asked = program.tables.iter().filter_map(|(address, of)| {
            let of = (*of).filter(|of| types[*of].name.starts_with(ASKED))?;
            Some((address.wrapping_add(bias), types.argument(of, "T")?))
        });
        let mut asked: Vec<_> = asked.collect();
        asked.sort_unstable_by_key(|(address, _)| *address);
        Ok(Reading {
            bytes: summary.live_bytes,
            blocks: summary.blocks,
            values: counted.values,
            doubtful,
            unread: unread(&walk, &sites),
            asked,
        })
    }

    /// The words of an answer: what there is, or what there is more than earlier.
    pub fn answer(&self, program: &Program, since: Option<&Reading>) -> Vec<u64> {
        let before = |of: fn(&Reading) -> u64| since.map_or(0, of);
        let mut words = vec![0; answer::HEAD];
        words[answer::BYTES] = self.bytes.wrapping_sub(before(|r| r.bytes));
        words[answer::BLOCKS] = self.blocks.wrapping_sub(before(|r| r.blocks));
        let most = (answer::MOST - answer::HEAD) / answer::TYPE;
        words[answer::TYPES] = self.asked.len().min(most) as u64;
        // Of what was not read before and is not now nothing is known, but that it was there.
        let fresh = |unread: &&Unread| since.is_none_or(|since| !since.unread.contains(*unread));
        let gone = since.iter().flat_map(|since| &since.unread);
        let gone = gone.filter(|unread| !self.unread.contains(*unread));
        let changed = self.unread.iter().filter(fresh).chain(gone);
        let largest = changed.map(|(_, bytes, ..)| *bytes).max();
        for (address, ty) in self.asked.iter().take(most) {
            let of = |map: &FxHashMap<TypeId, u64>| map.get(ty).copied().unwrap_or(0);
            let earlier = since.map_or((0, 0), |r| (of(&r.values), of(&r.doubtful)));
            let described = &program.types[*ty];
            let is_counted = described.size > 0
                && !matches!(
                    described.kind,
                    Kind::Scalar(_) | Kind::Pointer(_) | Kind::Opaque
                );
            let is_sure = is_counted
                && of(&self.doubtful) == earlier.1
                && largest.is_none_or(|bytes| bytes < described.size);
            words.extend([
                *address,
                of(&self.values).wrapping_sub(earlier.0),
                u64::from(!is_sure),
            ]);
        }
        words
    }
}

/// Blocks that may hold values of any type.
fn unread(walk: &Walk<'_, '_>, sites: &Sites) -> FxHashSet<Unread> {
    let mut all = FxHashSet::default();
    let states = walk.found.states.iter().enumerate();
    for (block, (index, state)) in walk.image.blocks.iter().zip(states) {
        let is_read = match state {
            State::Held(..) => walk.found.arenas.unread(block.address) == 0,
            _ if walk.image.root.is_some() => true,
            State::Unknown => sites.foreign.contains(&block.stack()),
            State::Made(site) if site.sure => {
                let described = &walk.plans.types[site.ty];
                described.size == 1 && matches!(described.kind, Kind::Scalar(_))
            }
            State::Made(_) | State::Disputed => false,
        };
        if !is_read {
            // Filled in place, or freed and got back, it is another.
            let contents = FxBuildHasher.hash_one(walk.image.contents(index));
            all.insert((block.address, block.size, block.stack(), contents));
        }
    }
    all
}
