//! Lowers one source text to [`ir::File`]: finds the items among the tokens and parses them
//! (`parse`). Only values of constants, and what `parse` does not understand, are handed to syn,
//! which no other module names.
//!
//! Function bodies and macro arguments are skipped as token groups and parsed on demand, bodies
//! straight from tokens into an arena (`parse`, `body`); so are values of constants in
//! dependencies. Each syn tree is dropped before the next is made, and text that nests too deep is
//! never parsed, so memory and stack stay small on any input.

mod attr;
mod block;
mod body;
mod chunk;
mod expr;
mod indent;
mod item;
mod keyword;
mod lit;
mod marks;
mod nest;
mod old;
mod parse;
mod scan;
mod select;
mod simple;
mod skim;
mod split;
mod tokens;
mod ty;
mod typed;
mod uses;
mod walk;
mod within;

#[cfg(test)]
mod tests;

pub use body::{FORMATS, LOOKING, is_format, is_quote};
pub use item::UNREAD;
pub use marks::marks;
pub use select::{Arm, cfg, select_arms};
pub use skim::{Closed, closing};
pub use tokens::{Kind, Token};
pub use within::{Within, Written, within};

use crate::budget::SOURCE_BYTES;
use crate::ir::{self, Function, FunctionBody, SyntaxError, Type};
use crate::name::Name;
use crate::source::SourceFile;
use crate::span::Span;
use chunk::{Chunk, Grammar};
use item::{ItemContext, Lower};
use smallvec::smallvec;
use std::ops::Range;
use tokens::Tokens;
#[cfg(test)]
use ty::configured as configured_by;

/// Lowers a whole file, or the items that a macro expanded to.
///
/// Macros among items are not tokenized: what they are given is, when they are expanded. If `own`
/// is false, the file is one of a dependency: function bodies are not tokenized either, and
/// functions are not marked as containing items, since nothing outside can name them.
pub fn file(source: &SourceFile, own: bool) -> ir::File {
    if source.text.len() > SOURCE_BYTES {
        return ir::File {
            errors: vec![SyntaxError {
                span: Span::new(source.id, 0, 0),
                message: format!("this file is larger than {} MiB", SOURCE_BYTES >> 20),
            }],
            ..ir::File::default()
        };
    }
    let file = file_of(&Tokens::of_items_in_file(source, own), own);
    // The place of an error, and what is read after it, depend on all tokens.
    match file.errors.is_empty() {
        true => file,
        false => file_of(&Tokens::of_file(source), own),
    }
}

fn file_of(tokens: &Tokens, own: bool) -> ir::File {
    let inner = tokens.after_inner_attrs(0);
    let mut lower = Lower::new(tokens, own);
    let attrs = lower.attrs(0..inner);
    let items = lower.items(inner..tokens.list.len(), ItemContext::Module);
    lower.finish(attrs, items)
}

/// Returns the tokens of a whole file in order; inserted closing delimiters are zero bytes long.
pub fn tokens(source: &SourceFile) -> Vec<Token> {
    Tokens::of_file(source).into_list()
}

/// Lowers the items in a part of a text.
pub fn items(source: &SourceFile, part: Span, own: bool) -> ir::File {
    let file = items_of(&Tokens::of_items_in_part(source, part.range(), own), own);
    match file.errors.is_empty() {
        true => file,
        false => items_of(&Tokens::of_part(source, part.range()), own),
    }
}

fn items_of(tokens: &Tokens, own: bool) -> ir::File {
    let mut lower = Lower::new(tokens, own);
    let items = lower.items(0..tokens.list.len(), ItemContext::Module);
    lower.finish(ir::Attrs::default(), items)
}

/// Lowers the associated items that a macro expanded to inside an `impl` or a trait.
pub fn impl_items(source: &SourceFile, part: Span) -> ir::File {
    let tokens = Tokens::of_part(source, part.range());
    let mut lower = Lower::new(&tokens, true);
    let items = lower.items(0..tokens.list.len(), ItemContext::Associated);
    lower.finish(ir::Attrs::default(), items)
}

/// Lowers the items inside a function body or a constant's value, including those in nested blocks
/// and closures, and statement macros that may define a type. Items in a nested function belong to
/// that function. With `every_call`, all statement macros count: for the value of `const _`, which
/// exists only for its items.
pub fn body_items(source: &SourceFile, body: Span, every_call: bool) -> ir::File {
    let tokens = Tokens::of_part(source, body.range());
    let mut lower = Lower::new(&tokens, true);
    let items = lower.statements(every_call);
    lower.finish(ir::Attrs::default(), items)
}

/// Parses a whole function for constant evaluation.
///
/// # Errors
/// The function has no body or cannot be parsed.
pub fn function(source: &SourceFile, f: &Function) -> Result<FunctionBody, SyntaxError> {
    let Some(body) = f.body else {
        return Err(SyntaxError {
            span: f.signature,
            message: "this function has no body".to_owned(),
        });
    };
    let tokens = Tokens::of_part(source, f.signature.to(body).range());
    with_chunk(&tokens, Grammar::Values, |chunk| {
        chunk.parse(|tree: &syn::ItemFn, chunk| chunk.function(tree))
    })
}

/// Parses a function for the analysis of its body. If that fails, the body holds only the names in
/// it.
pub fn body(source: &SourceFile, f: &Function) -> ir::body::Body {
    body::read(source, f)
}

/// Parses the value of a constant or static for the analysis of its body.
pub fn value_body(source: &SourceFile, value: Span) -> ir::body::Body {
    body::value(source, value)
}

/// Parses the parameters and return type of a function; `None` if that fails.
pub fn signature(source: &SourceFile, f: &Function) -> Option<ir::body::Signature> {
    body::signature(source, f)
}

/// Parses a part of a text as one type.
///
/// # Errors
/// It is not a type.
pub fn ty(source: &SourceFile, range: Range<usize>) -> Result<Type, SyntaxError> {
    let tokens = Tokens::of_part(source, range);
    with_chunk(&tokens, Grammar::Types, |chunk| {
        chunk.parse(|tree: &syn::Type, chunk| chunk.ty(tree))
    })
}

/// Parses a part of a text as one expression.
///
/// # Errors
/// It is not an expression.
pub fn expr(source: &SourceFile, range: Range<usize>) -> Result<ir::Expr, SyntaxError> {
    let tokens = Tokens::of_part(source, range);
    with_chunk(&tokens, Grammar::Values, |chunk| {
        chunk.parse(|tree: &syn::Expr, chunk| chunk.expr(tree))
    })
}

/// Passes all tokens to `read` as one chunk, unless they have faults.
fn with_chunk<R>(
    tokens: &Tokens,
    grammar: Grammar,
    read: impl FnOnce(&Chunk) -> Result<R, SyntaxError>,
) -> Result<R, SyntaxError> {
    match tokens.faults.first() {
        Some(fault) => Err(fault.clone()),
        None => read(&Chunk::new(tokens, 0..tokens.list.len(), &[], grammar)?),
    }
}

impl Chunk<'_> {
    fn function(&self, tree: &syn::ItemFn) -> FunctionBody {
        let input = |arg: &syn::FnArg| match arg {
            syn::FnArg::Receiver(receiver) => (Name::new("self"), self.receiver(receiver)),
            syn::FnArg::Typed(typed) => {
                if ty::configured(&typed.attrs) {
                    self.complain(typed.colon_token.span, "a `cfg` on an argument is not read");
                }
                let name = match self.pat(&typed.pat) {
                    ir::Pat::Name(name) => name,
                    _ => Name::new(ir::Item::UNNAMED),
                };
                (name, self.ty(&typed.ty))
            }
        };
        FunctionBody {
            generics: self.generics(&tree.sig.generics),
            inputs: tree.sig.inputs.iter().map(input).collect(),
            output: self.output(&tree.sig.output),
            block: self.block(&tree.block),
        }
    }

    /// Returns the type of a `self` parameter.
    fn receiver(&self, receiver: &syn::Receiver) -> Type {
        let segment = ir::Segment {
            name: Name::new("Self"),
            args: None,
        };
        let span = receiver.self_token.span;
        let this = Type::Path(ir::Path {
            global: false,
            segments: smallvec![segment],
            span: self.place(span, span),
        });
        match &receiver.kind {
            syn::ReceiverKind::Reference(_, _, mutable) => {
                Type::Ref(Box::new(this), mutable.is_some())
            }
            syn::ReceiverKind::Typed(_, ty) => self.ty(ty),
            _ => this,
        }
    }
}
