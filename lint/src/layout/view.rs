//! A layout with its fields named and placed: what a drawing, a test and a lint look at.

use super::{Data, Layout, Layouts, adt};
use crate::ir::{AdtKind, ItemKind};
use crate::name::Name;
use crate::resolve::ty::{Ty, TyKind};
use crate::resolve::{Db, Res, Unknown};
use ra_ap_rustc_abi::{FieldsShape, Primitive, Scalar, TagEncoding, Variants};

/// A type's layout, all in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    /// Bytes of one value.
    pub size: u64,
    /// Alignment.
    pub align: u64,
    /// Which of the three it is; `None` for what is no struct, enum or union.
    pub kind: Option<AdtKind>,
    /// An enum's variants, or the one body of anything else.
    pub variants: Vec<VariantView>,
    /// Where an enum keeps which variant it is.
    pub tag: Option<Tag>,
    /// The largest niche that is left for a type around it.
    pub niche: Option<NicheView>,
    /// No value of it can exist.
    pub uninhabited: bool,
}

/// One variant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VariantView {
    /// Its name; the type's own for a struct or union, empty for a tuple or primitive.
    pub name: Name,
    /// Its position in the source.
    pub index: usize,
    /// Its fields in the order of the source.
    pub fields: Vec<FieldView>,
    /// Sum of its fields' sizes, without padding or tag.
    pub size: u64,
    /// It takes no room, as it can never be made.
    pub absent: bool,
}

/// One field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldView {
    /// Its name.
    pub name: Name,
    /// Its position in the source.
    pub index: usize,
    /// Its type.
    pub ty: Ty,
    /// Where it begins.
    pub offset: u64,
    /// Bytes it takes.
    pub size: u64,
    /// Its alignment.
    pub align: u64,
}

/// Where an enum keeps which variant it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tag {
    /// Where it begins.
    pub offset: u64,
    /// Bytes it takes.
    pub size: u64,
    /// For a tag hidden in a niche: the variant whose field holds it.
    pub niche_of: Option<Name>,
}

/// Values that a type leaves unused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NicheView {
    /// Where it begins.
    pub offset: u64,
    /// Bytes it takes.
    pub size: u64,
    /// How many values are free.
    pub available: u128,
}

impl NicheView {
    /// How many values are free, in words.
    pub fn words(&self) -> String {
        match self.available {
            1 => "1 free value".to_owned(),
            n if n < 1 << 20 => format!("{n} free values"),
            n => format!("2^{} free values or more", n.ilog2()),
        }
    }
}

impl<'a> Layouts<'a> {
    /// The layout of a type with its fields placed.
    ///
    /// # Errors
    /// Why it is not known.
    pub fn view(&self, db: &Db<'a>, ty: Ty) -> Res<View> {
        let layout = self.of(db, ty)?;
        if layout.is_unsized() {
            return Err(Unknown::because("the type is unsized"));
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

    /// True if the scalar at the heart of a niche is a pointer.
    pub fn niche_is_pointer(&self, layout: Layout<'a>) -> bool {
        layout
            .largest_niche
            .is_some_and(|n| matches!(n.value, Primitive::Pointer(_)))
    }

    /// Values a scalar layout may have; for messages about niches.
    pub fn scalar(&self, layout: Layout<'a>) -> Option<Scalar> {
        match layout.backend_repr {
            ra_ap_rustc_abi::BackendRepr::Scalar(s) => Some(s),
            _ => None,
        }
    }
}

/// The layout that places a variant's fields; `None` for one that takes no room.
fn body_of(data: &Data, variant: usize, is_enum: bool) -> Option<&Data> {
    if !is_enum {
        return Some(data);
    }
    match &data.variants {
        Variants::Single { index } => (index.as_usize() == variant).then_some(data),
        Variants::Multiple { variants, .. } => {
            let body = &variants.raw[variant];
            // An absent variant is kept as a layout that no value has.
            Some(body)
        }
        Variants::Empty => None,
    }
}
