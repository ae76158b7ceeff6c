//! Layouts as plain data.

use super::Model;
use crate::layout::WhatIf;
use crate::layout::view::View;
use crate::resolve::ty::Ty;
use crate::shape::{Niche, Shape, Tag, Variant};

impl Model<'static> {
    /// Converts a layout to plain data, with types as text.
    pub fn shape(&self, view: &View) -> Shape {
        let variants = view.variants.iter().map(|v| Variant {
            name: v.name.to_string(),
            size: v.size,
            absent: v.absent,
            fields: v
                .fields
                .iter()
                .map(|f| (f.name.to_string(), self.db.display(f.ty), f.offset, f.size))
                .collect(),
        });
        Shape {
            size: view.size,
            kind: view.kind.map_or("", |kind| kind.as_str()),
            variants: variants.collect(),
            tag: view.tag.as_ref().map(|t| Tag {
                offset: t.offset,
                size: t.size,
                niche_of: t.niche_of.map(|n| n.to_string()),
            }),
            niche: view.niche.as_ref().map(|n| Niche {
                offset: n.offset,
                size: n.size,
                values: n.words(),
            }),
        }
    }

    /// Returns the layout of a type after a change.
    pub fn shape_if(&self, change: &WhatIf, ty: Ty) -> Option<Shape> {
        let view = self.what_if(change.clone(), || self.view(ty)).ok()?;
        Some(self.shape(&view))
    }
}
