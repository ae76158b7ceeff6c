//! Token trees in the server's wire format: groups in flat lists of numbers, with a table of texts.

use serde::{Deserialize, Serialize};

/// A token, or a delimiter of a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// What it is.
    pub kind: Kind,
    /// Number of the input token that it is a copy of; any other number if there is none.
    pub id: u32,
}

/// The kinds of token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The opening delimiter of a group.
    Open(Delimiter),
    /// The closing delimiter of the innermost open group.
    Close,
    // weigh: allow(oversized_variant, reason = "most tokens are identifiers")
    /// An identifier or keyword, without `r#`.
    Ident {
        /// Its name.
        name: String,
        /// It is a raw identifier.
        raw: bool,
    },
    /// A character of an operator, or the quote of a lifetime.
    Punct {
        /// The character.
        char: char,
        /// The next character belongs to the same operator.
        joint: bool,
    },
    /// A literal.
    Literal(Box<Literal>),
}

/// The delimiters of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delimiter {
    /// Invisible.
    None,
    /// `( )`
    Paren,
    /// `{ }`
    Brace,
    /// `[ ]`
    Bracket,
}

/// A literal in parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Literal {
    /// Its form.
    pub form: Form,
    /// The source text between its quotes; a number without its suffix.
    pub text: String,
    /// `u8` of `1u8`; may be empty.
    pub suffix: String,
}

/// The forms of literals; raw ones with their number of `#`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Invalid in rustc.
    Error,
    /// `b'a'`
    Byte,
    /// `'a'`
    Char,
    /// `1`
    Integer,
    /// `1.0`
    Float,
    /// `"a"`
    Str,
    /// `r#"a"#`
    StrRaw(u8),
    /// `b"a"`
    ByteStr,
    /// `br#"a"#`
    ByteStrRaw(u8),
    /// `c"a"`
    CStr,
    /// `cr#"a"#`
    CStrRaw(u8),
}

/// Maximum number of tokens in a response.
const MOST: usize = 4 << 20;

const NO_TEXT: u32 = u32::MAX;

impl Form {
    fn number(self) -> u32 {
        let (form, hashes) = match self {
            Form::Error => (0, 0),
            Form::Byte => (1, 0),
            Form::Char => (2, 0),
            Form::Integer => (3, 0),
            Form::Float => (4, 0),
            Form::Str => (5, 0),
            Form::StrRaw(hashes) => (6, hashes),
            Form::ByteStr => (7, 0),
            Form::ByteStrRaw(hashes) => (8, hashes),
            Form::CStr => (9, 0),
            Form::CStrRaw(hashes) => (10, hashes),
        };
        form | u32::from(hashes) << 8
    }

    fn of(number: u32) -> Option<Form> {
        let hashes = u8::try_from(number >> 8).ok()?;
        Some(match number & 0xff {
            0 => Form::Error,
            1 => Form::Byte,
            2 => Form::Char,
            3 => Form::Integer,
            4 => Form::Float,
            5 => Form::Str,
            6 => Form::StrRaw(hashes),
            7 => Form::ByteStr,
            8 => Form::ByteStrRaw(hashes),
            9 => Form::CStr,
            10 => Form::CStrRaw(hashes),
            _ => return None,
        })
    }
}

impl Literal {
    /// Formats it as source text.
    pub fn source(&self) -> String {
        let Literal { form, text, suffix } = self;
        let raw = |prefix: &str, hashes: u8| {
            let hashes = "#".repeat(hashes.into());
            format!("{prefix}{hashes}\"{text}\"{hashes}{suffix}")
        };
        match *form {
            Form::Error | Form::Integer | Form::Float => format!("{text}{suffix}"),
            Form::Byte => format!("b'{text}'{suffix}"),
            Form::Char => format!("'{text}'{suffix}"),
            Form::Str => format!("\"{text}\"{suffix}"),
            Form::ByteStr => format!("b\"{text}\"{suffix}"),
            Form::CStr => format!("c\"{text}\"{suffix}"),
            Form::StrRaw(hashes) => raw("r", hashes),
            Form::ByteStrRaw(hashes) => raw("br", hashes),
            Form::CStrRaw(hashes) => raw("cr", hashes),
        }
    }
}

impl Delimiter {
    fn number(self) -> u32 {
        match self {
            Delimiter::None => 0,
            Delimiter::Paren => 1,
            Delimiter::Brace => 2,
            Delimiter::Bracket => 3,
        }
    }

    fn of(number: u32) -> Option<Delimiter> {
        Some(match number {
            0 => Delimiter::None,
            1 => Delimiter::Paren,
            2 => Delimiter::Brace,
            3 => Delimiter::Bracket,
            _ => return None,
        })
    }
}

/// The wire format. A child is `index << 2 | list`, with the lists in this order: groups, literals,
/// puncts, identifiers.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Flat {
    /// IDs of both delimiters, delimiter kind, range of the children in `token_tree`.
    subtree: Vec<u32>,
    /// ID, text, form, suffix.
    literal: Vec<u32>,
    /// ID, character, joint.
    punct: Vec<u32>,
    /// ID, text, raw.
    ident: Vec<u32>,
    token_tree: Vec<u32>,
    text: Vec<String>,
}

impl Flat {
    /// Writes tokens in an invisible group, with an ID for its delimiters.
    pub(super) fn write(tokens: &[Token], id: u32) -> Flat {
        let mut flat = Flat::default();
        let open = Token {
            kind: Kind::Open(Delimiter::None),
            id,
        };
        // Groups whose children are still to be written, each with its first token: later groups
        // have greater numbers, which the reader relies on.
        let mut groups = vec![(open, 0)];
        let mut next = 0;
        while let Some((open, first)) = groups.get(next).cloned() {
            next += 1;
            let begin = flat.token_tree.len() as u32;
            let mut at = first;
            let close = loop {
                match tokens.get(at) {
                    None => break id,
                    Some(Token {
                        kind: Kind::Close,
                        id,
                    }) => break *id,
                    Some(token) => {
                        flat.child(token, groups.len());
                        if let Kind::Open(_) = token.kind {
                            groups.push((token.clone(), at + 1));
                            at = end(tokens, at);
                        }
                        at += 1;
                    }
                }
            };
            let Kind::Open(delimiter) = open.kind else {
                continue;
            };
            let until = flat.token_tree.len() as u32;
            flat.subtree
                .extend([open.id, close, delimiter.number(), begin, until]);
        }
        flat
    }

    fn child(&mut self, token: &Token, groups: usize) {
        let (index, list) = match &token.kind {
            Kind::Open(_) => (groups, 0),
            Kind::Literal(literal) => {
                let text = self.text(&literal.text);
                let suffix = match literal.suffix.is_empty() {
                    true => NO_TEXT,
                    false => self.text(&literal.suffix),
                };
                let form = literal.form.number();
                self.literal.extend([token.id, text, form, suffix]);
                (self.literal.len() / 4 - 1, 1)
            }
            Kind::Punct { char, joint } => {
                let (char, joint) = (u32::from(*char), u32::from(*joint));
                self.punct.extend([token.id, char, joint]);
                (self.punct.len() / 3 - 1, 2)
            }
            Kind::Ident { name, raw } => {
                let text = self.text(name);
                self.ident.extend([token.id, text, u32::from(*raw)]);
                (self.ident.len() / 3 - 1, 3)
            }
            Kind::Close => return,
        };
        self.token_tree.push((index as u32) << 2 | list);
    }

    fn text(&mut self, text: &str) -> u32 {
        self.text.push(text.to_owned());
        self.text.len() as u32 - 1
    }

    /// Returns the tokens, without the outermost group if that is invisible. `None` if the numbers
    /// are inconsistent.
    pub(super) fn read(&self) -> Option<Vec<Token>> {
        let mut tokens = Vec::new();
        // Open groups: number, and the index of the next child.
        let mut open = vec![(0, self.group(0)?.3)];
        let bare = self.group(0)?.2 == Delimiter::None;
        if !bare {
            tokens.push(Token {
                kind: Kind::Open(self.group(0)?.2),
                id: self.group(0)?.0,
            });
        }
        while let Some((group, at)) = open.last_mut() {
            // Duplicate references to groups could expand without limit.
            if tokens.len() > MOST {
                return None;
            }
            let number = *group;
            let (_, close, _, _, until) = self.group(number)?;
            if *at >= until {
                open.pop();
                if !(bare && open.is_empty()) {
                    let kind = Kind::Close;
                    tokens.push(Token { kind, id: close });
                }
                continue;
            }
            let child = *self.token_tree.get(*at as usize)?;
            *at += 1;
            let index = (child >> 2) as usize;
            match child & 3 {
                0 => {
                    // A group contains only later ones, so this terminates.
                    if index <= number {
                        return None;
                    }
                    let (id, _, delimiter, first, _) = self.group(index)?;
                    let kind = Kind::Open(delimiter);
                    tokens.push(Token { kind, id });
                    open.push((index, first));
                }
                1 => tokens.push(self.read_literal(index)?),
                2 => {
                    let &[id, char, joint] = self.punct.get(index * 3..index * 3 + 3)? else {
                        return None;
                    };
                    let (char, joint) = (char::from_u32(char)?, joint == 1);
                    let kind = Kind::Punct { char, joint };
                    tokens.push(Token { kind, id });
                }
                _ => {
                    let &[id, text, raw] = self.ident.get(index * 3..index * 3 + 3)? else {
                        return None;
                    };
                    let (name, raw) = (self.text.get(text as usize)?.clone(), raw == 1);
                    let kind = Kind::Ident { name, raw };
                    tokens.push(Token { kind, id });
                }
            }
        }
        Some(tokens)
    }

    fn group(&self, index: usize) -> Option<(u32, u32, Delimiter, u32, u32)> {
        let &[open, close, delimiter, first, until] = self.subtree.get(index * 5..index * 5 + 5)?
        else {
            return None;
        };
        Some((open, close, Delimiter::of(delimiter)?, first, until))
    }

    fn read_literal(&self, index: usize) -> Option<Token> {
        let &[id, text, form, suffix] = self.literal.get(index * 4..index * 4 + 4)? else {
            return None;
        };
        let suffix = match suffix {
            NO_TEXT => String::new(),
            suffix => self.text.get(suffix as usize)?.clone(),
        };
        let kind = Kind::Literal(Box::new(Literal {
            form: Form::of(form)?,
            text: self.text.get(text as usize)?.clone(),
            suffix,
        }));
        Some(Token { kind, id })
    }
}

/// Returns the end of the group that begins here.
fn end(tokens: &[Token], open: usize) -> usize {
    let mut depth = 0;
    for (i, token) in tokens.iter().enumerate().skip(open) {
        match token.kind {
            Kind::Open(_) => depth += 1,
            Kind::Close => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return i;
        }
    }
    tokens.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token(kind: Kind, id: u32) -> Token {
        Token { kind, id }
    }

    #[test]
    fn there_and_back() {
        let literal = |form, text: &str, suffix: &str| {
            let (text, suffix) = (text.to_owned(), suffix.to_owned());
            Kind::Literal(Box::new(Literal { form, text, suffix }))
        };
        let name = "a".to_owned();
        let tokens = vec![
            token(Kind::Open(Delimiter::Brace), 0),
            token(Kind::Open(Delimiter::Paren), 1),
            token(literal(Form::Integer, "1", "u8"), 2),
            token(Kind::Close, 3),
            token(
                Kind::Punct {
                    char: ':',
                    joint: true,
                },
                4,
            ),
            token(Kind::Close, 5),
            token(Kind::Ident { name, raw: true }, 6),
            token(Kind::Open(Delimiter::None), 7),
            token(literal(Form::StrRaw(2), "x", ""), 8),
            token(Kind::Close, 9),
        ];
        assert_eq!(Flat::write(&tokens, 99).read(), Some(tokens));
    }

    #[test]
    fn numbers_that_contradict_each_other() {
        let read = |text: &str| serde_json::from_str::<Flat>(text).unwrap().read();
        let flat = |subtree: &str, children: &str| {
            format!(
                "{{\"subtree\":{subtree},\"literal\":[],\"punct\":[],\"ident\":[0,7,0],\
                 \"token_tree\":{children},\"text\":[]}}"
            )
        };
        assert_eq!(read(&flat("[0,0,0,0,0]", "[]")), Some(Vec::new()));
        assert_eq!(read(&flat("[0,0,0,0,1]", "[]")), None);
        assert_eq!(read(&flat("[0,0,0,0,1]", "[0]")), None);
        assert_eq!(read(&flat("[0,0,0,0,1]", "[3]")), None);
        assert_eq!(read(&flat("[0,0,9,0,0]", "[]")), None);
        assert_eq!(read(&flat("[]", "[]")), None);
    }
}
