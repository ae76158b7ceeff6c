//! Lowers types as written to interned types.

use super::ty::{Const, GArg, Prim, Ty, TyKind};
use super::{Db, Def, ItemId, ModId, Ns, Res, Unknown};
use crate::budget::Level;
use crate::ir::{self, Arg, Args, ItemKind, ParamKind, Segment, Type};
use crate::name::Name;
use rustc_hash::FxHashSet;

/// The context of a type or constant expression.
#[derive(Clone, Copy)]
pub struct Env<'e> {
    /// The module in which names are resolved.
    pub module: ModId,
    /// Generic parameters in scope, with their arguments.
    pub params: &'e [(Name, GArg)],
    /// The type of `Self`.
    pub self_ty: Option<Ty>,
    /// The item whose bounds apply, with those of its `impl` or trait.
    pub item: Option<ItemId>,
}

impl<'e> Env<'e> {
    /// Creates a context without parameters.
    pub fn plain(module: ModId) -> Env<'e> {
        Env {
            module,
            params: &[],
            self_ty: None,
            item: None,
        }
    }

    /// Creates the context of an item, without parameters.
    pub(crate) fn at(db: &Db, item: ItemId) -> Env<'e> {
        Env {
            item: Some(item),
            ..Env::plain(db.item(item).module)
        }
    }

    /// Returns the argument of a parameter that is in scope.
    pub fn param(&self, name: Name) -> Option<&'e GArg> {
        self.params.iter().find(|(n, _)| *n == name).map(|(_, a)| a)
    }
}

/// Returns the generics of an item as declared, if its kind can have any.
fn written_generics(item: &ir::Item) -> Option<&ir::Generics> {
    match &item.kind {
        ItemKind::Adt(adt) => Some(&adt.generics),
        ItemKind::TypeAlias(alias) => Some(&alias.generics),
        ItemKind::Impl(imp) => Some(&imp.generics),
        ItemKind::Trait(tr) => Some(&tr.generics),
        _ => None,
    }
}

/// Returns true if a type parameter of these generics is `Sized`: it has no `?Sized` bound.
pub fn param_is_sized(generics: &ir::Generics, name: Name) -> bool {
    !may_be_unsized(generics).any(|of| of == name)
}

/// Iterates over the names with a `?Sized` bound.
fn may_be_unsized(generics: &ir::Generics) -> impl Iterator<Item = Name> {
    let maybe = |bounds: &[ir::Bound]| bounds.iter().any(|b| b.maybe);
    let params = generics.params.iter().filter(move |p| match &p.kind {
        ParamKind::Type { bounds, .. } => maybe(bounds),
        ParamKind::Const { .. } => false,
    });
    let wheres = generics.wheres.iter().filter(move |w| maybe(&w.bounds));
    let wheres = wheres.filter_map(|w| match &w.ty {
        Type::Path(path) => match &path.segments[..] {
            [only] => Some(only.name),
            _ => None,
        },
        _ => None,
    });
    params.map(|p| p.name).chain(wheres)
}

/// Returns true if a type is the single name `name`.
pub fn names_param(ty: &Type, name: Name) -> bool {
    matches!(ty, Type::Path(p) if p.segments.len() == 1 && p.segments[0].name == name)
}

impl<'a> Db<'a> {
    /// Returns the generics of an item after `cfg`, if its kind can have any.
    pub fn generics(&self, id: ItemId) -> Option<&'a ir::Generics> {
        let data = self.item(id);
        let written = written_generics(data.item)?;
        if written.params.iter().all(|p| p.attrs.cfg.is_none()) {
            return Some(written);
        }
        let krate = self.krate_of(data.module);
        if let Some(generics) = data.facts().generics.get() {
            return Some(generics);
        }
        let mut left = written.clone();
        let there = |p: &ir::Param| self.present(krate, &p.attrs).unwrap_or(true);
        left.params.retain(there);
        Some(data.facts().generics.get_or_init(|| Box::new(left)))
    }

    /// Binds the parameters of an item to themselves.
    pub fn identity(&self, id: ItemId) -> Vec<(Name, GArg)> {
        let Some(generics) = self.generics(id) else {
            return Vec::new();
        };
        let unsized_: FxHashSet<Name> = may_be_unsized(generics).collect();
        let arg = |p: &ir::Param| match &p.kind {
            ParamKind::Type { .. } => {
                let sized = !unsized_.contains(&p.name);
                GArg::Ty(self.types.intern(TyKind::Param(p.name, sized, id)))
            }
            ParamKind::Const { .. } => GArg::Const(Box::new(Const::Param(p.name))),
        };
        generics.params.iter().map(|p| (p.name, arg(p))).collect()
    }

    /// Returns a type definition applied to its own parameters.
    pub fn identity_ty(&self, id: ItemId) -> Ty {
        let args = self.identity(id).into_iter().map(|(_, a)| a).collect();
        self.types.intern(TyKind::Adt(id, args))
    }

    /// Binds the parameters of an item to arguments.
    pub fn bind(&self, id: ItemId, args: &[GArg]) -> Vec<(Name, GArg)> {
        let Some(generics) = self.generics(id) else {
            return Vec::new();
        };
        let names = generics.params.iter().map(|p| p.name);
        names.zip(args.iter().cloned()).collect()
    }

    /// Lowers a type; one that cannot be resolved becomes an unknown type with the reason.
    pub fn lower(&self, ty: &Type, env: &Env) -> Ty {
        match self.ask() {
            Ok(_level) => self.lower_asked(ty, env),
            Err(why) => self.types.unknown(why),
        }
    }

    /// Enters a nested query about types or `impl`s and charges one step.
    ///
    /// # Errors
    /// It is nested too deep, or the budget of steps is exhausted.
    pub(super) fn ask(&self) -> Res<Level<'_>> {
        let Some(level) = self.budget.questions.enter() else {
            return Err(Unknown::because(
                "a type stopped here: it is nested too deep",
            ));
        };
        if level.is_outermost() {
            self.budget.types.begin(0);
        }
        match self.budget.types.spend(1) {
            true => Ok(level),
            false => Err(Unknown::because(
                "a type stopped here: it takes too long to work out",
            )),
        }
    }

    fn lower_asked(&self, ty: &Type, env: &Env) -> Ty {
        let types = &self.types;
        match ty {
            Type::Path(path) => self.lower_path(path, env),
            Type::Qualified(self_ty, trait_, rest) => {
                let self_ty = self.lower(self_ty, env);
                self.lower_qualified(self_ty, trait_.as_deref(), rest, env)
            }
            Type::Ref(inner, m) => types.intern(TyKind::Ref(self.lower(inner, env), *m)),
            Type::Ptr(inner, m) => types.intern(TyKind::Ptr(self.lower(inner, env), *m)),
            Type::Slice(inner) => types.intern(TyKind::Slice(self.lower(inner, env))),
            Type::Array(inner, len) => {
                let len = self.const_arg(len, types.prim(Prim::Usize), env);
                types.intern(TyKind::Array(self.lower(inner, env), len))
            }
            Type::Tuple(list) => {
                let list = list.iter().map(|t| self.lower(t, env)).collect();
                types.intern(TyKind::Tuple(list))
            }
            Type::Never => types.intern(TyKind::Never),
            Type::FnPtr(inputs, output, qualifiers) => {
                let inputs = inputs.iter().map(|t| self.lower(t, env)).collect();
                let output = match output {
                    Some(o) => self.lower(o, env),
                    None => types.unit(),
                };
                types.intern(TyKind::FnPtr(inputs, output, *qualifiers))
            }
            Type::Dyn(bounds) => match self.in_module_dyn(bounds, env) {
                Some(path) => self.lower_path(&path, env),
                None => self.lower_dyn(bounds, env),
            },
            Type::Macro(call) => match self.expand_type(env, call) {
                Ok(ty) => self.lower(&ty, env),
                Err(why) => types.unknown(why),
            },
            Type::Impl(_) => types.unknown(Unknown::because("`impl Trait` hides its type")),
            Type::Infer => types.unknown(Unknown::because("`_` leaves the type to inference")),
            Type::Other(what) => types.unknown(Unknown::because(format!(
                "{what} is not understood as a type"
            ))),
        }
    }

    /// Returns the path that `dyn::Name` is in edition 2015, where `dyn` may name a module.
    fn in_module_dyn(&self, bounds: &[ir::Bound], env: &Env) -> Option<ir::Path> {
        let [only] = bounds else { return None };
        let is_old = self.krate(self.krate_of(env.module)).edition < 2018;
        if !is_old || !only.path.global || only.maybe {
            return None;
        }
        let mut path = only.path.clone();
        path.global = false;
        let name = Name::new("dyn");
        path.segments.insert(0, Segment { name, args: None });
        Some(path)
    }

    fn lower_dyn(&self, bounds: &[ir::Bound], env: &Env) -> Ty {
        let mut traits = Vec::new();
        let mut bindings = Vec::new();
        let mut all_args = Vec::new();
        for bound in bounds {
            let trait_ = self.trait_of(&bound.path, env);
            let args = bound.path.segments.last().and_then(|s| s.args.as_deref());
            if let Some(id) = trait_ {
                traits.push(id);
                if args.is_some() {
                    all_args.extend(self.trait_args(id, &bound.path, self.types.unit(), env));
                }
            }
            if let Some(args) = args {
                let assoc = args.assoc.iter();
                bindings.extend(assoc.map(|(n, t)| (*n, self.lower(t, env))));
                let output = args.output.as_ref().map(|t| GArg::Ty(self.lower(t, env)));
                all_args.extend(output);
            }
        }
        // `dyn A + Sync + Send` is `dyn A + Send + Sync`.
        traits.sort_by_key(|id| match self.is_marker(*id) {
            true => self.item(*id).item.name.as_str(),
            false => "",
        });
        traits.dedup();
        let kind = TyKind::Dyn(traits.into(), bindings.into(), all_args.into());
        self.types.intern(kind)
    }

    /// Resolves a path to a trait.
    pub fn trait_of(&self, path: &ir::Path, env: &Env) -> Option<ItemId> {
        self.trait_at(path, env).ok()?
    }

    /// Resolves a path to a trait, with the reason for a failure.
    ///
    /// # Errors
    /// An open `cfg` or an unexpanded macro decides.
    pub(crate) fn trait_at(&self, path: &ir::Path, env: &Env) -> Res<Option<ItemId>> {
        let names: Vec<Name> = path.segments.iter().map(|s| s.name).collect();
        let found = self.resolve(env.module, path.global, &names, Ns::Type)?;
        Ok(match found.map(|f| f.def) {
            Some(Def::Item(id)) if matches!(self.item(id).item.kind, ItemKind::Trait(_)) => {
                Some(id)
            }
            _ => None,
        })
    }

    fn lower_path(&self, path: &ir::Path, env: &Env) -> Ty {
        let first = &path.segments[0];
        if !path.global {
            if first.name == "Self"
                && let Some(self_ty) = env.self_ty
            {
                return match &path.segments[1..] {
                    [] => self_ty,
                    rest => self.lower_qualified(self_ty, None, rest, env),
                };
            }
            if let Some(arg) = env.param(first.name) {
                let GArg::Ty(ty) = arg else {
                    return self.unknown("a constant stands where a type is wanted");
                };
                return match &path.segments[1..] {
                    [] => *ty,
                    rest => self.lower_assoc(*ty, Some(first.name), rest, env),
                };
            }
        }
        let names: Vec<Name> = path.segments.iter().map(|s| s.name).collect();
        let found = match self.resolve(env.module, path.global, &names, Ns::Type) {
            Ok(Some(found)) => found,
            Ok(None) => return self.types.unknown(self.not_found(env.module, &names)),
            Err(e) => return self.types.unknown(e),
        };
        let ty = match found.def {
            // `use std::f32;` imports a module, which does not shadow the primitive.
            Def::Mod(_) if names.len() == 1 => match Prim::named(names[0].as_str()) {
                Some(prim) => self.types.prim(prim),
                None => return self.unknown(format!("`{}` is no type", names[0])),
            },
            Def::Prim(prim) => self.types.prim(prim),
            Def::Item(id) => {
                let args = path.segments[found.used - 1].args.as_deref();
                self.lower_item(id, args, env)
            }
            _ => return self.unknown(format!("`{}` is no type", shown(&names))),
        };
        match &path.segments[found.used..] {
            [] => ty,
            rest => self.lower_assoc(ty, None, rest, env),
        }
    }

    /// Returns a type that is unknown for this reason.
    pub fn unknown(&self, why: impl Into<std::sync::Arc<str>>) -> Ty {
        self.types.unknown(Unknown::because(why))
    }

    /// Explains why a path does not resolve, with the macro call that may define it.
    pub(crate) fn not_found(&self, module: ModId, names: &[Name]) -> Unknown {
        if self.krate_of(module) == self.std() {
            let names = shown(names);
            let why = format!("`{names}` of the standard library is not known on this target");
            return Unknown::because(why);
        }
        let mut why = format!("`{}` was not found", shown(names));
        let mut places = Vec::new();
        let mut up = Some(module);
        while let Some(m) = up {
            places.push(m);
            up = self.module(m).parent;
        }
        for used in 1..names.len() {
            if let Ok(Some(found)) = self.resolve(module, false, &names[..used], Ns::Type)
                && let Def::Mod(m) = found.def
            {
                places.insert(0, m);
            }
        }
        let hides = |m: &ModId| self.module(*m).scope.read().opaque.first().cloned();
        if let Some(opaque) = places.iter().find_map(hides) {
            why.push_str(&format!(" ({})", opaque.why));
        }
        Unknown::because(why)
    }

    /// Lowers an item used as a type, with its generic arguments.
    pub fn lower_item(&self, id: ItemId, args: Option<&Args>, env: &Env) -> Ty {
        let data = self.item(id);
        match &data.item.kind {
            ItemKind::Adt(_) => {
                let args = self.lower_item_args(id, args, env);
                self.types.intern(TyKind::Adt(id, args.into()))
            }
            ItemKind::TypeAlias(alias) => {
                if let Err(why) = self.trust(id) {
                    return self.types.unknown(why);
                }
                let Some(ty) = &alias.ty else {
                    return self.types.intern(TyKind::Foreign(id));
                };
                let args = self.lower_item_args(id, args, env);
                let key = (id, args);
                // Normalized and unnormalized types are cached separately.
                let aliases = &self.aliases[usize::from(self.walk.as_written.get())];
                if let Some(ty) = aliases.get(self, &key) {
                    return ty;
                }
                let chained = key.1.is_empty() && self.ask_chain(id);
                if !self.walk.evaluating.borrow_mut().insert(key.clone()) {
                    self.walk.circled.set(true);
                    return self.types.unknown(Unknown::Invalid(
                        format!("type alias `{}` stands for itself", data.item.name).into(),
                    ));
                }
                let params = self.bind(id, &key.1);
                let inner = Env {
                    module: data.module,
                    params: &params,
                    self_ty: None,
                    item: Some(id),
                };
                let around = self.walk.chained.replace(chained);
                let (ty, rests) = self.recording(|| self.lower(ty, &inner));
                self.walk.chained.set(around);
                self.walk.evaluating.borrow_mut().remove(&key);
                let known = !matches!(self.types.kind(ty), TyKind::Unknown(_));
                if known && self.walk.opening.get() == 0 {
                    aliases.keep(key, ty, &rests);
                }
                ty
            }
            // A trait as a type is the old syntax of `dyn Trait`.
            ItemKind::Trait(_) => self
                .types
                .intern(TyKind::Dyn([id].into(), [].into(), [].into())),
            _ => self.unknown(format!("`{}` is no type", data.item.name)),
        }
    }

    /// Returns the arguments of an item as a path writes them, with its defaults.
    pub fn lower_item_args(&self, id: ItemId, args: Option<&Args>, env: &Env) -> Vec<GArg> {
        match self.generics(id) {
            Some(generics) => self.lower_args(id, generics, args, env),
            None => Vec::new(),
        }
    }

    /// Lowers generic arguments, one per parameter, with defaults filled in.
    pub(crate) fn lower_args(
        &self,
        id: ItemId,
        generics: &ir::Generics,
        args: Option<&Args>,
        env: &Env,
    ) -> Vec<GArg> {
        let given: &[Arg] = args.map_or(&[], |a| &a.args);
        let mut bound: Vec<(Name, GArg)> = Vec::with_capacity(generics.params.len());
        let is_same_for_all = independent(&generics.params);
        for (i, param) in generics.params.iter().enumerate() {
            let arg = match (&param.kind, given.get(i)) {
                (ParamKind::Type { .. }, Some(Arg::Type(ty))) => GArg::Ty(self.lower(ty, env)),
                (ParamKind::Type { .. }, Some(Arg::Const(_))) => {
                    GArg::Ty(self.unknown("a constant stands where a type is wanted"))
                }
                (ParamKind::Type { default, .. }, None) => {
                    // Among very many parameters, an independent default does not see the others.
                    let alone = default.as_ref().is_some_and(&is_same_for_all);
                    let env = Env {
                        module: self.item(id).module,
                        params: if alone { &[] } else { &bound },
                        self_ty: None,
                        item: Some(id),
                    };
                    GArg::Ty(match default {
                        Some(ty) => {
                            let so_far = match alone {
                                true => vec![GArg::Const(Box::new(Const::Param(param.name)))],
                                false => bound.iter().map(|(_, a)| a.clone()).collect(),
                            };
                            let key = (id, so_far);
                            if self.walk.evaluating.borrow_mut().insert(key.clone()) {
                                let ty = self.lower(ty, &env);
                                self.walk.evaluating.borrow_mut().remove(&key);
                                ty
                            } else {
                                self.walk.circled.set(true);
                                self.unknown(format!(
                                    "the default of parameter `{}` asks for itself",
                                    param.name
                                ))
                            }
                        }
                        None => self.unknown(format!(
                            "no argument is given for parameter `{}` of `{}`",
                            param.name,
                            self.item(id).item.name
                        )),
                    })
                }
                (ParamKind::Const { ty, .. }, Some(Arg::Const(expr))) => {
                    let want = self.lower(ty, &Env::at(self, id));
                    GArg::Const(Box::new(self.const_arg(expr, want, env)))
                }
                (ParamKind::Const { .. }, Some(Arg::Type(ty))) => {
                    GArg::Const(Box::new(self.const_from_type(ty, env)))
                }
                (ParamKind::Const { ty, default }, None) => GArg::Const(Box::new(match default {
                    Some(expr) => {
                        let env = Env {
                            params: &bound,
                            ..Env::at(self, id)
                        };
                        self.const_arg(expr, self.lower(ty, &env), &env)
                    }
                    None => Const::Unknown(Unknown::because("a constant argument is missing")),
                })),
            };
            bound.push((param.name, arg));
        }
        bound.into_iter().map(|(_, a)| a).collect()
    }

    /// Lowers a path given as a type argument for a const parameter.
    fn const_from_type(&self, ty: &Type, env: &Env) -> Const {
        match ty {
            Type::Path(path) => {
                let expr = ir::Expr::Path(path.clone());
                self.const_arg(&expr, self.types.unit(), env)
            }
            Type::Qualified(s, t, rest) => {
                let expr = ir::Expr::Qualified(s.clone(), t.clone(), rest.clone());
                self.const_arg(&expr, self.types.unit(), env)
            }
            _ => Const::Unknown(Unknown::because("a type stands where a constant is wanted")),
        }
    }

    /// Returns the primitive that a type is.
    pub fn as_prim(&self, ty: Ty) -> Option<Prim> {
        match self.types.kind(ty) {
            TyKind::Prim(p) => Some(*p),
            _ => None,
        }
    }
}

/// With at most this many parameters, no default is treated as independent.
const MANY_PARAMS: usize = 32;

/// Returns a test for defaults that name none of many parameters, as far as is evident.
fn independent(params: &[ir::Param]) -> impl Fn(&Type) -> bool {
    let many = params.len() > MANY_PARAMS;
    let names = params.iter().filter(|_| many).map(|p| p.name);
    let names: FxHashSet<Name> = names.collect();
    move |ty| match ty {
        Type::Path(path) => {
            let lone =
                matches!(&path.segments[..], [s] if s.args.is_none() && !names.contains(&s.name));
            many && lone
        }
        _ => false,
    }
}

pub(crate) fn shown(names: &[Name]) -> String {
    let names: Vec<_> = names.iter().map(|n| n.as_str()).collect();
    names.join("::")
}
