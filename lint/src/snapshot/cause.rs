//! Finds which field or variant made a type larger or smaller.

use super::{Entry, Field, Variant};
use std::cmp::Reverse;

/// A part that caused the change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cause<'s> {
    /// The variant it belongs to, or is.
    pub variant: Option<&'s str>,
    /// The field; `None` for an added or removed variant.
    pub field: Option<&'s str>,
    /// The old part; `None` if it was added.
    pub before: Option<Part<'s>>,
    /// The new part; `None` if it was removed.
    pub after: Option<Part<'s>>,
}

/// A part in one of the two snapshots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part<'s> {
    /// The type of a field.
    pub ty: Option<&'s str>,
    /// Its size in bytes; of a variant, the sum of its fields.
    pub size: u64,
    /// Types of the snapshot that it holds.
    pub holds: &'s [String],
}

/// A part of the smaller and of the larger of two definitions.
struct Pair<'s> {
    variant: Option<&'s str>,
    field: Option<&'s str>,
    small: Option<Part<'s>>,
    large: Option<Part<'s>>,
}

impl Pair<'_> {
    fn gain(&self) -> u64 {
        let size = |part: Option<Part>| part.map_or(0, |p| p.size);
        size(self.large).saturating_sub(size(self.small))
    }
}

/// Returns the parts that changed in the same direction as the whole, the largest first. For an
/// enum, only the variants that determine its size. Empty if no part caused the change.
pub fn find<'s>(before: &'s Entry, after: &'s Entry) -> Vec<Cause<'s>> {
    if before.kind != after.kind {
        return Vec::new();
    }
    let grew = after.size > before.size;
    let (small, large) = match grew {
        true => (before, after),
        false => (after, before),
    };
    let mut pairs = match large.kind.as_str() {
        "enum" => variants(small, large),
        "union" => {
            let room = small.fields.iter().map(|f| f.size).max().unwrap_or(0);
            let mut pairs = fields(None, &small.fields, &large.fields);
            pairs.retain(|p| p.large.is_some_and(|l| l.size > room));
            pairs
        }
        _ => fields(None, &small.fields, &large.fields),
    };
    pairs.sort_by_key(|p| Reverse(p.gain()));
    let causes = pairs.into_iter().map(|pair| {
        let (before, after) = match grew {
            true => (pair.small, pair.large),
            false => (pair.large, pair.small),
        };
        Cause {
            variant: pair.variant,
            field: pair.field,
            before,
            after,
        }
    });
    causes.collect()
}

fn variants<'s>(before: &'s Entry, after: &'s Entry) -> Vec<Pair<'s>> {
    let (small, large) = (&before.variants, &after.variants);
    let room = small.iter().map(|v| v.size).max().unwrap_or(0);
    let twin = |v: &Variant| small.iter().find(|s| s.name == v.name);
    let mut chosen: Vec<&Variant> = large.iter().filter(|v| v.size > room).collect();
    if chosen.is_empty() {
        // Padding, or a niche that is now used: any larger variant may be the cause.
        let more = large
            .iter()
            .filter(|v| v.size > twin(v).map_or(0, |s| s.size));
        chosen = more.collect();
    }
    // An additional variant may need a tag, or a larger one. An unnecessary tag is due to `repr`.
    if chosen.is_empty() && (before.align == after.align || large.len() > 1 << u8::BITS) {
        chosen = large.iter().filter(|v| twin(v).is_none()).collect();
    }
    let pairs = chosen.into_iter().flat_map(|v| match twin(v) {
        Some(twin) => fields(Some(&v.name), &twin.fields, &v.fields),
        None => vec![Pair {
            variant: Some(&v.name),
            field: None,
            small: None,
            large: Some(Part {
                ty: None,
                size: v.size,
                holds: &[],
            }),
        }],
    });
    pairs.collect()
}

/// Returns the fields that are larger in the larger of two lists.
fn fields<'s>(variant: Option<&'s str>, small: &'s [Field], large: &'s [Field]) -> Vec<Pair<'s>> {
    let is_tuple = |list: &[Field]| list.first().is_some_and(|f| f.name == "0");
    let by_type = is_tuple(small) || is_tuple(large);
    let mut left: Vec<&Field> = small.iter().collect();
    let mut pairs = Vec::new();
    let mut alone = Vec::new();
    for field in large {
        // An index does not identify a tuple field: another may have been inserted before it.
        let twin = take(&mut left, |f| match by_type {
            true => f.ty == field.ty,
            false => f.name == field.name,
        });
        match twin {
            Some(twin) => pairs.push((Some(twin), field)),
            None => alone.push(field),
        }
    }
    for field in alone {
        let renamed = take(&mut left, |f| f.ty == field.ty && f.size == field.size);
        if renamed.is_none() {
            let same_place = match by_type {
                true => take(&mut left, |f| f.name == field.name),
                false => None,
            };
            pairs.push((same_place, field));
        }
    }
    let part = |f: &'s Field| Part {
        ty: Some(f.ty.as_str()),
        size: f.size,
        holds: &f.holds,
    };
    let pairs = pairs.into_iter().map(|(small, large)| Pair {
        variant,
        field: Some(&large.name),
        small: small.map(part),
        large: Some(part(large)),
    });
    pairs.filter(|p| p.gain() > 0).collect()
}

fn take<'s>(list: &mut Vec<&'s Field>, is: impl Fn(&Field) -> bool) -> Option<&'s Field> {
    let at = list.iter().position(|f| is(f))?;
    Some(list.remove(at))
}
