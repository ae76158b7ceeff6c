//! The grammar of `#[assert_size(…)]`: its tokens become [`Attr`]s, in the order written.

use std::fmt::Display;

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::{
    DeriveInput, Error, Expr, GenericParam, Ident, Lifetime, Lit, LitInt, Meta, Path, Result,
    Token, Type, UnOp, parenthesized, parse_quote, token,
};

const KEYS: &str = "`max`, `min`, `exact`, `align`, `niche`, `no_padding`, `max_gap`, \
                    `variant(…)`, `for(…)`, `pointer_width`, `cfg(…)`, `crate`";

/// One `#[assert_size(…)]`.
pub struct Attr {
    /// The word `assert_size`, for errors about the attribute as a whole.
    pub span: Span,
    /// `cfg` predicates that must all hold for the assertions to be made.
    pub conditions: Vec<TokenStream>,
    /// Where `weigh_derive` is, when not under its own name.
    pub root: Option<Path>,
    pub instances: Vec<Instance>,
    pub assertions: Vec<Assertion>,
}

/// One `for(…)`: values for the parameters of a generic type, in the order written.
pub struct Instance {
    pub span: Span,
    pub arguments: Vec<Argument>,
}

pub struct Argument {
    /// As [`parameter_name`] gives it.
    pub parameter: String,
    pub value: TokenStream,
}

pub struct Assertion {
    pub key: Key,
    pub name: Ident,
    /// Bytes: none for [`Key::Niche`] and [`Key::NoPadding`], a set for [`Key::Exact`].
    pub values: Vec<Expr>,
    /// First and last token of what an error is to underline.
    pub blame: (Span, Span),
    /// The variant whose size is meant, where it is not the type's own.
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

/// The word that one may stand for which is none: the same beginning, or two letters off.
fn near(wrong: &str) -> Option<&'static str> {
    let mut words = KEYS.split('`').skip(1).step_by(2);
    words.find_map(|word| {
        let word = word.split('(').next().unwrap_or(word);
        let begins = wrong.starts_with(word) || wrong.len() > 2 && word.starts_with(wrong);
        (begins || distance(wrong, word) <= word.len() / 3).then_some(word)
    })
}

/// Levenshtein's distance in bytes.
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

/// Reads the arguments of `assert_size!(Type, …)`.
///
/// # Errors
/// The first token that the grammar has no place for, or a key that needs the type's definition.
pub fn parse_call(tokens: ParseStream) -> Result<(Type, Attr)> {
    if tokens.is_empty() {
        let text = "a type and its size are missing: `assert_size!(Type, max = 64)`";
        return Err(tokens.error(text));
    }
    let ty = tokens.parse::<Type>()?;
    if tokens.parse::<Token![,]>().is_err() {
        let text = "the size follows the type: `assert_size!(Type, max = 64)`";
        return Err(Error::new_spanned(ty, text));
    }
    let attr = parse_attr(
        tokens,
        Span::call_site(),
        &parse_quote!(
            struct Foreign;
        ),
    )?;
    for assertion in &attr.assertions {
        let whole = matches!(assertion.key, Key::NoPadding | Key::MaxGap);
        if whole || assertion.variant.is_some() {
            let text = "this needs the definition of the type: only `#[derive(AssertSize)]` has it";
            return Err(Error::new(assertion.name.span(), text));
        }
    }
    Ok((ty, attr))
}

/// Reads every `#[assert_size(…)]` on the type itself.
///
/// # Errors
/// The first token that the grammar has no place for, or a `for` parameter that the type lacks.
pub fn parse(input: &DeriveInput) -> Result<Vec<Attr>> {
    let own = input.attrs.iter();
    own.filter(|attr| attr.path().is_ident("assert_size"))
        .map(|attr| match &attr.meta {
            Meta::List(list) => {
                let span = list
                    .path
                    .get_ident()
                    .map_or_else(Span::call_site, Ident::span);
                list.parse_args_with(|tokens: ParseStream| parse_attr(tokens, span, input))
            }
            meta => {
                let text = "arguments stand in parentheses: `#[assert_size(max = 64)]`";
                Err(Error::new_spanned(meta, text))
            }
        })
        .collect()
}

fn parse_attr(tokens: ParseStream, span: Span, input: &DeriveInput) -> Result<Attr> {
    let mut attr = Attr {
        span,
        conditions: Vec::new(),
        root: None,
        instances: Vec::new(),
        assertions: Vec::new(),
    };
    let mut seen = Vec::new();
    while !tokens.is_empty() {
        if let Ok(number) = tokens.fork().parse::<LitInt>() {
            let text = format!("write `max = {number}` or `exact = {number}`");
            return Err(Error::new(number.span(), text));
        }
        let name = tokens.call(Ident::parse_any)?;
        let word = name.to_string();
        match word.as_str() {
            "for" => {
                let instance = parse_instance(tokens, name.span(), input)?;
                attr.instances.push(instance);
            }
            "variant" => parse_variant(tokens, &mut attr.assertions)?,
            "crate" => {
                parse_equals(tokens, &name, "size_checks")?;
                attr.root = Some(tokens.call(Path::parse_mod_style)?);
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
        if !tokens.is_empty() {
            tokens.parse::<Token![,]>()?;
        }
    }
    if attr.assertions.is_empty() {
        let text = "this states nothing of the size: add `max = …`, `exact = …`, `niche`, …";
        return Err(Error::new(span, text));
    }
    Ok(attr)
}

/// An error for a key that has been given before.
pub fn twice(span: Span, name: impl Display) -> Error {
    Error::new(span, format!("`{name}` is stated twice for the same case"))
}

fn parse_assertion(tokens: ParseStream, name: Ident, variant: Option<&Ident>) -> Result<Assertion> {
    let key = Key::from_word(&name.to_string()).ok_or_else(|| {
        let text = match near(&name.to_string()) {
            Some(word) => format!("there is no key `{name}`; did you mean `{word}`?"),
            None => format!("there is no key `{name}` among {KEYS}"),
        };
        Error::new(name.span(), text)
    })?;
    let mut values = Vec::new();
    let mut blame = (name.span(), name.span());
    if matches!(key, Key::Niche | Key::NoPadding) {
        if tokens.peek(Token![=]) || tokens.peek(token::Paren) {
            return Err(tokens.error(format!("`{name}` takes no value")));
        }
    } else {
        parse_equals(tokens, &name, "64")?;
        let value = tokens.parse::<Expr>()?;
        blame = ends(&value, name.span());
        match bare(value) {
            Expr::Array(set) if key == Key::Exact => {
                if set.elems.is_empty() {
                    return Err(Error::new_spanned(set, "no size is in this set"));
                }
                values.extend(set.elems);
            }
            value => values.push(value),
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

fn parse_equals(tokens: ParseStream, name: &Ident, example: &str) -> Result<()> {
    if tokens.peek(Token![=]) && !tokens.peek(Token![==]) {
        tokens.parse::<Token![=]>()?;
        return Ok(());
    }
    let text = format!("`{name}` needs a value: `{name} = {example}`");
    Err(Error::new(name.span(), text))
}

/// Refuses literals that cannot be a number of bytes; rustc judges all other expressions.
fn check_bytes(value: &Expr) -> Result<()> {
    let text = match value {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Int(number) if matches!(number.suffix(), "" | "usize") => return Ok(()),
            Lit::Int(_) => "bytes are counted in `usize`",
            _ => "expected a number of bytes: an integer or a constant expression",
        },
        Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)) => "bytes are never negative",
        Expr::Array(_) => "one number of bytes stands here; only `exact` takes a set",
        Expr::Group(group) => return check_bytes(&group.expr),
        _ => return Ok(()),
    };
    Err(Error::new_spanned(value, text))
}

/// Takes off the invisible group that a `macro_rules` fragment arrives in.
fn bare(value: Expr) -> Expr {
    match value {
        Expr::Group(group) => bare(*group.expr),
        value => value,
    }
}

/// The first and the last token's span, as stable Rust cannot join them.
fn ends(value: &Expr, otherwise: Span) -> (Span, Span) {
    let mut spans = value
        .to_token_stream()
        .into_iter()
        .map(|token| token.span());
    let first = spans.next().unwrap_or(otherwise);
    (first, spans.last().unwrap_or(first))
}

fn parse_variant(tokens: ParseStream, assertions: &mut Vec<Assertion>) -> Result<()> {
    let content;
    parenthesized!(content in tokens);
    let variant = content.call(Ident::parse_any)?;
    let start = assertions.len();
    while !content.is_empty() {
        content.parse::<Token![,]>()?;
        if content.is_empty() {
            break;
        }
        let assertion = parse_assertion(&content, content.call(Ident::parse_any)?, Some(&variant))?;
        if !matches!(assertion.key, Key::Max | Key::Min | Key::Exact) {
            let text = "of a variant only `max`, `min` and `exact` can be stated";
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
        let text = format!("nothing is stated of `{variant}`: `variant({variant}, max = 64)`");
        return Err(Error::new(variant.span(), text));
    }
    Ok(())
}

/// Whether both state the same key of the same thing.
pub fn same_subject(one: &Assertion, other: &Assertion) -> bool {
    one.key == other.key && one.variant == other.variant
}

fn parse_cfg(tokens: ParseStream, name: &Ident) -> Result<TokenStream> {
    let content;
    parenthesized!(content in tokens);
    if content.is_empty() {
        let text = "`cfg` needs a condition: `cfg(feature = \"small\")`";
        return Err(Error::new(name.span(), text));
    }
    content.parse()
}

fn parse_pointer_width(tokens: ParseStream, name: &Ident) -> Result<TokenStream> {
    parse_equals(tokens, name, "64")?;
    let bits = tokens.parse::<LitInt>()?;
    if !matches!(bits.to_string().as_str(), "16" | "32" | "64") {
        return Err(Error::new(bits.span(), "a pointer has 16, 32 or 64 bits"));
    }
    let bits = bits.to_string();
    Ok(quote!(target_pointer_width = #bits))
}

fn parse_instance(tokens: ParseStream, span: Span, input: &DeriveInput) -> Result<Instance> {
    let content;
    parenthesized!(content in tokens);
    let mut arguments: Vec<Argument> = Vec::new();
    while !content.is_empty() {
        let span = content.span();
        let parameter = if content.peek(Lifetime) {
            content.parse::<Lifetime>()?.to_string()
        } else {
            content.call(Ident::parse_any)?.to_string()
        };
        if arguments.iter().any(|other| other.parameter == parameter) {
            return Err(twice(span, parameter));
        }
        let mut parameters = input.generics.params.iter();
        let known = parameters.find(|known| parameter_name(known) == parameter);
        let known = known.ok_or_else(|| unknown_parameter(input, span, &parameter))?;
        content.parse::<Token![=]>()?;
        let value = match known {
            GenericParam::Lifetime(_) => content.parse::<Lifetime>()?.to_token_stream(),
            GenericParam::Type(_) => content.parse::<Type>()?.to_token_stream(),
            GenericParam::Const(_) => const_argument(&bare(content.parse()?)),
        };
        arguments.push(Argument { parameter, value });
        if !content.is_empty() {
            content.parse::<Token![,]>()?;
        }
    }
    Ok(Instance { span, arguments })
}

/// The name of a parameter; a lifetime's with its apostrophe.
pub fn parameter_name(parameter: &GenericParam) -> String {
    match parameter {
        GenericParam::Lifetime(lifetime) => lifetime.lifetime.to_string(),
        GenericParam::Type(ty) => ty.ident.to_string(),
        GenericParam::Const(constant) => constant.ident.to_string(),
    }
}

fn unknown_parameter(input: &DeriveInput, span: Span, name: &str) -> Error {
    let names = input.generics.params.iter().map(parameter_name);
    let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
    let of = match names.as_slice() {
        [] => "has no parameters".to_owned(),
        names => format!("has {}", names.join(", ")),
    };
    let text = format!(
        "`{name}` is no parameter of `{}`, which {of}",
        input.ident.unraw()
    );
    Error::new(span, text)
}

/// Anything but a literal needs braces to stand between angle brackets.
fn const_argument(value: &Expr) -> TokenStream {
    match value {
        Expr::Lit(_) | Expr::Block(_) => value.to_token_stream(),
        _ => quote!({ #value }),
    }
}
