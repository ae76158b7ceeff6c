//! Removes imports of std types that an edit leaves unused.

use super::Editor;
use super::text::Tokens;
use super::uses::takes_expressions;
use crate::finding::Edit;
use crate::lower::Kind;
use crate::name::words;
use crate::span::{FileId, Span};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// Types that remedies remove from code.
const TYPES: &[&str] = &["Arc", "Box", "OsString", "PathBuf", "Rc", "String", "Vec"];

/// Macros of std whose arguments are not expressions.
const NO_EXPRESSIONS: &[&str] = &["cfg", "concat", "env", "include_str"];

/// The uses of these types in a file, computed once for all edits to it.
pub(super) struct Uses {
    /// The tokens that name each type, including names in strings of attributes.
    by_type: FxHashMap<&'static str, Vec<usize>>,
    /// True if code outside the file may use its imports: child modules, or local macros.
    elsewhere: bool,
}

impl Uses {
    fn of(tokens: &Tokens) -> Uses {
        let mut by_type: FxHashMap<&'static str, Vec<usize>> = FxHashMap::default();
        for i in 0..tokens.list.len() {
            let text = tokens.str(i);
            for name in TYPES {
                let names = match tokens.list[i].kind {
                    Kind::Quoted => text.contains(name) && has_word(text, name),
                    _ => text == *name,
                };
                if names {
                    by_type.entry(name).or_default().push(i);
                }
            }
        }
        let elsewhere = |i: usize| {
            let module = tokens.str(i) == "mod" && tokens.str(i + 2) == ";";
            let called = tokens.is_ident(i)
                && tokens.is(i + 1, b'!')
                && tokens.list.get(i + 2).is_some_and(|t| t.kind == Kind::Open);
            // These macros name nothing of the calling module.
            let name = tokens.str(i);
            let known = takes_expressions(name) || NO_EXPRESSIONS.contains(&name);
            module || called && !known
        };
        Uses {
            by_type,
            elsewhere: (0..tokens.list.len()).any(elsewhere),
        }
    }
}

pub(super) fn has_word(text: &str, word: &str) -> bool {
    words(text).any(|w| w == word)
}

impl Editor<'_> {
    fn std_uses(&self, tokens: &Tokens, file: FileId) -> Arc<Uses> {
        let made = || self.std_uses.keep(file, Arc::new(Uses::of(tokens)));
        self.std_uses.get(&file).unwrap_or_else(made)
    }

    /// Adds the removal of imports that the edits leave unused.
    pub(super) fn with_imports(&self, mut edits: Vec<Edit>) -> Vec<Edit> {
        let sources = &self.model.db.sources;
        let mut files: Vec<FileId> = edits.iter().map(|e| e.span.file).collect();
        files.dedup();
        for file in files {
            let tokens = self.files.get(sources, file);
            let here: Vec<&Edit> = edits.iter().filter(|e| e.span.file == file).collect();
            let uses = || self.std_uses(&tokens, file);
            let Some(gone) = unused(&tokens, file, &here, uses) else {
                continue;
            };
            let apart = |edit: &Edit| {
                let (a, b) = (edit.span, gone.span);
                a.file != b.file || a.end < b.start || b.end < a.start
            };
            if edits.iter().all(apart) {
                // In source order.
                let before = |e: &Edit| e.span.file == file && e.span.start < gone.span.start;
                let at = match edits.iter().rposition(before) {
                    Some(last) => Some(last + 1),
                    None => edits.iter().position(|e| e.span.file == file),
                };
                edits.insert(at.unwrap_or(edits.len()), gone);
            }
        }
        edits
    }
}

/// Removes the only import of a type that the edits leave unused; the edits are sorted.
fn unused(
    tokens: &Tokens,
    file: FileId,
    edits: &[&Edit],
    uses: impl FnOnce() -> Arc<Uses>,
) -> Option<Edit> {
    let mut gone = FxHashSet::default();
    for edit in edits {
        let inside = tokens.at(edit.span.start)..;
        let inside = inside.take_while(|i| {
            let token = tokens.list.get(*i);
            token.is_some_and(|token| token.end <= edit.span.end)
        });
        let words = inside.map(|i| tokens.str(i));
        gone.extend(words.filter(|word| TYPES.contains(word)));
    }
    let mut gone = gone.into_iter();
    let (Some(name), None) = (gone.next(), gone.next()) else {
        return None;
    };
    if edits.iter().any(|e| has_word(&e.text, name)) {
        return None;
    }
    let taken = |i: usize| {
        let token = tokens.list[i];
        let behind = edits.partition_point(|e| e.span.start <= token.start);
        let last = edits[..behind].last();
        last.is_some_and(|e| token.end <= e.span.end)
    };
    let uses = uses();
    let names = uses.by_type.get(name).into_iter().flatten().copied();
    let mut left = names.filter(|&i| !taken(i));
    let leaf = left.next().filter(|_| left.next().is_none())?;
    if uses.elsewhere {
        return None;
    }
    without(tokens, file, leaf)
}

/// Removes a name from its `use` declaration.
fn without(tokens: &Tokens, file: FileId, leaf: usize) -> Option<Edit> {
    let span = |start: u32, end: u32| Span { file, start, end };
    if !leaf
        .checked_sub(1)
        .is_some_and(|i| tokens.ends_path_sep(i) || !tokens.is(i, b':'))
    {
        return None;
    }
    // Back over paths and groups to `use`.
    let mut first = leaf;
    let mut group = None;
    while first > 0 && tokens.str(first) != "use" {
        first -= 1;
        match tokens.list[first].kind {
            Kind::Close => first = tokens.list[first].mate as usize,
            Kind::Open if tokens.is(first, b'{') => group = group.or(Some(first)),
            Kind::Open => return None,
            Kind::Punct if matches!(tokens.str(first), "," | ":") => {}
            Kind::Word | Kind::Raw => {}
            _ => return None,
        }
    }
    // An attribute of the `use` would remain.
    let stands_alone = first.checked_sub(1).is_none_or(|i| match tokens.str(i) {
        ";" | "{" | "}" => true,
        "]" => {
            let open = tokens.list[i].mate as usize;
            open.checked_sub(1).is_some_and(|i| tokens.is(i, b'!'))
        }
        _ => false,
    });
    if tokens.str(first) != "use" || !stands_alone {
        return None;
    }
    let Some(open) = group else {
        // `use a::b::Name;`
        let (start, end) = (tokens.list[first].start, tokens.list[leaf].end);
        return Some(Edit {
            span: tokens.statement(span(start, end))?,
            text: String::new(),
        });
    };
    let elements = tokens.elements(open);
    let at = elements.iter().position(|e| *e == (leaf..leaf + 1))?;
    let text = |n: usize| tokens.text(&elements[n]);
    match elements.len() {
        1 => None,
        // `{Name, Other}` becomes `Other`.
        2 if text(1 - at) != "self" => {
            let close = tokens.list[open].mate as usize;
            Some(Edit {
                span: span(tokens.list[open].start, tokens.list[close].end),
                text: text(1 - at).to_owned(),
            })
        }
        _ => {
            let token =
                |n: usize, of: fn(&std::ops::Range<usize>) -> usize| tokens.list[of(&elements[n])];
            let own = token(at, |e| e.start);
            let span = match at + 1 < elements.len() {
                true => span(own.start, token(at + 1, |e| e.start).start),
                false => span(token(at - 1, |e| e.end - 1).end, own.end),
            };
            Some(Edit {
                span,
                text: String::new(),
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lower;
    use crate::source::Sources;

    /// Deletes the text between `<<` and `>>`.
    fn left(text: &str) -> String {
        let (before, rest) = text.split_once("<<").expect("a mark");
        let (gone, after) = rest.split_once(">>").expect("its end");
        let plain = format!("{before}{gone}{after}");
        let sources = Sources::default();
        let source = sources.add("a.rs".into(), plain.clone(), None);
        let id = source.id;
        let list = lower::tokens(&source);
        let tokens = Tokens { source, list };
        let start = before.len() as u32;
        let edit = Edit {
            span: Span {
                file: id,
                start,
                end: start + gone.len() as u32,
            },
            text: "X".to_owned(),
        };
        let uses = || Arc::new(Uses::of(&tokens));
        let found = unused(&tokens, id, &[&edit], uses);
        let mut new = plain.clone();
        new.replace_range(edit.span.range(), "X");
        if let Some(found) = found {
            assert!(found.span.end < edit.span.start);
            new.replace_range(found.span.range(), &found.text);
        }
        new
    }

    #[test]
    fn the_last_use_takes_its_import_along() {
        for (text, wanted) in [
            (
                "use std::path::PathBuf;\nstruct S { a: <<PathBuf>> }",
                "struct S { a: X }",
            ),
            (
                "use std::path::{Path, PathBuf};\nstruct S { a: <<PathBuf>> }",
                "use std::path::Path;\nstruct S { a: X }",
            ),
            (
                "use std::{fmt, rc::Rc, mem};\nstruct S { a: <<Rc>> }",
                "use std::{fmt, rc::Rc, mem};\nstruct S { a: X }",
            ),
            (
                "#![deny(x)]\nuse std::path::PathBuf;\nstruct S { a: <<PathBuf>> }",
                "#![deny(x)]\nstruct S { a: X }",
            ),
            (
                "use a::{b, Vec, c};\nstruct S { a: <<Vec>> }",
                "use a::{b, c};\nstruct S { a: X }",
            ),
            (
                "use a::{b, c::{d, e}, Vec};\nstruct S { a: <<Vec>> }",
                "use a::{b, c::{d, e}};\nstruct S { a: X }",
            ),
        ] {
            assert_eq!(left(text), wanted);
        }
    }

    #[test]
    fn what_may_be_used_stays() {
        for text in [
            "use a::Vec;\nstruct S { a: <<Vec>>, b: Vec }",
            "pub use a::Vec;\nstruct S { a: <<Vec>> }",
            "#[cfg(x)]\nuse a::Vec;\nstruct S { a: <<Vec>> }",
            "use a::Vec as V;\nstruct S { a: <<Vec>> }",
            "use a::Vec;\nmod b;\nstruct S { a: <<Vec>> }",
            "use a::Vec;\nours!();\nstruct S { a: <<Vec>> }",
            "use a::Vec;\nstruct S { #[x = \"Vec::new\"] a: <<Vec>> }",
        ] {
            let plain = text.replace("<<Vec>>", "X");
            assert_eq!(left(text), plain);
        }
    }
}
