//! One text to [`ir::File`]: items are found among the tokens, and read from them (`parse`). Only
//! values of constants, and what `parse` does not understand, are handed to syn, which is named
//! nowhere else.
//!
//! Function bodies and the arguments of macros are skipped as groups of tokens; they are read when
//! somebody asks for them, bodies straight from tokens to the arena (`parse`, `body`), and so are
//! values of constants in dependencies. Each syn tree is dropped before the next is made, and none
//! is made of text that nests too deep, so memory and stack stay small on any input.

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
mod split;
mod tokens;
mod ty;
mod typed;
mod uses;
mod walk;

#[cfg(test)]
mod tests;

pub use item::UNREAD;
pub use marks::marks;
pub use select::{Arm, cfg, select_arms};
pub use tokens::{Kind, Token};

use crate::ir::{self, Function, FunctionBody, SyntaxError, Type};
use crate::name::Name;
use crate::source::SourceFile;
use crate::span::Span;
use chunk::{Chunk, Grammar};
use item::{Lower, Place};
use smallvec::smallvec;
use std::ops::Range;
use tokens::Tokens;
#[cfg(test)]
use ty::configured as configured_by;

/// Reads a whole file, or the items that a macro wrote.
///
/// In a file that is not `own`, functions are not marked as holding items: nothing outside of a
/// dependency can name them.
pub fn file(source: &SourceFile, own: bool) -> ir::File {
    let tokens = Tokens::of_file(source);
    let inner = tokens.after_inner_attrs(0);
    let mut lower = Lower::new(&tokens, own);
    let attrs = lower.attrs(0..inner);
    let items = lower.items(inner..tokens.list.len(), Place::Module);
    lower.finish(attrs, items)
}

/// The tokens of a whole file in order; delimiters that it lacks cover no byte.
pub fn tokens(source: &SourceFile) -> Vec<Token> {
    Tokens::of_file(source).into_list()
}

/// Reads the items in a part of a text.
pub fn items(source: &SourceFile, part: Span, own: bool) -> ir::File {
    let tokens = Tokens::of_part(source, part.range());
    let mut lower = Lower::new(&tokens, own);
    let items = lower.items(0..tokens.list.len(), Place::Module);
    lower.finish(ir::Attrs::default(), items)
}

/// Reads the associated items that a macro wrote inside an `impl` or a trait.
pub fn impl_items(source: &SourceFile, part: Span) -> ir::File {
    let tokens = Tokens::of_part(source, part.range());
    let mut lower = Lower::new(&tokens, true);
    let items = lower.items(0..tokens.list.len(), Place::Associated);
    lower.finish(ir::Attrs::default(), items)
}

/// Reads the items inside a function's body (or a constant's value), also those in nested blocks
/// and closures, and the statement macros that may write a type. What stands inside a nested
/// function is left to that function. With `every_call`, any statement macro counts: for the value
/// of a nameless constant, which is there for nothing but its items.
pub fn body_items(source: &SourceFile, body: Span, every_call: bool) -> ir::File {
    let tokens = Tokens::of_part(source, body.range());
    let mut lower = Lower::new(&tokens, true);
    let items = lower.statements(every_call);
    lower.finish(ir::Attrs::default(), items)
}

/// Reads a function whole, for constant evaluation.
///
/// # Errors
/// It has no body, or it is not understood.
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

/// Reads a function for what it does. What cannot be read leaves its names behind.
pub fn body(source: &SourceFile, f: &Function) -> ir::body::Body {
    body::read(source, f)
}

/// Reads the value of a constant or static for what it does.
pub fn value_body(source: &SourceFile, value: Span) -> ir::body::Body {
    body::value(source, value)
}

/// Reads what a function takes and gives; `None` if it is not understood.
pub fn signature(source: &SourceFile, f: &Function) -> Option<ir::body::Signature> {
    body::signature(source, f)
}

/// Reads a part of a text as one type.
///
/// # Errors
/// It is none.
pub fn ty(source: &SourceFile, range: Range<usize>) -> Result<Type, SyntaxError> {
    let tokens = Tokens::of_part(source, range);
    with_chunk(&tokens, Grammar::Types, |chunk| {
        chunk.parse(|tree: &syn::Type, chunk| chunk.ty(tree))
    })
}

/// Reads a part of a text as one expression.
///
/// # Errors
/// It is none.
pub fn expr(source: &SourceFile, range: Range<usize>) -> Result<ir::Expr, SyntaxError> {
    let tokens = Tokens::of_part(source, range);
    with_chunk(&tokens, Grammar::Values, |chunk| {
        chunk.parse(|tree: &syn::Expr, chunk| chunk.expr(tree))
    })
}

/// Hands all tokens as one chunk to `read`, unless they have faults.
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

    /// The type of a `self`.
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
