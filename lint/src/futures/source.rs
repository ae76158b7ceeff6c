//! The source files of a build, as debug information and dumps name them.

use super::dump::Span;
use super::list;
use crate::coroutines::Stretch;
use crate::project::Project;
use crate::source::read;
use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Reads each file once.
pub struct Sources<'p> {
    project: &'p Project,
    files: Mutex<FxHashMap<PathBuf, Option<Arc<File>>>>,
}

struct File {
    text: String,
    /// Where each line begins.
    lines: Vec<usize>,
}

impl<'p> Sources<'p> {
    /// The files of a project.
    pub fn new(project: &'p Project) -> Sources<'p> {
        Sources {
            project,
            files: Mutex::default(),
        }
    }

    /// A path as the user knows it.
    pub fn relative(&self, file: &str) -> String {
        list::relative(self.project, file)
    }

    /// The path of a span as the user knows it: rustc is run in the workspace's root.
    pub fn of_span(&self, span: &Span) -> String {
        self.relative(&self.path(span).to_string_lossy())
    }

    fn path(&self, span: &Span) -> PathBuf {
        self.project.workspace_root.join(&span.file)
    }

    /// Whether a span is in the workspace, where the user could write something else.
    pub fn is_own(&self, span: &Span) -> bool {
        let path = crate::folded::folded(&self.path(span));
        path.starts_with(&self.project.workspace_root)
    }

    fn file(&self, path: &Path) -> Option<Arc<File>> {
        let mut files = self.files.lock();
        let entry = files.entry(path.to_owned());
        let file = entry.or_insert_with(|| {
            let text = read::text(path).ok()?;
            let ends = text.match_indices('\n').map(|(at, _)| at + 1);
            let lines = std::iter::once(0).chain(ends).collect();
            Some(Arc::new(File { text, lines }))
        });
        file.clone()
    }

    /// The expression before `.await`, if a span ends with that; on one line.
    pub fn awaited(&self, span: &Span) -> Option<String> {
        let file = self.file(&self.path(span))?;
        let words = file.text[file.awaited(span)?].split_whitespace();
        Some(words.collect::<Vec<_>>().join(" ").replace(" .", "."))
    }

    /// The bytes of that expression.
    pub fn bytes_awaited(&self, span: &Span) -> Option<Stretch> {
        let range = self.file(&self.path(span))?.awaited(span)?;
        Some(self.stretch(span, range))
    }

    /// The bytes of a span.
    pub fn bytes(&self, span: &Span) -> Option<Stretch> {
        let range = self.file(&self.path(span))?.range(span)?;
        Some(self.stretch(span, range))
    }

    /// Whether a span is the name that `let NAME = …` or `let NAME: T = …` declares.
    pub fn is_let(&self, span: &Span) -> bool {
        let file = self.file(&self.path(span));
        let Some((file, range)) = file.and_then(|file| {
            let range = file.range(span)?;
            Some((file, range))
        }) else {
            return false;
        };
        let before = file.text[..range.start].trim_end();
        let before = before.strip_suffix("mut").map_or(before, str::trim_end);
        let after = file.text[range.end..].trim_start();
        let is_given = after.starts_with('=') || after.starts_with(':');
        before.ends_with("let") && is_given && !after.starts_with("==")
    }

    fn stretch(&self, span: &Span, range: Range<usize>) -> Stretch {
        Stretch {
            file: self.of_span(span),
            start: range.start,
            end: range.end,
        }
    }

    /// The lines of the calls of a macro between two lines of a file, both included. Macros lie in
    /// files of their names, such as `join.rs` and `join_mod.rs`.
    pub fn calls(&self, file: &str, of: &str, lines: (u32, u32)) -> Option<Vec<u32>> {
        let stem = Path::new(of).file_stem()?.to_str()?;
        let is_meant = |name: &str| {
            let rest = stem.strip_prefix(name);
            !name.is_empty() && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('_'))
        };
        let file = self.file(&self.project.workspace_root.join(file))?;
        let mut found = Vec::new();
        for number in lines.0..=lines.1 {
            let start = *file.lines.get((number as usize).checked_sub(1)?)?;
            let line = file.text[start..].lines().next().unwrap_or_default();
            if line.trim_start().starts_with("//") {
                continue;
            }
            for (end, _) in line.match_indices('!') {
                let before = &line[..end];
                let start = before.rfind(|c: char| !c.is_alphanumeric() && c != '_');
                let name = &before[start.map_or(0, |at| at + 1)..];
                if is_meant(name) {
                    found.push(number);
                }
            }
        }
        Some(found)
    }
}

impl File {
    /// The bytes of the expression before `.await`, if a span ends with that.
    fn awaited(&self, span: &Span) -> Option<Range<usize>> {
        let range = self.range(span)?;
        let written = self.text[range.clone()].strip_suffix("await")?;
        let expression = written.trim_end().strip_suffix('.')?.trim_end();
        Some(range.start..range.start + expression.len())
    }

    /// The bytes of a span, whose columns count characters.
    fn range(&self, span: &Span) -> Option<Range<usize>> {
        let place = |(line, column): (u32, u32)| {
            let start = *self.lines.get((line as usize).checked_sub(1)?)?;
            let mut letters = self.text[start..].char_indices();
            let at = letters.nth((column as usize).checked_sub(1)?);
            Some(at.map_or(self.text.len(), |(at, _)| start + at))
        };
        let range = place(span.start)?..place(span.end)?;
        self.text.get(range.clone()).map(|_| range)
    }
}
