//! The expansion: one anonymous constant for each assertion.
//!
//! Each calls a function of `weigh_derive::__private` by its full path, so that no name of the user
//! can shadow it and none is added. Assertions that need facts which only the type itself can state
//! are in one more constant, together with the trait that states them.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};

use crate::attr::{Attr, Instance};
use crate::item::{Attribute, Field, Item, ParameterKind};
use crate::read::{ends, unraw};
use crate::valid::missing_variant;

mod check;
mod facts;
mod spell;

use check::check;
use facts::{Facts, Limit};

/// The path of the functions that the expansion calls.
pub struct Root(Option<TokenStream>);

impl Root {
    fn new<'a>(attrs: impl IntoIterator<Item = &'a Attr>) -> Root {
        let named = attrs.into_iter().find_map(|attr| attr.root.as_ref());
        Root(named.cloned())
    }

    /// Returns the path, in tokens with this span.
    fn tokens(&self, span: Span) -> TokenStream {
        match &self.0 {
            Some(_) => quote_spanned!(span=> __weigh),
            None => quote_spanned!(span=> ::weigh_derive::__private),
        }
    }

    /// Returns the import for the name in [`Root::tokens`], if the user gave a path.
    fn import(&self) -> Option<TokenStream> {
        let path = self.0.as_ref()?;
        Some(quote!(use #path::__private as __weigh;))
    }
}

/// A type with a known layout: the type itself, or an instance of a generic one.
struct Subject {
    ty: TokenStream,
    /// Its size, if that is not `size_of` of the type.
    size: Option<TokenStream>,
    text: String,
    /// Span of rustc's errors about the type: rustc reports an error only once for a span.
    span: Span,
}

impl Subject {
    /// Returns the path of a constant that [`Facts`] defines for the type.
    fn constant(&self, name: &str) -> TokenStream {
        let ty = &self.ty;
        let name = Ident::new(name, self.span);
        quote_spanned!(self.span=> <#ty as __Weigh>::#name)
    }
}

/// Expands attributes that [`crate::valid`] accepted.
pub fn expand(input: &Item, attrs: &[Attr]) -> TokenStream {
    let mut groups: Vec<(String, Vec<&Attr>)> = Vec::new();
    for attr in attrs {
        let conditions: String = attr
            .conditions
            .iter()
            .map(|one| format!("{one};"))
            .collect();
        match groups.iter_mut().find(|(known, _)| *known == conditions) {
            Some((_, group)) => group.push(attr),
            None => groups.push((conditions, vec![attr])),
        }
    }
    let root = Root::new(attrs);
    groups
        .iter()
        .map(|(_, group)| expand_group(input, &root, group))
        .collect()
}

/// Expands `assert_size!`, for a type of which only the name is known.
pub fn expand_call(ty: &TokenStream, attr: &Attr) -> TokenStream {
    let root = Root::new([attr]);
    let subject = Subject {
        text: spell::spell(ty),
        span: ends(ty, Span::call_site()).0,
        ty: ty.clone(),
        size: None,
    };
    expand_foreign(&subject, attr, root)
}

/// Expands `assert_future_size!`: the type of what a closure returns has a size, though no name.
pub fn expand_future(call: &TokenStream, attr: &Attr) -> TokenStream {
    let root = Root::new([attr]);
    let span = ends(call, Span::call_site()).0;
    let path = root.tokens(Span::call_site());
    // The arguments are the last group.
    let mut function: Vec<TokenTree> = call.clone().into_iter().collect();
    function.pop();
    let subject = Subject {
        text: spell::spell(&function.into_iter().collect()),
        span,
        ty: TokenStream::new(),
        size: Some(quote!({
            #[allow(unreachable_code, clippy::empty_loop, clippy::diverging_sub_expression)]
            const SIZE: usize = #path::size_of_returned(&|| #call);
            SIZE
        })),
    };
    expand_foreign(&subject, attr, root)
}

/// Expands an attribute for what is known from outside only.
fn expand_foreign(subject: &Subject, attr: &Attr, root: Root) -> TokenStream {
    let input = Item::foreign();
    let mut facts = Facts::new(&input, &root);
    let in_place = |value: &TokenStream| Limit::Literal(value.clone());
    let checks = attr.assertions.iter().map(|assertion| {
        let limits: Vec<_> = assertion.values.iter().map(in_place).collect();
        check(subject, assertion, &limits, &mut facts)
    });
    let checks = checks.collect();
    let conditions = &attr.conditions;
    items(&quote!(#(#[cfg(#conditions)])*), checks, &[root.import()])
}

/// Expands attributes under the same conditions, which share the facts of the type.
fn expand_group(input: &Item, root: &Root, group: &[&Attr]) -> TokenStream {
    let mut facts = Facts::new(input, root);
    let mut checks = Vec::new();
    let mut errors = TokenStream::new();
    for attr in group {
        for assertion in &attr.assertions {
            if let Some(error) = missing_variant(input, assertion) {
                errors.extend(error.to_compile_error());
                continue;
            }
            let limits: Vec<_> = assertion
                .values
                .iter()
                .map(|value| facts.limit(value))
                .collect();
            for subject in subjects(input, &attr.instances) {
                checks.push(check(&subject, assertion, &limits, &mut facts));
            }
        }
    }
    let conditions = group
        .first()
        .map(|attr| attr.conditions.as_slice())
        .unwrap_or_default();
    let allowances = allowances(input);
    let attributes = quote!(#(#[cfg(#conditions)])* #(#allowances)*);
    let facts = Some(facts.into_tokens()).filter(|facts| !facts.is_empty());
    let errors = Some(errors).filter(|errors| !errors.is_empty());
    items(&attributes, checks, &[root.import(), facts, errors])
}

/// Returns the constants, inside one more constant if they need imports or facts.
fn items(
    attributes: &TokenStream,
    checks: Vec<TokenStream>,
    needed: &[Option<TokenStream>],
) -> TokenStream {
    if needed.iter().all(Option::is_none) {
        return quote!(#(#attributes #checks)*);
    }
    let needed = needed.iter().flatten();
    quote! {
        #attributes
        const _: () = {
            #(#needed)*
            #(#checks)*
        };
    }
}

fn subjects(input: &Item, instances: &[Instance]) -> Vec<Subject> {
    match instances {
        [] => vec![subject(input, None)],
        some => some
            .iter()
            .map(|instance| subject(input, Some(instance)))
            .collect(),
    }
}

fn subject(input: &Item, instance: Option<&Instance>) -> Subject {
    let mut tokens = Vec::new();
    let mut texts = Vec::new();
    for parameter in &input.parameters {
        let arguments = instance
            .map(|instance| instance.arguments.as_slice())
            .unwrap_or_default();
        let given = arguments
            .iter()
            .find(|argument| argument.parameter == parameter.name);
        match (given, parameter.kind) {
            (Some(argument), _) => {
                tokens.push(argument.value.clone());
                texts.push(spell::spell(&argument.value));
            }
            (None, ParameterKind::Lifetime) => tokens.push(quote!('_)),
            (None, _) => {}
        }
    }
    let name = type_name(input);
    let span = instance.map_or(name.span(), |instance| {
        name.span().located_at(instance.span)
    });
    let mut text = unraw(&input.name);
    if !texts.is_empty() {
        text = format!("{text}<{}>", texts.join(", "));
    }
    let ty = match tokens.as_slice() {
        [] => name.to_token_stream(),
        tokens => {
            let mut name = name;
            name.set_span(span);
            quote_spanned!(span=> #name<#(#tokens),*>)
        }
    };
    Subject {
        ty,
        size: None,
        text,
        span,
    }
}

/// Returns the type's name with the span of the derive, which avoids a warning for a
/// `#[deprecated]` type.
fn type_name(input: &Item) -> Ident {
    let mut name = input.name.clone();
    name.set_span(Span::call_site().located_at(name.span()));
    name
}

/// Returns the `allow` attributes of the type, for the expansion, which repeats its fields' types.
fn allowances(input: &Item) -> Vec<TokenStream> {
    let mut attributes: Vec<&Attribute> = input.attributes.iter().collect();
    attributes.extend(of_fields(&input.fields));
    for variant in &input.variants {
        attributes.extend(&variant.attributes);
        attributes.extend(of_fields(&variant.fields));
    }
    let levels = attributes.into_iter().filter_map(|attribute| {
        let lints = attribute.list.as_ref()?.stream();
        let allows = attribute.is("allow") || attribute.is("expect");
        allows.then(|| quote!(#[allow(#lints)]))
    });
    levels.collect()
}

fn of_fields(fields: &[Field]) -> impl Iterator<Item = &Attribute> {
    fields.iter().flat_map(|field| &field.attributes)
}
