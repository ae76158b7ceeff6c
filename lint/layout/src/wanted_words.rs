//! A set of words that texts are searched for.

use rustc_hash::FxHashSet;

/// Identifiers and keywords to search for.
pub struct WantedWords<'w> {
    words: FxHashSet<&'w str>,
    /// By byte: true if one of the words begins with it.
    begins: [bool; 256],
}

impl<'w> WantedWords<'w> {
    /// A set of these words.
    pub fn new(words: impl Iterator<Item = &'w str>) -> WantedWords<'w> {
        let words: FxHashSet<&str> = words.collect();
        let mut begins = [false; 256];
        for first in words.iter().filter_map(|word| word.bytes().next()) {
            begins[first as usize] = true;
        }
        WantedWords { words, begins }
    }

    /// The words.
    pub fn iter(&self) -> impl Iterator<Item = &'w str> {
        self.words.iter().copied()
    }

    /// Returns true if `word` is one of the set.
    pub fn contains(&self, word: &str) -> bool {
        self.words.contains(word)
    }

    /// The words of the set that occur whole in a text, in order, once for each occurrence. Only
    /// words in ASCII are found, and other characters count as boundaries.
    pub fn found_in<'t>(&self, text: &'t str) -> impl Iterator<Item = &'t str> {
        let bytes = text.as_bytes();
        let mut at = 0;
        std::iter::from_fn(move || {
            loop {
                at += bytes[at..].iter().position(|b| is_of_word(*b))?;
                let start = at;
                let length = bytes[at..].iter().position(|b| !is_of_word(*b));
                at = length.map_or(bytes.len(), |length| at + length);
                if self.begins[bytes[start] as usize] {
                    let word = &text[start..at];
                    if self.words.contains(word) {
                        return Some(word);
                    }
                }
            }
        })
    }
}

/// By byte: true if it is a part of a word.
const OF_WORDS: [bool; 256] = {
    let mut of_words = [false; 256];
    let mut byte = 0;
    while byte < of_words.len() {
        let b = byte as u8;
        of_words[byte] = b.is_ascii_alphanumeric() || b == b'_';
        byte += 1;
    }
    of_words
};

fn is_of_word(byte: u8) -> bool {
    OF_WORDS[byte as usize]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_whole() {
        let wanted = WantedWords::new(["Part", "part", "a1"].into_iter());
        let found = |text| wanted.found_in(text).collect::<Vec<_>>();
        assert_eq!(
            found("x.part = Parts::new(r#a1) + part"),
            ["part", "a1", "part"]
        );
        assert_eq!(found("part"), ["part"]);
        assert_eq!(found("part, Part_ épart→a1"), ["part", "part", "a1"]);
        assert!(found("").is_empty());
    }
}
