//! Texts that calls return: conversions, and functions of the workspace.

use super::text::longest;
use super::{FURTHEST, Made, Strings, Text};
use crate::infer::body::{Target, Typed};
use crate::infer::marks::Mark;
use crate::infer::types::bare;
use crate::ir::body::{ExprId, ExprKind, MacroArgs};
use crate::name::Name;
use crate::resolve::ty::{Const, Prim, TyKind};
use crate::usage::events::At;

impl Strings<'_> {
    pub(super) fn method(
        &self,
        at: At,
        receiver: ExprId,
        name: Name,
        args: &[ExprId],
        depth: u32,
    ) -> Vec<Text> {
        let body = self.body(at);
        let span = body.node(at.expr).span;
        if let Some(Target::Item(function)) = body.fact(at.expr).target {
            return match self.usage.position(function) {
                Some(body) => self.called(body, span, depth),
                None => vec![Text::unknown(span)],
            };
        }
        let of = || self.text(at.with(receiver), depth);
        let with = |other: Vec<Text>| {
            let mut texts = of();
            texts.extend(other);
            texts
        };
        let is = |mark| body.is_marked(at.expr, mark);
        match (name.as_str(), args) {
            _ if is(Mark::Keeps) => of(),
            _ if is(Mark::Cuts) => self.shortened(of(), span),
            // Some characters become two or three.
            ("to_lowercase" | "to_uppercase", []) => match longest(&of()) {
                Some(most) => vec![Text::bounded(Made::Parts, most * 3, span)],
                None => vec![Text::unknown(span)],
            },
            ("unwrap_or" | "or", [other]) => with(self.text(at.with(*other), depth)),
            ("unwrap_or_else" | "or_else", [other]) => with(self.result(at.with(*other), depth)),
            ("map_or", [other, f]) => {
                let mut texts = self.text(at.with(*other), depth);
                texts.extend(self.result(at.with(*f), depth));
                texts
            }
            ("map", [f]) if self.keeps(body, *f) => of(),
            ("map" | "and_then" | "then", [f]) => self.result(at.with(*f), depth),
            ("then_some", [value]) => self.text(at.with(*value), depth),
            ("encode_utf8" | "fmt", [_]) => of(),
            ("write_str" | "pad", [value]) => self.text(at.with(*value), depth),
            ("get", [range]) if self.is_text(body.fact(receiver).ty) => {
                match self.width(at, *range) {
                    Some(most) => vec![Text::bounded(Made::Slice, most, span)],
                    None => self.shortened(of(), span),
                }
            }
            ("repeat", [n]) => match (longest(&of()), self.number(at.with(*n))) {
                (Some(most), Some(n)) => {
                    vec![Text::bounded(Made::Parts, most.saturating_mul(n), span)]
                }
                _ => vec![Text::unknown(span)],
            },
            ("collect", _) => self.collected(at, receiver, span),
            _ if is(Mark::Picks) => self.elements(at.with(receiver), &[], depth),
            _ => vec![Text::unknown(span)],
        }
    }

    /// Returns true for a path to a conversion of std, as a function.
    fn keeps(&self, body: &Typed, function: ExprId) -> bool {
        let own = match body.fact(function).target {
            Some(Target::Item(item)) => self.usage.position(item).is_some(),
            _ => false,
        };
        let is = |mark| body.is_marked(function, mark);
        let of_std = matches!(body.fact(function).target, Some(Target::Ctor(..)));
        !own && (of_std || is(Mark::Converts) || is(Mark::Keeps))
    }

    /// Handles `chars().take(n).collect()`.
    fn collected(&self, at: At, receiver: ExprId, span: crate::span::Span) -> Vec<Text> {
        let body = self.body(at);
        let unknown = vec![Text::unknown(span)];
        let ExprKind::Method(inner, name, _, args) = &body.node(receiver).kind else {
            return unknown;
        };
        let chars =
            matches!(&body.node(*inner).kind, ExprKind::Method(_, n, ..) if n.name == "chars");
        match args[..] {
            [n] if chars && name.name == "take" => match self.number(at.with(n)) {
                Some(n) => vec![Text::bounded(Made::Slice, n.saturating_mul(4), span)],
                None => unknown,
            },
            _ => unknown,
        }
    }

    pub(super) fn call(&self, at: At, callee: ExprId, args: &[ExprId], depth: u32) -> Vec<Text> {
        let body = self.body(at);
        let span = body.node(at.expr).span;
        let unknown = || vec![Text::unknown(span)];
        match (body.fact(at.expr).target, args) {
            (Some(Target::Ctor(adt, variant)), [value]) => match self.std_name(adt) {
                Some("Result") if variant == 1 => Vec::new(),
                Some(_) => self.text(at.with(*value), depth),
                None => unknown(),
            },
            (Some(Target::Item(function)), _) => match self.usage.position(function) {
                Some(body) => self.called(body, span, depth),
                None => unknown(),
            },
            (_, args) => self
                .by_name(at, body, callee, args, depth)
                .unwrap_or_else(unknown),
        }
    }

    /// Handles a function of std or another crate by name.
    fn by_name(
        &self,
        at: At,
        body: &Typed,
        callee: ExprId,
        args: &[ExprId],
        depth: u32,
    ) -> Option<Vec<Text>> {
        let span = body.node(at.expr).span;
        let (owner, name) = body.called_on(callee);
        match (owner, name, args) {
            ("String", "new", []) | (_, "default", []) => Some(vec![Text::empty(span)]),
            ("String", "with_capacity", [_]) => Some(vec![Text::empty(span)]),
            ("String", "from_utf8" | "from_utf8_lossy" | "from_utf8_unchecked", [bytes])
            | ("str", "from_utf8" | "from_utf8_unchecked", [bytes]) => {
                let most = self.bytes(at.with(*bytes))?;
                // An invalid UTF-8 byte is replaced by three bytes.
                let factor = if name == "from_utf8_lossy" { 3 } else { 1 };
                Some(vec![Text::bounded(Made::Slice, most * factor, span)])
            }
            ("mem", "take" | "replace", [place, ..]) => Some(self.text(at.with(*place), depth)),
            (.., [value]) if body.is_marked(callee, Mark::Converts) => {
                Some(self.text(at.with(*value), depth))
            }
            _ => None,
        }
    }

    /// Returns the length of an array or a slice of known length.
    fn bytes(&self, at: At) -> Option<u64> {
        let body = self.body(at);
        let ty = bare(self.db, body.fact(at.expr).ty);
        if let TyKind::Array(element, Const::Value(n @ 1..)) = self.db.types.kind(ty)
            && matches!(self.db.types.kind(*element), TyKind::Prim(Prim::U8))
        {
            return u64::try_from(*n).ok();
        }
        match &body.node(at.expr).kind {
            ExprKind::Array(list) | ExprKind::Macro(_, MacroArgs::Exprs(list)) => {
                Some(list.len() as u64)
            }
            ExprKind::Ref(_, inner) => self.bytes(at.with(*inner)),
            ExprKind::Index(_, range) => self.width(at, *range),
            ExprKind::Method(receiver, name, ..)
                if name.name == "to_vec" || name.name == "into" =>
            {
                self.bytes(at.with(*receiver))
            }
            _ => None,
        }
    }

    /// Returns the texts that a function of the workspace returns.
    fn called(&self, body: usize, span: crate::span::Span, depth: u32) -> Vec<Text> {
        if depth >= FURTHEST || !self.is_text(self.usage.bodies[body].output) {
            return vec![Text::unknown(span)];
        }
        self.returned(body, depth + 1)
    }
}
