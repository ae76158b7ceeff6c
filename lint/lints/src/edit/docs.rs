//! Documentation examples: rustdoc compiles them as tests, and no other part of the program reads
//! them.

use super::mentions::Mentions;
use super::text::Tokens;
use crate::name::Name;
use crate::source::SourceFile;
use rustc_hash::{FxHashMap, FxHashSet};

/// Language tags of code blocks that rustdoc compiles.
const COMPILED: &[&str] = &["", "no_run", "rust", "should_panic"];

/// Returns the compiled examples of Rust code: the offset and the code of each line.
pub fn examples(text: &str) -> Vec<Vec<(u32, &str)>> {
    let mut in_block = false;
    let lines = lines(text).map(|(at, line)| {
        let doc = match in_block {
            true => Some(line.strip_prefix('*').unwrap_or(line)),
            false => documented(line),
        };
        let doc = match line.split_once("*/") {
            Some((before, _)) if in_block => {
                in_block = false;
                Some(before)
            }
            _ => doc,
        };
        in_block |= doc.is_some() && line.starts_with("/*") && !line.contains("*/");
        (at, doc.map(str::trim))
    });
    fenced(lines)
}

/// Returns the compiled examples of a text that documentation includes, as [`examples`] does.
pub fn examples_of_markdown(text: &str) -> Vec<Vec<(u32, &str)>> {
    fenced(lines(text).map(|(at, line)| (at, Some(line))))
}

/// Returns the lines of a text without the spaces around them, and where each begins.
fn lines(text: &str) -> impl Iterator<Item = (u32, &str)> {
    let mut at = 0;
    text.split_inclusive('\n').map(move |line| {
        let start = at + line.len() - line.trim_start().len();
        at += line.len();
        (start as u32, line.trim())
    })
}

/// Returns the documentation that a line has, or begins.
fn documented(line: &str) -> Option<&str> {
    let plain = |doc: &&str| !doc.starts_with(['/', '*']);
    let inner = ["//!", "/*!"].iter().find_map(|of| line.strip_prefix(of));
    inner.or_else(|| {
        let mut outer = ["///", "/**"].iter().filter_map(|of| line.strip_prefix(of));
        outer.next().filter(plain)
    })
}

/// Returns the lines of code blocks that are compiled; a line without documentation ends a block.
fn fenced<'t>(lines: impl Iterator<Item = (u32, Option<&'t str>)>) -> Vec<Vec<(u32, &'t str)>> {
    let mut list: Vec<Vec<(u32, &str)>> = Vec::new();
    let mut open: Option<bool> = None;
    for (at, doc) in lines {
        let Some(doc) = doc else {
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
                if let Some(example) = list.last_mut() {
                    example.push((at, doc));
                }
            }
            (None, _) => {}
        }
    }
    list
}

/// Returns the code of a line as rustdoc compiles it: with lines that are hidden from readers.
pub fn compiled(line: &str) -> &str {
    match line.strip_prefix('#') {
        Some("") => "",
        Some(rest) if rest.starts_with('#') => rest,
        Some(rest) => rest.strip_prefix(' ').unwrap_or(line),
        None => line,
    }
}

/// The examples of a file, parsed once.
pub(super) struct Examples {
    list: Vec<Example>,
    /// The examples that contain each word, in order.
    by_word: FxHashMap<Name, Vec<usize>>,
}

/// An example of code.
pub(super) struct Example {
    /// Its tokens, numbered from its own first byte.
    pub(super) tokens: Tokens,
    /// Tokens that may mention a wanted word; none of them is resolved.
    pub(super) mentions: Mentions,
    /// The lines: offset in the example, and in the file.
    lines: Vec<(u32, u32)>,
}

impl Example {
    /// Returns where the line with a token begins in the file.
    pub(super) fn place(&self, token: usize) -> u32 {
        let start = self.tokens.list[token].start;
        let line = self.lines.partition_point(|(at, _)| *at <= start);
        line.checked_sub(1).map_or(0, |line| self.lines[line].1)
    }
}

impl Examples {
    /// Parses the examples of a file that contain a wanted word.
    pub(super) fn of(source: &SourceFile, wanted: &FxHashSet<Name>) -> Examples {
        let mut list = Vec::new();
        let mut by_word: FxHashMap<Name, Vec<usize>> = FxHashMap::default();
        for example in examples(&source.text) {
            let mut code = String::new();
            let mut lines = Vec::new();
            for (at, line) in example {
                lines.push((code.len() as u32, at));
                code.push_str(compiled(line));
                code.push('\n');
            }
            let tokens = Tokens::of_text(source.id, code);
            let words = (0..tokens.list.len()).filter(|&i| tokens.is_ident(i));
            let words: FxHashSet<Name> = words.map(|i| Name::new(tokens.str(i))).collect();
            if words.is_disjoint(wanted) {
                continue;
            }
            for word in words {
                by_word.entry(word).or_default().push(list.len());
            }
            let mentions = Mentions::of_example(&tokens, wanted);
            list.push(Example {
                tokens,
                mentions,
                lines,
            });
        }
        Examples { list, by_word }
    }

    /// Returns the examples that contain a word.
    pub(super) fn with(&self, word: Name) -> impl Iterator<Item = &Example> {
        let found = self.by_word.get(&word).into_iter().flatten();
        found.map(|&n| &self.list[n])
    }
}

#[cfg(test)]
mod tests {
    use super::{compiled, examples, examples_of_markdown};

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
    fn blocks_and_included_texts() {
        let text = "/** A.\n * ```\n * a\n * ```\n */\nfn f() {}\n    /*!\n    ```\n    b\n    ``` */\n\
            /* ```\nc\n``` */\n/***\n```\nd\n```*/\n/** e */ f\n```\ng\n```\n";
        let lines = examples(text).into_iter().flatten();
        assert_eq!(
            lines.clone().map(|(_, l)| l).collect::<Vec<_>>(),
            ["a", "b"]
        );
        assert!(lines.clone().all(|(at, l)| text[at as usize..].contains(l)));
        let lines = examples_of_markdown("# A\n```rust\na\n```\n```sh\nb\n```\n").into_iter();
        assert_eq!(lines.flatten().collect::<Vec<_>>(), [(12, "a")]);
    }

    #[test]
    fn hidden_lines_are_code() {
        assert_eq!(compiled("# let a = 1;"), "let a = 1;");
        assert_eq!(compiled("#"), "");
        assert_eq!(compiled("## a"), "# a");
        assert_eq!(compiled("#[derive(Debug)]"), "#[derive(Debug)]");
    }
}
