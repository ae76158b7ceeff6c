//! Resolves paths, fields and struct literals.

use super::Infer;
use crate::infer::body::{FieldId, Target};
use crate::infer::members::Callee;
use crate::ir::body::ExprId;
use crate::ir::{self, AdtKind, ItemKind, Path, Segment, Style, Type};
use crate::name::Name;
use crate::resolve::ty::{GArg, Ty, TyKind};
use crate::resolve::types::Env;
use crate::resolve::{Def, ItemId, Ns};

/// The definition that a path in an expression or pattern names.
#[derive(Clone, Debug)]
pub(super) enum Named {
    /// A variant, or variant 0 of a struct, of a type whose arguments may be unknown.
    Ctor(ItemId, u32, Ty),
    /// A function, constant or static outside of `impl`s.
    Item(ItemId),
    /// An associated item.
    Member(Callee),
    /// An unknown associated item of a known type.
    Foreign(Ty, Name),
}

impl Infer<'_> {
    /// Resolves a path as a value.
    pub(super) fn named(&self, path: &Path) -> Option<Named> {
        let db = self.db;
        let names: Vec<Name> = path.segments.iter().map(|s| s.name).collect();
        let first = names[0];
        let param = self.params.iter().any(|(n, _)| *n == first);
        if !path.global && (first == "Self" && self.self_ty.is_some() || param) {
            let ty = self.lower(&Type::Path(prefix(path, 1)));
            return match &path.segments[1..] {
                [] => self.struct_ctor(ty),
                [one] => self.associated(ty, one),
                _ => None,
            };
        }
        let module = self.function.module;
        let found = db.resolve_as_read(module, path.global, &names, Ns::Value);
        if let Ok(Some(found)) = found {
            let args = |used: usize| path.segments[used - 1].args.as_deref();
            match found.def {
                Def::Variant(id, i) if found.used == names.len() => {
                    // `Enum::<T>::Variant`: the arguments are on the segment before.
                    let args = args(found.used.saturating_sub(1).max(1));
                    return Some(Named::Ctor(id, i, self.open_ty(id, args)));
                }
                Def::Item(id) if found.used == names.len() => {
                    return match &db.item(id).item.kind {
                        ItemKind::Adt(_) => {
                            Some(Named::Ctor(id, 0, self.open_ty(id, args(found.used))))
                        }
                        ItemKind::TypeAlias(_) => {
                            self.struct_ctor(self.lower(&Type::Path(path.clone())))
                        }
                        _ => Some(Named::Item(id)),
                    };
                }
                Def::Item(_) | Def::Prim(_) if found.used + 1 == names.len() => {
                    let ty = self.open_path(&prefix(path, found.used));
                    return self.associated(ty, &path.segments[found.used]);
                }
                _ => {}
            }
        }
        None
    }

    /// Lowers a type with unknown for omitted arguments.
    fn open_path(&self, path: &Path) -> Ty {
        self.adt_as_read(path)
            .unwrap_or_else(|| self.lower(&Type::Path(path.clone())))
    }

    /// Returns the struct, enum or union that a path names, with unknown for omitted arguments.
    pub(super) fn adt_as_read(&self, path: &Path) -> Option<Ty> {
        let names: Vec<Name> = path.segments.iter().map(|s| s.name).collect();
        let module = self.function.module;
        let found = self
            .db
            .resolve_as_read(module, path.global, &names, Ns::Type);
        match found.ok()??.def {
            Def::Item(id) if matches!(self.db.item(id).item.kind, ItemKind::Adt(_)) => {
                let args = path.segments.last().and_then(|s| s.args.as_deref());
                Some(self.open_ty(id, args))
            }
            _ => None,
        }
    }

    /// Returns the type of a definition with these arguments, or with unknown ones.
    fn open_ty(&self, id: ItemId, args: Option<&ir::Args>) -> Ty {
        let db = self.db;
        if args.is_none() && db.generics(id).is_none_or(|g| g.params.is_empty()) {
            return db.types.intern(TyKind::Adt(id, Box::default()));
        }
        let args = db.lower_item_args(id, args, &self.env());
        db.types.intern(TyKind::Adt(id, args.into()))
    }

    fn struct_ctor(&self, ty: Ty) -> Option<Named> {
        match self.db.types.kind(ty) {
            TyKind::Adt(id, _) => Some(Named::Ctor(*id, 0, ty)),
            _ => None,
        }
    }

    /// Resolves `Type::name` to a variant or an associated item.
    pub(super) fn associated(&self, ty: Ty, segment: &Segment) -> Option<Named> {
        let name = segment.name;
        if let TyKind::Adt(id, _) = self.db.types.kind(ty)
            && let ItemKind::Adt(adt) = &self.db.item(*id).item.kind
            && adt.kind == AdtKind::Enum
            && let Some(i) = adt.variants.iter().position(|v| v.name == name)
        {
            return Some(Named::Ctor(*id, i as u32, ty));
        }
        if self.is_unknown(ty) {
            return None;
        }
        Some(match self.members.of(ty, name) {
            Some(callee) => Named::Member(callee),
            None => Named::Foreign(ty, name),
        })
    }

    pub(super) fn path_expr(&mut self, id: ExprId, path: &Path, expected: Ty) -> Ty {
        if let [only] = &path.segments[..]
            && !path.global
            && let Some(local) = self.local(only.name)
        {
            self.fact_mut(id).target = Some(Target::Local(local));
            let ty = self.join(self.locals[local as usize].ty, expected);
            self.locals[local as usize].ty = ty;
            return ty;
        }
        let Some(named) = self.named(path) else {
            return self.unknown();
        };
        self.value(id, named)
    }

    /// Infers `<T as Trait>::name` as a value.
    pub(super) fn qualified(&mut self, id: ExprId, ty: &Type, rest: &[Segment]) -> Ty {
        let ty = self.lower(ty);
        match rest {
            [one] => match self.associated(ty, one) {
                Some(named) => self.value(id, named),
                None => self.unknown(),
            },
            _ => self.unknown(),
        }
    }

    /// Returns the type of a resolved path as a value.
    fn value(&mut self, id: ExprId, named: Named) -> Ty {
        let (target, ty) = match named {
            Named::Ctor(adt, i, ty) => {
                let ty = match self.style(adt, i) {
                    Some(Style::Unit) => ty,
                    // A constructor is a function.
                    _ => {
                        let inputs = self.db.field_types(ty, i);
                        self.db
                            .types
                            .intern(TyKind::FnPtr(inputs.as_ref().into(), ty, None))
                    }
                };
                (Target::Ctor(adt, i), ty)
            }
            Named::Item(item) => (Target::Item(item), self.item_value(item, None)),
            Named::Member(callee) => {
                let ty = self.item_value(callee.item, Some(&callee));
                (Target::Item(callee.item), ty)
            }
            Named::Foreign(..) => return self.unknown(),
        };
        self.fact_mut(id).target = Some(target);
        ty
    }

    fn item_value(&self, item: ItemId, callee: Option<&Callee>) -> Ty {
        let data = self.db.item(item);
        let env = Env {
            module: data.module,
            params: callee.map_or(&[], |c| &c.params),
            self_ty: callee.map(|c| c.self_ty),
            item: Some(item),
        };
        match &data.item.kind {
            ItemKind::Const(c) => self.db.lower(&c.ty, &env),
            ItemKind::Static(ty, _) => self.db.lower(ty, &env),
            ItemKind::Fn(_) => self.fn_pointer(item, &env),
            _ => self.unknown(),
        }
    }

    fn fn_pointer(&self, item: ItemId, env: &Env) -> Ty {
        let Some(signature) = self.members.signature(item) else {
            return self.unknown();
        };
        let inputs = signature.inputs.iter().map(|ty| self.db.lower(ty, env));
        let output = match &signature.output {
            Some(ty) => self.db.lower(ty, env),
            None => self.db.types.unit(),
        };
        let kind = TyKind::FnPtr(inputs.collect(), output, None);
        self.db.types.intern(kind)
    }

    /// Returns the style of a variant.
    pub(super) fn style(&self, adt: ItemId, variant: u32) -> Option<Style> {
        match &self.db.item(adt).item.kind {
            ItemKind::Adt(a) => a.variants.get(variant as usize).map(|v| v.style),
            _ => None,
        }
    }

    /// Returns the index of a field.
    pub(super) fn field_at(&self, adt: ItemId, variant: u32, name: Name) -> Option<u32> {
        self.db.field_named(adt, variant, name)
    }

    pub(super) fn field(&mut self, id: ExprId, base: ExprId, name: Name) -> Ty {
        let mut ty = self.any(base);
        for _ in 0..8 {
            match self.db.types.kind(ty) {
                TyKind::Tuple(list) => {
                    let at = name.as_str().parse::<usize>().ok();
                    return at
                        .and_then(|i| list.get(i).copied())
                        .unwrap_or(self.unknown());
                }
                TyKind::Adt(adt, _) => {
                    if let Some(field) = self.field_at(*adt, 0, name) {
                        let found = FieldId {
                            adt: *adt,
                            variant: 0,
                            field,
                        };
                        self.fact_mut(id).target = Some(Target::Field(found));
                        return self.db.type_of_field(ty, 0, field);
                    }
                }
                TyKind::Unknown(_) | TyKind::Infer(_) => break,
                _ => {}
            }
            match self.members.deref(ty) {
                Some(inner) => ty = inner,
                None => break,
            }
        }
        self.fact_mut(id).target = Some(Target::Open(name));
        self.unknown()
    }

    pub(super) fn struct_literal(
        &mut self,
        id: ExprId,
        path: &Path,
        fields: &[(Name, ExprId)],
        base: Option<ExprId>,
        expected: Ty,
    ) -> Ty {
        let named = self.struct_named(path);
        let Some((adt, variant, ty)) = named else {
            for (_, value) in fields {
                self.any(*value);
            }
            if let Some(base) = base {
                self.any(base);
            }
            return self.unknown();
        };
        self.fact_mut(id).target = Some(Target::Ctor(adt, variant));
        let ty = self.join(ty, expected);
        let types = self.db.field_types(ty, variant);
        let mut found = Vec::new();
        for (name, value) in fields {
            let at = self.field_at(adt, variant, *name);
            let wanted = at.and_then(|i| types.get(i as usize).copied());
            let value = self.expr(*value, wanted.unwrap_or(self.unknown()));
            found.extend(at.map(|i| (i, value)));
        }
        if let Some(base) = base {
            self.expr(base, ty);
        }
        self.argued(ty, variant, &found)
    }

    /// Resolves the path of a struct literal or pattern: structs are in the type namespace.
    pub(super) fn struct_named(&self, path: &Path) -> Option<(ItemId, u32, Ty)> {
        if let Some(Named::Ctor(adt, variant, ty)) = self.named(path) {
            return Some((adt, variant, ty));
        }
        let ty = self.open_path(path);
        match self.db.types.kind(ty) {
            TyKind::Adt(id, _) => Some((*id, 0, ty)),
            _ => None,
        }
    }

    /// Infers the unknown arguments of a type from the values of its fields.
    pub(super) fn argued(&self, ty: Ty, variant: u32, values: &[(u32, Ty)]) -> Ty {
        let db = self.db;
        let TyKind::Adt(id, args) = db.types.kind(ty) else {
            return ty;
        };
        let open = |a: &GArg| matches!(a, GArg::Ty(t) if self.is_unknown(*t));
        if !args.iter().any(open) {
            return ty;
        }
        let names = self.type_params(*id);
        let holes = self.holes(&names, 0);
        let pattern = holes.iter().map(|(_, a)| a.clone()).collect();
        let pattern = db.types.intern(TyKind::Adt(*id, pattern));
        let fields = self.db.field_types(pattern, variant);
        let mut bound = vec![None; names.len()];
        for (i, value) in values {
            if let Some(&field) = fields.get(*i as usize)
                && !self.is_unknown(*value)
            {
                let _ = db.unify(field, *value, &mut bound);
            }
        }
        let fill = |(arg, found): (&GArg, Option<GArg>)| match open(arg) {
            true => found.unwrap_or_else(|| arg.clone()),
            false => arg.clone(),
        };
        let args = args.iter().zip(bound).map(fill).collect();
        db.types.intern(TyKind::Adt(*id, args))
    }
}

fn prefix(path: &Path, len: usize) -> Path {
    Path {
        global: path.global,
        segments: path.segments[..len].into(),
        span: path.span,
    }
}
