//! Whole functions to [`ir::body`]: the arena is filled from syn's tree, then the arguments of
//! macros are read as what they look like, each by itself.

mod expr;
mod macros;
mod pat;

use super::chunk::{Chunk, Grammar};
use super::tokens::{Kind, Tokens};
use super::{configured_by, ty};
use crate::ir::body::{Body, ExprId, ExprKind, PatKind, Signature, Word};
use crate::ir::{Cfg, Function, MacroCall, Type};
use crate::name::Name;
use crate::source::SourceFile;
use crate::span::Span;
use std::ops::Range;

/// Macro calls inside macro calls deeper than this are not looked into.
const DEEPEST: usize = 16;

/// A macro call whose arguments wait until the tree around it is gone.
struct Pending {
    expr: ExprId,
    call: MacroCall,
    depth: usize,
}

/// Fills a body.
pub(super) struct Builder {
    body: Body,
    pending: Vec<Pending>,
    /// Calls around the one whose arguments are being read.
    depth: usize,
}

/// Reads a function whole. A text that is not understood leaves its names behind.
pub(super) fn read(source: &SourceFile, f: &Function) -> Body {
    let whole = f.body.map_or(f.signature, |b| f.signature.to(b));
    let tokens = Tokens::of_part(source, whole.range());
    let all = 0..tokens.list.len();
    let mut builder = Builder::new();
    let read = chunk(&tokens, all.clone()).and_then(|chunk| match f.body {
        Some(_) => chunk
            .parse(|tree: &syn::ItemFn, chunk| builder.function(tree, chunk))
            .ok(),
        None => chunk
            .parse(|tree: &syn::Signature, chunk| builder.signature(tree, chunk))
            .ok(),
    });
    if read.is_none() {
        builder.body.unread = names(&tokens, all);
    }
    builder.finish(&tokens)
}

/// Reads an expression that stands alone: the value of a constant or static.
pub(super) fn value(source: &SourceFile, span: Span) -> Body {
    let tokens = Tokens::of_part(source, span.range());
    let all = 0..tokens.list.len();
    let mut builder = Builder::new();
    let read = chunk(&tokens, all.clone()).and_then(|chunk| {
        chunk
            .parse(|tree: &syn::Expr, chunk| builder.expr(tree, chunk))
            .ok()
    });
    match read {
        Some(value) => builder.body.value = Some(value),
        None => builder.body.unread = names(&tokens, all),
    }
    builder.finish(&tokens)
}

/// Reads what a function takes and gives.
pub(super) fn signature(source: &SourceFile, f: &Function) -> Option<Signature> {
    let tokens = Tokens::of_part(source, f.signature.range());
    let chunk = chunk(&tokens, 0..tokens.list.len())?;
    let mut builder = Builder::new();
    chunk
        .parse(|tree: &syn::Signature, chunk| builder.signature(tree, chunk))
        .ok()?;
    Some(builder.body.signature)
}

fn chunk<'t>(tokens: &'t Tokens<'t>, range: Range<usize>) -> Option<Chunk<'t>> {
    match tokens.faults.is_empty() {
        true => Chunk::new(tokens, range, &[], Grammar::Values).ok(),
        false => None,
    }
}

/// The names in a text, each once with what stands around it.
fn names(tokens: &Tokens, range: Range<usize>) -> Vec<Word> {
    let first = range.start;
    let words = range.filter(|&i| tokens.list[i].kind == Kind::Word && tokens.ident(i));
    let mut list: Vec<Word> = words.map(|i| word(tokens, first, i)).collect();
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
    // What a pattern binds is a variable in the rest.
    let bound: Vec<Name> = list
        .iter()
        .filter(|w| w.of.is_some())
        .map(|w| w.name)
        .collect();
    list.retain(|w| w.dotted || w.put_in || w.of.is_some() || !bound.contains(&w.name));
    list
}

/// A name: a part of a path, what `quote!` puts in and what is called are no fields.
fn word(tokens: &Tokens, first: usize, i: usize) -> Word {
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
        of: head(tokens, first, i).filter(|_| !dotted),
    }
}

/// The name of a type, by its first letter, before the braces around a token.
fn head(tokens: &Tokens, first: usize, i: usize) -> Option<Name> {
    let mut at = i;
    while at > first {
        at -= 1;
        let token = &tokens.list[at];
        match token.kind {
            // A group that ends before it.
            Kind::Close => at = token.mate as usize,
            Kind::Open if token.byte == b'{' && at > first && tokens.ident(at - 1) => {
                let name = tokens.name(at - 1);
                let upper = name.as_str().starts_with(char::is_uppercase);
                return upper.then_some(name);
            }
            Kind::Open => return None,
            _ => {}
        }
    }
    None
}

impl Builder {
    fn new() -> Builder {
        Builder {
            body: Body::default(),
            pending: Vec::new(),
            depth: 0,
        }
    }

    /// Reads the arguments of macros, those inside others last.
    fn finish(mut self, tokens: &Tokens) -> Body {
        while let Some(pending) = self.pending.pop() {
            self.depth = pending.depth + 1;
            let args = match self.depth > DEEPEST {
                true => super::body::macros::unread(tokens, &pending.call),
                false => self.macro_args(tokens, &pending.call),
            };
            let kind = ExprKind::Macro(pending.call.path, args);
            self.body.replace(pending.expr, kind);
        }
        self.body
    }

    fn function(&mut self, tree: &syn::ItemFn, chunk: &Chunk) {
        self.signature(&tree.sig, chunk);
        let value = self.block(&tree.block, chunk);
        self.body.value = Some(value);
    }

    fn signature(&mut self, sig: &syn::Signature, chunk: &Chunk) {
        let mut inputs = Vec::with_capacity(sig.inputs.len());
        for arg in &sig.inputs {
            match arg {
                syn::FnArg::Receiver(receiver) => {
                    let at = receiver.self_token.span;
                    let kind = PatKind::Bind {
                        name: Name::new("self"),
                        by_ref: false,
                        mutable: false,
                        sub: None,
                    };
                    let span = chunk.place(at, at);
                    let pat = self.body.add_pat(kind, span);
                    self.body.params.push(pat);
                    inputs.push(chunk.receiver(receiver));
                }
                syn::FnArg::Typed(typed) => {
                    let pat = self.pat(&typed.pat, chunk);
                    self.body.params.push(pat);
                    inputs.push(chunk.ty(&typed.ty));
                }
            }
        }
        self.body.signature = Signature {
            generics: chunk.generics(&sig.generics),
            inputs,
            method: sig.receiver().is_some(),
            output: match &sig.output {
                syn::ReturnType::Default => None,
                syn::ReturnType::Type(_, ty) => Some(chunk.ty(ty)),
            },
            is_async: sig.asyncness.is_some(),
        };
    }

    /// The condition of the `#[cfg]`s among these attributes.
    fn cfg(&self, attrs: &[syn::Attribute], chunk: &Chunk) -> Option<Box<Cfg>> {
        match configured_by(attrs) {
            true => chunk.attrs(attrs).cfg,
            false => None,
        }
    }

    fn output(&self, output: &syn::ReturnType, chunk: &Chunk) -> Option<Box<Type>> {
        match output {
            syn::ReturnType::Default => None,
            syn::ReturnType::Type(_, ty) => Some(Box::new(chunk.ty(ty))),
        }
    }
}

/// The name of a field in an expression or pattern.
fn member(member: &syn::Member) -> Name {
    match member {
        syn::Member::Named(ident) => ty::name(ident),
        syn::Member::Unnamed(index) => Name::new(&index.index.to_string()),
    }
}
