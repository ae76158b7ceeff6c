//! Uses of a buffer that becomes a boxed slice.

use super::compare::{compared_with, is_assertion};
use super::places::Place;
use super::uses::Around;
use super::written::gives_path;
use super::{Buffer, Shape, Work, within};
use crate::flow::{Edge, How, direct, prints, returned_by, stored_in};
use crate::infer::body::{Target, Typed};
use crate::infer::effects::Effect;
use crate::infer::marks::Mark;
use crate::infer::types::{std_first, std_name, std_parts, types_of, without_refs};
use crate::ir::body::{Arm, ExprId, ExprKind, MacroArgs, PatId, Signature, Stmt};
use crate::ir::{self, Bound, ParamKind, Type};
use crate::name::Name;
use crate::resolve::collect::mark;
use crate::resolve::ty::{Prim, Ty, TyKind};
use crate::resolve::{self, Def, ModId, Ns};
use crate::span::Span;
use crate::usage::events::{At, variant_of};

impl Work<'_> {
    /// Edits a use of a buffer that becomes a boxed slice.
    #[expect(
        clippy::too_many_lines,
        reason = "a table of places, whose order decides"
    )]
    pub(super) fn frozen(&mut self, at: At, place: Place, buffer: Buffer) {
        let typed = self.typed(at.body);
        let span = typed.node(at.expr).span;
        let owned = buffer.owner().1;
        let around = self.around(typed, at.expr);
        let edge = direct(typed, at.expr);
        if buffer == Buffer::Counted && self.wants_it_alone(typed, at.expr, place) {
            self.leave(span, "modifies it");
            return;
        }
        match around {
            Around::Receiver(call, ..) if typed.fact(call).effect == Effect::Reads => {}
            Around::Part | Around::Printed => {}
            Around::Other(_, ExprKind::Deref(_)) if place == Place::Owned => {}
            // Buffers have several impls of `AsRef`, so no method can be called on the result
            // without a type annotation.
            Around::Receiver(call, "as_ref", _)
                if place == Place::Guessed
                    && matches!(self.around(typed, call), Around::Receiver(..)) => {}
            // Buffers have no such method: the field belongs to another type.
            Around::Receiver(call, ..) if place == Place::Guessed && typed.fact(call).elsewhere => {
            }
            Around::Other(outer, ExprKind::Ref(..))
                if matches!(place, Place::Owned | Place::Guessed)
                    && self.becomes_slice(typed, outer) => {}
            _ if matches!(place, Place::Shared | Place::Lent)
                && self.becomes_slice(typed, at.expr) => {}
            _ if place == Place::Guessed && self.is_iterated(typed, at.expr, buffer) => {}
            _ if place == Place::Guessed => self.leave(span, "names a field of an unknown type"),
            // `&*x` of a reference is the reference.
            Around::Other(star, ExprKind::Deref(_))
                if place == Place::Shared
                    && let Around::Other(outer, ExprKind::Ref(false, _)) =
                        self.around(typed, star)
                    && self.becomes_slice(typed, outer) => {}
            Around::Other(star, ExprKind::Deref(_))
                if place == Place::Shared
                    && let Some(outer) = typed.fact(star).parent
                    && let Some(other) = compared_with(typed, outer, star) =>
            {
                self.compared(at.with(star), other, Place::Owned);
            }
            // Two dereferences reach the slice in both cases.
            Around::Other(outer, ExprKind::Deref(_))
                if matches!(
                    self.around(typed, outer),
                    Around::Other(_, ExprKind::Deref(_))
                ) => {}
            Around::Receiver(call, name, named) => {
                self.frozen_call(at, call, (name, named), place, buffer);
            }
            Around::Other(_, ExprKind::Ref(true, _))
                if place == Place::Owned
                    && matches!(edge.how, How::Taken)
                    && (edge.value.is_some() || buffer != Buffer::PathBuf) =>
            {
                if let Some(new) = edge.value {
                    self.value(at.with(new), Shape::Frozen(buffer));
                }
                self.behind(at.with(edge.by), owned);
            }
            Around::Other(outer, ExprKind::Ref(..)) if place == Place::Owned => {
                self.lent(at, at.with(outer), "*", buffer);
            }
            Around::Other(_, ExprKind::Assign(to, None, value))
                if *to == at.expr && place == Place::Owned =>
            {
                self.value(at.with(*value), Shape::Frozen(buffer));
            }
            Around::Other(outer, ExprKind::Binary(..) | ExprKind::Macro(..))
                if place != Place::Lent
                    && let Some(other) = compared_with(typed, outer, at.expr) =>
            {
                self.compared(at, other, place);
            }
            Around::Other(_, ExprKind::Macro(..)) => self.leave(span, "is passed to a macro"),
            Around::Other(_, ExprKind::Assign(_, None, value))
                if *value == at.expr && place == Place::Owned =>
            {
                self.behind(at, owned);
            }
            Around::Matched(_) | Around::Other(_, ExprKind::Binary(..) | ExprKind::Assign(..)) => {
                self.leave(span, "uses it in an unsupported way");
            }
            Around::Other(_, ExprKind::For(_, on, _))
                if *on == at.expr
                    && place == Place::Owned
                    && buffer == Buffer::Vec
                    && self.boxes_iterate(typed.function.krate) => {}
            Around::Other(_, ExprKind::For(_, on, _)) if *on == at.expr && place == Place::Lent => {
                self.before(at, "&mut **");
            }
            Around::Other(..) | Around::Whole => match place {
                Place::Owned => self.behind(at, owned),
                Place::Shared => self.lent(at, at, "&**", buffer),
                _ => self.leave(span, "borrows it"),
            },
        }
    }

    /// Returns true if a use may modify the text, which is shared after the change.
    fn wants_it_alone(&self, typed: &Typed, expr: ExprId, place: Place) -> bool {
        let db = self.editor.model.db;
        match self.around(typed, expr) {
            _ if place == Place::Lent => true,
            Around::Other(_, ExprKind::Ref(mutable, _)) => *mutable,
            Around::Receiver(_, name, _) => {
                let on = without_refs(db, typed.fact(expr).ty);
                let method = self.editor.usage.std_method(on, Name::new(name));
                let first = method.and_then(|m| m.signature.inputs.first());
                matches!(first, Some(Type::Ref(_, true)))
            }
            _ => false,
        }
    }

    /// Edits a method call on a buffer that becomes a boxed slice.
    fn frozen_call(
        &mut self,
        at: At,
        call: ExprId,
        (name, named): (&str, Span),
        place: Place,
        buffer: Buffer,
    ) {
        let typed = self.typed(at.body);
        let span = typed.node(at.expr).span;
        let owner = buffer.owner();
        match name {
            // `String` and `PathBuf` have more `AsRef` impls than `Box`.
            "as_ref" => self.before(at, place.stars()),
            "into" | "try_into" => match place {
                Place::Owned => self.behind(at, owner.1),
                _ => self.before(at, "&**"),
            },
            "clone" => match self.sets.contains(&at.with(call)) {
                true => {
                    self.carried.insert(at.with(call));
                }
                false => self.rename(at, named, owner.0),
            },
            "to_owned" => self.rename(at, named, owner.0),
            "as_slice" | "as_str" | "as_path" | "as_os_str" => {
                self.borrowed(at, call, place);
            }
            // A boxed slice has no spare capacity.
            "capacity" if matches!(buffer, Buffer::Vec | Buffer::String) => {
                self.rename(at, named, "len");
            }
            "into_iter"
                if place == Place::Owned
                    && buffer == Buffer::Vec
                    && self.boxes_are_iterators(typed.function.krate) => {}
            "into_iter" if place == Place::Owned => {
                self.behind(at, owner.1);
            }
            _ if typed.fact(call).effect == Effect::Takes && place == Place::Owned => {
                self.behind(at, owner.1);
            }
            _ if name == buffer.freeze() && place == Place::Owned && buffer != Buffer::Counted => {
                self.is_frozen(at, call);
            }
            // `ToTokens` is implemented for `Box<T>` by way of `T`.
            "to_tokens" if buffer == Buffer::String => {}
            _ if typed.fact(call).effect == Effect::Fits && self.is_dropped(typed, call) => {
                self.drop_statement(at.with(call));
            }
            _ if typed.fact(call).effect == Effect::Empties
                && place == Place::Owned
                && !matches!(buffer, Buffer::PathBuf | Buffer::Counted)
                && self.is_dropped(typed, call) =>
            {
                self.emptied(at, call);
            }
            _ if typed.is_marked(call, Mark::OfPairs) && self.is_paired(typed, at.expr, call) => {}
            _ => self.leave(span, "calls a method that a boxed slice may lack"),
        }
    }

    /// Deletes a statement that has no effect on a boxed slice, such as `shrink_to_fit()`.
    fn drop_statement(&mut self, at: At) {
        let span = self.typed(at.body).node(at.expr).span;
        let line = self.whole(span).and_then(|whole| {
            let tokens = self
                .editor
                .files
                .get(&self.editor.model.db.sources, whole.file);
            tokens.statement(whole)
        });
        match line.filter(|_| self.is_open_to_edits(at)) {
            Some(line) => self.edits.replace(line, String::new()),
            None => self.leave(span, "is in a macro call"),
        }
    }

    /// Replaces `x.clear()` by an assignment of an empty box.
    fn emptied(&mut self, at: At, call: ExprId) {
        let typed = self.typed(at.body);
        let span = typed.node(at.expr).span;
        let name = self.editor.std_path(typed.function.module, "Box");
        match (self.behind_of(at, call), name) {
            (Some(rest), Some(name)) if self.is_open_to_edits(at) => {
                self.edits.replace(rest, format!(" = {name}::default()"));
            }
            _ => self.leave(span, "is in a macro call"),
        }
    }

    /// Deletes the call that made the boxed slice, such as `into_boxed_slice()`.
    fn is_frozen(&mut self, at: At, call: ExprId) {
        match self
            .behind_of(at, call)
            .filter(|_| self.is_open_to_edits(at))
        {
            Some(rest) => self.edits.replace(rest, String::new()),
            None => {
                let span = self.typed(at.body).node(at.expr).span;
                self.leave(span, "is in a macro call");
            }
        }
    }

    /// Returns the span from the end of an expression to the end of one that contains it.
    pub(super) fn behind_of(&self, at: At, outer: ExprId) -> Option<Span> {
        let typed = self.typed(at.body);
        let whole = self.whole(typed.node(outer).span)?;
        let on = self.whole(typed.node(at.expr).span)?;
        Some(Span {
            start: on.end,
            ..whole
        })
    }

    /// Replaces `x.as_str()` by `&*x`.
    pub(super) fn borrowed(&mut self, at: At, call: ExprId, place: Place) {
        let typed = self.typed(at.body);
        let Some(rest) = self.behind_of(at, call) else {
            self.leave(typed.node(at.expr).span, "is in a macro call");
            return;
        };
        self.edits.replace(rest, String::new());
        let stars = match place {
            Place::Owned | Place::Guessed => "&*",
            _ => "&**",
        };
        self.before_as(at.with(call), at, stars);
    }

    /// Edits a reference to the buffer where a reference to a slice may be accepted.
    fn lent(&mut self, at: At, reference: At, text: &str, buffer: Buffer) {
        let typed = self.typed(at.body);
        let span = typed.node(at.expr).span;
        let Some(outer) = typed.fact(reference.expr).parent else {
            self.leave(span, "borrows it");
            return;
        };
        let shared = !matches!(typed.node(reference.expr).kind, ExprKind::Ref(true, _));
        match &typed.node(outer).kind {
            ExprKind::For(..)
                if shared && buffer == Buffer::Vec && self.boxes_iterate(typed.function.krate) => {}
            ExprKind::For(_, on, _) if *on == reference.expr => self.before(at, text),
            ExprKind::Binary("+", _, added) | ExprKind::Assign(_, Some("+"), added)
                if *added == reference.expr =>
            {
                self.before(at, text);
            }
            ExprKind::Binary("==" | "!=", ..) => self.before(at, text),
            ExprKind::Macro(path, _) if prints(path.last_name()) => {}
            ExprKind::Macro(path, MacroArgs::Exprs(_)) if is_assertion(path.last_name()) => {
                self.before(at, text);
            }
            ExprKind::Call(callee, args) if *callee != reference.expr => {
                let index = args.iter().position(|a| *a == reference.expr);
                match self.takes_slices(typed, *callee).filter(|_| shared) {
                    // A box of a path is as good there as its path.
                    Some(true) if buffer == Buffer::PathBuf => {}
                    Some(_) => self.before(at, text),
                    None => self.argument(at, outer, index, text),
                }
            }
            // References to both are iterated over in the same way.
            ExprKind::Closure(..) if shared && self.is_flattened(typed, outer, buffer) => {
                self.before(at, text);
            }
            ExprKind::Block(stmts, _) if shared && let_of(stmts, reference.expr).is_some() => {
                match let_of(stmts, reference.expr) {
                    Some((pat, None)) => self.bound(at.body, pat, Shape::Frozen(buffer)),
                    _ => self.leave(span, "borrows it"),
                }
            }
            ExprKind::Match(_, arms)
                if shared && let Some(pat) = bound_by(typed, outer, arms, reference.expr) =>
            {
                self.bound(at.body, pat, Shape::Frozen(buffer));
            }
            ExprKind::Method(on, name, _, args) => {
                let index = args.iter().position(|a| *a == reference.expr);
                match self.signature(typed, outer) {
                    Some(_) => self.argument(at, outer, index.map(|i| i + 1), text),
                    _ if self.is_shown(typed, *on, name.name, index) => {}
                    _ if shared && self.takes_boxes(typed, (*on, name.name), index, buffer) => {}
                    _ if typed.is_marked(outer, Mark::OfPairs)
                        && self.are_alike(typed, at.expr, *on) => {}
                    _ if self
                        .editor
                        .usage
                        .takes_slices(typed.fact(*on).ty, name.name)
                        || self.is_marked_method(typed, *on, name.name)
                        || self.looks_up(typed, *on, name.name, buffer) =>
                    {
                        self.before(at, text);
                    }
                    _ => self.leave(span, "passes it to an unknown function"),
                }
            }
            _ => self.leave(span, "borrows it"),
        }
    }

    /// Returns true for a closure that returns the list of a `flat_map` of std.
    fn is_flattened(&self, typed: &Typed, closure: ExprId, buffer: Buffer) -> bool {
        match self.around(typed, closure) {
            Around::Other(_, ExprKind::Method(on, name, ..)) => {
                let of_std = || self.editor.usage.std_method(typed.fact(*on).ty, name.name);
                buffer == Buffer::Vec && name.name == "flat_map" && of_std().is_some()
            }
            _ => false,
        }
    }

    /// Returns true for a function of std that accepts anything that can be borrowed as a slice,
    /// string or path, or that formats or hashes its argument; with true for one that accepts what can
    /// be borrowed as a path. The std declarations mark such modules, types and traits.
    fn takes_slices(&self, typed: &Typed, callee: ExprId) -> Option<bool> {
        let ExprKind::Path(path) = &typed.node(callee).kind else {
            return None;
        };
        let db = self.editor.model.db;
        let module = typed.function.module;
        let mut names: Vec<Name> = path.segments.iter().map(|s| s.name).collect();
        if let [name] = names[..]
            && !matches!(
                typed.fact(callee).target,
                Some(Target::Item(_) | Target::Local(_))
            )
            && let Some(path) = self.imported(module, name)
        {
            names = path;
        }
        let (function, of) = names.split_last().filter(|(_, of)| !of.is_empty())?;
        let found = db.resolve(module, path.global, of, Ns::Type);
        let def = found.ok().flatten().filter(|f| f.used == of.len())?.def;
        let (attrs, home) = match def {
            Def::Item(id) => (&db.item(id).item.attrs, db.item(id).module),
            Def::Mod(id) => (&db.module(id).decl?.attrs, id),
            _ => return None,
        };
        let is_std = db.krate_of(home) == db.std();
        let takes = |mark| is_marked_for(attrs, mark, *function);
        (is_std && takes("slices")).then(|| takes("paths"))
    }

    /// Returns true for a method of std that accepts a reference to a box as it accepts one to the
    /// buffer: as something to iterate over, or as a path.
    fn takes_boxes(
        &self,
        typed: &Typed,
        (on, name): (ExprId, Name),
        index: Option<usize>,
        buffer: Buffer,
    ) -> bool {
        let method = self.editor.usage.std_method(typed.fact(on).ty, name);
        let input = method
            .zip(index)
            .and_then(|(m, i)| m.signature.inputs.get(i + 1));
        match (input, buffer) {
            (Some(Type::Path(of)), Buffer::Vec) => {
                of.last_name() == "Iter" && self.boxes_iterate(typed.function.krate)
            }
            (Some(Type::Path(of)), Buffer::PathBuf) => {
                let generics = method.iter().flat_map(|m| &m.signature.generics.params);
                let mut own = generics.filter(|p| p.name == of.last_name());
                own.any(|p| match &p.kind {
                    ParamKind::Type { bounds, .. } => bounds.iter().any(gives_path),
                    ParamKind::Const { .. } => false,
                })
            }
            _ => false,
        }
    }

    /// Returns the path of the only import of a name in a module.
    fn imported(&self, module: ModId, name: Name) -> Option<Vec<Name>> {
        let scope = self.editor.model.db.module(module).scope.read();
        match &scope.imports.get(&name)?[..] {
            [one] => match &one.to {
                resolve::Bound::Import(import) if !import.global => Some(import.path.clone()),
                _ => None,
            },
            _ => None,
        }
    }

    /// Returns true for a method of a std type with that mark.
    fn is_marked_method(&self, typed: &Typed, on: ExprId, name: Name) -> bool {
        let db = self.editor.model.db;
        let TyKind::Adt(id, _) = db.types.kind(without_refs(db, typed.fact(on).ty)) else {
            return false;
        };
        let data = db.item(*id);
        db.krate_of(data.module) == db.std() && is_marked_for(&data.item.attrs, "slices", name)
    }

    /// Returns true if a value is put into a field whose declared type is a reference to a slice.
    fn holds_slice(&self, typed: &Typed, edge: &Edge) -> bool {
        let db = self.editor.model.db;
        let field = stored_in(db, typed, edge).and_then(|of| {
            let variant = variant_of(db, of.adt, of.variant)?;
            variant.fields.get(of.field as usize)
        });
        field.is_some_and(|field| field.ty.is_slice_ref())
    }

    /// Returns true for a lookup in a map or set by a reference to the key's buffer type.
    fn looks_up(&self, typed: &Typed, on: ExprId, method: Name, buffer: Buffer) -> bool {
        let db = self.editor.model.db;
        let on = without_refs(db, typed.fact(on).ty);
        let key = std_parts(db, on).and_then(|(_, args)| types_of(args).next());
        let name = key.and_then(|key| std_parts(db, key)).map(|(name, _)| name);
        let found = self.editor.usage.std_method(on, method);
        let asks = found.is_some_and(|m| match m.signature.inputs.get(1) {
            Some(Type::Ref(key, false)) => {
                let mut params = m.signature.generics.params.iter();
                within::lone(key).is_some_and(|name| params.any(|p| p.name == name))
            }
            _ => false,
        });
        asks && name == Some(buffer.name())
    }

    /// Returns true for an `Option` or `Result` of a reference to a slice, and for the `Cow` of one.
    fn is_of_slice(&self, ty: Ty) -> bool {
        let db = self.editor.model.db;
        let inside = std_first(db, ty, &["Option", "Result"]);
        inside.is_some_and(|ty| self.is_to_slice(ty))
            || std_first(db, ty, &["Cow"]).is_some_and(|ty| self.is_slice(ty))
    }

    /// Edits a reference that is passed to a function: the parameter's type decides whether a slice
    /// is accepted.
    fn argument(&mut self, at: At, call: ExprId, index: Option<usize>, text: &str) {
        let typed = self.typed(at.body);
        let span = typed.node(at.expr).span;
        let signature = self.signature(typed, call);
        let asked = signature.zip(index).and_then(|(s, i)| s.inputs.get(i));
        match (asked, signature) {
            (Some(asked), Some(signature)) if takes_any(asked, signature) => {
                self.before(at, text);
            }
            (Some(_), _) => self.leave(
                span,
                "passes it to a function that may require the old type",
            ),
            (None, _) => self.leave(span, "passes it to an unknown function"),
        }
    }

    /// Returns the declared parameter type for an argument of a call.
    pub(super) fn asked(
        &self,
        typed: &Typed,
        call: ExprId,
        index: Option<usize>,
    ) -> Option<&'static Type> {
        match self.signature(typed, call) {
            Some(signature) => signature.inputs.get(index?),
            None => self.input_of_parameter(typed, call, index?),
        }
    }

    /// Returns the signature of the called function, if it belongs to the workspace, or is an
    /// associated function of a type of another package.
    pub(super) fn signature(&self, typed: &Typed, call: ExprId) -> Option<&'static Signature> {
        let db = self.editor.model.db;
        let module = typed.function.module;
        let function = match typed.fact(call).target {
            Some(Target::Item(function)) => function,
            Some(Target::Ctor(..) | Target::Local(_) | Target::Field(_)) => return None,
            _ => {
                let (ty, name) = match &typed.node(call).kind {
                    ExprKind::Method(on, name, ..) => {
                        (without_refs(db, typed.fact(*on).ty), name.name)
                    }
                    ExprKind::Call(callee, _) => self.associated(typed, *callee)?,
                    _ => return None,
                };
                let of_trait = !matches!(db.types.kind(ty), TyKind::Adt(..));
                return match &typed.node(call).kind {
                    ExprKind::Method(on, name, ..) if of_trait => {
                        self.method_of_trait(typed, *on, name.name)
                    }
                    _ => self.editor.foreign_method(ty, name, module),
                };
            }
        };
        self.editor.usage.signature(function)
    }

    /// Returns the type and the function name of `Type::name`, for a type without parameters.
    fn associated(&self, typed: &Typed, callee: ExprId) -> Option<(Ty, Name)> {
        let ExprKind::Path(path) = &typed.node(callee).kind else {
            return None;
        };
        let db = self.editor.model.db;
        let names: Vec<Name> = path.segments.iter().map(|s| s.name).collect();
        let (name, of) = names.split_last().filter(|(_, of)| !of.is_empty())?;
        let found = db.resolve(typed.function.module, path.global, of, Ns::Type);
        match found.ok().flatten()? {
            found if found.used == of.len() => match found.def {
                Def::Item(id) if db.generics(id).is_none_or(|g| g.params.is_empty()) => {
                    Some((db.types.intern(TyKind::Adt(id, Box::default())), *name))
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// Returns true where both `&Vec<T>` and `&Box<[T]>` are coerced to `&[T]`.
    pub(super) fn becomes_slice(&self, typed: &Typed, reference: ExprId) -> bool {
        let db = self.editor.model.db;
        let edge = direct(typed, reference);
        let at = |list: &[ExprId]| list.iter().position(|e| *e == reference);
        let is_returned = |e| returned_by(typed, e).is_some();
        match (edge.how, &typed.node(edge.by).kind) {
            (How::Stored, _) => match typed.fact(edge.by).target {
                Some(Target::Ctor(adt, _)) if std_name(db, adt).is_some() => {
                    is_returned(edge.by) && self.is_of_slice(typed.output)
                }
                _ => self.holds_slice(typed, &edge),
            },
            (How::Argument(index), kind) => match (self.asked(typed, edge.by, Some(index)), kind) {
                (Some(input), _) => input.is_slice_ref(),
                (None, ExprKind::Method(on, name, _, args)) => {
                    self.editor.usage.std_takes_slice(name.name, at(args))
                        || self.is_element(typed, *on, name.name, at(args))
                }
                (None, _) => false,
            },
            (How::Same, _) if typed.fact(edge.by).parent.is_some() => {
                self.becomes_slice(typed, edge.by)
            }
            (How::Same | How::Returned, _) => {
                is_returned(reference) && self.is_to_slice(typed.output)
            }
            (How::Bound(_), ExprKind::Block(stmts, _)) => {
                let_of(stmts, reference).is_some_and(|(_, ty)| ty.is_some_and(Type::is_slice_ref))
            }
            (How::Element, ExprKind::Tuple(list)) if is_returned(edge.by) => {
                match db.types.kind(typed.output) {
                    TyKind::Tuple(parts) => {
                        let part = at(list).and_then(|i| parts.get(i));
                        part.is_some_and(|ty| self.is_to_slice(*ty))
                    }
                    _ => false,
                }
            }
            // The first element determines the type of the array.
            (How::Element, ExprKind::Array(list)) => {
                at(list) > Some(0) && self.is_to_slice(typed.fact(list[0]).ty)
            }
            (How::Assigned(to), _) => self.is_to_slice(typed.fact(to).ty),
            _ => false,
        }
    }

    /// Returns true if a method of std takes `&dyn Debug` or similar there.
    pub(super) fn is_shown(
        &self,
        typed: &Typed,
        on: ExprId,
        name: Name,
        index: Option<usize>,
    ) -> bool {
        let method = self.editor.usage.std_method(typed.fact(on).ty, name);
        let asked = method
            .zip(index)
            .and_then(|(m, i)| m.signature.inputs.get(i + 1));
        match asked {
            Some(Type::Ref(inner, false)) => {
                matches!(&**inner, Type::Dyn(bounds) if bounds.iter().all(is_of_slices))
            }
            _ => false,
        }
    }

    /// Returns true if a method of std takes an element there, and the elements are references to
    /// slices.
    fn is_element(&self, typed: &Typed, on: ExprId, name: Name, index: Option<usize>) -> bool {
        let db = self.editor.model.db;
        let on = typed.fact(on).ty;
        let first = std_parts(db, without_refs(db, on)).and_then(|(_, args)| types_of(args).next());
        let asked = || {
            let method = self.editor.usage.std_method(on, name)?;
            let (element, _) = method.element?;
            let input = method.signature.inputs.get(index? + 1)?;
            Some(
                matches!(input, Type::Path(p) if p.segments.len() == 1 && p.segments[0].name == element),
            )
        };
        first.is_some_and(|ty| self.is_to_slice(ty)) && asked() == Some(true)
    }

    /// Returns true for a reference to a slice, string or path.
    fn is_to_slice(&self, ty: Ty) -> bool {
        let db = self.editor.model.db;
        matches!(db.types.kind(ty), TyKind::Ref(inner, _) if self.is_slice(*inner))
    }

    fn is_slice(&self, ty: Ty) -> bool {
        let db = self.editor.model.db;
        match db.types.kind(ty) {
            TyKind::Slice(_) | TyKind::Prim(Prim::Str) => true,
            TyKind::Adt(id, _) => matches!(std_name(db, *id), Some("Path" | "OsStr")),
            _ => false,
        }
    }
}

/// Returns true if the std declarations have this mark for a function: `slices` if it accepts anything
/// that can be borrowed as a slice, `paths` as a path.
fn is_marked_for(attrs: &ir::Attrs, name: &str, function: Name) -> bool {
    mark(attrs, name).is_some_and(|m| {
        let named = |m: &ir::Meta| m.path.last() == Some(&function);
        m.list.is_empty() || m.list.iter().any(named)
    })
}

/// Returns the index of an argument.
pub(super) fn position(args: &[ExprId], arg: ExprId) -> Option<usize> {
    args.iter().position(|a| *a == arg)
}

/// Returns the pattern of a `let` whose value is a `match` in which every other arm diverges.
fn bound_by(typed: &Typed, outer: ExprId, arms: &[Arm], value: ExprId) -> Option<PatId> {
    let leaves = |arm: &Arm| {
        let kind = &typed.node(arm.value).kind;
        matches!(
            kind,
            ExprKind::Return(_) | ExprKind::Break(..) | ExprKind::Continue
        )
    };
    if !arms.iter().all(|arm| arm.value == value || leaves(arm)) {
        return None;
    }
    match &typed.node(typed.fact(outer).parent?).kind {
        ExprKind::Block(stmts, _) => match let_of(stmts, outer)? {
            (pat, None) => Some(pat),
            _ => None,
        },
        _ => None,
    }
}

/// Returns the pattern and the declared type of the `let` with this initializer.
pub(super) fn let_of(stmts: &[Stmt], expr: ExprId) -> Option<(PatId, Option<&Type>)> {
    stmts.iter().find_map(|stmt| match stmt {
        Stmt::Let { pat, ty, init, .. } if *init == Some(expr) => Some((*pat, ty.as_deref())),
        _ => None,
    })
}

/// Returns true for a generic parameter whose bounds are all satisfied by a reference to a slice.
fn takes_any(asked: &Type, signature: &Signature) -> bool {
    let (asked, lent) = match asked {
        Type::Ref(inner, false) => (&**inner, true),
        asked => (asked, false),
    };
    let Type::Path(path) = asked else {
        return matches!(asked, Type::Impl(bounds) if !lent && bounds.iter().all(is_of_slices));
    };
    let name = path.last_name();
    let named = |ty: &Type| {
        let mut list = Vec::new();
        within::names(ty, &mut list);
        list.iter().any(|n| *n == name)
    };
    let generics = &signature.generics;
    let mut params = generics.params.iter();
    let Some(own) = params.find(|p| path.segments.len() == 1 && p.name == name) else {
        return false;
    };
    // Other parameters of this type would have to change too.
    let others = signature.inputs.iter().filter(|ty| named(ty)).count() > 1;
    if others || signature.output.as_ref().is_some_and(named) {
        return false;
    }
    let own = match &own.kind {
        ParamKind::Type { bounds, .. } => &bounds[..],
        ParamKind::Const { .. } => &[],
    };
    let wheres = generics.wheres.iter().filter(|w| named(&w.ty));
    let bounds = own.iter().chain(wheres.flat_map(|w| &w.bounds));
    // A slice behind the reference has no size.
    if lent && !bounds.clone().any(|b| b.maybe) {
        return false;
    }
    let mut bounds = bounds.filter(|b| !b.maybe);
    bounds.clone().next().is_some() && bounds.all(is_of_slices)
}

/// Returns true for a trait that references to slices and to buffers both implement, with the same
/// result.
fn is_of_slices(bound: &Bound) -> bool {
    matches!(
        bound.path.last_name(),
        "AsRef" | "Debug" | "Display" | "Hash" | "Serialize" | "ToString"
    )
}
