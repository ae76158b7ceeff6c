//! Uses of a buffer that is a boxed slice from now on.

use super::places::Place;
use super::uses::{Around, PRINT};
use super::{Buffer, Shape, Work};
use crate::infer::body::{Target, Typed};
use crate::infer::effects::Effect;
use crate::infer::types::std_name;
use crate::ir::body::{ExprId, ExprKind};
use crate::ir::{self, Lit, Type};
use crate::resolve::ty::{Prim, TyKind};
use crate::span::Span;
use crate::usage::events::At;

/// Methods of std that take a text or slice by reference, whatever holds it.
const TAKE_SLICES: &[&str] = &[
    "contains_key",
    "ends_with",
    "extend_from_slice",
    "join",
    "push_str",
    "starts_with",
    "strip_prefix",
    "strip_suffix",
    "write_all",
    "write_str",
];

impl Work<'_> {
    /// Functions of the growable type that attributes of the field name.
    pub(super) fn attributes(&mut self, field: &ir::Field, buffer: Buffer) {
        let (kind, slice) = match buffer {
            Buffer::Vec => ("Vec", "<[_]>"),
            Buffer::String => ("String", "str"),
            Buffer::PathBuf => ("PathBuf", ""),
            Buffer::OsString => ("OsString", ""),
        };
        for attr in &field.attrs.list {
            let Some(real) = self.real(attr.span) else {
                self.leave(attr.span, "stands in a macro");
                continue;
            };
            let text = self.editor.model.db.sources.text(real);
            let named = text.matches(&format!("{kind}::")).count();
            let asked = format!("\"{kind}::is_empty\"");
            match (named, text.find(&asked)) {
                (0, _) => {}
                (1, Some(at)) if !slice.is_empty() => {
                    let start = real.start + at as u32;
                    let asks = Span {
                        start,
                        end: start + asked.len() as u32,
                        ..real
                    };
                    self.edits.replace(asks, format!("\"{slice}::is_empty\""));
                }
                _ => self.leave(real, "names a function of the growable type"),
            }
        }
    }

    /// A buffer that can grow no more.
    pub(super) fn frozen(&mut self, at: At, place: Place, buffer: Buffer) {
        let typed = self.typed(at.body);
        let span = typed.node(at.expr).span;
        let owner = match buffer {
            Buffer::Vec => ("to_vec", ".into_vec()"),
            Buffer::String => ("to_string", ".into_string()"),
            Buffer::PathBuf => ("to_path_buf", ".into_path_buf()"),
            Buffer::OsString => ("to_os_string", ".into_os_string()"),
        };
        let around = self.around(typed, at.expr);
        match around {
            Around::Receiver(call, ..) if typed.fact(call).effect == Effect::Reads => {}
            Around::Part | Around::Printed => {}
            Around::Other(_, ExprKind::Deref(_)) if place == Place::Owned => {}
            _ if place == Place::Guessed => self.leave(span, "names a field of an unknown type"),
            Around::Receiver(call, "clone", name) => match self.sets.contains(&at.with(call)) {
                true => {
                    self.carried.insert(at.with(call));
                }
                false => self.rename(at, name, owner.0),
            },
            Around::Receiver(_, "to_owned", name) => self.rename(at, name, owner.0),
            Around::Receiver(call, "as_slice" | "as_str" | "as_path" | "as_os_str", _) => {
                self.borrowed(at, call, place);
            }
            Around::Receiver(_, "into_iter", _) if place == Place::Owned => {
                self.behind(at, owner.1);
            }
            Around::Receiver(..) => self.leave(span, "calls what a boxed slice may not have"),
            Around::Other(outer, ExprKind::Ref(..)) if place == Place::Owned => {
                self.lent(at, at.with(outer), "*");
            }
            Around::Other(_, ExprKind::Assign(to, None, value))
                if *to == at.expr && place == Place::Owned =>
            {
                self.value(at.with(*value), Shape::Frozen(buffer));
            }
            Around::Other(_, ExprKind::Binary(op, l, r))
                if matches!(*op, "==" | "!=") && place != Place::Lent =>
            {
                let other = if *l == at.expr { *r } else { *l };
                self.compared(at, other, place);
            }
            Around::Other(_, ExprKind::Macro(..)) => self.leave(span, "is given to a macro"),
            Around::Matched(_) | Around::Other(_, ExprKind::Binary(..) | ExprKind::Assign(..)) => {
                self.leave(span, "uses it in another way");
            }
            Around::Other(..) | Around::Whole => match place {
                Place::Owned => self.behind(at, owner.1),
                Place::Shared => self.lent(at, at, "&**"),
                _ => self.leave(span, "lends it"),
            },
        }
    }

    /// `x.as_str()` is `&*x` for a box.
    fn borrowed(&mut self, at: At, call: ExprId, place: Place) {
        let typed = self.typed(at.body);
        let (Some(whole), Some(on)) = (
            self.whole(typed.node(call).span),
            self.whole(typed.node(at.expr).span),
        ) else {
            self.leave(typed.node(at.expr).span, "stands in a macro");
            return;
        };
        let rest = Span {
            start: on.end,
            ..whole
        };
        self.edits.replace(rest, String::new());
        let stars = match place {
            Place::Owned | Place::Guessed => "&*",
            _ => "&**",
        };
        self.before_as(at.with(call), at, stars);
    }

    /// A reference to the buffer, where one to a slice does as well.
    fn lent(&mut self, at: At, reference: At, text: &str) {
        let typed = self.typed(at.body);
        let span = typed.node(at.expr).span;
        let Some(outer) = typed.fact(reference.expr).parent else {
            self.leave(span, "lends it");
            return;
        };
        match &typed.node(outer).kind {
            ExprKind::For(_, on, _) if *on == reference.expr => self.before(at, text),
            ExprKind::Binary("+", _, added) | ExprKind::Assign(_, Some("+"), added)
                if *added == reference.expr =>
            {
                self.before(at, text);
            }
            ExprKind::Macro(path, _) if PRINT.contains(&path.last_name()) => {}
            ExprKind::Call(callee, args) if *callee != reference.expr => {
                let index = args.iter().position(|a| *a == reference.expr);
                let target = typed.fact(outer).target;
                self.argument(at, target, index, text);
            }
            ExprKind::Method(_, name, _, args) => {
                let index = args.iter().position(|a| *a == reference.expr);
                match typed.fact(outer).target {
                    Some(Target::Item(_)) => {
                        let index = index.map(|i| i + 1);
                        self.argument(at, typed.fact(outer).target, index, text);
                    }
                    _ if TAKE_SLICES.contains(&name.name.as_str()) => self.before(at, text),
                    _ => self.leave(span, "lends it to a function that is not known"),
                }
            }
            ExprKind::Return(_) | ExprKind::Block(..) if self.returns_slice(typed, outer) => {
                self.before(at, text);
            }
            _ => self.leave(span, "lends it"),
        }
    }

    /// True if what a function returns is a reference to a slice or text, and this is its end.
    fn returns_slice(&self, typed: &Typed, outer: ExprId) -> bool {
        let db = self.editor.model.db;
        let whole = typed.function.body.value == Some(outer)
            || matches!(typed.node(outer).kind, ExprKind::Return(_));
        let mut around = std::iter::successors(typed.fact(outer).parent, |e| typed.fact(*e).parent);
        let inside = around.any(|e| {
            matches!(
                typed.node(e).kind,
                ExprKind::Closure(..) | ExprKind::Async(_)
            )
        });
        let slice = match db.types.kind(typed.output) {
            TyKind::Ref(inner, false) => match db.types.kind(*inner) {
                TyKind::Slice(_) | TyKind::Prim(Prim::Str) => true,
                TyKind::Adt(id, _) => matches!(std_name(db, *id), Some("Path" | "OsStr")),
                _ => false,
            },
            _ => false,
        };
        whole && !inside && slice
    }

    /// A reference as an argument: what the function asks for tells whether a slice will do.
    fn argument(&mut self, at: At, target: Option<Target>, index: Option<usize>, text: &str) {
        let span = self.typed(at.body).node(at.expr).span;
        let Some((Target::Item(function), index)) = target.zip(index) else {
            self.leave(span, "lends it to a function that is not known");
            return;
        };
        let signature = self.editor.usage.body(function);
        let signature = signature.map(|b| &b.function.body.signature);
        let wanted = signature.and_then(|s| s.inputs.get(index));
        let slice = |ty: &Type| match ty {
            Type::Slice(_) => true,
            Type::Path(path) => matches!(path.last_name(), "str" | "Path" | "OsStr"),
            _ => false,
        };
        match wanted {
            Some(Type::Ref(inner, false)) if slice(inner) => self.before(at, text),
            _ => self.leave(span, "lends it to a function that may want it as it is"),
        }
    }

    fn compared(&mut self, at: At, other: ExprId, place: Place) {
        let typed = self.typed(at.body);
        let db = self.editor.model.db;
        let span = typed.node(at.expr).span;
        let text = match &typed.node(other).kind {
            ExprKind::Lit(Lit::Str(_)) => true,
            _ => match db.types.kind(typed.fact(other).ty) {
                TyKind::Ref(inner, _) => {
                    matches!(db.types.kind(*inner), TyKind::Prim(Prim::Str))
                }
                _ => false,
            },
        };
        match (text, place) {
            (true, Place::Owned) => self.before(at, "&*"),
            (true, Place::Shared) => self.before(at, "&**"),
            _ => self.leave(span, "compares it"),
        }
    }
}
