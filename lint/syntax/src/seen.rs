//! Records every question that a run asks the file system, with the data that a later run needs to
//! check that the answer is still the same.
//!
//! All file access during analysis goes through this module (`tests/house.rs` checks that).
//! Nothing is recorded before [`begin`] is called.

mod fact;

use fact::{Fact, Looked};
pub use fact::{Facts, Kind, Print, print};

use std::cell::RefCell;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

/// The facts of the run, while recording.
static NOTED: Mutex<Option<Facts>> = Mutex::new(None);

thread_local! {
    /// Those of this thread's [`apart`].
    static APART: RefCell<Option<Facts>> = const { RefCell::new(None) };
}

/// Passes the facts that this thread records to; `None` while it does not record.
fn noted<T>(work: impl FnOnce(Option<&mut Facts>) -> T) -> T {
    APART.with_borrow_mut(|apart| match apart {
        Some(facts) => work(Some(facts)),
        None => work(
            NOTED
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .as_mut(),
        ),
    })
}

/// Starts recording.
pub fn begin() {
    *NOTED.lock().unwrap_or_else(PoisonError::into_inner) = Some(Facts::default());
}

/// Stops recording; returns the facts recorded since [`begin`].
pub fn end() -> Option<Facts> {
    NOTED.lock().unwrap_or_else(PoisonError::into_inner).take()
}

/// Returns true while recording.
pub fn is_on() -> bool {
    noted(|noted| noted.is_some())
}

/// Runs `work` and returns the facts that this thread recorded during it, on or off; they are also
/// added to those of the run.
pub fn apart<T>(work: impl FnOnce() -> T) -> (T, Facts) {
    let before = APART.replace(Some(Facts::default()));
    let done = work();
    let facts = APART.replace(before).unwrap_or_default();
    add(&facts);
    (done, facts)
}

/// Adds facts of an earlier run that still hold.
pub fn add(facts: &Facts) {
    noted(|noted| noted.map(|noted| noted.join(facts)));
}

/// Marks the run as not repeatable, so that its result is not cached.
pub fn spoil() {
    noted(|noted| noted.map(Facts::spoil));
}

/// Records an answer, if the path was inspected for recording.
fn note(path: &Path, looked: Option<Looked>, answer: impl FnOnce(&mut Fact)) {
    if let Some(looked) = looked {
        noted(|noted| noted.map(|noted| noted.note(path, &looked, answer)));
    }
}

/// Returns the state of a path before a question about it; `None` when not recording.
fn look(path: &Path) -> Option<Looked> {
    is_on().then(|| Looked::at(path))
}

/// Returns the bytes of a file, read by the given function.
///
/// # Errors
/// The errors of the function.
pub fn bytes(path: &Path, read: impl FnOnce() -> io::Result<Vec<u8>>) -> io::Result<Vec<u8>> {
    let looked = look(path);
    let read = read();
    let text = looked
        .as_ref()
        .map(|_| read.as_ref().ok().map(|b| print(b)));
    note(path, looked, |fact| fact.text = text);
    read
}

/// Returns the kind of file behind a path, links followed.
pub fn kind(path: &Path) -> Kind {
    match look(path) {
        Some(looked) => {
            let kind = looked.kind();
            note(path, Some(looked), |fact| fact.kind = Some(kind));
            kind
        }
        None => Kind::of(fs::metadata(path).ok().as_ref()),
    }
}

/// Returns true if a path leads to a regular file.
pub fn is_file(path: &Path) -> bool {
    kind(path) == Kind::File
}

/// Returns true if a path leads to a folder.
pub fn is_dir(path: &Path) -> bool {
    kind(path) == Kind::Folder
}

/// Returns true if a path leads to a file of any kind.
pub fn exists(path: &Path) -> bool {
    kind(path) != Kind::Nothing
}

/// Returns the names in a folder, sorted.
///
/// # Errors
/// The folder cannot be read.
pub fn names(path: &Path) -> io::Result<Vec<OsString>> {
    let looked = look(path);
    let names = fact::names(path);
    let said = looked
        .as_ref()
        .map(|_| names.as_ref().ok().map(|n| fact::print_names(n)));
    note(path, looked, |fact| fact.names = said);
    names
}

/// Returns the modification time of a file, and its length in bytes.
///
/// # Errors
///
/// The file does not exist.
pub fn state(path: &Path) -> io::Result<(SystemTime, u64)> {
    let looked = look(path);
    let state = fs::metadata(path).and_then(|data| Ok((data.modified()?, data.len())));
    let said = looked.as_ref().map(|_| state.as_ref().ok().copied());
    note(path, looked, |fact| fact.state = said);
    state
}

/// Returns the canonical path, links followed.
///
/// # Errors
/// The path leads nowhere.
pub fn real(path: &Path) -> io::Result<PathBuf> {
    if !is_on() || cfg!(not(unix)) {
        let real = path.canonicalize();
        note(path, look(path), |fact| {
            fact.real = Some(real.as_ref().ok().cloned())
        });
        return real;
    }
    // A path that is no link itself lies in the canonical path of its folder, which is resolved
    // once for all files in it.
    if let Some(real) = noted(|noted| noted.and_then(|noted| noted.real(path))) {
        return real.ok_or_else(|| ErrorKind::NotFound.into());
    }
    let looked = Looked::at(path);
    let inside = path.parent().zip(path.file_name());
    let real = match inside.filter(|_| looked.is_plain()) {
        Some((folder, name)) if folder != Path::new("") => {
            note(path, Some(looked), |fact| fact.link = Some(false));
            let real = real(folder).map(|folder| folder.join(name));
            noted(|noted| noted.map(|noted| noted.remember(path, real.as_ref().ok())));
            return real;
        }
        _ => path.canonicalize(),
    };
    note(path, Some(looked), |fact| {
        fact.real = Some(real.as_ref().ok().cloned())
    });
    real
}

/// Returns an environment variable.
pub fn variable(name: &str) -> Option<OsString> {
    let value = std::env::var_os(name);
    noted(|noted| noted.map(|noted| noted.variable(name, value.as_deref())));
    value
}

/// Records a program: any change of its file makes it another program.
pub fn program(path: &Path) {
    note(path, look(path), |fact| fact.same = true);
}

/// Records the content of a file that another program reads, or that the file does not exist.
pub fn text(path: &Path) {
    if !is_on() {
        return;
    }
    // The first question about a path records its kind.
    if kind(path) == Kind::File {
        let read = || {
            let mut bytes = Vec::new();
            io::Read::read_to_end(&mut File::open(path)?, &mut bytes)?;
            Ok(bytes)
        };
        let _ = bytes(path, read);
    }
}

#[cfg(test)]
mod tests;
