//! What only the generic type itself can say: its fields' sizes, its variants', the user's limits.
//!
//! These are constants of a private trait, implemented with the type's own parameters and `where`
//! clauses, so that `Self` and the parameters mean in them what they mean in the type.

use proc_macro2::{Literal, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote};
use syn::ext::IdentExt;
use syn::{
    Attribute, Data, DeriveInput, Expr, Fields, Generics, Ident, Type, TypeParamBound, Variant,
    WherePredicate, parse_quote,
};

use super::{Root, Subject, type_name};

/// The facts that the assertions of one constant ask for.
pub struct Facts<'a> {
    input: &'a DeriveInput,
    root: &'a Root,
    /// Variants that have fields, in the order of the source.
    variants: Vec<&'a Variant>,
    asks_fields: bool,
    asks_variants: bool,
    limits: Vec<&'a Expr>,
}

/// A number of bytes to hold a size against.
pub enum Limit {
    Literal(Box<TokenStream>),
    /// The index of a constant expression among [`Facts`]' own.
    Constant(usize),
}

impl Limit {
    pub fn of(&self, subject: &Subject) -> TokenStream {
        match self {
            Limit::Literal(tokens) => (**tokens).clone(),
            Limit::Constant(index) => subject.constant(&limit_name(*index).to_string()),
        }
    }
}

impl<'a> Facts<'a> {
    pub fn new(input: &'a DeriveInput, root: &'a Root) -> Facts<'a> {
        let variants = match &input.data {
            Data::Enum(data) => data
                .variants
                .iter()
                .filter(|one| !one.fields.is_empty())
                .collect(),
            _ => Vec::new(),
        };
        Facts {
            input,
            root,
            variants,
            asks_fields: false,
            asks_variants: false,
            limits: Vec::new(),
        }
    }

    pub fn limit(&mut self, value: &'a Expr) -> Limit {
        if let Expr::Lit(_) = value {
            return Limit::Literal(Box::new(value.to_token_stream()));
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
        match &self.input.data {
            Data::Enum(data) => data.variants.len() > self.variants.len(),
            _ => false,
        }
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
            .position(|variant| variant.ident == *name);
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
        if self.asks_fields
            && let Data::Struct(data) = &self.input.data
        {
            let types = data.fields.iter().map(|field| &field.ty);
            let sum = quote!(0 #(+ #root::size_of::<#types>())*);
            constants.push((quote!(FIELDS: #root::core::primitive::usize), sum));
        }
        if self.asks_variants {
            let in_order = in_order(&self.input.attrs);
            let entries = self.variants.iter().map(|variant| {
                let name = variant.ident.unraw().to_string();
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
                limit.to_token_stream(),
            ));
        }
        if constants.is_empty() {
            return TokenStream::new();
        }
        let names = constants.iter().map(|(name, _)| name);
        let values = constants
            .iter()
            .map(|(name, value)| quote!(const #name = #value;));
        let generics = self.generics();
        let (with_bounds, arguments, clauses) = generics.split_for_impl();
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

    /// The type's parameters; its last field is asked to be sized where a parameter may not be.
    fn generics(&self) -> Generics {
        let mut generics = self.input.generics.clone();
        if let (true, Data::Struct(data)) = (self.asks_fields, &self.input.data)
            && let Some(last) = data.fields.iter().next_back()
            && has_unsized_parameter(&generics)
            && mentions(last.ty.to_token_stream(), &generics)
        {
            let ty = &last.ty;
            let root = self.root.tokens(Span::call_site());
            let clause = parse_quote!(#ty: #root::core::marker::Sized);
            generics.make_where_clause().predicates.push(clause);
        }
        generics
    }
}

fn limit_name(index: usize) -> Ident {
    format_ident!("LIMIT_{index}")
}

/// A variant is as large as a struct of its fields with the enum's own representation.
fn variant_size(root: &TokenStream, fields: &Fields, in_order: bool) -> TokenStream {
    let types: Vec<&Type> = fields.iter().map(|field| &field.ty).collect();
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
fn in_order(attrs: &[Attribute]) -> bool {
    const REPRS: [&str; 13] = [
        "C", "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize",
    ];
    let reprs = attrs.iter().filter(|attr| attr.path().is_ident("repr"));
    let lists = reprs.filter_map(|attr| attr.meta.require_list().ok());
    let mut words = lists.flat_map(|list| list.tokens.clone());
    words.any(|word| REPRS.iter().any(|repr| word.to_string() == *repr))
}

fn has_unsized_parameter(generics: &Generics) -> bool {
    let maybe = |bound: &TypeParamBound| matches!(bound, TypeParamBound::Trait(bound) if bound.maybe.is_some());
    let mut parameters = generics.type_params();
    let clauses = generics
        .where_clause
        .iter()
        .flat_map(|clause| &clause.predicates);
    let mut clauses = clauses.filter_map(|predicate| match predicate {
        WherePredicate::Type(ty) => Some(&ty.bounds),
        _ => None,
    });
    parameters.any(|parameter| parameter.bounds.iter().any(maybe))
        || clauses.any(|bounds| bounds.iter().any(maybe))
}

/// Whether a type is written with one of the parameters.
fn mentions(tokens: TokenStream, generics: &Generics) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(word) => generics
            .type_params()
            .any(|parameter| parameter.ident == word),
        TokenTree::Group(group) => mentions(group.stream(), generics),
        _ => false,
    })
}
