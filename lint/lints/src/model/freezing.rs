//! The fixed-size type of a growable field, and what constrains the field's type.

mod together;
mod written;

pub use together::Together;

use super::{Model, TypeInfo};
use crate::finding::{Change, Evidence, Label};
use crate::ir::{self, AdtKind, ItemKind, Lit, Vis};
use crate::layout::WhatIf;
use crate::name::Name;
use crate::resolve::ty::{Prim, Ty, TyKind};
use crate::resolve::{Def, ItemId, Ns};
use crate::span::Span;
use crate::usage::body::FieldId;
use crate::usage::buffers::{Buffer, Edit, KINDS, Use};
use crate::usage::types::std_first;
use std::collections::{BTreeMap, BTreeSet};

/// Derives that accept a boxed slice wherever they accept a buffer.
const DERIVES: &[&str] = &[
    "Clone",
    "Debug",
    "Default",
    "Deserialize",
    "Display",
    "Eq",
    "Error",
    "Hash",
    "Ord",
    "PartialEq",
    "PartialOrd",
    "Serialize",
];

/// Types that a derive must handle both of: a buffer of plain parts, and its frozen form.
const PAIRS: &[[&str; 2]] = &[
    ["crate::vec::Vec<u8>", "crate::boxed::Box<[u8]>"],
    ["crate::string::String", "crate::boxed::Box<str>"],
];

/// Attributes that do not depend on a field's type.
const ATTRIBUTES: &[&str] = &[
    "allow",
    "archive",
    "archive_attr",
    "cfg",
    "cold",
    "default",
    "deprecated",
    "derive",
    "doc",
    "error",
    "expect",
    "get_size",
    "must_use",
    "non_exhaustive",
    "repr",
    "rkyv",
    "schemars",
    "serde",
    "source",
    "warn",
];

/// Keys of serde and similar derives that name a function for a field, which fixes its type.
const SERDE: &[&str] = &[
    "as",
    "borrow",
    "deserialize_with",
    "flatten",
    "from",
    "getter",
    "into",
    "remote",
    "schema_with",
    "serialize_with",
    "size_fn",
    "try_from",
    "with",
];

/// A type that cannot grow.
#[derive(Clone, Debug)]
pub struct Frozen {
    /// The field that gets it.
    pub field: FieldId,
    /// The field's whole type after the change.
    pub ty: Ty,
    /// That type as an author would write it.
    pub text: String,
}

impl Model<'static> {
    /// Returns the type that holds the same as a buffer and cannot grow.
    pub fn frozen(&self, buffer: &Buffer) -> Option<Frozen> {
        self.frozen_field(buffer.field, (buffer.ty, buffer.inner), buffer.kind)
    }

    /// Returns the type for a field of this type that holds the same as the buffer inside it, given
    /// the buffer's type and name.
    pub fn frozen_field(
        &self,
        field: FieldId,
        (whole, inner): (Ty, Ty),
        kind: &str,
    ) -> Option<Frozen> {
        let boxed = self.boxed_slice(inner, kind)?;
        let ty = self.replaced(whole, inner, boxed);
        let (_, as_written) = written(self, field)?;
        let text = written::frozen(&self.db.sources, as_written, kind);
        Some(Frozen {
            field,
            ty,
            text: text.unwrap_or_else(|| self.db.display(ty)),
        })
    }

    /// Returns the box of the contents of a growable type of std, given its name.
    pub fn boxed_slice(&self, growable: Ty, name: &str) -> Option<Ty> {
        Some(self.boxed(self.unsized_twin(growable, name)?))
    }

    /// Returns the unsized contents of a growable type of std, given its name: `str` for `String`.
    pub fn unsized_twin(&self, growable: Ty, name: &str) -> Option<Ty> {
        let db = self.db;
        let inside = match name {
            "Vec" => {
                let element = std_first(db, growable, &["Vec"])?;
                db.types.intern(TyKind::Slice(element))
            }
            "String" => db.types.prim(Prim::Str),
            "PathBuf" => self.std_type("crate::path::Path")?,
            "OsString" => self.std_type("crate::ffi::OsStr")?,
            "CString" => self.std_type("crate::ffi::CStr")?,
            _ => return None,
        };
        Some(inside)
    }
}

/// Returns the change that gives these fields their frozen types.
pub fn change(frozen: &[(&Buffer, Frozen)]) -> WhatIf {
    let fields = frozen.iter().map(|(_, f)| (f.field.place(), Some(f.ty)));
    WhatIf {
        fields: fields.collect(),
    }
}

/// Returns the fields that get other types, where each buffer is the whole field, or inside an
/// `Option`.
pub fn changes<'b>(
    model: &Model<'static>,
    buffers: impl Iterator<Item = &'b Buffer>,
) -> Vec<Change> {
    let change = |b: &Buffer| {
        let (_, field) = written(model, b.field)?;
        let span = field.ty_span;
        let optional = || std_first(model.db, b.ty, &["Option"]) == Some(b.inner);
        match b.ty == b.inner {
            true => Some(Change::Frozen(span)),
            false => optional().then_some(Change::FrozenInside(span)),
        }
    };
    let changes: Option<Vec<_>> = buffers.map(change).collect();
    changes.unwrap_or_default()
}

/// Keys of attributes of a type that name a type or function, but none of a field.
const CONVERTS: &[&str] = &["from", "into", "try_from"];

/// Returns true unless something outside determines the types of the fields: a `repr`, or a derive
/// or an attribute of this build that names them.
pub fn is_free(model: &Model<'static>, info: &TypeInfo) -> bool {
    let active = |a: &&ir::Attr| model.may_hold(info.krate, a);
    let mut attrs = model
        .db
        .item(info.item)
        .item
        .attrs
        .list
        .iter()
        .filter(active);
    is_laid_out_freely(model, info)
        && !model.is_prescribed(info)
        && attrs.all(|attr| match named(&attr.meta, &["derive"]) {
            true => attr.meta.list.iter().all(|m| may_derive(model, info, m)),
            false => !names_a_field(model, attr),
        })
}

/// Returns true if an attribute of a type hands a field on, or names the type of one.
fn names_a_field(model: &Model<'static>, attr: &ir::Attr) -> bool {
    let text = model.db.sources.text(attr.meta.tokens);
    let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    let handed = |m: &ir::Meta| named(m, SERDE) && !named(m, CONVERTS);
    attr.meta.list.iter().any(handed) || words.any(|word| KINDS.contains(&word))
}

/// Returns true unless a derive is of a trait that fields have and would lose.
fn may_derive(model: &Model<'static>, info: &TypeInfo, derive: &ir::Meta) -> bool {
    is_listed(derive)
        || match trait_of(model, info, &derive.path) {
            Ok(Some(of)) => PAIRS.iter().all(|[buffer, boxed]| {
                has(model, buffer, of) == Some(false) || has(model, boxed, of) == Some(true)
            }),
            // It adds functions of its own.
            Ok(None) => true,
            Err(()) => false,
        }
}

/// Returns true if only the author determines the types of the fields, in any build.
pub fn is_surely_free(model: &Model<'static>, info: &TypeInfo) -> bool {
    let item = model.db.item(info.item).item;
    let plain = item.attrs.list.iter().all(|a| is_plain_attribute(&a.meta));
    let mut derived = item.attrs.derived();
    plain && is_laid_out_freely(model, info) && derived.all(|m| is_plain_derive(model, info, m))
}

/// Returns true for a type of an author's, without a `repr` that other code relies on.
fn is_laid_out_freely(model: &Model<'static>, info: &TypeInfo) -> bool {
    let attrs = model.db.item(info.item).item.attrs.list.iter();
    let repr = attrs.filter(|a| named(&a.meta, &["repr"]));
    let fixed = |m: &ir::Meta| named(m, &["C", "transparent", "packed", "simd"]);
    let written = info.written && info.certain && info.kind != AdtKind::Union;
    written && !repr.flat_map(|a| &a.meta.list).any(fixed)
}

/// Returns true for a derive that accepts a boxed slice wherever it accepts a buffer.
pub fn is_plain_derive(model: &Model<'static>, info: &TypeInfo, derive: &ir::Meta) -> bool {
    is_listed(derive) || goes_by_trait(model, info, &derive.path)
}

fn is_listed(derive: &ir::Meta) -> bool {
    let last = derive.path.last();
    last.is_some_and(|n| DERIVES.contains(&n.as_str()))
}

/// Returns true for a derive of a trait that buffers and boxed slices both have: it requires the
/// trait of each field and nothing else.
fn goes_by_trait(model: &Model<'static>, info: &TypeInfo, derive: &[Name]) -> bool {
    let Ok(Some(of)) = trait_of(model, info, derive) else {
        return false;
    };
    let mut types = PAIRS.iter().flatten();
    types.all(|ty| has(model, ty, of) == Some(true))
}

/// Returns the trait that has a derive's path; an error if that is not known.
fn trait_of(
    model: &Model<'static>,
    info: &TypeInfo,
    derive: &[Name],
) -> Result<Option<ItemId>, ()> {
    let db = model.db;
    let module = db.item(info.item).module;
    match db.resolve(module, false, derive, Ns::Type).map_err(drop)? {
        Some(found) => match found.def {
            Def::Item(of) if matches!(db.item(of).item.kind, ItemKind::Trait(_)) => Ok(Some(of)),
            _ => Ok(None),
        },
        None => Ok(None),
    }
}

/// Returns whether a type of std has a trait, if that is known.
fn has(model: &Model<'static>, ty: &str, of: ItemId) -> Option<bool> {
    let found = model.db.find_impl(model.std_type(ty)?, of, &[]);
    found.ok().map(|i| i.is_some())
}

/// Returns true if neither an attribute nor a derive requires the field's current type.
pub fn may_change(model: &Model<'static>, buffer: &Buffer) -> bool {
    let item = model.db.item(buffer.field.adt).item;
    let default = item.attrs.derives("Default");
    // `Box<Path>` has no default.
    let without = default && buffer.kind == "PathBuf" && buffer.ty == buffer.inner;
    !without && is_plain(model, buffer.field)
}

/// Returns true for a field that is certainly present and has no attribute of this build that
/// depends on its type.
pub fn is_plain(model: &Model<'static>, field: FieldId) -> bool {
    let krate = model.db.krate_of(model.db.item(field.adt).module);
    let plain = |a: &ir::Attr| {
        let words = a.meta.list.iter().all(|m| is_word(m) && !named(m, SERDE));
        !model.may_hold(krate, a) || is_plain_attribute(&a.meta) || words && !a.meta.list.is_empty()
    };
    has_attributes(model, field, plain)
}

/// Returns true for a name alone, which hands nothing on.
fn is_word(meta: &ir::Meta) -> bool {
    meta.path.len() == 1 && meta.value.is_none() && meta.list.is_empty()
}

/// Returns true for a field that is certainly present and has no attribute that depends on its
/// type in any build; ignores an attribute of this name.
pub fn is_surely_plain(model: &Model<'static>, field: FieldId, besides: &str) -> bool {
    let plain = |a: &ir::Attr| is_plain_attribute(&a.meta) || named(&a.meta, &[besides]);
    has_attributes(model, field, plain)
}

/// Returns true for a field that is certainly present, if all attributes on it are of a kind.
fn has_attributes(model: &Model<'static>, field: FieldId, of: impl Fn(&ir::Attr) -> bool) -> bool {
    let ItemKind::Adt(adt) = &model.db.item(field.adt).item.kind else {
        return false;
    };
    let Some((variant, field)) = written(model, field) else {
        return false;
    };
    let mut attrs = variant.attrs.list.iter().chain(&field.attrs.list);
    // Another variant of the name may be there in other builds.
    let is_present = variant.attrs.cfg.is_none() || adt.is_single(variant);
    let certain = field.attrs.cfg.is_none() && is_present;
    certain && attrs.all(of)
}

/// Returns a field's declaration, with its variant.
fn written<'m>(model: &Model<'m>, field: FieldId) -> Option<(&'m ir::Variant, &'m ir::Field)> {
    let ItemKind::Adt(adt) = &model.db.item(field.adt).item.kind else {
        return None;
    };
    let variant = adt.variants.get(field.variant as usize)?;
    Some((variant, variant.fields.get(field.field as usize)?))
}

/// Returns the span of a field's type.
pub fn ty_span(model: &Model<'static>, field: FieldId) -> Option<Span> {
    Some(written(model, field)?.1.ty_span)
}

/// Returns true for an attribute, or an argument of one, of one of these names.
pub fn named(meta: &ir::Meta, names: &[&str]) -> bool {
    let last = meta.path.last().map(|n| n.as_str());
    meta.path.len() == 1 && last.is_some_and(|n| names.contains(&n))
}

/// Returns true for an attribute that does not depend on a field's type.
pub fn is_plain_attribute(meta: &ir::Meta) -> bool {
    named(meta, ATTRIBUTES)
        && (named(meta, &["derive"]) || !meta.list.iter().any(|m| named(m, SERDE)))
        || meta
            .path
            .first()
            .is_some_and(|n| *n == "rustfmt" || *n == "clippy")
}

/// Returns true if an attribute passes the field to a function or a type, which fixes the field's
/// type.
pub fn is_handed_on(attrs: &ir::Attrs) -> bool {
    let metas = attrs.list.iter().map(|a| &a.meta);
    let helpers = metas.filter(|m| !named(m, &["derive"]));
    helpers.flat_map(|m| &m.list).any(|m| named(m, SERDE))
}

/// Returns true if other packages can use a field by name.
pub fn is_exported(model: &Model<'static>, info: &TypeInfo, field: FieldId) -> bool {
    let open = |(_, f): (_, &ir::Field)| info.kind == AdtKind::Enum || f.vis == Vis::Public;
    written(model, field).is_some_and(open) && model.exports(info, None)
}

/// Returns the span of a field's name in a real file; of its type if a macro wrote it.
pub fn field_span(model: &Model<'static>, info: &TypeInfo, field: FieldId) -> Span {
    let origin = |(_, f): (_, &ir::Field)| model.db.sources.origin(f.name_span);
    match written(model, field).map(origin) {
        Some((span, true)) => span,
        _ => info.span,
    }
}

/// The labels of a finding about several fields of a type.
pub struct Marks {
    /// The first field.
    pub primary: Label,
    /// The other fields, without duplicates, then the type.
    pub secondary: Vec<Label>,
    /// The spans of the other fields.
    pub claims: Vec<Span>,
}

/// Labels fields of a type whose values have this many bytes; `None` without a field.
pub fn marks(
    info: &TypeInfo,
    before: Option<u64>,
    fields: impl Iterator<Item = Label>,
) -> Option<Marks> {
    let mut fields = fields;
    let primary = fields.next()?;
    let mut secondary: Vec<Label> = fields.filter(|l| l.span != primary.span).collect();
    secondary.dedup_by_key(|l| l.span);
    let claims = secondary.iter().map(|l| l.span).collect();
    if let Some(before) = before
        && primary.span != info.span
    {
        secondary.push(Label::new(info.span, format!("{before} bytes a value")));
    }
    Some(Marks {
        primary,
        secondary,
        claims,
    })
}

/// Returns `field`, or `Variant.field` in an enum, or `Variant` for the only field of a tuple
/// variant.
pub fn field_name(model: &Model<'static>, field: FieldId) -> String {
    let kind = &model.db.item(field.adt).item.kind;
    let is_enum = matches!(kind, ItemKind::Adt(adt) if adt.kind == AdtKind::Enum);
    match written(model, field) {
        Some((variant, _))
            if is_enum && variant.fields.len() == 1 && variant.style == ir::Style::Tuple =>
        {
            variant.name.to_string()
        }
        Some((variant, field)) if is_enum => format!("{}.{}", variant.name, field.name),
        Some((_, field)) => field.name.to_string(),
        None => String::new(),
    }
}

/// Returns a field's name in messages: `Type::field` or `Enum::Variant::field`.
pub fn field_path(model: &Model<'static>, field: FieldId) -> String {
    let item = model.db.item(field.adt).item;
    let is_enum = matches!(&item.kind, ItemKind::Adt(adt) if adt.kind == AdtKind::Enum);
    match written(model, field) {
        Some((variant, of)) if is_enum => format!("{}::{}::{}", item.name, variant.name, of.name),
        Some((_, of)) => format!("{}::{}", item.name, of.name),
        None => item.name.to_string(),
    }
}

/// Finds an attribute of a field that names a function of the growable type, which must change too.
pub fn attribute(model: &Model<'static>, buffer: &Buffer) -> Option<Evidence> {
    let (_, field) = written(model, buffer.field)?;
    let metas = field.attrs.list.iter().flat_map(|a| &a.meta.list);
    let of = format!("{}::", buffer.kind);
    let mut named = metas.filter_map(|m| match (&m.value, m.path.last()) {
        (Some(Lit::Str(path)), Some(key)) if path.contains(&of) => Some((key, path)),
        _ => None,
    });
    let (key, path) = named.next()?;
    Some(model.evidence(
        field.name_span,
        format!("also to change: `{key}` names `{path}`"),
    ))
}

/// Describes the places that must change, or may have to, if fields cannot grow.
pub fn edits<'u>(model: &Model<'static>, uses: impl Iterator<Item = &'u Use>) -> Option<Evidence> {
    let (guessed, sure): (Vec<_>, Vec<_>) = uses
        .filter(|u| u.edit == Edit::Yes && !u.aside)
        .partition(|u| u.guessed);
    let places = match (lines(model, &sure), lines(model, &guessed)) {
        (sure, guessed) if sure.is_empty() && guessed.is_empty() => return None,
        (sure, guessed) if guessed.is_empty() => format!(": {sure}"),
        (sure, guessed) if sure.is_empty() => format!(", possibly: {guessed}"),
        (sure, guessed) => format!(": {sure}, and possibly {guessed}"),
    };
    // Only selected crates are read, and a library as its dependents build it.
    let project = model.db.project;
    let mut selected = project.selected.iter();
    let aside = match selected.any(|&id| project.krate(id).kind.is_test()) {
        true => "unit tests",
        false => "tests",
    };
    Some(Evidence {
        span: None,
        text: format!("places to change ({aside} excluded){places}"),
    })
}

/// Formats the places of uses: files in order, each with its lines.
fn lines(model: &Model<'static>, uses: &[&Use]) -> String {
    let mut files: BTreeMap<std::path::PathBuf, BTreeSet<(usize, usize)>> = BTreeMap::new();
    for u in uses {
        let (span, _) = model.db.sources.origin(u.span);
        let file = model.db.sources.get(span.file);
        let (from, _) = file.line_col(span.start);
        let (to, _) = file.line_col(span.end);
        let lines = files.entry(file.path.clone()).or_default();
        lines.insert((from, to));
    }
    let root = &model.db.project.workspace_root;
    let each = files.iter().map(|(file, lines)| {
        let file = file
            .strip_prefix(root)
            .unwrap_or(file)
            .display()
            .to_string();
        let lines = lines.iter().map(|(from, to)| match from == to {
            true => from.to_string(),
            false => format!("{from}-{to}"),
        });
        let lines: Vec<_> = lines.collect();
        format!("{}:{}", file.replace('\\', "/"), lines.join(","))
    });
    each.collect::<Vec<_>>().join(" ")
}
