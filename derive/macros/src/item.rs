//! Parses the item that has the derive, and its fields; rustc has checked its syntax already.

use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};
use quote::ToTokens;

use crate::read::{Part, Result, Tokens, bare};

/// A struct, enum or union.
pub struct Item {
    pub attributes: Vec<Attribute>,
    pub kind: Kind,
    pub name: Ident,
    pub parameters: Vec<Parameter>,
    /// The clauses after `where`.
    pub clauses: TokenStream,
    /// Fields of a struct or union.
    pub fields: Vec<Field>,
    pub variants: Vec<Variant>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Struct,
    Enum,
    Union,
}

pub struct Attribute {
    /// All tokens, including `#` and the brackets.
    pub tokens: TokenStream,
    /// The path, if that is one word.
    pub name: Option<Ident>,
    /// The delimited tokens after the path.
    pub list: Option<Group>,
}

impl Attribute {
    /// Returns the content of its brackets.
    pub fn content(&self) -> TokenStream {
        let group = self.tokens.clone().into_iter().nth(1);
        match group {
            Some(TokenTree::Group(group)) => bare(group.stream()),
            _ => TokenStream::new(),
        }
    }

    pub fn is(&self, name: &str) -> bool {
        self.name.as_ref().is_some_and(|own| own == name)
    }
}

/// A parameter of a generic type.
pub struct Parameter {
    pub kind: ParameterKind,
    /// The name; a lifetime with its apostrophe.
    pub name: String,
    /// The argument for it in a use of the type.
    pub argument: TokenStream,
    /// The declaration without its default.
    pub declared: TokenStream,
    pub has_default: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum ParameterKind {
    Lifetime,
    Type,
    Const,
}

pub struct Field {
    pub attributes: Vec<Attribute>,
    pub ty: TokenStream,
}

pub struct Variant {
    pub attributes: Vec<Attribute>,
    pub name: Ident,
    pub fields: Vec<Field>,
}

impl Item {
    /// Creates a type of which only the name is known.
    pub fn foreign() -> Item {
        Item {
            attributes: Vec::new(),
            kind: Kind::Struct,
            name: Ident::new("Foreign", Span::call_site()),
            parameters: Vec::new(),
            clauses: TokenStream::new(),
            fields: Vec::new(),
            variants: Vec::new(),
        }
    }

    /// Parses an item.
    ///
    /// # Errors
    /// The tokens are not an item, which rustc has reported already.
    pub fn read(tokens: TokenStream) -> Result<Item> {
        let mut tokens = Tokens::new(bare(tokens), Span::call_site());
        let attributes = attributes(&mut tokens);
        visibility(&mut tokens);
        let mut keyword = tokens.ident()?;
        // Another kind of item has no such keyword, and ends in an error.
        while !["struct", "enum", "union"]
            .iter()
            .any(|word| keyword == word)
        {
            keyword = tokens.ident()?;
        }
        let kind = match keyword.to_string().as_str() {
            "struct" => Kind::Struct,
            "enum" => Kind::Enum,
            _ => Kind::Union,
        };
        let name = tokens.ident()?;
        let parameters = parameters(&mut tokens)?;
        let mut body = tokens.group(Delimiter::Parenthesis);
        let mut rest: Vec<TokenTree> = tokens.collect();
        let last = rest.pop();
        if let (None, Some(TokenTree::Group(group))) = (&body, last) {
            body = Some(group);
        }
        // Otherwise the last token is a semicolon.
        let clauses = rest.into_iter().skip(1).collect();
        let (mut own, mut variants) = (Vec::new(), Vec::new());
        match &body {
            Some(body) if kind == Kind::Enum => variants = self::variants(body)?,
            Some(body) => own = fields(body)?,
            None => {}
        }
        Ok(Item {
            attributes,
            kind,
            name,
            parameters,
            clauses,
            fields: own,
            variants,
        })
    }

    pub fn type_parameters(&self) -> impl Iterator<Item = &Parameter> {
        let mut all = self.parameters.iter();
        std::iter::from_fn(move || all.find(|one| one.kind == ParameterKind::Type))
    }
}

fn attributes(tokens: &mut Tokens) -> Vec<Attribute> {
    let mut all = Vec::new();
    while tokens.sees('#') {
        let sign = tokens.next();
        let Some(group) = tokens.group(Delimiter::Bracket) else {
            break;
        };
        let mut content = Tokens::new(bare(group.stream()), group.span_close());
        let word = content.ident().ok();
        let next = content.next();
        let goes_on = matches!(&next, Some(TokenTree::Punct(punct)) if punct.as_char() == ':');
        let both = sign.into_iter().chain([TokenTree::Group(group)]);
        all.push(Attribute {
            tokens: both.collect(),
            name: word.filter(|_| !goes_on),
            list: match next {
                Some(TokenTree::Group(list)) => Some(list),
                _ => None,
            },
        });
    }
    all
}

/// Skips `pub`, `pub(…)`, or a fragment that is either or empty.
fn visibility(tokens: &mut Tokens) {
    let is_fragment = |group: &&Group| group.delimiter() == Delimiter::None;
    let group = match tokens.peek() {
        Some(TokenTree::Group(group)) => Some(group),
        _ => None,
    };
    if let Some(group) = group.filter(is_fragment) {
        let inner = Tokens::within(group);
        if inner.is_empty() || inner.sees_word("pub") {
            tokens.next();
        }
        return;
    }
    if tokens.sees_word("pub") {
        tokens.next();
        let restricts = |group: &Group| {
            let inner = Tokens::within(group);
            let words = ["crate", "self", "super", "in"];
            words.iter().any(|word| inner.sees_word(word))
        };
        let mut ahead = tokens.clone();
        if ahead
            .group(Delimiter::Parenthesis)
            .is_some_and(|g| restricts(&g))
        {
            *tokens = ahead;
        }
    }
}

fn parameters(tokens: &mut Tokens) -> Result<Vec<Parameter>> {
    let mut all = Vec::new();
    if !tokens.eat('<') {
        return Ok(all);
    }
    // The list ends at the `>` without a `<` of its own.
    let mut list = Tokens::new(tokens.until(Part::Type, '>')?, tokens.span());
    tokens.eat('>');
    while !list.is_empty() {
        let span = list.span();
        all.push(parameter(Tokens::new(list.part(Part::Type)?, span))?);
        list.separator()?;
    }
    Ok(all)
}

fn parameter(mut tokens: Tokens) -> Result<Parameter> {
    let mut declared = TokenStream::new();
    declared.extend(attributes(&mut tokens).into_iter().map(|one| one.tokens));
    let mut kind = ParameterKind::Type;
    let argument = match tokens.lifetime() {
        Some(lifetime) => {
            kind = ParameterKind::Lifetime;
            lifetime
        }
        None => {
            let mut word = tokens.ident()?;
            if word == "const" {
                kind = ParameterKind::Const;
                declared.extend(word.into_token_stream());
                word = tokens.ident()?;
            }
            word.into_token_stream()
        }
    };
    declared.extend(argument.clone());
    declared.extend(tokens.until(Part::Type, '=')?);
    Ok(Parameter {
        kind,
        name: argument.to_string().replace(' ', ""),
        argument,
        declared,
        has_default: !tokens.is_empty(),
    })
}

fn fields(body: &Group) -> Result<Vec<Field>> {
    let is_named = body.delimiter() == Delimiter::Brace;
    let mut tokens = Tokens::within(body);
    let mut all = Vec::new();
    while !tokens.is_empty() {
        let attributes = attributes(&mut tokens);
        visibility(&mut tokens);
        if is_named {
            tokens.ident()?;
            tokens.eat(':');
        }
        let ty = tokens.part(Part::Type)?;
        tokens.separator()?;
        all.push(Field { attributes, ty });
    }
    Ok(all)
}

fn variants(body: &Group) -> Result<Vec<Variant>> {
    let mut tokens = Tokens::within(body);
    let mut all = Vec::new();
    while !tokens.is_empty() {
        let attributes = attributes(&mut tokens);
        visibility(&mut tokens);
        let name = tokens.ident()?;
        let group = tokens.group(Delimiter::Parenthesis);
        let group = group.or_else(|| tokens.group(Delimiter::Brace));
        let fields = group.as_ref().map(fields).transpose()?.unwrap_or_default();
        // A discriminant.
        tokens.part(Part::Expression)?;
        tokens.separator()?;
        all.push(Variant {
            attributes,
            name,
            fields,
        });
    }
    Ok(all)
}

/// Returns true if `?Sized` or a similar bound is among these bounds.
pub fn has_maybe(tokens: &TokenStream) -> bool {
    tokens
        .clone()
        .into_iter()
        .any(|token| matches!(token, TokenTree::Punct(punct) if punct.as_char() == '?'))
}
