//! Infers calls: parameter types flow to the arguments, and argument types to the generic
//! parameters.

use super::Infer;
use super::closure::closure_bounds;
use super::effects::Effect;
use super::path::Named;
use crate::infer::body::Target;
use crate::infer::members::{Callee, Members};
use crate::ir::body::{ExprId, ExprKind, Signature};
use crate::ir::{self, Args, Segment, Style, Type};
use crate::name::Name;
use crate::resolve::ItemId;
use crate::resolve::ty::{GArg, Prim, Ty, TyKind};
use crate::resolve::types::Env;
use std::sync::Arc;

/// A callee: its item, its signature, and what its `impl` binds.
struct Called<'c> {
    item: ItemId,
    signature: &'c Signature,
    /// Set for an associated function.
    member: Option<&'c Callee>,
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
        // Mark the path itself as visited, with its target.
        self.seen(callee, id);
        let turbofish = segment.and_then(|s| s.args.as_deref());
        match named {
            Named::Ctor(adt, variant, ty) => {
                self.targets(callee, id, Target::Ctor(adt, variant));
                let ty = self.join(ty, expected);
                let types = match self.style(adt, variant) {
                    Some(Style::Tuple) => self.db.field_types(ty, variant),
                    _ => Arc::default(),
                };
                let mut found = Vec::with_capacity(args.len());
                for (i, &arg) in args.iter().enumerate() {
                    let wanted = types.get(i).copied().unwrap_or(self.unknown());
                    found.push((i as u32, self.expr(arg, wanted)));
                }
                self.argued(ty, variant, &found)
            }
            Named::Item(item) => {
                self.targets(callee, id, Target::Item(item));
                let Some(signature) = self.members.signature(item) else {
                    return self.unasked(args);
                };
                let called = Called {
                    item,
                    signature,
                    member: None,
                };
                self.apply(&called, None, args, turbofish, expected)
            }
            Named::Member(found) => {
                self.targets(callee, id, found.target());
                self.member_call(&found, None, args, turbofish, expected)
            }
            Named::Foreign(ty, name) => {
                self.unasked(args);
                self.foreign(ty, name)
            }
        }
    }

    /// Sets the target of a call and of its path.
    fn targets(&mut self, callee: ExprId, call: ExprId, target: Target) {
        self.fact_mut(callee).target = Some(target);
        self.fact_mut(call).target = Some(target);
    }

    /// Guesses the return type of an unknown associated function from its name, and from the derive
    /// that generates it.
    fn foreign(&self, ty: Ty, name: Name) -> Ty {
        let unknown = self.unknown();
        let result = || self.members.result_of(ty, unknown).unwrap_or(unknown);
        match name.as_str() {
            "new" | "default" | "with_capacity" | "from" | "from_iter" => ty,
            "deserialize" if self.derives(ty, "Deserialize") => result(),
            "parse" | "parse_from" if self.derives(ty, "Parser") => ty,
            "try_parse" | "try_parse_from" if self.derives(ty, "Parser") => result(),
            _ => unknown,
        }
    }

    /// Returns true for a type of the workspace with this derive.
    fn derives(&self, ty: Ty, name: &str) -> bool {
        let TyKind::Adt(id, _) = self.db.types.kind(ty) else {
            return false;
        };
        self.db.item(*id).item.attrs.derives(name)
    }

    pub(super) fn unasked(&mut self, args: &[ExprId]) -> Ty {
        for &arg in args {
            self.any(arg);
        }
        self.unknown()
    }

    /// Marks an expression as visited without inferring its type.
    fn seen(&mut self, id: ExprId, parent: ExprId) {
        let loops = self.loops;
        let fact = self.fact_mut(id);
        fact.live = true;
        fact.parent = Some(parent);
        fact.loops = loops;
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
        // `Option`, `Result` and parsers have some of these methods too, where they are no loop.
        let looping = self.members.each(name).is_some_and(|always| {
            let on = self.peeled(ty);
            let one = self.std_is(on, "Option") || self.std_is(on, "Result");
            always || !one && self.members.item_of(on).is_some()
        });
        let found = self.members.method(ty, name);
        self.loops += u16::from(looping);
        self.fact_mut(id).effect = match &found {
            Some((callee, _)) if callee.library => self.members.effect(callee.item, args.len()),
            Some(_) => Effect::Unknown,
            None => self.members.effect_named(name, args.len()),
        };
        self.fact_mut(id).elsewhere = self.members.is_elsewhere(name);
        let result = match found {
            Some((callee, on)) => {
                self.fact_mut(id).target = Some(callee.target());
                let turbofish = method.args.as_deref();
                self.member_call(&callee, Some(on), args, turbofish, expected)
            }
            None => {
                let open = match self.is_unknown(self.peeled(ty)) {
                    true => Target::Open(name),
                    false => Target::Library,
                };
                self.fact_mut(id).target = Some(open);
                match (name.as_str(), &self.given(method.args.as_deref(), 1)[..]) {
                    ("cast", [Some(GArg::Ty(to))]) => {
                        self.unasked(args);
                        self.db.types.intern(TyKind::Ptr(*to, true))
                    }
                    _ => self.unlisted(ty, name, args),
                }
            }
        };
        self.loops -= u16::from(looping);
        self.teach(receiver, name, args);
        match name.as_str() {
            "flatten" | "flat_map" => self.members.flattened(result),
            "collect" => match self.members.item_of(ty) {
                Some(item) => self.members.collected(result, item),
                None => result,
            },
            _ => result,
        }
    }

    /// Infers methods by name that any type may have.
    fn unlisted(&mut self, receiver: Ty, name: Name, args: &[ExprId]) -> Ty {
        self.unasked(args);
        let types = &self.db.types;
        match name.as_str() {
            "clone" | "to_owned" | "cloned" => self.peeled(receiver),
            "to_string" => self.members.string().unwrap_or(self.unknown()),
            "len" | "count" | "capacity" => types.prim(Prim::Usize),
            "is_empty" | "contains" | "eq" | "ne" => types.prim(Prim::Bool),
            _ => self.unknown(),
        }
    }

    /// Refines the type of a collection from what is inserted into it.
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
            signature,
            member: Some(callee),
        };
        self.apply(&called, on, args, turbofish, expected)
    }

    /// Infers the arguments of a call from the signature; returns the type of the call.
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
        // The function's parameters, then those of the `impl` that are unknown.
        let mut own: Vec<Name> = signature.generics.params.iter().map(|p| p.name).collect();
        let outer = called.member.map_or(&[][..], |m| &m.params);
        let open = |(_, arg): &&(Name, GArg)| matches!(arg, GArg::Ty(t) if self.is_unknown(*t));
        let known = own.len();
        own.extend(outer.iter().filter(open).map(|(name, _)| *name));
        let whole = own.len() == known;
        let holes = self.holes(&own, 0);
        let mut bound = self.given(turbofish, own.len());
        let members = self.members;
        let lower =
            |params: &[(Name, GArg)], ty: &Type| of_callee(members, called, whole, params, ty);
        let with = |own: &[(Name, GArg)]| -> Vec<(Name, GArg)> {
            own.iter().chain(outer).cloned().collect()
        };
        let pattern_params = with(&holes);
        // The expected type of the call may determine parameters.
        if let Some(output) = &signature.output
            && !self.is_unknown(expected)
            && !own.is_empty()
        {
            self.bind_args(lower(&pattern_params, output), expected, &mut bound);
        }
        let skip = usize::from(on.is_some());
        let mut fits = true;
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
            let found = self.expr(arg, self.sized(wanted));
            fits &= !self.is_slicing(wanted, found);
            let found = match self.members.is_iter(pattern) {
                true => self.members.as_iter(found),
                false => found,
            };
            if !self.is_unknown(found) {
                self.bind_args(pattern, found, &mut bound);
            }
        }
        let filled = with(&self.filled(&own, &bound));
        let output = match &signature.output {
            // `get(1..)` and `get(1)` return different types.
            Some(_) if !fits => self.unknown(),
            Some(ty) => lower(&filled, ty),
            None => db.types.unit(),
        };
        match signature.is_async {
            true => self.future(output),
            false => output,
        }
    }

    /// Returns the arguments for this many parameters that a turbofish states.
    fn given(&self, turbofish: Option<&Args>, params: usize) -> Vec<Option<GArg>> {
        let mut bound: Vec<Option<GArg>> = vec![None; params];
        let given = turbofish.map_or(&[][..], |t| &t.args);
        for (slot, arg) in bound.iter_mut().zip(given) {
            if let ir::Arg::Type(ty) = arg
                && *ty != Type::Infer
            {
                *slot = Some(GArg::Ty(self.lower(ty)));
            }
        }
        bound
    }

    /// Binds the parameters in a pattern for which it equals a type; nothing if it cannot.
    fn bind_args(&self, pattern: Ty, ty: Ty, bound: &mut Vec<Option<GArg>>) {
        let mut tried = bound.clone();
        if self.db.unify(pattern, ty, &mut tried).likely() {
            *bound = tried;
        }
    }

    /// Returns the expected type of an argument; unknown for an unsized type, since `Box<dyn
    /// Trait>` is made from a value of another type.
    fn sized(&self, ty: Ty) -> Ty {
        match self.db.types.kind(ty) {
            TyKind::Dyn(..) | TyKind::Slice(_) | TyKind::Prim(Prim::Str) => self.unknown(),
            _ => ty,
        }
    }

    /// Returns true for a range as argument for an index.
    fn is_slicing(&self, wanted: Ty, found: Ty) -> bool {
        let place = self.db.types.kind(wanted) == &TyKind::Prim(Prim::Usize);
        place && matches!(self.db.types.kind(found), TyKind::Adt(..))
    }
}

/// Lowers a type in the signature of a callee; `whole` if no parameter of its `impl` is unknown.
fn of_callee(
    members: &Members,
    called: &Called,
    whole: bool,
    params: &[(Name, GArg)],
    ty: &Type,
) -> Ty {
    let self_ty = called.member.map(|m| match whole {
        true => m.self_ty,
        false => members.self_ty(m, params),
    });
    let env = Env {
        module: members.db.item(called.item).module,
        params,
        self_ty,
        item: Some(called.item),
    };
    match ty {
        Type::Impl(bounds) => members.db.lower(&Type::Dyn(bounds.clone()), &env),
        ty => members.db.lower(ty, &env),
    }
}
