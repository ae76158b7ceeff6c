//! Reads of changed fields: conversions before or after an expression that restore its old type.

use super::compare::compared_with;
use super::freeze::position;
use super::places::{Place, variable};
use super::reached::closure;
use super::{Buffer, Shape, Work, text};
use crate::flow::{How, direct, prints};
use crate::infer::body::{Target, Typed};
use crate::infer::marks::Mark;
use crate::infer::types::std_variant;
use crate::ir::body::{ExprId, ExprKind, MacroArgs, PatId, PatKind, Stmt};
use crate::ir::{ItemKind, Type};
use crate::lower::{is_format, is_quote};
use crate::name::Name;
use crate::span::Span;
use crate::usage::events::At;

/// Returns true for a macro whose arguments are expressions.
pub(super) fn takes_expressions(name: &str) -> bool {
    is_format(name) || matches!(name, "dbg" | "matches" | "vec")
}

/// Returns true if the operator of `kind` binds more tightly than a unary one before `inner`.
fn binds_tighter(kind: &ExprKind, inner: ExprId) -> bool {
    match kind {
        ExprKind::Method(e, ..) | ExprKind::Field(e, _) | ExprKind::Index(e, _) => *e == inner,
        ExprKind::Call(e, _) | ExprKind::Try(e) | ExprKind::Await(e) => *e == inner,
        _ => false,
    }
}

/// Returns true if a macro call that is not expanded uses a variable only as an argument after `#`.
fn gives_tokens(typed: &Typed, call: ExprId, name: Name, shape: Shape) -> bool {
    let ExprKind::Macro(path, MacroArgs::Names(words)) = &typed.node(call).kind else {
        return false;
    };
    let mut named = words.iter().filter(|w| w.name == name);
    !matches!(shape, Shape::Keys(_)) && is_quote(path.last_name()) && named.all(|w| w.put_in)
}

/// The context of an expression.
pub(super) enum Around<'t> {
    /// The receiver of a method call: the call, the method's name and the name's place.
    Receiver(ExprId, &'t str, Span),
    /// Access to a field or an element of it.
    Part,
    /// An argument of a macro that prints it or converts it to tokens.
    Printed,
    /// An operand that is matched against these patterns.
    Matched(Vec<PatId>),
    /// Another context.
    Other(ExprId, &'t ExprKind),
    /// The whole body.
    Whole,
}

impl<'e> Work<'e> {
    pub(super) fn typed(&self, body: usize) -> &'e Typed {
        let editor = self.editor;
        &editor.usage.bodies[body]
    }

    /// Edits an expression that has the changed field's type.
    pub(super) fn used(&mut self, at: At, place: Place, shape: Shape) {
        let set = self.sets.contains(&at) || self.carried.contains(&at);
        if place == Place::Owned && set {
            self.carried.insert(at);
            return;
        }
        if place == Place::Guessed && self.is_of_another_type(self.typed(at.body), at.expr, shape) {
            return;
        }
        match shape {
            Shape::Boxed => self.boxed(at, place),
            Shape::BoxedInside | Shape::FrozenInside(_) => self.optional(at, place, shape),
            Shape::Frozen(buffer) => self.frozen(at, place, buffer),
            Shape::Keys(buffer) => self.collection_use(at, place, buffer),
        }
    }

    /// Edits the bindings of a pattern that is matched against a changed field.
    pub(super) fn bound(&mut self, body: usize, pat: PatId, shape: Shape) {
        let typed = self.typed(body);
        let node = typed.function.body.pat(pat);
        let db = self.editor.model.db;
        let ctor = typed.pat(pat).ctor.and_then(|ctor| std_variant(db, ctor));
        match &node.kind {
            PatKind::Wild | PatKind::Rest => {}
            PatKind::Or(cases) => cases.iter().for_each(|p| self.bound(body, *p, shape)),
            PatKind::Bind { mutable, .. } if variable(typed, pat).is_some() => {
                self.variable(body, pat, *mutable, shape);
            }
            kind if let Some(inside) = shape.inside() => match (kind, ctor) {
                (_, Some("None")) => {}
                (PatKind::TupleStruct(_, list), Some("Some")) => {
                    list.iter().for_each(|p| self.bound(body, *p, inside));
                }
                _ => self.leave(node.span, "destructures it"),
            },
            PatKind::Tuple(_) | PatKind::Struct(..) | PatKind::TupleStruct(..)
                if shape == Shape::Boxed && self.always_fits(typed, pat) =>
            {
                match self.real(node.span) {
                    Some(span) if self.reached(body, pat, span, ["", ""], false) => {}
                    Some(span) => {
                        let text = self.editor.model.db.sources.text(span);
                        self.unpack(body, pat, span, ["", ""], &text);
                    }
                    None => self.leave(node.span, "is in a macro call"),
                }
            }
            _ => self.leave(node.span, "destructures it"),
        }
    }

    /// Returns true for the pattern of a tuple or a struct.
    fn always_fits(&self, typed: &Typed, pat: PatId) -> bool {
        let db = self.editor.model.db;
        match (&typed.function.body.pat(pat).kind, typed.pat(pat).ctor) {
            (PatKind::Tuple(_), _) => true,
            (_, Some((adt, _))) => match &db.item(adt).item.kind {
                crate::ir::ItemKind::Adt(adt) => adt.kind == crate::ir::AdtKind::Struct,
                _ => false,
            },
            _ => false,
        }
    }

    fn variable(&mut self, body: usize, pat: PatId, mutable: bool, shape: Shape) {
        let typed = self.typed(body);
        let node = typed.function.body.pat(pat);
        let Some(local) = variable(typed, pat) else {
            return;
        };
        let name = typed.locals[local as usize].name;
        let alternative = self.editor.is_alternative(body, pat);
        if alternative && !self.is_alike(body, pat, shape) {
            self.leave(node.span, "binds it in one alternative of a pattern");
            return;
        }
        let place = self.editor.binds(body, pat);
        let moved = matches!(shape, Shape::Frozen(_) | Shape::FrozenInside(_));
        if place == Place::Owned && !moved {
            match self.editor.is_copy(typed.pat(pat).ty) {
                Some(false) => {}
                Some(true) if shape == Shape::Boxed && !alternative => {
                    self.copied(body, pat, mutable);
                    return;
                }
                _ => {
                    self.leave(node.span, "may copy it");
                    return;
                }
            }
        }
        let mut opaque = typed.opaque.iter().filter(|(word, _)| *word == name);
        if opaque.any(|(_, call)| !gives_tokens(typed, *call, name, shape)) {
            self.leave(node.span, "binds it to a variable that a macro call names");
            return;
        }
        for &expr in typed.uses(local) {
            let at = At { body, expr };
            self.used(at, place, shape);
        }
    }

    /// Returns true if a variable is bound to fields with the same change in every alternative of
    /// an or-pattern.
    fn is_alike(&self, body: usize, pat: PatId, shape: Shape) -> bool {
        let typed = self.typed(body);
        let PatKind::Bind { name, .. } = &typed.function.body.pat(pat).kind else {
            return false;
        };
        let alternatives = |p: &PatId| matches!(typed.function.body.pat(*p).kind, PatKind::Or(_));
        let mut around = std::iter::successors(Some(pat), |p| self.editor.outer(body, *p));
        let Some(outermost) = around.by_ref().filter(alternatives).last() else {
            return false;
        };
        let within = |p: PatId| {
            let mut up = std::iter::successors(Some(p), |p| self.editor.outer(body, *p));
            up.any(|p| p == outermost)
        };
        let mut pats = typed.function.body.pats();
        pats.all(|(id, node)| match &node.kind {
            PatKind::Bind { name: n, .. } if n == name && within(id) => {
                let field = typed.pat(id).field;
                field.is_some_and(|f| self.changed.get(&f) == Some(&shape))
            }
            _ => true,
        })
    }

    pub(super) fn around(&self, typed: &'e Typed, expr: ExprId) -> Around<'e> {
        let Some(parent) = typed.fact(expr).parent else {
            return Around::Whole;
        };
        let kind = &typed.node(parent).kind;
        match (direct(typed, expr).how, kind) {
            (How::Does(_), ExprKind::Method(_, name, (start, end), _)) => {
                let place = Span {
                    file: typed.node(parent).span.file,
                    start: *start,
                    end: *end,
                };
                Around::Receiver(parent, name.name.as_str(), place)
            }
            (How::Part, _) => Around::Part,
            (_, ExprKind::Macro(path, MacroArgs::Exprs(_))) if prints(path.last_name()) => {
                Around::Printed
            }
            (_, ExprKind::Macro(..)) if self.is_quoted(typed, expr) => Around::Printed,
            (How::Matched(arms), _) => Around::Matched(arms.iter().map(|a| a.pat).collect()),
            // An irrefutable `let` only names it.
            (How::Bound(_), ExprKind::Block(stmts, _)) if !is_refutable(stmts, expr) => {
                Around::Other(parent, kind)
            }
            (How::Bound(pat), _) => Around::Matched(vec![pat]),
            _ => Around::Other(parent, kind),
        }
    }

    /// Returns true for an argument captured in a format string.
    pub(super) fn is_quoted(&self, typed: &Typed, expr: ExprId) -> bool {
        let span = typed.node(expr).span;
        let text = self.editor.model.db.sources.text(span);
        text.starts_with(['"', 'r', 'b']) && text.ends_with(['"', '#'])
    }

    fn boxed(&mut self, at: At, place: Place) {
        let typed = self.typed(at.body);
        let around = self.around(typed, at.expr);
        match around {
            // Every box has the `fmt` of `Pointer`.
            Around::Receiver(_, "fmt", _)
                if self.editor.imports(typed.function.module, "Pointer") =>
            {
                self.before(at, place.stars());
            }
            Around::Receiver(call, ..) if self.is_of_contents(typed, call) => {}
            Around::Part | Around::Printed => {}
            _ if place == Place::Guessed => match self.passed_as(typed, at.expr) {
                Some("") => {}
                Some(prefix) => self.before(at, prefix),
                None => {
                    self.leave(typed.node(at.expr).span, "names a field of an unknown type");
                }
            },
            Around::Receiver(call, "clone", _) if self.sets.contains(&at.with(call)) => {
                self.carried.insert(at.with(call));
            }
            Around::Other(_, ExprKind::Deref(_)) => self.before(at, "*"),
            Around::Other(..) if self.is_coerced(at, place) => {}
            Around::Other(_, ExprKind::Assign(to, _, _))
                if *to == at.expr && place != Place::Owned =>
            {
                self.leave(typed.node(at.expr).span, "reassigns the variable");
            }
            // A method that takes a reference makes it.
            Around::Receiver(_, name, _)
                if place == Place::Shared && !self.uses_up(typed, at.expr, name) =>
            {
                self.before(at, "**");
            }
            _ => self.before(
                at,
                match place {
                    Place::Owned | Place::Guessed => "*",
                    Place::Shared => "&**",
                    // What a guard names is immutable.
                    Place::Lent if is_in_guard(typed, at.expr) => "&**",
                    Place::Lent => "&mut **",
                },
            ),
        }
    }

    /// Edits a call of `take`, which gives a box.
    fn taken_out(&mut self, at: At, call: ExprId, shape: Shape) {
        let typed = self.typed(at.body);
        let span = typed.node(at.expr).span;
        match (self.around(typed, call), self.released(at, shape)) {
            (Around::Receiver(_, "is_some" | "is_none", _), _) => {}
            // What is taken is a box.
            (Around::Receiver(whole, "unwrap" | "expect", _), _)
            | (Around::Other(whole, ExprKind::Try(_)), _)
                if shape == Shape::BoxedInside =>
            {
                self.used(at.with(whole), Place::Owned, Shape::Boxed);
            }
            (Around::Matched(pats), _)
                if shape == Shape::BoxedInside && self.bind_boxes(at.body, &pats) =>
            {
                self.matched(at.body, &pats, shape);
            }
            (_, Some(text)) => self.behind(at.with(call), &text),
            (_, None) => self.leave(span, "uses it in an unsupported way"),
        }
    }

    /// Edits a use of an `Option` whose contents are boxed or frozen.
    fn optional(&mut self, at: At, place: Place, shape: Shape) {
        let typed = self.typed(at.body);
        let span = typed.node(at.expr).span;
        let unboxed = self.unboxed(at, place, shape);
        let around = self.around(typed, at.expr);
        match around {
            Around::Receiver(_, "is_some" | "is_none", _) | Around::Printed => {}
            _ if place == Place::Guessed => self.leave(span, "names a field of an unknown type"),
            // The result is a slice, as before.
            Around::Receiver(_, "as_deref" | "as_deref_mut", _)
                if matches!(shape, Shape::FrozenInside(_)) => {}
            // What is unwrapped reaches through the box.
            Around::Receiver(call, "as_ref" | "as_mut", _)
                if shape == Shape::BoxedInside && self.reaches_in(typed, call) => {}
            Around::Receiver(call, "as_ref", name) => match shape {
                Shape::FrozenInside(buffer) => self.opened(at.with(call), buffer),
                _ => self.rename(at, name, "as_deref"),
            },
            Around::Receiver(_, "as_mut", name) if shape == Shape::BoxedInside => {
                self.rename(at, name, "as_deref_mut");
            }
            Around::Receiver(call, "clone" | "take", _) if self.sets.contains(&at.with(call)) => {
                self.carried.insert(at.with(call));
            }
            Around::Receiver(call, "clone", name) if shape == Shape::BoxedInside => {
                self.rename(at, name, "as_deref");
                self.behind(at.with(call), ".cloned()");
            }
            Around::Receiver(call, "clone", _) => match unboxed {
                Some(text) => self.behind(at.with(call), &text),
                None => self.leave(span, "uses it in an unsupported way"),
            },
            Around::Receiver(call, "take", _) => self.taken_out(at, call, shape),
            Around::Receiver(_, name, _) if self.uses_up(typed, at.expr, name) => match unboxed {
                Some(text) => self.behind(at, &text),
                None => self.leave(span, "uses it in an unsupported way"),
            },
            Around::Matched(pats) => self.matched(at.body, &pats, shape),
            Around::Other(outer, ExprKind::Ref(..)) => match self.around(typed, outer) {
                Around::Matched(pats) => self.matched(at.body, &pats, shape),
                Around::Other(_, ExprKind::Method(on, name, _, args))
                    if self.is_shown(typed, *on, name.name, position(args, outer)) => {}
                Around::Other(tuple, ExprKind::Tuple(list)) => {
                    match self.matched_part(typed, tuple, list, outer) {
                        Some(pats) => self.matched(at.body, &pats, shape),
                        None => self.leave(span, "borrows it"),
                    }
                }
                Around::Printed => {}
                _ => self.leave(span, "borrows it"),
            },
            Around::Other(_, ExprKind::Assign(to, None, value)) if *to == at.expr => {
                self.value(at.with(*value), shape);
            }
            Around::Other(outer, ExprKind::Binary("==" | "!=", ..))
                if let Some(other) = compared_with(typed, outer, at.expr) =>
            {
                self.compared_option(at, other, place, shape);
            }
            Around::Other(outer, ExprKind::Macro(..))
                if let Some(other) = compared_with(typed, outer, at.expr) =>
            {
                self.compared_option(at, other, place, shape);
            }
            Around::Other(_, ExprKind::Binary(..) | ExprKind::Deref(_) | ExprKind::Macro(..))
            | Around::Receiver(..)
            | Around::Part => self.leave(span, "uses it in an unsupported way"),
            Around::Other(..) | Around::Whole => match unboxed {
                Some(text) if place == Place::Owned => self.behind(at, &text),
                _ => self.leave(span, "uses it in an unsupported way"),
            },
        }
    }

    /// Returns true if a method is called on what is in a box without an edit.
    pub(super) fn is_of_contents(&self, typed: &Typed, call: ExprId) -> bool {
        let db = self.editor.model.db;
        let is_inherent = || {
            match typed.fact(call).target {
            Some(Target::Item(item)) => db.item(item).owner.is_some_and(|owner| {
                matches!(&db.item(owner).item.kind, ItemKind::Impl(of) if of.trait_.is_none())
            }),
            _ => false,
        }
        };
        let is = |mark| typed.is_marked(call, mark);
        !(is(Mark::OfBoxes) || is(Mark::LikeContents) && is_inherent())
    }

    /// Returns true if patterns bind what is in an `Option` to a variable, which may be a box.
    fn bind_boxes(&self, body: usize, pats: &[PatId]) -> bool {
        let typed = self.typed(body);
        let kind = |pat: PatId| &typed.function.body.pat(pat).kind;
        let binds = |pat: PatId| match (kind(pat), variable(typed, pat)) {
            (PatKind::Wild, _) => true,
            (_, Some(local)) => {
                let of = &typed.locals[local as usize];
                self.editor.is_copy(of.ty) == Some(false) && !typed.is_opaque(of.name)
            }
            _ => false,
        };
        pats.iter().all(|pat| match kind(*pat) {
            PatKind::TupleStruct(_, list) => list.iter().all(|p| binds(*p)),
            PatKind::Wild => true,
            _ => {
                let ctor = typed.pat(*pat).ctor;
                ctor.and_then(|ctor| std_variant(self.editor.model.db, ctor)) == Some("None")
            }
        })
    }

    /// Returns the conversion that restores the old type of an `Option` that was moved or copied;
    /// none otherwise.
    fn unboxed(&self, at: At, place: Place, shape: Shape) -> Option<String> {
        match shape {
            Shape::FrozenInside(_) => {
                let cloned = matches!(
                    self.around(self.typed(at.body), at.expr),
                    Around::Receiver(_, "clone", _)
                );
                (place == Place::Owned || cloned).then(|| self.released(at, shape))?
            }
            _ => match self.editor.is_copy(self.typed(at.body).fact(at.expr).ty) {
                Some(true) => Some(".as_deref().copied()".to_owned()),
                Some(false) if place == Place::Owned => self.released(at, shape),
                _ => None,
            },
        }
    }

    /// Returns the conversion that restores the old contents of an `Option`; none if the type
    /// cannot be named.
    fn released(&self, at: At, shape: Shape) -> Option<String> {
        match shape {
            Shape::FrozenInside(Buffer::Counted) => {
                Some(".map(|text| text.to_string())".to_owned())
            }
            Shape::FrozenInside(buffer) => {
                let module = self.typed(at.body).function.module;
                let name = self.editor.std_path(module, buffer.name())?;
                Some(format!(".map({name}::from)"))
            }
            _ => {
                let typed = self.typed(at.body);
                let name = match &typed.node(at.expr).kind {
                    ExprKind::Field(_, name) => Some(*name),
                    _ => typed.name_of(at.expr),
                };
                let name = name.map_or("", |name| name.as_str());
                let is_word = name.starts_with(|c: char| c.is_ascii_lowercase()) && name != "self";
                let name = if is_word { name } else { "boxed" };
                Some(format!(".map(|{name}| *{name})"))
            }
        }
    }

    /// Edits `as_ref` of an `Option`, and the uses of the resulting reference.
    fn opened(&mut self, at: At, buffer: Buffer) {
        let typed = self.typed(at.body);
        let shape = Shape::Frozen(buffer);
        match self.around(typed, at.expr) {
            Around::Receiver(_, "and" | "is_none" | "is_some", _) => {}
            Around::Receiver(call, "unwrap" | "expect", _) => {
                self.used(at.with(call), Place::Shared, shape);
            }
            Around::Other(outer, ExprKind::Try(_)) => {
                self.used(at.with(outer), Place::Shared, shape);
            }
            Around::Matched(pats) => self.matched(at.body, &pats, Shape::FrozenInside(buffer)),
            Around::Receiver(call, "map", _) if self.is_lent_as_slice(typed, call) => {
                self.opened_as_slice(at, call);
            }
            Around::Receiver(call, name, _)
                if self.gives_contents(typed, at.expr, name)
                    && let Some(pat) = closure(typed, call) =>
            {
                self.bound(at.body, pat, shape);
            }
            _ => self.leave(typed.node(at.expr).span, "uses it in an unsupported way"),
        }
    }

    /// Returns true for a method of std that takes its receiver by value.
    pub(super) fn uses_up(&self, typed: &Typed, on: ExprId, name: &str) -> bool {
        let method = self
            .editor
            .usage
            .std_method(typed.fact(on).ty, Name::new(name));
        let first = method.and_then(|m| m.signature.inputs.first());
        first.is_some_and(|ty| !matches!(ty, Type::Ref(..)))
    }

    /// Returns true for a method that passes the contents to its last argument, a function.
    pub(super) fn gives_contents(&self, typed: &Typed, on: ExprId, name: &str) -> bool {
        let method = self
            .editor
            .usage
            .std_method(typed.fact(on).ty, Name::new(name));
        let found = method.and_then(|m| Some((m.signature.inputs.last()?, m.element?.0)));
        match found {
            Some((Type::FnPtr(inputs, ..), element)) => {
                matches!(&inputs[..], [one] if super::within::lone(one) == Some(element))
            }
            _ => false,
        }
    }

    /// Returns true for `.map(String::as_str)` and similar.
    fn is_lent_as_slice(&self, typed: &Typed, call: ExprId) -> bool {
        let ExprKind::Method(_, _, _, args) = &typed.node(call).kind else {
            return false;
        };
        match args[..] {
            [one] => match &typed.node(one).kind {
                ExprKind::Path(_) => typed.is_marked(one, Mark::Views),
                _ => false,
            },
            _ => false,
        }
    }

    /// Replaces `x.as_ref().map(String::as_str)` by `x.as_deref()`.
    fn opened_as_slice(&mut self, at: At, call: ExprId) {
        let typed = self.typed(at.body);
        let on = match &typed.node(at.expr).kind {
            ExprKind::Method(on, ..) => *on,
            _ => at.expr,
        };
        match self.behind_of(at.with(on), call) {
            Some(rest) if on != at.expr && self.is_open_to_edits(at) => {
                self.edits.replace(rest, ".as_deref()".to_owned());
            }
            _ => self.leave(typed.node(at.expr).span, "is in a macro call"),
        }
    }

    /// Returns the subpatterns that a part of a tuple expression is matched against.
    fn matched_part(
        &self,
        typed: &'e Typed,
        tuple: ExprId,
        list: &[ExprId],
        part: ExprId,
    ) -> Option<Vec<PatId>> {
        let index = list.iter().position(|e| *e == part)?;
        let Around::Matched(mut pats) = self.around(typed, tuple) else {
            return None;
        };
        let mut parts = Vec::new();
        while let Some(pat) = pats.pop() {
            match &typed.function.body.pat(pat).kind {
                PatKind::Wild => {}
                PatKind::Or(cases) => pats.extend(cases),
                PatKind::Tuple(of) if of.len() == list.len() => parts.push(*of.get(index)?),
                _ => return None,
            }
        }
        Some(parts)
    }

    pub(super) fn matched(&mut self, body: usize, pats: &[PatId], shape: Shape) {
        for &pat in pats {
            self.bound(body, pat, shape);
        }
    }

    /// Renames a method.
    pub(super) fn rename(&mut self, at: At, name: Span, new: &str) {
        match self.real(name).filter(|_| self.is_open_to_edits(at)) {
            Some(span) => self.edits.replace(span, new.to_owned()),
            None => self.leave(name, "is in a macro call"),
        }
    }

    /// Inserts text before an expression; adds parentheses if an operator that binds more tightly
    /// follows.
    pub(super) fn before(&mut self, at: At, text: &str) {
        self.before_as(at, at, text);
    }

    /// Inserts text like [`Work::before`], for text that replaces an enclosing expression.
    pub(super) fn before_as(&mut self, at: At, inner: At, text: &str) {
        let typed = self.typed(at.body);
        let node = typed.node(inner.expr);
        let span = self.whole(node.span).filter(|_| self.is_open_to_edits(at));
        let Some(span) = span else {
            self.leave(node.span, "is in a macro call");
            return;
        };
        let parent = typed.fact(at.expr).parent.map(|p| &typed.node(p).kind);
        let (mut open, close) = match parent {
            Some(kind) if binds_tighter(kind, at.expr) => (format!("({text}"), ")"),
            _ => (text.to_owned(), ""),
        };
        if let Some(name) = self.shorthand(at) {
            open = format!("{name}: {open}");
        }
        self.edits.around(span, text::INNER, &open, close);
    }

    /// Inserts a method call after an expression.
    pub(super) fn behind(&mut self, at: At, text: &str) {
        let typed = self.typed(at.body);
        let node = typed.node(at.expr);
        let span = self.whole(node.span).filter(|_| self.is_open_to_edits(at));
        let Some(span) = span else {
            self.leave(node.span, "is in a macro call");
            return;
        };
        let open = self.shorthand(at).map(|name| format!("{name}: "));
        self.edits
            .around(span, text::INNER, open.as_deref().unwrap_or_default(), text);
    }

    /// Returns the span of an expression in a real file, extended to whole pairs of delimiters.
    pub(super) fn whole(&self, span: Span) -> Option<Span> {
        let real = self.real(span)?;
        let editor = self.editor;
        let tokens = editor.files.get(&editor.model.db.sources, real.file);
        Some(tokens.balanced(real))
    }

    /// Returns the field that an expression initializes, if it is written as a shorthand.
    pub(super) fn shorthand(&self, at: At) -> Option<&'static str> {
        let typed = self.typed(at.body);
        let parent = typed.fact(at.expr).parent?;
        let ExprKind::Struct(_, fields, _) = &typed.node(parent).kind else {
            return None;
        };
        let (name, _) = fields.iter().find(|(_, value)| *value == at.expr)?;
        let ExprKind::Path(path) = &typed.node(at.expr).kind else {
            return None;
        };
        let real = self.real(typed.node(at.expr).span)?;
        let tokens = self
            .editor
            .files
            .get(&self.editor.model.db.sources, real.file);
        let first = tokens.at(real.start);
        let written = first > 0 && tokens.is(first - 1, b':');
        (path.segments.len() == 1 && !written).then_some(name.as_str())
    }

    /// Returns true if every macro around an expression is known to take expressions.
    pub(super) fn is_open_to_edits(&self, at: At) -> bool {
        let typed = self.typed(at.body);
        let up = std::iter::successors(typed.fact(at.expr).parent, |e| typed.fact(*e).parent);
        let mut macros = up.filter_map(|e| match &typed.node(e).kind {
            ExprKind::Macro(path, _) => Some(path.last_name()),
            _ => None,
        });
        macros.all(takes_expressions)
    }
}

/// Returns true for the value of a `let` with `else`.
fn is_refutable(stmts: &[Stmt], value: ExprId) -> bool {
    let has_else = |stmt: &Stmt| match stmt {
        Stmt::Let {
            init, otherwise, ..
        } => *init == Some(value) && otherwise.is_some(),
        Stmt::Expr(_) => false,
    };
    stmts.iter().any(has_else)
}

/// Returns true if an expression is in the guard of an arm.
fn is_in_guard(typed: &Typed, expr: ExprId) -> bool {
    let mut up = std::iter::successors(Some(expr), |e| typed.fact(*e).parent);
    up.any(|inner| {
        let outer = typed.fact(inner).parent.map(|e| &typed.node(e).kind);
        let Some(ExprKind::Match(_, arms)) = outer else {
            return false;
        };
        // Expressions are numbered in the order of the source, and a guard comes before its value:
        // a search, since a match may have very many arms.
        let arm = arms.get(arms.partition_point(|arm| arm.value < inner));
        arm.is_some_and(|arm| arm.guard == Some(inner))
    })
}
