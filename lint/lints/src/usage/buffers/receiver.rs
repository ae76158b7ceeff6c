//! The effect of a method or macro that a buffer is passed to.

use super::run::Run;
use super::{BufferUse, Edit};
use crate::flow::{How, Mode, compares, edge, stored_in};
use crate::infer::body::{Target, Typed};
use crate::infer::effects::Effect;
use crate::infer::marks::Mark;
use crate::infer::types::referent;
use crate::ir::Type;
use crate::ir::body::{ExprId, ExprKind};
use crate::resolve::ItemId;
use crate::resolve::ty::Ty;

impl Run<'_> {
    pub(super) fn method(&mut self, b: usize, id: ExprId, call: ExprId, name: &str, mode: Mode) {
        let body = self.body(b);
        let ty = body.fact(id).ty;
        let known = !self.is_unknown(ty);
        if known && !self.is_buffer(ty) {
            return self.around(b, call, name, mode);
        }
        self.elsewhere = body.fact(call).elsewhere;
        self.called(b, call, name, mode, known);
        self.elsewhere = false;
    }

    fn called(&mut self, b: usize, call: ExprId, name: &str, mode: Mode, known: bool) {
        let body = self.body(b);
        let effect = body.fact(call).effect;
        let own = matches!(body.fact(call).target, Some(Target::Item(_)));
        match effect {
            Effect::Grows | Effect::Reserves => self.at(b, call, BufferUse::Grown, true),
            Effect::Sets | Effect::Shrinks => self.at(b, call, BufferUse::Shrunk, true),
            Effect::Empties => self.at(b, call, BufferUse::Emptied, true),
            Effect::Consumes | Effect::Fits | Effect::ReadsAsOwner => {
                self.at(b, call, BufferUse::Read, true)
            }
            Effect::Reads => self.at(b, call, BufferUse::Read, false),
            // An unknown type may be an `Option` or a guard that passes it on.
            Effect::Lends if known => self.at(b, call, BufferUse::Lent, true),
            Effect::Lends => self.at(b, call, BufferUse::Unclear, true),
            Effect::Copies => self.cloned(b, call),
            Effect::Takes => self.at(b, call, BufferUse::Moved, true),
            Effect::Unknown => {
                let shared = match own {
                    true => self.takes_shared(body, call),
                    false => by_reference(name),
                };
                let how = match (mode, shared) {
                    (Mode::Shared, _) | (_, true) => BufferUse::Read,
                    _ => BufferUse::Unclear,
                };
                let Some(Target::Item(item)) = body.fact(call).target else {
                    return self.at(b, call, how, true);
                };
                // The `impl` of a workspace trait may be for slices, and a box derefs to one.
                let of = self.receiver(item);
                self.at(b, call, how, of.is_none_or(|ty| self.is_buffer(ty)));
                self.sign(item, of.is_some_and(|ty| self.is_buffer(ty)));
            }
        }
    }

    /// Returns the type of a method's `self`, where known: in a trait it is not.
    fn receiver(&self, method: ItemId) -> Option<Ty> {
        let callee = self.usage.body(method)?;
        let ty = callee.pat(*callee.function.body.params.first()?).ty;
        (!self.is_unknown(referent(self.db, ty))).then_some(ty)
    }

    /// Returns true if the called workspace method takes `&self`.
    fn takes_shared(&self, body: &Typed, call: ExprId) -> bool {
        let Some(Target::Item(item)) = body.fact(call).target else {
            return false;
        };
        let callee = self.usage.body(item);
        let inputs = callee.map(|c| &c.function.body.signature.inputs);
        matches!(inputs.and_then(|i| i.first()), Some(Type::Ref(_, false)))
    }

    /// Records a copy: where it goes decides whether the code must change.
    fn cloned(&mut self, b: usize, call: ExprId) {
        let body = self.body(b);
        let alike = stored_in(self.db, body, &edge(body, call));
        self.at(b, call, BufferUse::Cloned, Edit::unless(alike));
    }

    /// Handles a method of an `Option`, cell or the like that has the buffer.
    fn around(&mut self, b: usize, call: ExprId, name: &str, mode: Mode) {
        let body = self.body(b);
        if body.is_marked(call, Mark::Tells) {
            return self.at(b, call, BufferUse::Read, false);
        }
        let ExprKind::Method(_, _, _, args) = &body.node(call).kind else {
            return;
        };
        let by_value = mode.by_value();
        let mut closures = false;
        for &arg in args {
            match &body.node(arg).kind {
                ExprKind::Closure(params, ..) => {
                    closures = true;
                    for (pat, _) in params {
                        self.pattern(b, *pat, by_value);
                    }
                }
                // `.map(Vec::len)` names the type.
                ExprKind::Path(_) | ExprKind::Qualified(..) => self.gone(b, arg, by_value),
                _ => {}
            }
        }
        if body.is_marked(call, Mark::Puts)
            && let Some(&value) = args.last()
        {
            self.made(b, value);
            let keeps = name == "insert" || name == "get_or_insert";
            let kept = if keeps { Mode::Mut } else { Mode::Owned };
            return self.follow(b, call, kept);
        }
        let result = body.fact(call).ty;
        let mode = match name {
            "clone" | "cloned" => return self.cloned(b, call),
            "as_deref" | "as_deref_mut" => return self.at(b, call, BufferUse::Read, false),
            "as_ref" | "borrow" | "read" | "iter" if mode != Mode::Mut => Mode::Shared,
            "as_mut" if mode == Mode::Shared => Mode::Shared,
            "get_mut" => Mode::Mut,
            _ if body.fact(call).effect == Effect::Lends => Mode::Mut,
            _ => by_value,
        };
        match (self.holds(result), self.is_unknown(result)) {
            (true, _) if !closures || name != "map" => self.follow(b, call, mode),
            (false, true) if !closures => match mode {
                Mode::Shared => self.follow(b, call, mode),
                _ => self.at(b, call, BufferUse::Unclear, true),
            },
            _ => self.at(b, call, BufferUse::Read, false),
        }
    }

    pub(super) fn in_macro(&mut self, b: usize, id: ExprId, name: &str, how: How, mode: Mode) {
        match how {
            // Behind `&`, the target is a formatter in a field, not the buffer.
            How::Does(Effect::Grows) if mode != Mode::Shared => {
                self.at(b, id, BufferUse::Grown, true);
            }
            How::Does(Effect::Grows) => self.at(b, id, BufferUse::Read, true),
            How::Does(_) => self.at(b, id, BufferUse::Read, compares(name)),
            How::Element => self.gone(b, id, mode.by_value()),
            _ if mode == Mode::Shared => self.at(b, id, BufferUse::Read, true),
            _ => self.at(b, id, BufferUse::Unclear, true),
        }
    }
}

/// Returns true for a method that takes `&self` by the naming convention of the API guidelines
/// (C-CONV): used for methods of unknown types and traits.
fn by_reference(name: &str) -> bool {
    let looks = ["as_", "has_", "is_", "to_"].iter();
    let mut looks = looks.filter_map(|prefix| name.strip_prefix(prefix));
    looks.any(|rest| !rest.starts_with("mut"))
}
