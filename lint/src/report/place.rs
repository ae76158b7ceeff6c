//! Spans as readers know them: file, line, column.

use crate::model::Model;
use crate::source::{SourceFile, Sources};
use crate::span::{FileId, Span};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// Turns spans into places.
pub struct Places {
    root: PathBuf,
    sources: Arc<Sources>,
}

/// A place: where a span begins and ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Relative to the workspace where it lies in it, else absolute; with `/`.
    pub file: String,
    /// 1-based line and column of the first character; columns in Unicode scalar values.
    pub start: (usize, usize),
    /// 1-based line and column behind the last character.
    pub end: (usize, usize),
}

impl Places {
    /// Places of a workspace.
    pub fn new(model: &Model<'static>) -> Places {
        Places {
            root: model.db.project.workspace_root.clone(),
            sources: model.db.sources.clone(),
        }
    }

    /// Places of texts below a folder.
    #[cfg(test)]
    pub fn of_sources(root: PathBuf, sources: Arc<Sources>) -> Places {
        Places { root, sources }
    }

    /// A text.
    pub fn file(&self, id: FileId) -> Arc<SourceFile> {
        self.sources.get(id)
    }

    /// The place in a real file that a span stands for.
    pub fn origin(&self, span: Span) -> Span {
        self.sources.origin(span).0
    }

    /// A file as it is shown.
    pub fn path(&self, path: &Path) -> String {
        relative(path, &self.root)
    }

    /// Where a span of a real file lies.
    pub fn of(&self, span: Span) -> Place {
        let file = self.file(span.file);
        Place {
            file: self.path(&file.path),
            start: line_col(&file, span.start),
            end: line_col(&file, span.end),
        }
    }
}

/// A path relative to a folder if it lies there, else as it is; `..` taken out where what stands
/// before it is known, with `/` on every system.
pub fn relative(path: &Path, folder: &Path) -> String {
    let mut folded = PathBuf::new();
    for part in path.components() {
        let before = folded.components().next_back();
        match (part, before) {
            (Component::ParentDir, Some(Component::Normal(_))) => {
                folded.pop();
            }
            (Component::CurDir, _) => {}
            _ => folded.push(part),
        }
    }
    let path = folded.strip_prefix(folder).unwrap_or(&folded);
    let text = path.to_string_lossy();
    match std::path::MAIN_SEPARATOR {
        '/' => text.into_owned(),
        other => text.replace(other, "/"),
    }
}

/// As rustc counts: a byte-order mark is no character.
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
