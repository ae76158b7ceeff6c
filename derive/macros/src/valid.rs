//! What an assertion needs of its type: each misuse is found here, before anything is expanded.

use proc_macro2::Span;
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Attribute, Data, DeriveInput, Error, Fields, GenericParam, Ident, Result, Type};

use crate::attr::{Argument, Assertion, Attr, Instance, Key, parameter_name, same_subject, twice};

/// Checks every attribute against the type.
///
/// Variants that a `cfg` took away cannot be told from variants that never were, so an assertion
/// under a condition that names an unknown one is no error here: see [`missing_variant`].
///
/// # Errors
/// The first misuse.
pub fn validate(input: &DeriveInput, attrs: &[Attr]) -> Result<()> {
    misplaced(&input.data)?;
    if attrs.is_empty() {
        let text = "nothing is stated: add `#[assert_size(max = 64)]`, with the bytes that a \
                    value of this type may have, or another assertion";
        return Err(Error::new(Span::call_site(), text));
    }
    sized(input)?;
    for (at, attr) in attrs.iter().enumerate() {
        instances(input, attr)?;
        for assertion in &attr.assertions {
            kind(input, assertion)?;
            if attr.conditions.is_empty()
                && let Some(error) = missing_variant(input, assertion)
            {
                return Err(error);
            }
            once(attr, assertion, &attrs[..at])?;
        }
    }
    Ok(())
}

/// The error for a variant that is stated something of and is not there.
pub fn missing_variant(input: &DeriveInput, assertion: &Assertion) -> Option<Error> {
    let (Data::Enum(data), Some(name)) = (&input.data, &assertion.variant) else {
        return None;
    };
    if data.variants.iter().any(|variant| variant.ident == *name) {
        return None;
    }
    let text = format!(
        "`{}` has no variant `{}`",
        input.ident.unraw(),
        name.unraw()
    );
    Some(Error::new(name.span(), text))
}

/// rustc accepts a derive's attribute everywhere inside the type, where it would do nothing.
fn misplaced(data: &Data) -> Result<()> {
    let refuse = |attrs: &[Attribute], text| {
        let mut attrs = attrs.iter();
        match attrs.find(|attr| attr.path().is_ident("assert_size")) {
            Some(attr) => Err(Error::new_spanned(attr, text)),
            None => Ok(()),
        }
    };
    let refuse_fields = |fields: &Fields| {
        let text = "this belongs above the field's own type, or above the type that holds it";
        fields
            .iter()
            .try_for_each(|field| refuse(&field.attrs, text))
    };
    match data {
        Data::Struct(data) => refuse_fields(&data.fields),
        Data::Enum(data) => data.variants.iter().try_for_each(|variant| {
            let text = "this belongs above the enum: `#[assert_size(variant(Name, max = 64))]`";
            refuse(&variant.attrs, text)?;
            refuse_fields(&variant.fields)
        }),
        Data::Union(data) => refuse_fields(&Fields::Named(data.fields.clone())),
    }
}

/// Finds the unsized types that show it; rustc names the others at the type's name.
fn sized(input: &DeriveInput) -> Result<()> {
    let Data::Struct(data) = &input.data else {
        return Ok(());
    };
    match data.fields.iter().next_back().map(|field| &field.ty) {
        Some(ty @ (Type::Slice(_) | Type::TraitObject(_))) => Err(unsized_type(input, ty)),
        Some(ty @ Type::Path(path)) if path.path.is_ident("str") => Err(unsized_type(input, ty)),
        _ => Ok(()),
    }
}

fn unsized_type(input: &DeriveInput, last: &Type) -> Error {
    let name = input.ident.unraw();
    let text = format!("`{name}` has no size to hold: its last field's is known at run time only");
    Error::new(last.span(), text)
}

/// Every parameter that has no default needs a value in every `for`.
fn instances(input: &DeriveInput, attr: &Attr) -> Result<()> {
    let name = input.ident.unraw();
    let needed: Vec<&Ident> = input
        .generics
        .params
        .iter()
        .filter_map(without_default)
        .collect();
    if let ([], Some(first)) = (attr.instances.as_slice(), needed.first()) {
        let values: Vec<String> = needed.iter().map(|name| format!("{name} = …")).collect();
        let text = format!(
            "`{name}` has no size before `{first}` is known: name an instance with `for({})`",
            values.join(", ")
        );
        return Err(Error::new(attr.span, text));
    }
    for instance in &attr.instances {
        if input.generics.params.is_empty() {
            let text = format!("`{name}` has no parameters to give values to");
            return Err(Error::new(instance.span, text));
        }
        complete(input, instance)?;
    }
    Ok(())
}

/// Values stand by position: a default cannot be left standing before a value.
fn complete(input: &DeriveInput, instance: &Instance) -> Result<()> {
    let mut defaulted = None;
    for parameter in &input.generics.params {
        let name = parameter_name(parameter);
        let given = instance
            .arguments
            .iter()
            .any(|argument| argument.parameter == name);
        let missing = match parameter {
            GenericParam::Lifetime(_) => None,
            _ if given => defaulted.take(),
            _ if without_default(parameter).is_some() => Some(name),
            _ => {
                defaulted = defaulted.or(Some(name));
                None
            }
        };
        if let Some(missing) = missing {
            let text = format!("a value for `{missing}` is missing");
            return Err(Error::new(instance.span, text));
        }
    }
    Ok(())
}

fn without_default(parameter: &GenericParam) -> Option<&Ident> {
    match parameter {
        GenericParam::Type(ty) if ty.default.is_none() => Some(&ty.ident),
        GenericParam::Const(constant) if constant.default.is_none() => Some(&constant.ident),
        _ => None,
    }
}

/// Some keys have a meaning for structs or for enums alone.
fn kind(input: &DeriveInput, assertion: &Assertion) -> Result<()> {
    let is_enum = matches!(input.data, Data::Enum(_));
    let (span, text) = match (&assertion.variant, assertion.key) {
        (Some(variant), _) if !is_enum => (variant.span(), "only an enum has variants"),
        (None, Key::MaxGap) if !is_enum => (assertion.name.span(), "only an enum has variants"),
        (None, Key::NoPadding) if !matches!(input.data, Data::Struct(_)) => {
            let text = "`no_padding` is for structs";
            (assertion.name.span(), text)
        }
        _ => return Ok(()),
    };
    Err(Error::new(span, text))
}

/// The same key may come again only for other instances or under other conditions.
fn once(attr: &Attr, assertion: &Assertion, before: &[Attr]) -> Result<()> {
    let same = |other: &Assertion| same_subject(other, assertion);
    let mut before = before.iter().filter(|other| same_case(other, attr));
    if before.any(|other| other.assertions.iter().any(same)) {
        return Err(twice(assertion.name.span(), &assertion.name));
    }
    Ok(())
}

fn same_case(one: &Attr, other: &Attr) -> bool {
    let conditions = |attr: &Attr| {
        let mut all: Vec<String> = attr.conditions.iter().map(ToString::to_string).collect();
        all.sort();
        all
    };
    let arguments = |instance: &Instance| {
        let pair = |argument: &Argument| format!("{} = {}", argument.parameter, argument.value);
        let mut all: Vec<String> = instance.arguments.iter().map(pair).collect();
        all.sort();
        all
    };
    if conditions(one) != conditions(other) {
        return false;
    }
    let others: Vec<_> = other.instances.iter().map(arguments).collect();
    match one.instances.as_slice() {
        [] => others.is_empty(),
        ones => ones
            .iter()
            .any(|instance| others.contains(&arguments(instance))),
    }
}
