//! What only the generic type itself can say: its fields' sizes, its variants', the user's limits.
//!
//! These are constants of a private trait, implemented with the type's own parameters and `where`
//! clauses, so that `Self` and the parameters mean in them what they mean in the type.

use proc_macro2::{Ident, Literal, Punct, Spacing, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote};

use super::{Root, Subject, type_name};
use crate::attr::is_literal;
use crate::item::{Attribute, Field, Item, Kind, Variant, has_maybe};
use crate::read::unraw;

/// The facts that the assertions of one constant ask for.
pub struct Facts<'a> {
    input: &'a Item,
    root: &'a Root,
    /// Variants that have fields, in the order of the source.
    variants: Vec<&'a Variant>,
    asks_fields: bool,
    asks_variants: bool,
    limits: Vec<&'a TokenStream>,
}

/// A number of bytes to hold a size against.
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
        Facts {
            input,
            root,
            variants: variants.filter(|one| !one.fields.is_empty()).collect(),
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

    /// The sum of a struct's fields in bytes.
    pub fn fields(&mut self, subject: &Subject) -> TokenStream {
        self.asks_fields = true;
        subject.constant("FIELDS")
    }

    /// The way to what the expansion calls.
    pub fn root(&self) -> &'a Root {
        self.root
    }

    /// Whether an enum has variants that the table lacks.
    pub fn has_empty_variants(&self) -> bool {
        self.input.variants.len() > self.variants.len()
    }

    /// A table of the variants that have fields, or nothing where there are none.
    pub fn variants(&mut self, subject: &Subject) -> Option<TokenStream> {
        if self.variants.is_empty() {
            return None;
        }
        self.asks_variants = true;
        Some(subject.constant("VARIANTS"))
    }

    /// One variant's bytes.
    pub fn variant(&mut self, subject: &Subject, name: &Ident) -> TokenStream {
        let index = self
            .variants
            .iter()
            .position(|variant| variant.name == *name);
        if let Some(index) = index.map(Literal::usize_unsuffixed)
            && let Some(table) = self.variants(subject)
        {
            return quote!(#table[#index].1);
        }
        quote!(0)
    }

    /// The trait and the type's own `impl` of it; nothing where no fact is asked.
    pub fn into_tokens(self) -> TokenStream {
        let mut constants = Vec::new();
        let root = self.root.tokens(Span::call_site());
        if self.asks_fields && self.input.kind == Kind::Struct {
            let types = self.input.fields.iter().map(|field| &field.ty);
            let sum = quote!(0 #(+ #root::size_of::<#types>())*);
            constants.push((quote!(FIELDS: #root::core::primitive::usize), sum));
        }
        if self.asks_variants {
            let in_order = in_order(&self.input.attributes);
            let entries = self.variants.iter().map(|variant| {
                let name = unraw(&variant.name);
                let size = variant_size(&root, &variant.fields, in_order);
                quote!((#name, #size))
            });
            let count = Literal::usize_unsuffixed(self.variants.len());
            constants.push((
                quote!(VARIANTS: [#root::Variant; #count]),
                quote!([#(#entries),*]),
            ));
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

    /// The type's parameters as an `impl` declares them, and as its type takes them.
    fn parameters(&self) -> (TokenStream, TokenStream) {
        let all = &self.input.parameters;
        if all.is_empty() {
            return (TokenStream::new(), TokenStream::new());
        }
        let declared = all.iter().map(|one| &one.declared);
        let arguments = all.iter().map(|one| &one.argument);
        (quote!(<#(#declared),*>), quote!(<#(#arguments),*>))
    }

    /// The type's clauses; its last field is asked to be sized where a parameter may not be.
    fn clauses(&self) -> TokenStream {
        let mut clauses = self.input.clauses.clone();
        if let (true, Some(last)) = (self.asks_fields, self.input.fields.last())
            && has_unsized_parameter(self.input)
            && mentions(last.ty.clone(), self.input)
        {
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

/// A variant is as large as a struct of its fields with the enum's own representation.
fn variant_size(root: &TokenStream, fields: &[Field], in_order: bool) -> TokenStream {
    let types: Vec<&TokenStream> = fields.iter().map(|field| &field.ty).collect();
    match types.as_slice() {
        [one] => quote!(#root::size_of::<#one>()),
        types if in_order => quote! {
            #root::in_order(&[#((
                #root::size_of::<#types>(),
                #root::align_of::<#types>(),
            )),*])
        },
        // rustc lays out a tuple as it does a struct, and a tuple needs no item of its own.
        types => quote!(#root::size_of::<(#(#types),*)>()),
    }
}

/// Whether the fields of a variant lie in the order of the source: `repr(C)`, `repr(u8)` and such.
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

/// Whether a type is written with one of the parameters.
fn mentions(tokens: TokenStream, input: &Item) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(word) => input.type_parameters().any(|one| word == one.name),
        TokenTree::Group(group) => mentions(group.stream(), input),
        _ => false,
    })
}
