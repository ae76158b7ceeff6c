//! The arguments of macro calls in bodies, read as what they look like: expressions between
//! commas, a repetition, a pattern; else the names that stand there.

use super::{Builder, chunk, names};
use crate::ir::body::{ExprId, ExprKind, MacroArgs};
use crate::ir::{Lit, MacroCall, Path, Segment};
use crate::lower::chunk::Chunk;
use crate::lower::tokens::Tokens;
use crate::name::Name;
use crate::span::Span;
use std::ops::Range;
use syn::Token;
use syn::ext::IdentExt;
use syn::parse::discouraged::Speculative;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;

/// Macros of std whose first string is a format.
const FORMATS: &[&str] = &[
    "format",
    "print",
    "println",
    "eprint",
    "eprintln",
    "write",
    "writeln",
    "panic",
    "format_args",
    "assert",
    "assert_eq",
    "assert_ne",
    "debug_assert",
    "debug_assert_eq",
    "debug_assert_ne",
    "unreachable",
    "todo",
    "unimplemented",
    "error",
    "warn",
    "info",
    "debug",
    "trace",
    "log",
    "bail",
    "anyhow",
    "ensure",
];

/// `a, name = b, target: c, %d, path.name = ?e`: what tracing's macros take too.
struct Arguments(Vec<syn::Expr>);

impl Parse for Arguments {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        let list = Punctuated::<Argument, Token![,]>::parse_terminated(input)?;
        Ok(Arguments(list.into_iter().map(|a| a.0).collect()))
    }
}

/// One of them, without what it is called and how it is shown.
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
        // Whatever the macro is, it is shown by reference.
        let sigil: proc_macro2::Punct = input.parse()?;
        Ok(Argument(syn::Expr::Reference(syn::ExprReference {
            attrs: Vec::new(),
            and_token: Token![&](sigil.span()),
            mutability: None,
            expr: input.parse()?,
        })))
    }
}

/// `name =`, `name:`, and `path.name =` before a sigil: elsewhere that is an assignment.
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
        // What follows is a message.
        input.parse::<proc_macro2::TokenStream>()?;
        Ok(Matching(value, pat, guard))
    }
}

/// Macros whose arguments are text but for what stands after a `#`.
const QUOTES: &[&str] = &["parse_quote", "quote"];

/// Arguments that are not looked into: the names in them.
pub(super) fn unread(tokens: &Tokens, call: &MacroCall) -> MacroArgs {
    let mut words = names(tokens, inside(tokens, call));
    let name = call.path.segments.last().map_or("", |s| s.name.as_str());
    words.retain(|w| w.put_in || !QUOTES.contains(&name));
    MacroArgs::Names(words)
}

/// The tokens between the delimiters of a call.
fn inside(tokens: &Tokens, call: &MacroCall) -> Range<usize> {
    let first = tokens.list.partition_point(|t| t.start < call.args.start);
    let end = tokens.list.partition_point(|t| t.start < call.args.end);
    first..end.max(first)
}

impl Builder {
    /// Reads the arguments of a call.
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
            if FORMATS.contains(&name) {
                self.captures(&mut list);
            }
            return Some(MacroArgs::Exprs(list));
        }
        let repetition = c.parse(|tree: &Repetition, c| {
            MacroArgs::Repeat(self.expr(&tree.0, c), self.expr(&tree.1, c))
        });
        repetition.ok()
    }

    /// Adds what a format string names: `{name}`, `{name:?}`.
    fn captures(&mut self, list: &mut Vec<ExprId>) {
        let text = list.iter().find_map(|&e| {
            let node = self.body.expr(e);
            match &node.kind {
                ExprKind::Lit(Lit::Str(text)) => Some((text.clone(), node.span)),
                _ => None,
            }
        });
        let Some((text, span)) = text else { return };
        for name in captured(&text) {
            let path = path(name, span);
            list.push(self.body.add_expr(ExprKind::Path(path), span));
        }
    }
}

/// The names that a format string captures.
fn captured(text: &str) -> Vec<&str> {
    let mut list = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find('{') {
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix('{') {
            rest = after;
            continue;
        }
        let end = rest.find(['}', ':']).unwrap_or(rest.len());
        let name = rest[..end].trim();
        let begins = name.starts_with(|c: char| c.is_alphabetic() || c == '_');
        if begins && name.chars().all(|c| c.is_alphanumeric() || c == '_') {
            list.push(name);
        }
        rest = &rest[end..];
    }
    list
}

fn path(name: &str, span: Span) -> Path {
    Path {
        global: false,
        segments: vec![Segment {
            name: Name::new(name),
            args: None,
        }],
        span,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_format_strings() {
        let found = captured("{a} {{b}} {c:?} {} {0} {d:>width$} {");
        assert_eq!(found, ["a", "c", "d"]);
    }
}
