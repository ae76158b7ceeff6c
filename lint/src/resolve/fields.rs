//! The types of fields, worked out once for each variant of a type.

use super::Db;
use super::ty::{Ty, TyKind};
use super::types::Env;
use crate::ir::{self, ItemKind};
use crate::memo::Memo;
use std::sync::Arc;

/// By type and variant.
#[derive(Default)]
pub(super) struct Fields {
    /// The types of its fields, where all of them are known.
    known: Memo<(Ty, u32), Arc<[Ty]>>,
    /// Those that were asked for where not all are, which may be so only for what is under way
    /// around the question.
    partly: Memo<(Ty, u32), ()>,
}

impl Db<'_> {
    /// The types of the fields of a variant (0 in a struct or union), those that a `cfg` takes away
    /// among them; none of what has no such variant.
    pub fn field_types(&self, ty: Ty, variant: u32) -> Arc<[Ty]> {
        // What a definition says before `impl`s have said more is another question.
        if self.walk.as_written.get() {
            return self.lower_fields(ty, variant, |fields| fields);
        }
        let key = (ty, variant);
        if let Some(found) = self.fields.known.get(&key) {
            return found;
        }
        let (found, rests) = self.recording(|| self.lower_fields(ty, variant, |fields| fields));
        let whole = found.iter().all(|ty| self.types.is_whole(*ty));
        if whole && rests.is_empty() && self.walk.opening.get() == 0 {
            return self.fields.known.keep(key, found);
        }
        self.fields.partly.keep(key, ());
        found
    }

    /// The type of one field, if those of all its fields were worked out already.
    pub(super) fn known_field(&self, ty: Ty, field: usize) -> Option<Ty> {
        if self.walk.as_written.get() {
            return None;
        }
        let known = self.fields.known.get(&(ty, 0))?;
        known.get(field).copied()
    }

    /// The type of one field; not known of what has no such field.
    pub fn type_of_field(&self, ty: Ty, variant: u32, field: u32) -> Ty {
        let at = field as usize;
        let key = (ty, variant);
        let partly =
            self.fields.known.get(&key).is_none() && self.fields.partly.get(&key).is_some();
        let found = match partly {
            // Of many that are looked at one by one each costs itself.
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
