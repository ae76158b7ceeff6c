//! Texts that methods and functions of std make of others.

use super::text::longest;
use super::{Made, Strings, Text};
use crate::infer::marks::Mark;
use crate::infer::types::bare;
use crate::ir::body::{ExprId, ExprKind, MacroArgs};
use crate::name::Name;
use crate::resolve::ty::{Const, Prim, TyKind};
use crate::span::Span;
use crate::usage::events::At;

impl Strings<'_> {
    /// Returns the texts that a method of std makes of its receiver's; `None` if it makes none.
    pub(super) fn method(
        &self,
        at: At,
        receiver: ExprId,
        name: Name,
        args: &[ExprId],
        depth: u32,
    ) -> Option<Vec<Text>> {
        let body = self.body(at);
        let span = body.node(at.expr).span;
        let of = || self.text(at.with(receiver), depth);
        let at_most = |most| Some(vec![Text::bounded(Made::Parts, most, span)]);
        let is = |mark| body.is_marked(at.expr, mark);
        match (name.as_str(), args) {
            _ if is(Mark::Keeps) => Some(of()),
            _ if is(Mark::Cuts) => Some(self.shortened(of(), span)),
            // Some characters become two or three.
            ("to_lowercase" | "to_uppercase", []) => at_most(longest(&of())? * 3),
            ("encode_utf8" | "fmt", [_]) => Some(of()),
            ("write_str" | "pad", [value]) => Some(self.text(at.with(*value), depth)),
            ("get", [range]) if self.is_text(body.fact(receiver).ty) => {
                Some(match self.width(at, *range) {
                    Some(most) => vec![Text::bounded(Made::Slice, most, span)],
                    None => self.shortened(of(), span),
                })
            }
            ("repeat", [n]) => at_most(longest(&of())?.saturating_mul(self.number(at.with(*n))?)),
            ("collect", _) => self.collected(at, receiver, span),
            _ => None,
        }
    }

    /// Handles `chars().take(n).collect()`.
    fn collected(&self, at: At, receiver: ExprId, span: Span) -> Option<Vec<Text>> {
        let body = self.body(at);
        let ExprKind::Method(inner, name, _, args) = &body.node(receiver).kind else {
            return None;
        };
        let chars =
            matches!(&body.node(*inner).kind, ExprKind::Method(_, n, ..) if n.name == "chars");
        match args[..] {
            [n] if chars && name.name == "take" => {
                let most = self.number(at.with(n))?.saturating_mul(4);
                Some(vec![Text::bounded(Made::Slice, most, span)])
            }
            _ => None,
        }
    }

    /// Returns the texts that a function of std or another crate makes, by its name.
    pub(super) fn call(
        &self,
        at: At,
        callee: ExprId,
        args: &[ExprId],
        depth: u32,
    ) -> Option<Vec<Text>> {
        let body = self.body(at);
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
}
