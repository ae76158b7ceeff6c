//! What a type would be with the `Vec`s of a variant as boxed slices.

use crate::layout::WhatIf;
use crate::layout::view::VariantView;
use crate::model::{Model, TypeInfo};
use crate::resolve::ty::{GArg, Ty, TyKind};

impl Model<'static> {
    /// The change of definition that makes the `Vec`s of a variant boxed slices, and which they are.
    pub fn frozen_definition(&self, of: &TypeInfo, variant: &VariantView) -> (Vec<usize>, WhatIf) {
        let mut change = WhatIf::default();
        let mut fields = Vec::new();
        for (i, field) in variant.fields.iter().enumerate() {
            if let Some(element) = self.vec_of(field.ty) {
                let slice = self.db.types.intern(TyKind::Slice(element));
                let key = (of.item, variant.index, field.index);
                change.fields.insert(key, Some(self.boxed(slice)));
                fields.push(i);
            }
        }
        (fields, change)
    }

    /// What a `Vec` of std holds.
    fn vec_of(&self, ty: Ty) -> Option<Ty> {
        let TyKind::Adt(item, args) = self.db.types.kind(ty) else {
            return None;
        };
        let data = self.db.item(*item);
        let std = self.db.krate_of(data.module) == self.db.std();
        match args.first() {
            Some(GArg::Ty(element)) if std && data.item.name == "Vec" => Some(*element),
            _ => None,
        }
    }
}
