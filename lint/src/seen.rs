//! What a run has asked the file system: every question, with what a later run needs to tell
//! whether it would get the same answer.
//!
//! Whoever reads a file or looks for one while code is analysed asks here; `tests/house.rs` keeps
//! it so. Nothing is noted unless [`begin`] was called.

mod fact;

use fact::{Fact, Looked};
pub use fact::{Facts, Kind, Print, print};

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

static NOTED: Mutex<Option<Facts>> = Mutex::new(None);

fn noted() -> MutexGuard<'static, Option<Facts>> {
    NOTED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// From now on what is asked is noted.
pub fn begin() {
    *noted() = Some(Facts::default());
}

/// What was asked since [`begin`]; nothing more is noted.
pub fn end() -> Option<Facts> {
    noted().take()
}

/// True if what is asked is noted.
pub fn is_on() -> bool {
    noted().is_some()
}

/// What is asked while `work` is done, by itself; where the run notes, it counts as asked there.
pub fn apart<T>(work: impl FnOnce() -> T) -> (T, Facts) {
    let before = noted().replace(Facts::default());
    let done = work();
    let facts = noted().take().unwrap_or_default();
    *noted() = before;
    add(&facts);
    (done, facts)
}

/// Notes what an earlier run has asked, and what holds still.
pub fn add(facts: &Facts) {
    if let Some(noted) = noted().as_mut() {
        noted.join(facts);
    }
}

/// The run has asked something that nobody can repeat: it is not kept.
pub fn spoil() {
    if let Some(noted) = noted().as_mut() {
        noted.spoil();
    }
}

/// Notes an answer; what is asked is looked at only where it is noted.
fn note(path: &Path, looked: Option<Looked>, answer: impl FnOnce(&mut Fact)) {
    if let Some(looked) = looked
        && let Some(noted) = noted().as_mut()
    {
        noted.note(path, &looked, answer);
    }
}

/// How a path looks before something is asked of it, if that is to be noted.
fn look(path: &Path) -> Option<Looked> {
    is_on().then(|| Looked::at(path))
}

/// The bytes of a file, by a function that reads it.
///
/// # Errors
/// Those of the function.
pub fn bytes(path: &Path, read: impl FnOnce() -> io::Result<Vec<u8>>) -> io::Result<Vec<u8>> {
    let looked = look(path);
    let read = read();
    let text = looked
        .as_ref()
        .map(|_| read.as_ref().ok().map(|b| print(b)));
    note(path, looked, |fact| fact.text = text);
    read
}

/// What a path leads to.
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

/// A path leads to a regular file.
pub fn is_file(path: &Path) -> bool {
    kind(path) == Kind::File
}

/// A path leads to a folder.
pub fn is_dir(path: &Path) -> bool {
    kind(path) == Kind::Folder
}

/// A path leads to something.
pub fn exists(path: &Path) -> bool {
    kind(path) != Kind::Nothing
}

/// The names in a folder, sorted.
///
/// # Errors
/// It cannot be read.
pub fn names(path: &Path) -> io::Result<Vec<OsString>> {
    let looked = look(path);
    let names = fact::names(path);
    let said = looked
        .as_ref()
        .map(|_| names.as_ref().ok().map(|n| fact::print_names(n)));
    note(path, looked, |fact| fact.names = said);
    names
}

/// When a file was last written, and its length in bytes.
///
/// # Errors
/// It is not there.
pub fn state(path: &Path) -> io::Result<(SystemTime, u64)> {
    let looked = look(path);
    let state = fs::metadata(path).and_then(|data| Ok((data.modified()?, data.len())));
    let said = looked.as_ref().map(|_| state.as_ref().ok().copied());
    note(path, looked, |fact| fact.state = said);
    state
}

/// Where a path leads, links followed.
///
/// # Errors
/// It leads nowhere.
pub fn real(path: &Path) -> io::Result<PathBuf> {
    if !is_on() || cfg!(not(unix)) {
        let real = path.canonicalize();
        note(path, look(path), |fact| {
            fact.real = Some(real.as_ref().ok().cloned())
        });
        return real;
    }
    // What is no link itself lies where its folder does: of the files of a folder only the first
    // has to go all the way.
    if let Some(real) = noted().as_ref().and_then(|noted| noted.real(path)) {
        return real.ok_or_else(|| ErrorKind::NotFound.into());
    }
    let looked = Looked::at(path);
    let inside = path.parent().zip(path.file_name());
    let real = match inside.filter(|_| looked.is_plain()) {
        Some((folder, name)) if folder != Path::new("") => {
            note(path, Some(looked), |fact| fact.link = Some(false));
            let real = real(folder).map(|folder| folder.join(name));
            if let Some(noted) = noted().as_mut() {
                noted.remember(path, real.as_ref().ok());
            }
            return real;
        }
        _ => path.canonicalize(),
    };
    note(path, Some(looked), |fact| {
        fact.real = Some(real.as_ref().ok().cloned())
    });
    real
}

/// A variable of the environment.
pub fn variable(name: &str) -> Option<OsString> {
    let value = std::env::var_os(name);
    if let Some(noted) = noted().as_mut() {
        noted.variable(name, value.as_deref());
    }
    value
}

/// Notes a program: whatever changes about its file, it is another one.
pub fn program(path: &Path) {
    note(path, look(path), |fact| fact.same = true);
}

/// Notes the text of a file that others read, or that it is not there.
pub fn text(path: &Path) {
    if !is_on() {
        return;
    }
    // What is asked of it first says what it is.
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
