//! The type with the `Vec`s of a variant replaced by boxed slices.

use crate::layout::WhatIf;
use crate::layout::view::VariantView;
use crate::model::{Model, TypeInfo};
use crate::resolve::ty::TyKind;
use crate::usage::types::std_first;

impl Model<'static> {
    /// Returns the `Vec` fields of a variant, and the change that makes them boxed slices.
    pub fn frozen_definition(&self, of: &TypeInfo, variant: &VariantView) -> (Vec<usize>, WhatIf) {
        let mut change = WhatIf::default();
        let mut fields = Vec::new();
        for (i, field) in variant.fields.iter().enumerate() {
            if let Some(element) = std_first(self.db, field.ty, &["Vec"]) {
                let slice = self.db.types.intern(TyKind::Slice(element));
                let key = (of.item, variant.index, field.index);
                change.fields.insert(key, Some(self.boxed(slice)));
                fields.push(i);
            }
        }
        (fields, change)
    }
}
