//! Mutation of texts: tokens are removed, doubled, swapped or inserted from another text.

use crate::random::Random;
use ra_ap_rustc_lexer::{FrontmatterAllowed, tokenize};

/// Tokens that are hard for parsers.
const ODD: &[&str] = &[
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "<",
    ">",
    "<<",
    ">>",
    "=>",
    "->",
    "::",
    ";",
    ",",
    "..",
    "...",
    "..=",
    "#",
    "!",
    "?",
    "$",
    "@",
    "&",
    "&&",
    "*",
    "'",
    "'a",
    "'static",
    "\"",
    "\"x\"",
    "r#\"",
    "b'x'",
    "c\"x\"",
    "0",
    "1",
    "255",
    "-1",
    "0x",
    "1e",
    "1.5",
    "1u128",
    "0xffff_ffff_ffff_ffff_ffff",
    "340282366920938463463374607431768211456",
    "self",
    "Self",
    "super",
    "crate",
    "$crate",
    "r#type",
    "async",
    "await",
    "const",
    "unsafe",
    "impl",
    "dyn",
    "for",
    "where",
    "match",
    "move",
    "macro_rules!",
    "union",
    "enum",
    "struct",
    "trait",
    "type",
    "fn",
    "mod",
    "use",
    "pub",
    "pub(crate)",
    "static",
    "extern",
    "_",
    "//",
    "/*",
    "*/",
    "#[derive(Clone)]",
    "#[repr(C)]",
    "#[repr(packed)]",
    "#[repr(u8)]",
    "#[cfg(x)]",
    "#[cfg_attr(x, path = \"y.rs\")]",
    "#[path = \"lib.rs\"]",
    "include!(\"lib.rs\");",
    "Option<",
    "Box<",
    "Vec<",
    "[u8; ",
    "{ N }",
    "size_of::<Self>()",
    "é",
    "\u{202e}",
    "\u{feff}",
    "\0",
    "\r",
    "\u{7f}",
    "🦀",
    "{{{{{{{{",
    "((((((((",
    "<<<<<<<<",
    "]]]]]]]]",
    "&&&&&&&&",
    "!!!!!!!!",
    "--------",
];

/// Mutates a text at a few places, with pieces of another text.
pub fn mutate(text: &str, other: &str, random: &mut Random) -> String {
    let mut tokens = split(text);
    let others = split(other);
    for _ in 0..1 + random.below(6) {
        if tokens.is_empty() {
            break;
        }
        let at = random.below(tokens.len());
        let some = 1 + random.below(12);
        let end = (at + some).min(tokens.len());
        match random.below(12) {
            0 => drop(tokens.drain(at..end)),
            1 => {
                let again: Vec<_> = tokens[at..end].to_vec();
                tokens.splice(at..at, again);
            }
            2 => {
                let to = random.below(tokens.len());
                tokens.swap(at, to);
            }
            3 | 4 if !others.is_empty() => {
                let from = random.below(others.len());
                let to = (from + some).min(others.len());
                tokens.splice(at..at, others[from..to].iter().copied());
            }
            5 if !others.is_empty() => tokens[at] = others[random.below(others.len())],
            6 | 7 => tokens.insert(at, ODD[random.below(ODD.len())]),
            8 => tokens[at] = ODD[random.below(ODD.len())],
            9 => {
                // A whole group is removed or doubled.
                let (start, end) = group(&tokens, at);
                let inside = tokens[start..end].to_vec();
                match random.once_in(2) {
                    true => drop(tokens.drain(start..end)),
                    false => drop(tokens.splice(end..end, inside)),
                }
            }
            10 => {
                let to = random.below(tokens.len());
                tokens[at] = tokens[to];
            }
            _ => {
                if random.once_in(4) {
                    tokens.truncate(at);
                }
            }
        }
    }
    tokens.concat()
}

/// Returns the first group at or after a token.
fn group(tokens: &[&str], at: usize) -> (usize, usize) {
    let opens = |t: &str| matches!(t, "{" | "(" | "[");
    let closes = |t: &str| matches!(t, "}" | ")" | "]");
    let Some(start) = (at..tokens.len()).find(|i| opens(tokens[*i])) else {
        return (at, at + 1);
    };
    let mut depth = 0;
    for (i, token) in tokens.iter().enumerate().skip(start) {
        depth += i32::from(opens(token)) - i32::from(closes(token));
        if depth == 0 {
            return (start, i + 1);
        }
    }
    (start, tokens.len())
}

fn split(text: &str) -> Vec<&str> {
    let mut at = 0;
    let mut list = Vec::new();
    for token in tokenize(text, FrontmatterAllowed::No) {
        let end = at + token.len as usize;
        list.push(&text[at..end]);
        at = end;
    }
    list
}
