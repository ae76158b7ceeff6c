//! Calibration results in the user's cache folder: written atomically, limited in number, and a
//! cache miss if in doubt.

use crate::project::Standing;
use crate::source::read::bytes;
use crate::write::replace;
use rustc_hash::FxHasher;
use serde::{Deserialize, Serialize};
use std::env::var_os;
use std::hash::Hasher;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Maximum number of results; the oldest is removed first.
const MOST: usize = 32;

#[derive(Serialize, Deserialize)]
struct Document {
    /// The full key: fingerprints may collide.
    key: String,
    types: usize,
    unknown: Vec<String>,
    foreign: Option<String>,
}

/// Returns the cache folder; `None` if the system names none.
pub fn folder() -> Option<PathBuf> {
    let set = |name: &str| var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
    let home = || set("HOME");
    let caches = match std::env::consts::OS {
        "windows" => set("LOCALAPPDATA"),
        "macos" => home().map(|home| home.join("Library/Caches")),
        _ => set("XDG_CACHE_HOME")
            .filter(|dir| dir.is_absolute())
            .or_else(|| home().map(|home| home.join(".cache"))),
    };
    Some(caches?.join("cargo-weigh").join("rustc"))
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

fn file(folder: &Path, key: &str) -> PathBuf {
    folder.join(format!("{:016x}.json", fingerprint([key])))
}

/// Returns the result for a key, if it exists and is complete.
pub fn read(folder: &Path, key: &str) -> Option<Standing> {
    let bytes = bytes(&file(folder, key)).ok()?;
    let document: Document = serde_json::from_slice(&bytes).ok()?;
    (document.key == key).then_some(match document.foreign {
        Some(what) => Standing::Foreign(what),
        None => Standing::Calibrated {
            types: document.types,
            unknown: document.unknown,
        },
    })
}

/// Stores a result.
///
/// # Errors
/// Returns errors of the file system; nothing is left behind then.
pub fn write(folder: &Path, key: &str, standing: &Standing) -> io::Result<()> {
    let (types, unknown, foreign) = match standing {
        Standing::Calibrated { types, unknown } => (*types, unknown.clone(), None),
        Standing::Foreign(what) => (0, Vec::new(), Some(what.clone())),
        Standing::Declared | Standing::NotAsked(_) => return Ok(()),
    };
    let document = Document {
        key: key.to_owned(),
        types,
        unknown,
        foreign,
    };
    std::fs::create_dir_all(folder)?;
    let bytes = serde_json::to_vec(&document)?;
    let written = replace(&file(folder, key), &bytes);
    thin(folder);
    written
}

/// Removes the oldest files of any kind: the folder has no others.
fn thin(folder: &Path) {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<(SystemTime, PathBuf)> = entries
        .filter_map(|e| Some((e.metadata().ok()?.modified().ok()?, e.path())))
        .collect();
    files.sort();
    let surplus = files.len().saturating_sub(MOST);
    for (_, path) in &files[..surplus] {
        // Another run may have removed it.
        let _ = std::fs::remove_file(path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_found_and_damage_is_a_miss() {
        let folder = std::env::temp_dir().join(format!("weigh kept {}", std::process::id()));
        let standing = Standing::Calibrated {
            types: 7,
            unknown: vec!["io::BufReader".to_owned()],
        };
        assert_eq!(read(&folder, "a"), None);
        write(&folder, "a", &standing).unwrap();
        assert_eq!(read(&folder, "a"), Some(standing.clone()));
        assert_eq!(read(&folder, "b"), None);
        // A result of another key under this name, a truncated one, and none.
        std::fs::copy(file(&folder, "a"), file(&folder, "b")).unwrap();
        assert_eq!(read(&folder, "b"), None);
        let bytes = std::fs::read(file(&folder, "a")).unwrap();
        for len in 0..bytes.len() {
            std::fs::write(file(&folder, "a"), &bytes[..len]).unwrap();
            assert_eq!(read(&folder, "a"), None, "{len}");
        }
        let foreign = Standing::Foreign("Shape7".to_owned());
        for n in 0..MOST + 5 {
            write(&folder, &n.to_string(), &foreign).unwrap();
        }
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), MOST);
        assert_eq!(read(&folder, &(MOST + 4).to_string()), Some(foreign));
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
