//! What a remedy would save of the values that were counted: slots times the difference, less the
//! blocks that it makes, at what malloc really takes for each.

use super::{Index, Joined};
use crate::census::count::{Blocks, FieldCount, TypeCount};
use crate::census::types::base;
use crate::finding::{BlockChange, Net, Remedy, Ripple};
use crate::malloc;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Bytes of the counts of a shared block.
const COUNTS: u64 = 16;

/// The deepest nesting of types by value that is followed.
const DEEPEST: u32 = 64;

/// Types that change their size: path and bytes before and after.
struct Change<'r> {
    /// The type of the finding.
    own: &'r Joined<'r>,
    /// Its bytes.
    sizes: (u64, u64),
    /// Other types, by their paths without the crate.
    others: &'r [Ripple],
}

impl Change<'_> {
    /// Bytes that each value of a type loses.
    fn of(&self, ty: &TypeCount) -> Option<i64> {
        let (before, after) = self.sizes;
        if self.own.has(ty) && ty.size == before {
            return Some(before as i64 - after as i64);
        }
        let (_, path) = base(&ty.ty).split_once("::")?;
        let mut others = self.others.iter();
        let found = others.find(|r| r.path == path && r.before == ty.size);
        found.map(|r| r.before as i64 - r.after as i64)
    }

    /// Whether a type that is not listed keeps its size: a remedy lists every type without
    /// arguments of that crate whose size changes; another field or variant as wide keeps the size.
    fn is_complete_for(&self, ty: &TypeCount) -> bool {
        let krate = |path: &str| path.split_once("::").map(|(krate, _)| krate.to_owned());
        !ty.ty.contains(['<', '(', '[', '{']) && krate(&ty.ty) == krate(&self.own.path)
    }
}

impl Index<'_> {
    /// What a remedy would save; none if that is not known.
    pub(super) fn net(
        &self,
        joined: &Joined<'_>,
        before: Option<u64>,
        remedy: &Remedy,
    ) -> Option<Net> {
        let mut net = Net::default();
        for change in remedy.heap.as_ref()? {
            let one = self.blocks(joined, change)?;
            net.bytes += one.bytes;
            net.blocks += one.blocks;
        }
        if let (Some(before), Some(after)) = (before, remedy.size_after) {
            net.bytes += self.slots(&Change {
                own: joined,
                sizes: (before, after),
                others: &remedy.ripple,
            });
        }
        Some(net)
    }

    /// Bytes that the slots in blocks lose.
    fn slots(&self, change: &Change<'_>) -> i64 {
        let mut known = FxHashMap::default();
        // A file may have numbers whose products are wider than 64 bits.
        let mut saved: i128 = 0;
        for (at, ty) in self.census.types.iter().enumerate() {
            if ty.direct == 0 {
                continue;
            }
            let each = self.saved(at, change, &mut known, 0);
            if each == 0 {
                continue;
            }
            let block = |bytes: u64| i128::from(malloc::block(bytes));
            let after = ty.size.saturating_add_signed(each.saturating_neg());
            let mut others = i128::from(ty.direct);
            for &(n, blocks) in &ty.few {
                let (before, after) = (n.saturating_mul(ty.size), n.saturating_mul(after));
                others -= i128::from(n) * i128::from(blocks);
                saved += i128::from(blocks) * (block(before) - block(after));
            }
            saved += others * i128::from(each);
        }
        saved.clamp(i64::MIN.into(), i64::MAX.into()) as i64
    }

    /// Bytes that a slot of a type loses, for what changes in it.
    fn saved(
        &self,
        at: usize,
        change: &Change<'_>,
        known: &mut FxHashMap<usize, i64>,
        depth: u32,
    ) -> i64 {
        if let Some(saved) = known.get(&at) {
            return *saved;
        }
        let ty = &self.census.types[at];
        let saved = match change.of(ty) {
            Some(saved) => saved,
            None if depth > DEEPEST || change.is_complete_for(ty) => 0,
            None if !ty.arms.is_empty() => {
                // As if a niche had room for the tag, before and after.
                let (mut before, mut after) = (0, 0);
                for (bytes, parts) in &ty.arms {
                    let saved = self.parts(parts, change, known, depth);
                    let saved = saved.into_iter().fold(0, i64::saturating_add);
                    before = before.max(*bytes as i64);
                    after = after.max((*bytes as i64).saturating_sub(saved));
                }
                before - after
            }
            None => {
                let parts = self.parts(&ty.parts, change, known, depth);
                match ty.variants.is_empty() {
                    true => parts.into_iter().fold(0, i64::saturating_add),
                    // Of an enum the widest variant counts.
                    false => {
                        let most = parts.iter().max_by_key(|n| n.unsigned_abs());
                        most.copied().unwrap_or(0)
                    }
                }
            }
        };
        known.insert(at, saved);
        saved
    }

    /// Bytes that each of these parts loses.
    fn parts(
        &self,
        parts: &BTreeMap<String, u64>,
        change: &Change<'_>,
        known: &mut FxHashMap<usize, i64>,
        depth: u32,
    ) -> Vec<i64> {
        let mut saved = Vec::new();
        for (name, n) in parts {
            if let Some(&part) = self.by_name.get(&**name) {
                let each = self.saved(part, change, known, depth + 1);
                saved.push(each.saturating_mul(*n as i64));
            }
        }
        saved
    }

    /// What a change of blocks saves; unknown where several definitions have that path.
    fn blocks(&self, joined: &Joined<'_>, change: &BlockChange) -> Option<Net> {
        if joined.fields_are_shared {
            return None;
        }
        let signed = |blocks: Blocks| Net {
            bytes: blocks.bytes as i64,
            blocks: blocks.number as i64,
        };
        let of = |field: &String| self.owned(joined, field);
        Some(match change {
            BlockChange::Boxed {
                variant,
                field,
                bytes,
            } => {
                let number = match (variant, field) {
                    (_, Some(field)) => {
                        let (none, all) = of(field)?.none?;
                        all.saturating_sub(none)
                    }
                    (Some(variant), None) => {
                        let types = joined.types.iter();
                        let variants = types.filter_map(|ty| ty.variants.get(variant));
                        variants.sum()
                    }
                    (None, None) => joined.types.iter().map(|ty| ty.values).sum(),
                };
                Net {
                    bytes: -((number * malloc::block(*bytes)) as i64),
                    blocks: -(number as i64),
                }
            }
            BlockChange::Freed(field) => signed(of(field)?.blocks),
            BlockChange::Frozen(field) => {
                let owned = of(field)?;
                let empty = owned.up_to(0);
                Net {
                    bytes: owned.blocks.bytes as i64 - owned.frozen_bytes as i64,
                    blocks: empty.number as i64,
                }
            }
            BlockChange::Grown(field, more) => Net {
                bytes: -((of(field)?.blocks.number * more) as i64),
                blocks: 0,
            },
            BlockChange::Resized(field, before, after) => Net {
                bytes: of(field)?.capacity as i64 * (*before as i64 - *after as i64),
                blocks: 0,
            },
            BlockChange::Inlined(field, most, more) => {
                let owned = of(field)?;
                let inline = owned.up_to(*most);
                let others = owned.blocks.number - inline.number;
                Net {
                    bytes: inline.bytes as i64 - (others * more) as i64,
                    blocks: inline.number as i64,
                }
            }
            BlockChange::Shared(field) => {
                let owned = of(field)?;
                let spare = owned.blocks.bytes as i64 - owned.frozen_bytes as i64;
                let texts = owned.texts.unwrap_or_default();
                let counts = texts.distinct * COUNTS + set(texts.distinct);
                Net {
                    bytes: texts.repeated_bytes as i64 + spare - counts as i64,
                    blocks: texts.repeated as i64,
                }
            }
            BlockChange::Joined(field) => {
                let owned = of(field)?;
                Net {
                    bytes: owned.blocks.bytes as i64 - owned.frozen_bytes as i64,
                    blocks: (owned.blocks.number + owned.empty) as i64 - owned.containers as i64,
                }
            }
        })
    }

    /// What a field of all instances of a type owns: nothing if its variant never occurs, unknown
    /// if it was not read.
    fn owned(&self, joined: &Joined<'_>, field: &str) -> Option<FieldCount> {
        let found = self.field(joined, field);
        let mut values = joined.types.iter();
        let variant = field.split(['.', '[']).next().unwrap_or_default();
        let any = values.any(|ty| match ty.variants.is_empty() {
            true => ty.values > 0,
            false => ty.variants.contains_key(variant),
        });
        match found {
            None if any && !field.contains("[]") => None,
            found => Some(found.unwrap_or_default()),
        }
    }
}

/// What malloc takes for the table of a set of so many shared texts.
fn set(texts: u64) -> u64 {
    // Of eight buckets one stays empty; each has a pointer, a length and a control byte.
    let buckets = (texts.saturating_mul(8) / 7 + 1).next_power_of_two();
    malloc::block(buckets * 17 + 16)
}

#[cfg(test)]
mod tests;
