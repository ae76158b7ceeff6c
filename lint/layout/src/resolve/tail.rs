//! Sizedness: finds the unsized tail of a type through its last fields.

use super::collect::has_lang;
use super::ty::{GArg, Prim, Ty, TyKind};
use super::types::Env;
use super::{Db, ItemId, Res, Unknown};
use crate::budget;
use crate::ir::{self, AdtKind, ItemKind};

/// What makes a type unsized.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tail {
    /// Nothing.
    Sized,
    /// A slice or `str`.
    Slice,
    /// A trait object.
    Dyn,
    /// An `extern type`.
    Foreign,
}

impl<'a> Db<'a> {
    /// Returns what makes a type unsized, if anything.
    ///
    /// # Errors
    /// It depends on a `?Sized` parameter or an unknown type.
    pub fn tail(&self, ty: Ty) -> Res<Tail> {
        // Unnormalized types are not cached.
        if self.walk.as_written.get() {
            return self.tail_of(ty, |_| false);
        }
        if let Some(tail) = self.tails.get(self, &ty) {
            return Ok(tail);
        }
        let (tail, rests) = self.recording(|| self.tail_of(ty, |_| false));
        if let (Ok(tail), true) = (&tail, self.walk.opening.get() == 0) {
            self.tails.keep(ty, *tail, &rests);
        }
        tail
    }

    /// Finds the tail of a type; `is_sized` may prove parameters sized.
    pub(super) fn tail_of(&self, ty: Ty, is_sized: impl Fn(Ty) -> bool) -> Res<Tail> {
        let mut ty = ty;
        for _ in 0..budget::VALUES {
            if let Some(tail) = self.tails.get(self, &ty) {
                return Ok(tail);
            }
            ty = match self.types.kind(ty) {
                TyKind::Slice(_) | TyKind::Prim(Prim::Str) => return Ok(Tail::Slice),
                TyKind::Dyn(..) => return Ok(Tail::Dyn),
                TyKind::Foreign(_) => return Ok(Tail::Foreign),
                TyKind::Param(name, false, _) | TyKind::Proj(_, _, name, false) => {
                    if is_sized(ty) {
                        return Ok(Tail::Sized);
                    }
                    return Err(Unknown::Generic(*name));
                }
                TyKind::Tuple(list) => match list.last() {
                    Some(last) => *last,
                    None => return Ok(Tail::Sized),
                },
                TyKind::Adt(id, args) => match self.last_field(ty, *id, args)? {
                    Some(last) => last,
                    None => return Ok(Tail::Sized),
                },
                TyKind::Unknown(why) => return Err(why.clone()),
                _ => return Ok(Tail::Sized),
            };
        }
        Err(Unknown::because("the type is nested too deep"))
    }

    /// Returns the type of a struct's last field; `None` if the type is always sized.
    pub(super) fn last_field(&self, ty: Ty, id: ItemId, args: &[GArg]) -> Res<Option<Ty>> {
        let Some((at, last)) = self.last_written(id)? else {
            return Ok(None);
        };
        if let Some(known) = self.known_field(ty, at) {
            return Ok(Some(known));
        }
        let params = self.bind(id, args);
        let env = Env {
            module: self.item(id).module,
            params: &params,
            self_ty: Some(ty),
            item: Some(id),
        };
        Ok(Some(self.lower(&last.ty, &env)))
    }

    /// Returns the last field of a struct as declared, with its index; `None` if the type is always
    /// sized.
    pub(super) fn last_written(&self, id: ItemId) -> Res<Option<(usize, &'a ir::Field)>> {
        let data = self.item(id);
        let ItemKind::Adt(adt) = &data.item.kind else {
            return Ok(None);
        };
        if adt.kind != AdtKind::Struct || has_lang(&data.item.attrs, "phantom_data") {
            return Ok(None);
        }
        self.trust(id)?;
        let krate = self.krate_of(data.module);
        let mut last = None;
        for field in adt.variants.iter().flat_map(|v| &v.fields).enumerate() {
            if self.present(krate, &field.1.attrs)? {
                last = Some(field);
            }
        }
        Ok(last)
    }
}
