//! Queries on types, mainly those of std, that several passes share.

use super::body::FieldId;
use crate::ir::ItemKind;
use crate::resolve::collect::mark;
use crate::resolve::ty::{GArg, Ty, TyKind};
use crate::resolve::{Db, ItemId};
use rustc_hash::FxHashSet;
use smallvec::{SmallVec, smallvec};

/// Owning pointers.
pub const OWNING: &[&str] = &["Arc", "Box", "Rc"];

/// Returns the name of a definition of std.
pub fn std_name(db: &Db<'static>, id: ItemId) -> Option<&'static str> {
    let data = db.item(id);
    let std = db.krate_of(data.module) == db.std();
    std.then(|| data.item.name.as_str())
}

/// Returns the name and arguments of a type of std.
pub fn std_parts<'d>(db: &'d Db<'static>, ty: Ty) -> Option<(&'static str, &'d [GArg])> {
    match db.types.kind(ty) {
        TyKind::Adt(id, args) => Some((std_name(db, *id)?, &args[..])),
        _ => None,
    }
}

/// Returns the name of a variant of `Option` or `Result`.
pub fn std_variant(db: &Db<'static>, ctor: (ItemId, u32)) -> Option<&'static str> {
    match (std_name(db, ctor.0)?, ctor.1) {
        ("Option", 0) => Some("None"),
        ("Option", 1) => Some("Some"),
        ("Result", 0) => Some("Ok"),
        ("Result", 1) => Some("Err"),
        _ => None,
    }
}

/// Returns true for a type of std whose declaration has one of these marks.
pub fn is_marked(db: &Db<'static>, ty: Ty, marks: &[&str]) -> bool {
    adt_of(db, ty).is_some_and(|id| is_marked_item(db, id, marks))
}

/// Returns true for a definition of std with one of these marks.
pub fn is_marked_item(db: &Db<'static>, id: ItemId, marks: &[&str]) -> bool {
    let attrs = &db.item(id).item.attrs;
    std_name(db, id).is_some() && marks.iter().any(|name| mark(attrs, name).is_some())
}

/// Marks of collections of std, which store their elements in heap blocks of their own.
pub const COLLECTIONS: &[&str] = &["list", "map", "nodes"];

/// Marks of types of std that store their contents in themselves.
pub const INLINE: &[&str] = &["cell", "inline"];

/// Returns true for a type of std that stores its contents in heap blocks of its own.
pub fn is_buffer(db: &Db<'static>, ty: Ty) -> bool {
    is_marked(db, ty, COLLECTIONS) || is_marked(db, ty, &["text"])
}

/// Returns true for the type of std of this name.
pub fn is_std(db: &Db<'static>, ty: Ty, name: &str) -> bool {
    std_parts(db, ty).is_some_and(|(of, _)| of == name)
}

/// Returns the first type argument of a type, if it is one of these types of std.
pub fn std_first(db: &Db<'static>, ty: Ty, names: &[&str]) -> Option<Ty> {
    let (name, args) = std_parts(db, ty)?;
    match args.first() {
        Some(GArg::Ty(first)) if names.contains(&name) => Some(*first),
        _ => None,
    }
}

/// Returns the definition of a struct, enum or union.
pub fn adt_of(db: &Db<'static>, ty: Ty) -> Option<ItemId> {
    match db.types.kind(ty) {
        TyKind::Adt(id, _) => Some(*id),
        _ => None,
    }
}

/// Returns true for a definition of the workspace.
pub fn is_own(db: &Db<'static>, item: ItemId) -> bool {
    db.krate(db.krate_of(db.item(item).module)).own
}

/// Returns the referent of a reference, or the type itself.
pub fn referent(db: &Db<'static>, ty: Ty) -> Ty {
    match db.types.kind(ty) {
        TyKind::Ref(inner, _) => *inner,
        _ => ty,
    }
}

/// Returns the pointee of an owning pointer.
pub fn pointee(db: &Db<'static>, ty: Ty) -> Option<Ty> {
    std_first(db, ty, OWNING)
}

/// Returns a type without its outer references.
pub fn without_refs(db: &Db<'static>, ty: Ty) -> Ty {
    let mut ty = ty;
    while let TyKind::Ref(inner, _) = db.types.kind(ty) {
        ty = *inner;
    }
    ty
}

/// Returns a type without its outer references, `Option`s, `Result`s and pointers.
pub fn bare(db: &Db<'static>, ty: Ty) -> Ty {
    const AROUND: &[&str] = &["Arc", "Box", "Cow", "Option", "Rc", "Result"];
    let mut ty = ty;
    for _ in 0..8 {
        ty = match db.types.kind(ty) {
            TyKind::Ref(inner, _) => *inner,
            _ => match std_first(db, ty, AROUND) {
                Some(inner) => inner,
                None => return ty,
            },
        };
    }
    ty
}

/// Returns the types that a type is composed of: its type arguments, elements or referent.
pub fn inner(db: &Db<'static>, ty: Ty) -> SmallVec<[Ty; 2]> {
    match db.types.kind(ty) {
        TyKind::Ref(ty, _) | TyKind::Ptr(ty, _) | TyKind::Slice(ty) | TyKind::Array(ty, _) => {
            smallvec![*ty]
        }
        TyKind::Tuple(list) => SmallVec::from_slice(list),
        TyKind::Adt(_, args) => types_of(args).collect(),
        _ => SmallVec::new(),
    }
}

/// Returns true if a type, or one that it is composed of at any depth, is of a kind.
pub fn any_part(db: &Db<'static>, ty: Ty, is: &dyn Fn(Ty) -> bool) -> bool {
    let (mut seen, mut queue) = (FxHashSet::default(), vec![ty]);
    while let Some(ty) = queue.pop() {
        if is(ty) {
            return true;
        }
        queue.extend(inner(db, ty).into_iter().filter(|part| seen.insert(*part)));
    }
    false
}

/// Displays a type, as a reference if it is the referent of `whole`.
pub fn as_lent(db: &Db<'static>, whole: Ty, ty: Ty) -> String {
    match db.types.kind(whole) {
        TyKind::Ref(inner, _) if *inner == ty => db.display(whole),
        _ => db.display(ty),
    }
}

/// Returns true if a type implements the trait of std at a path.
pub fn implements(db: &Db<'static>, ty: Ty, path: [&'static str; 3]) -> bool {
    let Some(of) = db.std_trait(path) else {
        return false;
    };
    db.implements(ty, of)
}

/// Returns true for an unknown type or an inference variable.
pub fn is_open(db: &Db<'static>, ty: Ty) -> bool {
    matches!(db.types.kind(ty), TyKind::Unknown(_) | TyKind::Infer(_))
}

/// Returns true if an inferred type equals another, or may once its unknown parts and generic
/// parameters are known.
pub fn may_be(db: &Db<'static>, found: Ty, other: Ty) -> bool {
    if found == other {
        return true;
    }
    let (a, b) = (db.types.kind(found), db.types.kind(other));
    let is_unknown = |kind: &TyKind| {
        matches!(
            kind,
            TyKind::Param(..) | TyKind::Proj(..) | TyKind::Infer(_) | TyKind::Unknown(_)
        )
    };
    let of = |ty| inner(db, ty).into_iter();
    match (a, b) {
        _ if is_unknown(a) || is_unknown(b) => true,
        (TyKind::Adt(a, _), TyKind::Adt(b, _)) if a != b => false,
        (TyKind::Prim(_), TyKind::Prim(_)) => false,
        _ => {
            let mut pairs = of(found).zip(of(other));
            std::mem::discriminant(a) == std::mem::discriminant(b)
                && pairs.all(|(a, b)| may_be(db, a, b))
        }
    }
}

/// Returns true for a type that is known to be sized: no trait object, slice or string slice, and
/// not unknown.
pub fn is_plain(db: &Db<'static>, ty: Ty) -> bool {
    use crate::resolve::ty::Prim;
    match db.types.kind(ty) {
        TyKind::Param(_, sized, _) => *sized,
        TyKind::Prim(Prim::Str)
        | TyKind::Dyn(..)
        | TyKind::Slice(_)
        | TyKind::Foreign(_)
        | TyKind::Proj(..)
        | TyKind::Infer(_)
        | TyKind::Unknown(_) => false,
        TyKind::Adt(..) => match std_parts(db, ty) {
            Some((name, _)) => !["CStr", "OsStr", "Path"].contains(&name),
            None => true,
        },
        _ => true,
    }
}

/// The types of fields, by variant; those of a small struct take no allocation.
pub type FieldTypes = SmallVec<[SmallVec<[Ty; 4]>; 1]>;

/// Returns the types of the fields of each variant of a type.
pub fn field_types(db: &Db<'static>, ty: Ty) -> FieldTypes {
    let TyKind::Adt(id, _) = db.types.kind(ty) else {
        return SmallVec::new();
    };
    let ItemKind::Adt(adt) = &db.item(*id).item.kind else {
        return SmallVec::new();
    };
    let variants = 0..adt.variants.len() as u32;
    let fields = variants.map(|variant| SmallVec::from_slice(&db.field_types(ty, variant)));
    fields.collect()
}

/// Returns the types among generic arguments.
pub fn types_of(args: &[GArg]) -> impl Iterator<Item = Ty> {
    args.iter().filter_map(|a| match a {
        GArg::Ty(ty) => Some(*ty),
        GArg::Const(_) => None,
    })
}

/// Iterates over the fields of the type that `item` defines, with their types.
pub fn fields_of(db: &Db<'static>, item: ItemId, ty: Ty) -> impl Iterator<Item = (FieldId, Ty)> {
    let variants = field_types(db, ty).into_iter().enumerate();
    variants.flat_map(move |(variant, types)| {
        let field = move |(at, ty)| (FieldId::new(item, variant, at), ty);
        types.into_iter().enumerate().map(field)
    })
}
