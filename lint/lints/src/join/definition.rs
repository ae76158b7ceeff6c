//! A definition in the source beside the types of that path in a census: two versions of a crate,
//! or a library and a program of one name, have types of one path.

use crate::census::count::TypeCount;
use crate::ir::{AdtKind, ItemKind};
use crate::layout::view::View;
use crate::model::{Model, TypeInfo};
use std::collections::BTreeMap;

/// The fields of a definition, by the names that a census has for them.
#[derive(Clone, Debug, Default)]
pub struct Definition {
    /// An enum's variants are named too.
    pub is_enum: bool,
    /// `field` or `Variant.field`, with its offset where that is known and says something;
    /// `Variant` for one without fields.
    pub fields: BTreeMap<String, Option<u64>>,
}

impl Definition {
    /// The fields of a type; none where an unresolved `cfg` decides over a field.
    pub fn of(model: &Model<'static>, info: &TypeInfo) -> Definition {
        let is_enum = info.kind == AdtKind::Enum;
        let fields = match model.view(info.ty) {
            Ok(view) => with_offsets(&view, is_enum),
            Err(_) => by_name(model, info, is_enum).unwrap_or_default(),
        };
        Definition { is_enum, fields }
    }

    /// Whether a type in a census may be this definition: the same fields at the same offsets.
    /// Variants that cannot be constructed are not in debug info.
    pub(super) fn is(&self, counted: &TypeCount) -> bool {
        let counted = &counted.fields;
        if counted.is_empty() || self.fields.is_empty() {
            return true;
        }
        let known = |(name, at): (&String, &Option<u64>)| match (self.fields.get(name), at) {
            (Some(Some(own)), Some(at)) => own == at,
            (own, _) => own.is_some(),
        };
        let variant = |name: &str| name.split('.').next().unwrap_or_default().to_owned();
        let missing = |name: &&String| !counted.contains_key(*name);
        let mut missing = self.fields.keys().filter(missing);
        let any = |name: &String| {
            !self.is_enum || counted.keys().any(|other| variant(other) == variant(name))
        };
        counted.iter().all(known) && !missing.any(any)
    }
}

fn named(variant: Option<&str>, field: &str) -> String {
    let field = field.trim_start_matches("r#");
    match variant {
        Some(variant) => format!("{}.{field}", variant.trim_start_matches("r#")),
        None => field.to_owned(),
    }
}

fn with_offsets(view: &View, is_enum: bool) -> BTreeMap<String, Option<u64>> {
    let mut all = BTreeMap::new();
    for variant in &view.variants {
        let name = variant.name.as_str();
        if is_enum && variant.fields.is_empty() {
            all.insert(name.trim_start_matches("r#").to_owned(), None);
        }
        for field in &variant.fields {
            // The offset of a field without a size says nothing.
            let at = (field.size > 0).then_some(field.offset);
            all.insert(named(is_enum.then_some(name), field.name.as_str()), at);
        }
    }
    all
}

/// Of a generic type the names alone.
fn by_name(
    model: &Model<'static>,
    info: &TypeInfo,
    is_enum: bool,
) -> Option<BTreeMap<String, Option<u64>>> {
    let ItemKind::Adt(adt) = &model.db.item(info.item).item.kind else {
        return None;
    };
    let mut all = BTreeMap::new();
    for variant in &adt.variants {
        if !model.db.present(info.krate, &variant.attrs).ok()? {
            continue;
        }
        let name = variant.name.as_str();
        let before = all.len();
        for field in &variant.fields {
            if model.db.present(info.krate, &field.attrs).ok()? {
                all.insert(named(is_enum.then_some(name), field.name.as_str()), None);
            }
        }
        if is_enum && all.len() == before {
            all.insert(name.trim_start_matches("r#").to_owned(), None);
        }
    }
    Some(all)
}
