//! The recorded facts about one path, and the check that they are still true.

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use twox_hash::XxHash3_128;

/// A 128-bit hash of bytes: wide enough that texts of one project do not collide by chance.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct Print(u64, u64);

impl Print {
    /// Returns the hash as hexadecimal digits.
    pub fn hex(self) -> String {
        format!("{:016x}{:016x}", self.0, self.1)
    }
}

/// Returns the hash of bytes.
pub fn print(bytes: &[u8]) -> Print {
    let print = XxHash3_128::oneshot(bytes);
    Print((print >> 64) as u64, print as u64)
}

/// The kind of file behind a path, links followed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Kind {
    /// No file, or none that can be inspected.
    Nothing,
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A pipe, a device or a socket.
    Other,
}

impl Kind {
    pub(super) fn of(data: Option<&Metadata>) -> Kind {
        match data {
            None => Kind::Nothing,
            Some(data) if data.is_file() => Kind::File,
            Some(data) if data.is_dir() => Kind::Folder,
            Some(_) => Kind::Other,
        }
    }
}

/// Seconds and nanoseconds since the Unix epoch.
type Time = (i64, u32);

/// Metadata of a file, which represents its content.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct Stamp {
    size: u64,
    written: Time,
    /// Time of the last change of content or metadata, which programs cannot set; Unix only.
    changed: Option<Time>,
    /// Device and inode.
    place: Option<(u64, u64)>,
}

impl Stamp {
    fn of(data: &Metadata) -> Stamp {
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            let nanos = |n: i64| u32::try_from(n).unwrap_or(0);
            Stamp {
                size: data.len(),
                written: (data.mtime(), nanos(data.mtime_nsec())),
                changed: Some((data.ctime(), nanos(data.ctime_nsec()))),
                place: Some((data.dev(), data.ino())),
            }
        }
        #[cfg(not(unix))]
        Stamp {
            size: data.len(),
            written: data.modified().map_or((0, 0), time),
            changed: None,
            place: None,
        }
    }

    /// Returns true if the file has not changed since shortly before `at`. Clocks of file systems
    /// are coarse: a file that changed in the tick of the inspection may change again in the same
    /// tick.
    fn is_older(&self, at: Time) -> bool {
        let changed = self.changed.unwrap_or(self.written);
        let tick = match changed.1 {
            // The resolution is one or two seconds.
            0 => COARSE,
            _ => FINE,
        };
        let at = Duration::new(u64::try_from(at.0).unwrap_or(0), at.1);
        let changed = Duration::new(u64::try_from(changed.0).unwrap_or(0), changed.1);
        changed + tick < at
    }
}

/// More than a tick of a file system with times in nanoseconds.
const FINE: Duration = Duration::from_millis(50);
/// More than a tick of a file system with times in seconds.
const COARSE: Duration = Duration::from_secs(3);

fn time(at: SystemTime) -> Time {
    match at.duration_since(UNIX_EPOCH) {
        Ok(since) => (since.as_secs().cast_signed(), since.subsec_nanos()),
        Err(before) => (-before.duration().as_secs().cast_signed(), 0),
    }
}

/// The state of a path at a moment.
pub(super) struct Looked {
    at: Time,
    /// True if the path itself is a link.
    link: bool,
    data: Option<Metadata>,
}

impl Looked {
    pub(super) fn at(path: &Path) -> Looked {
        let at = time(SystemTime::now());
        let own = fs::symlink_metadata(path).ok();
        let link = own.as_ref().is_some_and(Metadata::is_symlink);
        let data = if link { fs::metadata(path).ok() } else { own };
        Looked { at, link, data }
    }

    pub(super) fn kind(&self) -> Kind {
        Kind::of(self.data.as_ref())
    }

    /// Returns true if the path exists and is not a link.
    pub(super) fn is_plain(&self) -> bool {
        !self.link && self.data.is_some()
    }

    fn stamp(&self) -> Option<Stamp> {
        self.data.as_ref().map(Stamp::of)
    }

    /// Returns the stamp, if the file is unchanged as long as its stamp is.
    fn sure(&self) -> Option<Stamp> {
        let stamp = self.stamp()?;
        (stamp.changed.is_some() && stamp.is_older(self.at)).then_some(stamp)
    }
}

/// Returns the names in a folder, sorted.
pub(super) fn names(path: &Path) -> io::Result<Vec<OsString>> {
    let entries = fs::read_dir(path)?.flatten();
    let mut names: Vec<OsString> = entries.map(|entry| entry.file_name()).collect();
    names.sort_unstable();
    Ok(names)
}

pub(super) fn print_names(names: &[OsString]) -> Print {
    let mut all = Vec::new();
    for name in names {
        all.extend_from_slice(name.as_encoded_bytes());
        all.push(0);
    }
    print(&all)
}

/// The questions about a path with their answers; `None` for a question that was not asked.
#[derive(Clone, Default, PartialEq, Debug, Serialize, Deserialize)]
pub(super) struct Fact {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) kind: Option<Kind>,
    /// True if the path itself is a link.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) link: Option<bool>,
    /// The hash of the content; `Some(None)` if it could not be read.
    #[serde(default, with = "twice", skip_serializing_if = "Option::is_none")]
    pub(super) text: Option<Option<Print>>,
    /// The hash of the names in a folder.
    #[serde(default, with = "twice", skip_serializing_if = "Option::is_none")]
    pub(super) names: Option<Option<Print>>,
    /// Modification time and length in bytes.
    #[serde(default, with = "twice", skip_serializing_if = "Option::is_none")]
    pub(super) state: Option<Option<(SystemTime, u64)>>,
    #[serde(default, with = "twice", skip_serializing_if = "Option::is_none")]
    pub(super) real: Option<Option<PathBuf>>,
    /// True if the fact is valid only while the stamp is the same.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) same: bool,
    /// The stamp of the path for which the answers are valid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    stamp: Option<Stamp>,
}

/// JSON has one `null`: the inner `Option` is written as a list with one element or none.
mod twice {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(super) fn serialize<T: Serialize, S: Serializer>(
        value: &Option<Option<T>>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        let list: Option<Vec<&T>> = value.as_ref().map(|value| value.iter().collect());
        list.serialize(to)
    }

    pub(super) fn deserialize<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Option<Option<T>>, D::Error> {
        let list = Option::<Vec<T>>::deserialize(from)?;
        Ok(list.map(|list| list.into_iter().next()))
    }
}

impl Fact {
    /// Asks the same questions again; `None` if an answer differs.
    fn again(&self, path: &Path) -> Option<Fact> {
        let looked = Looked::at(path);
        if self.link.is_some_and(|link| link != looked.link) {
            return None;
        }
        let stamp = looked.stamp();
        if self.same {
            return (self.stamp == stamp).then(|| self.clone());
        }
        let there = |real: &Option<PathBuf>| path.canonicalize().ok() == *real;
        if !self.real.as_ref().is_none_or(there) {
            return None;
        }
        if self.stamp.is_some() && self.stamp == stamp {
            return Some(self.clone());
        }
        let kind = looked.kind();
        let holds = self.kind.is_none_or(|old| old == kind)
            && self.text.is_none_or(|old| old == text(path, kind))
            && self.names.is_none_or(|old| {
                let names = names(path).ok();
                old == names.map(|names| print_names(&names))
            })
            && self.state.is_none_or(|old| {
                let data = looked.data.as_ref();
                old == data.and_then(|data| Some((data.modified().ok()?, data.len())))
            });
        holds.then(|| Fact {
            stamp: looked.sure(),
            ..self.clone()
        })
    }

    /// Merges facts about the same path; false if they do not agree.
    fn join(&mut self, other: &Fact) -> bool {
        fn both<T: Clone + PartialEq>(own: &mut Option<T>, other: &Option<T>) -> bool {
            match (&own, other) {
                (Some(own), Some(other)) => own == other,
                (None, Some(_)) => {
                    own.clone_from(other);
                    true
                }
                (_, None) => true,
            }
        }
        // The file changed between the two inspections: neither stamp is valid.
        if self.stamp != other.stamp {
            if self.same || other.same {
                return false;
            }
            self.stamp = None;
        }
        self.same |= other.same;
        both(&mut self.kind, &other.kind)
            && both(&mut self.link, &other.link)
            && both(&mut self.text, &other.text)
            && both(&mut self.names, &other.names)
            && both(&mut self.state, &other.state)
            && both(&mut self.real, &other.real)
    }
}

/// Returns the hash of a file's content, if it can be read.
fn text(path: &Path, kind: Kind) -> Option<Print> {
    let bytes = (kind == Kind::File).then(|| fs::read(path).ok());
    bytes.flatten().map(|bytes| print(&bytes))
}

/// All questions of a run, with their answers.
#[derive(Clone, Default, Debug, Serialize, Deserialize)]
pub struct Facts {
    /// In boxes: half of the slots are empty, and a fact is 176 bytes.
    paths: FxHashMap<String, Box<Fact>>,
    variables: BTreeMap<String, Option<Print>>,
    /// True if a question cannot be repeated, or two answers do not agree.
    #[serde(skip)]
    spoilt: bool,
    /// Canonical paths that are known.
    #[serde(skip)]
    real: FxHashMap<PathBuf, Option<PathBuf>>,
}

impl Facts {
    pub(super) fn note(&mut self, path: &Path, looked: &Looked, answer: impl FnOnce(&mut Fact)) {
        let mut fact = Fact::default();
        answer(&mut fact);
        fact.stamp = match fact.same {
            true => looked.stamp(),
            false => looked.sure(),
        };
        if let Some(real) = &fact.real {
            self.real.insert(path.to_owned(), real.clone());
        }
        match path.to_str() {
            Some(path) => self.put(path, fact),
            // It cannot be serialized.
            None => self.spoilt = true,
        }
    }

    fn put(&mut self, path: &str, fact: Fact) {
        match self.paths.get_mut(path) {
            Some(old) => self.spoilt |= !old.join(&fact),
            None => {
                self.paths.insert(path.to_owned(), Box::new(fact));
            }
        }
    }

    pub(super) fn variable(&mut self, name: &str, value: Option<&OsStr>) {
        let value = value.map(|value| print(value.as_encoded_bytes()));
        self.variables.insert(name.to_owned(), value);
    }

    pub(super) fn join(&mut self, other: &Facts) {
        for (path, fact) in &other.paths {
            self.put(path, Fact::clone(fact));
        }
        self.variables.extend(other.variables.clone());
        self.spoilt |= other.spoilt;
    }

    /// Records an answer about a path as of now.
    #[cfg(test)]
    pub(super) fn asked(&mut self, path: &Path, answer: impl FnOnce(&mut Fact)) {
        self.note(path, &Looked::at(path), answer);
    }

    /// Records the content of a file as of now.
    #[cfg(test)]
    pub(super) fn read_of(&mut self, path: &Path) {
        let looked = Looked::at(path);
        let text = text(path, looked.kind());
        self.note(path, &looked, |fact| fact.text = Some(text));
    }

    /// Returns the union of two sets of facts.
    #[must_use]
    pub fn joined(&self, other: &Facts) -> Facts {
        let mut all = self.clone();
        all.join(other);
        all
    }

    pub(super) fn real(&self, path: &Path) -> Option<Option<PathBuf>> {
        self.real.get(path).cloned()
    }

    pub(super) fn remember(&mut self, path: &Path, real: Option<&PathBuf>) {
        self.real.insert(path.to_owned(), real.cloned());
    }

    /// Marks a question that cannot be repeated.
    pub fn spoil(&mut self) {
        self.spoilt = true;
    }

    /// Returns true if every question can be repeated.
    pub fn is_whole(&self) -> bool {
        !self.spoilt
    }

    /// Repeats all questions. `None` if an answer differs; otherwise the same facts with the
    /// current stamps, and whether any stamp is new.
    pub fn again(&self) -> Option<(Facts, bool)> {
        for (name, old) in &self.variables {
            let value = std::env::var_os(name);
            if *old != value.map(|value| print(value.as_encoded_bytes())) {
                return None;
            }
        }
        let mut now = Facts {
            variables: self.variables.clone(),
            ..Facts::default()
        };
        let mut renewed = false;
        for (path, fact) in &self.paths {
            let again = fact.again(Path::new(path))?;
            renewed |= again.stamp.is_some() && again.stamp != fact.stamp;
            now.paths.insert(path.clone(), Box::new(again));
        }
        Some((now, renewed))
    }

    /// Returns true if nothing has changed since shortly before `at`, so that a program that read
    /// the files after `at` has read the same. A path that is missing now, and was missing at `at`
    /// according to `known`, counts as unchanged.
    pub fn are_older(&self, at: SystemTime, known: &Facts) -> bool {
        let at = time(at);
        self.paths.keys().all(|name| {
            let path = Path::new(name);
            let looked = Looked::at(path);
            if looked.link {
                let own = fs::symlink_metadata(path);
                if !own.is_ok_and(|own| Stamp::of(&own).is_older(at)) {
                    return false;
                }
            }
            match looked.stamp() {
                Some(stamp) => stamp.is_older(at),
                None if known.paths.contains_key(name) => true,
                // The removal of a file changes the stamp of its folder.
                None => {
                    let mut above = path.ancestors().skip(1);
                    let folder = above.find_map(|folder| fs::metadata(folder).ok());
                    folder.is_some_and(|folder| Stamp::of(&folder).is_older(at))
                }
            }
        })
    }
}
