//! The texts that an iterator yields, and those in a tuple.

use super::text::Made;
use super::{Strings, Text};
use crate::flow::edge;
use crate::infer::body::{Target, Typed};
use crate::infer::marks::Mark;
use crate::infer::types::{is_std, std_first, std_variant};
use crate::ir::body::{ExprId, ExprKind, MacroArgs, PatId, PatKind};
use crate::usage::events::At;

/// The way to a text inside of tuples: an index each, the outermost first; empty for the value
/// itself. Wrappers such as `Some` and references do not count.
pub(super) type Part = [usize];

impl Strings<'_> {
    /// Returns the part of the value that `outer` matches which `inner` binds.
    pub(super) fn part_of(&self, body: &Typed, outer: PatId, inner: PatId) -> Option<Vec<usize>> {
        if outer == inner {
            return Some(Vec::new());
        }
        match &body.function.body.pat(outer).kind {
            PatKind::Ref(within) => self.part_of(body, *within, inner),
            PatKind::TupleStruct(_, list) => match (self.is_wrapper(body, outer), &list[..]) {
                (true, [within]) => self.part_of(body, *within, inner),
                _ => None,
            },
            PatKind::Tuple(list) => {
                let rest = |p: &PatId| matches!(body.function.body.pat(*p).kind, PatKind::Rest);
                let known = list.iter().take_while(|p| !rest(p)).enumerate();
                let mut found = known.filter_map(|(i, pat)| {
                    let within = self.part_of(body, *pat, inner)?;
                    Some([&[i], &within[..]].concat())
                });
                found.next()
            }
            _ => None,
        }
    }

    /// Returns true for `Some(…)` and `Ok(…)`.
    fn is_wrapper(&self, body: &Typed, pat: PatId) -> bool {
        let of = body
            .pat(pat)
            .ctor
            .and_then(|ctor| std_variant(self.db, ctor));
        matches!(of, Some("Some" | "Ok"))
    }

    /// Returns the texts of a part of an expression's value.
    pub(super) fn part(&self, at: At, part: &Part, depth: u32) -> Vec<Text> {
        let [first, rest @ ..] = part else {
            return self.text(at, depth);
        };
        let body = self.body(at);
        let node = body.node(at.expr);
        let unknown = || vec![Text::unknown(node.span)];
        if self.is_spent() {
            return unknown();
        }
        match &node.kind {
            ExprKind::Tuple(list) => match list.get(*first) {
                Some(value) => self.part(at.with(*value), rest, depth),
                None => unknown(),
            },
            ExprKind::Ref(_, inner) | ExprKind::Try(inner) | ExprKind::Block(_, Some(inner)) => {
                self.part(at.with(*inner), part, depth)
            }
            ExprKind::Method(receiver, ..) if body.is_marked(at.expr, Mark::Picks) => {
                self.elements(at.with(*receiver), part, depth)
            }
            ExprKind::Method(receiver, ..) if body.is_marked(at.expr, Mark::Unwraps) => {
                self.part(at.with(*receiver), part, depth)
            }
            _ => unknown(),
        }
    }

    /// Returns what a method passes to the closure that is its argument.
    pub(super) fn handed(&self, closure: At, part: &Part, depth: u32) -> Vec<Text> {
        let body = self.body(closure);
        let span = body.node(closure.expr).span;
        let to = edge(body, closure.expr);
        let ExprKind::Method(receiver, name, ..) = &body.node(to.by).kind else {
            return vec![Text::unknown(span)];
        };
        let on = body.fact(*receiver).ty;
        let wraps = std_first(self.db, on, &["Option", "Result"]).is_some();
        let each = matches!(
            name.name.as_str(),
            "map" | "for_each" | "filter_map" | "flat_map" | "try_for_each" | "and_then"
        );
        match (wraps, each) {
            (true, true) => self.part(closure.with(*receiver), part, depth),
            (false, true) => self.elements(closure.with(*receiver), part, depth),
            _ => vec![Text::unknown(span)],
        }
    }

    /// Returns this part of the items that an expression iterates over.
    pub(super) fn elements(&self, at: At, part: &Part, depth: u32) -> Vec<Text> {
        let body = self.body(at);
        let node = body.node(at.expr);
        let unknown = || vec![Text::unknown(node.span)];
        if self.is_spent() {
            return unknown();
        }
        let grapheme = Text {
            made: Made::Grapheme,
            most: None,
            span: node.span,
        };
        let go = |id: ExprId| self.elements(at.with(id), part, depth);
        match &node.kind {
            ExprKind::Array(list) | ExprKind::Macro(_, MacroArgs::Exprs(list)) => {
                let each = list.iter().map(|e| self.part(at.with(*e), part, depth));
                each.flatten().collect()
            }
            ExprKind::Ref(_, inner) => go(*inner),
            ExprKind::Method(receiver, name, _, args) => {
                match (name.name.as_str(), part, &args[..]) {
                    ("graphemes", [], _) | ("grapheme_indices", [1], _) => vec![grapheme],
                    ("enumerate", [1, rest @ ..], _) | ("zip", [0, rest @ ..], _) => {
                        self.elements(at.with(*receiver), rest, depth)
                    }
                    ("zip", [1, rest @ ..], [other]) => self.elements(at.with(*other), rest, depth),
                    ("chain", _, [other]) => [go(*receiver), go(*other)].concat(),
                    _ if body.is_marked(at.expr, Mark::Items) => go(*receiver),
                    ("map", _, [closure]) => self.mapped(at.with(*closure), part, depth),
                    _ => unknown(),
                }
            }
            ExprKind::Call(callee, _) => match (body.called(*callee), part) {
                ("graphemes", []) | ("grapheme_indices", [1]) => vec![grapheme],
                _ => unknown(),
            },
            ExprKind::Path(_) => match body.fact(at.expr).target {
                Some(Target::Local(local)) => match body.locals[local as usize].init {
                    Some(init) if self.keeps_items(body, local) => go(init),
                    _ => unknown(),
                },
                Some(Target::Item(item)) => match self.usage.value_of(item) {
                    Some(value) => self.elements(value, part, depth),
                    None => unknown(),
                },
                _ => unknown(),
            },
            _ => unknown(),
        }
    }

    /// Returns true for a variable that yields what it was made of: it cannot change, or it is an
    /// iterator that is never assigned again.
    fn keeps_items(&self, body: &Typed, local: u32) -> bool {
        let data = &body.locals[local as usize];
        let mut uses = body.uses(local).iter();
        let mut sets = || uses.any(|id| edge(body, *id).assigns(body));
        !data.mutable || is_std(self.db, data.ty, "Iter") && !sets()
    }

    /// Returns a part of what the closure of a `map` returns.
    fn mapped(&self, at: At, part: &Part, depth: u32) -> Vec<Text> {
        match (part, &self.body(at).node(at.expr).kind) {
            ([], _) => self.result(at, depth),
            (_, ExprKind::Closure(_, _, value, _)) => self.part(at.with(*value), part, depth),
            _ => vec![Text::unknown(self.body(at).node(at.expr).span)],
        }
    }

    /// Returns the result of a closure, or of a function by its path.
    pub(super) fn result(&self, at: At, depth: u32) -> Vec<Text> {
        let body = self.body(at);
        let own = match (&body.node(at.expr).kind, body.fact(at.expr).target) {
            (ExprKind::Closure(_, _, value, _), _) => {
                return self.text(at.with(*value), depth);
            }
            (ExprKind::Path(_), Some(Target::Item(item))) => self.usage.position(item),
            _ => None,
        };
        match own {
            Some(body) => self.returned(body, depth + 1),
            None => vec![Text::unknown(body.node(at.expr).span)],
        }
    }
}
