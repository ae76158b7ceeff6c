//! The cache between runs: answers with everything that they depend on; any doubt is a miss.
//!
//! An entry is found by a key (the program, the command, the environment) and is valid only while
//! every question that was asked when it was created has the same answer ([`Facts`]). Entries are
//! written atomically and carry a checksum. They are in `weigh/cache` in the target folder; an
//! entry that another user could have written is ignored.

use crate::seen::{Facts, Print, print};
use crate::write;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::Read;
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

/// The folders that hold entries.
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
    let data = fs::metadata(&path).ok()?;
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
        let folders = target_folders.into_iter();
        let below = |folder: PathBuf| folder.join("weigh").join("cache");
        match is_off() {
            true => Cache::default(),
            false => Cache {
                folders: folders.map(below).collect(),
            },
        }
    }

    /// Returns the answer for a key and its facts, if there is an intact entry that is still valid.
    pub fn find<T: DeserializeOwned + Serialize>(&self, key: &Key) -> Option<(T, Facts)> {
        let places = self.folders.iter().flat_map(|folder| key.places(folder));
        let mut places: Vec<(SystemTime, PathBuf)> = places
            .filter_map(|path| Some((fs::metadata(&path).ok()?.modified().ok()?, path)))
            .collect();
        // The newest state is most likely still valid.
        places.sort_unstable_by(|a, b| b.cmp(a));
        places.into_iter().find_map(|(_, path)| {
            let bytes = read(&path)?;
            let entry: Entry<T> = serde_json::from_slice(&bytes).ok()?;
            if entry.key != key.text || key.text.is_empty() {
                return None;
            }
            let (facts, renewed) = entry.facts.again()?;
            if renewed {
                write_entry(&path, key, &facts, &entry.value);
            }
            Some((entry.value, facts))
        })
    }

    /// Stores an answer in a target folder, if it is one of the folders of this cache.
    pub fn keep<T: Serialize>(&self, target_folder: &Path, key: &Key, facts: &Facts, value: &T) {
        let folder = target_folder.join("weigh").join("cache");
        if !self.folders.contains(&folder) || !facts.is_whole() || key.text.is_empty() {
            return;
        }
        if make(&folder).is_none() {
            return;
        }
        // An unused place, or that of the oldest state.
        let age = |path: &PathBuf| fs::metadata(path).and_then(|data| data.modified()).ok();
        if let Some(path) = key.places(&folder).min_by_key(age) {
            write_entry(&path, key, facts, value);
        }
        thin(&folder);
    }
}

impl Key {
    fn places(&self, folder: &Path) -> impl Iterator<Item = PathBuf> {
        let (kind, print) = (self.kind, print(self.text.as_bytes()).hex());
        (0..STATES).map(move |n| folder.join(format!("{kind}-{print}-{n}")))
    }
}

/// Returns the bytes of an entry without its first line, which is their checksum.
fn read(path: &Path) -> Option<Vec<u8>> {
    let mut file = File::open(path).ok()?;
    if !is_ours(&file.metadata().ok()?) || !is_ours(&fs::symlink_metadata(path.parent()?).ok()?) {
        return None;
    }
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).ok()?;
    let line = bytes.iter().position(|&b| b == b'\n')?;
    let rest = bytes.split_off(line + 1);
    (bytes[..line] == *print(&rest).hex().as_bytes()).then_some(rest)
}

/// Returns true if no other user could have written the file.
fn is_ours(data: &fs::Metadata) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        data.uid() == rustix::process::geteuid().as_raw() && data.mode() & 0o022 == 0
    }
    #[cfg(not(unix))]
    {
        !data.is_symlink()
    }
}

fn write_entry<T: Serialize>(path: &Path, key: &Key, facts: &Facts, value: &T) {
    let key = &key.text;
    let entry = serde_json::to_vec(&EntryRef { key, facts, value });
    // An entry that cannot be serialized or written is computed again.
    if let Ok(mut entry) = entry
        && entry.len() <= LARGEST
    {
        let mut bytes = format!("{}\n", print(&entry).hex()).into_bytes();
        bytes.append(&mut entry);
        let _ = write::put(path, &bytes);
    }
}

/// Creates the folder, accessible by its owner only.
fn make(folder: &Path) -> Option<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    builder.create(folder.parent()?).ok()?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt;
        builder.mode(0o700);
    }
    builder.create(folder).ok()
}

/// Removes leftovers of killed runs, and the oldest entries beyond the limits.
fn thin(folder: &Path) {
    write::sweep(folder);
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<(SystemTime, u64, PathBuf)> = entries
        .filter_map(|entry| {
            let data = entry.metadata().ok().filter(fs::Metadata::is_file)?;
            Some((data.modified().ok()?, data.len(), entry.path()))
        })
        .collect();
    files.sort_unstable_by(|a, b| b.cmp(a));
    let mut bytes = 0;
    for (i, (_, length, path)) in files.iter().enumerate() {
        bytes += length;
        if i >= MOST || bytes > MOST_BYTES {
            // Another run may have removed it.
            let _ = fs::remove_file(path);
        }
    }
}

#[cfg(test)]
mod tests;
