//! Infers patterns: the variants that they match and the variables that they bind.

use super::Infer;
use super::path::Named;
use crate::infer::body::{FieldId, Local};
use crate::ir::body::{ExprId, PatId, PatKind};
use crate::ir::{ItemKind, Style};
use crate::name::Name;
use crate::resolve::ItemId;
use crate::resolve::ty::{Ty, TyKind};

impl Infer<'_> {
    /// Infers a pattern for a value of this type; `init` is the matched expression.
    pub(super) fn pat(&mut self, id: PatId, ty: Ty, init: Option<ExprId>) {
        let function = self.function;
        let at = self.at;
        let fact = self.pat_mut(id);
        fact.ty = ty;
        fact.at = at;
        fact.live = true;
        match &function.body.pat(id).kind {
            PatKind::Bind {
                name,
                by_ref,
                mutable,
                sub,
            } => {
                let plain = !by_ref && !mutable && sub.is_none();
                if plain && let Some((adt, variant)) = self.unit(*name) {
                    self.pat_mut(id).ctor = Some((adt, variant));
                    return;
                }
                let whole = match *by_ref {
                    true => self.behind(ty, Some(*mutable)),
                    false => ty,
                };
                self.bind(id, *name, whole, *mutable, init);
                if let Some(sub) = sub {
                    self.pat(*sub, ty, init);
                }
            }
            PatKind::Path(path) => {
                if let Some(Named::Ctor(adt, variant, _)) = self.named(path) {
                    self.pat_mut(id).ctor = Some((adt, variant));
                }
            }
            PatKind::TupleStruct(path, list) => {
                let named = self.struct_named(path);
                self.parts(id, ty, named, list);
            }
            PatKind::Struct(path, fields, _) => {
                let named = self.struct_named(path);
                self.named_parts(id, ty, named, fields);
            }
            PatKind::Tuple(list) => {
                let (inner, by_ref) = self.through(ty);
                let parts = match self.db.types.kind(inner) {
                    TyKind::Tuple(parts) => parts.to_vec(),
                    _ => Vec::new(),
                };
                self.spread(list, &parts, by_ref, None);
            }
            PatKind::Slice(list) => self.slice(ty, list),
            PatKind::Ref(inner) => {
                let ty = match self.db.types.kind(ty) {
                    TyKind::Ref(ty, _) => *ty,
                    _ => self.unknown(),
                };
                self.pat(*inner, ty, None);
            }
            PatKind::Or(cases) => {
                for &case in cases {
                    self.pat(case, ty, init);
                }
            }
            PatKind::Wild | PatKind::Rest | PatKind::Value | PatKind::Other => {}
        }
    }

    /// Infers a slice pattern for a value of this type.
    fn slice(&mut self, ty: Ty, list: &[PatId]) {
        let (inner, by_ref) = self.through(ty);
        let element = match self.db.types.kind(inner) {
            TyKind::Array(ty, _) | TyKind::Slice(ty) => *ty,
            _ => self.unknown(),
        };
        let element = self.behind(element, by_ref);
        // In an array, the length of the rest is not computed.
        let rest = match self.db.types.kind(inner) {
            TyKind::Slice(_) => self.behind(inner, by_ref),
            _ => self.unknown(),
        };
        let function = self.function;
        let is_rest = |p: PatId| match &function.body.pat(p).kind {
            PatKind::Bind { sub: Some(sub), .. } => {
                matches!(function.body.pat(*sub).kind, PatKind::Rest)
            }
            _ => false,
        };
        for &part in list {
            let ty = match is_rest(part) {
                true => rest,
                false => element,
            };
            self.pat(part, ty, None);
        }
    }

    /// Returns the unit variant or unit struct that a lone name refers to.
    fn unit(&self, name: Name) -> Option<(ItemId, u32)> {
        if !name.as_str().starts_with(|c: char| c.is_uppercase()) {
            return None;
        }
        let span = self.db.item(self.function.item).item.span;
        let path = crate::ir::Path::of_name(name, span);
        match self.named(&path) {
            Some(Named::Ctor(adt, i, _)) if self.style(adt, i) == Some(Style::Unit) => {
                Some((adt, i))
            }
            _ => None,
        }
    }

    fn bind(&mut self, id: PatId, name: Name, ty: Ty, mutable: bool, init: Option<ExprId>) {
        let local = self.locals.len() as u32;
        self.locals.push(Local {
            name,
            ty,
            pat: id,
            init,
            argument: false,
            mutable,
            lent: self.lent,
        });
        self.scope.push(name, local);
        self.pat_mut(id).local = Some(local);
    }

    /// Returns the matched type behind references and the binding mode: `false` for by reference,
    /// `true` for by mutable reference.
    fn through(&self, ty: Ty) -> (Ty, Option<bool>) {
        let mut ty = ty;
        let mut by_ref = None;
        for _ in 0..8 {
            match self.db.types.kind(ty) {
                TyKind::Ref(inner, mutable) => {
                    by_ref = Some(*mutable && by_ref != Some(false));
                    ty = *inner;
                }
                _ => break,
            }
        }
        (ty, by_ref)
    }

    fn behind(&self, ty: Ty, by_ref: Option<bool>) -> Ty {
        match by_ref {
            Some(mutable) if !self.is_unknown(ty) => self.db.types.intern(TyKind::Ref(ty, mutable)),
            _ => ty,
        }
    }

    /// Returns the type of the matched value, with known arguments if possible.
    fn held(&self, ty: Ty, named: Option<(ItemId, u32, Ty)>) -> Option<(ItemId, u32, Ty)> {
        let (adt, variant, open) = named?;
        let held = match self.db.types.kind(ty) {
            TyKind::Adt(id, _) if *id == adt => ty,
            _ => open,
        };
        Some((adt, variant, held))
    }

    /// Notes that a pattern takes apart a value of this type; returns what was noted before.
    fn take_apart(&mut self, ty: Ty) -> bool {
        let before = self.lent;
        self.lent |= self.is_unknown(ty);
        before
    }

    fn parts(&mut self, id: PatId, ty: Ty, named: Option<(ItemId, u32, Ty)>, list: &[PatId]) {
        let (inner, by_ref) = self.through(ty);
        let Some((adt, variant, held)) = self.held(inner, named) else {
            self.spread(list, &[], by_ref, None);
            return;
        };
        self.pat_mut(id).ctor = Some((adt, variant));
        let types = self.db.field_types(held, variant);
        let before = self.take_apart(inner);
        self.spread(list, &types, by_ref, Some((adt, variant)));
        self.lent = before;
    }

    /// Infers each pattern of a list; `..` stands for the missing ones.
    fn spread(
        &mut self,
        list: &[PatId],
        types: &[Ty],
        by_ref: Option<bool>,
        ctor: Option<(ItemId, u32)>,
    ) {
        let function = self.function;
        let is_rest = |p: &PatId| matches!(function.body.pat(*p).kind, PatKind::Rest);
        let rest = list.iter().position(is_rest);
        for (i, &part) in list.iter().enumerate() {
            let at = match rest {
                Some(r) if i == r => {
                    self.pat(part, self.unknown(), None);
                    continue;
                }
                Some(r) if i > r => (types.len() + i).checked_sub(list.len()),
                _ => Some(i),
            };
            let ty = at.and_then(|at| types.get(at).copied());
            let ty = self.behind(ty.unwrap_or(self.unknown()), by_ref);
            if let (Some((adt, variant)), Some(at)) = (ctor, at) {
                self.pat_mut(part).field = Some(FieldId {
                    adt,
                    variant,
                    field: at as u32,
                });
            }
            self.pat(part, ty, None);
        }
    }

    fn named_parts(
        &mut self,
        id: PatId,
        ty: Ty,
        named: Option<(ItemId, u32, Ty)>,
        fields: &[(Name, PatId)],
    ) {
        let (inner, by_ref) = self.through(ty);
        let held = self.held(inner, named);
        if let Some((adt, variant, _)) = held {
            self.pat_mut(id).ctor = Some((adt, variant));
        }
        let before = self.take_apart(inner);
        for (name, part) in fields {
            let mut ty = self.unknown();
            if let Some((adt, variant, held)) = held
                && let Some(field) = self.field_at(adt, variant, *name)
                && matches!(self.db.item(adt).item.kind, ItemKind::Adt(_))
            {
                ty = self.behind(self.db.type_of_field(held, variant, field), by_ref);
                self.pat_mut(*part).field = Some(FieldId {
                    adt,
                    variant,
                    field,
                });
            }
            self.pat(*part, ty, None);
        }
        self.lent = before;
    }
}
