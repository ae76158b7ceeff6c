//! Which variants appear rare and which common.

use super::Context;
use super::words::count;
use crate::finding::Evidence;
use crate::ir::ItemKind;
use crate::layout::view::VariantView;
use crate::model::TypeInfo;
use crate::resolve::ty::{Prim, Ty, TyKind};
use crate::resolve::{Db, ItemId};
use crate::usage::types::{adt_of, field_types, fields_of, is_std, std_first, types_of};
use crate::usage::variants::Uses;

/// Maximum depth of structs around an array.
const DEEPEST_STORE: u32 = 3;

/// The frequency of one variant compared with the others.
pub struct Frequency {
    /// Most places build it, those for errors apart.
    pub common: bool,
    /// Evidence that it is rare, or common.
    pub evidence: Vec<Evidence>,
}

/// Returns how many places construct one of some variants, and any variant, of an enum with the
/// instance `ty`.
pub fn built(cx: &Context, info: &TypeInfo, ty: Ty, variants: &[&VariantView]) -> (usize, usize) {
    let made = |v: usize| {
        let uses = cx.variants().of(info.item, v as u32);
        uses.map_or(0, |u| u.of(cx.model.db, ty).made())
    };
    let own = variants.iter().map(|v| made(v.index)).sum();
    (own, (0..count_of(cx, info)).map(made).sum())
}

/// Returns false for a variant that stores data inline on purpose, or that a constant constructs,
/// where no box can be created.
pub fn may_be_boxed(cx: &Context, info: &TypeInfo, variant: &VariantView) -> bool {
    let uses = cx.variants().of(info.item, variant.index as u32);
    let mut built = uses.into_iter().flat_map(|u| &u.built);
    !built.any(|b| b.constant && !b.site.aside) && !is_inline_store(cx, info, variant)
}

/// Returns true for a variant that stores a few items inline to avoid an allocation: an array of
/// the items of which another variant holds a `Vec` or slice, or of bytes where that holds a text.
fn is_inline_store(cx: &Context, info: &TypeInfo, variant: &VariantView) -> bool {
    let db = cx.model.db;
    let fields = variant.fields.iter();
    let arrays: Vec<Ty> = fields.filter_map(|f| array_items(db, f.ty, 0)).collect();
    let others = fields_of(db, info.item, info.ty);
    let mut others = others.filter(|(id, _)| id.variant as usize != variant.index);
    let of_bytes = arrays.contains(&db.types.prim(Prim::U8));
    let holds = |of: Ty| match db.types.kind(of) {
        TyKind::Slice(element) => arrays.contains(element),
        TyKind::Prim(Prim::Str) => of_bytes,
        _ => arrays.contains(&of),
    };
    !arrays.is_empty()
        && others.any(|(_, ty)| match db.types.kind(ty) {
            TyKind::Adt(_, args) => {
                types_of(args).any(holds) || of_bytes && is_std(db, ty, "String")
            }
            _ => false,
        })
}

/// Returns the items of an array, or of a struct of one array and numbers that count the used
/// items.
fn array_items(db: &Db<'static>, ty: Ty, depth: u32) -> Option<Ty> {
    if let Some(inner) = std_first(db, ty, &["MaybeUninit", "ManuallyDrop"]) {
        return array_items(db, inner, depth);
    }
    match db.types.kind(ty) {
        TyKind::Array(element, _) => {
            let inner = std_first(db, *element, &["MaybeUninit"]);
            Some(inner.unwrap_or(*element))
        }
        TyKind::Adt(..) if depth < DEEPEST_STORE => {
            let [fields] = &field_types(db, ty)[..] else {
                return None;
            };
            let (numbers, rest): (Vec<Ty>, Vec<Ty>) = fields
                .iter()
                .partition(|ty| matches!(db.types.kind(**ty), TyKind::Prim(_)));
            match (&rest[..], numbers.len()) {
                ([one], ..=2) => array_items(db, *one, depth + 1),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Returns the variants of other enums that only wrap this one: a box there would be one for each
/// value.
pub fn passed_on(cx: &Context, info: &TypeInfo) -> Vec<Evidence> {
    let db = cx.model.db;
    let types = cx.model.types();
    let mut found = Vec::new();
    for &holder in cx.holders().of(info.item) {
        let holder = &types[holder];
        let (ItemKind::Adt(adt), Ok(view)) =
            (&db.item(holder.item).item.kind, cx.model.view(holder.ty))
        else {
            continue;
        };
        for variant in &view.variants {
            if let [field] = &variant.fields[..]
                && adt_of(db, field.ty) == Some(info.item)
                && view.variants.len() > 1
            {
                let name = db.item(info.item).item.name;
                let outer = db.item(holder.item).item.name;
                let text = format!(
                    "a box in `{outer}::{}`, which holds `{name}`, would cost each `{name}` an \
                     allocation",
                    variant.name
                );
                let span = adt.variants[variant.index].name_span;
                found.push(cx.model.evidence(span, text));
            }
        }
    }
    found.truncate(2);
    found
}

/// Finds where the variants of an enum, with the instance `ty`, are constructed.
pub fn frequency(cx: &Context, info: &TypeInfo, ty: Ty, variant: &VariantView) -> Frequency {
    let name = variant.name;
    let uses = |v: usize| {
        let uses = cx.variants().of(info.item, v as u32)?;
        Some(uses.of(cx.model.db, ty))
    };
    let all = (0..count_of(cx, info)).map(|v| uses(v).unwrap_or_default());
    let all: Vec<Uses> = all.collect();
    let total: usize = all.iter().map(Uses::made).sum();
    let loops: usize = all.iter().map(Uses::made_in_loops).sum();
    let this = &all[variant.index];
    let (own, own_loops) = (this.made(), this.made_in_loops());
    let first = |looped: bool| {
        let built = this.built.iter().filter(|b| !b.site.aside);
        let mut built = built.filter(|b| !looped || b.site.loops > 0);
        built
            .next()
            .map(|b| cx.model.db.sources.origin(b.site.span).0)
    };
    // If loops construct only one variant, most values have it.
    let in_loops = own_loops > 0 && own_loops * 2 > loops;
    // A conversion is called from many places.
    let asked = |u: &Uses| {
        let mut built = u.built.iter().filter(|b| !b.site.aside).peekable();
        built.peek().is_some() && built.all(|b| converts(cx, b.site.function))
    };
    // That of an error is called where something fails.
    let of_error = variant.fields.iter().any(|f| is_error(cx, f.ty));
    let converted = !of_error && asked(this) && all.iter().filter(|u| asked(u)).count() == 1;
    let errors = this.only_in_errors();
    let places = count(total, "place");
    let (span, text) = match () {
        () if total == 0 => (
            None,
            "no place that builds it was found (what macros in functions expand to is not read)"
                .to_owned(),
        ),
        () if own == 0 => (
            None,
            format!("nothing in the code read builds `{name}`, {places} build other variants"),
        ),
        () if errors => (first(false), format!("`{name}` is built only for errors")),
        () if converted => {
            let text = format!("`{name}` is the only variant that `From` builds");
            (first(false), text)
        }
        () if in_loops => (first(true), format!("`{name}` is built in a loop")),
        () if own == total => {
            let text = format!("`{name}` is the only variant that is built");
            (first(false), text)
        }
        () => (
            first(false),
            format!("`{name}` is built at {own} of {places}"),
        ),
    };
    Frequency {
        common: !errors && own * 2 > total,
        evidence: vec![Evidence { span, text }],
    }
}

fn is_error(cx: &Context, ty: Ty) -> bool {
    let is_own = |info| cx.model.is_error(info);
    adt_of(cx.model.db, ty)
        .is_some_and(|item| cx.errors().contains(&item) || cx.model.info(item).is_some_and(is_own))
}

/// Returns true for the function of an `impl From`.
fn converts(cx: &Context, function: ItemId) -> bool {
    let owner = cx.usage().body(function).and_then(|b| b.function.owner);
    let of = owner.map(|owner| &cx.model.db.item(owner).item.kind);
    let Some(ItemKind::Impl(imp)) = of else {
        return false;
    };
    let of = imp.trait_.as_ref();
    of.is_some_and(|path| path.last_name() == "From")
}

/// Returns the number of variants of an enum.
pub fn count_of(cx: &Context, info: &TypeInfo) -> usize {
    match &cx.model.db.item(info.item).item.kind {
        ItemKind::Adt(adt) => adt.variants.len(),
        _ => 0,
    }
}
