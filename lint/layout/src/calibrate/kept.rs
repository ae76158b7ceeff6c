//! Calibration results in the user's cache folder: written atomically, limited in number, and a
//! cache miss if in doubt.

use crate::project::Standing;
use crate::store::{self, Folder, Kind};
use rustc_hash::FxHasher;
use serde::{Deserialize, Serialize};
use std::env::var_os;
use std::ffi::{OsStr, OsString};
use std::hash::Hasher;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Maximum number of results; the oldest is removed first.
const MOST: usize = 32;

/// The end of the name of a result, after its hash.
const END: &str = ".json";

#[derive(Serialize, Deserialize)]
struct Document {
    /// The full key: fingerprints may collide.
    key: String,
    types: usize,
    unknown: Vec<String>,
    foreign: Option<String>,
}

/// Returns the user's cache folder; `None` if the system names none.
pub fn folder() -> Option<PathBuf> {
    let set = |name: &str| var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
    let home = || set("HOME");
    match std::env::consts::OS {
        "windows" => set("LOCALAPPDATA"),
        "macos" => home().map(|home| home.join("Library/Caches")),
        _ => set("XDG_CACHE_HOME")
            .filter(|dir| dir.is_absolute())
            .or_else(|| home().map(|home| home.join(".cache"))),
    }
}

/// Hashes texts, with the same result in each run.
pub fn fingerprint<'t>(texts: impl IntoIterator<Item = &'t str>) -> u64 {
    let mut hasher = FxHasher::default();
    for text in texts {
        hasher.write(text.as_bytes());
        hasher.write_usize(text.len());
    }
    hasher.finish()
}

fn file(key: &str) -> String {
    format!("{:016x}{END}", fingerprint([key]))
}

/// Returns the result for a key in the user's cache folder, if it exists and is complete.
pub fn read(caches: &Path, key: &str) -> Option<Standing> {
    let folder = store::find(caches, Kind::Rustc).ok()?;
    let bytes = folder.read(file(key)).ok()?;
    let document: Document = serde_json::from_slice(&bytes).ok()?;
    (document.key == key).then_some(match document.foreign {
        Some(what) => Standing::Foreign(what),
        None => Standing::Calibrated {
            types: document.types,
            unknown: document.unknown,
        },
    })
}

/// Stores a result. If this fails, a later run measures again.
pub fn write(caches: &Path, key: &str, standing: &Standing) {
    let (types, unknown, foreign) = match standing {
        Standing::Calibrated { types, unknown } => (*types, unknown.clone(), None),
        Standing::Foreign(what) => (0, Vec::new(), Some(what.clone())),
        Standing::Declared | Standing::NotAsked(_) => return,
    };
    let document = Document {
        key: key.to_owned(),
        types,
        unknown,
        foreign,
    };
    let folder = store::if_ours(store::make(caches, Kind::Rustc));
    if let (Some(folder), Ok(bytes)) = (folder, serde_json::to_vec(&document)) {
        let _ = folder.replace(file(key), &bytes);
        thin(&folder);
    }
}

/// Returns true for the name of a result.
fn is_ours(name: &OsStr) -> bool {
    let print = name.to_str().and_then(|name| name.strip_suffix(END));
    print.is_some_and(|p| p.len() == 16 && p.bytes().all(|b| b.is_ascii_hexdigit()))
}

/// Removes the oldest results, and what killed runs have left.
fn thin(folder: &Folder) {
    folder.sweep();
    let names = folder.names().unwrap_or_default().into_iter();
    let mut files: Vec<(SystemTime, OsString)> = names
        .filter(|name| is_ours(name))
        .filter_map(|name| Some((folder.data(&name)?.modified().ok()?, name)))
        .collect();
    files.sort();
    let surplus = files.len().saturating_sub(MOST);
    for (_, name) in &files[..surplus] {
        folder.remove_file(name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_found_and_damage_is_a_miss() {
        let caches = tempfile::tempdir().unwrap();
        let caches = caches.path();
        let folder = caches.join("cargo-weigh/rustc");
        let file = |key: &str| folder.join(file(key));
        let standing = Standing::Calibrated {
            types: 7,
            unknown: vec!["io::BufReader".to_owned()],
        };
        assert_eq!(read(caches, "a"), None);
        write(caches, "a", &standing);
        assert_eq!(read(caches, "a"), Some(standing.clone()));
        assert_eq!(read(caches, "b"), None);
        // A result of another key under this name, a truncated one, and none.
        std::fs::copy(file("a"), file("b")).unwrap();
        assert_eq!(read(caches, "b"), None);
        let bytes = std::fs::read(file("a")).unwrap();
        for len in 0..bytes.len() {
            std::fs::write(file("a"), &bytes[..len]).unwrap();
            assert_eq!(read(caches, "a"), None, "{len}");
        }
        std::fs::write(folder.join("letter.json"), "mine").unwrap();
        let foreign = Standing::Foreign("Shape7".to_owned());
        for n in 0..MOST + 5 {
            write(caches, &n.to_string(), &foreign);
        }
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), MOST + 1);
        assert_eq!(read(caches, &(MOST + 4).to_string()), Some(foreign));
        assert!(folder.join("letter.json").exists());
    }
}
