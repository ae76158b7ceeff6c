//! Applies to a definition what a remedy's title proposes.

use crate::strip::{Edit, tokens};
use proc_macro2::{Delimiter, TokenTree};
use std::ops::Range;

/// A change of the fields of a variant or struct.
#[derive(Debug, PartialEq, Eq)]
pub struct Change {
    /// The name of the variant or struct.
    pub variant: String,
    /// The names or indices of the fields; empty for all.
    pub fields: Vec<String>,
    /// The kind of change.
    pub how: How,
}

/// The kind of a change of fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// They move into one box, in place of the first.
    Together,
    /// Each moves into its own box.
    Each,
    /// Each `Vec` becomes a boxed slice.
    Frozen,
    /// They are removed.
    Dropped,
    /// An integer, in an `Option` too, gets a niche.
    Niche,
}

/// Parses the changes that a title proposes; `None` if it changes no fields.
pub fn changes(title: &str) -> Option<Vec<Change>> {
    let between = |start: &str, end: &str| title.strip_prefix(start)?.split_once(end);
    if let Some((fields, _)) = between("remove ", ": ") {
        return listed(fields, How::Dropped);
    }
    if let Some((fields, _)) = between("make ", " boxed slices") {
        return listed(fields, How::Frozen);
    }
    // A box is as small as a `ThinVec`, which is a pointer to its length too.
    if let Some((fields, _)) = between("make ", " `ThinVec` (crate") {
        return listed(fields, How::Each);
    }
    if let Some(fields) = title.strip_prefix("box each of ") {
        return listed(fields, How::Each);
    }
    let mut all = Vec::new();
    for part in title.split("; ") {
        let whole = part.strip_prefix("box the contents of ");
        let fields = match part.strip_prefix("put ") {
            Some(part) => part.strip_suffix(" in one box")?,
            None => whole.unwrap_or(part.strip_prefix("box ")?),
        };
        let every = fields.starts_with("both fields of ") || fields.starts_with("all ");
        if whole.is_some() || every {
            all.push(Change {
                variant: fields.rsplit('`').nth(1)?.to_owned(),
                fields: Vec::new(),
                how: How::Together,
            });
        } else {
            all.extend(listed(fields, How::Together)?);
        }
    }
    Some(all)
}

/// Parses `a` and `b` of `V`, `c` of `W`.
fn listed(text: &str, how: How) -> Option<Vec<Change>> {
    let (mut list, mut fields, mut named) = (Vec::new(), Vec::new(), false);
    for word in text.split([' ', ',']) {
        match word {
            "" | "and" | "fields" => {}
            word if word.contains("::") => {
                let (variant, field) = word.trim_matches('`').split_once("::")?;
                list.push(Change {
                    variant: variant.to_owned(),
                    fields: vec![field.to_owned()],
                    how,
                });
            }
            "of" => named = true,
            word => {
                let word = word.trim_matches('`').to_owned();
                match std::mem::take(&mut named) {
                    true => list.push(Change {
                        variant: word,
                        fields: std::mem::take(&mut fields),
                        how,
                    }),
                    false => fields.push(word),
                }
            }
        }
    }
    (!list.is_empty() && fields.is_empty()).then_some(list)
}

/// Returns the edits that apply these changes to the type of this name in a source file.
///
/// # Panics
/// There is no such type, variant or field.
pub fn edits(text: &str, name: &str, changes: &[Change]) -> Vec<Edit> {
    let all: Vec<_> = tokens(text).into_iter().collect();
    // A macro's input has the name and the variants, but no keyword.
    let table = || Some((true, in_table(&all, name)?));
    let found = definition(&all, name).or_else(table);
    let (is_enum, body) = found.unwrap_or_else(|| panic!("no type `{name}`"));
    let mut edits = Vec::new();
    for change in changes {
        let fields = match is_enum {
            true => variant(&body, &change.variant),
            false => Some(body.clone()),
        };
        let fields = fields.unwrap_or_else(|| panic!("no variant `{}`", change.variant));
        let fields = fields_of(&fields);
        let wanted: Vec<&Field> = match change.fields.is_empty() {
            true => fields.iter().collect(),
            false => {
                let chosen = |w: &String| fields.iter().find(|f| f.name == *w);
                let chosen = change.fields.iter().map(chosen).collect::<Option<_>>();
                chosen.unwrap_or_else(|| panic!("a field is not there: {change:?}"))
            }
        };
        let ty = |f: &Field| text[f.ty.clone()].to_owned();
        match change.how {
            How::Dropped => {
                let gone = wanted.iter().map(|f| (f.whole.clone(), String::new()));
                edits.extend(gone);
            }
            How::Niche => edits.extend(wanted.iter().map(|f| {
                let ty = ty(f);
                let number = ty.trim_start_matches("Option<").trim_end_matches('>');
                let with = format!("core::num::NonZero<{number}>");
                (f.ty.clone(), ty.replace(number, &with))
            })),
            How::Each => {
                let boxed = wanted
                    .iter()
                    .map(|f| (f.ty.clone(), format!("Box<{}>", ty(f))));
                edits.extend(boxed);
            }
            How::Frozen => edits.extend(wanted.iter().map(|f| {
                let vec = ty(f);
                let element = vec.split_once('<').and_then(|v| v.1.strip_suffix('>'));
                let element = element.expect("a `Vec` has an element");
                (f.ty.clone(), format!("Box<[{element}]>"))
            })),
            How::Together => {
                let types: Vec<String> = wanted.iter().map(|f| ty(f)).collect();
                let inside = match &types[..] {
                    [one] => one.clone(),
                    list => format!("({})", list.join(", ")),
                };
                for (n, field) in wanted.iter().enumerate() {
                    edits.push(match n {
                        0 => (field.ty.clone(), format!("Box<{inside}>")),
                        _ => (field.whole.clone(), String::new()),
                    });
                }
            }
        }
    }
    edits
}

/// Returns the body of a struct or enum anywhere in the file, and whether it is an enum.
fn definition(tokens: &[TokenTree], name: &str) -> Option<(bool, TokenTree)> {
    for (i, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Ident(word)
                if (word == "enum" || word == "struct")
                    && matches!(tokens.get(i + 1), Some(TokenTree::Ident(n)) if n == name) =>
            {
                let body = |t: &&TokenTree| match t {
                    TokenTree::Group(g) => g.delimiter() != Delimiter::Bracket,
                    _ => false,
                };
                let body = tokens[i..].iter().find(body)?;
                return Some((word == "enum", body.clone()));
            }
            TokenTree::Group(group) => {
                let inside: Vec<_> = group.stream().into_iter().collect();
                if let Some(found) = definition(&inside, name) {
                    return Some(found);
                }
            }
            _ => {}
        }
    }
    None
}

/// Returns the fields of a variant.
fn variant(body: &TokenTree, name: &str) -> Option<TokenTree> {
    let TokenTree::Group(body) = body else {
        return None;
    };
    named(&body.stream().into_iter().collect::<Vec<_>>(), name)
}

/// Returns the group after a name.
fn named(tokens: &[TokenTree], name: &str) -> Option<TokenTree> {
    let pairs = tokens.windows(2);
    let mut found = pairs.filter_map(|pair| match pair {
        [TokenTree::Ident(n), TokenTree::Group(group)] if n == name => Some(group.clone()),
        _ => None,
    });
    found.next().map(TokenTree::Group)
}

/// Returns the group after a name, inside groups.
fn in_table(tokens: &[TokenTree], name: &str) -> Option<TokenTree> {
    tokens.iter().find_map(|token| match token {
        TokenTree::Group(group) => {
            let inside: Vec<_> = group.stream().into_iter().collect();
            named(&inside, name).or_else(|| in_table(&inside, name))
        }
        _ => None,
    })
}

struct Field {
    name: String,
    /// From its attributes to its comma.
    whole: Range<usize>,
    ty: Range<usize>,
}

fn fields_of(body: &TokenTree) -> Vec<Field> {
    let TokenTree::Group(group) = body else {
        return Vec::new();
    };
    let has_names = group.delimiter() == Delimiter::Brace;
    let mut fields = Vec::new();
    let (mut tokens, mut depth) = (Vec::new(), 0);
    for token in group.stream() {
        let punct = match &token {
            TokenTree::Punct(punct) => punct.as_char(),
            _ => ' ',
        };
        let arrow = matches!(tokens.last(), Some(TokenTree::Punct(p)) if p.as_char() == '-');
        match punct {
            '<' => depth += 1,
            '>' if !arrow => depth -= 1,
            _ => {}
        }
        tokens.push(token);
        if punct == ',' && depth == 0 {
            fields.extend(field(&std::mem::take(&mut tokens), has_names, fields.len()));
        }
    }
    fields.extend(field(&tokens, has_names, fields.len()));
    fields
}

fn field(tokens: &[TokenTree], named: bool, number: usize) -> Option<Field> {
    let punct = |t: &TokenTree, c| matches!(t, TokenTree::Punct(p) if p.as_char() == c);
    let start = |t: &TokenTree| t.span().byte_range().start;
    let end = |t: &TokenTree| t.span().byte_range().end;
    let whole = start(tokens.first()?)..end(tokens.last()?);
    let mut rest = tokens;
    if let Some((_, before)) = rest.split_last().filter(|(last, _)| punct(last, ',')) {
        rest = before;
    }
    while rest.first().is_some_and(|t| punct(t, '#')) {
        rest = rest.get(2..)?;
    }
    if matches!(rest.first(), Some(TokenTree::Ident(word)) if word == "pub") {
        rest = &rest[1..];
        let only = matches!(rest.first(), Some(TokenTree::Group(g))
            if g.delimiter() == Delimiter::Parenthesis);
        if only && (named || rest.len() > 1) {
            rest = &rest[1..];
        }
    }
    let mut name = number.to_string();
    if named {
        name = rest.first()?.to_string();
        rest = rest.get(2..)?;
    }
    let ty = start(rest.first()?)..end(rest.last()?);
    Some(Field { name, whole, ty })
}
