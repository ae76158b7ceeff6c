//! Evaluates constant items, associated constants and const generic arguments.

mod member;

use super::floats::Float;
use super::ty::{Const, GArg, Prim, Ty, TyKind};
use super::types::{Env, names_param};
use super::{Db, Def, ItemId, ModId, Ns, Res, Unknown};
use crate::ir::{self, Expr, ItemKind, Segment, Type};
use crate::lower;
use crate::name::Name;
use crate::span::Span;
pub use member::{By, Of};
use std::sync::Arc;

/// A constant's value. References are transparent.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// An integer, with its type if known.
    Int(i128, Option<Prim>),
    /// A float.
    Float(Float),
    /// `true`, `false`.
    Bool(bool),
    /// A character.
    Char(char),
    /// A string.
    Str(Arc<str>),
    /// A tuple; `()` is the empty one.
    Tuple(Vec<Value>),
    /// An array or slice.
    Array(Arc<Vec<Value>>),
    /// A struct with its fields.
    Struct(ItemId, Vec<(Name, Value)>),
    /// A variant with its fields.
    Variant(ItemId, u32, Box<[Value]>),
}

impl Value {
    /// Returns the number of nested values that a clone copies.
    pub(super) fn weight(&self) -> u32 {
        let sum = |n: u32, v: &Value| n.saturating_add(1).saturating_add(v.weight());
        match self {
            Value::Tuple(list) => list.iter().fold(0, sum),
            Value::Struct(_, fields) => fields.iter().map(|(_, v)| v).fold(0, sum),
            Value::Variant(_, _, list) => list.iter().fold(0, sum),
            _ => 0,
        }
    }

    /// Creates an integer of the given type, such as `usize`.
    pub fn int(n: u64, prim: Prim) -> Value {
        Value::Int(i128::from(n), Some(prim))
    }
}

impl<'a> Db<'a> {
    /// Evaluates a constant in a type: an array length, or a const argument of type `want`.
    pub fn const_arg(&self, expr: &Expr, want: Ty, env: &Env) -> Const {
        let as_written = self.walk.as_written.replace(false);
        let value = self.const_arg_of(expr, want, env);
        self.walk.as_written.set(as_written);
        value
    }

    fn const_arg_of(&self, expr: &Expr, want: Ty, env: &Env) -> Const {
        if let Expr::Path(path) = expr
            && let [only] = &path.segments[..]
            && let Some(arg) = env.param(only.name)
        {
            return match arg {
                GArg::Const(c) => (**c).clone(),
                GArg::Ty(_) => Const::Unknown(Unknown::because("a type stands for a constant")),
            };
        }
        // `{ N }`
        if let Expr::Block(None, block) = expr
            && block.stmts.is_empty()
            && !block.has_items
            && let Some(tail) = &block.tail
        {
            return self.const_arg(tail, want, env);
        }
        match self.eval_as(expr, env, Some(want)) {
            Ok(Value::Int(n, _)) => Const::Value(n),
            Ok(Value::Bool(b)) => Const::Value(i128::from(b)),
            Ok(Value::Char(c)) => Const::Value(i128::from(u32::from(c))),
            Ok(_) => Const::Unknown(Unknown::because("a constant that is no number")),
            Err(why) => Const::Unknown(why),
        }
    }

    /// Evaluates a constant string, as `include!` and `concat!` take them.
    pub(crate) fn const_str(&self, module: ModId, expr: &Expr) -> Res<String> {
        match self.eval(expr, &Env::plain(module))? {
            Value::Str(s) => Ok(s.to_string()),
            _ => Err(Unknown::because("a constant that is no string")),
        }
    }

    /// Evaluates a constant item or associated constant with its generic parameters bound.
    pub(crate) fn const_value(
        &self,
        id: ItemId,
        self_ty: Option<Ty>,
        params: &[(Name, GArg)],
    ) -> Res<Value> {
        let data = self.item(id);
        let (written_ty, value) = match &data.item.kind {
            ItemKind::Const(c) => (&c.ty, self.value_of(id, c.value.as_deref(), c.value_span)),
            ItemKind::Static(ty, span) => (&**ty, self.value_of(id, None, *span)),
            ItemKind::Adt(adt) if is_unit(adt) => return Ok(Value::Struct(id, Vec::new())),
            _ => {
                let name = data.item.name;
                let why = format!("`{name}` as a value is not understood in a constant");
                return Err(Unknown::because(why));
            }
        };
        let span = match &data.item.kind {
            ItemKind::Const(c) => c.value_span,
            ItemKind::Static(_, span) => *span,
            _ => None,
        };
        let Some(value) = value else {
            return Err(Unknown::because(format!(
                "`{}` has no value",
                data.item.name
            )));
        };
        self.trust(id)?;
        let mut args: Vec<GArg> = params.iter().map(|(_, a)| a.clone()).collect();
        args.extend(self_ty.map(GArg::Ty));
        let key = (id, args);
        if let Some(value) = self.constants.get(self, &key) {
            return Ok(value);
        }
        if !self.walk.evaluating.borrow_mut().insert(key.clone()) {
            self.walk.circled.set(true);
            let why = format!("constant `{}` depends on itself", data.item.name);
            return Err(Unknown::Invalid(why.into()));
        }
        let env = Env {
            module: data.module,
            params,
            self_ty,
            item: Some(id),
        };
        let (value, rests) = self.recording(|| {
            let ty = self.lower(written_ty, &env);
            let value = self.eval_value(value, &env, Some(ty), span)?;
            Ok(self.coerce(value, self.as_prim(ty)))
        });
        self.walk.evaluating.borrow_mut().remove(&key);
        if let Ok(value) = &value
            && self.walk.opening.get() == 0
        {
            self.constants.keep(key, value.clone(), &rests);
        }
        value
    }

    /// Returns the initializer of a constant, parsed on first use.
    fn value_of<'c>(
        &'c self,
        id: ItemId,
        value: Option<&'c Expr>,
        span: Option<Span>,
    ) -> Option<&'c Expr> {
        if value.is_some() {
            return value;
        }
        let span = span?;
        if let Some(read) = self.late_values.get(&id) {
            return Some(read);
        }
        let read = lower::expr(&self.sources.get(span.file), span.range());
        let read = read.unwrap_or_else(|error| {
            let krate = self.krate_of(self.item(id).module);
            self.problem(krate, error.span, error.message);
            lower::UNREAD
        });
        Some(self.late_values.insert(id, Box::new(read)))
    }

    /// Wraps an integer to its type.
    pub(crate) fn coerce(&self, value: Value, prim: Option<Prim>) -> Value {
        match (value, prim) {
            (Value::Int(n, _), Some(p)) => match p.int(self.pointer_bits()) {
                Some((bits, signed)) => Value::Int(wrap(n, bits, signed), Some(p)),
                None => Value::Int(n, Some(p)),
            },
            (value, _) => value,
        }
    }

    /// Returns the width of a pointer in bits.
    pub(crate) fn pointer_bits(&self) -> u32 {
        u32::from(self.project.target.layout.pointer_bits)
    }

    /// Evaluates a path in an expression.
    pub fn eval_path(&self, path: &ir::Path, env: &Env) -> Res<Value> {
        self.callable_value(self.value_path(path, env)?)
    }

    /// Resolves a path in an expression.
    pub(crate) fn value_path(&self, path: &ir::Path, env: &Env) -> Res<Callable> {
        let names: Vec<Name> = path.segments.iter().map(|s| s.name).collect();
        if let [name] = names[..]
            && !path.global
            && let Some(GArg::Const(c)) = env.param(name)
        {
            return Ok(Callable::Param(c.clone(), self.param_prim(name, env)));
        }
        if !path.global
            && path.segments.len() > 1
            && (names[0] == "Self" && env.self_ty.is_some() || env.param(names[0]).is_some())
        {
            let prefix = Type::Path(prefix(path, 1));
            let ty = self.lower(&prefix, env);
            if let [name] = names[1..]
                && let Some(param) = self.stands_for_a_type(names[0], env)
            {
                return self.param_member(ty, param, name, env);
            }
            return self.assoc_path((ty, &prefix), Some(names[0]), &path.segments[1..], env);
        }
        // `Self(3)`, and `Self` of a struct without fields.
        if let [name] = names[..]
            && name == "Self"
            && !path.global
            && let Some(TyKind::Adt(id, _)) = env.self_ty.map(|ty| self.types.kind(ty))
        {
            return Ok(Callable::item(*id, None, Vec::new()));
        }
        let found = self.resolve(env.module, path.global, &names, Ns::Value)?;
        match found {
            Some(f) if f.used == names.len() => match f.def {
                Def::Variant(id, i) => Ok(Callable::Variant(id, i)),
                Def::Item(id) => Ok(Callable::item(id, None, Vec::new())),
                _ => Err(self.not_found(env.module, &names)),
            },
            Some(f) => {
                let prefix = Type::Path(prefix(path, f.used));
                let ty = self.lower(&prefix, env);
                self.assoc_path((ty, &prefix), None, &path.segments[f.used..], env)
            }
            None => Err(self.not_found(env.module, &names)),
        }
    }

    /// Resolves `<T as Trait>::rest` in an expression.
    pub(crate) fn qualified_value(
        &self,
        self_ty: &Type,
        trait_: Option<&ir::Path>,
        rest: &[Segment],
        env: &Env,
    ) -> Res<Callable> {
        let ty = self.lower(self_ty, env);
        let Some(path) = trait_ else {
            return self.assoc_path((ty, self_ty), None, rest, env);
        };
        let id = self
            .trait_at(path, env)?
            .ok_or_else(|| Unknown::because("a trait that was not found"))?;
        let args = self.trait_args(id, path, ty, env);
        self.trait_member(ty, id, &args, rest[0].name)
    }

    fn trait_member(&self, ty: Ty, id: ItemId, args: &[GArg], name: Name) -> Res<Callable> {
        self.known(ty)?;
        let Some((imp, params)) = self.find_impl(ty, id, args)? else {
            let trait_ = self.item(id).item.name;
            return Err(Unknown::because(format!(
                "no `impl` of `{trait_}` was found that gives `{name}`"
            )));
        };
        if let Some(member) = self.member(imp, name)? {
            return Ok(Callable::item(member, Some(ty), params));
        }
        match self.default_member(imp, id, name)? {
            Some(member) => Ok(Callable::item(member, Some(ty), self.bind(id, args))),
            None => Err(Unknown::because(format!("`{name}` was not found"))),
        }
    }

    /// Fails if the type is unknown or depends on a parameter.
    fn known(&self, ty: Ty) -> Res<()> {
        match self.types.kind(ty) {
            TyKind::Unknown(why) => Err(why.clone()),
            TyKind::Param(name, ..) => Err(Unknown::Generic(*name)),
            TyKind::Proj(_, _, name, _) => Err(Unknown::Generic(*name)),
            _ => Ok(()),
        }
    }

    /// Resolves `Type::rest`, the type given as it is written too.
    fn assoc_path(
        &self,
        (ty, as_written): (Ty, &Type),
        written: Option<Name>,
        rest: &[Segment],
        env: &Env,
    ) -> Res<Callable> {
        let mut by = match self.is_generic(env) {
            true => By::Written(as_written, env),
            false => By::Itself,
        };
        let (mut ty, mut written) = (ty, written);
        let mut rest = rest;
        while rest.len() > 1 {
            ty = self.lower_assoc(ty, written.take(), &rest[..1], env);
            rest = &rest[1..];
            if self.is_generic(env) {
                by = By::Projection;
            }
        }
        let name = rest[0].name;
        if let Some((id, i)) = self.variant_of(ty, name)? {
            return Ok(Callable::Variant(id, i));
        }
        self.known(ty)?;
        if let Some(value) = self.limit_of_non_zero(ty, name) {
            return Ok(value);
        }
        self.assoc_item(Of { ty, by }, name, env.module)?
            .ok_or_else(|| Unknown::because(format!("associated item `{name}` was not found")))
    }

    /// Returns true if generic parameters, or the `Self` of a trait, may stand in types.
    fn is_generic(&self, env: &Env) -> bool {
        let around = |item: ItemId| self.item(item).owner.unwrap_or(item);
        let is_trait = |item| matches!(self.item(item).item.kind, ItemKind::Trait(_));
        !env.params.is_empty() || env.item.is_some_and(|item| is_trait(around(item)))
    }

    fn variant_of(&self, ty: Ty, name: Name) -> Res<Option<(ItemId, u32)>> {
        let TyKind::Adt(id, _) = self.types.kind(ty) else {
            return Ok(None);
        };
        let data = self.item(*id);
        let ItemKind::Adt(adt) = &data.item.kind else {
            return Ok(None);
        };
        if adt.kind != ir::AdtKind::Enum {
            return Ok(None);
        }
        let at = self.variants_named(*id, adt, name);
        Ok(at.first().map(|i| (*id, *i)))
    }

    /// Returns the parameter that the prefix of a path refers to where it is written: a parameter
    /// itself, or `Self` in a trait or in `impl<T> Trait for T`. Inherent items of the substituted
    /// type are not visible there, only those of the bounds.
    fn stands_for_a_type(&self, name: Name, env: &Env) -> Option<Name> {
        if name != "Self" {
            return Some(name);
        }
        let item = env.item?;
        let around = self.item(item).owner.unwrap_or(item);
        match &self.item(around).item.kind {
            ItemKind::Trait(_) => Some(name),
            ItemKind::Impl(imp) => {
                let params = self.generics(around).map_or(&[][..], |g| &g.params);
                let mut names = params.iter().map(|p| p.name);
                names.find(|n| names_param(&imp.self_ty, *n))
            }
            _ => None,
        }
    }

    /// Resolves `T::NAME` for a parameter by its bounds; if they are not found, by the traits of
    /// the substituted type.
    fn param_member(&self, ty: Ty, param: Name, name: Name, env: &Env) -> Res<Callable> {
        self.known(ty)?;
        if let Some((id, args)) = self.value_bound(param, name, ty, env) {
            return self.trait_member(ty, id, &args, name);
        }
        self.assoc_of_traits(ty, name, env.module)?
            .ok_or_else(|| Unknown::because(format!("associated item `{name}` was not found")))
    }

    /// Returns the integer type of a const parameter, if its declaration is found.
    fn param_prim(&self, name: Name, env: &Env) -> Option<Prim> {
        let item = env.item?;
        let owners = [Some(item), self.item(item).owner];
        let mut generics = owners
            .into_iter()
            .flatten()
            .filter_map(|id| self.generics(id));
        let param = generics.find_map(|g| g.params.iter().find(|p| p.name == name))?;
        match &param.kind {
            ir::ParamKind::Const { ty, .. } => self.as_prim(self.lower(ty, env)),
            ir::ParamKind::Type { .. } => None,
        }
    }
}

/// What a path in an expression refers to.
#[derive(Clone, Debug)]
pub enum Callable {
    /// A constant, static, function or struct, with its bindings.
    Item(ItemId, Box<Bindings>),
    /// A variant.
    Variant(ItemId, u32),
    /// A const parameter's value, and its type if known.
    Param(Box<Const>, Option<Prim>),
}

/// `Self` and generic parameters of an item that an expression names.
#[derive(Clone, Debug)]
pub struct Bindings {
    /// `Self`.
    pub self_ty: Option<Ty>,
    /// The generic parameters.
    pub params: Vec<(Name, GArg)>,
}

impl Callable {
    pub(super) fn item(id: ItemId, self_ty: Option<Ty>, params: Vec<(Name, GArg)>) -> Callable {
        Callable::Item(id, Box::new(Bindings { self_ty, params }))
    }
}

/// Returns true for `struct Name;`.
fn is_unit(adt: &ir::Adt) -> bool {
    let unit = |v: &ir::Variant| v.style == ir::Style::Unit;
    adt.kind == ir::AdtKind::Struct && adt.variants.iter().all(unit)
}

fn prefix(path: &ir::Path, len: usize) -> ir::Path {
    ir::Path {
        global: path.global,
        segments: path.segments[..len].into(),
        span: path.span,
    }
}

/// Keeps the low `bits` of a number, sign-extended if signed.
pub(crate) fn wrap(n: i128, bits: u32, signed: bool) -> i128 {
    if bits >= 128 {
        return n;
    }
    let low = n & ((1i128 << bits) - 1);
    if signed && low >> (bits - 1) & 1 == 1 {
        low - (1i128 << bits)
    } else {
        low
    }
}
