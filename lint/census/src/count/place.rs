//! Where the values of a type lie: in blocks themselves, or in values of other types.

use super::definition::extent;
use super::part_name;
use crate::plan;
use crate::site::Filled;
use crate::types::{Kind, TypeId, Types};
use crate::walk::{State, Walk};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::Range;

/// The slots of a type that lie in blocks themselves.
#[derive(Debug, Default)]
pub(super) struct Direct {
    /// All of them.
    pub(super) slots: u64,
    /// Blocks of a few slots, by how many.
    pub(super) few: BTreeMap<u64, u64>,
}

/// Blocks of more slots are rounded by less than a slot.
const FEW: u64 = 16;

/// By type.
pub(super) fn direct(walk: &Walk<'_, '_>) -> FxHashMap<TypeId, Direct> {
    let mut slots: FxHashMap<TypeId, Direct> = FxHashMap::default();
    for (block, state) in walk.image.blocks.iter().zip(walk.found.states.iter()) {
        let (ty, filled) = match state {
            State::Made(site) if site.sure => (site.ty, site.filled),
            State::Held(ty, filled, _) => (ty, filled),
            _ => continue,
        };
        let size = walk.plans.types[ty].size;
        if size == 0 {
            continue;
        }
        if filled == Filled::Arena {
            continue;
        }
        let number = number(walk, block.size, ty, filled);
        let entry = slots.entry(ty).or_default();
        entry.slots += number;
        let is_table = matches!(filled, Filled::Table);
        if (1..=FEW).contains(&number) && !is_table {
            *entry.few.entry(number).or_default() += 1;
        }
    }
    slots
}

/// By type: slots of blocks whose type is a guess from the name of a function.
pub(super) fn guessed(walk: &Walk<'_, '_>) -> FxHashMap<TypeId, u64> {
    let mut slots: FxHashMap<TypeId, u64> = FxHashMap::default();
    for (block, state) in walk.image.blocks.iter().zip(walk.found.states.iter()) {
        if let State::Made(site) = state
            && !site.sure
        {
            let size = walk.plans.types[site.ty].size.max(1);
            *slots.entry(site.ty).or_default() += block.size / size;
        }
    }
    slots
}

/// By type: slots of blocks whose contents were not read.
pub(super) fn unread(walk: &Walk<'_, '_>) -> FxHashMap<TypeId, u64> {
    let mut slots: FxHashMap<TypeId, u64> = FxHashMap::default();
    if walk.image.root.is_some() {
        return slots;
    }
    for (block, state) in walk.image.blocks.iter().zip(walk.found.states.iter()) {
        if let State::Made(site) = state
            && site.sure
        {
            let number = number(walk, block.size, site.ty, site.filled);
            *slots.entry(site.ty).or_default() += number;
        }
    }
    slots
}

/// The slots of a type in a block of so many bytes.
fn number(walk: &Walk<'_, '_>, block: u64, ty: TypeId, filled: Filled) -> u64 {
    let size = walk.plans.types[ty].size.max(1);
    match filled {
        Filled::One | Filled::Counted => 1,
        Filled::Slice | Filled::Text => block / size,
        Filled::CountedSlice(start) => block.saturating_sub(start.into()) / size,
        Filled::Arena => 0,
        Filled::Table => buckets(block, size, walk.program.table_group()),
    }
}

/// Buckets of a hash table of so many bytes: a power of two.
fn buckets(block: u64, size: u64, group: u64) -> u64 {
    let whole = |n: &u64| (n * size).next_multiple_of(group) + n + group <= block;
    let powers = (0..48).map(|shift| 1 << shift);
    powers.take_while(whole).last().unwrap_or(0)
}

/// Which types each type has by value, as far as these lead to types outside of std.
pub(super) struct Parts<'t> {
    types: &'t Types,
    /// Whether a type is of a crate other than std, or has one of those in it.
    own: RefCell<FxHashMap<TypeId, bool>>,
}

/// The deepest nesting of types by value that is followed.
const DEEPEST: u32 = 64;

impl<'t> Parts<'t> {
    pub(super) fn new(types: &'t Types) -> Parts<'t> {
        Parts {
            types,
            own: RefCell::default(),
        }
    }

    /// The parts of a type by name, and by `definition` where several have it.
    pub(super) fn of(
        &self,
        ty: TypeId,
        definition: impl Fn(TypeId) -> u64,
    ) -> BTreeMap<String, u64> {
        let mut parts = BTreeMap::new();
        for (ty, n) in self.all(ty) {
            self.add(ty, n, &definition, &mut parts, 0);
        }
        parts
    }

    /// The variants of an enum of std, if several have fields: the bytes of these, and their parts.
    pub(super) fn arms(
        &self,
        ty: TypeId,
        definition: impl Fn(TypeId) -> u64,
    ) -> Vec<(u64, BTreeMap<String, u64>)> {
        let described = &self.types[ty];
        let Kind::Enum(tagged) = &described.kind else {
            return Vec::new();
        };
        let variants = tagged.variants.iter().map(|v| v.ty);
        let filled: Vec<TypeId> = variants
            .filter(|ty| !extent(self.types, *ty).is_empty())
            .collect();
        if filled.len() < 2 || !plan::is_transparent(&described.name) {
            return Vec::new();
        }
        let arm = |ty| {
            let Range { start, end } = extent(self.types, ty);
            (end - start, self.of(ty, &definition))
        };
        filled.into_iter().map(arm).collect()
    }

    /// Adds so many of a type; in place of a struct or array of std what it is made of, since of the
    /// nodes of containers such parts are not counted.
    fn add(
        &self,
        ty: TypeId,
        number: u64,
        definition: &impl Fn(TypeId) -> u64,
        parts: &mut BTreeMap<String, u64>,
        depth: u32,
    ) {
        if !self.is_own(ty, 0) {
            return;
        }
        let described = &self.types[ty];
        if depth < DEEPEST
            && plan::is_transparent(&described.name)
            && matches!(
                described.kind,
                Kind::Struct(_) | Kind::Array(..) | Kind::Union(_)
            )
        {
            for (inner, n) in self.all(ty) {
                self.add(
                    inner,
                    n.saturating_mul(number),
                    definition,
                    parts,
                    depth + 1,
                );
            }
            return;
        }
        let name = part_name(&described.name, definition(ty)).into_owned();
        *parts.entry(name).or_default() += number;
    }

    fn is_own(&self, ty: TypeId, depth: u32) -> bool {
        if let Some(&known) = self.own.borrow().get(&ty) {
            return known;
        }
        let own = match self.types[ty].kind {
            Kind::Scalar(_) | Kind::Pointer(_) | Kind::Opaque => false,
            _ if !plan::is_transparent(&self.types[ty].name) => true,
            _ if depth > DEEPEST => false,
            _ => {
                let parts = self.all(ty);
                parts.iter().any(|(ty, _)| self.is_own(*ty, depth + 1))
            }
        };
        self.own.borrow_mut().insert(ty, own);
        own
    }

    fn all(&self, ty: TypeId) -> FxHashMap<TypeId, u64> {
        let mut parts: FxHashMap<TypeId, u64> = FxHashMap::default();
        match &self.types[ty].kind {
            Kind::Struct(fields) => {
                for field in fields {
                    *parts.entry(field.ty).or_default() += 1;
                }
            }
            Kind::Union(fields) => parts.extend(fields.iter().map(|f| (f.ty, 1))),
            Kind::Array(element, count) => {
                parts.insert(*element, *count);
            }
            Kind::Enum(tagged) => {
                for variant in &tagged.variants {
                    for (ty, n) in self.all(variant.ty) {
                        let most = parts.entry(ty).or_default();
                        *most = n.max(*most);
                    }
                }
            }
            Kind::Scalar(_) | Kind::Pointer(_) | Kind::Names(_) | Kind::Opaque => {}
        }
        parts
    }
}

#[cfg(test)]
mod tests {
    use super::buckets;

    #[test]
    fn tables_of_all_sizes() {
        for (size, group) in [1, 8, 24, 40, 200].map(|n| [(n, 16), (n, 8)]).concat() {
            for shift in 2..12 {
                let n: u64 = 1 << shift;
                let block = (n * size).next_multiple_of(group) + n + group;
                assert_eq!(buckets(block, size, group), n, "{size} {group}");
            }
        }
    }
}
