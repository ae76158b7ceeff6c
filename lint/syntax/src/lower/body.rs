//! Parses whole functions to [`ir::body`]: fills the arena straight from the tokens, then parses
//! the arguments of each macro call by their form.

mod control;
mod expr;
mod macros;
mod pat;
mod stmt;

pub use macros::{FORMATS, LOOKING, is_format, is_quote};
#[cfg(test)]
pub(super) use macros::{captures, inside, unread};

use super::chunk::{Grammar, LONGEST};
use super::keyword::Keyword;
use super::nest::{DEEPEST as DEEPEST_NESTING, too_deep};
use super::parse::Cursor;
use super::tokens::{Kind, Tokens};
use crate::ir::body::{Body, ExprId, ExprKind, Mark as Length, PatKind, Signature, Word};
use crate::ir::{Cfg, Function, MacroCall, Path, Type};
use crate::name::Name;
use crate::source::SourceFile;
use crate::span::Span;
use rustc_hash::FxHashSet;
use std::ops::Range;

/// Maximum depth of macro calls in arguments of macro calls that are parsed.
pub(super) const DEEPEST: usize = 16;

/// A macro call whose arguments are parsed after all code around it.
struct Pending {
    expr: ExprId,
    call: MacroCall,
    depth: usize,
}

/// The parser that fills a body.
struct Builder<'t> {
    c: Cursor<'t>,
    body: Body,
    pending: Vec<Pending>,
    /// Number of macro calls around the current arguments.
    depth: usize,
}

/// The form of an expression, on which the operators around it depend.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// A range, which no operator takes as its left operand.
    Range,
    /// A comparison, which cannot be an operand of another.
    Compare,
    /// An expression with a block at its end, which ends a statement without a semicolon.
    Block,
    Other,
}

/// An expression and its form.
#[derive(Clone, Copy)]
struct Operand {
    expr: ExprId,
    shape: Shape,
}

impl From<ExprId> for Operand {
    fn from(expr: ExprId) -> Self {
        Operand {
            expr,
            shape: Shape::Other,
        }
    }
}

/// A state of the builder to return to.
#[derive(Clone, Copy)]
struct Mark {
    length: Length,
    pending: usize,
}

/// Parses a whole function; if that fails, the body holds only the names in the text.
pub(super) fn read(source: &SourceFile, f: &Function) -> Body {
    let whole = f.body.map_or(f.signature, |b| f.signature.to(b));
    let tokens = Tokens::of_part(source, whole.range());
    let mut builder = Builder::new(&tokens);
    builder.all(|b| b.function(f.body.is_some()));
    builder.finish()
}

/// Parses a lone expression: the value of a constant or static.
pub(super) fn value(source: &SourceFile, span: Span) -> Body {
    let tokens = Tokens::of_part(source, span.range());
    let mut builder = Builder::new(&tokens);
    builder.body.value = builder.all(|b| b.expr(true));
    builder.finish()
}

/// Parses the parameters and return type of a function.
pub(super) fn signature(source: &SourceFile, f: &Function) -> Option<Signature> {
    let tokens = Tokens::of_part(source, f.signature.range());
    let mut builder = Builder::new(&tokens);
    builder.all(|b| b.function(false))?;
    Some(builder.body.signature)
}

/// Returns the distinct names in a text with their context.
pub(super) fn names(tokens: &Tokens, range: Range<usize>) -> Vec<Word> {
    let first = range.start;
    let mut list: Vec<Word> = Vec::new();
    // For each enclosing group, the type name before its `{`.
    let mut heads: Vec<Option<Name>> = Vec::new();
    for i in range {
        match tokens.list[i].kind {
            Kind::Open => heads.push(head(tokens, first, i)),
            Kind::Close => _ = heads.pop(),
            Kind::Word | Kind::Raw if tokens.ident(i) => {
                list.push(word(tokens, first, i, heads.last().copied().flatten()));
            }
            _ => {}
        }
    }
    let owner = |w: &Word| w.owner.map_or("", |o| o.as_str());
    let of = |w: &Word| w.of.map_or("", |o| o.as_str());
    list.sort_by_key(|w| {
        (
            w.name.as_str(),
            owner(w),
            of(w),
            w.dotted,
            w.put_in,
            w.field,
        )
    });
    list.dedup();
    // A name that a pattern binds is a variable elsewhere.
    let bound: FxHashSet<Name> = list
        .iter()
        .filter(|w| w.of.is_some())
        .map(|w| w.name)
        .collect();
    list.retain(|w| w.dotted || w.put_in || w.of.is_some() || !bound.contains(&w.name));
    list
}

/// Describes the name at `i`. Path segments, `quote!` interpolations and callees are not fields.
fn word(tokens: &Tokens, first: usize, i: usize, head: Option<Name>) -> Word {
    let before = |n: usize| i.checked_sub(n).filter(|at| *at >= first);
    let after = |n: usize, byte: u8| before(n).is_some_and(|at| tokens.punct(at, byte));
    let dotted = after(1, b'.');
    let owner = before(2).filter(|at| dotted && !after(3, b'.') && tokens.ident(*at));
    let path = tokens.path_sep(i + 1) || after(1, b':') && after(2, b':');
    let called = tokens.group(i + 1, b'(').is_some() || tokens.punct(i + 1, b'!');
    Word {
        name: tokens.name(i),
        owner: owner.map(|at| tokens.name(at)),
        dotted,
        put_in: after(1, b'#'),
        field: !path && !called && !after(1, b'#'),
        of: head.filter(|_| !dotted),
    }
}

/// Returns the capitalized name, thus a type, before the `{` at `open`.
fn head(tokens: &Tokens, first: usize, open: usize) -> Option<Name> {
    let named = tokens.list[open].byte == b'{' && open > first && tokens.ident(open - 1);
    let name = named.then(|| tokens.name(open - 1))?;
    name.as_str()
        .starts_with(char::is_uppercase)
        .then_some(name)
}

impl<'t> Builder<'t> {
    fn new(tokens: &'t Tokens<'t>) -> Self {
        Builder {
            c: Cursor::new(tokens, 0..tokens.list.len()),
            body: Body::default(),
            pending: Vec::new(),
            depth: 0,
        }
    }

    /// Parses all tokens with `read`; if that fails, keeps only the names in them.
    fn all<T>(&mut self, read: impl Fn(&mut Self) -> Option<T>) -> Option<T> {
        let all = 0..self.c.tokens.list.len();
        let read = self.whole(all.clone(), read);
        if read.is_none() {
            // A signature without a body would have parameters that no pattern binds.
            self.body.signature = Signature::default();
            self.body.unread = names(self.c.tokens, all);
        }
        read
    }

    /// Parses all of these tokens with `read`; on failure, restores the previous state.
    fn whole<T>(
        &mut self,
        range: Range<usize>,
        read: impl Fn(&mut Self) -> Option<T>,
    ) -> Option<T> {
        let tokens = self.c.tokens;
        let fits = tokens.faults.is_empty()
            && tokens.span(range.clone()).len() <= LONGEST
            && (range.len() < DEEPEST_NESTING
                || too_deep(tokens, range.clone(), &[], Grammar::Values).is_none());
        if !fits {
            return None;
        }
        let mark = self.mark();
        let attempt = |b: &mut Self, old: bool| {
            b.c = Cursor::new(tokens, range.clone());
            b.c.old = old;
            let read = read(b).filter(|_| b.c.done());
            if read.is_none() {
                b.back_to(mark);
            }
            read
        };
        // Edition 2015 comes second: only text that is invalid today can be told from a variant or
        // a call of that name.
        attempt(self, false).or_else(|| {
            let old = |i| tokens.bare_closure(i) || tokens.name_of_old(i);
            range.clone().any(old).then(|| attempt(self, true))?
        })
    }

    /// Parses the arguments of macro calls, outer calls before nested ones.
    fn finish(mut self) -> Body {
        while let Some(pending) = self.pending.pop() {
            self.depth = pending.depth + 1;
            let args = match self.depth > DEEPEST {
                true => macros::unread(self.c.tokens, &pending.call),
                false => self.macro_args(&pending.call),
            };
            let kind = ExprKind::Macro(pending.call.path.into(), args);
            self.body.replace(pending.expr, kind);
        }
        self.body.shrink();
        self.body
    }

    fn wait(&mut self, expr: ExprId, call: MacroCall) {
        self.pending.push(Pending {
            expr,
            call,
            depth: self.depth,
        });
    }

    fn mark(&self) -> Mark {
        Mark {
            length: self.body.mark(),
            pending: self.pending.len(),
        }
    }

    /// Discards everything parsed since a mark.
    fn back_to(&mut self, mark: Mark) {
        self.body.back_to(mark.length);
        self.pending.truncate(mark.pending);
    }

    /// Parses a function from its first qualifier on.
    fn function(&mut self, has_body: bool) -> Option<()> {
        self.signature()?;
        if has_body {
            self.body.value = Some(self.block()?);
        }
        Some(())
    }

    fn signature(&mut self) -> Option<()> {
        self.c.eat_word(Keyword::Const);
        let is_async = self.c.eat_word(Keyword::Async);
        self.c.eat_word(Keyword::Unsafe);
        self.c.abi();
        self.c.need_word(Keyword::Fn)?;
        self.c.ident()?;
        let mut generics = self.c.generics()?;
        let group = self.c.enter(b'(')?;
        let (mut inputs, mut method) = (Vec::new(), false);
        while !self.c.done() {
            self.c.skip_attrs();
            if self.c.is_triple(b"...") {
                self.c.at += 3;
                self.c.eat(b',');
                break;
            }
            let (receiver, ty) = self.argument(inputs.is_empty())?;
            method |= receiver;
            inputs.extend(ty);
            if !self.c.eat(b',') {
                break;
            }
        }
        self.c.leave(group)?;
        inputs.shrink_to_fit();
        let output = self.c.output(true)?;
        generics.wheres = self.c.wheres()?;
        self.body.signature = Signature {
            generics,
            inputs,
            method,
            output,
            is_async,
        };
        Some(())
    }

    /// Parses a parameter: returns whether it is `self`, and its type, which C-variadic `name: ...`
    /// lacks.
    fn argument(&mut self, first: bool) -> Option<(bool, Option<Type>)> {
        if let Some(ty) = self.receiver() {
            return first.then_some((true, Some(ty?)));
        }
        let start = self.c.at;
        let mark = self.mark();
        // In edition 2015, parameters of trait methods may be anonymous.
        if self.c.is_ident() && self.c.sign_at(start + 1) == b'<' {
            let ty = self.c.ty(true)?;
            let wild = self.body.add_pat(PatKind::Wild, self.c.place(start));
            self.body.params.push(wild);
            return Some((false, Some(ty)));
        }
        let pat = self.pat()?;
        self.c.need(b':')?;
        if self.c.is_triple(b"...") {
            self.c.at += 3;
            self.back_to(mark);
            return Some((false, None));
        }
        self.body.params.push(pat);
        Some((false, Some(self.c.ty(true)?)))
    }

    /// Parses a receiver (`&mut self`, …) with its type; `None` if none begins here.
    fn receiver(&mut self) -> Option<Option<Type>> {
        let mut c = self.c;
        let by_ref = c.eat(b'&');
        if by_ref {
            c.eat_lifetime();
        }
        let mutable = c.eat_word(Keyword::Mut);
        if !c.eat_word(Keyword::SelfValue) || c.is_pair(b"::") {
            return None;
        }
        let span = c.last();
        self.c = c;
        let pat = self.bind(Name::new("self"), false, false, None, span);
        self.body.params.push(pat);
        let this = Type::Path(Path::of_name(Name::new("Self"), span));
        Some(match by_ref {
            true => Some(Type::Ref(Box::new(this), mutable)),
            false if self.c.eat(b':') => self.c.ty(true),
            false => Some(this),
        })
    }

    /// Skips the attributes that come next and returns their condition.
    fn cfg(&mut self) -> Option<Box<Cfg>> {
        let first = self.c.at;
        if self.c.sign() != b'#' {
            return None;
        }
        self.c.skip_attrs();
        if !self.c.tokens.configured(first..self.c.at) {
            return None;
        }
        self.c.at = first;
        self.c.attrs().cfg
    }

    /// Wraps an expression in a condition.
    fn restricted(&mut self, cfg: Box<Cfg>, operand: Operand) -> Operand {
        let span = self.span(operand.expr);
        self.plain(ExprKind::Cfg(cfg, operand.expr), span)
    }
}
