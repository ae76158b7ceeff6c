//! Expands the macros of `paste`, which put names together of words: `[<Get $name>]`.

use super::{Db, ProcMacro};
use crate::macro_server::tokens::{Delimiter, Form, Kind, Token};

/// The number of a token that is no copy.
const MADE: u32 = u32::MAX;

impl Db<'_> {
    /// Returns true for a macro whose output is known without running it.
    pub(super) fn pastes(&self, of: ProcMacro) -> bool {
        self.krate(of.krate).name == "paste"
            && matches!(of.name.as_str(), "paste" | "item" | "expr")
    }
}

/// Returns the tokens with each `[<…>]` replaced by the name that it stands for.
pub(super) fn pasted(tokens: &[Token]) -> Result<Vec<Token>, String> {
    let mut output = Vec::with_capacity(tokens.len());
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        match operation(&tokens[at..]) {
            Some(words) => {
                made(&name(words)?, &mut output)?;
                // The words, the brackets and the angles.
                at += words.len() + 4;
            }
            None => {
                output.push(token.clone());
                at += 1;
            }
        }
    }
    Ok(output)
}

/// Returns the words of a `[<…>]` that begins here, up to the first `>`, if nothing follows.
fn operation(tokens: &[Token]) -> Option<&[Token]> {
    let is =
        |token: &Token, sign: char| matches!(token.kind, Kind::Punct { char, .. } if char == sign);
    let [first, second, ..] = tokens else {
        return None;
    };
    if first.kind != Kind::Open(Delimiter::Bracket) || !is(second, '<') {
        return None;
    }
    let inner = &tokens[2..outer(tokens).next()?];
    let end = outer(inner).find(|&at| is(&inner[at], '>'))?;
    (end > 0 && end + 1 == inner.len()).then_some(&inner[..end])
}

/// Returns the places of the tokens that are in no group, the last one of each group included.
fn outer(tokens: &[Token]) -> impl Iterator<Item = usize> + '_ {
    let mut depth = 0;
    let in_none = move |(at, token): (usize, &Token)| {
        match token.kind {
            Kind::Open(_) => depth += 1,
            Kind::Close => depth -= 1,
            _ => {}
        }
        (depth == 0).then_some(at)
    };
    tokens.iter().enumerate().filter_map(in_none)
}

fn name(words: &[Token]) -> Result<String, String> {
    let mut parts: Vec<String> = Vec::new();
    let mut lifetime = false;
    let mut words = words.iter().peekable();
    while let Some(word) = words.next() {
        match &word.kind {
            Kind::Ident { name, .. } => {
                if name == "env"
                    && matches!(words.peek(), Some(t) if matches!(t.kind, Kind::Punct { char: '!', .. }))
                {
                    return Err("a variable is in a name".to_owned());
                }
                parts.push(name.clone());
            }
            Kind::Literal(literal) => match literal.form {
                Form::Str | Form::Char | Form::Integer
                    if !literal.text.contains(['#', '\\', '.', '+']) =>
                {
                    parts.push(format!("{}{}", literal.text, literal.suffix).replace('-', "_"));
                }
                _ => return Err("a literal in a name is not one of its words".to_owned()),
            },
            Kind::Punct { char: '\'', .. } if !lifetime => lifetime = true,
            Kind::Punct { char: ':', .. } => {
                let (Some(last), Some(Kind::Ident { name, .. })) =
                    (parts.pop(), words.next().map(|word| &word.kind))
                else {
                    return Err("a change of no word".to_owned());
                };
                parts.push(changed(&last, name)?);
            }
            // A fragment of a macro.
            Kind::Open(Delimiter::None) | Kind::Close => {}
            Kind::Open(_) | Kind::Punct { .. } => {
                return Err("a name is of other tokens".to_owned());
            }
        }
    }
    let quote = if lifetime { "'" } else { "" };
    Ok(format!("{quote}{}", parts.concat()))
}

fn changed(word: &str, how: &str) -> Result<String, String> {
    let mut before = '_';
    let mut output = String::new();
    match how {
        "lower" => return Ok(word.to_lowercase()),
        "upper" => return Ok(word.to_uppercase()),
        "snake" => {
            for c in word.chars() {
                if c.is_uppercase() && before != '_' {
                    output.push('_');
                }
                output.extend(c.to_lowercase());
                before = c;
            }
        }
        "camel" => {
            for c in word.chars() {
                match before {
                    _ if c == '_' => {}
                    '_' => output.extend(c.to_uppercase()),
                    _ if before.is_uppercase() => output.extend(c.to_lowercase()),
                    _ => output.push(c),
                }
                before = c;
            }
        }
        _ => return Err(format!("`{how}` changes a word in a way that is not known")),
    }
    Ok(output)
}

/// Adds a name, or a lifetime, that was put together.
fn made(name: &str, output: &mut Vec<Token>) -> Result<(), String> {
    let word = name.strip_prefix('\'').unwrap_or(name);
    let is_name = word.chars().all(|c| c.is_alphanumeric() || c == '_');
    if !is_name || word.is_empty() || word.starts_with(|c: char| c.is_numeric()) {
        return Err(format!("`{name}` is no name"));
    }
    let token = |kind| Token { kind, id: MADE };
    if word.len() < name.len() {
        output.push(token(Kind::Punct {
            char: '\'',
            joint: true,
        }));
    }
    let name = word.to_owned();
    output.push(token(Kind::Ident { name, raw: false }));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::changed;

    #[test]
    fn words_change_as_paste_says() {
        let cases = [
            ("lower", "HTTPServer", "httpserver"),
            ("upper", "get_it", "GET_IT"),
            ("snake", "GetHTTPServer", "get_h_t_t_p_server"),
            ("snake", "A_B", "a_b"),
            ("camel", "LIB_pq__x", "LibPqX"),
        ];
        for (how, word, is) in cases {
            assert_eq!(changed(word, how).as_deref(), Ok(is));
        }
        assert!(changed("a", "plural").is_err());
    }
}
