//! Finds the delimiter that closes a group without tokenizing the group.

/// The ways in which a byte of code matters for the pairing of delimiters.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    /// It neither is a delimiter nor begins text that can contain one.
    Plain,
    Open,
    Close,
    DoubleQuote,
    SingleQuote,
    Slash,
    Hash,
    /// It may begin `impl`.
    Impl,
    /// A part of a character that is not ASCII: an identifier or white space.
    Foreign,
}

const CLASSES: [Class; 256] = {
    let mut classes = [Class::Plain; 256];
    let mut byte = 0;
    while byte < classes.len() {
        classes[byte] = match byte as u8 {
            b'(' | b'[' | b'{' => Class::Open,
            b')' | b']' | b'}' => Class::Close,
            b'"' => Class::DoubleQuote,
            b'\'' => Class::SingleQuote,
            b'/' => Class::Slash,
            b'#' => Class::Hash,
            b'i' => Class::Impl,
            0x80.. => Class::Foreign,
            _ => Class::Plain,
        };
        byte += 1;
    }
    classes
};

/// The end of a skipped group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Closed {
    /// The place of the closing delimiter.
    pub at: usize,
    /// Whether the word `impl` is in the group.
    pub implements: bool,
}

/// The delimiter that closes the one at `open`.
///
/// `None` if delimiters do not match, or if the text needs rustc's lexer to be certain (characters
/// outside of ASCII in code, reserved prefixes, raw identifiers before quotes): the caller then
/// tokenizes it.
pub fn closing(text: &str, open: usize) -> Option<Closed> {
    let text = text.as_bytes();
    let mut closers = vec![closer(text[open])];
    let mut at = open + 1;
    let mut implements = false;
    loop {
        let byte = *text.get(at)?;
        at = match CLASSES[byte as usize] {
            Class::Plain => at + 1,
            Class::Open => {
                closers.push(closer(byte));
                at + 1
            }
            Class::Close => {
                if closers.pop()? != byte {
                    return None;
                }
                if closers.is_empty() {
                    return Some(Closed { at, implements });
                }
                at + 1
            }
            Class::DoubleQuote if has_raw_prefix(text, at)? => after_raw_string(text, at, 0)?,
            Class::DoubleQuote => after_string(text, at)?,
            Class::SingleQuote => after_single_quote(text, at)?,
            Class::Slash => match text.get(at + 1)? {
                b'/' => after_line(text, at)?,
                b'*' => after_block_comment(text, at)?,
                _ => at + 1,
            },
            Class::Hash => after_hash(text, at)?,
            Class::Impl => {
                implements |= text[at..].starts_with(b"impl")
                    && !is_of_name(text[at - 1])
                    && !text.get(at + 4).is_some_and(|b| is_of_name(*b));
                at + 1
            }
            Class::Foreign => return None,
        };
    }
}

fn closer(open: u8) -> u8 {
    match open {
        b'(' => b')',
        b'[' => b']',
        _ => b'}',
    }
}

fn is_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// True if the word that ends before `at` is the prefix of a raw string: `r`, `br` or `cr`. `None`
/// for one that may be a raw identifier or a lifetime.
fn has_raw_prefix(text: &[u8], at: usize) -> Option<bool> {
    let word = text[..at].iter().rev().take_while(|b| is_of_name(**b));
    let word: Vec<u8> = word.take(3).copied().collect();
    if !matches!(word[..], [b'r'] | [b'r', b'b' | b'c']) {
        return Some(false);
    }
    let before = text[..at - word.len()].last();
    (!matches!(before, Some(b'#' | b'\''))).then_some(true)
}

/// Past the raw string with its first quote at `at`, after `hashes` number signs.
fn after_raw_string(text: &[u8], at: usize, hashes: usize) -> Option<usize> {
    let mut end = at + 1;
    loop {
        end += text[end..].iter().position(|b| *b == b'"')? + 1;
        let behind = text[end..].iter().take(hashes);
        if behind.filter(|b| **b == b'#').count() == hashes {
            return Some(end + hashes);
        }
    }
}

/// Past the string that begins at `at`.
fn after_string(text: &[u8], mut at: usize) -> Option<usize> {
    loop {
        at += 1;
        match text.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at += 1,
            _ => {}
        }
    }
}

/// Past the character or the lifetime that begins at `at`.
fn after_single_quote(text: &[u8], at: usize) -> Option<usize> {
    /// In bytes; the lexer reads longer escapes.
    const LONGEST: usize = 24;
    match (*text.get(at + 1)?, *text.get(at + 2)?) {
        (b'\\', _) => {
            let rest = text.get(at + 3..)?.iter().take(LONGEST);
            let length = rest
                .take_while(|b| **b != b'\n')
                .position(|b| *b == b'\'')?;
            Some(at + 3 + length + 1)
        }
        (b'\'' | b'\n' | b'\r' | b'\t', _) => None,
        (0..0x80, b'\'') => Some(at + 3),
        (first, _) if first.is_ascii_alphabetic() || first == b'_' => {
            let name = text[at + 1..].iter().position(|b| !is_of_name(*b))?;
            let end = at + 1 + name;
            let is_lifetime = !matches!(text[end], b'\'' | b'#' | b'"') && text[at..end].is_ascii();
            is_lifetime.then_some(end)
        }
        (first @ 0x80.., _) => {
            // One character of two to four bytes.
            let length = first.leading_ones() as usize;
            (*text.get(at + 1 + length)? == b'\'').then_some(at + 1 + length + 1)
        }
        _ => None,
    }
}

/// Past the end of the line.
fn after_line(text: &[u8], at: usize) -> Option<usize> {
    Some(at + text[at..].iter().position(|b| *b == b'\n')? + 1)
}

/// Past the comment that begins at `at`, and those in it.
fn after_block_comment(text: &[u8], at: usize) -> Option<usize> {
    let mut depth = 1usize;
    let mut at = at + 2;
    while depth > 0 {
        match (*text.get(at)?, text.get(at + 1)) {
            (b'*', Some(b'/')) => {
                depth -= 1;
                at += 2;
            }
            (b'/', Some(b'*')) => {
                depth += 1;
                at += 2;
            }
            _ => at += 1,
        }
    }
    Some(at)
}

/// Past the `#` at `at`, or the raw string that it begins.
fn after_hash(text: &[u8], at: usize) -> Option<usize> {
    let hashes = text[at..].iter().position(|b| *b != b'#')?;
    let is_quoted = text[at + hashes] == b'"';
    match has_raw_prefix(text, at)? {
        true if is_quoted => after_raw_string(text, at + hashes, hashes),
        // `#"` and `##` are reserved.
        _ if is_quoted || hashes > 1 => None,
        _ => Some(at + 1),
    }
}

#[cfg(test)]
mod tests {
    use super::closing;

    #[test]
    fn delimiters_in_literals_and_comments_are_not_paired() {
        for inside in [
            "",
            "(a[b]{c})",
            r#""}" "\"}" b"}\\" c"\\\"}""#,
            r###"r"\" r#"}"}"# br##"}"#"## cr"}""###,
            r"'}' '{' '\'' '\\' '\u{7d}' b'}' b'\'' '\x7d'",
            "'é' '}' '→' '{' '𝄞'",
            "fn f<'a>(x: &'a str) -> &'static str { 'l: loop { break 'l } }",
            "// }\n /* } /* } */ } */ a / b /// } '\n",
            "r#type + r#fn(x) #[a] #![b]",
            "a.r\"}\" + (1.0r\"x\")",
        ] {
            let text = format!("x {{{inside}}} }} \"");
            let closed = closing(&text, 2).map(|closed| closed.at);
            assert_eq!(closed, Some(3 + inside.len()), "{inside}");
        }
    }

    #[test]
    fn the_word_impl_is_seen_in_code() {
        let has = |text| closing(text, 0).is_some_and(|closed| closed.implements);
        assert!(has("{impl S {}}") && has("{ a; impl<T> S<T> {} }") && has("[{ m!(impl S {}) }]"));
        assert!(!has("{ implement; simpl; _impl }") && !has("{ \"impl\" } // impl"));
    }

    #[test]
    fn uncertain_text_is_not_skipped() {
        for inside in [
            "(}", "[)", "'''", "'ab'", "'a#", "'é", "x = é;", "#\"a\"#", "##", "r##a", "'\n'",
            "'r\"", "r#r\"\"",
        ] {
            let text = format!("{{{inside}}} ' \" */ }}");
            assert_eq!(closing(&text, 0), None, "{inside}");
        }
        for text in [
            "{",
            "{ \"}",
            "{ r#\"}\" }",
            "{ /* }",
            "{ // }",
            "{ '\\",
            "{ '",
        ] {
            assert_eq!(closing(text, 0), None, "{text}");
        }
    }
}
