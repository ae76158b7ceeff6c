//! Checks that assertions match their type, before the expansion.

use proc_macro2::{Span, TokenStream, TokenTree};

use crate::attr::{Argument, Assertion, Attr, Instance, Key, near, same_subject, twice};
use crate::item::{Attribute, Field, Item, Kind, Parameter, ParameterKind};
use crate::read::{Error, Result, brackets, ends, single, unraw};

/// Checks every attribute against the type.
///
/// A variant that a `cfg` removed looks like one that never existed, so an unknown variant in an
/// assertion with a condition is not an error here: see [`missing_variant`].
///
/// # Errors
/// The first misuse.
pub fn validate(input: &Item, attrs: &[Attr]) -> Result<()> {
    misplaced(input)?;
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
            match missing_variant(input, assertion) {
                Some(error) if attr.conditions.is_empty() => return Err(error),
                _ => {}
            }
            once(attr, assertion, &attrs[..at])?;
        }
    }
    Ok(())
}

/// Returns the error for an assertion about a missing variant.
pub fn missing_variant(input: &Item, assertion: &Assertion) -> Option<Error> {
    let name = assertion.variant.as_ref()?;
    let is_there = input.variants.iter().any(|variant| variant.name == *name);
    if is_there || input.kind != Kind::Enum {
        return None;
    }
    let wrong = unraw(name);
    let mut text = format!("`{}` has no variant `{wrong}`", unraw(&input.name));
    let names: Vec<String> = input.variants.iter().map(|one| unraw(&one.name)).collect();
    if let Some(variant) = near(&wrong, names.iter().map(String::as_str)) {
        text.push_str(&format!("; did you mean `{variant}`?"));
    }
    Some(Error::new(name.span(), text))
}

/// Rejects attributes inside the type: rustc accepts a derive's attribute there, but it has no
/// effect.
fn misplaced(input: &Item) -> Result<()> {
    let refuse = |attributes: &[Attribute], text| {
        let mut attributes = attributes.iter();
        match attributes.find(|attribute| attribute.is("assert_size")) {
            Some(attribute) => Err(Error::at(&attribute.tokens, text)),
            None => Ok(()),
        }
    };
    let refuse_fields = |fields: &[Field]| {
        let text = "this belongs above the field's own type, or above the type that holds it";
        let mut fields = fields.iter();
        fields.try_for_each(|field| refuse(&field.attributes, text))
    };
    refuse_fields(&input.fields)?;
    input.variants.iter().try_for_each(|variant| {
        let text = "this belongs above the enum: `#[assert_size(variant(Name, max = 64))]`";
        refuse(&variant.attributes, text)?;
        refuse_fields(&variant.fields)
    })
}

/// Rejects types that are visibly unsized; rustc reports the others at the type's name.
fn sized(input: &Item) -> Result<()> {
    let last = match (input.kind, input.fields.last()) {
        (Kind::Struct, Some(field)) => &field.ty,
        _ => return Ok(()),
    };
    let is_unsized = match single(last) {
        Some(TokenTree::Ident(word)) => word == "str",
        Some(_) => brackets(last).is_some(),
        None => {
            let first = last.clone().into_iter().next();
            matches!(first, Some(TokenTree::Ident(word)) if word == "dyn")
        }
    };
    match is_unsized {
        true => Err(unsized_type(input, last)),
        false => Ok(()),
    }
}

fn unsized_type(input: &Item, last: &TokenStream) -> Error {
    let name = unraw(&input.name);
    let text = format!("`{name}` has no size at compile time: its last field is unsized");
    Error::new(ends(last, Span::call_site()).0, text)
}

/// Requires a value in every `for` for each parameter without a default.
fn instances(input: &Item, attr: &Attr) -> Result<()> {
    let name = unraw(&input.name);
    let parameters = input.parameters.iter();
    let needed: Vec<&str> = parameters.filter_map(without_default).collect();
    if let ([], Some(first)) = (attr.instances.as_slice(), needed.first()) {
        let values: Vec<String> = needed.iter().map(|name| format!("{name} = …")).collect();
        let text = format!(
            "the size of `{name}` depends on `{first}`: name an instance with `for({})`",
            values.join(", ")
        );
        return Err(Error::new(attr.span, text));
    }
    for instance in &attr.instances {
        if input.parameters.is_empty() {
            let text = format!("`{name}` has no parameters");
            return Err(Error::new(instance.span, text));
        }
        complete(input, instance)?;
    }
    Ok(())
}

/// Rejects a default before a given value: arguments are positional.
fn complete(input: &Item, instance: &Instance) -> Result<()> {
    let mut defaulted = None;
    for parameter in &input.parameters {
        let name = &parameter.name;
        let given = instance
            .arguments
            .iter()
            .any(|argument| argument.parameter == *name);
        let missing = match parameter.kind {
            ParameterKind::Lifetime => None,
            _ if given => defaulted.take(),
            _ if without_default(parameter).is_some() => Some(name),
            _ => {
                defaulted = defaulted.or(Some(name));
                None
            }
        };
        if let Some(missing) = missing {
            let text = format!("`for` needs a value for `{missing}`");
            return Err(Error::new(instance.span, text));
        }
    }
    Ok(())
}

fn without_default(parameter: &Parameter) -> Option<&str> {
    let needs_value = parameter.kind != ParameterKind::Lifetime && !parameter.has_default;
    needs_value.then_some(&parameter.name)
}

/// Rejects keys for structs on enums, and the reverse.
fn kind(input: &Item, assertion: &Assertion) -> Result<()> {
    let is_enum = input.kind == Kind::Enum;
    let (span, text) = match (&assertion.variant, assertion.key) {
        (Some(variant), _) if !is_enum => (variant.span(), "only an enum has variants"),
        (None, Key::MaxGap) if !is_enum => (assertion.name.span(), "only an enum has variants"),
        (None, Key::NoPadding) if input.kind != Kind::Struct => {
            let text = "`no_padding` is for structs";
            (assertion.name.span(), text)
        }
        _ => return Ok(()),
    };
    Err(Error::new(span, text))
}

/// Rejects a repeated key, except for other instances or under other conditions.
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
