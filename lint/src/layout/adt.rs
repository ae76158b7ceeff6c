//! Structs, enums and unions: their fields as the build has them, and the calculator's answer.

use super::{Data, Layout, Layouts, repr};
use crate::ir::{AdtKind, ItemKind};
use crate::name::Name;
use crate::resolve::ty::{Const, GArg, Ty, TyKind};
use crate::resolve::types::Env;
use crate::resolve::{Db, ItemId, Res, Unknown};
use ra_ap_rustc_abi::{FieldIdx, Integer, LayoutCalculatorError, ReprOptions, VariantIdx};
use ra_ap_rustc_index::IndexVec;

/// A type's variants and fields, those that the build leaves out left out.
#[derive(Clone, Debug)]
pub struct Shape {
    /// An enum's variants, or the one body of a struct or union.
    pub variants: Vec<ShapeVariant>,
    /// It is a union.
    pub is_union: bool,
}

/// One variant.
#[derive(Clone, Debug)]
pub struct ShapeVariant {
    /// Its position in the source.
    pub index: usize,
    /// Its name; the type's own for a struct or union.
    pub name: Name,
    /// Its fields.
    pub fields: Vec<ShapeField>,
}

/// One field.
#[derive(Clone, Debug)]
pub struct ShapeField {
    /// Its position in the source.
    pub index: usize,
    /// Its name.
    pub name: Name,
    /// Its type.
    pub ty: Ty,
}

/// The variants and fields of a type for these arguments.
///
/// # Errors
/// An attribute macro may change them, or an open `cfg` decides on one.
pub fn shape(db: &Db, ty: Ty, id: ItemId, args: &[GArg]) -> Res<Shape> {
    db.trust(id)?;
    let data = db.item(id);
    let ItemKind::Adt(adt) = &data.item.kind else {
        return Err(Unknown::because("not a struct, enum or union"));
    };
    let krate = db.krate_of(data.module);
    let params = db.bind(id, args);
    let env = Env {
        module: data.module,
        params: &params,
        self_ty: Some(ty),
        item: Some(id),
    };
    let mut variants = Vec::with_capacity(adt.variants.len());
    for (index, variant) in adt.variants.iter().enumerate() {
        if !db.present(krate, &variant.attrs)? {
            continue;
        }
        let mut fields = Vec::with_capacity(variant.fields.len());
        for (index, field) in variant.fields.iter().enumerate() {
            if db.present(krate, &field.attrs)? {
                fields.push(ShapeField {
                    index,
                    name: field.name,
                    ty: db.lower(&field.ty, &env),
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

impl<'a> Layouts<'a> {
    pub(super) fn adt(&self, db: &Db<'a>, ty: Ty, id: ItemId, args: &[GArg]) -> Res<Data> {
        let dl = &self.calc.cx;
        let data = db.item(id);
        let ItemKind::Adt(item) = &data.item.kind else {
            return Err(Unknown::because("not a struct, enum or union"));
        };
        let krate = db.krate_of(data.module);
        let repr = repr::of(db, krate, data.item)?;
        if repr.phantom {
            return Ok(Data::unit(dl, true));
        }
        let mut shape = shape(db, ty, id, args)?;
        self.change(id, &mut shape);
        let mut variants: IndexVec<VariantIdx, IndexVec<FieldIdx, Layout<'a>>> = IndexVec::new();
        for variant in &shape.variants {
            let fields = variant.fields.iter().map(|f| self.of(db, f.ty));
            variants.push(fields.collect::<Res<_>>()?);
        }
        if repr.options.simd() {
            return self.simd(db, ty, &shape, &variants, &repr.options);
        }
        // rustc 1.95.0 gives an enum no room whose every variant can never be made, also where
        // `repr` names an integer; the pinned calculator, as rustc after 1.95, gives it a tag.
        let absent = |v: &IndexVec<FieldIdx, Layout>| {
            v.iter().any(|f| f.is_uninhabited()) && v.iter().all(|f| f.is_1zst())
        };
        if item.kind == AdtKind::Enum && !repr.options.c() && variants.iter().all(absent) {
            return Ok(Data::never_type(dl));
        }
        let calc = &self.calc;
        let result = match item.kind {
            AdtKind::Union => calc.layout_of_union(&repr.options, &variants),
            kind => {
                let is_enum = kind == AdtKind::Enum;
                let discriminants = match is_enum {
                    true => self.discriminants(db, id, &shape)?,
                    false => Vec::new(),
                };
                let layout = |always_sized| {
                    calc.layout_of_struct_or_enum(
                        &repr.options,
                        &variants,
                        is_enum,
                        repr.hides_niche,
                        repr.valid_range,
                        |min, max| self.tag_type(&repr.options, min, max),
                        discriminants.iter().copied(),
                        always_sized,
                    )
                };
                let unsized_ = if is_enum {
                    Ok(false)
                } else {
                    db.may_be_unsized(id)
                };
                match (unsized_, layout(true)) {
                    (Ok(false), sized) => sized,
                    (Ok(true), _) => layout(false),
                    // Which of the two is not known, and may not matter.
                    (Err(why), sized) => match (sized, layout(false)) {
                        (Ok(a), Ok(b)) if alike(&a, &b) => Ok(a),
                        _ => return Err(why),
                    },
                }
            }
        };
        result.map_err(|e| error(db, ty, &e))
    }

    /// Puts the definitions in that a question "what if" has changed.
    pub(super) fn change(&self, id: ItemId, shape: &mut Shape) {
        let what_if = self.what_if.borrow();
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
        let ItemKind::Adt(adt) = &db.item(id).item.kind else {
            return Ok(Vec::new());
        };
        let mut next = 0i128;
        let mut list = Vec::with_capacity(shape.variants.len());
        for (i, variant) in shape.variants.iter().enumerate() {
            if let Some(expr) = &adt.variants[variant.index].discriminant {
                next = db.discriminant_value(id, expr)?;
            }
            list.push((VariantIdx::from_usize(i), next));
            next = next.wrapping_add(1);
        }
        Ok(list)
    }

    /// The integer that a tag is: the smallest that fits, unless `repr` says. The range may wrap
    /// around: `min` is the first value after the largest gap, `max` the last before it.
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

/// True for layouts with the same fields at the same offsets.
fn alike(a: &Data, b: &Data) -> bool {
    super::same(a, b) && (0..a.fields.count()).all(|i| a.fields.offset(i) == b.fields.offset(i))
}

/// An element of a vector, in the form that the calculator asks for.
#[derive(Debug)]
struct Wrapped<'l>(&'l Data);

impl AsRef<Data> for Wrapped<'_> {
    fn as_ref(&self) -> &Data {
        self.0
    }
}

/// The calculator's error in words.
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
