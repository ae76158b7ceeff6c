//! Imports for types of std that edits name by their whole path.

use super::Editor;
use super::text::Tokens;
use crate::finding::Edit;
use crate::lower::Kind;
use crate::span::{FileId, Span};
use std::collections::BTreeSet;
use std::ops::Range;

/// Roots of the paths that edits write.
const ROOTS: &[&str] = &["::alloc::", "::core::", "::std::", "crate::"];

impl Editor<'_> {
    /// Replaces whole paths by names, and adds the imports; edits are sorted.
    pub(super) fn with_short_names(&self, mut edits: Vec<Edit>) -> Vec<Edit> {
        let mut files: Vec<FileId> = edits.iter().map(|e| e.span.file).collect();
        files.dedup();
        for file in files {
            let paths: BTreeSet<String> = edits
                .iter()
                .filter(|e| e.span.file == file)
                .flat_map(|e| whole_paths(&e.text).map(|range| e.text[range].to_owned()))
                .collect();
            for path in paths {
                self.shorten(&mut edits, file, &path);
            }
        }
        edits
    }

    /// Replaces one path in a file, if the name is free and an import has its place.
    fn shorten(&self, edits: &mut Vec<Edit>, file: FileId, path: &str) {
        let sources = &self.model.db.sources;
        let tokens = self.files.get(sources, file);
        let Some((_, name)) = path.rsplit_once("::") else {
            return;
        };
        let modules = self.words().modules_of(&tokens.source.path);
        let taken = modules.iter().any(|m| self.imports(*m, name));
        if modules.is_empty() || taken {
            return;
        }
        let names = |e: &Edit| {
            e.span.file == file && whole_paths(&e.text).any(|range| &e.text[range] == path)
        };
        let here = edits.iter().filter(|e| names(e));
        let mut here: Vec<Reach> = here.map(|e| reach(&tokens, e.span.start)).collect();
        here.retain(|of| *of != Reach::Never);
        let path_of_use = path.trim_start_matches("::");
        let import = match here.first() {
            _ if here.contains(&Reach::Always) => import(&tokens, file, path_of_use),
            // The code of one condition has an import under it.
            Some(Reach::Under(cfg)) if here.iter().all(|of| *of == here[0]) => {
                import_under(&tokens, file, path_of_use, cfg)
            }
            _ => None,
        };
        let Some(import) = import else {
            return;
        };
        let at = import.span;
        let covering = edits.iter().position(|e| {
            let (a, b) = (e.span, at);
            e.span.file == file && a.start <= b.end && b.start <= a.end
        });
        match covering.map(|n| &mut edits[n]) {
            None => {}
            // The import that the edits leave unused makes room.
            Some(gone) if gone.text.is_empty() && gone.span.start <= at.start => {
                let old = sources.text(gone.span);
                let alone = old.trim_end().ends_with(';') && old.matches(';').count() == 1;
                if !alone || old.contains('{') {
                    return;
                }
                gone.text = match at.start == at.end {
                    true => import.text.clone(),
                    false => format!("use {path_of_use};\n"),
                };
            }
            Some(_) => return,
        }
        for edit in edits.iter_mut().filter(|e| names(e)) {
            if reach(&tokens, edit.span.start) != Reach::Never {
                let mut places: Vec<_> = whole_paths(&edit.text).collect();
                places.retain(|range| &edit.text[range.clone()] == path);
                places.sort_unstable_by_key(|range| range.start);
                for range in places.into_iter().rev() {
                    edit.text.replace_range(range, name);
                }
            }
        }
        if covering.is_none() {
            let after = edits
                .iter()
                .position(|e| e.span.file == file && e.span.start > at.start);
            let end = edits.iter().rposition(|e| e.span.file == file);
            let end = end.map_or(edits.len(), |n| n + 1);
            edits.insert(after.unwrap_or(end), import);
        }
    }
}

/// Returns where paths such as `::std::path::Path` are in a text.
fn whole_paths(text: &str) -> impl Iterator<Item = Range<usize>> {
    let starts = ROOTS.iter().flat_map(|root| text.match_indices(root));
    starts.filter_map(|(start, root)| {
        let before = text[..start].chars().next_back();
        if before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '>' | ':')) {
            return None;
        }
        let word = |from: usize| {
            let rest = &text[from..];
            let len = rest.find(|c: char| !c.is_alphanumeric() && c != '_');
            from + len.unwrap_or(rest.len())
        };
        // Modules, and a type behind them.
        let mut name = start + root.len();
        let mut modules = 0;
        while !text[name..].starts_with(|c: char| c.is_uppercase()) {
            let end = word(name);
            if end == name || !text[end..].starts_with("::") {
                return None;
            }
            name = end + 2;
            modules += 1;
        }
        (modules > 0).then(|| start..word(name))
    })
}

/// Whether code sees what its file imports.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Reach {
    /// In every build.
    Always,
    /// In builds with this attribute's condition, by its text.
    Under(String),
    /// In some builds, or through the glob import of an inner module.
    Sometimes,
    Never,
}

fn reach(tokens: &Tokens, offset: u32) -> Reach {
    let mut reach = Reach::Always;
    let mut at = tokens.at(offset);
    while let Some(open) = tokens.outer(at) {
        if open >= 2 && tokens.is(open, b'{') && tokens.str(open - 2) == "mod" {
            let inside = open..tokens.list[open].mate as usize;
            let mut globs = inside.filter(|i| tokens.str(*i) == "super");
            if !globs.any(|i| tokens.ends_path_sep(i + 2) && tokens.is(i + 3, b'*')) {
                return Reach::Never;
            }
            reach = Reach::Sometimes;
        }
        at = open;
    }
    // Back to the start of the item.
    while at > 0 {
        let before = tokens.list[at - 1];
        match before.kind {
            Kind::Close if before.byte == b'}' => break,
            Kind::Close => {
                let open = before.mate as usize;
                let is_attribute = open > 0 && tokens.is(open - 1, b'#');
                if (open..at).any(|i| tokens.str(i) == "cfg") {
                    reach = match reach {
                        Reach::Always if is_attribute && tokens.str(open + 1) == "cfg" => {
                            Reach::Under(tokens.text(&(open - 1..at)).to_owned())
                        }
                        _ => Reach::Sometimes,
                    };
                }
                at = open;
            }
            _ if before.byte == b';' => break,
            _ => at -= 1,
        }
    }
    reach
}

/// A `use` declaration of a file's root.
struct Use {
    first: usize,
    /// The token of its semicolon.
    end: usize,
}

/// Returns the declarations that stand on their own lines without attributes.
fn uses(tokens: &Tokens) -> Vec<Use> {
    let mut list = Vec::new();
    let mut i = 0;
    while let Some(token) = tokens.list.get(i) {
        if token.kind == Kind::Open {
            i = token.mate as usize + 1;
            continue;
        }
        let before = i.checked_sub(1);
        let begins = before.is_none_or(|b| match tokens.str(b) {
            ";" | "}" => true,
            "]" => {
                let open = tokens.list[b].mate as usize;
                open > 0 && tokens.is(open - 1, b'!')
            }
            _ => false,
        });
        let line = &tokens.source.text[..token.start as usize];
        if tokens.str(i) == "use" && begins && (line.is_empty() || line.ends_with('\n')) {
            let mut end = i;
            while tokens.list.get(end).is_some_and(|t| t.byte != b';') {
                let of = tokens.list[end];
                end = if of.kind == Kind::Open {
                    of.mate as usize + 1
                } else {
                    end + 1
                };
            }
            list.push(Use { first: i, end });
            i = end;
        }
        i += 1;
    }
    list
}

/// Returns the edit that imports a path under a condition: on a line of its own, before the first
/// declaration.
fn import_under(tokens: &Tokens, file: FileId, path: &str, cfg: &str) -> Option<Edit> {
    let start = tokens.list[uses(tokens).first()?.first].start;
    let span = Span {
        file,
        start,
        end: start,
    };
    let text = format!("{cfg}\nuse {path};\n");
    Some(Edit { span, text })
}

/// Returns the edit that imports a path: into a declaration of the same module, or on a line of its
/// own beside those of std.
fn import(tokens: &Tokens, file: FileId, path: &str) -> Option<Edit> {
    let names: Vec<&str> = path.split("::").collect();
    let uses = uses(tokens);
    let joined = uses
        .iter()
        .filter_map(|of| joining(tokens, of.first + 1..of.end, &names, 0));
    // The deepest list that it belongs to.
    let joined = joined.reduce(|a, b| if b.0 > a.0 { b } else { a });
    if let Some((_, edit)) = joined {
        return Some(edit);
    }
    let text = |of: &Use| {
        let (start, end) = (
            tokens.list[of.first + 1].start,
            tokens.list.get(of.end)?.start,
        );
        Some(&tokens.source.text[start as usize..end as usize])
    };
    let is_own = path.starts_with("crate::");
    let is_std = |of: &&Use| {
        let root = tokens.str(of.first + 1);
        match is_own {
            true => root == "crate",
            false => matches!(root, "std" | "alloc" | "core"),
        }
    };
    let later = uses
        .iter()
        .filter(is_std)
        .find(|of| text(of).is_some_and(|t| t > path));
    let behind = uses.iter().rfind(is_std);
    let start = match (later, behind) {
        (Some(of), _) => tokens.list[of.first].start,
        (None, Some(of)) => behind_line(tokens, of)?,
        (None, None) if is_own => behind_line(tokens, uses.last()?)?,
        (None, None) => tokens.list[uses.first()?.first].start,
    };
    Some(Edit {
        span: Span {
            file,
            start,
            end: start,
        },
        text: format!("use {path};\n"),
    })
}

/// Returns the edit that adds a path to the declaration, or the element of one, in these tokens, and
/// how many of the path's names lead to its place there; `known` of them were before.
fn joining(
    tokens: &Tokens,
    within: Range<usize>,
    names: &[&str],
    known: usize,
) -> Option<(usize, Edit)> {
    let (mut at, mut known) = (within.start, known);
    let file = tokens.source.id;
    while known + 1 < names.len() && tokens.str(at) == names[known] && tokens.ends_path_sep(at + 2)
    {
        (at, known) = (at + 3, known + 1);
    }
    if known == 0 {
        return None;
    }
    let rest = names[known..].join("::");
    if at + 1 == within.end && tokens.is_ident(at) && known + 1 == names.len() {
        let leaf = tokens.list[at];
        let mut both = [rest.as_str(), tokens.str(at)];
        both.sort_unstable();
        let span = Span {
            file,
            start: leaf.start,
            end: leaf.end,
        };
        let text = format!("{{{}}}", both.join(", "));
        return Some((known, Edit { span, text }));
    }
    if !tokens.is(at, b'{') || tokens.list[at].mate as usize + 1 != within.end {
        return None;
    }
    let elements = tokens.elements(at);
    let deeper = elements.iter().filter_map(|e| {
        let found = joining(tokens, e.clone(), names, known)?;
        (found.0 > known).then_some(found)
    });
    if let Some(found) = deeper.max_by_key(|(depth, _)| *depth) {
        return Some(found);
    }
    let later = elements.iter().find(|e| {
        let old = tokens.text(e);
        old != "self" && old > rest.as_str()
    });
    let (of, text) = match later {
        Some(e) => (e, format!("{rest}, {}", tokens.text(e))),
        None => {
            let last = elements.last()?;
            (last, format!("{}, {rest}", tokens.text(last)))
        }
    };
    let span = Span {
        file,
        start: tokens.list[of.start].start,
        end: tokens.list[of.end - 1].end,
    };
    Some((known, Edit { span, text }))
}

/// Returns the start of the line behind a declaration.
fn behind_line(tokens: &Tokens, of: &Use) -> Option<u32> {
    let end = tokens.list.get(of.end)?.end as usize;
    let line = tokens.source.text[end..].find('\n')? + 1;
    Some((end + line) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Sources;

    fn tokens(text: &str) -> Tokens {
        let source = Sources::default().add("a.rs".into(), text.to_owned(), None);
        Tokens::of_text(source.id, text.to_owned())
    }

    fn imported(text: &str, path: &str) -> String {
        let tokens = tokens(text);
        let edit = import(&tokens, tokens.source.id, path).expect("it has a place");
        let mut new = text.to_owned();
        new.replace_range(edit.span.range(), &edit.text);
        new
    }

    #[test]
    fn an_import_joins_those_of_its_module() {
        for (text, wanted) in [
            (
                "use std::path::PathBuf;\n",
                "use std::path::{Path, PathBuf};\n",
            ),
            (
                "use std::path::{Component, PathBuf};\n",
                "use std::path::{Component, Path, PathBuf};\n",
            ),
            (
                "use std::path::{Component};\n",
                "use std::path::{Component, Path};\n",
            ),
            (
                "use std::io;\nuse std::sync::Arc;\n",
                "use std::io;\nuse std::path::Path;\nuse std::sync::Arc;\n",
            ),
            (
                "use std::io;\n\nuse a::b;\n",
                "use std::io;\nuse std::path::Path;\n\nuse a::b;\n",
            ),
            (
                "use std::{io, sync::Arc};\nuse std::fs;\n",
                "use std::{io, path::Path, sync::Arc};\nuse std::fs;\n",
            ),
            (
                "use std::{io, path::PathBuf};\n",
                "use std::{io, path::{Path, PathBuf}};\n",
            ),
            (
                "use std::{\n    io,\n    path::{self, PathBuf},\n};\n",
                "use std::{\n    io,\n    path::{self, Path, PathBuf},\n};\n",
            ),
            (
                "use {std::io, a};\n",
                "use std::path::Path;\nuse {std::io, a};\n",
            ),
            (
                "#![x]\n#[y]\nuse a;\nuse b::c;\nfn f() { use std::io; }\n",
                "#![x]\n#[y]\nuse a;\nuse std::path::Path;\nuse b::c;\nfn f() { use std::io; }\n",
            ),
            (
                "use std::path::PathBuf as P;\n",
                "use std::path::Path;\nuse std::path::PathBuf as P;\n",
            ),
        ] {
            assert_eq!(imported(text, "std::path::Path"), wanted);
        }
        let none = tokens("mod a;\nstruct S;\n");
        assert!(import(&none, none.source.id, "std::path::Path").is_none());
    }

    #[test]
    fn paths_in_texts_and_what_sees_an_import() {
        let text = "Box<::std::path::Path>, x::std::a::B, ::alloc::vec::Vec::new(), ::std::mem::take, crate::a::b::C { x }, crate::D";
        let mut found: Vec<&str> = whole_paths(text).map(|range| &text[range]).collect();
        found.sort_unstable();
        assert_eq!(
            found,
            ["::alloc::vec::Vec", "::std::path::Path", "crate::a::b::C"]
        );
        let at = |text: &str| {
            let tokens = tokens(text);
            let offset = text.find('@').expect("a mark");
            reach(&tokens, offset as u32)
        };
        assert_eq!(at("use a; struct S { a: @ }"), Reach::Always);
        let under = Reach::Under("#[cfg(x)]".to_owned());
        assert_eq!(at("#[cfg(x)] #[y] struct S { a: @ }"), under);
        assert_eq!(
            at("#[cfg(x)] #[cfg(y)] struct S { a: @ }"),
            Reach::Sometimes
        );
        assert_eq!(
            at("#[cfg(x)] mod m { use super::*; fn f() { @ } }"),
            Reach::Sometimes
        );
        assert_eq!(at("mod m { fn f() { @ } }"), Reach::Never);
    }
}
