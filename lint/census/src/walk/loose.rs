//! Blocks that no owner in the heap or in a static leads to: variables own them.

use super::variables::Evidence;
use super::{State, Walk, WalkFound, chosen, from, tag_of};
use crate::image::{rest, word};
use crate::plan::{self, NO_OWNER, Op, PlanId};
use crate::rules::Container;
use crate::site::{Filled, Site, contained};
use crate::types::TypeId;
use rustc_hash::FxHashSet;
use std::cell::{Cell, RefCell};
use std::ops::Range;

/// The most passes over blocks that are still not read.
const PASSES: usize = 4;

/// The least number of values beyond the length in memory that own blocks of the sizes that their
/// capacities say, to take that length for stale. Uninitialized bytes may do so by chance.
const WITNESSES: u64 = 8;

impl Walk<'_, '_> {
    /// Reads blocks of one value of a type of the program: what the value owns belongs to its
    /// fields, whatever its own owner.
    pub(super) fn single(&mut self) {
        for index in self.unread(|walk, site| {
            site.sure
                && !site.yields
                && site.filled == Filled::One
                && !plan::is_transparent(&walk.program.types[site.ty].name)
        }) {
            self.read_single(index as usize);
        }
    }

    /// Reads blocks that variables own. A value in one block may own another of these blocks, so a
    /// trial reads all of them: blocks that got no owner then are read first.
    pub(super) fn loose(&mut self) {
        let inner = self.pointed_to();
        for _ in 0..PASSES {
            let unread = self.unread_loose();
            if unread.is_empty() {
                break;
            }
            // Counts of fields are the largest part, and no step of the walk depends on them.
            let owners = std::mem::take(&mut self.found.owners);
            let before = self.found.clone();
            self.is_trial = true;
            self.read_loose(unread.clone(), &inner);
            self.is_trial = false;
            let tried = std::mem::replace(&mut self.found, WalkFound { owners, ..before }).owned;
            let is_owned = |index: &u32| {
                let index = *index as usize;
                tried[index] && !self.found.owned[index]
            };
            let (owned, outer): (Vec<u32>, Vec<u32>) = unread.into_iter().partition(is_owned);
            let before = owned.len() + outer.len();
            self.read_loose(outer, &inner);
            // Where no other could be read, they own each other in a cycle.
            if self.unread_loose().len() == before {
                self.read_loose(owned, &inner);
            }
        }
    }

    /// Blocks whose type is known: sure ones first, and of these single values and tables first.
    fn unread_loose(&self) -> Vec<u32> {
        let mut all = self.unread(|_, site| {
            matches!(site.filled, Filled::Slice | Filled::Table)
                || site.sure && matches!(site.filled, Filled::One | Filled::CountedSlice(_))
        });
        all.sort_by_key(|index| match self.found.states.of(*index as usize) {
            State::Made(site) if site.sure => u8::from(site.filled == Filled::Slice),
            _ => 2,
        });
        all
    }

    fn unread(&self, is_wanted: impl Fn(&Self, Site) -> bool) -> Vec<u32> {
        let all = self.found.states.iter().enumerate();
        all.filter(|(index, state)| match state {
            State::Made(site) => {
                let fresh = self.image.blocks[*index].address == self.image.fresh;
                is_wanted(self, *site) && (site.filled == Filled::Slice || !fresh)
            }
            _ => false,
        })
        // Indices of four bytes, as several lists of millions of them exist at once.
        .filter_map(|(index, _)| u32::try_from(index).ok())
        .collect()
    }

    /// For each block, whether it is a buffer whose address another block contains: that one may own
    /// it, and no block can own the others.
    fn pointed_to(&self) -> Vec<bool> {
        let blocks = &self.image.blocks;
        // In the order of their addresses, as all blocks are.
        let buffers = self.unread(|_, site| site.filled == Filled::Slice);
        let address = |index: &u32| blocks[*index as usize].address;
        let mut found = vec![false; blocks.len()];
        // Most words are no addresses of buffers: a bit decides that, not a search.
        let bits = (buffers.len() * 16).next_power_of_two();
        let bit = |at: u64| {
            let bit = (at >> 4) as usize & (bits - 1);
            (bit / 64, 1_u64 << (bit % 64))
        };
        let mut sieve = vec![0; bits.div_ceil(64)];
        for (word, mask) in buffers.iter().map(|index| bit(address(index))) {
            sieve[word] |= mask;
        }
        for (index, block) in blocks.iter().enumerate() {
            let is_bytes = match self.found.states.of(index) {
                State::Made(Site { ty, .. }) | State::Held(ty, ..) => self.size(ty) == 1,
                State::Unknown | State::Disputed => false,
            };
            if is_bytes {
                continue;
            }
            for bytes in self.image.contents(index).as_chunks::<8>().0 {
                let at = u64::from_le_bytes(*bytes);
                let (word, mask) = bit(at);
                if sieve[word] & mask != 0
                    && at != block.address
                    && let Ok(n) = buffers.binary_search_by_key(&at, address)
                {
                    found[buffers[n] as usize] = true;
                }
            }
        }
        found
    }

    fn read_loose(&mut self, mut unread: Vec<u32>, inner: &[bool]) {
        let evidence = self.evidence();
        let nothing = Evidence::default();
        let of = |walk: &Self, index: usize| {
            evidence
                .get(&walk.image.blocks[index].address)
                .unwrap_or(&nothing)
        };
        // Values that an iterator has yielded have another owner, which is read first. So have those
        // that spare capacity got from a freed block: a buffer that another block may own is read
        // after those that only a variable can own, and a guess that no variable supports comes last.
        unread.sort_by_cached_key(|&index| {
            let index = index as usize;
            let evidence = of(self, index);
            let is_inner = inner[index];
            let (sure, is_buffer) = match self.found.states.of(index) {
                State::Made(site) => (site.sure, site.filled == Filled::Slice),
                _ => (false, false),
            };
            let is_alone = is_buffer && evidence.lengths.is_empty();
            let moved = evidence.inside.len() > 1;
            let rests = !evidence.rests.is_empty();
            (rests, is_alone && !sure, is_inner, is_alone, !sure, moved)
        });
        for index in unread {
            let index = index as usize;
            // An owner in another block may have been read meanwhile.
            let State::Made(site) = self.found.states.of(index) else {
                continue;
            };
            match site.filled {
                Filled::One => self.read_single(index),
                Filled::Table => self.read_table(index, site),
                Filled::CountedSlice(start) => self.read_counted(index, site, start.into()),
                _ => self.buffer_without_owner(index, site, of(self, index)),
            }
        }
    }

    fn read_single(&mut self, index: usize) {
        let State::Made(site) = self.found.states.of(index) else {
            return;
        };
        let plan = self.plans.of(site.ty, NO_OWNER);
        self.found
            .states
            .set(index, State::Held(site.ty, Filled::One, NO_OWNER));
        self.push(plan, self.image.contents(index));
        self.drain();
    }

    /// Reads a shared slice, which has no spare capacity.
    fn read_counted(&mut self, index: usize, site: Site, start: u64) {
        let bytes = self.image.contents(index);
        let size = self.size(site.ty);
        let held = State::Held(site.ty, site.filled, NO_OWNER);
        self.found.states.set(index, held);
        let Some(values) = bytes.get(start as usize..).filter(|_| word(bytes, 0) != 0) else {
            return;
        };
        let plan = self.plans.of(site.ty, NO_OWNER);
        self.run(values, values.len() as u64 / size, size, plan);
        self.drain();
    }

    /// Reads a buffer without an owner, if its length can be found.
    fn buffer_without_owner(&mut self, index: usize, site: Site, evidence: &Evidence) {
        let size = self.size(site.ty);
        let plan = self.plans.of(site.ty, NO_OWNER);
        let run = Run {
            plan,
            size,
            capacity: self.image.blocks[index].size / size,
            bytes: self.image.contents(index),
        };
        let filled = match site.sure {
            true => self
                .filled(&run, evidence)
                .or_else(|| self.filled_as_far_as_valid(&run, evidence)),
            // A guessed type is accepted where a variable has the capacity of the buffer, and a
            // value owns a block of the size that its capacity says.
            false => self
                .filled(&run, evidence)
                .filter(|filled| filled.clone().any(|n| self.owns(plan, run.value(n))))
                .or_else(|| {
                    // Where a variable says more values, either is wrong.
                    let fits =
                        |filled: &Range<u64>| evidence.lengths.iter().all(|n| *n <= filled.end);
                    self.filled_as_far_as_owned(&run).filter(fits)
                }),
        };
        let Some(filled) = filled else {
            return;
        };
        if !site.sure && self.has_rival(site, filled.clone().map(|n| run.value(n)).collect()) {
            return;
        }
        self.found
            .states
            .set(index, State::Held(site.ty, Filled::Slice, NO_OWNER));
        let spare = run.capacity - (filled.end - filled.start);
        *self.found.spare.entry(site.ty).or_default() += spare;
        self.add_room(site.ty, NO_OWNER, spare * size);
        if self.plans.list[plan.0 as usize].ops.is_empty() {
            self.room(plan);
            self.found.counts[plan.0 as usize] += filled.end - filled.start;
            return;
        }
        // One at a time: a buffer may have millions of values.
        for n in filled {
            self.push(plan, run.value(n));
            while self.drain_one() {}
        }
        self.drain();
    }

    /// The initialized values of a buffer, from the evidence of variables.
    fn filled(&self, run: &Run<'_>, evidence: &Evidence) -> Option<Range<u64>> {
        let sound = |n: u64| self.is_sound(run.plan, run.value(n));
        // Stale copies of the variable may exist: the one with the most values counts.
        let whole = |len: &&u64| (0..**len).all(sound);
        if evidence.rests.is_empty()
            && let Some(len) = evidence.lengths.iter().rev().find(whole)
        {
            return Some(0..self.with_pushed(run, *len));
        }
        // An iterator in registers leaves the length of its `Vec`, and two pointers.
        let made_of = evidence.lengths.iter().filter(|len| **len > 0);
        let rests = evidence.rests.iter().copied();
        let mut rests: Vec<(u64, u64)> = rests.chain(made_of.map(|len| (0, *len))).collect();
        rests.sort_by_key(|(first, end)| (std::cmp::Reverse(end - first), *end));
        rests
            .into_iter()
            .find_map(|rest| self.rest_of(run, rest, &evidence.inside))
    }

    /// The values that an iterator has not yielded. Optimized code may have the current pointer in
    /// another place and a stale one in the iterator. So they begin at one of the pointers, and
    /// values before the last pointer count only if one of them owns a block.
    fn rest_of(
        &self,
        run: &Run<'_>,
        (first, end): (u64, u64),
        inside: &[u64],
    ) -> Option<Range<u64>> {
        if first == end {
            return Some(end..end);
        }
        let mut starts: Vec<u64> = vec![first];
        starts.extend(inside.iter().filter(|at| (first + 1..end).contains(at)));
        let (mut from, mut is_last) = (None, true);
        let mut to = end;
        for start in starts.into_iter().rev() {
            let whole = (start..to).all(|n| self.is_sound(run.plan, run.value(n)));
            let proved = || (start..to).any(|n| self.owns(run.plan, run.value(n)));
            if !whole || !(is_last || proved()) {
                break;
            }
            (from, to, is_last) = (Some(start), start, false);
        }
        from.map(|from| from..end)
    }

    /// The valid values at the start of a buffer, if bytes can be invalid. A pointer beyond them
    /// belongs to an iterator.
    fn filled_as_far_as_valid(&self, run: &Run<'_>, evidence: &Evidence) -> Option<Range<u64>> {
        if !self.plans.list[run.plan.0 as usize].checks {
            // An enum may have a variant of which all bytes are valid.
            return self.filled_as_far_as_owned(run);
        }
        let sound = |n: &u64| self.is_sound(run.plan, run.value(*n));
        let len = (0..run.capacity).take_while(sound).count() as u64;
        let last = evidence.inside.last().copied().unwrap_or(0);
        match len < last {
            true => self.rest_of(run, (0, last), &evidence.inside),
            // An invalid first value does not prove that the buffer is empty.
            false => (len > 0).then_some(0..len),
        }
    }

    /// The values up to the last one that owns a block, if many do.
    fn filled_as_far_as_owned(&self, run: &Run<'_>) -> Option<Range<u64>> {
        let len = self.with_pushed(run, 0);
        (len > 0).then_some(0..len)
    }

    /// The number of values in a buffer whose length in memory is `len`. Optimized code that pushes
    /// in a loop has the length in a register and writes it back at the end. So values beyond `len`
    /// count up to the last one that owns a block, if many do. The few behind that one count as
    /// spare capacity.
    fn with_pushed(&self, run: &Run<'_>, len: u64) -> u64 {
        if self.plans.list[run.plan.0 as usize].ops.is_empty() {
            return len;
        }
        let (mut owners, mut end) = (0, len);
        for n in len..run.capacity {
            let value = run.value(n);
            if !self.is_sound(run.plan, value) {
                break;
            }
            if self.owns(run.plan, value) {
                (owners, end) = (owners + 1, n + 1);
            }
        }
        if owners < WITNESSES { len } else { end }
    }

    /// Whether these bytes are a valid value whose blocks have no other owner.
    fn is_sound(&self, plan: PlanId, bytes: &[u8]) -> bool {
        self.is_valid(plan, bytes) && !self.any_block(plan, bytes, &|index| self.found.owned[index])
    }

    /// Whether a valid value owns a block.
    fn owns(&self, plan: PlanId, bytes: &[u8]) -> bool {
        self.any_block(plan, bytes, &|_| true)
    }

    /// Whether the program's containers have another type, of which these can be values that own as
    /// many blocks: a guess is no better than that one.
    fn has_rival(&mut self, site: Site, values: Vec<&[u8]>) -> bool {
        let program = self.program;
        let all = self.contained.get_or_init(|| contained(program));
        let others = all.get(&self.size(site.ty)).into_iter().flatten();
        let others = others.filter(|ty| self.plain_name(**ty) != self.plain_name(site.ty));
        let others: Vec<TypeId> = others.copied().collect();
        let plan = self.plans.of(site.ty, NO_OWNER);
        let guessed = self.blocks_of(plan, &values);
        others.into_iter().any(|ty| {
            let plan = self.plans.of(ty, NO_OWNER);
            values.iter().all(|value| self.is_sound(plan, value))
                && self.blocks_of(plan, &values) >= guessed
        })
    }

    /// How many blocks these values own.
    fn blocks_of(&self, plan: PlanId, values: &[&[u8]]) -> u64 {
        let number = Cell::new(0);
        for value in values {
            self.any_block(plan, value, &|_| {
                number.set(number.get() + 1);
                false
            });
        }
        number.get()
    }

    /// Whether any of the blocks that a value alone owns meets a condition.
    pub(super) fn any_block(
        &self,
        plan: PlanId,
        bytes: &[u8],
        is_such: &dyn Fn(usize) -> bool,
    ) -> bool {
        self.any_container(plan, bytes, &|container, bytes| {
            let address = self.own_block(container, bytes);
            let block = address.and_then(|address| self.image.block(address));
            block.is_some_and(is_such)
        })
    }

    /// Whether any of the containers in a value meets a condition.
    pub(super) fn any_container(
        &self,
        plan: PlanId,
        bytes: &[u8],
        is_such: &dyn Fn(&Container, &[u8]) -> bool,
    ) -> bool {
        let inner = |plan: PlanId, at: u64| {
            let bytes = bytes.get(at as usize..);
            bytes.is_some_and(|bytes| self.any_container(plan, bytes, is_such))
        };
        self.plans.list[plan.0 as usize]
            .ops
            .iter()
            .any(|op| match op {
                Op::Container(at, container) | Op::Weak(at, container) => {
                    is_such(container, from(bytes, *at))
                }
                Op::Enum {
                    tag,
                    bytes: n,
                    start,
                    variants,
                    other,
                } => chosen(variants, *other, tag_of(bytes, *tag, *n), *n)
                    .is_some_and(|plan| inner(plan, *start)),
                Op::Repeat(at, size, count, plan) => {
                    (0..*count).any(|n| inner(*plan, at + n * size))
                }
                Op::If(count, bits, at, plan) => {
                    rest(bytes, *count) & bits != 0 && inner(*plan, *at)
                }
                Op::Captured(at, plan) | Op::Kept(at, plan) => inner(*plan, *at),
                Op::Check(..) | Op::Reference(_) | Op::Raw(..) => false,
            })
    }

    /// Adds the blocks of iterators in a value: what these have yielded is not known from their own
    /// memory, nor from that of the `Vec` that they were made of.
    pub(super) fn add_iterated(&self, plan: PlanId, bytes: &[u8], blocks: &mut FxHashSet<usize>) {
        let found = RefCell::new(blocks);
        self.any_container(plan, bytes, &|container, bytes| {
            if let Container::Rest(..) = container {
                let address = container.own_block(bytes);
                let block = address.and_then(|address| self.image.block(address));
                found.borrow_mut().extend(block);
            }
            false
        });
    }

    /// Whether the length of one of the buffers in a value is stale: values beyond it own blocks.
    pub(super) fn is_stale(&mut self, plan: PlanId, bytes: &[u8]) -> bool {
        let buffers = RefCell::new(Vec::new());
        self.any_container(plan, bytes, &|container, bytes| {
            if let Container::Vec(buffer) = container {
                let address = word(bytes, buffer.pointer as usize);
                let len = word(bytes, buffer.length as usize);
                buffers.borrow_mut().push((address, len, buffer.content.ty));
            }
            false
        });
        buffers.into_inner().into_iter().any(|(address, len, ty)| {
            let (size, plan) = (self.size(ty), self.plans.of(ty, NO_OWNER));
            let block = self.image.block(address).filter(|_| size > 0);
            block.is_some_and(|index| {
                let run = Run {
                    plan,
                    size,
                    capacity: self.image.blocks[index].size / size,
                    bytes: self.image.contents(index),
                };
                self.with_pushed(&run, len) != len
            })
        })
    }

    /// The address of the block that a container alone owns, if it owns one.
    fn own_block(&self, container: &Container, bytes: &[u8]) -> Option<u64> {
        let Container::Table(ctrl, mask, _, _, content) = container else {
            return container.own_block(bytes);
        };
        let (ctrl, mask) = (word(bytes, *ctrl as usize), word(bytes, *mask as usize));
        let (values, _) = self.table_sizes(mask.wrapping_add(1), self.size(content.ty))?;
        ctrl.checked_sub(values).filter(|_| mask > 0)
    }

    /// Reads a hash table: its control bytes say which buckets are full.
    fn read_table(&mut self, index: usize, site: Site) {
        let block = self.image.blocks[index];
        let size = self.size(site.ty);
        let group = self.program.table_group();
        let values = |buckets: u64| buckets.saturating_mul(size).next_multiple_of(group);
        let buckets = (0..40)
            .map(|bits| 1 << bits)
            .find(|&buckets| values(buckets) + buckets + group == block.size);
        let Some(buckets) = buckets else {
            return;
        };
        let (start, bytes) = (values(buckets), self.image.contents(index));
        let plan = self.plans.of(site.ty, NO_OWNER);
        let full: Vec<&[u8]> = (0..buckets)
            .filter(|bucket| bytes[(start + bucket) as usize] < 0x80)
            .map(|bucket| {
                let end = (start - bucket * size) as usize;
                &bytes[end - size as usize..end]
            })
            .collect();
        // A guessed type is accepted where all values are valid and one owns a block.
        let witnessed = || {
            full.iter().all(|value| self.is_sound(plan, value))
                && full.iter().any(|value| self.owns(plan, value))
        };
        if !site.sure && (!witnessed() || self.has_rival(site, full.clone())) {
            return;
        }
        self.found
            .states
            .set(index, State::Held(site.ty, Filled::Table, NO_OWNER));
        let number = full.len() as u64;
        *self.found.spare.entry(site.ty).or_default() += buckets - number;
        // Of eight buckets, one stays empty.
        let left = (buckets - buckets / 8).saturating_sub(number);
        self.add_room(site.ty, NO_OWNER, left * size);
        for value in full {
            self.push(plan, value);
        }
        self.drain();
    }
}

/// A buffer, and how its values are read.
struct Run<'i> {
    plan: PlanId,
    size: u64,
    capacity: u64,
    bytes: &'i [u8],
}

impl<'i> Run<'i> {
    fn value(&self, n: u64) -> &'i [u8] {
        let start = (n * self.size) as usize;
        &self.bytes[start..start + self.size as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::{Filled, NO_OWNER, Site, State, WITNESSES, Walk};
    use crate::dwarf::Program;
    use crate::image::Image;
    use crate::site::Sites;
    use crate::types::{Field, Kind, Scalar, Tagged, Type, TypeId, Types, Variant};
    use rustc_hash::FxHashMap;

    const BOX: TypeId = TypeId(1);
    const MAYBE: TypeId = TypeId(4);
    const CAPACITY: u64 = 20;
    const BUFFER: u64 = 4096;

    fn program() -> Program {
        let ty = |name: &str, kind| Type {
            name: name.into(),
            size: 8,
            kind,
            arguments: Vec::new(),
        };
        let field = Field {
            name: "__0".into(),
            offset: 0,
            ty: BOX,
        };
        let variant = |value, ty| Variant {
            name: "".into(),
            value,
            ty: TypeId(ty),
        };
        // The niche of the pointer is the tag, as in `Option`.
        let tagged = Tagged {
            tag: Some((0, 8)),
            variants: vec![variant(None, 2), variant(Some(0), 3)],
        };
        let list = vec![
            ty("u64", Kind::Scalar(Scalar::Number)),
            ty("alloc::boxed::Box<u64>", Kind::Pointer(Some(TypeId(0)))),
            ty("own::Some", Kind::Struct(vec![field])),
            ty("own::None", Kind::Struct(Vec::new())),
            ty("own::Maybe", Kind::Enum(tagged)),
        ];
        Program {
            types: Types { list },
            ..Program::default()
        }
    }

    /// The number of values that are read in a buffer of this type: a variable says that it has `len`
    /// if that is known, and so many own a block.
    fn values(ty: TypeId, len: Option<u64>, owners: u64) -> u64 {
        values_by(true, ty, len, owners)
    }

    /// The same for a type that its site knows or guesses.
    fn values_by(sure: bool, ty: TypeId, len: Option<u64>, owners: u64) -> u64 {
        values_in(&program(), sure, ty, len, owners)
    }

    /// All blocks are slices of a type.
    fn slices(sure: bool, ty: TypeId) -> Sites {
        let site = Site {
            ty,
            filled: Filled::Slice,
            sure,
            yields: false,
        };
        Sites {
            by_stack: FxHashMap::from_iter([(0, site)]),
            ..Sites::default()
        }
    }

    fn values_in(program: &Program, sure: bool, ty: TypeId, len: Option<u64>, owners: u64) -> u64 {
        let address = |n: u64| 8192 + 16 * n;
        let rest = u64::from(ty == BOX);
        let pointers = (0..CAPACITY).map(|n| if n < owners { address(n) } else { rest });
        let mut blocks = vec![(BUFFER, pointers.flat_map(u64::to_le_bytes).collect())];
        blocks.extend((0..owners).map(|n| (address(n), vec![0; 8])));
        let capacity = len.map_or(0, |_| CAPACITY);
        let variable = [capacity, BUFFER, len.unwrap_or(0)].map(u64::to_le_bytes);
        let variable = variable.concat();
        let image = Image::of(&blocks).with_region(1 << 20, &variable);
        let walk = Walk::new(&image, program, &slices(sure, ty), 0);
        match walk.found.states.of(0) {
            State::Held(..) => CAPACITY - walk.found.spare[&ty],
            _ => 0,
        }
    }

    #[test]
    fn a_length_in_memory_is_stale_where_many_values_beyond_it_own_blocks() {
        assert_eq!(values(BOX, Some(5), 5), 5);
        assert_eq!(values(BOX, Some(5), 5 + WITNESSES - 1), 5);
        assert_eq!(values(BOX, Some(5), 5 + WITNESSES), 5 + WITNESSES);
        assert_eq!(values(MAYBE, Some(0), WITNESSES), WITNESSES);
    }

    #[test]
    fn an_enum_without_a_known_length_is_read_up_to_the_last_value_that_owns_a_block() {
        assert_eq!(values(MAYBE, None, WITNESSES), WITNESSES);
        assert_eq!(values(MAYBE, None, WITNESSES - 1), 0);
        assert_eq!(values(BOX, None, 3), 3);
    }

    /// The states and spare capacity of a buffer with stale values behind its own, and of the
    /// buffer that owns them: a block may have bytes of one that was freed.
    fn beside_stale_values(sure: bool, is_pointed_to: bool, len: u64) -> ([State; 2], u64) {
        let address = |n: u64| 8192 + 16 * n;
        let pointers = |from: u64| (from..CAPACITY).map(address).flat_map(u64::to_le_bytes);
        let stale = BUFFER - 1024;
        let mut blocks = vec![
            (stale, pointers(CAPACITY - WITNESSES).collect()),
            (BUFFER, pointers(0).collect()),
        ];
        blocks.extend((0..CAPACITY).map(|n| (address(n), vec![0; 8])));
        if is_pointed_to {
            blocks.push((1 << 16, stale.to_le_bytes().to_vec()));
        }
        let variable = [len, BUFFER, len].map(u64::to_le_bytes).concat();
        let image = Image::of(&blocks).with_region(1 << 20, &variable);
        let program = program();
        let walk = Walk::new(&image, &program, &slices(sure, BOX), 0);
        let states = [0, 1].map(|block| walk.found.states.of(block));
        (states, walk.found.spare[&BOX])
    }

    #[test]
    fn a_buffer_that_a_variable_has_is_read_before_others() {
        for sure in [false, true] {
            let (states, spare) = beside_stale_values(sure, false, CAPACITY);
            assert!(matches!(states[0], State::Made(_)), "{states:?}");
            assert_eq!(states[1], State::Held(BOX, Filled::Slice, NO_OWNER));
            assert_eq!(spare, 0);
        }
    }

    #[test]
    fn a_buffer_that_no_block_can_own_is_read_before_others() {
        let (states, spare) = beside_stale_values(true, true, 0);
        assert!(matches!(states[0], State::Made(_)), "{states:?}");
        assert_eq!(states[1], State::Held(BOX, Filled::Slice, NO_OWNER));
        assert_eq!(spare, 0);
    }

    #[test]
    fn a_guessed_type_is_not_accepted_where_another_fits_as_well() {
        let with = |ty: TypeId| {
            let mut program = program();
            for element in [BOX, ty] {
                program.types.list.push(Type {
                    name: format!("alloc::raw_vec::RawVec<{}>", element.0).into(),
                    size: 16,
                    kind: Kind::Opaque,
                    arguments: vec![("T".into(), element)],
                });
            }
            program
        };
        let of = |program: &Program, len| values_in(program, false, BOX, len, CAPACITY);
        for len in [None, Some(CAPACITY)] {
            // A number owns nothing.
            assert_eq!(of(&with(TypeId(0)), len), CAPACITY);
            assert_eq!(of(&with(MAYBE), len), 0);
        }
    }

    #[test]
    fn a_guessed_type_is_accepted_where_many_values_own_blocks() {
        assert_eq!(values_by(false, BOX, None, WITNESSES), WITNESSES);
        assert_eq!(values_by(false, BOX, None, WITNESSES - 1), 0);
    }
}
