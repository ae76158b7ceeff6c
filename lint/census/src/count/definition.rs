//! What tells definitions of one name apart, and what an enum's widest variant costs the others.

use crate::plan;
use crate::types::{Field, Kind, Tagged, TypeId, Types};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Of types whose name others of these have too: which of them each is, from 1.
pub(super) fn numbers(
    types: &Types,
    counted: impl Iterator<Item = TypeId>,
) -> FxHashMap<TypeId, u64> {
    let mut by_name: FxHashMap<&str, BTreeSet<TypeId>> = FxHashMap::default();
    for ty in counted.filter(|ty| !plan::is_transparent(&types[*ty].name)) {
        by_name.entry(&types[ty].name).or_default().insert(ty);
    }
    let several = by_name.into_values().filter(|all| all.len() > 1);
    several.flat_map(|all| all.into_iter().zip(1..)).collect()
}

/// The fields of a type that a crate other than std defines, with their offsets.
pub(super) fn fields(types: &Types, ty: TypeId) -> BTreeMap<String, Option<u64>> {
    let known = &types[ty];
    if plan::is_transparent(&known.name) || known.name.contains('{') {
        return BTreeMap::new();
    }
    let named = |field: &Field| (plan::plain(&field.name).to_owned(), Some(field.offset));
    match &known.kind {
        Kind::Struct(fields) | Kind::Union(fields) => fields.iter().map(named).collect(),
        Kind::Names(list) => list
            .iter()
            .map(|(name, _)| (name.to_string(), None))
            .collect(),
        Kind::Enum(tagged) => {
            let mut all = BTreeMap::new();
            for variant in &tagged.variants {
                let fields = match &types[variant.ty].kind {
                    Kind::Struct(fields) => &fields[..],
                    _ => &[],
                };
                if fields.is_empty() {
                    all.insert(variant.name.to_string(), None);
                }
                let named = fields.iter().map(named);
                all.extend(named.map(|(name, at)| (format!("{}.{name}", variant.name), at)));
            }
            all
        }
        Kind::Scalar(_) | Kind::Pointer(_) | Kind::Array(..) | Kind::Opaque => BTreeMap::new(),
    }
}

/// The bytes that a variant's fields take, from the enum's start.
pub(super) fn extent(types: &Types, variant: TypeId) -> Range<u64> {
    let Kind::Struct(fields) = &types[variant].kind else {
        return 0..0;
    };
    let filled = fields.iter().filter(|f| types[f.ty].size > 0);
    let ends = filled.clone().map(|f| f.offset + types[f.ty].size);
    let start = filled.map(|f| f.offset).min();
    start.unwrap_or(0)..ends.max().unwrap_or(0)
}

/// The variant of an enum whose fields end last, by more than those of any other, and the bytes
/// beyond where these end.
pub(super) fn widest(types: &Types, ty: TypeId) -> Option<(u32, u64)> {
    let Kind::Enum(Tagged { tag, variants }) = &types[ty].kind else {
        return None;
    };
    let ends = variants.iter().map(|v| extent(types, v.ty).end);
    let mut ends: Vec<(u64, u32)> = ends.zip(0..).collect();
    ends.sort_unstable_by_key(|(end, at)| (std::cmp::Reverse(*end), *at));
    let (&(_, widest), &(next, _)) = (ends.first()?, ends.get(1)?);
    // The next one decides how small the enum could be: its fields, or the tag, rounded up.
    let tag = tag.map_or(0, |(at, bytes)| at + bytes);
    let all = types[ty].size;
    let align = 1 << all.trailing_zeros().min(3);
    let spare = all.saturating_sub(next.max(tag).next_multiple_of(align));
    (spare > 0).then_some((widest, spare))
}
