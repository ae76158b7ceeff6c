//! Reduces a crate to its types, to check that it compiles after a definition changes.
//!
//! Works on tokens, so that the arguments of macros are covered too.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use std::ops::Range;

/// A replacement of text: byte range and new text.
pub type Edit = (Range<usize>, String);

/// Applies edits to a text.
///
/// # Panics
/// They overlap.
pub fn edited(text: &str, mut edits: Vec<Edit>) -> String {
    edits.sort_by_key(|(range, _)| range.start);
    let (mut out, mut at) = (String::new(), 0);
    for (range, new) in edits {
        out.push_str(&text[at..range.start]);
        out.push_str(&new);
        at = range.end;
    }
    out + &text[at..]
}

/// Parses a source file to tokens with spans.
///
/// # Panics
/// It is not Rust.
pub fn tokens(text: &str) -> TokenStream {
    text.parse().unwrap_or_else(|e| panic!("{e} in:\n{text}"))
}

/// Returns a source file without function bodies and with all types public, as part of another
/// crate: `root` is the path of its own crate root there, and `packages` are the crates below
/// `beside`.
pub fn types_only(text: &str, root: &str, beside: &str, packages: &[String]) -> String {
    let stripper = Stripper {
        root,
        beside,
        packages,
    };
    let mut edits = Vec::new();
    stripper.walk(&tokens(text).into_iter().collect::<Vec<_>>(), &mut edits);
    edited(text, edits)
}

struct Stripper<'a> {
    root: &'a str,
    beside: &'a str,
    packages: &'a [String],
}

impl Stripper<'_> {
    fn walk(&self, tokens: &[TokenTree], edits: &mut Vec<Edit>) {
        let mut i = 0;
        while i < tokens.len() {
            let next_is_name = matches!(tokens.get(i + 1), Some(TokenTree::Ident(_)));
            match &tokens[i] {
                TokenTree::Ident(word) if word == "fn" && next_is_name => {
                    i = self.function(tokens, i, edits);
                    continue;
                }
                TokenTree::Ident(word) if word == "macro_rules" => {
                    if let Some(TokenTree::Group(rules)) = tokens.get(i + 3) {
                        empty_functions(rules.stream(), edits);
                    }
                    i += 4;
                    continue;
                }
                TokenTree::Ident(word)
                    if next_is_name && ["struct", "enum", "mod"].iter().any(|w| word == w) =>
                {
                    publish(tokens, i, edits);
                }
                TokenTree::Ident(word) if is_path(tokens, i) => {
                    let range = word.span().byte_range();
                    if word == "crate" {
                        edits.push((range, self.root.to_owned()));
                    } else if self.packages.iter().any(|p| word == p) {
                        edits.push((range, format!("{}::{word}", self.beside)));
                    }
                }
                TokenTree::Group(group) => {
                    self.walk(&group.stream().into_iter().collect::<Vec<_>>(), edits);
                }
                _ => {}
            }
            i += 1;
        }
    }

    /// Empties the body of the function at `i`; returns the index after it.
    fn function(&self, tokens: &[TokenTree], i: usize, edits: &mut Vec<Edit>) -> usize {
        let end = |t: &TokenTree| match t {
            TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
            TokenTree::Punct(punct) => punct.as_char() == ';',
            _ => false,
        };
        let Some(length) = tokens[i..].iter().position(end) else {
            return i + 1;
        };
        let signature = &tokens[i + 1..i + length];
        let TokenTree::Group(body) = &tokens[i + length] else {
            self.walk(signature, edits);
            return i + length + 1;
        };
        let mut range = body.span().byte_range();
        let mut new = "{ loop {} }";
        let arrow = signature.windows(2).position(|pair| {
            matches!(pair, [TokenTree::Punct(a), TokenTree::Punct(b)]
                if a.as_char() == '-' && b.as_char() == '>')
        });
        let hides = |at: &usize| {
            let mut output = signature[*at..].iter();
            output.any(|t| matches!(t, TokenTree::Ident(word) if word == "impl"))
        };
        match arrow.filter(hides) {
            // `!` does not implement `Iterator`.
            Some(at) => {
                range.start = signature[at].span().byte_range().start;
                new = "-> ! { loop {} }";
                self.walk(&signature[..at], edits);
            }
            None => self.walk(signature, edits),
        }
        edits.push((range, new.to_owned()));
        i + length + 1
    }
}

/// Empties the bodies of the functions that a macro writes.
fn empty_functions(rules: TokenStream, edits: &mut Vec<Edit>) {
    let mut in_function = false;
    for token in rules {
        match token {
            TokenTree::Ident(word) => in_function |= word == "fn",
            TokenTree::Group(group) => {
                let is_body = in_function && group.delimiter() == Delimiter::Brace;
                match is_body {
                    true => edits.push((group.span().byte_range(), "{ loop {} }".to_owned())),
                    false => empty_functions(group.stream(), edits),
                }
                in_function &= !is_body;
            }
            _ => {}
        }
    }
}

/// Makes the item at `i` public.
fn publish(tokens: &[TokenTree], i: usize, edits: &mut Vec<Edit>) {
    let is_pub = |t: Option<&TokenTree>| matches!(t, Some(TokenTree::Ident(word)) if word == "pub");
    let before = |n: usize| i.checked_sub(n).and_then(|at| tokens.get(at));
    if is_pub(before(1)) {
        return;
    }
    match before(1) {
        Some(TokenTree::Group(only)) if is_pub(before(2)) => {
            edits.push((only.span().byte_range(), String::new()));
        }
        _ => {
            let at = tokens[i].span().byte_range().start;
            edits.push((at..at, "pub ".to_owned()));
        }
    }
}

/// Returns true if a path begins at `i`.
fn is_path(tokens: &[TokenTree], i: usize) -> bool {
    let colon =
        |t: Option<&TokenTree>| matches!(t, Some(TokenTree::Punct(p)) if p.as_char() == ':');
    let inside = i > 1 && colon(tokens.get(i - 1)) && colon(tokens.get(i - 2));
    colon(tokens.get(i + 1)) && colon(tokens.get(i + 2)) && !inside
}
