//! The texts of a variable: its bindings, the arguments of callers, and what is appended.

use super::text::longest;
use super::{FURTHEST, Strings, Text};
use crate::flow::{How, Step, bound, edge, values, whole};
use crate::infer::body::{FieldId, Local, Target, Typed};
use crate::infer::effects::Effect;
use crate::infer::types::{bare, is_std, may_be};
use crate::ir::Vis;
use crate::ir::body::{ExprId, ExprKind};
use crate::resolve::ty::{Ty, TyKind};
use crate::text_types::LONGEST_INLINE;
use crate::usage::events::At;

impl Strings<'_> {
    /// Returns the texts that a variable, or a part of it, can hold where it is used.
    pub(super) fn local(&self, at: At, local: u32, way: &[Step], depth: u32) -> Vec<Text> {
        let body = self.body(at);
        let data = &body.locals[local as usize];
        let span = body.node(at.expr).span;
        let bound = || self.bound(at, data, way, depth);
        let lent = data.argument && matches!(self.db.types.kind(data.ty), TyKind::Ref(_, true));
        match data.mutable {
            true if way.is_empty() => self.grown(at, local, bound(), depth),
            // An iterator yields the items of what it was made of.
            true if !is_std(self.db, data.ty, "Iter") || is_assigned(body, local) => {
                vec![Text::unknown(span)]
            }
            // Writes through it are not followed.
            false if lent => vec![Text::unknown(span)],
            _ => bound(),
        }
    }

    fn bound(&self, at: At, data: &Local, way: &[Step], depth: u32) -> Vec<Text> {
        let body = self.body(at);
        let unknown = || vec![Text::unknown(body.function.body.pat(data.pat).span)];
        let by_pattern = || match way {
            [] => self.by_pattern(body, data, depth),
            _ => None,
        };
        if data.argument {
            let params = &body.function.body.params;
            return match params.iter().position(|p| *p == data.pat) {
                Some(i) if way.is_empty() => self.given(body, data, i, depth),
                _ => by_pattern().unwrap_or_else(unknown),
            };
        }
        if let Some(init) = data.init {
            return self.part(at.with(init), way, depth);
        }
        if let Some(texts) = by_pattern() {
            return texts;
        }
        match bound(self.db, body, data.pat) {
            Some((on, to)) => self.part(at.with(on), &[&to[..], way].concat(), depth),
            // A `let` without a value, assigned later.
            None if data.mutable && whole(body, data.pat).is_none() => Vec::new(),
            None => unknown(),
        }
    }

    /// Returns the texts of a pattern that binds a field of a workspace type.
    fn by_pattern(&self, body: &Typed, data: &Local, depth: u32) -> Option<Vec<Text>> {
        let fact = body.pat(data.pat);
        let field: FieldId = fact.field?;
        if self.std_name(field.adt).is_some() || depth >= FURTHEST {
            return None;
        }
        let texts = self.stored(field, depth + 1);
        (!texts.is_empty()).then_some(texts)
    }

    /// Returns the texts that callers pass as an argument.
    fn given(&self, body: &Typed, data: &Local, place: usize, depth: u32) -> Vec<Text> {
        let span = body.function.body.pat(data.pat).span;
        let function = body.function.item;
        // Calls through a trait are not seen.
        let of_trait = body.function.is_of_trait(self.db);
        if self.usage.events.is_passed(function)
            || depth >= FURTHEST
            || of_trait
            || measures(body, data)
        {
            return vec![Text::unknown(span)];
        }
        let item = self.db.item(function);
        if item.item.vis == Vis::Public && self.published(item.module) {
            self.outside.set(true);
        }
        let method = body.function.body.signature.method;
        let events = &self.usage.events;
        // A method call of this name on an unknown type may call this function.
        let open = events.open_calls(self.db, &self.usage.bodies, &body.function);
        let open = open.filter(|_| method).map(|call| (call, true));
        let mut texts = Vec::new();
        if events.is_named_in_macro(self.db, &body.function) {
            texts.push(Text::unknown(span));
        }
        let calls = events.calls.of(&function).iter().map(|call| (*call, false));
        for (call, is_open) in calls.chain(open) {
            let caller = self.body(call);
            if caller.function.aside {
                continue;
            }
            let values = values(caller, call.expr);
            match values.get(place) {
                Some(arg) if is_open && !self.may_be_given(data.ty, caller.fact(*arg).ty) => {}
                Some(arg) => {
                    let given = self.text(call.with(*arg), depth + 1).into_iter();
                    // It says nothing for a short text, but a long one speaks against it.
                    let counts = |t: &Text| !is_open || !t.is_short(LONGEST_INLINE);
                    texts.extend(given.filter(counts));
                }
                None => texts.push(Text::unknown(span)),
            }
        }
        match texts.is_empty() {
            true => vec![Text::unknown(span)],
            false => texts,
        }
    }

    /// Returns true unless it is certain that a parameter of this type is given another.
    fn may_be_given(&self, parameter: Ty, argument: Ty) -> bool {
        let argument = bare(self.db, argument);
        !self.is_text(parameter)
            || self.is_text(argument)
            || may_be(self.db, argument, bare(self.db, parameter))
    }

    /// Returns the texts of a variable that is appended to, assigned again or lent.
    fn grown(&self, at: At, local: u32, bound: Vec<Text>, depth: u32) -> Vec<Text> {
        let body = self.body(at);
        let data = &body.locals[local as usize];
        let span = body.function.body.pat(data.pat).span;
        let made_in = data.init.map_or(0, |init| body.fact(init).loops);
        let mut texts = bound;
        let mut added: Vec<Vec<Text>> = Vec::new();
        for &id in body.uses(local) {
            let edge = edge(body, id);
            let more = match (edge.how, edge.value) {
                (How::Does(Effect::Sets), Some(value)) => {
                    texts.extend(self.text(at.with(value), depth));
                    continue;
                }
                (How::Does(Effect::Grows), Some(value)) => self.text(at.with(value), depth),
                (How::Does(Effect::Grows | Effect::Lends), _) => vec![Text::unknown(span)],
                (How::Lent | How::Taken | How::Swapped, _) => return vec![Text::unknown(span)],
                _ => continue,
            };
            if body.fact(id).loops > made_in {
                return vec![Text::unknown(body.node(edge.by).span)];
            }
            added.push(more);
        }
        if added.is_empty() {
            return texts;
        }
        // Alternatives may be what is appended: their sum is an upper bound.
        let mut parts = vec![texts];
        parts.extend(added);
        let joined = self.joined(&parts, span);
        match longest(&joined) {
            Some(_) => joined,
            None => vec![Text::unknown(span)],
        }
    }
}

/// Returns true if a variable is assigned again somewhere.
fn is_assigned(body: &Typed, local: u32) -> bool {
    let mut uses = body.uses(local).iter();
    uses.any(|id| edge(body, *id).assigns(body))
}

/// Returns true if a function asks an argument for its length: what it does with a text may depend
/// on that, as in "inline if short, else on the heap".
fn measures(body: &Typed, argument: &Local) -> bool {
    let is_it = |id: ExprId| match body.fact(id).target {
        Some(Target::Local(local)) => body.locals[local as usize].pat == argument.pat,
        _ => false,
    };
    body.exprs().any(|(_, node, _)| {
        matches!(&node.kind, ExprKind::Method(on, name, ..) if name.name == "len" && is_it(*on))
    })
}
