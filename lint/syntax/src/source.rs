//! The texts of a run: files as stored and the output of macros, with line numbers and origins.

pub mod read;

use crate::seen;
use crate::span::{FileId, Span};
use rustc_hash::{FxHashMap, FxHashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, RwLock};

/// One text and its metadata.
pub struct SourceFile {
    /// Its number.
    pub id: FileId,
    /// Path as it was opened; for the output of a macro, a description in angle brackets.
    pub path: PathBuf,
    /// The text, byte for byte; empty while it is unloaded.
    pub text: String,
    /// For the output of a macro: the origin of its pieces.
    pub expansion: Option<Expansion>,
    /// Folders whose files may be quoted; unset, all files may be quoted.
    roots: Roots,
    is_foreign: OnceLock<bool>,
    lines: OnceLock<Vec<u32>>,
    /// True for a text with `#![macro_use]`.
    macro_use: OnceLock<bool>,
    /// Set while the text is unloaded; it is read again on demand.
    let_go: Option<LetGo>,
}

/// Folders with links resolved, unset until the project is known.
type Roots = Arc<OnceLock<FxHashSet<PathBuf>>>;

/// The expected length and hash of a text that is read again.
struct LetGo {
    len: usize,
    print: seen::Print,
}

/// The origin of the output of a macro.
pub struct Expansion {
    /// The macro call.
    pub call: Span,
    /// Number of the crate that defines the macro.
    pub krate: u32,
    /// True if calls in the macro's own body refer to macros of its crate: `local_inner_macros`.
    pub calls_own: bool,
    /// The outermost call, in a real file, that led to this one; may be the call itself.
    pub root: Span,
    /// Number of calls from the outermost one to this one, inclusive, as rustc counts them.
    pub depth: u32,
    /// Number of outputs from that of the outermost call to this one, inclusive: a text that was
    /// one call has no output of its own.
    pub level: u32,
    /// Copied pieces of the text in ascending order: a byte range of the output, and the range of
    /// the same length that it was copied from.
    pub pieces: Vec<Piece>,
}

/// One copied run of bytes in an [`Expansion`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Offset in the macro's output, in bytes.
    pub at: u32,
    /// The source of the copy.
    pub from: Span,
    /// True if it was an argument of the call (the author wrote it there), false if it is part of
    /// the macro's own body.
    pub from_args: bool,
}

impl SourceFile {
    fn new(
        id: FileId,
        path: PathBuf,
        text: String,
        expansion: Option<Expansion>,
        roots: Roots,
    ) -> SourceFile {
        SourceFile {
            id,
            path,
            text,
            expansion,
            roots,
            is_foreign: OnceLock::new(),
            lines: OnceLock::new(),
            macro_use: OnceLock::new(),
            let_go: None,
        }
    }

    /// Makes a file of its own of a text in another file; positions are relative to the text.
    pub fn of_part(id: FileId, text: String) -> SourceFile {
        SourceFile::new(id, PathBuf::new(), text, None, Roots::default())
    }

    /// Returns true if the file is outside the analysed packages and must not be quoted.
    pub fn is_foreign(&self) -> bool {
        let is_below = |roots: &FxHashSet<PathBuf>| {
            let real = seen::real(&self.path);
            real.is_ok_and(|path| path.ancestors().any(|above| roots.contains(above)))
        };
        let roots = self.roots.get();
        roots.is_some_and(|roots| *self.is_foreign.get_or_init(|| !is_below(roots)))
    }

    /// Size of the text in bytes, also while it is unloaded.
    fn size(&self) -> usize {
        let unloaded = self.let_go.as_ref();
        unloaded.map_or(self.text.len(), |unloaded| unloaded.len)
    }

    fn says_macro_use(&self) -> bool {
        *self.macro_use.get_or_init(|| says_macro_use(&self.text))
    }

    /// Offsets at which lines begin, in bytes.
    pub fn line_starts(&self) -> &[u32] {
        self.lines.get_or_init(|| {
            let mut starts = vec![0];
            starts.extend(
                self.text
                    .bytes()
                    .enumerate()
                    .filter(|&(_, b)| b == b'\n')
                    .map(|(i, _)| i as u32 + 1),
            );
            starts
        })
    }

    /// Returns the whole text.
    pub fn whole(&self) -> Span {
        Span::new(self.id, 0, self.text.len())
    }

    /// Returns the 1-based line and 1-based column, counted in Unicode scalar values as rustc
    /// counts them.
    pub fn line_col(&self, offset: u32) -> (usize, usize) {
        let starts = self.line_starts();
        let line = starts.partition_point(|&s| s <= offset) - 1;
        let begin = starts[line] as usize;
        let mut end = (offset as usize).min(self.text.len());
        while !self.text.is_char_boundary(end) {
            end -= 1;
        }
        (line + 1, self.text[begin..end].chars().count() + 1)
    }
}

fn says_macro_use(text: &str) -> bool {
    text.contains("#![macro_use]")
}

/// All texts of a run. Any thread may add texts, and none is removed; the text of a file can be
/// unloaded, and is read again on demand.
#[derive(Default)]
pub struct Sources {
    files: RwLock<Files>,
    /// Files with other content when they were read again.
    changed: Mutex<Vec<PathBuf>>,
    roots: Roots,
}

#[derive(Default)]
struct Files {
    list: Vec<Arc<SourceFile>>,
    by_path: FxHashMap<PathBuf, FileId>,
}

impl Sources {
    /// Restricts quotes to files below these folders, after links are resolved.
    pub fn quote_only(&self, roots: &FxHashSet<PathBuf>) {
        let real = |root: &PathBuf| seen::real(root).unwrap_or_else(|_| root.clone());
        // The first call decides.
        let _ = self.roots.set(roots.iter().map(real).collect());
    }

    /// Returns the text with this number.
    pub fn get(&self, id: FileId) -> Arc<SourceFile> {
        self.whole(self.about(id))
    }

    /// Returns the metadata of the text with this number; the text itself is empty while it is
    /// unloaded.
    pub fn about(&self, id: FileId) -> Arc<SourceFile> {
        self.files.read().unwrap().list[id.0 as usize].clone()
    }

    /// Unloads the text of a file until the next use.
    pub fn let_go(&self, source: &SourceFile) {
        if source.let_go.is_some() || source.expansion.is_some() {
            return;
        }
        source.says_macro_use();
        let mut about = SourceFile::new(
            source.id,
            source.path.clone(),
            String::new(),
            None,
            source.roots.clone(),
        );
        about.macro_use = source.macro_use.clone();
        about.let_go = Some(LetGo {
            len: source.text.len(),
            print: seen::print(source.text.as_bytes()),
        });
        self.files.write().unwrap().list[source.id.0 as usize] = Arc::new(about);
    }

    /// Unloads the texts of those of the given files that were read.
    pub fn let_go_of<'p>(&self, paths: impl Iterator<Item = &'p Path>) {
        for path in paths {
            if let Some(file) = self.known(path) {
                self.let_go(&file);
            }
        }
    }

    /// Returns the file with its text, which is read again if it was unloaded.
    fn whole(&self, file: Arc<SourceFile>) -> Arc<SourceFile> {
        let Some(LetGo { len, print }) = &file.let_go else {
            return file;
        };
        let is_same = |text: &String| seen::print(text.as_bytes()) == *print;
        let text = read::text(&file.path).ok().filter(is_same);
        let text = text.unwrap_or_else(|| {
            // Existing spans into the text must stay valid.
            seen::spoil();
            self.changed.lock().unwrap().push(file.path.clone());
            " ".repeat(*len)
        });
        let (path, roots) = (file.path.clone(), file.roots.clone());
        let mut again = SourceFile::new(file.id, path, text, None, roots);
        again.macro_use = file.macro_use.clone();
        let mut files = self.files.write().unwrap();
        let known = &mut files.list[file.id.0 as usize];
        if known.let_go.is_some() {
            *known = Arc::new(again);
        }
        known.clone()
    }

    /// Files that were changed while they were read.
    pub fn changed(&self) -> Vec<PathBuf> {
        let mut list = self.changed.lock().unwrap().clone();
        list.sort();
        list.dedup();
        list
    }

    /// Returns the record of a file, if it was read.
    fn known(&self, path: &Path) -> Option<Arc<SourceFile>> {
        // One read lock for both lookups: a second read lock would wait for a waiting writer.
        let files = self.files.read().unwrap();
        let id = files.by_path.get(path)?;
        Some(files.list[id.0 as usize].clone())
    }

    /// Returns the size of a file in bytes; 0 if it was not read.
    pub fn size_of(&self, path: &Path) -> usize {
        self.known(path).map_or(0, |file| file.size())
    }

    /// Returns true for a file with `#![macro_use]`. The text is not stored, it may have no other
    /// use.
    pub fn says_macro_use(&self, path: &Path) -> bool {
        match self.known(path) {
            Some(file) => file.says_macro_use(),
            None => read::text(path).is_ok_and(|text| says_macro_use(&text)),
        }
    }

    /// Returns the part of a text that a span covers.
    pub fn text(&self, span: Span) -> String {
        self.get(span.file).text[span.range()].to_owned()
    }

    /// Reads a file once; a second call for the same path returns the same number.
    ///
    /// # Errors
    /// The file cannot be read, is not UTF-8, or no regular file (see [`read::bytes`]).
    pub fn load(&self, path: &Path) -> Result<Arc<SourceFile>, String> {
        if let Some(file) = self.known(path) {
            return Ok(self.whole(file));
        }
        let bytes = read::bytes(path).map_err(|e| format!("cannot read the file: {e}"))?;
        let text = String::from_utf8(bytes).map_err(|e| {
            let good = e.utf8_error().valid_up_to();
            let line = e.as_bytes()[..good].iter().filter(|&&b| b == b'\n').count() + 1;
            format!("the file is not UTF-8 (line {line}, byte {good})")
        })?;
        Ok(self.insert(path.to_owned(), text, None, self.roots.clone()))
    }

    /// Adds a text that is not the content of a file.
    pub fn add(
        &self,
        path: PathBuf,
        text: String,
        expansion: Option<Expansion>,
    ) -> Arc<SourceFile> {
        self.insert(path, text, expansion, Roots::default())
    }

    fn insert(
        &self,
        path: PathBuf,
        mut text: String,
        mut expansion: Option<Expansion>,
        roots: Roots,
    ) -> Arc<SourceFile> {
        // The text stays in memory to the end of the run.
        text.shrink_to_fit();
        if let Some(expansion) = &mut expansion {
            expansion.pieces.shrink_to_fit();
        }
        let mut files = self.files.write().unwrap();
        if expansion.is_none()
            && let Some(&id) = files.by_path.get(&path)
        {
            let known = files.list[id.0 as usize].clone();
            drop(files);
            return self.whole(known);
        }
        let id = FileId(files.list.len() as u32);
        let file = Arc::new(SourceFile::new(id, path, text, expansion, roots));
        if file.expansion.is_none() {
            files.by_path.insert(file.path.clone(), id);
        }
        files.list.push(file.clone());
        file
    }

    /// Returns the place in a real file that a span represents: the span itself; in the output of a
    /// macro the argument that it was copied from (`true`), else the macro call (`false`).
    pub fn origin(&self, span: Span) -> (Span, bool) {
        let mut span = span;
        let mut written = true;
        loop {
            let file = self.about(span.file);
            let Some(expansion) = &file.expansion else {
                return (span, written);
            };
            let i = expansion.pieces.partition_point(|p| p.at <= span.start);
            let piece = i.checked_sub(1).map(|i| expansion.pieces[i]);
            match piece {
                Some(p) if p.from_args && span.start < p.at + p.from.end - p.from.start => {
                    let start = p.from.start + (span.start - p.at);
                    let end = (start + (span.end - span.start)).min(p.from.end);
                    span = Span {
                        file: p.from.file,
                        start,
                        end,
                    };
                }
                _ => {
                    span = expansion.call;
                    written = false;
                }
            }
        }
    }

    /// Returns the macro output that took a place from the macro's own body; for a place that comes
    /// from no macro body, the file.
    pub fn writer(&self, mut span: Span) -> Arc<SourceFile> {
        loop {
            let source = self.about(span.file);
            let Some(expansion) = &source.expansion else {
                return source;
            };
            let pieces = &expansion.pieces;
            let behind = pieces.partition_point(|p| p.at <= span.start);
            let piece = behind.checked_sub(1).map(|i| pieces[i]);
            match piece.filter(|p| p.from_args) {
                Some(p) => {
                    let start = (p.from.start + (span.start - p.at)) as usize;
                    span = Span::new(p.from.file, start, start);
                }
                None => return source,
            }
        }
    }

    /// Returns the outputs of macros.
    pub fn of_macros(&self) -> Vec<Arc<SourceFile>> {
        let files = self.files.read().unwrap();
        let written = files.list.iter().filter(|f| f.expansion.is_some());
        written.cloned().collect()
    }

    /// Returns the size of all files and macro outputs, in bytes.
    pub fn bytes(&self) -> usize {
        let files = self.files.read().unwrap();
        files.list.iter().map(|file| file.size()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::Sources;
    use crate::span::FileId;
    use std::io::Write;
    use std::path::{Path, PathBuf};
    use std::sync::{Arc, mpsc};
    use std::time::Duration;
    use tempfile::TempPath;

    /// Returns a file whose text was read and unloaded.
    fn let_go(text: &str) -> (Sources, FileId, TempPath) {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(text.as_bytes()).unwrap();
        let path = file.into_temp_path();
        let sources = Sources::default();
        let id = sources.load(&path).unwrap().id;
        sources.let_go_of([&*path].into_iter());
        (sources, id, path)
    }

    #[test]
    fn a_text_that_is_let_go_is_read_again() {
        let (sources, id, path) = let_go("#![macro_use]\nstruct A;\n");
        assert_eq!(sources.about(id).text, "");
        assert!(sources.says_macro_use(&path));
        assert_eq!(sources.about(id).text, "", "nobody has asked for it");
        assert_eq!(sources.get(id).text, "#![macro_use]\nstruct A;\n");
        assert_eq!(sources.get(id).line_col(14), (2, 1));
        assert!(sources.changed().is_empty());
    }

    /// Tests that existing spans stay within the text, and that the change is reported.
    #[test]
    fn a_text_that_is_another_one_now_is_blank() {
        let (sources, id, path) = let_go("struct A;\n");
        std::fs::write(&path, "é").unwrap();
        let again = sources.load(&path).unwrap();
        assert_eq!((again.id, &*again.text), (id, " ".repeat(10).as_str()));
        assert_eq!(sources.changed(), [path.to_path_buf()]);
    }

    /// Tests that two threads that look up a file and two that add files do not deadlock.
    #[test]
    fn known_files_are_found_while_others_are_added() {
        let sources = Arc::new(Sources::default());
        sources.add(PathBuf::from("known"), String::new(), None);
        let (done, waits) = mpsc::channel();
        for thread in 0..4 {
            let (sources, done) = (sources.clone(), done.clone());
            std::thread::spawn(move || {
                for _ in 0..100_000 {
                    match thread % 2 {
                        0 => assert!(sources.load(Path::new("known")).is_ok()),
                        _ => drop(sources.add(PathBuf::from("other"), String::new(), None)),
                    }
                }
                done.send(())
            });
        }
        for _ in 0..4 {
            let ended = waits.recv_timeout(Duration::from_secs(60));
            assert!(ended.is_ok(), "they wait for each other");
        }
    }
}
