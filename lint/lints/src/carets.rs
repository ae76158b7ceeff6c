//! Tests that say under a line of Rust what is known of a part of it, in the manner of
//! rust-analyzer: `//  ^^^^ what is known`. `BLESS=1` writes what is found.

use crate::project::Project;
use crate::resolve::{Arenas, Db, load};
use crate::source::Sources;
use crate::span::{FileId, Span};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A file of cases, read as a crate of its own beside the real declarations of std.
pub(crate) struct Cases {
    path: PathBuf,
    text: String,
    /// The crate.
    pub db: &'static Db<'static>,
}

/// What stands under a line.
struct Note {
    /// What the carets point at.
    span: Span,
    /// The carets and all before them.
    carets: String,
    /// What is said of it.
    said: String,
}

impl Cases {
    /// Reads a file below `src`.
    pub(crate) fn read(path: &str) -> Cases {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(path);
        let text = std::fs::read_to_string(&path).unwrap();
        let sources = Arc::new(Sources::default());
        let root = PathBuf::from("cases/src/lib.rs");
        sources.add(root.clone(), text.clone(), None);
        let project: &'static Project = Box::leak(Box::new(Project::of_root(root)));
        let parsed = load::prefetch(project, &sources, &load::Early::default());
        let arenas: &'static Arenas<'static> = Box::leak(Box::default());
        let db = Db::new(project, sources, arenas, parsed);
        let db: &'static Db<'static> = Box::leak(Box::new(db));
        Cases { path, text, db }
    }

    /// Compares all notes with what is found at their places.
    pub(crate) fn check(&self, mut find: impl FnMut(Span) -> String) {
        let file = self.db.sources.load(Path::new("cases/src/lib.rs")).unwrap();
        let (mut right, mut wrong) = (String::new(), String::new());
        let mut notes = 0;
        let (mut at, mut above) = (0, 0);
        for (i, line) in self.text.split_inclusive('\n').enumerate() {
            let start = at;
            at += line.len();
            let Some(note) = note(line, above, file.id) else {
                above = start;
                right.push_str(line);
                continue;
            };
            notes += 1;
            let found = find(note.span);
            writeln!(right, "{} {found}", note.carets).unwrap();
            if found != note.said {
                let what = &self.text[note.span.range()];
                writeln!(wrong, "line {}: `{what}`", i + 1).unwrap();
                writeln!(wrong, "    said:  {}\n    found: {found}", note.said).unwrap();
            }
        }
        assert!(notes > 0, "{} has no case", self.path.display());
        let problems = self.db.problems.lock();
        assert!(problems.is_empty(), "{:?}", *problems);
        if std::env::var_os("BLESS").is_some() && right != self.text {
            std::fs::write(&self.path, right).unwrap();
            return;
        }
        assert!(wrong.is_empty(), "{}:\n{wrong}", self.path.display());
    }
}

/// The note that a line is, under the line that starts at `above`.
fn note(line: &str, above: usize, file: FileId) -> Option<Note> {
    let carets = line.trim_start().strip_prefix("//")?.trim_start();
    let count = carets.len() - carets.trim_start_matches('^').len();
    let column = line.find('^').filter(|_| count > 0)?;
    Some(Note {
        span: Span::new(file, above + column, above + column + count),
        carets: line[..column + count].to_owned(),
        said: carets[count..].trim().to_owned(),
    })
}
