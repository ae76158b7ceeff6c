//! Types of fields, resolved once per variant of a type.

use super::Db;
use super::doubt::Answers;
use super::ty::{Ty, TyKind};
use super::types::Env;
use crate::ir::{self, ItemKind};
use crate::memo::Memo;
use std::sync::Arc;

/// Field types by type and variant.
#[derive(Default)]
pub(super) struct Fields {
    /// The types of all fields, if each is fully known.
    known: Answers<(Ty, u32), Arc<[Ty]>>,
    /// Variants whose types were requested and not all known, which may hold only for the query in
    /// progress.
    partly: Memo<(Ty, u32), ()>,
}

impl Db<'_> {
    /// Returns the types of a variant's fields (0 for a struct or union), including fields that a
    /// `cfg` removes; empty if there is no such variant.
    pub fn field_types(&self, ty: Ty, variant: u32) -> Arc<[Ty]> {
        // Unnormalized field types are not cached.
        if self.walk.as_written.get() {
            return self.lower_fields(ty, variant, |fields| fields);
        }
        let key = (ty, variant);
        if let Some(found) = self.fields.known.get(self, &key) {
            return found;
        }
        let (found, rests) = self.recording(|| self.lower_fields(ty, variant, |fields| fields));
        let whole = found.iter().all(|ty| self.types.is_whole(*ty));
        if whole && rests.cfgs.is_empty() && self.walk.opening.get() == 0 {
            return self.fields.known.keep(key, found, &rests);
        }
        self.fields.partly.keep(key, ());
        found
    }

    /// Returns the type of a field, if the types of all fields are cached.
    pub(super) fn known_field(&self, ty: Ty, field: usize) -> Option<Ty> {
        if self.walk.as_written.get() {
            return None;
        }
        let known = self.fields.known.get(self, &(ty, 0))?;
        known.get(field).copied()
    }

    /// Returns the type of a field; unknown if there is no such field.
    pub fn type_of_field(&self, ty: Ty, variant: u32, field: u32) -> Ty {
        let at = field as usize;
        let key = (ty, variant);
        let partly =
            self.fields.known.get(self, &key).is_none() && self.fields.partly.get(&key).is_some();
        let found = match partly {
            // Resolves this field only, so that a scan of many stays linear.
            true => self
                .lower_fields(ty, variant, |fields| fields.get(at..=at).unwrap_or(&[]))
                .first()
                .copied(),
            false => self.field_types(ty, variant).get(at).copied(),
        };
        found.unwrap_or_else(|| self.unknown("there is no such field"))
    }

    fn lower_fields(
        &self,
        ty: Ty,
        variant: u32,
        which: impl Fn(&[ir::Field]) -> &[ir::Field],
    ) -> Arc<[Ty]> {
        let TyKind::Adt(id, args) = self.types.kind(ty) else {
            return Arc::default();
        };
        let data = self.item(*id);
        let ItemKind::Adt(adt) = &data.item.kind else {
            return Arc::default();
        };
        let Some(variant) = adt.variants.get(variant as usize) else {
            return Arc::default();
        };
        let params = self.bind(*id, args);
        let env = Env {
            module: data.module,
            params: &params,
            self_ty: Some(ty),
            item: Some(*id),
        };
        let fields = which(&variant.fields).iter();
        fields.map(|f| self.lower(&f.ty, &env)).collect()
    }
}
