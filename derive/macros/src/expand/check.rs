//! Expands one assertion of one type to a call of the function that compares and reports.

use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};

use super::facts::{Facts, Limit};
use super::{Root, Subject};
use crate::attr::{Assertion, Key};
use crate::read::unraw;

/// Expands an assertion to an item.
pub fn check(
    subject: &Subject,
    assertion: &Assertion,
    limits: &[Limit],
    facts: &mut Facts,
) -> TokenStream {
    let root = facts.root();
    let limits: Vec<TokenStream> = limits.iter().map(|limit| limit.of(subject)).collect();
    let limit = limits.first();
    let (ty, name) = (&subject.ty, &subject.text);
    let path = root.tokens(Span::call_site());
    let own = subject.size.clone();
    let own = own.unwrap_or_else(|| quote!(#path::size_of::<#ty>()));
    let (function, arguments) = match assertion.key {
        Key::Max | Key::Min | Key::Exact => {
            let (whose, size, variants) = match &assertion.variant {
                Some(variant) => (
                    format!("size of variant `{name}::{}`", unraw(variant)),
                    facts.variant(subject, variant),
                    None,
                ),
                None => (
                    format!("size of `{name}`"),
                    own,
                    facts.variants(subject).map(|table| quote!(&#table)),
                ),
            };
            let variants = variants.unwrap_or_else(|| quote!(&[]));
            match assertion.key {
                Key::Max => ("max", quote!(#whose, #size, #limit, #variants)),
                Key::Min => ("min", quote!(#whose, #size, #limit, #variants)),
                _ => ("exact", quote!(#whose, #size, &[#(#limits),*], #variants)),
            }
        }
        Key::Align => ("align", quote!(#name, #path::align_of::<#ty>(), #limit)),
        Key::Niche => {
            let at = root.tokens(subject.span);
            let option = quote_spanned!(subject.span=> #at::core::option::Option<#ty>);
            ("niche", quote!(#name, #path::size_of::<#option>(), #own))
        }
        Key::NoPadding => {
            let whose = format!("size of `{name}`");
            let fields = facts.fields(subject);
            ("no_padding", quote!(#whose, #own, #fields))
        }
        Key::MaxGap => {
            let variants = match facts.variants(subject) {
                Some(table) => quote!(&#table),
                None => quote!(&[]),
            };
            let empty = facts.has_empty_variants();
            ("max_gap", quote!(#name, #limit, #variants, #empty))
        }
    };
    let call = call(root, function, arguments, assertion.blame);
    quote!(const _: () = #call;)
}

/// Returns a call with a span from the first place to the last.
fn call(
    root: &Root,
    function: &str,
    arguments: TokenStream,
    (first, last): (Span, Span),
) -> TokenStream {
    let path = root.tokens(first);
    let function = Ident::new(function, first);
    let mut arguments = Group::new(Delimiter::Parenthesis, arguments);
    arguments.set_span(last);
    let arguments = arguments.into_token_stream();
    quote_spanned!(first=> #path::#function #arguments)
}
