//! What the live heap consists of: parts that add up to it, each byte in one of them.

use super::take::Source;
use super::{PartCount, PartKind, SiteCount};
use crate::dwarf;
use crate::plan::{Field, NO_OWNER, Owner, is_transparent};
use crate::rules::Content;
use crate::site::{Filled, Sites};
use crate::types::{Kind, TypeId};
use crate::walk::{State, Walk};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// What the bytes of a part are, before it is named.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Key {
    kind: PartKind,
    ty: Option<TypeId>,
    owner: Owner,
    /// The stack that allocated it, where no owner is known.
    stack: Option<u32>,
}

/// Blocks and bytes.
type Amount = (u64, u64);

/// The parts that add up to the heap.
pub(super) struct Parts {
    /// The largest first.
    pub(super) list: Vec<PartCount>,
    /// The sites of what has no type.
    pub(super) sites: Vec<SiteCount>,
    /// Bytes that may hold values of any type of the program: of no certain type, or not read.
    pub(super) unknown: u64,
}

pub(super) fn parts(source: &Source<'_>, walk: &Walk<'_, '_>, sites: &Sites, bias: u64) -> Parts {
    let keyed = keyed(walk, sites);
    let mut by_stack: FxHashMap<u32, u64> = FxHashMap::default();
    for (key, (_, bytes)) in &keyed {
        if let Some(stack) = key.stack {
            *by_stack.entry(stack).or_default() += bytes;
        }
    }
    let places = places(source, by_stack, bias);
    let nowhere = (String::new(), String::new());
    let types = walk.plans.types;
    let mut named: BTreeMap<(PartKind, String, String), Amount> = BTreeMap::new();
    let mut untyped: BTreeMap<(String, String), Amount> = BTreeMap::new();
    let mut unknown = 0;
    for (key, (blocks, bytes)) in &keyed {
        let place = key.stack.map(|stack| {
            places
                .get(&stack)
                .and_then(|f| f.first())
                .unwrap_or(&nowhere)
        });
        let by = match place {
            Some((function, place)) if place.is_empty() => function.clone(),
            Some((function, place)) => format!("{function} at {place}"),
            None => owner(walk, key.owner),
        };
        // What std allocates for itself, such as for the first thread, holds nothing of the program.
        let by_std = place.is_some_and(|(function, _)| dwarf::is_std(function));
        match key.kind {
            PartKind::Unread => unknown += bytes,
            PartKind::Untyped | PartKind::Guessed | PartKind::Contradicting if !by_std => {
                unknown += bytes;
            }
            _ => {}
        }
        let ty = key
            .ty
            .map_or_else(String::new, |ty| types[ty].name.to_string());
        let lists = [
            Some(named.entry((key.kind, ty, by)).or_default()),
            place
                .filter(|_| key.kind.is_untyped())
                .map(|place| untyped.entry(place.clone()).or_default()),
        ];
        for amount in lists.into_iter().flatten() {
            amount.0 += blocks;
            amount.1 += bytes;
        }
    }
    let part = |((kind, ty, owner), (blocks, bytes))| PartCount {
        kind,
        ty,
        owner,
        blocks,
        bytes,
    };
    let mut parts: Vec<PartCount> = named.into_iter().map(part).collect();
    parts.retain(|part| part.bytes > 0 || part.blocks > 0);
    parts.sort_by_key(|part| std::cmp::Reverse(part.bytes));
    Parts {
        list: parts,
        sites: most(untyped),
        unknown,
    }
}

/// A field as users write it.
pub(super) fn owner(walk: &Walk<'_, '_>, owner: Owner) -> String {
    let Field { ty, name } = &walk.plans.owners[owner.0 as usize];
    match ty {
        Some(ty) => {
            let name = name.replace('.', "::");
            format!("{}::{name}", walk.plans.types[*ty].name)
        }
        None => name.to_string(),
    }
}

/// Each byte of the heap by what it is.
fn keyed(walk: &Walk<'_, '_>, sites: &Sites) -> FxHashMap<Key, Amount> {
    let mut all: FxHashMap<Key, Amount> = FxHashMap::default();
    let mut add = |key: Key, blocks: u64, bytes: u64| {
        let amount = all.entry(key).or_default();
        *amount = (amount.0 + blocks, amount.1 + bytes);
    };
    let mut room = walk.found.room.clone();
    for (block, state) in walk.image.blocks.iter().zip(walk.found.states.iter()) {
        let is_held = matches!(state, State::Held(..));
        if walk.image.root.is_some() && !is_held {
            continue;
        }
        let stack = block.stack();
        let untyped = |kind, ty| Key {
            kind,
            ty,
            owner: NO_OWNER,
            stack: Some(stack),
        };
        match state {
            State::Held(footer, Filled::Arena, owner) => {
                let spare = Key {
                    kind: PartKind::Spare,
                    ty: Some(footer),
                    owner,
                    stack: None,
                };
                let (unused, read) = walk.found.arenas.parts(block.address);
                let mut rest = block.size - unused;
                add(spare, 0, unused);
                for (bytes, content) in read {
                    let kind = kind_of(walk, content, content.text);
                    add(key(walk, kind, content.ty, content.owner, stack), 0, bytes);
                    rest = rest.saturating_sub(bytes);
                }
                let unread = walk.found.arenas.unread(block.address);
                add(untyped(PartKind::Untyped, None), 0, unread);
                add(
                    key(walk, PartKind::Values, footer, owner, stack),
                    1,
                    rest - unread,
                );
            }
            State::Held(ty, filled, owner) => {
                // What is spare is counted by owner, not by block.
                let left = room.entry((ty, owner)).or_default();
                let spare = (*left).min(block.size);
                *left -= spare;
                let content = Content {
                    ty,
                    owner,
                    text: false,
                };
                let kind = kind_of(walk, content, filled == Filled::Text);
                add(key(walk, kind, ty, owner, stack), 1, block.size - spare);
                add(key(walk, PartKind::Spare, ty, owner, stack), 0, spare);
            }
            State::Made(site) if site.sure => {
                let is_raw = kind_of(walk, content_of(site.ty), false) == PartKind::Bytes;
                let kind = match is_raw {
                    true => PartKind::Bytes,
                    false => PartKind::Unread,
                };
                add(key(walk, kind, site.ty, NO_OWNER, stack), 1, block.size);
            }
            State::Made(site) => add(untyped(PartKind::Guessed, Some(site.ty)), 1, block.size),
            State::Disputed => add(untyped(PartKind::Contradicting, None), 1, block.size),
            State::Unknown if sites.foreign.contains(&stack) => {
                add(untyped(PartKind::Other, None), 1, block.size);
            }
            State::Unknown => add(untyped(PartKind::Untyped, None), 1, block.size),
        }
    }
    all
}

fn content_of(ty: TypeId) -> Content {
    Content {
        ty,
        owner: NO_OWNER,
        text: false,
    }
}

fn kind_of(walk: &Walk<'_, '_>, content: Content, text: bool) -> PartKind {
    let described = &walk.plans.types[content.ty];
    let is_byte = described.size == 1 && matches!(described.kind, Kind::Scalar(_));
    match is_byte {
        _ if text => PartKind::Texts,
        true => PartKind::Bytes,
        false => PartKind::Values,
    }
}

/// Types of the program are named alone. Others say little without their owner, or the site.
fn key(walk: &Walk<'_, '_>, kind: PartKind, ty: TypeId, owner: Owner, stack: u32) -> Key {
    let is_own = !is_transparent(&walk.plans.types[ty].name);
    let by_type = is_own && !matches!(kind, PartKind::Spare);
    let is_text = matches!(kind, PartKind::Texts | PartKind::Bytes);
    Key {
        kind,
        ty: (!is_text).then_some(ty),
        owner: if by_type { NO_OWNER } else { owner },
        stack: (!is_own && owner == NO_OWNER).then_some(stack),
    }
}

/// How many stacks are resolved: those of the most bytes.
pub(super) const STACKS: usize = 2000;

/// Frames of a stack that are named.
const FRAMES: usize = 5;

/// Function and place.
pub(super) type Named = (String, String);

/// Functions and places of the code outside of std at each stack, the innermost first; of a stack
/// without any, its innermost frame.
pub(super) fn places(
    source: &Source<'_>,
    by_stack: FxHashMap<u32, u64>,
    bias: u64,
) -> FxHashMap<u32, Vec<Named>> {
    let mut stacks: Vec<(u32, u64)> = by_stack.into_iter().collect();
    stacks.sort_unstable_by_key(|(id, bytes)| (std::cmp::Reverse(*bytes), *id));
    stacks.truncate(STACKS);
    let no_frames = Vec::new();
    let frames = |id: &u32| source.image.stacks.get(id).unwrap_or(&no_frames);
    let mut addresses: Vec<u64> = stacks
        .iter()
        .flat_map(|(id, _)| frames(id))
        .map(|at| at.wrapping_sub(bias).wrapping_sub(1))
        .collect();
    addresses.sort_unstable();
    addresses.dedup();
    let places = dwarf::places(source.path, &source.program.loaded, &addresses);
    let named = stacks.iter().map(|(id, _)| {
        let chain = frames(id).iter().flat_map(|at| {
            let at = at.wrapping_sub(bias).wrapping_sub(1);
            addresses.binary_search(&at).map_or(&[][..], |i| &places[i])
        });
        let is_own = |place: &&dwarf::SourcePlace| {
            !dwarf::is_std(&place.function) && !place.function.starts_with("weigh_heap")
        };
        let name = |found: &dwarf::SourcePlace| {
            let at = found.file.as_ref();
            let at = at.map(|(file, line)| format!("{file}:{line}"));
            (found.function.clone(), at.unwrap_or_default())
        };
        let mut own: Vec<Named> = chain
            .clone()
            .filter(is_own)
            .take(FRAMES)
            .map(name)
            .collect();
        if own.is_empty() {
            let first = chain.clone().next().map(name);
            own.push(first.unwrap_or_else(|| ("not Rust".to_owned(), String::new())));
        }
        (*id, own)
    });
    named.collect()
}

/// How many sites are listed apart.
const SITES: usize = 40;

fn most(sites: BTreeMap<(String, String), Amount>) -> Vec<SiteCount> {
    let named = |((function, place), (blocks, bytes))| SiteCount {
        function,
        place,
        blocks,
        bytes,
    };
    let mut list: Vec<SiteCount> = sites.into_iter().map(named).collect();
    list.sort_by_key(|s| std::cmp::Reverse(s.bytes));
    list.truncate(SITES);
    list
}
