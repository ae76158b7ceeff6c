//! Parses the arguments of macro calls with syn.

use super::{Builder, chunk};
use crate::ir::MacroCall;
use crate::ir::body::MacroArgs;
use crate::lower::body::{self, inside, unread};
use crate::lower::chunk::Chunk;
use crate::lower::tokens::Tokens;
use syn::Token;
use syn::ext::IdentExt;
use syn::parse::discouraged::Speculative;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;

/// Parses `a, name = b, target: c, %d, path.name = ?e`, a superset of tracing's syntax.
struct Arguments(Vec<syn::Expr>);

impl Parse for Arguments {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        let list = Punctuated::<Argument, Token![,]>::parse_terminated(input)?;
        Ok(Arguments(list.into_iter().map(|a| a.0).collect()))
    }
}

/// One argument, without its name and its sigil.
struct Argument(syn::Expr);

impl Parse for Argument {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        let ahead = input.fork();
        if label(&ahead).is_ok() {
            input.advance_to(&ahead);
        }
        let shown = input.peek(Token![?]) || input.peek(Token![%]);
        if !shown {
            return Ok(Argument(input.parse()?));
        }
        // Such a macro formats the value by reference.
        let sigil: proc_macro2::Punct = input.parse()?;
        Ok(Argument(syn::Expr::Reference(syn::ExprReference {
            attrs: Vec::new(),
            and_token: Token![&](sigil.span()),
            mutability: None,
            expr: input.parse()?,
        })))
    }
}

/// Parses `name =`, `name:`, or `path.name =` before a sigil; without one, the last is an
/// assignment.
fn label(input: ParseStream) -> syn::Result<()> {
    syn::Ident::parse_any(input)?;
    let mut dotted = false;
    while input.peek(Token![.]) {
        input.parse::<Token![.]>()?;
        syn::Ident::parse_any(input)?;
        dotted = true;
    }
    if !dotted && input.peek(Token![:]) && !input.peek(Token![::]) {
        input.parse::<Token![:]>()?;
        return Ok(());
    }
    if input.peek(Token![==]) || input.peek(Token![=>]) {
        return Err(input.error("a comparison"));
    }
    input.parse::<Token![=]>()?;
    match !dotted || input.peek(Token![?]) || input.peek(Token![%]) {
        true => Ok(()),
        false => Err(input.error("an assignment")),
    }
}

/// `a; n`.
struct Repetition(syn::Expr, syn::Expr);

impl Parse for Repetition {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        let value = input.parse()?;
        input.parse::<Token![;]>()?;
        Ok(Repetition(value, input.parse()?))
    }
}

/// `x, pat if guard`.
struct Matching(syn::Expr, syn::Pat, Option<syn::Expr>);

impl Parse for Matching {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        let value = input.parse()?;
        input.parse::<Token![,]>()?;
        let pat = syn::Pat::parse_multi_with_leading_vert(input)?;
        let guard = match input.parse::<Option<Token![if]>>()? {
            Some(_) => Some(input.parse()?),
            None => None,
        };
        // The rest is a message.
        input.parse::<proc_macro2::TokenStream>()?;
        Ok(Matching(value, pat, guard))
    }
}

impl Builder {
    /// Parses the arguments of a call.
    pub(super) fn macro_args(&mut self, tokens: &Tokens, call: &MacroCall) -> MacroArgs {
        let range = inside(tokens, call);
        let name = call.path.segments.last().map_or("", |s| s.name.as_str());
        if range.is_empty() {
            return MacroArgs::Exprs(Vec::new());
        }
        let Some(c) = chunk(tokens, range) else {
            return unread(tokens, call);
        };
        let matching = matches!(name, "matches" | "assert_matches" | "debug_assert_matches");
        let read = match matching {
            true => c
                .parse(|tree: &Matching, c| {
                    let value = self.expr(&tree.0, c);
                    let pat = self.pat(&tree.1, c);
                    let guard = tree.2.as_ref().map(|g| self.expr(g, c));
                    MacroArgs::Matches(value, pat, guard)
                })
                .ok(),
            false => self.listed(&c, name),
        };
        read.unwrap_or_else(|| unread(tokens, call))
    }

    fn listed(&mut self, c: &Chunk, name: &str) -> Option<MacroArgs> {
        let list = c.parse(|tree: &Arguments, c| self.exprs(&tree.0, c));
        if let Ok(mut list) = list {
            if body::is_format(name) {
                body::captures(&mut self.body, name, &mut list);
            }
            return Some(MacroArgs::Exprs(list));
        }
        let repetition = c.parse(|tree: &Repetition, c| {
            MacroArgs::Repeat(self.expr(&tree.0, c), self.expr(&tree.1, c))
        });
        repetition.ok()
    }
}
