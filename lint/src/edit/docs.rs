//! Documentation examples: rustdoc compiles them as tests, and no other part of the program reads
//! them.

use rustc_hash::FxHashMap;

/// Language tags of code blocks that rustdoc compiles.
const COMPILED: &[&str] = &["", "no_run", "rust", "should_panic"];

/// Returns the compiled examples of a text: the offset and the code of each line.
fn examples(text: &str) -> Vec<Vec<(u32, &str)>> {
    let mut list: Vec<Vec<(u32, &str)>> = Vec::new();
    let mut open: Option<bool> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len() as u32;
        let code = line.trim_start();
        let doc = code.strip_prefix("//!").or_else(|| {
            let doc = code.strip_prefix("///")?;
            (!doc.starts_with('/')).then_some(doc)
        });
        let Some(doc) = doc.map(str::trim) else {
            open = None;
            continue;
        };
        let fence = doc.strip_prefix("```").or_else(|| doc.strip_prefix("~~~"));
        match (fence, open) {
            (Some(_), Some(_)) => open = None,
            (Some(info), None) => {
                let mut words = info.split([',', ' ']).map(str::trim);
                open = Some(words.all(|w| COMPILED.contains(&w) || w.starts_with("edition")));
                list.push(Vec::new());
            }
            (None, Some(true)) => {
                let lead = line.len() - line.trim_start().len();
                if let Some(example) = list.last_mut() {
                    example.push((start + lead as u32, doc));
                }
            }
            (None, _) => {}
        }
    }
    list
}

/// The examples of a file, parsed once.
pub(super) struct Examples {
    /// As returned by [`examples`].
    list: Vec<Vec<(u32, Box<str>)>>,
    /// The examples that contain each word, in order.
    by_word: FxHashMap<Box<str>, Vec<usize>>,
}

impl Examples {
    pub(super) fn of(text: &str) -> Examples {
        let mut list = Vec::new();
        let mut by_word: FxHashMap<Box<str>, Vec<usize>> = FxHashMap::default();
        for (n, example) in examples(text).into_iter().enumerate() {
            let lines = example.iter().map(|(_, line)| line);
            for word in lines.flat_map(|line| line.split(ends_word)) {
                let found = by_word.entry(word.into()).or_default();
                if found.last() != Some(&n) {
                    found.push(n);
                }
            }
            let lines = example.into_iter();
            list.push(lines.map(|(at, line)| (at, line.into())).collect());
        }
        Examples { list, by_word }
    }

    /// Returns where the examples name something; `ty` is the type it belongs to.
    pub(super) fn places(&self, ty: &str, named: &Named) -> Vec<u32> {
        let (Named::Variant(name) | Named::Field(name) | Named::Called(name)) = named;
        // `ends_word` treats combining marks as word boundaries, so such names are not in the
        // index.
        let all = name.contains(ends_word).then_some(0..self.list.len());
        let with = self.by_word.get(*name).filter(|_| all.is_none());
        let examples = all.into_iter().flatten();
        let examples = examples.chain(with.into_iter().flatten().copied());
        let lines = examples.map(|n| self.list[n].iter().map(|(at, line)| (*at, &**line)));
        lines
            .flat_map(|lines| named.places(ty, &lines.collect::<Vec<_>>()))
            .collect()
    }
}

/// What is searched for in an example.
pub(super) enum Named<'n> {
    /// A variant.
    Variant(&'n str),
    /// A named field of a struct.
    Field(&'n str),
    /// The constructor of a tuple struct.
    Called(&'n str),
}

impl Named<'_> {
    /// Returns where an example builds, matches or reads it; `ty` is the type it belongs to.
    fn places(&self, ty: &str, example: &[(u32, &str)]) -> Vec<u32> {
        let (Named::Variant(name) | Named::Field(name) | Named::Called(name)) = self;
        // Building a value requires its type's name.
        let named = example
            .iter()
            .any(|(_, line)| words(line, ty).next().is_some());
        let stands = |line: &str| {
            words(line, name).any(|(before, behind)| match self {
                Named::Variant(_) => match before.strip_suffix("::") {
                    Some(path) => last_word(path) == ty,
                    None => named && behind.starts_with(['(', '{']),
                },
                Named::Called(_) => behind.starts_with('('),
                Named::Field(_) if before.ends_with('.') => !behind.starts_with('('),
                Named::Field(_) => {
                    named && behind.starts_with([':', ',', '}']) && !behind.starts_with("::")
                }
            })
        };
        let found = example.iter().filter(|(_, line)| stands(line));
        found.map(|(at, _)| *at).collect()
    }
}

/// Returns the text before and after each occurrence of a word in a line's code.
fn words<'l>(line: &'l str, word: &str) -> impl Iterator<Item = (&'l str, &'l str)> {
    let in_word = |c: char| !ends_word(c);
    let found = line.match_indices(word);
    let found = found.map(|(at, word)| (&line[..at], &line[at + word.len()..]));
    let code = found.filter(move |(before, behind)| {
        let quoted = before.matches('"').count() % 2 == 1;
        let whole = !before.ends_with(in_word) && !behind.starts_with(in_word);
        whole && !quoted && !before.contains("//")
    });
    let code = code.map(|(before, behind)| (before.trim_end(), behind.trim_start()));
    code.collect::<Vec<_>>().into_iter()
}

fn ends_word(c: char) -> bool {
    !c.is_alphanumeric() && c != '_'
}

/// Returns the word at the end of a text.
fn last_word(text: &str) -> &str {
    let start = text.rfind(ends_word);
    &text[start.map_or(0, |at| {
        at + text[at..].chars().next().map_or(0, char::len_utf8)
    })..]
}

#[cfg(test)]
mod tests {
    use super::{Examples, Named, examples};

    #[test]
    fn what_rustdoc_compiles() {
        let text = "//! ```\n//! a\n//! ```\n//! b\nfn f() {}\n    /// ```ignore\n    /// c\n    /// ```\n\
            /// ```no_run,edition2021\n/// # d\n/// ```\n/// ```text\n/// e\n/// ```\n//// ```\n//// f\n";
        let lines = examples(text).into_iter().flatten();
        let said: Vec<_> = lines.clone().map(|(_, line)| line).collect();
        assert_eq!(said, ["a", "# d"]);
        let at = lines.map(|(at, _)| at as usize).max();
        assert!(at.is_some_and(|at| text[at..].starts_with("/// # d")));
    }

    #[test]
    fn what_an_example_names() {
        let count = |named: Named, lines: &[&str]| {
            let example: Vec<_> = lines.iter().map(|line| (0, *line)).collect();
            named.places("Part", &example).len()
        };
        let variant = || Named::Variant("Same");
        assert_eq!(count(variant(), &["let a = Part::Same(1);"]), 1);
        assert_eq!(
            count(variant(), &["use a::Part::*;", "Same { a } => 1,"]),
            1
        );
        let others = [
            "use same::Same;",
            "Other::Same(1)",
            "Same(1)",
            "SamePart(1)",
        ];
        assert_eq!(count(variant(), &others), 0);
        let field = || Named::Field("name");
        assert_eq!(count(field(), &["assert_eq!(a.name, 1);"]), 1);
        assert_eq!(count(field(), &["let a = Part { name: 1 };"]), 1);
        let others = ["f(name, a.name(), \"a.name \") // a.name", "Part::name::b"];
        assert_eq!(count(field(), &others[..1]), 0);
        assert_eq!(count(field(), &others[1..]), 0);
        assert_eq!(count(Named::Called("Part"), &["Part(1)"]), 1);
    }

    #[test]
    fn examples_are_found_by_their_words() {
        let text = "/// ```\n/// Part(1); Part(2);\n/// Parts(1)\n/// Part(3)\n/// ```\n\n\
            /// ```\n/// q\u{303}(1)\n/// ```\n";
        let found = Examples::of(text);
        let count = |name| found.places(name, &Named::Called(name)).len();
        assert_eq!(count("Part"), 2);
        assert_eq!(count("Parts"), 1);
        assert_eq!(count("q\u{303}"), 1);
        assert_eq!(count("Gone"), 0);
    }
}
