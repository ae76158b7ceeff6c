//! A census beside findings: what was counted of a type or field that a finding is about.
//!
//! Debug info names types by crate and path, findings by crate and path too. Where sizes differ it
//! was another type of that name, another target or another state of the code: nothing is joined.

use super::count::{Census, TextCount};
use super::types::base;
use rustc_hash::FxHashMap;
use serde::Serialize;
use std::collections::BTreeMap;

/// What was counted.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Measured {
    /// Values of the type.
    pub values: u64,
    /// With those that there is room for.
    pub slots: u64,
    /// Bytes of all slots.
    pub bytes_at_census: u64,
    /// Of an enum: values of each variant.
    pub variants: BTreeMap<String, u64>,
    /// Of a field: bytes of room that holds nothing.
    pub slack_bytes: Option<u64>,
    /// Of a field: its texts.
    pub texts: Option<TextCount>,
    /// Bytes that the remedy would save; not worked out yet.
    pub net_saved_bytes: Option<i64>,
    /// Blocks that the remedy would save; not worked out yet.
    pub net_blocks: Option<i64>,
}

/// What a finding is about.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'s> {
    /// The crate, as code names it.
    pub krate: &'s str,
    /// The type's path in it.
    pub path: &'s str,
    /// `field`, `Variant` or `Variant.field`.
    pub field: Option<&'s str>,
    /// Bytes of one value of the type.
    pub size: Option<u64>,
}

/// A census by the paths of types.
#[derive(Debug)]
pub struct Index<'c> {
    types: FxHashMap<&'c str, Vec<usize>>,
    fields: FxHashMap<(&'c str, &'c str), Vec<usize>>,
    census: &'c Census,
}

impl<'c> Index<'c> {
    /// Of a census.
    pub fn new(census: &'c Census) -> Index<'c> {
        let mut types: FxHashMap<&str, Vec<usize>> = FxHashMap::default();
        for (at, ty) in census.types.iter().enumerate() {
            types.entry(base(&ty.ty)).or_default().push(at);
        }
        let mut fields: FxHashMap<(&str, &str), Vec<usize>> = FxHashMap::default();
        for (at, field) in census.fields.iter().enumerate() {
            let key = (base(&field.ty), &*field.field);
            fields.entry(key).or_default().push(at);
        }
        Index {
            types,
            fields,
            census,
        }
    }

    /// What was counted of a subject: all instances of a generic type together. None where the
    /// program did not have the type, or one of another size.
    pub fn of(&self, subject: &Subject<'_>) -> Option<Measured> {
        let path = format!("{}::{}", subject.krate, subject.path);
        let mut measured = Measured::default();
        for &at in self.types.get(&*path)? {
            let ty = &self.census.types[at];
            if subject.size.is_some_and(|size| size != ty.size) {
                return None;
            }
            measured.values += ty.values;
            measured.slots += ty.slots;
            measured.bytes_at_census += ty.bytes;
            for (variant, n) in &ty.variants {
                *measured.variants.entry(variant.clone()).or_default() += n;
            }
        }
        let field = subject.field.unwrap_or_default();
        // The one field of a variant is named by its variant.
        let only = format!("{field}.0");
        let list = [field, &only].map(|field| self.fields.get(&(&*path, field)));
        if let Some(list) = list.into_iter().flatten().next() {
            let fields = || list.iter().map(|&at| &self.census.fields[at]);
            measured.slack_bytes = Some(fields().map(|f| f.slack_bytes).sum());
            // Medians of several instances have no sum.
            if let [at] = list[..] {
                measured.texts.clone_from(&self.census.fields[at].texts);
            }
        }
        Some(measured)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::census::count::{FieldCount, TypeCount};

    fn census() -> Census {
        let ty = |name: &str, size, values| TypeCount {
            ty: name.to_owned(),
            size,
            values,
            slots: values + 1,
            bytes: (values + 1) * size,
            variants: BTreeMap::new(),
        };
        Census {
            types: vec![
                ty("a::b::List<u8>", 24, 3),
                ty("a::b::List<alloc::string::String>", 24, 4),
                ty("a::Other", 8, 1),
            ],
            fields: vec![FieldCount {
                ty: "a::b::List<u8>".to_owned(),
                field: "items".to_owned(),
                slack_bytes: 77,
                ..FieldCount::default()
            }],
            ..Census::default()
        }
    }

    #[test]
    fn instances_are_counted_together() {
        let census = census();
        let mut subject = Subject {
            krate: "a",
            path: "b::List",
            field: Some("items"),
            size: Some(24),
        };
        let index = Index::new(&census);
        let found = index.of(&subject).unwrap();
        assert_eq!(
            (found.values, found.slots, found.bytes_at_census),
            (7, 9, 216)
        );
        assert_eq!(found.slack_bytes, Some(77));
        subject.field = None;
        assert_eq!(index.of(&subject).unwrap().slack_bytes, None);
        subject.size = Some(32);
        assert_eq!(index.of(&subject), None);
        subject.path = "List";
        assert_eq!(index.of(&subject), None);
    }
}
