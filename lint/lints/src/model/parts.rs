//! The fields of a type as lints about fields see them, and types with a part replaced.

use super::{Model, TypeInfo, freezing};
use crate::ir::{AdtKind, ItemKind};
use crate::layout::WhatIf;
use crate::resolve::ty::{GArg, Ty, TyKind};
use crate::span::Span;
use crate::usage::body::FieldId;
use crate::usage::types::fields_of;

/// Derives and attributes of crates that prescribe the types of fields.
const PRESCRIBED: &[&str] = &[
    "Args",
    "AsChangeset",
    "BorshDeserialize",
    "DeriveEntityModel",
    "FromPyObject",
    "FromRow",
    "Insertable",
    "Message",
    "Parser",
    "Queryable",
    "QueryableByName",
    "Selectable",
    "StructOpt",
    "Subcommand",
    "diesel",
    "pyclass",
    "wasm_bindgen",
];

/// A field. Its names are made on demand: most fields have no finding.
pub struct Part<'m> {
    /// Its identity.
    pub id: FieldId,
    /// Its type.
    pub ty: Ty,
    /// Its name in a real file.
    pub span: Span,
    /// The span of its type.
    pub ty_span: Span,
    model: &'m Model<'static>,
    info: &'m TypeInfo,
}

impl Part<'_> {
    /// Returns `field` or `Variant.field`; `Variant` for the only field of a tuple variant.
    pub fn path(&self) -> String {
        freezing::field_name(self.model, self.id)
    }

    /// Returns its name in messages: `Type::field` or `Enum::Variant::field`.
    pub fn shown(&self) -> String {
        freezing::field_path(self.model, self.id)
    }

    /// Returns true if its type is written with this word, not through an alias.
    pub fn says(&self, word: &str) -> bool {
        let source = self.model.db.sources.get(self.ty_span.file);
        source.text[self.ty_span.range()].contains(word)
    }

    /// Returns true if it is part of the public API of a published library.
    pub fn exported(&self) -> bool {
        self.model.exports(self.info, Some(&self.path()))
    }
}

impl Model<'static> {
    /// Returns true for output data: a type that can be serialized but not deserialized.
    pub fn is_output(&self, info: &TypeInfo) -> bool {
        let attrs = &self.db.item(info.item).item.attrs;
        attrs.derives("Serialize") && !attrs.derives("Deserialize")
    }

    /// Returns the fields written by an author, in order; none of a type whose field types are
    /// prescribed.
    pub fn parts<'m>(&'m self, info: &'m TypeInfo) -> Vec<Part<'m>> {
        let db = self.db;
        let data = db.item(info.item).item;
        let ItemKind::Adt(adt) = &data.kind else {
            return Vec::new();
        };
        let fixed = self.is_prescribed(info) || self.is_repr_c(info);
        if !info.written || info.kind == AdtKind::Union || fixed {
            return Vec::new();
        }
        let part = |(id, ty): (FieldId, Ty)| {
            let (_, variant, at) = id.place();
            let field = &adt.variants[variant].fields[at];
            let (span, written) = db.sources.origin(field.name_span);
            let handed = freezing::is_handed_on(&field.attrs);
            if !written || handed || db.present(info.krate, &field.attrs) == Ok(false) {
                return None;
            }
            Some(Part {
                id,
                ty,
                span,
                ty_span: field.ty_span,
                model: self,
                info,
            })
        };
        fields_of(db, info.item, info.ty).filter_map(part).collect()
    }

    /// Returns true if a derive of another crate prescribes the types of fields in this build.
    pub(super) fn is_prescribed(&self, info: &TypeInfo) -> bool {
        let attrs = self.db.item(info.item).item.attrs.list.iter();
        let mut attrs = attrs.filter(|attr| self.may_hold(info.krate, attr));
        attrs.any(|attr| {
            let listed = attr.meta.list.iter().filter_map(|m| m.path.last());
            let mut names = attr.meta.path.last().into_iter().chain(listed);
            names.any(|n| PRESCRIBED.contains(&n.as_str()))
        })
    }

    /// Replaces each `from` in a type.
    pub fn replaced(&self, ty: Ty, from: Ty, to: Ty) -> Ty {
        if ty == from {
            return to;
        }
        let types = &self.db.types;
        let within = |ty: &Ty| self.replaced(*ty, from, to);
        let kind = match types.kind(ty) {
            TyKind::Adt(id, args) => {
                let arg = |a: &GArg| match a {
                    GArg::Ty(ty) => GArg::Ty(within(ty)),
                    other => other.clone(),
                };
                TyKind::Adt(*id, args.iter().map(arg).collect())
            }
            TyKind::Tuple(list) => TyKind::Tuple(list.iter().map(within).collect()),
            TyKind::Array(element, len) => TyKind::Array(within(element), len.clone()),
            TyKind::Slice(element) => TyKind::Slice(within(element)),
            _ => return ty,
        };
        types.intern(kind)
    }
}

/// Returns the change of one field's type.
pub fn with_field(field: FieldId, ty: Ty) -> WhatIf {
    WhatIf {
        fields: [(field.place(), Some(ty))].into_iter().collect(),
    }
}
