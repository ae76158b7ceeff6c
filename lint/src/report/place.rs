//! Spans as file, line and column.

use crate::folded::folded;
use crate::model::Model;
use crate::resolve::Problem;
use crate::seen;
use crate::source::{SourceFile, Sources};
use crate::span::{FileId, Span};
use crate::visible::{self, Shown};
use rustc_hash::FxHashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Turns spans into places.
pub struct Places {
    root: PathBuf,
    sources: Arc<Sources>,
    /// True if symbolic links in paths are resolved.
    real: bool,
    /// Texts with invisible characters as escapes; `None` for texts without such characters.
    shown: Mutex<FxHashMap<FileId, Option<Arc<Shown>>>>,
    /// Paths in this folder are relative even if that takes `..`.
    within: Option<PathBuf>,
}

/// The start and end of a span in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Relative to the workspace or repository if it is inside, otherwise absolute; with `/`.
    pub file: String,
    /// 1-based line and column of the first character; columns in Unicode scalar values.
    pub start: (usize, usize),
    /// 1-based line and column after the last character.
    pub end: (usize, usize),
}

impl Places {
    /// Places relative to the workspace.
    pub fn new(model: &Model<'static>) -> Places {
        let root = model.db.project.workspace_root.clone();
        Places::of_sources(root, model.db.sources.clone())
    }

    /// Places relative to a folder.
    pub fn of_sources(root: PathBuf, sources: Arc<Sources>) -> Places {
        Places {
            root,
            sources,
            real: false,
            shown: Mutex::default(),
            within: None,
        }
    }

    /// Places relative to the current folder, if that is in the workspace.
    pub fn from_here(model: &Model<'static>) -> Places {
        let places = Places::new(model);
        match std::env::current_dir() {
            Ok(here) if here.starts_with(&places.root) => Places {
                within: Some(places.root),
                root: here,
                ..places
            },
            _ => places,
        }
    }

    /// Places relative to the repository of a folder, or to the folder if there is none.
    pub fn of_repository(folder: &Path, sources: Arc<Sources>) -> Places {
        let folder = seen::real(folder).unwrap_or_else(|_| folder.to_owned());
        let root = folder.ancestors().find(|f| seen::exists(&f.join(".git")));
        Places {
            root: root.unwrap_or(&folder).to_owned(),
            sources,
            real: true,
            shown: Mutex::default(),
            within: None,
        }
    }

    /// Returns a source file.
    pub fn file(&self, id: FileId) -> Arc<SourceFile> {
        self.sources.get(id)
    }

    /// Returns a text with invisible characters as escapes, if it has such characters.
    pub(super) fn shown(&self, id: FileId) -> Option<Arc<Shown>> {
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        let of = || Shown::of(&self.file(id).text).map(Arc::new);
        shown.entry(id).or_insert_with(of).clone()
    }

    /// Returns the span in a real file that a span of expanded code comes from.
    pub fn origin(&self, span: Span) -> Span {
        self.sources.origin(span).0
    }

    /// Returns the path of a file as it is printed.
    pub fn path(&self, path: &Path) -> String {
        let real = match self.real {
            true => seen::real(path).ok(),
            false => None,
        };
        match real.filter(|p| p.starts_with(&self.root)) {
            Some(real) => relative(&real, &self.root),
            None => self.upwards(path),
        }
    }

    /// Returns a path that may be outside the root.
    fn upwards(&self, path: &Path) -> String {
        let mut up = String::new();
        for folder in self.root.ancestors() {
            let beside = (self.within.as_ref()).is_some_and(|within| folder.starts_with(within));
            if folder != self.root && !beside {
                break;
            }
            let shown = relative(path, folder);
            if !Path::new(&shown).is_absolute() {
                return up + &shown;
            }
            up.push_str("../");
        }
        relative(path, &self.root)
    }

    /// Returns file and line of a span, in the form that terminals and editors link.
    pub fn line(&self, span: Span) -> String {
        let place = self.of(span);
        format!("{}:{}", visible::line(&place.file), place.start.0)
    }

    /// Returns the place of a problem; the start of its file if nothing more precise is known.
    pub fn of_problem(&self, problem: &Problem) -> Option<Place> {
        match (problem.span, &problem.file) {
            (Some(span), _) => Some(self.of(self.origin(span))),
            (None, Some(file)) => Some(Place {
                file: self.path(file),
                start: (1, 1),
                end: (1, 1),
            }),
            (None, None) => None,
        }
    }

    /// Returns the place of a span in a real file.
    pub fn of(&self, span: Span) -> Place {
        let file = self.file(span.file);
        Place {
            file: self.path(&file.path),
            start: line_col(&file, span.start),
            end: line_col(&file, span.end),
        }
    }
}

/// Returns a path relative to a folder if it is inside, otherwise unchanged; `..` is resolved if
/// possible, and the separator is `/` on every system.
pub fn relative(path: &Path, folder: &Path) -> String {
    let folded = folded(path);
    let path = folded.strip_prefix(folder).unwrap_or(&folded);
    let text = path.to_string_lossy();
    match std::path::MAIN_SEPARATOR {
        '/' => text.into_owned(),
        other => text.replace(other, "/"),
    }
}

/// Returns line and column as rustc counts them: a byte-order mark is not a character.
pub fn line_col(file: &SourceFile, offset: u32) -> (usize, usize) {
    let (line, column) = file.line_col(offset);
    let mark = line == 1 && column > 1 && file.text.starts_with('\u{feff}');
    (line, column - usize::from(mark))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_characters_and_no_mark() {
        let sources = Sources::default();
        let text = "\u{feff}é🦀x\ny";
        let file = sources.add("a.rs".into(), text.to_owned(), None);
        let at = |c: char| line_col(&file, text.find(c).unwrap() as u32);
        assert_eq!((at('é'), at('x'), at('y')), ((1, 1), (1, 3), (2, 1)));
    }

    #[test]
    fn from_a_folder_of_the_workspace() {
        let places = Places {
            within: Some("/w/demo".into()),
            ..Places::of_sources("/w/demo/a/src".into(), Arc::default())
        };
        for (path, shown) in [
            ("/w/demo/a/src/lib.rs", "lib.rs"),
            ("/w/demo/b/lib.rs", "../../b/lib.rs"),
            ("/w/demo/a/build.rs", "../build.rs"),
            ("/w/other/lib.rs", "/w/other/lib.rs"),
        ] {
            assert_eq!(places.path(Path::new(path)), shown);
        }
    }

    #[test]
    fn only_what_lies_inside_is_relative() {
        let root = Path::new("/w/demo");
        assert_eq!(relative(Path::new("/w/demo/src/a.rs"), root), "src/a.rs");
        assert_eq!(
            relative(Path::new("/w/demo2/src/a.rs"), root),
            "/w/demo2/src/a.rs"
        );
        assert_eq!(
            relative(Path::new("/w/demo/x/../src/./a.rs"), root),
            "src/a.rs"
        );
    }
}
