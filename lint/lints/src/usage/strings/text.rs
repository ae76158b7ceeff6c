//! One text that may be stored, with its kind and length bound in bytes, and the origins of an
//! expression's texts.

use super::{FURTHEST, Strings};
use crate::flow::{Origin, Step, named, origins, returned};
use crate::infer::body::{FieldId, Target, Typed};
use crate::infer::types::bare;
use crate::ir::Lit;
use crate::ir::body::{ExprId, ExprKind, MacroArgs};
use crate::name::Name;
use crate::resolve::ItemId;
use crate::resolve::ty::{Prim, Ty, TyKind};
use crate::span::Span;
use crate::usage::events::At;

/// How a text is constructed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Made {
    /// It is empty.
    Empty,
    /// A literal.
    Literal(Name),
    /// One character.
    Char,
    /// A formatted number or `bool`.
    Number,
    /// A grapheme: one user-perceived character. Short, but unbounded.
    Grapheme,
    /// A slice of bounded length.
    Slice,
    /// A concatenation.
    Parts,
    /// Something else.
    Unknown,
}

/// A text that may be stored.
#[derive(Clone, Copy, Debug)]
pub struct Text {
    /// How it is constructed.
    pub made: Made,
    /// Maximum length in bytes, if bounded.
    pub most: Option<u64>,
    /// Its origin.
    pub span: Span,
}

impl Text {
    /// Describes it in words.
    pub fn words(&self) -> String {
        let most = self.most.unwrap_or(0);
        let bytes = match most {
            1 => "1 byte".to_owned(),
            n => format!("{n} bytes"),
        };
        match self.made {
            Made::Empty => "nothing".to_owned(),
            Made::Literal(_) => format!("a literal of {bytes}"),
            Made::Char => format!("a `char` of at most {bytes}"),
            Made::Number => format!("a number of at most {bytes}"),
            Made::Grapheme => "a grapheme".to_owned(),
            Made::Slice => format!("a slice of at most {bytes}"),
            Made::Parts => format!("a string of at most {bytes}"),
            Made::Unknown => "a string of unknown length".to_owned(),
        }
    }

    /// Makes a text of unknown content.
    pub fn unknown(span: Span) -> Text {
        Text {
            made: Made::Unknown,
            most: None,
            span,
        }
    }

    pub(super) fn empty(span: Span) -> Text {
        Text {
            made: Made::Empty,
            most: Some(0),
            span,
        }
    }

    pub(super) fn literal(text: &str, span: Span) -> Text {
        match text {
            "" => Text::empty(span),
            text => Text {
                made: Made::Literal(Name::new(text)),
                most: Some(text.len() as u64),
                span,
            },
        }
    }

    /// Makes a character of at most this many bytes.
    pub(super) fn char(most: u64, span: Span) -> Text {
        Text {
            made: Made::Char,
            most: Some(most),
            span,
        }
    }

    pub(super) fn bounded(made: Made, most: u64, span: Span) -> Text {
        Text {
            made,
            most: Some(most),
            span,
        }
    }

    /// Returns true if it is short, if only by convention.
    pub fn is_short(&self, most: u64) -> bool {
        self.made == Made::Grapheme || self.most.is_some_and(|m| m <= most)
    }
}

/// Returns the maximum length of some texts; `None` if one is unbounded, or if there are none: a
/// text that depends on itself grows in every iteration.
pub(super) fn longest(texts: &[Text]) -> Option<u64> {
    let most = texts.iter().map(|t| t.most);
    most.reduce(|a, b| Some(a?.max(b?))).flatten()
}

/// Returns the maximum length of a formatted primitive, in bytes.
fn digits(prim: Prim) -> Option<(Made, u64)> {
    let most = match prim {
        Prim::Char => return Some((Made::Char, 4)),
        Prim::Bool => 5,
        Prim::U8 => 3,
        Prim::I8 => 4,
        Prim::U16 => 5,
        Prim::I16 => 6,
        Prim::U32 => 10,
        Prim::I32 => 11,
        Prim::U64 | Prim::Usize | Prim::I64 | Prim::Isize => 20,
        Prim::U128 => 39,
        Prim::I128 => 40,
        // A float has no useful bound.
        _ => return None,
    };
    Some((Made::Number, most))
}

impl Strings<'_> {
    /// Returns the texts that an expression can evaluate to; none if it diverges or holds no text.
    pub(super) fn text(&self, at: At, depth: u32) -> Vec<Text> {
        self.part(at, &[], depth)
    }

    /// Returns the texts of a part of an expression's value.
    pub(super) fn part(&self, at: At, way: &[Step], depth: u32) -> Vec<Text> {
        let body = self.body(at);
        let node = body.node(at.expr);
        if !body.fact(at.expr).live || self.jumps(body, at.expr) {
            return Vec::new();
        }
        if self.is_spent() || depth > FURTHEST {
            return vec![Text::unknown(node.span)];
        }
        if !self.path.borrow_mut().insert((at, way.into())) {
            return Vec::new();
        }
        let texts = match self.made(body, at, way, depth) {
            Some(texts) => texts,
            None => self.from(at, way, depth),
        };
        self.path.borrow_mut().remove(&(at, way.into()));
        texts
    }

    /// Returns the texts of what an expression has its value, or this part of it, from.
    fn from(&self, at: At, way: &[Step], depth: u32) -> Vec<Text> {
        let body = self.body(at);
        let unknown = || vec![Text::unknown(body.node(at.expr).span)];
        let Some(origins) = origins(self.db, body, at.expr, way) else {
            return unknown();
        };
        let each = origins.into_iter().map(|origin| match origin {
            Origin::Value(id, way) => self.part(at.with(id), &way, depth),
            Origin::Constant(item, way) => match self.usage.value_of(item) {
                Some(at) => self.part(at, &way, depth + 1),
                None => unknown(),
            },
            Origin::Returned(item, way) => match self.usage.position(item) {
                Some(body) if depth < FURTHEST && self.may_return(body, &way) => {
                    self.returned(body, &way, depth + 1)
                }
                _ => unknown(),
            },
        });
        each.flatten().collect()
    }

    /// Returns true if a function returns a text, or something with parts.
    fn may_return(&self, body: usize, way: &[Step]) -> bool {
        !way.is_empty() || self.is_text(self.usage.bodies[body].output)
    }

    /// Takes a step, and returns true if none was left.
    pub(super) fn is_spent(&self) -> bool {
        let left = self.left.get();
        self.left.set(left.saturating_sub(1));
        left == 0
    }

    fn jumps(&self, body: &Typed, id: ExprId) -> bool {
        matches!(self.db.types.kind(body.fact(id).ty), TyKind::Never)
            || matches!(
                body.node(id).kind,
                ExprKind::Return(_) | ExprKind::Continue | ExprKind::Break(_)
            )
    }

    /// Returns the formatted texts of a type that is not a string.
    fn by_type(&self, ty: Ty, span: Span, depth: u32) -> Option<Vec<Text>> {
        match self.db.types.kind(bare(self.db, ty)) {
            TyKind::Prim(Prim::Str) => None,
            TyKind::Prim(prim) => {
                let (made, most) = digits(*prim)?;
                Some(vec![Text::bounded(made, most, span)])
            }
            // The `Display` of other types of std and other crates is not known here.
            TyKind::Adt(id, _) if self.std_name(*id) != Some("String") => {
                let unknown = vec![Text::unknown(span)];
                Some(self.displayed(*id, depth).unwrap_or(unknown))
            }
            _ => None,
        }
    }

    /// Returns what `Display` writes for a type, if it writes everything at once.
    fn displayed(&self, adt: ItemId, depth: u32) -> Option<Vec<Text>> {
        let body = self.stores.display_of(adt)?;
        let several = |kind: &ExprKind| matches!(kind, ExprKind::Try(_) | ExprKind::For(..));
        let mut nodes = self.usage.bodies[body].exprs();
        match nodes.any(|(_, node, _)| several(&node.kind)) {
            true => None,
            false => Some(self.returned(body, &[], depth + 1)),
        }
    }

    /// Returns the texts of a literal, and of a value that is formatted.
    fn of_itself(&self, body: &Typed, id: ExprId, depth: u32) -> Option<Vec<Text>> {
        let span = body.node(id).span;
        match &body.node(id).kind {
            ExprKind::Lit(Lit::Str(text)) => Some(vec![Text::literal(text, span)]),
            ExprKind::Lit(Lit::Char(c)) => Some(vec![Text::char(c.len_utf8() as u64, span)]),
            ExprKind::Lit(Lit::Int(n, _)) => {
                let most = n.get().to_string().len() as u64;
                Some(vec![Text::bounded(Made::Number, most, span)])
            }
            _ => self.by_type(body.fact(id).ty, span, depth),
        }
    }

    /// Returns the texts that an expression makes, or that its place holds; `None` if it has them
    /// from elsewhere.
    fn made(&self, body: &Typed, at: At, way: &[Step], depth: u32) -> Option<Vec<Text>> {
        let (node, fact) = (body.node(at.expr), body.fact(at.expr));
        let span = node.span;
        let own = || self.of_itself(body, at.expr, depth);
        if let Some(texts) = way.is_empty().then(own).flatten() {
            return Some(texts);
        }
        if let Some((local, _)) = named(body, at.expr) {
            return Some(self.local(at, local, way, depth));
        }
        match (way, body.name_of(at.expr).map_or("", Name::as_str)) {
            ([], _) => {}
            ([Step::Item], "graphemes") | ([Step::Item, Step::Part(1)], "grapheme_indices") => {
                return Some(vec![Text {
                    made: Made::Grapheme,
                    most: None,
                    span,
                }]);
            }
            _ => return None,
        }
        let go = |id: ExprId| self.text(at.with(id), depth);
        match (&node.kind, fact.target) {
            (_, Some(Target::Field(field))) => Some(self.held(field, span, depth)),
            (_, Some(Target::Item(_) | Target::Ctor(..))) => None,
            (ExprKind::Binary("+", left, right), _) => {
                Some(self.joined(&[go(*left), go(*right)], span))
            }
            (ExprKind::Index(base, index), _) => Some(self.sliced(at, *base, *index, depth)),
            (ExprKind::Macro(path, MacroArgs::Exprs(args)), _) => {
                match (path.last_name(), &args[..]) {
                    ("format", args) | ("write" | "writeln", [_, args @ ..]) => {
                        Some(self.format(at, args, span, depth))
                    }
                    _ => None,
                }
            }
            (ExprKind::Call(callee, args), _) => self.call(at, *callee, args, depth),
            (ExprKind::Method(receiver, name, _, args), _) => {
                self.method(at, *receiver, name.name, args, depth)
            }
            _ => None,
        }
    }

    /// Returns the texts of another field.
    fn held(&self, field: FieldId, span: Span, depth: u32) -> Vec<Text> {
        if depth >= FURTHEST {
            return vec![Text::unknown(span)];
        }
        let texts = self.stored(field, depth + 1);
        match texts.is_empty() {
            true => vec![Text::unknown(span)],
            false => texts,
        }
    }

    /// Returns the texts of what a body returns, or of a part of it: its value and its `return`s.
    fn returned(&self, body: usize, way: &[Step], depth: u32) -> Vec<Text> {
        let typed = &self.usage.bodies[body];
        if typed.function.body.value.is_none() {
            let name = self.db.item(typed.function.item).item.name_span;
            return vec![Text::unknown(name)];
        }
        let texts = returned(typed).flat_map(|expr| self.part(At { body, expr }, way, depth));
        texts.collect()
    }

    /// Concatenates texts.
    pub(super) fn joined(&self, parts: &[Vec<Text>], span: Span) -> Vec<Text> {
        let mut filled = parts.iter().filter(|p| longest(p) != Some(0));
        if let (Some(only), None) = (filled.next(), filled.next()) {
            return only.clone();
        }
        let mut most = 0;
        for part in parts {
            match longest(part) {
                Some(n) => most += n,
                None => return vec![Text::unknown(span)],
            }
        }
        vec![match most {
            0 => Text::empty(span),
            most => Text::bounded(Made::Parts, most, span),
        }]
    }

    /// Returns the texts of `s[a..b]`.
    fn sliced(&self, at: At, base: ExprId, index: ExprId, depth: u32) -> Vec<Text> {
        let body = self.body(at);
        let span = body.node(at.expr).span;
        if !self.is_text(body.fact(at.expr).ty) && !self.is_text(body.fact(base).ty) {
            return vec![Text::unknown(span)];
        }
        if let Some(most) = self.width(at, index) {
            return vec![Text::bounded(Made::Slice, most, span)];
        }
        // An item of a list.
        if !matches!(body.node(index).kind, ExprKind::Range(..)) {
            return self.part(at.with(base), &[Step::Item], depth);
        }
        // A part is no longer than the whole.
        self.shortened(self.text(at.with(base), depth), span)
    }

    /// Returns texts after they are shortened.
    pub(super) fn shortened(&self, texts: Vec<Text>, span: Span) -> Vec<Text> {
        let cut = |text: Text| match (text.made, text.most) {
            (Made::Literal(_), Some(most)) => Text::bounded(Made::Slice, most, span),
            _ => text,
        };
        texts.into_iter().map(cut).collect()
    }

    /// Returns the maximum number of bytes in a range.
    pub(super) fn width(&self, at: At, range: ExprId) -> Option<u64> {
        let body = self.body(at);
        let ExprKind::Range(from, to) = &body.node(range).kind else {
            return None;
        };
        let to = (*to)?;
        let text = self.db.sources.text(body.node(range).span);
        let last = u64::from(text.contains("..="));
        if let Some(end) = self.number(at.with(to)) {
            let start = from.and_then(|f| self.number(at.with(f)));
            return Some(end.saturating_sub(start.unwrap_or(0)) + last);
        }
        // `i..i + n`.
        let from = (*from)?;
        let ExprKind::Binary("+", left, right) = body.node(to).kind else {
            return None;
        };
        let same = |a: ExprId, b: ExprId| {
            let (a, b) = (body.node(a).span, body.node(b).span);
            self.db.sources.text(a) == self.db.sources.text(b)
        };
        match same(from, left) {
            true => Some(self.number(at.with(right))? + last),
            false => None,
        }
    }

    /// Returns the value of a numeric literal or constant.
    pub(super) fn number(&self, at: At) -> Option<u64> {
        let body = self.body(at);
        let at = match (&body.node(at.expr).kind, body.fact(at.expr).target) {
            (ExprKind::Path(_), Some(Target::Item(item))) => self.usage.value_of(item)?,
            _ => at,
        };
        match &self.body(at).node(at.expr).kind {
            ExprKind::Lit(Lit::Int(n, _)) => u64::try_from(n.get()).ok(),
            _ => None,
        }
    }
}

/// Returns the maximum length of these texts, in bytes.
pub fn longest_known(filled: &[&Text]) -> u64 {
    filled.iter().filter_map(|t| t.most).max().unwrap_or(1)
}

/// Returns true if all of these texts are of such a kind.
pub fn all(filled: &[&Text], is: impl Fn(Made) -> bool) -> bool {
    filled.iter().all(|t| is(t.made))
}
