//! A second implementation of parsing bodies, from syn's trees, to compare with.

mod expr;
mod grammar;
mod macros;
mod pat;
mod same;

use super::*;
use crate::ir::body::{Body, ExprId, PatKind, Signature};
use crate::ir::{Cfg, MacroCall};
use crate::lower::chunk::{Chunk, Grammar};
use crate::lower::tokens::Tokens;
use crate::lower::{body, configured_by, ty};

/// A macro call whose arguments are parsed after the tree around it is dropped.
struct Pending {
    expr: ExprId,
    call: MacroCall,
    depth: usize,
}

/// The lowering that fills a body.
struct Builder {
    body: Body,
    pending: Vec<Pending>,
    /// Number of macro calls around the current arguments.
    depth: usize,
}

/// Lowers a whole function.
fn function_by_tree(source: &SourceFile, f: &Function) -> Body {
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
        builder.body.unread = body::names(&tokens, all);
    }
    builder.finish(&tokens)
}

/// Lowers a lone expression.
fn value_by_tree(source: &SourceFile, span: Span) -> Body {
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
        None => builder.body.unread = body::names(&tokens, all),
    }
    builder.finish(&tokens)
}

fn chunk<'t>(tokens: &'t Tokens<'t>, range: Range<usize>) -> Option<Chunk<'t>> {
    match tokens.faults.is_empty() {
        true => Chunk::new(tokens, range, &[], Grammar::Values).ok(),
        false => None,
    }
}

impl Builder {
    fn new() -> Builder {
        Builder {
            body: Body::default(),
            pending: Vec::new(),
            depth: 0,
        }
    }

    fn finish(mut self, tokens: &Tokens) -> Body {
        while let Some(pending) = self.pending.pop() {
            self.depth = pending.depth + 1;
            let args = match self.depth > body::DEEPEST {
                true => body::unread(tokens, &pending.call),
                false => self.macro_args(tokens, &pending.call),
            };
            let kind = crate::ir::body::ExprKind::Macro(pending.call.path.into(), args);
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

    /// Returns the condition of the `#[cfg]`s among these attributes.
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

/// Returns the name of a field in an expression or pattern.
fn member(member: &syn::Member) -> Name {
    match member {
        syn::Member::Named(ident) => ty::name(ident),
        syn::Member::Unnamed(index) => Name::new(&index.index.to_string()),
    }
}
