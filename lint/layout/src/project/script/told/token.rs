//! Splits the text of a build script into words, strings and punctuation.

use super::super::is_word;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token<'s> {
    Word(&'s str),
    Text(&'s str),
    Mark(char),
}

/// Returns the tokens between the bracket at `open` and its counterpart.
pub(super) fn inside<'t, 's>(tokens: &'t [Token<'s>], open: usize) -> &'t [Token<'s>] {
    let mut depth = 0;
    for (i, token) in tokens.iter().enumerate().skip(open) {
        match token {
            Token::Mark('(' | '[' | '{') => depth += 1,
            Token::Mark(')' | ']' | '}') => {
                depth -= 1;
                if depth == 0 {
                    return &tokens[open + 1..i];
                }
            }
            _ => {}
        }
    }
    &tokens[(open + 1).min(tokens.len())..]
}

pub(super) fn written(tokens: &[Token]) -> String {
    let each = tokens.iter().map(|token| match token {
        Token::Word(word) => (*word).to_owned(),
        Token::Text(text) => format!("\"{text}\""),
        Token::Mark(mark) => mark.to_string(),
    });
    each.collect::<Vec<_>>().join(" ")
}

/// Returns the tokens of a text, without comments.
pub(super) fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = if let Some(end) = comment(rest).or_else(|| character(rest)) {
            end
        } else if let Some((start, end)) = raw(rest) {
            found.push(Token::Text(&rest[start..end]));
            (end + start - 1).min(rest.len())
        } else if first == '"' {
            let end = string(&rest[1..]);
            found.push(Token::Text(&rest[1..1 + end]));
            (end + 2).min(rest.len())
        } else if is_word(first) {
            let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
            found.push(Token::Word(&rest[..end]));
            end
        } else {
            if !first.is_whitespace() {
                found.push(Token::Mark(first));
            }
            first.len_utf8()
        };
        rest = &rest[length..];
    }
    found
}

/// Returns the length of the comment that a text starts with.
fn comment(text: &str) -> Option<usize> {
    if text.starts_with("//") {
        return Some(text.find('\n').unwrap_or(text.len()));
    }
    let body = text.strip_prefix("/*")?;
    Some(body.find("*/").map_or(text.len(), |end| end + 4))
}

/// Returns the length of the character literal that a text starts with.
fn character(text: &str) -> Option<usize> {
    let body = text.strip_prefix('\'')?;
    let first = body.chars().next()?;
    let from = if first == '\\' { 2 } else { first.len_utf8() };
    let end = body.get(from..)?.find('\'')?;
    // A lifetime has no second quote nearby.
    (end <= if first == '\\' { 8 } else { 0 }).then_some(1 + from + end + 1)
}

/// Returns where the content of a raw string begins and ends.
fn raw(text: &str) -> Option<(usize, usize)> {
    let body = text.strip_prefix('r')?;
    let hashes = body.len() - body.trim_start_matches('#').len();
    let inner = body[hashes..].strip_prefix('"')?;
    let start = 1 + hashes + 1;
    let end = inner.find(&format!("\"{}", &body[..hashes]));
    Some((start, start + end.unwrap_or(inner.len())))
}

/// Returns the length of a string, up to its closing quote.
fn string(text: &str) -> usize {
    let mut escaped = false;
    let end = text.find(|c| {
        let ends = c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
        ends
    });
    end.unwrap_or(text.len())
}
