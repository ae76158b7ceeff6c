//! Imports of std's types whose last use an edit takes away.

use super::Editor;
use super::text::Tokens;
use super::uses::{PLAIN, PRINT};
use crate::finding::Edit;
use crate::lower::Kind;
use crate::span::{FileId, Span};

/// Types that remedies take out of the code.
const TYPES: &[&str] = &["Arc", "Box", "OsString", "PathBuf", "Rc", "String", "Vec"];

/// Macros of std that take no expressions.
const NO_EXPRESSIONS: &[&str] = &["cfg", "concat", "env", "include_str"];

impl Editor<'_> {
    /// Edits, with those that take away imports that nothing uses any more.
    pub(super) fn with_imports(&self, mut edits: Vec<Edit>) -> Vec<Edit> {
        let sources = &self.model.db.sources;
        let mut files: Vec<FileId> = edits.iter().map(|e| e.span.file).collect();
        files.dedup();
        for file in files {
            let tokens = self.files.get(sources, file);
            let here: Vec<&Edit> = edits.iter().filter(|e| e.span.file == file).collect();
            let Some(gone) = unused(&tokens, file, &here) else {
                continue;
            };
            let apart = |edit: &Edit| {
                let (a, b) = (edit.span, gone.span);
                a.file != b.file || a.end < b.start || b.end < a.start
            };
            if edits.iter().all(apart) {
                // In their order.
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

/// What takes away the one import of a file that edits leave without a use.
fn unused(tokens: &Tokens, file: FileId, edits: &[&Edit]) -> Option<Edit> {
    let taken = |i: usize| {
        let token = tokens.list[i];
        let covers = |e: &Edit| e.span.start <= token.start && token.end <= e.span.end;
        edits.iter().any(|e| covers(e))
    };
    let all = 0..tokens.list.len();
    let gone = all.clone().filter(|&i| taken(i)).map(|i| tokens.str(i));
    let mut gone: Vec<&str> = gone.filter(|word| TYPES.contains(word)).collect();
    gone.sort_unstable();
    gone.dedup();
    let [name] = gone[..] else { return None };
    let word = |text: &str| {
        let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
        words.any(|w| w == name)
    };
    if edits.iter().any(|e| word(&e.text)) {
        return None;
    }
    // An attribute may name it in quotes.
    let names = |i: usize| match tokens.list[i].kind {
        Kind::Quoted => word(tokens.str(i)),
        _ => tokens.str(i) == name,
    };
    let mut left = all.clone().filter(|&i| !taken(i) && names(i));
    let leaf = left.next().filter(|_| left.next().is_none())?;
    // Modules in other files see what this one imports, and macros of ours may name it here.
    let elsewhere = |i: usize| {
        let module = tokens.str(i) == "mod" && tokens.str(i + 2) == ";";
        let called = tokens.is_ident(i)
            && tokens.is(i + 1, b'!')
            && tokens.list.get(i + 2).is_some_and(|t| t.kind == Kind::Open);
        // These name nothing of the module that calls them.
        let known = [PRINT, PLAIN, NO_EXPRESSIONS]
            .iter()
            .any(|list| list.contains(&tokens.str(i)));
        module || called && !known
    };
    if all.clone().any(elsewhere) {
        return None;
    }
    without(tokens, file, leaf)
}

/// What takes a name out of the `use` that it is a leaf of.
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
    // An attribute of its own would be left behind.
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
        // `{Name, Other}` is `Other`.
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

    /// A text in which what stands between `<<` and `>>` is taken away; what is left of it.
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
        let found = unused(&tokens, id, &[&edit]);
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
