//! Formats types without the spaces that a token stream prints between all tokens.

use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};

/// Formats a type or the value of a constant.
pub fn spell(tokens: &TokenStream) -> String {
    let mut text = String::new();
    write(tokens.clone(), &mut text);
    text
}

fn write(tokens: TokenStream, text: &mut String) {
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::Brace => ("{ ", " }"),
                    Delimiter::None => ("", ""),
                };
                if after_word(text) && matches!(open, "[" | "{ ") {
                    text.push(' ');
                }
                text.push_str(open);
                write(group.stream(), text);
                text.push_str(close);
            }
            TokenTree::Punct(punct) => {
                let joint = punct.spacing() == Spacing::Joint;
                let mut word = punct.as_char().to_string();
                // The apostrophe of a lifetime is joint too, without punctuation after it.
                while let Some(TokenTree::Punct(next)) = tokens.peek() {
                    let both = (word.as_str(), next.as_char());
                    if !joint || !matches!(both, (":", ':') | ("-", '>')) {
                        break;
                    }
                    word.push(next.as_char());
                    tokens.next();
                }
                punctuate(&word, text);
            }
            word => {
                if after_word(text) {
                    text.push(' ');
                }
                text.push_str(&word.to_string());
            }
        }
    }
}

fn punctuate(word: &str, text: &mut String) {
    let binary = matches!(word, "->" | "+" | "=" | "/" | "%" | "|")
        || matches!(word, "-" | "*") && after_word(text);
    match word {
        _ if binary => text.push_str(&format!(" {word} ")),
        "," | ";" | ":" => text.push_str(&format!("{word} ")),
        "'" | "&" | "*" if after_word(text) => text.push_str(&format!(" {word}")),
        _ => text.push_str(word),
    }
}

/// Returns true if a following word needs a space.
fn after_word(text: &str) -> bool {
    let last = text.chars().next_back();
    last.is_some_and(|last| last.is_alphanumeric() || "_)]}>\"!".contains(last))
}

#[cfg(test)]
mod tests {
    use super::spell;

    #[test]
    fn types_are_written_as_people_write_them() {
        for text in [
            "u64",
            "std::collections::HashMap<u8, Vec<&'static str>>",
            "[u8; 4]",
            "(u8, &'a mut [T])",
            "Box<dyn Fn(u8) -> u8 + Send>",
            "for<'a> fn(&'a u8, *const T) -> !",
            "<T as Iterator>::Item",
            "{ A + 1 }",
            "-1",
            "'x'",
            "&dyn Any",
        ] {
            assert_eq!(spell(&text.parse().unwrap()), text);
        }
    }
}
