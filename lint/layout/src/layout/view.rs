//! A layout with named fields and offsets, for drawings, tests and lints.

use super::{Data, Layout, Layouts, adt};
use crate::ir::{AdtKind, ItemKind};
use crate::name::Name;
use crate::resolve::ty::{Ty, TyKind};
use crate::resolve::{Db, Res, Unknown};
use ra_ap_rustc_abi::{FieldsShape, Scalar, TagEncoding, Variants};

/// The layout of a type, all in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    /// Size of a value.
    pub size: u64,
    /// Alignment.
    pub align: u64,
    /// Struct, enum or union; `None` for other types.
    pub kind: Option<AdtKind>,
    /// The variants of an enum, or the one body of anything else.
    pub variants: Vec<VariantView>,
    /// Where an enum stores its discriminant.
    pub tag: Option<Tag>,
    /// The largest niche available to an outer type.
    pub niche: Option<NicheView>,
    /// It has no values.
    pub uninhabited: bool,
}

/// One variant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VariantView {
    /// Its name; the type's own for a struct or union, empty for a tuple or primitive.
    pub name: Name,
    /// Its index in the source.
    pub index: usize,
    /// Its fields in source order.
    pub fields: Vec<FieldView>,
    /// Sum of its fields' sizes, without padding or tag.
    pub size: u64,
    /// It takes no space, as it is uninhabited.
    pub absent: bool,
}

/// One field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldView {
    /// Its name.
    pub name: Name,
    /// Its index in the source.
    pub index: usize,
    /// Its type.
    pub ty: Ty,
    /// Its offset.
    pub offset: u64,
    /// Its size.
    pub size: u64,
    /// Its alignment.
    pub align: u64,
}

/// Where an enum stores its discriminant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tag {
    /// Its offset.
    pub offset: u64,
    /// Its size.
    pub size: u64,
    /// For a tag encoded in a niche: the variant whose field has it.
    pub niche_of: Option<Name>,
}

/// A part of a value without a field, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gap {
    /// Its offset.
    pub offset: u64,
    /// Its size.
    pub size: u64,
}

impl View {
    /// Returns the padding of a variant: the bytes that neither its fields nor the tag use.
    pub fn padding(&self, variant: &VariantView) -> Vec<Gap> {
        let mut taken: Vec<(u64, u64)> =
            variant.fields.iter().map(|f| (f.offset, f.size)).collect();
        taken.extend(self.tag.iter().map(|t| (t.offset, t.size)));
        taken.sort_unstable();
        let mut gaps = Vec::new();
        let mut at = 0;
        for (offset, size) in taken {
            if offset > at && size > 0 {
                gaps.push(Gap {
                    offset: at,
                    size: offset - at,
                });
            }
            if size > 0 {
                at = at.max(offset.saturating_add(size));
            }
        }
        if at < self.size {
            gaps.push(Gap {
                offset: at,
                size: self.size - at,
            });
        }
        gaps
    }
}

/// Values that a type leaves unused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NicheView {
    /// Its offset.
    pub offset: u64,
    /// Its size.
    pub size: u64,
    /// Number of unused values.
    pub available: u128,
}

impl NicheView {
    /// Formats the number of unused values.
    pub fn words(&self) -> String {
        match self.available {
            1 => "1 free value".to_owned(),
            n if n < 1 << 20 => format!("{n} free values"),
            n => format!("2^{} free values or more", n.ilog2()),
        }
    }
}

impl<'a> Layouts<'a> {
    /// Returns the layout of a type with its field offsets.
    ///
    /// # Errors
    /// Returns the reason if it is unknown.
    pub fn view(&self, db: &Db<'a>, ty: Ty) -> Res<View> {
        let layout = self.of(db, ty)?;
        if layout.is_unsized() {
            return Err(Unknown::Unsized);
        }
        let dl = &self.calc.cx;
        let bodies = self.bodies(db, ty, layout)?;
        let kind = match db.types.kind(ty) {
            TyKind::Adt(id, _) => match &db.item(*id).item.kind {
                ItemKind::Adt(adt) => Some(adt.kind),
                _ => None,
            },
            _ => None,
        };
        let tag = self.tag(layout, &bodies);
        Ok(View {
            size: layout.size.bytes(),
            align: layout.align.bytes(),
            kind,
            tag,
            niche: layout.largest_niche.map(|n| NicheView {
                offset: n.offset.bytes(),
                size: n.value.size(dl).bytes(),
                available: n.available(dl),
            }),
            variants: bodies,
            uninhabited: layout.is_uninhabited(),
        })
    }

    fn tag(&self, layout: Layout<'a>, bodies: &[VariantView]) -> Option<Tag> {
        let Variants::Multiple {
            tag,
            tag_encoding,
            tag_field,
            ..
        } = &layout.variants
        else {
            return None;
        };
        Some(Tag {
            offset: layout.fields.offset(tag_field.as_usize()).bytes(),
            size: tag.size(&self.calc.cx).bytes(),
            niche_of: match tag_encoding {
                TagEncoding::Direct => None,
                TagEncoding::Niche {
                    untagged_variant, ..
                } => bodies.get(untagged_variant.as_usize()).map(|v| v.name),
            },
        })
    }

    fn bodies(&self, db: &Db<'a>, ty: Ty, layout: Layout<'a>) -> Res<Vec<VariantView>> {
        match db.types.kind(ty) {
            TyKind::Adt(id, _) => {
                let mut shape = adt::shape(db, ty, *id)?;
                self.change(*id, &mut shape);
                let is_enum = matches!(
                    &db.item(*id).item.kind,
                    ItemKind::Adt(adt) if adt.kind == AdtKind::Enum
                );
                let mut list = Vec::with_capacity(shape.variants.len());
                for (i, variant) in shape.variants.iter().enumerate() {
                    let data = body_of(&layout, i, is_enum);
                    let mut fields = Vec::with_capacity(variant.fields.len());
                    for (at, field) in variant.fields.iter().enumerate() {
                        fields.push(self.field(db, data, at, field)?);
                    }
                    list.push(VariantView {
                        name: variant.name,
                        index: variant.index,
                        size: fields.iter().map(|f| f.size).sum(),
                        fields,
                        absent: data.is_none(),
                    });
                }
                Ok(list)
            }
            TyKind::Tuple(list) => {
                let mut fields = Vec::with_capacity(list.len());
                for (index, &ty) in list.iter().enumerate() {
                    let field = adt::ShapeField {
                        index,
                        name: Name::new(&index.to_string()),
                        ty,
                    };
                    fields.push(self.field(db, Some(*layout), index, &field)?);
                }
                Ok(vec![VariantView {
                    name: Name::new(""),
                    index: 0,
                    size: fields.iter().map(|f| f.size).sum(),
                    fields,
                    absent: false,
                }])
            }
            _ => Ok(Vec::new()),
        }
    }

    fn field(
        &self,
        db: &Db<'a>,
        data: Option<&Data>,
        at: usize,
        field: &adt::ShapeField,
    ) -> Res<FieldView> {
        let layout = self.of(db, field.ty)?;
        let placed = data.filter(|d| match &d.fields {
            FieldsShape::Primitive => false,
            fields => at < fields.count(),
        });
        Ok(FieldView {
            name: field.name,
            index: field.index,
            ty: field.ty,
            offset: placed.map_or(0, |d| d.fields.offset(at).bytes()),
            size: layout.size.bytes(),
            align: layout.align.bytes(),
        })
    }

    /// Returns the valid values of a scalar layout; for messages about niches.
    pub fn scalar(&self, layout: Layout<'a>) -> Option<Scalar> {
        match layout.backend_repr {
            ra_ap_rustc_abi::BackendRepr::Scalar(s) => Some(s),
            _ => None,
        }
    }
}

/// Returns the layout with a variant's field offsets; `None` for one that takes no space.
fn body_of(data: &Data, variant: usize, is_enum: bool) -> Option<&Data> {
    if !is_enum {
        return Some(data);
    }
    match &data.variants {
        Variants::Single { index } => (index.as_usize() == variant).then_some(data),
        Variants::Multiple { variants, .. } => {
            let body = &variants.raw[variant];
            // An absent variant has an uninhabited layout.
            Some(body)
        }
        Variants::Empty => None,
    }
}
