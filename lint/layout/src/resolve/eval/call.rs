//! Calls in constant expressions: `const fn`s and constructors.

use super::{Frame, Step, Stop, give_up};
use crate::budget;
use crate::ir::{Args, Expr, Function, FunctionBody, Generics, ItemKind, Param, ParamKind, Type};
use crate::lower;
use crate::name::Name;
use crate::resolve::consts::{Callable, Of, Value};
use crate::resolve::ty::{Const, GArg, Prim, Ty, TyKind};
use crate::resolve::types::Env;
use crate::resolve::{Db, ItemId, Res, Unknown};
use std::sync::Arc;

impl<'a> Db<'a> {
    /// Returns the value of a path that is not called.
    pub(in crate::resolve) fn callable_value(&self, callable: Callable) -> Res<Value> {
        match callable {
            Callable::Item(id, around) => self.const_value(id, around.self_ty, &around.params),
            Callable::Variant(id, i) => Ok(Value::Variant(id, i, Box::default())),
            Callable::Param(constant, prim) => match *constant {
                Const::Value(n) => Ok(Value::Int(n, prim)),
                Const::Unknown(why) => Err(why),
                Const::Param(name) => Err(Unknown::Generic(name)),
                Const::Infer(_) => Err(Unknown::because("a constant left open")),
            },
        }
    }

    pub(super) fn call(&self, callee: &Expr, args: &[Expr], f: &mut Frame) -> Step<Value> {
        if let Some(value) = self.call_of_primitive(callee, args, f)? {
            return Ok(value);
        }
        let (callable, generic_args) = match callee {
            Expr::Path(path) => {
                let last = path.segments.last().and_then(|s| s.args.as_deref());
                (self.value_path(path, &f.env)?, last.cloned())
            }
            Expr::Qualified(ty, trait_, rest) => {
                let last = rest.last().and_then(|s| s.args.as_deref()).cloned();
                (
                    self.qualified_value(ty, trait_.as_deref(), rest, &f.env)?,
                    last,
                )
            }
            _ => return give_up("a call that is not understood"),
        };
        match callable {
            Callable::Variant(id, i) => Ok(Value::Variant(id, i, self.list(args, f)?.into())),
            Callable::Item(id, around) => {
                if let Some(value) = self.size_of_value(id, args, f) {
                    return value;
                }
                if let Some(value) = self.intrinsic(id, generic_args.as_ref(), &f.env) {
                    return Ok(value?);
                }
                let values = self.list(args, f)?;
                let mut params = around.params;
                if let Some(given) = &generic_args {
                    params.extend(self.call_params(id, given, &f.env)?);
                }
                self.call_item(id, around.self_ty, &params, values, f.depth)
            }
            Callable::Param(..) => give_up("a call of a constant"),
        }
    }

    /// Evaluates `usize::pow(2, 3)` or `<[T]>::len(list)`: a method of a primitive type called by
    /// path.
    fn call_of_primitive(
        &self,
        callee: &Expr,
        args: &[Expr],
        f: &mut Frame,
    ) -> Step<Option<Value>> {
        let (ty, name) = match callee {
            Expr::Path(path) if path.segments.len() == 2 && !path.global => {
                let [ty, method] = [0, 1].map(|i| path.segments[i].name);
                match Prim::named(ty.as_str()) {
                    Some(prim) if self.value_path(path, &f.env).is_err() => {
                        (self.types.prim(prim), method)
                    }
                    None if method == "new" => {
                        let first = [path.segments[0].clone()].into_iter().collect();
                        let path = crate::ir::Path {
                            segments: first,
                            ..path.clone()
                        };
                        (self.lower(&Type::Path(path), &f.env), method)
                    }
                    _ => return Ok(None),
                }
            }
            Expr::Qualified(ty, None, rest) if rest.len() == 1 => {
                (self.lower(ty, &f.env), rest[0].name)
            }
            _ => return Ok(None),
        };
        if let ([arg], true) = (args, self.is_non_zero(ty)) {
            let value = self.step_as(arg, None, f)?;
            return Ok(self.new_non_zero(ty, name, &value));
        }
        let own = matches!(
            self.types.kind(ty),
            TyKind::Prim(_) | TyKind::Slice(_) | TyKind::Array(..)
        );
        if !own
            || args.is_empty()
            || self
                .assoc_item(Of::itself(ty), name, f.env.module)?
                .is_some()
        {
            return Ok(None);
        }
        if let TyKind::Prim(prim) = *self.types.kind(ty)
            && name.as_str().starts_with("from_")
        {
            let bytes = self.step_expr(&args[0], f)?;
            return Ok(match &bytes {
                Value::Array(list) => self.int_from_bytes(name.as_str(), prim, list),
                _ => None,
            });
        }
        let receiver = self.step_as(&args[0], Some(ty), f)?;
        let fits = match (&receiver, self.types.kind(ty)) {
            (Value::Int(_, have), TyKind::Prim(prim)) => *have == Some(*prim),
            (Value::Array(_), TyKind::Slice(_) | TyKind::Array(..)) => true,
            _ => false,
        };
        if !fits {
            return Ok(None);
        }
        let mut values = vec![receiver];
        for arg in &args[1..] {
            values.push(self.step_expr(arg, f)?);
        }
        Ok(Some(self.method(name, values, f.env.module, f.depth)?))
    }

    /// Binds the generic arguments written at a call to the function's parameters.
    fn call_params(&self, id: ItemId, given: &Args, env: &Env) -> Step<Vec<(Name, GArg)>> {
        let ItemKind::Fn(function) = &self.item(id).item.kind else {
            return Ok(Vec::new());
        };
        let Some(body) = self.function(id, function) else {
            return Ok(Vec::new());
        };
        let args = self.lower_args(id, &body.generics, Some(given), env);
        let names = body.generics.params.iter().map(|p| p.name);
        Ok(names.zip(args).collect())
    }

    /// Parses a function in full, once.
    fn function(&self, id: ItemId, function: &Function) -> Option<Arc<FunctionBody>> {
        if let Some(body) = self.functions.get(&id) {
            return body;
        }
        let source = self.sources.get(function.signature.file);
        let body = lower::function(&source, function).ok().map(Arc::new);
        self.functions.keep(id, body)
    }

    /// Calls a `const fn` or a tuple struct constructor.
    pub(in crate::resolve) fn call_fn(
        &self,
        callable: Callable,
        values: Vec<Value>,
        depth: u32,
    ) -> Result<Value, Unknown> {
        let Callable::Item(id, around) = callable else {
            return Err(Unknown::because("a call that is not understood"));
        };
        match self.call_item(id, around.self_ty, &around.params, values, depth) {
            Ok(value) => Ok(value),
            Err(Stop::Unknown(why)) => Err(why),
            Err(_) => Err(Unknown::because("a jump out of a function")),
        }
    }

    /// Returns the value of a constant parameter as a variable, with the type that the caller's
    /// arguments lack.
    fn const_param(&self, param: &Param, env: &Env) -> Option<(Name, Value)> {
        let ParamKind::Const { ty, .. } = &param.kind else {
            return None;
        };
        let Some(GArg::Const(value)) = env.param(param.name) else {
            return None;
        };
        let Const::Value(n) = **value else {
            return None;
        };
        let value = match self.as_prim(self.lower(ty, env))? {
            Prim::Bool => Value::Bool(n != 0),
            prim if prim.int(self.pointer_bits()).is_some() => Value::Int(n, Some(prim)),
            _ => return None,
        };
        Some((param.name, value))
    }

    /// Adds the inferred arguments of a call, which are unknown, and must not resolve to an item of
    /// the same name.
    fn with_inferred(&self, params: &[(Name, GArg)], generics: &Generics) -> Vec<(Name, GArg)> {
        let mut params = params.to_vec();
        for param in &generics.params {
            if params.iter().all(|(name, _)| *name != param.name) {
                let why = Unknown::because("a generic argument that is not written");
                let arg = match &param.kind {
                    ParamKind::Const { .. } => GArg::Const(Box::new(Const::Unknown(why))),
                    ParamKind::Type { .. } => GArg::Ty(self.types.unknown(why)),
                };
                params.push((param.name, arg));
            }
        }
        params
    }

    fn call_item(
        &self,
        id: ItemId,
        self_ty: Option<Ty>,
        params: &[(Name, GArg)],
        values: Vec<Value>,
        depth: u32,
    ) -> Step<Value> {
        let data = self.item(id);
        self.trust(id)?;
        let function = match &data.item.kind {
            ItemKind::Fn(function) => function,
            ItemKind::Adt(_) => {
                let named = values.into_iter().enumerate();
                let fields = named.map(|(i, v)| {
                    let name = Name::new(&i.to_string());
                    let want = self.field_type(id, &[], name);
                    (name, self.as_wanted(v, want))
                });
                return Ok(Value::Struct(id, fields.collect()));
            }
            _ => return give_up("a call of what is no function"),
        };
        self.charge(budget::COST_OF_FUNCTION)?;
        let Some(body) = self.function(id, function) else {
            return give_up("a function that could not be read");
        };
        // Arguments are passed by value: a write through the reference would be lost.
        if body
            .inputs
            .iter()
            .any(|(_, ty)| matches!(ty, Type::Ref(_, true)))
        {
            return give_up("a function that takes `&mut` is not understood in a constant");
        }
        let params = self.with_inferred(params, &body.generics);
        let inside = match body.block.has_items {
            true => self.module_of_body(id),
            false => None,
        };
        let env = Env {
            module: inside.unwrap_or(data.module),
            params: &params,
            self_ty,
            item: Some(id),
        };
        let mut frame = Frame {
            env,
            locals: Vec::with_capacity(values.len()),
            depth: depth + 1,
            want: None,
            output: Some(self.lower(&body.output, &env)),
            macros: Vec::new(),
            writes: 0,
            body: inside.is_some().then_some(&body.block),
        };
        for ((name, ty), value) in body.inputs.iter().zip(values) {
            let prim = self.as_prim(self.lower(ty, &env));
            frame.locals.push((*name, self.coerce(value, prim)));
        }
        for param in &body.generics.params {
            frame.locals.extend(self.const_param(param, &env));
        }
        let output = frame.output;
        let value = match self.block(&body.block, output, &mut frame) {
            Ok(value) | Err(Stop::Return(value)) => value,
            Err(Stop::Unknown(why)) => return Err(Stop::Unknown(why)),
            Err(_) => return give_up("a jump out of a function"),
        };
        let prim = output.and_then(|ty| self.as_prim(ty));
        Ok(self.coerce(value, prim))
    }
}
