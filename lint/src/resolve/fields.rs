//! The types of fields, worked out once for each variant of a type.

use super::Db;
use super::ty::{Ty, TyKind};
use super::types::Env;
use crate::ir::{self, ItemKind};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::rc::Rc;

/// By type and variant: the types of its fields; `None` where not all of them are known, which may
/// be so only for what is under way around the question.
pub(super) type Fields = RefCell<FxHashMap<(Ty, u32), Option<Rc<[Ty]>>>>;

impl Db<'_> {
    /// The types of the fields of a variant (0 in a struct or union), those that a `cfg` takes away
    /// among them; none of what has no such variant.
    pub fn field_types(&self, ty: Ty, variant: u32) -> Rc<[Ty]> {
        // What a definition says before `impl`s have said more is another question.
        if self.as_written.get() {
            return self.lower_fields(ty, variant, |fields| fields);
        }
        let key = (ty, variant);
        if let Some(Some(found)) = self.fields.borrow().get(&key) {
            return found.clone();
        }
        let (found, rests) = self.recording(|| self.lower_fields(ty, variant, |fields| fields));
        let whole = found.iter().all(|ty| self.types.is_whole(*ty));
        let keeps = whole && rests.is_empty() && self.opening.get() == 0;
        let kept = keeps.then(|| found.clone());
        self.fields.borrow_mut().insert(key, kept);
        found
    }

    /// The type of one field; not known of what has no such field.
    pub fn type_of_field(&self, ty: Ty, variant: u32, field: u32) -> Ty {
        let at = field as usize;
        let asked = self.fields.borrow().contains_key(&(ty, variant));
        let found = match asked && !self.keeps_fields(ty, variant) {
            // Of many that are looked at one by one each costs itself.
            true => self
                .lower_fields(ty, variant, |fields| fields.get(at..=at).unwrap_or(&[]))
                .first()
                .copied(),
            false => self.field_types(ty, variant).get(at).copied(),
        };
        found.unwrap_or_else(|| self.unknown("there is no such field"))
    }

    fn keeps_fields(&self, ty: Ty, variant: u32) -> bool {
        matches!(self.fields.borrow().get(&(ty, variant)), Some(Some(_)))
    }

    fn lower_fields(
        &self,
        ty: Ty,
        variant: u32,
        which: impl Fn(&[ir::Field]) -> &[ir::Field],
    ) -> Rc<[Ty]> {
        let TyKind::Adt(id, args) = self.types.kind(ty) else {
            return Rc::default();
        };
        let data = self.item(*id);
        let ItemKind::Adt(adt) = &data.item.kind else {
            return Rc::default();
        };
        let Some(variant) = adt.variants.get(variant as usize) else {
            return Rc::default();
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
