//! The walk from typed blocks, statics and named values along every owner: the type of each block,
//! and the number of values of each type.

mod arena;
mod contain;
mod handle;
mod links;
mod locals;
mod loose;
mod messages;
mod nodes;
mod shared;
mod states;
mod variables;

use super::count::Blocks;
use super::dwarf::Program;
use super::image::{Image, narrow, rest, word};
use super::plan::{Op, Owner, PlanId, Plans};
use super::site::{Filled, Site, Sites};
use super::types::{Scalar, TypeId};
pub use links::{Link, Links, ROOT};
use rustc_hash::FxHashMap;
use states::States;
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU32;
use std::ops::Range;
use std::rc::Rc;

/// What is known of a block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum State {
    /// Nothing yet.
    #[default]
    Unknown,
    /// A type from the allocation site, sure or a guess; which slots are initialized is not known.
    Made(Site),
    /// An owner was found, or its site says that it holds one value. The owner is the first that
    /// the walk came from.
    Held(TypeId, Filled, Owner),
    /// Two owners, or an owner and the site, contradict each other.
    Disputed,
}

/// The counts of the containers of a field.
#[derive(Clone, Debug, Default)]
pub struct Count {
    /// Containers, those without a block included.
    pub containers: u64,
    /// Values in them; bytes of texts.
    pub len: u64,
    /// Capacity, in values.
    pub capacity: u64,
    /// Bytes of spare capacity.
    pub slack_bytes: u64,
    /// Containers without a value.
    pub empty: u64,
    /// Containers with one.
    pub one: u64,
    /// Bytes of their blocks.
    pub bytes: u64,
    /// Their blocks, and what malloc takes for them.
    pub blocks: Blocks,
    /// What malloc would take without spare capacity.
    pub frozen: u64,
    /// Blocks that hold few values, by how many.
    pub short: BTreeMap<u64, Blocks>,
    /// Bytes of one value.
    pub value_size: u64,
    /// What kind they are.
    pub kind: &'static str,
    /// Hash tables of places in a `Vec` beside them, which a map in insertion order has. They count
    /// as containers of the field only if it has no others.
    pub places: Option<Box<Count>>,
    /// Of texts: how many there are of each length.
    pub lengths: BTreeMap<u64, u64>,
    /// Of texts that are not empty: the hash of each, by length. Sorted when they are counted: a
    /// map from hashes to numbers takes four times the memory.
    pub texts: FxHashMap<u64, Vec<u64>>,
}

/// What a walk has found: everything that a trial changes.
#[derive(Clone, Debug, Default)]
pub struct WalkFound {
    /// Of each block.
    pub states: States,
    /// Values read by each plan.
    pub counts: Vec<u64>,
    /// By field.
    pub owners: FxHashMap<Owner, Count>,
    /// Slots beyond what is filled, by type.
    pub spare: FxHashMap<TypeId, u64>,
    /// Bytes of spare capacity in blocks, by the type and the owner of the block.
    pub room: FxHashMap<(TypeId, Owner), u64>,
    /// Containers whose parts contradict each other.
    pub torn: u64,
    /// The type of the root that alone was to be counted is not known.
    pub lost_root: bool,
    /// Owners of shared blocks.
    pub shares: FxHashMap<usize, u64>,
    /// Of each shared block, the field that the walk reached first.
    pub shared_by: FxHashMap<usize, Owner>,
    /// Chunks of arenas for values of any type.
    pub arenas: arena::Arenas,
    /// Raw pointers that may own a block of one value: address, type, owner, and where they lie.
    raw: Vec<(u64, TypeId, Owner, Option<u32>)>,
    /// Of each block, whether an owner was found.
    owned: Vec<bool>,
}

/// Bytes of a count in front of a shared slice, to which its block is rounded.
const COUNT: u64 = 8;

/// Values that are still to be read.
#[derive(Clone, Copy, Debug)]
struct Pending<'i> {
    plan: PlanId,
    /// Bytes of each of several adjacent values, the last of which is read first; none: one value.
    size: Option<NonZeroU32>,
    bytes: &'i [u8],
}

// A buffer has millions of values, and a list as many owners.
const _: () = assert!(size_of::<Pending<'_>>() == 24);

/// A walk, and its counts.
#[derive(Debug)]
pub struct Walk<'i, 't> {
    /// The memory.
    pub image: &'i Image,
    /// How types are read.
    pub plans: Plans<'t>,
    /// What has been found.
    pub found: WalkFound,
    /// The program's file and debug information.
    pub program: &'t Program,
    bias: u64,
    todo: Vec<Pending<'i>>,
    /// Variables of suspended coroutines, which are read when nothing else is left to read.
    kept: Vec<(PlanId, &'i [u8], u32)>,
    /// What leads to which block.
    pub links: Links<'i>,
    /// Where the value lies that what it owns is counted for: it is not, even in a block.
    apart: Range<u64>,
    /// Whether they wait until what certainly owns something has been read.
    keeps: bool,
    /// Whether this only finds out which blocks have owners: texts are not counted.
    is_trial: bool,
    /// The types of values in the program's containers, by size.
    contained: OnceCell<FxHashMap<u64, BTreeSet<TypeId>>>,
    text_hasher: std::hash::BuildHasherDefault<std::collections::hash_map::DefaultHasher>,
}

impl<'i, 't> Walk<'i, 't> {
    /// Walks through all that is live, or all that the named value owns.
    pub fn new(image: &'i Image, program: &'t Program, sites: &Sites, bias: u64) -> Walk<'i, 't> {
        let mut walk = Walk {
            image,
            plans: Plans::new(&program.types),
            found: WalkFound {
                states: States::unknown(image.blocks.len()),
                owned: vec![false; image.blocks.len()],
                ..WalkFound::default()
            },
            program,
            bias,
            todo: Vec::new(),
            kept: Vec::new(),
            links: Links::default(),
            apart: 0..0,
            keeps: image.root.is_none(),
            is_trial: false,
            contained: OnceCell::new(),
            text_hasher: std::hash::BuildHasherDefault::default(),
        };
        walk.sites(sites);
        walk.find_chunks();
        match image.root {
            Some((address, table)) => walk.root(address, table),
            None => {
                // What a type of the program owns belongs to its fields, whatever its own owner.
                // What a type of std owns belongs to the field that leads there, if any.
                walk.single();
                walk.statics();
                walk.keeps = false;
                walk.drain();
                walk.locals();
                walk.loose();
                walk.hold_chunks();
                walk.raw();
            }
        }
        walk
    }

    /// Gives each block the type of its allocation site, where the size fits.
    fn sites(&mut self, sites: &Sites) {
        for (index, block) in self.image.blocks.iter().enumerate() {
            let Some(site) = sites.by_stack.get(&block.stack()) else {
                continue;
            };
            let size = self.program.types[site.ty].size;
            let fits = match site.filled {
                Filled::One => block.size == size,
                Filled::Slice => size > 0 && block.size.is_multiple_of(size),
                Filled::CountedSlice(start) => {
                    let values = block.size.checked_sub(start.into());
                    size > 0 && values.is_some_and(|bytes| bytes % size < COUNT)
                }
                Filled::Text | Filled::Table | Filled::Counted | Filled::Arena => true,
            };
            if fits {
                self.found.states.set(index, State::Made(*site));
            }
        }
    }

    fn statics(&mut self) {
        let ours = |name: &str| name.starts_with("weigh_heap::");
        for entry in self.program.statics.iter().filter(|s| !ours(&s.name)) {
            let size = self.program.types[entry.ty].size;
            let owner = self.plans.owner(None, &format!("static {}", entry.name));
            self.links.add_root(owner);
            let plan = self.plans.of(entry.ty, owner);
            let address = entry.address.wrapping_add(self.bias);
            if let Some(bytes) = self.image.memory(address, size) {
                self.todo_uncounted(plan, bytes);
            }
        }
        self.drain();
    }

    /// Follows the owners in memory outside of blocks, without counting the value itself.
    fn todo_uncounted(&mut self, plan: PlanId, bytes: &'i [u8]) {
        let start = self.image.offset_of(bytes);
        self.apart = start..start + bytes.len() as u64;
        self.value(plan, bytes);
    }

    /// Whether a value is part of the heap, which does not depend on what led to it: a container may
    /// have its values in itself.
    fn is_counted(&self, bytes: &[u8]) -> bool {
        self.image.is_in_block(bytes) && !self.apart.contains(&self.image.offset_of(bytes))
    }

    /// Follows a root, whose type its vtable says; if it does not, the root is lost.
    fn root(&mut self, address: u64, table: u64) {
        let table = self.program.tables.get(&table.wrapping_sub(self.bias));
        // `Rooted<'_, T>` has a reference to the value.
        let ty = table
            .and_then(|of| *of)
            .and_then(|of| self.program.types.argument(of, "T"));
        let Some(ty) = ty else {
            self.found.lost_root = true;
            return;
        };
        let size = self.program.types[ty].size;
        let owner = self.plans.owner(None, &self.image.label);
        self.links.add_root(owner);
        let plan = self.plans.of(ty, owner);
        if let Some(bytes) = self.image.memory(address, size) {
            self.todo_uncounted(plan, bytes);
            self.drain();
        }
    }

    fn room(&mut self, plan: PlanId) {
        let needed = self.plans.list.len().max(plan.0 as usize + 1);
        if self.found.counts.len() < needed {
            self.found.counts.resize(needed, 0);
        }
    }

    fn drain(&mut self) {
        loop {
            while self.drain_one() {}
            if !self.borrowed() && !self.read_kept() {
                break;
            }
        }
    }

    /// Reads a variable of a suspended coroutine, unless it was dropped or moved.
    fn read_kept(&mut self) -> bool {
        let Some((plan, bytes, root)) = self.kept.pop_if(|_| !self.keeps) else {
            return false;
        };
        let before = self.links.set_root(root);
        let is_taken = |index: usize| self.found.owned[index];
        if self.is_valid(plan, bytes) && !self.any_block(plan, bytes, &is_taken) {
            self.value(plan, bytes);
            while self.drain_one() {}
        }
        self.links.set_root(before);
        true
    }

    fn drain_one(&mut self) -> bool {
        match self.todo.pop() {
            Some(Pending {
                plan,
                size: Some(size),
                bytes,
            }) if bytes.len() > size.get() as usize => {
                let (rest, last) = bytes.split_at(bytes.len() - size.get() as usize);
                self.todo.push(Pending {
                    plan,
                    size: Some(size),
                    bytes: rest,
                });
                self.value(plan, last);
                true
            }
            Some(Pending { plan, bytes, .. }) => {
                self.value(plan, bytes);
                true
            }
            None => false,
        }
    }

    /// Adds a value to those that are still to be read.
    fn push(&mut self, plan: PlanId, bytes: &'i [u8]) {
        self.todo.push(Pending {
            plan,
            size: None,
            bytes,
        });
    }

    /// Counts one value and what it owns.
    fn value(&mut self, plan: PlanId, bytes: &'i [u8]) {
        self.room(plan);
        self.found.counts[plan.0 as usize] += u64::from(self.is_counted(bytes));
        let ops = Rc::clone(&self.plans.list[plan.0 as usize].ops);
        for op in &*ops {
            self.op(op, bytes);
        }
    }

    fn op(&mut self, op: &Op, bytes: &'i [u8]) {
        match op {
            Op::Check(..) | Op::Reference(_) => {}
            Op::Captured(at, plan) => {
                if let Some(bytes) = bytes.get(*at as usize..)
                    && !self.any_block(*plan, bytes, &|index| self.found.owned[index])
                {
                    self.value(*plan, bytes);
                }
            }
            Op::Kept(at, plan) => {
                if let Some(bytes) = bytes.get(*at as usize..) {
                    self.kept.push((*plan, bytes, self.links.root()));
                }
            }
            Op::Raw(at, ty, owner) => {
                let address = word(bytes, *at as usize);
                if self.may_own(address, *ty).is_some() {
                    let from = self.links.place(self.image, bytes);
                    self.found.raw.push((address, *ty, *owner, from));
                }
            }
            Op::Enum {
                tag,
                bytes: n,
                start,
                variants,
                other,
            } => match chosen(variants, *other, tag_of(bytes, *tag, *n), *n) {
                Some(plan) => {
                    if let Some(bytes) = bytes.get(*start as usize..) {
                        self.value(plan, bytes);
                    }
                }
                None => self.found.torn += 1,
            },
            Op::Repeat(at, size, count, plan) => {
                for index in 0..*count {
                    let start = (at + index * size) as usize;
                    if let Some(bytes) = bytes.get(start..) {
                        self.value(*plan, bytes);
                    }
                }
            }
            Op::If(count, bits, at, plan) => {
                if rest(bytes, *count) & bits != 0
                    && let Some(bytes) = bytes.get(*at as usize..)
                {
                    self.value(*plan, bytes);
                }
            }
            Op::Container(at, container) => {
                self.links.from = Some(bytes);
                self.container(container, from(bytes, *at));
                self.links.from = None;
            }
            // Without a place to be linked from.
            Op::Weak(at, container) => self.container(container, from(bytes, *at)),
        }
    }

    /// The block that a raw pointer may own: of the size of what it points to, without a sure type.
    fn may_own(&self, address: u64, ty: TypeId) -> Option<usize> {
        let index = self.image.block(address)?;
        let is_free = match self.found.states.of(index) {
            State::Unknown => true,
            State::Made(site) => !site.sure,
            _ => false,
        };
        (is_free && self.image.blocks[index].size == self.size(ty)).then_some(index)
    }

    /// Reads what only raw pointers lead to. They own it, as nothing else does and its size is that
    /// of what they point to.
    fn raw(&mut self) {
        while let Some((address, ty, owner, from)) = self.found.raw.pop() {
            let plan = self.plans.element(ty, owner);
            if let Some(index) = self.may_own(address, ty)
                && self.is_valid(plan, self.image.contents(index))
            {
                self.hold(address, (ty, owner), Filled::One, self.size(ty));
                self.links.add(from, index, owner);
                self.push(plan, self.image.contents(index));
                self.drain();
            }
        }
    }

    /// The block that an owner leads to.
    fn owned(&mut self, address: u64) -> Option<usize> {
        let index = self.image.block(address)?;
        self.found.owned[index] = true;
        Some(index)
    }

    /// Gives a block to an owner; none if it is not what the owner says, or has another owner.
    fn hold(
        &mut self,
        address: u64,
        (ty, owner): (TypeId, Owner),
        filled: Filled,
        size: u64,
    ) -> Option<usize> {
        let Some(index) = self.owned(address) else {
            self.found.torn += 1;
            return None;
        };
        if self.image.blocks[index].size != size {
            self.found.torn += 1;
            return None;
        }
        match self.found.states.of(index) {
            State::Unknown => {}
            // `collect` may reuse the buffer of what it consumes, for values of another type.
            State::Made(site) if !site.sure || site.yields || site.filled == Filled::Slice => {}
            State::Made(site) if self.agrees(site, ty, filled) => {}
            // Two owners of one block: its value was being moved.
            State::Held(..) => {
                self.found.torn += 1;
                return None;
            }
            _ => {
                self.found.states.set(index, State::Disputed);
                return None;
            }
        }
        self.found.states.set(index, State::Held(ty, filled, owner));
        self.link(index, owner);
        Some(index)
    }

    /// Whether a site agrees with an owner.
    fn agrees(&self, site: Site, ty: TypeId, filled: Filled) -> bool {
        if site.ty == ty && site.filled == filled {
            return true;
        }
        let types = &self.program.types;
        let inner = |ty: TypeId| types.innermost(ty).1;
        // `Vec<MaybeUninit<T>>`, `Box<[T]>` from an array, and the like.
        if types[ty].name == types[site.ty].name || inner(ty) == inner(site.ty) {
            return true;
        }
        self.plain_name(ty) == self.plain_name(site.ty)
            // Arrays and slices of one type.
            || matches!(types[site.ty].kind, super::types::Kind::Array(e, _) if e == ty)
            || matches!(types[ty].kind, super::types::Kind::Array(e, _) if e == site.ty)
    }

    /// The name of a type that may be uninitialized, or of any other.
    fn plain_name(&self, ty: TypeId) -> &str {
        let name = &self.program.types[ty].name;
        name.trim_start_matches("core::mem::maybe_uninit::MaybeUninit<")
            .trim_end_matches('>')
    }

    /// Whether these bytes can be a value: tags, booleans, characters, pointers to whole blocks.
    fn is_valid(&self, plan: PlanId, bytes: &[u8]) -> bool {
        self.plans.list[plan.0 as usize]
            .ops
            .iter()
            .all(|op| match op {
                Op::Check(at, Scalar::Bool) => bytes.get(*at as usize).is_some_and(|b| *b < 2),
                Op::Check(at, _) => char::from_u32(narrow(bytes, *at, 4) as u32).is_some(),
                Op::Reference(at) => word(bytes, *at as usize) != 0,
                Op::Enum {
                    tag,
                    bytes: n,
                    start,
                    variants,
                    other,
                } => chosen(variants, *other, tag_of(bytes, *tag, *n), *n).is_some_and(|plan| {
                    bytes
                        .get(*start as usize..)
                        .is_some_and(|bytes| self.is_valid(plan, bytes))
                }),
                Op::Repeat(at, size, count, plan) => (0..*count).all(|index| {
                    let bytes = bytes.get((at + index * size) as usize..);
                    bytes.is_some_and(|bytes| self.is_valid(*plan, bytes))
                }),
                Op::If(..) | Op::Captured(..) | Op::Kept(..) | Op::Raw(..) => true,
                Op::Container(at, container) | Op::Weak(at, container) => {
                    self.is_whole(container, from(bytes, *at))
                }
            })
    }
}

/// The bytes from a place on.
fn from(bytes: &[u8], at: u64) -> &[u8] {
    bytes.get(at as usize..).unwrap_or_default()
}

/// A tag of up to sixteen bytes.
fn tag_of(bytes: &[u8], at: u64, n: u64) -> u128 {
    let (at, n) = (at as usize, n as usize);
    let mut buffer = [0; 16];
    if let Some(tag) = bytes.get(at..at + n) {
        buffer[..n].copy_from_slice(tag);
    }
    u128::from_le_bytes(buffer)
}

fn chosen(
    variants: &FxHashMap<u128, PlanId>,
    other: Option<PlanId>,
    tag: u128,
    bytes: u64,
) -> Option<PlanId> {
    match bytes {
        0 => other.or_else(|| variants.values().next().copied()),
        _ => variants.get(&tag).copied().or(other),
    }
}

#[cfg(test)]
mod tests {
    use super::{Filled, Image, Program, Site, Sites, State, Walk};
    use crate::plan::NO_OWNER;
    use crate::types::{Kind, Scalar, Type, TypeId, Types};

    const BYTE: TypeId = TypeId(0);
    const FLAG: TypeId = TypeId(1);

    /// The state of a block that its site types as `bool`s and an owner as `u8`s.
    fn state(filled: Filled, yields: bool) -> State {
        let ty = |name: &str, scalar| Type {
            name: name.into(),
            size: 1,
            kind: Kind::Scalar(scalar),
            arguments: Vec::new(),
        };
        let list = vec![ty("u8", Scalar::Number), ty("bool", Scalar::Bool)];
        let program = Program {
            types: Types { list },
            ..Program::default()
        };
        let image = Image::of(&[(4096, vec![0; 8])]);
        let mut walk = Walk::new(&image, &program, &Sites::default(), 0);
        walk.found.states.set(
            0,
            State::Made(Site {
                ty: FLAG,
                filled,
                sure: true,
                yields,
            }),
        );
        walk.hold(4096, (BYTE, NO_OWNER), Filled::Slice, 8);
        walk.found.states.of(0)
    }

    #[test]
    fn an_owner_is_right_where_functions_were_folded_before_they_were_inlined() {
        let held = State::Held(BYTE, Filled::Slice, NO_OWNER);
        assert_eq!(state(Filled::One, false), State::Disputed);
        assert_eq!(state(Filled::One, true), held);
        // `collect` may have reused a buffer.
        assert_eq!(state(Filled::Slice, false), held);
    }

    #[test]
    fn a_named_value_without_a_type_is_not_taken_for_an_empty_one() {
        let program = Program::default();
        let mut image = Image::of(&[(4096, vec![0; 8])]);
        image.root = Some((4096, 8192));
        let walk = Walk::new(&image, &program, &Sites::default(), 0);
        assert!(walk.found.lost_root);
    }
}
