//! The cache between runs: answers with everything that they depend on; any doubt is a miss.
//!
//! An entry is found by a key (the program, the command, the environment) and is valid only while
//! every question that was asked when it was created has the same answer ([`Facts`]). Entries are
//! written atomically and carry a checksum. They are in `weigh/cache` in the target folder, if that
//! is ours (`store`); an entry that another user could have written is ignored.
//!
//! # What is kept
//!
//! `seen` records each query of the file system with the data that is needed to repeat it:
//! content, absence, directory entries, link targets. No other module accesses the file system
//! (`tests/house.rs`). What cargo-weigh keeps for itself, in the target folder and in the user's
//! cache folder, goes through `store`; what the user names is written by `write`.
//! `lint/clippy.toml` forbids std's functions for that elsewhere. `cache` stores three kinds of
//! results with everything that they depend on: the output of cargo and rustc (`project/answers`,
//! whose inputs `project/inputs` overestimates), the whole output of a run (`cli/kept`), and the
//! sizes of a revision (`diff`). An entry is valid if every recorded query still has the same
//! answer; the last four states are stored for each key. A file is compared by its stamp (device,
//! inode, size, nanosecond times) instead of its content only if it was not modified shortly
//! before it was read, as git treats racy entries.

use crate::seen::{Facts, Print, print};
use crate::store::{self, Folder, Kind};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::time::SystemTime;

/// The value `0` disables the cache.
pub const VARIABLE: &str = "CARGO_WEIGH_CACHE";

/// States of the code that are cached for one command, as on other branches or after a revert.
const STATES: usize = 4;

/// Limits of a folder: entries, and bytes of all entries; the oldest are removed first.
const MOST: usize = 64;
const MOST_BYTES: u64 = 128 << 20;

/// Digits of a hash in the name of an entry.
const PRINT: usize = 32;

/// Size limit of an entry, in bytes.
const LARGEST: usize = 32 << 20;

/// Environment variables that differ between terminals and change no answer.
const NO_MATTER: [&str; 30] = [
    "_",
    "ALACRITTY_WINDOW_ID",
    "COLORTERM",
    "COLUMNS",
    "DBUS_SESSION_BUS_ADDRESS",
    "DISPLAY",
    "GNOME_TERMINAL_SCREEN",
    "ITERM_SESSION_ID",
    "KITTY_PID",
    "KITTY_WINDOW_ID",
    "KONSOLE_DBUS_SESSION",
    "KONSOLE_DBUS_WINDOW",
    "LINES",
    "OLDPWD",
    "PWD",
    "SHLVL",
    "SSH_AGENT_PID",
    "SSH_AUTH_SOCK",
    "SSH_CLIENT",
    "SSH_CONNECTION",
    "SSH_TTY",
    "TERM_SESSION_ID",
    "TMUX",
    "TMUX_PANE",
    "VSCODE_GIT_IPC_HANDLE",
    "VSCODE_IPC_HOOK_CLI",
    "WEZTERM_PANE",
    "WINDOWID",
    "XDG_SESSION_ID",
    "ZELLIJ_PANE_ID",
];

/// The target folders that hold entries.
#[derive(Debug, Default)]
pub struct Cache {
    folders: Vec<PathBuf>,
}

/// Identifies the question that an entry answers.
#[derive(Clone, Debug)]
pub struct Key {
    /// The kind of entry, for people who look into the folder.
    kind: &'static str,
    text: String,
}

#[derive(Deserialize)]
struct Entry<T> {
    /// The whole key: hashes may collide.
    key: String,
    facts: Facts,
    value: T,
}

#[derive(Serialize)]
struct EntryRef<'a, T> {
    key: &'a str,
    facts: &'a Facts,
    value: &'a T,
}

impl Key {
    /// Returns a key for these texts, this build of the program, the environment and the current
    /// folder.
    pub fn new<'t>(kind: &'static str, texts: impl IntoIterator<Item = &'t OsStr>) -> Key {
        static RUN: LazyLock<Option<String>> = LazyLock::new(|| {
            let here = std::env::current_dir().ok()?;
            Some(format!("{}\n{here:?}\n{}", program()?, environment().hex()))
        });
        let texts: Vec<&OsStr> = texts.into_iter().collect();
        let run = RUN.as_deref().unwrap_or_default();
        let text = match run.is_empty() {
            true => String::new(),
            false => format!("{kind}\n{run}\n{texts:?}"),
        };
        Key { kind, text }
    }
}

/// Identifies this build of the program.
fn program() -> Option<String> {
    let path = std::env::current_exe().ok()?;
    let data = path.metadata().ok()?;
    #[cfg(unix)]
    let more = {
        use std::os::unix::fs::MetadataExt;
        (data.ino(), data.ctime(), data.ctime_nsec())
    };
    #[cfg(not(unix))]
    let more = ();
    let version = env!("CARGO_PKG_VERSION");
    let modified = data.modified().ok()?;
    let length = data.len();
    Some(format!("{version} {path:?} {length} {modified:?} {more:?}"))
}

/// Returns all variables but those of [`NO_MATTER`]: cargo, rustc and build scripts may read any of
/// them.
fn environment() -> Print {
    let mut variables: Vec<_> = std::env::vars_os()
        .filter(|(name, _)| !NO_MATTER.iter().any(|other| name == other))
        .collect();
    variables.sort_unstable();
    print(format!("{variables:?}").as_bytes())
}

/// Returns true if the cache is disabled.
fn is_off() -> bool {
    std::env::var_os(VARIABLE).is_some_and(|value| value == "0")
}

impl Cache {
    /// Returns the cache in these target folders; an empty one if the cache is disabled.
    pub fn of(target_folders: impl IntoIterator<Item = PathBuf>) -> Cache {
        match is_off() {
            true => Cache::default(),
            false => Cache {
                folders: target_folders.into_iter().collect(),
            },
        }
    }

    /// Notes for the user why this target folder cannot hold entries, if it cannot.
    pub fn ask(&self, target_folder: &Path) {
        if self.folders.iter().any(|folder| folder == target_folder) {
            store::if_ours(store::find(target_folder, Kind::Cache));
        }
    }

    /// Returns the answer for a key and its facts, if there is an intact entry that is still valid.
    pub fn find<T: DeserializeOwned + Serialize>(&self, key: &Key) -> Option<(T, Facts)> {
        let folders = self.folders.iter();
        let folders: Vec<Folder> = folders
            .filter_map(|folder| store::find(folder, Kind::Cache).ok())
            .collect();
        let places = folders
            .iter()
            .flat_map(|folder| key.names().map(move |name| (folder, name)));
        let mut places: Vec<(SystemTime, &Folder, String)> = places
            .filter_map(|(folder, name)| Some((modified(folder, &name)?, folder, name)))
            .collect();
        // The newest state is most likely still valid.
        places.sort_unstable_by(|a, b| (b.0, &b.2).cmp(&(a.0, &a.2)));
        places.into_iter().find_map(|(_, folder, name)| {
            let bytes = read(folder, &name)?;
            let entry: Entry<T> = serde_json::from_slice(&bytes).ok()?;
            if entry.key != key.text || key.text.is_empty() {
                return None;
            }
            let (facts, renewed) = entry.facts.again()?;
            if renewed {
                write_entry(folder, &name, key, &facts, &entry.value);
            }
            Some((entry.value, facts))
        })
    }

    /// Stores an answer in a target folder, if it is one of the folders of this cache.
    pub fn keep<T: Serialize>(&self, target_folder: &Path, key: &Key, facts: &Facts, value: &T) {
        let is_one = self.folders.iter().any(|folder| folder == target_folder);
        if !is_one || !facts.is_whole() || key.text.is_empty() {
            return;
        }
        let Some(folder) = store::if_ours(store::make(target_folder, Kind::Cache)) else {
            return;
        };
        // An unused place, or that of the oldest state.
        if let Some(name) = key.names().min_by_key(|name| modified(&folder, name)) {
            write_entry(&folder, &name, key, facts, value);
        }
        thin(&folder);
    }
}

impl Key {
    fn names(&self) -> impl Iterator<Item = String> {
        let (kind, print) = (self.kind, print(self.text.as_bytes()).hex());
        (0..STATES).map(move |n| format!("{kind}-{print}-{n}"))
    }
}

/// Returns true for the name of an entry.
fn is_entry(name: &OsStr) -> bool {
    let parts: Vec<&str> = name.to_str().unwrap_or_default().split('-').collect();
    let [kind, print, n] = parts[..] else {
        return false;
    };
    !kind.is_empty()
        && kind.bytes().all(|b| b.is_ascii_lowercase())
        && print.len() == PRINT
        && print.bytes().all(|b| b.is_ascii_hexdigit())
        && n.parse().is_ok_and(|n: usize| n < STATES)
}

fn modified(folder: &Folder, name: &str) -> Option<SystemTime> {
    folder.data(name)?.modified().ok()
}

/// Returns the bytes of an entry without its first line, which is their checksum.
fn read(folder: &Folder, name: &str) -> Option<Vec<u8>> {
    let mut bytes = folder.read(name).ok()?;
    let line = bytes.iter().position(|&b| b == b'\n')?;
    let rest = bytes.split_off(line + 1);
    (bytes[..line] == *print(&rest).hex().as_bytes()).then_some(rest)
}

fn write_entry<T: Serialize>(folder: &Folder, name: &str, key: &Key, facts: &Facts, value: &T) {
    let key = &key.text;
    let entry = serde_json::to_vec(&EntryRef { key, facts, value });
    // An entry that cannot be serialized or written is computed again.
    if let Ok(mut entry) = entry
        && entry.len() <= LARGEST
    {
        let mut bytes = format!("{}\n", print(&entry).hex()).into_bytes();
        bytes.append(&mut entry);
        let _ = folder.put(name, &bytes);
    }
}

/// Removes leftovers of killed runs, and the oldest entries beyond the limits.
fn thin(folder: &Folder) {
    folder.sweep();
    let names = folder.names().unwrap_or_default().into_iter();
    let mut files: Vec<(SystemTime, u64, OsString)> = names
        .filter(|name| is_entry(name))
        .filter_map(|name| {
            let data = folder.data(&name)?;
            Some((data.modified().ok()?, data.len(), name))
        })
        .collect();
    files.sort_unstable_by(|a, b| b.cmp(a));
    let mut bytes = 0;
    for (i, (_, length, name)) in files.iter().enumerate() {
        bytes += length;
        if i >= MOST || bytes > MOST_BYTES {
            folder.remove_file(name);
        }
    }
}

#[cfg(test)]
mod tests;
