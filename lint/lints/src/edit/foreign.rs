//! Signatures of methods of other packages' traits, called on a value whose type is a generic
//! parameter, or an associated type that such a method returned.

use super::{Editor, Work};
use crate::infer::body::{Target, Typed};
use crate::infer::types::without_refs;
use crate::ir::body::{ExprId, ExprKind, Signature};
use crate::ir::{Arg, Bound, Generics, ItemKind, ParamKind, Type};
use crate::name::Name;
use crate::resolve::consts::{Callable, Of};
use crate::resolve::ty::{Ty, TyKind};
use crate::resolve::types::Env;
use crate::resolve::{ItemId, ModId};

/// Variables are followed to their values up to this depth.
const DEEPEST: usize = 4;

impl Work<'_> {
    /// Returns the declaration of a method that is called on a value of unknown type that has a
    /// trait.
    pub(super) fn method_of_trait(
        &self,
        typed: &Typed,
        on: ExprId,
        name: Name,
    ) -> Option<&'static Signature> {
        let (_, item) = self.trait_method(typed, on, name, 0)?;
        self.editor.usage.signature(item)
    }

    /// Returns a trait of a value, and its method of this name.
    fn trait_method(
        &self,
        typed: &Typed,
        on: ExprId,
        name: Name,
        depth: usize,
    ) -> Option<(ItemId, ItemId)> {
        let traits = self.traits_of(typed, on, depth);
        let of = |of: ItemId| Some((of, self.member(of, name)?));
        let mut found = traits.into_iter().filter_map(of);
        // Two traits with such a method would have to be told apart.
        found.next().filter(|_| found.next().is_none())
    }

    fn member(&self, of: ItemId, name: Name) -> Option<ItemId> {
        let db = self.editor.model.db;
        let mut members = db.members(of).iter().copied();
        members.find(|id| db.item(*id).item.name == name)
    }

    /// Returns the traits that a value of no known type is declared to have.
    fn traits_of(&self, typed: &Typed, value: ExprId, depth: usize) -> Vec<ItemId> {
        let db = self.editor.model.db;
        if depth > DEEPEST {
            return Vec::new();
        }
        if let TyKind::Param(name, _, owner) = db.types.kind(without_refs(db, typed.fact(value).ty))
        {
            return self.bounds_of(*name, *owner);
        }
        match &typed.node(value).kind {
            ExprKind::Path(_) => match typed.fact(value).target {
                Some(Target::Local(local)) => {
                    let init = typed.locals[local as usize].init;
                    init.map_or(Vec::new(), |init| self.traits_of(typed, init, depth + 1))
                }
                _ => Vec::new(),
            },
            ExprKind::Ref(_, inner) => self.traits_of(typed, *inner, depth + 1),
            ExprKind::Try(call) => self.result_of(typed, *call, true, depth + 1),
            ExprKind::Method(..) => self.result_of(typed, value, false, depth + 1),
            _ => Vec::new(),
        }
    }

    /// Returns the traits of the associated type that a method returns; in its `Result` if `tried`.
    fn result_of(&self, typed: &Typed, call: ExprId, tried: bool, depth: usize) -> Vec<ItemId> {
        let db = self.editor.model.db;
        let found = || {
            let ExprKind::Method(on, name, ..) = &typed.node(call).kind else {
                return None;
            };
            let (of, method) = self.trait_method(typed, *on, name.name, depth)?;
            let output = self.editor.usage.signature(method)?.output.as_ref()?;
            let output = match (tried, output) {
                (true, Type::Path(path)) if path.last_name() == "Result" => {
                    match path.segments.last()?.args.as_deref()?.args.first()? {
                        Arg::Type(ty) => ty,
                        Arg::Const(_) => return None,
                    }
                }
                (true, _) => return None,
                (false, output) => output,
            };
            let Type::Path(path) = output else {
                return None;
            };
            let name = match &path.segments[..] {
                [own, name] if own.name == "Self" => name.name,
                _ => return None,
            };
            let ty = self.member(of, name)?;
            match &db.item(ty).item.kind {
                ItemKind::TypeAlias(alias) => {
                    Some(self.resolved(alias.bounds.iter(), db.item(of).module))
                }
                _ => None,
            }
        };
        found().unwrap_or_default()
    }

    /// Returns the declared type of an argument of a call of a variable whose type is a generic
    /// parameter with a bound such as `Fn(&str) -> u8`.
    pub(super) fn input_of_parameter(
        &self,
        typed: &Typed,
        call: ExprId,
        index: usize,
    ) -> Option<&'static Type> {
        let db = self.editor.model.db;
        let ExprKind::Call(callee, _) = &typed.node(call).kind else {
            return None;
        };
        let ty = without_refs(db, typed.fact(*callee).ty);
        let TyKind::Param(name, _, owner) = db.types.kind(ty) else {
            return None;
        };
        let (bounds, _) = self.editor.declared_bounds(*name, *owner)?;
        let mut functions = bounds.into_iter().filter(|b| {
            let name = b.path.last_name();
            matches!(name, "Fn" | "FnMut" | "FnOnce")
        });
        let args = functions.next()?.path.segments.last()?.args.as_deref()?;
        match args.args.get(index).filter(|_| args.output.is_some())? {
            Arg::Type(input) => Some(input),
            Arg::Const(_) => None,
        }
    }

    /// Returns the traits that bound a generic parameter.
    fn bounds_of(&self, name: Name, owner: ItemId) -> Vec<ItemId> {
        let found = self.editor.declared_bounds(name, owner);
        let (bounds, module) = match found {
            Some(found) => found,
            None => return Vec::new(),
        };
        self.resolved(bounds.into_iter(), module)
    }

    fn resolved<'b>(&self, bounds: impl Iterator<Item = &'b Bound>, module: ModId) -> Vec<ItemId> {
        let db = self.editor.model.db;
        let env = Env::plain(module);
        let bounds = bounds.filter(|b| !b.maybe);
        bounds.filter_map(|b| db.trait_of(&b.path, &env)).collect()
    }
}

impl Editor<'_> {
    /// Returns the bounds of a generic parameter as written, and the module that they are in.
    fn declared_bounds(&self, name: Name, owner: ItemId) -> Option<(Vec<&'static Bound>, ModId)> {
        let db = self.model.db;
        let data = db.item(owner);
        let generics: &'static Generics = match &data.item.kind {
            ItemKind::Fn(_) => &self.usage.signature(owner)?.generics,
            _ => db.generics(owner)?,
        };
        Some((bounds_of(generics, name), data.module))
    }

    /// Returns the signature of a method that a type of another package has itself.
    pub(super) fn foreign_method(
        &self,
        ty: Ty,
        name: Name,
        module: ModId,
    ) -> Option<&'static Signature> {
        let db = self.model.db;
        let TyKind::Adt(id, _) = db.types.kind(ty) else {
            return None;
        };
        let krate = db.krate_of(db.item(*id).module);
        if db.krate(krate).own || krate == db.std() {
            return None;
        }
        match db.assoc_item(Of::itself(ty), name, module) {
            Ok(Some(Callable::Item(item, _))) => self.usage.signature(item),
            _ => None,
        }
    }
}

/// Returns the bounds of a generic parameter.
pub(super) fn bounds_of(generics: &Generics, name: Name) -> Vec<&Bound> {
    let own = generics.params.iter().filter(|p| p.name == name);
    let own = own.filter_map(|p| match &p.kind {
        ParamKind::Type { bounds, .. } => Some(bounds),
        ParamKind::Const { .. } => None,
    });
    let wheres = generics.wheres.iter();
    let wheres = wheres.filter(|w| super::within::lone(&w.ty) == Some(name));
    own.chain(wheres.map(|w| &w.bounds)).flatten().collect()
}
