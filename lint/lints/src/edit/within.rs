//! Edits collections whose elements or keys get another type: the declarations of std's methods
//! state where elements are passed and returned.

use super::freeze::let_of;
use super::places::{Place, variable};
use super::uses::Around;
use super::{Buffer, Shape, Work};
use crate::flow::{How, direct};
use crate::infer::body::{Target, Typed};
use crate::infer::types::std_name;
use crate::ir::body::{ExprId, ExprKind, PatId, PatKind, Stmt};
use crate::ir::{Arg, Path, Type};
use crate::name::Name;
use crate::resolve::ty::{Prim, Ty, TyKind};
use crate::span::{FileId, Span};
use crate::usage::events::{At, variant_of};

impl Work<'_> {
    /// Edits a use of the collection.
    pub(super) fn collection_use(&mut self, at: At, place: Place, element: Buffer) {
        let typed = self.typed(at.body);
        let span = typed.node(at.expr).span;
        let parent = typed.fact(at.expr).parent.map(|p| &typed.node(p).kind);
        if let Some(ExprKind::Index(on, index)) = parent
            && *on == at.expr
        {
            return self.looked_up(at.with(*index), element);
        }
        match self.around(typed, at.expr) {
            Around::Part | Around::Printed => {}
            _ if place == Place::Guessed => self.leave(span, "names a field of an unknown type"),
            Around::Receiver(call, "clone", _) if self.sets.contains(&at.with(call)) => {
                self.carried.insert(at.with(call));
            }
            Around::Receiver(call, name, _) => {
                self.called(at, call, typed.fact(at.expr).ty, name, None, element);
            }
            Around::Other(outer, ExprKind::Ref(..)) => match self.around(typed, outer) {
                Around::Other(_, ExprKind::For(pat, on, _)) if *on == outer => {
                    self.each(at.with(outer), *pat, element);
                }
                Around::Printed => {}
                _ => self.leave(span, "borrows it"),
            },
            Around::Other(_, ExprKind::For(pat, on, _)) if *on == at.expr => {
                self.each(at, *pat, element);
            }
            Around::Other(_, ExprKind::Assign(to, None, value)) if *to == at.expr => {
                self.value(at.with(*value), Shape::Keys(element));
            }
            _ => self.leave(span, "uses it in an unsupported way"),
        }
    }

    /// Edits a loop over the collection.
    fn each(&mut self, at: At, pat: PatId, element: Buffer) {
        let typed = self.typed(at.body);
        let span = typed.node(at.expr).span;
        let method = self
            .editor
            .usage
            .std_method(typed.fact(at.expr).ty, Name::new("into_iter"));
        let each = method.and_then(|m| {
            let (param, _) = m.element?;
            Some(put(
                first(m.signature.output.as_ref()?)?,
                param,
                &element_type(),
            ))
        });
        match each {
            Some(ty) => self.bound_as(at.body, pat, &ty, element),
            None => self.leave(span, "uses it in an unsupported way"),
        }
    }

    /// Edits a call of a std method on the collection, or on the result of one of its methods;
    /// `given` is the type of that result.
    fn called(
        &mut self,
        at: At,
        call: ExprId,
        on: Ty,
        name: &str,
        given: Option<&Type>,
        element: Buffer,
    ) {
        let typed = self.typed(at.body);
        let span = typed.node(call).span;
        let ExprKind::Method(_, _, _, args) = &typed.node(call).kind else {
            return;
        };
        let found = self.editor.usage.std_method(on, Name::new(name));
        // The type that the method's type parameter is bound to.
        let stands = |lent: bool| match given {
            None => (!lent).then(element_type),
            Some(Type::Ref(inner, _)) if lent => Some((**inner).clone()),
            Some(ty) => (!lent).then(|| ty.clone()),
        };
        let known = found.and_then(|m| {
            let (param, lent) = m.element?;
            Some((m.signature, param, stands(lent)?))
        });
        let Some((signature, param, stands)) = known else {
            self.leave(span, "calls an unknown method");
            return;
        };
        let is_own = |name: Name| signature.generics.params.iter().any(|p| p.name == name);
        let own = |ty: &Type| lone(ty).is_some_and(is_own);
        let with = |ty: &Type| put(ty, param, &stands);
        let mut closures = Vec::new();
        for (&arg, input) in args.iter().zip(signature.inputs.iter().skip(1)) {
            match (input, &typed.node(arg).kind) {
                (Type::FnPtr(inputs, output, _), ExprKind::Closure(params, ..)) => {
                    for ((pat, _), ty) in params.iter().zip(inputs) {
                        self.bound_as(at.body, *pat, &with(ty), element);
                    }
                    closures.extend(output.as_deref());
                }
                (Type::Ref(inner, _), _) if own(inner) => self.looked_up(at.with(arg), element),
                (ty, _) if is_element(&with(ty)) => {
                    self.value(at.with(arg), Shape::Frozen(element));
                }
                (ty, ExprKind::Range(..) | ExprKind::Lit(_)) if own(ty) => {}
                (ty, _) if own(ty) || mentions(&with(ty)) => {
                    self.leave(span, "passes it to a method that may require the old type");
                }
                _ => {}
            }
        }
        let Some(output) = &signature.output else {
            return;
        };
        let ty = with(output);
        let mut open = Vec::new();
        names(output, &mut open);
        // The result of a closure does not have the type of its argument.
        let mut known = Vec::new();
        closures.iter().for_each(|ty| names(ty, &mut known));
        let open = open.iter().any(|n| is_own(*n) && !known.contains(n));
        match open || *output == Type::Infer {
            true => self.leave(span, "uses it in an unsupported way"),
            false => self.given(at.with(call), &ty, element),
        }
    }

    /// Edits uses of a method's result, by its declared type.
    fn given(&mut self, at: At, ty: &Type, element: Buffer) {
        let typed = self.typed(at.body);
        let span = typed.node(at.expr).span;
        if !mentions(ty) {
            return;
        }
        let (inner, lent) = match ty {
            Type::Ref(inner, mutable) => (&**inner, Some(*mutable)),
            ty => (ty, None),
        };
        if is_element(inner) {
            let place = match lent {
                None => Place::Owned,
                Some(false) => Place::Shared,
                Some(true) => Place::Lent,
            };
            if !self.is_dropped(typed, at.expr) {
                self.used(at, place, Shape::Frozen(element));
            }
            return;
        }
        match (self.around(typed, at.expr), first(inner)) {
            _ if self.is_dropped(typed, at.expr) => {}
            (Around::Matched(pats), _) => {
                for pat in pats {
                    self.bound_as(at.body, pat, ty, element);
                }
            }
            (Around::Other(_, ExprKind::For(pat, on, _)), Some(each)) if *on == at.expr => {
                self.bound_as(at.body, *pat, each, element);
            }
            (Around::Other(_, ExprKind::Block(stmts, _)), _)
                if let Some((pat, None)) = let_of(stmts, at.expr) =>
            {
                self.bound_as(at.body, pat, ty, element);
            }
            (Around::Part, _) if let Some((part, ty)) = self.part_of(typed, at.expr, inner) => {
                self.given(at.with(part), ty, element);
            }
            (Around::Other(outer, ExprKind::Try(_)), Some(each)) => {
                self.given(at.with(outer), each, element);
            }
            (Around::Receiver(call, name, _), Some(each)) => {
                let on = typed.fact(at.expr).ty;
                self.called(at, call, on, name, Some(each), element);
            }
            _ => self.leave(span, "uses it in an unsupported way"),
        }
    }

    /// Returns `x.0` of a tuple, with the declared type of that part.
    fn part_of<'t>(
        &self,
        typed: &Typed,
        tuple: ExprId,
        ty: &'t Type,
    ) -> Option<(ExprId, &'t Type)> {
        let part = typed.fact(tuple).parent?;
        match (&typed.node(part).kind, ty) {
            (ExprKind::Field(_, index), Type::Tuple(types)) => {
                let index: usize = index.as_str().parse().ok()?;
                Some((part, types.get(index)?))
            }
            _ => None,
        }
    }

    /// Returns true for a statement whose value is dropped.
    pub(super) fn is_dropped(&self, typed: &Typed, expr: ExprId) -> bool {
        let edge = direct(typed, expr);
        matches!(edge.how, How::Dropped) && matches!(typed.node(edge.by).kind, ExprKind::Block(..))
    }

    /// Edits a pattern that is matched against elements.
    fn bound_as(&mut self, body: usize, pat: PatId, ty: &Type, element: Buffer) {
        let typed = self.typed(body);
        let node = typed.function.body.pat(pat);
        if !mentions(ty) {
            return;
        }
        let (mut inner, mut refs) = (ty, 0);
        while let Type::Ref(of, _) = inner {
            (inner, refs) = (of, refs + 1);
        }
        match (&node.kind, inner) {
            (PatKind::Wild | PatKind::Rest, _) => {}
            // Of `&&T`, only uses that dereference automatically are supported.
            (PatKind::Bind { .. }, _) if refs > 1 && is_element(inner) => {
                let uses = variable(typed, pat).map(|l| typed.uses(l));
                for &expr in uses.into_iter().flatten() {
                    self.used(At { body, expr }, Place::Guessed, Shape::Frozen(element));
                }
            }
            _ if is_element(inner) => self.bound(body, pat, Shape::Frozen(element)),
            (PatKind::Tuple(pats), Type::Tuple(types)) => {
                let rest = |p: &PatId| matches!(typed.function.body.pat(*p).kind, PatKind::Rest);
                let at = pats.iter().position(rest).unwrap_or(pats.len());
                let behind = pats.iter().zip(types).take(at);
                let before = pats[at..].iter().rev().zip(types.iter().rev());
                for (pat, ty) in behind.chain(before.take_while(|(p, _)| !rest(p))) {
                    self.bound_as(body, *pat, ty, element);
                }
            }
            (PatKind::TupleStruct(_, pats), Type::Path(path)) => {
                match self.held_types(typed, pat, path) {
                    Some(types) if types.len() == pats.len() => {
                        for (pat, ty) in pats.iter().zip(&types) {
                            self.bound_as(body, *pat, ty, element);
                        }
                    }
                    _ => self.leave(node.span, "destructures it"),
                }
            }
            (PatKind::Path(_), _) => {}
            (PatKind::Bind { .. }, _) if typed.pat(pat).ctor.is_some() => {}
            (PatKind::Bind { by_ref: false, .. }, _) if let Some(local) = variable(typed, pat) => {
                for &expr in typed.uses(local) {
                    self.given(At { body, expr }, ty, element);
                }
            }
            _ => self.leave(node.span, "destructures it"),
        }
    }

    /// Returns the field types of the std variant that a pattern names, for a type with these
    /// arguments.
    fn held_types(&self, typed: &Typed, pat: PatId, path: &Path) -> Option<Vec<Type>> {
        let db = self.editor.model.db;
        let (adt, variant) = typed.pat(pat).ctor?;
        std_name(db, adt).filter(|name| *name == path.last_name())?;
        let args = path.segments.last()?.args.as_deref()?;
        let params = db.generics(adt)?.params.iter().zip(&args.args);
        let fields = variant_of(db, adt, variant)?.fields.iter();
        let held = fields.map(|field| {
            params
                .clone()
                .fold(field.ty.clone(), |ty, (param, arg)| match arg {
                    Arg::Type(arg) => put(&ty, param.name, arg),
                    Arg::Const(_) => ty,
                })
        });
        Some(held.collect())
    }

    /// Edits a lookup by key.
    fn looked_up(&mut self, at: At, buffer: Buffer) {
        let typed = self.typed(at.body);
        let node = typed.node(at.expr);
        let db = self.editor.model.db;
        let TyKind::Ref(inner, _) = db.types.kind(typed.fact(at.expr).ty) else {
            self.leave(node.span, "looks up a key of an unknown type");
            return;
        };
        let grows = match db.types.kind(*inner) {
            TyKind::Prim(Prim::Str) | TyKind::Slice(_) => Some(false),
            TyKind::Adt(id, _) => match std_name(db, *id) {
                Some("Path" | "OsStr") => Some(false),
                Some(name) => (name == buffer.name()).then_some(true),
                None => None,
            },
            _ => None,
        };
        match (grows, &node.kind) {
            (Some(false), _) => {}
            (Some(true), ExprKind::Ref(false, inner)) => self.before(at.with(*inner), "*"),
            (Some(true), _) => self.before(at, "&**"),
            (None, _) => self.leave(node.span, "looks up a key of an unknown type"),
        }
    }

    /// Edits a value that the collection is set to.
    pub(super) fn collection_value(&mut self, at: At, element: Buffer) {
        let typed = self.typed(at.body);
        let node = typed.node(at.expr);
        if self.follow_variable(at, Shape::Keys(element)) {
            return;
        }
        let number = |e: &ExprId| {
            let kind = self.editor.model.db.types.kind(typed.fact(*e).ty);
            matches!(kind, TyKind::Prim(_)) || matches!(typed.node(*e).kind, ExprKind::Lit(_))
        };
        match &node.kind {
            // An empty collection.
            ExprKind::Call(callee, args)
                if args.iter().all(number) && self.is_empty(typed, at.expr, *callee) => {}
            _ if self.rekey(at, element) => {}
            _ => self.leave(node.span, "constructs it in an unsupported way"),
        }
    }

    /// Makes a local variable have the new type; false if the expression is not one.
    pub(super) fn follow_variable(&mut self, at: At, shape: Shape) -> bool {
        let typed = self.typed(at.body);
        let Some(Target::Local(local)) = typed.fact(at.expr).target else {
            return false;
        };
        let of = &typed.locals[local as usize];
        let Some(init) = of.init.filter(|_| !of.argument) else {
            return false;
        };
        let stated = typed.fact(init).parent.is_none_or(|block| {
            let stmts = match &typed.node(block).kind {
                ExprKind::Block(stmts, _) => &stmts[..],
                _ => return true,
            };
            !stmts
                .iter()
                .any(|s| matches!(s, Stmt::Let { init: i, ty: None, .. } if *i == Some(init)))
        });
        let hidden = typed.is_opaque(of.name);
        if stated || hidden || variable(typed, of.pat).is_none() {
            return false;
        }
        self.carried.insert(at);
        if self.followed.insert((at.body, local)) {
            self.value(at.with(init), shape);
            for &expr in typed.uses(local) {
                if self.is_assigned(typed, expr) {
                    self.carried.insert(at.with(expr));
                }
                self.used(at.with(expr), Place::Owned, shape);
            }
        }
        true
    }

    /// Returns true for a value that is assigned to a changed field.
    fn is_assigned(&self, typed: &Typed, value: ExprId) -> bool {
        match direct(typed, value).how {
            How::Assigned(to) => match typed.fact(to).target {
                Some(Target::Field(field)) => self.changed.contains_key(&field),
                _ => false,
            },
            _ => false,
        }
    }

    /// Returns true for `default()`, and for an associated function of the collection.
    fn is_empty(&self, typed: &Typed, call: ExprId, callee: ExprId) -> bool {
        let db = self.editor.model.db;
        let ExprKind::Path(path) = &typed.node(callee).kind else {
            return false;
        };
        // A stated element type would have to change.
        if path.segments.iter().any(|s| s.args.is_some()) {
            return false;
        }
        let mut names = path.segments.iter().rev().map(|s| s.name);
        let (last, of) = (names.next(), names.next());
        let own = match db.types.kind(typed.fact(call).ty) {
            TyKind::Adt(id, _) => std_name(db, *id),
            _ => None,
        };
        let is_own_function = matches!(
            typed.fact(call).target,
            Some(Target::Item(_) | Target::Ctor(..) | Target::Local(_))
        );
        let of_it = own.is_some() && of.is_some_and(|name| Some(name.as_str()) == own);
        !is_own_function && (of_it || last.is_some_and(|name| name == "default"))
    }
}

/// Returns the first type argument of a path: the item type of an iterator.
fn first(ty: &Type) -> Option<&Type> {
    let args = match ty {
        Type::Path(path) => path.segments.last()?.args.as_deref()?,
        _ => return None,
    };
    match args.args.first() {
        Some(Arg::Type(ty)) => Some(ty),
        _ => None,
    }
}

/// Returns the name of a type that is a single identifier.
pub(super) fn lone(ty: &Type) -> Option<Name> {
    match ty {
        Type::Path(path) => match &path.segments[..] {
            [one] if one.args.is_none() => Some(one.name),
            _ => None,
        },
        _ => None,
    }
}

/// Stands for the element type in the declared types of methods.
fn element_type() -> Type {
    let none = Span {
        file: FileId(0),
        start: 0,
        end: 0,
    };
    Type::Path(Path::of_name(Name::new("{element}"), none))
}

fn is_element(ty: &Type) -> bool {
    lone(ty).is_some_and(|name| name == "{element}")
}

fn mentions(ty: &Type) -> bool {
    let mut list = Vec::new();
    names(ty, &mut list);
    list.iter().any(|name| *name == "{element}")
}

/// Collects the single-identifier types that occur in a type.
pub(super) fn names(ty: &Type, list: &mut Vec<Name>) {
    list.extend(lone(ty));
    parts(ty).iter().for_each(|ty| names(ty, list));
}

/// Returns the direct components of a type.
fn parts(ty: &Type) -> Vec<&Type> {
    match ty {
        Type::Ref(inner, _) | Type::Ptr(inner, _) | Type::Slice(inner) | Type::Array(inner, _) => {
            vec![inner]
        }
        Type::Tuple(list) => list.iter().collect(),
        Type::FnPtr(inputs, output, _) => inputs.iter().chain(output.as_deref()).collect(),
        Type::Path(path) => {
            let args = path.segments.iter().filter_map(|s| s.args.as_deref());
            let types = args.flat_map(|a| &a.args).filter_map(|a| match a {
                Arg::Type(ty) => Some(ty),
                Arg::Const(_) => None,
            });
            types.collect()
        }
        _ => Vec::new(),
    }
}

/// Replaces a type parameter in a type.
fn put(ty: &Type, param: Name, other: &Type) -> Type {
    let with = |ty: &Type| Box::new(put(ty, param, other));
    match ty {
        _ if lone(ty) == Some(param) => other.clone(),
        Type::Ref(inner, mutable) => Type::Ref(with(inner), *mutable),
        Type::Slice(inner) => Type::Slice(with(inner)),
        Type::Array(inner, len) => Type::Array(with(inner), len.clone()),
        Type::Tuple(list) => Type::Tuple(list.iter().map(|ty| put(ty, param, other)).collect()),
        Type::FnPtr(inputs, output, qualifiers) => Type::FnPtr(
            inputs.iter().map(|ty| put(ty, param, other)).collect(),
            output.as_deref().map(with),
            *qualifiers,
        ),
        Type::Path(path) => {
            let mut path = path.clone();
            for args in path.segments.iter_mut().filter_map(|s| s.args.as_mut()) {
                for arg in &mut args.args {
                    if let Arg::Type(ty) = arg {
                        *ty = put(ty, param, other);
                    }
                }
            }
            Type::Path(path)
        }
        ty => ty.clone(),
    }
}
