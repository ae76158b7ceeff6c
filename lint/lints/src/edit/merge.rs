//! Removes one of two nested allocations: a field that is no longer boxed, or a shared buffer that
//! becomes a shared slice.

use super::freeze::let_of;
use super::places::{Place, variable};
use super::uses::{Around, OF_BOXES};
use super::{Buffer, Shape, Work, text};
use crate::flow::{How, direct};
use crate::infer::body::{Target, Typed};
use crate::infer::effects::Effect;
use crate::infer::types::{pointee, std_parts, without_refs};
use crate::ir::Type;
use crate::ir::body::{ExprId, ExprKind, Stmt};
use crate::resolve::ty::TyKind;
use crate::span::Span;
use crate::usage::events::At;

impl Work<'_> {
    /// Edits a use of a field that was a box and becomes the box's contents.
    pub(super) fn unboxed_use(&mut self, at: At, place: Place) {
        let typed = self.typed(at.body);
        let span = typed.node(at.expr).span;
        match self.around(typed, at.expr) {
            Around::Receiver(call, "clone", _) if self.sets.contains(&at.with(call)) => {
                self.carried.insert(at.with(call));
            }
            Around::Receiver(call, "clone", _) if place != Place::Guessed => {
                self.box_again(at.with(call));
            }
            Around::Receiver(_, name, _) if !OF_BOXES.contains(&name) || name == "into_iter" => {}
            Around::Part | Around::Printed => {}
            _ if place == Place::Guessed => self.leave(span, "names a field of an unknown type"),
            Around::Other(outer, ExprKind::Deref(_)) if place == Place::Owned => {
                self.without_star(at, outer);
            }
            Around::Other(outer, ExprKind::Deref(_)) => match self.around(typed, outer) {
                Around::Other(whole, ExprKind::Deref(_)) => self.without_star(at, whole),
                Around::Receiver(_, name, _) if !OF_BOXES.contains(&name) => {}
                Around::Part => {}
                _ => self.leave(span, "uses it in an unsupported way"),
            },
            Around::Other(outer, ExprKind::Ref(..)) if place == Place::Owned => {
                self.lent_unboxed(at, outer);
            }
            Around::Other(_, ExprKind::Assign(to, None, value))
                if *to == at.expr && place == Place::Owned =>
            {
                self.value(at.with(*value), Shape::Unboxed);
            }
            Around::Matched(_)
            | Around::Receiver(..)
            | Around::Other(_, ExprKind::Binary(..) | ExprKind::Assign(..) | ExprKind::Macro(..)) =>
            {
                self.leave(span, "uses it in an unsupported way");
            }
            Around::Other(..) | Around::Whole => match place {
                Place::Owned => self.box_again(at),
                _ => self.lent_unboxed(at, at.expr),
            },
        }
    }

    /// Boxes a value again that is moved out where a box is still required.
    fn box_again(&mut self, at: At) {
        let typed = self.typed(at.body);
        let span = typed.node(at.expr).span;
        let whole = self.whole(span).filter(|_| self.is_open_to_edits(at));
        let boxed = self.editor.std_path(typed.function.module, "Box");
        match whole.zip(boxed) {
            Some((whole, boxed)) => {
                let name = self.shorthand(at).map(|name| format!("{name}: "));
                let open = format!("{}{boxed}::new(", name.unwrap_or_default());
                self.edits.around(whole, text::INNER, &open, ")");
            }
            None => self.leave(span, "is in a macro call"),
        }
    }

    /// Removes the dereference in `*x` where `x` is no longer a box; `outer` is the outermost
    /// dereference.
    pub(super) fn without_star(&mut self, at: At, outer: ExprId) {
        let typed = self.typed(at.body);
        let star = typed.node(outer).span;
        match self.real(star).filter(|_| self.is_open_to_edits(at)) {
            Some(real) => {
                let end = real.start + 1;
                self.edits.replace(Span { end, ..real }, String::new());
            }
            None => self.leave(star, "is in a macro call"),
        }
    }

    /// Edits a reference to the box, which becomes a reference to its contents.
    fn lent_unboxed(&mut self, at: At, reference: ExprId) {
        let typed = self.typed(at.body);
        let span = typed.node(at.expr).span;
        let db = self.editor.model.db;
        let plain = |ty: &Type| match ty {
            Type::Ref(inner, _) => match &**inner {
                Type::Path(path) => {
                    let held = pointee(db, without_refs(db, typed.fact(at.expr).ty));
                    let of = held.and_then(|ty| match db.types.kind(ty) {
                        TyKind::Adt(id, _) => Some(db.item(*id).item.name),
                        _ => None,
                    });
                    of.is_some_and(|of| of == path.last_name()) || ty.is_slice_ref()
                }
                _ => ty.is_slice_ref(),
            },
            _ => false,
        };
        let edge = direct(typed, reference);
        let asked = match (edge.how, &typed.node(edge.by).kind) {
            (How::Argument(index), _) => self.asked(typed, edge.by, Some(index)),
            (How::Bound(pat), ExprKind::Block(stmts, _))
                if let Some((_, None)) = let_of(stmts, reference) =>
            {
                self.bound(at.body, pat, Shape::Unboxed);
                return;
            }
            (How::Returned, _) if edge.by == reference => {
                self.leave(span, "borrows it");
                return;
            }
            _ => None,
        };
        if !asked.is_some_and(plain) && !self.becomes_slice(typed, reference) {
            self.leave(span, "borrows it");
        }
    }

    /// Edits a use of a pointer to a buffer that becomes a pointer to a slice.
    pub(super) fn shared_use(&mut self, at: At, place: Place) {
        let typed = self.typed(at.body);
        let span = typed.node(at.expr).span;
        match self.around(typed, at.expr) {
            Around::Receiver(call, ..) if typed.fact(call).effect == Effect::Reads => {}
            Around::Part | Around::Printed => {}
            _ if place == Place::Guessed => self.leave(span, "names a field of an unknown type"),
            Around::Receiver(call, "clone", _) if self.sets.contains(&at.with(call)) => {
                self.carried.insert(at.with(call));
            }
            Around::Receiver(call, "as_slice" | "as_str" | "as_path" | "as_os_str", _) => {
                self.borrowed(at, call, place);
            }
            Around::Other(outer, ExprKind::Ref(false, _)) if place == Place::Owned => {
                let call = typed.fact(outer).parent;
                let cloned = call.filter(|c| match &typed.node(*c).kind {
                    ExprKind::Call(callee, _) => typed.called(*callee) == "clone",
                    _ => false,
                });
                match cloned {
                    Some(call) if self.sets.contains(&at.with(call)) => {
                        self.carried.insert(at.with(call));
                    }
                    _ if self.becomes_slice(typed, outer) => {}
                    _ => self.leave(span, "may require the old type"),
                }
            }
            Around::Other(outer, ExprKind::Deref(_)) => match self.around(typed, outer) {
                Around::Other(whole, ExprKind::Ref(false, _))
                    if place == Place::Owned && self.becomes_slice(typed, whole) => {}
                _ => self.leave(span, "uses it in an unsupported way"),
            },
            Around::Other(_, ExprKind::Assign(to, None, value))
                if *to == at.expr && place == Place::Owned =>
            {
                let buffer = self.buffer_behind(typed, at.expr);
                match buffer {
                    Some(buffer) => self.value(at.with(*value), Shape::Shared(buffer)),
                    None => self.leave(span, "uses it in an unsupported way"),
                }
            }
            _ if place == Place::Shared && self.becomes_slice(typed, at.expr) => {}
            _ => self.leave(span, "may require the old type"),
        }
    }

    fn buffer_behind(&self, typed: &Typed, expr: ExprId) -> Option<Buffer> {
        let db = self.editor.model.db;
        let (name, _) = std_parts(db, pointee(db, typed.fact(expr).ty)?)?;
        Buffer::named(name)
    }

    /// Edits a value for a field that loses its box, or becomes a pointer to a slice.
    pub(super) fn merged_value(&mut self, at: At, shape: Shape) {
        let db = self.editor.model.db;
        let typed = self.typed(at.body);
        let node = typed.node(at.expr);
        if let ExprKind::Call(callee, args) = &node.kind
            && let [value] = args[..]
            && pointee(db, typed.fact(at.expr).ty).is_some()
            && typed.called(*callee) == "new"
        {
            match shape {
                Shape::Unboxed => self.out_of_box(at, value),
                Shape::Shared(buffer) => self.shared_slice(at, *callee, value, buffer),
                _ => {}
            }
            return;
        }
        // A clone of a variable has the variable's type.
        let copied = match &node.kind {
            ExprKind::Method(on, name, ..) if name.name == "clone" => Some(*on),
            ExprKind::Call(callee, args) if typed.called(*callee) == "clone" => {
                args.first().and_then(|arg| match typed.node(*arg).kind {
                    ExprKind::Ref(false, on) => Some(on),
                    _ => None,
                })
            }
            _ => None,
        };
        let of = at.with(copied.unwrap_or(at.expr));
        if self.follow_variable(of, shape) {
            return;
        }
        let known = pointee(db, typed.fact(at.expr).ty).is_some();
        match &node.kind {
            // Both types have the same default.
            ExprKind::Call(callee, args)
                if args.is_empty() && typed.called(*callee) == "default" =>
            {
                if known && shape == Shape::Unboxed && !self.is_plain_default(typed, *callee) {
                    self.before(at, "*");
                }
            }
            _ if shape == Shape::Unboxed && known && self.says_its_type(typed, at.expr, 0) => {
                self.before(at, "*");
            }
            _ => self.leave(node.span, "constructs it in an unsupported way"),
        }
    }

    /// Returns true for `Default::default()` without a named type.
    fn is_plain_default(&self, typed: &Typed, callee: ExprId) -> bool {
        match &typed.node(callee).kind {
            ExprKind::Path(path) => path.segments.first().is_some_and(|s| s.name == "Default"),
            _ => false,
        }
    }

    /// Replaces `Box::new(x)` by `x`.
    fn out_of_box(&mut self, at: At, value: ExprId) {
        let typed = self.typed(at.body);
        let span = typed.node(at.expr).span;
        let reals = self.whole(span).zip(self.real(typed.node(value).span));
        let Some((whole, value)) = reals.filter(|_| self.is_open_to_edits(at)) else {
            self.leave(span, "is in a macro call");
            return;
        };
        let tokens = self
            .editor
            .files
            .get(&self.editor.model.db.sources, whole.file);
        let Some(inner) = tokens.element(value) else {
            self.leave(span, "constructs it in an unsupported way");
            return;
        };
        let text = self.editor.model.db.sources.text(inner);
        let first = tokens.at(whole.start);
        // `name: Box::new(name)`.
        let named = first > 1 && tokens.is(first - 1, b':') && tokens.str(first - 2) == text;
        let start = match named && matches!(tokens.str(first - 3), "{" | ",") {
            true => tokens.list[first - 2].start,
            false => whole.start,
        };
        let shift = (inner.start - start) as usize;
        let len = (inner.end - inner.start) as usize;
        self.keep(Span { start, ..whole }, shift..shift + len);
    }

    /// Replaces `Rc::new(text)` by `Rc::from(text)`, or by `Rc::<str>::from(text)` where the type
    /// is not inferred otherwise.
    fn shared_slice(&mut self, at: At, callee: ExprId, value: ExprId, buffer: Buffer) {
        let typed = self.typed(at.body);
        let span = typed.node(at.expr).span;
        let module = typed.function.module;
        let parent = typed.fact(at.expr).parent.map(|p| &typed.node(p).kind);
        let stated = match (parent, buffer) {
            (Some(ExprKind::Block(..)), Buffer::Vec) => Some("<[_]>::".to_owned()),
            (Some(ExprKind::Block(..)), _) => self
                .frozen_type(module, buffer, buffer.name(), None)
                .map(|ty| format!("<{ty}>::")),
            _ => Some(String::new()),
        };
        let name = self
            .real(typed.node(callee).span)
            .filter(|_| self.is_open_to_edits(at));
        match (name, stated) {
            (Some(real), Some(stated)) if self.says_its_type(typed, value, 0) => {
                let start = real.end - "new".len() as u32;
                self.edits
                    .replace(Span { start, ..real }, format!("{stated}from"));
            }
            (Some(_), _) => self.leave(span, "does not state the type that it is made from"),
            (None, _) => self.leave(span, "is in a macro call"),
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
}
