//! Calls: what a function takes teaches its arguments, what they are teaches its parameters.

use super::Infer;
use super::path::Named;
use crate::ir::body::{ExprId, ExprKind, PatId, Signature};
use crate::ir::{self, Args, Bound, ParamKind, Segment, Style, Type};
use crate::name::Name;
use crate::resolve::ItemId;
use crate::resolve::ty::{GArg, Ty, TyKind};
use crate::resolve::types::Env;
use crate::usage::body::Target;
use crate::usage::members::Callee;

/// Methods of iterators and collections that call their closure for each item.
const LOOPING: &[&str] = &[
    "all",
    "any",
    "chunk_by",
    "dedup_by_key",
    "extend",
    "filter",
    "filter_map",
    "find",
    "find_map",
    "flat_map",
    "fold",
    "for_each",
    "from_fn",
    "inspect",
    "map",
    "map_while",
    "max_by_key",
    "min_by_key",
    "par_iter",
    "partition",
    "position",
    "reduce",
    "repeat_with",
    "retain",
    "retain_mut",
    "scan",
    "skip_while",
    "sort_by",
    "sort_by_key",
    "take_while",
    "try_fold",
    "try_for_each",
];

/// Of these, those that what holds one value at the most has too.
const ONCE: &[&str] = &["filter", "inspect", "map"];

/// What is called: its item, what is bound around it, and its signature.
struct Called<'c> {
    item: ItemId,
    self_ty: Option<Ty>,
    params: &'c [(Name, GArg)],
    signature: &'c Signature,
}

impl<'i> Infer<'i> {
    pub(super) fn call(
        &mut self,
        id: ExprId,
        callee: ExprId,
        args: &'i [ExprId],
        expected: Ty,
    ) -> Ty {
        let function = self.function;
        let named = match &function.body.expr(callee).kind {
            ExprKind::Path(path) => {
                let local = path.segments.len() == 1 && self.local(path.segments[0].name).is_some();
                match local {
                    true => None,
                    false => self.named(path).map(|n| (n, path.segments.last())),
                }
            }
            ExprKind::Qualified(ty, _, rest) => match &rest[..] {
                [one] => {
                    let ty = self.lower(ty);
                    self.associated(ty, one).map(|n| (n, rest.last()))
                }
                _ => None,
            },
            _ => None,
        };
        let Some((named, segment)) = named else {
            return self.call_value(callee, args);
        };
        // The path itself is looked at, with its target.
        self.seen(callee, id);
        let turbofish = segment.and_then(|s| s.args.as_deref());
        match named {
            Named::Ctor(adt, variant, ty) => {
                self.fact_mut(callee).target = Some(Target::Ctor(adt, variant));
                self.fact_mut(id).target = Some(Target::Ctor(adt, variant));
                let ty = self.join(ty, expected);
                let types = match self.style(adt, variant) {
                    Some(Style::Tuple) => self.field_types(ty, variant),
                    _ => Vec::new(),
                };
                let mut found = Vec::with_capacity(args.len());
                for (i, &arg) in args.iter().enumerate() {
                    let wanted = types.get(i).copied().unwrap_or(self.unknown());
                    found.push((i as u32, self.expr(arg, wanted)));
                }
                self.argued(ty, variant, &found)
            }
            Named::Item(item) => {
                self.fact_mut(callee).target = Some(Target::Item(item));
                self.fact_mut(id).target = Some(Target::Item(item));
                let Some(signature) = self.members.signature(item) else {
                    return self.unasked(args);
                };
                let called = Called {
                    item,
                    self_ty: None,
                    params: &[],
                    signature: &signature,
                };
                self.apply(&called, None, args, turbofish, expected)
            }
            Named::Member(found) => {
                let target = match found.library {
                    true => Target::Library,
                    false => Target::Item(found.item),
                };
                self.fact_mut(callee).target = Some(target);
                self.fact_mut(id).target = Some(target);
                let ty = self.member_call(&found, None, args, turbofish, expected);
                match found.library {
                    true => self.wrapped(ty, args, expected),
                    false => ty,
                }
            }
            Named::Foreign(ty, name) => {
                self.unasked(args);
                self.foreign(ty, name)
            }
        }
    }

    /// What an associated function of which no more is known most likely gives.
    fn foreign(&self, ty: Ty, name: Name) -> Ty {
        match name.as_str() {
            "new" | "default" | "with_capacity" | "from" | "from_iter" => ty,
            _ => self.unknown(),
        }
    }

    fn unasked(&mut self, args: &[ExprId]) -> Ty {
        for &arg in args {
            self.any(arg);
        }
        self.unknown()
    }

    /// Marks an expression as read without asking for its type.
    fn seen(&mut self, id: ExprId, parent: ExprId) {
        let loops = self.loops;
        let fact = self.fact_mut(id);
        fact.live = true;
        fact.parent = Some(parent);
        fact.loops = loops;
    }

    /// A call of a closure or function pointer.
    fn call_value(&mut self, callee: ExprId, args: &[ExprId]) -> Ty {
        let ty = self.any(callee);
        match self.db.types.kind(self.peeled(ty)) {
            TyKind::FnPtr(inputs, output) => {
                let (inputs, output) = (inputs.clone(), *output);
                for (i, &arg) in args.iter().enumerate() {
                    let wanted = inputs.get(i).copied().unwrap_or(self.unknown());
                    self.expr(arg, wanted);
                }
                output
            }
            _ => self.unasked(args),
        }
    }

    pub(super) fn method_call(
        &mut self,
        id: ExprId,
        receiver: ExprId,
        method: &'i Segment,
        args: &'i [ExprId],
        expected: Ty,
    ) -> Ty {
        let ty = self.any(receiver);
        let name = method.name;
        // An `Option` and a `Result` have some of these methods too, and no loop.
        let one = ONCE.contains(&name.as_str()) && {
            let on = self.peeled(ty);
            self.is_unknown(on) || self.std_is(on, "Option") || self.std_is(on, "Result")
        };
        let looping = LOOPING.contains(&name.as_str()) && !one;
        let found = self.members.method(ty, name);
        self.loops += u16::from(looping);
        let result = match found {
            Some((callee, on)) => {
                let target = match callee.library {
                    true => Target::Library,
                    false => Target::Item(callee.item),
                };
                self.fact_mut(id).target = Some(target);
                let turbofish = method.args.as_deref();
                self.member_call(&callee, Some(on), args, turbofish, expected)
            }
            None => {
                let open = match self.is_unknown(self.peeled(ty)) {
                    true => Target::Open(name),
                    false => Target::Library,
                };
                self.fact_mut(id).target = Some(open);
                self.unlisted(ty, name, args)
            }
        };
        self.loops -= u16::from(looping);
        self.teach(receiver, name, args);
        match name.as_str() {
            "flatten" | "flat_map" => self.members.flattened(result),
            _ => result,
        }
    }

    /// Methods that every type may have.
    fn unlisted(&mut self, receiver: Ty, name: Name, args: &[ExprId]) -> Ty {
        self.unasked(args);
        let types = &self.db.types;
        match name.as_str() {
            "clone" | "to_owned" | "cloned" => self.peeled(receiver),
            "to_string" => self.members.string().unwrap_or(self.unknown()),
            "len" | "count" | "capacity" => types.prim(crate::resolve::ty::Prim::Usize),
            "is_empty" | "contains" | "eq" | "ne" => types.prim(crate::resolve::ty::Prim::Bool),
            "borrow" | "as_ref" | "by_ref" | "iter" | "pin" => self.unknown(),
            _ => self.unknown(),
        }
    }

    /// What goes into a collection teaches its type.
    fn teach(&mut self, receiver: ExprId, name: Name, args: &[ExprId]) {
        let ty = self.fact_mut(receiver).ty;
        let element = match (name.as_str(), args) {
            ("push" | "push_back" | "push_front", [value]) => self.fact_mut(*value).ty,
            ("insert", [value]) => self.fact_mut(*value).ty,
            ("insert", [_, value]) if self.std_is(self.peeled(ty), "Vec") => {
                self.fact_mut(*value).ty
            }
            ("insert", [key, value]) => {
                let (key, value) = (self.fact_mut(*key).ty, self.fact_mut(*value).ty);
                return self.learn_args(receiver, &[key, value]);
            }
            _ => return,
        };
        self.learn_args(receiver, &[element]);
    }

    fn learn_args(&mut self, receiver: ExprId, found: &[Ty]) {
        let ty = self.fact_mut(receiver).ty;
        let TyKind::Adt(id, args) = self.db.types.kind(ty) else {
            return;
        };
        let fill = |(i, arg): (usize, &GArg)| match (arg, found.get(i)) {
            (GArg::Ty(ty), Some(found)) => GArg::Ty(self.join(*ty, *found)),
            _ => arg.clone(),
        };
        let args = args.iter().enumerate().map(fill).collect();
        let better = self.db.types.intern(TyKind::Adt(*id, args));
        self.fact_mut(receiver).ty = better;
        self.learn(receiver, better);
    }

    fn member_call(
        &mut self,
        callee: &Callee,
        on: Option<Ty>,
        args: &'i [ExprId],
        turbofish: Option<&Args>,
        expected: Ty,
    ) -> Ty {
        let Some(signature) = self.members.signature(callee.item) else {
            return self.unasked(args);
        };
        let called = Called {
            item: callee.item,
            self_ty: Some(callee.self_ty),
            params: &callee.params,
            signature: &signature,
        };
        self.apply(&called, on, args, turbofish, expected)
    }

    /// Reads the arguments of a call with what the signature wants, and gives what it returns.
    fn apply(
        &mut self,
        called: &Called,
        on: Option<Ty>,
        args: &'i [ExprId],
        turbofish: Option<&Args>,
        expected: Ty,
    ) -> Ty {
        let db = self.db;
        let signature = called.signature;
        let own: Vec<Name> = signature.generics.params.iter().map(|p| p.name).collect();
        let holes = self.holes(&own, 0);
        let mut bound: Vec<Option<GArg>> = vec![None; own.len()];
        let given = turbofish.map_or(&[][..], |t| &t.args);
        for (slot, arg) in bound.iter_mut().zip(given) {
            if let ir::Arg::Type(ty) = arg
                && *ty != Type::Infer
            {
                *slot = Some(GArg::Ty(self.lower(ty)));
            }
        }
        let module = db.item(called.item).module;
        let lower = |params: &[(Name, GArg)], ty: &Type| {
            let env = Env {
                module,
                params,
                self_ty: called.self_ty,
                item: Some(called.item),
            };
            match ty {
                Type::Impl(bounds) => db.lower(&Type::Dyn(bounds.clone()), &env),
                ty => db.lower(ty, &env),
            }
        };
        let with = |own: &[(Name, GArg)]| -> Vec<(Name, GArg)> {
            own.iter().chain(called.params).cloned().collect()
        };
        let pattern_params = with(&holes);
        // What is expected of the result may say what the parameters are.
        if let Some(output) = &signature.output
            && !self.is_unknown(expected)
            && !own.is_empty()
        {
            let pattern = lower(&pattern_params, output);
            let mut tried = bound.clone();
            if db.unify(pattern, expected, &mut tried) {
                bound = tried;
            }
        }
        let skip = usize::from(on.is_some());
        for (i, &arg) in args.iter().enumerate() {
            let Some(input) = signature.inputs.get(i + skip) else {
                self.any(arg);
                continue;
            };
            let filled = with(&self.filled(&own, &bound));
            let closure = closure_bounds(input, &signature.generics);
            let (wanted, pattern) = match closure {
                Some(bounds) => (
                    self.fn_type(bounds, &|ty| lower(&filled, ty)),
                    self.fn_type(bounds, &|ty| lower(&pattern_params, ty)),
                ),
                None => (lower(&filled, input), lower(&pattern_params, input)),
            };
            let found = self.expr(arg, wanted);
            if !self.is_unknown(found) {
                let mut tried = bound.clone();
                if db.unify(pattern, found, &mut tried) {
                    bound = tried;
                }
            }
        }
        let filled = with(&self.filled(&own, &bound));
        let output = match &signature.output {
            Some(ty) => lower(&filled, ty),
            None => db.types.unit(),
        };
        match signature.is_async {
            true => self.future(output),
            false => output,
        }
    }

    /// `Fn(A) -> B` as a function pointer.
    fn fn_type(&self, args: &Args, lower: &dyn Fn(&Type) -> Ty) -> Ty {
        let inputs = args.args.iter().map(|a| match a {
            ir::Arg::Type(ty) => lower(ty),
            ir::Arg::Const(_) => self.unknown(),
        });
        let inputs = inputs.collect();
        let output = args.output.as_ref().map_or(self.unknown(), lower);
        self.db.types.intern(TyKind::FnPtr(inputs, output))
    }

    pub(super) fn closure(
        &mut self,
        inputs: &'i [(PatId, Option<Type>)],
        output: Option<Ty>,
        value: ExprId,
        expected: Ty,
    ) -> Ty {
        let (wanted, gives) = match self.db.types.kind(expected) {
            TyKind::FnPtr(inputs, output) => (inputs.to_vec(), *output),
            _ => (Vec::new(), self.unknown()),
        };
        let gives = output.unwrap_or(gives);
        let mut types = Vec::with_capacity(inputs.len());
        let value = self.isolated(gives, |s| {
            for (i, (pat, ty)) in inputs.iter().enumerate() {
                let wanted = wanted.get(i).copied().unwrap_or(s.unknown());
                let ty = match ty {
                    Some(ty) => {
                        let declared = s.lower(ty);
                        s.join(declared, wanted)
                    }
                    None => wanted,
                };
                s.pat(*pat, ty, None);
                types.push(ty);
            }
            s.expr(value, gives)
        });
        self.db.types.intern(TyKind::FnPtr(types.into(), value))
    }
}

/// What a bound says of a closure that an argument of this type is.
fn closure_bounds<'t>(ty: &'t Type, generics: &'t ir::Generics) -> Option<&'t Args> {
    let of = |bounds: &'t [Bound]| {
        bounds.iter().find_map(|b| {
            let last = b.path.segments.last()?;
            let args = last.args.as_deref()?;
            args.output.is_some().then_some(args)
        })
    };
    match ty {
        Type::Impl(bounds) => of(bounds),
        Type::Path(path) if path.segments.len() == 1 => {
            let name = path.segments[0].name;
            let own = generics.params.iter().filter(|p| p.name == name);
            let mut own = own.filter_map(|p| match &p.kind {
                ParamKind::Type { bounds, .. } => of(bounds),
                ParamKind::Const { .. } => None,
            });
            own.next().or_else(|| {
                let wheres = generics.wheres.iter();
                let mut wheres = wheres.filter(|w| {
                    matches!(&w.ty, Type::Path(p) if p.segments.len() == 1 && p.segments[0].name == name)
                });
                wheres.find_map(|w| of(&w.bounds))
            })
        }
        _ => None,
    }
}
