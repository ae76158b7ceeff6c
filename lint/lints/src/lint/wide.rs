//! Fields of a struct that a box makes smaller, and that are much of it.

use super::{Context, Silence};
use crate::ir::AdtKind;
use crate::layout::WhatIf;
use crate::layout::view::{FieldView, VariantView, View};
use crate::model::parts::with_field;
use crate::model::{TypeInfo, freezing};
use crate::usage::body::FieldId;
use crate::usage::types::std_first;

/// Words of a `Vec`: what is no wider is not boxed.
const VEC: u64 = 3;
/// A field is wide from this share of its struct on, as a divisor.
const SHARE: u64 = 4;

/// Returns the layout of a struct whose fields may be boxed.
///
/// # Errors
/// Why there can be no box, or that it is no struct.
pub fn boxable(cx: &Context, info: &TypeInfo) -> Result<View, Silence> {
    let model = cx.model;
    if info.kind != AdtKind::Struct {
        return Err(Silence::about("it is no struct"));
    }
    let view = model.view(info.ty);
    let view = view
        .map_err(|why| Silence::about(format!("its size is not known: {}", model.reason(&why))))?;
    if !freezing::is_free(model, info) {
        return Err(Silence::about(
            "something outside prescribes its fields, or a macro writes them",
        ));
    }
    if !model.has_heap(info.krate) || model.is_copy(info) {
        return Err(Silence::about("no box can be in its fields"));
    }
    Ok(view)
}

/// A wide field of a struct, and what a box around it gives.
pub struct Wide<'w> {
    /// The field.
    pub id: FieldId,
    /// Its layout.
    pub view: &'w FieldView,
    /// The box, as a change of definition.
    pub change: WhatIf,
    /// Size of the struct with the box, in bytes.
    pub after: u64,
}

/// Returns the fields that a box makes smaller and that are much of the struct, the widest first.
pub fn wide_fields<'v>(
    cx: &Context,
    info: &TypeInfo,
    size: u64,
    variant: &'v VariantView,
) -> Vec<Wide<'v>> {
    let model = cx.model;
    let least = (VEC * model.word() + 1).max(size.div_ceil(SHARE));
    let one = |view: &'v FieldView| {
        let id = FieldId::new(info.item, 0, view.index);
        let is_plain = std_first(model.db, view.ty, &["Option"]).is_none()
            && !model.is_behind_pointer(view.ty)
            && freezing::is_plain(model, id);
        if view.size < least || !is_plain {
            return None;
        }
        let change = with_field(id, model.boxed(view.ty));
        let after = model.size_if(info.ty, &change)?;
        // With the only wide field in it, a box holds the struct in all but name.
        (model.word() < after && after < size).then_some(Wide {
            id,
            view,
            change,
            after,
        })
    };
    let mut wide: Vec<_> = variant.fields.iter().filter_map(one).collect();
    wide.sort_by_key(|w| std::cmp::Reverse(w.view.size));
    wide
}
