//! The grammar of `#[assert_size(…)]`: parses its tokens to [`Attr`]s, in source order.

use std::fmt::Display;

use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};
use quote::{quote, quote_spanned};

use crate::item::{Item, Parameter, ParameterKind};
use crate::read::{
    Error, Part, Result, Tokens, bare, brackets, ends, single, suffix_of_integer, unraw,
};

const KEYS: &str = "`max`, `min`, `exact`, `align`, `niche`, `no_padding`, `max_gap`, \
                    `variant(…)`, `for(…)`, `pointer_width`, `cfg(…)`, `crate`";

/// One `#[assert_size(…)]`.
pub struct Attr {
    /// Span of the word `assert_size`, for errors about the attribute as a whole.
    pub span: Span,
    /// `cfg` predicates that must all hold for the assertions to apply.
    pub conditions: Vec<TokenStream>,
    /// Path of `weigh_derive`, if it has another name.
    pub root: Option<TokenStream>,
    pub instances: Vec<Instance>,
    pub assertions: Vec<Assertion>,
}

/// One `for(…)`: values for the parameters of a generic type, in source order.
pub struct Instance {
    pub span: Span,
    pub arguments: Vec<Argument>,
}

pub struct Argument {
    /// Name of the parameter; a lifetime with its apostrophe.
    pub parameter: String,
    pub value: TokenStream,
}

pub struct Assertion {
    pub key: Key,
    pub name: Ident,
    /// Bytes: none for [`Key::Niche`] and [`Key::NoPadding`], one or more for [`Key::Exact`].
    pub values: Vec<TokenStream>,
    /// Span of the first and the last token that an error underlines.
    pub blame: (Span, Span),
    /// The variant whose size is asserted, if not that of the type.
    pub variant: Option<Ident>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Key {
    Max,
    Min,
    Exact,
    Align,
    Niche,
    NoPadding,
    MaxGap,
}

impl Key {
    fn from_word(word: &str) -> Option<Key> {
        Some(match word {
            "max" => Key::Max,
            "min" => Key::Min,
            "exact" => Key::Exact,
            "align" => Key::Align,
            "niche" => Key::Niche,
            "no_padding" => Key::NoPadding,
            "max_gap" => Key::MaxGap,
            _ => return None,
        })
    }
}

/// Returns the key that a wrong one may mean.
fn near_key(wrong: &str) -> Option<&'static str> {
    let words = KEYS.split('`').skip(1).step_by(2);
    near(
        wrong,
        words.map(|word| word.split('(').next().unwrap_or(word)),
    )
}

/// Returns the word that a wrong one may mean: it has the same beginning, or few other letters.
pub fn near<'w>(wrong: &str, mut words: impl Iterator<Item = &'w str>) -> Option<&'w str> {
    words.find(|word| {
        let begins = wrong.starts_with(word) || wrong.len() > 2 && word.starts_with(wrong);
        begins || distance(wrong, word) <= word.len() / 3
    })
}

/// Returns the Levenshtein distance in bytes.
fn distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.bytes().enumerate() {
        let mut corner = std::mem::replace(&mut row[0], i + 1);
        for (j, to) in b.bytes().enumerate() {
            let change = corner + usize::from(from != to);
            corner = row[j + 1];
            row[j + 1] = change.min(corner + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

/// Parses the arguments of `assert_size!(Type, …)`.
///
/// # Errors
/// The first token that does not match the grammar, or a key that needs the type's definition.
pub fn parse_call(tokens: TokenStream) -> Result<(TokenStream, Attr)> {
    let mut tokens = Tokens::new(tokens, Span::call_site());
    if tokens.is_empty() {
        let text = "unexpected end of input, a type and its size are missing: \
                    `assert_size!(Type, max = 64)`";
        return Err(tokens.error(text));
    }
    let ty = tokens.part(Part::Type)?;
    if !tokens.eat(',') {
        let text = "the size follows the type: `assert_size!(Type, max = 64)`";
        return Err(Error::at(&ty, text));
    }
    let attr = parse_attr(&mut tokens, Span::call_site(), &Item::foreign())?;
    for assertion in &attr.assertions {
        let whole = matches!(assertion.key, Key::NoPadding | Key::MaxGap);
        if whole || assertion.variant.is_some() {
            let text = "this needs the definition of the type: use `#[derive(AssertSize)]`";
            return Err(Error::new(assertion.name.span(), text));
        }
    }
    Ok((ty, attr))
}

/// Parses the arguments of `assert_future_size!(path(…), …)`.
///
/// # Errors
/// The first token that does not match the grammar, or a key that is not about a size.
pub fn parse_future(tokens: TokenStream) -> Result<(TokenStream, Attr)> {
    let mut tokens = Tokens::new(tokens, Span::call_site());
    let example = "`assert_future_size!(server::handle(_), max = 4096)`";
    if tokens.is_empty() {
        let text = format!("a call that returns a future and its size are missing: {example}");
        return Err(tokens.error(text));
    }
    let call = tokens.part(Part::Expression)?;
    let mut path: Vec<TokenTree> = call.clone().into_iter().collect();
    let arguments = match path.pop() {
        Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Parenthesis => group,
        _ => {
            let text = format!("a call stands here, with `_` for each argument: {example}");
            return Err(Error::at(&call, text));
        }
    };
    if !tokens.eat(',') {
        let text = format!("the size follows the call: {example}");
        return Err(Error::at(&call, text));
    }
    let attr = parse_attr(&mut tokens, Span::call_site(), &Item::foreign())?;
    for assertion in &attr.assertions {
        let is_size = matches!(assertion.key, Key::Max | Key::Min | Key::Exact);
        if !is_size || assertion.variant.is_some() {
            let text = "of a future only `max`, `min` and `exact` are asserted";
            return Err(Error::new(assertion.name.span(), text));
        }
    }
    let mut list = Tokens::within(&arguments);
    let mut given = TokenStream::new();
    while !list.is_empty() {
        let value = list.part(Part::Expression)?;
        given.extend(match single(&value) {
            Some(TokenTree::Ident(name)) if name == "_" => quote_spanned!(name.span()=> loop {},),
            _ => quote!(#value,),
        });
        list.separator()?;
    }
    let mut group = Group::new(Delimiter::Parenthesis, given);
    group.set_span(arguments.span());
    path.push(group.into());
    Ok((path.into_iter().collect(), attr))
}

/// Parses every `#[assert_size(…)]` on the type itself.
///
/// # Errors
/// The first token that does not match the grammar, or a `for` parameter that the type lacks.
pub fn parse(input: &Item) -> Result<Vec<Attr>> {
    let own = input.attributes.iter().filter(|one| one.is("assert_size"));
    own.map(|attribute| match (&attribute.list, &attribute.name) {
        (Some(list), Some(name)) => parse_attr(&mut Tokens::within(list), name.span(), input),
        _ => {
            let text = "arguments stand in parentheses: `#[assert_size(max = 64)]`";
            Err(Error::at(&attribute.content(), text))
        }
    })
    .collect()
}

fn parse_attr(tokens: &mut Tokens, span: Span, input: &Item) -> Result<Attr> {
    let mut attr = Attr {
        span,
        conditions: Vec::new(),
        root: None,
        instances: Vec::new(),
        assertions: Vec::new(),
    };
    let mut seen = Vec::new();
    while !tokens.is_empty() {
        if let Some(TokenTree::Literal(number)) = tokens.peek() {
            let text = format!("write `max = {number}` or `exact = {number}`");
            return Err(tokens.error(text));
        }
        let name = tokens.ident()?;
        let word = name.to_string();
        match word.as_str() {
            "for" => {
                let instance = parse_instance(tokens, name.span(), input)?;
                attr.instances.push(instance);
            }
            "variant" => parse_variant(tokens, &mut attr.assertions)?,
            "crate" => {
                parse_equals(tokens, &name, "size_checks")?;
                attr.root = Some(parse_path(tokens)?);
            }
            "cfg" => attr.conditions.push(parse_cfg(tokens, &name)?),
            "pointer_width" => attr.conditions.push(parse_pointer_width(tokens, &name)?),
            _ => attr
                .assertions
                .push(parse_assertion(tokens, name.clone(), None)?),
        }
        if !matches!(word.as_str(), "for" | "variant") {
            if seen.contains(&word) {
                return Err(twice(name.span(), name));
            }
            seen.push(word);
        }
        tokens.separator()?;
    }
    if attr.assertions.is_empty() {
        let text = "there is no assertion: add `max = …`, `exact = …`, `niche`, …";
        return Err(Error::new(span, text));
    }
    Ok(attr)
}

/// Creates the error for a key that was given before.
pub fn twice(span: Span, name: impl Display) -> Error {
    Error::new(span, format!("`{name}` is given twice for the same case"))
}

fn parse_assertion(tokens: &mut Tokens, name: Ident, variant: Option<&Ident>) -> Result<Assertion> {
    let key = Key::from_word(&name.to_string()).ok_or_else(|| {
        let text = match near_key(&name.to_string()) {
            Some(word) => format!("there is no key `{name}`; did you mean `{word}`?"),
            None => format!("there is no key `{name}` among {KEYS}"),
        };
        Error::new(name.span(), text)
    })?;
    let mut values = Vec::new();
    let mut blame = (name.span(), name.span());
    if matches!(key, Key::Niche | Key::NoPadding) {
        if !tokens.is_empty() && !tokens.sees(',') {
            return Err(tokens.error(format!("`{name}` takes no value")));
        }
    } else {
        parse_equals(tokens, &name, "64")?;
        let value = parse_expression(tokens)?;
        blame = ends(&value, name.span());
        let value = bare(value);
        match parse_set(&value)? {
            Some(set) if key == Key::Exact => {
                if set.is_empty() {
                    return Err(Error::at(&value, "this list has no size"));
                }
                values.extend(set);
            }
            _ => values.push(value),
        }
        values.iter().try_for_each(check_bytes)?;
    }
    Ok(Assertion {
        key,
        name,
        values,
        blame,
        variant: variant.cloned(),
    })
}

fn parse_expression(tokens: &mut Tokens) -> Result<TokenStream> {
    let value = tokens.part(Part::Expression)?;
    match value.is_empty() {
        true if tokens.is_empty() => {
            Err(tokens.error("unexpected end of input, expected an expression"))
        }
        true => Err(tokens.error("expected an expression")),
        false => Ok(value),
    }
}

/// Parses the elements of an array expression.
fn parse_set(value: &TokenStream) -> Result<Option<Vec<TokenStream>>> {
    let Some(group) = brackets(value) else {
        return Ok(None);
    };
    let (mut tokens, mut list) = (Tokens::within(&group), Vec::new());
    while !tokens.is_empty() {
        list.push(parse_expression(&mut tokens)?);
        tokens.separator()?;
    }
    Ok(Some(list))
}

fn parse_path(tokens: &mut Tokens) -> Result<TokenStream> {
    let path = bare(tokens.part(Part::Type)?);
    let in_path = |token: &TokenTree| match token {
        TokenTree::Ident(_) => true,
        TokenTree::Punct(punct) => punct.as_char() == ':',
        _ => false,
    };
    match path.clone().into_iter().find(|token| !in_path(token)) {
        Some(other) => Err(Error::new(other.span(), "expected a path")),
        None if path.is_empty() => Err(tokens.error("expected a path")),
        None => Ok(path),
    }
}

fn parse_equals(tokens: &mut Tokens, name: &Ident, example: &str) -> Result<()> {
    if tokens.eat('=') {
        return Ok(());
    }
    let text = format!("`{name}` needs a value: `{name} = {example}`");
    Err(Error::new(name.span(), text))
}

/// Rejects literals that cannot be a number of bytes; rustc checks all other expressions.
fn check_bytes(value: &TokenStream) -> Result<()> {
    let value = bare(value.clone());
    let mut tokens = value.clone().into_iter();
    let text = match (tokens.next(), tokens.next(), tokens.next()) {
        (Some(TokenTree::Literal(literal)), None, _) => {
            match suffix_of_integer(&literal.to_string()) {
                Some("" | "usize") => return Ok(()),
                Some(_) => "a number of bytes is a `usize`",
                None => NO_BYTES,
            }
        }
        _ if is_literal(&value) => NO_BYTES,
        (Some(TokenTree::Punct(punct)), Some(_), None) if punct.as_char() == '-' => {
            "a number of bytes cannot be negative"
        }
        _ if brackets(&value).is_some() => {
            "expected one number of bytes; only `exact` takes a list"
        }
        _ => return Ok(()),
    };
    Err(Error::at(&value, text))
}

const NO_BYTES: &str = "expected a number of bytes: an integer or a constant expression";

fn parse_variant(tokens: &mut Tokens, assertions: &mut Vec<Assertion>) -> Result<()> {
    let mut content = tokens.parentheses()?;
    let variant = content.ident()?;
    let start = assertions.len();
    while !content.is_empty() {
        content.separator()?;
        if content.is_empty() {
            break;
        }
        let name = content.ident()?;
        let assertion = parse_assertion(&mut content, name, Some(&variant))?;
        if !matches!(assertion.key, Key::Max | Key::Min | Key::Exact) {
            let text = "a variant takes only `max`, `min` and `exact`";
            return Err(Error::new(assertion.name.span(), text));
        }
        if assertions
            .iter()
            .any(|other| same_subject(other, &assertion))
        {
            return Err(twice(assertion.name.span(), assertion.name));
        }
        assertions.push(assertion);
    }
    if assertions.len() == start {
        let text =
            format!("there is no assertion for `{variant}`: write `variant({variant}, max = 64)`");
        return Err(Error::new(variant.span(), text));
    }
    Ok(())
}

/// Returns true if both have the same key for the same type or variant.
pub fn same_subject(one: &Assertion, other: &Assertion) -> bool {
    one.key == other.key && one.variant == other.variant
}

fn parse_cfg(tokens: &mut Tokens, name: &Ident) -> Result<TokenStream> {
    let mut content = tokens.parentheses()?;
    if content.is_empty() {
        let text = "`cfg` needs a condition: `cfg(feature = \"small\")`";
        return Err(Error::new(name.span(), text));
    }
    Ok(content.rest())
}

fn parse_pointer_width(tokens: &mut Tokens, name: &Ident) -> Result<TokenStream> {
    parse_equals(tokens, name, "64")?;
    let value = parse_expression(tokens)?;
    let bits = bare(value.clone()).to_string();
    if !matches!(bits.as_str(), "16" | "32" | "64") {
        return Err(Error::at(&value, "expected 16, 32 or 64 bits"));
    }
    Ok(quote!(target_pointer_width = #bits))
}

fn parse_instance(tokens: &mut Tokens, span: Span, input: &Item) -> Result<Instance> {
    let mut content = tokens.parentheses()?;
    let mut arguments: Vec<Argument> = Vec::new();
    while !content.is_empty() {
        let span = content.span();
        let parameter = match content.lifetime() {
            Some(lifetime) => lifetime.to_string().replace(' ', ""),
            None => content.ident()?.to_string(),
        };
        if arguments.iter().any(|other| other.parameter == parameter) {
            return Err(twice(span, parameter));
        }
        let known = input.parameters.iter().find(|one| one.name == parameter);
        let known = known.ok_or_else(|| unknown_parameter(input, span, &parameter))?;
        if !content.eat('=') {
            return Err(content.error("expected `=`"));
        }
        let value = parse_argument(&mut content, known)?;
        arguments.push(Argument { parameter, value });
        content.separator()?;
    }
    Ok(Instance { span, arguments })
}

fn parse_argument(tokens: &mut Tokens, parameter: &Parameter) -> Result<TokenStream> {
    match parameter.kind {
        ParameterKind::Lifetime => {
            let lifetime = tokens.lifetime();
            lifetime.ok_or_else(|| tokens.error("expected lifetime"))
        }
        ParameterKind::Type => match tokens.peek() {
            None | Some(TokenTree::Literal(_)) => Err(tokens.error(NO_TYPE)),
            Some(_) => tokens.part(Part::Type),
        },
        ParameterKind::Const => Ok(const_argument(bare(parse_expression(tokens)?))),
    }
}

const NO_TYPE: &str = "expected one of: `for`, parentheses, `unsafe`, `fn`, `extern`, identifier, \
                       `::`, `<`, `dyn`, square brackets, `*`, `&`, `!`, `impl`, `_`, lifetime";

fn unknown_parameter(input: &Item, span: Span, name: &str) -> Error {
    let names = input.parameters.iter();
    let names: Vec<String> = names.map(|one| format!("`{}`", one.name)).collect();
    let of = match names.as_slice() {
        [] => "has no parameters".to_owned(),
        names => format!("has {}", names.join(", ")),
    };
    let text = format!(
        "`{name}` is not a parameter of `{}`, which {of}",
        unraw(&input.name)
    );
    Error::new(span, text)
}

/// Encloses anything but a literal in braces, which generic arguments require.
fn const_argument(value: TokenStream) -> TokenStream {
    let stands = match single(&value) {
        Some(TokenTree::Group(group)) => group.delimiter() == Delimiter::Brace,
        _ => is_literal(&value),
    };
    match stands {
        true => value,
        false => quote!({ #value }),
    }
}

/// Returns true for a number, a string, `true` or `false`.
pub fn is_literal(value: &TokenStream) -> bool {
    match single(value) {
        Some(TokenTree::Literal(_)) => true,
        Some(TokenTree::Ident(word)) => word == "true" || word == "false",
        _ => false,
    }
}
