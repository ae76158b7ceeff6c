//! Facts that only the type itself can state: sizes of its fields and variants, the user's limits.
//!
//! They are constants of a private trait, implemented with the type's own parameters and `where`
//! clauses, so that `Self` and the parameters have the same meaning as in the type. Where a type has
//! no parameters and its fields do not name `Self`, the facts are written in place: an
//! implementation of a trait costs rustc more than all the rest of an assertion.

use proc_macro2::{Ident, Literal, Punct, Spacing, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote};

use super::{Root, Subject, type_name};
use crate::attr::is_literal;
use crate::item::{Attribute, Field, Item, Kind, Variant, has_maybe};
use crate::read::unraw;

/// The facts that the assertions of one constant need.
pub struct Facts<'a> {
    input: &'a Item,
    root: &'a Root,
    /// Variants with fields, in source order.
    variants: Vec<&'a Variant>,
    /// Whether the facts are written in place, not as constants of the trait.
    is_plain: bool,
    asks_fields: bool,
    asks_variants: bool,
    limits: Vec<&'a TokenStream>,
}

/// A number of bytes to compare a size with.
pub enum Limit {
    Literal(TokenStream),
    /// The index of a constant expression among [`Facts`]' own.
    Constant(usize),
}

impl Limit {
    pub fn of(&self, subject: &Subject) -> TokenStream {
        match self {
            Limit::Literal(tokens) => tokens.clone(),
            Limit::Constant(index) => subject.constant(&limit_name(*index).to_string()),
        }
    }
}

impl<'a> Facts<'a> {
    pub fn new(input: &'a Item, root: &'a Root) -> Facts<'a> {
        let variants = input.variants.iter();
        let of_variants = input.variants.iter().flat_map(|one| &one.fields);
        let mut fields = input.fields.iter().chain(of_variants);
        Facts {
            input,
            root,
            variants: variants.filter(|one| !one.fields.is_empty()).collect(),
            is_plain: input.parameters.is_empty()
                && !fields.any(|field| names_self(field.ty.clone())),
            asks_fields: false,
            asks_variants: false,
            limits: Vec::new(),
        }
    }

    pub fn limit(&mut self, value: &'a TokenStream) -> Limit {
        if is_literal(value) {
            return Limit::Literal(value.clone());
        }
        self.limits.push(value);
        Limit::Constant(self.limits.len() - 1)
    }

    /// Returns the sum of the sizes of a struct's fields in bytes.
    pub fn fields(&mut self, subject: &Subject) -> TokenStream {
        if self.is_plain {
            return self.sum_of_fields();
        }
        self.asks_fields = true;
        subject.constant("FIELDS")
    }

    fn sum_of_fields(&self) -> TokenStream {
        let root = self.root.tokens(Span::call_site());
        let types = self.input.fields.iter().map(|field| &field.ty);
        quote!(0 #(+ #root::size_of::<#types>())*)
    }

    /// Returns the path of the functions that the expansion calls.
    pub fn root(&self) -> &'a Root {
        self.root
    }

    /// Returns true if an enum has variants without fields, which the table lacks.
    pub fn has_empty_variants(&self) -> bool {
        self.input.variants.len() > self.variants.len()
    }

    /// Returns a table of the variants with fields, if there are any.
    pub fn variants(&mut self, subject: &Subject) -> Option<TokenStream> {
        if self.variants.is_empty() {
            return None;
        }
        if self.is_plain {
            return Some(self.table());
        }
        self.asks_variants = true;
        Some(subject.constant("VARIANTS"))
    }

    /// Returns the names and sizes of the variants with fields.
    fn table(&self) -> TokenStream {
        let entries = self.variants.iter().map(|variant| {
            let name = unraw(&variant.name);
            let size = self.variant_size(variant);
            quote!((#name, #size))
        });
        quote!([#(#entries),*])
    }

    /// Returns the size of a variant: that of a struct of its fields with the representation of the
    /// enum.
    fn variant_size(&self, variant: &Variant) -> TokenStream {
        let root = self.root.tokens(Span::call_site());
        let types: Vec<&TokenStream> = variant.fields.iter().map(|field| &field.ty).collect();
        match types.as_slice() {
            [one] => quote!(#root::size_of::<#one>()),
            types if in_order(&self.input.attributes) => quote! {
                #root::in_order(&[#((
                    #root::size_of::<#types>(),
                    #root::align_of::<#types>(),
                )),*])
            },
            // rustc lays out a tuple like a struct, and a tuple needs no item.
            types => quote!(#root::size_of::<(#(#types),*)>()),
        }
    }

    /// Returns the size of a variant in bytes.
    pub fn variant(&mut self, subject: &Subject, name: &Ident) -> TokenStream {
        let index = self
            .variants
            .iter()
            .position(|variant| variant.name == *name);
        match index {
            None => quote!(0),
            Some(index) if self.is_plain => self.variant_size(self.variants[index]),
            Some(index) => {
                let index = Literal::usize_unsuffixed(index);
                let table = self.variants(subject);
                quote!(#table[#index].1)
            }
        }
    }

    /// Returns the trait and its `impl` for the type; empty if no fact is needed.
    pub fn into_tokens(self) -> TokenStream {
        let mut constants = Vec::new();
        let root = self.root.tokens(Span::call_site());
        if self.asks_fields && self.input.kind == Kind::Struct {
            let sum = self.sum_of_fields();
            constants.push((quote!(FIELDS: #root::core::primitive::usize), sum));
        }
        if self.asks_variants {
            let count = Literal::usize_unsuffixed(self.variants.len());
            constants.push((quote!(VARIANTS: [#root::Variant; #count]), self.table()));
        }
        for (index, limit) in self.limits.iter().enumerate() {
            let name = limit_name(index);
            constants.push((
                quote!(#name: #root::core::primitive::usize),
                (*limit).clone(),
            ));
        }
        if constants.is_empty() {
            return TokenStream::new();
        }
        let names = constants.iter().map(|(name, _)| name);
        let values = constants
            .iter()
            .map(|(name, value)| quote!(const #name = #value;));
        let (with_bounds, arguments) = self.parameters();
        let clauses = self.clauses();
        let name = type_name(self.input);
        quote! {
            trait __Weigh {
                #(const #names;)*
            }
            #[automatically_derived]
            impl #with_bounds __Weigh for #name #arguments #clauses {
                #(#values)*
            }
        }
    }

    /// Returns the type's parameters as an `impl` declares them, and as arguments of the type.
    fn parameters(&self) -> (TokenStream, TokenStream) {
        let all = &self.input.parameters;
        if all.is_empty() {
            return (TokenStream::new(), TokenStream::new());
        }
        let declared = all.iter().map(|one| &one.declared);
        let arguments = all.iter().map(|one| &one.argument);
        (quote!(<#(#declared),*>), quote!(<#(#arguments),*>))
    }

    /// Returns the type's `where` clauses; they require a sized last field if a parameter may be
    /// unsized.
    fn clauses(&self) -> TokenStream {
        let mut clauses = self.input.clauses.clone();
        let may_be_unsized = |last: &&Field| {
            has_unsized_parameter(self.input) && mentions(last.ty.clone(), self.input)
        };
        let last = self.input.fields.last().filter(may_be_unsized);
        if let (true, Some(last)) = (self.asks_fields, last) {
            let is_comma = |token: TokenTree| matches!(token, TokenTree::Punct(punct) if punct.as_char() == ',');
            if !clauses.clone().into_iter().last().is_none_or(is_comma) {
                clauses.extend(Punct::new(',', Spacing::Alone).into_token_stream());
            }
            let (ty, root) = (&last.ty, self.root.tokens(Span::call_site()));
            clauses.extend(quote!(#ty: #root::core::marker::Sized));
        }
        match clauses.is_empty() {
            true => clauses,
            false => quote!(where #clauses),
        }
    }
}

fn limit_name(index: usize) -> Ident {
    format_ident!("LIMIT_{index}")
}

/// Returns true if the fields of a variant are in source order: `repr(C)`, `repr(u8)` and the like.
fn in_order(attributes: &[Attribute]) -> bool {
    const REPRS: [&str; 13] = [
        "C", "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize",
    ];
    let reprs = attributes.iter().filter(|one| one.is("repr"));
    let lists = reprs.filter_map(|one| one.list.as_ref());
    let mut words = lists.flat_map(|list| list.stream());
    words.any(|word| REPRS.iter().any(|repr| word.to_string() == *repr))
}

fn has_unsized_parameter(input: &Item) -> bool {
    let mut parameters = input.type_parameters();
    parameters.any(|one| has_maybe(&one.declared)) || has_maybe(&input.clauses)
}

/// Returns true if a type names `Self`.
fn names_self(tokens: TokenStream) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(word) => word == "Self",
        TokenTree::Group(group) => names_self(group.stream()),
        _ => false,
    })
}

/// Returns true if a type uses one of the parameters.
fn mentions(tokens: TokenStream, input: &Item) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(word) => input.type_parameters().any(|one| word == one.name),
        TokenTree::Group(group) => mentions(group.stream(), input),
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use quote::quote;

    /// A trait and its implementation cost rustc more than the rest of an assertion.
    #[test]
    fn only_facts_about_parameters_and_self_need_a_trait() {
        let expanded = |item| crate::derive(item).map(|tokens| tokens.to_string());
        let has_trait = |item| expanded(item).is_ok_and(|text| text.contains("trait __Weigh"));
        for plain in [
            quote!(
                #[assert_size(max = 8, variant(B, max = 4))]
                enum E {
                    A(u8),
                    B { a: u16, b: u8 },
                }
            ),
            quote!(
                #[assert_size(no_padding)]
                struct S(u32, [u8; 4]);
            ),
        ] {
            assert!(expanded(plain.clone()).is_ok_and(|text| text.contains("size_of")));
            assert!(!has_trait(plain));
        }
        for other in [
            quote!(
                #[assert_size(max = 16)]
                enum List {
                    Nil,
                    Cons(u8, Box<Self>),
                }
            ),
            quote!(
                #[assert_size(for(T = u8), max = 2)]
                enum G<T> {
                    A(T),
                    B,
                }
            ),
            quote!(
                #[assert_size(max = Self::LIMIT)]
                struct S(u8);
            ),
        ] {
            assert!(has_trait(other));
        }
    }
}
