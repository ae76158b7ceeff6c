//! Boxings as changes of definitions.

use super::{BoxOf, Oversized};
use crate::layout::WhatIf;
use crate::layout::view::View;
use crate::model::{Model, TypeInfo};
use crate::resolve::ty::{Ty, TyKind};
use crate::usage::types::std_first;

impl Oversized {
    /// Returns the best boxing as a change of definition.
    pub fn change(&self, model: &Model<'static>, of: &TypeInfo) -> Option<WhatIf> {
        let boxes = &self.boxings.first()?.boxes;
        Some(model.boxed_definition(of, &self.view, boxes, &WhatIf::default()))
    }
}

impl Model<'static> {
    /// Returns a boxing as a change of definition, added to others.
    pub fn boxed_definition(
        &self,
        of: &TypeInfo,
        view: &View,
        boxes: &[BoxOf],
        given: &WhatIf,
    ) -> WhatIf {
        let mut change = given.clone();
        for b in boxes {
            let variant = &view.variants[b.variant];
            let inside: Vec<Ty> = b.fields.iter().map(|&f| variant.fields[f].ty).collect();
            let inside = match inside[..] {
                [one] => one,
                _ => self.db.types.intern(TyKind::Tuple(inside.into())),
            };
            for (n, &field) in b.fields.iter().enumerate() {
                let key = (of.item, variant.index, variant.fields[field].index);
                let new = (n == 0).then(|| self.box_for(inside));
                change.fields.insert(key, new);
            }
        }
        change
    }

    /// Returns a type with a box: of an `Option` with the box in it, so that `None` needs no block.
    pub fn box_for(&self, ty: Ty) -> Ty {
        match std_first(self.db, ty, &["Option"]) {
            Some(content) => self.replaced(ty, content, self.boxed(content)),
            None => self.boxed(ty),
        }
    }
}
