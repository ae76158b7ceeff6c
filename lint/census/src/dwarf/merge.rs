//! Many units describe the same type: of types that are equal, fields included, one stays.

use super::units::Names;
use crate::types::{Field, Kind, Scalar, Tagged, Type, TypeId, Types, Variant};
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use std::hash::{Hash, Hasher};

/// A type as a unit describes it; other types are offsets in the section.
pub(super) struct Raw {
    pub(super) name: u32,
    pub(super) size: u64,
    pub(super) kind: RawKind,
    pub(super) arguments: Vec<(u32, u64)>,
}

pub(super) enum RawKind {
    Scalar(Scalar),
    Pointer(Option<u64>),
    Struct(Vec<(u32, u64, u64)>),
    /// The tag's entry, its offset and type, and the variants: name, tag, type.
    Enum(
        Option<u64>,
        Option<(u64, u64)>,
        Vec<(u32, Option<u128>, u64)>,
    ),
    Names(Vec<(u32, u128)>),
    Union(Vec<(u32, u64, u64)>),
    Array(u64, u64),
}

/// The offset and the size of a tag, from its offset and type.
type TagOf<'t> = dyn Fn((u64, u64)) -> Option<(u64, u64)> + 't;

pub(super) struct Merged {
    pub(super) types: Types,
    /// Of each raw type.
    pub(super) ids: Vec<TypeId>,
}

/// How deep the fields of types are compared to tell two of one name apart.
const ROUNDS: usize = 4;

pub(super) fn merge(raw: &[Raw], by_offset: &FxHashMap<u64, u32>, names: &Names) -> Merged {
    let index = |offset: u64| by_offset.get(&offset).copied();
    let tag_of = |(offset, ty): (u64, u64)| Some((offset, raw[index(ty)? as usize].size.min(16)));
    let hashes = hashes(raw, &index, &tag_of);
    let mut first: FxHashMap<(u64, u32), TypeId> = FxHashMap::default();
    let mut kept: Vec<u32> = Vec::new();
    let mut ids = Vec::with_capacity(raw.len());
    for (at, (ty, hash)) in raw.iter().zip(&hashes).enumerate() {
        let id = *first.entry((*hash, ty.name)).or_insert_with(|| {
            kept.push(at as u32);
            TypeId(kept.len() as u32 - 1)
        });
        ids.push(id);
    }
    // One more type stands for all that are not described.
    let opaque = TypeId(kept.len() as u32);
    let id = |offset: u64| index(offset).map_or(opaque, |i| ids[i as usize]);
    let text = |name: u32| -> Box<str> { names.get(name).into() };
    let fields = |list: &[(u32, u64, u64)]| -> Vec<Field> {
        let field = |&(name, offset, ty): &(u32, u64, u64)| Field {
            name: text(name),
            offset,
            ty: id(ty),
        };
        // In a state of a coroutine, a captured variable is named again where it was moved to.
        let mut seen = FxHashSet::default();
        let once = list.iter().filter(|field| seen.insert(**field));
        once.map(field).collect()
    };
    let mut list: Vec<Type> = kept
        .iter()
        .map(|&at| {
            let ty = &raw[at as usize];
            let kind = match &ty.kind {
                RawKind::Scalar(scalar) => Kind::Scalar(*scalar),
                RawKind::Pointer(to) => Kind::Pointer(to.map(id)),
                RawKind::Struct(list) => Kind::Struct(fields(list)),
                RawKind::Union(list) => Kind::Union(fields(list)),
                RawKind::Names(list) => {
                    Kind::Names(list.iter().map(|(name, v)| (text(*name), *v)).collect())
                }
                RawKind::Array(to, count) => Kind::Array(id(*to), *count),
                RawKind::Enum(_, tag, variants) => {
                    let tag = tag.and_then(tag_of);
                    let bits = tag.map_or(128, |(_, size)| size * 8);
                    let mask = u128::MAX >> (128 - bits.clamp(1, 128));
                    let variants = variants.iter().map(|(name, value, ty)| Variant {
                        name: text(*name),
                        value: value.map(|v| v & mask),
                        ty: id(*ty),
                    });
                    Kind::Enum(Tagged {
                        tag,
                        variants: variants.collect(),
                    })
                }
            };
            let arguments = ty.arguments.iter().map(|(name, at)| (text(*name), id(*at)));
            Type {
                name: text(ty.name),
                size: ty.size,
                kind,
                arguments: arguments.collect(),
            }
        })
        .collect();
    list.push(Type {
        name: "?".into(),
        size: 0,
        kind: Kind::Opaque,
        arguments: Vec::new(),
    });
    // Arrays have no name and no size of their own.
    for at in 0..list.len() {
        name_array(&mut list, at, 0);
    }
    Merged {
        types: Types { list },
        ids,
    }
}

/// A hash of each type, equal for types that are equal, fields included.
fn hashes(raw: &[Raw], index: &dyn Fn(u64) -> Option<u32>, tag_of: &TagOf<'_>) -> Vec<u64> {
    deepened(
        raw.iter().map(|ty| own(ty, tag_of)).collect(),
        |at, each| {
            each_type(&raw[at], &mut |offset| each(index(offset)));
        },
    )
}

/// Hashes of types with those of their parts, from hashes of each without them. `parts` calls with
/// the parts of a type; none: one that is not described.
pub(super) fn deepened(
    mut hashes: Vec<u64>,
    parts: impl Fn(usize, &mut dyn FnMut(Option<u32>)),
) -> Vec<u64> {
    for _ in 0..ROUNDS {
        let next = hashes.iter().enumerate().map(|(at, own)| {
            let mut hasher = FxHasher::default();
            own.hash(&mut hasher);
            parts(at, &mut |part| {
                part.map(|i| hashes[i as usize]).hash(&mut hasher);
            });
            hasher.finish()
        });
        hashes = next.collect();
    }
    hashes
}

fn name_array(list: &mut [Type], at: usize, depth: usize) {
    let Kind::Array(element, count) = list[at].kind else {
        return;
    };
    if !list[at].name.is_empty() || depth > 32 {
        return;
    }
    name_array(list, element.0 as usize, depth + 1);
    let element = &list[element.0 as usize];
    let (name, size) = (
        format!("[{}; {count}]", element.name),
        element.size.saturating_mul(count),
    );
    list[at].name = name.into();
    list[at].size = size;
}

/// A hash of a type without the types of its fields.
fn own(ty: &Raw, tag_of: &TagOf<'_>) -> u64 {
    let mut hasher = FxHasher::default();
    (ty.name, ty.size).hash(&mut hasher);
    std::mem::discriminant(&ty.kind).hash(&mut hasher);
    match &ty.kind {
        RawKind::Scalar(scalar) => scalar.hash(&mut hasher),
        RawKind::Pointer(to) => to.is_some().hash(&mut hasher),
        RawKind::Struct(fields) | RawKind::Union(fields) => {
            for (name, offset, _) in fields {
                (name, offset).hash(&mut hasher);
            }
        }
        RawKind::Enum(_, tag, variants) => {
            tag.and_then(tag_of).hash(&mut hasher);
            for (name, value, _) in variants {
                (name, value).hash(&mut hasher);
            }
        }
        RawKind::Names(list) => list.hash(&mut hasher),
        RawKind::Array(_, count) => count.hash(&mut hasher),
    }
    hasher.finish()
}

fn each_type(ty: &Raw, each: &mut dyn FnMut(u64)) {
    match &ty.kind {
        RawKind::Scalar(_) | RawKind::Names(_) => {}
        RawKind::Pointer(to) => to.iter().for_each(|to| each(*to)),
        RawKind::Struct(fields) | RawKind::Union(fields) => {
            fields.iter().for_each(|(_, _, ty)| each(*ty));
        }
        RawKind::Enum(_, _, variants) => variants.iter().for_each(|(_, _, ty)| each(*ty)),
        RawKind::Array(to, _) => each(*to),
    }
    ty.arguments.iter().for_each(|(_, ty)| each(*ty));
}
