//! Structs, enums and unions: their fields in this build, and their layouts.

use super::{Data, Extent, Layout, Layouts, repr, tag};
use crate::ir::{AdtKind, ItemKind};
use crate::name::Name;
use crate::resolve::ty::{Const, Ty, TyKind};
use crate::resolve::{CrateIx, Db, ItemId, Res, Unknown};
use ra_ap_rustc_abi::{
    BackendRepr, FieldIdx, Integer, LayoutCalculatorError, ReprOptions, VariantIdx,
};
use ra_ap_rustc_index::IndexVec;
use std::ops::Bound;

/// The variants and fields of a type, without those that the build disables.
#[derive(Clone, Debug)]
pub struct Shape {
    /// The variants of an enum, or the one body of a struct or union.
    pub variants: Vec<ShapeVariant>,
    /// It is a union.
    pub is_union: bool,
}

/// One variant.
#[derive(Clone, Debug)]
pub struct ShapeVariant {
    /// Its index in the source.
    pub index: usize,
    /// Its name; the type's own for a struct or union.
    pub name: Name,
    /// Its fields.
    pub fields: Vec<ShapeField>,
}

/// One field.
#[derive(Clone, Debug)]
pub struct ShapeField {
    /// Its index in the source.
    pub index: usize,
    /// Its name.
    pub name: Name,
    /// Its type.
    pub ty: Ty,
}

/// Returns the variants and fields of a type for these arguments.
///
/// # Errors
/// Fails if an attribute macro may change them, or one depends on an unresolved `cfg`.
pub fn shape(db: &Db, ty: Ty, id: ItemId) -> Res<Shape> {
    db.trust(id)?;
    let data = db.item(id);
    let ItemKind::Adt(adt) = &data.item.kind else {
        return Err(Unknown::because("not a struct, enum or union"));
    };
    let krate = db.krate_of(data.module);
    let mut variants = Vec::with_capacity(adt.variants.len());
    for (index, variant) in adt.variants.iter().enumerate() {
        if !db.present(krate, &variant.attrs)? {
            continue;
        }
        let types = db.field_types(ty, index as u32);
        let mut fields = Vec::with_capacity(variant.fields.len());
        for (index, (field, &ty)) in variant.fields.iter().zip(&*types).enumerate() {
            if db.present(krate, &field.attrs)? {
                fields.push(ShapeField {
                    index,
                    name: field.name,
                    ty,
                });
            }
        }
        variants.push(ShapeVariant {
            index,
            name: variant.name,
            fields,
        });
    }
    Ok(Shape {
        variants,
        is_union: adt.kind == AdtKind::Union,
    })
}

/// A struct or enum of which everything but the order of its fields and its tag is known.
struct Parts<'a, 'r> {
    ty: Ty,
    id: ItemId,
    is_enum: bool,
    repr: &'r repr::Repr,
    variants: IndexVec<VariantIdx, IndexVec<FieldIdx, Layout<'a>>>,
    discriminants: Vec<(VariantIdx, i128)>,
}

impl<'a> Layouts<'a> {
    /// Lays out an instance of a struct, enum or union.
    pub(super) fn adt(&self, db: &Db<'a>, ty: Ty, id: ItemId) -> Res<Data> {
        let dl = &self.calc.cx;
        let data = db.item(id);
        let ItemKind::Adt(item) = &data.item.kind else {
            return Err(Unknown::because("not a struct, enum or union"));
        };
        let krate = db.krate_of(data.module);
        self.expect_as_declared(db, krate, id)?;
        let repr = repr::of(db, krate, data.item)?;
        if repr.phantom {
            return Ok(Data::unit(dl, true));
        }
        if let Some(field) = db.one_field(id)? {
            let asked = self.walk.what_if.borrow();
            if asked.as_ref().is_some_and(|h| h.items.contains(&id)) {
                return Err(Unknown::because("its fields are not stored in it"));
            }
            drop(asked);
            let parts = Parts {
                ty,
                id,
                is_enum: false,
                repr: &repr,
                variants: IndexVec::from_raw(vec![IndexVec::from_raw(vec![self.of(db, field)?])]),
                discriminants: Vec::new(),
            };
            return self.struct_or_enum(db, parts);
        }
        let mut shape = shape(db, ty, id)?;
        self.change(id, &mut shape);
        let mut variants: IndexVec<VariantIdx, IndexVec<FieldIdx, Layout<'a>>> = IndexVec::new();
        for variant in &shape.variants {
            let fields = variant.fields.iter().map(|f| self.of(db, f.ty));
            variants.push(fields.collect::<Res<_>>()?);
        }
        if repr.options.simd() {
            return self.simd(db, ty, &shape, &variants, &repr.options);
        }
        // Before 1.96, rustc gave an enum with only uninhabited variants size zero, even with an
        // integer `repr`; the pinned calculator, like later rustc, gives it a tag.
        let absent = |v: &IndexVec<FieldIdx, Layout>| {
            v.iter().any(|f| f.is_uninhabited()) && v.iter().all(|f| f.is_1zst())
        };
        let is_early = db.project.target.minor < 96;
        let is_enum = item.kind == AdtKind::Enum;
        if is_early && is_enum && !repr.options.c() && variants.iter().all(absent) {
            return Ok(Data::never_type(dl));
        }
        if item.kind == AdtKind::Union {
            let layout = self.calc.layout_of_union(&repr.options, &variants);
            return layout.map_err(|e| error(db, ty, &e));
        }
        if let Some(flag) = &db.project.layout_flag {
            let is_box = db.krate(krate).id.is_none() && data.item.name.as_str() == "Box";
            let keeps = repr.options.inhibit_struct_field_reordering()
                || repr.options.transparent()
                || is_box;
            if !keeps && variants.iter().any(|v| v.len() > 1) {
                return Err(Unknown::because(format!(
                    "`{flag}`: only rustc knows the order of the fields"
                )));
            }
        }
        let discriminants = match is_enum {
            true => self.discriminants(db, id, &shape)?,
            false => Vec::new(),
        };
        let parts = Parts {
            ty,
            id,
            is_enum,
            repr: &repr,
            variants,
            discriminants,
        };
        self.struct_or_enum(db, parts)
    }

    /// Returns the size of an enum without fields that `repr` says, whatever its discriminants are:
    /// these decide its niche alone.
    pub(super) fn extent_by_repr(&self, db: &Db<'a>, ty: Ty) -> Option<Extent> {
        let TyKind::Adt(id, _) = *db.types.kind(ty) else {
            return None;
        };
        let data = db.item(id);
        let ItemKind::Adt(adt) = &data.item.kind else {
            return None;
        };
        if adt.kind != AdtKind::Enum {
            return None;
        }
        let options = repr::of(db, db.krate_of(data.module), data.item)
            .ok()?
            .options;
        let shape = shape(db, ty, id).ok()?;
        let plain = options.align.is_none()
            && !shape.variants.is_empty()
            && shape.variants.iter().all(|v| v.fields.is_empty());
        let dl = &self.calc.cx;
        let int = Integer::from_attr(dl, options.int.filter(|_| plain)?);
        Some(Extent {
            size: int.size().bytes(),
            align: int.align(dl).bytes(),
        })
    }

    /// Lays out a struct or enum with its known parts.
    fn struct_or_enum(&self, db: &Db<'a>, parts: Parts<'a, '_>) -> Res<Data> {
        let Parts {
            ty,
            id,
            is_enum,
            repr,
            variants,
            discriminants,
        } = parts;
        // The calculator reads only the discriminants of these variants.
        let needed =
            |i: VariantIdx| repr.options.c() || variants[i].iter().all(|f| !f.is_uninhabited());
        let filled = variants.iter().any(|fields| !fields.is_empty());
        let (dl, minor) = (&self.calc.cx, db.project.target.minor);
        let tag = tag::since_1_99(dl, minor, &repr.options, &discriminants, needed, filled);
        let tag = tag.map_err(|why| Unknown::because(format!("`{}`: {why}", db.display(ty))))?;
        let (options, discriminants, int) = match tag {
            Some(tag) => (tag.repr, tag.discriminants, Some(tag.int)),
            None => (repr.options, discriminants, None),
        };
        let within = |range, always_sized| {
            let layout = self.calc.layout_of_struct_or_enum(
                &options,
                &variants,
                is_enum,
                repr.hides_niche,
                range,
                |min, max| int.unwrap_or_else(|| self.tag_type(&options, min, max)),
                discriminants.iter().copied(),
                always_sized,
            );
            layout.map_err(|e| error(db, ty, &e))
        };
        let unsized_ = match is_enum {
            true => Ok(false),
            false => db.may_be_unsized(id),
        };
        let layout = |range| match &unsized_ {
            Ok(is_unsized) => within(range, !is_unsized),
            // Either is possible, but it may make no difference.
            Err(why) => match (within(range, true), within(range, false)) {
                (Ok(a), Ok(b)) if alike(&a, &b) => Ok(a),
                _ => Err(why.clone()),
            },
        };
        let any = (Bound::Unbounded, Bound::Unbounded);
        if repr.valid_range != any {
            // The calculator assumes that this compiler-internal attribute is valid.
            let whole: Data = layout(any)?;
            if is_enum || !self.takes_range(&whole, repr.valid_range) {
                let name = db.display(ty);
                let why = format!("the valid range of `{name}` is none of its values");
                return Err(Unknown::Invalid(why.into()));
            }
        }
        layout(repr.valid_range)
    }

    /// Returns true if a type is a single number that can have this valid range.
    fn takes_range(&self, whole: &Data, (start, end): (Bound<u128>, Bound<u128>)) -> bool {
        let (BackendRepr::Scalar(scalar) | BackendRepr::ScalarPair(scalar, _)) = whole.backend_repr
        else {
            return false;
        };
        let range = scalar.valid_range(&self.calc.cx);
        let most = scalar.size(&self.calc.cx).unsigned_int_max();
        let fits = |bound, fit: &dyn Fn(u128) -> bool| match bound {
            Bound::Included(n) | Bound::Excluded(n) => n <= most && fit(n),
            Bound::Unbounded => true,
        };
        fits(start, &|n| range.start <= n) && fits(end, &|n| n <= range.end)
    }

    /// Fails for a type of std that this compiler lays out differently than declared.
    fn expect_as_declared(&self, db: &Db<'a>, krate: CrateIx, id: ItemId) -> Res<()> {
        let of_std = db.krate(krate).id.is_none();
        if self.doubted.is_empty() || !of_std || !self.doubted.contains(&db.item_path(id)) {
            return Ok(());
        }
        Err(Unknown::because(format!(
            "`std::{}` has another layout in rustc {} than in those that are known",
            db.item_path(id),
            db.project.release.version
        )))
    }

    /// Applies the active hypothesis to a definition.
    pub(super) fn change(&self, id: ItemId, shape: &mut Shape) {
        let what_if = self.walk.what_if.borrow();
        let Some(hypothesis) = what_if.as_ref().filter(|h| h.items.contains(&id)) else {
            return;
        };
        for variant in &mut shape.variants {
            let v = variant.index;
            variant.fields.retain_mut(|f| {
                match hypothesis.change.fields.get(&(id, v, f.index)) {
                    Some(Some(new)) => f.ty = *new,
                    Some(None) => return false,
                    None => {}
                }
                true
            });
        }
    }

    fn discriminants(
        &self,
        db: &Db<'a>,
        id: ItemId,
        shape: &Shape,
    ) -> Res<Vec<(VariantIdx, i128)>> {
        let numbered = shape.variants.iter().enumerate();
        let value = |(i, variant): (usize, &ShapeVariant)| {
            let value = db.discriminant(id, variant.index as u32)?;
            Ok((VariantIdx::from_usize(i), value))
        };
        numbered.map(value).collect()
    }

    /// Returns the integer type of a tag: the smallest that fits, unless `repr` sets it. The range
    /// may wrap around: `min` is the first value after the largest gap, `max` the last before it.
    fn tag_type(&self, repr: &ReprOptions, min: i128, max: i128) -> (Integer, bool) {
        let dl = &self.calc.cx;
        if let Some(int) = repr.int {
            return (Integer::from_attr(dl, int), int.is_signed());
        }
        let least = match repr.c() {
            true => dl.c_enum_min_size,
            false => Integer::I8,
        };
        if min >= 0 && max >= 0 {
            let fit = Integer::fit_unsigned(max.max(min) as u128);
            (fit.max(least), false)
        } else {
            let fit = Integer::fit_signed(min).max(Integer::fit_signed(max));
            (fit.max(least), true)
        }
    }

    fn simd(
        &self,
        db: &Db<'a>,
        ty: Ty,
        shape: &Shape,
        variants: &IndexVec<VariantIdx, IndexVec<FieldIdx, Layout<'a>>>,
        repr: &ReprOptions,
    ) -> Res<Data> {
        let odd = || Unknown::because("a `repr(simd)` type that is no array");
        let field = shape.variants.first().and_then(|v| v.fields.first());
        let field = field.ok_or_else(odd)?;
        let TyKind::Array(element, Const::Value(n)) = db.types.kind(field.ty) else {
            return Err(odd());
        };
        if variants.raw.first().is_none_or(|f| f.len() != 1) {
            return Err(odd());
        }
        let element = self.of(db, *element)?;
        let n = u64::try_from(*n).map_err(|_| odd())?;
        self.calc
            .simd_type(Wrapped(&element), n, repr.packed())
            .map_err(|e| error(db, ty, &e))
    }
}

/// Returns true for layouts with the same fields at the same offsets.
fn alike(a: &Data, b: &Data) -> bool {
    super::same(a, b) && (0..a.fields.count()).all(|i| a.fields.offset(i) == b.fields.offset(i))
}

/// An element of a SIMD vector, in the form that the calculator requires.
#[derive(Debug)]
struct Wrapped<'l>(&'l Data);

impl AsRef<Data> for Wrapped<'_> {
    fn as_ref(&self) -> &Data {
        self.0
    }
}

/// Describes a calculator error in words.
pub(super) fn error<F>(db: &Db, ty: Ty, error: &LayoutCalculatorError<F>) -> Unknown {
    let name = db.display(ty);
    let why = match error {
        LayoutCalculatorError::UnexpectedUnsized(_) => {
            format!("`{name}` has an unsized field where none may be")
        }
        LayoutCalculatorError::SizeOverflow => format!("`{name}` is too large for the target"),
        LayoutCalculatorError::EmptyUnion => format!("union `{name}` has no fields"),
        LayoutCalculatorError::ReprConflict => format!("`{name}` has conflicting `repr`s"),
        LayoutCalculatorError::ZeroLengthSimdType
        | LayoutCalculatorError::OversizedSimdType { .. }
        | LayoutCalculatorError::NonPrimitiveSimdType(_) => {
            format!("`{name}` is no valid vector type")
        }
    };
    Unknown::Invalid(why.into())
}
